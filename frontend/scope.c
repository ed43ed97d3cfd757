/* scope.c -- declares and finds names, and suggests the name that was probably meant.
 *
 * Global names (of all files, or of one pipeline) are in a map, numbered in order of definition. An
 * environment sees the names below a number. So a name means the same wherever it is expanded, and
 * no definition can use itself. Local names (variables, arguments, lets in a func's body) form a
 * chain.
 */
#include "frontend/elaborate.h"
#include "frontend/parse.h"
#include "frontend/static/library.h"

#include <string.h>

static const char *const builtins[] = {"clamp",
                                       "div_round_to_zero",
                                       "mod_round_to_zero",
                                       "cast",
                                       "saturating_cast",
                                       "reinterpret",
                                       "repeat_edge",
                                       "repeat_image",
                                       "mirror_image",
                                       "mirror_interior",
                                       "bool",
                                       "i8",
                                       "i16",
                                       "i32",
                                       "i64",
                                       "u8",
                                       "u16",
                                       "u32",
                                       "u64",
                                       "f16",
                                       "bf16",
                                       "f32",
                                       "f64",
                                       "index",
                                       "i8_sat",
                                       "i16_sat",
                                       "i32_sat",
                                       "i64_sat",
                                       "u8_sat",
                                       "u16_sat",
                                       "u32_sat",
                                       "u64_sat",
                                       "constant_exterior"};

bool scope_is_builtin(Symbol name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(builtins[i], name->text))
            return true;
    return op_find(name->text, name->length, FORM_CALL, ANY_ARITY) != OP_COUNT;
}

const char *scope_builtin(size_t i) {
    return i < sizeof builtins / sizeof *builtins ? builtins[i] : NULL;
}

NameBinding *scope_declare(Elaborator *e, NameTable *names, BindingKind kind, NameSyntax name) {
    if (scope_is_builtin(name.name)) {
        diag(e->context, DIAG_RESERVED, name.place, name.name->text);
        return NULL;
    }
    NameBinding *old = map_get(&names->by_name, name.name);
    if (old && kind == BINDING_FUNC && old->kind == BINDING_FUNC &&
        old->func->state == FUNC_DECLARED)
        return old;
    if (old) {
        bool funcs = old->kind == BINDING_FUNC && kind == BINDING_FUNC;
        diag(e->context, funcs ? DIAG_DUPLICATE_FUNC : DIAG_DUPLICATE, name.place, name.name->text,
             arena_number(e->arena, old->place.line));
        return NULL;
    }
    NameBinding *binding = arena_new(e->arena, NameBinding);
    binding->kind = kind;
    binding->name = name.name;
    binding->place = name.place;
    binding->number = e->next_number++;
    binding->environment = (Environment){NULL, binding->number};
    map_put(&names->by_name, name.name, binding);
    vec_push(e->arena, &names->bindings, binding);
    return binding;
}

NameBinding *scope_bind(Elaborator *e, Environment *environment, BindingKind kind, Symbol name) {
    NameBinding *binding = arena_new(e->arena, NameBinding);
    binding->kind = kind;
    binding->name = name;
    binding->outer = environment->locals;
    environment->locals = binding;
    return binding;
}

/* Is it the environment of a definition outside of the pipeline?  All names of the pipeline are
 * numbered after it.  Its own names keep their meaning, also where the pipeline defines them anew. */
static bool is_of_file(const Elaborator *e, Environment environment) {
    const NameTable *names = e->pipeline_names;
    return !names || !names->bindings.length ||
           environment.visible < names->bindings.data[0]->number;
}

static NameBinding *find_global(const Elaborator *e, Environment environment, Symbol name) {
    NameBinding *binding =
        is_of_file(e, environment) ? NULL : map_get(&e->pipeline_names->by_name, name);
    return binding ? binding : map_get(&e->module_names->by_name, name);
}

