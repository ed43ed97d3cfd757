/* expression.c -- translates integer expressions to polynomials and conditions to formulas, and
 * defines the columns for their operations. The two are one recursion: a number may select by a
 * condition, and a condition compares numbers.
 *
 * Few kinds of columns suffice. Each has one normal form, so equal terms get equal columns:
 *
 *   negative part   n(a) = min(a, 0).  min(a, b) = b + n(a - b), max(a, b) = a - n(a - b),
 *                   abs(a) = a - 2*n(a)
 *   choice          s(c, a) = select(c, a, 0).  select(c, a, b) = b + s(c, a - b)
 *   quotient        a / c by a constant: a - (c - 1) <= c*q <= a.  a % c = a - c*(a / c)
 *   quotient and    a / b, a % b by an unknown, with cases for the sign of b; by 0 both are 0
 *   remainder
 *
 * A machine integer is a number; wrapping is a remainder by 2^bits, for up to 32 bits. An opaque
 * expression (a read, a float converted to an integer, wrapping in 64 bits, ..) is an unknown
 * within the range of its type.
 */
#include "decide/internal.h"

static Polynomial number_of(Problem *problem, Expr expr);

/* ---- columns ---- */

static Column unknown_of(Problem *problem, Expr expr) {
    size_t known = (size_t)(uintptr_t)map_get(&problem->unknowns, expr);
    if (known)
        return (Column)(known - 1);
    Column column = column_new(problem, (ColumnInfo){.kind = COLUMN_UNKNOWN, .expr = expr});
    map_put(&problem->unknowns, expr, (void *)(uintptr_t)(column + 1));
    Type type = expr->type;
    Polynomial itself = polynomial_column(problem, column);
    bool has_minimum =
        type_is_bool(type) || type.kind == TYPE_UINT || (type.kind == TYPE_INT && type.bits < 64);
    bool has_maximum = type_is_bool(type) || (type_is_machine_integer(type) && type.bits < 64);
    int64_t minimum = type_is_bool(type) ? 0 : has_minimum ? type_minimum(type) : 0;
    int64_t maximum = type_is_bool(type) ? 1 : has_maximum ? type_maximum(type) : 0;
    const Formula *bounds[2];
    uint32_t count = 0;
    if (has_minimum)
        bounds[count++] = formula_at_least(problem, polynomial_plus(problem, itself, -minimum));
    if (has_maximum)
        bounds[count++] = formula_at_least(
            problem, polynomial_plus(problem, polynomial_scale(problem, itself, -1), maximum));
    if (count)
        problem->columns.data[column].bounds = formula_join(problem, FORMULA_AND, bounds, count);
    return column;
}

/* Returns the column of `op` over these operands. A new one has no bounds yet, and sets `*is_new`.
 */
static Column define(Problem *problem, Op op, Polynomial a, Polynomial b, const Formula *condition,
                     bool *is_new) {
    *is_new = false;
    for (size_t i = 0; i < problem->columns.length; i++) {
        const ColumnInfo *info = &problem->columns.data[i];
        if (info->kind == COLUMN_DEFINED && info->op == op && info->condition == condition &&
            polynomial_equal(info->operands[0], a) && polynomial_equal(info->operands[1], b))
            return (Column)i;
    }
    *is_new = true;
    return column_new(problem, (ColumnInfo){.kind = COLUMN_DEFINED,
                                            .op = (uint16_t)op,
                                            .operands = {a, b},
                                            .condition = condition});
}

/* a - b as a formula: `a >= b`. */
static const Formula *at_least(Problem *problem, Polynomial a, Polynomial b) {
    return formula_at_least(problem, polynomial_add(problem, a, b, -1));
}

static const Formula *equal(Problem *problem, Polynomial a, Polynomial b) {
    return formula_equal(problem, polynomial_add(problem, a, b, -1));
}

/* a <= -1 */
static const Formula *is_negative(Problem *problem, Polynomial a) {
    return formula_at_least(problem,
                            polynomial_plus(problem, polynomial_scale(problem, a, -1), -1));
}

/* Returns the primitive part: a = *scale * result. The coefficients and the constant of the result
 * have no common divisor, and its first coefficient is positive. */
static Polynomial primitive_part(Problem *problem, Polynomial a, int64_t *scale) {
    bool exact;
    Polynomial part = polynomial_primitive(problem, a, &exact);
    *scale = 1;
    if (exact && a.count)
        *scale = a.terms[0].coefficient / part.terms[0].coefficient;
    else
        part = a;
    if (part.count && part.terms[0].coefficient < 0) {
        part = polynomial_scale(problem, part, -1);
        *scale = -*scale;
    }
    return part;
}

