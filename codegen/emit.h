/* emit.h -- inside codegen/: the state of the emitter of one module, and the functions that its
 * files share.
 *
 * A program becomes these functions:
 *
 *   NAME.TARGET(report, parameters, buffers' fields and hosts)
 *       the program itself, for each target; stmt.c, expr.c
 *   NAME.needs(scalars, boxes, needed)
 *       computes the required regions of the input images; entry.c
 *   NAME_report(report, inputs, outputs)
 *       selects the version for this processor, checks the raw buffers, takes them apart;
 *       versions.c, entry.c
 *   NAME(inputs, outputs)
 *       the C ABI; passes a failure to the error handler; entry.c
 *   NAME_argv(arguments)
 *       NAME with its arguments in an array; entry.c
 *   NAME_call(report, call, arguments)
 *       of the window form: a call with domains, a question, or a check; call_entry.c
 *   NAME_metadata()
 *       describes the arguments; metadata.c
 *
 * Representation: bool is i1 in registers and a byte 0 or 1 in memory. index is i64. f16 and bf16
 * are i16, their bits (short_float.c). Other types are LLVM's own. Every operator has the semantics
 * of ir/value.h, to the last bit. The emitter never sets a fast-math flag, nor a flag that makes
 * the overflow of a value undefined.
 */
#ifndef HLC_CODEGEN_EMIT_H
#define HLC_CODEGEN_EMIT_H

#include "base/map.h"
#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"
#include "codegen/target.h"
#include "simplify/simplify.h"

/* The memory of one component of a func, or of an image. */
typedef struct Memref {
    Type type;
    int dimensions;
    LLVMValueRef origin; /* address of the element at coordinates 0, 0, .. */
    LLVMValueRef bias;   /* Null, except for a slot on the stack: LLVM must see its offsets as
                          constants. Then `origin` is the address of its first element, which is
                          `bias` elements from coordinates 0, 0, .. */
    LLVMValueRef stride[MAX_DIMENSIONS]; /* in elements, i64 */
    bool may_be_uninitialised;           /* our own allocation: loads freeze */
    bool is_input;                       /* a buffer of the caller: strides have 32 bits */
    int64_t table_minimum, table_length; /* The bounds of dimension 0, if it is dense, the bounds
                                            are constant, and the memory is ours; else length 0. */
    LLVMValueRef row_first, row_length;  /* the bounds of dimension 0, if it is dense and all of it
                                            may be read; else null */
    LLVMValueRef place;                  /* of a traced func: an hlc_trace_place; else null */
    LLVMValueRef stays;                  /* see stream.c: i64, 0 or 1; null: no streaming stores */
    unsigned least_streamed;             /* the fewest bytes of a streamed vector */
} Memref;

/* The fields of one buffer of the caller. */
typedef struct UserBuffer {
    LLVMValueRef host;
    LLVMValueRef minimum[MAX_IMAGE_DIMENSIONS], extent[MAX_IMAGE_DIMENSIONS],
        stride[MAX_IMAGE_DIMENSIONS]; /* i64 */
    LLVMValueRef domain_minimum[MAX_IMAGE_DIMENSIONS],
        domain_extent[MAX_IMAGE_DIMENSIONS]; /* likewise; of the window form */
    Layout layout;                           /* of an output: the layout of the computation */
} UserBuffer;

typedef struct HeldUser {
    Symbol func;
    int component;
} HeldUser;

/* A stack slot of the current function for the address of a block to free; see allocate.c. */
typedef struct Held {
    struct Held *next;
    LLVMValueRef place;
    bool is_taken;
    bool is_kept;        /* the block is kept for the loop's next iterations */
    Vec(HeldUser) users; /* whose blocks it has held */
} Held;

/* The scope of one allocation: the actions at its end. */
typedef struct AllocationScope {
    struct AllocationScope *outer;
    Symbol func;            /* the allocated func */
    LLVMValueRef memory;    /* to free, may be null at run time */
    Held *held;             /* its stack slot; null: nothing to free */
    struct StackSlot *slot; /* the memory on the stack, else null */
    const Memref *memref;
    const UserBuffer *user; /* of an output that may be staged, else null */
} AllocationScope;

/* The alignment of hlc_allocate's blocks, in bytes. */
enum { MEMORY_ALIGNMENT = 64 };

/* Memory on the stack of the current function. Allocations that are not live together share it. */
typedef struct StackSlot {
    struct StackSlot *next;
    LLVMValueRef address;
    int64_t bytes;
    bool is_taken;
} StackSlot;

/* The source of the code being emitted; see debug.c. */
typedef struct Where {
    LLVMMetadataRef scope;
    Place place;
    Place definition; /* the stage's */
} Where;

