/* trial.c -- tries a result for an update before returning it.
 *
 * The proof of an operator and its use may disagree. The use assumes that y ranges over the values
 * of stretches, that a stretch may begin with the identity, and that the func's first values are as
 * assumed. So this file runs four iterations at random values, in order, and the third and fourth
 * also as separate stretches:
 *
 *     s <- u(u(s, 1), 2)          then u(u(s, 3), 4) is
 *                                   op(s, u(u(identity, 3), 4))
 *                                   op(op(s, u(identity, 3)), op(identity, u(identity, 4)))
 *                                   op(s, u(injected 3, 4)), without an identity
 *     s <- u(u(u(s, 1), 2), 3)    then u(s, 4) is op(s, injected 4)
 *
 * A read is an unknown, a different one in each iteration unless it is loop-invariant. Unknowns lie
 * in their intervals, and points that violate a fact do not count. A result that fails is wrong,
 * whatever its source, and is dropped. A result that passes is not thereby right: that needs a
 * proof. Instances of table entries are not tried.
 */
#include "associative/internal.h"

enum { STEPS = 4, ROUNDS = 4, LARGEST = 300 };

typedef struct Unknown {
    Expr variable;
    ConstantInterval interval;
} Unknown;

typedef struct StretchTrial {
    Recogniser *r;
    Plan plan;
    Map names[STEPS + 1]; /* by iteration, and (0) loop-invariant: node -> variable */
    Vec(Unknown) unknowns;
    int step; /* the step being named */
    Exprs valid, sides[2];
} StretchTrial;

/* ---- unknowns ---- */

static Expr add_unknown(StretchTrial *trial, Type type, ConstantInterval interval) {
    Pool *pool = trial->r->pool;
    Symbol name = symbol_format(&pool->context->symbols, "trial.%zu", trial->unknowns.length);
    Unknown unknown = {expr_variable(pool, name, type), interval};
    vec_push(trial->r->arena, &trial->unknowns, unknown);
    return unknown.variable;
}

static bool varies(const Recogniser *r, Symbol name) {
    for (int i = 0; i < r->update->reduction_count; i++)
        if (r->update->reduction[i] == name)
            return true;
    return false;
}

static bool is_element(const Recogniser *r, Expr node) {
    for (int i = 0; i < r->update->arity; i++)
        if (node == r->x[i] || node == r->y[i])
            return true;
    return false;
}

/* Reads at renamed places are renamed alike. */
static Expr name_unknown(void *data, Pool *pool, Expr node) {
    StretchTrial *trial = data;
    (void)pool;
    if ((node->op != OP_VARIABLE && node->op != OP_ACCESS) || is_element(trial->r, node))
        return node;
    for (size_t i = 0; node->op == OP_VARIABLE && i < trial->unknowns.length; i++)
        if (trial->unknowns.data[i].variable == node)
            return node;
    bool is_own = node->op == OP_VARIABLE && varies(trial->r, node->name);
    Map *names = &trial->names[is_own ? trial->step : 0];
    Expr known = map_get(names, node);
    if (known)
        return known;
    ConstantInterval interval = {0};
    if (type_is_index(node->type) || type_is_machine_integer(node->type))
        interval = simplify_interval(trial->r->simplifier, node);
    known = add_unknown(trial, node->type, interval);
    map_put(names, node, known);
    return known;
}

static Expr name_all(StretchTrial *trial, int step, Expr expr) {
    trial->step = step;
    return expr_rewrite_alone(trial->r->pool, trial->r->arena, expr, name_unknown, trial);
}

/* ---- iterations and merges ---- */

typedef struct Tuple {
    Expr elements[ASSOCIATIVE_MAX];
} Tuple;

static Tuple named_tuple(StretchTrial *trial, int step, const Expr *elements) {
    Tuple tuple;
    for (int i = 0; i < trial->r->update->arity; i++)
        tuple.elements[i] = name_all(trial, step, elements[i]);
    return tuple;
}

