/* generate.h -- the parts of case_generate (case.h).
 *
 *   generate_expression.c  typed expressions as text
 *   generate_update.c      the updates of a func; limits of its values
 *   generate_reduction.c   those that compute associative operators
 *   split/generate_scan.c  those that read their func at constant distances
 *   generate_points.c      chains of funcs that need few points of one another
 *   generate_equations.c   funcs that are the equations of a recurrence
 *   generate_algorithm.c   parameters, images, funcs
 *   generate_input.c       the input of a program: windows, boxes, values; what outputs propose
 *   generate_schedule.c    which directives are drawn, and how often
 *   drawing.c              one directive, from those that are legal next
 *   generate.c             the whole case
 */
#ifndef HLC_CHECKERS_FUZZ_GENERATE_H
#define HLC_CHECKERS_FUZZ_GENERATE_H

#include "checkers/fuzz/case.h"
#include "checkers/fuzz/random.h"

/* Fills in everything but the directives. */
void generate_algorithm(Arena *arena, RandomSource *random, Case *fuzz_case);

/* Choose the window of an output; the box and contents of an image; the value of a parameter. */
void generate_window(RandomSource *random, const Case *fuzz_case, CaseFunc *func);
void generate_contents(RandomSource *random, CaseImage *image);
void generate_setting(Arena *arena, RandomSource *random, CaseParameter *parameter);

/* Appends directives: the scheduler accepts all of them. */
void generate_schedule(Arena *arena, RandomSource *random, Case *fuzz_case);

extern const char *const case_variables[CASE_DIMENSIONS];  /* x, y, c */
extern const char *const case_reductions[CASE_REDUCTIONS]; /* r0, r1, r2 */

/* The names that an expression may mention. */
typedef struct ExpressionScope {
    Arena *arena;
    RandomSource *random;
    Case *c;
    int funcs;            /* the number of the case's funcs that may be read */
    const char *names[8]; /* of sort index */
    int name_count;
    const char *lets[CASE_COMPONENTS + 1]; /* named values */
    Type let_types[CASE_COMPONENTS + 1];
    int let_count;
    const char *self; /* the text of a read of the func itself, or null */
    Type self_type;
    int dimension; /* of the index to make: an affine index uses the variable of its dimension */
    bool reducing; /* inside an inline reduction, or where none is allowed */
} ExpressionScope;

Type generate_type(RandomSource *random);
/* A value of the type, always written `type(..)`; smaller with smaller `depth`. */
const char *generate_value(ExpressionScope *scope, Type type, int depth);
/* An index that is affine in a name of the scope, or nearly so. */
const char *generate_affine(ExpressionScope *scope);
/* An index, perhaps one that depends on data. */
const char *generate_index(ExpressionScope *scope, int depth);
/* An index that reads a func whose values are limited; null if there is none, or by chance. */
const char *generate_index_by_value(ExpressionScope *scope, int depth);
/* `(minimum, length)` of a reduction variable; `*length` is 0 if it is not a constant. */
const char *generate_interval(ExpressionScope *scope, int *length);

/* Decides whether the func's values lie in a small range. */
void generate_limit(RandomSource *random, const Case *c, CaseFunc *func);
/* A value of the func's first component: limited, if the func is. */
const char *generate_limited(ExpressionScope *scope, const CaseFunc *func, const char *value);

void generate_update(ExpressionScope scope, CaseFunc *func);
/* An update that reads the func, of one dimension at least, at constant distances. */
void generate_scan(ExpressionScope scope, CaseFunc *func);
/* Makes `count` funcs of the case, starting at `first`, the equations of a recurrence. */
void generate_equations(Arena *arena, RandomSource *random, Case *c, int first, int count);
/* The element types of a func whose updates will compute associative operators. */
void generate_reduction_types(RandomSource *random, const Case *c, CaseFunc *func);
/* The first value of such an element; for other funcs any value. */
const char *generate_first(ExpressionScope *scope, const CaseFunc *func, int component);
/* The value that such an update stores, and the condition (null: always).  `self` reads the func at
 * the written point. */
typedef struct Reduction {
    const char *value, *condition;
} Reduction;
Reduction generate_reduction(ExpressionScope *scope, const CaseFunc *func, const char *self);
/* Makes all funcs of the case. */
/* Draws the sizes of outputs, and what they require. Other choices do not depend on it. */
void generate_sizes(Arena *arena, Case *c);
void generate_points(Arena *arena, RandomSource *random, Case *c);
/* A value that reads the last readable func at small offsets; there is one. */
const char *generate_stencil(ExpressionScope *scope, Type type);

#endif
