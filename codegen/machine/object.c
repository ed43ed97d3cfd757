/* object.c -- from a program to bytes: the module, LLVM's passes over it, the file.
 *
 * LLVM's objects do not live in an arena. If our memory runs out between two calls of LLVM, the
 * failure passes through here, and disposes of them, on its way to the library's entry.
 */
#include "codegen/emit.h"
#include "codegen/short_float.h"
#include "runtime/cpu.h"

#include <ctype.h>

/* The optimiser's passes for each level. They are few, because the loops already have their final
 * shape, and the expressions are simplified. */
#define COMBINE "instcombine<no-verify-fixpoint>"
enum { MOST_PASSES = 12 };
static const char *const pass_lists[][MOST_PASSES + 1] = {
    {NULL},
    {"early-cse", "simplifycfg"},
    {"early-cse<memssa>", COMBINE, "sroa", "simplifycfg", "loop-mssa(licm)", "gvn", COMBINE,
     "simplifycfg"},
    {"early-cse<memssa>", COMBINE, "sroa", "simplifycfg", "loop-mssa(licm,simple-loop-unswitch)",
     "gvn", "loop(indvars)", "loop-vectorize", COMBINE, "simplifycfg"},
};

typedef struct Job {
    Emitter emitter;
    ModuleMachine machine;
    const CodegenOptions *options;
    LLVMMemoryBufferRef bytes;
    char *message;   /* LLVM's */
    bool has_failed; /* LLVM diagnosed an error */
} Job;

static void dispose(Job *job) {
    Emitter *e = &job->emitter;
    if (job->bytes)
        LLVMDisposeMemoryBuffer(job->bytes);
    if (job->message)
        LLVMDisposeMessage(job->message);
    debug_dispose(e);
    if (e->builder)
        LLVMDisposeBuilder(e->builder);
    if (e->module)
        LLVMDisposeModule(e->module);
    if (e->llvm)
        LLVMContextDispose(e->llvm);
    machine_close(&job->machine);
}

static bool fail(Job *job, const char *message) {
    diag(job->emitter.context, DIAG_CODEGEN_FAILED, NOWHERE, message ? message : "no reason given");
    return false;
}

/* ---- refusals before code generation ---- */

/* A C identifier that collides with nothing in the object. */
static bool is_usable_name(const char *name) {
    static const char *const taken[] = {"memcpy", "memmove", "memset", "memcmp", "main"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return strncmp(name, "hlc_", 4) != 0 && strncmp(name, "Sleef_", 6) != 0;
}

/* Software fused multiply-add would take hundreds of cycles, and the finz family contains it. */
static bool check_features(const Job *job) {
    const Emitter *e = &job->emitter;
    for (int i = 0; e->needs_fma && i < job->machine.version_count; i++) {
        if (job->machine.versions[i].has_fma)
            continue;
        diag(e->context, DIAG_NEEDS_FMA, NOWHERE, e->needs_fma, job->machine.versions[i].name);
        return false;
    }
    return true;
}

/* ---- making the module ---- */

/* Drops what LLVM would print. Only the assembler's errors do not come back as results. */
static void note_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
    Job *job = data;
    job->has_failed |= LLVMGetDiagInfoSeverity(info) == LLVMDSError;
}

static void create_module(Job *job) {
    Emitter *e = &job->emitter;
    e->llvm = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(e->llvm, note_diagnostic, job);
    e->module = LLVMModuleCreateWithNameInContext(e->signature->name->text, e->llvm);
    e->builder = LLVMCreateBuilderInContext(e->llvm);
    LLVMSetTarget(e->module, job->machine.triple);
    LLVMSetModuleDataLayout(e->module, job->machine.data);
    e->void_type = LLVMVoidTypeInContext(e->llvm);
    e->i1 = LLVMInt1TypeInContext(e->llvm);
    e->i8 = LLVMInt8TypeInContext(e->llvm);
    e->i32 = LLVMInt32TypeInContext(e->llvm);
    e->i64 = LLVMInt64TypeInContext(e->llvm);
    e->pointer = LLVMPointerTypeInContext(e->llvm, 0);
    e->machine = &job->machine;
    e->target = &job->machine.baseline;
    e->variables = map_create(e->arena);
    e->memrefs = map_create(e->arena);
    e->outputs = map_create(e->arena);
    e->fields = map_create(e->arena);
    e->value_count = e->program->pool->next_number;
    e->values = arena_array(e->arena, LLVMValueRef, e->value_count + 1);
    e->affine = arena_array(e->arena, AffineLanes *, e->value_count + 1);
    e->affine_variables = map_create(e->arena);
    e->unrolled = 1;
    e->rolled = map_create(e->arena);
    e->warned = map_create(e->arena);
    e->owners = map_create(e->arena);
    e->met = arena_array(e->arena, uint32_t, e->value_count + 1);
    e->simplifier = simplifier_create(e->program->pool, e->arena);
}

