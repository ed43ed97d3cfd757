/* library_contract.c -- the size contract is exact: on random sizes and parameters a pipeline runs
 * where its contract holds, and only there; read back from its text, the contract says the same.
 * And a run takes no more memory than the contract tells, by a host's allocator that counts. */
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"
#include "tests/unit/share.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 3 }; /* slow there */
#else
enum { ROUNDS = 6 };
#endif
enum { TEXT = 1 << 17 };

/* ---- numbers ---- */

static uint64_t state = 1;

static int64_t draw(int64_t end) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)end);
}

static int64_t draw_near(int64_t middle) {
    static const int64_t steps[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 8, -1, -1, -2};
    return middle + steps[draw(sizeof steps / sizeof *steps)];
}

/* ---- an allocator that counts ---- */

typedef struct Counter {
    pthread_mutex_t lock;
    size_t live, peak, blocks, most_blocks;
} Counter;

enum { BEFORE = 64 }; /* bytes for the size, so that blocks stay aligned */

static void *count_allocate(void *user, size_t alignment, size_t size) {
    Counter *counter = user;
    char *block;
    if (alignment > BEFORE || posix_memalign((void **)&block, BEFORE, size + BEFORE) != 0)
        return NULL;
    memcpy(block, &size, sizeof size);
    pthread_mutex_lock(&counter->lock);
    counter->live += size;
    counter->blocks++;
    if (counter->live > counter->peak)
        counter->peak = counter->live;
    if (counter->blocks > counter->most_blocks)
        counter->most_blocks = counter->blocks;
    pthread_mutex_unlock(&counter->lock);
    return block + BEFORE;
}

static void count_free(void *user, void *block) {
    Counter *counter = user;
    size_t size;
    memcpy(&size, (char *)block - BEFORE, sizeof size);
    pthread_mutex_lock(&counter->lock);
    counter->live -= size;
    counter->blocks--;
    pthread_mutex_unlock(&counter->lock);
    free((char *)block - BEFORE);
}

/* ---- random arguments ---- */

/* Values by the names that conditions have for them. */
typedef struct Values {
    struct {
        char name[40], text[40];
    } list[64];
    int count;
} Values;

static void note(Values *values, const char *text, const char *format, ...) {
    ck_assert_int_lt(values->count, 64);
    va_list list;
    va_start(list, format);
    vsnprintf(values->list[values->count].name, 40, format, list);
    va_end(list);
    snprintf(values->list[values->count++].text, 40, "%s", text);
}

/* A box's size, and its fields among the values. */
static void set_box(hlc_arguments *a, Values *values, const char *name, const char *before,
                    int dimensions, const int64_t *minimum, const int64_t *extent) {
    char text[160] = "", number[24];
    snprintf(text, sizeof text, "%s", before);
    for (int d = 0; d < dimensions; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRId64, d ? "x" : "",
                 extent[d]);
    for (int d = 0; d < dimensions; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "+%" PRId64, minimum[d]);
    ck_assert_msg(hlc_arguments_set(a, name, text) == HLC_YES, "%s=%s", name, text);
    for (int d = 0; d < dimensions; d++) {
        snprintf(number, sizeof number, "%" PRId64, minimum[d]);
        note(values, number, "%s.min.%d", name, d);
        snprintf(number, sizeof number, "%" PRId64, extent[d]);
        note(values, number, "%s.extent.%d", name, d);
    }
}

/* In its range, at its ends, and beyond them. */
static void draw_parameter(hlc_arguments *a, Values *values, const hlc_input *input) {
    char text[32], typed[64];
    if (input->kind == HLC_FLOAT) {
        double value = input->has_range ? input->lower.as.real : 0.5;
        value += (input->has_range ? input->upper.as.real - value : 4) * (double)draw(6) / 4;
        snprintf(text, sizeof text, "%.4f", value);
    } else if (input->kind == HLC_BOOL) {
        snprintf(text, sizeof text, "%s", draw(2) ? "true" : "false");
    } else {
        int64_t lower = input->has_range ? input->lower.as.integer : -3;
        int64_t upper = input->has_range ? input->upper.as.integer : 9;
        int64_t choices[] = {lower,
                             upper,
                             lower + draw(upper - lower + 1),
                             lower + 1,
                             lower + draw(upper - lower + 1),
                             upper + 1,
                             lower - 1};
        int64_t value = choices[draw(7)];
        /* Beyond the range, but of the type: what is not cannot be typed. */
        int64_t most = input->bits == 64
                           ? INT64_MAX
                           : ((int64_t)1 << (input->bits - (input->kind == HLC_INT))) - 1,
                least = input->kind == HLC_INT ? -most - 1 : 0;
        value = value < least ? least : value > most ? most : value;
        snprintf(text, sizeof text, "%" PRId64, value);
    }
    static const char kinds[] = {[HLC_INT] = 'i', [HLC_UINT] = 'u', [HLC_FLOAT] = 'f'};
    ck_assert_msg(hlc_arguments_set(a, input->name, text) == HLC_YES, "%s=%s", input->name, text);
    snprintf(typed, sizeof typed, input->kind == HLC_BOOL ? "%s" : "%s:%c%d", text,
             kinds[input->kind], input->bits);
    note(values, typed, "%s", input->name);
}

