/* generate_expression.c -- random expressions, typed, as text.
 *
 * A value of a type is a leaf or an operator of ops.def whose rule can give that type.  A leaf is a
 * literal, a coordinate, a parameter, or a read of an earlier func or an image.  Every value is
 * written `type(..)`: the cast to its own type means nothing, and shows shrinking where values
 * begin.  An index is affine in a coordinate (shifted, strided, reversed, halved, transposed), is a
 * constant, or comes from data through a clamp, a modulus, a mask or a narrow type.
 */
#include "checkers/fuzz/generate.h"

#include "ir/ops.h"

#include <string.h>

const char *const case_variables[CASE_DIMENSIONS] = {"x", "y", "c"};
const char *const case_reductions[CASE_REDUCTIONS] = {"r0", "r1", "r2"};

Type generate_type(RandomSource *random) {
    static const Type types[] = {U8,  U8,  I8,  U16, I16, I32, I32,  I32, U32,
                                 I64, U64, F32, F32, F64, F16, BF16, BOOL};
    return random_pick(random, types);
}

static const char *wrap(ExpressionScope *scope, Type type, const char *text) {
    return arena_format(scope->arena, "%s(%s)", type_name(type), text);
}

/* ---- indices ---- */

static const char *scaled(ExpressionScope *scope, const char *name, int c) {
    Arena *arena = scope->arena;
    switch (random_below(scope->random, 4)) {
    case 0:
        return arena_format(arena, "%d*%s + %d", random_between(scope->random, 2, 3), name, c);
    case 1:
        return arena_format(arena, "%d - %s", c, name);
    case 2:
        return arena_format(arena, "%s + %s", name,
                            scope->names[random_below(scope->random, scope->name_count)]);
    default:
        return arena_format(arena, "(%s + %d)/2*2", name, c);
    }
}

/* The first parameter that is a small integer, or null. */
static const CaseParameter *small_parameter(const Case *c) {
    for (int i = 0; i < c->parameter_count; i++)
        if (c->parameters[i].lower <= c->parameters[i].upper && c->parameters[i].type.bits <= 32)
            return &c->parameters[i];
    return NULL;
}

/* Far from zero, a scaled index leaves i32, and a constant lies 2^31 away. */
static const char *far_index(ExpressionScope *scope) {
    RandomSource *random = scope->random;
    const char *name = NULL, *other = scope->names[random_below(random, scope->name_count)];
    for (int i = 0; i < scope->name_count; i++)
        if (scope->names[i][0] == 'x' || (scope->names[i][0] == 'y' && random_chance(random, 50)))
            name = scope->names[i];
    if (!name)
        return other;
    if ((other[0] == 'r' || other[0] == 'q') && random_chance(random, 60))
        return arena_format(scope->arena, "%s + %s", name, other);
    return random_chance(random, 50)
               ? name
               : arena_format(scope->arena, "%s + %d", name, random_between(random, -4, 4));
}

static bool in_scope(const ExpressionScope *scope, const char *name) {
    for (int i = 0; i < scope->name_count; i++)
        if (strcmp(scope->names[i], name) == 0)
            return true;
    return false;
}

/* An index that is affine in the dimension's own variable, or in any name if that is not in scope.
 * Then regions are boxes, and the demanded region must be the region that is read. */
static const char *own_index(ExpressionScope *scope) {
    RandomSource *random = scope->random;
    const char *other = scope->names[random_below(random, scope->name_count)];
    const char *name = case_variables[scope->dimension];
    int c = random_between(random, -4, 4);
    if (!in_scope(scope, name))
        name = other;
    switch (random_below(random, 12)) {
    case 0:
        return arena_format(scope->arena, "%d*%s + %d", random_between(random, 2, 3), name, c);
    case 1:
        return arena_format(scope->arena, "%d - %s", c, name);
    case 2:
        return other[0] == 'r' || other[0] == 'q'
                   ? arena_format(scope->arena, "%s + %s", name, other)
                   : name;
    case 3:
    case 4:
    case 5:
        return arena_format(scope->arena, "%s + %d", name, c);
    default:
        return name;
    }
}

