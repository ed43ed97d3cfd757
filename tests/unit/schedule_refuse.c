/* schedule_refuse.c -- every rule of scheduling, broken: the code, the place, what is suggested.
 *
 * And the other side: sugar as the primitives that it means, the order of application, what the
 * bounds phase records.
 */
#include "ir/verify.h"
#include "lower/lower.h"

#include "schedules.h"
#include "suite.h"

#include <check.h>

typedef struct Outcomes {
    bool accepted;
    Directives primitives;
    BoundRequests bounds;
} Outcomes;

static Outcomes run(Bench *bench, const char *text) {
    Outcomes outcome = {0};
    const Schedule *schedule = bench_schedule(bench, text);
    const Pipeline *pipeline =
        schedule_expand(bench->pipeline, schedule, SIZE_MAX, bench->arena, &outcome.primitives);
    if (!pipeline)
        return outcome;
    Program *program = lower_initial(pipeline, bench->arena);
    outcome.accepted =
        schedule_apply(program, pipeline, &outcome.primitives, SIZE_MAX, &outcome.bounds);
    const char *fault = program_verify(bench->arena, program, true);
    ck_assert_msg(!fault, "after %s: %s", text, fault);
    return outcome;
}

typedef struct Refusal {
    char program; /* b: blur, c: chain, o: blur with an update that has an order */
    const char *schedule;
    const char *code;
    uint32_t line, column; /* directive and argument from 1; column 0 is the directive itself */
    const char *help;      /* part of the remedy */
} Refusal;

