/* fuzz.c -- the loop over programs.  Batches of programs run side by side in their processes.  The
 * results are counted in the order of the seeds, so the same options always print the same summary.
 * The first finding of each program is shrunk and written (report.c). */
#include "checkers/fuzz/fuzz.h"

#include "checkers/fuzz/batch.h"
#include "checkers/fuzz/scheduled/choices.h"
#include "checkers/fuzz/coverage.h"
#include "checkers/fuzz/families/families.h"
#include "checkers/fuzz/report.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, SEMANTICS_INPUTS = 3, SCHEDULED_INPUTS = 6, SPLIT_INPUTS = 4 };

typedef struct Fuzzer {
    const FuzzOptions *options;
    FILE *out;
    Batch *batches[MOST_JOBS];
    int jobs;
    WindowCounts windows;
    SplitCounts splits;
    uint64_t programs, cases, factored, reassociated, differ, late, refused, compiled, runs;
    CaseCoverage coverage;           /* of programs that were compiled and run */
    uint64_t proved_readings;        /* readings in which the rules of the report were compared */
    uint64_t ends[2], loose_ends[2]; /* [1]: of affine cases */
    RegionCounts regions[2];
    uint64_t certified, proved, left_to_run_time, open; /* programs; their obligations */
    uint64_t checked_runs, refused_runs;                /* with checks of certificates */
    uint64_t open_seed;                                 /* of the last with an open obligation */
    double until;   /* the end of new cases, by batch_now; 0: never */
    double slowest; /* seconds of the processor's time */
    uint64_t slowest_seed, wide_seed;
    Reason reasons[REASONS]; /* of refusals, in the order of first occurrence */
    ChoiceCounts choices;
} Fuzzer;

/* Returns the greatest number of inputs of a program. */
static int inputs_of(const FuzzOptions *options) {
    return options->families       ? 1
           : options->semantics    ? SEMANTICS_INPUTS
           : options->split        ? SPLIT_INPUTS
           : options->scheduled    ? SCHEDULED_INPUTS
           : options->interpreters ? CASE_MOST_INPUTS
                                   : CASE_INPUTS;
}

static void run_seed(const void *data, Arena *arena, uint64_t index, OracleExtent extent,
                     volatile bool *is_made, ProgramResult *result) {
    const FuzzOptions *options = data;
    CaseProgram program = {.count = 0};
    if (options->families) {
        *is_made = true;
        family_run(arena, index, extent, result);
        return;
    }
    case_generate_program(arena, index, fuzz_kind(options), inputs_of(options), &program);
    *is_made = true;
    oracle_run(&program, extent, result);
}

static int show(const FuzzOptions *options, FILE *out) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    CaseProgram program;
    if (options->families) {
        FamilyProgram both;
        family_draw(arena, options->seed, false, &both);
        fprintf(out, "//%s\n%s\n// The same, flat:\n%s", family_arguments(arena, &both),
                both.written, both.flat);
        arena_destroy(arena);
        return 0;
    }
    case_generate_program(arena, options->seed, fuzz_kind(options), inputs_of(options), &program);
    for (int k = 0; k < program.count; k++) {
        const Case *c = program.inputs[k];
        CaseBox boxes[CASE_IMAGES];
        for (int i = 0; i < c->image_count; i++)
            boxes[i] = c->images[i].box;
        fprintf(out, "// %s\n", case_arguments(arena, c, boxes));
    }
    fputs(case_text(arena, program.inputs[0]), out);
    arena_destroy(arena);
    return 0;
}

/* ---- counting ---- */

static void count_case(Fuzzer *fuzzer, uint64_t seed, const ProgramResult *of,
                       const CaseResult *result) {
    bool affine = of->affine;
    if (result->is_left && !is_finding(result->verdict))
        return;
    fuzzer->cases++;
    fuzzer->factored += of->factored;
    fuzzer->reassociated += of->reassociated;
    fuzzer->runs += (uint64_t)result->runs;
    fuzzer->proved_readings += (uint64_t)result->proved;
    fuzzer->ends[affine] += (uint64_t)result->ends;
    fuzzer->loose_ends[affine] += (uint64_t)result->loose_ends;
    for (int i = 0; i < 2; i++) {
        fuzzer->regions[i].all += result->regions[i].all;
        fuzzer->regions[i].wide += result->regions[i].wide;
        fuzzer->regions[i].unasked += result->regions[i].unasked;
    }
    if (result->regions[1].wide)
        fuzzer->wide_seed = seed;
    if (result->verdict == VERDICT_REFUSED) {
        fuzzer->refused++;
        reasons_count(fuzzer->reasons, seed, result->reason);
    }
    if (result->verdict == VERDICT_LATE)
        fuzzer->late++;
    else if (is_finding(result->verdict))
        fuzzer->differ++;
}

