/* reasons.c -- what bounds a pipeline, in at most three sentences, each with its figures.
 *
 * Each possible reason has a weight: the share of the time that it is estimated to cost. The
 * weightiest are said. Where none reaches LEAST_WEIGHT, arithmetic is what remains.
 */
#include "driver/profile/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_WEIGHT = 0.1;

/* Keeps the reasons in order, the weightiest first. */
__attribute__((format(printf, 4, 5))) static void add(ProfileReport *report, const char *kind,
                                                      double weight, const char *format, ...) {
    int at = report->reason_count;
    while (at > 0 && report->reasons[at - 1].weight < weight)
        at--;
    if (at == MOST_REASONS)
        return;
    int kept = report->reason_count < MOST_REASONS ? report->reason_count : MOST_REASONS - 1;
    memmove(&report->reasons[at + 1], &report->reasons[at],
            (size_t)(kept - at) * sizeof *report->reasons);
    report->reason_count = kept + 1;
    ProfileReason *reason = &report->reasons[at];
    *reason = (ProfileReason){.kind = kind, .weight = weight};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->sentence, sizeof reason->sentence, format, arguments);
    va_end(arguments);
}

/* ---- threads ---- */

static void ask_threads(ProfileReport *report) {
    const hlc_profile_totals *totals = &report->totals;
    double threads = report->threads, serial = 1 - totals->parallel_share;
    double idle = totals->parallel_share * (threads - totals->parallel_busy) / threads;
    double lost = serial * (threads - 1) / threads;
    if (threads < 2)
        return;
    if (lost >= LEAST_WEIGHT)
        add(report, "one thread", lost,
            "One thread: %.0f %% of the time is outside of parallel loops, where one of %d threads "
            "computes; %.2f compute on average.",
            100 * serial, report->threads, totals->busy);
    if (idle >= LEAST_WEIGHT)
        add(report, "waiting", idle,
            "Waiting: in parallel loops, which take %.0f %% of the time, %.2f of %d threads "
            "compute; the others wait for work or for the loop's end.",
            100 * totals->parallel_share, totals->parallel_busy, report->threads);
}

/* ---- what the rows say ---- */

static double func_share(const ProfileReport *report, const char *func) {
    double share = 0;
    for (int i = 0; i < report->row_count; i++)
        if (report->rows[i].kind == HLC_PROFILE_STAGE && strcmp(report->rows[i].func, func) == 0)
            share += report->rows[i].share;
    return share;
}

static void ask_recomputation(ProfileReport *report) {
    const FuncCount *worst = NULL;
    double sum = 0, most = 0;
    for (size_t i = 0; i < report->counts.count; i++) {
        const FuncCount *func = &report->counts.funcs[i];
        double again = func->points > 0 ? 1 - func->distinct / func->points : 0;
        double weight = again > 0 ? again * func_share(report, func->name) : 0;
        sum += weight;
        if (weight > most) {
            most = weight;
            worst = func;
        }
    }
    if (worst && sum >= LEAST_WEIGHT)
        add(report, "recomputation", sum,
            "Recomputation: it costs %.0f %% of the time; `%.100s`, with %.0f %% of the time, "
            "computes %.0f points, %.2f times the %.0f of its region.",
            100 * sum, worst->name, 100 * func_share(report, worst->name), worst->points,
            worst->points / worst->distinct, worst->distinct);
}

/* Finds the row of a stage with the greatest weight, and adds up all weights. */
typedef double RowWeight(const hlc_profile_row *row);

static const hlc_profile_row *greatest(const ProfileReport *report, RowWeight *weight,
                                       double *sum) {
    const hlc_profile_row *found = NULL;
    *sum = 0;
    for (int i = 0; i < report->row_count; i++) {
        double of = weight(&report->rows[i]);
        *sum += of;
        if (of > 0 && (!found || of > weight(found)))
            found = &report->rows[i];
    }
    return found;
}

static double gathered(const hlc_profile_row *row) {
    double all = row->accesses[HLC_ACCESS_DENSE] + row->accesses[HLC_ACCESS_STRIDED] +
                 row->accesses[HLC_ACCESS_GATHERED];
    return row->accesses[HLC_ACCESS_GATHERED]
               ? row->share * row->accesses[HLC_ACCESS_GATHERED] / all
               : 0;
}

static double scalar(const hlc_profile_row *row) {
    return row->kind == HLC_PROFILE_STAGE && !row->lanes ? row->share : 0;
}

static double copied(const hlc_profile_row *row) {
    return row->kind == HLC_PROFILE_COPY ? row->share : 0;
}

static double around(const hlc_profile_row *row) {
    return row->kind == HLC_PROFILE_CALL ? row->share : 0;
}