static const Refusal refusals[] = {
    /* names */
    {'c', "compute-root(q)", "E0501", 1, 1, "f, g, h"},
    {'c', "split(q.x, xo, xi, 8)", "E0501", 1, 1, "f, g, h"},
    {'c', "inline(q)", "E0501", 1, 1, "f, g, h"},
    {'c', "inline(g); compute-root(g)", "E0502", 2, 1, "inline(g)"},
    {'c', "split(g.x, xo, xi, 8); inline(g)", "E0502", 1, 1, "inline(g)"},
    {'c', "inline(g); inline(g)", "E0502", 2, 1, "inline(g)"},
    {'c', "traverse(h.q, serial)", "E0503", 1, 1, "h.s0.y, h.s0.x"},
    {'b', "swap(h.s1.q)", "E0503", 1, 1, "h.s1.y, h.s1.x, h.s1.r"},
    {'b', "swap(h.q)", "E0503", 1, 1, "h.s0.y, h.s0.x, h.s1.y, h.s1.x, h.s1.r"},
    {'c', "split(h.x, xo, xi, 8); swap(h.x)", "E0503", 2, 1, "h.s0.y, h.s0.xo, h.s0.xi"},
    {'c', "specialize(h, w < 2); split(h.x, xo, xi, 8); swap(h.z1.xo)", "E0503", 3, 1,
     "h.z1.s0.y, h.z1.s0.x"},
    {'b', "swap(h.y)", "E0504", 1, 1, "h.s0.y, h.s1.y"},
    {'c', "swap(h.s1.y)", "E0505", 1, 1, "s0"},
    {'b', "swap(h.s7.y)", "E0505", 1, 1, "s0 to s1"},
    {'c', "swap(h.z1.s0.y)", "E0506", 1, 1, "it has z0"},
    {'c', "specialize(h, w < 2); swap(h.z2.s0.y)", "E0506", 2, 1, "it has z0 to z1"},
    {'c', "split(h.x, y, xi, 8)", "E0507", 1, 2, "never had"},
    {'c', "split(h.x, xi, xi, 8)", "E0507", 1, 3, "never had"},
    {'c', "split(h.x, x, xi, 8)", "E0507", 1, 2, "never had"},
    {'c', "split(h.x, xo, xi, 8); split(h.y, xo, yi, 8)", "E0507", 2, 2, "never had"},
    {'c', "split(h.x, xo, xi, 8); fuse(h.y, x)", "E0507", 2, 2, "never had"},
    {'b', "fuse(h.s0.y, x)", "E0507", 1, 2, "never had"},
    {'c', "split(h.x, xo, xi, 8); fuse(h.xo, t); split(h.t, xo, ti, 2)", "E0507", 3, 2,
     "never had"},
    {'c', "vectorize(h.x, 8); unroll(h.y, 2); unroll(h.x_o, 2); unroll(h.y_o, 2)", "", 0, 0, ""},
    /* split */
    {'c', "split(h.x, xo, xi, 0)", "E0508", 1, 4, "e.g. 8"},
    {'c', "split(h.x, xo, xi, -4)", "E0508", 1, 4, "e.g. 8"},
    {'c', "split(h.x, xo, xi, 2147483648)", "E0508", 1, 4, "e.g. 8"},
    {'c', "split(h.x, xo, xi, nowhere)", "E0509", 1, 4, "startup"},
    {'c', "specialize(h, nowhere < 2)", "E0509", 1, 2, "startup"},
    {'c', "bound-extent(h, x, nowhere)", "E0509", 1, 3, "startup"},
    {'b', "split(h.s1.x, xo, xi, 8, shift-inwards)", "E0510", 1, 5, "guard"},
    {'b', "split(h.s1.x, xo, xi, 8, round-up)", "E0511", 1, 5, "guard"},
    {'b', "split(h.s1.r, ro, ri, 8, shift-inwards)", "E0510", 1, 5, "guard"},
    {'b', "split(h.s0.x, xo, xi, 8, shift-inwards)", "", 0, 0, ""},
    {'c', "split(h.x, xo, xi, 10); split(h.xi, a, b, 4, round-up)", "E0511", 2, 5, "divides"},
    {'c', "split(h.x, xo, xi, 10); split(h.xi, a, b, 5, round-up)", "", 0, 0, ""},
    {'c', "split(h.x, xo, xi, 10); split(h.xi, a, b, 16, shift-inwards)", "E0511", 2, 5, "divides"},
    {'c', "split(h.x, xo, xi, 10); split(h.xi, a, b, 4, shift-inwards)", "", 0, 0, ""},
    {'c', "split(h.x, xo, xi, 10); split(h.xo, a, b, 4, round-up)", "E0511", 2, 5, "divides"},
    {'c', "fuse(h.y, t); split(h.t, a, b, 4, shift-inwards)", "E0511", 2, 5, "divides"},
    {'c', "split(g.x, xo, xi, 8, round-up); compute-at(g, h.x); store-root(g)", "", 0, 0, ""},
    {'c', "split(g.x, xo, xi, 8, shift-inwards); compute-at(g, h.x); store-at(g, h.y)", "", 0, 0,
     ""},
    {'c', "split(g.x, xo, xi, 8, round-up); compute-at(g, h.x); store-at(g, h.x)", "", 0, 0, ""},
    {'c', "split(g.x, xo, xi, 8, round-up); store-root(g)", "", 0, 0, ""},
    {'c', "traverse(h.x, parallel); split(h.x, xo, xi, 8)", "E0513", 2, 1, "first"},
    {'c', "traverse(h.x, parallel); fuse(h.y, t)", "E0513", 2, 1, "first"},
    /* swap, fuse, traverse */
    {'c', "swap(h.x)", "E0514", 1, 1, "h.s0.y, h.s0.x"},
    {'c', "fuse(h.x, t)", "E0514", 1, 1, "h.s0.y, h.s0.x"},
    {'b', "fuse(h.s1.x, t)", "", 0, 0, ""},
    {'b', "fuse(h.s1.x, t); parallel(h.s1.t)", "E0517", 2, 1, "rfactor"},
    {'o', "split(h.s1.r, ro, ri, 4); swap(h.s1.ro)", "E0516", 2, 1, "pure"},
    {'o', "split(h.s1.r, ro, ri, 4); reorder(h.s1.ro, h.s1.ri)", "E0516", 2, 0, "associative"},
    {'b', "split(h.s1.r, ro, ri, 4); swap(h.s1.ro)", "", 0, 0, ""},
    {'b', "split(h.s1.r, ro, ri, 4); reorder(h.s1.ro, h.s1.y, h.s1.ri)", "", 0, 0, ""},
    {'o', "traverse(h.s1.r, parallel)", "E0517", 1, 1, "pure dimension"},
    {'o', "vectorize(h.s1.r, 4)", "E0517", 1, 1, "rfactor"},
    {'b', "fuse(g.s1.x, t); split(h.s1.r, ro, ri, 4); fuse(h.s1.ro, t); parallel(h.s1.t)", "E0517",
     4, 1, "rfactor"},
    {'b', "split(h.s1.r, ro, ri, 4); fuse(h.s1.ro, t); parallel(h.s1.t)", "E0517", 3, 1, "rfactor"},
    /* The oracle finds a length, or refuses (tests/error/E0518.hl). */
    {'b', "vectorize(h.s1.r)", "", 0, 0, ""},
    {'b', "vectorize(h.s1.r, 300)", "E0519", 1, 1, "at most 256"},
    {'b', "vectorize(h.s1.r, 4, round-up)", "E0510", 1, 3, "guard"},
    {'b', "vectorize(h.s1.r, 4); parallel(g.s1.r, 2); vectorize(g.s1.r_i, 2)", "", 0, 0, ""},
    {'b', "split(h.s1.r, ro, ri, 4); traverse(h.s1.ro, parallel); swap(h.s1.y)", "", 0, 0, ""},
    {'b', "unroll(h.s1.r, 4)", "", 0, 0, ""},
    {'c', "vectorize(h.x)", "", 0, 0, ""},
    {'c', "traverse(h.x, unrolled)", "", 0, 0, ""},
    {'c', "unroll(h.x, w)", "", 0, 0, ""},
    {'c', "vectorize(h.x, 257)", "E0519", 1, 1, "at most 256"},
    {'c', "unroll(h.x, 1025)", "E0519", 1, 1, "at most 1024"},
    {'c', "specialize(h, w < 2); specialize(h, w < 3)", "E0520", 2, 0, "one specialize"},
    /* levels */
    {'c', "compute-at(h, g.x)", "E0521", 1, 1, "root"},
    {'c', "store-at(h, g.x)", "E0521", 1, 1, "root"},
    {'c', "compute-at(g, h.x); compute-at(g, h.y)", "E0522", 2, 0, "keep one"},
    {'c', "compute-root(g); compute-at(g, h.y)", "E0522", 2, 0, "keep one"},
    {'c', "compute-at(g, h.y); compute-root(g)", "E0522", 2, 0, "keep one"},
    {'c', "store-root(g); store-root(g)", "E0523", 2, 0, "keep one"},
    {'c', "compute-at(g, h.x); store-root(g); store-at(g, h.y)", "E0523", 3, 0, "keep one"},
    {'c', "compute-at(g, g.x)", "E0524", 1, 2, "h.s0.y, h.s0.x"},
    {'c', "compute-at(g, f.x)", "E0524", 1, 2, "h.s0.y, h.s0.x"},
    {'c', "compute-at(f, h.x)", "E0525", 1, 2, "g.s0.y, g.s0.x"},
    {'b', "compute-at(g, h.s0.x)", "E0525", 1, 2, "h.s1.y, h.s1.x, h.s1.r"},
    {'b', "compute-at(f, g.s1.r); compute-at(g, h.s1.r)", "", 0, 0, ""},
    {'c', "compute-at(g, h.y); compute-at(f, h.x)", "E0525", 2, 2, "h.s0.y, g.s0.y, g.s0.x"},
    {'c', "compute-at(g, h.y); compute-at(f, h.y)", "", 0, 0, ""},
    {'c', "specialize(h, w < 2); split(h.x, xo, xi, 8); compute-at(g, h.xo)", "E0525", 3, 2,
     "h.s0.y"},
    {'c', "vectorize(h.x, 8); compute-at(g, h.x_v)", "", 0, 0, ""},
    {'c', "vectorize(h.x, 8); reorder(h.y, h.x_v); compute-at(g, h.y)", "", 0, 0, ""},
    {'c', "vectorize(h.x, 8); compute-at(g, h.x_o)", "", 0, 0, ""},
    {'c', "compute-with(f.y, h.y)", "E0584", 1, 0, "constant distances back"},
    {'c', "compute-with(h.y, g.y)", "E0584", 1, 0, "constant distances back"},
    {'c', "compute-with(g.x, h.x)", "E0584", 1, 0, "constant distances back"},
    {'c', "compute-with(g.y, h.y)", "", 0, 0, ""},
    {'c', "compute-with(g.y, h.y, align-start)", "E0584", 1, 0, "constant distances back"},
    {'c', "compute-with(f.x, g.x)", "E0584", 1, 0, "constant distances back"},
    {'c', "parallel(g.y); parallel(h.y); compute-with(g.y, h.y)", "", 0, 0, ""},
    {'c', "parallel(g.y); compute-with(g.y, h.y)", "E0585", 2, 0, "treat both nests alike"},
    {'c', "compute-with(g.x, h.y)", "E0585", 1, 0, "h.s0.y, h.s0.x"},
    {'c', "split(g.y, yo, yi, 4); split(h.y, yo, yi, 4); compute-with(g.yo, h.yo)", "E0584", 3, 0,
     "constant distances back"},
    {'c', "compute-with(g.y, g.y)", "E0586", 1, 0, "two funcs"},
    {'c', "specialize(h, w < 2); compute-with(g.y, h.y)", "E0586", 2, 0, "specialize the func"},
    {'c', "compute-with(g.y, h.y); compute-at(g, h.y)", "E0522", 2, 0, "keep one"},
    {'c', "compute-with(g.y, h.y); compute-with(g.x, h.x)", "E0586", 2, 0, "a func of each stage"},
    {'c', "compute-with(g.y, h.y); compute-at(f, g.x)", "", 0, 0, ""},
    {'c', "compute-with(g.y, h.y); compute-at(f, g.y)", "E0503", 2, 2, "g.s0.x"},
    {'c', "compute-with(g.q, h.y)", "E0503", 1, 1, "g.s0.y, g.s0.x"},
    {'c', "store-at(g, h.y)", "E0527", 1, 2, "none"},
    {'c', "compute-at(g, h.y); store-at(g, h.x)", "E0527", 2, 2, "h.s0.y"},
    {'c', "traverse(h.y, parallel); compute-at(g, h.y); store-root(g)", "E0528", 3, 0,
     "store g inside h.s0.y"},
    {'c', "traverse(h.y, parallel); compute-at(g, h.x); store-root(g)", "E0528", 3, 0, "h.s0.y"},
    {'c', "traverse(h.y, parallel); compute-at(g, h.x); store-at(g, h.y)", "", 0, 0, ""},
    {'c', "traverse(h.x, parallel); compute-at(g, h.x); store-at(g, h.y)", "E0528", 3, 0, "h.s0.x"},
    {'c', "compute-at(g, h.x); compute-at(f, g.x); traverse(h.x, parallel); store-at(f, h.y)",
     "E0528", 4, 0, "h.s0.x"},
    /* a length that is bound is a constant, but for one that is aligned besides or unknown */
    {'c', "bound(g, x, 0, 8); bound(g, y, 0, 4); unroll(g.s0.y); vectorize(g.s0.x)", "", 0, 0, ""},
    {'c', "unroll(h.s0.x); bound-extent(h, x, 8)", "", 0, 0, ""},
    {'c', "bound(h, x, 0, 8); align-bounds(h, x, 4); unroll(h.s0.x)", "", 0, 0, ""},
    {'c', "bound(h, x, 0, w); unroll(h.s0.x)", "", 0, 0, ""},
    {'c', "bound(h, y, 0, 8); unroll(h.s0.x)", "", 0, 0, ""},
    {'c', "bound(h, x, 0, 2000); unroll(h.s0.x)", "E0519", 2, 1, "1024"},
    /* inline, bounds */
    {'c', "inline(h)", "E0529", 1, 1, ""},
    {'b', "inline(g)", "E0530", 1, 1, "compute-at"},
    {'c', "bound(h, q, 0, 8)", "E0531", 1, 2, "x, y"},
    {'c', "bound(h, x, 0, 8); bound-extent(h, x, 8)", "E0532", 2, 0, "keep one"},
    {'c', "align-bounds(h, x, 8); align-bounds(h, x, 4)", "E0532", 2, 0, "keep one"},
    {'c', "align-bounds(h, x, 8); align-bounds(h, y, 4); bound(h, x, 0, 8); bound(g, x, 0, 4)", "",
     0, 0, ""},
    {'c', "bound(h, x, 0, -1)", "E0533", 1, 4, ""},
    {'c', "bound-extent(h, x, -1)", "E0533", 1, 3, ""},
    {'c', "align-bounds(h, x, 0)", "E0533", 1, 3, ""},
    {'c', "align-bounds(h, x, 4, 4)", "E0533", 1, 4, ""},
    {'c', "align-bounds(h, x, 4, -1)", "E0533", 1, 4, ""},
    /* how memory lies */
    {'c', "fold-storage(q, x, 8)", "E0501", 1, 1, "f, g, h"},
    {'c', "fold-storage(h, x, 8)", "E0565", 1, 1, "inside the pipeline"},
    {'c', "fold-storage(g, q, 8)", "E0531", 1, 2, "x, y"},
    {'c', "fold-storage(g, x, nowhere)", "E0509", 1, 3, "startup"},
    {'c', "fold-storage(g, x, 0)", "E0533", 1, 3, ""},
    {'c', "fold-storage(g, x, 8); fold-storage(g, x, 16)", "E0545", 2, 0, "one of the two"},
    {'c', "fold-storage(g, x, 8); fold-storage(g, y, w); fold-storage(f, x, 4)", "", 0, 0, ""},
    {'c', "hoist-storage(q, h.y)", "E0501", 1, 1, "f, g, h"},
    {'c', "hoist-storage-root(h)", "E0565", 1, 1, "inside the pipeline"},
    {'c', "compute-at(g, h.x); hoist-storage(g, h.q)", "E0503", 2, 2, "h.s0.y"},
    {'c', "compute-at(g, h.x); hoist-storage(g, h.y); split(h.y, yo, yi, 4)", "E0503", 2, 2,
     "h.s0.yo"},
    {'c', "compute-at(g, h.x); hoist-storage(g, h.y); hoist-storage-root(g)", "E0546", 3, 0,
     "one of the two"},
    {'c', "compute-at(g, h.y); hoist-storage(g, h.x)", "E0547", 2, 2, "around the place"},
    {'c', "traverse(h.x, parallel); compute-at(g, h.x); hoist-storage(g, h.y)", "E0528", 3, 0,
     "h.s0.x"},
    {'c', "traverse(h.x, parallel); compute-at(g, h.x); hoist-storage(g, h.x)", "", 0, 0, ""},
    {'c', "store-in(q, stack)", "E0501", 1, 1, "f, g, h"},
    {'c', "store-in(h, stack)", "E0565", 1, 1, "declared"},
    {'c', "store-in(g, stack); store-in(g, heap)", "E0523", 2, 0, "keep one"},
    {'c', "reorder-storage(h, y)", "E0565", 1, 1, "declared"},
    {'c', "reorder-storage(g, y, q)", "E0531", 1, 3, "x, y"},
    {'c', "reorder-storage(g, y, x, y)", "E0535", 1, 4, "once"},
    {'c', "stream(q)", "E0501", 1, 1, "f, g, h"},
    {'c', "stream(g)", "E0567", 1, 1, "single stage"},
    {'b', "stream(h)", "E0567", 1, 1, "single stage"},
    {'c', "stream(h); stream(h)", "E0523", 2, 0, "keep one"},
    {'c', "align-storage(q, x, 8)", "E0501", 1, 1, "f, g, h"},
    {'c', "align-storage(g, q, 8)", "E0531", 1, 2, "x, y"},
    {'c', "align-storage(g, x, 0)", "E0533", 1, 3, ""},
    {'c', "align-storage(g, x, 4097)", "E0533", 1, 3, ""},
    {'c', "bound-storage(g, x, w)", "E0533", 1, 3, ""},
    {'c', "bound-storage(g, x, 2147483648)", "E0533", 1, 3, ""},
    {'c', "bound-storage(g, x, 64); bound-storage(g, x, 32)", "E0532", 2, 0, "keep one"},
    {'c', "align-storage(g, x, 8); bound-storage(g, x, 64); bound-storage(g, y, 64)", "", 0, 0, ""},
    /* wrap, eager */
    {'c', "wrap(q, r)", "E0501", 1, 1, "f, g, h"},
    {'c', "wrap(h, r)", "E0562", 1, 1, "take out"},
    {'c', "wrap(g, q, r)", "E0501", 1, 2, "f, g, h"},
    {'c', "wrap(g, f, r)", "E0561", 1, 2, "h"},
    {'c', "wrap(g, f)", "E0563", 1, 2, "no func"},
    {'c', "wrap(g, w)", "E0563", 1, 2, "no func"},
    {'c', "wrap(g, h, h, r); compute-at(r, h.x)", "", 0, 0, ""},
    {'c', "eager(q)", "E0501", 1, 1, "f, g, h"},
    {'c', "eager(h)", "E0570", 1, 1, "constants"},
    {'c', "eager(f)", "E0570", 1, 1, "constants"},
    /* sugar */
    {'b', "reorder(h.s1.x, h.s0.y)", "E0534", 1, 2, "one stage"},
    {'b', "tile(h.s0.x, h.s1.y, xo, yo, xi, yi, 8, 8)", "E0534", 1, 2, "one stage"},
    {'c', "reorder(h.x, h.y, h.x)", "E0535", 1, 3, "once"},
    {'c', "tile(h.x, h.x, xo, yo, xi, yi, 8, 8)", "E0535", 1, 2, "once"},
    {'c', "vectorize(h.x, 8); vectorize(h.y, 8)", "", 0, 0, ""},
    {'c', "vectorize(h.y, 8); traverse(h.x, parallel)", "", 0, 0, ""},
    {'c', "vectorize(h.x, round-up)", "E0537", 1, 2, "vectorize(h.s0.x, 8, guard)"},
};

