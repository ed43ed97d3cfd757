/* hlc_runtime.h -- the C ABI of compiled pipelines (C99 and C++).
 *
 * The header stands alone: generated code and its callers need nothing else of the compiler. A
 * compiled pipeline NAME is `int NAME(inputs in written order, then outputs)`. Buffers are pointers
 * to `halide_buffer_t`, in the published layout of the ecosystem, field by field. Bools are passed
 * as uint8_t. The result is 0 or an hlc_error. `int NAME_argv(void **)` takes the same arguments as
 * an array: the buffer pointers themselves, and pointers to the scalars. `NAME_metadata()`
 * describes the arguments. `hlc compile --header` writes the prototypes.
 */
#ifndef HLC_RUNTIME_H
#define HLC_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ecosystem's own header defines the same structs, and has no switch to leave them out. If it
 * can be found, it is included first, so both orders of inclusion work. */
#if !defined(HALIDE_HALIDERUNTIME_H) && defined(__has_include)
#if __has_include(<HalideRuntime.h>)
#include <HalideRuntime.h>
#endif
#endif

/* The version of the interface between generated code and the run-time library. It covers this
 * header, the section "What generated code calls", and the behaviour of its functions. The entry
 * refuses code that was made for another number. It is the second number of hlc's version. */
#define HLC_ABI 2

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* libhlc.so exports these, and nothing else */
#endif

#ifndef HALIDE_HALIDERUNTIME_H
/* The code of an element's type; bool is halide_type_uint of 1 bit. 16 bits of halide_type_float are
 * IEEE 754's binary16. halide_type_bfloat is the upper half of a float, of 16 bits. */
typedef enum halide_type_code_t {
    halide_type_int = 0,
    halide_type_uint = 1,
    halide_type_float = 2,
    halide_type_bfloat = 4
} halide_type_code_t;

/* An element's type. `code` is a halide_type_code_t. */
typedef struct halide_type_t {
    uint8_t code, bits;
    uint16_t lanes;
} halide_type_t;

typedef struct halide_dimension_t {
    int32_t min, extent, stride; /* stride in elements */
    uint32_t flags;
} halide_dimension_t;

struct halide_device_interface_t;

typedef struct halide_buffer_t {
    uint64_t device;
    const struct halide_device_interface_t *device_interface;
    uint8_t *host; /* address of the element at the minimum coordinates */
    uint64_t flags;
    halide_type_t type;
    int32_t dimensions;
    halide_dimension_t *dim;
    void *padding;
} halide_buffer_t;

/* The result of NAME_metadata(). A scalar's value is in the member of its type. A null pointer
 * means that the declaration gives no such value. Estimates are null. */
struct halide_scalar_value_t {
    union {
        bool b;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
        void *handle;
    } u;
};

enum halide_argument_kind_t {
    halide_argument_kind_input_scalar = 0,
    halide_argument_kind_input_buffer = 1,
    halide_argument_kind_output_buffer = 2
};

struct halide_filter_argument_t {
    const char *name;
    int32_t kind;       /* halide_argument_kind_t */
    int32_t dimensions; /* 0 for scalars */
    struct halide_type_t type;
    const struct halide_scalar_value_t *scalar_def, *scalar_min, *scalar_max, *scalar_estimate;
    int64_t const *const *buffer_estimates;
};

struct halide_filter_metadata_t {
    int32_t version; /* 1 */
    int32_t num_arguments;
    const struct halide_filter_argument_t *arguments; /* in the order of NAME's */
    const char *target, *name;
};
#endif

/* Why a pipeline refused or failed. A number is the ecosystem's if the meaning is the same. Our own
 * numbers are below -1000. */
typedef enum hlc_error {
    HLC_SUCCESS = 0,
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) HLC_ERROR_##NAME = NUMBER,
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    HLC_ERROR_END_ = 1
} hlc_error;

/* Returns a name such as "parameter_too_small"; null for a number that is not an error. */
const char *hlc_error_name(int error);
/* Returns the message's text with its holes: %s for the subject, {0}, {1}, .. for the numbers. */
const char *hlc_error_format(int error);
/* Writes the message into `buffer` of `size` > 0 bytes, truncated to fit, with a terminating zero.
 * Returns the length written. `subject` null is "". */
