/* read.c -- reads expressions of the text form by precedence climbing over the operator table.
 *
 * The constructors fold constants and order the operands of commutative operators, so printed text
 * reads back as the same nodes. Limits.nesting bounds the recursion; chains of operators of one
 * precedence do not recurse. read_token.c reads words, read_program.c programs.
 */
#include "ir/print.h"
#include "ir/reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- literals ---- */

/* Reads a literal after its optional sign: a number, `:` and its type. A literal without a type has
 * sort index. Outside programs, a literal with a point and without a type is a float. */
static Expr read_literal(TextReader *reader, bool negative) {
    Token token = *reader_peek(reader);
    Type type = INDEX;
    Bits bits;
    reader_advance(reader);
    bool has_type = reader_accept(reader, ":");
    bool is_loose = !has_type && !reader->signature && token.kind == TOKEN_FLOAT;
    if (has_type && !read_type(reader, &type))
        return NULL;
    if (!reader_number_bits(reader, is_loose ? F32 : type, &token, negative, &bits))
        return NULL;
    Expr expr = expr_constant(reader->pool, is_loose ? F32 : type, bits);
    if (is_loose)
        vec_push(reader->arena, &reader->loose, ((LooseNumber){expr, token, negative}));
    return expr;
}

static const LooseNumber *loose_number(const TextReader *reader, Expr expr) {
    for (size_t i = 0; i < reader->loose.length; i++)
        if (reader->loose.data[i].expr == expr)
            return &reader->loose.data[i];
    return NULL;
}

/* ---- holes ---- */

/* Reads the number after `letter` in a name such as `z2` or `s0`. The number must end the text. */
static bool stretch_number(const char *text, size_t length, char letter, int *number) {
    if (length < 2 || length > 8 || text[0] != letter)
        return false;
    *number = 0;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (text[i] - '0');
    }
    return true;
}

/* Cuts the part after the last dot off text[0..*length) and returns it; null if there is no dot. */
static const char *cut_last(const char *text, size_t *length, size_t *stretch) {
    size_t dot = *length;
    while (dot > 0 && text[dot - 1] != '.')
        dot--;
    if (dot < 2)
        return NULL;
    *stretch = *length - dot;
    *length = dot - 1;
    return text + dot;
}

/* Parses `?for.f.z2.s1.x.min'3` from the right: copy, end, variable, stage, specialization. The
 * rest is the func. */
static bool parse_hole(Context *context, const Token *token, Hole *hole) {
    static const char *const kinds[] = {
        [HOLE_MEM] = "?mem.", [HOLE_CPU] = "?cpu.", [HOLE_FOR] = "?for."};
    *hole = (Hole){0};
    if (token->length < 6)
        return false;
    int kind = HOLE_MEM;
    while (kind <= HOLE_FOR && memcmp(kinds[kind], token->text, 5) != 0)
        kind++;
    if (kind > HOLE_FOR)
        return false;
    hole->kind = (HoleKind)kind;
    const char *text = token->text + 5, *part;
    size_t length = token->length - 5, size;
    const char *quote = memchr(text, '\'', length);
    if (quote) {
        size_t digits = length - (size_t)(quote - text);
        if (!stretch_number(quote, digits, '\'', &hole->copy))
            return false;
        length -= digits;
    }
    part = cut_last(text, &length, &size);
    if (!part || size != 3 || (memcmp(part, "min", 3) != 0 && memcmp(part, "len", 3) != 0))
        return false;
    hole->end = *part == 'm' ? HOLE_MINIMUM : HOLE_LENGTH;
    part = cut_last(text, &length, &size);
    if (!part || size == 0)
        return false;
    hole->variable = symbol_intern(&context->symbols, part, size);
    if (hole->kind == HOLE_FOR) {
        part = cut_last(text, &length, &size);
        if (!part || !stretch_number(part, size, 's', &hole->stage))
            return false;
    }
    size_t shorter = length;
    part = cut_last(text, &shorter, &size);
    if (part && stretch_number(part, size, 'z', &hole->specialization))
        length = shorter;
    hole->func = symbol_intern(&context->symbols, text, length);
    return length > 0;
}

