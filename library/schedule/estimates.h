/* estimates.h -- the values of sizes and parameters that the model of schedules computes with: the bound
 * ones, and estimates of the others. */
#ifndef HLC_LIBRARY_SCHEDULE_ESTIMATES_H
#define HLC_LIBRARY_SCHEDULE_ESTIMATES_H

#include "library/compiler.h"

#include "autoschedule/autoschedule.h"

typedef struct Estimates {
    hlc *h;
    hlc_arguments *a; /* null: nothing is bound */
    const Signature *signature;
    int depth; /* of proposals that are being evaluated */
} Estimates;

/* Finds the windows of `sizes` (null: nothing is bound), as far as they are known. */
Estimates estimates_of(hlc *h, const Pipeline *pipeline, hlc_arguments *sizes);
/* A VariableValue; `data` are Estimates. */
bool estimates_value(void *data, Symbol name, Bits *bits);

#endif
