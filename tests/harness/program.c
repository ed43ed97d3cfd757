/* program.c -- .hl files: what is accepted has a layout, and the layout stays as it is. */
#include "tests/harness/harness.h"

#include <sys/mman.h>
#include <unistd.h>

/* The text in the layout; false where it does not parse. */
static bool format(const char *text, size_t length, Printed *printed, bool *is_formatted) {
    char path[64];
    int file = memfd_create("program.hl", 0);
    if (file < 0 || write(file, text, length) != (ssize_t)length)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hlc *h = harness_create();
    printed_begin(printed);
    hlc_status status = harness_expect(h, hlc_format(h, path, is_formatted, printed->out));
    printed_end(printed);
    hlc_destroy(h);
    close(file);
    return status == HLC_YES;
}

static void check_layout(const char *text, size_t length) {
    Printed once, twice;
    bool is_formatted = false;
    if (format(text, length, &once, &is_formatted)) {
        bool parses = format(once.text, once.length, &twice, &is_formatted);
        if (!parses || !is_formatted) {
            fprintf(stderr, "the layout is no layout:\n%s\n----\n%s\n", once.text, twice.text);
            abort();
        }
        free(twice.text);
    }
    free(once.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Printed printed;
    hlc *h = harness_create();
    printed_begin(&printed);
    harness_expect(h, hlc_load_text(h, "p.hl", (const char *)data, size, NULL, NULL));
    harness_destroy(h, printed.out);
    printed_end(&printed);
    free(printed.text);
    check_layout((const char *)data, size);
    return 0;
}
