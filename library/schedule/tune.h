/* tune.h -- how candidates for a schedule are measured on bound arguments. */
#ifndef HLC_LIBRARY_SCHEDULE_TUNE_H
#define HLC_LIBRARY_SCHEDULE_TUNE_H

#include "library/compiler.h"

#include "autoschedule/autoschedule.h"

typedef struct Measurer Measurer;

/* Prepares measuring: all arguments are bound, and the pipeline runs on them under the empty schedule;
 * otherwise returns the status after reporting. Lives in the scratch arena. */
hlc_status tuning_create(hlc *h, hlc_arguments *a, const hlc_schedule_options *options,
                         Tuning *tuning);

#endif
