/* images.c -- picture files for inputs and outputs: driver/image/ does the work; this file reports
 * failures. */
#include "driver/driver.h"

#include "driver/image/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reports the failure; `name` is the input's or output's. */
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

/* Reads the channels that a prefix of the path requests; `*path` advances behind it. */
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

/* The axes of an array file of an image or output: those of a word before the path, which advances, or
 * those of its layout. */
static ImageAxes axes_of(const hlc_arguments *arguments, const char *name, int dimensions,
                         const char **path) {
    ImageAxes axes;
    return image_axes_read(path, &axes)
               ? axes
               : image_axes(dimensions, hlc_arguments_layout(arguments, name));
}

/* A picture's array that is read as a volume, or the other way round. */
static void warn_of_axes(const Command *command, const char *name, const char *path,
                         const Picture *picture, const ImageAxes *axes) {
    static const char LETTERS[] = "xyz";
    char shape[80] = "", order[4] = "";
    for (int i = 0, used = 0; i < 3; i++) {
        used += snprintf(shape + used, sizeof shape - (size_t)used, "%s%" PRId64, i ? ", " : "",
                         picture->image.extent[axes->of[i]]);
        order[i] = axes->of[2] == 2 && i == 2 ? 'c' : LETTERS[axes->of[i]];
    }
    diagnose(command, "E0875", path, shape, name, order);
}

hlc_status images_load(const Command *command, hlc_arguments *arguments, const char *name,
                       const char *path) {
    enum { MEGABYTES = IMAGE_MOST_BYTES >> 20, MOST = 1 << 30 };
    int64_t megabytes;
    if (options_number(command, OPTION_PICTURE_LIMIT, 0, MEGABYTES, &megabytes) != HLC_YES)
        return HLC_USER;
    bool is_limited = megabytes > 0 && megabytes < MOST;
    ImageAxes axes;
    ImageDemand demand = {.channels = channels_asked(&path),
                          .most_bytes = (is_limited ? megabytes : (int64_t)MOST) << 20};
    Picture picture;
    ImageFailure failure;
    hlc_arguments_is_image(arguments, name, &demand.kind, &demand.bits, &demand.dimensions);
    axes = axes_of(arguments, name, demand.dimensions, &path);
    if (!demand.channels)
        demand.axes = &axes;
    if (!files_allow(command, path))
        return HLC_USER;
    if (!image_load(path, &demand, &picture, &failure))
        return report(command, name, path, &failure);
    if (demand.axes && image_looks_turned(&picture, &axes))
        warn_of_axes(command, name, path, &picture, &axes);
    hlc_status status = hlc_arguments_set_image(arguments, name, &picture.image);
    free(picture.memory);
    return status;
}

hlc_status images_check_path(const Command *command, const char *path) {
    ImageFailure failure;
    ImageAxes axes;
    image_axes_read(&path, &axes);
    if (!image_check_path(path, &failure))
        return report(command, "", path, &failure);
    return files_allow(command, path) ? HLC_YES : HLC_USER;
}

/* Reports the samples that the format of the file cannot hold. */
static void report_clamped(const Command *command, const char *name, const hlc_image *image,
                           const char *path) {
    int64_t above, count, clamped = image_count_clamped(path, image, &above, &count);
    if (clamped == 0)
        return;
    bool is_white = above > count / 2;
    char of[2][24];
    snprintf(of[0], sizeof of[0], "%" PRId64, is_white ? above : clamped);
    snprintf(of[1], sizeof of[1], "%" PRId64, count);
    diagnose(command, is_white ? "E0434" : "E0867", of[0], of[1], name, path);
}

hlc_status images_save(const Command *command, const hlc_arguments *arguments, const char *name,
                       const hlc_image *image, const char *path, NewFile *new_file) {
    ImageFailure failure;
    ImageAxes axes = axes_of(arguments, name, image->dimensions, &path);
    unsigned char *bytes;
    size_t length;
    if (!image_encode(path, image, &axes, &bytes, &length, &failure))
        return report(command, name, path, &failure);
    hlc_status status = files_spare_source(command, path);
    if (status == HLC_YES)
        status = file_begin(command, path, new_file);
    if (status == HLC_YES) {
        fwrite(bytes, 1, length, new_file->file);
        report_clamped(command, name, image, path);
    }
    free(bytes);
    return status;
}

/* Returns the bytes of an element. All NaNs have the same bytes. */
static const unsigned char *element_bytes(const hlc_image *image, size_t size, size_t i) {
    static const uint16_t NAN_16 = 0x7e00, NAN_B16 = 0x7fc0;
    static const float NAN_32 = NAN;
    static const double NAN_64 = NAN;
    const unsigned char *bytes = (const unsigned char *)image->data + i * size;
    if (!image_kind_is_float(image->kind) || !isnan(image_float(image->kind, image->bits, bytes)))
        return bytes;
    const void *nan = image->kind == HLC_BFLOAT ? (const void *)&NAN_B16
                      : size == 2               ? (const void *)&NAN_16
                      : size == 4               ? (const void *)&NAN_32
                                                : (const void *)&NAN_64;
    return nan;
}

uint64_t images_hash(const hlc_image *image) {
    size_t size = image->bits == 1 ? 1 : (size_t)image->bits / 8, count = 1;
    for (int d = 0; d < image->dimensions; d++)
        count *= (size_t)image->extent[d];
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < count; i++) {
        const unsigned char *bytes = element_bytes(image, size, i);
        for (size_t b = 0; b < size; b++)
            hash = (hash ^ bytes[b]) * 0x100000001b3u;
    }
    return hash;
}
