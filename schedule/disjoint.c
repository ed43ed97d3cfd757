/* disjoint.c -- reduction variables whose iterations touch different elements.
 *
 *     rdom(i = (0, 50)) in (2*i + 1) <- f(2*i + 1) + f(2*i)
 *
 * Iterations i and i' with i != i' touch no common element of which one is written: 2*i + 1 is
 * neither 2*i' + 1 nor 2*i'.  So loops over i, and over parts of it, may run in any order and side
 * by side, whatever the operator is.
 *
 * The question goes to the decision tier.  An iteration is a value of each variable of the stage:
 * the second one has a second name for each, other than those in `equal`.  With w the indices of
 * the write and t those of a write or a read of f, for all of both iterations:
 *
 *     i != i', both in the domain, both with the update's condition
 *         =>  w(i, ..) != t(i', ..) in some dimension
 *
 * Pure variables have second names, too, so nothing rests on how they are used.  So has the number of
 * the write, in an update of several: each write of the one iteration is compared with all writes and
 * reads of the other.
 *
 * A dimension whose index reads a func or an image says nothing, and neither does such a part of
 * the condition: what another iteration reads there may be anything, also f's own elements.  So no
 * read is ever taken for the same in two iterations.
 */
#include "schedule/disjoint.h"

#include "decide/decide.h"

/* ---- answers that are known ---- */

typedef struct DisjointAnswer {
    size_t variable;
    uint64_t equal;
    bool is_disjoint;
} DisjointAnswer;

typedef struct DisjointAnswers {
    Vec(DisjointAnswer) list;
} DisjointAnswers;

/* ---- the question ---- */

enum { MOST_VARIABLES = 64 };

typedef struct DisjointQuestion {
    Pool *pool;
    Arena *arena;
    const Func *func;
    const Stage *stage;
    Substitution other; /* variables of one iteration -> those of the other one */
    Exprs facts;
} DisjointQuestion;

static Expr other_of(DisjointQuestion *q, Expr expr) {
    return substitution_apply(q->pool, &q->other, expr);
}

static void name_twice(DisjointQuestion *q, Symbol name) {
    Symbol second = symbol_format(&q->pool->context->symbols, "%s.other", name->text);
    substitution_add(&q->other, name, expr_variable(q->pool, second, INDEX));
}

static void learn(DisjointQuestion *q, Expr fact) {
    vec_push(q->arena, &q->facts, fact);
    Expr other = other_of(q, fact);
    if (other != fact)
        vec_push(q->arena, &q->facts, other);
}

static void learn_domains(DisjointQuestion *q) {
    for (size_t r = 0; r < q->stage->reduction.length; r++) {
        const ReductionVariable *variable = &q->stage->reduction.data[r];
        Expr value = expr_variable(q->pool, variable->variable, INDEX);
        Expr end = expr_add(q->pool, variable->interval.minimum, variable->interval.length);
        learn(q, expr_le(q->pool, variable->interval.minimum, value));
        learn(q, expr_lt(q->pool, value, end));
    }
    if (!q->stage->writes)
        return;
    Expr write = expr_variable(q->pool, q->stage->write, INDEX);
    learn(q, expr_le(q->pool, expr_index(q->pool, 0), write));
    learn(q, expr_lt(q->pool, write, expr_index(q->pool, q->stage->writes)));
}

static bool reads_nothing(const DisjointQuestion *q, Expr expr) {
    return expr_accesses_of(q->arena, expr).length == 0;
}

/* The parts of the condition that read nothing. */
static void learn_condition(DisjointQuestion *q) {
    Exprs open = {0};
    if (q->stage->predicate)
        vec_push(q->arena, &open, q->stage->predicate);
    while (open.length) {
        Expr part = open.data[--open.length];
        if (part->op == OP_AND) {
            vec_push(q->arena, &open, part->arguments[0]);
            vec_push(q->arena, &open, part->arguments[1]);
        } else if (reads_nothing(q, part)) {
            learn(q, part);
        }
    }
}

