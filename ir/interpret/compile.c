/* compile.c -- compiles a target program to the interpreter's flat code (code.h).
 *
 * It walks the statements once. A work list compiles each distinct node of one statement's
 * expressions once: `stamps` records the statement for which a node's register is valid. Constants
 * and variables keep their registers for the whole program, because binders are unique.
 */
#include "ir/interpret/code.h"

#include "ir/walk.h"

#define FOREVER UINT32_MAX

/* An open FOR or IF whose jump target is still unknown. */
typedef struct OpenBranch {
    size_t branch; /* its RUN_LOOP or RUN_UNLESS */
    size_t jump;   /* for an IF with an else part: the RUN_JUMP over it; otherwise 0 */
} OpenBranch;

typedef struct RunCompiler {
    const Program *program;
    Arena *arena;
    RunProgram *code;
    const Stmt *stmt; /* the statement being compiled */
    uint32_t stamp;   /* the number of that statement */
    int *registers;   /* by node number */
    uint32_t *stamps; /* by node number: the stamp of its register; 0: none yet; FOREVER: a leaf */
    Map variables;    /* Symbol -> register + 1 */
    Map objects;      /* Symbol of a func or image -> number + 1 */
    Vec(Expr) work;
    Vec(OpenBranch) open;
    Vec(bool) started;  /* by register: is it set at the start? */
    Vec(int) taken_for; /* by register: 1 + the last loop whose list has it */
} RunCompiler;

static int new_register(RunCompiler *compiler, Type type) {
    hlc_assert(type.lanes == 1, "the interpreter runs scalar programs");
    vec_push(compiler->arena, &compiler->code->registers, type);
    vec_push(compiler->arena, &compiler->started, false);
    vec_push(compiler->arena, &compiler->taken_for, 0);
    return (int)compiler->code->registers.length - 1;
}

static RunInstruction *emit(RunCompiler *compiler, RunCode code) {
    RunInstruction instruction = {.code = code,
                                  .first = (int)compiler->code->arguments.length,
                                  .target = -1,
                                  .stmt = compiler->stmt};
    vec_push(compiler->arena, &compiler->code->instructions, instruction);
    return &compiler->code->instructions.data[compiler->code->instructions.length - 1];
}

static size_t here(const RunCompiler *compiler) {
    return compiler->code->instructions.length;
}

static void add_argument(RunCompiler *compiler, RunInstruction *instruction, int reg) {
    vec_push(compiler->arena, &compiler->code->arguments, reg);
    instruction->count++;
}

static int number_of(const RunCompiler *compiler, Symbol object) {
    intptr_t number = (intptr_t)map_get(&compiler->objects, object);
    hlc_assert(number != 0, "an access names a func or an image");
    return (int)number - 1;
}

/* Makes a register for a binder or a startup variable. */
static int bind_variable(RunCompiler *compiler, Symbol name, Type type) {
    int reg = new_register(compiler, type);
    map_put(&compiler->variables, name, (void *)((intptr_t)reg + 1));
    return reg;
}

static void add_start(RunCompiler *compiler, RegisterStart start) {
    vec_push(compiler->arena, &compiler->code->starts, start);
    compiler->started.data[start.target] = true;
}

static int variable_register(RunCompiler *compiler, Expr node) {
    intptr_t known = (intptr_t)map_get(&compiler->variables, node->name);
    if (known)
        return (int)known - 1;
    int reg = bind_variable(compiler, node->name, node->type);
    add_start(compiler, (RegisterStart){.target = reg, .variable = node->name});
    return reg;
}

static int constant_register(RunCompiler *compiler, Expr node) {
    int reg = new_register(compiler, node->type);
    add_start(compiler, (RegisterStart){.target = reg, .bits = node->bits});
    return reg;
}

static bool has_register(const RunCompiler *compiler, Expr node) {
    uint32_t stamp = compiler->stamps[node->number];
    return stamp == compiler->stamp || stamp == FOREVER;
}

static Operation operation_of_node(Expr node) {
    Type operands[OP_MAX_ARITY];
    for (int i = 0; i < node->arity; i++)
        operands[i] = node->arguments[i]->type;
    return operation_of((Op)node->op, node->type, operands);
}