/* A coordinate through floats: scaled, shifted, rounded to a whole number, perhaps scaled again. */
static const char *float_index(Arena *arena, RandomSource *random, const char *name) {
    static const char *const factors[] = {"0.5", "0.3", "1.5", "0.75", "22.5"}, *const rounds[] = {
                                                                                    "floor", "ceil",
                                                                                    "round",
                                                                                    "trunc", ""};
    static const char *const types[] = {"f32", "f32", "f32", "f32", "f64", "f16", "bf16"};
    const char *type = random_pick(random, types), *sign = "";
    if (random_chance(random, 25))
        sign = "-";
    const char *text =
        arena_format(arena, "%s%s(%s)*%s", sign, type, name, random_pick(random, factors));
    if (random_chance(random, 40))
        text = arena_format(arena, "%s %s 0.5", text, random_chance(random, 50) ? "+" : "-");
    if (random_chance(random, 20))
        text = arena_format(arena, "sqrt(abs(%s))", text);
    text = arena_format(arena, "%s(%s)", random_pick(random, rounds), text);
    if (random_chance(random, 30))
        text = arena_format(arena, "%s(%s/7.0)", random_pick(random, rounds), text);
    return arena_format(arena, "i32(%s)", text);
}

static const char *affine(ExpressionScope *scope) {
    RandomSource *random = scope->random;
    Arena *arena = scope->arena;
    int c = random_between(random, -4, 4);
    if (!scope->name_count)
        return arena_number(arena, c);
    const char *name = scope->names[random_below(random, scope->name_count)];
    const CaseParameter *w = small_parameter(scope->c);
    if (scope->c->far)
        return far_index(scope);
    if (scope->c->affine)
        return own_index(scope);
    switch (random_below(random, 16)) {
    case 0:
        return scaled(scope, name, c);
    case 1:
        return arena_format(arena, "%d - %s", c, name);
    case 2:
        return arena_format(arena, "%s/%d", name, random_between(random, 2, 4));
    case 3:
        return arena_number(arena, c);
    case 4:
        return arena_format(arena, "%s %% %d", name, random_between(random, 1, 9));
    case 5:
        return arena_format(arena, "clamp(%s, %d, %d)", name, c, c + random_below(random, 9));
    case 6:
        return arena_format(arena, "%s(%s, %d)", random_chance(random, 50) ? "min" : "max", name,
                            c);
    case 7:
        return arena_format(arena, "select(%s < %d, %s, %s + %d)", name, c, name, name,
                            random_below(random, 3));
    case 8:
    case 9:
        return w ? arena_format(arena, "%s + %s", name, w->name) : name;
    case 10:
    case 11:
        return arena_format(arena, "%s + %d", name, c);
    default:
        return name;
    }
}

/* Float indices and products are drawn from a copy of the random numbers, so the rest of the case
 * does not depend on them.  Only the last func has some: inlined, `f32(x)` would be of a value that may wrap. */
const char *generate_affine(ExpressionScope *scope) {
    RandomSource apart = *scope->random;
    const char *text = affine(scope);
    bool is_plain = !scope->name_count || scope->c->far || scope->c->affine ||
                    scope->funcs + 1 < scope->c->func_count;
    if (is_plain || !random_chance(&apart, 12))
        return text;
    if (random_chance(&apart, 20))
        return arena_format(
            scope->arena, "%s*%s/64 + %d", scope->names[random_below(&apart, scope->name_count)],
            scope->names[random_below(&apart, scope->name_count)], random_between(&apart, -4, 4));
    return float_index(scope->arena, &apart, scope->names[random_below(&apart, scope->name_count)]);
}

