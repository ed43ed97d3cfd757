/* decision.c -- what is known of the funcs, and which choices fit together. */
#include "autoschedule/decision.h"

#include <math.h>

enum { CHEAP_NODES = 6, PLAIN_ROWS = 32, MOST_COPIES = 4 /* of an unrolled loop */ };

bool subject_has_updates(const DecisionSubject *subject) {
    return subject->func->stages.length > 1;
}

bool choice_has_tiles(const FuncChoice *choice) {
    return choice->registers && choice->columns > 0 && choice->rows > 0 &&
           choice->columns % (choice->lanes * choice->vectors) == 0 &&
           choice->rows % choice->lines == 0;
}

bool choice_unrolls_lines(const DecisionSubject *subject, const FuncChoice *choice) {
    return choice->placement == PLACE_ROOT && !choice->registers && !subject_has_updates(subject) &&
           subject->row >= 0 && choice->lines > 1 && choice->rows > choice->lines &&
           choice->rows % choice->lines == 0;
}

bool choice_has_whole_strips(const DecisionSubject *subject, const FuncChoice *choice) {
    return choice->whole && choice_unrolls_lines(subject, choice) &&
           subject->row == (subject->lane == 0 ? 1 : 0);
}

void choice_whole_block(const DecisionSubject *subject, const FuncChoice *choice, int *columns,
                        int *lines) {
    bool is_tile = choice_has_tiles(choice);
    *columns = is_tile || (!choice->registers && choice->columns) ? choice->columns
                                                                  : choice->lanes * choice->vectors;
    *lines = is_tile || choice_has_whole_strips(subject, choice) ? choice->rows
             : choice->registers                                 ? choice->lines
                                                                 : 1;
}

bool subject_can_be_whole(const DecisionSubject *subject, const FuncChoice *choice) {
    int line = subject->lane == 0 ? 1 : 0, columns, lines;
    choice_whole_block(subject, choice, &columns, &lines);
    bool has_lines = line < subject->func->shape->dimensions;
    return choice->placement == PLACE_ROOT && !subject->is_fixed && !subject_has_updates(subject) &&
           subject->lane >= 0 && choice->lanes > 1 &&
           columns % (choice->lanes * choice->vectors) == 0 &&
           subject->length[subject->lane] >= columns &&
           (!has_lines || subject->length[line] >= lines);
}

bool subject_is_short(const DecisionSubject *subject, int dimension) {
    return dimension != subject->lane && dimension != subject->row &&
           subject->length[dimension] >= 2 && subject->length[dimension] <= MOST_COPIES;
}

bool stage_scatters(const Stage *stage, const FuncShape *shape) {
    bool is_chosen = false;
    for (int d = 0; d < shape->dimensions; d++)
        is_chosen |= !stage->pure[d] && expr_has_access(stage->indices[d]);
    return stage->number > 0 && stage->reduction.length > 0 && is_chosen;
}

bool stage_has_dimension(const Stage *stage, int dimension) {
    return dimension >= 0 && (stage->number == 0 || stage->pure[dimension]);
}

/* ---- readers ---- */

static int index_of(const Decisions *decisions, Symbol name) {
    for (int i = 0; i < decisions->count; i++)
        if (decisions->subjects[i].func->shape->name == name)
            return i;
    return -1;
}

Exprs decisions_accesses(Arena *arena, const Stage *stage, const Func *func) {
    Exprs accesses = {0};
    for (int c = 0; c < func->shape->components; c++)
        expr_accesses(arena, stage->values[c], &accesses);
    for (int d = 0; d < func->shape->dimensions; d++)
        expr_accesses(arena, stage->indices[d], &accesses);
    if (stage->predicate)
        expr_accesses(arena, stage->predicate, &accesses);
    return accesses;
}

static void add_reader(const Decisions *decisions, DecisionSubject *read, Reader reader) {
    for (size_t i = 0; i < read->readers.length; i++)
        if (read->readers.data[i].func == reader.func &&
            read->readers.data[i].stage == reader.stage)
            return;
    vec_push(decisions->arena, &read->readers, reader);
}

static void find_readers(Decisions *decisions, int f) {
    const Func *func = decisions->subjects[f].func;
    for (size_t s = 0; s < func->stages.length; s++) {
        Exprs accesses = decisions_accesses(decisions->arena, func->stages.data[s], func);
        for (size_t i = 0; i < accesses.length; i++) {
            int read = index_of(decisions, accesses.data[i]->name);
            if (read >= 0 && read != f)
                add_reader(decisions, &decisions->subjects[read], (Reader){f, (int)s});
        }
    }
}

