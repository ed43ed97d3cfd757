/* cpu.h -- the features of cpu_features.def that this processor has. */
#ifndef HLC_RUNTIME_CPU_H
#define HLC_RUNTIME_CPU_H

#include "runtime/hlc_runtime.h"

typedef enum CpuFeature {
#define CPU_FEATURE(NAME, ...) CPU_##NAME,
#include "runtime/cpu_features.def"
#undef CPU_FEATURE
    CPU_FEATURE_COUNT
} CpuFeature;

#define CPU_BIT(FEATURE) (UINT64_C(1) << (FEATURE))

/* Returns the features, a bit each, that the processor has and the operating system enables. The
 * same at each call. 0 on machines other than x86-64 and aarch64. */
uint64_t cpu_features(void);
/* LLVM's name. */
const char *cpu_feature_name(CpuFeature feature);
/* Returns all features of a level (1 to 4: x86-64, -v2, ..). */
uint64_t cpu_level(int level);
/* hlc_choose_code on a processor with the features `had`. */
int cpu_choose(hlc_report *report, const hlc_code_version *versions, int count, uint64_t had);

#endif
