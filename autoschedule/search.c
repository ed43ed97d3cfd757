/* search.c -- searches for the choices with the least predicted time.
 *
 * Several starting points, which are templates for the whole pipeline: all at root; all in the blocks
 * of their readers; rows that slide; all inlined. The best of them is improved func by func, from the
 * last one to the first: each other placement, shape of blocks, number of lanes, order and sweep is
 * tried, and kept if the model predicts a gain. A func that moves into the loops of another one takes
 * its producers along in a later step. The search ends when a round over all funcs changes nothing,
 * or when it has tried so many candidates as its budget allows.
 *
 * The best candidates are then held against the contract of the empty schedule, the best first. */
#include "autoschedule/autoschedule.h"

#include "autoschedule/contract_gate.h"
#include "lower/lower.h"

#include <math.h>
#include <string.h>

enum {
    MOST_CANDIDATES = 900,  /* of a small pipeline */
    LEAST_CANDIDATES = 150, /* of a large one */
    CANDIDATE_FUNCS = 6000, /* candidates times funcs, in between */
    MOST_FINALISTS = 12,
    LARGE_TRIAL = 192 << 20, /* bytes of expressions */
    MOST_FUNCS = 400,        /* of a pipeline that is searched */
    MOST_CODE = 4500,        /* vector instructions of one body */
    LEAST_LANES = 4,
    SWEEPS = 3
};
#define LEAST_GAIN  0.995
#define SPARE_BYTES (64 << 20)

typedef struct Finalist {
    FuncChoice *choices;
    double cycles;
} Finalist;

typedef struct ScheduleSearch {
    const Pipeline *pipeline;
    const AutoscheduleRequest *request;
    const Machine *machine;
    Decisions *decisions;
    const Estimate *empty;
    Arena *arena, *trial_arena;
    FuncChoice *best, *trying;
    double best_cycles;
    Vec(Finalist) finalists; /* each better than those before it */
    Map seen;                /* hashes of choices */
    int left, candidates, refused;
    bool sink; /* producers go along */
} ScheduleSearch;

/* ---- one candidate ---- */

/* Lowers in an arena of its own, and drops the reports. Null if the schedule is refused. */
static Lowered *lower_silently(const ScheduleSearch *search, const Schedule *schedule, PassId last,
                               Arena *arena) {
    Context *context = search->pipeline->pool->context;
    size_t reports = context->reports.length, errors = context->error_count;
    LowerOptions options = {.last = last, .directives = SIZE_MAX};
    Lowered *lowered = lower(search->pipeline, schedule, arena, &options);
    context->reports.length = reports;
    context->error_count = errors;
    return lowered;
}

static void renew_trial(ScheduleSearch *search, bool is_forced) {
    if (!is_forced && arena_used(search->trial_arena) < LARGE_TRIAL)
        return;
    pool_trial_end(search->request->trial);
    arena_destroy(search->trial_arena);
    search->trial_arena = arena_create(&search->pipeline->pool->context->memory);
    pool_trial_begin(search->request->trial, search->pipeline->pool, search->trial_arena);
}

static Estimate *estimate(const ScheduleSearch *search, const Schedule *schedule, Arena *arena) {
    Lowered *lowered = lower_silently(search, schedule, PASS_SLIDE, arena);
    return lowered ? model_estimate(lowered->program, search->machine, search->request->threads,
                                    search->request->startup, search->request->data, arena)
                   : NULL;
}

static size_t choices_size(const ScheduleSearch *search) {
    return sizeof(FuncChoice) * (size_t)search->decisions->count;
}

/* A func that has no host is computed at root. */
static void settle(const ScheduleSearch *search, FuncChoice *choices) {
    Reader host;
    for (int f = search->decisions->count; f-- > 0;) {
        Placement placement = choices[f].placement;
        if (placement == PLACE_ROOT || placement == PLACE_INLINE)
            continue;
        if (!decisions_host(search->decisions, choices, f, &host))
            choices[f].placement = PLACE_ROOT;
    }
}

