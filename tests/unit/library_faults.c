/* library_faults.c -- every request for memory that the compiler makes, refused in turn.
 *
 * Each entry of the library is a row of a table: what is done before it, with memory enough, and
 * the call.  A first handle counts the requests of the call.  Then, for one request after the
 * other, a handle of its own makes the call with that request refused.  It must say HLC_WORLD and
 * nothing else, leave no arena and no file open, and the same handle, asked again, must give what
 * the first one gave, byte for byte (but for the numbers of fresh names).  Under AddressSanitizer
 * a leak fails the program.
 *
 * `make test` refuses some of the requests, a share fewer.  HLC_EVERY_FAULT=1, as `make exhaust` has it, refuses
 * one at each site: requests with the same stack of calls, from the entry down to the request, are
 * a site, of which the first, the last and one in the middle are refused.  HLC_EVERY_FAULT=all
 * refuses each request of a smaller program, which takes hours.  HLC_FAULTS_FROM and
 * HLC_FAULTS_UNTIL name the first entry and the one after the last, for several processes;
 * HLC_FAULTS_AGAIN=N asks the same handle again after every Nth refusal only, as what is compiled
 * to the end takes LLVM's time.
 */
#include "include/hlc.h"
#include "library/compiler.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"
#include "tests/unit/request_sites.h"
#include "tests/unit/share.h"

#include <ctype.h>
#include <dirent.h>

static const char PROGRAM[] =
    "let twice(v) = v + v;\n"
    "pipeline p(a: image<u8, 2>, k: i32 = 1 in 0..9) -> (b, c) {\n"
    "    let src = repeat_edge(a);\n"
    "    fun f(x, y) = {i32(src(x + 1, y)) + k; rdom(r = (0, 3)) in (x, y) <- f(x, y) + r;}\n"
    "    fun t(i) = u8(i * 3 % 7);\n"
    "    fun g(x, y) = u8(f(x, y - 1) / 3) + t(index(src(x, y)) % 16);\n"
    "    fun b(x, y) = g(x, y) + g(x, y + 1);\n"
    "    fun c(x, y) = {twice(f(x, y)), f32(k) * 0.5};\n"
    "}\n"
    "schedule s for p {\n"
    "    split(b.x, xo, xi, 4);  compute-at(g, b.y);  store-root(g);  compute-root(f);\n"
    "    vectorize(b.xi);  parallel(c.y);  stream(b);\n"
    "    bound(t, i, 0, 16);  eager(t);  wrap(f, c, fc);  compute-at(fc, c.y);\n"
    "    fold-storage(g, y, 2);  reorder-storage(f, y, x);  align-storage(f, x, 8);\n"
    "    hoist-storage-root(g);  bound-storage(fc, y, 1);\n"
    "}\n";

/* Recurrences, partial results, reduction loops in lanes, loops that funcs share. */
static const char NEST_PROGRAM[] =
    "pipeline p(a: image<u8, 2>, k: i32 = 1 in 0..9) -> (b, c) {\n"
    "    recurrence(j = (0, 5); i = (0, 7)) {\n"
    "        fun odd(j, i): i32;\n"
    "        fun even(j, i): i32 = select(j == 0 || i == 0, k, max(odd(j - 1, i), odd(j, i - 1)) + "
    "1);\n"
    "        fun odd(j, i): i32 = select(j == 0 || i == 0, i32(i), even(j - 1, i - 1) + 3);\n"
    "    }\n"
    "    let src = repeat_edge(a);\n"
    "    fun sum(x) = { 0; rdom(r = (0, 13)) in (x) <- sum(x) + i32(src(x, r)); rdom(q = (0, 9)) "
    "in (x) <- max(sum(x), i32(src(x, q))); };\n"
    "    fun f(x, y) = i32(src(x, y)) + k;\n"
    "    fun g(x, y) = i32(src(x, y)) - k;\n"
    "    fun b(x, y) = f(x, y) + g(x, y);\n"
    "    fun c(x, y) = even(4, 6) + sum(x);\n"
    "}\n"
    "schedule s for p {\n"
    "    wavefront(even, i, j, t);\n"
    "    vectorize(even.s1.j, 4);\n"
    "    split(sum.s1.r, ro, ri, 4);\n"
    "    rfactor(sum.s1.ro, u, part);\n"
    "    compute-root(part);\n"
    "    vectorize(sum.s2.q, 4);\n"
    "    compute-at(g, b.y);  compute-with(f.s0.y, g.s0.y);\n"
    "}\n";

