/* allocate.c -- allocations of funcs.
 *
 * An allocation opens an AllocationScope. It lives to the last statement of its block that uses it
 * (lifetime.c), an output's to the end of the block. A stack slot holds the address of each live block that must be freed, and null otherwise. All failures (a false
 * assertion, no memory) branch to one block of the function, which frees exactly the live blocks.
 * The slots are volatile. If they were LLVM values, LLVM would have to distinguish them at each
 * exit of each loop: n*n values for n allocations in a loop.
 *
 * In a loop, a block is kept for the next iteration and its allocations, and serves allocations
 * that begin when it has ended. It is freed at the end of the function's outermost loop
 * (hlc_allocate_kept). Without this, rows that each iteration
 * recomputes cost 13 % of the time of a maximum filter.
 *
 * A small allocation of constant size, or with a constant upper bound, is a stack slot. All
 * iterations of the enclosing loops share the slot, and so do allocations that are not live at the
 * same time. Other allocations call the run-time library, which aligns them to 64 bytes.
 *
 * An output func's allocation is the caller's own buffer if its bounds and layout fit, which is
 * tested at run time. Otherwise it is a staging block, and the end of the scope copies the window
 * from it.
 */
#include "codegen/interleave.h"
#include "ir/storage.h"

/* Sets the origin: the address of coordinates 0, 0, .. The block starts at the minimum coordinates.
 */
static void set_origin(Emitter *e, Memref *memref, LLVMValueRef memory, bool is_slot,
                       const LLVMValueRef *minimum) {
    memref->bias = emit_offset(e, memref, minimum);
    memref->origin = memory;
    if (is_slot)
        return;
    memref->origin = emit_origin(e, memref);
    memref->bias = NULL;
}

/* The dimensions of an output, innermost in memory first. */
static const uint8_t *order_of(Layout layout) {
    static const uint8_t interleaved[MAX_DIMENSIONS] = {2, 0, 1, 3, 4, 5, 6, 7}; /* channel, x, y */
    return layout == LAYOUT_INTERLEAVED ? interleaved : storage_plain()->order;
}

static void set_dense(Emitter *e, Memref *memref, const uint8_t *order,
                      const LLVMValueRef *length) {
    LLVMValueRef stride = emit_index_constant(e, 1);
    for (int n = 0; n < memref->dimensions; n++) {
        int d = order[n];
        memref->stride[d] = stride;
        stride = n == 0 ? length[d] : LLVMBuildMul(e->builder, stride, length[d], "");
    }
}

/* The builder's earlier place. */
typedef struct Here {
    LLVMBasicBlockRef block;
    LLVMMetadataRef location;
} Here;

/* Moves the builder behind the stack slots of the function. */
static Here enter_entry(Emitter *e) {
    Here here = {LLVMGetInsertBlock(e->builder), LLVMGetCurrentDebugLocation2(e->builder)};
    LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->frame.entry));
    return here;
}

static void leave_entry(Emitter *e, Here here) {
    LLVMPositionBuilderAtEnd(e->builder, here.block);
    LLVMSetCurrentDebugLocation2(e->builder, here.location);
}

/* ---- on the stack ---- */

enum { STACK_ALIGNMENT = 16, TOLD_WITH_GAPS = 2 * STACK_AS_TOLD };

/* Returns the size in bytes, or -1 if it is unknown or too large. `longest` gets the length of each
 * dimension in memory. */
static int64_t stack_bytes(const Stmt *stmt, Type type, int64_t *longest) {
    int64_t bytes = type_bytes(type);
    for (int d = 0; d < stmt->allocate.func->dimensions; d++) {
        longest[d] = storage_longest(stmt->allocate.intervals[d].length);
        if (longest[d] < 1 || longest[d] > STACK_AS_TOLD / bytes)
            return -1;
        bytes *= longest[d];
    }
    return bytes;
}

/* The address of `bytes` on the stack, padded on both sides. */
static LLVMValueRef padded_slot(Emitter *e, int64_t bytes, unsigned alignment) {
    uint64_t padded = (uint64_t)bytes + 2 * OBJECT_PADDING;
    LLVMValueRef slot = emit_slot(e, LLVMArrayType2(e->i8, padded), "stack");
    LLVMSetAlignment(slot, alignment);
    Here here = enter_entry(e);
    LLVMValueRef address = emit_at(e, e->i8, slot, OBJECT_PADDING);
    leave_entry(e, here);
    return address;
}

