/* generate_update.c -- random updates: reductions, scans, scatters, several writes at once, in-place
 * changes.
 *
 * Def 4.2 holds by construction.  If a dimension is pure in a stage, every access to the func
 * itself mentions its variable.  Otherwise none does.
 */
#include "checkers/fuzz/generate.h"

/* ---- limited values ----
 *
 *     fun f1(x) = { i32(clamp(.., -2, 5)); (x) <- i32(min(max(.., -2), w0)); }
 *     fun out(x) = in0(f1(x + 1) - 3);
 *
 * The first component of some funcs lies in a small range, by its expression in each stage.  Indices
 * read them.  The limits are drawn from copies of the random numbers: a case without such a func
 * does not depend on them. */

static bool may_be_limited(const CaseFunc *func) {
    Type type = func->types[0];
    return !func->part_count && !type_is_bool(type) && !type_equal(type, U64) && func->dimensions;
}

void generate_limit(RandomSource *random, const Case *c, CaseFunc *func) {
    RandomSource apart = *random;
    func->is_limited =
        may_be_limited(func) && !c->far && !c->affine && !c->recurrent && random_chance(&apart, 40);
    if (func->is_limited && random_chance(&apart, 50))
        func->types[0] = random_chance(&apart, 70) ? I32 : F32;
}

/* A parameter of the type whose range is small, or null. */
static const CaseParameter *small_parameter(const Case *c, Type type) {
    for (int i = 0; i < c->parameter_count; i++)
        if (type_equal(c->parameters[i].type, type) &&
            c->parameters[i].lower <= c->parameters[i].upper && c->parameters[i].upper < 100)
            return &c->parameters[i];
    return NULL;
}

const char *generate_limited(ExpressionScope *scope, const CaseFunc *func, const char *value) {
    Arena *arena = scope->arena;
    RandomSource apart = *scope->random;
    Type type = func->types[0];
    const char *name = type_name(type);
    const CaseParameter *w = small_parameter(scope->c, type);
    int low = type.kind == TYPE_UINT ? random_below(&apart, 3) : random_between(&apart, -3, 3),
        high = low + random_below(&apart, 8);
    if (!func->is_limited)
        return value;
    bool has_self = scope->self && type_equal(scope->self_type, type) && func->components == 1;
    if (has_self && type_equal(type, I32) && random_chance(&apart, 40))
        return arena_format(arena, "i32(min(max(%s, %d) + 1, %d))", scope->self, low, high + 4);
    if (type_is_float(type))
        return arena_format(arena, "%s(clamp(%s, %d.0, %d.5))", name, value, low, high);
    switch (random_below(&apart, 5)) {
    case 0:
        return arena_format(arena, "%s(%s %% %d)", name, value, random_between(&apart, 1, 9));
    case 1:
        return arena_format(arena, "%s(u8(%s) >> 4)", name, value);
    case 2:
        return w ? arena_format(arena, "%s(min(max(%s, %d), %s))", name, value, low, w->name)
                 : arena_format(arena, "%s(min(max(%s, %d), %d))", name, value, low, high);
    default:
        return w ? arena_format(arena, "%s(clamp(%s, %d, %s))", name, value, low, w->name)
                 : arena_format(arena, "%s(clamp(%s, %d, %d))", name, value, low, high);
    }
}

/* ---- updates ---- */

typedef struct UpdateShape {
    bool pure[CASE_DIMENSIONS];
    const char *target[CASE_DIMENSIONS]; /* the left side's indices */
    const char *domain;                  /* `rdom(..) in `, or "" */
    int spread;        /* the dimension that `choose_spread` has given its index; -1: none */
    const char *terms; /* of that index: all but its constant */
} UpdateShape;

/* Puts the reduction variables in scope. */
static void choose_domain(ExpressionScope *scope, bool is_reduction, CaseUpdate *update,
                          UpdateShape *shape) {
    static const int counts[] = {0, 0, 1, 1, 1, 1, 2, 2, 3};
    update->reductions = is_reduction ? 1 + random_pick(scope->random, counts) / 2
                                      : random_pick(scope->random, counts);
    shape->domain = "";
    for (int r = 0; r < update->reductions; r++) {
        const char *interval = generate_interval(scope, &update->lengths[r]);
        shape->domain = arena_format(scope->arena, "%s%s%s = %s", r ? shape->domain : "rdom(",
                                     r ? "; " : "", case_reductions[r], interval);
    }
    if (update->reductions)
        shape->domain = arena_format(scope->arena, "%s) in ", shape->domain);
    for (int r = 0; r < update->reductions; r++)
        scope->names[scope->name_count++] = case_reductions[r];
}

