/* rfactor.c -- rfactor(f.s1.r, u, .., name): computes stretches of an associative reduction in a
 * new func with a dimension u for the variable r, and merges them.
 *
 *     fun f(x) = { 0;  rdom(i = (0, 64); r = (0, n)) in (x) <- f(x) + a(64*r + i); }
 *
 * becomes, by rfactor(f.s1.r, u, name),
 *
 *     fun name(x, u) = { 0;  rdom(i = (0, 64)) in (x, u) <- name(x, u) + a(64*u + i); }
 *     fun f(x) = { 0;  rdom(r = (0, n)) in (x) <- f(x) + name(x, r); }
 *
 * In general the update is f(e..) <- f(e..) op injected if p, with an operator that is proved
 * associative (associative/associative.h).  `name` begins with the identity of the operator
 * (without one, see stretch.c).  It keeps the update, its condition, and the variables that are not
 * factored.  f merges by the operator at all its points.  If an index of the update is no pure
 * variable (a histogram's), some points get f op identity, which is f.
 *
 * Why it changes no value (semantics.md, "rfactor").  Let the factored variables be the outermost.
 * f's updates at a point are, in their order, those of the stretches: x op (a op b ..) op (c op ..)
 * .., by associativity.  `name` is (identity op a) op b .., and x op (identity op a) = (x op
 * identity) op a = x op a.  If other variables are factored, the order of the updates changes, so
 * the operator must also be commutative.
 */
#include "schedule/directive_record.h"

#include "associative/associative.h"
#include "ir/walk.h"
#include "schedule/directives/stretch.h"

/* What a directive asks for: the kept reduction variables, in written order. */
typedef struct Factoring {
    const Resolver *resolver;
    const Directive *directive;
    Func *func;
    const Stage *stage;
    int count;
    size_t kept[MAX_DIMENSIONS];  /* positions in the stage's reduction */
    Symbol names[MAX_DIMENSIONS]; /* the dimensions that they become */
    Associativity operator;
    Symbol partial; /* the new func */
    ExprMemo memo;
} Factoring;

/* ---- conditions ---- */

static bool is_kept(const Factoring *factoring, size_t variable) {
    for (int i = 0; i < factoring->count; i++)
        if (factoring->kept[i] == variable)
            return true;
    return false;
}

static bool add_variable(Factoring *factoring, const DirectiveArgument *loop, Symbol name) {
    const Resolver *resolver = factoring->resolver;
    size_t variable;
    const Stage *stage = resolve_reduction(resolver, loop, &variable);
    if (!stage)
        return false;
    Func *func = pipeline_func(resolver->pipeline, loop->loop.func);
    if ((factoring->stage && stage != factoring->stage) || is_kept(factoring, variable))
        return refuse(resolver, DIAG_RFACTOR_LOOPS, loop->place);
    factoring->func = func;
    factoring->stage = stage;
    if (func->shape->dimensions + factoring->count == MAX_DIMENSIONS)
        return refuse(resolver, DIAG_RFACTOR_DIMENSIONS, loop->place, func->shape->name->text,
                      number_text(resolver, MAX_DIMENSIONS));
    factoring->kept[factoring->count] = variable;
    factoring->names[factoring->count++] = name;
    return true;
}

/* Checks the name of a new variable: it must differ from all others, and from parameters. */
static bool check_variable(const Factoring *factoring, int which, const DirectiveArgument *name) {
    const Resolver *resolver = factoring->resolver;
    const FuncShape *shape = factoring->func->shape;
    const Stage *stage = factoring->stage;
    bool taken = signature_parameter(&resolver->pipeline->signature, name->name);
    for (int i = 0; i < which; i++)
        taken |= factoring->names[i] == name->name;
    for (int k = 0; k < shape->dimensions; k++)
        taken |= shape->variables[k] == name->name;
    for (size_t r = 0; r < stage->reduction.length; r++)
        taken |= !is_kept(factoring, r) && stage->reduction.data[r].variable == name->name;
    for (size_t i = 0; i < stage->splits.length; i++)
        taken |= stage->splits.data[i].variable == name->name;
    return !taken || refuse(resolver, DIAG_LOOP_NAME_TAKEN, name->place, name->name->text,
                            shape->name->text, arena_format(resolver->arena, "s%d", stage->number));
}

