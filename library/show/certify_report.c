/* certify_report.c -- prints obligations as lines of text, or as one JSON object a line. */
#include "library/show/certify_report.h"

#include "ir/extern.h"
#include "ir/print.h"
#include "library/json.h"

#include <inttypes.h>

static const struct {
    const char *text, *json;
} FINDINGS[FINDING_COUNT] = {[FINDING_PROVED] = {"", "proved"},
                             [FINDING_REFUTED] = {"REFUTED", "refuted"},
                             [FINDING_CHECK] = {"CHECK", "check"},
                             [FINDING_OPEN] = {"OPEN", "open"}};

/* A proved obligation names the means of its proof. */
static const char *finding_text(const Obligation *obligation) {
    return obligation->finding == FINDING_PROVED ? means_text(obligation->means)
                                                 : FINDINGS[obligation->finding].text;
}

/* Describes a variable of a counterexample to the reader. */
static const char *variable_text(const Certification *certification, Symbol name) {
    const char *meaning = map_get(&certification->meanings, name);
    return meaning ? meaning : name->text;
}

/* ---- text ---- */

static void print_counterexample(const Certification *certification, const Obligation *obligation,
                                 FILE *out) {
    for (size_t i = 0; i < obligation->counterexample.length; i++) {
        const Assignment *assignment = &obligation->counterexample.data[i];
        fprintf(out, "%s%s = %" PRId64, i ? ", " : "       where ",
                variable_text(certification, assignment->variable->name), assignment->value);
    }
    if (obligation->counterexample.length)
        fputc('\n', out);
}

/* Prints for an open obligation why no condition is left to run time. */
static void print_why_no_check(hlc *h, const Obligation *obligation, FILE *out) {
    bool is_of_text = obligation->clause == CLAUSE_COVERED && !obligation->witness;
    if (!obligation->goal || !obligation->reason || obligation->finding != FINDING_OPEN)
        return;
    if (obligation->check)
        fprintf(out, "       a target program takes no check; it is right where %s\n",
                expr_formula(h->scratch, obligation->check));
    else if (!is_of_text)
        fprintf(out, "       %s\n",
                obligation->is_exact
                    ? "no condition on sizes and parameters is found that could be checked instead"
                    : "it speaks of single iterations, which no check at the entry can go through: "
                      "ask for sizes (out=8), and they are tried");
}

static void print_obligation(hlc *h, const Certification *certification,
                             const Obligation *obligation, FILE *out) {
    const char *place = text_place(h->scratch, h->context, obligation->place);
    fprintf(out, "%5u  %-8s  %-8s  %s%s%s", obligation->number, finding_text(obligation),
            clause_info(obligation->clause)->text, place ? place : "", place ? ": " : "",
            obligation->text);
    if (obligation->directive)
        fprintf(out, "  [%s]", obligation->directive);
    if (obligation->rule)
        fprintf(out, "  (%s)", obligation->rule);
    fputc('\n', out);
    print_counterexample(certification, obligation, out);
    if (obligation->finding == FINDING_CHECK)
        fprintf(out, "       left to run time: %s\n", expr_formula(h->scratch, obligation->check));
    print_why_no_check(h, obligation, out);
    if (obligation->reason && obligation->finding != FINDING_REFUTED)
        fprintf(out, "       since %s\n", obligation->reason);
}

static void print_counts(const Certification *certification, FILE *out) {
    const size_t *count = certification->count, *by = certification->by;
    if (certification->is_vacuous)
        fputs("no input with a point to compute passes the entry: everything holds since nothing "
              "runs\n",
              out);
    fprintf(out, "%zu obligations: %zu proved (", certification->obligations.length,
            count[FINDING_PROVED]);
    for (int means = 0; means < MEANS_COUNT; means++)
        fprintf(out, "%s%zu by %s", means ? ", " : "", by[means], means_text((Means)means));
    fprintf(out, "), %zu left to run time, %zu refuted, %zu open\n", count[FINDING_CHECK],
            count[FINDING_REFUTED], count[FINDING_OPEN]);
}

/* ---- JSON ---- */

static void put_place(hlc *h, const char *prefix, Place place, FILE *out) {
    if (!place.line)
        return;
    json_member(arena_format(h->scratch, "%sfile", prefix), h->context->files.data[place.file].path,
                out);
    fprintf(out, ",\"%sline\":%u,\"%scolumn\":%u", prefix, place.line, prefix, place.column);
}

