/* contract.c -- hlc contract: the size contract of a pipeline under a schedule, with the source of
 * each clause, and the differences from another schedule's contract.
 *
 * A search finds the directive behind a clause. The contract of the first n directives is that of a
 * schedule of its own. The clause is present from some n on, found by bisection.
 */
#include "library/show/contract.h"

#include "ir/interpret/evaluate.h"
#include "runtime/hlc_runtime.h"

#include <string.h>

/* The contracts of the first n directives computed so far. */
typedef struct Prefixes {
    hlc *h;
    const Pipeline *pipeline;
    const char *schedule;
    Directives primitives;
    const Contract **contracts; /* by n */
} Prefixes;

/* ---- prefixes ---- */

static const Contract *prefix_contract(Prefixes *prefixes, size_t n) {
    hlc *h = prefixes->h;
    if (prefixes->contracts[n])
        return prefixes->contracts[n];
    DiagMark before = diag_mark(h->context);
    const Lowered *lowered =
        compiler_lower(h, prefixes->pipeline, prefixes->schedule, PASS_FOLD, n);
    diag_drop(h->context, before); /* a prefix of the schedule may be no valid schedule */
    Contract *contract = arena_new(h->scratch, Contract);
    if (lowered)
        *contract = contract_of(lowered->program, h->scratch);
    return prefixes->contracts[n] = contract;
}

static bool has_clause(const Contract *contract, const ContractClause *clause) {
    for (size_t i = 0; i < contract->clauses.length; i++)
        if (clause_equals(&contract->clauses.data[i], clause))
            return true;
    return false;
}

/* Returns the source text at a place, up to the end of the directive. */
static const char *written_at(const Prefixes *prefixes, Place place) {
    const SourceFile *file = &prefixes->h->context->files.data[place.file];
    const char *text = file->text;
    for (uint32_t line = 1; line < place.line; line++)
        text = strchr(text, '\n') + 1;
    text += place.column - 1;
    return arena_format(prefixes->h->scratch, "%.*s", (int)strcspn(text, ";\n"), text);
}

static ClauseOrigin find_origin(Prefixes *prefixes, const ContractClause *clause) {
    size_t without = 0, with = prefixes->primitives.length;
    if (with == 0 || has_clause(prefix_contract(prefixes, 0), clause))
        return (ClauseOrigin){.directive = NULL};
    while (with - without > 1) {
        size_t middle = without + (with - without) / 2;
        *(has_clause(prefix_contract(prefixes, middle), clause) ? &with : &without) = middle;
    }
    const Directive *directive = &prefixes->primitives.data[with - 1];
    return (ClauseOrigin){.directive = directive->place.line
                                           ? written_at(prefixes, directive->place)
                                           : directive_text(prefixes->h->scratch, directive),
                          .place = directive->place};
}

static Prefixes prefixes_of(hlc *h, const Pipeline *pipeline, const char *schedule,
                            const Lowered *lowered) {
    size_t count = lowered->primitives.length;
    return (Prefixes){.h = h,
                      .pipeline = pipeline,
                      .schedule = schedule,
                      .primitives = lowered->primitives,
                      .contracts = arena_array(h->scratch, const Contract *, count + 1)};
}

/* ---- two schedules ---- */

/* Do the clauses constrain the same thing, perhaps by other numbers? */
static bool is_about_same(const ContractClause *a, const ContractClause *b) {
    return a->assertion->assertion.error == b->assertion->assertion.error &&
           strcmp(a->assertion->assertion.subject, b->assertion->assertion.subject) == 0 &&
           a->about == b->about;
}

/* Returns the clause of `before` that `clause` replaces, neither used nor kept in `after`; null:
 * none. */
static const ContractClause *find_partner(const Contract *before, const Contract *after, bool *used,
                                          const ContractClause *clause) {
    for (size_t i = 0; i < before->clauses.length; i++) {
        const ContractClause *other = &before->clauses.data[i];
        if (!used[i] && !has_clause(after, other) && is_about_same(other, clause)) {
            used[i] = true;
            return other;
        }
    }
    return NULL;
}

static void report_changes(const ContractReport *report, Prefixes *prefixes, const Contract *before,
                           const Contract *after) {
    bool *used = arena_array(report->arena, bool, before->clauses.length);
    for (size_t i = 0; i < after->clauses.length; i++) {
        const ContractClause *clause = &after->clauses.data[i];
        if (has_clause(before, clause) || contract_is_of_buffer(report, clause))
            continue;
        ContractChange change = {.before = find_partner(before, after, used, clause),
                                 .after = clause,
                                 .origin = find_origin(prefixes, clause)};
        contract_report_change(report, &change);
    }
    for (size_t i = 0; i < before->clauses.length; i++) {
        const ContractClause *clause = &before->clauses.data[i];
        if (!used[i] && !has_clause(after, clause) && !contract_is_of_buffer(report, clause))
            contract_report_change(report, &(ContractChange){.before = clause});
    }
}

/* ---- arguments ---- */

typedef struct ContractValues {
    hlc_arguments *a;
    Symbol threads;
} ContractValues;

static bool value_of(void *data, Symbol name, Bits *bits) {
    const ContractValues *values = data;
    if (name == values->threads) {
        *bits = hlc_thread_count();
        return true;
    }
    return arguments_known(values->a, name, bits);
}

