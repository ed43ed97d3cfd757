/* recurrence.c -- turns recurrences into funcs of tuples with one update.
 *
 *     recurrence (i = I; j = J) {
 *         fun A(i, j): i32 = select(i == 0, a(j), B(i - 1, j));
 *         fun B(i, j): i32 = A(i, j) + 1;
 *     }
 *
 * becomes, because A and B need each other,
 *
 *     fun A(i, j) = {0, 0;
 *                    rdom(i = I; j = J) in (i, j) <- {v, v + 1}}
 *                                         where v = select(i == 0, a(j), A(i - 1, j).1)
 *
 * A variable of the domain is *free* if all reads of the nest have distance zero in it.  It becomes
 * a pure dimension of the func, of which only the needed part is computed.
 *
 * A read at distance zero is the value itself, which the same iteration has computed.  A read at
 * another distance is of an earlier iteration's write.  Beyond the domain it is the zero of the
 * first stage; the front end has proved that no value depends on it.
 *
 * Sound by induction over the iterations.  Their order makes all distances positive (nesting.c,
 * dependence.c), so each value is there when it is read, and each point is written once.  So the
 * first stage need not write the points that the update writes (needed.c).
 *
 * An output that shares its nest with others stays a func of its own, which reads its component.
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

#include <string.h>

/* ---- reading them ---- */

EquationSystem *equations_read(Recurrences *recurrences, const Recurrence *recurrence) {
    Arena *arena = recurrences->arena;
    EquationSystem *equations = arena_new(arena, EquationSystem);
    const Func *first = recurrence->funcs.data[0];
    *equations = (EquationSystem){.recurrence = recurrence, .dimensions = first->shape->dimensions};
    memcpy(equations->variables, first->variables, sizeof equations->variables);
    for (size_t i = 0; i < recurrence->domain.length; i++)
        vec_push(arena, &equations->domain, recurrence->domain.data[i]);
    for (size_t i = 0; i < recurrence->funcs.length; i++) {
        const Func *func = recurrence->funcs.data[i];
        RecurrenceEquation *equation = arena_new(arena, RecurrenceEquation);
        *equation = (RecurrenceEquation){.of = equations, .func = func, .number = i};
        equation->values = arena_array(arena, Expr, func->shape->components);
        memcpy(equation->values, func->stages.data[0]->values,
               sizeof(Expr) * (size_t)func->shape->components);
        vec_push(arena, &equations->list, equation);
        map_put(&recurrences->by_func, func->shape->name, equation);
    }
    return equations;
}

/* ---- reads of equations ---- */

static Expr in_ring(Pool *pool, const EquationNest *nest, int dimension, Expr index) {
    if (!nest->ring || nest_position(nest, dimension) + 1 != (int)nest->domain.length)
        return index;
    return expr_mod(pool, index, expr_index(pool, nest->ring));
}

static Expr read_nest(Pool *pool, const RecurrenceEquation *read, int component,
                      const Expr *indices) {
    Expr places[MAX_DIMENSIONS];
    int dimensions = read->of->dimensions;
    for (int k = 0; k < dimensions; k++)
        places[k] = in_ring(pool, read->nest, k, indices[k]);
    return expr_access(pool, read->nest->name, read->offset + component,
                       read->func->shape->types[component], places, dimensions);
}

/* Returns a read from outside the recurrence. */
static Expr read_outside(Pool *pool, const RecurrenceEquation *read, Expr access) {
    Expr indices[MAX_DIMENSIONS];
    memcpy(indices, access->arguments, sizeof(Expr) * (size_t)access->arity);
    for (size_t i = 0; i < read->of->skews.length; i++) {
        const Skew *skew = &read->of->skews.data[i];
        indices[skew->dimension] = expr_add(pool, indices[skew->dimension], indices[skew->by]);
    }
    return read_nest(pool, read, access->component, indices);
}

/* One nest's equations under construction.  `equation` null: a func that is no equation. */
typedef struct NestRewriting {
    Recurrences *recurrences;
    const RecurrenceEquation *equation;
    Expr **values; /* of the nest's earlier equations, by their numbers */
    Stage *stage;
    ExprMemo memo;
} NestRewriting;

/* Adds each distance once. */
static void add_distance(Arena *arena, const EquationNest *nest, Stage *stage, Distance distance) {
    for (size_t i = 0; i < stage->distances.length; i++)
        if (!memcmp(stage->distances.data[i], distance, sizeof *distance * nest->domain.length))
            return;
    vec_push(arena, &stage->distances, distance);
}

