/* value.c -- static values: evaluates a text at compile time.
 *
 * Integers are 64-bit, and leaving them is a fault.  Floats are f64.  Division is Euclidean, as in
 * the language; division by zero is a fault.  `?:`, `&&` and `||` evaluate what they need.
 */
#include "frontend/static/static.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool static_fault(StaticExpander *x, Place place, const char *why) {
    return diag(x->context, DIAG_STATIC_FAULT, place, why);
}

static StaticAnswer fault(StaticExpander *x, Place place, const char *why) {
    static_fault(x, place, why);
    return STATIC_FAULT;
}

static StaticAnswer open_text(StaticExpander *x, const Syntax *syntax) {
    x->open = syntax;
    return STATIC_NO;
}

static StaticAnswer put_integer(StaticValue *value, int64_t integer) {
    *value = (StaticValue){.kind = STATIC_INTEGER, .integer = integer};
    return STATIC_YES;
}

static StaticAnswer put_float(StaticExpander *x, StaticValue *value, double real, Place place) {
    if (!isfinite(real))
        return fault(x, place, "the result is no finite number");
    *value = (StaticValue){.kind = STATIC_FLOAT, .real = real};
    return STATIC_YES;
}

static StaticAnswer put_bool(StaticValue *value, bool truth) {
    *value = (StaticValue){.kind = STATIC_BOOL, .integer = truth};
    return STATIC_YES;
}

static bool is_number(const StaticValue *value) {
    return value->kind == STATIC_INTEGER || value->kind == STATIC_FLOAT;
}

static double real_of(const StaticValue *value) {
    return value->kind == STATIC_FLOAT ? value->real : (double)value->integer;
}

/* ---- operators ---- */

static StaticAnswer apply_integers(StaticExpander *x, Op op, int64_t a, int64_t b, Place place,
                                   StaticValue *value) {
    int64_t result = 0;
    bool wraps = false;
    if ((op == OP_DIV || op == OP_MOD) && b == 0)
        return fault(x, place, "it divides by zero");
    if ((op == OP_SHIFT_LEFT || op == OP_SHIFT_RIGHT) && (b < 0 || b > 63))
        return fault(x, place, "the amount of a shift is 0 to 63");
    switch ((int)op) {
    case OP_ADD:
        wraps = __builtin_add_overflow(a, b, &result);
        break;
    case OP_SUB:
        wraps = __builtin_sub_overflow(a, b, &result);
        break;
    case OP_MUL:
        wraps = __builtin_mul_overflow(a, b, &result);
        break;
    case OP_DIV:
    case OP_MOD:
        if (a == INT64_MIN && b == -1) {
            wraps = op == OP_DIV;
            break;
        }
        result = a % b < 0 ? a % b + (b < 0 ? -b : b) : a % b;
        if (op == OP_DIV)
            result = (a - result) / b;
        break;
    case OP_SHIFT_LEFT:
        wraps = b == 63 ? a != 0 : __builtin_mul_overflow(a, (int64_t)1 << b, &result);
        break;
    case OP_SHIFT_RIGHT:
        result = a >> b;
        break;
    case OP_BIT_AND:
        result = a & b;
        break;
    case OP_BIT_OR:
        result = a | b;
        break;
    case OP_BIT_XOR:
        result = a ^ b;
        break;
    case OP_MIN:
        result = a < b ? a : b;
        break;
    case OP_MAX:
        result = a > b ? a : b;
        break;
    default:
        return fault(x, place, "this operator is not evaluated at compile time");
    }
    return wraps ? fault(x, place, "the result leaves 64 bits") : put_integer(value, result);
}

static StaticAnswer apply_floats(StaticExpander *x, Op op, double a, double b, Place place,
                                 StaticValue *value) {
    switch ((int)op) {
    case OP_ADD:
        return put_float(x, value, a + b, place);
    case OP_SUB:
        return put_float(x, value, a - b, place);
    case OP_MUL:
        return put_float(x, value, a * b, place);
    case OP_DIV:
        return b == 0 ? fault(x, place, "it divides by zero") : put_float(x, value, a / b, place);
    case OP_MIN:
        return put_float(x, value, a < b ? a : b, place);
    case OP_MAX:
        return put_float(x, value, a > b ? a : b, place);
    default:
        return fault(x, place, "this operator takes no floats at compile time");
    }
}

