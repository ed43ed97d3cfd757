/* float.c -- the float environment of compiled pipelines: IEEE 754's default, whatever the host has
 * set (flush-to-zero, another rounding, traps).
 */
#include "runtime/hlc_runtime.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

#define MXCSR_DEFAULT 0x1f80u /* all exceptions masked, nearest even, subnormals kept */

uint64_t hlc_float_enter(void) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(MXCSR_DEFAULT);
    return before;
}

void hlc_float_leave(uint64_t environment) {
    _mm_setcsr((unsigned)environment);
}

#elif defined(__aarch64__)

uint64_t hlc_float_enter(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return before;
}

void hlc_float_leave(uint64_t environment) {
    __asm__ volatile("msr fpcr, %0" : : "r"(environment));
}

#else
#error "the float environment of this machine is not known here"
#endif