/* Makes a register for an operator or an access, whose arguments have registers. */
static int node_register(RunCompiler *compiler, Expr node) {
    int reg = new_register(compiler, node->type);
    bool access = node->op == OP_ACCESS;
    bool image = access && signature_image(compiler->program->signature, node->name);
    hlc_assert(access || node->op < OP_COUNT, "a program that runs has no holes");
    RunInstruction *instruction = emit(compiler, !access ? RUN_APPLY
                                                 : image ? RUN_IMAGE
                                                         : RUN_READ);
    instruction->op = node->op;
    instruction->type = node->type;
    instruction->target = reg;
    instruction->component = node->component;
    if (access)
        instruction->object = number_of(compiler, node->name);
    else
        instruction->operation = operation_of_node(node);
    for (int i = 0; i < node->arity; i++)
        add_argument(compiler, instruction, compiler->registers[node->arguments[i]->number]);
    for (int i = node->arity; i < OP_MAX_ARITY && !access; i++)
        vec_push(compiler->arena, &compiler->code->arguments,
                 compiler->registers[node->arguments[0]->number]);
    return reg;
}

static void give_register(RunCompiler *compiler, Expr node) {
    bool leaf = node->op == OP_VARIABLE || node->op == OP_CONSTANT;
    int reg = node->op == OP_VARIABLE   ? variable_register(compiler, node)
              : node->op == OP_CONSTANT ? constant_register(compiler, node)
                                        : node_register(compiler, node);
    compiler->registers[node->number] = reg;
    compiler->stamps[node->number] = leaf ? FOREVER : compiler->stamp;
}

/* Returns the register that holds the expression's value after the code emitted so far. */
static int compile_expr(RunCompiler *compiler, Expr root) {
    compiler->work.length = 0;
    vec_push(compiler->arena, &compiler->work, root);
    while (compiler->work.length > 0) {
        Expr node = compiler->work.data[compiler->work.length - 1];
        size_t waiting = compiler->work.length;
        if (!has_register(compiler, node))
            for (int i = node->arity; i-- > 0;)
                if (!has_register(compiler, node->arguments[i]))
                    vec_push(compiler->arena, &compiler->work, node->arguments[i]);
        if (compiler->work.length > waiting)
            continue;
        if (!has_register(compiler, node))
            give_register(compiler, node);
        compiler->work.length--;
    }
    return compiler->registers[root->number];
}

/* Emits one instruction with these expressions as arguments. */
static RunInstruction *emit_with(RunCompiler *compiler, RunCode code, const Expr *exprs,
                                 int count) {
    int *registers = arena_array(compiler->arena, int, count);
    for (int i = 0; i < count; i++)
        registers[i] = compile_expr(compiler, exprs[i]);
    RunInstruction *instruction = emit(compiler, code);
    for (int i = 0; i < count; i++)
        add_argument(compiler, instruction, registers[i]);
    return instruction;
}

static RunInstruction *emit_intervals(RunCompiler *compiler, RunCode code, const FuncShape *func,
                                      const Extent *intervals) {
    Expr ends[2 * MAX_DIMENSIONS];
    for (int k = 0; k < func->dimensions; k++) {
        ends[2 * k] = intervals[k].minimum;
        ends[2 * k + 1] = intervals[k].length;
    }
    RunInstruction *instruction = emit_with(compiler, code, ends, 2 * func->dimensions);
    instruction->object = number_of(compiler, func->name);
    return instruction;
}

static void compile_assert(RunCompiler *compiler, const Stmt *stmt) {
    emit_with(compiler, RUN_ASSERT, &stmt->assertion.condition, 1);
    size_t test = here(compiler) - 1;
    emit_with(compiler, RUN_REFUSE, stmt->assertion.operands, stmt->assertion.operand_count);
    compiler->code->instructions.data[test].jump = here(compiler);
    compiler->stamp++; /* the operands' registers are valid only on this path */
}

static void compile_store(RunCompiler *compiler, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    int count = func->dimensions + func->components;
    Expr *exprs = arena_array(compiler->arena, Expr, count);
    for (int i = 0; i < count; i++)
        exprs[i] = i < func->dimensions ? stmt->store.indices[i]
                                        : stmt->store.values[i - func->dimensions];
    emit_with(compiler, RUN_STORE, exprs, count)->object = number_of(compiler, func->name);
    compiler->code->updates |= stmt->store.is_atomic;
}

/* An instruction that is in no list, with fresh registers for its arguments. */
static RunInstruction detached(RunCompiler *compiler, RunCode code, const Stmt *stmt) {
    return (RunInstruction){
        .code = code, .first = (int)compiler->code->arguments.length, .target = -1, .stmt = stmt};
}

static void add_fresh(RunCompiler *compiler, RunInstruction *instruction, Type type) {
    int reg = new_register(compiler, type);
    add_argument(compiler, instruction, reg);
}

static RunInstruction detached_read(RunCompiler *compiler, const Stmt *stmt, Expr access) {
    bool is_image = signature_image(compiler->program->signature, access->name);
    RunInstruction read = detached(compiler, is_image ? RUN_IMAGE : RUN_READ, stmt);
    for (int d = 0; d < access->arity; d++)
        add_fresh(compiler, &read, INDEX);
    read.op = OP_ACCESS;
    read.component = access->component;
    read.type = access->type;
    read.object = number_of(compiler, access->name);
    read.target = new_register(compiler, access->type);
    return read;
}

