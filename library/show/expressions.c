/* expressions.c -- simplifies, solves and proves single expressions. */
#include "library/compiler.h"

#include "decide/decide.h"
#include "ir/print.h"
#include "simplify/solve.h"

#include <string.h>
#include <time.h>

typedef struct ExpressionQuestion {
    const char *text;
    const hlc_expression_options *options;
    FILE *out;
    /* of the entry in progress: */
    hlc *h;
    Pool *pool;
    Simplifier *simplifier;
    Expr expr;
    struct timespec begin;
} ExpressionQuestion;

/* ---- names ---- */

static bool name_type(void *data, Symbol name, Type *type) {
    const ExpressionQuestion *question = data;
    const hlc *h = question->h;
    *type = question->options->machine ? I32 : INDEX;
    for (size_t i = 0; i < h->declarations.length; i++)
        if (h->declarations.data[i].name == name)
            *type = h->declarations.data[i].type;
    return true;
}

static bool is_name(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i && ((c >= '0' && c <= '9') || c == '.')))
            return false;
    }
    return length > 0;
}

static hlc_status declare(hlc *h, void *data) {
    const char *text = data, *colon = strchr(text, ':');
    Declaration declaration;
    if (!colon || !is_name(text, (size_t)(colon - text)) ||
        !type_from_name(colon + 1, &declaration.type)) {
        diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "var",
             arena_format(h->scratch, "`%.100s` is not a name, a colon and a type", text),
             "the types: bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, index");
        return HLC_USER;
    }
    declaration.name = symbol_intern(&h->context->symbols, text, (size_t)(colon - text));
    for (size_t i = 0; i < h->declarations.length; i++)
        if (h->declarations.data[i].name == declaration.name) {
            diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "var",
                 arena_format(h->scratch, "%.100s has a type already", declaration.name->text),
                 "name it once");
            return HLC_USER;
        }
    vec_push(h->arena, &h->declarations, declaration);
    return HLC_YES;
}

hlc_status hlc_declare(hlc *h, const char *name_and_type) {
    if (!name_and_type)
        return compiler_null(h, "name_and_type");
    return compiler_enter(h, declare, (void *)name_and_type);
}

/* ---- lines ---- */

/* The text is kept only if there is a diagnostic. */
Expr compiler_read_expression(hlc *h, Pool *pool, const char *text, size_t length, NameType *names,
                              void *data) {
    DiagMark before = diag_mark(h->context);
    Expr expr = expr_read(pool, text, length, names, data, NOWHERE);
    if (expr)
        return expr;
    diag_drop(h->context, before);
    uint32_t file = context_add_file(h->context, "expression", text, length);
    Place place = {.file = file, .line = 1, .column = 1, .length = 1};
    return expr_read(pool, text, length, names, data, place);
}

static bool begin(hlc *h, ExpressionQuestion *question) {
    const hlc_expression_options *wanted = question->options;
    question->h = h;
    if (wanted->without_rule && !compiler_rule_exists(h, wanted->without_rule))
        return false;
    question->pool = pool_create(h->context, h->scratch);
    question->expr = compiler_read_expression(h, question->pool, question->text,
                                              strlen(question->text), name_type, question);
    if (!question->expr)
        return false;
    question->simplifier = simplifier_create(question->pool, h->scratch);
    simplifier_set_options(question->simplifier,
                           (SimplifierOptions){.trace = wanted->trace,
                                               .rule_limit = wanted->rule_limit,
                                               .without_rule = wanted->without_rule});
    clock_gettime(CLOCK_MONOTONIC, &question->begin);
    return true;
}

static void end(const ExpressionQuestion *question, const char *answer, double microseconds) {
    fputs(answer, question->out);
    if (question->options->time)
        fprintf(question->out, "\t%.1f", microseconds);
    fputc('\n', question->out);
    if (question->options->statistics)
        simplifier_print_statistics(question->simplifier, question->options->statistics);
}

static double since(const struct timespec *begin) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) * 1e6 +
           (double)(now.tv_nsec - begin->tv_nsec) / 1e3;
}

static hlc_status ask(hlc *h, Body *body, const char *text, const hlc_expression_options *options,
                      FILE *out) {
    static const hlc_expression_options none;
    if (!text || !out)
        return compiler_null(h, text ? "out" : "text");
    ExpressionQuestion question = {.text = text, .options = options ? options : &none, .out = out};
    return compiler_enter(h, body, &question);
}

/* ---- simplify ---- */

/* Prints the expression as a person writes it if that reads back as the same expression; else with
 * the types of constants. `toward` goes to the left, or is null. */
