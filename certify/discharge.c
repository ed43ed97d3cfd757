/* discharge.c -- each obligation by the cheapest that proves it: the rewrite rules, which see the
 * whole context; the decision tier, which sees what seems to matter; Z3, which sees first that and
 * then all.
 */
#include "certify/internal.h"

#include "decide/decide.h"
#include "ir/print.h"

enum { SMALL_FACT = 16, LARGEST_DECISION = 300, DEFAULT_UNITS = 200000, LONGEST_SHOWN = 60 };

/* ---- which facts ---- */

static const Exprs *variables_of(Discharge *discharge, Expr expr) {
    Exprs *variables = map_get(&discharge->variables, expr);
    if (!variables) {
        variables = arena_new(discharge->arena, Exprs);
        expr_variables(discharge->arena, expr, variables);
        map_put(&discharge->variables, expr, variables);
    }
    return variables;
}

typedef struct Selection {
    Discharge *discharge;
    Arena *arena;
    Map known; /* variables that occur */
    Exprs *facts;
} Selection;

/* The variable, and that it lies in its type's range. */
static void select_variables(Selection *selection, Expr expr) {
    const Exprs *variables = variables_of(selection->discharge, expr);
    for (size_t i = 0; i < variables->length; i++) {
        Expr variable = variables->data[i];
        if (map_get(&selection->known, variable))
            continue;
        map_put(&selection->known, variable, variable);
        Expr range = map_get(&selection->discharge->certification->ranges, variable->name);
        if (range)
            vec_push(selection->arena, selection->facts, range);
    }
}

static bool is_known(const Selection *selection, Expr expr) {
    const Exprs *variables = variables_of(selection->discharge, expr);
    for (size_t i = 0; i < variables->length; i++)
        if (!map_get(&selection->known, variables->data[i]))
            return false;
    return true;
}

static bool is_selected(const Fact *fact, FactReach reach) {
    return reach == FACTS_ALL ||
           (fact->kind == FACT_PATH &&
            (reach == FACTS_PATH || fact->condition->tree_size <= SMALL_FACT));
}

void discharge_facts(Discharge *discharge, Arena *arena, const Obligation *obligation,
                     FactReach reach, Exprs *facts) {
    Selection selection = {discharge, arena, map_create(arena), facts};
    select_variables(&selection, obligation->goal);
    for (const Fact *fact = obligation->context; fact; fact = fact->before)
        if (is_selected(fact, reach)) {
            select_variables(&selection, fact->condition);
            vec_push(arena, facts, fact->condition);
        }
    for (const Fact *fact = obligation->context; fact && reach != FACTS_ALL; fact = fact->before)
        if (fact->kind == FACT_ENTRY && is_known(&selection, fact->condition) &&
            (reach == FACTS_PATH || fact->condition->tree_size <= SMALL_FACT))
            vec_push(arena, facts, fact->condition);
}

/* ---- rules ---- */

static void learn_ranges(Discharge *discharge, Expr expr) {
    const Exprs *variables = variables_of(discharge, expr);
    for (size_t i = 0; i < variables->length; i++) {
        Expr range = map_get(&discharge->certification->ranges, variables->data[i]->name);
        if (range)
            simplifier_learn(discharge->simplifier, range);
    }
}

/* The simplifier knows the context, and nothing else. */
static void learn_context(Discharge *discharge, const Fact *context) {
    size_t depth = context ? context->depth : 0, common = 0;
    const Fact **facts = arena_array(discharge->arena, const Fact *, depth + 1);
    for (const Fact *fact = context; fact; fact = fact->before)
        facts[fact->depth - 1] = fact;
    while (common < depth && common < discharge->learned.length &&
           discharge->learned.data[common] == facts[common])
        common++;
    if (common < discharge->learned.length) {
        simplifier_release(discharge->simplifier, discharge->marks.data[common]);
        discharge->learned.length = discharge->marks.length = common;
    }
    for (; common < depth; common++) {
        vec_push(discharge->arena, &discharge->marks, simplifier_mark(discharge->simplifier));
        vec_push(discharge->arena, &discharge->learned, facts[common]);
        learn_ranges(discharge, facts[common]->condition);
        simplifier_learn(discharge->simplifier, facts[common]->condition);
    }
}

/* ---- the decision tier ---- */

