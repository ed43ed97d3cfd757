/* propose.c -- processes one candidate after the other: right side, weakest guard, proof. If Z3
 * finds a point at which the sides differ, the guard must also exclude it, and so on
 * (counterexample-guided search). */
#include "tools/synthesis/synthesis.h"

#include <stdio.h>
#include <string.h>

#define SAMPLE 1500
#define MORE   64 /* room for points that Z3 finds */

typedef struct CandidateAttempt {
    Synthesis *synthesis;
    Arena *scratch;
    const Candidate *candidate;
    const GoalInstance *instance;
    const Relations *relations;
    PatternPoints sample;
    const Bits *left_values;
    const char *found; /* the rule's text; null until there is one */
    int offers;
} CandidateAttempt;

/* Draws constants that are near each other, or multiples: guards are about these. */
static void draw(SampleRandom *random, const GoalInstance *instance, Bits *slots) {
    int mode = (int)(random_next(random) % 4);
    for (int i = 0; i < SLOTS; i++) {
        if (!instance->slots[i])
            continue;
        slots[i] = i < WILDCARDS ? random_between(random, -12, 12) : random_between(random, -2, 12);
        if (type_is_bool(instance->slots[i]->type))
            slots[i] &= 1;
        if (i < WILDCARDS || mode == 0)
            continue;
        slots[i] = mode == 1 ? instance->slots[i]->bits : random_between(random, 1, 9);
        if (mode == 3 && i > WILDCARDS && instance->slots[i - 1])
            slots[i] = slots[i - 1] * random_between(random, 0, 3) + random_between(random, -1, 1);
    }
    for (int i = 0; i < WILDCARDS && mode == 1; i++)
        if (instance->slots[i] && !type_is_bool(instance->slots[i]->type))
            slots[i] *= random_between(random, 1, 20);
}

static PatternPoints draw_sample(Arena *scratch, const GoalInstance *instance) {
    PatternPoints points = points_create(scratch, SAMPLE + MORE);
    SampleRandom random = {0x9e3779b97f4a7c15u};
    while (points.count < SAMPLE) {
        Bits slots[SLOTS] = {0};
        draw(&random, instance, slots);
        points_add(&points, slots);
    }
    return points;
}

/* Maps our slots to the rule's, which are numbered by first occurrence in its left side. */
static void add_counterexample(CandidateAttempt *a, const Rule *rule, const char *text,
                               const Bits *values) {
    static const char letters[] = "xyzwuv";
    Bits slots[SLOTS] = {0};
    int seen = 0;
    unsigned known = 0;
    for (const char *at = text; *at && seen < rule->slot_count; at++) {
        bool word = at > text && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z'));
        bool more = at[1] >= 'a' && at[1] <= 'z';
        const char *letter = strchr(letters, *at);
        int slot = -1;
        if (!word && *at == 'c' && at[1] >= '0' && at[1] <= '9')
            slot = WILDCARDS + at[1] - '0';
        else if (!word && !more && letter)
            slot = (int)(letter - letters);
        if (slot < 0 || known >> slot & 1)
            continue;
        known |= 1u << slot;
        slots[slot] = values[seen++];
    }
    points_add(&a->sample, slots);
}

static bool contains(Expr expr, Expr part) {
    bool found = expr == part;
    for (int i = 0; i < expr->arity; i++)
        found |= contains(expr->arguments[i], part);
    return found;
}

/* Returns the constants of the right side that multiply terms that the left side does not multiply
 * by them. */
static unsigned new_factors(Expr left, Expr right) {
    unsigned wildcards = (1u << WILDCARDS) - 1, factors = 0;
    for (int i = 0; i < right->arity; i++)
        factors |= new_factors(left, right->arguments[i]);
    if (right->op == OP_MUL && pattern_slots(right) & wildcards && !contains(left, right))
        factors |= pattern_slots(right) & ~wildcards;
    return factors;
}

/* Requires small constants for such products: they are computed in 64 bits, while the rule is about
 * integers. */
static Expr limit_products(Synthesis *s, Expr left, Expr right, Expr guard) {
    unsigned factors = new_factors(left, right);
    for (int i = WILDCARDS; i < SLOTS; i++) {
        if (!(factors >> i & 1))
            continue;
        Expr limit = expr_le(s->pool, pattern_slot(s->pool, i, INDEX), expr_index(s->pool, 65536));
        guard = guard ? expr_and(s->pool, guard, limit) : limit;
    }
    return guard;
}

static bool goes_down(CandidateAttempt *a, Expr right) {
    RuleSet set = {.arena = a->scratch};
    Proposal proposal = {a->candidate->left, right, NULL};
    rule_read(
        &set, "found",
        arena_format(a->scratch, "over integers\nfound %s\n", proposal_text(a->scratch, proposal)));
    return set.rules.length == 1 && !set.errors.length &&
           rule_witness(&set.rules.data[0]) != ORDER_COUNT;
}

