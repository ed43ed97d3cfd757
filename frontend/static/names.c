/* names.c -- what names mean where a text is written, and whether a text that moves keeps its
 * meaning. */
#include "frontend/static/static.h"

#include <string.h>

StaticNames *static_names_create(Arena *arena) {
    StaticNames *names = arena_new(arena, StaticNames);
    names->by_name = map_create(arena);
    names->families = map_create(arena);
    names->empty = map_create(arena);
    return names;
}

static const Meaning *find_in(const StaticNames *names, StaticScope scope, Symbol name) {
    const Meaning *meaning = names ? map_get(&names->by_name, name) : NULL;
    while (meaning && meaning->number >= scope.visible)
        meaning = meaning->next;
    return meaning;
}

const StaticPackage *static_package_of(const StaticExpander *x, StaticScope scope) {
    return scope.package ? scope.package : x->user;
}

/* What imported packages define, for bare use. */
static const Meaning *find_imported(const StaticPackage *package, Symbol name) {
    static const Meaning several = {.kind = MEANING_SEVERAL};
    const Meaning *found = NULL;
    for (size_t i = 0; i < package->imports.length; i++) {
        const Meaning *meaning = map_get(&package->imports.data[i]->names->by_name, name);
        if (meaning)
            found = found ? &several : meaning;
    }
    return found;
}

/* What a name means that is not imported. */
static const Meaning *find_own(const StaticExpander *x, StaticScope scope, Symbol name) {
    const Meaning *local = trie_get(scope.locals, name);
    if (local)
        return local;
    const Meaning *meaning = scope.package ? NULL : find_in(x->pipeline, scope, name);
    return meaning ? meaning : find_in(static_package_of(x, scope)->names, scope, name);
}

const Meaning *static_find(const StaticExpander *x, StaticScope scope, Symbol name) {
    const Meaning *meaning = find_own(x, scope, name);
    if (meaning)
        watch_use(x->watch, meaning->place);
    return meaning ? meaning : find_imported(static_package_of(x, scope), name);
}

const StaticPackage *static_qualifier(const StaticExpander *x, StaticScope scope,
                                      const Syntax *syntax) {
    const Syntax *base = syntax->kind == SYNTAX_MEMBER ? syntax->children.data[0] : NULL;
    if (!base || base->kind != SYNTAX_NAME || find_own(x, scope, base->name))
        return NULL;
    const StaticPackage *package = static_package_of(x, scope);
    for (size_t i = 0; i < package->imports.length; i++)
        if (package->imports.data[i]->name == base->name)
            return package->imports.data[i];
    return NULL;
}

const Meaning *static_named(const StaticExpander *x, StaticScope scope, const Syntax *syntax) {
    if (syntax->kind == SYNTAX_NAME)
        return static_find(x, scope, syntax->name);
    const StaticPackage *package = static_qualifier(x, scope, syntax);
    return package ? map_get(&package->names->by_name, syntax->name) : NULL;
}

StaticNames *static_names_here(const StaticExpander *x) {
    return x->pipeline ? x->pipeline : x->module->names;
}

const Meaning *static_find_template(const StaticExpander *x, StaticScope scope, Symbol name) {
    const Meaning *local = trie_get(scope.locals, name);
    while (local && local->kind != MEANING_TEMPLATE && local->kind != MEANING_ARGUMENT)
        local = local->next;
    if (local)
        return local;
    const StaticPackage *package = static_package_of(x, scope);
    for (int outer = scope.package ? 1 : 0; outer < 2; outer++) {
        const Meaning *meaning = find_in(outer ? package->names : x->pipeline, scope, name);
        while (meaning && meaning->kind != MEANING_TEMPLATE)
            meaning = meaning->next;
        if (meaning)
            return meaning;
    }
    return find_imported(package, name);
}

static const OutName *find_out(const Trie *names, Symbol name) {
    return trie_get(names, name);
}

