/* recurrence_value.c -- evaluates a recurrence as it is written.  The value of a func at a point is
 * its equation there, `select` takes one arm, and each point is remembered.  The domains are small.
 */
#include "checkers/fuzz/recurrence/generate_recurrence.h"

enum { MOST_POINTS = RECURRENCE_LENGTH * RECURRENCE_LENGTH * RECURRENCE_LENGTH };

typedef enum PointState { POINT_NEW, POINT_ENTERED, POINT_DONE } PointState;

typedef struct EquationPoint {
    PointState state;
    RecurrenceAnswer answer;
    int32_t value;
} EquationPoint;

struct RecurrenceValues {
    const RecurrenceCase *c;
    int lengths[RECURRENCE_VARIABLES], batch;
    EquationPoint points[RECURRENCE_FUNCS][MOST_POINTS];
};

RecurrenceValues *recurrence_values(const RecurrenceCase *c, const int *lengths, int batch) {
    RecurrenceValues *values = arena_new(c->arena, RecurrenceValues);
    values->c = c;
    values->batch = batch;
    for (int v = 0; v < c->variables; v++)
        values->lengths[v] = lengths[v];
    return values;
}

static RecurrenceAnswer evaluate(RecurrenceValues *values, const RecurrenceTerm *term,
                                 const int *index, int32_t *value);

static RecurrenceAnswer holds(RecurrenceValues *values, const GuardTerm *guard, const int *index,
                              bool *truth) {
    bool first = false, second = false;
    int32_t value;
    RecurrenceAnswer answer = ANSWER_VALUE;
    switch (guard->kind) {
    case GUARD_BELOW:
        *truth = index[guard->variable] < guard->number;
        break;
    case GUARD_ABOVE:
        *truth = index[guard->variable] >= values->lengths[guard->variable] - guard->number;
        break;
    case GUARD_VALUE:
        answer = evaluate(values, guard->term, index, &value);
        *truth = answer == ANSWER_VALUE && value > guard->number;
        break;
    case GUARD_AND:
    case GUARD_OR: /* both sides are evaluated */
        answer = holds(values, guard->a, index, &first);
        if (answer == ANSWER_VALUE)
            answer = holds(values, guard->b, index, &second);
        *truth = guard->kind == GUARD_AND ? first && second : first || second;
        break;
    case GUARD_NOT:
        answer = holds(values, guard->a, index, &first);
        *truth = !first;
        break;
    }
    return answer;
}

static RecurrenceAnswer read(RecurrenceValues *values, const RecurrenceTerm *term, const int *index,
                             int32_t *value) {
    int at[RECURRENCE_VARIABLES];
    for (int v = 0; v < values->c->variables; v++) {
        at[v] = index[v] - term->distance[v];
        if (at[v] < 0 || at[v] >= values->lengths[v])
            return ANSWER_LEAVES;
    }
    return recurrence_value(values, term->number, at, value);
}

static RecurrenceAnswer evaluate(RecurrenceValues *values, const RecurrenceTerm *term,
                                 const int *index, int32_t *value) {
    const RecurrenceCase *c = values->c;
    int32_t a = 0, b = 0;
    bool truth = false;
    RecurrenceAnswer answer;
    switch (term->kind) {
    case TERM_CONSTANT:
        *value = term->number;
        return ANSWER_VALUE;
    case TERM_VARIABLE:
        *value = term->number == c->variables ? values->batch
                                              : c->minimum[term->number] + index[term->number];
        return ANSWER_VALUE;
    case TERM_READ:
        return read(values, term, index, value);
    case TERM_CHOICE:
        answer = holds(values, term->condition, index, &truth);
        return answer == ANSWER_VALUE ? evaluate(values, truth ? term->a : term->b, index, value)
                                      : answer;
    case TERM_ADD:
    case TERM_SUBTRACT:
    case TERM_MAXIMUM:
        break;
    }
    answer = evaluate(values, term->a, index, &a);
    if (answer == ANSWER_VALUE)
        answer = evaluate(values, term->b, index, &b);
    *value = term->kind == TERM_MAXIMUM ? (a > b ? a : b)
             : term->kind == TERM_ADD   ? (int32_t)((uint32_t)a + (uint32_t)b)
                                        : (int32_t)((uint32_t)a - (uint32_t)b);
    return answer;
}

RecurrenceAnswer recurrence_value(RecurrenceValues *values, int func, const int *index,
                                  int32_t *value) {
    int number = 0;
    for (int v = values->c->variables; v-- > 0;)
        number = number * RECURRENCE_LENGTH + index[v];
    EquationPoint *point = &values->points[func][number];
    if (point->state == POINT_ENTERED)
        return ANSWER_CYCLE;
    if (point->state == POINT_NEW) {
        point->state = POINT_ENTERED;
        point->answer = evaluate(values, values->c->equations[func], index, &point->value);
        point->state = POINT_DONE;
    }
    *value = point->value;
    return point->answer;
}
