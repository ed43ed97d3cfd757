/* unlisted.c -- groups of components that no entry of the table computes. If there is at most one
 * term free of x for each component, each y.i stands for one of these terms. The resulting operator
 * may be proved directly. Loop-invariant terms stay.
 *
 * Three choices of terms are tried: the largest terms free of x; those of them that others do not
 * determine; and only the reads. For example, ~saturating_add(~x, ~a) is associative with y for a,
 * but not with y for ~a. */
#include "associative/internal.h"

enum { ELEMENTS = 3 }; /* the most components of a group that is tried */

typedef struct FreeTerms {
    Recogniser *r;
    Exprs varying, constant; /* maximal terms free of x */
} FreeTerms;

static void add_term(FreeTerms *terms, Expr term) {
    if (expr_is_constant(term))
        return;
    Exprs *list = is_the_same_always(terms->r, term) ? &terms->constant : &terms->varying;
    exprs_add(terms->r->arena, list, term);
}

/* Terms, and the variable for each. */
typedef struct Replacement {
    Exprs terms, variables;
} Replacement;

/* Replaces larger terms first: they may contain a smaller one. */
static Expr replace_terms(Recogniser *r, const Replacement *replacement, Expr expr) {
    bool done[2 * ASSOCIATIVE_MAX] = {0};
    size_t count = replacement->terms.length;
    hlc_assert(count <= sizeof done, "few terms are replaced");
    for (size_t round = 0; round < count; round++) {
        size_t largest = count;
        for (size_t i = 0; i < count; i++)
            if (!done[i] && (largest == count || replacement->terms.data[i]->tree_size >
                                                     replacement->terms.data[largest]->tree_size))
                largest = i;
        done[largest] = true;
        expr = expr_exchange(r->pool, r->arena, expr, replacement->terms.data[largest],
                             replacement->variables.data[largest]);
    }
    return expr;
}

/* A term made of another term and loop-invariant ones needs no y of its own: `r == 0` beside `r`.
 * Smaller terms are named first. */
static void drop_made_terms(Recogniser *r, FreeTerms *terms) {
    size_t kept = 0;
    Exprs *varying = &terms->varying;
    for (size_t i = 1; i < varying->length; i++)
        for (size_t j = i; j > 0 && varying->data[j]->tree_size < varying->data[j - 1]->tree_size;
             j--) {
            Expr swapped = varying->data[j];
            varying->data[j] = varying->data[j - 1];
            varying->data[j - 1] = swapped;
        }
    for (size_t i = 0; i < varying->length; i++) {
        Replacement naming = {0};
        for (size_t j = 0; j < kept; j++) {
            Type type = varying->data[j]->type;
            vec_push(r->arena, &naming.terms, varying->data[j]);
            vec_push(r->arena, &naming.variables, associative_y(r->pool, (int)j, type));
        }
        Expr named = replace_terms(r, &naming, varying->data[i]);
        if (!is_the_same_always(r, named))
            varying->data[kept++] = varying->data[i];
    }
    varying->length = kept;
}

typedef struct NodeSearch {
    Expr wanted;
    bool is_found;
} NodeSearch;

static void find_node(void *data, Expr node) {
    NodeSearch *finding = data;
    finding->is_found |= node == finding->wanted;
}

static bool is_within(Arena *arena, Expr inner, Expr outer) {
    NodeSearch finding = {inner, false};
    if (inner != outer)
        expr_visit(arena, outer, find_node, &finding);
    return finding.is_found;
}

static void find_read(void *data, Expr node) {
    FreeTerms *terms = data;
    if ((node->op == OP_ACCESS || node->op == OP_VARIABLE) && !has_x(terms->r, node) &&
        !is_the_same_always(terms->r, node) && terms->varying.length <= ASSOCIATIVE_MAX)
        add_term(terms, node);
}

