/* elaborate.h -- turns syntax into expressions: looks names up, expands lets and helpers, assigns
 * types and sorts.  Declares the state that the files of this step share.
 *
 * One function does the work, `elaborate`.  It goes top-down with a *sort* (semantics.md, section
 * 1):
 *
 *   SORT_INDEX  arithmetic is index arithmetic; a variable is itself; a leaf of value type enters
 *               by index(e)
 *   SORT_VALUE  arithmetic is the machine's; a variable x is i32(x)
 *
 * A let, a constant, a helper and its arguments are expanded at each use.  The expansion sees the
 * scope of the definition and takes the sort of the use: `let n = x + 1` is index arithmetic in
 * `in(n)` and i32 arithmetic in `n * 2`.  Each stage remembers its expansions without arguments, so
 * sharing costs nothing.
 *
 * A literal has no type until an operand gives it one: a Result is an expression or such a literal.
 */
#ifndef HLC_FRONTEND_ELABORATE_H
#define HLC_FRONTEND_ELABORATE_H

#include "base/nearest.h"
#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "ir/walk.h"

typedef enum Sort { SORT_VALUE, SORT_INDEX } Sort;

/* An `expr`, or a `literal` (SYNTAX_INTEGER or SYNTAX_FLOAT, perhaps negated) that has no type yet.
 * Both null: a reported fault. */
typedef struct Result {
    Expr expr;
    const Syntax *literal;
    bool negative;
} Result;
typedef Vec(Result) Results;

#define FAILED ((Result){NULL, NULL, false})
static inline bool result_failed(Result result) {
    return !result.expr && !result.literal;
}
static inline Result result_of(Expr expr) {
    return (Result){expr, NULL, false};
}

typedef enum BindingKind {
    BINDING_PARAMETER, /* `expr` is its variable */
    BINDING_IMAGE,
    BINDING_FUNC,
    BINDING_INDEX, /* a pure or reduction variable, or a coordinate: `expr`, of sort index */
    BINDING_LET,
    BINDING_ARGUMENT /* a helper's: `syntax` in `environment` */
} BindingKind;

typedef enum DefinitionState {
    FUNC_DECLARED, /* `fun f(x): i32;`, not defined yet */
    FUNC_DEFINING, /* its stages are being read */
    FUNC_DEFINED,
    FUNC_BROKEN /* its pure stage has a fault; its uses get no further reports */
} DefinitionState;

typedef struct NameBinding NameBinding;
typedef struct Elaborator Elaborator;

/* The names visible at a place: local names, and global names numbered below `visible`. */
typedef struct Environment {
    const NameBinding *locals;
    uint32_t visible;
} Environment;

/* An image dimension that a boundary condition folds coordinates into. */
typedef struct BoundaryUses {
    Vec(BoundaryUse) uses;
} BoundaryUses;

/* A func, with the data of the front end. */
typedef struct FuncEntry {
    Func *func;
    DefinitionState state;
    const FunSyntax *declaration; /* null without one */
    BoundaryUses boundaries;
    struct Generated *generated;       /* null for funcs that the user wrote */
    const struct EquationBlock *block; /* the recurrence that contains it; null: none */
    bool is_extended;                  /* an equation that lacks variables of the domain */
    bool lacks_stages;                 /* stages with reported faults are missing */
} FuncEntry;

/* A recurrence while it is read (recurrence.c). */
typedef struct EquationBlock {
    Recurrence *recurrence;
    const RecurrenceSyntax *syntax;
    const FunSyntax *first;    /* the first equation: all equations have its variables; null before
                                  it */
    const FuncEntry *extended; /* the first extended equation; null before it */
    bool is_broken;            /* its domain has a fault */
    bool in_extended;          /* an extended equation is being read */
} EquationBlock;

struct NameBinding {
    BindingKind kind;
    Symbol name;
    Place place;
    uint32_t number;          /* global bindings: order of definition */
    const NameBinding *outer; /* local bindings: the scope around it */
    Expr expr;
    const ImageParameter *image;
    FuncEntry *func;
    const LetSyntax *let;
    const Syntax *syntax; /* a LET's value, an ARGUMENT's actual argument */
    Environment environment;
    struct {
        uint32_t stage; /* Elaborator.stage_number of its creation; 0: empty */
        Result result;
    } memo[2]; /* one a Sort */
};

typedef Vec(NameBinding *) Bindings;

/* Global names: those of all files (`outer` null) or of one pipeline. */
typedef struct NameTable {
    Map by_name;
    Bindings bindings;
    /* For the module's names: numbers stages and counts work across all pipelines. */
    uint32_t last_stage_number;
    size_t steps;
} NameTable;

/* One case for each kind of syntax (expand.c).  The cases call `elaborate`, which calls them.
 * pipeline.c hands the table down, so only files above expand.c need it. */
typedef struct SyntaxCases {
    Result (*value)(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort);
    bool (*components)(Elaborator *e, Environment environment, const Syntax *syntax,
                       Results *components);
} SyntaxCases;

