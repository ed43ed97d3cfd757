/* emit.h -- inside codegen/: the state of making one module, and what its files offer each other.
 *
 * A program becomes these functions:
 *
 *   NAME.TARGET(report, parameters, buffers' fields and hosts)
 *       the program itself, for each target; stmt.c, expr.c
 *   NAME.needs(scalars, boxes, needed)
 *       what the input images must hold; entry.c
 *   NAME_report(report, inputs, outputs)
 *       finds the version that this processor can run, checks the raw buffers, takes them apart;
 *       versions.c, entry.c
 *   NAME(inputs, outputs)
 *       the C ABI; hands a failure to the handler; entry.c
 *   NAME_argv(arguments)
 *       NAME, its arguments in an array; entry.c
 *   NAME_metadata()
 *       what the arguments are; metadata.c
 *
 * Representation: bool is i1 in registers and a byte 0 or 1 in memory, index is i64, other types
 * are their own.  The semantics of every operator is that of ir/value.h to the last bit; no
 * fast-math flag is ever set, and no flag that makes overflow of a value undefined.
 */
#ifndef HLC_CODEGEN_EMIT_H
#define HLC_CODEGEN_EMIT_H

#include "base/map.h"
#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"
#include "codegen/target.h"

/* One component of a func, or an image, as memory. */
typedef struct Memref {
    Type type;
    int dimensions;
    LLVMValueRef origin; /* address of the element at coordinates 0, 0, .. */
    LLVMValueRef bias; /* of a slot on the stack, whose places LLVM must see as constants: `origin`
                          is its first element's address, this far from that at 0, 0, ..; or null */
    LLVMValueRef stride[MAX_DIMENSIONS]; /* in elements, i64 */
    bool may_be_uninitialised;           /* our own allocation: loads are frozen */
    int64_t table_minimum, table_length; /* the bounds of dimension 0 where it is dense, they are
                                            constants and all of it is ours; else length 0 */
    LLVMValueRef stays;      /* see stream.c: i64, 0 or 1; null: no store passes by the cache */
    unsigned least_streamed; /* bytes of a vector that may */
} Memref;

/* What the user handed over for one buffer, taken apart. */
typedef struct UserBuffer {
    LLVMValueRef host;
    LLVMValueRef minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS],
        stride[MAX_IMAGE_DIMENSIONS]; /* i64 */
    Layout layout;                    /* of an output: in which it is computed */
} UserBuffer;

/* A place on the stack of the function being made, for the address of what must be freed: see
 * allocate.c. */
typedef struct Held {
    struct Held *next;
    LLVMValueRef place;
    bool is_taken;
    bool is_kept; /* what stands there stays for the loop's next iterations */
} Held;

/* The scope of one allocation: what must be done when it ends. */
typedef struct AllocationScope {
    struct AllocationScope *outer;
    Symbol func;            /* what is allocated */
    LLVMValueRef memory;    /* to free, may be null at run time */
    Held *held;             /* where it stands; null where there is nothing to free */
    struct StackSlot *slot; /* where it lies instead, else null */
    const Memref *memref;
    const UserBuffer *user; /* of an output that may be staged, else null */
} AllocationScope;

/* Of what hlc_allocate gives, in bytes. */
enum { MEMORY_ALIGNMENT = 64 };

/* Memory on the stack of the function being made, for one allocation after the other. */
typedef struct StackSlot {
    struct StackSlot *next;
    LLVMValueRef address;
    int64_t bytes;
    bool is_taken;
} StackSlot;

/* Where the code being made comes from: see debug.c. */
typedef struct Where {
    LLVMMetadataRef scope;
    Place place;
    Place definition; /* the stage's */
} Where;

/* The function being made. */
typedef struct FunctionFrame {
    LLVMValueRef function;
    LLVMValueRef report;     /* hlc_report *, filled by whatever fails */
    LLVMBasicBlockRef entry; /* slots stand here; code begins in the block after it */
    LLVMBasicBlockRef
        on_failure;         /* frees what is held and returns; null until something can fail */
    AllocationScope *scope; /* the innermost; null where there is none */
    Held *held;
    StackSlot *slots;
    int64_t stack_bytes; /* of the slots */
    int64_t told_bytes;  /* of those that the schedule asked for */
    bool streams;        /* it has streaming stores: see stream.c */
    Where where;
    bool is_hot;  /* a loop is in it, or a vector: not only what is done once a call */
    int computes; /* compute statements in its loops so far */
} FunctionFrame;