/* Returns a read by an equation of the same recurrence. */
static Expr read_inside(NestRewriting *rewriting, const RecurrenceEquation *read, Expr access) {
    Pool *pool = rewriting->recurrences->pool;
    const EquationSystem *equations = read->of;
    int64_t distance[MAX_DIMENSIONS];
    Expr indices[MAX_DIMENSIONS];
    bool is_zero = true;
    equation_distance(rewriting->equation, access, distance);
    for (int k = 0; k < equations->dimensions; k++) {
        is_zero = is_zero && distance[k] == 0;
        indices[k] = distance[k]
                         ? expr_sub(pool, equations->variables[k], expr_index(pool, distance[k]))
                         : equations->variables[k];
    }
    if (read->nest != rewriting->equation->nest)
        return read_nest(pool, read, access->component, indices);
    if (is_zero) {
        hlc_assert(rewriting->values[read->number],
                   "a nest's equations stand behind what they read");
        return rewriting->values[read->number][access->component];
    }
    Arena *arena = rewriting->recurrences->arena;
    const EquationNest *nest = rewriting->equation->nest;
    add_distance(arena, nest, rewriting->stage, nest_distance(nest, arena, distance));
    return read_nest(pool, read, access->component, indices);
}

static Expr rewrite_read(void *data, Pool *pool, Expr node) {
    NestRewriting *rewriting = data;
    const RecurrenceEquation *read =
        node->op == OP_ACCESS ? equation_of(rewriting->recurrences, node->name) : NULL;
    if (!read)
        return node;
    if (rewriting->equation && rewriting->equation->of == read->of)
        return read_inside(rewriting, read, node);
    return read_outside(pool, read, node);
}

static Expr rewrite(void *data, Expr expr) {
    NestRewriting *rewriting = data;
    return expr_rewrite(rewriting->recurrences->pool, &rewriting->memo, expr, rewrite_read,
                        rewriting);
}

/* ---- the func of a nest ---- */

static FuncShape *nest_shape(const Recurrences *recurrences, const EquationNest *nest) {
    Arena *arena = recurrences->arena;
    const RecurrenceEquation *first = nest->equations.data[0];
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape =
        (FuncShape){.name = nest->name,
                    .dimensions = first->of->dimensions,
                    .components = nest->components,
                    .is_output = nest->equations.length == 1 && first->func->shape->is_output &&
                                 nest->name == first->func->shape->name};
    shape->types = arena_array(arena, Type, nest->components);
    for (int k = 0; k < shape->dimensions; k++)
        shape->variables[k] = first->of->variables[k]->name;
    for (size_t i = 0; i < nest->equations.length; i++) {
        const RecurrenceEquation *equation = nest->equations.data[i];
        for (int c = 0; c < equation->func->shape->components; c++)
            shape->types[equation->offset + c] = equation->func->shape->types[c];
    }
    return shape;
}

static Stage *zero_stage(const Recurrences *recurrences, const EquationNest *nest,
                         const Func *func) {
    Arena *arena = recurrences->arena;
    const FuncShape *shape = func->shape;
    Stage *stage = stage_of_all_points(arena, func, func->place);
    stage->predicate = nest_zeroed(recurrences, nest);
    for (int c = 0; c < shape->components; c++)
        stage->values[c] = expr_constant(recurrences->pool, shape->types[c], 0);
    return stage;
}

/* Keeps the sites of reads from outside the recurrence, as written. */
static void keep_sites(const Recurrences *recurrences, const EquationNest *nest, Stage *stage) {
    Arena *arena = recurrences->arena;
    Map present = map_create(arena);
    Exprs accesses = {0};
    for (int c = 0; c < nest->components; c++)
        expr_accesses(arena, stage->values[c], &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        map_put(&present, accesses.data[i], stage);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const Stage *written = nest->equations.data[i]->func->stages.data[0];
        for (size_t s = 0; s < written->sites.length; s++) {
            if (map_get(&present, written->sites.data[s].access))
                vec_push(arena, &stage->sites, written->sites.data[s]);
            map_put(&present, written->sites.data[s].access, NULL);
        }
    }
}

/* Returns the first written read of the same func or image that is not listed; else the last
 * such. */
