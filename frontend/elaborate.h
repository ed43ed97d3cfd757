/* elaborate.h -- turns syntax into expressions: looks names up, expands lets and helpers, assigns
 * types and sorts. Declares the state that the files of this step share.
 *
 * The function `elaborate` does the work. It goes top-down with a *sort* (semantics.md, section 1):
 *
 *   SORT_INDEX  arithmetic is index arithmetic; a variable is itself; a leaf of value type enters
 *               by index(e)
 *   SORT_VALUE  arithmetic is the machine's; a variable x is i32(x)
 *
 * Each use expands lets, constants, helpers and their arguments. The expansion has the scope of the
 * definition and the sort of the use: `let n = x + 1` is index arithmetic in `in(n)` and i32
 * arithmetic in `n * 2`. Each stage memoises its expansions without arguments, so sharing costs
 * nothing.
 *
 * A literal has no type until an operand gives it one. A Result is an expression or such a literal.
 */
#ifndef HLC_FRONTEND_ELABORATE_H
#define HLC_FRONTEND_ELABORATE_H

#include "base/nearest.h"
#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "frontend/warnings/watch.h"
#include "ir/walk.h"

typedef enum Sort { SORT_VALUE, SORT_INDEX } Sort;

/* An `expr`, or a `literal` (SYNTAX_INTEGER or SYNTAX_FLOAT, perhaps negated) that has no type yet.
 * If both are null, a fault has been reported. A product of constants is folded to a constant, but
 * contraction may need its two factors: `factors` has them, or is null. */
typedef struct Result {
    Expr expr;
    const Syntax *literal;
    bool negative;
    const Expr *factors;
} Result;
typedef Vec(Result) Results;

#define FAILED ((Result){NULL, NULL, false, NULL})
static inline bool result_failed(Result result) {
    return !result.expr && !result.literal;
}
static inline Result result_of(Expr expr) {
    return (Result){expr, NULL, false, NULL};
}
/* Returns the converted result: where the conversion changed nothing, a product is still one. */
static inline Result result_converted(Result result, Expr expr) {
    return (Result){expr, NULL, false, expr == result.expr ? result.factors : NULL};
}

typedef enum BindingKind {
    BINDING_PARAMETER, /* `expr` is its variable */
    BINDING_IMAGE,
    BINDING_FUNC,
    BINDING_INDEX, /* `expr` has sort index: a pure or reduction variable, or a coordinate */
    BINDING_LET,
    BINDING_ARGUMENT /* a helper's argument: `syntax` in `environment` */
} BindingKind;

typedef enum DefinitionState {
    FUNC_DECLARED, /* declared by `fun f(x): i32;`, not defined yet */
    FUNC_DEFINING, /* its stages are being read */
    FUNC_DEFINED,
    FUNC_BROKEN /* its pure stage has a fault, so its uses are not reported */
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
    const FunSyntax *declaration; /* null if there is none */
    BoundaryUses boundaries;
    struct Generated *generated;       /* null for funcs that the user wrote */
    const struct EquationBlock *block; /* the recurrence that contains it; null: none */
    bool is_extended;                  /* the equation lacks variables of the domain */
    bool lacks_stages;                 /* stages are missing, because their faults were reported */
} FuncEntry;

/* A recurrence while it is read (recurrence.c). */
typedef struct EquationBlock {
    Recurrence *recurrence;
    const RecurrenceSyntax *syntax;
    const FunSyntax *first;    /* the first equation, whose variables all equations have; null
                                  before it */
    const FuncEntry *extended; /* the first extended equation; null before it */
    bool is_broken;            /* the domain has a fault */
    bool in_extended;          /* an extended equation is being read */
} EquationBlock;

/* The result of a binding, so that each is computed once a stage. The number of the stage in which
 * it was computed (Elaborator.stage_number) comes first; 0: none. */
typedef struct ValueMemo {
    uint32_t stage;
    Result result;
} ValueMemo;

typedef struct ComponentsMemo {
    uint32_t stage;
    bool good;
    Results components;
} ComponentsMemo;

