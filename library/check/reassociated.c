/* reassociated.c -- finds the float reductions that a schedule factored (reassociated.h), and makes
 * the algorithms for comparing them.
 *
 * Each such func f has three algorithms. The first is the algorithm as written, followed by
 * f.magnitude and f.additions (tolerance.h). The second has f as the schedule has it. The third
 * puts before f what only the schedule made and f needs: its partial results and wraps.
 */
#include "library/check/reassociated.h"

#include "library/check/tolerance.h"

#include "ir/interpret/evaluate.h"
#include "ir/walk.h"
#include "checkers/reference/engine/reference.h"
#include "schedule/loop.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 16, CORNERS = 2, DRAWN = 2 };

struct FuncComparison {
    const Pipeline *written; /* with the measures */
    const Pipeline *factored;
    Symbol magnitude, additions;
    ElementKind kinds[MOST_ELEMENTS];
};

/* ---- which ---- */

static bool has_float(const FuncShape *shape) {
    for (int c = 0; c < shape->components; c++)
        if (type_is_float(shape->types[c]))
            return true;
    return false;
}

/* Returns the func of the algorithm from which, or from whose partial results, the schedule took
 * partial results. */
static Symbol merged_func(const Map *merged, Symbol func) {
    for (Symbol next; (next = map_get(merged, func));)
        func = next;
    return func;
}

static bool is_listed(const Reassociation *result, Symbol name) {
    for (size_t i = 0; i < result->funcs.length; i++)
        if (result->funcs.data[i].name == name)
            return true;
    return false;
}

static void list_funcs(Reassociation *result, Arena *arena, const Lowered *lowered) {
    Map merged = map_create(arena);
    for (size_t i = 0; i < lowered->primitives.length; i++) {
        const Directive *directive = &lowered->primitives.data[i];
        if (directive->kind != DIRECTIVE_RFACTOR)
            continue;
        const DirectiveArgument *arguments = directive->arguments.data;
        Symbol func = arguments[0].loop.func,
               partial = arguments[directive->arguments.length - 1].name;
        map_put(&merged, partial, (void *)func);
        Symbol root = merged_func(&merged, func);
        const Func *now = pipeline_func(lowered->pipeline, root);
        if (now && has_float(now->shape) && !is_listed(result, root))
            vec_push(arena, &result->funcs, (ReassociatedFunc){.name = root});
    }
}

/* ---- algorithms ---- */

/* Returns the funcs that `root` needs and that the written algorithm does not have. */
static Map needed_for(Arena *arena, const Pipeline *written, const Pipeline *made, Symbol root) {
    Map needed = map_create(arena);
    map_put(&needed, root, (void *)root);
    for (size_t i = made->funcs.length; i-- > 0;) {
        const Func *func = made->funcs.data[i];
        if (!map_get(&needed, func->shape->name))
            continue;
        for (size_t j = 0; j < func->stages.length; j++) {
            Exprs accesses = {0};
            stage_accesses(arena, func, func->stages.data[j], &accesses);
            for (size_t k = 0; k < accesses.length; k++)
                if (!pipeline_func(written, accesses.data[k]->name))
                    map_put(&needed, accesses.data[k]->name, (void *)accesses.data[k]->name);
        }
    }
    return needed;
}

static const Pipeline *with_factored(Arena *arena, const Pipeline *written, const Pipeline *made,
                                     Symbol root) {
    Pipeline *result = pipeline_without_funcs(written, arena);
    Map needed = needed_for(arena, written, made, root);
    for (size_t i = 0; i < written->funcs.length; i++) {
        Func *func = written->funcs.data[i];
        if (func->shape->name != root) {
            pipeline_add_func(result, arena, func);
            continue;
        }
        for (size_t k = 0; k < made->funcs.length; k++)
            if (map_get(&needed, made->funcs.data[k]->shape->name))
                pipeline_add_func(result, arena, made->funcs.data[k]);
    }
    return result;
}

