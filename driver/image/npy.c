/* npy.c -- NumPy's .npy files (its format description, versions 1 to 3): arrays of up to four
 * dimensions, in either byte order and either memory order.
 *
 * NumPy's libraries give a picture the shape (rows, columns, channels). So the axes of an array are
 * x; y, x; y, x, channel; or n, y, x, channel, for the image dimensions x, y, channel, n; axes.c gives
 * them the meaning that the image's layout or the user wants. The
 * elements are the samples, of the same type, and are not scaled. NumPy has no bf16: as the package
 * ml_dtypes does, bf16 is written as V2, two bytes without a meaning.
 */
#include "driver/image/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* AXES[dimensions - 1][axis] is the image's dimension. */
static const int AXES[4][4] = {{0}, {1, 0}, {1, 0, 2}, {3, 1, 0, 2}};

typedef struct NpyHeader {
    char type[8]; /* "<f4" */
    bool fortran; /* the first axis varies fastest */
    int dimensions;
    int64_t shape[4];
    unsigned seen; /* a bit for each key */
} NpyHeader;

typedef struct NpyScanner {
    const char *at, *end;
    ImageFailure *failure;
} NpyScanner;

/* ---- the header, a Python dictionary ---- */

static void skip_space(NpyScanner *scanner) {
    while (scanner->at < scanner->end && isspace((unsigned char)*scanner->at))
        scanner->at++;
}

static bool take(NpyScanner *scanner, const char *text) {
    size_t length = strlen(text);
    skip_space(scanner);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, text, length) != 0)
        return false;
    scanner->at += length;
    return true;
}

/* 'text' or "text", of fewer than `size` characters. */
static bool take_string(NpyScanner *scanner, char *text, size_t size) {
    skip_space(scanner);
    if (scanner->at == scanner->end || (*scanner->at != '\'' && *scanner->at != '"'))
        return false;
    char quote = *scanner->at++;
    size_t length = 0;
    while (scanner->at < scanner->end && *scanner->at != quote && length + 1 < size)
        text[length++] = *scanner->at++;
    text[length] = 0;
    return scanner->at < scanner->end && *scanner->at++ == quote;
}

static bool take_shape(NpyScanner *scanner, NpyHeader *header) {
    if (!take(scanner, "("))
        return false;
    while (!take(scanner, ")")) {
        int64_t extent = 0;
        skip_space(scanner);
        if (scanner->at == scanner->end || !isdigit((unsigned char)*scanner->at))
            return false;
        for (; scanner->at < scanner->end && isdigit((unsigned char)*scanner->at); scanner->at++) {
            extent = extent * 10 + (*scanner->at - '0');
            if (extent > INT32_MAX)
                return false;
        }
        if (header->dimensions == 4)
            return image_fail(scanner->failure, IMAGE_UNSUPPORTED,
                              "it has more than four dimensions", "reshape the array");
        header->shape[header->dimensions++] = extent;
        skip_space(scanner);
        if (!take(scanner, ",") && !(scanner->at < scanner->end && *scanner->at == ')'))
            return false;
    }
    return true;
}

static bool take_entry(NpyScanner *scanner, NpyHeader *header) {
    static const char *const KEYS[] = {"descr", "fortran_order", "shape"};
    char key[16];
    int i = 0;
    if (!take_string(scanner, key, sizeof key) || !take(scanner, ":"))
        return false;
    while (i < 3 && strcmp(key, KEYS[i]) != 0)
        i++;
    if (i == 3 || header->seen & 1u << i)
        return false;
    header->seen |= 1u << i;
    if (i == 2)
        return take_shape(scanner, header);
    if (i == 1) {
        header->fortran = take(scanner, "True");
        return header->fortran || take(scanner, "False");
    }
    if (take_string(scanner, header->type, sizeof header->type))
        return true;
    return image_fail(scanner->failure, IMAGE_UNSUPPORTED, "its elements are not plain numbers",
                      "save an array of numbers of one type");
}

static bool take_header(NpyScanner *scanner, NpyHeader *header) {
    if (!take(scanner, "{"))
        return false;
    while (!take(scanner, "}"))
        if (!take_entry(scanner, header) ||
            (!take(scanner, ",") && !(scanner->at < scanner->end && *scanner->at == '}')))
            return false;
    skip_space(scanner);
    return scanner->at == scanner->end && header->seen == 7;
}

