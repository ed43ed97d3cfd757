/* symbol.h -- interned names: equal text is the same pointer. */
#ifndef HLC_BASE_SYMBOL_H
#define HLC_BASE_SYMBOL_H

#include "base/memory.h"

struct SymbolData {
    uint64_t hash; /* of the text: the same in every run */
    uint32_t length;
    uint32_t taken; /* symbol_fresh has found the names of this stem up to this number to exist */
    char text[];
};
typedef const struct SymbolData *Symbol;

typedef struct SymbolTable {
    Arena *arena;
    Symbol *slots;
    size_t capacity, count;
} SymbolTable;

Symbol symbol_intern(SymbolTable *table, const char *text, size_t length);
Symbol symbol_from(SymbolTable *table, const char *text);
/* Has the text been interned? */
bool symbol_exists(const SymbolTable *table, const char *text, size_t length);
/* printf, interned. */
Symbol symbol_format(SymbolTable *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A name that has not been interned before: `stem`, or `stem'2`, `stem'3`, .. */
Symbol symbol_fresh(SymbolTable *table, const char *stem);
/* Order of the texts, for output that must not depend on addresses. */
int symbol_compare(Symbol a, Symbol b);

#endif
