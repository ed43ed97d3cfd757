/* context.h -- everything that would otherwise be a global: memory, names, files, reports, limits.
 */
#ifndef HLC_BASE_CONTEXT_H
#define HLC_BASE_CONTEXT_H

#include "base/diag.h"
#include "base/symbol.h"
#include "base/timing.h"

typedef struct SourceFile {
    const char *path, *text;
    size_t length;
    bool is_built_in;                 /* part of the compiler: no file has this path */
    bool has_allowances;              /* they have been read */
    Vec(struct Allowance) allowances; /* of base/allow.c, by line */
} SourceFile;

/* Limits on hostile input; each has a diagnostic of its own. */
typedef struct Limits {
    size_t source_bytes;     /* one source file */
    size_t nesting;          /* of expressions and blocks */
    size_t expression_nodes; /* of one expression after expansion: distinct ones */
    size_t funcs, stages, dimensions, tuple_elements, parameters, outputs, directives, loops;
    size_t import_depth;
    size_t expansion_steps; /* of the compile-time layer, for all files */
    size_t table_elements;  /* of one table that is read at an index */
    size_t conditions;      /* of all directives specialize of a schedule together */
    size_t copies;          /* compute statements that compute-at makes beyond one a func */
} Limits;

typedef struct Context {
    Memory memory;
    Arena *arena; /* lives as long as the context */
    SymbolTable symbols;
    Vec(SourceFile) files; /* files.data[0] is "nowhere" */
    Reports reports;
    const Use *use; /* of the text that is worked at: reports remember it */
    size_t error_count, warning_count;
    bool makes_windows;             /* pipelines that are loaded have the window form */
    bool asks_warnings;             /* looks for what is legal and probably not meant */
    Attitude attitudes[DIAG_COUNT]; /* of warnings and notes */
    BrokenInvariant broken;         /* what ended the entry in progress, where it was not memory */
    Limits limits;
    Place at; /* what the entry in progress works on, for a report that it is ended there */
    bool checks_order;           /* each application of a rewrite rule is seen to go down: debug and
                          sanitized builds, the fuzzer */
    bool verifies;               /* programs after each pass, and LLVM's modules: likewise */
    Timing *timing;              /* null: nobody wants to know */
    struct ExternTable *externs; /* the C functions of extern stages (ir/extern.h); null: none */
    FILE *goals; /* where each condition that a simplifier is asked to prove is written, for
                          measuring (bench/goals.c); null: nowhere */
} Context;

/* A context with default limits; null when there is no memory for it. */
Context *context_create(void);
void context_destroy(Context *context);

/* Registers source text (copied, without a byte order mark); the result is Place.file. */
uint32_t context_add_file(Context *context, const char *path, const char *text, size_t length);

/* Sets the field of `limits` that has this name; false where there is none.  For tests and
 * examples.
 */
bool context_set_limit(Context *context, const char *name, size_t value);
/* Likewise, for programs from outside.  False also for a value beyond the limit, and for the limits
 * that parts of the compiler are built for. */
bool context_lower_limit(Context *context, const char *name, size_t value);
/* The limits that can be lowered, as "funcs 4096, stages 256, ..". */
const char *context_limits_text(Context *context, Arena *arena);

#define context_symbol(context, text) symbol_from(&(context)->symbols, (text))

#endif
