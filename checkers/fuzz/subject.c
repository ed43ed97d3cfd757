/* subject.c -- runs a program on all its inputs: interpreted, as compiled code, read back from its
 * text.  Inputs that would make too much work are dropped.  Work that is costly is done for a share
 * of the programs, drawn by the seed.
 */
#include "checkers/fuzz/subject.h"

#include "associative/associative.h"
#include "checkers/fuzz/scheduled/chosen.h"
#include "checkers/interpreter/run.h"
#include "codegen/codegen.h"
#include "ir/print.h"
#include "ir/read.h"

#include <string.h>

enum { LARGE_OBJECT = 1 << 18 }; /* bytes */

RandomSource way_random(const CaseTrial *trial, Way way) {
    RandomSource random = {trial->c->seed * 31 + (uint64_t)way};
    random_bits(&random);
    return random;
}

bool way_is_drawn(const CaseTrial *trial, Way way, int percent) {
    RandomSource random = way_random(trial, way);
    return random_chance(&random, percent);
}

bool way_is_drawn_here(const CaseTrial *trial, Way way, int percent) {
    RandomSource random = way_random(trial, way);
    for (int i = 0; i < trial->c->input; i++)
        random_bits(&random);
    return random_chance(&random, percent);
}

/* A wrong answer of the prover is a defect even if its own check caught it. */
static bool tells_of_a_defect(const Reports *reports) {
    for (size_t i = 0; i < reports->length; i++)
        if (strstr(reports->data[i].message, associative_trial_failed))
            return true;
    return false;
}

void subject_refuse_case(CaseTrial *trial) {
    const Reports *reports = &trial->context->reports;
    hlc_assert(reports->length, "a refusal is reported");
    if (tells_of_a_defect(reports)) {
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s", associative_trial_failed);
        return;
    }
    const Report *report = &reports->data[reports->length - 1];
    if (chosen_stands(trial->c))
        trial_conclude(trial, VERDICT_DIFFERS, "", "the chosen schedule is refused: %s",
                       report->message);
    trial_conclude(trial, VERDICT_REFUSED, diag_info(report->code)->code, "%s", report->message);
}

void subject_refuse(const Subject *subject) {
    for (int i = 0; i < subject->count; i++)
        subject_refuse_case(subject->ready[i]);
}

static void interpret_case(CaseTrial *trial, const Program *program, const RunProgram *code,
                           uint64_t budget, bool prefix, const char *way) {
    static const char *const orders[] = {"", ", backward", ", interleaved"};
    Arena *arena = arena_create(&trial->context->memory);
    trial_begin(trial);
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    RunOptions options = {.seed = random_bits(&trial->random),
                          .budget = budget,
                          .order = (RunOrder)random_below(&trial->random, 3),
                          .code = code,
                          .instructions = &trial->instructions};
    Outcome outcome = run_program(program, arena, &trial->arguments, &options);
    trial->is_long = outcome.error == HLC_ERROR_BUDGET;
    trial_compare(trial, &trial->arguments, &outcome, prefix,
                  arena_format(arena, "%s%s", way, orders[options.order]));
    arena_destroy(arena);
}

bool subject_keeps(Subject *subject, CaseTrial *trial, uint64_t work, uint64_t most) {
    trial->result->is_left = subject->count > 0 && work > most;
    if (!trial->result->is_left)
        subject->ready[subject->count++] = trial;
    return !trial->result->is_left;
}

/* Puts the most expensive trial last.  But the first one stays first if it is not very
 * expensive. */
static void sort_by_cost(Subject *subject) {
    enum { VERY_DEAR = 5 * MANY_INSTRUCTIONS };
    int first = subject->count > 0 && subject->ready[0]->instructions < VERY_DEAR;
    for (int i = first + 1; i < subject->count; i++) {
        CaseTrial *trial = subject->ready[i];
        int to = i;
        for (; to > first && subject->ready[to - 1]->instructions > trial->instructions; to--)
            subject->ready[to] = subject->ready[to - 1];
        subject->ready[to] = trial;
    }
}