/* The first clause that does not hold; null where all do. */
static const ContractClause *find_failing(hlc *h, const Contract *contract,
                                          ContractValues *values) {
    for (size_t i = 0; i < contract->clauses.length; i++) {
        const ContractClause *clause = &contract->clauses.data[i];
        Bits asked = 1, holds;
        if (clause->asked && expr_evaluate(h->scratch, clause->asked, value_of, values, &asked) &&
            !asked)
            continue;
        if (!expr_evaluate(h->scratch, clause->condition, value_of, values, &holds) || !holds)
            return clause;
    }
    return NULL;
}

/* The same for a footprint that is known. */
static bool find_peak(hlc *h, const Footprint *footprint, ContractValues *values, int64_t *bytes) {
    return footprint->peak && expr_evaluate(h->scratch, footprint->bytes, value_of, values, bytes);
}

bool contract_peak(hlc *h, const Program *program, hlc_arguments *a, int64_t *bytes) {
    Footprint footprint = footprint_of(program, h->scratch);
    ContractValues values = {a, footprint.threads};
    return find_peak(h, &footprint, &values, bytes);
}

static hlc_status judge(hlc *h, const ContractReport *report, const Contract *contract,
                        const Footprint *footprint, hlc_arguments *a) {
    ContractValues values = {a, footprint->threads};
    Bits bytes = -1;
    hlc_status ready = arguments_ready(a, true);
    if (ready != HLC_YES)
        return ready;
    const ContractClause *failing = find_failing(h, contract, &values);
    if (!failing && !find_peak(h, footprint, &values, &bytes))
        bytes = -1;
    contract_report_verdict(report, failing, bytes);
    return failing ? HLC_NO : HLC_YES;
}

/* ---- the entry ---- */

static hlc_status compare(hlc *h, const ShowRequest *request, const ContractReport *report,
                          const Pipeline *pipeline, const Lowered *lowered) {
    const char *name = request->contract->against;
    const Lowered *other = compiler_lower(h, pipeline, name, PASS_FOLD, SIZE_MAX);
    if (!other)
        return HLC_USER;
    Contract before = contract_of(other->program, h->scratch);
    Contract after = contract_of(lowered->program, h->scratch);
    Prefixes prefixes = prefixes_of(h, pipeline, request->schedule, lowered);
    report_changes(report, &prefixes, &before, &after);
    Footprint held = footprint_of(other->program, h->scratch);
    Footprint holds = footprint_of(lowered->program, h->scratch);
    contract_report_peaks(report, name, &held, &holds);
    return HLC_YES;
}

/* `lowered` null: the text of a program, which has no directives. */
static hlc_status tell(hlc *h, const ShowRequest *request, const ContractReport *report,
                       const Pipeline *pipeline, const Lowered *lowered, const Program *program) {
    Contract contract = contract_of(program, h->scratch);
    Footprint footprint = footprint_of(program, h->scratch);
    hlc_arguments *arguments = request->contract ? request->contract->arguments : NULL;
    if (arguments)
        return judge(h, report, &contract, &footprint, arguments);
    ClauseOrigin *origins = arena_array(h->scratch, ClauseOrigin, contract.clauses.length);
    if (lowered) {
        Prefixes prefixes = prefixes_of(h, pipeline, request->schedule, lowered);
        for (size_t i = 0; i < contract.clauses.length; i++)
            origins[i] = find_origin(&prefixes, &contract.clauses.data[i]);
    }
    contract_report_values(h, report, "");
    if (report->for_people) {
        fprintf(report->out, "%s under %s%s runs if\n", report->signature->name->text,
                compiler_schedule_is_named(report->schedule) ? "schedule " : "the empty schedule",
                compiler_schedule_is_named(report->schedule) ? report->schedule : "");
        contract_report_people(report, program->pool, &contract, origins);
    } else {
        contract_report_clauses(report, &contract, origins);
    }
    contract_report_memory(report, &footprint);
    return HLC_YES;
}

static hlc_status contract(hlc *h, void *data) {
    const ShowRequest *request = data;
    const hlc_contract_options *options = request->contract;
    ContractReport report = {.out = request->out,
                             .arena = h->scratch,
                             .context = h->context,
                             .schedule = request->schedule,
                             .json = options && options->json,
                             .for_people = options && options->for_people && !options->json &&
                                           !options->against && !options->arguments};
    if (h->program) {
        const Program *program = compiler_find_program(
            h, request->pipeline,
            options && options->against ? options->against : request->schedule);
        if (!program)
            return HLC_USER;
        report.signature = program->signature;
        return tell(h, request, &report, NULL, NULL, program);
    }
    const Pipeline *pipeline = compiler_pipeline(h, request->pipeline);
    const Lowered *lowered =
        pipeline ? compiler_lower(h, pipeline, request->schedule, PASS_FOLD, SIZE_MAX) : NULL;
    if (!lowered)
        return HLC_USER;
    report.signature = &pipeline->signature;
    if (options && options->against)
        return compare(h, request, &report, pipeline, lowered);
    return tell(h, request, &report, pipeline, lowered, lowered->program);
}

hlc_status hlc_contract(hlc *h, const char *pipeline, const char *schedule,
                        const hlc_contract_options *options, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest request = {
        .pipeline = pipeline, .schedule = schedule, .contract = options, .out = out};
    return compiler_enter(h, contract, &request);
}
