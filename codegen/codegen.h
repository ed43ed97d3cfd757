/* codegen.h -- from a target program to object bytes through LLVM's C API, and from object bytes to
 * a function that can be called.
 *
 * Code generation is one function from a program to bytes. The JIT only loads and links the bytes,
 * so isolation, caching and objects share one path. LLVM and libffi are included nowhere else.
 */
#ifndef HLC_CODEGEN_CODEGEN_H
#define HLC_CODEGEN_CODEGEN_H

#include "ir/argument.h"
#include "ir/extern.h"
#include "ir/stmt.h"

typedef struct CodegenOptions {
    int optimize;         /* 0 to 3 */
    const char *emit;     /* "object" (or null), "ll", "asm", "listing" */
    const char *targets;  /* names of targets.def, "x86-64-v3,x86-64-v4", or "host" (or null) */
    bool debug;           /* emit lines and variables for a debugger */
    const char *sanitize; /* "address" or "thread": instrument for that sanitizer; or null */
    bool trace;           /* call the hook of hlc_set_trace */
    bool stoppable;       /* call hlc_poll in each iteration of a loop that stays a loop */
    bool profile;         /* say which stage each thread computes, and make NAME_profile */
    bool once;            /* the code runs once: after LLVM's passes, select instructions quickly */
    bool assembly;        /* fill Object.assembly */
} CodegenOptions;

/* Writes "LLVM 19.1.7, host x86-64-v3": the version of LLVM, and the best target that this machine
 * supports. */
void codegen_describe(char *text, size_t size);

/* Can code be made for these targets? With `to_run`, can this process also load it? False after
 * reporting. */
bool codegen_has_targets(Context *context, const char *targets, bool to_run);
/* Can this processor run code made for one of these targets? They are known. */
bool codegen_runs_here(Context *context, const char *targets);

typedef struct Object {
    unsigned char *bytes;
    size_t length;
    bool needs_sleef;     /* it calls functions of libsleef */
    const char *sanitize; /* that the code is instrumented for, or null */
    bool has_debug;       /* it has debug information: loading it informs a debugger */
    const char *assembly; /* the text that it was assembled from, if that was wanted */
} Object;

/* Is there a sanitizer of this name (null: none is wanted)? With `to_run`, does this process run
 * under it? False after reporting. */
bool codegen_has_sanitizer(Context *context, const char *name, bool to_run);
/* Returns the sanitizer whose code this process can load, or null. */
const char *codegen_sanitizer_here(void);
/* Lets this process load AddressSanitizer's code without running under AddressSanitizer. Code for
 * `address` then calls functions of watch.c before each access to pipelines' memory. An access
 * outside that memory ends the process. For testing: such code runs in this process only, and the
 * mode cannot be left. False if a sanitizer is already here, or if memory runs out. */
bool codegen_watch(void);

/* Compiles a program to bytes in `arena`. The program has no holes and contains its checks
 * (PASS_CHECKS). False after reporting. */
bool codegen_object(const Program *program, Arena *arena, const CodegenOptions *options,
                    Object *object);

/* The hlc_extern_call of an ExternClosure. */
int codegen_call_extern(const void *closure, void *const *arguments);

typedef struct Jit Jit;
/* Loads and links the bytes, with the context's extern functions; null after reporting. The Jit refers neither to the context nor to the
 * signature. Until jit_detach, its memory counts as the context's. */
Jit *jit_load(Context *context, const Signature *signature, const Object *object);
void jit_free(Jit *jit);
/* Returns the Jit's arena, for data with the same lifetime. */
Arena *jit_arena(const Jit *jit);
/* Moves the account of the Jit's memory from the context's to `memory`. `memory` may lie in the
 * Jit's own arena. */
void jit_detach(Jit *jit, Memory *memory);
/* Does the loaded pipeline have this name and these inputs and outputs? */
bool jit_fits(const Jit *jit, const Signature *signature);
/* Adds the functions of the loaded object to /tmp/perf-PID.map. False after reporting. */
bool jit_write_perf_map(Context *context, const Jit *jit, const Object *object);
/* Returns the address of NAME (suffix ""), NAME_argv ("_argv") or NAME_report ("_report"),
 * described in runtime/hlc_runtime.h. Null if there is no such function. */
void (*jit_function(const Jit *jit, const char *suffix))(void);
/* Calls NAME_report through libffi, with a halide_buffer_t for each image. Several threads may call
 * it at once. */
Outcome jit_call(const Jit *jit, const Arguments *arguments);
/* Calls NAME_report with the arguments as NAME_argv takes them; returns its result. */
int jit_call_raw(const Jit *jit, hlc_report *report, void *const *arguments);
/* Likewise, by NAME_call. Without the window form only a run without domains is accepted. `call` may
 * be null. */
int jit_call_with(const Jit *jit, const hlc_call *call, hlc_report *report, void *const *arguments);
/* Calls NAME_call of the window form as a check. */
Outcome jit_check(const Jit *jit, const Arguments *arguments);
/* Calls NAME_report as a bounds query: images without data receive minima, extents and strides. */
Outcome jit_query(const Jit *jit, Arguments *arguments);

#endif
