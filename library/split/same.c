/* same.c -- compares an algorithm with what its text was read as (source.h). They live in two pools,
 * so nodes are compared by what they are; names by what the text calls them. The operands of an
 * operator that commutes may have changed places, as their order depends on names. */
#include "library/split/source.h"

#include <string.h>

enum { MOST_STEPS = 1 << 22 };

typedef struct SourceComparison {
    SourceText *source;
    const Pipeline *read;
    Map same; /* Expr of the original -> the same Expr that was read */
    int64_t steps;
} SourceComparison;

static bool is_same(SourceComparison *c, Expr a, Expr b);

static bool is_called(SourceComparison *c, Symbol name, Symbol read) {
    return strcmp(source_name(c->source, name), read->text) == 0;
}

/* ---- expressions ---- */

static bool is_field(SourceComparison *c, const Signature *signature, Expr expr, Symbol *buffer,
                     BufferField *field, int *dimension) {
    return !signature_parameter(signature, expr->name) &&
           buffer_field_parse(c->read->pool->context, expr->name, buffer, field, dimension) &&
           (signature_image(signature, *buffer) || signature_output(signature, *buffer));
}

/* Fields are those of domains in either form. */
static bool is_same_variable(SourceComparison *c, Expr a, Expr b) {
    Symbol buffers[2];
    BufferField fields[2];
    int dimensions[2];
    bool is_of_a = is_field(c, &c->source->pipeline->signature, a, &buffers[0], &fields[0],
                            &dimensions[0]),
         is_of_b = is_field(c, &c->read->signature, b, &buffers[1], &fields[1], &dimensions[1]);
    if (is_of_a != is_of_b)
        return false;
    return is_of_a ? field_of_window(fields[0]) == field_of_window(fields[1]) &&
                         dimensions[0] == dimensions[1] && is_called(c, buffers[0], buffers[1])
                   : is_called(c, a->name, b->name);
}

static bool is_number(Expr expr, Bits bits) {
    return expr->op == OP_CONSTANT && expr->bits == bits;
}

/* `[false, true][b - a]` was read as select(b - a < 1, false, true). */
static bool is_same_index_comparison(SourceComparison *c, Expr a, Expr b) {
    bool is_equality = a->op == OP_EQ || a->op == OP_NE;
    if (b->op != OP_SELECT || b->arguments[0]->op != OP_LT ||
        !is_number(b->arguments[0]->arguments[1], 1) ||
        !is_number(b->arguments[1], a->op == OP_EQ) || !is_number(b->arguments[2], a->op != OP_EQ))
        return false;
    Expr difference = b->arguments[0]->arguments[0];
    if (is_equality || a->op == OP_LE) {
        if (difference->op != (is_equality ? OP_ABS : OP_ADD) ||
            (a->op == OP_LE && !is_number(difference->arguments[1], 1)))
            return false;
        difference = difference->arguments[0];
    }
    return difference->op == OP_SUB && is_same(c, a->arguments[1], difference->arguments[0]) &&
           is_same(c, a->arguments[0], difference->arguments[1]);
}

static bool has_same_arguments(SourceComparison *c, Expr a, Expr b) {
    const OpInfo *info = a->op < OP_COUNT ? op_info((Op)a->op) : NULL;
    bool good = a->arity == b->arity;
    for (int i = 0; i < a->arity && good; i++)
        good = is_same(c, a->arguments[i], b->arguments[i]);
    bool commutes = info && a->arity == 2 &&
                    ((info->traits & COMMUTES) ||
                     ((info->traits & COMMUTES_EXACT) && !type_is_float(a->arguments[0]->type)));
    return good || (commutes && is_same(c, a->arguments[0], b->arguments[1]) &&
                    is_same(c, a->arguments[1], b->arguments[0]));
}

static bool is_same_node(SourceComparison *c, Expr a, Expr b) {
    if (!type_equal(a->type, b->type))
        return false;
    if (a->op < OP_COUNT && op_info((Op)a->op)->types == TYPES_COMPARE &&
        type_is_index(a->arguments[0]->type))
        return is_same_index_comparison(c, a, b);
    if (a->op != b->op)
        return false;
    switch (a->op) {
    case OP_CONSTANT:
        return bits_same(a->type, a->bits, b->bits);
    case OP_VARIABLE:
        return is_same_variable(c, a, b);
    case OP_ACCESS:
        return a->component == b->component && is_called(c, a->name, b->name) &&
               has_same_arguments(c, a, b);
    default:
        return a->op < OP_COUNT && has_same_arguments(c, a, b);
    }
}

static bool is_same(SourceComparison *c, Expr a, Expr b) {
    if (!a || !b)
        return !a && !b;
    if (map_get(&c->same, a) == b)
        return true;
    if (++c->steps > MOST_STEPS || !is_same_node(c, a, b))
        return false;
    map_put(&c->same, a, b);
    return true;
}

static bool is_same_interval(SourceComparison *c, Extent a, Extent b) {
    return is_same(c, a.minimum, b.minimum) && is_same(c, a.length, b.length);
}

