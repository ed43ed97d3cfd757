/* code.c -- compiles expressions to flat register code over batches of points.
 *
 * Each distinct node becomes one instruction, because expressions are graphs. The compiler
 * evaluates startup expressions, which become constant vectors. The order of instructions
 * requests points in few and large portions. First come all nodes that the indices of
 * accesses need, then the LOCATEs of all accesses, then one DEMAND, and then the rest. Accesses
 * inside indices need several such rounds (an access's `rank` counts them).
 */
#include "checkers/reference/engine/engine.h"

#include "ir/walk.h"

#include <stdlib.h>
#include <string.h>

/* The compiler's record of a node. */
typedef struct Info {
    Expr node;
    int number;   /* in visiting order */
    int result;   /* its register; -1 before it is emitted */
    int location; /* for accesses of funcs: the register of the locations; -1 before that */
    int rank;     /* number of DEMAND rounds before its value is known */
    bool self;    /* the node depends on the func's own values */
} Info;

typedef struct BatchCompiler {
    Engine *engine;
    BatchCode *code;
    const Version *self;
    const Stage *stage;
    const Symbol *variables;
    int variable_count;
    Map infos;         /* Expr -> Info */
    Vec(Info *) order; /* arguments before users */
    Map locations;     /* Expr of component 0 -> Info whose `location` serves all components */
    bool in_narrow;
} BatchCompiler;

static Info *info_of(const BatchCompiler *compiler, Expr node) {
    return map_get(&compiler->infos, node);
}

static bool is_self(const BatchCompiler *compiler, Expr node) {
    return node->op == OP_ACCESS && compiler->self &&
           node->name == compiler->self->func->shape->name;
}

static Version *target_of(const BatchCompiler *compiler, Expr node) {
    return map_get(&compiler->engine->last_version, node->name);
}

static int new_register(BatchCompiler *compiler) {
    return compiler->code->register_count++;
}

/* ---- analysis -------------------------------------------------------------------------------- */

static int variable_register(const BatchCompiler *compiler, Expr node) {
    if (node->op == OP_VARIABLE)
        for (int i = 0; i < compiler->variable_count; i++)
            if (compiler->variables[i] == node->name)
                return i;
    return -1;
}

static void analyse(void *data, Expr node) {
    BatchCompiler *compiler = data;
    if (info_of(compiler, node))
        return;
    Arena *arena = compiler->engine->arena;
    Info *info = arena_new(arena, Info);
    *info =
        (Info){.node = node, .number = (int)compiler->order.length, .result = -1, .location = -1};
    map_put(&compiler->infos, node, info);
    vec_push(arena, &compiler->order, info);
    for (int i = 0; i < node->arity; i++) {
        const Info *argument = info_of(compiler, node->arguments[i]);
        info->self = info->self || argument->self;
        info->rank = argument->rank > info->rank ? argument->rank : info->rank;
    }
    if (is_self(compiler, node))
        info->self = true;
    else if (node->op == OP_ACCESS && target_of(compiler, node))
        info->rank++;
    info->result = variable_register(compiler, node);
}

/* Gives a startup expression or constant a register whose vector already exists. */
static bool emit_uniform(BatchCompiler *compiler, Info *info) {
    Engine *engine = compiler->engine;
    Uniform *uniform = map_get(&engine->uniforms, info->node);
    if (!uniform || uniform->value.error == ERROR_INDEX)
        return false;
    if (!uniform->vector) {
        uniform->vector = vector_create(engine);
        for (size_t i = 0; i < engine->lanes; i++) {
            uniform->vector->bits[i] = uniform->value.bits;
            uniform->vector->errors[i] = uniform->value.error;
        }
    }
    info->result = new_register(compiler);
    return true;
}

/* ---- emission -------------------------------------------------------------------------------- */

static BatchInstruction *append(BatchCompiler *compiler, BatchKind kind, Type type) {
    BatchInstructions *list = compiler->in_narrow ? &compiler->code->narrow : &compiler->code->wide;
    vec_push(compiler->engine->arena, list, (BatchInstruction){.kind = kind, .type = type});
    return &list->data[list->length - 1];
}

static void set_arguments(const BatchCompiler *compiler, BatchInstruction *instruction, Expr node) {
    instruction->argument_count = node->arity;
    for (int i = 0; i < node->arity; i++) {
        instruction->arguments[i] = info_of(compiler, node->arguments[i])->result;
        if (i < OP_MAX_ARITY)
            instruction->operands[i] = node->arguments[i]->type;
    }
}

