/* run.c -- the commands of code lenses: `hlc check`, `hlc bench`, `hlc explain`, `hlc view` on a file.
 *
 * They run in a process of their own, with the program's file as it was saved. A thread waits for what
 * they print, and puts the answer into the queue. A client that has commands of its own, such as a
 * terminal's, runs those instead.
 *
 * The page of `hlc view` is a temporary file. The answer names it (`page`), and a client that shows
 * documents (window/showDocument) is asked to show it in a browser.
 */
#include "driver/lsp/lsp.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, MOST_WORDS = 40 };

typedef struct RunKind {
    const char *command, *title;
    bool of_pipelines; /* without a schedule, too */
} RunKind;

static const RunKind kinds[] = {{"check", "check", true},
                                {"bench", "bench", true},
                                {"explain", "explain", false},
                                {"view", "view", true}};

/* A process that runs. */
typedef struct CommandRun {
    Server *server;
    json_t *id;
    pid_t pid;
    int output;
    size_t slot;
    char *page; /* the path of the page that it makes, or null */
} CommandRun;

/* ---- lenses ---- */

json_t *run_commands(void) {
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[40];
        snprintf(name, sizeof name, "hlc.%s", kinds[i].command);
        json_array_append_new(all, json_string(name));
    }
    return all;
}

json_t *run_lenses(Server *server, Document *document, const EditorLens *lens) {
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[40];
        json_t *place = lens->schedule || kinds[i].of_pipelines
                            ? document_range(server, document, &lens->word)
                            : NULL;
        snprintf(name, sizeof name, "hlc.%s", kinds[i].command);
        if (place)
            json_array_append_new(all, json_pack("{s:o, s:{s:s, s:s, s:[s, s, s?]}}", "range",
                                                 place, "command", "title", kinds[i].title,
                                                 "command", name, "arguments", document->uri,
                                                 lens->pipeline, lens->schedule));
    }
    return all;
}

/* ---- the words of a command line ---- */

typedef struct Words {
    char *words[MOST_WORDS];
    size_t count;
} Words;

static void add(Words *words, const char *format, const char *first, const char *second) {
    char text[4600];
    if (words->count + 1 >= MOST_WORDS)
        return;
    snprintf(text, sizeof text, format, first, second);
    words->words[words->count] = strdup(text);
    words->count += words->words[words->count] != NULL;
}

static void free_words(Words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
}

/* Random images of a common size, where a command runs the pipeline: the program has none. False if
 * this version of the text has no such pipeline. */
static bool add_inputs(Words *words, const hlc *h, const char *pipeline) {
    static const char *const sizes[] = {"", "4096", "1920x1080", "1920x1080x3", "480x270x3x2"};
    for (size_t p = 0; h && p < hlc_pipeline_count(h); p++) {
        if (strcmp(hlc_pipeline_name(h, p), pipeline) != 0)
            continue;
        for (size_t i = 0; i < hlc_input_count(h, p); i++) {
            hlc_input input = hlc_input_at(h, p, i);
            if (input.is_image && input.dimensions >= 1 && input.dimensions <= 4)
                add(words, "%s=random:1:%s", input.name, sizes[input.dimensions]);
            else if (!input.is_image && !input.has_default)
                add(words, "%s=%s", input.name, input.kind == HLC_BOOL ? "true" : "1");
        }
        return true;
    }
    return false;
}

static void read_words(Words *words, const RunKind *kind, const Document *document,
                       const char *pipeline, const char *schedule, const char *page) {
    bool is_view = strcmp(kind->command, "view") == 0;
    add(words, "%s%s", "hlc", "");
    add(words, "%s%s", kind->command, "");
    add(words, "%s%s", document->path, "");
    if (pipeline)
        add(words, "--pipeline=%s%s", pipeline, "");
    if (schedule)
        add(words, "--schedule=%s%s", schedule, "");
    if (page)
        add(words, "--output=%s%s", page, "");
    if (is_view || strcmp(kind->command, "bench") == 0) {
        add(words, "--seconds=%s%s", is_view ? "1" : "2", "");
        /* The text may have faults that the saved file has not. */
        if (pipeline && !add_inputs(words, editor_handle(document->editor), pipeline))
            add_inputs(words, editor_good_handle(document->editor), pipeline);
    }
    words->words[words->count] = NULL;
}

/* ---- processes ---- */

/* Creates the file of a page; returns its path, the caller's, or null. */
static char *begin_page(void) {
    const char *folder = getenv("TMPDIR");
    char path[4200];
    snprintf(path, sizeof path, "%.4096s/hlc-XXXXXX.html", folder && *folder ? folder : "/tmp");
    int file = mkstemps(path, (int)strlen(".html"));
    if (file < 0)
        return NULL;
    close(file);
    return strdup(path);
}

static void drop_page(CommandRun *run) {
    if (run->page)
        unlink(run->page);
    free(run->page);
    run->page = NULL;
}

