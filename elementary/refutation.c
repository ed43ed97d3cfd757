/* refutation.c -- points that show that a candidate is not associative: a few thousand first, which
 * refute nearly all, then all there are at 3 and 4 bits, then some of 8 bits, where constants that
 * are small there are not at an end. */
#include "elementary/search.h"

enum { SAMPLE = 3000, PAIR_POINTS = 10000, WIDE_POINTS = 5000 };

struct Refutation {
    Point points[DOMAIN_COUNT][SAMPLE];
};

void candidate_apply(const Candidate *c, Domain domain, int bits, const int64_t *x,
                     const int64_t *y, int64_t k, int64_t *out, bool *left) {
    int64_t leaves[LEAF_COUNT] = {x[0], x[1], y[0], y[1], k};
    for (int i = 0; i < c->arity; i++)
        out[i] = term_value(c->terms[i], domain, bits, leaves, left);
}

Point draw_point(uint64_t *state, Domain domain, int bits) {
    Point p;
    int64_t *values[] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            values[i][j] = draw_leaf(state, domain, bits);
    p.k = draw_leaf(state, domain, bits);
    return p;
}

static int bits_of_point(int number) {
    return number % 4 == 3 ? 3 : 4;
}

Refutation *refutation_create(Arena *arena) {
    Refutation *refutation = arena_new(arena, Refutation);
    for (int domain = 0; domain < DOMAIN_COUNT; domain++) {
        uint64_t state = 99;
        for (int i = 0; i < SAMPLE; i++)
            refutation->points[domain][i] = draw_point(&state, (Domain)domain, bits_of_point(i));
    }
    return refutation;
}

static bool is_associative_at(const Candidate *c, Domain domain, int bits, const Point *p) {
    int64_t xy[2] = {0}, yz[2] = {0}, left[2] = {0}, right[2] = {0};
    bool too_large = false;
    candidate_apply(c, domain, bits, p->x, p->y, p->k, xy, &too_large);
    candidate_apply(c, domain, bits, p->y, p->z, p->k, yz, &too_large);
    candidate_apply(c, domain, bits, xy, p->z, p->k, left, &too_large);
    candidate_apply(c, domain, bits, p->x, yz, p->k, right, &too_large);
    return too_large || (left[0] == right[0] && (c->arity == 1 || left[1] == right[1]));
}

static bool survives_sample(const Refutation *refutation, const Candidate *c, Domain domain) {
    for (int i = 0; i < SAMPLE; i++)
        if (!is_associative_at(c, domain, bits_of_point(i), &refutation->points[domain][i]))
            return false;
    return true;
}

bool refutation_sample(const Refutation *refutation, Candidate *c) {
    c->domains = 0;
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        if (survives_sample(refutation, c, (Domain)domain))
            c->domains |= 1u << domain;
    return c->domains != 0;
}

static bool survives_drawn(const Candidate *c, Domain domain, int bits, int points) {
    uint64_t state = 3;
    for (int i = 0; i < points; i++) {
        Point point = draw_point(&state, domain, bits);
        if (!is_associative_at(c, domain, bits, &point))
            return false;
    }
    return true;
}

/* At all values of one element. */
static bool survives_all(const Candidate *c, Domain domain, int bits) {
    bool left = false;
    int64_t values[16];
    int count = 1 << bits;
    for (int i = 0; i < count; i++)
        values[i] = width_value(domain, bits, i, &left);
    for (int number = 0; number < 1 << 4 * bits; number++) {
        int digits = number;
        Point p = {.x = {values[digits % count]}};
        p.y[0] = values[(digits /= count) % count];
        p.z[0] = values[(digits /= count) % count];
        p.k = values[digits / count];
        if (!is_associative_at(c, domain, bits, &p))
            return false;
    }
    return true;
}

static bool survives(const Candidate *c, Domain domain) {
    if (domain == DOMAIN_REALS)
        return true;
    bool all = c->arity == 1 ? survives_all(c, domain, 3) && survives_all(c, domain, 4)
                             : survives_drawn(c, domain, 3, PAIR_POINTS);
    return all && survives_drawn(c, domain, 8, WIDE_POINTS);
}

unsigned refutation_exhaust(const Candidate *c, unsigned domains) {
    for (int domain = 0; domain < DOMAIN_COUNT; domain++)
        if (domains >> domain & 1 && !survives(c, (Domain)domain))
            domains &= ~(1u << domain);
    return domains;
}
