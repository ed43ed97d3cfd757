/* compiler.h -- the structures behind the handles of include/hlc.h, and the functions that the
 * files of library/ share. */
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
#include "runtime/hlc_runtime.h"

#include <locale.h>
#include <sys/types.h>

typedef struct Declaration {
    Symbol name;
    Type type;
} Declaration;

/* The process that generates code (worker.h). */
typedef struct Worker {
    const char *path;          /* null: this process generates code */
    int (*serve)(int, size_t); /* the function that a fork of this process calls; null: no fork */
    size_t memory;             /* the most that it may take; 0: no limit */
    pid_t pid;                 /* 0: not running */
    int socket, errors;
    bool is_busy; /* it has a request that it has not answered */
} Worker;

struct hlc {
    Context *context;
    locale_t locale; /* "C": every entry uses it, not the host's */
    Arena *arena;    /* of the loaded file; lives as long as the handle */
    Arena *scratch;  /* of the entry in progress */
    uint32_t file;
    Module *module;                /* a .hl file, or null */
    Module *readable;              /* the same, or what could be elaborated of a faulty one */
    Program *program;              /* a .ir file, or null */
    Vec(Jit *) jits;               /* of the entry in progress */
    GivenConstants constants;      /* for the const parameters of what is loaded */
    const char *targets;           /* null: host */
    const struct Machine *machine; /* that schedules are chosen for; null: the targets' defaults */
    FILE *reading;                 /* likewise */
    Vec(Declaration) declarations; /* of names in expressions */
    struct hlc_arguments *arguments; /* list of all */
    hlc_function *functions;         /* list of all but taken ones */
    hlc_object *objects;             /* likewise */
    hlc_code code;
    hlc_interpreter interpreter;
    Worker worker;
    unsigned worker_seconds; /* the limit of its time to answer; 0: no limit */
    const char *certifier;   /* Z3's command, if programs are certified; else null */
    SolverProcess *solver;   /* Z3, of the entry in progress; null: not running */
    hlc_status failure;      /* the status that replaces HLC_USER in this entry */
    const char *root;        /* real path of the only folder to read; null: all */
    bool refuses_text;       /* .ir files */
    bool refuses_externs;    /* programs that call C functions */
    Vec(void *) libraries;   /* of C functions, by dlopen */
    size_t run_memory;       /* the most that a run may take; 0: no limit */
    Stop stop;               /* may be asked for while an entry is in progress */
    double seconds;          /* of its deadline */
    bool traces;             /* the entry in progress lowers for traced code */
    bool is_worker;          /* a failed invariant ends the process, not the entry */
    BrokenInvariant broken;  /* the failed invariant of an earlier entry, which disabled the handle
                                */
    PoolTrial trial;         /* of the entry in progress */
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
    /* The domains that the caller gave, in the window form: of images, and of output funcs. Only
     * their domain's fields are used. */
    Image *image_domains, *window_domains;
    size_t output_count; /* flattened */
    const char **output_names;
    hlc_image *results; /* data null before a run */
};

/* Lives in its Jit's arena. Immutable, except that it may be taken. */
struct hlc_function {
    hlc_function *next;
    hlc *h;                 /* null: taken */
    const Program *program; /* of a .ir file, or null */
    Jit *jit;
    bool has_profile;
    Memory memory; /* when taken */
};

/* entry.c */

/* Runs `body` as the entry in progress, with a scratch arena. If memory runs out, the entry ends
 * with HLC_WORLD and no report. If an invariant fails, it ends with HLC_FAULT and a report, and all
 * later calls of the handle return HLC_FAULT. HLC_YES from a body that reported errors becomes
 * HLC_USER. So does a null handle. */
typedef hlc_status Body(hlc *h, void *data);
hlc_status compiler_enter(hlc *h, Body *body, void *data);
/* Likewise, for a call that only reports: neither a deadline nor hlc_cancel ends it. */
hlc_status compiler_enter_report(hlc *h, Body *body, void *data);
/* HLC_USER after reporting what is wrong with the caller's argument of this name; that it is null. */
hlc_status compiler_bad_argument(hlc *h, const char *name, const char *fault);
hlc_status compiler_null(hlc *h, const char *name);

/* stop.c */

