/* search.c -- tuples of terms that no point shows not to be associative.
 *
 * Of pairs, all that can be taken apart are left out: one element must need the other.  Either the
 * first is an operator by itself, as in argmin; or both need each other, as in products of complex
 * numbers, and then only those with a right-neutral element are looked for, which each element
 * shows by itself. */
#include "elementary/search.h"

#include "base/hash.h"
#include "base/map.h"

#include <string.h>

enum { CONSTANTS = 12, SIMPLE_CONSTANTS = 8 };

/* ---- identities ---- */

static const char *const CONSTANT_TEXTS[CONSTANTS] = {
    "0", "1",  "-1",    "lowest", "highest",    "k",
    "2", "-k", "k - 1", "k + 1",  "k - lowest", "k - highest"};

static int64_t constant_value(int constant, Domain domain, int bits, int64_t k) {
    bool reals = domain == DOMAIN_REALS;
    int64_t half = (int64_t)1 << (bits - 1);
    int64_t ends[2] = {reals                     ? -1000
                       : domain == DOMAIN_SIGNED ? -half
                                                 : 0,
                       reals                     ? 1000
                       : domain == DOMAIN_SIGNED ? half - 1
                                                 : 2 * half - 1};
    int64_t value = 0;
    bool left = false;
    switch (constant) {
    case 0:
    case 1:
    case 2:
        value = constant < 2 ? constant : -1;
        break;
    case 3:
    case 4:
        return ends[constant - 3];
    case 5:
        return k;
    case 6:
        value = 2;
        break;
    case 7:
        value = -k;
        break;
    case 8:
    case 9:
        value = constant == 8 ? k - 1 : k + 1;
        break;
    default:
        value = k - ends[constant - 10];
    }
    return width_value(domain, bits, value, &left);
}

/* Is term(x, identity) = x.element everywhere? */
static bool is_neutral(const Term *term, int element, const int *constants, Domain domain) {
    uint64_t state = 5;
    for (int i = 0; i < 200; i++) {
        bool left = false;
        Point p = draw_point(&state, domain, 4);
        int64_t leaves[LEAF_COUNT] = {p.x[0], p.x[1], constant_value(constants[0], domain, 4, p.k),
                                      constant_value(constants[1], domain, 4, p.k), p.k};
        if (term_value(term, domain, 4, leaves, &left) != p.x[element] && !left)
            return false;
    }
    return true;
}

/* Is it everywhere in these domains? */
static bool is_neutral_in(const Candidate *c, unsigned domains, const int *constants) {
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        for (int i = 0; i < c->arity && domains >> domain & 1; i++)
            if (!is_neutral(c->terms[i], i, constants, (Domain)domain))
                return false;
    return true;
}

bool candidate_identity(const Candidate *c, unsigned domains, const char **texts) {
    for (int first = 0; first < CONSTANTS; first++)
        for (int second = 0; second < (c->arity == 2 ? CONSTANTS : 1); second++) {
            int constants[2] = {first, second};
            bool neutral = is_neutral_in(c, domains, constants);
            for (int i = 0; i < c->arity && neutral; i++)
                texts[i] = CONSTANT_TEXTS[constants[i]];
            if (neutral)
                return true;
        }
    return false;
}

bool candidate_commutes(const Candidate *c, Domain domain) {
    uint64_t state = 17;
    for (int i = 0; i < 500; i++) {
        bool left = false;
        Point p = draw_point(&state, domain, 4);
        int64_t xy[2] = {0}, yx[2] = {0};
        candidate_apply(c, domain, 4, p.x, p.y, p.k, xy, &left);
        candidate_apply(c, domain, 4, p.y, p.x, p.k, yx, &left);
        if (!left && (xy[0] != yx[0] || xy[1] != yx[1]))
            return false;
    }
    return true;
}

/* ---- candidates ---- */

typedef struct Search {
    CandidateVisit *visit;
    void *data;
    Terms firsts, role[2]; /* pairs: first elements; of mutual ones, terms by element */
    Enumeration *enumeration;
    const Refutation *refutation;
    bool wants_identity;
    Map known; /* values of candidates, by hash: visited once each */
    Arena *arena;
} Search;

/* Were these values seen before, in this order of elements or the other? */
static bool is_known(Search *search, const Candidate *c) {
    uint64_t hashes[2] = {1, 1}, state = 23;
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        for (int i = 0; i < 60; i++) {
            Point p = draw_point(&state, (Domain)domain, 4);
            for (int order = 0; order < c->arity; order++) {
                int64_t x[2] = {p.x[order], p.x[1 - order]}, y[2] = {p.y[order], p.y[1 - order]};
                int64_t out[2] = {0};
                bool left = false;
                candidate_apply(c, (Domain)domain, 4, x, y, p.k, out, &left);
                hashes[order] = hash_mix(hashes[order], left ? 99 : (uint64_t)out[order]);
                hashes[order] = hash_mix(hashes[order], left ? 99 : (uint64_t)out[1 - order]);
            }
        }
    for (int order = 0; order < c->arity; order++)
        if (map_get(&search->known, (void *)(uintptr_t)(hashes[order] | 1)))
            return true;
    map_put(&search->known, (void *)(uintptr_t)(hashes[0] | 1), search);
    return false;
}

