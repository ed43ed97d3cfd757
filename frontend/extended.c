/* extended.c -- equations that lack variables of the domain but mention them ("Extended URE").
 *
 *     recurrence (i = (0, n); j = (0, m)) {
 *         fun A(i, j): i32 = ..;
 *         fun last(j): i32 = select(i == n - 1, A(i, j), 0);
 *     }
 *
 * The equation means the value at the only i that satisfies the condition, and the second arm if
 * there is no such i. If the condition determines i, as here, the equation becomes a func that
 * reads that point:
 *
 *     fun last(j) = select(0 <= n - 1 && n - 1 < n, A(n - 1, j), 0)
 *
 * Otherwise it becomes a func that searches:
 *
 *     fun last(j) = {0;  rdom(i = (0, n)) in (j) <- A(i, j) if i == n - 1;}
 *
 * This file proves that at most one iteration writes, so the value does not depend on the order of
 * the rdom. An equation that mentions no variable that it lacks is an ordinary func already.
 */
#include "decide/decide.h"
#include "frontend/elaborate.h"
#include "frontend/recurrence.h"
#include "frontend/valid.h"
#include "ir/print.h"
#include "simplify/simplify.h"

enum { NEAR = 64 }; /* greatest distance of a read beyond the domain: such points may need memory */

/* Lists the variables of the domain that the equation lacks and mentions. */
static Exprs mentioned(Elaborator *e, const Func *func) {
    Exprs all = {0}, missing = {0};
    const Recurrence *recurrence = e->block->recurrence;
    for (int c = 0; c < func->shape->components; c++)
        expr_variables(e->arena, func->stages.data[0]->values[c], &all);
    for (size_t d = 0; d < recurrence->domain.length; d++) {
        bool is_own = false;
        for (int k = 0; k < func->shape->dimensions; k++)
            is_own = is_own || func->shape->variables[k] == recurrence->domain.data[d].variable;
        for (size_t i = 0; i < all.length && !is_own; i++)
            if (all.data[i]->name == recurrence->domain.data[d].variable)
                vec_push(e->arena, &missing, all.data[i]);
    }
    return missing;
}

static bool mentions_any(Elaborator *e, Expr expr, const Exprs *variables) {
    for (size_t i = 0; i < variables->length; i++)
        if (expr_mentions(e->arena, expr, variables->data[i]->name))
            return true;
    return false;
}

/* Checks that all components are selects by one condition, and that no second arm mentions the
 * variables. */
static bool has_form(Elaborator *e, const Func *func, const Exprs *missing) {
    const Stage *stage = func->stages.data[0];
    for (int c = 0; c < func->shape->components; c++) {
        Expr value = stage->values[c];
        if (value->op != OP_SELECT || value->arguments[0] != stage->values[0]->arguments[0] ||
            mentions_any(e, value->arguments[2], missing))
            return diag(e->context, DIAG_EXTENDED_FORM, stage->place, func->shape->name->text,
                        missing->data[0]->name->text);
    }
    return true;
}

/* ---- at most one iteration ---- */

/* Solves the part `variable == value` for the variable. Returns null unless the value is
 * independent of the missing variables. An i32 holds each coordinate of a domain, so a cast to i32
 * is exact. */
static Expr determined(Elaborator *e, Expr part, Expr variable, const Exprs *missing) {
    for (int side = 0; part->op == OP_EQ && side < 2; side++) {
        Expr own = part->arguments[side], other = part->arguments[1 - side];
        bool is_own = own == variable || (own->op == OP_CAST && own->arguments[0] == variable &&
                                          type_equal(own->type, I32));
        if (is_own && !mentions_any(e, other, missing))
            return other;
    }
    return NULL;
}

/* Finds the point that the condition's parts determine, with a coordinate for each missing
 * variable. The parts become the conditions that remain at that point. Returns false if a variable
 * is not determined. */
