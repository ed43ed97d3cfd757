/* invert.c -- the iteration of a stage's loops that reaches a point: splits and fuses inverted.
 *
 *     v = m + vo*k + vi               vo = (p - m) / k          vi = (p - m) % k
 *     v = min(m + vo*k, last) + vi    vo = max((p - m) / k, 0)  vi = p - min(m + vo*k, last)
 *     a = m1 + v / n, b = m2 + v % n  v = (pa - m1)*n + (pb - m2)
 *     i = t - j, where j is a root    t = i + j
 *
 * A point is given by its distance from the beginning of its dimension: p - m is that offset.
 *
 * No proof depends on these formulas.  The obligation itself says that the iteration's loops run
 * it, that its guards hold and that it reaches the point.  A wrong witness proves nothing.
 */
#include "checkers/certify/internal.h"

enum { MOST_TERMS = 8 };

/* coefficient * atom; the atom mentions the nest's variables. */
typedef struct WitnessTerm {
    Expr coefficient, atom;
} WitnessTerm;

/* The knowledge of v / divisor and v % divisor. */
typedef struct QuotientPart {
    Expr value, divisor, quotient, remainder;
} QuotientPart;
typedef Vec(QuotientPart) QuotientParts;

typedef struct WitnessEquation {
    Expr left, right; /* left mentions the nest's variables; right does not */
} WitnessEquation;

typedef struct Solving {
    Witness *witness;
    Pool *pool;
    Arena *arena;
    Vec(WitnessEquation) open;
    QuotientParts parts;
} Solving;

static bool mentions_nest(const Solving *solving, Expr expr) {
    return witness_mentions(solving->witness, expr);
}

static void equate(Solving *solving, Expr left, Expr right) {
    vec_push(solving->arena, &solving->open, (WitnessEquation){left, right});
}

/* ---- sums ---- */

typedef struct Signed {
    Expr expr;
    bool negative;
} Signed;

/* Returns a - b, where a may be b + c. */
static Expr minus(Pool *pool, Expr a, Expr b) {
    if (a->op == OP_ADD && a->arguments[0] == b)
        return a->arguments[1];
    if (a->op == OP_ADD && a->arguments[1] == b)
        return a->arguments[0];
    return expr_sub(pool, a, b);
}

/* Returns the terms of `left` that mention the nest's variables; subtracts the others from
 * `*right`.  -1 if there are too many. */
static int take_terms(Solving *solving, Expr left, Expr *right, WitnessTerm *terms) {
    Pool *pool = solving->pool;
    Vec(Signed) stack = {0};
    int count = 0;
    vec_push(solving->arena, &stack, (Signed){left, false});
    while (stack.length) {
        Signed top = stack.data[--stack.length];
        Expr e = top.expr, one = expr_index(pool, top.negative ? -1 : 1);
        if (!mentions_nest(solving, e)) {
            *right = top.negative ? expr_add(pool, *right, e) : minus(pool, *right, e);
        } else if (e->op == OP_ADD || e->op == OP_SUB) {
            vec_push(solving->arena, &stack,
                     (Signed){e->arguments[1], top.negative != (e->op == OP_SUB)});
            vec_push(solving->arena, &stack, (Signed){e->arguments[0], top.negative});
        } else if (count == MOST_TERMS) {
            return -1;
        } else if (e->op == OP_MUL && !top.negative && !mentions_nest(solving, e->arguments[1])) {
            terms[count++] = (WitnessTerm){e->arguments[1], e->arguments[0]};
        } else if (e->op == OP_MUL && !top.negative && !mentions_nest(solving, e->arguments[0])) {
            terms[count++] = (WitnessTerm){e->arguments[0], e->arguments[1]};
        } else {
            terms[count++] = (WitnessTerm){one, e};
        }
    }
    return count;
}

static bool is_number(Expr expr, int64_t value) {
    int64_t number;
    return expr_constant_integer(expr, &number) && number == value;
}