int hlc_error_message(char *buffer, int size, int error, const char *subject,
                      const int64_t *numbers, int count);

/* Called once, with the message, when a pipeline refuses or fails; `user` is null. The default
 * (null) prints the message to stderr. hlc_set_error_handler returns the previous handler, and may
 * be called from any thread. */
typedef void hlc_error_handler(void *user, int error, const char *message);
hlc_error_handler *hlc_set_error_handler(hlc_error_handler *handler);

/* The report of a failed call. `int NAME_report(hlc_report *, inputs .., outputs ..)` is NAME
 * without the error handler. The caller owns the report. */
typedef struct hlc_report {
    int error;
    char message[512];
} hlc_report;

/* ---- Hooks. They are per process, may be set from any thread, and each setter returns the
 * previous hook. Null is the default. ---- */

/* Allocates memory for pipelines. `allocate` returns null if there is no memory. `alignment` is a
 * power of two; `size` is a nonzero multiple of it. Several threads may call both functions at
 * once. The struct is not copied. Set the allocator while no pipeline runs: the current allocator
 * frees a block, even if another one allocated it. */
typedef struct hlc_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t size);
    void (*free)(void *user, void *block); /* the block is not null */
    void *user;
} hlc_allocator;
const hlc_allocator *hlc_set_allocator(const hlc_allocator *allocator);
/* Returns cached blocks to the C library. The default allocator caches freed blocks for later
 * requests, at most 8 MiB a thread and 256 MiB in total. */
void hlc_release_memory(void);

/* Runs task(state, i) once for each i in [0, count), in any order, on any threads. Returns when all
 * tasks have ended. A task never fails, and never calls a parallel-for itself. The task implements
 * everything that a parallel loop promises (errors, float environment, nesting). A host that skips
 * tasks makes the pipeline fail. The default runs the tasks on a pool of threads and on the calling
 * thread. */
typedef void hlc_task(void *state, int64_t i);
typedef void hlc_parallel_for(hlc_task *task, void *state, int64_t count);
hlc_parallel_for *hlc_set_parallel_for(hlc_parallel_for *parallel_for);

/* Sets the number of threads that a parallel loop may use, including the caller's. 1 runs the loop
 * inline. 0, the default, uses the environment variable HLC_NUM_THREADS, read at the first loop, or
 * else the number of processors available to the process. At most 1024. Returns the previous
 * setting. Results never depend on it. */
int hlc_set_thread_count(int count);
/* Returns the current number of threads, at least 1. */
int hlc_thread_count(void);

/* Sets the least work, in simple operations, for which a parallel loop is distributed. A loop of
 * less estimated work runs inline, as with one thread: distributing it would take longer. The
 * default is 20000, some microseconds. 0 distributes all loops. Returns the previous setting; a
 * negative number sets the default. */
int64_t hlc_set_dispatch_work(int64_t operations);

/* Ends calls early. While a stopper is set in a thread, calls of pipelines in that thread poll it.
 * If `is_stopped` is not 0, they fail with HLC_ERROR_STOPPED, and their outputs are unspecified.
 * They poll before each task of a parallel loop. Code that was compiled with --stoppable polls in
 * its loops, too. Several threads may call `is_stopped` at once. The struct is not copied. Null is
 * the default. Returns the previous stopper of the thread. */
typedef struct hlc_stopper {
    int (*is_stopped)(void *user);
    void *user;
} hlc_stopper;
const hlc_stopper *hlc_set_stopper(const hlc_stopper *stopper);

/* The events of a pipeline compiled with --trace. BEGIN_PIPELINE follows the checks of the raw
 * buffers. A func's compute statement has an END event, unless the pipeline fails inside it. Funcs
 * that the schedule traces, `trace(f)`, also have LOAD and STORE events. Equal loads in one
 * statement are one load. */
typedef enum hlc_trace_kind {
    HLC_TRACE_BEGIN_PIPELINE,
    HLC_TRACE_END_PIPELINE,
    HLC_TRACE_BEGIN_COMPUTE,
    HLC_TRACE_END_COMPUTE,
    HLC_TRACE_LOAD,
    HLC_TRACE_STORE
} hlc_trace_kind;

