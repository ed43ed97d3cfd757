/* target.c -- the targets of code generation, and LLVM's back end for them.
 *
 * A module contains functions for several processors of one architecture. The attributes of a
 * function give its processor; LLVM's target machine itself is the baseline. One row of targets.def
 * gives both the features that a version requires and those that it is compiled with. (For `host`,
 * the run-time library detects them.) So code never uses a feature that the entry does not test.
 */
#include "codegen/target.h"
#include "codegen/codegen.h"

#include "runtime/cpu.h"

#include <llvm-c/Support.h>
#include <pthread.h>

enum {
#define ARCHITECTURE(NAME, TRIPLE, BASELINE, BACK_END) ARCHITECTURE_##NAME,
#define TARGET(...)
#include "codegen/targets.def"
#undef ARCHITECTURE
#undef TARGET
};

#if defined(__x86_64__)
enum { HOST_ARCHITECTURE = ARCHITECTURE_X86 };
#elif defined(__aarch64__)
enum { HOST_ARCHITECTURE = ARCHITECTURE_AARCH64 };
#else
#error "there is no code generation for this machine"
#endif

static const struct {
    const char *triple, *baseline;
} ARCHITECTURES[] = {
#define ARCHITECTURE(NAME, TRIPLE, BASELINE, BACK_END) {TRIPLE, BASELINE},
#define TARGET(...)
#include "codegen/targets.def"
#undef ARCHITECTURE
#undef TARGET
};

typedef struct TargetRow {
    const char *text;
    int architecture;
    const char *cpu;
    int level;
    const char *features;
} TargetRow;

