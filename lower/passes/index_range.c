/* index_range.c -- see index_range.h.
 *
 * One walk over the statements.  Each distinct node of a statement's expressions gets an interval,
 * computed from its arguments' intervals in 128 bits, saturating far outside 64.  Four facts make
 * intervals tighter:
 *
 *   - a func's coordinate, and a reduction variable, lies in i32 (asserted at entry), unless it
 *     stands above the guard of a split;
 *   - a length of a compute statement, an allocate statement or a coordinate's loop is at most
 *     2^31 - 1 (asserted with it), so `fuse` of two loops fits;
 *   - in a split by k, `v * k` for v in (0, a / k) is at most a: the interval of the product would
 *     not fit if k is a parameter;
 *   - a guarded variable is less than the right side of its guard.
 */
#include "lower/passes/index_range.h"

#include "ir/printer.h"
#include "ir/walk.h"
#include "lower/passes/magnitude.h"

#include <string.h>

typedef __int128 WideInt;

typedef struct IndexInterval {
    WideInt minimum, maximum;
} IndexInterval;

enum { SMALL = 64 }; /* a tree of at most this many nodes is visited without its own memory */

#define FAR   ((WideInt)1 << 100) /* saturation: the product of two of these still fits */
#define ALL   ((IndexInterval){INT64_MIN, INT64_MAX})
#define I32S  ((IndexInterval){INT32_MIN, INT32_MAX})
#define ENTRY ((WideInt)1 << 62) /* the limit that the entry checks for an operation */

/* The facts about a variable.  For a variable over (0, a / factor): variable * factor <= a.  For a
 * variable over (0, n * m), as of a fuse: variable / n < m and variable / m < n. */
typedef struct Variable {
    IndexInterval range;
    bool bound;    /* by a FOR or LET; otherwise it is a startup variable */
    Expr at_entry; /* of a let: its value in startup variables, or null */
    Expr factor;
    WideInt dividend;
    Expr product; /* n * m, or null */
} Variable;

/* The facts about a variable outside a guard. */
typedef struct Saved {
    const Stmt *guard;
    Symbol name;
    Variable *before;
} Saved;

typedef struct NodeRange {
    IndexInterval range;
    uint32_t stamp; /* the statement for which it is valid */
    bool startup;
} NodeRange;

struct IndexRanges {
    const Program *program;
    const Pipeline *pipeline;
    Arena *arena;
    Map variables; /* Symbol -> Variable */
    Map lengths;   /* Expr -> itself: a length that is asserted to be below 2^31 */
    Map checked;   /* Expr -> itself: a startup expression that the entry checks */
    ExprMemo entry;
    Vec(Saved) saved;
    Magnitudes *magnitudes;
    NodeRange *nodes;
    uint32_t capacity, stamp;
    const Stmt *stmt;
    IndexFault *fault;
    void *data;
};

/* ---- ranges ---- */

static WideInt saturate(WideInt value) {
    return value > FAR ? FAR : value < -FAR ? -FAR : value;
}

static WideInt least(WideInt a, WideInt b) {
    return a < b ? a : b;
}

static WideInt greatest(WideInt a, WideInt b) {
    return a > b ? a : b;
}

static IndexInterval meet(IndexInterval a, IndexInterval b) {
    IndexInterval both = {greatest(a.minimum, b.minimum), least(a.maximum, b.maximum)};
    return both.minimum <= both.maximum ? both : b;
}

static IndexInterval join(IndexInterval a, IndexInterval b) {
    return (IndexInterval){least(a.minimum, b.minimum), greatest(a.maximum, b.maximum)};
}

static IndexInterval product(IndexInterval a, IndexInterval b) {
    IndexInterval result = {FAR, -FAR};
    const WideInt as[] = {a.minimum, a.maximum}, bs[] = {b.minimum, b.maximum};
    for (int i = 0; i < 4; i++) {
        /* Operands of checked operations lie in 64 bits, so the product fits 128. */
        WideInt value = saturate(as[i / 2] * bs[i % 2]);
        result = join(result, (IndexInterval){value, value});
    }
    return result;
}

static WideInt magnitude(IndexInterval a) {
    return greatest(a.maximum, -a.minimum);
}