NameBinding *scope_find(const Elaborator *e, Environment environment, Symbol name) {
    for (const NameBinding *local = environment.locals; local; local = local->outer)
        if (local->name == name) {
            watch_use(e->module_names->watch, local->place);
            return (NameBinding *)local;
        }
    NameBinding *binding = find_global(e, environment, name);
    if (binding)
        watch_use(e->module_names->watch, binding->place);
    return binding && binding->number < environment.visible ? binding : NULL;
}

/* ---- unknown names ---- */

void scope_unknown(Elaborator *e, Environment environment, Symbol name, Place place,
                   const char *what) {
    NameBinding *later = find_global(e, environment, name);
    bool is_inside = later && e->next_number == later->number + 1; /* nothing stands below it */
    if (later && later->number == environment.visible && is_inside) {
        diag(e->context, DIAG_RECURSION, place, name->text);
        return;
    }
    const NameSyntax *taken = map_get(&e->taken, name);
    if (later || taken) {
        uint32_t line = later ? later->place.line : taken->place.line;
        diag(e->context, DIAG_USED_BEFORE, place, name->text, arena_number(e->arena, line));
        return;
    }
    if (syntax_is_reduction(name->text)) {
        diag(e->context, DIAG_NOT_A_VALUE, place, name->text, "an inline reduction",
             arena_format(e->arena, "write %s(r in (minimum, length)) e", name->text));
        return;
    }
    Nearest nearest = {.name = name->text, .best = syntax_own_word(name->text)};
    /* so many errors need no suggestions */
    bool many = diag_error_count(e->context) > 100 || nearest.best;
    for (const NameBinding *local = environment.locals; local && !many; local = local->outer)
        nearest_offer(&nearest, local->name->text);
    NameTable *scopes[2] = {e->pipeline_names, e->module_names};
    for (int s = 0; s < 2 && !many; s++)
        for (size_t i = 0; scopes[s] && i < scopes[s]->bindings.length; i++)
            if (scopes[s]->bindings.data[i]->number < environment.visible)
                nearest_offer(&nearest, scopes[s]->bindings.data[i]->name->text);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins && !many; i++)
        nearest_offer(&nearest, builtins[i]);
    for (int op = 0; op < OP_COUNT && !many; op++)
        if (op_info((Op)op)->form == FORM_CALL)
            nearest_offer(&nearest, op_info((Op)op)->text);
    const Token word = {.kind = TOKEN_NAME, .text = name->text, .length = name->length};
    const char *foreign = parser_foreign(&word, "a definition");
    const char *hint =
        foreign ? foreign
        : package_find(name->text)
            ? arena_format(e->arena, "write `import %s;` for the package of this name", name->text)
            : nearest_hint(e->arena, &nearest,
                           e->stage
                               ? "names must be defined above their use; a reduction variable is "
                                 "declared by `rdom(r = (minimum, length)) in` before its update"
                               : "names must be defined above their use");
    diag(e->context, DIAG_UNKNOWN_NAME, place, what, name->text, hint);
}

/* ---- lets that may never be used ---- */

void scope_check(Elaborator *e, Environment environment, const Syntax *syntax) {
    while (syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2) {
        scope_check(e, environment, syntax->children.data[1]);
        syntax = syntax->children.data[0];
    }
    if (syntax->kind == SYNTAX_NAME) {
        bool blank = !strcmp(syntax->name->text, "_"); /* in a boundary's intervals */
        if (!blank && !scope_find(e, environment, syntax->name) && !scope_is_builtin(syntax->name))
            scope_unknown(e, environment, syntax->name, syntax->place, "name");
        return;
    }
    for (size_t i = 0; i < syntax->variables.length; i++) {
        const ReductionSyntax *variable = &syntax->variables.data[i];
        scope_check(e, environment, variable->minimum);
        scope_check(e, environment, variable->length);
    }
    for (size_t i = 0; i < syntax->variables.length; i++)
        scope_bind(e, &environment, BINDING_INDEX, syntax->variables.data[i].variable.name);
    for (size_t i = 0; i < syntax->children.length; i++)
        scope_check(e, environment, syntax->children.data[i]);
}
