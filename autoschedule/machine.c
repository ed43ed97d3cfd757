/* machine.c -- the typical machine, the defaults of targets, and the text of a machine. */
#include "autoschedule/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Machine TYPICAL = {
    .vector_bytes = 32,
    .registers = 14,
    .cache_bytes = {32 << 10, 512 << 10, 8 << 20},
    .line_bytes = 64,
    .bytes_per_cycle = {32, 14, 4},
    .memory_sharing = 1.6,
    .usable = 0.7,
    .issue = 4,
    .loop_cycles = 1,
    .row_cycles = 60,
    .masked = 1,
    .masked_small = 4,
    .guard_cycles = 3,
    .dispatch_cycles = 9000,
    .task_cycles = 300,
    .allocation_cycles = 120,
    .integer_latency = 1,
    .float_latency = 4,
    .memory_latency = 5,
    .gather_cycles = 1.6,
    .scatter_cycles = 2,
    .operators = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
};

const Machine *machine_typical(void) {
    return &TYPICAL;
}

/* ---- targets ---- */

/* In the order of codegen/targets.def: of one architecture, those that need more stand below. */
static const struct {
    const char *name;
    double vector_bytes, registers, gather_cycles;
} TARGETS[] = {
    {"x86-64", 16, 14, 2},          {"x86-64-v2", 16, 14, 2},        {"x86-64-v3", 32, 14, 1.6},
    {"x86-64-v4", 64, 30, 1.3},     {"x86-64-v4-vnni", 64, 30, 1.3}, {"aarch64", 16, 30, 2},
    {"aarch64-dotprod", 16, 30, 2},
};

Machine machine_of_targets(const char *targets) {
    Machine machine = TYPICAL;
    size_t last = 0;
    for (const char *name = targets; name;) {
        size_t length = strcspn(name, ",");
        for (size_t i = last; i < sizeof TARGETS / sizeof *TARGETS; i++)
            if (strncmp(TARGETS[i].name, name, length) == 0 && !TARGETS[i].name[length]) {
                machine.vector_bytes = TARGETS[i].vector_bytes;
                machine.registers = TARGETS[i].registers;
                machine.gather_cycles = TARGETS[i].gather_cycles;
                last = i;
            }
        name = name[length] ? name + length + 1 : NULL;
    }
    return machine;
}

/* ---- text ---- */

typedef struct Figure {
    const char *text;
    size_t offset; /* of a double in a Machine */
    double least, most;
    bool is_measured;
    const char *sentence;
} Figure;

static const Figure FIGURES[] = {
#define FIGURE(TEXT, FIELD, LEAST, MOST, MEASURED, SENTENCE)                                       \
    {(TEXT), offsetof(Machine, FIELD), (LEAST), (MOST), (MEASURED), (SENTENCE)},
#include "autoschedule/machine.def"
#undef FIGURE
};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

static double *figure_of(Machine *machine, int i) {
    return (double *)((char *)machine + FIGURES[i].offset);
}

static int find_figure(const char *name, size_t length) {
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (strncmp(FIGURES[i].text, name, length) == 0 && !FIGURES[i].text[length])
            return i;
    return -1;
}

static const char BLANKS[] = " \t\r", ENDS[] = " \t\r\n#";

/* Reads one line; null, or what is wrong. */
static const char *read_line(const char *line, Machine *machine, bool *seen, Arena *arena) {
    line += strspn(line, BLANKS);
    size_t length = strcspn(line, ENDS);
    if (length == 0)
        return NULL;
    int i = find_figure(line, length);
    if (i < 0)
        return arena_format(arena, "no figure is called `%.*s`", (int)(length < 40 ? length : 40),
                            line);
    if (seen[i])
        return arena_format(arena, "`%s` stands there twice", FIGURES[i].text);
    seen[i] = true;
    const char *number = line + length + strspn(line + length, BLANKS);
    char *end = NULL;
    double value = strchr("+-.0123456789", *number) && *number ? strtod(number, &end) : 0;
    if (!end || end == number || !strchr(ENDS, *end))
        return arena_format(arena, "`%s` has no number", FIGURES[i].text);
    end += strspn(end, BLANKS);
    if (*end && *end != '\n' && *end != '#')
        return arena_format(arena, "`%s` has more than one number", FIGURES[i].text);
    if (!(value >= FIGURES[i].least && value <= FIGURES[i].most))
        return arena_format(arena, "`%s` lies between %g and %g", FIGURES[i].text, FIGURES[i].least,
                            FIGURES[i].most);
    *figure_of(machine, i) = value;
    return NULL;
}

const char *machine_from_text(const char *text, Machine *machine, int *line, Arena *arena) {
    bool seen[FIGURE_COUNT] = {false};
    *line = 1;
    for (const char *at = text; *at; (*line)++) {
        const char *fault = read_line(at, machine, seen, arena);
        if (fault)
            return fault;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    machine->operators[CLASS_FUNCTION][0] = machine->operators[CLASS_FUNCTION][1];
    return NULL;
}

void machine_print(const Machine *machine, FILE *out) {
    for (int i = 0; i < FIGURE_COUNT; i++)
        fprintf(out, "%-24s%-12.9g# %s%s\n", FIGURES[i].text, *figure_of((Machine *)machine, i),
                FIGURES[i].sentence, FIGURES[i].is_measured ? "" : " (not measured)");
}

void machine_print_json(const Machine *machine, FILE *out) {
    for (int i = 0; i < FIGURE_COUNT; i++)
        fprintf(out, "%s\"%s\":%.9g", i ? "," : "{", FIGURES[i].text,
                *figure_of((Machine *)machine, i));
    fputs("}\n", out);
}

double machine_rounded(double figure) {
    if (!(figure > 0))
        return figure;
    double power = pow(1.05, round(log(figure) / log(1.05)));
    double digits = pow(10, 3 - floor(log10(power)));
    return round(power * digits) / digits;
}