static void ask_rows(ProfileReport *report) {
    double sum;
    char name[200], accesses[120];
    const hlc_profile_row *row = greatest(report, gathered, &sum);
    if (row && sum >= LEAST_WEIGHT) {
        profile_row_name(row, name, sizeof name);
        profile_accesses_text(row, accesses, sizeof accesses);
        add(report, "gathers", sum,
            "Gathers: `%s`, with %.0f %% of the time, accesses memory element by element; its "
            "vector accesses are %s.",
            name, 100 * row->share, accesses);
    }
    /* Vectors of 4 lanes would save at most three quarters. */
    row = greatest(report, scalar, &sum);
    if (row && 0.75 * sum >= LEAST_WEIGHT) {
        profile_row_name(row, name, sizeof name);
        add(report, "no vectors", 0.75 * sum,
            "No vectors: stages without a vectorized loop take %.0f %% of the time, `%s` alone "
            "%.0f %%.",
            100 * sum, name, 100 * row->share);
    }
    row = greatest(report, copied, &sum);
    if (row && sum >= LEAST_WEIGHT)
        add(report, "copies", sum,
            "Copies: %.0f %% of the time copies outputs into buffers of another layout, `%s` "
            "first.",
            100 * sum, row->func);
    row = greatest(report, around, &sum);
    if (row && sum >= LEAST_WEIGHT)
        add(report, "the call", sum,
            "The call: %.0f %% of the time is outside of all funcs, in checks, allocations and the "
            "call itself; a run takes %.4f ms.",
            100 * sum, report->plain_ms);
}

/* ---- memory ---- */

typedef struct Copy {
    char *to, *from;
    size_t piece;
} Copy;

static int copy_pieces(hlc_report *report, const void *closure, int64_t begin, int64_t end) {
    const Copy *copy = closure;
    (void)report;
    memcpy(copy->to + (size_t)begin * copy->piece, copy->from + (size_t)begin * copy->piece,
           (size_t)(end - begin) * copy->piece);
    return 0;
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Measures what copying reads and writes, in bytes a millisecond, with all threads; 0: unknown. */
static double copy_speed(void) {
    enum { PIECES = 64, PIECE = 1 << 20, TIMES = 4 };
    const int64_t lengths[] = {PIECES};
    Copy copy = {malloc((size_t)PIECES * PIECE), malloc((size_t)PIECES * PIECE), PIECE};
    double best = 0;
    hlc_report report;
    if (copy.to && copy.from) {
        memset(copy.to, 1, (size_t)PIECES * PIECE);
        memset(copy.from, 1, (size_t)PIECES * PIECE);
        for (int i = 0; i < TIMES; i++) {
            double begin = now_ms();
            hlc_parallel(&report, copy_pieces, &copy, lengths, 1, INFINITY);
            double speed = 2.0 * PIECES * PIECE / (now_ms() - begin);
            best = speed > best ? speed : best;
        }
    }
    free(copy.to);
    free(copy.from);
    return best;
}

/* What must move: inputs are read, outputs written, large blocks written and read. */
static void ask_memory(ProfileReport *report) {
    enum { WORTH_MEASURING = 1 << 20 }; /* bytes a millisecond */
    double bytes = report->image_bytes + 2 * report->counts.large;
    double speed = bytes / report->plain_ms;
    if (bytes < profile_large_block() || speed < WORTH_MEASURING)
        return;
    double most = copy_speed();
    if (most > 0 && speed >= 0.5 * most)
        add(report, "memory", speed < most ? speed / most : 1,
            "Memory: a run moves at least %.1f MB, %.1f GB/s; copying large arrays moves %.1f GB/s "
            "on this machine with %d threads.",
            bytes / 1e6, speed / 1e6, most / 1e6, report->threads);
}

/* ---- arithmetic ---- */

static double stage(const hlc_profile_row *row) {
    return row->kind == HLC_PROFILE_STAGE ? row->share : 0;
}

static void ask_arithmetic(ProfileReport *report) {
    double sum;
    char name[200];
    const hlc_profile_row *row = greatest(report, stage, &sum);
    if (!row)
        return;
    profile_row_name(row, name, sizeof name);
    const FuncCount *func = profile_find_func(&report->counts, row->func);
    if (func && func->points > 0)
        add(report, "arithmetic", 0,
            "Arithmetic: no other reason is large; `%s` has %.0f %% of the time, and each of its "
            "%.0f points takes %.2f ns of a thread.",
            name, 100 * row->share, func->points,
            profile_thread_ms(report, row) * 1e6 / func->points);
    else
        add(report, "arithmetic", 0,
            "Arithmetic: no other reason is large; `%s` has %.0f %% of the time.", name,
            100 * row->share);
}

void profile_conclude(ProfileReport *report) {
    if (report->totals.samples) {
        ask_threads(report);
        ask_recomputation(report);
        ask_rows(report);
    }
    ask_memory(report);
    if (!report->reason_count)
        ask_arithmetic(report);
    if (!report->reason_count)
        add(report, "short", 0, "Too short to be seen: there are %llu samples.",
            (unsigned long long)report->totals.samples);
}