START_TEST(each_rule_is_refused_by_its_code) {
    const Refusal *r = &refusals[_i];
    Bench bench = r->program == 'b'   ? bench_blur()
                  : r->program == 'o' ? bench_ordered()
                                      : bench_chain();
    bool accepted = run(&bench, r->schedule).accepted;
    const Reports *reports = &bench.context->reports;
    if (!*r->code) {
        if (!accepted)
            diag_print_all(bench.context, stderr);
        ck_assert_msg(accepted && reports->length == 0, "%s is legal", r->schedule);
    } else {
        ck_assert_msg(reports->length == 1, "%s has one report, not %zu", r->schedule,
                      reports->length);
        const Report *report = &reports->data[0];
        bool is_warning = diag_info(report->code)->severity == SEVERITY_WARNING;
        ck_assert_msg(accepted == is_warning, "%s is refused unless it warns", r->schedule);
        ck_assert_msg(strcmp(diag_info(report->code)->code, r->code) == 0,
                      "%s breaks %s, not %s: %s", r->schedule, r->code,
                      diag_info(report->code)->code, report->message);
        ck_assert_msg(report->place.line == r->line && report->place.column == r->column,
                      "%s is refused at argument %u of directive %u", r->schedule,
                      report->place.column, report->place.line);
        ck_assert_msg(strstr(report->remedy, r->help), "%s: %s does not say %s", r->schedule,
                      report->remedy, r->help);
    }
    bench_destroy(&bench);
}
END_TEST