typedef struct hlc_trace_event {
    hlc_trace_kind kind;
    const char *pipeline;
    const char *func;   /* null in the events of a pipeline */
    int32_t dimensions; /* of the func */
    const int64_t *box; /* the computed box: minimum and extent of each dimension */
    int32_t error;      /* at the end of a pipeline: its result */
    /* Of LOAD and STORE: the elements that one vector access reads or writes, one or more. */
    int32_t component, components; /* of the func's tuple; its elements */
    struct halide_type_t type;     /* of an element, in memory; lanes is 1 */
    int32_t lanes;                 /* elements */
    const int64_t *coordinates;    /* of element i in dimension d: coordinates[d * lanes + i] */
    const void *values;            /* the elements, one after another */
} hlc_trace_event;

/* Called at each event, in the thread of the event, by several threads at once. The event is valid
 * during the call. Without a hook (null, the default), traced code pays for a call that returns at
 * once. */
typedef void hlc_trace_hook(const hlc_trace_event *event);
hlc_trace_hook *hlc_set_trace(hlc_trace_hook *hook);

/* ---- Profiles: where the time goes in pipelines compiled with --profile (docs/runtime.md). ----
 *
 * Such code stores in a word of its thread which stage it computes: an address, at the beginning of
 * each stage. While profiling is on, a thread of the library reads these words every 2
 * milliseconds. Times are the measured time of the calls, divided as the samples say. */

/* Turns sampling on and off, for all profiled pipelines of the process. Calls nest. `period` is the
 * mean time between two samples in nanoseconds, at least 10000; 0: 2 milliseconds. Only calls that
 * begin while sampling is on are counted. hlc_profile_start returns 0, or -1 if it cannot start a
 * thread. */
int hlc_profile_start(int64_t period);
void hlc_profile_stop(void);

/* Of one pipeline: `hlc_profile *NAME_profile(void)`. It lives as long as the pipeline's code. */
typedef struct hlc_profile hlc_profile;

typedef enum hlc_profile_kind {
    HLC_PROFILE_STAGE, /* computes a stage of a func */
    HLC_PROFILE_CALL,  /* outside of all stages: checks, allocations, the ends of the call */
    HLC_PROFILE_COPY,  /* copies an output into the caller's buffer, which has another layout */
    HLC_PROFILE_WAIT   /* a parallel loop in which no thread computes: it begins, or it ends */
} hlc_profile_kind;

/* How the vector accesses in a stage's code came out, in the order of their costs. Broadcast: one
 * element for all lanes. Strided: dense loads and shuffles. Gathered: element by element, or by an
 * instruction that gathers. */
enum {
    HLC_ACCESS_BROADCAST,
    HLC_ACCESS_DENSE,
    HLC_ACCESS_STRIDED,
    HLC_ACCESS_GATHERED,
    HLC_ACCESS_KINDS
};

/* One stage, or one of the other kinds. */
typedef struct hlc_profile_row {
    hlc_profile_kind kind;
    const char *func;           /* as the source names it; null for CALL and WAIT */
    const char *stage;          /* "s0", "s1", ..; "" if its func has one stage; null as above */
    double milliseconds;        /* of all calls: what it adds to their time */
    double share;               /* of the time of all calls, 0 to 1 */
    double thread_milliseconds; /* of all calls and threads: how long threads compute it */
    int32_t is_parallel;        /* it is inside a parallel loop */
    int32_t lanes;              /* of its widest vectorized loop; 0: none */
    int32_t accesses[HLC_ACCESS_KINDS]; /* vector accesses in its code, by kind */
    /* Of one iteration of its innermost loops, in one lane: operations on elements, and bytes of the
     * funcs and images that it reads and writes; 0: unknown. */
    int32_t operations, bytes;
    uint64_t samples;
} hlc_profile_row;

/* All calls of a pipeline since hlc_profile_reset. */
typedef struct hlc_profile_totals {
    const char *pipeline;
    uint64_t calls, samples;
    double milliseconds;   /* from entry to return, of all calls */
    double busy;           /* threads that compute, on average */
    double parallel_share; /* of the time, in parallel loops, 0 to 1 */
    double parallel_busy;  /* threads that compute, on average, in parallel loops */
} hlc_profile_totals;

