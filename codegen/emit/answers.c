/* answers.c -- the functions that answer a caller without computing an output. Both read the scalars
 * and the boxes of all buffers from arrays that the run-time library fills, and write boxes.
 *
 *   NAME.needs    the required regions of the inputs (a bounds query, runtime/query.c)
 *   NAME.windows  the windows that the pipeline proposes for its outputs (runtime/propose.c)
 */
#include "codegen/emit/entry.h"

/* ---- names ---- */

static Symbol field_symbol(Emitter *e, Symbol buffer, BufferField field, int dimension) {
    return expr_buffer_field(e->program->pool, buffer, field, dimension)->name;
}

static void bind_symbol(Emitter *e, Symbol field, LLVMValueRef value) {
    map_put(&e->variables, field, value);
    map_put(&e->fields, field, field);
}

void entry_bind_field(Emitter *e, const EntryBuffer *buffer, BufferField field, int dimension,
                      LLVMValueRef value) {
    Symbol first = context_symbol(e->context, buffer->text);
    if (buffer->component == 0)
        bind_symbol(e, field_symbol(e, buffer->name, field, dimension), value);
    if (first != buffer->name)
        bind_symbol(e, field_symbol(e, first, field, dimension), value);
}

/* ---- both ---- */

/* The positions of the arguments of a function. */
typedef struct AnswerArguments {
    unsigned scalars, boxes, answer;
} AnswerArguments;

size_t entry_dimensions(const Entry *entry) {
    size_t count = 0;
    for (size_t i = 0; i < entry->buffers.length; i++)
        count += (size_t)entry->buffers.data[i].dimensions;
    return count;
}

/* Binds a dimension's fields, from number `position` on; those of its domain from `*domain` on.
 * Returns the position after them. */
static size_t bind_box(Emitter *e, const EntryBuffer *buffer, int d, LLVMValueRef boxes,
                       size_t position, size_t *domain) {
    int fields = e->signature->windows ? BUFFER_FIELDS : FIELD_STRIDE + 1;
    for (int field = FIELD_MINIMUM; field < fields; field++) {
        size_t at = field > FIELD_STRIDE ? (*domain)++ : position++;
        entry_bind_field(e, buffer, (BufferField)field, d, emit_field(e, e->i64, boxes, 8 * at));
    }
    return position;
}

/* Begins the function: binds the startup variables. Returns for each buffer the position of its
 * first dimension. */
static size_t *begin_answer(Entry *entry, LLVMValueRef function, AnswerArguments at) {
    Emitter *e = entry->emitter;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    emit_begin_function(e, function);
    emit_mark_cold(e);
    e->variables = map_create(e->arena);
    for (size_t i = 0; i < e->signature->parameters.length; i++) {
        const Parameter *parameter = &e->signature->parameters.data[i];
        LLVMValueRef value = emit_field(e, emit_memory_type(e, parameter->type),
                                        LLVMGetParam(function, at.scalars), 8 * i);
        if (type_is_bool(parameter->type))
            value = LLVMBuildIsNotNull(e->builder, value, "");
        map_put(&e->variables, parameter->name, value);
    }
    size_t *first = arena_array(e->arena, size_t, entry->buffers.length), position = 0,
           domain = 3 * entry_dimensions(entry);
    for (size_t i = 0; i < entry->buffers.length; i++) {
        const EntryBuffer *buffer = &entry->buffers.data[i];
        first[i] = position;
        for (int d = 0; d < buffer->dimensions; d++)
            position = bind_box(e, buffer, d, LLVMGetParam(function, at.boxes), position, &domain);
    }
    return first;
}

/* Stores number `position` of the answer. */
static void put_number(Emitter *e, AnswerArguments at, size_t position, LLVMValueRef value) {
    LLVMValueRef answer = LLVMGetParam(e->frame.function, at.answer);
    LLVMBuildStore(e->builder, value,
                   emit_at(e, e->i8, answer, (int64_t)(sizeof(int64_t) * position)));
}