static const char *scatter(ExpressionScope *scope) {
    RandomSource *random = scope->random;
    const char *by_value = generate_index_by_value(scope, 1);
    if (by_value)
        return by_value;
    if (random_chance(random, 8))
        return generate_value(scope, U8, 1);
    if (random_chance(random, 20))
        return arena_format(scope->arena, "%s %% %d", generate_value(scope, I32, 1),
                            random_between(random, 1, 12));
    return arena_format(scope->arena, "clamp(%s, 0, %d)", generate_value(scope, I32, 1),
                        random_below(random, 12));
}

/* Chooses the left side.  A dimension that is not pure mentions no pure variable yet. */
static void choose_target(ExpressionScope *scope, const CaseFunc *func, UpdateShape *shape) {
    for (int d = 0; d < func->dimensions; d++) {
        shape->pure[d] = scope->c->far || random_chance(scope->random, 62);
        scope->dimension = d;
        if (shape->pure[d])
            shape->target[d] = case_variables[d];
        else
            shape->target[d] = !scope->c->affine && random_chance(scope->random, 20)
                                   ? scatter(scope)
                                   : generate_affine(scope);
    }
}

/* Makes dimension `other` mention the variable of dimension `pure`: `(x, x + 1)`. */
static void choose_diagonal(ExpressionScope *scope, int pure, int other, UpdateShape *shape) {
    shape->spread = -1;
    shape->pure[pure] = true;
    shape->pure[other] = false;
    shape->target[pure] = case_variables[pure];
    shape->target[other] = arena_format(scope->arena, "%s + %d", case_variables[pure],
                                        random_between(scope->random, -2, 2));
}

static const char *spread_index(ExpressionScope *scope, const UpdateShape *shape) {
    return arena_format(scope->arena, "%s + %d", shape->terms,
                        random_between(scope->random, -4, 4));
}

/* One index that differs from iteration to iteration: k*r0 + c, or r0 + n*r1 + c with n about r0's
 * length.  Whether the func's reads are of other iterations' elements is left to chance. */
static void choose_spread(ExpressionScope *scope, const CaseFunc *func, const CaseUpdate *update,
                          UpdateShape *shape) {
    RandomSource *random = scope->random;
    int length = update->lengths[0];
    shape->spread = -1;
    if (scope->c->far || scope->c->affine || !update->reductions || !func->dimensions ||
        !random_chance(random, 25))
        return;
    int d = shape->spread = random_below(random, func->dimensions);
    shape->pure[d] = false;
    shape->terms =
        update->reductions > 1 && length && random_chance(random, 50)
            ? arena_format(scope->arena, "%s + %d*%s", case_reductions[0],
                           length + random_below(random, 2) - random_chance(random, 10),
                           case_reductions[1])
            : arena_format(scope->arena, "%d*%s", random_between(random, 2, 4), case_reductions[0]);
    shape->target[d] = spread_index(scope, shape);
}

static const char *access(ExpressionScope *scope, const CaseFunc *func, const char *const *at) {
    const char *text = arena_format(scope->arena, "%s(", func->name);
    for (int d = 0; d < func->dimensions; d++)
        text = arena_format(scope->arena, "%s%s%s", text, d ? ", " : "", at[d]);
    text = arena_format(scope->arena, "%s)", text);
    return text;
}

/* A read of the func itself; `scope` has only the reduction variables.  A scan reads an earlier
 * point. */
static void choose_self(ExpressionScope *scope, const CaseFunc *func, const UpdateShape *shape,
                        bool is_diagonal) {
    const char *at[CASE_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++) {
        scope->dimension = d;
        at[d] = shape->target[d];
        if (shape->pure[d] || (!is_diagonal && random_chance(scope->random, 50)))
            continue;
        if (d == shape->spread) {
            at[d] = spread_index(scope, shape);
            continue;
        }
        at[d] = is_diagonal || random_chance(scope->random, 50)
                    ? arena_format(scope->arena, "%s - 1", shape->target[d])
                    : generate_affine(scope);
    }
    int component = random_below(scope->random, func->components);
    scope->self = access(scope, func, at);
    scope->self_type = func->types[component];
    if (func->components > 1)
        scope->self = arena_format(scope->arena, "%s.%d", scope->self, component);
}

