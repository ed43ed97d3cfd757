/* worker.c -- the compiler's side of worker.h. */
#include "library/worker/worker.h"
#include "library/worker/wire.h"

#include "ir/print.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- how it ended ---- */

/* Ends a worker that takes too long, and reports it. */
static void end_late(hlc *h) {
    char printed[2];
    kill(h->worker.pid, SIGKILL);
    worker_finish(&h->worker, printed, sizeof printed);
    h->failure = HLC_WORLD;
    diag(h->context, DIAG_WORKER_LATE, NOWHERE, arena_format(h->scratch, "%u", h->worker_seconds));
}

/* Is this the output of a process that ends because memory ran out? The C library then cannot
 * prepare to unwind the stack, and reports a missing library that is not missing. */
static bool speaks_of_memory(const char *printed) {
    static const char *const words[] = {"out of memory", "bad_alloc", "Cannot allocate memory",
                                        "must be installed for unwinding to work"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(printed, words[i]))
            return true;
    return false;
}

/* Reports the end of a worker that did not answer. */
static void report_end(hlc *h) {
    char printed[400];
    int status = worker_finish(&h->worker, printed, sizeof printed);
    bool by_signal = status != -1 && WIFSIGNALED(status);
    if (speaks_of_memory(printed)) {
        h->failure = HLC_WORLD;
        diag(h->context, DIAG_WORKER_MEMORY, NOWHERE);
        return;
    }
    const char *how = "without an answer";
    if (by_signal && WTERMSIG(status) == SIGKILL) { /* by the system, or by somebody */
        h->failure = HLC_WORLD;
        diag(h->context, DIAG_WORKER_KILLED, NOWHERE);
        return;
    }
    if (by_signal)
        how = arena_format(h->scratch, "by signal %d (%s)", WTERMSIG(status),
                           sigdescr_np(WTERMSIG(status)));
    else if (status != -1)
        how = arena_format(h->scratch, "with exit code %d", WEXITSTATUS(status));
    h->failure = HLC_FAULT;
    diag(h->context, DIAG_WORKER_ENDED, NOWHERE, how,
         *printed ? arena_format(h->scratch, ": %s", printed) : "");
}

/* ---- asking ---- */

static bool put_place(void *data, Stmt *stmt) {
    wire_put_place(data, stmt->place);
    return true;
}

_Static_assert(sizeof(CodegenOptions) == 48 && sizeof(Object) == 48,
               "what is new in the options, or of an object, must travel, too");

static WireWriter make_request(hlc *h, const Program *program, const CodegenOptions *options) {
    WireWriter request = wire_begin(h->scratch);
    wire_put_number(&request, (uint64_t)options->optimize);
    wire_put_number(&request, options->debug);
    wire_put_number(&request, options->trace);
    wire_put_number(&request, options->stoppable);
    wire_put_number(&request, options->profile);
    wire_put_number(&request, options->once);
    wire_put_number(&request, options->assembly);
    wire_put_text(&request, options->emit);
    wire_put_text(&request, options->targets);
    wire_put_text(&request, options->sanitize);
    wire_put_number(&request, h->context->timing != NULL);
    wire_put_number(&request, h->context->files.length);
    for (size_t i = 1; i < h->context->files.length; i++)
        wire_put_text(&request, h->context->files.data[i].path);
    wire_put_text(&request, program_text(h->scratch, program));
    wire_put_place(&request, program->signature->place);
    StmtVisitor visitor = {.data = &request, .enter = put_place};
    block_visit((Block *)&program->body, &visitor);
    return request;
}

static bool read_reports(hlc *h, WireReader *answer) {
    for (uint64_t count = wire_number(answer); count > 0 && !answer->failed; count--) {
        uint64_t code = wire_number(answer);
        Place place = wire_place(answer);
        const char *message = wire_text(answer), *remedy = wire_text(answer);
        if (answer->failed || code >= DIAG_COUNT || place.file >= h->context->files.length ||
            !message || !remedy)
            return false;
        diag_add(h->context, (DiagCode)code, place, message, remedy);
    }
    return !answer->failed;
}

/* Reads the times that the worker measured. */
static void read_times(hlc *h, WireReader *answer) {
    for (uint64_t count = wire_number(answer); count > 0 && !answer->failed; count--) {
        const char *name = wire_text(answer);
        TimedPart part = {.depth = (int)wire_number(answer)};
        part.took.wall = (int64_t)wire_number(answer);
        part.took.processor = (int64_t)wire_number(answer);
        part.size = (int64_t)wire_number(answer);
        const char *unit = wire_text(answer);
        part.name = name ? arena_text(h->context->arena, name, strlen(name)) : "";
        part.unit = unit ? arena_text(h->context->arena, unit, strlen(unit)) : NULL;
        timing_add(h->context, &part);
    }
}

