/* arguments_set.c -- binds values, images and windows by name: from text, and images from memory.
 */
#include "library/compiler.h"

#include <stdlib.h>
#include <string.h>

/* ---- setting by text ---- */

static hlc_status set_parameter(hlc_arguments *a, size_t i, const char *text) {
    const Parameter *parameter = &a->signature->parameters.data[i];
    Bits bits;
    if (!value_from_text(parameter->type, text, &bits))
        return arguments_bad_value(
            a, parameter->name->text, text,
            arena_format(a->h->scratch, "a parameter of type %s", type_name(parameter->type)),
            arguments_range_text(a->h->scratch, parameter->type));
    a->values.parameters[i] = bits;
    a->parameter_set[i] = a->parameter_bound[i] = true;
    return HLC_YES;
}

static hlc_status set_window(hlc_arguments *a, size_t i, const char *text) {
    const FuncShape *shape = signature_func(a->signature, a->signature->outputs.data[i].func);
    Image *window = &a->windows[i];
    int64_t minimum[MAX_DIMENSIONS];
    bool has_minimum;
    window->dimensions = shape->dimensions;
    if (!size_from_text(text, shape->dimensions, minimum, window->extent, &has_minimum)) {
        return arguments_bad_size(a, shape->name->text, text, shape->dimensions);
    }
    if (has_minimum || !a->minimum_set[i])
        memcpy(window->minimum, minimum, sizeof window->minimum);
    a->window_set[i] = true;
    size_t flat = arguments_first_component(a, i);
    for (int c = 0; c < shape->components; c++)
        arguments_release_output(a, flat + (size_t)c); /* the last binding holds */
    return HLC_YES;
}

/* Sets `NAME.min`; false if the name has another form. */
static bool set_minimum(hlc_arguments *a, const char *name, const char *text, hlc_status *status) {
    size_t length = strlen(name);
    if (length <= 4 || strcmp(name + length - 4, ".min") != 0)
        return false;
    const char *stem = arena_text(a->h->scratch, name, length - 4);
    size_t image = arguments_image(a, stem), output = arguments_output(a, stem);
    bool is_image = image < a->signature->images.length;
    if (!is_image && output == a->signature->outputs.length)
        return false;
    int dimensions =
        is_image
            ? a->signature->images.data[image].dimensions
            : signature_func(a->signature, a->signature->outputs.data[output].func)->dimensions;
    int64_t point[MAX_DIMENSIONS] = {0};
    if (!point_from_text(text, dimensions, point)) {
        *status = arguments_bad_value(
            a, name, text, arena_format(a->h->scratch, "a point in %d dimensions", dimensions),
            "write its coordinates with commas: 0,-1");
        return true;
    }
    int64_t *minimum = is_image ? a->image_minimum[image] : a->windows[output].minimum;
    memcpy(minimum, point, sizeof *minimum * MAX_IMAGE_DIMENSIONS);
    if (is_image) {
        a->image_minimum_set[image] = true;
        if (a->image_set[image])
            arguments_place_image(a, image, minimum);
    } else {
        a->minimum_set[output] = true;
    }
    *status = HLC_YES;
    return true;
}

/* Reads "constant:7:" and similar; `*text` advances behind it. If the 7 is not a value, `*wrong` is
 * its type. */
static bool contents_from_text(Type type, const char **text, FillKind *kind, int64_t *value,
                               Type *wrong) {
    static const struct {
        const char *word;
        FillKind kind;
        bool has_value;
    } WORDS[] = {{"zero:", FILL_ZERO, false},
                 {"ramp:", FILL_RAMP, false},
                 {"constant:", FILL_CONSTANT, true},
                 {"random:", FILL_RANDOM, true},
                 {"edges:", FILL_EDGES, true}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t length = strlen(WORDS[i].word);
        if (strncmp(*text, WORDS[i].word, length) != 0)
            continue;
        *kind = WORDS[i].kind;
        *value = 0;
        *text += length;
        if (!WORDS[i].has_value)
            return true;
        char number[64];
        const char *colon = strchr(*text, ':');
        if (!colon || (size_t)(colon - *text) >= sizeof number)
            return false;
        memcpy(number, *text, (size_t)(colon - *text));
        number[colon - *text] = 0;
        *text = colon + 1;
        *wrong = *kind == FILL_CONSTANT ? type : I64;
        return value_from_text(*wrong, number, value);
    }
    return false;
}

