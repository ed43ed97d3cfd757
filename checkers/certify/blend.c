/* blend.c -- stores of tails that blend: f[e..] <- select(c, value, f[e..]).
 *
 * If c is false, the store writes back the old value of each component, which changes nothing.  So
 * the clauses differ for such a store:
 *
 *   covered   also asks for an iteration in which c holds;
 *   once      is asked of the iterations in which c holds;
 *   overlap   is answered: a point that a tail adds keeps its value;
 *   race      iterations of a loop that writes such points touch different points under a
 *             condition.  The variable of the tail's let is an index of the store, and it is `.. +
 *             v`.  Here v is the loop's variable, or it stands in a let of a split of that loop.
 *             The rest of the sum is the same in all iterations.  Two iterations that differ in a
 *             loop outside have an order.
 */
#include "checkers/certify/internal.h"

#include "ir/walk.h"

/* Is the expression the old value of component c at the store's point? */
static bool is_held(const Stmt *store, int c, Expr expr) {
    const FuncShape *func = store->store.func;
    bool same = expr->op == OP_ACCESS && expr->name == func->name && expr->component == c;
    for (int d = 0; same && d < func->dimensions; d++)
        same = expr->arguments[d] == store->store.indices[d];
    return same;
}

/* Is there a guard on the let's variable between the store and the let? */
static bool is_guarded(CertifyWalk *walk, const Stmt *store, const Stmt *let) {
    for (const Stmt *stmt = stmt_parent(store); stmt != let; stmt = stmt_parent(stmt)) {
        if (stmt->kind != STMT_IF || stmt->branch.role != IF_GUARD)
            continue;
        Exprs variables = expr_variables_of(walk->arena, stmt->branch.condition);
        for (size_t i = 0; i < variables.length; i++)
            if (variables.data[i]->name == let->let.binder)
                return true;
    }
    return false;
}

/* Returns the variables of the lets of tails that may blend: those without a guard. */
static Map tail_variables(CertifyWalk *walk, const Stmt *store, size_t *count) {
    Map variables = map_create(walk->arena);
    *count = 0;
    for (const Stmt *stmt = stmt_parent(store); stmt; stmt = stmt_parent(stmt)) {
        if (stmt->kind != STMT_LET || stmt->let.tail == TAIL_NONE || is_guarded(walk, store, stmt))
            continue;
        map_put(&variables, stmt->let.binder, stmt);
        ++*count;
    }
    return variables;
}

static bool speaks_of(CertifyWalk *walk, Map *variables, Expr condition) {
    Exprs found = expr_variables_of(walk->arena, condition);
    for (size_t i = 0; i < found.length; i++)
        if (map_get(variables, found.data[i]->name))
            return true;
    return false;
}

/* Is the condition a tail's?  Such a condition compares coordinates; an author's compares
 * values. */
static bool is_of_tail(CertifyWalk *walk, Map *variables, Expr condition) {
    return condition->arity == 2 && type_is_index(condition->arguments[0]->type) &&
           speaks_of(walk, variables, condition) && !expr_has_access(condition);
}

/* Returns the condition of one component.  Each tail that blends has put a select on its let's
 * variable around it.  The selects of the update itself stand inside of those, and choose the
 * value.  After simplification a condition may contain both: select(c && own, value, f[e..]). */
static Expr component_condition(CertifyWalk *walk, const Stmt *store, int c) {
    size_t left;
    Map variables = tail_variables(walk, store, &left);
    Expr condition = NULL, value = store->store.values[c];
    for (; left > 0 && value->op == OP_SELECT && is_held(store, c, value->arguments[2]);
         value = value->arguments[1], left--) {
        Exprs parts = {0};
        bool is_own = false;
        goal_parts(walk->arena, value->arguments[0], &parts);
        for (size_t i = 0; i < parts.length; i++) {
            if (is_of_tail(walk, &variables, parts.data[i]))
                condition =
                    condition ? expr_and(walk->pool, condition, parts.data[i]) : parts.data[i];
            else
                is_own = true;
        }
        if (is_own)
            break;
    }
    return condition;
}

