/* call.c -- elaborates `f(..)`: funcs and images at coordinates, helpers, operators written as
 * calls, buffer fields. */
#include "frontend/elaborate.h"

#include <string.h>

/* ---- what is called ---- */

static bool not_callable(Elaborator *e, const Syntax *callee) {
    return diag(e->context, DIAG_NOT_CALLABLE, callee->place);
}

static bool too_deep(Elaborator *e, const Syntax *callee) {
    return diag(e->context, DIAG_EXPANSION_NESTING, callee->place,
                arena_number(e->arena, 2 * e->context->limits.nesting));
}

static bool resolve_binding(Elaborator *e, NameBinding *binding, const Syntax *callee,
                            Callable *callable) {
    *callable = (Callable){.binding = binding};
    switch (binding->kind) {
    case BINDING_FUNC:
        callable->kind = CALLABLE_FUNC;
        return true;
    case BINDING_IMAGE:
        callable->kind = CALLABLE_IMAGE;
        return true;
    case BINDING_LET:
        if (binding->let->parameters.length > 0) {
            callable->kind = CALLABLE_HELPER;
            return true;
        }
        break;
    case BINDING_ARGUMENT:
        break;
    case BINDING_PARAMETER:
    case BINDING_INDEX:
        return not_callable(e, callee);
    }
    if (e->depth >= 2 * e->context->limits.nesting)
        return too_deep(e, callee);
    e->depth++;
    bool good = call_resolve(e, binding->environment, binding->syntax, callable);
    e->depth--;
    return good;
}

bool call_resolve(Elaborator *e, Environment environment, const Syntax *callee,
                  Callable *callable) {
    if (callee->kind == SYNTAX_NAME) {
        NameBinding *binding = scope_find(e, environment, callee->name);
        if (binding)
            return resolve_binding(e, binding, callee, callable);
        if (scope_is_builtin(callee->name))
            return not_callable(e, callee);
        scope_unknown(e, environment, callee->name, callee->place, "func");
        return false;
    }
    const Syntax *maker = callee->kind == SYNTAX_CALL ? callee->children.data[0] : NULL;
    if (!maker || maker->kind != SYNTAX_NAME || scope_find(e, environment, maker->name))
        return not_callable(e, callee);
    BoundaryKind boundary = boundary_from_name(maker->name);
    if (boundary == BOUNDARY_NONE && !scope_is_builtin(maker->name)) {
        scope_unknown(e, environment, maker->name, maker->place, "name");
        return false;
    }
    if (boundary == BOUNDARY_NONE)
        return not_callable(e, callee);
    if (callee->children.length < 2)
        return diag(e->context, DIAG_BOUNDARY_ARGUMENTS, callee->place, maker->name->text);
    if (e->depth >= 2 * e->context->limits.nesting)
        return too_deep(e, callee);
    Callable *inner = arena_new(e->arena, Callable);
    e->depth++;
    bool good = call_resolve(e, environment, callee->children.data[1], inner);
    e->depth--;
    *callable = (Callable){CALLABLE_BOUNDARY, NULL, boundary, callee, environment, inner};
    return good;
}

int call_component_count(const Callable *callable) {
    while (callable->kind == CALLABLE_BOUNDARY)
        callable = callable->inner;
    if (callable->kind != CALLABLE_FUNC)
        return 1;
    int count = callable->binding->func->func->shape->components;
    return count ? count : 1; /* an undefined func: the read reports it */
}

/* ---- reading ---- */

static bool right_count(Elaborator *e, const char *name, const char *what, size_t wanted,
                        size_t given, Place place) {
    if (wanted == given)
        return true;
    bool is_nested = wanted == 2 && given > 2 && (!strcmp(name, "min") || !strcmp(name, "max"));
    return diag(e->context, DIAG_ARGUMENT_COUNT, place, name, arena_number(e->arena, wanted), what,
                arena_number(e->arena, given),
                is_nested ? arena_format(e->arena, ": nest them, `%s(%s(a, b), c)`", name, name)
                          : "");
}

