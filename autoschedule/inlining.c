/* inlining.c -- how large bodies become when funcs are inlined.
 *
 * A func that is inlined is put in once for each of its points that one point of its reader needs; equal
 * ones are shared. Of a chain of stencils that are the points of a box, which grows with each stage. Making
 * such bodies only to find that they are too large took most of the time of a search. So their size is
 * estimated: the box is found in numbers, by evaluating the indices at the corners of the reader's box. */
#include "autoschedule/decision.h"
#include "ir/interpret/evaluate.h"

#include <math.h>

enum { CORNER = 1000 /* a place far from the edges, of all variables */ };

/* The points of a func that one point of what is computed needs. */
typedef struct Needed {
    double points;
    double width[MAX_DIMENSIONS];
} Needed;

typedef struct Corner {
    const FuncShape *reader;
    const Needed *needed; /* the upper corner; null: the lower one */
} Corner;

static bool value_at_corner(void *data, Symbol name, Bits *bits) {
    const Corner *corner = data;
    *bits = CORNER;
    for (int d = 0; corner->needed && d < corner->reader->dimensions; d++)
        if (corner->reader->variables[d] == name)
            *bits += (Bits)corner->needed->width[d] - 1;
    return true;
}

/* Adds what a stage reads of the func, if the stage's own func is needed so. */
static void add_reads(Arena *scratch, const Stage *stage, const Func *reader, const Needed *needs,
                      const Func *func, Needed *sum) {
    Exprs accesses = decisions_accesses(scratch, stage, reader);
    Corner low = {reader->shape, NULL}, high = {reader->shape, needs};
    double count = 0, low_at[MAX_DIMENSIONS], high_at[MAX_DIMENSIONS];
    bool is_known = true;
    for (size_t i = 0; i < accesses.length; i++) {
        Expr access = accesses.data[i];
        if (access->name != func->shape->name)
            continue;
        for (int d = 0; d < func->shape->dimensions; d++) {
            Bits from, to;
            is_known = is_known &&
                       expr_evaluate(scratch, access->arguments[d], value_at_corner, &low, &from) &&
                       expr_evaluate(scratch, access->arguments[d], value_at_corner, &high, &to);
            if (!is_known)
                break;
            double least = fmin((double)from, (double)to), most = fmax((double)from, (double)to);
            low_at[d] = count > 0 ? fmin(low_at[d], least) : least;
            high_at[d] = count > 0 ? fmax(high_at[d], most) : most;
        }
        count++;
    }
    if (count == 0)
        return;
    double box = 1;
    for (int d = 0; d < func->shape->dimensions && is_known; d++) {
        double width = high_at[d] - low_at[d] + 1;
        sum->width[d] = fmax(sum->width[d], width);
        box *= width;
    }
    double points = count * needs->points;
    sum->points += is_known ? fmin(points, box) : points;
}

double decisions_inlined_nodes(const Decisions *decisions, const FuncChoice *choices,
                               Arena *scratch) {
    Needed *needed = arena_array(scratch, Needed, decisions->count);
    double nodes = 0;
    for (int f = decisions->count; f-- > 0;) {
        const DecisionSubject *subject = &decisions->subjects[f];
        for (int d = 0; d < MAX_DIMENSIONS; d++)
            needed[f].width[d] = 1;
        if (choices[f].placement != PLACE_INLINE) {
            needed[f].points = 1;
            continue;
        }
        for (size_t i = 0; i < subject->readers.length; i++) {
            Reader reader = subject->readers.data[i];
            const Func *by = decisions->subjects[reader.func].func;
            add_reads(scratch, by->stages.data[reader.stage], by, &needed[reader.func],
                      subject->func, &needed[f]);
        }
        nodes += needed[f].points * subject->nodes;
    }
    return nodes;
}
