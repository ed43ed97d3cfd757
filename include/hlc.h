/* hlc.h -- the compiler as a library.
 *
 *     hlc *h = hlc_create();
 *     if (hlc_load(h, "blur.hl") == HLC_YES) {
 *         hlc_arguments *a = hlc_arguments_create(h, "blur");
 *         hlc_arguments_set(a, "input", "random:1:640x480");
 *         hlc_function *f = hlc_compile_function(h, "blur", "tiled", NULL);
 *         if (f && hlc_function_run(f, a) == HLC_YES)
 *             use(hlc_arguments_output(a, 0));
 *     }
 *     hlc_print_diagnostics(h, stderr);
 *     hlc_destroy(h);
 *
 * Everything hangs on one handle, `hlc`, which holds at most one loaded file.  There are no
 * globals, nothing is printed but to the FILE that the caller gives, and nothing exits.
 *
 * Answers.  A call answers with an hlc_status, or with an object that is null in place of all but
 * HLC_YES.  The reason is then among the diagnostics; no new diagnostic means that memory ran out
 * (HLC_WORLD).  What the call had begun is then undone, and the handle can be used on.
 *
 * Faults.  An assertion of ours that fails ends the call, not the process: it answers HLC_FAULT, and
 * the diagnostic E0862 names the invariant and its place in our source.  What the handle knows may
 * be wrong then: each further call of it answers HLC_FAULT, too.  Read its diagnostics, destroy it,
 * make another; other handles are not touched.  In the worker (hlc_use_worker) an assertion ends
 * the worker alone, which is E0853, and the handle can be used on.
 *
 * Bad arguments.  A pointer may be null only where a comment says so.  A call that gets another null, a
 * value that its enum has not, or a buffer that cannot be, answers HLC_USER (E0864, E0852) and changes
 * nothing; without a handle it answers HLC_USER, too.  Calls without a status answer null, 0, or a
 * struct without a name; so they do where an index is not below its count.
 *
 * Ownership.  What a call hands out belongs to its handle, is freed with it, and may be freed
 * before by its own `_destroy`.  `hlc_take_..` makes it the caller's: it then outlives the handle
 * and is the caller's to destroy.  Texts live as long as what they were asked of; those of a
 * diagnostic, and what hlc_diagnostic_at answers, until hlc_clear_diagnostics.  What the caller
 * passes in is copied, except the elements of buffers that hlc_arguments_set_buffer binds.
 *
 * Threads.  A handle with all that belongs to it is used by one thread at a time; several handles
 * may be used at once.  A function may be run by several threads at once, whatever handle they use.
 */
#ifndef HLC_H
#define HLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hlc hlc;
typedef struct hlc_arguments hlc_arguments;
typedef struct hlc_function hlc_function;
typedef struct hlc_object hlc_object;
struct halide_buffer_t; /* runtime/hlc_runtime.h */

/* The exit codes of the command `hlc` are these. */
typedef enum hlc_status {
    HLC_YES = 0,   /* done; the answer is yes */
    HLC_NO = 1,    /* done; the answer is no: results differ */
    HLC_USER = 2,  /* the program, the schedule, an argument or a size is not acceptable */
    HLC_WORLD = 3, /* a file cannot be read or written, or there is no memory */
    HLC_FAULT = 4  /* the compiler is at fault */
} hlc_status;

const char *hlc_version(void);
/* "hlc 0.2.0, LLVM 19.1.7, host x86-64-v3": the best target that this machine has.  At most `size`
 * bytes with a terminating zero. */
void hlc_describe(char *text, size_t size);
/* Prints the operators, the directives and the diagnostics, a line each: `operator POPCOUNT popcount
 * CALL 1 ..`, `directive SPLIT split`, `diagnostic E0101 BAD_TOKEN this is %1`.  Editors and tests
 * read them. */
void hlc_print_tables(FILE *out);

/* Null when there is no memory. */
hlc *hlc_create(void);
void hlc_destroy(hlc *h);

