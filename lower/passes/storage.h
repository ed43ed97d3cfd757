/* storage.h -- memory as align-storage, bound-storage and store-in ask for it. */
#ifndef HLC_LOWER_STORAGE_H
#define HLC_LOWER_STORAGE_H

#include "bounds/oracle.h"
#include "schedule/schedule.h"

/* What is to hold at entry: `most`, in startup variables, is at most the request's number. */
typedef struct StorageNeed {
    const StorageRequest *request;
    Expr most;
} StorageNeed;
typedef Vec(StorageNeed) StorageNeeds;

/* Makes the allocations in the block, whose holes are filled, as long as is asked.  False after
 * reporting where a length has no limit. */
bool storage_size(Program *program, Block *block, const BoundRequests *requests, Arena *arena,
                  StorageNeeds *needs);

/* Of a simplified program: is what should lie on the stack small enough?  False after reporting. */
bool storage_keeps_promises(Program *program, Arena *arena);

/* The parallel loop whose body's function the statement is in; null: the pipeline's. */
const Stmt *storage_function(const Stmt *stmt);

#endif
