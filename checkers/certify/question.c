/* question.c -- one question to the decision tier or to Z3.
 *
 * It has a goal and some of the facts of its context.  Few facts give quick answers; all facts give
 * more answers.  So a question is repeated with more and more facts.  Each try costs a part of a
 * budget.
 */
#include "checkers/certify/internal.h"

enum { SMALL_FACT = 16, DEFAULT_UNITS = 200000 };
enum { MOST_WORK = 20000000 }; /* of the decision tier, for its second try */

Discharge discharge_create(Certification *certification, const CertifyOptions *options,
                           Arena *arena) {
    return (Discharge){.certification = certification,
                       .options = options,
                       .arena = arena,
                       .pool = certification->program->pool,
                       .variables = map_create(arena),
                       .by_goal = map_create(arena),
                       .units = budget_of(options->units ? options->units : DEFAULT_UNITS),
                       .work = budget_of(MOST_WORK)};
}

/* ---- which facts ---- */

const Exprs *discharge_variables(Discharge *discharge, Expr expr) {
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

/* Adds the variable, and the fact that it lies in its type's range. */
static void select_variables(Selection *selection, Expr expr) {
    const Exprs *variables = discharge_variables(selection->discharge, expr);
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
    const Exprs *variables = discharge_variables(selection->discharge, expr);
    for (size_t i = 0; i < variables->length; i++)
        if (!map_get(&selection->known, variables->data[i]))
            return false;
    return true;
}

static bool is_selected(const ContextFact *fact, FactReach reach) {
    return reach == FACTS_ALL ||
           (fact->kind == FACT_PATH &&
            (reach == FACTS_PATH || fact->condition->tree_size <= SMALL_FACT));
}

void discharge_facts(Discharge *discharge, Arena *arena, const Obligation *obligation,
                     FactReach reach, Exprs *facts) {
    Selection selection = {discharge, arena, map_create(arena), facts};
    select_variables(&selection, obligation->goal);
    for (const ContextFact *fact = obligation->context; fact; fact = fact->before)
        if (is_selected(fact, reach)) {
            select_variables(&selection, fact->condition);
            vec_push(arena, facts, fact->condition);
        }
    for (const ContextFact *fact = obligation->context; fact && reach != FACTS_ALL;
         fact = fact->before)
        if (fact->kind == FACT_ENTRY && is_known(&selection, fact->condition) &&
            (reach == FACTS_PATH || fact->condition->tree_size <= SMALL_FACT))
            vec_push(arena, facts, fact->condition);
}

/* ---- Z3 ---- */

SmtProcess *discharge_solver(Discharge *discharge) {
    if (!discharge->solver_tried && discharge->options->solver)
        discharge->solver =
            smt_start(discharge->arena, discharge->options->solver, discharge->options->running);
    discharge->solver_tried = true;
    return discharge->solver;
}

SmtAnswer discharge_answer(Discharge *discharge, Arena *arena) {
    int64_t before = discharge->units_spent;
    SmtAnswer answer = smt_answer(discharge->solver, arena);
    if (answer == SMT_GONE)
        return answer;
    discharge->units_spent = smt_units(discharge->solver, arena);
    if (discharge->units_spent > before)
        budget_charge(&discharge->units, (uint64_t)(discharge->units_spent - before));
    return answer;
}

SmtAnswer discharge_try(Discharge *discharge, Arena *arena, const Obligation *obligation,
                        Expr claim, int try, const char **script) {
    SmtProcess *solver = discharge_solver(discharge);
    Exprs facts = {0};
    if (!solver)
        return SMT_GONE;
    bool fresh = try >= QUICK_TRIES;
    discharge_facts(discharge, arena, obligation, (FactReach)(try % QUICK_TRIES), &facts);
    uint64_t units = budget_share(&discharge->units);
    if (!units)
        return SMT_UNKNOWN;
    /* Hard terms are slow within (push). */
    Generalization *general = fresh ? NULL : generalization_create(discharge->pool, arena);
    for (size_t i = 0; general && i < facts.length; i++)
        facts.data[i] = generalize(general, facts.data[i]);
    *script =
        smt_validity(arena, facts.data, facts.length, general ? generalize(general, claim) : claim);
    hlc_assert(*script, "what is lifted has a term");
    const char *terms = general ? generalization_text(general) : "";
    *script = arena_format(arena, "%s%s", terms, *script);
    smt_begin(solver, fresh, units);
    smt_send(solver, *script);
    SmtAnswer answer = discharge_answer(discharge, arena);
    return answer == SMT_SAT && *terms ? SMT_UNKNOWN : answer;
}

void discharge_end(Discharge *discharge) {
    if (discharge->solver)
        smt_stop(discharge->solver);
}

/* ---- budgets ----
 *
 * An answered question costs little.  An unanswered one costs its whole limit, and a program may
 * have many of those.  So each question may spend only a part of what is left.  The first ones have
 * their full limit, later ones less and less, the last ones none.  The unit is the solver's own,
 * never time: the same program gets the same certificate everywhere. */

enum {
    FULL_QUESTIONS = 20, /* in a budget */
    LARGEST_SHARE = 10,  /* a question may spend a tenth of what is left */
    LEAST_SHARE = 50,    /* with less than a fiftieth of the limit no question is asked */
    FREE_SHARE = 4       /* less than a quarter of the limit is not counted */
};

Budget budget_of(uint64_t limit) {
    return (Budget){.limit = limit, .left = FULL_QUESTIONS * limit};
}

uint64_t budget_share(const Budget *budget) {
    uint64_t share = budget->left / LARGEST_SHARE;
    return share < budget->limit / LEAST_SHARE ? 0 : share < budget->limit ? share : budget->limit;
}

void budget_charge(Budget *budget, uint64_t spent) {
    /* Except if the question's share was hardly larger. */
    if (spent < budget->limit / FREE_SHARE && spent < budget_share(budget) / 2)
        return;
    budget->left -= spent < budget->left ? spent : budget->left;
}
