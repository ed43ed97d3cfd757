/* equations.c -- the equations of a recurrence as one func with one update.
 *
 *     recurrence (i = I; j = J) {
 *         fun A(i, j): i32 = select(i == 0, a(j), B(i - 1, j));
 *         fun B(i, j): i32 = A(i, j) + 1;
 *     }
 *
 * becomes
 *
 *     fun A_merged(i_at, j_at) = {{0, 0};  rdom(i = I; j = J) in (i, j) <- {v, v + 1}}
 *                                          where v = select(i == 0, a(j), A_merged(i - 1, j).1)
 *
 * All equations are cut together: each component is the array of a value of theirs. The update is a scan
 * (scan.c). schedule/recurrence/recurrence.c makes such funcs, too, but only of the equations and the points
 * that are needed, and says why it is sound. */
#include "library/split/splitting.h"

#include "ir/dependence.h"
#include "ir/recurrence.h"
#include "schedule/recurrence/equations.h"

/* The equations are merged in an order in which each comes after those that it reads at distance zero. */
typedef struct SystemMerging {
    Splitting *splitting;
    Recurrences recurrences;
    const EquationSystem *system;
    Func *func;
    Stage *stage;
    Vec(Distance) distances; /* by the recurrence's domain */
} SystemMerging;

typedef struct EquationMerging {
    SystemMerging *merging;
    const RecurrenceEquation *equation;
} EquationMerging;

static void merge_equation(SystemMerging *merging, const RecurrenceEquation *equation);

/* Returns i32(max(x, 1)), which a guard has made (guarded_reads.c), as max(i32(x), 1): coordinates have 32
 * bits, and the language converts variables alone. Null: it is none. */
static Expr converted(Pool *pool, Expr index) {
    int64_t number;
    if (index->op == OP_VARIABLE)
        return expr_cast(pool, I32, index);
    if (expr_constant_integer(index, &number) && number >= INT32_MIN && number <= INT32_MAX)
        return expr_constant(pool, I32, bits_wrap(I32, number));
    if (index->op != OP_MAX && index->op != OP_MIN)
        return NULL;
    Expr a = converted(pool, index->arguments[0]), b = converted(pool, index->arguments[1]);
    if (!a || !b)
        return NULL;
    return index->op == OP_MAX ? expr_max(pool, a, b) : expr_min(pool, a, b);
}

static void add_distance(SystemMerging *merging, const int64_t *by_dimension) {
    const Recurrence *recurrence = merging->system->recurrence;
    Distance distance = arena_array(merging->splitting->arena, int64_t, recurrence->domain.length);
    for (size_t v = 0; v < recurrence->domain.length; v++)
        distance[v] = by_dimension[recurrence_dimension(recurrence, v)];
    vec_push(merging->splitting->arena, &merging->distances, distance);
}

static Expr merge_read(void *data, Pool *pool, Expr node) {
    EquationMerging *of = data;
    SystemMerging *merging = of->merging;
    const RecurrenceEquation *read =
        node->op == OP_ACCESS ? equation_read(&merging->recurrences, of->equation, node) : NULL;
    int64_t distance[MAX_DIMENSIONS];
    bool is_zero = true;
    if (node->op == OP_CAST && type_equal(node->type, I32) &&
        type_is_index(node->arguments[0]->type)) {
        Expr made = converted(pool, node->arguments[0]);
        return made ? made : node;
    }
    if (!read)
        return node;
    equation_distance(of->equation, node, distance);
    for (int k = 0; k < merging->system->dimensions; k++)
        is_zero &= distance[k] == 0;
    if (is_zero) {
        merge_equation(merging, read);
        return merging->stage->values[read->offset + node->component];
    }
    add_distance(merging, distance);
    return expr_access(pool, merging->func->shape->name, read->offset + node->component, node->type,
                       node->arguments, node->arity);
}

/* The depth of the recursion is the number of equations, which MOST_CUT limits: none needs itself at
 * distance zero. */
static void merge_equation(SystemMerging *merging, const RecurrenceEquation *equation) {
    EquationMerging of = {merging, equation};
    ExprMemo memo = expr_memo(merging->splitting->arena);
    if (merging->stage->values[equation->offset])
        return;
    for (int c = 0; c < equation->func->shape->components; c++)
        merging->stage->values[equation->offset + c] =
            expr_rewrite(merging->splitting->pool, &memo, equation->values[c], merge_read, &of);
}

