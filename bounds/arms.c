/* arms.c -- what only one arm of a choice needs is computed only where the choice takes that arm.
 *
 *     out[x] <- select(p, f[x], g[x])     ->     if p then specialize
 *                                                  out[x] <- f[x]
 *                                                else
 *                                                  out[x] <- g[x]
 *
 * It takes three steps:
 *
 *   1. arms_part makes a branch of such a store.  The condition must be the same in a whole run of
 *      one of the funcs that only one arm reads: it reads no memory, and nothing between the store
 *      and the func's compute statement binds what it mentions.  Parts of a condition count (p of
 *      `p && q`).
 *   2. arms_condition says when anything of a realization is read: an `or` over its readers.  Of a
 *      reader the conditions of the branches around the read count, a predicate of startup
 *      expressions (not for the indices of its write, which are evaluated before it), and the
 *      reader's own condition.  So producers of f are left out with f.
 *   3. Where the condition fails, the region is empty, or an `if` keeps the stages from running
 *      (required_region.c, fill.c).  Memory has no coordinates then (oracle.c).
 *
 * Why it is sound.  In each branch every select on the condition has one value, whatever the other
 * arm holds; the store writes what it wrote.  Nothing is left out that a statement reads which runs.
 *
 * The size of the program stays linear: a store becomes at most MOST_COPIES stores, and none where
 * some func is read in any case.
 */
#include "bounds/inference.h"

#include "decide/decide.h"
#include "ir/choice.h"

enum { MOST_COPIES = 16, MOST_CHOICES = 12, LARGEST_CHOICE = 64 };

/* ---- which conditions ---- */

static bool is_joint(Expr node) {
    return node->op == OP_AND || node->op == OP_OR || node->op == OP_NOT;
}

typedef struct ChoiceSearch {
    Arena *arena;
    Exprs conditions;
} ChoiceSearch;

/* Adds the parts of a select's condition that read no memory. */
static void add_parts(ChoiceSearch *search, Expr condition) {
    Exprs left = {0};
    vec_push(search->arena, &left, condition);
    while (left.length && search->conditions.length < MOST_CHOICES) {
        Expr part = left.data[--left.length];
        if (is_joint(part))
            for (int i = part->arity; i-- > 0;)
                vec_push(search->arena, &left, part->arguments[i]);
        else if (!expr_has_access(part) && !expr_is_constant(part) &&
                 part->tree_size <= LARGEST_CHOICE)
            exprs_add(search->arena, &search->conditions, part);
    }
}

static void find_choice(void *data, Expr node) {
    ChoiceSearch *search = data;
    if (node->op == OP_SELECT && search->conditions.length < MOST_CHOICES)
        add_parts(search, node->arguments[0]);
}

static Exprs choices_of(Arena *arena, const Stmt *store) {
    ChoiceSearch search = {.arena = arena};
    for (int i = 0; i < store->store.func->components; i++)
        if (expr_has_access(store->store.values[i]))
            expr_visit(arena, store->store.values[i], find_choice, &search);
    return search.conditions;
}

/* Returns the condition, which stands in `stmt` or is known there, over what is in scope at the base
 * around: a let's variable is its value.  Null if a loop between binds what it mentions, or if it
 * is large. */
static Expr condition_at(BoundsInference *bounds, Expr condition, const Stmt *stmt,
                         const Block *base) {
    for (; condition && stmt->block != base; stmt = stmt_parent(stmt)) {
        const Stmt *outer = stmt_parent(stmt);
        Symbol binder = stmt_binder(outer);
        if (!binder || !expr_mentions(bounds->arena, condition, binder))
            continue;
        if (outer->kind != STMT_LET || expr_has_access(outer->let.value))
            return NULL;
        condition =
            expr_substitute(bounds->pool, bounds->arena, condition, binder, outer->let.value);
        condition = condition->tree_size > LARGEST_CHOICE ? NULL : condition;
    }
    return condition;
}

/* ---- which funcs ---- */

/* The names that a statement reads, each once. */
typedef struct ReadNames {
    Arena *arena;
    Map known; /* Symbol -> itself */
    Vec(Symbol) names;
} ReadNames;