/* Reads the object of the answer; false if there is none. The answer's reports give the reason. */
static bool read_answer(hlc *h, WireReader *answer, const CodegenOptions *options, Object *object,
                        WorkerAnswer *kind) {
    size_t length;
    *kind = (WorkerAnswer)wire_number(answer);
    object->needs_sleef = wire_number(answer);
    object->has_debug = wire_number(answer);
    const char *bytes = wire_bytes(answer, &length);
    object->length = length;
    object->bytes = arena_allocate(h->scratch, length + 1); /* aligned */
    memcpy(object->bytes, bytes, length);
    object->sanitize = options->sanitize;
    object->assembly = wire_text(answer); /* in the answer, which is in `scratch` */
    if (!read_reports(h, answer))
        return false;
    read_times(h, answer);
    return !answer->failed;
}

/* Limits the time that either side waits for the other. */
static void limit_waiting(const hlc *h) {
    struct timeval limit = {.tv_sec = h->worker_seconds};
    setsockopt(h->worker.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(h->worker.socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Waits until the answer begins. False, with errno EAGAIN, if that takes too long. The entry may
 * end here: then the worker is killed. */
static bool wait_for_answer(const hlc *h) {
    enum { PERIOD = 50 }; /* milliseconds */
    struct pollfd answer = {.fd = h->worker.socket, .events = POLLIN};
    Stop late = {0};
    stop_within(&late, h->worker_seconds);
    while (poll(&answer, 1, PERIOD) <= 0) {
        arena_poll(h->scratch);
        if (stop_poll(&late) != STOP_NONE) {
            errno = EAGAIN;
            return false;
        }
    }
    return true;
}

bool worker_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object) {
    WireReader answer;
    WorkerAnswer kind = WORKER_REFUSES;
    timing_begin(h->context, "text");
    WireWriter request = make_request(h, program, options);
    timing_end(h->context);
    timing_begin(h->context, "worker");
    h->context->at = program->signature->place;
    int error = h->worker.pid ? 0 : worker_start(&h->worker);
    if (error) {
        h->failure = HLC_WORLD;
        diag(h->context, DIAG_WORKER_MISSING, NOWHERE, h->worker.path, strerror(error));
        return false;
    }
    h->worker.is_busy = true;
    limit_waiting(h);
    *object = (Object){0};
    errno = 0;
    if (!wire_send(h->worker.socket, &request) || !wait_for_answer(h) ||
        !wire_receive(h->worker.socket, h->scratch, &answer)) {
        if (errno == EAGAIN)
            end_late(h);
        else
            report_end(h);
        return false;
    }
    if (!read_answer(h, &answer, options, object, &kind)) {
        report_end(h);
        return false;
    }
    h->worker.is_busy = false;
    timing_end(h->context);
    switch (kind) {
    case WORKER_MADE:
        object->sanitize = options->sanitize;
        return true;
    case WORKER_REFUSES:
        return false;
    case WORKER_OUT_OF_MEMORY:
        h->failure = HLC_WORLD;
        diag(h->context, DIAG_WORKER_MEMORY, NOWHERE);
        return false;
    case WORKER_CANNOT_READ: /* its report says why */
        h->failure = HLC_FAULT;
        return false;
    }
    return false;
}

/* ---- the handle's side ---- */

typedef struct WorkerUse {
    const char *path;
    int (*serve)(int, size_t);
    size_t memory;
} WorkerUse;

/* Looks for `hlc` beside the program or library that contains this function, or in the bin folder
 * beside its folder. Null if there is none. */
static const char *find_beside(hlc *h) {
    static const char *const PLACES[] = {"hlc", "../bin/hlc"};
    Dl_info self;
    char path[PATH_MAX] = "";
    if (dladdr((void *)hlc_use_worker, &self) && strstr(self.dli_fname, ".so"))
        snprintf(path, sizeof path, "%s", self.dli_fname);
    else if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return NULL;
    char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < sizeof PLACES / sizeof *PLACES; i++) {
        const char *found =
            arena_format(h->scratch, "%.*s/%s", (int)(slash - path), path, PLACES[i]);
        if (access(found, X_OK) == 0)
            return found;
    }
    return NULL;
}

static hlc_status use_worker(hlc *h, void *data) {
    const WorkerUse *use = data;
    const char *path = use->path ? use->path : find_beside(h);
    int error = path ? 0 : ENOENT;
    if (path) {
        const char *kept = arena_text(h->arena, path, strlen(path));
        worker_stop(h);
        h->worker = (Worker){.path = kept, .serve = use->serve, .memory = use->memory};
        error = worker_start(&h->worker);
    }
    if (!error)
        return HLC_YES;
    h->worker.path = NULL;
    diag(h->context, DIAG_WORKER_MISSING, NOWHERE, path ? path : "hlc", strerror(error));
    return HLC_WORLD;
}

void hlc_limit_time(hlc *h, unsigned seconds) {
    if (!h)
        return;
    h->worker_seconds = seconds;
}

hlc_status hlc_use_worker(hlc *h, const char *path, size_t memory) {
    WorkerUse use = {.path = path, .memory = memory};
    return compiler_enter(h, use_worker, &use);
}

hlc_status hlc_fork_worker(hlc *h, int (*serve)(int socket, size_t memory), size_t memory) {
    if (!serve)
        return compiler_null(h, "serve");
    WorkerUse use = {.path = "/proc/self/exe", .serve = serve, .memory = memory};
    return compiler_enter(h, use_worker, &use);
}
