/* generate_levels.c -- a random schedule: what is inlined and specialized, the loops, where funcs
 * are computed and stored, and on which bounds. */
#include "fuzz/model.h"

#include <inttypes.h>
#include <string.h>

/* ---- before the loops ---- */

static void choose_inlined(Model *model) {
    for (int f = 0; f < model->c->func_count; f++) {
        if (model->c->funcs[f].is_output || model->stage_count[f] > 1 ||
            !random_chance(model->random, 8))
            continue;
        model_say(model, arena_format(model->arena, "inline(%s)", model->c->funcs[f].name));
        model->places[f].inlined = true;
    }
}

static const char *condition(Model *model) {
    const Case *c = model->c;
    Random *random = model->random;
    if (c->parameter_count && random_chance(random, 60)) {
        const CaseParameter *p = &c->parameters[random_below(random, c->parameter_count)];
        if (type_is_bool(p->type))
            return p->name;
        static const char *const compares[] = {"==", "<", ">=", "!="};
        return arena_format(model->arena, "%s %s %d", p->name, random_pick(random, compares),
                            random_between(random, 0, 4));
    }
    if (c->image_count && c->images[0].boundary && random_chance(random, 40))
        return arena_format(model->arena, "%s.width > %d", c->images[0].name,
                            random_between(random, 1, 10));
    const CaseFunc *out = &c->funcs[c->func_count - 1];
    if (!out->dimensions)
        return "true";
    if (c->image_count && c->images[0].dimensions > 1 && random_chance(random, 10))
        return arena_format(model->arena, "%s.stride(1) > 4", c->images[0].name);
    static const char *const fields[] = {"extent(0) < 8", "extent(0) >= 4", "min(0) > 0"};
    return arena_format(model->arena, "%s.%s", out->name, random_pick(random, fields));
}

static void specialize(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    if (model->places[f].inlined || model->branch_count[f] > 1)
        return;
    int conditions = random_between(model->random, 1, MODEL_BRANCHES - 1);
    const char *text =
        arena_format(model->arena, "specialize(%s, %s", model->c->funcs[f].name, condition(model));
    for (int i = 1; i < conditions; i++)
        text = arena_format(model->arena, "%s, %s && %s", text, condition(model), condition(model));
    model_say(model, arena_format(model->arena, "%s)", text));
    model_specialize(model, f, conditions + 1);
}

/* ---- places ---- */

/* The loop of stage (f, s) that stage t of g stands in, in branch b of f: the innermost for the
 * stage itself, the place of its compute statement for a func computed inside; -1 elsewhere. */
static int depth_inside(Model *model, int g, int t, int f, int b, int s) {
    for (int guard = 0; guard < CASE_FUNCS; guard++) {
        const ModelStage *stage = model_stage(model, (Cursor){f, b, s});
        if (g == f)
            return t == s ? stage->count - 1 : -1;
        const ModelPlace *place = &model->places[g];
        if (!place->placed)
            return -1;
        if (place->func == f && place->stage == s)
            return model_find(stage, place->loop);
        g = place->func;
        t = place->stage;
    }
    return -1;
}

/* Does the stage read the func, directly or through inlined ones? */
static bool reads_through(Model *model, int f, int s, int producer) {
    if (model_reads(model, f, s, producer))
        return true;
    for (int g = producer + 1; g < f; g++)
        if (model->places[g].inlined && model_reads(model, g, 0, producer) &&
            reads_through(model, f, s, g))
            return true;
    return false;
}

/* Has the pure stage an inline reduction?  It is a func of its own, at root. */
static bool reduces(const Model *model, int f) {
    const CaseFunc *func = &model->c->funcs[f];
    return strstr(func->pure, " in (") || (func->let && strstr(func->let, " in ("));
}

/* The innermost loop of stage (f, s) around every reader of the producer, in branch b; -1 when
 * there is none. */
static int deepest_common(Model *model, int producer, int f, int b, int s) {
    const ModelStage *stage = model_stage(model, (Cursor){f, b, s});
    int deepest = stage->count - 1;
    bool read = false;
    for (int g = producer + 1; g < model->c->func_count; g++)
        for (int t = 0; t < model->stage_count[g]; t++) {
            if (model->places[g].inlined || !reads_through(model, g, t, producer))
                continue;
            int depth = reduces(model, g) && !t ? -1 : depth_inside(model, g, t, f, b, s);
            deepest = depth < deepest ? depth : deepest;
            read = true;
        }
    for (int l = 0; l <= deepest; l++)
        if (stage->loops[l].traversal == MODEL_VECTORIZED)
            return l - 1;
    return read ? deepest : -1;
}

/* May the producer be computed in that loop, in every branch of f? */
static bool may_stand(Model *model, int producer, int f, int s, const char *loop) {
    for (int b = 0; b < model->branch_count[f]; b++) {
        int at = model_find(model_stage(model, (Cursor){f, b, s}), loop);
        if (at < 0 || at > deepest_common(model, producer, f, b, s))
            return false;
    }
    return true;
}

/* A loop around (or the one of) the func's place, with no parallel loop between the two: of the
 * same stage, or around that func's own place. */
