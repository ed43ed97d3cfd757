/* contract_report.c -- prints one part of the output of `hlc contract` in each function;
 * docs/commands.md shows it.
 *
 * Clauses about sizes come first. Then come clauses that an empty window skips. Last come clauses
 * about numbers that must fit 32 bits, which few people meet. The clauses that every image and
 * window must keep take one line.
 */
#include "library/show/contract.h"

#include "ir/print.h"
#include "library/json.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 48, READABLE_NODES = 120, READABLE_TO_PEOPLE = 40, READABLE_CLAUSE = 80 };

static const char EVERY_BUFFER[] =
    "  no extent is negative, and coordinates and extents of images and windows fit in 32 bits\n";
static const char EVERY_WINDOW[] = "  each window that has points lies in its domain\n";

static const char *clause_place_text(const ContractReport *report, const ContractClause *clause) {
    return text_place(report->arena, report->context, clause_place(report->context, clause));
}

static const char *words(const ContractReport *report, Expr expr) {
    uint32_t most = report->for_people ? READABLE_TO_PEOPLE : READABLE_NODES;
    if (expr->tree_size > most)
        return arena_format(report->arena, "(a formula of %u terms)", expr->tree_size);
    return expr_words(report->arena, expr, NULL);
}

const char *contract_clause_words(const ContractReport *report, const ContractClause *clause) {
    uint32_t most = report->for_people ? READABLE_CLAUSE : READABLE_NODES,
             terms = clause->condition->tree_size;
    if (terms > most)
        return arena_format(report->arena, "(a formula of %u terms, which --json prints)", terms);
    return clause_text(report->arena, clause);
}

static const char *schedule_text(const ContractReport *report, const char *schedule) {
    return compiler_schedule_is_named(schedule)
               ? arena_format(report->arena, "schedule %s", schedule)
               : "the empty schedule";
}

/* ---- JSON ---- */

static void put_clause_members(const ContractReport *report, const ContractClause *clause) {
    Arena *arena = report->arena;
    json_member("condition", expr_text(arena, clause->condition), report->out);
    json_member("asked", clause->asked ? expr_text(arena, clause->asked) : NULL, report->out);
    json_member("words", clause_text(arena, clause), report->out);
    json_member("reason", clause_reason(arena, clause), report->out);
    json_member("error", hlc_error_name(clause->assertion->assertion.error), report->out);
    json_member("place", clause_place_text(report, clause), report->out);
}

static void put_origin_members(const ContractReport *report, const ClauseOrigin *origin) {
    json_member("directive", origin->directive, report->out);
    json_member("directive_place", text_place(report->arena, report->context, origin->place),
                report->out);
}

/* ---- clauses ---- */

static void tell_clause(const ContractReport *report, const ContractClause *clause,
                        const ClauseOrigin *origin) {
    const char *place = clause_place_text(report, clause);
    const char *text = contract_clause_words(report, clause);
    fprintf(report->out, "  %-*s  %s", WIDEST, text, clause_reason(report->arena, clause));
    if (place)
        fprintf(report->out, ", %s", place);
    if (origin->directive)
        fprintf(report->out, "; by %s at line %u", origin->directive, origin->place.line);
    fputc('\n', report->out);
}

bool contract_is_of_buffer(const ContractReport *report, const ContractClause *clause) {
    hlc_error error = clause->assertion->assertion.error;
    Symbol subject = context_symbol(report->context, clause->assertion->assertion.subject);
    const FuncShape *func = signature_func(report->signature, subject);
    return !clause->asked &&
           (error == HLC_ERROR_NEGATIVE_EXTENT || error == HLC_ERROR_COORDINATE_RANGE ||
            error == HLC_ERROR_WINDOW_OUTSIDE) &&
           (signature_image(report->signature, subject) || (func && func->is_output));
}

/* Prints the clauses of one kind. Clauses under one condition follow a line with the condition. */
static void tell_group(const ContractReport *report, const Contract *contract,
                       const ClauseOrigin *origins, bool about_range) {
    Expr where = NULL;
    for (size_t i = 0; i < contract->clauses.length; i++) {
        const ContractClause *clause = &contract->clauses.data[i];
        if (clause_is_about_range(clause) != about_range || contract_is_of_buffer(report, clause))
            continue;
        if (clause->asked && clause->asked != where)
            fprintf(report->out, "and where %s\n", words(report, clause->asked));
        where = clause->asked;
        tell_clause(report, clause, &origins[i]);
    }
}

void contract_report_clauses(const ContractReport *report, const Contract *contract,
                             const ClauseOrigin *origins) {
    for (size_t i = 0; report->json && i < contract->clauses.length; i++) {
        json_begin("clause", report->out);
        put_clause_members(report, &contract->clauses.data[i]);
        put_origin_members(report, &origins[i]);
        json_end(report->out);
    }
    if (report->json)
        return;
    fprintf(report->out, "%s under %s runs where\n", report->signature->name->text,
            schedule_text(report, report->schedule));
    fputs(EVERY_BUFFER, report->out);
    if (report->signature->windows)
        fputs(EVERY_WINDOW, report->out);
    tell_group(report, contract, origins, false);
    tell_group(report, contract, origins, true);
    if (contract->open)
        fputs("and some assertions hold that depend on more than sizes and parameters\n",
              report->out);
}