#define MOST_OFFERS 8

/* Two sides with one normal form would be rewritten to each other. */
static bool is_normal_form(Synthesis *s, Expr left, Expr right) {
    return simplify(s->simplifier, left) == simplify(s->simplifier, right);
}

/* Is the proposal a rule that passes all checks of the rule compiler, and useful? */
static bool is_admissible(CandidateAttempt *a, Expr right, Expr guard, RuleSet *set,
                          const char **text) {
    *text = proposal_text(a->scratch, (Proposal){a->candidate->left, right, guard});
    return rule_from_text(a->scratch, "found", *text, set) &&
           !is_subsumed(a->synthesis, &set->rules.data[0]) && is_useful(a->synthesis, set);
}

/* Tries one guard; true if the search ends, with `found` set if the rule was proved. */
static bool try_guard(CandidateAttempt *a, Expr right, Expr guard) {
    RuleSet set;
    const char *text;
    Bits model[RULE_SLOTS];
    if (!is_admissible(a, right, guard, &set, &text))
        return true;
    switch (verify_rule(a->synthesis->solver, a->synthesis->arena, &set.rules.data[0], model)) {
    case VERIFIED:
        a->found = proposal_text(a->scratch,
                                 proposal_generalise(a->synthesis, a->scratch,
                                                     (Proposal){a->candidate->left, right, guard}));
        return true;
    case REFUTED:
        add_counterexample(a, &set.rules.data[0], text, model);
        return false;
    case NOT_DECIDED:
        return true;
    }
    return true;
}

static bool offer(void *data, Expr right) {
    CandidateAttempt *a = data;
    Synthesis *s = a->synthesis;
    if (!goes_down(a, right) || ++a->offers > MOST_OFFERS ||
        is_normal_form(s, a->candidate->left, right))
        return false;
    Bits *values = arena_array(a->scratch, Bits, SAMPLE + MORE);
    Bits *wrong = arena_array(a->scratch, Bits, SAMPLE + MORE);
    for (int round = 0; round < s->limits.rounds; round++) {
        Expr guard;
        pattern_values(a->candidate->left, &a->sample, wrong);
        pattern_values(right, &a->sample, values);
        for (size_t i = 0; i < a->sample.count; i++)
            wrong[i] = wrong[i] != values[i];
        if (!guard_find(s, a->scratch, a->relations, a->instance, &a->sample, wrong, &guard))
            return false;
        guard = limit_products(s, a->candidate->left, right, guard);
        if (try_guard(a, right, guard))
            return a->found != NULL;
    }
    return false;
}

/* Returns the rule's text, or "" if none was found. */
static const char *search_candidate(Synthesis *s, Arena *scratch, const Candidate *candidate) {
    for (int i = 0; i < candidate->instance_count; i++) {
        const GoalInstance *instance = &candidate->instances[i];
        Relations relations = relations_find(s, scratch, candidate->left, instance);
        CandidateAttempt attempt = {.synthesis = s,
                                    .scratch = scratch,
                                    .candidate = candidate,
                                    .instance = instance,
                                    .relations = &relations,
                                    .sample = draw_sample(scratch, instance)};
        if (search_right_sides(s, scratch, candidate->left, instance, &relations, offer, &attempt))
            return attempt.found;
    }
    return "";
}

/* A rule of an earlier run may already be in the table. */
static bool is_new(const Synthesis *s, Arena *scratch, const char *text) {
    RuleSet set;
    return rule_from_text(scratch, "found", text, &set) && !is_subsumed(s, &set.rules.data[0]);
}

static void report(const Synthesis *s, size_t at, const char *left, const char *outcome) {
    if (s->progress && *outcome)
        fprintf(s->progress, "%zu of %zu: %s\n", at + 1, s->candidates.length, outcome);
    else if (s->progress && (at + 1) % 1000 == 0)
        fprintf(s->progress, "%zu of %zu: %s\n", at + 1, s->candidates.length, left);
}

void candidates_search(Synthesis *s) {
    for (size_t i = 0; i < s->candidates.length && i < (size_t)s->limits.candidates; i++) {
        Arena *scratch = arena_create(&s->context->memory);
        const char *left = pattern_text(scratch, s->candidates.data[i].left, false);
        const char *outcome = s->journal ? journal_outcome(s->journal, left) : NULL;
        bool known = outcome != NULL;
        if (!known)
            outcome = search_candidate(s, scratch, &s->candidates.data[i]);
        if (*outcome && (!known || is_new(s, scratch, outcome)))
            found_add(s, outcome);
        if (!known && s->journal)
            journal_add(s->journal, left, outcome);
        report(s, i, left, outcome);
        arena_destroy(scratch);
    }
}
