/* formats.c -- loads, decodes and encodes pictures, by the table of formats (formats.def). */
#include "driver/image/format.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BYTES(TEXT)                                                                                \
    { TEXT, sizeof TEXT - 1 }
#define LIST(...)       __VA_ARGS__
#define ARRAY           0
#define CHANNELS_1      (1u << 1)
#define CHANNELS_3      (1u << 3)
#define CHANNELS_1_OR_3 (CHANNELS_1 | CHANNELS_3)
#define CHANNELS_1_TO_4 (CHANNELS_1_OR_3 | 1u << 2 | 1u << 4)

static const PictureFormat FORMATS[] = {
#define FORMAT(NAME, ENDINGS, MAGIC, TYPES, FLOATS, CHANNELS, MOST, DECODE, ENCODE)                \
    {NAME, ENDINGS, {LIST MAGIC}, TYPES, FLOATS, CHANNELS, MOST, DECODE, ENCODE},
#include "driver/image/formats.def"
#undef FORMAT
};

enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

const PictureFormat *image_format(int i) {
    return i < FORMAT_COUNT ? &FORMATS[i] : NULL;
}

void image_print_formats(FILE *out) {
    for (const PictureFormat *format = FORMATS; format < FORMATS + FORMAT_COUNT; format++) {
        fprintf(out, "format %s:%s:%s:", format->name, format->endings, format->types);
        for (int c = 1; c <= 4; c++)
            if (format->channels >> c & 1)
                fprintf(out, " %d", c);
        fprintf(out, "\n");
    }
}

/* ---- lists of formats, for messages ---- */

static bool holds_any_picture(const PictureFormat *format) {
    return format->channels == CHANNELS_1_TO_4;
}

/* Appends `verb`, then the names (or, if `endings`, the usual endings) of the formats of which the
 * predicate holds, as "read are A, B and C". */
static void list_formats(char *text, size_t size, const char *verb, bool endings,
                         bool (*holds)(const PictureFormat *)) {
    const PictureFormat *listed[FORMAT_COUNT];
    size_t count = 0, at = (size_t)snprintf(text, size, "%s", verb);
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (!holds || holds(&FORMATS[i]))
            listed[count++] = &FORMATS[i];
    for (size_t i = 0; i < count && at < size; i++) {
        const char *before = i == 0 ? " " : i + 1 == count ? " and " : ", ";
        const char *ending = listed[i]->endings + 1;
        at += (size_t)(endings ? snprintf(text + at, size - at, "%s.%.*s", before,
                                          (int)strcspn(ending, " "), ending)
                               : snprintf(text + at, size - at, "%s%s", before, listed[i]->name));
    }
}

/* ---- loading ---- */

static bool begins_as(const Bytes *file, const PictureFormat *format) {
    for (size_t i = 0; i < sizeof format->magic / sizeof *format->magic; i++) {
        const Magic *magic = &format->magic[i];
        if (magic->length && file->length >= magic->length &&
            memcmp(file->data, magic->bytes, magic->length) == 0)
            return true;
    }
    return false;
}

static bool decode(const Bytes *file, int64_t most_bytes, Picture *picture, ImageFailure *failure) {
    *picture = (Picture){.most_bytes = most_bytes};
    size_t i = 0;
    while (i < FORMAT_COUNT && !begins_as(file, &FORMATS[i]))
        i++;
    if (i == FORMAT_COUNT) {
        char known[sizeof failure->remedy];
        list_formats(known, sizeof known, "read are", false, NULL);
        return image_fail(failure, IMAGE_UNKNOWN,
                          file->length ? "its first bytes are no format's that is read"
                                       : "the file is empty",
                          known);
    }
    snprintf(failure->format, sizeof failure->format, "%s", FORMATS[i].name);
    if (FORMATS[i].decode(file, picture, failure))
        return true;
    free(picture->memory);
    *picture = (Picture){0};
    return false;
}

