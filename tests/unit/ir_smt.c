/* SMT terms: a solver finds of each operator what the evaluator computes, and proves what holds.
 * Without Z3 that is skipped (77), after what needs no solver. */
#include "ir/smt.h"

#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Context *context;
static Arena *arena;
static Pool *pool;

static void begin(void) {
    context = context_create();
    arena = context->arena;
    pool = pool_create(context, arena);
}

static void end(void) {
    context_destroy(context);
}

static Expr variable(const char *name, Type type) {
    return expr_variable(pool, context_symbol(context, name), type);
}

/* The solver's answers, one a `(check-sat)`; counts those that are not `wanted`. */
static int answers_other_than(const char *wanted, const char *script, int *count) {
    char path[] = "/tmp/ir_smt_XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    FILE *out = fdopen(file, "w");
    fputs(script, out);
    fclose(out);
    FILE *in = popen(arena_format(arena, "z3 -smt2 %s", path), "r");
    ck_assert_ptr_nonnull(in);
    char line[4096];
    int others = 0;
    *count = 0;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, wanted) != 0 && others++ == 0)
            fprintf(stderr, "answer %d: %s\n", *count, line);
        ++*count;
    }
    pclose(in);
    unlink(path);
    return others;
}

static bool has_solver(void) {
    return system("z3 --version > /dev/null 2>&1") == 0;
}

static uint64_t state = 99;
static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static Bits random_bits(Type type, int i) {
    static const int64_t edges[] = {0, 1, -1, 2, -2, 3, 7, 8, 15, 16, 31, 32, 63, 64};
    if (i % 3 == 0)
        return bits_wrap(type, edges[random_word() % (sizeof edges / sizeof *edges)]);
    if (i % 7 == 1 && !type_is_bool(type))
        return bits_wrap(type, i % 2 ? type_minimum(type) : type_maximum(type));
    Bits bits = (Bits)random_word();
    return bits_wrap(type, type_is_index(type) ? bits >> 34 : bits);
}

/* The claim `op(x, y, z) == what the evaluator says` under the operands' values; "" where the total
 * arithmetic leaves the index range. */
static const char *query(Expr term, const Type *operands, const Bits *values) {
    Op op = (Op)term->op;
    Value value = value_apply(op, term->type, operands, values, NULL);
    if (value.error == ERROR_INDEX)
        return "";
    static const char *const names[] = {"x", "y", "z"};
    const char *bindings = "";
    for (int i = 0; i < op_info(op)->arity; i++)
        bindings = arena_format(arena, "%s(|%s| %s)", bindings, names[i],
                                smt_constant(arena, operands[i], values[i]));
    return arena_format(arena, "(push)(assert (let (%s) (distinct %s %s)))(check-sat)(pop)\n",
                        bindings, smt_term(arena, term),
                        smt_constant(arena, term->type, value.bits));
}

typedef Vec(char) Script;

static void append(Script *script, const char *text) {
    for (; *text; text++)
        vec_push(arena, script, *text);
}

static bool has_float(const Type *operands, Type result) {
    return type_is_float(operands[0]) || type_is_float(operands[1]) || type_is_float(result);
}

static int add_queries(Script *script, Op op, Type *operands, Type result) {
    if (!op_result_type(op, operands, &result) || has_float(operands, result))
        return 0;
    Expr arguments[] = {variable("x", operands[0]), variable("y", operands[1]),
                        variable("z", operands[2])};
    Expr term = op_info(op)->types == TYPES_CONVERT ? expr_convert(pool, op, result, arguments[0])
                                                    : expr_apply(pool, op, arguments);
    if (term->op != (unsigned)op) /* `>`, a cast to the own type */
        return 0;
    for (int i = 0; i < 14; i++) {
        Bits values[3];
        for (int k = 0; k < 3; k++)
            values[k] = random_bits(operands[k], (int)(random_word() % 42));
        append(script, query(term, operands, values));
    }
    return 1;
}

