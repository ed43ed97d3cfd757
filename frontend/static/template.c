/* template.c -- templates and their instances; the arguments of templates, schedules and directives
 * of the user's. */
#include "frontend/static/static.h"

void static_enter_use(StaticExpander *x, Place place, const char *text) {
    Use *use = arena_new(x->context->arena, Use);
    *use = (Use){place, text, x->context->use};
    x->context->use = use;
}

/* ---- arguments ---- */

/* A func, an image, a helper, a function, a list, a value; a family or template by its name. */
static Syntax *expand_actual(StaticExpander *x, StaticScope scope, Syntax *written) {
    const Meaning *meaning = static_named(x, scope, written);
    bool stays = meaning && (meaning->kind == MEANING_FAMILY || meaning->kind == MEANING_BUNDLE ||
                             meaning->kind == MEANING_TEMPLATE);
    return stays ? written : static_expand(x, scope, written);
}

/* `f(_, _, ..c)`: names the dimensions of the argument. */
static bool bind_pattern(StaticExpander *x, StaticScope scope, const FormalSyntax *formal,
                         const Syntax *written, StaticScope *inner) {
    int dimensions = static_dimensions(x, scope, written);
    if (dimensions < 0)
        return diag(x->context, DIAG_NOT_STATIC, written->place,
                    "the number of dimensions of an argument", "it");
    int others = dimensions - formal->blanks;
    if (others < 0 || (others > 0 && !formal->rest.name))
        return diag(
            x->context, DIAG_FORMAL_DIMENSIONS, written->place, formal->name.name->text,
            arena_format(x->arena, "%d%s", formal->blanks, formal->rest.name ? " or more" : ""),
            arena_number(x->arena, dimensions));
    if (!formal->rest.name)
        return true;
    Meaning *rest = static_bind(x, inner, MEANING_REST, formal->rest);
    rest->syntax = static_node(x, SYNTAX_LIST, formal->rest.place);
    const char *stem = formal->rest.name->text;
    for (int i = 0; i < others; i++) {
        Symbol name =
            others == 1 ? formal->rest.name : symbol_format(&x->context->symbols, "%s%d", stem, i);
        static_adopt(x, rest->syntax, static_name(x, name, formal->rest.place));
    }
    return true;
}

static bool bind_formal(StaticExpander *x, StaticScope scope, const FormalSyntax *formal,
                        Syntax *written, StaticScope *inner) {
    StaticValue value;
    bool is_name = written->kind == SYNTAX_NAME || written->kind == SYNTAX_MEMBER;
    bool is_type = is_name && static_evaluate(x, scope, written, &value) == STATIC_YES &&
                   value.kind == STATIC_TYPE;
    if (is_type) {
        static_bind(x, inner, MEANING_STATIC, formal->name)->value = value;
        return true;
    }
    Syntax *expanded = expand_actual(x, scope, written);
    if (!expanded || (formal->has_pattern && !bind_pattern(x, scope, formal, written, inner)))
        return false;
    Meaning *argument = static_bind(x, inner, MEANING_ARGUMENT, formal->name);
    argument->written = written;
    argument->scope = scope;
    argument->syntax = expanded;
    argument->origin = static_origin(x);
    return true;
}

static const ArgumentSyntax *find_argument(const ArgumentSyntaxes *arguments, size_t position,
                                           Symbol name) {
    for (size_t i = 0; i < arguments->length; i++) {
        const ArgumentSyntax *argument = &arguments->data[i];
        if (argument->name.name ? argument->name.name == name : i == position)
            return argument;
    }
    return NULL;
}

/* Has each argument a parameter? */
static bool check_arguments(StaticExpander *x, NameSyntax callee, const FormalSyntaxes *formals,
                            const ArgumentSyntaxes *arguments) {
    if (arguments->length > formals->length)
        return diag(x->context, DIAG_ARGUMENT_COUNT, callee.place, callee.name->text,
                    arena_number(x->arena, (int64_t)formals->length), "arguments",
                    arena_number(x->arena, (int64_t)arguments->length), "");
    for (size_t i = 0; i < arguments->length; i++) {
        NameSyntax name = arguments->data[i].name;
        Nearest nearest = {.name = name.name ? name.name->text : ""};
        size_t f = 0;
        while (name.name && f < formals->length && formals->data[f].name.name != name.name)
            nearest_offer(&nearest, formals->data[f++].name.name->text);
        for (size_t k = 0; name.name && k < i; k++)
            if (arguments->data[k].name.name == name.name)
                return diag(x->context, DIAG_ARGUMENT_AGAIN, name.place, name.name->text,
                            callee.name->text);
        if (name.name && f == formals->length)
            return diag(x->context, DIAG_UNKNOWN_NAME, name.place, "parameter", name.name->text,
                        nearest_hint(x->arena, &nearest,
                                     arena_format(x->arena, "`%s` has none of this name",
                                                  callee.name->text)));
    }
    return true;
}

