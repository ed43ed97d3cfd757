/* names_file.c -- what the names of files mean: pipelines, templates, funcs, schedules.
 *
 * The first walk collects the names of files, pipelines and templates, the second one those of
 * schedules. The third walks into the definitions.
 */
#include "editor/reading.h"

#include <stdlib.h>
#include <string.h>

/* A name of the scope's table. Further members of a family belong to the first one's definition. */
static Definition *define(TextNames *names, const NamesScope *scope, DefinitionKind kind,
                          NameSyntax name) {
    Definition *old = map_get(&scope->table->by_name, name.name);
    Definition *definition = old ? old : names_new(names, scope, kind, name);
    names_mention(names, definition, name.place, true);
    if (old)
        return old;
    map_put(&scope->table->by_name, name.name, definition);
    vec_push(names->arena, &scope->table->definitions, definition);
    return definition;
}

static DefinitionKind kind_of_let(const LetSyntax *let) {
    return let->is_constant             ? DEFINES_CONSTANT
           : let->parameters.length > 0 ? DEFINES_HELPER
                                        : DEFINES_LET;
}

/* The first name of `g[k].dx`, with its own place. */
static NameSyntax head_of(NameSyntax name, const Syntax *path) {
    for (; path && path->kind != SYNTAX_NAME; path = path->children.data[0])
        ;
    return path ? (NameSyntax){path->name, path->place} : name;
}

/* The indices in a path; its head has been mentioned. */
static void read_path_indices(TextNames *names, NamesScope scope, const Syntax *path) {
    for (; path && path->kind != SYNTAX_NAME; path = path->children.data[0])
        if (path->kind == SYNTAX_SUBSCRIPT)
            names_expression(names, scope, path->children.data[1]);
}

static void read_stage(TextNames *names, NamesScope scope, const StageSyntax *stage) {
    names_reductions(names, &scope, &stage->reduction);
    for (size_t i = 0; i < stage->indices.length; i++)
        names_expression(names, scope, stage->indices.data[i]);
    names_expression(names, scope, stage->value);
    for (size_t w = 0; w < stage->more.length; w++) {
        const WriteSyntax *write = &stage->more.data[w];
        for (size_t i = 0; i < write->indices.length; i++)
            names_expression(names, scope, write->indices.data[i]);
        names_expression(names, scope, write->value);
    }
    names_expression(names, scope, stage->predicate);
}

/* What may stand in the body of a func: lets are seen by what follows in their block. */
static void read_body(TextNames *names, NamesScope scope, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        switch ((int)item->kind) {
        case ITEM_LET:
            names_let(names, scope, item->let);
            names_local(names, &scope, kind_of_let(item->let), item->let->name)->let = item->let;
            break;
        case ITEM_STAGE:
            read_stage(names, scope, item->stage);
            break;
        case ITEM_BLOCK: {
            NamesScope inner = scope;
            if (item->block->is_loop)
                names_range(names, &inner, &item->block->range);
            names_expression(names, inner, item->block->condition);
            read_body(names, inner, &item->block->items);
            read_body(names, inner, &item->block->otherwise);
            break;
        }
        default:
            break;
        }
    }
}

static void read_fun(TextNames *names, NamesScope scope, const FunSyntax *fun) {
    scope.func = names_find(&scope, head_of(fun->name, fun->path).name);
    read_path_indices(names, scope, fun->path);
    for (size_t i = 0; i < fun->variables.length; i++) {
        const Definition *variable =
            names_local(names, &scope, DEFINES_VARIABLE, fun->variables.data[i]);
        if (!scope.func)
            continue;
        Symbol key = names_key(names, variable->pipeline, scope.func->name, variable->name);
        if (!map_get(&names->variables, key))
            map_put(&names->variables, key, variable);
    }
    for (size_t i = 0; i < fun->type_names.length; i++)
        names_use(names, &scope, fun->type_names.data[i]);
    read_body(names, scope, &fun->body);
}

/* ---- items ---- */

static void read_items(TextNames *names, NamesScope scope, const ItemSyntaxes *items);

static void collect_template(TextNames *names, const NamesScope *scope, DefinitionKind kind,
                             const TemplateSyntax *template) {
    NamesScope around = *scope;
    define(names, scope, kind, template->name)->template = template;
    for (size_t i = 0; i < template->formals.length; i++)
        map_put(&names->formals, &template->formals.data[i],
                names_new(names, &around, DEFINES_FORMAL, template->formals.data[i].name));
}

