/* reading.c -- versions of a text: reads them, keeps the last good one, asks questions of them. */
#include "editor/reading.h"

#include "lower/moves.h"

#include <stdlib.h>
#include <string.h>

/* ---- questions ---- */

typedef struct EditorAsking {
    Editor *editor;
    Question *question;
    void *data;
    Arena *answer; /* null: the handle's arena */
    bool is_new;   /* the arena of the answer is to be made */
    bool is_done;
} EditorAsking;

static hlc_status run_question(hlc *h, void *data) {
    EditorAsking *asking = data;
    if (asking->is_new && !asking->answer)
        asking->answer = arena_create(&h->context->memory);
    asking->question(asking->editor, asking->answer ? asking->answer : h->arena, asking->data);
    asking->is_done = true;
    return HLC_YES;
}

/* Answers report nothing: what they report is not about the text as it is. */
static bool ask(hlc *h, EditorAsking *asking) {
    Context *context = h->context;
    DiagMark before = diag_mark(context);
    compiler_enter(h, run_question, asking);
    diag_drop(context, before);
    return asking->is_done;
}

bool editor_ask_of(Editor *editor, hlc *h, Question *question, void *data) {
    return ask(h, &(EditorAsking){.editor = editor, .question = question, .data = data});
}

/* An arena that a question has made goes with it, if it is ended early. */
bool editor_ask(Editor *editor, Question *question, void *data) {
    Reading *now = editor->now;
    if (!now)
        return false;
    EditorAsking asking = {.editor = editor,
                           .question = question,
                           .data = data,
                           .answer = now->answer,
                           .is_new = true};
    if (!ask(now->h, &asking))
        return false;
    now->answer = asking.answer;
    return true;
}

void editor_forget(Editor *editor) {
    if (!editor->now)
        return;
    arena_destroy(editor->now->answer);
    editor->now->answer = NULL;
}

/* ---- the life of an editor ---- */

Editor *editor_create(const char *path) {
    Editor *editor = calloc(1, sizeof *editor);
    if (editor && !(editor->path = strdup(path))) {
        free(editor);
        editor = NULL;
    }
    return editor;
}

static void reading_free(Reading *reading) {
    if (!reading)
        return;
    arena_destroy(reading->answer);
    hlc_destroy(reading->h);
    free(reading);
}

void editor_destroy(Editor *editor) {
    if (!editor)
        return;
    if (editor->good != editor->now)
        reading_free(editor->good);
    reading_free(editor->now);
    free(editor->path);
    free(editor);
}

hlc *editor_handle(const Editor *editor) {
    return editor->now ? editor->now->h : NULL;
}

hlc *editor_good_handle(const Editor *editor) {
    return editor->good ? editor->good->h : NULL;
}

EditorRange editor_diagnostic_range(const Editor *editor, size_t i, bool *is_elsewhere) {
    const hlc *h = editor->now->h;
    const Report *report = &h->context->reports.data[i];
    Place place = report->place;
    for (const Use *use = report->use; use && place.file != h->file; use = use->outer)
        place = use->place;
    *is_elsewhere = report->place.file != h->file && report->place.line > 0;
    if (place.file != h->file || place.line == 0)
        place = (Place){h->file, 1, 1, 0};
    return editor_range(h->context, place);
}

/* ---- reading ---- */

/* `blur` of `<blur.hl>`. */
static Symbol package_of(Context *context, const SourceFile *file) {
    size_t length = strlen(file->path);
    bool is_package = file->is_built_in && length > 5 && file->path[0] == '<';
    return is_package ? symbol_intern(&context->symbols, file->path + 1, length - 5) : NULL;
}

/* Parses the files that have been loaded once more: the expansion has taken the first trees. */
void reading_parse(hlc *h, Arena *arena, FileSyntaxes *files) {
    Context *context = h->context;
    for (uint32_t file = h->file; h->file > 0 && file < context->files.length; file++) {
        FileSyntax *syntax = parse_file(context, arena, file);
        syntax->package = package_of(context, &context->files.data[file]);
        vec_push(arena, files, syntax);
    }
}

