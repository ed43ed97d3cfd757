/* term.c -- terms of the enumeration: their values at small widths, where all points can be tried,
 * and their text.  What operators compute is said once more here, for integers of any width: a
 * mistake would lose candidates, and never make an entry, which Z3 must prove. */
#include "elementary/search.h"

#include "ir/value.h"

enum { LARGEST = 1 << 30 };

int64_t width_value(Domain domain, int bits, int64_t value, bool *left) {
    if (domain == DOMAIN_REALS) {
        *left |= value > LARGEST || value < -LARGEST;
        return *left ? 0 : value;
    }
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (domain == DOMAIN_SIGNED && low >> (bits - 1))
        return (int64_t)low - ((int64_t)1 << bits);
    return (int64_t)low;
}

int64_t term_value(const Term *term, Domain domain, int bits, const int64_t *leaves, bool *left) {
    if (term->op == OP_COUNT)
        return leaves[term->leaf];
    int64_t a = term_value(term->a, domain, bits, leaves, left);
    int64_t b = term_value(term->b, domain, bits, leaves, left);
    switch (term->op) {
    case OP_ADD:
        return width_value(domain, bits, a + b, left);
    case OP_SUB:
        return width_value(domain, bits, a - b, left);
    case OP_MUL:
        return width_value(domain, bits, a * b, left);
    case OP_MIN:
        return b < a ? b : a;
    case OP_MAX:
        return a < b ? b : a;
    default: /* a select */
        return term_value(a < b ? term->c : term->d, domain, bits, leaves, left);
    }
}

static uint64_t draw(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t draw_leaf(uint64_t *state, Domain domain, int bits) {
    bool left = false;
    uint64_t number = draw(state);
    if (domain == DOMAIN_REALS)
        return (int64_t)(number % 7) - 3;
    if (bits > 4 && number % 2) { /* near 0, an end, a half or a quarter of the range */
        int64_t near = (int64_t)(number >> 1 & 7) << (bits - 3);
        return width_value(domain, bits, near + (int64_t)(number >> 8) % 7 - 3, &left);
    }
    return width_value(domain, bits, (int64_t)(number >> 8), &left);
}

static const char *leaf_text(int leaf, bool pair) {
    static const char *const texts[2][LEAF_COUNT] = {{"x", "x", "y", "y", "k"},
                                                     {"x.0", "x.1", "y.0", "y.1", "k"}};
    return texts[pair][leaf];
}

const char *term_text(Arena *arena, const Term *term, bool pair) {
    if (term->op == OP_COUNT)
        return leaf_text(term->leaf, pair);
    const char *a = term_text(arena, term->a, pair), *b = term_text(arena, term->b, pair);
    const OpInfo *info = op_info((Op)term->op);
    if (term->op == OP_SELECT)
        return arena_format(arena, "select(%s < %s, %s, %s)", a, b, term_text(arena, term->c, pair),
                            term_text(arena, term->d, pair));
    if (info->form == FORM_CALL)
        return arena_format(arena, "%s(%s, %s)", info->text, a, b);
    return arena_format(arena, "(%s %s %s)", a, info->text, b);
}
