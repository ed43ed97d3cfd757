/* worker.c -- the compiler's side of worker.h. */
#include "library/worker.h"
#include "library/wire.h"

#include "ir/print.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- starting -----------------------------------------------------------------------------------
 */

/* Above 2, so that the child's own descriptors cannot be overwritten while they are set up. */
static int move_up(int descriptor) {
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return moved;
}

typedef struct Ends {
    int socket[2]; /* ours, the worker's */
    int errors[2]; /* where we read what it prints on standard error; where it writes it */
} Ends;

static void close_ends(const Ends *ends) {
    for (int i = 0; i < 2; i++) {
        if (ends->socket[i] >= 0)
            close(ends->socket[i]);
        if (ends->errors[i] >= 0)
            close(ends->errors[i]);
    }
}

static int open_ends(Ends *ends) {
    *ends = (Ends){{-1, -1}, {-1, -1}};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->socket) < 0 ||
        pipe2(ends->errors, O_CLOEXEC | O_NONBLOCK) < 0)
        return errno;
    for (int i = 0; i < 2; i++) {
        ends->socket[i] = move_up(ends->socket[i]);
        ends->errors[i] = move_up(ends->errors[i]);
        if (ends->socket[i] < 0 || ends->errors[i] < 0)
            return EMFILE;
    }
    return 0;
}

/* Is the worker the program that runs, which has no thread yet?  Then a fork does. */
static bool is_forked(const char *path) {
    struct stat own, wanted;
    return __libc_single_threaded && stat("/proc/self/exe", &own) == 0 &&
           stat(path, &wanted) == 0 && own.st_dev == wanted.st_dev && own.st_ino == wanted.st_ino;
}

/* In the child: no signal is blocked, ignored or handled, and no other descriptor is open. */
static _Noreturn void serve(const Worker *worker, const Ends *ends) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(ends->socket[1], 0) < 0 || dup2(nowhere, 1) < 0 ||
        dup2(ends->errors[1], 2) < 0)
        _exit(HLC_WORLD);
    close_range(3, ~0U, 0);
    _exit(hlc_worker_serve(STDIN_FILENO, worker->memory));
}

