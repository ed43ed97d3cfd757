/* apart.c -- races of reduction loops whose iterations a schedule calls independent
 * (schedule/dependence.c).
 *
 * The written point does not determine the iteration: iterations of outer loops may write the same
 * point.  So the file compares two iterations of the loop, under one iteration of the outer loops.
 * If one writes a point that the other writes or reads, they must be the same iteration:
 *
 *     binder == binder'  or  in some dimension  written(binder, ..) != touched(binder', ..)
 *
 * Every variable bound from the loop down to the write has a second name, with the same facts.
 */
#include "checkers/certify/internal.h"

typedef struct Twin {
    CertifyWalk *walk;
    const ContextFact *context;
    Map replaced; /* Expr of a binder -> its second name, or its value there */
} Twin;

static Expr twin_of(Twin *twin, Expr expr) {
    return lift_replace(twin->walk->pool, twin->walk->arena, &twin->replaced, expr);
}

static void bind_twin(Twin *twin, const Stmt *loop) {
    CertifyWalk *walk = twin->walk;
    Context *context = walk->pool->context;
    Expr binder = expr_variable(walk->pool, loop->loop.binder, INDEX);
    Symbol name = symbol_format(&context->symbols, "%s.other", loop->loop.binder->text);
    Expr second = expr_variable(walk->pool, name, INDEX);
    Extent interval = {twin_of(twin, loop->loop.interval.minimum),
                       twin_of(twin, loop->loop.interval.length)};
    twin->context = fact_bind(walk, twin->context, second, interval);
    map_put(&twin->replaced, binder, second);
}

/* Follows the nest from the loop down to the write. */
static void follow(Twin *twin, const StageNest *nest, const Stmt *loop) {
    CertifyWalk *walk = twin->walk;
    bool is_inside = false;
    for (size_t i = 0; i < nest->path.length; i++) {
        const Stmt *stmt = nest->path.data[i];
        is_inside = is_inside || stmt == loop;
        if (!is_inside)
            continue;
        Expr condition = nest_condition(walk, nest, i);
        /* The map remembers nodes that it met.  Names that are bound now were not met yet. */
        if (stmt->kind == STMT_FOR)
            bind_twin(twin, stmt);
        else if (stmt->kind == STMT_LET)
            map_put(&twin->replaced,
                    expr_variable(walk->pool, stmt->let.binder, stmt->let.value->type),
                    twin_of(twin, stmt->let.value));
        else if (condition)
            twin->context = fact_add(walk, twin->context, twin_of(twin, condition));
    }
}

Obligation *apart_ask(CertifyWalk *walk, const StageNest *written, const StageNest *touched,
                      Stmt *loop, const Expr *indices, const char *text) {
    Pool *pool = walk->pool;
    const FuncShape *shape = written->shape;
    Twin twin = {.walk = walk, .context = walk->context, .replaced = map_create(walk->arena)};
    follow(&twin, touched, loop);
    Expr binder = expr_variable(pool, loop->loop.binder, INDEX);
    Expr goal = expr_eq(pool, binder, twin_of(&twin, binder));
    for (int k = 0; k < shape->dimensions; k++)
        goal = expr_or(pool, goal,
                       expr_not(pool, expr_eq(pool, written->store->store.indices[k],
                                              twin_of(&twin, indices[k]))));
    Obligation *obligation =
        obligation_add(walk, CLAUSE_RACE, written->store, shape->name, goal, text);
    obligation->context = twin.context;
    obligation->is_exact = false;
    return obligation;
}
