/* bytes.c -- reads whole files, and grows byte arrays. */
#include "driver/image/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool bytes_append(Bytes *bytes, const void *more, size_t length) {
    if (length > bytes->capacity - bytes->length) {
        size_t least = bytes->length + length, capacity = bytes->capacity * 2;
        capacity = capacity < least ? least : capacity;
        unsigned char *data = realloc(bytes->data, capacity);
        if (!data)
            return false;
        bytes->data = data;
        bytes->capacity = capacity;
    }
    if (length)
        memcpy(bytes->data + bytes->length, more, length);
    bytes->length += length;
    return true;
}

static bool read_stream(FILE *file, Bytes *bytes, ImageFailure *failure) {
    unsigned char piece[1 << 16];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        if ((int64_t)(bytes->length + got) > MOST_BYTES)
            return image_fail(failure, IMAGE_TOO_LARGE, "the file has more than 2 GiB",
                              "cut it into parts");
        if (!bytes_append(bytes, piece, got))
            return image_no_memory(failure);
    }
    return !ferror(file) || image_fail(failure, IMAGE_UNREADABLE, strerror(errno), "");
}

bool bytes_read(const char *path, Bytes *bytes, ImageFailure *failure) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return image_fail(failure, IMAGE_UNREADABLE, strerror(errno), "");
    bool read = read_stream(file, bytes, failure);
    fclose(file);
    return read;
}
