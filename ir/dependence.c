#include "ir/dependence.h"

#include "base/graph.h"

/* ---- reads ---- */

static void add_read(Dependences *dependences, Arena *arena, size_t reader, size_t read,
                     const AccessSite *site) {
    const Recurrence *recurrence = dependences->recurrence;
    Dependence dependence = {.reader = reader, .read = read, .site = site, .carrier = -1};
    int64_t distance[MAX_DIMENSIONS];
    bool is_constant = recurrence_distance(recurrence->funcs.data[reader], site->access, distance);
    hlc_assert(is_constant, "equations read each other at constant distances");
    for (size_t d = 0; d < recurrence->domain.length; d++)
        dependence.distance[d] = distance[recurrence_dimension(recurrence, d)];
    vec_push(arena, &dependences->all, dependence);
}

static void collect_reads(Dependences *dependences, const Pipeline *pipeline, Arena *arena) {
    const Recurrence *recurrence = dependences->recurrence;
    Map numbers = map_create(arena); /* Func -> 1 + its number */
    for (size_t f = 0; f < recurrence->funcs.length; f++)
        map_put(&numbers, recurrence->funcs.data[f], (void *)(f + 1));
    for (size_t f = 0; f < recurrence->funcs.length; f++) {
        const Stage *stage = recurrence->funcs.data[f]->stages.data[0];
        for (size_t s = 0; s < stage->sites.length; s++) {
            const AccessSite *site = &stage->sites.data[s];
            const Func *read = pipeline_func(pipeline, site->access->name);
            size_t number = read ? (size_t)map_get(&numbers, read) : 0;
            if (number > 0)
                add_read(dependences, arena, f, number - 1, site);
        }
    }
}

/* ---- parts ---- */

static bool is_zero(const Dependences *dependences, const Dependence *dependence) {
    for (size_t d = 0; d < dependences->recurrence->domain.length; d++)
        if (dependence->distance[d] != 0)
            return false;
    return true;
}

/* Groups equations that read each other, directly or indirectly. With `zero_only`, only reads at
 * distance zero count. */
static GraphParts parts_of(const Dependences *dependences, Arena *arena, bool zero_only) {
    GraphEdges edges = {0};
    for (size_t i = 0; i < dependences->all.length; i++) {
        const Dependence *dependence = &dependences->all.data[i];
        if (!zero_only || is_zero(dependences, dependence))
            vec_push(arena, &edges, ((GraphEdge){dependence->reader, dependence->read}));
    }
    return graph_parts(arena, dependences->recurrence->funcs.length, &edges);
}

static void find_parts(Dependences *dependences, Arena *arena) {
    size_t funcs = dependences->recurrence->funcs.length;
    GraphParts parts = parts_of(dependences, arena, false);
    dependences->part_of = arena_array(arena, size_t, funcs);
    for (size_t p = 0; p < parts.length; p++) {
        vec_push(arena, &dependences->parts, (DependencePart){0});
        for (size_t i = 0; i < parts.data[p].length; i++)
            dependences->part_of[parts.data[p].data[i]] = p;
    }
    for (size_t f = 0; f < funcs; f++)
        vec_push(arena, &dependences->parts.data[dependences->part_of[f]].funcs, f);
    for (size_t i = 0; i < dependences->all.length; i++) {
        Dependence *dependence = &dependences->all.data[i];
        size_t part = dependences->part_of[dependence->reader];
        if (dependences->part_of[dependence->read] != part)
            continue;
        vec_push(arena, &dependences->parts.data[part].inner, dependence);
        dependences->parts.data[part].is_cyclic = true;
    }
}

/* Returns a read at distance zero by the func of another func in its part; null if there is none.
 */
static const Dependence *zero_read(const Dependences *dependences, size_t func,
                                   const GraphPart *part) {
    for (size_t i = 0; i < dependences->all.length; i++) {
        const Dependence *dependence = &dependences->all.data[i];
        bool is_meant = dependence->reader == func && is_zero(dependences, dependence);
        for (size_t p = 0; p < part->length && is_meant; p++)
            if (part->data[p] == dependence->read)
                return dependence;
    }
    return NULL;
}

static void find_cycle(Dependences *dependences, Arena *arena) {
    GraphParts parts = parts_of(dependences, arena, true);
    const Dependence *at = NULL;
    const GraphPart *part = NULL;
    for (size_t p = 0; p < parts.length && !at; p++) {
        part = &parts.data[p];
        at = zero_read(dependences, part->data[0], part);
    }
    if (!at)
        return;
    /* After as many steps as the part has funcs, the walk is on a cycle. */
    for (size_t i = 0; i < part->length; i++)
        at = zero_read(dependences, at->read, part);
    do {
        vec_push(arena, &dependences->cycle, at);
        at = zero_read(dependences, at->read, part);
    } while (at != dependences->cycle.data[0]);
}

/* ---- orders ---- */

/* Returns the first distance that no loop carries yet and that is negative along `variable`;
 * `count` if there is none. */
static size_t forbids(const Distance *distances, size_t count, const LoopOrder *order,
                      size_t variable) {
    size_t i = 0;
    while (i < count && (order->carriers[i] >= 0 || distances[i][variable] >= 0))
        i++;
    return i;
}

LoopOrder loop_order(Arena *arena, const Distance *distances, size_t count, size_t variables) {
    LoopOrder order = {.variables = arena_array(arena, size_t, variables),
                       .carriers = arena_array(arena, int, count),
                       .against = arena_array(arena, size_t, variables)};
    bool *taken = arena_array(arena, bool, variables);
    for (size_t i = 0; i < count; i++)
        order.carriers[i] = -1;
    while (order.length < variables) {
        size_t chosen = SIZE_MAX;
        for (size_t v = variables; v-- > 0 && chosen == SIZE_MAX;) {
            order.against[v] = taken[v] ? count : forbids(distances, count, &order, v);
            if (!taken[v] && order.against[v] == count)
                chosen = v;
        }
        if (chosen == SIZE_MAX)
            return order;
        taken[chosen] = true;
        order.variables[order.length++] = chosen;
        for (size_t i = 0; i < count; i++)
            if (order.carriers[i] < 0 && distances[i][chosen] > 0)
                order.carriers[i] = (int)chosen;
    }
    return order;
}

static void find_order(DependencePart *part, Arena *arena, size_t variables) {
    size_t count = part->inner.length;
    Distance *distances = arena_array(arena, Distance, count);
    for (size_t i = 0; i < count; i++)
        distances[i] = part->inner.data[i]->distance;
    LoopOrder order = loop_order(arena, distances, count, variables);
    part->has_order = order.length == variables;
    for (size_t i = 0; i < count; i++)
        part->inner.data[i]->carrier = order.carriers[i];
    for (size_t v = 0; v < order.length; v++)
        part->order[v] = (int)order.variables[v];
    for (size_t v = 0; v < variables && !part->has_order; v++)
        part->against[v] = order.against[v] < count ? part->inner.data[order.against[v]] : NULL;
}

Dependences *dependences_create(const Pipeline *pipeline, Arena *arena,
                                const Recurrence *recurrence) {
    Dependences *dependences = arena_new(arena, Dependences);
    dependences->recurrence = recurrence;
    collect_reads(dependences, pipeline, arena);
    find_parts(dependences, arena);
    find_cycle(dependences, arena);
    for (size_t p = 0; p < dependences->parts.length; p++)
        find_order(&dependences->parts.data[p], arena, recurrence->domain.length);
    return dependences;
}
