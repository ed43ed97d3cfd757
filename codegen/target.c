/* target.c -- the machine that code is made for, and LLVM's back end for it. */
#include "codegen/target.h"

#include <pthread.h>

/* LLVM keeps its back ends in a process-wide list of its own, which must be filled once. */
static pthread_once_t registered = PTHREAD_ONCE_INIT;

static void register_native(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

/* Does the comma-separated list of LLVM's features have `feature`, as "+fma"? */
static bool has_feature(const char *features, const char *feature) {
    size_t length = strlen(feature);
    for (const char *at = features; (at = strstr(at, feature)); at++)
        if ((at == features || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
            return true;
    return false;
}

void target_register_host(void) {
    pthread_once(&registered, register_native);
}

bool target_host(Target *target, int optimize, char **message) {
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    target_register_host();
    *target = (Target){0};
    *message = NULL;
    target->triple = LLVMGetDefaultTargetTriple();
    target->cpu = LLVMGetHostCPUName();
    target->features = LLVMGetHostCPUFeatures();
    LLVMTargetRef back_end;
    if (LLVMGetTargetFromTriple(target->triple, &back_end, message))
        return false;
    target->machine =
        LLVMCreateTargetMachine(back_end, target->triple, target->cpu, target->features,
                                levels[optimize < 0   ? 0
                                       : optimize > 3 ? 3
                                                      : optimize],
                                LLVMRelocPIC, LLVMCodeModelDefault);
    target->data = LLVMCreateTargetDataLayout(target->machine);
    target->has_avx2 = has_feature(target->features, "+avx2");
    target->has_avx512 = target->has_gather = has_feature(target->features, "+avx512f");
    target->is_aarch64 = strncmp(target->triple, "aarch64", strlen("aarch64")) == 0;
    target->has_fma = has_feature(target->features, "+fma") || target->is_aarch64;
    return true;
}

void target_free(Target *target) {
    if (target->data)
        LLVMDisposeTargetData(target->data);
    if (target->machine)
        LLVMDisposeTargetMachine(target->machine);
    if (target->triple)
        LLVMDisposeMessage(target->triple);
    if (target->cpu)
        LLVMDisposeMessage(target->cpu);
    if (target->features)
        LLVMDisposeMessage(target->features);
    *target = (Target){0};
}