START_TEST(operators_mean_what_the_evaluator_computes) {
    begin();
    Script script = {0};
    int operators = 0, count;
    for (int op = 0; op < OP_COUNT; op++) {
        const OpInfo *info = op_info((Op)op);
        for (int number = 0; number < TYPE_COUNT; number++) {
            Type type = type_by_number(number), operands[] = {type, type, type};
            if (info->types == TYPES_CONVERT) {
                for (int to = 0; to < TYPE_COUNT; to++)
                    operators += add_queries(&script, (Op)op, operands, type_by_number(to));
                continue;
            }
            if (info->types == TYPES_CHOOSE)
                operands[0] = BOOL;
            if ((info->types == TYPES_WEIGHT || info->types == TYPES_SHIFTED) &&
                type.kind == TYPE_INT)
                operands[2].kind = TYPE_UINT;
            operators += add_queries(&script, (Op)op, operands, INDEX);
        }
    }
    append(&script, "(exit)");
    vec_push(arena, &script, '\0');
    ck_assert_int_gt(operators, 350);
    ck_assert_int_eq(answers_other_than("unsat", script.data, &count), 0);
    ck_assert_int_gt(count, 4500);
    end();
}
END_TEST

START_TEST(validity) {
    begin();
    Expr x = variable("x", INDEX), y = variable("y", INDEX);
    Expr positive = expr_lt(pool, expr_index(pool, 0), y);
    Expr rest = expr_mod(pool, x, y);
    Expr claim = expr_and(pool, expr_le(pool, expr_index(pool, 0), rest), expr_lt(pool, rest, y));
    int count;
    ck_assert_int_eq(answers_other_than("unsat", smt_validity(arena, &positive, 1, claim), &count),
                     0);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(answers_other_than("sat", smt_validity(arena, NULL, 0, claim), &count), 0);
    ck_assert_int_eq(count, 1);
    /* Reads of one func at equal coordinates are equal; at others they need not be. */
    Symbol f = context_symbol(context, "f");
    Expr at_x = expr_access(pool, f, 0, I32, &x, 1), at_y = expr_access(pool, f, 0, I32, &y, 1);
    Expr equal = expr_eq(pool, x, y);
    claim = expr_eq(pool, at_x, at_y);
    ck_assert_int_eq(answers_other_than("unsat", smt_validity(arena, &equal, 1, claim), &count), 0);
    ck_assert_int_eq(answers_other_than("sat", smt_validity(arena, NULL, 0, claim), &count), 0);
    end();
}
END_TEST

START_TEST(shared_nodes_are_bound_once) {
    begin();
    Expr e = variable("x", I32);
    for (int i = 0; i < 200; i++)
        e = expr_add(pool, expr_mul(pool, e, e), variable("y", I32));
    ck_assert_uint_lt(strlen(smt_term(arena, e)), 200 * 80);
    Expr chain = variable("x", INDEX);
    for (int i = 0; i < 20000; i++)
        chain = expr_min(pool, expr_add(pool, chain, variable("y", INDEX)), expr_index(pool, i));
    ck_assert_uint_lt(strlen(smt_term(arena, chain)), 20000 * 120);
    end();
}
END_TEST

START_TEST(floats_have_no_term) {
    begin();
    Expr x = variable("x", F32);
    ck_assert_ptr_null(smt_term(arena, expr_lt(pool, x, x)));
    Expr claim = expr_lt(pool, x, expr_float(pool, F32, 1));
    ck_assert_ptr_null(smt_validity(arena, NULL, 0, claim));
    ck_assert_ptr_null(smt_declarations(arena, &x, 1));
    end();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("smt");
    tcase_set_timeout(cases, 120);
    bool solver = has_solver();
    if (solver) {
        tcase_add_test(cases, operators_mean_what_the_evaluator_computes);
        tcase_add_test(cases, validity);
    }
    tcase_add_test(cases, shared_nodes_are_bound_once);
    tcase_add_test(cases, floats_have_no_term);
    int failed = run_suite("smt", cases);
    if (!solver && !failed)
        printf("z3 is not installed: what terms mean was not tested\n");
    return failed ? 1 : solver ? 0 : 77;
}
