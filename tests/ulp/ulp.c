/* ulp.c -- how far results of the mathematical functions lie from the values, in units in the last place.
 *
 *     ulp [--table] [--threads=N] [--variants] [NAME[:FORMAT] ..]
 *
 * For each function and type: computes the results by compiled code, and the errors by a function of higher precision.
 * Fails if an error exceeds the one that functions.def states, or if the results of two variants of the code (variants.c)
 * differ in a bit.
 *
 *     f16, bf16, f32 of one argument   all arguments, against the C library's functions of doubles
 *     f16, bf16, f32 of two arguments  drawn pairs, half of them near the worst that were found; likewise
 *     f64                              drawn likewise, against MPFR where long doubles find that it may be among the worst
 *
 * All 2^32 arguments of f32 are looked at four at a time (filter.c), and closer only if the error may be the greatest so far.
 * There each is computed by the variant of most lanes, and one block of EACH by all variants; with --variants all are.
 *
 * The worst arguments are computed again against MPFR, whose error is the one that is printed. With HLC_SHARE=N one
 * argument of N consecutive ones is drawn, then all around the worst; the searches take one draw of N. `--table` prints what functions.def states,
 * as docs/functions.md has it, and measures nothing.
 *
 * The draws depend on the block's number alone, so the answer is the same with any number of threads.
 */
#include "tests/ulp/ulp.h"
#include "tests/unit/share.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORST = 8,             /* points that a search stays near */
    ROUNDS = 8,            /* blocks of a search, which share their worst points */
    SEARCHES_SHORT = 4096, /* searches of drawn f16, bf16, f32: 2^28 points */
    SEARCHES_LONG = 64,    /* searches of f64: 2^22 points */
    EACH = 16,             /* of so many blocks of all f32, one is computed by all variants */
    SAMPLED = 256,         /* of so many blocks, the filter is compared in one */
};

typedef struct Point {
    double error;
    uint64_t bits[ARITY], result;
} Point;

/* Of one function and format. */
typedef struct Measurement {
    size_t function;
    Format format;
    const Variants *variants;
    FilterFunction *filter; /* or null */
    bool by_all_variants;
    bool is_whole; /* of all arguments from `first` on, or one of `stride` */
    uint64_t first, stride, tasks;
    bool is_share;
    _Atomic uint64_t next;
    pthread_mutex_t lock; /* of what follows */
    Point worst;
    uint64_t points,
        too_soon; /* `too_soon`: results that are infinite too soon; the least of their values: */
    double least_infinite;
    bool differs;
    char difference[512];
} Measurement;

/* What one thread found. */
typedef struct Found {
    Point worst[WORST]; /* the first is the worst */
    uint64_t points, too_soon;
    double least_infinite;
} Found;

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t mask_of(Format format) {
    return formats[format].bits == 64 ? UINT64_MAX : (UINT64_C(1) << formats[format].bits) - 1;
}

/* Any bits; or zero, infinity, a whole number, a half; or a number next to 1; or one of ordinary size. */
static uint64_t draw(Format f, uint64_t random) {
    const FormatInfo *format = &formats[f];
    uint64_t bits = mix(random) & mask_of(f), more = random / 8;
    int fraction = format->precision - 1;
    uint64_t sign = UINT64_C(1) << (format->bits - 1), bias = (uint64_t)format->greatest;
    uint64_t mantissa = bits & ((UINT64_C(1) << fraction) - 1);
    uint64_t infinity = (2 * bias + 1) << fraction;
    switch (random % 8) {
    case 0: /* of a low exponent only few bits are fractions of 1 */
        return (bits & sign) |
               (more % 4 == 0   ? 0
                : more % 4 == 1 ? infinity
                                : ((bias + more % 5) << fraction) +
                                      (mantissa >> (fraction - 3) << (fraction - 3)));
    case 1:
    case 2: /* bits go away from the low end: both sides of 1 */
        mantissa >>= more % (unsigned)fraction;
        return bits & sign ? (bias << fraction) + mantissa : (bias << fraction) - mantissa;
    case 3:
    case 4:
        return bits;
    default: /* exponents of -8 to 11 */
        return (bits & sign) | ((bias - 8 + more % 20) << fraction) | mantissa;
    }
}

/* Fills the block with points: all of a stretch of arguments, a draw, or neighbours of the worst points. */
static void fill(const Measurement *m, Block *block, uint64_t number, const Found *near) {
    if (m->is_whole && m->stride == 1 && m->format == F32) {
        uint32_t start = (uint32_t)(m->first + number * BLOCK),
                 *to = (uint32_t *)block->arguments[0];
        for (uint32_t i = 0; i < BLOCK; i++)
            to[i] = start + i;
        memset(block->arguments[1], 0, BLOCK * sizeof *to);
        return;
    }
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t place = number * BLOCK + i, random = mix(place + 1), bits[ARITY] = {0};
        const Point *around = near ? &near->worst[random % WORST] : NULL;
        for (int k = 0; k < ARITY; k++) {
            uint64_t each = mix(random + (uint64_t)k + 1);
            if (m->is_whole)
                bits[k] = k == 0 ? m->first + place * m->stride + random % m->stride : 0;
            else if (around && around->error >= 0)
                bits[k] = around->bits[k] + (uint64_t)((int64_t)mix(each) >> (each % 62 + 1));
            else
                bits[k] = draw(m->format, each);
            element_put(block->arguments[k], m->format, i, bits[k] & mask_of(m->format));
        }
    }
}

