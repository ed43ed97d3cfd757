/* goals.c -- finds the goals that are true, and those of them that the rules leave open. */
#include "decide/decide.h"
#include "ir/read.h"
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

Simplifier *synthesis_simplifier(Synthesis *s, Arena *arena, const RuleSet *variants) {
    Simplifier *simplifier = simplifier_create(s->pool, arena);
    simplifier_set_options(simplifier, (SimplifierOptions){.without_rule = s->without_rule,
                                                           .more_rules = variants->rules.data,
                                                           .more_count = variants->rules.length});
    return simplifier;
}

static void leave_out(const Synthesis *s, const char *line, const char *reason) {
    if (s->progress)
        fprintf(s->progress, "left out, %s: %s\n", reason, line);
}

static void read_goal(Synthesis *s, const char *line) {
    Expr condition = expr_read(s->pool, line, strlen(line), NULL, NULL, NOWHERE);
    if (!condition || !type_is_bool(condition->type)) {
        leave_out(s, line, "not a condition");
        return;
    }
    Goal goal = {.text = arena_text(s->arena, line, strlen(line)), .condition = condition};
    Expr simple = simplify(s->simplifier, condition);
    if (!expr_is_true(simple)) {
        Arena *scratch = arena_create(&s->context->memory);
        DecideVerdict verdict = decide(s->pool, scratch, condition, NULL, DECIDE_ALONE).verdict;
        arena_destroy(scratch);
        if (verdict != VERDICT_VALID) {
            leave_out(s, line, "not shown to be true");
            return;
        }
        goal.stuck = simple;
    }
    vec_push(s->arena, &s->goals, goal);
}

size_t goals_read(Synthesis *s, FILE *in) {
    char *line = NULL;
    size_t size = 0, open = 0;
    while (getline(&line, &size, in) >= 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#')
            read_goal(s, line);
    }
    free(line);
    for (size_t i = 0; i < s->goals.length; i++)
        open += s->goals.data[i].stuck != NULL;
    return open;
}

size_t goals_settled(Synthesis *s, Simplifier *simplifier, bool *settled) {
    size_t count = 0;
    for (size_t i = 0; i < s->goals.length; i++) {
        bool is_true = expr_is_true(simplify(simplifier, s->goals.data[i].condition));
        count += is_true;
        if (settled)
            settled[i] = is_true;
    }
    return count;
}
