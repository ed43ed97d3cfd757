/* storage.h -- the kind of memory of a func, and its layout: for code generation and for the
 * reports.
 *
 * Without a directive, an allocation is on the stack if its form shows that it is small: each
 * length is a constant, or at most a constant, as in min(n - x, 32).  A thread that runs a parallel
 * loop may have a small stack: a thread of the host's pool, or one under a C library that gives 128
 * KiB.  The functions of a few nested loops share that stack, so each may take only a little. */
#ifndef HLC_IR_STORAGE_H
#define HLC_IR_STORAGE_H

#include "ir/signature.h"

/* Limits in bytes: of one component of a func on the stack; of all small memory that one function
 * (the pipeline's, or a parallel loop's body) keeps on the stack, with its padding; and, beside
 * these, of the memory that a schedule puts on the stack. */
enum { LARGEST_ON_STACK = 8192, STACK_OF_FUNCTION = 18432, STACK_AS_TOLD = 16384 };
/* Bytes before and behind each slot on the stack, and each table: the widest register's.
 * codegen/base/object_bounds.c gives the reason. */
enum { OBJECT_PADDING = 64 };
/* Bytes of one component that a schedule may want in registers: 32 of 64 bytes. */
enum { LARGEST_IN_REGISTERS = 2048 };

typedef enum MemoryKind {
    MEMORY_AUTOMATIC, /* on the stack if it is small */
    MEMORY_STACK,
    MEMORY_HEAP,
    MEMORY_REGISTER /* on the stack; LLVM keeps it in registers if all indices are constant */
} MemoryKind;

/* Returns `stack`, ..; null for MEMORY_AUTOMATIC. */
const char *memory_text(MemoryKind memory);
/* Finds the kind of this name; false if there is none. */
bool memory_from_text(const char *text, MemoryKind *memory);

typedef struct Storage {
    MemoryKind memory;
    uint8_t order[MAX_DIMENSIONS]; /* order[n] is the dimension that is the nth closest in memory */
    Place place;                   /* of the directive that set `memory` */
    bool streams;                  /* an output with streaming stores */
    /* Constant contents, or null. They have the layout of memory (little-endian, dimension 0
     * innermost), the components one after another. */
    const uint8_t *table;
    size_t table_bytes;
} Storage;

/* Returns automatic memory with dimension 0 innermost. */
const Storage *storage_plain(void);
/* Is dimension n the nth closest, for all of the first `dimensions`? */
bool storage_is_in_order(const Storage *storage, int dimensions);
/* Does each of the first `dimensions` stand in the order once? */
bool storage_is_sound(const Storage *storage, int dimensions);

/* An upper bound of the length for all values of its variables, small enough for the stack; -1 if
 * there is none. */
int64_t storage_longest(Expr length);

#endif
