/* Calls each pipeline of programs.hl twice: with an output of its own, and with an output in the memory
 * of the image. The results are the same, and the memory around the window is left alone. */
#include "brighten.h"
#include "channels.h"
#include "points.h"
#include "spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WIDTH = 61, HEIGHT = 40, ROW = 80, BYTES = ROW * HEIGHT, PAGE = 4096 };

static int failures;

static void expect(int holds, const char *what) {
    if (!holds) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

static char message[512]; /* of the last refused call */

static void keep(void *user, int error, const char *text) {
    (void)user, (void)error;
    snprintf(message, sizeof message, "%s", text);
}

typedef struct View {
    halide_buffer_t buffer;
    halide_dimension_t dim[3];
} View;

/* A box of rows of ROW bytes, whose element (0, 0) lies at `origin`. */
static halide_buffer_t *box(View *view, uint8_t *origin, int x, int y, int width, int height) {
    memset(view, 0, sizeof *view);
    view->dim[0] = (halide_dimension_t){x, width, 1, 0};
    view->dim[1] = (halide_dimension_t){y, height, ROW, 0};
    view->buffer.host = origin + y * ROW + x;
    view->buffer.type = (struct halide_type_t){halide_type_uint, 8, 1};
    view->buffer.dimensions = 2;
    view->buffer.dim = view->dim;
    return &view->buffer;
}

static uint8_t original[BYTES], apart[BYTES], memory[BYTES], other[BYTES];
static uint16_t sums[BYTES], sums_apart[BYTES];

static void fill(void) {
    for (int i = 0; i < BYTES; i++) {
        original[i] = (uint8_t)(i * 37 + i / 11);
        other[i] = (uint8_t)(i * 91 + i / 7);
    }
    memcpy(memory, original, BYTES);
    memcpy(apart, original, BYTES);
}

/* Inside the window the memory is as that of the call apart, outside it is as before. */
static void compare(const char *what, int x, int y, int width, int height) {
    int same = 1;
    for (int i = 0; i < BYTES; i++) {
        int column = i % ROW, row = i / ROW;
        int is_inside = column >= x && column < x + width && row >= y && row < y + height;
        same &= memory[i] == (is_inside ? apart[i] : original[i]);
    }
    expect(same, what);
}

static void call_brighten(int x, int y, int width, int height) {
    View picture, out;
    fill();
    expect(!brighten(box(&picture, original, 0, 0, WIDTH, HEIGHT), 9,
                     box(&out, apart, x, y, width, height)),
           "brighten apart");
    expect(!brighten(box(&picture, memory, 0, 0, WIDTH, HEIGHT), 9,
                     box(&out, memory, x, y, width, height)),
           "brighten in place");
    compare("brighten", x, y, width, height);
}

/* `points` writes x of 1..n: a smaller window is staged. */
static void call_points(int n, int x, int y, int width, int height) {
    View picture, out;
    fill();
    expect(!points(box(&picture, original, 0, 0, WIDTH, HEIGHT), n,
                   box(&out, apart, x, y, width, height)),
           "points apart");
    expect(!points(box(&picture, memory, 0, 0, WIDTH, HEIGHT), n,
                   box(&out, memory, x, y, width, height)),
           "points in place");
    compare("points", x, y, width, height);
}

static void call_spread(int width, int height) {
    View picture, out, second, total;
    fill();
    second.buffer.host = NULL;
    for (int place = 0; place < 2; place++) {
        uint8_t *in = place ? memory : original, *to = place ? memory : apart;
        halide_buffer_t *added =
            box(&total, (uint8_t *)(place ? sums : sums_apart), 0, 0, width, height);
        added->host = (uint8_t *)(place ? sums : sums_apart);
        added->type.bits = 16;
        expect(!spread(box(&picture, in, 0, 0, WIDTH + 16, HEIGHT),
                       box(&second, other, 0, 0, WIDTH + 16, HEIGHT),
                       box(&out, to, 0, 0, width, height), added),
               "spread");
    }
    compare("spread", 0, 0, width, height);
    expect(!memcmp(sums, sums_apart, sizeof sums), "the sums of spread");
}

static void call_channels(void) {
    enum { X = 19, Y = 5, COUNT = X * Y * 3 };
    static float in[COUNT], own[COUNT];
    View picture = {0}, out;
    picture.dim[0] = (halide_dimension_t){-4, X, 3, 0};
    picture.dim[1] = (halide_dimension_t){2, Y, 3 * X, 0};
    picture.dim[2] = (halide_dimension_t){0, 3, 1, 0};
    picture.buffer.host = (uint8_t *)in;
    picture.buffer.type = (struct halide_type_t){halide_type_float, 32, 1};
    picture.buffer.dimensions = 3;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i * 7 % 101);
    picture.buffer.dim = picture.dim;
    out = picture;
    out.buffer.dim = out.dim;
    out.buffer.host = (uint8_t *)own;
    expect(!channels(&picture.buffer, &out.buffer), "channels apart");
    expect(!channels(&picture.buffer, &picture.buffer), "channels in place, one buffer for both");
    expect(!memcmp(in, own, sizeof own), "channels");
}

