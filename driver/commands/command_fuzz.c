/* command_fuzz.c -- hlc fuzz [--seed=N] [--cases=N] [--seconds=N] [--folder=PATH]
 *                  [--interpreters | --semantics] [--reductions] [--recurrences] [--scans] [--points]
 *                                          [--families] [--split] [--jobs=N] [--show] */
#include "driver/driver.h"

#include "checkers/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks the folder first: with a finding it would be too late. */
static hlc_status check_folder(const Command *command, const char *path) {
    struct stat there;
    if (!path || (stat(path, &there) == 0 && S_ISDIR(there.st_mode) && access(path, W_OK) == 0))
        return HLC_YES;
    bool is_file = stat(path, &there) == 0 && !S_ISDIR(there.st_mode);
    diagnose(command, "E0802", path, strerror(is_file ? ENOTDIR : errno));
    return HLC_WORLD;
}

hlc_status command_fuzz(const Command *command) {
    int64_t seed, cases, seconds, jobs;
    hlc_status status = operands_at_most(command, 0);
    if (status == HLC_YES)
        status = options_number(command, OPTION_SEED, 0, 1, &seed);
    if (status == HLC_YES)
        status = options_number(command, OPTION_CASES, 1, 0, &cases);
    if (status == HLC_YES)
        status = options_number(command, OPTION_SECONDS, 1, cases ? 0 : 30, &seconds);
    if (status == HLC_YES)
        status = options_number(command, OPTION_JOBS, 1, 1, &jobs);
    if (status == HLC_YES)
        status = check_folder(command, command->values[OPTION_FOLDER]);
    if (status != HLC_YES)
        return status;
    FuzzOptions options = {.seed = (uint64_t)seed,
                           .cases = (uint64_t)cases,
                           .seconds = (double)seconds,
                           .jobs = jobs < 64 ? (int)jobs : 64,
                           .folder = command->values[OPTION_FOLDER],
                           .interpreters = command->values[OPTION_INTERPRETERS] != NULL,
                           .semantics = command->values[OPTION_SEMANTICS] != NULL,
                           .reductions = command->values[OPTION_REDUCTIONS] != NULL,
                           .recurrences = command->values[OPTION_RECURRENCES] != NULL,
                           .scans = command->values[OPTION_SCANS] != NULL,
                           .points = command->values[OPTION_POINTS] != NULL,
                           .scheduled = command->values[OPTION_SCHEDULED] != NULL,
                           .windows = command->values[OPTION_WINDOWS_FUZZ] != NULL,
                           .split = command->values[OPTION_SPLIT_FUZZ] != NULL,
                           .families = command->values[OPTION_FAMILIES] != NULL,
                           .show = command->values[OPTION_SHOW] != NULL};
    return (hlc_status)fuzz_run(&options, stdout);
}