/* min(a, 0) */
static Polynomial negative_part(Problem *problem, Polynomial a) {
    if (!a.count)
        return polynomial_constant(a.constant < 0 ? a.constant : 0);
    int64_t scale;
    bool is_new;
    Polynomial zero = polynomial_constant(0), part = primitive_part(problem, a, &scale);
    Column column = define(problem, OP_MIN, part, zero, NULL, &is_new);
    Polynomial itself = polynomial_column(problem, column);
    if (is_new) {
        const Formula *nonnegative = at_least(problem, part, zero),
                      *negative = is_negative(problem, part);
        const Formula *bounds =
            formula_and(problem, at_least(problem, zero, itself), at_least(problem, part, itself));
        const Formula *cases =
            formula_or(problem, formula_and(problem, equal(problem, itself, zero), nonnegative),
                       formula_and(problem, equal(problem, itself, part), negative));
        problem->columns.data[column].bounds = bounds;
        problem->columns.data[column].cases = cases;
    }
    if (scale > 0)
        return polynomial_scale(problem, itself, scale);
    /* min(-p, 0) = min(p, 0) - p */
    return polynomial_scale(problem, polynomial_add(problem, itself, part, -1), -scale);
}

static Polynomial minimum_of(Problem *problem, Polynomial a, Polynomial b) {
    Polynomial difference = polynomial_add(problem, a, b, -1);
    return polynomial_add(problem, b, negative_part(problem, difference), 1);
}

static Polynomial maximum_of(Problem *problem, Polynomial a, Polynomial b) {
    Polynomial difference = polynomial_add(problem, a, b, -1);
    return polynomial_add(problem, a, negative_part(problem, difference), -1);
}

/* select(condition, a, 0) */
static Polynomial choice(Problem *problem, Expr condition, Polynomial a) {
    const Formula *holds = formula_of(problem, condition, true),
                  *fails = formula_of(problem, condition, false);
    if (holds->kind == FORMULA_TRUE)
        return a;
    if (fails->kind == FORMULA_TRUE || (!a.count && !a.constant))
        return polynomial_constant(0);
    int64_t scale = a.constant;
    bool is_new;
    Polynomial zero = polynomial_constant(0), part = polynomial_constant(1);
    if (a.count)
        part = primitive_part(problem, a, &scale);
    Column column = define(problem, OP_SELECT, part, zero, holds, &is_new);
    Polynomial itself = polynomial_column(problem, column);
    if (is_new) {
        const Formula *cases =
            formula_or(problem, formula_and(problem, holds, equal(problem, itself, part)),
                       formula_and(problem, fails, equal(problem, itself, zero)));
        const Formula *bounds = NULL;
        if (!part.count)
            bounds = formula_and(problem, at_least(problem, itself, zero),
                                 at_least(problem, part, itself));
        problem->columns.data[column].bounds = bounds;
        problem->columns.data[column].cases = cases;
    }
    return polynomial_scale(problem, itself, scale);
}

/* ---- quotients ---- */

static Polynomial quotient_column(Problem *problem, Polynomial a, int64_t divisor) {
    bool is_new;
    Polynomial by = polynomial_constant(divisor);
    Column column = define(problem, OP_DIV, a, by, NULL, &is_new);
    Polynomial itself = polynomial_column(problem, column);
    if (is_new) {
        Polynomial multiple = polynomial_scale(problem, itself, divisor);
        const Formula *bounds =
            formula_and(problem, at_least(problem, a, multiple),
                        at_least(problem, polynomial_plus(problem, multiple, divisor - 1), a));
        problem->columns.data[column].bounds = bounds;
    }
    return itself;
}

/* Moves the multiples of `divisor` from a into `*multiples`. The rest has coefficients of at most
 * half the divisor, and a constant in [0, divisor). */