/* Buffers that overlap otherwise are refused, and nothing is written. */
static void refuse(void) {
    View picture, out, second, total;
    fill();
    halide_buffer_t *from = box(&picture, memory, 0, 0, WIDTH, 20);
    expect(brighten(from, 1, box(&out, memory + 1, 0, 0, WIDTH, 20)) == HLC_ERROR_NOT_IN_PLACE,
           "shifted by one");
    expect(strstr(message, "output out overlaps its image") != NULL, message);
    expect(brighten(from, 1, box(&out, memory + ROW, 0, 0, WIDTH, 20)) == HLC_ERROR_NOT_IN_PLACE,
           "shifted by a row");
    box(&out, memory, 0, 0, 20, 20);
    out.dim[0].stride = ROW;
    out.dim[1].stride = 1;
    expect(brighten(from, 1, &out.buffer) == HLC_ERROR_NOT_IN_PLACE, "transposed");
    box(&out, memory, 0, 0, WIDTH, 20);
    halide_buffer_t *added = box(&total, memory, 0, 0, 4, 4);
    added->type.bits = 16;
    expect(spread(from, box(&second, memory, 0, 0, WIDTH, 20), &out.buffer, added) ==
               HLC_ERROR_OVERLAP,
           "another image in the same memory");
    expect(!memcmp(memory, original, BYTES), "a refused call writes nothing");
    /* The window must lie in the image, here as anywhere. */
    expect(brighten(from, 1, box(&out, memory, 0, 0, WIDTH + 1, 20)) ==
               HLC_ERROR_ACCESS_OUT_OF_BOUNDS,
           "a window beyond the image");
}

/* Rows that no update touches are not written, and not even read: their pages may not be touched. */
static void untouched(void) {
    uint8_t *pages =
        mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    View picture;
    halide_buffer_t *all = box(&picture, pages, 0, 0, PAGE, 4);
    picture.dim[1].stride = PAGE;
    memset(pages, 1, 4 * PAGE);
    mprotect(pages + PAGE, 3 * PAGE, PROT_NONE);
    expect(!points(all, 9, all), "points on one row");
    expect(pages[9] == 10 && pages[10] == 1, "the values of points");
    mprotect(pages + PAGE, 3 * PAGE, PROT_READ | PROT_WRITE);
    munmap(pages, 4 * PAGE);
}

int main(void) {
    hlc_set_error_handler(keep);
    call_brighten(0, 0, WIDTH, HEIGHT);
    call_brighten(5, 3, 40, 11);
    call_brighten(7, 0, 1, 1);
    call_brighten(7, 0, 0, 5);
    call_points(50, 0, 0, WIDTH, HEIGHT);
    call_points(0, 3, 0, 20, 20);
    call_points(30, 3, 0, 20, 20);
    call_points(30, 3, 2, 20, 20);
    call_spread(WIDTH, HEIGHT);
    call_spread(48, 30);
    call_spread(16, 3);
    call_channels();
    refuse();
    untouched();
    if (!failures)
        puts("all the same");
    return failures != 0;
}