/* May this place read the func? A pure stage, and an inline reduction inside it, may not read its
 * own func, unless it is an equation of a recurrence. */
static bool readable(Elaborator *e, const FuncEntry *entry, Symbol name, Place place) {
    if (e->block && entry->block == e->block && entry->state != FUNC_BROKEN)
        return equation_readable(e, entry, place);
    switch (entry->state) {
    case FUNC_DEFINED:
        return true;
    case FUNC_BROKEN:
        return false;
    case FUNC_DECLARED:
        return diag(e->context, DIAG_RECURRENCE, place, name->text);
    case FUNC_DEFINING:
        if (e->stage && e->entry != entry)
            return diag(e->context, DIAG_REDUCTION_OF_SELF, place, name->text);
        if (e->stage && e->stage->number == 0)
            return diag(e->context, DIAG_SELF_REFERENCE, place, name->text);
        return true;
    }
    return false;
}

static bool right_coordinates(Elaborator *e, Symbol name, int dimensions, int given, Place place) {
    if (dimensions == given)
        return true;
    return diag(e->context, DIAG_COORDINATE_COUNT, place, name->text,
                arena_number(e->arena, dimensions), arena_number(e->arena, given));
}

static Expr read_func(Elaborator *e, NameBinding *binding, const Expr *indices, int count,
                      int component, Place place) {
    FuncEntry *entry = binding->func;
    if (!readable(e, entry, binding->name, place))
        return NULL;
    const FuncShape *shape = entry->func->shape;
    if (!right_coordinates(e, binding->name, shape->dimensions, count, place))
        return NULL;
    if (component < 0 && shape->components != 1) {
        diag(e->context, DIAG_NEEDS_COMPONENT, place, binding->name->text,
             arena_number(e->arena, shape->components));
        return NULL;
    }
    component = component < 0 ? 0 : component;
    Expr access =
        expr_access(e->pool, binding->name, component, shape->types[component], indices, count);
    return record_access(e, access, place);
}

static Expr read_helper(Elaborator *e, NameBinding *binding, const Expr *indices, int count,
                        Place place) {
    const LetSyntax *let = binding->let;
    if (!right_count(e, binding->name->text, "arguments", let->parameters.length, (size_t)count,
                     place))
        return NULL;
    Environment environment = binding->environment;
    for (int i = 0; i < count; i++)
        scope_bind(e, &environment, BINDING_INDEX, let->parameters.data[i].name)->expr = indices[i];
    return elaborate_value(e, environment, let->value);
}

static Expr read_boundary(Elaborator *e, const Callable *callable, const Expr *indices, int count,
                          int component, Place place) {
    Expr folded[MAX_DIMENSIONS + 1], inside;
    if (!boundary_fold(e, callable, indices, count, folded, &inside))
        return NULL;
    Expr read = call_at(e, callable->inner, folded, count, component, place);
    return read ? boundary_value(e, callable, inside, read) : NULL;
}

Expr call_at(Elaborator *e, const Callable *callable, const Expr *indices, int count, int component,
             Place place) {
    NameBinding *binding = callable->binding;
    switch (callable->kind) {
    case CALLABLE_FUNC:
        return read_func(e, binding, indices, count, component, place);
    case CALLABLE_IMAGE:
        if (!right_coordinates(e, binding->name, binding->image->dimensions, count, place))
            return NULL;
        return record_access(
            e, expr_access(e->pool, binding->name, 0, binding->image->type, indices, count), place);
    case CALLABLE_HELPER:
        return read_helper(e, binding, indices, count, place);
    case CALLABLE_BOUNDARY:
        return read_boundary(e, callable, indices, count, component, place);
    }
    return NULL;
}

/* ---- functions that are composed of operators ---- */

static Result apply(Elaborator *e, Op op, Result a, Result b, Place place) {
    Result operands[2] = {a, b};
    return apply_operator(e, op, operands, place);
}

