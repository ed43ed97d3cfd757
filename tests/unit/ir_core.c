/* Tests of expressions, walks and the statement tree. */
#include "ir/print.h"
#include "ir/stmt.h"
#include "ir/walk.h"

#include "suite.h"

#include <check.h>
#include <string.h>

static Context *context;
static Pool *pool;

static void setup(void) {
    context = context_create();
    pool = pool_create(context, context->arena);
}
static void teardown(void) {
    context_destroy(context);
}

static Symbol name(const char *text) {
    return context_symbol(context, text);
}
static Expr var(const char *text) {
    return expr_variable(pool, name(text), INDEX);
}
static Expr num(int64_t value) {
    return expr_index(pool, value);
}

START_TEST(equal_content_is_one_node) {
    Expr a = expr_add(pool, var("x"), expr_mul(pool, var("y"), num(3)));
    Expr b = expr_add(pool, var("x"), expr_mul(pool, var("y"), num(3)));
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, expr_add(pool, var("x"), expr_mul(pool, var("y"), num(4))));
    ck_assert_ptr_ne(var("x"), expr_variable(pool, name("x"), I32));
    for (int i = 0; i < 5000; i++)
        expr_add(pool, var("x"), num(i));
    ck_assert_ptr_eq(a, expr_add(pool, var("x"), expr_mul(pool, var("y"), num(3))));
    ck_assert_uint_eq(a->tree_size, 5);
    ck_assert_uint_eq(a->depth, 3);
}
END_TEST

START_TEST(commutative_operands_have_one_order) {
    ck_assert_ptr_eq(expr_add(pool, var("x"), var("y")), expr_add(pool, var("y"), var("x")));
    ck_assert_ptr_eq(expr_add(pool, num(3), var("x")), expr_add(pool, var("x"), num(3)));
    ck_assert_int_eq(expr_add(pool, num(3), var("x"))->arguments[1]->op, OP_CONSTANT);
    ck_assert_ptr_ne(expr_sub(pool, var("x"), var("y")), expr_sub(pool, var("y"), var("x")));
    Expr f = expr_variable(pool, name("f"), F32), g = expr_variable(pool, name("g"), F32);
    ck_assert_ptr_ne(expr_min(pool, f, g), expr_min(pool, g, f));
    ck_assert_ptr_eq(expr_binary(pool, OP_GT, var("x"), var("y")),
                     expr_lt(pool, var("y"), var("x")));
}
END_TEST

START_TEST(constants_fold_where_both_readings_agree) {
    ck_assert_ptr_eq(expr_add(pool, num(3), num(4)), num(7));
    ck_assert_ptr_eq(expr_div(pool, num(-7), num(2)), num(-4));
    ck_assert_int_eq(expr_div(pool, num(7), num(0))->op, OP_DIV);
    ck_assert_int_eq(expr_add(pool, num(INT64_MAX), num(1))->op, OP_ADD);
    Expr byte = expr_constant(pool, U8, 200);
    ck_assert_ptr_eq(expr_add(pool, byte, byte), expr_constant(pool, U8, 144));
    ck_assert_ptr_eq(expr_cast(pool, I8, byte), expr_constant(pool, I8, -56));
    ck_assert_ptr_eq(expr_cast(pool, U8, byte), byte);
    ck_assert(expr_is_true(expr_lt(pool, num(1), num(2))));
    ck_assert(expr_is_false(expr_eq(pool, num(1), num(2))));
}
END_TEST

START_TEST(order_is_structural_and_total) {
    Expr exprs[] = {var("b"),
                    var("a"),
                    num(2),
                    num(-1),
                    expr_add(pool, var("a"), num(1)),
                    expr_mul(pool, var("a"), var("b")),
                    expr_unary(pool, OP_NEG, var("z"))};
    int count = sizeof exprs / sizeof *exprs;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int ij = expr_compare(exprs[i], exprs[j]), ji = expr_compare(exprs[j], exprs[i]);
            ck_assert_int_eq(ij<0, ji> 0);
            ck_assert_int_eq(ij == 0, i == j);
        }
    ck_assert_int_lt(expr_compare(var("a"), var("b")), 0);
}
END_TEST