/* Limits the compiler's own memory, in bytes; 0 is no limit. */
void hlc_limit_memory(hlc *h, size_t bytes);

/* ---- loading ---- */

/* Reads a .hl file with its imports, or, where the name ends in ".ir", a target program in the text
 * form.  At most one load a handle. */
hlc_status hlc_load(hlc *h, const char *path);

/* The text of an imported file and its length, or null where there is none.  `path` is what the
 * import says, taken relative to the file that says it.  The text is copied at once. */
typedef const char *hlc_importer(void *data, const char *path, size_t *length);
/* The same from memory; `name` is what diagnostics call it, and its ending says what it is.
 * `import` null: there is nothing to import.  No file is looked at. */
hlc_status hlc_load_text(hlc *h, const char *name, const char *text, size_t length,
                         hlc_importer *import, void *data);

/* ---- what was loaded, in the order of the file ----
 *
 * A text-form program is one pipeline without schedules. */

typedef enum hlc_kind { HLC_BOOL, HLC_INT, HLC_UINT, HLC_FLOAT } hlc_kind;

typedef struct hlc_value {
    hlc_kind kind;
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
    } as;
} hlc_value;

static inline hlc_value hlc_bool(bool value) {
    hlc_value made;
    made.kind = HLC_BOOL;
    made.as.boolean = value;
    return made;
}
static inline hlc_value hlc_int(int64_t value) {
    hlc_value made;
    made.kind = HLC_INT;
    made.as.integer = value;
    return made;
}
static inline hlc_value hlc_uint(uint64_t value) {
    hlc_value made;
    made.kind = HLC_UINT;
    made.as.natural = value;
    return made;
}
static inline hlc_value hlc_float(double value) {
    hlc_value made;
    made.kind = HLC_FLOAT;
    made.as.real = value;
    return made;
}

/* Planar: stride 0 is 1.  Interleaved: stride 2 is 1, and stride 0 the extent of dimension 2.
 * Strided: no promise. */
typedef enum hlc_layout { HLC_PLANAR, HLC_INTERLEAVED, HLC_STRIDED } hlc_layout;

typedef struct hlc_input {
    const char *name;
    bool is_image;
    hlc_kind kind;
    int bits;          /* 1 for bool */
    int dimensions;    /* of an image */
    hlc_layout layout; /* of an image */
    bool has_default, has_range;
    hlc_value default_value, lower, upper; /* of a parameter; the range with its ends */
} hlc_input;

/* One element of an output's tuple: a buffer of its own, `func` or `func.component`. */
typedef struct hlc_output {
    const char *func;
    int component; /* -1 where the func is no tuple */
    hlc_kind kind;
    int bits, dimensions;
    hlc_layout layout; /* in which it is computed; other memory is filled from a copy */
} hlc_output;

/* Is there a file of this name that loading has read, the program's own or an imported one?  By
 * what the names lead to, where both are files. */
bool hlc_has_read(const hlc *h, const char *path);
size_t hlc_pipeline_count(const hlc *h);
const char *hlc_pipeline_name(const hlc *h, size_t i);
/* Does it grant `reassociation`, so that schedules may differ in sums of floats? */
bool hlc_pipeline_reassociates(const hlc *h, size_t i);
size_t hlc_input_count(const hlc *h, size_t pipeline);
hlc_input hlc_input_at(const hlc *h, size_t pipeline, size_t i);
size_t hlc_output_count(const hlc *h, size_t pipeline);
hlc_output hlc_output_at(const hlc *h, size_t pipeline, size_t i);
size_t hlc_schedule_count(const hlc *h);
const char *hlc_schedule_name(const hlc *h, size_t i);
/* The name of the pipeline that the schedule is for. */
const char *hlc_schedule_pipeline(const hlc *h, size_t i);

/* ---- diagnostics ---- */

typedef enum hlc_severity { HLC_ERROR, HLC_WARNING, HLC_NOTE } hlc_severity;