/* ---- memory ---- */

static const char *bytes_text(const ContractReport *report, const Holding *holding) {
    return holding->bytes ? words(report, holding->bytes) : "not known";
}

static void put_holding(const ContractReport *report, const Holding *holding) {
    Arena *arena = report->arena;
    json_begin("memory", report->out);
    json_member("name", holding->name->text, report->out);
    json_member("bytes", holding->bytes ? expr_text(arena, holding->bytes) : NULL, report->out);
    json_member("where", holding->staged ? expr_text(arena, holding->staged) : NULL, report->out);
    json_member("loop", holding->parallel ? holding->parallel->loop.binder->text : NULL,
                report->out);
    fprintf(report->out, ",\"stack\":%s", holding->stacked ? "true" : "false");
    json_end(report->out);
}

static void tell_holding(const ContractReport *report, const Holding *holding) {
    fprintf(report->out, "  %s: %s", holding->name->text, bytes_text(report, holding));
    if (holding->stacked)
        fputs(", on the stack", report->out);
    if (holding->parallel)
        fprintf(report->out, ", in each iteration of %s that runs",
                holding->parallel->loop.binder->text);
    if (holding->staged)
        fprintf(report->out, ", where %s", words(report, holding->staged));
    fputc('\n', report->out);
}

static const char *peak_text(const ContractReport *report, const Footprint *footprint) {
    return footprint->peak ? words(report, footprint->peak) : "not known";
}

/* Returns the stack memory that the schedule requests: one thread may hold all of it at once. */
static int64_t stack_of_thread(const Footprint *footprint) {
    int64_t total = 0, bytes;
    for (size_t i = 0; i < footprint->holdings.length; i++) {
        const Holding *holding = &footprint->holdings.data[i];
        if (holding->stacked && holding->bytes && expr_constant_integer(holding->bytes, &bytes))
            total += bytes;
    }
    return total;
}

void contract_report_memory(const ContractReport *report, const Footprint *footprint) {
    if (!report->json)
        fputs("memory in bytes\n", report->out);
    for (size_t i = 0; i < footprint->holdings.length; i++)
        (report->json ? put_holding : tell_holding)(report, &footprint->holdings.data[i]);
    int64_t stack = stack_of_thread(footprint);
    if (!report->json) {
        fprintf(report->out, "  at most at one time: %s", peak_text(report, footprint));
        if (stack)
            fprintf(report->out, ", beside %" PRId64 " bytes on the stack of a thread", stack);
        fputc('\n', report->out);
        return;
    }
    Arena *arena = report->arena;
    json_begin("peak", report->out);
    json_member("names", footprint->peak ? expr_text(arena, footprint->peak) : NULL, report->out);
    json_member("bytes", footprint->peak ? expr_text(arena, footprint->bytes) : NULL, report->out);
    fprintf(report->out, ",\"stack\":%" PRId64, stack);
    json_end(report->out);
}

/* ---- in a header ---- */

/* No comment begins or ends in it. */
static const char *in_comment(const ContractReport *report, const char *text) {
    char *copy = arena_format(report->arena, "%s", text);
    for (char *at = copy; at[0] && at[1]; at++)
        if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*'))
            at[1] = ' ';
    return copy;
}

void contract_report_comment(const ContractReport *report, const Contract *contract,
                             const Footprint *footprint, const char *prefix) {
    fprintf(report->out, "%sIt runs where\n%s%s", prefix, prefix, EVERY_BUFFER);
    if (report->signature->windows)
        fprintf(report->out, "%s%s", prefix, EVERY_WINDOW);
    Expr where = NULL;
    for (size_t i = 0; i < contract->clauses.length; i++) {
        const ContractClause *clause = &contract->clauses.data[i];
        if (contract_is_of_buffer(report, clause))
            continue;
        if (clause->asked && clause->asked != where)
            fprintf(report->out, "%sand where %s\n", prefix, words(report, clause->asked));
        where = clause->asked;
        const char *text = arena_format(
            report->arena, "%s (%s, line %u)", contract_clause_words(report, clause),
            clause_reason(report->arena, clause), clause_place(report->context, clause).line);
        fprintf(report->out, "%s  %s\n", prefix, in_comment(report, text));
    }
    fprintf(report->out, "%sand takes at most so many bytes of memory at one time:\n%s  %s\n",
            prefix, prefix, footprint->peak ? words(report, footprint->bytes) : "(not known)");
}

/* ---- values and windows ---- */

static const Pipeline *pipeline_of(const hlc *h, const Signature *signature) {
    return h->module ? module_pipeline(h->module, signature->name->text) : NULL;
}

