/* replay.c -- a harness without a fuzzer.
 *
 *   harness_NAME [--mutations=N] [--cuts=N] [--enormous] [--seed=N] FILE-OR-FOLDER ...
 *
 * Each file is tried as it is, cut short at N places, and changed N times by seeded mutations:
 * bytes changed, stretches deleted, doubled, or taken from another file.  --enormous tries what is
 * deeply nested (100,000 times) and large (10 MB) too.  Each input has ten seconds of the
 * processor.  An input that
 * takes longer or ends the process is left in ./hostile-NAME, and the process fails.  A share takes
 * one in so many of the inputs of all files, but all that is enormous.
 */
#include "tests/harness/harness.h"
#include "tests/unit/share.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 10, MOST_FILES = 2048, DEEP = 100000, LARGE = 10 << 20 };

typedef struct Input {
    uint8_t *bytes;
    size_t length;
} Input;

typedef struct Replay {
    Input files[MOST_FILES];
    size_t count;
    size_t mutations, cuts, tried, turn;
    bool enormous;
    uint64_t state; /* of the random numbers */
    double slowest;
} Replay;

/* ---- one input ---- */

/* For the handler of signals, which gets nothing else. */
static Input current;
static char left_behind[256];

static void leave(int signal_number) {
    int file = open(left_behind, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, current.bytes, current.length) >= 0)
        close(file);
    static const char SLOW[] = "an input takes too long\n", CRASH[] = "an input ends the process\n";
    const char *text = signal_number == SIGALRM || signal_number == SIGPROF ? SLOW : CRASH;
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* The bytes are in memory of their own, so that reading beyond them is seen. */
static void try_input(Replay *replay, const uint8_t *bytes, size_t length) {
    struct timespec begin, end;
    uint8_t *copy = malloc(length ? length : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, length);
    current = (Input){copy, length};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    /* The timer of the processor ends loops, the clock's ends deadlocks. */
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = SECONDS}, NULL);
    alarm(SECONDS * 10);
    LLVMFuzzerTestOneInput(copy, length);
    alarm(0);
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (seconds > SECONDS)
        leave(SIGALRM);
    if (seconds > replay->slowest)
        replay->slowest = seconds;
    replay->tried++;
    free(copy);
}

/* Of a share, one in so many. */
static void try_in_turn(Replay *replay, const uint8_t *bytes, size_t length) {
    if (replay->turn++ % (size_t)share() == 0)
        try_input(replay, bytes, length);
}

/* ---- what is tried ---- */

static size_t below(Replay *replay, size_t limit) {
    replay->state ^= replay->state << 13;
    replay->state ^= replay->state >> 7;
    replay->state ^= replay->state << 17;
    return limit ? (size_t)(replay->state % limit) : 0;
}

/* `into` has room for `length` and 64 bytes more. */
static size_t mutate(Replay *replay, uint8_t *into, size_t length) {
    size_t at = below(replay, length + 1), rest = length - at;
    size_t stretch = below(replay, (rest < 64 ? rest : 64) + 1);
    switch (below(replay, 5)) {
    case 0: /* a byte */
        if (rest)
            into[at] = (uint8_t)below(replay, 256);
        return length;
    case 1: /* a bit */
        if (rest)
            into[at] ^= (uint8_t)(1u << below(replay, 8));
        return length;
    case 2: /* deleted */
        memmove(into + at, into + at + stretch, rest - stretch);
        return length - stretch;
    case 3: /* doubled */
        memmove(into + at + stretch, into + at, rest);
        return length + stretch;
    default: { /* of another file */
        const Input *other = &replay->files[below(replay, replay->count)];
        size_t from = below(replay, other->length + 1);
        stretch = below(replay, (other->length - from < 64 ? other->length - from : 64) + 1);
        memmove(into + at + stretch, into + at, rest);
        memcpy(into + at, other->bytes + from, stretch);
        return length + stretch;
    }
    }
}

