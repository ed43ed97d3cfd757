/* moves.c -- lists the possible next directives, with candidates for open numbers, and appends them. */
#include "library/show/moves.h"

#include "lower/moves.h"

/* ---- candidates ---- */

static void add_constants(hlc *h, Pool *pool, NumberChoices *numbers, const int *values,
                          int count) {
    for (int i = 0; i < count; i++) {
        NumberChoice number = {arena_format(h->scratch, "%d", values[i]),
                               expr_index(pool, values[i])};
        vec_push(h->scratch, numbers, number);
    }
}

#define add_all(h, pool, numbers, ...)                                                             \
    add_constants((h), (pool), (numbers), (const int[]){__VA_ARGS__},                              \
                  (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

static void add_condition(hlc *h, DirectiveChoices *choices, const char *text, Expr expr) {
    vec_push(h->scratch, &choices->conditions, (NumberChoice){text, expr});
}

/* Adds common specializations: a flag, a parameter's default, a large output. */
static void add_conditions(hlc *h, const Pipeline *pipeline, DirectiveChoices *choices) {
    Pool *pool = pipeline->pool;
    const Signature *signature = &pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        Expr variable = expr_variable(pool, parameter->name, parameter->type);
        if (type_is_bool(parameter->type)) {
            add_condition(h, choices, parameter->name->text, variable);
        } else if (type_is_machine_integer(parameter->type) && parameter->has_default) {
            Expr constant = expr_constant(pool, parameter->type, parameter->default_value);
            add_condition(
                h, choices,
                arena_format(h->scratch, "%s == %s", parameter->name->text,
                             text_value(h->scratch, parameter->type, parameter->default_value)),
                expr_eq(pool, variable, constant));
        }
    }
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        if (signature_func(signature, name)->dimensions == 0)
            continue;
        Expr extent = expr_buffer_field(pool, name, FIELD_EXTENT, 0);
        add_condition(h, choices, arena_format(h->scratch, "%s.extent(0) >= 32", name->text),
                      expr_le(pool, expr_index(pool, 32), extent));
    }
}

static DirectiveChoices candidates(hlc *h, const Pipeline *pipeline) {
    DirectiveChoices choices = {.kinds = ALL_DIRECTIVES,
                                .open_lengths = true,
                                .tails = 1u << TAILS_ROUND_UP | 1u << TAILS_SHIFT_INWARDS |
                                         1u << TAILS_ROUND_UP_AND_BLEND |
                                         1u << TAILS_SHIFT_INWARDS_AND_BLEND};
    Pool *pool = pipeline->pool;
    add_all(h, pool, &choices.factors, 4, 32);
    add_all(h, pool, &choices.widths, 8, 16);
    add_all(h, pool, &choices.minima, 0);
    add_all(h, pool, &choices.lengths, 4, 32);
    add_all(h, pool, &choices.moduli, 8);
    add_conditions(h, pipeline, &choices);
    return choices;
}

/* ---- the answer ---- */

static void print_move(hlc *h, const ShowRequest *request, const Directive *move) {
    static const char *const phases[] = {
        [PHASE_RECURRENCE] = "algorithm",  [PHASE_ALGORITHM] = "algorithm",
        [PHASE_SPECIALIZE] = "specialize", [PHASE_BOUNDS] = "bounds",
        [PHASE_LOOPS] = "loops",           [PHASE_COMPUTE] = "compute",
        [PHASE_STORAGE] = "storage",       [PHASE_SUGAR] = "loops"};
    const DirectiveInfo *info = directive_info(move->kind);
    Symbol func = argument_func(&move->arguments.data[0]);
    const char *text = directive_text(h->scratch, move);
    if (!request->json) {
        fprintf(request->out, "%s;\n", text);
        return;
    }
    fprintf(request->out,
            "{\"directive\":\"%s\",\"kind\":\"%s\",\"phase\":\"%s\",\"func\":\"%s\"}\n", text,
            info->text, phases[info->phase], func->text);
}

bool moves_propose(hlc *h, const Pipeline *pipeline, const char *name, Directives *proposed) {
    const Schedule *schedule;
    if (!compiler_schedule(h, pipeline, name, &schedule) ||
        !compiler_lower(h, pipeline, name, lower_judges(schedule), SIZE_MAX))
        return false;
    DirectiveChoices choices = candidates(h, pipeline);
    bool is_accepted = lower_propose(pipeline, schedule, &choices, h->scratch, proposed);
    hlc_assert(is_accepted, "what can be lowered can be searched for moves");
    return true;
}

static hlc_status show_moves(hlc *h, void *data) {
    const ShowRequest *request = data;
    const Pipeline *pipeline = compiler_pipeline(h, request->pipeline);
    const Schedule *schedule;
    Directives proposed = {0};
    if (!pipeline || !compiler_schedule(h, pipeline, request->schedule, &schedule) ||
        !moves_propose(h, pipeline, request->schedule, &proposed))
        return HLC_USER;
    for (size_t i = 0; i < proposed.length; i++)
        if (lower_accepts_move(pipeline, schedule, &proposed.data[i]))
            print_move(h, request, &proposed.data[i]);
    return HLC_YES;
}

hlc_status hlc_moves(hlc *h, const char *pipeline, const char *schedule, bool json, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest request = {.pipeline = pipeline, .schedule = schedule, .json = json, .out = out};
    return compiler_enter(h, show_moves, &request);
}

Schedule *moves_append(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                       const RankedMove *move, Arena *arena) {
    Schedule *longer = arena_new(arena, Schedule);
    longer->name = context_symbol(h->context, "move");
    longer->pipeline = pipeline->signature.name;
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        if (!moves_drops(move, &schedule->directives.data[i]))
            vec_push(arena, &longer->directives, schedule->directives.data[i]);
    for (size_t i = 0; i < move->directives.length; i++)
        vec_push(arena, &longer->directives, move->directives.data[i]);
    return longer;
}
