/* contract.c -- turns the program's assertions into clauses.
 *
 * An assertion counts under the conditions of the ifs around it (an empty window asks nothing of
 * the inputs), with the lets around it expanded.  Each is solved for the variable that users care
 * about, an extent before all others.  Conjunctions are split.
 *
 * A clause that follows from the rest is left out, one by one, so the remaining clauses still mean
 * the same.  Clauses about 32 bits are tried first, because `input.extent(0) >= 1` tells more than
 * `>= 0`.  The comparison of each with all others is quadratic, so a contract of very many clauses
 * stays as it is.
 */
#include "lower/report/contract.h"

#include "decide/decide.h"
#include "ir/print.h"
#include "lower/passes/lets.h"
#include "simplify/solve.h"

#include <string.h>

enum { MOST_COMPARED = 100, LARGEST_SOLVED = 200 };

typedef struct ClauseCollection {
    Pool *pool;
    Arena *arena;
    Contract *contract;
    Lets lets;
    Vec(const Stmt *) loops; /* around */
    Vec(Expr) asked; /* the condition of each if around; null if it is no startup condition */
} ClauseCollection;

/* ---- collecting ---- */

/* Does the expression mention neither loops nor memory? */
static bool is_startup(const ClauseCollection *collection, Expr expr) {
    if (expr_has_access(expr))
        return false;
    for (size_t i = 0; i < collection->loops.length; i++)
        if (expr_mentions(collection->arena, expr, collection->loops.data[i]->loop.binder))
            return false;
    return true;
}

/* Returns the rank of a variable: extents of images first, then of outputs, then parameters. */
static int telling(const Signature *signature, Context *context, Symbol name) {
    Symbol buffer;
    BufferField field;
    int dimension;
    if (!buffer_field_parse(context, name, &buffer, &field, &dimension))
        return 1;
    if (!field_is_extent(field))
        return 0;
    return signature_image(signature, buffer) ? 3 : 2;
}

static Symbol find_about(const Program *program, Arena *arena, Expr condition) {
    Exprs variables = {0};
    expr_variables(arena, condition, &variables);
    Symbol about = NULL;
    int most = -1;
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        int tells = telling(program->signature, program->pool->context, name);
        if (tells > most) {
            most = tells;
            about = name;
        }
    }
    return about;
}

/* Splits a && b, and max(a, b) <= c, and c <= min(a, b), which read better as two clauses. */
static bool take_apart(Pool *pool, Expr condition, Expr *parts) {
    if (condition->op == OP_AND) {
        parts[0] = condition->arguments[0];
        parts[1] = condition->arguments[1];
        return true;
    }
    if ((condition->op != OP_LE && condition->op != OP_LT) ||
        type_is_float(condition->arguments[0]->type))
        return false;
    Expr left = condition->arguments[0], right = condition->arguments[1];
    bool split_left = left->op == OP_MAX;
    if (!split_left && right->op != OP_MIN)
        return false;
    for (int i = 0; i < 2; i++) {
        Expr operands[2] = {split_left ? left->arguments[i] : left,
                            split_left ? right : right->arguments[i]};
        parts[i] = expr_apply(pool, (Op)condition->op, operands);
    }
    return true;
}

/* Adds the parts of the condition, each as a clause. */
static void add_clauses(Contract *contract, Pool *pool, Arena *arena, ContractClause clause) {
    Exprs parts = {0};
    Expr two[2];
    vec_push(arena, &parts, clause.condition);
    while (parts.length) {
        clause.condition = parts.data[--parts.length];
        if (take_apart(pool, clause.condition, two)) {
            vec_push(arena, &parts, two[1]);
            vec_push(arena, &parts, two[0]);
        } else if (!expr_is_true(clause.condition)) {
            vec_push(arena, &contract->clauses, clause);
        }
    }
}

static void add_assertion(ClauseCollection *collection, const Stmt *stmt) {
    ContractClause clause = {.condition = lets_expand(&collection->lets, stmt->assertion.condition),
                             .assertion = stmt};
    bool startup = is_startup(collection, clause.condition);
    for (size_t i = 0; i < collection->asked.length; i++) {
        Expr asked = collection->asked.data[i];
        startup &= asked != NULL;
        if (asked)
            clause.asked = clause.asked ? expr_and(collection->pool, clause.asked, asked) : asked;
    }
    if (startup)
        add_clauses(collection->contract, collection->pool, collection->arena, clause);
    else
        collection->contract->open = true;
}

