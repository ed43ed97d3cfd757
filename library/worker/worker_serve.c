/* worker_serve.c -- the worker's side of worker.h: answers requests until the other side is gone.
 *
 * Each request gets its own handle, so requests cannot affect each other.
 */
#include "library/worker/wire.h"
#include "library/worker/worker.h"

#include "ir/read.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Serve {
    int socket;
    bool is_open, is_answered;
} Serve;

static bool take_place(void *data, Stmt *stmt) {
    stmt->place = wire_place(data);
    return true;
}

/* Adds the files that places refer to: reports and debug information name them. The other side has
 * their texts. */
static bool add_files(hlc *h, WireReader *request) {
    uint64_t count = wire_number(request);
    for (uint64_t i = 1; i < count && !request->failed; i++) {
        const char *path = wire_text(request);
        context_add_file(h->context, path ? path : "", "", 0);
    }
    return !request->failed;
}

static Program *read_program(hlc *h, WireReader *request) {
    size_t files = h->context->files.length;
    const char *text = wire_text(request);
    if (!text)
        return NULL;
    uint32_t file = context_add_file(h->context, "program.ir", text, strlen(text));
    Program *program = program_read(pool_create(h->context, h->arena), h->arena, file);
    if (!program)
        return NULL;
    ((Signature *)program->signature)->place = wire_place(request);
    StmtVisitor visitor = {.data = request, .enter = take_place};
    block_visit(&program->body, &visitor);
    bool is_whole = !request->failed && request->at == request->end;
    h->context->files.length = files; /* no place is in the text */
    return is_whole ? program : NULL;
}

/* Reports why the program is not read.  Places in the text mean nothing to the other side. */
static void tell_unread(hlc *h) {
    const char *why = hlc_first_message(h);
    const char *kept = why ? arena_text(h->scratch, why, strlen(why)) : "the request is cut short";
    hlc_clear_diagnostics(h);
    diag(h->context, DIAG_WORKER_CANNOT_READ, NOWHERE, kept);
}

static void put_times(WireWriter *answer, const Timing *timing) {
    wire_put_number(answer, timing ? timing->parts.length : 0);
    for (size_t i = 0; timing && i < timing->parts.length; i++) {
        const TimedPart *part = &timing->parts.data[i];
        wire_put_text(answer, part->name);
        wire_put_number(answer, (uint64_t)part->depth);
        wire_put_number(answer, (uint64_t)part->took.wall);
        wire_put_number(answer, (uint64_t)part->took.processor);
        wire_put_number(answer, (uint64_t)part->size);
        wire_put_text(answer, part->unit);
    }
}

static WireWriter make_answer(hlc *h, WorkerAnswer kind, const Object *object) {
    WireWriter answer = wire_begin(h->scratch);
    wire_put_number(&answer, kind);
    wire_put_number(&answer, object->needs_sleef);
    wire_put_number(&answer, object->has_debug);
    wire_put_bytes(&answer, object->bytes, object->length);
    wire_put_text(&answer, object->assembly);
    const Reports *reports = &h->context->reports;
    wire_put_number(&answer, reports->length);
    for (size_t i = 0; i < reports->length; i++) {
        const Report *report = &reports->data[i];
        wire_put_number(&answer, report->code);
        wire_put_place(&answer, report->place);
        wire_put_text(&answer, report->message);
        wire_put_text(&answer, report->remedy);
    }
    put_times(&answer, h->context->timing);
    return answer;
}

static hlc_status serve_one(hlc *h, void *data) {
    Serve *serve = data;
    WireReader request;
    Object object = {0};
    serve->is_open = wire_receive(serve->socket, h->scratch, &request);
    if (!serve->is_open)
        return HLC_YES;
    CodegenOptions options = {.optimize = (int)wire_number(&request)};
    options.debug = wire_number(&request);
    options.trace = wire_number(&request);
    options.stoppable = wire_number(&request);
    options.profile = wire_number(&request);
    options.once = wire_number(&request);
    options.assembly = wire_number(&request);
    options.emit = wire_text(&request);
    options.targets = wire_text(&request);
    options.sanitize = wire_text(&request);
    if (wire_number(&request))
        h->context->timing = timing_create(h->context->arena);
    timing_begin(h->context, "parse");
    Program *program = add_files(h, &request) ? read_program(h, &request) : NULL;
    timing_end(h->context);
    WorkerAnswer kind = WORKER_CANNOT_READ;
    if (program)
        kind =
            codegen_object(program, h->scratch, &options, &object) ? WORKER_MADE : WORKER_REFUSES;
    else
        tell_unread(h);
    WireWriter answer = make_answer(h, kind, &object);
    serve->is_answered = true;
    serve->is_open = wire_send(serve->socket, &answer);
    return HLC_YES;
}

static hlc_status say_no_memory(hlc *h, void *data) {
    Serve *serve = data;
    WireWriter answer = make_answer(h, WORKER_OUT_OF_MEMORY, &(Object){0});
    serve->is_open = wire_send(serve->socket, &answer);
    return HLC_YES;
}

/* Ends the process when the other side ends: LLVM may take long for an answer that no one reads.
 * (PR_SET_PDEATHSIG reports the end of the thread that started the worker, but another thread may
 * still use the worker.) */
static void *end_with_the_other_side(void *data) {
    const Serve *serve = data;
    struct pollfd other = {.fd = serve->socket, .events = POLLRDHUP};
    while (poll(&other, 1, -1) < 0 || !(other.revents & (POLLRDHUP | POLLHUP)))
        if (other.revents & (POLLERR | POLLNVAL))
            return NULL;
    _exit(HLC_YES);
}

/* Returns false if no thread can be started. The end of the other side is then noticed between
 * requests. */
static bool watch_other_side(Serve *serve) {
    enum { STACK = 64 << 10 }; /* little, as the memory may be limited */
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_watched = pthread_create(&thread, &attributes, end_with_the_other_side, serve) == 0;
    pthread_attr_destroy(&attributes);
    return is_watched;
}

int hlc_worker_serve(int socket, size_t memory) {
    Serve serve = {.socket = socket, .is_open = true};
    struct rlimit limit;
#ifdef __SANITIZE_ADDRESS__
    memory = 0; /* its shadow memory is larger than any limit */
#endif
    if (memory > 0 && getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = memory;
        setrlimit(RLIMIT_AS, &limit);
    }
    watch_other_side(&serve);
    while (serve.is_open) {
        serve.is_answered = false;
        hlc *h = hlc_create();
        if (h)
            h->is_worker = true;
        hlc_status status = h ? compiler_enter(h, serve_one, &serve) : HLC_WORLD;
        if (status == HLC_WORLD && !serve.is_answered) {
            hlc_destroy(h);
            h = hlc_create();
            if (!h || compiler_enter(h, say_no_memory, &serve) != HLC_YES)
                serve.is_open = false;
        }
        hlc_destroy(h);
    }
    return HLC_YES;
}
