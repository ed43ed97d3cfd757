/* query.c -- B(S) asked of programs that were spoilt after the oracle filled them: each
 * clause has a program that breaks it, and the answer is that clause's sentence.  A spoilt program
 * here is what a wrong oracle would make.
 */
#include "frontend_support.h"

#include "checkers/query/query.h"
#include "lower/lower.h"
#include "checkers/interpreter/run.h"

typedef struct Filled {
    const Pipeline *pipeline;
    Lowered *lowered;
    int64_t minimum, extent; /* of the output's window, in every dimension */
    const char *empty;       /* an output whose window is empty; may be null */
} Filled;

static Filled fill(const char *text) {
    Module *module = good(text);
    const Pipeline *pipeline = module->pipelines.data[0];
    const Schedule *schedule =
        module->schedules.length ? module_schedule(module, pipeline, "s") : NULL;
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true};
    Filled filled = {pipeline, lower(pipeline, schedule, arena, &options), 2, 8, NULL};
    if (!filled.lowered)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(filled.lowered);
    return filled;
}

/* Parameters have their default, images hold [-8, 32). */
static bool variable(void *data, Symbol name, Bits *bits) {
    const Filled *filled = data;
    const Signature *signature = &filled->pipeline->signature;
    const Parameter *parameter = signature_parameter(signature, name);
    Symbol buffer;
    BufferField field;
    int dimension;
    if (parameter) {
        *bits = parameter->default_value;
        return true;
    }
    if (!buffer_field_parse(context, name, &buffer, &field, &dimension))
        return false;
    bool is_image = signature_image(signature, buffer) != NULL;
    if (field == FIELD_MINIMUM)
        *bits = is_image ? -8 : filled->minimum;
    else if (field == FIELD_EXTENT && filled->empty && !strcmp(buffer->text, filled->empty))
        *bits = 0;
    else
        *bits = field == FIELD_STRIDE ? 1 : is_image ? 40 : filled->extent;
    return true;
}

static QueryAnswer ask(Filled *filled, uint64_t budget) {
    QueryOptions options = {variable, filled, 1, budget};
    const Lowered *lowered = filled->lowered;
    return bounds_query(lowered->program, lowered->pipeline, lowered->bounds, arena, &options);
}

static void expect_sound(Filled *filled) {
    QueryAnswer answer = ask(filled, 1000000);
    ck_assert_msg(!answer.violation, "%s", answer.violation);
    ck_assert(answer.finished && !answer.refused);
}

static void expect_violation(Filled *filled, const char *sentence) {
    QueryAnswer answer = ask(filled, 1000000);
    ck_assert_msg(answer.violation != NULL, "not seen: %s in\n%s", sentence,
                  program_text(arena, filled->lowered->program));
    ck_assert_str_eq(answer.violation, sentence);
}

/* ---- finding statements, and spoiling them ---- */

typedef struct Search {
    StmtKind kind;
    const char *name;
    Stmt *found;
} Search;

static const char *name_of(const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_FOR:
        return stmt->loop.binder->text;
    case STMT_LET:
        return stmt->let.binder->text;
    case STMT_COMPUTE:
        return stmt->compute.func->name->text;
    case STMT_ALLOCATE:
        return stmt->allocate.func->name->text;
    case STMT_STORE:
        return stmt->store.func->name->text;
    case STMT_LABEL:
        return stmt->label.name->text;
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_IF:
    case STMT_PREFETCH:
        return "";
    }
    return "";
}

static bool search(void *data, Stmt *stmt) {
    Search *wanted = data;
    if (stmt->kind == wanted->kind && !strcmp(name_of(stmt), wanted->name))
        wanted->found = stmt;
    return true;
}

/* The last of the kind with the name: loops by binder, stores by func (the last stage's). */
static Stmt *find(const Filled *filled, StmtKind kind, const char *name) {
    Search wanted = {kind, name, NULL};
    StmtVisitor visitor = {&wanted, search, NULL};
    block_visit(&filled->lowered->program->body, &visitor);
    ck_assert_msg(wanted.found != NULL, "%s is in\n%s", name,
                  program_text(arena, filled->lowered->program));
    return wanted.found;
}

