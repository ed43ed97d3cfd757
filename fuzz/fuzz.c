/* fuzz.c -- the loop over cases, in child processes.
 *
 * A child runs a batch of cases and writes each verdict into shared memory; when it dies or hangs,
 * the case that it was at is the finding, and the next child goes on behind it.
 */
#include "fuzz/fuzz.h"

#include "base/context.h"
#include "fuzz/coverage.h"
#include "fuzz/oracle.h"
#include "fuzz/shrink.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 16, CASE_SECONDS = 20, SHRINK_SECONDS = 60, REASONS = 64 };

/* What a child tells its parent. */
typedef struct Shared {
    volatile int done;     /* results that are complete */
    volatile bool is_made; /* the case that the child is at: generating it may fail, too */
    bool interpreters;     /* compile nothing */
    CaseResult results[BATCH];
} Shared;

typedef struct Reason {
    char text[32];
    uint64_t count, seed; /* of the last */
} Reason;

typedef struct Fuzzer {
    const FuzzOptions *options;
    FILE *out;
    Shared *shared;
    CaseResult results[BATCH]; /* of the last batch: reporting runs others */
    uint64_t cases, differ, refused, compiled;
    Coverage coverage;               /* of cases that were compiled and run */
    uint64_t ends[2], loose_ends[2]; /* [1]: of affine cases */
    double slowest;                  /* seconds of the processor's time */
    uint64_t slowest_seed, loose_seed;
    Reason reasons[REASONS]; /* of refusals, in the order of first sight */
} Fuzzer;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Makes the `index`-th case of a batch; lives in `arena`. */
typedef const Case *CaseOf(const void *data, Arena *arena, int index);

/* Of the processor's time, so that a machine that is busy otherwise does not look like a hang; and
 * of time as such, for a child that waits for something. */
static void limit_time(void) {
    struct itimerval limit = {.it_value = {.tv_sec = CASE_SECONDS}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(30 * CASE_SECONDS);
}

static void run_child(Shared *shared, CaseOf *case_of, const void *data, int count) {
    for (int i = 0; i < count; i++) {
        limit_time();
        Memory memory = {.fail_after = -1};
        Arena *arena = arena_create(&memory);
        clock_t start = clock();
        shared->is_made = false;
        const Case *c = case_of(data, arena, i);
        shared->is_made = true;
        oracle_run(c, shared->interpreters, &shared->results[i]);
        shared->results[i].seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        arena_destroy(arena);
        shared->done = i + 1;
    }
}

static void tell_death(CaseResult *result, int status, FILE *words, bool is_made) {
    char line[400], last[400] = "no last words";
    rewind(words);
    while (fgets(line, sizeof line, words))
        if (line[0] != '\n')
            memcpy(last, line, sizeof last);
    last[strcspn(last, "\n")] = '\0';
    *result = (CaseResult){.verdict = is_made ? VERDICT_CRASHED : VERDICT_NOT_MADE};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
        snprintf(result->message, sizeof result->message, "still running after %d seconds",
                 CASE_SECONDS);
    else
        snprintf(result->message, sizeof result->message, "died (status %d): %s", status, last);
}

/* Runs `count` cases; the results are in `shared->results`, also of one that killed the child,
 * after which the rest is left undone.  Returns how many results there are, or -1 without a
 * process. */
static int run_batch(Shared *shared, CaseOf *case_of, const void *data, int count) {
    shared->done = 0;
    fflush(NULL);
    FILE *words = tmpfile(); /* the child's last words */
    pid_t child = words ? fork() : -1;
    if (child < 0)
        return -1;
    if (child == 0) {
        dup2(fileno(words), STDERR_FILENO);
        run_child(shared, case_of, data, count);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!well)
        tell_death(&shared->results[shared->done], status, words, shared->is_made);
    fclose(words);
    return shared->done + !well;
}

static bool is_finding(Verdict verdict) {
    return verdict >= VERDICT_DIFFERS;
}

static const Case *case_itself(const void *data, Arena *arena, int index) {
    (void)arena;
    (void)index;
    return data;
}

typedef struct Failing {
    Shared *shared;
    Verdict verdict;
    CaseResult last;
    double until; /* shrinking ends */
} Failing;

/* A smaller case counts only if it fails in the same manner. */
static bool fails_alike(void *data, const Case *c) {
    Failing *failing = data;
    if (now() > failing->until || run_batch(failing->shared, case_itself, c, 1) != 1)
        return false;
    CaseResult result = failing->shared->results[0];
    if (result.verdict != failing->verdict)
        return false;
    failing->last = result;
    return true;
}

static void report(Fuzzer *fuzzer, uint64_t seed, CaseResult found) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    if (found.verdict == VERDICT_NOT_MADE) {
        fprintf(fuzzer->out, "seed %" PRIu64 ": while it was generated: %s\n", seed, found.message);
        arena_destroy(arena);
        return;
    }
    Case *original = case_generate(arena, seed);
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED)
        shared->interpreters = fuzzer->options->interpreters;
    Failing failing = {shared, found.verdict, found, now() + SHRINK_SECONDS};
    Case *smallest =
        shared == MAP_FAILED ? original : shrink(arena, original, fails_alike, &failing);
    char *arguments = case_arguments(arena, smallest, failing.last.boxes);
    const char *folder = fuzzer->options->folder ? fuzzer->options->folder : ".";
    char *path = arena_format(arena, "%s/fuzz-%" PRIu64 ".hl", folder, seed);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "// %s\n// hlc check %s --schedule=s %s\n%s", failing.last.message, path,
                arguments, case_text(arena, smallest));
        fclose(file);
    }
    fprintf(fuzzer->out, "seed %" PRIu64 ": %s\n  hlc check %s --schedule=s %s\n", seed,
            failing.last.message, path, arguments);
    fflush(fuzzer->out);
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    arena_destroy(arena);
}