/* The first statement of one of an if's two blocks. */
static void open_branch(ClauseCollection *collection, const Stmt *owner, bool otherwise) {
    Expr condition = lets_expand(&collection->lets, owner->branch.condition);
    if (!is_startup(collection, condition))
        condition = NULL;
    else if (otherwise)
        condition = expr_unary(collection->pool, OP_NOT, condition);
    vec_push(collection->arena, &collection->asked, condition);
}

static bool enter(void *data, Stmt *stmt) {
    ClauseCollection *collection = data;
    const Stmt *owner = stmt->block->owner;
    if (owner && owner->kind == STMT_IF && !stmt->previous)
        open_branch(collection, owner, stmt->block == &owner->branch.otherwise);
    if (stmt->kind == STMT_ASSERT)
        add_assertion(collection, stmt);
    else if (stmt->kind == STMT_FOR)
        vec_push(collection->arena, &collection->loops, stmt);
    else if (stmt->kind == STMT_LET)
        lets_bind(&collection->lets, stmt->let.binder, stmt->let.value);
    return true;
}

static void leave(void *data, Stmt *stmt) {
    ClauseCollection *collection = data;
    const Stmt *owner = stmt->block->owner;
    if (stmt->kind == STMT_FOR)
        collection->loops.length--;
    if (owner && owner->kind == STMT_IF && !stmt->next)
        collection->asked.length--;
}

/* ---- redundant clauses ---- */

/* If the clause is asked, is `other` asked too? */
static bool is_asked_with(const ContractClause *clause, const ContractClause *other) {
    return !other->asked || other->asked == clause->asked;
}

static bool follows(Simplifier *simplifier, const Contract *contract, size_t i) {
    const ContractClause *clause = &contract->clauses.data[i];
    FactMark mark = simplifier_mark(simplifier);
    if (clause->asked)
        simplifier_learn(simplifier, clause->asked);
    for (size_t k = 0; k < contract->clauses.length; k++)
        if (k != i && is_asked_with(clause, &contract->clauses.data[k]))
            simplifier_learn(simplifier, contract->clauses.data[k].condition);
    bool result = simplify_prove(simplifier, clause->condition) == PROOF_HOLDS;
    simplifier_release(simplifier, mark);
    return result;
}

static void remove_clause(Contract *contract, size_t i) {
    size_t behind = --contract->clauses.length - i;
    memmove(&contract->clauses.data[i], &contract->clauses.data[i + 1],
            behind * sizeof *contract->clauses.data);
}

static void reduce(Simplifier *simplifier, Contract *contract) {
    if (contract->clauses.length > MOST_COMPARED)
        return;
    for (int about_range = 1; about_range >= 0; about_range--)
        for (size_t i = contract->clauses.length; i-- > 0;)
            if (clause_is_about_range(&contract->clauses.data[i]) == about_range &&
                follows(simplifier, contract, i))
                remove_clause(contract, i);
}

/* ---- refuted clauses ---- */

/* Removes the refuted disjuncts; `false` if all are refuted. */
static Expr without_refuted(Simplifier *simplifier, Pool *pool, Arena *arena, Expr condition) {
    Exprs stack = {0}, kept = {0};
    size_t disjuncts = 0;
    vec_push(arena, &stack, condition);
    while (stack.length) {
        Expr top = stack.data[--stack.length];
        if (top->op == OP_OR) {
            vec_push(arena, &stack, top->arguments[1]);
            vec_push(arena, &stack, top->arguments[0]);
            continue;
        }
        disjuncts++;
        if (decide_prove(simplifier, top) != PROOF_REFUTED)
            vec_push(arena, &kept, top);
    }
    if (kept.length == disjuncts)
        return condition;
    Expr result = expr_bool(pool, false);
    for (size_t i = kept.length; i-- > 0;)
        result = i + 1 == kept.length ? kept.data[i] : expr_or(pool, kept.data[i], result);
    return result;
}

