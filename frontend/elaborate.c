/* elaborate.c -- the recursion of elaborate.h: its limits, and the expansion of lets, helpers and
 * arguments. expand.c, above this file, handles the kinds of syntax. */
#include "frontend/elaborate.h"

/* ---- limits ---- */

/* Without the limits, helpers that use their arguments twice let ten lines run forever. */
bool elaborate_enter(Elaborator *e, const Syntax *syntax) {
    const Limits *limits = &e->context->limits;
    e->steps++;
    e->module_names->steps++;
    e->context->at = syntax->place;
    bool deep = e->depth >= 2 * limits->nesting;
    bool large = e->steps > limits->expression_nodes ||
                 e->module_names->steps > 8 * limits->expression_nodes;
    if (!deep && !large) {
        e->depth++;
        return true;
    }
    if (!e->too_large) {
        size_t limit = deep ? 2 * limits->nesting : limits->expression_nodes;
        diag(e->context, deep ? DIAG_EXPANSION_NESTING : DIAG_EXPRESSION_SIZE, syntax->place,
             arena_number(e->arena, limit));
    }
    e->too_large = true;
    return false;
}

/* ---- the recursion ---- */

Result elaborate(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort) {
    if (!elaborate_enter(e, syntax))
        return FAILED;
    Result result = e->cases->value(e, environment, syntax, sort);
    e->depth--;
    hlc_assert(!result_failed(result) || diag_error_count(e->context), "what fails is reported");
    if (sort == SORT_INDEX && !result_failed(result))
        result = result_of(result_index(e, result, syntax->place));
    return result;
}

Expr elaborate_value(Elaborator *e, Environment environment, const Syntax *syntax) {
    return result_value(e, elaborate(e, environment, syntax, SORT_VALUE), syntax->place);
}

Expr elaborate_index(Elaborator *e, Environment environment, const Syntax *syntax) {
    return elaborate(e, environment, syntax, SORT_INDEX).expr;
}

Expr elaborate_bool(Elaborator *e, Environment environment, const Syntax *syntax) {
    return result_to(e, elaborate(e, environment, syntax, SORT_VALUE), BOOL, syntax->place);
}

/* ---- names that expand to something else ---- */

Result elaborate_typed(Elaborator *e, Environment environment, const Syntax *syntax,
                       const LetSyntax *let, Sort sort) {
    if (!let || !let->has_type)
        return elaborate(e, environment, syntax, sort);
    Result result = elaborate(e, environment, syntax, SORT_VALUE);
    result = result_converted(result, result_to(e, result, let->type, syntax->place));
    return sort == SORT_INDEX ? result_of(result_index(e, result, syntax->place)) : result;
}

/* Was a memo computed in this stage? */
static bool is_of_stage(const Elaborator *e, uint32_t stage) {
    return stage && stage == e->stage_number;
}

/* Notes the type of a let, as a value rather than as an index. */
static void note_type(Elaborator *e, NameBinding *binding, Sort sort, Expr expr) {
    if (!expr || binding->is_noted[sort] || binding->is_noted[SORT_VALUE])
        return;
    binding->is_noted[sort] = true;
    vec_push(e->arena, &e->module_names->let_types,
             ((LetType){binding->let->name.place, expr->type}));
}

Result expand_binding(Elaborator *e, NameBinding *binding, Sort sort) {
    if (is_of_stage(e, binding->memo[sort].stage))
        return binding->memo[sort].result;
    const LetSyntax *let = binding->kind == BINDING_LET ? binding->let : NULL;
    Result result = elaborate_typed(e, binding->environment, binding->syntax, let, sort);
    binding->memo[sort] = (ValueMemo){e->stage_number, result};
    if (let && !let->parameters.length)
        note_type(e, binding, sort, result.expr);
    return result;
}

/* Returns the let or argument that a name, or a call of a helper, expands to; null if there is
 * none. */
