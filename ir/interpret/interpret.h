/* interpreter.h -- the core of the target interpreter: the small-step semantics of Figure 8 as
 * semantics.md restates it.
 *
 * Runs the text of any stage that has no holes.  Memory comes with arbitrary contents and a shadow
 * bit for each element that was never written, which may not reach the output.  Loops run forward.
 * run.h runs programs in other orders, and finds races.
 */
#ifndef HLC_LOWER_INTERPRETER_H
#define HLC_LOWER_INTERPRETER_H

#include "ir/argument.h"
#include "ir/stmt.h"
#include "ir/interpret/code.h"

/* How the iterations of a parallel or vectorized loop run: one by one, or several at a time, each
 * going on now and then, as the seed says.  Any way must do. */
typedef enum RunOrder { RUN_FORWARD, RUN_BACKWARD, RUN_INTERLEAVED } RunOrder;

/* What becomes of a division by zero and its kin (semantics.md, section 1), and of an access
 * outside memory:
 *   RUN_TOTAL    each operation has a result; an access outside ends the run.
 *   RUN_FORMAL   they are err_arith and err_mem, and spread as Def 4.1 says; a select drops the
 *                error of the arm that it does not choose.  A write outside makes each point of its
 *                func err_mem.  A condition or a bound that is an error ends the run.
 *   RUN_STRICT   likewise, and a select keeps that error. */
typedef enum RunReading { RUN_TOTAL, RUN_FORMAL, RUN_STRICT } RunReading;

/* One component of one point, read or written, for who wants to know all of them in their order. */
typedef struct RunAccess {
    const Stmt *stmt; /* the statement that does it */
    Symbol name;      /* a func or an image */
    bool is_write;
    bool is_known; /* does not come from memory that was never written */
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
    Type type;
    Bits bits;
} RunAccess;
typedef void RunWatch(void *data, const RunAccess *access);

typedef struct RunOptions {
    uint64_t seed;       /* of the arbitrary contents of fresh memory, and of the interleaving */
    uint64_t budget;     /* statements; 0 is none.  Beyond it the outcome is HLC_ERROR_BUDGET. */
    RunOrder order;      /* of parallel and vectorized loops; run_program obeys it (run.h) */
    size_t memory_limit; /* bytes of one func's memory; 0 for 8 GB.  Beyond it: out of memory. */
    RunReading reading;
    RunWatch *watch; /* may be null; a write comes behind the reads of its statement */
    void *watch_data;
    ErrorPoint *first_error; /* of a window, in the formal readings; may be null */
    uint64_t *instructions;  /* how many of interpreter_code.h ran; may be null */
    const RunProgram *code;  /* what run_compile makes of the program; null: made here */
    bool is_first_look; /* compiled code runs next, with other contents of fresh memory (poison.c);
                           in the total reading */
} RunOptions;

/* Runs it on the arguments, writing the outputs' images.  A failed assertion gives its error and
 * message.  HLC_ERROR_ERROR_VALUE: a condition or a bound is an error value (not in the total
 * reading).  HLC_ERROR_INTERNAL, with the statement named: an access outside memory (only in the
 * total reading), or data never written where it decides something, inside the compute bounds, or
 * in a window (it must never happen: Thm 3.4). */
Outcome interpret_program(const Program *program, Arena *arena, const Arguments *arguments,
                          const RunOptions *options);

#endif
