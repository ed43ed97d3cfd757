/* lsp.h -- shared by the files of `hlc lsp`, a server of the language server protocol (3.17) on standard
 * input and output.
 *
 *   channel.c        messages: headers, JSON; a thread that reads them into a queue
 *   server.c      the loop: messages first, then what open texts still need
 *   methods.c     the table of methods, and how a request is answered or refused
 *   documents.c   open texts and their changes
 *   lines.c       places: bytes here; UTF-16 or UTF-8 there
 *   publish.c     diagnostics
 *   answer_*.c    the requests, by subject
 *   run.c         commands that run `hlc` on a file
 *
 * One thread works. The thread that reads may end what the worker does: for $/cancelRequest the
 * request, and for a change of a text the work on texts that nobody asked for.
 *
 * Each version of a text has a handle of its own (editor/editor.h), under the limits of the command
 * line. A question may take as long as reading a text (--time-limit).
 */
#ifndef HLC_DRIVER_LSP_LSP_H
#define HLC_DRIVER_LSP_LSP_H

#include "driver/driver.h"
#include "editor/editor.h"

#include <jansson.h>
#include <pthread.h>

/* ---- channel.c ---- */

typedef enum MessageKind {
    MESSAGE_JSON,
    MESSAGE_BAD,  /* no JSON; the next message can be read */
    MESSAGE_LOST, /* no header: nothing more can be read */
    MESSAGE_END
} MessageKind;

typedef struct Message {
    MessageKind kind;
    json_t *json; /* of a MESSAGE_JSON; the receiver's */
    struct Message *next;
} Message;

typedef enum Work { WORK_NONE, WORK_ANSWERS, WORK_READS, WORK_JUDGES } Work;

/* What both threads touch, under the lock. */
typedef struct Channel {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    Message *first, **last;
    Work work;           /* in progress */
    const json_t *asked; /* the id of the request in progress; null: none */
    json_t *cancelled;   /* ids of requests that need no answer */
    hlc *busy[3];        /* the handles of the work in progress */
    const char *about;   /* the text that the request in progress is about; null: none */
    bool is_outdated;    /* that text has changed since */
    bool was_ended;      /* it was told to end */
} Channel;

/* Starts the thread that reads standard input. False if there is none. */
bool channel_begin(Channel *channel);
/* The next message; `waits`: until there is one. Null: none yet. */
Message *channel_take(Channel *channel, bool waits);
/* Puts a message behind those that arrived: what another thread of ours has to tell. */
void channel_put(Channel *channel, MessageKind kind, json_t *json);
/* Writes a message, and gives it up. */
void channel_send(json_t *message);
/* Sends the diagnostics of a text, and gives them up. `version` may be null. */
void channel_diagnostics(const char *uri, json_t *diagnostics, const json_int_t *version);
/* Begins work with these handles (null: fewer); `asked` is the id of a request, or null. Returns false
 * if the request has been cancelled. */
bool channel_work(Channel *channel, Work work, const json_t *asked, hlc *first, hlc *second);
/* The request in progress is about this text: a change of it ends the work. */
void channel_about(Channel *channel, const char *uri);
/* Another handle of the work in progress. */
void channel_also(Channel *channel, hlc *h);
/* Ends the work; the handles may be destroyed now. Returns whether it was told to end. */
bool channel_rest(Channel *channel);

/* ---- lines.c ---- */

/* The lines of a text. */
typedef struct Lines {
    const char *text;
    size_t length;
    size_t *starts; /* of each line, `count` of them */
    size_t count;
} Lines;

bool lines_read(Lines *lines, const char *text, size_t length);
void lines_free(Lines *lines);
/* The offset of a place of the protocol; a place beyond a line or the text is its end. */
size_t lines_offset(const Lines *lines, const json_t *position, bool is_utf8);
EditorPoint lines_point(const Lines *lines, size_t offset);
/* The place of the protocol. */
json_t *lines_position(const Lines *lines, EditorPoint at, bool is_utf8);
/* Counts the units of a part of a line. */
size_t lines_units(const Lines *lines, EditorPoint at, unsigned bytes, bool is_utf8);

/* ---- documents.c ---- */