static NameBinding *find_alias(Elaborator *e, Environment environment, const Syntax *syntax) {
    bool call = syntax->kind == SYNTAX_CALL && syntax->children.data[0]->kind == SYNTAX_NAME;
    if (!call && syntax->kind != SYNTAX_NAME)
        return NULL;
    Symbol name = call ? syntax->children.data[0]->name : syntax->name;
    NameBinding *binding = scope_find(e, environment, name);
    if (!binding || (binding->kind != BINDING_LET && (call || binding->kind != BINDING_ARGUMENT)))
        return NULL;
    if (binding->kind == BINDING_ARGUMENT)
        return binding;
    const LetSyntax *let = binding->let;
    size_t arguments = call ? syntax->children.length - 1 : 0;
    bool typed = let->has_type && let->value->kind != SYNTAX_LIST;
    return !typed && call == (let->parameters.length > 0) && arguments == let->parameters.length
               ? binding
               : NULL;
}

void bind_argument(Elaborator *e, Environment *environment, Symbol parameter, const Syntax *syntax,
                   Environment caller) {
    NameBinding *argument = scope_bind(e, environment, BINDING_ARGUMENT, parameter);
    argument->syntax = syntax;
    argument->environment = caller;
}

static const Syntax *expand(Elaborator *e, Environment *environment, const Syntax *syntax) {
    for (NameBinding *binding; (binding = find_alias(e, *environment, syntax));) {
        Environment outer = *environment;
        *environment = binding->environment;
        for (size_t i = 1; syntax->kind == SYNTAX_CALL && i < syntax->children.length; i++)
            bind_argument(e, environment, binding->let->parameters.data[i - 1].name,
                          syntax->children.data[i], outer);
        syntax = binding->syntax;
    }
    return syntax;
}

/* Expands a name once a stage: all its readers get the same environment, and the memos in it. */
static const AliasMemo *expand_name(Elaborator *e, NameBinding *binding) {
    AliasMemo *memo = &binding->alias;
    if (is_of_stage(e, memo->stage))
        return memo;
    memo->environment = binding->environment;
    memo->syntax = expand(e, &memo->environment, binding->syntax);
    memo->elements = memo->syntax->kind == SYNTAX_TUPLE
                         ? arena_array(e->arena, ValueMemo, 2 * memo->syntax->children.length)
                         : NULL;
    memo->stage = e->stage_number;
    return memo;
}

static NameBinding *find_name(Elaborator *e, Environment environment, const Syntax *syntax) {
    return syntax->kind == SYNTAX_NAME ? find_alias(e, environment, syntax) : NULL;
}

const Syntax *expand_aliases(Elaborator *e, Environment *environment, const Syntax *syntax) {
    NameBinding *name = find_name(e, *environment, syntax);
    if (!name)
        return expand(e, environment, syntax);
    const AliasMemo *memo = expand_name(e, name);
    *environment = memo->environment;
    return memo->syntax;
}

Result expand_element(Elaborator *e, Environment environment, const Syntax *name, size_t element,
                      Sort sort) {
    NameBinding *binding = find_name(e, environment, name);
    Environment inner = environment;
    const Syntax *tuple = expand_aliases(e, &inner, name);
    ValueMemo fresh = {0}, *memo = &fresh;
    if (binding)
        memo = &binding->alias.elements[2 * element + sort];
    if (is_of_stage(e, memo->stage))
        return memo->result;
    Result result = elaborate(e, inner, tuple->children.data[element], sort);
    *memo = (ValueMemo){e->stage_number, result};
    return result;
}

static bool compute_components(Elaborator *e, Environment environment, const Syntax *syntax,
                               Results *components) {
    if (!elaborate_enter(e, syntax))
        return false;
    bool good = e->cases->components(e, environment, syntax, components);
    e->depth--;
    return good;
}

bool elaborate_components(Elaborator *e, Environment environment, const Syntax *syntax,
                          Results *components) {
    NameBinding *name = find_name(e, environment, syntax);
    if (!name)
        return compute_components(e, environment, syntax, components);
    if (!is_of_stage(e, name->components.stage)) {
        Results computed = {0};
        bool good = compute_components(e, environment, syntax, &computed);
        name->components = (ComponentsMemo){e->stage_number, good, computed};
    }
    for (size_t i = 0; i < name->components.components.length; i++)
        vec_push(e->arena, components, name->components.components.data[i]);
    return name->components.good;
}
