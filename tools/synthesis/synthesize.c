/* synthesize.c -- `synthesize [OPTIONS] GOALS > found.rules`: finds rules that settle goals which
 * this build's rules leave open. docs/synthesis.md describes the method. */
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: synthesize [--journal=FILE] [--without-rule=NAME] [--candidates=N] [--condition=N]\n"
    "                  [--number=N] [--goals=N] [--terms=N] [--quiet] GOALS > found.rules\n";

typedef struct Options {
    const char *journal, *goals;
} Options;

/* Returns the value of `--NAME=VALUE`; null for another argument. */
static const char *value_of(const char *argument, const char *name) {
    size_t length = strlen(name);
    return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1
                                                                       : NULL;
}

static bool read_argument(Synthesis *s, Options *options, const char *argument) {
    struct {
        const char *name;
        int *number;
    } numbers[] = {{"--candidates", &s->limits.candidates},
                   {"--condition", &s->limits.condition_operators},
                   {"--number", &s->limits.number_operators},
                   {"--goals", &s->limits.goals},
                   {"--terms", &s->limits.terms}};
    const char *value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if ((value = value_of(argument, numbers[i].name))) {
            *numbers[i].number = atoi(value);
            return *numbers[i].number > 0 && *numbers[i].number <= 1000000;
        }
    if ((value = value_of(argument, "--journal")))
        options->journal = value;
    else if ((value = value_of(argument, "--without-rule")))
        s->without_rule = value;
    else if (!strcmp(argument, "--quiet"))
        s->progress = NULL;
    else if (argument[0] != '-' && !options->goals)
        options->goals = argument;
    else
        return false;
    return s->limits.condition_operators <= 8 && s->limits.number_operators <= 8;
}

static bool is_rule(const char *name) {
    for (size_t i = 0; i < rule_table_count; i++)
        if (!strcmp(rule_table[i].name, name))
            return true;
    return false;
}

static int run(Synthesis *s, const Options *options) {
    FILE *in = fopen(options->goals, "r");
    if (!in) {
        fprintf(stderr, "synthesize: %s cannot be read\n", options->goals);
        return 3;
    }
    size_t open = goals_read(s, in);
    fclose(in);
    s->journal = options->journal ? journal_open(s, options->journal) : NULL;
    if (options->journal && !s->journal) {
        fprintf(stderr, "synthesize: %s cannot be written\n", options->journal);
        return 3;
    }
    candidates_enumerate(s);
    if (s->progress)
        fprintf(s->progress, "%zu goals, %zu of them open; %zu left sides\n", s->goals.length, open,
                s->candidates.length);
    candidates_search(s);
    size_t found = s->found.length;
    found_select(s);
    found_emit(s, stdout);
    size_t settled = goals_settled(s, s->simplifier, NULL);
    if (s->progress)
        fprintf(s->progress, "%zu rules found, %zu kept; %zu goals settled more\n", found,
                s->found.length, settled - (s->goals.length - open));
    return fflush(stdout) || ferror(stdout) ? 3 : 0;
}

/* Searches for rules after the arguments are read. */
static int synthesize(Synthesis *s, const Options *options) {
    if (s->without_rule && !is_rule(s->without_rule)) {
        fprintf(stderr, "synthesize: there is no rule %s\n", s->without_rule);
        return 2;
    }
    s->pool = pool_create(s->context, s->arena);
    s->variants.arena = s->arena;
    s->simplifier_arena = arena_create(&s->context->memory);
    s->simplifier = synthesis_simplifier(s, s->simplifier_arena, &s->variants);
    s->solver = process_start(s->arena, "z3");
    int status = 3;
    if (s->solver && process_is_ready(s->solver, s->arena))
        status = run(s, options);
    else
        fputs("synthesize: z3 is not installed\n", stderr);
    if (s->solver)
        process_stop(s->solver);
    return status;
}

int main(int count, char **arguments) {
    Context *context = context_create();
    Synthesis s = {.context = context, .arena = context->arena, .progress = stderr};
    s.limits = (SynthesisLimits){.condition_operators = 6,
                                 .number_operators = 4,
                                 .goals = 1,
                                 .fragments = 4000,
                                 .candidates = 1000000,
                                 .terms = 4000,
                                 .rounds = 6};
    Options options = {0};
    bool good = true;
    for (int i = 1; i < count; i++)
        good = good && read_argument(&s, &options, arguments[i]);
    int status = 2;
    if (good && options.goals)
        status = synthesize(&s, &options);
    else
        fputs(USAGE, stderr);
    context_destroy(context);
    return status;
}
