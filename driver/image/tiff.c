/* tiff.c -- lets libtiff read from and write to bytes in memory. Its errors and warnings come to
 * us, through the handle, and are not printed. */
#include "driver/image/tiff.h"

#include <string.h>

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t length) {
    TiffFile *file = handle;
    uint64_t left = file->at < file->bytes->length ? file->bytes->length - file->at : 0;
    uint64_t count = (uint64_t)length < left ? (uint64_t)length : left;
    if (count)
        memcpy(to, file->bytes->data + file->at, count);
    file->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t length) {
    static const unsigned char zeros[256] = {0};
    TiffFile *file = handle;
    Bytes *bytes = file->bytes;
    if (length < 0 || file->at + (uint64_t)length > (uint64_t)2 * MOST_FILE_BYTES)
        return 0;
    while (bytes->length < file->at) {
        uint64_t gap = file->at - bytes->length;
        if (!bytes_append(bytes, zeros, gap < sizeof zeros ? gap : sizeof zeros))
            return 0;
    }
    uint64_t inside = bytes->length - file->at, count = (uint64_t)length;
    inside = inside < count ? inside : count;
    if (inside)
        memcpy(bytes->data + file->at, from, inside);
    if (!bytes_append(bytes, (unsigned char *)from + inside, count - inside))
        return 0;
    file->at += count;
    return length;
}

static toff_t seek(thandle_t handle, toff_t to, int whence) {
    TiffFile *file = handle;
    file->at = whence == SEEK_SET   ? to
               : whence == SEEK_CUR ? file->at + to
                                    : file->bytes->length + to;
    return file->at;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size(thandle_t handle) {
    return ((TiffFile *)handle)->bytes->length;
}

static int on_error(TIFF *tiff, void *data, const char *module, const char *format,
                    va_list arguments) {
    TiffFile *file = data;
    char text[160];
    (void)tiff;
    (void)module;
    vsnprintf(text, sizeof text, format, arguments);
    if (!file->failed)
        image_broken(file->failure, "%s", text);
    file->failed = true;
    return 1; /* libtiff's own handler is not called */
}

static int on_warning(TIFF *tiff, void *data, const char *module, const char *format,
                      va_list arguments) {
    (void)tiff;
    (void)data;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

TIFF *tiff_open(TiffFile *file, const char *mode) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, file);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, file);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)MOST_FILE_BYTES);
    TIFF *tiff = TIFFClientOpenExt("the file", mode, file, read_bytes, write_bytes, seek,
                                   close_nothing, size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
