/* discharge.c -- discharges each obligation by the cheapest prover.  The rewrite rules see the
 * whole context.  The decision tier sees the facts that seem to matter.  Z3 sees first those, then
 * all.
 *
 * A goal is split into its conjuncts, and each is proved apart.  Conjuncts that rules and the
 * decision tier leave open go to Z3 in two rounds.  In the first, all get a small part of the
 * limit.  In the second, the rest share the budget.  What is still open gets a check for run time
 * (check.c) or a counterexample (refute.c).  An obligation with the same goal in the same context
 * as an earlier one takes its finding.
 *
 * Z3's answer counts only as `unsat` of the negated claim.  A timeout, an unknown or an error
 * leaves the obligation open.
 */
#include "checkers/certify/internal.h"

#include "decide/decide.h"
#include "ir/print.h"

enum { LARGEST_DECISION = 300, LONGEST_SHOWN = 60 };
enum { QUICK_PART = 8 }; /* the first try gets this part of Z3's limit */

/* ---- rules ---- */

static void learn_ranges(Discharge *discharge, Expr expr) {
    const Exprs *variables = discharge_variables(discharge, expr);
    for (size_t i = 0; i < variables->length; i++) {
        Expr range = map_get(&discharge->certification->ranges, variables->data[i]->name);
        if (range)
            simplifier_learn(discharge->simplifier, range);
    }
}

/* Makes the simplifier know exactly the context. */
static void learn_context(Discharge *discharge, const ContextFact *context) {
    Contexts facts = facts_in_order(discharge->arena, context);
    size_t common = 0;
    while (common < facts.length && common < discharge->learned.length &&
           discharge->learned.data[common] == facts.data[common])
        common++;
    if (common < discharge->learned.length) {
        simplifier_release(discharge->simplifier, discharge->marks.data[common]);
        discharge->learned.length = discharge->marks.length = common;
    }
    for (; common < facts.length; common++) {
        vec_push(discharge->arena, &discharge->marks, simplifier_mark(discharge->simplifier));
        vec_push(discharge->arena, &discharge->learned, facts.data[common]);
        learn_ranges(discharge, facts.data[common]->condition);
        simplifier_learn(discharge->simplifier, facts.data[common]->condition);
    }
}

/* ---- the decision tier ---- */

static Validity decides(Discharge *discharge, const Obligation *obligation, Expr goal,
                        DecideBudget budget, uint64_t *work) {
    if (goal->tree_size > LARGEST_DECISION)
        return VALIDITY_UNKNOWN;
    Arena *scratch = arena_create(&discharge->pool->context->memory);
    Exprs facts = {0};
    discharge_facts(discharge, scratch, obligation, FACTS_PATH, &facts);
    Validity validity = decide_validity(discharge->pool, goal, &facts, budget, work);
    arena_destroy(scratch);
    return validity;
}

static Validity decides_in_pass(Discharge *discharge, const Obligation *obligation, Expr goal) {
    DecideBudget budget = DECIDE_IN_PASS;
    uint64_t work = 0;
    budget.work = discharge->work.limit / 10;
    return decides(discharge, obligation, goal, budget, &work);
}

/* Last resort: retries with a large budget. */
static bool decides_alone(Discharge *discharge, const Obligation *obligation, Expr goal) {
    DecideBudget budget = DECIDE_ALONE;
    uint64_t work = 0;
    budget.work = budget_share(&discharge->work);
    if (discharge->options->is_brief || !budget.work)
        return false;
    Validity validity = decides(discharge, obligation, goal, budget, &work);
    budget_charge(&discharge->work, work);
    return validity == VALIDITY_HOLDS;
}

/* ---- the solver ---- */

/* A part of a goal that neither rules nor the decision tier prove.  `fails`: the tier has a point
 * where the facts of the path hold and the part does not. */
typedef struct OpenPart {
    const Obligation *obligation; /* its context has the parts that are proved, too */
    Expr goal;
    bool fails;
} OpenPart;
typedef Vec(OpenPart) OpenParts;

