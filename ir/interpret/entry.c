/* entry.c -- see entry.h. */
#include "ir/interpret/entry.h"

#include "ir/value.h"

static bool refuse(Outcome *outcome, int error, const char *subject, const int64_t numbers[5]) {
    outcome->error = error;
    hlc_error_message(outcome->message, (int)sizeof outcome->message, error, subject, numbers, 5);
    return false;
}

static bool check_parameter(const Parameter *p, Bits value, Outcome *outcome) {
    if (!p->has_range)
        return true;
    Type type = p->type, types[2] = {type, type};
    bool small = value_apply(OP_LT, BOOL, types, (Bits[]){value, p->lower}, NULL).bits;
    bool fits = value_apply(OP_LE, BOOL, types, (Bits[]){value, p->upper}, NULL).bits;
    int64_t numbers[5] = {value, p->lower, p->upper, type.kind == TYPE_UINT && type.bits == 64};
    numbers[3] *= 2; /* the message's number format: 2 for u64, 1 for floats, else 0 */
    for (int n = 0; n < 3 && type_is_float(type); n++, numbers[3] = 1)
        numbers[n] = bits_from_double(F64, bits_to_double(type, numbers[n]));
    return (!small && fits) ||
           refuse(outcome, small ? HLC_ERROR_PARAMETER_TOO_SMALL : HLC_ERROR_PARAMETER_TOO_LARGE,
                  p->name->text, numbers);
}

/* Checks that a buffer's extents are nonnegative and its coordinates fit i32. */
static bool check_extents(const char *name, const Image *image, Outcome *outcome) {
    for (int d = 0; d < image->dimensions; d++) {
        int64_t first = image->minimum[d], extent = image->extent[d], last = first;
        if (extent < 0)
            return refuse(outcome, HLC_ERROR_NEGATIVE_EXTENT, name, (int64_t[5]){extent, d});
        if (first != (int32_t)first || extent > (int64_t)1 << 32 ||
            (extent > 0 && (last = first + extent - 1) > INT32_MAX))
            return refuse(outcome, HLC_ERROR_COORDINATE_RANGE, name, (int64_t[5]){first, last, d});
    }
    return true;
}

/* Checks the domain, and that a window with points lies in it. */
static bool check_domain(const char *name, const Image *image, Outcome *outcome) {
    Image domain = {.dimensions = image->dimensions};
    for (int d = 0; d < image->dimensions; d++) {
        domain.minimum[d] = image_domain_minimum(image, d);
        domain.extent[d] = image_domain_extent(image, d);
    }
    if (!check_extents(name, &domain, outcome))
        return false;
    for (int d = 0; d < image->dimensions && image_count(image) > 0; d++) {
        int64_t first = image->minimum[d], end = first + image->extent[d],
                domain_end = domain.minimum[d] + domain.extent[d];
        if (first < domain.minimum[d] || end > domain_end)
            return refuse(outcome, HLC_ERROR_WINDOW_OUTSIDE, name,
                          (int64_t[5]){first, end - 1, d, domain.minimum[d], domain_end - 1});
    }
    return true;
}

/* An image or window. */
static bool check_buffer(const Signature *signature, const char *name, const Image *image,
                         Outcome *outcome) {
    return check_extents(name, image, outcome) &&
           (!signature->windows || check_domain(name, image, outcome));
}

/* Refuses an empty image that a boundary condition folds coordinates into. */
static bool check_boundary(const Signature *signature, const Arguments *arguments,
                           const BoundaryUse *use, Outcome *outcome) {
    for (size_t i = 0; i < signature->images.length; i++)
        if (signature->images.data[i].name == use->image &&
            image_domain_extent(&arguments->images[i], use->dimension) == 0)
            return refuse(outcome, HLC_ERROR_EMPTY_IMAGE, use->image->text,
                          (int64_t[5]){0, use->dimension});
    return true;
}

bool entry_check(const Pipeline *pipeline, const Arguments *arguments, Outcome *outcome) {
    const Signature *signature = &pipeline->signature;
    const Image *window = arguments->outputs;
    bool good = true;
    for (size_t i = 0; good && i < signature->parameters.length; i++)
        good = check_parameter(&signature->parameters.data[i], arguments->parameters[i], outcome);
    for (size_t i = 0; good && i < signature->images.length; i++)
        good = check_buffer(signature, signature->images.data[i].name->text, &arguments->images[i],
                            outcome);
    for (size_t i = 0; good && i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; good && c < shape->components; c++)
            good = check_buffer(signature, shape->name->text, window++, outcome);
    }
    for (size_t i = 0; good && i < pipeline->boundaries.length; i++)
        good = check_boundary(signature, arguments, &pipeline->boundaries.data[i], outcome);
    return good;
}
