/* query.h -- inside runtime/: bounds queries, for calls with and without an hlc_call. */
#ifndef HLC_RUNTIME_QUERY_H
#define HLC_RUNTIME_QUERY_H

#include "runtime/hlc_runtime.h"

/* Where the domains of a query of the window form come from. */
typedef enum QueryDomains {
    QUERY_HAS_NONE, /* not of the window form */
    QUERY_IS_OWN,   /* each buffer is its own domain, also one that is asked for */
    QUERY_IS_GIVEN
} QueryDomains;

/* Does a buffer ask for its box? */
int hlc_query_is_asked(const halide_buffer_t *buffer);
/* Are the buffers there, with the right numbers of dimensions? Returns 0, or an error with the
 * report filled. */
int hlc_query_check_shapes(hlc_report *report, const hlc_buffer_rule *rules,
                           const halide_buffer_t *const *buffers, int count);
/* Answers as hlc_answer_query does, whether or not a buffer asks. `given`: minimum and extent of
 * each dimension of each buffer's domain; null unless they are given. Returns 1, or an error. */
int hlc_query_answer(hlc_report *report, const hlc_buffer_rule *rules,
                     halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                     const void *closure, QueryDomains domains, const int64_t *given);

#endif
