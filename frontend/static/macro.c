/* macro.c -- the pieces that all cases of expressions use: sequences with spreads, choices, calls of
 * helpers that are expanded at compile time. */
#include "frontend/static/static.h"

#include <string.h>

/* ---- sequences ---- */

/* Appends the elements of `..list`, or the one expression. */
static bool expand_into(StaticExpander *x, StaticScope scope, Syntax *syntax, Syntaxes *out,
                        bool *changed) {
    if (syntax->kind != SYNTAX_SPREAD) {
        Syntax *expanded = static_expand(x, scope, syntax);
        if (!expanded)
            return false;
        *changed |= expanded != syntax;
        vec_push(x->arena, out, expanded);
        return true;
    }
    bool failed = false;
    Syntax *list = static_list(x, scope, syntax->children.data[0], &failed);
    if (!list && !failed && x->defers)
        x->is_deferred = true;
    else if (!list && !failed)
        diag(x->context, DIAG_NOT_A_LIST, syntax->place);
    if (!list)
        return false;
    *changed = true;
    for (size_t i = 0; i < list->children.length; i++)
        vec_push(x->arena, out, list->children.data[i]);
    return static_step(x, syntax->place);
}

bool static_expand_all(StaticExpander *x, StaticScope scope, const Syntaxes *list, Syntaxes *out,
                       bool *changed) {
    bool good = true;
    for (size_t i = 0; i < list->length && !x->is_spent; i++)
        good &= expand_into(x, scope, list->data[i], out, changed);
    return good && !x->is_spent;
}

/* ---- choices ---- */

bool static_mentions(StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    for (; syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2;
         syntax = syntax->children.data[0]) /* the left spine, in a loop */
        if (static_mentions(x, scope, syntax->children.data[1]))
            return true;
    const Meaning *meaning = static_named(x, scope, syntax);
    if (meaning || syntax->kind == SYNTAX_NAME) {
        return meaning && (meaning->kind == MEANING_STATIC || meaning->kind == MEANING_ARGUMENT);
    }
    bool is_call = syntax->kind == SYNTAX_CALL && syntax->children.data[0]->kind == SYNTAX_NAME;
    Symbol callee = is_call ? syntax->children.data[0]->name : NULL;
    if (callee && (!strcmp(callee->text, "len") || !strcmp(callee->text, "dims")) &&
        !static_find(x, scope, callee))
        return true;
    for (size_t i = 0; i < syntax->children.length; i++)
        if (static_mentions(x, scope, syntax->children.data[i]))
            return true;
    return false;
}

StaticAnswer static_choose(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                           Syntax **chosen) {
    StaticValue value;
    const Syntax *condition = syntax->children.data[0];
    if (!static_mentions(x, scope, condition))
        return STATIC_NO;
    StaticAnswer answer = static_evaluate(x, scope, condition, &value);
    if (answer == STATIC_YES && value.kind != STATIC_BOOL)
        return static_fault(x, condition->place, "the condition is no bool"), STATIC_FAULT;
    if (answer == STATIC_YES)
        *chosen = syntax->children.data[value.integer ? 1 : 2];
    return answer;
}

Syntax *static_call_macro(StaticExpander *x, StaticScope scope, const Meaning *macro,
                          const Syntax *call) {
    const LetSyntax *let = macro->let;
    Syntaxes arguments = {0};
    bool changed = false;
    Syntaxes written = {call->children.data + 1, call->children.length - 1,
                        call->children.length - 1};
    if (!static_expand_all(x, scope, &written, &arguments, &changed))
        return NULL;
    if (arguments.length != let->parameters.length) {
        diag(x->context, DIAG_ARGUMENT_COUNT, call->place, macro->name->text,
             arena_number(x->arena, (int64_t)let->parameters.length), "arguments",
             arena_number(x->arena, (int64_t)arguments.length), "");
        return NULL;
    }
    StaticScope inner = macro->scope;
    for (size_t i = 0; i < arguments.length; i++) {
        Meaning *argument = static_bind(x, &inner, MEANING_ARGUMENT, let->parameters.data[i]);
        argument->syntax = arguments.data[i];
        argument->origin = static_origin(x);
        argument->written =
            written.length == arguments.length ? written.data[i] : arguments.data[i];
        argument->scope = scope;
    }
    return static_expand(x, inner, let->value);
}

/* The macro that is called, perhaps through an argument. */
const Meaning *static_macro(StaticExpander *x, StaticScope scope, const Syntax *callee) {
    for (const Meaning *meaning; (meaning = static_named(x, scope, callee));) {
        if (meaning->kind == MEANING_MACRO)
            return meaning;
        if (meaning->kind != MEANING_ARGUMENT)
            return NULL;
        callee = meaning->written;
        scope = meaning->scope;
    }
    return NULL;
}

/* ---- tables ---- */

bool static_is_table(StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    for (const Meaning *meaning; (meaning = static_named(x, scope, syntax));) {
        if (meaning->kind != MEANING_ARGUMENT)
            return meaning->kind == MEANING_TEXT;
        syntax = meaning->written;
        scope = meaning->scope;
    }
    return syntax->kind == SYNTAX_LIST && !static_is_made(syntax);
}
