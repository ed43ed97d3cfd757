/* names.c -- definitions and mentions: what the names of .hl files mean, in the trees that the parser
 * makes.
 *
 * The elaborator resolves names, too, but in the expanded tree, and only in programs without faults.
 * An editor asks about programs that are being typed. So names_*.c read the written tree, take what
 * the parser could read, and report nothing. They ignore the order of definitions. A rename is
 * therefore checked by reading the renamed text (mentions.c).
 *
 * A chain of infix operators is as deep as it is long: the walk follows it in a loop.
 */
#include "editor/reading.h"

#include <string.h>

/* ---- definitions and mentions ---- */

void names_mention(TextNames *names, const Definition *definition, Place place,
                   bool is_definition) {
    if (place.line > 0)
        vec_push(names->arena, &names->mentions,
                 (Mention){place, place.length, definition, is_definition});
}

void names_mention_stem(TextNames *names, const Definition *definition, Place place) {
    uint32_t whole = place.length;
    place.length = definition->name->length;
    if (place.line > 0)
        vec_push(names->arena, &names->mentions, (Mention){place, whole, definition, false});
}

Definition *names_new(TextNames *names, const NamesScope *scope, DefinitionKind kind,
                      NameSyntax name) {
    Definition *definition = arena_new(names->arena, Definition);
    definition->kind = kind;
    definition->name = name.name;
    definition->place = name.place;
    definition->pipeline = scope->table ? scope->table->pipeline : NULL;
    definition->schedule = scope->schedule;
    definition->owner = scope->func;
    vec_push(names->arena, &names->definitions, definition);
    return definition;
}

void names_bind(TextNames *names, NamesScope *scope, const Definition *definition) {
    LocalName *local = arena_new(names->arena, LocalName);
    *local = (LocalName){definition, scope->locals};
    scope->locals = local;
}

Definition *names_local(TextNames *names, NamesScope *scope, DefinitionKind kind, NameSyntax name) {
    Definition *definition = names_new(names, scope, kind, name);
    names_mention(names, definition, name.place, true);
    names_bind(names, scope, definition);
    return definition;
}

static const Definition *find_in(const NamesTable *table, Symbol name) {
    for (; table; table = table->outer) {
        const Definition *found = map_get(&table->by_name, name);
        for (size_t i = 0; !found && i < table->imports.length; i++)
            found = map_get(&table->imports.data[i]->by_name, name);
        if (found)
            return found;
    }
    return NULL;
}

const Definition *names_find(const NamesScope *scope, Symbol name) {
    for (const LocalName *local = scope->locals; local; local = local->outer)
        if (local->definition->name == name)
            return local->definition;
    return find_in(scope->table, name);
}

const NamesTable *names_package(const NamesScope *scope, Symbol name) {
    for (const NamesTable *table = scope->table; table; table = table->outer)
        for (size_t i = 0; i < table->imports.length; i++)
            if (table->imports.data[i]->package == name)
                return table->imports.data[i];
    return NULL;
}

const Definition *names_use(TextNames *names, const NamesScope *scope, NameSyntax name) {
    if (!name.name)
        return NULL;
    if (name.name == names->cursor && !names->caught.table)
        names->caught = *scope;
    const Definition *definition = names_find(scope, name.name);
    if (definition)
        names_mention(names, definition, name.place, false);
    return definition;
}

Symbol names_key(const TextNames *names, const PipelineSyntax *pipeline, Symbol func,
                 Symbol variable) {
    return symbol_format(&names->context->symbols, "%s.%s.%s",
                         pipeline ? pipeline->name.name->text : "", func->text, variable->text);
}

Place names_member_place(const Syntax *member) {
    Place place = member->place;
    uint32_t length = member->name->length, end = place.column + place.length;
    bool is_whole = place.line == member->children.data[0]->place.line &&
                    place.length > member->children.data[0]->place.length && place.length > length;
    place.line = is_whole ? place.line : 0; /* the path stands on several lines */
    place.column = end - length;
    place.length = length;
    return place;
}

/* ---- expressions ---- */

