/* command_split.c -- hlc split FILE [--pipeline=NAME] [--schedule=NAME] [--at=FUNCS] [--json]
 * [-o FOLDER] [--check [--rounds=N] [--seed=N]] [name=value ..]
 *
 * With -o, the folder gets the text of each part, NAME.hl, and the plan, plan.json: all of them, or
 * none. */
#include "driver/driver.h"

#include "include/hlc_split.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The parts of a plan: objects with a member `text`. */
typedef struct SplitParts {
    const json_t **parts;
    size_t count, room;
} SplitParts;

static bool add_part(SplitParts *list, const json_t *part) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        const json_t **more = realloc(list->parts, room * sizeof *more);
        if (!more)
            return false;
        list->parts = more;
        list->room = room;
    }
    list->parts[list->count++] = part;
    return true;
}

static bool find_parts(SplitParts *list, const json_t *value) {
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value) && json_object_get(value, "text"))
        return add_part(list, value);
    json_object_foreach((json_t *)value, key, member) if (!find_parts(list, member)) return false;
    json_array_foreach(value, i, member) if (!find_parts(list, member)) return false;
    return true;
}

static hlc_status make_folder(const Command *command, const char *folder) {
    if (!files_allow(command, folder))
        return HLC_USER;
    struct stat about;
    if (mkdir(folder, 0777) == 0 || (stat(folder, &about) == 0 && S_ISDIR(about.st_mode)))
        return HLC_YES;
    diagnose(command, "E0802", folder, strerror(errno));
    return HLC_WORLD;
}

/* The paths and the files have `count` places. */
static hlc_status write_all(const Command *command, const char *folder, const SplitParts *list,
                            const char *plan, char **paths, NewFile *files) {
    int begun = 0;
    hlc_status status = HLC_YES;
    for (size_t i = 0; i <= list->count && status == HLC_YES; i++) {
        const json_t *part = i < list->count ? list->parts[i] : NULL;
        const char *name = part ? json_string_value(json_object_get(part, "pipeline")) : "plan";
        size_t size = strlen(folder) + strlen(name) + 8;
        paths[i] = malloc(size);
        if (!paths[i])
            return HLC_WORLD;
        snprintf(paths[i], size, "%s/%s.%s", folder, name, part ? "hl" : "json");
        status = files_spare_source(command, paths[i]);
        if (status == HLC_YES)
            status = file_begin(command, paths[i], &files[begun]);
        if (status != HLC_YES)
            break;
        fputs(part ? json_string_value(json_object_get(part, "text")) : plan, files[begun].file);
        begun++;
    }
    return files_end(command, files, begun, status);
}

static hlc_status write_folder(const Command *command, const char *folder, const char *plan) {
    json_error_t error;
    json_t *root = json_loads(plan, 0, &error);
    SplitParts list = {0};
    hlc_status status = root && find_parts(&list, root) ? HLC_YES : HLC_WORLD;
    if (status == HLC_YES)
        status = make_folder(command, folder);
    if (status == HLC_YES) {
        char **paths = calloc(list.count + 1, sizeof *paths);
        NewFile *files = calloc(list.count + 1, sizeof *files);
        status = paths && files ? write_all(command, folder, &list, plan, paths, files) : HLC_WORLD;
        for (size_t i = 0; paths && i <= list.count; i++)
            free(paths[i]);
        free(paths);
        free(files);
    }
    free(list.parts);
    json_decref(root);
    return status;
}

static hlc_status split_into(const Command *command, hlc_split_options *options,
                             const char *folder) {
    char *text = NULL;
    size_t length = 0;
    FILE *plan = open_memstream(&text, &length);
    if (!plan)
        return HLC_WORLD;
    options->json = true;
    options->at = options->at ? options->at : "auto";
    hlc_status status = hlc_split(command->h, options, plan);
    bool is_written = fclose(plan) == 0;
    if (status == HLC_YES)
        status = is_written ? write_folder(command, folder, text) : HLC_WORLD;
    free(text);
    return status;
}

hlc_status command_split(const Command *command) {
    int64_t rounds, seed;
    const char *folder = command->values[OPTION_OUTPUT];
    hlc_split_options options = {.pipeline = command->values[OPTION_PIPELINE],
                                 .schedule = command->values[OPTION_SCHEDULE],
                                 .at = command->values[OPTION_AT],
                                 .json = command->values[OPTION_JSON]};
    hlc_status status = options_number(command, OPTION_ROUNDS, 1, 0, &rounds);
    if (status == HLC_YES)
        status = options_number(command, OPTION_SEED, 0, 1, &seed);
    if (status == HLC_YES)
        status = operands_load_alone(command);
    if (status != HLC_YES)
        return status;
    if (command->values[OPTION_SPLIT_CHECK])
        return hlc_split_check(command->h, &options, (int)rounds, (uint64_t)seed, stdout);
    if (folder)
        return split_into(command, &options, folder);
    return hlc_split(command->h, &options, stdout);
}
