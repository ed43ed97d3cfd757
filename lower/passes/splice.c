/* splice.c -- see splice.h. */
#include "lower/passes/splice.h"

static bool allocates(const Block *block) {
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next)
        if (stmt->kind == STMT_ALLOCATE)
            return true;
    return false;
}

void splice_unwrap(Stmt *stmt) {
    Block *body = stmt_body(stmt), *dead = NULL;
    if (stmt->kind == STMT_IF) {
        bool taken = expr_is_true(stmt->branch.condition);
        body = taken ? &stmt->branch.body : &stmt->branch.otherwise;
        dead = taken ? &stmt->branch.otherwise : &stmt->branch.body;
    }
    if (dead)
        dead->first = dead->last = NULL;
    if (stmt->next && allocates(body))
        return;
    for (Stmt *inner = body->first, *next; inner; inner = next) {
        next = inner->next;
        stmt_unlink(inner);
        stmt_insert_before(stmt, inner);
    }
    stmt_unlink(stmt);
}

static bool register_site(void *data, Stmt *stmt) {
    program_register(data, stmt);
    return true;
}

void splice_register(Program *program) {
    for (size_t i = 0; i < program->funcs.length; i++)
        program->funcs.data[i]->computes.length = program->funcs.data[i]->allocates.length = 0;
    StmtVisitor visitor = {.data = program, .enter = register_site};
    block_visit(&program->body, &visitor);
}