static const char *index_of_data(ExpressionScope *scope, int depth) {
    RandomSource *random = scope->random;
    Arena *arena = scope->arena;
    int low = random_between(random, -3, 3);
    switch (random_below(random, 7)) {
    case 0:
        return arena_format(arena, "%s %% %d", generate_value(scope, I32, depth),
                            random_between(random, 1, 9));
    case 1:
        if (random_chance(random, 30)) /* 256 points in one dimension */
            return generate_value(scope, random_chance(random, 60) ? U8 : I8, depth);
        return arena_format(arena, "%s %% 6", generate_value(scope, I8, depth));
    case 2:
        return arena_format(arena, "i32(%s)", generate_value(scope, BOOL, depth));
    case 3:
        return arena_format(arena, "(%s >> 4)", generate_value(scope, U8, depth));
    case 4:
        return arena_format(arena, "(%s & 7)", generate_value(scope, U8, depth));
    case 5: {
        int high = low + random_below(random, 8);
        const char *value = generate_value(scope, I32, depth);
        RandomSource apart = *random;
        return random_chance(&apart, 50)
                   ? arena_format(arena, "clamp(%s, %d, %d)", value, low, high)
                   : arena_format(arena, "i32(clamp(f32(%s)*0.5, %d.0, %d.5))", value, low, high);
    }
    default:
        return arena_format(arena, "clamp(%s, %d, %d)", generate_value(scope, I32, depth), low,
                            low + random_below(random, 8));
    }
}

static const char *indices(ExpressionScope *scope, int dimensions, int depth) {
    const char *text = "";
    for (int d = 0; d < dimensions; d++)
        text =
            arena_format(scope->arena, "%s%s%s", text, d ? ", " : "", generate_index(scope, depth));
    return text;
}

const char *generate_index_by_value(ExpressionScope *scope, int depth) {
    RandomSource *random = scope->random;
    const CaseFunc *funcs[CASE_FUNCS];
    int count = 0;
    for (int i = 0; i < scope->funcs; i++)
        if (scope->c->funcs[i].is_limited)
            funcs[count++] = &scope->c->funcs[i];
    if (!count || !random_chance(random, 25))
        return NULL;
    const CaseFunc *func = funcs[random_below(random, count)];
    const char *text =
        arena_format(scope->arena, "%s(%s)%s", func->name,
                     indices(scope, func->dimensions, depth - 1), func->components > 1 ? ".0" : "");
    if (!type_equal(func->types[0], I32))
        text = arena_format(scope->arena, "i32(%s)", text);
    return random_chance(random, 50)
               ? text
               : arena_format(scope->arena, "%s + %d", text, random_between(random, -3, 3));
}

const char *generate_index(ExpressionScope *scope, int depth) {
    const char *by_value = depth > 0 ? generate_index_by_value(scope, depth) : NULL;
    if (by_value)
        return by_value;
    if (depth <= 0 || scope->c->far || scope->c->affine || !random_chance(scope->random, 8))
        return generate_affine(scope);
    return index_of_data(scope, depth - 1);
}

const char *generate_interval(ExpressionScope *scope, int *length) {
    RandomSource *random = scope->random;
    Arena *arena = scope->arena;
    const CaseParameter *w = small_parameter(scope->c);
    *length = 0;
    if (w && random_chance(random, 25))
        return arena_format(arena, "(-%s, 2*%s + 1)", w->name, w->name);
    const CaseImage *image = scope->c->images;
    if (scope->c->image_count && image->boundary && random_chance(random, 15))
        return arena_format(arena, "(%s.min(0), %s.width)", image->name, image->name);
    int low = random_between(random, -2, 3);
    *length = random_between(random, random_chance(random, 15) ? 0 : 1, 6);
    return arena_format(arena, "(%d, %d)", low, *length);
}

/* ---- leaves ---- */

static const char *read_image(ExpressionScope *scope, int depth) {
    const CaseImage *image = &scope->c->images[random_below(scope->random, scope->c->image_count)];
    return arena_format(scope->arena, "%s%s(%s)", image->boundary ? "b" : "", image->name,
                        indices(scope, image->dimensions, depth));
}

