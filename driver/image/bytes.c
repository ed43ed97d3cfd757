/* bytes.c -- reads whole files, and grows byte arrays. */
#include "driver/image/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool read_stream(FILE *file, int64_t most, Bytes *bytes, ImageFailure *failure) {
    enum { HEADERS = 1 << 20 };
    most = most > MOST_FILE_BYTES ? most + HEADERS : MOST_FILE_BYTES;
    unsigned char piece[1 << 16];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        if ((int64_t)(bytes->length + got) > most) {
            char reason[80];
            snprintf(reason, sizeof reason, "the file has more than %lld MB",
                     (long long)(most >> 20));
            return image_fail(failure, IMAGE_TOO_LARGE, reason, "cut it into parts");
        }
        if (!bytes_append(bytes, piece, got))
            return image_no_memory(failure);
    }
    return !ferror(file) || image_fail(failure, IMAGE_UNREADABLE, strerror(errno), "");
}

/* Was this process started with what the path names? */
static bool is_descriptor(const char *path) {
    static const char *const FOLDERS[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        if (strncmp(path, FOLDERS[i], strlen(FOLDERS[i])) == 0)
            return true;
    return strcmp(path, "/dev/stdin") == 0;
}

/* Opens the file without waiting for another process. */
static FILE *open_finite(const char *path, ImageFailure *failure) {
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        image_fail(failure, IMAGE_UNREADABLE, strerror(errno), "");
    } else if (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) ||
               (S_ISFIFO(about.st_mode) && is_descriptor(path))) {
        fcntl(descriptor, F_SETFL, O_RDONLY); /* now it may wait */
        return fdopen(descriptor, "rb");
    } else {
        image_fail(failure, IMAGE_UNREADABLE,
                   S_ISFIFO(about.st_mode) ? "it is a named pipe, which may never end"
                                           : "it is a device or a socket, which may never end",
                   "");
    }
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

bool bytes_read(const char *path, int64_t most, Bytes *bytes, ImageFailure *failure) {
    image_fail(failure, IMAGE_UNREADABLE, strerror(ENOMEM), "");
    FILE *file = open_finite(path, failure);
    if (!file)
        return false;
    bool read = read_stream(file, most, bytes, failure);
    fclose(file);
    return read;
}
