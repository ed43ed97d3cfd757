/* model.c -- walks the statements of a program (model.h). */
#include "autoschedule/internal.h"

#include <math.h>

/* ---- loops that are no vectors ---- */

typedef struct VectorSearch {
    Model *model;
    Vec(const Stmt *) around; /* vectorized loops */
} VectorSearch;

static bool is_vectorized(const Stmt *stmt) {
    return stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED;
}

static bool search_enter(void *data, Stmt *stmt) {
    VectorSearch *search = data;
    if (is_vectorized(stmt) || stmt->kind == STMT_COMPUTE)
        for (size_t i = 0; i < search->around.length; i++)
            map_put(&search->model->unrolled, search->around.data[i], search->around.data[i]);
    if (is_vectorized(stmt))
        vec_push(search->model->arena, &search->around, stmt);
    return true;
}

static void search_leave(void *data, Stmt *stmt) {
    VectorSearch *search = data;
    if (is_vectorized(stmt))
        search->around.length--;
}

/* ---- costs ---- */

static void add(ModelCost *sum, const ModelCost *cost, double times) {
    sum->cycles += times * cost->cycles;
    sum->overhead += times * cost->overhead;
    for (int c = 0; c < CACHE_LEVELS; c++)
        sum->traffic[c] += times * cost->traffic[c];
}

static bool is_inside_parallel(const Model *model) {
    for (size_t i = 0; i < model->frames.length; i++) {
        const Stmt *stmt = model->frames.data[i].stmt;
        if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_PARALLEL)
            return true;
    }
    return false;
}

/* The executions of the current statement in the whole run. */
static double executions(const Model *model) {
    double count = 1;
    for (size_t i = 0; i < model->frames.length; i++)
        count *= (model->frames.data[i].kind == LOOP_LANES ? 1 : model->frames.data[i].iterations) *
                 model->frames.data[i].share;
    return count;
}

static FuncEstimate *func_estimate(Model *model, Symbol func) {
    FuncEstimate *found = (FuncEstimate *)estimate_of(model->estimate, func);
    if (found)
        return found;
    found = arena_new(model->arena, FuncEstimate);
    found->func = func;
    vec_push(model->arena, &model->estimate->funcs, found);
    return found;
}

/* ---- entering ---- */

/* A guard with a value that depends on these loops masks lanes where the loops end. */
static void note_mask(Model *model, uint32_t depends) {
    for (size_t i = 0; i < model->frames.length; i++) {
        Frame *frame = &model->frames.data[i];
        if (frame->kind == LOOP_LANES && depends >> frame->world & 1)
            frame->masked |= depends;
    }
}

/* A let of a split gives its variable a domain that the loops may go beyond: the share of their
 * iterations that do anything. Lanes that are masked take their time. */
static double share_of_let(Model *model, const Stmt *let, bool *is_whole) {
    if (let->let.tail == TAIL_NONE || !let->let.domain.length)
        return 1;
    const WorldValue *value = worlds_value(&model->worlds, let->let.value);
    double domain = (double)worlds_typical(&model->worlds, let->let.domain.length, -1);
    double span = 1, lanes = 1;
    for (size_t i = model->frames.length; i-- > 0;) {
        const Frame *frame = &model->frames.data[i];
        if (frame->stmt->kind == STMT_COMPUTE)
            break;
        if (frame->stmt->kind != STMT_FOR || !(value->depends >> frame->world & 1))
            continue;
        span +=
            fabs(worlds_stride(&model->worlds, value, frame->world, (int64_t)frame->iterations)) *
            (frame->iterations - 1);
        if (frame->kind == LOOP_LANES)
            lanes = fmax(1, frame->iterations);
    }
    bool divides =
        span <= domain && worlds_value(&model->worlds, let->let.domain.length)->depends == 0;
    note_mask(model, divides ? 0 : value->depends);
    if (!value->is_known || domain < 0)
        return 1;
    *is_whole = span <= domain;
    return fmin(1, ceil(domain / lanes) * lanes / span);
}

/* What a window holds is computed as a whole in the first iteration of the loop along which it slides:
 * how much more than in the others, over all of them. */
static double share_of_window(Model *model, const Stmt *compute) {
    double share = 1;
    for (int d = 0; compute->compute.held && d < compute->compute.func->dimensions; d++) {
        double held = (double)worlds_typical(&model->worlds, compute->compute.held[d].length, 1);
        double fresh =
            (double)worlds_typical(&model->worlds, compute->compute.intervals[d].length, 1);
        double iterations = 1;
        for (int s = 0; s < compute->compute.slide_count; s++)
            for (size_t i = 0; i < model->frames.length; i++) {
                const Frame *frame = &model->frames.data[i];
                if (compute->compute.slides[s].dimension == d && frame->stmt->kind == STMT_FOR &&
                    compute->compute.slides[s].loop->op == OP_VARIABLE &&
                    compute->compute.slides[s].loop->name == frame->stmt->loop.binder)
                    iterations *= fmax(1, frame->iterations);
            }
        if (fresh > 0 && held > fresh)
            share *= 1 + (held / fresh - 1) / iterations;
    }
    return share;
}