/* Is it a loop that runs once? */
static bool runs_once(const Solving *solving, Expr atom) {
    const Stmt *stmt = witness_binder(solving->witness, atom);
    return stmt && stmt->kind == STMT_FOR && is_number(stmt->loop.interval.length, 1);
}

/* Does `a` make larger steps than `b`?  A factor that is no number is a larger step. */
static bool is_outer(const Solving *solving, const WitnessTerm *a, const WitnessTerm *b) {
    int64_t x, y;
    bool a_known = expr_constant_integer(a->coefficient, &x),
         b_known = expr_constant_integer(b->coefficient, &y);
    if (!a_known || !b_known)
        return b_known && !a_known;
    return x > y || (x == y && !runs_once(solving, a->atom) && runs_once(solving, b->atom));
}

static void sort_terms(const Solving *solving, WitnessTerm *terms, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && is_outer(solving, &terms[j], &terms[j - 1]); j--) {
            WitnessTerm swapped = terms[j];
            terms[j] = terms[j - 1];
            terms[j - 1] = swapped;
        }
}

/* Solves c1*a1 + c2*a2 + .. = right, outermost first, by quotients and remainders. */
static void solve_sum(Solving *solving, const WitnessTerm *terms, int count, Expr right) {
    Pool *pool = solving->pool;
    for (int i = 0; i < count; i++) {
        Expr c = terms[i].coefficient;
        if (is_number(c, 1) && i + 1 == count) {
            equate(solving, terms[i].atom, right);
        } else if (is_number(c, -1) && count == 1) {
            equate(solving, terms[i].atom, expr_unary(pool, OP_NEG, right));
        } else {
            equate(solving, terms[i].atom, expr_div(pool, right, c));
            right = expr_mod(pool, right, c);
        }
    }
}

/* Solves a wavefront's i = t - j, where j has its own point: t = i + j. */
static int take_known(Solving *solving, WitnessTerm *terms, int count, Expr *right) {
    const Witness *witness = solving->witness;
    int rest = 0;
    for (int i = 0; i < count; i++) {
        const Root *known = NULL;
        for (size_t r = 0; is_number(terms[i].coefficient, -1) && r < witness->roots.length; r++)
            if (terms[i].atom->op == OP_VARIABLE &&
                terms[i].atom->name == witness->roots.data[r].binder)
                known = &witness->roots.data[r];
        if (known)
            *right = expr_add(solving->pool, *right, known->point);
        else
            terms[rest++] = terms[i];
    }
    return count < 0 ? count : rest;
}

/* Solves min(m + vo*k, last) + vi = right. */
static bool solve_shifted(Solving *solving, const WitnessTerm *least, const WitnessTerm *inner,
                          Expr right) {
    Pool *pool = solving->pool;
    Expr a = least->atom->arguments[0], b = least->atom->arguments[1];
    Expr block = mentions_nest(solving, a) ? a : b, rest = right;
    WitnessTerm term[MOST_TERMS];
    if (take_terms(solving, block, &rest, term) != 1 || term[0].atom->op != OP_VARIABLE)
        return false;
    Expr outer = expr_max(pool, expr_div(pool, rest, term[0].coefficient), expr_index(pool, 0));
    Map at = map_create(solving->arena);
    map_put(&at, term[0].atom, outer);
    equate(solving, term[0].atom, outer);
    equate(solving, inner->atom,
           expr_sub(pool, right, lift_replace(pool, solving->arena, &at, least->atom)));
    return true;
}

/* ---- fuses ---- */

