/* Random expressions over all types and operators: the simplified one has the original's value at
 * edge values, also under a random fact where that holds; simplifying twice is simplifying once;
 * what is proved is true and what is refuted false; no expression uses up the engine's budget; what
 * each rule makes is less in the reduction order (decrease.c asserts it).  Vectors are evaluated in
 * a lane at random.  The number of expressions is the first argument (default 100000), the seed the
 * second. */
#include "ir/print.h"
#include "simplify/internal.h"
#include "tests/unit/share.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_COUNT 10000
#else
#define DEFAULT_COUNT 100000
#endif

static uint64_t state;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static int below(int limit) {
    return (int)(next_random() % (uint64_t)limit);
}

enum { VARIABLES = 3 };
static Pool *pool;
static Expr variables[TYPE_COUNT][VARIABLES];

static int64_t edge(Type type) {
    static const int64_t small[] = {0,  1,  -1, 2,  3,  4,   5,   7, 8,
                                    -2, -3, -8, 16, 12, 255, 256, 6, 100};
    if (type_is_float(type)) {
        static const double values[] = {
            0,     -0.0,         1,         -1,       0.5,   3,         -2.5,      1e10,
            300,   1e-40,        -1e-40,    2,        -2,    0.25,      16777216,  16777217,
            1e308, 0x1.fffffep0, 0x1p-126,  0x1p-149, 2.5,   -0.5,      0x1p-1022, -3e38,
            255.5, 0x1p127,      0x1p-1074, -128,     65535, 4294967296};
        switch (below(10)) {
        case 0:
            return bits_from_double(type, __builtin_nan(""));
        case 1:
            return bits_from_double(type, below(2) ? __builtin_inf() : -__builtin_inf());
        case 2: /* any bits at all */
            return bits_wrap(type, (int64_t)next_random());
        default:
            return bits_from_double(type, values[below(sizeof values / sizeof *values)]);
        }
    }
    int64_t value = small[below(18)];
    if (below(type_is_index(type) ? 30 : 4) == 0)
        value = below(2) ? type_minimum(type) : type_maximum(type);
    else if (below(6) == 0)
        value = (int64_t)next_random() >> (type_is_index(type) ? 34 : below(64));
    return bits_wrap(type, value);
}

static Type random_type(void) {
    if (below(8) == 0)
        return below(2) ? F32 : F64;
    return below(2) ? INDEX : type_by_number(below(TYPE_COUNT));
}

static Expr leaf(Type type) {
    if (type_is_float(type) && below(6) == 0) /* what rules speak of */
        return expr_float(pool, type, (double[]){0, -0.0, 1, -1, 2, 0.5}[below(6)]);
    if (below(3) == 0)
        return expr_constant(pool, type, edge(type));
    return variables[type_number(type)][below(VARIABLES)];
}

static bool defined_on(const OpInfo *info, Type type) {
    unsigned needed = type_is_bool(type)    ? ON_BOOL
                      : type_is_float(type) ? ON_FLOAT
                      : type_is_index(type) ? ON_INDEX
                                            : ON_INTEGER;
    return info->traits & needed;
}

/* Operators that carry the weight of index arithmetic come up more often. */
static Op random_op(void) {
    static const Op common[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_MIN, OP_MAX, OP_SELECT,
                                OP_LT,  OP_LE,  OP_EQ,  OP_NE,  OP_AND, OP_OR,  OP_NOT, OP_CAST};
    return below(4) ? common[below(16)] : (Op)below(OP_COUNT);
}

static Expr random_expr(Type type, int depth);

