/* list.c -- lists whose length is known: comprehensions, spreads, elements, len and folds. */
#include "frontend/static/static.h"

#include <string.h>

/* ---- ranges ---- */

bool static_range(StaticExpander *x, StaticScope scope, const RangeSyntax *range,
                  StaticRange *result) {
    *result = (StaticRange){.step = 1, .origin = static_origin(x)};
    if (!range->last) {
        bool failed = false;
        result->list = static_list(x, scope, range->first, &failed);
        if (!result->list && !failed && x->defers)
            x->is_deferred = true;
        else if (!result->list && !failed)
            diag(x->context, DIAG_NOT_A_LIST, range->first->place);
        result->count = result->list ? result->list->children.length : 0;
        return result->list;
    }
    if (!static_need_integer(x, scope, range->first, "the first value of a loop", &result->first) ||
        !static_need_integer(x, scope, range->last, "the last value of a loop", &result->last) ||
        (range->step &&
         !static_need_integer(x, scope, range->step, "the step of a loop", &result->step)))
        return false;
    if (result->step == 0)
        return static_fault(x, range->step->place, "a loop cannot count by 0");
    bool up = result->step > 0;
    if (up ? result->first > result->last : result->first < result->last)
        return true;
    uint64_t distance = up ? (uint64_t)result->last - (uint64_t)result->first
                           : (uint64_t)result->first - (uint64_t)result->last;
    uint64_t step = up ? (uint64_t)result->step : 0 - (uint64_t)result->step;
    uint64_t rounds = distance / step;
    result->count = rounds < SIZE_MAX ? (size_t)rounds + 1 : SIZE_MAX; /* the budget ends sooner */
    return true;
}

void static_bind_round(StaticExpander *x, StaticScope *scope, const RangeSyntax *range,
                       const StaticRange *values, size_t i) {
    if (!values->list) {
        Meaning *number = static_bind(x, scope, MEANING_STATIC, range->variable);
        number->value.integer =
            (int64_t)((uint64_t)values->first + (uint64_t)values->step * (uint64_t)i);
        return;
    }
    StaticScope outer = *scope;
    Meaning *element = static_bind(x, scope, MEANING_ARGUMENT, range->variable);
    element->written = element->syntax = values->list->children.data[i];
    element->origin = values->origin;
    element->scope = outer;
}

/* ---- comprehensions ---- */

static bool comprehend(StaticExpander *x, StaticScope scope, const Syntax *syntax, size_t level,
                       Syntaxes *out) {
    const ComprehensionSyntax *written = syntax->comprehension;
    if (!static_step(x, syntax->place))
        return false;
    if (level < written->ranges.length) {
        const RangeSyntax *range = &written->ranges.data[level];
        StaticRange values;
        if (!static_range(x, scope, range, &values))
            return false;
        for (size_t i = 0; i < values.count; i++) {
            StaticScope inner = scope;
            static_bind_round(x, &inner, range, &values, i);
            if (!comprehend(x, inner, syntax, level + 1, out))
                return false;
        }
        return true;
    }
    bool holds = true;
    if (written->condition &&
        !static_need_bool(x, scope, written->condition, "the condition of an element", &holds))
        return false;
    Syntax *element = holds ? static_expand(x, scope, syntax->children.data[0]) : NULL;
    if (element)
        vec_push(x->arena, out, element);
    return element || !holds;
}

Syntax *static_expand_list(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    Syntaxes elements = {0};
    bool changed = false, good = true;
    for (size_t i = 0; i < syntax->children.length && !x->is_spent; i++) {
        Syntax *child = syntax->children.data[i];
        if (child->kind == SYNTAX_COMPREHENSION) {
            good &= comprehend(x, scope, child, 0, &elements);
            changed = true;
        } else {
            good &= static_expand_all(x, scope, &(Syntaxes){&child, 1, 1}, &elements, &changed);
        }
    }
    if (!good || x->is_spent)
        return NULL;
    if (!changed)
        return syntax;
    Syntax *list = static_node(x, SYNTAX_LIST, syntax->place);
    for (size_t i = 0; i < elements.length; i++)
        static_adopt(x, list, elements.data[i]);
    return list;
}

