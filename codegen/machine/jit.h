/* jit.h -- inside codegen/: loaded code, and how it is called. */
#ifndef HLC_CODEGEN_MACHINE_JIT_H
#define HLC_CODEGEN_MACHINE_JIT_H

#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"

#include <ffi.h>

/* One argument of the function: the parts of it that a call needs. */
typedef struct CallParameter {
    const char *name;
    bool is_image;
    Type type;
    int dimensions; /* images */
    unsigned index; /* among the scalars, or among the images */
} CallParameter;

/* All its pointers stay inside its arena: none leads to the context or to the signature. */
struct Jit {
    Arena *arena; /* of the Jit itself */
    const char *name;
    LLVMOrcLLJITRef engine;
    void (*report)(void); /* NAME_report */
    /* NAME_call of the window form; else null */
    int (*call)(hlc_report *report, const hlc_call *call, void **arguments);
    bool windows; /* it has the window form */
    CallParameter *parameters;
    unsigned scalars, images, outputs; /* inputs of both kinds; buffers of outputs */
    ffi_type **types;                  /* of NAME_report's arguments: report, inputs, outputs */
    ffi_cif interface;
};

/* Fills everything but the engine and its addresses, from the signature. False if libffi refuses.
 */
bool jit_prepare_call(Jit *jit, const Signature *signature);

#endif
