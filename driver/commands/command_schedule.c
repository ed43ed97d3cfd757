/* command_schedule.c -- hlc schedule FILE [--pipeline=P] [--threads=N] [--name=auto] name=value ..
 *                       [-o FILE] */
#include "driver/driver.h"

static hlc_status choose(const Command *command, hlc_arguments *sizes) {
    hlc_schedule_options options = {.pipeline = command->values[OPTION_PIPELINE],
                                    .name = command->values[OPTION_NAME]};
    const char *path = options_repeated(command, OPTION_OUTPUT, 0);
    if (!path)
        return hlc_schedule(command->h, &options, sizes, stdout);
    if (options_repeated(command, OPTION_OUTPUT, 1))
        return options_refuse(command, OPTION_OUTPUT, "one schedule goes to one file");
    if (hlc_has_read(command->h, path)) {
        diagnose(command, "E0802", path, "it is the source, or the source imports it");
        return HLC_USER;
    }
    NewFile file;
    hlc_status status = file_begin(command, path, &file);
    if (status != HLC_YES)
        return status;
    status = hlc_schedule(command->h, &options, sizes, file.file);
    return files_end(command, &file, 1, status);
}

hlc_status command_schedule(const Command *command) {
    hlc_arguments *sizes;
    hlc_status status = options_threads(command);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status = operands_bind_any(command, &sizes);
    return status == HLC_YES ? choose(command, sizes) : status;
}
