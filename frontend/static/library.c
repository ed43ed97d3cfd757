/* library.c -- finds packages of the library by name. */
#include "frontend/static/library.h"

#include <string.h>

const Package *package_find(const char *name) {
    for (const Package *package = package_table; package->name; package++)
        if (!strcmp(package->name, name))
            return package;
    return NULL;
}

const char *package_names(Arena *arena) {
    const char *names = "";
    for (const Package *package = package_table; package->name; package++)
        names = arena_format(arena, "%s%s%s", names, *names ? ", " : "", package->name);
    return names;
}
