/* compile.c -- .hl files through the whole compiler: each pipeline under each of its schedules is
 * explained, lowered and made an object, in this process. */
#include "tests/harness/harness.h"

static void try_schedule(hlc *h, const char *pipeline, const char *schedule, FILE *out) {
    if (harness_expect(h, hlc_lower(h, pipeline, schedule, NULL, out)) != HLC_YES)
        return;
    harness_expect(h, hlc_explain(h, pipeline, schedule, NULL, out));
    harness_expect(h, hlc_bounds(h, pipeline, schedule, out));
    harness_expect(h, hlc_compile(h, pipeline, schedule,
                                  &(hlc_compile_options){.optimize = 0, .header = out}, out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Printed printed;
    hlc *h = harness_create();
    printed_begin(&printed);
    hlc_status status =
        harness_expect(h, hlc_load_text(h, "p.hl", (const char *)data, size, NULL, NULL));
    for (size_t i = 0; status == HLC_YES && i < hlc_pipeline_count(h); i++)
        try_schedule(h, hlc_pipeline_name(h, i), NULL, printed.out);
    for (size_t i = 0; status == HLC_YES && i < hlc_schedule_count(h); i++)
        try_schedule(h, hlc_schedule_pipeline(h, i), hlc_schedule_name(h, i), printed.out);
    harness_destroy(h, printed.out);
    printed_end(&printed);
    free(printed.text);
    return 0;
}
