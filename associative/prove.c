/* prove.c -- that two tuples of expressions are the same, for operators that the table does not
 * make; and with it, that an operator is associative, commutes, has an identity.
 *
 * What chooses between x and y by a condition of one of them is associative, whatever the
 * condition: with p(x), both sides are the first of x, y, z of which p holds, or else z; with p(y),
 * the last.
 *
 * Of the others, four procedures, each complete for its own kind of expressions:
 *   ring     sums and products alone: polynomials in normal form
 *   order    min, max, comparisons, select: only the order of the unknowns matters, so that all
 * ways of ordering m of them are seen among the values 0 .. m - 1.  Constants are unknowns, too
 *   bits     & | ^ ~: each bit by itself, so 0 and 1 are all values
 *   the rest is asked of the simplifier and of the decision tier
 */
#include "associative/internal.h"

#include "decide/decide.h"

#include <string.h>

enum { ORDERED = 7, BITWISE = 12 };

/* Within a millisecond. */
static const DecideBudget BRIEFLY = {.conjunctions = 6, .operations = 200};

/* ---- unknowns ---- */

/* What an expression is made of. */
typedef struct Kind {
    Arena *arena;
    Exprs unknowns; /* variables and constants */
    bool is_order, is_bits, reals;
} Kind;

static bool is_of_order(Expr node) {
    switch (node->op) {
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
    case OP_SELECT:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
        return true;
    default: /* it computes */
        return false;
    }
}

static bool is_of_bits(Expr node) {
    return node->op == OP_BIT_AND || node->op == OP_BIT_OR || node->op == OP_BIT_XOR ||
           node->op == OP_BIT_NOT;
}

static void look_at(void *data, Expr node) {
    Kind *kind = data;
    bool is_leaf = node->op == OP_VARIABLE || node->op == OP_CONSTANT;
    kind->is_order &= !type_is_index(node->type) && (kind->reals || !type_is_float(node->type));
    kind->is_bits &= type_is_machine_integer(node->type);
    if (!is_leaf) {
        kind->is_order &= is_of_order(node);
        kind->is_bits &= is_of_bits(node);
        return;
    }
    for (size_t i = 0; i < kind->unknowns.length; i++)
        if (kind->unknowns.data[i] == node)
            return;
    if (!(node->op == OP_CONSTANT && type_is_bool(node->type)))
        vec_push(kind->arena, &kind->unknowns, node);
}

/* ---- all values ---- */

static Bits value_of(const Kind *kind, Type type, int digit) {
    if (type_is_float(type))
        return bits_from_double(type, digit);
    return bits_wrap(type, kind->is_bits ? -digit : digit);
}

/* Are the sides the same wherever each unknown number is one of 0 .. `values` - 1 (of bits: 0 or
 * all ones), and each bool is both? */
static bool is_same_everywhere(Recogniser *r, const Kind *kind, Expr a, Expr b, int values) {
    Plan plan = plan_create(r->arena);
    const Bits *left = plan_column(&plan, a), *right = plan_column(&plan, b);
    size_t count = kind->unknowns.length;
    Bits **columns = arena_array(r->arena, Bits *, count + 1);
    int *digits = arena_array(r->arena, int, count + 1);
    for (size_t i = 0; i < count; i++)
        columns[i] = plan_column(&plan, kind->unknowns.data[i]);
    for (bool more = true; more;) {
        int filled = 0;
        for (; filled < PLAN_BATCH && more; filled++) {
            for (size_t i = 0; i < count; i++)
                columns[i][filled] = value_of(kind, kind->unknowns.data[i]->type, digits[i]);
            more = false;
            for (size_t i = 0; i < count && !more; i++) {
                int most = type_is_bool(kind->unknowns.data[i]->type) ? 2 : values;
                more = ++digits[i] < most;
                digits[i] = more ? digits[i] : 0;
            }
        }
        plan_run(&plan);
        if (memcmp(left, right, sizeof *left * (size_t)filled) != 0)
            return false;
    }
    return true;
}