static void keep(Found *found, Point point) {
    for (int i = 0; i < WORST; i++)
        if (point.error > found->worst[i].error) {
            memmove(&found->worst[i + 1], &found->worst[i],
                    (size_t)(WORST - 1 - i) * sizeof *found->worst);
            found->worst[i] = point;
            return;
        }
}

static void look_at_some(const Measurement *m, const Block *block, size_t first, size_t count,
                         Found *found) {
    const Function *function = &functions[m->function];
    for (size_t i = first; i < first + count; i++) {
        Point point = {.result = element_get(block->result, m->format, i)};
        double arguments[ARITY], result = element_value(m->format, point.result);
        for (int k = 0; k < ARITY; k++) {
            point.bits[k] = element_get(block->arguments[k], m->format, i);
            arguments[k] = element_value(m->format, point.bits[k]);
        }
        if (m->format == F64 &&
            is_surely_below(m->function, arguments, result, found->worst[WORST - 1].error))
            continue;
        double value = function->approximate(arguments[0], arguments[1]);
        point.error = m->format == F64 ? exact_error(m->function, F64, arguments, result)
                                       : approximate_error(m->format, result, value);
        if (point.error == TOO_SOON && function->may_be_infinite) {
            found->too_soon++;
            found->least_infinite = fmin(found->least_infinite, fabs(value));
            continue;
        }
        point.error = point.error == TOO_SOON ? INFINITY : point.error;
        if (point.error > found->worst[WORST - 1].error)
            keep(found, point);
    }
}

/* `worst` is an error that was found elsewhere. */
static void look(const Measurement *m, const Block *block, double worst, Found *found) {
    found->points += BLOCK;
    if (!m->filter) {
        look_at_some(m, block, 0, BLOCK, found);
        return;
    }
    for (size_t first = 0; first < BLOCK; first += FILTER_GROUP)
        if (!filter_pass(m->filter, block, first, fmax(worst, found->worst[0].error)))
            look_at_some(m, block, first, FILTER_GROUP, found);
}

/* Is the filter right in the block? */
static bool is_filter_right(const Measurement *m, const Block *block, char *difference,
                            size_t size) {
    for (size_t first = 0; m->filter && first < BLOCK; first += FILTER_GROUP)
        if (!filter_agrees(m->filter, m->function, block, first)) {
            snprintf(difference, size,
                     "the vector function of doubles differs from the scalar one near %a",
                     element_value(F32, element_get(block->arguments[0], F32, first)));
            return false;
        }
    return true;
}

static bool is_worse(const Point *a, const Point *b) {
    if (a->error != b->error)
        return a->error > b->error;
    return memcmp(a->bits, b->bits, sizeof a->bits) < 0;
}

static void merge(Measurement *m, const Found *found) {
    pthread_mutex_lock(&m->lock);
    if (is_worse(&found->worst[0], &m->worst))
        m->worst = found->worst[0];
    m->points += found->points;
    m->too_soon += found->too_soon;
    m->least_infinite = fmin(m->least_infinite, found->least_infinite);
    pthread_mutex_unlock(&m->lock);
}

static void *work(void *data) {
    Measurement *m = data;
    Block *block = aligned_alloc(_Alignof(Block), sizeof *block);
    for (uint64_t task; (task = atomic_fetch_add(&m->next, 1)) < m->tasks && !m->differs;) {
        Found found = {.least_infinite = INFINITY};
        for (int i = 0; i < WORST; i++)
            found.worst[i].error = -1;
        char difference[sizeof m->difference];
        pthread_mutex_lock(&m->lock);
        double worst = m->worst.error;
        pthread_mutex_unlock(&m->lock);
        for (int round = 0; round < (m->is_whole ? 1 : ROUNDS); round++) {
            bool is_near = !m->is_whole && round % 2;
            fill(m, block, m->is_whole ? task : task * ROUNDS + (uint64_t)round,
                 is_near ? &found : NULL);
            bool by_all = m->by_all_variants || task % EACH == 0;
            if (!variants_run(m->variants, block, by_all, difference, sizeof difference) ||
                (task % SAMPLED == 0 &&
                 !is_filter_right(m, block, difference, sizeof difference))) {
                pthread_mutex_lock(&m->lock);
                m->differs = true;
                memcpy(m->difference, difference, sizeof difference);
                pthread_mutex_unlock(&m->lock);
                break;
            }
            look(m, block, worst, &found);
        }
        merge(m, &found);
    }
    free(block);
    return NULL;
}

