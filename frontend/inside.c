/* inside.c -- checks that the equations of a recurrence read only inside its domain.
 *
 *     recurrence (i = (0, n)) { fun f(i): i32 = select(i == 0, 1, f(i - 1) + g(i)); .. }
 *
 * `select` evaluates one arm, so f(i - 1) is read only if i == 0 is false. For each node this file
 * finds its *guard*, the condition under which its value is needed:
 *
 *   a root                   true
 *   an operand               the guard of its user
 *   the arm of a select      the guard of the select, and the choice
 *   a node of several users  the disjunction of their guards
 *
 * A guard ignores the parts of conditions that depend on values of funcs and images. That makes it
 * weaker, never stronger. For each read and each variable of the domain, the decision tier gets
 *
 *     guard, and the point lies in the domain  ==>  the read point lies in the domain
 *
 * Distances are positive in some order of the variables (recurrence.c) and the domain is finite, so
 * every evaluation ends. If the implication is false, the message shows the tier's witness, an
 * iteration.
 */
#include "frontend/recurrence.h"

#include "decide/decide.h"
#include "ir/print.h"
#include "ir/recurrence.h"

/* The part of a condition that depends only on indices and startup values; null means true. */
typedef struct Weak {
    Expr holds, fails; /* implied by the condition; implied by its negation */
    bool is_exact;
} Weak;

typedef struct Guard {
    Expr condition; /* null: true */
    bool is_needed, is_exact;
} Guard;

typedef struct Inside {
    Context *context;
    Arena *arena;
    Pool *pool;
    const Pipeline *pipeline;
    const Recurrence *recurrence;
    const Func *func;
    Vec(Expr) order; /* the func's nodes, arguments before their users */
    Map guards;      /* Expr -> Guard, of this func */
    Map weak;        /* Expr -> Weak, for bool expressions */
} Inside;

/* ---- conditions ---- */

static Expr both(const Inside *inside, Expr a, Expr b) {
    return !a ? b : !b || a == b ? a : expr_and(inside->pool, a, b);
}

static Expr either(const Inside *inside, Expr a, Expr b) {
    return !a || !b ? NULL : a == b ? a : expr_or(inside->pool, a, b);
}

static void weaken(void *data, Expr node) {
    Inside *inside = data;
    if (!type_is_bool(node->type) || map_get(&inside->weak, node))
        return;
    Weak *weak = arena_new(inside->arena, Weak);
    const Weak *a = node->arity > 0 ? map_get(&inside->weak, node->arguments[0]) : NULL;
    const Weak *b = node->arity > 1 ? map_get(&inside->weak, node->arguments[1]) : NULL;
    if (!expr_has_access(node))
        *weak = (Weak){node, expr_not(inside->pool, node), true};
    else if (node->op == OP_NOT)
        *weak = (Weak){a->fails, a->holds, a->is_exact};
    else if (node->op == OP_AND)
        *weak = (Weak){both(inside, a->holds, b->holds), either(inside, a->fails, b->fails), false};
    else if (node->op == OP_OR)
        *weak = (Weak){either(inside, a->holds, b->holds), both(inside, a->fails, b->fails), false};
    map_put(&inside->weak, node, weak);
}

/* ---- guards ---- */

static void collect(void *data, Expr node) {
    Inside *inside = data;
    if (map_get(&inside->guards, node))
        return;
    map_put(&inside->guards, node, arena_new(inside->arena, Guard));
    vec_push(inside->arena, &inside->order, node);
}

static void need(const Inside *inside, Expr node, Expr condition, bool is_exact) {
    Guard *guard = map_get(&inside->guards, node);
    guard->condition = guard->is_needed ? either(inside, guard->condition, condition) : condition;
    guard->is_exact = is_exact && (guard->is_exact || !guard->is_needed);
    guard->is_needed = true;
}

static void find_guards(Inside *inside) {
    const Func *func = inside->func;
    const Stage *stage = func->stages.data[0];
    inside->guards = map_create(inside->arena);
    inside->order.length = 0;
    for (int c = 0; c < func->shape->components; c++) {
        expr_visit(inside->arena, stage->values[c], weaken, inside);
        expr_visit(inside->arena, stage->values[c], collect, inside);
    }
    for (int c = 0; c < func->shape->components; c++)
        need(inside, stage->values[c], NULL, true);
    for (size_t i = inside->order.length; i-- > 0;) {
        Expr node = inside->order.data[i];
        const Guard *guard = map_get(&inside->guards, node);
        const Weak *choice =
            node->op == OP_SELECT ? map_get(&inside->weak, node->arguments[0]) : NULL;
        for (int a = 0; a < node->arity; a++) {
            Expr arm = !choice || a == 0 ? NULL : a == 1 ? choice->holds : choice->fails;
            need(inside, node->arguments[a], both(inside, guard->condition, arm),
                 guard->is_exact && (!choice || a == 0 || choice->is_exact));
        }
    }
}

/* ---- facts ---- */

static void add_fact(const Inside *inside, Exprs *facts, Expr fact) {
    if (fact)
        vec_push(inside->arena, facts, fact);
}

