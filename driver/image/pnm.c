/* pnm.c -- Netpbm's formats: PBM, PGM and PPM in text ("P1" .. "P3") and in bytes ("P4" .. "P6"),
 * and PAM ("P7"), which has up to four channels.
 *
 * A sample's full scale is the header's maxval, 1 to 65535. Samples are rescaled to 8 bits, or to
 * 16 bits if maxval exceeds 255. 16-bit samples are big-endian. A file contains one picture and
 * nothing else.
 */
#include "driver/image/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct PnmHeader {
    int64_t width, height, channels, most;
    bool text, bits; /* samples in text; eight pixels a byte, 1 is black */
} PnmHeader;

typedef struct PnmScanner {
    const Bytes *file;
    size_t at;
    ImageFailure *failure;
} PnmScanner;

/* ---- headers ---- */

static int peek(const PnmScanner *scanner) {
    return scanner->at < scanner->file->length ? scanner->file->data[scanner->at] : EOF;
}

/* White space, and comments from # to the end of the line. */
static void skip_space(PnmScanner *scanner) {
    for (int c; (c = peek(scanner)) == '#' || (c != EOF && isspace(c));) {
        if (c == '#')
            while ((c = peek(scanner)) != EOF && c != '\n')
                scanner->at++;
        else
            scanner->at++;
    }
}

static bool read_number(PnmScanner *scanner, int64_t most, int64_t *value) {
    skip_space(scanner);
    *value = 0;
    int c = peek(scanner);
    if (c == EOF)
        return image_broken(scanner->failure, "it ends too early");
    if (!isdigit(c))
        return image_broken(scanner->failure, "there is no number where one is needed");
    for (; isdigit(c = peek(scanner)); scanner->at++) {
        *value = *value * 10 + (c - '0');
        if (*value > most)
            return image_broken(scanner->failure, "a number is larger than %lld", (long long)most);
    }
    return true;
}

/* Reads the end of the header: one white space before the bytes. */
static bool end_header(PnmScanner *scanner) {
    if (isspace(peek(scanner))) {
        scanner->at++;
        return true;
    }
    return image_broken(scanner->failure, "its header does not end in white space");
}

static bool read_header(PnmScanner *scanner, PnmHeader *header) {
    int digit = scanner->file->data[1] - '0';
    scanner->at = 2;
    header->text = digit <= 3;
    header->bits = digit % 3 == 1;
    header->channels = digit % 3 == 0 ? 3 : 1;
    header->most = 1;
    return read_number(scanner, INT32_MAX, &header->width) &&
           read_number(scanner, INT32_MAX, &header->height) &&
           (header->bits || read_number(scanner, 65535, &header->most)) &&
           (header->text || end_header(scanner));
}

/* The next word of a PAM header, a word of letters, into `word`. */
static void read_word(PnmScanner *scanner, char *word, size_t size) {
    size_t length = 0;
    skip_space(scanner);
    for (int c; (c = peek(scanner)) != EOF && !isspace(c) && length + 1 < size; scanner->at++)
        word[length++] = (char)c;
    word[length] = 0;
}

static bool read_pam_header(PnmScanner *scanner, PnmHeader *header) {
    const struct {
        const char *word;
        int64_t most, *value;
    } NUMBERS[] = {{"WIDTH", INT32_MAX, &header->width},
                   {"HEIGHT", INT32_MAX, &header->height},
                   {"DEPTH", 4, &header->channels},
                   {"MAXVAL", 65535, &header->most}};
    char word[32];
    scanner->at = 2;
    for (;;) {
        read_word(scanner, word, sizeof word);
        size_t i = 0;
        while (i < 4 && strcmp(word, NUMBERS[i].word) != 0)
            i++;
        if (i < 4 && *NUMBERS[i].value)
            return image_broken(scanner->failure, "its header says %s twice", word);
        if (i < 4 && !read_number(scanner, NUMBERS[i].most, NUMBERS[i].value))
            return false;
        if (i < 4)
            continue;
        if (strcmp(word, "ENDHDR") == 0)
            break;
        if (strcmp(word, "TUPLTYPE") != 0)
            return image_broken(scanner->failure, "its header has no such word");
        while (peek(scanner) != EOF && peek(scanner) != '\n')
            scanner->at++;
    }
    if (peek(scanner) != '\n')
        return image_broken(scanner->failure, "its header does not end in a line of its own");
    scanner->at++;
    return true;
}

/* ---- samples ---- */

/* Rescales a sample to the same fraction of 255 or 65535. */
static void put_sample(Picture *picture, size_t i, int64_t value, int64_t most) {
    if (picture->image.bits == 8)
        ((uint8_t *)picture->memory)[i] = (uint8_t)((value * 255 * 2 + most) / (most * 2));
    else
        ((uint16_t *)picture->memory)[i] = (uint16_t)((value * 65535 * 2 + most) / (most * 2));
}

