/* outline.h -- inside codegen/: statements that become a function of their own, and the values that
 * they use of the enclosing function.
 *
 *     Outline outline = outline_begin(e, body);      finds the values that `body` uses
 *     .. outline_add: further arguments, after the captures
 *     function = outline_open(&outline, name)        the builder is in it, and names mean arguments
 *     .. emit
 *     outline_close(&outline)                        the builder is back
 *
 * The function answers 0 or an error; its first argument is the report.
 */
#ifndef HLC_CODEGEN_EMIT_OUTLINE_H
#define HLC_CODEGEN_EMIT_OUTLINE_H

#include "codegen/emit.h"

/* A name that the body uses and that is bound outside of it. */
typedef struct Capture {
    Symbol name;
    bool is_memory;
    const void *outside; /* LLVMValueRef or Memref[] in the enclosing function */
    int components;      /* memory: of a func, 1 for images */
    bool has_row;        /* the bounds of its row are captured, too */
} Capture;

typedef struct Outline {
    Emitter *emitter;
    const Stmt *owner; /* of the body */
    Vec(Capture) captures;
    Map known[2];     /* names captured or bound inside: of variables, of memory */
    bool is_parallel; /* the body is inside a parallel loop */
    Map shared;       /* in a parallel loop: funcs that it updates atomically */
    bool has_output;  /* it contains an output's allocation, and must stay in place */
    Vec(LLVMTypeRef) types;
    Vec(LLVMValueRef) values; /* the arguments, as values of the enclosing function */
    LLVMTypeRef type;
    LLVMValueRef function;
    FunctionFrame around;
    int loop_depth;
    LLVMBasicBlockRef here;
} Outline;

/* Finds the names that the body captures. */
Outline outline_begin(Emitter *emitter, const Block *body);
/* Adds an argument; returns its number. */
unsigned outline_add(Outline *outline, LLVMValueRef value);
void outline_open(Outline *outline, const char *name);
void outline_close(Outline *outline);

#endif