static Expr read_hole(TextReader *reader) {
    const Token *token = reader_peek(reader);
    Hole hole;
    if (!parse_hole(reader->context, token, &hole)) {
        reader_unexpected(reader, "a hole such as `?cpu.f.x.min`");
        return NULL;
    }
    if (reader->signature && !signature_func(reader->signature, hole.func)) {
        diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, token->place, hole.func->text);
        return NULL;
    }
    reader_advance(reader);
    return expr_hole(reader->pool, hole);
}

/* ---- names ---- */

/* Finds the variable's type; returns false after reporting. */
static bool variable_type(TextReader *reader, Symbol name, Place place, Type *type) {
    *type = INDEX;
    if (!reader->signature) {
        if (!reader->name_type || reader->name_type(reader->data, name, type))
            return true;
    } else {
        const ReaderBinding *binding = map_get(&reader->bindings, name);
        if (binding && binding->in_scope) {
            *type = binding->type;
            return true;
        }
        Symbol buffer;
        BufferField field;
        int dimension;
        if (buffer_field_parse(reader->context, name, &buffer, &field, &dimension) &&
            signature_has_field(reader->signature, buffer, field, dimension))
            return true;
    }
    return diag(reader->context, DIAG_TEXT_UNKNOWN_NAME, place, name->text);
}

/* Finds the type of an access, and its number of indices (-1: any number). */
static bool access_type(TextReader *reader, Symbol name, int component, Place place, Type *type,
                        int *dimensions) {
    *dimensions = -1;
    *type = INDEX;
    if (!reader->signature) {
        Symbol asked =
            component ? symbol_format(&reader->context->symbols, "%s.%d", name->text, component)
                      : name;
        if (!reader->name_type || reader->name_type(reader->data, asked, type))
            return true;
        return diag(reader->context, DIAG_TEXT_UNKNOWN_NAME, place, asked->text);
    }
    const FuncShape *func = signature_func(reader->signature, name);
    const ImageParameter *image = signature_image(reader->signature, name);
    if (func ? component >= func->components : image ? component > 0 : true)
        return diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, place,
                    component ? arena_format(reader->arena, "%s[..].%d", name->text, component)
                              : name->text);
    *type = func ? func->types[component] : image->type;
    *dimensions = func ? func->dimensions : image->dimensions;
    return true;
}

static Expr read_access(TextReader *reader, Symbol name, Place place) {
    Expr indices[MAX_DIMENSIONS];
    int count = 0, component = 0, dimensions;
    Type type;
    reader_advance(reader);
    while (!reader_sees(reader, "]")) {
        if (count == MAX_DIMENSIONS) {
            reader_unexpected(reader, "`]`");
            return NULL;
        }
        if ((count && !reader_expect(reader, ",")) ||
            !(indices[count] = read_expr_of(reader, INDEX)))
            return NULL;
        count++;
    }
    reader_advance(reader);
    if (reader_accept(reader, ".") && !read_count(reader, 1000, &component))
        return NULL;
    if (!access_type(reader, name, component, place, &type, &dimensions))
        return NULL;
    if (dimensions >= 0 && dimensions != count) {
        diag(reader->context, DIAG_TEXT_COUNT, place, name->text,
             arena_format(reader->arena, "%d dimensions", dimensions),
             arena_number(reader->arena, count));
        return NULL;
    }
    return expr_access(reader->pool, name, component, type, indices, count);
}

/* ---- operators ---- */

Expr expr_adapt(Pool *pool, Expr expr, Type type) {
    Expr arms[2];
    if (!type_is_index(expr->type) || type_is_bool(type))
        return NULL;
    if (expr->op == OP_SELECT) {
        for (int i = 0; i < 2; i++) {
            Expr arm = expr->arguments[i + 1];
            arms[i] = arm->op == OP_CONSTANT ? expr_adapt(pool, arm, type) : NULL;
        }
        return arms[0] && arms[1] ? expr_select(pool, expr->arguments[0], arms[0], arms[1]) : NULL;
    }
    if (expr->op != OP_CONSTANT)
        return NULL;
    if (type_is_float(type))
        return expr_cast(pool, type, expr);
    bool fits = type.kind == TYPE_UINT && type.bits == 64
                    ? expr->bits >= 0
                    : type_minimum(type) <= expr->bits && expr->bits <= type_maximum(type);
    return fits ? expr_constant(pool, type, expr->bits) : NULL;
}

