/* history.c -- the history of a point: a tree of reads, cut if it grows deep or long.
 *
 * The reference gives the reads of a point's definition.  The target interpreter logs all accesses
 * in order: a write depends on the reads between the previous write and itself.
 */
#include "checkers/fuzz/history.h"

#include "frontend/frontend.h"
#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"

#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 4, LINES = 40, LONGEST_LOG = 300000, BUDGET = 300000 };

typedef struct History {
    CaseTrial *trial;
    Arena *arena;
    FILE *out;
    int lines; /* the number that may still be printed */
} History;

/* Begins a line; false if the history has become too long. */
static bool begin_line(History *h, int depth, const HistoryPoint *at) {
    if (h->lines-- <= 0) {
        fprintf(h->out, h->lines == -1 ? "    ..\n" : "");
        return false;
    }
    fprintf(h->out, "    %*s%s", 2 * depth, "", at->name->text);
    if (at->component)
        fprintf(h->out, ".%d", at->component);
    for (int d = 0; d < at->dimensions; d++)
        fprintf(h->out, "%s%" PRId64, d ? ", " : "(", at->point[d]);
    fputs(at->dimensions ? ")" : "()", h->out);
    return true;
}

static void print_value(const History *h, Type type, Bits bits) {
    char text[48];
    value_print(type, bits, text, sizeof text);
    fprintf(h->out, " = %s", text);
}

/* ---- the reference ---- */

static void tell_reference(History *h, const HistoryPoint *at, int depth) {
    const CaseTrial *trial = h->trial;
    const FuncShape *shape = signature_func(&trial->pipeline->signature, at->name);
    ReferenceOptions options = {0};
    ReferenceReads reads = {0};
    Value values[MAX_DIMENSIONS * 2];
    if (!shape || shape->components > MAX_DIMENSIONS * 2 || !begin_line(h, depth, at))
        return;
    Outcome outcome = reference_point(trial->pipeline, h->arena, &trial->arguments, &options,
                                      at->name, at->point, values, &reads);
    if (outcome.error)
        fprintf(h->out, ": %s", outcome.message);
    else
        print_value(h, shape->types[at->component], values[at->component].bits);
    fputc('\n', h->out);
    for (size_t i = 0; i < reads.length; i++) {
        const ReferenceRead *read = &reads.data[i];
        HistoryPoint next = {read->name, read->component, read->dimensions, {0}};
        memcpy(next.point, read->point, sizeof next.point);
        bool is_itself = read->name == at->name; /* its stages are shown as one */
        if (!read->is_image && !is_itself && depth + 1 < DEEPEST) {
            tell_reference(h, &next, depth + 1);
        } else if (begin_line(h, depth + 1, &next)) {
            print_value(h, read->type, read->value.bits);
            fputc('\n', h->out);
        }
    }
}

/* ---- the target interpreter ---- */

typedef struct Log {
    Arena *arena;
    Vec(RunAccess) accesses;
} Log;

static void log_access(void *data, const RunAccess *access) {
    Log *log = data;
    if (log->accesses.length < LONGEST_LOG)
        vec_push(log->arena, &log->accesses, *access);
}

/* Returns the last write to the point before `end`; `end` if there is none. */
static size_t find_write(const Log *log, const HistoryPoint *at, size_t end) {
    for (size_t i = end; i-- > 0;) {
        const RunAccess *access = &log->accesses.data[i];
        if (access->is_write && access->name == at->name && access->component == at->component &&
            memcmp(access->point, at->point, (size_t)at->dimensions * sizeof *at->point) == 0)
            return i;
    }
    return end;
}

static void tell_run(History *h, const Log *log, const HistoryPoint *at, size_t end, int depth) {
    if (!begin_line(h, depth, at))
        return;
    bool is_image = signature_image(&h->trial->pipeline->signature, at->name) != NULL;
    size_t write = is_image ? end : find_write(log, at, end);
    if (write == end) {
        const RunAccess *read = end < log->accesses.length ? &log->accesses.data[end] : NULL;
        if (is_image && read)
            print_value(h, read->type, read->bits);
        fputs(is_image ? "\n" : ": never written\n", h->out);
        return;
    }
    const RunAccess *access = &log->accesses.data[write];
    print_value(h, access->type, access->bits);
    fprintf(h->out, "%s, written by line %u\n", access->is_known ? "" : " (from unwritten memory)",
            access->stmt->place.line);
    /* The components before it belong to the same write. */
    size_t first = write - (size_t)access->component;
    while (first > 0 && !log->accesses.data[first - 1].is_write)
        first--;
    for (size_t i = first; i < write && depth + 1 < DEEPEST; i++) {
        const RunAccess *read = &log->accesses.data[i];
        HistoryPoint next = {read->name, read->component, read->dimensions, {0}};
        memcpy(next.point, read->point, sizeof next.point);
        if (!read->is_write)
            tell_run(h, log, &next, i, depth + 1);
    }
}

void history_print(CaseTrial *trial, const Program *program, int output, const int64_t *point,
                   FILE *out) {
    const Signature *signature = &trial->pipeline->signature;
    Arena *arena = arena_create(&trial->context->memory);
    HistoryPoint at = {0};
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        at.name = shape->name;
        at.dimensions = shape->dimensions;
        at.component = output;
        if (output < shape->components)
            break;
        output -= shape->components;
    }
    memcpy(at.point, point, (size_t)at.dimensions * sizeof *point);
    History h = {trial, arena, out, LINES};
    fputs("  in the reference:\n", out);
    tell_reference(&h, &at, 0);
    Log log = {.arena = arena};
    RunOptions options = {.budget = BUDGET, .watch = log_access, .watch_data = &log};
    Outcome outcome = run_program(program, arena, &trial->arguments, &options);
    fprintf(out, "  in the target interpreter%s%s:\n", outcome.error ? ", which ends with: " : "",
            outcome.error ? outcome.message : "");
    h.lines = LINES;
    tell_run(&h, &log, &at, log.accesses.length, 0);
    arena_destroy(arena);
}

void history_of_case(const Case *c, int output, const int64_t *point, FILE *out) {
    CaseResult result = {.verdict = VERDICT_EQUAL};
    Context *context = context_create();
    CaseTrial trial = {.context = context, .arena = context->arena, .c = c, .result = &result};
    LowerOptions options = {.last = PASS_EAGER, .directives = SIZE_MAX};
    if (trial_load(&trial)) {
        trial_choose(&trial);
        Lowered *lowered = lower(trial.pipeline, trial.schedule, trial.arena, &options);
        if (lowered && trial_make_images(&trial, lowered) && trial_make_outputs(&trial))
            history_print(&trial, lowered->program, output, point, out);
        trial_free(&trial);
    }
    context_destroy(context);
}
