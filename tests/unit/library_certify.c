/* certify against checkers/query/query.h: a program that was spoilt, and that the query on concrete numbers
 * finds wrong, is never proved for all inputs; one that was not is, and the query agrees. */
#include "checkers/query/query.h"
#include "checkers/certify/certify.h"
#include "frontend/frontend.h"
#include "library/compiler.h"
#include "lower/lower.h"
#include "tests/unit/library_support.h"

#include "suite.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "pipeline p(input: image<u8, 2>, w: i32 = 1 in 0..4) -> out {\n"
    "    let src = repeat_edge(input);\n"
    "    fun f(x, y) = i32(src(x, y));\n"
    "    fun g(x, y) = { 0;  rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y); }\n"
    "    fun out(x, y) = g(x, y - 1) + g(x, y + 1);\n"
    "}\n"
    "schedule s for p { split(out.x, xo, xi, 4);  compute-at(g, out.xo);  parallel(out.y); }\n"
    "schedule shared for p { split(out.x, xo, xi, 4);  compute-at(g, out.xo);  store-root(g); }\n"
    "schedule rows for p { split(g.s1.r, ro, ri, 4);  compute-at(g, out.y);  parallel(out.y); }\n"
    "schedule rounded for p { split(g.s0.x, xo, xi, 4, round-up);  compute-at(g, out.y); }\n"
    "pipeline sum(n: i32 = 3 in 0..9) -> total {\n"
    "    fun total(x) = { 0;  rdom(r = (0, n)) in (x) <- total(x) * 3 + r; }\n"
    "}\n"
    "schedule plain for sum { }\n"
    "schedule halves for sum { split(total.s1.r, ro, ri, 2); }\n";

/* Sizes a little awkward: 7x5 windows and images, w = 1. */
static bool small(void *data, Symbol name, Bits *bits) {
    (void)data;
    *bits = strcmp(name->text, "w") == 0      ? 1
            : strstr(name->text, ".extent.0") ? 7
            : strstr(name->text, ".extent.1") ? 5
                                              : 0;
    return true;
}

typedef Vec(Extent *) Places;
typedef struct Collect {
    Arena *arena;
    Places places;
} Collect;

static bool collect(void *data, Stmt *stmt) {
    Collect *found = data;
    if (stmt->kind == STMT_FOR)
        vec_push(found->arena, &found->places, &stmt->loop.interval);
    for (int k = 0; stmt->kind == STMT_ALLOCATE && k < 2; k++)
        vec_push(found->arena, &found->places, &stmt->allocate.intervals[k]);
    for (int k = 0; stmt->kind == STMT_COMPUTE && k < 2; k++)
        vec_push(found->arena, &found->places, &stmt->compute.intervals[k]);
    return true;
}

typedef struct Both {
    bool violated, proved;
    size_t refuted;
} Both;

static Both ask(Lowered *lowered, Arena *arena) {
    QueryOptions query = {small, NULL, 1, 200000};
    CertifyOptions options = {.solver = "z3"};
    QueryAnswer answer =
        bounds_query(lowered->program, lowered->pipeline, lowered->bounds, arena, &query);
    Certification *certification =
        certify_program(lowered->program, lowered->pipeline, &lowered->primitives, arena, &options);
    return (Both){answer.violation != NULL,
                  certification->count[FINDING_PROVED] == certification->obligations.length,
                  certification->count[FINDING_REFUTED]};
}

START_TEST(what_the_query_finds_wrong_is_never_proved) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    uint32_t file = context_add_file(context, "p.hl", source, strlen(source));
    Module *module = frontend_load(context, arena, file, NULL, NULL);
    ck_assert(module);
    const Pipeline *pipeline = module_pipeline(module, "p");
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, module_schedule(module, pipeline, "s"), arena, &options);
    ck_assert(lowered);
    Both whole = ask(lowered, arena);
    ck_assert(!whole.violated && whole.proved);
    Collect found = {.arena = arena};
    block_visit(&lowered->program->body, &(StmtVisitor){.data = &found, .enter = collect});
    Pool *pool = lowered->program->pool;
    int violated = 0, refuted = 0;
    for (size_t i = 0; i < found.places.length; i++) {
        Extent *place = found.places.data[i], before = *place;
        place->length = expr_sub(pool, before.length, expr_index(pool, 1));
        Both spoilt = ask(lowered, arena);
        ck_assert_msg(!spoilt.violated || !spoilt.proved, "place %zu is proved", i);
        violated += spoilt.violated;
        refuted += spoilt.violated && spoilt.refuted;
        *place = before;
    }
    printf("%zu places spoilt: the query finds %d wrong, %d of these are refuted\n",
           found.places.length, violated, refuted);
    ck_assert_int_ge(violated, 12);
    ck_assert_int_eq(violated, refuted);
    arena_destroy(arena);
    context_destroy(context);
}
END_TEST

/* ---- faults, one of a kind ---- */

