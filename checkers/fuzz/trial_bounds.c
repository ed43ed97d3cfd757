/* trial_bounds.c -- checks B(S) of the bounds on the trial's input, and counts exact regions. */
#include "checkers/fuzz/trial.h"

#include "checkers/query/query.h"

#include <string.h>

bool trial_value(void *data, Symbol name, Bits *bits) {
    const CaseTrial *trial = data;
    return argument_variable(&trial->pipeline->signature, &trial->arguments, trial->context, name,
                             bits);
}

/* Is it an image whose coordinates are taken modulo its extents, or a wrap of one, `in0_w`?  Then
 * its stated region is the image's own extents. */
static bool is_folded(const Case *c, Symbol name) {
    for (int i = 0; i < c->image_count; i++)
        if (strncmp(c->images[i].name, name->text, strlen(c->images[i].name)) == 0)
            return c->images[i].boundary &&
                   (strncmp(c->images[i].boundary, "mirror", 6) == 0 ||
                    strncmp(c->images[i].boundary, "repeat_image", 12) == 0);
    return false;
}

static void count_regions(CaseTrial *trial, const QueryAnswer *answer) {
    for (size_t i = 0; i < answer->slack.length; i++) {
        const QuerySlack *slack = &answer->slack.data[i];
        bool affine = trial->c->affine && !is_folded(trial->c, slack->func);
        RegionCounts *counts = &trial->result->regions[affine];
        counts->all += slack->computed > 0;
        counts->wide += slack->unread > 0;
        counts->unasked += slack->unasked > 0;
    }
}

void trial_ask_bounds(CaseTrial *trial, const Lowered *lowered) {
    Arena *arena = arena_create(&trial->context->memory);
    QueryOptions options = {trial_value, trial, random_bits(&trial->random), 300000};
    trial_begin(trial);
    QueryAnswer answer =
        bounds_query(lowered->program, lowered->pipeline, lowered->bounds, arena, &options);
    if (answer.violation)
        trial_conclude(trial, VERDICT_DIFFERS, "", "bounds: %s", answer.violation);
    if (!answer.violation && !answer.refused && answer.finished && !trial_has_empty_window(trial))
        count_regions(trial, &answer);
    arena_destroy(arena);
}