static Result choose(Elaborator *e, Result condition, Result yes, Result no, Place place) {
    Result operands[3] = {condition, yes, no};
    return apply_operator(e, OP_SELECT, operands, place);
}

/* clamp(x, lo, hi) = max(min(x, hi), lo) */
static Result apply_clamp(Elaborator *e, const Result *operands, Place place) {
    return apply(e, OP_MAX, apply(e, OP_MIN, operands[0], operands[2], place), operands[1], place);
}

/* Is the Euclidean quotient a / b not the one rounded to zero?  It is less by one in direction of b
 * if a is negative and b does not divide it. */
static Result is_rounded_away(Elaborator *e, const Result *operands, Result remainder,
                              Place place) {
    Result zero = result_of(expr_constant(e->pool, remainder.expr->type, 0));
    return apply(e, OP_AND, apply(e, OP_LT, operands[0], zero, place),
                 apply(e, OP_NE, remainder, zero, place), place);
}

/* div_round_to_zero(a, b): C's quotient; 0 if b is 0. */
static Result apply_div_round_to_zero(Elaborator *e, const Result *operands, Place place) {
    Result quotient = apply(e, OP_DIV, operands[0], operands[1], place);
    Result remainder = apply(e, OP_MOD, operands[0], operands[1], place);
    if (result_failed(quotient) || result_failed(remainder))
        return FAILED;
    Result zero = result_of(expr_constant(e->pool, remainder.expr->type, 0));
    Result one = result_of(expr_constant(e->pool, remainder.expr->type, 1));
    Result nearer =
        choose(e, apply(e, OP_LT, operands[1], zero, place), apply(e, OP_SUB, quotient, one, place),
               apply(e, OP_ADD, quotient, one, place), place);
    return choose(e, is_rounded_away(e, operands, remainder, place), nearer, quotient, place);
}

/* mod_round_to_zero(a, b): C's remainder; 0 if b is 0. */
static Result apply_mod_round_to_zero(Elaborator *e, const Result *operands, Place place) {
    Result remainder = apply(e, OP_MOD, operands[0], operands[1], place);
    if (result_failed(remainder))
        return FAILED;
    Result zero = result_of(expr_constant(e->pool, remainder.expr->type, 0));
    Result nearer = choose(e, apply(e, OP_LT, operands[1], zero, place),
                           apply(e, OP_ADD, remainder, operands[1], place),
                           apply(e, OP_SUB, remainder, operands[1], place), place);
    return choose(e, is_rounded_away(e, operands, remainder, place), nearer, remainder, place);
}

typedef struct Composed {
    const char *name;
    int arity;
    bool on_floats;
    Result (*apply)(Elaborator *e, const Result *operands, Place place);
} Composed;

/* The operands have one type.  In an index they are indices. */
static const Composed composed[] = {
    {"clamp", 3, true, apply_clamp},
    {"div_round_to_zero", 2, false, apply_div_round_to_zero},
    {"mod_round_to_zero", 2, false, apply_mod_round_to_zero},
};

static const Composed *find_composed(Symbol name) {
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
        if (strcmp(name->text, composed[i].name) == 0)
            return &composed[i];
    return NULL;
}

static Result call_composed(Elaborator *e, const Composed *function, Result *operands,
                            Place place) {
    for (int k = 0; k < function->arity; k++)
        if (result_failed(operands[k]))
            return FAILED;
    if (!unify(e, operands, function->arity, place, false))
        return FAILED;
    Type type = operands[0].expr->type;
    if (!function->on_floats && !type_is_machine_integer(type) && !type_is_index(type)) {
        diag(e->context, DIAG_OPERAND_TYPE, place, function->name, type_name(type),
             "it needs integers: write e.g. i32(a)");
        return FAILED;
    }
    return function->apply(e, operands, place);
}

/* ---- operators written as calls ---- */

