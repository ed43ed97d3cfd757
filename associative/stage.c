/* stage.c -- poses the question about the operator of an update stage of a func. */
#include "associative/internal.h"

#include "decide/decide.h"

#include <math.h>

typedef struct SelfReads {
    const Func *func;
    const Stage *stage;
    const Expr *x;
    bool elsewhere; /* some access to the func is at another point than the one written */
} SelfReads;

static bool is_self(const SelfReads *self, Expr node) {
    return node->op == OP_ACCESS && node->name == self->func->shape->name;
}

static Expr replace_self(void *data, Pool *pool, Expr node) {
    SelfReads *self = data;
    (void)pool;
    if (!is_self(self, node))
        return node;
    for (int i = 0; i < node->arity; i++)
        if (node->arguments[i] != self->stage->indices[i]) {
            self->elsewhere = true;
            return node;
        }
    return self->x[node->component];
}

static void find_self(void *data, Expr node) {
    SelfReads *self = data;
    self->elsewhere |= is_self(self, node);
}

static bool reads_self(Arena *arena, const Func *func, Expr expr) {
    SelfReads self = {.func = func};
    if (expr)
        expr_visit(arena, expr, find_self, &self);
    return self.elsewhere;
}

static Associativity refused(const Func *func, const char *reason) {
    Associativity result = {.arity = func->shape->components, .reason = reason};
    return result;
}

typedef Vec(Symbol) StageSymbols;

/* Is the variable known to be loop-invariant? Parameters, buffer fields and the func's own
 * variables are. (A split reduction variable occurs in the update, but not in the stage's list.) */
static bool is_known_to_stay(const Pipeline *pipeline, const Func *func, Symbol name) {
    BufferField field;
    Symbol buffer;
    int dimension;
    for (int i = 0; i < func->shape->dimensions; i++)
        if (func->shape->variables[i] == name)
            return true;
    return signature_parameter(&pipeline->signature, name) ||
           buffer_field_parse(pipeline->pool->context, name, &buffer, &field, &dimension);
}

static StageSymbols varying_names(const Pipeline *pipeline, Arena *arena, const Func *func,
                                  const Expr *values) {
    StageSymbols names = {0};
    for (int i = 0; i < func->shape->components; i++) {
        Exprs variables = {0};
        expr_variables(arena, values[i], &variables);
        for (size_t j = 0; j < variables.length; j++)
            if (!is_known_to_stay(pipeline, func, variables.data[j]->name))
                vec_push(arena, &names, variables.data[j]->name);
    }
    return names;
}

/* Whole numbers around a constant. */
static ConstantInterval float_interval(Expr value) {
    enum { FAR = 1000000 };
    ConstantInterval interval = {0};
    double number = expr_is_constant(value) ? bits_to_double(value->type, value->bits) : NAN;
    if (number >= -FAR && number <= FAR) {
        interval.has_minimum = interval.has_maximum = true;
        interval.minimum = (int64_t)floor(number);
        interval.maximum = (int64_t)ceil(number);
    }
    return interval;
}

static void initial_intervals(const Pipeline *pipeline, Arena *arena, const Func *func,
                              const Exprs *facts, ConstantInterval *initial) {
    Simplifier *simplifier = simplifier_create(pipeline->pool, arena);
    for (size_t i = 0; i < facts->length; i++)
        simplifier_learn(simplifier, facts->data[i]);
    for (int i = 0; i < func->shape->components; i++) {
        Expr value = func->stages.data[0]->values[i];
        initial[i] = (ConstantInterval){0};
        if (type_is_machine_integer(func->shape->types[i]))
            initial[i] = simplify_interval(simplifier, value);
        if (type_is_float(value->type))
            initial[i] = float_interval(value);
    }
}

/* Returns the stage's values, with x in place of the func. With `with_condition`, x.i is the value
 * if the condition does not hold. False if the func is read elsewhere. */
static bool values_over_x(const Pipeline *pipeline, Arena *arena, const Func *func,
                          const Stage *stage, bool with_condition, Expr *values) {
    const FuncShape *shape = func->shape;
    Pool *pool = pipeline->pool;
    Expr x[ASSOCIATIVE_MAX], condition = NULL;
    for (int i = 0; i < shape->components; i++)
        x[i] = associative_x(pool, i, shape->types[i]);
    SelfReads self = {.func = func, .stage = stage, .x = x};
    if (with_condition)
        condition = expr_rewrite_alone(pool, arena, stage->predicate, replace_self, &self);
    for (int i = 0; i < shape->components; i++) {
        values[i] = expr_rewrite_alone(pool, arena, stage->values[i], replace_self, &self);
        if (condition)
            values[i] = expr_select(pool, condition, values[i], x[i]);
    }
    return !self.elsewhere;
}

/* Learns that the reduction variables lie in their domains, split ones included. */
static void learn_domain(Pool *pool, Arena *arena, Symbol name, const Extent *domain,
                         Exprs *facts) {
    Expr variable = expr_variable(pool, name, INDEX);
    Expr end = expr_add(pool, domain->minimum, domain->length);
    vec_push(arena, facts, expr_le(pool, domain->minimum, variable));
    vec_push(arena, facts, expr_lt(pool, variable, end));
}

