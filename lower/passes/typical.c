/* typical.c -- see typical.h.  It replaces variables by constants and folds. */
#include "lower/passes/typical.h"

enum { USUAL_CHANNELS = 4, USUAL_PARAMETER = 3 };

Typical typical_create(const Program *program, Arena *arena, int64_t extent) {
    return (Typical){.program = program,
                     .extent = extent,
                     .fitted = extent,
                     .values = map_create(arena),
                     .extents = map_create(arena),
                     .memo = expr_memo(arena)};
}

static Expr parameter_value(Pool *pool, const Parameter *parameter) {
    Type type = parameter->type;
    if (parameter->has_default)
        return expr_constant(pool, type, parameter->default_value);
    if (parameter->has_range)
        return expr_constant(pool, type, parameter->lower);
    return type_is_float(type) ? expr_float(pool, type, USUAL_PARAMETER)
                               : expr_constant(pool, type, USUAL_PARAMETER);
}

static Expr variable_value(const Typical *typical, Expr variable) {
    Pool *pool = typical->program->pool;
    Expr value = map_get(&typical->values, variable->name);
    const Parameter *parameter = signature_parameter(typical->program->signature, variable->name);
    Symbol buffer;
    BufferField field;
    int dimension;
    if (value)
        return value;
    if (parameter)
        return parameter_value(pool, parameter);
    if (!buffer_field_parse(pool->context, variable->name, &buffer, &field, &dimension))
        return variable;
    if (field_of_window(field) == FIELD_MINIMUM)
        return expr_index(pool, 0);
    Expr extent = map_get(&typical->extents, variable->name);
    if (extent)
        return extent;
    return expr_index(pool, dimension < 2 ? typical->extent : USUAL_CHANNELS);
}

static Expr put_values(void *data, Pool *pool, Expr node) {
    (void)pool;
    return node->op == OP_VARIABLE ? variable_value(data, node) : node;
}

static Expr value_of(Typical *typical, Expr expr) {
    return expr_rewrite(typical->program->pool, &typical->memo, expr, put_values, typical);
}

bool typical_value(Typical *typical, Expr expr, int64_t *value) {
    Expr result = value_of(typical, expr);
    if (!expr_is_constant(result) || type_is_float(result->type))
        return false;
    *value = result->bits;
    return true;
}

void typical_bind(Typical *typical, const Stmt *stmt) {
    Pool *pool = typical->program->pool;
    if (stmt->kind == STMT_FOR) {
        Expr half = expr_div(pool, stmt->loop.interval.length, expr_index(pool, 2));
        Expr value = value_of(typical, expr_add(pool, stmt->loop.interval.minimum, half));
        if (expr_is_constant(value))
            map_put(&typical->values, stmt->loop.binder, value);
    }
    if (stmt->kind == STMT_LET) {
        Expr value = value_of(typical, stmt->let.value);
        if (expr_is_constant(value))
            map_put(&typical->values, stmt->let.binder, value);
    }
}

/* ---- images and outputs of different sizes ---- */

static bool is_image_extent(const Typical *typical, Expr node) {
    Symbol buffer;
    BufferField field;
    int dimension;
    return node->op == OP_VARIABLE &&
           buffer_field_parse(typical->program->pool->context, node->name, &buffer, &field,
                              &dimension) &&
           field_is_extent(field) && signature_image(typical->program->signature, buffer);
}

/* Returns the extent of an image that the expression mentions; null if there is none, or if the
 * expression is too large for the end of an image. */
static Expr image_extent(const Typical *typical, Expr expr) {
    enum { MOST_NODES = 32 };
    Expr nodes[MOST_NODES] = {expr};
    int count = 1;
    for (int i = 0; i < count; i++) {
        if (is_image_extent(typical, nodes[i]))
            return nodes[i];
        if (count + nodes[i]->arity > MOST_NODES)
            return NULL;
        for (int k = 0; k < nodes[i]->arity; k++)
            nodes[count++] = nodes[i]->arguments[k];
    }
    return NULL;
}

typedef struct Fitting {
    Typical *typical;
    bool changes;
} Fitting;

static void double_extent(Fitting *fitting, Expr extent) {
    Typical *typical = fitting->typical;
    Pool *pool = typical->program->pool;
    Expr value = variable_value(typical, extent);
    map_put(&typical->extents, extent->name, expr_mul(pool, value, expr_index(pool, 2)));
    fitting->changes = true;
}

/* A short constant is no end of a picture. */
static void halve_usual(Fitting *fitting, int64_t end) {
    enum { SHORTEST_END = 100, LEAST_EXTENT = 250 };
    Typical *typical = fitting->typical;
    if (end < SHORTEST_END || typical->extent < 2 * LEAST_EXTENT)
        return;
    typical->fitted = typical->extent / 2;
    fitting->changes = true;
}

/* Images repeat or mirror what is beyond their ends: x % extent, x % (extent*2). */
static void fit_period(Fitting *fitting, Expr x, Expr period) {
    Typical *typical = fitting->typical;
    Expr extent = image_extent(typical, period);
    int64_t end, place;
    if (extent && typical_value(typical, extent, &end) && typical_value(typical, x, &place) &&
        place >= end)
        double_extent(fitting, extent);
}

static void fit_node(void *data, Expr node) {
    Fitting *fitting = data;
    Typical *typical = fitting->typical;
    const Expr *of = node->arguments;
    if (node->op == OP_MOD && type_is_index(node->type))
        fit_period(fitting, of[0], of[1]);
    bool tests = node->op == OP_MIN || node->op == OP_LE || node->op == OP_LT;
    if (!tests || !type_is_index(of[0]->type))
        return;
    Expr extents[2] = {image_extent(typical, of[0]), image_extent(typical, of[1])};
    int at = extents[1] || expr_is_constant(of[1]);
    bool is_constant = node->op == OP_MIN && expr_is_constant(of[at]);
    int64_t end, place;
    if (extents[!at] || !(extents[at] || is_constant) || !typical_value(typical, of[at], &end) ||
        !typical_value(typical, of[!at], &place) || place < end)
        return;
    if (is_constant)
        halve_usual(fitting, end);
    else
        double_extent(fitting, extents[at]);
}

bool typical_fit(Typical *typical, Expr expr) {
    enum { LARGEST = 10000 }; /* larger ones are tables */
    Fitting fitting = {typical, false};
    if (expr_holds(expr, HOLDS_CHOICE | HOLDS_DIVISION) && expr->tree_size <= LARGEST)
        expr_visit(typical->memo.arena, expr, fit_node, &fitting);
    return fitting.changes;
}
