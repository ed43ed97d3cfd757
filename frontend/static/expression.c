/* expression.c -- expands expressions: a static name becomes its literal, a path the name of a
 * func, a macro's call its text.  Nothing else is folded. */
#include "frontend/static/library.h"
#include "frontend/static/static.h"

#include <string.h>

/* ---- names ---- */

/* A name, perhaps behind that of a package. */
static Syntax *expand_named(StaticExpander *x, StaticScope scope, const Meaning *meaning,
                            Syntax *syntax) {
    switch (meaning->kind) {
    case MEANING_STATIC:
        if (meaning->value.kind != STATIC_TYPE)
            return static_literal(x, &meaning->value, syntax->place);
        diag(x->context, DIAG_NOT_A_VALUE, syntax->place, syntax->name->text, "a type",
             arena_format(x->arena, "convert a value to it: %s(e)", syntax->name->text));
        return NULL;
    case MEANING_ARGUMENT:
        return static_move(x, meaning->syntax, meaning->origin, syntax->place);
    case MEANING_FAMILY:
    case MEANING_BUNDLE:
    case MEANING_REST:
    case MEANING_TEMPLATE:
        diag(x->context, DIAG_FAMILY_INDEX, syntax->place, syntax->name->text);
        return NULL;
    case MEANING_SEVERAL:
        static_refuse_several(x, scope, (NameSyntax){syntax->name, syntax->place});
        return NULL;
    case MEANING_MACRO:
        return syntax;
    case MEANING_INPUT:
    case MEANING_IMAGE:
    case MEANING_FUNC:
    case MEANING_VARIABLE:
    case MEANING_TEXT:
    case MEANING_LIST:
        break;
    }
    if (!static_visible(x, meaning, syntax->place))
        return NULL;
    bool stays = syntax->kind == SYNTAX_NAME && meaning->out == syntax->name;
    return stays ? syntax : static_name(x, meaning->out, syntax->place);
}

static Syntax *expand_name(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    const Meaning *meaning = static_find(x, scope, syntax->name);
    return meaning ? expand_named(x, scope, meaning, syntax) : syntax;
}

/* The name of a func, a subscript, a member. */
static Syntax *expand_path(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *done) {
    Symbol name;
    PathAnswer answer = static_path(x, scope, syntax, &name);
    *done = answer != PATH_NONE;
    if (answer != PATH_FUNC)
        return NULL;
    const Meaning *meaning = static_find(x, (StaticScope){.visible = scope.visible}, name);
    if (meaning && (meaning->kind == MEANING_FAMILY || meaning->kind == MEANING_BUNDLE)) {
        diag(x->context, DIAG_FAMILY_INDEX, syntax->place, name->text);
        return NULL;
    }
    return static_visible_path(x, name, syntax->place) ? static_name(x, name, syntax->place) : NULL;
}

/* A loop's name, a field of an image, a member; or the name behind a package's. */
static Syntax *expand_member(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *done) {
    Syntax *result = expand_path(x, scope, syntax, done);
    const StaticPackage *package = *done ? NULL : static_qualifier(x, scope, syntax);
    if (!package)
        return result;
    const Meaning *meaning = static_named(x, scope, syntax);
    *done = true;
    if (meaning)
        return expand_named(x, scope, meaning, syntax);
    static_refuse_member(x, package, "name", (NameSyntax){syntax->name, syntax->place});
    return NULL;
}

/* ---- calls ---- */

/* `T(e)` */
static Syntax *expand_type_call(StaticExpander *x, StaticScope scope, const Syntax *call,
                                Type type) {
    Syntax *operand = static_expand(x, scope, call->children.data[1]);
    if (!operand)
        return NULL;
    Syntax *syntax = static_node(x, SYNTAX_CONVERT, call->place);
    syntax->op = OP_CAST;
    syntax->type = type;
    static_adopt(x, syntax, operand);
    return syntax;
}

/* What a macro's call, a fold or an element of a list becomes; null without a report for others. */
static Syntax *reduce(StaticExpander *x, StaticScope scope, const Syntax *syntax, bool *failed) {
    Syntax *result = NULL;
    if (syntax->kind == SYNTAX_SUBSCRIPT)
        return static_element(x, scope, syntax, failed);
    const Meaning *macro = static_macro(x, scope, syntax->children.data[0]);
    if (!macro)
        return static_fold(x, scope, syntax, failed);
    result = static_call_macro(x, scope, macro, syntax);
    *failed = !result;
    return result;
}

/* `blur.weight(..)` of a package that is not imported; false for another text. */
static bool refuse_unimported(StaticExpander *x, StaticScope scope, const Syntax *callee) {
    const Syntax *base = callee->kind == SYNTAX_MEMBER ? callee->children.data[0] : NULL;
    bool is_package = base && base->kind == SYNTAX_NAME && package_find(base->name->text) &&
                      !static_find(x, scope, base->name);
    return is_package && !static_qualifier(x, scope, callee) &&
           !static_package(x, scope, (NameSyntax){base->name, base->place});
}