static bool is_same_by_values(Recogniser *r, Expr a, Expr b) {
    Kind kind = {.arena = r->arena, .is_order = true, .is_bits = true};
    kind.reals = r->update->reassociation;
    expr_visit(r->arena, a, look_at, &kind);
    expr_visit(r->arena, b, look_at, &kind);
    int count = (int)kind.unknowns.length;
    if (kind.is_order && count <= ORDERED) {
        kind.is_bits = false;
        return is_same_everywhere(r, &kind, a, b, count);
    }
    return kind.is_bits && count <= BITWISE && is_same_everywhere(r, &kind, a, b, 2);
}

/* ---- sides ---- */

/* Floats are the reals here, or are not asked about. */
static bool is_same(Recogniser *r, Expr a, Expr b) {
    a = simplify(r->simplifier, a);
    b = simplify(r->simplifier, b);
    if (a == b || canonical_form(r, a) == canonical_form(r, b))
        return true;
    if (is_same_by_values(r, a, b))
        return true;
    if (type_is_float(a->type))
        return false;
    Expr claim = expr_eq(r->pool, a, b);
    return simplify_prove_briefly(r->simplifier, claim) == PROOF_HOLDS ||
           decide(r->pool, r->arena, claim, NULL, BRIEFLY).verdict == VERDICT_VALID;
}

static bool are_same(Recogniser *r, int arity, const Expr *left, const Expr *right) {
    for (int i = 0; i < arity; i++)
        if (!is_same(r, left[i], right[i]))
            return false;
    return true;
}

/* ---- choices ---- */

/* The condition of select(p, x.i, y.i), or of its arms exchanged, which is as good: p may be any.
 */
static Expr condition_of_choice(const Associativity *found, int i) {
    Expr value = found->operator[i];
    if (value->op != OP_SELECT)
        return NULL;
    Expr a = value->arguments[1], b = value->arguments[2];
    return a == found->x[i] && b == found->y[i] ? value->arguments[0] : NULL;
}

static bool mentions_any(Arena *arena, Expr expr, const Expr *variables, int count) {
    for (int i = 0; i < count; i++)
        if (expr_mentions(arena, expr, variables[i]->name))
            return true;
    return false;
}

/* Do all elements choose between x and y by one condition, which is about x alone or y alone? */
static bool is_choice(Recogniser *r, const Associativity *found) {
    Associativity turned = *found;
    Expr condition = condition_of_choice(found, 0);
    if (!condition) {
        memcpy(turned.x, found->y, sizeof turned.x);
        memcpy(turned.y, found->x, sizeof turned.y);
        condition = condition_of_choice(&turned, 0);
    }
    for (int i = 1; i < found->arity && condition; i++)
        if (condition_of_choice(&turned, i) != condition)
            return false;
    return condition && !(mentions_any(r->arena, condition, found->x, found->arity) &&
                          mentions_any(r->arena, condition, found->y, found->arity));
}

/* ---- claims ---- */

static bool proves_commutative(Recogniser *r, const Associativity *found) {
    Expr turned[ASSOCIATIVE_MAX];
    for (int i = 0; i < found->arity; i++)
        turned[i] = associative_apply(r->pool, r->arena, found, i, found->y, found->x);
    return are_same(r, found->arity, found->operator, turned);
}

/* ---- identities ---- */

/* Values that may be neutral: those that are somewhere; and what two zeros make, or its negation,
 * which is neutral where the operator adds or exchanges bits.  Zero first, so that what is not
 * needed is 0. */
static void add_neutrals(Recogniser *r, const Associativity *found, int element, Exprs *values) {
    static const int numbers[] = {0, 1, -1};
    Type type = found->types[element];
    for (int i = 0; i < 3 - type_is_bool(type); i++)
        vec_push(r->arena, values, pattern_number(r->pool, type, numbers[i]));
    for (int highest = 0; highest < 2; highest++)
        vec_push(r->arena, values, pattern_end(r->pool, type, highest));
    Expr zeros[ASSOCIATIVE_MAX], more[2] = {NULL, NULL};
    for (int i = 0; i < found->arity; i++)
        zeros[i] = pattern_number(r->pool, found->types[i], 0);
    if (r->constant)
        more[0] = expr_variable(r->pool, r->constant, type);
    if (!type_is_float(type))
        more[1] = simplify(r->simplifier,
                           associative_apply(r->pool, r->arena, found, element, zeros, zeros));
    for (int i = 0; i < 2; i++) {
        if (!more[i])
            continue;
        vec_push(r->arena, values, more[i]);
        if (type_is_machine_integer(type))
            vec_push(r->arena, values,
                     simplify(r->simplifier, expr_unary(r->pool, OP_NEG, more[i])));
    }
}

