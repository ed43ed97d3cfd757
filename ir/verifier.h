/* verifier.h -- inside the verifier: shared by verify_expr.c (expressions) and verify.c
 * (statements, the walk). */
#ifndef HLC_IR_VERIFIER_H
#define HLC_IR_VERIFIER_H

#include "ir/verify.h"

#include "ir/print.h"
#include "ir/walk.h"

typedef struct VerifierFunc {
    bool allocated, computed;
    bool is_table; /* its current allocation is constant */
    bool served;   /* an output, allocated and computed at the end of an outermost block */
    int inside;    /* number of enclosing compute statements of this func */
} VerifierFunc;

typedef struct VerifierBinding {
    Type type;
    bool in_scope;
} VerifierBinding;

/* A flag that was set in the current block or an enclosing one. */
typedef struct VerifierChange {
    VerifierFunc *state;
    bool is_computed; /* the flag is `computed`; else `allocated` */
} VerifierChange;

typedef Vec(VerifierChange) Changes;

/* A block being walked. */
typedef struct VerifierFrame {
    Block *block;
    Stmt *next;               /* null at the end of the block */
    size_t mark;              /* length of Verifier.changes at the start of the block */
    const Map *then_computed; /* in the else branch of an if: the states that the then branch
                                 computed */
} VerifierFrame;

typedef struct Verifier {
    Arena *arena;
    const Program *program;
    bool holes_allowed;
    const Stmt *stmt; /* the current statement */
    const char *fault;
    Place place;    /* place of the faulty statement, or no place */
    Map bindings;   /* Symbol -> VerifierBinding */
    Map states;     /* Symbol -> VerifierFunc */
    Map names;      /* set of names that must be unique */
    Map statements; /* set of compute and allocate statements met */
    uint32_t *seen; /* by node number: the last statement that contained the node */
    uint32_t epoch; /* number of the current statement */
    Vec(VerifierFrame) frames;
    Changes changes;
} Verifier;

/* ---- verify_expr.c ---- */
/* Records the fault, with `name` inserted and the current statement appended. Only the first fault
 * counts. */
void verifier_fault(Verifier *v, const char *format, const char *name);
VerifierFunc *verifier_state(Verifier *v, Symbol func);
/* Is it a field of an image or of an output: `in.extent.0`? */
bool verifier_is_field(Verifier *v, Symbol name);
/* Check an expression of the current statement (null is a fault), and that it has this type. */
void verifier_check_expr(Verifier *v, Expr root);
void verifier_check_typed(Verifier *v, Expr expr, Type type, const char *what);
void verifier_check_intervals(Verifier *v, const Extent *intervals, int count);

#define require(v, condition, ...) ((condition) ? (void)0 : verifier_fault((v), __VA_ARGS__))

#endif
