/* lift.c -- turns expressions over machine integers into expressions over the integers.
 *
 *     index(w)*2 where w: i32                w*2                with -2^31 <= w <= 2^31 - 1
 *     index(w + 1)                           (w + 1 + 2^31) % 2^32 - 2^31
 *     index(clamp(f[x], 0, 9))               max(min(f.1, 9), 0)
 *
 * So the rules, the decision tier and Z3 get one formula over Int and Bool, and an evaluation needs
 * no widths.  Wrapping is left out if constant limits show that the value fits.
 *
 * Each read value is a variable of its own in its type's range (semantics.md, 5e).  In one
 * statement, equal reads are the same value, because nodes are hash-consed.  Some expressions
 * cannot be written over integers (floats, most operations on bits).  Each of them is such a
 * variable, too.  It has more values than the expression, which is sound for proofs.  Refutations
 * check `lift_is_exact`, and evaluate what stands behind such a variable (`lift_expression`).  Of two conversions `i32(floor(f32(x)*0.75))`, `i32(floor(f32(y)*0.75))` it is
 * known that their order is that of x and y.
 */
#include "checkers/certify/internal.h"

#include "ir/print.h"

#include <math.h>

IntegerLifter lifter_create(Certification *certification, Arena *arena) {
    Pool *pool = certification->program->pool;
    return (IntegerLifter){.pool = pool,
                           .arena = arena,
                           .memo = map_create(arena),
                           .ranges = &certification->ranges,
                           .meanings = &certification->meanings,
                           .inexact = map_create(arena),
                           .values = map_create(arena),
                           .shapes = map_create(arena),
                           .limits = simplifier_create(pool, arena)};
}

static Expr number(const IntegerLifter *lifter, int64_t value) {
    return expr_index(lifter->pool, value);
}

/* ---- variables ---- */

/* u64 beyond i64 has no constants of sort index. */
static bool has_limits(Type type) {
    return type_is_machine_integer(type) && !(type.kind == TYPE_UINT && type.bits == 64);
}

static Expr ranged(IntegerLifter *lifter, Symbol name, Type type) {
    Pool *pool = lifter->pool;
    if (type_is_bool(type))
        return expr_variable(pool, name, BOOL);
    Expr variable = expr_variable(pool, name, INDEX);
    if (map_get(lifter->ranges, name))
        return variable;
    Expr range = expr_le(pool, number(lifter, 0), variable);
    if (has_limits(type))
        range = expr_and(pool, expr_le(pool, number(lifter, type_minimum(type)), variable),
                         expr_le(pool, variable, number(lifter, type_maximum(type))));
    map_put(lifter->ranges, name, range);
    simplifier_learn(lifter->limits, range);
    return variable;
}

typedef struct LiftedOperands {
    IntegerLifter *lifter;
    Map replacements; /* a conversion of an integer to a float -> that of its lifted value */
} LiftedOperands;

static void lift_operand(void *data, Expr node) {
    LiftedOperands *lifted = data;
    Expr operand = node->op == OP_CAST && type_is_float(node->type) ? node->arguments[0] : NULL;
    if (operand && !type_is_float(operand->type) && !type_is_bool(operand->type))
        map_put(
            &lifted->replacements, node,
            expr_cast(lifted->lifter->pool, node->type, map_get(&lifted->lifter->memo, operand)));
}

/* Returns the float expression over lifted integers, about which the lifter has facts. */
static Expr over_lifted(IntegerLifter *lifter, Expr node) {
    LiftedOperands lifted = {lifter, map_create(lifter->arena)};
    expr_visit(lifter->arena, node, lift_operand, &lifted);
    return lift_replace(lifter->pool, lifter->arena, &lifted.replacements, node);
}

