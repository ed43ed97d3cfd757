/* body.c -- what one execution of a store costs: arithmetic, access, latency. */
#include "autoschedule/internal.h"

#include <math.h>

/* The values of a body that are live at once: two, and one for so many operators. */
enum {
    MOST_LIVE = 12,
    VALUES_BY_LIVE = 8,
    CLAMPED_LANE = 2,  /* instructions: a load into a lane .. */
    CLAMPED_PLACE = 3, /* .. and its clamped coordinate, which accesses share */
    LONG_LOOP = 8,     /* iterations that the pass `partition` asks for */
    MOST_DECIDED = 64  /* copies of an unrolled loop that decides selects */
};

static const struct {
    double integer, real;
    OperatorClass class;
} OPERATOR_CYCLES[OP_COUNT] = {
#define CYCLES(OP, INTEGER, FLOAT, CLASS) [OP_##OP] = {(INTEGER), (FLOAT), CLASS_##CLASS},
#include "autoschedule/cycles.def"
#undef CYCLES
};

/* A select that each copy of an unrolled loop decides, and the copies that evaluate it. */
typedef struct DecidedSelect {
    Expr select;
    const Frame *loop;
    uint64_t copies; /* a bit for each */
} DecidedSelect;

typedef struct StoreBody {
    Model *model;
    const Stmt *store;
    double lanes;
    int world; /* of the loop of the lanes; 0: none */
    double arithmetic, loads, stores, instructions;
    double values, registers; /* operators in lanes, and registers that one value takes */
    double code;              /* instructions as they are written out */
    double latency;           /* of one iteration of the loop that carries a value */
    double chain;             /* the latencies of the operators of the value that is carried */
    Map seen;                 /* Expr -> itself */
    Map clamped;              /* coordinates that are clamped in each lane -> themselves */
    Vec(DecidedSelect) decided;
    const Frame *deciding; /* while an arm of such a select is counted; else null */
    uint64_t copies;       /* that evaluate the arm */
} StoreBody;

/* ---- loops ---- */

static const Frame *innermost(const Model *model, size_t *i) {
    while ((*i)-- > 0) {
        const Frame *frame = &model->frames.data[*i];
        if (frame->stmt->kind == STMT_COMPUTE)
            return NULL;
        if (frame->stmt->kind == STMT_FOR)
            return frame;
    }
    return NULL;
}

double model_shared(const Model *model, uint32_t depends, bool is_loaded, double *live) {
    double shared = 1;
    size_t i = model->frames.length;
    if (live)
        *live = 1;
    for (const Frame *frame; (frame = innermost(model, &i));) {
        bool moves = depends >> frame->world & 1;
        if (frame->kind == LOOP_LANES)
            continue;
        if (frame->kind == LOOP_SERIAL && (moves || is_loaded))
            break;
        if (!moves)
            shared *= fmax(1, frame->iterations);
        else if (live)
            *live *= fmax(1, frame->iterations);
    }
    return shared;
}

/* Is a whole block all that the split of this variable has? Then its guard goes when lengths are
 * constants. */
static bool is_whole(Model *model, Symbol variable) {
    for (size_t i = model->frames.length; i-- > 0;) {
        const Stmt *let = model->frames.data[i].stmt;
        if (let->kind != STMT_LET || let->let.binder != variable || !let->let.domain.length)
            continue;
        const WorldValue *length = worlds_value(&model->worlds, let->let.domain.length);
        return length->is_known && length->depends == 0 && model->frames.data[i].is_whole;
    }
    return false;
}

/* Does the pass `partition` split a loop so that most iterations need no guard with this condition? It
 * splits the innermost long loop that is serial, and for guards of lanes any such loop. */