static Search search_begin(Arena *arena, CandidateVisit *visit, void *data) {
    return (Search){.arena = arena,
                    .visit = visit,
                    .data = data,
                    .known = map_create(arena),
                    .refutation = refutation_create(arena)};
}

/* Visits it where no point refutes it and none with its values came before. */
static void judge(Search *search, Candidate *c) {
    const char *texts[2];
    if (refutation_sample(search->refutation, c) && !is_known(search, c) &&
        (!search->wants_identity || candidate_identity(c, c->domains & -c->domains, texts)))
        search->visit(search->data, c);
}

/* ---- one element ---- */

static void try_single(void *data, const Term *term) {
    Search *search = data;
    Candidate c = {.arity = 1, .terms = {term}};
    if ((term->has & HAS_X) && (term->has & HAS_Y))
        judge(search, &c);
}

void search_single(Arena *arena, int leaves, CandidateVisit *visit, void *data) {
    Enumeration *e = enumeration_create(arena, 1u << LEAF_X0 | 1u << LEAF_Y0 | HAS_K);
    Search search = search_begin(arena, visit, data);
    for (int size = 2; size <= leaves; size++)
        enumerate(e, size, try_single, &search);
}

/* ---- two elements ---- */

static void keep_first(void *data, const Candidate *c) {
    Search *search = data;
    Term *kept = arena_new(search->arena, Term);
    *kept = *c->terms[0];
    vec_push(search->arena, &search->firsts, kept);
}

/* The second element needs something of the first, and is about itself. */
static void try_second(void *data, const Term *term) {
    Search *search = data;
    unsigned first = 1u << LEAF_X0 | 1u << LEAF_Y0, second = 1u << LEAF_X1 | 1u << LEAF_Y1;
    if (!(term->has & first) || (term->has & second) != second)
        return;
    for (size_t i = 0; i < search->firsts.length; i++) {
        Candidate c = {.arity = 2, .terms = {search->firsts.data[i], term}};
        judge(search, &c);
    }
}

void search_pairs(Arena *arena, int leaves, CandidateVisit *visit, void *data) {
    Search firsts = {.arena = arena}, search = search_begin(arena, visit, data);
    /* `x` and `y` too: the first value, and the last. */
    static const Term x = {.op = OP_COUNT, .leaf = LEAF_X0, .leaves = 1, .has = 1u << LEAF_X0};
    static const Term y = {.op = OP_COUNT, .leaf = LEAF_Y0, .leaves = 1, .has = 1u << LEAF_Y0};
    vec_push(arena, &firsts.firsts, &x);
    vec_push(arena, &firsts.firsts, &y);
    search_single(arena, 3, keep_first, &firsts);
    search.firsts = firsts.firsts;
    Enumeration *e = enumeration_create(arena, (1u << LEAF_COUNT) - 1);
    for (int size = 2; size <= leaves; size++)
        enumerate(e, size, try_second, &search);
}

/* ---- two that need each other ---- */

/* Has it some right-neutral element, as element `element`? */
static bool may_be_neutral(const Term *term, int element) {
    for (int first = 0; first < SIMPLE_CONSTANTS; first++)
        for (int second = 0; second < SIMPLE_CONSTANTS; second++) {
            int constants[2] = {first, second};
            if (is_neutral(term, element, constants, DOMAIN_SIGNED))
                return true;
        }
    return false;
}

static void keep_neutral(void *data, const Term *term) {
    Search *search = data;
    bool is_kept = false;
    for (int element = 0; element < 2; element++) {
        unsigned other = element ? 1u << LEAF_X0 : 1u << LEAF_X1;
        if (!(term->has & other) || !(term->has & HAS_Y) || !may_be_neutral(term, element))
            continue;
        if (!is_kept)
            is_kept = enumeration_keep(search->enumeration, term);
        if (!is_kept)
            return;
        Term *kept = arena_new(search->arena, Term);
        *kept = *term;
        vec_push(search->arena, &search->role[element], kept);
    }
}

void search_mutual(Arena *arena, int leaves, CandidateVisit *visit, void *data) {
    Search search = search_begin(arena, visit, data);
    Enumeration *e = enumeration_create(arena, (1u << LEAF_COUNT) - 1);
    search.enumeration = e;
    search.wants_identity = true;
    for (int size = 2; size <= leaves; size++)
        enumerate(e, size, keep_neutral, &search);
    for (size_t i = 0; i < search.role[0].length; i++)
        for (size_t j = 0; j < search.role[1].length; j++) {
            Candidate c = {.arity = 2, .terms = {search.role[0].data[i], search.role[1].data[j]}};
            judge(&search, &c);
        }
}
