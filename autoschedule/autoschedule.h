/* autoschedule.h -- chooses a schedule from the algorithm alone (docs/autoscheduler.md).
 *
 * A search over decisions (decision.h) for each func. Each candidate is written as directives
 * (render.h), applied and lowered as any schedule is, so that it is legal, and scored by a model of
 * the lowered program (model.h). Nothing depends on a clock: the same algorithm, sizes and number of
 * threads give the same schedule. Unless it is tuned: then the search goes on from the model's choice,
 * and candidates are compiled and measured.
 *
 * The result accepts all sizes and parameters that the empty schedule accepts (contract_gate.h).
 */
#ifndef HLC_AUTOSCHEDULE_AUTOSCHEDULE_H
#define HLC_AUTOSCHEDULE_AUTOSCHEDULE_H

#include "autoschedule/render.h"

/* How candidates are measured, by the caller. Times are in seconds. */
typedef struct Tuning {
    void *data;
    double seconds; /* for all of it, the model's search not counted */
    double (*now)(void *data);
    /* Makes code of a program that has been through all passes; null if it cannot. Reports nothing. */
    void *(*compile)(void *data, const Program *program);
    /* Runs the code so often, and returns the mean time; negative if a run is refused or has not ended
     * after `limit`. */
    double (*run)(void *data, void *code, int runs, double limit);
    void (*release)(void *data, void *code);
    /* Is told the share of the time that has passed, the number of candidates measured, and the time of
     * the fastest over that of the empty schedule. False: end with the best so far. */
    bool (*tell)(void *data, double done, int measured, double ratio);
} Tuning;

enum { MOST_SCALES = 8 };

typedef struct AutoscheduleRequest {
    Symbol name;            /* of the schedule */
    const Schedule *base;   /* is extended: its funcs stay as they are; null: the empty schedule */
    const char *base_text;  /* the base as one writes it, with its arguments; null: none */
    const Machine *machine; /* null: the typical one */
    int threads;
    int candidates; /* at most; 0: as many as the size of the pipeline suggests */
    int64_t work;   /* of lowering them, at most, in units of memory_work; 0: a few seconds' */
    VariableValue *startup; /* the sizes and parameters that it is chosen for */
    void *data;
    /* It is also chosen for images and windows whose lengths are so many times as long: the geometric mean of
     * the times over the empty schedule's decides. */
    double scales[MOST_SCALES];
    int scale_count;
    const Tuning *tuning; /* null: nothing is measured */
    PoolTrial *trial;     /* ended by the caller, too, if control leaves by a failure */
} AutoscheduleRequest;

typedef struct Autoscheduled {
    const char *base;            /* "the empty schedule", or "schedule fast(v = 8)" */
    const char *extends;         /* "fast(v = 8)", or null */
    size_t kept;                 /* directives of the base, the first ones */
    Schedule *schedule;          /* null: the empty schedule */
    Vec(const char *) reasons;   /* of each directive */
    const char *obstacle;        /* why it is the empty schedule; null: it is not */
    double cycles, empty_cycles; /* as the model predicts them */
    double bytes, empty_bytes;
    double ratios[MOST_SCALES]; /* at each scale: predicted, over the empty schedule's time */
    int ratio_count;
    double scales[MOST_SCALES];
    int candidates, refused;
    bool is_cut;             /* the model's search ended early: lowering candidates takes long */
    int dropped;             /* that were predicted to be faster, and are not acceptable */
    const char *dropped_why; /* the last of them; null: none */
    int measured;            /* candidates */
    double time, empty_time,
        predicted_time; /* measured: of it, of the empty schedule, of the model's
                                                choice */
} Autoscheduled;

/* Never fails. The base schedule stands for the empty one in all that is said. The schedule and the texts live in `arena`, its expressions in the pipeline's pool. */
Autoscheduled *autoschedule(const Pipeline *pipeline, const AutoscheduleRequest *request,
                            Arena *arena);
/* The model's estimate of a schedule (null: the empty one). Null if it is refused, after reporting. */
Estimate *autoschedule_estimate(const Pipeline *pipeline, const Schedule *schedule,
                                const AutoscheduleRequest *request, Arena *arena);
/* Prints the schedule as text that can be read back, with the reasons as comments. */
void autoschedule_print(const Autoscheduled *result, const Pipeline *pipeline, Symbol name,
                        Arena *arena, FILE *out);

#endif
