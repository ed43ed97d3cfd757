/* walk.c -- one traversal, with a stack of nodes whose arguments are not visited yet. All other
 * functions use it. */
#include "ir/walk.h"

#include <string.h>

ExprMemo expr_memo(Arena *scratch) {
    return (ExprMemo){.arena = scratch};
}

#define MEMO_PAGE  64
#define MEMO_PAGES 16 /* initial number of pages */

Expr expr_memo_get(const ExprMemo *memo, Expr expr) {
    uint32_t number = expr->number / MEMO_PAGE;
    Expr *page = number < memo->count ? memo->pages[number] : NULL;
    return page ? page[expr->number % MEMO_PAGE] : NULL;
}

static void grow(ExprMemo *memo, uint32_t wanted) {
    uint32_t count = memo->count ? memo->count : MEMO_PAGES;
    while (count < wanted)
        count *= 2;
    Expr **pages = arena_array(memo->arena, Expr *, count);
    if (memo->count)
        memcpy(pages, memo->pages, memo->count * sizeof *pages);
    memo->pages = pages;
    memo->count = count;
}

void expr_memo_put(ExprMemo *memo, Expr expr, Expr result) {
    uint32_t number = expr->number / MEMO_PAGE;
    if (number >= memo->count)
        grow(memo, number + 1);
    Expr **page = &memo->pages[number];
    if (!*page)
        *page = arena_array(memo->arena, Expr, MEMO_PAGE);
    (*page)[expr->number % MEMO_PAGE] = result;
}

#define SMALL 40 /* number of nodes as a tree, up to which a linear search finds visited nodes */

void expr_visit_rest(Arena *scratch, Expr root, ExprKnown *is_known, ExprVisit *visit, void *data) {
    Expr first[SMALL]; /* enough for most expressions */
    Vec(Expr) stack = {first, 0, SMALL};
    vec_push(scratch, &stack, root);
    while (stack.length) {
        Expr node = stack.data[stack.length - 1];
        if (is_known(data, node)) {
            stack.length--;
            continue;
        }
        /* Push the arguments last to first, because the first must be visited first. */
        size_t before = stack.length;
        for (int i = node->arity - 1; i >= 0; i--)
            if (!is_known(data, node->arguments[i]))
                vec_push(scratch, &stack, node->arguments[i]);
        if (stack.length == before) {
            stack.length--;
            visit(data, node);
        }
    }
}

typedef struct ExprVisiting {
    Map seen;
    ExprVisit *visit;
    void *data;
} ExprVisiting;

static bool visiting_done(void *data, Expr node) {
    return map_get(&((ExprVisiting *)data)->seen, node);
}

static void visiting_visit(void *data, Expr node) {
    ExprVisiting *visiting = data;
    map_put(&visiting->seen, node, node);
    visiting->visit(visiting->data, node);
}

/* The visited nodes. `bits` is a filter: a node whose bit is clear is not in the set. */
typedef struct SmallNodeSet {
    Expr nodes[SMALL];
    int count;
    uint64_t bits;
} SmallNodeSet;

static uint64_t seen_bit(Expr node) {
    return UINT64_C(1) << (node->number & 63);
}

static bool has_seen(const SmallNodeSet *seen, Expr node) {
    if (seen->bits & seen_bit(node))
        for (int i = seen->count - 1; i >= 0; i--)
            if (seen->nodes[i] == node)
                return true;
    return false;
}

/* Visits a small expression without allocating. */
static void visit_small(Expr root, ExprVisit *visit, void *data) {
    Expr stack[SMALL];
    SmallNodeSet seen;
    int height = 0;
    seen.count = 0;
    seen.bits = 0;
    stack[height++] = root;
    while (height) {
        Expr node = stack[height - 1];
        int before = height;
        if (has_seen(&seen, node)) {
            height--;
            continue;
        }
        for (int i = node->arity - 1; i >= 0; i--)
            if (!has_seen(&seen, node->arguments[i]))
                stack[height++] = node->arguments[i];
        if (height == before) {
            height--;
            seen.nodes[seen.count++] = node;
            seen.bits |= seen_bit(node);
            visit(data, node);
        }
    }
}

