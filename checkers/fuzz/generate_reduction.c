/* generate_reduction.c -- updates that compute associative operators, written in many ways.
 *
 * An update's tuple is made of parts: sums, arguments of minima, compositions of affine maps,
 * products of matrices and more.  The tuple is then rotated, so the elements of a part need not be
 * adjacent.  The contribution of an iteration is drawn like any value.  The prover does not
 * recognise all forms.  Some forms, marked so, it must not recognise: they are nearly associative.
 *
 *   $0  the func's own element 0 of the part       ?  a condition free of the func
 *   #0  the iteration's contribution to it         k  a value that is the same in all iterations
 *
 * Some forms are associative only on the values that occur, which the initial value shows
 * (`first`). Some are an update with a condition; then the tuple has no other part.
 */
#include "checkers/fuzz/generate.h"

#include <string.h>

enum { PART_ELEMENTS = 4 };

/* The types of a part's elements.  n: a float; i: an integer; r: either one, a float only if floats
 * may be added in any order; u: an unsigned integer; s: a signed one; b: bool; a: anything.  All
 * elements of one letter have the same type. */
struct ReductionPart {
    const char *types;
    const char *forms[PART_ELEMENTS];
    const char *first[PART_ELEMENTS]; /* the initial value of each; null: anything */
    const char *condition;            /* of the update; null: any */
};

#define PART(TYPES, ...)                                                                           \
    {                                                                                              \
        .types = TYPES, .forms = { __VA_ARGS__ }                                                   \
    }

