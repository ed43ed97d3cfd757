/* dot.h -- inside dot*.c: sums of products of narrow numbers, as dot.c tells. */
#ifndef HLC_CODEGEN_DOT_H
#define HLC_CODEGEN_DOT_H

#include "codegen/emit.h"

enum { MOST_TERMS = MOST_DOT_OPERANDS / 2, BYTES = 4, WORDS = 2 };

/* A number widened to the sum's type, or a constant. */
typedef struct DotFactor {
    Expr inner;     /* null: the constant */
    Type type;      /* of `inner`, 8 or 16 bits */
    int64_t number; /* the constant */
} DotFactor;

/* A summand: a product of two factors, or anything. */
typedef struct DotTerm {
    bool is_product, is_negative; /* a product is never negative: its constant is */
    DotFactor a, b;
    Expr whole; /* of what is no product */
} DotTerm;

typedef struct DotSum {
    DotTerm terms[MOST_TERMS];
    int count, products, widened; /* products by 1 and -1 among them */
} DotSum;

/* ---- dot_lanes.c: the operands ---- */
int64_t dot_factor_least(const DotFactor *factor);
int64_t dot_factor_most(const DotFactor *factor);
bool dot_fits(const DotFactor *factor, Type type);
/* Is the product one of the type, whatever the factors are? */
bool dot_is_exact(const DotFactor *a, const DotFactor *b, Type type);
/* As a number of `type`, scalar where it is the same in all lanes. */
LLVMValueRef dot_factor_value(Emitter *emitter, const DotFactor *factor, Type type);
bool dot_are_uniform(const LLVMValueRef *values, unsigned count);
/* The numbers of one lane, the same in all `lanes`, one after the other. */
LLVMValueRef dot_pack(Emitter *emitter, const LLVMValueRef *values, unsigned count, unsigned lanes);
/* The numbers of each lane side by side; null where they must be interleaved. */
LLVMValueRef dot_side_by_side(Emitter *emitter, const LLVMValueRef *values, unsigned count);
/* Machines shuffle fastest within 128 bits: the lower (or upper) half of each such part of x and
 * of y, alternating. */
LLVMValueRef dot_alternate(Emitter *emitter, LLVMValueRef x, LLVMValueRef y, bool is_upper);
/* Results of two vectors alternated so, `group` of them in a part, in the order of the lanes. */
LLVMValueRef dot_in_order(Emitter *emitter, LLVMValueRef lower, LLVMValueRef upper, unsigned group);
/* A call of an intrinsic, its operands reinterpreted as it wants them. */
LLVMValueRef dot_call(Emitter *emitter, LLVMValueRef function, const LLVMValueRef *values,
                      int count);
/* `*sum` (null: none yet) + value. */
void dot_add(Emitter *emitter, LLVMValueRef *sum, LLVMValueRef value);

/* ---- dot_bytes.c: four products of bytes ---- */
/* The signs of two factors. */
typedef enum DotSigns {
    UNSIGNED_SIGNED,
    SIGNED_UNSIGNED,
    UNSIGNED_UNSIGNED,
    SIGNED_SIGNED,
    NOT_BYTES
} DotSigns;

DotSigns dot_find_signs(const Emitter *emitter, const DotTerm *term);
/* Adds four products of such signs.  False, and nothing is made, where it cannot be done so. */
typedef bool DotApply(Emitter *emitter, DotSigns signs, DotTerm *const *terms, LLVMValueRef *sum);
DotApply dot_in_place, dot_interleaved;

/* ---- dot_pairs.c: two products ---- */
/* A byte by a constant, a product that 16 bits hold. */
bool dot_is_small(const DotTerm *term);
/* The sum of such terms, which 16 bits hold whatever the bytes are; of 16 bits. */
LLVMValueRef dot_small_sum(Emitter *emitter, DotTerm *const *terms, int count);
/* Two numbers of 16 bits. */
bool dot_is_word_product(const DotTerm *term);
/* Adds two such products.  False, and nothing is made, where it cannot be done so. */
bool dot_word_pairs(Emitter *emitter, DotTerm *const *terms, LLVMValueRef *sum);

#endif
