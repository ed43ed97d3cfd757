/* complete_schedule.c -- what could be typed in a schedule: directives, and for an argument the loops that
 * exist there; for a level, those that the compiler accepts.
 *
 * Directives are applied by phase, and within a phase in written order. So a loop exists at a point if a
 * directive of an earlier phase has made it, wherever that stands, or one of the same phase above.
 */
#include "editor/complete.h"

#include "lower/lower.h"

#include <string.h>

/* So many loops are tried as levels; of more, all are listed. */
enum { MOST_TRIED = 48 };

typedef struct ScheduleSite {
    Completion *completion;
    Arena *arena;
    const Pipeline *pipeline;
    const Schedule *schedule; /* what stands above; may be null */
    ScheduleNest nest;
} ScheduleSite;

/* ---- directives ---- */

static void add_directives(Editor *editor, Arena *arena, Completion *completion) {
    for (int i = 0; i < DIRECTIVE_COUNT; i++) {
        const DirectiveInfo *info = directive_info((DirectiveKind)i);
        complete_add(completion, arena, info->text, EDITOR_ITEM_DIRECTIVE, info->sentence);
    }
    const TextNames *names = editor->now->names;
    for (size_t i = 0; names && i < names->definitions.length; i++) {
        const Definition *definition = names->definitions.data[i];
        if (definition->kind == DEFINES_DIRECTIVE)
            complete_add(completion, arena, definition->name->text, EDITOR_ITEM_DIRECTIVE,
                         "a directive of the program's");
    }
    complete_add(completion, arena, "const", EDITOR_ITEM_KEYWORD, "");
    complete_add(completion, arena, "for", EDITOR_ITEM_KEYWORD, "");
    complete_add(completion, arena, "if", EDITOR_ITEM_KEYWORD, "");
}

/* ---- loops ---- */

static const char *loop_label(Arena *arena, const NestedLoop *loop) {
    const char *copy =
        loop->specialization ? arena_format(arena, "z%d.", loop->specialization) : "";
    const char *stage = loop->is_ambiguous ? arena_format(arena, "s%d.", loop->stage) : "";
    return arena_format(arena, "%s.%s%s%s", loop->func, copy, stage, loop->variable);
}

/* The func that the directive names first; null if the argument is the first. */
static const char *first_func(const ScheduleSite *site, const Tokens *tokens) {
    const Site *at = &site->completion->site;
    for (size_t i = at->statement; i < at->word; i++)
        if (token_is(&tokens->data[i], "(") && i + 1 < at->word)
            return arena_text(site->arena, tokens->data[i + 1].text, tokens->data[i + 1].length);
    return NULL;
}

/* Is the schedule accepted with `directive(func, loop)` at its end? */
static bool is_level(const ScheduleSite *site, const DirectiveInfo *info, const char *func,
                     const NestedLoop *loop) {
    SymbolTable *symbols = &site->completion->mended->context->symbols;
    Schedule longer = {.name = symbol_from(symbols, ""),
                       .pipeline = site->pipeline->signature.name};
    for (size_t i = 0; site->schedule && i < site->schedule->directives.length; i++)
        vec_push(site->arena, &longer.directives, site->schedule->directives.data[i]);
    DirectiveKind kind = (DirectiveKind)0;
    while (directive_info(kind) != info)
        kind++;
    Directive level = {.kind = kind};
    DirectiveArgument named = {.kind = ARGUMENT_FUNC, .name = symbol_from(symbols, func)};
    DirectiveArgument at = {.kind = ARGUMENT_LOOP,
                            .loop = {.func = symbol_from(symbols, loop->func),
                                     .variable = symbol_from(symbols, loop->variable),
                                     .specialization = loop->specialization,
                                     .stage = loop->stage}};
    vec_push(site->arena, &level.arguments, named);
    vec_push(site->arena, &level.arguments, at);
    vec_push(site->arena, &longer.directives, level);
    LowerOptions options = {.last = PASS_SCHEDULE, .directives = SIZE_MAX};
    return lower(site->pipeline, &longer, site->arena, &options);
}

static void add_loops(Editor *editor, const ScheduleSite *site, const DirectiveInfo *info) {
    const char *func = first_func(site, &editor->now->tokens);
    bool is_tried =
        info && !strcmp(info->arguments, "fl") && func && site->nest.loops.length <= MOST_TRIED;
    for (size_t i = 0; i < site->nest.loops.length; i++) {
        const NestedLoop *loop = &site->nest.loops.data[i];
        if (is_tried && (!strcmp(loop->func, func) || !is_level(site, info, func, loop)))
            continue;
        complete_add(site->completion, site->arena, loop_label(site->arena, loop), EDITOR_ITEM_LOOP,
                     loop->length ? arena_format(site->arena, "%s iterations", loop->length) : "");
    }
}

