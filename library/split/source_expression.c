/* source_expression.c -- expressions as text.
 *
 * Sorts: in an index position arithmetic is over the integers, elsewhere it is the machine's
 * (docs/language.md). A node knows its sort, so the text says `index(e)` where a value becomes an
 * index, and just the name where a variable becomes a value. The language has no comparison of
 * indices; a table has: `[false, true][b - a]` is `a < b`, as a table reads its nearest end outside.
 */
#include "library/split/source.h"

#include <inttypes.h>
#include <string.h>

enum { ALONE = 0, PREFIX = 13, POSTFIX = 14 };

static void put_expr(SourceText *source, Expr expr, int precedence, bool is_plain);

static void fail(SourceText *source, const char *what) {
    if (!source->fault)
        source->fault = what;
}

/* ---- leaves ---- */

static void put_variable(SourceText *source, Expr expr) {
    Symbol buffer;
    BufferField field;
    int d;
    const Signature *signature = &source->pipeline->signature;
    if (!signature_parameter(signature, expr->name) &&
        buffer_field_parse(source->pipeline->pool->context, expr->name, &buffer, &field, &d) &&
        (signature_image(signature, buffer) || signature_output(signature, buffer)))
        source_put(source, "%s.%s(%d)", source_name(source, buffer),
                   field == FIELD_STRIDE    ? "stride"
                   : field_is_extent(field) ? "extent"
                                            : "min",
                   d);
    else
        source_put(source, "%s", source_name(source, expr->name));
}

static bool is_odd_float(Type type, Bits bits) {
    double value = bits_to_double(type, bits);
    return type_is_float(type) && (value != value || value - value != 0);
}

static void put_constant(SourceText *source, Expr expr, int precedence, bool is_plain) {
    Type type = expr->type;
    char text[64];
    if (is_odd_float(type, expr->bits)) {
        source_put(source, "reinterpret<%s>(u%d(%" PRIu64 "))", type_name(type), type.bits,
                   (uint64_t)expr->bits);
        return;
    }
    value_print(type, expr->bits, text, sizeof text);
    bool is_typed = !type_is_bool(type) && !type_is_index(type) && !is_plain;
    bool is_open = !is_typed && text[0] == '-' && precedence > ALONE;
    if (is_typed)
        source_put(source, "%s(%s)", type_name(type), text);
    else
        source_put(source, is_open ? "(%s)" : "%s", text);
}

static void put_list(SourceText *source, const Expr *list, int count) {
    for (int i = 0; i < count; i++) {
        source_put(source, "%s", i ? ", " : "");
        put_expr(source, list[i], ALONE, false);
    }
}

static void put_access(SourceText *source, Expr expr) {
    const FuncShape *shape = signature_func(&source->pipeline->signature, expr->name);
    source_put(source, "%s(", source_name(source, expr->name));
    put_list(source, expr->arguments, expr->arity);
    source_put(source, ")");
    if (shape && shape->components > 1)
        source_put(source, ".%d", expr->component);
}

/* ---- operators ---- */

static void put_cast(SourceText *source, Expr expr) {
    Expr from = expr->arguments[0];
    if (type_is_index(expr->type)) {
        source_put(source, "index(");
    } else if (type_is_index(from->type)) {
        if (from->op == OP_VARIABLE && type_equal(expr->type, I32))
            put_variable(source, from);
        else
            fail(source, "an index is a value in a way that the language has no words for");
        return;
    } else {
        source_put(source, "%s(", type_name(expr->type));
    }
    put_expr(source, from, ALONE, false);
    source_put(source, ")");
}

/* A comparison of indices. */
static void put_index_comparison(SourceText *source, Expr expr) {
    bool is_equality = expr->op == OP_EQ || expr->op == OP_NE;
    Expr a = expr->arguments[0], b = expr->arguments[1];
    source_put(source, expr->op == OP_EQ ? "[true, false][" : "[false, true][");
    source_put(source, is_equality ? "abs(" : "");
    put_expr(source, b, 11, false);
    source_put(source, " - ");
    put_expr(source, a, 12, false);
    source_put(source, is_equality ? ")" : expr->op == OP_LE ? " + 1" : "");
    source_put(source, "]");
}

/* Operand `i` may be a literal without a type if another operand gives it its type. */
static bool takes_type(Expr expr, int i) {
    OpTypes types = op_info((Op)expr->op)->types;
    int first = types == TYPES_CHOOSE ? 1 : 0;
    if (expr->arguments[i]->op != OP_CONSTANT || i < first ||
        (types != TYPES_SAME && types != TYPES_COMPARE && types != TYPES_CHOOSE))
        return false;
    for (int k = first; k < expr->arity; k++)
        if (k != i && expr->arguments[k]->op != OP_CONSTANT)
            return true;
    return false;
}

static void put_infix(SourceText *source, Expr expr, int precedence) {
    const OpInfo *info = op_info((Op)expr->op);
    bool is_open = info->precedence < precedence;
    source_put(source, is_open ? "(" : "");
    put_expr(source, expr->arguments[0], info->precedence, takes_type(expr, 0));
    source_put(source, " %s ", info->text);
    put_expr(source, expr->arguments[1], info->precedence + 1, takes_type(expr, 1));
    source_put(source, is_open ? ")" : "");
}

static void put_call(SourceText *source, Expr expr) {
    const OpInfo *info = op_info((Op)expr->op);
    if (info->types == TYPES_CONVERT)
        source_put(source, "%s<%s>(", info->text, type_name(expr->type));
    else
        source_put(source, "%s(", info->text);
    for (int i = 0; i < expr->arity; i++) {
        source_put(source, "%s", i ? ", " : "");
        put_expr(source, expr->arguments[i], ALONE, takes_type(expr, i));
    }
    source_put(source, ")");
}

static void put_operator(SourceText *source, Expr expr, int precedence) {
    const OpInfo *info = op_info((Op)expr->op);
    if (info->types == TYPES_COMPARE && type_is_index(expr->arguments[0]->type)) {
        put_index_comparison(source, expr);
    } else if (expr->op == OP_CAST) {
        put_cast(source, expr);
    } else if (info->form == FORM_INFIX) {
        put_infix(source, expr, precedence);
    } else if (info->form == FORM_PREFIX) {
        bool is_open = precedence > PREFIX;
        source_put(source, "%s%s", is_open ? "(" : "", info->text);
        put_expr(source, expr->arguments[0], POSTFIX, false);
        source_put(source, is_open ? ")" : "");
    } else {
        put_call(source, expr);
    }
}

static void put_expr(SourceText *source, Expr expr, int precedence, bool is_plain) {
    const char *let = map_get(&source->lets, expr);
    if (let) {
        source_put(source, "%s", let);
        return;
    }
    switch (expr->op) {
    case OP_CONSTANT:
        put_constant(source, expr, precedence, is_plain);
        break;
    case OP_VARIABLE:
        put_variable(source, expr);
        break;
    case OP_ACCESS:
        put_access(source, expr);
        break;
    case OP_HOLE:
    case OP_RAMP:
    case OP_BROADCAST:
    case OP_EXTERN:
        fail(source, "a C function computes a func");
        break;
    default:
        put_operator(source, expr, precedence);
    }
}

void source_expression(SourceText *source, Expr expr) {
    put_expr(source, expr, ALONE, false);
}

void source_plain(SourceText *source, Expr expr) {
    put_expr(source, expr, ALONE, true);
}