/* `wrong`: the type of the invalid value; index if the text is invalid otherwise. */
static hlc_status bad_contents(hlc_arguments *a, const ImageParameter *parameter, const char *text,
                               FillKind kind, Type wrong) {
    Arena *scratch = a->h->scratch;
    const char *remedy =
        "write random:SEED:SIZE, edges:SEED:SIZE, zero:SIZE, ramp:SIZE or constant:VALUE:SIZE";
    if (!type_is_index(wrong))
        remedy = arena_format(scratch, "%s as %s", arguments_range_text(scratch, wrong),
                              kind == FILL_CONSTANT ? "VALUE of constant:VALUE:SIZE"
                              : kind == FILL_RANDOM ? "SEED of random:SEED:SIZE"
                                                    : "SEED of edges:SEED:SIZE");
    return arguments_bad_value(
        a, parameter->name->text, text,
        arguments_image_text(scratch, parameter->type, parameter->dimensions), remedy);
}

static hlc_status set_contents(hlc_arguments *a, size_t i, const char *text) {
    const ImageParameter *parameter = &a->signature->images.data[i];
    const char *name = parameter->name->text, *rest = text;
    FillKind kind = FILL_ZERO;
    int64_t value, minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS];
    bool has_minimum, is_automatic;
    Type wrong = INDEX;
    if (!contents_from_text(parameter->type, &rest, &kind, &value, &wrong))
        return bad_contents(a, parameter, text, kind, wrong);
    is_automatic = strcmp(rest, "auto") == 0;
    if (!is_automatic &&
        !size_from_text(rest, parameter->dimensions, minimum, extent, &has_minimum)) {
        return arguments_bad_size(a, name, rest, parameter->dimensions);
    }
    arguments_release_image(a, i);
    a->pseudo[i] = (Pseudo){is_automatic, kind, value};
    if (is_automatic)
        return HLC_YES;
    if (!arguments_allocate(a, &a->values.images[i], parameter->type, parameter->dimensions,
                            minimum, extent, parameter->layout))
        return arguments_no_memory(a->h, name);
    fill_image(&a->values.images[i], kind, value, a->image_domains[i].has_domain);
    a->image_set[i] = true;
    if (a->image_minimum_set[i] && !has_minimum)
        arguments_place_image(a, i, a->image_minimum[i]);
    return HLC_YES;
}

static hlc_status set_argument(hlc_arguments *a, const char *name, const char *text) {
    size_t parameter = arguments_parameter(a, name), image = arguments_image(a, name),
           output = arguments_output(a, name);
    hlc_status status;
    if (parameter < a->signature->parameters.length)
        return set_parameter(a, parameter, text);
    if (image < a->signature->images.length)
        return set_contents(a, image, text);
    if (output < a->signature->outputs.length)
        return set_window(a, output, text);
    if (set_minimum(a, name, text, &status))
        return status;
    arguments_report_unknown(a, name);
    return HLC_USER;
}

typedef struct ArgumentSetting {
    hlc_arguments *a;
    const char *name, *text;
    const hlc_image *image;
} ArgumentSetting;

static hlc_status set_text(hlc *h, void *data) {
    const ArgumentSetting *setting = data;
    (void)h;
    return set_argument(setting->a, setting->name, setting->text);
}

hlc_status hlc_arguments_set(hlc_arguments *a, const char *name, const char *text) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    if (!text)
        return compiler_null(a->h, "text");
    ArgumentSetting setting = {.a = a, .name = name, .text = text};
    return compiler_enter(a->h, set_text, &setting);
}

/* ---- setting by image ---- */

static Type type_of_kind(hlc_kind kind, int bits) {
    static const TypeKind KINDS[] = {TYPE_BOOL, TYPE_INT, TYPE_UINT, TYPE_FLOAT, TYPE_BFLOAT};
    return (Type){(uint8_t)KINDS[kind], (uint8_t)bits, 1};
}

/* Copies `count` elements of `bytes` each, `to_step` and `from_step` bytes apart. */
static void copy_row(unsigned char *to, int64_t to_step, const unsigned char *from,
                     int64_t from_step, int64_t count, size_t bytes) {
    if (to_step == (int64_t)bytes && from_step == (int64_t)bytes) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    for (; bytes == 1 && count > 0; count--, to += to_step, from += from_step)
        *to = *from;
    for (; count > 0; count--, to += to_step, from += from_step)
        memcpy(to, from, bytes);
}