static const Pipeline *with_measures(Arena *arena, const Pipeline *written, const Func *func,
                                     struct FuncComparison *comparison) {
    Pipeline *result = pipeline_without_funcs(written, arena);
    Func *magnitude =
             measure_create(written->pool, arena, func, MEASURE_MAGNITUDE, comparison->kinds),
         *additions =
             measure_create(written->pool, arena, func, MEASURE_ADDITIONS, comparison->kinds);
    for (size_t i = 0; i < written->funcs.length; i++) {
        pipeline_add_func(result, arena, written->funcs.data[i]);
        if (written->funcs.data[i] == func) {
            pipeline_add_func(result, arena, magnitude);
            pipeline_add_func(result, arena, additions);
        }
    }
    comparison->magnitude = magnitude->shape->name;
    comparison->additions = additions->shape->name;
    return result;
}

/* Why f cannot be compared; null: it can. */
static const char *prepare(struct FuncComparison *comparison, Arena *arena, const Pipeline *written,
                           const Pipeline *made, Symbol name) {
    const Func *func = pipeline_func(written, name);
    if (!func || func->recurrence || func->shape->components > MOST_ELEMENTS)
        return "it is no func of the algorithm as it was written";
    comparison->written = with_measures(arena, written, func, comparison);
    comparison->factored = with_factored(arena, written, made, name);
    for (int c = 0; c < func->shape->components; c++)
        if (comparison->kinds[c] != ELEMENT_OTHER)
            return NULL;
    return "it is no sum";
}

/* Can the reference evaluate the algorithm, and does it have the order of additions? */
static bool is_evaluated(const Lowered *lowered) {
    for (size_t i = 0; i < lowered->pipeline->funcs.length; i++)
        if (lowered->pipeline->funcs.data[i]->definition)
            return false;
    return !lowered->program->reorders_floats;
}

Reassociation *reassociation_find(Arena *arena, const Pipeline *pipeline, const Lowered *lowered) {
    Reassociation *result = arena_new(arena, Reassociation);
    *result = (Reassociation){0};
    if (!pipeline->reassociation)
        return NULL;
    list_funcs(result, arena, lowered);
    if (!result->funcs.length && !lowered->program->reorders_floats)
        return NULL;
    const Pipeline *made = pipeline_unsplit(lowered->pipeline, arena);
    result->exact = is_evaluated(lowered) ? made : NULL;
    result->comparisons = arena_array(arena, struct FuncComparison, result->funcs.length);
    for (size_t i = 0; i < result->funcs.length; i++)
        result->funcs.data[i].obstacle =
            prepare(&result->comparisons[i], arena, pipeline, made, result->funcs.data[i].name);
    return result;
}

/* ---- comparing ---- */

typedef struct Startup {
    const hlc_arguments *a;
    Context *context;
} Startup;

static bool startup_value(void *data, Symbol name, Bits *bits) {
    const Startup *startup = data;
    return argument_variable(startup->a->signature, &startup->a->values, startup->context, name,
                             bits);
}

/* Finds the box of the func's stored points; false if there is none. */
static bool find_box(const BoundsResult *bounds, Symbol func, Arena *arena, Startup *startup,
                     int64_t *first, int64_t *length) {
    for (size_t i = 0; i < bounds->funcs.length; i++) {
        const BoundsRegion *region = bounds->funcs.data[i];
        if (region->func != func)
            continue;
        for (int k = 0; k < region->dimensions; k++)
            if (!expr_evaluate(arena, region->whole[k].minimum, startup_value, startup,
                               &first[k]) ||
                !expr_evaluate(arena, region->whole[k].length, startup_value, startup,
                               &length[k]) ||
                length[k] < 1)
                return false;
        return true;
    }
    return false;
}

typedef struct Judging {
    Arena *arena;
    const hlc_arguments *a;
    const struct FuncComparison *comparison;
    ReassociatedFunc *func;
    const int64_t *point;
} Judging;

static bool evaluate(const Judging *j, const Pipeline *pipeline, Symbol func, Value *values) {
    ReferenceOptions options = {0};
    return !reference_point(pipeline, j->arena, &j->a->values, &options, func, j->point, values,
                            NULL)
                .error;
}

static const char *tell(const Judging *j, int element, Type type, Bits written, Bits factored,
                        double allowed) {
    int dimensions = pipeline_func(j->comparison->written, j->func->name)->shape->dimensions;
    return arena_format(j->arena,
                        "%s(%s).%d is %s in the order of the schedule and %s in that of the "
                        "algorithm, further apart than %g",
                        j->func->name->text, text_point(j->arena, j->point, dimensions), element,
                        text_value(j->arena, type, factored), text_value(j->arena, type, written),
                        allowed);
}

