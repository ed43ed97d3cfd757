/* query.c -- bounds queries. A call in which a buffer has neither host nor device memory computes
 * nothing. It writes the required box into each such buffer.
 *
 * An output's box is the requested window, which its buffer already contains. For an input,
 * generated code computes the required region from the boxes of all buffers (hlc_needs). The region
 * may depend on the box of a queried input: a boundary condition clamps to the image, a lookup
 * table is read between its ends. So rounds find the boxes. In the first round the queried inputs
 * contain all coordinates, so nothing is clamped. If the region is then unbounded (a loop over the
 * whole image), the next round tries the buffer's current box or, if that is empty, a single
 * coordinate. The same holds for one end: a program that reads from an image's first coordinate on,
 * wherever that is, requires as little as possible. The first round without a change is the answer:
 * a call with these boxes finds its required regions inside them.
 *
 * hlc_propose is a question of another kind: which windows the pipeline proposes for these inputs.
 */
#include "runtime/query.h"

#include <string.h>

enum { DIMENSIONS = 4, ROUNDS = 64 };

/* One dimension of a buffer in the arrays of hlc_needs and hlc_windows. */
typedef struct BufferBox {
    int64_t minimum, extent, stride;
} BufferBox;

typedef struct BufferQuery {
    hlc_report *report;
    const hlc_buffer_rule *rules;
    halide_buffer_t *const *buffers;
    int count;
    BufferBox *boxes, *needed; /* by dimension, one buffer after the other */
    int64_t *domains;          /* behind the boxes, in the window form; else null */
    QueryDomains source;       /* of the domains */
    const char *changed;       /* in the last round, a buffer's name */
} BufferQuery;

/* All coordinates that there are. */
static const BufferBox unlimited = {INT32_MIN, INT64_C(1) << 32, 0};

int hlc_query_is_asked(const halide_buffer_t *buffer) {
    return !buffer->host && !buffer->device;
}

static int fits_in_32_bits(int64_t number) {
    return number >= INT32_MIN && number <= INT32_MAX;
}

/* Can a buffer have such a dimension? An empty one may begin at the least coordinate, though its last
 * one would lie before. */
static int is_possible(const BufferBox *box) {
    return fits_in_32_bits(box->minimum) && box->extent >= 0 && box->extent <= INT32_MAX &&
           (box->extent == 0 || fits_in_32_bits(box->minimum + box->extent - 1));
}

/* ---- before ---- */

int hlc_query_check_shapes(hlc_report *report, const hlc_buffer_rule *rules,
                           const halide_buffer_t *const *buffers, int count) {
    for (int i = 0; i < count; i++) {
        const hlc_buffer_rule *rule = &rules[i];
        const halide_buffer_t *buffer = buffers[i];
        if (!buffer)
            return hlc_fail(report, HLC_ERROR_BUFFER_IS_NULL, rule->name, NULL, 0);
        if (buffer->dimensions == rule->dimensions && (buffer->dim || rule->dimensions == 0))
            continue;
        if (buffer->dimensions == rule->dimensions)
            return hlc_fail(report, HLC_ERROR_DIM_IS_NULL, rule->name, NULL, 0);
        int64_t numbers[] = {buffer->dimensions, rule->dimensions};
        return hlc_fail(report, HLC_ERROR_BAD_DIMENSIONS, rule->name, numbers, 2);
    }
    return 0;
}

static int check_shapes(const BufferQuery *query) {
    return hlc_query_check_shapes(query->report, query->rules,
                                  (const halide_buffer_t *const *)query->buffers, query->count);
}

/* ---- strides ---- */

/* Returns the nth dimension in memory, innermost first. */
static int nth_dimension(const hlc_buffer_rule *rule, int n) {
    static const int interleaved[DIMENSIONS] = {2, 0, 1, 3};
    return rule->layout == HLC_LAYOUT_INTERLEAVED && rule->dimensions > 2 ? interleaved[n] : n;
}