static void put_counterexample(const Certification *certification, const Obligation *obligation,
                               FILE *out) {
    fputs(",\"counterexample\":{", out);
    for (size_t i = 0; i < obligation->counterexample.length; i++) {
        const Assignment *assignment = &obligation->counterexample.data[i];
        fputs(i ? "," : "", out);
        json_text(variable_text(certification, assignment->variable->name), out);
        fprintf(out, ":%" PRId64, assignment->value);
    }
    fputc('}', out);
}

static void put_obligation(hlc *h, const Certification *certification, const Obligation *obligation,
                           FILE *out) {
    json_begin("obligation", out);
    fprintf(out, ",\"number\":%u", obligation->number);
    json_member("clause", clause_info(obligation->clause)->text, out);
    json_member("finding", FINDINGS[obligation->finding].json, out);
    if (obligation->finding == FINDING_PROVED)
        json_member("by", means_text(obligation->means), out);
    json_member("text", obligation->text, out);
    put_place(h, "", obligation->place, out);
    if (obligation->directive) {
        json_member("directive", obligation->directive, out);
        put_place(h, "directive_", obligation->directive_place, out);
    }
    if (obligation->rule)
        json_member("rule", obligation->rule, out);
    if (obligation->goal)
        json_member("goal", expr_formula(h->scratch, obligation->goal), out);
    if (obligation->counterexample.length)
        put_counterexample(certification, obligation, out);
    if (obligation->finding == FINDING_CHECK)
        json_member("check", expr_formula(h->scratch, obligation->check), out);
    if (obligation->reason && obligation->finding != FINDING_REFUTED)
        json_member("reason", obligation->reason, out);
    json_end(out);
}

static void put_counts(const Certification *certification, FILE *out) {
    const size_t *count = certification->count;
    fprintf(out, "{\"kind\":\"counts\",\"obligations\":%zu,\"proved\":%zu",
            certification->obligations.length, count[FINDING_PROVED]);
    for (int means = 0; means < MEANS_COUNT; means++)
        fprintf(out, ",\"%s\":%zu", means_text((Means)means), certification->by[means]);
    fprintf(out, ",\"checks\":%zu,\"refuted\":%zu,\"open\":%zu,\"vacuous\":%s}\n",
            count[FINDING_CHECK], count[FINDING_REFUTED], count[FINDING_OPEN],
            certification->is_vacuous ? "true" : "false");
}

/* Names what no proof speaks of: a C function may compute anything, and touch anything. */
static void print_trusted(hlc *h, const Program *program, bool json, FILE *out) {
    ExternStores stores = extern_stores(program, h->scratch);
    for (size_t i = 0; i < stores.length; i++) {
        const char *func = stores.data[i]->store.func->name->text;
        const char *function = stores.data[i]->store.values[0]->name->text;
        if (json) {
            json_begin("trusted", out);
            json_member("function", function, out);
            json_member("func", func, out);
            json_end(out);
            continue;
        }
        fprintf(out,
                "trusted: the C function %s, which computes %s: that it reads and writes nothing "
                "but the boxes that it is given, and that a value depends on its own box alone\n",
                function, func);
    }
}

void certify_report(hlc *h, const Certification *certification, const Program *program, bool json,
                    FILE *out) {
    for (size_t i = 0; i < certification->obligations.length; i++)
        if (json)
            put_obligation(h, certification, certification->obligations.data[i], out);
        else
            print_obligation(h, certification, certification->obligations.data[i], out);
    print_trusted(h, program, json, out);
    if (json)
        put_counts(certification, out);
    else
        print_counts(certification, out);
}

void certify_report_certificate(const Certification *certification,
                                const CertificateResult *written, bool json, FILE *out) {
    size_t proved = certification->count[FINDING_PROVED] - certification->by[MEANS_TEXT];
    const char *format =
        json ? "{\"kind\":\"certificate\",\"formulas\":%zu,\"obligations\":%zu,"
               "\"chains\":%zu,\"uncertified\":%zu}\n"
             : "certificate: %zu formulas for %zu obligations, %zu chains of rules, %zu not "
               "certified\n";
    fprintf(out, format, written->formulas, proved, written->chains, written->uncertified);
}