static void read_names(Editor *editor, Arena *answer, void *data) {
    (void)answer;
    (void)data;
    Reading *reading = editor->now;
    Arena *arena = reading->h->arena; /* they live as long as the version */
    FileSyntaxes files = {0};
    reading_parse(reading->h, arena, &files);
    if (files.length == 0)
        return;
    Tokens tokens = tokens_read(reading->h->context, arena, reading->h->file);
    TextNames *names = names_read(reading->h->context, arena, files.data, files.length, NULL);
    reading->text = files.data[0];
    reading->tokens = tokens;
    reading->names = names;
}

hlc_status editor_read(Editor *editor, hlc *h, const char *text, size_t length,
                       hlc_importer *import, void *data) {
    Reading *reading = calloc(1, sizeof *reading);
    if (!reading) {
        hlc_destroy(h);
        return HLC_WORLD;
    }
    reading->h = h;
    if (editor->now != editor->good)
        reading_free(editor->now);
    editor->now = reading;
    hlc_status status = hlc_load_text(h, editor->path, text, length, import, data);
    bool is_text_form = h->program != NULL;
    if (!is_text_form)
        editor_ask(editor, read_names, NULL);
    if (h->module) {
        reading_free(editor->good);
        editor->good = reading;
    }
    return status;
}

const char *editor_text(const Editor *editor, const char *path, size_t *length) {
    const Context *context = editor->now ? editor->now->h->context : NULL;
    for (size_t i = 1; context && i < context->files.length; i++) {
        const SourceFile *file = &context->files.data[i];
        if (!file->is_built_in && !strcmp(file->path, path)) {
            *length = file->length;
            return file->text;
        }
    }
    return NULL;
}

/* ---- judging ---- */

typedef struct EditorJudging {
    size_t schedule;
    bool warns;
} EditorJudging;

static hlc_status judge(hlc *h, void *data) {
    const EditorJudging *judging = data;
    const Schedule *schedule = h->module->schedules.data[judging->schedule];
    const Pipeline *pipeline = module_pipeline(h->module, schedule->pipeline->text);
    LowerOptions options = {.last = judging->warns ? PASS_SIMPLIFY : lower_judges(schedule),
                            .directives = SIZE_MAX};
    lower(pipeline, schedule, h->scratch, &options);
    return HLC_YES;
}

bool editor_judge(Editor *editor, size_t i, bool warns) {
    hlc *h = editor_handle(editor);
    if (!h || !h->module || i >= h->module->schedules.length)
        return false;
    EditorJudging judging = {i, warns};
    compiler_enter(h, judge, &judging);
    return true;
}

/* ---- modules and their types ---- */

const Module *editor_module(const Editor *editor) {
    return editor->good                    ? editor->good->h->module
           : editor->now && editor->now->h ? editor->now->h->readable
                                           : NULL;
}

EditorRange editor_range(const Context *context, Place place) {
    const SourceFile *file = &context->files.data[place.file];
    return (EditorRange){file->is_built_in ? NULL : file->path,
                         {place.line, place.column},
                         {place.line, place.column + place.length}};
}

const Func *editor_func(const Editor *editor, const Definition *definition) {
    const Module *module = editor_module(editor);
    const Pipeline *pipeline = module && definition->pipeline
                                   ? module_pipeline(module, definition->pipeline->name.name->text)
                                   : NULL;
    size_t length = definition->name->length;
    for (size_t i = 0; pipeline && i < pipeline->funcs.length; i++) {
        const char *name = pipeline->funcs.data[i]->shape->name->text;
        if (!strncmp(name, definition->name->text, length) &&
            (!name[length] || name[length] == '['))
            return pipeline->funcs.data[i];
    }
    return NULL;
}

const char *editor_types(Arena *arena, const Func *func) {
    const FuncShape *shape = func->shape;
    const char *text = "";
    if (shape->components < 1 || !shape->types)
        return NULL;
    for (int c = 0; c < shape->components; c++)
        text = arena_format(arena, "%s%s%s", text, c ? ", " : "", type_name(shape->types[c]));
    return shape->components == 1 ? text : arena_format(arena, "{%s}", text);
}
