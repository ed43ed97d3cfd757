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
    LLVMTypeRef call_type; /* of NAME_call, in the window form */
    LLVMValueRef call;
    LLVMValueRef *arguments; /* NAME's, in NAME_call; null: the function's own */
} Entry;

/* ---- entry_parts.c, for the function being made ---- */

void entry_check_abi(Emitter *emitter);
/* Returns from the function if `error` is not 0. 1 means that the call is already answered: its
 * result is 0. Other values are errors. */
void entry_return_unless_zero(Emitter *emitter, LLVMValueRef error);
/* Loads NAME's arguments from an array as NAME_argv takes it. */
LlvmValues entry_load_arguments(Entry *entry, LLVMValueRef array);
/* The addresses of the buffers, in an array. */
LLVMValueRef entry_buffer_array(Entry *entry);
/* The scalars in the signature's order, eight bytes each. */
LLVMValueRef entry_scalar_array(Entry *entry);
/* Loads minima, extents, strides and hosts. */
void entry_load_fields(Entry *entry);
/* Calls the body in the default float environment; returns its result. `asks`: what the call asks
 * for, in the window form; else null. */
LLVMValueRef entry_run(Entry *entry, LLVMValueRef choice, LLVMValueRef asks);

/* ---- call_entry.c ---- */

/* Makes NAME_call. */
void emit_call_function(Entry *entry);
/* Ends the function, which has NAME's arguments behind a report, with a call of NAME_call. */
void entry_forward(Entry *entry);

/* ---- answers.c ---- */

/* Makes `out.min.1` and, for an element of a tuple, `out.0.min.1` stand for the value. */
void entry_bind_field(Emitter *emitter, const EntryBuffer *buffer, BufferField field, int dimension,
                      LLVMValueRef value);

/* Returns the number of dimensions of all buffers together. */
size_t entry_dimensions(const Entry *entry);
/* Makes NAME.needs, an hlc_needs. */
LLVMValueRef emit_needs_function(Entry *entry);
/* Makes NAME.windows, an hlc_windows; null if the pipeline proposes no window. */
LLVMValueRef emit_windows_function(Entry *entry);

#endif
