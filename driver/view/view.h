/* view.h -- the parts of `hlc view`: one page, offline, that shows a pipeline on one set of arguments
 * under some schedules.
 *
 * The library describes the pipeline, its values and its loop nests as JSON (hlc_describe_pipeline,
 * hlc_show_values, hlc_nest). This folder adds times and assembly, and puts all of it into the page of
 * driver/view/page, which draws it. cmake/view_table.cmake puts that page into the command.
 *
 *     nests.c         loop nests, after all directives and after some
 *     lanes.c         target programs, and the threads that compile them
 *     assembly.c      the assembly that a target program became
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
    hlc *own; /* the compiler that has `profiled`, unless the command's has it */
} ViewSchedule;

/* A thread that compiles every second of the schedules' target programs, with a compiler for each. */
enum { VIEW_LANES = 2 };
typedef struct ViewLane {
    const Command *command;
    ViewSchedule *schedules;
    int first, count, optimize;
    bool has_times;
    pthread_t thread;
    bool is_running;
} ViewLane;

typedef struct ViewPage {
    const Command *command;
    const char *pipeline;
    hlc_arguments *arguments;
    ViewSchedule *schedules;
    int schedule_count;
    ViewText description, values;
    ViewLane lanes[VIEW_LANES];
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

/* lanes.c */

/* Fills `target`. */
hlc_status view_target(const ViewPage *view, ViewSchedule *schedule);
void view_begin_lane(ViewLane *lane);
void view_end_lane(ViewLane *lane);

/* assembly.c */

/* Fills `assembly`, and with times `profiled`: then it is the assembly of the code that is measured. A
 * schedule that cannot be compiled gets neither; view_compile reports why. Keeps or destroys `h`. */
void view_make_code(ViewSchedule *schedule, hlc *h, int optimize, bool has_times);

/* times.c */

/* Compiles it from the command's file, if the lane could not, and reports why not. */
hlc_status view_compile(const ViewPage *view, ViewSchedule *schedule);
/* Fills `times`. */
hlc_status view_measure(const ViewPage *view, ViewSchedule *schedule, double seconds);

/* What cmake/view_table.cmake makes of driver/view/page. */
extern const char view_page_before[], view_page_after[];

#endif
