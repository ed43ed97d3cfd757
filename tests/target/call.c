/* call.c -- calls compiled pipelines as their files say, and compares:
 *   call [--error=CODE] LIBRARY.so CALL..
 *
 * LIBRARY `self` is this program, with what was linked into it.  Every call whose pipeline the
 * library has is made; its outputs must be those of the file, bit for bit (but a NaN is a NaN).  A
 * refusal is counted; at least one call of each pipeline must be accepted.  With --error every call
 * must answer that code.
 */
#include "tests/target/call.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, GUARD = 64 };

typedef struct Call {
    char name[128];
    int count;
    CallArgument arguments[MOST_ARGUMENTS];
    unsigned char *contents[MOST_ARGUMENTS]; /* of the file */
    unsigned char *memory[MOST_ARGUMENTS];   /* what an output is computed in, between guards */
    halide_buffer_t buffers[MOST_ARGUMENTS];
    void *values[MOST_ARGUMENTS];
} Call;

static char last_message[512];

static void keep_message(void *user, int error, const char *message) {
    (void)user, (void)error;
    snprintf(last_message, sizeof last_message, "%s", message);
}

static _Noreturn void give_up(const char *what, const char *name) {
    fprintf(stderr, "call: %s %s\n", what, name);
    exit(1);
}

static void get(FILE *file, void *bytes, size_t length) {
    if (length > 0 && fread(bytes, 1, length, file) != length)
        give_up("a call's file is", "too short");
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes + 1);
    if (!memory)
        give_up("there is", "no memory");
    return memory;
}

/* ---- a call ---- */

static void read_argument(Call *call, int i, FILE *file) {
    CallArgument *argument = &call->arguments[i];
    get(file, argument, sizeof *argument);
    size_t bytes = (size_t)argument->bytes;
    call->contents[i] = allocate(bytes);
    get(file, call->contents[i], bytes);
    call->values[i] = call->contents[i];
    if (argument->kind == CALL_SCALAR)
        return;
    call->buffers[i] = (halide_buffer_t){.host = call->contents[i],
                                         .type = argument->type,
                                         .dimensions = argument->dimensions,
                                         .dim = argument->dim};
    call->values[i] = &call->buffers[i];
    if (argument->kind == CALL_INPUT)
        return;
    call->memory[i] = allocate(bytes + 2 * GUARD);
    memset(call->memory[i], 0xa5, bytes + 2 * GUARD);
    for (size_t b = 0; b < bytes; b++)
        call->memory[i][GUARD + b] = (unsigned char)~call->contents[i][b];
    call->buffers[i].host = call->memory[i] + GUARD;
}

static Call *read_call(const char *path) {
    Call *call = calloc(1, sizeof *call);
    char magic[8];
    int32_t counts[2];
    FILE *file = fopen(path, "rb");
    if (!file || !call)
        give_up("cannot read", path);
    get(file, magic, sizeof magic);
    get(file, counts, sizeof counts);
    if (memcmp(magic, CALL_MAGIC, 8) != 0 || counts[0] > MOST_ARGUMENTS || counts[1] > 100)
        give_up("this is no call:", path);
    get(file, call->name, (size_t)counts[1]);
    call->count = counts[0];
    for (int i = 0; i < call->count; i++)
        read_argument(call, i, file);
    fclose(file);
    return call;
}

static void free_call(Call *call) {
    for (int i = 0; i < call->count; i++) {
        free(call->contents[i]);
        free(call->memory[i]);
    }
    free(call);
}

static bool is_nan(halide_type_t type, const unsigned char *bytes) {
    float f;
    double d;
    uint16_t h;
    if (type.bits == 16 && (type.code == halide_type_float || type.code == halide_type_bfloat))
        return memcpy(&h, bytes, sizeof h),
               (h & 0x7fff) > (type.code == halide_type_float ? 0x7c00 : 0x7f80);
    if (type.code != 2)
        return false;
    if (type.bits == 32)
        return memcpy(&f, bytes, sizeof f), f != f;
    return memcpy(&d, bytes, sizeof d), d != d;
}

