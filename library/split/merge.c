/* merge.c -- the merge of blocks that are computed apart.
 *
 * Where the operator of an update is proved associative, to the last bit, a stretch of iterations may
 * begin from the operator's identity, and two neighbouring stretches are merged by the operator at
 * each point: that is rfactor (schedule/directives/rfactor.c), with the same proof. Floats are exact
 * only where values are moved, not added.
 */
#include "library/split/splitting.h"

#include "associative/associative.h"
#include "schedule/redefine.h"

/* A func of the same shape and one stage, whose values are these. */
static const Func *pointwise(Splitting *splitting, const Func *func, const Expr *values) {
    Func *made = func_without_stages(splitting->arena, func);
    Stage *stage = stage_of_all_points(splitting->arena, func, func->place);
    for (int c = 0; c < func->shape->components; c++)
        stage->values[c] = values[c];
    vec_push(splitting->arena, &made->stages, stage);
    return made;
}

static void add_outputs(Splitting *splitting, const FuncShape *shape, const PlanNames *arrays,
                        PlanPart *part) {
    const char *output = part->pipeline->signature.outputs.data[0].func->text;
    for (int c = 0; c < shape->components; c++)
        vec_push(
            splitting->arena, &part->outputs,
            ((PlanPort){shape->components > 1 ? arena_format(splitting->arena, "%s.%d", output, c)
                                              : output,
                        arrays->data[c]}));
}

/* Adds an image for each component, and reads it. */
static void read_side(Splitting *splitting, const Func *func, const char *side, PartPlan *plan,
                      PlanNames *names, Expr *reads) {
    const FuncShape *shape = func->shape;
    Arena *arena = splitting->arena;
    const char *name = split_identifier(splitting, shape->name);
    for (int c = 0; c < shape->components; c++) {
        const char *stem = shape->components > 1 ? arena_format(arena, "%s_%s_%d", name, side, c)
                                                 : arena_format(arena, "%s_%s", name, side);
        ImageParameter image = {.name = split_name(splitting, stem),
                                .type = shape->types[c],
                                .dimensions = shape->dimensions,
                                .layout = LAYOUT_PLANAR};
        vec_push(arena, &plan->images, image);
        vec_push(arena, names, image.name->text);
        reads[c] = expr_access(splitting->pool, image.name, 0, image.type, func->variables,
                               shape->dimensions);
    }
}

/* Does the merge read what is merged? If not, the update changes nothing. */
static bool is_merging(Splitting *splitting, const Associativity *found) {
    for (int c = 0; c < found->arity; c++)
        for (int i = 0; i < found->arity; i++)
            if (expr_mentions(splitting->arena, found->operator[c], found->y[i]->name))
                return true;
    return false;
}

bool merge_create(Splitting *splitting, const CutFunc *cut, int number, const PlanNames *arrays,
                  const PlanMerge **merge) {
    Arena *arena = splitting->arena;
    const Func *func = cut->func;
    const Func *written = pipeline_func(splitting->pipeline, func->shape->name);
    *merge = NULL;
    if (!written || func->stages.data[number]->writes > 1)
        return true;
    Associativity found = associative_stage(splitting->pipeline, arena, written, number);
    if (found.verdict != ASSOCIATIVE_YES || !found.is_exact || !found.has_identity ||
        !is_merging(splitting, &found))
        return true;
    PlanMerge *made = arena_new(arena, PlanMerge);
    PartPlan merging = {0}, beginning = {0};
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX], values[ASSOCIATIVE_MAX];
    made->is_commutative = found.is_commutative;
    read_side(splitting, func, "left", &merging, &made->left, x);
    read_side(splitting, func, "right", &merging, &made->right, y);
    for (int c = 0; c < func->shape->components; c++)
        values[c] = associative_apply(splitting->pool, arena, &found, c, x, y);
    vec_push(arena, &merging.goals, pointwise(splitting, func, values));
    vec_push(arena, &beginning.goals, pointwise(splitting, func, found.identity));
    if (!part_create(splitting, &merging, &made->part) ||
        !part_create(splitting, &beginning, &made->identity))
        return false;
    add_outputs(splitting, func->shape, arrays, &made->part);
    add_outputs(splitting, func->shape, arrays, &made->identity);
    *merge = made;
    return true;
}
