/* measured_moves.c -- how much time moves save, by running them.
 *
 * The schedule and all moves run in turn, round after round, so that other load on the machine meets all
 * alike. The least time of each counts, because other load only adds to it: on one thread the time of the
 * processor, else that of the clock. A move whose first run takes
 * three times as long is dropped. */
#include "library/show/moves.h"

#include "library/schedule/tune.h"

#include <math.h>
#include <time.h>

enum { LEAST_ROUNDS = 3, MOST_RUNS = 1000 };
static const double SAMPLE = 300e-6, SLOWER = 3, SLACK = 0.1; /* seconds */

/* A move, or the schedule as it is. */
typedef struct MeasuredMove {
    void *code;  /* null: it was refused, or is far slower */
    double time; /* the least */
} MeasuredMove;

typedef struct MeasuredMoves {
    hlc *h;
    const Schedule *schedule;
    const Pipeline *pipeline;
    Tuning host;
    int threads;
    int runs; /* of a sample */
} MeasuredMoves;

/* Compiles the schedule, with the move if there is one. Null if it is refused, which is not reported. */
static void *compile(const MeasuredMoves *measured, const RankedMove *move) {
    hlc *h = measured->h;
    DiagMark before = diag_mark(h->context);
    Arena *arena = arena_create(&h->context->memory);
    pool_trial_begin(&h->trial, measured->pipeline->pool, arena);
    const Schedule *schedule =
        move ? moves_append(h, measured->pipeline, measured->schedule, move, arena)
             : measured->schedule;
    LowerOptions options = {.last = (PassId)(PASS_COUNT - 1), .directives = SIZE_MAX};
    const Lowered *lowered = lower(measured->pipeline, schedule, arena, &options);
    void *code = lowered ? measured->host.compile(measured->host.data, lowered->program) : NULL;
    pool_trial_end(&h->trial);
    arena_destroy(arena);
    diag_drop(h->context, before);
    return code;
}

static void release(const MeasuredMoves *measured, MeasuredMove *move) {
    if (move->code)
        measured->host.release(measured->host.data, move->code);
    move->code = NULL;
}

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run(const MeasuredMoves *measured, MeasuredMove *move, int runs, double limit) {
    double begin = processor_time();
    double time = measured->host.run(measured->host.data, move->code, runs, limit);
    if (time < 0) {
        release(measured, move);
        return;
    }
    if (measured->threads == 1)
        time = (processor_time() - begin) / runs;
    move->time = fmin(move->time, time);
}

/* `list[0]` is the schedule as it is. */
static void measure(MeasuredMoves *measured, MeasuredMove *list, size_t count, double seconds) {
    const Tuning *host = &measured->host;
    double end = host->now(host->data) + seconds;
    run(measured, &list[0], 1, INFINITY);
    double runs = SAMPLE / (list[0].time + 1e-9) + 1;
    measured->runs = runs < MOST_RUNS ? (int)runs : MOST_RUNS;
    for (int round = 0; round < LEAST_ROUNDS || host->now(host->data) < end; round++)
        for (size_t i = 0; i < count && list[0].code; i++)
            if (list[i].code)
                run(measured, &list[i], measured->runs,
                    round ? INFINITY : SLOWER * list[0].time + SLACK);
}

hlc_status moves_measure(hlc *h, const Schedule *schedule, const char *name, hlc_arguments *a,
                         int threads, double seconds, RankedMove *const *moves, size_t count) {
    MeasuredMoves measured = {
        .h = h, .schedule = schedule, .pipeline = a->pipeline, .threads = threads};
    hlc_schedule_options options = {.extend = name};
    hlc_status status = tuning_create(h, a, &options, &measured.host);
    if (status != HLC_YES)
        return status;
    MeasuredMove *list = arena_array(h->scratch, MeasuredMove, count + 1);
    for (size_t i = 0; i <= count; i++)
        list[i] = (MeasuredMove){compile(&measured, i ? moves[i - 1] : NULL), INFINITY};
    hlc_assert(list[0].code, "what has run can be compiled");
    measure(&measured, list, count + 1, seconds);
    for (size_t i = 0; i < count; i++)
        moves[i]->time = list[i + 1].code ? list[i + 1].time / list[0].time : -1;
    for (size_t i = 0; i <= count; i++)
        release(&measured, &list[i]);
    return HLC_YES;
}