/* Does the operator still contain a read without a y? */
static bool has_unnamed(Recogniser *r, const Associativity *part, int element) {
    FreeTerms read = {.r = r};
    if (!r->as_written)
        expr_visit(r->arena, part->operator[element], find_read, &read);
    bool has = false;
    for (size_t i = 0; i < read.varying.length; i++) {
        bool is_y = false;
        for (int j = 0; j < part->arity; j++)
            is_y |= read.varying.data[i] == part->y[j];
        has |= !is_y;
    }
    return has;
}

/* Uses reads and variables as terms, except variables that only occur in places of reads. */
static void use_what_is_read(Recogniser *r, const Expr *values, int count, FreeTerms *terms) {
    FreeTerms read = {.r = r};
    for (int i = 0; i < count; i++)
        expr_visit(r->arena, values[i], find_read, &read);
    terms->varying.length = 0;
    for (size_t i = 0; i < read.varying.length; i++) {
        bool is_place = false;
        for (size_t j = 0; j < read.varying.length; j++)
            is_place |= is_within(r->arena, read.varying.data[i], read.varying.data[j]);
        if (!is_place)
            vec_push(r->arena, &terms->varying, read.varying.data[i]);
    }
}

/* Each loop-invariant term becomes one more unknown. */
static void name_constants(Recogniser *r, const FreeTerms *terms, Replacement *replacement) {
    for (size_t i = 0; i < terms->constant.length; i++) {
        Expr term = terms->constant.data[i];
        if (term->op == OP_VARIABLE)
            continue;
        Symbol name = symbol_format(&r->pool->context->symbols, "k.%zu", i);
        vec_push(r->arena, &replacement->terms, term);
        vec_push(r->arena, &replacement->variables, expr_variable(r->pool, name, term->type));
    }
}

/* Assigns to y.i a term of the type of component i, by permutation `order` of the components. */
static bool name_terms(Recogniser *r, const FreeTerms *terms, const int *order,
                       const Associativity *part, Replacement *replacement, Expr *injected) {
    for (size_t i = 0; i < terms->varying.length; i++) {
        Expr term = terms->varying.data[i];
        int element = order[i];
        if (!type_equal(term->type, part->types[element]))
            return false;
        injected[element] = term;
        vec_push(r->arena, &replacement->terms, term);
        vec_push(r->arena, &replacement->variables, part->y[element]);
    }
    return true;
}

/* Points prove nothing about these. */
static bool has_reals(const Associativity *part) {
    for (int i = 0; i < part->arity; i++)
        if (type_is_float(part->types[i]))
            return true;
    return false;
}

static bool try_order(Recogniser *r, const Expr *values, const FreeTerms *terms, const int *order,
                      Associativity *part, Expr *injected) {
    Replacement naming = {0}, back = {0};
    for (int i = 0; i < part->arity; i++)
        injected[i] = NULL;
    name_constants(r, terms, &naming);
    back.terms = naming.variables;
    back.variables = naming.terms;
    if (!r->as_written && !name_terms(r, terms, order, part, &naming, injected))
        return false;
    for (int i = 0; i < part->arity; i++)
        part->operator[i] = replace_terms(r, &naming, values[i]);
    for (int i = 0; i < part->arity; i++)
        if (expr_has_access(part->operator[i]) || has_unnamed(r, part, i))
            return false; /* a read whose place depends on the func, or without a name */
    Counterexample ignored;
    bool refuted =
        !has_reals(part) && refute_associative(r->pool, r->arena, part->arity, part->x, part->y,
                                               part->operator, NULL, POINTS_BEFORE_PROOF, &ignored);
    part->has_identity = part->lacks_identity = false;
    if ((refuted || !prove_operator(r, part)) && !prove_unwrapped(r, part, injected[0]))
        return false;
    for (int i = 0; i < part->arity; i++)
        part->operator[i] = replace_terms(r, &back, part->operator[i]);
    return true;
}

