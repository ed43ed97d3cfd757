/* kernels.c -- the table of kernels. docs/performance.md describes each, and explains its schedule.
 */
#include "bench/kernel.h"

#define F32                      .code = 2, .bits = 32
#define I32                      .code = 0, .bits = 32
#define U16                      .code = 1, .bits = 16
#define U8                       .code = 1, .bits = 8
#define ELEMENTS                 67108864
#define SIZE(...)                .extent = {__VA_ARGS__}
#define FROM(...)                .minimum = {__VA_ARGS__}
#define RANDOM(LOW, HIGH, SCALE) .fill = FILL_RANDOM, .low = LOW, .high = HIGH, .scale = SCALE

/* A limit alone. */
#define LIMIT(NAME, SIZE_TEXT, ...)                                                                \
    { .name = NAME, .size = SIZE_TEXT, .limit = NAME, __VA_ARGS__ }

#define BLUR(NAME, SCHEDULE, PEER, LIMIT)                                                          \
    {                                                                                              \
        .name = NAME, .task = "blur", .halide = PEER, .file = "blur.hl", .schedule = SCHEDULE,     \
        .size = "6400x4800", .inputs = 1,                                                          \
        .images = {{U16, 2, SIZE(6402, 4802), RANDOM(0, 1023, 1)}, {U16, 2, SIZE(6400, 4800)}},    \
        .bytes = 4.0 * 6400 * 4800, .limit = LIMIT                                                 \
    }

#define BOX(NAME, SCHEDULE)                                                                        \
    {                                                                                              \
        .name = NAME, .task = "box", .halide = "box", .file = "box.hl", .schedule = SCHEDULE,      \
        .size = "2560x1536", .inputs = 1, .parameters = 1, .values = {3},                          \
        .bytes = 8.0 * 2560 * 1536, .images = {                                                    \
            {I32, 2, SIZE(2576, 1552), FROM(-8, -8), RANDOM(0, 1023, 1)},                          \
            {I32, 2, SIZE(2560, 1536)}                                                             \
        }                                                                                          \
    }

#define DISPATCH(NAME, SPREADS)                                                                    \
    {                                                                                              \
        .name = NAME, .file = "dispatch.hl", .schedule = "loops", .halide = "dispatch",            \
        .size = "1000 loops of 2", .spreads = SPREADS, .images = {                                 \
            {I32, 2, SIZE(2, 1000)}                                                                \
        }                                                                                          \
    }

#define MAXIMUM(NAME, PIPELINE, SCHEDULE, TYPE, HIGH, BYTES, SIZE_TEXT)                            \
    {                                                                                              \
        .name = NAME, .file = "maximum.hl", .pipeline = PIPELINE, .schedule = SCHEDULE,            \
        .size = SIZE_TEXT, .inputs = 1, .bytes = 2.0 * BYTES * 2560 * 1536, .images = {            \
            {TYPE, 2, SIZE(2560, 1536), RANDOM(0, HIGH, 1)},                                       \
            {TYPE, 2, SIZE(2560, 1536)}                                                            \
        }                                                                                          \
    }

#define PRODUCT(NAME, PIPELINE, SCHEDULE, PEER)                                                    \
    {                                                                                              \
        .name = NAME, .task = "sgemm", .halide = PEER, .file = "sgemm.hl", .pipeline = PIPELINE,   \
        .schedule = SCHEDULE, .size = "1024x1024", .inputs = 2,                                    \
        .operations = 2.0 * 1024 * 1024 * 1024, .tolerance = 1e-3, .limit = "openblas",            \
        .images = {                                                                                \
            {F32, 2, SIZE(1024, 1024), RANDOM(-8, 8, 0.125)},                                      \
            {F32, 2, SIZE(1024, 1024), RANDOM(-7, 9, 0.125)},                                      \
            {F32, 2, SIZE(1024, 1024)}                                                             \
        }                                                                                          \
    }

/* A reduction in three forms; the last is compared. Brackets hold the common parts of the rows. */
#define REDUCTION(NAME, ...)                                                                       \
    {.name = NAME "_serial", .schedule = "serial", .brief = true, __VA_ARGS__},                    \
        {.name = NAME "_factored", .schedule = "factored", .brief = true, __VA_ARGS__}, {          \
        .name = NAME, .schedule = "vectors", .limit = "read", __VA_ARGS__                          \
    }
#define REDUCED(PIPELINE)                                                                          \
    .task = PIPELINE, .file = "reductions/" PIPELINE ".hl", .size = "67108864",                    \
    .bytes = 4.0 * ELEMENTS
#define SMALL_NUMBERS                                                                              \
    { F32, 1, SIZE(ELEMENTS), RANDOM(-8, 8, 1) }

