/* frontend.c -- reads a file and its imports into a Module. */
#include "frontend/elaborate.h"
#include "frontend/static/library.h"
#include "frontend/static/module.h"

#include <errno.h>
#include <string.h>

typedef struct Loader {
    Context *context;
    Arena *arena;
    FrontendReader *reader;
    void *data;
    Vec(FileSyntax *) files; /* imported ones before those that import them */
    Vec(const char *) begun;
    bool lacks_package; /* whose names would be reported, too */
} Loader;

const char *frontend_resolve(Arena *arena, const char *from, const char *path) {
    const char *slash = strrchr(from, '/');
    char *joined = path[0] == '/' || !slash
                       ? arena_format(arena, "%s", path)
                       : arena_format(arena, "%.*s/%s", (int)(slash - from), from, path);
    char *result = arena_format(arena, "%s", joined);
    const size_t root = joined[0] == '/';
    size_t length = root;
    char *rest;
    for (char *part = strtok_r(joined, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        size_t start = length;
        while (start > 0 && result[start - 1] != '/')
            start--;
        bool is_up = !strcmp(part, "..");
        if (!strcmp(part, ".") || (is_up && root && length == root))
            continue;
        if (is_up && length > root && strncmp(result + start, "..", length - start)) {
            length = start > root ? start - 1 : start;
            continue;
        }
        if (length > 0 && result[length - 1] != '/')
            result[length++] = '/';
        memcpy(result + length, part, strlen(part));
        length += strlen(part);
    }
    result[length] = '\0';
    return result;
}

static bool size_ok(Loader *loader, uint32_t file, Place place) {
    size_t limit = loader->context->limits.source_bytes;
    if (loader->context->files.data[file].length <= limit)
        return true;
    return diag(loader->context, DIAG_SOURCE_SIZE, place, loader->context->files.data[file].path,
                arena_number(loader->arena, limit));
}

static void load_file(Loader *loader, uint32_t file, Symbol package, size_t depth);

/* errno gives the reason. */
static void report_unread(Loader *loader, const ImportSyntax *import, const char *path) {
    if (errno == EFBIG)
        diag(loader->context, DIAG_SOURCE_SIZE, import->place, path,
             arena_number(loader->arena, loader->context->limits.source_bytes));
    else if (errno == EXDEV)
        diag(loader->context, DIAG_OUTSIDE_ROOT, import->place, path);
    else
        diag(loader->context, DIAG_IMPORT_FAILED, import->place, path);
}

/* Imports name source texts by their ending: a message about another file would quote it. */
static const char ENDING[] = ".hl";

static bool has_begun(const Loader *loader, const char *path) {
    for (size_t i = 0; i < loader->begun.length; i++)
        if (!strcmp(loader->begun.data[i], path))
            return true;
    return false;
}

static void load_package(Loader *loader, const ImportSyntax *import, size_t depth) {
    const char *name = import->package->text,
               *key = arena_format(loader->arena, "//%s", name); /* a resolved path is never so */
    const Package *package = package_find(name);
    if (!package) {
        Nearest nearest = {.name = name};
        loader->lacks_package = true;
        for (const Package *other = package_table; other->name; other++)
            nearest_offer(&nearest, other->name);
        diag(
            loader->context, DIAG_PACKAGE_UNKNOWN, import->place, name,
            nearest_behind(loader->arena, &nearest,
                           arena_format(loader->arena, "it has %s", package_names(loader->arena))));
        return;
    }
    if (has_begun(loader, key))
        return;
    vec_push(loader->arena, &loader->begun, key);
    uint32_t file = context_add_file(loader->context, arena_format(loader->arena, "<%s.hl>", name),
                                     package->text, package->length);
    loader->context->files.data[file].is_built_in = true;
    load_file(loader, file, import->package, depth + 1);
}

static void load_import(Loader *loader, const char *from, const ImportSyntax *import,
                        size_t depth) {
    const char *path = frontend_resolve(loader->arena, from, import->path);
    if (has_begun(loader, path))
        return;
    if (depth >= loader->context->limits.import_depth) {
        diag(loader->context, DIAG_IMPORT_DEPTH, import->place,
             arena_number(loader->arena, loader->context->limits.import_depth));
        return;
    }
    size_t length = strlen(path);
    if (length < sizeof ENDING || strcmp(path + length - (sizeof ENDING - 1), ENDING) != 0) {
        diag(loader->context, DIAG_IMPORT_ENDING, import->place, import->path);
        return;
    }
    errno = 0;
    const char *text =
        loader->reader ? loader->reader(loader->data, loader->arena, path, &length) : NULL;
    if (!text) {
        report_unread(loader, import, path);
        return;
    }
    vec_push(loader->arena, &loader->begun, path);
    uint32_t file = context_add_file(loader->context, path, text, length);
    if (size_ok(loader, file, import->place))
        load_file(loader, file, NULL, depth + 1);
}

static void load_file(Loader *loader, uint32_t file, Symbol package, size_t depth) {
    const char *path = loader->context->files.data[file].path;
    FileSyntax *syntax = parse_file(loader->context, loader->arena, file);
    syntax->package = package;
    for (size_t i = 0; i < syntax->imports.length; i++) {
        const ImportSyntax *import = &syntax->imports.data[i];
        if (import->package)
            load_package(loader, import, depth);
        else
            load_import(loader, path, import, depth);
    }
    vec_push(loader->arena, &loader->files, syntax);
}

/* Adds `schedule <text> for p extends fast(v = 8) {}` for the text `fast(v = 8)`, and each pipeline
 * p that has a schedule of this name. */
static void add_schedule_use(Loader *loader, const char *text, FileSyntax *made) {
    Context *context = loader->context;
    uint32_t file = context_add_file(context, "--schedule", text, strlen(text));
    ScheduleSyntax *use = parse_schedule_use(context, loader->arena, file);
    size_t count = made->schedules.length;
    for (size_t f = 0; use && f < loader->files.length; f++)
        for (size_t i = 0; i < loader->files.data[f]->schedules.length; i++) {
            const ScheduleSyntax *base = loader->files.data[f]->schedules.data[i];
            if (base->name.name != use->base.name)
                continue;
            ScheduleSyntax *schedule = arena_new(loader->arena, ScheduleSyntax);
            *schedule = *use;
            schedule->name.name = symbol_intern(&context->symbols, text, strlen(text));
            schedule->pipeline = (NameSyntax){base->pipeline.name, use->base.place};
            vec_push(loader->arena, &made->schedules, schedule);
        }
    if (use && made->schedules.length == count)
        diag(context, DIAG_UNKNOWN_NAME, use->base.place, "schedule", use->base.name->text,
             "arguments are given to a schedule of the file");
}

static void add_schedule_uses(Loader *loader, const GivenConstants *given) {
    FileSyntax *made = arena_new(loader->arena, FileSyntax);
    for (size_t i = 0; given && i < given->schedules.length; i++)
        add_schedule_use(loader, given->schedules.data[i], made);
    if (made->schedules.length > 0)
        vec_push(loader->arena, &loader->files, made);
}

typedef Vec(NameTable *) PipelineNames;

static bool too_many(const Module *module, size_t count, Place place) {
    size_t limit = module->context->limits.funcs;
    if (count < limit)
        return false;
    diag(module->context, DIAG_TOO_MANY_PIPELINES, place, arena_number(module->arena, limit));
    return true;
}

static void elaborate_pipelines(Module *module, const Loader *loader, NameTable *names,
                                uint32_t next, PipelineNames *pipeline_names) {
    for (size_t f = 0; f < loader->files.length; f++) {
        const FileSyntax *file = loader->files.data[f];
        for (size_t i = 0; i < file->pipelines.length; i++) {
            const PipelineSyntax *syntax = file->pipelines.data[i];
            NameTable *own;
            if (too_many(module, module->pipelines.length, syntax->name.place))
                return;
            const Pipeline *old = module_pipeline(module, syntax->name.name->text);
            if (old)
                diag(module->context, DIAG_DUPLICATE, syntax->name.place, syntax->name.name->text,
                     arena_number(module->arena, old->signature.place.line));
            Pipeline *pipeline =
                elaborate_pipeline(module->context, module->arena, syntax, names, next, &own);
            vec_push(module->arena, &module->pipelines, pipeline);
            vec_push(module->arena, pipeline_names, own);
        }
    }
}

/* The remedy for a pipeline that does not exist. */
static const char *list_pipelines(const Module *module) {
    enum { MOST = 8 };
    const char *text = "define it in this file or import its file";
    for (size_t p = 0; p < module->pipelines.length && module->pipelines.length <= MOST; p++)
        text = arena_format(module->arena, "%s%s`%s`", text, p ? ", " : "; the pipelines here: ",
                            module->pipelines.data[p]->signature.name->text);
    return text;
}

static void elaborate_schedules(Module *module, const Loader *loader, NameTable *names,
                                const PipelineNames *pipeline_names) {
    for (size_t f = 0; f < loader->files.length; f++) {
        const FileSyntax *file = loader->files.data[f];
        for (size_t i = 0; i < file->schedules.length; i++) {
            const ScheduleSyntax *syntax = file->schedules.data[i];
            size_t p = 0;
            if (too_many(module, module->schedules.length, syntax->name.place))
                return;
            Nearest nearest = {.name = syntax->pipeline.name->text};
            for (; p < module->pipelines.length; p++) {
                Symbol name = module->pipelines.data[p]->signature.name;
                nearest_offer(&nearest, name->text);
                if (name == syntax->pipeline.name)
                    break;
            }
            if (p == module->pipelines.length) {
                diag(module->context, DIAG_UNKNOWN_PIPELINE, syntax->pipeline.place,
                     syntax->pipeline.name->text,
                     nearest_hint(module->arena, &nearest, list_pipelines(module)));
                continue;
            }
            Pipeline *pipeline = module->pipelines.data[p];
            const Schedule *old = module_schedule(module, pipeline, syntax->name.name->text);
            if (old)
                diag(module->context, DIAG_DUPLICATE, syntax->name.place, syntax->name.name->text,
                     arena_number(module->arena, old->place.line));
            Schedule *schedule = elaborate_schedule(module->context, module->arena, syntax,
                                                    pipeline, names, pipeline_names->data[p]);
            vec_push(module->arena, &module->schedules, schedule);
        }
    }
}

static void warn(Watch *watch, const Module *module) {
    if (module->pipelines.length > 0)
        warn_of_unused(watch);
    for (size_t i = 0; i < module->pipelines.length; i++)
        warn_of_values(watch, module->pipelines.data[i]);
}

Module *frontend_read(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                      void *data, const GivenConstants *constants, bool *is_whole) {
    *is_whole = false;
    size_t errors = context->error_count;
    Loader loader = {.context = context, .arena = arena, .reader = reader, .data = data};
    Module *module = arena_new(arena, Module);
    module->context = context;
    module->arena = arena;
    Place start = {file, 1, 1, 0};
    if (!size_ok(&loader, file, start))
        return NULL;
    const char *path = frontend_resolve(arena, "", context->files.data[file].path);
    vec_push(arena, &loader.begun, path);
    load_file(&loader, file, NULL, 1);
    if (loader.lacks_package)
        return NULL;
    add_schedule_uses(&loader, constants);
    size_t parse_errors = context->error_count;
    Watch *watch = context->asks_warnings ? watch_create(context, arena, file) : NULL;
    static_expand_files(context, arena, constants, watch, loader.files.data, loader.files.length);
    if (context->error_count > parse_errors) /* what is missing would be reported again */
        return NULL;
    for (size_t i = 0; i < loader.files.length; i++)
        vec_push(arena, &module->files, loader.files.data[i]);
    NameTable *names = names_create(arena);
    names->watch = watch;
    uint32_t next = 1;
    for (size_t i = 0; i < loader.files.length; i++)
        next = elaborate_lets(context, arena, loader.files.data[i], names, next);
    PipelineNames pipeline_names = {0};
    elaborate_pipelines(module, &loader, names, next, &pipeline_names);
    elaborate_schedules(module, &loader, names, &pipeline_names);
    module->let_types = names->let_types;
    *is_whole = context->error_count == errors;
    if (watch && *is_whole)
        warn(watch, module);
    return module;
}

Module *frontend_load_given(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                            void *data, const GivenConstants *constants) {
    bool is_whole;
    Module *module = frontend_read(context, arena, file, reader, data, constants, &is_whole);
    return is_whole ? module : NULL;
}

Module *frontend_load(Context *context, Arena *arena, uint32_t file, FrontendReader *reader,
                      void *data) {
    return frontend_load_given(context, arena, file, reader, data, NULL);
}

bool module_has_constant(const Module *module, const char *name) {
    for (size_t f = 0; f < module->files.length; f++) {
        const FileSyntax *file = module->files.data[f];
        for (size_t p = 0; p < file->pipelines.length; p++)
            for (size_t c = 0; c < file->pipelines.data[p]->constants.length; c++)
                if (!strcmp(file->pipelines.data[p]->constants.data[c].name.name->text, name))
                    return true;
    }
    return false;
}

const char *module_constant(const Module *module, const Pipeline *pipeline, size_t i,
                            const char **value) {
    for (size_t f = 0; f < module->files.length; f++) {
        const FileSyntax *file = module->files.data[f];
        for (size_t p = 0; p < file->pipelines.length; p++) {
            const PipelineSyntax *syntax = file->pipelines.data[p];
            if (syntax->name.name != pipeline->signature.name)
                continue;
            if (i >= syntax->constants.length)
                return NULL;
            *value = syntax->constants.data[i].value;
            return syntax->constants.data[i].name.name->text;
        }
    }
    return NULL;
}

const char *module_open_parameter(const Module *module, const Pipeline *pipeline,
                                  const char *schedule) {
    for (size_t f = 0; f < module->files.length; f++) {
        const FileSyntax *file = module->files.data[f];
        for (size_t i = 0; i < file->bases.length; i++) {
            const ScheduleSyntax *base = file->bases.data[i];
            const FormalSyntax *formal = base->formals.data;
            if (base->pipeline.name != pipeline->signature.name ||
                strcmp(base->name.name->text, schedule) != 0)
                continue;
            while (formal->default_value)
                formal++;
            return formal->name.name->text;
        }
    }
    return NULL;
}

static bool is_extended(const Module *module, const ScheduleSyntax *base) {
    for (size_t f = 0; f < module->files.length; f++) {
        const FileSyntax *file = module->files.data[f];
        for (size_t i = 0; i < file->schedules.length + file->bases.length; i++) {
            const ScheduleSyntax *schedule = i < file->schedules.length
                                                 ? file->schedules.data[i]
                                                 : file->bases.data[i - file->schedules.length];
            if (schedule->base.name == base->name.name)
                return true;
        }
    }
    return false;
}

Symbol module_unused_schedule(const Module *module, const Pipeline *pipeline, size_t i) {
    for (size_t f = 0; f < module->files.length; f++) {
        const FileSyntax *file = module->files.data[f];
        for (size_t k = 0; k < file->bases.length; k++)
            if (file->bases.data[k]->pipeline.name == pipeline->signature.name &&
                !is_extended(module, file->bases.data[k]) && i-- == 0)
                return file->bases.data[k]->name.name;
    }
    return NULL;
}

Pipeline *module_pipeline(const Module *module, const char *name) {
    for (size_t i = 0; i < module->pipelines.length; i++)
        if (!strcmp(module->pipelines.data[i]->signature.name->text, name))
            return module->pipelines.data[i];
    return NULL;
}

Schedule *module_schedule(const Module *module, const Pipeline *pipeline, const char *name) {
    for (size_t i = 0; i < module->schedules.length; i++)
        if (module->schedules.data[i]->pipeline == pipeline->signature.name &&
            !strcmp(module->schedules.data[i]->name->text, name))
            return module->schedules.data[i];
    return NULL;
}

/* Reads an integer, perhaps negated. */
static bool coordinate(const Syntax *syntax, int64_t *value) {
    bool negative = syntax->kind == SYNTAX_OPERATOR && syntax->op == OP_NEG;
    if (negative)
        syntax = syntax->children.data[0];
    if (syntax->kind != SYNTAX_INTEGER || syntax->integer > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)syntax->integer : (int64_t)syntax->integer;
    return true;
}

/* The func that a path names, `g[3].dx`; null for another text. */
static Symbol path_symbol(Context *context, Arena *arena, const Syntax *syntax) {
    const char *text = "";
    for (; syntax->kind != SYNTAX_NAME; syntax = syntax->children.data[0]) {
        int64_t index;
        if (syntax->kind == SYNTAX_MEMBER)
            text = arena_format(arena, ".%s%s", syntax->name->text, text);
        else if (syntax->kind == SYNTAX_SUFFIX)
            text = arena_format(arena, "%s%s", syntax->name->text, text);
        else if (syntax->kind == SYNTAX_SUBSCRIPT && coordinate(syntax->children.data[1], &index))
            text = arena_format(arena, "[%lld]%s", (long long)index, text);
        else
            return NULL;
    }
    return symbol_format(&context->symbols, "%s%s", syntax->name->text, text);
}

bool frontend_point(const Module *module, const Pipeline *pipeline, uint32_t file, Symbol *func,
                    int64_t *point, int *dimensions) {
    Context *context = module->context;
    Syntax *syntax = parse_single_expression(context, module->arena, file);
    if (!syntax)
        return false;
    const Syntax *callee = syntax->kind == SYNTAX_CALL ? syntax->children.data[0] : NULL;
    Symbol name = callee ? path_symbol(context, module->arena, callee) : NULL;
    if (!name)
        return diag(context, DIAG_NOT_A_POINT, syntax->place);
    const FuncShape *shape = signature_func(&pipeline->signature, name);
    if (!shape) {
        Nearest nearest = {.name = name->text};
        for (size_t i = 0; i < pipeline->funcs.length; i++)
            nearest_offer(&nearest, pipeline->funcs.data[i]->shape->name->text);
        return diag(context, DIAG_UNKNOWN_NAME, callee->place, "func", name->text,
                    nearest_hint(module->arena, &nearest, "only funcs have points"));
    }
    size_t count = syntax->children.length - 1;
    if (count != (size_t)shape->dimensions)
        return diag(context, DIAG_COORDINATE_COUNT, syntax->place, shape->name->text,
                    arena_number(module->arena, shape->dimensions),
                    arena_number(module->arena, count));
    for (size_t i = 0; i < count; i++)
        if (!coordinate(syntax->children.data[i + 1], &point[i]))
            return diag(context, DIAG_NOT_A_POINT, syntax->children.data[i + 1]->place);
    *func = shape->name;
    *dimensions = shape->dimensions;
    return true;
}
