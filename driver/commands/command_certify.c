/* command_certify.c -- hlc certify FILE [--schedule=NAME] [--certificate=OUT] [name=value ...] */
#include "driver/driver.h"

static hlc_status certify(const Command *command, hlc_certify_options *options,
                          const hlc_arguments *fixed) {
    const char *path = command->values[OPTION_CERTIFICATE];
    NewFile file;
    hlc_status status = path ? file_begin(command, path, &file) : HLC_YES;
    if (status != HLC_YES)
        return status;
    options->certificate = path ? file.file : NULL;
    status = hlc_certify(command->h, command->values[OPTION_PIPELINE],
                         command->values[OPTION_SCHEDULE], options, fixed, stdout);
    return path ? files_end(command, &file, 1, status) : status;
}

hlc_status command_certify(const Command *command) {
    hlc_certify_options options = {.json = command->values[OPTION_JSON] != NULL,
                                   .solver = command->values[OPTION_SOLVER]};
    hlc_arguments *fixed = NULL;
    hlc_status status = operands_load(command);
    const char *path = command->values[OPTION_CERTIFICATE];
    if (status == HLC_YES && path && hlc_has_read(command->h, path)) {
        diagnose(command, "E0802", path, "the source is read from it");
        return HLC_USER;
    }
    if (status == HLC_YES)
        status = operands_bind_any(command, &fixed);
    return status == HLC_YES ? certify(command, &options, fixed) : status;
}
