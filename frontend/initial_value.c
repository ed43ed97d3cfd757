/* initial_value.c -- checks that each equation has an initial value ("Design of Merge Ures",
 * "Recursive Reference").
 *
 * The paper's recursive tree defines this. A constant, an image and a func outside the recurrence
 * have an initial value. An operation has one if all its operands have one. A `select` has one if
 * its condition and one of its arms have one. A func has one if all its components have one.
 *
 * The paper states this as clauses in conjunctive normal form, whose number may be exponential.
 * This file finds their least solution by counting: each node counts its operands without an
 * initial value, and a node that gets one tells its users.
 *
 * A node without an initial value has a clause without a true entry. The message shows such a
 * clause: the reads of one operand, and of both arms of a select.
 */
#include "frontend/recurrence.h"

#include "ir/recurrence.h"

typedef struct InitialNode {
    size_t missing; /* operands without an initial value; for a select, 1 until it has one */
    bool has_value, has_condition, has_arm;
    Vec(struct InitialNode *) users;
    Expr node; /* null for a func */
    const Func *func;
} InitialNode;

typedef struct InitialValues {
    Arena *arena;
    const Pipeline *pipeline;
    const Recurrence *recurrence;
    Map nodes;               /* Expr -> InitialNode */
    Map funcs;               /* Func -> InitialNode */
    Vec(InitialNode *) work; /* nodes that have just got an initial value */
    Vec(const Func *) clause;
} InitialValues;

/* ---- the graph ---- */

static InitialNode *create_node(InitialValues *values, Expr node, const Func *func,
                                size_t missing) {
    InitialNode *created = arena_new(values->arena, InitialNode);
    created->node = node;
    created->func = func;
    created->missing = missing;
    if (missing == 0) {
        created->has_value = true;
        vec_push(values->arena, &values->work, created);
    }
    return created;
}

static const Func *read_func(const InitialValues *values, Expr node) {
    if (node->op != OP_ACCESS)
        return NULL;
    const Func *func = pipeline_func(values->pipeline, node->name);
    return func && func->recurrence == values->recurrence ? func : NULL;
}

static void add_node(void *data, Expr node) {
    InitialValues *values = data;
    if (map_get(&values->nodes, node))
        return;
    const Func *func = read_func(values, node);
    bool is_choice = node->op == OP_SELECT;
    size_t missing = func ? 1 : is_choice ? 1 : node->op == OP_ACCESS ? 0 : node->arity;
    InitialNode *created = create_node(values, node, NULL, missing);
    map_put(&values->nodes, node, created);
    if (func) {
        InitialNode *read = map_get(&values->funcs, func);
        vec_push(values->arena, &read->users, created);
    }
    for (int a = 0; missing > 0 && !func && a < node->arity; a++) {
        InitialNode *operand = map_get(&values->nodes, node->arguments[a]);
        vec_push(values->arena, &operand->users, created);
    }
}

/* ---- the least solution ---- */

static void tell(InitialValues *values, const InitialNode *operand, InitialNode *user) {
    if (user->has_value)
        return;
    if (user->node && user->node->op == OP_SELECT) {
        const Expr *arguments = user->node->arguments;
        user->has_condition |= arguments[0] == operand->node;
        user->has_arm |= arguments[1] == operand->node || arguments[2] == operand->node;
        user->missing = !(user->has_condition && user->has_arm);
    } else {
        user->missing--;
    }
    if (user->missing > 0)
        return;
    user->has_value = true;
    vec_push(values->arena, &values->work, user);
}

static void solve(InitialValues *values) {
    for (size_t f = 0; f < values->recurrence->funcs.length; f++) {
        const Func *func = values->recurrence->funcs.data[f];
        map_put(&values->funcs, func,
                create_node(values, NULL, func, (size_t)func->shape->components));
    }
    for (size_t f = 0; f < values->recurrence->funcs.length; f++) {
        const Func *func = values->recurrence->funcs.data[f];
        for (int c = 0; c < func->shape->components; c++) {
            Expr root = func->stages.data[0]->values[c];
            expr_visit(values->arena, root, add_node, values);
            InitialNode *node = map_get(&values->nodes, root);
            vec_push(values->arena, &node->users, map_get(&values->funcs, func));
        }
    }
    while (values->work.length > 0) {
        const InitialNode *node = values->work.data[--values->work.length];
        for (size_t u = 0; u < node->users.length; u++)
            tell(values, node, node->users.data[u]);
    }
}

/* ---- the message ---- */

static bool has_value(const InitialValues *values, Expr node) {
    const InitialNode *found = map_get(&values->nodes, node);
    return found->has_value;
}

static void add_to_clause(InitialValues *values, const Func *func) {
    for (size_t i = 0; i < values->clause.length; i++)
        if (values->clause.data[i] == func)
            return;
    vec_push(values->arena, &values->clause, func);
}

/* Collects the funcs of one clause without a true entry. */
static void find_clause(InitialValues *values, Expr root) {
    Exprs work = {0};
    Map seen = map_create(values->arena);
    vec_push(values->arena, &work, root);
    while (work.length > 0) {
        Expr node = work.data[--work.length];
        if (map_get(&seen, node))
            continue;
        map_put(&seen, node, node);
        const Func *func = read_func(values, node);
        if (func) {
            add_to_clause(values, func);
        } else if (node->op == OP_SELECT && has_value(values, node->arguments[0])) {
            vec_push(values->arena, &work, node->arguments[2]);
            vec_push(values->arena, &work, node->arguments[1]);
        } else {
            int a = 0;
            while (has_value(values, node->arguments[a]))
                a++;
            vec_push(values->arena, &work, node->arguments[a]);
        }
    }
}

static void report(InitialValues *values, Context *context, const Func *func) {
    const Stage *stage = func->stages.data[0];
    int c = 0;
    while (has_value(values, stage->values[c]))
        c++;
    find_clause(values, stage->values[c]);
    const char *needed = "";
    for (size_t i = 0; i < values->clause.length; i++)
        needed = arena_format(values->arena, "%s%s`%s`", needed, i ? " or " : "",
                              values->clause.data[i]->shape->name->text);
    bool itself = values->clause.length == 1 && values->clause.data[0] == func;
    diag(context, DIAG_EQUATION_NO_INITIAL, func->place, func->shape->name->text, needed,
         itself                       ? ""
         : values->clause.length == 1 ? ", which has none"
                                      : ", none of which has one");
}

bool initial_values_exist(Context *context, Arena *scratch, const Pipeline *pipeline,
                          const Recurrence *recurrence) {
    InitialValues values = {.arena = scratch,
                            .pipeline = pipeline,
                            .recurrence = recurrence,
                            .nodes = map_create(scratch),
                            .funcs = map_create(scratch)};
    solve(&values);
    for (size_t f = 0; f < recurrence->funcs.length; f++) {
        const InitialNode *node = map_get(&values.funcs, recurrence->funcs.data[f]);
        if (node->has_value)
            continue;
        report(&values, context, node->func);
        return false;
    }
    return true;
}
