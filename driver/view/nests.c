/* nests.c -- the loop nest of a schedule, and those after some of its directives, for a slider.
 *
 * A step ends where the next primitive stands at another place: what one written directive means is one
 * step, unless phases part it. Most lines of two steps are the same, so each line is written once, in
 * a table, and a nest is a list of numbers.
 *
 *     {"directives":[..], "table":[LINE, ..], "lines":[0, 1, ..], "steps":[{"until":2,"lines":[..]}, ..]}
 */
#include "driver/view/view.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Steps together show at most so many lines, but FEWEST_STEPS are shown. */
enum { MOST_LINES = 2400, FEWEST_STEPS = 6, MOST_STEPS = 48 };

typedef struct NestTable {
    json_t *lines, *numbers; /* the lines; from the text of a line to its number */
} NestTable;

static json_t *read_nest(const ViewPage *view, const ViewSchedule *schedule, long until) {
    ViewText text;
    if (view_begin(&text) != HLC_YES)
        return NULL;
    hlc_status status = hlc_nest(view->command->h, view->pipeline, schedule->name, until,
                                 view->arguments, text.file);
    status = view_end(&text, status);
    json_t *nest = status == HLC_YES ? json_loadb(text.text, text.length, 0, NULL) : NULL;
    free(text.text);
    return nest;
}

/* Returns the numbers of the nest's lines. */
static json_t *number_lines(NestTable *table, const json_t *lines) {
    json_t *numbers = json_array(), *line;
    size_t i;
    json_array_foreach(lines, i, line) {
        char *text = json_dumps(line, JSON_COMPACT | JSON_SORT_KEYS);
        json_t *number = text ? json_object_get(table->numbers, text) : NULL;
        if (text && !number) {
            number = json_integer((json_int_t)json_array_size(table->lines));
            json_array_append(table->lines, line);
            json_object_set_new(table->numbers, text, number);
        }
        json_array_append(numbers, number);
        free(text);
    }
    return numbers;
}

/* Is directive `i` the last of a step? */
static bool ends_step(const json_t *directives, size_t i) {
    if (i + 1 == json_array_size(directives))
        return true;
    return !json_equal(json_object_get(json_array_get(directives, i), "place"),
                       json_object_get(json_array_get(directives, i + 1), "place"));
}

static json_t *make_steps(const ViewPage *view, const ViewSchedule *schedule, NestTable *table,
                          const json_t *nest) {
    const json_t *directives = json_object_get(nest, "directives");
    size_t count = json_array_size(directives), ends = 0, end = 0;
    size_t lines = json_array_size(json_object_get(nest, "lines"));
    for (size_t i = 0; i < count; i++)
        ends += ends_step(directives, i);
    size_t most = MOST_LINES / (lines + 1);
    most = most < FEWEST_STEPS ? FEWEST_STEPS : most > MOST_STEPS ? MOST_STEPS : most;
    json_t *steps = json_array();
    for (size_t i = 0; i <= count; i++) { /* `i` directives */
        bool is_end = i == 0 || ends_step(directives, i - 1);
        /* Of more ends than may be shown, evenly many are left out; the first and last are shown. */
        bool is_shown = is_end && (ends <= most || end * most / ends != (end + 1) * most / ends ||
                                   i == 0 || i == count);
        end += is_end;
        if (!is_shown)
            continue;
        json_t *step =
            i == count ? json_incref((json_t *)nest) : read_nest(view, schedule, (long)i);
        json_t *refused = json_object_get(step, "refused");
        json_t *shown = refused ? json_pack("{s:I,s:O}", "until", (json_int_t)i, "refused", refused)
                                : json_pack("{s:I,s:o}", "until", (json_int_t)i, "lines",
                                            number_lines(table, json_object_get(step, "lines")));
        json_array_append_new(steps, shown);
        json_decref(step);
    }
    return steps;
}

hlc_status view_nest(const ViewPage *view, ViewSchedule *schedule) {
    json_t *nest = read_nest(view, schedule, -1);
    if (!nest)
        return hlc_first_message(view->command->h) ? HLC_USER : HLC_WORLD;
    NestTable table = {json_array(), json_object()};
    json_t *lines = number_lines(&table, json_object_get(nest, "lines"));
    json_t *steps = make_steps(view, schedule, &table, nest);
    json_t *all = json_pack("{s:O,s:o,s:o,s:o}", "directives", json_object_get(nest, "directives"),
                            "table", table.lines, "lines", lines, "steps", steps);
    hlc_status status = all ? view_begin(&schedule->nest) : HLC_WORLD;
    if (status == HLC_YES) {
        bool is_written = json_dumpf(all, schedule->nest.file, JSON_COMPACT) == 0;
        status = view_end(&schedule->nest, is_written ? HLC_YES : HLC_WORLD);
    }
    json_decref(all);
    json_decref(table.numbers);
    json_decref(nest);
    return status;
}
