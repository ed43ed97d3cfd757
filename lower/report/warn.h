/* warn.h -- warnings about a schedule: loops that are legal, and slow for a reason that is seen in
 * the program. */
#ifndef HLC_LOWER_REPORT_WARN_H
#define HLC_LOWER_REPORT_WARN_H

#include "lower/lower.h"

/* Reports what the schedule probably does not mean (E0440 to E0443). For a program after
 * PASS_SIMPLIFY. */
void lower_warn(const Lowered *lowered, Arena *arena);

#endif
