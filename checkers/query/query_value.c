/* query_value.c -- the values of expressions in the current statement instance.  A value read from
 * memory is drawn at random, once an instance. */
#include "checkers/query/query_run.h"

static uint64_t draw(QueryState *query) {
    query->random = query->random * 6364136223846793005u + 1442695040888963407u;
    return query->random >> 16 ^ query->random << 40;
}

/* Draws any value of the type, often an end of its range. */
static Bits draw_value(QueryState *query, Type type) {
    uint64_t choice = draw(query) % 8;
    if (type_is_machine_integer(type) && choice < 2)
        return choice ? type_maximum(type) : type_minimum(type);
    return bits_wrap(type, (int64_t)draw(query));
}

void query_bind(QueryState *query, Symbol name, Bits value) {
    Bits *bound = map_get(&query->variables, name);
    if (!bound) {
        bound = arena_new(query->arena, Bits);
        map_put(&query->variables, name, bound);
    }
    *bound = value;
}

static Bits variable_value(QueryState *query, Expr node) {
    Bits *bound = map_get(&query->variables, node->name), bits = 0;
    if (bound)
        return *bound;
    bool known = query->options->variable(query->options->data, node->name, &bits);
    hlc_assert(known, "a free variable is a parameter or a buffer's field");
    query_bind(query, node->name, bits);
    return bits;
}

static void push_step(void *data, Expr node) {
    QueryState *query = ((void **)data)[0];
    QueryCode *code = ((void **)data)[1];
    QueryStep step = {.node = node};
    Type types[OP_MAX_ARITY];
    for (int i = 0; i < node->arity && node->op < OP_COUNT; i++)
        types[i] = node->arguments[i]->type;
    if (node->op < OP_COUNT && node->op != OP_CONSTANT)
        step.operation = operation_of((Op)node->op, node->type, types);
    vec_push(query->arena, code, step);
}

static QueryCode *code_of(QueryState *query, Expr expr) {
    QueryCode *code = map_get(&query->code, expr);
    if (code)
        return code;
    code = arena_new(query->arena, QueryCode);
    expr_visit(query->arena, expr, push_step, (void *[]){query, code});
    map_put(&query->code, expr, code);
    return code;
}

static Bits step_value(QueryState *query, const QueryStep *step) {
    Expr node = step->node;
    Bits arguments[OP_MAX_ARITY];
    switch (node->op) {
    case OP_CONSTANT:
        return node->bits;
    case OP_VARIABLE:
        return variable_value(query, node);
    case OP_ACCESS:
    case OP_EXTERN:
        return draw_value(query, node->type);
    case OP_HOLE:
        hlc_assert(false, "a program is asked about when its holes are filled");
        return 0;
    default:
        break;
    }
    for (int i = 0; i < node->arity; i++)
        arguments[i] = query->known[node->arguments[i]->number].bits;
    return operation_apply(&step->operation, arguments, NULL).bits;
}

Bits query_evaluate(QueryState *query, Expr expr) {
    const QueryCode *code = code_of(query, expr);
    for (size_t i = 0; i < code->length; i++) {
        QueryKnown *known = &query->known[code->data[i].node->number];
        if (known->instance == query->instance)
            continue;
        known->bits = step_value(query, &code->data[i]);
        known->instance = query->instance;
    }
    return query->known[expr->number].bits;
}

const Exprs *query_accesses(QueryState *query, Expr expr) {
    Exprs *accesses = map_get(&query->accesses, expr);
    if (!accesses) {
        accesses = arena_new(query->arena, Exprs);
        expr_accesses(query->arena, expr, accesses);
        map_put(&query->accesses, expr, accesses);
    }
    return accesses;
}
