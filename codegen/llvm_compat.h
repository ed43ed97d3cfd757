/* llvm_compat.h -- the LLVM C API as this project uses it, versions 19 and 22. Differences between
 * versions of LLVM stand in this file only. */
#ifndef HLC_CODEGEN_LLVM_COMPAT_H
#define HLC_CODEGEN_LLVM_COMPAT_H

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <string.h>

/* The declaration of an intrinsic by its name without types: "llvm.umin". */
static inline LLVMValueRef compat_intrinsic(LLVMModuleRef module, const char *name,
                                            LLVMTypeRef *overloads, size_t count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMGetIntrinsicDeclaration(module, id, overloads, count);
}

/* An attribute that is a word, such as `noalias`. */
static inline LLVMAttributeRef compat_attribute(LLVMContextRef context, const char *name,
                                                uint64_t value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMCreateEnumAttribute(context, kind, value);
}

/* Gives the function an attribute: a word, or a text under a key. */
static inline void compat_mark(LLVMValueRef function, const char *word) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            compat_attribute(context, word, 0));
}
static inline void compat_mark_text(LLVMValueRef function, const char *key, const char *text) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), text,
                                                      (unsigned)strlen(text)));
}

/* Calls a masked access. Argument number `address` is the address. Version 19 takes the alignment
 * as the next argument, version 22 as an attribute of the address. */
static inline LLVMValueRef compat_masked_call(LLVMBuilderRef builder, LLVMValueRef function,
                                              const LLVMValueRef *arguments, unsigned count,
                                              unsigned address, unsigned alignment) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMValueRef all[8];
    unsigned length = 0;
    for (unsigned i = 0; i < count; i++) {
        all[length++] = arguments[i];
        if (i == address && LLVM_VERSION_MAJOR < 22)
            all[length++] = LLVMConstInt(LLVMInt32TypeInContext(context), alignment, 0);
    }
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, all, length, "");
    if (LLVM_VERSION_MAJOR >= 22)
        LLVMAddCallSiteAttribute(call, address + 1, compat_attribute(context, "align", alignment));
    return call;
}

/* Loads or stores the lanes in which `mask` (a vector of i1) is true. Other lanes access no memory;
 * their values are arbitrary. `alignment` is the size of an element in bytes. masked.c says which
 * vectors may be accessed so. */
static inline LLVMValueRef compat_masked_load(LLVMModuleRef module, LLVMBuilderRef builder,
                                              LLVMTypeRef type, LLVMValueRef address,
                                              unsigned alignment, LLVMValueRef mask) {
    LLVMTypeRef types[] = {type, LLVMTypeOf(address)};
    LLVMValueRef function = compat_intrinsic(module, "llvm.masked.load", types, 2);
    LLVMValueRef arguments[] = {address, mask, LLVMGetPoison(type)};
    return compat_masked_call(builder, function, arguments, 3, 0, alignment);
}

/* Loads each lane from its own address, under a mask. */
static inline LLVMValueRef compat_masked_gather(LLVMModuleRef module, LLVMBuilderRef builder,
                                                LLVMTypeRef type, LLVMValueRef addresses,
                                                unsigned alignment, LLVMValueRef mask) {
    LLVMTypeRef types[] = {type, LLVMTypeOf(addresses)};
    LLVMValueRef function = compat_intrinsic(module, "llvm.masked.gather", types, 2);
    LLVMValueRef arguments[] = {addresses, mask, LLVMGetPoison(type)};
    return compat_masked_call(builder, function, arguments, 3, 0, alignment);
}

static inline void compat_masked_store(LLVMModuleRef module, LLVMBuilderRef builder,
                                       LLVMValueRef value, LLVMValueRef address, unsigned alignment,
                                       LLVMValueRef mask) {
    LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(address)};
    LLVMValueRef function = compat_intrinsic(module, "llvm.masked.store", types, 2);
    LLVMValueRef arguments[] = {value, address, mask};
    compat_masked_call(builder, function, arguments, 3, 1, alignment);
}

#endif