typedef struct IdentitySearch {
    Recogniser *r;
    Associativity *found;
    uint32_t needs[ASSOCIATIVE_MAX]; /* of which elements' y element i is made */
    Exprs values[ASSOCIATIVE_MAX];
    Expr y[ASSOCIATIVE_MAX];
} IdentitySearch;

/* Of reals points say nothing. */
static bool is_refuted_at(const IdentitySearch *search, int i) {
    const Associativity *found = search->found;
    return !type_is_float(found->types[i]) &&
           refute_same(
               search->r,
               associative_apply(search->r->pool, search->r->arena, found, i, found->x, search->y),
               found->x[i]);
}

/* Element `i` of the operator over this y, is it x.i? */
static bool is_neutral_at(const IdentitySearch *search, int i) {
    const Associativity *found = search->found;
    return !is_refuted_at(search, i) && is_same(search->r,
                                                associative_apply(search->r->pool, search->r->arena,
                                                                  found, i, found->x, search->y),
                                                found->x[i]);
}

/* Of the elements that need the y of `element` and of no later one. */
static bool are_neutral_up_to(const IdentitySearch *search, int element) {
    for (int i = 0; i < search->found->arity; i++)
        if (search->needs[i] >> element == 1 && !is_neutral_at(search, i))
            return false;
    return true;
}

static bool search_identity(IdentitySearch *search, int element) {
    if (element == search->found->arity)
        return true;
    const Exprs *values = &search->values[element];
    bool is_needed = false;
    for (int i = 0; i < search->found->arity; i++)
        is_needed |= search->needs[i] >> element & 1;
    for (size_t i = 0; i < (is_needed ? values->length : 1); i++) {
        search->y[element] = values->data[i];
        if (are_neutral_up_to(search, element) && search_identity(search, element + 1))
            return true;
    }
    return false;
}

/* Of one element or two.  An element that no y changes, and that is not its x, has no identity. */
static void find_identity(Recogniser *r, Associativity *found) {
    IdentitySearch search = {.r = r, .found = found};
    for (int i = 0; i < found->arity; i++) {
        for (int j = 0; j < found->arity; j++)
            if (expr_mentions(r->arena, found->operator[i], found->y[j]->name))
                search.needs[i] |= 1u << j;
        search.y[i] = pattern_number(r->pool, found->types[i], 0);
    }
    for (int i = 0; i < found->arity; i++) {
        if (search.needs[i])
            continue;
        found->lacks_identity |= is_refuted_at(&search, i);
        if (found->lacks_identity || !is_neutral_at(&search, i))
            return;
    }
    for (int i = 0; i < found->arity; i++)
        add_neutrals(r, found, i, &search.values[i]);
    found->has_identity = found->arity <= 2 && search_identity(&search, 0);
    if (found->has_identity)
        memcpy(found->identity, search.y, sizeof *search.y * (size_t)found->arity);
}

bool prove_operator(Recogniser *asked, Associativity *part) {
    Recogniser r = recogniser_create(asked->pool, asked->arena, asked->update);
    r.all_vary = true; /* everything is multiplied out */
    r.constant = asked->constant;
    Expr left[ASSOCIATIVE_MAX], right[ASSOCIATIVE_MAX];
    associative_sides(r.pool, r.arena, part->arity, part->x, part->y, part->operator, left, right);
    if (!is_choice(&r, part) && !are_same(&r, part->arity, left, right))
        return false;
    part->is_commutative = proves_commutative(&r, part);
    find_identity(&r, part);
    return true;
}
