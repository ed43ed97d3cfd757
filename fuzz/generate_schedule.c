/* generate_schedule.c -- random directives, in the phases' order, over a light model of the loops.
 *
 * The model knows each stage's loops by name, outermost first, which are pure, and which have a
 * constant length; it changes with each directive as the compiler's nests do.  It does not know
 * dominance, so some compute-at and store-at are refused: what is refused is counted, not failed.
 */
#include "fuzz/generate.h"

#include <string.h>

enum { STAGES = 3, LOOPS = 12 };

typedef struct ModelLoop {
    const char *name;
    bool pure, constant;
    bool fresh;     /* as lowered: only such a loop takes the tails without a guard */
    bool traversed; /* not serial any more */
    bool vectorized;
} ModelLoop;

typedef struct ModelStage {
    ModelLoop loops[LOOPS]; /* outermost first */
    int count;
} ModelStage;

/* Where a func is computed: a loop of a stage of a later func. */
typedef struct ModelPlace {
    bool placed, inlined;
    int func, stage, loop;
} ModelPlace;

typedef struct Model {
    Arena *arena;
    Random *random;
    Case *c;
    ModelStage stages[CASE_FUNCS][STAGES];
    int stage_count[CASE_FUNCS];
    ModelPlace places[CASE_FUNCS];
    int fresh;
} Model;

static void say(Model *model, const char *text) {
    vec_push(model->arena, &model->c->directives, text);
}

static void add_loop(ModelStage *stage, const char *name, bool pure, bool constant) {
    stage->loops[stage->count++] =
        (ModelLoop){.name = name, .pure = pure, .constant = constant, .fresh = pure};
}

/* Does the stage's text mention the variable?  Names are x, y, r0, r1: no other word has them. */
static bool mentions(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        char before = at == text ? ' ' : at[-1], after = at[length];
        bool word = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9') ||
                    (after >= 'a' && after <= 'z') || (after >= '0' && after <= '9') ||
                    before == '_' || after == '_';
        if (!word)
            return true;
    }
    return false;
}

static void build_model(Model *model) {
    static const char *const pure[] = {"x", "y"}, *const reduction[] = {"r0", "r1"};
    for (int f = 0; f < model->c->func_count; f++) {
        const CaseFunc *func = &model->c->funcs[f];
        model->stage_count[f] = 1 + (int)func->updates.length;
        for (int s = 0; s < model->stage_count[f]; s++) {
            ModelStage *stage = &model->stages[f][s];
            const char *text = s ? func->updates.data[s - 1] : NULL;
            for (int d = func->dimensions - 1; d >= 0; d--)
                if (!text || mentions(text, pure[d]))
                    add_loop(stage, pure[d], true, false);
            for (int r = 1; r >= 0; r--)
                if (text && strstr(text, arena_format(model->arena, "%s = (", reduction[r])))
                    add_loop(stage, reduction[r], false, false);
        }
    }
}

/* A loop of any stage; false where the stage that was drawn has none. */
static bool pick_loop(Model *model, int *func, int *stage, int *loop) {
    *func = random_below(model->random, model->c->func_count);
    *stage = random_below(model->random, model->stage_count[*func]);
    int count = model->stages[*func][*stage].count;
    if (!count)
        return false;
    *loop = random_below(model->random, count);
    return true;
}

static const char *loop_name(Model *model, int func, int stage, int loop) {
    const char *name = model->stages[func][stage].loops[loop].name;
    if (random_chance(model->random, 20))
        return arena_format(model->arena, "<%s, z0, s%d, %s>", model->c->funcs[func].name, stage,
                            name);
    return arena_format(model->arena, "%s.s%d.%s", model->c->funcs[func].name, stage, name);
}

static const char *fresh_name(Model *model, const char *stem) {
    return arena_format(model->arena, "%s%d", stem, model->fresh++);
}

static const char *tail(Model *model, int stage, const ModelLoop *loop) {
    static const char *const tails[] = {", round-up", ", shift-inwards", ", guard"};
    if (stage || !loop->fresh || random_chance(model->random, 50))
        return "";
    return random_pick(model->random, tails);
}

/* The loop becomes an outer and an inner one. */
static void split_model(ModelStage *stage, int loop, const char *outer, const char *inner) {
    for (int i = stage->count; i > loop + 1; i--)
        stage->loops[i] = stage->loops[i - 1];
    stage->count++;
    bool pure = stage->loops[loop].pure;
    stage->loops[loop] = (ModelLoop){.name = outer, .pure = pure};
    stage->loops[loop + 1] = (ModelLoop){.name = inner, .pure = pure, .constant = true};
}

static bool has_room(const ModelStage *stage) {
    return stage->count < LOOPS - 1;
}