static Expr plus(const Filled *filled, Expr expr, int64_t difference) {
    Pool *pool = filled->lowered->program->pool;
    return expr_add(pool, expr, expr_index(pool, difference));
}

static void move(const Filled *filled, Extent *interval, int64_t by) {
    interval->minimum = plus(filled, interval->minimum, by);
}

static void lengthen(const Filled *filled, Extent *interval, int64_t by) {
    interval->length = plus(filled, interval->length, by);
}

/* f is needed on [1, 10] by out's window [2, 9], and has an update. */
static Filled blur(void) {
    return fill("pipeline p(input: image<i32, 1>, k: i32 = 1) -> out {\n"
                "    fun f(x) = { input(x - 1) + input(x + k); (x) <- f(x) * 2 if x > 0; }\n"
                "    fun out(x) = f(x - 1) + f(x + 1);\n"
                "}\n");
}

START_TEST(what_the_oracle_fills_is_sound) {
    Filled filled = blur();
    expect_sound(&filled);
    filled.extent = 0;
    expect_sound(&filled);
}
END_TEST

/* The loops of two outputs are shared, and one window is empty: the iterations of the other compute
 * and hold nothing of what slides there. */
START_TEST(an_empty_window_holds_nothing) {
    Filled filled =
        fill("pipeline p(input: image<i32, 1>) -> (other, out) {\n"
             "    fun f(x) = input(x);\n"
             "    fun other(x) = 1;\n"
             "    fun out(x) = f(x) + f(0);\n"
             "}\n"
             "schedule s for p {\n"
             "    compute-with(other.x, out.x);  compute-at(f, out.x);  store-root(f);\n"
             "}\n");
    expect_sound(&filled);
    filled.empty = "out";
    expect_sound(&filled);
}
END_TEST

/* ---- lengths ---- */

START_TEST(lengths_are_not_negative) {
    Filled filled = blur();
    Stmt *loop = find(&filled, STMT_FOR, "out.s0.x");
    lengthen(&filled, &loop->loop.interval, -9);
    expect_violation(&filled, "lengths: loop out.s0.x has length -1");

    filled = blur();
    lengthen(&filled, find(&filled, STMT_COMPUTE, "f")->compute.intervals, -11);
    expect_violation(&filled, "lengths: the compute region of f has length -1 in dimension 0");

    filled = blur();
    lengthen(&filled, find(&filled, STMT_ALLOCATE, "f")->allocate.intervals, -12);
    expect_violation(&filled, "lengths: the memory of f has length -2 in dimension 0");

    filled = blur();
    lengthen(&filled, ((BoundsRegion *)filled.lowered->bounds->images.data[0])->whole, -20);
    expect_violation(&filled, "lengths: the region of input has length -8 in dimension 0");
}
END_TEST

/* ---- mem ---- */

START_TEST(reads_lie_in_memory) {
    Filled filled = blur();
    Stmt *store = find(&filled, STMT_STORE, "out");
    Pool *pool = filled.lowered->program->pool;
    Expr read = expr_access(pool, context_symbol(context, "f"), 0, I32,
                            (Expr[]){plus(&filled, store->store.indices[0], 2)}, 1);
    store->store.values[0] = expr_add(pool, store->store.values[0], read);
    expect_violation(&filled, "mem: f(11) is read outside [1, 10] in dimension 0");

    filled = blur();
    stmt_unlink(find(&filled, STMT_COMPUTE, "f"));
    expect_violation(&filled, "mem: f(3) is read before it is computed");

    filled = blur();
    stmt_unlink(find(&filled, STMT_ALLOCATE, "f"));
    expect_violation(&filled, "mem: f is computed before it is allocated");

    filled = blur();
    lengthen(&filled, ((BoundsRegion *)filled.lowered->bounds->images.data[0])->whole, -1);
    expect_violation(&filled, "mem: input(11) is read outside [0, 10] in dimension 0");
}
END_TEST

