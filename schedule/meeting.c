/* meeting.c -- finds two iterations of an update that touch one element, for messages.
 *
 *     rdom(r = (0, n)) in (r) <- f(r) + f(r - 1)
 *
 *     the iterations r = 0 and r = 1 both touch f(0), with n = 4
 *
 * It tries the first iterations under small values of what the program is called with. Where an
 * index reads an image, that holds zeros:
 *
 *     rdom(r = (0, n)) in (a(r)) <- f(a(r)) * 3 + 1
 *
 *     the iterations r = 0 and r = 1 both touch f(0), with n = 4, a = 0
 *
 * Places whose indices read a func are not known, so they meet nothing here. The example is only
 * told: what may run side by side is decided by a proof (disjoint.c).
 */
#include "schedule/meeting.h"

#include "ir/walk.h"
#include "schedule/redefine.h"
#include "simplify/simplify.h"

#include <inttypes.h>
#include <string.h>

enum { TRIED_VALUES = 3, MOST_ALONG = 16, MOST_ITERATIONS = 128, IMAGE_EXTENT = 8 };

/* One iteration, and the elements that it touches: first those that it writes. */
typedef struct TriedIteration {
    int64_t *at; /* by reduction variable */
    Vec(int64_t *) touched;
    size_t written;
} TriedIteration;

typedef struct MeetingTrial {
    const Resolver *resolver;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    const Func *func;
    const Stage *stage; /* without splits */
    Map values;         /* name of a startup variable -> its value, an expression */
    Exprs startup;
    Exprs accesses;    /* of the func itself */
    Vec(Symbol) zeros; /* the images that its indices read */
    Vec(TriedIteration) iterations;
} MeetingTrial;

/* ---- what the program is called with ---- */

/* Chooses a value of a parameter: the `choice`-th of its default, its least value, and a few. */
static Expr parameter_value(MeetingTrial *trial, const Parameter *parameter, int choice) {
    static const Bits few[TRIED_VALUES] = {4, 9, 1};
    Type type = parameter->type;
    if (!type_is_machine_integer(type))
        return parameter->has_default ? expr_constant(trial->pool, type, parameter->default_value)
                                      : expr_constant(trial->pool, type, 0);
    Bits value = few[choice];
    if (choice == 0 && parameter->has_default)
        value = parameter->default_value;
    if (parameter->has_range && value < parameter->lower)
        value = parameter->lower;
    if (parameter->has_range && value > parameter->upper)
        value = parameter->upper;
    return expr_constant(trial->pool, type, value);
}

static Expr startup_value(MeetingTrial *trial, Expr variable, int choice) {
    const Signature *signature = &trial->resolver->pipeline->signature;
    const Parameter *parameter = signature_parameter(signature, variable->name);
    Symbol buffer;
    BufferField field;
    int dimension;
    if (parameter)
        return parameter_value(trial, parameter, choice);
    if (!buffer_field_parse(trial->resolver->context, variable->name, &buffer, &field, &dimension))
        return NULL;
    return expr_constant(trial->pool, variable->type, field == FIELD_MINIMUM ? 0 : IMAGE_EXTENT);
}

static bool is_own_variable(const MeetingTrial *trial, Symbol name) {
    for (int k = 0; k < trial->func->shape->dimensions; k++)
        if (trial->func->shape->variables[k] == name)
            return true;
    for (size_t r = 0; r < trial->stage->reduction.length; r++)
        if (trial->stage->reduction.data[r].variable == name)
            return true;
    return name == trial->stage->write;
}

static void note_startup(MeetingTrial *trial, Expr expr) {
    Exprs variables = expr_variables_of(trial->arena, expr);
    for (size_t i = 0; i < variables.length; i++)
        if (!is_own_variable(trial, variables.data[i]->name))
            exprs_add(trial->arena, &trial->startup, variables.data[i]);
}

/* ---- values of expressions ---- */

static Expr zero_of_image(void *data, Pool *pool, Expr node) {
    MeetingTrial *trial = data;
    const Signature *signature = &trial->resolver->pipeline->signature;
    if (node->op != OP_ACCESS || !signature_image(signature, node->name))
        return node;
    bool is_known = false;
    for (size_t i = 0; i < trial->zeros.length; i++)
        is_known = is_known || trial->zeros.data[i] == node->name;
    if (!is_known)
        vec_push(trial->arena, &trial->zeros, node->name);
    return expr_constant(pool, node->type, 0);
}

