/* bench_report.c -- prints measurements as a table and as JSON. */
#include "driver/commands/bench.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const VERDICTS[] = {[BENCH_ABSENT] = "absent",
                                       [BENCH_SAME] = "same",
                                       [BENCH_FASTER] = "faster",
                                       [BENCH_SLOWER] = "slower",
                                       [BENCH_OTHER_RESULT] = "other result"};

typedef struct TimeText {
    char text[24];
} TimeText;

static TimeText time_text(double nanoseconds) {
    TimeText made;
    if (nanoseconds < 1e3)
        snprintf(made.text, sizeof made.text, "%.1f ns", nanoseconds);
    else if (nanoseconds < 1e6)
        snprintf(made.text, sizeof made.text, "%.2f us", nanoseconds / 1e3);
    else
        snprintf(made.text, sizeof made.text, "%.3f ms", nanoseconds / 1e6);
    return made;
}

static void print_against(const BenchEntry *entry, FILE *out) {
    if (entry->verdict == BENCH_ABSENT)
        fputs("  not measured before", out);
    else
        fprintf(out, "  before %12s, %6.3f times: %s", time_text(entry->other.median).text,
                entry->spread.median / entry->other.median, VERDICTS[entry->verdict]);
}

/* Nanoseconds of all threads together, a run. */
static double processor_time(const BenchEntry *entry) {
    return entry->processor_runs > 0 ? entry->processor / entry->processor_runs : 0;
}

/* Megapixels a second. */
static double speed_of(const BenchEntry *entry) {
    return entry->subject->pixels * 1e3 / entry->spread.median;
}

/* Name i of a list; null behind the last. */
typedef const char *NameAt(const Bench *bench, size_t i);

static const char *pipeline_at(const Bench *bench, size_t i) {
    return i < bench->subject_count ? bench->subjects[i].pipeline : NULL;
}

static const char *file_at(const Bench *bench, size_t i) {
    return i < bench->file_count ? bench->files[i].command.operands[0] : NULL;
}

static char *list(const Bench *bench, NameAt *at) {
    const char *name;
    size_t room = 1;
    for (size_t i = 0; (name = at(bench, i)); i++)
        room += strlen(name) + 1;
    char *names = calloc(room, 1);
    for (size_t i = 0; names && (name = at(bench, i)); i++) {
        strcat(names, i ? "," : "");
        strcat(names, name);
    }
    return names;
}

char *bench_pipelines(const Bench *bench) {
    return list(bench, pipeline_at);
}

char *bench_files(const Bench *bench) {
    return list(bench, file_at);
}

/* The head of the lines of an entry's pipeline. Of several files, a line names the next one. */
static void print_head(const Bench *bench, const BenchEntry *entry, FILE *out) {
    const BenchFile *file = entry->subject->file;
    if (bench->file_count > 1 && (entry == bench->entries || entry[-1].subject->file != file))
        fprintf(out, "%s\n", file->command.operands[0]);
    fprintf(out, "%-22s %7s %12s %12s %12s %12s %12s %8s %8s %7s\n", entry->subject->pipeline,
            "threads", "median", "least", "10 %", "90 %", "processor", "MP/s", "runs", "speed");
}

void bench_print(const Bench *bench, bool against, FILE *out) {
    for (size_t i = 0; i < bench->count; i++) {
        const BenchEntry *entry = &bench->entries[i],
                         *first = &bench->entries[entry->subject->begin];
        if (entry == first)
            print_head(bench, entry, out);
        fprintf(out, "%-22s %7d %12s %12s %12s %12s %12s %8.4g %8zu %7.2f",
                entry->schedule ? entry->schedule : "the empty schedule", entry->threads,
                time_text(entry->spread.median).text, time_text(entry->spread.least).text,
                time_text(entry->spread.tenth).text, time_text(entry->spread.ninetieth).text,
                time_text(processor_time(entry)).text, speed_of(entry),
                entry->count * (size_t)entry->runs, first->spread.median / entry->spread.median);
        if (!entry->steady)
            fputs("  not steady", out);
        if (entry->differs && entry->off > 0)
            fprintf(out, "  up to %.1e off,", entry->off);
        if (entry->differs)
            fputs(entry->off > 0 ? " other sums" : "  other sums", out);
        if (against)
            print_against(entry, out);
        fputc('\n', out);
    }
}

static json_t *spread_json(const BenchSpread *spread) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "median_ms", spread->median / 1e6, "p10_ms",
                     spread->tenth / 1e6, "p90_ms", spread->ninetieth / 1e6, "low_ms",
                     spread->low / 1e6, "high_ms", spread->high / 1e6);
}

static json_t *entry_json(const BenchEntry *entry, bool against) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, entry->hash);
    const BenchSubject *subject = entry->subject;
    json_t *object = json_pack("{s:s, s:s, s:s, s:i}", "file", subject->file->command.operands[0],
                               "pipeline", subject->pipeline, "schedule",
                               entry->schedule ? entry->schedule : "", "threads", entry->threads);
    json_object_update_new(
        object, json_pack("{s:f, s:f, s:f}", "least_ms", entry->spread.least / 1e6, "processor_ms",
                          processor_time(entry) / 1e6, "megapixels_per_second", speed_of(entry)));
    json_object_update_new(object, spread_json(&entry->spread));
    json_object_update_new(object, json_pack("{s:I, s:I, s:b, s:s}", "runs",
                                             (json_int_t)entry->count * entry->runs, "samples",
                                             (json_int_t)entry->count, "steady", (int)entry->steady,
                                             "hash", hash));
    if (against)
        json_object_set_new(object, "verdict", json_string(VERDICTS[entry->verdict]));
    if (against && entry->verdict != BENCH_ABSENT) {
        json_object_set_new(object, "ratio", json_real(entry->spread.median / entry->other.median));
        json_object_set_new(object, "before", spread_json(&entry->other));
    }
    return object;
}

hlc_status bench_print_json(const Bench *bench, bool against, FILE *out) {
    const Command *command = &bench->files[0].command;
    json_t *arguments = json_array(), *results = json_array();
    for (int i = 1; i < command->operand_count; i++)
        json_array_append_new(arguments, json_string(command->operands[i]));
    for (size_t i = 0; i < bench->count; i++)
        json_array_append_new(results, entry_json(&bench->entries[i], against));
    char *names = bench_pipelines(bench), *files = bench_files(bench);
    json_t *whole =
        json_pack("{s:s, s:s, s:s, s:o, s:o}", "hlc", hlc_version(), "file", files ? files : "",
                  "pipeline", names ? names : "", "arguments", arguments, "results", results);
    bool written = whole && json_dumpf(whole, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    fputc('\n', out);
    json_decref(whole);
    free(names);
    free(files);
    return written ? HLC_YES : HLC_WORLD;
}