/* ---- facts ---- */

static int widest(const FuncShape *shape) {
    int bytes = 1;
    for (int c = 0; c < shape->components; c++)
        bytes = type_bytes(shape->types[c]) > bytes ? type_bytes(shape->types[c]) : bytes;
    return bytes;
}

static bool is_named(const Schedule *schedule, Symbol func) {
    for (size_t i = 0; schedule && i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        for (size_t k = 0; k < directive->arguments.length; k++) {
            const DirectiveArgument *argument = &directive->arguments.data[k];
            bool is_loop = argument->kind == ARGUMENT_LOOP || argument->kind == ARGUMENT_STAGE;
            if ((argument->kind == ARGUMENT_FUNC && argument->name == func) ||
                (is_loop && argument->loop.func == func))
                return true;
        }
    }
    return false;
}

static bool is_cheap(const Decisions *decisions, const Func *func) {
    uint32_t nodes = 0;
    for (int c = 0; c < func->shape->components; c++)
        nodes += func->stages.data[0]->values[c]->tree_size;
    Exprs accesses = decisions_accesses(decisions->arena, func->stages.data[0], func);
    return nodes <= CHEAP_NODES * (1 + accesses.length) && accesses.length <= 2;
}

static void find_dimensions(DecisionSubject *subject) {
    int dimensions = subject->func->shape->dimensions, lane = dimensions ? 0 : -1, row = -1;
    for (int d = 1; d < dimensions; d++)
        if (subject->length[lane] < 4 && subject->length[d] > 4 * subject->length[lane])
            lane = d;
    for (int d = 0; d < dimensions; d++)
        if (d != lane && (row < 0 || subject->length[d] > subject->length[row]))
            row = d;
    subject->lane = lane;
    subject->row = row;
}

typedef struct FuncVisit {
    Arena *arena;
    Map seen;
    Symbol variable;
    bool is_found;
    int nodes;
} FuncVisit;

static bool body_is_seen(void *data, Expr node) {
    return map_get(&((const FuncVisit *)data)->seen, node) != NULL;
}

static void see_node(void *data, Expr node) {
    FuncVisit *visit = data;
    map_put(&visit->seen, node, node);
    visit->nodes++;
    visit->is_found |= visit->variable && node->op == OP_SELECT &&
                       expr_mentions(visit->arena, node->arguments[0], visit->variable);
}

static int nodes_of(const Decisions *decisions, const Func *func) {
    FuncVisit visit = {.arena = decisions->arena, .seen = map_create(decisions->arena)};
    for (int c = 0; func->stages.length && c < func->shape->components; c++)
        expr_visit_rest(decisions->arena, func->stages.data[0]->values[c], body_is_seen, see_node,
                        &visit);
    return visit.nodes;
}

static bool chooses(const Decisions *decisions, const DecisionSubject *subject) {
    const Func *func = subject->func;
    FuncVisit visit = {.arena = decisions->arena};
    for (int d = 0; d < func->shape->dimensions && !visit.is_found; d++) {
        if (!subject_is_short(subject, d))
            continue;
        visit.seen = map_create(decisions->arena);
        visit.variable = func->shape->variables[d];
        for (int c = 0; c < func->shape->components; c++)
            expr_visit_rest(decisions->arena, func->stages.data[0]->values[c], body_is_seen,
                            see_node, &visit);
    }
    return visit.is_found;
}

static bool reads_across(const Decisions *decisions, const DecisionSubject *subject) {
    const Func *func = subject->func;
    if (subject->row < 0 || func->stages.length == 0)
        return false;
    Exprs accesses = decisions_accesses(decisions->arena, func->stages.data[0], func);
    Symbol row = func->shape->variables[subject->row];
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->arity > 0 &&
            expr_mentions(decisions->arena, accesses.data[i]->arguments[0], row))
            return true;
    return false;
}

