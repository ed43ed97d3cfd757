/* image.c -- picture files: what is decoded can be fitted to inputs and saved. */
#include "tests/harness/harness.h"

#include "driver/image/image.h"

static void save(const Picture *picture, const char *path) {
    ImageFailure failure = {0};
    unsigned char *bytes = NULL;
    size_t length;
    if (image_encode(path, &picture->image, NULL, &bytes, &length, &failure))
        free(bytes);
    else if (!*failure.reason)
        abort();
}

static void try_demand(const uint8_t *data, size_t size, const ImageDemand *demand) {
    Picture picture = {0};
    ImageFailure failure = {0};
    if (!image_decode(data, size, &picture, &failure)) {
        if (!*failure.reason)
            abort();
        return;
    }
    if (!demand) {
        save(&picture, "a.png");
        save(&picture, "a.npy");
    } else if (!image_fit(&picture, demand, &failure) && !*failure.reason) {
        abort();
    }
    free(picture.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const ImageDemand DEMANDS[] = {{HLC_UINT, 8, 2, 0, 0, NULL},
                                          {HLC_UINT, 16, 3, 3, 0, NULL},
                                          {HLC_FLOAT, 32, 3, 4, 0, NULL},
                                          {HLC_BOOL, 1, 2, 1, 0, NULL}};
    try_demand(data, size, NULL);
    for (size_t i = 0; i < sizeof DEMANDS / sizeof *DEMANDS; i++)
        try_demand(data, size, &DEMANDS[i]);
    return 0;
}
