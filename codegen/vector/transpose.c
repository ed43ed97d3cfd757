/* transpose.c -- loads whose lanes are far apart, but adjacent to another load's lanes.
 *
 *     for y in .. unrolled by 4            lane i of the load for y + k lies in row i, at place k:
 *       for x in (.., 16) vectorized       four loads read a block of 16 rows of 4 elements
 *         out[x, y] <- in[y, x]
 *
 * The block is loaded row by row, and transposed by shuffles within 128 bits, the fastest on all
 * machines. Four vectors of n lanes then take n loads of 4 elements instead of 4*n loads of one.
 *
 * The first load does not know the later ones. It is emitted element by element, and its value is
 * an LLVM `freeze`, whose identity persists. When the next load comes, longer rows are loaded at
 * the place of the first, and the members get new operands (rematerialize.c). The load reads the
 * elements between two members, but nothing before the first or after the last. A store to the same
 * memory, a call, a branch and a loop end a block. The end of a vectorized loop does not, nor does
 * a store that is emitted in two forms (stream.c).
 */
#include "codegen/interleave.h"

enum { WIDTH = 4, ROWS = 4 }; /* elements of a row; rows within 128 bits */

typedef struct TransposedMember {
    unsigned place;     /* in the row */
    LLVMValueRef value; /* the freeze */
} TransposedMember;

struct Transposed {
    struct Transposed *next;
    const Memref *memref;
    LLVMValueRef origin, first, step; /* the first member: memory, lane 0, step between lanes */
    int64_t low;                      /* of the first place, from there */
    unsigned count;
    LLVMBasicBlockRef block; /* of code, in which it grows */
    Rematerialized loads;    /* and shuffles */
    TransposedMember members[WIDTH];
    unsigned length, span;
};

void transpose_forget(Emitter *e, LLVMValueRef origin) {
    for (Transposed **at = &e->transposed; *at;) {
        if (!origin || (*at)->origin == origin)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
}

void transpose_continue(Emitter *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    for (Transposed *block = e->transposed; block; block = block->next)
        if (block->block == from)
            block->block = to;
}

/* ---- the block ---- */

static LLVMValueRef load_row(Emitter *e, const Transposed *block, unsigned lane) {
    LLVMTypeRef type = emit_memory_type(e, block->memref->type);
    LLVMValueRef offset = emit_index_mul(e, block->step, emit_index_constant(e, lane));
    offset = emit_index_add(e, block->first, offset);
    offset = emit_index_add(e, offset, emit_index_constant(e, block->low));
    LLVMValueRef address = LLVMBuildGEP2(e->builder, type, block->origin, &offset, 1, "");
    LLVMTypeRef row = block->span > 1 ? LLVMVectorType(type, block->span) : type;
    return emit_plain_load(e, block->memref, row, address);
}

/* Concatenates the vectors; their number is a power of two. */
static LLVMValueRef join(Emitter *e, LLVMValueRef *vectors, unsigned count) {
    unsigned from[MAX_LANES];
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++) {
            unsigned lanes = emit_lane_count(vectors[2 * i]);
            for (unsigned k = 0; k < 2 * lanes; k++)
                from[k] = k;
            vectors[i] = emit_shuffle(e, vectors[2 * i], vectors[2 * i + 1], from, 2 * lanes);
        }
    return vectors[0];
}

/* Shuffles each group of four lanes: `pattern` names lanes of `a` (0 to 3) and of `b` (4 to 7). */
static LLVMValueRef mix(Emitter *e, LLVMValueRef a, LLVMValueRef b, const unsigned *pattern) {
    unsigned from[MAX_LANES], lanes = emit_lane_count(a);
    for (unsigned i = 0; i < lanes; i++)
        from[i] = i / ROWS * ROWS + pattern[i % ROWS] % ROWS + (pattern[i % ROWS] / ROWS) * lanes;
    return emit_shuffle(e, a, b, from, lanes);
}

