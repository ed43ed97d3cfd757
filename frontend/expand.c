/* expand.c -- the table `syntax_cases`: one case for each kind of syntax. See elaborate.h. */
#include "frontend/elaborate.h"

#include <string.h>

/* ---- names ---- */

static Result elaborate_name(Elaborator *e, Environment environment, const Syntax *syntax,
                             Sort sort) {
    NameBinding *binding = scope_find(e, environment, syntax->name);
    if (!binding) {
        if (scope_is_builtin(syntax->name))
            diag(e->context, DIAG_NOT_A_VALUE, syntax->place, syntax->name->text, "a function",
                 "call it with its arguments");
        else
            scope_unknown(e, environment, syntax->name, syntax->place, "name");
        return FAILED;
    }
    switch (binding->kind) {
    case BINDING_PARAMETER:
        return result_of(binding->expr);
    case BINDING_INDEX:
        return result_of(sort == SORT_INDEX ? binding->expr
                                            : expr_cast(e->pool, I32, binding->expr));
    case BINDING_LET:
        if (binding->let->parameters.length == 0)
            return expand_binding(e, binding, sort);
        diag(e->context, DIAG_NOT_A_VALUE, syntax->place, syntax->name->text, "a helper function",
             "call it with its arguments");
        return FAILED;
    case BINDING_ARGUMENT:
        return expand_binding(e, binding, sort);
    case BINDING_IMAGE:
    case BINDING_FUNC:
        diag(e->context, DIAG_NOT_A_VALUE, syntax->place, syntax->name->text,
             binding->kind == BINDING_IMAGE ? "an image" : "a func",
             "give it coordinates, e.g. f(x, y)");
        return FAILED;
    }
    return FAILED;
}

/* ---- operators ---- */

/* In index arithmetic, a shift by a literal is a product or a quotient. */
static bool is_constant_shift(const Syntax *syntax) {
    const Syntax *amount = syntax->children.data[1];
    return (syntax->op == OP_SHIFT_LEFT || syntax->op == OP_SHIFT_RIGHT) &&
           amount->kind == SYNTAX_INTEGER && amount->integer < 31;
}

/* Returns the sort of an operator's operands if its result has `sort`. */
static Sort operand_sort(const Syntax *syntax, Sort sort) {
    if (sort == SORT_VALUE)
        return SORT_VALUE;
    const OpInfo *info = op_info(syntax->op);
    bool arithmetic = info->types == TYPES_SAME && (info->traits & ON_INDEX);
    bool shift = syntax->children.length == 2 && is_constant_shift(syntax);
    return arithmetic || shift ? SORT_INDEX : SORT_VALUE;
}

static Result combine(Elaborator *e, const Syntax *syntax, Result left, Result right, Sort sort) {
    if (sort == SORT_VALUE || !is_constant_shift(syntax))
        return apply_operator(e, syntax->op, (Result[]){left, right}, syntax->place);
    if (result_failed(left))
        return FAILED;
    Expr factor = expr_index(e->pool, (int64_t)1 << syntax->children.data[1]->integer);
    Op op = syntax->op == OP_SHIFT_LEFT ? OP_MUL : OP_DIV;
    return result_of(expr_binary(e->pool, op, left.expr, factor));
}

/* Follows the left spine of infix operators in a loop, so a sum of a thousand terms is not nested.
 */
static Result elaborate_infix(Elaborator *e, Environment environment, const Syntax *syntax,
                              Sort sort) {
    Vec(const Syntax *) spine = {0};
    Vec(Sort) sorts = {0}; /* sorts[i] is the sort of the result of spine[i] */
    while (syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2) {
        vec_push(e->arena, &spine, syntax);
        vec_push(e->arena, &sorts, sort);
        sort = operand_sort(syntax, sort);
        syntax = syntax->children.data[0];
    }
    Result left = elaborate(e, environment, syntax, sort);
    for (size_t i = spine.length; i-- > 0;) {
        syntax = spine.data[i];
        Sort inner = operand_sort(syntax, sorts.data[i]);
        Result right = elaborate(e, environment, syntax->children.data[1], inner);
        left = combine(e, syntax, left, right, inner);
        if (inner != sorts.data[i])
            left = result_of(result_index(e, left, syntax->place));
    }
    return left;
}

