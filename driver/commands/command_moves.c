/* command_moves.c -- hlc moves FILE [--pipeline=NAME] [--schedule=NAME] [--threads=N]
 * [--all | --json | --seconds=N] [name=value ...] */
#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

hlc_status command_moves(const Command *command) {
    hlc_arguments *sizes = NULL;
    bool json = command->values[OPTION_JSON], all = command->values[OPTION_ALL];
    double seconds;
    hlc_status status = options_seconds(command, OPTION_MOVES_SECONDS, 0, &seconds);
    if (status == HLC_YES && seconds > 0 && (json || all))
        status = options_refuse(command, OPTION_MOVES_SECONDS, "only the best are measured");
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = machine_use(command);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status =
            seconds > 0 ? operands_bind(command, 1, &sizes) : operands_bind_any(command, &sizes);
    if (status != HLC_YES)
        return status;
    const char *pipeline = command->values[OPTION_PIPELINE];
    const char *schedule = command->values[OPTION_SCHEDULE];
    if (json || all)
        return hlc_moves(command->h, pipeline, schedule, json, stdout);
    return hlc_best_moves(command->h, pipeline, schedule, hlc_thread_count(), sizes, seconds,
                          stdout);
}
