/* Random expressions, printed and read back: the same nodes, whatever the operators, types,
 * constants and sharing.  As a line of text (expr_text, expr_read), and inside a program, where
 * large shared parts and deep nests get lines of their own. */
#include "ir/print.h"
#include "ir/read.h"
#include "ir/walk.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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

static uint64_t state;
static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static size_t below(size_t limit) {
    return (size_t)(random_word() % limit);
}

/* The nodes made so far, by type. */
typedef struct Nodes {
    Exprs by_type[TYPE_COUNT];
} Nodes;

static Type random_type(void) {
    return type_by_number((int)below(TYPE_COUNT));
}

static Expr remember(Nodes *nodes, Expr expr) {
    vec_push(arena, &nodes->by_type[type_number(expr->type)], expr);
    return expr;
}

static Expr random_leaf(Nodes *nodes, Type type) {
    static const int64_t edges[] = {0, 1, -1, 2, 127, 128, 255, 256, -128};
    if (below(3) == 0)
        return remember(nodes, expr_constant(pool, type, edges[below(9)]));
    if (below(3) == 0)
        return remember(nodes, expr_constant(pool, type, (Bits)random_word()));
    Symbol name = symbol_format(&context->symbols, "p.%s", type_name(type));
    return remember(
        nodes, expr_variable(pool, type_is_index(type) ? context_symbol(context, "in.min.0") : name,
                             type));
}

/* One of the last few nodes of the type, so that graphs get deep, or any, so that they share. */
static Expr random_node(Nodes *nodes, Type type) {
    const Exprs *known = &nodes->by_type[type_number(type)];
    if (known->length == 0 || below(8) == 0)
        return random_leaf(nodes, type);
    size_t recent = known->length < 4 ? known->length : 4;
    return known->data[below(2) ? below(known->length) : known->length - 1 - below(recent)];
}

static Expr random_access(Nodes *nodes) {
    Expr indices[2] = {random_node(nodes, INDEX), random_node(nodes, INDEX)};
    if (below(2))
        return expr_access(pool, context_symbol(context, "in"), 0, U8, indices, 2);
    int component = (int)below(2);
    return expr_access(pool, context_symbol(context, "f"), component, component ? F64 : I32,
                       indices, 1);
}

static Expr random_hole(void) {
    Hole hole = {(HoleKind)below(3),
                 (HoleEnd)below(2),
                 context_symbol(context, "f"),
                 (int)below(3),
                 0,
                 (int)below(3),
                 context_symbol(context, "x")};
    hole.stage = hole.kind == HOLE_FOR ? (int)below(12) : 0;
    return expr_hole(pool, hole);
}

/* An operator on operands of fitting types; null where none was found. */
static Expr random_operation(Nodes *nodes) {
    Op op = (Op)below(OP_COUNT);
    const OpInfo *info = op_info(op);
    Type type = random_type(), operands[] = {type, type, type}, result = random_type();
    if (info->types == TYPES_CHOOSE)
        operands[0] = BOOL;
    if ((info->types == TYPES_WEIGHT || info->types == TYPES_SHIFTED) && type.kind == TYPE_INT)
        operands[2].kind = TYPE_UINT;
    if (!op_result_type(op, operands, &result))
        return NULL;
    Expr arguments[OP_MAX_ARITY];
    for (int i = 0; i < info->arity; i++)
        arguments[i] = random_node(nodes, operands[i]);
    return info->types == TYPES_CONVERT ? expr_convert(pool, op, result, arguments[0])
                                        : expr_apply(pool, op, arguments);
}

static Expr grow(Nodes *nodes, int operations) {
    Expr last = random_leaf(nodes, random_type());
    for (int i = 0; i < operations; i++) {
        Expr next = below(12) == 0   ? random_access(nodes)
                    : below(30) == 0 ? random_hole()
                                     : random_operation(nodes);
        if (next)
            last = remember(nodes, next);
    }
    return last;
}

static bool types(void *data, Symbol name, Type *type) {
    (void)data;
    *type = strcmp(name->text, "in") == 0    ? U8
            : strcmp(name->text, "f") == 0   ? I32
            : strcmp(name->text, "f.1") == 0 ? F64
                                             : INDEX;
    if (strncmp(name->text, "p.", 2) == 0)
        ck_assert(type_from_name(name->text + 2, type));
    return true;
}

START_TEST(expressions_on_a_line) {
    int checked = 0;
    for (int round = 0; round < 3000; round++) {
        begin();
        state = (uint64_t)round * 7919 + 1;
        Nodes nodes = {0};
        Expr expr = grow(&nodes, 1 + (int)below(60));
        if (expr->tree_size < 5000 && expr->depth < 80) {
            char *text = expr_text(arena, expr);
            Expr back = expr_read(pool, text, strlen(text), types, NULL, NOWHERE);
            ck_assert_msg(back == expr, "round %d: %s", round, text);
            checked++;
        }
        end();
    }
    ck_assert_int_gt(checked, 2000);
}
END_TEST

/* A program with one let whose value is the expression. */
static char *program_with(Expr expr, Program **program) {
    const char *text = "pipeline p(in: image<u8, 2>";
    for (int i = 0; i < TYPE_COUNT - 1; i++) /* index is no parameter's */
        text = arena_format(arena, "%s, p.%s: %s", text, type_name(type_by_number(i)),
                            type_name(type_by_number(i)));
    text = arena_format(arena,
                        "%s) -> ()\n"
                        "  func f(x): {i32, f64}\n"
                        "  allocate f: {i32, f64} [(0, 9)]\n"
                        "  compute f on [(0, 9)]\n"
                        "  let v = 0 in\n",
                        text);
    *program = program_read(pool, arena, context_add_file(context, "t", text, strlen(text)));
    diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(*program);
    (*program)->body.last->let.value = expr;
    return program_text(arena, *program);
}

static void check_program(Expr expr, const char *what) {
    Program *program;
    char *text = program_with(expr, &program);
    Program *back = program_read(pool, arena, context_add_file(context, "t", text, strlen(text)));
    diag_print_all(context, stderr);
    ck_assert_msg(back && back->body.last->let.value == expr, "%s:\n%s", what, text);
    ck_assert_str_eq(program_text(arena, back), text);
}

START_TEST(expressions_in_programs) {
    for (int round = 0; round < 600; round++) {
        begin();
        state = (uint64_t)round * 104729 + 5;
        Nodes nodes = {0};
        Expr expr = grow(&nodes, 1 + (int)below(round % 10 ? 80 : 1500));
        check_program(expr, arena_format(arena, "round %d", round));
        end();
    }
}
END_TEST

/* Text stays linear in the graph, and flat enough to be read, for what would be a tree of 2^200
 * nodes and for a nest of 20,000. */
START_TEST(sharing_and_depth) {
    begin();
    Expr x = expr_variable(pool, context_symbol(context, "in.min.0"), INDEX), e = x;
    for (int i = 0; i < 200; i++)
        e = expr_add(pool, expr_mul(pool, e, e), expr_index(pool, 3));
    check_program(e, "doubling");
    Program *program;
    ck_assert_uint_lt(strlen(program_with(e, &program)), 12000);
    for (int i = 0; i < 20000; i++)
        e = expr_sub(pool, expr_index(pool, i), expr_min(pool, x, e));
    check_program(e, "nest");
    ck_assert_uint_lt(strlen(program_with(e, &program)), 20000 * 40);
    end();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("roundtrip");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, expressions_on_a_line);
    tcase_add_test(cases, expressions_in_programs);
    tcase_add_test(cases, sharing_and_depth);
    return run_suite("roundtrip", cases);
}