/* Is what the one iteration writes different from `touched` of the other one? */
static bool is_elsewhere(DisjointQuestion *q, const Expr *touched) {
    Expr differs = expr_bool(q->pool, false);
    for (int k = 0; k < q->func->shape->dimensions; k++) {
        Expr written = q->stage->indices[k];
        if (reads_nothing(q, written) && reads_nothing(q, touched[k]))
            differs =
                expr_or(q->pool, differs,
                        expr_not(q->pool, expr_eq(q->pool, written, other_of(q, touched[k]))));
    }
    return decide_validity(q->pool, differs, &q->facts, DECIDE_ALONE, &(uint64_t){0}) ==
           VALIDITY_HOLDS;
}

/* Under `order`, which tells the iterations apart. */
static bool is_disjoint_if(DisjointQuestion *q, Expr order) {
    size_t known = q->facts.length;
    Exprs accesses = {0};
    stage_accesses(q->arena, q->func, q->stage, &accesses);
    vec_push(q->arena, &q->facts, order);
    bool disjoint = is_elsewhere(q, q->stage->indices);
    for (size_t a = 0; disjoint && a < accesses.length; a++)
        if (accesses.data[a]->name == q->func->shape->name)
            disjoint = is_elsewhere(q, accesses.data[a]->arguments);
    q->facts.length = known;
    return disjoint;
}

/* Most updates write at one point in all iterations: of these the tier is not asked. */
static bool place_mentions(Arena *scratch, const Func *func, const Stage *stage, Symbol name) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (expr_mentions(scratch, stage->indices[k], name))
            return true;
    return false;
}

static bool ask(const Resolver *resolver, Arena *scratch, const Func *func, const Stage *stage,
                size_t variable, uint64_t equal) {
    if (!place_mentions(scratch, func, stage, stage->reduction.data[variable].variable))
        return false;
    DisjointQuestion q = {.pool = resolver->pipeline->pool,
                          .arena = scratch,
                          .func = func,
                          .stage = stage,
                          .other = substitution_create(scratch)};
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (!(equal >> r & 1))
            name_twice(&q, stage->reduction.data[r].variable);
    for (int k = 0; k < func->shape->dimensions; k++)
        name_twice(&q, func->shape->variables[k]);
    if (stage->writes)
        name_twice(&q, stage->write);
    pipeline_startup_facts(resolver->pipeline, scratch, &q.facts);
    learn_domains(&q);
    learn_condition(&q);
    Expr one = expr_variable(q.pool, stage->reduction.data[variable].variable, INDEX),
         other = other_of(&q, one);
    return is_disjoint_if(&q, expr_lt(q.pool, one, other)) &&
           is_disjoint_if(&q, expr_lt(q.pool, other, one));
}

bool iterations_are_disjoint(const Resolver *resolver, const Func *func, int stage, size_t variable,
                             uint64_t equal) {
    const Stage *of = func->stages.data[stage];
    if (of->splits.length || of->reduction.length > MOST_VARIABLES)
        return false; /* what a split variable stands for is no variable of the stage */
    DisjointAnswers *answers = map_get(resolver->disjoint, of);
    if (!answers) {
        answers = arena_new(resolver->arena, DisjointAnswers);
        map_put(resolver->disjoint, of, answers);
    }
    for (size_t i = 0; i < answers->list.length; i++)
        if (answers->list.data[i].variable == variable && answers->list.data[i].equal == equal)
            return answers->list.data[i].is_disjoint;
    Arena *scratch = arena_create(&resolver->context->memory);
    DisjointAnswer answer = {variable, equal, ask(resolver, scratch, func, of, variable, equal)};
    arena_destroy(scratch);
    vec_push(resolver->arena, &answers->list, answer);
    return answer.is_disjoint;
}
