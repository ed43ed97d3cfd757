/* domain.c -- the domains of images and outputs, in the window form: given by the caller; else, of an
 * output, the window that the pipeline proposes, if its own window lies in it; else the image or the
 * window itself.
 */
#include "library/compiler.h"

#include <string.h>

/* ---- what they are ---- */

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

/* ---- binding ---- */

typedef struct DomainRequest {
    hlc_arguments *a;
    const char *name, *text;
    const hlc_interval *intervals; /* null: text */
    int dimensions;
} DomainRequest;

/* Finds the place of the domain and its dimensions; null after reporting. */
static Image *find(hlc_arguments *a, const char *name, int *dimensions) {
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
    Image *domain = find(request->a, request->name, &dimensions);
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
    set(domain, dimensions, minimum, extent);
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
