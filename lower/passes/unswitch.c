/* unswitch.c -- PASS_UNSWITCH: moves a predicate out of a loop in whose iterations it is the same.
 *
 *     for y in .. do                                  for y in .. do
 *       for x in .. do                                  if y < 0 || h <= y then predicate
 *         let x' in .. = .. in                            for x in .. do
 *           if x' < w then guard                            let x' in .. = .. in
 *             if y < 0 || h <= y then predicate     =>        if x' < w then guard
 *               f[x', y] <- 0                                   f[x', y] <- 0
 *
 * So the first stage of a nest of equations (schedule/recurrence/needed.c) costs what it writes,
 * plus one test a row.  Guards stay: they depend on the loop's variable, and PASS_PARTITION treats
 * them.
 *
 * The predicate goes around the outermost loop that fulfils two conditions.  Together with the lets
 * and ifs down to the predicate, it holds nothing else.  It binds nothing that the condition
 * mentions.
 *
 * Why it is sound.  The condition reads no memory, so it has one value wherever its variables do.
 * Operators are total, so it may be evaluated even if the loop is empty or an inner test fails.  If
 * it is false, none of the iterations did anything.
 */
#include "lower/lower.h"

typedef struct PredicateSearch {
    Arena *arena;
    Vec(Stmt *) predicates;
} PredicateSearch;

static bool find_predicates(void *data, Stmt *stmt) {
    PredicateSearch *search = data;
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_PREDICATE &&
        !stmt->branch.otherwise.first && !expr_has_access(stmt->branch.condition))
        vec_push(search->arena, &search->predicates, stmt);
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
static Stmt *find_loop(Arena *arena, const Stmt *predicate) {
    Stmt *loop = NULL;
    const Stmt *inside = predicate;
    for (Stmt *stmt = stmt_parent(predicate); stmt; stmt = stmt_parent(stmt)) {
        if (inside->previous || inside->next || !lets_out(arena, stmt, predicate->branch.condition))
            break;
        if (stmt->kind == STMT_FOR)
            loop = stmt;
        inside = stmt;
    }
    return loop;
}

static void move_around(Stmt *predicate, Stmt *loop) {
    Block *held = predicate->block;
    stmt_unlink(predicate);
    block_move_all(held, &predicate->branch.body);
    stmt_insert_before(loop, predicate);
    stmt_unlink(loop);
    block_append(&predicate->branch.body, loop);
}

void lower_unswitch(Program *program, Arena *arena) {
    PredicateSearch search = {.arena = arena};
    StmtVisitor searching = {.data = &search, .enter = find_predicates};
    block_visit(&program->body, &searching);
    for (size_t i = 0; i < search.predicates.length; i++) {
        Stmt *loop = find_loop(arena, search.predicates.data[i]);
        if (loop)
            move_around(search.predicates.data[i], loop);
    }
}
