/* directives.c -- which directives of the whole's schedule go along with a part.
 *
 * A schedule never changes a value, so a directive goes along where the part's scheduler accepts it,
 * behind those that go along before it. Directives about what is cut, and across a cut, are refused
 * there. A directive that no part takes is noted.
 */
#include "library/split/splitting.h"

#include "frontend/frontend.h"
#include "lower/lower.h"

#include <string.h>

typedef struct DirectiveTrial {
    Splitting *splitting;
    const char *part; /* the text of its pipeline */
    const char *name;
} DirectiveTrial;

static const char *schedule_text(const DirectiveTrial *trying, const char *directives) {
    return arena_format(trying->splitting->arena, "schedule s for %s {\n%s}\n", trying->name,
                        directives);
}

/* Does the part accept the directives? Reports nothing. */
static bool is_accepted(const DirectiveTrial *trying, const char *directives) {
    Context *context = trying->splitting->context;
    Arena *arena = arena_create(&context->memory);
    bool windows = context->makes_windows, warnings = context->asks_warnings;
    DiagMark before = diag_mark(context);
    char *text = arena_format(arena, "%s%s", trying->part, schedule_text(trying, directives));
    context->makes_windows = true;
    context->asks_warnings = false;
    uint32_t file = context_add_file(context, "part.hl", text, strlen(text));
    Module *module = frontend_load(context, arena, file, NULL, NULL);
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    bool good = module && lower(module->pipelines.data[0], module->schedules.data[0], arena,
                                &options) != NULL;
    context->makes_windows = windows;
    context->asks_warnings = warnings;
    diag_drop(context, before);
    arena_destroy(arena);
    return good;
}

const char *part_schedule(Splitting *splitting, const char *text, const char *name, bool *kept) {
    const Schedule *schedule = splitting->options->schedule;
    DirectiveTrial trying = {splitting, text, name};
    const char *all = "";
    size_t count = schedule ? schedule->directives.length : 0;
    for (size_t i = 0; i < count; i++) {
        const char *more =
            arena_format(splitting->arena, "%s    %s;\n", all,
                         directive_text(splitting->arena, &schedule->directives.data[i]));
        if (!is_accepted(&trying, more))
            continue;
        kept[i] = true;
        all = more;
    }
    return *all ? schedule_text(&trying, all) : NULL;
}
