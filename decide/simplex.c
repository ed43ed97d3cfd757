/* simplex.c -- searches for an integer point that satisfies a conjunction of linear comparisons. It
 * runs before isl: most conjunctions are small, and decided here in a few microseconds.
 *
 * Both solvers are needed. The table gives the cost of leaving one out, in seconds of one
 * processor: all 18 examples lowered under all their schedules (47 programs), a third of these
 * certified, and 1,133 goals proved.
 *
 *                   lowered   certified   goals   lost
 *     both             0.42        0.20    0.10
 *     isl alone        0.95        0.40    0.12   another check in 3 programs
 *     simplex alone    0.38        0.19    0.03   a goal; x < x + 1 || x == 2147483647 of i32;
 *                                                 another check in 3 programs
 *
 * Equations are eliminated first. Unimodular operations on columns leave one unknown in an
 * equation. The unknown then has a value, or no integer value. The rest are comparisons
 *
 *     constant + sum of coefficient * unknown >= 0
 *
 * divided by their common divisors, with the constants rounded down. Each comparison gets a slack,
 * the amount by which it holds. The dual simplex method with Bland's rule raises the slacks to 0 or
 * more, after Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)", 2006, section
 * 3: a slack below 0 changes places with an unknown, or with a slack that may grow. If there is
 * none, no point satisfies the comparisons. A cut removes a solution with fractions (Gomory,
 * "Outline of an Algorithm for Integer Solutions to Linear Programs", 1958).
 *
 * All numbers are exact: a row has integers over one denominator. A conjunction whose numbers
 * exceed 64 bits, or that takes too many steps, is left open here.
 */
#include "decide/internal.h"

#include <string.h>

#define MOST_PIVOTS 200
#define MOST_CUTS   24

/* Rows by columns; column 0 is the constants'. */
typedef struct Row {
    int64_t denominator; /* at least 1 */
    int64_t *numbers;    /* by column */
    int variable;        /* the variable whose value is the row */
} Row;

/* Variables are numbered: unknowns from 1 to `width`, slacks from there on. */
typedef struct Tableau {
    Arena *arena;
    int unknowns; /* columns of the conjunction, in order of first occurrence */
    Column *columns;
    int *of_column;           /* 1 + number of the unknown; 0: does not occur */
    int width;                /* columns beside the constants' */
    Vec(Row) equations, rows; /* rows: slacks, and unknowns that changed places */
    Row *points;       /* each unknown of the conjunction, in terms of the unknowns before any
                          exchange */
    int *variables;    /* the variables without a row, by column from 1 */
    int next_variable; /* of the next slack */
    uint64_t *work;    /* numbers computed */
    bool failed;       /* a number left 64 bits */
    bool contrary;     /* an equation or a comparison without unknowns is false */
} Tableau;

static bool is_unknown(const Tableau *t, int variable) {
    return variable <= t->width;
}

#define LARGEST_NUMBER (INT64_C(1) << 62)

static int64_t narrow(Tableau *t, __int128 number) {
    if (number < LARGEST_NUMBER && number > -LARGEST_NUMBER)
        return (int64_t)number;
    t->failed = true;
    return 0;
}

/* ---- the input ---- */

static void number_columns(Tableau *t, const LinearLiterals *literals, size_t column_count) {
    t->of_column = arena_array(t->arena, int, column_count + 1);
    t->columns = arena_array(t->arena, Column, column_count + 1);
    for (size_t i = 0; i < literals->length; i++) {
        const Polynomial *polynomial = &literals->data[i].polynomial;
        for (uint32_t j = 0; j < polynomial->count; j++) {
            Column column = polynomial->terms[j].column;
            if (t->of_column[column])
                continue;
            t->columns[t->unknowns++] = column;
            t->of_column[column] = t->unknowns;
        }
    }
    t->width = t->unknowns;
}

static Row row_create(Tableau *t, int variable) {
    return (Row){1, arena_array(t->arena, int64_t, t->width + 1), variable};
}

static void read_polynomial(Tableau *t, Row *row, const Polynomial *polynomial) {
    row->numbers[0] = narrow(t, polynomial->constant);
    for (uint32_t j = 0; j < polynomial->count; j++)
        row->numbers[t->of_column[polynomial->terms[j].column]] =
            narrow(t, polynomial->terms[j].coefficient);
}

/* ---- changes of the unknowns ---- */

/* Adds `times` the coefficient of `column` to that of `into`. */
static void add_column(Tableau *t, Row *row, int into, int column, int64_t times) {
    if (row->numbers[column])
        row->numbers[into] = narrow(t, row->numbers[into] + (__int128)row->numbers[column] * times);
}

static void add_columns(Tableau *t, int into, int column, int64_t times) {
    *t->work += t->equations.length + t->rows.length + (size_t)t->unknowns;
    for (size_t i = 0; i < t->equations.length; i++)
        add_column(t, &t->equations.data[i], into, column, times);
    for (size_t i = 0; i < t->rows.length; i++)
        add_column(t, &t->rows.data[i], into, column, times);
    for (int i = 0; i < t->unknowns; i++)
        add_column(t, &t->points[i], into, column, times);
}

