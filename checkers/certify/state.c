/* state.c -- shared by the clauses: goals, facts, obligations, and the knowledge of a func.
 *
 * A goal is a conjunction in the program's variables.  A fact is lifted (lift.c) and hangs on the
 * facts before it.  An obligation holds its goal lifted, and the walk's facts as its context.
 */
#include "checkers/certify/internal.h"

#include <stdio.h>

/* ---- goals ---- */

Expr goal_both(Pool *pool, Expr a, Expr b) {
    return expr_is_true(a) ? b : expr_is_true(b) ? a : expr_and(pool, a, b);
}

Expr interval_holds(Pool *pool, Extent interval, Expr at) {
    Expr end = expr_add(pool, interval.minimum, interval.length);
    return goal_both(pool, expr_le(pool, interval.minimum, at), expr_lt(pool, at, end));
}

/* The goal's conjuncts one by one. */
void goal_parts(Arena *arena, Expr goal, Exprs *parts) {
    Exprs stack = {0};
    vec_push(arena, &stack, goal);
    while (stack.length) {
        Expr top = stack.data[--stack.length];
        if (top->op == OP_AND) {
            vec_push(arena, &stack, top->arguments[1]);
            vec_push(arena, &stack, top->arguments[0]);
        } else {
            vec_push(arena, parts, top);
        }
    }
}

Expr branch_condition(Pool *pool, const Stmt *branch, const Stmt *inner) {
    Expr condition = branch->branch.condition;
    return inner->block == &branch->branch.body ? condition : expr_not(pool, condition);
}

Expr nest_condition(const CertifyWalk *walk, const StageNest *nest, size_t i) {
    const Stmt *branch = nest->path.data[i];
    const Stmt *inner = i + 1 < nest->path.length ? nest->path.data[i + 1] : nest->store;
    return branch->kind == STMT_IF ? branch_condition(walk->pool, branch, inner) : NULL;
}

/* ---- facts ---- */

static ContextFact *add_lifted(CertifyWalk *walk, const ContextFact *before, Expr lifted) {
    ContextFact *fact = arena_new(walk->arena, ContextFact);
    *fact = (ContextFact){.before = before,
                          .condition = lifted,
                          .kind = FACT_PATH,
                          .depth = before ? before->depth + 1 : 1};
    return fact;
}

const ContextFact *fact_of_kind(CertifyWalk *walk, const ContextFact *before, Expr condition,
                                FactKind kind) {
    Expr lifted = lift(&walk->lifter, condition);
    if (expr_is_true(lifted))
        return before;
    ContextFact *fact = add_lifted(walk, before, lifted);
    fact->kind = kind;
    return fact;
}

const ContextFact *fact_add(CertifyWalk *walk, const ContextFact *before, Expr condition) {
    return fact_of_kind(walk, before, condition, FACT_PATH);
}

const ContextFact *fact_bind(CertifyWalk *walk, const ContextFact *before, Expr variable,
                             Extent interval) {
    Pool *pool = walk->pool;
    IntegerLifter *lifter = &walk->lifter;
    Expr last =
        expr_add(pool, interval.minimum, expr_sub(pool, interval.length, expr_index(pool, 1)));
    ContextFact *fact =
        add_lifted(walk, before, lift(lifter, interval_holds(pool, interval, variable)));
    hlc_assert(!expr_is_true(fact->condition), "nothing is known of a variable before it is bound");
    fact->variable = lift(lifter, variable);
    fact->least = lift(lifter, interval.minimum);
    fact->greatest = lift(lifter, last);
    return fact;
}

const ContextFact *fact_equal(CertifyWalk *walk, const ContextFact *before, Expr variable,
                              Expr value) {
    Expr lifted = lift(&walk->lifter, variable), is = lift(&walk->lifter, value);
    ContextFact *fact = add_lifted(walk, before, expr_eq(walk->pool, lifted, is));
    hlc_assert(!expr_is_true(fact->condition), "nothing is known of a variable before it is bound");
    fact->variable = lifted;
    fact->least = fact->greatest = is;
    return fact;
}

const ContextFact *fact_has_points(CertifyWalk *walk, const ContextFact *before, const Extent *box,
                                   int dimensions) {
    for (int k = 0; k < dimensions; k++)
        before =
            fact_add(walk, before, expr_lt(walk->pool, expr_index(walk->pool, 0), box[k].length));
    return before;
}

