/* window.c -- the window of each output: given by the caller; else the one that the pipeline
 * proposes, `-> out(input.width / 2, (0, 3))`; else the box of an input, which is a guess. Then the
 * domains of images and outputs.
 *
 * A proposal is in startup variables. It is evaluated over the integers, and refused if it leaves
 * 64 bits, or makes a window that no buffer can have.
 */
#include "library/compiler.h"

#include "ir/interpret/evaluate.h"

#include <inttypes.h>
#include <string.h>

/* ---- proposals ---- */

typedef struct Proposing {
    hlc_arguments *a;
    Symbol unknown; /* a name without a value yet; null: none */
    const char *fault;
} Proposing;

/* Only parameters and images: no window depends on another one. */
static bool value_of(void *data, Symbol name, Bits *bits) {
    Proposing *proposing = data;
    Symbol buffer;
    BufferField field;
    int d;
    bool is_buffer = buffer_field_parse(proposing->a->h->context, name, &buffer, &field, &d) &&
                     !signature_parameter(proposing->a->signature, name);
    if (is_buffer && !signature_image(proposing->a->signature, buffer))
        return false;
    if (arguments_known(proposing->a, name, bits))
        return true;
    proposing->unknown = is_buffer ? buffer : name;
    return false;
}

static bool evaluate(Proposing *proposing, Expr expr, int64_t *value) {
    Arena *arena = proposing->a->h->scratch;
    Bits bits = 0;
    if (expr_evaluate(arena, expr, value_of, proposing, &bits)) {
        *value = bits;
        return true;
    }
    proposing->fault =
        proposing->unknown
            ? arena_format(arena, "it depends on the size of `%s`, which is not known",
                           proposing->unknown->text)
            : "its arithmetic leaves 64 bits";
    return false;
}

/* Sets one dimension of the window, unless no buffer can have it. */
static bool propose_dimension(Proposing *proposing, const Extent *extent, int d, Image *window) {
    int64_t minimum, length;
    Arena *arena = proposing->a->h->scratch;
    if (!evaluate(proposing, extent->minimum, &minimum) ||
        !evaluate(proposing, extent->length, &length))
        return false;
    if (length < 0)
        proposing->fault =
            arena_format(arena, "dimension %d has %" PRId64 " coordinates", d, length);
    else if (minimum < INT32_MIN || minimum > INT32_MAX || length > INT32_MAX ||
             minimum + length - 1 > INT32_MAX)
        proposing->fault = arena_format(
            arena, "dimension %d has %" PRId64 " coordinates from %" PRId64 " on, beyond 32 bits",
            d, length, minimum);
    window->minimum[d] = minimum;
    window->extent[d] = length;
    return !proposing->fault;
}

/* A buffer has at most so many elements that its strides fit in 32 bits. */
static void check_elements(Proposing *proposing, const Image *window) {
    int64_t count = 1;
    for (int d = 0; d < window->dimensions; d++)
        if (__builtin_mul_overflow(count, window->extent[d], &count) || count > INT32_MAX) {
            proposing->fault = arena_format(proposing->a->h->scratch, "%s is too large",
                                            text_box(proposing->a->h->scratch, window, false));
            return;
        }
}

/* Sets the box that the output proposes for these arguments. */
static bool propose_box(Proposing *proposing, size_t output, Image *window) {
    hlc_arguments *a = proposing->a;
    const Output *declared = &a->signature->outputs.data[output];
    *window = (Image){.dimensions = signature_func(a->signature, declared->func)->dimensions};
    if (!declared->size)
        return false;
    for (int d = 0; d < window->dimensions; d++)
        if (!propose_dimension(proposing, &declared->size[d], d, window))
            return false;
    return true;
}

bool window_propose(hlc_arguments *a, size_t output, Image *window, const char **fault) {
    Proposing proposing = {.a = a};
    bool is_proposed = propose_box(&proposing, output, window);
    if (is_proposed)
        check_elements(&proposing, window);
    *fault = proposing.fault;
    return is_proposed && !proposing.fault;
}

bool window_propose_domain(hlc_arguments *a, size_t output, Image *domain) {
    Proposing proposing = {.a = a};
    return propose_box(&proposing, output, domain);
}

/* ---- guesses ---- */

