/* compiler.h -- the inside of the handles of include/hlc.h. */
#ifndef HLC_LIBRARY_COMPILER_H
#define HLC_LIBRARY_COMPILER_H

#include "include/hlc.h"

#include "base/solver_process.h"
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/argument.h"
#include "ir/read.h"
#include "library/text.h"
#include "lower/lower.h"

#include <locale.h>
#include <sys/types.h>

typedef struct Declaration {
    Symbol name;
    Type type;
} Declaration;

/* The process that makes code (worker.h). */
typedef struct Worker {
    const char *path;          /* null: code is made in this process */
    int (*serve)(int, size_t); /* what a fork of this process calls; null: it is not forked */
    size_t memory;             /* the most that it may take; 0: no limit */
    pid_t pid;                 /* 0: not running */
    int socket, errors;
    bool is_busy; /* it has been asked and has not answered */
} Worker;

struct hlc {
    Context *context;
    locale_t locale; /* "C": of every entry, whatever the host's is */
    Arena *arena;    /* what was loaded; lives as long as the handle */
    Arena *scratch;  /* of the entry in progress */
    uint32_t file;
    Module *module;                  /* a .hl file, or null */
    Program *program;                /* a .ir file, or null */
    Vec(Jit *) jits;                 /* of the entry in progress */
    const char *targets;             /* null: host */
    FILE *reading;                   /* likewise */
    Vec(Declaration) declarations;   /* of names in expressions */
    struct hlc_arguments *arguments; /* list of all */
    hlc_function *functions;         /* likewise, but those that were taken */
    hlc_object *objects;             /* likewise */
    hlc_code code;
    hlc_interpreter interpreter;
    Worker worker;
    unsigned worker_seconds; /* that it may take to answer; 0: no limit */
    const char *certifier;   /* Z3's command, where programs are certified; null: they are not */
    SolverProcess *solver;   /* Z3, of the entry in progress; null: not running */
    hlc_status failure;      /* what HLC_USER of the entry in progress means */
    bool is_worker;          /* a broken invariant ends the process, not the entry */
    BrokenInvariant broken;  /* what ended an earlier entry, and the use of the handle */
    hlc_progress *progress;
    void *progress_data;
};

/* In its own arena. */
struct hlc_object {
    hlc_object *next;
    hlc *h; /* null: taken */
    Arena *arena;
    Memory memory; /* when taken */
    size_t length;
    unsigned char *bytes;
};

struct hlc_arguments {
    struct hlc_arguments *next;
    hlc *h;
    Arena *arena;
    const Pipeline *pipeline; /* null for a .ir file */
    const Signature *signature;
    Arguments values;
    bool *parameter_set, *image_set;                /* in the signature's order */
    bool *parameter_bound;                          /* set by the caller, not by default */
    uint64_t *image_seeds;                          /* of images that trial.c drew */
    struct Pseudo *pseudo;                          /* of each image */
    bool *image_lent, *output_lent;                 /* the caller's memory; outputs flattened */
    bool *window_set, *minimum_set;                 /* of each output func */
    Image *windows;                                 /* of each output func: minimum and extent */
    int64_t (*image_minimum)[MAX_IMAGE_DIMENSIONS]; /* `NAME.min`, where given */
    bool *image_minimum_set;
    size_t output_count; /* flattened */
    const char **output_names;
    hlc_image *results; /* data null before a run */
};

/* In its Jit's arena; unchanging, but for being taken. */
struct hlc_function {
    hlc_function *next;
    hlc *h;                 /* null: taken */
    const Program *program; /* of a .ir file, or null */
    Jit *jit;
    Memory memory; /* when taken */
};

/* entry.c */

/* Runs `body` as the entry in progress: with a scratch arena, and with a way out when memory ends
 * (HLC_WORLD, nothing reported) or an invariant is broken (HLC_FAULT, reported; the handle then
 * answers so to all that follows).  HLC_YES from a body that reported errors becomes HLC_USER.  So
 * does a null handle. */
typedef hlc_status Body(hlc *h, void *data);
hlc_status compiler_enter(hlc *h, Body *body, void *data);
/* HLC_USER after reporting what is wrong with the caller's argument of this name; that it is null. */
hlc_status compiler_bad_argument(hlc *h, const char *name, const char *fault);
hlc_status compiler_null(hlc *h, const char *name);

/* compiler.c */

/* What a call is asked that shows something of a pipeline, or of it under a schedule. */
typedef struct ShowRequest {
    const char *pipeline, *schedule;
    const char *func;
    const hlc_lower_options *lowering;
    const hlc_certify_options *certify;
    const hlc_contract_options *contract;
    const hlc_arguments *fixed;
    bool json;
    FILE *out;
} ShowRequest;