/* Returns the column of the unknown with the least nonzero coefficient; 0 if all are 0. */
static int least_column(const Tableau *t, const Row *row) {
    int least = 0;
    int64_t size = INT64_MAX;
    for (int j = 1; j <= t->width; j++) {
        int64_t number = row->numbers[j] < 0 ? -row->numbers[j] : row->numbers[j];
        if (number && number < size && is_unknown(t, t->variables[j])) {
            least = j;
            size = number;
        }
    }
    return least;
}

/* Replaces the unknown x of a column by x - sum of (a_j / a) * x_j, repeatedly, as in Euclid's
 * algorithm, until the row has one unknown. Returns its column; 0 if there is none. */
static int leave_one_unknown(Tableau *t, const Row *row) {
    bool alone = false;
    int column = 0;
    while (!alone && !t->failed && (column = least_column(t, row))) {
        alone = true;
        int64_t by = row->numbers[column];
        for (int j = 1; j <= t->width; j++) {
            if (j == column || !row->numbers[j] || !is_unknown(t, t->variables[j]))
                continue;
            add_columns(t, j, column, -(row->numbers[j] / by));
            alone &= !row->numbers[j];
        }
    }
    return column;
}

/* ---- equations ---- */

static void clear_column(Tableau *t, int column) {
    for (size_t i = 0; i < t->equations.length; i++)
        t->equations.data[i].numbers[column] = 0;
    for (size_t i = 0; i < t->rows.length; i++)
        t->rows.data[i].numbers[column] = 0;
    for (int i = 0; i < t->unknowns; i++)
        t->points[i].numbers[column] = 0;
}

/* Eliminates the one remaining unknown of the equation by its value. */
static void eliminate(Tableau *t, const Row *equation) {
    int column = leave_one_unknown(t, equation);
    int64_t by = column ? equation->numbers[column] : 1;
    t->contrary |= column ? equation->numbers[0] % by != 0 : equation->numbers[0] != 0;
    if (!column || t->contrary || t->failed)
        return;
    add_columns(t, 0, column, -(equation->numbers[0] / by));
    clear_column(t, column);
}

/* ---- comparisons ---- */

/* Divides by the common divisor of the coefficients. */
static void tighten(Tableau *t, Row *row) {
    int64_t common = 0;
    for (int j = 1; j <= t->width && common != 1; j++)
        if (row->numbers[j])
            common = gcd64(common, row->numbers[j]);
    if (!common)
        t->contrary |= row->numbers[0] < 0;
    if (common < 2)
        return;
    row->numbers[0] = floor_divide(row->numbers[0], common);
    for (int j = 1; j <= t->width; j++)
        row->numbers[j] /= common;
}

static void read_literals(Tableau *t, const LinearLiterals *literals) {
    vec_reserve(t->arena, &t->rows, literals->length + MOST_CUTS);
    for (size_t i = 0; i < literals->length; i++) {
        const LinearLiteral *literal = &literals->data[i];
        Row row = row_create(t, literal->equal ? 0 : t->next_variable++);
        read_polynomial(t, &row, &literal->polynomial);
        if (literal->equal)
            vec_push(t->arena, &t->equations, row);
        else
            vec_push(t->arena, &t->rows, row);
    }
    for (size_t i = 0; i < t->equations.length && !t->contrary && !t->failed; i++)
        eliminate(t, &t->equations.data[i]);
    t->equations.length = 0;
    for (size_t i = 0; i < t->rows.length && !t->failed; i++)
        tighten(t, &t->rows.data[i]);
}

/* ---- the method ---- */

static void reduce(const Tableau *t, Row *row) {
    int64_t common = row->denominator;
    for (int j = 0; j <= t->width && common != 1; j++)
        if (row->numbers[j])
            common = gcd64(common, row->numbers[j]);
    if (common == 1)
        return;
    row->denominator /= common;
    for (int j = 0; j <= t->width; j++)
        row->numbers[j] /= common;
}

/* Substitutes `value` for the variable of `column` in the row. */
static void substitute(Tableau *t, Row *row, int column, const Row *value) {
    int64_t times = row->numbers[column];
    if (!times)
        return;
    row->numbers[column] = 0;
    *t->work += (size_t)t->width;
    for (int j = 0; j <= t->width; j++)
        if (value->denominator != 1 || value->numbers[j])
            row->numbers[j] = narrow(t, (__int128)row->numbers[j] * value->denominator +
                                            (__int128)times * value->numbers[j]);
    if (value->denominator != 1) {
        row->denominator = narrow(t, (__int128)row->denominator * value->denominator);
        if (!t->failed)
            reduce(t, row);
    }
}