/* Can the output's window be the box of image `i`? */
static bool is_like(const hlc_arguments *a, const Image *window, size_t i) {
    return a->signature->images.data[i].dimensions == window->dimensions &&
           !a->pseudo[i].is_automatic;
}

static bool is_same_box(const Image *a, const Image *b, bool minimum) {
    for (int d = 0; d < a->dimensions; d++)
        if (a->extent[d] != b->extent[d] || (minimum && a->minimum[d] != b->minimum[d]))
            return false;
    return true;
}

/* Finds the first image with as many dimensions, and one of another box; the count of images if
 * there is none. */
static void find_like(const hlc_arguments *a, size_t output, size_t *first, size_t *other) {
    const Image *window = &a->windows[output];
    size_t count = a->signature->images.length;
    *first = 0;
    while (*first < count && !is_like(a, window, *first))
        ++*first;
    *other = *first;
    while (*other < count && !(is_like(a, window, *other) &&
                               !is_same_box(&a->values.images[*first], &a->values.images[*other],
                                            !a->minimum_set[output])))
        ++*other;
}

/* The message mentions no size: a caller that runs on many sizes gets it once. */
static void report_guess(const hlc_arguments *a, const char *output, size_t image) {
    diag(a->h->context, DIAG_WINDOW_GUESSED, NOWHERE, output,
         a->signature->images.data[image].name->text,
         text_box(a->h->scratch, &a->values.images[image], false));
}

static bool report_choice(const hlc_arguments *a, const char *output, size_t first, size_t other) {
    Arena *arena = a->h->scratch;
    bool minimum = is_same_box(&a->values.images[first], &a->values.images[other], false);
    return diag(a->h->context, DIAG_WINDOW_OPEN, NOWHERE, output,
                a->signature->images.data[first].name->text,
                text_box(arena, &a->values.images[first], minimum),
                a->signature->images.data[other].name->text,
                text_box(arena, &a->values.images[other], minimum));
}

static bool report_unknown(const hlc_arguments *a, const char *output, int dimensions) {
    return diag(a->h->context, DIAG_SIZE_UNKNOWN, NOWHERE, output,
                arena_format(a->h->scratch, "%d extent%s", dimensions, dimensions == 1 ? "" : "s"));
}

/* ---- windows ---- */

static void take_box(hlc_arguments *a, size_t i, const Image *box) {
    Image *window = &a->windows[i];
    memcpy(window->extent, box->extent, sizeof window->extent);
    if (!a->minimum_set[i])
        memcpy(window->minimum, box->minimum, sizeof window->minimum);
}

bool window_find(hlc_arguments *a, size_t i, bool must) {
    const Output *output = &a->signature->outputs.data[i];
    const FuncShape *shape = signature_func(a->signature, output->func);
    const char *name = shape->name->text, *fault;
    Image proposed;
    size_t first, other, count = a->signature->images.length;
    a->windows[i].dimensions = shape->dimensions;
    if (a->window_set[i] || shape->dimensions == 0)
        return true;
    if (window_propose(a, i, &proposed, &fault)) {
        take_box(a, i, &proposed);
        return true;
    }
    if (fault && must)
        return diag(a->h->context, DIAG_SIZE_REFUSED, output->size_place, name, fault);
    find_like(a, i, &first, &other);
    if (must && first == count)
        return report_unknown(a, name, shape->dimensions);
    if (must && other < count)
        return report_choice(a, name, first, other);
    if (first < count)
        take_box(a, i, &a->values.images[first]);
    if (must)
        report_guess(a, name, first);
    return true;
}

/* Are the images known that a guess would look at? */
static bool is_guess_known(const hlc_arguments *a, size_t output) {
    bool known = false;
    for (size_t i = 0; i < a->signature->images.length; i++) {
        if (!is_like(a, &a->windows[output], i))
            continue;
        if (!a->image_set[i])
            return false;
        known = true;
    }
    size_t first, other;
    find_like(a, output, &first, &other);
    return known && other == a->signature->images.length;
}

const Image *window_known(hlc_arguments *a, Symbol func) {
    size_t i = 0;
    while (i < a->signature->outputs.length && a->signature->outputs.data[i].func != func)
        i++;
    if (i == a->signature->outputs.length)
        return NULL;
    Image proposed;
    const char *fault;
    a->windows[i].dimensions = signature_func(a->signature, func)->dimensions;
    bool known = a->window_set[i] || window_propose(a, i, &proposed, &fault) ||
                 (!fault && is_guess_known(a, i));
    return known && window_find(a, i, true) ? &a->windows[i] : NULL;
}

