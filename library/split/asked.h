/* asked.h -- what the options of hlc_split.h ask for, of a loaded file. */
#ifndef HLC_LIBRARY_SPLIT_ASKED_H
#define HLC_LIBRARY_SPLIT_ASKED_H

#include "library/compiler.h"
#include "library/split/plan.h"

#include "include/hlc_split.h"

/* Finds the pipeline, the schedule and the funcs to cut. False after reporting. */
bool split_asked(hlc *h, const hlc_split_options *options, const char *at,
                 const Pipeline **pipeline, SplitOptions *split);

#endif