static FuncChoice *copy_of(const ScheduleSearch *search, const FuncChoice *choices) {
    FuncChoice *copy = arena_array(search->arena, FuncChoice, search->decisions->count);
    memcpy(copy, choices, choices_size(search));
    return copy;
}

/* Has the candidate been tried?  Remembers it. */
static bool is_seen(ScheduleSearch *search, const FuncChoice *choices) {
    uint64_t hash = 1469598103934665603u;
    const int *words = (const int *)choices;
    for (size_t i = 0; i < choices_size(search) / sizeof *words; i++)
        hash = (hash ^ (uint64_t)words[i]) * 1099511628211u;
    const void *key = (const void *)(uintptr_t)(hash | 1);
    if (map_get(&search->seen, key))
        return true;
    map_put(&search->seen, key, search);
    return false;
}

static double score(ScheduleSearch *search, const FuncChoice *choices) {
    renew_trial(search, false);
    Arena *arena = arena_create(&search->pipeline->pool->context->memory);
    Rendered *rendered =
        render(search->decisions, choices, search->request->name, NULL, search->empty, arena);
    Estimate *predicted = estimate(search, rendered->schedule, arena);
    double cycles = predicted ? predicted->cycles : INFINITY;
    bool is_large = predicted && predicted->bytes > 2 * search->empty->bytes + SPARE_BYTES;
    is_large |= predicted && predicted->code > MOST_CODE;
    arena_destroy(arena);
    search->candidates++;
    search->refused += !predicted;
    search->left--;
    return is_large || isnan(cycles) ? INFINITY : cycles;
}

/* Tries `search->trying`; keeps it if it is better than the best. */
static bool try(ScheduleSearch *search) {
    settle(search, search->trying);
    if (search->left <= 0 || is_seen(search, search->trying))
        return false;
    double cycles = score(search, search->trying);
    if (!(cycles < LEAST_GAIN * search->best_cycles))
        return false;
    search->best_cycles = cycles;
    memcpy(search->best, search->trying, choices_size(search));
    Finalist finalist = {copy_of(search, search->best), cycles};
    vec_push(search->arena, &search->finalists, finalist);
    return true;
}

/* ---- starting points ---- */

typedef enum Start {
    START_ROOT,
    START_CHEAP,  /* cheap funcs inlined */
    START_BLOCKS, /* and the others in blocks */
    START_SLIDING,
    START_INLINED, /* all that can be */
    START_ROWS,
    STARTS
} Start;

static void set_start(ScheduleSearch *search, Start start) {
    for (int f = 0; f < search->decisions->count; f++) {
        const DecisionSubject *subject = &search->decisions->subjects[f];
        FuncChoice choice = decisions_plain(search->decisions, f);
        bool is_inlined = start == START_INLINED ? subject->is_inlinable
                                                 : start != START_ROOT && subject->is_cheap;
        if (is_inlined)
            choice.placement = PLACE_INLINE;
        else if (subject->is_output || subject->is_fixed)
            choice.placement = PLACE_ROOT;
        else if (start == START_BLOCKS || start == START_INLINED)
            choice.placement = PLACE_BLOCK;
        else if (start == START_SLIDING)
            choice.placement = PLACE_SLIDE;
        else if (start == START_ROWS)
            choice.placement = PLACE_ROW;
        search->trying[f] = choice;
    }
}

/* ---- steps ---- */

static void begin_step(ScheduleSearch *search) {
    memcpy(search->trying, search->best, choices_size(search));
}

static bool try_choice(ScheduleSearch *search, int f, FuncChoice choice) {
    begin_step(search);
    search->trying[f] = choice;
    return try(search);
}