static IndexInterval quotient(IndexInterval a, IndexInterval b) {
    WideInt limit = magnitude(a);
    if (b.minimum > 0) /* Euclidean division by a positive number rounds down */
        return (IndexInterval){a.minimum >= 0 ? 0 : -limit,
                               a.maximum < 0 ? -1 : a.maximum / b.minimum};
    if (b.minimum == 0) /* division by 0 gives 0 */
        return (IndexInterval){a.minimum >= 0 ? 0 : -limit, greatest(a.maximum, 0)};
    return (IndexInterval){-limit - 1, limit + 1};
}

static IndexInterval remainder_of(IndexInterval a, IndexInterval b) {
    WideInt limit = greatest(magnitude(b) - 1, 0);
    return (IndexInterval){0, a.minimum >= 0 ? least(limit, a.maximum) : limit};
}

/* ---- expressions ---- */

static const Variable *variable_of(const IndexRanges *ranges, Expr node) {
    return node->op == OP_VARIABLE ? map_get(&ranges->variables, node->name) : NULL;
}

static IndexInterval type_range(Type type) {
    if (type_is_machine_integer(type) && !(type.kind == TYPE_UINT && type.bits == 64))
        return (IndexInterval){type_minimum(type), type_maximum(type)};
    return ALL;
}

static IndexInterval cast_range(const IndexRanges *ranges, Expr operand) {
    if (operand->op == OP_VARIABLE) {
        const Parameter *parameter =
            signature_parameter(&ranges->pipeline->signature, operand->name);
        if (parameter && parameter->has_range && type_is_machine_integer(operand->type) &&
            !(operand->type.kind == TYPE_UINT && operand->type.bits == 64))
            return (IndexInterval){parameter->lower, parameter->upper};
    }
    return type_range(operand->type);
}

/* `v * k` for v in (0, a / k), with k at least 1. */
static IndexInterval split_product(const IndexRanges *ranges, Expr v, Expr k) {
    const Variable *variable = variable_of(ranges, v);
    if (!variable || variable->factor != k)
        return (IndexInterval){-FAR, FAR};
    return (IndexInterval){0, greatest(variable->dividend, 0)};
}

/* `v / n` for v in (0, n * m).  Division by an n of 0 gives 0. */
static IndexInterval fuse_quotient(const IndexRanges *ranges, Expr v, Expr n) {
    const Variable *variable = variable_of(ranges, v);
    Expr product = variable ? variable->product : NULL;
    if (!product || (product->arguments[0] != n && product->arguments[1] != n))
        return (IndexInterval){-FAR, FAR};
    Expr other = product->arguments[product->arguments[0] == n];
    return (IndexInterval){0, greatest(ranges->nodes[other->number].range.maximum - 1, 0)};
}

static IndexInterval apply(const IndexRanges *ranges, Expr node) {
    IndexInterval a = ALL, b = ALL;
    if (node->arity > 0)
        a = ranges->nodes[node->arguments[0]->number].range;
    if (node->arity > 1)
        b = ranges->nodes[node->arguments[1]->number].range;
    switch (node->op) {
    case OP_ADD:
        return (IndexInterval){saturate(a.minimum + b.minimum), saturate(a.maximum + b.maximum)};
    case OP_SUB:
        return (IndexInterval){saturate(a.minimum - b.maximum), saturate(a.maximum - b.minimum)};
    case OP_MUL:
        return meet(product(a, b),
                    meet(split_product(ranges, node->arguments[0], node->arguments[1]),
                         split_product(ranges, node->arguments[1], node->arguments[0])));
    case OP_NEG:
        return (IndexInterval){-a.maximum, -a.minimum};
    case OP_ABS:
        return (IndexInterval){0, magnitude(a)};
    case OP_DIV:
        return meet(quotient(a, b), fuse_quotient(ranges, node->arguments[0], node->arguments[1]));
    case OP_MOD:
        return remainder_of(a, b);
    case OP_MIN:
        return (IndexInterval){least(a.minimum, b.minimum), least(a.maximum, b.maximum)};
    case OP_MAX:
        return (IndexInterval){greatest(a.minimum, b.minimum), greatest(a.maximum, b.maximum)};
    case OP_SELECT:
        return join(b, ranges->nodes[node->arguments[2]->number].range);
    case OP_CAST:
        return cast_range(ranges, node->arguments[0]);
    default:
        return ALL;
    }
}

static bool fits(IndexInterval range) {
    return range.minimum >= INT64_MIN && range.maximum <= INT64_MAX;
}

