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
 * Everything belongs to one handle, `hlc`, which holds at most one loaded file. There are no
 * globals. The library prints only to FILEs that the caller passes, and it never exits.
 *
 * Results. A call returns an hlc_status, or an object, which is null for every status but HLC_YES.
 * The diagnostics give the reason. If there is no new diagnostic, memory ran out (HLC_WORLD). A
 * failed call is undone, and the handle stays usable.
 *
 * Faults. A failed assertion of the compiler ends the call, not the process. The call returns
 * HLC_FAULT, and the diagnostic E0862 names the invariant and its source line. The state of the
 * handle may be wrong then, so each further call on it returns HLC_FAULT, too. Read its
 * diagnostics, destroy it, and create another. Other handles are not affected. An assertion in the
 * worker (hlc_use_worker) ends only the worker: E0853, and the handle stays usable.
 *
 * Bad arguments. A pointer may be null only where a comment says so. A call that gets another null,
 * a value outside its enum, or an impossible buffer, returns HLC_USER (E0864, E0852) and changes
 * nothing. A call without a handle returns HLC_USER, too. Calls without a status return null, 0, or a
 * struct without a name; so they do for an index that is not below its count.
 *
 * Ownership. A returned object belongs to its handle. The handle frees it, or its own `_destroy`
 * frees it earlier. `hlc_take_..` makes the caller the owner: the object outlives the handle, and
 * the caller destroys it. A text lives as long as the object that returned it. Diagnostics and
 * their texts live until hlc_clear_diagnostics. The library copies what the caller passes, except
 * the elements of buffers bound by hlc_arguments_set_buffer.
 *
 * Threads. One thread at a time may use a handle and its objects. Several handles may be used at
 * once. Several threads may run one function at once, whatever handles they use.
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
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* libhlc.so exports these, and nothing else */
#endif

typedef struct hlc hlc;
typedef struct hlc_arguments hlc_arguments;
typedef struct hlc_function hlc_function;
typedef struct hlc_object hlc_object;
struct halide_buffer_t; /* runtime/hlc_runtime.h */
struct hlc_report;      /* there, too */
struct hlc_call;        /* there, too */
struct hlc_interval;    /* there, too */
struct hlc_profile;     /* likewise */

/* The command `hlc` exits with the same codes. */
typedef enum hlc_status {
    HLC_YES = 0,   /* done; the answer is yes */
    HLC_NO = 1,    /* done; the answer is no: results differ */
    HLC_USER = 2,  /* the program, the schedule, an argument or a size is not acceptable */
    HLC_WORLD = 3, /* a file cannot be read or written, or there is no memory */
    HLC_FAULT = 4  /* the compiler is at fault */
} hlc_status;

const char *hlc_version(void);
/* Writes "hlc 0.2.0, LLVM 19.1.7, host x86-64-v3" into `text`. The host's name is the best target
 * that this machine supports. Writes at most `size` bytes, with a terminating zero. */
void hlc_describe(char *text, size_t size);
/* Prints the operators, the directives and the diagnostics, one a line: `operator POPCOUNT popcount
 * CALL 1 ..`, `directive SPLIT split`, `diagnostic E0101 BAD_TOKEN this is %1`. Editors and tests
 * read these lines. */
void hlc_print_tables(FILE *out);

/* Creates a handle. Returns null when memory runs out. */
hlc *hlc_create(void);
void hlc_destroy(hlc *h);

/* Limits the compiler's own memory, in bytes, which includes that of the interpreters. 0 means no
 * limit. A call that reaches the limit is undone: E0870, and HLC_WORLD. */
void hlc_limit_memory(hlc *h, size_t bytes);

/* ---- ending calls early ----
 *
 * A call that is ended early is undone, reports where it was, and returns HLC_WORLD. The buffers
 * that a run has bound then have unspecified contents. docs/hostility.md says how soon a call ends.
 */

/* Ends the call in progress, and each later call until hlc_resume (E0868). Any thread may call it
 * while another one is in a call of the handle; so may a signal handler. Afterwards the handle
 * still reports, and can be destroyed. */
void hlc_cancel(hlc *h);
void hlc_resume(hlc *h);
/* Ends all calls so many seconds from now: the call in progress then, and later ones (E0869). 0: no
 * longer. */
void hlc_set_deadline(hlc *h, double seconds);

/* ---- what untrusted programs may do (docs/hostility.md) ---- */

/* From now on, hlc_load and imports read no file outside of the folder, whatever links lead there
 * (E0843). The caller keeps others from changing links in it meanwhile. HLC_WORLD if there is no
 * such folder. Null: everywhere. */
hlc_status hlc_set_root(hlc *h, const char *folder);
/* Does the path, or where it would be created, lie in the folder of hlc_set_root? */
bool hlc_in_root(const hlc *h, const char *path);
/* From now on, target programs in the text form are refused (E0844). */
void hlc_refuse_text_form(hlc *h);
/* From now on, programs with extern stages are refused (E0893), which call C functions. */
void hlc_refuse_externs(hlc *h);
/* Lowers a limit on programs that are loaded later: "outputs", "funcs", ..; docs/hostility.md lists
 * them. HLC_USER for another name, or for a number beyond the limit. */
