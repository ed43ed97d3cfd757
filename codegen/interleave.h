/* interleave.h -- inside codegen/: elements that lie 2 to 4 apart, in groups; see interleave.c. */
#ifndef HLC_CODEGEN_INTERLEAVE_H
#define HLC_CODEGEN_INTERLEAVE_H

#include "codegen/emit.h"

enum { WIDEST_STRIDE = 4 };

/* The elements of `count` lanes, `step` apart (2 to WIDEST_STRIDE), in the order of memory. */
typedef struct Strided {
    const Memref *memref;
    LLVMValueRef lowest; /* where the first of them lies, in elements from the memory's origin */
    unsigned step, count;
    LLVMValueRef mask; /* the lanes that run; null: all do */
    bool is_reversed;  /* lane 0 is the last in memory: of the mask only */
} Strided;

/* Does the machine load and store vectors of these elements under a mask? */
bool interleave_has_masks(const Emitter *emitter, Type type);
/* The elements as they are in memory (bools are bytes).  Under a mask only where the machine has
 * masks. */
LLVMValueRef interleave_load(Emitter *emitter, const Strided *access);
/* Stores them, not later than at the next interleave_flush. */
void interleave_store(Emitter *emitter, const Strided *access, LLVMValueRef value);
/* Before any access to a memory: makes the waiting stores that it might meet.  `lowest` and `step`
 * are those of a strided access, or null and 0. */
void interleave_settle(Emitter *emitter, const Memref *memref, LLVMValueRef lowest, unsigned step,
                       bool is_store);
/* The same, but for those that wait to be streamed (stream.c), which go on waiting. */
void interleave_settle_groups(Emitter *emitter, const Memref *memref, LLVMValueRef lowest,
                              unsigned step, bool is_store);
/* Before every branch and loop, and where one ends: makes all waiting stores, and begins anew. */
void interleave_flush(Emitter *emitter);
/* At the end of a vectorized loop: the same, but for those that wait to be streamed. */
void interleave_flush_groups(Emitter *emitter);

/* ---- rematerialize.c ---- */
/* The instructions that were made for something that may grow: all from `first` to `last`, of one
 * block; null: none were. */
typedef struct Rematerialized {
    LLVMValueRef first, last;
} Rematerialized;
typedef struct Rematerialization {
    Rematerialized old;
    LLVMBasicBlockRef here, there; /* where the builder was; where it is */
    LLVMMetadataRef location;
    LLVMValueRef before; /* the instruction before what is made; null: it begins the block */
} Rematerialization;
/* Puts the builder to where the old instructions are, if there are any. */
Rematerialization rematerialize_begin(Emitter *emitter, const Rematerialized *old);
/* What was made since. */
Rematerialized rematerialize_made(const Rematerialization *growing);
/* Erases those of the old ones that nothing uses now, and puts the builder back.  Behind the first
 * ones, made at a block's end, something else has been made: so no block ends with what is erased.
 */
void rematerialize_end(Emitter *emitter, const Rematerialization *growing);

/* ---- transpose.c ---- */
/* `count` elements of 32 bits, `step` apart, of which the first lies at `first` (in elements, from
 * the memory's origin), unmasked; null, and nothing is made, for others. */
LLVMValueRef transpose_load(Emitter *emitter, const Memref *memref, LLVMValueRef first,
                            LLVMValueRef step, unsigned count);
/* After a store to the memory of this origin; null: after a call that stores to any.  Branches and
 * loops begin new blocks of code, in which none grows. */
void transpose_forget(Emitter *emitter, LLVMValueRef origin);
/* What grows at the end of `from` goes on growing in `to`, which is always reached from there, and
 * from nowhere else. */
void transpose_continue(Emitter *emitter, LLVMBasicBlockRef from, LLVMBasicBlockRef to);

#endif
