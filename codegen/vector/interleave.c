/* interleave.c -- strided accesses of a vectorized loop: elements 2 to 4 apart in memory.
 *
 * Such accesses come in groups: the channels of a pixel, the even and the odd elements of a row.
 * The members of a group access one memory at one distance, and begin less than that distance
 * apart. Together they cover a dense stretch:
 *
 *     group of distance 3, members at 0, 1, 2     0 1 2 0 1 2 0 1 2 ..     all of it
 *     group of distance 3, members at 0, 1        0 1 . 0 1 . 0 1 ..       with gaps
 *
 * Loads. The stretch is loaded once, and shuffled for each member. The first member does not know
 * the later ones. So the stretch grows at the place of its first load. Each member's value is an
 * LLVM `freeze`, whose identity persists while it gets a new operand (rematerialize.c). The load
 * reads gaps, but nothing before the first or after the last element.
 *
 * Stores. A store is pending until the others of its group have come, in this statement or in later
 * ones of the straight-line code. A complete group is one dense store. Pending stores are emitted
 * before any access that may alias them, and before every branch and loop (interleave_settle,
 * interleave_flush). Gaps are not ours, and must not be written: an incomplete group is a masked
 * store on AVX-512, and element by element elsewhere.
 *
 * Under a mask, the stretch is a masked access if the machine has one, and otherwise element by
 * element.
 */
#include "codegen/interleave.h"

#include <stdlib.h>

typedef struct StrideMember {
    unsigned offset;    /* from the group's lowest, in elements */
    LLVMValueRef value; /* load: the freeze; store: the stored value */
} StrideMember;

typedef struct StrideGroup {
    Memref memref;
    LLVMValueRef lowest; /* offset of the first member's lowest lane, from the origin */
    int64_t low;         /* of the lowest member, from there */
    unsigned step, count;
    bool is_reversed; /* the mask's lanes run against the values' lanes */
    LLVMValueRef mask;
    LLVMBasicBlockRef block;
    Rematerialized stretch; /* loads: the current loads and shuffles */
    unsigned written; /* loads: a bit for each distance from `lowest`, modulo the step, that a later
                         store has written */
    StrideMember members[WIDEST_STRIDE];
    unsigned length;
} StrideGroup;

struct Interleave {
    Vec(StrideGroup) loads, stores;
};

static Interleave *state(Emitter *e) {
    if (!e->interleave)
        e->interleave = arena_new(e->arena, Interleave);
    return e->interleave;
}

/* ---- groups ---- */

static unsigned span(const StrideGroup *group) {
    unsigned most = 0;
    for (unsigned i = 0; i < group->length; i++)
        most = group->members[i].offset > most ? group->members[i].offset : most;
    return most + 1;
}

/* The member at this offset, or null. */
static const StrideMember *member_at(const StrideGroup *group, unsigned offset) {
    for (unsigned i = 0; i < group->length; i++)
        if (group->members[i].offset == offset)
            return &group->members[i];
    return NULL;
}

/* The distance of an access from the lowest member. */
static bool distance_from(const StrideGroup *group, LLVMValueRef lowest, int64_t *distance) {
    if (!emit_distance(lowest, group->lowest, distance))
        return false;
    *distance -= group->low;
    return true;
}

static bool is_alike(const StrideGroup *group, const Strided *access) {
    return group->memref.origin == access->memref->origin && group->step == access->step &&
           group->count == access->count && group->mask == access->mask &&
           (!access->mask || group->is_reversed == access->is_reversed);
}

/* The distance modulo the step, for an access that distance_from accepted. */
static unsigned residue(const StrideGroup *group, int64_t distance) {
    int64_t rest = distance % (int64_t)group->step;
    return (unsigned)(rest < 0 ? rest + group->step : rest);
}

static bool is_written(const StrideGroup *group, int64_t distance) {
    return group->written >> residue(group, distance + group->low) & 1;
}

/* Can the group take a member at `distance` from the lowest one? */
static bool has_room(const StrideGroup *group, int64_t distance) {
    int64_t width = span(group), step = group->step;
    return distance > -step && distance < step &&
           (distance < 0 ? width - distance : distance + 1) <= step &&
           (distance < 0 || !member_at(group, (unsigned)distance));
}

static StrideGroup create_group(Emitter *e, const Strided *access) {
    return (StrideGroup){.memref = *access->memref,
                         .lowest = access->lowest,
                         .step = access->step,
                         .count = access->count,
                         .is_reversed = access->is_reversed,
                         .mask = access->mask,
                         .block = LLVMGetInsertBlock(e->builder)};
}