void subject_interpret(Subject *subject, Arena *arena, const Program *program, bool prefix,
                       const char *way) {
    /* Some prefixes of a schedule do much more work than the whole one. */
    bool is_short = prefix && !way_is_drawn(subject->program, WAY_LONG, 10);
    bool is_compiled = !prefix && !subject->program->interpreters;
    uint64_t budget = is_short ? BUDGET / 10 : is_compiled ? LONG_BUDGET : BUDGET;
    const RunProgram *code = run_compile(program, arena);
    int count = subject->count;
    uint64_t total = 0;
    subject->count = 0;
    for (int i = 0; i < count; i++) {
        CaseTrial *trial = subject->ready[i];
        uint64_t left = total < MANY_INSTRUCTIONS ? MANY_INSTRUCTIONS - total : 1;
        interpret_case(trial, program, code, subject->count ? left : budget, prefix, way);
        if (subject_keeps(subject, trial, total + trial->instructions, MANY_INSTRUCTIONS))
            total += trial->instructions;
    }
    sort_by_cost(subject);
}

Program *subject_read_back(CaseTrial *trial, Arena *arena, const Program *program,
                           const char *stage) {
    Context *context = trial->context;
    char *text = program_text(arena, program);
    uint32_t file = context_add_file(context, "case.ir", text, strlen(text));
    Program *back = program_read(program->pool, arena, file);
    if (!back) {
        const Reports *reports = &context->reports;
        const Report *report = &reports->data[reports->length - 1];
        trial_conclude(trial, VERDICT_DIFFERS, "", "text %s: line %u: %s", stage,
                       report->place.line, report->message);
    } else if (strcmp(program_text(arena, back), text) != 0) {
        trial_conclude(trial, VERDICT_DIFFERS, "", "text %s: read back, it prints otherwise",
                       stage);
    }
    return back;
}

Jit *subject_compile(Subject *subject, Arena *arena, const Program *program,
                     const CaseConfiguration *configuration) {
    static const char *const targets[] = {NULL, "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    const CaseTrial *trial = subject->program;
    Context *context = trial->context;
    DiagMark before = diag_mark(context);
    CodegenOptions options = {.optimize = configuration->optimize,
                              .targets = targets[configuration->target],
                              .stoppable = configuration->stoppable,
                              .trace = configuration->traced,
                              .profile = configuration->profiled,
                              .sanitize =
                                  configuration->sanitized ? codegen_sanitizer_here() : NULL};
    Object object;
    Jit *jit = NULL;
    if (options.targets && !codegen_runs_here(context, options.targets))
        return NULL;
    if (codegen_has_targets(context, options.targets, true) &&
        codegen_object(program, arena, &options, &object))
        jit = jit_load(context, &trial->pipeline->signature, &object);
    if (jit && object.length > subject->object)
        subject->object = object.length;
    if (jit)
        return jit;
    DiagCode code = context->reports.data[context->reports.length - 1].code;
    if (configuration->target != CASE_TARGET_HOST &&
        (code == DIAG_NEEDS_FMA || code == DIAG_TARGET_FOREIGN)) {
        diag_drop(context, before);
    } else {
        subject_refuse(subject);
    }
    return NULL;
}

CaseConfiguration subject_configuration(const Subject *subject, int number) {
    CaseConfiguration configuration = subject->program->c->configurations[number];
    configuration.sanitized &= codegen_sanitizer_here() != NULL;
    if (subject->object >= LARGE_OBJECT) { /* slow compilations are not repeated */
        configuration.optimize = 0;
        configuration.sanitized = false;
    }
    return configuration;
}

void subject_run_code(Subject *subject, Arena *arena, const Program *program, const char *what,
                      int number) {
    CaseConfiguration configuration = subject_configuration(subject, number);
    Jit *jit = subject_compile(subject, arena, program, &configuration);
    if (!jit)
        return;
    ProgramResult *result = subject->program->of_program;
    result->compiled++;
    for (int i = 0; i < subject->count; i++) {
        CaseTrial *trial = subject->ready[i];
        configuration.threads = trial->c->configurations[number].threads;
        trial_begin(trial);
        trial_call(trial, jit, &configuration, NULL, what);
        coverage_see_run(&result->coverage, &configuration);
        if (trial->c->windows && !trial->reference.error)
            trial_windows(trial, program, jit);
        if (way_is_drawn_here(trial, WAY_BOXES, 60))
            trial_query(trial, program, jit);
    }
    jit_free(jit);
}
