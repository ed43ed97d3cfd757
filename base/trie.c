/* trie.c -- a binary tree whose paths are the bits of the keys' hashes, from the lowest; each node
 * holds an entry.  Putting copies the path to the entry.  The hash is that of the text, so that a program
 * takes the same memory in every run.  Keys of one hash lie one behind the other. */
#include "base/trie.h"

struct Trie {
    Symbol key;
    const void *value;
    const Trie *children[2];
};

const void *trie_get(const Trie *trie, Symbol key) {
    for (uint64_t hash = key->hash; trie && trie->key != key; hash >>= 1)
        trie = trie->children[hash & 1];
    return trie ? trie->value : NULL;
}

const Trie *trie_put(Arena *arena, const Trie *trie, Symbol key, const void *value) {
    const Trie *root = NULL, **at = &root;
    uint64_t hash = key->hash;
    for (; trie && trie->key != key; hash >>= 1) {
        Trie *copy = arena_new(arena, Trie);
        *copy = *trie;
        *at = copy;
        at = &copy->children[hash & 1];
        trie = *at;
    }
    Trie *entry = arena_new(arena, Trie);
    if (trie)
        *entry = *trie;
    entry->key = key;
    entry->value = value;
    *at = entry;
    return root;
}
