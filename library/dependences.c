/* dependences.c -- of each recurrence: which reads its equations make of each other, at what
 * distances, and which loops carry them. */
#include "library/compiler.h"

#include "ir/dependence.h"
#include "ir/print.h"

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

/* The variables that carry nothing, batch variables too. */
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

/* Both components of a tuple, say, are read at one place. */
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

typedef struct Asked {
    const char *pipeline;
    FILE *out;
} Asked;

static hlc_status show(hlc *h, void *data) {
    const Asked *asked = data;
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
    return HLC_YES;
}

hlc_status hlc_explain_dependences(hlc *h, const char *pipeline, FILE *out) {
    Asked asked = {pipeline, out};
    return compiler_enter(h, show, &asked);
}
