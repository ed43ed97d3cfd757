/* stages.c -- measures the cost of compiling, pass by pass: for chains of growing length, and for
 * files.
 *
 *     build/stages [--json] [--code] [--stages=N,..] [FILE.hl ..]
 *
 * Without files: chains of 10 to 1000 stages, under several kinds of schedules. Each stage is a
 * stencil on the previous one. `growth` is the time for a stage divided by that for a stage of the
 * shortest chain of the kind: 1 is linear. With files: each pipeline under each of its schedules.
 * Times are the least of several rounds, in milliseconds of this process's processor time. --code
 * also generates machine code, in this process. --json prints an object for each line.
 */
#include "library/compiler.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, MOST_COUNTS = 16, MOST_LAPS = 32 };

typedef struct Options {
    bool json, code;
    int counts[MOST_COUNTS], count;
} Options;

typedef struct Times {
    int laps;
    char names[MOST_LAPS][40];
    double milliseconds[MOST_LAPS], all;
} Times;

/* ---- chains ---- */

typedef enum Kind { ROOT, ROOT_TILED, AT, TILED, GROUPS, NESTED, INLINED, KINDS } Kind;

static const char *const kinds[KINDS] = {
    [ROOT] = "compute-root, vectorized",
    [ROOT_TILED] = "compute-root, tiled, parallel",
    [AT] = "all computed at the rows of the last",
    [TILED] = "all computed at the tiles of the last, vectorized",
    [GROUPS] = "tens computed at the rows of the tenth",
    [NESTED] = "each computed at the rows of the next, in eights",
    [INLINED] = "inlined, but each tenth",
};

static const char *stage_name(Arena *arena, int i, int count) {
    return i + 1 == count ? "out" : arena_format(arena, "stage%d", i);
}

static void print_algorithm(FILE *out, Arena *arena, Kind kind, int count) {
    const char *before = "edge";
    fputs("pipeline chain(input: image<u16, 2>) -> out {\n    let edge = repeat_edge(input);\n",
          out);
    for (int i = 0; i < count; i++) {
        const char *name = stage_name(arena, i, count);
        if (kind == INLINED)
            fprintf(out, "    fun %s(x, y) = %s(x, y)/2 + %s(x + 1, y);\n", name, before, before);
        else
            fprintf(out, "    fun %s(x, y) = (%s(x - 1, y) + %s(x, y + 1) + %s(x + 1, y - 1))/3;\n",
                    name, before, before, before);
        before = name;
    }
    fputs("}\n", out);
}

static void print_stage(FILE *out, Arena *arena, Kind kind, int i, int count) {
    const char *name = stage_name(arena, i, count);
    bool last = i + 1 == count;
    int every = kind == NESTED ? 8 : 10, end = i / every * every + every - 1;
    const char *group = stage_name(arena, end < count ? end : count - 1, count);
    switch (kind) {
    case ROOT:
        fprintf(out, "    vectorize(%s.x, 16);\n", name);
        break;
    case ROOT_TILED:
        fprintf(out, "    tile(%s.x, %s.y, x_o, y_o, x_i, y_i, 64, 32);  parallel(%s.y_o);\n", name,
                name, name);
        break;
    case AT:
        fprintf(out, last ? "" : "    compute-at(%s, out.y);\n", name);
        break;
    case TILED:
        fprintf(out,
                last ? "    vectorize(out.x_i, 16);\n"
                     : "    compute-at(%s, out.x_o);  vectorize(%s.x, 16);\n",
                name, name);
        break;
    case GROUPS:
        if (!last && i % every != every - 1)
            fprintf(out, "    compute-at(%s, %s.y);\n", name, group);
        break;
    case NESTED:
        if (!last && i % every != every - 1)
            fprintf(out, "    compute-at(%s, %s.y);\n", name, stage_name(arena, i + 1, count));
        break;
    case INLINED:
        if (!last && i % every != every - 1)
            fprintf(out, "    inline(%s);\n", name);
        break;
    case KINDS:
        break;
    }
}

static char *chain_text(Arena *arena, Kind kind, int count) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    print_algorithm(out, arena, kind, count);
    fputs("schedule s for chain {\n", out);
    if (kind == TILED)
        fputs("    tile(out.x, out.y, x_o, y_o, x_i, y_i, 64, 32);\n", out);
    for (int i = 0; i < count; i++)
        print_stage(out, arena, kind, i, count);
    fputs("}\n", out);
    fclose(out);
    return text;
}

/* ---- measuring ---- */

static bool has_parts(const Timing *timing, int part) {
    for (size_t i = 0; i < timing->parts.length; i++)
        if (timing->parts.data[i].outer == part)
            return true;
    return false;
}