/* Returns the literal converted to the type; null if `expr` is not a literal or does not fit. */
static Expr adapt(TextReader *reader, Expr expr, Type type) {
    const LooseNumber *loose = loose_number(reader, expr);
    Bits bits;
    if (!loose)
        return expr_adapt(reader->pool, expr, type);
    bool fits = type_is_float(type) &&
                reader_number_bits(reader, type, &loose->token, loose->negative, &bits);
    return fits ? expr_constant(reader->pool, type, bits) : NULL;
}

/* Gives literals the type of the first operand that is not a literal. */
static void adapt_literals(TextReader *reader, Op op, Expr *arguments) {
    const OpInfo *info = op_info(op);
    Type wanted = INDEX;
    bool is_own = false;
    for (int i = info->arity; i-- > 0;) {
        Expr argument = arguments[i];
        bool owns = !loose_number(reader, argument);
        if (type_is_index(argument->type) || type_is_bool(argument->type) || (is_own && !owns))
            continue;
        wanted = argument->type;
        is_own = owns;
    }
    wanted.lanes = 1;
    for (int i = 0; i < info->arity && !type_is_index(wanted); i++) {
        Expr adapted = adapt(reader, arguments[i], wanted);
        arguments[i] = adapted ? adapted : arguments[i];
    }
}

/* Broadcasts scalar operands if another operand is a vector. */
static void spread_scalars(TextReader *reader, Op op, Expr *arguments) {
    int arity = op_info(op)->arity, lanes = 1;
    for (int i = 0; i < arity; i++)
        if (type_is_vector(arguments[i]->type))
            lanes = arguments[i]->type.lanes;
    for (int i = 0; i < arity && lanes > 1; i++)
        if (!type_is_vector(arguments[i]->type))
            arguments[i] = expr_broadcast(reader->pool, arguments[i], lanes);
}

/* Returns "index", or "index x 8" for a vector. */
static const char *type_text(TextReader *reader, Type type) {
    return type_is_vector(type)
               ? arena_format(reader->arena, "%s x %d", type_name(type), type.lanes)
               : type_name(type);
}

/* Turns a shift of an index by a constant into a product or quotient, as in a .hl file. */
static Op lower_shift(TextReader *reader, Op op, Expr *arguments) {
    enum { MOST = 30 };
    if (op != OP_SHIFT_LEFT && op != OP_SHIFT_RIGHT)
        return op;
    Expr amount = arguments[1];
    Type shifted = arguments[0]->type;
    shifted.lanes = 1;
    if (!type_is_index(shifted) || amount->op != OP_CONSTANT || !type_is_index(amount->type) ||
        amount->bits < 0 || amount->bits > MOST)
        return op;
    arguments[1] = expr_index(reader->pool, (int64_t)1 << amount->bits);
    return op == OP_SHIFT_LEFT ? OP_MUL : OP_DIV;
}

/* Applies an operator. `type` is the stated type of a conversion. */
static Expr apply(TextReader *reader, Op op, Type type, Expr *arguments, Place place) {
    if (!reader->signature) {
        adapt_literals(reader, op, arguments);
        op = lower_shift(reader, op, arguments);
        spread_scalars(reader, op, arguments);
    }
    const OpInfo *info = op_info(op);
    Type operands[OP_MAX_ARITY] = {BOOL}, result = type;
    const char *names[OP_MAX_ARITY + 1] = {"", "", "", ""};
    for (int i = 0; i < info->arity; i++) {
        operands[i] = arguments[i]->type;
        names[i] = type_text(reader, operands[i]);
    }
    if (!op_result_type(op, operands, &result)) {
        diag(reader->context, DIAG_TEXT_TYPES, place, info->text,
             arena_format(reader->arena, "%s%s%s%s%s", names[0], info->arity > 1 ? ", " : "",
                          names[1], info->arity > 2 ? ", " : "", names[2]));
        return NULL;
    }
    if (info->types == TYPES_CONVERT)
        return expr_convert(reader->pool, op, type, arguments[0]);
    return expr_apply(reader->pool, op, arguments);
}

