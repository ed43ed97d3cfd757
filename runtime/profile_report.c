/* profile_report.c -- what profile.c has counted, in milliseconds and as a table.
 *
 * A call's time is measured, and divided as the samples say. A thread's time is a share of the
 * samples, too: a stage that has as many samples as there are samples of calls keeps one thread
 * busy for the whole time.
 */
#include "runtime/profile.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

static double milliseconds(const hlc_profile *profile) {
    return (double)profile->nanoseconds / 1e6;
}

/* ---- totals ---- */

void hlc_profile_read(const hlc_profile *profile, hlc_profile_totals *totals) {
    profile_lock();
    double samples = (double)profile->samples, parallel = (double)profile->parallel_samples;
    *totals =
        (hlc_profile_totals){.pipeline = profile->pipeline,
                             .calls = profile->calls,
                             .samples = profile->samples,
                             .milliseconds = milliseconds(profile),
                             .busy = ratio((double)profile->busy, samples),
                             .parallel_share = ratio(parallel, samples),
                             .parallel_busy = ratio((double)profile->parallel_busy, parallel)};
    profile_unlock();
}

/* ---- rows ---- */

/* Equal texts may have different addresses. */
static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_func(const hlc_profile_site *a, const hlc_profile_site *b) {
    return a->kind == b->kind && is_same_text(a->func, b->func);
}

static bool is_same_row(const hlc_profile_site *a, const hlc_profile_site *b) {
    return is_same_func(a, b) && is_same_text(a->stage, b->stage);
}

static bool is_first(const hlc_profile *profile, int64_t i) {
    for (int64_t k = 0; k < i; k++)
        if (is_same_row(profile->sites[k], profile->sites[i]))
            return false;
    return true;
}

static const char *stage_name(const hlc_profile *profile, const hlc_profile_site *site) {
    for (int64_t i = 0; i < profile->site_count; i++)
        if (is_same_func(profile->sites[i], site) && !is_same_row(profile->sites[i], site))
            return site->stage;
    return site->stage ? "" : NULL;
}

/* Joins the sites of one row. What is known of the code is that of the site with most samples. */
static hlc_profile_row join(const hlc_profile *profile, int64_t first) {
    const hlc_profile_site *of = profile->sites[first], *most = of;
    uint64_t samples = 0, parallel = 0;
    double share = 0;
    for (int64_t i = first; i < profile->site_count; i++) {
        const hlc_profile_site *site = profile->sites[i];
        if (!is_same_row(site, of))
            continue;
        samples += site->samples;
        parallel += site->is_parallel ? site->samples : 0;
        share += site->share;
        most = site->samples > most->samples ? site : most;
    }
    share = ratio(share, (double)profile->samples);
    hlc_profile_row row = {.kind = (hlc_profile_kind)of->kind,
                           .func = of->func,
                           .stage = stage_name(profile, of),
                           .share = share,
                           .milliseconds = share * milliseconds(profile),
                           .thread_milliseconds = ratio((double)samples, (double)profile->samples) *
                                                  milliseconds(profile),
                           .is_parallel = 2 * parallel > samples,
                           .lanes = most->lanes,
                           .operations = most->operations,
                           .bytes = most->bytes,
                           .samples = samples};
    memcpy(row.accesses, most->accesses, sizeof row.accesses);
    return row;
}

/* Keeps the rows in order, and the first `most` of them. */
static void insert(hlc_profile_row *rows, int count, int most, const hlc_profile_row *row) {
    int at = count < most ? count : most;
    while (at > 0 && rows[at - 1].share < row->share) {
        if (at < most)
            rows[at] = rows[at - 1];
        at--;
    }
    if (at < most)
        rows[at] = *row;
}

int hlc_profile_rows(const hlc_profile *profile, hlc_profile_row *rows, int most) {
    int count = 0;
    profile_lock();
    for (int64_t i = 0; i < profile->site_count; i++) {
        if (!is_first(profile, i))
            continue;
        hlc_profile_row row = join(profile, i);
        if (row.samples)
            insert(rows, count++, most, &row);
    }
    profile_unlock();
    return count;
}

/* ---- the table ---- */

typedef struct ReportText {
    char *buffer;
    int size, length;
} ReportText;

__attribute__((format(printf, 2, 3))) static void put(ReportText *text, const char *format, ...) {
    va_list arguments;
    int room = text->size > text->length ? text->size - text->length : 0;
    va_start(arguments, format);
    int length =
        vsnprintf(room ? text->buffer + text->length : NULL, (size_t)room, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? length : 0;
}

static void put_row(ReportText *text, const hlc_profile_row *row, double calls) {
    static const char *const around[] = {[HLC_PROFILE_CALL] = "(the call itself)",
                                         [HLC_PROFILE_WAIT] = "(parallel loops: no thread)"};
    put(text, "%10.3f %6.1f %10.3f  ", row->milliseconds / calls, 100 * row->share,
        row->thread_milliseconds / calls);
    if (row->func)
        put(text, "%s%s%s%s\n", row->kind == HLC_PROFILE_COPY ? "(copy of) " : "", row->func,
            *row->stage ? "." : "", row->stage);
    else
        put(text, "%s\n", around[row->kind]);
}

int hlc_profile_text(char *buffer, int size, const hlc_profile *profile) {
    enum { MOST_ROWS = 100 };
    ReportText text = {.buffer = buffer, .size = size};
    hlc_profile_row rows[MOST_ROWS];
    hlc_profile_totals totals;
    *buffer = 0;
    hlc_profile_read(profile, &totals);
    int count = hlc_profile_rows(profile, rows, MOST_ROWS);
    double calls = totals.calls ? (double)totals.calls : 1;
    put(&text, "%s: %llu calls of %.3f ms, %.2f threads busy\n", totals.pipeline,
        (unsigned long long)totals.calls, totals.milliseconds / calls, totals.busy);
    put(&text, "%10s %6s %10s  a call\n", "time ms", "%", "threads ms");
    for (int i = 0; i < count && i < MOST_ROWS; i++)
        put_row(&text, &rows[i], calls);
    if (count > MOST_ROWS)
        put(&text, "and %d more\n", count - MOST_ROWS);
    return text.length;
}
