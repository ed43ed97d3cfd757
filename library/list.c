/* list.c -- lists the contents of a loaded file: pipelines with their inputs and outputs,
 * schedules. */
#include "library/compiler.h"

#include <string.h>

size_t hlc_pipeline_count(const hlc *h) {
    if (!h)
        return 0;
    return h->module ? h->module->pipelines.length : h->program != NULL;
}

static const Signature *signature_at(const hlc *h, size_t i) {
    return h->module ? &h->module->pipelines.data[i]->signature : h->program->signature;
}

const char *hlc_pipeline_name(const hlc *h, size_t i) {
    return i < hlc_pipeline_count(h) ? signature_at(h, i)->name->text : NULL;
}

bool hlc_pipeline_reassociates(const hlc *h, size_t i) {
    return i < hlc_pipeline_count(h) && h->module && h->module->pipelines.data[i]->reassociation;
}

size_t hlc_schedule_count(const hlc *h) {
    return h && h->module ? h->module->schedules.length : 0;
}

const char *hlc_schedule_name(const hlc *h, size_t i) {
    return i < hlc_schedule_count(h) ? h->module->schedules.data[i]->name->text : NULL;
}

const char *hlc_schedule_pipeline(const hlc *h, size_t i) {
    return i < hlc_schedule_count(h) ? h->module->schedules.data[i]->pipeline->text : NULL;
}

/* ---- inputs ---- */

hlc_kind list_kind(Type type) {
    return type_is_bool(type)       ? HLC_BOOL
           : type_equal(type, BF16) ? HLC_BFLOAT
           : type_is_float(type)    ? HLC_FLOAT
           : type.kind == TYPE_INT  ? HLC_INT
                                    : HLC_UINT;
}

static hlc_value value_of(Type type, Bits bits) {
    switch (list_kind(type)) {
    case HLC_BOOL:
        return hlc_bool(bits != 0);
    case HLC_INT:
        return hlc_int(bits);
    case HLC_UINT:
        return hlc_uint((uint64_t)bits);
    case HLC_FLOAT:
    case HLC_BFLOAT:
        return hlc_float(bits_to_double(type, bits));
    }
    return hlc_int(bits);
}

size_t hlc_input_count(const hlc *h, size_t pipeline) {
    if (pipeline >= hlc_pipeline_count(h))
        return 0;
    return signature_at(h, pipeline)->inputs.length;
}

hlc_layout list_layout(Layout layout) {
    return layout == LAYOUT_PLANAR        ? HLC_PLANAR
           : layout == LAYOUT_INTERLEAVED ? HLC_INTERLEAVED
                                          : HLC_STRIDED;
}

hlc_input hlc_input_at(const hlc *h, size_t pipeline, size_t i) {
    if (i >= hlc_input_count(h, pipeline))
        return (hlc_input){.name = NULL};
    const Signature *signature = signature_at(h, pipeline);
    InputRef input = signature->inputs.data[i];
    if (input.is_image) {
        const ImageParameter *image = &signature->images.data[input.index];
        return (hlc_input){.name = image->name->text,
                           .is_image = true,
                           .kind = list_kind(image->type),
                           .bits = image->type.bits,
                           .dimensions = image->dimensions,
                           .layout = list_layout(image->layout)};
    }
    const Parameter *parameter = &signature->parameters.data[input.index];
    return (hlc_input){.name = parameter->name->text,
                       .kind = list_kind(parameter->type),
                       .bits = parameter->type.bits,
                       .has_default = parameter->has_default,
                       .has_range = parameter->has_range,
                       .default_value = value_of(parameter->type, parameter->default_value),
                       .lower = value_of(parameter->type, parameter->lower),
                       .upper = value_of(parameter->type, parameter->upper)};
}

/* ---- outputs ---- */

size_t hlc_output_count(const hlc *h, size_t pipeline) {
    if (pipeline >= hlc_pipeline_count(h))
        return 0;
    const Signature *signature = signature_at(h, pipeline);
    size_t count = 0;
    for (size_t i = 0; i < signature->outputs.length; i++)
        count += (size_t)signature_func(signature, signature->outputs.data[i].func)->components;
    return count;
}

hlc_output hlc_output_at(const hlc *h, size_t pipeline, size_t i) {
    if (i >= hlc_output_count(h, pipeline))
        return (hlc_output){.func = NULL};
    const Signature *signature = signature_at(h, pipeline);
    size_t output = 0;
    const FuncShape *shape = signature_func(signature, signature->outputs.data[0].func);
    while (i >= (size_t)shape->components) {
        i -= (size_t)shape->components;
        shape = signature_func(signature, signature->outputs.data[++output].func);
    }
    Symbol image = signature->outputs.data[output].image;
    return (hlc_output){.func = shape->name->text,
                        .component = shape->components == 1 ? -1 : (int)i,
                        .kind = list_kind(shape->types[i]),
                        .bits = shape->types[i].bits,
                        .dimensions = shape->dimensions,
                        .layout = list_layout(signature->outputs.data[output].layout),
                        .shares = image ? image->text : NULL};
}
