/* command_eval.c -- hlc eval FILE 'f(3, 4)' name=value ... [--why | --interpret=semantics] */
#include "driver/driver.h"

#include <string.h>

hlc_status command_eval(const Command *command) {
    if (command->operand_count < 2 || strchr(command->operands[1], '=')) {
        diagnose(command, "E0823", command->name, "a file and a point, such as 'f(3, 4)'");
        return HLC_USER;
    }
    const char *interpreter = command->values[OPTION_EVAL_INTERPRET];
    bool semantics = interpreter && strcmp(interpreter, "semantics") == 0;
    if (semantics && command->values[OPTION_WHY])
        return options_refuse(command, OPTION_WHY, "it needs --interpret=reference");
    hlc_eval_options options = {.semantics = semantics,
                                .why = command->values[OPTION_WHY],
                                .formal = command->values[OPTION_FORMAL],
                                .strict = command->values[OPTION_STRICT]};
    hlc_arguments *arguments;
    hlc_status status = operands_load(command);
    if (status == HLC_YES)
        status = operands_bind(command, 2, &arguments);
    if (status == HLC_YES)
        status = hlc_eval(arguments, command->operands[1], &options, stdout);
    return status;
}
