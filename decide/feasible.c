/* feasible.c -- searches, by isl, for an integer point that satisfies a conjunction of linear
 * comparisons.
 *
 * Only this file uses isl. isl has its own allocator and counts its operations. Its context lives
 * for one question. No arena is used while it lives, because an arena may leave by longjmp. isl
 * reports errors by null objects, never by an abort.
 */
#include "decide/internal.h"

#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdio.h>

/* Debian's isl is not position-independent: in libhlc.so it cannot address the C library's `stderr`.
 * The build renames its uses to this copy. */
extern FILE *feasible_stderr;
FILE *feasible_stderr;
__attribute__((constructor)) static void copy_stderr(void) {
    feasible_stderr = stderr;
}

/* A question to isl takes about as long as so many requests to an arena. */
enum { QUESTION_WORK = 2000 };

/* Columns that occur, by dimension, and dimensions by column. */
typedef struct Dimensions {
    int *of_column; /* 1 + dimension; 0: does not occur */
    Column *columns;
    int count;
} Dimensions;

static Dimensions find_dimensions(Arena *scratch, const LinearLiterals *literals,
                                  size_t column_count) {
    Dimensions dimensions = {.of_column = arena_array(scratch, int, column_count + 1),
                             .columns = arena_array(scratch, Column, column_count + 1)};
    for (size_t i = 0; i < literals->length; i++) {
        const Polynomial *polynomial = &literals->data[i].polynomial;
        for (uint32_t j = 0; j < polynomial->count; j++) {
            Column column = polynomial->terms[j].column;
            if (dimensions.of_column[column])
                continue;
            dimensions.columns[dimensions.count++] = column;
            dimensions.of_column[column] = dimensions.count;
        }
    }
    return dimensions;
}

static isl_mat *matrix_of(isl_ctx *ctx, const LinearLiterals *literals,
                          const Dimensions *dimensions, bool equal) {
    unsigned rows = 0;
    for (size_t i = 0; i < literals->length; i++)
        rows += literals->data[i].equal == equal;
    isl_mat *matrix = isl_mat_alloc(ctx, rows, (unsigned)dimensions->count + 1);
    for (int row = 0, i = 0; row < (int)rows; i++) {
        const LinearLiteral *literal = &literals->data[i];
        if (literal->equal != equal)
            continue;
        matrix = isl_mat_set_element_si(matrix, row, 0, 0);
        for (int j = 0; j < dimensions->count; j++)
            matrix = isl_mat_set_element_si(matrix, row, j + 1, 0);
        matrix = isl_mat_set_element_val(matrix, row, 0,
                                         isl_val_int_from_si(ctx, literal->polynomial.constant));
        for (uint32_t j = 0; j < literal->polynomial.count; j++) {
            PolynomialTerm term = literal->polynomial.terms[j];
            matrix = isl_mat_set_element_val(matrix, row, dimensions->of_column[term.column],
                                             isl_val_int_from_si(ctx, term.coefficient));
        }
        row++;
    }
    return matrix;
}

/* Takes the point's coordinates; false if one is too large. */
static bool take_values(isl_point *point, const Dimensions *dimensions, int64_t *values) {
    bool small = true;
    for (int i = 0; i < dimensions->count; i++) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, i);
        small = small && value && isl_val_is_int(value) == isl_bool_true &&
                isl_val_cmp_si(value, LARGEST_VALUE) < 0 &&
                isl_val_cmp_si(value, -LARGEST_VALUE) > 0;
        if (small)
            values[dimensions->columns[i]] = isl_val_get_num_si(value);
        isl_val_free(value);
    }
    return small;
}

static Feasibility sample(isl_ctx *ctx, const LinearLiterals *literals,
                          const Dimensions *dimensions, int64_t *values) {
    isl_mat *equalities = matrix_of(ctx, literals, dimensions, true),
            *inequalities = matrix_of(ctx, literals, dimensions, false);
    isl_space *space = isl_space_set_alloc(ctx, 0, (unsigned)dimensions->count);
    isl_basic_set *set = isl_basic_set_from_constraint_matrices(
        space, equalities, inequalities, isl_dim_cst, isl_dim_set, isl_dim_div, isl_dim_param);
    isl_point *point = isl_basic_set_sample_point(set);
    isl_bool is_void = isl_point_is_void(point);
    Feasibility result = FEASIBLE_UNKNOWN;
    if (is_void == isl_bool_true)
        result = FEASIBLE_NO;
    else if (is_void == isl_bool_false && take_values(point, dimensions, values))
        result = FEASIBLE_YES;
    isl_point_free(point);
    return result;
}

Feasibility feasible(Arena *scratch, const LinearLiterals *literals, size_t column_count,
                     uint32_t operations, int64_t *values) {
    Dimensions dimensions = find_dimensions(scratch, literals, column_count);
    if (!literals->length)
        return FEASIBLE_YES;
    isl_ctx *ctx = isl_ctx_alloc();
    if (!ctx)
        return FEASIBLE_UNKNOWN;
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx, operations);
    Feasibility result = sample(ctx, literals, &dimensions, values);
    if (isl_ctx_last_error(ctx) != isl_error_none)
        result = FEASIBLE_UNKNOWN;
    isl_ctx_free(ctx);
    arena_add_work(scratch, QUESTION_WORK);
    return result;
}