/* The current function: the one being emitted. */
typedef struct FunctionFrame {
    LLVMValueRef function;
    LLVMValueRef report;     /* hlc_report *; each failure fills it */
    LLVMBasicBlockRef entry; /* holds the stack slots; code begins in the block after it */
    LLVMBasicBlockRef
        on_failure;         /* frees the held blocks and returns; null until something can fail */
    AllocationScope *scope; /* the innermost; null: none */
    Held *held;
    StackSlot *slots;
    int64_t stack_bytes; /* of the slots */
    int64_t told_bytes;  /* of the slots that the schedule requests */
    bool streams;        /* it has streaming stores: see stream.c */
    Where where;
    bool is_hot;               /* it contains a loop or vector code; a cold function does not */
    int computes;              /* compute statements in its loops so far */
    LLVMValueRef trace_slot;   /* room for the numbers of one access; null: none yet */
    LLVMValueRef profile_word; /* the address of the thread's word; null: not fetched */
} FunctionFrame;

/* How the lanes of an index expression change, if that is known; see affine_lanes.c. */
enum { MAX_PERIOD = 4 };
typedef struct AffineLanes {
    LLVMValueRef first, last; /* in the first and in the last lane: scalars */
    int64_t least, most;      /* the least and most difference from one lane to the next */
    unsigned period;          /* lane i + period is lane i plus `cycle`; 0: irregular */
    int64_t cycle;
    LLVMValueRef phases[MAX_PERIOD]; /* the first `period` lanes: scalars */
    const struct AffineLanes
        *inner;      /* irregular lanes: the lanes while none is clamped; may be null */
    unsigned tested; /* the test (Lanes.straight) that makes it regular */
} AffineLanes;

/* The vectorized loop being emitted, or a masked part of it; see vector.c. */
typedef struct Lanes {
    unsigned count;    /* 0 in scalar code */
    LLVMValueRef mask; /* the lanes that run, at least one; null: all */
    unsigned
        straight; /* The number of a passed test, or 0. The indices of this test advance by their
                     `least` or `most`, the one of greater absolute value. */
} Lanes;

/* A value with a known constant in the current statements; see facts.c. */
typedef struct ConstantFact {
    LLVMValueRef value, constant;
} ConstantFact;

/* Strided accesses of a vectorized loop; see interleave.c. */
typedef struct Interleave Interleave;
/* Loads of adjacent elements in rows; see transpose.c. */
typedef struct Transposed Transposed;
/* Pending streaming stores; see stream.c. */
typedef struct Stream Stream;

/* The most lanes of a vector, and the longest vectorized loop. A loop of more than MAX_LANES
 * iterations is emitted in pieces. A loop of more than LONGEST_VECTORIZED iterations stays a loop.
 */
enum { MAX_LANES = 64, LONGEST_VECTORIZED = 256 };

typedef struct Debug Debug;

/* See profile.c: the profile of the module, and a site of it. */
typedef struct Profile Profile;
typedef struct ProfileSite ProfileSite;

typedef struct Emitter Emitter;
struct Emitter {
    const Program *program;
    const Signature *signature;
    Context *context;
    Arena *arena;
    const ModuleMachine *machine;
    const Target *target;                 /* the target of the current function */
    bool trace, stoppable, wants_profile; /* CodegenOptions */
    bool for_address_sanitizer;           /* AddressSanitizer or watch.c checks the accesses */
    const char *needs_fma;                /* an operator of the program that needs FMA, or null */

    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef void_type, i1, i8, i32, i64, pointer;

    Debug *debug;     /* null: no debug information */
    Profile *profile; /* null: no profile */

    FunctionFrame frame;
    Map variables; /* Symbol -> LLVMValueRef */
    Map memrefs;   /* Symbol -> Memref[components] */
    Map fields;    /* Symbol of a buffer's field, such as `input.extent.0` -> itself */
    Vec(ConstantFact) facts;
    Map outputs; /* Symbol of an output func -> UserBuffer[components] */
    Map read;    /* Symbols that the program reads -> not null; built on first use */

    /* values.c: the value of each node in the current statement, by node number. */
    LLVMValueRef *values;
    uint32_t value_count;
    Vec(uint32_t) known;
    Vec(Expr) pending;

