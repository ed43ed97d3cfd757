/* in_place.c -- the first stage of an output that may share the memory of an image.
 *
 * With `-> out in picture`, the first stage of the output is `out[x, y] <- picture[x, y]`, unless
 * the schedule reads the image through another func (lower/passes/in_place.c). If the origins and the strides of both are equal, each element would be
 * stored where it was loaded from. Then the stage is left out:
 *
 *     label s0: ..        becomes        if origins or strides differ then label s0: ..
 *
 * The test needs no knowledge of the call. If the output is staged, its memory is the pipeline's,
 * and no address is that of an element of the image. Updates read the output's memory alone, so
 * they cost the points that they touch.
 */
#include "codegen/interleave.h"

#include <string.h>

typedef struct CopySearch {
    Symbol image;
    bool only_copies;
} CopySearch;

static bool look(void *data, Stmt *stmt) {
    CopySearch *search = data;
    search->only_copies &= stmt->kind != STMT_STORE || stmt_copies(stmt, search->image);
    return search->only_copies;
}

static bool only_copies(const Stmt *label, Symbol image) {
    CopySearch search = {image, true};
    StmtVisitor visitor = {.data = &search, .enter = look};
    block_visit((Block *)&label->label.body, &visitor); /* nothing is changed in it */
    return search.only_copies;
}

static const Memref *image_of(const Emitter *e, const Stmt *label) {
    if (strcmp(label->label.name->text, "s0") != 0 || !stmt_func(label))
        return NULL;
    const Output *output = signature_output(e->signature, stmt_func(label));
    /* The window form stores one NaN for all (docs/windows.md), so it copies floats. */
    bool chooses_nan = output && e->signature->windows &&
                       type_is_float(signature_func(e->signature, output->func)->types[0]);
    return output && output->image && !chooses_nan && only_copies(label, output->image)
               ? map_get(&e->memrefs, output->image)
               : NULL;
}

static LLVMValueRef address_of(Emitter *e, const Memref *memref) {
    return LLVMBuildPtrToInt(e->builder, emit_origin(e, memref), e->i64, "");
}

LLVMBasicBlockRef emit_unless_in_place(Emitter *e, const Stmt *label) {
    const Memref *image = image_of(e, label);
    const Memref *output = image ? map_get(&e->memrefs, stmt_func(label)) : NULL;
    if (!output)
        return NULL;
    interleave_flush(e);
    LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, address_of(e, image),
                                      address_of(e, output), "in_place");
    for (int d = 0; d < output->dimensions; d++)
        same = LLVMBuildAnd(
            e->builder, same,
            LLVMBuildICmp(e->builder, LLVMIntEQ, image->stride[d], output->stride[d], ""), "");
    LLVMBasicBlockRef apart = emit_block(e, "apart"), done = emit_block(e, "copied");
    LLVMBuildCondBr(e->builder, same, done, apart);
    emit_forget(e);
    LLVMPositionBuilderAtEnd(e->builder, apart);
    return done;
}

void emit_after_copy(Emitter *e, LLVMBasicBlockRef done) {
    if (!done)
        return;
    interleave_flush(e);
    LLVMBuildBr(e->builder, done);
    emit_forget(e);
    emit_resume(e, done);
}
