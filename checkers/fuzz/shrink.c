/* shrink.c -- makes a failing case smaller, one change at a time, while it still fails.
 *
 *     directives, updates, funcs, statements, inputs   left out one by one
 *     values `type(..)` in texts                       replaced by 1, or by a value inside them
 *     windows                                          halved, then shortened by one
 *
 * A change stays if the changed case fails, and is dropped otherwise.  All kinds of changes are
 * tried in rounds until a round changes nothing.  A candidate need not be valid: an invalid one
 * does not fail in the same manner, so it is dropped. */
#include "checkers/fuzz/shrink.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ShrinkState {
    Arena *arena;
    Case *best;
    CaseFails *fails;
    void *data;
} ShrinkState;

#define copy_vector(arena, to, from)                                                               \
    do {                                                                                           \
        (to) = (typeof(to)){0};                                                                    \
        for (size_t i_ = 0; i_ < (from).length; i_++)                                              \
            vec_push((arena), &(to), (from).data[i_]);                                             \
    } while (0)

#define remove_item(vector, index)                                                                 \
    do {                                                                                           \
        for (size_t i_ = (index); i_ + 1 < (vector).length; i_++)                                  \
            (vector).data[i_] = (vector).data[i_ + 1];                                             \
        (vector).length--;                                                                         \
    } while (0)

static Case *copy_case(Arena *arena, const Case *c) {
    Case *copy = arena_new(arena, Case);
    *copy = *c;
    copy_vector(arena, copy->directives, c->directives);
    copy_vector(arena, copy->statements, c->statements);
    for (int f = 0; f < c->func_count; f++)
        copy_vector(arena, copy->funcs[f].updates, c->funcs[f].updates);
    return copy;
}

/* Keeps the candidate if it still fails. */
static bool accept(ShrinkState *s, Case *candidate) {
    if (!s->fails(s->data, candidate))
        return false;
    s->best = candidate;
    return true;
}

static bool drop_directives(ShrinkState *s) {
    bool changed = false;
    for (size_t i = s->best->directives.length; i-- > 0;) {
        Case *candidate = copy_case(s->arena, s->best);
        remove_item(candidate->directives, i);
        changed |= accept(s, candidate);
    }
    return changed;
}

static bool drop_statements(ShrinkState *s) {
    bool changed = false;
    for (size_t i = s->best->statements.length; i-- > 0;) {
        Case *candidate = copy_case(s->arena, s->best);
        remove_item(candidate->statements, i);
        changed |= accept(s, candidate);
    }
    for (int f = 0; f < s->best->func_count; f++)
        if (s->best->funcs[f].size || s->best->funcs[f].require) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->funcs[f].size = candidate->funcs[f].require = NULL;
            changed |= accept(s, candidate);
        }
    for (int f = 0; f < s->best->func_count; f++)
        if (s->best->funcs[f].shared) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->funcs[f].shared = 0;
            changed |= accept(s, candidate);
        }
    for (int f = 0; f < s->best->func_count; f++)
        if (s->best->funcs[f].let) {
            Case *candidate = copy_case(s->arena, s->best);
            candidate->funcs[f].let = NULL;
            changed |= accept(s, candidate);
        }
    return changed;
}

static bool drop_updates(ShrinkState *s) {
    bool changed = false;
    for (int f = 0; f < s->best->func_count; f++)
        for (size_t i = s->best->funcs[f].updates.length; i-- > 0;) {
            Case *candidate = copy_case(s->arena, s->best);
            remove_item(candidate->funcs[f].updates, i);
            changed |= accept(s, candidate);
        }
    return changed;
}

/* Func `f` is gone: the recurrence moves, or has one equation less. */
static void leave_equation(Case *c, int f) {
    if (f < c->first_equation)
        c->first_equation--;
    else if (f < c->first_equation + c->equation_count && --c->equation_count == 0)
        c->domain = NULL;
}

/* Without func `f`, the case may need as many points of the others.  So it is tried with windows of
 * at least `WIDE` points each way, which are shrunk again later. */
static void drop_func(ShrinkState *s, int f, bool *changed) {
    enum { WIDE = 5 };
    Case *candidate = copy_case(s->arena, s->best);
    for (int i = f; i + 1 < candidate->func_count; i++)
        candidate->funcs[i] = candidate->funcs[i + 1];
    candidate->func_count--;
    leave_equation(candidate, f);
    if (accept(s, candidate)) {
        *changed = true;
        return;
    }
    for (int i = 0; i < candidate->func_count; i++)
        for (int d = 0; d < candidate->funcs[i].dimensions; d++)
            if (candidate->funcs[i].window.extent[d] < WIDE)
                candidate->funcs[i].window.extent[d] = WIDE;
    *changed |= accept(s, candidate);
}

