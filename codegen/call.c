/* call.c -- calls of loaded code with arguments given as data.
 *
 * libffi calls NAME_report by its C type, so what runs is the entry that a linked object has.
 * Nothing of the Jit is written: several threads may call it at once.
 */
#include "codegen/jit.h"

#include <string.h>

static ffi_type *scalar_type(Type type) {
    static ffi_type *const types[TYPE_COUNT] = {
        &ffi_type_uint8,  &ffi_type_sint8, &ffi_type_sint16, &ffi_type_sint32,
        &ffi_type_sint64, &ffi_type_uint8, &ffi_type_uint16, &ffi_type_uint32,
        &ffi_type_uint64, &ffi_type_float, &ffi_type_double, &ffi_type_sint64};
    return types[type_number(type)];
}

bool jit_prepare_call(Jit *jit) {
    const Signature *signature = jit->signature;
    jit->images = (unsigned)signature->images.length;
    for (size_t i = 0; i < signature->outputs.length; i++)
        jit->outputs +=
            (unsigned)signature_func(signature, signature->outputs.data[i].func)->components;
    unsigned count = 1 + (unsigned)signature->inputs.length + jit->outputs, at = 0;
    jit->types = arena_array(jit->arena, ffi_type *, count);
    jit->count = count;
    jit->types[at++] = &ffi_type_pointer;
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        jit->types[at++] = input.is_image
                               ? &ffi_type_pointer
                               : scalar_type(signature->parameters.data[input.index].type);
    }
    while (at < count)
        jit->types[at++] = &ffi_type_pointer;
    return ffi_prep_cif(&jit->interface, FFI_DEFAULT_ABI, count, &ffi_type_sint32, jit->types) ==
           FFI_OK;
}

typedef struct CallBuffer {
    halide_buffer_t *address; /* of `buffer`: what is passed */
    halide_buffer_t buffer;
    halide_dimension_t dimensions[MAX_IMAGE_DIMENSIONS];
} CallBuffer;

static bool fits_in_32_bits(int64_t number) {
    return number >= INT32_MIN && number <= INT32_MAX;
}

/* The image as a halide_buffer_t; an error where its numbers do not fit in one. */
static int make_buffer(CallBuffer *call, const Image *image, const char *name, hlc_report *report) {
    static const uint8_t codes[] = {
        [TYPE_BOOL] = 1, [TYPE_INT] = 0, [TYPE_UINT] = 1, [TYPE_FLOAT] = 2, [TYPE_INDEX] = 0};
    static uint8_t nothing; /* where an image without elements lies: never read or written */
    call->address = &call->buffer;
    call->buffer =
        (halide_buffer_t){.host = image->data,
                          .type = {codes[image->type.kind], image->type.bits, image->type.lanes},
                          .dimensions = image->dimensions,
                          .dim = call->dimensions};
    if (!image->data && image_count(image) == 0)
        call->buffer.host = &nothing;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t minimum = image->minimum[d], extent = image->extent[d], stride = image->stride[d];
        if (!fits_in_32_bits(minimum) || !fits_in_32_bits(extent)) {
            int64_t numbers[] = {minimum, minimum + extent - 1, d};
            return hlc_fail(report, HLC_ERROR_COORDINATE_RANGE, name, numbers, 3);
        }
        if (!fits_in_32_bits(stride)) {
            int64_t numbers[] = {stride, d, stride < 0 ? INT32_MIN : INT32_MAX};
            return hlc_fail(report, HLC_ERROR_BAD_STRIDE, name, numbers, 3);
        }
        call->dimensions[d] =
            (halide_dimension_t){(int32_t)minimum, (int32_t)extent, (int32_t)stride, 0};
    }
    return 0;
}

static int make_buffers(const Jit *jit, CallBuffer *buffers, const Arguments *arguments,
                        hlc_report *report) {
    const Signature *signature = jit->signature;
    int error = 0;
    for (unsigned i = 0; i < jit->images && !error; i++)
        error = make_buffer(&buffers[i], &arguments->images[i],
                            signature->images.data[i].name->text, report);
    unsigned at = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *func = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < func->components && !error; c++, at++)
            error = make_buffer(&buffers[jit->images + at], &arguments->outputs[at],
                                func->name->text, report);
    }
    return error;
}

Outcome jit_call(const Jit *jit, const Arguments *arguments) {
    const Signature *signature = jit->signature;
    hlc_report report = {0}, *report_address = &report;
    CallBuffer buffers[jit->images + jit->outputs + 1];
    Bits scalars[signature->parameters.length + 1];
    void *values[jit->count];
    ffi_arg result = 0;
    int error = make_buffers(jit, buffers, arguments, &report);
    if (!error) {
        unsigned at = 0;
        values[at++] = &report_address;
        for (size_t i = 0; i < signature->inputs.length; i++) {
            InputRef input = signature->inputs.data[i];
            if (!input.is_image)
                bits_store(signature->parameters.data[input.index].type, &scalars[input.index],
                           arguments->parameters[input.index]);
            values[at++] = input.is_image ? (void *)&buffers[input.index].address
                                          : (void *)&scalars[input.index];
        }
        for (unsigned i = 0; i < jit->outputs; i++)
            values[at++] = &buffers[jit->images + i].address;
        ffi_call((ffi_cif *)&jit->interface, jit->report, &result, values);
        error = (int)result;
    }
    Outcome outcome = {.error = error};
    if (error)
        memcpy(outcome.message, report.message, sizeof outcome.message);
    return outcome;
}