bool image_decode(const unsigned char *bytes, size_t length, Picture *picture,
                  ImageFailure *failure) {
    Bytes file = {.data = (unsigned char *)bytes, .length = length};
    return decode(&file, 0, picture, failure);
}

bool image_load(const char *path, const ImageDemand *demand, Picture *picture,
                ImageFailure *failure) {
    Bytes file = {0};
    *failure = (ImageFailure){0};
    *picture = (Picture){0};
    bool loaded = bytes_read(path, demand->most_bytes, &file, failure) &&
                  decode(&file, demand->most_bytes, picture, failure) &&
                  (!demand->axes || axes_decode(picture, demand->axes, failure)) &&
                  image_fit(picture, demand, failure);
    free(file.data);
    if (!loaded) {
        free(picture->memory);
        *picture = (Picture){0};
    }
    return loaded;
}

/* ---- saving ---- */

/* Is `word` (of `length`) among the words of `list`, each between blanks?  Case does not count. */
static bool has_word(const char *list, const char *word, size_t length) {
    while (*list) {
        list += strspn(list, " ");
        size_t here = strcspn(list, " ");
        if (here && here == length && strncasecmp(list, word, length) == 0)
            return true;
        list += here;
    }
    return false;
}

static const PictureFormat *format_of_path(const char *path, ImageFailure *failure) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < FORMAT_COUNT; i++)
        if (has_word(FORMATS[i].endings, dot + 1, strlen(dot + 1))) {
            snprintf(failure->format, sizeof failure->format, "%s", FORMATS[i].name);
            return &FORMATS[i];
        }
    char written[sizeof failure->remedy];
    list_formats(written, sizeof written, "written are", true, NULL);
    image_fail(failure, IMAGE_ENDING, "its ending names no format that is written", written);
    return NULL;
}

bool image_check_path(const char *path, ImageFailure *failure) {
    return format_of_path(path, failure) != NULL;
}

/* Does the format support these dimensions, channels and sizes? */
static bool check_shape(const PictureFormat *format, const hlc_image *image,
                        ImageFailure *failure) {
    if (format->channels == ARRAY)
        return true;
    int64_t channels = image->dimensions > 2 ? image->extent[2] : 1;
    if (image->dimensions > 3)
        return image_fail(failure, IMAGE_UNFIT, "a picture has up to three dimensions",
                          "write a .npy file, or fewer dimensions");
    for (int d = 0; d < image->dimensions; d++)
        if (image->extent[d] < 1)
            return image_fail(failure, IMAGE_UNFIT, "a picture has at least one pixel",
                              "write a .npy file, or ask for a larger window");
    if (channels > 4 || !(format->channels >> channels & 1)) {
        char reason[100], remedy[sizeof failure->remedy];
        snprintf(reason, sizeof reason, "a %s file does not hold %lld channels", format->name,
                 (long long)channels);
        list_formats(remedy, sizeof remedy, "one to four fit into", false, holds_any_picture);
        size_t length = strlen(remedy);
        snprintf(remedy + length, sizeof remedy - length, ", any number into a .npy file");
        return image_fail(failure, IMAGE_UNFIT, reason, remedy);
    }
    for (int d = 0; d < 2 && d < image->dimensions; d++)
        if (image->extent[d] > format->most_extent)
            return image_fail(failure, IMAGE_UNFIT, "it has more pixels in a row than that holds",
                              "write a TIFF or a .npy file");
    return true;
}

static bool unfit_type(const PictureFormat *format, TypeText type, ImageFailure *failure) {
    char reason[100], remedy[200];
    snprintf(reason, sizeof reason, "a %s file does not hold %s", format->name, type.text);
    snprintf(remedy, sizeof remedy, "it holds%sonly: cast in the pipeline, or write a .npy file",
             format->types);
    return image_fail(failure, IMAGE_UNFIT, reason, remedy);
}