/* The compute region leaves no room: the loop of f runs one iteration beyond it. */
START_TEST(writes_lie_in_memory) {
    Filled filled = blur();
    lengthen(&filled, &find(&filled, STMT_FOR, "f.s0.x")->loop.interval, 1);
    ((BoundsRegion *)filled.lowered->bounds->images.data[0])->whole[0].length =
        expr_index(filled.lowered->program->pool, 40);
    expect_violation(&filled, "mem: f(11) is written outside [1, 10] in dimension 0");
}
END_TEST

/* ---- cpu, inside, window ---- */

START_TEST(what_is_needed_is_computed) {
    Filled filled = blur();
    Stmt *compute = find(&filled, STMT_COMPUTE, "f");
    lengthen(&filled, compute->compute.intervals, -1);
    expect_violation(&filled, "cpu: f(10) is needed outside [1, 9] in dimension 0");
}
END_TEST

START_TEST(what_is_computed_lies_in_memory) {
    Filled filled = blur();
    lengthen(&filled, find(&filled, STMT_COMPUTE, "f")->compute.intervals, 1);
    expect_violation(&filled, "inside: the compute region of f leaves its memory in dimension 0");
    filled = blur();
    move(&filled, find(&filled, STMT_COMPUTE, "f")->compute.intervals, -1);
    expect_violation(&filled, "inside: the compute region of f leaves its memory in dimension 0");
}
END_TEST

START_TEST(the_window_is_computed) {
    Filled filled = blur();
    lengthen(&filled, find(&filled, STMT_COMPUTE, "out")->compute.intervals, -1);
    expect_violation(&filled, "window: the window of out leaves its compute region in dimension 0");
    filled = blur();
    move(&filled, find(&filled, STMT_COMPUTE, "out")->compute.intervals, 1);
    expect_violation(&filled, "window: the window of out leaves its compute region in dimension 0");
}
END_TEST

/* ---- loop ---- */

START_TEST(loops_cover_what_is_computed) {
    Filled filled = blur();
    lengthen(&filled, &find(&filled, STMT_FOR, "out.s0.x")->loop.interval, -1);
    expect_violation(&filled, "loop: stage 0 of out does not reach 9 in dimension 0");

    /* An update under its predicate, which does not count. */
    filled = blur();
    move(&filled, &find(&filled, STMT_FOR, "f.s1.x")->loop.interval, 1);
    lengthen(&filled, &find(&filled, STMT_FOR, "f.s1.x")->loop.interval, -1);
    expect_violation(&filled, "loop: stage 1 of f does not reach 1 in dimension 0");

    /* A guard counts. */
    filled = fill("pipeline p() -> out { fun out(x) = 1; }\n"
                  "schedule s for p { split(out.x, xo, xi, 3, guard); }\n");
    expect_sound(&filled);
    Stmt *store = find(&filled, STMT_STORE, "out"), *guard = stmt_parent(store);
    ck_assert_int_eq(guard->kind, STMT_IF);
    guard->branch.condition = expr_bool(filled.lowered->program->pool, false);
    expect_violation(&filled, "loop: stage 0 of out does not reach 2 in dimension 0");
}
END_TEST

/* Loops of no iterations reach nothing, and need not. */
START_TEST(reductions_may_be_empty) {
    Filled filled = fill("pipeline p(n: i32 = 0) -> out {\n"
                         "    fun out(x) = { 0; rdom(r = (0, n)) in (x) <- out(x) + r; }\n"
                         "}\n");
    expect_sound(&filled);
}
END_TEST

/* Partial results of stretches beyond the reduction: where all of them are, no update reaches any
 * point, also in dimensions that the reduction does not mention; where some are, the others must
 * reach all points of those. */