/* What the binding stands for (expand_aliases). If it is a tuple, the values of its elements: two
 * each, one a Sort. */
typedef struct AliasMemo {
    uint32_t stage;
    Environment environment;
    const Syntax *syntax;
    ValueMemo *elements;
} AliasMemo;

struct NameBinding {
    BindingKind kind;
    Symbol name;
    Place place;
    uint32_t number;          /* for global bindings: position in the order of definition */
    const NameBinding *outer; /* for local bindings: the scope around this one */
    Expr expr;
    const ImageParameter *image;
    FuncEntry *func;
    const LetSyntax *let;
    const Syntax *syntax; /* a LET's value, or the actual argument of an ARGUMENT */
    Environment environment;
    bool is_noted[2];  /* one for each Sort: in `let_types` */
    ValueMemo memo[2]; /* one for each Sort */
    ComponentsMemo components;
    AliasMemo alias;
};

typedef Vec(NameBinding *) Bindings;

/* Global names, either of all files (`outer` is null) or of one pipeline. */
typedef struct NameTable {
    Map by_name;
    Bindings bindings;
    /* For the module's names: the last stage number and the work so far, over all pipelines. */
    uint32_t last_stage_number;
    size_t steps;
    LetTypes let_types;
    Watch *watch; /* null: nobody asks for warnings */
} NameTable;

/* The functions for the kinds of syntax (expand.c). They call `elaborate`, which calls them through
 * this table. pipeline.c passes the table down, so only files above expand.c need it. */
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
    size_t depth, steps;  /* recursion depth, and work for this stage */
    bool too_large;       /* a limit was exceeded in this stage, and reported */
    EquationBlock *block; /* the recurrence being read; null outside */
    bool in_schedule;     /* strides and output windows may be used */
    /* The pipeline whose requirement is being read: there, too; null outside. */
    const PipelineSyntax *requiring;
    Map made; /* in a schedule: Symbol of a new func -> the directive that makes it */

    /* The stage being read; null during a startup expression. */
    FuncEntry *entry;
    Stage *stage;
    Map sites; /* the accesses of this stage that have a site */
    uint32_t stage_number;
    Exprs active; /* variables of the surrounding stage and inline reductions */

    Symbol root;   /* the user's func, after which generated funcs are named */
    Map taken;     /* Symbol -> NameSyntax: all names that the pipeline defines anywhere */
    Map generated; /* body -> list of generated funcs, for sharing */
};

/* ---- scope.c ---- */

/* Adds a global name. Returns null after reporting that the name is taken or reserved. */
NameBinding *scope_declare(Elaborator *e, NameTable *names, BindingKind kind, NameSyntax name);
/* Adds a local name to `environment`. */
NameBinding *scope_bind(Elaborator *e, Environment *environment, BindingKind kind, Symbol name);
/* Returns null, without reporting, if there is no such name. */
NameBinding *scope_find(const Elaborator *e, Environment environment, Symbol name);
/* Reports that `name` is unknown (or defined later), with the nearest known name. */
void scope_unknown(Elaborator *e, Environment environment, Symbol name, Place place,
                   const char *what);
/* Is it a built-in function, conversion, reduction or boundary condition? */
bool scope_is_builtin(Symbol name);
/* The i-th of those that are no operators; null behind the last. */
const char *scope_builtin(size_t i);
/* Reports unknown names in a let, which may never be used. */
void scope_check(Elaborator *e, Environment environment, const Syntax *syntax);
/* ---- types.c ---- */

/* Finds the least type that holds all values of both types; false if there is none. */
bool type_join(Type a, Type b, Type *join);
/* Gives a literal this type. An expression must already have it: otherwise the report suggests a
 * cast, and the result is null. */