static void collect_fun(TextNames *names, const NamesScope *scope, const FunSyntax *fun) {
    Definition *definition = define(names, scope, DEFINES_FUNC, head_of(fun->name, fun->path));
    if (!definition->fun)
        definition->fun = fun;
}

/* Collects the names that the items define outside of funcs. */
static void collect_items(TextNames *names, const NamesScope *scope, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        switch ((int)item->kind) {
        case ITEM_LET:
            define(names, scope, kind_of_let(item->let), item->let->name)->let = item->let;
            break;
        case ITEM_FUN:
            collect_fun(names, scope, item->fun);
            break;
        case ITEM_RECURRENCE:
            collect_items(names, scope, &item->recurrence->items);
            break;
        case ITEM_BLOCK:
            collect_items(names, scope, &item->block->items);
            collect_items(names, scope, &item->block->otherwise);
            break;
        case ITEM_INSTANCE:
            define(names, scope, DEFINES_FUNC, head_of(item->instance->name, item->instance->path));
            break;
        case ITEM_TEMPLATE:
            collect_template(names, scope, DEFINES_TEMPLATE, item->template);
            break;
        default:
            break;
        }
    }
}

static NamesTable *table_create(TextNames *names, const NamesTable *outer) {
    NamesTable *table = arena_new(names->arena, NamesTable);
    table->by_name = map_create(names->arena);
    table->outer = outer;
    table->pipeline = outer ? outer->pipeline : NULL;
    return table;
}

/* Binds the formals, whose defaults see those before them. */
static void bind_formals(TextNames *names, NamesScope *scope, const FormalSyntaxes *formals) {
    for (size_t i = 0; i < formals->length; i++) {
        const FormalSyntax *formal = &formals->data[i];
        const Definition *definition = map_get(&names->formals, formal);
        names_expression(names, *scope, formal->default_value);
        names_mention(names, definition, formal->name.place, true);
        names_bind(names, scope, definition);
        if (formal->rest.name)
            names_local(names, scope, DEFINES_FORMAL, formal->rest);
    }
}

static void read_template(TextNames *names, NamesScope scope, const TemplateSyntax *template) {
    scope.table = table_create(names, scope.table);
    bind_formals(names, &scope, &template->formals);
    collect_items(names, &scope, &template->items);
    read_items(names, scope, &template->items);
}

static void read_arguments(TextNames *names, NamesScope scope, const FormalSyntaxes *formals,
                           const ArgumentSyntaxes *arguments) {
    for (size_t i = 0; i < arguments->length; i++) {
        if (formals)
            names_argument(names, formals, arguments->data[i].name);
        names_expression(names, scope, arguments->data[i].value);
    }
}

static void read_instance(TextNames *names, NamesScope scope, const InstanceSyntax *instance) {
    const Definition *template = NULL;
    const NamesTable *package =
        instance->package.name ? names_package(&scope, instance->package.name) : NULL;
    read_path_indices(names, scope, instance->path);
    if (!instance->package.name)
        template = names_use(names, &scope, instance->template);
    else if (package && (template = map_get(&package->by_name, instance->template.name)))
        names_mention(names, template, instance->template.place, false);
    read_arguments(names, scope,
                   template && template->template ? &template->template->formals : NULL,
                   &instance->arguments);
}

static void read_block(TextNames *names, NamesScope scope, const BlockSyntax *block) {
    if (block->is_loop)
        names_range(names, &scope, &block->range);
    names_expression(names, scope, block->condition);
    read_items(names, scope, &block->items);
    read_items(names, scope, &block->otherwise);
}

static void read_items(TextNames *names, NamesScope scope, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        switch ((int)item->kind) {
        case ITEM_LET:
            names_let(names, scope, item->let);
            break;
        case ITEM_FUN:
            read_fun(names, scope, item->fun);
            break;
        case ITEM_RECURRENCE: {
            NamesScope inner = scope;
            names_reductions(names, &inner, &item->recurrence->domain);
            read_items(names, inner, &item->recurrence->items);
            break;
        }
        case ITEM_REQUIRE:
            names_expression(names, scope, item->require->condition);
            break;
        case ITEM_BLOCK:
            read_block(names, scope, item->block);
            break;
        case ITEM_INSTANCE:
            read_instance(names, scope, item->instance);
            break;
        case ITEM_TEMPLATE:
            read_template(names, scope, item->template);
            break;
        default:
            break;
        }
    }
}

