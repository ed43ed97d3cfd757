/* associative.c -- prints whether the updates of a func, or given operators, are associative, one a
 * line.
 *
 *   i32: x + y
 *   {i32, u8}: {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)}
 *
 * The type of all components, or of each, comes first. k is any constant, of the first component's
 * type.
 */
#include "library/compiler.h"

#include "associative/associative.h"
#include "ir/print.h"
#include "library/show/associative_report.h"

#include <stdlib.h>
#include <string.h>

typedef struct OperatorQuestion {
    const char *text;
    const hlc_expression_options *options;
    FILE *out;
    /* of the entry in progress: */
    hlc *h;
    Pool *pool;
    const char *at;
    int type_count, arity;
    Type types[ASSOCIATIVE_MAX];
    Expr values[ASSOCIATIVE_MAX];
} OperatorQuestion;

/* ---- reading ---- */

static bool unexpected(const OperatorQuestion *q, const char *wanted) {
    size_t length = strcspn(q->at, " ,:{}");
    const char *found = *q->at ? arena_format(q->h->scratch, "`%.*s`",
                                              (int)(length ? length < 40 ? length : 40 : 1), q->at)
                               : "the end of the line";
    diag(q->h->context, DIAG_TEXT_EXPECTED, NOWHERE, wanted, found);
    return false;
}

static bool accept(OperatorQuestion *q, char c) {
    q->at += strspn(q->at, " \t");
    if (*q->at != c)
        return false;
    q->at++;
    return true;
}

static bool is_full(const OperatorQuestion *q, int count) {
    return count == ASSOCIATIVE_MAX &&
           !unexpected(q, arena_format(q->h->scratch, "at most %d elements", ASSOCIATIVE_MAX));
}

static bool read_type(OperatorQuestion *q) {
    q->at += strspn(q->at, " \t");
    size_t length = strspn(q->at, "abcdefghijklmnopqrstuvwxyz0123456789");
    const char *name = arena_text(q->h->scratch, q->at, length);
    if (is_full(q, q->type_count))
        return false;
    Type *type = &q->types[q->type_count];
    if (!type_from_name(name, type) || type_is_index(*type))
        return unexpected(q, "a type: bool, i8 to i64, u8 to u64, f16, bf16, f32, f64");
    q->type_count++;
    q->at += length;
    return true;
}

/* `i32:` or `{i32, f32}:`. */
static bool read_types(OperatorQuestion *q) {
    bool braces = accept(q, '{');
    do
        if (!read_type(q))
            return false;
    while (braces && accept(q, ','));
    if (braces && !accept(q, '}'))
        return unexpected(q, "`}`");
    if (!accept(q, ':'))
        return unexpected(q, "`:` behind the type");
    int count = braces ? q->type_count : ASSOCIATIVE_MAX;
    for (int i = q->type_count; i < ASSOCIATIVE_MAX; i++)
        q->types[i] = q->types[0];
    q->type_count = count;
    return true;
}

static bool name_type(void *data, Symbol name, Type *type) {
    const OperatorQuestion *q = data;
    const char *text = name->text;
    *type = q->types[0];
    if (!strcmp(text, "k") || !strcmp(text, "x") || !strcmp(text, "y"))
        return true;
    char *end;
    if ((text[0] != 'x' && text[0] != 'y') || text[1] != '.' || text[2] < '0' || text[2] > '9')
        return false;
    long element = strtol(text + 2, &end, 10);
    if (*end || element >= q->type_count)
        return false;
    *type = q->types[element];
    return true;
}

/* Returns the length up to a comma or brace outside of parentheses. */
static size_t term_length(const char *text) {
    int open = 0;
    size_t i = 0;
    for (; text[i] && !(open <= 0 && strchr(",{}", text[i])); i++)
        open += (text[i] == '(') - (text[i] == ')');
    return i;
}

static bool read_value(OperatorQuestion *q) {
    hlc *h = q->h;
    if (is_full(q, q->arity))
        return false;
    size_t length = term_length(q->at);
    Expr value = compiler_read_expression(h, q->pool, q->at, length, name_type, q);
    if (!value)
        return false;
    Type wanted = q->types[q->arity];
    Expr adapted = expr_adapt(q->pool, value, wanted);
    value = adapted ? adapted : value;
    if (!type_equal(value->type, wanted)) {
        diag(h->context, DIAG_TEXT_TYPE, NOWHERE, type_name(wanted), type_name(value->type));
        return false;
    }
    q->at += length;
    q->values[q->arity++] = value;
    return true;
}

