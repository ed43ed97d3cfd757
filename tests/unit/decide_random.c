/* Random conditions, decided and compared with their values at all points of a box, which for the
 * machine types of 8 bits is all there is: nothing is called valid that fails somewhere, nothing
 * unsatisfiable that holds somewhere; both witnesses of a contingent one are evaluated again;
 * linear conditions are always decided.  Arguments: how many conditions, the seed. */
#include "decide/decide.h"
#include "ir/print.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_COUNT 60
#else
#define DEFAULT_COUNT 1200
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

/* ---- conditions ---- */

enum { VARIABLES = 2, LEAST = -12, SIDE = 25 };
static Pool *pool;
static Type type; /* of all numbers in the condition */
static bool products;
static Expr variables[VARIABLES];

static Expr number(int64_t value) {
    return expr_constant(pool, type, value);
}

static Expr sum(int terms, int depth);
static Expr condition(int depth);

static Expr binary(Op op, Expr a, Expr b) {
    return expr_binary(pool, op, a, b);
}

static Expr term(int depth) {
    if (depth <= 0)
        return variables[below(VARIABLES)];
    Expr a = sum(2, depth - 1), b = sum(1, depth - 1);
    switch (below(products ? 9 : 7)) {
    case 0:
        return binary(OP_MIN, a, b);
    case 1:
        return binary(OP_MAX, a, b);
    case 2:
        return binary(OP_DIV, a, number(below(12) - 2));
    case 3:
        return binary(OP_MOD, a, number(below(12) - 2));
    case 4:
        return expr_select(pool, condition(depth - 1), a, b);
    case 5:
        return below(4) ? variables[below(VARIABLES)] : expr_unary(pool, OP_ABS, a);
    case 6:
        return variables[below(VARIABLES)];
    case 7:
        return binary(OP_MUL, a, b);
    default:
        return binary(below(2) ? OP_DIV : OP_MOD, a, b);
    }
}

static Expr sum(int terms, int depth) {
    Expr result = number(below(3) ? below(21) - 10 : 0);
    for (int i = 0; i < terms; i++) {
        Expr factor = number(below(2) ? 1 : below(9) - 4);
        result = binary(OP_ADD, result, binary(OP_MUL, term(depth), factor));
    }
    return result;
}

static Expr comparison(int depth) {
    static const Op ops[] = {OP_LT, OP_LE, OP_LE, OP_EQ, OP_NE};
    return binary(ops[below(5)], sum(2, depth), sum(1, depth));
}

static Expr condition(int depth) {
    switch (below(6)) {
    case 0:
        return binary(OP_AND, comparison(depth), comparison(depth));
    case 1:
        return binary(OP_OR, comparison(depth), comparison(depth));
    case 2:
        return expr_unary(pool, OP_NOT, comparison(depth));
    case 3:
        return binary(OP_EQ, comparison(depth), comparison(depth - 1));
    default:
        return comparison(depth);
    }
}

/* ---- values at all points ---- */

typedef struct Table {
    Arena *arena;
    size_t count;
    Bits *points[VARIABLES];
    Vec(Bits *) values; /* by node number */
    bool left_range;
} Table;

static Table table_create(Arena *arena) {
    int64_t least = LEAST, side = SIDE;
    if (!type_is_index(type)) {
        least = type_minimum(type);
        side = 256;
    }
    Table table = {.arena = arena, .count = (size_t)(side * side)};
    for (int i = 0; i < VARIABLES; i++)
        table.points[i] = arena_array(arena, Bits, table.count);
    for (size_t p = 0; p < table.count; p++) {
        table.points[0][p] = bits_wrap(type, least + (int64_t)p % side);
        table.points[1][p] = bits_wrap(type, least + (int64_t)p / side);
    }
    return table;
}

static void evaluate(void *data, Expr node) {
    Table *table = data;
    Bits *result = arena_array(table->arena, Bits, table->count);
    const Bits *arguments[OP_MAX_ARITY];
    Type operands[OP_MAX_ARITY];
    if (node->op == OP_CONSTANT) {
        for (size_t p = 0; p < table->count; p++)
            result[p] = node->bits;
    } else if (node->op == OP_VARIABLE) {
        result = table->points[node == variables[1]];
    } else {
        for (int i = 0; i < node->arity; i++) {
            operands[i] = node->arguments[i]->type;
            arguments[i] = table->values.data[node->arguments[i]->number];
        }
        if (value_apply_batch((Op)node->op, node->type, operands, table->count, result, arguments,
                              NULL, NULL) == ERROR_INDEX)
            table->left_range = true;
    }
    vec_reserve(table->arena, &table->values, node->number + 1);
    table->values.data[node->number] = result;
}

static const Bits *values_of(Table *table, Expr expr) {
    vec_reserve(table->arena, &table->values, pool->next_number);
    expr_visit(table->arena, expr, evaluate, table);
    return table->values.data[expr->number];
}

/* ---- comparison ---- */

typedef struct Tally {
    uint64_t verdicts[VERDICT_CONTINGENT + 1], undecided_linear, tight;
} Tally;

static bool complain(const char *what, Expr c, const Exprs *facts) {
    printf("%s: ", what);
    expr_print(stdout, c);
    for (size_t i = 0; i < facts->length; i++) {
        printf(", where ");
        expr_print(stdout, facts->data[i]);
    }
    printf(" (%s)\n", type_name(type));
    return false;
}

