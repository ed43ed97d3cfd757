/* externs.c -- the C functions of extern stages: registered by the host, or found in a shared
 * object that it names.
 *
 * Nothing else is ever called: neither the process's own symbols nor those of the libraries that a
 * named object needs. So a program reaches only what its host has named.
 */
#define _GNU_SOURCE 1
#include "library/compiler.h"

#include "ir/extern.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static ExternTable *table_of(hlc *h) {
    Context *context = h->context;
    if (!context->externs) {
        ExternTable *table = arena_new(h->arena, ExternTable);
        table->functions = map_create(h->arena);
        table->call = codegen_call_extern;
        context->externs = table;
    }
    return context->externs;
}

static void add(hlc *h, Symbol name, void (*function)(void)) {
    ExternTable *table = table_of(h);
    ExternEntry *entry = map_get(&table->functions, name);
    if (!entry) {
        entry = arena_new(h->arena, ExternEntry);
        vec_push(h->arena, &table->names, name);
        map_put(&table->functions, name, entry);
    }
    entry->function = function;
}

typedef struct Registration {
    const char *name;
    void (*function)(void);
} Registration;

static hlc_status enter_register(hlc *h, void *data) {
    const Registration *registration = data;
    if (!registration->name)
        return compiler_null(h, "name");
    if (!registration->function)
        return compiler_null(h, "function");
    add(h, symbol_from(&h->context->symbols, registration->name), registration->function);
    return HLC_YES;
}

hlc_status hlc_register_extern(hlc *h, const char *name, void (*function)(void)) {
    return compiler_enter(h, enter_register, &(Registration){name, function});
}

static hlc_status open_library(hlc *h, void *data) {
    const char *path = data;
    if (!path)
        return compiler_null(h, "path");
    if (!hlc_in_root(h, path)) {
        diag(h->context, DIAG_OUTSIDE_ROOT, NOWHERE, path);
        return HLC_USER;
    }
    /* without a slash, the loader would search the system's folders */
    const char *written = strchr(path, '/') ? path : arena_format(h->scratch, "./%s", path);
    vec_reserve(h->arena, &h->libraries, h->libraries.length + 1);
    void *library = dlopen(written, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        diag(h->context, DIAG_EXTERN_LIBRARY, NOWHERE, path, why ? why : "it is no shared object");
        return HLC_WORLD;
    }
    vec_push(h->arena, &h->libraries, library);
    return HLC_YES;
}

hlc_status hlc_open_externs(hlc *h, const char *path) {
    return compiler_enter(h, open_library, (void *)path);
}

void hlc_refuse_externs(hlc *h) {
    if (h)
        h->refuses_externs = true;
}

void externs_close(hlc *h) {
    while (h->libraries.length > 0)
        dlclose(h->libraries.data[--h->libraries.length]);
}

/* Does the library itself define the function? dlsym also searches the libraries that it needs. */
static bool is_of_library(void *library, void *address) {
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr(address, &info) && !dlinfo(library, RTLD_DI_LINKMAP, &map) &&
           (void *)map->l_addr == info.dli_fbase;
}

static bool find_in_libraries(hlc *h, Symbol name) {
    for (size_t i = 0; i < h->libraries.length; i++) {
        void *library = h->libraries.data[i], *address = dlsym(library, name->text);
        if (!address || !is_of_library(library, address))
            continue;
        void (*function)(void);
        memcpy(&function, &address, sizeof function);
        add(h, name, function);
        return true;
    }
    return false;
}

static bool need(hlc *h, Symbol name, Place place) {
    return extern_find(h->context, name) || find_in_libraries(h, name) ||
           diag(h->context, DIAG_EXTERN_UNKNOWN, place, name->text);
}

bool externs_ready(hlc *h, const Pipeline *pipeline, Symbol func) {
    Map reached = map_create(h->scratch);
    bool good = true;
    if (func)
        pipeline_reach(pipeline, func, &reached, h->scratch);
    else
        pipeline_reach_outputs(pipeline, &reached, h->scratch);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *each = pipeline->funcs.data[i];
        if (func_is_extern(each) && map_get(&reached, each->shape->name))
            good &= need(h, each->stages.data[0]->values[0]->name, each->place);
    }
    return good;
}

bool externs_ready_of_program(hlc *h, const Program *program) {
    ExternStores stores = extern_stores(program, h->scratch);
    bool good = true;
    for (size_t i = 0; i < stores.length; i++)
        good &= need(h, stores.data[i]->store.values[0]->name, stores.data[i]->place);
    return good;
}

static bool refuse(hlc *h, Symbol func, Expr call, Place place) {
    return diag(h->context, DIAG_EXTERN_REFUSED, place, func->text, call->name->text);
}

bool externs_are_allowed(hlc *h) {
    if (!h->refuses_externs)
        return true;
    for (size_t i = 0; h->module && i < h->module->pipelines.length; i++) {
        const Pipeline *pipeline = h->module->pipelines.data[i];
        for (size_t f = 0; f < pipeline->funcs.length; f++) {
            const Func *func = pipeline->funcs.data[f];
            if (func_is_extern(func))
                return refuse(h, func->shape->name, func->stages.data[0]->values[0], func->place);
        }
    }
    ExternStores stores = {0};
    if (h->program)
        stores = extern_stores(h->program, h->scratch);
    const Stmt *store = stores.length ? stores.data[0] : NULL;
    return !store || refuse(h, store->store.func->name, store->store.values[0], store->place);
}