/* Returns the offset of the elements, or 0 after failing. */
static size_t read_header(const Bytes *file, NpyHeader *header, ImageFailure *failure) {
    const unsigned char *b = file->data;
    int version = file->length > 6 ? b[6] : 0;
    size_t begin = version == 1 ? 10 : 12;
    if (version < 1 || version > 3 || file->length < begin) {
        image_broken(failure, "its header is cut short, or of an unknown version");
        return 0;
    }
    size_t length = b[8] | (size_t)b[9] << 8;
    if (version > 1)
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (length > file->length - begin) {
        image_broken(failure, "its header is cut short");
        return 0;
    }
    const char *text = (const char *)b + begin;
    NpyScanner scanner = {text, text + length, failure};
    image_broken(failure, "its header is not what NumPy writes");
    return take_header(&scanner, header) ? begin + length : 0;
}

/* ---- elements ---- */

static const char KINDS[] = "biufV"; /* of hlc_kind */

/* "<f4": the byte order, the kind, the bytes. */
static bool read_type(const NpyHeader *header, hlc_image *image, bool *swap) {
    const char *type = header->type, *kind = type[0] && type[1] ? strchr(KINDS, type[1]) : NULL;
    if (!kind || !type[2] || type[3] || !strchr("<>|=", type[0]))
        return false;
    int bytes = type[2] - '0';
    image->kind = (hlc_kind)(kind - KINDS);
    image->bits = image->kind == HLC_BOOL ? 1 : 8 * bytes;
    *swap = bytes > 1 && type[0] == '>';
    return image->kind == HLC_BOOL     ? bytes == 1
           : image->kind == HLC_FLOAT  ? bytes == 2 || bytes == 4 || bytes == 8
           : image->kind == HLC_BFLOAT ? bytes == 2
                                       : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Returns the claimed bytes, and the strides; negative if there are more than `most`. */
static double lay_out(const NpyHeader *header, hlc_image *image, int64_t most) {
    double elements = 1;
    int64_t stride = 1;
    image->dimensions = header->dimensions;
    for (int i = 0; i < header->dimensions; i++)
        elements *= (double)header->shape[i];
    if (elements * (double)image_element_bytes(image) > (double)most)
        return -1;
    for (int i = 0; i < header->dimensions; i++) {
        int axis = header->fortran ? i : header->dimensions - 1 - i;
        int d = AXES[header->dimensions - 1][axis];
        image->extent[d] = header->shape[axis];
        image->stride[d] = stride;
        stride *= header->shape[axis] > 0 ? header->shape[axis] : 1;
        if (stride > most)
            return -1;
    }
    return elements * (double)image_element_bytes(image);
}

bool npy_decode(const Bytes *file, Picture *picture, ImageFailure *failure) {
    NpyHeader header = {0};
    hlc_image *image = &picture->image;
    bool swap;
    size_t begin = read_header(file, &header, failure);
    if (!begin)
        return false;
    if (!read_type(&header, image, &swap))
        return image_fail(failure, IMAGE_UNSUPPORTED,
                          "its elements are neither bool, integers, f16, bf16, f32 nor f64",
                          "save an array of such numbers");
    double bytes = lay_out(&header, image, picture_most_bytes(picture));
    if (bytes < 0)
        return image_beyond_limit(picture, "its elements", failure);
    size_t length = file->length - begin;
    if (bytes != (double)length)
        return image_broken(failure, "it has %zu bytes of elements, and its header claims %.0f",
                            length, bytes);
    picture->is_array = true;
    picture->memory = image->data = malloc(length ? length : 1);
    if (!picture->memory)
        return image_no_memory(failure);
    memcpy(picture->memory, file->data + begin, length);
    if (swap)
        swap_bytes(picture->memory, length / image_element_bytes(image),
                   image_element_bytes(image));
    for (size_t i = 0; image->kind == HLC_BOOL && i < length; i++)
        ((unsigned char *)picture->memory)[i] = ((unsigned char *)picture->memory)[i] != 0;
    return true;
}

/* Blanks pad the header, so the elements are aligned to 64 bytes. */
bool npy_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    (void)failure;
    char text[256] = "", shape[100] = "";
    size_t bytes = image_element_bytes(image), count = 1;
    for (int i = 0, used = 0; i < image->dimensions; i++) {
        int64_t extent = image->extent[AXES[image->dimensions - 1][i]];
        used += snprintf(shape + used, sizeof shape - (size_t)used, "%lld%s", (long long)extent,
                         image->dimensions == 1      ? ","
                         : i + 1 < image->dimensions ? ", "
                                                     : "");
        count *= (size_t)extent;
    }
    char order = bytes == 1 ? '|' : '<';
    int length =
        snprintf(text, sizeof text, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
                 order, KINDS[image->kind], bytes, shape);
    size_t whole = (10 + (size_t)length + 1 + 63) / 64 * 64 - 10;
    fputs("\x93NUMPY\1", file);
    fputc(0, file);
    fputc((int)(whole & 255), file);
    fputc((int)(whole >> 8), file);
    fprintf(file, "%-*s\n", (int)whole - 1, text);
    fwrite(image->data, bytes, count, file);
    return true;
}
