/* case.h -- one case of the fuzzer: an algorithm, a schedule and the input to run them on.
 *
 * A case is text in parts, so that shrinking can leave parts out, and what is left is a
 * self-contained .hl file with a command that runs it.
 */
#ifndef HLC_FUZZ_CASE_H
#define HLC_FUZZ_CASE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { CASE_DIMENSIONS = 2, CASE_FUNCS = 4, CASE_IMAGES = 2, CASE_PARAMETERS = 2 };

typedef Vec(const char *) Texts;

typedef struct CaseFunc {
    const char *name;
    int dimensions, components;
    const char *type; /* of every component */
    const char *pure; /* the pure stage's text */
    Texts updates;    /* each `rdom(..) in (..) <- ..` */
} CaseFunc;

typedef struct CaseImage {
    const char *name, *type;
    int dimensions;
    const char *boundary; /* `repeat_edge(in0)`, or null for reads as they are */
    int64_t minimum[CASE_DIMENSIONS], extent[CASE_DIMENSIONS];
} CaseImage;

typedef struct CaseParameter {
    const char *name, *type;
    int lower, upper, value;
} CaseParameter;

typedef struct Case {
    uint64_t seed;
    CaseImage images[CASE_IMAGES];
    CaseParameter parameters[CASE_PARAMETERS];
    CaseFunc funcs[CASE_FUNCS]; /* the last is the output */
    int image_count, parameter_count, func_count;
    Texts directives;
    int64_t window_minimum[CASE_DIMENSIONS], window_extent[CASE_DIMENSIONS];
    uint64_t data_seed; /* of the images' contents */
} Case;

/* A random case: valid algorithms by construction, schedules that are mostly legal. */
Case *case_generate(Arena *arena, uint64_t seed);

/* The .hl text: pipeline `p`, schedule `s`. */
char *case_text(Arena *arena, const Case *fuzz_case);
/* The values of a command line that runs it, e.g. `w0=3 in0=random:7:20x20+-5+-5 out=8x8+0+0`. */
char *case_arguments(Arena *arena, const Case *fuzz_case);

#endif
