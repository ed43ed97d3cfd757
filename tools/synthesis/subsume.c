/* subsume.c -- finds rules that others subsume, and selects the rules worth keeping. */
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

bool is_subsumed(const Synthesis *s, const Rule *rule) {
    for (size_t i = 0; i < rule_table_count; i++)
        if ((!s->without_rule || strcmp(s->without_rule, rule_table[i].name)) &&
            rule_generalises(&rule_table[i], rule))
            return true;
    for (size_t i = 0; i < s->variants.rules.length; i++)
        if (rule_generalises(&s->variants.rules.data[i], rule))
            return true;
    return false;
}

/* Joins two sets of rules, for another simplifier. */
static RuleSet joined(const RuleSet *a, const RuleSet *b, Arena *arena) {
    RuleSet set = {.arena = arena};
    for (size_t i = 0; i < a->rules.length; i++)
        vec_push(arena, &set.rules, a->rules.data[i]);
    for (size_t i = 0; b && i < b->rules.length; i++)
        vec_push(arena, &set.rules, b->rules.data[i]);
    return set;
}

bool is_useful(Synthesis *s, const RuleSet *variants) {
    Arena *scratch = arena_create(&s->context->memory);
    RuleSet all = joined(&s->variants, variants, scratch);
    Simplifier *simplifier = synthesis_simplifier(s, scratch, &all);
    bool smaller = false, fit = true;
    for (size_t i = 0; i < s->goals.length && fit; i++) {
        const Goal *goal = &s->goals.data[i];
        if (!goal->stuck)
            continue;
        Expr before = simplify(s->simplifier, goal->condition);
        Expr after = simplify(simplifier, goal->condition);
        smaller |= after->tree_size < before->tree_size;
        fit = after->tree_size <= before->tree_size && simplify(simplifier, after) == after;
    }
    arena_destroy(scratch);
    return smaller && fit;
}

/* Creates the simplifier with all rules found; the memo is invalid for another set of rules. */
static void renew_simplifier(Synthesis *s) {
    arena_destroy(s->simplifier_arena);
    s->simplifier_arena = arena_create(&s->context->memory);
    s->simplifier = synthesis_simplifier(s, s->simplifier_arena, &s->variants);
}

void found_add(Synthesis *s, const char *text) {
    RuleSet set;
    const char *name = arena_format(s->arena, "found_%zu", s->found.length + 1);
    if (!rule_from_text(s->arena, name, text, &set))
        return;
    FoundRule found = {.rule = set.rules.data[0], .text = arena_text(s->arena, text, strlen(text))};
    found.size = found.rule.left_length + found.rule.right_length + found.rule.guard_length;
    vec_push(s->arena, &s->found, found);
    s->variants = joined(&s->variants, &set, s->arena);
    renew_simplifier(s);
}

/* Returns the variants of all rules found, without the `left_out`th and the dropped ones. */
static RuleSet variants_without(Synthesis *s, Arena *arena, const bool *dropped, size_t left_out) {
    RuleSet set = {.arena = arena};
    for (size_t i = 0; i < s->variants.rules.length; i++) {
        const Rule *rule = &s->variants.rules.data[i];
        size_t number = (size_t)atoi(rule->name + strlen("found_")) - 1;
        if (!dropped[number] && number != left_out)
            vec_push(arena, &set.rules, *rule);
    }
    return set;
}

/* Counts the goals settled without the rule, and puts those that need it into its `goals`. */
static size_t settled_without(Synthesis *s, const bool *dropped, size_t left_out,
                              const bool *settled) {
    Arena *scratch = arena_create(&s->context->memory);
    RuleSet set = variants_without(s, scratch, dropped, left_out);
    bool *without = arena_array(scratch, bool, s->goals.length);
    size_t count = goals_settled(s, synthesis_simplifier(s, scratch, &set), without);
    if (left_out < s->found.length)
        s->found.data[left_out].goals.length = 0;
    for (size_t i = 0; i < s->goals.length && left_out < s->found.length; i++)
        if (settled && settled[i] && !without[i])
            vec_push(s->arena, &s->found.data[left_out].goals, (int)i);
    arena_destroy(scratch);
    return count;
}

static int bulkiest_first(const void *a, const void *b) {
    const FoundRule *x = *(FoundRule *const *)a, *y = *(FoundRule *const *)b;
    if (x->size != y->size)
        return y->size - x->size;
    return strcmp(x->text, y->text);
}

void found_select(Synthesis *s) {
    size_t count = s->found.length;
    bool *dropped = arena_array(s->arena, bool, count + 1);
    bool *settled = arena_array(s->arena, bool, s->goals.length + 1);
    FoundRule **order = arena_array(s->arena, FoundRule *, count + 1);
    for (size_t i = 0; i < count; i++)
        order[i] = &s->found.data[i];
    qsort(order, count, sizeof *order, bulkiest_first);
    size_t all = settled_without(s, dropped, count, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)(order[i] - s->found.data);
        if (settled_without(s, dropped, number, NULL) >= all)
            dropped[number] = true;
    }
    goals_settled(s, s->simplifier, settled);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!dropped[i])
            settled_without(s, dropped, i, settled);
    for (size_t i = 0; i < count; i++)
        if (!dropped[i])
            s->found.data[kept++] = s->found.data[i];
    s->found.length = kept;
}