/* Substitutes the startup values and the iteration; false if the result is no constant. */
static bool value_at(MeetingTrial *trial, Expr expr, const int64_t *at, int64_t *value) {
    Substitution substitution = substitution_create(trial->arena);
    for (size_t i = 0; i < trial->startup.length; i++)
        substitution_add(&substitution, trial->startup.data[i]->name,
                         map_get(&trial->values, trial->startup.data[i]->name));
    for (size_t r = 0; at && r < trial->stage->reduction.length; r++)
        substitution_add(&substitution, trial->stage->reduction.data[r].variable,
                         expr_index(trial->pool, at[r]));
    for (int k = 0; k < trial->func->shape->dimensions; k++)
        substitution_add(&substitution, trial->func->shape->variables[k],
                         expr_index(trial->pool, 0));
    Expr result = simplify(trial->simplifier, substitution_apply(trial->pool, &substitution, expr));
    if (!expr_is_constant(result))
        return false;
    *value = result->bits;
    return true;
}

static void touch(MeetingTrial *trial, TriedIteration *iteration, const Expr *indices) {
    int dimensions = trial->func->shape->dimensions;
    int64_t *place = arena_array(trial->arena, int64_t, dimensions + 1);
    for (int k = 0; k < dimensions; k++) {
        Expr index =
            expr_rewrite_alone(trial->pool, trial->arena, indices[k], zero_of_image, trial);
        if (!value_at(trial, index, iteration->at, &place[k]))
            return;
    }
    vec_push(trial->arena, &iteration->touched, place);
}

static void try_iteration(MeetingTrial *trial, const int64_t *at) {
    const Stage *stage = trial->stage;
    int dimensions = trial->func->shape->dimensions, writes = stage->writes ? stage->writes : 1;
    TriedIteration iteration = {.at = arena_array(trial->arena, int64_t, stage->reduction.length)};
    Expr *indices = arena_array(trial->arena, Expr, dimensions + 1);
    int64_t holds = 1;
    memcpy(iteration.at, at, sizeof *at * stage->reduction.length);
    if (stage->predicate && value_at(trial, stage->predicate, at, &holds) && !holds)
        return;
    for (int w = 0; w < writes; w++) {
        for (int k = 0; k < dimensions; k++)
            indices[k] = stage_of_write(trial->pool, trial->arena, stage, stage->indices[k], w);
        touch(trial, &iteration, indices);
    }
    iteration.written = iteration.touched.length;
    for (size_t a = 0; a < trial->accesses.length; a++)
        touch(trial, &iteration, trial->accesses.data[a]->arguments);
    vec_push(trial->arena, &trial->iterations, iteration);
}

/* Tries the first iterations, a few along each variable. */
static void try_iterations(MeetingTrial *trial) {
    size_t count = trial->stage->reduction.length;
    int64_t *minimum = arena_array(trial->arena, int64_t, count + 1),
            *length = arena_array(trial->arena, int64_t, count + 1),
            *at = arena_array(trial->arena, int64_t, count + 1);
    for (size_t r = 0; r < count; r++) {
        const Extent *interval = &trial->stage->reduction.data[r].interval;
        if (!value_at(trial, interval->minimum, NULL, &minimum[r]) ||
            !value_at(trial, interval->length, NULL, &length[r]) || length[r] < 1)
            return;
        length[r] = length[r] < MOST_ALONG ? length[r] : MOST_ALONG;
        at[r] = minimum[r];
    }
    for (size_t r = 0; r < count && trial->iterations.length < MOST_ITERATIONS;) {
        try_iteration(trial, at);
        for (r = 0; r < count && ++at[r] == minimum[r] + length[r]; r++)
            at[r] = minimum[r];
    }
}

/* ---- a meeting ---- */

/* Returns an element that both touch and `a` writes; null if there is none. */
static const int64_t *common(const MeetingTrial *trial, const TriedIteration *a,
                             const TriedIteration *b) {
    size_t size = sizeof(int64_t) * (size_t)trial->func->shape->dimensions;
    for (size_t w = 0; w < a->written; w++)
        for (size_t t = 0; t < b->touched.length; t++)
            if (memcmp(a->touched.data[w], b->touched.data[t], size) == 0)
                return a->touched.data[w];
    return NULL;
}

static const char *iteration_text(const MeetingTrial *trial, const TriedIteration *iteration) {
    const char *text = "";
    for (size_t r = 0; r < trial->stage->reduction.length; r++)
        text = arena_format(trial->arena, "%s%s%s = %" PRId64, text, r ? ", " : "",
                            trial->stage->reduction.data[r].variable->text, iteration->at[r]);
    return text;
}

static const char *place_text(const MeetingTrial *trial, const int64_t *place) {
    const char *text = arena_format(trial->arena, "%s(", trial->func->shape->name->text);
    for (int k = 0; k < trial->func->shape->dimensions; k++)
        text = trial->stage->pure[k]
                   ? arena_format(trial->arena, "%s%s%s", text, k ? ", " : "",
                                  trial->func->shape->variables[k]->text)
                   : arena_format(trial->arena, "%s%s%" PRId64, text, k ? ", " : "", place[k]);
    return arena_format(trial->arena, "%s)", text);
}