static const char *read_func(ExpressionScope *scope, int depth) {
    const CaseFunc *func = &scope->c->funcs[random_below(scope->random, scope->funcs)];
    const char *text =
        arena_format(scope->arena, "%s(%s)", func->name, indices(scope, func->dimensions, depth));
    if (func->components == 1)
        return text;
    return arena_format(scope->arena, "%s.%d", text, random_below(scope->random, func->components));
}

static const char *literal(ExpressionScope *scope, Type type) {
    static const char *const floats[] = {"0.0", "1.0", "0.5",   "-1.5",    "2.75",
                                         "1e9", "0.1", "255.0", "65536.0", "1e-30"},
                             *const of_f16[] = {"0.0", "1.0",   "0.5",     "-1.5", "2.75",
                                                "0.1", "255.0", "65504.0", "1e-7"};
    RandomSource *random = scope->random;
    if (type_is_bool(type))
        return random_chance(random, 50) ? "true" : "false";
    if (type_equal(type, F16))
        return random_pick(random, of_f16);
    if (type_is_float(type))
        return random_pick(random, floats);
    if (random_chance(random, 10) && type.bits <= 32)
        return arena_format(
            scope->arena, "%lld",
            (long long)(random_chance(random, 50) ? type_maximum(type) : type_minimum(type)));
    return arena_number(scope->arena, random_between(random, -3, 130));
}

static const char *reduction(ExpressionScope *scope, int depth) {
    static const char *const kinds[] = {"sum", "sum", "product", "minimum", "maximum"};
    static const Type types[] = {I32, U8, F32, I64, U16, F16};
    ExpressionScope inner = *scope;
    int length;
    const char *name = random_chance(scope->random, 50) ? "q0" : "q1";
    const char *interval = generate_interval(scope, &length);
    inner.names[inner.name_count++] = name;
    inner.reducing = true;
    inner.self = NULL;
    return arena_format(scope->arena, "%s(%s in %s) %s", random_pick(scope->random, kinds), name,
                        interval, generate_value(&inner, random_pick(scope->random, types), depth));
}

static const char *leaf(ExpressionScope *scope, Type type, int depth) {
    RandomSource *random = scope->random;
    if (scope->self && random_chance(random, 40))
        return scope->self;
    if (scope->let_count && random_chance(random, 30))
        return scope->lets[random_below(random, scope->let_count)];
    if (!scope->reducing && depth > 0 && random_chance(random, 2))
        return reduction(scope, depth - 1);
    if (scope->funcs && random_chance(random, 55))
        return read_func(scope, depth);
    if (scope->c->image_count && random_chance(random, 50))
        return read_image(scope, depth);
    if (scope->name_count && random_chance(random, 60))
        return scope->names[random_below(random, scope->name_count)];
    if (scope->c->parameter_count && random_chance(random, 50))
        return scope->c->parameters[random_below(random, scope->c->parameter_count)].name;
    return literal(scope, type);
}

/* ---- operators ---- */

static Type of_kind(TypeKind kind, int bits) {
    return (Type){(uint8_t)kind, (uint8_t)bits, 1};
}

static Type with_other_sign(Type type) {
    if (type_is_machine_integer(type))
        type.kind = type.kind == TYPE_INT ? TYPE_UINT : TYPE_INT;
    return type;
}