/* Was a NaN compared with a component that chooses? It may then choose otherwise in another order,
 * and so may those that choose by it, though no NaN is kept. */
static bool compared_nan(const Judging *j, const FuncShape *shape, const Value *magnitude) {
    for (int c = 0; c < shape->components; c++)
        if (j->comparison->kinds[c] == ELEMENT_CHOOSES && type_is_float(shape->types[c]) &&
            isnan(bits_to_double(shape->types[c], magnitude[c].bits)))
            return true;
    return false;
}

/* Chosen values must be equal numbers. NaNs may be chosen in any order. */
static bool same_choice(Type type, Bits a, Bits b) {
    if (!type_is_float(type))
        return a == b;
    double one = bits_to_double(type, a), other = bits_to_double(type, b);
    return one == other || isnan(one) || isnan(other);
}

static const char *judge_element(const Judging *j, int c, Type type, const Value *written,
                                 const Value *factored, const Value *magnitude,
                                 const Value *additions) {
    Bits w = written[c].bits, f = factored[c].bits;
    if (j->comparison->kinds[c] == ELEMENT_CHOOSES) {
        j->func->points++;
        return same_choice(type, w, f) ? NULL : tell(j, c, type, w, f, 0);
    }
    double allowed = measure_allowed(type, bits_to_double(type, magnitude[c].bits),
                                     bits_to_double(type, additions[c].bits));
    double difference = fabs(bits_to_double(type, w) - bits_to_double(type, f));
    if (allowed < 0)
        return NULL;
    j->func->points++;
    if (difference > 0 && difference * j->func->allowed >= j->func->difference * allowed) {
        j->func->difference = difference;
        j->func->allowed = allowed;
    }
    return difference <= allowed ? NULL : tell(j, c, type, w, f, allowed);
}

static const char *judge_point(const Judging *j) {
    const FuncShape *shape = pipeline_func(j->comparison->written, j->func->name)->shape;
    Value written[MOST_ELEMENTS], factored[MOST_ELEMENTS], magnitude[MOST_ELEMENTS],
        additions[MOST_ELEMENTS];
    if (!evaluate(j, j->comparison->written, j->func->name, written) ||
        !evaluate(j, j->comparison->factored, j->func->name, factored) ||
        !evaluate(j, j->comparison->written, j->comparison->magnitude, magnitude) ||
        !evaluate(j, j->comparison->written, j->comparison->additions, additions))
        return NULL; /* the point is only required for another window, or the input is too small */
    const char *fault = NULL;
    bool any_order = compared_nan(j, shape, magnitude);
    for (int c = 0; c < shape->components && !fault; c++)
        if (j->comparison->kinds[c] == ELEMENT_ADDS ||
            (j->comparison->kinds[c] == ELEMENT_CHOOSES && !any_order))
            fault = judge_element(j, c, shape->types[c], written, factored, magnitude, additions);
    return fault;
}

static const char *judge_func(Judging *j, const BoundsResult *bounds, uint64_t *state) {
    Startup startup = {j->a, j->a->h->context};
    int64_t first[MAX_DIMENSIONS] = {0}, length[MAX_DIMENSIONS] = {0}, point[MAX_DIMENSIONS];
    const char *fault = NULL;
    if (!find_box(bounds, j->func->name, j->arena, &startup, first, length))
        return NULL;
    int dimensions = pipeline_func(j->comparison->written, j->func->name)->shape->dimensions;
    int count = dimensions ? CORNERS + DRAWN : 1;
    j->point = point;
    for (int n = 0; n < count && !fault; n++) {
        for (int k = 0; k < dimensions; k++)
            point[k] = first[k] + (n == 0   ? 0
                                   : n == 1 ? length[k] - 1
                                            : (int64_t)(fill_random(state) % (uint64_t)length[k]));
        fault = judge_point(j);
    }
    return fault;
}

const char *reassociation_judge(Reassociation *reassociation, Arena *arena, const hlc_arguments *a,
                                const BoundsResult *bounds, uint64_t *state) {
    const char *fault = NULL;
    for (size_t i = 0; i < reassociation->funcs.length && !fault; i++) {
        Judging judging = {arena, a, &reassociation->comparisons[i], &reassociation->funcs.data[i],
                           NULL};
        if (!judging.func->obstacle)
            fault = judge_func(&judging, bounds, state);
    }
    return fault;
}
