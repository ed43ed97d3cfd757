/* item.c -- expands lets, funcs, recurrences and requirements. */
#include "frontend/static/static.h"

#include <string.h>

/* ---- lets ---- */

static bool is_small(const Syntax *syntax) {
    if (syntax->kind == SYNTAX_OPERATOR && syntax->op == OP_NEG)
        syntax = syntax->children.data[0];
    return syntax->kind == SYNTAX_NAME || syntax->kind == SYNTAX_INTEGER ||
           syntax->kind == SYNTAX_FLOAT || syntax->kind == SYNTAX_BOOL;
}

static void emit(StaticExpander *x, LetSyntax let, ItemSyntaxes *out) {
    LetSyntax *kept = arena_new(x->arena, LetSyntax);
    *kept = let;
    vec_push(x->arena, out, ((ItemSyntax){ITEM_LET, .let = kept, .use = x->context->use}));
}

static Meaning *declare(StaticExpander *x, StaticScope *scope, MeaningKind kind, NameSyntax name,
                        bool is_local) {
    Meaning *meaning;
    if (x->instance && !is_local) { /* seen in the instance only */
        meaning = static_bind(x, scope, kind, name);
        meaning->out = static_fresh(x, name.name->text);
        meaning->number = x->next_number++;
    } else if (is_local) {
        meaning = static_bind_variable(x, scope, kind, name);
    } else {
        meaning = static_define(x, kind, name);
        static_see_all(x, scope);
    }
    return meaning;
}

/* Lets for the elements that are more than a name or number: each is one text, used often. */
static Syntax *name_elements(StaticExpander *x, const LetSyntax *let, Syntax *list, bool is_local,
                             ItemSyntaxes *out) {
    Syntax *named = static_node(x, SYNTAX_LIST, list->place);
    for (size_t i = 0; i < list->children.length; i++) {
        Syntax *element = list->children.data[i];
        if (element->kind == SYNTAX_LIST)
            element = name_elements(x, let, element, is_local, out);
        if (!is_small(element) && element->kind != SYNTAX_LIST) {
            NameSyntax name = {
                static_fresh(x, arena_format(x->arena, "%s_%zu", let->name.name->text, i)),
                element->place};
            emit(x, (LetSyntax){.name = name, .value = element}, out);
            if (is_local)
                static_bind_out(x, name.name);
            element = static_node(x, SYNTAX_NAME, element->place);
            element->name = name.name;
        }
        static_adopt(x, named, element);
    }
    return named;
}

/* A text that gives a list by way of the compile-time layer; a written table is none. */
static bool makes_list(StaticExpander *x, StaticScope scope, const Syntax *value) {
    if (value->kind == SYNTAX_LIST)
        return static_is_made(value) || x->in_block;
    if (value->kind == SYNTAX_SUBSCRIPT)
        return !static_is_table(x, scope, value->children.data[0]);
    if (value->kind == SYNTAX_CALL || (value->kind == SYNTAX_OPERATOR && value->op == OP_SELECT))
        return true;
    const Meaning *meaning = static_named(x, scope, value);
    return meaning && (meaning->kind == MEANING_LIST || meaning->kind == MEANING_ARGUMENT);
}

/* Does a call of a helper that stays text stay text too? */
static bool is_text_call(StaticExpander *x, StaticScope scope, const Syntax *value) {
    const Syntax *callee = value->kind == SYNTAX_CALL ? value->children.data[0] : NULL;
    const Meaning *meaning = callee ? static_named(x, scope, callee) : NULL;
    return callee && !(meaning && meaning->kind == MEANING_MACRO) && !x->in_block;
}

/* A helper whose text needs its arguments is expanded at each call; false for another. */
static bool define_helper(StaticExpander *x, StaticScope *scope, const LetSyntax *let,
                          bool is_local, ItemSyntaxes *out) {
    const Trie *names = x->names;
    StaticScope inner = *scope, outer = *scope;
    bool defers = x->defers, was_deferred = x->is_deferred;
    x->defers = true;
    x->is_deferred = false;
    for (size_t i = 0; i < let->parameters.length; i++)
        static_bind_variable(x, &inner, MEANING_VARIABLE, let->parameters.data[i]);
    Syntax *value = static_expand(x, inner, let->value);
    bool is_macro = x->is_deferred;
    x->names = names;
    x->defers = defers;
    x->is_deferred = was_deferred;
    if (!value && !is_macro)
        return false;
    Meaning *meaning =
        declare(x, scope, is_macro ? MEANING_MACRO : MEANING_TEXT, let->name, is_local);
    meaning->let = let;
    meaning->scope = outer;
    LetSyntax made = *let;
    made.name.name = meaning->out;
    made.value = value;
    if (!is_macro)
        emit(x, made, out);
    return true;
}

