/* generate_recurrence.c -- random systems of equations.
 *
 * The valid ones keep the rules by construction.  An order of the variables is drawn first.  Each
 * distance is positive at the first variable of the order where it is not zero.  A distance of
 * zeros leads to an equation with a smaller number.  The condition on the coordinates that a read
 * needs is drawn in one of several forms.
 */
#include "checkers/fuzz/recurrence/generate_recurrence.h"

#include <string.h>

typedef struct Maker {
    Arena *arena;
    RandomSource *random;
    RecurrenceCase *c;
    int order[RECURRENCE_VARIABLES]; /* the outermost first */
    int reader;
    bool wild;
} Maker;

/* ---- nodes ---- */

static RecurrenceTerm *make_term(const Maker *maker, TermKind kind, int number) {
    RecurrenceTerm *term = arena_new(maker->arena, RecurrenceTerm);
    term->kind = kind;
    term->number = number;
    return term;
}

static RecurrenceTerm *join_terms(const Maker *maker, TermKind kind, const RecurrenceTerm *a,
                                  const RecurrenceTerm *b) {
    RecurrenceTerm *term = make_term(maker, kind, 0);
    term->a = a;
    term->b = b;
    return term;
}

static RecurrenceTerm *choose(const Maker *maker, const GuardTerm *condition,
                              const RecurrenceTerm *a, const RecurrenceTerm *b) {
    RecurrenceTerm *term = join_terms(maker, TERM_CHOICE, a, b);
    term->condition = condition;
    return term;
}

static GuardTerm *make_guard(const Maker *maker, GuardKind kind, int variable, int number) {
    GuardTerm *guard = arena_new(maker->arena, GuardTerm);
    guard->kind = kind;
    guard->variable = variable;
    guard->number = number;
    return guard;
}

static const GuardTerm *join_guards(const Maker *maker, GuardKind kind, const GuardTerm *a,
                                    const GuardTerm *b) {
    if (!a || !b)
        return a ? a : b;
    GuardTerm *guard = make_guard(maker, kind, 0, 0);
    guard->a = a;
    guard->b = b;
    return guard;
}

static const GuardTerm *negate(const Maker *maker, const GuardTerm *a) {
    GuardTerm *guard = make_guard(maker, GUARD_NOT, 0, 0);
    guard->a = a;
    return guard;
}

/* ---- reads and their guards ---- */

static const RecurrenceTerm *make_leaf(const Maker *maker) {
    int names = maker->c->variables + maker->c->has_batch;
    return random_chance(maker->random, 50)
               ? make_term(maker, TERM_CONSTANT, random_between(maker->random, -9, 9))
               : make_term(maker, TERM_VARIABLE, random_below(maker->random, names));
}

static RecurrenceTerm *make_read(const Maker *maker) {
    RandomSource *random = maker->random;
    RecurrenceTerm *read = make_term(maker, TERM_READ, random_below(random, maker->c->funcs));
    if (maker->wild) {
        for (int v = 0; v < maker->c->variables; v++)
            read->distance[v] = random_chance(random, 40) ? 0 : random_between(random, -2, 2);
        return read;
    }
    if (read->number < maker->reader && random_chance(random, 40))
        return read;
    int level = random_below(random, maker->c->variables);
    read->distance[maker->order[level]] = random_between(random, 1, 2);
    for (int inner = level + 1; inner < maker->c->variables; inner++)
        read->distance[maker->order[inner]] = random_between(random, -2, 2);
    return read;
}

/* Returns the condition that the read leaves the domain; null: it never does. */
static const GuardTerm *leaving(const Maker *maker, const RecurrenceTerm *read) {
    const GuardTerm *guard = NULL;
    for (int v = 0; v < maker->c->variables; v++) {
        int distance = read->distance[v], more = random_chance(maker->random, 10);
        if (distance > 0)
            guard = join_guards(maker, GUARD_OR, guard,
                                make_guard(maker, GUARD_BELOW, v, distance + more));
        else if (distance < 0)
            guard = join_guards(maker, GUARD_OR, guard,
                                make_guard(maker, GUARD_ABOVE, v, -distance + more));
    }
    return guard;
}

