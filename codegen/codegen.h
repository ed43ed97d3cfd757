/* codegen.h -- from a target program to object bytes through LLVM's C API, and from object bytes to
 * a function that can be called.
 *
 * Code generation is one function from program to bytes; the JIT only loads and links them, so that
 * isolation, caching and objects are one path.  LLVM and libffi are included nowhere else.
 */
#ifndef HLC_CODEGEN_CODEGEN_H
#define HLC_CODEGEN_CODEGEN_H

#include "ir/argument.h"
#include "ir/stmt.h"

typedef struct CodegenOptions {
    int optimize;         /* 0 to 3 */
    const char *emit;     /* "object" (or null), "ll", "asm" */
    const char *targets;  /* of targets.def, "x86-64-v3,x86-64-v4", or "host" (or null) */
    bool debug;           /* lines and variables for a debugger */
    const char *sanitize; /* the sanitizer that watches the code: "address", "thread", or null */
    bool trace;           /* with calls of the hook of hlc_set_trace */
} CodegenOptions;

/* "LLVM 19.1.7, host x86-64-v3": what makes the code, and the best target that this machine has. */
void codegen_describe(char *text, size_t size);

/* Can code be made for these targets and, where it is `to_run`, be loaded into this process?  False
 * after reporting. */
bool codegen_has_targets(Context *context, const char *targets, bool to_run);

typedef struct Object {
    unsigned char *bytes;
    size_t length;
    bool needs_sleef;     /* it calls functions of libsleef */
    const char *sanitize; /* that watches it, or null */
    bool has_debug;       /* information: a debugger is told when it is loaded */
} Object;

/* Is there a sanitizer with this name (null: none is wanted) and, where code is `to_run`, does this
 * process run under it?  False after reporting. */
bool codegen_has_sanitizer(Context *context, const char *name, bool to_run);
/* The sanitizer whose code can be loaded into this process, or null. */
const char *codegen_sanitizer_here(void);
/* From here on AddressSanitizer's code can be loaded into this process, which does not run under
 * it: what is made for `address` calls functions of ours before each access to what pipelines
 * allocate, and the process ends at one that is none of its memory (watch.c).  For testing: such
 * code runs in this process alone, and there is no way back.  False where a sanitizer is here
 * already, or no memory. */
bool codegen_watch(void);

/* The program has no holes and carries its checks (PASS_CHECKS).  The bytes live in `arena`.  False
 * after reporting. */
bool codegen_object(const Program *program, Arena *arena, const CodegenOptions *options,
                    Object *object);

typedef struct Jit Jit;
/* Loads and links the bytes; null after reporting.  What is loaded refers neither to the context
 * nor to the signature; it takes its memory from the context's until jit_detach. */
Jit *jit_load(Context *context, const Signature *signature, const Object *object);
void jit_free(Jit *jit);
/* For what shall live as long as the Jit. */
Arena *jit_arena(const Jit *jit);
/* The Jit's memory is accounted for in `memory`, no longer in the context's.  `memory` may lie in
 * the Jit's own arena. */
void jit_detach(Jit *jit, Memory *memory);
/* Has the pipeline that was loaded this name and these inputs and outputs? */
bool jit_fits(const Jit *jit, const Signature *signature);
/* Adds the functions of the object, which was loaded, to /tmp/perf-PID.map.  False after reporting.
 */
bool jit_write_perf_map(Context *context, const Jit *jit, const Object *object);
/* The address of NAME (suffix ""), NAME_argv ("_argv") or NAME_report ("_report"), as
 * runtime/hlc_runtime.h describes them; null where there is no such function. */
void (*jit_function(const Jit *jit, const char *suffix))(void);
/* Calls NAME_report through libffi with halide_buffer_t's made from the images.  May be called by
 * several threads at once. */
Outcome jit_call(const Jit *jit, const Arguments *arguments);
/* The same as a bounds query: images without data receive minima, extents and strides. */
Outcome jit_query(const Jit *jit, Arguments *arguments);

#endif