/* The function of the run-time library's hlc_stopper; `user` is the handle's Stop. */
int compiler_is_stopped(void *user);
/* Reports why the entry in progress ends early: HLC_WORLD. `by` is not MEMORY_OUT. */
hlc_status compiler_report_exit(hlc *h, MemoryExit by);

/* compiler.c */

/* The parameters of a call that prints something of a pipeline, or of it under a schedule. */
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

/* Returns the pipeline of this name (null: the only one), or null after reporting. */
const Pipeline *compiler_pipeline(hlc *h, const char *name);
/* Is the name neither null nor ""? Both mean the empty schedule. */
bool compiler_schedule_is_named(const char *name);
/* Finds the schedule (null or "": the empty one). False after reporting. */
bool compiler_schedule(hlc *h, const Pipeline *pipeline, const char *name,
                       const Schedule **schedule);
/* Runs all passes up to `last`; null after reporting. */
Lowered *compiler_lower(hlc *h, const Pipeline *pipeline, const char *schedule, PassId last,
                        size_t directives);
/* Do all passes accept the schedule? Commands that show the program after an earlier pass use this:
 * a schedule is legal for all commands or for none. False after reporting. */
bool compiler_accepts(hlc *h, const Pipeline *pipeline, const char *schedule);
/* Lowers up to `last`. If the handle requests it, verifies, and certifies between PASS_CHECKS and
 * the later passes. Null after reporting. */
Lowered *compiler_lower_schedule(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                                 PassId last, size_t directives, Arena *arena);
/* Runs codegen_object into the scratch arena, in the worker if there is one. */
bool compiler_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object);
/* Are `emit` and `optimize` supported? False after reporting. */
bool compiler_has_options(hlc *h, const hlc_compile_options *options);
/* Prints CodegenOptions.assembly, of an object that was made with it. False after reporting. */
bool compiler_put_assembly(hlc *h, const Object *object, FILE *out);
/* Compiles and loads; prints the assembly, unless `assembly` is null. The entry frees the Jit, unless compiler_keep_jit removes it from the list.
 * Null after reporting. */
Jit *compiler_jit(hlc *h, const Program *program, const hlc_code *code, FILE *assembly);
/* The same with the settings of hlc_set_code, for a single run: made faster, it runs slower. */
Jit *compiler_jit_once(hlc *h, const Program *program);
/* Removes the last Jit from the entry's list. */
void compiler_keep_jit(hlc *h);
/* Returns the program after all passes, or the .ir file's, which must have no holes. */
const Program *compiler_program(hlc *h, const Pipeline *pipeline, const char *schedule);
/* Returns the .ir file's program as loaded, which must have no holes; null after reporting. */
Program *compiler_loaded_program(hlc *h, const char *schedule);
/* Like compiler_program, by the names in the loaded file. */
const Program *compiler_find_program(hlc *h, const char *pipeline, const char *schedule);
/* Is this the name of the .ir file's pipeline, or null? False after reporting. */
bool compiler_program_is(hlc *h, const char *pipeline);
/* Joins names into "a, b, c". */
typedef Vec(const char *) NameList;
const char *compiler_list(hlc *h, const NameList *names);
/* Joins names, and appends the one nearest to the misspelt `name`, if any is near. */
const char *compiler_choices(hlc *h, const NameList *names, const char *name);

/* load.c */

/* Reads a file's text into the arena. Null, with errno set, if it cannot be read or is too long. */
const char *compiler_read_text(hlc *h, Arena *arena, const char *path, size_t *length);
/* Reports why that is so, by errno: HLC_USER where the text is too long, else HLC_WORLD. */
hlc_status compiler_unread_text(hlc *h, const char *name);

/* expressions.c */

/* Reads an expression from the caller's text; null after reporting, with its place in the text. */
Expr compiler_read_expression(hlc *h, Pool *pool, const char *text, size_t length, NameType *names,
                              void *data);

/* rules.c */

/* Is there a rule of this name?  False after reporting. */
bool compiler_rule_exists(hlc *h, const char *name);

/* certified.c */

/* Reports that Z3 is needed and cannot run. */
hlc_status compiler_solver_missing(hlc *h, const char *solver);
/* Certifies a program that contains its assertions. Obligations left to run time become assertions
 * of it. False after reporting. */
bool compiler_certify(hlc *h, Lowered *lowered);

/* window.c */

/* Finds the value of a startup variable (a parameter, the field of an image or window), if the
 * bound values determine it. */