static Syntax *expand_call(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *done) {
    const Syntax *callee = syntax->children.data[0];
    bool failed = false;
    *done = true;
    if (refuse_unimported(x, scope, callee))
        return NULL;
    Syntax *reduced = reduce(x, scope, syntax, &failed);
    if (reduced || failed)
        return reduced;
    if (syntax->children.length == 2) {
        const Meaning *meaning = static_named(x, scope, callee);
        if (meaning && meaning->kind == MEANING_STATIC && meaning->value.kind == STATIC_TYPE)
            return expand_type_call(x, scope, syntax, meaning->value.type);
    }
    *done = false;
    return NULL;
}

/* ---- subscripts ---- */

/* Is it the value of a func, perhaps behind a let?  Then `[k]` is a component. */
static bool is_read(StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    for (;;) {
        Symbol name;
        if (syntax->kind == SYNTAX_TUPLE)
            return true;
        if (syntax->kind == SYNTAX_CALL)
            return static_path(x, scope, syntax->children.data[0], &name) == PATH_FUNC;
        const Meaning *meaning = static_named(x, scope, syntax);
        bool is_let =
            meaning && meaning->kind == MEANING_TEXT && meaning->let->parameters.length == 0;
        if (!is_let && !(meaning && meaning->kind == MEANING_ARGUMENT))
            return false;
        syntax = is_let ? meaning->let->value : meaning->written;
        scope = meaning->scope;
    }
}

static Syntax *expand_component(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    StaticValue index;
    StaticAnswer answer = static_evaluate(x, scope, syntax->children.data[1], &index);
    Syntax *base =
        answer == STATIC_FAULT ? NULL : static_expand(x, scope, syntax->children.data[0]);
    if (!base)
        return NULL;
    if (answer == STATIC_NO || index.kind != STATIC_INTEGER || index.integer < 0) {
        int64_t number;
        if (static_need_integer(x, scope, syntax->children.data[1], "the number of a component",
                                &number))
            static_fault(x, syntax->children.data[1]->place, "components count from 0");
        return NULL;
    }
    Syntax *result = static_node(x, SYNTAX_COMPONENT, syntax->place);
    result->integer = (uint64_t)index.integer;
    static_adopt(x, result, base);
    return result;
}

/* Is it `f.z1`, `f.z[1]` or `f`, for a func f? */
static bool is_specialization(StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    Symbol name;
    if (static_path(x, scope, syntax, &name) == PATH_FUNC)
        return true;
    if (syntax->kind == SYNTAX_SUBSCRIPT)
        syntax = syntax->children.data[0];
    return syntax->kind == SYNTAX_MEMBER && syntax->name->text[0] == 'z' &&
           static_path(x, scope, syntax->children.data[0], &name) == PATH_FUNC;
}

/* `out.s[k]` is the stage `out.s2`, and `out.z[k]` a specialization, unless these are families. */
static Syntax *expand_stage(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                            bool *done) {
    const Syntax *base = syntax->children.data[0];
    bool is_word = base->kind == SYNTAX_MEMBER && base->name->length == 1 &&
                   (base->name->text[0] == 's' || base->name->text[0] == 'z');
    int64_t number;
    *done = is_word && is_specialization(x, scope, base->children.data[0]);
    if (!*done ||
        !static_need_integer(x, scope, syntax->children.data[1], "the number of a stage", &number))
        return NULL;
    Syntax *func = static_expand(x, scope, base->children.data[0]);
    if (number < 0)
        static_fault(x, syntax->children.data[1]->place, "stages count from 0");
    if (!func || number < 0)
        return NULL;
    Syntax *result = static_node(x, SYNTAX_MEMBER, syntax->place);
    result->name =
        symbol_format(&x->context->symbols, "%s%lld", base->name->text, (long long)number);
    static_adopt(x, result, func);
    return result;
}

static Syntax *expand_subscript(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *done) {
    const Syntax *base = syntax->children.data[0];
    bool failed = false;
    Syntax *result = expand_path(x, scope, syntax, done);
    if (!*done)
        result = expand_stage(x, scope, syntax, done);
    if (*done)
        return result;
    *done = true;
    if (is_read(x, scope, base))
        return expand_component(x, scope, syntax);
    if (!static_is_table(x, scope, base)) {
        result = static_element(x, scope, syntax, &failed);
        if (result || failed)
            return result;
    }
    *done = false;
    return NULL;
}

/* ---- children ---- */

static Syntax *rebuild(StaticExpander *x, const Syntax *syntax, const Syntaxes *children) {
    Syntax *result = static_copy(x, syntax);
    result->depth = 1;
    for (size_t i = 0; i < children->length; i++)
        static_adopt(x, result, children->data[i]);
    return result;
}

static Syntax *expand_children(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    Syntaxes children = {0};
    bool changed = false;
    if (!static_expand_all(x, scope, &syntax->children, &children, &changed))
        return NULL;
    return changed ? rebuild(x, syntax, &children) : syntax;
}

