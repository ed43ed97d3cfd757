/* certificate.c -- writes obligations as SMT-LIB 2, so anyone with an SMT solver can check them
 * without this code.  Each (check-sat) of the file must answer `unsat`.
 *
 * Each formula has been given to Z3, and its time stands beside it.  If Z3 leaves a part of a goal
 * open, the file holds the chain of rewrite rules that prove the part.  Each step is an equation
 * between the claim before the rule and after it, under the same facts; Z3 proves it.  The last
 * formula is the rest.
 */
#include "checkers/certify/certificate.h"

#include "checkers/certify/internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_STEPS = 24 };

typedef struct CertificateWriter {
    FILE *out;
    Discharge discharge;
    CertificateResult result;
} CertificateWriter;

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- one formula ---- */

/* Writes the formula if Z3 proves it. */
static bool write_formula(CertificateWriter *writer, const Obligation *obligation, Expr claim,
                          const char *comment) {
    Discharge *discharge = &writer->discharge;
    SmtAnswer answer = SMT_UNKNOWN;
    for (int try = 0; try < SMT_TRIES && answer != SMT_UNSAT && answer != SMT_GONE; try++) {
        Arena *scratch = arena_create(&discharge->pool->context->memory);
        const char *script;
        int64_t units = smt_units(discharge->solver, scratch);
        double start = milliseconds();
        answer = discharge_try(discharge, scratch, obligation, claim, try, &script);
        double spent = milliseconds() - start;
        bool fresh = try >= QUICK_TRIES;
        if (answer == SMT_UNSAT)
            fprintf(writer->out,
                    "; %s: Z3 answered unsat in %.1f ms, %lld units\n%s\n(set-info :status "
                    "unsat)\n%s%s",
                    comment, spent, (long long)(smt_units(discharge->solver, scratch) - units),
                    fresh ? "(reset)" : "(push 1)", script, fresh ? "(reset)\n" : "(pop 1)\n");
        arena_destroy(scratch);
    }
    writer->result.formulas += answer == SMT_UNSAT;
    writer->result.solver_gone |= answer == SMT_GONE;
    return answer == SMT_UNSAT;
}

/* ---- chains of rules ---- */

/* Returns the claim after `limit` applications of rules under the obligation's facts; `*rule` is
 * the last one. */
static Expr rewritten(CertificateWriter *writer, Arena *arena, const Obligation *obligation,
                      Expr claim, uint64_t limit, const char **rule) {
    char *text = NULL;
    size_t length = 0;
    FILE *trace = open_memstream(&text, &length);
    hlc_assert(trace, "memory for the trace of the rules");
    Simplifier *simplifier = simplifier_create(writer->discharge.pool, arena);
    Exprs facts = {0};
    discharge_facts(&writer->discharge, arena, obligation, FACTS_PATH, &facts);
    for (size_t i = 0; i < facts.length; i++)
        simplifier_learn(simplifier, facts.data[i]);
    simplifier_set_options(simplifier, (SimplifierOptions){.trace = trace, .rule_limit = limit});
    Expr result = simplify(simplifier, claim);
    fclose(trace);
    const char *line = text;
    for (char *at = text; (at = strchr(at, '\n')) && at[1]; at++)
        line = at + 1;
    *rule = arena_text(arena, line, strcspn(line, ": (\n"));
    free(text);
    return result;
}

/* Writes each step, then the rest; false if Z3 leaves one of them open. */
static bool write_chain(CertificateWriter *writer, const Obligation *obligation, Expr claim) {
    Arena *arena = arena_create(&writer->discharge.pool->context->memory);
    Pool *pool = writer->discharge.pool;
    const char *rule;
    Expr before = claim;
    bool holds = true;
    for (uint64_t step = 1; step <= MOST_STEPS && holds; step++) {
        Expr after = rewritten(writer, arena, obligation, claim, step, &rule);
        if (after == before)
            break;
        holds = write_formula(writer, obligation, expr_eq(pool, before, after),
                              arena_format(arena, "step %llu, by the rule %s",
                                           (unsigned long long)step, *rule ? rule : "(none)"));
        before = after;
    }
    if (holds && !expr_is_true(before))
        holds = before != claim && write_formula(writer, obligation, before, "what is left");
    writer->result.chains++;
    arena_destroy(arena);
    return holds;
}

