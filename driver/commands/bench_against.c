/* bench_against.c -- compares measurements with those of an earlier `hlc bench --json`. */
#include "driver/commands/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static hlc_status refuse(const Bench *bench, const char *path, const char *why) {
    diagnose(bench->command, "E0845", path, why);
    return HLC_WORLD;
}

/* Are these the arguments on the command line? */
static bool has_arguments(const Command *command, const json_t *arguments) {
    if (json_array_size(arguments) != (size_t)command->operand_count - 1)
        return false;
    for (int i = 1; i < command->operand_count; i++) {
        const char *text = json_string_value(json_array_get(arguments, (size_t)i - 1));
        if (!text || strcmp(text, command->operands[i]) != 0)
            return false;
    }
    return true;
}

/* Of several files, that of the entry: pipelines may have one name. */
static bool is_of_file(const Bench *bench, const BenchEntry *entry, const json_t *result) {
    const char *file = json_string_value(json_object_get(result, "file"));
    return bench->file_count == 1 ||
           (file && strcmp(file, entry->subject->file->command.operands[0]) == 0);
}

static const json_t *find(const Bench *bench, const json_t *results, const BenchEntry *entry) {
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result) {
        const char *schedule = json_string_value(json_object_get(result, "schedule"));
        const char *pipeline = json_string_value(json_object_get(result, "pipeline"));
        if (is_of_file(bench, entry, result) && pipeline &&
            strcmp(pipeline, entry->subject->pipeline) == 0 && schedule &&
            strcmp(schedule, entry->schedule ? entry->schedule : "") == 0 &&
            json_integer_value(json_object_get(result, "threads")) == entry->threads)
            return result;
    }
    return NULL;
}

/* False if it does not have the form of entry_json. */
static bool compare(BenchEntry *entry, const json_t *result) {
    json_error_t error;
    const char *hash;
    BenchSpread *other = &entry->other;
    if (json_unpack_ex((json_t *)result, &error, 0, "{s:F, s:F, s:F, s:F, s:F, s:s}", "median_ms",
                       &other->median, "p10_ms", &other->tenth, "p90_ms", &other->ninetieth,
                       "low_ms", &other->low, "high_ms", &other->high, "hash", &hash) != 0)
        return false;
    double *const times[] = {&other->median, &other->tenth, &other->ninetieth, &other->low,
                             &other->high};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] *= 1e6;
    if (!(other->median > 0))
        return false;
    bool same = strtoull(hash, NULL, 16) == entry->hash;
    entry->verdict = same ? bench_compare(&entry->spread, other) : BENCH_OTHER_RESULT;
    return true;
}

static hlc_status compare_all(Bench *bench, const json_t *whole, const char *path) {
    const json_t *results = json_object_get(whole, "results");
    const char *pipeline = json_string_value(json_object_get(whole, "pipeline"));
    hlc_status status = HLC_YES;
    size_t found = 0;
    if (!json_is_array(results) || !pipeline)
        return refuse(bench, path, "it has no results");
    char *names = bench_pipelines(bench);
    bool is_same = names && strcmp(pipeline, names) == 0;
    free(names);
    if (!is_same || !has_arguments(&bench->files[0].command, json_object_get(whole, "arguments"))) {
        diagnose(bench->command, "E0846", path);
        return HLC_USER;
    }
    for (size_t i = 0; i < bench->count; i++) {
        BenchEntry *entry = &bench->entries[i];
        const json_t *result = find(bench, results, entry);
        if (result && !compare(entry, result))
            return refuse(bench, path, "a result lacks its numbers");
        found += result != NULL;
        if (entry->verdict == BENCH_SLOWER || entry->verdict == BENCH_OTHER_RESULT)
            status = HLC_NO;
    }
    return found ? status : refuse(bench, path, "it has none of these schedules and threads");
}

hlc_status bench_read_other(Bench *bench, const char *path) {
    json_error_t error;
    FILE *file = fopen(path, "r");
    json_t *whole = file ? json_loadf(file, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (!file || ferror(file)) { /* a folder is opened, but not read */
        diagnose(bench->command, "E0801", path, strerror(errno));
        json_decref(whole);
        if (file)
            fclose(file);
        return HLC_WORLD;
    }
    fclose(file);
    hlc_status status = whole ? compare_all(bench, whole, path) : refuse(bench, path, error.text);
    json_decref(whole);
    return status;
}