/* What an expression of sort index is in the lanes of a vectorized loop, where it is known how it
 * moves: see affine_lanes.c. */
enum { MAX_PERIOD = 4 };
typedef struct AffineLanes {
    LLVMValueRef first, last; /* in the first and in the last lane: scalars */
    int64_t least, most;      /* of the differences from a lane to the next */
    unsigned period;          /* lane i + period has `cycle` more than lane i; 0: irregular */
    int64_t cycle;
    LLVMValueRef phases[MAX_PERIOD]; /* the first `period` lanes: scalars */
    const struct AffineLanes
        *inner;      /* irregular: what it is where no lane is clamped; may be null */
    unsigned tested; /* the test (Lanes.straight) that its regularity belongs to */
} AffineLanes;

/* The vectorized loop being made, or a masked part of it: see vector.c. */
typedef struct Lanes {
    unsigned count;    /* 0 in scalar code */
    LLVMValueRef mask; /* the lanes that run, at least one; null: all do */
    unsigned
        straight; /* number of a test that has been passed: the indices that it was made of move
                          by the greater of their differences (in size); 0: of none */
} Lanes;

/* A value that is a constant in the statements being made: see facts.c. */
typedef struct ConstantFact {
    LLVMValueRef value, constant;
} ConstantFact;

/* Accesses of a vectorized loop to elements that lie a little apart: see interleave.c. */
typedef struct Interleave Interleave;
/* Loads of neighbouring elements in rows: see transpose.c. */
typedef struct Transposed Transposed;
/* Stores past the cache that wait for each other: see stream.c. */
typedef struct Stream Stream;

/* Lanes of one vector; longer loops are made in pieces, up to a length beyond which they stay
 * loops.
 */
enum { MAX_LANES = 64, LONGEST_VECTORIZED = 256 };

typedef struct Debug Debug;

typedef struct Emitter Emitter;
struct Emitter {
    const Program *program;
    const Signature *signature;
    Context *context;
    Arena *arena;
    const ModuleMachine *machine;
    const Target *target;       /* what the function being made is for */
    bool trace;                 /* CodegenOptions.trace */
    bool for_address_sanitizer; /* AddressSanitizer or watch.c checks its accesses */
    const char *needs_fma;      /* an operator of the program that does, or null */

    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef void_type, i1, i8, i32, i64, pointer;

    Debug *debug; /* null: not wanted */

    FunctionFrame frame;
    Map variables; /* Symbol -> LLVMValueRef */
    Map memrefs;   /* Symbol -> Memref[components] */
    Map fields;    /* Symbol of a buffer's field, such as `input.extent.0` -> itself */
    Vec(ConstantFact) facts;
    Map outputs; /* Symbol of an output func -> UserBuffer[components] */
    Map read;    /* Symbols that the program reads -> not null; made when it is first asked for */

    /* values.c: the value of each node in the current statement, by node number. */
    LLVMValueRef *values;
    uint32_t value_count;
    Vec(uint32_t) known;
    Vec(Expr) pending;

    /* affine_lanes.c: of nodes, by node number, and of variables; null where there are none. */
    AffineLanes **affine;
    Map affine_variables; /* Symbol -> AffineLanes */
    Lanes lanes;
    Interleave *interleave; /* null until there is one */
    Transposed *transposed; /* the blocks that may still grow */
    Stream *stream;         /* null until there is one */
    unsigned tests;         /* made so far */
    int rare;               /* loops around of which few iterations run */
    int unrolled;           /* the product of the lengths of the unrolled loops around */
    Map rolled;             /* Stmt of an unrolled loop that is too large -> itself */
    Map warned;             /* Symbol of such a loop, of which that has been said -> it */

    /* emit_any_node: the search that last met a node, by node number. */
    uint32_t *met;
    uint32_t search;
    int loop_depth; /* loops around the place, in the function being made */

