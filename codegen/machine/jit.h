/* jit.h -- inside codegen/: object bytes in memory, and how they are called. */
#ifndef HLC_CODEGEN_JIT_H
#define HLC_CODEGEN_JIT_H

#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"

#include <ffi.h>

/* One argument of the function, as far as a call must know it. */
typedef struct CallParameter {
    const char *name;
    bool is_image;
    Type type;
    int dimensions; /* images */
    unsigned index; /* among the scalars, or among the images */
} CallParameter;

/* Refers to nothing outside of its arena: not to the context, not to the signature. */
struct Jit {
    Arena *arena; /* of the Jit itself */
    const char *name;
    LLVMOrcLLJITRef engine;
    void (*report)(void); /* NAME_report */
    CallParameter *parameters;
    unsigned scalars, images, outputs; /* inputs of both kinds; buffers of outputs */
    ffi_type **types;                  /* of NAME_report's arguments: the report, inputs, outputs */
    ffi_cif interface;
};

/* Fills in everything but the engine and what it loads, from the signature.  False where libffi
 * refuses. */
bool jit_prepare_call(Jit *jit, const Signature *signature);

#endif
