/* commute.c -- races of atomic stores (ir/atomic.h).
 *
 *     for f.s1.r in .. parallel do                two iterations may update one element, in either
 *       atomic f[e] <- f[e] op v                  order: (x op v) op v' = (x op v') op v
 *
 * The text shows it under four conditions.  Nothing else in the loop reads or writes f.  All stores
 * of f there are of one stage.  Their operator op is the same, and is proved associative and
 * commutative.  Mostly the text alone determines op.  Some operators are proved only for the
 * elements that occur, which only the algorithm tells.  If something else reads or writes f, or
 * nothing is proved, the question stays open.
 */
#include "checkers/certify/internal.h"

#include "associative/associative.h"
#include "ir/atomic.h"

typedef struct Rivals {
    CertifyWalk *walk;
    const Stmt *store;
    bool are_updates; /* all reads and writes of the func are atomic and of the store's stage */
    bool is_one;      /* with one operator */
    Expr operator;    /* null before the first one is examined */
} Rivals;

static void find_read(void *data, Expr expr) {
    Rivals *rivals = data;
    Exprs accesses = expr_accesses_of(rivals->walk->arena, expr);
    for (size_t i = 0; i < accesses.length; i++)
        rivals->are_updates &= accesses.data[i]->name != rivals->store->store.func->name;
}

/* Replaces the element of the store, the only access to the func, by x. */
static Expr replace_own(void *data, Pool *pool, Expr node) {
    const Stmt *store = data;
    bool is_own = node->op == OP_ACCESS && node->name == store->store.func->name;
    return is_own ? associative_x(pool, 0, node->type) : node;
}

/* Is the variable different in some iterations?  Parameters and buffers' fields are not. */
static bool varies(const CertifyWalk *walk, Symbol name) {
    const Signature *signature = walk->program->signature;
    BufferField field;
    Symbol buffer;
    int dimension;
    return !signature_parameter(signature, name) &&
           !buffer_field_parse(walk->pool->context, name, &buffer, &field, &dimension);
}

/* Returns the operator in the text; null if it is not proved for all numbers. */
static Expr operator_of_text(CertifyWalk *walk, const Stmt *store) {
    Expr value = expr_rewrite_alone(walk->pool, walk->arena, store->store.values[0], replace_own,
                                    (void *)store);
    Vec(Symbol) varying = {0};
    Exprs variables = expr_variables_of(walk->arena, value);
    for (size_t i = 0; i < variables.length; i++)
        if (varies(walk, variables.data[i]->name))
            vec_push(walk->arena, &varying, variables.data[i]->name);
    AssociativeUpdate update = {.arity = 1,
                                .types = store->store.func->types,
                                .values = &value,
                                .reduction = varying.data,
                                .reduction_count = (int)varying.length};
    Associativity found = associative_update(walk->pool, walk->arena, &update);
    bool is_proved = found.verdict == ASSOCIATIVE_YES && found.is_commutative && found.is_exact &&
                     !found.not_negative && !found.positive;
    return is_proved ? found.operator[0] : NULL;
}

static bool look_at(void *data, Stmt *stmt) {
    Rivals *rivals = data;
    bool is_rival = stmt->kind == STMT_STORE && stmt->store.func == rivals->store->store.func;
    if (!is_rival) {
        stmt_each_expr(stmt, find_read, rivals);
        return true;
    }
    rivals->are_updates &= atomic_is_same_update(stmt, rivals->store) &&
                           atomic_reads_in_place(rivals->walk->arena, stmt);
    Expr operator= rivals->are_updates ? operator_of_text(rivals->walk, stmt) : NULL;
    rivals->is_one &= operator&&(!rivals->operator|| rivals->operator== operator);
    rivals->operator= operator;
    return true;
}

/* The same for the stage in the algorithm. */
static bool commutes_by_algorithm(const CertifyWalk *walk, const Stmt *store, const Func *func) {
    if (!func || (size_t)store->store.stage >= func->stages.length)
        return false;
    Associativity found = associative_stage(walk->pipeline, walk->arena, func, store->store.stage);
    return found.verdict == ASSOCIATIVE_YES && found.is_commutative && found.is_exact;
}

bool commute_at_store(CertifyWalk *walk, const Stmt *store, Stmt *loop, const char **reason) {
    Rivals rivals = {.walk = walk, .store = store, .are_updates = true, .is_one = true};
    block_visit(&loop->loop.body, &(StmtVisitor){.data = &rivals, .enter = look_at});
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    if (!rivals.are_updates)
        *reason = "something else in the loop reads or writes what is updated atomically";
    else if (!rivals.is_one && !commutes_by_algorithm(walk, store, state->func))
        *reason = "the operator of these updates is not proved associative and commutative, so "
                  "their order may matter";
    else
        return true;
    return false;
}
