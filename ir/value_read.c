/* value_read.c -- reads a float from its decimal text, rounded once, the same in every locale.
 *
 * The C library reads f32 and f64. A shorter float is rounded from an f64 that is rounded to odd:
 * of the neighbours below and above the text's number, the one whose last bit is 1.
 */
#include "ir/value.h"

#include <fenv.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static double read_toward(int direction, const char *text, char **end, locale_t locale) {
    int before = fegetround();
    fesetround(direction);
    double value = strtod_l(text, end, locale);
    fesetround(before);
    return value;
}

static double read_to_odd(const char *text, char **end, locale_t locale) {
    double below = read_toward(FE_DOWNWARD, text, end, locale);
    double above = read_toward(FE_UPWARD, text, end, locale);
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    return bits & 1 ? below : above;
}

Bits bits_from_text(Type type, const char *text, char **end) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = type.bits == 16   ? read_to_odd(text, end, c_locale)
                   : type.bits == 32 ? (double)strtof_l(text, end, c_locale)
                                     : strtod_l(text, end, c_locale);
    freelocale(c_locale);
    return bits_from_double(type, value);
}
