/* stage.c -- an update stage of a func as a question about an operator. */
#include "associative/internal.h"

typedef struct SelfReads {
    const Func *func;
    const Stage *stage;
    const Expr *x;
    bool elsewhere; /* some access to the func is at another point than the one written */
} SelfReads;

static bool is_self(const SelfReads *self, Expr node) {
    return node->op == OP_ACCESS && node->name == self->func->shape->name;
}

static Expr replace_self(void *data, Pool *pool, Expr node) {
    SelfReads *self = data;
    (void)pool;
    if (!is_self(self, node))
        return node;
    for (int i = 0; i < node->arity; i++)
        if (node->arguments[i] != self->stage->indices[i]) {
            self->elsewhere = true;
            return node;
        }
    return self->x[node->component];
}

static void find_self(void *data, Expr node) {
    SelfReads *self = data;
    self->elsewhere |= is_self(self, node);
}

static bool reads_self(Arena *arena, const Func *func, Expr expr) {
    SelfReads self = {.func = func};
    if (expr)
        expr_visit(arena, expr, find_self, &self);
    return self.elsewhere;
}

static Associativity refused(const Func *func, const char *reason) {
    Associativity result = {.arity = func->shape->components, .reason = reason};
    return result;
}

Associativity associative_stage(const Pipeline *pipeline, Arena *arena, const Func *func,
                                int stage_number) {
    const Stage *stage = func->stages.data[stage_number];
    const FuncShape *shape = func->shape;
    Expr x[ASSOCIATIVE_MAX], values[ASSOCIATIVE_MAX];
    if (shape->components > ASSOCIATIVE_MAX)
        return refused(func, "its tuple has more elements than are looked at");
    if (reads_self(arena, func, stage->predicate))
        return refused(func, "its condition reads the func itself");
    for (int i = 0; i < shape->dimensions; i++)
        if (reads_self(arena, func, stage->indices[i]))
            return refused(func, "where it writes depends on the func itself");
    for (int i = 0; i < shape->components; i++)
        x[i] = associative_x(pipeline->pool, i, shape->types[i]);
    SelfReads self = {.func = func, .stage = stage, .x = x};
    for (int i = 0; i < shape->components; i++)
        values[i] =
            expr_rewrite_alone(pipeline->pool, arena, stage->values[i], replace_self, &self);
    if (self.elsewhere)
        return refused(func, "it reads the func at another point than the one that it writes");
    Symbol *reduction = arena_array(arena, Symbol, stage->reduction.length + 1);
    for (size_t i = 0; i < stage->reduction.length; i++)
        reduction[i] = stage->reduction.data[i].variable;
    AssociativeUpdate update = {.arity = shape->components,
                                .types = shape->types,
                                .values = values,
                                .reduction = reduction,
                                .reduction_count = (int)stage->reduction.length,
                                .reassociation = pipeline->reassociation};
    return associative_update(pipeline->pool, arena, &update);
}
