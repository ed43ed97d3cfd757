/* extern.c -- calls the C function of an extern stage: the bounds query, its check, the call.
 *
 * Compiled code and all interpreters call the function here, so there is one protocol. The query
 * has the ecosystem's form: no buffer has memory, the outputs have the wanted box, and the function
 * writes into the inputs the boxes that it needs. An answer beyond the declared box is an error, so
 * the function never gets less than it asked for. The real call passes the declared boxes.
 */
#include "runtime/hlc_runtime.h"

enum { MOST_DIMENSIONS = 8 };

typedef struct ExternArgument {
    halide_buffer_t buffer, *address;
    halide_dimension_t dim[MOST_DIMENSIONS];
    const int64_t *box;
} ExternArgument;

static bool fits(int64_t number) {
    return number == (int32_t)number;
}

/* An input whose box is empty has the extent 0. */
static int set_box(hlc_report *report, const char *name, const hlc_extern_rule *rule,
                   ExternArgument *argument) {
    for (int d = 0; d < rule->dimensions; d++) {
        int64_t minimum = argument->box[3 * d], stride = argument->box[3 * d + 2];
        int64_t extent = argument->box[3 * d + 1] < 0 ? 0 : argument->box[3 * d + 1];
        if (!fits(minimum) || !fits(extent) || !fits(minimum + extent - 1) || !fits(stride))
            return hlc_fail(report, HLC_ERROR_EXTENT_TOO_LARGE, name, &extent, 1);
        argument->dim[d] =
            (halide_dimension_t){(int32_t)minimum, (int32_t)extent, (int32_t)stride, 0};
    }
    return 0;
}

static void clear_box(const hlc_extern_rule *rule, ExternArgument *argument) {
    for (int d = 0; d < rule->dimensions; d++)
        argument->dim[d] = (halide_dimension_t){0, 0, 0, 0};
}

static int check_answer(hlc_report *report, const char *name, const hlc_extern_rule *rule,
                        const ExternArgument *argument, int number) {
    bool is_input = rule->kind == HLC_EXTERN_INPUT;
    for (int d = 0; d < rule->dimensions && is_input; d++)
        if (argument->dim[d].extent == 0)
            return 0;
    for (int d = 0; d < rule->dimensions; d++) {
        int64_t first = argument->dim[d].min, last = first + argument->dim[d].extent - 1;
        int64_t least = argument->box[3 * d], most = least + argument->box[3 * d + 1] - 1;
        int64_t numbers[] = {first, last, number, d, least, most};
        if (is_input && (last < first || first < least || last > most))
            return hlc_fail(report, HLC_ERROR_EXTERN_NEEDS, name, numbers, 6);
        if (!is_input && (first != least || last != most))
            return hlc_fail(report, HLC_ERROR_EXTERN_REGION, name, numbers, 6);
    }
    return 0;
}

static int call_function(hlc_report *report, const char *name, hlc_extern_call *call,
                         const void *closure, void *const *values) {
    int64_t result = call(closure, values);
    return result ? hlc_fail(report, HLC_ERROR_EXTERN_STAGE, name, &result, 1) : 0;
}

int hlc_extern(hlc_report *report, const char *name, const hlc_extern_rule *rules, int count,
               hlc_extern_call *call, const void *closure, void *const *addresses,
               const int64_t *boxes) {
    ExternArgument arguments[HLC_MOST_EXTERN_ARGUMENTS];
    void *values[HLC_MOST_EXTERN_ARGUMENTS];
    bool asks = false;
    int error = 0;
    for (int i = 0; i < count; i++) {
        const hlc_extern_rule *rule = &rules[i];
        ExternArgument *argument = &arguments[i];
        values[i] = addresses[i];
        if (rule->kind == HLC_EXTERN_SCALAR)
            continue;
        for (int d = 0; d < rule->dimensions && rule->kind == HLC_EXTERN_OUTPUT; d++)
            if (boxes[3 * d + 1] <= 0)
                return 0;
        halide_type_t type = {rule->type_code, rule->type_bits, 1};
        argument->buffer = (halide_buffer_t){.type = type, .dimensions = rule->dimensions};
        argument->buffer.dim = argument->dim;
        argument->address = &argument->buffer;
        argument->box = boxes;
        values[i] = &argument->address;
        boxes += 3 * rule->dimensions;
        asks |= rule->kind == HLC_EXTERN_INPUT;
    }
    for (int i = 0; i < count && asks && !error; i++) {
        if (rules[i].kind == HLC_EXTERN_INPUT)
            clear_box(&rules[i], &arguments[i]);
        else if (rules[i].kind == HLC_EXTERN_OUTPUT)
            error = set_box(report, name, &rules[i], &arguments[i]);
    }
    if (asks && !error)
        error = call_function(report, name, call, closure, values);
    for (int i = 0; i < count && asks && !error; i++)
        if (rules[i].kind != HLC_EXTERN_SCALAR)
            error = check_answer(report, name, &rules[i], &arguments[i], i);
    for (int i = 0; i < count && !error; i++)
        if (rules[i].kind != HLC_EXTERN_SCALAR) {
            arguments[i].buffer.host = addresses[i];
            arguments[i].buffer.dim = arguments[i].dim;
            error = set_box(report, name, &rules[i], &arguments[i]);
        }
    return error ? error : call_function(report, name, call, closure, values);
}
