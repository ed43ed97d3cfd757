/* candidates.c -- enumerates left sides: fragments of the simplified open goals.
 *
 * A fragment of a term keeps some operators at its top, and cuts off the rest. A cut subterm
 * becomes a wildcard, the same one at each occurrence. A constant becomes a constant of the rule,
 * the same one for each occurrence of the number (except in x * -1 and 0 < x, which the normal
 * forms expect literally). Fragments come from every subterm of every open goal, by number of
 * operators.
 *
 * A sum is split into one of its terms and the rest, as in the matcher. At the root, a sum and a
 * chain are reduced to two of their operands.
 */
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>

typedef struct Shape {
    Op op;
    int arity;
    Expr children[OP_MAX_ARITY];
    bool cuts_last; /* the last child is not looked into */
} Shape;
typedef Vec(Shape) Shapes;

#define MOST_OPERATORS 8

typedef struct Fragments {
    bool done[MOST_OPERATORS + 1];
    Exprs lists[MOST_OPERATORS + 1]; /* by the number of operators */
} Fragments;

typedef struct Enumeration {
    Synthesis *synthesis;
    Arena *scratch;
    Pool *pool;
    Map fragments; /* Expr -> Fragments */
    Map cuts;      /* Expr -> the variable that stands for it */
    Exprs cut;     /* by that variable's number */
    Map known;     /* left side -> 1 + its candidate's number */
    int goal;
} Enumeration;

static bool is_rule_operator(Expr e) {
    switch (e->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_MOD:
    case OP_MIN:
    case OP_MAX:
    case OP_ABS:
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
    case OP_SELECT:
        break;
    default: /* no rule over the integers speaks of it */
        return false;
    }
    for (int i = 0; i < e->arity; i++)
        if (!type_is_index(e->arguments[i]->type) && !type_is_bool(e->arguments[i]->type))
            return false;
    return true;
}

/* A variable that stands for the subterm; its name `@n` is no slot's. */
static Expr variable_for(Enumeration *e, Expr term) {
    Expr known = map_get(&e->cuts, term);
    if (known)
        return known;
    Symbol name = symbol_format(&e->pool->context->symbols, "@%zu", e->cut.length);
    known = expr_variable(e->pool, name, term->type);
    vec_push(e->scratch, &e->cut, term);
    map_put(&e->cuts, term, known);
    return known;
}

/* ---- shapes ---- */

/* Lists the terms of an integer sum, subtracted ones times -1; the constant last. */
static void sum_terms(Enumeration *e, Expr sum, Exprs *terms) {
    for (; sum->op == OP_ADD || sum->op == OP_SUB; sum = sum->arguments[0]) {
        Expr last = sum->arguments[1];
        if (sum->op == OP_SUB)
            last = expr_mul(e->pool, last, expr_index(e->pool, -1));
        vec_push(e->scratch, terms, last);
    }
    vec_push(e->scratch, terms, sum);
    for (size_t i = 0; i < terms->length / 2; i++) {
        Expr held = terms->data[i];
        terms->data[i] = terms->data[terms->length - 1 - i];
        terms->data[terms->length - 1 - i] = held;
    }
}

static void chain_operands(Enumeration *e, Expr chain, uint16_t op, Exprs *operands) {
    for (; chain->op == op; chain = chain->arguments[0])
        vec_push(e->scratch, operands, chain->arguments[1]);
    vec_push(e->scratch, operands, chain);
}

static void add_shape(Enumeration *e, Shapes *shapes, Op op, Expr a, Expr b, bool cuts_last) {
    vec_push(e->scratch, shapes, (Shape){op, 2, {a, b}, cuts_last});
}

/* Each two operands. */
static void pair_shapes(Enumeration *e, Op op, const Exprs *operands, Shapes *shapes) {
    for (size_t i = 0; i < operands->length; i++)
        for (size_t k = i + 1; k < operands->length; k++)
            add_shape(e, shapes, op, operands->data[i], operands->data[k], false);
}

static Expr sum_without(Enumeration *e, const Exprs *terms, size_t left_out) {
    Expr sum = NULL;
    for (size_t i = 0; i < terms->length; i++) {
        Expr term = terms->data[i];
        if (i != left_out)
            sum = sum ? expr_add(e->pool, sum, term) : term;
    }
    return sum;
}