/* Returns the node that stands for all components of an access at the same indices. */
static Expr first_component(const BatchCompiler *compiler, Expr node) {
    Pool *pool = compiler->engine->pipeline->pool;
    return node->component == 0
               ? node
               : expr_access(pool, node->name, 0, node->type, node->arguments, node->arity);
}

static void emit_locate(BatchCompiler *compiler, Info *info) {
    Expr node = info->node, key = first_component(compiler, node);
    const Info *other = map_get(&compiler->locations, key);
    if (other) {
        info->location = other->location;
        return;
    }
    bool self = is_self(compiler, node);
    int location = new_register(compiler);
    BatchInstruction *locate = append(compiler, self ? CODE_LOCATE_SELF : CODE_LOCATE, INDEX);
    set_arguments(compiler, locate, node);
    locate->target = self ? (Version *)compiler->self : target_of(compiler, node);
    locate->result = info->location = location;
    map_put(&compiler->locations, key, info);
}

static int compare_versions(const void *a, const void *b) {
    const Version *const *x = a, *const *y = b;
    return (*x)->number - (*y)->number;
}

static void emit_demand(BatchCompiler *compiler, Info *const *accesses, size_t count) {
    Version **targets = arena_array(compiler->engine->arena, Version *, count);
    for (size_t i = 0; i < count; i++)
        targets[i] = target_of(compiler, accesses[i]->node);
    qsort(targets, count, sizeof *targets, compare_versions);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || targets[kept - 1] != targets[i])
            targets[kept++] = targets[i];
    BatchInstruction *demand = append(compiler, CODE_DEMAND, INDEX);
    demand->targets = targets;
    demand->target_count = kept;
}

static void emit_access(BatchCompiler *compiler, Info *info) {
    Expr node = info->node;
    BatchInstruction *instruction;
    Version *target = target_of(compiler, node);
    if (is_self(compiler, node) && !compiler->self->scatter) {
        instruction = append(compiler, CODE_SELF, node->type);
    } else if (is_self(compiler, node) || target) {
        if (info->location < 0) {
            emit_locate(compiler, info);
            if (!is_self(compiler, node))
                emit_demand(compiler, &info, 1);
        }
        instruction = append(compiler, CODE_LOAD, node->type);
        instruction->arguments[0] = info->location;
        instruction->argument_count = 1;
        instruction->target = is_self(compiler, node) ? (Version *)compiler->self : target;
    } else {
        instruction = append(compiler, CODE_IMAGE, node->type);
        set_arguments(compiler, instruction, node);
        instruction->image = engine_image(compiler->engine, node->name);
    }
    instruction->component = node->component;
    instruction->result = info->result = new_register(compiler);
}

/* Emits one node whose arguments have registers. */
static void emit_node(BatchCompiler *compiler, Info *info) {
    Expr node = info->node;
    if (emit_uniform(compiler, info))
        return;
    hlc_assert(node->op != OP_VARIABLE && node->op != OP_HOLE,
               "an algorithm's variables are pure, reduction or startup variables");
    if (node->op == OP_ACCESS) {
        emit_access(compiler, info);
        return;
    }
    BatchInstruction *instruction = append(compiler, CODE_OPERATE, node->type);
    set_arguments(compiler, instruction, node);
    instruction->op = node->op;
    instruction->picks_write = stage_picks_write(compiler->stage, node);
    instruction->result = info->result = new_register(compiler);
}

/* Emits the node and everything it needs, by a work list. */
static void emit_cone(BatchCompiler *compiler, Info *root) {
    Arena *arena = compiler->engine->arena;
    Vec(Info *) work = {0};
    vec_push(arena, &work, root);
    while (work.length > 0) {
        Info *info = work.data[work.length - 1];
        size_t before = work.length;
        for (int i = 0; info->result < 0 && i < info->node->arity; i++) {
            Info *argument = info_of(compiler, info->node->arguments[i]);
            if (argument->result < 0)
                vec_push(arena, &work, argument);
        }
        if (work.length > before)
            continue;
        work.length--;
        if (info->result < 0)
            emit_node(compiler, info);
    }
}

static int compare_ranks(const void *a, const void *b) {
    const Info *x = *(Info *const *)a, *y = *(Info *const *)b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
                              : (x->number > y->number) - (x->number < y->number);
}

