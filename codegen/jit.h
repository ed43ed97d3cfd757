/* jit.h -- inside codegen/: object bytes in memory, and how they are called. */
#ifndef HLC_CODEGEN_JIT_H
#define HLC_CODEGEN_JIT_H

#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"

#include <ffi.h>

struct Jit {
    Arena *arena; /* of the Jit itself */
    Context *context;
    const Signature *signature;
    LLVMOrcLLJITRef engine;
    void (*report)(void);     /* NAME_report */
    unsigned images, outputs; /* buffers */
    unsigned count;           /* arguments of NAME_report */
    ffi_type **types;
    ffi_cif interface;
};

/* Fills count, images, outputs, types, interface from the signature.  False where libffi refuses.
 */
bool jit_prepare_call(Jit *jit);

#endif
