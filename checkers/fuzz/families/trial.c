/* trial.c -- compares the forms of one program: as written, as it is expanded, and flat. */
#include "checkers/fuzz/families/families.h"

#include "include/hlc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 3, SCHEDULES = 3 };

static const char *const schedules[SCHEDULES] = {NULL, "s", "t"};
static const char *const form_names[FORMS] = {"as written", "expanded", "flat"};

typedef struct Trial {
    Arena *arena;
    FamilyProgram program;
    OracleExtent extent;
    uint64_t seed;
    hlc *forms[FORMS];
    const char *lowered[SCHEDULES];
    CaseResult *result;
    ProgramResult *of_program;
} Trial;

static bool conclude(Trial *trial, CaseVerdict verdict, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns false. */
static bool conclude(Trial *trial, CaseVerdict verdict, const char *reason, const char *format,
                     ...) {
    CaseResult *result = trial->result;
    if (result->verdict >= verdict)
        return false;
    result->verdict = verdict;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    va_list list;
    va_start(list, format);
    vsnprintf(result->message, sizeof result->message, format, list);
    va_end(list);
    return false;
}

static const char *first_code(const hlc *h) {
    for (size_t i = 0; i < hlc_diagnostic_count(h); i++)
        if (hlc_diagnostic_at(h, i).severity == HLC_ERROR)
            return hlc_diagnostic_at(h, i).code;
    return "";
}

static const char *first_text(const hlc *h) {
    for (size_t i = 0; i < hlc_diagnostic_count(h); i++)
        if (hlc_diagnostic_at(h, i).severity == HLC_ERROR)
            return hlc_diagnostic_at(h, i).message;
    return "";
}

/* ---- loading ---- */

static bool load(Trial *trial, int form, const char *text) {
    hlc *h = trial->forms[form] = hlc_create();
    for (int i = 0; form == 0 && i < trial->program.constant_count; i++)
        if (trial->program.values[i])
            hlc_set_constant(h, trial->program.constants[i], trial->program.values[i]);
    return hlc_load_text(h, "case.hl", text, strlen(text), NULL, NULL) == HLC_YES;
}

/* A name that would mean something else at its use is refused; so is what is too large. */
static bool may_be_refused(const char *code) {
    static const char *const codes[] = {"E0202", "E0203", "E0226", "E0903", "E0904", "E0916"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(code, codes[i]))
            return true;
    return false;
}

static const char *expanded(Trial *trial, const hlc *form) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    hlc_expand((hlc *)form, out); // NOLINT: prints only
    fclose(out);
    const char *kept = arena_text(trial->arena, text, length);
    free(text);
    return kept;
}

/* The flat form; where one of its names is captured, with other names. */
static bool load_flat(Trial *trial) {
    if (load(trial, 2, trial->program.flat))
        return true;
    hlc_destroy(trial->forms[2]);
    family_draw(trial->arena, trial->seed, true, &trial->program);
    return load(trial, 2, trial->program.flat);
}

static bool load_all(Trial *trial) {
    if (!load_flat(trial)) {
        const char *code = first_code(trial->forms[2]);
        bool is_large = !strcmp(code, "E0903") || !strcmp(code, "E0904");
        return conclude(trial, is_large ? VERDICT_REFUSED : VERDICT_DIFFERS, code,
                        "the flat form is refused: %s %s", code, first_text(trial->forms[2]));
    }
    if (!load(trial, 0, trial->program.written)) {
        const char *code = first_code(trial->forms[0]);
        return conclude(trial, may_be_refused(code) ? VERDICT_REFUSED : VERDICT_DIFFERS, code,
                        "as written it is refused: %s %s", code, first_text(trial->forms[0]));
    }
    const char *text = expanded(trial, trial->forms[0]);
    if (!load(trial, 1, text))
        return conclude(trial, VERDICT_DIFFERS, "", "expanded it is refused: %s",
                        first_text(trial->forms[1]));
    if (strcmp(text, expanded(trial, trial->forms[1])) != 0)
        return conclude(trial, VERDICT_DIFFERS, "", "the expansion is expanded otherwise");
    return true;
}

/* ---- the lowered text ---- */

/* Lines of the program's text stand in messages. */
static void forget_lines(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        *to++ = *from++;
        if (to - text >= 5 && !strncmp(to - 5, "line ", 5))
            while (*from >= '0' && *from <= '9')
                from++;
    }
    *to = '\0';
}

static const char *lower_text(Trial *trial, int form, const char *schedule) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    hlc_lower_options options = {.until = -1};
    hlc_clear_diagnostics(trial->forms[form]);
    hlc_status status = hlc_lower(trial->forms[form], "p", schedule, &options, out);
    fclose(out);
    const char *kept = NULL;
    if (status == HLC_YES) {
        forget_lines(text);
        kept = arena_text(trial->arena, text, strlen(text));
    }
    free(text);
    return kept;
}

/* Schedules that one form takes, all take; and they make the same program.  The schedules are
 * compared with one of the other forms, by turns: lowering takes the most time. */
