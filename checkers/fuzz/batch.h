/* batch.h -- runs programs in a process of their own, whose death is a result like any other. */
#ifndef HLC_FUZZ_BATCH_H
#define HLC_FUZZ_BATCH_H

#include "checkers/fuzz/oracle.h"

enum { BATCH_PROGRAMS = 16, BATCH_SECONDS = 20 };

/* Makes the program number `index` with its inputs, which live in `arena`.  Called in the process
 * that runs it. */
typedef void ProgramOf(const void *data, Arena *arena, uint64_t index, CaseProgram *program);

typedef struct Batch Batch;

/* Null without memory. */
Batch *batch_create(OracleExtent extent);
void batch_free(Batch *batch);
/* Begins to run the programs `first` .. `first + count - 1`, at most BATCH_PROGRAMS; none is begun
 * after `until` (batch_now; 0: never).  False without a process. */
bool batch_start(Batch *batch, ProgramOf *program_of, const void *data, uint64_t first, int count,
                 double until);
/* Waits until all that were begun have a result; after a death the rest runs in another process.
 * False without one. */
bool batch_finish(Batch *batch);
/* How many have a result. */
int batch_done(const Batch *batch);
/* In seconds, of a clock that only goes forward. */
double batch_now(void);
const ProgramResult *batch_result(const Batch *batch, int i);

/* batch_start and batch_finish of one case. */
bool batch_run_one(Batch *batch, const Case *fuzz_case, CaseResult *result);

#endif