static const char *primitives_text(Bench *bench, const char *schedule) {
    Outcomes outcome = run(bench, schedule);
    ck_assert_msg(outcome.accepted, "%s is legal", schedule);
    char *text = "";
    for (size_t i = 0; i < outcome.primitives.length; i++)
        text = arena_format(bench->arena, "%s%s\n", text,
                            directive_text(bench->arena, &outcome.primitives.data[i]));
    return text;
}

static const struct {
    const char *sugar, *primitives;
} expansions[] = {
    {"vectorize(h.x, 8)", "split(h.s0.x, x_o, x_v, 8)\ntraverse(h.s0.x_v, vectorized)\n"},
    {"unroll(h.x, 8, round-up)",
     "split(h.s0.x, x_o, x_u, 8, round-up)\ntraverse(h.s0.x_u, unrolled)\n"},
    {"parallel(h.y)", "traverse(h.s0.y, parallel)\n"},
    {"parallel(h.y, 4)", "split(h.s0.y, y_p, y_i, 4)\ntraverse(h.s0.y_p, parallel)\n"},
    {"reorder(h.y, h.x)", "swap(h.s0.y)\n"},
    {"reorder(h.x, h.y)", ""},
    {"reorder(h.x)", ""},
    {"tile(h.x, h.y, xo, yo, xi, yi, 16, 8, shift-inwards)",
     "split(h.s0.x, xo, xi, 16, shift-inwards)\nsplit(h.s0.y, yo, yi, 8, shift-inwards)\n"
     "swap(h.s0.yi)\n"},
    /* y_p y_i x: y_p and x change places, y_i stays between. */
    {"parallel(h.y, 4); reorder(h.y_p, h.x)",
     "split(h.s0.y, y_p, y_i, 4)\ntraverse(h.s0.y_p, parallel)\n"
     "swap(h.s0.y_i)\nswap(h.s0.y_p)\nswap(h.s0.y_p)\n"},
    /* Sorted by phase; compute and storage from the last func to the first. */
    {"bound-extent(h, x, 8); store-root(f); compute-root(f); compute-at(g, h.z1.xo); "
     "split(h.z1.x, xo, xi, 8); split(h.x, xo, xi, 4); specialize(h, w < 4)",
     "specialize(h, w < 4:i32)\nbound-extent(h, x, 8)\nsplit(h.z1.s0.x, xo, xi, 8)\n"
     "split(h.s0.x, xo, xi, 4)\ncompute-at(g, h.z1.s0.xo)\ncompute-root(f)\nstore-root(f)\n"},
    {"compute-root(g); inline(f)", "inline(f)\ncompute-root(g)\n"},
};