static bool compare_lowered(Trial *trial) {
    for (int s = 0; s < SCHEDULES; s++) {
        const char *name = schedules[s] ? schedules[s] : "the empty schedule";
        int left_out = s > 0 ? 1 + (int)(trial->seed % 2) : 0;
        const char *first = trial->lowered[s] = lower_text(trial, 0, schedules[s]);
        for (int form = 1; form < FORMS; form++) {
            if (form == left_out)
                continue;
            const char *other = lower_text(trial, form, schedules[s]);
            if (!first != !other)
                return conclude(trial, VERDICT_DIFFERS, "", "%s: %s it is refused, %s not: %s",
                                name, form_names[first ? form : 0], form_names[first ? 0 : form],
                                first_text(trial->forms[first ? form : 0]));
            bool must_be_same = form == 1 || !trial->program.renamed;
            if (first && must_be_same && strcmp(first, other) != 0)
                return conclude(trial, VERDICT_DIFFERS, "",
                                "%s: %s it is lowered to another program than as written", name,
                                form_names[form]);
        }
        if (!first && s == 0)
            return conclude(trial, VERDICT_REFUSED, first_code(trial->forms[0]), "%s",
                            first_text(trial->forms[0]));
    }
    return true;
}

/* ---- runs ---- */

static hlc_arguments *make_arguments(Trial *trial, int form) {
    hlc_arguments *a = hlc_arguments_create(trial->forms[form], "p");
    RandomSource random = {trial->seed ^ 0xfa11};
    int size = random_between(&random, 1, 9);
    const char *in1 = arena_format(trial->arena, "random:%d:%dx%d", random_below(&random, 1000),
                                   size, random_between(&random, 1, 9));
    const char *in2 =
        arena_format(trial->arena, "random:%d:%dx4x3", random_below(&random, 1000), size);
    const char *window = arena_format(trial->arena, "%dx%d+%d+%d", random_between(&random, 1, 9),
                                      random_between(&random, 1, 5), random_below(&random, 4),
                                      random_below(&random, 4));
    bool good = hlc_arguments_set(a, "in0", random_chance(&random, 50) ? "2" : "-5") == HLC_YES;
    good = good && hlc_arguments_set(a, "in1", in1) == HLC_YES;
    good = good && hlc_arguments_set(a, "in2", in2) == HLC_YES;
    good = good && hlc_arguments_set(a, "out", window) == HLC_YES;
    good = good && hlc_arguments_set(a, "side", window) == HLC_YES;
    return good ? a : NULL;
}

/* Are the outputs the same?  They have the same windows, and are dense. */
static bool same_outputs(const hlc_arguments *a, const hlc_arguments *b) {
    for (size_t i = 0; i < hlc_arguments_output_count(a); i++) {
        const hlc_image *first = hlc_arguments_output(a, i), *second = hlc_arguments_output(b, i);
        for (int64_t y = 0; y < first->extent[1]; y++) {
            const int32_t *row = (const int32_t *)first->data + y * first->stride[1];
            const int32_t *other = (const int32_t *)second->data + y * second->stride[1];
            for (int64_t x = 0; x < first->extent[0]; x++)
                if (row[x * first->stride[0]] != other[x * second->stride[0]])
                    return false;
        }
    }
    return true;
}

/* Runs a form, and compares it with the reference's answer. */
static void run_form(Trial *trial, const hlc_arguments *expected, int form, int s,
                     hlc_machine machine, const char *way) {
    hlc_arguments *a = make_arguments(trial, form);
    const char *name = schedules[s] ? schedules[s] : "the empty schedule";
    hlc_clear_diagnostics(trial->forms[form]);
    if (!a || hlc_run(a, schedules[s], machine) != HLC_YES)
        conclude(trial, VERDICT_DIFFERS, "", "%s, %s, %s: refused: %s", form_names[form], name, way,
                 first_text(trial->forms[form]));
    else if (!same_outputs(expected, a))
        conclude(trial, VERDICT_DIFFERS, "", "%s, %s, %s: another value", form_names[form], name,
                 way);
    trial->result->runs++;
}

static void run_all(Trial *trial) {
    hlc_arguments *expected = make_arguments(trial, 2);
    hlc_clear_diagnostics(trial->forms[2]);
    if (!expected || hlc_run(expected, NULL, HLC_REFERENCE) != HLC_YES) {
        conclude(trial, VERDICT_REFUSED, first_code(trial->forms[2]), "%s",
                 first_text(trial->forms[2]));
        return;
    }
    run_form(trial, expected, 0, 0, HLC_REFERENCE, "the reference");
    run_form(trial, expected, 1, 0, HLC_REFERENCE, "the reference");
    for (int s = 0; s < SCHEDULES; s++) {
        if (!trial->lowered[s])
            continue;
        run_form(trial, expected, 0, s, HLC_TARGET, "interpreted");
        if (trial->extent == EXTENT_COMPILED) {
            run_form(trial, expected, 0, s, HLC_COMPILED, "compiled");
            trial->of_program->compiled++;
        }
    }
}

void family_run(Arena *arena, uint64_t seed, OracleExtent extent, ProgramResult *result) {
    *result = (ProgramResult){.count = 1};
    Trial trial = {.arena = arena,
                   .extent = extent,
                   .seed = seed,
                   .result = &result->cases[0],
                   .of_program = result};
    trial.result->verdict = VERDICT_EQUAL;
    family_draw(arena, seed, false, &trial.program);
    if (trial.program.is_large)
        conclude(&trial, VERDICT_REFUSED, "too large", "its flat form is long");
    else if (load_all(&trial) && compare_lowered(&trial))
        run_all(&trial);
    for (int i = 0; i < FORMS; i++)
        if (trial.forms[i])
            hlc_destroy(trial.forms[i]);
}
