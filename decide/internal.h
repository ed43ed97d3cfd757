/* internal.h -- the data and the functions that the files of the decision tier share; nothing
 * outside decide/ includes it.
 *
 *   polynomial.c  columns and polynomials over them, in normal form
 *   formula.c     formulas over comparisons of polynomials with 0
 *   expression.c  integer expressions as polynomials, conditions as formulas; the definitions of
 *                 their columns
 *   assert.c      asserts formulas, and retracts them
 *   search.c      finds an assignment that satisfies a formula, by cases, guided by samples
 *   product.c     facts about products of columns
 *   value.c       computes a column from its definition and the values of others
 *   simplex.c     decides a conjunction of linear comparisons in machine numbers
 *   feasible.c    gives isl the conjunctions that simplex leaves open
 *   evaluate.c    evaluates conditions at points: first guesses, and the check of every witness
 *   decide.c      the entry
 *
 * A *column* stands for one integer: an unknown of the condition; a min, max, select, quotient, ..
 * with a definition; or a product of columns. For isl a column is a variable. A polynomial is a sum
 * of columns with coefficients. So products that are equal when multiplied out are equal columns.
 * Definitions are asserted only for used columns.
 */
#ifndef HLC_DECIDE_INTERNAL_H
#define HLC_DECIDE_INTERNAL_H

#include "base/integer.h"
#include "decide/decide.h"

typedef uint32_t Column;

typedef struct PolynomialTerm {
    Column column;
    int64_t coefficient; /* not 0 */
} PolynomialTerm;

/* constant + sum of terms, in ascending order of columns.  Immutable once made. */
typedef struct Polynomial {
    int64_t constant;
    uint32_t count;
    const PolynomialTerm *terms;
} Polynomial;

typedef enum FormulaKind {
    FORMULA_TRUE,
    FORMULA_FALSE,
    FORMULA_AT_LEAST, /* polynomial >= 0 */
    FORMULA_EQUAL,    /* polynomial == 0 */
    FORMULA_AND,
    FORMULA_OR
} FormulaKind;

/* Immutable; shared parts are one node. */
typedef struct Formula {
    FormulaKind kind;
    Polynomial polynomial;
    uint32_t size; /* comparisons, counted as in a tree */
    uint32_t count;
    const struct Formula *const *parts;
} Formula;

typedef enum ColumnKind {
    COLUMN_UNKNOWN, /* `expr`: a variable, or an opaque expression */
    COLUMN_DEFINED, /* one operation on polynomials */
    COLUMN_PRODUCT  /* of two columns and more, in ascending order */
} ColumnKind;

#define MOST_FACTORS 6

typedef struct ColumnInfo {
    ColumnKind kind;
    Expr expr;                /* UNKNOWN */
    uint16_t op;              /* DEFINED: the operator .. */
    Polynomial operands[2];   /* .. and its operands */
    const Formula *condition; /* of a select; null */
    uint32_t factor_count;
    Column factors[MOST_FACTORS];
    /* Conditions that always hold of it; `cases` is an OR that is costly and perhaps not needed.
     * Null: none. */
    const Formula *bounds, *cases;
} ColumnInfo;

#define MOST_COLUMNS  400
#define PRODUCT_SLOTS 1024

/* The question being decided. `failed`: a number exceeded 64 bits, or a limit was met; later
 * results are invalid. */
typedef struct Problem {
    Arena *arena;
    Vec(ColumnInfo) columns;
    Map numbers;                    /* Expr -> Polynomial *, of integer expressions */
    Map conditions, denials;        /* Expr -> Formula * */
    Map unknowns;                   /* Expr -> 1 + column */
    Column products[PRODUCT_SLOTS]; /* 1 + column, by the hash of the factors; 0: free */
    bool failed;
} Problem;

/* ---- polynomial.c ---- */

