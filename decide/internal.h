/* internal.h -- what the files of the decision tier share; nothing outside decide/ includes it.
 *
 *   polynomial.c  columns and polynomials over them, in normal form
 *   formula.c     formulas over comparisons of polynomials with 0
 *   expression.c  integer expressions as polynomials, conditions as formulas; the definitions of
 *                 their columns
 *   assert.c      what is asserted, and taking it back
 *   search.c      is there an assignment that satisfies a formula?  Cases, guided by samples
 *   product.c     what is known of products of columns
 *   value.c       what a column is, by its definition, where others have values
 *   simplex.c     a conjunction of linear comparisons, settled in machine numbers
 *   feasible.c    those that it leaves open, given to isl
 *   evaluate.c    conditions at points: first guesses, and the check of every witness
 *   decide.c      the entry
 *
 * A *column* stands for one integer: an unknown of the condition; a min, max, select, quotient, ..
 * with a definition; or a product of columns.  To isl a column is a variable.  A polynomial is a
 * sum of columns with coefficients, so products that are equal when multiplied out are equal
 * columns.  Definitions are asserted only for columns that are used.
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
    COLUMN_UNKNOWN, /* `expr`: a variable, or an expression that is not looked into */
    COLUMN_DEFINED, /* one operation on polynomials */
    COLUMN_PRODUCT  /* of two columns and more, in ascending order */
} ColumnKind;

#define MOST_FACTORS 6

typedef struct ColumnInfo {
    ColumnKind kind;
    Expr expr;                /* UNKNOWN */
    uint16_t op;              /* DEFINED: the operator .. */
    Polynomial operands[2];   /* .. and what it is applied to */
    const Formula *condition; /* of a select; null */
    uint32_t factor_count;
    Column factors[MOST_FACTORS];
    /* What always holds of it; `cases` is an OR that is costly and perhaps not needed.  Null: none
     */
    const Formula *bounds, *cases;
} ColumnInfo;

#define MOST_COLUMNS  400
#define PRODUCT_SLOTS 1024

/* What is being decided.  `failed`: a number left 64 bits, or a limit was met; nothing made
 * afterwards means anything. */
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
/* Are a >= 0 and b >= 0 contrary: is a + b a negative constant? */
bool polynomial_denies(Polynomial a, Polynomial b);
/* Divides all coefficients by their greatest common divisor; the constant is rounded down, which is
 * right for `polynomial >= 0`; `*exact` tells whether nothing was lost. */
Polynomial polynomial_primitive(Problem *problem, Polynomial a, bool *exact);
/* Its value where column i has values[i]; false beyond 64 bits. */
bool polynomial_value(Polynomial a, const int64_t *values, int64_t *value);
/* The product of two columns, one of which may be a product. */
Column column_product(Problem *problem, Column a, Column b);
/* The same where it is there already, else a number that is no column's. */
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
/* Does it hold where the columns have these values? */
bool formula_holds(const Formula *formula, const int64_t *values);

/* ---- evaluate.c ---- */

typedef struct EvaluatedNode {
    Expr node;
    uint32_t operands[OP_MAX_ARITY]; /* their positions */
    Operation operation;             /* of an operator */
} EvaluatedNode;

/* A condition with its facts, evaluated by the evaluator of ir/value.h. */
typedef struct Evaluator {
    Arena *arena;
    Vec(EvaluatedNode) nodes; /* arguments before their users */
    Map places;               /* node -> 1 + position in `nodes` */
    Exprs variables;
    Expr condition;
    Exprs facts;
    bool possible; /* false: it reads funcs, or is too large */
} Evaluator;

Evaluator evaluator_create(Arena *arena, Expr condition, const Exprs *facts);
/* NONE: a number left 64 bits.  OUTSIDE: a fact does not hold there. */
typedef enum Truth { TRUTH_NONE, TRUTH_OUTSIDE, TRUTH_FALSE, TRUTH_TRUE } Truth;
Truth evaluator_at(Evaluator *evaluator, const Bits *values);
/* `facts` without those that hold where `variables` have these values, and others are 0. */
Exprs evaluator_failing(Arena *arena, const Exprs *facts, const Exprs *variables,
                        const Bits *values);