static void try_placements(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (subject->is_output || subject->is_fixed)
        return;
    static const Placement PLACEMENTS[] = {PLACE_ROOT, PLACE_INLINE, PLACE_BLOCK,
                                           PLACE_ROW,  PLACE_SLIDE,  PLACE_LANES};
    for (size_t i = 0; i < sizeof PLACEMENTS / sizeof *PLACEMENTS; i++) {
        FuncChoice choice = search->best[f];
        if (choice.placement == PLACEMENTS[i] ||
            (PLACEMENTS[i] == PLACE_INLINE && !subject->is_inlinable))
            continue;
        choice.placement = PLACEMENTS[i];
        if (try_choice(search, f, choice))
            continue;
        /* The same with its producers that are at root. */
        if (choice.placement != PLACE_BLOCK && choice.placement != PLACE_SLIDE)
            continue;
        begin_step(search);
        search->trying[f] = choice;
        for (int p = 0; p < f; p++) {
            const DecisionSubject *producer = &search->decisions->subjects[p];
            for (size_t r = 0; r < producer->readers.length; r++)
                if (producer->readers.data[r].func == f && !producer->is_output &&
                    !producer->is_fixed && search->trying[p].placement == PLACE_ROOT)
                    search->trying[p].placement = choice.placement;
        }
        try(search);
    }
}

static void try_blocks(ScheduleSearch *search, int f) {
    static const int ROWS[] = {1, 4, 8, 16, 32, 64, 128}, COLUMNS[] = {0, 128, 256, 512};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (search->best[f].placement != PLACE_ROOT || subject->lane < 0)
        return;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        FuncChoice choice = search->best[f];
        double length = subject->length[subject->row < 0 ? subject->lane : subject->row];
        choice.rows = ROWS[i];
        if (choice.rows != search->best[f].rows && choice.rows <= length)
            try_choice(search, f, choice);
    }
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        FuncChoice choice = search->best[f];
        choice.columns = COLUMNS[i];
        if (choice.columns != search->best[f].columns &&
            choice.columns < subject->length[subject->lane])
            try_choice(search, f, choice);
    }
    FuncChoice serial = search->best[f];
    serial.rows = 0;
    if (search->best[f].rows)
        try_choice(search, f, serial);
}

static void try_lanes(ScheduleSearch *search, int f) {
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (subject->lane < 0 || subject->length[subject->lane] < LEAST_LANES)
        return;
    for (int times = 1; times <= 4; times *= 2) {
        FuncChoice choice = search->best[f];
        choice.lanes = subject->natural_lanes * times / 2;
        if (choice.lanes < 2 || choice.lanes > 64 || choice.lanes == search->best[f].lanes)
            continue;
        try_choice(search, f, choice);
    }
    FuncChoice scalar = search->best[f];
    scalar.lanes = 1;
    if (search->best[f].lanes > 1)
        try_choice(search, f, scalar);
}

static void try_orders(ScheduleSearch *search, int f) {
    static const OtherLoops ORDERS[] = {ORDER_OUTSIDE, ORDER_ROWS, ORDER_VECTORS};
    if (search->decisions->subjects[f].func->shape->dimensions < 3)
        return;
    for (int i = 0; i < 3; i++) {
        FuncChoice choice = search->best[f];
        choice.order = ORDERS[i];
        if (choice.order != search->best[f].order)
            try_choice(search, f, choice);
    }
}

static void try_sweeps(ScheduleSearch *search, int f) {
    static const Sweep SWEEPS_[] = {SWEEP_INSIDE, SWEEP_ROWS, SWEEP_LANES, SWEEP_STRETCHES};
    static const int VECTORS[] = {1, 2, 4};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    double length = subject->lane < 0 ? 1 : subject->length[subject->lane];
    if (!subject_has_updates(subject))
        return;
    for (int i = 0; i < 4; i++)
        for (int v = 0; v < 3; v++) {
            FuncChoice choice = search->best[f];
            choice.sweep = SWEEPS_[i];
            choice.registers = false;
            choice.lines = 1;
            choice.vectors = VECTORS[v];
            bool is_apart = choice.sweep == SWEEP_LANES || choice.sweep == SWEEP_STRETCHES;
            if (choice.sweep == SWEEP_LANES && choice.lanes == 1)
                choice.lanes =
                    subject->natural_lanes < LEAST_LANES ? LEAST_LANES : subject->natural_lanes;
            if (v > 0 && (choice.sweep == SWEEP_STRETCHES ||
                          (!is_apart && choice.lanes * choice.vectors > length)))
                continue;
            try_choice(search, f, choice);
        }
}

