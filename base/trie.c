/* trie.c -- a binary tree whose paths are the bits of the keys' hashes, from the lowest; each node
 * holds an entry.  Putting copies the path to the entry. */
#include "base/trie.h"

#include <stdint.h>

struct Trie {
    const void *key, *value;
    const Trie *children[2];
};

/* A bijection of 64 bits: no two keys have one hash. */
static uint64_t hash_of(const void *key) {
    uint64_t hash = (uintptr_t)key;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

const void *trie_get(const Trie *trie, const void *key) {
    for (uint64_t hash = hash_of(key); trie && trie->key != key; hash >>= 1)
        trie = trie->children[hash & 1];
    return trie ? trie->value : NULL;
}

const Trie *trie_put(Arena *arena, const Trie *trie, const void *key, const void *value) {
    const Trie *root = NULL, **at = &root;
    uint64_t hash = hash_of(key);
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