static bool domain_field(const Image *domain, BufferField field, int d, Bits *bits) {
    if (d >= domain->dimensions)
        return false;
    *bits = field == FIELD_DOMAIN_MINIMUM ? image_domain_minimum(domain, d)
                                          : image_domain_extent(domain, d);
    return true;
}

bool arguments_known(hlc_arguments *a, Symbol name, Bits *bits) {
    const Parameter *parameter = signature_parameter(a->signature, name);
    if (parameter) {
        size_t i = (size_t)(parameter - a->signature->parameters.data);
        *bits = a->values.parameters[i];
        return a->parameter_set[i];
    }
    Symbol buffer;
    BufferField field;
    int d;
    if (!buffer_field_parse(a->h->context, name, &buffer, &field, &d))
        return false;
    const ImageParameter *image = signature_image(a->signature, buffer);
    size_t i = image ? (size_t)(image - a->signature->images.data) : 0;
    if (image && field_of_window(field) != field && domain_of_image(a, i))
        return domain_field(domain_of_image(a, i), field, d, bits);
    const Image *box = image ? &a->values.images[i] : window_known(a, buffer);
    if (!box || (image && !a->image_set[i]) || d >= box->dimensions)
        return false;
    switch (field) {
    case FIELD_STRIDE: /* of memory that there is */
        return argument_variable(a->signature, &a->values, a->h->context, name, bits) && *bits;
    case FIELD_MINIMUM:
        *bits = box->minimum[d];
        return true;
    case FIELD_EXTENT:
        *bits = box->extent[d];
        return true;
    case FIELD_DOMAIN_MINIMUM:
    case FIELD_DOMAIN_EXTENT:
        return domain_field(!image && domain_of_window(a, (size_t)(box - a->windows))
                                ? domain_of_window(a, (size_t)(box - a->windows))
                                : box,
                            field, d, bits);
    }
    return false;
}

/* ---- domains, in the window form ----
 *
 * Given by the caller; else, of an output, the window that the pipeline proposes, if its own lies in
 * it; else the image or the window itself. */

const Image *domain_of_image(const hlc_arguments *a, size_t i) {
    return a->image_domains[i].has_domain ? &a->image_domains[i] : NULL;
}

static bool holds(const Image *whole, const Image *window) {
    for (int d = 0; d < window->dimensions; d++)
        if (window->minimum[d] < whole->minimum[d] ||
            window->minimum[d] + window->extent[d] > whole->minimum[d] + whole->extent[d])
            return false;
    return true;
}

static void set(Image *domain, int dimensions, const int64_t *minimum, const int64_t *extent) {
    size_t bytes = sizeof *minimum * (size_t)dimensions;
    domain->dimensions = dimensions;
    domain->has_domain = true;
    memcpy(domain->domain_minimum, minimum, bytes);
    memcpy(domain->domain_extent, extent, bytes);
}

const Image *domain_of_window(hlc_arguments *a, size_t output) {
    Image proposed;
    const char *fault;
    if (a->window_domains[output].has_domain)
        return &a->window_domains[output];
    if (!a->signature->windows || !a->window_set[output] ||
        !window_propose(a, output, &proposed, &fault) || !holds(&proposed, &a->windows[output]))
        return NULL;
    Image *domain = arena_new(a->h->scratch, Image);
    set(domain, proposed.dimensions, proposed.minimum, proposed.extent);
    return domain;
}

static void put(Image *image, const Image *domain) {
    image->has_domain = domain != NULL;
    if (!domain)
        return;
    memcpy(image->domain_minimum, domain->domain_minimum, sizeof image->domain_minimum);
    memcpy(image->domain_extent, domain->domain_extent, sizeof image->domain_extent);
}

void domains_put(hlc_arguments *a) {
    size_t flat = 0;
    for (size_t i = 0; i < a->signature->images.length; i++)
        put(&a->values.images[i], domain_of_image(a, i));
    for (size_t i = 0; i < a->signature->outputs.length; i++) {
        const Image *domain = domain_of_window(a, i);
        put(&a->windows[i], domain);
        for (int c = 0;
             c < signature_func(a->signature, a->signature->outputs.data[i].func)->components; c++)
            put(&a->values.outputs[flat++], domain);
    }
}