typedef struct hlc_diagnostic {
    const char *code; /* "E0815": hlc_explain_code says what it means */
    hlc_severity severity;
    const char *file;              /* "" and line 0: nowhere */
    unsigned line, column, length; /* from 1; column and length in bytes */
    const char *message, *help;    /* help may be "" */
} hlc_diagnostic;

size_t hlc_diagnostic_count(const hlc *h);
hlc_diagnostic hlc_diagnostic_at(const hlc *h, size_t i);
/* One after another, with source lines and carets. */
void hlc_print_diagnostics(const hlc *h, FILE *out);
/* One JSON object a line: code, severity, file, line, column, length, message, help. */
void hlc_print_diagnostics_json(const hlc *h, FILE *out);
/* What the first error says, or where there is none the first warning, without place and remedy;
 * null where there is neither. */
const char *hlc_first_message(const hlc *h);
void hlc_clear_diagnostics(hlc *h);
/* Adds a diagnostic of base/diag.def by its name's code ("E0815"); `arguments` fill its holes and
 * end with a null.  A code that there is not is E0819. */
void hlc_diagnose(hlc *h, const char *code, const char *const *arguments);
/* A diagnostic with a program that provokes it, and that program mended; HLC_USER for an unknown
 * code. */
hlc_status hlc_explain_code(hlc *h, const char *code, FILE *out);

/* ---- where the time goes ---- */

/* From now on it is measured, for hlc_print_times. */
hlc_status hlc_measure_times(hlc *h);
/* A line for each part, and one for all since then: milliseconds on the clock, and of all
 * processors (of the process that makes the code, too). */
void hlc_print_times(const hlc *h, FILE *out);
/* One JSON object a line: kind ("time"), part, depth (0, or how many parts it stands in), ms,
 * cpu_ms; size and unit where it says how much it made. */
void hlc_print_times_json(const hlc *h, FILE *out);

/* The candidate (the list ends with a null) that is nearest to `name` in spelling, for "did you
 * mean"; null if none is near. */
const char *hlc_nearest(const char *name, const char *const *candidates);

/* Prints a .hl file ("-": standard input) in the canonical layout (docs/language.md); says whether
 * it is in it already.  HLC_USER where it does not parse. */
hlc_status hlc_format(hlc *h, const char *path, bool *is_formatted, FILE *out);

/* ---- looking inside ---- */

/* In all of these `pipeline` null means the only one of the file, `schedule` null
 * or "" the empty one. */

typedef struct hlc_lower_options {
    const char *after; /* the name of a pass; null: the last */
    int64_t until;     /* only the first N primitive directives; negative: all */
} hlc_lower_options;

/* The target program in the text form. */
hlc_status hlc_lower(hlc *h, const char *pipeline, const char *schedule,
                     const hlc_lower_options *options, FILE *out);
/* The primitive directives that a schedule means, in the order of application, then the loop nest
 * that results: docs/commands.md tells what its lines say.  What is bound in `fixed` (null:
 * nothing) is put into its formulas. */
hlc_status hlc_explain(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_arguments *fixed, FILE *out);
/* The directives that may be appended to the schedule, one a line as a schedule has them, in the
 * order of their phases; open numbers (factors, bounds) with a few candidates.  What is printed is
 * accepted, alone, by the scheduler.  With `json`, one object a line. */
hlc_status hlc_moves(hlc *h, const char *pipeline, const char *schedule, bool json, FILE *out);
/* For each func and image: its region as formulas, and where each end comes from. */
hlc_status hlc_bounds(hlc *h, const char *pipeline, const char *schedule, FILE *out);

typedef struct hlc_certify_options {
    bool json;          /* what is printed is JSON, one object a line */
    const char *solver; /* the command that runs Z3; null: z3 */
    FILE *certificate;  /* null, or where the proofs go, as SMT-LIB 2 (docs/certify.md) */
} hlc_certify_options;

/* Proves that a program is memory safe and computes all that is needed, for all inputs: B(S) of
 * the report's Figure 10, an obligation a line, with the access and the directive that it comes
 * from and how it was proved (docs/certify.md).  What is bound in `fixed` (null: nothing) is
 * assumed; `options` may be null.  HLC_YES: all proved, or left to checks at run time, which are
 * named; HLC_NO: one is refuted, with a counterexample, or open; HLC_WORLD: Z3 is needed and cannot
 * be started, or does not answer within 20 seconds. */
