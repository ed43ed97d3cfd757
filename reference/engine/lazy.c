/* lazy.c -- from a pure stage's values to lazy code (recursion.h), and running it at one point.
 *
 * The graph of nodes is cut into *regions*: the roots' region, and one for each arm of a `select`.
 * A node belongs to the region that all of its users are in.  One whose users are in several is a
 * procedure, with a region of its own: where it is needed, it is called; it runs at its first call.
 * So the code is as long as the graph, and runs what the choices ask for.
 *
 *     select(c, f(i - 1), g(i) + 1)        0  c
 *                                          1  branch c, else 4, end 7
 *                                          2  f(i - 1)
 *                                          3  choose, to 7
 *                                          4  g(i)
 *                                          5  + 1
 *                                          6  choose, to 7
 *                                          7  return
 */
#include "reference/engine/recursion.h"

#include "ir/recurrence.h"
#include "ir/walk.h"

#include <string.h>

/* ---- analysis -------------------------------------------------------------------------------- */

#define NO_REGION       0
#define ROOT_REGION     1
#define NOT_A_PROCEDURE SIZE_MAX

typedef struct LazyInfo {
    Expr node;
    int result;     /* register; -1 before it has one */
    size_t region;  /* in which it is emitted; NO_REGION while no user is known */
    size_t arms[2]; /* of a select: the regions of its arms */
    bool is_shared; /* users in several regions */
    bool is_emitted;
    size_t procedure;   /* its number; NOT_A_PROCEDURE for others */
    size_t branch, end; /* of a select: its instructions whose targets are not known yet */
} LazyInfo;

typedef enum LazyTaskKind {
    TASK_NEED,   /* emit the node unless it is there */
    TASK_EMIT,   /* its operands are there */
    TASK_BRANCH, /* a select's condition is there */
    TASK_ELSE,   /* its first arm is there */
    TASK_END     /* its second arm is there */
} LazyTaskKind;

typedef struct LazyTask {
    LazyTaskKind kind;
    LazyInfo *info;
} LazyTask;

typedef struct LazyCompiler {
    Engine *engine;
    const Version *version;
    LazyCode *code;
    Map infos;             /* Expr -> LazyInfo */
    Vec(LazyInfo *) order; /* arguments before users */
    Vec(LazyInfo *) procedures;
    Vec(LazyTask) tasks;
    size_t region_count;
} LazyCompiler;

static LazyInfo *info_of(const LazyCompiler *compiler, Expr node) {
    return map_get(&compiler->infos, node);
}

static int variable_register(const LazyCompiler *compiler, Expr node) {
    const Func *func = compiler->version->func;
    for (int k = 0; k < func->shape->dimensions; k++)
        if (func->variables[k] == node)
            return k;
    return -1;
}

static void analyse(void *data, Expr node) {
    LazyCompiler *compiler = data;
    if (info_of(compiler, node))
        return;
    Arena *arena = compiler->engine->arena;
    LazyInfo *info = arena_new(arena, LazyInfo);
    *info = (LazyInfo){
        .node = node, .result = variable_register(compiler, node), .procedure = NOT_A_PROCEDURE};
    const Uniform *uniform = map_get(&compiler->engine->uniforms, node);
    if (uniform && uniform->value.error != ERROR_INDEX)
        info->result = compiler->code->register_count++;
    map_put(&compiler->infos, node, info);
    vec_push(arena, &compiler->order, info);
}

/* A read's coordinate: a pure variable less a constant needs no arithmetic. */
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

static void use(const LazyCompiler *compiler, Expr node, size_t region) {
    LazyInfo *info = info_of(compiler, node);
    if (info->region == NO_REGION)
        info->region = region;
    else if (info->region != region)
        info->is_shared = true;
}