/* Removes a func that nothing reads anymore; makes an output an inner func. */
static bool drop_funcs(ShrinkState *s) {
    bool changed = false;
    for (int f = s->best->func_count - 1; f >= 0; f--) {
        if (f + 1 < s->best->func_count && s->best->funcs[f].is_output) {
            Case *inner = copy_case(s->arena, s->best);
            inner->funcs[f].is_output = false;
            inner->funcs[f].shared = 0;
            changed |= accept(s, inner);
        }
        bool is_only = f + 1 == s->best->func_count && (f == 0 || !s->best->funcs[f - 1].is_output);
        if (is_only)
            continue;
        drop_func(s, f, &changed);
    }
    return changed;
}

static bool drop_inputs(ShrinkState *s) {
    bool changed = false;
    for (int i = s->best->image_count - 1; i >= 0; i--) {
        Case *candidate = copy_case(s->arena, s->best);
        for (int k = i; k + 1 < candidate->image_count; k++)
            candidate->images[k] = candidate->images[k + 1];
        candidate->image_count--;
        for (int f = 0; f < candidate->func_count; f++) {
            int *shared = &candidate->funcs[f].shared;
            *shared = *shared == i + 1 ? 0 : *shared > i ? *shared - 1 : *shared;
        }
        changed |= accept(s, candidate);
    }
    for (int i = s->best->parameter_count - 1; i >= 0; i--) {
        Case *candidate = copy_case(s->arena, s->best);
        for (int k = i; k + 1 < candidate->parameter_count; k++)
            candidate->parameters[k] = candidate->parameters[k + 1];
        candidate->parameter_count--;
        changed |= accept(s, candidate);
    }
    return changed;
}

/* ---- texts ---- */