/* Tiles of sums in registers, inside tiles of the func that reads them. */
static void try_registers(ScheduleSearch *search, int f) {
    static const struct {
        int vectors, lines;
    } TILES[] = {{1, 4}, {1, 8}, {2, 4}, {2, 6}, {4, 3}, {4, 1}};
    const DecisionSubject *subject = &search->decisions->subjects[f];
    if (!subject_has_updates(subject) || subject->lane < 0 ||
        subject->length[subject->lane] < LEAST_LANES)
        return;
    for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++) {
        begin_step(search);
        FuncChoice *choice = &search->trying[f];
        choice->sweep = SWEEP_TILE;
        choice->registers = true;
        choice->lanes = subject->natural_lanes;
        choice->vectors = TILES[i].vectors;
        choice->lines = TILES[i].lines;
        Reader host;
        if (!subject->is_output) {
            choice->placement = PLACE_BLOCK;
            if (decisions_host(search->decisions, search->trying, f, &host)) {
                FuncChoice *around = &search->trying[host.func];
                around->registers = true;
                around->lanes = choice->lanes;
                around->vectors = choice->vectors;
                around->lines = choice->lines;
            }
        } else {
            choice->registers = false;
        }
        try(search);
    }
}

static void improve(ScheduleSearch *search) {
    for (int sweep = 0; sweep < SWEEPS && search->left > 0; sweep++) {
        double before = search->best_cycles;
        for (int f = search->decisions->count; f-- > 0 && search->left > 0;) {
            if (search->decisions->subjects[f].is_fixed)
                continue;
            try_placements(search, f);
            if (search->best[f].placement == PLACE_INLINE)
                continue;
            try_orders(search, f);
            try_registers(search, f);
            try_sweeps(search, f);
            try_lanes(search, f);
            try_blocks(search, f);
        }
        if (search->best_cycles == before)
            return;
    }
}

/* ---- the end ---- */

/* Does it pass all passes, and keep the contract?  Else `*why` says why not. */
static bool is_acceptable(ScheduleSearch *search, const Finalist *finalist, const char **why) {
    renew_trial(search, true);
    Arena *arena = arena_create(&search->pipeline->pool->context->memory);
    Rendered *rendered = render(search->decisions, finalist->choices, search->request->name, NULL,
                                search->empty, arena);
    Lowered *empty = lower_silently(search, NULL, PASS_CHECKS, arena);
    Lowered *checked = lower_silently(search, rendered->schedule, PASS_CHECKS, arena);
    const char *clause = "";
    bool is_kept =
        empty && checked && contract_is_kept(empty->program, checked->program, arena, &clause);
    if (!is_kept)
        *why = arena_format(search->arena, "the best schedules need more of the sizes: %s", clause);
    bool is_accepted =
        is_kept && lower_silently(search, rendered->schedule, (PassId)(PASS_COUNT - 1), arena);
    if (is_kept && !is_accepted)
        *why = "the best schedules are refused when regions are known";
    arena_destroy(arena);
    return is_accepted;
}

static const Finalist *choose(ScheduleSearch *search, const char **why) {
    for (size_t i = search->finalists.length, tried = 0; i-- > 0 && tried < MOST_FINALISTS; tried++)
        if (is_acceptable(search, &search->finalists.data[i], why))
            return &search->finalists.data[i];
    return NULL;
}

