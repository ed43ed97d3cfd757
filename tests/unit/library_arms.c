/* library_arms.c -- what only one arm of a choice needs is computed only there: the target
 * interpreter counts the points that it writes of each func, before and after simplification and
 * at the end of lowering. */
#include "checkers/interpreter/run.h"
#include "lower/lower.h"

#include "tests/unit/frontend_support.h"

static const char TEXT[] =
    "pipeline modes(a: image<i32, 1>, mode: i32 = 0 in 0..9, on: bool = true) -> out {\n"
    "  fun deep(x) = a(x) + 1;\n"                                         /* where soft is */
    "  fun soft(x) = deep(x - 1) + deep(x + 1);\n"                        /* mode 0 */
    "  fun total() = { 0;  rdom(r = (0, 4)) in () <- total() + a(r); }\n" /* mode 1; no dimension */
    "  fun count(i) = { 0;  rdom(r = (0, 4)) in (a(r) & 7) <- count(a(r) & 7) + 1; }\n" /* mode 2 */
    "  fun both(x) = a(x) * 3;\n" /* modes 1 and 2 */
    "  fun data(x) = a(x) * 5;\n" /* on, where a is positive */
    "  fun late(x) = a(x) * 7;\n" /* where x >= 12 */
    "  fun sure(x) = a(x) * 9;\n" /* always */
    "  fun out(x) = select(mode == 0, soft(x), mode == 1, total() + both(x), \n"
    "      mode == 2, count(x & 7) + both(x), sure(x))\n"
    "    + select(on && a(x) > 0, data(x), 0) + select(x < 12, 1, late(x)) + sure(x);\n"
    "}\n"
    "schedule lanes for modes { vectorize(out.x, 4);  compute-at(late, out.x_o);  \n"
    "  compute-at(data, out.x_o); }\n"
    "schedule special for modes { specialize(out, mode == 0); }\n"
    "schedule slid for modes { split(out.x, o, i, 8);  compute-at(soft, out.i);  compute-at(deep, "
    "out.i);\n"
    "  store-at(deep, out.o);  compute-at(late, out.i);  compute-at(both, out.i);  "
    "compute-at(total, out.o); }\n";

enum { FUNCS = 9, POINTS = 16 };
static const char *const names[FUNCS] = {"deep", "soft", "total", "count", "both",
                                         "data", "late", "sure",  "out"};

typedef struct Counted {
    int writes[FUNCS];
} Counted;

static void count_write(void *data, const RunAccess *access) {
    Counted *counted = data;
    for (int i = 0; i < FUNCS; i++)
        counted->writes[i] += access->is_write && !strcmp(access->name->text, names[i]);
}

typedef struct Setting {
    const char *schedule;
    int mode;
    bool on;
    bool expected[FUNCS]; /* is anything of the func computed? */
} Setting;

static int32_t value(const int32_t *a, int x, int mode, bool on) {
    int32_t total = a[0] + a[1] + a[2] + a[3], counts[8] = {0};
    for (int r = 0; r < 4; r++)
        counts[a[r] & 7]++;
    int32_t chosen = mode == 0   ? a[x - 1] + a[x + 1] + 2
                     : mode == 1 ? total + 3 * a[x]
                     : mode == 2 ? counts[x & 7] + 3 * a[x]
                                 : 9 * a[x];
    return chosen + (on && a[x] > 0 ? 5 * a[x] : 0) + (x < 12 ? 1 : 7 * a[x]) + 9 * a[x];
}

static void check_run(const Module *module, const Setting *setting, PassId last) {
    const Pipeline *pipeline = module->pipelines.data[0];
    const Schedule *schedule =
        setting->schedule ? module_schedule(module, pipeline, setting->schedule) : NULL;
    LowerOptions options = {.last = last, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, schedule, arena, &options);
    ck_assert_ptr_nonnull(lowered);
    Image input, output;
    int32_t data[POINTS + 8];
    ck_assert(image_allocate(&input, I32, 1, (int64_t[]){-4}, (int64_t[]){POINTS + 8}));
    ck_assert(image_allocate(&output, I32, 1, (int64_t[]){0}, (int64_t[]){POINTS}));
    for (int i = 0; i < POINTS + 8; i++)
        data[i] = (i * 37 + 11) % 23 - 9;
    memcpy(input.data, data, sizeof data);
    Bits parameters[] = {(Bits)setting->mode, setting->on};
    Arguments arguments = {.parameters = parameters, .images = &input, .outputs = &output};
    Counted counted = {{0}};
    RunOptions run = {.watch = count_write, .watch_data = &counted};
    Outcome outcome = run_program(lowered->program, arena, &arguments, &run);
    ck_assert_msg(!outcome.error, "%s", outcome.message);
    for (int x = 0; x < POINTS; x++)
        ck_assert_int_eq(((const int32_t *)(const void *)output.data)[x],
                         value(data + 4, x, setting->mode, setting->on));
    for (int i = 0; i < FUNCS; i++)
        ck_assert_msg((counted.writes[i] > 0) == setting->expected[i],
                      "mode %d, on %d, schedule %s: %d points of %s", setting->mode, setting->on,
                      setting->schedule ? setting->schedule : "none", counted.writes[i], names[i]);
    if (setting->schedule && !strcmp(setting->schedule, "slid"))
        ck_assert_int_eq(counted.writes[6], POINTS - 12); /* of `late` */
    free(input.data);
    free(output.data);
}

START_TEST(computes_what_is_chosen) {
    const Module *module = good(TEXT);
    static const char *const schedules[] = {NULL, "lanes", "slid", "special"};
    static const PassId passes[] = {PASS_SLIDE, PASS_SIMPLIFY, PASS_UNSWITCH, PASS_LICM};
    for (int mode = 0; mode < 4; mode++)
        for (int on = 0; on < 2; on++)
            for (size_t s = 0; s < 4; s++) {
                Setting setting = {schedules[s],
                                   mode,
                                   on,
                                   {mode == 0, mode == 0, mode == 1, mode == 2,
                                    mode == 1 || mode == 2, on, true, true, true}};
                for (size_t p = 0; p < 4; p++)
                    check_run(module, &setting, passes[p]);
            }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("arms");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, computes_what_is_chosen);
    return run_suite("arms", cases);
}