static const char *outermost(const Factoring *factoring) {
    const Stage *stage = factoring->stage;
    const char *text = "";
    for (int i = 0; i < factoring->count; i++)
        text = arena_format(
            factoring->resolver->arena, "%s%s%s", text, i ? ", " : "",
            stage->reduction.data[stage->reduction.length - 1 - (size_t)i].variable->text);
    return text;
}

/* Is the order of the updates the same when the kept variables count last? */
static bool keeps_order(const Factoring *factoring) {
    size_t count = factoring->stage->reduction.length;
    for (size_t r = count - (size_t)factoring->count; r < count; r++)
        if (!is_kept(factoring, r))
            return false;
    return true;
}

/* Does the merge read the partial results?  If not, they are not computed, and the update's reads
 * disappear.  The algorithm would refuse an image that is too small for those reads. */
static bool is_merging(const Factoring *factoring) {
    const Associativity *operator= & factoring->operator;
    for (int c = 0; c < operator->arity; c++)
        for (int i = 0; i < operator->arity; i++)
            if (expr_mentions(
                    factoring->resolver->arena, operator->operator[c], operator->y[i]->name))
                return true;
    return false;
}

/* Does an earlier stage's read mention a dimension over which the update has no loop?  The update
 * needs its func at all points that it writes.  The merge needs only the points that are asked of
 * the func.  Reads of the other points would disappear, and with them a refusal of a small image.
 */
static bool asks_beyond(const Factoring *factoring) {
    const Func *func = factoring->func;
    for (int j = 0; j < factoring->stage->number; j++) {
        const Stage *earlier = func->stages.data[j];
        for (size_t i = 0; i < earlier->sites.length; i++)
            for (int k = 0; k < func->shape->dimensions; k++)
                if (!factoring->stage->pure[k] &&
                    expr_mentions(factoring->resolver->arena, earlier->sites.data[i].access,
                                  func->shape->variables[k]))
                    return true;
    }
    return false;
}

/* Finds the operator.  Returns the obstacle as a clause, null if there is none.  The order of the
 * updates is checked elsewhere. */
static const char *find_operator(Factoring *factoring) {
    const Resolver *resolver = factoring->resolver;
    factoring->operator= associative_stage(resolver->pipeline, resolver->arena, factoring->func,
                                           factoring->stage->number);
    const Associativity *operator= & factoring->operator;
    if (operator->verdict != ASSOCIATIVE_YES)
        return operator->reason;
    if (!is_merging(factoring))
        return "the update changes nothing that the func holds";
    if (asks_beyond(factoring))
        return "its earlier stages read something at the points that the update writes, also at "
               "those that nobody asks for";
    return NULL;
}

/* Returns the stretch: whether each reduction variable is kept. */
static Stretch stretch_of(const Factoring *factoring) {
    size_t count = factoring->stage->reduction.length;
    bool *kept = arena_array(factoring->resolver->arena, bool, count);
    for (size_t r = 0; r < count; r++)
        kept[r] = is_kept(factoring, r);
    return (Stretch){factoring->stage, kept};
}

static bool check_operator(Factoring *factoring) {
    const Resolver *resolver = factoring->resolver;
    Place place = factoring->directive->place;
    const char *name = factoring->func->shape->name->text, *obstacle = find_operator(factoring);
    Stretch stretch = stretch_of(factoring);
    if (!obstacle && !factoring->operator.has_identity)
        obstacle = stretch_obstacle(resolver, factoring->func, &stretch,
                                    factoring->operator.has_condition);
    if (obstacle)
        return refuse(resolver, DIAG_RFACTOR_OPERATOR, place, name, obstacle);
    if (factoring->operator.is_commutative || keeps_order(factoring))
        return true;
    const char *remedy = associative_remedy(resolver->arena, &factoring->operator);
    return refuse(resolver, DIAG_RFACTOR_ORDER, place, name,
                  arena_format(resolver->arena, "%s%s%s", outermost(factoring), remedy ? "; " : "",
                               remedy ? remedy : ""));
}

const char *rfactor_obstacle(const Resolver *resolver, Func *func, const Stage *stage) {
    Factoring factoring = {.resolver = resolver, .func = func, .stage = stage};
    const char *obstacle = find_operator(&factoring);
    if (!obstacle && !factoring.operator.has_identity)
        obstacle = stretch_place_obstacle(resolver, func, stage);
    return obstacle;
}

