/* print.c -- prints a chosen schedule: directives as people write them, each with its reason. */
#include "autoschedule/autoschedule.h"

#include "autoschedule/reason.h"

#include <math.h>
#include <string.h>

enum { REASON_COLUMN = 60 };

static void print_directive(FILE *out, const char *text, const char *reason) {
    int length = fprintf(out, "    %s;", text);
    if (*reason)
        fprintf(out, "%*s// %s", length < REASON_COLUMN ? REASON_COLUMN - length : 2, "", reason);
    fputc('\n', out);
}

void autoschedule_print(const Autoscheduled *result, const Pipeline *pipeline, Symbol name,
                        Arena *arena, FILE *out) {
    fprintf(out, "schedule %s for %s%s%s {\n", name->text, pipeline->signature.name->text,
            result->extends ? " extends " : "", result->extends ? result->extends : "");
    for (size_t i = result->kept; result->schedule && i < result->schedule->directives.length; i++)
        print_directive(out, directive_text(arena, &result->schedule->directives.data[i]),
                        result->reasons.data[i]);
    if (result->obstacle)
        fprintf(out, "    // %s%s: %s\n", result->base, result->schedule ? " as it is" : "",
                result->obstacle);
    else
        fprintf(out,
                "    // predicted: %.3g of the time of %s; %s of memory, which "
                "takes %s\n",
                result->cycles / fmax(1, result->empty_cycles), result->base,
                reason_bytes(arena, result->bytes), reason_bytes(arena, result->empty_bytes));
    for (int i = 0; i < result->ratio_count && !result->obstacle; i++)
        fprintf(out, "    // predicted at %.3g times these sizes: %.3g of the time of %s\n",
                result->scales[i], result->ratios[i], result->base);
    if (result->empty_time > 0)
        fprintf(out,
                "    // measured: %.4g ms; %s %.4g ms, the model's choice %.4g ms; "
                "%d were measured\n",
                1e3 * result->time, result->base, 1e3 * result->empty_time,
                1e3 * result->predicted_time, result->measured);
    if (result->dropped && !result->obstacle)
        fprintf(out, "    // %d that are predicted to be faster were dropped: %s\n",
                result->dropped, result->dropped_why);
    fprintf(out, "    // of %d candidates, %d were refused%s\n}\n", result->candidates,
            result->refused,
            result->is_cut ? "; the search ended early: lowering a candidate takes long" : "");
}