/* Returns a variable with any value of the node's type. */
static Expr anything(IntegerLifter *lifter, Expr node, bool is_exact) {
    Context *context = lifter->pool->context;
    const char *stem =
        node->op == OP_ACCESS ? arena_format(lifter->arena, "%s.read", node->name->text) : "some";
    Symbol name = symbol_fresh(&context->symbols, stem);
    const char *text = node->op == OP_EXTERN  ? node->name->text
                       : node->tree_size > 40 ? op_info((Op)node->op)->text
                                              : expr_formula(lifter->arena, node);
    map_put(lifter->meanings, name, text);
    if (!is_exact)
        map_put(&lifter->inexact, name, (void *)over_lifted(lifter, node));
    return ranged(lifter, name, node->type);
}

/* ---- values of floats ---- */

/* A whole number of a float expression that is monotone in one integer, the operand.  `shape` is the
 * expression with a variable in the place of the operand. */
typedef struct MonotoneFloat {
    Expr shape, operand, value; /* the last two are lifted */
    bool falls;
    struct MonotoneFloat *next; /* of the same shape */
} MonotoneFloat;

static bool is_rounding(Expr node) {
    return node->op == OP_FLOOR || node->op == OP_CEIL || node->op == OP_TRUNC ||
           node->op == OP_ROUND || node->op == OP_SQRT ||
           (node->op == OP_CAST && type_is_float(node->arguments[0]->type));
}

/* A constant, or a parameter: it is one value in a program. */
static bool is_factor(Expr node) {
    return expr_is_constant(node) || node->op == OP_VARIABLE;
}

/* Follows the only operand that is no such value down to the integer that is converted; null if some
 * operation is not monotone, or may give NaN. */
static Expr converted_integer(const IntegerLifter *lifter, Expr node, bool *falls) {
    *falls = false;
    while (!(node->op == OP_CAST && !type_is_float(node->arguments[0]->type))) {
        if (simplify_float_interval(lifter->limits, node).may_be_nan)
            return NULL;
        int i = node->arity == 2 && is_factor(node->arguments[0]);
        bool is_mixed = node->arity == 2 && is_factor(node->arguments[1 - i]);
        FloatInterval factor = {0};
        if (is_mixed)
            factor = simplify_float_interval(lifter->limits, node->arguments[1 - i]);
        bool is_scale = node->op == OP_MUL || (node->op == OP_DIV && i == 0);
        bool is_shift =
            node->op == OP_ADD || node->op == OP_SUB || node->op == OP_MIN || node->op == OP_MAX;
        if (node->op == OP_NEG || (is_mixed && is_scale && factor.high < 0) ||
            (node->op == OP_SUB && i == 1))
            *falls = !*falls;
        else if (!is_rounding(node) && !(is_mixed && (is_shift || (is_scale && factor.low > 0))))
            return NULL;
        node = node->arguments[i];
    }
    return node->arguments[0];
}

/* Knows of two values of one shape that their order is that of the operands (or the opposite). */
static void relate(IntegerLifter *lifter, Symbol name, const MonotoneFloat *a,
                   const MonotoneFloat *b) {
    Pool *pool = lifter->pool;
    const MonotoneFloat *low = a->falls ? b : a, *high = a->falls ? a : b;
    Expr known = map_get(lifter->ranges, name);
    Expr rises = expr_or(pool, expr_lt(pool, b->operand, a->operand),
                         expr_le(pool, low->value, high->value)),
         falls = expr_or(pool, expr_lt(pool, a->operand, b->operand),
                         expr_le(pool, high->value, low->value));
    map_put(lifter->ranges, name, expr_and(pool, expr_and(pool, known, rises), falls));
}

/* The node converts a float to a machine integer.  Its variable lies in the constant interval of the
 * float, and rises with the integer that the float is made of. */