static const TargetRow TARGETS[] = {
#define ARCHITECTURE(...)
#define TARGET(TEXT, ARCHITECTURE, PROCESSOR, LEVEL, FEATURES)                                     \
    {TEXT, ARCHITECTURE_##ARCHITECTURE, PROCESSOR, LEVEL, FEATURES},
#include "codegen/targets.def"
#undef ARCHITECTURE
#undef TARGET
};

enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

/* ---- the requested targets ---- */

/* Returns the features that an entry tests before it calls the row's code. */
static uint64_t row_needs(const TargetRow *row) {
    uint64_t needs = row->architecture == ARCHITECTURE_X86 ? cpu_level(row->level) : 0;
    for (const char *at = row->features; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        int i = 0;
        while (i < CPU_FEATURE_COUNT &&
               !(strlen(cpu_feature_name((CpuFeature)i)) == length &&
                 strncmp(cpu_feature_name((CpuFeature)i), at, length) == 0))
            i++;
        hlc_assert(i < CPU_FEATURE_COUNT, "a target's features are rows of cpu_features.def");
        needs |= CPU_BIT(i);
        at += length;
    }
    return needs;
}

/* Derives the flags from the features. */
static void know_features(Target *target) {
    uint64_t has = target->needs;
    target->has_fma = target->is_aarch64 || (has & CPU_BIT(CPU_FMA));
    target->has_f16 = target->is_aarch64 || (has & CPU_BIT(CPU_F16C));
    target->has_ssse3 = has & CPU_BIT(CPU_SSSE3);
    target->has_avx2 = has & CPU_BIT(CPU_AVX2);
    target->has_avx512 = has & CPU_BIT(CPU_AVX512F);
    target->has_vbmi = has & CPU_BIT(CPU_AVX512VBMI);
    target->dot_lanes = has & CPU_BIT(CPU_AVX512VNNI) ? 16
                        : has & CPU_BIT(CPU_AVXVNNI)  ? 8
                        : has & CPU_BIT(CPU_DOTPROD)  ? 4
                                                      : 0;
    target->has_gather = target->has_avx512;
}

/* LLVM's names of the features beyond the processor's own. */
static const char *feature_text(Arena *arena, uint64_t features) {
    const char *text = "";
    for (int i = 0; i < CPU_FEATURE_COUNT; i++)
        if (features & CPU_BIT(i))
            text = arena_format(arena, "%s%s+%s", text, *text ? "," : "",
                                cpu_feature_name((CpuFeature)i));
    return text;
}

static Target make_target(Arena *arena, const TargetRow *row) {
    bool is_x86 = row->architecture == ARCHITECTURE_X86;
    uint64_t needs = row_needs(row), level = is_x86 ? cpu_level(row->level) : 0;
    Target target = {.name = row->text,
                     .cpu = row->cpu,
                     .features = feature_text(arena, needs & ~level),
                     .tune = row->cpu,
                     .needs = needs,
                     .row = (int)(row - TARGETS),
                     .is_aarch64 = !is_x86};
    know_features(&target);
    return target;
}

/* Returns the highest level that this machine supports. */
static const TargetRow *host_row(void) {
    const TargetRow *best = NULL;
    uint64_t had = cpu_features();
    for (int i = 0; i < TARGET_COUNT; i++)
        if (TARGETS[i].architecture == HOST_ARCHITECTURE && (row_needs(&TARGETS[i]) & ~had) == 0)
            best = &TARGETS[i];
    return best;
}

void codegen_describe(char *text, size_t size) {
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(text, size, "LLVM %u.%u.%u, host %s", major, minor, patch, host_row()->text);
}

/* Makes the host's target: the highest level, with its further features. AVX-512 is used if the
 * machine supports its whole level, or not at all. */
static Target make_host(Arena *arena) {
    uint64_t had = cpu_features();
    const TargetRow *row = host_row();
    Target target = make_target(arena, row);
    const char *const avx512 = "avx512";
    for (int i = 0; i < CPU_FEATURE_COUNT; i++) {
        const char *name = cpu_feature_name((CpuFeature)i);
        bool is_wide = strncmp(name, avx512, strlen(avx512)) == 0;
        if (!(had & ~target.needs & CPU_BIT(i)) || (is_wide && !target.has_avx512))
            continue;
        target.needs |= CPU_BIT(i);
    }
    know_features(&target);
    target.features =
        feature_text(arena, target.needs & ~(target.is_aarch64 ? 0 : cpu_level(row->level)));
    char *told = LLVMGetHostCPUName(), processor[64];
    snprintf(processor, sizeof processor, "%s", told);
    LLVMDisposeMessage(told); /* before the arena may run out of memory */
    target.tune = arena_text(arena, processor, strlen(processor));
    target.name = "host";
    target.row = -1;
    return target;
}

/* Returns the row of a name of this length; TARGET_COUNT if there is none. */
static int find_row(const char *name, size_t length) {
    int i = 0;
    while (i < TARGET_COUNT &&
           !(strlen(TARGETS[i].text) == length && strncmp(TARGETS[i].text, name, length) == 0))
        i++;
    return i;
}

static bool read_one(Context *context, Arena *arena, const char *name, size_t length,
                     Target *target) {
    int row = find_row(name, length);
    if (row < TARGET_COUNT) {
        *target = make_target(arena, &TARGETS[row]);
        return true;
    }
    if (length == strlen("host") && strncmp(name, "host", length) == 0) {
        *target = make_host(arena);
        return true;
    }
    const char *names = "host";
    for (int i = 0; i < TARGET_COUNT; i++)
        names = arena_format(arena, "%s, %s", names, TARGETS[i].text);
    diag(context, DIAG_TARGET_UNKNOWN, NOWHERE, arena_text(arena, name, length), names);
    return false;
}

static int architecture(const Target *target) {
    return target->row < 0 ? HOST_ARCHITECTURE : TARGETS[target->row].architecture;
}

/* Are they two versions of one module? */
static bool agree(const Target *a, const Target *b) {
    return a->row >= 0 && b->row >= 0 && a->row != b->row && architecture(a) == architecture(b);
}

/* Inserts the target into the list, the most demanding first. */
static bool insert(Context *context, ModuleMachine *machine, Target target) {
    for (int i = 0; i < machine->version_count; i++)
        if (!agree(&machine->versions[i], &target)) {
            diag(context, DIAG_TARGETS_MIXED, NOWHERE, machine->versions[i].name, target.name);
            return false;
        }
    int at = machine->version_count++;
    for (; at > 0 && machine->versions[at - 1].row < target.row; at--)
        machine->versions[at] = machine->versions[at - 1];
    machine->versions[at] = target;
    return true;
}

bool machine_read(Context *context, Arena *arena, const char *text, ModuleMachine *machine) {
    if (!text)
        text = "host";
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    *machine = (ModuleMachine){.versions = arena_array(arena, Target, most)};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        Target target;
        if (!read_one(context, arena, at, length, &target) || !insert(context, machine, target))
            return false;
        at += length;
        if (!*at)
            break;
    }
    machine->architecture = architecture(&machine->versions[0]);
    machine->triple = ARCHITECTURES[machine->architecture].triple;
    const char *baseline = ARCHITECTURES[machine->architecture].baseline;
    machine->baseline = (Target){.cpu = baseline, .features = "", .tune = baseline};
    return true;
}