hlc_status hlc_certify(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_certify_options *options, const hlc_arguments *fixed, FILE *out);

/* From here on, or (`is_on` false) no longer, each program that is compiled, run, compared or
 * printed is certified first, for all inputs; `solver` as above.  What is left to run time becomes
 * an assertion of the program before its first store, with the error HLC_ERROR_NOT_CERTIFIED, and a
 * note says which (E0859).  Where that is not enough the call answers HLC_NO, or HLC_WORLD without
 * Z3, after a diagnostic.  A target program in the text form gets no assertions: all must be
 * proved. */
hlc_status hlc_set_certify(hlc *h, bool is_on, const char *solver);

typedef struct hlc_contract_options {
    const char *against; /* another schedule to compare with, "" for the empty one; null: none */
    hlc_arguments *arguments; /* bound, to be looked at; null: none */
    bool json;                /* what is printed is JSON, one object a line */
} hlc_contract_options;

/* The size contract: the weakest condition on sizes and parameters under which the pipeline runs, a
 * clause a line with what it comes from, and the most memory that it takes at one time
 * (docs/commands.md).  With `against`, what differs from the contract of that schedule.  With
 * `arguments`, whether they keep the contract: HLC_NO where they do not.  `options` may be null. */
hlc_status hlc_contract(hlc *h, const char *pipeline, const char *schedule,
                        const hlc_contract_options *options, FILE *out);

/* For each update of the func: whether it is associative, its operator, identity, and what one
 * iteration contributes, or why it is refused (docs/associativity.md).  HLC_NO where one is not
 * known to be. */
hlc_status hlc_explain_associative(hlc *h, const char *pipeline, const char *func, FILE *out);
/* Of each recurrence: its equations in the order of the parts that need each other, the distance of
 * each read, and which loop carries it (docs/commands.md).  Under a schedule (null: without) also
 * the loops that it has made of each nest, which of them carry a distance, and which none. */
hlc_status hlc_explain_dependences(hlc *h, const char *pipeline, const char *schedule, FILE *out);

/* ---- expressions ----
 *
 * Expressions of the text form: C's operators, `min max select clamp abs`.  Free names are integers
 * (of sort index) or declared; a literal takes the type of what it is combined with.  `options` may
 * be null.  Each call prints one line.
 */

typedef struct hlc_expression_options {
    FILE *trace;              /* each rule as it is applied; null: not */
    FILE *statistics;         /* afterwards, how often each rule was; null: not */
    uint64_t rule_limit;      /* apply at most so many; 0: no limit */
    const char *without_rule; /* leave one out; null: none */
    bool machine;             /* names that are not declared are of type i32, and wrap */
    bool time;                /* a tab and the microseconds that it took end the line */
    bool witness;             /* prove: a tab and values of the names, see there */
    const char *variable;     /* solve: what for */
    bool reassociation;       /* assoc: floats are taken for reals */
} hlc_expression_options;

/* From here on this name, which has none yet, has this type in expressions: "x:u8". */
hlc_status hlc_declare(hlc *h, const char *name_and_type);
/* The expression simplified. */
hlc_status hlc_simplify(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);
/* `true` (the condition holds for all values of its names), `false` (for none), `unknown` (else).
 * With `witness` and where the answer is `unknown`: values for which it holds, a tab, and values
 * for which it does not, `x=3 y=-1`; `-` stands for those that were not found. */
hlc_status hlc_prove(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);
/* The documentation of the rules that rewrite expressions, or of the one with this name (else
 * null): what it rewrites, over which types, why it ends, how it was proved. */
hlc_status hlc_rules(hlc *h, const char *name, bool json, FILE *out);

/* The condition solved for the name `options->variable`, which stands as seldom as was found and
 * alone on the left of comparisons; what cannot be solved stays simplified.  Of an integer, the sum
 * whose terms with the variable come first.  The value is the same whatever the names are. */
