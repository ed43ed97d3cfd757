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

static bool opens_scope(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_LET;
}

void splice_branch(Stmt *branch) {
    Stmt *around = stmt_parent(branch);
    splice_unwrap(branch);
    while (around && opens_scope(around) && !stmt_body(around)->first) {
        Stmt *empty = around;
        around = stmt_parent(empty);
        stmt_unlink(empty);
    }
}

/* Copies of a compute statement have a number each; some of the earlier ones may be gone. */
static bool number_copy(void *data, Stmt *stmt) {
    int next = 0;
    if (stmt->kind != STMT_COMPUTE)
        return true;
    const FuncSites *sites = program_func(data, stmt->compute.func->name);
    for (size_t i = 0; i < sites->computes.length; i++) {
        const Stmt *other = sites->computes.data[i];
        if (other != stmt && other->compute.copy >= next)
            next = other->compute.copy + 1;
    }
    stmt->compute.copy = next;
    return true;
}

Stmt *splice_copy_loop(Program *program, const Stmt *loop) {
    Stmt *copy = stmt_copy(program, loop);
    StmtVisitor numbering = {.data = program, .enter = number_copy};
    block_visit(&copy->loop.body, &numbering);
    return copy;
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
