/* extern.h -- the value of an extern stage: a C function that takes buffers.
 *
 *     extern "blur3"(f[x - 1, y] .. f[x + 1, y], n, 2.5)
 *
 * An OP_EXTERN node is the whole value of a func's only stage. Its arguments are those of the C
 * function, in order: a scalar is one expression, a box of a func or an image is two accesses, its
 * first and its last point. A tuple func passes each component as a box of its own. Behind them the
 * function gets a buffer for each component of the func.
 *
 * At a point of the func the node needs the whole box for that point. Bounds, checks and
 * certificates see the two reads of its corners, whose hull is the box. The function is
 * uninterpreted: no part of the compiler knows a value of it. By contract the value of a point
 * depends on nothing but the box and the scalars (semantics.md, "Extern stages").
 */
#ifndef HLC_IR_EXTERN_H
#define HLC_IR_EXTERN_H

#include "ir/signature.h"
#include "ir/stmt.h"
#include "runtime/hlc_runtime.h"

/* One argument of the function before the outputs. */
typedef struct ExternPart {
    Expr scalar;      /* null for a box */
    Expr first, last; /* the accesses of a box */
} ExternPart;
typedef Vec(ExternPart) ExternParts;

/* May a pipeline of this name call a C function of this name? */
bool extern_may_be_named(const char *name, const char *pipeline);
ExternParts extern_parts(Arena *arena, Expr call);
/* Returns the rules of the runtime for the arguments, then for the components of the func. */
hlc_extern_rule *extern_rules(Arena *arena, const ExternParts *parts, const FuncShape *func);

/* Is the statement the store of an extern stage? */
static inline bool stmt_is_extern(const Stmt *stmt) {
    return stmt->kind == STMT_STORE && stmt->store.values[0]->op == OP_EXTERN;
}

/* Lists the stores of extern stages, in program order; one for each pair of a func and a C
 * function. */
typedef Vec(const Stmt *) ExternStores;
ExternStores extern_stores(const Program *program, Arena *arena);

/* Puts each store of a box into loops over the box that store one point each, from the same boxes of
 * inputs: what certificates ask about. extern_gather undoes it; `arena` lives until then. */
typedef struct SpreadStore {
    Stmt *store;
    Expr *indices, *lasts; /* of the box */
} SpreadStore;
typedef Vec(SpreadStore) SpreadStores;
SpreadStores extern_spread(Program *program, Arena *arena);
void extern_gather(const SpreadStores *spread);

/* What hlc_extern_call gets as its closure outside of compiled code. */
typedef struct ExternClosure {
    void (*function)(void);
    const hlc_extern_rule *rules;
    int count;
} ExternClosure;

/* The C functions that a context's programs may call. */
typedef struct ExternTable {
    Map functions;         /* Symbol -> ExternEntry */
    hlc_extern_call *call; /* by an ExternClosure; codegen has libffi */
    Vec(Symbol) names;
} ExternTable;

typedef struct ExternEntry {
    void (*function)(void);
} ExternEntry;

/* Returns null if the context has no function of this name. */
const ExternEntry *extern_find(const Context *context, Symbol name);

/* One call by an interpreter. The callbacks read and write elements; they return false after
 * failing. */
typedef struct ExternRun {
    Context *context;
    Symbol function;
    const FuncShape *func;
    const ExternParts *parts;
    const hlc_extern_rule *rules;
    const Bits *scalars; /* by part */
    /* By part, then that of the func: the first and the last coordinates of the box. */
    const int64_t (*boxes)[2][MAX_DIMENSIONS];
    bool (*read)(void *data, size_t part, const int64_t *point, Bits *bits);
    bool (*write)(void *data, const int64_t *point, const Bits *values);
    void *data;
} ExternRun;

/* Reads the boxes, calls the function (runtime/extern.c) and writes its values. Returns 0 or an
 * error with the report filled; EXTERN_LEFT after a callback that failed. */
enum { EXTERN_LEFT = 1 };
int extern_run(const ExternRun *run, hlc_report *report);

#endif
