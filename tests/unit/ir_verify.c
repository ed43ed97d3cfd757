/* The verifier accepts a well-formed program and names the invariant that a broken one breaks: each
 * case breaks one thing. */
#include "ir/print.h"
#include "ir/read.h"
#include "ir/verify.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "pipeline p(input: image<u8, 1>, w: i32) -> (h)\n"
                           "  func f(x): i32\n"
                           "  func h(x): i32\n"
                           "  assert w < 9:i32 else requirement_failed(\"w\", 3)\n"
                           "  allocate h: i32 [(0, 9)]\n"
                           "  allocate f: i32 [(0, 9)]\n"
                           "  compute f on [(0, 9)]\n"
                           "    label f\n"
                           "      label s0\n"
                           "        for f.s0.x in (0, 9) parallel do\n"
                           "          f[f.s0.x] <- i32(input[f.s0.x])\n"
                           "  compute h on [(0, 9)]\n"
                           "    label h\n"
                           "      label s0\n"
                           "        for h.s0.x in (0, 9) do\n"
                           "          let v in (0, 9) = h.s0.x*2 + 1 in\n"
                           "            if v < 9 then guard\n"
                           "              h[v] <- f[v] + w\n"
                           "      label s1\n"
                           "        for h.s1.r in (0, 9) reduction do\n"
                           "          h[h.s1.r] <- h[h.s1.r] + 1:i32\n";

static Context *context;
static Arena *arena;
static Pool *pool;
static Program *program;

static void begin(void) {
    context = context_create();
    arena = context->arena;
    pool = pool_create(context, arena);
    program = program_read(pool, arena, context_add_file(context, "t", text, strlen(text)));
    diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(program);
    ck_assert_ptr_null(program_verify(arena, program, false));
}

static void end(void) {
    context_destroy(context);
}

/* ---- finding and making ---- */

typedef struct Finding {
    StmtKind kind;
    int skip;
    Stmt *found;
} Finding;

static bool find(void *data, Stmt *stmt) {
    Finding *finding = data;
    if (stmt->kind == finding->kind && finding->skip-- == 0)
        finding->found = stmt;
    return true;
}

/* The n-th statement of a kind, in program order. */
static Stmt *nth(StmtKind kind, int n) {
    Finding finding = {kind, n, NULL};
    block_visit(&program->body, &(StmtVisitor){&finding, find, NULL});
    ck_assert_ptr_nonnull(finding.found);
    return finding.found;
}

static Expr variable(const char *name, Type type) {
    return expr_variable(pool, context_symbol(context, name), type);
}

/* A node as no constructor would build it. */
static Expr forged(Op op, Type type, Expr a, Expr b) {
    struct Node *node = arena_allocate(arena, sizeof *node + 2 * sizeof(Expr));
    *node =
        (struct Node){.type = type, .op = (uint16_t)op, .arity = 2, .number = pool->next_number++};
    node->arguments[0] = a;
    node->arguments[1] = b;
    return node;
}

static Expr read_of(const char *func, Expr index) {
    return expr_access(pool, context_symbol(context, func), 0, I32, &index, 1);
}

static Stmt *guarded_store(void) {
    return nth(STMT_STORE, 1);
}
static Expr zero(void) {
    return expr_index(pool, 0);
}

/* ---- one breakage each ---- */

