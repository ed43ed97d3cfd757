/* in_place.c -- checks that outputs may share the memory of their images (`-> out in picture`).
 *
 * With shared memory the first stage of the output, `out[x, y] <- picture[x, y]`, changes nothing,
 * and code leaves it out (codegen/emit/in_place.c). The updates change elements of the image, so the
 * program may read others only before them. The algorithm reads the image in the first stage alone
 * (frontend/valid.c). A schedule may copy it elsewhere:
 *
 *     compute seen on ..                      accepted: it ends before the output begins
 *       seen[x, y] <- picture[x, y]
 *     compute out on ..
 *       label s0
 *         for out.s0.y ..
 *           compute row on ..               refused: it is between writes of the output
 *             row[x, y] <- picture[x, y]
 *
 * The output is computed once, outside of all loops. Otherwise a second run of its updates would
 * begin with what the first left.
 */
#include "lower/passes/in_place.h"

#include "ir/walk.h"

#include <string.h>

typedef struct SharedCheck {
    Program *program;
    Arena *arena;
    const Output *output;
    bool has_begun; /* the output may have been written */
    bool good;
} SharedCheck;

static bool refuse(SharedCheck *check, const Stmt *stmt, const char *reason) {
    if (check->good)
        diag(check->program->pool->context, DIAG_SHARED_SCHEDULE, stmt->place,
             check->output->func->text, check->output->image->text, reason);
    check->good = false;
    return false;
}

/* Is it in the first stage of the output? */
static bool is_in_first_stage(const SharedCheck *check, const Stmt *stmt) {
    const Stmt *stage = stmt_stage(stmt);
    return stage && stmt_func(stmt) == check->output->func &&
           strcmp(stage->label.name->text, "s0") == 0;
}

typedef struct ImageSearch {
    Arena *arena;
    Symbol image;
    bool found;
} ImageSearch;

static void find_image(void *data, Expr expr) {
    ImageSearch *search = data;
    Exprs accesses = expr_accesses_of(search->arena, expr);
    for (size_t i = 0; i < accesses.length; i++)
        search->found |= accesses.data[i]->name == search->image;
}

static bool reads_image(const SharedCheck *check, const Stmt *stmt) {
    ImageSearch search = {check->arena, check->output->image, false};
    stmt_each_expr(stmt, find_image, &search);
    return search.found;
}

static bool is_in_loop(const Stmt *stmt) {
    for (const Stmt *at = stmt_parent(stmt); at; at = stmt_parent(at))
        if (at->kind == STMT_FOR)
            return true;
    return false;
}

static bool enter(void *data, Stmt *stmt) {
    SharedCheck *check = data;
    bool is_compute = stmt->kind == STMT_COMPUTE;
    if (is_compute && stmt->compute.func->name == check->output->func) {
        check->has_begun = true;
        if (is_in_loop(stmt))
            return refuse(check, stmt, "the output is computed in a loop");
    } else if (is_compute && is_in_first_stage(check, stmt_parent(stmt))) {
        return refuse(check, stmt, "another func is computed in the output's first stage");
    }
    bool copies = stmt_copies(stmt, check->output->image) && is_in_first_stage(check, stmt);
    if (check->has_begun && !copies && reads_image(check, stmt))
        return refuse(check, stmt, "the image is read when the output may have changed it");
    return check->good;
}

bool lower_in_place(Program *program, Arena *arena) {
    SharedCheck check = {.program = program, .arena = arena, .good = true};
    StmtVisitor visitor = {.data = &check, .enter = enter};
    for (size_t i = 0; i < program->signature->outputs.length && check.good; i++) {
        check.output = &program->signature->outputs.data[i];
        check.has_begun = false;
        if (check.output->image)
            block_visit(&program->body, &visitor);
    }
    return check.good;
}
