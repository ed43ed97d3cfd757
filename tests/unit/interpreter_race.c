/* interpreter_race.c -- the target interpreter finds a race where there is one, and only there.
 *
 * Random nests of serial, parallel and vectorized loops read and write a few cells.  All accesses
 * are listed here with the iterations that they stand in, and compared pair by pair; the
 * interpreter, which remembers four of them a cell, must say the same in each order.
 */
#include "ir/read.h"
#include "checkers/interpreter/run.h"

#include "suite.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4, DEEPEST = 3, MOST_EVENTS = 4000, PROGRAMS = 3000 };

/* ---- random ---- */

static uint64_t state;

static int draw(int end) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)end);
}

/* ---- what is accessed ---- */

/* One access, and the iterations of unordered loops around it, by the number of the run of the
 * loop. */
typedef struct Event {
    int depth, run[DEEPEST], iteration[DEEPEST];
    int cell, value; /* the value that is written; -1: it is read */
} Event;

typedef struct Events {
    Event list[MOST_EVENTS];
    int count, runs;
} Events;

/* Is there no order between them? */
static bool is_unordered(const Event *a, const Event *b) {
    for (int d = 0; d < a->depth && d < b->depth; d++)
        if (a->run[d] != b->run[d] || a->iteration[d] != b->iteration[d])
            return a->run[d] == b->run[d];
    return false;
}

static bool has_race(const Events *events) {
    for (int i = 0; i < events->count; i++)
        for (int k = 0; k < i; k++) {
            const Event *a = &events->list[i], *b = &events->list[k];
            if (a->cell == b->cell && a->value != b->value && is_unordered(a, b))
                return true;
        }
    return false;
}

/* ---- a random program, as text and as accesses ---- */

/* (variable*factor + offset) % CELLS; variable -1: a constant. */
typedef struct Cell {
    int variable, factor, offset;
} Cell;

typedef struct Item {
    enum { LOOP, STORE, READ } kind;
    bool unordered;
    int length, items; /* of a loop; its items follow it */
    Cell cell;
    Cell value; /* % 2 */
} Item;

typedef struct Plan {
    Item items[64];
    int count;
} Plan;

static Cell draw_cell(int depth) {
    return (Cell){draw(3) ? draw(depth + 1) - 1 : -1, 1 + draw(2), draw(CELLS)};
}

/* Appends 1 to 3 items; their number. */
static int draw_items(Plan *plan, int depth) {
    int count = 1 + draw(3);
    for (int i = 0; i < count; i++) {
        int at = plan->count++;
        Item item = {.kind = depth < DEEPEST && plan->count < 20 && draw(3) ? LOOP
                             : draw(4)                                      ? READ
                                                                            : STORE,
                     .unordered = draw(3) > 0,
                     .length = 1 + draw(3),
                     .cell = draw_cell(depth),
                     .value = {-1, 1, draw(2)}};
        if (draw(3) == 0)
            item.value = draw_cell(depth);
        if (item.kind == LOOP)
            item.items = draw_items(plan, depth + 1);
        plan->items[at] = item;
    }
    return count;
}

static void put(FILE *out, int depth, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(out, "%*s", 2 * (depth + 2), "");
    vfprintf(out, format, list);
    va_end(list);
}

/* Loop `n` of those around has the variable `out.s0.v<numbers[n]>`. */
static void put_cell(FILE *out, const int *numbers, Cell cell, int modulus) {
    if (cell.variable < 0)
        fprintf(out, "%d", cell.offset % modulus);
    else
        fprintf(out, "(out.s0.v%d*%d + %d) %% %d", numbers[cell.variable], cell.factor, cell.offset,
                modulus);
}

/* `count` items from `at`; the first behind them. */
static int put_items(FILE *out, const Plan *plan, int at, int count, int depth, int *numbers) {
    for (int i = 0; i < count; i++) {
        const Item *item = &plan->items[at];
        if (item->kind == LOOP) {
            numbers[depth] = at;
            put(out, depth, "for out.s0.v%d in (0, %d)%s do\n", at, item->length,
                !item->unordered ? ""
                : at % 2         ? " parallel"
                                 : " vectorized");
            at = put_items(out, plan, at + 1, item->items, depth + 1, numbers);
            continue;
        }
        put(out, depth, item->kind == STORE ? "out[" : "if out[");
        put_cell(out, numbers, item->cell, CELLS);
        fputs(item->kind == STORE ? "] <- i32(" : "] < 0:i32 then\n", out);
        if (item->kind == STORE)
            put_cell(out, numbers, item->value, 2);
        else
            put(out, depth + 1, "nop\n");
        fputs(item->kind == STORE ? ")\n" : "", out);
        at++;
    }
    return at;
}

static int value_of(Cell cell, const int *variables, int modulus) {
    int variable = cell.variable < 0 ? 0 : variables[cell.variable] * cell.factor;
    return (variable + cell.offset) % modulus;
}