struct Elaborator {
    const SyntaxCases *cases;
    Context *context;
    Arena *arena;
    Pool *pool;
    Pipeline *pipeline;
    NameTable *module_names, *pipeline_names;
    uint32_t next_number;
    size_t depth, steps;  /* of the recursion; of work for this stage */
    bool too_large;       /* of this stage: reported */
    EquationBlock *block; /* the recurrence being read; null outside */
    bool in_schedule;     /* strides and output windows may be named */
    Map made;             /* in a schedule: Symbol of a new func -> the directive that makes it */

    /* The stage being read; null while a startup expression is. */
    FuncEntry *entry;
    Stage *stage;
    Map sites; /* of this stage: the accesses that have a site */
    uint32_t stage_number;
    Exprs active; /* variables of the surrounding stage and inline reductions */

    Symbol root;   /* the func that the user wrote: it gives generated funcs their names */
    Map taken;     /* Symbol -> NameSyntax: all names that the pipeline defines anywhere */
    Map generated; /* body -> list of generated funcs, for sharing */
};

/* ---- scope.c ---- */

/* Adds a global name. Null after reporting a name that is taken or reserved. */
NameBinding *scope_declare(Elaborator *e, NameTable *names, BindingKind kind, NameSyntax name);
/* Adds a local name to `environment`. */
NameBinding *scope_bind(Elaborator *e, Environment *environment, BindingKind kind, Symbol name);
/* Returns null, without a report, if there is no such name. */
NameBinding *scope_find(const Elaborator *e, Environment environment, Symbol name);
/* Reports that `name` is unknown (or defined later), with the nearest known name. */
void scope_unknown(Elaborator *e, Environment environment, Symbol name, Place place,
                   const char *what);
/* Is it a built-in function, conversion, reduction or boundary condition? */
bool scope_is_builtin(Symbol name);
/* Reports the unknown names in a let that may never be used. */
void scope_check(Elaborator *e, Environment environment, const Syntax *syntax);
/* ---- types.c ---- */

/* Finds the least type that holds all values of both types; false if there is none. */
bool type_join(Type a, Type b, Type *join);
/* Gives a literal this type; an expression must already have it. Null after reporting, with the
 * cast to write. */
Expr result_to(Elaborator *e, Result result, Type type, Place place);
/* Gives a literal this type if it fits. Leaves other results unchanged. */
Result result_prefer(Elaborator *e, Result result, Type type);
/* Returns the result as a value: a literal becomes i32, or f32 with a point. */
Expr result_value(Elaborator *e, Result result, Place place);
/* Returns the result as an index: a value enters by index(e). */
Expr result_index(Elaborator *e, Result result, Place place);
/* Applies an operator. Its row in ops.def says how the operands get one type. */
Result apply_operator(Elaborator *e, Op op, Result *operands, Place place);
Result apply_conversion(Elaborator *e, Op op, Type type, Result operand, Place place);
/* Converts all operands to one type. False after reporting. */
bool unify(Elaborator *e, Result *operands, int count, Place place, bool floats_only);

/* ---- elaborate.c ---- */

Result elaborate(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort);
/* Null after reporting. */
Expr elaborate_value(Elaborator *e, Environment environment, const Syntax *syntax);
Expr elaborate_index(Elaborator *e, Environment environment, const Syntax *syntax);
Expr elaborate_bool(Elaborator *e, Environment environment, const Syntax *syntax);
/* The components of a tuple, or the one value.  False after reporting. */
bool elaborate_components(Elaborator *e, Environment environment, const Syntax *syntax,
                          Results *components);
/* Counts a step of work and a level of recursion; the caller leaves the level by `e->depth--`.
 * False if either limit is exceeded, which is reported once a stage. */
bool elaborate_enter(Elaborator *e, const Syntax *syntax);
/* An expression with a declared type is a value of that type, even inside an index. `let` may be
 * null. */
Result elaborate_typed(Elaborator *e, Environment environment, const Syntax *syntax,
                       const LetSyntax *let, Sort sort);
/* Binds a helper's parameter to the caller's argument. */
void bind_argument(Elaborator *e, Environment *environment, Symbol parameter, const Syntax *syntax,
                   Environment caller);
/* Expands a let or an argument. */
Result expand_binding(Elaborator *e, NameBinding *binding, Sort sort);
/* Expands names and helpers until the syntax is something else, e.g. a tuple or a table. */
const Syntax *expand_aliases(Elaborator *e, Environment *environment, const Syntax *syntax);

/* ---- call.c ---- */

typedef enum BoundaryKind {
    BOUNDARY_REPEAT_EDGE,
    BOUNDARY_REPEAT_IMAGE,
    BOUNDARY_MIRROR_IMAGE,
    BOUNDARY_MIRROR_INTERIOR,
    BOUNDARY_CONSTANT_EXTERIOR,
    BOUNDARY_NONE
} BoundaryKind;

typedef enum CallableKind {
    CALLABLE_FUNC,
    CALLABLE_IMAGE,
    CALLABLE_HELPER,
    CALLABLE_BOUNDARY
} CallableKind;