static const AccessSite *changed_site(const EquationNest *nest, const Map *listed, Expr access) {
    const AccessSite *found = NULL;
    for (size_t i = 0; i < nest->equations.length; i++) {
        const Stage *written = nest->equations.data[i]->func->stages.data[0];
        for (size_t s = 0; s < written->sites.length; s++) {
            const AccessSite *site = &written->sites.data[s];
            if (site->access->name != access->name || site->access->component != access->component)
                continue;
            found = site;
            if (!map_get(listed, site->access))
                return site;
        }
    }
    return found;
}

/* Adds the sites of reads whose coordinates a guard or a wavefront has changed.  The n-th changed
 * read of a func or image gets the site of the n-th written one. */
static void keep_changed_sites(const Recurrences *recurrences, const EquationNest *nest,
                               Stage *stage) {
    Arena *arena = recurrences->arena;
    Map listed = map_create(arena);
    Exprs accesses = {0};
    for (int c = 0; c < nest->components; c++)
        expr_accesses(arena, stage->values[c], &accesses);
    size_t kept = stage->sites.length;
    for (size_t s = 0; s < kept; s++)
        map_put(&listed, stage->sites.data[s].access, stage);
    for (size_t a = 0; a < accesses.length; a++) {
        const AccessSite *site = map_get(&listed, accesses.data[a])
                                     ? NULL
                                     : changed_site(nest, &listed, accesses.data[a]);
        if (!site)
            continue;
        vec_push(arena, &stage->sites, ((AccessSite){accesses.data[a], site->place}));
        map_put(&listed, accesses.data[a], stage);
        map_put(&listed, site->access, stage);
    }
}

/* Adds the distances of a ring: the iterations that must be over before its place is written
 * again. */
static void add_ring_distances(Arena *arena, const EquationNest *nest, Stage *stage) {
    size_t count = nest->domain.length, flows = nest->ring ? stage->distances.length : 0;
    for (size_t i = 0; i <= flows && nest->ring; i++) {
        Distance distance = arena_array(arena, int64_t, count);
        bool is_zero = true;
        for (size_t r = 0; r < count; r++) {
            distance[r] =
                (r + 1 == count ? nest->ring : 0) - (i < flows ? stage->distances.data[i][r] : 0);
            is_zero = is_zero && distance[r] == 0;
        }
        if (!is_zero)
            add_distance(arena, nest, stage, distance);
    }
}

static Stage *nest_stage(Recurrences *recurrences, const EquationNest *nest, const Func *func) {
    Arena *arena = recurrences->arena;
    const FuncShape *shape = func->shape;
    const EquationSystem *equations = nest->equations.data[0]->of;
    Stage *stage = arena_new(arena, Stage);
    *stage = (Stage){.number = 1, .place = func->place, .has_distances = true};
    stage->indices = arena_array(arena, Expr, shape->dimensions);
    stage->values = arena_array(arena, Expr, shape->components);
    for (size_t r = 0; r < nest->domain.length; r++)
        vec_push(arena, &stage->reduction, nest->domain.data[r]);
    for (size_t i = 0; i < nest->order.length; i++)
        vec_push(arena, &stage->order, nest->order.data[i]);
    for (size_t i = 0; i < equations->splits.length; i++)
        vec_push(arena, &stage->splits, equations->splits.data[i]);
    for (int k = 0; k < shape->dimensions; k++) {
        stage->indices[k] = in_ring(recurrences->pool, nest, k, equations->variables[k]);
        stage->pure[k] = nest_position(nest, k) < 0;
    }
    NestRewriting rewriting = {
        .recurrences = recurrences, .stage = stage, .memo = expr_memo(arena)};
    rewriting.values = arena_array(arena, Expr *, equations->list.length);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const RecurrenceEquation *equation = nest->equations.data[i];
        rewriting.equation = equation;
        rewriting.values[equation->number] = stage->values + equation->offset;
        for (int c = 0; c < equation->func->shape->components; c++)
            stage->values[equation->offset + c] = rewrite(&rewriting, equation->values[c]);
    }
    nest_find_extents(nest, stage);
    keep_sites(recurrences, nest, stage);
    keep_changed_sites(recurrences, nest, stage);
    nest_narrow_stage(recurrences, nest, stage);
    stage_add_sites(arena, shape, stage, stage->place);
    add_ring_distances(arena, nest, stage);
    return stage;
}