static void solve_part(Solving *solving, Expr node, Expr right) {
    Pool *pool = solving->pool;
    QuotientPart *part = NULL;
    for (size_t i = 0; i < solving->parts.length; i++)
        if (solving->parts.data[i].value == node->arguments[0] &&
            solving->parts.data[i].divisor == node->arguments[1])
            part = &solving->parts.data[i];
    if (!part) {
        vec_push(solving->arena, &solving->parts,
                 (QuotientPart){.value = node->arguments[0], .divisor = node->arguments[1]});
        part = &solving->parts.data[solving->parts.length - 1];
    }
    *(node->op == OP_DIV ? &part->quotient : &part->remainder) = right;
    if (part->quotient && part->remainder)
        equate(solving, part->value,
               expr_add(pool, expr_mul(pool, part->quotient, part->divisor), part->remainder));
}

/* ---- one equation ---- */

static void solve_variable(Solving *solving, Expr variable, Expr right) {
    const Stmt *stmt = witness_binder(solving->witness, variable);
    if (stmt->kind == STMT_LET && !map_get(&solving->witness->solved, variable->name))
        map_put(&solving->witness->solved, variable->name, right);
    if (stmt->kind == STMT_LET)
        equate(solving, stmt->let.value, right);
    else if (!map_get(&solving->witness->iteration, variable->name))
        map_put(&solving->witness->iteration, variable->name, right);
}

static void solve(Solving *solving, WitnessEquation equation) {
    WitnessTerm terms[MOST_TERMS];
    Expr left = equation.left, right = equation.right;
    if (witness_binder(solving->witness, left)) {
        solve_variable(solving, left, right);
        return;
    }
    if ((left->op == OP_DIV || left->op == OP_MOD) && !mentions_nest(solving, left->arguments[1])) {
        solve_part(solving, left, right);
        return;
    }
    int count = take_terms(solving, left, &right, terms);
    count = take_known(solving, terms, count, &right);
    if (count < 1 || (count == 1 && terms[0].atom == left))
        return;
    sort_terms(solving, terms, count);
    for (int i = 0; count == 2 && i < 2; i++)
        if (terms[i].atom->op == OP_MIN) {
            solve_shifted(solving, &terms[i], &terms[1 - i], right);
            return;
        }
    solve_sum(solving, terms, count, right);
}

/* ---- roots ---- */

/* Returns the expression with the nest's lets expanded. */
static Expr without_lets(const Witness *witness, Expr expr) {
    CertifyWalk *walk = witness->walk;
    for (size_t i = witness->nest->path.length; i-- > 0;) {
        const Stmt *let = witness->nest->path.data[i];
        if (let->kind == STMT_LET)
            expr = expr_substitute(walk->pool, walk->arena, expr, let->let.binder, let->let.value);
    }
    return expr;
}

/* Is the expression made, through lets, of pure loops of the nest only? */
static bool is_of_pure_loops(const Witness *witness, Expr expr) {
    Exprs variables = expr_variables_of(witness->walk->arena, without_lets(witness, expr));
    for (size_t i = 0; i < variables.length; i++) {
        const Stmt *loop = witness_binder(witness, variables.data[i]);
        if (loop && !loop->loop.pure)
            return false;
    }
    return true;
}

/* Is the index the variable of the dimension, as the text names it? */
static bool is_own_variable(const Witness *witness, int k) {
    Expr index = witness->nest->store->store.indices[k];
    return witness_binder(witness, index) &&
           binder_is_of(index->name, witness->nest->shape->variables[k]) &&
           is_of_pure_loops(witness, index);
}

/* Is index k, `x + 1` beside `x`, made of the loops of index j alone?  A fuse makes two dimensions
 * of one loop, but by division. */
static bool follows(const Witness *witness, int k, int j) {
    CertifyWalk *walk = witness->walk;
    const Expr *indices = witness->nest->store->store.indices;
    Expr index = without_lets(witness, indices[k]), other = without_lets(witness, indices[j]);
    Exprs variables = expr_variables_of(walk->arena, index);
    if (expr_holds(index, HOLDS_DIVISION))
        return false;
    for (size_t i = 0; i < variables.length; i++)
        if (witness_binder(witness, variables.data[i]) &&
            !expr_mentions(walk->arena, other, variables.data[i]->name))
            return false;
    return true;
}

