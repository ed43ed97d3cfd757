/* demand.c -- finds arguments that the entries of the compared programs accept.
 *
 * The entry of a program asserts conditions on parameters and sizes (lower/report/contract.h). A
 * local search moves one number at a time. It takes a clause that fails, and of its variables the
 * one whose nearest value that satisfies the clause leaves the fewest clauses false. Conditions may
 * be of any form, since the search only evaluates them.
 */
#include "library/check/demand.h"

#include "ir/interpret/evaluate.h"
#include "ir/walk.h"
#include "lower/report/contract.h"

enum { MOST_STEPS = 200, NEAR = 48, MOST_WINDOW = 1 << 16 };

/* A clause that mentions only parameters and sizes. */
typedef struct DemandClause {
    ExprCode *asked; /* if false, the clause asks nothing; null: always */
    ExprCode *condition;
    Vec(Symbol) variables; /* of the condition */
} DemandClause;

/* A number that the search may move. The end of an image stays while its minimum moves. */
typedef struct Number {
    const Parameter *parameter; /* or null */
    Image *box;                 /* of an image or window, or null: the number is fixed */
    bool is_image;
    BufferField field;
    int dimension;
    size_t index; /* of the parameter */
    int64_t least, most;
} Number;

typedef struct Search {
    hlc_arguments *a;
    const hlc_arguments *fixed;
    Vec(DemandClause *) clauses;
    uint64_t *state;
} Search;

/* ---- demands ---- */

static bool is_startup(const Program *program, Exprs variables) {
    Symbol buffer;
    BufferField field;
    int d;
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        if (!signature_parameter(program->signature, name) &&
            (!buffer_field_parse(program->pool->context, name, &buffer, &field, &d) ||
             field == FIELD_STRIDE))
            return false;
    }
    return true;
}

static void add_clause(Demand *demand, Arena *arena, const Program *program,
                       const ContractClause *clause) {
    Exprs variables = {0};
    expr_variables(arena, clause->condition, &variables);
    if (!is_startup(program, variables))
        return;
    DemandClause *added = arena_new(arena, DemandClause);
    added->condition = expr_code(arena, clause->condition);
    added->asked = clause->asked ? expr_code(arena, clause->asked) : NULL;
    for (size_t i = 0; i < variables.length; i++)
        vec_push(arena, &added->variables, variables.data[i]->name);
    vec_push(arena, &demand->clauses, added);
}

void demand_add(Demands *demands, Arena *arena, const Schedule *schedule, const Lowered *lowered,
                bool runs) {
    Demand demand = {.schedule = schedule, .bounds = lowered->bounds, .runs = runs};
    Contract contract = contract_asserted(lowered->program, arena);
    for (size_t i = 0; i < contract.clauses.length; i++)
        add_clause(&demand, arena, lowered->program, &contract.clauses.data[i]);
    vec_push(arena, demands, demand);
}

/* ---- regions ---- */

/* Returns the region of an image under the known values. */
static DemandBox evaluate_region(hlc_arguments *a, Substitution *known,
                                 const BoundsRegion *region) {
    DemandBox box = {.known = true};
    Pool *pool = a->pipeline->pool;
    for (int d = 0; d < region->dimensions && box.known; d++) {
        int64_t length;
        Expr minimum = substitution_apply(pool, known, region->whole[d].minimum);
        Expr extent = substitution_apply(pool, known, region->whole[d].length);
        box.known = expr_constant_integer(minimum, &box.first[d]) &&
                    expr_constant_integer(extent, &length) && box.first[d] >= INT32_MIN &&
                    box.first[d] <= INT32_MAX && length <= INT32_MAX;
        if (box.known)
            box.end[d] = box.first[d] + (length > 0 ? length : 0);
    }
    return box;
}

DemandBox demand_of_image(hlc_arguments *a, Substitution *known, const Demands *demands, int which,
                          Symbol image) {
    DemandBox hull = {.known = false};
    for (size_t i = 0; i < demands->length; i++) {
        const BoundsResult *bounds = demands->data[i].bounds;
        for (size_t r = 0; r < bounds->images.length && (which < 0 || (size_t)which == i); r++) {
            const BoundsRegion *region = bounds->images.data[r];
            if (region->func != image)
                continue;
            DemandBox box = evaluate_region(a, known, region);
            if (!box.known)
                return box;
            for (int d = 0; d < region->dimensions; d++) {
                if (!hull.known || box.first[d] < hull.first[d])
                    hull.first[d] = box.first[d];
                if (!hull.known || box.end[d] > hull.end[d])
                    hull.end[d] = box.end[d];
            }
            hull.known = true;
        }
    }
    return hull;
}

/* ---- numbers ---- */

