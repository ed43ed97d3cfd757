/* stmt.h -- the target language (Figure 7), with holes (Def 6.3): programs of mutable statements
 * over immutable expressions.
 *
 * Scheduling moves statements; it never computes a bound. A statement belongs to a Block, a doubly
 * linked list. So the cost of finding, moving and wrapping a statement does not grow with the
 * program. Besides the tree, the program keeps an index of each func's compute, allocate and loop
 * statements.
 *
 * Every binder (for, let) has its own symbol; copying a statement renames its binders. A loop's
 * *name* (Lemma 6.1) is (func, specialization, stage, variable). The binder of `<h, z0, s1, x>` is
 * the symbol `h.s1.x`, that of `<h, z2, s1, x>` is `h.z2.s1.x`, and that of a copy is `h.s1.x'2`.
 *
 * Beyond Figure 7:
 *   - a LET from a split, fuse or guard carries `domain`, the interval of the loop that it
 *     replaces, and `tail`, which tells how its variable relates to `domain` (see LetTail);
 *   - an IF carries its kind (IfRole), because B(S) treats a split's guard and a stage's
 *     predicate differently (semantics.md, 5b);
 *   - a STORE of an extern stage may write a box (Store.lasts);
 *   - an ASSERT carries the error that a false condition gives, and the operands of its message.
 */
#ifndef HLC_IR_STMT_H
#define HLC_IR_STMT_H

#include "ir/storage.h"
#include "runtime/hlc_runtime.h"

typedef struct Stmt Stmt;

typedef enum StmtKind {
    STMT_NOP,
    STMT_ASSERT,
    STMT_ALLOCATE, /* scope: the rest of its block */
    STMT_STORE,    /* f[indices] <- values: evaluates all values, then writes them */
    STMT_IF,
    STMT_FOR,
    STMT_LET,     /* scope: its body */
    STMT_COMPUTE, /* compute f on (..): body */
    STMT_LABEL,   /* label f / label s1: body */
    STMT_PREFETCH /* fetches a box of a func or an image into the cache; no value depends on it */
} StmtKind;

typedef enum Traversal {
    TRAVERSE_SERIAL,
    TRAVERSE_PARALLEL,
    TRAVERSE_VECTORIZED,
    TRAVERSE_UNROLLED
} Traversal;

typedef enum IfRole {
    IF_PLAIN,
    IF_GUARD,     /* a split's tail: Loop(f, i, j) counts only iterations that pass it */
    IF_PREDICATE, /* the stage's own `if p`: ignored by Loop */
    IF_SPECIALIZE /* chooses a specialization; the condition is a startup expression */
} IfRole;

/* What is known about a let's variable at its uses:
 *   TAIL_NONE    nothing; `domain` is unset.
 *   TAIL_INSIDE  the variable lies in `domain` (fuse; shift-inwards; split with a guard, whose
 *                IF stands below).
 *   TAIL_BEYOND  the variable may exceed `domain` (round-up): Cpu counts only the iterations
 *                inside `domain`, Mem counts all.
 */
typedef enum LetTail { TAIL_NONE, TAIL_INSIDE, TAIL_BEYOND } LetTail;

/* A compute statement that slides (semantics.md, section 6, "Sliding"). From one iteration of the
 * loop to the next, its region moves up or down in this dimension. The statement does not recompute
 * the overlap. */
typedef struct Slide {
    int dimension;
    bool downward;
    Expr loop; /* the loop's variable; simplification may replace it by its only value */
} Slide;

/* Asks a loop's iterations to fetch data ahead. PASS_PREFETCH turns it into statements. */
typedef struct Prefetch {
    const struct Prefetch *next;
    Symbol name;  /* of a func or an image */
    int distance; /* in iterations, at least 1 */
    Place place;
} Prefetch;

typedef struct Block {
    Stmt *owner; /* null for the program's outermost block */
    Stmt *first, *last;
} Block;

/* <f, i, j, v>: func, specialization, stage, variable. */
typedef struct LoopName {
    Symbol func;
    int specialization, stage;
    Symbol variable;
} LoopName;

/* The origin of a reduction loop: a reduction variable of its stage, the outer or inner part of a
 * split, or two fused loops. A loop is split at most once, so outer and inner parts `of` one origin
 * belong to one split. */
typedef enum OriginKind { ORIGIN_VARIABLE, ORIGIN_OUTER, ORIGIN_INNER, ORIGIN_FUSED } OriginKind;
typedef struct LoopOrigin {
    OriginKind kind;
    size_t variable;                     /* ORIGIN_VARIABLE: its index in the stage's reduction */
    const struct LoopOrigin *of, *inner; /* ORIGIN_FUSED: the outer and the inner loop */
} LoopOrigin;