static void sum_shapes(Enumeration *e, Expr sum, bool at_root, Shapes *shapes) {
    Exprs terms = {0};
    sum_terms(e, sum, &terms);
    if (at_root) {
        pair_shapes(e, OP_ADD, &terms, shapes);
        return;
    }
    if (terms.length == 2)
        add_shape(e, shapes, OP_ADD, terms.data[0], terms.data[1], false);
    for (size_t i = 0; i < terms.length; i++)
        if (!expr_is_constant(terms.data[i]))
            add_shape(e, shapes, OP_ADD, terms.data[i], sum_without(e, &terms, i), true);
    if (sum->op == OP_ADD && expr_is_constant(sum->arguments[1]) && terms.length > 2)
        add_shape(e, shapes, OP_ADD, sum->arguments[0], sum->arguments[1], false);
}

static void find_shapes(Enumeration *e, Expr term, bool at_root, Shapes *shapes) {
    bool is_sum = term->op == OP_ADD || term->op == OP_SUB;
    bool is_chain =
        term->op == OP_MIN || term->op == OP_MAX || term->op == OP_AND || term->op == OP_OR;
    if (is_sum) {
        sum_shapes(e, term, at_root, shapes);
    } else if (is_chain && at_root) {
        Exprs operands = {0};
        chain_operands(e, term, term->op, &operands);
        pair_shapes(e, (Op)term->op, &operands, shapes);
    } else {
        Shape shape = {.op = (Op)term->op, .arity = term->arity};
        for (int i = 0; i < term->arity; i++)
            shape.children[i] = term->arguments[i];
        vec_push(e->scratch, shapes, shape);
    }
}

/* ---- fragments ---- */

static const Exprs *fragments_of(Enumeration *e, Expr term, int operators);

/* Does the constant stay literally in the rule: x * -1, and comparisons by < with 0? */
static bool stays(Op op, Expr constant) {
    int64_t value;
    return expr_constant_integer(constant, &value) &&
           ((op == OP_MUL && value == -1) || (op == OP_LT && value == 0));
}

static void combine(Enumeration *e, const Shape *shape, int operators, int at, Expr *operands,
                    Exprs *out) {
    if (out->length >= (size_t)e->synthesis->limits.fragments)
        return;
    if (at == shape->arity) {
        if (operators == 0)
            vec_push(e->scratch, out, expr_apply(e->pool, shape->op, operands));
        return;
    }
    Expr child = shape->children[at];
    if (stays(shape->op, child)) {
        operands[at] = child;
        combine(e, shape, operators, at + 1, operands, out);
        return;
    }
    bool last = at + 1 == shape->arity;
    int most = shape->cuts_last && last ? 0 : operators;
    for (int k = last ? operators : 0; k <= most; k++) {
        const Exprs *list = fragments_of(e, child, k);
        for (size_t i = 0; i < list->length; i++) {
            operands[at] = list->data[i];
            combine(e, shape, operators - k, at + 1, operands, out);
        }
    }
}

static void enumerate(Enumeration *e, Expr term, int operators, bool at_root, Exprs *out) {
    Shapes shapes = {0};
    find_shapes(e, term, at_root, &shapes);
    for (size_t i = 0; i < shapes.length; i++) {
        Expr operands[OP_MAX_ARITY];
        combine(e, &shapes.data[i], operators - 1, 0, operands, out);
    }
}

/* Returns the fragments with exactly this many operators. (Terms of goals are shallow: the normal
 * form of a line.) */
static const Exprs *fragments_of(Enumeration *e, Expr term, int operators) {
    Fragments *all = map_get(&e->fragments, term);
    if (!all) {
        all = arena_new(e->scratch, Fragments);
        map_put(&e->fragments, term, all);
    }
    if (all->done[operators])
        return &all->lists[operators];
    Exprs list = {0};
    if (operators == 0)
        vec_push(e->scratch, &list, variable_for(e, term));
    else if (is_rule_operator(term))
        enumerate(e, term, operators, false, &list);
    all->lists[operators] = list;
    all->done[operators] = true;
    return &all->lists[operators];
}

/* ---- candidates ---- */