static Tuple run(StretchTrial *trial, int step, const Tuple *x) {
    Recogniser *r = trial->r;
    Elements all = elements_of(r, UINT32_MAX);
    Tuple update = named_tuple(trial, step, r->update->values);
    for (int i = 0; i < r->update->arity; i++)
        update.elements[i] = with_elements(r, &all, r->x, x->elements, update.elements[i]);
    return update;
}

static Tuple merge(StretchTrial *trial, const Associativity *answer, const Tuple *x,
                   const Tuple *y) {
    Recogniser *r = trial->r;
    Tuple merged;
    for (int i = 0; i < r->update->arity; i++)
        merged.elements[i] =
            associative_apply(r->pool, r->arena, answer, i, x->elements, y->elements);
    return named_tuple(trial, 0, merged.elements);
}

static void expect_same(StretchTrial *trial, const Tuple *one, const Tuple *other) {
    for (int i = 0; i < trial->r->update->arity; i++) {
        vec_push(trial->r->arena, &trial->sides[0], one->elements[i]);
        vec_push(trial->r->arena, &trial->sides[1], other->elements[i]);
    }
}

/* The func's values before the first of these iterations. */
static Tuple first_tuple(StretchTrial *trial) {
    const AssociativeUpdate *update = trial->r->update;
    Tuple tuple;
    for (int i = 0; i < update->arity; i++) {
        ConstantInterval interval = {0};
        bool has_interval = update->initial && !type_is_float(update->types[i]);
        tuple.elements[i] = update->first && update->first[i]
                                ? name_all(trial, 0, update->first[i])
                                : add_unknown(trial, update->types[i],
                                              has_interval ? update->initial[i] : interval);
    }
    return tuple;
}

/* Names the values injected by the third and the fourth iteration. False if their reads have other
 * forms than in the update, and would be other unknowns. */
static bool name_injected(StretchTrial *trial, const Associativity *answer, Tuple *third,
                          Tuple *fourth) {
    size_t count = trial->unknowns.length;
    *third = named_tuple(trial, 3, answer->injected);
    *fourth = named_tuple(trial, 4, answer->injected);
    bool is_known = trial->unknowns.length == count;
    trial->unknowns.length = count;
    return is_known;
}

static void expect_of_identity(StretchTrial *trial, const Associativity *answer, const Tuple *s) {
    Tuple identity = named_tuple(trial, 0, answer->identity);
    Tuple third = run(trial, 3, &identity), fourth = run(trial, 4, &identity);
    Tuple both = run(trial, 4, &third), merged = merge(trial, answer, &s[2], &both);
    expect_same(trial, &s[4], &merged);
    fourth = merge(trial, answer, &identity, &fourth);
    merged = merge(trial, answer, &s[2], &third);
    merged = merge(trial, answer, &merged, &fourth);
    expect_same(trial, &s[4], &merged);
    merged = merge(trial, answer, &s[4], &identity);
    expect_same(trial, &s[4], &merged);
}

static void expect_all(StretchTrial *trial, const Associativity *answer) {
    Tuple s[STEPS + 1] = {first_tuple(trial)}, third, fourth;
    for (int step = 1; step <= STEPS; step++)
        s[step] = run(trial, step, &s[step - 1]);
    if (answer->has_identity)
        expect_of_identity(trial, answer, s);
    if (name_injected(trial, answer, &third, &fourth)) {
        Tuple merged = merge(trial, answer, &s[3], &fourth);
        expect_same(trial, &s[4], &merged);
        if (!answer->has_identity) { /* a stretch begins with it */
            fourth = run(trial, 4, &third);
            merged = merge(trial, answer, &s[2], &fourth);
            expect_same(trial, &s[4], &merged);
        }
    }
    if (answer->is_commutative) {
        Tuple turned = run(trial, 2, &s[0]);
        turned = run(trial, 1, &turned);
        expect_same(trial, &s[2], &turned);
    }
}

/* ---- points ---- */

