/* recurrence_flaw.c -- adds an equation that breaks one rule to a valid recurrence.  The front end
 * must refuse the block for this reason. */
#include "checkers/fuzz/recurrence/generate_recurrence.h"

#include <stddef.h>

/* The placeholders in a flaw:
 *   %1  the variables                        %2  with the first one step back
 *   %3  with the first one step ahead        %4  with the first two steps back
 *   %5  the last one back, the first ahead   %6  the first one back, the last ahead
 *   %7  first and last exchanged             %8  without the first
 *   %m  the domain's minimum in the first variable, %n one more, %e its last coordinate
 *   %L  the last variable's first coordinate, %Z its last; %l the last variable's name */
typedef struct Flaw {
    const char *code;
    int least; /* variables that it needs */
    bool batch;
    const char *text[3];
} Flaw;

static const Flaw flaws[] = {
    {"E0425", 1, false, {"fun x(%1): i32 = select(i0 < %n, 1, x(%4));"}},
    {"E0425", 1, false, {NULL, "fun x(%1): i32 = select(i0 == %n, 1, x(%2));"}},
    {"E0425", 1, false, {NULL, "fun x(%1): i32 = select(i0 > %m && i0 < 4, 1, x(%2));"}},
    {"E0425", 1, false, {"fun x(%1): i32 = select(i0 > %m, x(%2), select(i0 > 9, 1, x(%2)) + 1);"}},
    {"E0426", 1, false, {NULL, "fun x(%1): i32 = select(f0(%1) > 3, 1, x(%2));"}},
    {"E0427", 1, false, {NULL, "fun x(%1): i32 = select(i0 >= %e, 1, x(%3));"}},
    {"E0423",
     2,
     false,
     {"fun x(%1): i32 = select(%l <= %L || i0 >= %e, 1, x(%5)) + "
      "select(i0 <= %m || %l >= %Z, 2, x(%6));"}},
    {"E0422",
     1,
     false,
     {"fun x(%1): i32; fun y(%1): i32;", "fun x(%1): i32 = select(i0 > %n, 1, y(%1));",
      "fun y(%1): i32 = select(i0 > %n, x(%1), 1);"}},
    {"E0424",
     1,
     false,
     {"fun x(%1): i32; fun y(%1): i32;", "fun x(%1): i32 = select(i0 == %m, y(%1), x(%2));",
      "fun y(%1): i32 = select(i0 == %m, x(%1), y(%2));"}},
    {"E0424", 1, false, {"fun x(%1): i32 = x(%2) + 1;"}},
    {"E0418", 2, false, {NULL, "fun x(%1): i32 = select(i0 == %m, 1, x(%7));"}},
    {"E0419", 1, false, {NULL, "fun x(%1): i32 = select(i0 <= %n, 1, x(%2)) + f0(n0 - %1);"}},
    {"E0419", 1, false, {"fun x(%1): i32 = f0(2 * %1);"}},
    {"E0420", 1, true, {NULL, "fun x(%1): i32 = f0(%1 - 1);"}},
    {"E0412", 1, false, {"fun x(%1): i32 = {1; (%1) <- 2;}"}},
    {"E0413", 2, false, {NULL, "fun x(%7): i32 = 1;"}},
    {"E0414", 1, false, {"fun x(%8): i32 = 1;"}},
    {"E0415", 1, false, {"fun y(%8): i32; fun x(%1): i32 = y(%8);", NULL, "fun y(%8): i32 = 3;"}},
    {"E0416", 1, false, {NULL, "fun x(%1): i32 = sum(r in (0, 2)) f0(%1);"}},
    {"E0417", 1, false, {"fun x(%1) = select(i0 == %m, 1, x(%2));"}},
    {"E0428", 1, false, {NULL, "fun x(%8): i32 = f0(%1);"}},
    {"E0428", 1, false, {NULL, "fun x(%8): i32 = select(i0 == %m, f0(%1), i0);"}},
    {"E0429", 1, false, {NULL, "fun x(%8): i32 = select(i0 < %n + 1, f0(%1), 3);"}},
    {"E0208", 1, false, {"fun x(%1): i32;"}},
    {"E0302", 1, false, {NULL, "fun x(%1): u8 = f0(%1);"}},
};

/* Returns the variables, with the first and the last moved. */
static const char *moved(const RecurrenceCase *c, int first, int last) {
    int offsets[RECURRENCE_VARIABLES] = {0};
    offsets[c->variables - 1] = last;
    offsets[0] = first;
    return recurrence_variables(c, offsets);
}

static const char *exchanged(const RecurrenceCase *c) {
    const char *text = "";
    for (int v = 0; v < c->variables; v++) {
        int name = v == 0 ? c->variables - 1 : v == c->variables - 1 ? 0 : v;
        text = arena_format(c->arena, "%s%si%d", text, v ? ", " : "", name);
    }
    return c->has_batch ? arena_format(c->arena, "%s, b", text) : text;
}

static const char *rest(const RecurrenceCase *c) {
    const char *text = "";
    for (int v = 1; v < c->variables; v++)
        text = arena_format(c->arena, "%s%si%d", text, v > 1 ? ", " : "", v);
    return !c->has_batch ? text : arena_format(c->arena, "%s%sb", text, text[0] ? ", " : "");
}

static const char *piece(const RecurrenceCase *c, char which) {
    int last = c->variables - 1;
    switch (which) {
    case '1':
        return recurrence_variables(c, NULL);
    case '2':
        return moved(c, 1, 0);
    case '3':
        return moved(c, -1, 0);
    case '4':
        return moved(c, 2, 0);
    case '5':
        return moved(c, -1, 1);
    case '6':
        return moved(c, 1, -1);
    case '7':
        return exchanged(c);
    case '8':
        return rest(c);
    case 'm':
        return arena_number(c->arena, c->minimum[0]);
    case 'n':
        return arena_number(c->arena, c->minimum[0] + 1);
    case 'e':
        return arena_format(c->arena, "n0 + %d", c->minimum[0] - 1);
    case 'L':
        return arena_number(c->arena, c->minimum[last]);
    case 'Z':
        return arena_format(c->arena, "n%d + %d", last, c->minimum[last] - 1);
    default:
        return arena_format(c->arena, "i%d", last);
    }
}

static const char *fill_in(const RecurrenceCase *c, const char *text) {
    const char *result = "";
    for (; *text; text++)
        result = *text == '%' ? arena_format(c->arena, "%s%s", result, piece(c, *++text))
                              : arena_format(c->arena, "%s%c", result, *text);
    return result;
}

void recurrence_add_flaw(RecurrenceCase *c, RandomSource *random) {
    const Flaw *flaw;
    do
        flaw = &random_pick(random, flaws);
    while (flaw->least > c->variables || (flaw->batch && !c->has_batch));
    c->flaw_code = flaw->code;
    for (int k = 0; k < 3; k++)
        c->flaw_text[k] = flaw->text[k] ? fill_in(c, flaw->text[k]) : NULL;
}
