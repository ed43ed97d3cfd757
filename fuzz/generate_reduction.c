/* generate_reduction.c -- updates that compute associative operators, written in many ways.
 *
 * An update's tuple is put together of parts (sums, arguments of minima, compositions of affine
 * maps, products of matrices ..), and turned, so that a part's elements need not stand side by
 * side. What an iteration contributes is drawn like any value.  Not all forms are recognised by the
 * prover; some, marked so, must not be: they are nearly associative.
 *
 * In a form stands $0 for the func's own element 0 of the part, #0 for what the iteration
 * contributes to it, ? for a condition free of the func, k for a value that is the same in all
 * iterations.
 */
#include "fuzz/generate.h"

#include <string.h>

enum { PART_ELEMENTS = 4 };

/* Of which types a part's elements are: n a float, i an integer, r one of the two, the latter where
 * floats may be added in any order, u an unsigned integer, all those of one letter the same; b
 * bool; a anything. */
struct Part {
    const char *types;
    const char *forms[PART_ELEMENTS];
};

static const Part parts[] = {
    {"r", {"$0 + #0"}},
    {"r", {"#0 + $0"}},
    {"r", {"$0 - #0"}},
    {"r", {"($0 + #0) - #1"}},
    {"r", {"$0 + #0 * #1"}},
    {"r", {"$0 + k * #0"}},
    {"r", {"$0 * #0"}},
    {"r", {"min($0, #0)"}},
    {"r", {"max(#0, $0)"}},
    {"r", {"max(max(#0, $0), #1)"}},
    {"r", {"min(max($0, #0), k)"}},
    {"i", {"$0 & #0"}},
    {"i", {"#0 | $0"}},
    {"i", {"$0 ^ #0"}},
    {"i", {"~(~$0 & ~#0)"}},
    {"r", {"select(?, $0 + #0, $0)"}},
    {"r", {"select(?, $0, max($0, #0))"}},
    {"r", {"select(?, $0 - #0, $0 + #1)"}},
    {"r", {"select(#0 < $0, #0, $0)"}},
    {"r", {"select($0 < #0, #0, $0)"}},
    {"u", {"saturating_add($0, #0)"}},
    {"a", {"$0"}},
    {"a", {"#0"}},
    {"a", {"select(?, #0, $0)"}},
    {"b", {"$0 && #0"}},
    {"b", {"#0 || $0"}},
    {"b", {"$0 != #0"}},
    {"b", {"$0 == #0"}},
    {"b", {"!($0 == #0)"}},
    {"ra", {"min($0, #0)", "select(#0 < $0, #1, $1)"}},
    {"ra", {"max($0, #0)", "select($0 < #0, #1, $1)"}},
    {"ra", {"max($0, #0)", "select($0 <= #0, #1, $1)"}},
    {"raa", {"min($0, #0)", "select(#0 < $0, #1, $1)", "select(#0 < $0, #2, $2)"}},
    {"rr", {"$0 + #0", "$1 + #0 * #0"}},
    {"rr", {"min($0, #0)", "max($1, #0)"}},
    {"rr", {"$0 * #0", "$1 * #0 + #1"}},
    {"rr", {"$0 * #0 - $1 * #1", "$0 * #1 + $1 * #0"}},
    {"rrrr", {"$0 * #0 + $1 * #2", "$0 * #1 + $1 * #3", "$2 * #0 + $3 * #2", "$2 * #1 + $3 * #3"}},
    {"nn", {"$0 + #0", "max($1, $0 + #0)"}},
    {"nn", {"$0 + #0", "max(#0, $1 + #0)"}},
    {"br", {"$0 || #0", "select(#0, #1, $1 + #1)"}},
    {"br", {"$0 || #0", "select(#0, #1, max($1, #1))"}},
    {"rr", {"min($0, #0)", "select($0 < #0, $1, select(#0 < $0, #1, min($1, #1)))"}},
};

/* No associative operators: floats without leave, and nearly. */
static const Part others[] = {
    {"n", {"min($0, #0)"}},
    {"n", {"$0 + #0"}},
    {"i", {"$0 + $0 + #0"}},
    {"i", {"#0 - $0"}},
    {"i", {"max(min(k - $0, #0), $0)"}},
    {"ia", {"min($0, #0)", "select($0 < #0, #1, $1)"}},
    {"ii", {"$0 + #0", "$1 + $0"}},
};