/* Chooses operand types for which the operator may give `result`; op_result_type judges. */
static void choose_operands(RandomSource *random, const OpInfo *info, Type result, Type *operands) {
    static const Type floats[] = {F32, F64, F16, BF16};
    for (int i = 0; i < OP_MAX_ARITY; i++)
        operands[i] = result;
    switch (info->types) {
    case TYPES_SAME:
    case TYPES_LOGIC:
        break;
    case TYPES_COMPARE:
        operands[0] = operands[1] = generate_type(random);
        break;
    case TYPES_CHOOSE:
        operands[0] = BOOL;
        break;
    case TYPES_SHIFT:
        if (random_chance(random, 50))
            operands[1] = with_other_sign(result);
        break;
    case TYPES_CLASS:
        operands[0] = random_pick(random, floats);
        break;
    case TYPES_UNSIGNED:
        if (result.kind == TYPE_UINT && random_chance(random, 50))
            operands[0] = operands[1] = with_other_sign(result);
        break;
    case TYPES_WIDEN:
        operands[0] = operands[1] = of_kind((TypeKind)result.kind, result.bits / 2);
        break;
    case TYPES_WEIGHT:
    case TYPES_SHIFTED:
        if (result.kind == TYPE_INT)
            operands[2] = with_other_sign(result);
        break;
    case TYPES_CONVERT:
        operands[0] = generate_type(random);
        break;
    }
}

static bool gives(const OpInfo *info, Op op, Type result, const Type *operands) {
    Type given = result;
    if (info->types == TYPES_WIDEN && (result.bits < 16 || !type_is_machine_integer(result)))
        return false;
    return op_result_type(op, operands, &given) && type_equal(given, result);
}

static Op choose_operator(RandomSource *random, Type result, Type *operands) {
    static const Op common[] = {OP_ADD, OP_SUB, OP_MUL, OP_ADD, OP_SUB, OP_MIN,    OP_MAX,
                                OP_DIV, OP_MOD, OP_LT,  OP_LE,  OP_EQ,  OP_SELECT, OP_AND};
    for (;;) {
        Op op = random_chance(random, 50) ? random_pick(random, common)
                                          : (Op)random_below(random, OP_COUNT);
        const OpInfo *info = op_info(op);
        choose_operands(random, info, result, operands);
        if (gives(info, op, result, operands))
            return op;
    }
}

/* A shift's amount is mostly a small number. */
static const char *operand(ExpressionScope *scope, const OpInfo *info, const Type *types, int i,
                           int depth) {
    bool amount =
        (info->types == TYPES_SHIFT && i == 1) || (info->types == TYPES_SHIFTED && i == 2);
    if (amount && random_chance(scope->random, 60))
        return wrap(scope, types[i],
                    arena_number(scope->arena, random_below(scope->random, types[i].bits + 1)));
    return generate_value(scope, types[i], depth);
}

/* A sum of products of narrow numbers; machines compute several of them at once. */
static const char *dot_product(ExpressionScope *scope, Type type, int depth) {
    static const Type narrow[] = {U8, I8, U8, I8, U16, I16};
    RandomSource *random = scope->random;
    const char *name = type_name(type), *text = "";
    Type a = random_pick(random, narrow), b = random_pick(random, narrow);
    bool by_constants = random_chance(random, 30);
    for (int i = 2 + random_below(random, 4); i > 0; i--) {
        const char *factor = generate_value(scope, b, depth - 1);
        factor = by_constants ? arena_number(scope->arena, random_below(random, 128))
                              : arena_format(scope->arena, "%s(%s)", name, factor);
        text = arena_format(scope->arena, "%s%s%s(%s) * %s", text,
                            !*text                      ? ""
                            : random_chance(random, 75) ? " + "
                                                        : " - ",
                            name, generate_value(scope, a, depth - 1), factor);
    }
    return text;
}

static const char *operation(ExpressionScope *scope, Type type, int depth) {
    Type types[OP_MAX_ARITY];
    Op op = choose_operator(scope->random, type, types);
    if (op == OP_ADD && depth == 1 && type_is_machine_integer(type) && type.bits == 32 &&
        random_chance(scope->random, 50))
        return dot_product(scope, type, depth);
    const OpInfo *info = op_info(op);
    const char *a[OP_MAX_ARITY];
    Arena *arena = scope->arena;
    for (int i = 0; i < info->arity; i++)
        a[i] = operand(scope, info, types, i, depth - 1);
    if (op == OP_SATURATING_CAST || op == OP_REINTERPRET)
        return arena_format(arena, "%s<%s>(%s)", info->text, type_name(type), a[0]);
    switch (info->form) {
    case FORM_INFIX:
        return arena_format(arena, "%s %s %s", a[0], info->text, a[1]);
    case FORM_PREFIX:
        return arena_format(arena, "%s%s", info->text, a[0]);
    case FORM_CAST:
        return a[0];
    case FORM_CALL:
        break;
    }
    const char *text = arena_format(arena, "%s(%s", info->text, a[0]);
    for (int i = 1; i < info->arity; i++)
        text = arena_format(arena, "%s, %s", text, a[i]);
    return arena_format(arena, "%s)", text);
}

