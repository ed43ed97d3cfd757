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
} ModelLoop;

typedef struct ModelStage {
    ModelLoop loops[LOOPS]; /* outermost first */
    int count;
} ModelStage;

typedef struct Model {
    Arena *arena;
    Random *random;
    Case *c;
    ModelStage stages[CASE_FUNCS][STAGES];
    int stage_count[CASE_FUNCS];
    int fresh;
} Model;

static void say(Model *model, const char *text) {
    vec_push(model->arena, &model->c->directives, text);
}

static void add_loop(ModelStage *stage, const char *name, bool pure, bool constant) {
    stage->loops[stage->count++] = (ModelLoop){name, pure, constant};
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

static const char *tail(Model *model, bool pure_stage) {
    static const char *const tails[] = {", round-up", ", shift-inwards", ", guard"};
    if (!pure_stage || random_chance(model->random, 50))
        return "";
    return random_pick(model->random, tails);
}

/* The loop becomes an outer and an inner one. */
static void split_model(ModelStage *stage, int loop, const char *outer, const char *inner) {
    for (int i = stage->count; i > loop + 1; i--)
        stage->loops[i] = stage->loops[i - 1];
    stage->count++;
    bool pure = stage->loops[loop].pure;
    stage->loops[loop] = (ModelLoop){outer, pure, false};
    stage->loops[loop + 1] = (ModelLoop){inner, pure, true};
}

static bool has_room(const ModelStage *stage) {
    return stage->count < LOOPS - 1;
}

static void split(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l) || !has_room(&model->stages[f][s]))
        return;
    static const int factors[] = {1, 2, 3, 4, 4, 5, 7, 8, 16};
    const char *outer = fresh_name(model, "o"), *inner = fresh_name(model, "i");
    say(model,
        arena_format(model->arena, "split(%s, %s, %s, %d%s)", loop_name(model, f, s, l), outer,
                     inner, random_pick(model->random, factors), tail(model, s == 0)));
    split_model(&model->stages[f][s], l, outer, inner);
}

static void fuse(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l))
        return;
    ModelStage *stage = &model->stages[f][s];
    if (l + 1 >= stage->count || stage->loops[l].pure != stage->loops[l + 1].pure)
        return;
    const char *fused = fresh_name(model, "u");
    say(model, arena_format(model->arena, "fuse(%s, %s)", loop_name(model, f, s, l), fused));
    stage->loops[l] = (ModelLoop){fused, stage->loops[l].pure, false};
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
    const ModelLoop *loop = &model->stages[f][s].loops[l];
    const char *how =
        loop->constant && random_chance(model->random, 60)
            ? (loop->pure && random_chance(model->random, 50) ? "vectorized" : "unrolled")
        : loop->pure ? "parallel"
                     : "serial";
    say(model, arena_format(model->arena, "traverse(%s, %s)", loop_name(model, f, s, l), how));
}

static void sugar(Model *model) {
    int f, s, l;
    if (!pick_loop(model, &f, &s, &l) || !has_room(&model->stages[f][s]))
        return;
    ModelStage *stage = &model->stages[f][s];
    const ModelLoop loop = stage->loops[l];
    const char *name = loop_name(model, f, s, l), *suffix = NULL, *what = NULL;
    switch (random_below(model->random, 3)) {
    case 0:
        what = loop.pure ? "vectorize" : "unroll";
        suffix = loop.pure ? "_v" : "_u";
        break;
    case 1:
        what = "unroll";
        suffix = "_u";
        break;
    default:
        say(model, arena_format(model->arena, "%s(%s)", loop.pure ? "parallel" : "unroll", name));
        return;
    }
    say(model, arena_format(model->arena, "%s(%s, %d%s)", what, name,
                            random_between(model->random, 2, 8), tail(model, s == 0)));
    split_model(stage, l, arena_format(model->arena, "%s_o", loop.name),
                arena_format(model->arena, "%s%s", loop.name, suffix));
}

static void tile(Model *model) {
    int f = random_below(model->random, model->c->func_count);
    int s = random_below(model->random, model->stage_count[f]);
    ModelStage *stage = &model->stages[f][s];
    if (stage->count < 2 || stage->count > LOOPS - 3 || !stage->loops[0].pure ||
        !stage->loops[1].pure)
        return;
    const char *name[4];
    for (int i = 0; i < 4; i++)
        name[i] = fresh_name(model, "t");
    say(model, arena_format(model->arena, "tile(%s, %s, %s, %s, %s, %s, %d, %d%s)",
                            loop_name(model, f, s, 1), loop_name(model, f, s, 0), name[0], name[1],
                            name[2], name[3], random_between(model->random, 2, 8),
                            random_between(model->random, 2, 8), tail(model, s == 0)));
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

/* A producer and a loop of a later func. */
static bool pick_place(Model *model, int producer, const char **loop) {
    int f = random_between(model->random, producer + 1, model->c->func_count - 1);
    int s = random_chance(model->random, 60) ? model->stage_count[f] - 1
                                             : random_below(model->random, model->stage_count[f]);
    int count = model->stages[f][s].count;
    if (!count)
        return false;
    *loop = loop_name(model, f, s, random_below(model->random, count));
    return true;
}

static void place(Model *model) {
    int producer = random_below(model->random, model->c->func_count - 1);
    const char *name = model->c->funcs[producer].name, *loop;
    if (random_chance(model->random, 8)) {
        say(model, arena_format(model->arena, "inline(%s)", name));
        return;
    }
    if (!pick_place(model, producer, &loop))
        return;
    say(model, arena_format(model->arena, "compute-at(%s, %s)", name, loop));
    const char *outer;
    if (random_chance(model->random, 40) && pick_place(model, producer, &outer))
        say(model, arena_format(model->arena, "store-at(%s, %s)", name, outer));
    else if (random_chance(model->random, 20))
        say(model, arena_format(model->arena, "store-root(%s)", name));
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
    count = random_below(random, 3);
    for (int i = 0; i < count; i++)
        place(model);
    if (random_chance(random, 15))
        bounds(model);
}
