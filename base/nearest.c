#include "base/nearest.h"

#include <string.h>

/* Insertions, deletions, replacements and exchanges of neighbours; names of at most 31 letters. */
static size_t spelling_distance(const char *a, const char *b) {
    enum { MOST = 32 };
    size_t n = strlen(a), m = strlen(b), rows[3][MOST];
    if (n >= MOST || m >= MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *before = rows[(i - 1) % 3], *two = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = two[j - 2] + 1 < best ? two[j - 2] + 1 : best;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

void nearest_offer(Nearest *nearest, const char *candidate) {
    size_t length = strlen(nearest->name), allowed = length < 3 ? 1 : length < 6 ? 2 : 3;
    size_t distance = spelling_distance(nearest->name, candidate);
    if (distance > allowed || distance >= length)
        return;
    if (!nearest->best || distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

const char *nearest_hint(Arena *arena, const Nearest *nearest, const char *otherwise) {
    return nearest->best ? arena_format(arena, "did you mean `%s`?", nearest->best) : otherwise;
}

const char *nearest_behind(Arena *arena, const Nearest *nearest, const char *list) {
    return nearest->best ? arena_format(arena, "%s; did you mean `%s`?", list, nearest->best)
                         : list;
}