static int order(const StaticValue *a, const StaticValue *b) {
    if (a->kind == STATIC_INTEGER && b->kind == STATIC_INTEGER)
        return (a->integer > b->integer) - (a->integer < b->integer);
    double left = real_of(a), right = real_of(b);
    return (left > right) - (left < right);
}

static bool is_comparison(Op op) {
    return op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE || op == OP_EQ || op == OP_NE;
}

static StaticAnswer compare(StaticExpander *x, Op op, const StaticValue *a, const StaticValue *b,
                            Place place, StaticValue *value) {
    bool numbers = is_number(a) && is_number(b), same = a->kind == b->kind;
    if (!numbers && !(same && (op == OP_EQ || op == OP_NE)))
        return fault(x, place, "these two cannot be compared");
    int way = numbers                  ? order(a, b)
              : a->kind == STATIC_TYPE ? !type_equal(a->type, b->type)
                                       : a->integer != b->integer;
    return put_bool(value, op == OP_LT   ? way < 0
                           : op == OP_LE ? way <= 0
                           : op == OP_GT ? way > 0
                           : op == OP_GE ? way >= 0
                           : op == OP_EQ ? way == 0
                                         : way != 0);
}

static StaticAnswer apply_binary(StaticExpander *x, Op op, const StaticValue *a,
                                 const StaticValue *b, Place place, StaticValue *value) {
    if (is_comparison(op))
        return compare(x, op, a, b, place, value);
    if (!is_number(a) || !is_number(b))
        return fault(x, place, "this operator takes numbers");
    if (a->kind == STATIC_INTEGER && b->kind == STATIC_INTEGER)
        return apply_integers(x, op, a->integer, b->integer, place, value);
    return apply_floats(x, op, real_of(a), real_of(b), place, value);
}

static StaticAnswer apply_unary(StaticExpander *x, Op op, const StaticValue *a, Place place,
                                StaticValue *value) {
    if (op == OP_NOT && a->kind == STATIC_BOOL)
        return put_bool(value, !a->integer);
    if (op == OP_NEG && a->kind == STATIC_FLOAT)
        return put_float(x, value, -a->real, place);
    if (op == OP_NEG && a->kind == STATIC_INTEGER)
        return apply_integers(x, OP_SUB, 0, a->integer, place, value);
    if (op == OP_ABS && a->kind == STATIC_FLOAT)
        return put_float(x, value, fabs(a->real), place);
    if (op == OP_ABS && a->kind == STATIC_INTEGER)
        return a->integer >= 0 ? put_integer(value, a->integer)
                               : apply_integers(x, OP_SUB, 0, a->integer, place, value);
    if (op == OP_BIT_NOT && a->kind == STATIC_INTEGER)
        return put_integer(value, ~a->integer);
    if (is_number(a) && (op == OP_FLOOR || op == OP_CEIL || op == OP_TRUNC || op == OP_SQRT)) {
        double real = real_of(a);
        return put_float(x, value,
                         op == OP_FLOOR   ? floor(real)
                         : op == OP_CEIL  ? ceil(real)
                         : op == OP_TRUNC ? trunc(real)
                                          : sqrt(real),
                         place);
    }
    return fault(x, place, "this operator is not evaluated at compile time");
}

/* ---- conversions ---- */

static bool fits(const Type *type, int64_t integer) {
    if (type->kind == TYPE_UINT)
        return integer >= 0 && (type->bits >= 63 || integer >> type->bits == 0);
    return type->bits == 64 ||
           (integer >= -((int64_t)1 << (type->bits - 1)) && integer >> (type->bits - 1) <= 0);
}

bool static_convert(StaticExpander *x, Type type, Place place, StaticValue *value) {
    bool is_float = type_is_float(type);
    if (type_is_bool(type) ? value->kind == STATIC_BOOL
        : is_float         ? is_number(value)
                           : value->kind == STATIC_INTEGER && fits(&type, value->integer)) {
        if (is_float)
            *value = (StaticValue){.kind = STATIC_FLOAT, .real = real_of(value)};
        value->type = type;
        value->is_typed = true;
        return true;
    }
    return diag(x->context, DIAG_LITERAL_DOES_NOT_FIT, place, static_text(x, value),
                type_name(type));
}

/* `i32(2.7)`, `f64(n)` */
static StaticAnswer convert(StaticExpander *x, Type type, Place place, StaticValue *value) {
    if (value->kind == STATIC_FLOAT && !type_is_float(type) && !type_is_bool(type)) {
        double real = trunc(value->real);
        if (fabs(real) >= 9.2e18)
            return fault(x, place, "the result leaves 64 bits");
        put_integer(value, (int64_t)real);
    }
    if (!static_convert(x, type, place, value))
        return STATIC_FAULT;
    value->is_typed = false;
    return STATIC_YES;
}

