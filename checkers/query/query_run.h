/* query_run.h -- the state of a query (private to checkers/query/).
 *
 *   query.c        the walk over statement instances
 *   query_ask.c    the clauses of B at each instance
 *   query_value.c  the values of expressions
 */
#ifndef HLC_CHECKERS_QUERY_QUERY_RUN_H
#define HLC_CHECKERS_QUERY_QUERY_RUN_H

#include "checkers/query/query.h"

typedef struct QueryBox {
    int64_t lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS]; /* inclusive */
} QueryBox;

/* An image: the region that the program claims to read, and the actual reads. */
typedef struct QueryInput {
    const BoundsRegion *region;
    QueryBox box, asked;
} QueryInput;

/* The state of a func at this moment of the run. */
typedef struct State {
    const Func *func;
    bool allocated, computed;
    QueryBox memory, compute, held; /* held: right after it is computed */
    /* Hulls of the computed points, of the reads that must be right, and of all reads of the
     * language.  They cover one run, or, if it slides, all runs that hold for one another. */
    QueryBox total, asked, evaluated;
    unsigned char *right;    /* of a slid func, a byte a point of memory: is it computed? */
    size_t points, capacity; /* of `right`: the number in use, and the room */
    bool slides;             /* `right` is valid since its allocation */
    unsigned char *covered[MAX_DIMENSIONS]; /* by the running stage: a byte a coordinate of Cpu */
    QuerySlack slack[MAX_DIMENSIONS];
} State;

typedef struct QueryFrame {
    Stmt *owner; /* null for the program's block */
    Stmt *next;
    int64_t value, last; /* of a loop */
} QueryFrame;

/* A node of an expression, with its operator if it has one. */
typedef struct QueryStep {
    Expr node;
    Operation operation;
} QueryStep;

/* An expression's nodes, arguments before users. */
typedef Vec(QueryStep) QueryCode;

/* A node's value in the statement instance with this number. */
typedef struct QueryKnown {
    Bits bits;
    uint64_t instance;
} QueryKnown;

typedef struct QueryState {
    const Program *program;
    const Pipeline *pipeline;
    const BoundsResult *result;
    const QueryOptions *options;
    Arena *arena;
    Map variables;     /* Symbol -> Bits: of loops, lets, and startup variables met so far */
    Map images;        /* Symbol -> QueryInput */
    Map code;          /* Expr -> QueryCode */
    Map accesses;      /* Expr -> Exprs */
    Map states;        /* Symbol -> State */
    Map stored;        /* store -> its values, Expr *, with what lets hold for it */
    QueryKnown *known; /* by a node's number */
    uint64_t instance; /* the current one; it sees one value of each read */
    Vec(State *) order;
    Vec(QueryFrame) frames;
    uint64_t random;
    QueryAnswer answer;
} QueryState;

/* ---- query_value.c ---- */
/* Returns the expression's value in the current statement instance. */
Bits query_evaluate(QueryState *query, Expr expr);
/* Returns its accesses. */
const Exprs *query_accesses(QueryState *query, Expr expr);
/* Gives the variable of a loop or let this value from here on. */
void query_bind(QueryState *query, Symbol name, Bits value);

/* ---- query_ask.c ---- */
/* Records a violation; the first one stays. */
void query_violate(QueryState *query, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the intervals as a box; its lengths must not be negative.  It is the `what` of `func`. */
QueryBox query_box(QueryState *query, const Extent *intervals, int dimensions, const char *what,
                   Symbol func);
/* Returns the hull of no points. */
QueryBox query_no_box(void);
/* Checks the reads of an expression that is always evaluated. */
void query_check_reads(QueryState *query, Expr expr);
void query_check_store(QueryState *query, const Stmt *stmt);
/* Records the points that a store's stage reaches. */
void query_cover(QueryState *query, const Stmt *store);
/* The same at an `if` whose other iterations the algorithm, not the schedule, leaves out.  That is
 * a predicate, or the guard of a split reduction of which a part became a dimension. */
void query_cover_branch(QueryState *query, const Stmt *branch);
/* Called at a label; a label of no stage is ignored. */
void query_enter_stage(QueryState *query, const Stmt *label);
void query_leave_stage(QueryState *query, const Stmt *label);
void query_enter_compute(QueryState *query, const Stmt *stmt);
/* Counts the points of a func's last run, and of an image, that nothing needed. */
void query_settle(State *state);
QuerySlack query_input_slack(const QueryInput *input, int k);

#endif