static void add_member(StrideGroup *group, int64_t distance, LLVMValueRef value) {
    unsigned shift = distance < 0 ? (unsigned)-distance : 0;
    for (unsigned i = 0; i < group->length; i++)
        group->members[i].offset += shift;
    group->low -= shift;
    group->members[group->length++] = (StrideMember){(unsigned)(distance + shift), value};
}

/* ---- the stretch ---- */

/* Element k of the stretch belongs to lane k / step of the member at k % step. The access is made
 * in pieces of as many elements as lanes; the last piece ends with the stretch. If the stretch is
 * exactly `step` pieces, it is one access. */
typedef struct StretchPieces {
    unsigned elements; /* of the stretch */
    unsigned size;     /* of a piece */
    unsigned count;
    unsigned begin[WIDEST_STRIDE];
} StretchPieces;

static StretchPieces cut(const StrideGroup *group) {
    StretchPieces pieces = {.elements = (group->count - 1) * group->step + span(group),
                            .size = group->count};
    if (pieces.elements == group->count * group->step) {
        pieces.size = pieces.elements;
        pieces.count = 1;
        return pieces;
    }
    unsigned last = pieces.elements - pieces.size;
    for (unsigned at = 0; at < pieces.elements; at += pieces.size)
        pieces.begin[pieces.count++] = at < last ? at : last;
    return pieces;
}

static LLVMValueRef piece_address(Emitter *e, const StrideGroup *group, unsigned begin) {
    LLVMValueRef distance = emit_index_constant(e, group->low + begin);
    return emit_element(e, &group->memref, emit_index_add(e, group->lowest, distance));
}

static unsigned alignment(const StrideGroup *group) {
    return (unsigned)type_bytes(group->memref.type);
}

/* Returns the mask of a piece: the elements of running lanes of members, each in one piece only. */
static LLVMValueRef piece_mask(Emitter *e, const StrideGroup *group, const StretchPieces *pieces,
                               unsigned k) {
    unsigned from[WIDEST_STRIDE * MAX_LANES];
    LLVMValueRef bits[WIDEST_STRIDE * MAX_LANES];
    for (unsigned i = 0; i < pieces->size; i++) {
        unsigned at = pieces->begin[k] + i, lane = at / group->step;
        bool is_ours = at >= k * pieces->size && member_at(group, at % group->step);
        lane = group->is_reversed ? group->count - 1 - lane : lane;
        from[i] = is_ours ? lane : group->count;
        bits[i] = LLVMConstInt(e->i1, is_ours, false);
    }
    if (!group->mask)
        return LLVMConstVector(bits, pieces->size);
    return emit_shuffle(e, group->mask, LLVMConstNull(LLVMTypeOf(group->mask)), from, pieces->size);
}

/* Concatenates up to four vectors of equal length into at most two. */
static void join(Emitter *e, const LLVMValueRef *vectors, unsigned count, LLVMValueRef *joined) {
    unsigned from[2 * WIDEST_STRIDE * MAX_LANES];
    joined[0] = vectors[0];
    joined[1] = count == 2 ? vectors[1] : NULL;
    if (count <= 2)
        return;
    unsigned length = emit_lane_count(vectors[0]);
    for (unsigned i = 0; i < 2 * length; i++)
        from[i] = i;
    joined[0] = emit_shuffle(e, vectors[0], vectors[1], from, 2 * length);
    joined[1] = emit_shuffle(e, vectors[2], count > 3 ? vectors[3] : NULL, from, 2 * length);
}

/* ---- loads ---- */

static void load_pieces(Emitter *e, const StrideGroup *group, const StretchPieces *pieces,
                        LLVMValueRef *vectors) {
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, group->memref.type), pieces->size);
    for (unsigned k = 0; k < pieces->count; k++) {
        LLVMValueRef address = piece_address(e, group, pieces->begin[k]);
        if (group->mask) {
            vectors[k] =
                masked_load(e, type, address, alignment(group), piece_mask(e, group, pieces, k));
            continue;
        }
        vectors[k] = emit_plain_load(e, &group->memref, type, address);
    }
}