static NodeRange *node_at(IndexRanges *ranges, Expr node) {
    if (node->number >= ranges->capacity) {
        uint32_t capacity =
            2 * ranges->capacity > node->number ? 2 * ranges->capacity : node->number + 1;
        NodeRange *nodes = arena_array(ranges->arena, NodeRange, capacity);
        memcpy(nodes, ranges->nodes, ranges->capacity * sizeof *nodes);
        ranges->nodes = nodes;
        ranges->capacity = capacity;
    }
    return &ranges->nodes[node->number];
}

static bool is_startup(IndexRanges *ranges, Expr node) {
    if (node->op == OP_VARIABLE) {
        const Variable *variable = variable_of(ranges, node);
        return !variable || !variable->bound || variable->at_entry;
    }
    bool startup = node->op != OP_ACCESS;
    for (int i = 0; i < node->arity && startup; i++)
        startup = node_at(ranges, node->arguments[i])->startup;
    return startup;
}

static IndexInterval leaf_range(const IndexRanges *ranges, Expr node) {
    if (node->op == OP_CONSTANT)
        return (IndexInterval){node->bits, node->bits};
    const Variable *variable = variable_of(ranges, node);
    return variable ? variable->range : ALL;
}

static Expr expand_let(void *data, Pool *pool, Expr node) {
    (void)pool;
    const Variable *variable = variable_of(data, node);
    return variable && variable->at_entry ? variable->at_entry : node;
}

/* Returns a startup expression without lets. */
static Expr at_entry(IndexRanges *ranges, Expr expr) {
    return expr_rewrite(ranges->program->pool, &ranges->entry, expr, expand_let, ranges);
}

/* Returns the magnitude of a startup operation in f64, on the same operands.  A quotient is no
 * larger than its dividend. */
static Expr size_at_entry(IndexRanges *ranges, Expr node) {
    Pool *pool = ranges->program->pool;
    Expr operands[OP_MAX_ARITY];
    node = at_entry(ranges, node);
    for (int i = 0; i < node->arity; i++)
        operands[i] = expr_cast(pool, F64, node->arguments[i]);
    return expr_unary(pool, OP_ABS,
                      node->op == OP_DIV ? operands[0] : expr_apply(pool, (Op)node->op, operands));
}

static bool is_known(void *data, Expr node) {
    IndexRanges *ranges = data;
    return node_at(ranges, node)->stamp == ranges->stamp;
}

/* The arguments were visited before. */
static void visit(void *data, Expr node) {
    IndexRanges *ranges = data;
    NodeRange *result = node_at(ranges, node);
    result->stamp = ranges->stamp;
    result->startup = is_startup(ranges, node);
    result->range = ALL;
    if (!type_is_index(node->type))
        return;
    IndexInterval range = node->arity == 0 ? leaf_range(ranges, node) : apply(ranges, node);
    if (map_get(&ranges->checked, node))
        range = meet(range, (IndexInterval){-ENTRY, ENTRY});
    if (!fits(range)) {
        Expr size =
            result->startup ? size_at_entry(ranges, node) : magnitude_of(ranges->magnitudes, node);
        ranges->fault(ranges->data, node, size, ranges->stmt);
        map_put(&ranges->checked, node, node);
        range = (IndexInterval){-ENTRY, ENTRY};
    }
    if (map_get(&ranges->lengths, node))
        range = meet(range, (IndexInterval){0, INT32_MAX});
    node_at(ranges, node)->range = range;
}

static IndexInterval range_of(IndexRanges *ranges, Expr expr) {
    /* Each stage of a chain is checked, and its needs grow with the chain.  So the memory of a
     * large visit is released at once. */
    Arena *scratch =
        expr->tree_size > SMALL ? arena_create(&ranges->program->pool->context->memory) : NULL;
    expr_visit_rest(scratch ? scratch : ranges->arena, expr, is_known, visit, ranges);
    if (scratch)
        arena_destroy(scratch);
    return node_at(ranges, expr)->range;
}

static Expr visit_expr(void *data, Expr expr) {
    range_of(data, expr);
    return expr;
}

/* ---- statements ---- */

/* Is the binder a func's coordinate or a reduction variable, as lowered?  (The loops that a
 * schedule makes have other variables.) */