/* Exchanges the row's variable with the column's. */
static void pivot(Tableau *t, size_t at, int column) {
    Row *row = &t->rows.data[at];
    int64_t by = row->numbers[column];
    int variable = row->variable;
    row->numbers[column] = -row->denominator;
    row->denominator = by < 0 ? -by : by;
    for (int j = 0; j <= t->width && by > 0; j++)
        row->numbers[j] = -row->numbers[j];
    row->variable = t->variables[column];
    t->variables[column] = variable;
    reduce(t, row);
    for (size_t i = 0; i < t->rows.length && !t->failed; i++)
        if (i != at)
            substitute(t, &t->rows.data[i], column, row);
}

/* Returns the row of the lowest-numbered slack below 0; the count of rows if there is none. */
static size_t violated(const Tableau *t) {
    size_t found = t->rows.length;
    for (size_t i = 0; i < t->rows.length; i++) {
        const Row *row = &t->rows.data[i];
        if (row->numbers[0] < 0 && !is_unknown(t, row->variable) &&
            (found == t->rows.length || row->variable < t->rows.data[found].variable))
            found = i;
    }
    return found;
}

/* Returns the column of a variable that can increase the row: a remaining unknown, or the
 * lowest-numbered slack; 0 if there is none. */
static int entering(Tableau *t, const Row *row) {
    int found = leave_one_unknown(t, row);
    for (int j = 1; j <= t->width && !(found && is_unknown(t, t->variables[found])); j++)
        if (row->numbers[j] > 0 && (!found || t->variables[j] < t->variables[found]))
            found = j;
    return found;
}

static Feasibility make_feasible(Tableau *t, int *pivots) {
    for (size_t at; (at = violated(t)) < t->rows.length;) {
        int column = entering(t, &t->rows.data[at]);
        if (t->failed)
            return FEASIBLE_UNKNOWN;
        if (!column)
            return FEASIBLE_NO;
        if (--*pivots < 0)
            return FEASIBLE_UNKNOWN;
        pivot(t, at, column);
        if (t->failed)
            return FEASIBLE_UNKNOWN;
    }
    return FEASIBLE_YES;
}

/* ---- fractions ---- */

/* Unknowns have integer coefficients in all rows: a row that contains one has no other. denominator
 * * v = constant + sum of a_j * s_j, with v and s_j integers and s_j >= 0. So the sum of (a_j mod
 * denominator) * s_j is at least the difference to a multiple of the denominator. */
static void cut(Tableau *t, size_t at) {
    Row row = row_create(t, t->next_variable++), from = t->rows.data[at];
    row.denominator = from.denominator;
    row.numbers[0] = floor_modulo(from.numbers[0], from.denominator) - from.denominator;
    for (int j = 1; j <= t->width; j++)
        row.numbers[j] = floor_modulo(from.numbers[j], from.denominator);
    vec_push(t->arena, &t->rows, row);
}

/* Returns the first row with a fractional value; the count of rows if there is none. */
static size_t fraction(const Tableau *t) {
    size_t i = 0;
    while (i < t->rows.length && t->rows.data[i].numbers[0] % t->rows.data[i].denominator == 0)
        i++;
    return i;
}

/* Takes the values of the conjunction's unknowns: a variable without a row is 0. */
static bool take_values(Tableau *t, int64_t *values) {
    int64_t *by_column = arena_array(t->arena, int64_t, t->width + 1);
    for (size_t i = 0; i < t->rows.length; i++)
        if (is_unknown(t, t->rows.data[i].variable))
            by_column[t->rows.data[i].variable] =
                t->rows.data[i].numbers[0] / t->rows.data[i].denominator;
    for (int i = 0; i < t->unknowns; i++) {
        __int128 value = t->points[i].numbers[0];
        for (int j = 1; j <= t->width; j++)
            value += (__int128)t->points[i].numbers[j] * by_column[j];
        if (value >= LARGEST_VALUE || value <= -LARGEST_VALUE)
            return false;
        values[t->columns[i]] = (int64_t)value;
    }
    return true;
}

Feasibility simplex(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                    int64_t *values, uint64_t *work) {
    Tableau t = {.arena = scratch, .work = work};
    int pivots = MOST_PIVOTS;
    number_columns(&t, literals, column_count);
    t.next_variable = t.width + 1;
    t.variables = arena_array(scratch, int, t.width + 1);
    t.points = arena_array(scratch, Row, t.unknowns + 1);
    for (int i = 0; i < t.unknowns; i++) {
        t.variables[i + 1] = i + 1;
        t.points[i] = row_create(&t, i + 1);
        t.points[i].numbers[i + 1] = 1;
    }
    read_literals(&t, literals);
    for (int cuts = 0; cuts < MOST_CUTS; cuts++) {
        if (t.failed)
            return FEASIBLE_UNKNOWN;
        if (t.contrary)
            return FEASIBLE_NO;
        Feasibility result = make_feasible(&t, &pivots);
        if (result != FEASIBLE_YES)
            return result;
        size_t at = fraction(&t);
        if (at == t.rows.length)
            return take_values(&t, values) ? FEASIBLE_YES : FEASIBLE_UNKNOWN;
        cut(&t, at);
    }
    return FEASIBLE_UNKNOWN;
}