    /* affine_lanes.c: the lanes of nodes, by node number, and of variables; null: none. */
    AffineLanes **affine;
    Map affine_variables; /* Symbol -> AffineLanes */
    Lanes lanes;
    Interleave *interleave; /* null until there is one */
    Transposed *transposed; /* the blocks that may still grow */
    Stream *stream;         /* null until there is one */
    unsigned tests;         /* the number of tests so far */
    int rare;               /* the number of enclosing loops that run few iterations */
    int unrolled;           /* the product of the lengths of the enclosing unrolled loops */
    Map rolled;             /* Stmt of an unrolled loop that is too large -> itself */
    Map warned;             /* Symbol of a rolled loop with a warning -> itself */
    LLVMValueRef asks;      /* what the call asks for (hlc_call), in the body of the window form */
    const Stmt *rest;       /* there, the first statement after the assertions; else null */
    Map owners;             /* an outlined LLVM function -> the Stmt that contains its body */

    Simplifier *simplifier; /* for intervals */

    /* emit_any_node: the last search that visited each node, by node number. */
    uint32_t *met;
    uint32_t search;
    int loop_depth; /* enclosing loops, in the current function */

    /* emit_statements, for emitters of nested statements; see stmt.c. */
    void (*statements)(Emitter *emitter, const Block *block);
};

/* ---- emit.c ---- */
LLVMTypeRef emit_type(const Emitter *emitter, Type type);        /* in registers */
LLVMTypeRef emit_memory_type(const Emitter *emitter, Type type); /* in memory */
unsigned emit_type_code(Type type);                              /* in halide_type_t */
/* The number of lanes of a scalar or a vector; the type of a lane; the vector of `type` with as
 * many lanes as `like`. */
unsigned emit_lane_count(LLVMValueRef value);
LLVMTypeRef emit_lane_type(LLVMValueRef value);
LLVMTypeRef emit_lanes_of(LLVMTypeRef type, LLVMValueRef like);
/* Returns the integer constant of the type of `like`, in all lanes. */
LLVMValueRef emit_constant_like(LLVMValueRef like, int64_t value);
LLVMValueRef emit_lane(Emitter *emitter, LLVMValueRef value, unsigned lane);
/* Shuffles `a` and `b` (may be null) into `count` lanes. Lane i is lane from[i] of `a`; numbers
 * beyond `a` count on into `b`. */
enum { NO_LANE = -1 }; /* in `from`: an arbitrary lane */
LLVMValueRef emit_shuffle(Emitter *emitter, LLVMValueRef a, LLVMValueRef b, const unsigned *from,
                          unsigned count);
/* Returns lanes [first, first + count) of `value`. Copies of the first of them pad the result to
 * `lanes`. */
LLVMValueRef emit_take_lanes(Emitter *emitter, LLVMValueRef value, unsigned first, unsigned count,
                             unsigned lanes);
/* Returns `value` with lanes from `first` on replaced by the first `count` lanes of `piece`. */
LLVMValueRef emit_put_lanes(Emitter *emitter, LLVMValueRef value, LLVMValueRef piece,
                            unsigned first, unsigned count);
/* Broadcasts a scalar to `count` lanes; returns a vector unchanged. */
LLVMValueRef emit_splat(Emitter *emitter, LLVMValueRef value, unsigned count);
LLVMValueRef emit_index_constant(const Emitter *emitter, int64_t value);
/* Stores `count` numbers (i64) in an array on the stack; returns its address. */
LLVMValueRef emit_array(Emitter *emitter, const LLVMValueRef *numbers, int count);
/* Returns the address of element `number` of an array. */
LLVMValueRef emit_at(const Emitter *emitter, LLVMTypeRef element, LLVMValueRef array,
                     int64_t number);
/* Loads a value of `type` at `offset` bytes from an address. */
LLVMValueRef emit_field(Emitter *emitter, LLVMTypeRef type, LLVMValueRef address, size_t offset);
/* Adds a constant that is private to the module. */
LLVMValueRef emit_global(const Emitter *emitter, LLVMValueRef value, const char *name);
LLVMValueRef emit_text(Emitter *emitter, const char *text);
/* Marks the current function as cold: it runs once a call, or once a thread. LLVM spends time on
 * all code, but only the loops of a call matter. */
void emit_mark_cold(Emitter *emitter);
LLVMBasicBlockRef emit_block(Emitter *emitter, const char *name);
/* Calls `visit` for each block of the module. */
typedef void BlockVisit(const Emitter *emitter, LLVMBasicBlockRef block);
void emit_each_block(const Emitter *emitter, BlockVisit *visit);
/* Continues in an earlier block, and moves it behind the newer blocks. Code then has the order of
 * the statements. */
