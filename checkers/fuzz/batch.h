/* batch.h -- runs programs in a process of their own, so the death of one is a result like any
 * other. */
#ifndef HLC_CHECKERS_FUZZ_BATCH_H
#define HLC_CHECKERS_FUZZ_BATCH_H

#include "checkers/fuzz/oracle.h"

enum { BATCH_PROGRAMS = 16, BATCH_SECONDS = 20 };

/* Makes program number `index`, which lives in `arena`, says so by `*is_made`, and runs it.  Called
 * in a process of its own. */
typedef void BatchRun(const void *data, Arena *arena, uint64_t index, OracleExtent extent,
                      volatile bool *is_made, ProgramResult *result);

typedef struct Batch Batch;

/* Returns null if there is no memory. */
Batch *batch_create(OracleExtent extent);
void batch_free(Batch *batch);
/* Starts to run the programs `first` .. `first + count - 1`, at most BATCH_PROGRAMS.  No program
 * starts after `until` (batch_now; 0: no limit).  False without a process. */
bool batch_start(Batch *batch, BatchRun *run, const void *data, uint64_t first, int count,
                 double until);
/* Waits until all started programs have a result.  After a death the rest runs in another process.
 * False if there is none. */
bool batch_finish(Batch *batch);
/* Returns the number of programs with a result. */
int batch_done(const Batch *batch);
/* Returns seconds of a clock that only goes forward. */
double batch_now(void);
const ProgramResult *batch_result(const Batch *batch, int i);

/* Calls batch_start and batch_finish for one case. */
bool batch_run_one(Batch *batch, const Case *fuzz_case, CaseResult *result);

#endif
