/* llvm_compat.h -- the LLVM C API as this project uses it, versions 19 and 22; what differs between
 * versions of LLVM stands in this file and nowhere else.
 */
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

/* A call of a masked access; the address is argument number `address`.  Version 19 takes the
 * alignment as the argument after it, version 22 as an attribute of it. */
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

/* The least power of two that is no less.  Version 19 widens masked accesses of other numbers of
 * lanes itself, and may lose the mask of the lanes that it puts in (tests/unit/codegen_masks.c). */
static inline unsigned compat_whole_lanes(unsigned lanes) {
    unsigned whole = 1;
    while (whole < lanes)
        whole *= 2;
    return whole;
}

/* Some lanes of a vector, from `begin` on; beyond its end zeros. */
static inline LLVMValueRef compat_slice(LLVMBuilderRef builder, LLVMValueRef vector, unsigned begin,
                                        unsigned lanes) {
    LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef from[1024];
    unsigned count = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < lanes; i++)
        from[i] = LLVMConstInt(index, begin + i < count ? begin + i : count, 0);
    return LLVMBuildShuffleVector(builder, vector, LLVMConstNull(type),
                                  LLVMConstVector(from, lanes), "");
}

/* Masked accesses are cut into registers by us, too: cut by version 19, a second load under a mask
 * of which a register's part is known to be false read all of that part. */
typedef struct CompatPiece {
    unsigned begin, lanes, whole; /* `whole` lanes are accessed, `lanes` of them are the vector's */
} CompatPiece;

/* The piece that begins at a lane; `widest` is the number of bytes of a register. */
static inline CompatPiece compat_piece(LLVMTypeRef type, unsigned begin, unsigned element_bytes,
                                       unsigned widest) {
    unsigned rest = LLVMGetVectorSize(type) - begin, most = widest / element_bytes;
    unsigned lanes = rest < most ? rest : most;
    return (CompatPiece){begin, lanes, compat_whole_lanes(lanes)};
}

static inline LLVMValueRef compat_piece_address(LLVMBuilderRef builder, LLVMTypeRef type,
                                                LLVMValueRef address, unsigned begin) {
    LLVMTypeRef index = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef offset = LLVMConstInt(index, begin, 0);
    return begin ? LLVMBuildGEP2(builder, LLVMGetElementType(type), address, &offset, 1, "")
                 : address;
}

/* Loads and stores of the lanes in which `mask` (a vector of i1) is true; others touch no memory,
 * and have any value.  `alignment` is an element's: its number of bytes. */
static inline LLVMValueRef compat_masked_load(LLVMModuleRef module, LLVMBuilderRef builder,
                                              LLVMTypeRef type, LLVMValueRef address,
                                              unsigned alignment, unsigned widest,
                                              LLVMValueRef mask) {
    unsigned count = LLVMGetVectorSize(type);
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef result = NULL;
    for (unsigned begin = 0; begin < count;) {
        CompatPiece piece = compat_piece(type, begin, alignment, widest);
        LLVMTypeRef whole_type = LLVMVectorType(LLVMGetElementType(type), piece.whole);
        LLVMTypeRef types[] = {whole_type, LLVMTypeOf(address)};
        LLVMValueRef function = compat_intrinsic(module, "llvm.masked.load", types, 2);
        bool is_all = piece.whole == count;
        LLVMValueRef arguments[] = {compat_piece_address(builder, type, address, begin),
                                    is_all ? mask : compat_slice(builder, mask, begin, piece.whole),
                                    LLVMGetPoison(whole_type)};
        LLVMValueRef loaded = compat_masked_call(builder, function, arguments, 3, 0, alignment);
        if (is_all)
            return loaded;
        LLVMValueRef widened = compat_slice(builder, loaded, 0, count), from[1024];
        for (unsigned i = 0; i < count; i++)
            from[i] = LLVMConstInt(index, i < begin ? i : count + (i - begin), 0);
        result = result ? LLVMBuildShuffleVector(builder, result, widened,
                                                 LLVMConstVector(from, count), "")
                        : widened;
        begin += piece.lanes;
    }
    return result;
}

/* The same from an address for each lane. */
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
                                       unsigned widest, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMTypeOf(value);
    for (unsigned begin = 0; begin < LLVMGetVectorSize(type);) {
        CompatPiece piece = compat_piece(type, begin, alignment, widest);
        bool is_all = piece.whole == LLVMGetVectorSize(type);
        LLVMTypeRef types[] = {LLVMVectorType(LLVMGetElementType(type), piece.whole),
                               LLVMTypeOf(address)};
        LLVMValueRef function = compat_intrinsic(module, "llvm.masked.store", types, 2);
        LLVMValueRef arguments[] = {
            is_all ? value : compat_slice(builder, value, begin, piece.whole),
            compat_piece_address(builder, type, address, begin),
            is_all ? mask : compat_slice(builder, mask, begin, piece.whole)};
        compat_masked_call(builder, function, arguments, 3, 1, alignment);
        begin += piece.lanes;
    }
}

/* From the end of the block on, the variable has this value. */
static inline void compat_debug_value(LLVMDIBuilderRef builder, LLVMValueRef value,
                                      LLVMMetadataRef variable, LLVMMetadataRef expression,
                                      LLVMMetadataRef location, LLVMBasicBlockRef block) {
    LLVMDIBuilderInsertDbgValueRecordAtEnd(builder, value, variable, expression, location, block);
}

#endif
