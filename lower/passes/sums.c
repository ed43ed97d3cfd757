/* sums.c -- PASS_SUMS: makes one sum of what the iterations of an unrolled loop add to one element.
 *
 *     for j in (0, 4) unrolled reduction do             for x in (0, 16) vectorized do
 *       for x in (0, 16) vectorized do             =>     f[x] <- f[x] + p(0, x) + p(1, x)
 *         f[x] <- f[x] + p(j, x)                                    + p(2, x) + p(3, x)
 *
 * So code generation sees products of narrow numbers beside each other.  Machines compute several
 * of these at once (codegen/idioms/dot.c).  The element is read and written once.
 *
 * Which loops: unrolled ones of 2 to MOST_TERMS iterations whose body is one store.  The store
 * stands inside loops of pure variables, lets and ifs that depend on neither the loop's variable
 * nor memory.  It adds a term to an element of 32-bit integers.  The term contains a product or a
 * widened number.
 *
 * Why it is sound.  The element is the same in all iterations, and no term reads the func.  The
 * loops inside are pure (Def 8.3): each of their iterations has its own element, to which the same
 * numbers are added in the same order.  No other statement comes between.
 */
#include "lower/lower.h"

#include "simplify/simplify.h"

enum { MOST_TERMS = 16, LARGEST_SUM = 2000 }; /* nodes as a tree */

typedef struct Summing {
    Program *program;
    Arena *arena;
    Simplifier *simplifier; /* null before the first sum */
    Vec(Stmt *) loops;      /* in program order */
} Summing;

static bool mentions(const Summing *summing, Expr expr, const Stmt *loop) {
    return expr_mentions(summing->arena, expr, loop->loop.binder);
}

static bool is_fixed(const Summing *summing, Expr expr, const Stmt *loop) {
    return !mentions(summing, expr, loop) && !expr_has_access(expr);
}

/* Returns the only statement inside; null if there are none or several, or if it may not be
 * passed. */
static Stmt *step_inside(const Summing *summing, Stmt *stmt, const Stmt *loop) {
    bool is_plain = false;
    switch (stmt->kind) {
    case STMT_FOR:
        is_plain = stmt == loop || (stmt->loop.pure && stmt->loop.traversal != TRAVERSE_PARALLEL &&
                                    is_fixed(summing, stmt->loop.interval.minimum, loop) &&
                                    is_fixed(summing, stmt->loop.interval.length, loop));
        break;
    case STMT_LET:
        is_plain = is_fixed(summing, stmt->let.value, loop);
        break;
    case STMT_IF:
        is_plain = !stmt->branch.otherwise.first && is_fixed(summing, stmt->branch.condition, loop);
        break;
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_PREFETCH:
    case STMT_COMPUTE:
    case STMT_LABEL:
        break;
    }
    Stmt *inside = is_plain ? stmt_body(stmt)->first : NULL;
    return inside && !inside->next ? inside : NULL;
}

/* Returns a read of the element that the store writes. */
static Expr own_element(const Summing *summing, const Stmt *store) {
    const FuncShape *func = store->store.func;
    return expr_access(summing->program->pool, func->name, 0, store->store.values[0]->type,
                       store->store.indices, func->dimensions);
}

/* Appends the summands of a sum in their order. */
static void take_summands(const Summing *summing, Expr sum, Exprs *summands) {
    Exprs pending = {0};
    vec_push(summing->arena, &pending, sum);
    while (pending.length) {
        Expr node = pending.data[--pending.length];
        if (node->op != OP_ADD) {
            vec_push(summing->arena, summands, node);
            continue;
        }
        vec_push(summing->arena, &pending, node->arguments[1]);
        vec_push(summing->arena, &pending, node->arguments[0]);
    }
}

static bool reads(const Summing *summing, Expr expr, Symbol func) {
    Exprs accesses = {0};
    expr_accesses(summing->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->name == func)
            return true;
    return false;
}

static bool is_narrow(Expr term) {
    return term->op == OP_MUL || term->op == OP_WIDENING_MUL || term->op == OP_CAST;
}

/* Returns the term that the store adds to its element; null if the store does anything else. */
static Expr find_term(const Summing *summing, const Stmt *store) {
    const FuncShape *func = store->store.func;
    Expr value = store->store.values[0], own, term = NULL;
    bool found = false, is_dot = false;
    Exprs summands = {0};
    if (func->components != 1 || value->op != OP_ADD || !type_is_machine_integer(value->type) ||
        value->type.bits != 32 || value->tree_size > LARGEST_SUM)
        return NULL;
    own = own_element(summing, store);
    take_summands(summing, value, &summands);
    for (size_t i = 0; i < summands.length; i++) {
        Expr summand = summands.data[i];
        if (summand == own && !found) {
            found = true;
            continue;
        }
        if (reads(summing, summand, func->name))
            return NULL;
        is_dot |= is_narrow(summand);
        term = term ? expr_add(summing->program->pool, term, summand) : summand;
    }
    return found && is_dot ? term : NULL;
}

static void sum_up(Summing *summing, Stmt *loop, Stmt *store, Expr term, int64_t length) {
    Pool *pool = summing->program->pool;
    if (!summing->simplifier)
        summing->simplifier = simplifier_create(pool, summing->arena);
    Expr sum = own_element(summing, store), first = loop->loop.interval.minimum;
    for (int64_t i = 0; i < length; i++) {
        Expr at = expr_add(pool, first, expr_index(pool, i));
        Expr summand = expr_substitute(pool, summing->arena, term, loop->loop.binder, at);
        sum = expr_add(pool, sum, simplify(summing->simplifier, summand));
    }
    store->store.values[0] = sum;
    Stmt *inside = loop->loop.body.first;
    stmt_unlink(inside);
    stmt_insert_before(loop, inside);
    stmt_unlink(loop);
}

/* Makes one sum of the loop, if its conditions hold. */
static void look_at(Summing *summing, Stmt *loop) {
    int64_t length;
    if (loop->loop.traversal != TRAVERSE_UNROLLED || loop->loop.rare ||
        !expr_constant_integer(loop->loop.interval.length, &length) || length < 2 ||
        length > MOST_TERMS)
        return;
    Stmt *store = loop;
    while (store && store->kind != STMT_STORE)
        store = step_inside(summing, store, loop);
    if (!store)
        return;
    for (int d = 0; d < store->store.func->dimensions; d++)
        if (!is_fixed(summing, store->store.indices[d], loop))
            return;
    Expr term = find_term(summing, store);
    if (term && term->tree_size * (uint32_t)length <= LARGEST_SUM)
        sum_up(summing, loop, store, term, length);
}

static bool collect(void *data, Stmt *stmt) {
    Summing *summing = data;
    if (stmt->kind == STMT_FOR)
        vec_push(summing->arena, &summing->loops, stmt);
    return true;
}

/* Inner loops come first, so a nest of unrolled loops becomes one sum. */
void lower_sums(Program *program, Arena *arena) {
    Summing summing = {.program = program, .arena = arena};
    StmtVisitor visitor = {.data = &summing, .enter = collect};
    block_visit(&program->body, &visitor);
    for (size_t i = summing.loops.length; i-- > 0;)
        look_at(&summing, summing.loops.data[i]);
}