/* Checks each clause under those before it, so the first one that fails stays the first. */
static void remove_refuted(Simplifier *simplifier, Pool *pool, Arena *arena, Contract *contract) {
    for (size_t i = 0; i < contract->clauses.length && i < MOST_COMPARED; i++) {
        ContractClause *clause = &contract->clauses.data[i];
        FactMark mark = simplifier_mark(simplifier);
        if (clause->asked)
            simplifier_learn(simplifier, clause->asked);
        for (size_t k = 0; k < i; k++)
            if (is_asked_with(clause, &contract->clauses.data[k]))
                simplifier_learn(simplifier, contract->clauses.data[k].condition);
        clause->condition = without_refuted(simplifier, pool, arena, clause->condition);
        simplifier_release(simplifier, mark);
    }
}

/* Does the clause stay?  A clause `false` makes all others that are asked with it redundant. */
static bool is_left(const Contract *contract, size_t i) {
    const ContractClause *clause = &contract->clauses.data[i];
    for (size_t k = 0; k < contract->clauses.length; k++) {
        const ContractClause *other = &contract->clauses.data[k];
        if (expr_is_false(other->condition) && is_asked_with(clause, other))
            return k == i;
    }
    return true;
}

static void keep_false(Contract *contract, Arena *arena) {
    const Contract all = *contract;
    contract->clauses.data = NULL;
    contract->clauses.length = contract->clauses.capacity = 0;
    for (size_t i = 0; i < all.clauses.length; i++)
        if (is_left(&all, i))
            vec_push(arena, &contract->clauses, all.clauses.data[i]);
}

/* Puts the variable of a comparison alone on one side, if possible.  Each part of a resulting
 * conjunction becomes a clause. */
static void solve_clauses(Simplifier *simplifier, const Program *program, Arena *arena,
                          Contract *contract) {
    const Contract unsolved = *contract;
    contract->clauses.data = NULL;
    contract->clauses.length = contract->clauses.capacity = 0;
    for (size_t i = 0; i < unsolved.clauses.length; i++) {
        ContractClause clause = unsolved.clauses.data[i];
        Symbol about = find_about(program, arena, clause.condition);
        if (about && clause.condition->tree_size <= LARGEST_SOLVED)
            clause.condition = simplify_solve(simplifier, clause.condition, about);
        add_clauses(contract, program->pool, arena, clause);
    }
    for (size_t i = 0; i < contract->clauses.length; i++) {
        ContractClause *clause = &contract->clauses.data[i];
        clause->about = find_about(program, arena, clause->condition);
    }
}

/* ---- the end that a clause limits ---- */

/* Returns the first end from which the clause follows. */
static ClauseEnd find_end(Simplifier *simplifier, ClauseCollection *collection,
                          const ContractClause *clause) {
    const Stmt *assertion = clause->assertion;
    Pool *pool = collection->pool;
    if (assertion->assertion.error != HLC_ERROR_COORDINATE_RANGE)
        return END_NONE;
    Expr least = lets_expand(&collection->lets, assertion->assertion.operands[0]),
         greatest = lets_expand(&collection->lets, assertion->assertion.operands[1]);
    const Expr fits[] = {
        [END_LEAST] = expr_le(pool, expr_index(pool, INT32_MIN), least),
        [END_GREATEST] = expr_le(pool, greatest, expr_index(pool, INT32_MAX)),
        [END_EXTENT] = expr_lt(pool, expr_sub(pool, greatest, least), expr_index(pool, INT32_MAX))};
    for (ClauseEnd end = END_LEAST; end <= END_EXTENT; end++) {
        FactMark mark = simplifier_mark(simplifier);
        if (clause->asked)
            simplifier_learn(simplifier, clause->asked);
        simplifier_learn(simplifier, fits[end]);
        bool found = decide_prove(simplifier, clause->condition) == PROOF_HOLDS;
        simplifier_release(simplifier, mark);
        if (found)
            return end;
    }
    return END_NONE;
}

static ClauseCollection collect(const Program *program, Arena *arena, Contract *contract) {
    ClauseCollection collection = {.pool = program->pool,
                                   .arena = arena,
                                   .contract = contract,
                                   .lets = lets_create(program->pool, arena)};
    StmtVisitor visitor = {.data = &collection, .enter = enter, .leave = leave};
    block_visit((Block *)&program->body, &visitor);
    return collection;
}

Contract contract_asserted(const Program *program, Arena *arena) {
    Contract contract = {.open = false};
    collect(program, arena, &contract);
    return contract;
}