/* Does the condition have the value `wanted` at the witness? */
static bool is_witness(const Decision *decision, Expr c, const Bits *values, bool wanted) {
    Substitution substitution = substitution_create(pool->arena);
    for (size_t i = 0; i < decision->variables.length; i++)
        substitution_add(&substitution, decision->variables.data[i]->name,
                         expr_constant(pool, decision->variables.data[i]->type, values[i]));
    Expr value = substitution_apply(pool, &substitution, c);
    if (value->op != OP_CONSTANT) { /* a division by zero is not folded */
        Table table = {.arena = pool->arena, .count = 1};
        return (values_of(&table, value)[0] != 0) == wanted;
    }
    return (value->bits != 0) == wanted;
}

static bool check_decision(Table *table, Expr c, const Exprs *facts, Tally *tally) {
    bool holds = false, fails = false;
    const Bits *values = values_of(table, c), *allowed[2] = {NULL, NULL};
    for (size_t i = 0; i < facts->length; i++)
        allowed[i] = values_of(table, facts->data[i]);
    for (size_t p = 0; p < table->count; p++) {
        bool here = (!allowed[0] || allowed[0][p]) && (!allowed[1] || allowed[1][p]);
        holds |= here && values[p];
        fails |= here && !values[p];
    }
    Decision decision = decide(pool, pool->arena, c, facts, DECIDE_ALONE);
    tally->verdicts[decision.verdict]++;
    if (decision.verdict == VERDICT_UNKNOWN && getenv("SHOW"))
        complain("undecided", c, facts);
    if (decision.verdict == VERDICT_UNKNOWN)
        tally->undecided_linear += !products;
    if (table->left_range)
        return true;
    if (decision.verdict == VERDICT_VALID && fails)
        return complain("called valid, and fails somewhere", c, facts);
    if (decision.verdict == VERDICT_UNSATISFIABLE && holds)
        return complain("called unsatisfiable, and holds somewhere", c, facts);
    if (decision.holds_at && !is_witness(&decision, c, decision.holds_at, true))
        return complain("does not hold at its witness", c, facts);
    if (decision.fails_at && !is_witness(&decision, c, decision.fails_at, false))
        return complain("holds at its counter-example", c, facts);
    if ((decision.verdict == VERDICT_CONTINGENT) != (decision.holds_at && decision.fails_at))
        return complain("contingent without witnesses", c, facts);
    return true;
}

/* a <= b + k, with the least k for which it holds in the box: often valid, and with k - 1 never. */
static bool check_tight(Table *table, Tally *tally) {
    Exprs none = {0};
    Expr a = sum(2, 2), b = below(2) ? sum(2, 2) : binary(OP_ADD, a, term(1));
    const Bits *difference = values_of(table, binary(OP_SUB, a, b));
    int64_t k = INT64_MIN;
    for (size_t p = 0; p < table->count; p++)
        k = difference[p] > k ? difference[p] : k;
    if (table->left_range || !type_is_index(type))
        return true;
    tally->tight++;
    return check_decision(table, binary(OP_LE, a, binary(OP_ADD, b, number(k))), &none, tally) &&
           check_decision(table, binary(OP_LE, a, binary(OP_ADD, b, number(k - 1))), &none, tally);
}

static bool check_one(Context *context, Tally *tally) {
    static const char *const NAMES[] = {"x", "y"};
    Arena *arena = arena_create(&context->memory);
    int kind = below(16);
    pool = pool_create(context, arena);
    type = kind == 0 ? I8 : kind == 1 ? U8 : INDEX;
    products = kind >= 13;
    for (int i = 0; i < VARIABLES; i++)
        variables[i] = expr_variable(pool, context_symbol(context, NAMES[i]), type);
    Table table = table_create(arena);
    Exprs facts = {0};
    for (int i = below(4) - 1; i > 0; i--)
        vec_push(arena, &facts, comparison(0));
    bool good = below(3) ? check_decision(&table, condition(1 + below(2)), &facts, tally)
                         : check_tight(&table, tally);
    arena_destroy(arena);
    return good;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : DEFAULT_COUNT, bad = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
    Context *context = context_create();
    Tally tally = {0};
    for (int i = 0; i < count && bad < 10; i++)
        bad += !check_one(context, &tally);
    uint64_t *verdicts = tally.verdicts;
    printf("%d conditions: %llu valid, %llu unsatisfiable, %llu contingent, %llu undecided (%llu "
           "linear), %d bad\n",
           count, (unsigned long long)verdicts[VERDICT_VALID],
           (unsigned long long)verdicts[VERDICT_UNSATISFIABLE],
           (unsigned long long)verdicts[VERDICT_CONTINGENT],
           (unsigned long long)verdicts[VERDICT_UNKNOWN],
           (unsigned long long)tally.undecided_linear, bad);
    context_destroy(context);
    return bad != 0 || verdicts[VERDICT_VALID] < (uint64_t)count / 40 ||
           verdicts[VERDICT_UNSATISFIABLE] < (uint64_t)count / 100 ||
           verdicts[VERDICT_CONTINGENT] < (uint64_t)count / 4 ||
           tally.undecided_linear > (uint64_t)count / 100;
}