/* Reports the first finding of a program; its other findings are mostly the same. */
static void report_first(const Fuzzer *fuzzer, uint64_t seed, const ProgramResult *result) {
    for (int i = 0; i < result->count; i++)
        if (is_finding(result->cases[i].verdict)) {
            report_finding(seed, &result->cases[i], fuzzer->options, fuzzer->until, fuzzer->out);
            return;
        }
}

static void count_program(Fuzzer *fuzzer, uint64_t seed, const ProgramResult *result) {
    fuzzer->programs++;
    fuzzer->compiled += (uint64_t)result->compiled;
    window_counts_add(&fuzzer->windows, &result->windows);
    fuzzer->splits.plans += result->splits.plans;
    fuzzer->splits.maps += result->splits.maps;
    fuzzer->splits.chains += result->splits.chains;
    fuzzer->splits.merges += result->splits.merges;
    fuzzer->splits.scans += result->splits.scans;
    fuzzer->splits.tiles += result->splits.tiles;
    fuzzer->splits.lower += result->splits.lower;
    fuzzer->splits.systems += result->splits.systems;
    coverage_add(&fuzzer->coverage, &result->coverage);
    fuzzer->certified += result->proved > 0;
    fuzzer->proved += (uint64_t)result->proved;
    fuzzer->left_to_run_time += (uint64_t)result->left_to_run_time;
    fuzzer->open += (uint64_t)result->open;
    fuzzer->checked_runs += (uint64_t)result->checked_runs;
    fuzzer->refused_runs += (uint64_t)result->refused_runs;
    if (result->open)
        fuzzer->open_seed = seed;
    if (result->seconds > fuzzer->slowest) {
        fuzzer->slowest = result->seconds;
        fuzzer->slowest_seed = seed;
    }
    choice_counts_see(&fuzzer->choices, seed, &result->choice);
    for (int i = 0; i < result->count; i++)
        count_case(fuzzer, seed, result, &result->cases[i]);
    report_first(fuzzer, seed, result);
}

/* Returns the number of programs for that many cases, if each input is one. */
static uint64_t programs_for(const Fuzzer *fuzzer, uint64_t cases) {
    uint64_t inputs = (uint64_t)inputs_of(fuzzer->options);
    return cases / inputs + (cases % inputs != 0);
}

/* Runs as many batches side by side as there are jobs.  False if no process could be made. */
static bool step(Fuzzer *fuzzer, uint64_t *seed) {
    uint64_t limit = fuzzer->options->cases;
    uint64_t left = limit ? programs_for(fuzzer, limit - fuzzer->cases) : UINT64_MAX;
    int counts[MOST_JOBS], started = 0;
    uint64_t first[MOST_JOBS];
    uint64_t next = *seed;
    bool works = true;
    for (; works && started < fuzzer->jobs && left > 0; started++) {
        int count = left < BATCH_PROGRAMS ? (int)left : BATCH_PROGRAMS;
        works = batch_start(fuzzer->batches[started], run_seed, fuzzer->options, next, count,
                            fuzzer->until);
        counts[started] = works ? count : 0;
        first[started] = next;
        next += (uint64_t)count;
        left -= (uint64_t)count;
    }
    for (int job = 0; job < started; job++)
        works = counts[job] > 0 && batch_finish(fuzzer->batches[job]) && works;
    for (int job = 0; works && job < started; job++)
        for (int i = 0; i < batch_done(fuzzer->batches[job]); i++)
            count_program(fuzzer, first[job] + (uint64_t)i, batch_result(fuzzer->batches[job], i));
    *seed = next;
    return works;
}

