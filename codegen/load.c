/* load.c -- object bytes to callable code, with ORC.
 *
 * The same bytes could be linked into a program: nothing is compiled here.  What they need of the
 * run-time library and of SLEEF is this process's own, given by address; the linker that ORC uses
 * on ELF never maps a page writable and executable at once.
 */
#include "codegen/jit.h"
#include "codegen/math.h"
#include "codegen/target.h"

/* Only their addresses are taken; sleef.h shows them to compilers that are told of the features. */
#define SLEEF(LETTER, BITS, LANES, SUFFIX, NAME)                                                   \
    void Sleef_finz_##NAME##LETTER##LANES##_u10##SUFFIX(void);
#define FINZ(OP, NAME) MATH_ON_HOST(SLEEF, NAME)
#include "codegen/math.def"
#undef FINZ
#undef SLEEF

typedef struct Known {
    const char *name;
    void (*address)(void);
} Known;

static const Known known[] = {
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

static LLVMErrorRef define_known(LLVMOrcLLJITRef engine) {
    LLVMOrcCSymbolMapPair pairs[KNOWN_COUNT];
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(engine, known[i].name);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)known[i].address;
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){
            LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
    }
    return LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(engine),
                                 LLVMOrcAbsoluteSymbols(pairs, KNOWN_COUNT));
}

static LLVMErrorRef load(Jit *jit, const Object *object, const char *symbol) {
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->engine, NULL);
    if (error)
        return error;
    error = define_known(jit->engine);
    if (error)
        return error;
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)object->bytes, object->length, jit->signature->name->text);
    error = LLVMOrcLLJITAddObjectFile(jit->engine, LLVMOrcLLJITGetMainJITDylib(jit->engine), bytes);
    if (error)
        return error;
    LLVMOrcExecutorAddress address;
    error = LLVMOrcLLJITLookup(jit->engine, &address, symbol);
    if (!error)
        jit->report = (void (*)(void))(uintptr_t)address;
    return error;
}

void (*jit_function(const Jit *jit, const char *suffix))(void) {
    char name[512];
    int length = snprintf(name, sizeof name, "%s%s", jit->signature->name->text, suffix);
    LLVMOrcExecutorAddress address = 0;
    if (length >= (int)sizeof name)
        return NULL;
    LLVMConsumeError(LLVMOrcLLJITLookup(jit->engine, &address, name));
    return (void (*)(void))(uintptr_t)address;
}

static void destroy_engine(Jit *jit) {
    if (jit->engine)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->engine));
}

Jit *jit_load(Context *context, const Signature *signature, const Object *object) {
    target_register_host();
    const char *symbol = symbol_format(&context->symbols, "%s_report", signature->name->text)->text;
    Arena *arena = arena_create(&context->memory);
    Jit *jit = arena_new(arena, Jit);
    jit->arena = arena;
    jit->context = context;
    jit->signature = signature;
    if (!jit_prepare_call(jit)) {
        diag(context, DIAG_CODEGEN_FAILED, NOWHERE, "libffi cannot make the call");
        jit_free(jit);
        return NULL;
    }
    LLVMErrorRef error = load(jit, object, symbol);
    if (!error)
        return jit;
    char *message = LLVMGetErrorMessage(error);
    diag(context, DIAG_CODEGEN_FAILED, NOWHERE, message);
    LLVMDisposeErrorMessage(message);
    jit_free(jit);
    return NULL;
}

void jit_free(Jit *jit) {
    if (!jit)
        return;
    destroy_engine(jit);
    arena_destroy(jit->arena);
}