/* ---- other arguments ---- */

static void add_funcs(const ScheduleSite *site, bool images) {
    for (size_t i = 0; i < site->pipeline->funcs.length; i++) {
        const Func *func = site->pipeline->funcs.data[i];
        complete_add(site->completion, site->arena, func->shape->name->text, EDITOR_ITEM_FUNC,
                     editor_types(site->arena, func));
    }
    const Signature *signature = &site->pipeline->signature;
    for (size_t i = 0; images && i < signature->images.length; i++)
        complete_add(site->completion, site->arena, signature->images.data[i].name->text,
                     EDITOR_ITEM_FUNC, "image");
}

static void add_stages(const ScheduleSite *site) {
    for (size_t i = 0; i < site->pipeline->funcs.length; i++) {
        const Func *func = site->pipeline->funcs.data[i];
        for (size_t s = 1; s < func->stages.length; s++)
            complete_add(site->completion, site->arena,
                         arena_format(site->arena, "%s.s%zu", func->shape->name->text, s),
                         EDITOR_ITEM_LOOP, "update");
    }
}

/* TextNames of new loops after the loop that is split, and the dimensions of the func. */
static void add_variables(const Editor *editor, const ScheduleSite *site) {
    static const char *const suffixes[] = {"_o", "_i"};
    const Tokens *tokens = &editor->now->tokens;
    const Site *at = &site->completion->site;
    const char *func = first_func(site, tokens), *variable = NULL;
    for (size_t i = at->statement + 1; i < at->word; i++)
        if (tokens->data[i].kind == TOKEN_NAME && token_is(&tokens->data[i - 1], "."))
            variable = arena_text(site->arena, tokens->data[i].text, tokens->data[i].length);
    for (size_t i = 0; variable && i < 2; i++)
        complete_add(site->completion, site->arena,
                     arena_format(site->arena, "%s%s", variable, suffixes[i]), EDITOR_ITEM_NAME,
                     "new loop");
    Symbol name = func ? symbol_from(&site->completion->mended->context->symbols, func) : NULL;
    const FuncShape *shape = name ? signature_func(&site->pipeline->signature, name) : NULL;
    for (int d = 0; shape && !variable && d < shape->dimensions; d++)
        complete_add(site->completion, site->arena, shape->variables[d]->text, EDITOR_ITEM_NAME,
                     "dimension");
}

static void add_parameters(const ScheduleSite *site) {
    const Parameters *parameters = &site->pipeline->signature.parameters;
    for (size_t i = 0; i < parameters->length; i++)
        complete_add(site->completion, site->arena, parameters->data[i].name->text,
                     EDITOR_ITEM_NAME, type_name(parameters->data[i].type));
}

static void add_words(const ScheduleSite *site, char letter) {
    static const MemoryKind memories[] = {MEMORY_STACK, MEMORY_HEAP, MEMORY_REGISTER};
    static const Traversal traversals[] = {TRAVERSE_SERIAL, TRAVERSE_PARALLEL, TRAVERSE_VECTORIZED,
                                           TRAVERSE_UNROLLED};
    Completion *completion = site->completion;
    for (int t = 0; letter == 'T' && t < TAILS_COUNT; t++)
        complete_add(completion, site->arena, tail_text((Tail)t), EDITOR_ITEM_KEYWORD, "tail");
    for (int a = ALIGN_START; letter == 'a' && a < ALIGNMENT_COUNT; a++)
        complete_add(completion, site->arena, alignment_text((Alignment)a), EDITOR_ITEM_KEYWORD,
                     "alignment");
    for (size_t i = 0; letter == 'm' && i < sizeof memories / sizeof *memories; i++)
        complete_add(completion, site->arena, memory_text(memories[i]), EDITOR_ITEM_KEYWORD,
                     "memory");
    for (size_t i = 0; letter == 't' && i < sizeof traversals / sizeof *traversals; i++)
        complete_add(completion, site->arena, traversal_text(traversals[i]), EDITOR_ITEM_KEYWORD,
                     "traversal");
}

