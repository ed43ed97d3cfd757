/* generate.c -- a random case: its program, its schedule, and its input. */
#include "checkers/fuzz/generate.h"

#include <string.h>

static Case *choose_program(Arena *arena, RandomSource *random, uint64_t seed, CaseKind kind,
                            CaseKind asked) {
    Case *c = arena_new(arena, Case);
    c->seed = seed;
    c->data_seed = random_bits(random) % 1000000;
    c->reductions = kind == CASE_OF_REDUCTIONS;
    c->recurrent = kind == CASE_OF_RECURRENCES;
    c->points = kind == CASE_OF_POINTS;
    c->scans = kind == CASE_OF_SCANS;
    c->scheduled = asked == CASE_SCHEDULED;
    c->windows = asked == CASE_OF_WINDOWS;
    generate_algorithm(arena, random, c);
    generate_sizes(arena, c);
    generate_schedule(arena, random, c);
    return c;
}

static bool is_factored(const Case *c) {
    for (size_t i = 0; i < c->directives.length; i++)
        if (strncmp(c->directives.data[i], "rfactor", 7) == 0)
            return true;
    return false;
}

Case *case_generate(Arena *arena, uint64_t seed, CaseKind kind) {
    enum { TRIES = 3 }; /* for reductions that can be factored */
    CaseKind asked = kind;
    if (kind == CASE_ANY || kind == CASE_SCHEDULED || kind == CASE_OF_WINDOWS)
        kind = seed % 16 == 7   ? CASE_OF_REDUCTIONS
               : seed % 6 == 3  ? CASE_OF_RECURRENCES
               : seed % 10 == 4 ? CASE_OF_POINTS
                                : CASE_ANY;
    RandomSource random = {seed * 2 + 1};
    Case *c = choose_program(arena, &random, seed, kind, asked);
    for (int i = 1; c->reductions && i < TRIES && asked != CASE_SCHEDULED && !is_factored(c); i++)
        c = choose_program(arena, &random, seed, kind, asked);
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        c->configurations[i] = (CaseConfiguration){
            .optimize = i ? random_below(&random, CASE_LEVELS) : 0,
            .target = i ? (CaseTarget)random_below(&random, CASE_TARGETS) : CASE_TARGET_HOST,
            .threads = random_between(&random, 1, CASE_THREADS),
            .stoppable = i == CASE_CONFIGURATIONS - 1 && seed % 2 == 0,
            .traced = i == CASE_CONFIGURATIONS - 1 && seed % 3 == 0,
            .profiled = i == CASE_CONFIGURATIONS - 1 && seed % 3 == 1,
            .sanitized = random_chance(&random, 50)};
    /* Watched code has nothing on the stack, and LLVM's low levels make few assumptions.  So one
     * configuration is always as users compile. */
    c->configurations[1].optimize = 2 + (seed % 4 == 0);
    c->configurations[1].sanitized = false;
    return c;
}

/* Returns the input of the case, as text. */
static const char *input_text(Arena *arena, const Case *c) {
    CaseBox boxes[CASE_IMAGES];
    for (int i = 0; i < c->image_count; i++)
        boxes[i] = c->images[i].box;
    return case_arguments(arena, c, boxes);
}

void case_generate_program(Arena *arena, uint64_t seed, CaseKind kind, int inputs,
                           CaseProgram *program) {
    const Case *first = case_generate(arena, seed, kind);
    const char *texts[CASE_MOST_INPUTS];
    program->count = 0;
    for (int i = 0; i < inputs; i++) {
        const Case *c = case_with_input(arena, first, i);
        const char *text = input_text(arena, c);
        bool is_new = true;
        for (int k = 0; is_new && k < program->count; k++)
            is_new = strcmp(texts[k], text) != 0;
        if (!is_new)
            continue;
        texts[program->count] = text;
        program->inputs[program->count++] = c;
    }
}
