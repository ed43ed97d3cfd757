#include "ir/dependence.h"

#include <string.h>

/* ---- reads --------------------------------------------------------------------------------------
 */

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

/* ---- cycles of a graph --------------------------------------------------------------------------
 */

/* Tarjan's algorithm, with a stack of its own. */
typedef struct Graph {
    const Dependences *dependences;
    bool zero_only; /* edges are those of distance zero */
    size_t *first;  /* by func: its first dependence */
    size_t *index, *low;
    bool *is_open;
    Vec(size_t) path, open; /* funcs: of the walk; not yet in a part */
    size_t *next;           /* by func: the dependence that the walk looks at next */
    size_t count;
} Graph;

static bool is_zero(const Dependences *dependences, const Dependence *dependence) {
    for (size_t d = 0; d < dependences->recurrence->domain.length; d++)
        if (dependence->distance[d] != 0)
            return false;
    return true;
}

static Graph graph_create(const Dependences *dependences, Arena *arena, bool zero_only) {
    size_t funcs = dependences->recurrence->funcs.length;
    Graph graph = {.dependences = dependences, .zero_only = zero_only};
    graph.first = arena_array(arena, size_t, funcs + 1);
    graph.index = arena_array(arena, size_t, funcs);
    graph.low = arena_array(arena, size_t, funcs);
    graph.next = arena_array(arena, size_t, funcs);
    graph.is_open = arena_array(arena, bool, funcs);
    for (size_t i = 0, f = 0; f <= funcs; f++) {
        while (i < dependences->all.length && dependences->all.data[i].reader < f)
            i++;
        graph.first[f] = i;
    }
    return graph;
}

static void enter(Graph *graph, Arena *arena, size_t func) {
    graph->index[func] = graph->low[func] = ++graph->count;
    graph->next[func] = graph->first[func];
    graph->is_open[func] = true;
    vec_push(arena, &graph->path, func);
    vec_push(arena, &graph->open, func);
}

/* The next func that `func` needs and that was not entered; SIZE_MAX when all were looked at. */
static size_t next_needed(Graph *graph, size_t func) {
    const Dependences *dependences = graph->dependences;
    while (graph->next[func] < graph->first[func + 1]) {
        const Dependence *dependence = &dependences->all.data[graph->next[func]++];
        if (graph->zero_only && !is_zero(dependences, dependence))
            continue;
        size_t needed = dependence->read;
        if (graph->index[needed] == 0)
            return needed;
        if (graph->is_open[needed] && graph->index[needed] < graph->low[func])
            graph->low[func] = graph->index[needed];
    }
    return SIZE_MAX;
}

typedef Vec(size_t) Funcs;

/* The funcs that need each other, and were closed with `root`. */
static void close_part(Graph *graph, Arena *arena, size_t root, Funcs *part) {
    size_t func;
    part->length = 0;
    do {
        func = graph->open.data[--graph->open.length];
        graph->is_open[func] = false;
        vec_push(arena, part, func);
    } while (func != root);
}

/* Enters all that `start` needs; calls `found` with each part, behind those that it needs. */
static void walk(Graph *graph, Arena *arena, size_t start,
                 void (*found)(void *data, Arena *arena, const Funcs *part), void *data) {
    Funcs part = {0};
    enter(graph, arena, start);
    while (graph->path.length > 0) {
        size_t func = graph->path.data[graph->path.length - 1];
        size_t needed = next_needed(graph, func);
        if (needed != SIZE_MAX) {
            enter(graph, arena, needed);
            continue;
        }
        graph->path.length--;
        if (graph->path.length > 0) {
            size_t reader = graph->path.data[graph->path.length - 1];
            if (graph->low[func] < graph->low[reader])
                graph->low[reader] = graph->low[func];
        }
        if (graph->low[func] == graph->index[func]) {
            close_part(graph, arena, func, &part);
            found(data, arena, &part);
        }
    }
}

/* ---- parts --------------------------------------------------------------------------------------
 */

static void add_part(void *data, Arena *arena, const Funcs *funcs) {
    Dependences *dependences = data;
    DependencePart part = {0};
    for (size_t i = 0; i < funcs->length; i++)
        dependences->part_of[funcs->data[i]] = dependences->parts.length;
    vec_push(arena, &dependences->parts, part);
}