static bool is_split_off(Model *model, Expr condition) {
    uint32_t depends = worlds_value(&model->worlds, condition)->depends;
    bool is_of_lanes = false, is_innermost = true;
    for (size_t i = model->frames.length; i-- > 0;) {
        const Frame *frame = &model->frames.data[i];
        bool moves = frame->world && depends >> frame->world & 1;
        if (frame->stmt->kind != STMT_FOR)
            continue;
        is_of_lanes |= moves && frame->kind == LOOP_LANES;
        if (frame->kind != LOOP_SERIAL || frame->iterations < LONG_LOOP ||
            frame->stmt->loop.traversal == TRAVERSE_PARALLEL)
            continue;
        if (moves && (is_of_lanes || is_innermost))
            return true;
        is_innermost = false;
    }
    return false;
}

static bool is_of_lanes(Model *model, Expr condition) {
    uint32_t depends = worlds_value(&model->worlds, condition)->depends;
    for (size_t i = model->frames.length; i-- > 0;) {
        const Frame *frame = &model->frames.data[i];
        if (frame->kind == LOOP_LANES && frame->world && depends >> frame->world & 1)
            return true;
    }
    return false;
}

/* Does the guard of this variable follow from that of a variable that is made of it, further inside?  A
 * split of a split has both. */
static bool is_implied(const Model *model, size_t guard, Symbol variable) {
    for (size_t i = guard + 1; i < model->frames.length; i++) {
        const Stmt *let = model->frames.data[i].stmt;
        if (let->kind == STMT_LET && let->let.tail != TAIL_NONE &&
            expr_mentions(model->arena, let->let.value, variable))
            for (size_t k = i + 1; k < model->frames.length; k++) {
                const Stmt *branch = model->frames.data[k].stmt;
                if (branch->kind == STMT_IF && branch->branch.role == IF_GUARD &&
                    expr_mentions(model->arena, branch->branch.condition, let->let.binder))
                    return true;
            }
    }
    return false;
}

/* Stands the store under the guard of a split, which lanes answer differently if `in_lanes`?  Then what it
 * writes is in memory after each iteration: code generation keeps only whole blocks in registers. */
static bool is_guarded(Model *model, bool in_lanes) {
    for (size_t i = model->frames.length; i-- > 0;) {
        const Stmt *stmt = model->frames.data[i].stmt;
        if (stmt->kind == STMT_COMPUTE)
            return false;
        if (stmt->kind != STMT_IF)
            continue;
        Expr condition = stmt->branch.condition;
        bool is_end = stmt->branch.role == IF_GUARD && condition->arity == 2 &&
                      condition->arguments[0]->op == OP_VARIABLE;
        Symbol variable = is_end ? condition->arguments[0]->name : NULL;
        if (!(is_end && (is_whole(model, variable) || is_implied(model, i, variable))) &&
            !is_split_off(model, condition) && (!in_lanes || is_of_lanes(model, condition)))
            return true;
    }
    return false;
}

/* ---- choices that are made when the code is ---- */

/* The unrolled loop each copy of which decides the select: the condition depends on it alone. */
static const Frame *deciding_loop(const StoreBody *body, Expr node) {
    const Frame *found = NULL;
    if (node->op != OP_SELECT)
        return NULL;
    const WorldValue *condition = worlds_value(&body->model->worlds, node->arguments[0]);
    if (!condition->is_known || condition->depends & 1)
        return NULL;
    for (size_t i = 0; i < body->model->frames.length; i++) {
        const Frame *frame = &body->model->frames.data[i];
        if (!frame->world || !(condition->depends >> frame->world & 1) || frame->iterations <= 1)
            continue;
        if (found || frame->kind != LOOP_UNROLLED || frame->iterations > MOST_DECIDED)
            return NULL;
        found = frame;
    }
    return found;
}