static const Case *case_of_seed(const void *data, Arena *arena, int index) {
    return case_generate(arena, *(const uint64_t *)data + (uint64_t)index);
}

static int show(const FuzzOptions *options, FILE *out) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    Case *c = case_generate(arena, options->seed);
    CaseBox boxes[CASE_IMAGES];
    for (int i = 0; i < c->image_count; i++)
        boxes[i] = c->images[i].box;
    fprintf(out, "// %s\n%s", case_arguments(arena, c, boxes), case_text(arena, c));
    arena_destroy(arena);
    return 0;
}

/* ---- counting ---- */

static void count_reason(Fuzzer *fuzzer, uint64_t seed, const char *text) {
    for (int i = 0; i < REASONS; i++) {
        Reason *reason = &fuzzer->reasons[i];
        if (reason->count && strcmp(reason->text, text) != 0)
            continue;
        memcpy(reason->text, text, sizeof reason->text);
        reason->count++;
        reason->seed = seed;
        return;
    }
}

static void count(Fuzzer *fuzzer, uint64_t seed, const CaseResult *result) {
    fuzzer->cases++;
    fuzzer->compiled += (uint64_t)result->compiled;
    coverage_add(&fuzzer->coverage, &result->coverage);
    fuzzer->ends[result->affine] += (uint64_t)result->ends;
    fuzzer->loose_ends[result->affine] += (uint64_t)result->loose_ends;
    if (result->loose_ends && result->affine)
        fuzzer->loose_seed = seed;
    if (result->seconds > fuzzer->slowest) {
        fuzzer->slowest = result->seconds;
        fuzzer->slowest_seed = seed;
    }
    if (result->verdict == VERDICT_REFUSED) {
        fuzzer->refused++;
        count_reason(fuzzer, seed, result->reason);
    }
    if (is_finding(result->verdict)) {
        fuzzer->differ++;
        report(fuzzer, seed, *result);
    }
}

/* One batch; false when no process could be made. */
static bool step(Fuzzer *fuzzer, uint64_t *seed, int cases) {
    int done = run_batch(fuzzer->shared, case_of_seed, seed, cases);
    if (done < 0)
        return false;
    memcpy(fuzzer->results, fuzzer->shared->results, sizeof fuzzer->results);
    for (int i = 0; i < done; i++)
        count(fuzzer, *seed + (uint64_t)i, &fuzzer->results[i]);
    *seed += (uint64_t)done;
    return true;
}

static void summarise(const Fuzzer *fuzzer, FILE *out) {
    coverage_print(&fuzzer->coverage, out);
    fputs("refused:", out);
    for (int i = 0; i < REASONS && fuzzer->reasons[i].count; i++)
        fprintf(out, "%s %" PRIu64 " %s (seed %" PRIu64 ")", i ? "," : "", fuzzer->reasons[i].count,
                fuzzer->reasons[i].text, fuzzer->reasons[i].seed);
    fprintf(out, "\nslowest: seed %" PRIu64 ", %.1f s\n", fuzzer->slowest_seed, fuzzer->slowest);
    fprintf(out, "loose ends of images: affine %" PRIu64 " of %" PRIu64, fuzzer->loose_ends[1],
            fuzzer->ends[1]);
    if (fuzzer->loose_ends[1])
        fprintf(out, " (seed %" PRIu64 ")", fuzzer->loose_seed);
    fprintf(out, ", others %" PRIu64 " of %" PRIu64 "\n%" PRIu64 " runs compiled\n",
            fuzzer->loose_ends[0], fuzzer->ends[0], fuzzer->compiled);
    fprintf(out, "%" PRIu64 " cases, %" PRIu64 " differ, %" PRIu64 " refused\n", fuzzer->cases,
            fuzzer->differ, fuzzer->refused);
}

int fuzz_run(const FuzzOptions *options, FILE *out) {
    if (options->show)
        return show(options, out);
    Fuzzer fuzzer = {.options = options, .out = out};
    fuzzer.shared = mmap(NULL, sizeof *fuzzer.shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fuzzer.shared == MAP_FAILED)
        return 3;
    fuzzer.shared->interpreters = options->interpreters;
    double start = now();
    uint64_t seed = options->seed;
    bool works = true;
    while (works && (!options->cases || fuzzer.cases < options->cases) &&
           (options->seconds <= 0 || now() - start < options->seconds)) {
        uint64_t left = options->cases ? options->cases - fuzzer.cases : BATCH;
        works = step(&fuzzer, &seed, left < BATCH ? (int)left : BATCH);
        if (isatty(fileno(stderr)))
            fprintf(stderr, "\r%" PRIu64 " cases, %" PRIu64 " differ, %" PRIu64 " refused ",
                    fuzzer.cases, fuzzer.differ, fuzzer.refused);
    }
    if (isatty(fileno(stderr)))
        fputc('\n', stderr);
    summarise(&fuzzer, out);
    munmap(fuzzer.shared, sizeof *fuzzer.shared);
    return !works ? 3 : fuzzer.differ ? 1 : 0;
}