/* The value of a const that mentions something static. */
static bool define_static(StaticExpander *x, StaticScope *scope, const LetSyntax *let, Type type,
                          bool is_local) {
    StaticValue value;
    const char *what =
        arena_format(x->arena, "the value of the constant `%s`", let->name.name->text);
    size_t errors = x->context->error_count;
    if (!static_need(x, *scope, let->value, what, &value) ||
        (let->has_type && !static_convert(x, type, let->value->place, &value))) {
        x->is_spent |= x->context->error_count > errors; /* what follows is not reported */
        return false;
    }
    Meaning *meaning = is_local || x->instance ? static_bind(x, scope, MEANING_STATIC, let->name)
                                               : static_define(x, MEANING_STATIC, let->name);
    meaning->value = value;
    if (!is_local)
        static_see_all(x, scope);
    return true;
}

void static_define_let(StaticExpander *x, StaticScope *scope, const LetSyntax *let, bool is_local,
                       ItemSyntaxes *out) {
    LetSyntax made = *let;
    StaticScope outer = *scope;
    Syntax *list = NULL;
    bool failed = false;
    if (!static_step(x, let->name.place))
        return;
    if (!x->module->name)
        watch_define(x->watch, let->is_constant ? "const" : "let", let->name);
    if (let->type_name.name && !static_type(x, *scope, let->type_name, &made.type))
        return;
    if (let->parameters.length > 0) {
        define_helper(x, scope, let, is_local, out);
        return;
    }
    if (makes_list(x, *scope, let->value) && !is_text_call(x, *scope, let->value))
        list = static_list(x, *scope, let->value, &failed);
    if (failed)
        return;
    bool is_static = let->is_constant && let->value->kind != SYNTAX_LIST &&
                     (x->all_static || static_mentions(x, *scope, let->value));
    if (!list && is_static) {
        define_static(x, scope, let, made.type, is_local);
        return;
    }
    if (list)
        list = name_elements(x, let, list, is_local, out);
    made.value = list ? list : static_expand(x, *scope, let->value);
    if (!made.value)
        return;
    Meaning *meaning = declare(x, scope, list ? MEANING_LIST : MEANING_TEXT, let->name, is_local);
    meaning->let = let;
    meaning->scope = outer;
    meaning->syntax = list;
    meaning->origin = static_origin(x);
    if (is_local)
        meaning->origin.names = meaning->own->outer;
    made.name.name = meaning->out;
    emit(x, made, out);
}

/* ---- stages ---- */

static bool expand_to(StaticExpander *x, StaticScope scope, Syntax **syntax) {
    if (*syntax)
        *syntax = static_expand(x, scope, *syntax);
    return *syntax;
}

/* Binds the variables of an rdom. */
static bool expand_reduction(StaticExpander *x, StaticScope *scope,
                             const ReductionSyntaxes *written, ReductionSyntaxes *made) {
    bool good = true;
    for (size_t i = 0; i < written->length; i++) {
        ReductionSyntax variable = written->data[i];
        good &= expand_to(x, *scope, &variable.minimum);
        good &= expand_to(x, *scope, &variable.length);
        vec_push(x->arena, made, variable);
    }
    for (size_t i = 0; i < written->length; i++)
        static_bind_variable(x, scope, MEANING_VARIABLE, written->data[i].variable);
    return good;
}

static void expand_stage(StaticExpander *x, StaticScope scope, const StageSyntax *written,
                         ItemSyntaxes *out) {
    const Trie *names = x->names;
    StageSyntax *stage = arena_new(x->arena, StageSyntax);
    *stage = *written;
    stage->reduction = (ReductionSyntaxes){0};
    stage->indices = (Syntaxes){0};
    bool changed = false;
    bool good = expand_reduction(x, &scope, &written->reduction, &stage->reduction);
    good &= static_expand_all(x, scope, &written->indices, &stage->indices, &changed);
    good &= expand_to(x, scope, &stage->value);
    memset(&stage->more, 0, sizeof stage->more);
    for (size_t i = 0; i < written->more.length; i++) {
        WriteSyntax write = written->more.data[i];
        write.indices = (Syntaxes){0};
        good &=
            static_expand_all(x, scope, &written->more.data[i].indices, &write.indices, &changed);
        good &= expand_to(x, scope, &write.value);
        vec_push(x->arena, &stage->more, write);
    }
    good &= !written->predicate || expand_to(x, scope, &stage->predicate);
    x->names = names;
    if (!good)
        stage->value = NULL;
    vec_push(x->arena, out, ((ItemSyntax){ITEM_STAGE, .stage = stage}));
}