static void add_range(const Inside *inside, Exprs *facts, Expr value, Bits lower, Bits upper) {
    add_fact(inside, facts,
             expr_le(inside->pool, expr_constant(inside->pool, value->type, lower), value));
    add_fact(inside, facts,
             expr_le(inside->pool, value, expr_constant(inside->pool, value->type, upper)));
}

/* Returns the condition that `index` lies in the interval. */
static Expr in_interval(const Inside *inside, Expr index, const Extent *interval) {
    Pool *pool = inside->pool;
    return expr_and(pool, expr_le(pool, interval->minimum, index),
                    expr_lt(pool, index, expr_add(pool, interval->minimum, interval->length)));
}

Exprs condition_conjuncts(Pool *pool, Arena *arena, Expr condition) {
    Exprs work = {0}, parts = {0};
    if (condition)
        vec_push(arena, &work, condition);
    while (work.length > 0) {
        Expr part = work.data[--work.length];
        Expr inner = part->op == OP_NOT ? part->arguments[0] : NULL;
        if (part->op == OP_AND) {
            vec_push(arena, &work, part->arguments[1]);
            vec_push(arena, &work, part->arguments[0]);
        } else if (inner && inner->op == OP_OR) {
            vec_push(arena, &work, expr_not(pool, inner->arguments[1]));
            vec_push(arena, &work, expr_not(pool, inner->arguments[0]));
        } else if (inner && inner->op == OP_NOT) {
            vec_push(arena, &work, inner->arguments[0]);
        } else {
            vec_push(arena, &parts, part);
        }
    }
    return parts;
}

/* Collects the facts that hold at the read. With `only`, it keeps just the facts about that
 * variable: they usually suffice, and make a smaller query. */
static Exprs facts_of(const Inside *inside, const Guard *guard, Expr only) {
    Exprs facts = {0};
    const Recurrence *recurrence = inside->recurrence;
    const Expr *variables = inside->func->variables;
    Exprs parts = condition_conjuncts(inside->pool, inside->arena, guard->condition);
    for (size_t d = 0; d < recurrence->domain.length; d++) {
        Expr variable = variables[recurrence_dimension(recurrence, d)];
        if (!only || variable == only)
            add_fact(inside, &facts,
                     in_interval(inside, variable, &recurrence->domain.data[d].interval));
    }
    for (int k = 0; k < inside->func->shape->dimensions; k++)
        if (!only || variables[k] == only)
            add_range(inside, &facts, variables[k], INT32_MIN, INT32_MAX);
    for (size_t p = 0; p < parts.length; p++)
        if (!only || expr_mentions(inside->arena, parts.data[p], only->name))
            add_fact(inside, &facts, parts.data[p]);
    pipeline_startup_facts(inside->pipeline, inside->arena, &facts);
    return facts;
}

/* ---- the message ---- */

/* Prints the condition under which the read leaves the domain: `i < 1`. */
static const char *guard_text(const Inside *inside, size_t d, int64_t distance) {
    Pool *pool = inside->pool;
    const ReductionVariable *variable = &inside->recurrence->domain.data[d];
    Expr index = expr_variable(pool, variable->variable, INDEX);
    Expr first = variable->interval.minimum, end;
    int64_t constant, least;
    bool is_known = expr_constant_integer(first, &constant);
    if (distance > 0) {
        Expr bound = is_known && !__builtin_add_overflow(constant, distance, &least)
                         ? expr_index(pool, least)
                         : expr_add(pool, first, expr_index(pool, distance));
        return expr_words(inside->arena, expr_lt(pool, index, bound), variable->variable);
    }
    end = is_known && constant == 0 ? variable->interval.length
                                    : expr_add(pool, first, variable->interval.length);
    return expr_words(inside->arena,
                      expr_le(pool, expr_sub(pool, end, expr_index(pool, -distance)), index),
                      variable->variable);
}

static const Bits *value_at(const Decision *decision, Symbol name) {
    for (size_t i = 0; i < decision->variables.length; i++)
        if (decision->variables.data[i]->name == name)
            return &decision->fails_at[i];
    return NULL;
}

/* Prints the func at the witness, minus the distances (null: none). */
static const char *point_text(const Inside *inside, const char *name, const Decision *decision,
                              const int64_t *distances) {
    const char *text = arena_format(inside->arena, "%s(", name);
    const FuncShape *shape = inside->func->shape;
    for (int k = 0; k < shape->dimensions; k++) {
        const Bits *value = value_at(decision, shape->variables[k]);
        int64_t at = (value ? *value : 0) - (distances ? distances[k] : 0);
        text = arena_format(inside->arena, "%s%s%lld", text, k ? ", " : "", (long long)at);
    }
    return arena_format(inside->arena, "%s)", text);
}