/* Equations of a recurrence, beside the same without. */
#define EQUATIONS(NAME, PIPELINE, SCHEDULE, BESIDE, SIZE_TEXT, ...)                                \
    {                                                                                              \
        .name = NAME, .file = "recurrence.hl", .pipeline = PIPELINE, .schedule = SCHEDULE,         \
        .beside = BESIDE, .size = SIZE_TEXT, .alone = true, __VA_ARGS__                            \
    }

const Kernel kernels[] = {
    LIMIT("copy", "61 MB", .inputs = 1, .bytes = 4.0 * 6400 * 4800,
          .images = {{U16, 2, SIZE(6400, 4800), RANDOM(0, 1023, 1)}, {U16, 2, SIZE(6400, 4800)}}),
    LIMIT("multiply_add", "registers", .inputs = 1, .operations = 2.0 * 16 * 16 * 200000,
          .images = {{U8, 1, SIZE(1, 1)}, {U8, 1, SIZE(1, 1)}}),
    BLUR("blur_tiles", "tiles", "blur_tiles", "blur_stream"),
    BLUR("blur_columns", "columns", "blur_columns", "blur_stream"),
    BLUR("blur_registers", "registers", "blur_columns", "blur_stream"),
    BOX("box", "tiles"),
    BOX("box_ahead", "ahead"),
    {.name = "unsharp",
     .file = "unsharp.hl",
     .schedule = "strips",
     .size = "2560x1536x3",
     .inputs = 1,
     .bytes = 24.0 * 2560 * 1536,
     .tolerance = 1e-5,
     .images = {{F32, 3, SIZE(2560, 1536, 3), RANDOM(64, 1000, 1 / 1024.0)},
                {F32, 3, SIZE(2560, 1536, 3)}}},
    {.name = "harris",
     .file = "harris.hl",
     .schedule = "strips",
     .size = "2560x1536",
     .inputs = 1,
     .bytes = 16.0 * 2560 * 1536,
     .tolerance = 1e-5,
     .images = {{F32, 3, SIZE(2566, 1542, 3), FROM(-3, -3), RANDOM(0, 255, 1 / 255.0)},
                {F32, 2, SIZE(2560, 1536)}}},
    PRODUCT("sgemm", "sgemm", "registers", "sgemm"),
    PRODUCT("sgemm_packed", "packed", "panels", "sgemm_packed"),
    PRODUCT("sgemm_unrolled", "packed", "unrolled", "sgemm_packed"),
    {.name = "conv",
     .file = "conv.hl",
     .schedule = "registers",
     .size = "64x64x3x3@56x56x4",
     .inputs = 3,
     .operations = 2.0 * 4 * 56 * 56 * 64 * 9 * 64,
     .tolerance = 1e-3,
     .images = {{F32, 4, SIZE(64, 58, 58, 4), RANDOM(-8, 8, 0.125)},
                {F32, 4, SIZE(64, 3, 3, 64), RANDOM(-8, 8, 0.0625)},
                {F32, 1, SIZE(64), RANDOM(-4, 4, 1)},
                {F32, 4, SIZE(64, 56, 56, 4)}}},
    {.name = "stencil",
     .file = "stencil.hl",
     .schedule = "columns",
     .size = "2560x1536x16",
     .inputs = 1,
     .halide = "stencil_columns",
     .operations = 50.0 * 16 * 2560 * 1536,
     .images = {{U16, 2, SIZE(2560, 1536), RANDOM(0, 65535, 1)}, {U16, 2, SIZE(2560, 1536)}}},
    {.name = "equalize",
     .file = "equalize.hl",
     .schedule = "serial",
     .size = "4096x4096",
     .inputs = 1,
     .bytes = 3.0 * 4096 * 4096,
     .images = {{U8, 2, SIZE(4096, 4096), .fill = FILL_BELL}, {U8, 2, SIZE(4096, 4096)}}},
    {.name = "bilateral",
     .file = "bilateral.hl",
     .schedule = "rows",
     .size = "2560x1536",
     .inputs = 1,
     .bytes = 8.0 * 2560 * 1536,
     .tolerance = 1e-4,
     .images = {{F32, 2, SIZE(2560, 1536), .fill = FILL_WAVES}, {F32, 2, SIZE(2560, 1536)}}},
    MAXIMUM("max_disc_u8", "disc_u8", "tiles_u8", U8, 255, 1, "2560x1536 u8"),
    MAXIMUM("max_disc_f32", "disc_f32", "tiles_f32", F32, 1 << 20, 4, "2560x1536 f32"),
    MAXIMUM("max_square_u8", "square_u8", "strips_u8", U8, 255, 1, "2560x1536 u8"),
    MAXIMUM("max_square_f32", "square_f32", "strips_f32", F32, 1 << 20, 4, "2560x1536 f32"),
    {.name = "laplacian",
     .file = "laplacian.hl",
     .schedule = "strips",
     .size = "2560x1536x3",
     .inputs = 1,
     .bytes = 24.0 * 2560 * 1536,
     .tolerance = 1e-3,
     .images = {{F32, 3, SIZE(2560, 1536, 3), .fill = FILL_WAVES}, {F32, 3, SIZE(2560, 1536, 3)}}},
    {.name = "camera",
     .file = "camera.hl",
     .schedule = "strips",
     .size = "2560x1920",
     .inputs = 2,
     .bytes = 5.0 * 2560 * 1920,
     .tolerance = 1,
     .images = {{U16, 2, SIZE(2592, 1952), RANDOM(100, 1000, 1)},
                {F32, 2, SIZE(4, 3), RANDOM(64, 512, 1 / 512.0)},
                {U8, 3, SIZE(2560, 1920, 3)}}},
    {.name = "recursive",
     .file = "recursive.hl",
     .schedule = "bands",
     .size = "2560x1536x3",
     .inputs = 1,
     .bytes = 24.0 * 2560 * 1536,
     .tolerance = 1e-4,
     .images = {{F32, 3, SIZE(2560, 1536, 3), RANDOM(0, 1000, 1e-3)},
                {F32, 3, SIZE(2560, 1536, 3)}}},
    REDUCTION("sum", .halide = "sum_lanes", REDUCED("sum"), .inputs = 1,
              .images = {SMALL_NUMBERS, {F32, 1, SIZE(1)}}),
    REDUCTION(
        "dot", .halide = "dot_lanes", REDUCED("dot") * 2, .inputs = 2,
        .images = {SMALL_NUMBERS, {F32, 1, SIZE(ELEMENTS), RANDOM(-7, 8, 1)}, {F32, 1, SIZE(1)}}),
    REDUCTION("argmin", .halide = "argmin_lanes", REDUCED("argmin"), .inputs = 1,
              .images = {{I32, 1, SIZE(ELEMENTS), RANDOM(-1000000000, 1000000000, 1)},
                         {I32, 1, SIZE(2)}}),
    REDUCTION("histogram", .task = "histogram", .file = "reductions/histogram.hl",
              .size = "5120x4096", .inputs = 1, .bytes = 5120 * 4096,
              .images = {{U8, 2, SIZE(5120, 4096), .fill = FILL_BELL}, {I32, 1, SIZE(256)}}),
    REDUCTION("moments", .halide = "moments_lanes", REDUCED("moments"), .inputs = 1,
              .images = {SMALL_NUMBERS, {F32, 1, SIZE(2)}}),
    REDUCTION("subarray", REDUCED("subarray"), .inputs = 1, .alone = true,
              .images = {SMALL_NUMBERS, {F32, 1, SIZE(1)}}),
    REDUCTION(
        "matrices", REDUCED("matrices"), .inputs = 1, .alone = true,
        .images = {{I32, 2, SIZE(9, ELEMENTS / 9), .fill = FILL_ODD, .low = -1000, .high = 1000},
                   {I32, 1, SIZE(9)}}),
    EQUATIONS("equations_product", "product", "registers", "sgemm", "1024x1024", .inputs = 2,
              .operations = 2.0 * 1024 * 1024 * 1024, .tolerance = 1e-3,
              .images = {{F32, 2, SIZE(1024, 1024), RANDOM(-8, 8, 0.125)},
                         {F32, 2, SIZE(1024, 1024), RANDOM(-7, 9, 0.125)},
                         {F32, 2, SIZE(1024, 1024)}}),
    EQUATIONS("equations_filter", "filter", "bands", "recursive", "2560x1536x3", .inputs = 1,
              .bytes = 24.0 * 2560 * 1536, .tolerance = 1e-4,
              .images = {{F32, 3, SIZE(2560, 1536, 3), RANDOM(0, 1000, 1e-3)},
                         {F32, 3, SIZE(2560, 1536, 3)}}),
    EQUATIONS("equations_edit", "edit", "fronts", NULL, "10000x10000 letters", .inputs = 2,
              .limit = "edit_distance", .limit_computes = true,
              .images = {{U8, 1, SIZE(10000), RANDOM(0, 3, 1)},
                         {U8, 1, SIZE(9999), RANDOM(0, 3, 1)},
                         {I32, 1, SIZE(1)}}),
    DISPATCH("dispatch", false),
    DISPATCH("dispatch_spread", true),
    /* As a whole process: hlc run. */
    {.name = "blur_start",
     .file = "blur.hl",
     .schedule = "tiles",
     .size = "256x256",
     .inputs = 1,
     .images = {{U16, 2, SIZE(258, 258), RANDOM(0, 1023, 1)}, {U16, 2, SIZE(256, 256)}}},
};
const int kernel_count = sizeof kernels / sizeof *kernels;
