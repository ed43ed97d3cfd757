/* autoschedule.h -- chooses a schedule from the algorithm alone (docs/autoscheduler.md).
 *
 * A search over decisions (decision.h) for each func. Each candidate is written as directives
 * (render.h), applied and lowered as any schedule is, so that it is legal, and scored by a model of
 * the lowered program (model.h). Nothing is measured, and nothing depends on a clock: the same
 * algorithm, sizes and number of threads give the same schedule.
 *
 * The result accepts all sizes and parameters that the empty schedule accepts (contract_gate.h).
 */
#ifndef HLC_AUTOSCHEDULE_AUTOSCHEDULE_H
#define HLC_AUTOSCHEDULE_AUTOSCHEDULE_H

#include "autoschedule/render.h"

typedef struct AutoscheduleRequest {
    Symbol name; /* of the schedule */
    int threads;
    int candidates;         /* at most; 0: as many as the size of the pipeline suggests */
    VariableValue *startup; /* the sizes and parameters that it is chosen for */
    void *data;
    PoolTrial *trial; /* ended by the caller, too, if control leaves by a failure */
} AutoscheduleRequest;

typedef struct Autoscheduled {
    Schedule *schedule;          /* null: the empty schedule */
    Vec(const char *) reasons;   /* of each directive */
    const char *obstacle;        /* why it is the empty schedule; null: it is not */
    double cycles, empty_cycles; /* as the model predicts them */
    double bytes, empty_bytes;
    int candidates, refused;
} Autoscheduled;

/* Never fails. The schedule and the texts live in `arena`, its expressions in the pipeline's pool. */
Autoscheduled *autoschedule(const Pipeline *pipeline, const AutoscheduleRequest *request,
                            Arena *arena);
/* The model's estimate of a schedule (null: the empty one). Null if it is refused, after reporting. */
Estimate *autoschedule_estimate(const Pipeline *pipeline, const Schedule *schedule,
                                const AutoscheduleRequest *request, Arena *arena);
/* Prints the schedule as text that can be read back, with the reasons as comments. */
void autoschedule_print(const Autoscheduled *result, const Pipeline *pipeline, Symbol name,
                        Arena *arena, FILE *out);

#endif