Expr result_to(Elaborator *e, Result result, Type type, Place place);
/* Gives a literal this type if it fits. Returns other results unchanged. */
Result result_prefer(Elaborator *e, Result result, Type type);
/* Returns the result as a value. A literal becomes i32, or f32 if it has a point. */
Expr result_value(Elaborator *e, Result result, Place place);
/* Returns the result as an index. A value enters by index(e). */
Expr result_index(Elaborator *e, Result result, Place place);
/* Applies an operator. Its row in ops.def says how the operands get one type. */
Result apply_operator(Elaborator *e, Op op, Result *operands, Place place);
Result apply_conversion(Elaborator *e, Op op, Type type, Result operand, Place place);
/* Converts all operands to one type. Returns false after reporting. */
bool unify(Elaborator *e, Result *operands, int count, Place place, bool floats_only);

/* ---- elaborate.c ---- */

Result elaborate(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort);
/* Return null after reporting. */
Expr elaborate_value(Elaborator *e, Environment environment, const Syntax *syntax);
Expr elaborate_index(Elaborator *e, Environment environment, const Syntax *syntax);
Expr elaborate_bool(Elaborator *e, Environment environment, const Syntax *syntax);
/* Lists the components of a tuple, or the single value. Returns false after reporting. */
bool elaborate_components(Elaborator *e, Environment environment, const Syntax *syntax,
                          Results *components);
/* Counts a step of work and a level of recursion; the caller leaves the level by `e->depth--`.
 * Returns false if a limit is exceeded, and reports that once for each stage. */
bool elaborate_enter(Elaborator *e, const Syntax *syntax);
/* Elaborates `syntax`. If `let` declares a type, the result is a value of that type, even inside an
 * index. `let` may be null. */
Result elaborate_typed(Elaborator *e, Environment environment, const Syntax *syntax,
                       const LetSyntax *let, Sort sort);
/* Binds a helper's parameter to the caller's argument. */
void bind_argument(Elaborator *e, Environment *environment, Symbol parameter, const Syntax *syntax,
                   Environment caller);
/* Expands a let or an argument. */
Result expand_binding(Elaborator *e, NameBinding *binding, Sort sort);
/* Expands names and helpers until another kind of syntax remains, e.g. a tuple or a table. */
const Syntax *expand_aliases(Elaborator *e, Environment *environment, const Syntax *syntax);
/* The value of one element of the tuple that `name` stands for. */
Result expand_element(Elaborator *e, Environment environment, const Syntax *name, size_t element,
                      Sort sort);

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

/* Something that is read at coordinates, or a helper, which takes arguments. */
typedef struct Callable {
    CallableKind kind;
    NameBinding *binding; /* null for a BOUNDARY */
    BoundaryKind boundary;
    const Syntax *syntax; /* for a BOUNDARY: the call repeat_edge(..) */
    Environment environment;
    struct Callable *inner;
} Callable;

bool call_resolve(Elaborator *e, Environment environment, const Syntax *callee, Callable *callable);
/* Reads the arguments of select(..), an odd number of at least 3. */
Result elaborate_select(Elaborator *e, Environment environment, const Syntax *const *children,
                        size_t count, Place place, Sort sort);
Result elaborate_call(Elaborator *e, Environment environment, const Syntax *call, Sort sort);
bool call_components(Elaborator *e, Environment environment, const Syntax *call,
                     Results *components);
Result elaborate_member(Elaborator *e, Environment environment, const Syntax *member, Sort sort);
/* Reads a callable at coordinates. Component -1 means the only one. Returns null after reporting.
 */
Expr call_at(Elaborator *e, const Callable *callable, const Expr *indices, int count, int component,
             Place place);
/* The i-th field of images, `width`; null behind the last. */
const char *call_field(size_t i);
/* Returns the number of components; 1 for a helper. */
int call_component_count(const Callable *callable);

/* ---- boundary.c ---- */

BoundaryKind boundary_from_name(Symbol name);
/* Folds the coordinates into the interval. `inside` tells whether they were inside before. Returns
 * false after reporting. */
bool boundary_fold(Elaborator *e, const Callable *callable, const Expr *indices, int count,
                   Expr *folded, Expr *inside);
/* Returns the value of a read at folded coordinates: `read`, except for constant_exterior. Returns
 * null after reporting. */
