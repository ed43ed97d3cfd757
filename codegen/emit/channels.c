/* channels.c -- versions of a func's code for three and four channels.
 *
 *     if input.extent.2 == 3 then NAME.f(..)          its steps along x are 3: dense loads
 *     else if input.extent.2 == 4 then NAME.f.1(..)   and shuffles
 *     else NAME.f.2(..)                               gathers
 *
 * The step along x of an interleaved image is its number of channels, which is known at run time
 * only. Without it, a vector along x is loaded element by element. A func at root whose vectorized
 * loops use such an image is compiled three times, unless a requirement, a specialization or a
 * bound fixes the number.
 */
#include "codegen/emit.h"
#include "codegen/emit/channels.h"

typedef struct ChannelSearch {
    Emitter *emitter;
    bool is_vectorized;
    Vec(LLVMValueRef) counts; /* the distinct steps that are not known */
} ChannelSearch;

static void note_memory(ChannelSearch *search, Symbol name) {
    Emitter *e = search->emitter;
    const ImageParameter *image = signature_image(e->signature, name);
    const Memref *memref = map_get(&e->memrefs, name);
    const UserBuffer *user = map_get(&e->outputs, name);
    bool is_interleaved = (image && image->layout == LAYOUT_INTERLEAVED) ||
                          (user && user->layout == LAYOUT_INTERLEAVED);
    LLVMValueRef step = memref && is_interleaved ? facts_apply(e, memref->stride[0]) : NULL;
    for (size_t i = 0; step && i < search->counts.length; i++)
        if (search->counts.data[i] == step)
            step = NULL;
    if (step && !LLVMIsConstant(step))
        vec_push(e->arena, &search->counts, step);
}

static bool note_node(void *data, Expr node) {
    if (node->op == OP_ACCESS)
        note_memory(data, node->name);
    return false;
}

static Expr note_expr(void *data, Expr expr) {
    const ChannelSearch *search = data;
    emit_any_new_node(search->emitter, expr, note_node, data);
    return expr;
}

static bool note_stmt(void *data, Stmt *stmt) {
    ChannelSearch *search = data;
    if (stmt->kind == STMT_STORE)
        note_memory(search, stmt->store.func->name);
    search->is_vectorized |= stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED;
    stmt_map_own_exprs(stmt, note_expr, data); /* it changes none */
    return true;
}

static bool has_interleaved(const Emitter *e) {
    const Signature *signature = e->signature;
    bool has = false;
    for (size_t i = 0; i < signature->images.length; i++)
        has |= signature->images.data[i].layout == LAYOUT_INTERLEAVED;
    for (size_t i = 0; i < signature->outputs.length; i++)
        has |= signature->outputs.data[i].layout == LAYOUT_INTERLEAVED;
    return has;
}

static LLVMValueRef are_all(Emitter *e, const ChannelSearch *search, int64_t count) {
    LLVMValueRef all = LLVMConstInt(e->i1, 1, false);
    for (size_t i = 0; i < search->counts.length; i++) {
        LLVMValueRef is = LLVMBuildICmp(e->builder, LLVMIntEQ, search->counts.data[i],
                                        emit_index_constant(e, count), "");
        all = LLVMBuildAnd(e->builder, all, is, "");
    }
    return all;
}

bool emit_by_channels(Emitter *e, const Stmt *compute,
                      bool (*emit)(Emitter *emitter, const Stmt *compute)) {
    static const int64_t usual[] = {3, 4};
    ChannelSearch search = {.emitter = e};
    if (has_interleaved(e)) {
        StmtVisitor visitor = {.data = &search, .enter = note_stmt};
        e->search++;
        block_visit((Block *)&compute->compute.body, &visitor); /* nothing is changed in it */
    }
    if (!search.is_vectorized || !search.counts.length)
        return emit(e, compute);
    LLVMBasicBlockRef done = emit_block(e, "counted");
    size_t facts = e->facts.length;
    bool is_emitted = true;
    for (size_t v = 0; is_emitted && v < sizeof usual / sizeof *usual; v++) {
        LLVMBasicBlockRef version = emit_block(e, "channels"), others = emit_block(e, "others");
        LLVMBuildCondBr(e->builder, are_all(e, &search, usual[v]), version, others);
        emit_resume(e, version);
        for (size_t i = 0; i < search.counts.length; i++)
            vec_push(e->arena, &e->facts,
                     (ConstantFact){search.counts.data[i], emit_index_constant(e, usual[v])});
        is_emitted = emit(e, compute);
        e->facts.length = facts;
        LLVMBuildBr(e->builder, done);
        emit_resume(e, others);
    }
    is_emitted = is_emitted && emit(e, compute);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    return is_emitted;
}
