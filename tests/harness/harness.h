/* harness.h -- hostile input: one file each for what reads it, with the entry that libFuzzer and
 * AFL++ call.
 *
 *   program.c      .hl files: the front end and the layout
 *   text_form.c    .ir files: the reader of the text form
 *   expression.c   lines of `hlc simplify`, `prove` and `solve`
 *   image.c        picture files
 *   compile.c      .hl files through the whole compiler, to an object
 *
 *   replay.c       in place of a fuzzer: files, and what seeded mutations make of them (make test)
 *   dictionary.sh  the words of the languages, from the tables, for the fuzzers
 *
 * docs/hostility.md tells how they are run.  Whatever the input, the answer is yes, no, or a
 * diagnostic; a fault of ours ends the process, as a crash does.  The fuzzers limit the time.
 */
#ifndef HLC_TESTS_HARNESS_HARNESS_H
#define HLC_TESTS_HARNESS_HARNESS_H

#include "include/hlc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A handle that may take a gigabyte. */
static inline hlc *harness_create(void) {
    hlc *h = hlc_create();
    if (!h)
        abort();
    hlc_limit_memory(h, (size_t)1 << 30);
    return h;
}

/* The answer, which is no fault of ours; one that is neither yes nor no has been explained. */
static inline hlc_status harness_expect(hlc *h, hlc_status status) {
    bool is_explained = status != HLC_USER || hlc_diagnostic_count(h) > 0;
    if (status != HLC_FAULT && is_explained)
        return status;
    fprintf(stderr, "status %d\n", status);
    hlc_print_diagnostics(h, stderr);
    abort();
}

/* The diagnostics are printed, and the handle is destroyed. */
static inline void harness_destroy(hlc *h, FILE *out) {
    hlc_print_diagnostics(h, out);
    hlc_print_diagnostics_json(h, out);
    hlc_destroy(h);
}

/* What is printed, in memory. */
typedef struct Printed {
    char *text;
    size_t length;
    FILE *out;
} Printed;

static inline Printed *printed_begin(Printed *printed) {
    printed->out = open_memstream(&printed->text, &printed->length);
    if (!printed->out)
        abort();
    return printed;
}

static inline void printed_end(Printed *printed) {
    fclose(printed->out);
}

#endif