/* Takes a stack slot until the scope closes. Returns null if the allocation must be on the heap.
 * AddressSanitizer needs the heap, because it does not see an access that ends in the padding; so
 * does watch.c, which does not see the stack. Allocations that the schedule puts on the stack have
 * their own limit. */
static StackSlot *take_slot(Emitter *e, int64_t bytes, MemoryKind memory) {
    bool is_told = memory == MEMORY_STACK || memory == MEMORY_REGISTER;
    int64_t *all = is_told ? &e->frame.told_bytes : &e->frame.stack_bytes;
    if (bytes < 0 || memory == MEMORY_HEAP ||
        (!is_told && (e->for_address_sanitizer || bytes > LARGEST_ON_STACK)))
        return NULL;
    unsigned alignment = bytes > STACK_ALIGNMENT ? MEMORY_ALIGNMENT : STACK_ALIGNMENT;
    int64_t taken = (bytes + alignment - 1) / alignment * alignment;
    taken += is_told ? 0 : 2 * OBJECT_PADDING;
    for (StackSlot *slot = e->frame.slots; slot; slot = slot->next)
        if (!slot->is_taken && slot->bytes == bytes) {
            slot->is_taken = true;
            return slot;
        }
    int64_t most = is_told ? TOLD_WITH_GAPS : STACK_OF_FUNCTION;
    if (*all + taken > most)
        return NULL;
    StackSlot *slot = arena_new(e->arena, StackSlot);
    *slot = (StackSlot){.next = e->frame.slots, .bytes = bytes, .is_taken = true};
    slot->address = padded_slot(e, bytes, alignment);
    e->frame.slots = slot;
    *all += taken;
    return slot;
}

/* ---- from the run-time library ---- */

/* `kept` is the slot that keeps the block in a loop, or null. */
static LLVMValueRef take_memory(Emitter *e, const FuncShape *func, Type type,
                                const LLVMValueRef *length, LLVMValueRef kept) {
    LLVMValueRef arguments[] = {e->frame.report,
                                emit_text(e, func->name->text),
                                emit_array(e, length, func->dimensions),
                                LLVMConstInt(e->i32, (unsigned long long)func->dimensions, false),
                                LLVMConstInt(e->i32, (unsigned long long)type_bytes(type), false),
                                kept};
    LLVMValueRef memory =
        emit_runtime_call(e, kept ? RUNTIME_hlc_allocate_kept : RUNTIME_hlc_allocate, arguments);
    emit_check(e, LLVMBuildIsNotNull(e->builder, memory, ""));
    return memory;
}

/* Returns the number of dimensions, innermost first, whose strides our code knows. The innermost
 * stride is always known (1). The next is known if the innermost dimension holds the elements of a
 * pixel: then it is a constant, or the extent of the channels, which conditions may fix. */
static int known_strides(Layout layout, int dimensions, const LLVMValueRef *length) {
    LLVMValueRef closest = dimensions > 1 ? length[order_of(layout)[0]] : NULL;
    int64_t count = closest && LLVMIsAConstantInt(closest) ? LLVMConstIntGetSExtValue(closest) : 0;
    bool is_pixel = count >= 2 && count <= WIDEST_STRIDE;
    return dimensions < 2 ? dimensions : is_pixel || layout == LAYOUT_INTERLEAVED ? 2 : 1;
}

static void and_equal(Emitter *e, LLVMValueRef *all, LLVMValueRef a, LLVMValueRef b) {
    *all = LLVMBuildAnd(e->builder, *all, LLVMBuildICmp(e->builder, LLVMIntEQ, a, b, ""), "");
}

/* Does the caller's buffer have exactly these bounds, and the strides that our code knows? */
static LLVMValueRef fits(Emitter *e, const UserBuffer *user, int dimensions,
                         const LLVMValueRef *minimum, const LLVMValueRef *length) {
    LLVMValueRef result = LLVMConstInt(e->i1, 1, false), stride = emit_index_constant(e, 1);
    for (int d = 0; d < dimensions; d++) {
        and_equal(e, &result, minimum[d], user->minimum[d]);
        and_equal(e, &result, length[d], user->extent[d]);
    }
    for (int n = 0; n < known_strides(user->layout, dimensions, length); n++) {
        int d = order_of(user->layout)[n];
        and_equal(e, &result, user->stride[d], stride);
        stride = length[d];
    }
    return result;
}