hlc_status hlc_lower_limit(hlc *h, const char *name, size_t most);
/* Limits the memory of a run, in bytes: the images that the library allocates for inputs and
 * outputs, and what compiled code takes besides. The call that would allocate more is refused. The
 * run is refused before it starts if the contract of the program leads beyond the limit, or is not
 * known (E0848). An hlc_function of a .hl file has lost its contract: then it is refused, too. 0:
 * no limit. */
void hlc_limit_run_memory(hlc *h, size_t bytes);

/* ---- the window form (docs/windows.md) ---- */

/* From now on, hlc_load makes the window form of pipelines: each image and output is a window of a
 * larger domain, and minima and extents in the program are those of domains. */
hlc_status hlc_use_windows(hlc *h);

/* ---- loading ---- */

/* Gives a value to the const parameters of this name, of all pipelines that will be loaded: `4`,
 * `0.5`, `true`, `f32`. Both texts are copied. A value that no const parameter takes is ignored. */
hlc_status hlc_set_constant(hlc *h, const char *name, const char *value);
/* Has a loaded pipeline a const parameter of this name? */
bool hlc_has_constant(const hlc *h, const char *name);
/* The name of const parameter `i` of a loaded pipeline, and its value as text (if `value` is not
 * null); null behind the last. */
const char *hlc_constant_at(const hlc *h, size_t pipeline, size_t i, const char **value);
/* Makes a schedule with arguments, `fast(v = 8)`, of a file that will be loaded. It is named by
 * this text, letter for letter. The text is copied. */
hlc_status hlc_add_schedule(hlc *h, const char *schedule);

/* Makes a C function known to extern stages by its name; docs/runtime.md says what it must do. Its
 * type is the one that the stage's call implies. It must outlive the handle and taken functions. */
hlc_status hlc_register_extern(hlc *h, const char *name, void (*function)(void));
/* Opens a shared object. The C functions that it defines itself are known from then on, as long as
 * the handle lives. HLC_WORLD if it cannot be loaded. */
hlc_status hlc_open_externs(hlc *h, const char *path);

/* Reads a .hl file with its imports. If the name ends in ".ir", reads a target program in the text
 * form. A handle loads at most once. */
hlc_status hlc_load(hlc *h, const char *path);

/* Returns the text of an imported file and its length, or null if there is no such file. `path` is
 * the path in the import, resolved relative to the importing file. The library copies the text at
 * once. */
typedef const char *hlc_importer(void *data, const char *path, size_t *length);
/* Loads text from memory; opens no file. Diagnostics use `name`, and its ending selects the
 * language, as in hlc_load. `import` may be null: then imports are errors. */
hlc_status hlc_load_text(hlc *h, const char *name, const char *text, size_t length,
                         hlc_importer *import, void *data);

/* ---- what was loaded, in the order of the file ----
 *
 * A text-form program is one pipeline without schedules. */

/* HLC_FLOAT has 16, 32 or 64 bits: f16, f32, f64. HLC_BFLOAT has 16: bf16. It is a kind of inputs and
 * images; the value of a parameter is HLC_FLOAT. */
typedef enum hlc_kind { HLC_BOOL, HLC_INT, HLC_UINT, HLC_FLOAT, HLC_BFLOAT } hlc_kind;

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

/* The strides that a layout promises. Planar: stride 0 is 1. Interleaved: stride 2 is 1, and stride
 * 0 is the extent of dimension 2. Strided: no promise. */
typedef enum hlc_layout { HLC_PLANAR, HLC_INTERLEAVED, HLC_STRIDED } hlc_layout;

typedef struct hlc_input {
    const char *name;
    bool is_image;
    hlc_kind kind;
    int bits;          /* 1 for bool */
    int dimensions;    /* of an image */
    hlc_layout layout; /* of an image */
    bool has_default, has_range;
    hlc_value default_value, lower, upper; /* of a parameter; both ends are in the range */
} hlc_input;

/* One component of an output. It has its own buffer, named `func` or `func.component`. */
typedef struct hlc_output {
    const char *func;
    int component; /* -1 if the func is not a tuple */
    hlc_kind kind;
    int bits, dimensions;
    hlc_layout layout;  /* the pipeline computes in it; it copies to other memory */
    const char *shares; /* the image whose memory the buffer may share, element by element; null: it
                           overlaps no other buffer */
} hlc_output;

/* Has loading read this file, as the program or as an import? Compares files, not names: links to
 * the same file are equal. */
bool hlc_has_read(const hlc *h, const char *path);
size_t hlc_pipeline_count(const hlc *h);
const char *hlc_pipeline_name(const hlc *h, size_t i);
/* Does the pipeline grant `reassociation`? Then schedules may differ in float sums. */
bool hlc_pipeline_reassociates(const hlc *h, size_t i);
size_t hlc_input_count(const hlc *h, size_t pipeline);
hlc_input hlc_input_at(const hlc *h, size_t pipeline, size_t i);
size_t hlc_output_count(const hlc *h, size_t pipeline);
hlc_output hlc_output_at(const hlc *h, size_t pipeline, size_t i);
size_t hlc_schedule_count(const hlc *h);
const char *hlc_schedule_name(const hlc *h, size_t i);
/* Returns the name of the schedule's pipeline. */
const char *hlc_schedule_pipeline(const hlc *h, size_t i);