hlc_status hlc_solve(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);

/* Is a binary operator associative?  `i32: x + y`, or `i32: {..}` of elements over x.0, y.0, ..;
 * `{i32, f32}: ..` gives each a type; k is any constant, of the first one.  The line begins with
 * `associative`, and says identity, whether it commutes, and the entries of the table that it is
 * made of; or with `not associative`, and values of x, y, z (and k) that show it; or with
 * `unknown`, and a reason. */
hlc_status hlc_assoc(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);

/* ---- compiling ---- */

/* What code is made for, from here on: "host", the machine that this process runs on (also null,
 * and without this call); one of x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni, aarch64,
 * aarch64-dotprod; or several of one architecture with commas between: the code is made for each,
 * and a call of the pipeline takes the best that the processor has.  Where the processor has none,
 * a call is an error. */
hlc_status hlc_set_targets(hlc *h, const char *targets);

typedef struct hlc_compile_options {
    const char *emit; /* "object" (or null), "asm", "ll" */
    int optimize;     /* LLVM's level, 0 to 3 */
    /* Null, or where a header goes: C and C++, the prototypes with what each argument is. */
    FILE *header;
    /* Null, or where a rule for make goes: `object` depends on the file and all that it imports. */
    FILE *depfile;
    const char *object;
    bool debug;           /* with lines and variables for a debugger */
    const char *sanitize; /* null, or "address" or "thread": the sanitizer that watches the code */
    bool trace;           /* with calls of the run-time library's trace hook; not of functions */
} hlc_compile_options;

/* Writes the code of a pipeline under a schedule: an object file with the functions that
 * runtime/hlc_runtime.h describes, or its text.  What was written before a failure is of no use. */
hlc_status hlc_compile(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_compile_options *options, FILE *out);

/* The same in memory; text ends in a zero that is not counted. */
hlc_object *hlc_compile_object(hlc *h, const char *pipeline, const char *schedule,
                               const hlc_compile_options *options);
const void *hlc_object_bytes(const hlc_object *object);
size_t hlc_object_length(const hlc_object *object);
hlc_object *hlc_take_object(hlc_object *object);
void hlc_object_destroy(hlc_object *object);

/* Compiles a pipeline under a schedule into this process, to be run many times (`options` null:
 * what hlc_set_code said; only `optimize` and `debug` are looked at). */
hlc_function *hlc_compile_function(hlc *h, const char *pipeline, const char *schedule,
                                   const hlc_compile_options *options);
/* Answers `function`; null, and nothing is taken, where it comes from a .ir file, whose runs need
 * the handle. */
hlc_function *hlc_take_function(hlc_function *function);
/* Not while it runs.  Null is allowed. */
void hlc_function_destroy(hlc_function *function);

/* NAME as C knows it, to be cast to its type (runtime/hlc_runtime.h), and NAME_argv.  They live as
 * long as the function does.  They may be called from several threads at once. */
void (*hlc_function_pointer(const hlc_function *function))(void);
int (*hlc_function_argv(const hlc_function *function))(void **);

/* LLVM ends its process when memory runs out.  After this call the handle's code is made in a
 * process of its own, `path --worker`, whose end is a diagnostic: HLC_WORLD where memory ran out
 * or something killed it, HLC_FAULT otherwise.  `path` is the command hlc, or any program that
 * calls hlc_worker_serve; null looks for `hlc` beside the library or the program that holds it.
 * `memory` limits the address space that it may take, in bytes (0: not).  It is started now, by
 * posix_spawn, serves until the handle is destroyed, and is then waited for; no signal is raised or
 * handled.  HLC_WORLD where it cannot be started: code is then made in this process, as without
 * this call. */
hlc_status hlc_use_worker(hlc *h, const char *path, size_t memory);
/* The same for a program that is its own worker.  While this process has one thread, the worker is a
 * fork of it that calls `serve`, which is hlc_worker_serve or calls it; so no program is started.
 * With more threads it is `/proc/self/exe --worker`. */
