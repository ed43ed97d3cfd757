/* wire.h -- inside library/: the protocol between a compiler and its worker process.
 *
 * A message is a header (a mark, the length) and a body: 64-bit numbers, and texts with their
 * length first, in an order that both sides know. Both sides run on one machine and, as the first
 * text of each body checks, have one version. Input is trusted no more than a file: after the end
 * of a short body every further read returns 0.
 */
#ifndef HLC_LIBRARY_WORKER_WIRE_H
#define HLC_LIBRARY_WORKER_WIRE_H

#include "library/compiler.h"

typedef struct WireWriter {
    Arena *arena;
    Vec(char) bytes;
} WireWriter;

void wire_put_number(WireWriter *writer, uint64_t number);
/* `text` null is kept apart from "". */
void wire_put_text(WireWriter *writer, const char *text);
void wire_put_bytes(WireWriter *writer, const void *bytes, size_t length);
void wire_put_place(WireWriter *writer, Place place);

typedef struct WireReader {
    const char *at, *end;
    bool failed; /* the body was too short, or of another version */
} WireReader;

uint64_t wire_number(WireReader *reader);
/* Returns bytes of the body, followed by a zero that the length does not count. */
const char *wire_bytes(WireReader *reader, size_t *length);
const char *wire_text(WireReader *reader);
Place wire_place(WireReader *reader);

/* Begins a body: its version. */
WireWriter wire_begin(Arena *arena);

/* Sends a message on a socket. False if the other side is gone; raises no signal. */
bool wire_send(int socket, const WireWriter *writer);
/* Waits for a message; its body lives in the arena. False at the end of the connection, or for an
 * invalid message. */
bool wire_receive(int socket, Arena *arena, WireReader *reader);

#endif