bool blend_is_idle(const Stmt *store) {
    for (int c = 0; c < store->store.func->components; c++)
        if (!is_held(store, c, store->store.values[c]))
            return false;
    return true;
}

Expr blend_condition(CertifyWalk *walk, const Stmt *store) {
    Expr first = component_condition(walk, store, 0);
    for (int c = 1; c < store->store.func->components; c++)
        if (component_condition(walk, store, c) != first)
            return NULL;
    return first;
}

/* Does the expression have one value in all iterations of the loop that agree outside it?
 * Variables bound in the nest at the loop or inside may change it. */
static bool is_fixed(CertifyWalk *walk, const StageNest *nest, const Stmt *loop, Expr expr) {
    Vec(Expr) pending = {0};
    Map seen = map_create(walk->arena), bound = map_create(walk->arena);
    bool is_inside = false;
    for (size_t i = 0; i < nest->path.length; i++) {
        Stmt *stmt = nest->path.data[i];
        is_inside |= stmt == loop;
        if (stmt->kind == STMT_FOR && is_inside)
            map_put(&bound, stmt->loop.binder, stmt);
        else if (stmt->kind == STMT_LET)
            map_put(&bound, stmt->let.binder, stmt);
    }
    vec_push(walk->arena, &pending, expr);
    while (pending.length) {
        Expr next = pending.data[--pending.length];
        if (expr_has_access(next))
            return false;
        Exprs variables = expr_variables_of(walk->arena, next);
        for (size_t i = 0; i < variables.length; i++) {
            const Stmt *stmt = map_get(&bound, variables.data[i]->name);
            if (!stmt || map_get(&seen, stmt))
                continue;
            if (stmt->kind == STMT_FOR)
                return false;
            map_put(&seen, stmt, stmt);
            vec_push(walk->arena, &pending, stmt->let.value);
        }
    }
    return true;
}

/* Is the let's variable the index in dimension d of the store, and of each read of the func in
 * it? */
static bool is_index_everywhere(CertifyWalk *walk, const Stmt *store, int d, Symbol binder) {
    Expr index = store->store.indices[d];
    if (index->op != OP_VARIABLE || index->name != binder)
        return false;
    Exprs reads = store_own_reads(walk, store);
    for (size_t i = 0; i < reads.length; i++)
        if (reads.data[i]->arguments[d] != index)
            return false;
    return true;
}

/* Returns the value of the variable's let in the nest, or null. */
static Expr let_value(const StageNest *nest, Expr variable) {
    for (size_t i = 0; i < nest->path.length && variable->op == OP_VARIABLE; i++) {
        const Stmt *stmt = nest->path.data[i];
        if (stmt->kind == STMT_LET && stmt->let.binder == variable->name)
            return stmt->let.value;
    }
    return NULL;
}

/* Is the sum the loop's variable and other terms, which have one value in all of its iterations? */
static bool grows_with(CertifyWalk *walk, const StageNest *nest, const Stmt *loop, Expr sum) {
    Expr variable = expr_variable(walk->pool, loop->loop.binder, INDEX);
    Exprs open = {0};
    int count = 0;
    for (vec_push(walk->arena, &open, sum); open.length;) {
        Expr term = open.data[--open.length];
        if (term == variable) {
            count++;
        } else if (term->op == OP_ADD) {
            vec_push(walk->arena, &open, term->arguments[0]);
            vec_push(walk->arena, &open, term->arguments[1]);
        } else if (!is_fixed(walk, nest, loop, term)) {
            Expr value = let_value(nest, term);
            if (!value)
                return false;
            vec_push(walk->arena, &open, value);
        }
    }
    return count == 1;
}

bool blend_is_disjoint(CertifyWalk *walk, const StageNest *nest, const Stmt *store,
                       const Stmt *loop) {
    for (size_t i = 0; i < nest->path.length; i++) {
        const Stmt *let = nest->path.data[i];
        if (let->kind != STMT_LET || !grows_with(walk, nest, loop, let->let.value))
            continue;
        for (int d = 0; d < nest->shape->dimensions; d++)
            if (is_index_everywhere(walk, store, d, let->let.binder))
                return true;
    }
    return false;
}
