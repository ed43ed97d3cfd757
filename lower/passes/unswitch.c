/* unswitch.c -- PASS_UNSWITCH: moves a predicate out of a loop in whose iterations it is the same.
 *
 *     for y in .. do                                  for y in .. do
 *       for x in .. do                                  if y < 0 || h <= y then predicate
 *         let x' in .. = .. in                            for x in .. do
 *           if x' < w then guard                            let x' in .. = .. in
 *             if y < 0 || h <= y then predicate     =>        if x' < w then guard
 *               f[x', y] <- 0                                   f[x', y] <- 0
 *
 * A choice among stores (bounds/arms.c) takes the loops along, once for each arm:
 *
 *     for x in .. do                                  if p then specialize
 *       if p then specialize                            for x in .. do
 *         out[x] <- f[x]                       =>         out[x] <- f[x]
 *       else                                          else
 *         out[x] <- g[x]                                for x'2 in .. do
 *                                                         out[x'2] <- g[x'2]
 *
 * The pass makes such a choice of a select, too, if the innermost loop does not change its condition
 * and an arm is long.  Otherwise vector code computes both arms in all lanes:
 *
 *     for c in (0, 3) do                            for c in (0, 3) do
 *       for x in .. do                                if c == 0 then specialize
 *         out[x, c] <- select(c == 0, .., ..)    =>     for x in .. do
 *                                                         out[x, c] <- ..
 *                                                     else ..
 *
 * Guards stay: they depend on the loop's variable, and PASS_PARTITION treats them.  A predicate that
 * has moved out costs one test a row: so the first stage of a nest of equations
 * (schedule/recurrence/needed.c) costs what it writes.
 *
 * The predicate goes around the outermost loop that fulfils two conditions.  Together with the lets
 * and ifs down to the predicate, it holds nothing else.  It binds nothing that the condition
 * mentions.
 *
 * Why it is sound.  The condition reads no memory, so it has one value wherever its variables do.
 * Operators are total, so it may be evaluated even if the loop is empty or an inner test fails.  If
 * it is false, none of the iterations did anything.  In each copy of a choice the selects on the
 * condition have the value that it decides (ir/choice.c).
 */
#include "lower/lower.h"

#include "ir/choice.h"
#include "ir/extern.h"
#include "simplify/simplify.h"

/* ---- choices of a store ---- */

/* At most so many copies of a store; at least so many nodes of an arm; at most so many of a condition. */
enum { MOST_COPIES = 4, LEAST_ARM = 12, LARGEST_CONDITION = 16 };

typedef struct UnswitchedChoice {
    Program *program;
    Arena *arena;
    const Stmt *store;
    Expr condition, outside; /* of the outermost select so far; the same over outer variables */
    Vec(Stmt *) stores;
} UnswitchedChoice;

/* Returns the condition without the variable of an unrolled loop, if it is the same in all its
 * iterations: (xo*4 + xu)/4 is xo. */
static Expr without_copies(Program *program, Arena *arena, const Stmt *loop, Expr condition) {
    int64_t minimum, length;
    if (!expr_constant_integer(loop->loop.interval.minimum, &minimum) ||
        !expr_constant_integer(loop->loop.interval.length, &length))
        return NULL;
    Simplifier *simplifier = simplifier_create(program->pool, arena);
    simplifier_learn_range(simplifier, loop->loop.binder,
                           (ConstantInterval){true, true, minimum, minimum + length - 1});
    condition = simplify(simplifier, condition);
    return expr_mentions(arena, condition, loop->loop.binder) ? NULL : condition;
}

/* Returns the condition without the lets between, if it stays the same in the iterations of the loop
 * next to the store; else null.  What the copies of an unrolled loop decide is a constant anyway. */
static Expr outside_loop(Program *program, Arena *arena, const Stmt *store, Expr condition) {
    bool has_loop = false;
    for (const Stmt *stmt = stmt_parent(store); stmt; stmt = stmt_parent(stmt)) {
        Symbol binder = stmt_binder(stmt);
        bool is_bound = binder && expr_mentions(arena, condition, binder);
        if (is_bound && stmt->kind == STMT_FOR) {
            if (stmt->loop.traversal != TRAVERSE_UNROLLED)
                return has_loop ? condition : NULL;
            condition = without_copies(program, arena, stmt, condition);
            if (!condition || expr_is_constant(condition))
                return NULL;
        } else if (is_bound && (stmt->kind != STMT_LET || expr_has_access(stmt->let.value))) {
            return NULL;
        } else if (is_bound) {
            condition = expr_substitute(program->pool, arena, condition, binder, stmt->let.value);
        }
        if (condition->tree_size > LARGEST_CONDITION)
            return NULL;
        has_loop |= stmt->kind == STMT_FOR;
    }
    return has_loop ? condition : NULL;
}

static void find_condition(void *data, Expr node) {
    UnswitchedChoice *search = data;
    if (node->op != OP_SELECT)
        return;
    Expr condition = node->arguments[0];
    bool is_long = expr_exceeds(search->arena, node->arguments[1], LEAST_ARM) ||
                   expr_exceeds(search->arena, node->arguments[2], LEAST_ARM);
    if (!is_long || expr_has_access(condition) || expr_is_constant(condition) ||
        condition->tree_size > LARGEST_CONDITION)
        return;
    Expr outside = outside_loop(search->program, search->arena, search->store, condition);
    if (outside) {
        search->condition = condition;
        search->outside = outside;
    }
}