static bool find_point(Elaborator *e, Exprs *parts, const Exprs *missing, Exprs *point) {
    Exprs others = {0};
    for (size_t m = 0; m < missing->length; m++)
        vec_push(e->arena, point, NULL);
    for (size_t p = 0; p < parts->length; p++) {
        bool is_used = false;
        for (size_t m = 0; m < missing->length && !is_used; m++) {
            Expr value =
                point->data[m] ? NULL : determined(e, parts->data[p], missing->data[m], missing);
            is_used = value != NULL;
            if (value)
                point->data[m] = exact_index(e, value);
        }
        if (!is_used)
            vec_push(e->arena, &others, parts->data[p]);
    }
    for (size_t m = 0; m < missing->length; m++)
        if (!point->data[m])
            return false;
    *parts = others;
    return true;
}

/* Makes a fresh name: the user's names contain no apostrophe. */
static Expr twin(Elaborator *e, Expr variable) {
    return expr_variable(e->pool, symbol_format(&e->context->symbols, "%s'", variable->name->text),
                         INDEX);
}

static Extent domain_of(const Elaborator *e, Symbol variable) {
    const Recurrence *recurrence = e->block->recurrence;
    size_t d = 0;
    while (recurrence->domain.data[d].variable != variable)
        d++;
    return recurrence->domain.data[d].interval;
}

static Expr in_domain(Elaborator *e, Expr point, Symbol variable) {
    Extent interval = domain_of(e, variable);
    Expr end = expr_add(e->pool, interval.minimum, interval.length);
    return expr_and(e->pool, expr_le(e->pool, interval.minimum, point),
                    expr_lt(e->pool, point, end));
}

static Exprs narrow(Elaborator *e, Expr variable) {
    Exprs facts = {0};
    vec_push(e->arena, &facts, expr_le(e->pool, expr_index(e->pool, INT32_MIN), variable));
    vec_push(e->arena, &facts, expr_le(e->pool, variable, expr_index(e->pool, INT32_MAX)));
    return facts;
}

/* Decides whether all iterations that satisfy the parts agree on the missing variables. Ignores
 * parts that read funcs or images. */
static Decision decide_single(Elaborator *e, const Exprs *parts, const Exprs *missing) {
    Exprs facts = {0};
    Substitution twins = substitution_create(e->arena);
    Expr same = NULL;
    for (size_t i = 0; i < missing->length; i++) {
        Expr variable = missing->data[i], other = twin(e, variable);
        Exprs both[2] = {narrow(e, variable), narrow(e, other)};
        for (int b = 0; b < 2; b++)
            for (size_t f = 0; f < both[b].length; f++)
                vec_push(e->arena, &facts, both[b].data[f]);
        vec_push(e->arena, &facts, in_domain(e, variable, variable->name));
        vec_push(e->arena, &facts, in_domain(e, other, variable->name));
        substitution_add(&twins, variable->name, other);
        Expr equal = expr_eq(e->pool, variable, other);
        same = same ? expr_and(e->pool, same, equal) : equal;
    }
    for (size_t p = 0; p < parts->length; p++) {
        if (expr_has_access(parts->data[p]))
            continue;
        vec_push(e->arena, &facts, parts->data[p]);
        vec_push(e->arena, &facts, substitution_apply(e->pool, &twins, parts->data[p]));
    }
    return decide(e->pool, e->arena, same, &facts, DECIDE_ALONE);
}

/* Prints ": at i = 2, and at i = 3" if the witness is known; else "". */
static const char *witness_text(Elaborator *e, const Decision *decision, const Exprs *missing) {
    const char *text = "";
    for (int side = 0; decision->fails_at && side < 2; side++)
        for (size_t m = 0; m < missing->length; m++) {
            Symbol name = side ? twin(e, missing->data[m])->name : missing->data[m]->name;
            for (size_t i = 0; i < decision->variables.length; i++)
                if (decision->variables.data[i]->name == name)
                    text = arena_format(e->arena, "%s%s %s = %lld", text,
                                        m      ? ","
                                        : side ? ", and at"
                                               : ": at",
                                        missing->data[m]->name->text,
                                        (long long)decision->fails_at[i]);
        }
    return text;
}

