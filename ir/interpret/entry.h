/* entry.h -- the checks of the entry, before any expression is evaluated. */
#ifndef HLC_IR_INTERPRET_ENTRY_H
#define HLC_IR_INTERPRET_ENTRY_H

#include "ir/algorithm.h"
#include "ir/argument.h"

/* Checks the arguments in the order of compiled code (hlc_errors.def): ranges of parameters, and
 * extents and coordinates of images and windows. An image read through a boundary condition must
 * not be empty. Returns false, with the outcome filled, if a check fails. */
bool entry_check(const Pipeline *pipeline, const Arguments *arguments, Outcome *outcome);

#endif