static Frame frame_of(Model *model, const Stmt *stmt) {
    Frame frame = {
        .stmt = stmt, .iterations = 1, .share = 1, .first_access = model->accesses.length};
    if (stmt->kind == STMT_FOR) {
        frame.iterations = (double)worlds_enter_loop(&model->worlds, stmt->loop.binder,
                                                     &stmt->loop.interval, &frame.world);
        if (frame.world)
            model->iterations[frame.world] = frame.iterations;
        bool is_lanes = is_vectorized(stmt) && !map_get(&model->unrolled, stmt);
        frame.kind = is_lanes ? LOOP_LANES
                     : is_vectorized(stmt) || stmt->loop.traversal == TRAVERSE_UNROLLED
                         ? LOOP_UNROLLED
                         : LOOP_SERIAL;
    } else if (stmt->kind == STMT_COMPUTE) {
        frame.share = share_of_window(model, stmt);
    } else if (stmt->kind == STMT_LET) {
        frame.share = share_of_let(model, stmt, &frame.is_whole);
        worlds_bind(&model->worlds, stmt->let.binder, stmt->let.value);
    } else if (stmt->kind == STMT_IF) {
        const WorldValue *condition = worlds_value(&model->worlds, stmt->branch.condition);
        if (condition->is_known && stmt->branch.role == IF_PLAIN)
            frame.share = condition->at[0] ? 1 : 0;
    }
    return frame;
}

static void enter_compute(Model *model, const Stmt *compute) {
    double points = executions(model) * share_of_window(model, compute);
    for (int d = 0; d < compute->compute.func->dimensions; d++)
        points *= fmax(
            0, (double)worlds_typical(&model->worlds, compute->compute.intervals[d].length, 1));
    func_estimate(model, compute->compute.func->name)->points += points;
}

static void enter_allocate(Model *model, const Stmt *allocate, ModelCost *cost) {
    const FuncShape *shape = allocate->allocate.func;
    model_allocate(model, allocate);
    double bytes = 0;
    for (int c = 0; c < shape->components; c++) {
        const Buffer *buffer = model_buffer(model, shape->name, c);
        double component = buffer->element;
        for (int d = 0; d < buffer->dimensions; d++)
            component *=
                buffer->fold[d] > 0 ? fmin(buffer->fold[d], buffer->length[d]) : buffer->length[d];
        bytes += component;
    }
    FuncEstimate *func = func_estimate(model, shape->name);
    func->bytes = fmax(func->bytes, bytes);
    const Buffer *first = model_buffer(model, shape->name, 0);
    for (int d = 0; d < shape->dimensions; d++)
        func->length[d] = first->length[d];
    if (first->world == 0)
        model->all_bytes += bytes;
    if (!shape->is_output && bytes > LARGEST_ON_STACK)
        cost->cycles += model->machine->allocation_cycles;
}

/* Is it the copy of a specialized func that these sizes do not take? */
static bool is_left_out(Model *model, const Stmt *stmt) {
    const Stmt *owner = stmt->block ? stmt->block->owner : NULL;
    if (!owner || owner->kind != STMT_IF || owner->branch.role != IF_SPECIALIZE)
        return false;
    const WorldValue *condition = worlds_value(&model->worlds, owner->branch.condition);
    return condition->is_known && (stmt->block == &owner->branch.body) != (condition->at[0] != 0);
}

static bool enter(void *data, Stmt *stmt) {
    Model *model = data;
    if (is_left_out(model, stmt))
        return false;
    ModelCost *cost =
        model->frames.length ? &model->frames.data[model->frames.length - 1].cost : NULL;
    ModelCost none = {0};
    if (stmt->kind == STMT_ALLOCATE) {
        enter_allocate(model, stmt, cost ? cost : &none);
    } else if (stmt->kind == STMT_STORE && cost) {
        ModelCost store = model_store(model, stmt);
        add(cost, &store, 1);
        func_estimate(model, stmt->store.func->name)->cycles += store.cycles * executions(model);
    }
    if (stmt->kind == STMT_COMPUTE)
        enter_compute(model, stmt);
    if (stmt_body(stmt)) {
        Frame frame = frame_of(model, stmt);
        vec_push(model->arena, &model->frames, frame);
    }
    return true;
}

/* ---- leaving ---- */

/* The cost of all iterations of a loop. */
static void finish_loop(Model *model, Frame *frame) {
    const Machine *machine = model->machine;
    double n = frame->iterations;
    ModelCost *cost = &frame->cost;
    if (frame->kind == LOOP_LANES)
        n = n > 0;
    else if (frame->kind == LOOP_SERIAL)
        cost->cycles += machine->loop_cycles;
    bool has_rows = frame->kind == LOOP_SERIAL && frame->tail > 0;
    model_loop_traffic(model, frame, cost->traffic);
    bool is_parallel = frame->stmt->loop.traversal == TRAVERSE_PARALLEL;
    cost->overhead *= n;
    if (has_rows)
        cost->cycles = (cost->cycles * n + frame->tail) / fmax(1, n);
    if (!is_parallel || is_inside_parallel(model)) {
        cost->cycles *= n;
        cost->overhead += is_parallel ? machine->task_cycles * n : 0;
        return;
    }
    double most = ceil(n / model->threads), ways = n > 0 ? n / most : 1;
    cost->cycles *= most;
    cost->overhead += machine->dispatch_cycles * (model->threads > 1) + machine->task_cycles * most;
    for (int c = 0; c < CACHE_LEVELS; c++)
        cost->traffic[c] /= c + 1 < CACHE_LEVELS ? ways : fmin(ways, machine->memory_sharing);
}

