/* bench_subjects.c -- what is measured: the files, their pipelines, and the entries of each.
 *
 * Without --pipeline all pipelines of all files are measured. Each takes the arguments whose names it
 * has, and the schedules that it has. An argument or schedule that none has is refused.
 */
#include "driver/commands/bench.h"

#include "runtime/hlc_runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the entries ---- */

static bool add_entry(Bench *bench, const char *schedule, int threads) {
    BenchEntry *entries = realloc(bench->entries, (bench->count + 1) * sizeof *entries);
    if (!entries)
        return false;
    entries[bench->count++] = (BenchEntry){.schedule = schedule, .threads = threads};
    bench->entries = entries;
    return true;
}

/* Adds an entry for each of these numbers of threads; "" means 1 and all. */
static hlc_status add_threads(Bench *bench, const char *schedule, const char *list) {
    int all = hlc_thread_count();
    if (!list)
        return add_entry(bench, schedule, 1) && (all == 1 || add_entry(bench, schedule, all))
                   ? HLC_YES
                   : HLC_WORLD;
    for (const char *at = list;; at++) {
        char *end;
        errno = 0;
        long count = strtol(at, &end, 10);
        if (end == at || errno || count < 1 || count > 1024 || (*end && *end != ',')) {
            diagnose(bench->command, "E0822", "threads", "it takes numbers from 1 to 1024",
                     "write them with commas between: --threads=1,2");
            return HLC_USER;
        }
        if (!add_entry(bench, schedule, (int)count))
            return HLC_WORLD;
        at = end;
        if (!*at)
            return HLC_YES;
    }
}

static hlc_status add_schedule(Bench *bench, const BenchSubject *subject, const char *schedule) {
    size_t first = bench->count;
    hlc_status status = add_threads(bench, schedule, bench->command->values[OPTION_BENCH_THREADS]);
    if (status != HLC_YES)
        return status;
    hlc_function *function =
        hlc_compile_function(subject->file->command.h, subject->pipeline, schedule, NULL);
    for (size_t i = first; i < bench->count; i++) {
        bench->entries[i].subject = subject;
        bench->entries[i].function = function;
    }
    return function ? HLC_YES : HLC_USER;
}

static bool has_schedule(const BenchSubject *subject, const char *schedule) {
    const hlc *h = subject->file->command.h;
    for (size_t i = 0; i < hlc_schedule_count(h); i++)
        if (strcmp(hlc_schedule_name(h, i), schedule) == 0 &&
            strcmp(hlc_schedule_pipeline(h, i), subject->pipeline) == 0)
            return true;
    return false;
}

/* Does the subject leave a requested schedule to the other subjects, of which one has it? */
static bool is_of_others(const Bench *bench, const BenchSubject *subject, const char *schedule) {
    bool has_other = false;
    for (size_t k = 0; k < bench->subject_count; k++)
        has_other |= has_schedule(&bench->subjects[k], schedule);
    return has_other && !has_schedule(subject, schedule);
}

/* Adds the requested schedules, in that order ("" is the empty one), or else the empty one and all
 * of the file's. */
static hlc_status add_schedules(Bench *bench, const BenchSubject *subject) {
    const Command *command = bench->command;
    hlc *h = subject->file->command.h;
    hlc_status status = HLC_YES;
    const char *name;
    int i;
    for (i = 0; status == HLC_YES && (name = options_repeated(command, OPTION_BENCH_SCHEDULE, i));
         i++)
        if (!is_of_others(bench, subject, name))
            status = add_schedule(bench, subject, *name ? name : NULL);
    if (i > 0 || status != HLC_YES)
        return status;
    status = add_schedule(bench, subject, NULL);
    for (size_t k = 0; k < hlc_schedule_count(h) && status == HLC_YES; k++)
        if (strcmp(hlc_schedule_pipeline(h, k), subject->pipeline) == 0)
            status = add_schedule(bench, subject, hlc_schedule_name(h, k));
    return status;
}

/* ---- the pipelines ---- */

/* Returns the number of a pipeline of the file; HLC's count where it has none of this name. */
static size_t find_pipeline(const hlc *h, const char *name) {
    size_t p = 0;
    while (p < hlc_pipeline_count(h) && strcmp(hlc_pipeline_name(h, p), name) != 0)
        p++;
    return p;
}

/* Is the operand an argument of the subject? `place.0=9x9` is one of `place`. */
static bool is_of(const BenchSubject *subject, const char *operand) {
    const hlc *h = subject->file->command.h;
    size_t length = strcspn(operand, "=."), pipeline = find_pipeline(h, subject->pipeline);
    if (pipeline == hlc_pipeline_count(h))
        return false;
    size_t outputs = hlc_output_count(h, pipeline);
    for (size_t i = 0; i < hlc_input_count(h, pipeline) + outputs; i++) {
        const char *name = i < outputs ? hlc_output_at(h, pipeline, i).func
                                       : hlc_input_at(h, pipeline, i - outputs).name;
        if (strncmp(name, operand, length) == 0 && strcspn(name, ".") == length)
            return true;
    }
    char constant[256];
    snprintf(constant, sizeof constant, "%.*s", (int)strcspn(operand, "="), operand);
    return hlc_has_constant(h, constant);
}

/* Is it an argument of other subjects only? */
static bool is_left_out(const Bench *bench, const BenchSubject *subject, const char *operand) {
    bool has_other = false;
    for (size_t k = 0; k < bench->subject_count; k++)
        has_other |= is_of(&bench->subjects[k], operand);
    return has_other && !is_of(subject, operand);
}

