/* worker.h -- inside library/: code generation in a process of its own, so that LLVM, which ends
 * its process when memory runs out or when it is at fault, ends that one and not the host's.
 *
 *   worker.c         the compiler's side: asks, tells how it ended
 *   worker_process.c starts and ends it
 *   worker_serve.c   the worker's side
 *   wire.c           how they speak
 *
 * The worker is another program (`hlc --worker`), started with posix_spawn: a fork alone would not
 * be safe in a host with threads.  A host that is its own worker and has no other thread, as `hlc`,
 * is forked instead (hlc_fork_worker), which saves the start of a program.  The worker is given the
 * program in its text form, and the places of the statements, which the text does not tell.  It
 * answers with object bytes and diagnostics.  One worker serves a handle until the handle ends; one
 * that has ended is followed by another when there is something to compile.
 *
 * There is no fallback: what the worker cannot take is refused, as this process has no limits.
 */
#ifndef HLC_LIBRARY_WORKER_H
#define HLC_LIBRARY_WORKER_H

#include "library/compiler.h"

typedef enum WorkerAnswer {
    WORKER_MADE,          /* the object */
    WORKER_REFUSES,       /* reports say why */
    WORKER_OUT_OF_MEMORY, /* of ours; LLVM's ends the worker */
    WORKER_CANNOT_READ    /* the text is beyond a limit that the front end does not keep: a fault */
} WorkerAnswer;

/* codegen_object in the worker.  False after reporting; hlc.failure then says whose fault it is. */
bool worker_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object);
/* 0 or an errno. */
int worker_start(Worker *worker);
/* What it printed, cut short, and how it ended (-1: somebody else has taken note of it). */
int worker_finish(Worker *worker, char *printed, size_t size);
/* Ends it, if there is one; waits for it. */
void worker_stop(hlc *h);

#endif