static Number parameter_number(const Search *search, const Parameter *parameter) {
    size_t i = (size_t)(parameter - search->a->signature->parameters.data);
    bool is_fixed = (search->fixed && search->fixed->parameter_bound[i]) ||
                    type_is_float(parameter->type) || type_is_bool(parameter->type);
    Number number = {.parameter = parameter, .index = i, .least = 0, .most = -1};
    if (!is_fixed) {
        bool is_signed = parameter->type.kind != TYPE_UINT;
        number.least = is_signed ? INT32_MIN : 0;
        number.most = INT32_MAX;
        if (parameter->type.bits < 32) {
            number.most = ((int64_t)1 << (parameter->type.bits - is_signed)) - 1;
            number.least = is_signed ? -number.most - 1 : 0;
        }
        if (parameter->has_range && (int64_t)parameter->lower > number.least)
            number.least = (int64_t)parameter->lower;
        if (parameter->has_range && (int64_t)parameter->upper < number.most)
            number.most = (int64_t)parameter->upper;
    }
    return number;
}

static size_t output_index(const Signature *signature, Symbol func) {
    size_t i = 0;
    while (i < signature->outputs.length && signature->outputs.data[i].func != func)
        i++;
    return i;
}

/* The number that a startup variable names; without room to move if it is fixed. A window with
 * points keeps some, since an empty one asks for nothing. */
static Number number_of(const Search *search, Symbol name) {
    hlc_arguments *a = search->a;
    const hlc_arguments *fixed = search->fixed;
    const Parameter *parameter = signature_parameter(a->signature, name);
    if (parameter)
        return parameter_number(search, parameter);
    Number number = {.least = 0, .most = -1};
    Symbol buffer;
    buffer_field_parse(a->h->context, name, &buffer, &number.field, &number.dimension);
    const ImageParameter *image = signature_image(a->signature, buffer);
    size_t i =
        image ? (size_t)(image - a->signature->images.data) : output_index(a->signature, buffer);
    number.is_image = image != NULL;
    number.box = image ? &a->values.images[i] : &a->windows[i];
    number.field = field_of_window(number.field); /* a window is the whole */
    bool is_minimum = number.field == FIELD_MINIMUM;
    bool is_fixed =
        fixed && (image ? fixed->image_set[i]
                        : fixed->window_set[i] || (is_minimum && fixed->minimum_set[i]));
    if (!is_fixed) {
        bool is_empty = number.box->extent[number.dimension] == 0;
        number.least = is_minimum ? INT32_MIN : !image && !is_empty;
        number.most = is_minimum ? INT32_MAX : image ? MOST_ELEMENTS : is_empty ? 0 : MOST_WINDOW;
    }
    return number;
}

static int64_t number_get(const hlc_arguments *a, const Number *number) {
    if (number->parameter)
        return (int64_t)a->values.parameters[number->index];
    return number->field == FIELD_MINIMUM ? number->box->minimum[number->dimension]
                                          : number->box->extent[number->dimension];
}

static void number_set(hlc_arguments *a, const Number *number, int64_t value) {
    if (number->parameter) {
        a->values.parameters[number->index] = bits_wrap(number->parameter->type, value);
        return;
    }
    int64_t *minimum = &number->box->minimum[number->dimension],
            *extent = &number->box->extent[number->dimension];
    if (number->field == FIELD_EXTENT) {
        *extent = value;
        return;
    }
    if (number->is_image)
        *extent = *minimum + *extent > value ? *minimum + *extent - value : 0;
    *minimum = value;
}

static bool number_value(void *data, Symbol name, Bits *bits) {
    const Search *search = data;
    Number number = number_of(search, name);
    *bits = (Bits)number_get(search->a, &number);
    return true;
}

/* ---- the search ---- */

static bool holds(Search *search, const DemandClause *clause) {
    Bits asked, result;
    if (clause->asked && expr_code_run(clause->asked, number_value, search, &asked) && !asked)
        return true;
    return expr_code_run(clause->condition, number_value, search, &result) && result;
}

static size_t count_failing(Search *search) {
    size_t count = 0;
    for (size_t i = 0; i < search->clauses.length; i++)
        count += !holds(search, search->clauses.data[i]);
    return count;
}

/* A random one of the clauses that fail; null: none. */
static const DemandClause *choose_failing(Search *search) {
    size_t count = search->clauses.length;
    size_t first = count > 0 ? fill_random(search->state) % count : 0;
    for (size_t i = 0; i < count; i++) {
        const DemandClause *clause = search->clauses.data[(first + i) % count];
        if (!holds(search, clause))
            return clause;
    }
    return NULL;
}

/* Does the clause hold with this value? The number keeps its own. */
static bool holds_at(Search *search, const DemandClause *clause, const Number *number,
                     int64_t value) {
    if (value < number->least || value > number->most)
        return false;
    Image kept = number->box ? *number->box : (Image){.data = NULL};
    int64_t before = number_get(search->a, number);
    number_set(search->a, number, value);
    bool result = holds(search, clause);
    number_set(search->a, number, before);
    if (number->box)
        *number->box = kept;
    return result;
}

/* Finds the nearest value in one direction: each of the next ones, then in strides that double,
 * back from which it bisects. False if none is found. */