static void expand_in_body(StaticExpander *x, StaticScope *scope, const ItemSyntax *item,
                           ItemSyntaxes *out) {
    switch (item->kind) {
    case ITEM_LET:
        static_define_let(x, scope, item->let, true, out);
        break;
    case ITEM_STAGE:
        expand_stage(x, *scope, item->stage, out);
        break;
    case ITEM_BLOCK:
        static_block(x, scope, item->block, expand_in_body, out);
        break;
    case ITEM_FUN:
    case ITEM_RECURRENCE:
    case ITEM_REQUIRE:
    case ITEM_DIRECTIVE:
    case ITEM_INSTANCE:
    case ITEM_TEMPLATE:
        hlc_assert(false, "a body holds stages, lets and blocks");
        break;
    }
}

/* ---- funcs ---- */

static void collect_stages(StaticExpander *x, const ItemSyntaxes *items, FunSyntax *fun) {
    LetSyntaxes lets = {0};
    for (size_t i = 0; i < items->length; i++) {
        if (items->data[i].kind == ITEM_LET) {
            vec_push(x->arena, &lets, items->data[i].let);
            continue;
        }
        StageSyntax *stage = items->data[i].stage;
        fun->is_broken |= !stage->value;
        stage->lets = lets;
        lets = (LetSyntaxes){0};
        vec_push(x->arena, &fun->stages, stage);
    }
}

static bool expand_types(StaticExpander *x, StaticScope scope, FunSyntax *fun) {
    bool good = true;
    for (size_t i = 0; i < fun->type_names.length; i++)
        if (fun->type_names.data[i].name)
            good &= static_type(x, scope, fun->type_names.data[i], &fun->types.data[i]);
    return good;
}

/* The name of a member, in its family. */
static bool expand_fun_name(StaticExpander *x, StaticScope scope, FunSyntax *fun) {
    Symbol head = fun->name.name, written = head;
    if (!fun->path && x->loops > 0)
        return diag(x->context, DIAG_FUN_IN_LOOP, fun->name.place, head->text, x->loop.name->text);
    if (fun->path && !static_path_name(x, scope, fun->path, &written))
        return false;
    fun->name.name = static_global_name(x, head, written);
    static_add_member(x, fun->name.name, fun->name.place);
    fun->path = NULL;
    return true;
}

/* The last variable `..c` is all dimensions that the formal names. */
static bool expand_variables(StaticExpander *x, StaticScope scope, FunSyntax *fun) {
    if (!fun->spreads_last)
        return true;
    NameSyntax last = fun->variables.data[fun->variables.length - 1];
    const Meaning *rest = static_find(x, scope, last.name);
    if (!rest || rest->kind != MEANING_REST)
        return diag(x->context, DIAG_NOT_A_LIST, last.place);
    NameSyntaxes variables = {0};
    for (size_t i = 0; i + 1 < fun->variables.length; i++)
        vec_push(x->arena, &variables, fun->variables.data[i]);
    for (size_t i = 0; i < rest->syntax->children.length; i++)
        vec_push(x->arena, &variables,
                 ((NameSyntax){rest->syntax->children.data[i]->name, last.place}));
    fun->variables = variables;
    return true;
}

