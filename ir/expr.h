/* expr.h -- expressions of both languages (Figure 4 of the report): immutable, hash-consed.
 *
 * An `Expr` is a pointer to a node in a pool; two expressions built in one pool are equal exactly
 * when the pointers are.  So substitution and simplification memoise on the pointer, and a
 * pipeline's expressions form a graph whose shared parts exist once.  Walk it with walk.h, never
 * with a recursion that counts paths.
 *
 *   OP_CONSTANT   `bits`, canonical (value.h).
 *   OP_VARIABLE   `name`: a loop variable, a let, a parameter, or a buffer's field.  A field is a
 *                 variable of type index with a name such as `input.min.0`, `input.extent.1`,
 *                 `out.min.0`; schedules may also say `input.stride.1`.
 *   OP_ACCESS     func (or image) `name`, tuple element `component`, one index argument a
 *                 dimension.  In the algorithm this is a call, in the target language a read of
 *                 memory.
 *   OP_HOLE       a bounds hole (Def 6.3), `hole`; type index.
 *   OP_EXTERN     a value that the C function `name` computes, tuple element `component`. It is the
 *                 whole value of a stage; extern.h reads its arguments.
 *   any Op        arguments as ops.def says.
 *
 *   OP_RAMP       a vector of sort index: base, stride; lane i is base + i*stride.
 *   OP_BROADCAST  a vector: all its lanes are the one argument.
 *
 * A vector is a node with `lanes` > 1 in its type. An operator over vectors works lane by lane, so
 * a fact about a vector is a fact about each lane (expr_lane). Vectors are for the simplifier only,
 * never in programs: verify.c and the reader of programs refuse them.
 *
 * The sort of a node is its type: arithmetic on `index` is over the integers, on all other types it
 * is the machine's.  A value enters an index by OP_CAST to index, an index becomes a value by
 * OP_CAST to i32 (wrapping).  Nodes carry no place in the source and no facts: interning would
 * confuse them.
 *
 * The constructors fold operations on constants (with value.h's evaluator, except where the formal
 * reading errs). They also put the operands of commutative operators in a structural order
 * (constants last). They do nothing else: all other simplification belongs to simplify/. `a > b` is
 * built as `b < a`, `a >= b` as `b <= a`: OP_GT and OP_GE never occur in nodes.
 */
#ifndef HLC_IR_EXPR_H
#define HLC_IR_EXPR_H

#include "base/context.h"
#include "base/map.h"
#include "ir/ops.h"
#include "ir/value.h"

typedef const struct Node *Expr;

typedef enum HoleKind { HOLE_MEM, HOLE_CPU, HOLE_FOR } HoleKind;
typedef enum HoleEnd { HOLE_MINIMUM, HOLE_LENGTH } HoleEnd;

/* Def 6.3. Its text form is `?mem.f.x.min`, `?cpu.f.x.len`, `?for.f.s1.x.min` or
 * `?for.f.z2.s1.x.len`. Copy n > 0 of a compute statement (specialize and compute-at together)
 * appends `'n`. Loop holes exist for all stages but the last, whose loops use the cpu holes. */
typedef struct Hole {
    HoleKind kind;
    HoleEnd end;
    Symbol func;
    int specialization, stage; /* loop holes; 0 otherwise */
    int copy;
    Symbol variable; /* the func's pure variable of that dimension */
} Hole;

/* The kinds of nodes in an expression. A walk that looks for one kind skips expressions without it.
 */
typedef enum Holds {
    HOLDS_ACCESS = 1,   /* a read of a func or an image */
    HOLDS_DIVISION = 2, /* / or % */
    HOLDS_CHOICE = 4,   /* min, max or select */
    HOLDS_HOLE = 8,
    HOLDS_NUMBER = 16, /* a machine integer */
    HOLDS_ERROR = 32   /* an operator that errs on some operands, in the formal reading */
} Holds;

/* Returns the bit of a name in Node.unknowns. */
static inline uint64_t expr_unknown_bit(uint64_t name_hash) {
    return UINT64_C(1) << (name_hash & 63);
}

struct Node {
    uint64_t hash; /* hash of the content */
    Type type;
    uint16_t op; /* Op */
    uint16_t arity;
    uint16_t component; /* OP_ACCESS, OP_EXTERN */
    uint16_t holds;     /* union of Holds bits */
    uint32_t number;    /* index for dense memo tables; must not define an order */
    uint32_t tree_size; /* number of nodes, counted as a tree; saturates */
    uint32_t depth;     /* 1 for a leaf; saturates */
    uint64_t unknowns;  /* one bit for each name in the expression, chosen by the name's hash; names
                           may share a bit */
    union {
        Bits bits;        /* OP_CONSTANT */
        Symbol name;      /* OP_VARIABLE, OP_ACCESS, OP_EXTERN */
        const Hole *hole; /* OP_HOLE */
    };
    Expr arguments[];
};

/* Does the expression contain any of these kinds? */
static inline bool expr_holds(Expr expr, unsigned what) {
    return expr->holds & what;
}

