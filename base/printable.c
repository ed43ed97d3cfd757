#include "base/printable.h"

#include <string.h>

/* The character in `count` bytes; NO_CHARACTER if there is none, or if it takes fewer. */
static uint32_t decode(const unsigned char *bytes, size_t count) {
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t character = bytes[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return NO_CHARACTER;
        character = character << 6 | (bytes[i] & 0x3F);
    }
    return character >= LEAST[count] && character <= 0x10FFFF ? character : NO_CHARACTER;
}

size_t printable_read(const char *text, size_t length, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = bytes[0] < 0x80   ? 1
                   : bytes[0] < 0xC0 ? 0
                   : bytes[0] < 0xE0 ? 2
                   : bytes[0] < 0xF0 ? 3
                   : bytes[0] < 0xF8 ? 4
                                     : 0;
    *character = NO_CHARACTER;
    if (count == 1)
        *character = bytes[0];
    else if (count > 1 && count <= length)
        *character = decode(bytes, count);
    return *character == NO_CHARACTER ? 1 : count;
}

bool printable_is(uint32_t character) {
    bool is_control = character < ' ' || (character >= 0x7F && character < 0xA0);
    bool turns_line = (character >= 0x202A && character <= 0x202E) ||
                      (character >= 0x2066 && character <= 0x2069);
    return !is_control && !turns_line && character != NO_CHARACTER;
}

static void print(const char *text, size_t length, bool has_lines, FILE *out) {
    uint32_t character;
    for (size_t size; length > 0; text += size, length -= size) {
        size = printable_read(text, length, &character);
        if (printable_is(character) || character == '\t' || (has_lines && character == '\n'))
            fwrite(text, 1, size, out);
        else
            fputc('?', out);
    }
}

void printable_print(const char *text, FILE *out) {
    print(text, strlen(text), true, out);
}

void printable_line(const char *text, size_t length, FILE *out) {
    print(text, length, false, out);
}
