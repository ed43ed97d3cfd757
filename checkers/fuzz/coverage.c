/* coverage.c -- the counters of coverage.h.  Each dimension has a row with its range of values and
 * their names.  A program sets a counter to one, however often a value occurs in it.  The settings
 * of code generation count each run.  Then the counters of all programs are added up. */
#include "checkers/fuzz/coverage.h"

#include <inttypes.h>
#include <string.h>

/* A dimension's values from `first` to `last`; their names if they are no numbers. */
typedef struct Dimension {
    const char *name;
    int first, last;
    const char *const *names;
} Dimension;

static const char *const directive_names[] = {
#define DIRECTIVE(NAME, TEXT, ...) TEXT,
#include "schedule/directives.def"
#undef DIRECTIVE
};
static const char *const slide_names[] = {"not slid", "slid", "folded"};
static const char *const partition_names[] = {"whole", "trimmed", "prologue", "epilogue",
                                              "three pieces"};
static const char *const tail_names[] = {"unsaid",
                                         "guard",
                                         "predicate",
                                         "round-up",
                                         "shift-inwards",
                                         "round-up-and-blend",
                                         "shift-inwards-and-blend"};
_Static_assert(sizeof tail_names / sizeof *tail_names == TAILS_COUNT + 1, "a name each");
static const char *const target_names[] = {"host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
static const char *const sanitizer_names[] = {"none", "address"};

static const Dimension dimensions[COVERAGE_DIMENSIONS] = {
    [COVERAGE_DIRECTIVES] = {"directives", 0, DIRECTIVE_COUNT - 1, directive_names},
    [COVERAGE_TAILS] = {"tails", 0, TAILS_COUNT, tail_names},
    [COVERAGE_LANES] = {"lanes", 2, COVERAGE_VALUES - 1, NULL},
    [COVERAGE_SLIDES] = {"slides", 0, 2, slide_names},
    [COVERAGE_PARTITION] = {"partition", 0, 4, partition_names},
    [COVERAGE_LEVELS] = {"levels", 0, CASE_LEVELS - 1, NULL},
    [COVERAGE_TARGETS] = {"targets", 0, CASE_TARGETS - 1, target_names},
    [COVERAGE_THREADS] = {"threads", 1, CASE_THREADS, NULL},
    [COVERAGE_SANITIZERS] = {"sanitizers", 0, 1, sanitizer_names}};

static void see_once(CaseCoverage *coverage, CoverageDimension dimension, int64_t value) {
    if (value >= dimensions[dimension].first && value <= dimensions[dimension].last)
        coverage->counts[dimension][value] = 1;
}

void coverage_see_schedule(CaseCoverage *coverage, const Schedule *schedule) {
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        const DirectiveArgument *last = &directive->arguments.data[directive->arguments.length - 1];
        bool has_tail = last->kind == ARGUMENT_TAIL, has_factor = last->kind == ARGUMENT_EXPR;
        Phase phase = directive_info(directive->kind)->phase;
        see_once(coverage, COVERAGE_DIRECTIVES, directive->kind);
        if (has_tail || (has_factor && (phase == PHASE_LOOPS || phase == PHASE_SUGAR)))
            see_once(coverage, COVERAGE_TAILS, has_tail ? (int)last->tail + 1 : 0);
    }
}

static bool see_loop(void *data, Stmt *stmt) {
    int64_t length;
    if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED &&
        expr_constant_integer(stmt->loop.interval.length, &length))
        see_once(data, COVERAGE_LANES, length);
    return true;
}

void coverage_see_program(CaseCoverage *coverage, Program *program) {
    block_visit(&program->body, &(StmtVisitor){coverage, see_loop, NULL});
}

static bool see_fold(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_ALLOCATE && stmt->allocate.folds)
        see_once(data, COVERAGE_SLIDES, 2);
    return true;
}

void coverage_see_slides(CaseCoverage *coverage, const Lowered *lowered) {
    for (size_t i = 0; i < lowered->bounds->slides.length; i++)
        see_once(coverage, COVERAGE_SLIDES, lowered->bounds->slides.data[i].slides);
    block_visit(&lowered->program->body, &(StmtVisitor){coverage, see_fold, NULL});
}

void coverage_see_partition(CaseCoverage *coverage, PartitionCounts counts) {
    const size_t kinds[] = {counts.loops - counts.changed, counts.trimmed, counts.prologues,
                            counts.epilogues, counts.both};
    for (int i = 0; i < 5; i++)
        if (kinds[i])
            see_once(coverage, COVERAGE_PARTITION, i);
}

void coverage_see_run(CaseCoverage *coverage, const CaseConfiguration *configuration) {
    coverage->counts[COVERAGE_LEVELS][configuration->optimize]++;
    coverage->counts[COVERAGE_TARGETS][configuration->target]++;
    coverage->counts[COVERAGE_THREADS][configuration->threads]++;
    coverage->counts[COVERAGE_SANITIZERS][configuration->sanitized]++;
}

