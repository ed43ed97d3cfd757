/* call.c -- calls loaded code with arguments that are data.
 *
 * libffi calls NAME_report by its C type, so the call runs the same entry as in a linked object. It
 * writes nothing of the Jit: several threads may call it at once.
 */
#include "codegen/machine/jit.h"

#include <string.h>

static ffi_type *scalar_type(Type type) {
    static ffi_type *const types[TYPE_COUNT] = {
        &ffi_type_uint8,  &ffi_type_sint8,  &ffi_type_sint16, &ffi_type_sint32, &ffi_type_sint64,
        &ffi_type_uint8,  &ffi_type_uint16, &ffi_type_uint32, &ffi_type_uint64, &ffi_type_uint16,
        &ffi_type_uint16, &ffi_type_float,  &ffi_type_double, &ffi_type_sint64};
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
    jit->windows = signature->windows;
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
    if (strcmp(jit->name, signature->name->text) != 0 || jit->windows != signature->windows ||
        count != count_parameters(jit) || jit->images != signature->images.length)
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

/* Image `index` of the inputs and then the outputs. */
static const Image *image_of(const Jit *jit, const Arguments *arguments, unsigned index) {
    return index < jit->images ? &arguments->images[index]
                               : &arguments->outputs[index - jit->images];
}

static bool has_domains(const Jit *jit, const Arguments *arguments) {
    bool has_domain = false;
    for (unsigned i = 0; jit->windows && i < jit->images + jit->outputs; i++)
        has_domain |= image_of(jit, arguments, i)->has_domain;
    return has_domain;
}

static bool narrow(int64_t number, int32_t *narrowed) {
    *narrowed = (int32_t)number;
    return *narrowed == number;
}

/* Calls NAME_call with the domains of the images, in the order of the parameters. */
static int call_in_domains(const Jit *jit, const Arguments *arguments, uint32_t what,
                           CallBuffer *buffers, Bits *scalars, hlc_report *report) {
    unsigned count = count_parameters(jit), at = 0;
    hlc_interval domains[(jit->images + jit->outputs) * MAX_IMAGE_DIMENSIONS + 1];
    void *values[count + 1];
    for (unsigned i = 0; i < count; i++) {
        const CallParameter *parameter = &jit->parameters[i];
        if (!parameter->is_image) {
            values[i] = &scalars[parameter->index];
            continue;
        }
        const Image *image = image_of(jit, arguments, parameter->index);
        values[i] = buffers[parameter->index].address;
        for (int d = 0; d < parameter->dimensions; d++, at++) {
            int64_t minimum = image_domain_minimum(image, d),
                    extent = image_domain_extent(image, d),
                    numbers[] = {minimum, minimum + extent - 1, d};
            if (!narrow(minimum, &domains[at].min) || !narrow(extent, &domains[at].extent))
                return hlc_fail(report, HLC_ERROR_COORDINATE_RANGE, parameter->name, numbers, 3);
        }
    }
    hlc_call asked = {.size = sizeof asked, .what = what, .domains = domains};
    return jit->call(report, &asked, values);
}

/* Calls NAME_report with the images as buffers. An image without memory and elements gets the
 * address `hold`. In a bounds query `hold` is null: it asks for the boxes of all images without
 * memory. */
static Outcome call(const Jit *jit, const Arguments *arguments, uint32_t what, uint8_t *hold,
                    CallBuffer *buffers) {
    hlc_report report = {0}, *report_address = &report;
    unsigned count = count_parameters(jit);
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
        const Image *image = image_of(jit, arguments, index);
        CallBuffer *buffer = &buffers[index];
        error =
            image_to_buffer(image, parameter->name, &buffer->buffer, buffer->dimensions, &report);
        if (!image->data && image_count(image) == 0)
            buffer->buffer.host = hold;
        else if (!image->data && hold && !error)
            error = hlc_fail(&report, HLC_ERROR_HOST_IS_NULL, parameter->name, NULL, 0);
        buffer->address = &buffer->buffer;
        values[1 + i] = &buffers[index].address;
    }
    if (!error && (has_domains(jit, arguments) || what == HLC_CALL_CHECK)) {
        error = call_in_domains(jit, arguments, what, buffers, scalars, &report);
    } else if (!error) {
        ffi_arg result = 0;
        ffi_call((ffi_cif *)&jit->interface, jit->report, &result, values);
        error = (int)result;
    }
    Outcome outcome = {.error = error};
    if (error)
        memcpy(outcome.message, report.message, sizeof outcome.message);
    return outcome;
}

Outcome jit_call(const Jit *jit, const Arguments *arguments) {
    static uint8_t nothing; /* address of an image without elements: never accessed */
    CallBuffer buffers[jit->images + jit->outputs + 1];
    return call(jit, arguments, HLC_CALL_RUN, &nothing, buffers);
}

Outcome jit_check(const Jit *jit, const Arguments *arguments) {
    static uint8_t nothing;
    CallBuffer buffers[jit->images + jit->outputs + 1];
    return call(jit, arguments, HLC_CALL_CHECK, &nothing, buffers);
}

int jit_call_raw(const Jit *jit, hlc_report *report, void *const *arguments) {
    unsigned count = count_parameters(jit);
    void *values[1 + count];
    ffi_arg result = 0;
    values[0] = &report;
    for (unsigned i = 0; i < count; i++)
        values[1 + i] = jit->parameters[i].is_image ? (void *)&arguments[i] : arguments[i];
    ffi_call((ffi_cif *)&jit->interface, jit->report, &result, values);
    return (int)result;
}

int jit_call_with(const Jit *jit, const hlc_call *call, hlc_report *report,
                  void *const *arguments) {
    if (jit->call)
        return jit->call(report, call, (void **)arguments);
    int64_t numbers[] = {call ? call->size : 0, call ? call->what : 0, call ? call->threads : 0};
    if (call && (call->size != sizeof *call || call->what != HLC_CALL_RUN || call->domains ||
                 call->threads < 0))
        return hlc_fail(report, HLC_ERROR_BAD_CALL, jit->name, numbers, 3);
    hlc_call_scope scope;
    hlc_enter_call(call, &scope);
    int error = jit_call_raw(jit, report, arguments);
    hlc_leave_call(&scope);
    return error;
}

Outcome jit_query(const Jit *jit, Arguments *arguments) {
    CallBuffer buffers[jit->images + jit->outputs + 1];
    Outcome outcome = call(jit, arguments, HLC_CALL_QUERY, NULL, buffers);
    for (unsigned i = 0; outcome.error == 0 && i < jit->images + jit->outputs; i++) {
        Image *image =
            i < jit->images ? &arguments->images[i] : &arguments->outputs[i - jit->images];
        if (!image->data)
            image_take_box(image, &buffers[i].buffer);
    }
    return outcome;
}
