/* storage.c -- gives memory the lengths that the schedule asks for, and checks store-in.
 *
 *     align-storage(f, x, 8)       allocate f: [(m, n), ..]   becomes   allocate f: [(m, (n + 7)/8*8), ..]
 *     bound-storage(f, x, 64)                                            allocate f: [(m, 64), ..]
 *
 * More memory than is used is sound: every coordinate that was inside is inside.  The interpreter,
 * the certificate, the contract and the code all see intervals.  So none of them needs to know of a
 * directive.  For bound-storage n <= 64 must hold.  The greatest n, over all iterations of the
 * loops around, is an expression in startup variables (region.h).  The program asserts at the top
 * that it is at most 64.  If there is no such limit, the directive is refused.  If a dimension has
 * both requests, it is bounded first.
 *
 * The size of a func on the stack must be a constant and small.  Sizes are known when the program
 * has been simplified; storage_keeps_promises checks them then.
 */
#include "lower/passes/storage.h"

#include "ir/print.h"
#include "lower/passes/lets.h"

#include <inttypes.h>

typedef struct Sizing {
    Program *program;
    Pool *pool;
    Arena *arena;
    const BoundRequests *requests;
    Ranges ranges; /* eliminates loops */
    Lets lets;
    StorageNeeds *needs;
    bool failed;
} Sizing;

static void bound_length(Sizing *sizing, const Stmt *allocate, const StorageRequest *request) {
    Extent *interval = &allocate->allocate.intervals[request->dimension];
    Expr most = ranges_greatest(&sizing->ranges, lets_expand(&sizing->lets, interval->length));
    if (!most) {
        diag(sizing->pool->context, DIAG_INDEX_ARITHMETIC, request->place,
             expr_text(sizing->arena, interval->length));
        sizing->failed = true;
        return;
    }
    vec_push(sizing->arena, sizing->needs, (StorageNeed){request, most});
    interval->length = expr_index(sizing->pool, request->number);
}

static void align_length(Sizing *sizing, const Stmt *allocate, const StorageRequest *request) {
    Pool *pool = sizing->pool;
    Extent *interval = &allocate->allocate.intervals[request->dimension];
    Expr number = expr_index(pool, request->number);
    Expr above = expr_add(pool, interval->length, expr_index(pool, request->number - 1));
    interval->length = expr_mul(pool, expr_div(pool, above, number), number);
}

/* Folded and hoisted memory has its own length. */
static bool is_ring(const Stmt *allocate, int dimension) {
    return allocate->allocate.hoisted ||
           (allocate->allocate.folds && allocate->allocate.folds[dimension]);
}

static void size_allocation(Sizing *sizing, const Stmt *allocate) {
    for (int alignments = 0; alignments < 2; alignments++)
        for (size_t i = 0; i < sizing->requests->storage.length; i++) {
            const StorageRequest *request = &sizing->requests->storage.data[i];
            if (request->func != allocate->allocate.func->name ||
                request->is_alignment != alignments || is_ring(allocate, request->dimension))
                continue;
            if (alignments)
                align_length(sizing, allocate, request);
            else
                bound_length(sizing, allocate, request);
        }
}

static bool enter(void *data, Stmt *stmt) {
    Sizing *sizing = data;
    if (stmt->kind == STMT_FOR)
        lets_bind_range(&sizing->ranges, stmt->loop.binder,
                        lets_expand_interval(&sizing->lets, stmt->loop.interval));
    else if (stmt->kind == STMT_LET)
        lets_bind(&sizing->lets, stmt->let.binder, stmt->let.value);
    else if (stmt->kind == STMT_ALLOCATE)
        size_allocation(sizing, stmt);
    return true;
}

bool storage_size(Program *program, Block *block, const BoundRequests *requests, Arena *arena,
                  StorageNeeds *needs) {
    if (!requests->storage.length)
        return true;
    Simplifier *simplifier = simplifier_create(program->pool, arena);
    Sizing sizing = {.program = program,
                     .pool = program->pool,
                     .arena = arena,
                     .requests = requests,
                     .ranges = ranges_create(program->pool, arena, simplifier),
                     .lets = lets_create(program->pool, arena),
                     .needs = needs};
    block_visit(block, &(StmtVisitor){.data = &sizing, .enter = enter});
    return !sizing.failed;
}

/* ---- store-in ---- */

/* Returns the bytes of the largest component; -1 if unknown. */
static int64_t component_bytes(const Stmt *allocate, int64_t *all) {
    const FuncShape *shape = allocate->allocate.func;
    int64_t elements = 1, length, greatest = 0;
    *all = 0;
    for (int d = 0; d < shape->dimensions; d++)
        if ((length = storage_longest(allocate->allocate.intervals[d].length)) < 1 ||
            __builtin_mul_overflow(elements, length, &elements))
            return -1;
    for (int c = 0; c < shape->components; c++) {
        int64_t bytes;
        if (__builtin_mul_overflow(elements, type_bytes(shape->types[c]), &bytes) ||
            __builtin_add_overflow(*all, bytes, all))
            return -1;
        greatest = bytes > greatest ? bytes : greatest;
    }
    return greatest;
}

const Stmt *storage_function(const Stmt *stmt) {
    do
        stmt = stmt_parent(stmt);
    while (stmt && !(stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_PARALLEL));
    return stmt;
}

typedef struct Promises {
    Context *context;
    Arena *arena;
    Map totals; /* function -> bytes; the context is the key of the pipeline's function */
    bool kept;
} Promises;

static void refuse_size(Promises *promises, const Stmt *allocate, const char *why) {
    const FuncShape *shape = allocate->allocate.func;
    const char *memory = memory_text(allocate->allocate.storage->memory);
    diag(promises->context, DIAG_STORE_IN_SIZE, allocate->allocate.storage->place,
         shape->name->text, memory, why);
    promises->kept = false;
}

static bool check_promise(void *data, Stmt *stmt) {
    Promises *promises = data;
    if (stmt->kind != STMT_ALLOCATE)
        return true;
    MemoryKind memory = stmt->allocate.storage->memory;
    if (memory == MEMORY_AUTOMATIC || memory == MEMORY_HEAP)
        return true;
    int64_t all, bytes = component_bytes(stmt, &all);
    int64_t most = memory == MEMORY_REGISTER ? LARGEST_IN_REGISTERS : STACK_AS_TOLD;
    if (bytes < 0) {
        refuse_size(promises, stmt, "its size is not known when the program is compiled");
    } else if (bytes > most) {
        refuse_size(promises, stmt,
                    arena_format(promises->arena,
                                 "it takes %" PRId64 " bytes, and at most %" PRId64 " can", bytes,
                                 most));
    } else {
        const void *function = storage_function(stmt);
        function = function ? function : promises->context;
        intptr_t total = (intptr_t)map_get(&promises->totals, function) + (intptr_t)all;
        map_put(&promises->totals, function, (void *)total);
        if (total > STACK_AS_TOLD)
            refuse_size(promises, stmt,
                        arena_format(promises->arena,
                                     "with what else is stored so, one function keeps %" PRIdPTR
                                     " bytes on the stack, and at most %d can be",
                                     total, STACK_AS_TOLD));
    }
    return true;
}

bool storage_keeps_promises(Program *program, Arena *arena) {
    Promises promises = {program->pool->context, arena, map_create(arena), true};
    block_visit(&program->body, &(StmtVisitor){.data = &promises, .enter = check_promise});
    return promises.kept;
}