/* ---- texts ---- */

bool static_type(StaticExpander *x, StaticScope scope, NameSyntax name, Type *type) {
    const Meaning *meaning = static_find(x, scope, name.name);
    const char *found = arena_format(x->arena, "`%s`", name.name->text),
               *own = syntax_own_word(name.name->text);
    if (!meaning || meaning->kind != MEANING_STATIC || meaning->value.kind != STATIC_TYPE)
        return diag(x->context, DIAG_EXPECTED, name.place, parser_type_words, found,
                    own ? arena_format(x->arena, "did you mean `%s`?", own)
                        : "docs/language.md has the grammar");
    *type = meaning->value.type;
    return true;
}

static StaticAnswer evaluate_name(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                  StaticValue *value) {
    const Meaning *meaning = static_named(x, scope, syntax);
    if (!meaning) {
        Type type;
        if (syntax->kind != SYNTAX_NAME || !type_from_name(syntax->name->text, &type) ||
            type_is_index(type))
            return open_text(x, syntax);
        *value = (StaticValue){.kind = STATIC_TYPE, .type = type};
        return STATIC_YES;
    }
    switch (meaning->kind) {
    case MEANING_STATIC:
        *value = meaning->value;
        return STATIC_YES;
    case MEANING_TEXT:
        if (meaning->let->parameters.length > 0)
            return open_text(x, syntax);
        return static_evaluate(x, meaning->scope, meaning->let->value, value);
    case MEANING_ARGUMENT:
        return static_evaluate(x, meaning->scope, meaning->written, value);
    case MEANING_SEVERAL:
        static_refuse_several(x, scope, (NameSyntax){syntax->name, syntax->place});
        return STATIC_FAULT;
    case MEANING_INPUT:
    case MEANING_IMAGE:
    case MEANING_FUNC:
    case MEANING_FAMILY:
    case MEANING_BUNDLE:
    case MEANING_REST:
    case MEANING_TEMPLATE:
    case MEANING_VARIABLE:
    case MEANING_LIST:
    case MEANING_MACRO:
        break;
    }
    return open_text(x, syntax);
}

static StaticAnswer evaluate_choice(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                    StaticValue *value) {
    StaticValue condition;
    StaticAnswer answer = static_evaluate(x, scope, syntax->children.data[0], &condition);
    if (answer != STATIC_YES)
        return answer;
    if (condition.kind != STATIC_BOOL)
        return fault(x, syntax->place, "the condition is no bool");
    return static_evaluate(x, scope, syntax->children.data[condition.integer ? 1 : 2], value);
}

static StaticAnswer evaluate_logic(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                   StaticValue *value) {
    Vec(const Syntax *) spine = {0};
    for (; syntax->kind == SYNTAX_OPERATOR && (syntax->op == OP_AND || syntax->op == OP_OR);
         syntax = syntax->children.data[0])
        vec_push(x->arena, &spine, syntax);
    StaticAnswer answer = static_evaluate(x, scope, syntax, value);
    for (size_t i = spine.length; i-- > 0 && answer == STATIC_YES;) {
        const Syntax *node = spine.data[i];
        if (value->kind == STATIC_BOOL && value->integer == (node->op == OP_OR))
            continue;
        if (value->kind == STATIC_BOOL)
            answer = static_evaluate(x, scope, node->children.data[1], value);
        if (answer == STATIC_YES && value->kind != STATIC_BOOL)
            return fault(x, node->place, "this operator takes conditions");
    }
    return answer;
}

/* The left spine is followed in a loop: a long sum is not nested. */
static StaticAnswer evaluate_infix(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                   StaticValue *value) {
    Vec(const Syntax *) spine = {0};
    for (; syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2 &&
           syntax->op != OP_AND && syntax->op != OP_OR;
         syntax = syntax->children.data[0])
        vec_push(x->arena, &spine, syntax);
    StaticAnswer answer = static_evaluate(x, scope, syntax, value);
    for (size_t i = spine.length; i-- > 0 && answer == STATIC_YES;) {
        StaticValue left = *value, right;
        const Syntax *node = spine.data[i];
        answer = static_evaluate(x, scope, node->children.data[1], &right);
        if (answer == STATIC_YES)
            answer = apply_binary(x, node->op, &left, &right, node->place, value);
    }
    return answer;
}

