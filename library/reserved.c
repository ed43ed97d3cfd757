/* reserved.c -- names that programs that link an object already use. A header that declares a
 * function of such a name is no valid C or C++. If the name is a function of the C library, the
 * program calls the wrong one. The C library itself gives its names. Code for this process only may
 * have any name (codegen/machine/object.c).
 */
#include "library/reserved.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stdio.h>
#include <string.h>

/* The names that no shared object defines, with a blank on either side. */
static const char WORDS[] =
    /* words of C and C++ */
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t"
    " char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr"
    " constinit continue decltype default delete do double dynamic_cast else enum explicit export"
    " extern false float for friend goto if inline int long mutable namespace new noexcept not"
    " not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires"
    " restrict return short signed sizeof static static_assert static_cast struct switch template"
    " this thread_local throw true try typedef typeid typename union unsigned using virtual void"
    " volatile wchar_t while xor xor_eq"
    /* what hlc_runtime.h includes */
    " NULL int16_t int32_t int64_t int8_t intmax_t intptr_t max_align_t offsetof ptrdiff_t size_t"
    " uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t"
    /* macros of the C library, functions that it links into each program, and the program's own */
    " at_quick_exit atexit fpclassify isfinite isnormal signbit main ";

static bool is_in_library(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_LAZY);
    bool is_there = handle && dlsym(handle, name);
    if (handle)
        dlclose(handle);
    return is_there;
}

bool is_reserved_name(const char *name) {
    static const char *const PREFIXES[] = {"halide_", "pthread_", "__"};
    char word[40];
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (strncmp(name, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return true;
    snprintf(word, sizeof word, " %.30s ", name);
    return strstr(WORDS, word) || is_in_library(LIBC_SO, name) || is_in_library(LIBM_SO, name);
}
