/* exp.h -- `exp` without a call: see base/exp.c. */
#ifndef HLC_CODEGEN_EXP_H
#define HLC_CODEGEN_EXP_H

#include "codegen/emit.h"

/* The instructions of `exp` for a vector of f32. */
LLVMValueRef emit_vector_exp(Emitter *emitter, LLVMValueRef x);

#endif