static void add_reads_of(void *data, Expr expr) {
    ReadNames *reads = data;
    Exprs accesses = expr_accesses_of(reads->arena, expr);
    for (size_t i = 0; i < accesses.length; i++) {
        Symbol name = accesses.data[i]->name;
        if (!map_get(&reads->known, name))
            vec_push(reads->arena, &reads->names, name);
        map_put(&reads->known, name, name);
    }
}

static ReadNames reads_of(BoundsInference *bounds, const Stmt *stmt) {
    ReadNames reads = {.arena = bounds->arena, .known = map_create(bounds->arena)};
    stmt_each_expr(stmt, add_reads_of, &reads);
    return reads;
}

/* The same of a store where the condition has an outcome. */
static ReadNames reads_where(BoundsInference *bounds, const Stmt *store, Expr condition,
                             bool holds) {
    ReadNames reads = {.arena = bounds->arena, .known = map_create(bounds->arena)};
    ChoiceOutcome choice = choice_create(bounds->pool, bounds->arena, condition, holds);
    for (int k = 0; k < store->store.func->dimensions; k++)
        add_reads_of(&reads, choice_decide(&choice, store->store.indices[k]));
    for (int i = 0; i < store->store.func->components; i++)
        add_reads_of(&reads, choice_decide(&choice, store->store.values[i]));
    return reads;
}

typedef struct ChoiceSites {
    BoundsInference *bounds;
    Map always;         /* Symbol of a func that some statement reads in any case -> itself */
    Vec(Stmt *) stores; /* those with a choice */
} ChoiceSites;

/* Is the func, which the store reads, computed where the condition has one value? */
static bool may_be_left_out(BoundsInference *bounds, const Stmt *store, Expr condition,
                            Symbol name) {
    const FuncSolution *solution = map_get(&bounds->by_func, name);
    if (!solution || solution->shape->is_output || name == store->store.func->name)
        return false;
    const Realization *realization = serving_realization(solution, store);
    return realization && !realization->shares &&
           condition_at(bounds, condition, store, realization_block(realization));
}

/* Does one outcome of the condition leave out a func that nothing else reads in any case?  With
 * `spared`, all that it leaves out are noted there.  `all` is what the store reads. */
static bool leaves_out(ChoiceSites *search, const Stmt *store, const ReadNames *all, Expr condition,
                       Map *spared) {
    Arena *arena = search->bounds->arena;
    Vec(Symbol) names = {0};
    for (size_t i = 0; i < all->names.length; i++)
        if ((spared || !map_get(&search->always, all->names.data[i])) &&
            may_be_left_out(search->bounds, store, condition, all->names.data[i]))
            vec_push(arena, &names, all->names.data[i]);
    if (!names.length)
        return false;
    ReadNames holds = reads_where(search->bounds, store, condition, true),
              fails = reads_where(search->bounds, store, condition, false);
    bool found = false;
    for (size_t i = 0; i < names.length; i++) {
        Symbol name = names.data[i];
        if (map_get(&holds.known, name) && map_get(&fails.known, name))
            continue;
        found = true;
        if (spared)
            map_put(spared, name, name);
    }
    return found;
}

/* Is it one of several writes of an iteration?  What they read is read whatever one of them chooses. */
static bool is_one_of_several(const Stmt *store) {
    return (store->previous && store->previous->kind == STMT_STORE) ||
           (store->next && store->next->kind == STMT_STORE);
}

static bool find_stores(void *data, Stmt *stmt) {
    ChoiceSites *search = data;
    Arena *arena = search->bounds->arena;
    Map spared = map_create(arena);
    Exprs choices = {0};
    if (stmt->kind == STMT_STORE && !stmt->store.is_atomic && !is_one_of_several(stmt))
        choices = choices_of(arena, stmt);
    ReadNames reads = reads_of(search->bounds, stmt);
    for (size_t i = 0; i < choices.length; i++)
        leaves_out(search, stmt, &reads, choices.data[i], &spared);
    if (map_count(&spared))
        vec_push(arena, &search->stores, stmt);
    for (size_t i = 0; i < reads.names.length; i++)
        if (!map_get(&spared, reads.names.data[i]) && reads.names.data[i] != stmt_func(stmt))
            map_put(&search->always, reads.names.data[i], reads.names.data[i]);
    return true;
}

