/* print.c -- prints a profile as a table and as JSON. */
#include "driver/profile/profile.h"

#include <jansson.h>
#include <string.h>

static const char *const KINDS[] = {[HLC_PROFILE_STAGE] = "stage",
                                    [HLC_PROFILE_CALL] = "call",
                                    [HLC_PROFILE_COPY] = "copy",
                                    [HLC_PROFILE_WAIT] = "wait"};
static const char *const ACCESSES[] = {[HLC_ACCESS_BROADCAST] = "broadcast",
                                       [HLC_ACCESS_DENSE] = "dense",
                                       [HLC_ACCESS_STRIDED] = "strided",
                                       [HLC_ACCESS_GATHERED] = "gathered"};

void profile_accesses_text(const hlc_profile_row *row, char *text, size_t size) {
    static const int order[] = {HLC_ACCESS_DENSE, HLC_ACCESS_STRIDED, HLC_ACCESS_GATHERED,
                                HLC_ACCESS_BROADCAST};
    text[0] = 0;
    for (int i = 0; i < HLC_ACCESS_KINDS; i++) {
        size_t used = strlen(text);
        if (row->accesses[order[i]])
            snprintf(text + used, size - used, "%s%d %s", used ? ", " : "",
                     (int)row->accesses[order[i]], ACCESSES[order[i]]);
    }
}

void profile_row_name(const hlc_profile_row *row, char *text, size_t size) {
    if (row->kind == HLC_PROFILE_CALL)
        snprintf(text, size, "(the call itself)");
    else if (row->kind == HLC_PROFILE_WAIT)
        snprintf(text, size, "(parallel loops: no thread computes)");
    else if (row->kind == HLC_PROFILE_COPY)
        snprintf(text, size, "(copy of %s)", row->func);
    else
        snprintf(text, size, "%s%s%s", row->func, *row->stage ? "." : "", row->stage);
}

double profile_thread_ms(const ProfileReport *report, const hlc_profile_row *row) {
    double samples = (double)report->totals.samples;
    return samples > 0 ? report->profiled_ms * (double)row->samples / samples : 0;
}

/* The bytes that a run reads and writes in a pure stage; negative: unknown. Nobody counts how often an update
 * runs, and code inside and outside of parallel loops are two rows of one func. */
static double accessed_bytes(const ProfileReport *report, const hlc_profile_row *row) {
    const FuncCount *func =
        row->kind == HLC_PROFILE_STAGE ? profile_find_func(&report->counts, row->func) : NULL;
    bool is_pure = func && (!*row->stage || strcmp(row->stage, "s0") == 0);
    for (int i = 0; i < report->row_count && is_pure; i++) {
        const hlc_profile_row *other = &report->rows[i];
        is_pure = other == row || other->kind != row->kind || strcmp(other->func, row->func) != 0 ||
                  strcmp(other->stage, row->stage) != 0;
    }
    return is_pure && row->bytes ? func->points * row->bytes : -1;
}

/* ---- for people ---- */

/* What is known of a stage's code. */
static void print_code(const ProfileReport *report, const hlc_profile_row *row, FILE *out) {
    double accessed = accessed_bytes(report, row);
    if (accessed >= 0)
        fprintf(out, " %8.1f", accessed / 1e6);
    else
        fprintf(out, " %8s", "");
    if (row->lanes)
        fprintf(out, " %6d", (int)row->lanes);
    else
        fprintf(out, " %6s", row->kind == HLC_PROFILE_STAGE ? "-" : "");
    if (row->bytes)
        fprintf(out, " %6.2f", (double)row->operations / row->bytes);
    else
        fprintf(out, " %6s", "");
    int64_t spills = profile_spills_of(report, row);
    if (spills >= 0)
        fprintf(out, " %6lld", (long long)spills);
    else
        fprintf(out, " %6s", "");
}

static void print_row(const ProfileReport *report, const hlc_profile_row *row, FILE *out) {
    char name[200], accesses[120];
    const FuncCount *func =
        row->kind == HLC_PROFILE_STAGE ? profile_find_func(&report->counts, row->func) : NULL;
    profile_row_name(row, name, sizeof name);
    profile_accesses_text(row, accesses, sizeof accesses);
    fprintf(out, "%10.3f %6.1f %10.3f", row->share * report->profiled_ms, 100 * row->share,
            profile_thread_ms(report, row));
    if (func && func->distinct > 0)
        fprintf(out, " %12.0f %6.2f", func->points, func->points / func->distinct);
    else
        fprintf(out, " %12s %6s", "", "");
    print_code(report, row, out);
    fprintf(out, "  %s%s%s%s\n", name, *accesses ? " (" : "", accesses, *accesses ? ")" : "");
}

static void print_head(const ProfileReport *report, FILE *out) {
    fprintf(
        out, "%s under %s%s, %d thread%s: %.3f ms a run (%.3f with the profile), %llu samples\n\n",
        report->pipeline, report->schedule ? "schedule " : "the empty schedule",
        report->schedule ? report->schedule : "", report->threads, report->threads == 1 ? "" : "s",
        report->plain_ms, report->profiled_ms, (unsigned long long)report->totals.samples);
    fprintf(out, "%10s %6s %10s %12s %6s %8s %6s %6s %6s  %s\n", "time ms", "%", "threads ms",
            "points", "times", "MB", "lanes", "op/B", "spills",
            "stage (vector accesses in its code)");
}

