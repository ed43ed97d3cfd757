/* cut.c -- which funcs are cut, and into which steps.
 *
 * The parts of a pipeline in the order of its funcs: for each cut func the steps that compute it, and
 * at last one part for the outputs that are not cut. The stages of a cut func make one part, except an
 * update of which a window needs the whole: it is a step of its own (update.c), from the result of the
 * stages before it, and the stages behind it begin from its result.
 */
#include "library/split/splitting.h"

#include "schedule/redefine.h"

/* ---- what can be cut ---- */

/* Returns why the func cannot be cut, as a clause; null if it can. */
static const char *obstacle(const Func *func) {
    if (func_is_extern(func))
        return "a C function computes it";
    if (func->shape->dimensions > MAX_IMAGE_DIMENSIONS)
        return "it has more than 4 dimensions, and an image has 4 at most";
    return NULL;
}

/* A name of an array that neither the pipeline nor another array has. */
static Symbol array_name(Splitting *splitting, const char *stem) {
    Symbol name = split_name(splitting, stem);
    for (int n = 2; map_get(&splitting->taken, name); n++)
        name = split_name(splitting, arena_format(splitting->arena, "%s_v%d", stem, n));
    map_put(&splitting->taken, name, name);
    return name;
}

/* Its images are called like the func, if that is an identifier. */
static Symbol image_name(Splitting *splitting, const Func *func, int component) {
    const char *name = split_identifier(splitting, func->shape->name);
    if (func->shape->components > 1)
        return array_name(splitting, arena_format(splitting->arena, "%s_%d", name, component));
    if (context_symbol(splitting->context, name) != func->shape->name)
        return array_name(splitting, name);
    map_put(&splitting->taken, func->shape->name, func->shape->name);
    return func->shape->name;
}

/* Cuts all equations of the func's recurrence. Returns why that cannot be, as a clause; else null. */
static const char *add_system(Splitting *splitting, const Recurrence *recurrence) {
    Arena *arena = splitting->arena;
    CutFunc *system = arena_new(arena, CutFunc);
    const char *fault;
    int at = 0;
    system->func = equations_as_update(splitting, recurrence, &fault);
    for (size_t i = 0; i < recurrence->funcs.length && !fault; i++) {
        const Func *func = recurrence->funcs.data[i];
        CutFunc *cut = arena_new(arena, CutFunc);
        *cut = (CutFunc){.func = func, .system = system};
        for (int c = 0; c < func->shape->components; c++)
            system->images[at++] = cut->images[c] = image_name(splitting, func, c);
        map_put(&splitting->cut, func->shape->name, cut);
    }
    return fault;
}

/* Returns why the func cannot be cut, as a clause; else null. */
static const char *add_cut(Splitting *splitting, const Func *func) {
    const char *reason = obstacle(func);
    if (reason || map_get(&splitting->cut, func->shape->name))
        return reason;
    if (func->recurrence)
        return add_system(splitting, func->recurrence);
    CutFunc *cut = arena_new(splitting->arena, CutFunc);
    cut->func = func_widened(splitting, func);
    for (int c = 0; c < func->shape->components; c++)
        cut->images[c] = image_name(splitting, func, c);
    map_put(&splitting->cut, func->shape->name, cut);
    return NULL;
}

/* Returns what has the steps of a func: of equations the whole recurrence, in the place of the first.
 * Null: the func is not cut, or another equation is the first. */
static const CutFunc *stepped(const Splitting *splitting, const Func *func) {
    const CutFunc *cut = map_get(&splitting->cut, func->shape->name);
    if (!cut || !cut->system)
        return cut;
    return func->recurrence->funcs.data[0] == func ? cut->system : NULL;
}

/* ---- what needs the whole ---- */

/* A splitting in which every func is cut: what one func needs of the others. */
static Splitting all_cut(const Splitting *splitting) {
    Splitting alone = *splitting;
    alone.cut = map_create(splitting->arena);
    alone.taken = map_create(splitting->arena);
    for (size_t i = 0; i < splitting->pipeline->funcs.length; i++)
        add_cut(&alone, splitting->pipeline->funcs.data[i]);
    return alone;
}

/* All funcs apart, and what is needed of each. No part of it is copied: a map that grows in a copy is broken
 * in the original. */
typedef struct FuncNeeds {
    Splitting alone;
    NeedWindows windows;
} FuncNeeds;

static bool find_needs(const Splitting *splitting, FuncNeeds *needs) {
    needs->alone = all_cut(splitting);
    return splitting->options->each_update || need_windows(&needs->alone, &needs->windows);
}