static LLVMErrorRef run_passes(Job *job, const char *passes) {
    if (!passes)
        return NULL;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(job->emitter.module, passes, job->machine.back_end, options);
    LLVMDisposePassBuilderOptions(options);
    return error;
}

/* Counts the instructions, for the report of times. */
static int64_t count_instructions(const Job *job) {
    int64_t count = 0;
    LLVMValueRef function = LLVMGetFirstFunction(job->emitter.module);
    for (; function; function = LLVMGetNextFunction(function)) {
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
        for (; block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef instruction = LLVMGetFirstInstruction(block);
            for (; instruction; instruction = LLVMGetNextInstruction(instruction))
                count++;
        }
    }
    return count;
}

/* Runs the passes one by one if times are measured, otherwise in LLVM's order: function by
 * function. */
static LLVMErrorRef run_list(Job *job, const char *const *list) {
    Context *context = job->emitter.context;
    Arena *arena = job->emitter.arena;
    const char *all = "";
    LLVMErrorRef error = NULL;
    for (int i = 0; list[i] && !error; i++) {
        all = arena_format(arena, "%s%s%s", all, i ? "," : "", list[i]);
        if (!context->timing)
            continue;
        timing_begin(context, arena_format(context->arena, "%s", list[i]));
        error = run_passes(job, arena_format(arena, "function(%s)", list[i]));
        timing_size(context, count_instructions(job), "instructions");
        timing_end(context);
    }
    return context->timing || !*all ? error
                                    : run_passes(job, arena_format(arena, "function(%s)", all));
}

static bool verify(Job *job) {
    bool is_broken = LLVMVerifyModule(job->emitter.module, LLVMReturnStatusAction, &job->message);
    if (is_broken)
        return fail(job, job->message);
    LLVMDisposeMessage(job->message); /* an empty one */
    job->message = NULL;
    return true;
}

static bool optimize(Job *job) {
    int level = job->options->optimize;
    level = level < 0 ? 0 : level > 3 ? 3 : level;
    if (!large_accept(&job->emitter, &level))
        return false;
    if (job->emitter.context->verifies) {
        timing_begin(job->emitter.context, "verify");
        if (!verify(job))
            return false;
        timing_end(job->emitter.context);
    }
    LLVMErrorRef error = run_list(job, pass_lists[level]);
    short_float_lower(&job->emitter);
    freeze_drop(&job->emitter);
    if (!error && level >= 2) {
        unroll_reductions(&job->emitter);
        hoist_addresses(&job->emitter);
    }
    if (!error)
        error = run_passes(job, sanitizer_prepare(&job->emitter, job->options->sanitize));
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    job->message = LLVMCreateMessage(text); /* disposed of whatever happens */
    LLVMDisposeErrorMessage(text);
    return fail(job, job->message);
}

/* Does the optimised module still call a function of libsleef? */
static bool needs_sleef(const Job *job) {
    LLVMValueRef function = LLVMGetFirstFunction(job->emitter.module);
    for (; function; function = LLVMGetNextFunction(function)) {
        size_t length;
        const char *name = LLVMGetValueName2(function, &length);
        if (LLVMIsDeclaration(function) && LLVMGetFirstUse(function) &&
            strncmp(name, "Sleef_", 6) == 0)
            return true;
    }
    return false;
}

/* Writes the module into `job->bytes`. */
static bool emit_file(Job *job, LLVMModuleRef module, LLVMCodeGenFileType type) {
    if (job->bytes)
        LLVMDisposeMemoryBuffer(job->bytes);
    job->bytes = NULL;
    return !LLVMTargetMachineEmitToMemoryBuffer(job->machine.back_end, module, type, &job->message,
                                                &job->bytes);
}

/* Makes the object of its own assembly, as a module that has nothing else. This takes a tenth of the
 * time that it takes to generate the code twice. */
static bool emit_assembled(Job *job, Arena *arena, Object *object) {
    const Emitter *e = &job->emitter;
    if (!emit_file(job, e->module, LLVMAssemblyFile))
        return false;
    size_t length = LLVMGetBufferSize(job->bytes);
    object->assembly = arena_text(arena, LLVMGetBufferStart(job->bytes), length);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(e->signature->name->text, e->llvm);
    LLVMSetTarget(module, job->machine.triple);
    LLVMSetModuleDataLayout(module, job->machine.data);
    LLVMSetModuleInlineAsm2(module, object->assembly, length);
    job->has_failed = false;
    bool is_made = emit_file(job, module, LLVMObjectFile) && !job->has_failed;
    LLVMDisposeModule(module);
    return is_made;
}