/* ---- funcs ---- */

static bool are_same_variables(SourceComparison *c, const ReductionVariable *a,
                               const ReductionVariable *b, size_t count) {
    for (size_t r = 0; r < count; r++)
        if (!is_called(c, a[r].variable, b[r].variable) ||
            !is_same_interval(c, a[r].interval, b[r].interval))
            return false;
    return true;
}

static bool is_same_stage(SourceComparison *c, const Func *func, const Stage *a, const Stage *b) {
    Arena *arena = c->source->arena;
    int writes = a->writes ? a->writes : 1;
    if (a->reduction.length != b->reduction.length || writes != (b->writes ? b->writes : 1) ||
        !are_same_variables(c, a->reduction.data, b->reduction.data, a->reduction.length) ||
        !is_same(c, a->predicate, b->predicate))
        return false;
    Pool *pool = c->source->pipeline->pool;
    for (int w = 0; w < writes; w++) {
        for (int k = 0; k < func->shape->dimensions; k++)
            if (!is_same(c, stage_of_write(pool, arena, a, a->indices[k], w),
                         stage_of_write(c->read->pool, arena, b, b->indices[k], w)))
                return false;
        for (int i = 0; i < func->shape->components; i++)
            if (!is_same(c, stage_of_write(pool, arena, a, a->values[i], w),
                         stage_of_write(c->read->pool, arena, b, b->values[i], w)))
                return false;
    }
    return true;
}

static bool is_same_recurrence(SourceComparison *c, const Recurrence *a, const Recurrence *b) {
    if (!a || !b)
        return !a && !b;
    return a->domain.length == b->domain.length &&
           are_same_variables(c, a->domain.data, b->domain.data, a->domain.length);
}

static bool is_same_func(SourceComparison *c, const Func *a, const Func *b) {
    const FuncShape *shape = a->shape, *read = b->shape;
    if (!is_called(c, shape->name, read->name) || shape->dimensions != read->dimensions ||
        shape->components != read->components || a->stages.length != b->stages.length ||
        !is_same_recurrence(c, a->recurrence, b->recurrence))
        return false;
    for (int k = 0; k < shape->dimensions; k++)
        if (!is_called(c, shape->variables[k], read->variables[k]))
            return false;
    for (int i = 0; i < shape->components; i++)
        if (!type_equal(shape->types[i], read->types[i]))
            return false;
    for (size_t s = 0; s < a->stages.length; s++)
        if (!is_same_stage(c, a, a->stages.data[s], b->stages.data[s]))
            return false;
    return true;
}

/* ---- inputs and outputs ---- */

static bool is_same_input(SourceComparison *c, InputRef a, InputRef b) {
    const Signature *written = &c->source->pipeline->signature, *read = &c->read->signature;
    if (a.is_image != b.is_image)
        return false;
    if (a.is_image) {
        const ImageParameter *x = &written->images.data[a.index], *y = &read->images.data[b.index];
        return is_called(c, x->name, y->name) && type_equal(x->type, y->type) &&
               x->dimensions == y->dimensions && x->layout == y->layout;
    }
    const Parameter *x = &written->parameters.data[a.index], *y = &read->parameters.data[b.index];
    return is_called(c, x->name, y->name) && type_equal(x->type, y->type) &&
           x->has_default == y->has_default && x->has_range == y->has_range &&
           (!x->has_default || bits_same(x->type, x->default_value, y->default_value)) &&
           (!x->has_range ||
            (bits_same(x->type, x->lower, y->lower) && bits_same(x->type, x->upper, y->upper)));
}

static bool is_same_output(SourceComparison *c, const Output *a, const Output *b) {
    const FuncShape *shape = signature_func(&c->source->pipeline->signature, a->func);
    if (!is_called(c, a->func, b->func) || a->layout != b->layout || !a->size != !b->size)
        return false;
    for (int d = 0; a->size && d < shape->dimensions; d++)
        if (!is_same_interval(c, a->size[d], b->size[d]))
            return false;
    return true;
}

bool source_is_same(SourceText *source, const Pipeline *read) {
    const Pipeline *written = source->pipeline;
    const Signature *a = &written->signature, *b = &read->signature;
    SourceComparison c = {.source = source, .read = read, .same = map_create(source->arena)};
    bool good = a->inputs.length == b->inputs.length && a->outputs.length == b->outputs.length &&
                written->funcs.length == read->funcs.length &&
                written->requirements.length == read->requirements.length;
    for (size_t i = 0; good && i < a->inputs.length; i++)
        good = is_same_input(&c, a->inputs.data[i], b->inputs.data[i]);
    for (size_t i = 0; good && i < written->funcs.length; i++)
        good = is_same_func(&c, written->funcs.data[i], read->funcs.data[i]);
    for (size_t i = 0; good && i < a->outputs.length; i++)
        good = is_same_output(&c, &a->outputs.data[i], &b->outputs.data[i]);
    for (size_t i = 0; good && i < written->requirements.length; i++)
        good = is_same(&c, written->requirements.data[i].condition,
                       read->requirements.data[i].condition);
    return good;
}