/* The copies in which the condition holds, a bit for each. */
static uint64_t copies_with(const StoreBody *body, const Frame *loop, Expr condition) {
    uint64_t mask = 0;
    for (int i = 0; i < (int)loop->iterations; i++) {
        Bits bits;
        if (worlds_at(&body->model->worlds, condition, loop->world, (int64_t)loop->iterations, i,
                      &bits) &&
            bits)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

/* How often in a copy what depends on the loop that decided is computed. */
static double share_of_copies(const StoreBody *body, uint32_t depends) {
    const Frame *loop = body->deciding;
    if (!loop || !(depends >> loop->world & 1))
        return 1;
    return __builtin_popcountll(body->copies) / loop->iterations;
}

/* ---- arithmetic ---- */

static double vectors(const StoreBody *body, int bytes) {
    return fmax(1, ceil(body->lanes * bytes / body->model->machine->vector_bytes));
}

static bool is_power_of_two(Expr expr) {
    int64_t value;
    return expr_constant_integer(expr, &value) && value > 0 && (value & (value - 1)) == 0;
}

/* The cycles of one vector, and the instructions. */
static double operator_cycles(const StoreBody *body, Expr node, int bytes) {
    bool is_real = type_is_float(node->arguments[0]->type) || type_is_float(node->type);
    double factor = body->model->machine->operators[OPERATOR_CYCLES[node->op].class][is_real];
    double cycles = is_real ? OPERATOR_CYCLES[node->op].real : OPERATOR_CYCLES[node->op].integer;
    if (cycles == 0)
        cycles = node->op == OP_REINTERPRET ? 0 : 0.5;
    cycles *= factor;
    if (is_real)
        return bytes == 8 ? 1.6 * cycles : cycles;
    if (node->op == OP_DIV || node->op == OP_MOD) {
        if (is_power_of_two(node->arguments[1]))
            return 1;
        if (!expr_is_constant(node->arguments[1]))
            return 8 * fmax(1, body->model->machine->vector_bytes / bytes * (body->lanes > 1));
    }
    if (node->op == OP_MUL && (bytes == 1 || bytes == 8))
        return 3 * cycles;
    return cycles;
}

static void count_operator(StoreBody *body, Expr node) {
    bool is_place = type_is_index(node->type);
    if (is_place && node->op != OP_DIV && node->op != OP_MOD)
        return; /* addresses; clamps are taken out of the steady state */
    const WorldValue *value = worlds_value(&body->model->worlds, node);
    double shared = model_shared(body->model, value->depends, expr_has_access(node), NULL);
    int bytes = is_place ? 4 : type_bytes(node->type);
    for (int i = 0; i < node->arity; i++)
        if (!type_is_index(node->arguments[i]->type) &&
            type_bytes(node->arguments[i]->type) > bytes)
            bytes = type_bytes(node->arguments[i]->type);
    bool is_uniform = !(value->depends >> body->world & 1) || !body->world;
    double count = is_uniform ? 1 : vectors(body, bytes);
    double cycles = operator_cycles(body, node, bytes);
    count *= share_of_copies(body, value->depends);
    if (!is_uniform && !is_place) {
        body->values += share_of_copies(body, value->depends) / shared;
        body->registers = fmax(body->registers, vectors(body, bytes));
    }
    body->code += count;
    body->arithmetic += cycles * count / shared;
    body->instructions += fmax(1, cycles) * count / shared;
}

/* ---- access ---- */

typedef struct AccessPrice {
    double cycles, instructions;
} AccessPrice;

/* The unrolled loop whose copies access neighbours, while lanes lie apart; null: none. */
static const Frame *loop_of_neighbours(const Model *model, const Access *access) {
    for (size_t i = model->frames.length; i-- > 0;) {
        const Frame *frame = &model->frames.data[i];
        bool is_known;
        if (frame->stmt->kind == STMT_COMPUTE)
            return NULL;
        if (frame->kind == LOOP_UNROLLED && frame->world && frame->iterations > 1 &&
            fabs(access_step(access, frame->world, &is_known)) == 1 && is_known)
            return frame;
    }
    return NULL;
}

static AccessPrice price(const StoreBody *body, const Access *access, bool is_store) {
    const Machine *machine = body->model->machine;
    bool is_known;
    double step = fabs(access_step(access, body->world, &is_known));
    double count = vectors(body, access->buffer->element);
    double port = is_store ? 1 : 0.5;
    const Frame *copies = loop_of_neighbours(body->model, access);
    if (body->lanes <= 1)
        return (AccessPrice){port, 1};
    if (is_known && step == 0 && !is_store)
        return (AccessPrice){port, 1};
    if (is_known && step == 1)
        return (AccessPrice){port * count, count};
    if (is_known && step > 1 && copies && copies->iterations >= step) /* they fill the gaps */
        return (AccessPrice){(port + 1) * count, 2 * count};
    if (is_known && step > 0.2 && step <= (is_store ? 1 : 4))
        return (AccessPrice){(port + 1) * fmax(step, 1) * count, 2 * fmax(step, 1) * count};
    double lane = is_store ? machine->scatter_cycles : machine->gather_cycles;
    /* What the copies read of each lane is loaded at once, and transposed. Guarded copies load apart, and
     * small elements gain nothing. */
    double together =
        copies && is_known && !is_store && access->buffer->element >= 4 &&
                !is_guarded(body->model, false)
            ? fmin(copies->iterations, machine->vector_bytes / access->buffer->element)
            : 1;
    double shuffles = together > 1 ? log2(together) * count : 0;
    return (AccessPrice){lane * body->lanes / together + shuffles,
                         2 * body->lanes / together + shuffles};
}

/* How far the access moves in the next iteration, in bytes. */
static double next_bytes(const StoreBody *body, const Access *access) {
    size_t i = body->model->frames.length;
    for (const Frame *frame; (frame = innermost(body->model, &i));) {
        bool is_known;
        double step = fabs(access_step(access, frame->world, &is_known));
        if (frame->kind != LOOP_LANES && frame->world && frame->iterations > 1 &&
            (!is_known || step > 0))
            return is_known ? step * access->buffer->element : body->model->machine->line_bytes;
    }
    return 0;
}

/* The bytes that one execution touches: whole lines, if the next one goes elsewhere. */
static double touched_bytes(const StoreBody *body, const Access *access) {
    bool is_known;
    double step = fabs(access_step(access, body->world, &is_known));
    double element = access->buffer->element, line = body->model->machine->line_bytes;
    if (!is_known)
        return line * body->lanes;
    double bytes = body->lanes <= 1
                       ? element
                       : fmin(line, step * element) * body->lanes + (step == 0 ? element : 0);
    return fmax(bytes, fmin(next_bytes(body, access), fmax(bytes, line)));
}

static uint32_t places_depend(StoreBody *body, const Expr *indices, int count) {
    uint32_t depends = 0;
    for (int i = 0; i < count; i++)
        depends |= worlds_value(&body->model->worlds, indices[i])->depends;
    return depends;
}

static bool same_places(const Stmt *store, Expr access) {
    for (int d = 0; d < access->arity; d++)
        if (store->store.indices[d] != access->arguments[d])
            return false;
    return true;
}

/* A read of the func that is stored: an accumulator, or a value of an earlier iteration. */
static bool reads_itself(const StoreBody *body, Expr node) {
    return node->name == body->store->store.func->name;
}

static void add_traffic(const StoreBody *body, ModelCost *cost, const Access *access,
                        double shared) {
    for (int c = 0; c < CACHE_LEVELS; c++)
        cost->traffic[c] += touched_bytes(body, access) * (access->is_store ? 2 : 1) / shared;
}

/* Do the iterations of this loop write to other places, as far as these are known? */
static bool moves_apart(const Access *access, int world) {
    bool moves = false;
    for (int d = 0; world && d < access->buffer->dimensions; d++)
        moves |= !access->unknown[d] && access->stride[world * MAX_DIMENSIONS + d] != 0;
    return moves;
}

/* The iterations inside the innermost loop on which these places do not depend, and that loop's
 * own iterations if it is serial. Places that values choose may be the same in the next iteration. */
static double independent(const Model *model, const Access *access, uint32_t depends) {
    double count = 1;
    bool is_chosen = false;
    for (int d = 0; d < access->buffer->dimensions; d++)
        is_chosen |= access->unknown[d];
    size_t i = model->frames.length;
    for (const Frame *frame; (frame = innermost(model, &i));) {
        if (frame->kind == LOOP_LANES)
            continue;
        bool moves =
            is_chosen ? moves_apart(access, frame->world) : (depends >> frame->world & 1) != 0;
        if (!moves && !frame->stmt->loop.pure)
            return count;
        count *= fmax(1, frame->iterations);
    }
    return INFINITY;
}

/* The same for a value that an earlier iteration stored at another place. */
static double independent_of_carried(const Model *model) {
    double count = 1;
    size_t i = model->frames.length;
    for (const Frame *frame; (frame = innermost(model, &i));) {
        if (frame->kind == LOOP_LANES)
            continue;
        if (!frame->stmt->loop.pure && !frame->stmt->loop.independent)
            return count;
        count *= fmax(1, frame->iterations);
    }
    return INFINITY;
}

/* A boundary condition: beside the steady state, the lanes are read one by one. Returns the instructions of
 * this, 0 if there is none. Accesses with the same clamped coordinate compute it once. */
static double clamped_code(StoreBody *body, Expr access) {
    double code = 0;
    for (int d = 0; d < access->arity; d++) {
        Expr place = access->arguments[d];
        if (!expr_holds(place, HOLDS_CHOICE) ||
            !(worlds_value(&body->model->worlds, place)->depends >> body->world & 1))
            continue;
        code = fmax(code, CLAMPED_LANE * body->lanes);
        if (!map_get(&body->clamped, place))
            code += CLAMPED_PLACE * body->lanes;
        map_put(&body->clamped, place, place);
    }
    return code;
}

typedef struct BodyVisit {
    StoreBody *body;
    ModelCost *cost;
} BodyVisit;

static void count_access(BodyVisit *visit, Expr node) {
    StoreBody *body = visit->body;
    Model *model = body->model;
    Buffer *buffer = model_buffer(model, node->name, node->component);
    if (!buffer)
        return;
    uint32_t depends = places_depend(body, node->arguments, node->arity);
    bool is_own = reads_itself(body, node);
    double live, shared = model_shared(model, depends, !is_own, &live);
    Access *access = model_access(model, buffer, node->arguments, false);
    double count = vectors(body, buffer->element);
    if (is_own) {
        bool is_accumulator = same_places(body->store, node);
        if (!is_accumulator || is_guarded(model, false) || live * count > model->machine->registers)
            shared = 1;
        double ways =
            (is_accumulator ? independent(model, access, depends) : independent_of_carried(model)) *
            count;
        double latency = body->chain + (shared == 1 ? model->machine->memory_latency : 0);
        body->latency = fmax(body->latency, latency * count / ways);
    }
    AccessPrice read = price(body, access, false);
    shared /= share_of_copies(body, depends);
    double clamped = clamped_code(body, node);
    body->code += clamped > 0 ? clamped : read.instructions;
    body->loads += read.cycles / shared;
    body->instructions += read.instructions / shared;
    add_traffic(body, visit->cost, access, shared);
}

static bool is_seen(void *data, Expr node) {
    StoreBody *body = ((const BodyVisit *)data)->body;
    if (map_get(&body->seen, node))
        return true;
    const Frame *loop = deciding_loop(body, node);
    if (!loop || (body->deciding && body->deciding != loop))
        return false;
    map_put(&body->seen, node, node);
    vec_push(body->model->arena, &body->decided,
             (DecidedSelect){node, loop, body->deciding ? body->copies : UINT64_MAX});
    return true;
}

static void count_node(void *data, Expr node) {
    BodyVisit *visit = data;
    map_put(&visit->body->seen, node, node);
    if (node->op == OP_ACCESS)
        count_access(visit, node);
    else if (node->op < OP_COUNT)
        count_operator(visit->body, node);
}

/* Counts the arms of selects that are decided, with the selects that this finds. */
static void count_decided(BodyVisit *visit) {
    StoreBody *body = visit->body;
    Arena *arena = body->model->arena;
    for (size_t i = 0; i < body->decided.length; i++) {
        DecidedSelect at = body->decided.data[i];
        uint64_t with = copies_with(body, at.loop, at.select->arguments[0]);
        uint64_t all = UINT64_MAX >> (64 - (int)at.loop->iterations);
        body->deciding = at.loop;
        for (int arm = 0; arm < 2; arm++) {
            body->copies = at.copies & all & (arm ? ~with : with);
            if (body->copies)
                expr_visit_rest(arena, at.select->arguments[1 + arm], is_seen, count_node, visit);
        }
    }
    body->deciding = NULL;
}

/* ---- the store ---- */

static void find_lanes(StoreBody *body) {
    const Model *model = body->model;
    body->lanes = 1;
    for (size_t i = model->frames.length; i-- > 0;) {
        const Frame *frame = &model->frames.data[i];
        if (frame->stmt->kind == STMT_COMPUTE)
            return;
        if (frame->kind == LOOP_LANES) {
            body->lanes = fmax(1, frame->iterations);
            body->world = frame->world;
            return;
        }
    }
}

static void count_store(StoreBody *body, ModelCost *cost) {
    const Stmt *store = body->store;
    Model *model = body->model;
    const FuncShape *shape = store->store.func;
    uint32_t depends = places_depend(body, store->store.indices, shape->dimensions);
    for (int c = 0; c < shape->components; c++) {
        Buffer *buffer = model_buffer(model, shape->name, c);
        if (!buffer)
            continue;
        Access *access = model_access(model, buffer, store->store.indices, true);
        double live, shared = model_shared(model, depends, false, &live);
        if (is_guarded(model, false) ||
            live * vectors(body, buffer->element) > model->machine->registers)
            shared = 1;
        AccessPrice write = price(body, access, true);
        body->stores += write.cycles / shared;
        body->instructions += write.instructions / shared;
        add_traffic(body, cost, access, shared);
    }
}

/* The latency of the operators between the func's own read and its store, roughly. */
static double chain_of(const StoreBody *body) {
    const FuncShape *shape = body->store->store.func;
    const Machine *machine = body->model->machine;
    double chain = 0;
    for (int c = 0; c < shape->components; c++)
        chain = fmax(chain, type_is_float(shape->types[c]) ? machine->float_latency
                                                           : machine->integer_latency);
    return shape->components > 1 ? 2 * chain : chain;
}

/* Vectors that are longer than a register multiply what is live. What does not fit is stored and
 * loaded again. */
static double spilled(const StoreBody *body) {
    double live = fmin(MOST_LIVE, 2 + body->values / VALUES_BY_LIVE) * body->registers;
    double kept = body->model->machine->registers + 2;
    return body->registers > 1 && live > kept
               ? body->values * body->registers * (live - kept) / live
               : 0;
}

/* The copies of the body in unrolled loops. */
static double copies(const Model *model) {
    double count = 1;
    for (size_t i = 0; i < model->frames.length; i++)
        if (model->frames.data[i].kind == LOOP_UNROLLED)
            count *= fmax(1, model->frames.data[i].iterations);
    return count;
}

ModelCost model_store(Model *model, const Stmt *store) {
    StoreBody body = {.model = model,
                      .store = store,
                      .registers = 1,
                      .seen = map_create(model->arena),
                      .clamped = map_create(model->arena)};
    ModelCost cost = {0};
    find_lanes(&body);
    body.chain = chain_of(&body);
    BodyVisit visit = {&body, &cost};
    for (int c = 0; c < store->store.func->components; c++)
        expr_visit_rest(model->arena, store->store.values[c], is_seen, count_node, &visit);
    for (int d = 0; d < store->store.func->dimensions; d++)
        expr_visit_rest(model->arena, store->store.indices[d], is_seen, count_node, &visit);
    count_decided(&visit);
    count_store(&body, &cost);
    double spills = spilled(&body);
    body.loads += spills / 2;
    body.stores += spills;
    body.instructions += 2 * spills;
    model->estimate->code = fmax(model->estimate->code, (body.code + 2 * spills) * copies(model));
    double busy = fmax(body.arithmetic, fmax(body.loads, body.stores));
    cost.cycles = fmax(fmax(busy, body.instructions / model->machine->issue), body.latency);
    if (is_guarded(model, false) && copies(model) > 1)
        cost.cycles += is_guarded(model, true) ? model->machine->guard_cycles * body.registers : 1;
    if (store->store.is_atomic)
        cost.cycles += 20 * body.lanes;
    return cost;
}
