/* pfm.c -- PFM: f32, grey ("Pf") or RGB ("PF"), rows from the bottom up. A negative third number of
 * the header means little-endian. Its magnitude, a unit, is ignored.
 */
#include "driver/image/format.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next word, ended by one white space, which is taken too. */
static bool read_word(const Bytes *file, size_t *at, char *word, size_t size) {
    size_t length = 0;
    while (*at < file->length && !isspace(file->data[*at]) && length + 1 < size)
        word[length++] = (char)file->data[(*at)++];
    word[length] = 0;
    return length > 0 && *at < file->length && isspace(file->data[(*at)++]);
}

static bool read_extent(const Bytes *file, size_t *at, int64_t *extent) {
    char word[32], *end;
    if (!read_word(file, at, word, sizeof word) || !isdigit((unsigned char)word[0]))
        return false;
    *extent = strtoll(word, &end, 10);
    return *end == 0 && *extent <= INT32_MAX;
}

static bool read_scale(const Bytes *file, size_t *at, double *scale) {
    char word[32], *end;
    if (!read_word(file, at, word, sizeof word))
        return false;
    *scale = strtod(word, &end);
    return *end == 0 && isfinite(*scale) && *scale != 0;
}

bool pfm_decode(const Bytes *file, Picture *picture, ImageFailure *failure) {
    int64_t width, height, channels = file->data[1] == 'F' ? 3 : 1;
    double scale;
    size_t at = 3;
    if (!read_extent(file, &at, &width) || !read_extent(file, &at, &height) ||
        !read_scale(file, &at, &scale))
        return image_broken(failure, "its header is not width, height and scale");
    double bytes = (double)width * (double)height * (double)channels * 4;
    if (bytes > (double)(file->length - at))
        return image_broken(failure, "it ends too early: its header claims %lld by %lld pixels",
                            (long long)width, (long long)height);
    if (bytes < (double)(file->length - at))
        return image_fail(failure, IMAGE_UNSUPPORTED, "more bytes follow the picture",
                          "cut a file of several pictures into files of one each");
    if (!picture_allocate(picture, HLC_FLOAT, 32, width, height, channels, failure))
        return false;
    memcpy(picture->memory, file->data + at, file->length - at);
    if (scale > 0)
        swap_bytes(picture->memory, (file->length - at) / 4, 4);
    picture_turn(picture, 4);
    return true;
}

bool pfm_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    size_t row = (size_t)image->stride[1] * image_element_bytes(image);
    (void)failure;
    fprintf(file, "P%c\n%lld %lld\n-1.0\n", image->extent[2] == 1 ? 'f' : 'F',
            (long long)image->extent[0], (long long)image->extent[1]);
    for (int64_t y = image->extent[1]; y-- > 0;)
        fwrite((unsigned char *)image->data + (size_t)y * row, 1, row, file);
    return true;
}