/* The loops of a row are those that its masks depend on: the innermost serial one, and perhaps loops over tiles
 * further outside. Returns in how many of its executions the innermost one meets the end of the row once. */
static double rows_to_end(const Model *model, const Frame *lanes, size_t innermost) {
    double count = 1;
    for (size_t i = innermost; i-- > 0 && model->frames.data[i].stmt->kind != STMT_COMPUTE;) {
        const Frame *frame = &model->frames.data[i];
        if (frame->stmt->kind == STMT_FOR && frame->world && lanes->masked >> frame->world & 1)
            count *= fmax(1, frame->iterations);
    }
    return count;
}

/* The last vector of a row is masked; small elements are then stored one by one. */
static void note_tail(Model *model, const Stmt *loop, const Frame *lanes) {
    const Machine *machine = model->machine;
    const FuncShape *shape = signature_func(model->program->signature, loop->loop.name.func);
    for (size_t i = model->frames.length; i-- > 0;) {
        Frame *around = &model->frames.data[i];
        if (around->stmt->kind == STMT_COMPUTE)
            return;
        if (around->stmt->kind != STMT_FOR || around->kind != LOOP_SERIAL)
            continue;
        bool is_small = shape && type_bytes(shape->types[0]) < 4;
        double masks = lanes->iterations * (is_small ? machine->masked_small : machine->masked);
        around->tail = around->iterations > 1 ? machine->row_cycles : 0;
        if (lanes->masked)
            around->tail += masks / rows_to_end(model, lanes, i);
        return;
    }
}

static void leave(void *data, Stmt *stmt) {
    Model *model = data;
    if (!stmt_body(stmt) || is_left_out(model, stmt))
        return;
    Frame frame = model->frames.data[--model->frames.length];
    if (stmt->kind == STMT_FOR) {
        finish_loop(model, &frame);
        worlds_leave_loop(&model->worlds, frame.world);
    }
    if (frame.kind == LOOP_LANES)
        note_tail(model, stmt, &frame);
    if (model->frames.length == 0)
        vec_push(model->arena, &model->phases, frame.cost);
    else
        add(&model->frames.data[model->frames.length - 1].cost, &frame.cost, frame.share);
    if (model->frames.length == 0)
        model->accesses.length = 0;
}

/* ---- the whole ---- */

/* A part takes as long as its slowest resource; a quarter of the others does not overlap. */
static double phase_cycles(const Model *model, const ModelCost *cost, const bool *fits) {
    double sum = cost->cycles, most = cost->cycles;
    for (int c = 0; c < CACHE_LEVELS; c++) {
        double cycles = fits[c] ? 0 : cost->traffic[c] / model->machine->bytes_per_cycle[c];
        sum += cycles;
        most = fmax(most, cycles);
    }
    return most + (sum - most) / 4 + cost->overhead;
}

Estimate *model_estimate(const Program *program, const Machine *machine, int threads,
                         VariableValue *startup, void *data, Arena *arena) {
    Model *model = arena_new(arena, Model);
    *model = (Model){.program = program,
                     .machine = machine,
                     .threads = threads,
                     .arena = arena,
                     .worlds = worlds_create(arena, startup, data),
                     .unrolled = map_create(arena),
                     .buffers = map_create(arena),
                     .estimate = arena_new(arena, Estimate)};
    VectorSearch search = {.model = model};
    Block *body = (Block *)&program->body;
    block_visit(body, &(StmtVisitor){&search, search_enter, search_leave});
    block_visit(body, &(StmtVisitor){model, enter, leave});
    Estimate *estimate = model->estimate;
    for (size_t i = 0; i < estimate->funcs.length; i++) {
        const FuncShape *shape = signature_func(program->signature, estimate->funcs.data[i]->func);
        if (!shape || !shape->is_output)
            estimate->bytes += estimate->funcs.data[i]->bytes;
    }
    bool fits[CACHE_LEVELS];
    for (int c = 0; c < CACHE_LEVELS; c++)
        fits[c] = model->all_bytes <= machine->cache_bytes[c] * machine->usable;
    for (size_t i = 0; i < model->phases.length; i++)
        estimate->cycles += phase_cycles(model, &model->phases.data[i], fits);
    return estimate;
}

const FuncEstimate *estimate_of(const Estimate *estimate, Symbol func) {
    for (size_t i = 0; i < estimate->funcs.length; i++)
        if (estimate->funcs.data[i]->func == func)
            return estimate->funcs.data[i];
    return NULL;
}