static bool read_directive(Factoring *factoring) {
    const Directive *directive = factoring->directive;
    size_t last = directive->arguments.length - 1;
    for (size_t i = 0; i < last; i += 2)
        if (!add_variable(factoring, directive_argument(directive, i),
                          directive_argument(directive, i + 1)->name))
            return false;
    for (size_t i = 0; i < last; i += 2)
        if (!check_variable(factoring, (int)(i / 2), directive_argument(directive, i + 1)))
            return false;
    return true;
}

/* ---- the partial results ---- */

static Expr variable(const Factoring *factoring, Symbol name) {
    return expr_variable(factoring->resolver->pipeline->pool, name, INDEX);
}

/* Returns the coordinates `first`, and one more for each kept variable. */
static Expr *with_kept(const Factoring *factoring, const Expr *first, bool as_dimensions) {
    int dimensions = factoring->func->shape->dimensions;
    Expr *result = arena_array(factoring->resolver->arena, Expr, dimensions + factoring->count);
    for (int k = 0; k < dimensions; k++)
        result[k] = first[k];
    for (int i = 0; i < factoring->count; i++)
        result[dimensions + i] =
            variable(factoring,
                     as_dimensions ? factoring->names[i]
                                   : factoring->stage->reduction.data[factoring->kept[i]].variable);
    return result;
}

/* Maps the update's expressions to the new func: a kept variable becomes its dimension. */
static Expr to_partial(void *data, Pool *pool, Expr node) {
    const Factoring *factoring = data;
    if (node->op == OP_ACCESS && node->name == factoring->func->shape->name)
        return expr_access(pool, factoring->partial, node->component, node->type,
                           with_kept(factoring, node->arguments, true),
                           node->arity + factoring->count);
    for (int i = 0; node->op == OP_VARIABLE && i < factoring->count; i++)
        if (node->name == factoring->stage->reduction.data[factoring->kept[i]].variable)
            return variable(factoring, factoring->names[i]);
    return node;
}

static Expr map_to_partial(void *data, Expr expr) {
    Factoring *factoring = data;
    return expr_rewrite(factoring->resolver->pipeline->pool, &factoring->memo, expr, to_partial,
                        factoring);
}

static FuncShape *partial_shape(const Factoring *factoring) {
    FuncShape *shape = arena_new(factoring->resolver->arena, FuncShape);
    *shape = *factoring->func->shape;
    shape->name = factoring->partial;
    shape->is_output = false;
    for (int i = 0; i < factoring->count; i++)
        shape->variables[shape->dimensions++] = factoring->names[i];
    return shape;
}

/* The first value: the identity, or without one the contribution of the first iteration. */
static Expr begin_value(Factoring *factoring, int element) {
    const Associativity *operator= & factoring->operator;
    if (operator->has_identity)
        return operator->identity[element];
    Stretch stretch = stretch_of(factoring);
    return map_to_partial(factoring, stretch_first(factoring->resolver->pipeline->pool,
                                                   factoring->resolver->arena,
                                                   &stretch, operator->injected[element]));
}

static Stage *begin_stage(Factoring *factoring, const Func *partial) {
    const FuncShape *shape = partial->shape;
    Arena *arena = factoring->resolver->arena;
    Stage *stage = stage_of_all_points(arena, partial, factoring->directive->place);
    for (int c = 0; c < shape->components; c++)
        stage->values[c] = begin_value(factoring, c);
    stage_add_sites(arena, shape, stage, factoring->directive->place);
    return stage;
}

/* A part of a split became a dimension.  The func may be computed beyond the part's interval, so
 * the split is no longer exact. */
static void loosen_splits(const Factoring *factoring, Stage *stage) {
    for (size_t i = 0; i < stage->splits.length; i++)
        for (int k = 0; k < factoring->count; k++) {
            ReductionSplit *split = &stage->splits.data[i];
            if (expr_mentions(factoring->resolver->arena, split->value, factoring->names[k])) {
                split->is_exact = false;
                split->goes_below = true;
            }
        }
}

