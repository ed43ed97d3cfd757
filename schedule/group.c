/* group.c -- sorts the algorithm before it is lowered: funcs that share loops become neighbours.
 *
 * `compute-with` makes a group of two funcs.  All that the group reads must be computed before it,
 * and all that reads the group must be computed after it:
 *
 *     f  m  g  out        compute-with(f.y, g.y)        f  g  m  out      if m reads f
 *                                                       m  f  g  out      if g reads m
 *                                                       refused           if both
 *
 * So groups are sorted topologically as wholes: in definition order, each group after the groups
 * that it reads.  In a group, the funcs whose loops stay (the hosts) come last; the others keep
 * their definition order.  The sort is one depth-first walk with its own stack, linear in funcs and
 * reads.
 *
 * In a group only a host may read another member: that member is computed in the host's loops.  If
 * a member reads another through a third func, the group would have to come before itself.
 */
#include "schedule/loop.h"

#include "ir/walk.h"

#include <stdlib.h>

typedef struct Vertex Vertex;

/* A member reads a func of another vertex, or of its own vertex. */
typedef struct Edge {
    const Func *reader, *read;
} Edge;

typedef enum VisitProgress { WAITING, AT_WORK, DONE } VisitProgress;

typedef struct GroupMember {
    Func *func;
    size_t order; /* in the order of definition */
    bool is_host;
    const Func *host; /* the func whose loops it uses; null: its own */
} GroupMember;

/* A func or a group. */
struct Vertex {
    Vec(GroupMember) members;
    Vec(Edge) edges;            /* filled when the walk enters it */
    size_t next;                /* the next edge to follow */
    Edge from;                  /* the edge that the walk came along */
    const Directive *directive; /* the last one that added to it; null for a single func */
    VisitProgress progress;
    Vertex *into; /* the vertex that absorbed it; null: none did */
};

typedef struct Sorting {
    const Resolver *resolver;
    Arena *scratch;
    Map vertices; /* Symbol of a func -> Vertex */
    Vec(Vertex *) stack;
    Pipeline *sorted;
} Sorting;

static Vertex *vertex_of(const Sorting *sorting, const Func *func) {
    Vertex *vertex = map_get(&sorting->vertices, func->shape->name);
    while (vertex->into)
        vertex = vertex->into;
    return vertex;
}

static void join(Sorting *sorting, const Directive *directive) {
    const Pipeline *pipeline = sorting->resolver->pipeline;
    const Func *guest = pipeline_func(pipeline, directive_argument(directive, 0)->loop.func),
               *host = pipeline_func(pipeline, directive_argument(directive, 1)->loop.func);
    Vertex *a = guest ? vertex_of(sorting, guest) : NULL,
           *b = host ? vertex_of(sorting, host) : NULL;
    if (!a || !b || a == b)
        return; /* refused when it is applied */
    for (size_t i = 0; i < b->members.length; i++)
        b->members.data[i].is_host |= b->members.data[i].func == host;
    for (size_t i = 0; i < a->members.length; i++) {
        GroupMember member = a->members.data[i];
        member.host = member.func == guest ? host : member.host;
        vec_push(sorting->scratch, &b->members, member);
    }
    a->into = b;
    b->directive = directive;
}

/* ---- the walk ---- */

static void find_edges(Sorting *sorting, Vertex *vertex, const Func *func, const Stage *stage) {
    Exprs accesses = {0};
    stage_accesses(sorting->scratch, func, stage, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        const Func *read = pipeline_func(sorting->resolver->pipeline, accesses.data[i]->name);
        bool is_own =
            read == func || (read && read->recurrence && read->recurrence == func->recurrence);
        if (read && !is_own)
            vec_push(sorting->scratch, &vertex->edges, (Edge){func, read});
    }
}

static void enter(Sorting *sorting, Vertex *vertex, Edge from) {
    vertex->progress = AT_WORK;
    vertex->from = from;
    vec_push(sorting->scratch, &sorting->stack, vertex);
    for (size_t i = 0; i < vertex->members.length; i++) {
        const Func *member = vertex->members.data[i].func;
        for (size_t j = 0; j < member->stages.length; j++)
            find_edges(sorting, vertex, member, member->stages.data[j]);
    }
}

