/* interleave.h -- inside codegen/: groups of accesses to elements 2 to 4 apart; see interleave.c.
 */
#ifndef HLC_CODEGEN_INTERLEAVE_H
#define HLC_CODEGEN_INTERLEAVE_H

#include "codegen/emit.h"

enum { WIDEST_STRIDE = 4 };

/* An access of `count` lanes to elements `step` apart (2 to WIDEST_STRIDE), in memory order. */
typedef struct Strided {
    const Memref *memref;
    LLVMValueRef lowest; /* the first element, in elements from the memory's origin */
    unsigned step, count;
    LLVMValueRef mask; /* the lanes that run; null: all do */
    bool is_reversed;  /* lane 0 of the mask is the last element in memory */
} Strided;

/* Does the target have masked loads and stores of vectors of this type? */
bool interleave_has_masks(const Emitter *emitter, Type type);
/* Loads the elements in their memory type (bools are bytes). With a mask, the target must have
 * masks. */
LLVMValueRef interleave_load(Emitter *emitter, const Strided *access);
/* Stores the elements, at the latest at the next interleave_flush. */
void interleave_store(Emitter *emitter, const Strided *access, LLVMValueRef value);
/* Emits the pending stores that may alias an access. Call it before each access to memory. For a
 * strided access, pass its `lowest` and `step`; otherwise null and 0. */
void interleave_settle(Emitter *emitter, const Memref *memref, LLVMValueRef lowest, unsigned step,
                       bool is_store);
/* Works like interleave_settle, but leaves pending streaming stores (stream.c). */
void interleave_settle_groups(Emitter *emitter, const Memref *memref, LLVMValueRef lowest,
                              unsigned step, bool is_store);
/* Emits all pending stores and starts new groups. Call it before and after every branch and loop.
 */
void interleave_flush(Emitter *emitter);
/* Works like interleave_flush at the end of a vectorized loop, but leaves pending streaming stores.
 */
void interleave_flush_groups(Emitter *emitter);

/* ---- rematerialize.c ---- */
/* The instructions of a group that may still grow: all from `first` to `last`, in one block. Null:
 * none. */
typedef struct Rematerialized {
    LLVMValueRef first, last;
} Rematerialized;
typedef struct Rematerialization {
    Rematerialized old;
    LLVMBasicBlockRef here, there; /* the builder's old block; its current block */
    LLVMMetadataRef location;
    LLVMValueRef before; /* the instruction before the new ones; null: they begin the block */
} Rematerialization;
/* Moves the builder to the old instructions, if there are any. */
Rematerialization rematerialize_begin(Emitter *emitter, const Rematerialized *old);
/* Returns the instructions made since rematerialize_begin. */
Rematerialized rematerialize_made(const Rematerialization *growing);
/* Erases the old instructions that are now unused, and moves the builder back. A block never ends
 * with an erased instruction: other instructions follow the first group, which was made at the
 * block's end. */
void rematerialize_end(Emitter *emitter, const Rematerialization *growing);

/* ---- transpose.c ---- */
/* Loads `count` unmasked elements of 32 bits, `step` apart. `first` is the first element's offset
 * from the memory's origin, in elements. Returns null, and emits nothing, for other accesses. */
LLVMValueRef transpose_load(Emitter *emitter, const Memref *memref, LLVMValueRef first,
                            LLVMValueRef step, unsigned count);
/* Call it after a store to the memory of this origin, or with null after a call that may store
 * anywhere. The blocks of that memory then stop growing. Branches and loops begin new basic blocks,
 * in which no older block grows. */
void transpose_forget(Emitter *emitter, LLVMValueRef origin);
/* Lets blocks that grow at the end of `from` continue in `to`. `from` is the only predecessor of
 * `to`, and always reaches it. */
void transpose_continue(Emitter *emitter, LLVMBasicBlockRef from, LLVMBasicBlockRef to);

#endif
