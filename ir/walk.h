/* walk.h -- visits, rebuilds and substitutes expressions over their graph: each distinct node once,
 * without recursion, for any operator. */
#ifndef HLC_IR_WALK_H
#define HLC_IR_WALK_H

#define MAX_SMALL_ARITY 8

#include "ir/expr.h"

/* A memo from nodes to results, by node number. It lives in a scratch arena. It is paged, because
 * one expression has few of a pool's nodes. */
typedef struct ExprMemo {
    Arena *arena;
    Expr **pages; /* null if no node of the page has a result */
    uint32_t count;
} ExprMemo;
ExprMemo expr_memo(Arena *scratch);
Expr expr_memo_get(const ExprMemo *memo, Expr expr);
void expr_memo_put(ExprMemo *memo, Expr expr, Expr result);

/* Calls `visit` once for each distinct node reachable from `expr`, arguments before their users. */
typedef void ExprVisit(void *data, Expr node);
void expr_visit(Arena *scratch, Expr expr, ExprVisit *visit, void *data);

/* Like expr_visit, but skips known nodes and everything below them. `visit` must make the node
 * known. */
typedef bool ExprKnown(void *data, Expr node);
void expr_visit_rest(Arena *scratch, Expr expr, ExprKnown *is_known, ExprVisit *visit, void *data);

/* Rebuilds bottom-up. `rewrite` gets a node with rewritten arguments and returns its replacement,
 * or the node itself. Several calls may share a memo if `rewrite` means the same in all. */
typedef Expr ExprRewrite(void *data, Pool *pool, Expr node);
Expr expr_rewrite(Pool *pool, ExprMemo *memo, Expr expr, ExprRewrite *rewrite, void *data);

/* Rebuilds one expression. The cost grows with the expression, not with the pool. */
Expr expr_rewrite_alone(Pool *pool, Arena *scratch, Expr expr, ExprRewrite *rewrite, void *data);

/* Simultaneous substitution of variables by name. */
typedef struct Substitution {
    Vec(Symbol) names;
    Vec(Expr) values;
    Map by_name;
    Map results;       /* Expr -> Expr: the results so far */
    uint64_t unknowns; /* the bits of the names: an expression without any of them is unchanged */
} Substitution;
Substitution substitution_create(Arena *scratch);
/* Add all names before the first call of substitution_apply. */
void substitution_add(Substitution *substitution, Symbol name, Expr value);
Expr substitution_apply(Pool *pool, Substitution *substitution, Expr expr);
/* Substitutes one variable in one expression. */
Expr expr_substitute(Pool *pool, Arena *scratch, Expr expr, Symbol name, Expr value);
/* Replaces every occurrence of one node. */
Expr expr_exchange(Pool *pool, Arena *scratch, Expr expr, Expr from, Expr to);

/* Has it more than `limit` distinct nodes? */
bool expr_exceeds(Arena *scratch, Expr expr, size_t limit);
/* Does the variable occur free in it? */
bool expr_mentions(Arena *scratch, Expr expr, Symbol name);
typedef Vec(Expr) Exprs;
/* Returns the expression's index in the list; the length if it is absent. */
size_t exprs_find(const Exprs *exprs, Expr expr);
/* Returns the expression's index in the list; adds it if it is absent. */
size_t exprs_add(Arena *arena, Exprs *exprs, Expr expr);
/* List the distinct variables of `expr` in order of first occurrence. */
void expr_variables(Arena *scratch, Expr expr, Exprs *variables);
Exprs expr_variables_of(Arena *scratch, Expr expr);
/* List the distinct accesses of `expr`, innermost first. */
void expr_accesses(Arena *scratch, Expr expr, Exprs *accesses);
Exprs expr_accesses_of(Arena *scratch, Expr expr);

#endif