/* Lists the startup values in the guard and the domain. */
static Exprs sizes(const Inside *inside, const Guard *guard) {
    Exprs variables = {0}, startup = {0};
    for (size_t d = 0; d < inside->recurrence->domain.length; d++) {
        expr_variables(inside->arena, inside->recurrence->domain.data[d].interval.minimum,
                       &variables);
        expr_variables(inside->arena, inside->recurrence->domain.data[d].interval.length,
                       &variables);
    }
    if (guard->condition)
        expr_variables(inside->arena, guard->condition, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        bool is_named = false;
        for (int k = 0; k < inside->func->shape->dimensions; k++)
            is_named = is_named || variable == inside->func->variables[k];
        for (size_t j = 0; j < startup.length; j++)
            is_named = is_named || variable == startup.data[j];
        if (!is_named)
            vec_push(inside->arena, &startup, variable);
    }
    return startup;
}

/* Returns "" or " with n = 3, input.extent(0) = 4". */
static const char *sizes_text(const Inside *inside, const Guard *guard, const Decision *decision) {
    const char *text = "";
    Exprs named = sizes(inside, guard);
    for (size_t i = 0; i < named.length; i++) {
        Expr variable = named.data[i];
        const Bits *at = value_at(decision, variable->name);
        char value[48];
        value_print(variable->type, at ? *at : 0, value, sizeof value);
        text = arena_format(inside->arena, "%s%s %s = %s", text, text[0] ? "," : " with",
                            expr_words(inside->arena, variable, NULL), value);
    }
    return text;
}

/* ---- the proof ---- */

/* Prefers a witness with small numbers. */
static Decision decide_small(const Inside *inside, Expr condition, const Exprs *facts) {
    Decision decision = decide(inside->pool, inside->arena, condition, facts, DECIDE_ALONE);
    if (!decision.fails_at)
        return decision;
    for (int64_t most = 4; most <= 64; most *= 4) {
        Exprs small = {0};
        for (size_t i = 0; i < facts->length; i++)
            vec_push(inside->arena, &small, facts->data[i]);
        for (size_t i = 0; i < decision.variables.length; i++) {
            Expr variable = decision.variables.data[i];
            if (type_is_index(variable->type) || type_is_machine_integer(variable->type))
                add_range(inside, &small, variable,
                          type_is_index(variable->type) || type_is_signed(variable->type) ? -most
                                                                                          : 0,
                          most);
        }
        Decision nearer = decide(inside->pool, inside->arena, condition, &small, DECIDE_ALONE);
        if (nearer.fails_at)
            return nearer;
    }
    return decision;
}

static bool check_variable(const Inside *inside, const AccessSite *site, const Guard *guard,
                           size_t d, const int64_t *distances) {
    int k = recurrence_dimension(inside->recurrence, d);
    if (distances[k] == 0)
        return true;
    Exprs facts = facts_of(inside, guard, inside->func->variables[k]);
    Expr condition = in_interval(inside, site->access->arguments[k],
                                 &inside->recurrence->domain.data[d].interval);
    if (decide_validity(inside->pool, condition, &facts, DECIDE_ALONE, &(uint64_t){0}) ==
        VALIDITY_HOLDS)
        return true;
    facts = facts_of(inside, guard, NULL);
    Decision decision = decide_small(inside, condition, &facts);
    if (decision.verdict == VERDICT_VALID)
        return true;
    const char *reader = inside->func->shape->name->text, *read = site->access->name->text;
    const char *needed = guard_text(inside, d, distances[k]);
    if (decision.fails_at && guard->is_exact)
        return diag(inside->context, DIAG_EQUATION_OUTSIDE, site->place,
                    point_text(inside, reader, &decision, NULL),
                    point_text(inside, read, &decision, distances),
                    sizes_text(inside, guard, &decision), needed, read);
    return diag(inside->context, DIAG_EQUATION_UNPROVED, site->place, reader, read, needed);
}

static bool check_site(const Inside *inside, const AccessSite *site) {
    int64_t distances[MAX_DIMENSIONS];
    const Guard *guard = map_get(&inside->guards, site->access);
    if (!guard || !guard->is_needed ||
        !recurrence_has(inside->pipeline, inside->recurrence, site->access->name))
        return true; /* the value was folded away, or is read by another func */
    bool is_constant = recurrence_distance(inside->func, site->access, distances);
    hlc_assert(is_constant, "equations read each other at constant distances");
    for (size_t d = 0; d < inside->recurrence->domain.length; d++)
        if (!check_variable(inside, site, guard, d, distances))
            return false;
    return true;
}

bool reads_stay_inside(Context *context, Arena *scratch, const Pipeline *pipeline,
                       const Recurrence *recurrence) {
    Inside inside = {.context = context,
                     .arena = scratch,
                     .pool = pipeline->pool,
                     .pipeline = pipeline,
                     .recurrence = recurrence,
                     .weak = map_create(scratch)};
    bool good = true;
    for (size_t f = 0; f < recurrence->funcs.length; f++) {
        inside.func = recurrence->funcs.data[f];
        find_guards(&inside);
        const Stage *stage = inside.func->stages.data[0];
        for (size_t s = 0; s < stage->sites.length; s++)
            good &= check_site(&inside, &stage->sites.data[s]);
    }
    return good;
}
