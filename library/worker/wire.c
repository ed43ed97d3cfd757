/* wire.c -- see wire.h. */
#include "library/worker/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

typedef struct WireHeader {
    uint64_t mark, length;
} WireHeader;

static const uint64_t MARK = 0x31656c6d6f6d6c68;
enum { MOST_BYTES = 1 << 30 };

/* ---- writing ---- */

static void put(WireWriter *writer, const void *bytes, size_t length) {
    vec_reserve(writer->arena, &writer->bytes, writer->bytes.length + length);
    if (length > 0)
        memcpy(writer->bytes.data + writer->bytes.length, bytes, length);
    writer->bytes.length += length;
}

void wire_put_number(WireWriter *writer, uint64_t number) {
    put(writer, &number, sizeof number);
}

void wire_put_bytes(WireWriter *writer, const void *bytes, size_t length) {
    wire_put_number(writer, length);
    put(writer, bytes, length);
    put(writer, "", 1);
}

void wire_put_text(WireWriter *writer, const char *text) {
    wire_put_number(writer, text != NULL);
    if (text)
        wire_put_bytes(writer, text, strlen(text));
}

void wire_put_place(WireWriter *writer, Place place) {
    put(writer, &place, sizeof place);
}

WireWriter wire_begin(Arena *arena) {
    WireWriter writer = {.arena = arena};
    wire_put_text(&writer, HLC_VERSION);
    return writer;
}

/* ---- reading ---- */

/* Takes the next bytes; null if there are fewer. */
static const char *take(WireReader *reader, size_t length) {
    if (reader->failed || length > (size_t)(reader->end - reader->at)) {
        reader->failed = true;
        return NULL;
    }
    const char *bytes = reader->at;
    reader->at += length;
    return bytes;
}

uint64_t wire_number(WireReader *reader) {
    uint64_t number = 0;
    const char *bytes = take(reader, sizeof number);
    if (bytes)
        memcpy(&number, bytes, sizeof number);
    return number;
}

const char *wire_bytes(WireReader *reader, size_t *length) {
    *length = wire_number(reader);
    const char *bytes = *length < MOST_BYTES ? take(reader, *length + 1) : NULL;
    reader->failed |= !bytes;
    if (!bytes)
        *length = 0;
    return bytes ? bytes : "";
}

const char *wire_text(WireReader *reader) {
    size_t length;
    return wire_number(reader) ? wire_bytes(reader, &length) : NULL;
}

Place wire_place(WireReader *reader) {
    Place place = NOWHERE;
    const char *bytes = take(reader, sizeof place);
    if (bytes)
        memcpy(&place, bytes, sizeof place);
    return place;
}

/* ---- sockets ---- */

static bool send_all(int socket, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t length) {
    char *at = bytes;
    while (length > 0) {
        ssize_t received = recv(socket, at, length, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        at += received;
        length -= (size_t)received;
    }
    return true;
}

bool wire_send(int socket, const WireWriter *writer) {
    WireHeader header = {MARK, writer->bytes.length};
    return send_all(socket, &header, sizeof header) &&
           send_all(socket, writer->bytes.data, writer->bytes.length);
}

bool wire_receive(int socket, Arena *arena, WireReader *reader) {
    WireHeader header;
    *reader = (WireReader){.failed = true};
    if (!receive_all(socket, &header, sizeof header) || header.mark != MARK ||
        header.length > MOST_BYTES)
        return false;
    char *body = arena_allocate(arena, header.length + 1);
    if (!receive_all(socket, body, header.length))
        return false;
    *reader = (WireReader){.at = body, .end = body + header.length};
    const char *version = wire_text(reader);
    reader->failed |= !version || strcmp(version, HLC_VERSION) != 0;
    return !reader->failed;
}