static void create_func(Recurrences *recurrences, EquationNest *nest) {
    Arena *arena = recurrences->arena;
    const RecurrenceEquation *first = nest->equations.data[0];
    nest->func = arena_new(arena, Func);
    *nest->func = (Func){.shape = nest_shape(recurrences, nest), .place = first->func->place};
    memcpy(nest->func->variables, first->of->variables, sizeof nest->func->variables);
    nest->func->realised = first->of->recurrence;
    for (size_t i = 0; i < nest->equations.length; i++)
        vec_push(arena, &nest->func->equations, nest->equations.data[i]->func->shape->name);
    vec_push(arena, &nest->func->stages, zero_stage(recurrences, nest, nest->func));
    vec_push(arena, &nest->func->stages, nest_stage(recurrences, nest, nest->func));
}

/* ---- names ---- */

/* Names the nest after its first equation, or by a new name if that output cannot be its func. */
static void name_nest(Recurrences *recurrences, EquationNest *nest) {
    nest->name = nest->merge ? directive_argument(nest->merge, 0)->name
                             : nest->equations.data[0]->func->shape->name;
    const RecurrenceEquation *first = equation_of(recurrences, nest->name);
    if (!first->func->shape->is_output || (nest->equations.length == 1 && !first->of->skews.length))
        return;
    nest->name = recurrence_nest_name(recurrences->resolver->context, nest->name);
    while (pipeline_name_is_taken(recurrences->resolver, nest->name))
        nest->name =
            symbol_format(&recurrences->resolver->context->symbols, "%s_", nest->name->text);
}

static void number_components(EquationNest *nest) {
    for (size_t i = 0; i < nest->equations.length; i++) {
        nest->equations.data[i]->offset = nest->components;
        nest->components += nest->equations.data[i]->func->shape->components;
    }
}

/* ---- the pipeline ---- */

static Func *rewrite_func(Recurrences *recurrences, const Func *func) {
    Arena *arena = recurrences->arena;
    NestRewriting rewriting = {.recurrences = recurrences, .memo = expr_memo(arena)};
    Func *result = func_map(arena, func, rewrite, &rewriting);
    result->recurrence = NULL;
    return result;
}

static bool reads_equation(const Recurrences *recurrences, const Func *func) {
    for (size_t j = 0; j < func->stages.length; j++)
        for (size_t s = 0; s < func->stages.data[j]->sites.length; s++)
            if (equation_of(recurrences, func->stages.data[j]->sites.data[s].access->name))
                return true;
    return false;
}

/* Makes an output that is not its nest's func: `A(i, j) = nest(i, j).k`. */
static Func *create_output(Recurrences *recurrences, const RecurrenceEquation *equation) {
    Arena *arena = recurrences->arena;
    Pool *pool = recurrences->pool;
    const FuncShape *shape = equation->func->shape;
    Func *func = func_without_stages(arena, equation->func);
    func->recurrence = NULL;
    Stage *stage = arena_new(arena, Stage);
    *stage = *equation->func->stages.data[0];
    stage->sites = (typeof(stage->sites)){0};
    stage->values = arena_array(arena, Expr, shape->components);
    for (int c = 0; c < shape->components; c++) {
        Expr access =
            expr_access(pool, shape->name, c, shape->types[c], func->variables, shape->dimensions);
        stage->values[c] = read_outside(pool, equation, access);
    }
    stage_add_sites(arena, shape, stage, func->place);
    vec_push(arena, &func->stages, stage);
    return func;
}

/* The funcs in an order in which each comes after those that it reads. */
typedef struct Emission {
    Recurrences *recurrences;
    const Pipeline *before;
    Pipeline *after;
    Map seen; /* Symbol of a func of `before` -> itself */
} Emission;

static void emit(Emission *emission, const Func *func);

static void emit_named(Emission *emission, Symbol name) {
    const Func *func = pipeline_func(emission->before, name);
    if (func)
        emit(emission, func);
}

static void emit_reads(Emission *emission, const Func *func) {
    for (size_t j = 0; j < func->stages.length; j++)
        for (size_t s = 0; s < func->stages.data[j]->sites.length; s++)
            emit_named(emission, func->stages.data[j]->sites.data[s].access->name);
}