static void work_in(Measurement *m, int threads) {
    enum { MOST_THREADS = 64 };
    pthread_t thread[MOST_THREADS];
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    atomic_store(&m->next, 0);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, work, m);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void measure(Measurement *m, int threads) {
    enum { MOST_NEAR = 1 << 24 };
    uint64_t wanted = (uint64_t)share(), all = UINT64_C(1) << (formats[m->format].bits % 64);
    m->is_whole = functions[m->function].arity == 1 && m->format != F64;
    m->worst.error = -1;
    m->least_infinite = INFINITY;
    m->filter = m->is_whole && m->format == F32 ? filter_function(m->function) : NULL;
    m->by_all_variants |= !m->is_whole || m->format != F32 || wanted > 1;
    if (!m->is_whole) {
        uint64_t searches = m->format == F64 ? SEARCHES_LONG : SEARCHES_SHORT;
        m->tasks = searches / wanted > 0 ? searches / wanted : 1;
        work_in(m, threads);
        return;
    }
    m->stride = formats[m->format].bits == 16 ? 1 : wanted < all / BLOCK ? wanted : all / BLOCK;
    m->tasks = all / m->stride / BLOCK;
    work_in(m, threads);
    if (m->stride == 1 || m->worst.error < 0)
        return;
    /* The errors of neighbours are alike: all arguments around the worst. */
    uint64_t near = all / m->stride / 4 < MOST_NEAR ? all / m->stride / 4 : MOST_NEAR;
    m->is_share = true;
    m->stride = 1;
    m->tasks = near / BLOCK > 0 ? near / BLOCK : 1;
    m->first = m->worst.bits[0] - near / 2;
    work_in(m, threads);
}

/* Returns whether the stated error holds. */
static bool report(const Measurement *m) {
    const Function *function = &functions[m->function];
    double arguments[] = {element_value(m->format, m->worst.bits[0]),
                          element_value(m->format, m->worst.bits[1])};
    double error = isfinite(m->worst.error) && m->worst.error >= 0
                       ? exact_error(m->function, m->format, arguments,
                                     element_value(m->format, m->worst.result))
                       : m->worst.error;
    double stated = function->stated[m->format];
    bool is_good = !m->differs && m->points > 0 && error <= stated;
    printf("%s%-6s %-4s %.5f ulp, stated %g, at %a", is_good ? "" : "FAILED: ", function->name,
           formats[m->format].name, error, stated, arguments[0]);
    if (function->arity == 2)
        printf(", %a", arguments[1]);
    printf("; %" PRIu64 " points of %s, %zu variants", m->points,
           !m->is_whole  ? "a search"
           : m->is_share ? "a share"
                         : "all",
           variants_count(m->variants));
    if (m->too_soon)
        printf("; infinite from %a", m->least_infinite);
    printf("\n");
    if (m->differs)
        printf("  %s\n", m->difference);
    fflush(stdout);
    return is_good;
}

static bool run(size_t function, Format format, bool by_all_variants, int threads, char *targets,
                size_t size) {
    Variants *variants = variants_create(function, format);
    if (!variants)
        return false;
    snprintf(targets, size, "%s", variants_targets(variants));
    Measurement m = {.function = function,
                     .format = format,
                     .variants = variants,
                     .by_all_variants = by_all_variants};
    pthread_mutex_init(&m.lock, NULL);
    measure(&m, threads);
    pthread_mutex_destroy(&m.lock);
    bool is_good = report(&m);
    variants_destroy(variants);
    return is_good;
}

static void print_table(void) {
    printf("| function | f16 | bf16 | f32 | f64 |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < function_count; i++) {
        printf("| `%s` |", functions[i].text);
        for (Format f = 0; f < FORMATS; f++)
            functions[i].stated[f] > 0 ? printf(" %g |", functions[i].stated[f]) : printf(" - |");
        printf("\n");
    }
}

/* NAME, or NAME:FORMAT. */
static bool is_named(const char *word, size_t function, Format format) {
    size_t length = strcspn(word, ":");
    return strlen(functions[function].name) == length &&
           strncmp(functions[function].name, word, length) == 0 &&
           (!word[length] || strcmp(word + length + 1, formats[format].name) == 0);
}

int main(int count, char **words) {
    int threads = 2, named = 0;
    bool by_all_variants = false;
    char targets[256] = "";
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--table") == 0)
            return print_table(), 0;
        if (strncmp(words[i], "--threads=", strlen("--threads=")) == 0)
            threads = atoi(words[i] + strlen("--threads="));
        else if (strcmp(words[i], "--variants") == 0)
            by_all_variants = true;
        else
            named++;
    }
    size_t failures = 0, measured = 0;
    for (size_t function = 0; function < function_count; function++)
        for (Format format = 0; format < FORMATS; format++) {
            bool is_wanted = named == 0;
            for (int i = 1; i < count; i++)
                is_wanted = is_wanted || is_named(words[i], function, format);
            if (!is_wanted || functions[function].stated[format] == 0)
                continue;
            measured++;
            failures += !run(function, format, by_all_variants, threads > 0 ? threads : 1, targets,
                             sizeof targets);
        }
    printf("%zu functions of a type measured, %zu failures; targets: %s\n", measured, failures,
           targets);
    return failures > 0 || measured == 0;
}