START_TEST(sugar_means_primitives_in_order_of_application) {
    Bench bench = bench_chain();
    ck_assert_str_eq(primitives_text(&bench, expansions[_i].sugar), expansions[_i].primitives);
    bench_destroy(&bench);
}
END_TEST

START_TEST(bounds_are_recorded) {
    Bench bench = bench_chain();
    Outcomes outcome = run(&bench, "bound(h, y, 2, w); bound-extent(h, x, 8); "
                                   "align-bounds(g, x, 4); align-bounds(g, y, 4, 3)");
    ck_assert(outcome.accepted);
    ck_assert_uint_eq(outcome.bounds.requests.length, 4);
    const BoundRequest *r = outcome.bounds.requests.data;
    ck_assert(r[0].kind == BOUND_INTERVAL && r[0].dimension == 1);
    ck_assert_ptr_eq(r[0].minimum, expr_index(bench.pool, 2));
    ck_assert(r[1].kind == BOUND_LENGTH && r[1].dimension == 0 && !r[1].minimum);
    ck_assert(r[2].kind == BOUND_ALIGN && r[2].func == context_symbol(bench.context, "g"));
    ck_assert_ptr_eq(r[2].remainder, expr_index(bench.pool, 0));
    ck_assert_ptr_eq(r[3].remainder, expr_index(bench.pool, 3));
    bench_destroy(&bench);
}
END_TEST