/* ---- what is a list ---- */

static Syntax *list_of_name(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed) {
    const Meaning *meaning = static_named(x, scope, syntax);
    if (!meaning)
        return NULL;
    bool is_argument = meaning->kind == MEANING_ARGUMENT;
    if (meaning->kind == MEANING_REST)
        return meaning->syntax;
    if (meaning->kind == MEANING_LIST || (is_argument && meaning->syntax->kind == SYNTAX_LIST)) {
        Syntax *list = static_move(x, meaning->syntax, meaning->origin, syntax->place);
        *failed = !list;
        return list;
    }
    if (is_argument)
        return static_list(x, meaning->scope, (Syntax *)meaning->written, failed);
    if (meaning->kind == MEANING_TEXT && meaning->let->parameters.length == 0)
        return static_list(x, meaning->scope, meaning->let->value, failed);
    return NULL;
}

/* A helper that gives a list. */
static Syntax *list_of_call(StaticExpander *x, StaticScope scope, const Syntax *call,
                            bool *failed) {
    const Syntax *callee = call->children.data[0];
    const Meaning *meaning = static_named(x, scope, callee);
    bool is_text = meaning && meaning->kind == MEANING_TEXT &&
                   meaning->let->parameters.length > 0 && meaning->let->value->kind == SYNTAX_LIST;
    if (!is_text && !(meaning && meaning->kind == MEANING_MACRO))
        return NULL;
    Syntax *result = static_call_macro(x, scope, meaning, call);
    *failed = !result;
    return result && result->kind == SYNTAX_LIST ? result : NULL;
}

Syntax *static_list_kind(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed) {
    Syntax *result = NULL;
    if (syntax->kind == SYNTAX_LIST) {
        result = static_expand_list(x, scope, syntax);
        *failed = !result;
        return result;
    }
    if (syntax->kind == SYNTAX_NAME || syntax->kind == SYNTAX_MEMBER)
        return list_of_name(x, scope, syntax, failed);
    if (syntax->kind == SYNTAX_CALL)
        return list_of_call(x, scope, syntax, failed);
    if (syntax->kind == SYNTAX_OPERATOR && syntax->op == OP_SELECT) {
        StaticAnswer answer = static_choose(x, scope, syntax, &result);
        *failed = answer == STATIC_FAULT;
        return answer == STATIC_YES ? static_list(x, scope, result, failed) : NULL;
    }
    if (syntax->kind != SYNTAX_SUBSCRIPT)
        return NULL;
    result = static_element(x, scope, syntax, failed);
    return result && result->kind == SYNTAX_LIST ? result : NULL;
}

/* The list that a name stands for, as it is, made at `*origin`; null if it is none that is known
 * already. */
static Syntax *known_list(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                          StaticOrigin *origin) {
    for (const Meaning *meaning; (meaning = static_named(x, scope, syntax));) {
        bool is_argument = meaning->kind == MEANING_ARGUMENT;
        if (!is_argument && meaning->kind != MEANING_LIST)
            return NULL;
        *origin = meaning->origin;
        if (meaning->syntax->kind == SYNTAX_LIST)
            return meaning->syntax;
        syntax = meaning->written;
        scope = meaning->scope;
    }
    return NULL;
}

Syntax *static_element(StaticExpander *x, StaticScope scope, const Syntax *syntax, bool *failed) {
    StaticOrigin origin = static_origin(x);
    Syntax *list = known_list(x, scope, syntax->children.data[0], &origin);
    bool is_known = list;
    StaticValue index;
    if (!list && !(list = static_list(x, scope, syntax->children.data[0], failed)))
        return NULL;
    StaticAnswer answer = static_evaluate(x, scope, syntax->children.data[1], &index);
    *failed = answer == STATIC_FAULT;
    if (answer != STATIC_YES)
        return NULL;
    bool is_inside = index.kind == STATIC_INTEGER && index.integer >= 0 &&
                     (size_t)index.integer < list->children.length;
    if (is_inside) {
        Syntax *element = list->children.data[index.integer];
        if (is_known)
            element = static_move(x, element, origin, syntax->place);
        *failed = !element;
        return element;
    }
    diag(x->context, DIAG_NO_ELEMENT, syntax->children.data[1]->place,
         arena_number(x->arena, (int64_t)list->children.length), static_text(x, &index));
    *failed = true;
    return NULL;
}

