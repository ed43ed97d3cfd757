/* command_run.c -- hlc run FILE [--pipeline=P] [--schedule=S]
 * [--interpret=reference|semantics|target]
 *                      [--order=forward|backward|interleaved] [--seed=N] [--formal | --strict]
 *                      name=value ... -o out.png */
#include "driver/driver.h"
#include "driver/image/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    if (status == HLC_YES)
        status = operands_bind(command, 1, &arguments);
    if (status == HLC_YES)
        status = outputs_check(command, arguments);
    if (status == HLC_YES)
        status = run(command, arguments, machine);
    if (status == HLC_YES)
        status = write_outputs(command, arguments);
    return status;
}