void emit_resume(Emitter *emitter, LLVMBasicBlockRef block);
/* Makes a stack slot, always in the entry block. */
LLVMValueRef emit_slot(Emitter *emitter, LLVMTypeRef type, const char *name);
LLVMValueRef emit_call(Emitter *emitter, LLVMValueRef function, LLVMValueRef *arguments, int count);
/* Calls an intrinsic overloaded on the type of its first argument. */
LLVMValueRef emit_intrinsic(Emitter *emitter, const char *name, LLVMValueRef *arguments, int count);
/* The float x, but LLVM does not see how it was computed: docs/codegen.md, "What LLVM is told". */
LLVMValueRef emit_fence(Emitter *emitter, LLVMValueRef x);
/* Calls a function of the run-time library (runtime.def). */
typedef enum RuntimeFunction {
#define RUNTIME(NAME, RESULT, ...) RUNTIME_##NAME,
#include "codegen/runtime.def"
#undef RUNTIME
    RUNTIME_COUNT
} RuntimeFunction;
LLVMValueRef emit_runtime_call(Emitter *emitter, RuntimeFunction function, LLVMValueRef *arguments);
/* Continues if `condition` holds; otherwise leaves the function. The report is already filled. */
void emit_check(Emitter *emitter, LLVMValueRef condition);
/* Brackets the code that fills the report if `condition` is false. emit_begin_failure moves the
 * builder to the failure block, and returns the block for the other case. emit_end_failure leaves
 * the function, and continues in that block. */
LLVMBasicBlockRef emit_begin_failure(Emitter *emitter, LLVMValueRef condition);
void emit_end_failure(Emitter *emitter, LLVMBasicBlockRef good);

/* ---- size.c ---- */
/* A place in the code of the current function. */
typedef struct CodeMark {
    LLVMBasicBlockRef block;
    LLVMValueRef last; /* the instruction before it in the block; null: none */
    LLVMBasicBlockRef last_block;
} CodeMark;
CodeMark size_mark(const Emitter *emitter);
/* Estimates the machine instructions emitted since the mark. */
int64_t size_since(const Emitter *emitter, const CodeMark *mark);
/* Estimates the machine instructions of one instruction. */
int64_t size_of_instruction(const Emitter *emitter, LLVMValueRef instruction);

/* ---- expr.c ---- */
/* Returns the expression's value at the builder's place. Equal subexpressions are emitted once a
 * statement. */
LLVMValueRef emit_expr(Emitter *emitter, Expr expr);
/* Like emit_expr, for callers that need only the AffineLanes, if there are any. */
void emit_prepare(Emitter *emitter, Expr expr);

/* ---- values.c ---- */
/* Returns the value of an expression already emitted in this statement. */
LLVMValueRef emit_known(Emitter *emitter, Expr expr);
/* Is an expression, already emitted in this statement, the same in all lanes? */
bool emit_is_uniform(const Emitter *emitter, Expr expr);
/* Calls `visit` once for each node of an expression, until it returns true. Returns whether it did.
 * Must not be called while an expression is being emitted. */
typedef bool NodeVisit(void *data, Expr node);
bool emit_any_node(Emitter *emitter, Expr expr, NodeVisit *visit, void *data);
/* Like emit_any_node, but skips nodes visited since `search` was last incremented. */
bool emit_any_new_node(Emitter *emitter, Expr expr, NodeVisit *visit, void *data);
/* Forgets all values. Called at the end of each statement. */
void emit_forget(Emitter *emitter);
/* Forgets the values emitted since `known` had this length. */
void emit_forget_since(Emitter *emitter, size_t length);

/* ---- memory.c ---- */
/* Returns the address of coordinates 0, 0, .. */
LLVMValueRef emit_origin(Emitter *emitter, const Memref *memref);
/* Returns the address of the element at `offset` elements from the memory's `origin`. */
LLVMValueRef emit_element(Emitter *emitter, const Memref *memref, LLVMValueRef offset);
/* Convert a scalar or a vector to its memory type, and back. A bool in memory is a byte whose
 * lowest bit counts. */
LLVMValueRef emit_to_memory(Emitter *emitter, const Memref *memref, LLVMValueRef value);
LLVMValueRef emit_from_memory(Emitter *emitter, const Memref *memref, LLVMValueRef value);
/* The element's offset from the memory's `origin`, in elements; its address. */
LLVMValueRef emit_offset(Emitter *emitter, const Memref *memref, const LLVMValueRef *indices);
LLVMValueRef emit_address(Emitter *emitter, const Memref *memref, const LLVMValueRef *indices);
void emit_store(Emitter *emitter, const Memref *memref, LLVMValueRef address, LLVMValueRef value);
LLVMValueRef emit_load(Emitter *emitter, const Memref *memref, LLVMValueRef address);
/* Loads or stores one or more adjacent elements in their memory type. A load may also read the gaps
 * between elements. */