static hlc_arguments *draw_arguments(hlc *h, size_t pipeline, Values *values) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33, 64, 70};
    hlc_arguments *a = hlc_arguments_create(h, hlc_pipeline_name(h, pipeline));
    int64_t minimum[HLC_IMAGE_DIMENSIONS], extent[HLC_IMAGE_DIMENSIONS];
    bool channels = draw(4) > 0;
    values->count = 0;
    for (int d = 0; d < HLC_IMAGE_DIMENSIONS; d++) {
        minimum[d] = draw(3) ? 0 : draw(40) - 20;
        extent[d] = d < 2 ? sizes[draw(14)] : channels ? 3 : draw(5);
    }
    for (size_t i = 0; i < hlc_output_count(h, pipeline); i++) {
        hlc_output output = hlc_output_at(h, pipeline, i);
        if (output.component <= 0)
            set_box(a, values, output.func, "", output.dimensions, minimum, extent);
    }
    int64_t margin = draw(4) ? draw(30) : 0;
    for (size_t i = 0; i < hlc_input_count(h, pipeline); i++) {
        hlc_input input = hlc_input_at(h, pipeline, i);
        int64_t from[HLC_IMAGE_DIMENSIONS], length[HLC_IMAGE_DIMENSIONS];
        for (int d = 0; d < HLC_IMAGE_DIMENSIONS; d++) {
            from[d] = d < 2 ? draw_near(minimum[d] - margin) : 0;
            length[d] = d < 2 ? draw_near(extent[d] + 2 * margin) : draw(8) ? 3 : draw(5);
            length[d] = length[d] < 0 ? 0 : length[d];
        }
        if (input.is_image)
            set_box(a, values, input.name, "edges:1:", input.dimensions, from, length);
        else
            draw_parameter(a, values, &input);
    }
    return a;
}

/* ---- the contract's text ---- */

/* The text with values for names. */
static void put_values(const Values *values, const char *text, char *out) {
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
               (length && strchr(".'", text[length]) && text[length]))
            length++;
        bool is_name = length && !isdigit((unsigned char)*text);
        const char *value = NULL;
        for (int i = 0; is_name && i < values->count; i++)
            if (strlen(values->list[i].name) == length &&
                strncmp(values->list[i].name, text, length) == 0)
                value = values->list[i].text;
        length = length ? length : 1;
        out += value ? sprintf(out, "(%s)", value) : sprintf(out, "%.*s", (int)length, text);
        text += length;
    }
    *out = 0;
}

/* The string that is the member of this name in a line of JSON, whose texts need no escapes; false
 * for null. */
static bool member(const char *line, const char *name, char *out) {
    char key[40];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(line, key);
    if (!at)
        return false;
    at += strlen(key);
    size_t length = strcspn(at, "\"");
    memcpy(out, at, length);
    out[length] = 0;
    return true;
}

/* Does the condition hold, by the simplifier's proof of it with all values put in? */
static bool holds(hlc *h, const Values *values, const char *condition) {
    static char question[TEXT];
    put_values(values, condition, question);
    char *answer;
    size_t size;
    FILE *out = open_memstream(&answer, &size);
    hlc_status status = hlc_prove(h, question, NULL, out);
    fclose(out);
    ck_assert_msg(status == HLC_YES, "%s: %s", question, hlc_first_message(h));
    bool result = strncmp(answer, "true", 4) == 0;
    ck_assert_msg(result || strncmp(answer, "false", 5) == 0, "%s: %s", question, answer);
    free(answer);
    return result;
}

static bool text_holds(hlc *h, const Values *values, const char *clauses) {
    static char condition[TEXT];
    char *copy = strdup(clauses), *rest = copy;
    bool result = true;
    for (char *line; result && (line = strtok_r(rest, "\n", &rest));)
        if (strstr(line, "\"kind\":\"clause\"") &&
            !(member(line, "asked", condition) && !holds(h, values, condition))) {
            ck_assert(member(line, "condition", condition));
            result = holds(h, values, condition);
        }
    free(copy);
    return result;
}

/* ---- comparing ---- */

typedef struct Tally {
    int runs, refused, read_back, attained;
} Tally;

typedef struct Subject {
    const char *path, *pipeline, *schedule;
    size_t number; /* of the pipeline */
    hlc *h, *reader;
    hlc_function *function;
    char *clauses;
    Counter counter;
    Tally *tally;
} Subject;

/* What is printed into `*text`, which the caller frees. */
static hlc_status print_contract(const Subject *subject, hlc_arguments *a, char **text) {
    hlc_contract_options options = {.json = true, .arguments = a};
    size_t size;
    FILE *out = open_memstream(text, &size);
    hlc_status status =
        hlc_contract(subject->h, subject->pipeline, subject->schedule, &options, out);
    fclose(out);
    return status;
}

