#include "fuzz/model.h"

#include <string.h>

bool model_mentions(const char *text, const char *name) {
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

static void add_loop(ModelStage *stage, const char *name, bool pure, int length) {
    stage->loops[stage->count++] =
        (ModelLoop){.name = name, .pure = pure, .fresh = pure, .length = length};
}

static void build_stage(ModelStage *stage, const CaseFunc *func, int number) {
    const CaseUpdate *update = number ? &func->updates.data[number - 1] : NULL;
    for (int d = func->dimensions - 1; d >= 0; d--)
        if (!update || model_mentions(update->text, case_variables[d]))
            add_loop(stage, case_variables[d], true, 0);
    for (int r = update ? update->reductions - 1 : -1; r >= 0; r--)
        add_loop(stage, case_reductions[r], false, update->lengths[r]);
}

Model *model_create(Arena *arena, Random *random, Case *c) {
    Model *model = arena_new(arena, Model);
    *model = (Model){.arena = arena, .random = random, .c = c};
    for (int f = 0; f < c->func_count; f++) {
        model->stage_count[f] = 1 + (int)c->funcs[f].updates.length;
        model->branch_count[f] = 1;
        for (int s = 0; s < model->stage_count[f]; s++)
            build_stage(&model->stages[f][0][s], &c->funcs[f], s);
    }
    return model;
}

void model_say(Model *model, const char *directive) {
    vec_push(model->arena, &model->c->directives, directive);
}

void model_specialize(Model *model, int func, int branches) {
    for (int b = 1; b < branches; b++)
        memcpy(model->stages[func][b], model->stages[func][0], sizeof model->stages[func][0]);
    model->branch_count[func] = branches;
}

ModelStage *model_stage(Model *model, Cursor at) {
    return &model->stages[at.func][at.branch][at.stage];
}

int model_find(const ModelStage *stage, const char *name) {
    for (int i = 0; i < stage->count; i++)
        if (strcmp(stage->loops[i].name, name) == 0)
            return i;
    return -1;
}

const char *model_loop_name(Model *model, Cursor at, const char *loop) {
    const char *func = model->c->funcs[at.func].name;
    if (random_chance(model->random, 20))
        return arena_format(model->arena, "<%s, z%d, s%d, %s>", func, at.branch, at.stage, loop);
    if (at.branch)
        return arena_format(model->arena, "%s.z%d.s%d.%s", func, at.branch, at.stage, loop);
    return arena_format(model->arena, "%s.s%d.%s", func, at.stage, loop);
}

const char *model_fresh_name(Model *model, const char *stem) {
    return arena_format(model->arena, "%s%d", stem, model->fresh++);
}

bool model_reads(const Model *model, int f, int s, int producer) {
    const CaseFunc *func = &model->c->funcs[f];
    const char *name = model->c->funcs[producer].name;
    if (s)
        return model_mentions(func->updates.data[s - 1].text, name);
    return model_mentions(func->pure, name) || (func->let && model_mentions(func->let, name));
}
