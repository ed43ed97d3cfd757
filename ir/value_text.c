/* value_text.c -- a value as text, the same in every locale. It is printed with as many digits as
 * identify it. A float is read from decimal text with one rounding.
 *
 * The C library reads f32 and f64. A shorter float is rounded from an f64 that is rounded to odd:
 * of the neighbours below and above the text's number, the one whose last bit is 1.
 */
#include "ir/value.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces the locale's decimal point by `.`. Appends `.0` to a number without point or exponent,
 * to mark it as a float. */
static int normalise(char *text, size_t size) {
    size_t digits = strspn(text, "-0123456789");
    if (!text[digits]) {
        snprintf(text + digits, size - digits, ".0");
    } else if (text[digits] != 'e') {
        size_t separator = strcspn(text + digits, "0123456789");
        memmove(text + digits + 1, text + digits + separator,
                strlen(text + digits + separator) + 1);
        text[digits] = '.';
    }
    return (int)strlen(text);
}

static int print_float(Type type, Bits bits, char *buffer, size_t size) {
    double value = bits_to_double(type, bits);
    if (isnan(value))
        return snprintf(buffer, size, "nan");
    if (isinf(value))
        return snprintf(buffer, size, value < 0 ? "-inf" : "inf");
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (bits_same(type, bits_from_double(type, strtod(text, NULL)), bits))
            break;
    }
    normalise(text, sizeof text);
    return snprintf(buffer, size, "%s", text);
}

/* Prints like snprintf, at a tenth of the cost. */
static int print_integer(bool negative, uint64_t magnitude, char *buffer, size_t size) {
    char text[24];
    size_t at = sizeof text;
    text[--at] = '\0';
    do {
        text[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (negative)
        text[--at] = '-';
    size_t length = sizeof text - at - 1, copied = length < size ? length : size - 1;
    memcpy(buffer, text + at, copied);
    buffer[copied] = '\0';
    return (int)length;
}

int value_print(Type type, Bits bits, char *buffer, size_t size) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return snprintf(buffer, size, bits ? "true" : "false");
    case TYPE_INT:
    case TYPE_INDEX:
        return print_integer(bits < 0, bits < 0 ? -(uint64_t)bits : (uint64_t)bits, buffer, size);
    case TYPE_UINT:
        return print_integer(false, (uint64_t)bits, buffer, size);
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        return print_float(type, bits, buffer, size);
    }
    return 0;
}

const char *error_text(ErrorValue error) {
    static const char *const texts[] = {[ERROR_NONE] = "",
                                        [ERROR_ARITH] = "err_arith",
                                        [ERROR_RDOM] = "err_rdom",
                                        [ERROR_MEM] = "err_mem",
                                        [ERROR_INDEX] = ""};
    return texts[error];
}

/* ---- reading ---- */

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