static void add_argument(Editor *editor, const ScheduleSite *site) {
    const Site *at = &site->completion->site;
    const DirectiveInfo *info = directive_named(at->directive);
    char letters[MOST_LETTERS] = "fl"; /* a directive of the user's takes anything */
    if (info)
        directive_letters(info->arguments, at->argument, letters);
    for (const char *letter = letters; *letter; letter++) {
        bool is_repeated = strchr(letters, *letter) < letter;
        if (is_repeated)
            continue;
        if (*letter == 'f' || *letter == 'i')
            add_funcs(site, *letter == 'i');
        else if (*letter == 'l')
            add_loops(editor, site, info);
        else if (*letter == 's')
            add_stages(site);
        else if (*letter == 'n')
            add_variables(editor, site);
        else if (*letter == 'e')
            add_parameters(site);
        else
            add_words(site, *letter);
    }
}

/* ---- the schedule so far ---- */

/* The name after the word: `fast` of `schedule fast for edges`, `edges` after `for`. */
static const char *name_behind(Arena *arena, const Tokens *tokens, size_t from, size_t until,
                               const char *word) {
    for (size_t i = from; i + 1 < until; i++)
        if (token_is_name(&tokens->data[i], word))
            return arena_text(arena, tokens->data[i + 1].text, tokens->data[i + 1].length);
    return NULL;
}

/* Removes the directive at which the newest error points: what it names may stand further below. False
 * if there is none. */
static bool remove_refused(const Context *context, Directives *directives) {
    const Reports *reports = &context->reports;
    if (reports->length == 0)
        return false;
    EditorPoint at = editor_point(reports->data[reports->length - 1].place);
    size_t i = directives->length;
    while (i > 0 && point_is_before(at, editor_point(directives->data[i - 1].place)))
        i--;
    if (i == 0)
        return false;
    memmove(directives->data + i - 1, directives->data + i,
            (directives->length - i) * sizeof *directives->data);
    directives->length--;
    return true;
}

static Phase order(const DirectiveInfo *info) {
    return info->phase == PHASE_SUGAR ? PHASE_LOOPS : info->phase;
}

/* Has the directive been applied before the one that is typed? */
static bool comes_before(const Completion *completion, const Directive *directive) {
    const DirectiveInfo *typed = directive_named(completion->site.directive);
    Phase phase = order(directive_info(directive->kind));
    bool is_above = point_is_before(editor_point(directive->place), completion->above);
    return typed && phase != order(typed) ? phase < order(typed) : is_above;
}

/* Applies what comes before, as far as it is accepted. */
static void find_loops(ScheduleSite *site) {
    enum { MOST_REFUSED = 16 };
    LowerOptions options = {.last = PASS_SCHEDULE, .directives = SIZE_MAX};
    Schedule *accepted = arena_new(site->arena, Schedule);
    if (site->schedule) {
        *accepted = *site->schedule;
        accepted->directives = (Directives){0};
        for (size_t i = 0; i < site->schedule->directives.length; i++)
            if (comes_before(site->completion, &site->schedule->directives.data[i]))
                vec_push(site->arena, &accepted->directives, site->schedule->directives.data[i]);
    }
    site->schedule = site->schedule ? accepted : NULL;
    Lowered *lowered = lower(site->pipeline, site->schedule, site->arena, &options);
    for (int i = 0; !lowered && site->schedule && i < MOST_REFUSED; i++) {
        if (!remove_refused(site->completion->mended->context, &accepted->directives))
            break;
        lowered = lower(site->pipeline, accepted, site->arena, &options);
    }
    if (lowered)
        nest_list(&site->nest, site->arena, lowered);
}

void complete_schedule(Editor *editor, Arena *arena, void *data) {
    Completion *completion = data;
    const Site *at = &completion->site;
    const Tokens *tokens = &editor->now->tokens;
    if (at->kind == SITE_LINE) {
        add_directives(editor, arena, completion);
        return;
    }
    const char *pipeline = name_behind(arena, tokens, at->head, at->statement, "for");
    const char *schedule = name_behind(arena, tokens, at->head, at->statement, "schedule");
    const Module *module = completion->mended->readable;
    ScheduleSite site = {.completion = completion, .arena = arena};
    site.pipeline = module && pipeline ? module_pipeline(module, pipeline) : NULL;
    if (!site.pipeline)
        return;
    site.schedule = schedule ? module_schedule(module, site.pipeline, schedule) : NULL;
    if (completion->mended->module)
        find_loops(&site);
    add_argument(editor, &site);
}