Polynomial polynomial_constant(int64_t constant);
Polynomial polynomial_column(Problem *problem, Column column);
/* a + scale * b */
Polynomial polynomial_add(Problem *problem, Polynomial a, Polynomial b, int64_t scale);
Polynomial polynomial_plus(Problem *problem, Polynomial a, int64_t constant);
Polynomial polynomial_scale(Problem *problem, Polynomial a, int64_t scale);
Polynomial polynomial_multiply(Problem *problem, Polynomial a, Polynomial b);
bool polynomial_equal(Polynomial a, Polynomial b);
/* Do a >= 0 and b >= 0 contradict each other: is a + b a negative constant? */
bool polynomial_denies(Polynomial a, Polynomial b);
/* Divides all coefficients by their greatest common divisor, and rounds the constant down, which is
 * right for `polynomial >= 0`. `*exact` tells whether the division was exact. */
Polynomial polynomial_primitive(Problem *problem, Polynomial a, bool *exact);
/* Computes its value if column i has values[i]; false beyond 64 bits. */
bool polynomial_value(Polynomial a, const int64_t *values, int64_t *value);
/* The product of two columns, one of which may be a product. */
Column column_product(Problem *problem, Column a, Column b);
/* Returns the product's column if it exists, else a number that is no column's. */
Column column_find_product(const Problem *problem, Column a, Column b);
Column column_new(Problem *problem, ColumnInfo info);

/* ---- expression.c ---- */

const Formula *formula_of(Problem *problem, Expr condition, bool holds);

/* ---- formula.c ---- */

const Formula *formula_truth(Problem *problem, bool truth);
const Formula *formula_at_least(Problem *problem, Polynomial polynomial);
const Formula *formula_equal(Problem *problem, Polynomial polynomial);
/* FORMULA_AND or FORMULA_OR of `count` parts. */
const Formula *formula_join(Problem *problem, FormulaKind kind, const Formula *const *parts,
                            uint32_t count);
#define formula_and(problem, ...)                                                                  \
    formula_join((problem), FORMULA_AND, (const Formula *const[]){__VA_ARGS__},                    \
                 sizeof((const Formula *const[]){__VA_ARGS__}) / sizeof(const Formula *))
#define formula_or(problem, ...)                                                                   \
    formula_join((problem), FORMULA_OR, (const Formula *const[]){__VA_ARGS__},                     \
                 sizeof((const Formula *const[]){__VA_ARGS__}) / sizeof(const Formula *))
/* Does the formula hold for these values of the columns? */
bool formula_holds(const Formula *formula, const int64_t *values);

/* ---- evaluate.c ---- */

typedef struct EvaluatedNode {
    Expr node;
    uint32_t operands[OP_MAX_ARITY]; /* their positions */
    Operation operation;             /* of an operator */
} EvaluatedNode;

/* A condition with its facts, for evaluation by ir/value.h's evaluator. */
typedef struct Evaluator {
    Arena *arena;
    Vec(EvaluatedNode) nodes; /* arguments before their users */
    Map places;               /* node -> 1 + position in `nodes` */
    Exprs variables;
    Expr condition;
    Exprs facts;
    bool possible; /* false: the condition reads funcs, or is too large */
} Evaluator;

Evaluator evaluator_create(Arena *arena, Expr condition, const Exprs *facts);
/* NONE: a number exceeded 64 bits. OUTSIDE: a fact does not hold there. */
typedef enum Truth { TRUTH_NONE, TRUTH_OUTSIDE, TRUTH_FALSE, TRUTH_TRUE } Truth;
Truth evaluator_at(Evaluator *evaluator, const Bits *values);
/* Returns the `facts` that fail if `variables` have these values, and others are 0. */
Exprs evaluator_failing(Arena *arena, const Exprs *facts, const Exprs *variables,
                        const Bits *values);
/* Returns a point at which all unknowns are the same small or large number, the condition is
 * `wanted`, and the facts hold. Null: none. */
const Bits *evaluator_plain_point(Evaluator *evaluator, Truth wanted);
/* Tries some points, the same in every run; fills in witnesses. */
void evaluator_guess(Evaluator *evaluator, Decision *decision);
/* Tries all points if there are at most `most`: of bools and small machine integers. */
void evaluator_enumerate(Evaluator *evaluator, Decision *decision, uint32_t most);

