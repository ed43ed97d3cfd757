/* trial.h -- inside the oracle: a loaded case, and the memory that it runs on.  The trials of one
 * program share what was made of its text. */
#ifndef HLC_CHECKERS_FUZZ_TRIAL_H
#define HLC_CHECKERS_FUZZ_TRIAL_H

#include "codegen/codegen.h"
#include "checkers/fuzz/guard.h"
#include "checkers/fuzz/oracle.h"
#include "checkers/fuzz/random.h"
#include "lower/lower.h"

typedef struct CaseTrial {
    Context *context;
    Arena *arena;
    const Case *c;
    bool interpreters; /* nothing is compiled */
    bool semantics;    /* nothing is run but the reference, in both its forms */
    bool splits;       /* nothing is run but the reference, on the whole and on its parts */
    const Pipeline *pipeline;
    const Schedule *schedule;
    RandomSource random;
    Arguments arguments;
    int output_count;        /* buffers */
    bool narrowed;           /* the schedule's specializations leave out reads (bounds/narrow.c) */
    bool fitted;             /* every image is bounded or exactly what the schedule demands */
    bool known[CASE_IMAGES]; /* the demand is known in numbers, and is the image's box */
    /* The reference evaluates this: the algorithm, with those rfactors of the schedule that add
     * floats in another order (library/check/reassociated.h). */
    const Pipeline *answer;
    Image *expected; /* the reference's outputs */
    Outcome reference;
    uint64_t instructions; /* of the last interpretation */
    bool is_long;          /* it spent its budget before its end */
    int64_t points;        /* of the regions of all funcs, as far as these are known in numbers */
    CaseResult *result;
    ProgramResult *of_program;
} CaseTrial;

/* The worst verdict so far stands, with its first message. */
void trial_conclude(CaseTrial *trial, CaseVerdict verdict, const char *reason, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

/* Notes that this case is being run, should the process die. */
static inline void trial_begin(const CaseTrial *trial) {
    trial->of_program->at = trial->c->input;
}

/* ---- trial_input.c ---- */

/* The reason of a refusal: images or funcs have so many points that a run takes too long. */
#define TOO_LARGE "too large"

/* Reads the program's text into the trial's context; false after concluding. */
bool trial_load(CaseTrial *trial);

/* Parameters and windows. */
void trial_choose(CaseTrial *trial);
/* Images, of the size that the lowered schedule demands; false after concluding. */
bool trial_make_images(CaseTrial *trial, const Lowered *lowered);
/* The same with outputs; false after concluding. */
bool trial_make_outputs(CaseTrial *trial);
void trial_free(CaseTrial *trial);
/* Does an output have no point?  Then the region that it would read is undefined. */
bool trial_has_empty_window(const CaseTrial *trial);
/* Counts the ends of the demanded regions at which the reference reads nothing. */
void trial_count_loose_ends(CaseTrial *trial);

/* ---- trial_bounds.c ---- */

/* Asks B(S) of the program, which is after PASS_CHECKS, and counts its regions. */
void trial_ask_bounds(CaseTrial *trial, const Lowered *lowered);

/* The value of a startup variable; `data` is the trial. */
bool trial_value(void *data, Symbol name, Bits *bits);

/* ---- trial_compare.c ---- */

/* Sets the trial's `answer` for this program; null if the reference cannot add the floats in the
 * program's order. */
const Pipeline *trial_find_answer(CaseTrial *trial, Arena *arena, const Lowered *lowered);
/* The reference's answer. */
void trial_run_reference(CaseTrial *trial);
/* If the program adds floats in another order than the algorithm: checks that both sums are as
 * close as sums of these terms are.  Skips values that may be NaN. */
void trial_judge_order(CaseTrial *trial, const Lowered *lowered);
/* Fills the outputs with garbage, to expose a point that nobody writes. */
void trial_spoil_outputs(const Arguments *arguments, int count);
/* Does so with an image of any strides. */
void trial_spoil_view(const Image *image);
/* Judges one run; `prefix`: of a schedule that demands more of the images than the whole one. */
void trial_compare(CaseTrial *trial, const Arguments *arguments, const Outcome *outcome,
                   bool prefix, const char *way);

/* ---- trial_views.c ---- */

/* Checks that the reference gives the same values when it also reports errors. */
void trial_check_formal(CaseTrial *trial, bool strict);
/* Checks that the program has error values exactly where the reference has. */
void trial_check_errors(CaseTrial *trial, const Lowered *lowered);
/* Checks that the reference gives the same value at one point alone. */
void trial_check_point(CaseTrial *trial);
/* Checks that the schedule's primitives, written out, make the same program. */
void trial_check_primitives(CaseTrial *trial, const Lowered *lowered);
/* Checks that the bounds can be printed. */
void trial_check_bounds_text(CaseTrial *trial, const Lowered *lowered);

/* Checks, if the input is small, that the rules of the report (checkers/reference/semantics.h) give
 * the reference's values and errors. */
void trial_check_semantics(CaseTrial *trial);

/* ---- trial_certify.c ---- */

/* Conditions at the entry, which a certificate leaves to run time. */
typedef Vec(Insistence) EntryChecks;

/* Certifies the program, which is after PASS_CHECKS, and counts its obligations. */
EntryChecks trial_certify(CaseTrial *trial, Arena *arena, const Lowered *lowered);
/* Puts these checks into the program, which is after PASS_CHECKS.  Returns them, and the conditions
 * under which their arithmetic stays within 64 bits. */
EntryChecks trial_insist(Arena *arena, const Lowered *lowered, const EntryChecks *checks);
/* trial_compare of a run of the program with these checks.  They refuse the run if, and only if,
 * one of them is false on this input. */
void trial_compare_checked(CaseTrial *trial, const Arguments *arguments, const EntryChecks *checks,
                           const Outcome *outcome, const char *way);

/* ---- trial_call.c ---- */

/* Calls compiled code, which has these checks (null: none), and judges it.  Messages call the
 * program `what`. */
void trial_call(CaseTrial *trial, const Jit *jit, const CaseConfiguration *configuration,
                const EntryChecks *checks, const char *what);

/* Draws strides that the layout admits: gaps; with LAYOUT_STRIDED any order and steps backward. */
void trial_choose_strides(RandomSource *random, const Image *image, Layout layout, int64_t *stride);

/* ---- trial_windows.c ---- */

/* Cuts the outputs into windows, and compares their bytes with those of the whole. The code has the
 * window form. */
void trial_windows(CaseTrial *trial, const Program *program, const Jit *jit);

/* ---- trial_split.c ---- */

/* Cuts the program into parts at random funcs, and compares what their plan computes. */
void trial_split(CaseTrial *trial);

/* ---- trial_query.c ---- */

/* Asks for the images' boxes, and calls with them. */
void trial_query(CaseTrial *trial, const Program *program, const Jit *jit);

#endif