/* With no signal blocked or ignored that the host blocks or ignores. */
static int spawn(Worker *worker, const Ends *ends) {
    if (is_forked(worker->path)) {
        worker->pid = fork();
        if (worker->pid == 0)
            serve(worker, ends);
        return worker->pid < 0 ? errno : 0;
    }
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", worker->memory);
    char *arguments[] = {(char *)worker->path, "--worker", bytes, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, ends->socket[1], 0);
        if (!error)
            error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, ends->errors[1], 2);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (!error)
            error =
                posix_spawn(&worker->pid, worker->path, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* 0 or an errno. */
static int start(Worker *worker) {
    Ends ends;
    int error = open_ends(&ends);
    if (!error)
        error = spawn(worker, &ends);
    if (error) {
        close_ends(&ends);
        worker->pid = 0;
        return error;
    }
    close(ends.socket[1]);
    close(ends.errors[1]);
    worker->socket = ends.socket[0];
    worker->errors = ends.errors[0];
    return 0;
}

/* ---- ending -------------------------------------------------------------------------------------
 */

/* What it printed, cut short, and how it ended (-1: somebody else has taken note of it). */
static int finish(Worker *worker, char *printed, size_t size) {
    int status = -1;
    close(worker->socket); /* it ends when it finds that, or has ended */
    while (waitpid(worker->pid, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    ssize_t length = read(worker->errors, printed, size - 1);
    printed[length > 0 ? length : 0] = 0;
    printed[strcspn(printed, "\n")] = 0;
    close(worker->errors);
    worker->pid = 0;
    worker->is_busy = false;
    return status;
}

void worker_stop(hlc *h) {
    char printed[2];
    if (!h->worker.pid)
        return;
    /* Busy: nobody will read the answer. It is still our child, not another process of its number,
     * if it has not ended. */
    if (h->worker.is_busy && waitpid(h->worker.pid, NULL, WNOHANG) == 0)
        kill(h->worker.pid, SIGKILL);
    finish(&h->worker, printed, sizeof printed);
}

/* Ends one that takes too long, and reports that. */
static void end_late(hlc *h) {
    char printed[2];
    kill(h->worker.pid, SIGKILL);
    finish(&h->worker, printed, sizeof printed);
    h->failure = HLC_WORLD;
    diag(h->context, DIAG_WORKER_LATE, NOWHERE, arena_format(h->scratch, "%u", h->worker_seconds));
}

/* Is it what somebody prints before ending for want of memory?  The C library cannot then prepare
 * to unwind the stack, and takes it for the want of a library, which is there. */
static bool speaks_of_memory(const char *printed) {
    static const char *const words[] = {"out of memory", "bad_alloc", "Cannot allocate memory",
                                        "must be installed for unwinding to work"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(printed, words[i]))
            return true;
    return false;
}

/* Reports how a worker ended that did not answer. */
static void report_end(hlc *h) {
    char printed[400];
    int status = finish(&h->worker, printed, sizeof printed);
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

/* ---- asking -------------------------------------------------------------------------------------
 */

static bool put_place(void *data, Stmt *stmt) {
    wire_put_place(data, stmt->place);
    return true;
}

_Static_assert(sizeof(CodegenOptions) == 48 && sizeof(Object) == 40,
               "what is new in the options, or of an object, must travel, too");

static WireWriter make_request(hlc *h, const Program *program, const CodegenOptions *options) {
    WireWriter request = wire_begin(h->scratch);
    wire_put_number(&request, (uint64_t)options->optimize);
    wire_put_number(&request, options->debug);
    wire_put_number(&request, options->trace);
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

/* What the worker measured of itself. */
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

/* The answer's object; false where there is none, which the answer's reports explain. */
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
    if (!read_reports(h, answer))
        return false;
    read_times(h, answer);
    return !answer->failed;
}

/* From here on neither side of the conversation waits longer than the limit. */
static void limit_waiting(const hlc *h) {
    struct timeval limit = {.tv_sec = h->worker_seconds};
    setsockopt(h->worker.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(h->worker.socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool worker_object(hlc *h, const Program *program, const CodegenOptions *options, Object *object) {
    WireReader answer;
    WorkerAnswer kind = WORKER_REFUSES;
    timing_begin(h->context, "text");
    WireWriter request = make_request(h, program, options);
    timing_end(h->context);
    timing_begin(h->context, "worker");
    int error = h->worker.pid ? 0 : start(&h->worker);
    if (error) {
        h->failure = HLC_WORLD;
        diag(h->context, DIAG_WORKER_MISSING, NOWHERE, h->worker.path, strerror(error));
        return false;
    }
    h->worker.is_busy = true;
    limit_waiting(h);
    *object = (Object){0};
    errno = 0;
    if (!wire_send(h->worker.socket, &request) ||
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
    case WORKER_CANNOT_READ: /* a text has limits that the program in memory has not */
        return codegen_object(program, h->scratch, options, object);
    }
    return false;
}

/* ---- the handle's side --------------------------------------------------------------------------
 */

typedef struct Use {
    const char *path;
    size_t memory;
} Use;

/* `hlc` beside what holds this function, a program or a library, or in the bin folder beside its
 * folder; null where there is none. */
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
    const Use *use = data;
    const char *path = use->path ? use->path : find_beside(h);
    int error = path ? 0 : ENOENT;
    if (path) {
        const char *kept = arena_text(h->arena, path, strlen(path));
        worker_stop(h);
        h->worker = (Worker){.path = kept, .memory = use->memory};
        error = start(&h->worker);
    }
    if (!error)
        return HLC_YES;
    h->worker.path = NULL;
    diag(h->context, DIAG_WORKER_MISSING, NOWHERE, path ? path : "hlc", strerror(error));
    return HLC_WORLD;
}

void hlc_limit_time(hlc *h, unsigned seconds) {
    h->worker_seconds = seconds;
}

hlc_status hlc_use_worker(hlc *h, const char *path, size_t memory) {
    Use use = {path, memory};
    return compiler_enter(h, use_worker, &use);
}