typedef struct Document {
    struct Document *next;
    char *uri, *path, *text;
    size_t length;
    json_int_t version;
    Lines lines;
    Editor *editor;
    bool is_read;     /* the editor has this text */
    bool is_reported; /* so has the client its diagnostics */
    bool is_warned;   /* all schedules have been judged, with warnings */
    size_t judged;    /* how many schedules */
} Document;

enum { MOST_RUNNING = 4 };

/* The processes that commands have started. */
typedef struct RunningCommands {
    pthread_mutex_t lock;
    pid_t pids[MOST_RUNNING]; /* 0: free */
} RunningCommands;

typedef struct Server {
    const Command *command;
    Channel channel;
    RunningCommands running;
    Document *documents;
    double seconds; /* the most that a reading or an answer may take */
    bool is_utf8;   /* positions count bytes, not UTF-16 units */
    bool is_initialized, is_shut_down;
    bool has_links;       /* the client knows relatedInformation */
    bool shows_documents; /* the client knows window/showDocument */
    char *imported;       /* the text of the last file that was imported */
    char *other;          /* the path of `others` */
    Lines others;         /* of a file that is not open */
    char *other_text;
    int error; /* of the answer at work; 0: none */
    char refusal[400];
} Server;

/* Refuses the request in progress; returns null. */
static inline json_t *refuse_answer(Server *server, int error, const char *why) {
    server->error = error;
    snprintf(server->refusal, sizeof server->refusal, "%s", why);
    return NULL;
}

Document *document_find(const Server *server, const char *uri);
void document_open(Server *server, const json_t *params);
void document_change(Server *server, const json_t *params);
void document_close(Server *server, const json_t *params);
void documents_free(Server *server);
/* A handle with the limits of the command line; null when memory runs out. */
hlc *document_handle(Server *server);
/* Gives the text to the editor, if it has another version. */
void document_read(Server *server, Document *document, Work work);
/* The importer of editor.h: open texts, then files. `data` is the server. */
const char *document_import(void *data, const char *path, size_t *length);
/* The place in a file of the protocol: {"uri", "range"}. Null for a file that cannot be read. */
json_t *document_location(Server *server, Document *document, const EditorRange *range);
json_t *document_range(Server *server, Document *document, const EditorRange *range);
/* The lines of a file that the document's editor has read; null if they are not known. */
const Lines *document_lines(Server *server, Document *document, const char *path);
char *uri_of_path(const Server *server, const char *path);
/* Where the request points at. */
EditorPoint document_point(const Server *server, const Document *document, const json_t *params);

/* ---- publish.c ---- */

/* Does one step of what the open texts need: reads one, judges a schedule of one, sends diagnostics.
 * False if nothing is left to do. */
bool publish_step(Server *server);
json_t *publish_diagnostic(Server *server, Document *document, size_t i);

/* ---- methods.c ---- */

enum {
    ERROR_PARSE = -32700,
    ERROR_INVALID_REQUEST = -32600,
    ERROR_UNKNOWN_METHOD = -32601,
    ERROR_INVALID_PARAMS = -32602,
    ERROR_INTERNAL = -32603,
    ERROR_NOT_INITIALIZED = -32002,
    ERROR_CANCELLED = -32800,
    ERROR_OUTDATED = -32801, /* "content modified" */
    ERROR_FAILED = -32803
};
/* Handles a message. False: the server shall end. */
bool methods_handle(Server *server, json_t *message);

/* ---- answer_*.c ----
 *
 * The result of a request; null after refuse_answer, or for the answer null. */
#define METHOD(NAME, TEXT, NEEDS) json_t *answer_##NAME(Server *, Document *, const json_t *);
#include "driver/lsp/methods.def"
#undef METHOD

/* ---- run.c ---- */

/* The commands that code lenses run. */
json_t *run_commands(void);
json_t *run_lenses(Server *server, Document *document, const EditorLens *lens);
/* Starts a command of the request `id`, which is answered when it ends. False after refuse_answer. */
bool run_start(Server *server, const json_t *id, const json_t *params);
/* Sends the answer of a command that has ended. A page that it made is shown, if the client can. */
void run_finish(const Server *server, json_t *answer);
/* Ends the commands that run. */
void run_end(Server *server);

#endif