static StaticAnswer evaluate_operator(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                      const Syntax *const *operands, size_t count, Op op,
                                      StaticValue *value) {
    StaticValue values[2];
    for (size_t i = 0; i < count; i++) {
        StaticAnswer answer = static_evaluate(x, scope, operands[i], &values[i]);
        if (answer != STATIC_YES)
            return answer;
    }
    return count == 2 ? apply_binary(x, op, &values[0], &values[1], syntax->place, value)
                      : apply_unary(x, op, &values[0], syntax->place, value);
}

/* A built-in function, or what expands to something else: a macro, `len(..)`, `list[k]`. */
static StaticAnswer evaluate_call(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                  StaticValue *value) {
    bool failed = false;
    Syntax *reduced = x->cases->reduce(x, scope, syntax, &failed);
    if (reduced || failed)
        return failed ? STATIC_FAULT : static_evaluate(x, scope, reduced, value);
    const Syntax *callee = syntax->children.data[0];
    size_t count = syntax->children.length - 1;
    bool is_function = syntax->kind == SYNTAX_CALL && callee->kind == SYNTAX_NAME &&
                       !static_find(x, scope, callee->name);
    Op op = is_function ? op_find(callee->name->text, callee->name->length, FORM_CALL, (int)count)
                        : OP_COUNT;
    if (op == OP_COUNT || count == 0 || count > 2)
        return open_text(x, syntax);
    return evaluate_operator(x, scope, syntax, (const Syntax *const *)syntax->children.data + 1,
                             count, op, value);
}

static StaticAnswer evaluate_conversion(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                        StaticValue *value) {
    Type type = syntax->type;
    NameSyntax name = {syntax->name, syntax->place};
    if (syntax->op != OP_CAST || type_is_index(type))
        return open_text(x, syntax);
    if (name.name && !static_type(x, scope, name, &type))
        return STATIC_FAULT;
    StaticAnswer answer = static_evaluate(x, scope, syntax->children.data[0], value);
    return answer == STATIC_YES ? convert(x, type, syntax->place, value) : answer;
}

static StaticAnswer evaluate_literal(StaticExpander *x, const Syntax *syntax, StaticValue *value) {
    if (syntax->kind == SYNTAX_BOOL)
        return put_bool(value, syntax->integer);
    if (syntax->kind == SYNTAX_INTEGER)
        return syntax->integer > INT64_MAX ? fault(x, syntax->place, "the number leaves 64 bits")
                                           : put_integer(value, (int64_t)syntax->integer);
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double real = strtod_l(syntax->text, NULL, c_locale);
    freelocale(c_locale);
    return put_float(x, value, real, syntax->place);
}

static StaticAnswer evaluate_kind(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                                  StaticValue *value) {
    switch (syntax->kind) {
    case SYNTAX_INTEGER:
    case SYNTAX_FLOAT:
    case SYNTAX_BOOL:
        return evaluate_literal(x, syntax, value);
    case SYNTAX_NAME:
    case SYNTAX_MEMBER:
        return evaluate_name(x, scope, syntax, value);
    case SYNTAX_OPERATOR:
        if (syntax->op == OP_SELECT)
            return evaluate_choice(x, scope, syntax, value);
        if (syntax->op == OP_AND || syntax->op == OP_OR)
            return evaluate_logic(x, scope, syntax, value);
        if (syntax->children.length == 2)
            return evaluate_infix(x, scope, syntax, value);
        return evaluate_operator(x, scope, syntax, (const Syntax *const *)syntax->children.data,
                                 syntax->children.length, syntax->op, value);
    case SYNTAX_CALL:
    case SYNTAX_SUBSCRIPT:
        return evaluate_call(x, scope, syntax, value);
    case SYNTAX_CONVERT:
        return evaluate_conversion(x, scope, syntax, value);
    case SYNTAX_COMPONENT:
    case SYNTAX_TUPLE:
    case SYNTAX_LIST:
    case SYNTAX_INTERVAL:
    case SYNTAX_EXTERN:
    case SYNTAX_RANGE:
    case SYNTAX_LOOP:
    case SYNTAX_REDUCE:
    case SYNTAX_SUFFIX:
    case SYNTAX_SPREAD:
    case SYNTAX_COMPREHENSION:
        break;
    }
    return open_text(x, syntax);
}

