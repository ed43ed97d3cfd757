/* case.h -- one case of the fuzzer: an algorithm, a schedule and the input to run them on.
 *
 * An algorithm and a schedule are a program.  Lowering and compiling a program costs far more than
 * running it, so each program runs on several inputs.  Each input makes a case.
 *
 * A case is text in parts.  Shrinking can leave parts out; the rest is a self-contained .hl file
 * with the command that runs it.
 */
#ifndef HLC_CHECKERS_FUZZ_CASE_H
#define HLC_CHECKERS_FUZZ_CASE_H

#include "base/vec.h"
#include "ir/signature.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CASE_DIMENSIONS = 3,
    CASE_FUNCS = 8,
    CASE_IMAGES = 3,
    CASE_PARAMETERS = 3,
    CASE_COMPONENTS = 4,
    CASE_REDUCTIONS = 3,
    CASE_INPUTS = 12,     /* of a program that is compiled, at most */
    CASE_MOST_INPUTS = 64 /* of one that is only interpreted: a run then costs little */
};

typedef Vec(const char *) Texts;

typedef struct CaseBox {
    int64_t minimum[CASE_DIMENSIONS], extent[CASE_DIMENSIONS];
} CaseBox;

/* `rdom(r0 = ..; ..) in (..) <- ..`.  The reduction variables are r0, r1, .. */
typedef struct CaseUpdate {
    const char *text;
    int reductions;
    int lengths[CASE_REDUCTIONS]; /* of r0, r1, ..; 0 if it is not a constant */
} CaseUpdate;

/* A form of an associative update (generate_reduction.c). */
typedef struct ReductionPart ReductionPart;

/* The pure variables are x, y, c. */
typedef struct CaseFunc {
    const char *name;
    int dimensions, components;
    Type types[CASE_COMPONENTS];
    const char *let; /* `let t = ..;` before the pure stage, or null */
    const char *pure;
    Vec(CaseUpdate) updates;
    bool is_output;
    bool is_limited;            /* its first component lies in a small range */
    Layout layout;              /* of an output; interleaved if it has three dimensions */
    CaseBox window;             /* of an output */
    const char *size, *require; /* of an output: what it proposes, `(in0.width, 3)`, and a condition
                                   on its window; null: nothing */
    /* For a func with associative updates: their parts, and the place of the first part in the
     * tuple. */
    const ReductionPart *parts[CASE_COMPONENTS];
    int part_count, turn;
    bool is_external; /* a C function computes it */
    int shared;       /* of an output: 1 more than the image whose memory it may share; 0: none */
} CaseFunc;

typedef struct CaseImage {
    const char *name, *fill; /* fill: `edges`, `random`, `ramp` */
    Type type;
    int dimensions;
    Layout layout;
    const char *boundary; /* `repeat_edge(in0)`, or null for reads as they are */
    /* The box is exactly the region that the schedule demands, if that can be known. */
    bool fitted;
    CaseBox box;
} CaseImage;

/* An integer has a range; floats and bools have none. */
typedef struct CaseParameter {
    const char *name, *value;
    Type type;
    int lower, upper; /* of an integer; lower > upper otherwise */
} CaseParameter;

/* The target of code generation.  Vectors have the target's width: 16 bytes on the first two, 32 on
 * x86-64-v3, 64 on x86-64-v4. */
typedef enum CaseTarget {
    CASE_TARGET_HOST,
    CASE_TARGET_V1,
    CASE_TARGET_V2,
    CASE_TARGET_V3,
    CASE_TARGET_V4
} CaseTarget;
enum {
    CASE_TARGETS = CASE_TARGET_V4 + 1,
    CASE_LEVELS = 4,
    CASE_THREADS = 8,
    CASE_CONFIGURATIONS = 3
};
typedef struct CaseConfiguration {
    int optimize; /* 0 .. CASE_LEVELS - 1 */
    CaseTarget target;
    int threads;    /* 1 .. CASE_THREADS */
    bool stoppable; /* its loops poll */
    bool traced, profiled;
    bool sanitized; /* watched by AddressSanitizer, or by what stands for it (codegen_watch) */
} CaseConfiguration;

/* How autoschedule chose the schedule (scheduled/chosen.h). */
typedef struct CaseChoice {
    int size; /* all images and windows were so long in each dimension */
    int threads;
    size_t directives;    /* so many were chosen; shrinking leaves some out */
    const char *obstacle; /* why it is the empty schedule; null: it is not */
    double seconds;       /* of the processor's time */
    size_t peak;          /* bytes that the compiler held */
} CaseChoice;

typedef struct Case {
    uint64_t seed; /* of the program */
    int input;     /* which of its inputs: 0 .. CASE_MOST_INPUTS - 1 */
    CaseConfiguration configurations[CASE_CONFIGURATIONS]; /* the first is at -O0, the
                                                              second at -O2 or -O3, not watched */
    CaseImage images[CASE_IMAGES];
    CaseParameter parameters[CASE_PARAMETERS];
    CaseFunc funcs[CASE_FUNCS]; /* the last is an output */
    int image_count, parameter_count, func_count;
    Texts statements; /* requirements and helpers, before the funcs */
    Texts directives;
    uint64_t data_seed;                 /* of the images' contents */
    const char *domain;                 /* of a recurrence: `x = (0, 9); ..`; null without one */
    int first_equation, equation_count; /* its funcs */
    bool contraction, reassociation;
    bool recurrent; /* some of its funcs are a recurrence */
    bool scans;     /* most of its updates read their func at constant distances */
    bool affine;    /* each index is affine in the variable of its own dimension */
    bool far;       /* windows lie near an end of i32 */
    bool stencil;   /* a chain of funcs, each of which reads the one before at small offsets */
    bool points;    /* each func needs few points of the one before */
    bool scheduled; /* its schedule is chosen by autoschedule */
    CaseChoice choice;
    bool windows;    /* it is loaded in the window form */
    bool reductions; /* most updates compute associative operators, and are factored */
} Case;

/* A program with its inputs: cases that differ only in the input.  No two inputs are alike. */
typedef struct CaseProgram {
    const Case *inputs[CASE_MOST_INPUTS];
    int count;
} CaseProgram;

/* The subject of a program.  CASE_ANY draws some programs of each other kind. */
typedef enum CaseKind {
    CASE_ANY,
    CASE_OF_REDUCTIONS,
    CASE_OF_RECURRENCES,
    CASE_OF_POINTS,
    CASE_OF_SCANS,
    CASE_SCHEDULED, /* of any subject; the schedule is chosen, not drawn */
    CASE_OF_WINDOWS /* of any subject, in the window form */
} CaseKind;

/* A random case, with the first input: a valid algorithm by construction, a schedule that the
 * scheduler accepts. */
Case *case_generate(Arena *arena, uint64_t seed, CaseKind kind);
/* The same program with another of its inputs; `c` has the first. */
Case *case_with_input(Arena *arena, const Case *c, int input);
/* case_generate, with the first `inputs` inputs of the program; repeated inputs are left out. */
void case_generate_program(Arena *arena, uint64_t seed, CaseKind kind, int inputs,
                           CaseProgram *program);

/* The .hl text: pipeline `p`, schedule `s`. */
char *case_text(Arena *arena, const Case *fuzz_case);
/* The values of a command line that runs it, e.g. `w0=3 in0=edges:7:20x20+-5+-5 out=8x8+0+0`.
 * `boxes` are the images'. */
char *case_arguments(Arena *arena, const Case *fuzz_case, const CaseBox *boxes);

#endif
