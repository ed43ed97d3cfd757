/* trie.h -- a map from symbols to pointers that shares: putting makes a new map, and the old
 * one stays as it is.  The names in scope are such maps: a scope inside of another one costs what it
 * adds.  Null is the empty map. */
#ifndef HLC_BASE_TRIE_H
#define HLC_BASE_TRIE_H

#include "base/symbol.h"

typedef struct Trie Trie;

/* Null where the key is absent. */
const void *trie_get(const Trie *trie, Symbol key);
const Trie *trie_put(Arena *arena, const Trie *trie, Symbol key, const void *value);

#endif