static void store(Model *model, int producer) {
    const char *name = model->c->funcs[producer].name;
    const ModelPlace *place = &model->places[producer];
    if (place->unguarded)
        return;
    for (int levels = random_below(model->random, 3);; levels--) {
        const ModelStage *stage = model_stage(model, (Cursor){place->func, 0, place->stage});
        int at = model_find(stage, place->loop), lowest = at;
        while (lowest > 0 && stage->loops[lowest].traversal != MODEL_PARALLEL)
            lowest--;
        const ModelPlace *around = &model->places[place->func];
        bool open = lowest == 0 && stage->loops[0].traversal != MODEL_PARALLEL;
        if (levels <= 0 || !open || !around->placed) {
            int loop = random_between(model->random, lowest, at);
            model_say(model,
                      arena_format(model->arena, "store-at(%s, %s)", name,
                                   model_loop_name(model, (Cursor){place->func, 0, place->stage},
                                                   stage->loops[loop].name)));
            return;
        }
        place = around;
    }
}

static void place(Model *model, int producer) {
    const char *name = model->c->funcs[producer].name;
    ModelPlace *where = &model->places[producer];
    for (int f = producer + 1; f < model->c->func_count; f++)
        for (int s = 0; s < model->stage_count[f]; s++) {
            if (where->placed || model->places[f].inlined || !model->stages[f][0][s].count)
                continue;
            const ModelStage *stage = &model->stages[f][0][s];
            int deepest = deepest_common(model, producer, f, 0, s);
            if (deepest < 0)
                continue;
            const char *loop = stage->loops[random_below(model->random, deepest + 1)].name;
            if (!may_stand(model, producer, f, s, loop))
                continue;
            where->placed = true;
            where->func = f;
            where->stage = s;
            where->loop = loop;
            model_say(model, arena_format(model->arena, "compute-at(%s, %s)", name,
                                          model_loop_name(model, (Cursor){f, 0, s}, loop)));
            if (random_chance(model->random, 40))
                store(model, producer);
            else if (!where->unguarded && random_chance(model->random, 10))
                model_say(model, arena_format(model->arena, "store-root(%s)", name));
        }
}

/* ---- bounds ---- */

/* Mostly wide enough; the window's own where the func is an output that nothing else enlarges. */
static void bound(Model *model, const CaseFunc *func, int d) {
    Random *random = model->random;
    Arena *arena = model->arena;
    const char *out = model->c->funcs[model->c->func_count - 1].name, *x = case_variables[d];
    bool like_window = d < model->c->funcs[model->c->func_count - 1].dimensions;
    if (func->is_output && random_chance(random, 60))
        model_say(model, arena_format(arena, "bound(%s, %s, %" PRId64 ", %" PRId64 ")", func->name,
                                      x, func->window.minimum[d] - random_below(random, 3),
                                      func->window.extent[d] + random_between(random, 2, 4)));
    else if (like_window && random_chance(random, 60))
        model_say(model, arena_format(arena, "bound(%s, %s, %s.min(%d) - %d, %s.extent(%d) + %d)",
                                      func->name, x, out, d, random_between(random, 0, 40), out, d,
                                      random_between(random, 40, 90)));
    else
        model_say(model,
                  arena_format(arena, "bound(%s, %s, %d, %d)", func->name, x,
                               random_between(random, -60, -20), random_between(random, 60, 120)));
}

static void choose_bounds(Model *model) {
    Random *random = model->random;
    int f = random_below(random, model->c->func_count);
    const CaseFunc *func = &model->c->funcs[f];
    if (model->places[f].inlined || !func->dimensions || model->places[f].bounded)
        return;
    model->places[f].bounded = true;
    int d = random_below(random, func->dimensions), modulus = random_between(random, 1, 8);
    switch (random_below(random, 4)) {
    case 0:
        bound(model, func, d);
        break;
    case 1:
        model_say(model, arena_format(model->arena, "bound-extent(%s, %s, %d)", func->name,
                                      case_variables[d], random_between(random, 20, 60)));
        break;
    default:
        model_say(model, arena_format(model->arena, "align-bounds(%s, %s, %d, %d)", func->name,
                                      case_variables[d], modulus, random_below(random, modulus)));
    }
}

/* The func of an inline sum is computed where the sum is needed. */
static void place_sum(Model *model, int f) {
    const CaseFunc *func = &model->c->funcs[f];
    const ModelStage *stage = &model->stages[f][0][0];
    if (!stage->count || stage->loops[0].traversal == MODEL_VECTORIZED ||
        !strstr(func->pure, "sum(q") || model->branch_count[f] > 1)
        return;
    model_say(model, arena_format(model->arena, "compute-at(%s_sum, %s)", func->name,
                                  model_loop_name(model, (Cursor){f, 0, 0}, stage->loops[0].name)));
}

/* Compute levels from the last func to the first: where a producer may stand depends on where its
 * consumers do. */
static void choose_places(Model *model) {
    int percent = random_chance(model->random, 30) ? 50 : 95;
    for (int f = model->c->func_count - 1; f >= 0; f--) {
        if (!model->places[f].inlined && random_chance(model->random, 30))
            place_sum(model, f);
        if (model->c->funcs[f].is_output || model->places[f].inlined)
            continue;
        if (random_chance(model->random, percent))
            place(model, f);
        else if (random_chance(model->random, 5))
            model_say(model,
                      arena_format(model->arena, "compute-root(%s)", model->c->funcs[f].name));
    }
}

void generate_schedule(Arena *arena, Random *random, Case *c) {
    Model *model = model_create(arena, random, c);
    choose_inlined(model);
    while (random_chance(random, 20))
        specialize(model);
    int count = random_below(random, 4 + 2 * c->func_count);
    for (int i = 0; i < count; i++)
        generate_loop_directive(model);
    choose_places(model);
    while (!c->affine && random_chance(random, 20))
        choose_bounds(model);
}
