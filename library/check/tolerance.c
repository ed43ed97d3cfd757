/* tolerance.c -- makes the measures of a reduction by rewriting. In each expression the *spine* is
 * the path from the func's own values to the root. Its nodes are rewritten, and the terms attached
 * to it are measured:
 *
 *     f(x) + a*b               f.magnitude(x) + |a*b|               f.additions(x) + 1
 *     select(c, f(x), f(x) - t)   select(c, .., f.magnitude(x) + |t|)   ..
 *     fma(a, b, f(x))          f.magnitude(x) + |a|*|b|             f.additions(x) + 1
 *
 * The magnitude of a component that chooses is NaN if a NaN was compared with it, also where the
 * choice did not keep that NaN.
 *
 * The measures are computed in the reduction's own type, so the magnitudes are rounded, too.
 * measure_allowed compensates the possible loss.
 */
#include "library/check/tolerance.h"

#include "ir/walk.h"

#include <math.h>

typedef struct MeasureRewrite {
    Arena *arena;
    const Func *func;
    Symbol name; /* the new func's */
    Measure measure;
    Map spine; /* Expr, rewritten, -> itself */
    /* The kinds of nodes seen on the spine of the current expression. */
    bool adds, chooses, is_other;
    uint32_t elements; /* of the func that it reads, a bit each */
    Exprs compared;    /* floats that it compares with the spine */
} MeasureRewrite;

static bool is_spine(const MeasureRewrite *m, Expr expr) {
    return map_get(&m->spine, expr) != NULL;
}

static Expr on_spine(MeasureRewrite *m, Expr expr) {
    map_put(&m->spine, expr, (void *)expr);
    return expr;
}

static Expr measure_term(const MeasureRewrite *m, Pool *pool, Expr term) {
    return m->measure == MEASURE_MAGNITUDE ? expr_unary(pool, OP_ABS, term)
                                           : expr_float(pool, term->type, 1);
}

static bool is_all_exact(Expr node) {
    bool exact = !type_is_float(node->type);
    for (int i = 0; i < node->arity; i++)
        exact = exact && !type_is_float(node->arguments[i]->type);
    return exact;
}

static bool compares(Op op) {
    return op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE || op == OP_EQ || op == OP_NE;
}

/* Measures a node of a sum; null for other nodes. */
static Expr measure_sum(MeasureRewrite *m, Pool *pool, Expr node) {
    Expr a = node->arguments[0], b = node->arity > 1 ? node->arguments[1] : NULL;
    if (!type_is_float(node->type))
        return NULL;
    if ((node->op == OP_ADD || node->op == OP_SUB) && is_spine(m, a) != is_spine(m, b)) {
        bool first = is_spine(m, a);
        return expr_add(pool, first ? a : b, measure_term(m, pool, first ? b : a));
    }
    if (node->op == OP_FMA && !is_spine(m, a) && !is_spine(m, b))
        return expr_add(pool, node->arguments[2],
                        expr_mul(pool, measure_term(m, pool, a), measure_term(m, pool, b)));
    return NULL;
}

static Expr measure_node(void *data, Pool *pool, Expr node) {
    MeasureRewrite *m = data;
    bool reads = false;
    if (node->op == OP_ACCESS && node->name == m->func->shape->name) {
        m->elements |= (uint32_t)1 << node->component;
        return on_spine(m, expr_access(pool, m->name, node->component, node->type,
                                       (const Expr *)node->arguments, node->arity));
    }
    for (int i = 0; i < node->arity; i++)
        reads |= is_spine(m, node->arguments[i]);
    if (!reads)
        return node;
    Expr sum = node->op == OP_ACCESS ? NULL : measure_sum(m, pool, node);
    if (sum)
        m->adds = true;
    else if (node->op == OP_SELECT && !is_spine(m, node->arguments[0]) &&
             is_spine(m, node->arguments[1]) && is_spine(m, node->arguments[2]))
        ; /* selects between two sums or two choices; the condition is the same in each order */
    else if (compares((Op)node->op)) {
        m->chooses = true;
        for (int i = 0; i < node->arity; i++)
            if (!is_spine(m, node->arguments[i]) && type_is_float(node->arguments[i]->type))
                vec_push(m->arena, &m->compared, node->arguments[i]);
    } else if (node->op == OP_MIN || node->op == OP_MAX || node->op == OP_SELECT ||
               (is_all_exact(node) && node->op != OP_ACCESS))
        m->chooses = true;
    else
        m->is_other = true;
    return on_spine(m, sum ? sum : node);
}

static Expr rewrite(MeasureRewrite *m, Pool *pool, Expr expr) {
    m->adds = m->chooses = m->is_other = false;
    m->elements = 0;
    m->compared.length = 0;
    return expr_rewrite_alone(pool, m->arena, expr, measure_node, m);
}

/* The kind as far as one value shows it. */
static ElementKind kind_of(const MeasureRewrite *m, int element) {
    bool reads_others = m->elements & ~((uint32_t)1 << element);
    if (m->is_other || (m->adds && (m->chooses || reads_others)))
        return ELEMENT_OTHER;
    return m->adds ? ELEMENT_ADDS : ELEMENT_CHOOSES;
}

static Expr measure_value(MeasureRewrite *m, Pool *pool, Expr value) {
    Expr result = rewrite(m, pool, value);
    if (m->elements || !type_is_float(value->type))
        return result;
    return m->measure == MEASURE_MAGNITUDE ? expr_unary(pool, OP_ABS, value)
                                           : expr_float(pool, value->type, 0);
}