START_TEST(stretches_may_be_empty) {
    Filled filled = fill("pipeline p() -> out {\n"
                         "    fun f(x) = { 0; rdom(r = (0, 3)) in (x) <- f(x) + i32(x + r); }\n"
                         "    fun out(x) = f(x);\n"
                         "}\n"
                         "schedule s for p {\n"
                         "    split-reduction(f.s1.r, ro, ri, 8);\n"
                         "    rfactor(f.s1.ri, i, part);  rfactor(part.s1.ro, o, parts);\n"
                         "    compute-at(parts, part.s1.ro);\n"
                         "}\n");
    expect_sound(&filled);
    lengthen(&filled, &find(&filled, STMT_FOR, "parts.s1.x")->loop.interval, -1);
    expect_violation(&filled, "loop: stage 1 of parts does not reach 2 in dimension 0");
}
END_TEST

/* The same in copies of the nest, as a specialization makes them. */
START_TEST(stretches_may_be_empty_in_copies) {
    Filled filled = fill("pipeline p(n: i32 = 3) -> out {\n"
                         "    fun f(x) = { 0; rdom(r = (0, 3)) in (x) <- f(x) + i32(x + r); }\n"
                         "    fun out(x) = f(x);\n"
                         "}\n"
                         "schedule s for p {\n"
                         "    split-reduction(f.s1.r, ro, ri, 8);\n"
                         "    rfactor(f.s1.ri, i, part);  rfactor(part.s1.ro, o, parts);\n"
                         "    specialize(part, n > 3, n == 3);\n"
                         "    compute-at(parts, part.z2.s1.ro);\n"
                         "}\n");
    expect_sound(&filled);
}
END_TEST

/* Iterations of a recurrence that nobody needs are not run, from the beginning or up to the end:
 * where what is needed lies beyond the domain none is, and no point of it is reached. */
static void expect_iterations_as_needed(const char *text, int64_t beyond) {
    Filled filled = fill(text);
    expect_sound(&filled);
    Stmt *loop = find(&filled, STMT_FOR, "f.s1.k");
    lengthen(&filled, &loop->loop.interval, -1);
    expect_violation(&filled, "loop: stage 1 of f does not reach 9 in dimension 0");
    filled = fill(text);
    filled.minimum = beyond;
    lengthen(&filled, &find(&filled, STMT_FOR, "f.s1.k")->loop.interval, -1);
    expect_sound(&filled);
}

START_TEST(recurrences_may_be_empty) {
    expect_iterations_as_needed("pipeline p(n: i32 = 20 in 1..99) -> out {\n"
                                "    recurrence (i = (0, n)) {\n"
                                "        fun f(k, i): i32 = select(i == 0, k, f(k, i - 1) * 3);\n"
                                "    }\n"
                                "    fun out(k, i) = f(k, i);\n"
                                "}\n",
                                -30);
    expect_iterations_as_needed(
        "pipeline p(n: i32 = 20 in 1..99, m: i32 = 99 in 1..99) -> out {\n"
        "    recurrence (i = (0, n); j = (0, m)) {\n"
        "        fun f(k, i, j): i32 = select(i == n - 1 || j == 0, k, f(k, i + 1, j - 1) * 3);\n"
        "    }\n"
        "    fun out(k, i) = f(k, i, 30);\n"
        "}\n",
        25);
}
END_TEST

/* ---- queries of what images must hold ---- */

START_TEST(what_fits_no_buffer_is_not_asked_about) {
    Filled filled = blur();
    Image input = {.type = I32, .dimensions = 1, .extent = {40}, .stride = {1}};
    Image output = {.type = I32, .dimensions = 1, .extent = {(int64_t)1 << 40}, .stride = {1}};
    Arguments arguments = {&(Bits){1}, &input, &output};
    Outcome outcome = run_query(filled.lowered->program, arena, &arguments);
    ck_assert_int_ne(outcome.error, 0);
    ck_assert_msg(strstr(outcome.message, "out") != NULL, "%s", outcome.message);
    output.extent[0] = 8;
    ck_assert_int_eq(run_query(filled.lowered->program, arena, &arguments).error, 0);
}
END_TEST

/* ---- what ends a run ---- */

START_TEST(a_budget_ends_the_run_unfinished) {
    Filled filled = blur();
    QueryAnswer answer = ask(&filled, 10);
    ck_assert(!answer.finished && !answer.violation && !answer.refused);
    ck_assert_uint_eq(answer.instances, 10);
}
END_TEST