static Result elaborate_operator(Elaborator *e, Environment environment, const Syntax *syntax,
                                 Sort sort) {
    if (syntax->op == OP_SELECT)
        return elaborate_select(e, environment, (const Syntax *const *)syntax->children.data, 3,
                                syntax->place, sort);
    if (syntax->children.length == 2)
        return elaborate_infix(e, environment, syntax, sort);
    Sort inner = operand_sort(syntax, sort);
    Result operand = elaborate(e, environment, syntax->children.data[0], inner);
    return apply_operator(e, syntax->op, &operand, syntax->place);
}

/* ---- tables ---- */

/* Selects among elements `low` to `high` by bisection: select(i < middle, .., ..). An index outside
 * the table reads the nearest end. */
static Expr look_up(Elaborator *e, const Expr *elements, size_t low, size_t high, Expr index) {
    if (low == high)
        return elements[low];
    size_t middle = low + (high - low) / 2 + 1;
    Expr below = expr_lt(e->pool, index, expr_index(e->pool, (int64_t)middle));
    return expr_select(e->pool, below, look_up(e, elements, low, middle - 1, index),
                       look_up(e, elements, middle, high, index));
}

/* Finds the list that `k` or `k[1]` names, and its environment; null after reporting. */
static const Syntax *find_list(Elaborator *e, Environment *environment, const Syntax *syntax,
                               const LetSyntax **let) {
    if (syntax->kind == SYNTAX_NAME) {
        NameBinding *binding = scope_find(e, *environment, syntax->name);
        if (binding && binding->kind == BINDING_LET)
            *let = binding->let;
        if (!binding) {
            scope_unknown(e, *environment, syntax->name, syntax->place, "table");
            return NULL;
        }
    }
    const Syntax *list = expand_aliases(e, environment, syntax);
    if (list->kind == SYNTAX_LIST)
        return list;
    diag(e->context, DIAG_NOT_A_TABLE, syntax->place);
    return NULL;
}

/* Selects an element of `list[index]`. With further indices, selects in that row. */
static Result subscript_list(Elaborator *e, Environment outer, Environment inner,
                             const Syntax *list, const LetSyntax *let, const Syntax *const *indices,
                             size_t count, Sort sort) {
    if (list->kind != SYNTAX_LIST) {
        diag(e->context, DIAG_NOT_A_TABLE, indices[0]->place);
        return FAILED;
    }
    size_t length = list->children.length;
    Expr index = elaborate_index(e, outer, indices[0]);
    int64_t constant;
    if (length == 0)
        diag(e->context, DIAG_EMPTY_TABLE, indices[0]->place);
    if (!index || length == 0 || !elaborate_enter(e, list))
        return FAILED;
    bool known = expr_constant_integer(index, &constant);
    if (known && (constant < 0 || constant >= (int64_t)length)) {
        diag(e->context, DIAG_TABLE_INDEX, indices[0]->place, arena_number(e->arena, constant),
             arena_number(e->arena, length - 1));
        return e->depth--, FAILED;
    }
    size_t limit = e->context->limits.table_elements;
    if (!known && length > limit) {
        diag(e->context, DIAG_TABLE_SIZE, list->place, arena_number(e->arena, (int64_t)limit));
        return e->depth--, FAILED;
    }
    Results elements = {0};
    bool good = true;
    for (size_t i = known ? (size_t)constant : 0; i < (known ? (size_t)constant + 1 : length);
         i++) {
        const Syntax *element = list->children.data[i];
        Result result =
            count > 1 ? subscript_list(e, outer, inner, element, let, indices + 1, count - 1, sort)
                      : elaborate_typed(e, inner, element, let, sort);
        good &= !result_failed(result);
        vec_push(e->arena, &elements, result);
    }
    e->depth--;
    if (!good)
        return FAILED;
    if (known)
        return elements.data[0];
    if (!unify(e, elements.data, (int)length, list->place, false))
        return FAILED;
    Expr *values = arena_array(e->arena, Expr, length);
    for (size_t i = 0; i < length; i++)
        values[i] = elements.data[i].expr;
    return result_of(look_up(e, values, 0, length - 1, index));
}