static const char *values(ExpressionScope *scope, const CaseFunc *func) {
    const char *text = generate_limited(scope, func, generate_value(scope, func->types[0], 2));
    if (func->components == 1)
        return text;
    for (int i = 1; i < func->components; i++)
        text = arena_format(scope->arena, "%s, %s", text, generate_value(scope, func->types[i], 2));
    return arena_format(scope->arena, "{%s}", text);
}

/* `, (..) <- ..`: another write of each iteration, or nothing.  The numbers are drawn from a copy of
 * the random numbers: other cases do not depend on them. */
static const char *other_writes(ExpressionScope scope, const CaseFunc *func,
                                const UpdateShape *shape) {
    RandomSource apart = *scope.random;
    const char *text = "";
    scope.random = &apart;
    random_bits(&apart); /* the next value is not drawn alike */
    if (!func->dimensions || scope.c->affine || scope.c->far || !random_chance(&apart, 14))
        return "";
    for (int more = 1 + random_chance(&apart, 20); more > 0; more--) {
        UpdateShape other = *shape;
        const char *target = "";
        scope.self = NULL;
        for (int d = 0; d < func->dimensions; d++) {
            scope.dimension = d;
            if (!shape->pure[d])
                other.target[d] = d == shape->spread          ? spread_index(&scope, shape)
                                  : random_chance(&apart, 20) ? scatter(&scope)
                                                              : generate_affine(&scope);
            target = arena_format(scope.arena, "%s%s%s", target, d ? ", " : "", other.target[d]);
        }
        choose_self(&scope, func, &other, false);
        text = arena_format(scope.arena, "%s, (%s) <- %s", text, target, values(&scope, func));
    }
    return text;
}

/* `pure`: -1, or the update is a diagonal one of that dimension and `other`. */
static void generate_one(ExpressionScope scope, CaseFunc *func, int pure, int other) {
    CaseUpdate update = {0};
    UpdateShape shape = {0};
    scope.name_count = scope.let_count = 0;
    scope.reducing = true; /* an inline reduction may not mention the func itself */
    bool is_reduction = pure < 0 && func->part_count > 0 && random_chance(scope.random, 92);
    choose_domain(&scope, is_reduction, &update, &shape);
    choose_target(&scope, func, &shape);
    if (pure >= 0)
        choose_diagonal(&scope, pure, other, &shape);
    else
        choose_spread(&scope, func, &update, &shape);
    if (!is_reduction)
        choose_self(&scope, func, &shape, pure >= 0);
    for (int d = 0; d < func->dimensions; d++)
        if (shape.pure[d])
            scope.names[scope.name_count++] = case_variables[d];
    const char *target = "";
    for (int d = 0; d < func->dimensions; d++)
        target = arena_format(scope.arena, "%s%s%s", target, d ? ", " : "", shape.target[d]);
    Reduction reduction = is_reduction
                              ? generate_reduction(&scope, func, access(&scope, func, shape.target))
                              : (Reduction){values(&scope, func), NULL};
    if (pure >= 0 && func->components == 1 && !type_is_bool(func->types[0]))
        reduction.value =
            generate_limited(&scope, func,
                             arena_format(scope.arena, "%s(%s) + %s", type_name(func->types[0]),
                                          reduction.value, scope.self));
    scope.self = is_reduction ? NULL : scope.self;
    update.text = arena_format(scope.arena, "%s(%s) <- %s%s", shape.domain, target, reduction.value,
                               is_reduction || pure >= 0 ? "" : other_writes(scope, func, &shape));
    if (!reduction.condition && !scope.c->affine && random_chance(scope.random, 25))
        reduction.condition = generate_value(&scope, BOOL, 2);
    if (reduction.condition)
        update.text = arena_format(scope.arena, "%s if %s", update.text, reduction.condition);
    vec_push(scope.arena, &func->updates, update);
}

/* In a few cases draws two updates, each of which reads more of the func the more the other one
 * reads (schedule/stages_apart.c). */
void generate_update(ExpressionScope scope, CaseFunc *func) {
    bool crosses =
        func->dimensions > 1 && !scope.c->far && !scope.c->affine && random_chance(scope.random, 4);
    int pure = crosses ? random_below(scope.random, func->dimensions) : -1,
        other = crosses ? (pure + random_between(scope.random, 1, func->dimensions - 1)) %
                              func->dimensions
                        : -1;
    generate_one(scope, func, pure, other);
    if (crosses)
        generate_one(scope, func, other, pure);
}