/* ---- diagnostics ---- */

typedef enum hlc_severity { HLC_ERROR, HLC_WARNING, HLC_NOTE } hlc_severity;

typedef struct hlc_diagnostic {
    const char *code; /* "E0815": hlc_explain_code explains it */
    hlc_severity severity;
    const char *file;              /* "" and line 0: no place */
    unsigned line, column, length; /* from 1; column and length in bytes */
    const char *message, *help;    /* help may be "" */
} hlc_diagnostic;

size_t hlc_diagnostic_count(const hlc *h);
hlc_diagnostic hlc_diagnostic_at(const hlc *h, size_t i);
/* Prints all diagnostics with source lines and carets. */
void hlc_print_diagnostics(const hlc *h, FILE *out);
/* Prints one JSON object a line: code, severity, file, line, column, length, message, help. A
 * diagnostic in text that was made at compile time also has `in`: the rounds of loops and instances
 * of templates that made it, innermost first (file, line, column, text). */
void hlc_print_diagnostics_json(const hlc *h, FILE *out);
/* Returns the message of the first error, else of the first warning, without place and help.
 * Returns null if there is neither. */
const char *hlc_first_message(const hlc *h);
void hlc_clear_diagnostics(hlc *h);
/* From now on, hlc_load and the calls that lower a schedule also look for what is legal and probably
 * not meant (docs/warnings.md). Without this call there are only the warnings that say where a
 * schedule has no effect. */
hlc_status hlc_warn(hlc *h);
/* From now on, this warning or note is not reported; or it is an error. `code` null: all warnings. A
 * comment `// allow CODE` in the program allows it at its place. HLC_USER for an unknown code
 * (E0819), and for one of an error. */
hlc_status hlc_allow(hlc *h, const char *code);
hlc_status hlc_deny(hlc *h, const char *code);
/* Adds a diagnostic of base/diag.def by its code ("E0815"). `arguments` fill its holes and end with
 * a null. An unknown code is reported as E0819. */
void hlc_diagnose(hlc *h, const char *code, const char *const *arguments);
/* Prints a diagnostic, a program that provokes it, and the mended program. HLC_USER for an unknown
 * code. */
hlc_status hlc_explain_code(hlc *h, const char *code, FILE *out);

/* ---- times ---- */

/* Starts measuring, for hlc_print_times. */
hlc_status hlc_measure_times(hlc *h);
/* Prints one line for each part, and one line for the total since measuring began. A line gives
 * milliseconds of wall-clock time and of processor time. Processor time includes the worker's. */
void hlc_print_times(const hlc *h, FILE *out);
/* Adds a part that the caller measured, such as the reading of files; nanoseconds. `part` outlives
 * the handle. */
hlc_status hlc_add_time(hlc *h, const char *part, int64_t wall, int64_t processor);
/* Prints one JSON object a line: kind ("time"), part, depth (the number of enclosing parts, 0 at
 * the top), ms, cpu_ms. A part that reports how much it made also has size and unit. */
void hlc_print_times_json(const hlc *h, FILE *out);

/* Returns the candidate whose spelling is nearest to `name`, for "did you mean". Returns null if
 * none is near. The list ends with a null. */
const char *hlc_nearest(const char *name, const char *const *candidates);

/* Prints a .hl file ("-": standard input) in the canonical layout (docs/language.md).
 * `*is_formatted` tells whether the file already has that layout. HLC_USER if it does not parse. */
hlc_status hlc_format(hlc *h, const char *path, bool *is_formatted, FILE *out);

/* ---- looking inside ---- */

/* In all these calls, `pipeline` null means the only pipeline of the file. `schedule` null or ""
 * means the empty schedule. */

typedef struct hlc_lower_options {
    const char *after; /* the name of a pass; null: the last */
    int64_t until;     /* only the first N primitive directives; negative: all */
} hlc_lower_options;

/* Prints the target program in the text form. */
hlc_status hlc_lower(hlc *h, const char *pipeline, const char *schedule,
                     const hlc_lower_options *options, FILE *out);
/* Prints the primitive directives of a schedule in the order of application, then the resulting
 * loop nest. docs/commands.md explains the lines. The formulas use the values bound in `fixed`
 * (null: none). */
hlc_status hlc_explain(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_arguments *fixed, FILE *out);
/* Prints the loop nest as one JSON object, after the first `until` primitive directives (negative:
 * all): `directives` and `lines`, as hlc_explain prints them, with their places; or `refused`, why so
 * many directives alone are no schedule. For programs that draw it. */
hlc_status hlc_nest(hlc *h, const char *pipeline, const char *schedule, int64_t until,
                    const hlc_arguments *fixed, FILE *out);