/* Emits all rounds of demands that do not depend on the func itself. */
static void emit_rounds(BatchCompiler *compiler) {
    Vec(Info *) accesses = {0};
    for (size_t i = 0; i < compiler->order.length; i++) {
        Info *info = compiler->order.data[i];
        if (info->node->op == OP_ACCESS && !info->self && target_of(compiler, info->node))
            vec_push(compiler->engine->arena, &accesses, info);
    }
    if (accesses.length == 0)
        return;
    qsort(accesses.data, accesses.length, sizeof *accesses.data, compare_ranks);
    for (size_t first = 0, end; first < accesses.length; first = end) {
        end = first;
        while (end < accesses.length && accesses.data[end]->rank == accesses.data[first]->rank)
            end++;
        for (size_t i = first; i < end; i++)
            for (int a = 0; a < accesses.data[i]->node->arity; a++)
                emit_cone(compiler, info_of(compiler, accesses.data[i]->node->arguments[a]));
        for (size_t i = first; i < end; i++)
            emit_locate(compiler, accesses.data[i]);
        emit_demand(compiler, accesses.data + first, end - first);
    }
}

static void emit_all(BatchCompiler *compiler, const Expr *roots, int root_count) {
    emit_rounds(compiler);
    for (size_t i = 0; i < compiler->order.length; i++) {
        const Info *info = compiler->order.data[i];
        for (int a = 0; info->self && a < info->node->arity; a++) {
            Info *argument = info_of(compiler, info->node->arguments[a]);
            if (!argument->self)
                emit_cone(compiler, argument);
        }
    }
    for (int r = 0; r < root_count; r++)
        if (!info_of(compiler, roots[r])->self)
            emit_cone(compiler, info_of(compiler, roots[r]));
    int wide_registers = compiler->code->register_count;
    compiler->in_narrow = true;
    for (size_t i = 0; i < compiler->order.length; i++)
        if (compiler->order.data[i]->self)
            emit_node(compiler, compiler->order.data[i]);
    BatchCode *code = compiler->code;
    code->is_wide = arena_array(compiler->engine->arena, bool, code->register_count + 1);
    for (int r = 0; r < wide_registers; r++)
        code->is_wide[r] = true;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void fill_initial(BatchCompiler *compiler) {
    BatchCode *code = compiler->code;
    code->initial = arena_array(compiler->engine->arena, Vector *, code->register_count + 1);
    for (size_t i = 0; i < compiler->order.length; i++) {
        const Info *info = compiler->order.data[i];
        const Uniform *uniform = map_get(&compiler->engine->uniforms, info->node);
        if (info->result >= code->variable_count && uniform && uniform->vector)
            code->initial[info->result] = uniform->vector;
    }
}

/* Lets each wide instruction release the temporaries that no later instruction reads. */
static void mark_releases(BatchCompiler *compiler) {
    BatchCode *code = compiler->code;
    bool *needed = arena_array(compiler->engine->arena, bool, code->register_count + 1);
    for (int r = 0; r < code->register_count; r++)
        needed[r] = r < code->variable_count || code->initial[r];
    for (int i = 0; i < code->root_count; i++)
        needed[code->roots[i]] = true;
    for (size_t i = 0; i < code->narrow.length; i++)
        for (int a = 0; a < code->narrow.data[i].argument_count; a++)
            needed[code->narrow.data[i].arguments[a]] = true;
    for (size_t i = code->wide.length; i-- > 0;) {
        BatchInstruction *instruction = &code->wide.data[i];
        for (int a = 0; a < instruction->argument_count; a++) {
            if (!needed[instruction->arguments[a]])
                instruction->release |= (uint8_t)(1u << a);
            needed[instruction->arguments[a]] = true;
        }
    }
}

void code_compile(Engine *engine, BatchCode *code, const Version *self, const Stage *stage,
                  const Symbol *variables, int variable_count, const Expr *roots, int root_count) {
    Arena *arena = engine->arena;
    *code = (BatchCode){.variable_count = variable_count, .register_count = variable_count};
    BatchCompiler compiler = {.engine = engine,
                              .code = code,
                              .self = self,
                              .stage = stage,
                              .variables = variables,
                              .variable_count = variable_count,
                              .infos = map_create(arena),
                              .locations = map_create(arena)};
    for (int r = 0; r < root_count; r++) {
        startup_value(engine, roots[r]); /* also finds startup expressions inside */
        expr_visit(arena, roots[r], analyse, &compiler);
    }
    emit_all(&compiler, roots, root_count);
    code->root_count = root_count;
    code->roots = arena_array(arena, int, root_count);
    for (int r = 0; r < root_count; r++)
        code->roots[r] = info_of(&compiler, roots[r])->result;
    fill_initial(&compiler);
    mark_releases(&compiler);
}