/* Loads the stretch, and gives the members their new operands. The last member has no value yet. */
static void load_stretch(Emitter *e, StrideGroup *group) {
    StretchPieces pieces = cut(group);
    LLVMValueRef vectors[WIDEST_STRIDE] = {0}, joined[2], lanes[WIDEST_STRIDE];
    Rematerialization growing = rematerialize_begin(e, &group->stretch);
    load_pieces(e, group, &pieces, vectors);
    join(e, vectors, pieces.count, joined);
    for (unsigned m = 0; m < group->length; m++) {
        unsigned from[MAX_LANES];
        for (unsigned i = 0; i < group->count; i++) {
            unsigned at = i * group->step + group->members[m].offset, piece = at / pieces.size;
            /* A gap before the last piece may begin in it. */
            from[i] = piece * pieces.size + at - pieces.begin[piece];
        }
        lanes[m] = emit_shuffle(e, joined[0], joined[1], from, group->count);
    }
    group->stretch = rematerialize_made(&growing);
    for (unsigned m = 0; m < group->length; m++) {
        StrideMember *member = &group->members[m];
        if (member->value)
            LLVMSetOperand(member->value, 0, lanes[m]);
        else
            member->value = LLVMBuildFreeze(e->builder, lanes[m], "");
    }
    rematerialize_end(e, &growing);
}

LLVMValueRef interleave_load(Emitter *e, const Strided *access) {
    Interleave *interleave = state(e);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    int64_t distance;
    for (size_t i = interleave->loads.length; i-- > 0;) {
        StrideGroup *group = &interleave->loads.data[i];
        if (group->block != here || !is_alike(group, access) ||
            !distance_from(group, access->lowest, &distance) || is_written(group, distance))
            continue;
        const StrideMember *same =
            distance >= 0 && distance < group->step ? member_at(group, (unsigned)distance) : NULL;
        if (same)
            return same->value;
        if (!has_room(group, distance))
            continue;
        add_member(group, distance, NULL);
        load_stretch(e, group);
        return group->members[group->length - 1].value;
    }
    StrideGroup group = create_group(e, access);
    add_member(&group, 0, NULL);
    load_stretch(e, &group);
    vec_push(e->arena, &interleave->loads, group);
    return group.members[0].value;
}

/* ---- stores ---- */

/* Interleaves the members' values into the stretch. Gaps repeat the first member: with undefined
 * gaps LLVM 19 makes extensions with zero of half a vector, and has none for some of AVX-512. */
static LLVMValueRef weave(Emitter *e, const StrideGroup *group, const StretchPieces *pieces) {
    unsigned from[WIDEST_STRIDE * MAX_LANES];
    LLVMValueRef values[WIDEST_STRIDE] = {0}, joined[2];
    for (unsigned m = 0; m < group->length; m++)
        values[m] = group->members[m].value;
    join(e, values, group->length, joined);
    for (unsigned k = 0; k < pieces->elements; k++) {
        const StrideMember *member = member_at(group, k % group->step);
        unsigned number = member ? (unsigned)(member - group->members) : 0;
        from[k] = number * group->count + k / group->step;
    }
    return emit_shuffle(e, joined[0], joined[1], from, pieces->elements);
}