/* Something that takes coordinates (or a helper, which takes arguments). */
typedef struct Callable {
    CallableKind kind;
    NameBinding *binding; /* not of a BOUNDARY */
    BoundaryKind boundary;
    const Syntax *syntax; /* of a BOUNDARY: the call repeat_edge(..) */
    Environment environment;
    struct Callable *inner;
} Callable;

bool call_resolve(Elaborator *e, Environment environment, const Syntax *callee, Callable *callable);
Result elaborate_call(Elaborator *e, Environment environment, const Syntax *call, Sort sort);
bool call_components(Elaborator *e, Environment environment, const Syntax *call,
                     Results *components);
Result elaborate_member(Elaborator *e, Environment environment, const Syntax *member, Sort sort);
/* Reads a callable at coordinates; component -1 means the only one.  Null after reporting. */
Expr call_at(Elaborator *e, const Callable *callable, const Expr *indices, int count, int component,
             Place place);
/* Returns the number of components; 1 for a helper. */
int call_component_count(const Callable *callable);

/* ---- boundary.c ---- */

BoundaryKind boundary_from_name(Symbol name);
/* Folds the coordinates into the interval. `inside` is the condition that they were inside before.
 * False after reporting. */
bool boundary_fold(Elaborator *e, const Callable *callable, const Expr *indices, int count,
                   Expr *folded, Expr *inside);
/* Returns the value of a read at folded coordinates: `read`, except for constant_exterior. Null
 * after reporting. */
Expr boundary_value(Elaborator *e, const Callable *callable, Expr inside, Expr read);

/* ---- reduce.c ---- */

/* The components of an inline reduction: a generated func, read at the variables free in the body.
 */
bool elaborate_reduction(Elaborator *e, Environment environment, const Syntax *syntax,
                         Results *components);

/* ---- stages.c ---- */

/* Enter and leave the reading of a stage. The caller keeps the state of the outer one. */
typedef struct StageState {
    FuncEntry *entry;
    Stage *stage;
    Map sites;
    uint32_t stage_number;
} StageState;
StageState stage_enter(Elaborator *e, FuncEntry *entry, Stage *stage);
void stage_leave(Elaborator *e, StageState state);
Stage *stage_create(Elaborator *e, Func *func, Place place);
/* Reads the intervals of reduction variables, names the variables and binds them.  False after
 * reporting. */
bool stage_reduction(Elaborator *e, Environment outer, Environment *inner,
                     const ReductionSyntaxes *reduction, Stage *stage);
/* Refuses an expression beyond the limits. */
bool stage_size_ok(Elaborator *e, Expr expr, Place place);
/* Records the place of an access in the current stage; returns the access. */
Expr record_access(Elaborator *e, Expr access, Place place);
/* A startup expression (Def 4.4); `what` names it in the message.  Null after reporting. */
Expr elaborate_startup(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort,
                       const char *what);

/* ---- equation.c ---- */

/* Does a func in the current block have the variables of one of its equations? Fills the entry.
 * False after reporting. */
bool equation_admit(Elaborator *e, const FunSyntax *syntax, FuncEntry *entry);
/* May this place read a func of the current block? False after reporting. */
bool equation_readable(Elaborator *e, const FuncEntry *entry, Place place);

/* ---- define.c ---- */

void define_func(Elaborator *e, const FunSyntax *syntax);

/* ---- extended.c ---- */

/* Binds the variables of the domain that an equation lacks: its definition may mention them. */
void extended_bind(Elaborator *e, const Func *func, Environment *environment);
/* Turns the definition over them into an update. False after reporting. */
bool extended_finish(Elaborator *e, Func *func);
/* Converts an index or an i32 to a coordinate of the same value, in which no sum wraps. */
Expr exact_index(const Elaborator *e, Expr value);

/* ---- recurrence.c ---- */

void define_recurrence(Elaborator *e, const RecurrenceSyntax *syntax);

/* ---- expand.c ---- */

extern const SyntaxCases syntax_cases;

/* ---- pipeline.c ---- */

NameTable *names_create(Arena *arena);
/* Declares a file's lets; the result is the next number. */
uint32_t elaborate_lets(Context *context, Arena *arena, const FileSyntax *file, NameTable *names,
                        uint32_t next_number);
/* Reports faults, and returns the readable part; never null. `*names` gets its names. */
Pipeline *elaborate_pipeline(Context *context, Arena *arena, const PipelineSyntax *syntax,
                             NameTable *module_names, uint32_t next_number, NameTable **names);

/* Returns a state for reading the startup expressions of a pipeline's schedules. */
Elaborator elaborate_in_schedule(Context *context, Arena *arena, Pipeline *pipeline,
                                 NameTable *module_names, NameTable *names);

/* ---- directives.c ---- */

/* Reports faults. Returns null only if the pipeline is null. */
Schedule *elaborate_schedule(Context *context, Arena *arena, const ScheduleSyntax *syntax,
                             Pipeline *pipeline, NameTable *module_names, NameTable *names);

#endif