void expr_visit(Arena *scratch, Expr expr, ExprVisit *visit, void *data) {
    if (expr->tree_size <= SMALL) {
        visit_small(expr, visit, data);
        return;
    }
    ExprVisiting visiting = {map_create(scratch), visit, data};
    expr_visit_rest(scratch, expr, visiting_done, visiting_visit, &visiting);
}

static void count_node(void *data, Expr node) {
    (void)node;
    ++*(size_t *)data;
}

bool expr_exceeds(Arena *scratch, Expr expr, size_t limit) {
    size_t count = 0;
    if (expr->tree_size > limit) /* otherwise it has no more as a graph */
        expr_visit(scratch, expr, count_node, &count);
    return count > limit;
}

typedef struct ExprRewriting {
    Pool *pool;
    ExprMemo *memo;
    ExprRewrite *rewrite;
    void *data;
} ExprRewriting;

static bool rewriting_done(void *data, Expr node) {
    return expr_memo_get(((ExprRewriting *)data)->memo, node);
}

static void rewriting_visit(void *data, Expr node) {
    ExprRewriting *rewriting = data;
    Expr small[MAX_SMALL_ARITY], *arguments = small;
    if (node->arity > MAX_SMALL_ARITY)
        arguments = arena_array(rewriting->memo->arena, Expr, node->arity);
    for (int i = 0; i < node->arity; i++)
        arguments[i] = expr_memo_get(rewriting->memo, node->arguments[i]);
    Expr rebuilt = node->arity ? expr_with_arguments(rewriting->pool, node, arguments) : node;
    expr_memo_put(rewriting->memo, node,
                  rewriting->rewrite(rewriting->data, rewriting->pool, rebuilt));
}

Expr expr_rewrite(Pool *pool, ExprMemo *memo, Expr expr, ExprRewrite *rewrite, void *data) {
    ExprRewriting rewriting = {pool, memo, rewrite, data};
    expr_visit_rest(memo->arena, expr, rewriting_done, rewriting_visit, &rewriting);
    return expr_memo_get(memo, expr);
}

typedef struct RewritingAlone {
    Pool *pool;
    Arena *arena;
    Map *results; /* Expr -> Expr */
    bool keeps;   /* nodes without `only` among their unknowns stay as they are */
    uint64_t only;
    ExprRewrite *rewrite;
    void *data;
} RewritingAlone;

/* Returns null if there is no result yet. */
static Expr result_of(const RewritingAlone *rewriting, Expr node) {
    bool stays = rewriting->keeps && !(node->unknowns & rewriting->only);
    return stays ? node : map_get(rewriting->results, node);
}

static bool alone_done(void *data, Expr node) {
    return result_of(data, node);
}

static void alone_visit(void *data, Expr node) {
    RewritingAlone *rewriting = data;
    Expr small[MAX_SMALL_ARITY], *arguments = small;
    if (node->arity > MAX_SMALL_ARITY)
        arguments = arena_array(rewriting->arena, Expr, node->arity);
    for (int i = 0; i < node->arity; i++)
        arguments[i] = result_of(rewriting, node->arguments[i]);
    Expr rebuilt = node->arity ? expr_with_arguments(rewriting->pool, node, arguments) : node;
    map_put(rewriting->results, node,
            rewriting->rewrite(rewriting->data, rewriting->pool, rebuilt));
}

/* Works like expr_rewrite, but keeps its results in a map, whose size grows with the expression. */
static Expr rewrite_alone(RewritingAlone *rewriting, Expr expr) {
    expr_visit_rest(rewriting->arena, expr, alone_done, alone_visit, rewriting);
    return result_of(rewriting, expr);
}

Expr expr_rewrite_alone(Pool *pool, Arena *scratch, Expr expr, ExprRewrite *rewrite, void *data) {
    Map results = map_create(scratch);
    RewritingAlone rewriting = {pool, scratch, &results, false, 0, rewrite, data};
    return rewrite_alone(&rewriting, expr);
}

