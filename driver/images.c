/* images.c -- picture files for inputs and outputs: image/ does the work, this says what fails. */
#include "driver/driver.h"

#include "image/image.h"

#include <stdlib.h>
#include <string.h>

/* Reports it; `name` is the input's or output's. */
static hlc_status report(const Command *command, const char *name, const char *path,
                         const ImageFailure *failure) {
    switch (failure->fault) {
    case IMAGE_UNREADABLE:
        diagnose(command, "E0801", path, failure->reason);
        return HLC_WORLD;
    case IMAGE_UNKNOWN:
        diagnose(command, "E0840", path, failure->reason, failure->remedy);
        return HLC_WORLD;
    case IMAGE_BROKEN:
        diagnose(command, "E0825", path, failure->format, failure->reason, failure->remedy);
        return HLC_WORLD;
    case IMAGE_UNSUPPORTED:
        diagnose(command, "E0841", path, failure->format, failure->reason, failure->remedy);
        return HLC_WORLD;
    case IMAGE_TOO_LARGE:
        diagnose(command, "E0842", path, failure->reason, failure->remedy);
        return HLC_WORLD;
    case IMAGE_NO_MEMORY:
        return HLC_WORLD;
    case IMAGE_MISFIT:
        diagnose(command, "E0829", path, name, failure->reason, failure->remedy);
        return HLC_USER;
    case IMAGE_UNFIT:
        diagnose(command, "E0826", name, path, failure->reason, failure->remedy);
        return HLC_USER;
    case IMAGE_ENDING:
        diagnose(command, "E0828", path, failure->reason, failure->remedy);
        return HLC_USER;
    }
    return HLC_FAULT;
}

/* The channels that a prefix of the path asks for; `*path` moves behind it. */
static int channels_asked(const char **path) {
    static const struct {
        const char *prefix;
        int channels;
    } PREFIXES[] = {{"gray:", 1}, {"rgb:", 3}, {"rgba:", 4}};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t length = strlen(PREFIXES[i].prefix);
        if (strncmp(*path, PREFIXES[i].prefix, length) == 0) {
            *path += length;
            return PREFIXES[i].channels;
        }
    }
    return 0;
}

hlc_status images_load(const Command *command, hlc_arguments *arguments, const char *name,
                       const char *path) {
    ImageDemand demand = {.channels = channels_asked(&path)};
    Picture picture;
    ImageFailure failure;
    hlc_arguments_is_image(arguments, name, &demand.kind, &demand.bits, &demand.dimensions);
    if (!image_load(path, &demand, &picture, &failure))
        return report(command, name, path, &failure);
    hlc_status status = hlc_arguments_set_image(arguments, name, &picture.image);
    free(picture.memory);
    return status;
}

hlc_status images_check_path(const Command *command, const char *path) {
    ImageFailure failure;
    return image_check_path(path, &failure) ? HLC_YES : report(command, "", path, &failure);
}

hlc_status images_save(const Command *command, const char *name, const hlc_image *image,
                       const char *path) {
    ImageFailure failure;
    NewFile new_file;
    unsigned char *bytes;
    size_t length;
    if (!image_encode(path, image, &bytes, &length, &failure))
        return report(command, name, path, &failure);
    hlc_status status = file_begin(command, path, &new_file);
    if (status == HLC_YES) {
        fwrite(bytes, 1, length, new_file.file);
        status = file_end(command, &new_file, NULL);
    }
    free(bytes);
    return status;
}