static void describe(const Decisions *decisions, const Estimate *empty, int f) {
    DecisionSubject *subject = &decisions->subjects[f];
    const Func *func = subject->func;
    const FuncEstimate *estimate = estimate_of(empty, func->shape->name);
    for (int d = 0; d < func->shape->dimensions; d++)
        subject->length[d] = estimate ? estimate->length[d] : 1;
    subject->is_output = func->shape->is_output;
    subject->is_fixed = func->recurrence || (func->extends && decisions->base) ||
                        func->definition || func->stages.length == 0 || func_is_extern(func) ||
                        is_named(decisions->base, func->shape->name);
    subject->is_inlinable = !subject->is_output && !subject->is_fixed && func->stages.length == 1;
    subject->is_cheap = subject->is_inlinable && is_cheap(decisions, func);
    find_dimensions(subject);
    subject->nodes = nodes_of(decisions, func);
    subject->reads_across = !subject->is_fixed && reads_across(decisions, subject);
    subject->chooses = !subject->is_fixed && chooses(decisions, subject);
    subject->natural_lanes = (int)decisions->machine->vector_bytes / widest(func->shape);
}

/* A C function reads memory. */
static bool is_read_by_extern(const Decisions *decisions, const DecisionSubject *subject) {
    for (size_t i = 0; i < subject->readers.length; i++)
        if (func_is_extern(decisions->subjects[subject->readers.data[i].func].func))
            return true;
    return false;
}

Decisions *decisions_create(const Pipeline *pipeline, const Schedule *base, const Machine *machine,
                            int threads, const Estimate *empty, Arena *arena) {
    Decisions *decisions = arena_new(arena, Decisions);
    *decisions = (Decisions){.pipeline = pipeline,
                             .base = base,
                             .machine = machine,
                             .threads = threads,
                             .count = (int)pipeline->funcs.length,
                             .arena = arena};
    decisions->subjects = arena_array(arena, DecisionSubject, decisions->count);
    for (int f = 0; f < decisions->count; f++)
        decisions->subjects[f].func = pipeline->funcs.data[f];
    for (int f = 0; f < decisions->count; f++) {
        describe(decisions, empty, f);
        find_readers(decisions, f);
    }
    for (int f = 0; f < decisions->count; f++)
        if (is_read_by_extern(decisions, &decisions->subjects[f]))
            decisions->subjects[f].is_inlinable = decisions->subjects[f].is_cheap = false;
    return decisions;
}

/* ---- hosts ---- */

static int depth_of(Placement placement) {
    return placement == PLACE_TILE    ? 0
           : placement == PLACE_BLOCK ? 1
           : placement == PLACE_LANES ? 3
                                      : 2;
}

bool decisions_host(const Decisions *decisions, const FuncChoice *choices, int func, Reader *host) {
    const DecisionSubject *subject = &decisions->subjects[func];
    Vec(Reader) open = {0};
    bool is_found = false;
    int depth = depth_of(choices[func].placement);
    for (size_t i = 0; i < subject->readers.length; i++)
        vec_push(decisions->arena, &open, subject->readers.data[i]);
    for (size_t i = 0; i < open.length; i++) {
        Reader at = open.data[i];
        const DecisionSubject *reader = &decisions->subjects[at.func];
        Placement placement = choices[at.func].placement;
        if (placement == PLACE_INLINE) {
            for (size_t k = 0; k < reader->readers.length; k++)
                vec_push(decisions->arena, &open, reader->readers.data[k]);
            continue;
        }
        if (reader->is_fixed)
            return false;
        if (placement != PLACE_ROOT) {
            if (depth > depth_of(placement) || !decisions_host(decisions, choices, at.func, &at))
                return false;
        }
        if (is_found && (host->func != at.func || host->stage != at.stage))
            return false;
        *host = at;
        is_found = true;
    }
    return is_found;
}

/* ---- where the search begins ---- */

FuncChoice decisions_plain(const Decisions *decisions, int func) {
    const DecisionSubject *subject = &decisions->subjects[func];
    FuncChoice choice = {.placement = PLACE_ROOT,
                         .order = subject->chooses ? ORDER_UNROLLED : ORDER_OUTSIDE,
                         .lanes = 1,
                         .vectors = 1,
                         .lines = 1};
    if (subject->is_fixed || subject->lane < 0)
        return choice;
    choice.lanes = subject->natural_lanes < 4 ? 4 : subject->natural_lanes;
    if (subject->length[subject->lane] < 4)
        choice.lanes = 1;
    double longest =
        subject->row < 0 ? subject->length[subject->lane] : subject->length[subject->row];
    choice.rows = PLAIN_ROWS;
    while (choice.rows > 1 && longest < 2.0 * decisions->threads * choice.rows)
        choice.rows /= 2;
    double points = 1;
    for (int d = 0; d < subject->func->shape->dimensions; d++)
        points *= subject->length[d];
    bool is_small = points < 4096 && !subject_has_updates(subject);
    if (is_small)
        choice.rows = 0;
    return choice;
}