/* The left spine is followed in a loop. */
static Syntax *expand_infix(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    Vec(Syntax *) spine = {0};
    Syntax *at = syntax;
    for (; at->kind == SYNTAX_OPERATOR && at->children.length == 2; at = at->children.data[0])
        vec_push(x->arena, &spine, at);
    Syntax *left = static_expand(x, scope, at);
    bool failed = !left;
    for (size_t i = spine.length; i-- > 0;) {
        Syntax *node = spine.data[i], *right = static_expand(x, scope, node->children.data[1]);
        failed |= !right;
        if (failed)
            continue;
        if (left == node->children.data[0] && right == node->children.data[1]) {
            left = node;
            continue;
        }
        Syntax *made = static_copy(x, node);
        vec_push(x->arena, &made->children, left);
        vec_push(x->arena, &made->children, right);
        made->depth = left->depth > right->depth + 1 ? left->depth : right->depth + 1;
        left = made;
    }
    return failed ? NULL : left;
}

static Syntax *expand_reduction(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    const Trie *names = x->names;
    bool changed = false, good = true;
    ReductionSyntaxes variables = {0};
    for (size_t i = 0; i < syntax->variables.length; i++) {
        ReductionSyntax variable = syntax->variables.data[i];
        variable.minimum = static_expand(x, scope, variable.minimum);
        variable.length = static_expand(x, scope, variable.length);
        good &= variable.minimum && variable.length;
        changed |= variable.minimum != syntax->variables.data[i].minimum ||
                   variable.length != syntax->variables.data[i].length;
        vec_push(x->arena, &variables, variable);
    }
    for (size_t i = 0; i < variables.length; i++)
        static_bind_variable(x, &scope, MEANING_VARIABLE, variables.data[i].variable);
    Syntax *body = static_expand(x, scope, syntax->children.data[0]);
    x->names = names;
    if (!good || !body)
        return NULL;
    if (!changed && body == syntax->children.data[0])
        return syntax;
    Syntax *result = rebuild(x, syntax, &(Syntaxes){&body, 1, 1});
    result->variables = variables;
    return result;
}

static Syntax *expand_conversion(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    Type type = syntax->type;
    NameSyntax name = {syntax->name, syntax->place};
    if (name.name && !static_type(x, scope, name, &type))
        return NULL;
    Syntax *result = expand_children(x, scope, syntax);
    if (!result || !name.name)
        return result;
    result = rebuild(x, result, &result->children);
    result->type = type;
    result->name = NULL;
    return result;
}

/* `<h, z0, s1, x>`: the first part is a func, the others stay as they are. */
static Syntax *expand_loop(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    Syntax *func = static_expand(x, scope, syntax->children.data[0]);
    if (!func || func == syntax->children.data[0])
        return func ? syntax : NULL;
    Syntax *result = static_copy(x, syntax);
    static_adopt(x, result, func);
    for (size_t i = 1; i < syntax->children.length; i++)
        static_adopt(x, result, syntax->children.data[i]);
    return result;
}

static Syntax *expand_kind(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    bool done = false;
    Syntax *result = NULL;
    switch (syntax->kind) {
    case SYNTAX_INTEGER:
    case SYNTAX_FLOAT:
    case SYNTAX_BOOL:
        return syntax;
    case SYNTAX_NAME:
        return expand_name(x, scope, syntax);
    case SYNTAX_OPERATOR:
        if (syntax->children.length == 2)
            return expand_infix(x, scope, syntax);
        if (syntax->op == OP_SELECT) {
            StaticAnswer answer = static_choose(x, scope, syntax, &result);
            if (answer != STATIC_NO)
                return answer == STATIC_YES ? static_expand(x, scope, result) : NULL;
        }
        break;
    case SYNTAX_CALL:
        result = expand_call(x, scope, syntax, &done);
        break;
    case SYNTAX_CONVERT:
        return expand_conversion(x, scope, syntax);
    case SYNTAX_MEMBER:
        result = expand_member(x, scope, syntax, &done);
        break;
    case SYNTAX_SUFFIX:
        result = expand_path(x, scope, syntax, &done);
        break;
    case SYNTAX_SUBSCRIPT:
        result = expand_subscript(x, scope, syntax, &done);
        break;
    case SYNTAX_LIST:
        return static_expand_list(x, scope, syntax);
    case SYNTAX_REDUCE:
        return expand_reduction(x, scope, syntax);
    case SYNTAX_LOOP:
        return expand_loop(x, scope, syntax);
    case SYNTAX_SPREAD:
    case SYNTAX_COMPREHENSION:
        diag(x->context, DIAG_NOT_A_VALUE, syntax->place, "this", "a part of a list",
             "it stands between the brackets of a list");
        return NULL;
    case SYNTAX_COMPONENT:
    case SYNTAX_TUPLE:
    case SYNTAX_INTERVAL:
    case SYNTAX_EXTERN:
    case SYNTAX_RANGE:
        break;
    }
    return done ? result : expand_children(x, scope, syntax);
}

const StaticCases static_cases = {expand_kind, static_list_kind, reduce};