/* The func with some of its stages: `first`, then the updates of these numbers. */
static const Func *with_stages(Splitting *splitting, const Func *func, const PlanNames *before,
                               int from, int to, PartPlan *plan) {
    Arena *arena = splitting->arena;
    const FuncShape *shape = func->shape;
    Func *made = func_without_stages(arena, func);
    if (before) {
        Stage *stage = stage_of_all_points(arena, func, func->place);
        for (int c = 0; c < shape->components; c++) {
            ImageParameter image = {.name = context_symbol(splitting->context, before->data[c]),
                                    .type = shape->types[c],
                                    .dimensions = shape->dimensions,
                                    .layout = LAYOUT_PLANAR};
            vec_push(arena, &plan->images, image);
            stage->values[c] = expr_access(splitting->pool, image.name, 0, image.type,
                                           func->variables, shape->dimensions);
        }
        vec_push(arena, &made->stages, stage);
    }
    for (int s = from; s < to; s++) {
        Stage *stage = arena_new(arena, Stage);
        *stage = *func->stages.data[s];
        stage->number = (int)made->stages.length;
        vec_push(arena, &made->stages, stage);
    }
    return made;
}

static PlanNames version_names(Splitting *splitting, const CutFunc *cut, const char *suffix) {
    PlanNames names = {0};
    const char *name = split_identifier(splitting, cut->func->shape->name);
    for (int c = 0; c < cut->func->shape->components; c++) {
        const char *stem = cut->func->shape->components > 1
                               ? arena_format(splitting->arena, "%s_%s_%d", name, suffix, c)
                               : arena_format(splitting->arena, "%s_%s", name, suffix);
        vec_push(splitting->arena, &names, array_name(splitting, stem)->text);
    }
    return names;
}

/* Does a window of the func after this update need the whole of something? 1: yes, 0: no, -1 after
 * reporting. */
static int update_grows(Splitting *alone, const NeedWindows *windows, const CutFunc *cut,
                        int number) {
    const Stage *stage = cut->func->stages.data[number];
    PartPlan plan = {0};
    PlanPart part;
    if (!stage->reduction.length)
        return 0;
    if (alone->options->each_update)
        return 1;
    PlanNames before = version_names(alone, cut, "start");
    vec_push(alone->arena, &plan.goals,
             with_stages(alone, cut->func, &before, number, number + 1, &plan));
    if (!part_create(alone, &plan, &part))
        return -1;
    return part_grows(alone, windows, &part) != NULL;
}

/* Which updates of the func are steps of their own; null after reporting. */
static bool *find_growing(Splitting *splitting, FuncNeeds *needs, const CutFunc *cut, bool *any) {
    bool *growing = arena_array(splitting->arena, bool, cut->func->stages.length);
    *any = false;
    for (size_t s = 1; s < cut->func->stages.length; s++) {
        int grows = update_grows(&needs->alone, &needs->windows, cut, (int)s);
        if (grows < 0)
            return NULL;
        growing[s] = grows;
        *any |= grows;
    }
    return growing;
}

/* ---- the steps of a func ---- */

typedef struct FuncCutting {
    Splitting *splitting;
    const CutFunc *cut;
    bool *growing;
    int from, last;     /* the first stage that no step has yet; the number of stages */
    PlanNames *version; /* the result of the stages before `from`; null: none */
} FuncCutting;

static void add_ports(Splitting *splitting, const FuncShape *shape, const PlanNames *arrays,
                      const char *output, PlanPart *part) {
    Arena *arena = splitting->arena;
    for (int c = 0; c < shape->components; c++) {
        vec_push(
            arena, &part->outputs,
            ((PlanPort){shape->components > 1 ? arena_format(arena, "%s.%d", output, c) : output,
                        arrays->data[c]}));
        vec_push(arena, &splitting->plan->arrays,
                 ((PlanArray){arrays->data[c], shape->types[c], shape->dimensions,
                              splitting->plan->steps.length}));
    }
}

/* A map of the stages from `from` up to `to`. */
static bool map_step(FuncCutting *cutting, int to, const PlanNames *arrays) {
    Splitting *splitting = cutting->splitting;
    const Func *func = cutting->cut->func;
    PartPlan plan = {.keeps_schedule = true};
    PlanStep step = {.kind = PLAN_MAP, .dimensions = func->shape->dimensions};
    vec_push(splitting->arena, &plan.goals,
             with_stages(splitting, func, cutting->version, cutting->from, to, &plan));
    if (!part_create(splitting, &plan, &step.part))
        return false;
    for (size_t c = 0; cutting->version && c < cutting->version->length; c++)
        vec_push(splitting->arena, &step.part.images,
                 ((PlanPort){cutting->version->data[c], cutting->version->data[c]}));
    add_ports(splitting, func->shape, arrays,
              step.part.pipeline->signature.outputs.data[0].func->text, &step.part);
    vec_push(splitting->arena, &splitting->plan->steps, step);
    return true;
}