void hlc_profile_reset(hlc_profile *profile);
void hlc_profile_read(const hlc_profile *profile, hlc_profile_totals *totals);
/* Writes the rows that have samples, those with the longest time first, at most `most`. Returns
 * their number, which may be greater. `rows` may be null if `most` is 0. */
int hlc_profile_rows(const hlc_profile *profile, hlc_profile_row *rows, int most);
/* Writes the profile as a table for people into `buffer`, truncated to `size` > 0 bytes, with a
 * terminating zero. Returns the length of the whole text. */
int hlc_profile_text(char *buffer, int size, const hlc_profile *profile);

/* ---- Calls of the window form (docs/windows.md). ----
 *
 * A pipeline that is compiled with --windows has one entry more:
 *
 *     int NAME_call(hlc_report *report, const hlc_call *call, void **arguments);
 *
 * Each buffer is then a window of a larger domain, and `arguments` are those of NAME_argv. It does
 * not call the error handler. */

/* The coordinates from `min` on, `extent` of them. */
typedef struct hlc_interval {
    int32_t min, extent;
} hlc_interval;

/* RUN: computes the outputs' windows. QUERY: writes into each buffer without memory which window it
 * must have (an output's is already there), its type and dense strides. CHECK: accesses no memory;
 * finds whether a call with these windows would be refused. If a check of whole buffers passes, each
 * call for parts of the outputs, with what a query says of the inputs, is accepted. */
enum { HLC_CALL_RUN, HLC_CALL_QUERY, HLC_CALL_CHECK };

typedef struct hlc_call {
    uint32_t size; /* sizeof(hlc_call); members that it does not reach are 0 */
    uint32_t what; /* HLC_CALL_RUN, .. */
    /* Of each dimension of each buffer, inputs then outputs, one buffer after the other. The buffers
     * of a tuple have the same domain. Null: each buffer is its own domain; in a query, what its
     * `dim` holds before. */
    const hlc_interval *domains;
    int32_t threads;       /* of this call, as hlc_set_thread_count has them; 0: the process's */
    const int32_t *cancel; /* null, or polled: if it is not 0, the call fails with
                              HLC_ERROR_STOPPED, and its outputs are unspecified */
} hlc_call;

/* ---- What generated code calls; of no use to other callers. ---- */

/* What a call sets in its thread, and the thread's state before. */
typedef struct hlc_call_scope {
    hlc_stopper stopper;
    const hlc_stopper *before;
    const int32_t *cancel;
    int32_t threads_before, is_set;
} hlc_call_scope;

/* What a thread's word points to. Code that is compiled for several targets, and a stage that is
 * emitted inside and outside of parallel loops, have several sites; hlc_profile_rows joins them. */
typedef struct hlc_profile_site {
    hlc_profile *profile;
    const char *func, *stage;
    int32_t kind, is_parallel, lanes, accesses[HLC_ACCESS_KINDS], operations, bytes;
    uint64_t samples; /* of all threads; of sampling, as the next one */
    double share;     /* the samples, each divided by the number of threads that compute */
} hlc_profile_site;

struct hlc_profile {
    const char *pipeline;
    hlc_profile_site *const *sites;
    int64_t site_count;
    /* Under the lock of profile.c. A sample counts once for each call in progress. */
    uint64_t calls, samples, busy, parallel_samples, parallel_busy;
    int64_t nanoseconds;
    int32_t active;                              /* calls in progress */
    int32_t now_busy, now_waiting, now_parallel; /* in the sample being taken */
    hlc_profile *next_seen;
};

/* A call of a pipeline: on its stack. */
typedef struct hlc_profile_call {
    hlc_profile_site *around; /* what the thread did before */
    int64_t begin;            /* nanoseconds; 0: the call is not counted */
} hlc_profile_call;

/* Returns the thread's word. */
hlc_profile_site **hlc_profile_word(void);
/* Bracket a call; `site` is its site of kind HLC_PROFILE_CALL. */
void hlc_profile_enter(hlc_profile_call *call, hlc_profile_site *site);
void hlc_profile_leave(hlc_profile_call *call, hlc_profile_site *site);

/* Returns an error if the calling code was made for another ABI than the library's. This function's
 * own interface never changes. */
int hlc_check_abi(hlc_report *report, int32_t number);

