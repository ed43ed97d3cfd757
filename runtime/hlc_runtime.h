/* hlc_runtime.h -- the C ABI of compiled pipelines (C99 and C++).
 *
 * Stands alone: generated code and its callers need this header and nothing else of the compiler.
 * A compiled pipeline NAME is `int NAME(inputs in written order, then outputs)`; buffers are
 * pointers to `halide_buffer_t` in the published layout of the ecosystem, field by field; bools are
 * passed as uint8_t.  The result is 0 or an hlc_error.  `int NAME_argv(void **)` takes the same as
 * an array: buffers as the pointers themselves, scalars as pointers to them.
 * `NAME_metadata()` says what the arguments are.  `hlc compile --header` writes the prototypes.
 */
#ifndef HLC_RUNTIME_H
#define HLC_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ecosystem's own header defines the same structs, and cannot be told that they are there
 * already: where it can be found, it comes first, so that both orders of inclusion are right. */
#if !defined(HALIDE_HALIDERUNTIME_H) && defined(__has_include)
#if __has_include(<HalideRuntime.h>)
#include <HalideRuntime.h>
#endif
#endif

/* The number of the agreement between generated code and the run-time library: of this header, of
 * what is below "What generated code calls" and of what the functions there do.  Code that was made
 * for another one is refused at entry.  It is the second number of hlc's version. */
#define HLC_ABI 2

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HALIDE_HALIDERUNTIME_H
/* The code of an element's type; bool is halide_type_uint of 1 bit. */
typedef enum halide_type_code_t {
    halide_type_int = 0,
    halide_type_uint = 1,
    halide_type_float = 2
} halide_type_code_t;

/* An element's type: one of these codes. */
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
    uint8_t *host; /* the element of minimum coordinates */
    uint64_t flags;
    halide_type_t type;
    int32_t dimensions;
    halide_dimension_t *dim;
    void *padding;
} halide_buffer_t;

/* What NAME_metadata() answers.  A scalar's value is in the member of its type; a null pointer says
 * that the declaration gives none.  Estimates are null. */
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

/* Why a pipeline refused or failed.  Numbers are the ecosystem's where the meaning is the same,
 * ours are below -1000. */
typedef enum hlc_error {
    HLC_SUCCESS = 0,
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) HLC_ERROR_##NAME = NUMBER,
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    HLC_ERROR_END_ = 1
} hlc_error;

/* "parameter_too_small"; null for a number that is no error. */
const char *hlc_error_name(int error);
/* The message's text with its holes: %s the subject, {0}, {1}, .. the numbers. */
const char *hlc_error_format(int error);
/* Writes the message into `buffer` of `size` > 0 bytes, cut short where it does not fit, and
 * terminates it; returns the length written.  `subject` null is "". */
int hlc_error_message(char *buffer, int size, int error, const char *subject,
                      const int64_t *numbers, int count);

/* Called when a pipeline refuses: once, with the message; `user` is null.  The default (null)
 * prints it to stderr.  Returns the handler that was set before.  May be called from any thread. */
typedef void hlc_error_handler(void *user, int error, const char *message);
hlc_error_handler *hlc_set_error_handler(hlc_error_handler *handler);

/* Where a failing pipeline writes what happened.  `int NAME_report(hlc_report *, inputs .., outputs
 * ..)` is NAME without the error handler: the report belongs to the caller. */
typedef struct hlc_report {
    int error;
    char message[512];
} hlc_report;

/* ---- Hooks.  All belong to the process, may be set from any thread, and return what was set
 * before; null is the default. ---- */

/* Where pipelines take memory from.  `allocate` answers null where there is none; `alignment` is a
 * power of two, `size` a multiple of it and not 0.  Both may be called from several threads at
 * once. The struct is not copied.  Set it while no pipeline runs: a block is freed by the allocator
 * that is set then. */
typedef struct hlc_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t size);
    void (*free)(void *user, void *block); /* the block is not null */
    void *user;
} hlc_allocator;
const hlc_allocator *hlc_set_allocator(const hlc_allocator *allocator);
/* The default keeps blocks that pipelines gave back, at most 8 MiB for a thread and 256 MiB for
 * all, for the next requests: this gives them to the C library. */
void hlc_release_memory(void);

/* Runs task(state, i) for each i in [0, count), each once, in any order, on any threads, and
 * returns when all have ended.  A task never fails, and calls no parallel-for itself.  All that a
 * parallel loop promises (errors, float environment, nesting) is made in the task; a host that
 * leaves out tasks makes the pipeline fail.  The default runs them on a pool of threads and the
 * calling one. */
typedef void hlc_task(void *state, int64_t i);
typedef void hlc_parallel_for(hlc_task *task, void *state, int64_t count);
hlc_parallel_for *hlc_set_parallel_for(hlc_parallel_for *parallel_for);

/* How many threads a parallel loop may use, the caller's among them: 1 runs it inline.  0 is the
 * default: the environment variable HLC_NUM_THREADS at the first loop, or else the processors that
 * the process may use.  At most 1024.  Returns what was set before.  Results never depend on it. */
int hlc_set_thread_count(int count);
/* What holds now, at least 1. */
int hlc_thread_count(void);

/* A parallel loop whose estimated work is below this, in simple operations, runs inline, as with
 * one thread: handing it to others would take longer.  The default is 20000, some microseconds; 0
 * spreads all loops.  Returns what was set before; negative sets the default. */
int64_t hlc_set_dispatch_work(int64_t operations);

/* What a pipeline that was compiled with --trace does.  A pipeline begins when the raw buffers have
 * been found good.  A func's compute statement ends unless the pipeline fails inside it. */
