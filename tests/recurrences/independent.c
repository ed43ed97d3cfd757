/* independent.c -- what the programs of examples/recurrences/ should give, computed by ordinary
 * loops and compared with what they gave.
 *
 *   independent sequences FOLDER                 writes alpha.npy and beta.npy
 *   independent NAME INPUT.npy .. OUTPUT.npy ..  0 where all numbers of the outputs are right
 *
 * It shares nothing with the compiler.  Arrays are NumPy's; dimension 0 is the one that is dense.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

typedef struct Array {
    char type[4]; /* |u1, <i4, <i8, <f4 */
    int dimensions;
    long extent[4];
    unsigned char *data;
} Array;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "independent: %s: %s\n", path, what);
    exit(2);
}

static Array load(const char *path) {
    Array array = {.dimensions = 0};
    unsigned char start[10];
    char header[512] = "";
    long shape[4], count = 1;
    FILE *file = fopen(path, "rb");
    if (!file || fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6))
        fail("no array", path);
    size_t length = start[8] + 256u * start[9];
    if (length >= sizeof header || fread(header, 1, length, file) != length)
        fail("a header that is too long", path);
    memcpy(array.type, strstr(header, "descr': '") + 9, 3);
    if (strstr(header, "True"))
        fail("Fortran's order", path);
    for (char *at = strchr(header, '(') + 1; *at && *at != ')';) {
        if (*at == ',' || *at == ' ')
            at++;
        else
            shape[array.dimensions++] = strtol(at, &at, 10);
    }
    for (int d = 0; d < array.dimensions; d++)
        count *= array.extent[d] = shape[array.dimensions - 1 - d];
    size_t bytes = (size_t)count * (size_t)(array.type[2] - '0');
    array.data = malloc(bytes + 1);
    if (!array.data || fread(array.data, 1, bytes, file) != bytes)
        fail("too short", path);
    fclose(file);
    return array;
}

static long place(const Array *array, long i, long j) {
    long rows = array->dimensions > 1 ? array->extent[1] : 1;
    long columns = array->dimensions > 0 ? array->extent[0] : 1;
    if (i < 0 || i >= columns || j < 0 || j >= rows)
        fail("a coordinate is outside", array->type);
    return i + j * columns;
}

static long integer(const Array *array, long i, long j) {
    long at = place(array, i, j);
    switch (array->type[2]) {
    case '1':
        return array->data[at];
    case '4':
        return ((int32_t *)array->data)[at];
    default:
        return ((int64_t *)array->data)[at];
    }
}

static float real(const Array *array, long i, long j) {
    return ((float *)array->data)[place(array, i, j)];
}

static void sequence(const char *folder, const char *name, const char *letters) {
    char path[600], header[128];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length =
        snprintf(header + 10, 110, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,), }",
                 strlen(letters));
    header[10 + length] = ' ';
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(header, 1, 128, file) != 128 ||
        fwrite(letters, 1, strlen(letters), file) != strlen(letters) || fclose(file))
        fail("cannot be written", path);
}

/* The alpha and beta chains of human haemoglobin (UniProt P69905 and P68871). */
static int sequences(char **paths) {
    sequence(paths[0], "alpha",
             "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALS"
             "DLHAHK"
             "LRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR");
    sequence(paths[0], "beta",
             "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGT"
             "FATLSE"
             "LHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH");
    return 0;
}

/* ---- comparing ---- */

static long wrong, compared;

static void same(const Array *array, long i, long j, double expected) {
    double given = array->type[1] == 'f' ? real(array, i, j) : (double)integer(array, i, j);
    compared++;
    if (given == expected)
        return;
    if (wrong++ < 5)
        fprintf(stderr, "at (%ld, %ld): %.9g, not %.9g\n", i, j, given, expected);
}

static void *table(long count, size_t size) {
    void *memory = calloc((size_t)count, size);
    if (!memory)
        fail("no memory", "table");
    return memory;
}

static long least(long a, long b) {
    return a < b ? a : b;
}
static long most(long a, long b) {
    return a > b ? a : b;
}

/* ---- the programs ---- */

static void matrix(const Array *in, const Array *out) {
    for (long i = 0; i < in[0].extent[1]; i++)
        for (long j = 0; j < in[1].extent[0]; j++) {
            float sum = 0;
            for (long k = 0; k < in[0].extent[0]; k++)
                sum += real(&in[0], k, i) * real(&in[1], j, k);
            same(&out[0], i, j, sum);
        }
}

