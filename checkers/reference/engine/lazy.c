/* lazy.c -- compiles a pure stage's values to lazy code (recursion.h), and runs it at one point.
 *
 * The code is the graph of nodes; each has the numbers of its operands. A run starts at the roots
 * and keeps the nodes that wait for operands on a stack. A `select` waits for its condition, and
 * then for the chosen arm. Each needed node runs once in an evaluation; the others do not run.
 */
#include "checkers/reference/engine/recursion.h"

#include "ir/recurrence.h"
#include "ir/walk.h"

/* ---- compiling ------------------------------------------------------------------------------- */

typedef struct LazyCompiler {
    Engine *engine;
    const Version *version;
    LazyCode *code;
    Map numbers; /* Expr -> number + 1 */
} LazyCompiler;

static int number_of(const LazyCompiler *compiler, Expr node) {
    return (int)(intptr_t)map_get(&compiler->numbers, node) - 1;
}

static int variable_register(const LazyCompiler *compiler, Expr node) {
    const Func *func = compiler->version->func;
    for (int k = 0; k < func->shape->dimensions; k++)
        if (func->variables[k] == node)
            return k;
    return -1;
}

/* Is this coordinate of a read a pure variable minus a constant? Then it needs no node. */
static bool is_offset(const LazyCompiler *compiler, Expr index, LazyOperand *operand) {
    const Func *func = compiler->version->func;
    for (int k = 0; k < func->shape->dimensions; k++) {
        int64_t offset;
        if (!recurrence_offset(func->variables[k], index, &offset) || offset != (int32_t)offset ||
            offset == INT32_MIN)
            continue;
        *operand = (LazyOperand){k, (int32_t)-offset};
        return true;
    }
    return false;
}

static void set_access(const LazyCompiler *compiler, Expr node, LazyNode *access) {
    const Recurrence *recurrence = compiler->version->func->recurrence;
    access->component = node->component;
    access->version = map_get(&compiler->engine->last_version, node->name);
    bool is_member = access->version && access->version->func->recurrence == recurrence;
    access->kind = is_member ? LAZY_MEMBER : access->version ? LAZY_OTHER : LAZY_IMAGE;
    if (!access->version)
        access->image = engine_image(compiler->engine, node->name);
}

/* Makes a node whose operands have numbers. */
static LazyNode make_node(const LazyCompiler *compiler, Expr node) {
    LazyNode made = {.kind = LAZY_OPERATE, .operand_count = node->arity};
    const Uniform *uniform = map_get(&compiler->engine->uniforms, node);
    Type operands[OP_MAX_ARITY] = {0};
    if (uniform && uniform->value.error != ERROR_INDEX)
        return (LazyNode){.kind = LAZY_LEAF, .value = uniform->value, .ran = UINT64_MAX};
    hlc_assert(node->op != OP_VARIABLE && node->op != OP_HOLE,
               "an equation's variables are pure or startup variables");
    for (int a = 0; a < node->arity; a++) {
        if (node->op != OP_ACCESS)
            operands[a] = node->arguments[a]->type;
        if (node->op != OP_ACCESS || !is_offset(compiler, node->arguments[a], &made.operands[a]))
            made.operands[a].number = number_of(compiler, node->arguments[a]);
    }
    if (node->op == OP_ACCESS)
        set_access(compiler, node, &made);
    else
        made.operation = operation_of((Op)node->op, node->type, operands);
    if (node->op == OP_SELECT)
        made.kind = LAZY_SELECT;
    return made;
}

static void add_node(void *data, Expr node) {
    LazyCompiler *compiler = data;
    LazyCode *code = compiler->code;
    if (number_of(compiler, node) >= 0)
        return;
    int number = variable_register(compiler, node);
    if (number < 0) {
        number = (int)code->nodes.length;
        vec_push(compiler->engine->arena, &code->nodes, make_node(compiler, node));
    }
    map_put(&compiler->numbers, node, (void *)((intptr_t)number + 1));
}

static void make_registers(Arena *arena, LazyCode *code) {
    size_t uses = (size_t)code->root_count + 1;
    code->bits = arena_array(arena, Bits, code->nodes.length);
    code->states = arena_array(arena, uint8_t, code->nodes.length);
    for (size_t i = 0; i < code->nodes.length; i++) {
        LazyNode *node = &code->nodes.data[i];
        node->number = (int)i;
        code->bits[i] = node->value.bits;
        code->states[i] = node->value.error;
        uses += node->operand_count;
        for (int a = 0; a < node->operand_count; a++) {
            LazyNode *operand = &code->nodes.data[node->operands[a].number];
            if (node->kind == LAZY_SELECT || operand->kind != LAZY_LEAF)
                node->needs[node->need_count++] = operand;
        }
    }
    code->waiting = arena_array(arena, LazyNode *, 2 * uses);
}