/* Returns the text after the parenthesis that closes the one at `open`; null if there is none. */
static const char *behind(const char *open) {
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += *at == '(' || *at == '{';
        depth -= *at == ')' || *at == '}';
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

/* If a value `type(..)` begins at `at`, returns its opening parenthesis; else null. */
static const char *value_at(const char *text, const char *at, Type *type) {
    bool inside_word = at > text && (at[-1] == '_' || (at[-1] >= '0' && at[-1] <= '9') ||
                                     (at[-1] >= 'a' && at[-1] <= 'z'));
    const char *open = strchr(at, '(');
    size_t length = open ? (size_t)(open - at) : 0;
    char name[8];
    if (inside_word || length < 2 || length > 4)
        return NULL;
    memcpy(name, at, length);
    name[length] = '\0';
    return type_from_name(name, type) ? open : NULL;
}

/* Replaces the text from `from` to `to` by `middle`. */
static const char *replace(Arena *arena, const char *text, const char *from, const char *to,
                           const char *middle) {
    return arena_format(arena, "%.*s%s%s", (int)(from - text), text, middle, to);
}

/* Finds one of the texts of a case, to try another in its place. */
typedef const char **TextOf(Case *c, int func, int number);

static const char **pure_text(Case *c, int func, int number) {
    (void)number;
    return &c->funcs[func].pure;
}
static const char **update_text(Case *c, int func, int number) {
    return &c->funcs[func].updates.data[number].text;
}

static bool try_text(ShrinkState *s, TextOf *of, int func, int number, const char *text) {
    Case *candidate = copy_case(s->arena, s->best);
    *of(candidate, func, number) = text;
    return accept(s, candidate);
}

/* Replaces a value by 1, or by the first value inside it, cast if its type is another:
 * `u32(f(u8(g(x)) & 7))` becomes `u32(u8(g(x)))`. */
static bool shrink_text(ShrinkState *s, TextOf *of, int func, int number) {
    bool changed = false;
    const char *text = *of(s->best, func, number);
    for (const char *at = text; *at; at++) {
        Type type, inner;
        const char *open = value_at(text, at, &type), *end = open ? behind(open) : NULL;
        if (!end || end - open <= 4)
            continue;
        const char *constant = arena_format(s->arena, "%s(1)", type_name(type));
        size_t offset = (size_t)(at - text);
        bool accepted = try_text(s, of, func, number, replace(s->arena, text, at, end, constant));
        for (const char *in = open + 1; !accepted && in < end; in++) {
            const char *inner_open = value_at(text, in, &inner);
            const char *inner_end = inner_open ? behind(inner_open) : NULL;
            if (!inner_end)
                continue;
            const char *middle = arena_format(s->arena, "%.*s", (int)(inner_end - in), in);
            if (!type_equal(inner, type))
                middle = arena_format(s->arena, "%s(%s)", type_name(type), middle);
            if (strlen(middle) >= (size_t)(end - at))
                continue; /* each replacement is shorter, so this ends */
            accepted = try_text(s, of, func, number, replace(s->arena, text, at, end, middle));
        }
        if (accepted) {
            changed = true;
            text = *of(s->best, func, number);
            at = text + offset;
        }
    }
    return changed;
}

/* Finds the arguments of the first call of `name` between `from` and `to`; false if there is
 * none. */
static bool find_call(ShrinkState *s, const char *name, const char *from, const char *to,
                      const char *arguments[CASE_DIMENSIONS]) {
    const char *call = arena_format(s->arena, "%s(", name), *at = strstr(from, call);
    if (!at || at >= to)
        return false;
    at += strlen(call);
    const char *start = at;
    for (int depth = 0, d = 0; *at && d < CASE_DIMENSIONS; at++) {
        if (depth == 0 && (*at == ',' || *at == ')')) {
            arguments[d++] = arena_format(s->arena, "(%.*s)", (int)(at - start), start);
            start = at + 1;
        }
        if (depth == 0 && *at == ')')
            return true;
        depth += (*at == '(') - (*at == ')');
    }
    return false;
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* Adds up constant offsets of a coordinate: `f((x - 1) - 2)` becomes `f(x - 3)`. */
static const char *fold_offsets(Arena *arena, const char *text) {
    static const char pattern[] = "[(,] ?(\\([xyc] ([-+] [0-9]{1,6})\\) ([-+] [0-9]{1,6}))[),]";
    regex_t regex;
    regmatch_t part[4]; /* the whole; both offsets around the coordinate; each offset */
    bool is_compiled = regcomp(&regex, pattern, REG_EXTENDED) == 0;
    hlc_assert(is_compiled, "the pattern is a regular expression");
    while (regexec(&regex, text, 4, part, 0) == 0) {
        int sum = 0;
        for (int i = 2; i < 4; i++) {
            const char *offset = text + part[i].rm_so;
            sum += (int)strtol(offset + 2, NULL, 10) * (*offset == '-' ? -1 : 1);
        }
        const char *folded =
            arena_format(arena, "%c %c %d", text[part[1].rm_so + 1], sum < 0 ? '-' : '+', abs(sum));
        text = replace(arena, text, text + part[1].rm_so, text + part[1].rm_eo, folded);
    }
    regfree(&regex);
    return text;
}

/* Returns the text between, with the arguments in place of the variables, as the type. */
static const char *with_arguments(ShrinkState *s, const char *from, const char *to, Type type,
                                  const char *const arguments[CASE_DIMENSIONS]) {
    static const char variables[] = "xyc";
    const char *text = arena_format(s->arena, "%s(", type_name(type));
    for (const char *at = from; at < to; at++) {
        bool is_alone = (at == from || !is_word(at[-1])) && !is_word(at[1]);
        const char *variable = is_alone ? strchr(variables, *at) : NULL;
        const char *argument = variable ? arguments[variable - variables] : NULL;
        text = argument ? arena_format(s->arena, "%s%s", text, argument)
                        : arena_format(s->arena, "%s%c", text, *at);
    }
    return fold_offsets(s->arena, arena_format(s->arena, "%s)", text));
}

/* The value from `at` to `end` calls func `read`: replaces it by a value in that func's
 * definition. */
static bool read_through(ShrinkState *s, TextOf *of, int func, int number, int read, const char *at,
                         const char *end, Type type) {
    const char *text = *of(s->best, func, number), *body = s->best->funcs[read].pure;
    const char *arguments[CASE_DIMENSIONS] = {0};
    if (!find_call(s, s->best->funcs[read].name, at, end, arguments))
        return false;
    for (const char *in = body; *in; in++) {
        Type inner;
        const char *open = value_at(body, in, &inner), *inner_end = open ? behind(open) : NULL;
        if (!inner_end)
            continue;
        const char *middle = with_arguments(s, in, inner_end, type, arguments);
        if (try_text(s, of, func, number, replace(s->arena, text, at, end, middle)))
            return true;
    }
    return false;
}

/* Replaces a value that reads a func by a value that reads what that func reads.  So a func between
 * two others goes. */
static bool read_past(ShrinkState *s, TextOf *of, int func, int number) {
    const char *text = *of(s->best, func, number);
    for (const char *at = text; *at; at++) {
        Type type;
        const char *open = value_at(text, at, &type), *end = open ? behind(open) : NULL;
        for (int read = 0; end && read < func; read++)
            if (read_through(s, of, func, number, read, at, end, type))
                return true;
    }
    return false;
}

/* Returns the text with each occurrence of the word replaced by `by`. */
static const char *put_for_word(Arena *arena, const char *text, const char *word, const char *by) {
    size_t length = strlen(word);
    const char *result = "", *begin = text, *from = text;
    for (const char *at; (at = strstr(from, word)); from = at + length)
        if ((at == begin || !is_word(at[-1])) && !is_word(at[length])) {
            result = arena_format(arena, "%s%.*s%s", result, (int)(at - text), text, by);
            text = at + length;
        }
    return arena_format(arena, "%s%s", result, text);
}

static bool try_let(ShrinkState *s, int func, const char *let, const char *pure) {
    Case *candidate = copy_case(s->arena, s->best);
    candidate->funcs[func].let = let;
    candidate->funcs[func].pure = pure;
    return accept(s, candidate);
}

/* Returns the value of `let t = value;`, with the semicolon; null if the func has no let. */
static const char *let_value(const ShrinkState *s, int func) {
    static const char begin[] = "let t = ";
    const char *let = s->best->funcs[func].let;
    return let && !strncmp(let, begin, strlen(begin)) ? let + strlen(begin) : NULL;
}

/* Turns `let t = value; .. t ..` into `.. value ..`. */
static bool inline_let(ShrinkState *s, int func) {
    const char *value = let_value(s, func);
    if (!value)
        return false;
    const char *alone = arena_format(s->arena, "%.*s", (int)strlen(value) - 1, value);
    return try_let(s, func, NULL, put_for_word(s->arena, s->best->funcs[func].pure, "t", alone));
}

/* Turns `let t = argmax(q in ..) value; .. t.0 ..` into `let t = value; .. t ..`, with 1 for q. */
static bool drop_reduction(ShrinkState *s, int func) {
    const char *value = let_value(s, func), *open = value ? strchr(value, '(') : NULL;
    const char *in = open ? strstr(open, " in ") : NULL, *end = open ? behind(open) : NULL;
    if (!in || !end || in > end)
        return false;
    const char *name = arena_format(s->arena, "%.*s", (int)(in - open) - 1, open + 1);
    const char *body = put_for_word(s->arena, end, name, "1");
    return try_let(s, func, arena_format(s->arena, "let t =%s", body),
                   put_for_word(s->arena, s->best->funcs[func].pure, "t.0", "t"));
}

/* Removes the condition of `.. if condition`. */
static bool drop_predicate(ShrinkState *s, int func, int number) {
    const char *text = s->best->funcs[func].updates.data[number].text;
    const char *at = strstr(text, " if ");
    return at && try_text(s, update_text, func, number,
                          arena_format(s->arena, "%.*s", (int)(at - text), text));
}

static bool shrink_texts(ShrinkState *s) {
    bool changed = false;
    for (int f = 0; f < s->best->func_count; f++) {
        changed |= drop_reduction(s, f) | inline_let(s, f) | shrink_text(s, pure_text, f, 0) |
                   read_past(s, pure_text, f, 0);
        for (int u = 0; u < (int)s->best->funcs[f].updates.length; u++)
            changed |= drop_predicate(s, f, u) | shrink_text(s, update_text, f, u) |
                       read_past(s, update_text, f, u);
    }
    return changed;
}

/* ---- windows ---- */

/* Tries another value of one end of a window; the old one stays if the case then passes. */
static bool try_window(ShrinkState *s, int func, int d, int64_t minimum, int64_t extent) {
    Case *candidate = copy_case(s->arena, s->best);
    CaseBox *window = &candidate->funcs[func].window;
    if (window->minimum[d] == minimum && window->extent[d] == extent)
        return false;
    window->minimum[d] = minimum;
    window->extent[d] = extent;
    return accept(s, candidate);
}

static bool shrink_window(ShrinkState *s, int f, int d) {
    bool changed = false;
    const CaseBox *window = &s->best->funcs[f].window;
    while (window->extent[d] > 1 &&
           (try_window(s, f, d, window->minimum[d], window->extent[d] / 2) ||
            try_window(s, f, d, window->minimum[d], window->extent[d] - 1))) {
        changed = true;
        window = &s->best->funcs[f].window;
    }
    return changed | try_window(s, f, d, 0, window->extent[d]);
}

static bool shrink_windows(ShrinkState *s) {
    bool changed = false;
    for (int f = 0; f < s->best->func_count; f++)
        for (int d = 0; d < s->best->funcs[f].dimensions && s->best->funcs[f].is_output; d++)
            changed |= shrink_window(s, f, d);
    return changed;
}

Case *shrink(Arena *arena, const Case *c, CaseFails *fails, void *data) {
    ShrinkState s = {arena, copy_case(arena, c), fails, data};
    for (bool changed = true; changed;)
        changed = drop_directives(&s) | drop_updates(&s) | drop_funcs(&s) | drop_statements(&s) |
                  drop_inputs(&s) | shrink_texts(&s) | shrink_windows(&s);
    return s.best;
}