/* f0(x) = input(x, 0); fk(x) = f(k-1)(x - 1) + f(k-1)(x + 1): as a tree it doubles with each func.
 * Returns the schedule that inlines all but the last. */
static const char *stencils(Bench *bench, int count) {
    Pool *pool = bench->pool;
    bench_image(bench, "input", I32, 2);
    Expr x = bench_variable(bench, "x"), one = expr_index(pool, 1);
    char name[16] = "f0", last[16], *text = "inline(f0)";
    bench_pure(bench, bench_func(bench, name, "x", I32),
               bench_call2(bench, "input", x, expr_index(pool, 0)));
    for (int k = 1; k <= count; k++) {
        memcpy(last, name, sizeof last);
        snprintf(name, sizeof name, "f%d", k);
        Func *func = bench_func(bench, name, "x", I32);
        bench_pure(bench, func,
                   expr_add(pool, bench_call1(bench, last, expr_sub(pool, x, one)),
                            bench_call1(bench, last, expr_add(pool, x, one))));
        if (k == count)
            bench_output(bench, func);
        else
            text = arena_format(bench->arena, "%s; inline(%s)", text, name);
    }
    return text;
}

/* As trees the expressions would have 2^60 nodes. */
START_TEST(parts_that_inlining_shares_count_once) {
    Bench bench = bench_create("stencils");
    ck_assert(run(&bench, stencils(&bench, 60)).accepted);
    bench_destroy(&bench);
}
END_TEST

