/* library_reassociated.c -- sums of floats in another order: what is a fault of them and what is
 * not, and how far apart they may be. */
#include "library/check/reassociated.h"
#include "library/check/tolerance.h"
#include "tests/unit/library_support.h"

/* `wrong` lacks one of 90 terms, `other` weighs one by 1.001, `least` takes the first but one. */
static const char TEXT[] =
    "pipeline right(a: image<f32, 1>) -> out with reassociation {\n"
    "  fun f(): {f32, f32} = { {0.25, 3.0};\n"
    "    rdom(r = (0, 90)) in () <- {f().0 + a(r), min(f().1, a(r))}; }\n"
    "  fun out(x) = f().0 + f().1 + f32(x);\n"
    "}\n"
    "schedule s for right { rfactor(f.s1.r, u, part); }\n"
    "schedule t for right { split(f.s1.r, o, i, 8); rfactor(f.s1.i, i, part); }\n"
    "pipeline wrong(a: image<f32, 1>) -> out with reassociation {\n"
    "  fun f(): {f32, f32} = { {0.25, 3.0};\n"
    "    rdom(r = (0, 90)) in () <- {f().0 + a(r), min(f().1, a(r))} if r != 41; }\n"
    "  fun out(x) = f().0 + f().1 + f32(x);\n"
    "}\n"
    "pipeline other(a: image<f32, 1>) -> out with reassociation {\n"
    "  fun f(): {f32, f32} = { {0.25, 3.0};\n"
    "    rdom(r = (0, 90)) in () <- {f().0 + a(r)*select(r == 41, f32(1.001), f32(1)),\n"
    "                                min(f().1, a(r))}; }\n"
    "  fun out(x) = f().0 + f().1 + f32(x);\n"
    "}\n"
    "pipeline least(a: image<f32, 1>) -> out with reassociation {\n"
    "  fun f(): {f32, f32} = { {0.25, 3.0};\n"
    "    rdom(r = (0, 90)) in () <- {f().0 + a(r), min(f().1, a(r) - 0.0001)}; }\n"
    "  fun out(x) = f().0 + f().1 + f32(x);\n"
    "}\n"
    "pipeline kinds(a: image<f32, 1>) -> out with reassociation, contraction {\n"
    "  fun f(x): {f32, i32, f32, f32, f32, i32} = {\n"
    "    {-2.0, 0, 1.0, 0.0, 0.0, 0};\n"
    "    rdom(r = (0, 5)) in (x) <- {\n"
    "      select(r == 2, f(x).0, f(x).0 - a(r)), f(x).1 + 1, f(x).2 * a(r), max(f(x).3, a(r)),\n"
    "      f(x).4 + a(r)*f32(3), select(f(x).0 < a(r), r, f(x).5)}; }\n"
    "  fun out(x) = f(x).0 + f(x).2 + f(x).3 + f(x).4 + f32(f(x).1 + f(x).5);\n"
    "}\n";

typedef struct Question {
    hlc_arguments *a;
    const char *schedule, *judged; /* a schedule of `right`, and whose sums are compared with it */
    bool is_fault;
    ReassociatedFunc of_f;
} Question;

static const Pipeline *pipeline_named(const hlc *h, const char *name) {
    const Pipeline *found = NULL;
    for (size_t i = 0; i < h->module->pipelines.length; i++)
        if (strcmp(h->module->pipelines.data[i]->signature.name->text, name) == 0)
            found = h->module->pipelines.data[i];
    ck_assert_ptr_nonnull(found);
    return found;
}

static hlc_status judge(hlc *h, void *data) {
    Question *question = data;
    const Schedule *schedule;
    const Pipeline *right = pipeline_named(h, "right");
    ck_assert(compiler_schedule(h, right, question->schedule, &schedule));
    const Lowered *lowered =
        compiler_lower_schedule(h, right, schedule, PASS_CHECKS, SIZE_MAX, h->scratch);
    Reassociation *found =
        reassociation_find(h->scratch, pipeline_named(h, question->judged), lowered);
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_nonnull(found->exact);
    ck_assert_uint_eq(found->funcs.length, 1);
    ck_assert_ptr_null(found->funcs.data[0].obstacle);
    ck_assert_int_eq(arguments_ready(question->a, true), HLC_YES);
    uint64_t state = 1;
    question->is_fault =
        reassociation_judge(found, h->scratch, question->a, lowered->bounds, &state) != NULL;
    question->of_f = found->funcs.data[0];
    return HLC_YES;
}

