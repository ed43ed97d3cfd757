/* text_form.c -- .ir files: what is read is printed, and what is printed is read as the same. */
#include "tests/harness/harness.h"

/* The program as it is printed after it was read; false where it is refused. */
static bool print(const char *text, size_t length, Printed *printed) {
    hlc *h = harness_create();
    printed_begin(printed);
    hlc_status status = harness_expect(h, hlc_load_text(h, "p.ir", text, length, NULL, NULL));
    if (status == HLC_YES)
        status = harness_expect(h, hlc_lower(h, NULL, NULL, NULL, printed->out));
    harness_destroy(h, printed->out);
    printed_end(printed);
    return status == HLC_YES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Printed once, twice;
    if (print((const char *)data, size, &once)) {
        bool is_read = print(once.text, once.length, &twice);
        if (!is_read || strcmp(once.text, twice.text) != 0) {
            fprintf(stderr, "printed:\n%s\nand again:\n%s\n", once.text, twice.text);
            abort();
        }
        free(twice.text);
    }
    free(once.text);
    return 0;
}
