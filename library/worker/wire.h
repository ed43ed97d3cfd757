/* wire.h -- inside library/: what a compiler and its worker process say to each other.
 *
 * A message is a header (a mark, the length) and a body: numbers of 64 bits and texts with their
 * length in front, in the order in which both sides know them.  Both are the same machine and, as
 * the first text of each body tells, the same version.  What comes in is believed as little as a
 * file: a body that is too short makes every further read answer 0.
 */
#ifndef HLC_LIBRARY_WIRE_H
#define HLC_LIBRARY_WIRE_H

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
    bool failed; /* it was too short, or not of this version */
} WireReader;

uint64_t wire_number(WireReader *reader);
/* In the body, with a zero behind it that is not counted. */
const char *wire_bytes(WireReader *reader, size_t *length);
const char *wire_text(WireReader *reader);
Place wire_place(WireReader *reader);

/* Begins a body: its version. */
WireWriter wire_begin(Arena *arena);

/* On a socket.  False where the other side is gone; no signal is raised. */
bool wire_send(int socket, const WireWriter *writer);
/* Waits for a message; its body lives in the arena.  False at the end, or where it is none. */
bool wire_receive(int socket, Arena *arena, WireReader *reader);

#endif