static const char *text_of(ExpressionQuestion *question, Expr expr, Symbol toward) {
    hlc *h = question->h;
    char *plain = expr_text_toward(h->scratch, expr, toward, true);
    DiagMark before = diag_mark(h->context);
    Expr back = expr_read(question->pool, plain, strlen(plain), name_type, question, NOWHERE);
    diag_drop(h->context, before);
    bool same = back && (back == expr || expr_adapt(question->pool, back, expr->type) == expr);
    return same ? plain : expr_text_toward(h->scratch, expr, toward, false);
}

static hlc_status answer_simplify(hlc *h, void *data) {
    ExpressionQuestion *question = data;
    if (!begin(h, question))
        return HLC_USER;
    Expr result = simplify(question->simplifier, question->expr);
    double microseconds = since(&question->begin);
    end(question, text_of(question, result, NULL), microseconds);
    return HLC_YES;
}

hlc_status hlc_simplify(hlc *h, const char *text, const hlc_expression_options *options,
                        FILE *out) {
    return ask(h, answer_simplify, text, options, out);
}

/* ---- solve ---- */

/* Conditions must be scalar. Returns true after reporting a vector. */
static bool is_vector(hlc *h, const ExpressionQuestion *question) {
    Type type = question->expr->type;
    if (type_is_vector(type))
        diag(h->context, DIAG_TEXT_TYPE, NOWHERE, "bool",
             arena_format(h->scratch, "%s x %d", type_name(type), type.lanes));
    return type_is_vector(type);
}

static hlc_status answer_solve(hlc *h, void *data) {
    ExpressionQuestion *question = data;
    const char *name = question->options->variable;
    if (!name) {
        diag(h->context, DIAG_OPERAND_MISSING, NOWHERE, "solve", "the variable, --for=NAME");
        return HLC_USER;
    }
    if (!is_name(name, strlen(name))) {
        diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "for",
             arena_format(h->scratch, "`%.100s` is not a name", name),
             "write the variable to solve for, as in --for=x");
        return HLC_USER;
    }
    if (!begin(h, question) || is_vector(h, question))
        return HLC_USER;
    Symbol variable = symbol_intern(&h->context->symbols, name, strlen(name));
    Expr result = simplify_solve(question->simplifier, question->expr, variable);
    double microseconds = since(&question->begin);
    end(question, text_of(question, result, variable), microseconds);
    return HLC_YES;
}

hlc_status hlc_solve(hlc *h, const char *text, const hlc_expression_options *options, FILE *out) {
    return ask(h, answer_solve, text, options, out);
}

/* ---- prove ---- */

static const char *witness_text(Arena *arena, const Decision *decision, const Bits *values) {
    const char *text = values ? "" : "-";
    for (size_t i = 0; values && i < decision->variables.length; i++) {
        Expr variable = decision->variables.data[i];
        text = arena_format(arena, "%s%s%s=%s", text, i ? " " : "", variable->name->text,
                            text_value(arena, variable->type, values[i]));
    }
    return text;
}

static hlc_status answer_prove(hlc *h, void *data) {
    static const char *const ANSWERS[] = {
        [PROOF_UNKNOWN] = "unknown", [PROOF_HOLDS] = "true", [PROOF_REFUTED] = "false"};
    ExpressionQuestion *question = data;
    if (!begin(h, question) || is_vector(h, question))
        return HLC_USER;
    if (!type_is_bool(question->expr->type)) {
        diag(h->context, DIAG_TEXT_TYPE, NOWHERE, "bool", type_name(question->expr->type));
        return HLC_USER;
    }
    Proof proof = simplify_prove(question->simplifier, question->expr);
    Decision decision = {0};
    if (proof == PROOF_UNKNOWN)
        decision = decide(question->pool, h->scratch, question->expr, NULL, DECIDE_ALONE);
    if (decision.verdict == VERDICT_VALID)
        proof = PROOF_HOLDS;
    if (decision.verdict == VERDICT_UNSATISFIABLE)
        proof = PROOF_REFUTED;
    double microseconds = since(&question->begin);
    const char *answer = ANSWERS[proof];
    if (proof == PROOF_UNKNOWN && question->options->witness)
        answer = arena_format(h->scratch, "%s\t%s\t%s", answer,
                              witness_text(h->scratch, &decision, decision.holds_at),
                              witness_text(h->scratch, &decision, decision.fails_at));
    end(question, answer, microseconds);
    return HLC_YES;
}

hlc_status hlc_prove(hlc *h, const char *text, const hlc_expression_options *options, FILE *out) {
    return ask(h, answer_prove, text, options, out);
}