/* Compares the outputs; the number of elements, or -1 after saying what differs. */
static int64_t compare(const Call *call, const char *path) {
    int64_t points = 0;
    for (int i = 0; i < call->count; i++) {
        const CallArgument *argument = &call->arguments[i];
        if (argument->kind != CALL_OUTPUT)
            continue;
        int64_t size = argument->type.bits == 1 ? 1 : argument->type.bits / 8;
        const unsigned char *got = call->memory[i] + GUARD, *wanted = call->contents[i];
        for (int64_t at = 0; at < argument->bytes; at += size)
            if (memcmp(got + at, wanted + at, (size_t)size) != 0 &&
                !(is_nan(argument->type, got + at) && is_nan(argument->type, wanted + at))) {
                printf("%s: %s: argument %d differs at element %" PRId64 " of %" PRId64 "\n", path,
                       call->name, i, at / size, argument->bytes / size);
                return -1;
            }
        for (int g = 0; g < GUARD; g++)
            if (call->memory[i][g] != 0xa5 || got[argument->bytes + g] != 0xa5) {
                printf("%s: %s wrote beside its output\n", path, call->name);
                return -1;
            }
        points += argument->bytes / size;
    }
    return points;
}

/* ---- all calls of one pipeline ---- */

typedef struct Tally {
    char name[128];
    int calls, refused;
} Tally;

static Tally tallies[256];
static int tally_count;

static Tally *tally_of(const char *name) {
    int i = 0;
    while (i < tally_count && strcmp(tallies[i].name, name) != 0)
        i++;
    if (i == 256)
        give_up("too many pipelines:", name);
    if (i == tally_count)
        strcpy(tallies[tally_count++].name, name);
    return &tallies[i];
}

/* The elements compared; -1 where something is wrong. */
static int64_t make_call(void *library, const char *path, int expected_error) {
    Call *call = read_call(path);
    char symbol[160];
    snprintf(symbol, sizeof symbol, "%s_argv", call->name);
    int (*function)(void **) = (int (*)(void **))(uintptr_t)dlsym(library, symbol);
    int64_t points = 0;
    if (function) {
        Tally *tally = tally_of(call->name);
        tally->calls++;
        last_message[0] = 0;
        int error = function(call->values);
        bool is_wrong = expected_error
                            ? error != expected_error
                            : error == HLC_ERROR_INTERNAL || error == HLC_ERROR_GENERIC ||
                                  error == HLC_ERROR_CPU_LACKS_FEATURES;
        if (is_wrong)
            printf("%s: %s answers %d: %s\n", path, call->name, error, last_message);
        else if (error)
            tally->refused++;
        points = is_wrong ? -1 : error ? 0 : compare(call, path);
    }
    free_call(call);
    return points;
}

int main(int count, char **arguments) {
    int first = 1, expected_error = 0, failures = 0;
    const char *const option = "--error=";
    if (count > 1 && strncmp(arguments[1], option, strlen(option)) == 0)
        expected_error = atoi(arguments[first++] + strlen(option));
    if (count < first + 2)
        give_up("usage:", "call [--error=CODE] LIBRARY.so CALL..");
    hlc_set_error_handler(keep_message);
    void *library =
        dlopen(strcmp(arguments[first], "self") == 0 ? NULL : arguments[first], RTLD_NOW);
    if (!library)
        give_up("cannot load", dlerror());
    int64_t points = 0;
    for (int i = first + 1; i < count; i++) {
        int64_t compared = make_call(library, arguments[i], expected_error);
        failures += compared < 0;
        points += compared > 0 ? compared : 0;
    }
    int calls = 0, refused = 0;
    for (int i = 0; i < tally_count; i++) {
        calls += tallies[i].calls;
        refused += tallies[i].refused;
        if (!expected_error && tallies[i].refused == tallies[i].calls && ++failures)
            printf("%s: every call is refused, the last one: %s\n", tallies[i].name, last_message);
    }
    printf("%s: %d calls, %d refused, %" PRId64 " elements compared\n", arguments[first], calls,
           refused, points);
    if (expected_error)
        printf("%s\n", last_message);
    return failures > 0 || calls == 0 || (!expected_error && points == 0);
}