/* Reads `(a, b, c)`. */
static bool read_arguments(TextReader *reader, Expr *arguments, int *count) {
    *count = 0;
    if (!reader_expect(reader, "("))
        return false;
    while (!reader_sees(reader, ")")) {
        if (*count == OP_MAX_ARITY)
            return reader_unexpected(reader, "`)`");
        if ((*count && !reader_expect(reader, ",")) || !(arguments[*count] = read_expr(reader)))
            return false;
        ++*count;
    }
    reader_advance(reader);
    return true;
}

/* Builds `max(min(x, b), a)` from `clamp(x, a, b)`. */
static Expr clamp(TextReader *reader, const Expr *arguments, Place place) {
    Expr inner[] = {arguments[0], arguments[2]};
    Expr smaller = apply(reader, OP_MIN, INDEX, inner, place);
    if (!smaller)
        return NULL;
    Expr outer[] = {smaller, arguments[1]};
    return apply(reader, OP_MAX, INDEX, outer, place);
}

/* Builds `ramp(base, stride, lanes)` or `broadcast(e, lanes)`. Programs have no vectors. */
static Expr vector(TextReader *reader, Token name, Expr *arguments, int count) {
    Expr last = arguments[count - 1];
    bool is_ramp = count == 3, fits = !type_is_vector(arguments[0]->type);
    for (int i = 0; i < 2 && is_ramp; i++)
        fits &= type_equal(arguments[i]->type, INDEX);
    if (!fits) {
        diag(reader->context, DIAG_TEXT_TYPES, name.place, is_ramp ? "ramp" : "broadcast",
             type_text(reader, arguments[0]->type));
        return NULL;
    }
    if (last->op != OP_CONSTANT || !type_equal(last->type, INDEX) || last->bits < 2 ||
        last->bits > UINT16_MAX) {
        diag(reader->context, DIAG_TEXT_LITERAL, name.place, expr_text(reader->arena, last),
             "lanes (2 to 65535)");
        return NULL;
    }
    return is_ramp ? expr_ramp(reader->pool, arguments[0], arguments[1], (int)last->bits)
                   : expr_broadcast(reader->pool, arguments[0], (int)last->bits);
}

static Expr read_call(TextReader *reader, Token name) {
    Expr arguments[OP_MAX_ARITY];
    int count;
    Type type = INDEX;
    bool is_cast = reader_token_type(&name, &type);
    if (!read_arguments(reader, arguments, &count))
        return NULL;
    if (token_is_name(&name, "clamp") && count == 3)
        return clamp(reader, arguments, name.place);
    if (!reader->signature && ((token_is_name(&name, "ramp") && count == 3) ||
                               (token_is_name(&name, "broadcast") && count == 2)))
        return vector(reader, name, arguments, count);
    Op op = is_cast && count == 1 ? OP_CAST : op_find(name.text, name.length, FORM_CALL, count);
    if (op == OP_COUNT || (op_info(op)->types == TYPES_CONVERT && op != OP_CAST)) {
        diag(reader->context, DIAG_TEXT_UNKNOWN_CALL, name.place,
             arena_format(reader->arena, "%.*s", (int)name.length, name.text),
             arena_number(reader->arena, count));
        return NULL;
    }
    return apply(reader, op, type, arguments, name.place);
}

/* Reads `reinterpret<f32>(a)`: any conversion but a plain cast. */
static Expr read_conversion(TextReader *reader, Op op, Place place) {
    Expr arguments[OP_MAX_ARITY];
    int count;
    Type type;
    reader_advance(reader);
    if (!read_type(reader, &type) || !reader_expect(reader, ">") ||
        !read_arguments(reader, arguments, &count))
        return NULL;
    if (count != 1) {
        diag(reader->context, DIAG_TEXT_UNKNOWN_CALL, place, op_info(op)->text,
             arena_number(reader->arena, count));
        return NULL;
    }
    return apply(reader, op, type, arguments, place);
}

static Expr shared(TextReader *reader, uint64_t number, Place place) {
    if (number >= 1 && number <= reader->shared.length)
        return reader->shared.data[number - 1];
    diag(reader->context, DIAG_TEXT_UNKNOWN_NAME, place,
         arena_format(reader->arena, "%%%llu", (unsigned long long)number));
    return NULL;
}