struct Stmt {
    StmtKind kind;
    Block *block;          /* the block that contains this statement */
    Stmt *previous, *next; /* neighbours in that block */
    Place place;           /* place of the stage or directive that made it */
    union {
        struct {
            Expr condition; /* bool */
            hlc_error error;
            const char *subject; /* the source's name for the checked entity */
            Expr *operands;      /* the numbers in the message */
            int operand_count;
            Place upper; /* for a region: the access that demands its upper end, if that is not the
                            statement's place, which demands the lower end */
        } assertion;
        struct {
            FuncShape *func;
            Extent *intervals; /* one per dimension */
            /* Null, or for each dimension a fold F or null. At any time all live coordinates are
             * fewer than F apart, so coordinates equal modulo F may share memory. */
            Expr *folds;
            /* By dimension: PASS_FOLD has replaced the coordinates of the func by coordinates in
             * folded memory. Null if no dimension is folded. */
            bool *places;
            /* The allocation is hoisted out of this many enclosing loops. Then `reserve` is the
             * number of coordinates of each dimension, in scope there. */
            int hoisted;
            Expr *reserve; /* null if not hoisted, and before the bounds pass */
            const Storage *storage;
        } allocate;
        struct {
            FuncShape *func;
            int specialization, copy;
            Extent *intervals;
            /* If the statement slides, all of `held` is valid after it: `intervals` from this
             * iteration, the rest from earlier ones. Null if it does not slide. A dimension slides
             * along one loop, or along the loops of one split, innermost first. */
            Extent *held;
            Slide *slides;
            int slide_count;
            Block body;
        } compute;
        struct {
            FuncShape *func;
            int stage;
            Expr *indices, *values;
            /* Null, or for an extern stage the last point of the written box, whose first point is
             * `indices`. Then the accesses of the values are the first and the last points of the
             * boxes that the whole store reads (PASS_EXTERN). */
            Expr *lasts;
            bool is_atomic; /* reads and writes the element in one step (ir/atomic.h) */
        } store;
        struct {
            IfRole role;
            Expr condition;
            Block body, otherwise;
        } branch;
        struct {
            LoopName name;
            Symbol binder; /* of type index */
            Extent interval;
            /* If PASS_PARTITION has cut the loop to the predicate of an update: the interval that
             * satisfies the predicate, the same for each piece. The minimum is null otherwise. */
            Extent predicate;
            Traversal traversal;
            bool pure; /* Def 8.3 */
            /* The iterations of a parallel or vectorized reduction loop are independent: the
             * distances of its stage or a proof show it (schedule/dependence.c). */
            bool independent;
            const LoopOrigin *origin; /* only while a schedule is applied; null for pure loops */
            bool rare; /* a prologue or epilogue around a steady state: few iterations run it */
            const Prefetch *prefetches; /* in schedule order; null if there are none */
            Block body;
        } loop;
        struct {
            Symbol binder;
            Expr value; /* gives the binder its type */
            LetTail tail;
            Extent domain; /* unset for TAIL_NONE */
            Block body;
        } let;
        struct {
            Symbol name; /* the func's name, or s0, s1, .. */
            Block body;
        } label;
        struct {
            Symbol name; /* of a func or an image */
            int dimensions;
            Extent *intervals;
        } prefetch;
    };
};

/* The statements of a func. */
typedef struct FuncSites {
    FuncShape *func;
    Vec(Stmt *) computes, allocates;
} FuncSites;

/* The required region of an input image: a box in startup variables (parameters, windows, other
 * images). The entry checks it, and a bounds query answers it. */
typedef struct Need {
    const ImageParameter *image;
    Extent box[MAX_IMAGE_DIMENSIONS]; /* lengths are nonnegative for accepted arguments */
} Need;

/* The window that the pipeline proposes for an output, in parameters and images' boxes. NAME_propose
 * answers it. */
typedef struct ProposedWindow {
    const FuncShape *func;
    Extent box[MAX_IMAGE_DIMENSIONS];
    Vec(Expr)
        fits; /* bool: where all hold, the arithmetic of the box stays within 64 bits; that of a
                   condition does where those before it hold */
} ProposedWindow;

typedef struct Program {
    Pool *pool;
    Arena *arena;
    const Signature *signature;
    Vec(Need) needs;               /* at most one for each image; none before PASS_CHECKS */
    Vec(ProposedWindow) proposals; /* at most one for each output; none before PASS_CHECKS */
    Block body;
    Vec(FuncSites *) funcs; /* in definition order */
    Map by_name;            /* Symbol -> FuncSites */
    /* A swap changed the order of float additions. The pipeline permits it. */
    bool reorders_floats;
} Program;

Program *program_create(Pool *pool, Arena *arena, const Signature *signature);
FuncSites *program_func(const Program *program, Symbol name);
/* Returns the first statement of the program that is no assertion and opens no block with all the
 * rest inside; null if there is none. */
Stmt *program_rest(const Program *program);
/* Adds a compute or allocate statement to its func's sites. Ignores other statements. */
void program_register(Program *program, Stmt *stmt);