/* From the users to what they use: a node's own region is known when its turn comes. */
static void find_regions(LazyCompiler *compiler) {
    compiler->region_count = ROOT_REGION + 1;
    for (size_t i = compiler->order.length; i-- > 0;) {
        LazyInfo *info = compiler->order.data[i];
        Expr node = info->node;
        if (info->region == NO_REGION || info->result >= 0)
            continue;
        if (info->is_shared) {
            info->region = compiler->region_count++;
            info->procedure = compiler->procedures.length;
            vec_push(compiler->engine->arena, &compiler->procedures, info);
        }
        for (int a = 0; a < node->arity; a++) {
            LazyOperand operand;
            size_t region = info->region;
            if (node->op == OP_SELECT && a > 0)
                region = info->arms[a - 1] = compiler->region_count++;
            if (node->op != OP_ACCESS || !is_offset(compiler, node->arguments[a], &operand))
                use(compiler, node->arguments[a], region);
        }
    }
}

/* ---- emission -------------------------------------------------------------------------------- */

static LazyInstruction *append(LazyCompiler *compiler, LazyKind kind) {
    LazyCode *code = compiler->code;
    vec_push(compiler->engine->arena, &code->instructions, (LazyInstruction){.kind = kind});
    return &code->instructions.data[code->instructions.length - 1];
}

static void push_task(LazyCompiler *compiler, LazyTaskKind kind, LazyInfo *info) {
    LazyTask task = {kind, info};
    vec_push(compiler->engine->arena, &compiler->tasks, task);
}

static void push_need(LazyCompiler *compiler, Expr node) {
    push_task(compiler, TASK_NEED, info_of(compiler, node));
}

static void emit_call(LazyCompiler *compiler, LazyInfo *info) {
    LazyInstruction *call = append(compiler, LAZY_CALL);
    call->procedure = info->procedure;
    if (info->result < 0)
        info->result = compiler->code->register_count++;
}

static void expand(LazyCompiler *compiler, LazyInfo *info) {
    Expr node = info->node;
    if (node->op == OP_SELECT) {
        push_task(compiler, TASK_BRANCH, info);
        push_need(compiler, node->arguments[0]);
        return;
    }
    push_task(compiler, TASK_EMIT, info);
    for (int a = node->arity; a-- > 0;) {
        LazyOperand operand;
        if (node->op != OP_ACCESS || !is_offset(compiler, node->arguments[a], &operand))
            push_need(compiler, node->arguments[a]);
    }
}

static void need(LazyCompiler *compiler, LazyInfo *info) {
    if (info->procedure != NOT_A_PROCEDURE) {
        emit_call(compiler, info);
    } else if (!info->is_emitted && info->result < 0) {
        info->is_emitted = true;
        expand(compiler, info);
    }
}

static int result_of(LazyCompiler *compiler, LazyInfo *info) {
    if (info->result < 0)
        info->result = compiler->code->register_count++;
    return info->result;
}

static size_t image_number(const LazyCompiler *compiler, Symbol name) {
    const ImageParameters *images = &compiler->engine->pipeline->signature.images;
    size_t image = 0;
    while (image < images->length && images->data[image].name != name)
        image++;
    hlc_assert(image < images->length, "an access names a func or an image");
    return image;
}

static void emit_access(LazyCompiler *compiler, const LazyInfo *info,
                        LazyInstruction *instruction) {
    Expr node = info->node;
    const Recurrence *recurrence = compiler->version->func->recurrence;
    instruction->component = node->component;
    instruction->version = map_get(&compiler->engine->last_version, node->name);
    if (!instruction->version) {
        instruction->kind = LAZY_IMAGE;
        instruction->image = image_number(compiler, node->name);
    } else {
        bool is_member = instruction->version->func->recurrence == recurrence;
        instruction->kind = is_member ? LAZY_MEMBER : LAZY_OTHER;
    }
}

static void emit(LazyCompiler *compiler, LazyInfo *info) {
    Expr node = info->node;
    hlc_assert(node->op != OP_VARIABLE && node->op != OP_HOLE,
               "an equation's variables are pure or startup variables");
    int result = result_of(compiler, info);
    LazyInstruction *instruction = append(compiler, LAZY_OPERATE);
    Type operands[OP_MAX_ARITY];
    instruction->result = result;
    instruction->type = node->type;
    instruction->operand_count = node->arity;
    for (int a = 0; a < node->arity; a++) {
        if (node->op != OP_ACCESS)
            operands[a] = node->arguments[a]->type;
        if (node->op != OP_ACCESS ||
            !is_offset(compiler, node->arguments[a], &instruction->operands[a]))
            instruction->operands[a].number = info_of(compiler, node->arguments[a])->result;
    }
    if (node->op == OP_ACCESS)
        emit_access(compiler, info, instruction);
    else
        instruction->operation = operation_of((Op)node->op, node->type, operands);
}