/* The walk came along `last` to a vertex that is still open: the stack from there on is a cycle. */
static bool refuse_cycle(const Sorting *sorting, const Vertex *again, Edge last) {
    Arena *arena = sorting->resolver->arena;
    const char *text = "";
    const Directive *directive = again->directive;
    size_t i = sorting->stack.length;
    while (sorting->stack.data[i - 1] != again)
        i--;
    for (; i < sorting->stack.length; i++) {
        const Vertex *vertex = sorting->stack.data[i];
        text = arena_format(arena, "%s%s reads %s, ", text, vertex->from.reader->shape->name->text,
                            vertex->from.read->shape->name->text);
        directive = directive ? directive : vertex->directive;
    }
    hlc_assert(directive, "only groups can have to come before themselves");
    return refuse(sorting->resolver, DIAG_COMPUTE_WITH_READS, directive->place,
                  directive_argument(directive, 0)->loop.func->text,
                  directive_argument(directive, 1)->loop.func->text,
                  arena_format(arena, "%s%s reads %s%s", text, last.reader->shape->name->text,
                               last.read->shape->name->text,
                               *text ? ", so that none of them can come first"
                                     : ", and of funcs that share loops only the one whose loops "
                                       "they are may read another"));
}

static int compare(const void *left, const void *right) {
    const GroupMember *a = left, *b = right;
    if (a->is_host != b->is_host)
        return a->is_host ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

static void leave(Sorting *sorting) {
    Vertex *vertex = sorting->stack.data[--sorting->stack.length];
    vertex->progress = DONE;
    qsort(vertex->members.data, vertex->members.length, sizeof(GroupMember), compare);
    for (size_t i = 0; i < vertex->members.length; i++)
        pipeline_add_func(sorting->sorted, sorting->resolver->arena, vertex->members.data[i].func);
}

/* Does a host read a func that is computed in its loops?  compute_with.c decides whether the read
 * is legal, once the loops are known. */
static bool is_from_host(const Vertex *vertex, Edge edge) {
    size_t i = 0;
    for (; vertex->members.data[i].func != edge.read; i++)
        hlc_assert(i + 1 < vertex->members.length, "both ends of the read are of the group");
    return vertex->members.data[i].host == edge.reader;
}

static bool walk(Sorting *sorting) {
    while (sorting->stack.length) {
        Vertex *vertex = sorting->stack.data[sorting->stack.length - 1];
        if (vertex->next == vertex->edges.length) {
            leave(sorting);
            continue;
        }
        Edge edge = vertex->edges.data[vertex->next++];
        Vertex *first = vertex_of(sorting, edge.read);
        if (first == vertex && is_from_host(vertex, edge))
            continue;
        if (first->progress == AT_WORK)
            return refuse_cycle(sorting, first, edge);
        if (first->progress == WAITING)
            enter(sorting, first, edge);
    }
    return true;
}

static bool sort(Sorting *sorting, const Directives *directives) {
    const Pipeline *pipeline = sorting->resolver->pipeline;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Vertex *vertex = arena_new(sorting->scratch, Vertex);
        Func *func = pipeline->funcs.data[i];
        vec_push(sorting->scratch, &vertex->members, (GroupMember){.func = func, .order = i});
        map_put(&sorting->vertices, func->shape->name, vertex);
    }
    for (size_t i = 0; i < directives->length; i++)
        if (directives->data[i].kind == DIRECTIVE_COMPUTE_WITH)
            join(sorting, &directives->data[i]);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Vertex *vertex = vertex_of(sorting, pipeline->funcs.data[i]);
        if (vertex->progress == DONE)
            continue;
        enter(sorting, vertex, (Edge){NULL, NULL});
        if (!walk(sorting))
            return false;
    }
    return true;
}

const Pipeline *group_sort(const Resolver *resolver, const Directives *directives) {
    bool has_groups = false;
    for (size_t i = 0; i < directives->length; i++)
        has_groups |= directives->data[i].kind == DIRECTIVE_COMPUTE_WITH;
    if (!has_groups)
        return resolver->pipeline;
    Arena *scratch = arena_create(&resolver->context->memory);
    Sorting sorting = {.resolver = resolver,
                       .scratch = scratch,
                       .vertices = map_create(scratch),
                       .sorted = pipeline_without_funcs(resolver->pipeline, resolver->arena)};
    bool is_sorted = sort(&sorting, directives);
    arena_destroy(scratch);
    return is_sorted ? sorting.sorted : NULL;
}