/* A condition like those that schedules specialize by (generate_schedule.c). */
static const char *startup_condition(ExpressionScope *scope, RandomSource *random) {
    static const char *const compares[] = {"==", "<", ">=", "!="};
    const CaseParameter *parameter =
        &scope->c->parameters[random_below(random, scope->c->parameter_count)];
    if (type_is_bool(parameter->type))
        return parameter->name;
    return arena_format(scope->arena, "%s %s %d", parameter->name, random_pick(random, compares),
                        random_between(random, 0, 4));
}

/* A condition that may be the same in a whole run of what its arms read (bounds/arms.c): on a
 * parameter, on a coordinate, on both, or on a parameter and a value. */
static const char *uniform_condition(ExpressionScope *scope, RandomSource *random) {
    static const char *const compares[] = {"<", "<", ">=", ">=", "==", "% 2 =="};
    const char *text = NULL;
    if (scope->name_count && (!scope->c->parameter_count || random_chance(random, 30)))
        text = arena_format(scope->arena, "%s %s %d",
                            scope->names[random_below(random, scope->name_count)],
                            random_pick(random, compares), random_between(random, -2, 6));
    if (scope->c->parameter_count && (!text || random_chance(random, 40))) {
        const char *startup = startup_condition(scope, random);
        text = text ? arena_format(scope->arena, "%s && %s", startup, text) : startup;
    }
    if (text && random_chance(random, 15)) {
        ExpressionScope apart = *scope;
        apart.random = random;
        text = arena_format(scope->arena, random_chance(random, 50) ? "%s && %s" : "%s || %s", text,
                            generate_value(&apart, BOOL, 1));
    }
    return text;
}

/* The regions of affine programs are compared exactly, so no value may decide what they read. */
static bool has_choices(const ExpressionScope *scope) {
    return !scope->c->affine;
}

/* Makes the text one arm of a choice.  The draws are apart, as those of `choice` are. */
static const char *chosen(ExpressionScope *scope, RandomSource *random, Type type, const char *text,
                          const char *other) {
    const char *condition = uniform_condition(scope, random);
    if (!condition)
        return text;
    bool is_first = random_chance(random, 50);
    return arena_format(scope->arena, "%s(select(%s, %s, %s))", type_name(type), condition,
                        is_first ? text : other, is_first ? other : text);
}

/* A specialization may decide the condition.  That is drawn from a copy of the random numbers, so
 * the rest of the case does not depend on it. */
static const char *choice(ExpressionScope *scope, Type type, int depth) {
    const char *condition = generate_value(scope, BOOL, depth - 1);
    RandomSource apart = *scope->random;
    if (scope->c->parameter_count && random_chance(&apart, 20))
        condition = startup_condition(scope, &apart);
    return arena_format(scope->arena, "select(%s, %s, %s)", condition,
                        generate_value(scope, type, depth - 1),
                        generate_value(scope, type, depth - 1));
}

/* One to three maxima and minima with one constant. Each makes of a NaN what its order of operands
 * says, and a compiler that takes two for one loses that. The draws are apart, as those of `choice`
 * are. */
