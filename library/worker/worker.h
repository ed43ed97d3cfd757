/* worker.h -- inside library/: code generation in a separate process. LLVM ends its process when
 * memory runs out or on a fault of its own: then it ends this one, not the host's.
 *
 *   worker.c         the compiler's side: sends requests, reports the worker's end
 *   worker_process.c starts and ends it
 *   worker_serve.c   the worker's side
 *   wire.c           the protocol
 *
 * The worker is another program (`hlc --worker`), started with posix_spawn: a fork alone would not
 * be safe in a host with threads. A host that is its own worker and has no other thread, such as
 * `hlc`, forks instead (hlc_fork_worker), which saves the start of a program. The worker receives
 * the program in its text form, and the places of the statements, which the text does not contain.
 * It answers with object bytes and diagnostics. One worker serves a handle until the handle ends.
 * If it ends early, the next compilation starts another.
 *
 * There is no fallback: what the worker cannot take is refused, since this process has no limits.
 */
#ifndef HLC_LIBRARY_WORKER_WORKER_H
#define HLC_LIBRARY_WORKER_WORKER_H

#include "library/compiler.h"

typedef enum WorkerAnswer {
    WORKER_MADE,          /* the object */
    WORKER_REFUSES,       /* the reports give the reason */
    WORKER_OUT_OF_MEMORY, /* of ours; LLVM's ends the worker */
    WORKER_CANNOT_READ    /* the text is beyond a limit that the front end does not keep: a fault */
} WorkerAnswer;

/* Runs codegen_object in the worker. False after reporting; hlc.failure then gives the status. */
bool worker_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object);
/* 0 or an errno. */
int worker_start(Worker *worker);
/* Returns how the worker ended (-1: other code waited for it first), and its truncated output. */
int worker_finish(Worker *worker, char *printed, size_t size);
/* Ends it, if there is one; waits for it. */
void worker_stop(hlc *h);

#endif
