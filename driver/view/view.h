/* view.h -- the parts of `hlc view`: one page, offline, that shows a pipeline on one set of arguments
 * under some schedules.
 *
 * The library describes the pipeline, its values and its loop nests as JSON (hlc_describe_pipeline,
 * hlc_show_values, hlc_nest). This folder adds times and assembly, and puts all of it into the page of
 * driver/view/page, which draws it. cmake/view_table.cmake puts that page into the command.
 *
 *     nests.c         loop nests, after all directives and after some
 *     assembly.c      the target program and the assembly that it became
 *     times.c         profiles
 *     page.c          the file
 */
#ifndef HLC_DRIVER_VIEW_VIEW_H
#define HLC_DRIVER_VIEW_VIEW_H

#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

#include <pthread.h>

/* A text that is being made in memory; `file` null: memory ran out. */
typedef struct ViewText {
    char *text;
    size_t length;
    FILE *file;
} ViewText;

/* One schedule of the page. */
typedef struct ViewSchedule {
    const char *name; /* "": the empty one */
    ViewText nest, target, assembly, times;
    hlc_function *profiled;
} ViewSchedule;

/* The thread that makes assembly, with a compiler of its own. */
typedef struct ViewAssembly {
    pthread_t thread;
    bool is_running;
    ViewSchedule *schedules;
    int count, optimize;
    const char *targets;
} ViewAssembly;

typedef struct ViewPage {
    const Command *command;
    const char *pipeline;
    hlc_arguments *arguments;
    ViewSchedule *schedules;
    int schedule_count;
    ViewText description, values;
    ViewAssembly assembly;
    bool has_times;
} ViewPage;

/* page.c */

/* Begins a text; HLC_WORLD if memory runs out. */
hlc_status view_begin(ViewText *text);
/* Ends a text, if it is begun, so that `text` and `length` hold it; HLC_WORLD if memory ran out. */
hlc_status view_end(ViewText *text, hlc_status status);
/* Prints a JSON text in quotes. */
void view_put_text(const char *text, size_t length, FILE *out);
/* Writes the page. */
hlc_status view_write(const ViewPage *view, FILE *out);

/* nests.c */

/* Fills `nest`: the loop nest, and those after some of its directives. */
hlc_status view_nest(const ViewPage *view, ViewSchedule *schedule);

/* assembly.c */

/* Fills `target`. */
hlc_status view_target(const ViewPage *view, ViewSchedule *schedule);
/* Begins to fill `assembly` of all schedules, from their `target`. A schedule that cannot be compiled
 * gets none: its profiled code has the same fault, which is reported there. */
void view_begin_assembly(ViewAssembly *assembly);
void view_end_assembly(ViewAssembly *assembly);

/* times.c */

/* Compiles the schedule for view_measure. */
hlc_status view_compile(const ViewPage *view, ViewSchedule *schedule);
/* Fills `times`. */
hlc_status view_measure(const ViewPage *view, ViewSchedule *schedule, double seconds);

/* What cmake/view_table.cmake makes of driver/view/page. */
extern const char view_page_before[], view_page_after[];

#endif