/* Does the part of the goal follow (unsat)?  Sat means: for the whole context. */
static SmtAnswer ask(Discharge *discharge, OpenPart part) {
    SmtAnswer answer = SMT_UNKNOWN;
    for (int try = 0; try < SMT_TRIES && answer != SMT_UNSAT && answer != SMT_GONE; try++) {
        if (answer == SMT_SAT && try == QUICK_TRIES)
            break;
        if (part.fails && try % QUICK_TRIES < FACTS_ALL)
            continue;
        Arena *scratch = arena_create(&discharge->pool->context->memory);
        const char *script;
        answer = discharge_try(discharge, scratch, part.obligation, part.goal, try, &script);
        arena_destroy(scratch);
    }
    return answer;
}

/* ---- one obligation ---- */

static void prove(Obligation *obligation, Means means) {
    obligation->finding = FINDING_PROVED;
    obligation->means = means;
    obligation->reason = NULL;
}

typedef struct Premises {
    Discharge *discharge;
    const Obligation *obligation;
} Premises;

/* The simplifier already knows the obligation's context. */
static bool proves_in_context(const void *data, Expr condition) {
    const Premises *premises = data;
    return simplify_prove(premises->discharge->simplifier, condition) == PROOF_HOLDS ||
           decides_in_pass(premises->discharge, premises->obligation, condition) == VALIDITY_HOLDS;
}

/* Proves by the rules alone (`*means` stays), or by the decision tier. */
static Validity is_proved(Discharge *discharge, const Obligation *obligation, Expr part,
                          Means *means) {
    if (simplify_prove(discharge->simplifier, part) == PROOF_HOLDS)
        return VALIDITY_HOLDS;
    *means = MEANS_DECISION;
    return decides_in_pass(discharge, obligation, part);
}

/* Proves the part as it stands, or after dividing it out, which is then `*divided`. */
static Validity find_validity(Discharge *discharge, const Obligation *obligation, Expr part,
                              Expr *divided, Means *means) {
    const Premises premises = {discharge, obligation};
    Validity validity = is_proved(discharge, obligation, part, means);
    *divided = part;
    if (validity == VALIDITY_HOLDS)
        return validity;
    *divided = divide_out(discharge, part, obligation->context, proves_in_context, &premises);
    return *divided == part ? validity : is_proved(discharge, obligation, *divided, means);
}

/* Returns the negation, as comparisons. */
static Expr negation(Pool *pool, Expr condition) {
    Expr a = condition->arity ? condition->arguments[0] : NULL,
         b = condition->arity > 1 ? condition->arguments[1] : NULL;
    switch ((int)condition->op) {
    case OP_AND:
        return expr_or(pool, negation(pool, a), negation(pool, b));
    case OP_OR:
        return expr_and(pool, negation(pool, a), negation(pool, b));
    case OP_LT:
        return expr_le(pool, b, a);
    case OP_LE:
        return expr_lt(pool, b, a);
    default:
        return expr_not(pool, condition);
    }
}

Obligation *obligation_with(Arena *arena, const Obligation *obligation, Expr fact) {
    ContextFact *added = arena_new(arena, ContextFact);
    *added = (ContextFact){.before = obligation->context,
                           .condition = fact,
                           .kind = FACT_PATH,
                           .depth = obligation->context ? obligation->context->depth + 1 : 1};
    Obligation *with = arena_new(arena, Obligation);
    *with = *obligation;
    with->context = added;
    return with;
}

/* Does all of `goal` hold if `other` does not? */
static bool holds_without(Discharge *discharge, const Obligation *obligation, Expr goal, Expr other,
                          Means *means) {
    Exprs parts = {0};
    Expr without = negation(discharge->pool, other);
    const Obligation *inside = obligation_with(discharge->arena, obligation, without);
    bool holds = true;
    FactMark mark = simplifier_mark(discharge->simplifier);
    simplifier_learn(discharge->simplifier, without);
    goal_parts(discharge->arena, goal, &parts);
    for (size_t i = 0; i < parts.length && holds; i++) {
        Expr divided;
        holds = find_validity(discharge, inside, parts.data[i], &divided, means) == VALIDITY_HOLDS;
    }
    simplifier_release(discharge->simplifier, mark);
    return holds;
}

/* Proves `a || b`.  Tries a alone, which may be easy when b makes both too large.  Then tries each
 * one under the negation of the other. */
static bool is_either(Discharge *discharge, const Obligation *obligation, Expr part, Means *means) {
    if (part->op != OP_OR)
        return false;
    Expr a = part->arguments[0], b = part->arguments[1];
    return is_proved(discharge, obligation, a, means) == VALIDITY_HOLDS ||
           holds_without(discharge, obligation, a, b, means) ||
           holds_without(discharge, obligation, b, a, means);
}