static json_t *finished(CommandRun *run, const char *text, size_t length, int status) {
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : HLC_FAULT;
    json_t *output = json_stringn(text, length);
    output = output ? output : json_string("(what was printed is no UTF-8)");
    json_t *result = json_pack("{s:i, s:o}", "code", code, "output", output);
    if (code != HLC_YES)
        drop_page(run);
    if (run->page)
        json_object_set_new(result, "page", json_string(run->page));
    return json_pack("{s:{s:s, s:O, s:o}}", "hlc/finished", "jsonrpc", "2.0", "id", run->id,
                     "result", result);
}

static void free_run(CommandRun *run) {
    json_decref(run->id);
    free(run->page);
    free(run);
}

static void *wait_for(void *data) {
    CommandRun *run = data;
    Server *server = run->server;
    char *text = malloc(MOST_BYTES), rest[4096];
    size_t length = 0;
    int status = 0;
    for (ssize_t got = 1; got > 0;) {
        bool is_full = !text || length == MOST_BYTES; /* what is printed beyond it is dropped */
        got = read(run->output, is_full ? rest : text + length,
                   is_full ? sizeof rest : MOST_BYTES - length);
        length += got > 0 && !is_full ? (size_t)got : 0;
    }
    close(run->output);
    pthread_mutex_lock(&server->running.lock);
    waitpid(run->pid, &status, 0);
    server->running.pids[run->slot] = 0;
    pthread_mutex_unlock(&server->running.lock);
    channel_put(&server->channel, MESSAGE_JSON, finished(run, text ? text : "", length, status));
    free(text);
    free_run(run);
    return NULL;
}

/* Starts the program itself with these words. False if it cannot. */
static bool start(CommandRun *run, const Words *words) {
    extern char **environ;
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int error = posix_spawn(&run->pid, "/proc/self/exe", &actions, NULL,
                            (char *const *)words->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    run->output = ends[0];
    pthread_t thread;
    if (error == 0 && pthread_create(&thread, NULL, wait_for, run) == 0)
        return pthread_detach(thread) == 0;
    close(ends[0]);
    return false;
}

static const RunKind *find_kind(const char *command) {
    for (size_t i = 0; command && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(command, "hlc.", 4) == 0 && strcmp(command + 4, kinds[i].command) == 0)
            return &kinds[i];
    return NULL;
}

static size_t free_slot(const Server *server) {
    size_t slot = 0;
    while (slot < MOST_RUNNING && server->running.pids[slot] != 0)
        slot++;
    return slot;
}

bool run_start(Server *server, const json_t *id, const json_t *params) {
    const json_t *arguments = json_object_get(params, "arguments");
    const char *text[3] = {NULL};
    for (size_t i = 0; i < 3; i++)
        text[i] = json_string_value(json_array_get(arguments, i));
    const RunKind *kind = find_kind(json_string_value(json_object_get(params, "command")));
    Document *document = document_find(server, text[0]);
    if (!kind || !document || document->path[0] != '/') {
        refuse_answer(server, ERROR_INVALID_PARAMS,
                      !kind ? "there is no such command" : "this text is no open file");
        return false;
    }
    document_read(server, document, WORK_READS);
    Words words = {0};
    CommandRun *run = calloc(1, sizeof *run);
    if (!run)
        abort();
    *run = (CommandRun){.server = server, .id = json_deep_copy(id)};
    if (strcmp(kind->command, "view") == 0)
        run->page = begin_page();
    read_words(&words, kind, document, text[1], text[2], run->page);
    pthread_mutex_lock(&server->running.lock);
    run->slot = free_slot(server);
    bool is_started = run->slot < MOST_RUNNING && start(run, &words);
    if (is_started)
        server->running.pids[run->slot] = run->pid;
    pthread_mutex_unlock(&server->running.lock);
    free_words(&words);
    if (!is_started) {
        drop_page(run);
        free_run(run);
        refuse_answer(server, ERROR_FAILED, "no more processes can be started");
    }
    return is_started;
}

void run_end(Server *server) {
    pthread_mutex_lock(&server->running.lock);
    for (size_t i = 0; i < MOST_RUNNING; i++)
        if (server->running.pids[i] > 0)
            kill(server->running.pids[i], SIGTERM);
    pthread_mutex_unlock(&server->running.lock);
}

void run_finish(const Server *server, json_t *answer) {
    json_t *result = json_object_get(answer, "result");
    const char *path = json_string_value(json_object_get(result, "page"));
    char *uri = path ? uri_of_path(server, path) : NULL;
    json_t *page = uri ? json_string(uri) : NULL;
    if (page)
        json_object_set(result, "page", page);
    channel_send(json_incref(answer));
    if (page && server->shows_documents)
        channel_send(json_pack("{s:s, s:s+, s:s, s:{s:O, s:b}}", "jsonrpc", "2.0", "id", "show ",
                               uri, "method", "window/showDocument", "params", "uri", page,
                               "external", true));
    json_decref(page);
    free(uri);
}