    /* emit_statements, for what makes the bodies of statements: see stmt.c. */
    void (*statements)(Emitter *emitter, const Block *block);
};

/* ---- emit.c ---- */
LLVMTypeRef emit_type(const Emitter *emitter, Type type);        /* in registers */
LLVMTypeRef emit_memory_type(const Emitter *emitter, Type type); /* in memory */
unsigned emit_type_code(Type type);                              /* in halide_type_t */
/* Of a scalar or a vector: how many lanes, what each is; the vector with as many lanes as `like`.
 */
unsigned emit_lane_count(LLVMValueRef value);
LLVMTypeRef emit_lane_type(LLVMValueRef value);
LLVMTypeRef emit_lanes_of(LLVMTypeRef type, LLVMValueRef like);
/* The integer constant, in all lanes, of the type of `like`. */
LLVMValueRef emit_constant_like(LLVMValueRef like, int64_t value);
LLVMValueRef emit_lane(Emitter *emitter, LLVMValueRef value, unsigned lane);
/* Lane from[i] of `a`, or of `b` (may be null) counted on from there, as lane i of `count`. */
enum { NO_LANE = -1 }; /* in `from`: any value */
LLVMValueRef emit_shuffle(Emitter *emitter, LLVMValueRef a, LLVMValueRef b, const unsigned *from,
                          unsigned count);
/* Lanes [first, first + count) of `value` and, to fill `lanes`, the first of them again. */
LLVMValueRef emit_take_lanes(Emitter *emitter, LLVMValueRef value, unsigned first, unsigned count,
                             unsigned lanes);
/* `value` with the first `count` lanes of `piece` from lane `first` on. */
LLVMValueRef emit_put_lanes(Emitter *emitter, LLVMValueRef value, LLVMValueRef piece,
                            unsigned first, unsigned count);
/* A vector stays as it is. */
LLVMValueRef emit_splat(Emitter *emitter, LLVMValueRef value, unsigned count);
LLVMValueRef emit_index_constant(const Emitter *emitter, int64_t value);
/* `count` numbers (i64) in an array on the stack; its address. */
LLVMValueRef emit_array(Emitter *emitter, const LLVMValueRef *numbers, int count);
/* The address of element `number` of an array. */
LLVMValueRef emit_at(const Emitter *emitter, LLVMTypeRef element, LLVMValueRef array,
                     int64_t number);
/* `value` at `offset` bytes from an address. */
LLVMValueRef emit_field(Emitter *emitter, LLVMTypeRef type, LLVMValueRef address, size_t offset);
/* A constant of the module, which no other module sees. */
LLVMValueRef emit_global(const Emitter *emitter, LLVMValueRef value, const char *name);
LLVMValueRef emit_text(Emitter *emitter, const char *text);
/* The function being made does what is done once a call, or once a thread: LLVM takes time for
 * everything it looks at, and of what a call does, all but the loops is nothing. */
void emit_mark_cold(Emitter *emitter);
LLVMBasicBlockRef emit_block(Emitter *emitter, const char *name);
/* Calls `visit` for each block of the module. */
typedef void BlockVisit(const Emitter *emitter, LLVMBasicBlockRef block);
void emit_each_block(const Emitter *emitter, BlockVisit *visit);
/* Goes on in a block that was made before: it stands behind what has been made since, so that code
 * has the order of the statements. */
void emit_resume(Emitter *emitter, LLVMBasicBlockRef block);
/* A slot on the stack, made in the entry block whatever the place. */
LLVMValueRef emit_slot(Emitter *emitter, LLVMTypeRef type, const char *name);
LLVMValueRef emit_call(Emitter *emitter, LLVMValueRef function, LLVMValueRef *arguments, int count);
/* A call of an intrinsic overloaded on the type of its first argument. */
LLVMValueRef emit_intrinsic(Emitter *emitter, const char *name, LLVMValueRef *arguments, int count);
/* A call of a function of the run-time library (runtime.def). */
typedef enum RuntimeFunction {
#define RUNTIME(NAME, RESULT, ...) RUNTIME_##NAME,
#include "codegen/runtime.def"
#undef RUNTIME
    RUNTIME_COUNT
} RuntimeFunction;
LLVMValueRef emit_runtime_call(Emitter *emitter, RuntimeFunction function, LLVMValueRef *arguments);
/* Goes on where `condition` holds, else leaves the function; the report has been filled. */
void emit_check(Emitter *emitter, LLVMValueRef condition);
/* The same, and what is made between the two fills the report: leaves the builder in a block that
 * is reached where `condition` is false; ends that, and goes on in the block that was returned. */