static Polynomial take_multiples(Problem *problem, Polynomial a, int64_t divisor,
                                 Polynomial *multiples) {
    PolynomialTerm *out = arena_array(problem->arena, PolynomialTerm, a.count + 1),
                   *in = arena_array(problem->arena, PolynomialTerm, a.count + 1);
    uint32_t out_count = 0, in_count = 0;
    for (uint32_t i = 0; i < a.count; i++) {
        int64_t coefficient = a.terms[i].coefficient, times = floor_divide(coefficient, divisor),
                rest = coefficient - times * divisor;
        if (rest > divisor / 2) {
            times++;
            rest -= divisor;
        }
        if (times)
            out[out_count++] = (PolynomialTerm){a.terms[i].column, times};
        if (rest)
            in[in_count++] = (PolynomialTerm){a.terms[i].column, rest};
    }
    int64_t times = floor_divide(a.constant, divisor);
    *multiples = (Polynomial){times, out_count, out};
    return (Polynomial){a.constant - times * divisor, in_count, in};
}

/* (q + k) / c with q = p / d is (p + k*d) / (d*c). */
static bool is_quotient_of_quotient(const Problem *problem, Polynomial a) {
    if (a.count != 1 || a.terms[0].coefficient != 1)
        return false;
    const ColumnInfo *info = &problem->columns.data[a.terms[0].column];
    return info->kind == COLUMN_DEFINED && info->op == OP_DIV && !info->operands[1].count;
}

#define LARGEST_DIVISOR (INT64_C(1) << 40)

static Polynomial quotient(Problem *problem, Polynomial a, int64_t divisor) {
    Polynomial multiples;
    if (divisor == 0)
        return polynomial_constant(0);
    if (divisor > LARGEST_DIVISOR || divisor < -LARGEST_DIVISOR) {
        problem->failed = true;
        return a;
    }
    if (divisor < 0) /* a = c*q + r with 0 <= r < abs(c) */
        return polynomial_scale(problem, quotient(problem, a, -divisor), -1);
    Polynomial rest = take_multiples(problem, a, divisor, &multiples);
    int64_t common = divisor;
    for (uint32_t i = 0; i < rest.count; i++)
        common = gcd64(common, rest.terms[i].coefficient);
    if (common > 1) {
        PolynomialTerm *terms = arena_array(problem->arena, PolynomialTerm, rest.count + 1);
        for (uint32_t i = 0; i < rest.count; i++)
            terms[i] = (PolynomialTerm){rest.terms[i].column, rest.terms[i].coefficient / common};
        rest = (Polynomial){rest.constant / common, rest.count, terms};
        divisor /= common;
    }
    if (divisor == 1)
        return polynomial_add(problem, multiples, rest, 1);
    if (is_quotient_of_quotient(problem, rest)) {
        const ColumnInfo *inner = &problem->columns.data[rest.terms[0].column];
        int64_t by = inner->operands[1].constant;
        if (by <= LARGEST_DIVISOR / divisor) {
            Polynomial whole = polynomial_plus(problem, inner->operands[0], rest.constant * by);
            return polynomial_add(problem, multiples, quotient(problem, whole, by * divisor), 1);
        }
    }
    return polynomial_add(problem, multiples, quotient_column(problem, rest, divisor), 1);
}

/* Defines q = a / b for b > 0, with r = a - b*q: 0 <= r < b, and q has the sign of a and is no
 * further from 0. For b < 0, q is negated and `b` stands for -b. */
static const Formula *quotient_case(Problem *problem, Polynomial a, Polynomial b, Polynomial q,
                                    Polynomial r) {
    Polynomial zero = polynomial_constant(0), below = polynomial_add(problem, b, r, -1);
    const Formula *signs =
        formula_or(problem,
                   formula_and(problem, at_least(problem, a, zero), at_least(problem, q, zero),
                               at_least(problem, a, q)),
                   formula_and(problem, is_negative(problem, a), is_negative(problem, q),
                               at_least(problem, q, a)));
    return formula_and(problem, formula_at_least(problem, polynomial_plus(problem, b, -1)),
                       at_least(problem, r, zero),
                       formula_at_least(problem, polynomial_plus(problem, below, -1)), signs);
}

/* Defines a % b for b > 0, likewise. */
static const Formula *remainder_case(Problem *problem, Polynomial itself, Polynomial b,
                                     Polynomial r) {
    Polynomial below = polynomial_add(problem, b, itself, -1);
    return formula_and(problem, formula_at_least(problem, polynomial_plus(problem, b, -1)),
                       equal(problem, itself, r),
                       formula_at_least(problem, polynomial_plus(problem, below, -1)));
}

/* a / b or a % b by an unknown b:  b > 0 and 0 <= a - b*q < b,  b < 0 and 0 <= a - b*q < -b,  or
 * b == 0 and the result is 0. */
