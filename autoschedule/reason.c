/* reason.c -- see reason.h. */
#include "autoschedule/reason.h"

#include <math.h>

const char *reason_bytes(Arena *arena, double bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (unit < 3 && bytes >= 10240)
        bytes /= 1024, unit++;
    return arena_format(arena, "%.0f %s", bytes, units[unit]);
}

/* "6 % of its points twice", or "". */
static const char *twice_text(const Reasons *reasons, Symbol func) {
    const FuncEstimate *now = estimate_of(reasons->estimate, func);
    const FuncEstimate *before = estimate_of(reasons->empty, func);
    if (!now || !before || before->points <= 0)
        return "";
    double more = now->points / before->points - 1;
    if (more < 0.005)
        return ", no point twice";
    if (more > 1)
        return arena_format(reasons->arena, ", each point %.1f times", 1 + more);
    return arena_format(reasons->arena, ", %.0f %% of its points twice", fmax(1, 100 * more));
}

const char *reason_of_inlining(const Reasons *reasons, const DecisionSubject *subject) {
    if (!reasons->estimate)
        return "";
    const FuncEstimate *before = estimate_of(reasons->empty, subject->func->shape->name);
    if (!before)
        return "";
    return arena_format(reasons->arena, "cheaper to compute again than to keep %s of it",
                        reason_bytes(reasons->arena, before->bytes));
}

const char *reason_of_level(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice, const DecisionSubject *host,
                            const char *loop) {
    if (!reasons->estimate)
        return "";
    Symbol func = subject->func->shape->name;
    const FuncEstimate *now = estimate_of(reasons->estimate, func);
    const char *kept = choice->placement == PLACE_SLIDE ? "rows kept for the next ones: "
                       : choice->placement == PLACE_ROW ? "what a row needs: "
                       : choice->placement == PLACE_LANES
                           ? "what a vector needs: "
                           : arena_format(reasons->arena, "what an iteration of %s.%s needs: ",
                                          host->func->shape->name->text, loop);
    return arena_format(reasons->arena, "%s%s%s", kept,
                        reason_bytes(reasons->arena, now ? now->bytes : 0),
                        twice_text(reasons, func));
}

const char *reason_of_threads(const Reasons *reasons, const DecisionSubject *subject,
                              const FuncChoice *choice) {
    if (!reasons->estimate)
        return "";
    double length = subject->row >= 0    ? subject->length[subject->row]
                    : subject->lane >= 0 ? subject->length[subject->lane]
                                         : 1;
    (void)choice;
    return arena_format(reasons->arena, "%d threads; the loop has %.0f iterations unsplit",
                        reasons->threads, length);
}

const char *reason_of_lanes(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice) {
    if (!reasons->estimate)
        return "";
    const FuncEstimate *now = estimate_of(reasons->estimate, subject->func->shape->name);
    return arena_format(reasons->arena, "%.1f cycles a point in %d lanes",
                        now && now->points > 0 ? now->cycles / now->points : 0, choice->lanes);
}

const char *reason_of_columns(const Reasons *reasons, const DecisionSubject *subject,
                              const FuncChoice *choice) {
    (void)subject;
    return reasons->estimate
               ? arena_format(reasons->arena,
                              "so that what %d rows of a tile need stays in a cache", choice->rows)
               : "";
}

const char *reason_of_tile(const Reasons *reasons, const FuncChoice *choice) {
    return reasons->estimate
               ? arena_format(reasons->arena, "%d x %d sums at a time stay in registers",
                              choice->vectors * choice->lanes, choice->lines)
               : "";
}

const char *reason_of_whole(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice) {
    (void)subject;
    (void)choice;
    return reasons->estimate ? "the last block moves back, so all are whole: no guards inside" : "";
}

const char *reason_of_unrolling(const Reasons *reasons, const FuncChoice *choice) {
    return reasons->estimate
               ? arena_format(reasons->arena, "%d vectors that do not wait for one another",
                              choice->vectors)
               : "";
}

const char *reason_of_copies(const Reasons *reasons, int length) {
    return reasons->estimate
               ? arena_format(reasons->arena, "%d at these sizes; others have a guard", length)
               : "";
}

const char *reason_of_partial(const Reasons *reasons, const FuncChoice *choice) {
    return reasons->estimate ? arena_format(reasons->arena, "%d partial results, merged at the end",
                                            choice->lanes * choice->vectors)
                             : "";
}

const char *reason_of_lines(const Reasons *reasons, const FuncChoice *choice) {
    return reasons->estimate
               ? arena_format(reasons->arena, "%d rows at once: they share what they read",
                              choice->lines)
               : "";
}

const char *reason_of_tables(const Reasons *reasons, const FuncChoice *choice) {
    return reasons->estimate
               ? arena_format(reasons->arena,
                              "%d tables side by side: an update does not wait for the one before",
                              choice->vectors)
               : "";
}

const char *reason_of_order(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice, int stage) {
    if (!reasons->estimate)
        return "";
    if (stage > 0)
        return choice->sweep == SWEEP_ROWS ? "each step of the reduction updates whole rows"
                                           : "the sums stay in registers over the reduction";
    if (choice->order == ORDER_UNROLLED)
        return "all of a place at once: what its parts share is computed once";
    if (choice->order == ORDER_VECTORS)
        return "all of a place while what it reads is in registers";
    if (choice->order == ORDER_ROWS)
        return "all of a row while what it reads is in the cache";
    (void)subject;
    return "as the blocks need it";
}
