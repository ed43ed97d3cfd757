/* regions.c -- the loops of a schedule, how long they are, and how much of each func is stored: read off
 * the lowered program. A schedule is lowered when it is first asked about. */
#include "editor/reading.h"

#include "ir/print.h"
#include "lower/report/explain.h"

#include <stdlib.h>
#include <string.h>

/* Larger formulas say little in the margin of a text. */
enum { SHORT_NODES = 8 };

typedef struct NestListing {
    ScheduleNest *nest;
    Arena *arena;
} NestListing;

static const char *short_text(Arena *arena, Expr expr) {
    return expr && expr->tree_size <= SHORT_NODES ? expr_formula(arena, expr) : NULL;
}

static void list_loop(NestListing *listing, const Stmt *stmt) {
    const LoopName *name = &stmt->loop.name;
    NestedLoop made = {.func = name->func->text,
                       .variable = name->variable->text,
                       .specialization = name->specialization,
                       .stage = name->stage,
                       .length = short_text(listing->arena, stmt->loop.interval.length)};
    for (size_t i = 0; i < listing->nest->loops.length; i++) {
        NestedLoop *other = &listing->nest->loops.data[i];
        if (strcmp(other->func, made.func) != 0 || strcmp(other->variable, made.variable) != 0 ||
            other->specialization != made.specialization)
            continue;
        if (other->stage == made.stage)
            return; /* a copy */
        other->is_ambiguous = made.is_ambiguous = true;
    }
    vec_push(listing->arena, &listing->nest->loops, made);
}

static void list_func(NestListing *listing, const Stmt *stmt) {
    const FuncShape *shape = stmt->allocate.func;
    const char *text = "";
    for (int d = 0; d < shape->dimensions; d++) {
        Expr fold = stmt->allocate.folds ? stmt->allocate.folds[d] : NULL;
        const char *length =
            short_text(listing->arena, fold ? fold : stmt->allocate.intervals[d].length);
        if (length)
            text = arena_format(listing->arena, "%s%s%s: %s", text, *text ? ", " : "",
                                shape->variables[d]->text, length);
    }
    vec_push(listing->arena, &listing->nest->funcs, (NestedFunc){shape->name->text, text});
}

static bool list_statement(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_FOR)
        list_loop(data, stmt);
    if (stmt->kind == STMT_ALLOCATE)
        list_func(data, stmt);
    return true;
}

void nest_list(ScheduleNest *nest, Arena *arena, Lowered *lowered) {
    NestListing listing = {nest, arena};
    StmtVisitor visitor = {.data = &listing, .enter = list_statement};
    block_visit(&lowered->program->body, &visitor);
}

/* ---- of the newest good version ---- */

typedef struct Wanted {
    const char *pipeline, *schedule;
    ScheduleNest *nest;
} Wanted;

static void lower_schedule(Editor *editor, Arena *arena, void *data) {
    Wanted *wanted = data;
    hlc *h = editor->good->h;
    const Pipeline *pipeline = module_pipeline(h->module, wanted->pipeline);
    const Schedule *schedule =
        pipeline ? module_schedule(h->module, pipeline, wanted->schedule) : NULL;
    LowerOptions options = {.last = PASS_EAGER, .directives = SIZE_MAX};
    Lowered *lowered = schedule ? lower(pipeline, schedule, h->scratch, &options) : NULL;
    ScheduleNest *nest = arena_new(arena, ScheduleNest);
    nest->pipeline = arena_format(arena, "%s", wanted->pipeline);
    nest->schedule = arena_format(arena, "%s", wanted->schedule);
    if (lowered)
        nest_list(nest, arena, lowered);
    char *text = NULL;
    size_t length = 0;
    FILE *out = lowered ? open_memstream(&text, &length) : NULL;
    if (out) {
        explain_nest(out, lowered, h->scratch, NULL);
        fclose(out);
        nest->explained = arena_text(arena, text, length);
        free(text);
    }
    vec_push(arena, &editor->good->nests, nest);
    wanted->nest = nest;
}

const ScheduleNest *nest_of_schedule(Editor *editor, const char *pipeline, const char *schedule) {
    Reading *good = editor->good;
    for (size_t i = 0; good && i < good->nests.length; i++)
        if (!strcmp(good->nests.data[i]->pipeline, pipeline) &&
            !strcmp(good->nests.data[i]->schedule, schedule))
            return good->nests.data[i];
    Wanted wanted = {.pipeline = pipeline, .schedule = schedule};
    if (!good || !editor_ask_of(editor, good->h, lower_schedule, &wanted))
        return NULL;
    return wanted.nest;
}