typedef enum hlc_trace_kind {
    HLC_TRACE_BEGIN_PIPELINE,
    HLC_TRACE_END_PIPELINE,
    HLC_TRACE_BEGIN_COMPUTE,
    HLC_TRACE_END_COMPUTE
} hlc_trace_kind;

typedef struct hlc_trace_event {
    hlc_trace_kind kind;
    const char *pipeline;
    const char *func;   /* of a compute, else null */
    int32_t dimensions; /* of the func */
    const int64_t *box; /* what is computed: minimum and extent of each dimension */
    int32_t error;      /* at the end of a pipeline: its result */
} hlc_trace_event;

/* Called at each, in the thread where it happens, by several threads at once; the event lasts as
 * long as the call.  With none (null, the default) code with tracing costs a call that returns. */
typedef void hlc_trace_hook(const hlc_trace_event *event);
hlc_trace_hook *hlc_set_trace(hlc_trace_hook *hook);

/* ---- What generated code calls; of no use to others. ---- */

/* An error where the code that calls was made for another ABI than the library.  Never changes. */
int hlc_check_abi(hlc_report *report, int32_t number);

void hlc_trace(int32_t kind, const char *pipeline, const char *func, const int64_t *box,
               int32_t dimensions, int32_t error);

/* Fills the report; returns `error`. */
int hlc_fail(hlc_report *report, int error, const char *subject, const int64_t *numbers, int count);
/* Hands the report to the error handler; returns its error. */
int hlc_raise(const hlc_report *report);

/* What is promised of a buffer's strides: planar, stride(0) = 1; interleaved, stride(2) = 1 and
 * stride(0) = extent(2); strided, nothing. */
enum { HLC_LAYOUT_PLANAR, HLC_LAYOUT_INTERLEAVED, HLC_LAYOUT_STRIDED };

/* What an entry demands of one buffer. */
typedef struct hlc_buffer_rule {
    const char *name;
    int32_t dimensions;
    int32_t
        window_of; /* the buffer, at or before this one, whose minima and extents it must have */
    uint8_t type_code, type_bits;
    uint8_t
        layout; /* which an input has; of an output, which may have any: which a query answers */
    uint8_t is_output;
} hlc_buffer_rule;

/* Checks all buffers of a call, in order; 0, or the first failure with the report filled. */
int hlc_check_buffers(hlc_report *report, const hlc_buffer_rule *rules,
                      const halide_buffer_t *const *buffers, int count);

/* What the inputs must hold.  `boxes` has, for each buffer in order, for each of its dimensions,
 * minimum, extent and stride; `needed` is of the same form, and receives minimum and extent of the
 * inputs' dimensions.  `closure` holds the scalars. */
typedef void hlc_needs(const void *closure, const int64_t *boxes, int64_t *needed);

/* Where some buffer has neither host nor device memory: writes the box that each such buffer must
 * have, and answers 1.  0 where there is none such; an error, which is negative, with the report
 * filled and nothing written, where a buffer is a null pointer or has not its dimensions, or where
 * there is no such box. */
int hlc_answer_query(hlc_report *report, const hlc_buffer_rule *rules,
                     halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                     const void *closure);

/* Memory for a box of elements, aligned to 64 bytes, not initialised; `lengths` has one entry a
 * dimension.  Null with the report filled (HLC_ERROR_OUT_OF_MEMORY) when there is none, or when the
 * size leaves 63 bits. */
void *hlc_allocate(hlc_report *report, const char *name, const int64_t *lengths, int dimensions,
                   int element_bytes);
void hlc_free(void *block);

/* What a place in a loop keeps from one iteration to the next; null at first. */
typedef struct hlc_kept {
    void *memory;
    size_t bytes;
} hlc_kept;

/* The same as hlc_allocate, but what is kept serves again where it is large enough, and is given
 * back and replaced where it is not.  Whoever keeps it gives `memory` back. */
void *hlc_allocate_kept(hlc_report *report, const char *name, const int64_t *lengths,
                        int dimensions, int element_bytes, hlc_kept *kept);

/* Iterations [begin, end) of a parallel loop, begin < end, in order; stops at the first that fails.
 * 0, or an error with the report filled. */
typedef int hlc_chunk(hlc_report *report, const void *closure, int64_t begin, int64_t end);

/* Runs the iterations of one parallel loop, or of `dimensions` directly nested ones with these
 * lengths as one space, the last varying fastest.  `work` is how many simple operations an
 * iteration takes at most; infinite where that is not known.  Inline where a parallel loop is
 * running in this thread already, or where all iterations together come to little work.  0, or the
 * error of the first iteration that fails, with the report filled; iterations after it may or may
 * not have been run. */
int hlc_parallel(hlc_report *report, hlc_chunk *chunk, const void *closure, const int64_t *lengths,
                 int dimensions, double work);

/* Copies a box of elements; strides in elements, `from` and `to` at the box's minimum coordinates.
 */
void hlc_copy(uint8_t *to, const int64_t *to_stride, const uint8_t *from,
              const int64_t *from_stride, const int64_t *extent, int dimensions, int element_bytes);

/* One version of a pipeline's code: the target that it is made for, and what it needs of the
 * processor, a bit for each row of cpu_features.def. */
typedef struct hlc_code_version {
    const char *target;
    uint64_t features;
} hlc_code_version;

/* The number of the first version that this processor and its operating system can run: the same at
 * each call in a process.  Where there is none, an error, which is negative, with the report
 * filled. `count` is at least 1; the last version needs least. */
int hlc_choose_code(hlc_report *report, const hlc_code_version *versions, int count);

/* Sets the thread's float environment to the default (nearest even, subnormals kept, no traps) and
 * returns what it was; `hlc_float_leave` sets it back. */
uint64_t hlc_float_enter(void);
void hlc_float_leave(uint64_t environment);

#ifdef __cplusplus
}
#endif
#endif
