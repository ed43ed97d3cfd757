/* fuzz.h -- the schedule fuzzer: random algorithms under random schedules on random input, run in
 * many ways that must give one answer.
 *
 * A program is an algorithm with a schedule.  It runs on several inputs (windows, parameters,
 * images), and each input makes a case.
 *
 * In each case these answers must be the same, bit for bit, or all must be the same refusal:
 *   - the reference's;
 *   - the target interpreter's, after every directive and after the last passes;
 *   - compiled code's, at -O0 and in two more configurations.
 * Cases run in a child process, so a crash or a hang is a finding like any other.
 */
#ifndef HLC_CHECKERS_FUZZ_FUZZ_H
#define HLC_CHECKERS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>

typedef struct FuzzOptions {
    uint64_t seed;      /* of the first program; program k has seed + k */
    uint64_t cases;     /* no further program is begun; 0: no limit */
    double seconds;     /* 0: no limit */
    int jobs;           /* how many processes run cases side by side */
    const char *folder; /* where failing cases are written; null: the current folder */
    int interpreters;   /* compile nothing */
    int semantics;      /* run the reference only, and compare it with the rules of the report */
    int reductions;     /* associative reductions only, in programs of few funcs */
    int recurrences;    /* only programs that have one */
    int scans;          /* updates that read their func at constant distances */
    int points;         /* only funcs that need few points of one another */
    int scheduled;      /* only schedules that autoschedule chooses */
    int windows;        /* only the window form; outputs are cut into windows at random */
    int split;          /* run the reference only, on the whole and on the parts of a split */
    int families;       /* programs of the compile-time layer, and flat ones that mean the same */
    int show;           /* print the program of `seed` and commands for its cases, run nothing */
} FuzzOptions;

/* Runs cases until a limit is reached.  Findings go to `out`, shrunk, as .hl files that fail alone;
 * the last line is `N cases, M differ, K refused`.  Returns 0 when none differs, 1 otherwise, 3
 * where the outside world fails. */
int fuzz_run(const FuzzOptions *options, FILE *out);

#endif