static Expr truncated(IntegerLifter *lifter, Expr node) {
    Pool *pool = lifter->pool;
    Expr value = anything(lifter, node, false);
    node = over_lifted(lifter, node);
    ConstantInterval limits = simplify_interval(lifter->limits, node);
    bool falls;
    Expr operand = converted_integer(lifter, node->arguments[0], &falls);
    if (limits.has_minimum && limits.has_maximum) {
        Expr range = expr_and(pool, expr_le(pool, number(lifter, limits.minimum), value),
                              expr_le(pool, value, number(lifter, limits.maximum)));
        map_put(lifter->ranges, value->name, range);
        simplifier_learn(lifter->limits, range);
    }
    if (!operand || type_is_bool(operand->type))
        return value;
    Expr hole = expr_variable(pool, context_symbol(pool->context, "operand"), INDEX);
    Map replacements = map_create(lifter->arena);
    map_put(&replacements, operand, hole);
    MonotoneFloat *own = arena_new(lifter->arena, MonotoneFloat);
    *own = (MonotoneFloat){lift_replace(pool, lifter->arena, &replacements, node), operand, value,
                           falls, NULL};
    own->next = map_get(&lifter->shapes, own->shape);
    map_put(&lifter->shapes, own->shape, own);
    for (const MonotoneFloat *other = own->next; other; other = other->next)
        relate(lifter, value->name, own, other);
    return value;
}

/* ---- values that wrap ---- */

static bool fits(IntegerLifter *lifter, Type type, Expr value) {
    ConstantInterval interval = simplify_interval(lifter->limits, value);
    return has_limits(type) && interval.has_minimum && interval.has_maximum &&
           interval.minimum >= type_minimum(type) && interval.maximum <= type_maximum(type);
}

/* Returns the value of `type` that is `value` modulo 2^bits; null if 64 bits have no such
 * modulus. */
static Expr wrapped(IntegerLifter *lifter, Type type, Expr value) {
    Pool *pool = lifter->pool;
    if (type_is_index(type) || fits(lifter, type, value))
        return value;
    if (type.bits > 32)
        return NULL;
    Expr modulus = number(lifter, INT64_C(1) << type.bits);
    if (type.kind == TYPE_UINT)
        return expr_mod(pool, value, modulus);
    Expr half = number(lifter, INT64_C(1) << (type.bits - 1));
    return expr_sub(pool, expr_mod(pool, expr_add(pool, value, half), modulus), half);
}

static Expr clamped(IntegerLifter *lifter, Type type, Expr value) {
    Pool *pool = lifter->pool;
    if (!has_limits(type))
        return NULL;
    return expr_max(pool, expr_min(pool, value, number(lifter, type_maximum(type))),
                    number(lifter, type_minimum(type)));
}

static Expr converted(IntegerLifter *lifter, Expr node, Expr a) {
    Pool *pool = lifter->pool;
    Type from = node->arguments[0]->type, to = node->type;
    if (node->op == OP_REINTERPRET)
        return NULL;
    if (type_is_bool(to))
        return type_is_bool(from) ? a : expr_binary(pool, OP_NE, a, number(lifter, 0));
    if (type_is_bool(from))
        return expr_select(pool, a, number(lifter, 1), number(lifter, 0));
    return node->op == OP_CAST ? wrapped(lifter, to, a) : clamped(lifter, to, a);
}