void coverage_add(CaseCoverage *sum, const CaseCoverage *coverage) {
    for (int d = 0; d < COVERAGE_DIMENSIONS; d++)
        for (int v = 0; v < COVERAGE_VALUES; v++)
            sum->counts[d][v] += coverage->counts[d][v];
}

int coverage_missing(const CaseCoverage *coverage, CoverageDimension dimension, uint32_t least) {
    int count = 0;
    for (int v = dimensions[dimension].first; v <= dimensions[dimension].last; v++)
        count += coverage->counts[dimension][v] < least;
    return count;
}

static void print_dimension(const CaseCoverage *coverage, CoverageDimension which, FILE *out) {
    const Dimension *d = &dimensions[which];
    int values = d->last - d->first + 1;
    uint32_t least = UINT32_MAX;
    for (int v = d->first; v <= d->last; v++)
        least = coverage->counts[which][v] < least ? coverage->counts[which][v] : least;
    fprintf(out, "%s: %d of %d, each at least %" PRIu32 " times:", d->name,
            values - coverage_missing(coverage, which, 1), values, least);
    for (int v = d->first; v <= d->last; v++) {
        if (d->names)
            fprintf(out, " %s=%" PRIu32, d->names[v], coverage->counts[which][v]);
        else
            fprintf(out, " %d=%" PRIu32, v, coverage->counts[which][v]);
    }
    fputc('\n', out);
}

void coverage_print(const CaseCoverage *coverage, FILE *out) {
    for (int d = 0; d < COVERAGE_DIMENSIONS; d++)
        print_dimension(coverage, (CoverageDimension)d, out);
}

/* ---- windows, by what their program has ---- */

static const char *const trait_names[WINDOW_TRAITS] = {
    [WINDOWS_REPEAT_EDGE] = "repeat_edge",
    [WINDOWS_REPEAT_IMAGE] = "repeat_image",
    [WINDOWS_MIRROR_IMAGE] = "mirror_image",
    [WINDOWS_MIRROR_INTERIOR] = "mirror_interior",
    [WINDOWS_CONSTANT_EXTERIOR] = "constant_exterior",
    [WINDOWS_REDUCTIONS] = "reductions",
    [WINDOWS_RECURRENCES] = "recurrences",
    [WINDOWS_PARALLEL] = "parallel loops",
    [WINDOWS_VECTORIZED] = "vectorized loops"};

static bool has_image(const Case *c, const char *boundary) {
    size_t length = strlen(boundary);
    for (int i = 0; i < c->image_count; i++)
        if (c->images[i].boundary && strncmp(c->images[i].boundary, boundary, length) == 0)
            return true;
    return false;
}

static bool has_reduction(const Case *c) {
    for (int i = 0; i < c->func_count; i++)
        for (size_t u = 0; u < c->funcs[i].updates.length; u++)
            if (c->funcs[i].updates.data[u].reductions > 0)
                return true;
    return false;
}

static bool has_directive(const Case *c, const char *word) {
    for (size_t i = 0; i < c->directives.length; i++)
        if (strstr(c->directives.data[i], word))
            return true;
    return false;
}

static bool has(const Case *c, WindowTrait trait) {
    return trait <= WINDOWS_CONSTANT_EXTERIOR ? has_image(c, trait_names[trait])
           : trait == WINDOWS_REDUCTIONS      ? has_reduction(c)
           : trait == WINDOWS_RECURRENCES     ? c->equation_count > 0
           : trait == WINDOWS_PARALLEL        ? has_directive(c, "parallel")
                                              : has_directive(c, "vectorize");
}

void window_counts_see(WindowCounts *counts, const Case *c, int windows) {
    counts->partitions++;
    counts->windows += (uint64_t)windows;
    for (int i = 0; i < WINDOW_TRAITS; i++)
        counts->with[i] += has(c, (WindowTrait)i) ? (uint64_t)windows : 0;
}

void window_counts_add(WindowCounts *sum, const WindowCounts *counts) {
    sum->partitions += counts->partitions;
    sum->windows += counts->windows;
    for (int i = 0; i < WINDOW_TRAITS; i++)
        sum->with[i] += counts->with[i];
}

void window_counts_print(const WindowCounts *counts, FILE *out) {
    fputs("windows of programs with", out);
    for (int i = 0; i < WINDOW_TRAITS; i++)
        fprintf(out, "%s %s=%" PRIu64, i ? "," : "", trait_names[i], counts->with[i]);
    fprintf(out,
            "\n%" PRIu64 " windows between guard pages, of %" PRIu64
            " partitions, compared with the whole\n",
            counts->windows, counts->partitions);
}