static PlanNames final_names(Splitting *splitting, const CutFunc *cut) {
    PlanNames names = {0};
    for (int c = 0; c < cut->func->shape->components; c++)
        vec_push(splitting->arena, &names, cut->images[c]->text);
    return names;
}

static void set_version(FuncCutting *cutting, int from, PlanNames names) {
    cutting->version = arena_new(cutting->splitting->arena, PlanNames);
    *cutting->version = names;
    cutting->from = from;
}

/* The stages that wait, before the update `number`. A scan from the first stage alone computes it
 * itself. */
static bool flush(FuncCutting *cutting, int number) {
    const Func *func = cutting->cut->func;
    bool is_first = !cutting->version && number == 1;
    if (cutting->from == number ||
        (is_first && scan_order(cutting->splitting, func, func->stages.data[number]).count))
        return true;
    PlanNames names = version_names(
        cutting->splitting, cutting->cut,
        is_first ? "start" : arena_format(cutting->splitting->arena, "s%d", number - 1));
    if (!map_step(cutting, number, &names))
        return false;
    set_version(cutting, number, names);
    return true;
}

static bool cut_steps(Splitting *splitting, const CutFunc *cut, bool *growing) {
    PlanNames final = final_names(splitting, cut);
    FuncCutting cutting = {.splitting = splitting,
                           .cut = cut,
                           .growing = growing,
                           .last = (int)cut->func->stages.length};
    for (int s = 1; s < cutting.last; s++) {
        if (!growing[s])
            continue;
        if (!flush(&cutting, s))
            return false;
        PlanNames after =
            s + 1 == cutting.last
                ? final
                : version_names(splitting, cut, arena_format(splitting->arena, "s%d", s));
        if (!blocked_step(splitting, cut, s, cutting.version, &after))
            return false;
        set_version(&cutting, s + 1, after);
    }
    return cutting.from == cutting.last || map_step(&cutting, cutting.last, &final);
}

/* ---- the outputs ---- */

static void add_outputs(Splitting *splitting, const Func *func, const PlanNames *arrays) {
    const FuncShape *shape = func->shape;
    for (int c = 0; c < shape->components; c++) {
        PlanOutput output = {.name = shape->components > 1 ? arena_format(splitting->arena, "%s.%d",
                                                                          shape->name->text, c)
                                                           : shape->name->text,
                             .array = arrays->data[c],
                             .type = shape->types[c],
                             .dimensions = shape->dimensions};
        vec_push(splitting->arena, &splitting->plan->outputs, output);
    }
}

/* The names of an output's arrays. */
static PlanNames output_names(Splitting *splitting, const Func *func) {
    PlanNames names = {0};
    const CutFunc *cut = map_get(&splitting->cut, func->shape->name);
    if (cut)
        return final_names(splitting, cut);
    for (int c = 0; c < func->shape->components; c++)
        vec_push(splitting->arena, &names,
                 func->shape->components > 1
                     ? arena_format(splitting->arena, "%s.%d", func->shape->name->text, c)
                     : func->shape->name->text);
    return names;
}

/* A part for each output that is not cut. */
static bool output_step(Splitting *splitting, const Func *output) {
    const Func *func = func_widened(splitting, output);
    PartPlan plan = {.keeps_schedule = true};
    PlanStep step = {.kind = PLAN_MAP, .dimensions = func->shape->dimensions};
    PlanNames names = output_names(splitting, output);
    vec_push(splitting->arena, &plan.goals, func);
    if (!part_create(splitting, &plan, &step.part))
        return false;
    add_ports(splitting, func->shape, &names,
              step.part.pipeline->signature.outputs.data[0].func->text, &step.part);
    vec_push(splitting->arena, &splitting->plan->steps, step);
    return true;
}

static bool output_steps(Splitting *splitting) {
    const Signature *signature = &splitting->pipeline->signature;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const Func *func = pipeline_func(splitting->pipeline, signature->outputs.data[i].func);
        if (!map_get(&splitting->cut, func->shape->name) && !output_step(splitting, func))
            return false;
    }
    return true;
}