/* Prints a pipeline as one JSON object: the files that were read, with their text, the inputs, the
 * outputs, and the funcs that they reach, with their stages and what each reads. A place is [file,
 * line, column]. */
hlc_status hlc_describe_pipeline(hlc *h, const char *pipeline, FILE *out);
/* Prints the values of all inputs and funcs for these arguments as JSON, a list of objects: the
 * region, statistics, small pictures, and some points with the values around them and what their
 * definitions read. The pipeline is compiled, with all funcs as outputs, and run once. */
hlc_status hlc_show_values(hlc_arguments *a, FILE *out);
/* Prints the directives that may be appended to the schedule, one a line, in schedule syntax and in
 * the order of their phases. Open numbers (factors, bounds) get a few candidates. The scheduler
 * accepts each printed directive on its own. With `json`, prints one object a line. */
hlc_status hlc_moves(hlc *h, const char *pipeline, const char *schedule, bool json, FILE *out);
/* Prints at most ten of them: those that the model of hlc_schedule predicts to bring most, the best
 * first, each with the time that would remain as a share of today's; and how many there are. The
 * model computes with `threads` (0: hlc_thread_count()) and the sizes and parameters bound in `sizes`
 * (null: none), and estimates of the others. With `seconds`, all of `sizes` is bound, and those that
 * the model prefers are run on it for about so long: then the times are measured ones. */
hlc_status hlc_best_moves(hlc *h, const char *pipeline, const char *schedule, int threads,
                          hlc_arguments *sizes, double seconds, FILE *out);

typedef struct hlc_schedule_options {
    const char *pipeline; /* null: the only one */
    const char *name;     /* of the schedule that is made; null: auto */
    const char *extend;   /* a schedule to extend; null: the empty one */
    int threads;          /* it is chosen for so many; 0: hlc_thread_count() */
    double seconds;       /* 0: the model's choice; else candidates are measured for so long */
    int (*finish)(
        void *data); /* null, or asked while measuring: not 0 ends it, with the best so far */
    void *finish_data;
    /* "0.25, 4": it is also chosen for images and windows that are so many times as long and as high; the mean
     * over all sizes decides. Null: only for the sizes that are given. */
    const char *scales;
} hlc_schedule_options;

/* Chooses a schedule from the algorithm alone, and adds it to the loaded schedules of the pipeline, so
 * that other calls can name it. It is chosen for the sizes and parameters bound in `sizes` (null:
 * none), and estimates of the others, and accepts all that the empty schedule accepts. Without
 * `seconds` nothing is measured: the same file, sizes and threads give the same schedule. With it,
 * all arguments must be bound; candidates run on them, with the threads of hlc_set_thread_count, and
 * their results are compared with the empty schedule's. Prints it to `out` (null:
 * nowhere) as text that can be read back, each directive with its reason. `options` may be null. If
 * no schedule is found, it is the empty one, with the reason. With `extend`, the directives of that
 * schedule are kept, only funcs that it does not name are decided, and it stands for the empty one in
 * all of this. HLC_USER if the pipeline has another
 * schedule of this name. docs/autoscheduler.md says how it decides. */
hlc_status hlc_schedule(hlc *h, const hlc_schedule_options *options, hlc_arguments *sizes,
                        FILE *out);
/* Sets the figures of the machine that schedules are chosen for: lines `NAME FIGURE`, as hlc_calibrate
 * prints them (docs/autoscheduler.md). What the text does not name, and all of it if it is null, is the
 * default of the targets of hlc_set_targets. Diagnostics use `name`. */
hlc_status hlc_set_machine(hlc *h, const char *name, const char *text);
/* Measures this machine, for some seconds, and sets its figures. Prints them to `out` (may be null).
 * Nothing else should run meanwhile. HLC_WORLD if no code can be made. */
hlc_status hlc_calibrate(hlc *h, FILE *out);
/* Prints the figures that hlc_schedule computes with. */
hlc_status hlc_print_machine(hlc *h, bool json, FILE *out);
/* Prints what the model of hlc_schedule predicts for a schedule: of each func the points that are
 * computed, its memory and its cycles, and of the whole the time relative to the empty schedule. */
hlc_status hlc_explain_model(hlc *h, const char *pipeline, const char *schedule,
                             hlc_arguments *sizes, FILE *out);
/* Has the pipeline (null: the only one) a schedule of this name? */
bool hlc_has_schedule(const hlc *h, const char *pipeline, const char *schedule);
/* Prints the loaded file and its imports as one .hl file without compile-time constructs, with the
 * values that hlc_set_constant gave. That file means the same to the last bit. */
hlc_status hlc_expand(hlc *h, FILE *out);
/* Prints the region of each func and image as formulas, and the source of each end. */
hlc_status hlc_bounds(hlc *h, const char *pipeline, const char *schedule, FILE *out);

typedef struct hlc_certify_options {
    bool json;          /* what is printed is JSON, one object a line */
    const char *solver; /* the command that runs Z3; null: z3 */
    FILE *certificate;  /* null, or the output for the proofs, as SMT-LIB 2 (docs/certify.md) */
} hlc_certify_options;

