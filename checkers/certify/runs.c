/* runs.c -- is there a stage, and does it run?
 *
 *     compute f on [..]
 *       if f.needed then
 *         label f
 *           label s0          covered begins here (stage.c)
 *
 * A stage without a label writes nothing, and no clause would be asked of a write outside all
 * stages.  The statements between the compute statement and the label of a stage decide when the
 * stage runs.  Each read of the func needs that (access.c), and so does the window of an output
 * with points (window.c).
 */
#include "checkers/certify/internal.h"

/* ---- does the stage exist? ---- */

/* Leaves an open obligation: for a program that no lowering makes, too little would be asked. */
static void leave_open(CertifyWalk *walk, Stmt *stmt, Symbol func, const char *text) {
    obligation_add(walk, CLAUSE_ORDER, stmt, func, NULL, text)->reason =
        "the clauses on stages take each write to stand in one, and stages to stand in their order";
}

/* The stage writes nothing, so nothing may be needed. */
void runs_ask_empty(CertifyWalk *walk, Stmt *label, const FuncKnowledge *state, int stage) {
    Pool *pool = walk->pool;
    Expr empty = expr_bool(pool, false), zero = expr_index(pool, 0);
    for (int k = 0; k < state->shape->dimensions; k++)
        empty = expr_or(pool, empty, expr_le(pool, state->compute[k].length, zero));
    for (size_t i = 0; state->func && i < state->func->stages.length; i++) {
        const Stage *algorithm = state->func->stages.data[i];
        for (size_t r = 0; algorithm->number == stage && r < algorithm->reduction.length; r++)
            empty = expr_or(
                pool, empty,
                expr_le(pool,
                        reduction_iterations(pool, &algorithm->reduction.data[r], state->compute)
                            .length,
                        zero));
    }
    Obligation *obligation = obligation_add(walk, CLAUSE_COVERED, label, state->shape->name, empty,
                                            arena_format(walk->arena, "%s, which writes nothing",
                                                         stage_text(walk, state->shape, stage)));
    /* Without the algorithm its reduction domain is not known; it may be empty. */
    obligation->is_exact = state->func || stage == 0;
}

/* The labels of a func's stages. */
typedef struct Stages {
    const FuncShape *shape;
    Vec(const Stmt *) found;
    Arena *arena;
} Stages;

static bool stages_enter(void *data, Stmt *stmt) {
    Stages *stages = data;
    const Stmt *outer = stmt_parent(stmt);
    int stage;
    if (stmt->kind == STMT_LABEL && outer && outer->kind == STMT_LABEL &&
        outer->label.name == stages->shape->name && stage_number(stmt, &stage))
        vec_push(stages->arena, &stages->found, stmt);
    return stmt->kind != STMT_COMPUTE || stmt->compute.func == stages->shape;
}

/* ---- does it run? ---- */

/* Returns the condition that the statement, which stands in the compute statement, runs when that
 * one does.  Conditions that read memory, which may change, give `false`; so does a loop, which may
 * have no iteration. */
static Expr runs_with(CertifyWalk *walk, const Stmt *stmt, const Stmt *compute) {
    Expr runs = expr_bool(walk->pool, true), never = expr_bool(walk->pool, false);
    for (const Stmt *outer = stmt_parent(stmt); outer != compute;
         stmt = outer, outer = stmt_parent(stmt)) {
        if (outer->kind == STMT_IF)
            runs = expr_has_access(outer->branch.condition)
                       ? never
                       : goal_both(walk->pool, branch_condition(walk->pool, outer, stmt), runs);
        else if (outer->kind == STMT_LET)
            runs =
                expr_substitute(walk->pool, walk->arena, runs, outer->let.binder, outer->let.value);
        else if (outer->kind == STMT_FOR)
            runs = never;
    }
    return runs;
}

/* Returns the condition that one of the stage's labels is reached.  The clauses on the stage begin
 * at its label, so they say something only then. */
static Expr stage_runs(CertifyWalk *walk, Stmt *compute, const FuncKnowledge *state,
                       const Stages *stages, int stage) {
    Expr runs = NULL;
    for (size_t i = 0; i < stages->found.length; i++) {
        int number = -1;
        if (!stage_number(stages->found.data[i], &number) || number != stage)
            continue;
        Expr with = runs_with(walk, stages->found.data[i], compute);
        runs = !runs || expr_is_true(with)          ? with
               : expr_is_true(runs) || runs == with ? runs
                                                    : expr_or(walk->pool, runs, with);
    }
    if (!runs)
        runs_ask_empty(walk, compute, state, stage);
    return runs ? runs : expr_bool(walk->pool, true);
}

/* An update changes the values of earlier stages, so the stages must stand in order. */
static void ask_in_order(CertifyWalk *walk, Stmt *compute, const Stages *stages) {
    int former, latter;
    for (size_t j = 0; j < stages->found.length; j++)
        for (size_t i = 0; i < j; i++)
            if (stage_number(stages->found.data[i], &former) &&
                stage_number(stages->found.data[j], &latter) && latter < former &&
                order_stands_before(stages->found.data[i], stages->found.data[j]))
                leave_open(walk, compute, stages->shape->name,
                           arena_format(walk->arena, "stage s%d of %s stands before s%d", former,
                                        stages->shape->name->text, latter));
}

void runs_at_store(CertifyWalk *walk, Stmt *store) {
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    if (state->memory && state->computing && !map_get(&walk->witnesses, store))
        leave_open(walk, store, state->shape->name,
                   arena_format(walk->arena, "a write of %s stands in none of its stages",
                                state->shape->name->text));
}

void runs_clauses(CertifyWalk *walk, Stmt *compute) {
    FuncKnowledge *state = walk_state(walk, compute->compute.func->name);
    Stages stages = {.shape = state->shape, .arena = walk->arena};
    if (state->allocate && state->allocate->allocate.storage &&
        state->allocate->allocate.storage->table)
        return;
    block_visit(&compute->compute.body, &(StmtVisitor){.data = &stages, .enter = stages_enter});
    ask_in_order(walk, compute, &stages);
    Expr runs =
        state->func ? expr_bool(walk->pool, true) : stage_runs(walk, compute, state, &stages, 0);
    for (size_t i = 0; state->func && i < state->func->stages.length; i++) {
        int stage = state->func->stages.data[i]->number;
        Expr one = stage_runs(walk, compute, state, &stages, stage);
        runs = one == runs ? runs : goal_both(walk->pool, runs, one);
    }
    state->runs = expr_is_true(runs) ? NULL : runs;
}
