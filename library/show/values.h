/* values.h -- the values of all funcs of a pipeline, for hlc_show_values: values.c computes them,
 * values_statistics.c looks at them, values_reads.c explains points, values_print.c prints. */
#ifndef HLC_LIBRARY_SHOW_VALUES_H
#define HLC_LIBRARY_SHOW_VALUES_H

#include "library/compiler.h"

/* The values of one component of a func, or of an image. */
typedef struct ShownValues {
    const Func *func; /* null for an image */
    Symbol name;
    int component; /* -1: the only one */
    const Image *image;
} ShownValues;

typedef struct AllValues {
    hlc *h;
    const Pipeline *pipeline; /* whose outputs are all funcs that the outputs reach */
    const Pipeline *written;
    hlc_arguments *arguments; /* of `pipeline` */
    Vec(ShownValues) values;  /* images first, then funcs in definition order */
} AllValues;

/* A point of a func that is explained. */
typedef struct Probe {
    int64_t at[MAX_IMAGE_DIMENSIONS];
} Probe;
typedef Vec(Probe) Probes;

/* values_reads.c */

bool values_is_of_recurrence(const Func *func);
/* Is it an output of the pipeline? */
bool values_is_output(const Pipeline *pipeline, Symbol name);
/* The pipeline in which the other funcs are images, and its arguments: evaluating a point of the func
 * there reads what its definition reads. False, with the reason, if it has none. */
typedef struct ValueReading {
    const Pipeline *pipeline;
    Arguments arguments;
    double iterations; /* of reductions, for a point */
} ValueReading;
bool values_reading(const AllValues *all, const Func *func, ValueReading *reading,
                    const char **why_not);

/* values_statistics.c */

enum { MOST_VALUE_SAMPLES = 1 << 20, VALUE_BINS = 64 };

typedef struct ValueStatistics {
    double samples, finite, least, greatest, sum, nans;
    double low, high; /* the range that is shown */
    double bins[VALUE_BINS];
} ValueStatistics;

/* Converts the values at `at`, moved along the first dimension by each of `columns`. */
void values_row(const Image *image, const int64_t *at, const int64_t *columns, size_t count,
                double *values);
/* Looks at all values, or at those of a regular grid; `samples` has room for MOST_VALUE_SAMPLES. */
void values_look_at(const Image *image, double *samples, ValueStatistics *statistics);
/* The bin, of so many between `low` and `high`, of a value; that at the end for one outside. */
int values_bin(double value, double low, double high, int bins);

/* values_print.c */

/* Prints one JSON object a component, separated by commas. */
void values_print(const AllValues *all, FILE *out);

#endif