/* ---- branches ---- */

/* What both branches of a store read: Symbol -> itself, by whether the condition holds. */
typedef struct PartedStore {
    Map reads[2];
} PartedStore;

/* Makes a branch of the store, and of the stores in it. */
static void part_store(ChoiceSites *search, Stmt *whole) {
    BoundsInference *bounds = search->bounds;
    Vec(Stmt *) stores = {0};
    vec_push(bounds->arena, &stores, whole);
    for (size_t next = 0; next < stores.length && stores.length < 2 * MOST_COPIES - 1; next++) {
        Stmt *store = stores.data[next];
        Exprs choices = choices_of(bounds->arena, store);
        ReadNames reads = reads_of(bounds, store);
        size_t i = choices.length; /* the outermost select's is the last */
        while (i > 0 && !leaves_out(search, store, &reads, choices.data[i - 1], NULL))
            i--;
        if (!i)
            continue;
        Expr condition = choices.data[i - 1];
        Stmt *branch = choice_part(bounds->program, bounds->arena, store, condition);
        vec_push(bounds->arena, &stores, branch->branch.body.first);
        vec_push(bounds->arena, &stores, branch->branch.otherwise.first);
        PartedStore *parted = arena_new(bounds->arena, PartedStore);
        for (int holds = 0; holds < 2; holds++)
            parted->reads[holds] = reads_where(bounds, store, condition, holds).known;
        map_put(&bounds->parted, branch, parted);
    }
}

void arms_part(BoundsInference *bounds) {
    ChoiceSites search = {.bounds = bounds, .always = map_create(bounds->arena)};
    block_visit(&bounds->program->body, &(StmtVisitor){&search, find_stores, NULL});
    for (size_t i = 0; i < search.stores.length; i++)
        part_store(&search, search.stores.data[i]);
}

/* ---- when a realization is read ---- */

typedef struct OpenHoles {
    BoundsInference *bounds;
    bool is_open;
} OpenHoles;

static void search_hole(void *data, Expr node) {
    OpenHoles *search = data;
    search->is_open |= node->op == OP_HOLE && !realization_of_hole(search->bounds, node)->solved;
}

/* The same, with values for holes; null if one is not solved. */
static Expr known_at(BoundsInference *bounds, Expr condition, const Stmt *stmt, const Block *base) {
    OpenHoles search = {bounds, false};
    condition = condition_at(bounds, condition, stmt, base);
    if (condition && expr_holds(condition, HOLDS_HOLE))
        expr_visit(bounds->arena, condition, search_hole, &search);
    return !condition || search.is_open ? NULL : inference_resolve(bounds, condition);
}

static Expr both(Pool *pool, Expr a, Expr b) {
    return a && b ? expr_and(pool, a, b) : a ? a : b;
}

static Realization *realization_at(BoundsInference *bounds, Symbol func, const Stmt *root) {
    const FuncSolution *solution = func ? map_get(&bounds->by_func, func) : NULL;
    for (size_t i = 0; solution && i < solution->realizations.length; i++)
        if (solution->realizations.data[i]->root == root)
            return solution->realizations.data[i];
    return NULL;
}

static Expr folded(BoundsInference *bounds, Op op, Expr a, Expr b) {
    return choice_decide_node(&(ChoiceOutcome){0}, bounds->pool,
                              expr_binary(bounds->pool, op, a, b));
}

/* Returns the condition under which a store in the branch that arms_part made reads the func.  What
 * is not known at the base counts as if both arms were taken. */
