/* sanitize.c -- sanitizers: LLVM's instrumentation, as in clang.
 *
 * The instrumented code calls the sanitizer's run-time library, whose interface gcc 12, clang 14
 * and LLVM 19 share (AddressSanitizer's has a number, 8, that is checked when a program starts). So
 * an object is linked with `-fsanitize=NAME` of the host's compiler, and code is loaded only into a
 * process that runs under the sanitizer already; or, for AddressSanitizer, into one that has called
 * codegen_watch (watch.c).
 */
#include "codegen/emit.h"
#include "codegen/machine/watch.h"

/* Null in a process that was linked without the sanitizer. */
void __asan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));

typedef struct Sanitizer {
    const char *name, *attribute; /* the attribute of instrumented functions */
    const char *passes;
    void (*runtime)(void);
} Sanitizer;

static const Sanitizer sanitizers[] = {
    {"address", "sanitize_address", "asan", __asan_init},
    {"thread", "sanitize_thread", "tsan-module,function(tsan)", __tsan_init},
};

enum { SANITIZER_COUNT = sizeof sanitizers / sizeof *sanitizers };

/* Can this process load code for this sanitizer? */
static bool is_here(const Sanitizer *sanitizer) {
    return sanitizer->runtime || (sanitizer == &sanitizers[0] && watch_is_on());
}

static const Sanitizer *find(const char *name) {
    for (int i = 0; i < SANITIZER_COUNT; i++)
        if (strcmp(sanitizers[i].name, name) == 0)
            return &sanitizers[i];
    return NULL;
}

static bool refuse_unknown(Context *context, const char *name) {
    const char *names = "";
    for (int i = 0; i < SANITIZER_COUNT; i++)
        names = arena_format(context->arena, "%s%s%s", names, i ? ", " : "", sanitizers[i].name);
    diag(context, DIAG_SANITIZER_UNKNOWN, NOWHERE, name, names);
    return false;
}

bool codegen_has_sanitizer(Context *context, const char *name, bool to_run) {
    const Sanitizer *sanitizer = name ? find(name) : NULL;
    if (name && !sanitizer)
        return refuse_unknown(context, name);
    if (!name || !to_run || is_here(sanitizer))
        return true;
    diag(context, DIAG_SANITIZER_ABSENT, NOWHERE, name);
    return false;
}

const char *codegen_sanitizer_here(void) {
    for (int i = 0; i < SANITIZER_COUNT; i++)
        if (is_here(&sanitizers[i]))
            return sanitizers[i].name;
    return NULL;
}

bool codegen_watch(void) {
    return watch_is_on() || (!codegen_sanitizer_here() && watch_begin());
}

/* The sanitizers unwind the stack at a fault by frame pointers. */
static void mark(LLVMValueRef function, const Sanitizer *sanitizer) {
    compat_mark(function, sanitizer->attribute);
    compat_mark_text(function, "frame-pointer", "all");
}

const char *sanitizer_prepare(Emitter *e, const char *name) {
    const Sanitizer *sanitizer = name ? find(name) : NULL;
    LLVMValueRef function = sanitizer ? LLVMGetFirstFunction(e->module) : NULL;
    for (; function; function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function))
            mark(function, sanitizer);
    return sanitizer ? sanitizer->passes : NULL;
}