static void emit_choice(LazyCompiler *compiler, const LazyInfo *info, int arm) {
    LazyInstruction *choose = append(compiler, LAZY_CHOOSE);
    choose->result = info->result;
    choose->operands[0].number = info_of(compiler, info->node->arguments[0])->result;
    choose->operands[1].number = info_of(compiler, info->node->arguments[arm])->result;
}

static void run_task(LazyCompiler *compiler, LazyTask task) {
    LazyInfo *info = task.info;
    LazyCode *code = compiler->code;
    switch (task.kind) {
    case TASK_NEED:
        need(compiler, info);
        return;
    case TASK_EMIT:
        emit(compiler, info);
        return;
    case TASK_BRANCH: {
        int result = result_of(compiler, info);
        info->branch = code->instructions.length;
        LazyInstruction *branch = append(compiler, LAZY_BRANCH);
        branch->result = result;
        branch->operands[0].number = info_of(compiler, info->node->arguments[0])->result;
        push_task(compiler, TASK_ELSE, info);
        push_need(compiler, info->node->arguments[1]);
        return;
    }
    case TASK_ELSE:
        info->end = code->instructions.length;
        emit_choice(compiler, info, 1);
        code->instructions.data[info->branch].target = code->instructions.length;
        push_task(compiler, TASK_END, info);
        push_need(compiler, info->node->arguments[2]);
        return;
    case TASK_END:
        emit_choice(compiler, info, 2);
        code->instructions.data[code->instructions.length - 1].target = code->instructions.length;
        code->instructions.data[info->end].target = code->instructions.length;
        code->instructions.data[info->branch].end = code->instructions.length;
        return;
    }
}

static void run_tasks(LazyCompiler *compiler) {
    while (compiler->tasks.length > 0)
        run_task(compiler, compiler->tasks.data[--compiler->tasks.length]);
    append(compiler, LAZY_RETURN);
}

static void emit_all(LazyCompiler *compiler, const Expr *roots, int root_count) {
    Arena *arena = compiler->engine->arena;
    LazyCode *code = compiler->code;
    for (int r = root_count; r-- > 0;)
        push_need(compiler, roots[r]);
    run_tasks(compiler);
    size_t *starts = arena_array(arena, size_t, compiler->procedures.length + 1);
    for (size_t p = 0; p < compiler->procedures.length; p++) {
        starts[p] = code->instructions.length;
        expand(compiler, compiler->procedures.data[p]);
        run_tasks(compiler);
    }
    for (size_t i = 0; i < code->instructions.length; i++) {
        LazyInstruction *instruction = &code->instructions.data[i];
        if (instruction->kind == LAZY_CALL)
            instruction->target = starts[instruction->procedure];
    }
}

/* Registers, with the values of constants. */
static void make_registers(LazyCompiler *compiler) {
    Arena *arena = compiler->engine->arena;
    LazyCode *code = compiler->code;
    code->bits = arena_array(arena, Bits, code->register_count);
    code->states = arena_array(arena, uint8_t, code->register_count);
    for (size_t i = 0; i < compiler->order.length; i++) {
        const LazyInfo *info = compiler->order.data[i];
        const Uniform *uniform = map_get(&compiler->engine->uniforms, info->node);
        if (!uniform || uniform->value.error == ERROR_INDEX)
            continue;
        code->bits[info->result] = uniform->value.bits;
        code->states[info->result] = uniform->value.error;
    }
    code->procedure_count = compiler->procedures.length;
    code->ran = arena_array(arena, uint64_t, code->procedure_count + 1);
    code->returns = arena_array(arena, size_t, code->procedure_count + 1);
}