static const ReductionPart parts[] = {
    PART("r", "$0 + #0"),
    PART("r", "#0 + $0"),
    PART("r", "$0 - #0"),
    PART("r", "($0 + #0) - #1"),
    PART("r", "$0 + #0 * #1"),
    PART("r", "$0 + k * #0"),
    PART("r", "$0 * #0"),
    PART("r", "min($0, #0)"),
    PART("r", "max(#0, $0)"),
    PART("r", "max(max(#0, $0), #1)"),
    PART("r", "min(max($0, #0), k)"),
    PART("i", "$0 & #0"),
    PART("i", "#0 | $0"),
    PART("i", "$0 ^ #0"),
    PART("i", "~(~$0 & ~#0)"),
    PART("r", "select(?, $0 + #0, $0)"),
    PART("r", "select(?, $0, max($0, #0))"),
    PART("r", "select(?, $0 - #0, $0 + #1)"),
    PART("r", "select(#0 < $0, #0, $0)"),
    PART("r", "select($0 < #0, #0, $0)"),
    PART("u", "saturating_add($0, #0)"),
    PART("a", "$0"),
    PART("a", "#0"),
    PART("a", "select(?, #0, $0)"),
    PART("b", "$0 && #0"),
    PART("b", "#0 || $0"),
    PART("b", "$0 != #0"),
    PART("b", "$0 == #0"),
    PART("b", "!($0 == #0)"),
    PART("ra", "min($0, #0)", "select(#0 < $0, #1, $1)"),
    PART("ra", "max($0, #0)", "select($0 < #0, #1, $1)"),
    PART("ra", "max($0, #0)", "select($0 <= #0, #1, $1)"),
    PART("raa", "min($0, #0)", "select(#0 < $0, #1, $1)", "select(#0 < $0, #2, $2)"),
    PART("rr", "$0 + #0", "$1 + #0 * #0"),
    PART("rr", "min($0, #0)", "max($1, #0)"),
    PART("rr", "$0 * #0", "$1 * #0 + #1"),
    PART("rr", "$0 * #0 - $1 * #1", "$0 * #1 + $1 * #0"),
    PART("rrrr", "$0 * #0 + $1 * #2", "$0 * #1 + $1 * #3", "$2 * #0 + $3 * #2",
         "$2 * #1 + $3 * #3"),
    PART("nn", "$0 + #0", "max($1, $0 + #0)"),
    PART("nn", "$0 + #0", "max(#0, $1 + #0)"),
    PART("br", "$0 || #0", "select(#0, #1, $1 + #1)"),
    PART("br", "$0 || #0", "select(#0, #1, max($1, #1))"),
    PART("rr", "min($0, #0)", "select($0 < #0, $1, select(#0 < $0, #1, min($1, #1)))"),
    {.types = "s", .forms = {"select($0 < 0 && ?, #0 & 63, $0)"}, .first = {"-1"}},
    {.types = "s", .forms = {"select($0 == -1, select(?, #0 & 63, $0), $0)"}, .first = {"-1"}},
    {.types = "s", .forms = {"#0 & 31"}, .first = {"-1"}, .condition = "$0 < 0 && ?"},
    {.types = "sa",
     .forms = {"#0 & 63", "#1"},
     .first = {"-1", "0"},
     .condition = "? && !($0 >= 0)"},
    {.types = "ba", .forms = {"true", "#1"}, .first = {"false", "0"}, .condition = "?"},
    {.types = "ba", .forms = {"true", "#1"}, .first = {"false"}, .condition = "!$0 && ?"},
    {.types = "a", .forms = {"#0"}, .condition = "?"},
    {.types = "s", .forms = {"min($0 + (#0 & 7), 90)"}, .first = {"0"}},
    {.types = "u", .forms = {"min($0 + (#0 & 7), 90)"}, .first = {"2"}},
    {.types = "s", .forms = {"max($0 - (#0 & 7), -90)"}, .first = {"0"}},
    {.types = "u", .forms = {"select($0 < 20, $0 + 1, $0)"}, .first = {"0"}, .condition = "?"},
    {.types = "u", .forms = {"select($0 > ~#0, ~($0 ^ $0), $0 + #0)"}},
    {.types = "u", .forms = {"select($0 + #0 < #0, ~($0 ^ $0), $0 + #0)"}},
    {.types = "s", .forms = {"select($0 > 90 - (#0 & 7), 90, $0 + (#0 & 7))"}, .first = {"0"}},
    {.types = "u", .forms = {"select($0 <= 90 - (#0 & 7), $0 + (#0 & 7), 90)"}, .first = {"1"}},
    {.types = "s", .forms = {"select($0 < (#0 & 7) - 90, -90, $0 - (#0 & 7))"}, .first = {"0"}},
    {.types = "i", .forms = {"max($0 + (#0 & 3), $0)"}, .first = {"2"}},
    {.types = "s", .forms = {"min($0 + #0 % 3, $0)"}, .first = {"-1"}},
    {.types = "s", .forms = {"max($0 + #0, $0)"}, .first = {"0"}},
    PART("n", "max($0 + #0, $0)"),
    {.types = "ia", .forms = {"#0", "#1"}, .condition = "#0 < $0"},
    {.types = "ia", .forms = {"#0", "#1"}, .condition = "!(#0 < $0)"},
    {.types = "iaa", .forms = {"#0", "#1", "#2"}, .condition = "#0 > $0 && ?"},
};

/* Forms that are no associative operators: floats without permission, and nearly associative
 * ones. */
static const ReductionPart others[] = {
    PART("n", "min($0, #0)"),
    PART("n", "$0 + #0"),
    PART("i", "$0 + $0 + #0"),
    PART("i", "#0 - $0"),
    PART("i", "max(min(k - $0, #0), $0)"),
    PART("ia", "min($0, #0)", "select($0 < #0, #1, $1)"),
    PART("ii", "$0 + #0", "$1 + $0"),
    {.types = "s", .forms = {"select($0 < 0 && ?, #0, $0)"}, .first = {"-1"}},
    {.types = "s", .forms = {"min($0 + (#0 & 7), 90)"}, .first = {"-9"}},
    {.types = "s", .forms = {"min($0 + #0, 90)"}, .first = {"0"}},
    {.types = "ia", .forms = {"#0", "#1"}, .condition = "#0 < $0 || ?"},
};

/* One part of an update under construction. */
typedef struct PartUse {
    ExpressionScope *scope;
    const char *self; /* the func at the point that is written */
    bool is_tuple;
    int place[PART_ELEMENTS]; /* of its elements in the tuple */
    Type types[PART_ELEMENTS];
    const char *injected[PART_ELEMENTS]; /* the contribution of an iteration to each */
    const char *condition, *constant;
} PartUse;

