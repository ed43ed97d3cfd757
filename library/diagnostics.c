/* diagnostics.c -- the diagnostics as text and as JSON lines. */
#include "library/code_example.h"
#include "library/compiler.h"
#include "library/json.h"

#include <string.h>

size_t hlc_diagnostic_count(const hlc *h) {
    return h ? h->context->reports.length : 0;
}

hlc_diagnostic hlc_diagnostic_at(const hlc *h, size_t i) {
    if (i >= hlc_diagnostic_count(h))
        return (hlc_diagnostic){.code = "", .file = "", .message = "", .help = ""};
    static const hlc_severity PUBLIC[] = {
        [SEVERITY_ERROR] = HLC_ERROR, [SEVERITY_WARNING] = HLC_WARNING, [SEVERITY_NOTE] = HLC_NOTE};
    const Report *report = &h->context->reports.data[i];
    const DiagInfo *info = diag_info(report->code);
    return (hlc_diagnostic){.code = info->code,
                            .severity = PUBLIC[report->severity],
                            .file = h->context->files.data[report->place.file].path,
                            .line = report->place.line,
                            .column = report->place.column,
                            .length = report->place.length,
                            .message = report->message,
                            .help = report->remedy};
}

void hlc_print_diagnostics(const hlc *h, FILE *out) {
    if (!h || !out)
        return;
    diag_print_all(h->context, out);
}

static const char *const SEVERITIES[] = {"error", "warning", "note"};

/* What made the text at compile time, innermost first. */
static void put_uses(const hlc *h, const Use *use, FILE *out) {
    if (!use)
        return;
    const char *before = ",\"in\":[";
    for (; use; use = use->outer, before = ",") {
        fprintf(out, "%s{\"line\":%u,\"column\":%u", before, use->place.line, use->place.column);
        json_member("file", h->context->files.data[use->place.file].path, out);
        json_member("text", use->text, out);
        fputs("}", out);
    }
    fputs("]", out);
}

void hlc_print_diagnostics_json(const hlc *h, FILE *out) {
    if (!h || !out)
        return;
    for (size_t i = 0; i < hlc_diagnostic_count(h); i++) {
        hlc_diagnostic d = hlc_diagnostic_at(h, i);
        fprintf(out, "{\"code\":\"%s\",\"severity\":\"%s\"", d.code, SEVERITIES[d.severity]);
        json_member("file", d.file, out);
        fprintf(out, ",\"line\":%u,\"column\":%u,\"length\":%u", d.line, d.column, d.length);
        json_member("message", d.message, out);
        json_member("help", d.help, out);
        put_uses(h, h->context->reports.data[i].use, out);
        json_end(out);
    }
}

const char *hlc_first_message(const hlc *h) {
    if (!h)
        return NULL;
    const Reports *reports = &h->context->reports;
    for (size_t i = 0; i < reports->length; i++)
        if (reports->data[i].severity == SEVERITY_ERROR)
            return reports->data[i].message;
    return reports->length ? reports->data[0].message : NULL;
}

void hlc_clear_diagnostics(hlc *h) {
    if (!h)
        return;
    h->context->reports.length = 0;
    h->context->error_count = h->context->warning_count = 0;
}

/* DIAG_COUNT if there is none. */
static DiagCode find_code(const char *code) {
    int i = 0;
    while (i < DIAG_COUNT && strcmp(diag_info((DiagCode)i)->code, code) != 0)
        i++;
    return (DiagCode)i;
}

/* Returns the codes that begin so, as a remedy. */
static const char *codes_like(Arena *arena, const char *text) {
    enum { MOST_CODES = 12 };
    const char *codes = "";
    size_t length = strlen(text), count = 0;
    for (int i = 0; i < DIAG_COUNT; i++)
        if (!strncmp(diag_info((DiagCode)i)->code, text, length) && count++ < MOST_CODES)
            codes = arena_format(arena, "%s, %s", codes, diag_info((DiagCode)i)->code);
    return count == 0 ? "`hlc --tables` lists them all"
                      : arena_format(arena, "codes that begin so: %s%s", codes + 2,
                                     count > MOST_CODES ? ", .." : "");
}

typedef struct CodeAttitude {
    const char *code; /* null: all warnings */
    Attitude attitude;
} CodeAttitude;