/* ---- simplex.c, feasible.c ---- */

typedef struct LinearLiteral {
    Polynomial polynomial;
    bool equal;   /* == 0, else >= 0 */
    bool derived; /* by product.c */
} LinearLiteral;
typedef Vec(LinearLiteral) LinearLiterals;

typedef enum Feasibility {
    FEASIBLE_UNKNOWN, /* the budget ran out, or the numbers are too large */
    FEASIBLE_NO,
    FEASIBLE_YES /* `values` holds a solution by column; unused columns are unchanged */
} Feasibility;
/* `*work` grows by the numbers computed in tableaus. */
Feasibility simplex(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                    int64_t *values, uint64_t *work);
Feasibility feasible(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                     uint32_t operations, int64_t *values);

/* ---- value.c ---- */

/* At most 2^56 in magnitude, so sums of values times coefficients fit 128 bits. */
#define LARGEST_VALUE (INT64_C(1) << 56)
static inline int64_t value_clamp(__int128 value) {
    return value > LARGEST_VALUE    ? LARGEST_VALUE
           : value < -LARGEST_VALUE ? -LARGEST_VALUE
                                    : (int64_t)value;
}
int64_t product_of_factors(const Problem *problem, Column column, const int64_t *values);
/* Computes a defined column or a product from the values of the earlier columns. */
int64_t value_of_column(const Problem *problem, Column column, const int64_t *values);

/* ---- search.c ---- */

typedef struct Pending {
    const Formula *formula; /* an OR that must hold */
    bool done;              /* one of its parts has been asserted */
} Pending;

typedef struct FormulaSearch {
    Problem *problem;
    Evaluator *evaluator;
    Truth wanted;
    LinearLiterals literals;
    Vec(Pending) pending;
    Vec(Column) active; /* in order of activation */
    Vec(size_t) forced; /* those of `pending` with one remaining part */
    bool *is_active;
    size_t column_capacity;
    bool contradiction;
    bool deriving;         /* current assertions are derived */
    int64_t work;          /* remaining work of product.c: terms multiplied */
    uint32_t conjunctions; /* left */
    uint32_t operations;
    uint64_t spent, most; /* work on tableaus; 0: no limit */
    const Bits *witness;  /* by the evaluator's variables */
} FormulaSearch;

static inline bool search_uses(const FormulaSearch *search, Column column) {
    return column < search->column_capacity && search->is_active[column];
}

typedef enum Answer { ANSWER_NONE, ANSWER_FOUND, ANSWER_UNKNOWN } Answer;
/* Searches for a point where the formula holds. FOUND: `witness` is one, evaluated. NONE: there is
 * none. */
Answer search_run(FormulaSearch *search, const Formula *formula);

/* ---- decide.c ---- */

/* Searches for a point where the evaluator's facts hold and its condition holds, or, without
 * `holds`, fails. FOUND: `*witness` is one, by the evaluator's variables. */
Answer decide_find(Arena *scratch, Evaluator *evaluator, bool holds, DecideBudget budget,
                   const Bits **witness);

/* ---- assert.c ---- */

/* The assertions before a case distinction. */
typedef struct SearchMark {
    size_t literals, pending, active, forced;
} SearchMark;
SearchMark search_mark(const FormulaSearch *search);
void search_release(FormulaSearch *search, SearchMark to);
void search_assert(FormulaSearch *search, const Formula *formula);
/* Asserts the definition of a column before its use. */
void search_activate(FormulaSearch *search, Column column);

/* ---- product.c ---- */

/* Asserts facts that contradict the solution `values`, in which some product is not the product of
 * its factors. False if none was found. */
bool product_refine(FormulaSearch *search, const int64_t *values);
/* Case distinctions for such a solution, or null: first the signs of factors and their order; then,
 * whether a factor has its value in the solution. */
const Formula *product_sign_cases(FormulaSearch *search, const int64_t *values);
const Formula *product_value_cases(FormulaSearch *search, const int64_t *values);

#endif
