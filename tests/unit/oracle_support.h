/* oracle_support.h -- a schedule's bounds, filled by the oracle and asked on concrete windows
 * (checkers/query/query.h): for the tests of whole programs. */
#ifndef HLC_TESTS_UNIT_ORACLE_SUPPORT_H
#define HLC_TESTS_UNIT_ORACLE_SUPPORT_H

#include "checkers/query/query.h"
#include "ir/print.h"
#include "lower/lower.h"
#include "schedules.h"

#include <check.h>

typedef struct Window {
    int64_t minimum[2], extent[2];
} Window;

static const Window windows[] = {{{0, 0}, {1, 1}},  {{3, -2}, {7, 5}},    {{-5, 4}, {16, 9}},
                                 {{0, 1}, {33, 8}}, {{-9, -9}, {20, 17}}, {{2, 2}, {0, 3}}};
#define WINDOW_COUNT (sizeof windows / sizeof *windows)

/* Parameters take their default plus `step`, within their range. */
typedef struct Inputs {
    Bench *bench;
    Window window;
    int64_t step;
} Inputs;

static inline bool input_variable(void *data, Symbol name, Bits *bits) {
    const Inputs *inputs = data;
    const Signature *signature = &inputs->bench->pipeline->signature;
    const Parameter *parameter = signature_parameter(signature, name);
    Symbol buffer;
    BufferField field;
    int dimension;
    if (parameter) {
        *bits = parameter->default_value + inputs->step;
        *bits = *bits > parameter->upper ? parameter->upper : *bits;
        return true;
    }
    if (!buffer_field_parse(inputs->bench->context, name, &buffer, &field, &dimension))
        return false;
    if (strcmp(buffer->text, "far") == 0 && inputs->step == 2)
        *bits = field == FIELD_MINIMUM ? 1000 : dimension; /* 0x1: empty */
    else if (signature_func(signature, buffer))
        *bits = field == FIELD_MINIMUM ? inputs->window.minimum[dimension]
                                       : inputs->window.extent[dimension];
    else
        *bits = field == FIELD_MINIMUM ? -1 : 12;
    return true;
}

typedef struct Filled {
    const Pipeline *pipeline;
    Program *program;
    BoundsResult *result;
} Filled;

static inline bool fill(Bench *bench, const char *schedule, Filled *filled) {
    Directives primitives = {0};
    BoundRequests requests = {0};
    *filled = (Filled){0};
    filled->pipeline = schedule_expand(bench->pipeline, bench_schedule(bench, schedule), SIZE_MAX,
                                       bench->arena, &primitives);
    if (filled->pipeline)
        filled->program = lower_initial(filled->pipeline, bench->arena);
    if (!filled->program ||
        !schedule_apply(filled->program, filled->pipeline, &primitives, SIZE_MAX, &requests)) {
        diag_print_all(bench->context, stderr);
        ck_abort_msg("the schedule is legal: %s", schedule);
    }
    GrowingFunc growing;
    filled->result = bounds_fill(filled->program, filled->pipeline, &requests, false, true,
                                 bench->arena, &growing);
    if (growing.func)
        growing_report(filled->pipeline, &growing);
    /* The checks take an empty window away before anything runs, which the oracle relies on. */
    return filled->result &&
           lower_checks(filled->program, filled->pipeline, filled->result, &requests, bench->arena);
}

static inline Filled filled(Bench *bench, const char *schedule) {
    Filled result;
    if (!fill(bench, schedule, &result)) {
        diag_print_all(bench->context, stderr);
        ck_abort_msg("the oracle has an answer under: %s", schedule);
    }
    return result;
}

static inline QueryAnswer query(Bench *bench, const Filled *filled, Window window, int64_t step) {
    Inputs inputs = {bench, window, step};
    QueryOptions options = {input_variable, &inputs, (uint64_t)step + 7, 2000000};
    return bounds_query(filled->program, filled->pipeline, filled->result, bench->arena, &options);
}

static inline void expect_no_slack(const Filled *filled, const QueryAnswer *answer,
                                   const char *schedule) {
    for (size_t i = 0; i < answer->slack.length; i++)
        if (answer->slack.data[i].unasked)
            ck_abort_msg(
                "under %s: %s computes %lld of %lld coordinates of dimension %d unasked\n%s",
                schedule, answer->slack.data[i].func->text,
                (long long)answer->slack.data[i].unasked, (long long)answer->slack.data[i].computed,
                answer->slack.data[i].dimension,
                program_text(filled->program->arena, filled->program));
}

typedef Bench Builder(void);

/* B holds on every window; if `tight`, what is computed is exactly what is needed. */
static inline void expect_answer(Builder *build, const char *schedule, bool tight) {
    Bench bench = build();
    Filled f = filled(&bench, schedule);
    for (size_t i = 0; i < WINDOW_COUNT; i++)
        for (int64_t step = 0; step < 3; step++) {
            QueryAnswer answer = query(&bench, &f, windows[i], step);
            if (answer.violation || !answer.finished)
                ck_abort_msg("under \"%s\", window %zu, step %lld: %s\n%s", schedule, i,
                             (long long)step, answer.violation ? answer.violation : "unfinished",
                             program_text(bench.arena, f.program));
            ck_assert(!answer.refused);
            if (tight && windows[i].extent[0])
                expect_no_slack(&f, &answer, schedule);
        }
    bench_destroy(&bench);
}

static inline void expect_tight(Builder *build, const char *const *schedules) {
    for (; *schedules; schedules++)
        expect_answer(build, *schedules, true);
}

static inline void expect_sound(Builder *build, const char *const *schedules) {
    for (; *schedules; schedules++)
        expect_answer(build, *schedules, false);
}

#endif