/* Does the trial contain all unknowns of the fact? */
static bool is_about_unknowns(StretchTrial *trial, int step, Expr fact) {
    Exprs variables = {0};
    expr_variables(trial->r->arena, fact, &variables);
    for (size_t i = 0; i < variables.length; i++)
        if (!map_get(&trial->names[0], variables.data[i]) &&
            !map_get(&trial->names[step], variables.data[i]))
            return false;
    return !expr_has_access(fact);
}

static void use_facts(StretchTrial *trial) {
    const Exprs *facts = trial->r->update->facts;
    for (int step = 1; step <= STEPS; step++)
        for (size_t i = 0; facts && i < facts->length; i++)
            if (is_about_unknowns(trial, step, facts->data[i]))
                vec_push(trial->r->arena, &trial->valid, name_all(trial, step, facts->data[i]));
}

static Bits put_within(Type type, ConstantInterval interval, Bits bits) {
    if (type_is_machine_integer(type) && type.bits == 64 && !type_is_signed(type))
        return bits; /* its intervals cannot be distinguished from signed ones */
    int64_t beside = (int64_t)((uint64_t)bits & 7);
    bool below = interval.has_minimum && bits < interval.minimum,
         above = interval.has_maximum && bits > interval.maximum;
    if (!below && !above)
        return bits;
    bits = below ? interval.minimum : interval.maximum;
    bits += below ? beside : -beside;
    if (interval.has_maximum && bits > interval.maximum)
        return interval.maximum;
    return interval.has_minimum && bits < interval.minimum ? interval.minimum : bits;
}

static void draw_unknowns(StretchTrial *trial, uint64_t *state) {
    for (size_t i = 0; i < trial->unknowns.length; i++) {
        const Unknown *unknown = &trial->unknowns.data[i];
        Type type = unknown->variable->type;
        Bits *column = plan_column(&trial->plan, unknown->variable);
        plan_draw(state, type_is_index(type) ? I32 : type, column);
        for (int point = 0; point < PLAN_BATCH && !type_is_float(type); point++)
            column[point] = put_within(type, unknown->interval, column[point]);
    }
}

static bool is_valid(StretchTrial *trial, int point) {
    for (size_t i = 0; i < trial->valid.length; i++)
        if (!plan_column(&trial->plan, trial->valid.data[i])[point])
            return false;
    return true;
}

static bool agrees_at(StretchTrial *trial, int point) {
    for (size_t i = 0; i < trial->sides[0].length; i++) {
        Expr one = trial->sides[0].data[i], other = trial->sides[1].data[i];
        if (!bits_same(one->type, plan_column(&trial->plan, one)[point],
                       plan_column(&trial->plan, other)[point]))
            return false;
    }
    return true;
}

static bool is_small(const AssociativeUpdate *update) {
    uint64_t size = 0;
    for (int i = 0; i < update->arity; i++)
        size += update->values[i]->tree_size;
    return size <= LARGEST;
}

bool stands_trial(Recogniser *r, const Associativity *answer) {
    StretchTrial trial = {.r = r, .plan = plan_create(r->arena)};
    const AssociativeUpdate *update = r->update;
    bool is_conditional = answer->not_negative || answer->positive;
    if (!answer->is_exact || is_conditional || !is_small(update) ||
        (update->iterations > 0 && update->iterations < STEPS))
        return true;
    for (int step = 0; step <= STEPS; step++)
        trial.names[step] = map_create(r->arena);
    expect_all(&trial, answer);
    use_facts(&trial);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < trial.sides[side].length; i++)
            plan_column(&trial.plan, trial.sides[side].data[i]);
    for (size_t i = 0; i < trial.valid.length; i++)
        plan_column(&trial.plan, trial.valid.data[i]);
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        draw_unknowns(&trial, &state);
        plan_run(&trial.plan, PLAN_BATCH);
        for (int point = 0; point < PLAN_BATCH; point++)
            if (is_valid(&trial, point) && !agrees_at(&trial, point))
                return false;
    }
    return true;
}
