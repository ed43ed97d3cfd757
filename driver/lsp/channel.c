/* channel.c -- messages of the protocol on standard input and output. */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_LINE = 4096, MOST_CANCELLED = 1000 };
/* A client that sends more is none. */
static const size_t LONGEST_MESSAGE = (size_t)256 << 20;

/* ---- reading ---- */

/* Reads the headers up to the blank line. False at the end; `*is_lost` if there are none. */
static bool read_headers(size_t *length, bool *is_lost) {
    static const char NAME[] = "Content-Length:";
    char line[LONGEST_LINE];
    bool has_length = false, has_line = false;
    while (fgets(line, sizeof line, stdin)) {
        size_t end = strcspn(line, "\r\n");
        if (!line[end])
            break; /* too long, or cut off */
        line[end] = '\0';
        if (end == 0) {
            *is_lost = !has_length;
            return has_length;
        }
        has_line = true;
        if (strncasecmp(line, NAME, sizeof NAME - 1) == 0) {
            const char *digits = line + sizeof NAME - 1;
            digits += strspn(digits, " ");
            size_t count = strspn(digits, "0123456789");
            has_length = count > 0 && count < 12 && !digits[count];
            *length = has_length ? strtoull(digits, NULL, 10) : 0;
            has_length &= *length <= LONGEST_MESSAGE;
        } else if (!strchr(line, ':')) {
            break;
        }
    }
    *is_lost = has_line || !feof(stdin);
    return false;
}

static bool has_text(const json_t *json, const char *member, const char *text) {
    const char *value = json_string_value(json_object_get(json, member));
    return value && strcmp(value, text) == 0;
}

static void end_work(Channel *channel) {
    channel->was_ended = true;
    for (size_t i = 0; i < sizeof channel->busy / sizeof *channel->busy; i++)
        hlc_cancel(channel->busy[i]);
}

/* What a message means for the work in progress, and for requests that still wait. */
static void look_at(Channel *channel, const json_t *json) {
    pthread_mutex_lock(&channel->lock);
    if (has_text(json, "method", "$/cancelRequest")) {
        json_t *id = json_object_get(json_object_get(json, "params"), "id");
        if (id && channel->work == WORK_ANSWERS && channel->asked && json_equal(id, channel->asked))
            end_work(channel);
        else if (id && json_array_size(channel->cancelled) < MOST_CANCELLED)
            json_array_append(channel->cancelled, id);
    } else if (channel->about && has_text(json, "method", "textDocument/didChange") &&
               has_text(json_object_get(json_object_get(json, "params"), "textDocument"), "uri",
                        channel->about)) {
        channel->is_outdated = true;
        end_work(channel);
    } else if (channel->work == WORK_JUDGES ||
               (channel->work == WORK_READS &&
                has_text(json, "method", "textDocument/didChange")) ||
               (channel->work != WORK_NONE && has_text(json, "method", "exit"))) {
        end_work(channel);
    }
    pthread_mutex_unlock(&channel->lock);
}

void channel_put(Channel *channel, MessageKind kind, json_t *json) {
    Message *message = calloc(1, sizeof *message);
    if (!message)
        abort(); /* without a queue nobody would learn of it */
    message->kind = kind;
    message->json = json;
    pthread_mutex_lock(&channel->lock);
    *channel->last = message;
    channel->last = &message->next;
    pthread_cond_signal(&channel->arrived);
    pthread_mutex_unlock(&channel->lock);
}

/* ---- half characters ---- */