static bool is_single(Elaborator *e, const Func *func, const Exprs *parts, const Exprs *missing) {
    bool reads = false;
    for (size_t p = 0; p < parts->length; p++)
        reads = reads || expr_has_access(parts->data[p]);
    Decision decision = decide_single(e, parts, missing);
    if (decision.verdict == VERDICT_VALID)
        return true;
    return diag(e->context, DIAG_EXTENDED_SEVERAL, func->stages.data[0]->place,
                func->shape->name->text, missing->data[0]->name->text,
                reads ? "" : witness_text(e, &decision, missing));
}

/* ---- a func that reads one point ---- */

static bool is_equation(const Elaborator *e, Symbol name) {
    const NameBinding *binding = map_get(&e->pipeline_names->by_name, name);
    return binding && binding->kind == BINDING_FUNC && binding->func->block == e->block &&
           !binding->func->is_extended;
}

/* Do the expressions read only funcs of the recurrence? Outside the domain those are zero; other
 * funcs may have nothing to read there. */
static bool reads_recurrence_only(Elaborator *e, const Stage *stage, int components,
                                  const Exprs *others) {
    Exprs accesses = {0};
    for (size_t p = 0; p < others->length; p++)
        expr_accesses(e->arena, others->data[p], &accesses);
    for (int c = 0; c < components; c++)
        expr_accesses(e->arena, stage->values[c]->arguments[1], &accesses);
    for (size_t a = 0; a < accesses.length; a++)
        if (!is_equation(e, accesses.data[a]->name))
            return false;
    return true;
}

/* Is the point at most NEAR steps beyond the domain, whatever its length? */
static bool is_near(Elaborator *e, const Extent *domain, Expr point) {
    Simplifier *simplifier = simplifier_create(e->pool, e->arena);
    Expr end = expr_add(e->pool, domain->minimum, domain->length);
    int64_t steps;
    return (expr_constant_integer(simplify(simplifier, expr_sub(e->pool, point, domain->minimum)),
                                  &steps) &&
            steps >= 0 && steps <= NEAR) ||
           (expr_constant_integer(simplify(simplifier, expr_sub(e->pool, end, point)), &steps) &&
            steps >= 1 && steps <= NEAR);
}

static Expr map_to_point(void *data, Pool *pool, Expr node) {
    Substitution *point = data;
    return node->op == OP_VARIABLE ? substitution_apply(pool, point, node) : node;
}

/* Turns `select(i == e && p, A(i, j), 0)` into `select(e in domain && p at e, A(e, j), 0)`. */
static void make_pure(Elaborator *e, Func *func, const Exprs *missing, const Exprs *others,
                      const Exprs *point) {
    Pool *pool = e->pool;
    Stage *stage = func->stages.data[0];
    Substitution at_point = substitution_create(e->arena);
    Expr condition = expr_bool(pool, true);
    for (size_t m = 0; m < missing->length; m++) {
        Extent domain = domain_of(e, missing->data[m]->name);
        Expr last =
                 expr_sub(pool, expr_add(pool, domain.minimum, domain.length), expr_index(pool, 1)),
             at = point->data[m];
        condition = expr_and(pool, condition, in_domain(e, at, missing->data[m]->name));
        if (!is_near(e, &domain, at))
            at = expr_max(pool, expr_min(pool, at, last), domain.minimum);
        substitution_add(&at_point, missing->data[m]->name, at);
    }
    ExprMemo memo = expr_memo(e->arena);
    for (size_t p = 0; p < others->length; p++)
        condition = expr_and(pool, condition,
                             expr_rewrite(pool, &memo, others->data[p], map_to_point, &at_point));
    for (int c = 0; c < func->shape->components; c++) {
        Expr value = stage->values[c];
        stage->values[c] =
            expr_select(pool, condition,
                        expr_rewrite(pool, &memo, value->arguments[1], map_to_point, &at_point),
                        value->arguments[2]);
    }
    for (size_t s = 0; s < stage->sites.length; s++)
        stage->sites.data[s].access =
            expr_rewrite(pool, &memo, stage->sites.data[s].access, map_to_point, &at_point);
}