START_TEST(substitution_is_simultaneous_and_shares) {
    Expr e = expr_sub(pool, var("x"), var("y"));
    Substitution s = substitution_create(context->arena);
    substitution_add(&s, name("x"), var("y"));
    substitution_add(&s, name("y"), var("x"));
    ck_assert_ptr_eq(substitution_apply(pool, &s, e), expr_sub(pool, var("y"), var("x")));
    /* A tower that is 2^200 nodes as a tree. */
    Expr tower = var("x");
    for (int i = 0; i < 200; i++)
        tower = expr_binary(pool, OP_MAX, expr_mul(pool, tower, num(3)), tower);
    Expr changed = expr_substitute(pool, context->arena, tower, name("x"), var("q"));
    ck_assert(expr_mentions(context->arena, changed, name("q")));
    ck_assert(!expr_mentions(context->arena, changed, name("x")));
    ck_assert_uint_eq(changed->tree_size, UINT32_MAX);
}
END_TEST

/* A substitution leaves what has none of its names, also where another name shares a bit. */
START_TEST(expressions_say_what_they_hold) {
    Expr indices[] = {expr_max(pool, var("x"), num(0))};
    Expr access = expr_access(pool, name("f"), 0, INDEX, indices, 1);
    Expr sum = expr_add(pool, var("x"), expr_mul(pool, var("y"), num(3)));
    Expr hole = expr_hole(pool, (Hole){HOLE_MEM, HOLE_LENGTH, name("f"), 0, 0, 0, name("x")});
    ck_assert_int_eq(sum->holds, 0);
    ck_assert_int_eq(access->holds, HOLDS_ACCESS | HOLDS_CHOICE);
    ck_assert_int_eq(expr_div(pool, sum, var("y"))->holds, HOLDS_DIVISION | HOLDS_ERROR);
    ck_assert_int_eq(expr_cast(pool, I32, sum)->holds, HOLDS_NUMBER);
    ck_assert_int_eq(expr_add(pool, hole, expr_mod(pool, access, sum))->holds,
                     HOLDS_ACCESS | HOLDS_CHOICE | HOLDS_DIVISION | HOLDS_ERROR | HOLDS_HOLE);
    ck_assert(!expr_holds(sum, HOLDS_ACCESS | HOLDS_CHOICE | HOLDS_DIVISION | HOLDS_HOLE));
    for (int i = 0; i < 200; i++) {
        char text[16];
        snprintf(text, sizeof text, "n%d", i);
        ck_assert(!expr_mentions(context->arena, sum, name(text)));
        ck_assert_ptr_eq(expr_substitute(pool, context->arena, sum, name(text), num(1)), sum);
    }
}
END_TEST

START_TEST(walks_do_not_recurse) {
    Expr deep = var("x");
    for (int i = 0; i < 300000; i++)
        deep = expr_div(pool, deep, var("y"));
    Exprs variables = {0};
    expr_variables(context->arena, deep, &variables);
    ck_assert_uint_eq(variables.length, 2);
    ck_assert_ptr_eq(variables.data[0], var("x"));
    ck_assert(!expr_has_access(deep));
    Expr other = expr_substitute(pool, context->arena, deep, name("x"), var("z"));
    ck_assert_int_ne(expr_compare(deep, other), 0);
}
END_TEST