static void broken_previous(void) {
    nth(STMT_ALLOCATE, 1)->previous = NULL;
}
static void broken_block(void) {
    nth(STMT_STORE, 0)->block = &program->body;
}
static void broken_owner(void) {
    nth(STMT_LET, 0)->let.body.owner = nth(STMT_FOR, 0);
}
static void broken_last(void) {
    nth(STMT_LABEL, 0)->label.body.last = NULL;
}
static void cycle(void) {
    nth(STMT_COMPUTE, 0)->next = nth(STMT_ALLOCATE, 0);
}
static void null_expr(void) {
    guarded_store()->store.values[0] = NULL;
}
static void bound_twice(void) {
    nth(STMT_FOR, 1)->loop.binder = nth(STMT_FOR, 0)->loop.binder;
}
static void hides_parameter(void) {
    nth(STMT_LET, 0)->let.binder = context_symbol(context, "w");
}
static void hides_field(void) {
    nth(STMT_LET, 0)->let.binder = context_symbol(context, "input.min.0");
}
static void unknown_variable(void) {
    guarded_store()->store.indices[0] = variable("q", INDEX);
}
static void left_scope(void) {
    nth(STMT_STORE, 2)->store.indices[0] = variable("v", INDEX);
}
static void own_scope(void) {
    nth(STMT_LET, 0)->let.value = variable("v", INDEX);
}
static void variable_type(void) {
    guarded_store()->store.values[0] = variable("h.s0.x", I32);
}
static void parameter_type(void) {
    guarded_store()->store.indices[0] = variable("w", INDEX);
}
static void field_dimension(void) {
    guarded_store()->store.indices[0] = variable("input.min.1", INDEX);
}
static void field_type(void) {
    guarded_store()->store.values[0] = variable("input.min.0", I32);
}
static void unknown_func(void) {
    guarded_store()->store.values[0] = read_of("g", zero());
}
static void access_arity(void) {
    guarded_store()->store.values[0] =
        expr_access(pool, context_symbol(context, "f"), 0, I32, NULL, 0);
}
static void access_component(void) {
    Expr index = zero();
    guarded_store()->store.values[0] =
        expr_access(pool, context_symbol(context, "f"), 1, I32, &index, 1);
}
static void access_type(void) {
    Expr index = zero();
    guarded_store()->store.values[0] =
        expr_cast(pool, I32, expr_access(pool, context_symbol(context, "f"), 0, U8, &index, 1));
}
static void operand_types(void) {
    guarded_store()->store.values[0] = forged(OP_ADD, I32, variable("w", I32), zero());
}
static void greater_node(void) {
    nth(STMT_IF, 0)->branch.condition = forged(OP_GT, BOOL, zero(), variable("v", INDEX));
}
static void vector_node(void) {
    struct Node *node = (struct Node *)forged(OP_ADD, I32, variable("w", I32), variable("w", I32));
    node->type.lanes = 4;
    guarded_store()->store.values[0] = node;
}
static void noncanonical_constant(void) {
    struct Node *node = arena_allocate(arena, sizeof *node);
    *node = (struct Node){.type = I8, .op = OP_CONSTANT, .number = pool->next_number++};
    node->bits = 200;
    guarded_store()->store.values[0] =
        expr_cast(pool, I32, expr_cast(pool, U8, variable("w", I32)));
    guarded_store()->store.values[0] = forged(OP_ADD, I8, node, node);
}
static void hole_left(void) {
    Symbol f = context_symbol(context, "f");
    guarded_store()->store.indices[0] = expr_hole(pool, (Hole){.func = f, .variable = f});
}
static void value_type(void) {
    guarded_store()->store.values[0] = zero();
}
static void index_type(void) {
    guarded_store()->store.indices[0] = expr_constant(pool, I32, 0);
}
static void condition_type(void) {
    nth(STMT_IF, 0)->branch.condition = zero();
}
static void assertion_type(void) {
    nth(STMT_ASSERT, 0)->assertion.condition = zero();
}
static void assertion_error(void) {
    nth(STMT_ASSERT, 0)->assertion.error = HLC_SUCCESS;
}
static void assertion_operand(void) {
    nth(STMT_ASSERT, 0)->assertion.operands[0] = expr_float(pool, F32, 1);
}
static void interval_type(void) {
    nth(STMT_FOR, 0)->loop.interval.length = expr_constant(pool, I32, 3);
}
static void allocate_interval_type(void) {
    nth(STMT_ALLOCATE, 0)->allocate.intervals[0].minimum = expr_constant(pool, I32, 3);
}
static void domain_type(void) {
    nth(STMT_LET, 0)->let.domain.minimum = expr_constant(pool, I32, 3);
}
static void let_with_domain_type(void) {
    nth(STMT_LET, 0)->let.value = variable("w", I32);
    nth(STMT_IF, 0)->branch.condition = expr_bool(pool, true);
    guarded_store()->store.indices[0] = zero();
    guarded_store()->store.values[0] = read_of("f", zero());
}
static void move_before(Stmt *stmt, Stmt *position) {
    stmt_unlink(stmt);
    stmt_insert_before(position, stmt);
}
static void read_before_compute(void) {
    move_before(nth(STMT_COMPUTE, 1), nth(STMT_COMPUTE, 0));
}
static void read_before_allocate(void) {
    nth(STMT_ASSERT, 0)->assertion.condition =
        expr_eq(pool, read_of("f", zero()), variable("w", I32));
}
static void read_in_own_bounds(void) {
    nth(STMT_COMPUTE, 0)->compute.intervals[0].minimum =
        expr_cast(pool, INDEX, read_of("f", zero()));
}
static void read_in_own_first_stage(void) {
    guarded_store()->store.values[0] = read_of("h", zero());
}
static void computed_in_a_loop(void) {
    Stmt *compute = nth(STMT_COMPUTE, 0), *loop = nth(STMT_FOR, 1);
    stmt_unlink(compute);
    block_append(&loop->loop.body, compute); /* behind the read; the loop ends before s1 */
    guarded_store()->store.values[0] = variable("w", I32);
    nth(STMT_STORE, 2)->store.values[0] = read_of("f", zero());
}
static void computed_in_one_branch(void) {
    Stmt *branch = stmt_create(program, STMT_IF, NOWHERE), *compute = nth(STMT_COMPUTE, 0);
    branch->branch.condition = expr_lt(pool, variable("w", I32), expr_constant(pool, I32, 3));
    stmt_insert_before(compute, branch);
    stmt_unlink(compute);
    block_append(&branch->branch.body, compute);
}
static void allocated_twice(void) {
    Stmt *copy = stmt_copy(program, nth(STMT_ALLOCATE, 1));
    stmt_insert_after(nth(STMT_ALLOCATE, 1), copy);
}
static void compute_before_allocate(void) {
    move_before(nth(STMT_COMPUTE, 0), nth(STMT_ALLOCATE, 0));
}
static void computed_twice(void) {
    Stmt *copy = stmt_copy(program, nth(STMT_COMPUTE, 0));
    stmt_insert_after(nth(STMT_COMPUTE, 0), copy);
}
static void store_outside(void) {
    guarded_store()->store.func = program->funcs.data[0]->func;
}
static void negative_stage(void) {
    guarded_store()->store.stage = -1;
}
static void impure_parallel(void) {
    nth(STMT_FOR, 2)->loop.traversal = TRAVERSE_PARALLEL;
}
static void impure_vectorized(void) {
    nth(STMT_FOR, 2)->loop.traversal = TRAVERSE_VECTORIZED;
}
static void loop_of_another(void) {
    nth(STMT_FOR, 0)->loop.name.func = context_symbol(context, "h");
}
static void loop_specialization(void) {
    nth(STMT_FOR, 0)->loop.name.specialization = 2;
}
static void loop_twice(void) {
    Stmt *copy = stmt_copy(program, nth(STMT_FOR, 0));
    copy->loop.binder = context_symbol(context, "another");
    stmt_insert_after(nth(STMT_FOR, 0), copy);
}
static void stale_index(void) {
    stmt_unlink(nth(STMT_COMPUTE, 1));
    program->signature = memcpy(arena_new(arena, Signature), program->signature, sizeof(Signature));
    ((Signature *)program->signature)->outputs.length = 0;
}
static void missing_from_index(void) {
    program->funcs.data[0]->allocates.length = 0;
}
static void output_missing(void) {
    Stmt *compute = nth(STMT_COMPUTE, 1);
    stmt_unlink(compute);
    program->funcs.data[1]->computes.length = 0;
}
static void output_inside(void) {
    Stmt *label = stmt_create(program, STMT_LABEL, NOWHERE);
    label->label.name = context_symbol(context, "l");
    block_move_all(&label->label.body, &program->body);
    block_append(&program->body, label); /* the output's allocation ends with the label */
}

