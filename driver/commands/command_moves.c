/* command_moves.c -- hlc moves FILE [--pipeline=NAME] [--schedule=NAME] [--threads=N] [--all | --json]
 * [name=value ...] */
#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

hlc_status command_moves(const Command *command) {
    hlc_arguments *sizes = NULL;
    bool json = command->values[OPTION_JSON];
    hlc_status status = options_threads(command);
    if (status == HLC_YES)
        status = machine_use(command);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status = operands_bind_any(command, &sizes);
    if (status != HLC_YES)
        return status;
    const char *pipeline = command->values[OPTION_PIPELINE];
    const char *schedule = command->values[OPTION_SCHEDULE];
    if (json || command->values[OPTION_ALL])
        return hlc_moves(command->h, pipeline, schedule, json, stdout);
    return hlc_best_moves(command->h, pipeline, schedule, hlc_thread_count(), sizes, stdout);
}