static Result elaborate_subscript(Elaborator *e, Environment environment, const Syntax *syntax,
                                  Sort sort) {
    const Syntax *base = syntax;
    size_t count = 0;
    for (; base->kind == SYNTAX_SUBSCRIPT; base = base->children.data[0])
        count++;
    const Syntax **in_order = arena_array(e->arena, const Syntax *, count);
    base = syntax;
    for (size_t i = count; i-- > 0; base = base->children.data[0])
        in_order[i] = base->children.data[1];
    Environment inner = environment;
    const LetSyntax *let = NULL;
    const Syntax *list = find_list(e, &inner, base, &let);
    return list ? subscript_list(e, environment, inner, list, let, in_order, count, sort) : FAILED;
}

/* ---- tuples ---- */

/* An arm of a select that chooses between tuples; the last one has no condition. */
typedef struct TupleArm {
    Result condition;
    Results values;
} TupleArm;

static bool select_components(Elaborator *e, Environment environment, const Syntax *const *children,
                              size_t count, Place place, Results *components) {
    size_t last = count / 2;
    TupleArm *arms = arena_array(e->arena, TupleArm, last + 1);
    for (size_t i = 0; i <= last; i++) {
        if (i < last)
            arms[i].condition = elaborate(e, environment, children[2 * i], SORT_VALUE);
        if (!elaborate_components(e, environment, children[i < last ? 2 * i + 1 : 2 * i],
                                  &arms[i].values) ||
            (i < last && result_failed(arms[i].condition)))
            return false;
        if (arms[i].values.length != arms[0].values.length)
            return diag(e->context, DIAG_COMPONENT_COUNT, place,
                        arena_number(e->arena, arms[0].values.length),
                        arena_number(e->arena, arms[i].values.length));
    }
    for (size_t k = 0; k < arms[0].values.length; k++) {
        Result chosen = arms[last].values.data[k];
        for (size_t i = last; i-- > 0;) {
            Result operands[3] = {arms[i].condition, arms[i].values.data[k], chosen};
            chosen = apply_operator(e, OP_SELECT, operands, place);
        }
        if (result_failed(chosen))
            return false;
        vec_push(e->arena, components, chosen);
    }
    return true;
}

static bool is_select_call(Elaborator *e, Environment environment, const Syntax *syntax) {
    const Syntax *callee = syntax->kind == SYNTAX_CALL ? syntax->children.data[0] : NULL;
    return callee && syntax->children.length >= 4 && syntax->children.length % 2 == 0 &&
           callee->kind == SYNTAX_NAME && !strcmp(callee->name->text, "select") &&
           !scope_find(e, environment, callee->name);
}

static bool components_of(Elaborator *e, Environment environment, const Syntax *syntax,
                          Results *components) {
    syntax = expand_aliases(e, &environment, syntax);
    const Syntax *const *children = (const Syntax *const *)syntax->children.data;
    if (syntax->kind == SYNTAX_TUPLE) {
        bool good = true;
        for (size_t i = 0; i < syntax->children.length; i++) {
            Result result = elaborate(e, environment, children[i], SORT_VALUE);
            good &= !result_failed(result);
            vec_push(e->arena, components, result);
        }
        return good;
    }
    if (syntax->kind == SYNTAX_OPERATOR && syntax->op == OP_SELECT)
        return select_components(e, environment, children, 3, syntax->place, components);
    if (is_select_call(e, environment, syntax))
        return select_components(e, environment, children + 1, syntax->children.length - 1,
                                 syntax->place, components);
    if (syntax->kind == SYNTAX_CALL)
        return call_components(e, environment, syntax, components);
    if (syntax->kind == SYNTAX_REDUCE)
        return elaborate_reduction(e, environment, syntax, components);
    Result result = elaborate(e, environment, syntax, SORT_VALUE);
    vec_push(e->arena, components, result);
    return !result_failed(result);
}