/* The renaming of variables to slots, by first occurrence. */
typedef struct SlotRenaming {
    Enumeration *enumeration;
    Exprs leaves;
    Expr slots[SLOTS]; /* the subterms */
    Expr names[2 * SLOTS];
    int wildcards, constants;
    bool failed;
} SlotRenaming;

static Expr rename_leaf(SlotRenaming *r, Expr leaf) {
    Enumeration *e = r->enumeration;
    if (leaf->op != OP_VARIABLE)
        return leaf;
    for (size_t i = 0; i < r->leaves.length; i++)
        if (r->leaves.data[i] == leaf)
            return r->names[i];
    Expr term = e->cut.data[atoi(leaf->name->text + 1)];
    bool constant = expr_is_constant(term);
    if (constant ? r->constants == CONSTANTS : r->wildcards == WILDCARDS) {
        r->failed = true;
        return leaf;
    }
    int slot = constant ? WILDCARDS + r->constants++ : r->wildcards++;
    Expr name = pattern_slot(e->pool, slot, leaf->type);
    r->slots[slot] = term;
    r->names[r->leaves.length] = name;
    vec_push(e->scratch, &r->leaves, leaf);
    return name;
}

static Expr rename_term(SlotRenaming *r, Expr term) {
    if (!term->arity)
        return rename_leaf(r, term);
    Expr operands[OP_MAX_ARITY];
    for (int i = 0; i < term->arity && !r->failed; i++)
        operands[i] = rename_term(r, term->arguments[i]);
    return r->failed ? term : expr_apply(r->enumeration->pool, (Op)term->op, operands);
}

static void add_candidate(Enumeration *e, Expr fragment) {
    Synthesis *s = e->synthesis;
    SlotRenaming r = {.enumeration = e};
    Expr left = rename_term(&r, fragment);
    if (r.failed || !r.wildcards || !left->arity)
        return;
    size_t known = (size_t)map_get(&e->known, left);
    if (!known) {
        Candidate candidate = {.left = left, .operators = pattern_operators(left)};
        vec_push(s->arena, &s->candidates, candidate);
        known = s->candidates.length;
        map_put(&e->known, left, (void *)known);
    }
    Candidate *candidate = &s->candidates.data[known - 1];
    if (candidate->goals && candidate->last_goal == e->goal)
        return;
    candidate->goals++;
    candidate->last_goal = e->goal;
    if (candidate->instance_count == INSTANCES)
        return;
    GoalInstance *instance = &candidate->instances[candidate->instance_count++];
    for (int i = 0; i < SLOTS; i++)
        instance->slots[i] = r.slots[i];
}

static void visit(void *data, Expr term) {
    Enumeration *e = data;
    const SynthesisLimits *limits = &e->synthesis->limits;
    if (!is_rule_operator(term))
        return;
    int most = type_is_bool(term->type) ? limits->condition_operators : limits->number_operators;
    for (int operators = 1; operators <= most; operators++) {
        Exprs list = {0};
        enumerate(e, term, operators, true, &list);
        for (size_t i = 0; i < list.length; i++)
            add_candidate(e, list.data[i]);
    }
}

/* Orders the smallest first, then the most frequent, then in the order found. */
static int compare(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    if (x->operators != y->operators)
        return x->operators - y->operators;
    if (x->goals != y->goals)
        return y->goals - x->goals;
    return expr_compare(x->left, y->left);
}

void candidates_enumerate(Synthesis *s) {
    Arena *scratch = arena_create(&s->context->memory);
    Enumeration e = {.synthesis = s, .scratch = scratch, .pool = s->pool};
    e.fragments = map_create(scratch);
    e.cuts = map_create(scratch);
    e.known = map_create(scratch);
    for (size_t i = 0; i < s->goals.length; i++) {
        e.goal = (int)i;
        if (s->goals.data[i].stuck)
            expr_visit(scratch, s->goals.data[i].stuck, visit, &e);
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->candidates.length; i++)
        if (s->candidates.data[i].operators <= SMALL ||
            s->candidates.data[i].goals >= s->limits.goals)
            s->candidates.data[kept++] = s->candidates.data[i];
    s->candidates.length = kept;
    if (kept > 0) /* qsort takes no null */
        qsort(s->candidates.data, kept, sizeof *s->candidates.data, compare);
    arena_destroy(scratch);
}