static RunInstruction detached_store(RunCompiler *compiler, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    RunInstruction store = detached(compiler, RUN_STORE, stmt);
    for (int d = 0; d < func->dimensions; d++)
        add_fresh(compiler, &store, INDEX);
    for (int c = 0; c < func->components; c++)
        add_fresh(compiler, &store, func->types[c]);
    store.object = number_of(compiler, func->name);
    return store;
}

static void compile_extern(RunCompiler *compiler, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    RunExtern call = {.stmt = stmt};
    Exprs exprs = {0};
    call.parts = extern_parts(compiler->arena, stmt->store.values[0]);
    call.rules = extern_rules(compiler->arena, &call.parts, func);
    call.reads = arena_array(compiler->arena, RunInstruction, call.parts.length + 1);
    for (size_t i = 0; i < call.parts.length; i++) {
        const ExternPart *part = &call.parts.data[i];
        if (part->scalar) {
            vec_push(compiler->arena, &exprs, part->scalar);
            continue;
        }
        for (int end = 0; end < 2; end++)
            for (int d = 0; d < part->first->arity; d++)
                vec_push(compiler->arena, &exprs, (end ? part->last : part->first)->arguments[d]);
    }
    for (int end = 0; end < 2; end++)
        for (int d = 0; d < func->dimensions; d++)
            vec_push(compiler->arena, &exprs,
                     end && stmt->store.lasts ? stmt->store.lasts[d] : stmt->store.indices[d]);
    emit_with(compiler, RUN_EXTERN, exprs.data, (int)exprs.length)->object =
        (int)compiler->code->externs.length;
    for (size_t i = 0; i < call.parts.length; i++)
        if (!call.parts.data[i].scalar)
            call.reads[i] = detached_read(compiler, stmt, call.parts.data[i].first);
    call.store = detached_store(compiler, stmt);
    vec_push(compiler->arena, &compiler->code->externs, call);
}

static void open_branch(RunCompiler *compiler) {
    vec_push(compiler->arena, &compiler->open, (OpenBranch){.branch = here(compiler) - 1});
}

static void compile_loop(RunCompiler *compiler, const Stmt *stmt) {
    Expr ends[2] = {stmt->loop.interval.minimum, stmt->loop.interval.length};
    RunInstruction *loop = emit_with(compiler, RUN_LOOP, ends, 2);
    loop->object = (int)compiler->code->loops.length;
    loop->target = bind_variable(compiler, stmt->loop.binder, INDEX);
    bool unordered =
        stmt->loop.traversal == TRAVERSE_PARALLEL || stmt->loop.traversal == TRAVERSE_VECTORIZED;
    compiler->code->unordered |= unordered;
    vec_push(compiler->arena, &compiler->code->loops, (RunLoop){.unordered = unordered});
    open_branch(compiler);
}

/* At the first statement of an else part, emits the jump that takes the then part over it. */
static void start_else(RunCompiler *compiler) {
    emit(compiler, RUN_JUMP);
    OpenBranch *branch = &compiler->open.data[compiler->open.length - 1];
    branch->jump = here(compiler) - 1;
    compiler->code->instructions.data[branch->branch].jump = here(compiler);
}

static bool enter(void *data, Stmt *stmt) {
    RunCompiler *compiler = data;
    const Stmt *owner = stmt->block->owner;
    if (owner && owner->kind == STMT_IF && stmt->block == &owner->branch.otherwise &&
        !stmt->previous)
        start_else(compiler);
    compiler->stmt = stmt;
    compiler->stamp++;
    hlc_assert(compiler->stamp < FOREVER, "fewer statements than stamps");
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    case STMT_ASSERT:
        compile_assert(compiler, stmt);
        break;
    case STMT_ALLOCATE:
        emit_intervals(compiler, RUN_ALLOCATE, stmt->allocate.func, stmt->allocate.intervals);
        break;
    case STMT_COMPUTE:
        emit_intervals(compiler, RUN_COMPUTE, stmt->compute.func, stmt->compute.intervals);
        break;
    case STMT_STORE:
        if (stmt_is_extern(stmt))
            compile_extern(compiler, stmt);
        else
            compile_store(compiler, stmt);
        break;
    case STMT_IF:
        emit_with(compiler, RUN_UNLESS, &stmt->branch.condition, 1);
        open_branch(compiler);
        break;
    case STMT_FOR:
        compile_loop(compiler, stmt);
        break;
    case STMT_LET: {
        RunInstruction *copy = emit_with(compiler, RUN_COPY, &stmt->let.value, 1);
        copy->target = bind_variable(compiler, stmt->let.binder, stmt->let.value->type);
        break;
    }
    }
    return true;
}