static void emit_nest(Emission *emission, EquationNest *nest) {
    Recurrences *recurrences = emission->recurrences;
    for (size_t i = 0; i < nest->equations.length; i++)
        map_put(&emission->seen, nest->equations.data[i]->func->shape->name, nest);
    for (size_t i = 0; i < nest->equations.length; i++) {
        Exprs accesses = {0};
        equation_accesses(nest->equations.data[i], recurrences->arena, &accesses);
        for (size_t a = 0; a < accesses.length; a++) {
            const RecurrenceEquation *read = equation_of(recurrences, accesses.data[a]->name);
            if (!read || read->nest != nest)
                emit_named(emission, accesses.data[a]->name);
        }
    }
    create_func(recurrences, nest);
    pipeline_add_func(emission->after, recurrences->arena, nest->func);
    for (size_t i = 0; i < nest->equations.length; i++) {
        const RecurrenceEquation *equation = nest->equations.data[i];
        if (equation->func->shape->is_output && !nest->func->shape->is_output)
            pipeline_add_func(emission->after, recurrences->arena,
                              create_output(recurrences, equation));
    }
}

/* The recursion is as deep as the chain of funcs between equations; all others already have their
 * order. */
static void emit(Emission *emission, const Func *func) {
    Recurrences *recurrences = emission->recurrences;
    const RecurrenceEquation *equation = equation_of(recurrences, func->shape->name);
    if (map_get(&emission->seen, func->shape->name)) {
        hlc_assert(!equation || equation->nest->func, "nests do not need each other in a circle");
        return;
    }
    if (equation) {
        if (equation->is_live)
            emit_nest(emission, equation->nest);
        return;
    }
    map_put(&emission->seen, func->shape->name, func);
    emit_reads(emission, func);
    pipeline_add_func(emission->after, recurrences->arena,
                      reads_equation(recurrences, func) ? rewrite_func(recurrences, func)
                                                        : (Func *)func);
}

static const Pipeline *put_together(Recurrences *recurrences) {
    const Pipeline *before = recurrences->resolver->pipeline;
    Emission emission = {recurrences, before, pipeline_without_funcs(before, recurrences->arena),
                         map_create(recurrences->arena)};
    emission.after->recurrences = (typeof(emission.after->recurrences)){0};
    for (size_t i = 0; i < before->funcs.length; i++)
        emit(&emission, before->funcs.data[i]);
    return emission.after;
}

/* ---- all of it ---- */

static bool apply_directives(Recurrences *recurrences, const Schedule *schedule, size_t limit,
                             Directives *primitives) {
    bool sound = true;
    /* Later directives may name what a mistaken directive did not make, so stop at a mistake. */
    for (size_t i = 0; schedule && sound && i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (!directive_is_of_recurrences(directive->kind))
            continue;
        if (primitives->length >= limit)
            break;
        sound = directive_record(directive->kind)->realise(recurrences, directive);
        vec_push(recurrences->arena, primitives, *directive);
    }
    return sound;
}

static bool prepare(Recurrences *recurrences, EquationSystem *equations) {
    if (!equations_nest(recurrences, equations))
        return false;
    for (size_t i = 0; i < equations->nests.length; i++) {
        name_nest(recurrences, equations->nests.data[i]);
        number_components(equations->nests.data[i]);
    }
    return true;
}

const Pipeline *recurrences_realise(Resolver *resolver, const Schedule *schedule, size_t limit,
                                    Directives *primitives) {
    const Pipeline *pipeline = resolver->pipeline;
    Recurrences recurrences = {.resolver = resolver,
                               .arena = resolver->arena,
                               .pool = pipeline->pool,
                               .by_func = map_create(resolver->arena)};
    for (size_t i = 0; i < pipeline->recurrences.length; i++)
        if (pipeline->recurrences.data[i]->funcs.length)
            vec_push(recurrences.arena, &recurrences.all,
                     equations_read(&recurrences, pipeline->recurrences.data[i]));
    bool sound = apply_directives(&recurrences, schedule, limit, primitives);
    for (size_t i = 0; sound && i < recurrences.all.length; i++) {
        equations_guard_reads(&recurrences, recurrences.all.data[i]);
        equations_propagate(&recurrences, recurrences.all.data[i]);
    }
    recurrences_find_live(&recurrences);
    for (size_t i = 0; sound && i < recurrences.all.length; i++)
        sound = prepare(&recurrences, recurrences.all.data[i]);
    if (!sound)
        return NULL;
    recurrences_shrink(&recurrences);
    return pipeline->recurrences.length ? put_together(&recurrences) : pipeline;
}