LLVMBasicBlockRef emit_begin_failure(Emitter *emitter, LLVMValueRef condition);
void emit_end_failure(Emitter *emitter, LLVMBasicBlockRef good);

/* ---- size.c ---- */
/* A place in the code of the function being made. */
typedef struct CodeMark {
    LLVMBasicBlockRef block;
    LLVMValueRef last; /* instruction before it in the block; null: none */
    LLVMBasicBlockRef last_block;
} CodeMark;
CodeMark size_mark(const Emitter *emitter);
/* What has been made since then, about as many instructions of the machine. */
int64_t size_since(const Emitter *emitter, const CodeMark *mark);

/* ---- expr.c ---- */
/* The expression's value at the builder's place.  Equal parts are made once a statement. */
LLVMValueRef emit_expr(Emitter *emitter, Expr expr);
/* The same as emit_expr where only the AffineLanes are wanted, if it has any. */
void emit_prepare(Emitter *emitter, Expr expr);

/* ---- values.c ---- */
/* Of one that has been made in this statement. */
LLVMValueRef emit_known(Emitter *emitter, Expr expr);
/* Is it the same in all lanes?  Of one that has been made in this statement. */
bool emit_is_uniform(const Emitter *emitter, Expr expr);
/* Calls `visit` for each node of an expression once, until it says true; says whether it did.  Not
 * while an expression is being made. */
typedef bool NodeVisit(void *data, Expr node);
bool emit_any_node(Emitter *emitter, Expr expr, NodeVisit *visit, void *data);
/* The same, but for nodes that have been visited since `search` was counted up. */
bool emit_any_new_node(Emitter *emitter, Expr expr, NodeVisit *visit, void *data);
/* Forgets the values: at the end of each statement. */
void emit_forget(Emitter *emitter);
/* Forgets those made since `known` had this length. */
void emit_forget_since(Emitter *emitter, size_t length);

/* ---- memory.c ---- */
/* Where coordinates 0, 0, .. lie. */
LLVMValueRef emit_origin(Emitter *emitter, const Memref *memref);
/* The address of the element that lies so many elements from the memory's `origin`. */
LLVMValueRef emit_element(Emitter *emitter, const Memref *memref, LLVMValueRef offset);
/* A scalar or a vector as it is in memory, and back: a bool is a byte there, whose lowest bit
 * counts. */
LLVMValueRef emit_to_memory(Emitter *emitter, const Memref *memref, LLVMValueRef value);
LLVMValueRef emit_from_memory(Emitter *emitter, const Memref *memref, LLVMValueRef value);
/* Where the element lies, in elements from the memory's `origin`; its address. */
LLVMValueRef emit_offset(Emitter *emitter, const Memref *memref, const LLVMValueRef *indices);
LLVMValueRef emit_address(Emitter *emitter, const Memref *memref, const LLVMValueRef *indices);
void emit_store(Emitter *emitter, const Memref *memref, LLVMValueRef address, LLVMValueRef value);
LLVMValueRef emit_load(Emitter *emitter, const Memref *memref, LLVMValueRef address);
/* One or more elements side by side, as they are in memory.  What lies in gaps between elements may
 * be read, too. */
LLVMValueRef emit_plain_load(Emitter *emitter, const Memref *memref, LLVMTypeRef type,
                             LLVMValueRef address);
void emit_plain_store(Emitter *emitter, const Memref *memref, LLVMValueRef value,
                      LLVMValueRef address);
/* The same without gaps.  Of the caller's memory LLVM is told that it is initialised (as it is, for
 * all that this code can tell), so that what is made of it needs no freeze: one between a load and
 * its broadcast would cost an instruction. */