/* Reads select(c, a, d, b, .., z) and c ? a : z: the arm of the first condition that holds. In an
 * index, the arms are indices. */
Result elaborate_select(Elaborator *e, Environment environment, const Syntax *const *children,
                        size_t count, Place place, Sort sort) {
    Results read = {0};
    for (size_t i = 0; i < count; i++) {
        bool is_condition = i % 2 == 0 && i + 1 < count;
        vec_push(e->arena, &read,
                 elaborate(e, environment, children[i], is_condition ? SORT_VALUE : sort));
    }
    Result chosen = read.data[count - 1];
    for (size_t i = count - 1; i >= 2; i -= 2)
        chosen = choose(e, read.data[i - 2], read.data[i - 1], chosen, place);
    return chosen;
}

static int operator_arity(Symbol name) {
    for (int arity = 1; arity <= OP_MAX_ARITY; arity++)
        if (op_find(name->text, name->length, FORM_CALL, arity) != OP_COUNT)
            return arity;
    const Composed *function = find_composed(name);
    return function ? function->arity : 0;
}

static Result call_operator(Elaborator *e, Environment environment, const Syntax *call, Sort sort) {
    Symbol name = call->children.data[0]->name;
    int arity = operator_arity(name);
    Op op = op_find(name->text, name->length, FORM_CALL, arity);
    size_t given = call->children.length - 1;
    if (op == OP_SELECT && given > 3 && given % 2 == 1)
        return elaborate_select(e, environment, (const Syntax *const *)call->children.data + 1,
                                given, call->place, sort);
    if (!right_count(e, name->text, "arguments", (size_t)arity, given, call->place))
        return FAILED;
    bool is_composed = op == OP_COUNT;
    if (!is_composed && op_info(op)->types == TYPES_CONVERT) {
        diag(e->context, DIAG_CONVERSION_SPELLING, call->place, name->text);
        return FAILED;
    }
    bool on_index = is_composed || op == OP_SELECT ||
                    (op_info(op)->types == TYPES_SAME && (op_info(op)->traits & ON_INDEX));
    Sort inner = on_index ? sort : SORT_VALUE;
    Result operands[OP_MAX_ARITY];
    for (int i = 0; i < arity; i++)
        operands[i] = elaborate(e, environment, call->children.data[i + 1],
                                op == OP_SELECT && i == 0 ? SORT_VALUE : inner);
    return is_composed ? call_composed(e, find_composed(name), operands, call->place)
                       : apply_operator(e, op, operands, call->place);
}

/* ---- buffer fields ---- */

typedef struct Field {
    const char *name;
    BufferField field;
    int dimension; /* -1: given as an argument */
} Field;

static const Field fields[] = {{"min", FIELD_MINIMUM, -1},   {"extent", FIELD_EXTENT, -1},
                               {"stride", FIELD_STRIDE, -1}, {"width", FIELD_EXTENT, 0},
                               {"height", FIELD_EXTENT, 1},  {"channels", FIELD_EXTENT, 2}};

const char *call_field(size_t i) {
    return i < sizeof fields / sizeof *fields ? fields[i].name : NULL;
}

/* Is it an output?  A requirement is read before the outputs are declared. */
static bool is_output(const Elaborator *e, const FuncShape *shape) {
    for (size_t i = 0; e->requiring && i < e->requiring->outputs.length; i++)
        if (e->requiring->outputs.data[i].name.name == shape->name)
            return true;
    return e->in_schedule && shape->is_output;
}

/* Finds the buffer `input` of `input.extent(0)`: an image or, in schedules and requirements, an
 * output. */