/* ---- pipelines ---- */

static void collect_pipeline(TextNames *names, NamesTable *around, const PipelineSyntax *pipeline) {
    NamesTable *table = table_create(names, around);
    table->pipeline = pipeline;
    map_put(&names->tables, pipeline->name.name, table);
    NamesScope scope = {.table = table};
    Definition *own = names_new(names, &scope, DEFINES_PIPELINE, pipeline->name);
    names_mention(names, own, pipeline->name.place, true);
    map_put(&names->pipelines, pipeline->name.name, own);
    for (size_t i = 0; i < pipeline->parameters.length; i++) {
        const ParameterSyntax *parameter = &pipeline->parameters.data[i];
        DefinitionKind kind = parameter->is_constant ? DEFINES_CONSTANT
                              : parameter->is_image  ? DEFINES_IMAGE
                                                     : DEFINES_PARAMETER;
        define(names, &scope, kind, parameter->name)->parameter = parameter;
    }
    collect_items(names, &scope, &pipeline->items);
}

static void read_pipeline(TextNames *names, const PipelineSyntax *pipeline) {
    NamesScope scope = {.table = map_get(&names->tables, pipeline->name.name)};
    if (scope.table->pipeline != pipeline)
        return; /* another pipeline has the same name */
    for (size_t i = 0; i < pipeline->parameters.length; i++) {
        const ParameterSyntax *parameter = &pipeline->parameters.data[i];
        const Syntax *const parts[] = {parameter->static_dimensions, parameter->default_value,
                                       parameter->lower, parameter->upper};
        names_use(names, &scope, parameter->type_name);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            names_expression(names, scope, parts[k]);
    }
    for (size_t i = 0; i < pipeline->outputs.length; i++) {
        const OutputSyntax *output = &pipeline->outputs.data[i];
        names_use(names, &scope, head_of(output->name, output->path));
        read_path_indices(names, scope, output->path);
        for (size_t k = 0; k < output->size.length; k++)
            names_expression(names, scope, output->size.data[k]);
        if (output->image.name)
            names_use(names, &scope, output->image);
    }
    read_items(names, scope, &pipeline->items);
}

/* ---- schedules ---- */

static Symbol schedule_key(const TextNames *names, Symbol pipeline, Symbol schedule) {
    return symbol_format(&names->context->symbols, "%s.%s", pipeline->text, schedule->text);
}

static void collect_schedule(TextNames *names, const ScheduleSyntax *schedule) {
    NamesScope scope = {.table = map_get(&names->tables, schedule->pipeline.name),
                        .schedule = schedule};
    Symbol key = schedule_key(names, schedule->pipeline.name, schedule->name.name);
    Definition *definition = names_new(names, &scope, DEFINES_SCHEDULE, schedule->name);
    if (!map_get(&names->schedules, key))
        map_put(&names->schedules, key, definition);
    names_mention(names, definition, schedule->name.place, true);
    for (size_t i = 0; i < schedule->formals.length; i++)
        map_put(&names->formals, &schedule->formals.data[i],
                names_new(names, &scope, DEFINES_FORMAL, schedule->formals.data[i].name));
}

static void read_schedule(TextNames *names, NamesTable *around, const ScheduleSyntax *schedule) {
    const Definition *pipeline = map_get(&names->pipelines, schedule->pipeline.name);
    NamesTable *table = map_get(&names->tables, schedule->pipeline.name);
    NamesScope scope = {.table = table ? table : around, .schedule = schedule};
    if (pipeline)
        names_mention(names, pipeline, schedule->pipeline.place, false);
    if (schedule->base.name) {
        Symbol key = schedule_key(names, schedule->pipeline.name, schedule->base.name);
        const Definition *base = map_get(&names->schedules, key);
        if (base)
            names_mention(names, base, schedule->base.place, false);
        read_arguments(names, scope, base ? &base->schedule->formals : NULL,
                       &schedule->base_arguments);
    }
    bind_formals(names, &scope, &schedule->formals);
    names->made = map_create(names->arena);
    names_lines(names, scope, &schedule->items);
}