static Expr read_named(TextReader *reader) {
    Token name = *reader_peek(reader);
    if (name.text[0] == '?')
        return read_hole(reader);
    reader_advance(reader);
    if (name.text[0] == '%')
        return shared(reader,
                      strtoull(arena_text(reader->arena, name.text + 1, name.length - 1), NULL, 10),
                      name.place);
    if (token_is_name(&name, "true") || token_is_name(&name, "false"))
        return expr_bool(reader->pool, name.text[0] == 't');
    Symbol symbol = reader_token_symbol(reader, &name);
    if (reader_sees(reader, "["))
        return read_access(reader, symbol, name.place);
    if (reader_sees(reader, "("))
        return read_call(reader, name);
    Op op = op_find(name.text, name.length, FORM_CALL, 1);
    if (op != OP_COUNT && op_info(op)->types == TYPES_CONVERT && reader_sees(reader, "<"))
        return read_conversion(reader, op, name.place);
    Type type;
    if (!variable_type(reader, symbol, name.place, &type))
        return NULL;
    return expr_variable(reader->pool, symbol, type);
}

static Expr read_primary(TextReader *reader) {
    if (reader_is_number(reader, false))
        return read_literal(reader, false);
    if (reader_peek(reader)->kind == TOKEN_NAME)
        return read_named(reader);
    if (reader_accept(reader, "(")) {
        Expr expr = read_expr(reader);
        return expr && reader_expect(reader, ")") ? expr : NULL;
    }
    Place place = reader_peek(reader)->place;
    if (reader_accept(reader, "%")) { /* in `(%1`, the lexer returns `%` and `1` apart */
        int number;
        return read_count(reader, INT32_MAX, &number) ? shared(reader, (uint64_t)number, place)
                                                      : NULL;
    }
    reader_unexpected(reader, "an expression");
    return NULL;
}

static bool enter(TextReader *reader) {
    if (++reader->nesting <= reader->context->limits.nesting)
        return true;
    return diag(reader->context, DIAG_TEXT_NESTING, reader_peek(reader)->place,
                arena_number(reader->arena, reader->context->limits.nesting));
}

static Expr read_unary(TextReader *reader) {
    const Token *token = reader_peek(reader);
    Place place = token->place;
    Op op = token->kind == TOKEN_PUNCTUATION ? op_find(token->text, token->length, FORM_PREFIX, 1)
                                             : OP_COUNT;
    if (op == OP_COUNT)
        return read_primary(reader);
    reader_advance(reader);
    if (op == OP_NEG && reader_is_number(reader, false))
        return read_literal(reader, true);
    Expr operand = enter(reader) ? read_unary(reader) : NULL;
    reader->nesting--;
    return operand ? apply(reader, op, INDEX, &operand, place) : NULL;
}

/* Reads operators that bind at least as tightly as `precedence`. */
static Expr read_binary(TextReader *reader, int precedence) {
    Expr left = enter(reader) ? read_unary(reader) : NULL;
    while (left) {
        const Token *token = reader_peek(reader);
        Place place = token->place;
        Op op = token->kind == TOKEN_PUNCTUATION
                    ? op_find(token->text, token->length, FORM_INFIX, 2)
                    : OP_COUNT;
        if (op == OP_COUNT || op_info(op)->precedence < precedence)
            break;
        reader_advance(reader);
        Expr right = read_binary(reader, op_info(op)->precedence + 1);
        left = right ? apply(reader, op, INDEX, (Expr[]){left, right}, place) : NULL;
    }
    reader->nesting--;
    return left;
}

Expr read_expr(TextReader *reader) {
    return read_binary(reader, 1);
}

Expr read_expr_of(TextReader *reader, Type type) {
    Place place = reader_peek(reader)->place;
    Expr expr = read_expr(reader);
    if (!expr || type_equal(expr->type, type))
        return expr;
    diag(reader->context, DIAG_TEXT_TYPE, place, type_name(type), type_text(reader, expr->type));
    return NULL;
}

Expr expr_read(Pool *pool, const char *text, size_t length, NameType *name_type, void *data,
               Place place) {
    TextReader reader = reader_begin(pool, pool->arena, text, length, place);
    reader.name_type = name_type;
    reader.data = data;
    Expr expr = read_expr(&reader);
    if (expr && reader_peek(&reader)->kind != TOKEN_END) {
        reader_unexpected(&reader, "the end of the expression");
        return NULL;
    }
    return expr;
}