typedef struct Fault {
    const char *name, *schedule;
    ClauseId clause; /* that must not be proved */
    void (*inject)(Program *program, Stmt *stmt);
    const char *binder; /* of the loop or let, or the func of the allocate or store statement */
    StmtKind kind;
    int stage; /* of a store statement */
    bool is_refuted;
    const char *pipeline;
} Fault;

static Expr less_one(Program *program, Expr expr) {
    return expr_sub(program->pool, expr, expr_index(program->pool, 1));
}

static void make_parallel(Program *program, Stmt *loop) {
    (void)program;
    loop->loop.traversal = TRAVERSE_PARALLEL;
    loop->loop.pure = true;
}

static void make_vectorized(Program *program, Stmt *loop) {
    (void)program;
    loop->loop.traversal = TRAVERSE_VECTORIZED;
}

/* Each iteration is one of the algorithm's, and one more. */
static void lengthen_loop(Program *program, Stmt *loop) {
    loop->loop.interval.length =
        expr_add(program->pool, loop->loop.interval.length, expr_index(program->pool, 1));
}

static void drop_guard(Program *program, Stmt *let) {
    let->let.body.first->branch.condition = expr_bool(program->pool, true);
}

static void drop_stage(Program *program, Stmt *loop) {
    Stmt *label = stmt_parent(loop);
    while (label->kind != STMT_LABEL)
        label = stmt_parent(label);
    (void)program;
    stmt_unlink(label);
}

static void shorten_loop(Program *program, Stmt *loop) {
    loop->loop.interval.length = less_one(program, loop->loop.interval.length);
}

/* The stride of r = ro*4 + ri. */
static Expr other_for_four(void *data, Pool *pool, Expr node) {
    const int64_t *other = data;
    int64_t value;
    return expr_constant_integer(node, &value) && value == 4 ? expr_index(pool, *other) : node;
}

static void change_stride(Program *program, Stmt *let, int64_t stride) {
    ExprMemo memo = expr_memo(program->arena);
    let->let.value = expr_rewrite(program->pool, &memo, let->let.value, other_for_four, &stride);
}

/* Some points are reached twice. */
static void narrow_stride(Program *program, Stmt *let) {
    change_stride(program, let, 3);
}

/* Some points are not reached. */
static void widen_stride(Program *program, Stmt *let) {
    change_stride(program, let, 5);
}

static void shrink_memory(Program *program, Stmt *allocate) {
    allocate->allocate.intervals[0].length =
        less_one(program, allocate->allocate.intervals[0].length);
}

/* Every iteration writes where its func's memory begins. */
static void write_one_point(Program *program, Stmt *store) {
    (void)program;
    const Stmt *compute = stmt_parent(store);
    while (compute->kind != STMT_COMPUTE)
        compute = stmt_parent(compute);
    store->store.indices[1] = compute->compute.intervals[1].minimum;
}

static void write_beside(Program *program, Stmt *store) {
    store->store.indices[0] = less_one(program, store->store.indices[0]);
}

static const Fault faults[] = {
    {"the writes of a parallel loop meet", "s", CLAUSE_RACE, write_one_point, "out", STMT_STORE, 0,
     false, "p"},
    {"a parallel loop shares memory", "shared", CLAUSE_RACE, make_parallel, "out.s0.y", STMT_FOR, 0,
     false, "p"},
    {"a reduction loop is parallel", "s", CLAUSE_RACE, make_parallel, "g.s1.r", STMT_FOR, 0, false,
     "p"},
    {"a loop is vectorized whose length is none", "s", CLAUSE_CONSTANT, make_vectorized, "g.s0.x",
     STMT_FOR, 0, true, "p"},
    {"a reduction's points are reached twice", "rows", CLAUSE_ONCE, narrow_stride, "g.s1.r",
     STMT_LET, 0, true, "p"},
    {"a reduction's points are not reached", "rows", CLAUSE_COVERED, widen_stride, "g.s1.r",
     STMT_LET, 0, true, "p"},
    {"a loop is one too short", "s", CLAUSE_COVERED, shorten_loop, "g.s1.r", STMT_FOR, 0, true,
     "p"},
    {"memory is one too small", "s", CLAUSE_WRITE, shrink_memory, "f", STMT_ALLOCATE, 0, true, "p"},
    {"memory is one too small to be read", "s", CLAUSE_READ, shrink_memory, "g", STMT_ALLOCATE, 0,
     true, "p"},
    {"points that a tail adds have no memory", "rounded", CLAUSE_WRITE, shrink_memory, "g",
     STMT_ALLOCATE, 0, true, "p"},
    {"an update writes beside its point", "s", CLAUSE_WRITE, write_beside, "g", STMT_STORE, 1, true,
     "p"},
    {"a reduction goes on beyond its domain", "plain", CLAUSE_DOMAIN, lengthen_loop, "total.s1.r",
     STMT_FOR, 0, true, "sum"},
    {"a reduction's tail has no guard", "halves", CLAUSE_DOMAIN, drop_guard, "total.s1.r", STMT_LET,
     0, true, "sum"},
    {"an update is gone", "plain", CLAUSE_COVERED, drop_stage, "total.s1.r", STMT_FOR, 0, true,
     "sum"},
};

