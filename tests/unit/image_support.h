/* image_support.h -- what the tests of driver/image/ share: reading elements, expecting refusals. */
#ifndef HLC_TESTS_UNIT_IMAGE_SUPPORT_H
#define HLC_TESTS_UNIT_IMAGE_SUPPORT_H

#include "driver/image/image.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline size_t bytes_of(int bits) {
    return bits == 1 ? 1 : (size_t)bits / 8;
}

static inline uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static inline const unsigned char *at(const hlc_image *image, int64_t x, int64_t y, int64_t c) {
    int64_t element = x * image->stride[0] + y * image->stride[1];
    element += image->dimensions > 2 ? c * image->stride[2] : 0;
    return (const unsigned char *)image->data + element * (int64_t)bytes_of(image->bits);
}

static inline Picture decoded(const void *bytes, size_t length) {
    Picture picture;
    ImageFailure failure = {0};
    ck_assert_msg(image_decode(bytes, length, &picture, &failure), "%s: %s", failure.format,
                  failure.reason);
    return picture;
}

/* Decoding fails in this way. */
static inline void refused(const void *bytes, size_t length, ImageFault fault, const char *reason) {
    Picture picture;
    ImageFailure failure = {0};
    ck_assert(!image_decode(bytes, length, &picture, &failure));
    ck_assert_msg(failure.fault == fault && strstr(failure.reason, reason), "%d: %s", failure.fault,
                  failure.reason);
    ck_assert(*failure.remedy);
    ck_assert_ptr_null(picture.memory);
}

#endif
