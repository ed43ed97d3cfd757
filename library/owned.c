/* owned.c -- frees arguments and functions: by their owner, with their handle, or after the entry
 * that made them fails. */
#include "library/compiler.h"

#include <stdlib.h>

void arguments_release_image(hlc_arguments *a, size_t i) {
    if (!a->image_lent[i])
        free(a->values.images[i].data);
    a->values.images[i].data = NULL;
    a->image_lent[i] = a->image_set[i] = a->pseudo[i].is_automatic = false;
}

void arguments_release_output(hlc_arguments *a, size_t flat) {
    if (!a->output_lent[flat])
        free(a->values.outputs[flat].data);
    a->values.outputs[flat].data = a->results[flat].data = NULL;
    a->output_lent[flat] = false;
}

/* Frees the memory that is ours; the caller's stays bound. */
void arguments_free_outputs(hlc_arguments *a) {
    for (size_t i = 0; i < a->output_count; i++) {
        a->results[i].data = NULL;
        if (!a->output_lent[i])
            arguments_release_output(a, i);
    }
}

void arguments_free(hlc_arguments *a) {
    hlc_arguments **link = &a->h->arguments;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    arguments_free_outputs(a);
    for (size_t i = 0; i < a->signature->images.length; i++)
        arguments_release_image(a, i);
    arena_destroy(a->arena);
}

void function_unlink(hlc_function *function) {
    hlc_function **link = &function->h->functions;
    while (*link != function)
        link = &(*link)->next;
    *link = function->next;
    function->h = NULL;
}

void hlc_function_destroy(hlc_function *function) {
    if (!function)
        return;
    if (function->h)
        function_unlink(function);
    jit_free(function->jit);
}