static void try_file(Replay *replay, const Input *file) {
    enum { MOST_CHANGES = 4 };
    try_in_turn(replay, file->bytes, file->length);
    size_t cuts = replay->cuts < file->length ? replay->cuts : file->length;
    for (size_t i = 0; i < cuts; i++)
        try_in_turn(replay, file->bytes, file->length * i / cuts);
    uint8_t *text = malloc(file->length + MOST_CHANGES * 64);
    if (!text)
        abort();
    for (size_t i = 0; i < replay->mutations; i++) {
        size_t length = file->length;
        memcpy(text, file->bytes, length);
        for (size_t n = 1 + below(replay, MOST_CHANGES); n > 0; n--)
            length = mutate(replay, text, length);
        try_in_turn(replay, text, length);
    }
    free(text);
}

/* `count` times `piece`, behind the first half of a file or of nothing. */
static void try_repeated(Replay *replay, const Input *file, const char *piece, size_t count) {
    size_t start = file ? file->length / 2 : 0, step = strlen(piece);
    uint8_t *text = malloc(start + step * count + 1);
    if (!text)
        abort();
    if (file)
        memcpy(text, file->bytes, start);
    for (size_t i = 0; i < count; i++)
        memcpy(text + start + i * step, piece, step);
    try_input(replay, text, start + step * count);
    free(text);
}

static void try_enormous(Replay *replay) {
    static const char *const PIECES[] = {"(",
                                         "[",
                                         "{",
                                         "-",
                                         "!",
                                         "f(",
                                         "a + ",
                                         "a ? a :",
                                         "a.",
                                         "\"",
                                         "//",
                                         "/*",
                                         "\n",
                                         "9",
                                         "select(",
                                         "if a { ",
                                         "}",
                                         "u8(",
                                         "\xff",
                                         "min(a, ",
                                         "fun f(x) = ",
                                         "let a = ",
                                         "for x in (0, 1) { ",
                                         "produce ",
                                         "pipeline p() -> out { ",
                                         "schedule s for p {"};
    for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
        const Input *file = replay->count ? &replay->files[below(replay, replay->count)] : NULL;
        try_repeated(replay, NULL, PIECES[i], DEEP);
        try_repeated(replay, file, PIECES[i], DEEP);
        try_repeated(replay, file, PIECES[i], LARGE / strlen(PIECES[i]));
    }
}

/* ---- files ---- */

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(Replay *replay, const char *path) {
    struct dirent **entries;
    char inner[4096];
    int count = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            add_path(replay, inner);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
        return;
    }
    FILE *file = fopen(path, "rb");
    if (!file || replay->count == MOST_FILES) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    Input *input = &replay->files[replay->count++];
    input->length = (size_t)ftell(file);
    input->bytes = malloc(input->length + 1);
    rewind(file);
    if (!input->bytes || fread(input->bytes, 1, input->length, file) != input->length)
        exit(3);
    fclose(file);
}

static void read_option(Replay *replay, const char *text) {
    unsigned long long number = strchr(text, '=') ? strtoull(strchr(text, '=') + 1, NULL, 10) : 0;
    if (strncmp(text, "--mutations=", 12) == 0)
        replay->mutations = number;
    else if (strncmp(text, "--cuts=", 7) == 0)
        replay->cuts = number;
    else if (strncmp(text, "--seed=", 7) == 0)
        replay->state += number << 8;
    else if (strcmp(text, "--enormous") == 0)
        replay->enormous = true;
    else
        exit(2);
}

int main(int count, char **arguments) {
    static const int SIGNALS[] = {SIGALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    Replay *replay = calloc(1, sizeof *replay);
    replay->state = 0x9e3779b97f4a7c15u;
    for (int i = 1; i < count; i++)
        if (strncmp(arguments[i], "--", 2) == 0)
            read_option(replay, arguments[i]);
        else
            add_path(replay, arguments[i]);
    const char *name = strrchr(arguments[0], '/');
    snprintf(left_behind, sizeof left_behind, "hostile-%s", name ? name + 1 : arguments[0]);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
        signal(SIGNALS[i], leave);
    for (size_t i = 0; i < replay->count; i++)
        try_file(replay, &replay->files[i]);
    if (replay->enormous)
        try_enormous(replay);
    printf("%zu files, %zu inputs, the slowest %.1f s\n", replay->count, replay->tried,
           replay->slowest);
    bool is_empty = replay->tried == 0;
    for (size_t i = 0; i < replay->count; i++)
        free(replay->files[i].bytes);
    free(replay);
    return is_empty;
}