void hlc_trace(int32_t kind, const char *pipeline, const char *func, const int64_t *box,
               int32_t dimensions, int32_t error);

/* Of a traced func: constant. */
typedef struct hlc_trace_place {
    const char *pipeline, *func;
    int32_t component, components, dimensions;
    uint8_t type_code, type_bits;
} hlc_trace_place;

/* The coordinates and values of `lanes` elements, at most 64. Elements whose byte in `mask` is 0
 * are not accessed; null: all are. */
void hlc_trace_access(int32_t kind, const hlc_trace_place *place, int32_t lanes,
                      const int64_t *coordinates, const void *values, const uint8_t *mask);

/* Returns 0, or HLC_ERROR_STOPPED with the report filled if this thread's stopper says so. */
int hlc_poll(hlc_report *report);

/* Fills the report; returns `error`. */
int hlc_fail(hlc_report *report, int error, const char *subject, const int64_t *numbers, int count);
/* Hands the report to the error handler; returns its error. */
int hlc_raise(const hlc_report *report);

/* The strides that a buffer's layout promises. Planar: stride(0) = 1. Interleaved: stride(2) = 1
 * and stride(0) = extent(2). Strided: nothing. */
enum { HLC_LAYOUT_PLANAR, HLC_LAYOUT_INTERLEAVED, HLC_LAYOUT_STRIDED };

/* The entry's requirements on one buffer. */
typedef struct hlc_buffer_rule {
    const char *name;
    int32_t dimensions;
    int32_t
        window_of; /* a buffer at or before this one; both must have the same minima and extents */
    uint8_t type_code, type_bits;
    uint8_t layout; /* required of an input; for an output, which may have any, a query's answer */
    uint8_t is_output;
    int32_t shares; /* 0, or 1 more than the number of the input whose memory the output may share,
                       element by element */
} hlc_buffer_rule;

/* Checks all buffers of a call, in order. Returns 0, or the first failure with the report filled.
 */
int hlc_check_buffers(hlc_report *report, const hlc_buffer_rule *rules,
                      const halide_buffer_t *const *buffers, int count);

/* Computes the required regions of the inputs. `boxes` has minimum, extent and stride for each
 * dimension of each buffer, in order. `needed` has the same shape; it receives minimum and extent
 * of the inputs' dimensions. `closure` holds the scalars. */
typedef void hlc_needs(const void *closure, const int64_t *boxes, int64_t *needed);

/* Answers a bounds query: a call in which a buffer has neither host nor device memory. Writes the
 * required box of each such buffer, and returns 1. Returns 0 if every buffer has memory. Returns an
 * error, which is negative, if a buffer is null or has the wrong dimensions, or if no such box
 * exists. Then the report is filled and no box is written. */
int hlc_answer_query(hlc_report *report, const hlc_buffer_rule *rules,
                     halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                     const void *closure);

/* Begins NAME_call. Answers a query, and returns 1. Otherwise checks the buffers (of a check, only
 * their shapes), and returns 0, or an error with the report filled. `call` may be null. `domains`
 * receives minimum and extent of each dimension of each buffer's domain. In the window form, the
 * `boxes` of hlc_needs are followed by such an array. */
int hlc_begin_call(hlc_report *report, const struct hlc_call *call, const hlc_buffer_rule *rules,
                   halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                   const void *closure, int64_t *domains);
/* Brackets the body: the call's threads and `cancel` hold in this thread. The first returns what the
 * call asks for; `call` may be null. */
int hlc_enter_call(const struct hlc_call *call, hlc_call_scope *scope);
void hlc_leave_call(hlc_call_scope *scope);

/* Computes the windows that a pipeline proposes for its outputs. `boxes` and `closure` are those of
 * hlc_needs. `windows` has the shape of `boxes`, all zero; each proposed dimension receives minimum
 * and extent, and stride 1. Returns 0, or an error with the report filled. */
typedef int hlc_windows(hlc_report *report, const void *closure, const int64_t *boxes,
                        int64_t *windows);

/* Writes the proposed windows into the outputs: minima, extents, dense strides, types. Reads of the
 * inputs only minima and extents. Buffers need no memory. An output without a proposal is left
 * alone. Returns 0, or an error with the report filled; then nothing is written. */