/* Reads `\u` and four hexadecimal digits. Returns -1 for other text. */
static long read_unit(const char *text, size_t length) {
    char digits[5] = "";
    if (length < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    memcpy(digits, text + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static bool is_high(long unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(long unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

/* An editor counts UTF-16 units, and may send half a character. JSON has no such text, and the change
 * that holds it would be lost. U+FFFD takes its place: one unit, as before. */
static void replace_halves(char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        long unit = read_unit(text + i, length - i);
        if (is_high(unit) && is_low(read_unit(text + i + 6, length - i - 6))) {
            i += 12;
            continue;
        }
        if (is_high(unit) || is_low(unit))
            memcpy(text + i + 2, "fffd", 4);
        if (length - i >= 3 && !memcmp(text + i, "\xED", 1) && (text[i + 1] & 0xE0) == 0xA0)
            memcpy(text + i, "\xEF\xBF\xBD", 3);
        i += text[i] == '\\' ? 2 : 1;
    }
}

/* Reads one message; false if it is the last. */
static bool read_message(Channel *channel) {
    size_t length = 0;
    bool is_lost = false;
    if (!read_headers(&length, &is_lost)) {
        channel_put(channel, is_lost ? MESSAGE_LOST : MESSAGE_END, NULL);
        return false;
    }
    char *text = malloc(length + 1);
    if (!text || fread(text, 1, length, stdin) != length) {
        free(text);
        channel_put(channel, MESSAGE_END, NULL);
        return false;
    }
    replace_halves(text, length);
    json_t *json = json_loadb(text, length, JSON_ALLOW_NUL, NULL);
    free(text);
    if (json)
        look_at(channel, json);
    channel_put(channel, json ? MESSAGE_JSON : MESSAGE_BAD, json);
    return true;
}

static void *read_all(void *data) {
    while (read_message(data))
        ;
    return NULL;
}

bool channel_begin(Channel *channel) {
    pthread_t thread;
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->arrived, NULL);
    channel->last = &channel->first;
    channel->cancelled = json_array();
    if (!channel->cancelled || pthread_create(&thread, NULL, read_all, channel) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

Message *channel_take(Channel *channel, bool waits) {
    pthread_mutex_lock(&channel->lock);
    while (waits && !channel->first)
        pthread_cond_wait(&channel->arrived, &channel->lock);
    Message *message = channel->first;
    if (message && !(channel->first = message->next))
        channel->last = &channel->first;
    pthread_mutex_unlock(&channel->lock);
    return message;
}

void channel_send(json_t *message) {
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text)
        return;
    printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(stdout);
    free(text);
}

void channel_diagnostics(const char *uri, json_t *diagnostics, const json_int_t *version) {
    json_t *params = json_pack("{s:s, s:o}", "uri", uri, "diagnostics", diagnostics);
    if (params && version)
        json_object_set_new(params, "version", json_integer(*version));
    channel_send(json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method",
                           "textDocument/publishDiagnostics", "params", params));
}

/* ---- work ---- */

static bool take_cancelled(Channel *channel, const json_t *id) {
    for (size_t i = 0; id && i < json_array_size(channel->cancelled); i++)
        if (json_equal(json_array_get(channel->cancelled, i), id)) {
            json_array_remove(channel->cancelled, i);
            return true;
        }
    return false;
}

bool channel_work(Channel *channel, Work work, const json_t *asked, hlc *first, hlc *second) {
    pthread_mutex_lock(&channel->lock);
    bool is_cancelled = take_cancelled(channel, asked);
    channel->was_ended = false;
    channel->work = work;
    channel->asked = asked;
    channel->busy[0] = first;
    channel->busy[1] = second == first ? NULL : second;
    pthread_mutex_unlock(&channel->lock);
    return !is_cancelled;
}

void channel_also(Channel *channel, hlc *h) {
    pthread_mutex_lock(&channel->lock);
    channel->busy[2] = h;
    if (channel->was_ended)
        hlc_cancel(h);
    pthread_mutex_unlock(&channel->lock);
}

void channel_about(Channel *channel, const char *uri) {
    pthread_mutex_lock(&channel->lock);
    channel->about = uri;
    channel->is_outdated = false;
    pthread_mutex_unlock(&channel->lock);
}

bool channel_rest(Channel *channel) {
    pthread_mutex_lock(&channel->lock);
    channel->about = NULL;
    bool was_ended = channel->was_ended;
    for (size_t i = 0; i < sizeof channel->busy / sizeof *channel->busy; i++) {
        hlc_resume(channel->busy[i]);
        channel->busy[i] = NULL;
    }
    channel->work = WORK_NONE;
    channel->asked = NULL;
    pthread_mutex_unlock(&channel->lock);
    return was_ended;
}