/* Where every request is refused: the calls are quadratic in their number. */
static const char SMALL_PROGRAM[] =
    "pipeline p(a: image<u8, 2>, k: i32 = 1 in 0..9) -> b {\n"
    "    fun g(x, y) = a(x, y) + u8(k);\n"
    "    fun b(x, y) = g(x, y);\n"
    "}\n"
    "schedule s for p { compute-at(g, b.y);  vectorize(b.x, 4); }\n";

/* Which requests are refused. */
typedef enum Sweep { SWEEP_SAMPLE, SWEEP_SITES, SWEEP_ALL } Sweep;

static Sweep sweep(void) {
    const char *text = getenv("HLC_EVERY_FAULT");
    return !text ? SWEEP_SAMPLE : strcmp(text, "all") == 0 ? SWEEP_ALL : SWEEP_SITES;
}

typedef struct Scene {
    hlc *h;
    const char *path;
    hlc_arguments *a;
    hlc_function *f;
    FILE *out; /* what the call prints */
} Scene;

typedef struct Entry {
    const char *name;
    void (*prepare)(Scene *scene);
    hlc_status (*call)(Scene *scene);
    int coarse; /* so many times fewer requests are tried where not all are: LLVM is slow */
} Entry;

/* ---- what is done before ---- */

static void load(Scene *scene) {
    ck_assert_int_eq(hlc_load(scene->h, scene->path), HLC_YES);
}

static void create_arguments(Scene *scene) {
    load(scene);
    scene->a = hlc_arguments_create(scene->h, "p");
    ck_assert_ptr_nonnull(scene->a);
}

static void bind(Scene *scene) {
    create_arguments(scene);
    ck_assert_int_eq(hlc_arguments_set(scene->a, "a", "random:1:7x4"), HLC_YES);
}

static void bind_interleaved(Scene *scene) {
    bind(scene);
    hlc_set_interpreter(scene->h, &(hlc_interpreter){HLC_ORDER_INTERLEAVED, 5, true, false});
}

static void compile_function(Scene *scene) {
    bind(scene);
    scene->f = hlc_compile_function(scene->h, "p", "s", NULL);
    ck_assert_ptr_nonnull(scene->f);
}

static void load_program(Scene *scene) {
    char *text;
    size_t length;
    hlc *other = hlc_create();
    FILE *out = open_memstream(&text, &length);
    ck_assert_int_eq(hlc_load(other, scene->path), HLC_YES);
    ck_assert_int_eq(hlc_lower(other, "p", "s", NULL, out), HLC_YES);
    fclose(out);
    hlc_destroy(other);
    ck_assert_int_eq(hlc_load_text(scene->h, "p.ir", text, length, NULL, NULL), HLC_YES);
    free(text);
}

static void bind_program(Scene *scene) {
    load_program(scene);
    scene->a = hlc_arguments_create(scene->h, NULL);
    ck_assert_ptr_nonnull(scene->a);
    ck_assert_int_eq(hlc_arguments_set(scene->a, "a", "random:1:7x4"), HLC_YES);
}

static void use_worker(Scene *scene) {
    bind(scene);
    ck_assert_int_eq(hlc_use_worker(scene->h, TEST_BUILD_DIR "/hlc", 0), HLC_YES);
}

static void diagnose(Scene *scene) {
    ck_assert_int_eq(hlc_declare(scene->h, "x:u8"), HLC_YES);
}

/* ---- the calls ---- */

static hlc_status print_outputs(Scene *scene, hlc_status status) {
    for (size_t i = 0; status == HLC_YES && i < hlc_arguments_output_count(scene->a); i++) {
        const hlc_image *image = hlc_arguments_output(scene->a, i);
        size_t count = (size_t)(image->extent[0] * image->extent[1]);
        fprintf(scene->out, "%s: ", hlc_arguments_output_name(scene->a, i));
        for (size_t byte = 0; byte < count * (size_t)image->bits / 8; byte++)
            fprintf(scene->out, "%02x", ((const unsigned char *)image->data)[byte]);
    }
    return status;
}

static const char *import_module(void *data, const char *path, size_t *length) {
    (void)data, (void)path;
    *length = sizeof PROGRAM - 1;
    return PROGRAM;
}

