/* entry.h -- what an entry checks of its arguments before any expression has a value. */
#ifndef HLC_IR_ENTRY_H
#define HLC_IR_ENTRY_H

#include "ir/algorithm.h"
#include "ir/argument.h"

/* In the order of compiled code (hlc_errors.def): the ranges of parameters; the extents and
 * coordinates of images and windows; no image is empty that a boundary condition reads.  False, with
 * the outcome filled, where one does not hold. */
bool entry_check(const Pipeline *pipeline, const Arguments *arguments, Outcome *outcome);

#endif
