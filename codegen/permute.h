/* permute.h -- inside codegen/: looks up lanes in a few registers of elements; see permute.c. */
#ifndef HLC_CODEGEN_PERMUTE_H
#define HLC_CODEGEN_PERMUTE_H

#include "codegen/emit.h"

enum { MOST_REGISTERS = 16 };

/* The machine's permutation of elements of one width. */
typedef struct Permutation {
    unsigned lanes;        /* of a register; 0: the machine has none */
    unsigned width;        /* lanes of indices of one instruction: a multiple of `lanes`, each of
                              which sees the same register */
    unsigned most;         /* registers */
    unsigned bytes;        /* of an element, if its bytes are permuted instead; else 1 */
    const char *one, *two; /* intrinsics of (register, indices) and (register, indices, register) */
} Permutation;

/* Elements in registers. */
typedef struct RegisterTable {
    Emitter *emitter;
    Permutation permutation;
    LLVMTypeRef word, vector; /* what is permuted, an integer; a register of these */
    unsigned count;           /* registers */
    LLVMValueRef registers[MOST_REGISTERS];
} RegisterTable;

/* Returns the permutation of elements of so many bits. */
Permutation permutation_of(const Emitter *emitter, unsigned bits);
/* Returns how many registers `length` elements take. */
unsigned permutation_registers(const Permutation *permutation, int64_t length);
/* Loads `length` adjacent elements of so many bits. All must be readable. */
RegisterTable registers_load(Emitter *emitter, unsigned bits, LLVMValueRef address, int64_t length);
/* Looks up `indices`, lanes of integers of any width that are less than the table's length. Returns
 * integers of the elements' width. */
LLVMValueRef registers_look_up(RegisterTable *table, unsigned bits, LLVMValueRef indices);

#endif