static hlc_status call_load(Scene *scene) {
    return hlc_load(scene->h, scene->path);
}
static hlc_status call_load_text(Scene *scene) {
    static const char TEXT[] = "import \"p.hl\";\nschedule t for p { compute-root(g); }\n";
    return hlc_load_text(scene->h, "q.hl", TEXT, sizeof TEXT - 1, import_module, NULL);
}
static hlc_status call_format(Scene *scene) {
    bool is_formatted;
    return hlc_format(scene->h, scene->path, &is_formatted, scene->out);
}
static hlc_status call_lower(Scene *scene) {
    return hlc_lower(scene->h, "p", "s", NULL, scene->out);
}
static hlc_status call_lower_program(Scene *scene) {
    return hlc_lower(scene->h, NULL, NULL, NULL, scene->out);
}
static hlc_status call_explain(Scene *scene) {
    return hlc_explain(scene->h, "p", "s", scene->a, scene->out);
}
static hlc_status call_dependences(Scene *scene) {
    return hlc_explain_dependences(scene->h, "p", NULL, scene->out);
}
static hlc_status call_associative(Scene *scene) {
    return hlc_explain_associative(scene->h, "p", "sum", scene->out);
}
static hlc_status call_moves(Scene *scene) {
    return hlc_moves(scene->h, "p", "s", true, scene->out);
}
static hlc_status call_bounds(Scene *scene) {
    return hlc_bounds(scene->h, "p", "s", scene->out);
}
static hlc_status call_contract(Scene *scene) {
    return hlc_contract(scene->h, "p", "s", &(hlc_contract_options){.json = true}, scene->out);
}
static hlc_status call_contract_against(Scene *scene) {
    hlc_contract_options options = {.against = "", .arguments = NULL};
    return hlc_contract(scene->h, "p", "s", &options, scene->out);
}
static hlc_status call_contract_arguments(Scene *scene) {
    hlc_contract_options options = {.arguments = scene->a};
    return hlc_contract(scene->h, "p", "s", &options, scene->out);
}
static hlc_status call_certify(Scene *scene) {
    return hlc_certify(scene->h, "p", "s", &(hlc_certify_options){0}, NULL, scene->out);
}
static hlc_status call_declare(Scene *scene) {
    return hlc_declare(scene->h, "a_name_that_is_new:f32");
}
static hlc_status call_simplify(Scene *scene) {
    hlc_expression_options options = {.trace = scene->out, .statistics = scene->out};
    return hlc_simplify(scene->h, "min(a + 3, b * 2 + 3) - select(x + u8(1) > x, 3, 4)", &options,
                        scene->out);
}
static hlc_status call_prove(Scene *scene) {
    hlc_expression_options options = {.witness = true};
    return hlc_prove(scene->h, "a * 7 - b * 5 == 1 && a > b && a < 30", &options, scene->out);
}
static hlc_status call_solve(Scene *scene) {
    hlc_expression_options options = {.variable = "a"};
    return hlc_solve(scene->h, "max(a * 2 + b, c) < 17 - a", &options, scene->out);
}
static hlc_status call_rules(Scene *scene) {
    return hlc_rules(scene->h, NULL, true, scene->out);
}
static hlc_status call_arguments_create(Scene *scene) {
    return hlc_arguments_create(scene->h, "p") ? HLC_YES : HLC_WORLD;
}
static hlc_status call_arguments_set(Scene *scene) {
    hlc_status status = hlc_arguments_set(scene->a, "a", "random:1:7x4");
    if (status == HLC_YES)
        status = hlc_arguments_set(scene->a, "k", "3");
    return status == HLC_YES ? hlc_arguments_set(scene->a, "b", "5x5+1+1") : status;
}
static hlc_status call_arguments_set_image(Scene *scene) {
    unsigned char data[6] = {0};
    hlc_image image = {.kind = HLC_UINT, .bits = 8, .dimensions = 2, .data = data};
    image.extent[0] = 3, image.extent[1] = 2, image.stride[0] = 1, image.stride[1] = 3;
    hlc_status status = hlc_arguments_set_image(scene->a, "a", &image);
    return status == HLC_YES ? hlc_arguments_set_value(scene->a, "k", hlc_int(4)) : status;
}
static hlc_status call_arguments_set_buffer(Scene *scene) {
    static unsigned char data[35];
    halide_dimension_t dim[2] = {{0, 7, 1, 0}, {0, 5, 7, 0}};
    halide_buffer_t buffer = {.host = data, .type = {1, 8, 1}, .dimensions = 2, .dim = dim};
    hlc_status status = hlc_arguments_set_buffer(scene->a, "a", &buffer);
    return status == HLC_YES ? hlc_arguments_set_buffer(scene->a, "b", &buffer) : status;
}
static hlc_status call_eval(Scene *scene) {
    return hlc_eval(scene->a, "g(1, 1)", &(hlc_eval_options){.why = true}, scene->out);
}
static hlc_status call_eval_nest(Scene *scene) {
    return hlc_eval(scene->a, "even(4, 6)", &(hlc_eval_options){.why = true}, scene->out);
}
static hlc_status call_run_reference(Scene *scene) {
    return print_outputs(scene, hlc_run(scene->a, "s", HLC_REFERENCE));
}
static hlc_status call_run_target(Scene *scene) {
    return print_outputs(scene, hlc_run(scene->a, "s", HLC_TARGET));
}
static hlc_status call_run_compiled(Scene *scene) {
    return print_outputs(scene, hlc_run(scene->a, "s", HLC_COMPILED));
}
static hlc_status call_run_program(Scene *scene) {
    return print_outputs(scene, hlc_run(scene->a, NULL, HLC_COMPILED));
}
static hlc_status call_compile_function(Scene *scene) {
    scene->f = hlc_compile_function(scene->h, "p", "s", NULL);
    return scene->f ? print_outputs(scene, hlc_function_run(scene->f, scene->a)) : HLC_WORLD;
}
static hlc_status call_function_run(Scene *scene) {
    return print_outputs(scene, hlc_function_run(scene->f, scene->a));
}
static hlc_status call_function_time(Scene *scene) {
    int64_t nanoseconds[2];
    return hlc_function_time(scene->f, scene->a, 2, 1, nanoseconds);
}
static hlc_status call_compile(Scene *scene) {
    hlc_compile_options options = {.emit = "asm",
                                   .optimize = 1,
                                   .header = scene->out,
                                   .depfile = scene->out,
                                   .object = "p.o",
                                   .debug = true};
    return hlc_compile(scene->h, "p", "s", &options, scene->out);
}
static hlc_status call_compile_object(Scene *scene) {
    hlc_object *object = hlc_compile_object(scene->h, "p", "s", NULL);
    if (object)
        fwrite(hlc_object_bytes(object), 1, hlc_object_length(object), scene->out);
    return object ? HLC_YES : HLC_WORLD;
}
static hlc_status call_set_targets(Scene *scene) {
    return hlc_set_targets(scene->h, "x86-64-v3,x86-64");
}
static hlc_status call_check(Scene *scene) {
    return hlc_check(scene->h, &(hlc_check_options){.seed = 1, .rounds = 1}, NULL, scene->out);
}
static hlc_status call_diagnose(Scene *scene) {
    size_t before = hlc_diagnostic_count(scene->h);
    hlc_diagnose(scene->h, "E0803", (const char *const[]){"this", NULL});
    bool is_there = hlc_diagnostic_count(scene->h) > before;
    hlc_clear_diagnostics(scene->h);
    return is_there ? HLC_YES : HLC_WORLD;
}