/* The parts that have none inside. */
static void take(Times *times, const Timing *timing, bool first) {
    Times now = {0};
    for (int i = 0; i < (int)timing->parts.length && now.laps < MOST_LAPS; i++) {
        if (has_parts(timing, i))
            continue;
        const TimedPart *part = &timing->parts.data[i];
        snprintf(now.names[now.laps], sizeof now.names[0], "%s", part->name);
        now.milliseconds[now.laps] = (double)part->took.processor * 1e-6;
        now.all += now.milliseconds[now.laps++];
    }
    if (first || now.all < times->all)
        *times = now;
}

typedef struct Request {
    const Options *options;
    const char *pipeline, *schedule;
} Request;

static hlc_status make(hlc *h, void *data) {
    const Request *request = data;
    const Program *program = compiler_find_program(h, request->pipeline, request->schedule);
    CodegenOptions options = {.optimize = 2};
    Object object;
    if (program && request->options->code)
        compiler_object(h, program, &options, &object);
    return HLC_YES; /* unless something was reported */
}

/* `text` null: the file's. False after printing the reason. */
static bool measure(const char *path, const char *text, Request request, Times *times) {
    for (int round = 0; round < ROUNDS; round++) {
        hlc *h = hlc_create();
        hlc_measure_times(h);
        hlc_status status =
            text ? hlc_load_text(h, path, text, strlen(text), NULL, NULL) : hlc_load(h, path);
        if (status == HLC_YES)
            status = compiler_enter(h, make, &request);
        take(times, h->context->timing, round == 0);
        hlc_print_diagnostics(h, stderr);
        hlc_destroy(h);
        if (status != HLC_YES)
            return false;
    }
    return true;
}

static void print_times(const Options *options, const Times *times) {
    for (int i = 0; i < times->laps; i++)
        printf(options->json ? ", \"%s\": %.3f" : "  %s %.2f", times->names[i],
               times->milliseconds[i]);
    puts(options->json ? "}" : "");
}

static bool measure_chains(const Options *options, Arena *arena, Kind kind) {
    double first = 0;
    if (!options->json)
        printf("%s\n", kinds[kind]);
    for (int i = 0; i < options->count; i++) {
        int count = options->counts[i];
        Times times = {0};
        char *text = chain_text(arena, kind, count);
        bool is_made = measure("chain.hl", text, (Request){options, "chain", "s"}, &times);
        free(text);
        if (!is_made)
            return false;
        double each = times.all / count;
        first = i ? first : each;
        printf(options->json ? "{\"schedule\": \"%s\", \"stages\": %d, \"all\": %.3f, "
                               "\"growth\": %.2f"
                             : "%.0s%6d stages %9.1f ms, growth %4.2f: ",
               kinds[kind], count, times.all, each / first);
        print_times(options, &times);
    }
    return true;
}

static bool measure_file(const Options *options, const char *path) {
    hlc *h = hlc_create();
    bool works = hlc_load(h, path) == HLC_YES;
    hlc_print_diagnostics(h, stderr);
    for (size_t i = 0; works && i < hlc_schedule_count(h); i++) {
        const char *schedule = hlc_schedule_name(h, i);
        Times times = {0};
        works =
            measure(path, NULL, (Request){options, hlc_schedule_pipeline(h, i), schedule}, &times);
        printf(options->json ? "{\"file\": \"%s\", \"schedule\": \"%s\", \"all\": %.3f"
                             : "%s %s: %.2f ms: ",
               path, schedule, times.all);
        print_times(options, &times);
    }
    hlc_destroy(h);
    return works;
}

static void read_counts(Options *options, const char *text) {
    char *end = (char *)text;
    for (options->count = 0; *text && options->count < MOST_COUNTS; text = *end ? end + 1 : end)
        options->counts[options->count++] = (int)strtol(text, &end, 10);
}

int main(int argument_count, char **arguments) {
    Options options = {.counts = {10, 30, 100, 300, 1000}, .count = 5};
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    bool works = true, has_files = false;
    for (int i = 1; i < argument_count; i++) {
        options.json |= strcmp(arguments[i], "--json") == 0;
        options.code |= strcmp(arguments[i], "--code") == 0;
        if (strncmp(arguments[i], "--stages=", 9) == 0)
            read_counts(&options, arguments[i] + 9);
    }
    for (int i = 1; i < argument_count && works; i++)
        if (arguments[i][0] != '-') {
            works = measure_file(&options, arguments[i]);
            has_files = true;
        }
    for (int kind = 0; kind < KINDS && !has_files && works; kind++)
        works = measure_chains(&options, arena, (Kind)kind);
    arena_destroy(arena);
    return works ? 0 : 1;
}