static void prefix(const Array *in, const Array *out) {
    long sum = 0;
    for (long i = 0; i < in[0].extent[0]; i++)
        same(&out[0], i, 0, (double)(sum += integer(&in[0], i, 0)));
}

static void summed_area(const Array *in, const Array *out) {
    for (long y = 0; y < in[0].extent[1]; y++)
        for (long x = 0; x < in[0].extent[0]; x++) {
            long sum = 0;
            for (long v = 0; v <= y; v++)
                for (long u = 0; u <= x; u++)
                    sum += integer(&in[0], u, v);
            same(&out[0], x, y, (double)sum);
        }
}

/* One pass over a line of `count` numbers that lie `step` apart. */
static void smooth(float *line, long count, long step) {
    for (long k = 1; k < count; k++)
        line[k * step] = line[(k - 1) * step] + 0.25f * (line[k * step] - line[(k - 1) * step]);
}

static void recursive_blur(const Array *in, const Array *out) {
    long w = in[0].extent[0], h = in[0].extent[1];
    float *line = table(w * h, sizeof *line);
    for (long p = 0; p < w * h; p++)
        line[p] = in[0].data[p];
    for (long y = 0; y < h; y++) {
        smooth(line + y * w, w, 1);
        smooth(line + y * w + w - 1, w, -1);
    }
    for (long x = 0; x < w; x++) {
        smooth(line + x, h, w);
        smooth(line + x + (h - 1) * w, h, -w);
    }
    for (long p = 0; p < w * h; p++) {
        float rounded = line[p] + 0.5f;
        same(&out[0], p % w, p / w, rounded > 255 ? 255 : (double)(int)rounded);
    }
    free(line);
}

static void smith_waterman(const Array *in, const Array *out) {
    long n = in[0].extent[0], m = in[1].extent[0], best = 0;
    long(*h)[2] = table((n + 1) * 2, sizeof *h); /* columns j - 1 and j */
    long *across = table(n + 1, sizeof *across);
    for (long i = 0; i <= n; i++)
        across[i] = -1000000;
    for (long j = 0; j <= m; j++) {
        long down = -1000000;
        for (long i = 0; i <= n; i++) {
            long *now = &h[i][j & 1];
            *now = 0;
            if (i > 0 && j > 0) {
                down = most(down - 1, h[i - 1][j & 1] - 10);
                across[i] = most(across[i] - 1, h[i][(j & 1) ^ 1] - 10);
                long match = in[0].data[i - 1] == in[1].data[j - 1] ? 5 : -4;
                *now = most(most(0, h[i - 1][(j & 1) ^ 1] + match), most(down, across[i]));
            }
            best = most(best, *now);
            same(&out[1], i, j, (double)*now);
        }
    }
    same(&out[0], 0, 0, (double)best);
    free(h);
    free(across);
}

static void edit_distance(const Array *in, const Array *out) {
    long n = in[0].extent[0], m = in[1].extent[0];
    long *row = table(n + 1, sizeof *row);
    for (long j = 0; j <= m; j++) {
        long diagonal = row[0];
        for (long i = 0; i <= n; i++) {
            long above = row[i];
            if (i == 0)
                row[i] = j;
            else if (j == 0)
                row[i] = i;
            else
                row[i] = least(least(above, row[i - 1]) + 1,
                               diagonal + (in[0].data[i - 1] != in[1].data[j - 1]));
            diagonal = above;
            same(&out[1], i, j, (double)row[i]);
        }
    }
    same(&out[0], 0, 0, (double)row[n]);
    free(row);
}

static void lcs(const Array *in, const Array *out) {
    long n = in[0].extent[0], m = in[1].extent[0];
    long *common = table((n + 1) * (m + 1), sizeof *common);
    for (long i = 1; i <= n; i++)
        for (long j = 1; j <= m; j++) {
            const long *before = common + (i - 1) * (m + 1) + j;
            long *here = common + i * (m + 1) + j;
            *here =
                in[0].data[i - 1] == in[1].data[j - 1] ? before[-1] + 1 : most(*before, here[-1]);
        }
    for (long i = 0; i <= n; i++)
        for (long j = 0; j <= m; j++)
            same(&out[1], i, j, (double)common[i * (m + 1) + j]);
    same(&out[0], 0, 0, (double)common[n * (m + 1) + m]);
    free(common);
}