/* ---- a func that searches for its point ---- */

/* Keeps the sites of accesses that occur in the new stage. */
static void keep_sites(Elaborator *e, const Stage *from, const Func *func, Stage *stage) {
    Exprs accesses = {0};
    for (int c = 0; c < func->shape->components; c++)
        expr_accesses(e->arena, stage->values[c], &accesses);
    if (stage->predicate)
        expr_accesses(e->arena, stage->predicate, &accesses);
    for (size_t s = 0; s < from->sites.length; s++)
        for (size_t a = 0; a < accesses.length; a++)
            if (accesses.data[a] == from->sites.data[s].access) {
                vec_push(e->arena, &stage->sites, from->sites.data[s]);
                break;
            }
}

static void make_update(Elaborator *e, Func *func, const Exprs *missing) {
    const Stage *written = func->stages.data[0];
    Stage *pure = stage_create(e, func, written->place);
    pure->number = 0;
    Stage *update = stage_create(e, func, written->place);
    update->number = 1;
    update->predicate = written->values[0]->arguments[0];
    for (int c = 0; c < func->shape->components; c++) {
        pure->values[c] = written->values[c]->arguments[2];
        update->values[c] = written->values[c]->arguments[1];
    }
    for (int k = 0; k < func->shape->dimensions; k++) {
        pure->indices[k] = update->indices[k] = func->variables[k];
        pure->pure[k] = true;
    }
    const Recurrence *recurrence = e->block->recurrence;
    for (size_t d = 0; d < recurrence->domain.length; d++)
        for (size_t m = 0; m < missing->length; m++)
            if (recurrence->domain.data[d].variable == missing->data[m]->name)
                vec_push(e->arena, &update->reduction, recurrence->domain.data[d]);
    keep_sites(e, written, func, pure);
    keep_sites(e, written, func, update);
    valid_pure_dimensions(e->arena, func, update);
    func->stages.length = 0;
    vec_push(e->arena, &func->stages, pure);
    vec_push(e->arena, &func->stages, update);
}

void extended_bind(Elaborator *e, const Func *func, Environment *environment) {
    const Recurrence *recurrence = e->block->recurrence;
    for (size_t d = 0; d < recurrence->domain.length; d++) {
        Symbol name = recurrence->domain.data[d].variable;
        bool is_own = false;
        for (int k = 0; k < func->shape->dimensions; k++)
            is_own = is_own || func->shape->variables[k] == name;
        if (is_own)
            continue;
        Expr variable = expr_variable(e->pool, name, INDEX);
        scope_bind(e, environment, BINDING_INDEX, name)->expr = variable;
        vec_push(e->arena, &e->active, variable);
    }
}

bool extended_finish(Elaborator *e, Func *func) {
    Exprs missing = mentioned(e, func), point = {0};
    if (missing.length == 0 || e->block->is_broken)
        return true;
    if (!has_form(e, func, &missing))
        return false;
    const Stage *stage = func->stages.data[0];
    Exprs parts = condition_conjuncts(e->pool, e->arena, stage->values[0]->arguments[0]);
    bool is_named = find_point(e, &parts, &missing, &point);
    if (!is_named && !is_single(e, func, &parts, &missing))
        return false;
    if (is_named && reads_recurrence_only(e, stage, func->shape->components, &parts))
        make_pure(e, func, &missing, &parts, &point);
    else
        make_update(e, func, &missing);
    return true;
}