static bool is_power(int64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

/* Lifts shifts by constants, and the low bits. */
static Expr shifted(IntegerLifter *lifter, Expr node, const Expr *a) {
    Pool *pool = lifter->pool;
    int64_t amount;
    if (!expr_constant_integer(node->arguments[1], &amount))
        return NULL;
    if (node->op == OP_BIT_AND)
        return amount < INT64_MAX && is_power(amount + 1)
                   ? expr_mod(pool, a[0], number(lifter, amount + 1))
                   : NULL;
    if (amount < 0 || amount >= node->type.bits || amount > 31)
        return NULL;
    Expr factor = number(lifter, INT64_C(1) << amount);
    return node->op == OP_SHIFT_LEFT ? wrapped(lifter, node->type, expr_mul(pool, a[0], factor))
                                     : expr_div(pool, a[0], factor);
}

static Expr difference(IntegerLifter *lifter, const Expr *a) {
    return expr_unary(lifter->pool, OP_ABS, expr_sub(lifter->pool, a[0], a[1]));
}

/* Applies the operator to lifted operands; null if there is no such expression. */
static Expr applied(IntegerLifter *lifter, Expr node, const Expr *a) {
    Pool *pool = lifter->pool;
    switch ((int)node->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
        return wrapped(lifter, node->type, expr_binary(pool, (Op)node->op, a[0], a[1]));
    case OP_NEG:
    case OP_ABS:
        return wrapped(lifter, node->type, expr_unary(pool, (Op)node->op, a[0]));
    case OP_MOD:
    case OP_MIN:
    case OP_MAX:
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_AND:
    case OP_OR:
        return expr_binary(pool, (Op)node->op, a[0], a[1]);
    case OP_NOT:
        return expr_unary(pool, OP_NOT, a[0]);
    case OP_SELECT:
        return expr_select(pool, a[0], a[1], a[2]);
    case OP_CAST:
    case OP_SATURATING_CAST:
    case OP_REINTERPRET:
        return converted(lifter, node, a[0]);
    case OP_ABSD:
        return difference(lifter, a);
    case OP_SATURATING_ADD:
    case OP_SATURATING_SUB:
        return clamped(lifter, node->type,
                       node->op == OP_SATURATING_ADD ? expr_add(pool, a[0], a[1])
                                                     : expr_sub(pool, a[0], a[1]));
    case OP_WIDENING_ADD:
    case OP_WIDENING_MUL:
        return node->op == OP_WIDENING_ADD ? expr_add(pool, a[0], a[1])
                                           : expr_mul(pool, a[0], a[1]);
    case OP_BIT_AND:
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        return shifted(lifter, node, a);
    default: /* there is no expression over integers, or none was needed so far */
        return NULL;
    }
}

static Expr lifted_constant(IntegerLifter *lifter, Expr node) {
    if (!type_is_machine_integer(node->type))
        return node;
    if (!has_limits(node->type) && node->bits < 0)
        return anything(lifter, node, false);
    return number(lifter, node->bits);
}

/* Of floats `a != b` is `!(a == b)`, also where one is NaN.  So the two are never variables of their
 * own. */
static Expr unequal_floats(IntegerLifter *lifter, Expr node) {
    Expr equal = expr_binary(lifter->pool, OP_EQ, node->arguments[0], node->arguments[1]);
    Expr value = expr_is_constant(equal) ? equal : map_get(&lifter->memo, equal);
    if (!value) {
        value = anything(lifter, equal, false);
        map_put(&lifter->memo, equal, value);
    }
    return expr_unary(lifter->pool, OP_NOT, value);
}

static Expr lifted_node(IntegerLifter *lifter, Expr node) {
    Expr arguments[OP_MAX_ARITY];
    if (node->op == OP_CONSTANT)
        return lifted_constant(lifter, node);
    if (node->op == OP_VARIABLE) {
        Expr value = map_get(&lifter->values, node->name);
        return value                                 ? value
               : type_is_machine_integer(node->type) ? ranged(lifter, node->name, node->type)
                                                     : node;
    }
    if (node->op == OP_ACCESS || node->op == OP_EXTERN)
        return anything(lifter, node, true);
    hlc_assert(node->op != OP_HOLE, "a program is certified when its holes are filled");
    for (int i = 0; i < node->arity; i++) {
        if (type_is_float(node->arguments[i]->type) && node->op == OP_NE)
            return unequal_floats(lifter, node);
        if (type_is_float(node->arguments[i]->type))
            return has_limits(node->type) && node->arity == 1 && node->op != OP_REINTERPRET
                       ? truncated(lifter, node)
                       : anything(lifter, node, false);
        arguments[i] = map_get(&lifter->memo, node->arguments[i]);
    }
    Expr result = applied(lifter, node, arguments);
    return result ? result : anything(lifter, node, false);
}

static void lift_visit(void *data, Expr node) {
    IntegerLifter *lifter = data;
    if (!type_is_float(node->type) && !map_get(&lifter->memo, node))
        map_put(&lifter->memo, node, lifted_node(lifter, node));
}

Expr lift(IntegerLifter *lifter, Expr expr) {
    hlc_assert(!type_is_float(expr->type), "floats have no expression over the integers");
    Expr known = map_get(&lifter->memo, expr);
    if (!known)
        expr_visit(lifter->arena, expr, lift_visit, lifter);
    return known ? known : map_get(&lifter->memo, expr);
}

void lift_learn_parameters(IntegerLifter *lifter, const Pipeline *pipeline) {
    const Signature *signature = &pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        if (parameter->has_range && type_is_float(parameter->type))
            simplifier_learn_float_range(lifter->limits, parameter->name,
                                         bits_to_double(parameter->type, parameter->lower),
                                         bits_to_double(parameter->type, parameter->upper));
    }
}

