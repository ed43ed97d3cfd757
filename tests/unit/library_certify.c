/* certify against bounds/query.h: a program that was spoilt, and that the query on concrete numbers
 * finds wrong, is never proved for all inputs; one that was not is, and the query agrees. */
#include "bounds/query.h"
#include "certify/certify.h"
#include "frontend/frontend.h"
#include "lower/lower.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "pipeline p(input: image<u8, 2>, w: i32 = 1 in 0..4) -> out {\n"
    "    let src = repeat_edge(input);\n"
    "    fun f(x, y) = i32(src(x, y));\n"
    "    fun g(x, y) = { 0;  rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y); }\n"
    "    fun out(x, y) = g(x, y - 1) + g(x, y + 1);\n"
    "}\n"
    "schedule s for p { split(out.x, xo, xi, 4);  compute-at(g, out.xo);  parallel(out.y); }\n";

/* Sizes a little awkward: 7x5 windows and images, w = 1. */
static bool small(void *data, Symbol name, Bits *bits) {
    (void)data;
    *bits = strcmp(name->text, "w") == 0      ? 1
            : strstr(name->text, ".extent.0") ? 7
            : strstr(name->text, ".extent.1") ? 5
                                              : 0;
    return true;
}

typedef Vec(Interval *) Places;
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
        Interval *place = found.places.data[i], before = *place;
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

int main(void) {
    if (system("z3 --version > /dev/null 2>&1") != 0) {
        printf("z3 is not installed\n");
        return 77;
    }
    Suite *suite = suite_create("library_certify");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, what_the_query_finds_wrong_is_never_proved);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
