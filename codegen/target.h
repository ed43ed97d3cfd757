/* target.h -- what code is made for: targets.def, or the machine that this process runs on. */
#ifndef HLC_CODEGEN_TARGET_H
#define HLC_CODEGEN_TARGET_H

#include "base/context.h"
#include "codegen/llvm_compat.h"

#include <stdbool.h>

/* What a function is made for. */
typedef struct Target {
    const char *name;                  /* "x86-64-v3", "host" */
    const char *cpu, *features, *tune; /* as LLVM spells them; `features` are beyond those of `cpu`,
                                          `tune` is whose speed counts */
    uint64_t needs;                    /* what an entry must find: bits of runtime/cpu.h */
    int row;                           /* of targets.def; -1: host */
    bool is_aarch64;
    bool has_fma; /* fused multiply-add in hardware */
    bool has_ssse3;
    bool has_avx2, has_avx512; /* 256-bit integers; AVX-512F, BW, CD, DQ and VL */
    bool has_vbmi;             /* permutes bytes by vectors */
    unsigned dot_lanes; /* of the widest instruction for sums of four products of bytes (VNNI, ARM's
                           dotprod), 32 bits each; 0: it has none */
    bool has_gather;    /* of 32-bit elements, under a mask, faster than single loads */
} Target;

/* Of a vector, in bytes; of any target. */
enum { WIDEST_REGISTER = 64 };
static inline unsigned target_register_bytes(const Target *target) {
    return target->has_avx512 ? WIDEST_REGISTER : target->has_avx2 ? 32 : 16;
}

/* What one module is made for: the program once for each version, best first, and the entries that
 * choose among them for the baseline, which every machine of the architecture is. */
typedef struct ModuleMachine {
    Target *versions;
    int version_count;
    Target baseline;
    int architecture; /* row of targets.def */
    const char *triple;
    LLVMTargetMachineRef back_end; /* from machine_open on */
    LLVMTargetDataRef data;
} ModuleMachine;

/* `text` is CodegenOptions.targets.  False after reporting. */
bool machine_read(Context *context, Arena *arena, const char *text, ModuleMachine *machine);
/* `optimize` is CodegenOptions.optimize.  False where LLVM has no back end for it; `*message` (to
 * be disposed of) then says why. */
bool machine_open(ModuleMachine *machine, int optimize, char **message);
void machine_close(ModuleMachine *machine);
/* Can code for it be loaded here?  Whether the processor has all that it needs, the entry says. */
bool machine_is_native(const ModuleMachine *machine);
/* The back end for the baseline of this machine's architecture; the caller's.  Null, and a message
 * to be disposed of, where LLVM has none. */
LLVMTargetMachineRef target_plain_back_end(char **message);
/* Says on the function what it is made for. */
void target_mark(const Target *target, LLVMValueRef function);

#endif
