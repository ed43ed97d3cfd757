#include "base/graph.h"

/* Tarjan's algorithm, with a stack of its own. */
typedef struct GraphSearch {
    Arena *arena;
    size_t *first, *needed; /* what node n needs: needed[first[n]] .. needed[first[n + 1] - 1] */
    size_t *next;           /* by node: which of them is looked at next */
    size_t *index, *low;    /* by node; index 0: not entered */
    bool *is_open;
    GraphPart path, open; /* of the walk; not yet in a part */
    size_t count;
    GraphParts parts;
} GraphSearch;

/* The edges by where they come from, in the order that they have. */
static void sort_edges(GraphSearch *search, size_t nodes, const GraphEdges *edges) {
    search->first = arena_array(search->arena, size_t, nodes + 2);
    search->needed = arena_array(search->arena, size_t, edges->length + 1);
    size_t *place = search->first + 1; /* becomes `first` of the next node */
    for (size_t e = 0; e < edges->length; e++)
        if (edges->data[e].from + 1 < nodes)
            place[edges->data[e].from + 1]++;
    for (size_t n = 1; n < nodes; n++)
        place[n] += place[n - 1];
    for (size_t e = 0; e < edges->length; e++)
        search->needed[place[edges->data[e].from]++] = edges->data[e].to;
}

static void enter(GraphSearch *search, size_t node) {
    search->index[node] = search->low[node] = ++search->count;
    search->next[node] = search->first[node];
    search->is_open[node] = true;
    vec_push(search->arena, &search->path, node);
    vec_push(search->arena, &search->open, node);
}

/* The next node that `node` needs and that was not entered; SIZE_MAX when all were looked at. */
static size_t next_needed(GraphSearch *search, size_t node) {
    while (search->next[node] < search->first[node + 1]) {
        size_t needed = search->needed[search->next[node]++];
        if (search->index[needed] == 0)
            return needed;
        if (search->is_open[needed] && search->index[needed] < search->low[node])
            search->low[node] = search->index[needed];
    }
    return SIZE_MAX;
}

/* The nodes that need each other, and were entered since `root`. */
static void close_part(GraphSearch *search, size_t root) {
    GraphPart part = {0};
    size_t node;
    do {
        node = search->open.data[--search->open.length];
        search->is_open[node] = false;
        vec_push(search->arena, &part, node);
    } while (node != root);
    vec_push(search->arena, &search->parts, part);
}

static void leave(GraphSearch *search, size_t node) {
    search->path.length--;
    if (search->path.length > 0) {
        size_t reader = search->path.data[search->path.length - 1];
        if (search->low[node] < search->low[reader])
            search->low[reader] = search->low[node];
    }
    if (search->low[node] == search->index[node])
        close_part(search, node);
}

GraphParts graph_parts(Arena *arena, size_t nodes, const GraphEdges *edges) {
    GraphSearch search = {.arena = arena,
                          .next = arena_array(arena, size_t, nodes),
                          .index = arena_array(arena, size_t, nodes),
                          .low = arena_array(arena, size_t, nodes),
                          .is_open = arena_array(arena, bool, nodes)};
    sort_edges(&search, nodes, edges);
    for (size_t start = 0; start < nodes; start++) {
        if (search.index[start])
            continue;
        enter(&search, start);
        while (search.path.length > 0) {
            size_t node = search.path.data[search.path.length - 1];
            size_t needed = next_needed(&search, node);
            if (needed != SIZE_MAX)
                enter(&search, needed);
            else
                leave(&search, node);
        }
    }
    return search.parts;
}