/* Reads `t.0`. A component of a written tuple takes the sort of its use. */
static Result elaborate_component(Elaborator *e, Environment environment, const Syntax *syntax,
                                  Sort sort) {
    Environment inner = environment;
    const Syntax *tuple = expand_aliases(e, &inner, syntax->children.data[0]);
    Results components = {0};
    size_t count = tuple->children.length;
    if (tuple->kind != SYNTAX_TUPLE) {
        if (!elaborate_components(e, environment, syntax->children.data[0], &components))
            return FAILED;
        count = components.length;
    }
    if (syntax->integer >= count) {
        diag(e->context, DIAG_NO_COMPONENT, syntax->place,
             arena_format(e->arena, "%llu", (unsigned long long)syntax->integer),
             arena_number(e->arena, count));
        return FAILED;
    }
    return tuple->kind == SYNTAX_TUPLE
               ? expand_element(e, environment, syntax->children.data[0], syntax->integer, sort)
               : components.data[syntax->integer];
}

/* ---- all of it ---- */

static Result not_a_value(Elaborator *e, const Syntax *syntax, const char *what,
                          const char *remedy) {
    const char *text = syntax->kind == SYNTAX_TUPLE  ? "{..}"
                       : syntax->kind == SYNTAX_LIST ? "[..]"
                       : syntax->kind == SYNTAX_NAME ? syntax->name->text
                                                     : "this";
    diag(e->context, DIAG_NOT_A_VALUE, syntax->place, text, what, remedy);
    return FAILED;
}

static Result reduction_value(Elaborator *e, Environment environment, const Syntax *syntax) {
    Results components = {0};
    if (!elaborate_reduction(e, environment, syntax, &components))
        return FAILED;
    if (components.length == 1)
        return components.data[0];
    return not_a_value(e, syntax, "a tuple", "take a component, e.g. (argmin(r in (0, n)) f(r)).0");
}

/* In a coordinate, `index(e)` states the implicit conversion; in a value it is an error. */
static Result elaborate_conversion(Elaborator *e, Environment environment, const Syntax *syntax,
                                   Sort sort) {
    Result operand = elaborate(e, environment, syntax->children.data[0], SORT_VALUE);
    if (!type_is_index(syntax->type))
        return apply_conversion(e, syntax->op, syntax->type, operand, syntax->place);
    if (sort == SORT_VALUE) {
        diag(e->context, DIAG_INDEX_IN_VALUE, syntax->place);
        return FAILED;
    }
    Expr expr = result_index(e, operand, syntax->place);
    return expr ? result_of(expr) : FAILED;
}

static Result elaborate_kind(Elaborator *e, Environment environment, const Syntax *syntax,
                             Sort sort) {
    switch (syntax->kind) {
    case SYNTAX_INTEGER:
    case SYNTAX_FLOAT:
        return (Result){NULL, syntax, false, NULL};
    case SYNTAX_BOOL:
        return result_of(expr_bool(e->pool, syntax->integer));
    case SYNTAX_NAME:
        return elaborate_name(e, environment, syntax, sort);
    case SYNTAX_OPERATOR:
        return elaborate_operator(e, environment, syntax, sort);
    case SYNTAX_CALL:
        return elaborate_call(e, environment, syntax, sort);
    case SYNTAX_CONVERT:
        return elaborate_conversion(e, environment, syntax, sort);
    case SYNTAX_MEMBER:
        return elaborate_member(e, environment, syntax, sort);
    case SYNTAX_COMPONENT:
        return elaborate_component(e, environment, syntax, sort);
    case SYNTAX_SUBSCRIPT:
        return elaborate_subscript(e, environment, syntax, sort);
    case SYNTAX_REDUCE:
        return reduction_value(e, environment, syntax);
    case SYNTAX_TUPLE:
        return not_a_value(e, syntax, "a tuple", "take a component with .0, .1, ..");
    case SYNTAX_LIST:
        return not_a_value(e, syntax, "a table", "take an element with [i]");
    case SYNTAX_INTERVAL:
        return not_a_value(e, syntax, "an interval", "parentheses hold one expression");
    case SYNTAX_LOOP:
        return not_a_value(e, syntax, "a loop", "loops are named in schedules only");
    case SYNTAX_EXTERN:
        diag(e->context, DIAG_EXTERN_PLACE, syntax->place);
        break;
    case SYNTAX_RANGE:
        diag(e->context, DIAG_EXTERN_RANGE, syntax->place);
        break;
    case SYNTAX_SUFFIX:
    case SYNTAX_SPREAD:
    case SYNTAX_COMPREHENSION:
        break; /* static/ leaves none of them */
    }
    return FAILED;
}

const SyntaxCases syntax_cases = {elaborate_kind, components_of};