Contract contract_of(const Program *program, Arena *arena) {
    Contract contract = {.open = false};
    ClauseCollection collection = collect(program, arena, &contract);
    Simplifier *simplifier = simplifier_create(program->pool, arena);
    remove_refuted(simplifier, program->pool, arena, &contract);
    solve_clauses(simplifier, program, arena, &contract);
    remove_refuted(simplifier, program->pool, arena, &contract);
    keep_false(&contract, arena);
    reduce(simplifier, &contract);
    for (size_t i = 0; i < contract.clauses.length; i++)
        contract.clauses.data[i].end = find_end(simplifier, &collection, &contract.clauses.data[i]);
    return contract;
}

/* ---- texts ---- */

bool clause_is_about_range(const ContractClause *clause) {
    hlc_error error = clause->assertion->assertion.error;
    return error == HLC_ERROR_COORDINATE_RANGE || error == HLC_ERROR_INDEX_RANGE ||
           error == HLC_ERROR_NEGATIVE_EXTENT;
}

const char *clause_text(Arena *arena, const ContractClause *clause) {
    if (expr_is_false(clause->condition))
        return "false (it runs on no size)";
    return expr_words(arena, clause->condition, clause->about);
}

Place clause_place(Context *context, const ContractClause *clause) {
    const Stmt *assertion = clause->assertion;
    Symbol buffer;
    BufferField field;
    int dimension;
    bool is_upward = assertion->assertion.upper.line && clause->about &&
                     buffer_field_parse(context, clause->about, &buffer, &field, &dimension) &&
                     field_is_extent(field) &&
                     strcmp(buffer->text, assertion->assertion.subject) == 0;
    is_upward |= assertion->assertion.upper.line && clause->end == END_GREATEST;
    return is_upward ? assertion->assertion.upper : assertion->place;
}

/* Returns a format with %s for the subject. */
static const char *reason_format(hlc_error error) {
    static const struct {
        hlc_error error;
        const char *text;
    } reasons[] = {
        {HLC_ERROR_PARAMETER_TOO_SMALL, "the range of %s"},
        {HLC_ERROR_PARAMETER_TOO_LARGE, "the range of %s"},
        {HLC_ERROR_NEGATIVE_EXTENT, "an extent of %s"},
        {HLC_ERROR_COORDINATE_RANGE, "the coordinates of %s lie in 32 bits"},
        {HLC_ERROR_INDEX_RANGE, "index arithmetic of %s stays in 64 bits"},
        {HLC_ERROR_EMPTY_IMAGE, "a boundary condition reads %s"},
        {HLC_ERROR_REQUIREMENT_FAILED, "%s"},
        {HLC_ERROR_RDOM_LENGTH, "the reduction domain %s"},
        {HLC_ERROR_SPLIT_FACTOR, "the factor of %s"},
        {HLC_ERROR_ALIGN_MODULUS, "the alignment of %s"},
        {HLC_ERROR_BOUND_TOO_SMALL, "%s is bound, and holds what is needed"},
        {HLC_ERROR_FOLD_TOO_SMALL, "the coordinates of %s that are needed at a time have places"},
        {HLC_ERROR_ACCESS_OUT_OF_BOUNDS, "%s is read there"},
        {HLC_ERROR_WINDOW_OUTSIDE, "the window of %s lies in its domain"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].error == error)
            return reasons[i].text;
    return "an assertion about %s";
}

const char *clause_reason(Arena *arena, const ContractClause *clause) {
    static const char *const ends[] = {[END_LEAST] = "the least coordinates of %s lie in 32 bits",
                                       [END_GREATEST] =
                                           "the greatest coordinates of %s lie in 32 bits",
                                       [END_EXTENT] = "the extents of %s lie in 32 bits"};
    const char *format = clause->end == END_NONE ? reason_format(clause->assertion->assertion.error)
                                                 : ends[clause->end];
    const char *hole = strstr(format, "%s"), *subject = clause->assertion->assertion.subject;
    return arena_format(arena, "%.*s%s%s", (int)(hole - format), format, subject, hole + 2);
}

bool clause_equals(const ContractClause *a, const ContractClause *b) {
    return a->condition == b->condition && a->asked == b->asked;
}