/* ---- len, dims, sum, product, min, max ---- */

static Syntax *count_literal(StaticExpander *x, int64_t count, Place place) {
    StaticValue value = {.kind = STATIC_INTEGER, .integer = count};
    return static_literal(x, &value, place);
}

static Syntax *fold_dimensions(StaticExpander *x, StaticScope scope, const Syntax *call,
                               bool *failed) {
    const Syntax *argument = call->children.data[1];
    int dimensions = static_dimensions(x, scope, argument);
    if (dimensions >= 0)
        return count_literal(x, dimensions, call->place);
    *failed = true;
    if (x->defers)
        x->is_deferred = true;
    else
        diag(x->context, DIAG_NOT_STATIC, argument->place,
             "what `dims` takes is a func or image; it", "this");
    return NULL;
}

/* The elements joined by an operator, from the left. */
static Syntax *join(StaticExpander *x, const Syntax *call, const Syntax *list, const char *word,
                    Op op) {
    if (list->children.length == 0 && (op == OP_ADD || op == OP_MUL))
        return count_literal(x, op == OP_MUL, call->place);
    if (list->children.length == 0) {
        diag(x->context, DIAG_EMPTY_FOLD, call->place, word);
        return NULL;
    }
    bool is_infix = op == OP_ADD || op == OP_MUL;
    Syntax *result = list->children.data[0];
    for (size_t i = 1; i < list->children.length; i++) {
        Syntax *right = list->children.data[i];
        Syntax *joined = static_node(x, is_infix ? SYNTAX_OPERATOR : SYNTAX_CALL, call->place);
        joined->op = op;
        if (!is_infix)
            static_adopt(x, joined, call->children.data[0]);
        static_adopt(x, joined, result);
        static_adopt(x, joined, right);
        if (is_infix) /* a left spine adds no depth */
            joined->depth = result->depth > right->depth + 1 ? result->depth : right->depth + 1;
        result = joined;
    }
    return result;
}

Syntax *static_fold(StaticExpander *x, StaticScope scope, const Syntax *call, bool *failed) {
    static const struct {
        const char *word;
        Op op;
    } folds[] = {{"len", OP_COUNT},   {"dims", OP_COUNT}, {"sum", OP_ADD},
                 {"product", OP_MUL}, {"min", OP_MIN},    {"max", OP_MAX}};
    const Syntax *callee = call->children.data[0];
    size_t f = 0, count = sizeof folds / sizeof *folds;
    if (callee->kind != SYNTAX_NAME || call->children.length != 2 ||
        static_find(x, scope, callee->name))
        return NULL;
    while (f < count && strcmp(folds[f].word, callee->name->text))
        f++;
    if (f == count)
        return NULL;
    if (f == 1)
        return fold_dimensions(x, scope, call, failed);
    StaticOrigin origin;
    Syntax *list = f == 0 ? known_list(x, scope, call->children.data[1], &origin) : NULL;
    list = list ? list : static_list(x, scope, call->children.data[1], failed);
    if (list) {
        Syntax *result = f == 0 ? count_literal(x, (int64_t)list->children.length, call->place)
                                : join(x, call, list, folds[f].word, folds[f].op);
        *failed = !result;
        return result;
    }
    if (*failed)
        return NULL;
    if (x->defers) { /* the argument may be one */
        *failed = x->is_deferred = true;
    } else if (f == 0) {
        *failed = true;
        diag(x->context, DIAG_NOT_A_LIST, call->children.data[1]->place);
    }
    return NULL;
}
