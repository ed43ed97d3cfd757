/* short_float.h -- operators and conversions of f16 and bf16, on their bits: see base/short_float.c. */
#ifndef HLC_CODEGEN_SHORT_FLOAT_H
#define HLC_CODEGEN_SHORT_FLOAT_H

#include "codegen/emit.h"

LLVMValueRef short_float_negate(Emitter *emitter, LLVMValueRef x);
/* Clears the sign. */
LLVMValueRef short_float_magnitude(Emitter *emitter, LLVMValueRef x);
/* Emits is_nan, is_inf, is_finite. */
LLVMValueRef short_float_class(Emitter *emitter, Type type, Op op, LLVMValueRef x);
/* Emits a comparison. */
LLVMValueRef short_float_compare(Emitter *emitter, Type type, Op op, LLVMValueRef a,
                                 LLVMValueRef b);
/* Converts to f32. */
LLVMValueRef short_float_widen(Emitter *emitter, Type type, LLVMValueRef x);
/* Converts from an integer, from bool, from f32 or f64 to f16 or bf16, rounded once. */
LLVMValueRef short_float_from(Emitter *emitter, Type from, Type to, LLVMValueRef x);
/* Is it an operator on f16 or bf16 that is computed in f32? */
bool short_float_is_computed(Expr node);
/* Emits such an operator by what emits it for f32. */
LLVMValueRef short_float_compute(Emitter *emitter, EmitOperator *emit, Expr node,
                                 const LLVMValueRef *operands);
/* After LLVM's passes: emits the machine's conversions. */
void short_float_lower(Emitter *emitter);

#endif