LLVMValueRef emit_raw_load(Emitter *emitter, const Memref *memref, LLVMTypeRef type,
                           LLVMValueRef address);

/* ---- operators.c ---- */
/* The code of one operator at one operand type: `operands` are the values of the node's arguments.
 */
typedef LLVMValueRef EmitOperator(Emitter *emitter, Expr node, const LLVMValueRef *operands);
/* Scalars, or vectors of equally many lanes. */
EmitOperator emit_operator;
/* operators.c, integer.c, convert.c, math.c: the emitters that the operators' rows name. */
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, REGION, EMIT)  \
    EmitOperator emit_##EMIT;
#include "ir/ops.def"
#undef OP

/* ---- masked.c ---- */
/* Loads and stores of the lanes in which `mask` (a vector of i1) is true; others touch no memory,
 * and have any value.  The elements lie side by side, each aligned to its bytes. */
enum { MOST_MASKED_LANES = 1024 };
LLVMValueRef masked_load(Emitter *emitter, LLVMTypeRef type, LLVMValueRef address,
                         unsigned element_bytes, LLVMValueRef mask);
void masked_store(Emitter *emitter, LLVMValueRef value, LLVMValueRef address,
                  unsigned element_bytes, LLVMValueRef mask);

/* ---- object_bounds.c ---- */
/* False where the access leaves an object whose size LLVM knows: a stack slot or a table.  True
 * where that is not known while the code is made. */
bool object_holds(const Emitter *emitter, LLVMValueRef address, LLVMTypeRef type);
/* Ends the program: in place of an access for which object_holds says false, which never runs. */
void object_trap(Emitter *emitter);
/* Before LLVM's passes: every access of the module stays inside its object.  If one does not, that
 * is our fault. */
void object_bounds_check(const Emitter *emitter);

