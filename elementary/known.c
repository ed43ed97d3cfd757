/* known.c -- does a candidate do anything that an operator known already does not?
 *
 * In an update `x <- f(x, v)` only the functions x -> f(x, v) count, its translations, one for each
 * v (and k).  Where all translations of f are translations of g too, every update by f is one by g
 * that injects something else: max(x, min(y, k)) is a maximum, y - min(y - x, y) over the reals the
 * last value.  Such an f is no elementary operator.  A pair whose translations act on each element
 * by itself, as those of g and h do, is made of g and h.
 *
 * Translations are compared as tables of values, at all points of 4 bits (of pairs: 3), over the
 * reals at small whole numbers.  The k of g may be any, too: another one for each of f's.
 */
#include "elementary/elementary.h"
#include "elementary/search.h"

#include "base/hash.h"

#include <stdlib.h>

enum { GRIDS = 2, LARGEST_GRID = 16 };

/* Of one element at 4 bits; of two, and of one of two, at 3. */
typedef enum Grid { GRID_SINGLE, GRID_PAIR } Grid;

typedef struct Hashes {
    uint64_t *data; /* in order, each once */
    int count;
} Hashes;

/* By k: all translations; and of pairs those of each element, which may need the other one. */
typedef struct Translations {
    int constants;
    Hashes *whole, *element[2];
    bool is_apart[2]; /* the element needs only itself */
} Translations;

typedef struct Known {
    const OperatorEntry *entry;
    unsigned domains;
    Translations *of[DOMAIN_COUNT][GRIDS]; /* null: not asked for yet */
} Known;

struct KnownOperators {
    Arena *arena;
    Vec(Known) entries;
};

/* ---- points ---- */

/* Values from `first` on. */
typedef struct Values {
    int first, count;
} Values;

static Width width_of(Domain domain, Grid grid) {
    return (Width){grid == GRID_SINGLE ? 4 : 3, domain == DOMAIN_SIGNED, domain == DOMAIN_REALS};
}

static Values around_zero(int most) {
    return (Values){-most, 2 * most + 1};
}

static Values x_values(Domain domain, Grid grid) {
    if (domain == DOMAIN_REALS)
        return around_zero(grid == GRID_SINGLE ? 4 : 2);
    return (Values){0, 1 << width_of(domain, grid).bits};
}

/* Of y; what is injected instead may be larger. */
static Values y_values(Domain domain, Grid grid, int arity, bool is_known) {
    if (domain == DOMAIN_REALS)
        return around_zero(!is_known ? (arity == 1 ? 3 : 2) : arity == 1 ? 40 : 8);
    return x_values(domain, grid);
}

static Values k_values(Domain domain, Grid grid, bool is_known) {
    if (domain == DOMAIN_REALS)
        return around_zero(!is_known ? 2 : grid == GRID_SINGLE ? 9 : 3);
    return x_values(domain, grid);
}

static int64_t value_at(Values values, Width width, int index) {
    return width_wrap(width, values.first + index);
}

/* ---- translations ---- */

typedef struct Tabulation {
    const OperatorEntry *entry;
    Width widths[OPERATOR_ELEMENTS];
    Values x;
} Tabulation;

/* What a translation does at each x, hashed: of both elements, and of each. */
typedef struct Row {
    uint64_t whole, element[2];
    bool is_apart[2];
} Row;

static Row tabulate_single(const Tabulation *t, const int64_t *y, int64_t k) {
    Row row = {.whole = HASH_SEED};
    for (int i = 0; i < t->x.count; i++) {
        int64_t x = value_at(t->x, t->widths[0], i), out;
        entry_apply(t->entry, t->widths, &x, y, k, &out);
        row.whole = hash_mix(row.whole, (uint64_t)out);
    }
    return row;
}

