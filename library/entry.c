/* entry.c -- enters and leaves every call of the library.
 *
 * A body runs with a scratch arena, and ends in one of three ways. It returns, or memory runs out,
 * or an invariant fails. In the last two cases control jumps back here from anywhere below
 * (base/memory.h, base/diag.h), and all that the body made is undone. A failed invariant also marks
 * the handle, whose state may be wrong: it refuses all further calls.
 */
#include "library/worker/worker.h"

/* The state of the handle and the thread when the entry began. */
typedef struct EntryMark {
    const Arena *arena; /* the newest */
    const hlc_arguments *arguments;
    const hlc_function *functions;
    size_t reports, errors;
    Context *entered; /* of another handle's entry, if its callback calls this entry */
    locale_t locale;  /* the host's */
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
    h->context->reports.length = before->reports;
    h->context->error_count = before->errors;
    while (h->arguments != before->arguments)
        arguments_free(h->arguments);
    while (h->functions != before->functions)
        hlc_function_destroy(h->functions);
    end_entry(h);
    memory_destroy_arenas(&h->context->memory, before->arena);
}

static void leave(hlc *h, const EntryMark *before) {
    h->context->memory.on_failure = NULL;
    diag_enter(before->entered);
    uselocale(before->locale);
}

static hlc_status report_broken(hlc *h, void *data) {
    (void)data;
    diag(h->context, DIAG_BROKEN_INVARIANT, NOWHERE,
         arena_format(h->scratch, "%s:%d", h->broken.file, h->broken.line), h->broken.invariant);
    return HLC_FAULT;
}

static hlc_status enter(hlc *h, Body *body, void *data) {
    jmp_buf failed;
    Context *context = h->context;
    const EntryMark before = {.arena = context->memory.newest,
                              .arguments = h->arguments,
                              .functions = h->functions,
                              .reports = context->reports.length,
                              .errors = diag_error_count(context),
                              .entered = diag_enter(h->is_worker ? NULL : context),
                              .locale = uselocale(h->locale)}; /* numbers are written with points */
    context->memory.on_failure = &failed;
    if (setjmp(failed)) {
        bool is_first = !h->broken.invariant;
        undo_entry(h, &before);
        leave(h, &before);
        h->broken = context->broken;
        if (!h->broken.invariant)
            return HLC_WORLD;
        return is_first ? enter(h, report_broken, NULL) : HLC_FAULT;
    }
    h->failure = HLC_USER;
    h->scratch = arena_create(&context->memory);
    hlc_status status = h->broken.invariant ? report_broken(h, NULL) : body(h, data);
    if (status == HLC_YES && diag_error_count(context) > before.errors)
        status = HLC_USER;
    if (status == HLC_USER)
        status = h->failure;
    end_entry(h);
    leave(h, &before);
    return status;
}

hlc_status compiler_enter(hlc *h, Body *body, void *data) {
    return h ? enter(h, body, data) : HLC_USER;
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