/* `blur.kernel`, of a package. False for another text. */
static bool use_of_package(TextNames *names, const NamesScope *scope, const Syntax *member) {
    const Syntax *base = member->children.data[0];
    if (base->kind != SYNTAX_NAME || names_find(scope, base->name))
        return false;
    const NamesTable *package = names_package(scope, base->name);
    const Definition *found = package ? map_get(&package->by_name, member->name) : NULL;
    if (found)
        names_mention(names, found, names_member_place(member), false);
    return package;
}

void names_reductions(TextNames *names, NamesScope *scope, const ReductionSyntaxes *variables) {
    NamesScope outer = *scope;
    for (size_t i = 0; i < variables->length; i++) {
        const ReductionSyntax *variable = &variables->data[i];
        names_expression(names, outer, variable->minimum);
        names_expression(names, outer, variable->length);
        const Definition *made = names_local(names, scope, DEFINES_VARIABLE, variable->variable);
        if (!scope->func)
            continue;
        Symbol key = names_key(names, made->pipeline, scope->func->name, made->name);
        if (!map_get(&names->variables, key))
            map_put(&names->variables, key, made);
    }
}

void names_range(TextNames *names, NamesScope *scope, const RangeSyntax *range) {
    const Syntax *const parts[] = {range->first, range->last, range->step};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            names_expression(names, *scope, parts[i]);
    names_local(names, scope, DEFINES_CONSTANT, range->variable);
}

static void read_comprehension(TextNames *names, NamesScope scope, const Syntax *syntax) {
    const ComprehensionSyntax *comprehension = syntax->comprehension;
    for (size_t i = 0; i < comprehension->ranges.length; i++)
        names_range(names, &scope, &comprehension->ranges.data[i]);
    if (comprehension->condition)
        names_expression(names, scope, comprehension->condition);
    names_expression(names, scope, syntax->children.data[0]);
}

void names_expression(TextNames *names, NamesScope scope, const Syntax *syntax) {
    while (syntax && syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2) {
        names_expression(names, scope, syntax->children.data[1]);
        syntax = syntax->children.data[0];
    }
    if (!syntax)
        return;
    switch ((int)syntax->kind) {
    case SYNTAX_NAME:
        names_use(names, &scope, (NameSyntax){syntax->name, syntax->place});
        return;
    case SYNTAX_COMPREHENSION:
        read_comprehension(names, scope, syntax);
        return;
    case SYNTAX_MEMBER:
        if (syntax->name == names->cursor && !names->caught.table)
            names->caught = scope;
        if (use_of_package(names, &scope, syntax))
            return;
        break;
    case SYNTAX_REDUCE:
        names_reductions(names, &scope, &syntax->variables);
        break;
    default:
        break;
    }
    for (size_t i = 0; i < syntax->children.length; i++)
        names_expression(names, scope, syntax->children.data[i]);
}

/* ---- lets, funcs ---- */

void names_let(TextNames *names, NamesScope scope, const LetSyntax *let) {
    names_use(names, &scope, let->type_name);
    for (size_t i = 0; i < let->parameters.length; i++)
        names_local(names, &scope, DEFINES_VARIABLE, let->parameters.data[i]);
    names_expression(names, scope, let->value);
}

void names_argument(TextNames *names, const FormalSyntaxes *formals, NameSyntax name) {
    for (size_t i = 0; name.name && i < formals->length; i++)
        if (formals->data[i].name.name == name.name)
            names_mention(names, map_get(&names->formals, &formals->data[i]), name.place, false);
}

const Mention *names_at(const TextNames *names, uint32_t file, EditorPoint at) {
    size_t low = 0, high = names->mentions.length;
    while (low < high) { /* the last mention that begins at or before the point */
        size_t middle = (low + high) / 2;
        const Place *place = &names->mentions.data[middle].place;
        bool is_behind =
            place->file != file ? place->file > file : point_is_before(at, editor_point(*place));
        if (is_behind)
            high = middle;
        else
            low = middle + 1;
    }
    const Mention *mention = low > 0 ? &names->mentions.data[low - 1] : NULL;
    bool covers = mention && mention->place.file == file && mention->place.line == at.line &&
                  at.column <= mention->place.column + mention->whole;
    return covers ? mention : NULL;
}