static const Entry ENTRIES[] = {
    {"load", NULL, call_load, 1},
    {"load_text", NULL, call_load_text, 1},
    {"format", NULL, call_format, 1},
    {"lower", load, call_lower, 2},
    {"lower .ir", load_program, call_lower_program, 1},
    {"explain", bind, call_explain, 2},
    {"moves", load, call_moves, 2},
    {"bounds", load, call_bounds, 2},
    {"certify", load, call_certify, 4},
    {"contract", load, call_contract, 16},
    {"contract against another", load, call_contract_against, 24},
    {"contract with arguments", bind, call_contract_arguments, 8},
    {"declare", NULL, call_declare, 1},
    {"simplify", diagnose, call_simplify, 1},
    {"prove", NULL, call_prove, 1},
    {"solve", NULL, call_solve, 1},
    {"rules", NULL, call_rules, 4},
    {"arguments_create", load, call_arguments_create, 1},
    {"arguments_set", create_arguments, call_arguments_set, 1},
    {"arguments_set_image", create_arguments, call_arguments_set_image, 1},
    {"arguments_set_buffer", create_arguments, call_arguments_set_buffer, 1},
    {"eval", bind, call_eval, 1},
    {"run by the reference", bind, call_run_reference, 1},
    {"run by the target interpreter", bind, call_run_target, 2},
    {"run interleaved", bind_interleaved, call_run_target, 2},
    {"run compiled", bind, call_run_compiled, 4},
    {"run .ir", bind_program, call_run_program, 4},
    {"compile_function", bind, call_compile_function, 4},
    {"function_run", compile_function, call_function_run, 1},
    {"function_time", compile_function, call_function_time, 1},
    {"compile", load, call_compile, 4},
    {"compile_object", load, call_compile_object, 4},
    {"compile_object in a worker", use_worker, call_compile_object, 24},
    {"set_targets", load, call_set_targets, 1},
    {"check", load, call_check, 24},
    {"diagnose", NULL, call_diagnose, 1},
};