static void gauss_seidel(const Array *in, const Array *out) {
    long w = in[0].extent[0], h = in[0].extent[1];
    float *u = table(w * h, sizeof *u);
    for (long p = 0; p < w * h; p++)
        u[p] = in[0].data[p];
    for (int sweep = 0; sweep < 8; sweep++)
        for (long y = 1; y < h - 1; y++)
            for (long x = 1; x < w - 1; x++) {
                float *at = u + y * w + x;
                *at = (at[-1] + at[-w] + at[1] + at[w]) * 0.25f;
            }
    for (long p = 0; p < w * h; p++)
        same(&out[0], p % w, p / w, u[p]);
    free(u);
}

/* The distances that one walk over the picture finds: `steps` are -1 or 1 in x and y. */
static void walk(long *distance, long w, long h, int step) {
    for (long k = 0; k < w * h; k++) {
        long x = step > 0 ? k % w : w - 1 - k % w, y = step > 0 ? k / w : h - 1 - k / w;
        for (long v = y - step, u = x - 1; u <= x + 1; u++)
            if (u >= 0 && u < w && v >= 0 && v < h)
                distance[y * w + x] =
                    least(distance[y * w + x], distance[v * w + u] + (u == x ? 3 : 4));
        long beside = x - step;
        if (beside >= 0 && beside < w)
            distance[y * w + x] = least(distance[y * w + x], distance[y * w + beside] + 3);
    }
}

static void distance_transform(const Array *in, const Array *out) {
    long w = in[0].extent[0], h = in[0].extent[1];
    long *distance = table(w * h, sizeof *distance);
    for (long p = 0; p < w * h; p++)
        distance[p] = in[0].data[p] >= 200 ? 0 : 1000000;
    walk(distance, w, h, 1);
    walk(distance, w, h, -1);
    for (long p = 0; p < w * h; p++)
        same(&out[0], p % w, p / w, (double)distance[p]);
    free(distance);
}

static void dither(const Array *in, const Array *out) {
    long w = in[0].extent[0], h = in[0].extent[1];
    long *carried = table(w * h, sizeof *carried); /* sixteenths */
    for (long p = 0; p < w * h; p++) {
        long x = p % w, y = p / w, sum = carried[p];
        long value = in[0].data[p] + (sum >= 0 ? sum / 16 : -((15 - sum) / 16));
        long given = value < 128 ? 0 : 255, error = value - given;
        same(&out[0], x, y, (double)given);
        if (x + 1 < w)
            carried[p + 1] += 7 * error;
        if (y + 1 < h) {
            carried[p + w] += 5 * error;
            if (x > 0)
                carried[p + w - 1] += 3 * error;
            if (x + 1 < w)
                carried[p + w + 1] += error;
        }
    }
    free(carried);
}

static const struct {
    const char *name;
    int inputs, outputs;
    void (*check)(const Array *in, const Array *out);
} programs[] = {{"matrix", 2, 1, matrix},
                {"prefix", 1, 1, prefix},
                {"summed_area", 1, 1, summed_area},
                {"recursive_blur", 1, 1, recursive_blur},
                {"smith_waterman", 2, 2, smith_waterman},
                {"edit_distance", 2, 2, edit_distance},
                {"lcs", 2, 2, lcs},
                {"gauss_seidel", 1, 1, gauss_seidel},
                {"distance_transform", 1, 1, distance_transform},
                {"dither", 1, 1, dither}};

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "sequences"))
        return sequences(arguments + 2);
    for (size_t p = 0; count > 1 && p < sizeof programs / sizeof *programs; p++) {
        if (strcmp(programs[p].name, arguments[1]))
            continue;
        Array arrays[4] = {{.dimensions = 0}};
        int all = programs[p].inputs + programs[p].outputs;
        if (count != 2 + all)
            fail("so many arrays it does not have", arguments[1]);
        for (int a = 0; a < all; a++)
            arrays[a] = load(arguments[2 + a]);
        programs[p].check(arrays, arrays + programs[p].inputs);
        for (int a = 0; a < all; a++)
            free(arrays[a].data);
        printf("%s: %ld numbers compared, %ld wrong\n", arguments[1], compared, wrong);
        return wrong || compared == 0;
    }
    fail("is no program", count > 1 ? arguments[1] : "nothing");
    return 2;
}