/* Proves for all inputs that a program is memory safe and computes all points that it needs: B(S)
 * of the report's Figure 10. Prints one obligation a line, with its access, its directive and its
 * proof (docs/certify.md). The proof assumes the values bound in `fixed` (null: none). `options`
 * may be null. HLC_YES: every obligation is proved, or becomes a run-time check that the output
 * names. HLC_NO: an obligation is open, or refuted by a counterexample. HLC_WORLD: Z3 is needed,
 * but it cannot start or does not answer within 20 seconds. */
hlc_status hlc_certify(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_certify_options *options, const hlc_arguments *fixed, FILE *out);

/* Switches certification on or off for all later calls of this handle. When on, the handle
 * certifies each program for all inputs before it compiles, runs, compares or prints it. `solver`
 * is as above. An obligation left to run time becomes an assertion before the first store. The
 * assertion fails with HLC_ERROR_NOT_CERTIFIED, and the note E0859 names it. If an obligation stays
 * open, the call reports a diagnostic and returns HLC_NO, or HLC_WORLD without Z3. A target program
 * in the text form gets no assertions: all its obligations must be proved. */
hlc_status hlc_set_certify(hlc *h, bool is_on, const char *solver);

typedef struct hlc_contract_options {
    const char *against;      /* another schedule to compare with, "": the empty one; null: none */
    hlc_arguments *arguments; /* arguments to check against the contract; null: none */
    bool json;                /* what is printed is JSON, one object a line */
    bool for_people; /* leave out conditions that fail only near the limits of 32 and 64 bits */
} hlc_contract_options;

/* Prints the size contract: the weakest condition on sizes and parameters under which the pipeline
 * runs. Each line is one clause with its source. Also prints the footprint (docs/commands.md). With
 * `against`, prints the differences from the contract of that schedule. With `arguments`, checks
 * them: HLC_NO if they break the contract. `options` may be null. */
hlc_status hlc_contract(hlc *h, const char *pipeline, const char *schedule,
                        const hlc_contract_options *options, FILE *out);

/* Prints for each update of the func whether it is associative. If so, prints its operator, its
 * identity and the contribution of one iteration; else the reason (docs/associativity.md). HLC_NO
 * if an update is not known to be associative. */
hlc_status hlc_explain_associative(hlc *h, const char *pipeline, const char *func, FILE *out);
/* Prints the equations of each recurrence, grouped by mutual dependence, in dependence order. For
 * each read, prints its distance and the loop that carries it (docs/commands.md). With a schedule
 * (null: none), also prints the loops of each scheduled nest, and which of them carry a distance.
 */
hlc_status hlc_explain_dependences(hlc *h, const char *pipeline, const char *schedule, FILE *out);

/* ---- expressions ----
 *
 * The calls take expressions of the text form: C's operators, `min max select clamp abs`. Free
 * names are declared names or integers of sort index. A literal takes the type of the operand
 * beside it. `options` may be null. Each call prints one line.
 */

typedef struct hlc_expression_options {
    FILE *trace;              /* gets each rule as it is applied; null: off */
    FILE *statistics;         /* gets the count of each rule afterwards; null: off */
    uint64_t rule_limit;      /* the most rules to apply; 0: no limit */
    const char *without_rule; /* a rule to leave out; null: none */
    bool machine;             /* undeclared names have type i32, and wrap */
    bool time;                /* appends a tab and the time in microseconds */
    bool witness;             /* hlc_prove: appends witnesses */
    const char *variable;     /* hlc_solve: the name to solve for */
    bool reassociation;       /* hlc_assoc: treat floats as reals */
} hlc_expression_options;

/* Declares the type of a new name for later expressions: "x:u8". A name is declared once. */
hlc_status hlc_declare(hlc *h, const char *name_and_type);
/* Prints the simplified expression. */
hlc_status hlc_simplify(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);
/* Prints `true` if the condition holds for all values of its names, `false` if it holds for none,
 * else `unknown`. With `witness`, an `unknown` line continues: a tab, values that satisfy the
 * condition, a tab, values that violate it, as `x=3 y=-1`. `-` means that none were found. */
hlc_status hlc_prove(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);
/* Prints the documentation of all rewrite rules (`name` null), or of one rule. It gives the
 * rewriting, its types, why it terminates, and how it was proved. */
hlc_status hlc_rules(hlc *h, const char *name, bool json, FILE *out);

/* Solves the condition for `options->variable`. In the result the variable occurs as rarely as the
 * solver achieves, and alone on the left of comparisons. Parts that cannot be solved are only
 * simplified. Solving an integer prints the sum with the variable's terms first. The result has the
 * same value for all values of the names. */
hlc_status hlc_solve(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);

/* Decides whether a binary operator is associative. The text is `i32: x + y`, or `i32: {..}` with
 * one element per component over x.0, y.0, ... `{i32, f32}: ..` gives each component a type. k is
 * any constant of the first type. The line begins with `associative`, then gives the identity,
 * whether the operator commutes, and its entries in the operator table. Or it begins with `not
 * associative`, and gives a counterexample for x, y, z (and k). Or it begins with `unknown`, and
 * gives a reason. */
