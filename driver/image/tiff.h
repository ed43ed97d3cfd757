/* tiff.h -- TIFF files in memory, for libtiff: shared by tiff_read.c and tiff_write.c. */
#ifndef HLC_DRIVER_IMAGE_TIFF_H
#define HLC_DRIVER_IMAGE_TIFF_H

#include "driver/image/format.h"

#include <tiffio.h>

typedef struct TiffFile {
    Bytes *bytes;
    uint64_t at;
    ImageFailure *failure;
    bool failed; /* an error was told: the first one counts */
} TiffFile;

/* Opens with libtiff ("r" or "w"); null on failure. */
TIFF *tiff_open(TiffFile *file, const char *mode);

#endif