/* The limit that a condition puts on a float parameter: 0.5 <= s, or s <= 4.0. */
static void learn_limit(const IntegerLifter *lifter, Map *limits, Expr condition) {
    if (condition->op != OP_LE || !type_is_float(condition->arguments[0]->type))
        return;
    int at = condition->arguments[0]->op == OP_VARIABLE ? 0 : 1;
    Expr parameter = condition->arguments[at], limit = condition->arguments[1 - at];
    if (parameter->op != OP_VARIABLE || limit->op != OP_CONSTANT)
        return;
    FloatInterval *known = map_get(limits, parameter->name);
    if (!known) {
        known = arena_new(lifter->arena, FloatInterval);
        *known = (FloatInterval){-INFINITY, INFINITY, false};
        map_put(limits, parameter->name, known);
    }
    double value = bits_to_double(limit->type, limit->bits);
    if (at == 1 && value > known->low)
        known->low = value;
    if (at == 0 && value < known->high)
        known->high = value;
}

/* What the assertions before all else say: a comparison that holds has no NaN. */
void lift_learn_asserted(IntegerLifter *lifter, const Program *program) {
    const Parameters *parameters = &program->signature->parameters;
    Map limits = map_create(lifter->arena);
    const Stmt *stmt = program->body.first;
    for (; stmt && stmt->kind == STMT_ASSERT; stmt = stmt->next)
        learn_limit(lifter, &limits, stmt->assertion.condition);
    for (size_t i = 0; i < parameters->length; i++) {
        const FloatInterval *known = map_get(&limits, parameters->data[i].name);
        if (known)
            simplifier_learn_float_range(lifter->limits, parameters->data[i].name, known->low,
                                         known->high);
    }
}

void lift_bind(IntegerLifter *lifter, Symbol binder, Expr value) {
    map_put(&lifter->values, binder, lift(lifter, value));
}

void lift_learn(IntegerLifter *lifter, Expr lifted) {
    simplifier_learn(lifter->limits, lifted);
}

bool lift_is_exact(const IntegerLifter *lifter, Expr lifted) {
    Exprs variables = expr_variables_of(lifter->arena, lifted);
    for (size_t i = 0; i < variables.length; i++)
        if (map_get(&lifter->inexact, variables.data[i]->name))
            return false;
    return true;
}

Expr lift_expression(const IntegerLifter *lifter, Symbol name) {
    return map_get(&lifter->inexact, name);
}

/* ---- replacing ---- */

typedef struct NodeReplacing {
    Pool *pool;
    Map *replacements;
} NodeReplacing;

static void replace_visit(void *data, Expr node) {
    const NodeReplacing *replacing = data;
    Expr arguments[MAX_SMALL_ARITY];
    if (map_get(replacing->replacements, node))
        return;
    for (int i = 0; i < node->arity; i++)
        arguments[i] = map_get(replacing->replacements, node->arguments[i]);
    map_put(replacing->replacements, node,
            node->arity ? expr_with_arguments(replacing->pool, node, arguments) : node);
}

Expr lift_replace(Pool *pool, Arena *arena, Map *replacements, Expr expr) {
    NodeReplacing replacing = {pool, replacements};
    if (!map_get(replacements, expr))
        expr_visit(arena, expr, replace_visit, &replacing);
    return map_get(replacements, expr);
}