hlc_status hlc_assoc(hlc *h, const char *text, const hlc_expression_options *options, FILE *out);

/* ---- compiling ---- */

/* Sets the targets of later code generation. "host" (also null, and the default) is this machine.
 * The others are x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni, aarch64, aarch64-dotprod.
 * A comma-separated list of targets of one architecture makes code for each. A call of the pipeline
 * then selects the best version that the processor supports, and fails if there is none. */
hlc_status hlc_set_targets(hlc *h, const char *targets);

typedef struct hlc_compile_options {
    /* "object" (or null), "asm", "ll", or "listing": "asm" with LLVM's comments, on loops and spills. */
    const char *emit;
    int optimize; /* LLVM's level, 0 to 3 */
    /* Null, or the file for a C and C++ header: the prototypes, with a description of each
     * argument. */
    FILE *header;
    /* Null, or the file for a make rule: `object` depends on the file and all its imports. */
    FILE *depfile;
    const char *object;
    bool debug;           /* with lines and variables for a debugger */
    const char *sanitize; /* null, "address" or "thread": instrument the code for a sanitizer */
    bool trace;           /* call the run-time library's trace hook (hlc_set_trace) */
    bool stoppable;       /* loops poll the stopper (hlc_set_stopper) */
    bool profile;         /* make NAME_profile, for hlc_profile_start and hlc_profile_rows */
    FILE *assembly;       /* null, or the file for the text that the object is assembled from */
} hlc_compile_options;

/* Writes the code of a pipeline under a schedule: an object file with the functions that
 * runtime/hlc_runtime.h describes, or its text. After a failure, discard the output. */
hlc_status hlc_compile(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_compile_options *options, FILE *out);

/* Compiles like hlc_compile, into memory. Text ends in a zero that the length does not count. */
hlc_object *hlc_compile_object(hlc *h, const char *pipeline, const char *schedule,
                               const hlc_compile_options *options);
const void *hlc_object_bytes(const hlc_object *object);
size_t hlc_object_length(const hlc_object *object);
hlc_object *hlc_take_object(hlc_object *object);
void hlc_object_destroy(hlc_object *object);

/* Compiles a pipeline under a schedule into this process, for many runs. `options` null: use the
 * settings of hlc_set_code. Only `optimize`, `debug`, `trace`, `stoppable`, `profile` and
 * `assembly` are used. */
hlc_function *hlc_compile_function(hlc *h, const char *pipeline, const char *schedule,
                                   const hlc_compile_options *options);
/* Takes ownership, and returns `function`. Returns null and takes nothing for a function from a .ir
 * file: its runs need the handle. */
hlc_function *hlc_take_function(hlc_function *function);
/* Must not be called during a run. Null is allowed. */
void hlc_function_destroy(hlc_function *function);

/* Return NAME, to be cast to its C type (runtime/hlc_runtime.h), and NAME_argv. The pointers are
 * valid as long as the function. Several threads may call them at once. */
void (*hlc_function_pointer(const hlc_function *function))(void);
int (*hlc_function_argv(const hlc_function *function))(void **);
/* Returns the profile of a function that was compiled with one, else null. It lives as long as the
 * function. runtime/hlc_runtime.h has what reads it, and hlc_profile_start. */
struct hlc_profile *hlc_function_profile(const hlc_function *function);

/* LLVM ends its process when memory runs out. After this call, the handle generates code in a
 * separate process, `path --worker`. If that process ends, the call reports a diagnostic: HLC_WORLD
 * if memory ran out or a signal killed it, else HLC_FAULT. `path` is the command hlc, or any
 * program that calls hlc_worker_serve. Null looks for `hlc` beside the library, or beside the
 * program that contains it. `memory` limits the worker's address space, in bytes (0: no limit).
 * This call starts the worker with posix_spawn; hlc_destroy ends it and waits for it. No signal is
 * raised or handled. HLC_WORLD if the worker cannot start: the handle then generates code in this
 * process, as without this call. */
hlc_status hlc_use_worker(hlc *h, const char *path, size_t memory);
/* Uses a worker for a program that is its own worker. If this process has one thread, the worker is
 * a fork that calls `serve`; no program is started. `serve` is hlc_worker_serve, or calls it. With
 * more threads, the worker is `/proc/self/exe --worker`. */
hlc_status hlc_fork_worker(hlc *h, int (*serve)(int socket, size_t memory), size_t memory);
/* Limits the worker's time for each answer, in seconds. A worker that takes longer is killed: a
 * diagnostic, and HLC_WORLD. 0, the default, means no limit. */
void hlc_limit_time(hlc *h, unsigned seconds);
/* Implements `path --worker MEMORY`. Serves the socket (standard input there) until the other end
 * closes; then it may exit this process with 0. Returns the exit code. */
int hlc_worker_serve(int socket, size_t memory);

/* ---- arguments ---- */

#define HLC_IMAGE_DIMENSIONS 4