static LLVMValueRef merge(Emitter *e, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a,
                          LLVMValueRef b, LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, type, "");
    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

/* Takes the caller's memory or a block of ours. Returns the block to free; null for the caller's.
 */
static LLVMValueRef take_output(Emitter *e, const FuncShape *func, Memref *memref,
                                const UserBuffer *user, const LLVMValueRef *minimum,
                                const LLVMValueRef *length) {
    LLVMValueRef is_direct = fits(e, user, func->dimensions, minimum, length);
    LLVMBasicBlockRef direct = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef staged = emit_block(e, "staged"), done = emit_block(e, "allocated");
    LLVMBuildCondBr(e->builder, is_direct, done, staged);
    LLVMPositionBuilderAtEnd(e->builder, staged);
    LLVMValueRef own = take_memory(e, func, memref->type, length, NULL);
    set_dense(e, memref, order_of(user->layout), length);
    staged = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    LLVMValueRef base = merge(e, e->pointer, user->host, direct, own, staged);
    LLVMValueRef memory = merge(e, e->pointer, LLVMConstNull(e->pointer), direct, own, staged);
    for (int n = known_strides(user->layout, func->dimensions, length); n < func->dimensions; n++) {
        int d = order_of(user->layout)[n];
        memref->stride[d] = merge(e, e->i64, user->stride[d], direct, memref->stride[d], staged);
    }
    set_origin(e, memref, base, false, minimum);
    return memory;
}

/* ---- held blocks ---- */

/* hlc_kept. */
static LLVMTypeRef kept_type(const Emitter *e) {
    LLVMTypeRef fields[] = {e->pointer, e->i64};
    return LLVMStructTypeInContext(e->llvm, fields, 2, false);
}

static void put_held(Emitter *e, LLVMValueRef place, LLVMValueRef memory) {
    LLVMSetVolatile(LLVMBuildStore(e->builder, memory, place), true);
}

static bool has_held(const Held *held, HeldUser user) {
    for (size_t i = 0; i < held->users.length; i++)
        if (held->users.data[i].func == user.func &&
            held->users.data[i].component == user.component)
            return true;
    return false;
}

/* Finds a free slot. It contains null, or the block that an earlier iteration kept. The copies of
 * an unrolled loop give each func the slot, and thus the block, of its first copy. So the slots
 * together keep no more than all funcs need. */
static Held *find_free(Emitter *e, HeldUser user) {
    Held *found = NULL;
    for (Held *held = e->frame.held; held; held = held->next) {
        if (!held->is_taken && has_held(held, user))
            return held;
        if (!held->is_taken && !found)
            found = held;
    }
    return found;
}

static Held *find_held(Emitter *e, HeldUser user) {
    Held *held = find_free(e, user);
    if (held) {
        if (!has_held(held, user))
            vec_push(e->arena, &held->users, user);
        return held;
    }
    held = arena_new(e->arena, Held);
    *held = (Held){.next = e->frame.held, .place = emit_slot(e, kept_type(e), "held")};
    vec_push(e->arena, &held->users, user);
    Here here = enter_entry(e);
    put_held(e, held->place, LLVMConstNull(e->pointer));
    leave_entry(e, here);
    return e->frame.held = held;
}

/* The slot that was freed last is taken first: its block is in the cache. */
static void bring_to_front(Emitter *e, Held *held) {
    Held **at = &e->frame.held;
    while (*at != held)
        at = &(*at)->next;
    *at = held->next;
    held->next = e->frame.held;
    e->frame.held = held;
}

/* Hides from LLVM that nobody writes the block when its allocation has ended. The block of the next
 * allocation is another object to LLVM, and may be the same memory. */
static void emit_end_of_block(Emitter *e, LLVMValueRef memory) {
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->llvm), &e->pointer, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "r,~{memory}", 11, true, false,
                                            LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(e->builder, type, nothing, &memory, 1, "");
}

static void hold(Emitter *e, AllocationScope *scope, int component, LLVMValueRef memory) {
    scope->memory = memory;
    scope->held = find_held(e, (HeldUser){scope->func, component});
    scope->held->is_taken = true;
    put_held(e, scope->held->place, memory);
}

/* Holds a block that stays at the end of the scope; its slot is then free for the next allocation.
 */
