/* generate.h -- the parts of case_generate (case.h).
 *
 *   generate_expression.c  typed expressions as text
 *   generate_update.c      the updates of a func
 *   generate_reduction.c   those that compute associative operators
 *   generate_stencil.c     chains of stencils
 *   generate_points.c      chains of funcs that need few points of one another
 *   generate_equations.c   funcs that are the equations of a recurrence
 *   generate_algorithm.c   parameters, images, funcs
 *   generate_input.c       what a program is run on: windows, boxes, values
 *   generate_schedule.c    directives, drawn from those that are legal next
 *   generate.c             the whole case
 */
#ifndef HLC_FUZZ_GENERATE_H
#define HLC_FUZZ_GENERATE_H

#include "checkers/fuzz/case.h"
#include "checkers/fuzz/random.h"

/* Fills in everything but the directives. */
void generate_algorithm(Arena *arena, RandomSource *random, Case *fuzz_case);

/* The window of an output; the box of an image and how it is filled; the value of a parameter. */
void generate_window(RandomSource *random, const Case *fuzz_case, CaseFunc *func);
void generate_contents(RandomSource *random, CaseImage *image);
void generate_setting(Arena *arena, RandomSource *random, CaseParameter *parameter);

/* Appends directives: the scheduler accepts all of them. */
void generate_schedule(Arena *arena, RandomSource *random, Case *fuzz_case);

extern const char *const case_variables[CASE_DIMENSIONS];  /* x, y, c */
extern const char *const case_reductions[CASE_REDUCTIONS]; /* r0, r1, r2 */

/* What an expression may mention. */
typedef struct ExpressionScope {
    Arena *arena;
    RandomSource *random;
    Case *c;
    int funcs;            /* how many of the case's funcs may be read */
    const char *names[8]; /* of sort index */
    int name_count;
    const char *lets[CASE_COMPONENTS + 1]; /* values with a name */
    Type let_types[CASE_COMPONENTS + 1];
    int let_count;
    const char *self; /* a read of the func itself, ready to be used, or null */
    Type self_type;
    int dimension; /* of the index to be made: so that all may be made of their own variables */
    bool reducing; /* inside an inline reduction, or where there may be none */
} ExpressionScope;

Type generate_type(RandomSource *random);
/* A value of the type, always written `type(..)`; smaller with smaller `depth`. */
const char *generate_value(ExpressionScope *scope, Type type, int depth);
/* An index that is affine in a name of the scope, or nearly. */
const char *generate_affine(ExpressionScope *scope);
/* An index, perhaps one that depends on data. */
const char *generate_index(ExpressionScope *scope, int depth);
/* `(minimum, length)` of a reduction variable; `*length` is 0 where it is not a constant. */
const char *generate_interval(ExpressionScope *scope, int *length);

void generate_update(ExpressionScope scope, CaseFunc *func);
/* Makes `count` funcs of the case, from `first` on, equations of a recurrence. */
void generate_equations(Arena *arena, RandomSource *random, Case *c, int first, int count);
/* The elements of a func whose updates will compute associative operators. */
void generate_reduction_types(RandomSource *random, const Case *c, CaseFunc *func);
/* What such an element is at first; of other funcs any value. */
const char *generate_first(ExpressionScope *scope, const CaseFunc *func, int component);
/* What such an update stores, and when (null: always); `self` reads the func at the point that is
 * written. */
typedef struct Reduction {
    const char *value, *condition;
} Reduction;
Reduction generate_reduction(ExpressionScope *scope, const CaseFunc *func, const char *self);
/* Makes all funcs of the case. */
void generate_points(Arena *arena, RandomSource *random, Case *c);
/* A value that reads the last of the funcs that may be read at small offsets; there is one. */
const char *generate_stencil(ExpressionScope *scope, Type type);

#endif