static const char *clamped(ExpressionScope *scope, RandomSource *apart, const char *text) {
    static const char *const constants[] = {"0.0", "0.0", "1.0", "255.0"}, *const both[] = {"max",
                                                                                            "min"};
    const char *constant = random_pick(apart, constants), *name = random_pick(apart, both);
    for (int i = random_between(apart, 1, 3); i > 0; i--) {
        bool is_first = random_chance(apart, 40);
        text = arena_format(scope->arena, "%s(%s, %s)", name, is_first ? constant : text,
                            is_first ? text : constant);
        if (random_chance(apart, 20))
            name = random_pick(apart, both);
    }
    return text;
}

const char *generate_value(ExpressionScope *scope, Type type, int depth) {
    const char *text;
    if (depth <= 0 || random_chance(scope->random, 20))
        text = type_is_bool(type) && depth > 0 ? operation(scope, type, depth)
                                               : leaf(scope, type, depth);
    else
        text = random_chance(scope->random, 6) ? choice(scope, type, depth)
                                               : operation(scope, type, depth);
    text = wrap(scope, type, text);
    RandomSource apart = *scope->random;
    if (type_is_float(type) && random_chance(&apart, 10))
        text = clamped(scope, &apart, text);
    if (depth >= 2 && scope->funcs && has_choices(scope) && random_chance(&apart, 8)) {
        ExpressionScope other = *scope;
        other.random = &apart;
        text = chosen(scope, &apart, type, text, generate_value(&other, type, depth - 1));
    }
    return text;
}

/* ---- stencils ----
 *
 * In chains of stencils each func reads the one before it, and sometimes an earlier one, at small
 * offsets. If such a func is stored outside the loop that computes it, its window slides and its
 * memory folds. Unplanned programs hardly ever do that. */

/* One dimension's index: mostly the variable with a small offset, so that windows overlap. */
static const char *offset_index(ExpressionScope *scope, int d) {
    RandomSource *random = scope->random;
    const char *name = case_variables[d];
    int offset = random_between(random, -3, 3);
    if (offset == 0)
        return name;
    if (!scope->c->far && random_chance(random, 6))
        return random_chance(random, 50)
                   ? arena_format(scope->arena, "2*%s + %d", name, offset)
                   : arena_format(scope->arena, scope->c->affine ? "%s" : "%s/2", name);
    return arena_format(scope->arena, "%s + %d", name, offset);
}

/* `type(f(x + 1, y + -2))` */
static const char *read_at_offsets(ExpressionScope *scope, const CaseFunc *func, Type type) {
    const char *text = arena_format(scope->arena, "%s(%s(", type_name(type), func->name);
    for (int d = 0; d < func->dimensions; d++)
        text = arena_format(scope->arena, "%s%s%s", text, d ? ", " : "", offset_index(scope, d));
    return arena_format(scope->arena, "%s))", text);
}

static const char *combine(ExpressionScope *scope, Type type, const char *a, const char *b) {
    static const char *const forms[] = {"%s(%s + %s)", "%s(%s + %s)", "%s(%s - %s)",
                                        "%s(min(%s, %s))", "%s(max(%s, %s))"};
    static const char *const logic[] = {"%s(%s && %s)", "%s(%s || %s)"};
    const char *form =
        type_is_bool(type) ? random_pick(scope->random, logic) : random_pick(scope->random, forms);
    return arena_format(scope->arena, form, type_name(type), a, b);
}

const char *generate_stencil(ExpressionScope *scope, Type type) {
    RandomSource *random = scope->random;
    const char *text = NULL;
    for (int reads = random_between(random, 1, 4); reads > 0; reads--) {
        int back = random_chance(random, 85) ? 1 : random_between(random, 1, scope->funcs);
        const char *read = read_at_offsets(scope, &scope->c->funcs[scope->funcs - back], type);
        RandomSource apart = *scope->random;
        bool is_choice = text && has_choices(scope) && random_chance(&apart, 8);
        text = !text       ? read
               : is_choice ? chosen(scope, &apart, type, text, read)
                           : combine(scope, type, text, read);
    }
    return random_chance(random, 25) ? combine(scope, type, text, generate_value(scope, type, 1))
                                     : text;
}