/* Column k of the block as columns[k]. */
static void transpose(Emitter *e, const Transposed *block, LLVMValueRef *rows,
                      LLVMValueRef *columns) {
    static const unsigned lower[] = {0, 4, 1, 5}, upper[] = {2, 6, 3, 7}, left[] = {0, 1, 4, 5},
                          right[] = {2, 3, 6, 7};
    unsigned from[WIDTH] = {0, 1, block->span > 2 ? 2 : 0, block->span > 3 ? 3 : 0};
    LLVMValueRef quarters[ROWS], parts[MAX_LANES / ROWS];
    for (unsigned r = 0; r < ROWS; r++) { /* rows r, r + 4, .. */
        for (unsigned i = 0; i < block->count / ROWS; i++)
            parts[i] = block->span == WIDTH
                           ? rows[i * ROWS + r]
                           : emit_shuffle(e, rows[i * ROWS + r], NULL, from, WIDTH);
        quarters[r] = join(e, parts, block->count / ROWS);
    }
    LLVMValueRef halves[] = {
        mix(e, quarters[0], quarters[1], lower), mix(e, quarters[0], quarters[1], upper),
        mix(e, quarters[2], quarters[3], lower), mix(e, quarters[2], quarters[3], upper)};
    columns[0] = mix(e, halves[0], halves[2], left);
    columns[1] = mix(e, halves[0], halves[2], right);
    columns[2] = mix(e, halves[1], halves[3], left);
    columns[3] = mix(e, halves[1], halves[3], right);
}

static void load_block(Emitter *e, Transposed *block) {
    LLVMValueRef rows[MAX_LANES], columns[WIDTH];
    Rematerialization growing = rematerialize_begin(e, &block->loads);
    for (unsigned i = 0; i < block->count; i++)
        rows[i] = load_row(e, block, i);
    if (block->span > 1) {
        transpose(e, block, rows, columns);
    } else {
        columns[0] =
            LLVMGetPoison(LLVMVectorType(emit_memory_type(e, block->memref->type), block->count));
        for (unsigned i = 0; i < block->count; i++)
            columns[0] = LLVMBuildInsertElement(e->builder, columns[0], rows[i],
                                                LLVMConstInt(e->i32, i, false), "");
    }
    block->loads = rematerialize_made(&growing);
    for (unsigned m = 0; m < block->length; m++) {
        TransposedMember *member = &block->members[m];
        if (member->value)
            LLVMSetOperand(member->value, 0, columns[member->place]);
        else
            member->value = LLVMBuildFreeze(e->builder, columns[member->place], "");
    }
    rematerialize_end(e, &growing);
}

/* ---- its members ---- */

/* Returns the member at this place, and adds it if there is room; else null. */
static LLVMValueRef find_member(Emitter *e, Transposed *block, int64_t place) {
    for (unsigned m = 0; m < block->length; m++)
        if (block->members[m].place == place)
            return block->members[m].value;
    int64_t shift = place < 0 ? -place : 0, last = place + 1;
    int64_t span = last > (int64_t)block->span ? last : (int64_t)block->span;
    if (shift >= WIDTH || span > WIDTH || span + shift > WIDTH)
        return NULL;
    for (unsigned m = 0; m < block->length; m++)
        block->members[m].place += (unsigned)shift;
    block->low -= shift;
    block->span = (unsigned)(span + shift);
    block->members[block->length++] = (TransposedMember){(unsigned)(place + shift), NULL};
    load_block(e, block);
    return block->members[block->length - 1].value;
}

LLVMValueRef transpose_load(Emitter *e, const Memref *memref, LLVMValueRef first, LLVMValueRef step,
                            unsigned count) {
    int64_t distance;
    bool is_whole = count >= ROWS && (count & (count - 1)) == 0;
    if (memref->type.bits != 32 || !is_whole)
        return NULL;
    for (Transposed *block = e->transposed; block; block = block->next) {
        if (block->origin != memref->origin || block->count != count ||
            block->block != LLVMGetInsertBlock(e->builder) ||
            !emit_distance(step, block->step, &distance) || distance != 0 ||
            !emit_distance(first, block->first, &distance))
            continue;
        LLVMValueRef value = find_member(e, block, distance - block->low);
        if (value)
            return value;
    }
    Transposed *block = arena_new(e->arena, Transposed);
    *block = (Transposed){.next = e->transposed,
                          .memref = memref,
                          .origin = memref->origin,
                          .first = first,
                          .step = step,
                          .count = count,
                          .block = LLVMGetInsertBlock(e->builder),
                          .span = 1,
                          .length = 1};
    e->transposed = block;
    load_block(e, block);
    return block->members[0].value;
}
