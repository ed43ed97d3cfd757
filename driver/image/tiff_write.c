/* tiff_write.c -- TIFF files by libtiff: interleaved strips of about 64 KiB, deflate-compressed, in
 * the samples' own type. A second or fourth channel is alpha, not premultiplied. */
#include "driver/image/tiff.h"

#include <stdlib.h>

enum { STRIP_BYTES = 1 << 16 };

static void set_tags(TIFF *tiff, const hlc_image *image, uint32_t rows) {
    static const uint16_t FORMATS[] = {[HLC_INT] = SAMPLEFORMAT_INT,
                                       [HLC_UINT] = SAMPLEFORMAT_UINT,
                                       [HLC_FLOAT] = SAMPLEFORMAT_IEEEFP};
    uint16_t channels = (uint16_t)image->extent[2], alpha = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)image->extent[0]);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)image->extent[1]);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (uint16_t)image->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, FORMATS[image->kind]);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, (uint16_t)PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 (uint16_t)(channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK));
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, (uint16_t)COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, (uint16_t)ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
    if (channels % 2 == 0)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, (uint16_t)1, &alpha);
}

/* libtiff reads what it has written, so it gets bytes, not the stream. */
bool tiff_encode(const hlc_image *image, FILE *stream, ImageFailure *failure) {
    Bytes bytes = {0};
    TiffFile file = {.bytes = &bytes, .failure = failure};
    TIFF *tiff = tiff_open(&file, "w");
    if (!tiff) {
        free(bytes.data);
        return file.failed ? false : image_no_memory(failure);
    }
    int64_t row = image->stride[1] * (int64_t)image_element_bytes(image);
    int64_t rows = row < STRIP_BYTES ? STRIP_BYTES / row : 1;
    set_tags(tiff, image, (uint32_t)rows);
    bool written = !file.failed;
    for (int64_t y = 0; written && y < image->extent[1]; y += rows) {
        int64_t count = image->extent[1] - y < rows ? image->extent[1] - y : rows;
        written = TIFFWriteEncodedStrip(tiff, (uint32_t)(y / rows),
                                        (unsigned char *)image->data + y * row,
                                        (tmsize_t)(count * row)) >= 0;
    }
    written = TIFFFlush(tiff) && written && !file.failed;
    TIFFClose(tiff);
    fwrite(bytes.data, 1, bytes.length, stream);
    free(bytes.data);
    return written || file.failed ? written : image_no_memory(failure);
}