/* Proves the part; if not, appends it to `open`. */
static bool prove_part(Discharge *discharge, const Obligation *obligation, Expr part,
                       OpenParts *open, Means *means) {
    Expr divided;
    Validity validity = find_validity(discharge, obligation, part, &divided, means);
    if (validity == VALIDITY_HOLDS || is_either(discharge, obligation, part, means))
        return true;
    vec_push(discharge->arena, open, ((OpenPart){obligation, divided, validity == VALIDITY_FAILS}));
    return false;
}

/* Returns the parts that neither rules nor the decision tier prove.  A part that is proved helps to
 * prove the others: that a guard lets a point through says where the point lies. */
static OpenParts open_parts(Discharge *discharge, const Obligation *obligation, Means *means) {
    Exprs parts = {0}, left = {0};
    OpenParts open = {0}, still_open = {0};
    const Obligation *with = obligation;
    learn_context(discharge, obligation->context);
    FactMark mark = simplifier_mark(discharge->simplifier);
    learn_ranges(discharge, obligation->goal);
    goal_parts(discharge->arena, obligation->goal, &parts);
    for (size_t i = 0; i < parts.length; i++)
        if (prove_part(discharge, obligation, parts.data[i], &open, means))
            with = obligation_with(discharge->arena, with, parts.data[i]);
        else
            vec_push(discharge->arena, &left, parts.data[i]);
    if (left.length && with != obligation) {
        for (const ContextFact *fact = with->context; fact != obligation->context;
             fact = fact->before)
            simplifier_learn(discharge->simplifier, fact->condition);
        for (size_t i = 0; i < left.length; i++)
            prove_part(discharge, with, left.data[i], &still_open, means);
        open = still_open;
    }
    simplifier_release(discharge->simplifier, mark);
    return open;
}

/* Proves the goal one let at a time, if it can be said so. */
static bool holds_in_steps(Discharge *discharge, Obligation *obligation, Means *means) {
    if (!obligation->steps)
        return false;
    Obligation *in_steps = arena_new(discharge->arena, Obligation);
    *in_steps = *obligation;
    in_steps->goal = obligation->steps;
    *means = MEANS_RULES;
    obligation->is_in_steps = !open_parts(discharge, in_steps, means).length;
    return obligation->is_in_steps;
}

/* Says what was tried on the open part, and how far that went. */
static const char *open_reason(Discharge *discharge, Expr part, SmtAnswer answer) {
    Arena *arena = discharge->arena;
    const char *tier =
        part->tree_size > LARGEST_DECISION
            ? arena_format(arena, "is too large for the decision tier (%u nodes of %d)",
                           (unsigned)part->tree_size, LARGEST_DECISION)
            : "is proved by neither the rules nor the decision tier";
    const Budget *units = &discharge->units;
    const char *solver =
        answer == SMT_SAT    ? "Z3 finds values, which do not fail when they are evaluated"
        : answer == SMT_GONE ? "Z3 was not there to be asked"
        : budget_share(units)
            ? arena_format(arena, "Z3 has no answer within %u units, with few facts or all",
                           (unsigned)budget_share(units))
            : "what Z3 may spend on one certificate is spent";
    const char *text = part->tree_size > LONGEST_SHOWN ? "its goal" : expr_formula(arena, part);
    return arena_format(arena, "%s %s; %s", text, tier, solver);
}

/* An obligation that neither rules nor the decision tier prove. */
typedef struct Left {
    Obligation *obligation;
    const Obligation *before; /* not null: the same goal in the same context, asked before */
    OpenParts parts;
    size_t proved; /* the number of parts that are proved, the first ones */
    Means means;   /* of the last of these parts */
    Expr check;    /* a condition from which the goal follows; may be null */
    SmtAnswer answer;
} Left;
typedef Vec(Left) Lefts;

/* Returns an earlier obligation with the same goal in the same context; or null. */
static const Obligation *find_before(Discharge *discharge, Obligation *obligation) {
    const Obligation *before = map_get(&discharge->by_goal, obligation->goal);
    if (before && before->context == obligation->context &&
        before->is_exact == obligation->is_exact)
        return before;
    map_put(&discharge->by_goal, obligation->goal, obligation);
    return NULL;
}

