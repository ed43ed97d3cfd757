/* object_bounds.c -- every access stays inside the object that LLVM sees.
 *
 * LLVM knows the size of a stack slot and of a constant table.  It draws conclusions from the size:
 * an access that is wider than the object cannot touch it, since an access out of bounds is
 * undefined.  LLVM draws this conclusion for masked accesses, too, whatever their mask
 * (BasicAliasAnalysis, and SelectionDAG's memory operands).
 *
 *     %g = alloca [4 x i8]
 *     store i32 0, ptr %g
 *     call void @llvm.masked.store.v16i32(.., ptr %g, .., <i1 1, i1 0, ..>)
 *     %v = load i32, ptr %g         ; GVN forwards 0 past the store
 *
 * Three rules keep every access that can run inside its object:
 *
 *   - A slot and a table have OBJECT_PADDING bytes before and behind them (ir/storage.h).  A masked
 *     access is made in pieces of one register (masked.c), so a piece with a lane inside the object
 *     lies inside the padded object.
 *   - A piece whose constant place leaves the padded object has no lane that runs.  It is not made.
 *   - An unmasked access whose constant place leaves the padded object stands in code that never
 *     runs, such as the branch for whole vectors over a func of one point.  A trap stands there.
 *
 * `object_bounds_check` then looks at all accesses of the finished module.  One that breaks the
 * rules is a fault of this compiler, and no code is made.
 */
#include "codegen/emit.h"
#include "ir/storage.h"

_Static_assert((int)OBJECT_PADDING >= (int)WIDEST_REGISTER,
               "a masked access that meets an object lies in its padding");

/* The object and the offset of an address. */
typedef struct ObjectPlace {
    LLVMValueRef object; /* alloca or global variable; null: LLVM does not know it */
    int64_t bytes;       /* of the object */
    int64_t offset;      /* from its first byte, if it is a constant */
    bool is_constant;
} ObjectPlace;

/* With the padding to the next element. */
static int64_t size_of(const Emitter *e, LLVMTypeRef type) {
    return (int64_t)LLVMABISizeOfType(e->machine->data, type);
}

/* Returns the bytes that an access touches. A vector of 36 lanes has the size of 64, but stores 36.
 */
static int64_t touched_by(const Emitter *e, LLVMTypeRef type) {
    return (int64_t)LLVMStoreSizeOfType(e->machine->data, type);
}

/* The step may be a constant expression, as for an address in a table. */
static bool is_address_step(LLVMValueRef value) {
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* Adds the constant indices of an address to its offset. */
static void add_indices(const Emitter *e, LLVMValueRef address, ObjectPlace *place) {
    LLVMValueRef index = LLVMGetOperand(address, 1);
    if (LLVMGetNumOperands(address) != 2 || !LLVMIsAConstantInt(index)) {
        place->is_constant = false;
        return;
    }
    int64_t step = size_of(e, LLVMGetGEPSourceElementType(address)), bytes;
    if (__builtin_mul_overflow(LLVMConstIntGetSExtValue(index), step, &bytes) ||
        __builtin_add_overflow(place->offset, bytes, &place->offset))
        place->is_constant = false;
}

static ObjectPlace find_place(const Emitter *e, LLVMValueRef address) {
    ObjectPlace place = {.is_constant = true};
    for (; is_address_step(address); address = LLVMGetOperand(address, 0))
        add_indices(e, address, &place);
    if (LLVMIsAAllocaInst(address))
        place.bytes = size_of(e, LLVMGetAllocatedType(address));
    else if (LLVMIsAGlobalVariable(address))
        place.bytes = size_of(e, LLVMGlobalGetValueType(address));
    else
        return place;
    place.object = address;
    return place;
}

static bool holds(const ObjectPlace *place, int64_t bytes) {
    if (!place->object)
        return true;
    return bytes <= place->bytes &&
           (!place->is_constant || (place->offset >= 0 && place->offset <= place->bytes - bytes));
}

bool object_holds(const Emitter *e, LLVMValueRef address, LLVMTypeRef type) {
    ObjectPlace place = find_place(e, address);
    return holds(&place, touched_by(e, type));
}

void object_trap(Emitter *e) {
    emit_call(e, compat_intrinsic(e->module, "llvm.trap", NULL, 0), NULL, 0);
}

/* ---- the check ---- */

/* One access of an instruction. */
typedef struct ObjectAccess {
    LLVMValueRef address; /* null: no access of known size */
    LLVMTypeRef type;
} ObjectAccess;

/* A masked load or store touches all its lanes. Gathers have an address for each lane. */
static ObjectAccess access_of_call(LLVMValueRef call) {
    static const char load[] = "llvm.masked.load.", store[] = "llvm.masked.store.";
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
        return (ObjectAccess){0};
    const char *name = LLVMGetValueName2(callee, &length);
    if (strncmp(name, load, sizeof load - 1) == 0)
        return (ObjectAccess){LLVMGetOperand(call, 0), LLVMTypeOf(call)};
    if (strncmp(name, store, sizeof store - 1) == 0)
        return (ObjectAccess){LLVMGetOperand(call, 1), LLVMTypeOf(LLVMGetOperand(call, 0))};
    return (ObjectAccess){0};
}

static ObjectAccess access_of(LLVMValueRef instruction) {
    switch ((int)LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        return (ObjectAccess){LLVMGetOperand(instruction, 0), LLVMTypeOf(instruction)};
    case LLVMStore:
        return (ObjectAccess){LLVMGetOperand(instruction, 1),
                              LLVMTypeOf(LLVMGetOperand(instruction, 0))};
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return (ObjectAccess){LLVMGetOperand(instruction, 0),
                              LLVMTypeOf(LLVMGetOperand(instruction, 1))};
    case LLVMCall:
        return access_of_call(instruction);
    default: /* touches no memory */
        return (ObjectAccess){0};
    }
}

static const char *name_of(LLVMValueRef value) {
    size_t length;
    return LLVMGetValueName2(value, &length);
}

static _Noreturn void refuse(const Emitter *e, LLVMValueRef function, const ObjectAccess *access) {
    ObjectPlace place = find_place(e, access->address);
    const char *at =
        place.is_constant ? arena_format(e->arena, "%lld", (long long)place.offset) : "any";
    diag_broken_invariant(
        __FILE__, __LINE__,
        arena_format(e->arena,
                     "an access stays inside the object that LLVM sees: in %s, %lld bytes at byte "
                     "%s of %s, which has %lld",
                     name_of(function), (long long)touched_by(e, access->type), at,
                     name_of(place.object), (long long)place.bytes));
}

static void check_block(const Emitter *e, LLVMBasicBlockRef block) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        ObjectAccess access = access_of(i);
        if (access.address && !object_holds(e, access.address, access.type))
            refuse(e, LLVMGetBasicBlockParent(block), &access);
    }
}

void object_bounds_check(const Emitter *e) {
    emit_each_block(e, check_block);
}