/* Packs the image's elements; a picture's in three dimensions. */
static bool pack(const PictureFormat *format, const hlc_image *image, Picture *packed,
                 ImageFailure *failure) {
    *packed = (Picture){.image = *image};
    hlc_image *made = &packed->image;
    made->data = packed->memory = image_packed(image);
    for (int d = image->dimensions; d < 3; d++)
        made->extent[d] = 1;
    made->dimensions = format->channels != ARRAY ? 3 : image->dimensions;
    const int64_t stride[] = {made->extent[2], made->extent[0] * made->extent[2], 1};
    memcpy(made->stride, stride, sizeof stride);
    return packed->memory || image_no_memory(failure);
}

static bool holds_type(const PictureFormat *format, const hlc_image *image) {
    TypeText type = image_type_text(image->kind, image->bits);
    return has_word(format->types, type.text, strlen(type.text));
}

/* Packs the image in a type of the format: bools become 0 and 255 if necessary, and floats are
 * clamped to [0, 1]. */
static bool prepare(const PictureFormat *format, const hlc_image *image, Picture *prepared,
                    ImageFailure *failure) {
    if (holds_type(format, image))
        return pack(format, image, prepared, failure);
    bool as_byte = image->kind == HLC_BOOL && has_word(format->types, "u8", 2);
    bool as_part = image_kind_is_float(image->kind) && *format->floats;
    if (!as_byte && !as_part)
        return unfit_type(format, image_type_text(image->kind, image->bits), failure);
    Picture parts;
    int bits = as_part && strcmp(format->floats, "u16") == 0 ? 16 : 8;
    bool made = pack(format, image, &parts, failure) &&
                picture_convert(&parts, HLC_UINT, bits, 0, failure) &&
                pack(format, &parts.image, prepared, failure);
    free(parts.memory);
    return made;
}

static bool encode(const char *path, const hlc_image *image, const ImageAxes *axes, FILE *file,
                   ImageFailure *failure) {
    *failure = (ImageFailure){0};
    const PictureFormat *format = format_of_path(path, failure);
    Picture prepared = {0};
    hlc_image turned = *image;
    bool encoded = format && check_shape(format, image, failure) &&
                   (!axes || axes_encode(&turned, axes, format->channels == ARRAY, failure)) &&
                   prepare(format, &turned, &prepared, failure) &&
                   format->encode(&prepared.image, file, failure);
    free(prepared.memory);
    return encoded;
}

bool image_encode(const char *path, const hlc_image *image, const ImageAxes *axes,
                  unsigned char **bytes, size_t *length, ImageFailure *failure) {
    char *made = NULL;
    *length = 0;
    FILE *file = open_memstream(&made, length);
    bool encoded = file && encode(path, image, axes, file, failure);
    bool is_whole = file && fseeko(file, 0, SEEK_END) == 0 && !ferror(file);
    if ((file && fclose(file) != 0) || !is_whole)
        encoded = image_no_memory(failure);
    if (!encoded) {
        free(made);
        made = NULL;
        *length = 0;
    }
    *bytes = (unsigned char *)made;
    return encoded;
}

int64_t image_count_clamped(const char *path, const hlc_image *image, int64_t *above,
                            int64_t *count) {
    ImageFailure failure;
    const PictureFormat *format = format_of_path(path, &failure);
    int64_t clamped = 0;
    *above = 0;
    *count = 1;
    for (int d = 0; d < image->dimensions; d++)
        *count *= image->extent[d];
    if (!format || !image_kind_is_float(image->kind) || holds_type(format, image))
        return 0;
    unsigned char *samples = image_packed(image);
    for (int64_t i = 0; samples && i < *count; i++) {
        double value = image_float(image->kind, image->bits, samples + i * image->bits / 8);
        clamped += !(value >= 0 && value <= 1);
        *above += value > 1;
    }
    free(samples);
    return clamped;
}
