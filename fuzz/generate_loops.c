/* generate_loops.c -- random directives about loops: split, fuse, swap, traverse and the sugar. */
#include "fuzz/model.h"

#include <string.h>

/* A stage with a loop in it, and one of its loops; false where the stage that was drawn has none.
 */
static bool pick_loop(Model *model, Cursor *at, int *loop) {
    at->func = random_below(model->random, model->c->func_count);
    if (model->places[at->func].inlined)
        return false;
    at->branch = random_below(model->random, model->branch_count[at->func]);
    at->stage = random_below(model->random, model->stage_count[at->func]);
    int count = model_stage(model, *at)->count;
    if (!count)
        return false;
    *loop = random_below(model->random, count);
    return true;
}

static const char *name_of(Model *model, Cursor at, int loop) {
    return model_loop_name(model, at, model_stage(model, at)->loops[loop].name);
}

/* Inside a vectorized loop stand only serial and unrolled ones. */
static bool order_stands(const ModelStage *stage) {
    bool vectorized = false;
    for (int i = 0; i < stage->count; i++) {
        ModelTraversal traversal = stage->loops[i].traversal;
        if (vectorized && (traversal == MODEL_PARALLEL || traversal == MODEL_VECTORIZED))
            return false;
        vectorized |= traversal == MODEL_VECTORIZED;
    }
    return true;
}

/* A factor as text; `*constant` is 0 where it is a parameter. */
static const char *factor(Model *model, int *constant) {
    static const int factors[] = {1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16, 40};
    const Case *c = model->c;
    *constant = 0;
    for (int i = 0; i < c->parameter_count; i++)
        if (c->parameters[i].lower >= 1 && c->parameters[i].lower <= c->parameters[i].upper &&
            random_chance(model->random, 20))
            return c->parameters[i].type.bits == 64
                       ? arena_format(model->arena, "i32(%s)", c->parameters[i].name)
                       : c->parameters[i].name;
    *constant = random_pick(model->random, factors);
    return arena_format(model->arena, "%d", *constant);
}

/* How many iterations a directive makes at once: every number that a vector can have, the small
 * ones more often. */
static int lanes(Model *model, int most) {
    return random_chance(model->random, 50) ? random_between(model->random, 2, 8)
                                            : random_between(model->random, 2, most);
}

static void note_traversal(Model *model, const ModelLoop *loop) {
    if (loop->traversal == MODEL_VECTORIZED && loop->length > 1)
        model->c->draws.lanes |= (uint64_t)1 << (loop->length - 1);
}

static const char *note_tail(Model *model, CaseTail which) {
    static const char *const texts[] = {"", ", round-up", ", shift-inwards", ", guard"};
    model->c->draws.tails |= 1u << which;
    return texts[which];
}

/* `, tail`, or nothing.  The tails without a guard are for dimensions of the pure stage, and for
 * constants that leave no rest. */
static const char *tail(Model *model, Cursor at, const ModelLoop *loop, int constant) {
    bool exact = loop->length && constant && loop->length % constant == 0;
    if (model->c->affine || at.stage || !(loop->fresh || exact) || random_chance(model->random, 50))
        return note_tail(model, CASE_TAIL_UNSAID);
    CaseTail which = (CaseTail)random_between(model->random, CASE_TAIL_ROUND_UP, CASE_TAIL_GUARD);
    if (!exact && which != CASE_TAIL_GUARD)
        model->places[at.func].unguarded = true;
    return note_tail(model, which);
}

/* The loop becomes an outer and an inner one. */
static void split_model(ModelStage *stage, int loop, const char *outer, const char *inner,
                        int constant) {
    ModelLoop old = stage->loops[loop];
    for (int i = stage->count; i > loop + 1; i--)
        stage->loops[i] = stage->loops[i - 1];
    stage->count++;
    int blocks = old.length && constant ? (old.length + constant - 1) / constant : 0;
    stage->loops[loop] = (ModelLoop){.name = outer, .pure = old.pure, .length = blocks};
    stage->loops[loop + 1] = (ModelLoop){.name = inner, .pure = old.pure, .length = constant};
}

