/* evaluate.c -- evaluates conditions at points, by the one evaluator of values.
 *
 * Every witness was evaluated here. Most conditions that are neither valid nor unsatisfiable show
 * it at one of a few points, which costs less than any decision procedure.
 */
#include "decide/internal.h"

#include <string.h>

#define MOST_NODES     4000
#define MOST_VARIABLES 64
#define GUESSES        48
#define LARGEST_GUESS  (INT64_C(1) << 40)

typedef struct NodeCollection {
    Evaluator *evaluator;
    bool evaluable;
} NodeCollection;

static uint32_t place_of(const Evaluator *evaluator, Expr node) {
    return (uint32_t)(uintptr_t)map_get(&evaluator->places, node) - 1;
}

static bool has_place(void *data, Expr node) {
    return map_get(&((NodeCollection *)data)->evaluator->places, node);
}

static void collect(void *data, Expr node) {
    NodeCollection *collection = data;
    Evaluator *evaluator = collection->evaluator;
    if (node->op == OP_ACCESS || node->op == OP_EXTERN || node->op == OP_HOLE ||
        node->type.lanes != 1)
        collection->evaluable = false;
    EvaluatedNode place = {.node = node};
    Type types[OP_MAX_ARITY];
    for (int i = 0; i < node->arity && i < OP_MAX_ARITY; i++) {
        place.operands[i] = place_of(evaluator, node->arguments[i]);
        types[i] = node->arguments[i]->type;
    }
    if (node->op < OP_COUNT && collection->evaluable)
        place.operation = operation_of((Op)node->op, node->type, types);
    vec_push(evaluator->arena, &evaluator->nodes, place);
    map_put(&evaluator->places, node, (void *)(uintptr_t)evaluator->nodes.length);
    if (node->op == OP_VARIABLE)
        vec_push(evaluator->arena, &evaluator->variables, node);
}

Evaluator evaluator_create(Arena *arena, Expr condition, const Exprs *facts) {
    Evaluator evaluator = {.arena = arena, .condition = condition, .places = map_create(arena)};
    NodeCollection collection = {&evaluator, true};
    expr_visit_rest(arena, condition, has_place, collect, &collection);
    for (size_t i = 0; facts && i < facts->length; i++) {
        vec_push(arena, &evaluator.facts, facts->data[i]);
        expr_visit_rest(arena, facts->data[i], has_place, collect, &collection);
    }
    evaluator.possible = collection.evaluable && evaluator.nodes.length <= MOST_NODES &&
                         evaluator.variables.length <= MOST_VARIABLES;
    return evaluator;
}

/* Computes a node from the values of its arguments; false if it leaves the index range. */
static bool apply(const EvaluatedNode *place, const Bits *results, Bits *result) {
    if (place->node->op == OP_CONSTANT) {
        *result = place->node->bits;
        return true;
    }
    const Bits *arguments[OP_MAX_ARITY];
    for (int i = 0; i < OP_MAX_ARITY; i++)
        arguments[i] = &results[place->operands[i]];
    return operation_apply_total(&place->operation, arguments, result);
}

Truth evaluator_at(Evaluator *evaluator, const Bits *values) {
    if (!evaluator->possible)
        return TRUTH_NONE;
    Bits results[MOST_NODES];
    size_t variable = 0;
    for (size_t i = 0; i < evaluator->nodes.length; i++) {
        const EvaluatedNode *place = &evaluator->nodes.data[i];
        if (place->node->op == OP_VARIABLE)
            results[i] = values[variable++];
        else if (!apply(place, results, &results[i]))
            return TRUTH_NONE;
    }
    for (size_t i = 0; i < evaluator->facts.length; i++)
        if (!results[place_of(evaluator, evaluator->facts.data[i])])
            return TRUTH_OUTSIDE;
    return results[place_of(evaluator, evaluator->condition)] ? TRUTH_TRUE : TRUTH_FALSE;
}

static Bits value_of(const Exprs *variables, const Bits *values, Expr variable) {
    for (size_t i = 0; i < variables->length; i++)
        if (variables->data[i] == variable)
            return values[i];
    return 0;
}

Exprs evaluator_failing(Arena *arena, const Exprs *facts, const Exprs *variables,
                        const Bits *values) {
    Exprs failing = {0};
    for (size_t i = 0; i < facts->length; i++) {
        Evaluator evaluator = evaluator_create(arena, facts->data[i], NULL);
        Bits point[MOST_VARIABLES];
        for (size_t k = 0; evaluator.possible && k < evaluator.variables.length; k++)
            point[k] = value_of(variables, values, evaluator.variables.data[k]);
        if (evaluator_at(&evaluator, point) != TRUTH_TRUE)
            vec_push(arena, &failing, facts->data[i]);
    }
    return failing;
}