static void print_tail(const ProfileReport *report, FILE *out) {
    const hlc_profile_totals *totals = &report->totals;
    const RunCounts *counts = &report->counts;
    fprintf(out, "\nthreads: %.2f of %d compute on average", totals->busy, report->threads);
    if (totals->parallel_share > 0)
        fprintf(out, "; parallel loops take %.1f %% of the time, and %.2f compute in them",
                100 * totals->parallel_share, totals->parallel_busy);
    fprintf(out,
            "\nmemory: %.3f MB of inputs and outputs; with one thread at most %.3f MB "
            "allocated, in %lld blocks\n",
            report->image_bytes / 1e6, counts->peak / 1e6, (long long)counts->blocks);
    fprintf(out, "arguments: %.3f ms to read or make", report->reading_ms);
    if (report->writing_ms >= 0)
        fprintf(out, "; outputs: %.3f ms to write", report->writing_ms);
    fputs("\n\n", out);
    for (int i = 0; i < report->reason_count; i++)
        fprintf(out, "%s\n", report->reasons[i].sentence);
}

void profile_print(const ProfileReport *report, FILE *out) {
    print_head(report, out);
    for (int i = 0; i < report->row_count; i++)
        print_row(report, &report->rows[i], out);
    print_tail(report, out);
}

/* ---- for programs ---- */

static json_t *row_json(const ProfileReport *report, const hlc_profile_row *row) {
    json_t *object = json_pack("{s:s, s:s?, s:s?, s:f, s:f, s:f, s:b, s:i, s:I}", "kind",
                               KINDS[row->kind], "func", row->func, "stage", row->stage, "ms",
                               row->share * report->profiled_ms, "share", row->share, "threads_ms",
                               profile_thread_ms(report, row), "parallel", (int)row->is_parallel,
                               "lanes", (int)row->lanes, "samples", (json_int_t)row->samples);
    json_t *accesses = json_object();
    for (int i = 0; i < HLC_ACCESS_KINDS; i++)
        json_object_set_new(accesses, ACCESSES[i], json_integer(row->accesses[i]));
    json_object_set_new(object, "accesses", accesses);
    if (row->bytes)
        json_object_update_new(object, json_pack("{s:i, s:i}", "operations", (int)row->operations,
                                                 "bytes", (int)row->bytes));
    if (accessed_bytes(report, row) >= 0)
        json_object_set_new(object, "accessed_bytes", json_real(accessed_bytes(report, row)));
    int64_t spills = profile_spills_of(report, row);
    if (spills >= 0)
        json_object_set_new(object, "spills", json_integer(spills));
    const FuncCount *func =
        row->kind == HLC_PROFILE_STAGE ? profile_find_func(&report->counts, row->func) : NULL;
    if (func)
        json_object_update_new(object,
                               json_pack("{s:I, s:f, s:f}", "computes", (json_int_t)func->times,
                                         "points", func->points, "region", func->distinct));
    return object;
}

static json_t *whole_json(const ProfileReport *report) {
    const hlc_profile_totals *totals = &report->totals;
    const RunCounts *counts = &report->counts;
    json_t *rows = json_array(), *reasons = json_array();
    for (int i = 0; i < report->row_count; i++)
        json_array_append_new(rows, row_json(report, &report->rows[i]));
    for (int i = 0; i < report->reason_count; i++)
        json_array_append_new(reasons, json_pack("{s:s, s:f, s:s}", "kind", report->reasons[i].kind,
                                                 "weight", report->reasons[i].weight, "sentence",
                                                 report->reasons[i].sentence));
    json_t *whole = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:I, s:I}", "hlc", hlc_version(), "file",
        report->command->operands[0], "pipeline", report->pipeline, "schedule",
        report->schedule ? report->schedule : "", "threads", report->threads, "run_ms",
        report->plain_ms, "profiled_run_ms", report->profiled_ms, "profile_cost", report->cost,
        "runs", (json_int_t)totals->calls, "samples", (json_int_t)totals->samples);
    json_object_update_new(
        whole, json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:f}", "busy_threads", totals->busy,
                         "parallel_share", totals->parallel_share, "parallel_busy_threads",
                         totals->parallel_busy, "image_bytes", report->image_bytes,
                         "peak_bytes_one_thread", counts->peak, "blocks_one_thread",
                         (json_int_t)counts->blocks, "reading_ms", report->reading_ms));
    if (report->writing_ms >= 0)
        json_object_set_new(whole, "writing_ms", json_real(report->writing_ms));
    json_object_set_new(whole, "rows", rows);
    json_object_set_new(whole, "reasons", reasons);
    return whole;
}

hlc_status profile_print_json(const ProfileReport *report, FILE *out) {
    json_t *whole = whole_json(report);
    bool written = whole && json_dumpf(whole, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    fputc('\n', out);
    json_decref(whole);
    return written ? HLC_YES : HLC_WORLD;
}