/* The pipeline with this name (null: the only one), or null after reporting. */
const Pipeline *compiler_pipeline(hlc *h, const char *name);
/* Neither null nor "", which both stand for the empty schedule. */
bool compiler_schedule_is_named(const char *name);
/* The schedule (null or "": the empty one) into `*schedule`; false after reporting. */
bool compiler_schedule(hlc *h, const Pipeline *pipeline, const char *name,
                       const Schedule **schedule);
/* All passes up to `last`; null after reporting. */
Lowered *compiler_lower(hlc *h, const Pipeline *pipeline, const char *schedule, PassId last,
                        size_t directives);
/* Do all passes accept the schedule?  For who asks of a program as an earlier pass leaves it: what
 * is legal is the same for all commands.  False after reporting. */
bool compiler_accepts(hlc *h, const Pipeline *pipeline, const char *schedule);
/* Lowers up to `last`.  Where the handle says so, it verifies, and certifies between PASS_CHECKS and
 * the passes behind it.  Null after reporting. */
Lowered *compiler_lower_schedule(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                                 PassId last, size_t directives, Arena *arena);
/* codegen_object into the scratch arena, in the worker where there is one. */
bool compiler_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object);
/* Can `emit` and `optimize` be had?  False after reporting. */
bool compiler_has_options(hlc *h, const hlc_compile_options *options);
/* Compiled and loaded; freed with the entry unless compiler_keep_jit takes it out.  Null after
 * reporting. */
Jit *compiler_jit(hlc *h, const Program *program, const hlc_code *code);
/* The last that was made. */
void compiler_keep_jit(hlc *h);
/* The program after all passes, or the .ir file's, which must be without holes. */
const Program *compiler_program(hlc *h, const Pipeline *pipeline, const char *schedule);
/* The .ir file's program, which must be without holes, as it was loaded; null after reporting. */
Program *compiler_loaded_program(hlc *h, const char *schedule);
/* compiler_program from names, of the file that is loaded. */
const Program *compiler_find_program(hlc *h, const char *pipeline, const char *schedule);
/* Is that the name of the .ir file's pipeline, or null?  False after reporting. */
bool compiler_program_is(hlc *h, const char *pipeline);
/* "a, b, c" from names. */
typedef Vec(const char *) NameList;
const char *compiler_list(hlc *h, const NameList *names);
/* The same for one who wrote `name`: with the nearest of them behind it, where one is near. */
const char *compiler_choices(hlc *h, const NameList *names, const char *name);

/* load.c */

/* A file's text in the arena; null, with errno, where it cannot be read or is longer than allowed.
 */
const char *compiler_read_text(hlc *h, Arena *arena, const char *path, size_t *length);
/* Reports why that is so, by errno: HLC_USER where the text is too long, else HLC_WORLD. */
hlc_status compiler_unread_text(hlc *h, const char *name);

/* expressions.c */

/* expr_read of text that the caller gave; null after reporting, with its place in the text. */
Expr compiler_read_expression(hlc *h, Pool *pool, const char *text, size_t length, NameType *names,
                              void *data);

/* rules.c */

/* Is there a rule of this name?  False after reporting. */
bool compiler_rule_exists(hlc *h, const char *name);

/* certified.c */

/* Reports that Z3, which is needed, cannot be run. */
hlc_status compiler_solver_missing(hlc *h, const char *solver);
/* Certifies a program whose assertions stand.  What is left to run time becomes assertions of it.
 * False after reporting. */
bool compiler_certify(hlc *h, Lowered *lowered);

/* arguments.c */

/* All inputs have values, all outputs memory and, where `windows`, windows; otherwise the status
 * says why not. */
hlc_status arguments_ready(hlc_arguments *a, bool windows);
/* The value of a startup variable (a parameter, the field of an image or window), if what is bound
 * so far says it. */
bool arguments_known(hlc_arguments *a, Symbol name, Bits *bits);
/* After a run: the outputs can be looked at. */
void arguments_publish(hlc_arguments *a);
/* A zeroed image with the declared layout; false where there is no memory. */
bool arguments_allocate(Image *image, Type type, int dimensions, const int64_t *minimum,
                        const int64_t *extent, Layout layout);
hlc_arguments *arguments_create(hlc *h, const char *pipeline);
/* Reports that there is no memory for `name`, that `text` is no value for it. */
hlc_status arguments_no_memory(hlc *h, const char *name);
hlc_status arguments_bad_value(hlc_arguments *a, const char *name, const char *text,
                               const char *what, const char *remedy);
