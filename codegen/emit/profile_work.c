/* profile_work.c -- counts the arithmetic of a stage and the bytes that it accesses, for its site.
 *
 *     for y ..                              depth 1
 *       for x ..                            depth 2: counted
 *         out[x, y] <- a[x, y]*3 + a[x + 1, y]
 *
 * Counts one iteration of the innermost loops, each distinct node of a store once: operators on
 * elements, but no conversions and no index arithmetic; reads and writes of funcs and images. Prologues
 * and epilogues are left out, and so are the funcs that are computed inside. What LLVM keeps in
 * registers from one iteration to the next counts as accessed.
 */
#include "codegen/emit.h"
#include "ir/ops.h"

enum { DEEPEST = 32 };

typedef struct StageWork {
    Emitter *emitter;
    ProfileWork at[DEEPEST]; /* by the number of loops around */
    int depth, deepest;      /* with a store */
} StageWork;

static bool count_node(void *data, Expr node) {
    ProfileWork *work = data;
    if (node->op == OP_ACCESS)
        work->bytes += (unsigned)type_bytes(node->type);
    bool is_operator = node->op < OP_COUNT && node->op != OP_CAST && node->arity > 0;
    if (is_operator && !type_is_index(node->type) && !type_is_index(node->arguments[0]->type))
        work->operations++;
    return false;
}

static void count_block(StageWork *work, const Block *block);

static void count_loop(StageWork *work, const Stmt *loop) {
    if (loop->loop.rare || work->depth + 1 >= DEEPEST)
        return;
    work->depth++;
    count_block(work, &loop->loop.body);
    work->depth--;
}

static void count_store(StageWork *work, const Stmt *stmt) {
    ProfileWork *at = &work->at[work->depth];
    if (stmt_is_extern(stmt))
        return;
    work->deepest = work->depth > work->deepest ? work->depth : work->deepest;
    for (int c = 0; c < stmt->store.func->components; c++) {
        emit_any_node(work->emitter, stmt->store.values[c], count_node, at);
        at->bytes += (unsigned)type_bytes(stmt->store.values[c]->type);
    }
}

/* The context's limits bound the depth of nests, and so of this recursion. */
static void count_block(StageWork *work, const Block *block) {
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next) {
        switch (stmt->kind) {
        case STMT_STORE:
            count_store(work, stmt);
            break;
        case STMT_FOR:
            count_loop(work, stmt);
            break;
        case STMT_IF:
            count_block(work, &stmt->branch.body);
            count_block(work, &stmt->branch.otherwise);
            break;
        case STMT_LET:
            emit_any_node(work->emitter, stmt->let.value, count_node, &work->at[work->depth]);
            count_block(work, &stmt->let.body);
            break;
        case STMT_LABEL:
            count_block(work, &stmt->label.body);
            break;
        case STMT_NOP:
        case STMT_ASSERT:
        case STMT_ALLOCATE:
        case STMT_PREFETCH:
        case STMT_COMPUTE:
            break;
        }
    }
}

ProfileWork profile_work(Emitter *e, const Stmt *label) {
    StageWork work = {.emitter = e};
    count_block(&work, &label->label.body);
    return work.at[work.deepest];
}