/* Where an element needs the other one, its hash is of no use. */
static Row tabulate_pair(const Tabulation *t, const int64_t *y, int64_t k) {
    Row row = {HASH_SEED, {HASH_SEED, HASH_SEED}, {true, true}};
    int64_t seen[2][LARGEST_GRID];
    for (int i = 0; i < t->x.count; i++)
        for (int j = 0; j < t->x.count; j++) {
            int64_t x[2] = {value_at(t->x, t->widths[0], i), value_at(t->x, t->widths[0], j)};
            int64_t out[2];
            entry_apply(t->entry, t->widths, x, y, k, out);
            row.whole = hash_mix(hash_mix(row.whole, (uint64_t)out[0]), (uint64_t)out[1]);
            for (int e = 0; e < 2; e++) {
                int own = e ? j : i, other = e ? i : j;
                if (other == 0) {
                    seen[e][own] = out[e];
                    row.element[e] = hash_mix(row.element[e], (uint64_t)out[e]);
                }
                row.is_apart[e] &= out[e] == seen[e][own];
            }
        }
    return row;
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void sort_once(Hashes *hashes) {
    qsort(hashes->data, (size_t)hashes->count, sizeof *hashes->data, compare_hashes);
    int kept = 0;
    for (int i = 0; i < hashes->count; i++)
        if (!kept || hashes->data[i] != hashes->data[kept - 1])
            hashes->data[kept++] = hashes->data[i];
    hashes->count = kept;
}

static Translations *translations_of(Arena *arena, const OperatorEntry *entry, Domain domain,
                                     Grid grid, bool is_known) {
    Translations *t = arena_new(arena, Translations);
    Tabulation tabulation = {.entry = entry, .x = x_values(domain, grid)};
    Width width = width_of(domain, grid);
    for (int i = 0; i < OPERATOR_ELEMENTS; i++)
        tabulation.widths[i] = width;
    Values ys = y_values(domain, grid, entry->arity, is_known),
           ks = k_values(domain, grid, is_known);
    int pairs = entry->arity == 2 ? ys.count * ys.count : ys.count;
    t->constants = entry->has_constant ? ks.count : 1;
    t->is_apart[0] = t->is_apart[1] = true;
    t->whole = arena_array(arena, Hashes, (size_t)t->constants);
    for (int e = 0; e < 2; e++)
        t->element[e] = arena_array(arena, Hashes, (size_t)t->constants);
    for (int k = 0; k < t->constants; k++) {
        Hashes *sets[] = {&t->whole[k], &t->element[0][k], &t->element[1][k]};
        int used = entry->arity == 2 ? 3 : 1;
        for (int i = 0; i < used; i++)
            *sets[i] = (Hashes){arena_array(arena, uint64_t, (size_t)pairs), pairs};
        for (int i = 0; i < pairs; i++) {
            int64_t y[2] = {value_at(ys, width, i % ys.count), value_at(ys, width, i / ys.count)};
            int64_t constant = value_at(ks, width, k);
            Row row = entry->arity == 2 ? tabulate_pair(&tabulation, y, constant)
                                        : tabulate_single(&tabulation, y, constant);
            uint64_t hashes[] = {row.whole, row.element[0], row.element[1]};
            for (int j = 0; j < used; j++)
                sets[j]->data[i] = hashes[j];
            for (int e = 0; e < 2; e++)
                t->is_apart[e] &= row.is_apart[e];
        }
        for (int i = 0; i < used; i++)
            sort_once(sets[i]);
    }
    return t;
}

/* ---- comparing ---- */

static bool is_within(const Hashes *a, const Hashes *b) {
    int at = 0;
    for (int i = 0; i < a->count; i++) {
        while (at < b->count && b->data[at] < a->data[i])
            at++;
        if (at == b->count || b->data[at] != a->data[i])
            return false;
    }
    return true;
}

/* For each of a's constants, some of b's. */
static bool are_within(const Hashes *a, int count, const Hashes *b, int other_count) {
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int j = 0; j < other_count && !found; j++)
            found = is_within(&a[i], &b[j]);
        if (!found)
            return false;
    }
    return true;
}

static const Translations *known_translations(KnownOperators *known, Known *one, Domain domain,
                                              Grid grid) {
    Translations **place = &one->of[domain][grid];
    if (!*place)
        *place = translations_of(known->arena, one->entry, domain, grid, true);
    return *place;
}

/* Are these within those of some operator of one element? */
static bool are_made(KnownOperators *known, const Hashes *hashes, int constants, int arity,
                     Domain domain, Grid grid) {
    for (size_t i = 0; i < known->entries.length; i++) {
        Known *one = &known->entries.data[i];
        if (one->entry->arity != arity || !(one->domains >> domain & 1))
            continue;
        const Translations *of = known_translations(known, one, domain, grid);
        if (are_within(hashes, constants, of->whole, of->constants))
            return true;
    }
    return false;
}

static bool is_made(KnownOperators *known, const OperatorEntry *entry, Domain domain,
                    Arena *scratch) {
    Grid grid = entry->arity == 1 ? GRID_SINGLE : GRID_PAIR;
    const Translations *t = translations_of(scratch, entry, domain, grid, false);
    if (entry->arity == 2 && t->is_apart[0] && t->is_apart[1] &&
        are_made(known, t->element[0], t->constants, 1, domain, grid) &&
        are_made(known, t->element[1], t->constants, 1, domain, grid))
        return true;
    return are_made(known, t->whole, t->constants, entry->arity, domain, grid);
}

unsigned known_lacks(KnownOperators *known, const OperatorEntry *entry, unsigned domains,
                     Arena *scratch) {
    unsigned lacking = 0;
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        if (domains >> domain & 1 && !is_made(known, entry, (Domain)domain, scratch))
            lacking |= 1u << domain;
    return lacking;
}

/* ---- the known ones ---- */

/* In which domains the entry holds; 0 where some element is a bool, or there are too many, or
 * quotients. */
static unsigned domains_of(const OperatorEntry *entry) {
    bool is_compared = entry->arity <= 2 && !entry_has(entry, OP_DIV); /* as whole numbers */
    unsigned domains = is_compared ? EVERY_DOMAIN : 0;
    for (int i = 0; i < entry->arity && i < 2; i++) {
        unsigned types = entry->types[entry->class_of[i]];
        unsigned own = types == OPERATOR_BOOL
                           ? 0
                           : (types >> type_number(I32) & 1) << DOMAIN_SIGNED |
                                 (types >> type_number(U32) & 1) << DOMAIN_UNSIGNED |
                                 (types >> type_number(F64) & 1) << DOMAIN_REALS;
        domains &= own;
    }
    return domains;
}

void known_add(KnownOperators *known, const OperatorEntry *entry) {
    Known one = {.entry = entry, .domains = domains_of(entry)};
    if (one.domains)
        vec_push(known->arena, &known->entries, one);
}

KnownOperators *known_create(Arena *arena) {
    KnownOperators *known = arena_new(arena, KnownOperators);
    known->arena = arena;
    return known;
}