static void learn_domains(Pool *pool, Arena *arena, const Stage *stage, Exprs *facts) {
    for (size_t i = 0; i < stage->reduction.length; i++) {
        const ReductionVariable *variable = &stage->reduction.data[i];
        learn_domain(pool, arena, variable->variable, &variable->interval, facts);
    }
    for (size_t i = 0; i < stage->splits.length; i++) {
        const ReductionSplit *split = &stage->splits.data[i];
        learn_domain(pool, arena, split->variable, &split->domain, facts);
    }
}

typedef struct Mentioned {
    Arena *arena;
    Exprs constants;
} Mentioned;

static void find_limit(void *data, Expr node) {
    Mentioned *mentioned = data;
    if (expr_is_constant(node) && type_is_machine_integer(node->type) && node->bits > 0)
        vec_push(mentioned->arena, &mentioned->constants, node);
}

/* Returns a proved upper bound on the length: by intervals, or a number in a fact. */
static int64_t most_of(Simplifier *simplifier, Pool *pool, Arena *arena, Expr length,
                       const Exprs *facts) {
    enum { TRIED = 16, FEW = 1 << 16 };
    ConstantInterval interval = simplify_interval(simplifier, length);
    int64_t most = interval.has_maximum && interval.maximum > 0 ? interval.maximum : 0;
    if (most <= FEW)
        return most;
    Mentioned mentioned = {arena, {0}};
    for (size_t i = 0; i < facts->length; i++)
        expr_visit(arena, facts->data[i], find_limit, &mentioned);
    for (size_t i = 0; i < mentioned.constants.length && i < TRIED; i++) {
        int64_t number = mentioned.constants.data[i]->bits;
        if (number < most && decide_proves_le(simplifier, length, expr_index(pool, number)))
            most = number;
    }
    return most;
}

/* Returns the most updates of one point; 0: unknown. */
static int64_t most_iterations(Pool *pool, Arena *arena, const Stage *stage, const Exprs *facts) {
    Simplifier *simplifier = simplifier_create(pool, arena);
    __int128 product = 1;
    for (size_t i = 0; i < facts->length; i++)
        simplifier_learn(simplifier, facts->data[i]);
    for (size_t i = 0; i < stage->reduction.length && product <= INT32_MAX; i++)
        product *=
            most_of(simplifier, pool, arena, stage->reduction.data[i].interval.length, facts);
    return product <= INT32_MAX ? (int64_t)product : 0;
}

/* Finds the first values of components whose definition contains only constants, parameters and the
 * like. */
static void first_values(const Pipeline *pipeline, Arena *arena, const Func *func, Expr *first) {
    for (int i = 0; i < func->shape->components; i++) {
        Expr value = func->stages.data[0]->values[i];
        Exprs variables = {0};
        expr_variables(arena, value, &variables);
        first[i] = expr_has_access(value) ? NULL : value;
        for (size_t j = 0; j < variables.length; j++)
            if (!is_known_to_stay(pipeline, func, variables.data[j]->name))
                first[i] = NULL;
    }
}

static Associativity ask(const Pipeline *pipeline, Arena *arena, const Func *func,
                         const Stage *stage, bool with_condition) {
    const FuncShape *shape = func->shape;
    Expr values[ASSOCIATIVE_MAX];
    if (!values_over_x(pipeline, arena, func, stage, with_condition, values))
        return refused(func, "it reads the func at another point than the one that it writes");
    StageSymbols varying = varying_names(pipeline, arena, func, values);
    ConstantInterval initial[ASSOCIATIVE_MAX];
    Expr first[ASSOCIATIVE_MAX];
    Exprs facts = {0};
    pipeline_startup_facts(pipeline, arena, &facts);
    learn_domains(pipeline->pool, arena, stage, &facts);
    AssociativeUpdate update = {.arity = shape->components,
                                .types = shape->types,
                                .values = values,
                                .reduction = varying.data,
                                .reduction_count = (int)varying.length,
                                .reassociation = pipeline->reassociation,
                                .facts = &facts,
                                .iterations =
                                    most_iterations(pipeline->pool, arena, stage, &facts)};
    if (stage->number == 1) { /* the result of an earlier update is unknown */
        initial_intervals(pipeline, arena, func, &facts, initial);
        update.initial = initial;
        first_values(pipeline, arena, func, first);
        update.first = first;
    }
    Associativity result = associative_update(pipeline->pool, arena, &update);
    result.has_condition = with_condition;
    return result;
}

/* A condition that does not read the func stays outside the operator, if there is an identity.
 * Otherwise it may be part of an operator with an identity, such as the last position with a
 * property. */
Associativity associative_stage(const Pipeline *pipeline, Arena *arena, const Func *func,
                                int stage_number) {
    const Stage *stage = func->stages.data[stage_number];
    const FuncShape *shape = func->shape;
    if (stage->writes)
        return refused(func, "it writes several places at once");
    if (shape->components > ASSOCIATIVE_MAX)
        return refused(func, "its tuple has more elements than are looked at");
    for (int i = 0; i < shape->dimensions; i++)
        if (reads_self(arena, func, stage->indices[i]))
            return refused(func, "where it writes depends on the func itself");
    if (!stage->predicate)
        return ask(pipeline, arena, func, stage, false);
    if (reads_self(arena, func, stage->predicate))
        return ask(pipeline, arena, func, stage, true);
    Associativity beside = ask(pipeline, arena, func, stage, false);
    if (beside.verdict == ASSOCIATIVE_YES && beside.has_identity)
        return beside;
    Associativity within = ask(pipeline, arena, func, stage, true);
    return within.verdict == ASSOCIATIVE_YES && within.has_identity ? within : beside;
}