void static_see_all(const StaticExpander *x, StaticScope *scope) {
    if (!x->instance)
        scope->visible = x->next_number;
}

/* ---- new names ---- */

Symbol static_fresh(StaticExpander *x, const char *stem) {
    SymbolTable *symbols = &x->context->symbols;
    if (!symbol_exists(symbols, stem, strlen(stem)))
        return symbol_from(symbols, stem);
    Symbol key = symbol_from(symbols, stem);
    for (uintptr_t n = (uintptr_t)map_get(&x->fresh, key);; n++) {
        const char *text = arena_format(x->arena, "%s_%zu", stem, (size_t)n + 2);
        if (symbol_exists(symbols, text, strlen(text)))
            continue;
        map_put(&x->fresh, key, (void *)(n + 1)); // NOLINT: a number
        return symbol_from(symbols, text);
    }
}

Meaning *static_define(StaticExpander *x, MeaningKind kind, NameSyntax name) {
    StaticNames *names = static_names_here(x);
    const Meaning *before = map_get(&names->by_name, name.name);
    Meaning *meaning = arena_new(x->arena, Meaning);
    bool is_let = kind == MEANING_TEXT || kind == MEANING_LIST || kind == MEANING_MACRO;
    bool is_static =
        before && !x->in_block && (before->kind == MEANING_STATIC || kind == MEANING_STATIC);
    if (before && (is_static || (before->kind == MEANING_FAMILY) != (kind == MEANING_FAMILY) ||
                   (before->kind == MEANING_BUNDLE && kind != MEANING_FUNC)))
        diag(x->context, DIAG_DUPLICATE, name.place, name.name->text,
             arena_number(x->arena, before->place.line));
    meaning->kind = kind;
    meaning->name = name.name;
    meaning->out = name.name;
    if (is_let && !x->pipeline && x->module->name) /* no name of the user's can be the same */
        meaning->out = static_fresh(
            x, arena_format(x->arena, "%s_%s", x->module->name->text, name.name->text));
    else if (before && is_let && x->in_block)
        meaning->out = static_fresh(x, name.name->text);
    meaning->place = name.place;
    meaning->number = x->next_number++;
    meaning->next = before;
    map_put(&names->by_name, name.name, meaning);
    if (!x->pipeline)
        vec_push(x->arena, &x->module->defined, name.name);
    return meaning;
}

Meaning *static_bind(StaticExpander *x, StaticScope *scope, MeaningKind kind, NameSyntax name) {
    Meaning *meaning = arena_new(x->arena, Meaning);
    meaning->kind = kind;
    meaning->name = meaning->out = name.name;
    meaning->place = name.place;
    meaning->next = trie_get(scope->locals, name.name);
    scope->locals = trie_put(x->arena, scope->locals, name.name, meaning);
    return meaning;
}

const OutName *static_bind_out(StaticExpander *x, Symbol name) {
    OutName *out = arena_new(x->arena, OutName);
    *out = (OutName){name, x->names};
    x->names = trie_put(x->arena, x->names, name, out);
    return out;
}

/* A let of a body that has its name would hide it, and its members, in the expanded text. */
static bool is_func(const StaticExpander *x, Symbol name) {
    const Meaning *meaning = x->pipeline ? map_get(&x->pipeline->by_name, name) : NULL;
    while (meaning && meaning->kind != MEANING_FUNC && meaning->kind != MEANING_FAMILY &&
           meaning->kind != MEANING_BUNDLE)
        meaning = meaning->next;
    return meaning;
}

Meaning *static_bind_variable(StaticExpander *x, StaticScope *scope, MeaningKind kind,
                              NameSyntax name) {
    Meaning *meaning = static_bind(x, scope, kind, name);
    bool is_let = kind == MEANING_TEXT || kind == MEANING_LIST;
    if (is_let && (find_out(x->names, name.name) || is_func(x, name.name)))
        meaning->out = static_fresh(x, name.name->text);
    meaning->own = static_bind_out(x, meaning->out);
    return meaning;
}