static void part(UnswitchedChoice *search, Stmt *whole) {
    Vec(Stmt *) stores = {0};
    vec_push(search->arena, &stores, whole);
    for (size_t next = 0; next < stores.length && stores.length < 2 * MOST_COPIES - 1; next++) {
        search->store = stores.data[next];
        search->condition = NULL;
        for (int c = 0; c < whole->store.func->components; c++)
            expr_visit(search->arena, search->store->store.values[c], find_condition, search);
        if (!search->condition)
            continue;
        Stmt *branch =
            choice_part(search->program, search->arena, stores.data[next], search->condition);
        vec_push(search->arena, &stores, branch->branch.body.first);
        vec_push(search->arena, &stores, branch->branch.otherwise.first);
    }
}

/* Only stores of pure definitions: a branch in an update might keep sums out of registers. */
static bool find_stores(void *data, Stmt *stmt) {
    UnswitchedChoice *search = data;
    if (stmt->kind == STMT_STORE && stmt->store.stage == 0 && !stmt->store.is_atomic &&
        !stmt->previous && !stmt->next && !stmt_is_extern(stmt))
        vec_push(search->arena, &search->stores, stmt);
    return true;
}

static void part_stores(Program *program, Arena *arena) {
    UnswitchedChoice search = {.program = program, .arena = arena};
    block_visit(&program->body, &(StmtVisitor){.data = &search, .enter = find_stores});
    for (size_t i = 0; i < search.stores.length; i++)
        part(&search, search.stores.data[i]);
}

/* ---- branches ---- */

typedef struct BranchSearch {
    Arena *arena;
    Vec(Stmt *) branches; /* outer ones before those in them */
} BranchSearch;

static bool is_predicate(const Stmt *branch) {
    return branch->branch.role == IF_PREDICATE && !branch->branch.otherwise.first;
}

/* Is it a choice among stores of one stage? */
static bool is_choice(const Stmt *branch) {
    const Stmt *first = branch->branch.body.first, *other = branch->branch.otherwise.first;
    return branch->branch.role == IF_SPECIALIZE && stmt_stage(branch) && first && other &&
           (first->kind == STMT_STORE || first->kind == STMT_IF) &&
           (other->kind == STMT_STORE || other->kind == STMT_IF);
}

static bool find_branches(void *data, Stmt *stmt) {
    BranchSearch *search = data;
    if (stmt->kind == STMT_IF && (is_predicate(stmt) || is_choice(stmt)) &&
        !expr_has_access(stmt->branch.condition))
        vec_push(search->arena, &search->branches, stmt);
    return true;
}

/* May the condition move around `stmt`, given that it may move around all that `stmt` holds? */
static bool lets_out(Arena *arena, const Stmt *stmt, Expr condition) {
    switch (stmt->kind) {
    case STMT_FOR:
        return !expr_mentions(arena, condition, stmt->loop.binder);
    case STMT_LET:
        return !expr_mentions(arena, condition, stmt->let.binder);
    case STMT_IF:
        return !stmt->branch.otherwise.first;
    case STMT_NOP:
    case STMT_ALLOCATE:
    case STMT_COMPUTE:
    case STMT_STORE:
    case STMT_ASSERT:
    case STMT_LABEL:
    case STMT_PREFETCH:
        return false;
    }
    return false;
}

/* Returns the outermost loop around which the condition may move; null if there is none. */
static Stmt *find_loop(Arena *arena, const Stmt *branch) {
    Stmt *loop = NULL;
    const Stmt *inside = branch;
    for (Stmt *stmt = stmt_parent(branch); stmt; stmt = stmt_parent(stmt)) {
        if (inside->previous || inside->next || !lets_out(arena, stmt, branch->branch.condition))
            break;
        if (stmt->kind == STMT_FOR)
            loop = stmt;
        inside = stmt;
    }
    return loop;
}

/* Returns a copy of the loop with the other arm in place of the branch. */
static Stmt *copy_other_arm(Program *program, Stmt *branch, const Stmt *loop, Block *held) {
    Block used = {0};
    block_move_all(held, &branch->branch.otherwise);
    Stmt *copy = stmt_copy(program, loop);
    block_move_all(&used, held);
    return copy;
}

/* Returns what the other arm has become; null if there is none. */
static Stmt *move_around(Program *program, Stmt *branch, Stmt *loop) {
    Block *held = branch->block;
    stmt_unlink(branch);
    Stmt *copy =
        branch->branch.otherwise.first ? copy_other_arm(program, branch, loop, held) : NULL;
    block_move_all(held, &branch->branch.body);
    stmt_insert_before(loop, branch);
    stmt_unlink(loop);
    block_append(&branch->branch.body, loop);
    if (copy)
        block_append(&branch->branch.otherwise, copy);
    return copy;
}

/* The other arm of a choice is copied: branches in the original are no longer part of the program. */
static bool is_gone(const Program *program, const Stmt *branch) {
    while (stmt_parent(branch))
        branch = stmt_parent(branch);
    return branch->block != &program->body;
}

void lower_unswitch(Program *program, Arena *arena) {
    part_stores(program, arena);
    BranchSearch search = {.arena = arena};
    StmtVisitor searching = {.data = &search, .enter = find_branches};
    block_visit(&program->body, &searching);
    for (size_t i = 0; i < search.branches.length; i++) {
        Stmt *branch = search.branches.data[i];
        Stmt *loop = is_gone(program, branch) ? NULL : find_loop(arena, branch);
        if (loop && move_around(program, branch, loop))
            block_visit(&branch->branch.otherwise, &searching);
    }
}