Contexts facts_in_order(Arena *arena, const ContextFact *context) {
    Contexts facts = {0};
    vec_reserve(arena, &facts, context ? context->depth : 0);
    facts.length = context ? context->depth : 0;
    for (const ContextFact *fact = context; fact; fact = fact->before)
        facts.data[fact->depth - 1] = fact;
    return facts;
}

/* ---- obligations ---- */

Obligation *obligation_add(CertifyWalk *walk, ClauseId clause, Stmt *stmt, Symbol func, Expr claim,
                           const char *text) {
    Certification *certification = walk->certification;
    Obligation *obligation = arena_new(walk->arena, Obligation);
    Expr goal = claim ? lift(&walk->lifter, claim) : NULL;
    *obligation = (Obligation){.clause = clause,
                               .number = (uint32_t)certification->obligations.length + 1,
                               .text = text ? text : "",
                               .place = stmt->place,
                               .func = func,
                               .stmt = stmt,
                               .context = walk->context,
                               .goal = goal,
                               .is_exact = true};
    vec_push(walk->arena, &certification->obligations, obligation);
    return obligation;
}

void obligation_settle(Obligation *obligation, bool holds, const char *rule) {
    obligation->finding = holds ? FINDING_PROVED : FINDING_REFUTED;
    obligation->means = MEANS_TEXT;
    obligation->rule = rule;
}

/* ---- funcs ---- */

FuncKnowledge *walk_state(const CertifyWalk *walk, Symbol func) {
    return map_get(&walk->states, func);
}

bool state_has_places(const FuncKnowledge *state, int k) {
    const bool *places = state->allocate ? state->allocate->allocate.places : NULL;
    bool found = places && k >= 0 && places[k];
    for (int i = 0; places && k < 0 && i < state->shape->dimensions; i++)
        found |= places[i];
    return found;
}

/* The lets of an update of several writes hold what it reads before it writes. */
Expr store_value(const CertifyWalk *walk, const Stmt *store, int component) {
    Expr value = store->store.values[component];
    for (const Stmt *stmt = stmt_parent(store); stmt && stmt->kind != STMT_LABEL;
         stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_LET && expr_has_access(stmt->let.value))
            value =
                expr_substitute(walk->pool, walk->arena, value, stmt->let.binder, stmt->let.value);
    return value;
}

Exprs store_own_reads(const CertifyWalk *walk, const Stmt *store) {
    Exprs accesses = {0}, own = {0};
    for (int c = 0; c < store->store.func->components; c++)
        expr_accesses(walk->arena, store_value(walk, store, c), &accesses);
    for (size_t a = 0; a < accesses.length; a++)
        if (accesses.data[a]->name == store->store.func->name)
            vec_push(walk->arena, &own, accesses.data[a]);
    return own;
}

bool store_reads_places(const CertifyWalk *walk, const Stmt *store) {
    Exprs accesses = {0};
    for (int i = 0; i < store->store.func->components; i++)
        expr_accesses(walk->arena, store_value(walk, store, i), &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        const FuncKnowledge *state = walk_state(walk, accesses.data[i]->name);
        if (state && state_has_places(state, -1))
            return true;
    }
    return false;
}

const ContextFact *write_hits(CertifyWalk *walk, const Stmt *store, const FuncKnowledge *state) {
    const ContextFact *context = walk->context;
    for (int k = 0; k < state->shape->dimensions; k++)
        if (!state_has_places(state, k))
            context =
                fact_add(walk, context,
                         interval_holds(walk->pool, state->compute[k], store->store.indices[k]));
    return context;
}

Expr walk_expand(CertifyWalk *walk, Expr expr) {
    for (bool again = true; again;) {
        Map values = map_create(walk->arena);
        again = false;
        Exprs variables = expr_variables_of(walk->arena, expr);
        for (size_t i = 0; i < variables.length; i++) {
            const Stmt *let = map_get(&walk->binders, variables.data[i]->name);
            if (!let || let->kind != STMT_LET)
                continue;
            map_put(&values, variables.data[i], let->let.value);
            again = true;
        }
        if (again)
            expr = lift_replace(walk->pool, walk->arena, &values, expr);
    }
    return expr;
}

/* ---- stages ---- */

bool stage_number(const Stmt *label, int *stage) {
    return sscanf(label->label.name->text, "s%d", stage) == 1;
}

const char *stage_text(const CertifyWalk *walk, const FuncShape *shape, int stage) {
    return stage == 0 ? arena_format(walk->arena, "%s", shape->name->text)
                      : arena_format(walk->arena, "%s, update %d", shape->name->text, stage);
}
