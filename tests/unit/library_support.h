/* library_support.h -- programs loaded through include/hlc.h: for the tests of library/. */
#ifndef HLC_TESTS_UNIT_LIBRARY_SUPPORT_H
#define HLC_TESTS_UNIT_LIBRARY_SUPPORT_H

#include "include/hlc.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with this text; its path lives until the next call. */
static inline const char *write_file(const char *ending, const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/hlc_library_%d%s", (int)getpid(), ending);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static inline hlc *load_text(const char *text) {
    hlc *h = hlc_create();
    const char *path = write_file(".hl", text);
    hlc_status status = hlc_load(h, path);
    unlink(path);
    if (status != HLC_YES)
        hlc_print_diagnostics(h, stderr);
    ck_assert_int_eq(status, HLC_YES);
    return h;
}

static inline char *diagnostics(const hlc *h) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    hlc_print_diagnostics(h, out);
    fclose(out);
    return text;
}

static inline void expect_diagnostic(const hlc *h, const char *code) {
    char *text = diagnostics(h);
    ck_assert_msg(strstr(text, code), "%s is not in: %s", code, text);
    free(text);
}

#endif