/* ---- guesses ---- */

/* Small numbers, the condition's own constants and their neighbours, and ends of the type. */
static Bits guess(Type type, const Exprs *constants, int round, uint64_t *state) {
    static const int64_t RANGES[] = {3, 12, 100, 5000};
    uint64_t random = next_drawn(state);
    int64_t range = RANGES[round % 4];
    int64_t value = (int64_t)((random >> 8) % (uint64_t)(2 * range + 1)) - range;
    if (type_is_float(type))
        return bits_from_double(type, (double)value / 2);
    if (random % 8 == 0 && constants->length)
        value = constants->data[(random >> 40) % constants->length]->bits + value % 3;
    bool ends = type_is_machine_integer(type) && random % 8 == 1;
    if (ends)
        value = (random & 16 ? type_maximum(type) : type_minimum(type));
    return bits_wrap(type, type_is_bool(type) ? value & 1 : value);
}

static void keep(Arena *arena, Decision *decision, Truth truth, const Bits *values) {
    const Bits **place = truth == TRUTH_TRUE ? &decision->holds_at : &decision->fails_at;
    if (truth == TRUTH_NONE || truth == TRUTH_OUTSIDE || *place)
        return;
    Bits *kept = arena_array(arena, Bits, decision->variables.length + 1);
    memcpy(kept, values, decision->variables.length * sizeof *kept);
    *place = kept;
}

void evaluator_guess(Evaluator *evaluator, Decision *decision) {
    Exprs constants = {0};
    Bits values[MOST_VARIABLES];
    uint64_t state = 1;
    if (!evaluator->possible)
        return;
    for (size_t i = 0; i < evaluator->nodes.length; i++) {
        Expr node = evaluator->nodes.data[i].node;
        if (node->op == OP_CONSTANT && !type_is_float(node->type) && node->bits > -LARGEST_GUESS &&
            node->bits < LARGEST_GUESS)
            vec_push(evaluator->arena, &constants, node);
    }
    for (int round = 0; round < GUESSES && !(decision->holds_at && decision->fails_at); round++) {
        for (size_t i = 0; i < evaluator->variables.length; i++)
            values[i] = guess(evaluator->variables.data[i]->type, &constants, round, &state);
        keep(evaluator->arena, decision, evaluator_at(evaluator, values), values);
    }
}

static Bits number(Type type, int64_t value) {
    if (type_is_float(type))
        return bits_from_double(type, (double)value);
    return bits_wrap(type, type_is_bool(type) ? value & 1 : value);
}

const Bits *evaluator_plain_point(Evaluator *evaluator, Truth wanted) {
    static const int64_t PLAIN[] = {0, 1, -1, INT64_C(1) << 33};
    Bits *values = arena_array(evaluator->arena, Bits, evaluator->variables.length + 1);
    for (size_t k = 0; evaluator->possible && k < sizeof PLAIN / sizeof *PLAIN; k++) {
        for (size_t i = 0; i < evaluator->variables.length; i++)
            values[i] = number(evaluator->variables.data[i]->type, PLAIN[k]);
        if (evaluator_at(evaluator, values) == wanted)
            return values;
    }
    return NULL;
}

/* ---- all points ---- */

/* Counts the points; returns more than `most` if there are too many. */
static uint64_t count_points(const Evaluator *evaluator, uint32_t most) {
    uint64_t count = 1;
    for (size_t i = 0; i < evaluator->variables.length && count <= most; i++) {
        Type type = evaluator->variables.data[i]->type;
        bool small = type_is_bool(type) || (type_is_machine_integer(type) && type.bits <= 16);
        count = small ? count << type.bits : (uint64_t)most + 1;
    }
    return count;
}

void evaluator_enumerate(Evaluator *evaluator, Decision *decision, uint32_t most) {
    Bits values[MOST_VARIABLES];
    uint64_t count = evaluator->possible ? count_points(evaluator, most) : (uint64_t)most + 1;
    bool whole = count <= most;
    for (uint64_t point = 0; point < count && whole; point++) {
        uint64_t rest = point;
        for (size_t i = 0; i < evaluator->variables.length; i++) {
            Type type = evaluator->variables.data[i]->type;
            values[i] = bits_wrap(type, (int64_t)(rest & ((UINT64_C(1) << type.bits) - 1)));
            rest >>= type.bits;
        }
        Truth truth = evaluator_at(evaluator, values);
        keep(evaluator->arena, decision, truth, values);
        whole = truth != TRUTH_NONE && !(decision->holds_at && decision->fails_at);
    }
    if (decision->holds_at && decision->fails_at)
        decision->verdict = VERDICT_CONTINGENT;
    else if (whole)
        decision->verdict = decision->fails_at ? VERDICT_UNSATISFIABLE : VERDICT_VALID;
}