static void summarise(const Fuzzer *fuzzer, FILE *out) {
    coverage_print(&fuzzer->coverage, out);
    if (fuzzer->options->scheduled)
        choice_counts_print(&fuzzer->choices, out);
    fputs("refused:", out);
    reasons_print(fuzzer->reasons, out);
    fprintf(out, "\nslowest: seed %" PRIu64 ", %.1f s; not done in %d s: %" PRIu64 " cases\n",
            fuzzer->slowest_seed, fuzzer->slowest, BATCH_SECONDS, fuzzer->late);
    const RegionCounts *affine = &fuzzer->regions[1], *others = &fuzzer->regions[0];
    fprintf(out, "regions that are exact: affine %" PRIu64 " of %" PRIu64,
            affine->all - affine->wide, affine->all);
    if (affine->wide)
        fprintf(out, " (not in seed %" PRIu64 ")", fuzzer->wide_seed);
    fprintf(out, ", others %" PRIu64 " of %" PRIu64 "\n", others->all - others->wide, others->all);
    fprintf(out,
            "regions of which all must be right, whatever else is read: affine %" PRIu64
            " of %" PRIu64 ", others %" PRIu64 " of %" PRIu64 "\n",
            affine->all - affine->unasked, affine->all, others->all - others->unasked, others->all);
    fprintf(out,
            "obligations of %" PRIu64 " programs that were certified: %" PRIu64 " proved, %" PRIu64
            " left to run time, %" PRIu64 " open",
            fuzzer->certified, fuzzer->proved, fuzzer->left_to_run_time, fuzzer->open);
    if (fuzzer->open)
        fprintf(out, " (in seed %" PRIu64 ")", fuzzer->open_seed);
    fprintf(out,
            "; of %" PRIu64 " runs with the checks %" PRIu64
            " refused\nends of images at which the reference reads nothing: affine %" PRIu64
            " of %" PRIu64 ", others %" PRIu64 " of %" PRIu64 "\n%" PRIu64
            " programs, compiled %" PRIu64 " times, %" PRIu64 " runs of compiled code; %" PRIu64
            " cases with factored reductions, %" PRIu64 " of them of floats\n",
            fuzzer->checked_runs, fuzzer->refused_runs, fuzzer->loose_ends[1], fuzzer->ends[1],
            fuzzer->loose_ends[0], fuzzer->ends[0], fuzzer->programs, fuzzer->compiled,
            fuzzer->runs, fuzzer->factored, fuzzer->reassociated);
    if (fuzzer->options->split)
        fprintf(out,
                "%" PRIu64 " plans of %" PRIu64 " maps, %" PRIu64 " chains, %" PRIu64
                " of them with merges, and %" PRIu64 " scans, %" PRIu64
                " of them in tiles; %" PRIu64 " orders toward lower coordinates; %" PRIu64
                " steps of recurrences\n",
                fuzzer->splits.plans, fuzzer->splits.maps, fuzzer->splits.chains,
                fuzzer->splits.merges, fuzzer->splits.scans, fuzzer->splits.tiles,
                fuzzer->splits.lower, fuzzer->splits.systems);
    if (fuzzer->options->windows)
        window_counts_print(&fuzzer->windows, out);
    fprintf(out,
            "%" PRIu64 " cases, %" PRIu64 " differ, %" PRIu64 " refused, %" PRIu64
            " proved by the rules\n",
            fuzzer->cases, fuzzer->differ, fuzzer->refused, fuzzer->proved_readings);
}

int fuzz_run(const FuzzOptions *options, FILE *out) {
    if (options->show)
        return show(options, out);
    Fuzzer fuzzer = {.options = options, .out = out};
    for (; fuzzer.jobs < MOST_JOBS && fuzzer.jobs < options->jobs; fuzzer.jobs++)
        if (!(fuzzer.batches[fuzzer.jobs] = batch_create(fuzz_extent(options))))
            break;
    if (fuzzer.jobs == 0)
        return 3;
    if (options->seconds > 0)
        fuzzer.until = batch_now() + options->seconds;
    uint64_t seed = options->seed;
    bool works = true;
    while (works && (!options->cases || fuzzer.cases < options->cases) &&
           (options->seconds <= 0 || batch_now() < fuzzer.until)) {
        works = step(&fuzzer, &seed);
        if (isatty(fileno(stderr)))
            fprintf(stderr, "\r%" PRIu64 " cases, %" PRIu64 " differ, %" PRIu64 " refused ",
                    fuzzer.cases, fuzzer.differ, fuzzer.refused);
    }
    if (isatty(fileno(stderr)))
        fputc('\n', stderr);
    summarise(&fuzzer, out);
    while (fuzzer.jobs > 0)
        batch_free(fuzzer.batches[--fuzzer.jobs]);
    return !works ? 3 : fuzzer.differ || fuzzer.late ? 1 : 0;
}
