/* buffer.c -- the checks of every entry on its buffers, before it accesses one element.
 *
 * The generated code gives the requirements as data (hlc_buffer_rule). Further requirements of the
 * algorithm and its schedule (regions, parameters) are assertions of the program. Byte ranges are
 * computed in 128 bits, so no stride can wrap them.
 */
#include "runtime/hlc_runtime.h"

#include <stddef.h>

typedef __int128 Int128;

enum { DEVICE_DIRTY_FLAG = 2 };

/* The bytes of a buffer's elements: [lowest, beyond). */
typedef struct Span {
    Int128 lowest, beyond;
} Span;

static int element_bytes(const halide_buffer_t *buffer) {
    return (buffer->type.bits + 7) / 8;
}

static int is_empty(const halide_buffer_t *buffer) {
    for (int d = 0; d < buffer->dimensions; d++)
        if (buffer->dim[d].extent == 0)
            return 1;
    return 0;
}

static Span span(const halide_buffer_t *buffer) {
    Int128 lowest = 0, highest = 0;
    for (int d = 0; d < buffer->dimensions; d++) {
        Int128 reach = ((Int128)buffer->dim[d].extent - 1) * buffer->dim[d].stride;
        *(reach < 0 ? &lowest : &highest) += reach;
    }
    Int128 host = (Int128)(uintptr_t)buffer->host, bytes = element_bytes(buffer);
    return (Span){host + lowest * bytes, host + (highest + 1) * bytes};
}

static int check_shape(hlc_report *report, const hlc_buffer_rule *rule,
                       const halide_buffer_t *buffer) {
    if (!buffer)
        return hlc_fail(report, HLC_ERROR_BUFFER_IS_NULL, rule->name, NULL, 0);
    halide_type_t type = buffer->type;
    if (type.code != rule->type_code || type.bits != rule->type_bits) {
        int64_t numbers[] = {type.code, type.bits, rule->type_code, rule->type_bits};
        return hlc_fail(report, HLC_ERROR_BAD_TYPE, rule->name, numbers, 4);
    }
    if (type.lanes != 1)
        return hlc_fail(report, HLC_ERROR_BAD_LANES, rule->name, (int64_t[]){type.lanes}, 1);
    if (buffer->dimensions != rule->dimensions) {
        int64_t numbers[] = {buffer->dimensions, rule->dimensions};
        return hlc_fail(report, HLC_ERROR_BAD_DIMENSIONS, rule->name, numbers, 2);
    }
    if (rule->dimensions > 0 && !buffer->dim)
        return hlc_fail(report, HLC_ERROR_DIM_IS_NULL, rule->name, NULL, 0);
    if (buffer->flags & DEVICE_DIRTY_FLAG)
        return hlc_fail(report, HLC_ERROR_DEVICE_DIRTY, rule->name, NULL, 0);
    if (!buffer->host)
        return hlc_fail(report, HLC_ERROR_HOST_IS_NULL, rule->name, NULL, 0);
    return 0;
}

/* Checks the extents and the ends of the coordinates, which must fit 32 bits. */
static int check_extents(hlc_report *report, const hlc_buffer_rule *rule,
                         const halide_buffer_t *buffer) {
    for (int d = 0; d < rule->dimensions; d++) {
        int64_t minimum = buffer->dim[d].min, extent = buffer->dim[d].extent;
        if (extent < 0)
            return hlc_fail(report, HLC_ERROR_NEGATIVE_EXTENT, rule->name, (int64_t[]){extent, d},
                            2);
        if (minimum + extent - 1 > INT32_MAX) {
            int64_t numbers[] = {minimum, minimum + extent - 1, d};
            return hlc_fail(report, HLC_ERROR_COORDINATE_RANGE, rule->name, numbers, 3);
        }
    }
    return 0;
}

static int check_stride(hlc_report *report, const hlc_buffer_rule *rule,
                        const halide_buffer_t *buffer, int dimension, int64_t expected) {
    int64_t numbers[] = {buffer->dim[dimension].stride, dimension, expected};
    return numbers[0] == expected ? 0
                                  : hlc_fail(report, HLC_ERROR_BAD_STRIDE, rule->name, numbers, 3);
}

static int check_layout(hlc_report *report, const hlc_buffer_rule *rule,
                        const halide_buffer_t *buffer) {
    if (rule->is_output)
        return 0;
    if (rule->layout == HLC_LAYOUT_PLANAR && rule->dimensions > 0)
        return check_stride(report, rule, buffer, 0, 1);
    if (rule->layout == HLC_LAYOUT_INTERLEAVED && rule->dimensions > 2) {
        int error = check_stride(report, rule, buffer, 2, 1);
        return error ? error : check_stride(report, rule, buffer, 0, buffer->dim[2].extent);
    }
    return 0;
}