static void split(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l) || !has_room(&model->stages[f][s]) ||
        model->stages[f][s].loops[l].traversed)
        return;
    static const int factors[] = {1, 2, 3, 4, 4, 5, 7, 8, 16};
    const char *outer = fresh_name(model, "o"), *inner = fresh_name(model, "i");
    say(model,
        arena_format(model->arena, "split(%s, %s, %s, %d%s)", loop_name(model, f, s, l), outer,
                     inner, random_pick(model->random, factors), tail(model, s, &model->stages[f][s].loops[l])));
    split_model(&model->stages[f][s], l, outer, inner);
}

static void fuse(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l))
        return;
    ModelStage *stage = &model->stages[f][s];
    if (l + 1 >= stage->count || stage->loops[l].pure != stage->loops[l + 1].pure ||
        stage->loops[l].traversed || stage->loops[l + 1].traversed)
        return;
    const char *fused = fresh_name(model, "u");
    say(model, arena_format(model->arena, "fuse(%s, %s)", loop_name(model, f, s, l), fused));
    stage->loops[l] = (ModelLoop){.name = fused, .pure = stage->loops[l].pure};
    for (int i = l + 1; i + 1 < stage->count; i++)
        stage->loops[i] = stage->loops[i + 1];
    stage->count--;
}

static void swap(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l))
        return;
    ModelStage *stage = &model->stages[f][s];
    if (l + 1 >= stage->count || (!stage->loops[l].pure && !stage->loops[l + 1].pure))
        return;
    say(model, arena_format(model->arena, "swap(%s)", loop_name(model, f, s, l)));
    ModelLoop loop = stage->loops[l];
    stage->loops[l] = stage->loops[l + 1];
    stage->loops[l + 1] = loop;
}

static void traverse(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l))
        return;
    ModelLoop *loop = &model->stages[f][s].loops[l];
    if (loop->traversed)
        return;
    const char *how =
        loop->constant && random_chance(model->random, 60)
            ? (loop->pure && random_chance(model->random, 50) ? "vectorized" : "unrolled")
        : loop->pure ? "parallel"
                     : "serial";
    say(model, arena_format(model->arena, "traverse(%s, %s)", loop_name(model, f, s, l), how));
    loop->traversed = how[0] != 's';
    loop->vectorized = how[0] == 'v';
}

static void sugar(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l) || !has_room(&model->stages[f][s]))
        return;
    ModelStage *stage = &model->stages[f][s];
    const ModelLoop loop = stage->loops[l];
    if (loop.traversed)
        return;
    const char *name = loop_name(model, f, s, l);
    if (loop.pure && random_chance(model->random, 30)) {
        say(model, arena_format(model->arena, "parallel(%s)", name));
        stage->loops[l].traversed = true;
        return;
    }
    bool vectorize = loop.pure && random_chance(model->random, 60);
    say(model, arena_format(model->arena, "%s(%s, %d%s)", vectorize ? "vectorize" : "unroll", name,
                            random_between(model->random, 2, 8), tail(model, s, &loop)));
    split_model(stage, l, arena_format(model->arena, "%s_o", loop.name),
                arena_format(model->arena, "%s_%c", loop.name, vectorize ? 'v' : 'u'));
    stage->loops[l + 1].traversed = true;
    stage->loops[l + 1].vectorized = vectorize;
}

static void tile(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    int s = random_below(model->random, model->stage_count[f]);
    ModelStage *stage = &model->stages[f][s];
    if (stage->count < 2 || stage->count > LOOPS - 3 || !stage->loops[0].pure ||
        !stage->loops[1].pure || stage->loops[0].traversed || stage->loops[1].traversed)
        return;
    bool fresh = stage->loops[0].fresh && stage->loops[1].fresh;
    const char *name[4];
    for (int i = 0; i < 4; i++)
        name[i] = fresh_name(model, "t");
    say(model, arena_format(model->arena, "tile(%s, %s, %s, %s, %s, %s, %d, %d%s)",
                            loop_name(model, f, s, 1), loop_name(model, f, s, 0), name[0], name[1],
                            name[2], name[3], random_between(model->random, 2, 8),
                            random_between(model->random, 2, 8),
                            tail(model, fresh ? s : 1, &stage->loops[1])));
    split_model(stage, 1, name[0], name[2]);
    split_model(stage, 0, name[1], name[3]);
    ModelLoop between = stage->loops[1]; /* yo yi xo xi -> yo xo yi xi */
    stage->loops[1] = stage->loops[2];
    stage->loops[2] = between;
}

static void reorder(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    int s = random_below(model->random, model->stage_count[f]);
    ModelStage *stage = &model->stages[f][s];
    int pure = 0;
    while (pure < stage->count && stage->loops[pure].pure)
        pure++;
    if (pure < 2)
        return;
    /* Rotate the outermost pure loops: the outermost becomes the innermost of them. */
    const char *text = "";
    for (int i = 0; i < pure; i++) {
        int from = (pure - 1 - i + 1) % pure; /* innermost first, after the rotation */
        text =
            arena_format(model->arena, "%s%s%s", text, i ? ", " : "", loop_name(model, f, s, from));
    }
    say(model, arena_format(model->arena, "reorder(%s)", text));
    ModelLoop first = stage->loops[0];
    for (int i = 0; i + 1 < pure; i++)
        stage->loops[i] = stage->loops[i + 1];
    stage->loops[pure - 1] = first;
}

