/* contract_gate.c -- compares the conditions that two programs assert.
 *
 * A schedule may read more of an image than the algorithm needs, or need coordinates that leave 32
 * bits, where a loop is rounded up. Such a schedule would refuse what the empty one runs on. So each
 * condition is proved under those of the empty schedule. */
#include "autoschedule/contract_gate.h"

#include "decide/decide.h"
#include "lower/report/contract.h"

static Expr whole_condition(Pool *pool, const ContractClause *clause) {
    return clause->asked
               ? expr_binary(pool, OP_OR, expr_not(pool, clause->asked), clause->condition)
               : clause->condition;
}

static bool is_among(const Contract *contract, const ContractClause *clause) {
    for (size_t i = 0; i < contract->clauses.length; i++)
        if (clause_equals(&contract->clauses.data[i], clause))
            return true;
    return false;
}

/* The facts are those of the whole contract of the empty schedule: a run that breaks one is refused
 * in any case. */
bool contract_is_kept(const Program *empty, const Program *program, Arena *arena,
                      const char **clause) {
    Pool *pool = program->pool;
    Contract before = contract_asserted(empty, arena), after = contract_asserted(program, arena);
    Simplifier *simplifier = simplifier_create(pool, arena);
    *clause = "a condition that depends on loops or memory";
    if (after.open && !before.open)
        return false;
    for (size_t i = 0; i < before.clauses.length; i++)
        simplifier_learn(simplifier, whole_condition(pool, &before.clauses.data[i]));
    for (size_t i = 0; i < after.clauses.length; i++) {
        const ContractClause *asked = &after.clauses.data[i];
        if (is_among(&before, asked))
            continue;
        FactMark mark = simplifier_mark(simplifier);
        if (asked->asked) {
            simplifier_learn(simplifier, asked->asked);
            for (size_t k = 0; k < before.clauses.length; k++)
                if (before.clauses.data[k].asked == asked->asked)
                    simplifier_learn(simplifier, before.clauses.data[k].condition);
        }
        bool holds = decide_proves(simplifier, asked->condition);
        simplifier_release(simplifier, mark);
        if (!holds) {
            *clause = clause_text(arena, asked);
            return false;
        }
    }
    return true;
}
