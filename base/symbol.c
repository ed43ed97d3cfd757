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

static Symbol *find_slot(SymbolTable *table, const char *text, size_t length, uint64_t hash) {
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

Symbol symbol_from(SymbolTable *table, const char *text) {
    return symbol_intern(table, text, strlen(text));
}

Symbol symbol_format(SymbolTable *table, const char *format, ...) {
    char small[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    char *text = small;
    if ((size_t)length >= sizeof small) {
        text = arena_allocate(table->arena, (size_t)length + 1);
        vsnprintf(text, (size_t)length + 1, format, again);
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