static const char *element(const PartUse *use, int i) {
    return use->is_tuple ? arena_format(use->scope->arena, "%s.%d", use->self, use->place[i])
                         : use->self;
}

/* Writes a form as text.  Each element is written `type(..)`, so shrinking knows what it is. */
static const char *write_form(const PartUse *use, Type type, const char *form) {
    Arena *arena = use->scope->arena;
    const char *text = arena_format(arena, "%s(", type_name(type));
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

static Type type_of_letter(RandomSource *random, const Case *c, char letter) {
    static const Type integers[] = {I32, I32, I32, U8, I8, U16, I16, U32, I64, U64},
                      floats[] = {F32, F64, F16, BF16}, unsigned_ones[] = {U8, U16, U32, U64},
                      signed_ones[] = {I8, I16, I32, I32, I64};
    switch (letter) {
    case 'b':
        return BOOL;
    case 'a':
        return generate_type(random);
    case 'r':
        return type_of_letter(random, c, c->reassociation && random_chance(random, 60) ? 'n' : 'i');
    case 'u':
        return random_pick(random, unsigned_ones);
    case 's':
        return random_pick(random, signed_ones);
    case 'n':
        return random_pick(random, floats);
    default:
        return random_pick(random, integers);
    }
}

static void choose_types(RandomSource *random, const Case *c, const ReductionPart *part,
                         Type *types) {
    for (int i = 0; part->types[i]; i++) {
        const char *same = strchr(part->types, part->types[i]);
        types[i] = same < part->types + i && *same != 'a'
                       ? types[same - part->types]
                       : type_of_letter(random, c, part->types[i]);
    }
}

/* Returns the place of element `at`, counted through all parts. */
static int place_of(const CaseFunc *func, int at) {
    return (at + func->turn) % func->components;
}

void generate_reduction_types(RandomSource *random, const Case *c, CaseFunc *func) {
    static const int most[] = {1, 1, 1, 2, 2, 3, 3, 4};
    int wanted = random_pick(random, most);
    Type types[CASE_COMPONENTS];
    func->components = func->part_count = 0;
    while (func->components < wanted) {
        const ReductionPart *part =
            random_chance(random, 3) ? &random_pick(random, others) : &random_pick(random, parts);
        int count = (int)strlen(part->types);
        if (func->components + count > (part->condition ? count : CASE_COMPONENTS))
            continue;
        choose_types(random, c, part, types + func->components);
        func->parts[func->part_count++] = part;
        func->components += count;
        wanted = part->condition ? count : wanted;
    }
    func->turn = random_below(random, func->components);
    for (int at = 0; at < func->components; at++)
        func->types[place_of(func, at)] = types[at];
}

const char *generate_first(ExpressionScope *scope, const CaseFunc *func, int component) {
    int at = 0;
    for (int p = 0; p < func->part_count; p++)
        for (int i = 0; i < (int)strlen(func->parts[p]->types); i++)
            if (place_of(func, at++) == component && func->parts[p]->first[i])
                return arena_format(scope->arena, "%s(%s)", type_name(func->types[component]),
                                    func->parts[p]->first[i]);
    return generate_value(scope, func->types[component], component ? 2 : 3);
}

Reduction generate_reduction(ExpressionScope *scope, const CaseFunc *func, const char *self) {
    RandomSource *random = scope->random;
    Arena *arena = scope->arena;
    const char *values[CASE_COMPONENTS];
    Reduction result = {NULL, NULL};
    int at = 0;
    for (int p = 0; p < func->part_count; p++) {
        const ReductionPart *part = func->parts[p];
        PartUse use = {.scope = scope, .self = self, .is_tuple = func->components > 1};
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
            values[use.place[i]] = write_form(&use, use.types[i], part->forms[i]);
        if (part->condition)
            result.condition = write_form(&use, BOOL, part->condition);
        at += count;
    }
    result.value = func->components == 1 ? values[0] : "{";
    for (int i = 0; i < func->components && func->components > 1; i++)
        result.value = arena_format(arena, "%s%s%s%s", result.value, i ? ", " : "", values[i],
                                    i + 1 == func->components ? "}" : "");
    return result;
}
