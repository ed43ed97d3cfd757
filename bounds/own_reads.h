/* own_reads.h -- what the updates of a func ask of the func itself (private to bounds/). */
#ifndef HLC_BOUNDS_OWN_READS_H
#define HLC_BOUNDS_OWN_READS_H

#include "bounds/gather.h"

/* Where the end of a region comes from that nothing reads. */
#define OWN_READS_UNREAD "nothing reads it"

/* Adds them to what others read. */
void own_reads_add(Gathering *gathering);
/* Does what they ask of the hull of all runs hold what they ask of each run? */
bool own_reads_hold_runs(BoundsInference *bounds, Realization *realization);
/* Does an empty region in dimension k keep all stages from running? */
bool own_reads_stop_all(const BoundsInference *bounds, const Realization *realization, int k);
/* Returns a dimension that keeps all stages from running where the region is empty in it; -1: there
 * is none. */
int own_reads_emptied_dimension(const BoundsInference *bounds, const Realization *realization);

#endif