static bool field_buffer(Elaborator *e, Environment environment, const Syntax *base,
                         const char *field, Symbol *buffer, int *dimensions) {
    Callable callable;
    if (!call_resolve(e, environment, base, &callable))
        return false;
    if (callable.kind == CALLABLE_IMAGE) {
        *buffer = callable.binding->name;
        *dimensions = callable.binding->image->dimensions;
        return true;
    }
    if (callable.kind == CALLABLE_FUNC && is_output(e, callable.binding->func->func->shape)) {
        *buffer = callable.binding->name;
        *dimensions = callable.binding->func->func->shape->dimensions;
        return true;
    }
    return diag(e->context, DIAG_FIELD_OF_FUNC, base->place, field);
}

/* `given` is the call with the argument list, or null. */
static Result buffer_field(Elaborator *e, Environment environment, const Syntax *member,
                           const Syntax *given, Sort sort) {
    const Field *field = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i].name, member->name->text))
            field = &fields[i];
    Callable callable;
    const Syntax *base = member->children.data[0];
    if (!field && base->kind == SYNTAX_NAME && !call_resolve(e, environment, base, &callable))
        return FAILED;
    if (!field && base->kind == SYNTAX_NAME && callable.kind == CALLABLE_FUNC) {
        diag(e->context, DIAG_NO_MEMBER, member->place, base->name->text, member->name->text,
             "the func has none of this name");
        return FAILED;
    }
    if (!field) {
        Nearest nearest = {.name = member->name->text};
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            nearest_offer(&nearest, fields[i].name);
        diag(e->context, DIAG_UNKNOWN_FIELD, member->place, member->name->text,
             nearest_hint(e->arena, &nearest,
                          "an image has min(d), extent(d), width, height and channels"));
        return FAILED;
    }
    Symbol buffer;
    int dimensions;
    if (!field_buffer(e, environment, member->children.data[0], field->name, &buffer, &dimensions))
        return FAILED;
    int64_t dimension = field->dimension;
    size_t arguments = given ? given->children.length - 1 : 0;
    if (!right_count(e, field->name, "arguments", dimension < 0, arguments, member->place))
        return FAILED;
    if (dimension < 0) {
        Expr number = elaborate_index(e, environment, given->children.data[1]);
        if (!number)
            return FAILED;
        if (!expr_constant_integer(number, &dimension))
            dimension = -1;
    }
    if (dimension < 0 || dimension >= dimensions) {
        diag(e->context, DIAG_NO_DIMENSION, (given ? given->children.data[1] : member)->place,
             buffer->text, arena_number(e->arena, dimensions));
        return FAILED;
    }
    if (field->field == FIELD_STRIDE && !e->in_schedule && !e->requiring) {
        diag(e->context, DIAG_STRIDE_IN_ALGORITHM, member->place);
        return FAILED;
    }
    const Signature *signature = &e->pipeline->signature;
    if (field->field == FIELD_STRIDE && signature->windows &&
        (e->requiring || e->pipeline->reassociation)) {
        diag(e->context, e->requiring ? DIAG_WINDOW_REQUIRES_STRIDE : DIAG_WINDOW_USES_STRIDE,
             member->place, buffer->text);
        return FAILED;
    }
    Expr expr =
        field->field == FIELD_STRIDE
            ? expr_buffer_field(e->pool, buffer, FIELD_STRIDE, (int)dimension)
            : signature_domain_field(signature, e->pool, buffer, field->field, (int)dimension);
    return result_of(sort == SORT_INDEX ? expr : expr_cast(e->pool, I32, expr));
}

Result elaborate_member(Elaborator *e, Environment environment, const Syntax *member, Sort sort) {
    return buffer_field(e, environment, member, NULL, sort);
}

/* ---- calls ---- */

/* Reports in a helper's body name the call, as those in a template name its instance. */
static const Use *enter_helper(Elaborator *e, const NameBinding *helper, Place place) {
    const Use *outer = e->context->use;
    Use *use = arena_new(e->context->arena, Use);
    *use = (Use){place, helper->name->text, outer};
    e->context->use = use;
    return outer;
}

