/* storage.h -- applies align-storage, bound-storage and store-in to memory. */
#ifndef HLC_LOWER_PASSES_STORAGE_H
#define HLC_LOWER_PASSES_STORAGE_H

#include "bounds/oracle.h"
#include "schedule/schedule.h"

/* A condition for the entry: `most`, over startup variables, is at most the request's number. */
typedef struct StorageNeed {
    const StorageRequest *request;
    Expr most;
} StorageNeed;
typedef Vec(StorageNeed) StorageNeeds;

/* Enlarges the allocations in the block to the requested lengths; their holes are filled.  False
 * after reporting that a length has no limit. */
bool storage_size(Program *program, Block *block, const BoundRequests *requests, Arena *arena,
                  StorageNeeds *needs);

/* Checks that everything that should lie on the stack is small enough.  For a simplified program.
 * False after reporting. */
bool storage_keeps_promises(Program *program, Arena *arena);

/* Returns the parallel loop whose body's function contains the statement; null: the pipeline's. */
const Stmt *storage_function(const Stmt *stmt);

#endif
