/* error.c -- errors of compiled pipelines: their names, their messages, and the one handler.
 *
 * The table is hlc_errors.def. A failing pipeline fills an hlc_report on its caller's stack, so
 * threads share nothing. Only the plain entry NAME calls the handler. It is a process-wide
 * variable, and atomic.
 */
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Atomic(hlc_error_handler *) current_handler;

typedef struct ErrorInfo {
    int number;
    const char *name, *format;
} ErrorInfo;

static const ErrorInfo errors[] = {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) {NUMBER, TEXT, MESSAGE},
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
};

enum {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) ROW_##NAME,
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
};

/* Two rows with one number do not compile. */
static const ErrorInfo *find(int error) {
    switch (error) {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE)                                                     \
    case NUMBER:                                                                                   \
        return &errors[ROW_##NAME];
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    default:
        return NULL;
    }
}

const char *hlc_error_name(int error) {
    const ErrorInfo *info = find(error);
    return info ? info->name : NULL;
}

const char *hlc_error_format(int error) {
    const ErrorInfo *info = find(error);
    return info ? info->format : NULL;
}

/* Prints the number in the manner that hlc_errors.def gives it. */
static void print_number(char *text, size_t size, int64_t number, int64_t manner) {
    if (manner == 1) {
        double value;
        memcpy(&value, &number, sizeof value);
        snprintf(text, size, "%.7g", value);
    } else if (manner == 2) {
        snprintf(text, size, "%" PRIu64, (uint64_t)number);
    } else {
        snprintf(text, size, "%" PRId64, number);
    }
}

/* Is `text` a hole, `{0}` or `{0:3}`?  Returns its length, or 0; `*manner` is -1 in the first form.
 */
static int parse_hole(const char *text, int *number, int *manner) {
    *manner = -1;
    if (text[0] != '{' || text[1] < '0' || text[1] > '9')
        return 0;
    *number = text[1] - '0';
    if (text[2] == '}')
        return 3;
    if (text[2] != ':' || text[3] < '0' || text[3] > '9' || text[4] != '}')
        return 0;
    *manner = text[3] - '0';
    return 5;
}

int hlc_error_message(char *buffer, int size, int error, const char *subject,
                      const int64_t *numbers, int count) {
    const char *format = hlc_error_format(error);
    int length = 0;
    if (!format)
        format = "unknown error %s";
    for (const char *at = format; *at;) {
        char text[32] = {*at, 0};
        const char *piece = text;
        int number, manner, hole = parse_hole(at, &number, &manner);
        if (at[0] == '%' && at[1] == 's') {
            piece = subject ? subject : "";
            at += 2;
        } else if (hole) {
            int64_t how = manner >= 0 && manner < count ? numbers[manner] : 0;
            if (number < count)
                print_number(text, sizeof text, numbers[number], how);
            else
                piece = "?";
            at += hole;
        } else {
            at++;
        }
        for (; *piece && length < size - 1; piece++)
            buffer[length++] = *piece;
    }
    buffer[length] = 0;
    return length;
}

hlc_error_handler *hlc_set_error_handler(hlc_error_handler *handler) {
    return atomic_exchange(&current_handler, handler);
}

int hlc_fail(hlc_report *report, int error, const char *subject, const int64_t *numbers,
             int count) {
    report->error = error;
    hlc_error_message(report->message, sizeof report->message, error, subject, numbers, count);
    return error;
}

int hlc_raise(const hlc_report *report) {
    hlc_error_handler *handler = atomic_load(&current_handler);
    if (handler)
        handler(NULL, report->error, report->message);
    else
        fprintf(stderr, "error: %s\n", report->message);
    return report->error;
}