/* Does the part of a given operator contain the y of other components? They are not constants. */
static bool needs_other_y(const Recogniser *r, const Expr *own, const Associativity *part) {
    for (int i = 0; i < r->update->arity; i++) {
        bool is_own = false;
        for (int j = 0; j < part->arity; j++)
            is_own |= part->y[j] == r->y[i];
        for (int j = 0; j < part->arity && !is_own; j++)
            if (expr_mentions(r->arena, own[j], r->y[i]->name))
                return true;
    }
    return false;
}

static bool next_order(int *order, int count) {
    int i = count - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i <= 0)
        return false;
    int j = count - 1;
    while (order[j] < order[i - 1])
        j--;
    int swapped = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swapped;
    for (int a = i, b = count - 1; a < b; a++, b--) {
        swapped = order[a];
        order[a] = order[b];
        order[b] = swapped;
    }
    return true;
}

static void keep(Recogniser *r, const int *elements, const Associativity *part,
                 const Expr *injected, Found *found) {
    *found = (Found){.commutes = part->is_commutative,
                     .has_identity = part->has_identity,
                     .lacks_identity = part->lacks_identity};
    for (int i = 0; i < part->arity; i++) {
        int element = elements[i];
        Expr any = expr_constant(r->pool, part->types[i], 0);
        found->operator[element] = part->operator[i];
        found->identity[element] = part->identity[i];
        found->injected[element] = r->as_written ? part->y[i] : injected[i] ? injected[i] : any;
    }
}

/* Makes the group a question of its own; false if it does not suit this file. */
static bool begin_part(Recogniser *r, const Expr *values, uint32_t group, Associativity *part,
                       int *elements, Expr *own) {
    if (__builtin_popcount(group) > ELEMENTS)
        return false;
    for (int i = 0; i < r->update->arity; i++) {
        if (!(group >> i & 1))
            continue;
        if (type_is_float(r->update->types[i]) && !r->update->reassociation)
            return false;
        elements[part->arity] = i;
        part->types[part->arity] = r->update->types[i];
        part->x[part->arity] = r->x[i];
        part->y[part->arity] = r->y[i];
        own[part->arity++] = canonical_form(r, values[i]);
    }
    return true;
}

bool recognise_unlisted(Recogniser *r, const Expr *values, uint32_t group, Found *found) {
    Associativity part = {.arity = 0};
    Expr own[ASSOCIATIVE_MAX], injected[ASSOCIATIVE_MAX];
    int elements[ASSOCIATIVE_MAX], order[ELEMENTS];
    FreeTerms terms = {.r = r};
    Exprs free_terms = {0};
    if (!begin_part(r, values, group, &part, elements, own))
        return false;
    for (int i = 0; i < part.arity; i++)
        collect_free_terms(r, own[i], &free_terms);
    for (size_t i = 0; i < free_terms.length; i++)
        add_term(&terms, free_terms.data[i]);
    if (terms.varying.length > ASSOCIATIVE_MAX || terms.constant.length > ASSOCIATIVE_MAX)
        return false;
    if (r->as_written && needs_other_y(r, own, &part))
        return false;
    enum { LARGEST, NOT_MADE, READ, NAMINGS };
    for (int naming = LARGEST; naming < (r->as_written ? NOT_MADE : NAMINGS); naming++) {
        if (naming == NOT_MADE)
            drop_made_terms(r, &terms);
        if (naming == READ)
            use_what_is_read(r, own, part.arity, &terms);
        if (!r->as_written && (terms.varying.length > (size_t)part.arity || !terms.varying.length))
            continue;
        for (int i = 0; i < ELEMENTS; i++)
            order[i] = i;
        do {
            if (try_order(r, own, &terms, order, &part, injected)) {
                keep(r, elements, &part, injected, found);
                return true;
            }
        } while (!r->as_written && next_order(order, part.arity));
    }
    return false;
}