/* Releases what a block allocated, in reverse order. */
static void release_block(RunCompiler *compiler, const Stmt *last) {
    for (const Stmt *stmt = last; stmt; stmt = stmt->previous)
        if (stmt->kind == STMT_ALLOCATE) {
            compiler->stmt = stmt;
            emit(compiler, RUN_RELEASE)->object = number_of(compiler, stmt->allocate.func->name);
        }
}

/* Does the instruction touch a func's memory? */
static bool touches_func(RunCode code) {
    return code == RUN_READ || code == RUN_STORE || code == RUN_COMPUTE || code == RUN_ALLOCATE ||
           code == RUN_RELEASE;
}

static void list_func(RunCompiler *compiler, RunLoop *loop, bool *listed, int func) {
    if (!listed[func])
        vec_push(compiler->arena, &loop->funcs, func);
    listed[func] = true;
}

/* Lists the funcs that an extern store reads and writes. */
static void list_extern(RunCompiler *compiler, RunLoop *loop, bool *listed, const RunExtern *call) {
    list_func(compiler, loop, listed, call->store.object);
    for (size_t i = 0; i < call->parts.length; i++)
        if (!call->parts.data[i].scalar && call->reads[i].code == RUN_READ)
            list_func(compiler, loop, listed, call->reads[i].object);
}

/* Lists what the loop's body reads from outside. The body starts after instruction `branch`, and is
 * complete. */
static void list_taken(RunCompiler *compiler, size_t branch) {
    const RunProgram *code = compiler->code;
    int variable = code->instructions.data[branch].target;
    int number = code->instructions.data[branch].object;
    RunLoop *loop = &code->loops.data[number];
    bool *listed = arena_array(compiler->arena, bool, compiler->program->signature->funcs.length);
    for (size_t pc = branch + 1; pc < here(compiler); pc++) {
        const RunInstruction *instruction = &code->instructions.data[pc];
        for (int i = 0; i < instruction->count; i++) {
            int reg = code->arguments.data[instruction->first + i];
            if (reg >= variable || compiler->started.data[reg] ||
                compiler->taken_for.data[reg] == number + 1)
                continue;
            compiler->taken_for.data[reg] = number + 1;
            vec_push(compiler->arena, &loop->registers, reg);
        }
        if (touches_func(instruction->code))
            list_func(compiler, loop, listed, instruction->object);
        if (instruction->code == RUN_EXTERN)
            list_extern(compiler, loop, listed, &code->externs.data[instruction->object]);
    }
}

static void leave_loop(RunCompiler *compiler, size_t branch) {
    const RunInstruction loop = compiler->code->instructions.data[branch];
    if (compiler->code->loops.data[loop.object].unordered)
        list_taken(compiler, branch);
    RunInstruction *next = emit(compiler, RUN_NEXT);
    next->object = loop.object;
    next->target = loop.target;
    next->jump = branch + 1;
    compiler->code->instructions.data[branch].jump = here(compiler);
}

static void leave(void *data, Stmt *stmt) {
    RunCompiler *compiler = data;
    compiler->stmt = stmt;
    if (stmt->kind == STMT_FOR || stmt->kind == STMT_IF) {
        OpenBranch open = compiler->open.data[--compiler->open.length];
        size_t jump = open.jump ? open.jump : open.branch;
        if (stmt->kind == STMT_FOR)
            leave_loop(compiler, open.branch);
        else
            compiler->code->instructions.data[jump].jump = here(compiler);
    }
    if (!stmt->next)
        release_block(compiler, stmt);
}

RunProgram *run_compile(const Program *program, Arena *arena) {
    const Signature *signature = program->signature;
    uint32_t nodes = program->pool->next_number;
    RunCompiler compiler = {.program = program,
                            .arena = arena,
                            .code = arena_new(arena, RunProgram),
                            .registers = arena_array(arena, int, nodes),
                            .stamps = arena_array(arena, uint32_t, nodes),
                            .variables = map_create(arena),
                            .objects = map_create(arena)};
    for (size_t i = 0; i < signature->funcs.length; i++)
        map_put(&compiler.objects, signature->funcs.data[i]->name, (void *)((intptr_t)i + 1));
    for (size_t i = 0; i < signature->images.length; i++)
        map_put(&compiler.objects, signature->images.data[i].name, (void *)((intptr_t)i + 1));
    StmtVisitor visitor = {.data = &compiler, .enter = enter, .leave = leave};
    block_visit((Block *)&program->body, &visitor);
    emit(&compiler, RUN_END);
    return compiler.code;
}