void arguments_copy_image(Image *to, const Image *from) {
    int64_t at[MAX_IMAGE_DIMENSIONS], bytes = type_bytes(to->type);
    memcpy(at, to->minimum, sizeof at);
    int64_t rows = to->extent[0] > 0 ? image_count(to) / to->extent[0] : 0;
    for (int64_t i = 0; i < rows; i++) {
        copy_row(image_at(to, at), to->stride[0] * bytes, image_at(from, at),
                 from->stride[0] * bytes, to->extent[0], (size_t)bytes);
        for (int d = 1; d < to->dimensions && ++at[d] == to->minimum[d] + to->extent[d]; d++)
            at[d] = to->minimum[d];
    }
}

static bool is_kind_of_element(hlc_kind kind, int bits) {
    switch (kind) {
    case HLC_BOOL:
        return bits == 1;
    case HLC_INT:
    case HLC_UINT:
        return bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case HLC_FLOAT:
        return bits == 16 || bits == 32 || bits == 64;
    case HLC_BFLOAT:
        return bits == 16;
    }
    return false;
}

/* What is wrong with an image whose type and dimensions are right; null where nothing is.  Its
 * coordinates lie in 32 bits, and the distances of its elements in 62, in bytes. */
static const char *find_fault(Arena *arena, const hlc_image *image) {
    __int128 reach = 0;
    bool is_empty = false;
    for (int d = 0; d < image->dimensions; d++) {
        int64_t minimum = image->minimum[d], extent = image->extent[d], stride = image->stride[d];
        if (extent < 0 || extent > INT32_MAX || minimum < INT32_MIN ||
            minimum > (int64_t)INT32_MAX + 1 - extent)
            return arena_format(arena, "its coordinates in dimension %d do not fit in 32 bits", d);
        reach +=
            (__int128)(extent > 0 ? extent - 1 : 0) * (stride < 0 ? -(__int128)stride : stride);
        is_empty |= extent == 0;
    }
    if (!is_empty && !image->data)
        return "it has no data";
    if (!is_empty && reach > (INT64_MAX >> 4))
        return "its strides lead beyond all memory";
    return NULL;
}

static hlc_status set_image(hlc *h, void *data) {
    const ArgumentSetting *setting = data;
    hlc_arguments *a = setting->a;
    const hlc_image *given = setting->image;
    size_t i = arguments_image(a, setting->name);
    if (i == a->signature->images.length) {
        arguments_report_unknown(a, setting->name);
        return HLC_USER;
    }
    const ImageParameter *parameter = &a->signature->images.data[i];
    if (!is_kind_of_element(given->kind, given->bits)) {
        diag(h->context, DIAG_BUFFER_UNFIT, NOWHERE, setting->name,
             arena_format(h->scratch, "there are no elements of kind %d with %d bits",
                          (int)given->kind, given->bits));
        return HLC_USER;
    }
    Image from = {.type = type_of_kind(given->kind, given->bits),
                  .dimensions = given->dimensions,
                  .data = given->data};
    if (!type_equal(from.type, parameter->type) || from.dimensions != parameter->dimensions) {
        diag(h->context, DIAG_IMAGE_MISMATCH, NOWHERE, setting->name,
             arguments_image_text(h->scratch, parameter->type, parameter->dimensions),
             arguments_image_text(h->scratch, from.type, from.dimensions),
             arena_format(h->scratch, "image<%s, %d>", type_name(from.type), from.dimensions));
        return HLC_USER;
    }
    const char *fault = find_fault(h->scratch, given);
    if (fault) {
        diag(h->context, DIAG_BUFFER_UNFIT, NOWHERE, setting->name, fault);
        return HLC_USER;
    }
    memcpy(from.minimum, given->minimum, sizeof from.minimum);
    memcpy(from.extent, given->extent, sizeof from.extent);
    memcpy(from.stride, given->stride, sizeof from.stride);
    arguments_release_image(a, i);
    if (!arguments_allocate(a, &a->values.images[i], from.type, from.dimensions, from.minimum,
                            from.extent, parameter->layout))
        return arguments_no_memory(h, setting->name);
    arguments_copy_image(&a->values.images[i], &from);
    a->image_set[i] = true;
    if (a->image_minimum_set[i])
        arguments_place_image(a, i, a->image_minimum[i]);
    return HLC_YES;
}

hlc_status hlc_arguments_set_image(hlc_arguments *a, const char *name, const hlc_image *image) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    if (!image)
        return compiler_null(a->h, "image");
    ArgumentSetting setting = {.a = a, .name = name, .image = image};
    return compiler_enter(a->h, set_image, &setting);
}

