/* call.c -- calls of the window form: their domains, what they ask for, their threads and `cancel`.
 *
 * A call without an hlc_call is like one of the usual form: each buffer is its own domain, and a
 * buffer without memory makes it a query.
 */
#include "runtime/pool.h"
#include "runtime/query.h"

#include <stdatomic.h>
#include <stddef.h>

/* Does the caller's struct have the member, and is it meant? */
#define HAS(CALL, MEMBER)                                                                          \
    ((CALL) && (CALL)->size >= offsetof(hlc_call, MEMBER) + sizeof((CALL)->MEMBER))

static const hlc_interval *domains_of(const hlc_call *call) {
    return HAS(call, domains) ? call->domains : NULL;
}

static uint32_t what_of(const hlc_call *call) {
    return call ? call->what : HLC_CALL_RUN;
}

static int check_call(hlc_report *report, const hlc_call *call) {
    int threads = HAS(call, threads) ? call->threads : 0;
    int64_t numbers[] = {call ? call->size : 0, call ? call->what : 0, threads};
    int is_known = !call || (HAS(call, what) && call->what <= HLC_CALL_CHECK);
    return is_known && threads >= 0 ? 0 : hlc_fail(report, HLC_ERROR_BAD_CALL, NULL, numbers, 3);
}

static void fill_domains(const hlc_call *call, const hlc_buffer_rule *rules,
                         halide_buffer_t *const *buffers, int count, int64_t *domains) {
    const hlc_interval *given = domains_of(call);
    for (int i = 0, at = 0; i < count; i++)
        for (int d = 0; d < rules[i].dimensions; d++, at++) {
            domains[2 * at] = given ? given[at].min : buffers[i]->dim[d].min;
            domains[2 * at + 1] = given ? given[at].extent : buffers[i]->dim[d].extent;
        }
}

static int first_dimension(const hlc_buffer_rule *rules, int buffer) {
    int at = 0;
    for (int i = 0; i < buffer; i++)
        at += rules[i].dimensions;
    return at;
}

/* The buffers of a tuple are windows of one domain. */
static int check_tuples(hlc_report *report, const hlc_buffer_rule *rules, int count,
                        const int64_t *domains) {
    for (int i = 0; i < count; i++) {
        const int64_t *here = &domains[2 * first_dimension(rules, i)],
                      *first = &domains[2 * first_dimension(rules, rules[i].window_of)];
        for (int d = 0; d < rules[i].dimensions; d++, here += 2, first += 2) {
            int64_t numbers[] = {here[0], here[1], first[0], first[1], d};
            if (here[0] != first[0] || here[1] != first[1])
                return hlc_fail(report, HLC_ERROR_WINDOWS_DIFFER, rules[i].name, numbers, 5);
        }
    }
    return 0;
}

static int asks(const hlc_call *call, halide_buffer_t *const *buffers, int count) {
    int is_query = what_of(call) == HLC_CALL_QUERY;
    for (int i = 0; i < count && !call; i++)
        is_query |= hlc_query_is_asked(buffers[i]);
    return is_query;
}

int hlc_begin_call(hlc_report *report, const struct hlc_call *call, const hlc_buffer_rule *rules,
                   halide_buffer_t *const *buffers, int count, hlc_needs *needs,
                   const void *closure, int64_t *domains) {
    const halide_buffer_t *const *read = (const halide_buffer_t *const *)buffers;
    int error = check_call(report, call);
    if (!error)
        error = hlc_query_check_shapes(report, rules, read, count);
    if (error)
        return error;
    fill_domains(call, rules, buffers, count, domains);
    if (domains_of(call))
        error = check_tuples(report, rules, count, domains);
    if (error)
        return error;
    if (asks(call, buffers, count))
        return hlc_query_answer(report, rules, buffers, count, needs, closure,
                                call ? QUERY_IS_GIVEN : QUERY_IS_OWN, domains);
    return what_of(call) == HLC_CALL_CHECK ? 0 : hlc_check_buffers(report, rules, read, count);
}

/* ---- threads and cancel ---- */

static int is_cancelled(void *user) {
    const hlc_call_scope *scope = user;
    return atomic_load_explicit((const _Atomic int32_t *)scope->cancel, memory_order_relaxed) ||
           (scope->before && scope->before->is_stopped(scope->before->user));
}

int hlc_enter_call(const struct hlc_call *call, hlc_call_scope *scope) {
    int32_t threads = HAS(call, threads) ? call->threads : 0;
    scope->cancel = HAS(call, cancel) ? call->cancel : NULL;
    scope->is_set = threads > 0;
    if (scope->is_set)
        scope->threads_before = hlc_pool_set_call_threads(threads);
    if (scope->cancel) {
        scope->stopper = (hlc_stopper){is_cancelled, scope};
        scope->before = hlc_set_stopper(&scope->stopper);
    }
    return (int)what_of(call);
}

void hlc_leave_call(hlc_call_scope *scope) {
    if (scope->cancel)
        hlc_set_stopper(scope->before);
    if (scope->is_set)
        hlc_pool_set_call_threads(scope->threads_before);
}
