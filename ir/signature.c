#include "ir/signature.h"

#include <string.h>

int shape_bytes(const FuncShape *shape) {
    int bytes = 0;
    for (int c = 0; c < shape->components; c++)
        bytes += type_bytes(shape->types[c]);
    return bytes;
}

FuncShape *signature_func(const Signature *signature, Symbol name) {
    return map_get(&signature->by_name, name);
}

const Parameter *signature_parameter(const Signature *signature, Symbol name) {
    for (size_t i = 0; i < signature->parameters.length; i++)
        if (signature->parameters.data[i].name == name)
            return &signature->parameters.data[i];
    return NULL;
}

const Output *signature_output(const Signature *signature, Symbol func) {
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].func == func)
            return &signature->outputs.data[i];
    return NULL;
}

const ImageParameter *signature_image(const Signature *signature, Symbol name) {
    for (size_t i = 0; i < signature->images.length; i++)
        if (signature->images.data[i].name == name)
            return &signature->images.data[i];
    return NULL;
}

static const char *const field_names[] = {[FIELD_MINIMUM] = "min",
                                          [FIELD_EXTENT] = "extent",
                                          [FIELD_STRIDE] = "stride",
                                          [FIELD_DOMAIN_MINIMUM] = "domain_min",
                                          [FIELD_DOMAIN_EXTENT] = "domain_extent"};

Expr expr_buffer_field(Pool *pool, Symbol buffer, BufferField field, int dimension) {
    Symbol name = symbol_format(&pool->context->symbols, "%s.%s.%d", buffer->text,
                                field_names[field], dimension);
    return expr_variable(pool, name, INDEX);
}

Expr signature_domain_field(const Signature *signature, Pool *pool, Symbol buffer,
                            BufferField field, int dimension) {
    hlc_assert(field == FIELD_MINIMUM || field == FIELD_EXTENT, "a domain has no strides");
    if (signature->windows)
        field = field == FIELD_MINIMUM ? FIELD_DOMAIN_MINIMUM : FIELD_DOMAIN_EXTENT;
    return expr_buffer_field(pool, buffer, field, dimension);
}

Extent signature_domain(const Signature *signature, Pool *pool, Symbol buffer, int dimension) {
    return (Extent){signature_domain_field(signature, pool, buffer, FIELD_MINIMUM, dimension),
                    signature_domain_field(signature, pool, buffer, FIELD_EXTENT, dimension)};
}

bool signature_has_field(const Signature *signature, Symbol buffer, BufferField field,
                         int dimension) {
    const ImageParameter *image = signature_image(signature, buffer);
    const FuncShape *func = signature_func(signature, buffer);
    if (field > FIELD_STRIDE && !signature->windows)
        return false;
    return image ? dimension < image->dimensions
                 : func && func->is_output && dimension < func->dimensions;
}

bool buffer_field_parse(Context *context, Symbol name, Symbol *buffer, BufferField *field,
                        int *dimension) {
    /* Parse from the right: `.D`, then `.field`. The rest is the buffer, which may contain dots
     * (`out.0.min.1`). */
    const char *text = name->text, *last = strrchr(text, '.');
    if (!last || last == text || last[1] < '0' || last[1] > '9' || last[2])
        return false;
    const char *dot = last - 1;
    while (dot > text && *dot != '.')
        dot--;
    if (dot == text)
        return false;
    size_t length = (size_t)(last - dot - 1);
    for (int f = FIELD_MINIMUM; f < BUFFER_FIELDS; f++) {
        if (strlen(field_names[f]) == length && memcmp(dot + 1, field_names[f], length) == 0) {
            *buffer = symbol_intern(&context->symbols, text, (size_t)(dot - text));
            *field = (BufferField)f;
            *dimension = last[1] - '0';
            return true;
        }
    }
    return false;
}