/* One part of an update in the making. */
typedef struct Use {
    Scope *scope;
    const char *self; /* the func at the point that is written */
    bool is_tuple;
    int place[PART_ELEMENTS]; /* of its elements in the tuple */
    Type types[PART_ELEMENTS];
    const char *injected[PART_ELEMENTS]; /* what an iteration contributes to each */
    const char *condition, *constant;
} Use;

static const char *element(const Use *use, int i) {
    return use->is_tuple ? arena_format(use->scope->arena, "%s.%d", use->self, use->place[i])
                         : use->self;
}

/* A form as text, each element written `type(..)`, so that shrinking knows what it is. */
static const char *write_form(const Use *use, int i, const char *form) {
    Arena *arena = use->scope->arena;
    const char *text = arena_format(arena, "%s(", type_name(use->types[i]));
    for (const char *c = form; *c; c++) {
        bool is_constant = *c == 'k' && use->constant;
        if (*c == '$' || *c == '#')
            text = arena_format(arena, "%s%s", text,
                                *c == '$' ? element(use, c[1] - '0') : use->injected[c[1] - '0']);
        else
            text = *c == '?'     ? arena_format(arena, "%s%s", text, use->condition)
                   : is_constant ? arena_format(arena, "%s%s", text, use->constant)
                                 : arena_format(arena, "%s%c", text, *c);
        c += *c == '$' || *c == '#';
    }
    return arena_format(arena, "%s)", text);
}

static Type type_of_letter(Random *random, const Case *c, char letter) {
    static const Type integers[] = {I32, I32, I32, U8, I8, U16, I16, U32, I64, U64},
                      floats[] = {F32, F64}, unsigned_ones[] = {U8, U16, U32, U64};
    switch (letter) {
    case 'b':
        return BOOL;
    case 'a':
        return generate_type(random);
    case 'r':
        return type_of_letter(random, c, c->reassociation && random_chance(random, 60) ? 'n' : 'i');
    case 'u':
        return random_pick(random, unsigned_ones);
    case 'n':
        return random_pick(random, floats);
    default:
        return random_pick(random, integers);
    }
}

static void choose_types(Random *random, const Case *c, const Part *part, Type *types) {
    for (int i = 0; part->types[i]; i++) {
        const char *same = strchr(part->types, part->types[i]);
        types[i] = same < part->types + i && *same != 'a'
                       ? types[same - part->types]
                       : type_of_letter(random, c, part->types[i]);
    }
}

/* Where element `at` of all parts, one after the other, stands. */
static int place_of(const CaseFunc *func, int at) {
    return (at + func->turn) % func->components;
}

void generate_reduction_types(Random *random, const Case *c, CaseFunc *func) {
    static const int most[] = {1, 1, 1, 2, 2, 3, 3, 4};
    int wanted = random_pick(random, most);
    Type types[CASE_COMPONENTS];
    func->components = func->part_count = 0;
    while (func->components < wanted) {
        const Part *part =
            random_chance(random, 3) ? &random_pick(random, others) : &random_pick(random, parts);
        int count = (int)strlen(part->types);
        if (func->components + count > CASE_COMPONENTS)
            continue;
        choose_types(random, c, part, types + func->components);
        func->parts[func->part_count++] = part;
        func->components += count;
    }
    func->turn = random_below(random, func->components);
    for (int at = 0; at < func->components; at++)
        func->types[place_of(func, at)] = types[at];
}

const char *generate_reduction(Scope *scope, const CaseFunc *func, const char *self) {
    Random *random = scope->random;
    Arena *arena = scope->arena;
    const char *values[CASE_COMPONENTS];
    int at = 0;
    for (int p = 0; p < func->part_count; p++) {
        const Part *part = func->parts[p];
        Use use = {.scope = scope, .self = self, .is_tuple = func->components > 1};
        int count = (int)strlen(part->types);
        use.condition = generate_value(scope, BOOL, 1);
        for (int i = 0; i < PART_ELEMENTS; i++) {
            use.place[i] = place_of(func, at + (i < count ? i : 0));
            use.types[i] = func->types[use.place[i]];
            use.injected[i] = generate_value(scope, use.types[i], 1 + (p == 0 && i == 0));
        }
        use.constant =
            arena_format(arena, "%s(%d)", type_name(use.types[0]), random_between(random, 2, 90));
        for (int i = 0; i < count; i++)
            values[use.place[i]] = write_form(&use, i, part->forms[i]);
        at += count;
    }
    if (func->components == 1)
        return values[0];
    const char *text = "{";
    for (int i = 0; i < func->components; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "", values[i]);
    return arena_format(arena, "%s}", text);
}