Stmt *stmt_create(Program *program, StmtKind kind, Place place);
/* These functions unlink nothing: the statement must not be in any block. */
void block_append(Block *block, Stmt *stmt);
void block_prepend(Block *block, Stmt *stmt);
void stmt_insert_before(Stmt *position, Stmt *stmt);
void stmt_insert_after(Stmt *position, Stmt *stmt);
/* Removes the statement from its block. Its body stays attached. */
void stmt_unlink(Stmt *stmt);
/* Moves all statements of `from` to the end of `to`. */
void block_move_all(Block *to, Block *from);

/* Does it store to a func, at each point, the image's element of the same coordinates? */
bool stmt_copies(const Stmt *stmt, Symbol image);

/* Is it a let that holds what an update of several writes has read, with nothing inside but such lets
 * and the stores? Then the read is a read of the stores that use it. */
bool stmt_holds(const Stmt *let);
/* Returns the stored value, with the values of such lets around in place of their variables. */
Expr stmt_stored_value(Pool *pool, Arena *arena, const Stmt *store, int component);

/* Returns the statement whose body contains `stmt`; null at the top. */
Stmt *stmt_parent(const Stmt *stmt);
/* Returns the main body of a FOR, LET, COMPUTE, LABEL or IF; null for others. */
Block *stmt_body(Stmt *stmt);
bool stmt_is_inside(const Stmt *stmt, const Stmt *ancestor);
/* Is it the program's outermost block, or nested in it only through lets and the `if` that tests
 * for an empty output? Outputs are allocated and computed in such a block. */
bool block_is_outermost(const Block *block);

/* Funcs may share loops (schedule/directives/compute_with.c). Then the compute statement of one
 * func is inside a stage's label of another. In a shared loop, a label with a func's name contains
 * the statements of that func only:
 *
 *     compute f [label f [label s0 [compute g [label g [label s0 [for v [label f [..]; ..]]]]]]]
 */
/* Is the compute statement inside a stage of another func that shares its loops? */
bool stmt_is_grouped(const Stmt *compute);
/* Is it a label in a shared loop, for a func other than the loop's? */
bool stmt_is_part(const Stmt *stmt);
/* Returns the outermost compute statement of its group, or the statement itself outside a group. */
Stmt *stmt_group(Stmt *compute);
/* Returns the func that the statement belongs to; null outside compute statements. */
Symbol stmt_func(const Stmt *stmt);
/* Returns the label s0, s1, .. of the stage that the statement belongs to; null outside stages. */
const Stmt *stmt_stage(const Stmt *stmt);

/* Copies the statement, renames all binders and their uses, and registers the copy in the program's
 * sites. Holes keep their copy number: the caller renumbers them with stmt_map_exprs. */
Stmt *stmt_copy(Program *program, const Stmt *stmt);

/* Replaces every expression in the statement (bodies included) by `map(data, expr)`. */
typedef Expr ExprMap(void *data, Expr expr);
void stmt_map_exprs(Stmt *stmt, ExprMap *map, void *data);
/* Does the same for its own expressions, without its bodies. */
void stmt_map_own_exprs(Stmt *stmt, ExprMap *map, void *data);
void block_map_exprs(Block *block, ExprMap *map, void *data);

/* Calls `visit` for each expression of the statement, without its bodies, in a fixed order. */
typedef void StmtExprVisit(void *data, Expr expr);
void stmt_each_expr(const Stmt *stmt, StmtExprVisit *visit, void *data);

/* Visits every statement in program order, before (`enter`) and after (`leave`, may be null) its
 * bodies. `enter` returns false to skip the bodies. The visit does not recurse, because bodies may
 * be deep. */
typedef struct StmtVisitor {
    void *data;
    bool (*enter)(void *data, Stmt *stmt);
    void (*leave)(void *data, Stmt *stmt);
} StmtVisitor;
void block_visit(Block *block, const StmtVisitor *visitor);

LoopOrigin *origin_of_variable(Arena *arena, size_t variable);
/* Returns null for null, because a pure loop has no origin. */
LoopOrigin *origin_part(Arena *arena, const LoopOrigin *of, OriginKind kind);
/* The origin of a pure loop and a reduction loop is that of the reduction loop. */
const LoopOrigin *origin_fused(Arena *arena, const LoopOrigin *outer, const LoopOrigin *inner);

/* Returns the symbol of a loop name: `h.s1.x`, `h.z2.s1.x`. */
Symbol loop_symbol(Context *context, const LoopName *name);
/* Returns the author's name of the variable: `x` for `g.s1.x'2`. */
Symbol binder_variable(Context *context, Symbol binder);
/* Is it the binder of that variable, or of a copy of it? */
bool binder_is_of(Symbol binder, Symbol variable);
/* Returns the variable that a for or let binds; null for others. */
static inline Symbol stmt_binder(const Stmt *stmt) {
    return stmt->kind == STMT_FOR   ? stmt->loop.binder
           : stmt->kind == STMT_LET ? stmt->let.binder
                                    : NULL;
}

#endif
