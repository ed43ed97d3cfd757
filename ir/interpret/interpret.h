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

/* The order of iterations of a parallel or vectorized loop: one by one, or several interleaved as
 * the seed determines. A correct program gives the same result in any order. */
typedef enum RunOrder { RUN_FORWARD, RUN_BACKWARD, RUN_INTERLEAVED } RunOrder;

/* Tells what a division by zero or a similar operation gives (semantics.md, section 1), and an
 * access outside memory:
 *   RUN_TOTAL    Each operation has a result. An access outside memory ends the run.
 *   RUN_FORMAL   They give err_arith and err_mem, which spread as in Def 4.1. A select drops the
 *                error of the arm that it does not choose.  A write outside memory makes each point
 *                of its func err_mem.  A condition or a bound that is an error ends the run.
 *   RUN_STRICT   Like RUN_FORMAL, but a select keeps that error.
 */
typedef enum RunReading { RUN_TOTAL, RUN_FORMAL, RUN_STRICT } RunReading;

/* A read or a write of one component of one point. Observers get all accesses in order. */
typedef struct RunAccess {
    const Stmt *stmt; /* the accessing statement */
    Symbol name;      /* a func or an image */
    bool is_write;
    bool is_known; /* false if the value depends on memory that was never written */
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
    Type type;
    Bits bits;
} RunAccess;
typedef void RunWatch(void *data, const RunAccess *access);

typedef struct RunOptions {
    uint64_t seed;   /* for the arbitrary contents of fresh memory, and for the interleaving */
    uint64_t budget; /* greatest number of statements, with what a C function reads and writes, or 0
                            for no limit; beyond it the outcome is HLC_ERROR_BUDGET */
    RunOrder order;  /* for parallel and vectorized loops; only run_program obeys it (run.h) */
    size_t memory_limit; /* greatest number of bytes for one func; 0 means 8 GB; beyond it the run
                            is out of memory */
    RunReading reading;
    RunWatch *watch; /* may be null; gets the reads of a statement before its writes */
    void *watch_data;
    ErrorPoint *first_error; /* receives the first error value in a window, in the formal readings;
                                may be null */
    uint64_t *instructions; /* receives the number of executed instructions (code.h); may be null */
    const RunProgram *code; /* the result of run_compile; null: interpret_program compiles the
                                program */
    bool is_first_look; /* compiled code runs next, with other contents of fresh memory (poison.c);
                           only in the total reading */
} RunOptions;

/* Runs the program on the arguments, and writes the outputs' images. A failed assertion gives its
 * error and message. HLC_ERROR_ERROR_VALUE: a condition or a bound is an error value (not in the
 * total reading). HLC_ERROR_INTERNAL names the statement and must never happen (Thm 3.4). It means
 * an access outside memory (in the total reading only), or that unwritten data decides something,
 * or reaches the compute bounds or a window. */
Outcome interpret_program(const Program *program, Arena *arena, const Arguments *arguments,
                          const RunOptions *options);

#endif