static void find_parts(Dependences *dependences, Arena *arena) {
    size_t funcs = dependences->recurrence->funcs.length;
    dependences->part_of = arena_array(arena, size_t, funcs);
    Graph graph = graph_create(dependences, arena, false);
    for (size_t f = 0; f < funcs; f++)
        if (graph.index[f] == 0)
            walk(&graph, arena, f, add_part, dependences);
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

/* How the func reads one of its part at distance zero; null where it does not. */
static const Dependence *zero_read(const Graph *graph, size_t func, const Funcs *part) {
    for (size_t i = graph->first[func]; i < graph->first[func + 1]; i++) {
        const Dependence *dependence = &graph->dependences->all.data[i];
        for (size_t p = 0; p < part->length && is_zero(graph->dependences, dependence); p++)
            if (part->data[p] == dependence->read)
                return dependence;
    }
    return NULL;
}

typedef struct CycleSearch {
    Dependences *dependences;
    const Graph *graph;
} CycleSearch;

static void note_cycle(void *data, Arena *arena, const Funcs *part) {
    CycleSearch *search = data;
    Dependences *dependences = search->dependences;
    const Dependence *at = zero_read(search->graph, part->data[0], part);
    if (dependences->cycle.length > 0 || !at)
        return;
    /* As many steps as there are funcs lead onto a cycle. */
    for (size_t i = 0; i < part->length; i++)
        at = zero_read(search->graph, at->read, part);
    do {
        vec_push(arena, &dependences->cycle, at);
        at = zero_read(search->graph, at->read, part);
    } while (at != dependences->cycle.data[0]);
}

static void find_cycle(Dependences *dependences, Arena *arena) {
    Graph graph = graph_create(dependences, arena, true);
    CycleSearch search = {dependences, &graph};
    for (size_t f = 0; f < dependences->recurrence->funcs.length; f++)
        if (graph.index[f] == 0)
            walk(&graph, arena, f, note_cycle, &search);
}

/* ---- orders -------------------------------------------------------------------------------------
 */

/* A dependence that no loop carries yet and that goes forward along `variable`. */
static const Dependence *forbids(const DependencePart *part, size_t variable) {
    for (size_t i = 0; i < part->inner.length; i++)
        if (part->inner.data[i]->carrier < 0 && part->inner.data[i]->distance[variable] < 0)
            return part->inner.data[i];
    return NULL;
}

static void carry(const DependencePart *part, size_t variable) {
    for (size_t i = 0; i < part->inner.length; i++)
        if (part->inner.data[i]->carrier < 0 && part->inner.data[i]->distance[variable] > 0)
            part->inner.data[i]->carrier = (int)variable;
}

/* From the outermost loop in, a variable along which nothing that is left goes forward: where an
 * order is right, the same with such a variable taken outside is right, too.  The last-named that
 * will do, so that the declared order stands where it can. */
static void find_order(DependencePart *part, size_t variables) {
    bool taken[MAX_DIMENSIONS] = {false};
    for (size_t level = 0; level < variables; level++) {
        size_t chosen = SIZE_MAX;
        for (size_t v = variables; v-- > 0 && chosen == SIZE_MAX;)
            if (!taken[v] && !(part->against[v] = forbids(part, v)))
                chosen = v;
        if (chosen == SIZE_MAX)
            return;
        taken[chosen] = true;
        part->order[level] = (int)chosen;
        carry(part, chosen);
    }
    memset(part->against, 0, sizeof part->against);
    part->has_order = true;
}

Dependences *dependences_create(const Pipeline *pipeline, Arena *arena,
                                const Recurrence *recurrence) {
    Dependences *dependences = arena_new(arena, Dependences);
    dependences->recurrence = recurrence;
    collect_reads(dependences, pipeline, arena);
    find_parts(dependences, arena);
    find_cycle(dependences, arena);
    for (size_t p = 0; p < dependences->parts.length; p++)
        find_order(&dependences->parts.data[p], recurrence->domain.length);
    return dependences;
}