/* Does it read a func or an image? */
static inline bool expr_has_access(Expr expr) {
    return expr_holds(expr, HOLDS_ACCESS);
}

/* Is it a vector? */
static inline bool type_is_vector(Type type) {
    return type.lanes != 1;
}

/* The pool of a pipeline's expressions. */
typedef struct Pool {
    Context *context;
    Arena *arena;
    Expr *slots;
    size_t capacity, count;
    uint32_t next_number;    /* greater than all assigned numbers */
    struct Answers *answers; /* proved facts about its expressions: simplify/answers.c */
} Pool;

Pool *pool_create(Context *context, Arena *arena);

/* Expressions that are made for a while. From the beginning of a trial to its end, new nodes live in
 * `scratch`, which must live as long; afterwards the pool is as it was before. Then no node of the
 * trial may be used any more. Trials do not nest. */
typedef struct PoolTrial {
    Pool *pool; /* null: no trial is going on */
    Pool saved;
} PoolTrial;
void pool_trial_begin(PoolTrial *trial, Pool *pool, Arena *scratch);
/* Does nothing if no trial is going on. */
void pool_trial_end(PoolTrial *trial);

/* Converts `bits` to canonical form. */
Expr expr_constant(Pool *pool, Type type, Bits bits);
Expr expr_index(Pool *pool, int64_t value);
Expr expr_bool(Pool *pool, bool value);
Expr expr_float(Pool *pool, Type type, double value);
Expr expr_variable(Pool *pool, Symbol name, Type type);
Expr expr_access(Pool *pool, Symbol name, int component, Type type, const Expr *indices, int count);
Expr expr_hole(Pool *pool, Hole hole);
Expr expr_extern(Pool *pool, Symbol function, int component, Type type, const Expr *arguments,
                 int count);

/* Vectors of at least 2 lanes. A ramp with constant stride 0 is a broadcast. */
Expr expr_ramp(Pool *pool, Expr base, Expr stride, int lanes);
Expr expr_broadcast(Pool *pool, Expr scalar, int lanes);

/* Applies any operator but a conversion. The types must fit (hlc_assert). */
Expr expr_apply(Pool *pool, Op op, const Expr *arguments);
Expr expr_unary(Pool *pool, Op op, Expr a);
Expr expr_binary(Pool *pool, Op op, Expr a, Expr b);
Expr expr_select(Pool *pool, Expr condition, Expr a, Expr b);
/* Applies OP_CAST, OP_SATURATING_CAST or OP_REINTERPRET to `type`, with the operand's number of
 * lanes. A cast to the operand's own type returns the operand. */
Expr expr_convert(Pool *pool, Op op, Type type, Expr a);

#define expr_add(pool, a, b)     expr_binary((pool), OP_ADD, (a), (b))
#define expr_sub(pool, a, b)     expr_binary((pool), OP_SUB, (a), (b))
#define expr_mul(pool, a, b)     expr_binary((pool), OP_MUL, (a), (b))
#define expr_div(pool, a, b)     expr_binary((pool), OP_DIV, (a), (b))
#define expr_mod(pool, a, b)     expr_binary((pool), OP_MOD, (a), (b))
#define expr_min(pool, a, b)     expr_binary((pool), OP_MIN, (a), (b))
#define expr_max(pool, a, b)     expr_binary((pool), OP_MAX, (a), (b))
#define expr_eq(pool, a, b)      expr_binary((pool), OP_EQ, (a), (b))
#define expr_lt(pool, a, b)      expr_binary((pool), OP_LT, (a), (b))
#define expr_le(pool, a, b)      expr_binary((pool), OP_LE, (a), (b))
#define expr_and(pool, a, b)     expr_binary((pool), OP_AND, (a), (b))
#define expr_or(pool, a, b)      expr_binary((pool), OP_OR, (a), (b))
#define expr_not(pool, a)        expr_unary((pool), OP_NOT, (a))
#define expr_cast(pool, type, a) expr_convert((pool), OP_CAST, (type), (a))

/* Rebuilds the node with other arguments of the same types. */
Expr expr_with_arguments(Pool *pool, Expr expr, const Expr *arguments);

static inline bool expr_is_constant(Expr e) {
    return e->op == OP_CONSTANT;
}
/* Is it a constant of sort index or a machine integer? Then gives its value. */
static inline bool expr_constant_integer(Expr e, int64_t *value) {
    if (e->op != OP_CONSTANT || !(type_is_index(e->type) || type_is_machine_integer(e->type)))
        return false;
    *value = e->bits;
    return true;
}
static inline bool expr_is_true(Expr e) {
    return e->op == OP_CONSTANT && type_is_bool(e->type) && e->bits;
}
static inline bool expr_is_false(Expr e) {
    return e->op == OP_CONSTANT && type_is_bool(e->type) && !e->bits;
}

/* Compares by operator, type, text of names, and arguments. The order is the same in every run. */
int expr_compare(Expr a, Expr b);

/* An interval of Figure 4: [minimum, minimum + length). */
typedef struct Extent {
    Expr minimum, length;
} Extent;

#endif
