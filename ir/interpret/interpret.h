/* interpret.h -- the core of the target interpreter: the small-step semantics of Figure 8, as
 * restated in semantics.md.
 *
 * It runs a program without holes, after any pass. Fresh memory has arbitrary contents, and a
 * shadow bit for each element that was never written. A shadowed value must not reach the output.
 * Loops run forward. run.h runs programs in other orders, and finds races.
 */
#ifndef HLC_IR_INTERPRET_INTERPRET_H
#define HLC_IR_INTERPRET_INTERPRET_H

#include "ir/argument.h"
#include "ir/stmt.h"
#include "ir/interpret/code.h"

/* The order of the iterations of a parallel or vectorized loop: one by one, or several at a time,
 * interleaved as the seed determines. A correct program gives the same result in any order. */
typedef enum RunOrder { RUN_FORWARD, RUN_BACKWARD, RUN_INTERLEAVED } RunOrder;

/* The result of a division by zero and similar operations (semantics.md, section 1), and of an
 * access outside memory:
 *   RUN_TOTAL    each operation has a result; an access outside ends the run.
 *   RUN_FORMAL   they are err_arith and err_mem, and spread as Def 4.1 says; a select drops the
 *                error of the arm that it does not choose.  A write outside makes each point of its
 *                func err_mem.  A condition or a bound that is an error ends the run.
 *   RUN_STRICT   likewise, and a select keeps that error. */
typedef enum RunReading { RUN_TOTAL, RUN_FORMAL, RUN_STRICT } RunReading;

/* A read or a write of one component of one point, for observers of all accesses in order. */
typedef struct RunAccess {
    const Stmt *stmt; /* the statement that accesses it */
    Symbol name;      /* a func or an image */
    bool is_write;
    bool is_known; /* the value does not come from memory that was never written */
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
    RunWatch *watch; /* may be null; a write follows the reads of its statement */
    void *watch_data;
    ErrorPoint *first_error; /* of a window, in the formal readings; may be null */
    uint64_t *instructions;  /* how many of code.h ran; may be null */
    const RunProgram *code;  /* what run_compile makes of the program; null: made here */
    bool is_first_look; /* compiled code runs next, with other contents of fresh memory (poison.c);
                           in the total reading */
} RunOptions;

/* Runs the program on the arguments, and writes the outputs' images. A failed assertion gives its
 * error and message. HLC_ERROR_ERROR_VALUE: a condition or a bound is an error value (not in the
 * total reading). HLC_ERROR_INTERNAL, with the statement named, must never happen (Thm 3.4). It
 * means an access outside memory (only in the total reading). Or data that was never written
 * decides something, or is inside the compute bounds or in a window. */
Outcome interpret_program(const Program *program, Arena *arena, const Arguments *arguments,
                          const RunOptions *options);

#endif