/* Sets dense strides; false if a stride exceeds 32 bits. */
static int set_strides(const hlc_buffer_rule *rule, BufferBox *box) {
    int64_t stride = 1;
    int fits = 1;
    for (int n = 0; n < rule->dimensions; n++) {
        BufferBox *dimension = &box[nth_dimension(rule, n)];
        dimension->stride = stride;
        fits = fits && fits_in_32_bits(stride);
        if (__builtin_mul_overflow(stride, dimension->extent, &stride))
            stride = INT64_MAX;
    }
    return fits;
}

/* ---- the rounds ---- */

static void begin(BufferQuery *query) {
    BufferBox *box = query->boxes;
    for (int i = 0; i < query->count; i++) {
        const hlc_buffer_rule *rule = &query->rules[i];
        const halide_buffer_t *from = query->buffers[i];
        int is_open = hlc_query_is_asked(from) && !rule->is_output;
        if (rule->is_output && hlc_query_is_asked(from) &&
            !hlc_query_is_asked(query->buffers[rule->window_of]))
            from = query->buffers[rule->window_of];
        for (int d = 0; d < rule->dimensions; d++)
            box[d] = is_open
                         ? unlimited
                         : (BufferBox){from->dim[d].min, from->dim[d].extent, from->dim[d].stride};
        if (hlc_query_is_asked(query->buffers[i]))
            set_strides(rule, box);
        box += rule->dimensions;
    }
}

/* Returns the box to try if any box would do: the buffer's current one. */
static BufferBox offered(const halide_buffer_t *buffer, int dimension) {
    BufferBox box = {buffer->dim[dimension].min, buffer->dim[dimension].extent, 0};
    return box.extent > 0 && is_possible(&box) ? box : (BufferBox){0, 1, 0};
}

/* Returns the next box to try after one with the required region `needed`. */
static BufferBox next_box(const BufferBox *box, const BufferBox *needed,
                          const halide_buffer_t *buffer, int dimension) {
    BufferBox other = offered(buffer, dimension), next = *needed;
    if (!is_possible(needed))
        return other;
    int is_first = box->extent == unlimited.extent, is_empty = needed->extent == 0;
    if (is_first && needed->minimum == unlimited.minimum)
        next.minimum = other.minimum;
    if (is_first && !is_empty &&
        needed->minimum + needed->extent == unlimited.minimum + unlimited.extent)
        next.extent = other.extent;
    return is_possible(&next) ? next : other;
}

/* Applies the result of the last evaluation; returns whether a box changed. */
static int advance(BufferQuery *query) {
    BufferBox *box = query->boxes, *needed = query->needed;
    int is_changed = 0;
    for (int i = 0; i < query->count; i++) {
        const hlc_buffer_rule *rule = &query->rules[i];
        int is_open = hlc_query_is_asked(query->buffers[i]) && !rule->is_output;
        for (int d = 0; is_open && d < rule->dimensions; d++) {
            BufferBox next = next_box(&box[d], &needed[d], query->buffers[i], d);
            if (next.minimum != box[d].minimum || next.extent != box[d].extent) {
                is_changed = 1;
                query->changed = rule->name;
            }
            box[d].minimum = next.minimum;
            box[d].extent = next.extent;
        }
        if (is_open)
            set_strides(rule, box);
        box += rule->dimensions;
        needed += rule->dimensions;
    }
    return is_changed;
}

/* After the last round: are the required boxes possible? */
static int check_possible(const BufferQuery *query) {
    const BufferBox *needed = query->needed;
    for (int i = 0; i < query->count; i++) {
        const hlc_buffer_rule *rule = &query->rules[i];
        int is_open = hlc_query_is_asked(query->buffers[i]) && !rule->is_output;
        for (int d = 0; is_open && d < rule->dimensions; d++) {
            uint64_t last = (uint64_t)needed[d].minimum + (uint64_t)needed[d].extent - 1;
            int64_t numbers[] = {needed[d].minimum, (int64_t)last, d};
            if (!is_possible(&needed[d]))
                return hlc_fail(query->report, HLC_ERROR_COORDINATE_RANGE, rule->name, numbers, 3);
        }
        needed += rule->dimensions;
    }
    return 0;
}

