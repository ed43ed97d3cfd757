/* run.c -- a call on Python's objects (include/hlc_python.h).
 *
 * Only the plain case is done here: arrays of the right type that are used where they are, from
 * coordinate 0 on. For all others python/hlc/arrays.py converts, copies, or says what is wrong. */
#include "include/hlc.h"
#include "include/hlc_python.h"
#include "runtime/hlc_runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum {
    NOT_PLAIN = 1,
    MOST_ARRAYS = 32,
    WRITABLE = 0x1,        /* PyBUF_WRITABLE */
    FORMAT_STRIDES = 0x1C, /* PyBUF_FORMAT, PyBUF_STRIDES */
};

/* Py_buffer of the stable ABI, and room for what it may become. */
typedef struct ObjectView {
    void *memory, *object;
    ptrdiff_t length, element_bytes;
    int is_read_only, axes;
    const char *format;
    const ptrdiff_t *shape, *strides, *suboffsets;
    void *internal, *room[4];
} ObjectView;

typedef struct Axis {
    int64_t extent, stride;
} Axis;

/* A letter, perhaps behind one that says native byte order. */
static int has_format(const ObjectView *view, const char *formats) {
    const char *format = view->format ? view->format : "B";
    format += *format == '@' || *format == '=';
    return *format && !format[1] && strchr(formats, *format) != NULL;
}

static int fits(int64_t number) {
    return number >= -INT32_MAX && number <= INT32_MAX;
}

/* The strides that the layout promises; those of a single element along a dimension do not matter. */
static int settle(const hlc_python_array *array, Axis *d, int count) {
    if (array->is_output || array->layout == HLC_LAYOUT_STRIDED)
        return 1;
    if (array->layout == HLC_LAYOUT_PLANAR) {
        if (count && d[0].extent == 1)
            d[0].stride = 1;
        return !count || d[0].stride == 1;
    }
    if (d[2].extent == 1)
        d[2].stride = 1;
    if (d[0].extent == 1)
        d[0].stride = d[2].extent;
    return d[2].stride == 1 && d[0].stride == d[2].extent;
}

/* Describes the array in its buffer, if it is plain. */
static int place(const hlc_python_array *array, const ObjectView *view) {
    halide_buffer_t *buffer = array->buffer;
    Axis found[4] = {{0}};
    if (view->axes != buffer->dimensions || view->element_bytes != array->bytes ||
        view->suboffsets || !has_format(view, array->formats) ||
        (uintptr_t)view->memory % (uintptr_t)array->bytes)
        return 0;
    for (int d = 0; d < buffer->dimensions; d++) {
        int64_t extent = view->shape[array->axes[d]], stride = view->strides[array->axes[d]];
        found[d] = (Axis){extent, stride / array->bytes};
        if (extent <= 0 || !fits(extent) || stride % array->bytes || !fits(found[d].stride))
            return 0;
    }
    if (!settle(array, found, buffer->dimensions))
        return 0;
    buffer->host = view->memory;
    for (int d = 0; d < buffer->dimensions; d++)
        buffer->dim[d] = (halide_dimension_t){.extent = (int32_t)found[d].extent,
                                              .stride = (int32_t)found[d].stride};
    return 1;
}

/* ---- signals ---- */

enum { SIGNAL_MILLISECONDS = 20 };

typedef struct Signals {
    const hlc_python *python;
    pthread_t thread; /* Python's main thread */
    void *state;      /* of Python, without its lock */
    int64_t next;     /* milliseconds; when to look again */
    _Atomic int is_raised;
} Signals;

/* A coarse clock: a poll must cost little. */
static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Threads of the pool ask, too; only the main thread may run handlers. */
static int is_interrupted(void *user) {
    Signals *signals = user;
    if (atomic_load_explicit(&signals->is_raised, memory_order_relaxed))
        return 1;
    if (!pthread_equal(pthread_self(), signals->thread) || now() < signals->next)
        return 0;
    signals->python->restore_thread(signals->state);
    int is_raised = signals->python->check_signals() != 0;
    signals->state = signals->python->save_thread();
    signals->next = now() + SIGNAL_MILLISECONDS;
    atomic_store_explicit(&signals->is_raised, is_raised, memory_order_relaxed);
    return is_raised;
}

/* Calls the function without Python's lock. */
static int run(const hlc_python_call *call) {
    Signals signals = {.python = call->python,
                       .thread = pthread_self(),
                       .next = now() + SIGNAL_MILLISECONDS,
                       .state = call->python->save_thread()};
    hlc_stopper stopper = {is_interrupted, &signals};
    const hlc_stopper *before = call->is_main ? hlc_set_stopper(&stopper) : NULL;
    int error = hlc_function_call_with(call->function, call->call, call->report, call->arguments);
    if (call->is_main)
        hlc_set_stopper(before);
    call->python->restore_thread(signals.state);
    return error;
}

int hlc_python_run(const hlc_python_call *call, void *tuple) {
    const hlc_python *python = call->python;
    ObjectView views[MOST_ARRAYS];
    int taken = 0;
    int error = NOT_PLAIN, is_plain = call->count <= MOST_ARRAYS;
    while (is_plain && taken < call->count) {
        const hlc_python_array *array = &call->arrays[taken];
        void *object = python->tuple_get_item(tuple, array->object);
        int flags = FORMAT_STRIDES | (array->is_output ? WRITABLE : 0);
        is_plain = object && python->object_get_buffer(object, &views[taken], flags) == 0;
        if (!is_plain)
            python->error_clear();
        else
            is_plain = place(array, &views[taken++]);
    }
    if (is_plain)
        error = run(call);
    while (taken > 0)
        python->buffer_release(&views[--taken]);
    return error;
}