LazyCode *lazy_compile(Engine *engine, const Version *version) {
    Arena *arena = engine->arena;
    const FuncShape *shape = version->func->shape;
    const Stage *stage = version->func->stages.data[0];
    LazyCode *code = arena_new(arena, LazyCode);
    code->register_count = shape->dimensions;
    LazyCompiler compiler = {
        .engine = engine, .version = version, .code = code, .infos = map_create(arena)};
    for (int c = 0; c < shape->components; c++) {
        startup_value(engine, stage->values[c]); /* finds the startup expressions in it too */
        expr_visit(arena, stage->values[c], analyse, &compiler);
    }
    for (int c = 0; c < shape->components; c++)
        use(&compiler, stage->values[c], ROOT_REGION);
    find_regions(&compiler);
    emit_all(&compiler, stage->values, shape->components);
    code->roots = arena_array(arena, int, shape->components);
    code->root_count = shape->components;
    for (int c = 0; c < shape->components; c++)
        code->roots[c] = info_of(&compiler, stage->values[c])->result;
    make_registers(&compiler);
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

static void set(const LazyRun *run, const LazyInstruction *instruction, Bits bits, uint8_t state) {
    run->code->bits[instruction->result] = bits;
    run->code->states[instruction->result] = state;
}

static Status run_operation(const LazyRun *run, const LazyInstruction *instruction) {
    const LazyCode *code = run->code;
    Bits arguments[OP_MAX_ARITY] = {0};
    uint8_t states[OP_MAX_ARITY] = {0}, worst = 0;
    for (int a = 0; a < instruction->operand_count; a++) {
        int number = instruction->operands[a].number;
        arguments[a] = code->bits[number];
        states[a] = code->states[number];
        worst = greater(worst, states[a]);
    }
    if (worst == STATE_UNKNOWN) {
        set(run, instruction, 0, STATE_UNKNOWN);
        return STATUS_DONE;
    }
    Value value = operation_apply(&instruction->operation, arguments, run->formal ? states : NULL);
    if (value.error == ERROR_INDEX)
        return refuse(run->engine, HLC_ERROR_INDEX_RANGE, run->version->func->shape->name->text, 0);
    set(run, instruction, value.bits, run->formal ? value.error : ERROR_NONE);
    return STATUS_DONE;
}

/* The coordinates of a read; STATE_UNKNOWN, or the greatest error among them. */
static uint8_t read_coordinates(const LazyRun *run, const LazyInstruction *instruction,
                                int64_t *coordinates) {
    uint8_t worst = ERROR_NONE;
    for (int d = 0; d < instruction->operand_count; d++) {
        LazyOperand operand = instruction->operands[d];
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

/* The place of a point that may be of any of the two kinds of func; refuses beyond 32 bits. */
static Status narrow(const LazyRun *run, const LazyInstruction *instruction,
                     const int64_t *coordinates, int32_t *point) {
    for (int d = 0; d < instruction->operand_count; d++) {
        point[d] = (int32_t)coordinates[d];
        if (point[d] != coordinates[d])
            return refuse(run->engine, HLC_ERROR_COORDINATE_RANGE,
                          instruction->version->func->shape->name->text, coordinates[d],
                          coordinates[d], d);
    }
    return STATUS_DONE;
}

/* The value at a location, which is known. */
static void run_load(const LazyRun *run, const LazyInstruction *instruction, Bits location,
                     uint8_t worst) {
    const PointTable *table = &instruction->version->table;
    Value value = {0, ERROR_NONE};
    table_load(table, instruction->component, &location, 1, &value.bits,
               run->formal ? &value.error : NULL);
    value.error = greater(value.error, worst);
    set(run, instruction, value.bits, value.error);
    if (run->recorded)
        execute_record(run->engine, table, instruction->component, location, value);
}

static Status run_member(const LazyRun *run, const LazyInstruction *instruction) {
    Recursion *recursion = run->version->recursion;
    int64_t coordinates[MAX_DIMENSIONS];
    int32_t point[MAX_DIMENSIONS];
    uint8_t worst = read_coordinates(run, instruction, coordinates);
    if (worst == STATE_UNKNOWN || !is_inside(recursion, coordinates, instruction->operand_count)) {
        set(run, instruction, 0, worst);
        return STATUS_DONE;
    }
    Status narrowed = narrow(run, instruction, coordinates, point);
    hlc_assert(narrowed == STATUS_DONE, "the domain of a recurrence has coordinates of 32 bits");
    uint32_t offset;
    const PointBlock *block = table_find(&instruction->version->table, point, &offset);
    Bits location = block_location(block, offset);
    if (bitmap_has(block->known, offset)) {
        run_load(run, instruction, location, worst);
        return STATUS_DONE;
    }
    RecursionPoint missing = {instruction->version, location};
    vec_push(run->engine->arena, &recursion->missing, missing);
    set(run, instruction, 0, STATE_UNKNOWN);
    return STATUS_DONE;
}

/* A func outside of the recurrence: what was asked of it before, and is not waiting, is known. */
static Status run_other(const LazyRun *run, const LazyInstruction *instruction) {
    Recursion *recursion = run->version->recursion;
    Version *version = instruction->version;
    int64_t coordinates[MAX_DIMENSIONS];
    int32_t point[MAX_DIMENSIONS];
    uint8_t worst = read_coordinates(run, instruction, coordinates);
    if (worst == STATE_UNKNOWN) {
        set(run, instruction, 0, STATE_UNKNOWN);
        return STATUS_DONE;
    }
    if (narrow(run, instruction, coordinates, point) != STATUS_DONE)
        return STATUS_REFUSED;
    size_t asked = version->asked.count;
    Bits location = execute_locate(run->engine, run->frame, version, point);
    recursion->asked += version->asked.count - asked;
    if (version->asked.count > 0)
        set(run, instruction, 0, STATE_UNKNOWN);
    else
        run_load(run, instruction, location, worst);
    return STATUS_DONE;
}

static Status run_image(const LazyRun *run, const LazyInstruction *instruction) {
    int64_t coordinates[MAX_DIMENSIONS];
    Value value = {0, read_coordinates(run, instruction, coordinates)};
    if (value.error != STATE_UNKNOWN &&
        execute_image(run->engine, instruction->image, coordinates, &value.bits) != STATUS_DONE)
        return STATUS_REFUSED;
    set(run, instruction, value.bits, value.error);
    if (run->recorded && value.error != STATE_UNKNOWN)
        execute_record_image(run->engine, instruction->image, coordinates, value);
    return STATUS_DONE;
}

/* Where the code goes on. */
static size_t run_branch(const LazyRun *run, const LazyInstruction *instruction, size_t pc) {
    const LazyCode *code = run->code;
    int condition = instruction->operands[0].number;
    if (code->states[condition] != STATE_UNKNOWN)
        return code->bits[condition] ? pc + 1 : instruction->target;
    set(run, instruction, 0, STATE_UNKNOWN);
    return instruction->end;
}

static void run_choose(const LazyRun *run, const LazyInstruction *instruction) {
    const LazyCode *code = run->code;
    int condition = instruction->operands[0].number, arm = instruction->operands[1].number;
    set(run, instruction, code->bits[arm], greater(code->states[condition], code->states[arm]));
}

Status lazy_run(Engine *engine, EngineFrame *frame, const Version *version, bool recorded) {
    LazyCode *code = version->lazy;
    LazyRun run = {engine, frame, version, code, engine->options.formal, recorded};
    size_t depth = 0;
    code->evaluation++;
    for (size_t pc = 0;;) {
        const LazyInstruction *instruction = &code->instructions.data[pc++];
        Status status = STATUS_DONE;
        switch (instruction->kind) {
        case LAZY_OPERATE:
            status = run_operation(&run, instruction);
            break;
        case LAZY_BRANCH:
            pc = run_branch(&run, instruction, pc - 1);
            break;
        case LAZY_CHOOSE:
            run_choose(&run, instruction);
            pc = instruction->target;
            break;
        case LAZY_CALL:
            if (code->ran[instruction->procedure] == code->evaluation)
                break;
            code->ran[instruction->procedure] = code->evaluation;
            code->returns[depth++] = pc;
            pc = instruction->target;
            break;
        case LAZY_RETURN:
            if (depth == 0)
                return STATUS_DONE;
            pc = code->returns[--depth];
            break;
        case LAZY_MEMBER:
            status = run_member(&run, instruction);
            break;
        case LAZY_OTHER:
            status = run_other(&run, instruction);
            break;
        case LAZY_IMAGE:
            status = run_image(&run, instruction);
            break;
        }
        if (status != STATUS_DONE)
            return status;
    }
}