static const char *startup_text(const MeetingTrial *trial) {
    const char *text = "";
    for (size_t i = 0; i < trial->startup.length; i++) {
        char value[64];
        Expr chosen = map_get((Map *)&trial->values, trial->startup.data[i]->name);
        value_print(chosen->type, chosen->bits, value, sizeof value);
        text = arena_format(trial->arena, "%s%s%s = %s", text, i ? ", " : ", with ",
                            trial->startup.data[i]->name->text, value);
    }
    for (size_t i = 0; i < trial->zeros.length; i++)
        text = arena_format(trial->arena, "%s%s%s = 0", text, *text ? ", " : ", with ",
                            trial->zeros.data[i]->text);
    return text;
}

/* The iterations differ in this variable. */
static const char *find_meeting(const MeetingTrial *trial, size_t variable) {
    for (size_t i = 0; i < trial->iterations.length; i++)
        for (size_t j = 0; j < trial->iterations.length; j++) {
            const TriedIteration *a = &trial->iterations.data[i], *b = &trial->iterations.data[j];
            const int64_t *place = a->at[variable] != b->at[variable] ? common(trial, a, b) : NULL;
            if (place)
                return arena_format(trial->arena, "the iterations %s and %s both touch %s%s",
                                    iteration_text(trial, i < j ? a : b),
                                    iteration_text(trial, i < j ? b : a), place_text(trial, place),
                                    startup_text(trial));
        }
    return NULL;
}

/* Is no condition of the entry known to fail? */
static bool may_enter(MeetingTrial *trial) {
    Exprs facts = {0};
    pipeline_startup_facts(trial->resolver->pipeline, trial->arena, &facts);
    for (size_t i = 0; i < facts.length; i++) {
        int64_t holds;
        if (value_at(trial, facts.data[i], NULL, &holds) && !holds)
            return false;
    }
    return true;
}

static bool choose_startup(MeetingTrial *trial, int choice) {
    trial->values = map_create(trial->arena);
    for (size_t i = 0; i < trial->startup.length; i++) {
        Expr value = startup_value(trial, trial->startup.data[i], choice);
        if (!value)
            return false;
        map_put(&trial->values, trial->startup.data[i]->name, (void *)value);
    }
    return may_enter(trial);
}

static void collect(MeetingTrial *trial) {
    const Stage *stage = trial->stage;
    Exprs accesses = {0};
    stage_accesses(trial->arena, trial->func, stage, &accesses);
    for (size_t a = 0; a < accesses.length; a++)
        if (accesses.data[a]->name == trial->func->shape->name) {
            vec_push(trial->arena, &trial->accesses, accesses.data[a]);
            for (int k = 0; k < accesses.data[a]->arity; k++)
                note_startup(trial, accesses.data[a]->arguments[k]);
        }
    for (int k = 0; k < trial->func->shape->dimensions; k++)
        note_startup(trial, stage->indices[k]);
    for (size_t r = 0; r < stage->reduction.length; r++) {
        note_startup(trial, stage->reduction.data[r].interval.minimum);
        note_startup(trial, stage->reduction.data[r].interval.length);
    }
    if (stage->predicate)
        note_startup(trial, stage->predicate);
}

static const char *try_all(MeetingTrial *trial, size_t variable) {
    const char *text = NULL;
    collect(trial);
    for (int choice = 0; choice < TRIED_VALUES && !text; choice++) {
        trial->iterations.length = 0;
        if (choose_startup(trial, choice)) {
            try_iterations(trial);
            text = find_meeting(trial, variable);
        }
    }
    return text;
}

static bool is_written_by(Arena *scratch, const Func *func, const Stage *stage, Symbol variable) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (expr_mentions(scratch, stage->indices[k], variable))
            return true;
    return false;
}

const char *meeting_reason(const Resolver *resolver, const Func *func, int stage, Symbol variable,
                           const char *reason) {
    const Stage *of = func->stages.data[stage];
    size_t number = 0;
    while (number < of->reduction.length && of->reduction.data[number].variable != variable)
        number++;
    if (number == of->reduction.length || resolver->silent)
        return reason;
    of = stage_unsplit(resolver->pipeline, resolver->arena, func->shape, func->stages.data[stage]);
    Arena *scratch = arena_create(&resolver->context->memory);
    MeetingTrial trial = {.resolver = resolver,
                          .pool = resolver->pipeline->pool,
                          .arena = scratch,
                          .simplifier = simplifier_create(resolver->pipeline->pool, scratch),
                          .func = func,
                          .stage = of};
    const char *text = is_written_by(scratch, func, of, variable) ? try_all(&trial, number) : NULL;
    if (text)
        reason = arena_format(resolver->arena, "%s; %s", reason, text);
    arena_destroy(scratch);
    return reason;
}