int hlc_propose(hlc_report *report, const hlc_buffer_rule *rules, halide_buffer_t *const *buffers,
                int count, hlc_windows *windows, const void *closure);

/* Allocates uninitialised memory for a box of elements, aligned to 64 bytes. `lengths` has one
 * entry a dimension. Returns null and fills the report (HLC_ERROR_OUT_OF_MEMORY) if there is no
 * memory, or if the size exceeds 63 bits. */
void *hlc_allocate(hlc_report *report, const char *name, const int64_t *lengths, int dimensions,
                   int element_bytes);
void hlc_free(void *block);

/* Memory that an allocation in a loop keeps from one iteration to the next. Null at first. */
typedef struct hlc_kept {
    void *memory;
    size_t bytes;
} hlc_kept;

/* Allocates like hlc_allocate, but reuses the kept block if it is large enough. Otherwise frees it
 * and keeps a larger one. The owner of `kept` frees `memory`. */
void *hlc_allocate_kept(hlc_report *report, const char *name, const int64_t *lengths,
                        int dimensions, int element_bytes, hlc_kept *kept);

/* Runs iterations [begin, end) of a parallel loop, begin < end, in order. Stops at the first that
 * fails. Returns 0, or an error with the report filled. */
typedef int hlc_chunk(hlc_report *report, const void *closure, int64_t begin, int64_t end);

/* Runs the iterations of one parallel loop, or of `dimensions` directly nested ones as one space.
 * `lengths` are their lengths; the last varies fastest. `work` is an upper bound on the simple
 * operations of an iteration; infinite if unknown. Runs inline if a parallel loop already runs in
 * this thread, or if all iterations together are little work. Returns 0, or the error of the first
 * iteration that fails, with the report filled. Iterations after that one may or may not have run.
 */
int hlc_parallel(hlc_report *report, hlc_chunk *chunk, const void *closure, const int64_t *lengths,
                 int dimensions, double work);

/* Copies a box of elements. Strides are in elements. `from` and `to` point to the element at the
 * box's minimum coordinates. */
void hlc_copy(uint8_t *to, const int64_t *to_stride, const uint8_t *from,
              const int64_t *from_stride, const int64_t *extent, int dimensions, int element_bytes);

/* One argument of the C function of an extern stage (docs/runtime.md, "Extern stages"). */
enum { HLC_EXTERN_SCALAR, HLC_EXTERN_INPUT, HLC_EXTERN_OUTPUT };
typedef struct hlc_extern_rule {
    int32_t kind, dimensions; /* a scalar has no dimensions */
    uint8_t type_code, type_bits;
} hlc_extern_rule;

/* Calls the C function: each argument is the address of its value, for a buffer of a
 * `halide_buffer_t *`. Returns its result. */
typedef int hlc_extern_call(const void *closure, void *const *arguments);

enum { HLC_MOST_EXTERN_ARGUMENTS = 64 };

/* Computes a box of an extern stage. `boxes` has minimum, extent and stride for each dimension of
 * each buffer, in order. `addresses` has the address of each scalar, and for each buffer that of
 * the element at its minimum. First asks the function which boxes of the inputs it needs, in a call
 * where no buffer has memory; they must lie in `boxes`. Then calls it with memory. An empty output
 * makes no call. Returns 0, or an error with the report filled. */
int hlc_extern(hlc_report *report, const char *name, const hlc_extern_rule *rules, int count,
               hlc_extern_call *call, const void *closure, void *const *addresses,
               const int64_t *boxes);

/* One version of a pipeline's code: its target, and the processor features that it needs, a bit for
 * each row of cpu_features.def. */
typedef struct hlc_code_version {
    const char *target;
    uint64_t features;
} hlc_code_version;

/* Returns the index of the first version that this processor and its operating system can run. The
 * result is the same for all calls in a process. If there is none, returns an error, which is
 * negative, and fills the report. `count` is at least 1; the last version needs the fewest
 * features. */
int hlc_choose_code(hlc_report *report, const hlc_code_version *versions, int count);

/* Sets the thread's float environment to the default (round to nearest even, keep subnormals, no
 * traps). Returns the previous one; `hlc_float_leave` restores it. */
uint64_t hlc_float_enter(void);
void hlc_float_leave(uint64_t environment);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