static void compare_memory(Subject *subject, const char *verdict, const char *values) {
    const char *at = strstr(verdict, "\"bytes\":");
    ck_assert_msg(at, "%s %s: how much memory it takes is not known", subject->path,
                  subject->schedule);
    size_t told = strtoull(at + strlen("\"bytes\":"), NULL, 10);
    size_t slack = 64 * subject->counter.most_blocks;
    ck_assert_msg(subject->counter.peak <= told + slack,
                  "%s %s: takes %zu bytes in %zu blocks, not %zu: %s", subject->path,
                  subject->schedule, subject->counter.peak, subject->counter.most_blocks, told,
                  values);
    subject->tally->attained += subject->counter.peak >= told;
    ck_assert_uint_eq(subject->counter.live, 0);
}

static void compare(Subject *subject, int round) {
    Values values;
    hlc_arguments *a = draw_arguments(subject->h, subject->number, &values);
    char *verdict;
    hlc_set_thread_count(1 + round % 3);
    hlc_status keeps = print_contract(subject, a, &verdict);
    subject->counter.peak = subject->counter.most_blocks = 0;
    hlc_status runs = hlc_function_run(subject->function, a);
    static char told[TEXT];
    told[0] = 0;
    for (int i = 0; i < values.count; i++)
        sprintf(told + strlen(told), " %s=%s", values.list[i].name, values.list[i].text);
    ck_assert_msg((keeps == HLC_YES && runs == HLC_YES) || (keeps == HLC_NO && runs == HLC_USER),
                  "%s %s: %s%s%s", subject->path, subject->schedule ? subject->schedule : "",
                  verdict, runs == HLC_YES ? "but it runs" : hlc_first_message(subject->h), told);
    hlc_clear_diagnostics(subject->h);
    if (round % 3 == 0) {
        bool says = text_holds(subject->reader, &values, subject->clauses);
        ck_assert_msg(says == (keeps == HLC_YES), "%s %s: read back it says %d:%s", subject->path,
                      subject->schedule ? subject->schedule : "", says, told);
        subject->tally->read_back++;
    }
    if (runs == HLC_YES)
        compare_memory(subject, verdict, told);
    subject->tally->runs++;
    subject->tally->refused += runs != HLC_YES;
    hlc_arguments_destroy(a);
    free(verdict);
}

static void look_at_schedule(Subject *subject) {
    static int turn;
    if (turn++ % share() != 0)
        return;
    hlc_compile_options options = {.optimize = 0};
    const hlc_allocator allocator = {count_allocate, count_free, &subject->counter};
    subject->function =
        hlc_compile_function(subject->h, subject->pipeline, subject->schedule, &options);
    ck_assert_ptr_nonnull(subject->function);
    ck_assert_int_eq(print_contract(subject, NULL, &subject->clauses), HLC_YES);
    pthread_mutex_init(&subject->counter.lock, NULL);
    const hlc_allocator *before = hlc_set_allocator(&allocator);
    for (int round = 0; round < ROUNDS; round++)
        compare(subject, round);
    hlc_set_allocator(before);
    pthread_mutex_destroy(&subject->counter.lock);
    free(subject->clauses);
    hlc_function_destroy(subject->function);
}

static void look_at_file(const char *path, Tally *tally) {
    hlc *h = hlc_create(), *reader = hlc_create();
    ck_assert_msg(hlc_load(h, path) == HLC_YES, "%s", path);
    for (size_t p = 0; p < hlc_pipeline_count(h); p++) {
        Subject subject = {.path = path, .h = h, .reader = reader, .tally = tally, .number = p};
        subject.pipeline = hlc_pipeline_name(h, p);
        look_at_schedule(&subject);
        for (size_t s = 0; s < hlc_schedule_count(h); s++)
            if (strcmp(hlc_schedule_pipeline(h, s), subject.pipeline) == 0) {
                subject.schedule = hlc_schedule_name(h, s);
                look_at_schedule(&subject);
            }
    }
    hlc_destroy(h);
    hlc_destroy(reader);
}

static void look_at_all(const char *pattern, Tally *tally) {
    glob_t found;
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        look_at_file(found.gl_pathv[i], tally);
    globfree(&found);
}

START_TEST(a_pipeline_runs_where_its_contract_holds) {
    Tally tally = {0};
    look_at_all(TEST_SOURCE_DIR "/../examples/*.hl", &tally);
    look_at_all(TEST_SOURCE_DIR "/semantics/*.hl", &tally);
    look_at_all(TEST_SOURCE_DIR "/contract/*.hl", &tally);
    printf("%d runs, %d refused, %d read back, in %d the memory that was told was taken\n",
           tally.runs, tally.refused, tally.read_back, tally.attained);
    ck_assert_int_gt(tally.refused, tally.runs / 10);
    ck_assert_int_lt(tally.refused, tally.runs * 9 / 10);
    ck_assert_int_gt(tally.attained, (tally.runs - tally.refused) / 4);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("contract");
    tcase_add_test(cases, a_pipeline_runs_where_its_contract_holds);
    tcase_set_timeout(cases, 600);
    return run_suite("library_contract", cases);
}