/* Element (x0, x1, ..) lies `sum (xi - minimum[i]) * stride[i]` elements after `data`. */
typedef struct hlc_image {
    hlc_kind kind;
    int bits; /* 1 for bool, stored as a byte */
    int dimensions;
    int64_t minimum[HLC_IMAGE_DIMENSIONS], extent[HLC_IMAGE_DIMENSIONS],
        stride[HLC_IMAGE_DIMENSIONS];
    void *data;
} hlc_image;

/* Creates the arguments of one pipeline (null: the only one), with all parameters at their
 * defaults. Null after a diagnostic. The handle frees them at the latest. */
hlc_arguments *hlc_arguments_create(hlc *h, const char *pipeline);
void hlc_arguments_destroy(hlc_arguments *a);

/* Binds by name, from text:
 *   a parameter        `3`, `-1.5`, `true`
 *   an image           `random:SEED:SIZE`, `edges:SEED:SIZE`, `zero:SIZE`, `ramp:SIZE`,
 *                      `constant:VALUE:SIZE`; SIZE `auto` is the size that a run requires
 *   an output          SIZE, its window
 *   `NAME.min`         of an image or output: `X,Y,..`, where it begins
 *
 * SIZE is WxHxC.. for as many dimensions as there are, then perhaps +X+Y.. where it begins. */
hlc_status hlc_arguments_set(hlc_arguments *a, const char *name, const char *text);
/* Is `name` an input image? Then gives its type and its number of dimensions. Callers use this to
 * load a fitting file. The pointers to the results may be null. */
bool hlc_arguments_is_image(const hlc_arguments *a, const char *name, hlc_kind *kind, int *bits,
                            int *dimensions);
/* The layout of an input image, or of an output or a component of one; HLC_PLANAR for another name. */
hlc_layout hlc_arguments_layout(const hlc_arguments *a, const char *name);
/* Binds a parameter. An integer must fit the parameter's type. A float is accepted for float
 * parameters only, and rounded once. The run checks the declared range. */
hlc_status hlc_arguments_set_value(hlc_arguments *a, const char *name, hlc_value value);
/* Binds the caller's memory, without a copy, to an input image, or to an output or a component of
 * one. For an output the buffer also gives the window. The struct is read now. Each run reads or
 * writes the elements, until another binding replaces this one. Any strides, also negative ones,
 * are accepted if the input's layout allows them. A buffer without host memory is refused: for a
 * bounds query, call the function of hlc_function_pointer or hlc_function_argv. Host memory that is
 * not aligned to its elements is refused, too. */
hlc_status hlc_arguments_set_buffer(hlc_arguments *a, const char *name,
                                    const struct halide_buffer_t *buffer);
/* Binds a copy of an image. Its coordinates lie in 32 bits. */
hlc_status hlc_arguments_set_image(hlc_arguments *a, const char *name, const hlc_image *image);

/* Binds the domain of an image or output (by the name of its func), in the window form: one interval
 * for each dimension, or text, `640x480+0+0`. Where none is given, an output has the window that the
 * pipeline proposes as its domain, if its own lies in it; an image is its own domain. Bind the
 * domain of a generated image first: then its elements depend on the seed and on their coordinates
 * only, so windows of one whole fit together. */
hlc_status hlc_arguments_set_domain(hlc_arguments *a, const char *name,
                                    const struct hlc_interval *domain, int dimensions);
hlc_status hlc_arguments_set_domain_text(hlc_arguments *a, const char *name, const char *text);

/* Writes the window of an output (by the name of its func) into `dim` of the buffer: minima,
 * extents, and the strides of dense memory in its layout. The window is the given one, else the one
 * that the pipeline proposes, `-> out(input.width / 2, 3)`, else the box of the input images with
 * as many dimensions, which a note reports (E0866). The parameters and images that it depends on
 * are bound before. The buffer has the output's number of dimensions. Nothing else of it is read or
 * written. Of the window form it is the proposed domain, which may be larger than any buffer; then
 * strides that do not fit in 32 bits are 0. */
hlc_status hlc_arguments_propose(hlc_arguments *a, const char *output,
                                 struct halide_buffer_t *buffer);

/* The outputs: one image per component of each output func, in order, named `out`, or `out.0`, ..
 * Their windows are those of hlc_arguments_propose. hlc_run fills the images; they are null
 * before. */
size_t hlc_arguments_output_count(const hlc_arguments *a);
const char *hlc_arguments_output_name(const hlc_arguments *a, size_t i);
const hlc_image *hlc_arguments_output(const hlc_arguments *a, size_t i);

/* The bytes of all images, inputs and outputs, except the caller's own memory. After a run, the
 * outputs count, too. */
double hlc_arguments_bytes(const hlc_arguments *a);

/* ---- running ---- */

typedef enum hlc_machine {
    HLC_COMPILED,  /* through LLVM */
    HLC_REFERENCE, /* the interpreter of the algorithm; ignores the schedule */
    HLC_TARGET,    /* the interpreter of the target program */
    HLC_SEMANTICS  /* the rules of the report, one by one: slow, for small windows */
} hlc_machine;