bool arguments_known(hlc_arguments *a, Symbol name, Bits *bits);
/* Sets the window of an output, if it is not given: the proposed one, or a guess. False after
 * reporting. Unless it `must` be known, nothing is reported, and the window may be empty. */
bool window_find(hlc_arguments *a, size_t output, bool must);
/* Returns the window of the output, or null if the bound values do not determine it. */
const Image *window_known(hlc_arguments *a, Symbol func);
/* Evaluates the window that the pipeline proposes. False if it proposes none, or with the `fault`
 * of what it proposes. */
bool window_propose(hlc_arguments *a, size_t output, Image *window, const char **fault);
/* Likewise the domain, which may be larger than any buffer. */
bool window_propose_domain(hlc_arguments *a, size_t output, Image *domain);

/* Gives the images, windows and outputs their domains. The windows are known. */
void domains_put(hlc_arguments *a);
/* Returns the domain of an image or output func, or null if it is its own. */
const Image *domain_of_image(const hlc_arguments *a, size_t i);
const Image *domain_of_window(hlc_arguments *a, size_t output);

/* arguments.c */

/* Makes sure that all inputs have values, all outputs memory and, with `windows`, windows.
 * Otherwise the status gives the reason. */
hlc_status arguments_ready(hlc_arguments *a, bool windows);
/* Publishes the outputs after a run. */
void arguments_publish(hlc_arguments *a);
/* Allocates a zeroed image with the declared layout; false if memory runs out, or beyond the limit
 * of the run. */
bool arguments_allocate(const hlc_arguments *a, Image *image, Type type, int dimensions,
                        const int64_t *minimum, const int64_t *extent, Layout layout);
hlc_arguments *arguments_create(hlc *h, const char *pipeline);
/* Likewise, for a pipeline that lives as long as the handle (null: the .ir file's program). */
hlc_arguments *arguments_of(hlc *h, const Pipeline *pipeline);
/* Returns the bytes of the images that are not lent, inputs and outputs. */
double arguments_bytes(const hlc_arguments *a);
/* Report that there is no memory for `name`, or that `text` is no value for it. */
hlc_status arguments_no_memory(hlc *h, const char *name);
hlc_status arguments_bad_value(hlc_arguments *a, const char *name, const char *text,
                               const char *what, const char *remedy);
/* Reports that `text` is no size for `name`, which has this many dimensions. */
hlc_status arguments_bad_size(hlc_arguments *a, const char *name, const char *text, int dimensions);
/* Returns the range of a parameter of this type, as a remedy. */
const char *arguments_range_text(Arena *arena, Type type);
/* Copies the box of `to`, which lies inside that of `from`. */
void arguments_copy_image(Image *to, const Image *from);
/* Moves an image. */
void arguments_place_image(hlc_arguments *a, size_t i, const int64_t *minimum);
/* Return the index of this name; their count if there is none. */
size_t arguments_parameter(const hlc_arguments *a, const char *name);
size_t arguments_image(const hlc_arguments *a, const char *name);
size_t arguments_output(const hlc_arguments *a, const char *name);
/* Returns the index of an output's first component among all components. */
size_t arguments_first_component(const hlc_arguments *a, size_t output);
void arguments_report_unknown(hlc_arguments *a, const char *name);
/* "an image of u8 in 2 dimensions" */
const char *arguments_image_text(Arena *arena, Type type, int dimensions);

/* arguments_set.c */

/* Binds in `a` everything that is bound in `from` (of the same pipeline). */
void arguments_copy(hlc_arguments *a, const hlc_arguments *from);

/* owned.c */

/* Unbind image `i`, or component `flat` of the outputs. */
void arguments_release_image(hlc_arguments *a, size_t i);
void arguments_release_output(hlc_arguments *a, size_t flat);
/* Frees the outputs' memory that is ours; the caller's stays bound. */
void arguments_free_outputs(hlc_arguments *a);
void arguments_free(hlc_arguments *a);
/* Takes the function out of its handle's list. */
void function_unlink(hlc_function *function);

/* header.c */

/* Writes the header that callers of the object include. `schedule` may be null. */
void header_write(hlc *h, FILE *out, Arena *arena, const Program *program, const char *schedule,
                  const Object *object, bool has_profile);

/* object.c */

/* Copies the code into an object of the handle. */
hlc_object *object_keep(hlc *h, const Object *code);