static bool decides(Discharge *discharge, const Obligation *obligation, Expr goal,
                    DecideBudget budget) {
    if (goal->tree_size > LARGEST_DECISION)
        return false;
    Arena *scratch = arena_create(&discharge->pool->context->memory);
    Exprs facts = {0};
    discharge_facts(discharge, scratch, obligation, FACTS_PATH, &facts);
    Decision decision = decide(discharge->pool, scratch, goal, &facts, budget);
    arena_destroy(scratch);
    return decision.verdict == VERDICT_VALID;
}

/* The goal's conjuncts one by one. */
void discharge_parts(Arena *arena, Expr goal, Exprs *parts) {
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

/* ---- the solver ---- */

Solver *discharge_solver(Discharge *discharge) {
    uint32_t units = discharge->options->units ? discharge->options->units : DEFAULT_UNITS;
    if (!discharge->solver_tried && discharge->options->solver)
        discharge->solver = solver_start(discharge->arena, discharge->options->solver, units,
                                         discharge->options->running);
    discharge->solver_tried = true;
    return discharge->solver;
}

/* Products and quotients of unknowns, and the wrapping of 32 bits, are slow within (push). */
static void look_for_products(void *data, Expr node) {
    int64_t factor;
    if (node->op == OP_MUL || node->op == OP_DIV || node->op == OP_MOD)
        *(bool *)data &= expr_constant_integer(node->arguments[1], &factor) &&
                         (node->op != OP_MOD || factor <= INT32_MAX);
}

static bool is_linear(Arena *arena, const Exprs *facts, Expr claim) {
    bool linear = true;
    expr_visit(arena, claim, look_for_products, &linear);
    for (size_t i = 0; i < facts->length; i++)
        expr_visit(arena, facts->data[i], look_for_products, &linear);
    return linear;
}

SolverAnswer discharge_try(Discharge *discharge, Arena *arena, const Obligation *obligation,
                           Expr claim, int try, const char **script) {
    Solver *solver = discharge_solver(discharge);
    Exprs facts = {0};
    if (!solver)
        return SOLVER_GONE;
    bool fresh = try >= QUICK_TRIES;
    discharge_facts(discharge, arena, obligation, (FactReach)(try % QUICK_TRIES), &facts);
    if (!fresh && !is_linear(arena, &facts, claim))
        return SOLVER_UNKNOWN;
    *script = smt_validity(arena, facts.data, facts.length, claim);
    hlc_assert(*script, "what is lifted has a term");
    solver_begin(solver, fresh);
    solver_send(solver, *script);
    return solver_answer(solver, arena);
}

/* Does the part of the goal follow (unsat)?  Sat is said of the whole context. */
static SolverAnswer ask(Discharge *discharge, const Obligation *obligation, Expr part) {
    SolverAnswer answer = SOLVER_UNKNOWN;
    for (int try = 0; try < SOLVER_TRIES && answer != SOLVER_UNSAT && answer != SOLVER_GONE;
         try++) {
        if (answer == SOLVER_SAT && try == QUICK_TRIES)
            break;
        Arena *scratch = arena_create(&discharge->pool->context->memory);
        const char *script;
        answer = discharge_try(discharge, scratch, obligation, part, try, &script);
        arena_destroy(scratch);
    }
    return answer;
}

/* ---- one obligation ---- */

static void prove(Obligation *obligation, Means means) {
    obligation->finding = FINDING_PROVED;
    obligation->means = means;
}

typedef struct Premises {
    Discharge *discharge;
    const Obligation *obligation;
} Premises;

/* The simplifier knows the obligation's context. */
static bool proves_in_context(const void *data, Expr condition) {
    const Premises *premises = data;
    return simplify_prove(premises->discharge->simplifier, condition) == PROOF_HOLDS ||
           decides(premises->discharge, premises->obligation, condition, DECIDE_IN_PASS);
}

/* By the rules alone (`*means` stays), or by the decision tier. */
static bool is_proved(Discharge *discharge, const Obligation *obligation, Expr part, Means *means) {
    if (simplify_prove(discharge->simplifier, part) == PROOF_HOLDS)
        return true;
    *means = MEANS_DECISION;
    return decides(discharge, obligation, part, DECIDE_IN_PASS) ||
           (!discharge->options->is_brief && decides(discharge, obligation, part, DECIDE_ALONE));
}

/* The parts that neither rules nor the decision tier prove. */
static Exprs open_parts(Discharge *discharge, Obligation *obligation) {
    Exprs parts = {0}, open = {0};
    Means means = MEANS_RULES;
    const Premises premises = {discharge, obligation};
    learn_context(discharge, obligation->context);
    FactMark mark = simplifier_mark(discharge->simplifier);
    learn_ranges(discharge, obligation->goal);
    discharge_parts(discharge->arena, obligation->goal, &parts);
    for (size_t i = 0; i < parts.length; i++) {
        Expr part = parts.data[i];
        if (is_proved(discharge, obligation, part, &means))
            continue;
        Expr divided = divide_out(discharge, part, proves_in_context, &premises);
        if (divided == part || !is_proved(discharge, obligation, divided, &means))
            vec_push(discharge->arena, &open, divided);
    }
    simplifier_release(discharge->simplifier, mark);
    if (!open.length)
        prove(obligation, means);
    return open;
}

/* What was tried on the part that stays open, and how far that went. */
static const char *open_reason(Discharge *discharge, Expr part, SolverAnswer answer) {
    Arena *arena = discharge->arena;
    const char *tier =
        part->tree_size > LARGEST_DECISION
            ? arena_format(arena, "is too large for the decision tier (%u nodes of %d)",
                           (unsigned)part->tree_size, LARGEST_DECISION)
            : "is proved by neither the rules nor the decision tier";
    uint32_t units = discharge->options->units ? discharge->options->units : DEFAULT_UNITS;
    const char *solver =
        answer == SOLVER_SAT ? "Z3 finds values, which do not fail when they are evaluated"
        : answer == SOLVER_GONE
            ? "Z3 was not there to be asked"
            : arena_format(arena, "Z3 has no answer within %u units, with few facts or all", units);
    const char *text = part->tree_size > LONGEST_SHOWN ? "its goal" : expr_formula(arena, part);
    return arena_format(arena, "%s %s; %s", text, tier, solver);
}

static void discharge_one(Discharge *discharge, Obligation *obligation) {
    Exprs open = open_parts(discharge, obligation);
    SolverAnswer answer = SOLVER_UNSAT;
    size_t asked = 0;
    for (; asked < open.length && answer == SOLVER_UNSAT; asked++)
        answer = ask(discharge, obligation, open.data[asked]);
    if (answer != SOLVER_UNSAT)
        obligation->reason = open_reason(discharge, open.data[asked - 1], answer);
    if (answer == SOLVER_SAT)
        refute(discharge, obligation);
    else if (answer == SOLVER_GONE)
        discharge->certification->solver_missing |= discharge->options->solver != NULL;
    else if (answer == SOLVER_UNSAT && open.length)
        prove(obligation, MEANS_SOLVER);
    if (obligation->finding == FINDING_OPEN && answer != SOLVER_GONE)
        check_find(discharge, obligation);
}

/* The same goal in the same context has been asked before. */
static bool is_repeated(Discharge *discharge, Obligation *obligation) {
    Obligation *before = map_get(&discharge->by_goal, obligation->goal);
    if (before && before->context == obligation->context) {
        obligation->finding = before->finding;
        obligation->means = before->means;
        obligation->check = before->check;
        obligation->reason = before->reason;
        obligation->counterexample.data = before->counterexample.data;
        obligation->counterexample.length = before->counterexample.length;
        return before->finding != FINDING_OPEN && before->is_exact == obligation->is_exact;
    }
    map_put(&discharge->by_goal, obligation->goal, obligation);
    return false;
}

void discharge_all(Discharge *discharge) {
    Certification *certification = discharge->certification;
    discharge->variables = map_create(discharge->arena);
    discharge->by_goal = map_create(discharge->arena);
    for (size_t i = 0; i < certification->obligations.length; i++) {
        Obligation *obligation = certification->obligations.data[i];
        if (!obligation->goal || is_repeated(discharge, obligation))
            continue;
        discharge_one(discharge, obligation);
    }
}

/* By what proves obligations, whose goal is then `false`. */
static bool is_impossible(Discharge *discharge, const Fact *context) {
    if (refute_impossible(discharge, context))
        return false;
    Obligation nothing = {.context = context, .goal = expr_bool(discharge->pool, false)};
    return !open_parts(discharge, &nothing).length ||
           ask(discharge, &nothing, nothing.goal) == SOLVER_UNSAT;
}

bool discharge_refutes(Discharge *discharge, const Contexts *contexts) {
    for (size_t i = 0; i < contexts->length; i++)
        if (!is_impossible(discharge, contexts->data[i]))
            return false;
    return contexts->length;
}

void discharge_end(Discharge *discharge) {
    if (discharge->solver)
        solver_stop(discharge->solver);
}