/* Adds, to each float component that component c compares with floats v, 0, or NaN if a v is. */
static void measure_compared(const MeasureRewrite *m, Pool *pool, Expr *added) {
    for (int d = 0; d < m->func->shape->components; d++) {
        Type type = m->func->shape->types[d];
        if (!type_is_float(type) || !(m->elements >> d & 1))
            continue;
        for (size_t i = 0; i < m->compared.length; i++) {
            Expr v = m->compared.data[i],
                 term = expr_select(pool, expr_binary(pool, OP_EQ, v, v), expr_float(pool, type, 0),
                                    expr_float(pool, type, NAN));
            added[d] = added[d] ? expr_add(pool, added[d], term) : term;
        }
    }
}

static ElementKind worse(ElementKind a, ElementKind b, bool a_is_said) {
    if (!a_is_said || a == b)
        return b;
    return ELEMENT_OTHER;
}

/* For each component: the kinds seen in updates that read the func. */
typedef struct Seen {
    ElementKind kind;
    bool is_said;
    uint32_t elements;
} Seen;

static Stage *measure_stage(MeasureRewrite *m, Pool *pool, const Stage *stage, Seen *seen) {
    const FuncShape *shape = m->func->shape;
    Stage *result = arena_new(m->arena, Stage);
    *result = *stage;
    result->values = arena_array(m->arena, Expr, shape->components);
    Expr *compared = arena_array(m->arena, Expr, shape->components);
    bool *adds = arena_array(m->arena, bool, shape->components);
    for (int c = 0; c < shape->components; c++) {
        result->values[c] = measure_value(m, pool, stage->values[c]);
        measure_compared(m, pool, compared);
        adds[c] = m->adds;
        if (!m->elements)
            continue;
        /* A value that is kept unchanged determines no kind. */
        bool says = m->adds || m->chooses || m->is_other;
        if (says || m->elements != (uint32_t)1 << c) {
            seen[c].kind = worse(seen[c].kind, kind_of(m, c), seen[c].is_said);
            seen[c].is_said = true;
        }
        seen[c].elements |= m->elements;
    }
    for (int c = 0; c < shape->components && m->measure == MEASURE_MAGNITUDE; c++)
        if (compared[c] && !adds[c])
            result->values[c] = expr_add(
                pool,
                expr_access(pool, m->name, c, shape->types[c], stage->indices, shape->dimensions),
                compared[c]);
    uint32_t elsewhere = 0;
    for (int k = 0; k < shape->dimensions; k++, elsewhere |= m->elements)
        rewrite(m, pool, stage->indices[k]);
    if (stage->predicate) {
        rewrite(m, pool, stage->predicate);
        elsewhere |= m->elements;
    }
    for (int c = 0; elsewhere && c < shape->components; c++)
        seen[c] = (Seen){ELEMENT_OTHER, true, ~(uint32_t)0};
    return result;
}

/* A component that chooses by a component that depends on the order depends on the order, too. */
static void conclude(const Seen *seen, int components, ElementKind *kinds) {
    for (int c = 0; c < components; c++)
        kinds[c] = seen[c].is_said ? seen[c].kind : ELEMENT_CHOOSES;
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = 0; c < components; c++)
            for (int d = 0; d < components; d++) {
                bool spoils = c != d && (seen[c].elements >> d & 1) && kinds[c] != ELEMENT_OTHER &&
                              kinds[d] != ELEMENT_CHOOSES;
                kinds[c] = spoils ? ELEMENT_OTHER : kinds[c];
                changed |= spoils;
            }
    }
}

Func *measure_create(Pool *pool, Arena *arena, const Func *func, Measure measure,
                     ElementKind *kinds) {
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = *func->shape;
    shape->is_output = false;
    shape->name = symbol_format(&pool->context->symbols, "%s.%s", func->shape->name->text,
                                measure == MEASURE_MAGNITUDE ? "magnitude" : "additions");
    MeasureRewrite measuring = {.arena = arena,
                                .func = func,
                                .name = shape->name,
                                .measure = measure,
                                .spine = map_create(arena)};
    Func *result = arena_new(arena, Func);
    *result = *func;
    result->shape = shape;
    result->stages = (typeof(result->stages)){0};
    Seen *seen = arena_array(arena, Seen, shape->components);
    for (size_t j = 0; j < func->stages.length; j++)
        vec_push(arena, &result->stages,
                 measure_stage(&measuring, pool, func->stages.data[j], seen));
    conclude(seen, shape->components, kinds);
    return result;
}

double measure_allowed(Type type, double magnitude, double additions) {
    /* An fma of f16 or bf16 rounds twice. Other sums are exact where they are subnormal. */
    double unit = ldexp(type_is_short_float(type) ? 1 + 0x1p-12 : 1, -type_precision(type));
    double most = (additions + 2) * unit;
    if (!isfinite(magnitude) || !(most < 0.25) || additions * unit >= 0.5)
        return -1;
    double bound = additions * unit / (1 - additions * unit), lost = most / (1 - most);
    double most_sum = magnitude / (1 - lost) * (1 + 0x1p-40);
    if (isinf(bits_to_double(type, bits_from_double(type, most_sum))))
        return -1; /* one of the two orders may overflow */
    return 2 * bound * most_sum + 2 * additions * bits_to_double(type, 1);
}
