/* sizes.h -- a choice for several sizes: those of the request, and their images and windows enlarged.
 *
 * The lengths of images and windows are multiplied by a scale. Short ones, such as the channels of a
 * picture, stay as they are. A candidate is lowered once, and estimated at each of the sizes. */
#ifndef HLC_AUTOSCHEDULE_SIZES_H
#define HLC_AUTOSCHEDULE_SIZES_H

#include "autoschedule/search.h"

/* Estimates the base schedule, whose program this is, at each scale of the request. The program's trial may
 * end afterwards. */
void sizes_begin(ScheduleSearch *search, const Program *empty);
/* The estimate at scale `i` of the request. */
Estimate *sizes_estimate(const ScheduleSearch *search, const Program *program, int i, Arena *arena);

#endif
