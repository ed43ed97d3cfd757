/* target.h -- what machine code is made for. */
#ifndef HLC_CODEGEN_TARGET_H
#define HLC_CODEGEN_TARGET_H

#include "codegen/llvm_compat.h"

#include <stdbool.h>

typedef struct Target {
    char *triple, *cpu, *features; /* as LLVM spells them */
    bool has_fma;                  /* fused multiply-add in hardware */
    bool has_avx2, has_avx512;     /* 256-bit integers; AVX-512F */
    bool is_aarch64;
    bool has_gather; /* of 32-bit elements, under a mask, faster than single loads */
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef data;
} Target;

/* The machine this process runs on.  `optimize` is CodegenOptions.optimize.  False where LLVM has
 * no back end for it; `*message` then says why, until target_free. */
bool target_host(Target *target, int optimize, char **message);
void target_free(Target *target);
/* Makes LLVM know this machine; target_host does so itself. */
void target_register_host(void);

#endif