static Stage *partial_stage(Factoring *factoring) {
    Arena *arena = factoring->resolver->arena;
    const Stage *update = factoring->stage;
    const FuncShape *shape = factoring->func->shape;
    Stage *stage = stage_map(arena, shape, update, map_to_partial, factoring);
    stage->number = 1;
    stage->has_distances = false;
    stage->order.length = 0;
    if (!factoring->operator.has_identity) {
        Stretch stretch = stretch_of(factoring);
        Expr rest = stretch_rest(factoring->resolver->pipeline->pool, &stretch);
        stage->predicate =
            stage->predicate ? expr_and(factoring->resolver->pipeline->pool, rest, stage->predicate)
                             : rest;
    }
    loosen_splits(factoring, stage);
    stage->indices = with_kept(factoring, stage->indices, true);
    for (int i = 0; i < factoring->count; i++)
        stage->pure[shape->dimensions + i] = true;
    stage->reduction = (typeof(stage->reduction)){0};
    for (size_t r = 0; r < update->reduction.length; r++)
        if (!is_kept(factoring, r))
            vec_push(arena, &stage->reduction, update->reduction.data[r]);
    return stage;
}

static Func *create_partial(Factoring *factoring) {
    Arena *arena = factoring->resolver->arena;
    Func *func = arena_new(arena, Func);
    *func = (Func){.shape = partial_shape(factoring), .place = factoring->directive->place};
    for (int k = 0; k < func->shape->dimensions; k++)
        func->variables[k] = variable(factoring, func->shape->variables[k]);
    vec_push(arena, &func->stages, begin_stage(factoring, func));
    vec_push(arena, &func->stages, partial_stage(factoring));
    return func;
}

/* ---- their merge ---- */

static Stage *merge_stage(const Factoring *factoring) {
    Arena *arena = factoring->resolver->arena;
    Pool *pool = factoring->resolver->pipeline->pool;
    const Stage *update = factoring->stage;
    const Func *func = factoring->func;
    const FuncShape *shape = func->shape;
    Place place = factoring->directive->place;
    Stage *stage = stage_of_all_points(arena, func, update->place);
    stage->number = update->number;
    for (size_t r = 0; r < update->reduction.length; r++)
        if (is_kept(factoring, r))
            vec_push(arena, &stage->reduction, update->reduction.data[r]);
    const Expr *partial = with_kept(factoring, stage->indices, false);
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    for (int c = 0; c < shape->components; c++) {
        x[c] =
            expr_access(pool, shape->name, c, shape->types[c], stage->indices, shape->dimensions);
        y[c] = expr_access(pool, factoring->partial, c, shape->types[c], partial,
                           shape->dimensions + factoring->count);
    }
    for (int c = 0; c < shape->components; c++)
        stage->values[c] = associative_apply(pool, arena, &factoring->operator, c, x, y);
    stage_add_sites(arena, shape, stage, place);
    return stage;
}

static Factoring begin(const Resolver *resolver, const Directive *directive) {
    size_t last = directive->arguments.length - 1;
    return (Factoring){.resolver = resolver,
                       .directive = directive,
                       .partial = directive_argument(directive, last)->name,
                       .memo = expr_memo(resolver->arena)};
}

bool rfactor_rewrite(AlgorithmRun *run, const Directive *directive) {
    size_t last = directive->arguments.length - 1;
    Redefinition *redefinition = run_redefinition(run);
    Factoring factoring = begin(run->resolver, directive);
    if (!read_directive(&factoring) ||
        !redefine_accepts_name(redefinition, run->resolver, directive_argument(directive, last)) ||
        !check_operator(&factoring))
        return false;
    redefine_add_before(redefinition, factoring.func->shape->name, create_partial(&factoring));
    redefine_stage(redefinition, factoring.func, merge_stage(&factoring));
    return true;
}

/* ---- candidates ---- */

/* Offers the variables of the update from `first` to `last`; the new dimensions have their
 * names. */
static void offer(const LegalSearch *search, const Func *func, const Stage *stage, size_t first,
                  size_t last) {
    Directive *rfactor = candidate_(search, DIRECTIVE_RFACTOR, NULL, 0);
    for (size_t r = first; r <= last; r++) {
        candidate_put(search, rfactor, argument_reduction(func, stage, r));
        candidate_put(search, rfactor, argument_name(stage->reduction.data[r].variable));
    }
    candidate_put(search, rfactor,
                  argument_name(candidate_func_name(search, func->shape->name, "p")));
    Factoring factoring = begin(&search->scheduler->resolver, rfactor);
    if (read_directive(&factoring) && check_operator(&factoring))
        candidate_accept(search, rfactor);
}

/* Offers each variable alone, and the two outermost. */
void rfactor_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        size_t count = stage->reduction.length;
        for (size_t r = 0; r < count; r++)
            offer(search, plan->func, stage, r, r);
        if (count > 1)
            offer(search, plan->func, stage, count - 2, count - 1);
    }
}