static Polynomial divide_by_unknown(Problem *problem, Op op, Polynomial a, Polynomial b) {
    bool is_new, is_new_quotient;
    Polynomial zero = polynomial_constant(0), minus_b = polynomial_scale(problem, b, -1);
    Column quotient_at = define(problem, OP_DIV, a, b, NULL, &is_new_quotient);
    Polynomial q = polynomial_column(problem, quotient_at);
    Polynomial r = polynomial_add(problem, a, polynomial_multiply(problem, b, q), -1);
    if (is_new_quotient) {
        const Formula *cases =
            formula_or(problem, quotient_case(problem, a, b, q, r),
                       quotient_case(problem, a, minus_b, polynomial_scale(problem, q, -1), r),
                       formula_and(problem, formula_equal(problem, b), formula_equal(problem, q)));
        problem->columns.data[quotient_at].cases = cases;
    }
    if (op == OP_DIV)
        return q;
    Column column = define(problem, OP_MOD, a, b, NULL, &is_new);
    Polynomial itself = polynomial_column(problem, column);
    if (is_new) {
        const Formula *cases = formula_or(
            problem, remainder_case(problem, itself, b, r),
            remainder_case(problem, itself, minus_b, r),
            formula_and(problem, formula_equal(problem, b), formula_equal(problem, itself)));
        problem->columns.data[column].bounds = at_least(problem, itself, zero);
        problem->columns.data[column].cases = cases;
    }
    return itself;
}

static Polynomial divide(Problem *problem, Op op, Polynomial a, Polynomial b) {
    if (b.count)
        return divide_by_unknown(problem, op, a, b);
    if (!b.constant)
        return b;
    Polynomial q = quotient(problem, a, b.constant);
    return op == OP_DIV ? q : polynomial_add(problem, a, q, -b.constant);
}

/* ---- expressions ---- */

/* Returns the value of `type` that is congruent modulo 2^bits. */
static Polynomial wrap(Problem *problem, Type type, Polynomial a) {
    if (type_is_index(type))
        return a;
    int64_t modulus = INT64_C(1) << type.bits, offset = type.kind == TYPE_INT ? modulus / 2 : 0;
    Polynomial shifted = polynomial_plus(problem, a, offset);
    return polynomial_add(problem, a, quotient(problem, shifted, modulus), -modulus);
}

static Polynomial of_operator(Problem *problem, Expr expr) {
    Expr const *arguments = expr->arguments;
    if (expr->op == OP_SELECT) {
        Polynomial a = number_of(problem, arguments[1]), b = number_of(problem, arguments[2]);
        return polynomial_add(problem, b,
                              choice(problem, arguments[0], polynomial_add(problem, a, b, -1)), 1);
    }
    if (expr->op == OP_CAST && type_is_bool(arguments[0]->type))
        return choice(problem, arguments[0], polynomial_constant(1));
    Polynomial a = number_of(problem, arguments[0]),
               b = expr->arity > 1 ? number_of(problem, arguments[1]) : polynomial_constant(0);
    switch (expr->op) {
    case OP_ADD:
        return wrap(problem, expr->type, polynomial_add(problem, a, b, 1));
    case OP_SUB:
        return wrap(problem, expr->type, polynomial_add(problem, a, b, -1));
    case OP_MUL:
        return wrap(problem, expr->type, polynomial_multiply(problem, a, b));
    case OP_NEG:
        return wrap(problem, expr->type, polynomial_scale(problem, a, -1));
    case OP_DIV:
    case OP_MOD:
        return wrap(problem, expr->type, divide(problem, (Op)expr->op, a, b));
    case OP_MIN:
        return minimum_of(problem, a, b);
    case OP_MAX:
        return maximum_of(problem, a, b);
    case OP_ABS:
        return wrap(problem, expr->type, polynomial_add(problem, a, negative_part(problem, a), -2));
    default: /* a cast */
        return wrap(problem, expr->type, a);
    }
}

static bool is_number(Type type) {
    return type.lanes == 1 && (type_is_index(type) || type_is_machine_integer(type));
}

/* Is the node one of of_operator's? */
static bool is_looked_into(Expr expr) {
    bool wraps = type_is_machine_integer(expr->type);
    bool wraps_within = !wraps || expr->type.bits <= 32;
    switch (expr->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
    case OP_DIV:
    case OP_MOD:
    case OP_ABS:
        return wraps_within;
    case OP_MIN:
    case OP_MAX:
    case OP_SELECT:
        return true;
    case OP_CAST:
        return wraps_within &&
               (is_number(expr->arguments[0]->type) || type_is_bool(expr->arguments[0]->type));
    default: /* a leaf, or an operator that is left alone */
        return false;
    }
}

