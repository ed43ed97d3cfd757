/* dot.h -- inside dot*.c: sums of products of narrow numbers; see dot.c. */
#ifndef HLC_CODEGEN_IDIOMS_DOT_H
#define HLC_CODEGEN_IDIOMS_DOT_H

#include "codegen/emit.h"

enum { MOST_TERMS = MOST_DOT_OPERANDS / 2, BYTES = 4, WORDS = 2 };

/* A factor: a narrow number widened to the sum's type, or a constant. */
typedef struct DotFactor {
    Expr inner;     /* null: the constant */
    Type type;      /* of `inner`, 8 or 16 bits */
    int64_t number; /* the constant */
} DotFactor;

/* A summand: a product of two factors, or any other expression. */
typedef struct DotTerm {
    bool is_product, is_negative; /* a product is never negative: the sign is in its constant */
    DotFactor a, b;
    Expr whole; /* the expression, if it is not a product */
} DotTerm;

typedef struct DotSum {
    DotTerm terms[MOST_TERMS];
    int count, products, widened; /* `products` counts products by 1 and -1, too */
} DotSum;

/* ---- dot_lanes.c: the operands ---- */
int64_t dot_factor_least(const DotFactor *factor);
int64_t dot_factor_most(const DotFactor *factor);
bool dot_fits(const DotFactor *factor, Type type);
/* Does the exact product fit the type for all values of the factors? */
bool dot_is_exact(const DotFactor *a, const DotFactor *b, Type type);
/* Emits the factor as a number of `type`. It is a scalar if all lanes are equal. */
LLVMValueRef dot_factor_value(Emitter *emitter, const DotFactor *factor, Type type);
bool dot_are_uniform(const LLVMValueRef *values, unsigned count);
/* Packs the numbers of one lane side by side. All `lanes` get the same ones. */
LLVMValueRef dot_pack(Emitter *emitter, const LLVMValueRef *values, unsigned count, unsigned lanes);
/* Returns the vector with the numbers of each lane side by side, as they already are. Null if they
 * must be interleaved first. */
LLVMValueRef dot_side_by_side(Emitter *emitter, const LLVMValueRef *values, unsigned count);
/* Alternates the elements of x and y within each part of 128 bits: those of the part's lower half,
 * or of its upper half. Machines shuffle fastest within 128 bits. */
LLVMValueRef dot_alternate(Emitter *emitter, LLVMValueRef x, LLVMValueRef y, bool is_upper);
/* Restores the order of the lanes after dot_alternate: `group` results in each part. */
LLVMValueRef dot_in_order(Emitter *emitter, LLVMValueRef lower, LLVMValueRef upper, unsigned group);
/* Calls an intrinsic, with its operands bitcast to the parameter types. */
LLVMValueRef dot_call(Emitter *emitter, LLVMValueRef function, const LLVMValueRef *values,
                      int count);
/* Adds `value` to `*sum` (null: no sum yet). */
void dot_add(Emitter *emitter, LLVMValueRef *sum, LLVMValueRef value);

/* ---- dot_bytes.c: four products of bytes ---- */
/* The signedness of the two factors. */
typedef enum DotSigns {
    UNSIGNED_SIGNED,
    SIGNED_UNSIGNED,
    UNSIGNED_UNSIGNED,
    SIGNED_SIGNED,
    NOT_BYTES
} DotSigns;

DotSigns dot_find_signs(const Emitter *emitter, const DotTerm *term);
/* Adds four products of this signedness. Returns false, and emits nothing, if it does not apply. */
typedef bool DotApply(Emitter *emitter, DotSigns signs, DotTerm *const *terms, LLVMValueRef *sum);
DotApply dot_in_place, dot_interleaved;

/* ---- dot_pairs.c: two products ---- */
/* Is the term a byte by a constant, with a product that fits 16 bits? */
bool dot_is_small(const DotTerm *term);
/* Emits the sum of such terms, in 16 bits. It must fit 16 bits for all values of the bytes. */
LLVMValueRef dot_small_sum(Emitter *emitter, DotTerm *const *terms, int count);
/* Is the term a product of two 16-bit numbers? */
bool dot_is_word_product(const DotTerm *term);
/* Adds two such products. Returns false, and emits nothing, if it does not apply. */
bool dot_word_pairs(Emitter *emitter, DotTerm *const *terms, LLVMValueRef *sum);

#endif