bool machine_is_native(const ModuleMachine *machine) {
    return machine->architecture == HOST_ARCHITECTURE;
}

/* ---- LLVM ---- */

/* LLVM registers its back ends in a list of the process, once. */
static pthread_once_t registered = PTHREAD_ONCE_INIT;

/* Options against three costs of LLVM. LLVM 19 turns many vector products with constants into
 * shifts and additions: in 5x5 stencils of 16 bits, 1.1 times slower than the one multiply
 * instruction. Its search for scalars that fit mask registers takes quadratic time in a function's
 * length, and finds none in our code. So does its sinking of instructions into branches, which
 * makes the code no faster and often longer. */
static void register_all(void) {
    static const char *const options[] = {"hlc", "-mul-constant-optimization=0",
                                          "-disable-x86-domain-reassignment",
                                          "-disable-machine-sink"};
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
#define ARCHITECTURE(NAME, TRIPLE, BASELINE, BACK_END)                                             \
    LLVMInitialize##BACK_END##TargetInfo();                                                        \
    LLVMInitialize##BACK_END##Target();                                                            \
    LLVMInitialize##BACK_END##TargetMC();                                                          \
    LLVMInitialize##BACK_END##AsmPrinter();                                                        \
    LLVMInitialize##BACK_END##AsmParser();
#define TARGET(...)
#include "codegen/targets.def"
#undef ARCHITECTURE
#undef TARGET
}

static void register_once(void) {
    pthread_once(&registered, register_all);
}

/* Returns null if LLVM has no back end for the architecture. */
static LLVMTargetMachineRef create_back_end(int architecture, LLVMCodeGenOptLevel level,
                                            char **message) {
    register_once();
    *message = NULL;
    LLVMTargetRef back_end;
    const char *triple = ARCHITECTURES[architecture].triple;
    if (LLVMGetTargetFromTriple(triple, &back_end, message))
        return NULL;
    return LLVMCreateTargetMachine(back_end, triple, ARCHITECTURES[architecture].baseline, "",
                                   level, LLVMRelocPIC, LLVMCodeModelDefault);
}

bool machine_open(ModuleMachine *machine, int optimize, char **message) {
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    int level = optimize < 0 ? 0 : optimize > 3 ? 3 : optimize;
    machine->back_end = create_back_end(machine->architecture, levels[level], message);
    if (!machine->back_end)
        return false;
    machine->data = LLVMCreateTargetDataLayout(machine->back_end);
    return true;
}

bool machine_stop_optimizing(ModuleMachine *machine, char **message) {
    LLVMTargetMachineRef plain =
        create_back_end(machine->architecture, LLVMCodeGenLevelNone, message);
    if (!plain)
        return false;
    LLVMDisposeTargetMachine(machine->back_end);
    machine->back_end = plain;
    return true;
}

LLVMTargetMachineRef target_plain_back_end(char **message) {
    return create_back_end(HOST_ARCHITECTURE, LLVMCodeGenLevelNone, message);
}

void machine_close(ModuleMachine *machine) {
    if (machine->data)
        LLVMDisposeTargetData(machine->data);
    if (machine->back_end)
        LLVMDisposeTargetMachine(machine->back_end);
    machine->data = NULL;
    machine->back_end = NULL;
}

void target_mark(const Target *target, LLVMValueRef function) {
    compat_mark_text(function, "target-cpu", target->cpu);
    if (*target->features)
        compat_mark_text(function, "target-features", target->features);
    compat_mark_text(function, "tune-cpu", target->tune);
}