static void put_box(Emitter *e, AnswerArguments at, size_t first, const Extent *box,
                    int dimensions) {
    for (int d = 0; d < dimensions; d++) {
        put_number(e, at, first + (size_t)(3 * d), emit_expr(e, box[d].minimum));
        put_number(e, at, first + (size_t)(3 * d) + 1, emit_expr(e, box[d].length));
    }
}

/* ---- NAME.needs ---- */

LLVMValueRef emit_needs_function(Entry *entry) {
    Emitter *e = entry->emitter;
    LLVMTypeRef parameters[] = {e->pointer, e->pointer, e->pointer};
    AnswerArguments at = {0, 1, 2};
    LLVMValueRef function =
        LLVMAddFunction(e->module, arena_format(e->arena, "%s.needs", e->signature->name->text),
                        LLVMFunctionType(e->void_type, parameters, 3, false));
    size_t *first = begin_answer(entry, function, at);
    for (size_t i = 0; i < entry->buffers.length; i++)
        for (size_t n = 0; n < e->program->needs.length; n++) {
            const Need *need = &e->program->needs.data[n];
            if (need->image->name == entry->buffers.data[i].name)
                put_box(e, at, first[i], need->box, need->image->dimensions);
        }
    emit_forget(e);
    LLVMBuildRetVoid(e->builder);
    return function;
}

/* ---- NAME.windows ---- */

/* The program's own checks of the parameters' ranges: the arithmetic of a proposal relies on
 * them. */
static void check_ranges(Emitter *e) {
    for (const Stmt *stmt = e->program->body.first; stmt && stmt->kind == STMT_ASSERT;
         stmt = stmt->next) {
        hlc_error error = stmt->assertion.error;
        if (error == HLC_ERROR_PARAMETER_TOO_SMALL || error == HLC_ERROR_PARAMETER_TOO_LARGE)
            emit_assert(e, stmt);
        emit_forget(e);
    }
}

static void refuse_unless(Emitter *e, Expr fits, const char *subject) {
    LLVMBasicBlockRef good = emit_begin_failure(e, emit_expr(e, fits));
    LLVMValueRef arguments[] = {e->frame.report, LLVMConstInt(e->i32, HLC_ERROR_INDEX_RANGE, true),
                                emit_text(e, subject), emit_array(e, NULL, 0),
                                LLVMConstInt(e->i32, 0, false)};
    emit_runtime_call(e, RUNTIME_hlc_fail, arguments);
    emit_end_failure(e, good);
    emit_forget(e);
}

/* Refuses the call if the arithmetic leaves 64 bits; then writes the box, with stride 1 for each
 * dimension that is proposed. */
static void propose(Entry *entry, AnswerArguments at, const size_t *first,
                    const ProposedWindow *proposal) {
    Emitter *e = entry->emitter;
    for (size_t i = 0; i < proposal->fits.length; i++)
        refuse_unless(e, proposal->fits.data[i], proposal->func->name->text);
    for (size_t i = 0; i < entry->buffers.length; i++) {
        if (entry->buffers.data[i].name != proposal->func->name)
            continue;
        put_box(e, at, first[i], proposal->box, proposal->func->dimensions);
        for (int d = 0; d < proposal->func->dimensions; d++)
            put_number(e, at, first[i] + (size_t)(3 * d) + 2, emit_index_constant(e, 1));
    }
}

LLVMValueRef emit_windows_function(Entry *entry) {
    Emitter *e = entry->emitter;
    if (e->program->proposals.length == 0)
        return NULL;
    LLVMTypeRef parameters[] = {e->pointer, e->pointer, e->pointer, e->pointer};
    AnswerArguments at = {1, 2, 3};
    LLVMValueRef function =
        LLVMAddFunction(e->module, arena_format(e->arena, "%s.windows", e->signature->name->text),
                        LLVMFunctionType(e->i32, parameters, 4, false));
    size_t *first = begin_answer(entry, function, at);
    check_ranges(e);
    for (size_t i = 0; i < e->program->proposals.length; i++)
        propose(entry, at, first, &e->program->proposals.data[i]);
    emit_forget(e);
    emit_close_body(e);
    return function;
}
