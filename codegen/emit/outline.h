/* outline.h -- inside codegen/: statements that become a function of their own, and what they use
 * of the function around.
 *
 *     Outline outline = outline_begin(e, body);      what `body` uses
 *     .. outline_add: further arguments, after those
 *     function = outline_open(&outline, name)        the builder is in it, and names mean arguments
 *     .. emit
 *     outline_close(&outline)                        the builder is back
 *
 * The function answers 0 or an error; its first argument is the report.
 */
#ifndef HLC_CODEGEN_OUTLINE_H
#define HLC_CODEGEN_OUTLINE_H

#include "codegen/emit.h"

/* One thing that the body uses and that is bound outside of it. */
typedef struct Capture {
    Symbol name;
    bool is_memory;
    const void *outside; /* LLVMValueRef or Memref[] of the function around */
    int components;      /* memory: of a func, 1 for images */
} Capture;

typedef struct Outline {
    Emitter *emitter;
    Vec(Capture) captures;
    Map known[2];     /* names captured or bound inside, of variables and of memory */
    bool is_parallel; /* a parallel loop is around the body */
    Map shared;       /* then: funcs that it updates atomically */
    bool has_output;  /* the allocation of an output stands inside: it must stay where it is */
    Vec(LLVMTypeRef) types;
    Vec(LLVMValueRef) values; /* the arguments, in the function around */
    LLVMTypeRef type;
    LLVMValueRef function;
    FunctionFrame around;
    int loop_depth;
    LLVMBasicBlockRef here;
} Outline;

/* Finds what the body uses. */
Outline outline_begin(Emitter *emitter, const Block *body);
/* One more argument; its number. */
unsigned outline_add(Outline *outline, LLVMValueRef value);
void outline_open(Outline *outline, const char *name);
void outline_close(Outline *outline);

#endif
