/* memory.c -- see memory.h.  Every block begins with its size, so an arena can give back what it
 * took and the accounts stay exact. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void leave(Memory *memory, MemoryExit reason) {
    memory->left_by = reason;
    if (memory->on_failure)
        longjmp(*memory->on_failure, 1);
    fputs("hlc: out of memory\n", stderr);
    exit(3);
}

static void poll(Memory *memory) {
    if (memory->stop && memory->on_failure && stop_poll(memory->stop) != STOP_NONE)
        leave(memory, MEMORY_STOPPED);
}

static void *take(Memory *memory, size_t size, bool zeroed) {
    bool beyond = memory->limit != 0 &&
                  (memory->in_use > memory->limit || size > memory->limit - memory->in_use);
    bool refused = memory->fail_after == 0 || beyond;
    if (memory->fail_after > 0) {
        memory->fail_after--;
        if (memory->on_request)
            memory->on_request(memory->request_data);
    }
    void *block = NULL;
    if (!refused)
        block = zeroed ? calloc(1, size ? size : 1) : malloc(size);
    if (!block)
        leave(memory, beyond ? MEMORY_BEYOND_LIMIT : MEMORY_OUT);
    memory->in_use += size;
    if (memory->in_use > memory->peak)
        memory->peak = memory->in_use;
    return block;
}

void *memory_take(Memory *memory, size_t size) {
    return take(memory, size, true);
}

void memory_ask(Memory *memory, size_t size) {
    memory_release(memory, take(memory, size, false), size);
}

void memory_release(Memory *memory, void *block, size_t size) {
    if (!block)
        return;
    memory->in_use -= size;
    free(block);
}

/* Arenas take chunks that double up to a megabyte; larger requests get a chunk of their own.  They
 * are zeroed as far as they are used, and somewhat ahead: pages that are not touched cost nothing.
 */
enum { FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20, ALIGNMENT = 16, ZEROED_AHEAD = 1024 };

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used, zeroed; /* of the bytes that follow the header */
} Chunk;

struct Arena {
    Memory *memory;
    Arena *older, *newer; /* by creation */
    Chunk *chunks;        /* the current one first */
    size_t next_size, used;
};

static size_t align(size_t size) {
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

#define HEADER align(sizeof(Chunk))

static void link_arena(Arena *arena, Memory *memory) {
    arena->memory = memory;
    arena->newer = NULL;
    arena->older = memory->newest;
    if (arena->older)
        arena->older->newer = arena;
    memory->newest = arena;
}

static void unlink_arena(Arena *arena) {
    if (arena->older)
        arena->older->newer = arena->newer;
    *(arena->newer ? &arena->newer->older : &arena->memory->newest) = arena->older;
}

Arena *arena_create(Memory *memory) {
    Arena *arena = memory_take(memory, sizeof *arena);
    arena->next_size = FIRST_CHUNK;
    link_arena(arena, memory);
    return arena;
}

static size_t held(const Arena *arena) {
    size_t size = sizeof *arena;
    for (const Chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        size += HEADER + chunk->size;
    return size;
}

void arena_move(Arena *arena, Memory *memory) {
    size_t size = held(arena);
    unlink_arena(arena);
    arena->memory->in_use -= size;
    link_arena(arena, memory);
    memory->in_use += size;
    if (memory->in_use > memory->peak)
        memory->peak = memory->in_use;
}

/* The accounts first: they may lie in the arena. */
void arena_destroy(Arena *arena) {
    if (!arena)
        return;
    unlink_arena(arena);
    arena->memory->in_use -= held(arena);
    for (Chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

void memory_destroy_arenas(Memory *memory, const Arena *until) {
    while (memory->newest && memory->newest != until)
        arena_destroy(memory->newest);
}

static Chunk *add_chunk(Arena *arena, size_t wanted) {
    size_t size = arena->next_size;
    if (wanted > size / 4)
        size = wanted;
    else if (arena->next_size < LAST_CHUNK)
        arena->next_size *= 2;
    bool is_own = size == wanted; /* made for one large block: the system's pages are zero */
    Chunk *chunk = take(arena->memory, HEADER + size, is_own);
    *chunk = (Chunk){.size = size, .zeroed = is_own ? size : 0};
    /* Such a one goes behind the current one, which has room left. */
    if (arena->chunks && is_own) {
        chunk->next = arena->chunks->next;
        arena->chunks->next = chunk;
    } else {
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    return chunk;
}

void arena_poll(Arena *arena) {
    poll(arena->memory);
}

uint64_t memory_work(const Memory *memory) {
    return memory->work;
}

void arena_add_work(Arena *arena, uint64_t units) {
    arena->memory->work += units;
}

void *arena_allocate(Arena *arena, size_t size) {
    enum { POLL_PERIOD = 64 };
    if (++arena->memory->work % POLL_PERIOD == 0)
        poll(arena->memory);
    size = align(size ? size : 1);
    Chunk *chunk = arena->chunks;
    bool is_counted = arena->memory->fail_after >= 0; /* a test */
    if (is_counted)
        memory_release(arena->memory, memory_take(arena->memory, 1), 1);
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    unsigned char *start = (unsigned char *)chunk + HEADER, *block = start + chunk->used;
    chunk->used += size;
    arena->used += size;
    if (chunk->used > chunk->zeroed) {
        size_t left = chunk->size - chunk->used;
        size_t end = chunk->used + (left < ZEROED_AHEAD ? left : ZEROED_AHEAD);
        memset(start + chunk->zeroed, 0, end - chunk->zeroed);
        chunk->zeroed = end;
    }
    return block;
}

void arena_reserve(Arena *arena, size_t size) {
    const Chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        while (arena->next_size < size && arena->next_size < LAST_CHUNK)
            arena->next_size *= 2;
        add_chunk(arena, 1);
    }
}

size_t arena_used(const Arena *arena) {
    return arena->used;
}

char *arena_text(Arena *arena, const char *text, size_t length) {
    char *copy = arena_allocate(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_format(Arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_allocate(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *arena_number(Arena *arena, int64_t number) {
    return arena_format(arena, "%lld", (long long)number);
}
