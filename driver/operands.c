/* operands.c -- FILE and name=value. */
#include "driver/driver.h"

#include <string.h>

hlc_status operands_load(const Command *command) {
    if (command->operand_count == 0) {
        diagnose(command, "E0823", command->name, "a file");
        return HLC_USER;
    }
    return hlc_load(command->h, command->operands[0]);
}

hlc_status operands_at_most(const Command *command, int most) {
    if (command->operand_count <= most)
        return HLC_YES;
    diagnose(command, "E0824", command->name, command->operands[most]);
    return HLC_USER;
}

/* Everything that is not one of hlc_arguments_set's words names a file. */
static bool is_path(const char *value) {
    static const char *const WORDS[] = {"zero:", "ramp:", "constant:", "random:", "edges:"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strncmp(value, WORDS[i], strlen(WORDS[i])) == 0)
            return false;
    return true;
}

static hlc_status bind(const Command *command, hlc_arguments *arguments, const char *operand) {
    const char *equals = strchr(operand, '=');
    char name[256];
    if (!equals || equals == operand || (size_t)(equals - operand) >= sizeof name) {
        diagnose(command, "E0824", command->name, operand);
        return HLC_USER;
    }
    memcpy(name, operand, (size_t)(equals - operand));
    name[equals - operand] = 0;
    hlc_kind kind;
    int bits, dimensions;
    if (is_path(equals + 1) && hlc_arguments_is_image(arguments, name, &kind, &bits, &dimensions))
        return images_load(command, arguments, name, equals + 1);
    return hlc_arguments_set(arguments, name, equals + 1);
}

hlc_status operands_bind(const Command *command, int first, hlc_arguments *arguments) {
    for (int i = first; i < command->operand_count; i++) {
        hlc_status status = bind(command, arguments, command->operands[i]);
        if (status != HLC_YES)
            return status;
    }
    return HLC_YES;
}