static void specialize(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    if (!model->c->parameter_count)
        return;
    const CaseParameter *parameter = &model->c->parameters[0];
    say(model, arena_format(model->arena, "specialize(%s, %s == %d)", model->c->funcs[f].name,
                            parameter->name,
                            random_between(model->random, parameter->lower, parameter->upper)));
}

/* ---- places ---- */

/* Does stage `s` of func `f` read the func? */
static bool reads(Model *model, int f, int s, int producer) {
    const CaseFunc *func = &model->c->funcs[f];
    const char *text = s ? func->updates.data[s - 1] : func->pure;
    return mentions(text, model->c->funcs[producer].name);
}

/* The loop of stage (f, s) that the reader (g, t) stands in: the innermost for the stage itself,
 * the place of its compute statement for a func computed inside; -1 when it is elsewhere. */
static int depth_inside(Model *model, int g, int t, int f, int s) {
    for (int guard = 0; guard < CASE_FUNCS; guard++) {
        if (g == f)
            return t == s ? model->stages[f][s].count - 1 : -1;
        const ModelPlace *place = &model->places[g];
        if (!place->placed)
            return -1;
        if (place->func == f && place->stage == s)
            return place->loop;
        g = place->func;
        t = place->stage;
    }
    return -1;
}

/* The innermost loop of stage (f, s) around every reader of the producer; -1 when there is none. */
static int deepest_common(Model *model, int producer, int f, int s) {
    int deepest = model->stages[f][s].count - 1;
    bool read = false;
    for (int g = producer + 1; g < model->c->func_count; g++)
        for (int t = 0; t < model->stage_count[g]; t++) {
            if (model->places[g].inlined || !reads(model, g, t, producer))
                continue;
            int depth = depth_inside(model, g, t, f, s);
            deepest = depth < deepest ? depth : deepest;
            read = true;
        }
    for (int l = 0; l <= deepest; l++)
        if (model->stages[f][s].loops[l].vectorized)
            return l - 1;
    return read ? deepest : -1;
}

static void place(Model *model, int producer) {
    const char *name = model->c->funcs[producer].name;
    ModelPlace *where = &model->places[producer];
    if (random_chance(model->random, 8) && model->stage_count[producer] == 1) {
        say(model, arena_format(model->arena, "inline(%s)", name));
        where->inlined = true;
        return;
    }
    for (int f = producer + 1; f < model->c->func_count; f++)
        for (int s = 0; s < model->stage_count[f]; s++) {
            int deepest = deepest_common(model, producer, f, s);
            if (deepest < 0 || where->placed)
                continue;
            *where = (ModelPlace){.placed = true, .func = f, .stage = s};
            where->loop = random_below(model->random, deepest + 1);
            say(model, arena_format(model->arena, "compute-at(%s, %s)", name,
                                    loop_name(model, f, s, where->loop)));
            if (random_chance(model->random, 40))
                say(model, arena_format(model->arena, "store-at(%s, %s)", name,
                                        loop_name(model, f, s,
                                                  random_below(model->random, where->loop + 1))));
            else if (random_chance(model->random, 15))
                say(model, arena_format(model->arena, "store-root(%s)", name));
        }
}

static void bounds(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    const char *name = model->c->funcs[f].name;
    const char *variable = random_below(model->random, model->c->funcs[f].dimensions) ? "y" : "x";
    int modulus = random_between(model->random, 1, 8);
    switch (random_below(model->random, 4)) {
    case 0:
        say(model, arena_format(model->arena, "bound(%s, %s, %d, %d)", name, variable,
                                random_between(model->random, -60, -20),
                                random_between(model->random, 60, 120)));
        break;
    case 1:
        say(model, arena_format(model->arena, "bound-extent(%s, %s, %d)", name, variable,
                                random_between(model->random, 10, 60)));
        break;
    default:
        say(model, arena_format(model->arena, "align-bounds(%s, %s, %d, %d)", name, variable,
                                modulus, random_below(model->random, modulus)));
    }
}

void generate_schedule(Arena *arena, Random *random, Case *c) {
    static void (*const loops[])(Model *) = {split,    split, split, fuse,   swap,
                                             traverse, sugar, tile,  reorder};
    Model *model = arena_new(arena, Model);
    *model = (Model){.arena = arena, .random = random, .c = c};
    build_model(model);
    if (random_chance(random, 15))
        specialize(model);
    int count = random_below(random, 8);
    for (int i = 0; i < count; i++)
        random_pick(random, loops)(model);
    /* Consumers first: where a producer may stand depends on where they do. */
    for (int f = c->func_count - 2; f >= 0; f--)
        if (random_chance(random, 50))
            place(model, f);
    if (random_chance(random, 15))
        bounds(model);
}