/* The result, in the arena. */
static bool write_out(Job *job, Arena *arena, Object *object) {
    object->needs_sleef = needs_sleef(job);
    const char *emit = job->options->emit ? job->options->emit : "object";
    object->has_debug = job->options->debug;
    object->sanitize = job->options->sanitize;
    if (strcmp(emit, "ll") == 0) {
        job->message = LLVMPrintModuleToString(job->emitter.module);
        object->length = strlen(job->message);
        object->bytes = (unsigned char *)arena_text(arena, job->message, object->length);
        return true;
    }
    bool accepted = true;
    bool optimizes = job->options->optimize == 0 || large_optimizes(&job->emitter, &accepted);
    if (accepted && (!optimizes || job->options->once) &&
        !machine_stop_optimizing(&job->machine, &job->message))
        return fail(job, job->message);
    if (!accepted)
        return false;
    bool is_listing = strcmp(emit, "listing") == 0;
    LLVMSetTargetMachineAsmVerbosity(job->machine.back_end, is_listing);
    LLVMCodeGenFileType type =
        is_listing || strcmp(emit, "asm") == 0 ? LLVMAssemblyFile : LLVMObjectFile;
    bool is_made = job->options->assembly && type == LLVMObjectFile
                       ? emit_assembled(job, arena, object)
                       : emit_file(job, job->emitter.module, type);
    if (!is_made)
        return fail(job, job->message);
    object->length = LLVMGetBufferSize(job->bytes);
    object->bytes = arena_allocate(arena, object->length + 1);
    memcpy(object->bytes, LLVMGetBufferStart(job->bytes), object->length);
    return true;
}

static bool run(Job *job, Arena *arena, Object *object) {
    Emitter *e = &job->emitter;
    if (!codegen_has_sanitizer(e->context, job->options->sanitize, false) ||
        !machine_read(e->context, e->arena, job->options->targets, &job->machine))
        return false;
    timing_begin(e->context, "target");
    if (!machine_open(&job->machine, job->options->optimize, &job->message))
        return fail(job, job->message);
    const char *name = job->emitter.signature->name->text;
    timing_end(e->context);
    if (!is_usable_name(name)) {
        diag(job->emitter.context, DIAG_PIPELINE_NAME, NOWHERE, name);
        return false;
    }
    timing_begin(e->context, "emit");
    create_module(job);
    if (job->options->debug)
        debug_begin(&job->emitter, job->options->optimize > 0);
    emit_entries(&job->emitter);
    debug_finish(&job->emitter);
    if (e->context->timing)
        timing_size(e->context, count_instructions(job), "instructions");
    timing_end(e->context);
    timing_begin(e->context, "object bounds");
    object_bounds_check(e);
    timing_end(e->context);
    if (!check_features(job) || !optimize(job))
        return false;
    timing_begin(e->context, "machine code");
    bool is_written = write_out(job, arena, object);
    timing_size(e->context, (int64_t)object->length, "bytes");
    timing_end(e->context);
    return is_written;
}

bool codegen_object(const Program *program, Arena *arena, const CodegenOptions *options,
                    Object *object) {
    Context *context = program->pool->context;
    Arena *volatile scratch = NULL;
    Job *volatile job = NULL;
    jmp_buf *outer = context->memory.on_failure;
    jmp_buf here;
    if (setjmp(here)) {
        context->memory.on_failure = outer;
        if (job)
            dispose(job);
        arena_destroy(scratch);
        longjmp(*outer, 1);
    }
    if (outer)
        context->memory.on_failure = &here;
    scratch = arena_create(&context->memory);
    job = arena_new(scratch, Job);
    job->options = options;
    job->emitter = (Emitter){.program = program,
                             .signature = program->signature,
                             .context = context,
                             .arena = scratch,
                             .trace = options->trace,
                             .stoppable = options->stoppable,
                             .wants_profile = options->profile,
                             .for_address_sanitizer =
                                 options->sanitize && strcmp(options->sanitize, "address") == 0};
    bool is_made = run(job, arena, object);
    context->memory.on_failure = outer;
    dispose(job);
    arena_destroy(scratch);
    return is_made;
}

bool codegen_runs_here(Context *context, const char *targets) {
    ModuleMachine machine;
    Arena *arena = arena_create(&context->memory);
    bool runs = false;
    if (machine_read(context, arena, targets, &machine) && machine_is_native(&machine))
        for (int i = 0; i < machine.version_count; i++)
            runs |= (machine.versions[i].needs & ~cpu_features()) == 0;
    arena_destroy(arena);
    return runs;
}

bool codegen_has_targets(Context *context, const char *targets, bool to_run) {
    ModuleMachine machine;
    Arena *arena = arena_create(&context->memory);
    bool is_read = machine_read(context, arena, targets, &machine);
    bool is_native = is_read && machine_is_native(&machine);
    arena_destroy(arena);
    if (is_read && to_run && !is_native)
        diag(context, DIAG_TARGET_FOREIGN, NOWHERE, targets);
    return is_read && (is_native || !to_run);
}