static hlc_status judge(hlc *h, void *data) {
    const CodeAttitude *judgement = data;
    DiagCode code = judgement->code ? find_code(judgement->code) : DIAG_COUNT;
    if (code < DIAG_COUNT && diag_info(code)->severity != SEVERITY_ERROR) {
        h->context->attitudes[code] = judgement->attitude;
        return HLC_YES;
    }
    if (judgement->code) {
        bool is_error = code < DIAG_COUNT;
        diag(h->context, is_error ? DIAG_NO_WARNING : DIAG_CODE_UNKNOWN, NOWHERE, judgement->code,
             codes_like(h->scratch, judgement->code));
        return HLC_USER;
    }
    for (int i = 0; i < DIAG_COUNT; i++)
        if (diag_info((DiagCode)i)->severity == SEVERITY_WARNING)
            h->context->attitudes[i] = judgement->attitude;
    return HLC_YES;
}

hlc_status hlc_allow(hlc *h, const char *code) {
    return compiler_enter(h, judge, &(CodeAttitude){code, ATTITUDE_ALLOW});
}

hlc_status hlc_deny(hlc *h, const char *code) {
    return compiler_enter(h, judge, &(CodeAttitude){code, ATTITUDE_DENY});
}

static hlc_status ask(hlc *h, void *data) {
    (void)data;
    h->context->asks_warnings = true;
    return HLC_YES;
}

hlc_status hlc_warn(hlc *h) {
    return compiler_enter(h, ask, NULL);
}

/* How many holes the texts have, which are numbered from 1. */
static int count_holes(const DiagInfo *info) {
    int count = 0;
    const char *const texts[] = {info->message, info->remedy};
    for (int i = 0; i < 2; i++)
        for (const char *at = strchr(texts[i], '%'); at; at = strchr(at + 1, '%'))
            if (at[1] > '0' + count && at[1] <= '9')
                count = at[1] - '0';
    return count;
}

static bool has_arguments(const char *const *arguments, int count) {
    for (int i = 0; i < count; i++)
        if (!arguments[i])
            return false;
    return true;
}

typedef struct Diagnosis {
    const char *code;
    const char *const *arguments;
} Diagnosis;

static hlc_status diagnose(hlc *h, void *data) {
    const Diagnosis *diagnosis = data;
    DiagCode code = find_code(diagnosis->code);
    if (code == DIAG_COUNT)
        diag(h->context, DIAG_CODE_UNKNOWN, NOWHERE, diagnosis->code,
             codes_like(h->scratch, diagnosis->code));
    else if (!has_arguments(diagnosis->arguments, count_holes(diag_info(code))))
        diag(h->context, DIAG_CALL_ARGUMENT, NOWHERE, "arguments", "is too short for the code");
    else
        diag_report_(h->context, code, NOWHERE, diagnosis->arguments);
    return HLC_USER;
}

void hlc_diagnose(hlc *h, const char *code, const char *const *arguments) {
    static const char *const none[] = {NULL};
    Diagnosis diagnosis = {code ? code : "null", arguments ? arguments : none};
    compiler_enter_report(h, diagnose, &diagnosis);
}

/* Indented, as a block of its own. */
static void put_block(const char *head, const char *text, FILE *out) {
    if (strcmp(text, "\n") == 0)
        return;
    fprintf(out, "\n%s\n\n", head);
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", length ? "    " : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

hlc_status hlc_explain_code(hlc *h, const char *code, FILE *out) {
    if (!code)
        return compiler_null(h, "code");
    if (!out)
        return compiler_null(h, "out");
    DiagCode found = find_code(code);
    if (found == DIAG_COUNT) {
        hlc_diagnose(h, code, NULL);
        return HLC_USER;
    }
    const DiagInfo *info = diag_info(found);
    const CodeExample *example = CODE_EXAMPLES;
    while (example->code && strcmp(example->code, code) != 0)
        example++;
    if (example->code) {
        bool command = example->wrong[0] == '$';
        fprintf(out, "%s (%s, %s)\n", info->code, info->name, SEVERITIES[info->severity]);
        put_block(command ? "A command that provokes it:" : "A program that provokes it:",
                  example->wrong, out);
        put_block("What hlc says:", example->said, out);
        put_block("Mended:", example->mended, out);
        return HLC_YES;
    }
    fprintf(out, "%s (%s, %s)\n\n    %s\n", info->code, info->name, SEVERITIES[info->severity],
            info->message);
    if (*info->remedy)
        fprintf(out, "    help: %s\n", info->remedy);
    if (strchr(info->message, '%') || strchr(info->remedy, '%'))
        fputs("\n%1, %2, .. stand for what the message names.\n", out);
    return HLC_YES;
}
