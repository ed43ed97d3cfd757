/* package.c -- packages of the library: what an import makes visible, behind the package's name and
 * bare. */
#include "frontend/static/library.h"
#include "frontend/static/static.h"
#include "schedule/schedule.h"

#include <string.h>

/* ---- files ---- */

static StaticPackage *create_package(StaticExpander *x, Symbol name) {
    StaticPackage *package = arena_new(x->arena, StaticPackage);
    package->name = name;
    package->names = static_names_create(x->arena);
    package->commands = map_create(x->arena);
    return package;
}

static void import_package(StaticExpander *x, StaticPackage *into, const StaticPackage *from) {
    for (size_t i = 0; i < into->imports.length; i++)
        if (into->imports.data[i] == from)
            return;
    vec_push(x->arena, &into->imports, from);
}

void static_begin_file(StaticExpander *x, const FileSyntax *file) {
    x->module = x->user;
    if (file->package) {
        x->module = create_package(x, file->package);
        map_put(&x->packages, file->package, x->module);
    }
    for (size_t i = 0; i < file->imports.length; i++) {
        Symbol name = file->imports.data[i].package;
        const StaticPackage *package = name ? map_get(&x->packages, name) : NULL;
        if (package)
            import_package(x, x->module, package);
    }
}

StaticPackage *static_user_files(StaticExpander *x) {
    return create_package(x, NULL);
}

/* ---- names that are not there ---- */

const StaticPackage *static_package(StaticExpander *x, StaticScope scope, NameSyntax name) {
    const StaticPackage *here = static_package_of(x, scope);
    Nearest nearest = {.name = name.name->text};
    for (size_t i = 0; i < here->imports.length; i++) {
        if (here->imports.data[i]->name == name.name)
            return here->imports.data[i];
        nearest_offer(&nearest, here->imports.data[i]->name->text);
    }
    const char *otherwise =
        package_find(name.name->text)
            ? arena_format(x->arena, "write `import %s;` at the start of the file", name.name->text)
            : arena_format(x->arena, "packages there are: %s", package_names(x->arena));
    diag(x->context, DIAG_PACKAGE_NOT_IMPORTED, name.place, name.name->text,
         nearest_hint(x->arena, &nearest, otherwise));
    return NULL;
}

bool static_refuse_several(StaticExpander *x, StaticScope scope, NameSyntax name) {
    const StaticPackage *here = static_package_of(x, scope);
    const char *list = "", *first = NULL;
    for (size_t i = 0; i < here->imports.length; i++) {
        const StaticPackage *package = here->imports.data[i];
        bool has =
            map_get(&package->names->by_name, name.name) || map_get(&package->commands, name.name);
        if (!has)
            continue;
        list = arena_format(x->arena, "%s%s`%s`", list, first ? " and " : "", package->name->text);
        first = first ? first : package->name->text;
    }
    return diag(x->context, DIAG_PACKAGE_SEVERAL, name.place, name.name->text, list, first);
}

bool static_refuse_member(StaticExpander *x, const StaticPackage *package, const char *what,
                          NameSyntax name) {
    enum { MOST = 40 };
    Nearest nearest = {.name = name.name->text};
    const char *all = "it has ";
    for (size_t i = 0; i < package->defined.length; i++) {
        nearest_offer(&nearest, package->defined.data[i]->text);
        if (i <= MOST)
            all = arena_format(x->arena, "%s%s%s", all, i ? ", " : "",
                               i < MOST ? package->defined.data[i]->text : "..");
    }
    return diag(x->context, DIAG_PACKAGE_MEMBER, name.place, package->name->text, what,
                name.name->text, nearest_hint(x->arena, &nearest, all));
}

/* ---- directives of one's own ---- */

void static_define_command(StaticExpander *x, const TemplateSyntax *command) {
    Symbol name = command->name.name;
    const TemplateSyntax *old = map_get(&x->module->commands, name);
    bool is_built_in = false;
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        is_built_in |= !strcmp(directive_info((DirectiveKind)i)->text, name->text);
    if (is_built_in)
        diag(x->context, DIAG_RESERVED, command->name.place, name->text);
    else if (old)
        diag(x->context, DIAG_DUPLICATE, command->name.place, name->text,
             arena_number(x->arena, old->name.place.line));
    map_put(&x->module->commands, name, command);
    vec_push(x->arena, &x->module->defined, name);
}

/* A bare word: the file's own directive, or that of the one import that has it. */
static const TemplateSyntax *find_bare(StaticExpander *x, StaticScope scope, NameSyntax name,
                                       const StaticPackage **package, bool *failed) {
    const StaticPackage *here = static_package_of(x, scope);
    const TemplateSyntax *found = map_get(&here->commands, name.name);
    *package = scope.package;
    for (size_t i = 0; !found && i < here->imports.length; i++) {
        *package = here->imports.data[i];
        found = map_get(&here->imports.data[i]->commands, name.name);
        for (size_t k = i + 1; found && k < here->imports.length; k++)
            *failed |= map_get(&here->imports.data[k]->commands, name.name) != NULL;
    }
    if (*failed)
        static_refuse_several(x, scope, name);
    return *failed ? NULL : found;
}

const TemplateSyntax *static_find_command(StaticExpander *x, StaticScope scope,
                                          const DirectiveSyntax *directive,
                                          const StaticPackage **package, bool *failed) {
    if (!directive->package.name)
        return find_bare(x, scope, directive->name, package, failed);
    *package = static_package(x, scope, directive->package);
    const TemplateSyntax *found =
        *package ? map_get(&(*package)->commands, directive->name.name) : NULL;
    if (*package && !found)
        static_refuse_member(x, *package, "directive", directive->name);
    *failed = !found;
    return found;
}