static hlc_status prepare_subject(Bench *bench, BenchSubject *subject) {
    Command command = subject->file->command;
    const char **operands = malloc((size_t)command.operand_count * sizeof *operands);
    if (!operands)
        return HLC_WORLD;
    int count = 1;
    operands[0] = command.operands[0];
    for (int i = 1; i < command.operand_count; i++)
        if (!is_left_out(bench, subject, command.operands[i]))
            operands[count++] = command.operands[i];
    command.operands = operands;
    command.operand_count = count;
    command.values[OPTION_PIPELINE] = subject->pipeline;
    hlc_status status = operands_bind(&command, 1, &subject->arguments);
    free(operands);
    subject->begin = bench->count;
    if (status == HLC_YES)
        status = add_schedules(bench, subject);
    subject->end = bench->count;
    return status;
}

static void add_subject(Bench *bench, BenchFile *file, const char *pipeline) {
    for (size_t k = 0; k < bench->subject_count; k++)
        if (bench->subjects[k].file == file && strcmp(bench->subjects[k].pipeline, pipeline) == 0)
            return;
    bench->subjects[bench->subject_count++] = (BenchSubject){.file = file, .pipeline = pipeline};
}

/* Adds a requested pipeline, of each file that has it. If none has it, the first file refuses it. */
static void add_named(Bench *bench, const char *name) {
    size_t before = bench->subject_count;
    for (size_t f = 0; f < bench->file_count; f++) {
        const hlc *h = bench->files[f].command.h;
        if (find_pipeline(h, name) < hlc_pipeline_count(h))
            add_subject(bench, &bench->files[f], name);
    }
    if (bench->subject_count == before)
        add_subject(bench, &bench->files[0], name);
}

/* The requested pipelines, or all. */
static bool name_subjects(Bench *bench) {
    const Command *command = bench->command;
    size_t most = 1;
    const char *name;
    for (size_t f = 0; f < bench->file_count; f++)
        most += hlc_pipeline_count(bench->files[f].command.h) + (size_t)command->repeated_count;
    bench->subjects = calloc(most, sizeof *bench->subjects);
    if (!bench->subjects)
        return false;
    for (int i = 0; (name = options_repeated(command, OPTION_BENCH_PIPELINE, i)); i++)
        add_named(bench, name);
    for (size_t f = 0; !command->values[OPTION_BENCH_PIPELINE] && f < bench->file_count; f++) {
        const hlc *h = bench->files[f].command.h;
        for (size_t p = 0; p < hlc_pipeline_count(h); p++)
            add_subject(bench, &bench->files[f], hlc_pipeline_name(h, p));
    }
    return true;
}

hlc_status bench_prepare(Bench *bench) {
    hlc_status status = name_subjects(bench) ? HLC_YES : HLC_WORLD;
    for (size_t i = 0; i < bench->subject_count && status == HLC_YES; i++) {
        status = prepare_subject(bench, &bench->subjects[i]);
        bench->subjects[i].file->status = status;
    }
    return status;
}

/* ---- the files ---- */

/* Each file has a compiler of its own: files may define the same names. The first one has that of the
 * command. */
static hlc_status load_file(Bench *bench, BenchFile *file) {
    Command *command = &file->command;
    hlc_status status = HLC_YES;
    if (file != bench->files) {
        command->h = hlc_create();
        status = command->h ? command_settle(command) : HLC_WORLD;
    }
    if (status == HLC_YES)
        status = options_compiler(command, true);
    return status == HLC_YES ? operands_load(command) : status;
}

/* Divides the operands: files, and the arguments of all. */
static bool divide_operands(Bench *bench) {
    const Command *command = bench->command;
    size_t count = (size_t)command->operand_count;
    bench->files = calloc(count + 1, sizeof *bench->files);
    bench->operands = malloc((count + 1) * (count + 1) * sizeof *bench->operands);
    if (!bench->files || !bench->operands)
        return false;
    bench->file_count = 1;
    for (size_t i = 1; i < count; i++)
        bench->file_count += operands_is_program(command->operands[i]);
    const char **at = bench->operands;
    for (size_t f = 0, i = 0; f < bench->file_count; f++, i++) {
        Command *own = &bench->files[f].command;
        while (i > 0 && !operands_is_program(command->operands[i]))
            i++;
        *own = *command;
        own->h = f ? NULL : command->h;
        own->operands = at;
        if (count > 0)
            *at++ = command->operands[i];
        for (size_t k = 1; k < count; k++)
            if (!operands_is_program(command->operands[k]))
                *at++ = command->operands[k];
        own->operand_count = (int)(at - own->operands);
    }
    return true;
}

hlc_status bench_load(Bench *bench) {
    hlc_status status = divide_operands(bench) ? HLC_YES : HLC_WORLD;
    for (size_t f = 0; f < bench->file_count && status == HLC_YES; f++)
        status = bench->files[f].status = load_file(bench, &bench->files[f]);
    return status;
}

/* The caller reports about the first file. */
hlc_status bench_end(Bench *bench, hlc_status status) {
    for (size_t i = 0; i < bench->count; i++)
        free(bench->entries[i].samples);
    free(bench->entries);
    for (size_t i = 0; i < bench->subject_count; i++)
        free(bench->subjects[i].first);
    free(bench->subjects);
    progress_end(bench->command);
    for (size_t f = 1; f < bench->file_count; f++) {
        BenchFile *file = &bench->files[f];
        hlc_status reported =
            file->command.h ? command_report(&file->command, file->status) : HLC_YES;
        status = status == HLC_YES ? reported : status;
        hlc_destroy(file->command.h);
    }
    free(bench->files);
    free(bench->operands);
    return status;
}