static const Entry NEST_ENTRIES[] = {
    {"load nests", NULL, call_load, 2},
    {"format nests", NULL, call_format, 2},
    {"lower nests", load, call_lower, 4},
    {"lower nests' .ir", load_program, call_lower_program, 2},
    {"explain nests", bind, call_explain, 4},
    {"explain dependences", load, call_dependences, 1},
    {"explain associative", load, call_associative, 2},
    {"bounds of nests", load, call_bounds, 4},
    {"certify nests", load, call_certify, 8},
    {"contract of nests", load, call_contract, 24},
    {"eval in nests", bind, call_eval_nest, 2},
    {"run nests by the reference", bind, call_run_reference, 2},
    {"run nests by the target interpreter", bind_interleaved, call_run_target, 4},
    {"run nests compiled", bind, call_run_compiled, 8},
};

/* ---- one call ---- */

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

typedef struct Told {
    char *text;
    size_t length;
} Told;

/* Without the numbers that keep names apart from those of earlier calls: "needed'2". */
static void forget_numbers(Told *told) {
    size_t to = 0;
    for (size_t from = 0; from < told->length; from++) {
        if (told->text[from] == '\'' && from + 1 < told->length && isdigit(told->text[from + 1])) {
            while (from + 1 < told->length && isdigit(told->text[from + 1]))
                from++;
            continue;
        }
        told->text[to++] = told->text[from];
    }
    told->length = to;
}

/* Makes the call; what it prints is the caller's to free.  `requests`: for memory, that it may make
 * before one is refused; afterwards those that are left. */
static hlc_status make_call(const Entry *entry, Scene *scene, int64_t *requests, Told *told) {
    Memory *memory = &scene->h->context->memory;
    scene->out = open_memstream(&told->text, &told->length);
    memory->fail_after = *requests;
    hlc_status status = entry->call(scene);
    *requests = memory->fail_after;
    memory->fail_after = -1;
    fclose(scene->out);
    forget_numbers(told);
    return status;
}

static void set_up(const Entry *entry, Scene *scene, const char *path) {
    *scene = (Scene){.h = hlc_create(), .path = path};
    if (entry->prepare)
        entry->prepare(scene);
}

/* How many requests the call makes, where (`sites` may be null), and what it prints. */
static int64_t count_requests(const Entry *entry, const char *path, Sites *sites, Told *told) {
    Scene scene;
    int64_t left = INT64_MAX;
    set_up(entry, &scene, path);
    if (sites) {
        scene.h->context->memory.on_request = note_request;
        scene.h->context->memory.request_data = sites;
    }
    hlc_status status = make_call(entry, &scene, &left, told);
    if (status != HLC_YES)
        hlc_print_diagnostics(scene.h, stderr);
    ck_assert_msg(status == HLC_YES, "%s: %d", entry->name, status);
    hlc_destroy(scene.h);
    return INT64_MAX - left;
}

/* After how many refusals the same handle is asked again. */
static int64_t again(void) {
    const char *text = getenv("HLC_FAULTS_AGAIN");
    return text && atoll(text) > 1 ? atoll(text) : 1;
}

static void ask_again(const Entry *entry, Scene *scene, int64_t request, const Told *right) {
    Told told;
    int64_t left = INT64_MAX;
    hlc_status status = make_call(entry, scene, &left, &told);
    ck_assert_msg(status == HLC_YES, "%s, after request %jd: %d: %s", entry->name,
                  (intmax_t)request, status, hlc_first_message(scene->h));
    ck_assert_msg(told.length == right->length && memcmp(told.text, right->text, told.length) == 0,
                  "%s, after request %jd: another answer", entry->name, (intmax_t)request);
    free(told.text);
}