static const char *size_text(Arena *arena, const Output *output, int dimensions) {
    const char *text = output->func->text;
    for (int k = 0; k < dimensions; k++) {
        const char *length = expr_words(arena, output->size[k].length, NULL);
        const char *minimum = expr_words(arena, output->size[k].minimum, NULL);
        if (strcmp(minimum, "0") != 0)
            length = arena_format(arena, "(%s, %s)", minimum, length);
        text = arena_format(arena, "%s%s%s", text, k ? ", " : "(", length);
    }
    return arena_format(arena, "%s)", text);
}

/* Calls `tell` for each const parameter's value, and for each proposed window. */
typedef void TellValue(const ContractReport *report, const char *kind, const char *name,
                       const char *value, const char *prefix);

static void each_value(hlc *h, const ContractReport *report, const char *prefix, TellValue *tell) {
    const Pipeline *pipeline = pipeline_of(h, report->signature);
    const char *name, *value;
    for (size_t i = 0; pipeline && (name = module_constant(h->module, pipeline, i, &value)); i++)
        tell(report, "constant", name, value, prefix);
    for (size_t i = 0; i < report->signature->outputs.length; i++) {
        const Output *output = &report->signature->outputs.data[i];
        const FuncShape *func = signature_func(report->signature, output->func);
        if (output->size)
            tell(report, "window", output->func->text,
                 size_text(report->arena, output, func->dimensions), prefix);
    }
}

static void tell_value(const ContractReport *report, const char *kind, const char *name,
                       const char *value, const char *prefix) {
    if (!strcmp(kind, "constant"))
        fprintf(report->out, "%smade with %s = %s\n", prefix, name, value);
    else
        fprintf(report->out, "%sproposes %s\n", prefix, in_comment(report, value));
}

static void put_value(const ContractReport *report, const char *kind, const char *name,
                      const char *value, const char *prefix) {
    (void)prefix;
    json_begin(kind, report->out);
    json_member("name", name, report->out);
    json_member(!strcmp(kind, "constant") ? "value" : "words", value, report->out);
    json_end(report->out);
}

void contract_report_values(hlc *h, const ContractReport *report, const char *prefix) {
    each_value(h, report, prefix, report->json ? put_value : tell_value);
}

/* ---- two schedules ---- */

static void put_change(const ContractReport *report, const ContractChange *change) {
    json_begin(change->before && change->after ? "turned"
               : change->after                 ? "added"
                                               : "dropped",
               report->out);
    if (change->before)
        json_member("before", expr_text(report->arena, change->before->condition), report->out);
    if (change->after) {
        put_clause_members(report, change->after);
        put_origin_members(report, &change->origin);
    }
    json_end(report->out);
}

void contract_report_change(const ContractReport *report, const ContractChange *change) {
    if (report->json) {
        put_change(report, change);
        return;
    }
    const char *by = "the schedule";
    if (change->origin.directive)
        by = arena_format(report->arena, "%s at line %u", change->origin.directive,
                          change->origin.place.line);
    if (change->before && change->after)
        fprintf(report->out, "%s turned `%s` into `%s`\n", by,
                contract_clause_words(report, change->before),
                contract_clause_words(report, change->after));
    else if (change->after)
        fprintf(report->out, "%s added `%s`: %s\n", by,
                contract_clause_words(report, change->after),
                clause_reason(report->arena, change->after));
    else
        fprintf(report->out, "%s dropped `%s`\n", by,
                contract_clause_words(report, change->before));
}

void contract_report_peaks(const ContractReport *report, const char *against,
                           const Footprint *before, const Footprint *after) {
    if (!report->json) {
        fprintf(report->out, "memory in bytes, at most at one time\n  %s: %s\n  %s: %s\n",
                schedule_text(report, against),
                before->peak ? words(report, before->bytes) : "not known",
                schedule_text(report, report->schedule),
                after->peak ? words(report, after->bytes) : "not known");
        return;
    }
    Arena *arena = report->arena;
    json_begin("peaks", report->out);
    json_member("before", before->peak ? expr_text(arena, before->bytes) : NULL, report->out);
    json_member("after", after->peak ? expr_text(arena, after->bytes) : NULL, report->out);
    json_end(report->out);
}

/* ---- arguments ---- */

void contract_report_verdict(const ContractReport *report, const ContractClause *failing,
                             int64_t bytes) {
    if (report->json) {
        json_begin("verdict", report->out);
        fprintf(report->out, ",\"holds\":%s", failing ? "false" : "true");
        if (failing)
            put_clause_members(report, failing);
        else if (bytes >= 0)
            fprintf(report->out, ",\"bytes\":%" PRId64, bytes);
        json_end(report->out);
    } else if (failing) {
        const char *place = clause_place_text(report, failing);
        const char *what = expr_is_false(failing->condition)
                               ? "it runs on no size"
                               : arena_format(report->arena, "%s does not hold",
                                              contract_clause_words(report, failing));
        fprintf(report->out, "refused: %s: %s%s%s\n", what, clause_reason(report->arena, failing),
                place ? ", " : "", place ? place : "");
    } else if (bytes >= 0) {
        fprintf(report->out, "runs, with at most %" PRId64 " bytes at one time\n", bytes);
    } else {
        fputs("runs\n", report->out);
    }
}