/* Binds a helper's arguments and returns the scope of its body. */
static bool bind_arguments(Elaborator *e, Environment environment, const Syntax *call,
                           const NameBinding *helper, Environment *inner) {
    const LetSyntax *let = helper->let;
    if (!right_count(e, helper->name->text, "arguments", let->parameters.length,
                     call->children.length - 1, call->place))
        return false;
    *inner = helper->environment;
    for (size_t i = 0; i < let->parameters.length; i++)
        bind_argument(e, inner, let->parameters.data[i].name, call->children.data[i + 1],
                      environment);
    return true;
}

static bool call_indices(Elaborator *e, Environment environment, const Syntax *call, Expr *indices,
                         int *count) {
    *count = (int)(call->children.length - 1);
    bool good = true;
    if (*count > MAX_DIMENSIONS)
        *count = MAX_DIMENSIONS + 1; /* no callable takes this many: the read reports it */
    for (int i = 0; i < *count; i++) {
        indices[i] = elaborate_index(e, environment, call->children.data[i + 1]);
        good &= indices[i] != NULL;
    }
    return good;
}

/* Handles calls that are not Callables: operators and buffer fields. `*done` tells whether this is
 * one. */
static Result call_builtin(Elaborator *e, Environment environment, const Syntax *call, Sort sort,
                           bool *done) {
    const Syntax *callee = call->children.data[0];
    *done = true;
    if (callee->kind == SYNTAX_MEMBER)
        return buffer_field(e, environment, callee, call, sort);
    if (callee->kind == SYNTAX_NAME && !scope_find(e, environment, callee->name)) {
        if (operator_arity(callee->name))
            return call_operator(e, environment, call, sort);
        if (boundary_from_name(callee->name) != BOUNDARY_NONE) {
            diag(e->context, DIAG_NOT_A_VALUE, call->place, "this",
                 "an image with a boundary condition",
                 "give it coordinates, e.g. repeat_edge(input)(x, y)");
            return FAILED;
        }
    }
    *done = false;
    return FAILED;
}

Result elaborate_call(Elaborator *e, Environment environment, const Syntax *call, Sort sort) {
    bool done;
    Result result = call_builtin(e, environment, call, sort, &done);
    Callable callable;
    if (done)
        return result;
    if (!call_resolve(e, environment, call->children.data[0], &callable))
        return FAILED;
    if (callable.kind == CALLABLE_HELPER) {
        Environment inner;
        if (!bind_arguments(e, environment, call, callable.binding, &inner))
            return FAILED;
        const Use *outer = enter_helper(e, callable.binding, call->place);
        Result value = elaborate(e, inner, callable.binding->let->value, sort);
        e->context->use = outer;
        return value;
    }
    Expr indices[MAX_DIMENSIONS + 1];
    int count;
    if (!call_indices(e, environment, call, indices, &count))
        return FAILED;
    return result_of(call_at(e, &callable, indices, count, -1, call->place));
}

bool call_components(Elaborator *e, Environment environment, const Syntax *call,
                     Results *components) {
    bool done;
    Result result = call_builtin(e, environment, call, SORT_VALUE, &done);
    Callable callable;
    if (done) {
        vec_push(e->arena, components, result);
        return !result_failed(result);
    }
    if (!call_resolve(e, environment, call->children.data[0], &callable))
        return false;
    if (callable.kind == CALLABLE_HELPER) {
        Environment inner;
        if (!bind_arguments(e, environment, call, callable.binding, &inner))
            return false;
        const Use *outer = enter_helper(e, callable.binding, call->place);
        bool good = elaborate_components(e, inner, callable.binding->let->value, components);
        e->context->use = outer;
        return good;
    }
    Expr indices[MAX_DIMENSIONS + 1];
    int count;
    if (!call_indices(e, environment, call, indices, &count))
        return false;
    for (int i = 0, all = call_component_count(&callable); i < all; i++) {
        Expr access = call_at(e, &callable, indices, count, i, call->place);
        if (!access)
            return false;
        vec_push(e->arena, components, result_of(access));
    }
    return true;
}