/* Where each buffer is its own domain, a domain is the box that is tried. */
static void set_domains(const BufferQuery *query) {
    const BufferBox *box = query->boxes;
    for (int i = 0, at = 0; i < query->count && query->source == QUERY_IS_OWN; i++)
        for (int d = 0; d < query->rules[i].dimensions; d++, box++) {
            query->domains[at++] = box->minimum;
            query->domains[at++] = box->extent;
        }
}

static int find_boxes(BufferQuery *query, hlc_needs *needs, const void *closure) {
    begin(query);
    for (int round = 0; round < ROUNDS; round++) {
        memset(query->needed, 0, sizeof(BufferBox) * DIMENSIONS * (size_t)query->count);
        set_domains(query);
        uint64_t environment = hlc_float_enter();
        needs(closure, &query->boxes->minimum, &query->needed->minimum);
        hlc_float_leave(environment);
        if (!advance(query))
            return check_possible(query);
    }
    return hlc_fail(query->report, HLC_ERROR_QUERY_OPEN, query->changed, NULL, 0);
}

/* ---- after ---- */

static int check_stride(hlc_report *report, const hlc_buffer_rule *rule, BufferBox *box) {
    int64_t elements = 1;
    if (set_strides(rule, box))
        return 0;
    for (int d = 0; d < rule->dimensions; d++)
        if (__builtin_mul_overflow(elements, box[d].extent, &elements))
            elements = INT64_MAX;
    return hlc_fail(report, HLC_ERROR_EXTENT_TOO_LARGE, rule->name, &elements, 1);
}

static int check_strides(const BufferQuery *query) {
    BufferBox *box = query->boxes;
    int error = 0;
    for (int i = 0; i < query->count && !error; i++) {
        if (hlc_query_is_asked(query->buffers[i]))
            error = check_stride(query->report, &query->rules[i], box);
        box += query->rules[i].dimensions;
    }
    return error;
}

static void write_box(const hlc_buffer_rule *rule, const BufferBox *box, halide_buffer_t *buffer) {
    for (int d = 0; d < rule->dimensions; d++) {
        halide_dimension_t *dimension = &buffer->dim[d];
        dimension->min = (int32_t)box[d].minimum;
        dimension->extent = (int32_t)box[d].extent;
        dimension->stride = (int32_t)box[d].stride;
        dimension->flags = 0;
    }
    buffer->type.code = rule->type_code;
    buffer->type.bits = rule->type_bits;
    buffer->type.lanes = 1;
}

static void write_answer(const BufferQuery *query) {
    const BufferBox *box = query->boxes;
    for (int i = 0; i < query->count; i++) {
        const hlc_buffer_rule *rule = &query->rules[i];
        halide_buffer_t *buffer = query->buffers[i];
        if (hlc_query_is_asked(buffer)) {
            write_box(rule, box, buffer);
            buffer->device_interface = NULL;
            buffer->flags = 0;
        }
        box += rule->dimensions;
    }
}

int hlc_answer_query(hlc_report *report, const hlc_buffer_rule *rules,
                     halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                     const void *closure) {
    int is_query = 0;
    for (int i = 0; i < count; i++)
        is_query |= buffers[i] && hlc_query_is_asked(buffers[i]);
    return is_query ? hlc_query_answer(report, rules, buffers, count, needs, closure,
                                       QUERY_HAS_NONE, NULL)
                    : 0;
}

int hlc_query_answer(hlc_report *report, const hlc_buffer_rule *rules,
                     halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                     const void *closure, QueryDomains source, const int64_t *given) {
    /* A domain has two numbers a dimension, a box three: there is room for both. */
    BufferBox boxes[2 * DIMENSIONS * count + 1], needed[DIMENSIONS * count + 1];
    BufferQuery query = {.report = report,
                         .rules = rules,
                         .buffers = buffers,
                         .count = count,
                         .boxes = boxes,
                         .needed = needed,
                         .source = source};
    int error = check_shapes(&query);
    size_t dimensions = 0;
    for (int i = 0; i < count && !error; i++)
        dimensions += (size_t)rules[i].dimensions;
    query.domains = &boxes[dimensions].minimum;
    if (source == QUERY_IS_GIVEN)
        memcpy(query.domains, given, sizeof *given * 2 * dimensions);
    if (!error)
        error = find_boxes(&query, needs, closure);
    if (!error)
        error = check_strides(&query);
    if (!error)
        write_answer(&query);
    return error ? error : 1;
}