LLVMValueRef emit_plain_load(Emitter *emitter, const Memref *memref, LLVMTypeRef type,
                             LLVMValueRef address);
void emit_plain_store(Emitter *emitter, const Memref *memref, LLVMValueRef value,
                      LLVMValueRef address);
/* Like emit_plain_load, but the elements have no gaps. LLVM is told that the caller's memory is
 * initialised, which this code cannot disprove. Values from it then need no freeze: a freeze
 * between a load and its broadcast costs an instruction. */
LLVMValueRef emit_raw_load(Emitter *emitter, const Memref *memref, LLVMTypeRef type,
                           LLVMValueRef address);

/* ---- operators.c ---- */
/* Emits one operator at one operand type. `operands` are the values of the node's arguments. */
typedef LLVMValueRef EmitOperator(Emitter *emitter, Expr node, const LLVMValueRef *operands);
/* Scalars, or vectors of equally many lanes. */
EmitOperator emit_operator;
/* operators.c, integer.c, convert.c, math.c: the emitters that the operators' rows name. */
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, REGION, EMIT)  \
    EmitOperator emit_##EMIT;
#include "ir/ops.def"
#undef OP

/* ---- masked.c ---- */
/* Load or store the lanes in which `mask` (a vector of i1) is true. Other lanes access no memory;
 * their values are arbitrary. The elements are adjacent, each aligned to its size. */
enum { MOST_MASKED_LANES = 1024 };
LLVMValueRef masked_load(Emitter *emitter, LLVMTypeRef type, LLVMValueRef address,
                         unsigned element_bytes, LLVMValueRef mask);
void masked_store(Emitter *emitter, LLVMValueRef value, LLVMValueRef address,
                  unsigned element_bytes, LLVMValueRef mask);

/* ---- object_bounds.c ---- */
/* Returns false if the access leaves an object whose size LLVM knows: a stack slot or a table.
 * Returns true if the place is unknown during emission. */
bool object_holds(const Emitter *emitter, LLVMValueRef address, LLVMTypeRef type);
/* Emits a trap in place of an access that object_holds refuses. Such an access never runs. */
void object_trap(Emitter *emitter);
/* Before LLVM's passes: checks that every access of the module stays inside its object. A violation
 * is a fault of the compiler. */
void object_bounds_check(const Emitter *emitter);