/* Reports that `text` is no size for `name`, which has so many dimensions. */
hlc_status arguments_bad_size(hlc_arguments *a, const char *name, const char *text, int dimensions);
/* What a parameter of this type takes, as a remedy. */
const char *arguments_range_text(Arena *arena, Type type);
/* Moves an image. */
void arguments_place_image(hlc_arguments *a, size_t i, const int64_t *minimum);
/* Which one has this name; their count where none has. */
size_t arguments_parameter(const hlc_arguments *a, const char *name);
size_t arguments_image(const hlc_arguments *a, const char *name);
size_t arguments_output(const hlc_arguments *a, const char *name);
/* Where an output's first tuple element stands among all of them. */
size_t arguments_first_component(const hlc_arguments *a, size_t output);
void arguments_report_unknown(hlc_arguments *a, const char *name);
/* "an image of u8 in 2 dimensions" */
const char *arguments_image_text(Arena *arena, Type type, int dimensions);

/* arguments_set.c */

/* What is bound in `from` (of the same pipeline) is bound in `a` too. */
void arguments_copy(hlc_arguments *a, const hlc_arguments *from);

/* owned.c */

/* Image `i`, or element `flat` of the outputs, is bound no longer. */
void arguments_release_image(hlc_arguments *a, size_t i);
void arguments_release_output(hlc_arguments *a, size_t flat);
/* Of the outputs, the memory that is ours; the caller's stays bound. */
void arguments_free_outputs(hlc_arguments *a);
void arguments_free(hlc_arguments *a);
/* Takes the function out of its handle's list. */
void function_unlink(hlc_function *function);

/* header.c */

/* The header that callers of the pipeline include.  `schedule` may be null. */
void header_write(FILE *out, Arena *arena, const Program *program, const char *schedule,
                  bool needs_sleef);

/* object.c */

/* A copy of the code that belongs to the handle. */
hlc_object *object_keep(hlc *h, const Object *code);

/* bind.c */

/* What the entry of compiled code says of the buffers, for interpreters that write into memory that
 * the caller lent. */
Outcome bind_check_lent(const hlc_arguments *a, Arena *arena);

/* list.c */

hlc_kind list_kind(Type type);

/* fill.c */

typedef enum FillKind { FILL_ZERO, FILL_RAMP, FILL_CONSTANT, FILL_RANDOM, FILL_EDGES } FillKind;
/* EDGES: half of the values are near the edges of the type.  `value` is CONSTANT's, or the seed.
 * `anywhere`: an element depends on its coordinates alone, not on where the image begins. */
void fill_image(Image *image, FillKind kind, int64_t value, bool anywhere);
/* Random numbers for sizes and parameters. */
uint64_t fill_random(uint64_t *state);

/* A scalar of this type from text, all of it; false where it is none or does not fit. */
bool value_from_text(Type type, const char *text, Bits *bits);
/* "WxH+X+Y" in `dimensions` dimensions; `*has_minimum` tells whether it says where it begins. */
bool size_from_text(const char *text, int dimensions, int64_t *minimum, int64_t *extent,
                    bool *has_minimum);
/* "X,Y,.." */
bool point_from_text(const char *text, int dimensions, int64_t *point);

/* runner.c */

/* Runs on ready arguments; the outcome's refusal is not yet reported. */
typedef struct Runner {
    hlc_machine machine;
    const Program *program; /* COMPILED, TARGET */
    const Jit *jit;         /* COMPILED */
} Runner;
/* False after reporting.  What is compiled lives until the entry ends. */
bool runner_create(hlc *h, const hlc_arguments *a, const char *schedule, hlc_machine machine,
                   Runner *runner);
Outcome runner_run(hlc *h, const Runner *runner, const hlc_arguments *a, Arena *arena);
/* Reports a refusal; the status that it means.  `needed` is pseudo_needed's, or "". */
hlc_status runner_report(hlc *h, const Outcome *outcome, const char *needed);

/* run.c */

/* Runs on ready arguments, publishes the outputs, reports. */
hlc_status runner_finish(hlc *h, const Runner *runner, hlc_arguments *a);

/* pseudo.c */

/* Contents without a file, as `NAME=random:1:auto` asks for them. */
typedef struct Pseudo {
    bool is_automatic; /* of the size that a run needs */
    FillKind kind;
    int64_t value;
} Pseudo;

/* Makes the images of automatic size as large as this run needs them; the outputs are ready. */
hlc_status pseudo_fit(hlc *h, const Runner *runner, hlc_arguments *a);
/* " `a` must hold 9x9, .." for the images that hold less than the run needs; "" where it is not
 * known. */
const char *pseudo_needed(hlc *h, const Runner *runner, const hlc_arguments *a);

#endif