/* Renders the schedule in the pool and the arena of the caller, with its reasons. */
static void finish(ScheduleSearch *search, const Finalist *chosen, Autoscheduled *result,
                   Arena *arena) {
    renew_trial(search, true);
    Arena *scratch = arena_create(&search->pipeline->pool->context->memory);
    Rendered *rendered = render(search->decisions, chosen->choices, search->request->name, NULL,
                                search->empty, scratch);
    Estimate *predicted = estimate(search, rendered->schedule, scratch);
    result->cycles = predicted->cycles;
    result->bytes = predicted->bytes;
    pool_trial_end(search->request->trial);
    rendered = render(search->decisions, chosen->choices, search->request->name, predicted,
                      search->empty, arena);
    result->schedule = rendered->schedule;
    for (size_t i = 0; i < rendered->reasons.length; i++)
        vec_push(arena, &result->reasons, rendered->reasons.data[i]);
    arena_destroy(scratch);
}

static void run(ScheduleSearch *search) {
    int funcs = search->decisions->count;
    int budget = CANDIDATE_FUNCS / (funcs + 1);
    search->left = budget > MOST_CANDIDATES    ? MOST_CANDIDATES
                   : budget < LEAST_CANDIDATES ? LEAST_CANDIDATES
                                               : budget;
    if (search->request->candidates > 0)
        search->left = search->request->candidates;
    for (int start = 0; start < STARTS; start++) {
        set_start(search, (Start)start);
        try(search);
    }
    improve(search);
}

Estimate *autoschedule_estimate(const Pipeline *pipeline, const Schedule *schedule,
                                const AutoscheduleRequest *request, Arena *arena) {
    LowerOptions options = {.last = PASS_SLIDE, .directives = SIZE_MAX};
    const Lowered *lowered = lower(pipeline, schedule, arena, &options);
    return lowered ? model_estimate(lowered->program, machine_typical(), request->threads,
                                    request->startup, request->data, arena)
                   : NULL;
}

Autoscheduled *autoschedule(const Pipeline *pipeline, const AutoscheduleRequest *request,
                            Arena *arena) {
    Memory *memory = &pipeline->pool->context->memory;
    Autoscheduled *result = arena_new(arena, Autoscheduled);
    ScheduleSearch *search = arena_new(arena, ScheduleSearch);
    *search = (ScheduleSearch){.pipeline = pipeline,
                               .request = request,
                               .machine = machine_typical(),
                               .arena = arena_create(memory),
                               .trial_arena = arena_create(memory),
                               .best_cycles = INFINITY};
    pool_trial_begin(request->trial, pipeline->pool, search->trial_arena);
    search->seen = map_create(search->arena);
    search->empty = estimate(search, NULL, search->arena);
    const char *why = "no candidate is accepted";
    const Finalist *chosen = NULL;
    if (!search->empty) {
        why = "the empty schedule is refused";
    } else if (pipeline->funcs.length > MOST_FUNCS) {
        why = "the pipeline has more funcs than are searched";
    } else {
        result->empty_cycles = result->cycles = search->empty->cycles;
        result->empty_bytes = result->bytes = search->empty->bytes;
        search->decisions = decisions_create(pipeline, search->machine, request->threads,
                                             search->empty, search->arena);
        search->best = arena_array(search->arena, FuncChoice, search->decisions->count);
        search->trying = arena_array(search->arena, FuncChoice, search->decisions->count);
        run(search);
        chosen = choose(search, &why);
    }
    if (chosen && chosen->cycles < search->empty->cycles)
        finish(search, chosen, result, arena);
    else
        result->obstacle =
            chosen ? "no candidate is predicted to be faster" : arena_format(arena, "%s", why);
    pool_trial_end(request->trial);
    result->candidates = search->candidates;
    result->refused = search->refused;
    arena_destroy(search->arena);
    arena_destroy(search->trial_arena);
    return result;
}