/* ---- index.c: index arithmetic, constants outermost ---- */
/* Scalars, or vectors of equally many lanes. */
LLVMValueRef emit_index_add(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_index_sub(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef emit_index_mul(Emitter *emitter, LLVMValueRef a, LLVMValueRef b);

/* ---- affine_apply.c ---- */
/* Derives the lanes of an operator's node from those of its arguments. Null if it has none. */
AffineLanes *affine_apply(Emitter *emitter, Expr node);

/* ---- affine_divide.c ---- */
/* Emits the quotient or remainder of an even index by a uniform one. Null for other nodes. */
LLVMValueRef affine_divide(Emitter *emitter, Expr node);

/* ---- affine_lanes.c: indices in the lanes of a vectorized loop ---- */
/* The lanes of an emitted operand. A uniform operand has step 0. Returns false if the lanes are
 * only a vector. */
bool affine_operand(const Emitter *emitter, Expr node, AffineLanes *affine);
/* Returns the lanes of a node. Null: the node is uniform, or its lanes are an unordered vector. */
const AffineLanes *affine_of(const Emitter *emitter, Expr node);
/* Returns `least` or `most`, the one of greater absolute value. */
int64_t affine_step(const AffineLanes *affine);
/* Returns the lanes of a variable that grows by one from `first`. */
AffineLanes *affine_begin(Emitter *emitter, LLVMValueRef first);
/* Returns the value of one lane of regular lanes: a scalar. */
LLVMValueRef affine_lane(Emitter *emitter, const AffineLanes *affine, unsigned lane);
/* Returns regular lanes as a vector of integers of `type`. */
LLVMValueRef affine_widen(Emitter *emitter, const AffineLanes *affine, LLVMTypeRef type);

/* ---- access.c: memory in the lanes of a vectorized loop ---- */
/* Does any index vary from lane to lane? */
bool access_varies(const Emitter *emitter, const Expr *indices, int count);
LLVMValueRef access_load(Emitter *emitter, const Memref *memref, const Expr *indices);
void access_store(Emitter *emitter, const Memref *memref, const Expr *indices, LLVMValueRef value);
/* Returns the condition under which the uneven indices advance by affine_step in every lane. It
 * marks them with `test`. Null if dense accesses would gain nothing. */
LLVMValueRef access_test_straight(Emitter *emitter, const Expr *indices, int count, unsigned test);

/* ---- idiom.c ---- */
/* Emits a node of a vectorized loop as an operation on narrower numbers. The arguments are already
 * emitted. Returns null, and emits nothing, if no idiom matches. */
LLVMValueRef idiom_apply(Emitter *emitter, Expr node);

/* ---- dot.c ---- */
/* Finds the operands of a sum that is emitted as a whole; they replace the node's arguments.
 * Returns their number; 0: the node is no such sum. */
enum { MOST_DOT_OPERANDS = 128 };
int dot_operands(Emitter *emitter, Expr node, Expr *operands);
/* Returns the sum's value; its operands are already emitted. Null if it is no such sum. */
LLVMValueRef dot_apply(Emitter *emitter, Expr node);

/* ---- clamped.c ---- */
/* Loads elements at an index of dimension 0 that is clamped, in their memory type. The indices are
 * already emitted. Returns null, and emits nothing, for other accesses. */
LLVMValueRef clamped_load(Emitter *emitter, const Memref *memref, const Expr *indices);

/* ---- table.c ---- */
/* Looks up elements of a small table at unordered indices, in their memory type. The indices are
 * already emitted. Returns null, and emits nothing, if single loads are better. */
LLVMValueRef table_look_up(Emitter *emitter, const Memref *memref, const Expr *indices);

/* ---- facts.c ---- */
/* Records that the condition holds to the end of the current block of statements. */
void facts_learn(Emitter *emitter, Expr condition);
/* Returns the constant that the value is known to equal, or the value itself. */
LLVMValueRef facts_apply(const Emitter *emitter, LLVMValueRef value);

/* ---- distance.c ---- */
/* Computes a - b, if the instructions that compute a and b show that it is constant. */
bool emit_distance(LLVMValueRef a, LLVMValueRef b, int64_t *distance);

/* ---- pressure.c ---- */
/* Returns how many lanes of the vectorized loop are emitted at once: all of them, or so few that
 * their values fit into the registers. */
unsigned pressure_lanes(Emitter *emitter, const Stmt *loop, unsigned lanes);

/* ---- vector.c ---- */
/* Emits the loop as vector code. Returns false, and emits nothing, if it must be scalar. */
bool emit_vectorized(Emitter *emitter, const Stmt *loop);
/* Emits a statement of a vectorized loop. Returns false, and emits nothing, if scalar code handles
 * it. */
bool emit_vector_statement(Emitter *emitter, const Stmt *stmt);

/* ---- versions.c: the program for each target of the module ---- */
/* Creates a function of this type for each target, best first. `make` emits one at a time, with
 * emitter->target set. */
typedef void MakeVersion(void *data, LLVMValueRef function);
const LLVMValueRef *emit_versions(Emitter *emitter, LLVMTypeRef type, MakeVersion *make,
                                  void *data);
/* Returns the number of the version to call. The emitted code returns an error from the function if
 * the processor can run none. */
LLVMValueRef emit_choice(Emitter *emitter);
/* Calls the version of this number; returns its result. */
LLVMValueRef emit_chosen_call(Emitter *emitter, LLVMTypeRef type, const LLVMValueRef *versions,
                              LLVMValueRef choice, LLVMValueRef *arguments);

/* ---- hoist.c ---- */
/* Emits a loop inside a vectorized one with its guards hoisted. Returns false, and emits nothing,
 * if it does not apply. */
bool emit_hoisted(Emitter *emitter, const Stmt *loop);

/* ---- convert.c ---- */
/* Emits OP_CAST of a value. */
LLVMValueRef emit_convert(Emitter *emitter, Type from, Type to, LLVMValueRef value);
/* Returns the expression below casts that change no value. */
Expr convert_unwidened(Expr expr);

/* ---- stmt.c ---- */
/* Emits the statements of a block, and closes the scopes that they open. */
void emit_statements(Emitter *emitter, const Block *block);
void emit_assert(Emitter *emitter, const Stmt *stmt);

/* ---- store.c ---- */
/* Emits f[..] <- values, and forgets the statement's values. */
void emit_assignment(Emitter *emitter, const Stmt *stmt);
/* The two parts of emit_assignment, without forgetting: the value of each component; the stores. */
void emit_stored_values(Emitter *emitter, const Stmt *stmt, LLVMValueRef *values);
void emit_stores(Emitter *emitter, const Stmt *stmt, const LLVMValueRef *values);

/* ---- function.c ---- */
/* Begins a function: its entry block, and the block for its code, where the builder then is. */
void emit_begin_function(Emitter *emitter, LLVMValueRef function);
/* Ends a function after its statements, with its returns: 0, or the report's error. Returns whether
 * the statements can fail. */
bool emit_close_body(Emitter *emitter);

/* ---- atomic.c ---- */
/* Emits an atomic store in a parallel loop. Returns false, and emits nothing, if the store is an
 * ordinary one. */
bool emit_atomic(Emitter *emitter, const Stmt *store);

/* ---- allocate.c ---- */
/* Allocates the func's memory to the end of the block, and opens its scopes. */
void emit_allocation(Emitter *emitter, const Stmt *stmt);
/* Ends the innermost scope. */
void emit_close_scope(Emitter *emitter);
/* Closes the scopes inside `outside` whose last use, by `last`, is in the statement. */
void emit_close_dead(Emitter *emitter, const AllocationScope *outside, const Map *last,
                     const Stmt *stmt);
/* After a loop: frees the blocks that it kept, unless another loop encloses it. */
void emit_release_kept(Emitter *emitter);
/* Frees all held blocks of the function. The code is valid at any place of it. */
void emit_release_held(Emitter *emitter);

/* ---- stream.c ---- */
/* Decides at an output's allocation whether its stores may be streaming stores. `is_staged`: i1. */
void stream_output(Emitter *emitter, const Stmt *allocate, Memref *memref, LLVMValueRef is_staged,
                   const LLVMValueRef *length);
/* Stores a dense vector, as a streaming store if that is wanted and possible. `lowest` is the
 * offset of its first element from the memory's origin, in elements. In an unrolled loop the store
 * may be pending until stream_flush. Returns false, and emits nothing, if it is an ordinary store.
 */
bool stream_store(Emitter *emitter, const Memref *memref, LLVMValueRef value, LLVMValueRef lowest);
/* Emit all pending stores; the pending stores to the memory of this origin. */
void stream_flush(Emitter *emitter);
void stream_settle(Emitter *emitter, LLVMValueRef origin);
/* Emits the fence after streaming stores, at the end of a function. */
void stream_fence(Emitter *emitter);

/* ---- extern.c ---- */
/* Emits the store of an extern stage. */
void emit_extern(Emitter *emitter, const Stmt *stmt);

/* ---- prefetch.c ---- */
void emit_prefetch(Emitter *emitter, const Stmt *stmt);

/* ---- outline.c ---- */
/* Emits a compute statement as a function of its own and a call. This applies outside all loops,
 * and to the statements in loops beyond the limit of one function. Returns false, and emits
 * nothing, if it stays in the enclosing function. */
bool emit_outlined(Emitter *emitter, const Stmt *compute);

/* ---- parallel.c ---- */
/* Emits a parallel loop, with the parallel loops nested directly in it, as a function and a call of
 * hlc_parallel. Returns false, and emits nothing, if it must be a loop in the enclosing function.
 */
bool emit_parallel(Emitter *emitter, const Stmt *loop);

/* ---- cost.c ---- */
/* Emits an upper bound on the simple operations in an iteration of directly nested parallel loops.
 * It is a double, computed before the loops; infinite if unknown. */
LLVMValueRef emit_cost(Emitter *emitter, const Stmt *const *loops, int count);

/* ---- debug.c: without debug information, these do nothing ---- */
void debug_begin(Emitter *emitter, bool is_optimized);
/* Call it after all functions are emitted. */
void debug_finish(Emitter *emitter);
void debug_dispose(Emitter *emitter);
/* Gives the frame's new function the source place of the frame. */
void debug_begin_function(Emitter *emitter);
/* Brackets the code of a statement; pass debug_enter's result to debug_leave. After a change of the
 * frame, pass that of the frame. */
Where debug_enter(Emitter *emitter, const Stmt *stmt);
void debug_leave(Emitter *emitter, Where around);
/* Shows a scalar under this name to the debugger until the next debug_leave. Vectors are not shown.
 */
void debug_variable(Emitter *emitter, Symbol name, Type type, LLVMValueRef value);
/* Shows an argument of the new function, if it is a parameter of the pipeline or the variable of an
 * enclosing loop. */
void debug_argument(Emitter *emitter, Symbol name, LLVMValueRef value);

/* ---- sanitize.c ---- */
/* Marks the emitted functions for a sanitizer. Returns the passes to run over the module; null
 * without a sanitizer. */
const char *sanitizer_prepare(Emitter *emitter, const char *name);

/* ---- entry.c ---- */
void emit_entries(Emitter *emitter);

/* ---- trace.c ---- */
/* Emit the trace calls at both ends of a pipeline and of a compute statement. Without
 * CodegenOptions.trace they emit nothing. */
void trace_pipeline(Emitter *emitter, hlc_trace_kind kind, LLVMValueRef error);
void trace_compute(Emitter *emitter, hlc_trace_kind kind, const Stmt *compute);
/* ---- trace_access.c ---- */
/* Makes the memory of a func traced, if its allocation asks for it. */
void trace_memory(Emitter *emitter, const Stmt *allocate, int component, Memref *memref);
/* After an access of traced memory, of one element or of those in all lanes. The indices are
 * already emitted. For other memory they emit nothing. */
void trace_access(Emitter *emitter, hlc_trace_kind kind, const Memref *memref, const Expr *indices,
                  LLVMValueRef value);

/* ---- profile.c: without CodegenOptions.profile, these do nothing ---- */
/* Bracket all functions of the module; the second one makes NAME_profile. */
void profile_begin(Emitter *emitter);
void profile_finish(Emitter *emitter);
/* Bracket the call of the body in NAME_report; pass profile_enter's result to profile_leave. */
LLVMValueRef profile_enter(Emitter *emitter);
void profile_leave(Emitter *emitter, LLVMValueRef call);
/* At the beginning of the body's code. */
void profile_body(Emitter *emitter);
/* The site of the code being emitted; null without a profile. profile_return goes back to it. */
ProfileSite *profile_here(const Emitter *emitter);
void profile_return(Emitter *emitter, ProfileSite *around);
/* At the beginning of a label's code: goes to the site of its stage. */
void profile_label(Emitter *emitter, const Stmt *label);

/* ---- in_place.c ---- */

/* Before the first stage of an output that may share an image's memory: branches around it if it
 * does. Returns the block behind the stage, for emit_after_copy; null for any other label. */
LLVMBasicBlockRef emit_unless_in_place(Emitter *emitter, const Stmt *label);
/* Continues behind the stage; does nothing for null. */
void emit_after_copy(Emitter *emitter, LLVMBasicBlockRef done);
/* Goes to the site of an output's copy; returns the site around. */
ProfileSite *profile_copy(Emitter *emitter, Symbol func);
/* Bracket the emission of a parallel loop's iterations. */
typedef struct ProfileLoop {
    ProfileSite *around, *inside;
    bool was_parallel;
} ProfileLoop;
ProfileLoop profile_loop_begin(Emitter *emitter);
void profile_loop_end(Emitter *emitter, const ProfileLoop *loop);
/* Bracket the call of hlc_parallel. */
void profile_loop_call(Emitter *emitter);
void profile_loop_return(Emitter *emitter);
/* Bracket a chunk's code; pass the first one's result to the second. */
LLVMValueRef profile_chunk_begin(Emitter *emitter, const ProfileLoop *loop);
void profile_chunk_end(Emitter *emitter, LLVMValueRef before);
/* Count a vector access (HLC_ACCESS_..) and a vectorized loop at the current site. What is emitted
 * for borders, under masks or for rare iterations is not counted. */
void profile_access(Emitter *emitter, unsigned kind);
void profile_lanes(Emitter *emitter, unsigned lanes);
/* Of one iteration of a stage's innermost loops, in one lane. */
typedef struct ProfileWork {
    unsigned operations, bytes;
} ProfileWork;
/* profile_work.c */
ProfileWork profile_work(Emitter *emitter, const Stmt *label);
void profile_border(Emitter *emitter, bool is_border);

/* ---- poll.c ---- */
/* At the beginning of an iteration of a loop that stays a loop: leaves the function if the call
 * shall end early. Without CodegenOptions.stoppable it emits nothing. */
void emit_poll(Emitter *emitter, const Block *body, LLVMValueRef variable);
/* Returns from the body if the call is only a check. */
void emit_end_check(Emitter *emitter);

/* ---- metadata.c ---- */
/* Emits NAME_metadata. */
void emit_metadata(Emitter *emitter);

/* ---- unroll.c ---- */
/* After LLVM's passes: unrolls short reduction loops by four. */
void unroll_reductions(Emitter *emitter);

/* ---- hoist_addresses.c ---- */
/* After LLVM's passes: hoists the loop-invariant parts of addresses out of innermost loops. */
void hoist_addresses(const Emitter *emitter);

/* ---- large.c ---- */
/* Before LLVM's passes: is the code small enough for LLVM? False after reporting. Lowers the level
 * of the passes if some take too long. */
bool large_accept(const Emitter *emitter, int *level);
/* After them: is it small enough to be optimised by LLVM's back end? Otherwise warns, or refuses it
 * (`*accepted`). */
bool large_optimizes(const Emitter *emitter, bool *accepted);

/* ---- freeze.c ---- */
/* After LLVM's passes: removes freezes of defined values. */
void freeze_drop(const Emitter *emitter);

#endif