START_TEST(accesses_and_holes) {
    Expr indices[] = {var("x"), expr_add(pool, var("y"), num(1))};
    Expr access = expr_access(pool, name("f"), 1, F32, indices, 2);
    ck_assert(expr_has_access(expr_unary(pool, OP_NEG, access)));
    Hole hole = {HOLE_FOR, HOLE_LENGTH, name("f"), 2, 1, 0, name("x")};
    ck_assert_ptr_eq(expr_hole(pool, hole), expr_hole(pool, hole));
    ck_assert_str_eq(expr_text(context->arena, expr_hole(pool, hole)), "?for.f.z2.s1.x.len");
    hole = (Hole){HOLE_MEM, HOLE_MINIMUM, name("f"), 0, 0, 3, name("y")};
    ck_assert_str_eq(expr_text(context->arena, expr_hole(pool, hole)), "?mem.f.y.min'3");
    ck_assert_ptr_ne(expr_hole(pool, hole), expr_hole(pool, (Hole){HOLE_CPU, HOLE_MINIMUM,
                                                                   name("f"), 0, 0, 3, name("y")}));
}
END_TEST

START_TEST(buffer_fields_have_names) {
    Expr field = expr_buffer_field(pool, name("out.0"), FIELD_EXTENT, 3);
    ck_assert_str_eq(field->name->text, "out.0.extent.3");
    Symbol buffer;
    BufferField kind;
    int dimension;
    ck_assert(buffer_field_parse(context, field->name, &buffer, &kind, &dimension));
    ck_assert_ptr_eq(buffer, name("out.0"));
    ck_assert_int_eq(kind, FIELD_EXTENT);
    ck_assert_int_eq(dimension, 3);
    ck_assert(!buffer_field_parse(context, name("h.s1.x"), &buffer, &kind, &dimension));
    ck_assert(!buffer_field_parse(context, name(".min.0"), &buffer, &kind, &dimension));
    ck_assert(!buffer_field_parse(context, name("x"), &buffer, &kind, &dimension));
}
END_TEST

/* compute f: if c then (for x: f[x] <- x) else (let t = 3: f[t] <- t) */
static Program *small_program(void) {
    static Signature signature;
    static FuncShape shape;
    static Type type;
    type = I32;
    shape = (FuncShape){.name = name("f"), .dimensions = 1, .components = 1, .types = &type};
    shape.variables[0] = name("x");
    signature = (Signature){.name = name("p"), .by_name = map_create(context->arena)};
    vec_push(context->arena, &signature.funcs, &shape);
    map_put(&signature.by_name, shape.name, &shape);
    Program *program = program_create(pool, context->arena, &signature);
    Stmt *compute = stmt_create(program, STMT_COMPUTE, NOWHERE);
    compute->compute.func = &shape;
    compute->compute.intervals = arena_array(context->arena, Extent, 1);
    compute->compute.intervals[0] = (Extent){num(0), num(10)};
    block_append(&program->body, compute);
    program_register(program, compute);
    Stmt *branch = stmt_create(program, STMT_IF, NOWHERE);
    branch->branch.condition = expr_lt(pool, var("c"), num(1));
    block_append(&compute->compute.body, branch);
    Stmt *loop = stmt_create(program, STMT_FOR, NOWHERE);
    loop->loop.name = (LoopName){.func = shape.name, .variable = name("x")};
    loop->loop.binder = loop_symbol(context, &loop->loop.name);
    loop->loop.interval = (Extent){num(0), num(10)};
    block_append(&branch->branch.body, loop);
    Stmt *let = stmt_create(program, STMT_LET, NOWHERE);
    let->let.binder = name("t");
    let->let.value = num(3);
    block_append(&branch->branch.otherwise, let);
    for (int i = 0; i < 2; i++) {
        Stmt *store = stmt_create(program, STMT_STORE, NOWHERE);
        store->store.func = &shape;
        store->store.indices = arena_array(context->arena, Expr, 1);
        store->store.values = arena_array(context->arena, Expr, 1);
        store->store.indices[0] = var(i ? "t" : "f.s0.x");
        store->store.values[0] = expr_cast(pool, I32, store->store.indices[0]);
        block_append(i ? &let->let.body : &loop->loop.body, store);
    }
    return program;
}