StaticAnswer static_evaluate(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                             StaticValue *value) {
    if (!static_enter(x, syntax->place))
        return STATIC_FAULT;
    StaticAnswer answer = evaluate_kind(x, scope, syntax, value);
    x->depth--;
    return answer;
}

/* ---- static places ---- */

bool static_need(StaticExpander *x, StaticScope scope, const Syntax *syntax, const char *what,
                 StaticValue *value) {
    StaticAnswer answer = static_evaluate(x, scope, syntax, value);
    if (answer == STATIC_NO && x->defers) {
        x->is_deferred = true;
        return false;
    }
    if (answer == STATIC_NO) {
        const Syntax *open = x->open;
        const char *name = open->kind == SYNTAX_NAME ? open->name->text : NULL;
        diag(x->context, DIAG_NOT_STATIC, open->place, what,
             name ? arena_format(x->arena, "`%s`", name) : "this");
    }
    return answer == STATIC_YES;
}

bool static_need_integer(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                         const char *what, int64_t *integer) {
    StaticValue value;
    if (!static_need(x, scope, syntax, what, &value))
        return false;
    *integer = value.integer;
    return value.kind == STATIC_INTEGER ||
           static_fault(x, syntax->place, arena_format(x->arena, "%s is an integer", what));
}

bool static_need_bool(StaticExpander *x, StaticScope scope, const Syntax *syntax, const char *what,
                      bool *truth) {
    StaticValue value;
    if (!static_need(x, scope, syntax, what, &value))
        return false;
    *truth = value.integer;
    return value.kind == STATIC_BOOL ||
           static_fault(x, syntax->place, arena_format(x->arena, "%s is a bool", what));
}

/* ---- literals ---- */

/* As few digits as identify it, with a point. */
static const char *float_text(StaticExpander *x, double real) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c_locale);
    const char *text = "";
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_format(x->arena, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    uselocale(old);
    freelocale(c_locale);
    return strpbrk(text, ".e") ? text : arena_format(x->arena, "%s.0", text);
}

const char *static_text(StaticExpander *x, const StaticValue *value) {
    switch (value->kind) {
    case STATIC_INTEGER:
        return arena_number(x->arena, value->integer);
    case STATIC_FLOAT:
        return float_text(x, value->real);
    case STATIC_BOOL:
        return value->integer ? "true" : "false";
    case STATIC_TYPE:
        return type_name(value->type);
    }
    return "";
}

static Syntax *literal(StaticExpander *x, const StaticValue *value, Place place) {
    bool is_float = value->kind == STATIC_FLOAT;
    Syntax *syntax = static_node(x,
                                 is_float                     ? SYNTAX_FLOAT
                                 : value->kind == STATIC_BOOL ? SYNTAX_BOOL
                                                              : SYNTAX_INTEGER,
                                 place);
    bool negative = is_float ? signbit(value->real) : value->integer < 0;
    syntax->integer = negative ? 0 - (uint64_t)value->integer : (uint64_t)value->integer;
    if (is_float)
        syntax->text = float_text(x, fabs(value->real));
    if (!negative)
        return syntax;
    Syntax *minus = static_node(x, SYNTAX_OPERATOR, place);
    minus->op = OP_NEG;
    static_adopt(x, minus, syntax);
    return minus;
}

Syntax *static_literal(StaticExpander *x, const StaticValue *value, Place place) {
    Syntax *syntax = literal(x, value, place);
    if (!value->is_typed)
        return syntax;
    Syntax *converted = static_node(x, SYNTAX_CONVERT, place);
    converted->op = OP_CAST;
    converted->type = value->type;
    static_adopt(x, converted, syntax);
    return converted;
}

bool static_read(const char *text, StaticValue *value) {
    char *end;
    *value = (StaticValue){.kind = STATIC_BOOL, .integer = !strcmp(text, "true")};
    if (value->integer || !strcmp(text, "false"))
        return true;
    value->kind = STATIC_TYPE;
    if (type_from_name(text, &value->type) && !type_is_index(value->type))
        return true;
    if (!*text || text[strspn(text, "+-.0123456789eExXabcdfABCDF")])
        return false;
    long long integer = strtoll(text, &end, 0);
    *value = (StaticValue){.kind = STATIC_INTEGER, .integer = integer};
    if (!*end)
        return integer != INT64_MAX && integer != INT64_MIN;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *value = (StaticValue){.kind = STATIC_FLOAT, .real = strtod_l(text, &end, c_locale)};
    freelocale(c_locale);
    return !*end && isfinite(value->real);
}