LazyCode *lazy_compile(Engine *engine, const Version *version) {
    Arena *arena = engine->arena;
    const FuncShape *shape = version->func->shape;
    const Stage *stage = version->func->stages.data[0];
    LazyCode *code = arena_new(arena, LazyCode);
    LazyCompiler compiler = {engine, version, code, map_create(arena)};
    for (int d = 0; d < shape->dimensions; d++)
        vec_push(arena, &code->nodes, ((LazyNode){.kind = LAZY_LEAF, .ran = UINT64_MAX}));
    code->roots = arena_array(arena, int, shape->components);
    code->root_count = shape->components;
    for (int c = 0; c < shape->components; c++) {
        startup_value(engine, stage->values[c]); /* also finds startup expressions inside */
        expr_visit(arena, stage->values[c], add_node, &compiler);
        code->roots[c] = number_of(&compiler, stage->values[c]);
    }
    make_registers(arena, code);
    return code;
}

/* ---- running --------------------------------------------------------------------------------- */

/* One evaluation. */
typedef struct LazyRun {
    Engine *engine;
    EngineFrame *frame;
    const Version *version;
    LazyCode *code;
    bool formal, recorded;
} LazyRun;

static uint8_t greater(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static void set(const LazyRun *run, const LazyNode *node, Bits bits, uint8_t state) {
    run->code->bits[node->number] = bits;
    run->code->states[node->number] = state;
}

static Status refuse_index(const LazyRun *run) {
    return refuse(run->engine, HLC_ERROR_INDEX_RANGE, run->version->func->shape->name->text, 0);
}

/* Runs a node if an operand is unknown or an error, or if the operator may cause an error. */
static Status run_with_errors(const LazyRun *run, const LazyNode *node) {
    const LazyCode *code = run->code;
    Bits arguments[OP_MAX_ARITY] = {0};
    uint8_t states[OP_MAX_ARITY] = {0}, worst = 0;
    for (int a = 0; a < node->operand_count; a++) {
        int number = node->operands[a].number;
        arguments[a] = code->bits[number];
        states[a] = code->states[number];
        worst = greater(worst, states[a]);
    }
    if (worst == STATE_UNKNOWN) {
        set(run, node, 0, STATE_UNKNOWN);
        return STATUS_DONE;
    }
    Value value = operation_apply(&node->operation, arguments, states);
    if (value.error == ERROR_INDEX)
        return refuse_index(run);
    set(run, node, value.bits, value.error);
    return STATUS_DONE;
}

static Status run_operation(const LazyRun *run, const LazyNode *node) {
    LazyCode *code = run->code;
    const Bits *in[OP_MAX_ARITY];
    uint8_t worst = 0;
    for (int a = 0; a < OP_MAX_ARITY; a++) {
        in[a] = &code->bits[node->operands[a].number];
        worst |= a < node->operand_count ? code->states[node->operands[a].number] : 0;
    }
    if (worst || (run->formal && node->operation.errs))
        return run_with_errors(run, node);
    code->states[node->number] = ERROR_NONE;
    return operation_apply_total(&node->operation, in, &code->bits[node->number])
               ? STATUS_DONE
               : refuse_index(run);
}

/* Reads the coordinates.  Returns STATE_UNKNOWN, or the greatest error among them. */
static uint8_t read_coordinates(const LazyRun *run, const LazyNode *node, int64_t *coordinates) {
    uint8_t worst = ERROR_NONE;
    for (int d = 0; d < node->operand_count; d++) {
        LazyOperand operand = node->operands[d];
        coordinates[d] = run->code->bits[operand.number] + operand.offset;
        worst = greater(worst, run->code->states[operand.number]);
    }
    return worst;
}

static bool is_inside(const Recursion *recursion, const int64_t *point, int dimensions) {
    for (int d = 0; d < dimensions; d++)
        if (point[d] < recursion->first[d] || point[d] > recursion->last[d])
            return false;
    return true;
}

/* Narrows coordinates to a point, for both kinds of func. Refuses coordinates outside i32. */
static Status narrow(const LazyRun *run, const LazyNode *node, const int64_t *coordinates,
                     int32_t *point) {
    for (int d = 0; d < node->operand_count; d++) {
        point[d] = (int32_t)coordinates[d];
        if (point[d] != coordinates[d])
            return refuse(run->engine, HLC_ERROR_COORDINATE_RANGE,
                          node->version->func->shape->name->text, coordinates[d], coordinates[d],
                          d);
    }
    return STATUS_DONE;
}

/* Loads the value at a location that is known. */
static void run_load(const LazyRun *run, const LazyNode *node, Bits location, uint8_t worst) {
    const PointTable *table = &node->version->table;
    Value value = {0, ERROR_NONE};
    table_load(table, node->component, &location, 1, &value.bits,
               run->formal ? &value.error : NULL);
    value.error = greater(value.error, worst);
    set(run, node, value.bits, value.error);
    if (run->recorded)
        execute_record(run->engine, table, node->component, location, value);
}

static Status run_member(const LazyRun *run, const LazyNode *node) {
    Recursion *recursion = run->version->recursion;
    int64_t coordinates[MAX_DIMENSIONS];
    int32_t point[MAX_DIMENSIONS];
    uint8_t worst = read_coordinates(run, node, coordinates);
    if (worst == STATE_UNKNOWN || !is_inside(recursion, coordinates, node->operand_count)) {
        set(run, node, 0, worst);
        return STATUS_DONE;
    }
    for (int d = 0; d < node->operand_count; d++)
        point[d] = (int32_t)coordinates[d]; /* the domain of a recurrence lies in i32 */
    uint32_t offset;
    const PointBlock *block = table_find(&node->version->table, point, &offset);
    Bits location = block_location(block, offset);
    if (bitmap_has(block->known, offset)) {
        run_load(run, node, location, worst);
        return STATUS_DONE;
    }
    RecursionPoint missing = {node->version, location};
    vec_push(run->engine->arena, &recursion->missing, missing);
    set(run, node, 0, STATE_UNKNOWN);
    return STATUS_DONE;
}

/* Reads a func outside the recurrence. Its value is known if no request to that version is pending.
 */
static Status run_other(const LazyRun *run, const LazyNode *node) {
    Recursion *recursion = run->version->recursion;
    Version *version = node->version;
    int64_t coordinates[MAX_DIMENSIONS];
    int32_t point[MAX_DIMENSIONS];
    uint8_t worst = read_coordinates(run, node, coordinates);
    if (worst == STATE_UNKNOWN) {
        set(run, node, 0, STATE_UNKNOWN);
        return STATUS_DONE;
    }
    if (narrow(run, node, coordinates, point) != STATUS_DONE)
        return STATUS_REFUSED;
    size_t asked = version->asked.count;
    Bits location = execute_locate(run->engine, run->frame, version, point);
    recursion->asked += version->asked.count - asked;
    if (version->asked.count > 0)
        set(run, node, 0, STATE_UNKNOWN);
    else
        run_load(run, node, location, worst);
    return STATUS_DONE;
}

static Status run_image(const LazyRun *run, const LazyNode *node) {
    int64_t coordinates[MAX_DIMENSIONS];
    Value value = {0, read_coordinates(run, node, coordinates)};
    if (value.error != STATE_UNKNOWN &&
        execute_image(run->engine, node->image, coordinates, &value.bits) != STATUS_DONE)
        return STATUS_REFUSED;
    set(run, node, value.bits, value.error);
    if (run->recorded && value.error != STATE_UNKNOWN)
        execute_record_image(run->engine, node->image, coordinates, value);
    return STATUS_DONE;
}

/* Runs a select after its condition and the chosen arm have run. */
static void run_select(const LazyRun *run, const LazyNode *node) {
    const LazyCode *code = run->code;
    int condition = node->operands[0].number;
    int arm = node->operands[code->bits[condition] ? 1 : 2].number;
    if (code->states[condition] == STATE_UNKNOWN)
        set(run, node, 0, STATE_UNKNOWN);
    else
        set(run, node, code->bits[arm], greater(code->states[condition], code->states[arm]));
}

static Status run_node(const LazyRun *run, const LazyNode *node) {
    switch (node->kind) {
    case LAZY_LEAF:
        return STATUS_DONE;
    case LAZY_OPERATE:
        return run_operation(run, node);
    case LAZY_SELECT:
        run_select(run, node);
        return STATUS_DONE;
    case LAZY_MEMBER:
        return run_member(run, node);
    case LAZY_OTHER:
        return run_other(run, node);
    case LAZY_IMAGE:
        return run_image(run, node);
    }
    hlc_assert(false, "a node has a kind");
    return STATUS_REFUSED;
}

/* Pushes the nodes that must run before this one, the first on top. Returns the new depth. */
static size_t push_needs(const LazyCode *code, const LazyNode *node, size_t depth) {
    uint64_t evaluation = code->evaluation;
    if (node->kind == LAZY_SELECT) {
        const LazyNode *condition = node->needs[0];
        int need = 0;
        if (condition->ran >= evaluation && code->states[condition->number] != STATE_UNKNOWN)
            need = code->bits[condition->number] ? 1 : 2;
        code->waiting[depth] = node->needs[need];
        return depth + (node->needs[need]->ran < evaluation);
    }
    for (int a = node->need_count; a-- > 0;) {
        code->waiting[depth] = node->needs[a];
        depth += node->needs[a]->ran < evaluation;
    }
    return depth;
}

Status lazy_run(Engine *engine, EngineFrame *frame, const Version *version, bool recorded) {
    LazyCode *code = version->lazy;
    LazyRun run = {engine, frame, version, code, engine->options.formal, recorded};
    size_t depth = 0;
    uint64_t evaluation = code->evaluation += 2;
    for (int r = code->root_count; r-- > 0;)
        code->waiting[depth++] = &code->nodes.data[code->roots[r]];
    while (depth > 0) {
        LazyNode *node = code->waiting[depth - 1];
        size_t needed = node->ran < evaluation - 1 ? push_needs(code, node, depth) : depth;
        if (needed > depth) {
            depth = needed;
            if (node->kind != LAZY_SELECT) /* a select may need more nodes later */
                node->ran = evaluation - 1;
            continue;
        }
        depth--;
        if (node->ran >= evaluation)
            continue;
        node->ran = evaluation;
        if (run_node(&run, node) != STATUS_DONE)
            return STATUS_REFUSED;
    }
    return STATUS_DONE;
}