typedef struct Case {
    void (*breaks)(void);
    const char *says;
} Case;

static const Case cases_of_breakage[] = {
    {broken_previous, "links"},
    {broken_block, "links"},
    {broken_owner, "links"},
    {broken_last, "links"},
    {cycle, "links"},
    {null_expr, "not null"},
    {bound_twice, "bound once"},
    {hides_parameter, "hides no parameter"},
    {hides_field, "hides no parameter"},
    {unknown_variable, "q is in scope"},
    {left_scope, "v is in scope"},
    {own_scope, "v is in scope"},
    {variable_type, "its binder's type"},
    {parameter_type, "its declared type"},
    {field_dimension, "input.min.1 is in scope"},
    {field_type, "is of sort index"},
    {unknown_func, "g is a func or an image"},
    {access_arity, "an index for each dimension"},
    {access_component, "one of its components"},
    {access_type, "access to f has its type"},
    {operand_types, "operator + is defined"},
    {greater_node, "other than > and >="},
    {vector_node, "scalars"},
    {noncanonical_constant, "canonical"},
    {hole_left, "no hole is left"},
    {value_type, "a store's value"},
    {index_type, "a store's index"},
    {condition_type, "an if's condition"},
    {assertion_type, "an assertion's condition"},
    {assertion_error, "answers with an error"},
    {assertion_operand, "whole numbers"},
    {interval_type, "an interval's length"},
    {allocate_interval_type, "an interval's minimum"},
    {domain_type, "an interval's minimum"},
    {let_with_domain_type, "let v with a domain"},
    {read_before_compute, "after its compute"},
    {read_before_allocate, "after its allocate"},
    {read_in_own_bounds, "after its compute"},
    {read_in_own_first_stage,
     "the first stage of h, before which nothing was written, reads it not"},
    {computed_in_a_loop, "after its compute"},
    {computed_in_one_branch, "after its compute"},
    {allocated_twice, "allocated once at a time"},
    {compute_before_allocate, "after its allocate"},
    {computed_twice, "differ in specialization or copy"},
    {store_outside, "stands in its compute"},
    {negative_stage, "not negative"},
    {impure_parallel, "must be pure or independent where it is parallel or vectorized, and is not"},
    {impure_vectorized,
     "must be pure or independent where it is parallel or vectorized, and is not"},
    {loop_of_another, "in the compute statement of its func"},
    {loop_specialization, "its compute statement's specialization"},
    {loop_twice, "unique up to copies"},
    {stale_index, "index of h"},
    {missing_from_index, "lists every compute and allocate"},
    {output_missing, "output h is allocated and computed"},
    {output_inside, "output h is allocated and computed"},
};

