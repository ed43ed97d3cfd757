/* subject.h -- one program with its inputs, and the ways to run it. */
#ifndef HLC_CHECKERS_FUZZ_SUBJECT_H
#define HLC_CHECKERS_FUZZ_SUBJECT_H

#include "checkers/fuzz/trial.h"

enum {
    BUDGET = 3000000,           /* statements */
    LONG_BUDGET = 4 * BUDGET,   /* for programs that are also compiled */
    MANY_INSTRUCTIONS = 1200000 /* of one run of a program on all its inputs */
};

/* ---- what is drawn ---- */

/* Work that is done for a share of the programs or cases.  A case keeps its draws while it is
 * shrunk. */
typedef enum Way {
    WAY_QUERY,
    WAY_READ_BACK,
    WAY_UNSIMPLIFIED,
    WAY_COMPILE_UNSIMPLIFIED,
    WAY_COMPILE_READ_BACK,
    WAY_HOLES,
    WAY_ENDS,
    WAY_FORMAL,
    WAY_STRICT,
    WAY_POINT,
    WAY_PRIMITIVES,
    WAY_BOUNDS_TEXT,
    WAY_BOXES,
    WAY_CERTIFY,
    WAY_UNPARTITIONED,
    WAY_ERRORS,
    WAY_UNFOLDED,
    WAY_STAGE,
    WAY_LARGE_FIRST,
    WAY_LONG,
    WAY_UNLIFTED,
    WAY_SEMANTICS,
    WAY_ALL
} Way;

/* The draws of a way: the same for all inputs of a program. */
RandomSource way_random(const CaseTrial *trial, Way way);
/* Draws whether the program takes the way. */
bool way_is_drawn(const CaseTrial *trial, Way way, int percent);
/* Draws whether this input takes it. */
bool way_is_drawn_here(const CaseTrial *trial, Way way, int percent);

/* ---- the program ---- */

/* A program, and those of its cases that can be run. */
typedef struct Subject {
    CaseTrial *program; /* one of its trials: verdicts without an input go there */
    CaseTrial *ready[CASE_MOST_INPUTS];
    int count;
    uint64_t eager; /* instructions that made tables */
    size_t object;  /* bytes of the largest object */
} Subject;

/* Conclude that the compiler refuses, with its last report: for one input, and for all. */
void subject_refuse_case(CaseTrial *trial);
void subject_refuse(const Subject *subject);
/* Keeps the trial, or returns false: it is dropped if there are others and it would make too much work. */
bool subject_keeps(Subject *subject, CaseTrial *trial, uint64_t work, uint64_t most);
/* Interprets the program.  All inputs that are not expensive stay, and at least one does. */
void subject_interpret(Subject *subject, Arena *arena, const Program *program, bool prefix,
                       const char *way);
/* The program read back from its text, which must print as that text; null after concluding. */
Program *subject_read_back(CaseTrial *trial, Arena *arena, const Program *program,
                           const char *stage);
/* Compiles the program.  Null after concluding, or if there is nothing to compare: the target lacks a
 * feature that the program needs, or this machine cannot run the target's code. */
Jit *subject_compile(Subject *subject, Arena *arena, const Program *program,
                     const CaseConfiguration *configuration);
/* Returns this configuration of the first input; the number of threads is each input's own. */
CaseConfiguration subject_configuration(const Subject *subject, int number);
/* Compiles the program, and runs the code on all inputs. */
void subject_run_code(Subject *subject, Arena *arena, const Program *program, const char *what,
                      int number);

#endif