/* `x` is x.0 if there is one component. */
static bool name_elements(OperatorQuestion *q) {
    Substitution substitution = substitution_create(q->h->scratch);
    SymbolTable *symbols = &q->h->context->symbols;
    substitution_add(&substitution, symbol_from(symbols, "x"),
                     associative_x(q->pool, 0, q->types[0]));
    substitution_add(&substitution, symbol_from(symbols, "y"),
                     associative_y(q->pool, 0, q->types[0]));
    for (int i = 0; i < q->arity; i++) {
        Expr value = substitution_apply(q->pool, &substitution, q->values[i]);
        if (value != q->values[i] && q->arity > 1) {
            diag(q->h->context, DIAG_TEXT_EXPECTED, NOWHERE,
                 "an element, `x.0` or `y.0`, in an operator of several", "`x` or `y` alone");
            return false;
        }
        q->values[i] = value;
    }
    /* An operator with fewer components than named. */
    for (int i = 0; i < q->arity; i++)
        for (int j = q->arity; j < q->type_count; j++)
            if (expr_mentions(q->h->scratch, q->values[i],
                              associative_x(q->pool, j, q->types[j])->name) ||
                expr_mentions(q->h->scratch, q->values[i],
                              associative_y(q->pool, j, q->types[j])->name)) {
                diag(q->h->context, DIAG_TEXT_UNKNOWN_NAME, NOWHERE,
                     arena_format(q->h->scratch, "element %d", j));
                return false;
            }
    return true;
}

static bool read_operator(OperatorQuestion *q) {
    q->at = q->text;
    if (!read_types(q))
        return false;
    bool braces = accept(q, '{');
    do
        if (!read_value(q))
            return false;
    while (braces && accept(q, ','));
    if (braces && !accept(q, '}'))
        return unexpected(q, "`,` or `}`");
    q->at += strspn(q->at, " \t\r");
    if (*q->at)
        return unexpected(q, "the end of the line");
    if (q->type_count < ASSOCIATIVE_MAX && q->type_count != q->arity) {
        diag(q->h->context, DIAG_TEXT_COUNT, NOWHERE, "the operator",
             arena_format(q->h->scratch, "%d elements", q->arity),
             arena_format(q->h->scratch, "the %d of its types", q->type_count));
        return false;
    }
    return name_elements(q);
}

/* ---- answering ---- */

static hlc_status answer(hlc *h, void *data) {
    OperatorQuestion *q = data;
    q->h = h;
    q->pool = pool_create(h->context, h->scratch);
    if (!read_operator(q))
        return HLC_USER;
    int64_t begin = timing_now().processor;
    AssociativeUpdate update = {.arity = q->arity,
                                .types = q->types,
                                .values = q->values,
                                .reassociation = q->options->reassociation};
    Associativity found =
        associative_operator(q->pool, h->scratch, &update, symbol_from(&h->context->symbols, "k"));
    int64_t end = timing_now().processor;
    associative_line(q->out, h->scratch, &found);
    if (q->options->time)
        fprintf(q->out, "\t%.1f", (double)(end - begin) / 1e3);
    fputc('\n', q->out);
    return HLC_YES;
}

hlc_status hlc_assoc(hlc *h, const char *text, const hlc_expression_options *options, FILE *out) {
    if (!text)
        return compiler_null(h, "text");
    if (!out)
        return compiler_null(h, "out");
    static const hlc_expression_options none;
    OperatorQuestion question = {.text = text, .options = options ? options : &none, .out = out};
    return compiler_enter(h, answer, &question);
}

/* ---- explaining ---- */

static const Func *find_func(hlc *h, const Pipeline *pipeline, const char *name) {
    NameList names = {0};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        if (!strcmp(func->shape->name->text, name))
            return func;
        vec_push(h->scratch, &names, func->shape->name->text);
    }
    diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "associative",
         arena_format(h->scratch, "there is no func `%s`", name),
         arena_format(h->scratch, "the funcs: %s", compiler_choices(h, &names, name)));
    return NULL;
}

static hlc_status explain(hlc *h, void *data) {
    const ShowRequest *explaining = data;
    const Pipeline *pipeline = compiler_pipeline(h, explaining->pipeline);
    const Func *func = pipeline ? find_func(h, pipeline, explaining->func) : NULL;
    if (!func)
        return HLC_USER;
    if (func->stages.length < 2) {
        diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "associative",
             arena_format(h->scratch, "`%s` has no update", explaining->func),
             "a reduction is an update, `f(..) <- ..`, or `sum` and its like");
        return HLC_USER;
    }
    hlc_status status = HLC_YES;
    for (size_t i = 1; i < func->stages.length; i++) {
        Associativity found = associative_stage(pipeline, h->scratch, func, (int)i);
        fprintf(explaining->out, "%s.s%zu: ", explaining->func, i);
        associative_line(explaining->out, h->scratch, &found);
        fputc('\n', explaining->out);
        associative_elements(explaining->out, h->scratch, &found);
        if (found.verdict != ASSOCIATIVE_YES)
            status = HLC_NO;
    }
    return status;
}

hlc_status hlc_explain_associative(hlc *h, const char *pipeline, const char *func, FILE *out) {
    if (!func)
        return compiler_null(h, "func");
    if (!out)
        return compiler_null(h, "out");
    ShowRequest explaining = {.pipeline = pipeline, .func = func, .out = out};
    return compiler_enter(h, explain, &explaining);
}
