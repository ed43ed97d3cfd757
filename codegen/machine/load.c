/* load.c -- object bytes to callable code, with ORC.
 *
 * Nothing is compiled here: the same bytes could be linked into a program. Symbols of the run-time
 * library and of SLEEF resolve to this process's own, by address. ORC's linker for ELF never maps a
 * page both writable and executable.
 */
#include "codegen/machine/jit.h"
#include "codegen/math.h"
#include "codegen/target.h"
#include "codegen/machine/watch.h"

/* Only the addresses are used. sleef.h declares the functions only to compilers with the features
 * enabled. */
#define SLEEF(LETTER, BITS, LANES, SUFFIX, NAME)                                                   \
    void Sleef_finz_##NAME##LETTER##LANES##_u10##SUFFIX(void);
#define FINZ(OP, NAME) MATH_ON_HOST(SLEEF, NAME)
#include "codegen/math.def"
#undef FINZ
#undef SLEEF

static const KnownFunction known[] = {
#define RUNTIME(NAME, RESULT, ...) {#NAME, (void (*)(void))NAME},
#include "codegen/runtime.def"
#undef RUNTIME
#define SLEEF(LETTER, BITS, LANES, SUFFIX, NAME)                                                   \
    {"Sleef_finz_" #NAME #LETTER #LANES "_u10" #SUFFIX,                                            \
     Sleef_finz_##NAME##LETTER##LANES##_u10##SUFFIX},
#define FINZ(OP, NAME) MATH_ON_HOST(SLEEF, NAME)
#include "codegen/math.def"
#undef FINZ
#undef SLEEF
};

enum { KNOWN_COUNT = sizeof known / sizeof *known };

static LLVMErrorRef define(LLVMOrcLLJITRef engine, const KnownFunction *functions, size_t count,
                           bool is_watched) {
    LLVMOrcCSymbolMapPair pairs[count];
    for (size_t i = 0; i < count; i++) {
        KnownFunction function = is_watched ? watch_instead(functions[i]) : functions[i];
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(engine, function.name);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)function.address;
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){
            LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
    }
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(engine),
                                 LLVMOrcAbsoluteSymbols(pairs, count));
}

/* The functions of extern stages; ORC refuses a name that is defined twice. */
static LLVMErrorRef define_externs(const Jit *jit, const Context *context) {
    const ExternTable *table = context->externs;
    LLVMErrorRef error = NULL;
    for (size_t i = 0; table && i < table->names.length && !error; i++) {
        Symbol name = table->names.data[i];
        KnownFunction function = {name->text, extern_find(context, name)->function};
        error = define(jit->engine, &function, 1, false);
    }
    return error;
}

static LLVMErrorRef define_known(LLVMOrcLLJITRef engine, const Object *object) {
    size_t count;
    const KnownFunction *callbacks = watch_callbacks(&count);
    bool is_watched = object->sanitize && watch_is_on();
    LLVMErrorRef error = define(engine, known, KNOWN_COUNT, is_watched);
    return error || !is_watched ? error : define(engine, callbacks, count, false);
}

/* NAME with this suffix. */
static LLVMErrorRef find(const Jit *jit, const char *suffix, LLVMOrcExecutorAddress *address) {
    char symbol[strlen(jit->name) + strlen(suffix) + 1];
    strcat(strcpy(symbol, jit->name), suffix);
    return LLVMOrcLLJITLookup(jit->engine, address, symbol);
}

/* ORC requires a target for compiling, and never compiles here. So it gets the plainest one: by
 * default, ORC asks the processor for all its features, and reads them twice. */
static LLVMErrorRef create_engine(LLVMOrcLLJITRef *engine) {
    char *message;
    LLVMTargetMachineRef machine = target_plain_back_end(&message);
    LLVMDisposeMessage(message);
    if (!machine)
        return LLVMOrcCreateLLJIT(engine, NULL);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    return LLVMOrcCreateLLJIT(engine, builder);
}

static LLVMErrorRef load(Jit *jit, const Context *context, const Object *object) {
    LLVMErrorRef error = create_engine(&jit->engine);
    if (!error)
        error = define_known(jit->engine, object);
    if (!error)
        error = define_externs(jit, context);
    if (!error && object->has_debug)
        error = LLVMOrcLLJITEnableDebugSupport(jit->engine);
    if (error)
        return error;
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)object->bytes, object->length, jit->name);
    error = LLVMOrcLLJITAddObjectFile(jit->engine, LLVMOrcLLJITGetMainJITDylib(jit->engine), bytes);
    if (error)
        return error;
    LLVMOrcExecutorAddress address;
    error = find(jit, "_report", &address);
    if (!error)
        jit->report = (void (*)(void))(uintptr_t)address;
    if (!error && jit->windows)
        error = find(jit, "_call", &address);
    if (!error && jit->windows)
        jit->call = (int (*)(hlc_report *, const hlc_call *, void **))(uintptr_t)address;
    return error;
}

void (*jit_function(const Jit *jit, const char *suffix))(void) {
    LLVMOrcExecutorAddress address = 0;
    LLVMConsumeError(find(jit, suffix, &address));
    return (void (*)(void))(uintptr_t)address;
}

/* LLVM ends the process when memory runs out. Loading takes little memory, but some. So this
 * reserves as much first, and fails as everywhere else. */
static void ask_for_memory(Memory *memory, const Object *object) {
    memory_ask(memory, (8 << 20) + 2 * object->length);
}

Jit *jit_load(Context *context, const Signature *signature, const Object *object) {
    char reason[500];
    ask_for_memory(&context->memory, object);
    if (!codegen_has_sanitizer(context, object->sanitize, true))
        return NULL;
    Arena *arena = arena_create(&context->memory);
    Jit *jit = arena_new(arena, Jit);
    jit->arena = arena;
    if (jit_prepare_call(jit, signature)) {
        LLVMErrorRef error = load(jit, context, object);
        if (!error)
            return jit;
        char *message = LLVMGetErrorMessage(error);
        snprintf(reason, sizeof reason, "%s", message);
        LLVMDisposeErrorMessage(message);
    } else {
        snprintf(reason, sizeof reason, "libffi cannot make the call");
    }
    jit_free(jit); /* first: reporting may run out of memory */
    diag(context, DIAG_CODEGEN_FAILED, NOWHERE, reason);
    return NULL;
}

Arena *jit_arena(const Jit *jit) {
    return jit->arena;
}

void jit_detach(Jit *jit, Memory *memory) {
    arena_move(jit->arena, memory);
}

void jit_free(Jit *jit) {
    if (!jit)
        return;
    if (jit->engine)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->engine));
    arena_destroy(jit->arena);
}