typedef struct Find {
    const Fault *fault;
    Stmt *found;
} Find;

static bool find(void *data, Stmt *stmt) {
    Find *search = data;
    const Fault *fault = search->fault;
    if (stmt->kind != fault->kind)
        return true;
    Symbol name = stmt->kind == STMT_FOR        ? stmt->loop.binder
                  : stmt->kind == STMT_LET      ? stmt->let.binder
                  : stmt->kind == STMT_ALLOCATE ? stmt->allocate.func->name
                                                : stmt->store.func->name;
    bool is_stage = stmt->kind != STMT_STORE || stmt->store.stage == fault->stage;
    if (is_stage && strcmp(name->text, fault->binder) == 0)
        search->found = stmt;
    return true;
}

START_TEST(each_fault_is_refused) {
    const Fault *fault = &faults[_i];
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    uint32_t file = context_add_file(context, "p.hl", source, strlen(source));
    Module *module = frontend_load(context, arena, file, NULL, NULL);
    const Pipeline *pipeline = module_pipeline(module, fault->pipeline);
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered =
        lower(pipeline, module_schedule(module, pipeline, fault->schedule), arena, &options);
    ck_assert(lowered);
    ck_assert_msg(ask(lowered, arena).proved, "%s: not proved without the fault", fault->name);
    Find search = {.fault = fault};
    block_visit(&lowered->program->body, &(StmtVisitor){.data = &search, .enter = find});
    ck_assert_msg(search.found, "%s: there is no %s", fault->name, fault->binder);
    fault->inject(lowered->program, search.found);
    CertifyOptions certify = {.solver = "z3"};
    const Certification *certification =
        certify_program(lowered->program, pipeline, &lowered->primitives, arena, &certify);
    size_t refused = 0, refuted = 0;
    for (size_t i = 0; i < certification->obligations.length; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        refused += obligation->clause == fault->clause &&
                   (obligation->finding == FINDING_OPEN || obligation->finding == FINDING_REFUTED);
        refuted += obligation->clause == fault->clause && obligation->finding == FINDING_REFUTED;
    }
    printf("%s: %zu refused, %zu of them refuted\n", fault->name, refused, refuted);
    ck_assert_msg(refused, "%s: no clause `%s` is refused", fault->name,
                  clause_info(fault->clause)->text);
    ck_assert_msg(refuted || !fault->is_refuted, "%s: no clause `%s` is refuted", fault->name,
                  clause_info(fault->clause)->text);
    arena_destroy(arena);
    context_destroy(context);
}
END_TEST

START_TEST(options_may_be_null) {
    hlc *h = load_text(source);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(hlc_certify(h, "p", "s", NULL, NULL, out), HLC_YES);
    ck_assert_int_eq(hlc_set_certify(h, true, NULL), HLC_YES);
    ck_assert_int_eq(hlc_lower(h, "p", "s", NULL, out), HLC_YES);
    ck_assert_int_eq(hlc_set_certify(h, true, "no-such-command"), HLC_YES);
    ck_assert_int_eq(hlc_lower(h, "p", "s", NULL, out), HLC_YES);
    ck_assert_int_eq(hlc_set_certify(h, false, NULL), HLC_YES);
    fclose(out);
    ck_assert(strstr(text, " 0 left to run time, 0 refuted, 0 open\n"));
    ck_assert(!strstr(text, "not_certified"));
    free(text);
    hlc_destroy(h);
}
END_TEST

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* With the request `after` so many refused; how many are left then. */
static int64_t certify_with(int64_t after, hlc_status *status) {
    FILE *out = tmpfile();
    hlc *h = hlc_create();
    ck_assert_int_eq(hlc_load(h, TEST_SOURCE_DIR "/certify/left.hl"), HLC_YES);
    h->context->memory.fail_after = after;
    *status = hlc_certify(h, "product", "a", NULL, NULL, out);
    int64_t left = h->context->memory.fail_after;
    h->context->memory.fail_after = -1;
    ck_assert_ptr_null(h->solver);
    hlc_destroy(h);
    fclose(out);
    return left;
}

/* Wherever memory runs out, Z3 does not go on.  It is asked towards the end. */
START_TEST(no_solver_outlives_its_call) {
    int before = count_descriptors();
    hlc_status status;
    int64_t all = INT32_MAX - certify_with(INT32_MAX, &status);
    ck_assert_int_eq(status, HLC_YES);
    for (int64_t early = 1; early < all; early *= 2) {
        certify_with(all - early, &status);
        ck_assert_int_eq(status, HLC_WORLD);
        ck_assert_int_eq(count_descriptors(), before);
    }
}
END_TEST

int main(void) {
    if (system("z3 --version > /dev/null 2>&1") != 0) {
        printf("z3 is not installed\n");
        return 77;
    }
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, what_the_query_finds_wrong_is_never_proved);
    tcase_add_loop_test(tests, each_fault_is_refused, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tests, options_may_be_null);
    tcase_add_test(tests, no_solver_outlives_its_call);
    tcase_set_timeout(tests, 120);
    return run_suite("library_certify", tests);
}