/* Returns `guard` with more conditions, or without change. */
static const GuardTerm *obscure(const Maker *maker, const GuardTerm *guard) {
    GuardTerm *value = make_guard(maker, GUARD_VALUE, 0, random_between(maker->random, -5, 5));
    value->term = make_leaf(maker);
    return random_chance(maker->random, 20) ? join_guards(maker, GUARD_OR, guard, value) : guard;
}

/* Returns the term with another value where `guard` holds; null: nowhere. */
static const RecurrenceTerm *guarded(const Maker *maker, const GuardTerm *guard,
                                     const RecurrenceTerm *value) {
    RandomSource *random = maker->random;
    if (!guard)
        return value;
    guard = obscure(maker, guard);
    if (guard->kind == GUARD_OR && random_chance(random, 25))
        return choose(maker, guard->a, make_leaf(maker),
                      choose(maker, guard->b, make_leaf(maker), value));
    return random_chance(random, 30) ? choose(maker, negate(maker, guard), value, make_leaf(maker))
                                     : choose(maker, guard, make_leaf(maker), value);
}

static const GuardTerm *random_guard(const Maker *maker) {
    RandomSource *random = maker->random;
    int variable = random_below(random, maker->c->variables);
    GuardTerm *guard = make_guard(maker, random_chance(random, 70) ? GUARD_BELOW : GUARD_ABOVE,
                                  variable, random_between(random, 0, 3));
    if (random_chance(random, 20)) {
        guard->kind = GUARD_VALUE;
        guard->number = random_between(random, -5, 5);
        guard->term = make_leaf(maker);
    }
    return random_chance(random, 30)
               ? join_guards(maker, random_chance(random, 50) ? GUARD_AND : GUARD_OR, guard,
                             make_guard(maker, GUARD_BELOW, variable, 1))
               : guard;
}

static const RecurrenceTerm *make_value(const Maker *maker, int depth) {
    static const TermKind kinds[] = {TERM_ADD, TERM_SUBTRACT, TERM_MAXIMUM};
    RandomSource *random = maker->random;
    if (depth == 0 || random_chance(random, 15))
        return make_leaf(maker);
    if (random_chance(random, 40)) {
        const RecurrenceTerm *read = make_read(maker);
        const GuardTerm *guard =
            maker->wild && random_chance(random, 60) ? random_guard(maker) : leaving(maker, read);
        if (random_chance(random, 30)) { /* two reads under one choice */
            const RecurrenceTerm *other = make_read(maker);
            guard = join_guards(maker, GUARD_OR, guard, leaving(maker, other));
            read = join_terms(maker, random_pick(random, kinds), read, other);
        }
        return guarded(maker, guard, read);
    }
    const RecurrenceTerm *a = make_value(maker, depth - 1), *b = make_value(maker, depth - 1);
    if (random_chance(random, 20))
        return choose(maker, random_guard(maker), a, b);
    return join_terms(maker, random_pick(random, kinds), a, b);
}

static RecurrenceCase make_case(Arena *arena, RandomSource *random, bool wild) {
    RecurrenceCase c = {.arena = arena};
    Maker maker = {.arena = arena, .random = random, .c = &c, .wild = wild};
    c.variables = random_between(random, 1, RECURRENCE_VARIABLES);
    c.funcs = random_between(random, 1, RECURRENCE_FUNCS);
    c.has_batch = random_chance(random, 25);
    for (int v = 0; v < c.variables; v++) {
        c.minimum[v] = random_chance(random, 60) ? 0 : random_between(random, -3, 3);
        maker.order[v] = v;
    }
    for (int v = c.variables - 1; v > 0; v--) {
        int other = random_below(random, v + 1), kept = maker.order[v];
        maker.order[v] = maker.order[other];
        maker.order[other] = kept;
    }
    for (maker.reader = 0; maker.reader < c.funcs; maker.reader++)
        c.equations[maker.reader] = make_value(&maker, 3);
    return c;
}

RecurrenceCase recurrence_generate(Arena *arena, RandomSource *random) {
    return make_case(arena, random, false);
}

RecurrenceCase recurrence_generate_wild(Arena *arena, RandomSource *random) {
    return make_case(arena, random, true);
}

/* ---- text ---- */