static void hold_kept(Emitter *e, AllocationScope *scope, const FuncShape *func, int component,
                      const LLVMValueRef *length) {
    Type type = func->types[component];
    scope->held = find_held(e, (HeldUser){scope->func, component});
    scope->held->is_taken = scope->held->is_kept = true;
    scope->memory = take_memory(e, func, type, length, scope->held->place);
}

static void release(Emitter *e, AllocationScope *scope) {
    scope->held->is_taken = false;
    bring_to_front(e, scope->held);
    if (scope->held->is_kept) {
        emit_end_of_block(e, scope->memory);
        return;
    }
    emit_runtime_call(e, RUNTIME_hlc_free, &scope->memory);
    put_held(e, scope->held->place, LLVMConstNull(e->pointer));
}

static void free_held(Emitter *e, const Held *held) {
    LLVMValueRef memory = LLVMBuildLoad2(e->builder, e->pointer, held->place, "");
    LLVMSetVolatile(memory, true);
    emit_runtime_call(e, RUNTIME_hlc_free, &memory);
}

void emit_release_kept(Emitter *e) {
    for (Held *held = e->frame.held; held && !e->loop_depth; held = held->next)
        if (held->is_kept) {
            free_held(e, held);
            put_held(e, held->place, LLVMConstNull(e->pointer));
            held->is_kept = false;
        }
}

void emit_release_held(Emitter *e) {
    for (const Held *held = e->frame.held; held; held = held->next)
        free_held(e, held);
}

/* ---- scopes ---- */

static AllocationScope *open_scope(Emitter *e, Symbol func, const Memref *memref) {
    AllocationScope *scope = arena_new(e->arena, AllocationScope);
    *scope = (AllocationScope){.func = func, .outer = e->frame.scope, .memref = memref};
    return scope;
}

static void note_row(Memref *memref, LLVMValueRef minimum, LLVMValueRef length) {
    memref->row_first = minimum;
    memref->row_length = length;
    if (!LLVMIsAConstantInt(minimum) || !LLVMIsAConstantInt(length))
        return;
    memref->table_minimum = LLVMConstIntGetSExtValue(minimum);
    memref->table_length = LLVMConstIntGetSExtValue(length);
}

static AllocationScope *allocate(Emitter *e, const Stmt *stmt, int component, Memref *memref,
                                 const LLVMValueRef *minimum, const LLVMValueRef *length) {
    const FuncShape *func = stmt->allocate.func;
    const Storage *storage = stmt->allocate.storage;
    AllocationScope *scope = open_scope(e, func->name, memref);
    int64_t longest[MAX_DIMENSIONS];
    LLVMValueRef constant[MAX_DIMENSIONS];
    scope->slot = take_slot(e, stack_bytes(stmt, memref->type, longest), storage->memory);
    if (!scope->slot && e->loop_depth)
        hold_kept(e, scope, func, component, length);
    else if (!scope->slot)
        hold(e, scope, component, take_memory(e, func, memref->type, length, NULL));
    for (int d = 0; d < func->dimensions && scope->slot; d++)
        constant[d] = emit_index_constant(e, longest[d]);
    set_dense(e, memref, storage->order, scope->slot ? constant : length);
    set_origin(e, memref, scope->slot ? scope->slot->address : scope->memory, scope->slot, minimum);
    if (memref->dimensions && storage->order[0] == 0)
        note_row(memref, minimum[0], length[0]);
    return scope;
}

static AllocationScope *allocate_output(Emitter *e, const Stmt *stmt, int component, Memref *memref,
                                        const UserBuffer *user, const LLVMValueRef *minimum,
                                        const LLVMValueRef *length) {
    const FuncShape *func = stmt->allocate.func;
    AllocationScope *scope = open_scope(e, func->name, memref);
    scope->user = user;
    hold(e, scope, component, take_output(e, func, memref, user, minimum, length));
    LLVMValueRef is_staged = LLVMBuildIsNotNull(e->builder, scope->memory, "");
    stream_output(e, stmt, memref, is_staged, length);
    return scope;
}

/* Returns the address of a module constant with these bytes, padded on both sides. */
static LLVMValueRef padded_table(Emitter *e, const uint8_t *bytes, size_t size, const char *name) {
    uint8_t *padded = arena_array(e->arena, uint8_t, size + 2 * OBJECT_PADDING);
    memcpy(padded + OBJECT_PADDING, bytes, size);
    LLVMValueRef value = LLVMConstStringInContext(e->llvm, (const char *)padded,
                                                  (unsigned)(size + 2 * OBJECT_PADDING), true);
    LLVMValueRef table = emit_global(e, value, name);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, MEMORY_ALIGNMENT);
    return emit_at(e, e->i8, table, OBJECT_PADDING);
}