/* An application of `op` with result type `type`; null where that cannot be. */
static Expr application(Op op, Type type, int depth) {
    const OpInfo *info = op_info(op);
    Expr arguments[OP_MAX_ARITY];
    Type operands[OP_MAX_ARITY], operand = type;
    if (op == OP_GT || op == OP_GE || info->traits & FINZ)
        return NULL;
    if (info->types == TYPES_CONVERT || info->types == TYPES_COMPARE || info->types == TYPES_CLASS)
        operand = random_type();
    else if (info->types == TYPES_UNSIGNED || info->types == TYPES_WIDEN)
        operand = type_by_number(below(TYPE_COUNT));
    if (!defined_on(info, info->types == TYPES_CHOOSE ? type : operand))
        return NULL;
    for (int i = 0; i < info->arity; i++)
        operands[i] = operand;
    if (info->types == TYPES_CHOOSE)
        operands[0] = BOOL;
    if (info->types == TYPES_WEIGHT && !type_is_float(type))
        operands[2] = (Type){TYPE_UINT, type.bits, 1};
    if (info->types == TYPES_SHIFTED)
        operands[2] = (Type){TYPE_UINT, type.bits, 1};
    Type result = type;
    if (!op_result_type(op, operands, &result) || !type_equal(result, type))
        return NULL;
    for (int i = 0; i < info->arity; i++)
        arguments[i] = random_expr(operands[i], depth - 1);
    return info->types == TYPES_CONVERT ? expr_convert(pool, op, type, arguments[0])
                                        : expr_apply(pool, op, arguments);
}

static Expr random_expr(Type type, int depth) {
    for (int attempt = 0; depth > 0 && below(8) && attempt < 40; attempt++) {
        Expr result = application(random_op(), type, depth);
        if (result)
            return result;
    }
    return leaf(type);
}

static Expr linear(int terms, int depth);

static Expr index_variable(void) {
    return variables[type_number(INDEX)][below(VARIABLES)];
}

/* What a term of a bound is: an unknown, or min, max, select, quotient, remainder of sums. */
static Expr linear_term(int depth) {
    Expr a = depth > 0 ? linear(2, depth - 1) : index_variable();
    Expr b = depth > 0 ? linear(1, depth - 1) : index_variable();
    switch (below(10)) {
    case 0:
    case 1:
        return expr_binary(pool, below(2) ? OP_MIN : OP_MAX, a, b);
    case 2:
        return expr_binary(pool, below(2) ? OP_DIV : OP_MOD, a, expr_index(pool, below(9) - 2));
    case 3:
        return expr_select(pool, below(2) ? expr_le(pool, b, a) : variables[type_number(BOOL)][0],
                           a, b);
    case 4:
        return below(4) ? expr_mul(pool, index_variable(), index_variable())
                        : expr_binary(pool, below(2) ? OP_DIV : OP_MOD, a, b);
    default:
        return index_variable();
    }
}

/* A small sum of such terms, as bounds are. */
static Expr linear(int terms, int depth) {
    Expr sum = expr_index(pool, below(3) ? below(21) - 10 : 0);
    for (int i = 0; i < terms; i++) {
        Expr factor = expr_index(pool, below(2) ? 1 : below(9) - 4);
        sum = expr_add(pool, sum, expr_mul(pool, linear_term(depth), factor));
    }
    return sum;
}

static Expr linear_condition(int conjuncts) {
    static const Op ops[] = {OP_LT, OP_LE, OP_LE, OP_EQ};
    Expr result = NULL;
    for (int i = 0; i < conjuncts; i++) {
        Expr part = expr_binary(pool, ops[below(4)], linear(2, below(2)), linear(1, below(2)));
        result = result ? expr_binary(pool, below(4) ? OP_AND : OP_OR, result, part) : part;
    }
    return result;
}

static Expr random_condition(int depth) {
    return below(2) ? linear_condition(1 + below(3)) : random_expr(BOOL, 1 + below(depth));
}

enum { LANES = 5 };

static Expr random_vector(Type type, int depth);

/* Ramps and broadcasts with what bounds are made of in them. */
static Expr vector_leaf(Type type) {
    if (!type_is_index(type))
        return expr_broadcast(pool, random_expr(type, 2), LANES);
    Expr base = linear(1 + below(2), below(2));
    if (below(3) == 0)
        return expr_broadcast(pool, below(2) ? expr_index(pool, below(12) - 2) : base, LANES);
    Expr stride = below(4) ? expr_index(pool, below(10) - 3) : linear(1, 0);
    return expr_ramp(pool, base, stride, LANES);
}

