/* target.h -- the targets of code generation: the rows of targets.def, or this machine. */
#ifndef HLC_CODEGEN_TARGET_H
#define HLC_CODEGEN_TARGET_H

#include "base/context.h"
#include "codegen/llvm_compat.h"

#include <stdbool.h>

/* The target of one function. */
typedef struct Target {
    const char *name;                  /* "x86-64-v3", "host" */
    const char *cpu, *features, *tune; /* as LLVM spells them; `features` extend `cpu`, `tune`
                                          selects the cost model */
    uint64_t needs;                    /* required of the processor: bits of runtime/cpu.h */
    int row;                           /* of targets.def; -1: host */
    bool is_aarch64;
    bool has_fma; /* fused multiply-add in hardware */
    bool has_f16; /* conversions between f16 and f32 */
    bool has_ssse3;
    bool has_avx2, has_avx512; /* 256-bit integers; AVX-512F, BW, CD, DQ and VL */
    bool has_vbmi;             /* permutes bytes by a vector of indices */
    unsigned dot_lanes; /* lanes of 32 bits of the widest instruction that sums four byte products
                           (VNNI, ARM's dotprod); 0: none */
    bool has_gather;    /* masked gathers of 32-bit elements are faster than single loads */
} Target;

/* The register width in bytes: the widest of any target, and this target's. */
enum { WIDEST_REGISTER = 64 };
static inline unsigned target_register_bytes(const Target *target) {
    return target->has_avx512 ? WIDEST_REGISTER : target->has_avx2 ? 32 : 16;
}

/* The targets of one module. It contains the program once for each version, best first. Its entries
 * select a version, and are made for the baseline, which every machine of the architecture
 * supports. */
typedef struct ModuleMachine {
    Target *versions;
    int version_count;
    Target baseline;
    int architecture; /* row of targets.def */
    const char *triple;
    LLVMTargetMachineRef back_end; /* from machine_open on */
    LLVMTargetDataRef data;
} ModuleMachine;

/* Reads CodegenOptions.targets. False after reporting. */
bool machine_read(Context *context, Arena *arena, const char *text, ModuleMachine *machine);
/* Opens LLVM's back end; `optimize` is CodegenOptions.optimize. False if LLVM has no such back end.
 * Then `*message` gives the reason; the caller disposes of it. */
bool machine_open(ModuleMachine *machine, int optimize, char **message);
/* Replaces the back end by one that does not optimise. False as machine_open. */
bool machine_stop_optimizing(ModuleMachine *machine, char **message);
void machine_close(ModuleMachine *machine);
/* Can this machine load code for it? The entry checks the processor's features. */
bool machine_is_native(const ModuleMachine *machine);
/* Returns the back end for the baseline of this machine's architecture. The caller owns it. If LLVM
 * has none, returns null and a message that the caller disposes of. */
LLVMTargetMachineRef target_plain_back_end(char **message);
/* Puts the target into the function's attributes. */
void target_mark(const Target *target, LLVMValueRef function);

#endif