/* Binds each component to a constant of the module. */
static void bind_table(Emitter *e, const Stmt *stmt, Memref *memrefs, const LLVMValueRef *minimum,
                       const LLVMValueRef *length) {
    const FuncShape *func = stmt->allocate.func;
    const uint8_t *bytes = stmt->allocate.storage->table;
    size_t points = stmt->allocate.storage->table_bytes, element = 0;
    for (int c = 0; c < func->components; c++)
        element += (size_t)type_bytes(func->types[c]);
    points /= element;
    for (int c = 0; c < func->components; c++) {
        size_t size = points * (size_t)type_bytes(func->types[c]);
        LLVMValueRef table = padded_table(e, bytes, size, func->name->text);
        memrefs[c] = (Memref){.type = func->types[c], .dimensions = func->dimensions};
        trace_memory(e, stmt, c, &memrefs[c]);
        set_dense(e, &memrefs[c], storage_plain()->order, length);
        set_origin(e, &memrefs[c], table, false, minimum);
        bytes += size;
    }
    e->frame.scope = open_scope(e, func->name, memrefs);
}

void emit_allocation(Emitter *e, const Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    LLVMValueRef minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS];
    for (int d = 0; d < func->dimensions; d++) {
        minimum[d] = emit_expr(e, stmt->allocate.intervals[d].minimum);
        length[d] = emit_expr(e, stmt->allocate.intervals[d].length);
    }
    Memref *memrefs = arena_array(e->arena, Memref, func->components);
    if (stmt->allocate.storage->table)
        bind_table(e, stmt, memrefs, minimum, length);
    const UserBuffer *users = func->is_output ? map_get(&e->outputs, func->name) : NULL;
    for (int c = 0; c < func->components && !stmt->allocate.storage->table; c++) {
        memrefs[c] = (Memref){
            .type = func->types[c], .dimensions = func->dimensions, .may_be_uninitialised = true};
        trace_memory(e, stmt, c, &memrefs[c]);
        e->frame.scope = users
                             ? allocate_output(e, stmt, c, &memrefs[c], &users[c], minimum, length)
                             : allocate(e, stmt, c, &memrefs[c], minimum, length);
    }
    map_put(&e->memrefs, func->name, memrefs);
}

/* Copies the caller's window out of the staging block. */
static void copy_out(Emitter *e, const AllocationScope *scope) {
    const Memref *memref = scope->memref;
    const UserBuffer *user = scope->user;
    LLVMBasicBlockRef copy = emit_block(e, "copy"), done = emit_block(e, "copied");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, scope->memory, ""), done, copy);
    LLVMPositionBuilderAtEnd(e->builder, copy);
    LLVMValueRef arguments[] = {
        user->host,
        emit_array(e, user->stride, memref->dimensions),
        emit_address(e, memref, user->minimum),
        emit_array(e, memref->stride, memref->dimensions),
        emit_array(e, user->extent, memref->dimensions),
        LLVMConstInt(e->i32, (unsigned long long)memref->dimensions, false),
        LLVMConstInt(e->i32, (unsigned long long)type_bytes(memref->type), false)};
    ProfileSite *around = profile_copy(e, scope->func);
    emit_runtime_call(e, RUNTIME_hlc_copy, arguments);
    profile_return(e, around);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

/* Closes the scope at this place of the list. */
static void close_at(Emitter *e, AllocationScope **at) {
    AllocationScope *scope = *at;
    stream_settle(e, scope->memref->origin);
    if (scope->user)
        copy_out(e, scope);
    if (scope->held)
        release(e, scope);
    if (scope->slot)
        scope->slot->is_taken = false;
    *at = scope->outer;
    map_put(&e->memrefs, scope->func, NULL);
}

void emit_close_scope(Emitter *e) {
    close_at(e, &e->frame.scope);
}

void emit_close_dead(Emitter *e, const AllocationScope *outside, const Map *last,
                     const Stmt *stmt) {
    for (AllocationScope **at = &e->frame.scope; *at != outside;)
        if (!(*at)->user && map_get(last, (*at)->func) == stmt)
            close_at(e, at);
        else
            at = &(*at)->outer;
}