/* A point at which all unknowns are the same small number, or a large one, the condition is
 * `wanted` and the facts hold; null for none. */
const Bits *evaluator_plain_point(Evaluator *evaluator, Truth wanted);
/* Tries some points that are the same in every run; fills in witnesses. */
void evaluator_guess(Evaluator *evaluator, Decision *decision);
/* Tries all points, where there are at most `most`: of bools and small machine integers. */
void evaluator_enumerate(Evaluator *evaluator, Decision *decision, uint32_t most);

/* ---- simplex.c, feasible.c ---- */

typedef struct LinearLiteral {
    Polynomial polynomial;
    bool equal;   /* == 0, else >= 0 */
    bool derived; /* by product.c */
} LinearLiteral;
typedef Vec(LinearLiteral) LinearLiterals;

typedef enum Feasibility {
    FEASIBLE_UNKNOWN, /* the budget was spent, or the numbers are too large */
    FEASIBLE_NO,
    FEASIBLE_YES /* `values` holds a solution by column; columns that do not occur are left alone */
} Feasibility;
/* `*work` grows by the numbers of tableaus that were computed. */
Feasibility simplex(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                    int64_t *values, uint64_t *work);
Feasibility feasible(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                     uint32_t operations, int64_t *values);

/* ---- value.c ---- */

/* At most 2^56 in magnitude, so that sums of values times coefficients fit 128 bits. */
#define LARGEST_VALUE (INT64_C(1) << 56)
static inline int64_t value_clamp(__int128 value) {
    return value > LARGEST_VALUE    ? LARGEST_VALUE
           : value < -LARGEST_VALUE ? -LARGEST_VALUE
                                    : (int64_t)value;
}
int64_t product_of_factors(const Problem *problem, Column column, const int64_t *values);
/* What a defined column or a product is where the columns before it have these values. */
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
    Vec(size_t) forced; /* those of `pending` of which one part was left */
    bool *is_active;
    size_t column_capacity;
    bool contradiction;
    bool deriving;         /* what is asserted now is derived */
    int64_t work;          /* left to product.c: terms multiplied */
    uint32_t conjunctions; /* left */
    uint32_t operations;
    uint64_t spent, most; /* work on tableaus; 0: no limit */
    const Bits *witness;  /* by the evaluator's variables */
} FormulaSearch;

static inline bool search_uses(const FormulaSearch *search, Column column) {
    return column < search->column_capacity && search->is_active[column];
}

typedef enum Answer { ANSWER_NONE, ANSWER_FOUND, ANSWER_UNKNOWN } Answer;
/* Is there a point where the formula holds?  FOUND: `witness` is one, evaluated.  NONE: there is
 * none. */
Answer search_run(FormulaSearch *search, const Formula *formula);

/* ---- decide.c ---- */

/* Is there a point where the evaluator's facts hold and its condition holds, or, where not `holds`,
 * fails?  FOUND: `*witness` is one, by the evaluator's variables. */
Answer decide_find(Arena *scratch, Evaluator *evaluator, bool holds, DecideBudget budget,
                   const Bits **witness);

/* ---- assert.c ---- */

/* How much was asserted before a case was distinguished. */
typedef struct SearchMark {
    size_t literals, pending, active, forced;
} SearchMark;
SearchMark search_mark(const FormulaSearch *search);
void search_release(FormulaSearch *search, SearchMark to);
void search_assert(FormulaSearch *search, const Formula *formula);
/* Asserts the definition of a column that is going to be used. */
void search_activate(FormulaSearch *search, Column column);

/* ---- product.c ---- */

/* Asserts what the solution `values`, in which some product is not the product of its factors,
 * contradicts; false where nothing was found.  */
bool product_refine(FormulaSearch *search, const int64_t *values);
/* Case distinctions for such a solution, null where there are none: what the signs of factors are,
 * and which is greater; then, whether a factor has its value in the solution. */
const Formula *product_sign_cases(FormulaSearch *search, const int64_t *values);
const Formula *product_value_cases(FormulaSearch *search, const int64_t *values);

#endif