/* Tries the rules and the decision tier.  Appends what they leave open to `lefts`. */
static void begin(Discharge *discharge, Obligation *obligation, Lefts *lefts) {
    Left left = {.obligation = obligation, .before = find_before(discharge, obligation)};
    if (!left.before) {
        Means means = MEANS_RULES;
        left.parts = open_parts(discharge, obligation, &means);
        if (!left.parts.length || holds_in_steps(discharge, obligation, &means)) {
            prove(obligation, means);
            return;
        }
        left.check = check_find(discharge, obligation);
        if (left.check && expr_is_true(left.check)) {
            prove(obligation, MEANS_RULES);
            return;
        }
    }
    vec_push(discharge->arena, lefts, left);
}

/* Asks Z3, part by part, until one is not proved.  With `is_last`, if Z3 does not know, the
 * decision tier is asked once more. */
static void ask_parts(Discharge *discharge, Left *left, bool is_last) {
    left->answer = SMT_UNSAT;
    for (; left->proved < left->parts.length; left->proved++) {
        OpenPart part = left->parts.data[left->proved];
        left->answer = ask(discharge, part);
        if (left->answer == SMT_UNSAT)
            left->means = MEANS_SOLVER;
        else if (is_last && left->answer != SMT_SAT && !part.fails &&
                 decides_alone(discharge, part.obligation, part.goal))
            left->means = left->means == MEANS_SOLVER ? MEANS_SOLVER : MEANS_DECISION;
        else
            return;
    }
    prove(left->obligation, left->means);
}

static void repeat(Obligation *obligation, const Obligation *before) {
    obligation->finding = before->finding;
    obligation->means = before->means;
    obligation->check = before->check;
    obligation->reason = before->reason;
    obligation->counterexample.data = before->counterexample.data;
    obligation->counterexample.length = before->counterexample.length;
}

static void end(Discharge *discharge, Left *left) {
    Obligation *obligation = left->obligation;
    if (left->before) {
        repeat(obligation, left->before);
        return;
    }
    if (left->answer == SMT_UNKNOWN || left->answer == SMT_GONE)
        ask_parts(discharge, left, true);
    if (obligation->finding != FINDING_OPEN)
        return;
    Expr part = left->parts.data[left->proved].goal;
    if (!obligation->reason)
        obligation->reason = open_reason(discharge, part, left->answer);
    if (left->answer == SMT_SAT)
        refute(discharge, obligation);
    discharge->certification->solver_missing |=
        left->answer == SMT_GONE && discharge->options->solver != NULL;
    if (obligation->finding == FINDING_OPEN && left->check && left->answer != SMT_GONE) {
        obligation->finding = discharge->takes_checks ? FINDING_CHECK : FINDING_OPEN;
        obligation->check = left->check;
    }
}

/* Z3 proves most goals with a small part of its limit.  So all goals first get that part; the rest
 * share the budget. */
void discharge_all(Discharge *discharge) {
    Certification *certification = discharge->certification;
    uint64_t limit = discharge->units.limit;
    Lefts lefts = {0};
    for (size_t i = 0; i < certification->obligations.length; i++)
        if (certification->obligations.data[i]->goal)
            begin(discharge, certification->obligations.data[i], &lefts);
    discharge->units = budget_of(limit / QUICK_PART);
    for (size_t i = 0; i < lefts.length; i++)
        if (!lefts.data[i].before)
            ask_parts(discharge, &lefts.data[i], false);
    discharge->units = budget_of(limit);
    for (size_t i = 0; i < lefts.length; i++)
        end(discharge, &lefts.data[i]);
}

/* Proves that the context holds nowhere: an obligation whose goal is `false`. */
static bool is_impossible(Discharge *discharge, const ContextFact *context) {
    if (refute_impossible(discharge, context))
        return false;
    Obligation nothing = {.context = context, .goal = expr_bool(discharge->pool, false)};
    Means means = MEANS_RULES;
    return !open_parts(discharge, &nothing, &means).length ||
           ask(discharge, (OpenPart){&nothing, nothing.goal, false}) == SMT_UNSAT;
}

bool discharge_refutes(Discharge *discharge, const Contexts *contexts) {
    for (size_t i = 0; i < contexts->length; i++)
        if (!is_impossible(discharge, contexts->data[i]))
            return false;
    return contexts->length;
}
