/* formula.c -- conditions as formulas: AND and OR over comparisons of polynomials with 0. */
#include "decide/internal.h"

#define MOST_COMPARISONS 4000 /* each time that a formula is looked at */

const Formula *formula_truth(Problem *problem, bool truth) {
    (void)problem;
    static const Formula TRUTHS[] = {{.kind = FORMULA_FALSE}, {.kind = FORMULA_TRUE}};
    return &TRUTHS[truth];
}

static const Formula *comparison(Problem *problem, FormulaKind kind, Polynomial polynomial) {
    Formula *formula = arena_new(problem->arena, Formula);
    *formula = (Formula){.kind = kind, .polynomial = polynomial, .size = 1};
    return formula;
}

const Formula *formula_at_least(Problem *problem, Polynomial polynomial) {
    bool exact;
    if (!polynomial.count)
        return formula_truth(problem, polynomial.constant >= 0);
    return comparison(problem, FORMULA_AT_LEAST, polynomial_primitive(problem, polynomial, &exact));
}

const Formula *formula_equal(Problem *problem, Polynomial polynomial) {
    bool exact;
    if (!polynomial.count)
        return formula_truth(problem, polynomial.constant == 0);
    polynomial = polynomial_primitive(problem, polynomial, &exact);
    return exact ? comparison(problem, FORMULA_EQUAL, polynomial) : formula_truth(problem, false);
}

const Formula *formula_join(Problem *problem, FormulaKind kind, const Formula *const *parts,
                            uint32_t count) {
    FormulaKind neutral = kind == FORMULA_AND ? FORMULA_TRUE : FORMULA_FALSE;
    const Formula **kept = arena_array(problem->arena, const Formula *, count + 1);
    uint32_t kept_count = 0, size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i]->kind == neutral)
            continue;
        if (parts[i]->kind == FORMULA_TRUE || parts[i]->kind == FORMULA_FALSE)
            return parts[i];
        kept[kept_count++] = parts[i];
        size += parts[i]->size;
    }
    if (kept_count <= 1)
        return kept_count ? kept[0] : formula_truth(problem, kind == FORMULA_AND);
    if (size > MOST_COMPARISONS) {
        problem->failed = true;
        return formula_truth(problem, true);
    }
    Formula *formula = arena_new(problem->arena, Formula);
    *formula = (Formula){.kind = kind, .size = size, .count = kept_count, .parts = kept};
    return formula;
}

bool formula_holds(const Formula *formula, const int64_t *values) {
    int64_t value;
    switch (formula->kind) {
    case FORMULA_TRUE:
        return true;
    case FORMULA_FALSE:
        return false;
    case FORMULA_AT_LEAST:
        return polynomial_value(formula->polynomial, values, &value) && value >= 0;
    case FORMULA_EQUAL:
        return polynomial_value(formula->polynomial, values, &value) && value == 0;
    case FORMULA_AND:
        for (uint32_t i = 0; i < formula->count; i++)
            if (!formula_holds(formula->parts[i], values))
                return false;
        return true;
    case FORMULA_OR:
        for (uint32_t i = 0; i < formula->count; i++)
            if (formula_holds(formula->parts[i], values))
                return true;
        return false;
    }
    return false;
}

static bool are_numbers(Expr a) {
    return a->type.lanes == 1 && (type_is_index(a->type) || type_is_machine_integer(a->type));
}

/* a < b, a <= b, a == b of numbers, or the contrary. */
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

/* c ? a : b, where `b` null is the contrary of a. */
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
        if (are_numbers(arguments[0]))
            return of_comparison(problem, (Op)c->op, arguments[0], arguments[1], holds);
        return of_unknown(problem, c, holds);
    case OP_EQ:
    case OP_NE:
        if (are_numbers(arguments[0]))
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
