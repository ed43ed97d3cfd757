/* generate_recurrence.h -- random recurrences: valid ones, ones with one flaw, and wild ones, which
 * only an evaluation can judge.
 *
 *   generate_recurrence.c   the equations, and their text
 *   recurrence_flaw.c       equations that the front end must refuse, each with its reason
 *   recurrence_value.c      the values of the equations, by literal recursion
 */
#ifndef HLC_CHECKERS_FUZZ_GENERATE_RECURRENCE_H
#define HLC_CHECKERS_FUZZ_GENERATE_RECURRENCE_H

#include "base/memory.h"
#include "checkers/fuzz/random.h"

enum {
    RECURRENCE_VARIABLES = 3, /* of the domain */
    RECURRENCE_FUNCS = 3,
    RECURRENCE_LENGTH = 5 /* the greatest length that is tried */
};

typedef enum TermKind {
    TERM_CONSTANT, /* `number` */
    TERM_VARIABLE, /* of the domain, or the batch variable: `number` */
    TERM_READ,     /* func `number` at `distance` */
    TERM_ADD,
    TERM_SUBTRACT,
    TERM_MAXIMUM,
    TERM_CHOICE /* select(condition, a, b) */
} TermKind;

typedef struct RecurrenceTerm {
    TermKind kind;
    int number, distance[RECURRENCE_VARIABLES];
    const struct RecurrenceTerm *a, *b;
    const struct GuardTerm *condition;
} RecurrenceTerm;

typedef enum GuardKind {
    GUARD_BELOW, /* the first coordinates of a variable, this many */
    GUARD_ABOVE, /* the last coordinates, this many */
    GUARD_VALUE, /* a term's value is above a number */
    GUARD_AND,
    GUARD_OR,
    GUARD_NOT
} GuardKind;

typedef struct GuardTerm {
    GuardKind kind;
    int variable, number;
    const RecurrenceTerm *term;
    const struct GuardTerm *a, *b;
} GuardTerm;

/* Variables are i0, i1, ..; `b` is the batch variable.  Lengths are parameters n0, n1, ..  */
typedef struct RecurrenceCase {
    Arena *arena;
    int variables, funcs;
    int minimum[RECURRENCE_VARIABLES];
    bool has_batch;
    const RecurrenceTerm *equations[RECURRENCE_FUNCS]; /* of funcs f0, f1, .. */
    const char *flaw_text[3]; /* further equations, at the ends of the block; or null */
    const char *flaw_code;    /* the diagnostic that must refuse them; null: none */
} RecurrenceCase;

/* The funcs' variables: `i0, i1, b`; with `offsets`, minus the offsets. */
const char *recurrence_variables(const RecurrenceCase *c, const int *offsets);
/* Generates a valid recurrence. */
RecurrenceCase recurrence_generate(Arena *arena, RandomSource *random);
/* Generates one with random distances and guards. */
RecurrenceCase recurrence_generate_wild(Arena *arena, RandomSource *random);
/* Adds equations with a flaw to a valid recurrence. */
void recurrence_add_flaw(RecurrenceCase *c, RandomSource *random);
/* `pipeline p(n0: i32, ..) -> (f0, ..) { recurrence .. }` */
const char *recurrence_text(const RecurrenceCase *c);

typedef enum RecurrenceAnswer { ANSWER_VALUE, ANSWER_LEAVES, ANSWER_CYCLE } RecurrenceAnswer;

/* All points of all funcs for some lengths and one batch coordinate. */
typedef struct RecurrenceValues RecurrenceValues;
RecurrenceValues *recurrence_values(const RecurrenceCase *c, const int *lengths, int batch);
/* `index` counts from the domain's first point. */
RecurrenceAnswer recurrence_value(RecurrenceValues *values, int func, const int *index,
                                  int32_t *value);

#endif