/* Is the dimension pure?  In a first stage every dimension is, whatever its index: the stage writes
 * the whole compute region.  Of an update in a text this is a guess, where an index is no variable
 * of its dimension. */
static bool is_pure(const Witness *witness, const Stage *stage, int k) {
    Expr index = witness->nest->store->store.indices[k];
    if (witness->nest->stage == 0)
        return true;
    if (stage)
        return stage->pure[k];
    if (witness_binder(witness, index))
        return is_own_variable(witness, k);
    if (expr_has_access(index) || !witness_mentions(witness, index))
        return false;
    for (int j = 0; j < witness->nest->shape->dimensions; j++)
        if (j != k && (j < k || is_own_variable(witness, j)) && follows(witness, k, j))
            return false;
    return is_of_pure_loops(witness, index);
}

static void add_root(Witness *witness, Root root, Symbol variable) {
    CertifyWalk *walk = witness->walk;
    Symbol name = symbol_fresh(&walk->pool->context->symbols,
                               arena_format(walk->arena, "%s.offset.%s",
                                            witness->nest->shape->name->text, variable->text));
    root.offset = expr_variable(walk->pool, name, INDEX);
    /* In a wavefront's t = i + j the range of j may depend on t. */
    root.base = witness_mentions(witness, root.range.minimum) ? expr_index(walk->pool, 0)
                                                              : root.range.minimum;
    root.point = expr_add(walk->pool, root.base, root.offset);
    vec_push(walk->arena, &witness->roots, root);
}

/* Is it j in a wavefront's i = t - j, which has its own point beside i? */
static bool is_taken_away(Solving *solving, Expr value, Symbol binder) {
    WitnessTerm terms[MOST_TERMS];
    Expr rest = expr_index(solving->pool, 0);
    int count = take_terms(solving, value, &rest, terms);
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (!expr_mentions(solving->arena, terms[i].atom, binder))
            continue;
        if (terms[i].atom->op != OP_VARIABLE || !is_number(terms[i].coefficient, -1))
            return false;
        found = count > 1;
    }
    return found;
}

/* Is the binder part of the value of a split or fuse, or of the index of a pure dimension? */
static bool is_used_up(Solving *solving, Symbol binder) {
    const Witness *witness = solving->witness;
    for (size_t i = 0; i < witness->roots.length; i++)
        if (witness->roots.data[i].index &&
            expr_mentions(witness->walk->arena, witness->roots.data[i].index, binder))
            return true;
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        if (stmt->kind == STMT_LET && stmt->let.tail != TAIL_NONE &&
            !derived_is(witness, stmt->let.binder) &&
            expr_mentions(witness->walk->arena, stmt->let.value, binder) &&
            !is_taken_away(solving, stmt->let.value, binder))
            return true;
    }
    return false;
}

/* Is the let another name for a loop that a split uses? `unroll(f.y, n)` makes such: y_u = y_u_u + 0. A
 * variable of the algorithm is none. */
static bool is_alias(const Solving *solving, const Stage *stage, const Stmt *let) {
    const Witness *witness = solving->witness;
    Expr value = let->let.value, loop = value;
    if (value->op == OP_ADD)
        loop = value->arguments[expr_is_constant(value->arguments[0]) ? 1 : 0];
    bool is_shifted = value->op == OP_ADD && (expr_is_constant(value->arguments[0]) ||
                                              expr_is_constant(value->arguments[1]));
    const Stmt *binder = is_shifted ? witness_binder(witness, loop) : NULL;
    if (!stage || !binder || binder->kind != STMT_FOR)
        return false;
    for (size_t i = 0; i < stage->reduction.length; i++)
        if (binder_is_of(let->let.binder, stage->reduction.data[i].variable))
            return false;
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *other = witness->nest->path.data[i];
        if (other != let && other->kind == STMT_LET && other->let.tail != TAIL_NONE &&
            expr_mentions(witness->walk->arena, other->let.value, loop->name))
            return true;
    }
    return false;
}