/* ---- index.c: index arithmetic, constants outermost ---- */
/* Scalars, or vectors of equally many lanes. */
LLVMValueRef emit_index_add(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_index_sub(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_index_mul(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);

/* ---- affine_apply.c ---- */
/* Those of an operator's node, from those of its arguments; null where it has none. */
AffineLanes *affine_apply(Emitter *emitter, Expr node);

/* ---- affine_lanes.c: indices in the lanes of a vectorized loop ---- */
/* Of an operand that has been made: one that is the same in all lanes moves by 0.  False where the
 * lanes are just a vector. */
bool affine_operand(const Emitter *emitter, Expr node, AffineLanes *affine);
/* Null: it is the same in all lanes, or its lanes are an unordered vector. */
const AffineLanes *affine_of(const Emitter *emitter, Expr node);
/* The greater of its differences, in size. */
int64_t affine_step(const AffineLanes *affine);
/* Those of a variable that grows by one from `first`. */
AffineLanes *affine_begin(Emitter *emitter, LLVMValueRef first);
/* The value in a lane of regular ones: a scalar. */
LLVMValueRef affine_lane(Emitter *emitter, const AffineLanes *affine, unsigned lane);
/* All lanes of regular ones, as a vector of integers of `type`. */
LLVMValueRef affine_widen(Emitter *emitter, const AffineLanes *affine, LLVMTypeRef type);

/* ---- access.c: memory in the lanes of a vectorized loop ---- */
/* Is any of the indices different from lane to lane? */
bool access_varies(const Emitter *emitter, const Expr *indices, int count);
LLVMValueRef access_load(Emitter *emitter, const Memref *memref, const Expr *indices);
void access_store(Emitter *emitter, const Memref *memref, const Expr *indices, LLVMValueRef value);
/* The condition under which the uneven among the indices move by their greatest differences,
 * which are noted as belonging to `test`; null where there is nothing to be gained. */
LLVMValueRef access_test_straight(Emitter *emitter, const Expr *indices, int count, unsigned test);

/* ---- idiom.c ---- */
/* The value of a node in a vectorized loop, whose arguments have been made, by an operation on
 * narrower numbers; null, and nothing is made, where there is none. */
LLVMValueRef idiom_apply(Emitter *emitter, Expr node);

/* ---- dot.c ---- */
/* Of a sum that is made at once: the expressions that it is made of instead of its arguments.
 * How many; 0: it is no such sum. */
enum { MOST_DOT_OPERANDS = 128 };
int dot_operands(Emitter *emitter, Expr node, Expr *operands);
/* Its value, when the operands have been made; null where it is none. */
LLVMValueRef dot_apply(Emitter *emitter, Expr node);

/* ---- table.c ---- */
/* Elements of a small table at indices without order, as they are in memory; null, and nothing is
 * made, where they are to be loaded one by one.  The indices have been made. */
LLVMValueRef table_look_up(Emitter *emitter, const Memref *memref, const Expr *indices);

/* ---- facts.c ---- */
/* To the end of the block being made, the condition holds. */
void facts_learn(Emitter *emitter, Expr condition);
/* The constant that the value is known to be, or the value. */
LLVMValueRef facts_apply(const Emitter *emitter, LLVMValueRef value);

/* ---- distance.c ---- */
/* a - b, where the code that computes them shows that it is a constant. */
bool emit_distance(LLVMValueRef a, LLVMValueRef b, int64_t *distance);

/* ---- vector.c ---- */
/* Makes the loop as vector code.  False, and nothing is made, where it must be made as scalars. */
bool emit_vectorized(Emitter *emitter, const Stmt *loop);
/* A statement in such a loop.  False, and nothing is made, where it is made as in scalar code. */
bool emit_vector_statement(Emitter *emitter, const Stmt *stmt);

/* ---- versions.c: the program for each target of the module ---- */
/* The functions of this type, made by `make` one by one with emitter->target set; best first. */
typedef void MakeVersion(void *data, LLVMValueRef function);
const LLVMValueRef *emit_versions(Emitter *emitter, LLVMTypeRef type, MakeVersion *make,
                                  void *data);
/* The number of the version to call; returns from the function with an error where the processor
 * can run none. */
LLVMValueRef emit_choice(Emitter *emitter);
/* The result of the version of this number. */
LLVMValueRef emit_chosen_call(Emitter *emitter, LLVMTypeRef type, const LLVMValueRef *versions,
                              LLVMValueRef choice, LLVMValueRef *arguments);

/* ---- hoist.c ---- */
/* Makes a loop inside a vectorized one with its guards outside.  False as above. */
bool emit_hoisted(Emitter *emitter, const Stmt *loop);

/* ---- convert.c ---- */
/* OP_CAST of a value. */
LLVMValueRef emit_convert(Emitter *emitter, Type from, Type to, LLVMValueRef value);
/* What is below casts that change no value. */
Expr convert_unwidened(Expr expr);

/* ---- stmt.c ---- */
/* The statements of a block, and the ends of the scopes that they open. */
void emit_statements(Emitter *emitter, const Block *block);

/* ---- store.c ---- */
/* f[..] <- values; forgets. */
void emit_assignment(Emitter *emitter, const Stmt *stmt);
/* The same in two parts, without forgetting: the value of each component; the stores. */
void emit_stored_values(Emitter *emitter, const Stmt *stmt, LLVMValueRef *values);
void emit_stores(Emitter *emitter, const Stmt *stmt, const LLVMValueRef *values);

/* ---- function.c ---- */
/* Begins a function: its entry block, and the block in which the builder is left. */
void emit_begin_function(Emitter *emitter, LLVMValueRef function);
/* Ends one whose statements have been made with its returns: 0, or the report's error.  True where
 * they can fail. */
bool emit_close_body(Emitter *emitter);

/* ---- atomic.c ---- */
/* An atomic store in a parallel loop.  False, and nothing is made, where it is an ordinary one. */
bool emit_atomic(Emitter *emitter, const Stmt *store);

/* ---- allocate.c ---- */
/* Makes the func's memory, to the end of the block, and opens its scopes. */
void emit_allocation(Emitter *emitter, const Stmt *stmt);
/* Ends the innermost scope. */
void emit_close_scope(Emitter *emitter);
/* Behind a loop: frees what it kept, if no loop is around. */
void emit_release_kept(Emitter *emitter);
/* Frees what is held, wherever in the function that is seen. */
void emit_release_held(Emitter *emitter);

/* ---- stream.c ---- */
/* Of an output, as it is allocated: may its stores pass by the cache?  `is_staged`: i1. */
void stream_output(Emitter *emitter, const Stmt *allocate, Memref *memref, LLVMValueRef is_staged,
                   const LLVMValueRef *length);
/* Stores a dense vector, past the cache where that is wanted and can be; `lowest` is where its
 * first element lies, in elements from the memory's origin.  In an unrolled loop it may wait until
 * stream_flush.  False, and nothing is made, where it is an ordinary store. */
bool stream_store(Emitter *emitter, const Memref *memref, LLVMValueRef value, LLVMValueRef lowest);
/* Makes the stores that wait; those to the memory of this origin. */
void stream_flush(Emitter *emitter);
void stream_settle(Emitter *emitter, LLVMValueRef origin);
/* At the end of a function. */
void stream_fence(Emitter *emitter);

/* ---- prefetch.c ---- */
void emit_prefetch(Emitter *emitter, const Stmt *stmt);

/* ---- outline.c ---- */
/* A compute statement outside of all loops, or beyond what a function holds of those in loops, as a
 * function of its own and a call.  False, and nothing is made, where it stays in the function
 * around it. */
bool emit_outlined(Emitter *emitter, const Stmt *compute);

/* ---- parallel.c ---- */
/* A parallel loop, with those nested directly in it, as a function and a call of hlc_parallel.
 * False, and nothing is made, where it must be a loop in the function around it. */
bool emit_parallel(Emitter *emitter, const Stmt *loop);

/* ---- cost.c ---- */
/* How many simple operations an iteration of directly nested parallel loops takes at most: a
 * double, made ahead of the loops; infinite where it is not known. */
LLVMValueRef emit_cost(Emitter *emitter, const Stmt *const *loops, int count);

/* ---- debug.c: nothing happens where debug information is not wanted ---- */
void debug_begin(Emitter *emitter, bool is_optimized);
/* When all functions are made. */
void debug_finish(Emitter *emitter);
void debug_dispose(Emitter *emitter);
/* The frame's function, just begun, comes from where the frame is. */
void debug_begin_function(Emitter *emitter);
/* What follows is the statement's code, until debug_leave is given what debug_enter returned.
 * After a change of the frame, debug_leave is given that of the frame. */
Where debug_enter(Emitter *emitter, const Stmt *stmt);
void debug_leave(Emitter *emitter, Where around);
/* Shows a scalar under the name until the next debug_leave; vectors are not shown. */
void debug_variable(Emitter *emitter, Symbol name, Type type, LLVMValueRef value);
/* The same of an argument of the function just begun, if it is a parameter of the pipeline or the
 * variable of a loop around. */
void debug_argument(Emitter *emitter, Symbol name, LLVMValueRef value);

/* ---- sanitize.c ---- */
/* Marks the functions that have been made for a sanitizer; the passes to run over the module.  Null
 * without one. */
const char *sanitizer_prepare(Emitter *emitter, const char *name);

/* ---- entry.c ---- */
void emit_entries(Emitter *emitter);

/* ---- trace.c ---- */
/* At either end of a pipeline and of a compute statement; nothing without CodegenOptions.trace. */
void trace_pipeline(Emitter *emitter, hlc_trace_kind kind, LLVMValueRef error);
void trace_compute(Emitter *emitter, hlc_trace_kind kind, const Stmt *compute);

/* ---- metadata.c ---- */
/* NAME_metadata. */
void emit_metadata(Emitter *emitter);

/* ---- unroll.c ---- */
/* After LLVM's passes: short loops that reduce make four iterations at a time. */
void unroll_reductions(Emitter *emitter);

/* ---- hoist_addresses.c ---- */
/* After LLVM's passes: what of addresses is the same in all iterations leaves innermost loops. */
void hoist_addresses(const Emitter *emitter);

/* ---- freeze.c ---- */
/* After LLVM's passes: what is defined needs no freeze. */
void freeze_drop(const Emitter *emitter);

#endif