hlc_status hlc_fork_worker(hlc *h, int (*serve)(int socket, size_t memory), size_t memory);
/* How many seconds the worker may take to answer: one that takes longer is killed (a diagnostic,
 * and HLC_WORLD).  0, and without this call: as long as it likes. */
void hlc_limit_time(hlc *h, unsigned seconds);
/* What `path --worker MEMORY` does: serves the socket on standard input until its other end is
 * closed, which may end this process with 0 at once.  Answers the exit code. */
int hlc_worker_serve(int socket, size_t memory);

/* ---- arguments ---- */

#define HLC_IMAGE_DIMENSIONS 4

/* Element (x0, x1, ..) lies `sum (xi - minimum[i]) * stride[i]` elements after `data`. */
typedef struct hlc_image {
    hlc_kind kind;
    int bits; /* 1 for bool, which takes a byte */
    int dimensions;
    int64_t minimum[HLC_IMAGE_DIMENSIONS], extent[HLC_IMAGE_DIMENSIONS],
        stride[HLC_IMAGE_DIMENSIONS];
    void *data;
} hlc_image;

/* The arguments of one pipeline (null: the only one), all parameters at their defaults.  Null after
 * a diagnostic.  Freed with the handle at the latest. */
hlc_arguments *hlc_arguments_create(hlc *h, const char *pipeline);
void hlc_arguments_destroy(hlc_arguments *a);

/* Binds by name, from text:
 *   a parameter        `3`, `-1.5`, `true`
 *   an image           `random:SEED:SIZE`, `edges:SEED:SIZE`, `zero:SIZE`, `ramp:SIZE`,
 *                      `constant:VALUE:SIZE`; SIZE `auto` is what a run needs of it
 *   an output          SIZE, its window
 *   `NAME.min`         of an image or output: `X,Y,..`, where it begins
 *
 * SIZE is WxHxC.. for as many dimensions as there are, then perhaps +X+Y.. where it begins. */
hlc_status hlc_arguments_set(hlc_arguments *a, const char *name, const char *text);
/* Is `name` an image among the inputs, and of which type and how many dimensions?  For loading a
 * file that fits.  The places of the answers may be null. */
bool hlc_arguments_is_image(const hlc_arguments *a, const char *name, hlc_kind *kind, int *bits,
                            int *dimensions);
/* Binds a parameter.  An integer must fit; a float goes to float parameters only, rounded once.
 * The declared range is looked at by the run. */
hlc_status hlc_arguments_set_value(hlc_arguments *a, const char *name, hlc_value value);
/* Binds the caller's memory, which is not copied, to an input image, or to an output or element of
 * its tuple, whose window it then gives: the struct is read now, the elements are read or written
 * by each run until something else is bound.  Any strides, also negative ones, where the input's
 * layout allows them.  A buffer without host memory is refused: to ask for bounds, call
 * hlc_function_pointer's or hlc_function_argv's function.  So is one whose host memory is not aligned to
 * its elements. */
hlc_status hlc_arguments_set_buffer(hlc_arguments *a, const char *name,
                                    const struct halide_buffer_t *buffer);
/* Binds an image; its elements are copied.  Its coordinates lie in 32 bits. */
hlc_status hlc_arguments_set_image(hlc_arguments *a, const char *name, const hlc_image *image);

/* Outputs: one image for each output func's tuple elements, in order; named `out`, or `out.0`, ..
 * Their windows are those given, or else the extents of the first input image with as many
 * dimensions. Filled by hlc_run; null before. */
size_t hlc_arguments_output_count(const hlc_arguments *a);
const char *hlc_arguments_output_name(const hlc_arguments *a, size_t i);
const hlc_image *hlc_arguments_output(const hlc_arguments *a, size_t i);

/* ---- running ---- */

typedef enum hlc_machine {
    HLC_COMPILED,  /* through LLVM */
    HLC_REFERENCE, /* the interpreter of the algorithm; the schedule is not looked at */
    HLC_TARGET,    /* the interpreter of the target program */
    HLC_SEMANTICS  /* the rules of the report, one by one: slow, for small windows */
} hlc_machine;