static FuncShape *merged_shape(Splitting *splitting, const EquationSystem *system, int components) {
    const Func *first = system->recurrence->funcs.data[0];
    FuncShape *shape = arena_new(splitting->arena, FuncShape);
    const char *name = recurrence_nest_name(splitting->context, first->shape->name)->text;
    *shape = (FuncShape){.name = split_name(splitting, name),
                         .dimensions = first->shape->dimensions,
                         .components = components};
    shape->types = arena_array(splitting->arena, Type, components);
    for (int k = 0; k < shape->dimensions; k++)
        shape->variables[k] = first->shape->variables[k];
    for (size_t v = 0; v < system->domain.length; v++) { /* those are the reduction's */
        int k = recurrence_dimension(system->recurrence, v);
        shape->variables[k] = split_name(
            splitting, arena_format(splitting->arena, "%s_at", shape->variables[k]->text));
    }
    for (size_t i = 0; i < system->list.length; i++) {
        const RecurrenceEquation *equation = system->list.data[i];
        for (int c = 0; c < equation->func->shape->components; c++)
            shape->types[equation->offset + c] = equation->func->shape->types[c];
    }
    return shape;
}

/* The loops, in an order in which all distances are positive. */
static void order_loops(SystemMerging *merging) {
    Arena *arena = merging->splitting->arena;
    const Recurrence *recurrence = merging->system->recurrence;
    size_t count = recurrence->domain.length;
    LoopOrder order = loop_order(arena, merging->distances.data, merging->distances.length, count);
    hlc_assert(order.length == count, "the front end refuses a recurrence without an order");
    for (size_t v = count; v-- > 0;)
        vec_push(arena, &merging->stage->reduction, recurrence->domain.data[order.variables[v]]);
    for (size_t i = 0; i < merging->distances.length; i++) {
        Distance distance = arena_array(arena, int64_t, count);
        for (size_t v = 0; v < count; v++)
            distance[count - 1 - v] = merging->distances.data[i][order.variables[v]];
        vec_push(arena, &merging->stage->distances, distance);
    }
}

static void merge_all(SystemMerging *merging) {
    Splitting *splitting = merging->splitting;
    const EquationSystem *system = merging->system;
    const FuncShape *shape = merging->func->shape;
    Stage *first = stage_of_all_points(splitting->arena, merging->func, merging->func->place),
          *stage = stage_of_all_points(splitting->arena, merging->func, merging->func->place);
    stage->number = 1;
    stage->has_distances = true;
    merging->stage = stage;
    for (int c = 0; c < shape->components; c++)
        first->values[c] = expr_constant(splitting->pool, shape->types[c], 0);
    for (size_t i = 0; i < system->list.length; i++)
        merge_equation(merging, system->list.data[i]);
    for (size_t v = 0; v < system->domain.length; v++) {
        int k = recurrence_dimension(system->recurrence, v);
        stage->indices[k] = system->variables[k];
        stage->pure[k] = false;
    }
    order_loops(merging);
    vec_push(splitting->arena, &merging->func->stages, first);
    vec_push(splitting->arena, &merging->func->stages, stage);
}

const Func *equations_as_update(Splitting *splitting, const Recurrence *recurrence,
                                const char **fault) {
    Arena *arena = splitting->arena;
    Resolver resolver = {
        .context = splitting->context, .arena = arena, .pipeline = splitting->pipeline};
    SystemMerging merging = {.splitting = splitting,
                             .recurrences = {.resolver = &resolver,
                                             .arena = arena,
                                             .pool = splitting->pool,
                                             .by_func = map_create(arena)}};
    EquationSystem *system = equations_read(&merging.recurrences, recurrence);
    int components = 0;
    for (size_t i = 0; i < system->list.length; i++) {
        system->list.data[i]->offset = components;
        components += system->list.data[i]->func->shape->components;
    }
    *fault = system->dimensions > MAX_IMAGE_DIMENSIONS
                 ? "it has more than 4 dimensions, and an image has 4 at most"
             : components > MOST_CUT
                 ? "the equations of its recurrence have more than 16 values, and are cut together"
                 : NULL;
    if (*fault)
        return NULL;
    equations_guard_reads(&merging.recurrences, system);
    merging.system = system;
    merging.func = arena_new(arena, Func);
    *merging.func =
        (Func){.shape = merged_shape(splitting, system, components), .place = recurrence->place};
    for (int k = 0; k < system->dimensions; k++)
        merging.func->variables[k] =
            expr_variable(splitting->pool, merging.func->shape->variables[k], INDEX);
    merge_all(&merging);
    return merging.func;
}