/* ---- held ---- */

/* f is needed in the rows y to y + 2 of each row of out, and computed in the last of them. */
static Filled slid(void) {
    return fill("pipeline p(input: image<i32, 2>) -> out {\n"
                "    fun f(x, y) = input(x, y);\n"
                "    fun out(x, y) = f(x, y) + f(x, y + 2);\n"
                "}\n"
                "schedule s for p { compute-at(f, out.y); store-root(f); }\n");
}

START_TEST(what_is_held_was_computed) {
    Filled filled = slid();
    ck_assert_ptr_nonnull(find(&filled, STMT_COMPUTE, "f")->compute.held);
    expect_sound(&filled);

    Stmt *compute = find(&filled, STMT_COMPUTE, "f");
    move(&filled, &compute->compute.intervals[1], 1);
    lengthen(&filled, &compute->compute.intervals[1], -1);
    expect_violation(&filled, "held: f(2, 2) is neither computed now nor before");

    /* The loop begins with a row that nothing has computed. */
    filled = slid();
    compute = find(&filled, STMT_COMPUTE, "f");
    move(&filled, &compute->compute.held[1], -1);
    lengthen(&filled, &compute->compute.held[1], 1);
    expect_violation(&filled, "held: f(2, 1) is held outside of its memory in dimension 1");

    /* Memory of its own in each iteration holds nothing of the one before. */
    filled = slid();
    Stmt *allocate = find(&filled, STMT_ALLOCATE, "f");
    stmt_unlink(allocate);
    stmt_insert_before(find(&filled, STMT_COMPUTE, "f"), allocate);
    expect_violation(&filled, "held: f(2, 3) is neither computed now nor before");
}
END_TEST

START_TEST(an_assertion_that_fails_refuses) {
    Filled filled = fill("pipeline p(k: i32 = 1) -> out {\n"
                         "    require(k > 3, \"k is large\");\n"
                         "    fun out(x) = k;\n"
                         "}\n");
    ck_assert(ask(&filled, 1000).refused);
}
END_TEST

START_TEST(the_first_violation_is_told) {
    Filled filled = blur();
    Stmt *compute = find(&filled, STMT_COMPUTE, "f");
    lengthen(&filled, compute->compute.intervals, -11);
    Stmt *out = find(&filled, STMT_COMPUTE, "out");
    lengthen(&filled, out->compute.intervals, -9);
    expect_violation(&filled, "lengths: the compute region of f has length -1 in dimension 0");

    /* Two in one statement: a length, and the window outside of it. */
    filled = blur();
    lengthen(&filled, find(&filled, STMT_COMPUTE, "out")->compute.intervals, -9);
    expect_violation(&filled, "lengths: the compute region of out has length -1 in dimension 0");
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("query");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_the_oracle_fills_is_sound);
    tcase_add_test(tests, an_empty_window_holds_nothing);
    tcase_add_test(tests, lengths_are_not_negative);
    tcase_add_test(tests, reads_lie_in_memory);
    tcase_add_test(tests, writes_lie_in_memory);
    tcase_add_test(tests, what_is_needed_is_computed);
    tcase_add_test(tests, what_is_computed_lies_in_memory);
    tcase_add_test(tests, the_window_is_computed);
    tcase_add_test(tests, loops_cover_what_is_computed);
    tcase_add_test(tests, reductions_may_be_empty);
    tcase_add_test(tests, stretches_may_be_empty);
    tcase_add_test(tests, stretches_may_be_empty_in_copies);
    tcase_add_test(tests, recurrences_may_be_empty);
    tcase_add_test(tests, what_is_held_was_computed);
    tcase_add_test(tests, what_fits_no_buffer_is_not_asked_about);
    tcase_add_test(tests, a_budget_ends_the_run_unfinished);
    tcase_add_test(tests, an_assertion_that_fails_refuses);
    tcase_add_test(tests, the_first_violation_is_told);
    return run_suite("query", tests);
}