static bool count_statement(void *data, Stmt *stmt) {
    ((int *)data)[stmt->kind]++;
    return true;
}

START_TEST(visiting_goes_through_both_branches) {
    Program *program = small_program();
    int entered[STMT_LABEL + 1] = {0};
    block_visit(&program->body, &(StmtVisitor){entered, count_statement, NULL});
    ck_assert_int_eq(entered[STMT_STORE], 2);
    ck_assert_int_eq(entered[STMT_COMPUTE] + entered[STMT_IF] + entered[STMT_FOR], 3);
    ck_assert_int_eq(entered[STMT_LET], 1);
}
END_TEST

START_TEST(a_copy_has_binders_of_its_own) {
    Program *program = small_program();
    Stmt *compute = program->body.first;
    Stmt *copy = stmt_copy(program, compute);
    stmt_insert_after(compute, copy);
    ck_assert_uint_eq(program_func(program, name("f"))->computes.length, 2);
    Stmt *loop = copy->compute.body.first->branch.body.first;
    ck_assert_str_eq(loop->loop.binder->text, "f.s0.x'2");
    ck_assert_ptr_eq(loop->loop.body.first->store.indices[0], var("f.s0.x'2"));
    Stmt *let = copy->compute.body.first->branch.otherwise.first;
    ck_assert_ptr_eq(let->let.body.first->store.indices[0], var("t'2"));
    /* The original is as it was, and stands where it stood. */
    Stmt *original = compute->compute.body.first->branch.body.first;
    ck_assert_ptr_eq(original->loop.body.first->store.indices[0], var("f.s0.x"));
    ck_assert_ptr_eq(program->body.first, compute);
    ck_assert_ptr_eq(compute->next, copy);
    ck_assert_ptr_eq(copy->previous, compute);
    ck_assert(stmt_is_inside(loop->loop.body.first, copy));
    ck_assert(!stmt_is_inside(loop->loop.body.first, compute));
    Stmt *third = stmt_copy(program, copy);
    ck_assert_str_eq(third->compute.body.first->branch.body.first->loop.binder->text, "f.s0.x'3");
}
END_TEST

START_TEST(blocks_link_and_unlink) {
    Program *program = small_program();
    Block *block = &program->body;
    Stmt *a = stmt_create(program, STMT_NOP, NOWHERE), *b = stmt_create(program, STMT_NOP, NOWHERE);
    Stmt *first = block->first;
    block_prepend(block, a);
    stmt_insert_before(first, b);
    ck_assert_ptr_eq(block->first, a);
    ck_assert_ptr_eq(a->next, b);
    ck_assert_ptr_eq(b->next, first);
    stmt_unlink(b);
    ck_assert_ptr_eq(a->next, first);
    stmt_unlink(first);
    ck_assert_ptr_eq(block->last, a);
    block_append(block, first);
    Block other = {0};
    block_move_all(&other, block);
    ck_assert_ptr_null(block->first);
    ck_assert_ptr_eq(other.last, first);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("core");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, equal_content_is_one_node);
    tcase_add_test(tests, commutative_operands_have_one_order);
    tcase_add_test(tests, constants_fold_where_both_readings_agree);
    tcase_add_test(tests, order_is_structural_and_total);
    tcase_add_test(tests, substitution_is_simultaneous_and_shares);
    tcase_add_test(tests, expressions_say_what_they_hold);
    tcase_add_test(tests, walks_do_not_recurse);
    tcase_add_test(tests, accesses_and_holes);
    tcase_add_test(tests, buffer_fields_have_names);
    tcase_add_test(tests, visiting_goes_through_both_branches);
    tcase_add_test(tests, a_copy_has_binders_of_its_own);
    tcase_add_test(tests, blocks_link_and_unlink);
    return run_suite("ir core", tests);
}