START_TEST(inlining_a_chain_of_stencils_has_a_limit) {
    Bench bench = bench_create("stencils");
    ck_assert(context_set_limit(bench.context, "expression_nodes", 1000));
    ck_assert(!run(&bench, stencils(&bench, 60)).accepted);
    ck_assert_str_eq(diag_info(bench.context->reports.data[0].code)->code, "E0952");
    bench_destroy(&bench);
}
END_TEST

/* 2^15 leaves as a tree, but at most 16 reads of each func, each a sum of two others. */
START_TEST(inlined_stencils_share_their_parts) {
    Bench bench = bench_create("stencils");
    const char *schedule = stencils(&bench, 15);
    uint32_t before = bench.pool->next_number;
    ck_assert(run(&bench, schedule).accepted);
    ck_assert_uint_lt(bench.pool->next_number - before, 3000);
    bench_destroy(&bench);
}
END_TEST

/* Each func specialized, each computed inside the next: 2^k copies. */
START_TEST(copies_have_a_limit) {
    Bench bench = bench_create("copies");
    bench_image(&bench, "input", I32, 2);
    bench_parameter(&bench, "w", I32, 3, 0, 64);
    Expr x = bench_variable(&bench, "x");
    char name[16] = "f0", last[16], *text = "specialize(f0, w < 2)";
    bench_pure(&bench, bench_func(&bench, name, "x", I32),
               bench_call2(&bench, "input", x, expr_index(bench.pool, 0)));
    for (int k = 1; k <= 30; k++) {
        memcpy(last, name, sizeof last);
        snprintf(name, sizeof name, "f%d", k);
        Func *func = bench_func(&bench, name, "x", I32);
        bench_pure(&bench, func, bench_call1(&bench, last, x));
        if (k == 30)
            bench_output(&bench, func);
        text = arena_format(bench.arena, "%s; specialize(%s, w < 2); compute-at(%s, %s.x)", text,
                            name, last, name);
    }
    ck_assert(!run(&bench, text).accepted);
    ck_assert_str_eq(diag_info(bench.context->reports.data[0].code)->code, "E0951");
    bench_destroy(&bench);
}
END_TEST

