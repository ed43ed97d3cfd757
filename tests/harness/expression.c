/* expression.c -- lines of `hlc simplify`, `prove` and `solve`. */
#include "tests/harness/harness.h"

enum { LONGEST = 400 }; /* such lines may take their time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const hlc_expression_options PLAIN = {.variable = "x"};
    static const hlc_expression_options OTHER = {.variable = "y", .witness = true, .machine = true};
    char line[LONGEST + 1];
    if (size > LONGEST)
        return 0;
    memcpy(line, data, size);
    line[size] = 0;
    Printed printed;
    hlc *h = harness_create();
    printed_begin(&printed);
    if (harness_expect(h, hlc_simplify(h, line, &PLAIN, printed.out)) == HLC_YES) {
        harness_expect(h, hlc_simplify(h, line, &OTHER, printed.out));
        harness_expect(h, hlc_prove(h, line, &PLAIN, printed.out));
        harness_expect(h, hlc_prove(h, line, &OTHER, printed.out));
        harness_expect(h, hlc_solve(h, line, &PLAIN, printed.out));
        harness_expect(h, hlc_solve(h, line, &OTHER, printed.out));
    }
    harness_destroy(h, printed.out);
    printed_end(&printed);
    free(printed.text);
    return 0;
}
