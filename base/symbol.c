#include "base/symbol.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Open addressing; at most half full. */
static void grow(SymbolTable *table) {
    size_t capacity = table->capacity ? table->capacity * 2 : 256;
    Symbol *slots = arena_array(table->arena, Symbol, capacity);
    for (size_t i = 0; i < table->capacity; i++) {
        Symbol symbol = table->slots[i];
        if (!symbol)
            continue;
        size_t slot = symbol->hash & (capacity - 1);
        while (slots[slot])
            slot = (slot + 1) & (capacity - 1);
        slots[slot] = symbol;
    }
    table->slots = slots;
    table->capacity = capacity;
}

static Symbol *find_slot(const SymbolTable *table, const char *text, size_t length, uint64_t hash) {
    size_t slot = hash & (table->capacity - 1);
    for (;; slot = (slot + 1) & (table->capacity - 1)) {
        Symbol found = table->slots[slot];
        if (!found || (found->hash == hash && found->length == length &&
                       memcmp(found->text, text, length) == 0))
            return &table->slots[slot];
    }
}

Symbol symbol_intern(SymbolTable *table, const char *text, size_t length) {
    if (table->count * 2 >= table->capacity)
        grow(table);
    uint64_t hash = hash_bytes(text, length);
    Symbol *slot = find_slot(table, text, length, hash);
    if (!*slot) {
        struct SymbolData *symbol =
            arena_allocate(table->arena, sizeof(struct SymbolData) + length + 1);
        symbol->hash = hash;
        symbol->length = (uint32_t)length;
        memcpy(symbol->text, text, length);
        *slot = symbol;
        table->count++;
    }
    return *slot;
}

bool symbol_exists(const SymbolTable *table, const char *text, size_t length) {
    return table->count > 0 && *find_slot(table, text, length, hash_bytes(text, length));
}

Symbol symbol_from(SymbolTable *table, const char *text) {
    return symbol_intern(table, text, strlen(text));
}

/* The digits of a number, from the end of a buffer that holds them; their beginning. */
static const char *digits(char *end, unsigned number, bool is_negative) {
    do
        *--end = (char)('0' + number % 10);
    while (number /= 10);
    if (is_negative)
        *--end = '-';
    return end;
}

/* printf for what names are made of, %s %d %u, in a tenth of its time; -1 for other conversions,
 * and where there is no room. */
static int format_name(char *text, size_t room, const char *format, va_list arguments) {
    char number[16], *const end = number + sizeof number;
    size_t length = 0;
    for (const char *f = format; *f; f++) {
        const char *piece = f;
        size_t size = 1;
        if (*f == '%') {
            int of_d = 0;
            switch (*++f) {
            case 's':
                piece = va_arg(arguments, const char *);
                size = strlen(piece);
                break;
            case 'd':
                of_d = va_arg(arguments, int);
                piece = digits(end, of_d < 0 ? -(unsigned)of_d : (unsigned)of_d, of_d < 0);
                size = (size_t)(end - piece);
                break;
            case 'u':
                piece = digits(end, va_arg(arguments, unsigned), false);
                size = (size_t)(end - piece);
                break;
            default:
                return -1;
            }
        }
        if (size > room - length)
            return -1;
        memcpy(text + length, piece, size);
        length += size;
    }
    return (int)length;
}

Symbol symbol_format(SymbolTable *table, const char *format, ...) {
    char small[256], *text = small;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = format_name(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0) {
        va_list once_more;
        va_copy(once_more, again);
        length = vsnprintf(NULL, 0, format, again);
        text = arena_allocate(table->arena, (size_t)length + 1);
        vsnprintf(text, (size_t)length + 1, format, once_more);
        va_end(once_more);
    }
    va_end(again);
    return symbol_intern(table, text, (size_t)length);
}

Symbol symbol_fresh(SymbolTable *table, const char *stem) {
    size_t before = table->count;
    Symbol symbol = symbol_from(table, stem);
    uint32_t *taken = &((struct SymbolData *)symbol)->taken;
    if (table->count == before && !*taken)
        *taken = 1;
    while (table->count == before)
        symbol = symbol_format(table, "%s'%u", stem, ++*taken);
    return symbol;
}

int symbol_compare(Symbol a, Symbol b) {
    const unsigned char *x = (const unsigned char *)a->text, *y = (const unsigned char *)b->text;
    if (a == b)
        return 0;
    while (*x && *x == *y) /* names are short: no call */
        x++, y++;
    return (*x > *y) - (*x < *y);
}