/* Called a few times a second with the fraction done, 0 to 1. */
typedef void hlc_progress(void *data, const char *what, double done);
void hlc_on_progress(hlc *h, hlc_progress *progress, void *data);

/* Settings for code that runs in this process. The defaults are `optimize` 2 and the rest off. With
 * `perf_map`, /tmp/perf-PID.map gets a line for each loaded function, for the profiler perf. */
typedef struct hlc_code {
    int optimize;
    bool debug, perf_map;
    const char *sanitize; /* as above; needs a process that runs under that sanitizer */
    bool stoppable;       /* loops poll, too, whether the call shall end early */
    bool trace, profile;  /* as in hlc_compile_options */
} hlc_code;
hlc_status hlc_set_code(hlc *h, const hlc_code *code);

/* Settings of the interpreters. `order` is the order in which the target interpreter runs the
 * iterations of parallel and vectorized loops. Interleaved order depends on `seed`, as do the
 * arbitrary contents of fresh memory. `formal`: operations such as division by zero yield the
 * report's error values. A note names the first point of the output that is an error value. In the
 * target interpreter an access outside memory then yields err_mem, and the run continues. `strict`:
 * as `formal`, and select also keeps the error of the arm not chosen. */
typedef enum hlc_order { HLC_ORDER_FORWARD, HLC_ORDER_BACKWARD, HLC_ORDER_INTERLEAVED } hlc_order;
typedef struct hlc_interpreter {
    hlc_order order;
    uint64_t seed;
    bool formal, strict;
} hlc_interpreter;
/* Applies to later calls. The defaults are forward order, seed 1 and the total reading. */
void hlc_set_interpreter(hlc *h, const hlc_interpreter *interpreter);

/* Runs the pipeline. A refused run (a size, a range, ..) reports the reason and returns HLC_USER.
 */
hlc_status hlc_run(hlc_arguments *a, const char *schedule, hlc_machine machine);
/* Computes nothing. Prints the box that a run would require of each image, `input: 66x65+127+0`. The
 * arguments are those of hlc_run. An image of size `auto` stands for one that is not known. */
hlc_status hlc_query(hlc_arguments *a, const char *schedule, FILE *out);

/* Runs a compiled function. The arguments may belong to another handle. HLC_USER if their pipeline
 * has different inputs or outputs. Several threads may run one function at once, each with
 * arguments of its own handle. */
hlc_status hlc_function_run(const hlc_function *function, hlc_arguments *a);

/* Calls the function with the arguments as NAME_argv takes them, without a handle. Returns 0, or an
 * hlc_error of runtime/hlc_runtime.h, with its message in `report`. A call that finds `*cancel` not
 * 0 fails with HLC_ERROR_STOPPED, and its outputs are unspecified; it looks before each task of a
 * parallel loop, and in the loops of code compiled with `stoppable`. `cancel` may be null. Another
 * thread may set it atomically during the call. */
int hlc_function_call(const hlc_function *function, const int32_t *cancel,
                      struct hlc_report *report, void *const *arguments);

/* Likewise, by NAME_call of the window form, which runtime/hlc_runtime.h describes; `call` may be
 * null. A function of the usual form takes a call with threads and `cancel`; one with domains or a
 * question fails with HLC_ERROR_BAD_CALL. */
int hlc_function_call_with(const hlc_function *function, const struct hlc_call *call,
                           struct hlc_report *report, void *const *arguments);

/* Times the function: one warm-up run, then `samples` samples of `runs` consecutive runs on the
 * same memory. Only the calls stand between the two clock readings. `nanoseconds` gets one number a
 * sample: the total of its runs. */
hlc_status hlc_function_time(const hlc_function *function, hlc_arguments *a, int samples, int runs,
                             int64_t *nanoseconds);

typedef struct hlc_eval_options {
    bool why;       /* then print the points that the definition reads, one a line */
    bool formal;    /* print errors of the formal reading: err_arith, err_rdom */
    bool strict;    /* .. and select keeps the error of the arm not chosen */
    bool semantics; /* use HLC_SEMANTICS; not with `why` */
} hlc_eval_options;

/* Evaluates one point of any func, `f(3, 4)`, by the reference. Prints only the value. */
hlc_status hlc_eval(hlc_arguments *a, const char *point, const hlc_eval_options *options,
                    FILE *out);

typedef struct hlc_check_options {
    const char *pipeline; /* null: all */
    const char *schedule; /* null: all, and the empty one; "": the empty one */
    uint64_t seed;
    int rounds; /* rounds of random arguments for each pipeline; 0: the default */
    bool json;  /* what is printed is JSON, one object a line */
} hlc_check_options;

/* Runs every schedule on random arguments, compiled and by the target interpreter, and compares the
 * results with the reference, bit for bit. Values bound in `fixed` (null: none) stay; they belong
 * to the only pipeline that is checked. The other values are random, with sizes near the edges. The
 * last printed line counts the compared points. HLC_YES: equal. HLC_NO: a difference, whose first
 * point is printed. HLC_USER: refused. */
hlc_status hlc_check(hlc *h, const hlc_check_options *options, const hlc_arguments *fixed,
                     FILE *out);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
