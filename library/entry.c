/* entry.c -- enters and leaves every call of the library.
 *
 * A body runs with a scratch arena, and ends in one of four ways. It returns, or memory runs out,
 * or the handle's Stop asks for the end, or an invariant fails. In the last three cases control
 * jumps back here from anywhere below (base/memory.h, base/diag.h), and all that the body made is
 * undone. A failed invariant also marks the handle, whose state may be wrong: it refuses all
 * further calls.
 */
#include "library/worker/worker.h"

/* The state of the handle and the thread when the entry began. */
typedef struct EntryMark {
    const Arena *arena; /* the newest */
    const hlc_arguments *arguments;
    const hlc_function *functions;
    DiagMark reported;
    Context *entered; /* of another handle's entry, if its callback calls this entry */
    locale_t locale;  /* the host's */
    const hlc_stopper *stopper;
} EntryMark;

static void end_entry(hlc *h) {
    timing_end_all(h->context);
    if (h->reading)
        fclose(h->reading);
    h->reading = NULL;
    if (h->solver)
        process_stop(h->solver);
    h->solver = NULL;
    if (h->worker.is_busy)
        worker_stop(h);
    for (size_t i = 0; i < h->jits.length; i++)
        jit_free(h->jits.data[i]);
    h->jits.data = NULL; /* they were in the scratch arena */
    h->jits.length = h->jits.capacity = 0;
    arena_destroy(h->scratch);
    h->scratch = NULL;
}

/* Frees everything that a failed entry made, and drops its reports. */
static void undo_entry(hlc *h, const EntryMark *before) {
    diag_drop(h->context, before->reported);
    while (h->arguments != before->arguments)
        arguments_free(h->arguments);
    while (h->functions != before->functions)
        hlc_function_destroy(h->functions);
    pool_trial_end(&h->trial); /* its nodes go with the arenas */
    end_entry(h);
    memory_destroy_arenas(&h->context->memory, before->arena);
}

static void leave(hlc *h, const EntryMark *before) {
    h->context->memory.on_failure = NULL;
    h->context->memory.stop = NULL;
    hlc_set_stopper(before->stopper);
    diag_enter(before->entered);
    uselocale(before->locale);
}

static hlc_status report_broken(hlc *h, void *data) {
    (void)data;
    diag(h->context, DIAG_BROKEN_INVARIANT, NOWHERE,
         arena_format(h->scratch, "%s:%d", h->broken.file, h->broken.line), h->broken.invariant);
    return HLC_FAULT;
}

static hlc_status report_exit(hlc *h, void *data) {
    return compiler_report_exit(h, *(const MemoryExit *)data);
}

static hlc_status enter(hlc *h, Body *body, void *data, bool is_report);

/* What a body leaves that does not return. */
static hlc_status report_left(hlc *h, MemoryExit by, bool was_report, bool was_broken) {
    if (h->broken.invariant)
        return was_broken ? HLC_FAULT : enter(h, report_broken, NULL, true);
    return by == MEMORY_OUT || was_report ? HLC_WORLD : enter(h, report_exit, &by, true);
}

static hlc_status run_body(hlc *h, Body *body, void *data) {
    if (h->broken.invariant)
        return report_broken(h, NULL);
    if (h->context->memory.stop)
        arena_poll(h->scratch);
    return body(h, data);
}

/* `is_report`: a call that only reports is not ended early. */
static hlc_status enter(hlc *h, Body *body, void *data, bool is_report) {
    jmp_buf failed;
    Context *context = h->context;
    hlc_stopper stopper = {compiler_is_stopped, &h->stop};
    const EntryMark before = {.arena = context->memory.newest,
                              .arguments = h->arguments,
                              .functions = h->functions,
                              .reported = diag_mark(context),
                              .entered = diag_enter(h->is_worker ? NULL : context),
                              .locale = uselocale(h->locale), /* numbers are written with points */
                              .stopper = hlc_set_stopper(is_report ? NULL : &stopper)};
    context->memory.on_failure = &failed;
    context->memory.stop = is_report ? NULL : &h->stop;
    context->memory.left_by = MEMORY_OUT;
    if (setjmp(failed)) {
        bool was_broken = h->broken.invariant;
        undo_entry(h, &before);
        leave(h, &before);
        h->broken = context->broken;
        return report_left(h, context->memory.left_by, is_report, was_broken);
    }
    if (!is_report)
        context->at = NOWHERE;
    h->failure = HLC_USER;
    h->traces = false;
    h->scratch = arena_create(&context->memory);
    hlc_status status = run_body(h, body, data);
    if (status == HLC_YES && diag_error_count(context) > before.reported.errors)
        status = HLC_USER;
    if (status == HLC_USER)
        status = h->failure;
    end_entry(h);
    leave(h, &before);
    return status;
}

hlc_status compiler_enter(hlc *h, Body *body, void *data) {
    return h ? enter(h, body, data, false) : HLC_USER;
}

hlc_status compiler_enter_report(hlc *h, Body *body, void *data) {
    return h ? enter(h, body, data, true) : HLC_USER;
}

typedef struct BadArgument {
    const char *name, *fault;
} BadArgument;

static hlc_status report_argument(hlc *h, void *data) {
    const BadArgument *bad = data;
    diag(h->context, DIAG_CALL_ARGUMENT, NOWHERE, bad->name, bad->fault);
    return HLC_USER;
}

hlc_status compiler_bad_argument(hlc *h, const char *name, const char *fault) {
    BadArgument bad = {name, fault};
    return compiler_enter(h, report_argument, &bad);
}

hlc_status compiler_null(hlc *h, const char *name) {
    return compiler_bad_argument(h, name, "is a null pointer");
}