/* Called a few times a second with the part that is done, 0 to 1. */
typedef void hlc_progress(void *data, const char *what, double done);
void hlc_on_progress(hlc *h, hlc_progress *progress, void *data);

/* How code is made that runs in this process; `optimize` is 2 and the rest off until it is said.
 * `perf_map`: /tmp/perf-PID.map gets a line for each function that is loaded, for the profiler
 * perf. */
typedef struct hlc_code {
    int optimize;
    bool debug, perf_map;
    const char *sanitize; /* as above; only in a process that runs under it */
} hlc_code;
hlc_status hlc_set_code(hlc *h, const hlc_code *code);

/* How the interpreters run.  The target interpreter runs the iterations of parallel and vectorized
 * loops in this order: one by one, or interleaved as `seed` says, from which the arbitrary contents
 * of fresh memory come, too.  `formal`: divisions by zero and their kin have the report's error
 * values, and a note says which point of the output is the first to be one; in the target
 * interpreter an access outside memory is err_mem then, and nothing else.  `strict`: likewise, and
 * select keeps the error of the arm that it does not choose. */
typedef enum hlc_order { HLC_ORDER_FORWARD, HLC_ORDER_BACKWARD, HLC_ORDER_INTERLEAVED } hlc_order;
typedef struct hlc_interpreter {
    hlc_order order;
    uint64_t seed;
    bool formal, strict;
} hlc_interpreter;
/* From here on; forward, with seed 1 and in the total reading until it is said. */
void hlc_set_interpreter(hlc *h, const hlc_interpreter *interpreter);

/* A run that is refused (a size, a range, ..) is HLC_USER with the reason as a diagnostic. */
hlc_status hlc_run(hlc_arguments *a, const char *schedule, hlc_machine machine);

/* The same with what has been compiled.  The arguments may be of another handle than the function's
 * (HLC_USER where its pipeline does not have the same inputs and outputs); several threads may run
 * one function at once, each with arguments of a handle of its own. */
hlc_status hlc_function_run(const hlc_function *function, hlc_arguments *a);

/* How long that takes: one run that is not counted, then `samples` times `runs` runs in a row, on
 * the same memory, with nothing but the calls between the two looks at the clock.  `nanoseconds`
 * gets one number a sample, of all its runs together. */
hlc_status hlc_function_time(const hlc_function *function, hlc_arguments *a, int samples, int runs,
                             int64_t *nanoseconds);

typedef struct hlc_eval_options {
    bool why;       /* the points that the definition read follow, one a line */
    bool formal;    /* errors of the formal reading are printed as err_arith, err_rdom */
    bool strict;    /* .. and select keeps the error of the arm not chosen */
    bool semantics; /* by HLC_SEMANTICS; not with `why` */
} hlc_eval_options;

/* One point of any func, `f(3, 4)`, by the reference: the value alone, on a line. */
hlc_status hlc_eval(hlc_arguments *a, const char *point, const hlc_eval_options *options,
                    FILE *out);

typedef struct hlc_check_options {
    const char *pipeline; /* null: all */
    const char *schedule; /* null: all, and the empty one; "": the empty one */
    uint64_t seed;
    int rounds; /* of random arguments for each pipeline; 0: the default */
    bool json;  /* what is printed is JSON, one object a line */
} hlc_check_options;

/* Runs every schedule on random arguments, compiled and by the target interpreter, and compares
 * with the reference, bit for bit.  What is bound in `fixed` (null: nothing; else of the only
 * pipeline that is checked) stays as it is; the rest is random, with sizes near the edges.  The
 * last line printed says how many points were compared.  HLC_YES: equal; HLC_NO: a difference,
 * whose first point is printed; HLC_USER: refused. */
hlc_status hlc_check(hlc *h, const hlc_check_options *options, const hlc_arguments *fixed,
                     FILE *out);

#ifdef __cplusplus
}
#endif

#endif
