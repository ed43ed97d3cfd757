/* batch.c -- a child process runs programs and writes each result into shared memory.  If the child
 * dies or hangs, that becomes the result of its current case, and the next child continues behind
 * it.
 */
#include "checkers/fuzz/batch.h"

#include "codegen/codegen.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_BYTES = 1 << 28 };

/* The messages of a child to its parent. */
typedef struct Shared {
    volatile int done;     /* number of complete results */
    volatile bool is_made; /* false while the case is generated, which may fail, too */
    ProgramResult results[BATCH_PROGRAMS];
} Shared;

struct Batch {
    Shared *shared;
    OracleExtent extent;
    BatchRun *run;
    const void *data;
    uint64_t first;
    int count;
    double until;
    pid_t child;
    FILE *words; /* the child's last words */
};

Batch *batch_create(OracleExtent extent) {
    Batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->extent = extent;
    batch->shared = mmap(NULL, sizeof *batch->shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (batch->shared != MAP_FAILED)
        return batch;
    free(batch);
    return NULL;
}

void batch_free(Batch *batch) {
    if (batch)
        munmap(batch->shared, sizeof *batch->shared);
    free(batch);
}

/* Limits the processor's time, so a busy machine does not look like a hang.  Also limits real time,
 * for a child that waits for something. */
static void limit_time(void) {
    struct itimerval limit = {.it_value = {.tv_sec = BATCH_SECONDS}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(30 * BATCH_SECONDS);
}

double batch_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_over(const Batch *batch) {
    return batch->until > 0 && batch_now() >= batch->until;
}

static void run_child(const Batch *batch) {
    Shared *shared = batch->shared;
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES); /* the next program has a similar size */
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    if (batch->extent == EXTENT_COMPILED)
        codegen_watch(); /* half of the runs are of watched code (case.h) */
    for (int i = shared->done; i < batch->count && !is_over(batch); i++) {
        limit_time();
        Memory memory = {.fail_after = -1};
        Arena *arena = arena_create(&memory);
        clock_t start = clock();
        shared->is_made = false;
        shared->results[i].at = 0;
        batch->run(batch->data, arena, batch->first + (uint64_t)i, batch->extent, &shared->is_made,
                   &shared->results[i]);
        shared->results[i].seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        arena_destroy(arena);
        shared->done = i + 1;
    }
}

static bool start_child(Batch *batch) {
    fflush(NULL);
    batch->words = tmpfile();
    batch->child = batch->words ? fork() : -1;
    if (batch->child == 0) {
        dup2(fileno(batch->words), STDERR_FILENO);
        run_child(batch);
        _exit(0);
    }
    if (batch->child < 0 && batch->words)
        fclose(batch->words);
    return batch->child > 0;
}

static void tell_death(const Batch *batch, int status) {
    ProgramResult *program = &batch->shared->results[batch->shared->done];
    CaseResult *result = &program->cases[0];
    int input = program->at;
    char line[400], last[400] = "no last words";
    rewind(batch->words);
    while (fgets(line, sizeof line, batch->words))
        if (line[0] != '\n')
            memcpy(last, line, sizeof last);
    last[strcspn(last, "\n")] = '\0';
    bool is_late =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
    *program = (ProgramResult){.count = 1};
    *result = (CaseResult){.input = input,
                           .verdict = !batch->shared->is_made ? VERDICT_NOT_MADE
                                      : is_late               ? VERDICT_LATE
                                                              : VERDICT_CRASHED};
    if (is_late)
        snprintf(result->message, sizeof result->message, "still running after %d seconds",
                 BATCH_SECONDS);
    else
        snprintf(result->message, sizeof result->message, "died (status %d): %s", status, last);
    batch->shared->done++;
}

bool batch_start(Batch *batch, BatchRun *run, const void *data, uint64_t first, int count,
                 double until) {
    batch->run = run;
    batch->data = data;
    batch->first = first;
    batch->count = count;
    batch->until = until;
    batch->shared->done = 0;
    return start_child(batch);
}

bool batch_finish(Batch *batch) {
    for (;;) {
        int status;
        waitpid(batch->child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            tell_death(batch, status);
        fclose(batch->words);
        if (batch->shared->done == batch->count || is_over(batch))
            return true;
        if (!start_child(batch))
            return false;
    }
}

int batch_done(const Batch *batch) {
    return batch->shared->done;
}

const ProgramResult *batch_result(const Batch *batch, int i) {
    return &batch->shared->results[i];
}

static void run_case_alone(const void *data, Arena *arena, uint64_t index, OracleExtent extent,
                           volatile bool *is_made, ProgramResult *result) {
    (void)arena;
    (void)index;
    CaseProgram program = {.inputs = {data}, .count = 1};
    *is_made = true;
    oracle_run(&program, extent, result);
}

bool batch_run_one(Batch *batch, const Case *c, CaseResult *result) {
    if (!batch_start(batch, run_case_alone, c, 0, 1, 0) || !batch_finish(batch))
        return false;
    *result = batch_result(batch, 0)->cases[0];
    return true;
}
