/* entry.h -- the arguments of NAME, for the files that make the entries of a module. */
#ifndef HLC_CODEGEN_EMIT_ENTRY_H
#define HLC_CODEGEN_EMIT_ENTRY_H

#include "codegen/emit.h"

typedef Vec(LLVMTypeRef) LlvmTypes;
typedef Vec(LLVMValueRef) LlvmValues;

/* One buffer of the C ABI, in the order of the arguments. */
typedef struct EntryBuffer {
    Symbol name;      /* of the image, or the output func */
    const char *text; /* as messages call it: `out`, or `out.1` */
    Type type;
    int dimensions, component;
    bool is_output;
    Layout layout;
    int32_t shares;    /* hlc_buffer_rule.shares */
    bool is_shared;    /* it may share memory with another buffer */
    unsigned argument; /* position among the arguments of NAME */
    int32_t window_of; /* hlc_buffer_rule */
    UserBuffer fields; /* in the function being made */
} EntryBuffer;

typedef struct Entry {
    Emitter *emitter;
    Vec(EntryBuffer) buffers;
    LlvmTypes parameters; /* of NAME */
    LLVMTypeRef body_type, report_type, name_type, argv_type;
    const LLVMValueRef *bodies; /* versions.c */
    LLVMValueRef rules, needs, windows, report, name;
} Entry;

/* ---- answers.c ---- */

/* Makes `out.min.1` and, for an element of a tuple, `out.0.min.1` stand for the value. */
void entry_bind_field(Emitter *emitter, const EntryBuffer *buffer, BufferField field, int dimension,
                      LLVMValueRef value);

/* Makes NAME.needs, an hlc_needs. */
LLVMValueRef emit_needs_function(Entry *entry);
/* Makes NAME.windows, an hlc_windows; null if the pipeline proposes no window. */
LLVMValueRef emit_windows_function(Entry *entry);

#endif