static bool read_text(PnmScanner *scanner, const PnmHeader *header, size_t count,
                      Picture *picture) {
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (header->bits) { /* digits need no space between them */
            skip_space(scanner);
            value = peek(scanner) == '0';
            if (!value && peek(scanner) != '1')
                return image_broken(scanner->failure, "a pixel is neither 0 nor 1, or missing");
            scanner->at++;
        } else if (!read_number(scanner, header->most, &value)) {
            return false;
        }
        put_sample(picture, i, value, header->most);
    }
    skip_space(scanner);
    return true;
}

static bool read_samples(PnmScanner *scanner, const PnmHeader *header, size_t count,
                         Picture *picture) {
    const unsigned char *from = scanner->file->data + scanner->at;
    size_t bytes = (size_t)picture->image.bits / 8;
    for (size_t i = 0; i < count; i++) {
        int64_t value = bytes == 1 ? from[i] : from[2 * i] << 8 | from[2 * i + 1];
        if (value > header->most)
            return image_broken(scanner->failure, "a sample is larger than its maxval");
        put_sample(picture, i, value, header->most);
    }
    scanner->at += count * bytes;
    return true;
}

static void read_bits(PnmScanner *scanner, const PnmHeader *header, Picture *picture) {
    const unsigned char *row = scanner->file->data + scanner->at;
    unsigned char *to = picture->memory;
    int64_t row_bytes = (header->width + 7) / 8;
    for (int64_t y = 0; y < header->height; y++, row += row_bytes)
        for (int64_t x = 0; x < header->width; x++)
            *to++ = row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    scanner->at += (size_t)(row_bytes * header->height);
}

/* Is the file as long as its header claims?  Text takes at least a byte a sample. */
static bool is_long_enough(const PnmScanner *scanner, const PnmHeader *header) {
    double samples = (double)header->width * (double)header->height * (double)header->channels;
    double bytes = header->text ? samples : header->most > 255 ? 2 * samples : samples;
    if (header->bits && !header->text)
        bytes = (double)((header->width + 7) / 8) * (double)header->height;
    return bytes <= (double)(scanner->file->length - scanner->at) ||
           image_broken(scanner->failure,
                        "it ends too early: its header claims %lld by %lld pixels",
                        (long long)header->width, (long long)header->height);
}

bool pnm_decode(const Bytes *file, Picture *picture, ImageFailure *failure) {
    PnmScanner scanner = {.file = file, .failure = failure};
    PnmHeader header = {0};
    if (!(file->data[1] == '7' ? read_pam_header : read_header)(&scanner, &header))
        return false;
    if (header.most < 1)
        return image_broken(failure, "its maxval is missing, or 0");
    if (!is_long_enough(&scanner, &header) ||
        !picture_allocate(picture, HLC_UINT, header.most > 255 ? 16 : 8, header.width,
                          header.height, header.channels, failure))
        return false;
    size_t count = (size_t)(header.width * header.height * header.channels);
    bool read = true;
    if (header.text)
        read = read_text(&scanner, &header, count, picture);
    else if (header.bits)
        read_bits(&scanner, &header, picture);
    else
        read = read_samples(&scanner, &header, count, picture);
    if (read && scanner.at != file->length)
        return image_fail(failure, IMAGE_UNSUPPORTED, "more bytes follow the picture",
                          "cut a file of several pictures into files of one each");
    return read;
}

/* ---- writing ---- */

/* The samples, most significant byte first. */
static bool write_samples(const hlc_image *image, FILE *file) {
    size_t bytes = image_element_bytes(image);
    size_t count = (size_t)(image->extent[0] * image->extent[1] * image->extent[2]);
    if (bytes > 1)
        swap_bytes(image->data, count, bytes);
    fwrite(image->data, bytes, count, file);
    return true;
}

bool pnm_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    (void)failure;
    fprintf(file, "P%c\n%lld %lld\n%d\n", image->extent[2] == 1 ? '5' : '6',
            (long long)image->extent[0], (long long)image->extent[1],
            image->bits == 8 ? 255 : 65535);
    return write_samples(image, file);
}

bool pam_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    static const char *const TYPES[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    (void)failure;
    fprintf(file, "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %lld\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n",
            (long long)image->extent[0], (long long)image->extent[1], (long long)image->extent[2],
            image->bits == 8 ? 255 : 65535, TYPES[image->extent[2] - 1]);
    return write_samples(image, file);
}

/* Eight pixels a byte, rows from a byte of their own; 1 is black. */
bool pbm_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    const unsigned char *from = image->data;
    (void)failure;
    fprintf(file, "P4\n%lld %lld\n", (long long)image->extent[0], (long long)image->extent[1]);
    for (int64_t y = 0; y < image->extent[1]; y++) {
        unsigned packed = 0;
        for (int64_t x = 0; x < image->extent[0]; x++) {
            packed |= (*from++ ? 0u : 1u) << (7 - x % 8);
            if (x % 8 == 7 || x + 1 == image->extent[0]) {
                fputc((int)packed, file);
                packed = 0;
            }
        }
    }
    return true;
}
