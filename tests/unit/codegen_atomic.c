/* codegen_atomic.c -- atomic stores, compiled: many threads on few elements, by each operator and
 * in each type, leave what the same updates leave one after the other.  Each test's loop index is
 * the level of optimisation. */
#include "compiled.h"
#include "share.h"

enum { UPDATES = 20000, THREADS = 8, ELEMENTS = 2 };

/* Values over the element, %1$s, and numbers %2$s and %3$s of its type, %4$s. */
static const char *const whole[] = {
    "%1$s + %2$s",
    "%3$s + (%1$s + %2$s)",
    "%1$s - %2$s",
    "%1$s - %2$s - %3$s",
    "%1$s & (%2$s | %3$s)",
    "%1$s & %2$s & %3$s",
    "%1$s | %2$s & %3$s",
    "%1$s ^ %2$s",
    "%2$s ^ %1$s ^ %3$s",
    "min(%1$s, %2$s)",
    "min(%2$s, min(%1$s, %3$s))",
    "max(%2$s, %1$s)",
    "%1$s*(%2$s | 1:%4$s)",
    "%1$s + %2$s + %1$s*%2$s",
    "select(%1$s < %2$s, %2$s, %1$s)",
    "select(%3$s < %2$s, %1$s + %2$s, %1$s)",
};
static const char *const of_unsigned[] = {"saturating_add(%1$s, %2$s)",
                                          "saturating_add(%2$s & 3:%4$s, %1$s)"};
static const char *const of_bools[] = {"%1$s && (%2$s || %3$s)", "%1$s || %2$s && %3$s",
                                       "%1$s != %2$s", "%2$s == %1$s", "select(%2$s, !%1$s, %1$s)"};

typedef struct Row {
    Type type;
    const char *name, *number; /* of %1$s, of sort index */
} Row;

static const Row rows[] = {
    {I8, "i8", "i8(%1$s)"},    {I16, "i16", "i16(%1$s)"}, {I32, "i32", "i32(%1$s)"},
    {I64, "i64", "i64(%1$s)"}, {U8, "u8", "u8(%1$s)"},    {U16, "u16", "u16(%1$s)"},
    {U32, "u32", "u32(%1$s)"}, {U64, "u64", "u64(%1$s)"}, {BOOL, "bool", "1 == %1$s %% 2"}};

typedef Vec(const char *) Values;

static void add_values(Arena *arena, Values *values, const char *const *of, size_t count) {
    for (size_t i = 0; i < count; i++)
        vec_push(arena, values, of[i]);
}

static Values values_of(Arena *arena, Type type) {
    Values values = {0};
    if (type_is_bool(type))
        add_values(arena, &values, of_bools, sizeof of_bools / sizeof *of_bools);
    else
        add_values(arena, &values, whole, sizeof whole / sizeof *whole);
    if (type.kind == TYPE_UINT)
        add_values(arena, &values, of_unsigned, sizeof of_unsigned / sizeof *of_unsigned);
    return values;
}

/* The func f, whose updates run in parallel or one after the other. */
static void write_func(FILE *out, const Row *row, const char *f, const char *value,
                       bool is_parallel) {
    char element[120], v[40], w[40], number[160];
    snprintf(element, sizeof element, "%s[%s.s1.r %% 97/96]", f, f);
    snprintf(v, sizeof v, "%s.v", f);
    snprintf(w, sizeof w, "%s.w", f);
    fprintf(out,
            "  allocate %1$s: %2$s [(%1$s.min.0, %1$s.extent.0)]\n"
            "  compute %1$s on [(%1$s.min.0, %1$s.extent.0)]\n"
            "    label %1$s\n"
            "      label s0\n"
            "        for %1$s.s0.x in (%1$s.min.0, %1$s.extent.0) do\n"
            "          %1$s[%1$s.s0.x] <- %3$s\n"
            "      label s1\n"
            "        for %1$s.s1.r in (0, index(n)) reduction%4$s do\n",
            f, row->name, type_is_bool(row->type) ? "true" : "a[0]",
            is_parallel ? " parallel" : "");
    snprintf(number, sizeof number, "((%1$s.s1.r*%1$s.s1.r*7919 + 13) %% 4294967291)", f);
    fprintf(out, "          let %s = ", v);
    fprintf(out, row->number, number);
    snprintf(number, sizeof number, "((%1$s.s1.r*104729 + 3) %% 65521)", f);
    fprintf(out, " in\n            let %s = ", w);
    fprintf(out, row->number, number);
    fprintf(out, " in\n              %s%s <- ", is_parallel ? "atomic " : "", element);
    fprintf(out, value, element, v, w, row->name);
    fprintf(out, "\n");
}

/* An output for each value. */
static char *write_program(const Row *row, const Values *values, bool is_parallel) {
    char *text, name[30];
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "pipeline p(a: image<%s, 1>, n: i32) -> (",
            type_is_bool(row->type) ? "u8" : row->name);
    for (size_t i = 0; i < values->length; i++)
        fprintf(out, "%sf%zu", i ? ", " : "", i);
    fprintf(out, ")\n");
    for (size_t i = 0; i < values->length; i++)
        fprintf(out, "  func f%zu(x): %s\n", i, row->name);
    for (size_t i = 0; i < values->length; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        write_func(out, row, name, values->data[i], is_parallel);
    }
    fclose(out);
    return text;
}

/* What each of the outputs holds, one after the other. */
static void run(const Row *row, const Values *values, bool is_parallel, int optimize, Bits *left) {
    char *text = write_program(row, values, is_parallel);
    Compiled c = compile(text, optimize);
    Image a = line(type_is_bool(row->type) ? U8 : row->type, 0, 1);
    Image *outputs = calloc(values->length, sizeof *outputs);
    put(&a, 0, 0, 113);
    for (size_t i = 0; i < values->length; i++)
        outputs[i] = line(row->type, 0, ELEMENTS);
    succeed(&c, &(Arguments){(Bits[]){UPDATES}, &a, outputs});
    for (size_t i = 0; i < values->length; i++) {
        for (int x = 0; x < ELEMENTS; x++)
            left[i * ELEMENTS + (size_t)x] = at(&outputs[i], x, 0);
        guarded_free(&outputs[i]);
    }
    guarded_free(&a);
    free(outputs);
    free(text);
    discard(&c);
}

START_TEST(threads_on_one_element_lose_nothing) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        Values values = values_of(arena, rows[t].type);
        Bits *serial = arena_array(arena, Bits, values.length * ELEMENTS),
             *parallel = arena_array(arena, Bits, values.length * ELEMENTS);
        run(&rows[t], &values, false, 1, serial);
        for (int again = 0; again < (share() > 1 ? 1 : 2); again++) {
            run(&rows[t], &values, true, _i, parallel);
            for (size_t i = 0; i < values.length * ELEMENTS; i++)
                ck_assert_msg(serial[i] == parallel[i], "%s in %s: %lld, and not %lld",
                              values.data[i / ELEMENTS], rows[t].name, (long long)parallel[i],
                              (long long)serial[i]);
        }
    }
    arena_destroy(arena);
    context_destroy(context);
}
END_TEST

int main(void) {
    hlc_set_thread_count(THREADS);
    hlc_set_dispatch_work(0); /* as little as it is */
    TCase *cases = tcase_create("atomic");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, threads_on_one_element_lose_nothing, 0, 3);
    return run_suite("codegen_atomic", cases);
}