const char *recurrence_variables(const RecurrenceCase *c, const int *offsets) {
    const char *text = "";
    for (int v = 0; v < c->variables; v++)
        text = arena_format(c->arena, "%s%si%d%s", text, v ? ", " : "", v,
                            offsets && offsets[v]
                                ? arena_format(c->arena, " %c %d", offsets[v] > 0 ? '-' : '+',
                                               offsets[v] > 0 ? offsets[v] : -offsets[v])
                                : "");
    return c->has_batch ? arena_format(c->arena, "%s, b", text) : text;
}

static const char *term_text(const RecurrenceCase *c, const RecurrenceTerm *term);

static const char *guard_text(const RecurrenceCase *c, const GuardTerm *guard) {
    Arena *arena = c->arena;
    switch (guard->kind) {
    case GUARD_BELOW:
        return arena_format(arena, "i%d < %d", guard->variable,
                            c->minimum[guard->variable] + guard->number);
    case GUARD_ABOVE:
        return arena_format(arena, "i%d >= n%d + %d", guard->variable, guard->variable,
                            c->minimum[guard->variable] - guard->number);
    case GUARD_VALUE:
        return arena_format(arena, "%s > %d", term_text(c, guard->term), guard->number);
    case GUARD_AND:
    case GUARD_OR:
        return arena_format(arena, "(%s) %s (%s)", guard_text(c, guard->a),
                            guard->kind == GUARD_AND ? "&&" : "||", guard_text(c, guard->b));
    case GUARD_NOT:
        return arena_format(arena, "!(%s)", guard_text(c, guard->a));
    }
    return "";
}

static const char *term_text(const RecurrenceCase *c, const RecurrenceTerm *term) {
    Arena *arena = c->arena;
    switch (term->kind) {
    case TERM_CONSTANT:
        return arena_format(arena, "i32(%d)", term->number);
    case TERM_VARIABLE:
        return term->number == c->variables ? "b" : arena_format(arena, "i%d", term->number);
    case TERM_READ:
        return arena_format(arena, "f%d(%s)", term->number,
                            recurrence_variables(c, term->distance));
    case TERM_ADD:
        return arena_format(arena, "(%s + %s)", term_text(c, term->a), term_text(c, term->b));
    case TERM_SUBTRACT:
        return arena_format(arena, "(%s - %s)", term_text(c, term->a), term_text(c, term->b));
    case TERM_MAXIMUM:
        return arena_format(arena, "max(%s, %s)", term_text(c, term->a), term_text(c, term->b));
    case TERM_CHOICE:
        return arena_format(arena, "select(%s, %s, %s)", guard_text(c, term->condition),
                            term_text(c, term->a), term_text(c, term->b));
    }
    return "";
}

static const char *head_text(const RecurrenceCase *c) {
    const char *text = "pipeline p(", *outputs = "", *domain = "";
    for (int v = 0; v < c->variables; v++) {
        text = arena_format(c->arena, "%s%sn%d: i32 in 0..%d", text, v ? ", " : "", v,
                            RECURRENCE_LENGTH);
        domain = arena_format(c->arena, "%s%si%d = (%d, n%d)", domain, v ? "; " : "", v,
                              c->minimum[v], v);
    }
    for (int f = 0; f < c->funcs; f++)
        outputs = arena_format(c->arena, "%s%sf%d", outputs, f ? ", " : "", f);
    return arena_format(c->arena, "%s) -> (%s) {\n    recurrence (%s) {\n", text, outputs, domain);
}

const char *recurrence_text(const RecurrenceCase *c) {
    const char *text = head_text(c), *names = recurrence_variables(c, NULL);
    for (int f = 0; f < c->funcs; f++)
        text = arena_format(c->arena, "%s        fun f%d(%s): i32;\n", text, f, names);
    if (c->flaw_text[0])
        text = arena_format(c->arena, "%s        %s\n", text, c->flaw_text[0]);
    for (int f = 0; f < c->funcs; f++)
        text = arena_format(c->arena, "%s        fun f%d(%s): i32 = %s;\n", text, f, names,
                            term_text(c, c->equations[f]));
    for (int k = 1; k < 3; k++)
        if (c->flaw_text[k])
            text = arena_format(c->arena, "%s        %s\n", text, c->flaw_text[k]);
    return arena_format(c->arena, "%s    }\n}\n", text);
}
