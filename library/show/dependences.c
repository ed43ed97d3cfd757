/* dependences.c -- prints each recurrence: the reads between its equations, their distances, and
 * the loops that carry them. */
#include "library/compiler.h"

#include "ir/dependence.h"
#include "ir/print.h"
#include "schedule/dependence.h"

#include <string.h>

typedef struct Shown {
    hlc *h;
    const Recurrence *recurrence;
    const Dependences *dependences;
    FILE *out;
} Shown;

static const char *variable_name(const Shown *shown, int variable) {
    return shown->recurrence->domain.data[variable].variable->text;
}

static const char *func_name(const Shown *shown, size_t func) {
    return shown->recurrence->funcs.data[func]->shape->name->text;
}

static void show_domain(const Shown *shown) {
    fputs("recurrence (", shown->out);
    for (size_t d = 0; d < shown->recurrence->domain.length; d++) {
        const ReductionVariable *variable = &shown->recurrence->domain.data[d];
        fprintf(shown->out, "%s%s = (%s, %s)", d ? "; " : "", variable->variable->text,
                expr_words(shown->h->scratch, variable->interval.minimum, NULL),
                expr_words(shown->h->scratch, variable->interval.length, NULL));
    }
    fputs(")\n", shown->out);
}

static void show_dependence(const Shown *shown, const Dependence *dependence) {
    FILE *out = shown->out;
    fprintf(out, "    %s reads %s at distance (", func_name(shown, dependence->reader),
            func_name(shown, dependence->read));
    for (size_t d = 0; d < shown->recurrence->domain.length; d++)
        fprintf(out, "%s%lld", d ? ", " : "", (long long)dependence->distance[d]);
    const size_t *part_of = shown->dependences->part_of;
    if (part_of[dependence->reader] != part_of[dependence->read])
        fputs("), of a part before\n", out);
    else if (dependence->carrier < 0)
        fputs("), within one iteration\n", out);
    else
        fprintf(out, "), carried by %s\n", variable_name(shown, dependence->carrier));
}

/* Prints the variables that carry no dependence, batch variables included. */
static void show_free(const Shown *shown, const DependencePart *part) {
    const Recurrence *recurrence = shown->recurrence;
    const FuncShape *shape = recurrence->funcs.data[0]->shape;
    const char *free = "";
    for (int k = 0; k < shape->dimensions; k++) {
        bool carries = false;
        for (size_t i = 0; i < part->inner.length; i++) {
            int carrier = part->inner.data[i]->carrier;
            carries = carries || (carrier >= 0 &&
                                  recurrence->domain.data[carrier].variable == shape->variables[k]);
        }
        if (!carries)
            free = arena_format(shown->h->scratch, "%s%s%s", free, free[0] ? ", " : "",
                                shape->variables[k]->text);
    }
    if (free[0])
        fprintf(shown->out, "    no dependence is carried by %s\n", free);
}

/* Are both reads of the same place, as of two components of a tuple? */
static bool is_same_read(const Dependence *a, const Dependence *b) {
    return a->reader == b->reader && a->read == b->read &&
           !memcmp(a->distance, b->distance, sizeof a->distance);
}

static void show_part(const Shown *shown, size_t number) {
    const DependencePart *part = &shown->dependences->parts.data[number];
    fputs("  part", shown->out);
    for (size_t f = 0; f < part->funcs.length; f++)
        fprintf(shown->out, "%s %s", f ? "," : "", func_name(shown, part->funcs.data[f]));
    fputs(", loops from the outermost in:", shown->out);
    for (size_t d = 0; d < shown->recurrence->domain.length; d++)
        fprintf(shown->out, "%s %s", d ? "," : "", variable_name(shown, part->order[d]));
    fputc('\n', shown->out);
    for (size_t i = 0; i < shown->dependences->all.length; i++) {
        const Dependence *dependence = &shown->dependences->all.data[i];
        bool is_again = i > 0 && is_same_read(dependence, dependence - 1);
        if (shown->dependences->part_of[dependence->reader] == number && !is_again)
            show_dependence(shown, dependence);
    }
    show_free(shown, part);
}

/* ---- under a schedule ---- */

/* The loops of the func's update under the schedule. */
typedef struct LoopsFound {
    Arena *arena;
    LoopNest nest;
    Vec(const Stmt *) loops;
} LoopsFound;

static bool find_loop(void *data, Stmt *stmt) {
    LoopsFound *found = data;
    bool is_own = stmt->kind == STMT_FOR && stmt->loop.name.func == found->nest.func->shape->name &&
                  stmt->loop.name.stage == found->nest.stage;
    if (is_own) {
        NestLoop loop = {stmt->loop.name.variable, stmt->loop.pure, stmt->loop.origin};
        vec_push(found->arena, &found->nest.loops, loop);
        vec_push(found->arena, &found->loops, stmt);
    }
    return true;
}