/* Returns the polynomial of an index expression, or of the number of a machine integer. */
static Polynomial number_of(Problem *problem, Expr expr) {
    const Polynomial *known = map_get(&problem->numbers, expr);
    if (known || problem->failed)
        return known ? *known : polynomial_constant(0);
    Polynomial *number = arena_new(problem->arena, Polynomial);
    bool unsigned64 = expr->type.kind == TYPE_UINT && expr->type.bits == 64;
    if (expr->op == OP_CONSTANT && (!unsigned64 || expr->bits >= 0))
        *number = polynomial_constant(expr->bits);
    else if (expr->op != OP_CONSTANT && is_looked_into(expr))
        *number = of_operator(problem, expr);
    else
        *number = polynomial_column(problem, unknown_of(problem, expr));
    map_put(&problem->numbers, expr, number);
    return *number;
}

/* ---- conditions ---- */

/* Returns the formula of a < b, a <= b, a == b, or of its negation. */
static const Formula *of_comparison(Problem *problem, Op op, Expr left, Expr right, bool holds) {
    Polynomial a = number_of(problem, left), b = number_of(problem, right);
    Polynomial upward = polynomial_add(problem, b, a, -1),
               downward = polynomial_add(problem, a, b, -1);
    const Formula *less = formula_at_least(problem, polynomial_plus(problem, upward, -1)),
                  *greater = formula_at_least(problem, polynomial_plus(problem, downward, -1));
    switch ((int)op) {
    case OP_LT:
        return holds ? less : formula_at_least(problem, downward);
    case OP_LE:
        return holds ? formula_at_least(problem, upward) : greater;
    default: /* EQ; NE came as its contrary */
        return holds ? formula_equal(problem, upward) : formula_or(problem, less, greater);
    }
}

/* Returns c ? a : b; `b` null is the negation of a. */
static const Formula *of_choice(Problem *problem, Expr c, Expr a, Expr b, bool holds) {
    const Formula *first = formula_of(problem, a, holds),
                  *second = b ? formula_of(problem, b, holds) : formula_of(problem, a, !holds);
    return formula_or(problem, formula_and(problem, formula_of(problem, c, true), first),
                      formula_and(problem, formula_of(problem, c, false), second));
}

static const Formula *of_unknown(Problem *problem, Expr expr, bool holds) {
    Polynomial itself = polynomial_column(problem, unknown_of(problem, expr));
    return formula_equal(problem, holds ? polynomial_plus(problem, itself, -1) : itself);
}

static const Formula *make(Problem *problem, Expr c, bool holds) {
    Expr const *arguments = c->arguments;
    const Formula *parts[2];
    switch (c->op) {
    case OP_CONSTANT:
        return formula_truth(problem, (c->bits != 0) == holds);
    case OP_NOT:
        return formula_of(problem, arguments[0], !holds);
    case OP_AND:
    case OP_OR:
        for (int i = 0; i < 2; i++)
            parts[i] = formula_of(problem, arguments[i], holds);
        return formula_join(problem, (c->op == OP_AND) == holds ? FORMULA_AND : FORMULA_OR, parts,
                            2);
    case OP_SELECT:
        return of_choice(problem, arguments[0], arguments[1], arguments[2], holds);
    case OP_LT:
    case OP_LE:
        if (is_number(arguments[0]->type))
            return of_comparison(problem, (Op)c->op, arguments[0], arguments[1], holds);
        return of_unknown(problem, c, holds);
    case OP_EQ:
    case OP_NE:
        if (is_number(arguments[0]->type))
            return of_comparison(problem, OP_EQ, arguments[0], arguments[1],
                                 holds == (c->op == OP_EQ));
        if (type_is_bool(arguments[0]->type))
            return of_choice(problem, arguments[0], arguments[1], NULL, holds == (c->op == OP_EQ));
        return of_unknown(problem, c, holds);
    default: /* a variable, a read, an operator that is left alone */
        return of_unknown(problem, c, holds);
    }
}

const Formula *formula_of(Problem *problem, Expr condition, bool holds) {
    Map *map = holds ? &problem->conditions : &problem->denials;
    const Formula *known = map_get(map, condition);
    if (known || problem->failed)
        return known ? known : formula_truth(problem, true);
    const Formula *made = make(problem, condition, holds);
    map_put(map, condition, made);
    return made;
}