static bool has_room(const ModelStage *stage) {
    return stage->count < MODEL_LOOPS - 2;
}

static void split_one(Model *model, Cursor at, int loop, const char *outer, const char *inner) {
    ModelStage *stage = model_stage(model, at);
    int constant;
    const char *by = factor(model, &constant);
    model_say(model,
              arena_format(model->arena, "split(%s, %s, %s, %s%s)", name_of(model, at, loop), outer,
                           inner, by, tail(model, at, &stage->loops[loop], constant)));
    split_model(stage, loop, outer, inner, constant);
}

/* In half of the cases the loop is split in every specialization, so that a producer can be
 * computed inside. */
static void split(Model *model) {
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    const char *name = model_stage(model, at)->loops[l].name;
    const char *outer = model_fresh_name(model, "o"), *inner = model_fresh_name(model, "i");
    bool everywhere = random_chance(model->random, 50);
    for (int b = 0; b < model->branch_count[at.func]; b++) {
        Cursor there = {at.func, b, at.stage};
        ModelStage *stage = model_stage(model, there);
        int loop = model_find(stage, name);
        if ((b == at.branch || everywhere) && loop >= 0 && has_room(stage) &&
            stage->loops[loop].traversal == MODEL_SERIAL)
            split_one(model, there, loop, outer, inner);
    }
}

static void fuse(Model *model) {
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    ModelStage *stage = model_stage(model, at);
    ModelLoop a = stage->loops[l], b = stage->loops[l + 1];
    if (l + 1 >= stage->count || a.pure != b.pure || a.traversal || b.traversal)
        return;
    const char *fused = model_fresh_name(model, "u");
    model_say(model, arena_format(model->arena, "fuse(%s, %s)", name_of(model, at, l), fused));
    stage->loops[l] = (ModelLoop){.name = fused, .pure = a.pure, .length = a.length * b.length};
    for (int i = l + 1; i + 1 < stage->count; i++)
        stage->loops[i] = stage->loops[i + 1];
    stage->count--;
}

static void exchange(ModelStage *stage, int i, int j) {
    ModelLoop loop = stage->loops[i];
    stage->loops[i] = stage->loops[j];
    stage->loops[j] = loop;
}

static void swap(Model *model) {
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    ModelStage *stage = model_stage(model, at);
    if (l + 1 >= stage->count || (!stage->loops[l].pure && !stage->loops[l + 1].pure))
        return;
    const char *name = name_of(model, at, l);
    exchange(stage, l, l + 1);
    if (order_stands(stage))
        model_say(model, arena_format(model->arena, "swap(%s)", name));
    else
        exchange(stage, l, l + 1);
}

static ModelTraversal choose_traversal(Model *model, const ModelLoop *loop) {
    bool constant = loop->length > 0 && loop->length <= 64;
    if (constant && loop->pure && random_chance(model->random, 35))
        return MODEL_VECTORIZED;
    if (constant && random_chance(model->random, 50))
        return MODEL_UNROLLED;
    return loop->pure ? MODEL_PARALLEL : MODEL_SERIAL;
}

static void traverse(Model *model) {
    static const char *const words[] = {"serial", "parallel", "vectorized", "unrolled"};
    static const char *const sugar[] = {"", "parallel", "vectorize", "unroll"};
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    ModelStage *stage = model_stage(model, at);
    ModelLoop *loop = &stage->loops[l];
    if (loop->traversal)
        return;
    loop->traversal = choose_traversal(model, loop);
    if (!order_stands(stage)) {
        loop->traversal = MODEL_SERIAL;
        return;
    }
    note_traversal(model, loop);
    const char *name = name_of(model, at, l);
    if (loop->traversal && random_chance(model->random, 40))
        model_say(model, arena_format(model->arena, "%s(%s)", sugar[loop->traversal], name));
    else
        model_say(model,
                  arena_format(model->arena, "traverse(%s, %s)", name, words[loop->traversal]));
}

