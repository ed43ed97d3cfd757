/* hlc_python.h -- between libhlc.so and the Python package (python/): a call on Python's objects.
 *
 * A call from Python costs what it takes to find the memory of its arrays. Python's buffer protocol
 * tells it in C at once. The functions of Python's stable ABI come from the caller, so the library
 * needs no Python to be built or linked. This header is not installed; its interface may change with
 * every version. */
#ifndef HLC_PYTHON_H
#define HLC_PYTHON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct halide_buffer_t; /* runtime/hlc_runtime.h, as the next two */
struct hlc_report;
struct hlc_call;
struct hlc_function; /* hlc.h */

/* Functions of Python, by their names there. */
typedef struct hlc_python {
    void *(*tuple_get_item)(void *tuple, ptrdiff_t i); /* PyTuple_GetItem: borrowed */
    int (*object_get_buffer)(void *object, void *view, int flags);
    void (*buffer_release)(void *view);
    void (*error_clear)(void);
    int (*check_signals)(void);
    void *(*save_thread)(void); /* PyEval_SaveThread: releases the global lock */
    void (*restore_thread)(void *thread);
} hlc_python;

/* An array of a call. */
typedef struct hlc_python_array {
    struct halide_buffer_t *buffer; /* with its type and dimensions, and room for them */
    const char *formats;            /* letters of the module struct that its elements may have */
    int32_t object;                 /* its place in the tuple */
    int32_t layout;                 /* HLC_LAYOUT_.. of hlc_runtime.h, of an input */
    int32_t is_output, bytes;       /* of an element */
    int32_t axes[4];                /* the array's axis of each dimension */
} hlc_python_array;

typedef struct hlc_python_call {
    const hlc_python *python;
    const struct hlc_function *function;
    const struct hlc_call *call;
    struct hlc_report *report;
    void *const *arguments; /* as NAME_argv takes them; the buffers are those of `arrays` */
    const hlc_python_array *arrays;
    int32_t count;   /* of arrays; 0: the buffers are filled already */
    int32_t is_main; /* it is Python's main thread, which handles signals */
} hlc_python_call;

/* Fills the buffers with the arrays' memory, and calls the function without Python's global lock. The
 * arrays keep their memory until the call has ended. Returns 0, or an error, which is negative, with
 * the report filled. Returns 1 and does nothing if an array is not what the function can use where it
 * is. Python's global lock is held before and after.
 *
 * In the main thread, Python's handlers of signals run a few times a second during the call, between
 * tasks and in loops that poll. If one raises an exception, as that of Ctrl-C does, the call is stopped,
 * and Python's exception is set; also if the call had ended. */
int hlc_python_run(const hlc_python_call *call, void *tuple);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