static Expr random_vector(Type type, int depth) {
    static const Op numbers[] = {OP_ADD, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_MIN, OP_MAX};
    static const Op orders[] = {OP_LT, OP_LE, OP_EQ, OP_NE};
    if (depth <= 0 || below(5) == 0)
        return vector_leaf(type);
    if (below(6) == 0)
        return expr_select(pool, random_vector(BOOL, depth - 1), random_vector(type, depth - 1),
                           random_vector(type, depth - 1));
    if (type_is_bool(type) && below(2))
        return expr_binary(pool, orders[below(4)], random_vector(INDEX, depth - 1),
                           random_vector(INDEX, depth - 1));
    if (type_is_bool(type) && below(4) == 0)
        return expr_not(pool, random_vector(type, depth - 1));
    Op op = type_is_bool(type) ? (below(2) ? OP_AND : OP_OR) : numbers[below(8)];
    if (type_is_float(type) && op == OP_MOD)
        op = OP_SUB;
    return expr_binary(pool, op, random_vector(type, depth - 1), random_vector(type, depth - 1));
}

typedef struct Values {
    Arena *arena;
    int lane;       /* of vectors */
    Vec(Bits) bits; /* by node number */
    Bits variables[TYPE_COUNT][VARIABLES];
    bool left_range;
} Values;

static void evaluate(void *data, Expr node) {
    Values *values = data;
    Bits result = 0;
    if (node->op == OP_CONSTANT) {
        result = node->bits;
    } else if (node->op == OP_VARIABLE) {
        for (int i = 0; i < VARIABLES; i++)
            if (variables[type_number(node->type)][i] == node)
                result = values->variables[type_number(node->type)][i];
    } else if (node->op == OP_BROADCAST) {
        result = values->bits.data[node->arguments[0]->number];
    } else if (node->op == OP_RAMP) {
        Bits rise;
        values->left_range |=
            __builtin_mul_overflow(values->bits.data[node->arguments[1]->number],
                                   (Bits)values->lane, &rise) ||
            __builtin_add_overflow(values->bits.data[node->arguments[0]->number], rise, &result);
    } else {
        Type operands[OP_MAX_ARITY];
        Bits arguments[OP_MAX_ARITY];
        for (int i = 0; i < node->arity; i++) {
            operands[i] = node->arguments[i]->type;
            arguments[i] = values->bits.data[node->arguments[i]->number];
        }
        Value value = value_apply((Op)node->op, node->type, operands, arguments, NULL);
        result = value.bits;
        values->left_range |= value.error == ERROR_INDEX;
    }
    vec_reserve(values->arena, &values->bits, node->number + 1);
    values->bits.data[node->number] = result;
}

static Values random_point(Arena *scratch) {
    Values values = {.arena = scratch, .lane = below(LANES)};
    vec_reserve(scratch, &values.bits, pool->next_number);
    bool small = below(2);
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int i = 0; i < VARIABLES; i++)
            values.variables[t][i] =
                small && t == type_number(INDEX) ? below(31) - 15 : edge(type_by_number(t));
    return values;
}

static Bits value_at(Values *values, Expr expr) {
    expr_visit(values->arena, expr, evaluate, values);
    return values->bits.data[expr->number];
}

static void complain(const char *what, Expr expr, Expr simplified, Expr again) {
    printf("%s:\n  ", what);
    expr_print(stdout, expr);
    printf("\n  ");
    expr_print(stdout, simplified);
    if (again) {
        printf("\n  ");
        expr_print(stdout, again);
    }
    printf("\n");
}

typedef struct Tally {
    uint64_t values, facts, proofs;
} Tally;

/* Values before and after, and within the interval. */
static bool check_value(Simplifier *s, Expr expr, Tally *tally) {
    Expr simplified = simplify(s, expr);
    ConstantInterval interval = known_of(s, simplified)->interval;
    bool whole = !type_is_float(expr->type) && type_number(expr->type) != type_number(U64);
    for (int i = 0; i < 10; i++) {
        Values point = random_point(pool->arena);
        Bits before = value_at(&point, expr);
        if (point.left_range)
            continue;
        Bits after = value_at(&point, simplified);
        if (point.left_range)
            continue;
        tally->values++;
        if (!bits_same(expr->type, before, after)) {
            complain("another value", expr, simplified, NULL);
            return false;
        }
        if (whole && ((interval.has_minimum && after < interval.minimum) ||
                      (interval.has_maximum && after > interval.maximum))) {
            complain("outside of its interval", expr, simplified, NULL);
            return false;
        }
    }
    return true;
}

