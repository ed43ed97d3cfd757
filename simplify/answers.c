/* answers.c -- remembers the answers to questions, by condition and facts.
 *
 * The answer to a question depends only on the condition and on the stack of facts. Stacks are
 * interned: the number of a stack identifies its last fact and the stack below. The same facts,
 * learned again in the same order, have the same number, even in another simplifier of the pool. So
 * lowering a pipeline again, under a slightly different schedule, asks few new questions.
 *
 * A simplifier that writes a trace, or has other rules than the table's, does not use the memory.
 */
#include "base/hash.h"
#include "simplify/internal.h"

#include <string.h>

typedef struct Stack {
    uint32_t before, number; /* 0: no stack */
    const void *key;
    ConstantInterval interval;
} Stack;

typedef struct ProofAnswer {
    uint32_t stack, condition; /* 1 + the node's number; 0: free */
    uint8_t kind, proof;
} ProofAnswer;

struct Answers {
    Stack *stacks;
    ProofAnswer *answers;
    uint32_t stack_capacity, stack_count, answer_capacity, answer_count;
};

#define FIRST_CAPACITY 64

/* ---- stacks ---- */

static bool same_interval(ConstantInterval a, ConstantInterval b) {
    return a.has_minimum == b.has_minimum && a.has_maximum == b.has_maximum &&
           (!a.has_minimum || a.minimum == b.minimum) && (!a.has_maximum || a.maximum == b.maximum);
}

/* Returns the slot of the stack, or a free slot for it. */
static Stack *stack_slot(const Answers *answers, const Stack *wanted) {
    uint64_t hash = hash_mix(wanted->before, (uint64_t)(uintptr_t)wanted->key);
    for (uint32_t i = (uint32_t)hash;; i++) {
        Stack *slot = &answers->stacks[i & (answers->stack_capacity - 1)];
        if (!slot->number || (slot->before == wanted->before && slot->key == wanted->key &&
                              same_interval(slot->interval, wanted->interval)))
            return slot;
    }
}

/* The table stays intact if memory for a larger one runs out: the pool outlives the call. */
static void grow_stacks(Pool *pool, Answers *answers) {
    const Stack *old = answers->stacks;
    uint32_t count = answers->stack_capacity, capacity = count ? 2 * count : FIRST_CAPACITY;
    answers->stacks = arena_array(pool->arena, Stack, capacity);
    answers->stack_capacity = capacity;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].number)
            *stack_slot(answers, &old[i]) = old[i];
}

static uint32_t stack_number(Pool *pool, uint32_t before, const SimplifierFact *fact) {
    Answers *answers = pool->answers;
    Stack wanted = {before, 0, fact->key, fact->interval};
    if (2 * answers->stack_count >= answers->stack_capacity)
        grow_stacks(pool, answers);
    Stack *slot = stack_slot(answers, &wanted);
    if (!slot->number) {
        wanted.number = ++answers->stack_count;
        *slot = wanted;
    }
    return slot->number;
}

/* Returns the number of the stack of all facts. Each fact remembers the number of the stack up to
 * it. */
static uint32_t stack_of(Simplifier *s) {
    size_t known = s->facts.length;
    while (known > 0 && !s->facts.data[known - 1].stack)
        known--;
    uint32_t stack = known ? s->facts.data[known - 1].stack : 0;
    for (size_t i = known; i < s->facts.length; i++)
        stack = s->facts.data[i].stack = stack_number(s->pool, stack, &s->facts.data[i]);
    return stack;
}

/* ---- answers ---- */

static ProofAnswer *answer_slot(const Answers *answers, ProofAnswer wanted) {
    uint64_t hash = hash_mix(HASH_SEED, (uint64_t)wanted.stack << 35 ^
                                            (uint64_t)wanted.condition << 3 ^ wanted.kind);
    for (uint32_t i = (uint32_t)hash;; i++) {
        ProofAnswer *slot = &answers->answers[i & (answers->answer_capacity - 1)];
        if (!slot->condition || (slot->stack == wanted.stack &&
                                 slot->condition == wanted.condition && slot->kind == wanted.kind))
            return slot;
    }
}

static void grow_answers(Pool *pool, Answers *answers) {
    const ProofAnswer *old = answers->answers;
    uint32_t count = answers->answer_capacity, capacity = count ? 2 * count : FIRST_CAPACITY;
    answers->answers = arena_array(pool->arena, ProofAnswer, capacity);
    answers->answer_capacity = capacity;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].condition)
            *answer_slot(answers, old[i]) = old[i];
}

static bool takes_part(const Simplifier *s) {
    const SimplifierOptions *options = &s->options;
    return !s->is_bare && !options->trace && !options->rule_limit && !options->without_rule &&
           !options->more_rules && !s->pool->context->goals;
}

bool simplifier_recall(Simplifier *s, ProofKind kind, Expr condition, Proof *proof) {
    const Answers *answers = s->pool->answers;
    if (!answers || !answers->answer_count || !takes_part(s))
        return false;
    ProofAnswer wanted = {stack_of(s), condition->number + 1, (uint8_t)kind, 0};
    const ProofAnswer *slot = answer_slot(answers, wanted);
    *proof = (Proof)slot->proof;
    return slot->condition;
}

Proof simplifier_remember(Simplifier *s, ProofKind kind, Expr condition, Proof proof) {
    if (!takes_part(s))
        return proof;
    if (!s->pool->answers)
        s->pool->answers = arena_new(s->pool->arena, Answers);
    Answers *answers = s->pool->answers;
    if (2 * answers->answer_count >= answers->answer_capacity)
        grow_answers(s->pool, answers);
    ProofAnswer answer = {stack_of(s), condition->number + 1, (uint8_t)kind, (uint8_t)proof};
    *answer_slot(answers, answer) = answer;
    answers->answer_count++;
    return proof;
}
