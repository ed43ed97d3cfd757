/* enumerate.c -- all terms up to a size, built of smaller ones that differ in value.
 *
 * Two terms with the same values at all points of all domains are one, that with fewer leaves or
 * the first: what the simplifier would turn into something else is not built on.  Only terms of
 * fewer leaves than the largest are kept. */
#include "elementary/search.h"

#include "base/hash.h"
#include "base/map.h"

enum { POINTS = 48, BITS = 4, LARGEST_SIZE = 10 };

struct Enumeration {
    Arena *arena;
    unsigned allowed;
    Terms kept[LARGEST_SIZE + 1];
    int complete; /* sizes up to this one are kept */
    uint64_t *slots;
    size_t capacity, used;
    uint64_t count; /* of terms visited */
    int64_t points[DOMAIN_COUNT][POINTS][LEAF_COUNT];
};

Enumeration *enumeration_create(Arena *arena, unsigned allowed) {
    Enumeration *e = arena_new(arena, Enumeration);
    uint64_t state = 7;
    e->arena = arena;
    e->allowed = allowed;
    e->capacity = 1 << 16;
    e->slots = arena_array(arena, uint64_t, e->capacity);
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        for (int point = 0; point < POINTS; point++)
            for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
                e->points[domain][point][leaf] = draw_leaf(&state, (Domain)domain, BITS);
    return e;
}

static uint64_t values_hash(const Enumeration *e, const Term *term) {
    uint64_t hash = HASH_SEED;
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        for (int point = 0; point < POINTS; point++) {
            bool left = false;
            int64_t value = term_value(term, (Domain)domain, BITS, e->points[domain][point], &left);
            hash = hash_mix(hash, (uint64_t)value * 2 + left);
        }
    return hash ? hash : 1;
}

static bool insert(uint64_t *slots, size_t capacity, uint64_t hash) {
    size_t at = hash & (capacity - 1);
    while (slots[at] && slots[at] != hash)
        at = (at + 1) & (capacity - 1);
    bool is_new = !slots[at];
    slots[at] = hash;
    return is_new;
}

bool enumeration_keep(Enumeration *e, const Term *term) {
    if (2 * e->used > e->capacity) {
        uint64_t *slots = arena_array(e->arena, uint64_t, 2 * e->capacity);
        for (size_t i = 0; i < e->capacity; i++)
            if (e->slots[i])
                insert(slots, 2 * e->capacity, e->slots[i]);
        e->slots = slots;
        e->capacity *= 2;
    }
    if (!insert(e->slots, e->capacity, values_hash(e, term)))
        return false;
    e->used++;
    Term *kept = arena_new(e->arena, Term);
    *kept = *term;
    vec_push(e->arena, &e->kept[term->leaves], kept);
    return true;
}

const Terms *enumeration_kept(const Enumeration *e, int leaves) {
    return &e->kept[leaves];
}

uint64_t enumeration_count(const Enumeration *e) {
    return e->count;
}

typedef struct Visiting {
    Enumeration *e;
    TermVisit *visit;
    void *data;
} Visiting;

static void offer(const Visiting *v, Op op, const Term *a, const Term *b, const Term *c,
                  const Term *d) {
    Term term = {.op = (uint8_t)op, .a = a, .b = b, .c = c, .d = d};
    term.leaves = (uint8_t)(a->leaves + b->leaves + (c ? c->leaves + d->leaves : 0));
    term.has = (uint8_t)(a->has | b->has | (c ? c->has | d->has : 0));
    if (term.has == HAS_K)
        return;
    v->e->count++;
    v->visit(v->data, &term);
}

/* Of commutative operators the larger operand is on the left, of two of one size the later. */
static void visit_binary(const Visiting *v, int left, int right) {
    static const Op ops[] = {OP_ADD, OP_MUL, OP_MIN, OP_MAX, OP_SUB};
    const Terms *as = &v->e->kept[left], *bs = &v->e->kept[right];
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        bool commutes = ops[o] != OP_SUB;
        if (commutes && left < right)
            continue;
        for (size_t i = 0; i < as->length; i++)
            for (size_t j = 0; j < bs->length; j++) {
                bool equal = as->data[i] == bs->data[j];
                if ((equal && ops[o] != OP_ADD && ops[o] != OP_MUL) ||
                    (commutes && left == right && i < j))
                    continue;
                offer(v, ops[o], as->data[i], bs->data[j], NULL, NULL);
            }
    }
}

static void visit_select(const Visiting *v, int a, int b, int c, int d) {
    const Terms *kept = v->e->kept;
    for (size_t i = 0; i < kept[a].length; i++)
        for (size_t j = 0; j < kept[b].length; j++) {
            if (kept[a].data[i] == kept[b].data[j])
                continue;
            for (size_t k = 0; k < kept[c].length; k++)
                for (size_t l = 0; l < kept[d].length; l++)
                    if (kept[c].data[k] != kept[d].data[l])
                        offer(v, OP_SELECT, kept[a].data[i], kept[b].data[j], kept[c].data[k],
                              kept[d].data[l]);
        }
}

static void visit_size(const Visiting *v, int leaves) {
    for (int leaf = 0; leaf < LEAF_COUNT && leaves == 1; leaf++) {
        Term term = {
            .op = OP_COUNT, .leaf = (uint8_t)leaf, .leaves = 1, .has = (uint8_t)(1u << leaf)};
        if (v->e->allowed >> leaf & 1)
            v->visit(v->data, &term);
    }
    for (int left = 1; left < leaves; left++)
        visit_binary(v, left, leaves - left);
    for (int a = 1; a < leaves; a++)
        for (int b = 1; a + b < leaves; b++)
            for (int c = 1; a + b + c < leaves; c++)
                visit_select(v, a, b, c, leaves - a - b - c);
}

static void keep(void *data, const Term *term) {
    enumeration_keep(data, term);
}

void enumerate(Enumeration *e, int leaves, TermVisit *visit, void *data) {
    while (e->complete < leaves - 1) {
        Visiting keeping = {e, keep, e};
        visit_size(&keeping, ++e->complete);
    }
    Visiting visiting = {e, visit, data};
    visit_size(&visiting, leaves);
}
