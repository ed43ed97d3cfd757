/* axes.c -- the axes of a .npy array (image.h). Formats.c decodes an array as NumPy's picture libraries
 * have it: rows, columns, channels. Here its dimensions get the meaning that the image's layout, or a
 * word before the path, gives them. */
#include "driver/image/format.h"

#include <string.h>

/* PICTURE[dimensions - 1][axis] is the image's dimension, as npy.c has it. */
static const int8_t PICTURE[4][4] = {{0}, {1, 0}, {1, 0, 2}, {3, 1, 0, 2}};

static int dimension_of(char letter) {
    static const char LETTERS[] = "xyzctn";
    static const int8_t DIMENSIONS[] = {0, 1, 2, 2, 3, 3};
    const char *found = letter ? strchr(LETTERS, letter) : NULL;
    return found ? DIMENSIONS[found - LETTERS] : -1;
}

bool image_axes_read(const char **path, ImageAxes *axes) {
    const char *word = *path;
    unsigned seen = 0;
    *axes = (ImageAxes){0};
    for (; axes->count < 4 && dimension_of(word[axes->count]) >= 0; axes->count++) {
        axes->of[axes->count] = (int8_t)dimension_of(word[axes->count]);
        seen |= 1u << axes->of[axes->count];
    }
    bool is_word = axes->count > 0 && word[axes->count] == ':' && seen == (1u << axes->count) - 1;
    if (is_word)
        *path += axes->count + 1;
    axes->is_said = is_word;
    return is_word;
}

ImageAxes image_axes(int dimensions, hlc_layout layout) {
    ImageAxes axes = {.count = dimensions};
    for (int i = 0; i < dimensions; i++)
        axes.of[i] = (int8_t)(dimensions - 1 - i);
    for (int i = 1; dimensions >= 3 && layout == HLC_INTERLEAVED && i < dimensions; i++)
        if (axes.of[i - 1] == 2) { /* the channels go last */
            axes.of[i - 1] = axes.of[i];
            axes.of[i] = 2;
        }
    return axes;
}

/* Moves each axis from the dimension `from` says to the one that `to` says. */
static void move(hlc_image *image, const int8_t *from, const int8_t *to) {
    const hlc_image before = *image;
    for (int i = 0; i < image->dimensions; i++) {
        image->minimum[to[i]] = before.minimum[from[i]];
        image->extent[to[i]] = before.extent[from[i]];
        image->stride[to[i]] = before.stride[from[i]];
    }
}

bool axes_decode(Picture *picture, const ImageAxes *axes, ImageFailure *failure) {
    hlc_image *image = &picture->image;
    if (axes->is_said && (!picture->is_array || axes->count != image->dimensions))
        return image_fail(
            failure, IMAGE_MISFIT,
            picture->is_array ? "the word before its path names other axes than it has"
                              : "the word before its path names axes, and it is no array",
            "a word such as yxc: names each axis of a .npy array, the first axis first");
    if (picture->is_array && axes->count == image->dimensions && image->dimensions > 0)
        move(image, PICTURE[image->dimensions - 1], axes->of);
    return true;
}

bool axes_encode(hlc_image *image, const ImageAxes *axes, bool is_array, ImageFailure *failure) {
    if (axes->is_said && (!is_array || axes->count != image->dimensions))
        return image_fail(
            failure, IMAGE_UNFIT,
            is_array ? "the word before its path names other axes than it has"
                     : "the word before its path names axes, and it is no array",
            "a word such as yxc: names each axis of a .npy array, the first axis first");
    if (is_array && image->dimensions > 0)
        move(image, axes->of, PICTURE[image->dimensions - 1]);
    return true;
}

bool image_looks_turned(const Picture *picture, const ImageAxes *axes) {
    enum { FEW = 4 };
    const int64_t *extent = picture->image.extent;
    return picture->is_array && !axes->is_said && picture->image.dimensions == 3 &&
           extent[2] > FEW &&
           ((extent[0] > 0 && extent[0] <= FEW && extent[1] > FEW) ||
            (axes->of[2] == 2 && extent[1] > 0 && extent[1] <= FEW));
}