static bool find_nearest(Search *search, const DemandClause *clause, const Number *number, int sign,
                         int64_t *distance) {
    int64_t now = number_get(search->a, number);
    for (*distance = 1; *distance <= NEAR; ++*distance)
        if (holds_at(search, clause, number, now + sign * *distance))
            return true;
    int64_t without = NEAR, limit = sign > 0 ? number->most - now : now - number->least;
    while (without < limit) {
        *distance = without * 2 < limit ? without * 2 : limit;
        if (holds_at(search, clause, number, now + sign * *distance))
            break;
        without = *distance;
    }
    if (without >= limit)
        return false;
    while (*distance - without > 1) {
        int64_t middle = without + (*distance - without) / 2;
        *(holds_at(search, clause, number, now + sign * middle) ? distance : &without) = middle;
    }
    return true;
}

/* Finds the nearest value that satisfies the clause. */
static bool find_value(Search *search, const DemandClause *clause, const Number *number,
                       int64_t *value) {
    int64_t now = number_get(search->a, number), down, up;
    if (number->most < number->least)
        return false;
    bool is_up = find_nearest(search, clause, number, 1, &up),
         is_down = find_nearest(search, clause, number, -1, &down);
    *value = is_up && (!is_down || up <= down) ? now + up : now - down;
    return is_up || is_down;
}

/* Moves the number of a failing clause that leaves the fewest clauses false; sometimes, to leave a
 * circle, any. */
static bool step(Search *search, const DemandClause *clause) {
    hlc_arguments *a = search->a;
    size_t least = SIZE_MAX;
    bool any = fill_random(search->state) % 8 == 0;
    Number chosen = {.parameter = NULL};
    int64_t chosen_value = 0;
    for (size_t i = 0; i < clause->variables.length; i++) {
        Number number = number_of(search, clause->variables.data[i]);
        int64_t value, before = number_get(a, &number);
        if (!find_value(search, clause, &number, &value))
            continue;
        Image kept = number.box ? *number.box : (Image){.data = NULL};
        number_set(a, &number, value);
        size_t failing = any ? fill_random(search->state) % 8 : count_failing(search);
        number_set(a, &number, before);
        if (number.box)
            *number.box = kept;
        if (failing < least || (failing == least && fill_random(search->state) % 2)) {
            least = failing;
            chosen = number;
            chosen_value = value;
        }
    }
    if (least < SIZE_MAX)
        number_set(a, &chosen, chosen_value);
    return least < SIZE_MAX;
}

static bool search_run(Search *search) {
    for (int i = 0; i < MOST_STEPS; i++) {
        const DemandClause *clause = choose_failing(search);
        if (!clause)
            return true;
        if (!step(search, clause))
            return false;
    }
    return false;
}

/* ---- values to return to ---- */

typedef struct Values {
    Bits *parameters;
    Image *windows, *images;
} Values;

static void copy_values(const Signature *signature, Values from, Values to) {
    for (size_t i = 0; i < signature->parameters.length; i++)
        to.parameters[i] = from.parameters[i];
    for (size_t i = 0; i < signature->outputs.length; i++)
        to.windows[i] = from.windows[i];
    for (size_t i = 0; i < signature->images.length; i++)
        to.images[i] = from.images[i];
}

static void take_clauses(Search *search, const Demand *demand) {
    for (size_t i = 0; i < demand->clauses.length; i++)
        vec_push(search->a->h->scratch, &search->clauses, demand->clauses.data[i]);
}

bool demand_meet(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands, int which,
                 uint64_t *state) {
    Search search = {.a = a, .fixed = fixed, .state = state};
    for (size_t i = 0; i < demands->length; i++)
        if (which < 0 || (size_t)which == i)
            take_clauses(&search, &demands->data[i]);
    return search_run(&search);
}

bool demand_meet_in_turn(hlc_arguments *a, const hlc_arguments *fixed, const Demands *demands,
                         uint64_t *state) {
    Search search = {.a = a, .fixed = fixed, .state = state};
    const Signature *signature = a->signature;
    Arena *arena = a->h->scratch;
    Values now = {a->values.parameters, a->windows, a->values.images};
    Values kept = {arena_array(arena, Bits, signature->parameters.length),
                   arena_array(arena, Image, signature->outputs.length),
                   arena_array(arena, Image, signature->images.length)};
    for (size_t i = 0; i < demands->length; i++)
        if (!demands->data[i].schedule)
            take_clauses(&search, &demands->data[i]);
    if (!search_run(&search))
        return false;
    size_t first = fill_random(state) % demands->length;
    for (size_t i = 0; i < demands->length; i++) {
        const Demand *demand = &demands->data[(first + i) % demands->length];
        size_t clauses = search.clauses.length;
        copy_values(signature, now, kept);
        if (demand->schedule)
            take_clauses(&search, demand);
        if (!search_run(&search)) {
            copy_values(signature, kept, now);
            search.clauses.length = clauses;
        }
    }
    return true;
}