static bool check_stable(Simplifier *s, Expr expr) {
    Expr simplified = simplify(s, expr), again;
    if (s->exhausted) {
        complain("the budget is used up", expr, simplified, NULL);
        return false;
    }
    again = simplify(simplifier_create(pool, pool->arena), simplified);
    if (again != simplified)
        complain("simplifying again changes", expr, simplified, again);
    return again == simplified;
}

static bool check_fact(Simplifier *s, Expr expr, Expr fact, Tally *tally) {
    FactMark mark = simplifier_mark(s);
    simplifier_learn(s, fact);
    Expr simplified = simplify(s, expr);
    simplifier_release(s, mark);
    for (int i = 0; i < 10; i++) {
        Values point = random_point(pool->arena);
        if (!value_at(&point, fact))
            continue;
        Bits before = value_at(&point, expr), after = value_at(&point, simplified);
        if (point.left_range)
            continue;
        tally->facts++;
        if (!bits_same(expr->type, before, after)) {
            complain("another value under a fact (first)", fact, expr, simplified);
            return false;
        }
    }
    return true;
}

static bool check_proof(Simplifier *s, Expr fact, Expr condition, Tally *tally) {
    FactMark mark = simplifier_mark(s);
    simplifier_learn(s, fact);
    Proof proof = simplify_prove(s, condition);
    simplifier_release(s, mark);
    for (int i = 0; i < 10 && proof != PROOF_UNKNOWN; i++) {
        Values point = random_point(pool->arena);
        if (!value_at(&point, fact) || point.left_range)
            continue;
        bool truth = value_at(&point, condition);
        tally->proofs++;
        if (!point.left_range && truth != (proof == PROOF_HOLDS)) {
            complain("a wrong proof under a fact (first)", fact, condition, NULL);
            return false;
        }
    }
    return true;
}

static bool check_one(Context *context, Tally *tally) {
    Arena *arena = arena_create(&context->memory);
    pool = pool_create(context, arena);
    static const char *const names[] = {"x", "y", "z"};
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int i = 0; i < VARIABLES; i++) {
            const char *text = arena_format(arena, "%s_%s", names[i], type_name(type_by_number(t)));
            variables[t][i] = expr_variable(pool, context_symbol(context, text), type_by_number(t));
        }
    Expr expr = random_expr(random_type(), 1 + below(6));
    Expr fact = random_condition(3), condition = random_condition(4);
    if (below(2))
        expr = linear(1 + below(4), below(5));
    if (below(5) == 0)
        expr = random_vector(below(3) ? INDEX : below(2) ? BOOL : random_type(), 1 + below(4));
    Simplifier *s = simplifier_create(pool, arena);
    bool good = check_stable(s, expr) && check_value(s, expr, tally);
    if (good && below(2)) /* the costly part */
        good = check_fact(s, expr, fact, tally) && check_fact(s, condition, fact, tally) &&
               (below(2) || check_proof(s, fact, condition, tally));
    arena_destroy(arena);
    return good;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : DEFAULT_COUNT / share(), bad = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
    Context *context = context_create();
    context->checks_order = true;
    Tally tally = {0};
    for (int i = 0; i < count && bad < 10; i++)
        bad += !check_one(context, &tally);
    printf("%d expressions, %llu values, %llu under facts, %llu proofs, %d bad\n", count,
           (unsigned long long)tally.values, (unsigned long long)tally.facts,
           (unsigned long long)tally.proofs, bad);
    context_destroy(context);
    return bad != 0 || tally.values < (uint64_t)count || tally.facts < (uint64_t)count ||
           tally.proofs < (uint64_t)count / 20;
}
