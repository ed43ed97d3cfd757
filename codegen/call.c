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

static CallParameter image_parameter(Arena *arena, const char *name, Type type, int dimensions,
                                     unsigned index) {
    return (CallParameter){.name = arena_format(arena, "%s", name),
                           .is_image = true,
                           .type = type,
                           .dimensions = dimensions,
                           .index = index};
}

/* Inputs as written, then the outputs' tuple elements. */
static CallParameter *list_parameters(Arena *arena, const Signature *signature, unsigned count) {
    CallParameter *parameters = arena_array(arena, CallParameter, count + 1);
    unsigned at = 0, index = (unsigned)signature->images.length;
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        if (input.is_image) {
            const ImageParameter *image = &signature->images.data[input.index];
            parameters[at++] = image_parameter(arena, image->name->text, image->type,
                                               image->dimensions, (unsigned)input.index);
        } else {
            const Parameter *scalar = &signature->parameters.data[input.index];
            parameters[at++] =
                (CallParameter){.name = arena_format(arena, "%s", scalar->name->text),
                                .type = scalar->type,
                                .index = (unsigned)input.index};
        }
    }
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *func = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < func->components; c++)
            parameters[at++] =
                image_parameter(arena, func->name->text, func->types[c], func->dimensions, index++);
    }
    return parameters;
}

static unsigned count_outputs(const Signature *signature) {
    unsigned count = 0;
    for (size_t i = 0; i < signature->outputs.length; i++)
        count += (unsigned)signature_func(signature, signature->outputs.data[i].func)->components;
    return count;
}

/* Of NAME, without the report. */
static unsigned count_parameters(const Jit *jit) {
    return jit->scalars + jit->images + jit->outputs;
}

bool jit_prepare_call(Jit *jit, const Signature *signature) {
    jit->name = arena_format(jit->arena, "%s", signature->name->text);
    jit->scalars = (unsigned)signature->parameters.length;
    jit->images = (unsigned)signature->images.length;
    jit->outputs = count_outputs(signature);
    unsigned count = count_parameters(jit);
    jit->parameters = list_parameters(jit->arena, signature, count);
    jit->types = arena_array(jit->arena, ffi_type *, 1 + count);
    jit->types[0] = &ffi_type_pointer;
    for (unsigned i = 0; i < count; i++)
        jit->types[1 + i] =
            jit->parameters[i].is_image ? &ffi_type_pointer : scalar_type(jit->parameters[i].type);
    return ffi_prep_cif(&jit->interface, FFI_DEFAULT_ABI, 1 + count, &ffi_type_sint32,
                        jit->types) == FFI_OK;
}

bool jit_fits(const Jit *jit, const Signature *signature) {
    unsigned count = (unsigned)signature->inputs.length + count_outputs(signature), at = 0;
    if (strcmp(jit->name, signature->name->text) != 0 || count != count_parameters(jit) ||
        jit->images != signature->images.length)
        return false;
    bool fits = true;
    for (size_t i = 0; i < signature->inputs.length && fits; i++) {
        InputRef input = signature->inputs.data[i];
        const CallParameter *here = &jit->parameters[at++];
        fits = here->is_image == input.is_image && here->index == input.index;
        if (fits && input.is_image)
            fits = type_equal(here->type, signature->images.data[input.index].type) &&
                   here->dimensions == signature->images.data[input.index].dimensions;
        else if (fits)
            fits = type_equal(here->type, signature->parameters.data[input.index].type);
    }
    for (size_t i = 0; i < signature->outputs.length && fits; i++) {
        const FuncShape *func = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < func->components && fits; c++, at++)
            fits = type_equal(jit->parameters[at].type, func->types[c]) &&
                   jit->parameters[at].dimensions == func->dimensions;
    }
    return fits;
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

Outcome jit_call(const Jit *jit, const Arguments *arguments) {
    hlc_report report = {0}, *report_address = &report;
    unsigned count = count_parameters(jit);
    CallBuffer buffers[jit->images + jit->outputs + 1];
    Bits scalars[jit->scalars + 1];
    void *values[1 + count];
    int error = 0;
    values[0] = &report_address;
    for (unsigned i = 0; i < count && !error; i++) {
        const CallParameter *parameter = &jit->parameters[i];
        unsigned index = parameter->index;
        if (!parameter->is_image) {
            bits_store(parameter->type, &scalars[index], arguments->parameters[index]);
            values[1 + i] = &scalars[index];
            continue;
        }
        const Image *image = index < jit->images ? &arguments->images[index]
                                                 : &arguments->outputs[index - jit->images];
        error = make_buffer(&buffers[index], image, parameter->name, &report);
        values[1 + i] = &buffers[index].address;
    }
    if (!error) {
        ffi_arg result = 0;
        ffi_call((ffi_cif *)&jit->interface, jit->report, &result, values);
        error = (int)result;
    }
    Outcome outcome = {.error = error};
    if (error)
        memcpy(outcome.message, report.message, sizeof outcome.message);
    return outcome;
}