/* The elements of a tuple are several buffers with one window. */
static int check_window(hlc_report *report, const hlc_buffer_rule *rule,
                        const halide_buffer_t *buffer, const halide_buffer_t *first) {
    for (int d = 0; d < rule->dimensions; d++) {
        const halide_dimension_t *here = &buffer->dim[d], *there = &first->dim[d];
        if (here->min != there->min || here->extent != there->extent) {
            int64_t numbers[] = {here->min, here->extent, there->min, there->extent, d};
            return hlc_fail(report, HLC_ERROR_WINDOWS_DIFFER, rule->name, numbers, 5);
        }
    }
    return 0;
}

/* No two coordinates of an output share an address.  Taken from the shortest stride up, each stride
 * must reach beyond everything that the dimensions before it span. */
static int check_injective(hlc_report *report, const hlc_buffer_rule *rule,
                           const halide_buffer_t *buffer) {
    Int128 reach = 1, previous = 0;
    int previous_dimension = -1;
    if (is_empty(buffer))
        return 0;
    for (;;) {
        int next = -1;
        Int128 shortest = 0;
        for (int d = 0; d < rule->dimensions; d++) {
            Int128 stride = buffer->dim[d].stride;
            stride = stride < 0 ? -stride : stride;
            int is_later = stride > previous || (stride == previous && d > previous_dimension);
            if (buffer->dim[d].extent > 1 && is_later && (next < 0 || stride < shortest)) {
                next = d;
                shortest = stride;
            }
        }
        if (next < 0)
            return 0;
        if (shortest < reach) {
            int64_t numbers[] = {buffer->dim[next].stride, next};
            return hlc_fail(report, HLC_ERROR_OUTPUT_ALIASES, rule->name, numbers, 2);
        }
        reach += shortest * ((Int128)buffer->dim[next].extent - 1);
        previous = shortest;
        previous_dimension = next;
    }
}

static int overlap(const halide_buffer_t *a, const halide_buffer_t *b) {
    if (is_empty(a) || is_empty(b))
        return 0;
    Span one = span(a), other = span(b);
    return one.lowest < other.beyond && other.lowest < one.beyond;
}

/* Has each element the same address in both? */
static int same_elements(const halide_buffer_t *a, const halide_buffer_t *b) {
    Int128 from = (Int128)(intptr_t)a->host - (Int128)(intptr_t)b->host;
    for (int d = 0; d < a->dimensions; d++) {
        if (a->dim[d].stride != b->dim[d].stride)
            return 0;
        from -= ((Int128)a->dim[d].min - b->dim[d].min) * a->dim[d].stride * element_bytes(a);
    }
    return from == 0;
}

/* Reports an output that overlaps another buffer. It may lie in its image, each element in its
 * place. */
static int check_overlap(hlc_report *report, const hlc_buffer_rule *rules,
                         const halide_buffer_t *const *buffers, int output, int other) {
    int is_shared = rules[output].shares == other + 1;
    if (!overlap(buffers[output], buffers[other]) ||
        (is_shared && same_elements(buffers[output], buffers[other])))
        return 0;
    return hlc_fail(report, is_shared ? HLC_ERROR_NOT_IN_PLACE : HLC_ERROR_OVERLAP,
                    rules[output].name, NULL, 0);
}

static int check_alignment(hlc_report *report, const hlc_buffer_rule *rule,
                           const halide_buffer_t *buffer) {
    int64_t bytes = element_bytes(buffer);
    if (bytes <= 1 || is_empty(buffer) || (uintptr_t)buffer->host % (uintptr_t)bytes == 0)
        return 0;
    return hlc_fail(report, HLC_ERROR_UNALIGNED_HOST, rule->name, &bytes, 1);
}

int hlc_check_buffers(hlc_report *report, const hlc_buffer_rule *rules,
                      const halide_buffer_t *const *buffers, int count) {
    for (int i = 0; i < count; i++) {
        int error = check_shape(report, &rules[i], buffers[i]);
        if (!error)
            error = check_extents(report, &rules[i], buffers[i]);
        if (!error)
            error = check_layout(report, &rules[i], buffers[i]);
        if (!error)
            error = check_window(report, &rules[i], buffers[i], buffers[rules[i].window_of]);
        if (!error && rules[i].is_output)
            error = check_injective(report, &rules[i], buffers[i]);
        if (error)
            return error;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; rules[i].is_output && j < count; j++)
            if (i != j && check_overlap(report, rules, buffers, i, j))
                return report->error;
    for (int i = 0; i < count; i++)
        if (check_alignment(report, &rules[i], buffers[i]))
            return HLC_ERROR_UNALIGNED_HOST;
    return 0;
}