/* ---- proposed windows ---- */

/* Checks that a buffer can have this box. */
static int check_box(hlc_report *report, const hlc_buffer_rule *rule, const BufferBox *box) {
    for (int d = 0; d < rule->dimensions; d++) {
        int64_t extent[] = {box[d].extent, d};
        if (box[d].extent < 0)
            return hlc_fail(report, HLC_ERROR_NEGATIVE_EXTENT, rule->name, extent, 2);
        uint64_t last = (uint64_t)box[d].minimum + (uint64_t)box[d].extent - 1;
        int64_t numbers[] = {box[d].minimum, (int64_t)last, d};
        if (box[d].extent > INT32_MAX || !is_possible(&box[d]))
            return hlc_fail(report, HLC_ERROR_COORDINATE_RANGE, rule->name, numbers, 3);
    }
    return 0;
}

/* Fills the boxes of the inputs; those of outputs are zero, and no proposal reads them. */
static int take_inputs(const BufferQuery *query) {
    BufferBox *box = query->boxes;
    int error = 0;
    for (int i = 0; i < query->count && !error; i++) {
        const hlc_buffer_rule *rule = &query->rules[i];
        for (int d = 0; !rule->is_output && d < rule->dimensions; d++) {
            const halide_dimension_t *dimension = &query->buffers[i]->dim[d];
            box[d] = (BufferBox){dimension->min, dimension->extent, dimension->stride};
        }
        error = check_box(query->report, rule, box);
        box += rule->dimensions;
    }
    return error;
}

static int check_window(hlc_report *report, const hlc_buffer_rule *rule, const BufferBox *window) {
    BufferBox box[DIMENSIONS];
    int error = check_box(report, rule, window);
    memcpy(box, window, sizeof *box * (size_t)rule->dimensions);
    return error ? error : check_stride(report, rule, box);
}

static int is_proposed(const hlc_buffer_rule *rule, const BufferBox *window) {
    return rule->is_output && rule->dimensions > 0 && window->stride == 1;
}

int hlc_propose(hlc_report *report, const hlc_buffer_rule *rules, halide_buffer_t *const *buffers,
                int count, hlc_windows *windows, const void *closure) {
    BufferBox boxes[2 * DIMENSIONS * count + 1], proposed[DIMENSIONS * count + 1],
        *window = proposed;
    BufferQuery query = {.report = report,
                         .rules = rules,
                         .buffers = buffers,
                         .count = count,
                         .boxes = boxes,
                         .needed = proposed,
                         .source = QUERY_IS_OWN};
    memset(boxes, 0, sizeof boxes);
    memset(proposed, 0, sizeof proposed);
    int error = check_shapes(&query);
    size_t dimensions = 0;
    for (int i = 0; i < count && !error; i++)
        dimensions += (size_t)rules[i].dimensions;
    query.domains = &boxes[dimensions].minimum;
    if (!error)
        error = take_inputs(&query);
    if (!error)
        set_domains(&query);
    if (!error) {
        uint64_t environment = hlc_float_enter();
        error = windows(report, closure, &boxes->minimum, &proposed->minimum);
        hlc_float_leave(environment);
    }
    for (int i = 0; i < count && !error; window += rules[i++].dimensions)
        if (is_proposed(&rules[i], window))
            error = check_window(report, &rules[i], window);
    window = proposed;
    for (int i = 0; i < count && !error; window += rules[i++].dimensions)
        if (is_proposed(&rules[i], window)) {
            set_strides(&rules[i], window);
            write_box(&rules[i], window, buffers[i]);
        }
    return error;
}
