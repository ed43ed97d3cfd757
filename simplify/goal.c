/* goal.c -- what a simplifier is asked to prove, written down: one line a question,
 *
 *     k:i32 c:bool <TAB> !(0 <= index(k) && ...) || ... <= ...
 *
 * the types of the names that are not of sort index, and the condition as what is known of its
 * unknowns implies it.  bench/goals.c reads these lines.
 */
#include "ir/print.h"
#include "simplify/internal.h"

#define MOST_FACTS 16

static Expr under_facts(Simplifier *s, Arena *arena, Expr condition) {
    Exprs facts = {0};
    Expr known = NULL;
    simplifier_facts(s, arena, condition, MOST_FACTS, &facts, NULL);
    for (size_t i = 0; i < facts.length; i++)
        known = known ? expr_and(s->pool, known, facts.data[i]) : facts.data[i];
    return known ? expr_or(s->pool, expr_not(s->pool, known), condition) : condition;
}

void goal_write(Simplifier *s, Expr condition) {
    FILE *out = s->pool->context->goals;
    if (!out)
        return;
    Arena *scratch = arena_create(&s->pool->context->memory);
    Exprs variables = {0};
    Expr goal = under_facts(s, scratch, condition);
    expr_variables(scratch, goal, &variables);
    for (size_t i = 0; i < variables.length; i++)
        if (!type_is_index(variables.data[i]->type))
            fprintf(out, "%s:%s ", variables.data[i]->name->text,
                    type_name(variables.data[i]->type));
    fputc('\t', out);
    expr_print(out, goal);
    fputc('\n', out);
    arena_destroy(scratch);
}