static bool is_coordinate(const IndexRanges *ranges, Symbol binder) {
    LoopName name;
    if (!loop_name_parse(ranges->program->pool->context, binder, &name))
        return false;
    const Func *func = pipeline_func(ranges->pipeline, name.func);
    if (!func || (size_t)name.stage >= func->stages.length)
        return false;
    const Stage *stage = func->stages.data[name.stage];
    for (int k = 0; k < func->shape->dimensions; k++)
        if (stage->pure[k] && func->shape->variables[k] == name.variable)
            return true;
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (stage->reduction.data[r].variable == name.variable)
            return true;
    for (size_t i = 0; i < stage->splits.length; i++)
        if (stage->splits.data[i].variable == name.variable)
            return true;
    return false;
}

static Variable *bind(IndexRanges *ranges, Symbol name, IndexInterval range) {
    Variable *variable = arena_new(ranges->arena, Variable);
    variable->range = range;
    variable->bound = true;
    map_put(&ranges->variables, name, variable);
    return variable;
}

/* Binds a variable that lies in the interval, whose ranges are known. */
static void bind_inside(IndexRanges *ranges, Symbol name, IndexInterval value, Extent interval) {
    IndexInterval minimum = range_of(ranges, interval.minimum),
                  length = range_of(ranges, interval.length);
    IndexInterval inside = {minimum.minimum,
                            greatest(minimum.minimum, minimum.maximum + length.maximum - 1)};
    bool is_narrow = is_coordinate(ranges, name);
    if (is_narrow)
        inside = meet(inside, I32S);
    magnitude_bind_interval(ranges->magnitudes, name, interval, is_narrow);
    Variable *variable = bind(ranges, name, meet(value, inside));
    if (expr_is_constant(interval.minimum) && interval.minimum->bits == 0 &&
        interval.length->op == OP_DIV) {
        variable->factor = interval.length->arguments[1];
        variable->dividend = range_of(ranges, interval.length->arguments[0]).maximum;
    }
    if (expr_is_constant(interval.minimum) && interval.minimum->bits == 0 &&
        interval.length->op == OP_MUL)
        variable->product = interval.length;
}

static bool is_guard_of(const Stmt *stmt, Symbol name) {
    Expr condition = stmt->branch.condition;
    return stmt->branch.role == IF_GUARD && condition->op == OP_LT &&
           condition->arguments[0]->op == OP_VARIABLE && condition->arguments[0]->name == name;
}

/* Does a guard of the let's variable stand directly below? */
static bool is_guarded(const Stmt *let) {
    const Stmt *stmt = let->let.body.first;
    while (stmt && (stmt->kind == STMT_LET || stmt->kind == STMT_IF)) {
        if (stmt->kind == STMT_IF && is_guard_of(stmt, let->let.binder))
            return true;
        stmt = stmt->kind == STMT_IF ? stmt->branch.body.first : stmt->let.body.first;
    }
    return false;
}

static void enter_let(IndexRanges *ranges, const Stmt *stmt) {
    IndexInterval value = range_of(ranges, stmt->let.value);
    bool is_index = type_is_index(stmt->let.value->type);
    if (stmt->let.tail != TAIL_NONE && is_coordinate(ranges, stmt->let.binder))
        map_put(&ranges->lengths, stmt->let.domain.length, stmt->let.domain.length);
    bool inside = stmt->let.tail == TAIL_INSIDE && !is_guarded(stmt);
    magnitude_bind_value(ranges->magnitudes, stmt->let.binder, stmt->let.value);
    if (inside)
        bind_inside(ranges, stmt->let.binder, value, stmt->let.domain);
    else if (stmt->let.tail == TAIL_BEYOND && is_coordinate(ranges, stmt->let.binder))
        bind(ranges, stmt->let.binder, meet(value, I32S));
    else
        bind(ranges, stmt->let.binder, is_index ? value : ALL);
    if (node_at(ranges, stmt->let.value)->startup) {
        Variable *variable = map_get(&ranges->variables, stmt->let.binder);
        variable->at_entry = at_entry(ranges, stmt->let.value);
    }
}

/* Below its guard a variable is less than the guard's other side. */
static void enter_guard(IndexRanges *ranges, const Stmt *stmt) {
    Expr condition = stmt->branch.condition;
    if (condition->op != OP_LT || condition->arguments[0]->op != OP_VARIABLE)
        return;
    Symbol name = condition->arguments[0]->name;
    Variable *before = map_get(&ranges->variables, name);
    if (!before)
        return;
    vec_push(ranges->arena, &ranges->saved, (Saved){stmt, name, before});
    IndexInterval inside = {
        before->range.minimum,
        greatest(before->range.minimum, range_of(ranges, condition->arguments[1]).maximum - 1)};
    if (is_coordinate(ranges, name))
        inside = meet(inside, I32S);
    *bind(ranges, name, inside) = (Variable){.range = meet(before->range, inside),
                                             .bound = before->bound,
                                             .factor = before->factor,
                                             .dividend = before->dividend,
                                             .product = before->product};
}