/* vectorize, unroll and parallel with a factor: a split and a traverse. */
static void split_and_traverse(Model *model) {
    static const struct {
        const char *word, *outer, *inner;
        ModelTraversal outer_traversal, inner_traversal;
    } sugar[] = {{"unroll", "o", "u", MODEL_SERIAL, MODEL_UNROLLED},
                 {"vectorize", "o", "v", MODEL_SERIAL, MODEL_VECTORIZED},
                 {"parallel", "p", "i", MODEL_PARALLEL, MODEL_SERIAL}};
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l) || !has_room(model_stage(model, at)))
        return;
    ModelStage *stage = model_stage(model, at), before = *stage;
    const ModelLoop loop = stage->loops[l];
    if (loop.traversal)
        return;
    int which = loop.pure ? random_below(model->random, 3) : 0;
    int constant = lanes(model, sugar[which].inner_traversal == MODEL_VECTORIZED ? CASE_LANES : 16);
    const char *name = name_of(model, at, l);
    split_model(stage, l, arena_format(model->arena, "%s_%s", loop.name, sugar[which].outer),
                arena_format(model->arena, "%s_%s", loop.name, sugar[which].inner), constant);
    stage->loops[l].traversal = sugar[which].outer_traversal;
    stage->loops[l + 1].traversal = sugar[which].inner_traversal;
    if (!order_stands(stage)) {
        *stage = before;
        return;
    }
    note_traversal(model, &stage->loops[l + 1]);
    model_say(model, arena_format(model->arena, "%s(%s, %d%s)", sugar[which].word, name, constant,
                                  tail(model, at, &loop, constant)));
}

static void tile(Model *model) {
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    ModelStage *stage = model_stage(model, at);
    ModelLoop *outer = &stage->loops[l], *inner = &stage->loops[l + 1];
    if (l + 1 >= stage->count || !has_room(stage) || !outer->pure || !inner->pure ||
        outer->traversal || inner->traversal)
        return;
    const char *name[4];
    for (int i = 0; i < 4; i++)
        name[i] = model_fresh_name(model, "t");
    int a = random_between(model->random, 2, 8), b = random_between(model->random, 2, 8);
    const char *end = outer->fresh && inner->fresh ? tail(model, at, inner, 0) : "";
    model_say(model, arena_format(model->arena, "tile(%s, %s, %s, %s, %s, %s, %d, %d%s)",
                                  name_of(model, at, l + 1), name_of(model, at, l), name[0],
                                  name[1], name[2], name[3], a, b, end));
    split_model(stage, l + 1, name[0], name[2], a);
    split_model(stage, l, name[1], name[3], b);
    exchange(stage, l + 1, l + 2); /* yo yi xo xi -> yo xo yi xi */
}

/* A random order in which the reduction loops keep theirs. */
static void shuffle(Model *model, ModelStage *stage) {
    for (int round = 0; round < 2 * stage->count; round++) {
        int i = random_below(model->random, stage->count - 1);
        if (stage->loops[i].pure || stage->loops[i + 1].pure)
            exchange(stage, i, i + 1);
    }
}

static void reorder(Model *model) {
    Cursor at;
    int l;
    if (!pick_loop(model, &at, &l))
        return;
    ModelStage *stage = model_stage(model, at), before = *stage;
    if (stage->count < 2)
        return;
    shuffle(model, stage);
    if (!order_stands(stage)) {
        *stage = before;
        return;
    }
    const char *text = "reorder(";
    for (int i = stage->count; i-- > 0;)
        text = arena_format(model->arena, "%s%s%s", text, name_of(model, at, i), i ? ", " : ")");
    model_say(model, text);
}

void generate_loop_directive(Model *model) {
    static void (*const directives[])(Model *) = {split,
                                                  split,
                                                  split,
                                                  fuse,
                                                  fuse,
                                                  swap,
                                                  swap,
                                                  traverse,
                                                  traverse,
                                                  split_and_traverse,
                                                  split_and_traverse,
                                                  tile,
                                                  reorder,
                                                  reorder};
    random_pick(model->random, directives)(model);
}
