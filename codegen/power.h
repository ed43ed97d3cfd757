/* power.h -- `pow` of f32 without a call: see base/power.c. */
#ifndef HLC_CODEGEN_POWER_H
#define HLC_CODEGEN_POWER_H

#include "codegen/emit.h"

/* x to the power y, of f32 or vectors of them.  The intervals hold all values of the operands. */
LLVMValueRef emit_power(Emitter *emitter, FloatInterval x_range, FloatInterval y_range,
                        LLVMValueRef x, LLVMValueRef y);

#endif