/* `domain`: of the recurrence around, or null. */
static FunSyntax *expand_fun(StaticExpander *x, StaticScope *scope, const FunSyntax *written,
                             const ReductionSyntaxes *domain) {
    const Trie *names = x->names;
    size_t errors = x->context->error_count;
    if (!static_step(x, written->name.place))
        return NULL;
    FunSyntax *fun = arena_new(x->arena, FunSyntax);
    *fun = *written;
    fun->types.data = arena_array(x->arena, Type, written->types.length);
    for (size_t i = 0; i < written->types.length; i++)
        fun->types.data[i] = written->types.data[i];
    NameSyntax head = fun->name;
    fun->use = x->context->use;
    if (!expand_fun_name(x, *scope, fun) || !expand_variables(x, *scope, fun))
        return NULL;
    fun->is_broken |= !expand_types(x, *scope, fun);
    Meaning *meaning = static_define(x, MEANING_FUNC, fun->name);
    meaning->dimensions = (int)fun->variables.length;
    static_bind_head(x, scope, head);
    static_see_all(x, scope);
    StaticScope inner = *scope;
    for (size_t i = 0; domain && i < domain->length; i++)
        static_bind_variable(x, &inner, MEANING_VARIABLE, domain->data[i].variable);
    size_t named = written->variables.length - written->spreads_last;
    for (size_t i = 0; i < named; i++)
        static_bind_variable(x, &inner, MEANING_VARIABLE, fun->variables.data[i]);
    for (size_t i = named; i < fun->variables.length; i++)
        static_bind_out(x, fun->variables.data[i].name);
    int loops = x->loops;
    bool in_block = x->in_block;
    x->loops = 0;
    x->in_block = false;
    ItemSyntaxes items = {0};
    for (size_t i = 0; i < written->body.length; i++)
        expand_in_body(x, &inner, &written->body.data[i], &items);
    x->loops = loops;
    x->in_block = in_block;
    x->names = names;
    collect_stages(x, &items, fun);
    fun->is_broken |= x->context->error_count > errors;
    return fun;
}

static void expand_in_recurrence(StaticExpander *x, StaticScope *scope, const ItemSyntax *item,
                                 ItemSyntaxes *out) {
    if (item->kind == ITEM_BLOCK) {
        static_block(x, scope, item->block, expand_in_recurrence, out);
        return;
    }
    FunSyntax *fun = expand_fun(x, scope, item->fun, x->domain);
    if (fun)
        vec_push(x->arena, out, ((ItemSyntax){ITEM_FUN, .fun = fun}));
}

static void expand_recurrence(StaticExpander *x, StaticScope *scope,
                              const RecurrenceSyntax *written, ItemSyntaxes *out) {
    const Trie *names = x->names;
    RecurrenceSyntax *made = arena_new(x->arena, RecurrenceSyntax);
    *made = *written;
    made->domain = (ReductionSyntaxes){0};
    StaticScope inner = *scope;
    bool good = expand_reduction(x, &inner, &written->domain, &made->domain);
    x->names = names;
    if (!good)
        return;
    ItemSyntaxes items = {0};
    x->domain = &written->domain;
    for (size_t i = 0; i < written->items.length; i++)
        expand_in_recurrence(x, scope, &written->items.data[i], &items);
    x->domain = NULL;
    for (size_t i = 0; i < items.length; i++)
        vec_push(x->arena, &made->funs, items.data[i].fun);
    vec_push(x->arena, out, ((ItemSyntax){ITEM_RECURRENCE, .recurrence = made}));
}

static void expand_require(StaticExpander *x, StaticScope scope, const RequireSyntax *written,
                           ItemSyntaxes *out) {
    RequireSyntax *made = arena_new(x->arena, RequireSyntax);
    *made = *written;
    if (expand_to(x, scope, &made->condition))
        vec_push(x->arena, out,
                 ((ItemSyntax){ITEM_REQUIRE, .require = made, .use = x->context->use}));
}

void static_item(StaticExpander *x, StaticScope *scope, const ItemSyntax *item, ItemSyntaxes *out) {
    FunSyntax *fun;
    switch (item->kind) {
    case ITEM_LET:
        static_define_let(x, scope, item->let, false, out);
        break;
    case ITEM_FUN:
        if ((fun = expand_fun(x, scope, item->fun, NULL)))
            vec_push(x->arena, out, ((ItemSyntax){ITEM_FUN, .fun = fun, .use = fun->use}));
        break;
    case ITEM_INSTANCE:
        static_instance(x, scope, item->instance, static_item, out);
        break;
    case ITEM_TEMPLATE:
        static_define_template(x, scope, item->template);
        break;
    case ITEM_RECURRENCE:
        expand_recurrence(x, scope, item->recurrence, out);
        break;
    case ITEM_REQUIRE:
        expand_require(x, *scope, item->require, out);
        break;
    case ITEM_BLOCK:
        static_block(x, scope, item->block, static_item, out);
        break;
    case ITEM_STAGE:
    case ITEM_DIRECTIVE:
        hlc_assert(false, "a pipeline holds items");
        break;
    }
}