static void read_directive(TextNames *names, NamesScope scope, const TemplateSyntax *directive) {
    bind_formals(names, &scope, &directive->formals);
    names->made = map_create(names->arena);
    names_lines(names, scope, &directive->items);
}

/* ---- files ---- */

static void collect_file(TextNames *names, NamesTable *table, const FileSyntax *file) {
    NamesScope scope = {.table = table};
    for (size_t i = 0; i < file->imports.length; i++) {
        const NamesTable *package = file->imports.data[i].package
                                        ? map_get(&names->packages, file->imports.data[i].package)
                                        : NULL;
        if (package)
            vec_push(names->arena, &table->imports, package);
    }
    for (size_t i = 0; i < file->lets.length; i++)
        define(names, &scope, kind_of_let(file->lets.data[i]), file->lets.data[i]->name)->let =
            file->lets.data[i];
    for (size_t i = 0; i < file->templates.length; i++)
        collect_template(names, &scope, DEFINES_TEMPLATE, file->templates.data[i]);
    for (size_t i = 0; i < file->commands.length; i++)
        collect_template(names, &scope, DEFINES_DIRECTIVE, file->commands.data[i]);
    for (size_t i = 0; i < file->pipelines.length; i++)
        collect_pipeline(names, table, file->pipelines.data[i]);
}

static void read_file(TextNames *names, NamesTable *table, const FileSyntax *file) {
    NamesScope scope = {.table = table};
    for (size_t i = 0; i < file->lets.length; i++)
        names_let(names, scope, file->lets.data[i]);
    for (size_t i = 0; i < file->templates.length; i++)
        read_template(names, scope, file->templates.data[i]);
    for (size_t i = 0; i < file->commands.length; i++)
        read_directive(names, scope, file->commands.data[i]);
    for (size_t i = 0; i < file->pipelines.length; i++)
        read_pipeline(names, file->pipelines.data[i]);
    for (size_t i = 0; i < file->schedules.length; i++)
        read_schedule(names, table, file->schedules.data[i]);
}

static int compare_mentions(const void *a, const void *b) {
    const Place *first = &((const Mention *)a)->place, *second = &((const Mention *)b)->place;
    const uint32_t keys[][2] = {{first->file, second->file},
                                {first->line, second->line},
                                {first->column, second->column},
                                {first->length, second->length}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return ((const Mention *)b)->is_definition - ((const Mention *)a)->is_definition;
}

/* Sorts the mentions by place. A name that was read twice is mentioned once. */
static void sort(TextNames *names) {
    Mentions *mentions = &names->mentions;
    size_t kept = 0;
    if (mentions->length > 0)
        qsort(mentions->data, mentions->length, sizeof *mentions->data, compare_mentions);
    for (size_t i = 0; i < mentions->length; i++) {
        const Place *place = &mentions->data[i].place;
        const Place *last = kept ? &mentions->data[kept - 1].place : NULL;
        if (last && last->file == place->file && last->line == place->line &&
            last->column == place->column && last->length == place->length)
            continue;
        mentions->data[kept++] = mentions->data[i];
    }
    mentions->length = kept;
}

TextNames *names_read(Context *context, Arena *arena, FileSyntax *const *files, size_t count,
                      Symbol cursor) {
    TextNames *names = arena_new(arena, TextNames);
    names->context = context;
    names->arena = arena;
    names->cursor = cursor;
    names->tables = map_create(arena);
    names->packages = map_create(arena);
    names->pipelines = map_create(arena);
    names->schedules = map_create(arena);
    names->formals = map_create(arena);
    names->variables = map_create(arena);
    names->made = map_create(arena);
    NamesTable *user = table_create(names, NULL);
    for (size_t i = 0; i < count; i++)
        if (files[i]->package) {
            NamesTable *table = table_create(names, NULL);
            table->package = files[i]->package;
            map_put(&names->packages, files[i]->package, table);
        }
    for (int step = 0; step < 3; step++)
        for (size_t i = 0; i < count; i++) {
            const FileSyntax *file = files[i];
            NamesTable *table = file->package ? map_get(&names->packages, file->package) : user;
            if (step == 0)
                collect_file(names, table, file);
            for (size_t k = 0; step == 1 && k < file->schedules.length; k++)
                collect_schedule(names, file->schedules.data[k]);
            if (step == 2)
                read_file(names, table, file);
        }
    sort(names);
    return names;
}