START_TEST(each_breakage_is_named) {
    const Case *breakage = &cases_of_breakage[_i];
    begin();
    breakage->breaks();
    const char *fault = program_verify(arena, program, false);
    ck_assert_msg(fault && strstr(fault, breakage->says), "case %d should say \"%s\": %s", _i,
                  breakage->says, fault ? fault : "nothing");
    end();
}
END_TEST

/* ---- well-formed programs that look unusual ---- */

START_TEST(both_branches_compute) {
    begin();
    Stmt *branch = stmt_create(program, STMT_IF, NOWHERE), *compute = nth(STMT_COMPUTE, 0);
    Stmt *copy = stmt_copy(program, compute);
    copy->compute.copy = 1;
    branch->branch.condition = expr_lt(pool, variable("w", I32), expr_constant(pool, I32, 3));
    stmt_insert_before(compute, branch);
    stmt_unlink(compute);
    block_append(&branch->branch.body, compute);
    block_append(&branch->branch.otherwise, copy);
    const char *fault = program_verify(arena, program, false);
    ck_assert_msg(!fault, "%s", fault);
    end();
}
END_TEST

START_TEST(computed_inside_the_consumer) {
    begin();
    Stmt *compute = nth(STMT_COMPUTE, 0), *loop = nth(STMT_FOR, 1);
    stmt_unlink(compute);
    block_prepend(&loop->loop.body, compute);
    const char *fault = program_verify(arena, program, false);
    ck_assert_msg(!fault, "%s", fault);
    end();
}
END_TEST

START_TEST(holes_where_allowed) {
    begin();
    hole_left();
    ck_assert_ptr_null(program_verify(arena, program, true));
    end();
}
END_TEST

/* The verifier leaves nothing behind in the pool. */
START_TEST(verifying_changes_nothing) {
    begin();
    uint32_t before = pool->next_number;
    char *printed = program_text(arena, program);
    ck_assert_ptr_null(program_verify(arena, program, false));
    ck_assert_uint_eq(pool->next_number, before);
    ck_assert_str_eq(program_text(arena, program), printed);
    end();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("verify");
    tcase_add_loop_test(cases, each_breakage_is_named, 0,
                        (int)(sizeof cases_of_breakage / sizeof *cases_of_breakage));
    tcase_add_test(cases, both_branches_compute);
    tcase_add_test(cases, computed_inside_the_consumer);
    tcase_add_test(cases, holes_where_allowed);
    tcase_add_test(cases, verifying_changes_nothing);
    return run_suite("verify", cases);
}
