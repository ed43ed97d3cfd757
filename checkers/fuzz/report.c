/* report.c -- shrinks a failing case, writes it as a .hl file, and prints what differs.
 *
 * The smaller case must fail with the same verdict.  Shrinking has a limit of time.  If a point
 * differs, its history follows (history.c), made in a process of its own. */
#include "checkers/fuzz/report.h"

#include "checkers/fuzz/batch.h"
#include "checkers/fuzz/history.h"
#include "checkers/fuzz/shrink.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHRINK_SECONDS = 60 };

typedef struct Failing {
    Batch *batch;
    CaseResult last;
    double until; /* the end of shrinking */
} Failing;

/* A smaller case counts only if it fails in the same manner. */
static bool fails_alike(void *data, const Case *c) {
    Failing *failing = data;
    CaseResult result;
    if (batch_now() > failing->until || !batch_run_one(failing->batch, c, &result) ||
        result.verdict != failing->last.verdict)
        return false;
    failing->last = result;
    return true;
}

static void write_case(const char *path, const char *message, const char *command,
                       const char *text) {
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "// %s\n// %s\n%s", message, command, text);
    fclose(file);
}

/* Runs in a process of its own, because the run has failed before. */
static void tell_history(const Case *c, const CaseResult *result, FILE *out) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(BATCH_SECONDS);
        history_of_case(c, result->output, result->point, out);
        fflush(out);
        _exit(0);
    }
    int status;
    if (child > 0)
        waitpid(child, &status, 0);
}

void report_finding(uint64_t seed, const CaseResult *found, const FuzzOptions *options,
                    double until, FILE *out) {
    const char *folder = options->folder;
    double latest = batch_now() + SHRINK_SECONDS;
    if (found->verdict == VERDICT_NOT_MADE) { /* generating it here would fail, too */
        fprintf(out, "seed %" PRIu64 ": while it was generated: %s\n", seed, found->message);
        return;
    }
    if (options->families) {
        fprintf(out, "seed %" PRIu64 ": %s\n  hlc fuzz --families --seed=%" PRIu64 " --show\n",
                seed, found->message, seed);
        fflush(out);
        return;
    }
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    Case *smallest =
        case_with_input(arena, case_generate(arena, seed, fuzz_kind(options)), found->input);
    Failing failing = {batch_create(fuzz_extent(options)), *found,
                       until > 0 && until < latest ? until : latest};
    if (failing.batch)
        smallest = shrink(arena, smallest, fails_alike, &failing);
    char *path = arena_format(arena, "%s/fuzz-%" PRIu64 ".hl", folder ? folder : ".", seed);
    char *command = arena_format(arena, "hlc check %s --schedule=s %s%s", path,
                                 smallest->windows ? "--windows " : "",
                                 case_arguments(arena, smallest, failing.last.boxes));
    if (options->split)
        command = arena_format(arena, "hlc fuzz --split%s%s%s --seed=%" PRIu64 " --cases=1",
                               options->reductions ? " --reductions" : "",
                               options->scans ? " --scans" : "",
                               options->recurrences ? " --recurrences" : "", seed);
    write_case(path, failing.last.message, command, case_text(arena, smallest));
    fprintf(out, "seed %" PRIu64 ": %s\n  %s\n", seed, failing.last.message, command);
    if (failing.last.has_point && !options->split)
        tell_history(smallest, &failing.last, out);
    fflush(out);
    batch_free(failing.batch);
    arena_destroy(arena);
}
