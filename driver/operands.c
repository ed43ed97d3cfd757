/* operands.c -- reads the operands: FILE and name=value. */
#include "driver/driver.h"
#include "driver/image/image.h"

#include <string.h>
#include <unistd.h>

/* The value of `name=value`, with its name; null if it is no such operand. */
static const char *split(const char *operand, char *name, size_t size) {
    const char *equals = strchr(operand, '=');
    if (!equals || equals == operand || (size_t)(equals - operand) >= size)
        return NULL;
    memcpy(name, operand, (size_t)(equals - operand));
    name[equals - operand] = 0;
    return equals + 1;
}

/* Makes the schedules with arguments: --schedule='fast(v = 8)'. */
static hlc_status add_schedules(const Command *command) {
    static const Option OPTIONS[] = {OPTION_SCHEDULE, OPTION_CONTRACT_AGAINST};
    const char *value;
    hlc_status status = HLC_YES;
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS && status == HLC_YES; i++) {
        value = command->values[OPTIONS[i]];
        if (value && strchr(value, '('))
            status = hlc_add_schedule(command->h, value);
    }
    for (int i = 0; status == HLC_YES; i++) {
        value = options_repeated(command, OPTION_BENCH_SCHEDULE, i);
        if (!value)
            break;
        if (strchr(value, '('))
            status = hlc_add_schedule(command->h, value);
    }
    return status;
}

static bool is_program(const char *path) {
    const char *ending = strrchr(path, '.');
    return ending && (strcmp(ending, ".hl") == 0 || strcmp(ending, ".ir") == 0);
}

bool operands_is_program(const char *operand) {
    return is_program(operand) && !strchr(operand, '=');
}

/* `hlc run a=zero:8x8 blur.hl`: the file stands behind an argument. False after reporting. */
static bool is_in_order(const Command *command) {
    const char *first = command->operands[0];
    if (!strchr(first, '=') || is_program(first))
        return true;
    for (int i = 1; i < command->operand_count; i++)
        if (operands_is_program(command->operands[i])) {
            diagnose(command, "E0933", command->name, first, command->operands[i]);
            return false;
        }
    return true;
}

hlc_status operands_load(const Command *command) {
    if (command->operand_count == 0) {
        diagnose(command, "E0823", command->name, "a file");
        return HLC_USER;
    }
    if (!is_in_order(command))
        return HLC_USER;
    hlc_status added = add_schedules(command);
    if (added != HLC_YES)
        return added;
    char name[256];
    for (int i = 1; i < command->operand_count; i++) {
        const char *value = split(command->operands[i], name, sizeof name);
        hlc_status status = value ? hlc_set_constant(command->h, name, value) : HLC_YES;
        if (status != HLC_YES)
            return status;
    }
    return limits_load(command, command->operands[0]);
}

enum { MOST_CONSTANTS = 32 };

/* `level=2` of a command that takes only values of const parameters. */
static hlc_status refuse_constant(const Command *command, const char *name) {
    const char *names[MOST_CONSTANTS + 1] = {NULL}, *constant;
    char list[1024] = "";
    int count = 0;
    size_t length = 0;
    for (size_t p = 0; p < hlc_pipeline_count(command->h); p++)
        for (size_t i = 0;
             (constant = hlc_constant_at(command->h, p, i, NULL)) && count < MOST_CONSTANTS; i++) {
            names[count++] = constant;
            int put =
                snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", constant);
            length += put > 0 && (size_t)put < sizeof list - length ? (size_t)put : 0;
        }
    const char *nearest = hlc_nearest(name, names);
    char remedy[1400];
    if (nearest)
        snprintf(remedy, sizeof remedy, "did you mean `%.300s`?", nearest);
    else
        snprintf(remedy, sizeof remedy, "%s%s", count ? "the const parameters: " : "there is none",
                 list);
    diagnose(command, "E0890", name, command->name, remedy);
    return HLC_USER;
}

hlc_status operands_are_constants(const Command *command) {
    char name[256];
    for (int i = 1; i < command->operand_count; i++) {
        if (!split(command->operands[i], name, sizeof name)) {
            diagnose(command, "E0824", command->name, command->operands[i]);
            return HLC_USER;
        }
        if (!hlc_has_constant(command->h, name))
            return refuse_constant(command, name);
    }
    return HLC_YES;
}

hlc_status operands_at_most(const Command *command, int most) {
    if (command->operand_count <= most)
        return HLC_YES;
    diagnose(command, "E0824", command->name, command->operands[most]);
    return HLC_USER;
}

/* ---- --schedule=auto ---- */

/* Is a schedule to be chosen: `auto`, which is none of the file's? */
bool operands_want_schedule(const Command *command) {
    static const char AUTO[] = "auto";
    const char *value = command->values[OPTION_SCHEDULE];
    bool is_wanted = value && strcmp(value, AUTO) == 0;
    for (int i = 0; (value = options_repeated(command, OPTION_BENCH_SCHEDULE, i)); i++)
        is_wanted |= strcmp(value, AUTO) == 0;
    return is_wanted && !hlc_has_schedule(command->h, command->values[OPTION_PIPELINE], AUTO);
}

static hlc_status choose_schedule(const Command *command, hlc_arguments *arguments) {
    if (!operands_want_schedule(command))
        return HLC_YES;
    hlc_schedule_options options = {.pipeline = command->values[OPTION_PIPELINE]};
    hlc_status status = machine_use(command);
    return status == HLC_YES ? hlc_schedule(command->h, &options, arguments, NULL) : status;
}

