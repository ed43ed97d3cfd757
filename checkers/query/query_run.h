/* query_run.h -- a query at work (private to bounds/).
 *
 *   query.c        the walk over statement instances
 *   query_ask.c    the clauses of B: what is asked at each of them
 *   query_value.c  the values of expressions
 */
#ifndef HLC_BOUNDS_QUERY_RUN_H
#define HLC_BOUNDS_QUERY_RUN_H

#include "checkers/query/query.h"

typedef struct QueryBox {
    int64_t lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS]; /* inclusive */
} QueryBox;

/* An image: what is said to be read of it, and what is. */
typedef struct QueryInput {
    const BoundsRegion *region;
    QueryBox box, asked;
} QueryInput;

/* What is true of a func at this moment of the run. */
typedef struct State {
    const Func *func;
    bool allocated, computed;
    QueryBox memory, compute, held; /* held: what is right once it is computed */
    /* Of one run, or where it slides of all that hold for one another, hulls: of what is computed,
     * of the reads that must be right, and of all the language's. */
    QueryBox total, asked, evaluated;
    unsigned char *right;    /* of a slid one, a byte a point of memory: is it computed? */
    size_t points, capacity; /* in `right`; how many there is room for */
    bool slides;             /* `right` says what is so since it was allocated */
    unsigned char *covered[MAX_DIMENSIONS]; /* by the stage that runs: a byte a coordinate of Cpu */
    QuerySlack slack[MAX_DIMENSIONS];
} State;

typedef struct QueryFrame {
    Stmt *owner; /* null for the program's block */
    Stmt *next;
    int64_t value, last; /* of a loop */
} QueryFrame;

/* A node of an expression, with its operator where it has one. */
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
    QueryKnown *known; /* by a node's number */
    uint64_t instance; /* at work; one sees one value of each read */
    Vec(State *) order;
    Vec(QueryFrame) frames;
    uint64_t random;
    QueryAnswer answer;
} QueryState;

/* ---- query_value.c ---- */
/* The expression's value in the statement instance at work. */
Bits query_evaluate(QueryState *query, Expr expr);
/* The accesses in it. */
const Exprs *query_accesses(QueryState *query, Expr expr);
/* From here on the variable of a loop or let has this value. */
void query_bind(QueryState *query, Symbol name, Bits value);

/* ---- query_ask.c ---- */
/* The first violation stands. */
void query_violate(QueryState *query, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The intervals as a box, whose lengths must not be negative; `what` of `func` it is. */
QueryBox query_box(QueryState *query, const Extent *intervals, int dimensions, const char *what,
                   Symbol func);
/* The hull of no points. */
QueryBox query_no_box(void);
/* The reads of an expression that is evaluated in any case. */
void query_check_reads(QueryState *query, Expr expr);
void query_check_store(QueryState *query, const Stmt *stmt);
/* What a store's stage reaches. */
void query_cover(QueryState *query, const Stmt *store);
/* The same at an `if` whose other iterations the algorithm leaves out, not the schedule: a
 * predicate, and the guard of a split reduction of which a part became a dimension. */
void query_cover_branch(QueryState *query, const Stmt *branch);
/* Of labels; those that are no stage's ask nothing. */
void query_enter_stage(QueryState *query, const Stmt *label);
void query_leave_stage(QueryState *query, const Stmt *label);
void query_enter_compute(QueryState *query, const Stmt *stmt);
/* Counts what nobody asked of a func's last run, and of an image. */
void query_settle(State *state);
QuerySlack query_input_slack(const QueryInput *input, int k);

#endif