/* ---- obligations ---- */

static void write_comment(CertificateWriter *writer, const Obligation *obligation) {
    const Context *context = writer->discharge.pool->context;
    fprintf(writer->out, "\n; %u %s", obligation->number, clause_info(obligation->clause)->text);
    if (obligation->place.line)
        fprintf(writer->out, ", %s:%u:%u", context->files.data[obligation->place.file].path,
                obligation->place.line, obligation->place.column);
    fprintf(writer->out, ": %s", obligation->text);
    if (obligation->directive)
        fprintf(writer->out, " [%s]", obligation->directive);
    fputc('\n', writer->out);
    if (obligation->rule)
        fprintf(writer->out, "; seen in the program's text: %s\n", obligation->rule);
    if (obligation->finding == FINDING_OPEN)
        fputs("; open\n", writer->out);
}

/* Writes the parts of a goal, each as one formula or as a chain.  Parts that are written before are
 * facts. */
static bool write_parts(CertificateWriter *writer, const Obligation *obligation, Exprs parts) {
    Arena *arena = writer->discharge.arena;
    Exprs left = {0};
    for (size_t i = 0; i < parts.length && !writer->result.solver_gone; i++) {
        bool holds = (parts.length > 1 &&
                      write_formula(writer, obligation, parts.data[i], "a part of the goal")) ||
                     write_chain(writer, obligation, parts.data[i]);
        if (!holds)
            vec_push(arena, &left, parts.data[i]);
        else if (parts.length > 1)
            obligation = obligation_with(arena, obligation, parts.data[i]);
    }
    bool helps = left.length && left.length < parts.length && !writer->result.solver_gone;
    for (size_t i = 0; i < left.length && helps; i++)
        helps = write_formula(writer, obligation, left.data[i],
                              "a part of the goal, of which the other parts are facts");
    return helps || (!left.length && !writer->result.solver_gone);
}

static void write_goal(CertificateWriter *writer, const Obligation *obligation) {
    Exprs parts = {0};
    if (!obligation->is_in_steps && write_formula(writer, obligation, obligation->goal, "the goal"))
        return;
    if (obligation->is_in_steps)
        fputs(
            "; The goal in steps: each equation is the value of a let, which then stands for it.\n",
            writer->out);
    goal_parts(writer->discharge.arena,
               obligation->is_in_steps ? obligation->steps : obligation->goal, &parts);
    bool holds = write_parts(writer, obligation, parts);
    if (!holds)
        fprintf(writer->out, "; not certified: Z3 leaves it open, and so it does with the rules\n");
    writer->result.uncertified += !holds;
}

static void write_head(CertificateWriter *writer) {
    const Certification *certification = writer->discharge.certification;
    const Signature *signature = certification->program->signature;
    fprintf(
        writer->out,
        "; A certificate of the pipeline %s.  Each (check-sat) must answer unsat: then what the "
        "comment\n; above it says holds for all inputs that the entry of the pipeline accepts.\n"
        "; To check it again: z3 FILE\n",
        signature->name->text);
}

CertificateResult certificate_write(FILE *out, const Certification *certification, Arena *arena,
                                    const CertifyOptions *options) {
    CertificateWriter writer = {
        .out = out, .discharge = discharge_create((Certification *)certification, options, arena)};
    if (!discharge_solver(&writer.discharge)) {
        writer.result.solver_gone = true;
        return writer.result;
    }
    write_head(&writer);
    for (size_t i = 0; i < certification->obligations.length && !writer.result.solver_gone; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        write_comment(&writer, obligation);
        if (obligation->goal && obligation->finding == FINDING_PROVED)
            write_goal(&writer, obligation);
    }
    fprintf(out, "\n; %zu formulas\n", writer.result.formulas);
    smt_stop(writer.discharge.solver);
    return writer.result;
}