/* ---- texts that move ---- */

static bool hidden(StaticExpander *x, Symbol name, Place place) {
    return diag(x->context, DIAG_HIDDEN_NAME, place, name->text);
}

/* `g` of `g[3].dx` */
static Symbol first_name(StaticExpander *x, Symbol name) {
    size_t length = strcspn(name->text, "[.");
    return length == name->length ? name : symbol_intern(&x->context->symbols, name->text, length);
}

bool static_visible_path(StaticExpander *x, Symbol name, Place place) {
    Symbol first = first_name(x, name);
    return first == name || !find_out(x->names, first) || hidden(x, first, place);
}

bool static_visible(StaticExpander *x, const Meaning *meaning, Place place) {
    if (!static_visible_path(x, meaning->out, place))
        return false;
    bool is_local = meaning->number == 0;
    if (find_out(x->names, meaning->out) != (is_local ? meaning->own : NULL))
        return hidden(x, meaning->out, place);
    bool of_module = !is_local && meaning->number < x->module_numbers;
    if (of_module && x->pipeline && map_get(&x->pipeline->by_name, meaning->out))
        return hidden(x, meaning->out, place);
    return true;
}

typedef struct Binders {
    const Syntax *reduction;
    const struct Binders *outer;
} Binders;

static bool is_bound(const Binders *binders, Symbol name) {
    for (; binders; binders = binders->outer)
        for (size_t i = 0; i < binders->reduction->variables.length; i++)
            if (binders->reduction->variables.data[i].variable.name == name)
                return true;
    return false;
}

StaticOrigin static_origin(const StaticExpander *x) {
    return (StaticOrigin){x->names, x->next_number};
}

/* Does the pipeline define the name after the text was made?  Then it meant the file's. */
static bool is_redefined(const StaticExpander *x, Symbol name, uint32_t defined) {
    const Meaning *meaning = x->pipeline ? map_get(&x->pipeline->by_name, name) : NULL;
    while (meaning && meaning->number >= defined && meaning->out != name)
        meaning = meaning->next;
    return meaning && meaning->number >= defined;
}

static bool keeps_name(StaticExpander *x, Symbol written, const StaticOrigin *origin,
                       const Binders *binders, Place place) {
    Symbol name = first_name(x, written);
    if (is_bound(binders, name))
        return true;
    const OutName *here = find_out(x->names, name);
    if (x->names != origin->names && here != find_out(origin->names, name))
        return hidden(x, name, place);
    return here || !is_redefined(x, name, origin->defined) || hidden(x, name, place);
}

/* Each node is a step of work: what moves is a tree again wherever it goes. */
static bool keeps(StaticExpander *x, const Syntax *syntax, const StaticOrigin *origin,
                  const Binders *binders, Place place) {
    for (; syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2;
         syntax = syntax->children.data[0]) /* the left spine, in a loop */
        if (!static_step(x, place) || !keeps(x, syntax->children.data[1], origin, binders, place))
            return false;
    Binders own = {syntax, binders};
    if (!static_step(x, place))
        return false;
    if (syntax->kind == SYNTAX_NAME && !keeps_name(x, syntax->name, origin, binders, place))
        return false;
    for (size_t i = 0; i < syntax->variables.length; i++)
        if (!keeps(x, syntax->variables.data[i].minimum, origin, binders, place) ||
            !keeps(x, syntax->variables.data[i].length, origin, binders, place))
            return false;
    for (size_t i = 0; i < syntax->children.length; i++)
        if (!keeps(x, syntax->children.data[i], origin,
                   syntax->kind == SYNTAX_REDUCE ? &own : binders, place))
            return false;
    return true;
}

Syntax *static_move(StaticExpander *x, Syntax *syntax, StaticOrigin origin, Place place) {
    return keeps(x, syntax, &origin, NULL, place) ? syntax : NULL;
}
