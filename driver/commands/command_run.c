/* command_run.c -- hlc run FILE [--pipeline=P] [--schedule=S]
 * [--interpret=reference|semantics|target]
 *                      [--order=forward|backward|interleaved] [--seed=N] [--formal | --strict]
 *                      name=value ... -o out.png */
#include "driver/driver.h"
#include "driver/image/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static hlc_machine machine_of(const Command *command) {
    const char *text = command->values[OPTION_INTERPRET];
    if (!text)
        return HLC_COMPILED;
    return strcmp(text, "reference") == 0   ? HLC_REFERENCE
           : strcmp(text, "semantics") == 0 ? HLC_SEMANTICS
                                            : HLC_TARGET;
}

/* Prints, for an output that is not written, its size and a hash of its elements, to compare runs.
 */
static void summarise(const char *name, const hlc_image *image) {
    printf("%s: %s", name, image_type_text(image->kind, image->bits).text);
    for (int d = 0; d < image->dimensions; d++)
        printf("%s%" PRId64, d ? "x" : " ", image->extent[d]);
    printf(", hash %016" PRIx64 "\n", images_hash(image));
}

static hlc_status write_outputs(const Command *command, const hlc_arguments *arguments) {
    if (command->values[OPTION_OUTPUT])
        return outputs_save(command, arguments);
    for (size_t i = 0; i < hlc_arguments_output_count(arguments); i++)
        summarise(hlc_arguments_output_name(arguments, i), hlc_arguments_output(arguments, i));
    return HLC_YES;
}

/* --order, --seed, --formal and --strict; HLC_USER after reporting. */
static hlc_status set_interpreter(const Command *command, hlc_machine machine) {
    const char *const *values = command->values;
    static const Option of_target[] = {OPTION_ORDER, OPTION_SEED};
    static const Option of_both[] = {OPTION_FORMAL, OPTION_STRICT};
    for (int i = 0; i < 2; i++) {
        if (values[of_target[i]] && machine != HLC_TARGET)
            return options_refuse(command, of_target[i], "it needs --interpret=target");
        if (values[of_both[i]] && machine == HLC_COMPILED)
            return options_refuse(command, of_both[i], "it needs --interpret");
    }
    int64_t seed;
    hlc_status status = options_number(command, OPTION_SEED, 0, 1, &seed);
    const char *order = values[OPTION_ORDER] ? values[OPTION_ORDER] : "forward";
    hlc_interpreter interpreter = {.order = *order == 'f'   ? HLC_ORDER_FORWARD
                                            : *order == 'b' ? HLC_ORDER_BACKWARD
                                                            : HLC_ORDER_INTERLEAVED,
                                   .seed = (uint64_t)seed,
                                   .formal = values[OPTION_FORMAL],
                                   .strict = values[OPTION_STRICT]};
    hlc_set_interpreter(command->h, &interpreter);
    return status;
}

static hlc_status run(const Command *command, hlc_arguments *arguments, hlc_machine machine) {
    const char *path = command->values[OPTION_TRACE_TO];
    NewFile trace;
    hlc_status status = path ? trace_begin(command, path, &trace) : HLC_YES;
    if (status != HLC_YES)
        return status;
    status = hlc_run(arguments, command->values[OPTION_SCHEDULE], machine);
    return path ? trace_end(command, &trace, status) : status;
}

/* --trace-to, for the code of hlc_run; HLC_USER after reporting. */
static hlc_status set_trace(const Command *command, hlc_machine machine) {
    hlc_code code;
    if (!command->values[OPTION_TRACE_TO])
        return HLC_YES;
    if (machine != HLC_COMPILED)
        return options_refuse(command, OPTION_TRACE_TO, "it needs compiled code");
    hlc_status status = options_code(command, &code);
    code.trace = true;
    return status == HLC_YES ? hlc_set_code(command->h, &code) : status;
}

/* ---- the time of files ---- */

typedef struct FileSpan {
    int64_t wall, processor; /* nanoseconds */
} FileSpan;

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static FileSpan now(void) {
    return (FileSpan){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static FileSpan since(FileSpan begin) {
    FileSpan end = now();
    return (FileSpan){end.wall - begin.wall, end.processor - begin.processor};
}

/* Tells a terminal, if the inputs and outputs took most of a second or more. */
static void tell_files(FileSpan inputs, FileSpan run, FileSpan outputs) {
    int64_t files = inputs.wall + outputs.wall;
    if (!isatty(STDERR_FILENO) || files + run.wall < 1000000000 || files < run.wall)
        return;
    fprintf(stderr, "\rinputs took %.1f s, the compilation and the run %.1f s, outputs %.1f s\n",
            (double)inputs.wall / 1e9, (double)run.wall / 1e9, (double)outputs.wall / 1e9);
}

static hlc_status run_timed(const Command *command, hlc_arguments *arguments, hlc_machine machine,
                            FileSpan inputs) {
    FileSpan begin = now();
    hlc_status status = run(command, arguments, machine);
    FileSpan ran = since(begin), outputs = now();
    if (status == HLC_YES)
        status = write_outputs(command, arguments);
    outputs = since(outputs);
    if (status == HLC_YES)
        tell_files(inputs, ran, outputs);
    if (status == HLC_YES)
        status = hlc_add_time(command->h, "outputs", outputs.wall, outputs.processor);
    return status;
}

hlc_status command_run(const Command *command) {
    hlc_machine machine = machine_of(command);
    hlc_arguments *arguments;
    hlc_status status = options_threads(command);
    if (status == HLC_YES)
        status = set_interpreter(command, machine);
    if (status == HLC_YES)
        status = options_compiler(command, machine == HLC_COMPILED);
    if (status == HLC_YES)
        status = set_trace(command, machine);
    if (status == HLC_YES)
        status = operands_load(command);
    FileSpan inputs = now();
    if (status == HLC_YES)
        status = operands_bind(command, 1, &arguments);
    inputs = since(inputs);
    if (status == HLC_YES)
        status = outputs_check(command, arguments);
    if (status == HLC_YES)
        status = hlc_add_time(command->h, "inputs", inputs.wall, inputs.processor);
    if (status == HLC_YES && command->values[OPTION_QUERY])
        return hlc_query(arguments, command->values[OPTION_SCHEDULE], stdout);
    return status == HLC_YES ? run_timed(command, arguments, machine, inputs) : status;
}
