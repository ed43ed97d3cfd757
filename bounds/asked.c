/* asked.c -- which requests of phase 2 there are for a dimension (request.c says what they do). */
#include "bounds/inference.h"

const BoundRequest *request_find(const BoundsInference *bounds, const Realization *realization,
                                 int k, BoundKind kind) {
    for (size_t i = 0; i < bounds->requests->requests.length; i++) {
        const BoundRequest *request = &bounds->requests->requests.data[i];
        if (request->kind == kind && request->func == realization->shape->name &&
            request->dimension == k)
            return request;
    }
    return NULL;
}

bool request_is_made(const BoundsInference *bounds, const Realization *realization, int k) {
    return request_find(bounds, realization, k, BOUND_INTERVAL) ||
           request_find(bounds, realization, k, BOUND_LENGTH) ||
           request_find(bounds, realization, k, BOUND_ALIGN);
}

bool request_fixes_length(const BoundsInference *bounds, const Realization *realization, int k) {
    return request_find(bounds, realization, k, BOUND_LENGTH) != NULL;
}

bool request_leaves_minimum(const BoundsInference *bounds, const Realization *realization) {
    int lengths = 0;
    for (int k = 0; k < realization->shape->dimensions; k++) {
        bool is_length = request_fixes_length(bounds, realization, k);
        if (is_length && request_find(bounds, realization, k, BOUND_INTERVAL))
            return false;
        lengths += is_length;
    }
    return lengths > 0;
}
