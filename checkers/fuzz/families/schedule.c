/* schedule.c -- draws directives of the user's, and schedules that use them, extend each other and
 * count over families. */
#include "checkers/fuzz/families/families.h"

#include <string.h>

/* The directives of a file: their formals have the names of dimensions, too. */
static const char *const rows_names[][3] = {
    {"f", "n", "v"}, {"x", "y", "n"}, {"y", "x", "x_"}, {"g", "f", "k"}};

void family_commands(Writer *w) {
    const char *const *names = random_pick(&w->random, rows_names);
    family_print(w,
                 "directive rows(%s, %s = 2, %s = 4) { parallel(%s.y, %s);  if %s > 2 { "
                 "vectorize(%s.x, %s); } }\n",
                 names[0], names[1], names[2], names[0], names[1], names[2], names[0], names[2]);
}

static bool is_plain(const FamilyTarget *target) {
    return !strcmp(target->variables[0], "x") && !strcmp(target->variables[1], "y");
}

/* A directive of a func, in both forms; `written` and `flat` are its names. */
static void say(Writer *w, const FamilyTarget *target, int kind, const char *written,
                const char *flat, const char *number, int value) {
    bool is_output = !strcmp(flat, "out") || !strcmp(flat, "side");
    const char *stage = target->is_pure && is_output ? "" : ".s0", *x = target->variables[0],
               *y = target->variables[1];
    const char *flat_x = target->flat_variables[0], *flat_y = target->flat_variables[1];
    switch (kind) {
    case 0:
        family_print(w, "vectorize(%s%s.%s, %s);\n", written, stage, x, number);
        family_print_flat(w, "    vectorize(%s%s.%s, %d);\n", flat, stage, flat_x, value);
        break;
    case 1:
        family_print(w, "parallel(%s%s.%s, %s);\n", written, stage, y, number);
        family_print_flat(w, "    parallel(%s%s.%s, %d);\n", flat, stage, flat_y, value);
        break;
    case 2:
        family_print(w, "unroll(%s%s.%s, %s);\n", written, stage, x, number);
        family_print_flat(w, "    unroll(%s%s.%s, %d);\n", flat, stage, flat_x, value);
        break;
    case 3:
        if (is_plain(target)) {
            family_print(w, "rows(%s%s, %s);\n", written, stage, number);
            family_print_flat(w, "    parallel(%s%s.%s, %d);\n    vectorize(%s%s.%s, 4);\n", flat,
                              stage, flat_y, value, flat, stage, flat_x);
        }
        break;
    default:
        if (target->is_pure) {
            family_print(w, "inline(%s);\n", written);
            family_print_flat(w, "    inline(%s);\n", flat);
        }
    }
}

static void draw_directives(Writer *w, const char *number, int value) {
    for (size_t i = 0; i < w->targets.length; i++) {
        const FamilyTarget *target = &w->targets.data[i];
        bool is_output = !strcmp(target->written, "out") || !strcmp(target->written, "side");
        int kind = random_below(&w->random, is_output ? 4 : 7);
        if (!random_chance(&w->random, 60))
            continue;
        if (!target->limit) {
            say(w, target, kind, target->written, target->written, number, value);
            continue;
        }
        const char *k = random_chance(&w->random, 50) ? "k_" : target->variables[0];
        if (!strcmp(k, target->written))
            k = "k_";
        family_print(w, "for %s in 1..%s {\n", k, target->limit);
        w->indent++;
        for (int64_t m = 1; m == 1 || m <= target->last; m++) {
            bool live = w->live, prints = w->prints;
            w->live = live && m <= target->last;
            w->prints = prints && m == 1;
            say(w, target, kind, arena_format(w->arena, "%s[%s]", target->written, k),
                arena_format(w->arena, "%s[%lld]", target->written, (long long)m), number, value);
            w->live = live;
            w->prints = prints;
        }
        w->indent--;
        family_print(w, "}\n");
    }
}

/* `schedule s(width = 4) for p { .. }  schedule t for p extends s(width = 8) { .. }` */
void family_schedules(Writer *w) {
    int widths[] = {4, 2 << random_below(&w->random, 3)};
    uint64_t start = w->random.state;
    family_print(w, "\nschedule s(width = 4) for p {\n");
    for (int i = 0; i < 2; i++) {
        w->random.state = start;
        bool prints = w->prints;
        w->prints = i == 0;
        w->indent = 1;
        family_print_flat(w, "schedule %s for p {\n", i ? "t" : "s");
        draw_directives(w, "width", widths[i]);
        family_print_flat(w, "}\n");
        w->prints = prints;
    }
    w->indent = 0;
    family_print(w, "}\n\nschedule t for p extends s(width = %d) { }\n", widths[1]);
}