static void assert_lengths(IndexRanges *ranges, const Extent *intervals, int count) {
    for (int k = 0; k < count; k++)
        map_put(&ranges->lengths, intervals[k].length, intervals[k].length);
}

static bool enter(void *data, Stmt *stmt) {
    IndexRanges *ranges = data;
    ranges->stamp++;
    ranges->stmt = stmt;
    stmt_map_own_exprs(stmt, visit_expr, ranges);
    if (stmt->kind == STMT_COMPUTE)
        assert_lengths(ranges, stmt->compute.intervals, stmt->compute.func->dimensions);
    if (stmt->kind == STMT_ALLOCATE)
        assert_lengths(ranges, stmt->allocate.intervals, stmt->allocate.func->dimensions);
    if (stmt->kind == STMT_FOR && stmt->loop.pure && is_coordinate(ranges, stmt->loop.binder))
        assert_lengths(ranges, &stmt->loop.interval, 1);
    ranges->stamp++; /* the facts so far hold for the nodes visited so far */
    if (stmt->kind == STMT_FOR)
        bind_inside(ranges, stmt->loop.binder, ALL, stmt->loop.interval);
    if (stmt->kind == STMT_LET)
        enter_let(ranges, stmt);
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_GUARD)
        enter_guard(ranges, stmt);
    return true;
}

static void leave(void *data, Stmt *stmt) {
    IndexRanges *ranges = data;
    while (ranges->saved.length && ranges->saved.data[ranges->saved.length - 1].guard == stmt) {
        Saved saved = ranges->saved.data[--ranges->saved.length];
        map_put(&ranges->variables, saved.name, saved.before);
    }
}

/* ---- interface ---- */

/* Learns that images and windows lie in 32 bits, which is asserted. */
static void know_buffer(IndexRanges *ranges, Symbol buffer, int dimensions) {
    for (int k = 0; k < dimensions; k++)
        for (int field = FIELD_MINIMUM; field < BUFFER_FIELDS; field++) {
            Expr variable = expr_buffer_field(ranges->program->pool, buffer, (BufferField)field, k);
            IndexInterval range =
                field_is_extent((BufferField)field) ? (IndexInterval){0, INT32_MAX} : I32S;
            bind(ranges, variable->name, range)->bound = false;
        }
}

IndexRanges *index_ranges_create(const Program *program, const Pipeline *pipeline, Arena *arena) {
    const Signature *signature = &pipeline->signature;
    IndexRanges *ranges = arena_new(arena, IndexRanges);
    *ranges = (IndexRanges){.program = program,
                            .pipeline = pipeline,
                            .arena = arena,
                            .variables = map_create(arena),
                            .lengths = map_create(arena),
                            .checked = map_create(arena),
                            .entry = expr_memo(arena),
                            .magnitudes = magnitudes_create(program->pool, arena),
                            .capacity = program->pool->next_number,
                            .nodes = arena_array(arena, NodeRange, program->pool->next_number)};
    for (size_t i = 0; i < signature->images.length; i++)
        know_buffer(ranges, signature->images.data[i].name, signature->images.data[i].dimensions);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        know_buffer(ranges, shape->name, shape->dimensions);
    }
    return ranges;
}

void index_ranges_check(IndexRanges *ranges, Expr expr, IndexFault *fault, void *data) {
    ranges->fault = fault;
    ranges->data = data;
    ranges->stmt = NULL;
    ranges->stamp++;
    range_of(ranges, expr);
}

void index_ranges_check_let(IndexRanges *ranges, Stmt *let, IndexFault *fault, void *data) {
    ranges->fault = fault;
    ranges->data = data;
    enter(ranges, let);
}

void index_ranges_check_block(IndexRanges *ranges, Block *block, IndexFault *fault, void *data) {
    ranges->fault = fault;
    ranges->data = data;
    StmtVisitor visitor = {.data = ranges, .enter = enter, .leave = leave};
    block_visit(block, &visitor);
}
