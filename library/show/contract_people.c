/* contract_people.c -- the conditions of a contract for people: one sentence each, and only those that
 * may fail on sizes that people have.
 *
 *     edges under schedule fast runs if
 *       strength lies in 1..16: the range of strength, edges.hl:2:37
 *       input.extent(0) is greater than 0: a boundary condition reads input, edges.hl:3:15
 *       3 more conditions fail only where sizes or coordinates come near 2^31; --all prints them
 *
 * A condition about numbers that must fit is left out if it holds wherever no coordinate, extent or
 * integer parameter is beyond ORDINARY. That is proved, so none is left out that a table of a million
 * times a size could break.
 */
#include "library/show/contract.h"

#include "ir/print.h"
#include "simplify/simplify.h"

#include <inttypes.h>
#include <string.h>

static const int64_t ORDINARY = 1 << 24;

/* ---- what is left out ---- */

static ConstantInterval ordinary_range(const ContractReport *report, const Expr variable) {
    Symbol buffer;
    BufferField field;
    int d;
    const Parameter *parameter = signature_parameter(report->signature, variable->name);
    ConstantInterval range = {true, true, -ORDINARY, ORDINARY};
    if (parameter && parameter->has_range && type_is_machine_integer(parameter->type))
        range = (ConstantInterval){true, true, parameter->lower, parameter->upper};
    else if (!parameter &&
             buffer_field_parse(report->context, variable->name, &buffer, &field, &d) &&
             field == FIELD_EXTENT)
        range.minimum = 0;
    return range;
}

static bool holds_ordinarily(const ContractReport *report, Pool *pool,
                             const ContractClause *clause) {
    if (!clause_is_about_range(clause))
        return false;
    Simplifier *simplifier = simplifier_create(pool, report->arena);
    Exprs variables = {0};
    expr_variables(report->arena, clause->condition, &variables);
    for (size_t i = 0; i < variables.length; i++)
        if (type_is_index(variables.data[i]->type) ||
            type_is_machine_integer(variables.data[i]->type))
            simplifier_learn_range(simplifier, variables.data[i]->name,
                                   ordinary_range(report, variables.data[i]));
    ConstantInterval interval = simplify_interval(simplifier, clause->condition);
    return (interval.has_minimum && interval.minimum == 1) ||
           simplify_proves(simplifier, clause->condition);
}

/* ---- sentences ---- */

typedef struct ClauseSign {
    const char *sign, *words;
} ClauseSign;

static const ClauseSign SIGNS[] = {{" >= ", "is at least"},    {" <= ", "is at most"},
                                   {" > ", "is greater than"}, {" < ", "is less than"},
                                   {" == ", "equals"},         {" != ", "is not"}};

/* Where a sign stands outside of all parentheses; null: nowhere. */
static const char *find_sign(const char *text, const char *sign) {
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0 && strncmp(text, sign, strlen(sign)) == 0)
            return text;
    }
    return NULL;
}

/* "n is at least 1", of "n >= 1"; a condition of another form as it is. */
static const char *sentence(Arena *arena, const char *condition) {
    if (find_sign(condition, " && ") || find_sign(condition, " || ") ||
        strcmp(condition, "false") == 0)
        return condition;
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        const char *at = find_sign(condition, SIGNS[i].sign);
        if (at)
            return arena_format(arena, "%.*s %s %s", (int)(at - condition), condition,
                                SIGNS[i].words, at + strlen(SIGNS[i].sign));
    }
    return condition;
}

/* The two ends of a parameter's range, which follow each other: "n lies in 1..9". Null otherwise. */
static const char *range_sentence(const ContractReport *report, const ContractClause *low,
                                  const ContractClause *high) {
    if (!high || low->assertion->assertion.error != HLC_ERROR_PARAMETER_TOO_SMALL ||
        high->assertion->assertion.error != HLC_ERROR_PARAMETER_TOO_LARGE ||
        strcmp(low->assertion->assertion.subject, high->assertion->assertion.subject) != 0)
        return NULL;
    const char *least = clause_text(report->arena, low), *most = clause_text(report->arena, high);
    const char *from = find_sign(least, " >= "), *to = find_sign(most, " <= ");
    return from && to ? arena_format(report->arena, "%.*s lies in %s..%s", (int)(from - least),
                                     least, from + 4, to + 4)
                      : NULL;
}

static void tell(const ContractReport *report, const ContractClause *clause, const char *words,
                 const ClauseOrigin *origin) {
    const char *place =
        text_place(report->arena, report->context, clause_place(report->context, clause));
    fprintf(report->out, "  %s: %s", words, clause_reason(report->arena, clause));
    if (place)
        fprintf(report->out, ", %s", place);
    if (origin->directive)
        fprintf(report->out, "; by %s at line %u", origin->directive, origin->place.line);
    fputc('\n', report->out);
}

void contract_report_people(const ContractReport *report, Pool *pool, const Contract *contract,
                            const ClauseOrigin *origins) {
    size_t left_out = 0, told = 0;
    Expr where = NULL;
    for (size_t i = 0; i < contract->clauses.length; i++) {
        const ContractClause *clause = &contract->clauses.data[i];
        const ContractClause *next = i + 1 < contract->clauses.length ? clause + 1 : NULL;
        if (contract_is_of_buffer(report, clause))
            continue;
        if (holds_ordinarily(report, pool, clause)) {
            left_out++;
            continue;
        }
        if (clause->asked && told == 0)
            fputs("  (no condition where no point is asked for)\n", report->out);
        if (clause->asked && clause->asked != where)
            fprintf(report->out, "and, where %s, if\n",
                    expr_words(report->arena, clause->asked, NULL));
        where = clause->asked;
        told++;
        const char *range = range_sentence(report, clause, next);
        tell(report, clause,
             range ? range : sentence(report->arena, contract_clause_words(report, clause)),
             &origins[i]);
        i += range != NULL;
    }
    if (told == 0)
        fputs("  (no condition: on all sizes and parameters)\n", report->out);
    if (left_out)
        fprintf(report->out,
                "%zu more condition%s only where sizes or coordinates come near 2^31; --all prints "
                "%s\n",
                left_out, left_out == 1 ? " fails" : "s fail", left_out == 1 ? "it" : "them");
    if (contract->open)
        fputs("and some assertions hold that depend on more than sizes and parameters\n",
              report->out);
}