static bool whole_part(Splitting *splitting) {
    const Signature *signature = &splitting->pipeline->signature;
    PartPlan plan = {.is_whole = true};
    PlanPart *part = &splitting->plan->whole_part;
    for (size_t i = 0; i < signature->outputs.length; i++)
        vec_push(splitting->arena, &plan.goals,
                 pipeline_func(splitting->pipeline, signature->outputs.data[i].func));
    if (!part_create(splitting, &plan, part))
        return false;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const Func *func = plan.goals.data[i];
        PlanNames names = output_names(splitting, func);
        const char *output = part->pipeline->signature.outputs.data[i].func->text;
        for (int c = 0; c < func->shape->components; c++)
            vec_push(splitting->arena, &part->outputs,
                     ((PlanPort){func->shape->components > 1
                                     ? arena_format(splitting->arena, "%s.%d", output, c)
                                     : output,
                                 names.data[c]}));
        add_outputs(splitting, func, &names);
    }
    return true;
}

/* ---- the plan ---- */

static bool cut_asked(Splitting *splitting) {
    const PlanFuncs *at = &splitting->options->at;
    for (size_t i = 0; i < at->length; i++) {
        const Func *func = pipeline_func(splitting->pipeline, at->data[i]);
        const char *reason = add_cut(splitting, func);
        if (reason)
            return diag(splitting->context, DIAG_SPLIT_FUNC, func->place, func->shape->name->text,
                        reason);
    }
    return true;
}

/* Is the func needed, or an equation of its recurrence? */
static bool is_reached(const Map *reached, const Func *func) {
    bool found = map_get(reached, func->shape->name) != NULL;
    for (size_t i = 0; func->recurrence && i < func->recurrence->funcs.length; i++)
        found |= map_get(reached, func->recurrence->funcs.data[i]->shape->name) != NULL;
    return found;
}

/* Equations stay together, with a note, if tiles of them do not bound what is computed at a time: then the
 * whole keeps less than the arrays of a plan. Returns as blocks_bound does. */
static int keep_together(Splitting *splitting, FuncNeeds *needs, const CutFunc *system,
                         const Func *first) {
    int bound = splitting->options->each_update ? 1 : blocks_bound(&needs->alone, system, 1);
    if (bound == 0)
        vec_push(
            splitting->arena, &splitting->plan->notes,
            arena_format(splitting->arena,
                         "the recurrence of `%s` stays in one part: distances of both signs leave "
                         "no long dimension to cut",
                         first->shape->name->text));
    return bound;
}

/* Cuts each func of which an update needs the whole. */
static bool cut_growing(Splitting *splitting, FuncNeeds *needs, const Map *reached) {
    for (size_t i = 0; i < splitting->pipeline->funcs.length; i++) {
        const Func *func = splitting->pipeline->funcs.data[i];
        const CutFunc *alone = stepped(&needs->alone, func);
        bool any;
        if (!alone || alone->func->stages.length < 2 || !is_reached(reached, func))
            continue;
        if (!find_growing(splitting, needs, alone, &any))
            return false;
        if (any && func->recurrence) {
            int bound = keep_together(splitting, needs, alone, func);
            if (bound < 0)
                return false;
            any = bound;
        }
        if (any)
            add_cut(splitting, func);
    }
    return true;
}

static void note_dropped(Splitting *splitting) {
    const Schedule *schedule = splitting->options->schedule;
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        if (!splitting->kept[i])
            vec_push(splitting->arena, &splitting->plan->notes,
                     arena_format(splitting->arena, "no part takes the directive `%s`",
                                  directive_text(splitting->arena, &schedule->directives.data[i])));
}

SplitPlan *split_plan_create(Context *context, Arena *arena, const Pipeline *pipeline,
                             const SplitOptions *options) {
    SplitPlan *plan = arena_new(arena, SplitPlan);
    plan->whole = pipeline;
    Splitting splitting = {.context = context,
                           .arena = arena,
                           .pipeline = pipeline,
                           .pool = pipeline->pool,
                           .options = options,
                           .plan = plan,
                           .cut = map_create(arena),
                           .taken = map_create(arena)};
    Map reached = map_create(arena);
    pipeline_reach_outputs(pipeline, &reached, arena);
    splitting.kept =
        arena_array(arena, bool, options->schedule ? options->schedule->directives.length + 1 : 1);
    FuncNeeds needs;
    if (!cut_asked(&splitting) || !find_needs(&splitting, &needs) ||
        (options->everywhere && !cut_growing(&splitting, &needs, &reached)))
        return NULL;
    splitting.parts = 0;
    if (!whole_part(&splitting))
        return NULL;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const CutFunc *cut = stepped(&splitting, pipeline->funcs.data[i]);
        bool any, *growing = cut ? find_growing(&splitting, &needs, cut, &any) : NULL;
        if (cut && (!growing || !cut_steps(&splitting, cut, growing)))
            return NULL;
    }
    if (!output_steps(&splitting))
        return NULL;
    note_dropped(&splitting);
    return plan;
}