Substitution substitution_create(Arena *scratch) {
    return (Substitution){.by_name = map_create(scratch), .results = map_create(scratch)};
}

void substitution_add(Substitution *substitution, Symbol name, Expr value) {
    Arena *arena = map_arena(&substitution->results);
    vec_push(arena, &substitution->names, name);
    vec_push(arena, &substitution->values, value);
    map_put(&substitution->by_name, name, value);
    substitution->unknowns |= expr_unknown_bit(name->hash);
}

static Expr substitute(void *data, Pool *pool, Expr node) {
    (void)pool;
    Substitution *substitution = data;
    if (node->op != OP_VARIABLE)
        return node;
    Expr value = map_get(&substitution->by_name, node->name);
    if (!value)
        return node;
    hlc_assert(type_equal(value->type, node->type), "a substitution keeps the variable's type");
    return value;
}

Expr substitution_apply(Pool *pool, Substitution *substitution, Expr expr) {
    RewritingAlone rewriting = {pool,
                                map_arena(&substitution->results),
                                &substitution->results,
                                true,
                                substitution->unknowns,
                                substitute,
                                substitution};
    return rewrite_alone(&rewriting, expr);
}

Expr expr_substitute(Pool *pool, Arena *scratch, Expr expr, Symbol name, Expr value) {
    Substitution substitution = substitution_create(scratch);
    substitution_add(&substitution, name, value);
    return substitution_apply(pool, &substitution, expr);
}

typedef struct NodeExchange {
    Expr from, to;
} NodeExchange;

static Expr exchange(void *data, Pool *pool, Expr node) {
    const NodeExchange *wanted = data;
    (void)pool;
    return node == wanted->from ? wanted->to : node;
}

Expr expr_exchange(Pool *pool, Arena *scratch, Expr expr, Expr from, Expr to) {
    return expr_rewrite_alone(pool, scratch, expr, exchange, &(NodeExchange){from, to});
}

typedef struct NodeCollecting {
    Arena *arena;
    Exprs *found;
    int op;
    Symbol name;
    bool has;
} NodeCollecting;

static void collect(void *data, Expr node) {
    NodeCollecting *collecting = data;
    if (node->op == collecting->op)
        vec_push(collecting->arena, collecting->found, node);
}

static void look_for(void *data, Expr node) {
    NodeCollecting *collecting = data;
    collecting->has |= node->op == OP_VARIABLE && node->name == collecting->name;
}

bool expr_mentions(Arena *scratch, Expr expr, Symbol name) {
    NodeCollecting collecting = {.name = name};
    if (expr->unknowns & expr_unknown_bit(name->hash))
        expr_visit(scratch, expr, look_for, &collecting);
    return collecting.has;
}

size_t exprs_find(const Exprs *exprs, Expr expr) {
    size_t i = 0;
    while (i < exprs->length && exprs->data[i] != expr)
        i++;
    return i;
}

size_t exprs_add(Arena *arena, Exprs *exprs, Expr expr) {
    size_t place = exprs_find(exprs, expr);
    if (place == exprs->length)
        vec_push(arena, exprs, expr);
    return place;
}

void expr_variables(Arena *scratch, Expr expr, Exprs *variables) {
    NodeCollecting collecting = {scratch, variables, OP_VARIABLE, NULL, false};
    expr_visit(scratch, expr, collect, &collecting);
}

Exprs expr_variables_of(Arena *scratch, Expr expr) {
    Exprs variables = {0};
    expr_variables(scratch, expr, &variables);
    return variables;
}

void expr_accesses(Arena *scratch, Expr expr, Exprs *accesses) {
    NodeCollecting collecting = {scratch, accesses, OP_ACCESS, NULL, false};
    expr_visit(scratch, expr, collect, &collecting);
}

Exprs expr_accesses_of(Arena *scratch, Expr expr) {
    Exprs accesses = {0};
    expr_accesses(scratch, expr, &accesses);
    return accesses;
}
