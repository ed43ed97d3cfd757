/* pool.h -- inside runtime/: the default implementation of hlc_parallel_for. */
#ifndef HLC_RUNTIME_POOL_H
#define HLC_RUNTIME_POOL_H

#include "runtime/hlc_runtime.h"

/* Runs the tasks on the calling thread and on at most thread count - 1 threads of the pool. Never
 * fails: the calling thread runs the tasks that the pool cannot take. */
void hlc_pool_run(hlc_task *task, void *state, int64_t count);
/* Sets the number of threads of the calls in this thread; 0: the process's. Returns the previous
 * setting. */
int hlc_pool_set_call_threads(int count);

#endif