static void refuse(const Entry *entry, const char *path, int64_t request, const Told *right) {
    Scene scene;
    Told told;
    set_up(entry, &scene, path);
    const Memory *memory = &scene.h->context->memory;
    const Arena *newest = memory->newest;
    int descriptors = count_descriptors();
    int64_t left = request;
    hlc_status status = make_call(entry, &scene, &left, &told);
    free(told.text);
    ck_assert_msg(status == HLC_WORLD, "%s, request %jd: %d, not HLC_WORLD", entry->name,
                  (intmax_t)request, status);
    ck_assert_msg(hlc_diagnostic_count(scene.h) == 0, "%s, request %jd: %s", entry->name,
                  (intmax_t)request, hlc_first_message(scene.h));
    ck_assert_msg(memory->newest == newest || scene.a, "%s, request %jd: an arena is left",
                  entry->name, (intmax_t)request);
    if (!scene.h->worker.path) /* which may have been ended, or started again */
        ck_assert_msg(count_descriptors() == descriptors, "%s, request %jd: a file is left open",
                      entry->name, (intmax_t)request);
    if (request % again() == 0)
        ask_again(entry, &scene, request, right);
    hlc_destroy(scene.h);
}

/* The sites' requests; returns how many. */
static int64_t refuse_at_sites(const Entry *entry, const char *path, const Sites *sites,
                               const Told *right) {
    int64_t tried = 0;
    for (int64_t i = 0; i < SITE_SLOTS; i++) {
        const Site *site = &sites->slots[i];
        if (!site->stack)
            continue;
        refuse(entry, path, site->first, right), tried++;
        if (site->middle > site->first && site->middle < site->last)
            refuse(entry, path, site->middle, right), tried++;
        if (site->last > site->first)
            refuse(entry, path, site->last, right), tried++;
    }
    return tried;
}

/* Some: close together at the beginning, and the last one. */
static int64_t refuse_in_turn(const Entry *entry, const char *path, int64_t count,
                              const Told *right) {
    int64_t tried = 0;
    for (int64_t n = 0; n < count; tried++) {
        refuse(entry, path, n, right);
        int64_t next = n + 1 + (sweep() == SWEEP_ALL ? 0 : n * entry->coarse * share() / 4);
        n = next < count || n == count - 1 ? next : count - 1;
    }
    return tried;
}

enum {
    PLAIN_COUNT = sizeof ENTRIES / sizeof *ENTRIES,
    ENTRY_COUNT = PLAIN_COUNT + sizeof NEST_ENTRIES / sizeof *NEST_ENTRIES
};

static const Entry *entry_at(int i) {
    return i < PLAIN_COUNT ? &ENTRIES[i] : &NEST_ENTRIES[i - PLAIN_COUNT];
}

/* hlc_moves lowers the program for each of hundreds of directives. */
static const char *program_at(int i) {
    if (i >= PLAIN_COUNT)
        return NEST_PROGRAM;
    return sweep() == SWEEP_ALL || ENTRIES[i].call == call_moves ? SMALL_PROGRAM : PROGRAM;
}

START_TEST(memory_is_refused) {
    const Entry *entry = entry_at(_i);
    Sites *sites = sweep() == SWEEP_SITES ? calloc(1, sizeof *sites) : NULL;
    char path[64];
    Told right;
    snprintf(path, sizeof path, "/tmp/hlc_faults_%d.hl", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(program_at(_i), file);
    fclose(file);
    int64_t count = count_requests(entry, path, sites, &right);
    ck_assert_int_gt(count, 0);
    int64_t tried = sites ? refuse_at_sites(entry, path, sites, &right)
                          : refuse_in_turn(entry, path, count, &right);
    printf("%s: %jd requests", entry->name, (intmax_t)count);
    if (sites)
        printf(" at %jd sites", (intmax_t)sites->count);
    printf(", %jd refused\n", (intmax_t)tried);
    fflush(stdout);
    free(sites);
    free(right.text);
    unlink(path);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("faults");
    int first = 0, end = ENTRY_COUNT;
    const char *from = getenv("HLC_FAULTS_FROM"), *until = getenv("HLC_FAULTS_UNTIL");
    while (from && first < end && strcmp(entry_at(first)->name, from) != 0)
        first++;
    for (int i = first; until && i < end; i++)
        if (strcmp(entry_at(i)->name, until) == 0)
            end = i;
    tcase_add_loop_test(cases, memory_is_refused, first, end);
    tcase_set_timeout(cases, sweep() == SWEEP_SAMPLE ? 120 : 36000);
    return run_suite("library_faults", cases);
}