static int by_offset(const void *a, const void *b) {
    const StrideMember *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static void store_stretch(Emitter *e, StrideGroup *group) {
    StretchPieces pieces = cut(group);
    qsort(group->members, group->length, sizeof *group->members, by_offset);
    LLVMValueRef stretch = weave(e, group, &pieces);
    bool is_whole = group->length == group->step && !group->mask;
    for (unsigned k = 0; k < pieces.count; k++) {
        LLVMValueRef address = piece_address(e, group, pieces.begin[k]), piece = stretch;
        unsigned from[WIDEST_STRIDE * MAX_LANES];
        for (unsigned i = 0; i < pieces.size; i++)
            from[i] = pieces.begin[k] + i;
        if (pieces.count > 1)
            piece = emit_shuffle(e, stretch, NULL, from, pieces.size);
        if (is_whole)
            emit_plain_store(e, &group->memref, piece, address);
        else
            masked_store(e, piece, address, alignment(group), piece_mask(e, group, &pieces, k));
    }
}

/* Stores element by element; masked-off lanes store to a stack slot. */
static void store_elements(Emitter *e, const StrideGroup *group) {
    LLVMTypeRef type = emit_memory_type(e, group->memref.type);
    LLVMValueRef slot = group->mask ? emit_slot(e, type, "outside") : NULL;
    for (unsigned m = 0; m < group->length; m++)
        for (unsigned i = 0; i < group->count; i++) {
            unsigned lane = group->is_reversed ? group->count - 1 - i : i;
            LLVMValueRef address =
                piece_address(e, group, i * group->step + group->members[m].offset);
            if (slot)
                address =
                    LLVMBuildSelect(e->builder, emit_lane(e, group->mask, lane), address, slot, "");
            LLVMValueRef value = emit_lane(e, group->members[m].value, i);
            emit_plain_store(e, &group->memref, value, address);
        }
}

bool interleave_has_masks(const Emitter *e, Type type) {
    return e->target->has_avx512 || (e->target->has_avx2 && type.bits >= 32);
}

/* AVX-512 stores with gaps are as fast as without. AVX2's masked stores are slow on some machines,
 * and pay only for whole stretches. */
static void store_group(Emitter *e, StrideGroup *group) {
    bool is_whole = group->length == group->step;
    if (is_whole ? !group->mask || interleave_has_masks(e, group->memref.type)
                 : e->target->has_avx512)
        store_stretch(e, group);
    else
        store_elements(e, group);
}

static void remove_at(Interleave *interleave, size_t i) {
    for (size_t k = i + 1; k < interleave->stores.length; k++)
        interleave->stores.data[k - 1] = interleave->stores.data[k];
    interleave->stores.length--;
}

/* Ends load groups that a new store may alias: later loads come after that store. */
static void forget_loads(Interleave *interleave, LLVMValueRef origin) {
    size_t kept = 0;
    for (size_t i = 0; i < interleave->loads.length; i++)
        if (interleave->loads.data[i].memref.origin != origin)
            interleave->loads.data[kept++] = interleave->loads.data[i];
    interleave->loads.length = kept;
}

/* After a store, loads of the stored elements can no longer move before it. Loads of the elements
 * between can. */
static void note_store(Interleave *interleave, const Memref *memref, LLVMValueRef lowest,
                       unsigned step) {
    for (size_t i = 0; i < interleave->loads.length; i++) {
        StrideGroup *group = &interleave->loads.data[i];
        int64_t distance;
        if (group->memref.origin != memref->origin)
            continue;
        if (lowest && step == group->step && distance_from(group, lowest, &distance))
            group->written |= 1u << residue(group, distance + group->low);
        else
            group->written = ~0u;
    }
}

void interleave_store(Emitter *e, const Strided *access, LLVMValueRef value) {
    Interleave *interleave = state(e);
    int64_t distance;
    interleave_settle(e, access->memref, access->lowest, access->step, true);
    for (size_t i = 0; i < interleave->stores.length; i++) {
        StrideGroup *group = &interleave->stores.data[i];
        if (!is_alike(group, access) || !distance_from(group, access->lowest, &distance) ||
            !has_room(group, distance))
            continue;
        add_member(group, distance, value);
        if (group->length == group->step) {
            store_group(e, group);
            remove_at(interleave, i);
        }
        return;
    }
    StrideGroup group = create_group(e, access);
    add_member(&group, 0, value);
    vec_push(e->arena, &interleave->stores, group);
}

/* Is the access disjoint from the elements that the group will write? It is if it has the same step
 * and begins between them. */
static bool keeps_out(const StrideGroup *group, LLVMValueRef lowest, unsigned step) {
    int64_t distance;
    if (!lowest || step != group->step || !distance_from(group, lowest, &distance))
        return false;
    return !member_at(group, residue(group, distance));
}

void interleave_settle_groups(Emitter *e, const Memref *memref, LLVMValueRef lowest, unsigned step,
                              bool is_store) {
    Interleave *interleave = e->interleave;
    if (is_store)
        transpose_forget(e, memref->origin);
    if (!interleave)
        return;
    for (size_t i = 0; i < interleave->stores.length;) {
        StrideGroup *group = &interleave->stores.data[i];
        if (group->memref.origin != memref->origin || keeps_out(group, lowest, step)) {
            i++;
            continue;
        }
        store_group(e, group);
        forget_loads(interleave, memref->origin);
        transpose_forget(e, memref->origin);
        remove_at(interleave, i);
    }
    if (is_store)
        note_store(interleave, memref, lowest, step);
}

void interleave_settle(Emitter *e, const Memref *memref, LLVMValueRef lowest, unsigned step,
                       bool is_store) {
    stream_settle(e, memref->origin);
    interleave_settle_groups(e, memref, lowest, step, is_store);
}

void interleave_flush_groups(Emitter *e) {
    if (!e->interleave)
        return;
    for (size_t i = 0; i < e->interleave->stores.length; i++) {
        StrideGroup *group = &e->interleave->stores.data[i];
        store_group(e, group);
        transpose_forget(e, group->memref.origin);
    }
    e->interleave->stores.length = 0;
    e->interleave->loads.length = 0;
}

void interleave_flush(Emitter *e) {
    stream_flush(e);
    interleave_flush_groups(e);
}
