/* graph.h -- directed graphs of few nodes: finds the nodes that need each other, and an order in
 * which each node stands behind the nodes that it needs.
 */
#ifndef HLC_BASE_GRAPH_H
#define HLC_BASE_GRAPH_H

#include "base/vec.h"

/* Node `from` needs node `to`. */
typedef struct GraphEdge {
    size_t from, to;
} GraphEdge;
typedef Vec(GraphEdge) GraphEdges;

typedef Vec(size_t) GraphPart;
typedef Vec(GraphPart) GraphParts;

/* The strongly connected parts of the nodes 0 .. `nodes` - 1 (Tarjan), each behind those that it
 * needs; what nothing orders stands as the nodes and, of each, its edges do.  In `arena`. */
GraphParts graph_parts(Arena *arena, size_t nodes, const GraphEdges *edges);

#endif
