/* storage.h -- the kind of memory of a func, and its layout: for code generation and for the
 * reports.
 *
 * Without a directive, an allocation is on the stack if its form shows that it is small: each
 * length is a constant or has a constant bound, as in min(n - x, 32). The thread that runs a
 * parallel loop may have a small stack, e.g. a thread of the host's pool, or one under a C library
 * that gives 128 KiB. The functions of nested loops share that stack, so each may take only a
 * little.
 */
#ifndef HLC_IR_STORAGE_H
#define HLC_IR_STORAGE_H

#include "ir/signature.h"

/* Limits in bytes: one component of a func on the stack; all small memory on the stack of one
 * function (the pipeline's, or a parallel loop's body), with its padding; and, in addition, the
 * memory that a schedule puts on the stack. */
enum { LARGEST_ON_STACK = 8192, STACK_OF_FUNCTION = 18432, STACK_AS_TOLD = 16384 };
/* Padding in bytes before and after each stack slot and each table: the width of the widest
 * register. codegen/base/object_bounds.c gives the reason. */
enum { OBJECT_PADDING = 64 };
/* Greatest size in bytes of one component that a schedule may put in registers: 32 of 64 bytes. */
enum { LARGEST_IN_REGISTERS = 2048 };

typedef enum MemoryKind {
    MEMORY_AUTOMATIC, /* on the stack if it is small */
    MEMORY_STACK,
    MEMORY_HEAP,
    MEMORY_REGISTER /* on the stack; LLVM keeps it in registers if all indices are constant */
} MemoryKind;

/* Returns the word `stack`, `heap`, ..; null for MEMORY_AUTOMATIC. */
const char *memory_text(MemoryKind memory);
/* Finds the kind of this name; false if there is none. */
bool memory_from_text(const char *text, MemoryKind *memory);

typedef struct Storage {
    MemoryKind memory;
    uint8_t order[MAX_DIMENSIONS]; /* order[n] is the dimension with the nth smallest stride */
    Place place;                   /* place of the directive that set `memory` */
    bool streams;                  /* an output with streaming stores */
    bool traced;                   /* traced code reports its loads and stores */
    /* Constant contents, or null. The layout is that of memory: little-endian, dimension 0
     * innermost, one component after another. */
    const uint8_t *table;
    size_t table_bytes;
} Storage;

/* Returns automatic memory with dimension 0 innermost. */
const Storage *storage_plain(void);
/* Does the order of the first `dimensions` put dimension n at position n? */
bool storage_is_in_order(const Storage *storage, int dimensions);
/* Does the order contain each of the first `dimensions` once? */
bool storage_is_sound(const Storage *storage, int dimensions);

/* Returns an upper bound of the length, for all values of its variables; -1 if there is none that
 * is small enough for the stack. */
int64_t storage_longest(Expr length);

#endif