static Question ask(const char *schedule, const char *judged) {
    hlc *h = load_text(TEXT);
    Question question = {
        .a = hlc_arguments_create(h, judged), .schedule = schedule, .judged = judged};
    ck_assert_int_eq(hlc_arguments_set(question.a, "a", "random:7:90"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(question.a, "out", "3"), HLC_YES);
    ck_assert_int_eq(compiler_enter(h, judge, &question), HLC_YES);
    hlc_destroy(h);
    return question;
}

START_TEST(an_order_is_no_fault) {
    static const char *const schedules[] = {"s", "t"};
    for (size_t i = 0; i < 2; i++) {
        Question question = ask(schedules[i], "right");
        ck_assert(!question.is_fault);
        ck_assert_int_eq(question.of_f.points, 2);
        ck_assert(question.of_f.difference <= question.of_f.allowed);
    }
    /* 90 terms of at most 1: a bound of the right size, neither none nor anything goes. */
    Question question = ask("t", "right");
    ck_assert(question.of_f.difference > 0);
    ck_assert(question.of_f.allowed > 90 * 0x1p-24 && question.of_f.allowed < 0.001);
}
END_TEST

START_TEST(another_sum_is_a_fault) {
    ck_assert(ask("t", "wrong").is_fault);
    ck_assert(ask("t", "other").is_fault);
    ck_assert(ask("s", "least").is_fault);
}
END_TEST

static hlc_status find_kinds(hlc *h, void *data) {
    (void)data;
    ElementKind kinds[6], again[6];
    const ElementKind wanted[] = {ELEMENT_ADDS,    ELEMENT_CHOOSES, ELEMENT_OTHER,
                                  ELEMENT_CHOOSES, ELEMENT_ADDS,    ELEMENT_OTHER};
    const Pipeline *pipeline = pipeline_named(h, "kinds");
    Symbol name = pipeline->funcs.data[0]->shape->name;
    measure_create(pipeline->pool, h->scratch, pipeline_func(pipeline, name), MEASURE_MAGNITUDE,
                   kinds);
    measure_create(pipeline->pool, h->scratch, pipeline_func(pipeline, name), MEASURE_ADDITIONS,
                   again);
    for (int c = 0; c < 6; c++) {
        ck_assert_int_eq(kinds[c], wanted[c]);
        ck_assert_int_eq(again[c], wanted[c]);
    }
    return HLC_YES;
}

START_TEST(elements_are_told_apart) {
    hlc *h = load_text(TEXT);
    ck_assert_int_eq(compiler_enter(h, find_kinds, NULL), HLC_YES);
    hlc_destroy(h);
}
END_TEST

/* 2 g m, by hand: g = n u / (1 - n u). */
START_TEST(a_bound_is_derived) {
    Type single = {.kind = TYPE_FLOAT, .bits = 32, .lanes = 1},
         twice = {.kind = TYPE_FLOAT, .bits = 64, .lanes = 1};
    double g = 1000 * 0x1p-24 / (1 - 1000 * 0x1p-24);
    ck_assert(measure_allowed(single, 5, 1000) >= 2 * g * 5);
    ck_assert(measure_allowed(single, 5, 1000) <= 2 * g * 5 * 1.001);
    ck_assert(measure_allowed(twice, 5, 1000) <= 1e4 * 0x1p-53 * 1.001);
    ck_assert(measure_allowed(single, 5, 0) == 0);
    ck_assert(measure_allowed(single, 1.0 / 0.0, 3) < 0);
    ck_assert(measure_allowed(single, 0.0 / 0.0, 3) < 0);
    ck_assert(measure_allowed(single, 1, 0x1p23) < 0);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("sums of floats in another order");
    tcase_add_test(cases, an_order_is_no_fault);
    tcase_add_test(cases, another_sum_is_a_fault);
    tcase_add_test(cases, elements_are_told_apart);
    tcase_add_test(cases, a_bound_is_derived);
    tcase_set_timeout(cases, 120);
    return run_suite("library_reassociated", cases);
}