START_TEST(loops_of_a_stage_have_a_limit) {
    Bench bench = bench_chain();
    char *text = "split(h.x, a0, b, 2)";
    for (int k = 1; k < 70; k++)
        text = arena_format(bench.arena, "%s; split(h.a%d, a%d, b%d, 2)", text, k - 1, k, k);
    ck_assert(!run(&bench, text).accepted);
    ck_assert_str_eq(diag_info(bench.context->reports.data[0].code)->code, "E0950");
    bench_destroy(&bench);
}
END_TEST

/* The number of loops stays small, that of the lets they leave behind does not. */
START_TEST(splitting_and_fusing_has_a_limit) {
    Bench bench = bench_chain();
    char *text = "split(h.x, a0, b0, 2); fuse(h.a0, c0)";
    for (int k = 1; k < 400; k++)
        text = arena_format(bench.arena, "%s; split(h.c%d, a%d, b%d, 2); fuse(h.a%d, c%d)", text,
                            k - 1, k, k, k, k);
    ck_assert(!run(&bench, text).accepted);
    ck_assert_str_eq(diag_info(bench.context->reports.data[0].code)->code, "E0950");
    bench_destroy(&bench);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("refuse");
    tcase_add_loop_test(tests, each_rule_is_refused_by_its_code, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_loop_test(tests, sugar_means_primitives_in_order_of_application, 0,
                        sizeof expansions / sizeof *expansions);
    tcase_add_test(tests, bounds_are_recorded);
    tcase_add_test(tests, parts_that_inlining_shares_count_once);
    tcase_add_test(tests, inlining_a_chain_of_stencils_has_a_limit);
    tcase_add_test(tests, inlined_stencils_share_their_parts);
    tcase_add_test(tests, copies_have_a_limit);
    tcase_add_test(tests, loops_of_a_stage_have_a_limit);
    tcase_add_test(tests, splitting_and_fusing_has_a_limit);
    return run_suite("schedule_refuse", tests);
}