static void add_reduction(Solving *solving, const Stage *stage, const Stmt *stmt) {
    Witness *witness = solving->witness;
    bool is_loop = stmt->kind == STMT_FOR;
    if (!is_loop && (stmt->kind != STMT_LET || stmt->let.tail == TAIL_NONE))
        return;
    Symbol binder = stmt_binder(stmt);
    if (is_used_up(solving, binder) || derived_is(witness, binder) ||
        (!is_loop && is_alias(solving, stage, stmt)))
        return;
    Extent range = is_loop ? stmt->loop.interval : stmt->let.domain;
    Root root = {
        .binder = binder,
        .dimension = -1,
        .range = {without_lets(witness, range.minimum), without_lets(witness, range.length)},
        .is_loop = is_loop};
    Symbol variable = binder;
    for (size_t i = 0; stage && i < stage->reduction.length; i++)
        if (binder_is_of(binder, stage->reduction.data[i].variable)) {
            root.range = reduction_iterations(
                witness->walk->pool, &stage->reduction.data[i],
                walk_state(witness->walk, witness->nest->shape->name)->compute);
            root.is_loop = false;
            variable = stage->reduction.data[i].variable;
        }
    add_root(witness, root, variable);
}

static void find_roots(Solving *solving) {
    Witness *witness = solving->witness;
    const StageNest *nest = witness->nest;
    const Stage *stage = witness_stage(witness);
    const FuncKnowledge *state = walk_state(witness->walk, nest->shape->name);
    for (int k = 0; k < nest->shape->dimensions; k++)
        if (is_pure(witness, stage, k)) {
            Expr index = nest->store->store.indices[k];
            witness->is_guessed |= nest->stage > 0 && !stage && !witness_binder(witness, index);
            add_root(witness,
                     (Root){.binder = witness_binder(witness, index) ? index->name : NULL,
                            .index = index,
                            .dimension = k,
                            .range = state->compute[k]},
                     nest->shape->variables[k]);
        }
    if (nest->stage > 0)
        derived_find(witness, stage);
    for (size_t i = 0; i < nest->path.length && nest->stage > 0; i++)
        add_reduction(solving, stage, nest->path.data[i]);
}

/* ---- the whole witness ---- */

/* A loop without an equation is at its first iteration. */
static void complete(Witness *witness) {
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        if (stmt->kind != STMT_FOR || map_get(&witness->iteration, stmt->loop.binder))
            continue;
        witness->is_partial |= !stmt->loop.pure && !witness_stage(witness);
        map_put(&witness->iteration, stmt->loop.binder,
                witness_at(witness, stmt->loop.interval.minimum));
    }
}

Witness witness_find(CertifyWalk *walk, const StageNest *nest) {
    Arena *arena = walk->arena;
    Witness witness = {.walk = walk,
                       .nest = nest,
                       .iteration = map_create(arena),
                       .solved = map_create(arena),
                       .replaced = map_create(arena),
                       .stepped = map_create(arena),
                       .is_bound = map_create(arena)};
    for (size_t i = 0; i < nest->path.length; i++) {
        Symbol binder = stmt_binder(nest->path.data[i]);
        if (binder)
            map_put(&witness.is_bound, binder, nest->path.data[i]);
    }
    Solving solving = {.witness = &witness, .pool = walk->pool, .arena = arena};
    find_roots(&solving);
    for (size_t i = witness.roots.length; i-- > 0;) {
        const Root *root = &witness.roots.data[i];
        Expr left = root->index ? root->index : expr_variable(walk->pool, root->binder, INDEX);
        equate(&solving, left, root->point);
    }
    while (solving.open.length)
        solve(&solving, solving.open.data[--solving.open.length]);
    complete(&witness);
    return witness;
}