/* Runs them; `here` holds the unordered iterations around, `variables` all loops' variables. */
static int run_items(Events *events, const Plan *plan, int at, int count, int depth, Event here,
                     int *variables) {
    for (int i = 0; i < count; i++) {
        const Item *item = &plan->items[at];
        int next = at + 1;
        int run = item->kind == LOOP ? ++events->runs : 0;
        for (int k = 0; item->kind == LOOP && k < item->length; k++) {
            Event inside = here;
            if (item->unordered) {
                inside.run[inside.depth] = run;
                inside.iteration[inside.depth++] = k;
            }
            variables[depth] = k;
            next = run_items(events, plan, at + 1, item->items, depth + 1, inside, variables);
        }
        if (item->kind != LOOP) {
            ck_assert_int_lt(events->count, MOST_EVENTS);
            here.cell = value_of(item->cell, variables, CELLS);
            here.value = item->kind == READ ? -1 : value_of(item->value, variables, 2);
            events->list[events->count++] = here;
        }
        at = next;
    }
    return at;
}

static char *text_of(const Plan *plan, int count) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int numbers[DEEPEST];
    fprintf(out,
            "pipeline race() -> (out)\n  func out(x): i32\n  allocate out: i32 [(0, %d)]\n"
            "  compute out on [(0, %d)]\n    for out.s0.i in (0, %d) do\n"
            "      out[out.s0.i] <- 0:i32\n",
            CELLS, CELLS, CELLS);
    put_items(out, plan, 0, count, 0, numbers);
    fclose(out);
    return text;
}

/* ---- comparing ---- */

/* The run ends with this message in each order; null: it succeeds. */
static void expect(const Program *program, Arena *arena, const char *text, const char *message) {
    Image output;
    int64_t minimum = 0, extent = CELLS;
    ck_assert(image_allocate(&output, I32, 1, &minimum, &extent));
    for (int n = 0; n < 5; n++) {
        RunOptions options = {.seed = (uint64_t)n, .order = n < 2 ? (RunOrder)n : RUN_INTERLEAVED};
        Outcome outcome = run_program(program, arena, &(Arguments){.outputs = &output}, &options);
        bool found = outcome.error && message && strstr(outcome.message, message);
        ck_assert_msg(found || (!message && outcome.error == HLC_SUCCESS),
                      "order %d: %s, not %s:\n%s", n, outcome.error ? outcome.message : "no error",
                      message ? message : "none", text);
    }
    free(output.data);
}

static void expect_text(const char *text, const char *message) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Pool *pool = pool_create(context, arena);
    uint32_t file = context_add_file(context, "race.ir", text, strlen(text));
    Program *program = program_read(pool, arena, file);
    if (!program)
        diag_print_all(context, stderr);
    ck_assert_msg(program, "%s", text);
    expect(program, arena, text, message);
    arena_destroy(arena);
    context_destroy(context);
}

START_TEST(races_are_found_where_they_are) {
    static Events events;
    int races = 0;
    for (int n = 0; n < PROGRAMS; n++) {
        state = (uint64_t)n * 977 + 5;
        Plan plan = {.count = 0};
        int variables[DEEPEST], count = draw_items(&plan, 0);
        char *text = text_of(&plan, count);
        events.count = events.runs = 0;
        run_items(&events, &plan, 0, count, 0, (Event){.depth = 0}, variables);
        bool race = has_race(&events);
        expect_text(text, race ? ": a race" : NULL);
        races += race;
        free(text);
    }
    ck_assert_int_gt(races, PROGRAMS / 6);
    ck_assert_int_lt(races, PROGRAMS * 5 / 6);
}
END_TEST

/* Of `a`, the cells 2 and 3 were never written, and nobody asks for a point of b.  Iterations that
 * write b[0] from these write no value twice; where one writes a value beside one that writes none,
 * what lies there is arbitrary in every order: that is no race, but whoever uses it is caught. */
static void expect_arbitrary(int factor, int offset, const char *used, const char *message) {
    static const char text[] =
        "pipeline race() -> (out)\n  func a(x): i32\n  func b(x): i32\n  func out(x): i32\n"
        "  allocate a: i32 [(0, 4)]\n  compute a on [(0, 2)]\n"
        "    for a.s0.i in (0, 2) do\n      a[a.s0.i] <- 7:i32\n"
        "  allocate b: i32 [(0, 1)]\n  compute b on [(0, 0)]\n"
        "    for b.s0.i in (0, 2) parallel do\n      b[0] <- a[b.s0.i*%d + %d] + 1:i32\n"
        "  allocate out: i32 [(0, 4)]\n  compute out on [(0, 4)]\n"
        "    for out.s0.i in (0, 4) do\n      out[out.s0.i] <- %s\n";
    char filled[sizeof text + 40];
    snprintf(filled, sizeof filled, text, factor, offset, used);
    expect_text(filled, message);
}

START_TEST(arbitrary_values_race_with_none) {
    static const struct {
        int factor, offset;
        bool is_arbitrary;
    } cells[] = {{1, 2, true}, {1, 0, false}, {1, 1, true}, {-1, 2, true}, {0, 3, true}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        expect_arbitrary(cells[i].factor, cells[i].offset, "0:i32", NULL);
        expect_arbitrary(cells[i].factor, cells[i].offset, "b[0]",
                         cells[i].is_arbitrary ? "a value written inside the compute bounds"
                                               : NULL);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("race");
    tcase_add_test(tests, races_are_found_where_they_are);
    tcase_add_test(tests, arbitrary_values_race_with_none);
    return run_suite("interpreter_race", tests);
}