static const char *loop_name(const LoopsFound *found, size_t loop) {
    return found->loops.data[loop]->loop.name.variable->text;
}

static void show_loops(const LoopsFound *found, FILE *out) {
    const Stage *stage = found->nest.func->stages.data[found->nest.stage];
    fprintf(out, "  nest %s, distances in (", found->nest.func->shape->name->text);
    for (size_t r = 0; r < stage->reduction.length; r++)
        fprintf(out, "%s%s", r ? ", " : "", stage->reduction.data[r].variable->text);
    fputs("), loops from the outermost in:", out);
    for (size_t i = 0; i < found->loops.length; i++) {
        Traversal traversal = found->loops.data[i]->loop.traversal;
        fprintf(out, "%s %s%s%s", i ? "," : "", loop_name(found, i),
                traversal == TRAVERSE_SERIAL ? "" : " ",
                traversal == TRAVERSE_SERIAL ? "" : traversal_text(traversal));
    }
    fputc('\n', out);
}

/* "t", "i_o or i_i" */
static const char *carriers_text(const LoopsFound *found, const bool *carriers) {
    const char *text = "";
    for (size_t i = 0; i < found->loops.length; i++)
        if (carriers[i])
            text = arena_format(found->arena, "%s%s%s", text, text[0] ? " or " : "",
                                loop_name(found, i));
    return text;
}

static void show_distances(const LoopsFound *found, FILE *out) {
    Arena *arena = found->arena;
    const Stage *stage = found->nest.func->stages.data[found->nest.stage];
    bool *carriers = arena_array(arena, bool, found->loops.length + 1);
    bool *carries = arena_array(arena, bool, found->loops.length + 1);
    for (size_t d = 0; d < stage->distances.length; d++) {
        bool is_known = dependence_carriers(&found->nest, d, carriers);
        fputs("    distance (", out);
        for (size_t r = 0; r < stage->reduction.length; r++)
            fprintf(out, "%s%lld", r ? ", " : "", (long long)stage->distances.data[d][r]);
        fprintf(out, ")%s%s\n", is_known ? ", carried by " : "",
                is_known ? carriers_text(found, carriers) : ": too much is split to tell by what");
        for (size_t i = 0; i < found->loops.length; i++)
            carries[i] = carries[i] || carriers[i] || !is_known;
    }
    for (size_t i = 0; i < found->loops.length; i++)
        if (!carries[i])
            fprintf(out,
                    "    %s carries none: each distance is carried outside of it, or zero in it\n",
                    loop_name(found, i));
}

static hlc_status show_scheduled(hlc *h, const Pipeline *pipeline, const char *schedule,
                                 FILE *out) {
    Lowered *lowered = compiler_lower(h, pipeline, schedule, PASS_SCHEDULE, SIZE_MAX);
    if (!lowered || !compiler_accepts(h, pipeline, schedule))
        return HLC_USER;
    fprintf(out, "under schedule %s\n", schedule);
    for (size_t i = 0; i < lowered->pipeline->funcs.length; i++) {
        const Func *func = lowered->pipeline->funcs.data[i];
        const FuncSites *sites = program_func(lowered->program, func->shape->name);
        if (!func->realised || !sites || !sites->computes.length)
            continue;
        LoopsFound found = {.arena = h->scratch, .nest = {.func = func, .stage = 1}};
        block_visit(&sites->computes.data[0]->compute.body,
                    &(StmtVisitor){&found, find_loop, NULL});
        show_loops(&found, out);
        show_distances(&found, out);
    }
    return HLC_YES;
}

static hlc_status show(hlc *h, void *data) {
    const ShowRequest *asked = data;
    const Pipeline *pipeline = compiler_pipeline(h, asked->pipeline);
    if (!pipeline)
        return HLC_USER;
    if (pipeline->recurrences.length == 0)
        fputs("no recurrence\n", asked->out);
    for (size_t r = 0; r < pipeline->recurrences.length; r++) {
        const Recurrence *recurrence = pipeline->recurrences.data[r];
        const Dependences *dependences = dependences_create(pipeline, h->scratch, recurrence);
        Shown shown = {h, recurrence, dependences, asked->out};
        show_domain(&shown);
        for (size_t p = 0; p < dependences->parts.length; p++)
            show_part(&shown, p);
    }
    if (!compiler_schedule_is_named(asked->schedule))
        return HLC_YES;
    return show_scheduled(h, pipeline, asked->schedule, asked->out);
}

hlc_status hlc_explain_dependences(hlc *h, const char *pipeline, const char *schedule, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest asked = {.pipeline = pipeline, .schedule = schedule, .out = out};
    return compiler_enter(h, show, &asked);
}
