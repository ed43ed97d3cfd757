/* jpeg.c -- JPEG files by libjpeg-turbo: grey or RGB, 8 bits.
 *
 * Reading is strict: a warning of libjpeg (truncated or corrupt data) is an error. A pixel takes at
 * least a third of a bit in a block of 32 x 32, the largest block of any sampling factors. So
 * headers that claim more than the file can contain are refused. Files with very many scans are
 * refused, too: their time is out of proportion. Writing uses quality 95, without chroma
 * subsampling.
 */
#include "driver/image/format.h"

#include <stdlib.h>
#include <setjmp.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { QUALITY = 95, PIXELS_A_BYTE = 8 * 32 * 32 / 3, MOST_SCANS = 200 };

/* The state that survives a jump out of libjpeg. */
typedef struct JpegErrors {
    struct jpeg_error_mgr base;
    jmp_buf failed;
    ImageFailure *failure;
} JpegErrors;

static void on_error(j_common_ptr jpeg) {
    JpegErrors *errors = (JpegErrors *)jpeg->err;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        image_no_memory(errors->failure);
    else
        image_broken(errors->failure, "%.150s", message);
    longjmp(errors->failed, 1);
}

/* Levels below 0 are warnings: the data is corrupt. */
static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0)
        on_error(jpeg);
}

static struct jpeg_error_mgr *errors_begin(JpegErrors *errors, ImageFailure *failure) {
    struct jpeg_error_mgr *base = jpeg_std_error(&errors->base);
    base->error_exit = on_error;
    base->emit_message = on_message;
    errors->failure = failure;
    return base;
}

/* ---- reading ---- */

typedef struct JpegReader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    JpegErrors errors;
    const Bytes *file;
    Picture *picture;
    int orientation;
} JpegReader;

static void watch_scans(j_common_ptr jpeg) {
    j_decompress_ptr reader = (j_decompress_ptr)jpeg;
    JpegErrors *errors = (JpegErrors *)jpeg->err;
    if (reader->input_scan_number <= MOST_SCANS)
        return;
    image_fail(errors->failure, IMAGE_TOO_LARGE, "it has more than 200 scans",
               "save it anew, as a baseline JPEG");
    longjmp(errors->failed, 1);
}

static void find_orientation(JpegReader *reader) {
    static const unsigned char EXIF[] = "Exif\0"; /* and one more 0 */
    for (jpeg_saved_marker_ptr marker = reader->jpeg.marker_list; marker; marker = marker->next)
        if (marker->data_length > sizeof EXIF && memcmp(marker->data, EXIF, sizeof EXIF) == 0) {
            reader->orientation =
                exif_orientation(marker->data + sizeof EXIF, marker->data_length - sizeof EXIF);
            return;
        }
}

static bool read_header(JpegReader *reader) {
    j_decompress_ptr jpeg = &reader->jpeg;
    ImageFailure *failure = reader->errors.failure;
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_mem_src(jpeg, reader->file->data, reader->file->length);
    jpeg_read_header(jpeg, TRUE);
    find_orientation(reader);
    if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK ||
        (jpeg->num_components != 1 && jpeg->num_components != 3))
        return image_fail(failure, IMAGE_UNSUPPORTED, "its colours are neither grey nor RGB (CMYK)",
                          "convert it to RGB first: what inks look like is not known here");
    if ((double)jpeg->image_width * jpeg->image_height >
        (double)PIXELS_A_BYTE * (double)reader->file->length)
        return image_overclaims(failure);
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    return picture_allocate(reader->picture, HLC_UINT, 8, jpeg->image_width, jpeg->image_height,
                            jpeg->num_components, failure);
}

static bool read_all(JpegReader *reader) {
    j_decompress_ptr jpeg = &reader->jpeg;
    if (setjmp(reader->errors.failed))
        return false;
    jpeg_create_decompress(jpeg);
    reader->progress.progress_monitor = watch_scans;
    jpeg->progress = &reader->progress;
    if (!read_header(reader))
        return false;
    jpeg_start_decompress(jpeg);
    const hlc_image *image = &reader->picture->image;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = (JSAMPROW)image->data + (int64_t)jpeg->output_scanline * image->stride[1];
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

bool jpeg_decode(const Bytes *file, Picture *picture, ImageFailure *failure) {
    JpegReader reader = {.file = file, .picture = picture, .orientation = 1};
    reader.jpeg.err = errors_begin(&reader.errors, failure);
    bool read = read_all(&reader);
    jpeg_destroy_decompress(&reader.jpeg);
    if (read)
        picture_turn(picture, reader.orientation);
    return read;
}

/* ---- writing ---- */

typedef struct JpegWriter {
    struct jpeg_compress_struct jpeg;
    JpegErrors errors;
} JpegWriter;

static bool write_all(JpegWriter *writer, const hlc_image *image, FILE *file) {
    j_compress_ptr jpeg = &writer->jpeg;
    if (setjmp(writer->errors.failed))
        return false;
    jpeg_create_compress(jpeg);
    jpeg_stdio_dest(jpeg, file);
    jpeg->image_width = (JDIMENSION)image->extent[0];
    jpeg->image_height = (JDIMENSION)image->extent[1];
    jpeg->input_components = (int)image->extent[2];
    jpeg->in_color_space = image->extent[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, QUALITY, TRUE);
    jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = (JSAMPROW)image->data + (int64_t)jpeg->next_scanline * image->stride[1];
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
    return true;
}

bool jpeg_encode(const hlc_image *image, FILE *file, ImageFailure *failure) {
    JpegWriter writer = {0};
    writer.jpeg.err = errors_begin(&writer.errors, failure);
    bool written = write_all(&writer, image, file);
    jpeg_destroy_compress(&writer.jpeg);
    return written;
}