static Expr branch_reads(BoundsInference *bounds, const Stmt *branch, Symbol name,
                         const Block *base) {
    const PartedStore *parted = map_get(&bounds->parted, branch);
    const Stmt *inner[] = {branch->branch.otherwise.first, branch->branch.body.first};
    Expr arms[2], fails = expr_not(bounds->pool, branch->branch.condition);
    for (int holds = 0; holds < 2; holds++)
        arms[holds] = map_get(&parted->reads[holds], name) && map_get(&bounds->parted, inner[holds])
                          ? branch_reads(bounds, inner[holds], name, base)
                          : expr_bool(bounds->pool, map_get(&parted->reads[holds], name) != NULL);
    if (arms[0] == arms[1])
        return arms[0];
    Expr condition = known_at(bounds, branch->branch.condition, branch, base);
    fails = known_at(bounds, fails, branch, base);
    if (!condition || !fails)
        return folded(bounds, OP_OR, arms[0], arms[1]);
    return folded(bounds, OP_OR, folded(bounds, OP_AND, condition, arms[1]),
                  folded(bounds, OP_AND, fails, arms[0]));
}

/* The predicate of an update, if it is made of startup expressions; else null. */
static Expr startup_predicate(BoundsInference *bounds, const Stmt *branch) {
    Expr condition = branch->branch.condition;
    bool is_startup = branch->branch.role == IF_PREDICATE && !expr_has_access(condition) &&
                      condition_at(bounds, condition, branch, &bounds->program->body) == condition;
    return is_startup ? condition : NULL;
}

static Expr condition_of_use(BoundsInference *bounds, const AccessUse *use, const Block *base) {
    const Stmt *stmt = use->stmt;
    while (stmt_parent(stmt) && map_get(&bounds->parted, stmt_parent(stmt)))
        stmt = stmt_parent(stmt);
    Expr all = stmt != use->stmt ? branch_reads(bounds, stmt, use->access->name, base) : NULL;
    if (all && expr_is_true(all))
        all = NULL;
    for (;; stmt = stmt_parent(stmt)) {
        Realization *reader = realization_at(bounds, use->reader, stmt);
        Expr own = reader ? arms_condition(bounds, reader) : NULL;
        all = both(bounds->pool, all, known_at(bounds, own, stmt, base));
        if (stmt->block == base)
            return all;
        const Stmt *outer = stmt_parent(stmt);
        bool may_say = outer->kind == STMT_IF && !use->unconditional;
        Expr says = may_say ? startup_predicate(bounds, outer) : NULL;
        all = both(bounds->pool, all, says);
    }
}

Expr arms_condition_of_uses(BoundsInference *bounds, const Uses *uses, const Block *base) {
    Exprs conditions = {0};
    Expr some = NULL;
    for (size_t i = 0; i < uses->length; i++) {
        Expr condition = condition_of_use(bounds, &uses->data[i], base);
        if (!condition)
            return NULL;
        if (exprs_find(&conditions, condition) < conditions.length)
            continue;
        exprs_add(bounds->arena, &conditions, condition);
        some = some ? expr_or(bounds->pool, some, condition) : condition;
        if (some->tree_size > LARGEST_CHOICE)
            return NULL;
    }
    if (!some)
        return NULL;
    inference_enter(bounds, base);
    if (decide_proves(bounds->simplifier, some))
        return NULL;
    bounds->leaves_out = true;
    return simplify(bounds->simplifier, some);
}

/* Readers are asked before what they read, so this ends. */
Expr arms_condition(BoundsInference *bounds, Realization *realization) {
    if (realization->read_where_is_known)
        return realization->read_where;
    realization->read_where_is_known = true;
    if (realization->shape->is_output || realization->shares)
        return NULL;
    /* The branches may have taken all of its reads. */
    if (!realization->reads.length && (map_count(&bounds->parted) || map_count(&bounds->narrowed)))
        realization->read_where = expr_bool(bounds->pool, false);
    else
        realization->read_where =
            arms_condition_of_uses(bounds, &realization->reads, realization_block(realization));
    return realization->read_where;
}

Expr arms_condition_of_memory(BoundsInference *bounds, const Stmt *allocate) {
    const FuncSolution *solution = map_get(&bounds->by_func, allocate->allocate.func->name);
    Expr some = NULL;
    for (size_t i = 0; i < solution->realizations.length; i++) {
        Realization *realization = solution->realizations.data[i];
        if (realization->allocate != allocate)
            continue;
        Expr condition = known_at(bounds, arms_condition(bounds, realization), realization->root,
                                  allocate->block);
        if (!condition)
            return NULL;
        some = !some || some == condition ? condition : expr_or(bounds->pool, some, condition);
    }
    return some;
}
