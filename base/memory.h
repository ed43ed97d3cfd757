/* memory.h -- the one door for all of the compiler's memory, and the arenas behind it.
 *
 * There are three lifetimes only: context, pipeline, scratch.  Each is an Arena; nothing is freed
 * one by one.  An arena never returns null.  When memory runs out, when the limit is reached, when
 * the entry shall stop, or when a test asks for a failure, control leaves through
 * `Memory.on_failure`.  The one library
 * entry in progress has set it; that entry destroys the arenas and returns an error.  The jump must
 * never cross frames of a foreign library (LLVM, libffi, zlib).
 */
#ifndef HLC_BASE_MEMORY_H
#define HLC_BASE_MEMORY_H

#include "base/stop.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accounts for every byte the compiler holds.  `limit` 0 means no limit.  `fail_after` counts down
 * at each request, those that an arena could satisfy from what it holds too, and makes the request
 * that finds it at 0 fail; -1 means never.  While it counts, each request tells `on_request`,
 * unless that is null: it may look at who asks.  `left_by` says why control left last. */
typedef enum MemoryExit { MEMORY_OUT, MEMORY_BEYOND_LIMIT, MEMORY_STOPPED } MemoryExit;

typedef struct Memory {
    size_t in_use, peak, limit;
    int64_t fail_after;
    void (*on_request)(void *request_data);
    void *request_data;
    jmp_buf *on_failure;
    const Stop *stop; /* null: nothing ends the entry early */
    uint64_t work;    /* see memory_work */
    MemoryExit left_by;
    struct Arena *newest; /* of the arenas that live */
} Memory;

/* `size` zeroed bytes, aligned to 16; leaves through `on_failure` when there are none. */
void *memory_take(Memory *memory, size_t size);
/* Is there as much?  Fails as memory_take does, but touches none of it. */
void memory_ask(Memory *memory, size_t size);
/* Gives back what memory_take gave; `size` as it was asked for. */
void memory_release(Memory *memory, void *block, size_t size);

typedef struct Arena Arena;

Arena *arena_create(Memory *memory);
/* Frees everything allocated from the arena, and the arena.  Null is allowed. */
void arena_destroy(Arena *arena);
/* Destroys the arenas that were created after `until` (null: all) and still live: what a failure of
 * memory left behind. */
void memory_destroy_arenas(Memory *memory, const Arena *until);
/* Leaves through `on_failure` if the entry in progress shall stop. */
void arena_poll(Arena *arena);
/* The work done so far on the memory's account: one unit for each request to an arena, and what
 * `arena_add_work` adds for a library that has its own allocator. A measure of time without a clock. */
uint64_t memory_work(const Memory *memory);
void arena_add_work(Arena *arena, uint64_t units);
/* From now on the arena, with what is in it, is accounted for in `memory`, as its newest.  `memory`
 * may lie in the arena. */
void arena_move(Arena *arena, Memory *memory);
/* `size` zeroed bytes, aligned to 16, that live as long as the arena.  Never null. */
void *arena_allocate(Arena *arena, size_t size);
/* Takes memory for about `size` bytes to come (at most a chunk) now rather than then. */
void arena_reserve(Arena *arena, size_t size);
/* A copy of `length` bytes of text with a terminating zero. */
char *arena_text(Arena *arena, const char *text, size_t length);
/* printf into the arena. */
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number in decimal. */
char *arena_number(Arena *arena, int64_t number);
/* Bytes handed out so far. */
size_t arena_used(const Arena *arena);

#define arena_new(arena, T)          ((T *)arena_allocate((arena), sizeof(T)))
#define arena_array(arena, T, count) ((T *)arena_allocate((arena), sizeof(T) * (size_t)(count)))

#endif
