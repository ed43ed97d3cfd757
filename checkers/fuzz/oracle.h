/* oracle.h -- runs the cases of one program in every way and compares. */
#ifndef HLC_CHECKERS_FUZZ_ORACLE_H
#define HLC_CHECKERS_FUZZ_ORACLE_H

#include "checkers/fuzz/case.h"
#include "checkers/fuzz/coverage.h"

typedef enum CaseVerdict {
    VERDICT_EQUAL,   /* every way gave the reference's answer */
    VERDICT_REFUSED, /* the compiler, or an entry check, refused with a reason */
    VERDICT_DIFFERS, /* a wrong value; a broken invariant of ours; accepted though the reference
                        refuses; or refused without a reason */
    VERDICT_INVALID, /* the front end rejected the algorithm: the generator is wrong */
    VERDICT_CRASHED, /* the process died (batch.c) */
    VERDICT_LATE,    /* the process did not finish in time: the rest may still differ */
    VERDICT_NOT_MADE /* crashed or late while the case was generated */
} CaseVerdict;

/* Counts intervals on which funcs are computed or which images must hold.  Three counts: all of
 * them; those wider than the union of the algorithm's reads; those wider than the region that must
 * be right (checkers/query/query.h). */
typedef struct RegionCounts {
    uint64_t all, wide, unasked;
} RegionCounts;

typedef struct CaseResult {
    int input; /* number of the program's input in this case */
    CaseVerdict verdict;
    char message[1000];         /* what differs and where, or the reason of the refusal */
    char reason[32];            /* of a refusal: the diagnostic's code or the error's name */
    CaseBox boxes[CASE_IMAGES]; /* of the images */
    bool has_point;             /* the first differing point, of an output's buffer */
    int output;
    int64_t point[CASE_DIMENSIONS];
    /* The checked ends of the regions demanded of images, and those at which the reference read
     * nothing. */
    int ends, loose_ends;
    RegionCounts regions[2]; /* [1]: of affine accesses, none of which should be wide */
    int runs;                /* of compiled code */
    int proved;              /* readings in which the rules of the report were compared */
    bool is_left;            /* left out: it takes too long compared with the other inputs */
} CaseResult;

/* A chosen schedule, and what was judged of it (scheduled/chosen.h). */
typedef struct ChoiceResult {
    bool is_chosen;    /* autoschedule chose */
    char obstacle[80]; /* why it is the empty schedule; empty: it is not */
    double seconds;    /* of the processor's time */
    size_t peak;       /* bytes that the compiler held */
    double memory;     /* bytes of a run over what they may be; 0: not known */
    int judged;        /* inputs whose assertions were compared with the empty schedule's */
} ChoiceResult;

/* Plans of splits that were run, and their steps. */
typedef struct SplitCounts {
    uint64_t plans, maps, chains, merges, scans;
    uint64_t tiles;   /* scans with an order along several dimensions */
    uint64_t lower;   /* orders toward lower coordinates */
    uint64_t systems; /* steps of the equations of a recurrence */
} SplitCounts;

typedef struct ProgramResult {
    /* A single result if the program itself is refused. */
    CaseResult cases[CASE_MOST_INPUTS];
    int count;
    volatile int at; /* the input being run, read by the parent if the process dies */
    CaseCoverage coverage;
    bool affine;       /* all indices are affine, except those a boundary folds */
    bool factored;     /* some reduction is computed in stretches (rfactor) */
    bool reassociated; /* and adds floats in another order */
    int compiled;      /* number of compilations */
    WindowCounts windows;
    ChoiceResult choice;
    SplitCounts splits;
    int proved, left_to_run_time, open; /* obligations, where it was certified */
    int checked_runs, refused_runs;     /* with the checks of a certificate; refused by one */
    double seconds;                     /* of the processor's time (batch.c) */
} ProgramResult;

typedef enum OracleExtent {
    EXTENT_COMPILED,
    EXTENT_INTERPRETED, /* nothing is compiled */
    EXTENT_SEMANTICS,   /* the reference only, compared with the rules of the report */
    EXTENT_SPLIT        /* the reference only, on the whole and on the parts of a split */
} OracleExtent;

void oracle_run(const CaseProgram *program, OracleExtent extent, ProgramResult *result);

#endif
