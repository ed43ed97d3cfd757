/* oracle.h -- runs the cases of one program in every way and compares. */
#ifndef HLC_FUZZ_ORACLE_H
#define HLC_FUZZ_ORACLE_H

#include "checkers/fuzz/case.h"
#include "checkers/fuzz/coverage.h"

typedef enum CaseVerdict {
    VERDICT_EQUAL,   /* every way gave the reference's answer */
    VERDICT_REFUSED, /* the compiler, or an entry check, refused with a reason */
    VERDICT_DIFFERS, /* a wrong value, an invariant of ours, accepted what the reference refuses, or
                        refused what there is no reason to refuse */
    VERDICT_INVALID, /* the front end rejected the algorithm: the generator is wrong */
    VERDICT_CRASHED, /* the process died (batch.c) */
    VERDICT_LATE,    /* the process was not done in time: what was not compared may yet differ */
    VERDICT_NOT_MADE /* either while the case was generated */
} CaseVerdict;

/* Counts intervals on which funcs are computed or which images must hold: all of them; those wider
 * than the union of the algorithm's reads; those wider than the region that must be right
 * (checkers/query/query.h). */
typedef struct RegionCounts {
    uint64_t all, wide, unasked;
} RegionCounts;

typedef struct CaseResult {
    int input; /* of the program, which the case has */
    CaseVerdict verdict;
    char message[1000];         /* what differs where, or why it was refused */
    char reason[32];            /* of a refusal: the diagnostic's code or the error's name */
    CaseBox boxes[CASE_IMAGES]; /* of the images */
    bool has_point;             /* the first that differs, of an output's buffer */
    int output;
    int64_t point[CASE_DIMENSIONS];
    /* Ends of the regions demanded of images, as far as checked, and those at which the reference
     * read nothing. */
    int ends, loose_ends;
    RegionCounts regions[2]; /* [1]: of affine accesses: none of these should be wide */
    int runs;                /* of compiled code */
    int proved;              /* readings in which the rules of the report were compared */
    bool is_left;            /* left out: it takes too long beside the other inputs */
} CaseResult;

typedef struct ProgramResult {
    /* One where the program itself is refused. */
    CaseResult cases[CASE_MOST_INPUTS];
    int count;
    volatile int at; /* the input being run, read by the parent if the process dies */
    CaseCoverage coverage;
    bool affine;                        /* all indices are, but for what a boundary folds */
    bool factored;                      /* some reduction is computed in stretches (rfactor) */
    bool reassociated;                  /* likewise, which adds floats in another order */
    int compiled;                       /* how often the program was compiled */
    int proved, left_to_run_time, open; /* obligations, where it was certified */
    int checked_runs, refused_runs;     /* with the checks of a certificate; refused by one */
    double seconds;                     /* of the processor's time (batch.c) */
} ProgramResult;

typedef enum OracleExtent {
    EXTENT_COMPILED,
    EXTENT_INTERPRETED, /* nothing is compiled */
    EXTENT_SEMANTICS    /* the reference only, compared with the rules of the report */
} OracleExtent;

void oracle_run(const CaseProgram *program, OracleExtent extent, ProgramResult *result);

#endif