/* ---- binding domains ---- */

typedef struct DomainRequest {
    hlc_arguments *a;
    const char *name, *text;
    const hlc_interval *intervals; /* null: text */
    int dimensions;
} DomainRequest;

/* Finds the place of the domain and its dimensions; null after reporting. */
static Image *find_domain(hlc_arguments *a, const char *name, int *dimensions) {
    size_t image = arguments_image(a, name), output = arguments_output(a, name);
    if (!a->signature->windows) {
        diag(a->h->context, DIAG_NO_WINDOWS, NOWHERE, name, a->signature->name->text);
        return NULL;
    }
    if (image < a->signature->images.length) {
        *dimensions = a->signature->images.data[image].dimensions;
        return &a->image_domains[image];
    }
    if (output == a->signature->outputs.length) {
        arguments_report_unknown(a, name);
        return NULL;
    }
    *dimensions = signature_func(a->signature, a->signature->outputs.data[output].func)->dimensions;
    return &a->window_domains[output];
}

static hlc_status set_domain(hlc *h, void *data) {
    const DomainRequest *request = data;
    int dimensions;
    int64_t minimum[MAX_IMAGE_DIMENSIONS] = {0}, extent[MAX_IMAGE_DIMENSIONS] = {0};
    bool has_minimum;
    Image *domain = find_domain(request->a, request->name, &dimensions);
    if (!domain)
        return HLC_USER;
    if (request->text) {
        if (!size_from_text(request->text, dimensions, minimum, extent, &has_minimum))
            return arguments_bad_size(request->a, request->name, request->text, dimensions);
    } else if (request->dimensions != dimensions) {
        diag(h->context, DIAG_BUFFER_UNFIT, NOWHERE, request->name,
             arena_format(h->scratch, "its domain has %d dimensions, not %d", dimensions,
                          request->dimensions));
        return HLC_USER;
    }
    for (int d = 0; d < dimensions && request->intervals; d++) {
        minimum[d] = request->intervals[d].min;
        extent[d] = request->intervals[d].extent;
    }
    domain->dimensions = dimensions;
    domain->has_domain = true;
    memcpy(domain->domain_minimum, minimum, sizeof minimum);
    memcpy(domain->domain_extent, extent, sizeof extent);
    return HLC_YES;
}

hlc_status hlc_arguments_set_domain(hlc_arguments *a, const char *name,
                                    const struct hlc_interval *domain, int dimensions) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    if (!domain && dimensions != 0)
        return compiler_null(a->h, "domain");
    DomainRequest request = {.a = a, .name = name, .intervals = domain, .dimensions = dimensions};
    return compiler_enter(a->h, set_domain, &request);
}

hlc_status hlc_arguments_set_domain_text(hlc_arguments *a, const char *name, const char *text) {
    if (!a)
        return HLC_USER;
    if (!name)
        return compiler_null(a->h, "name");
    if (!text)
        return compiler_null(a->h, "text");
    DomainRequest request = {.a = a, .name = name, .text = text};
    return compiler_enter(a->h, set_domain, &request);
}

hlc_status hlc_use_windows(hlc *h) {
    if (!h)
        return HLC_USER;
    h->context->makes_windows = true;
    return HLC_YES;
}

/* ---- all ---- */

void arguments_copy(hlc_arguments *a, const hlc_arguments *from) {
    const Signature *signature = a->signature;
    for (size_t i = 0; i < signature->parameters.length; i++)
        if (from->parameter_bound[i]) {
            a->values.parameters[i] = from->values.parameters[i];
            a->parameter_set[i] = a->parameter_bound[i] = true;
        }
    for (size_t i = 0; i < signature->images.length; i++) {
        const Image *image = &from->values.images[i];
        if (!from->image_set[i] ||
            !arguments_allocate(a, &a->values.images[i], image->type, image->dimensions,
                                image->minimum, image->extent, signature->images.data[i].layout))
            continue;
        arguments_copy_image(&a->values.images[i], image);
        a->image_set[i] = true;
    }
    memcpy(a->image_domains, from->image_domains,
           sizeof *a->image_domains * signature->images.length);
    memcpy(a->window_domains, from->window_domains,
           sizeof *a->window_domains * signature->outputs.length);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        a->windows[i] = from->windows[i];
        a->window_set[i] = from->window_set[i];
        a->minimum_set[i] = from->minimum_set[i];
    }
}