hlc_status operands_load_alone(const Command *command) {
    hlc_status status = operands_load(command);
    if (status == HLC_YES)
        status = operands_are_constants(command);
    return status == HLC_YES ? choose_schedule(command, NULL) : status;
}

/* The contents that hlc_arguments_set generates. */
static const char *const CONTENTS[] = {"zero", "ramp", "constant", "random", "edges", NULL};

/* The prefixes of a path, before a colon: the requested channels. */
static const char *const READINGS[] = {"gray", "rgb", "rgba", NULL};

/* Any text that does not begin with one of these words and a colon names a file. */
static bool is_path(const char *value) {
    for (size_t i = 0; CONTENTS[i]; i++)
        if (strncmp(value, CONTENTS[i], strlen(CONTENTS[i])) == 0 &&
            value[strlen(CONTENTS[i])] == ':')
            return false;
    return true;
}

/* `randm:1:640x480`: a word and a colon, and no such file. */
static bool is_misspelt(const Command *command, const char *name, const char *value) {
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz");
    char word[24], remedy[120] = "write random:SEED:SIZE, edges:SEED:SIZE, zero:SIZE, ramp:SIZE or "
                                 "constant:VALUE:SIZE";
    const char *path = value;
    ImageAxes axes;
    if (length == 0 || length >= sizeof word || value[length] != ':' || access(value, F_OK) == 0 ||
        image_axes_read(&path, &axes))
        return false;
    snprintf(word, sizeof word, "%.*s", (int)length, value);
    for (size_t i = 0; READINGS[i]; i++)
        if (strcmp(word, READINGS[i]) == 0)
            return false;
    const char *nearest = hlc_nearest(word, CONTENTS);
    if (nearest)
        snprintf(remedy, sizeof remedy, "did you mean `%s:`?", nearest);
    diagnose(command, "E0835", name, value, word, remedy);
    return true;
}

/* `4x4` or `auto`: a size without contents, and no such file. */
static bool is_bare_size(const Command *command, const char *name, const char *value) {
    bool is_size = value[0] >= '0' && value[0] <= '9' && !value[strspn(value, "0123456789x+-")];
    if ((!is_size && strcmp(value, "auto") != 0) || access(value, F_OK) == 0)
        return false;
    char remedy[160];
    snprintf(remedy, sizeof remedy, "a size needs contents: zero:%.40s or random:1:%.40s", value,
             value);
    diagnose(command, "E0835", name, value, value, remedy);
    return true;
}

static hlc_status bind(const Command *command, hlc_arguments *arguments, const char *operand) {
    char name[256];
    const char *value = split(operand, name, sizeof name);
    if (!value) {
        diagnose(command, "E0824", command->name, operand);
        return HLC_USER;
    }
    hlc_kind kind;
    int bits, dimensions;
    if (hlc_has_constant(command->h, name)) /* it has been given to the file */
        return HLC_YES;
    if (is_path(value) && hlc_arguments_is_image(arguments, name, &kind, &bits, &dimensions)) {
        if (is_misspelt(command, name, value) || is_bare_size(command, name, value))
            return HLC_USER;
        return images_load(command, arguments, name, value);
    }
    return hlc_arguments_set(arguments, name, value);
}

/* Does an operand before this one bind the same name? */
static bool is_bound(const Command *command, int first, int operand) {
    const char *text = command->operands[operand];
    size_t length = strcspn(text, "=");
    for (int i = first; i < operand; i++)
        if (strncmp(command->operands[i], text, length + 1) == 0) {
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)length, text);
            diagnose(command, "E0837", name);
            return true;
        }
    return false;
}

/* Does one of the first `count` --domain options name the same image or output? */
static bool has_domain(const Command *command, const char *text, int count) {
    for (int i = 0; i < count; i++)
        if (strncmp(options_repeated(command, OPTION_DOMAIN, i), text, strcspn(text, "=") + 1) == 0)
            return true;
    return false;
}

/* --domain=NAME=SIZE */
static hlc_status set_domains(const Command *command, hlc_arguments *arguments) {
    char name[256];
    const char *written;
    hlc_status status = HLC_YES;
    for (int i = 0; status == HLC_YES && (written = options_repeated(command, OPTION_DOMAIN, i));
         i++) {
        const char *size = split(written, name, sizeof name);
        if (size && has_domain(command, written, i)) {
            diagnose(command, "E0837", name);
            return HLC_USER;
        }
        status = size ? hlc_arguments_set_domain_text(arguments, name, size)
                      : options_refuse(command, OPTION_DOMAIN,
                                       "it takes a name and a size, out=640x480");
    }
    return status;
}

hlc_status operands_bind(const Command *command, int first, hlc_arguments **arguments) {
    *arguments = hlc_arguments_create(command->h, command->values[OPTION_PIPELINE]);
    hlc_status status = *arguments ? set_domains(command, *arguments) : HLC_USER;
    for (int i = first; i < command->operand_count && status == HLC_YES; i++)
        status = is_bound(command, first, i) ? HLC_USER
                                             : bind(command, *arguments, command->operands[i]);
    return status == HLC_YES ? choose_schedule(command, *arguments) : status;
}

hlc_status operands_bind_any(const Command *command, hlc_arguments **arguments) {
    *arguments = NULL;
    return command->operand_count > 1 ? operands_bind(command, 1, arguments)
                                      : choose_schedule(command, NULL);
}