/* bind.c */

/* Checks lent buffers as the entry of compiled code does, for interpreters that write into the
 * caller's memory. */
Outcome bind_check_lent(const hlc_arguments *a, Arena *arena);
/* Returns the images of the arguments, for an interpreter: those that may share the memory of an
 * output are copies. */
const Image *bind_images_apart(const hlc_arguments *a, Arena *arena);

/* externs.c */

/* Are the C functions known that the func (null: all outputs) needs? False after reporting. */
bool externs_ready(hlc *h, const Pipeline *pipeline, Symbol func);
bool externs_ready_of_program(hlc *h, const Program *program);
/* May the loaded file call what it calls? False after reporting. */
bool externs_are_allowed(hlc *h);
void externs_close(hlc *h);

/* list.c */

hlc_kind list_kind(Type type);
hlc_layout list_layout(Layout layout);
hlc_layout list_layout(Layout layout);

/* fill.c */

typedef enum FillKind { FILL_ZERO, FILL_RAMP, FILL_CONSTANT, FILL_RANDOM, FILL_EDGES } FillKind;
/* Fills an image. EDGES: half of the values are near the edges of the type. `value` is CONSTANT's
 * value, or the seed. `anywhere`: an element depends on its coordinates only, not on the image's
 * minimum. */
void fill_image(Image *image, FillKind kind, int64_t value, bool anywhere);
/* Returns a random number, for sizes and parameters. */
uint64_t fill_random(uint64_t *state);

/* Reads a scalar of this type from all of the text; false if it is none or does not fit. */
bool value_from_text(Type type, const char *text, Bits *bits);
/* Reads "WxH+X+Y" in `dimensions` dimensions. `*has_minimum` tells whether the text gives the
 * minimum. */
bool size_from_text(const char *text, int dimensions, int64_t *minimum, int64_t *extent,
                    bool *has_minimum);
/* Reads "X,Y,..". */
bool point_from_text(const char *text, int dimensions, int64_t *point);

/* runner.c */

/* Runs on ready arguments; the outcome's refusal is not yet reported. */
typedef struct Runner {
    hlc_machine machine;
    const Program *program; /* COMPILED, TARGET */
    const Jit *jit;         /* COMPILED */
    const char *schedule;   /* null or "": the empty one */
} Runner;
/* Prepares a run; false after reporting. Compiled code lives until the entry ends. */
bool runner_create(hlc *h, const hlc_arguments *a, const char *schedule, hlc_machine machine,
                   Runner *runner);
Outcome runner_run(hlc *h, const Runner *runner, const hlc_arguments *a, Arena *arena);
/* What is known of a refused run, beside its message. */
typedef struct Refusal {
    Place place;         /* of the assertion that failed */
    const char *needed;  /* pseudo_needed's, or "" */
    const char *values;  /* of a requirement: " (a.extent(0) = 32, ..)"; else "" */
    bool is_of_schedule; /* the empty schedule would run */
} Refusal;
/* Reports a refusal (null: nothing is known); returns its status. */
hlc_status runner_report(hlc *h, const Outcome *outcome, const Refusal *refusal);

/* refusal.c */

/* Finds out why the run was refused. */
Refusal refusal_explain(hlc *h, const Runner *runner, const hlc_arguments *a,
                        const Outcome *outcome);

/* run.c */

/* Runs on ready arguments, publishes the outputs, reports. */
hlc_status runner_finish(hlc *h, const Runner *runner, hlc_arguments *a);

/* pseudo.c */

/* Contents without a file, from an argument such as `NAME=random:1:auto`. */
typedef struct Pseudo {
    bool is_automatic; /* of the size that the run requires */
    FillKind kind;
    int64_t value;
} Pseudo;

/* Gives the images of automatic size the size that this run requires. The outputs are ready. */
hlc_status pseudo_fit(hlc *h, const Runner *runner, hlc_arguments *a);
/* Prints "a: 9x9+3+0", the box that the run requires of each image, a line each. */
hlc_status pseudo_print(hlc *h, const Runner *runner, const hlc_arguments *a, FILE *out);
/* Returns " `a` must hold 9x9, .." for the images that are smaller than the run requires; "" if
 * unknown. */
const char *pseudo_needed(hlc *h, const Runner *runner, const hlc_arguments *a);

#endif
