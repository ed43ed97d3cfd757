/* cpu.c -- selects the version of a pipeline's code that this processor can run.
 *
 * An entry calls this before code for more than the baseline. So an older processor gets an error,
 * never an illegal instruction. This file is compiled for the baseline, like the entries.
 */
#include "runtime/cpu.h"

#include <stdatomic.h>
#include <stdio.h>

static const struct {
    const char *text;
    int level;
} FEATURES[] = {
#define CPU_FEATURE(NAME, TEXT, LEVEL, ...) {TEXT, LEVEL},
#include "runtime/cpu_features.def"
#undef CPU_FEATURE
};

const char *cpu_feature_name(CpuFeature feature) {
    return FEATURES[feature].text;
}

uint64_t cpu_level(int level) {
    uint64_t features = 0;
    for (int i = 0; i < CPU_FEATURE_COUNT; i++)
        if (FEATURES[i].level > 0 && FEATURES[i].level <= level)
            features |= CPU_BIT(i);
    return features;
}

enum { EAX, EBX, ECX, EDX };

/* Bits of XCR0: the registers that the operating system saves and restores. ARM's features have
 * none. */
enum {
    STATE_GENERAL = 0,
    STATE_AVX = 0x6,     /* XMM and YMM */
    STATE_AVX512 = 0xe6, /* and masks, ZMM */
    STATE_HWCAP = -1
};

static const struct {
    unsigned leaf, subleaf;
    int number, bit, state;
} WHERE[] = {
#define CPU_FEATURE(NAME, TEXT, LEVEL, LEAF, SUBLEAF, REGISTER, BIT, STATE)                        \
    {LEAF, SUBLEAF, REGISTER, BIT, STATE_##STATE},
#include "runtime/cpu_features.def"
#undef CPU_FEATURE
};

#if defined(__x86_64__)
#include <cpuid.h>

/* Gives zeros for a leaf that the processor does not have. */
static void read_leaf(unsigned leaf, unsigned subleaf, unsigned registers[4]) {
    registers[EAX] = registers[EBX] = registers[ECX] = registers[EDX] = 0;
    __get_cpuid_count(leaf, subleaf, &registers[EAX], &registers[EBX], &registers[ECX],
                      &registers[EDX]);
}

static unsigned saved_state(void) {
    unsigned registers[4], low, high;
    read_leaf(1, 0, registers);
    if (!(registers[ECX] & bit_OSXSAVE)) /* XGETBV itself would be illegal */
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint64_t detect(void) {
    uint64_t features = 0;
    int saved = (int)saved_state();
    for (int i = 0; i < CPU_FEATURE_COUNT; i++) {
        unsigned registers[4];
        if (WHERE[i].state == STATE_HWCAP)
            continue;
        read_leaf(WHERE[i].leaf, WHERE[i].subleaf, registers);
        if ((registers[WHERE[i].number] >> WHERE[i].bit & 1) &&
            (saved & WHERE[i].state) == WHERE[i].state)
            features |= CPU_BIT(i);
    }
    return features;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

static uint64_t detect(void) {
    uint64_t features = 0, had = getauxval(AT_HWCAP);
    for (int i = 0; i < CPU_FEATURE_COUNT; i++)
        if (WHERE[i].state == STATE_HWCAP && (had >> WHERE[i].bit & 1))
            features |= CPU_BIT(i);
    return features;
}
#else
static uint64_t detect(void) {
    (void)WHERE;
    return 0;
}
#endif

/* CPUID costs microseconds, in a virtual machine tens of them, so it runs once. */
uint64_t cpu_features(void) {
    static _Atomic uint64_t known;
    const uint64_t is_known = UINT64_C(1) << 63;
    uint64_t features = atomic_load_explicit(&known, memory_order_relaxed);
    if (!features) {
        features = detect() | is_known;
        atomic_store_explicit(&known, features, memory_order_relaxed);
    }
    return features & ~is_known;
}

/* The subject is "x86-64-v3: it lacks avx, avx2". */
static int refuse(hlc_report *report, const hlc_code_version *version, uint64_t missing) {
    char subject[400];
    size_t used = (size_t)snprintf(subject, sizeof subject, "%s", version->target);
    const char *before = ": it lacks ";
    for (int i = 0; i < CPU_FEATURE_COUNT && used < sizeof subject; i++) {
        if (!(missing & CPU_BIT(i)))
            continue;
        used += (size_t)snprintf(subject + used, sizeof subject - used, "%s%s", before,
                                 FEATURES[i].text);
        before = ", ";
    }
    return hlc_fail(report, HLC_ERROR_CPU_LACKS_FEATURES, subject, NULL, 0);
}

int cpu_choose(hlc_report *report, const hlc_code_version *versions, int count, uint64_t had) {
    for (int i = 0; i < count; i++)
        if ((versions[i].features & ~had) == 0)
            return i;
    const hlc_code_version *least = &versions[count - 1];
    return refuse(report, least, least->features & ~had);
}

int hlc_choose_code(hlc_report *report, const hlc_code_version *versions, int count) {
    return cpu_choose(report, versions, count, cpu_features());
}