Expr boundary_value(Elaborator *e, const Callable *callable, Expr inside, Expr read);

/* ---- reduce.c ---- */

/* Generates a func for an inline reduction. `components` are its reads at the free variables of the
 * body. */
bool elaborate_reduction(Elaborator *e, Environment environment, const Syntax *syntax,
                         Results *components);

/* ---- extern.c ---- */

/* Elaborates a call of a C function, the value of a func with declared types: a component each.
 * Returns false after reporting. */
bool elaborate_extern(Elaborator *e, Environment environment, const Syntax *syntax,
                      const FunSyntax *typed, Results *components);

/* ---- stages.c ---- */

/* Saves the state of the enclosing stage. stage_enter and stage_leave bracket the reading of a
 * stage. */
typedef struct StageState {
    FuncEntry *entry;
    Stage *stage;
    Map sites;
    uint32_t stage_number;
} StageState;
StageState stage_enter(Elaborator *e, FuncEntry *entry, Stage *stage);
void stage_leave(Elaborator *e, StageState state);
Stage *stage_create(Elaborator *e, Func *func, Place place);
/* Reads the intervals of reduction variables, names the variables and binds them. Returns false
 * after reporting. */
bool stage_reduction(Elaborator *e, Environment outer, Environment *inner,
                     const ReductionSyntaxes *reduction, Stage *stage);
/* Refuses an expression that exceeds the limits. */
bool stage_size_ok(Elaborator *e, Expr expr, Place place);
/* Records the place of an access in the current stage; returns the access. */
Expr record_access(Elaborator *e, Expr access, Place place);
/* Elaborates a startup expression (Def 4.4). `what` names it in the message. Returns null after
 * reporting. */
Expr elaborate_startup(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort,
                       const char *what);

/* ---- equation.c ---- */

/* Checks that a func in the current block has the variables of an equation, and fills the entry.
 * Returns false after reporting. */
bool equation_admit(Elaborator *e, const FunSyntax *syntax, FuncEntry *entry);
/* May this place read a func of the current block? Returns false after reporting. */
bool equation_readable(Elaborator *e, const FuncEntry *entry, Place place);

/* ---- define.c ---- */

void define_func(Elaborator *e, const FunSyntax *syntax);

/* ---- extended.c ---- */

/* Binds the variables of the domain that an equation lacks, because its definition may mention
 * them. */
void extended_bind(Elaborator *e, const Func *func, Environment *environment);
/* Turns a definition that mentions such variables into an update. Returns false after reporting. */
bool extended_finish(Elaborator *e, Func *func);
/* Converts an index or an i32 to an equal coordinate. No sum in it wraps. */
Expr exact_index(const Elaborator *e, Expr value);

/* ---- recurrence.c ---- */

void define_recurrence(Elaborator *e, const RecurrenceSyntax *syntax);

/* ---- expand.c ---- */

extern const SyntaxCases syntax_cases;

/* ---- pipeline.c ---- */

NameTable *names_create(Arena *arena);
/* Declares a file's lets, and returns the next number. */
uint32_t elaborate_lets(Context *context, Arena *arena, const FileSyntax *file, NameTable *names,
                        uint32_t next_number);
/* Reports faults, and returns the readable part; never null. Stores the pipeline's names in
 * `*names`. */
Pipeline *elaborate_pipeline(Context *context, Arena *arena, const PipelineSyntax *syntax,
                             NameTable *module_names, uint32_t next_number, NameTable **names);

/* Returns a state that reads the startup expressions of a pipeline's schedules. */
Elaborator elaborate_in_schedule(Context *context, Arena *arena, Pipeline *pipeline,
                                 NameTable *module_names, NameTable *names);

/* ---- directives.c ---- */

/* Reports faults. Returns null only if the pipeline is null. */
Schedule *elaborate_schedule(Context *context, Arena *arena, const ScheduleSyntax *syntax,
                             Pipeline *pipeline, NameTable *module_names, NameTable *names);

#endif