bool static_bind_formals(StaticExpander *x, StaticScope caller, NameSyntax callee,
                         const FormalSyntaxes *formals, const ArgumentSyntaxes *arguments,
                         StaticScope *inner) {
    if (!check_arguments(x, callee, formals, arguments))
        return false;
    bool good = true;
    for (size_t i = 0; i < formals->length; i++) {
        const FormalSyntax *formal = &formals->data[i];
        const ArgumentSyntax *argument = find_argument(arguments, i, formal->name.name);
        if (argument)
            good &= bind_formal(x, caller, formal, argument->value, inner);
        else if (formal->default_value)
            good &= bind_formal(x, *inner, formal, formal->default_value, inner);
        else
            good = diag(x->context, DIAG_FORMAL_VALUE, callee.place, formal->name.name->text,
                        callee.name->text);
    }
    return good;
}

/* ---- templates ---- */

void static_define_template(StaticExpander *x, StaticScope *scope, const TemplateSyntax *template) {
    Meaning *meaning = x->instance ? static_bind(x, scope, MEANING_TEMPLATE, template->name)
                                   : static_define(x, MEANING_TEMPLATE, template->name);
    meaning->template = template;
    static_see_all(x, scope);
    meaning->scope = *scope; /* it sees itself */
}

static const Meaning *find_in_package(StaticExpander *x, StaticScope scope,
                                      const InstanceSyntax *instance) {
    const StaticPackage *package = static_package(x, scope, instance->package);
    const Meaning *meaning =
        package ? map_get(&package->names->by_name, instance->template.name) : NULL;
    if (meaning && meaning->kind == MEANING_TEMPLATE)
        return meaning;
    if (package)
        static_refuse_member(x, package, "template", instance->template);
    return NULL;
}

static const Meaning *find_template(StaticExpander *x, StaticScope scope,
                                    const InstanceSyntax *instance) {
    NameSyntax name = instance->template;
    if (instance->package.name)
        return find_in_package(x, scope, instance);
    const Meaning *meaning = static_find_template(x, scope, name.name);
    bool is_parameter = meaning && meaning->kind == MEANING_ARGUMENT;
    while (meaning && meaning->kind == MEANING_ARGUMENT)
        meaning = meaning->written->kind == SYNTAX_NAME
                      ? static_find_template(x, meaning->scope, meaning->written->name)
                      : static_named(x, meaning->scope, meaning->written);
    if (meaning && meaning->kind == MEANING_TEMPLATE)
        return meaning;
    if (meaning && meaning->kind == MEANING_SEVERAL)
        return static_refuse_several(x, scope, name), NULL;
    diag(x->context, DIAG_UNKNOWN_NAME, name.place, "template", name.name->text,
         is_parameter ? "this parameter was given something else"
                      : "define it above: `template name(f) { fun name(x, y) = ..; }`");
    return NULL;
}

void static_instance(StaticExpander *x, StaticScope *scope, const InstanceSyntax *instance,
                     ExpandItem *expand, ItemSyntaxes *out) {
    Place place = instance->name.place;
    Symbol head = instance->name.name, written = head;
    const Meaning *meaning = find_template(x, *scope, instance);
    if (!meaning || !static_step(x, place))
        return;
    if (!instance->path && x->loops > 0) {
        diag(x->context, DIAG_FUN_IN_LOOP, place, head->text, x->loop.name->text);
        return;
    }
    if (instance->path && !static_path_name(x, *scope, instance->path, &written))
        return;
    StaticScope inner = meaning->scope;
    StaticInstance made = {meaning->template->name.name, static_global_name(x, head, written)};
    StaticMaker maker = {"template", instance->template, meaning->template, NULL};
    const StaticInstance *around = x->instance;
    const Use *use = x->context->use;
    StaticNames *names = static_names_here(x);
    static_enter_use(
        x, place,
        arena_format(x->context->arena, "%s = %s(..)", made.prefix->text, made.template->text));
    int loops = x->loops;
    bool in_block = x->in_block;
    static_add_member(x, made.prefix, place); /* its first name hides others in the arguments */
    if (static_bind_formals(x, *scope, instance->template, &meaning->template->formals,
                            &instance->arguments, &inner) &&
        static_enter_maker(x, &maker)) {
        x->instance = &made;
        x->loops = 0;
        x->in_block = false;
        for (size_t i = 0; i < meaning->template->items.length && !x->is_spent; i++)
            expand(x, &inner, &meaning->template->items.data[i], out);
        x->depth--;
        x->maker = maker.outer;
        x->instance = around;
        x->loops = loops;
        x->in_block = in_block;
        if (!map_get(&names->by_name, made.prefix))
            static_define(x, MEANING_BUNDLE, (NameSyntax){made.prefix, place});
        static_bind_head(x, scope, instance->name);
        static_see_all(x, scope);
    }
    x->context->use = use;
}
