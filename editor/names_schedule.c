/* names_schedule.c -- what the names in schedules mean: funcs, their loops, and the loops and funcs
 * that directives make.
 *
 *     split(out.x, x_o, x_i, 16);  vectorize(out.x_i, 4);  parallel(out.x_i_o)
 *
 * `x_o` and `x_i` are defined where the split names them. `x_i_o` is a loop that `vectorize` made of
 * `x_i`: its place mentions `x_i`, and a rename of that changes it, too. Likewise `out_sum`, a func of
 * the compiler's, mentions `out`.
 */
#include "editor/reading.h"

#include <string.h>

const DirectiveInfo *directive_named(const char *name) {
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        if (!strcmp(directive_info((DirectiveKind)i)->text, name))
            return directive_info((DirectiveKind)i);
    return NULL;
}

/* ---- the letters of an argument ---- */

/* The positions of a pattern: bit i is the letter pattern[i]. */
typedef uint64_t Positions;

static bool is_letter(char c) {
    return c && !strchr("()?*+", c);
}

/* The piece from `at` on: a letter, or a group in brackets. Gives its first and last letter and its
 * mark, and returns what follows it. */
static size_t piece_at(const char *pattern, size_t at, size_t *first, size_t *last, char *mark) {
    bool is_group = pattern[at] == '(';
    *first = at + is_group;
    size_t end = is_group ? at + strcspn(pattern + at, ")") : at + 1;
    *last = end - 1;
    end += is_group;
    *mark = pattern[end] && strchr("?*+", pattern[end]) ? pattern[end] : '\0';
    return end + (*mark != '\0');
}

/* The letters that may come first from the piece at `at` on. */
static Positions begin_at(const char *pattern, size_t at) {
    Positions found = 0;
    while (pattern[at]) {
        size_t first, last;
        char mark;
        at = piece_at(pattern, at, &first, &last, &mark);
        found |= (Positions)1 << first;
        if (mark != '?' && mark != '*')
            break;
    }
    return found;
}

/* The letters that may follow the one at `position`. */
static Positions follow(const char *pattern, size_t position) {
    for (size_t at = 0; pattern[at];) {
        size_t first, last;
        char mark;
        size_t next = piece_at(pattern, at, &first, &last, &mark);
        if (position >= first && position < last)
            return (Positions)1 << (position + 1);
        if (position == last)
            return begin_at(pattern, next) |
                   (mark == '*' || mark == '+' ? (Positions)1 << first : 0);
        at = next;
    }
    return 0;
}

void directive_letters(const char *pattern, size_t index, char letters[MOST_LETTERS]) {
    Positions now = begin_at(pattern, 0);
    size_t length = strlen(pattern), count = 0;
    hlc_assert(length < 64, "the arguments of a directive fit a word of bits");
    /* After as many steps as there are letters, only repeated ones are left: nothing changes. */
    for (size_t step = 0; step < index && step < length; step++) {
        Positions next = 0;
        for (size_t i = 0; i < length; i++)
            if (now >> i & 1)
                next |= follow(pattern, i);
        now = next;
    }
    for (size_t i = 0; i < length && count + 1 < MOST_LETTERS; i++)
        if (now >> i & 1 && is_letter(pattern[i]))
            letters[count++] = pattern[i];
    letters[count] = '\0';
}

/* ---- funcs and loops ---- */

static Symbol made_key(const TextNames *names, Symbol func, Symbol variable) {
    return symbol_format(&names->context->symbols, "%s.%s", func->text, variable->text);
}

/* The part of `name` before its last underscore; null if there is none. */
static Symbol stem_of(const TextNames *names, Symbol name) {
    const char *bar = strrchr(name->text, '_');
    return bar && bar > name->text
               ? symbol_intern(&names->context->symbols, name->text, (size_t)(bar - name->text))
               : NULL;
}

static const Definition *use_func(TextNames *names, const NamesScope *scope, Symbol name,
                                  Place place) {
    for (Symbol stem = name; stem; stem = stem_of(names, stem)) {
        const Definition *found = map_get(&names->made, stem);
        found = found ? found : names_find(scope, stem);
        if (!found)
            continue;
        names_mention_stem(names, found, place);
        return found; /* `cost_sum` has variables of `cost` */
    }
    return NULL;
}

/* A variable of the func or, for a func that the schedule makes, of the one that it is made of. */
static const Definition *find_variable(const TextNames *names, const NamesScope *scope,
                                       const Definition *func, Symbol variable) {
    const Definition *found = NULL;
    for (; func && !found; func = func->kind == DEFINES_MADE_FUNC ? func->owner : NULL) {
        found = map_get(&names->made, made_key(names, func->name, variable));
        if (!found)
            found = map_get(&names->variables,
                            names_key(names, scope->table->pipeline, func->name, variable));
    }
    return found;
}

static void use_variable(TextNames *names, const NamesScope *scope, const Definition *func,
                         Symbol variable, Place place) {
    for (Symbol stem = variable; stem; stem = stem_of(names, stem)) {
        const Definition *found = find_variable(names, scope, func, stem);
        if (!found)
            continue;
        names_mention_stem(names, found, place);
        return;
    }
}

static bool is_numbered(Symbol name, char letter) {
    size_t digits = strspn(name->text + 1, "0123456789");
    return name->text[0] == letter && digits > 0 && !name->text[digits + 1];
}

/* The func at the head of a loop's name: `g` of `g[3].x` and `g.step[l].x`. Indices are expressions. */
static const Definition *use_head(TextNames *names, const NamesScope *scope, const Syntax *base) {
    for (; base->kind == SYNTAX_SUBSCRIPT || base->kind == SYNTAX_SUFFIX ||
           base->kind == SYNTAX_MEMBER;
         base = base->children.data[0])
        if (base->kind == SYNTAX_SUBSCRIPT)
            names_expression(names, *scope, base->children.data[1]);
    return base->kind == SYNTAX_NAME ? use_func(names, scope, base->name, base->place) : NULL;
}

/* Reads `f.s1.x`, `<f, s1, x>`, `f.s1`. Returns the func; null if it is not known. */
static const Definition *use_loop(TextNames *names, const NamesScope *scope, const Syntax *syntax) {
    enum { MOST = 8 };
    const Syntax *parts[MOST], *base = syntax;
    size_t count = 0;
    if (syntax->kind == SYNTAX_LOOP) {
        base = syntax->children.data[0];
        for (size_t i = syntax->children.length; i-- > 1 && count < MOST;)
            parts[count++] = syntax->children.data[i];
    }
    for (; base->kind == SYNTAX_MEMBER && count < MOST; base = base->children.data[0])
        parts[count++] = base;
    const Definition *func = use_head(names, scope, base);
    for (size_t i = count; func && i-- > 0;) {
        Symbol name = parts[i]->name;
        bool is_stage = name && (is_numbered(name, 's') || is_numbered(name, 'z'));
        if (!name || (i > 0 && is_stage))
            continue;
        Place place =
            parts[i]->kind == SYNTAX_MEMBER ? names_member_place(parts[i]) : parts[i]->place;
        use_variable(names, scope, func, name, place);
    }
    return func;
}

/* ---- directives ---- */

/* What a directive has said so far. */
typedef struct Line {
    TextNames *names;
    const NamesScope *scope;
    const Definition *func; /* of its last loop or func */
    bool makes_func;        /* its last argument names a new func */
} Line;

static void make(const Line *line, DefinitionKind kind, Symbol key, const Syntax *syntax) {
    NamesScope scope = *line->scope;
    scope.func = line->func;
    NameSyntax name = {syntax->name, syntax->place};
    Definition *made = names_new(line->names, &scope, kind, name);
    names_mention(line->names, made, syntax->place, true);
    map_put(&line->names->made, key, made);
}

/* A name that may be new: a loop of the directive's func, or a func. */
static void read_new_name(Line *line, const Syntax *syntax, bool is_last) {
    TextNames *names = line->names;
    if (is_last && line->makes_func) {
        make(line, DEFINES_MADE_FUNC, syntax->name, syntax);
        return;
    }
    if (!line->func)
        return;
    const Definition *old = find_variable(names, line->scope, line->func, syntax->name);
    if (old)
        names_mention(names, old, syntax->place, false);
    else
        make(line, DEFINES_LOOP, made_key(names, line->func->name, syntax->name), syntax);
}

/* Is it a word of schedules: `vectorized`, `heap`, `round-up`, which the parser reads as a
 * difference? */
static bool is_word(const char *letters, const Syntax *syntax) {
    bool has_words = strpbrk(letters, "tTma");
    bool is_difference =
        syntax->kind == SYNTAX_OPERATOR && syntax->op == OP_SUB && syntax->children.length == 2;
    if (!has_words || (syntax->kind != SYNTAX_NAME && !is_difference))
        return false;
    while (syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2)
        syntax = syntax->children.data[0];
    static const char *const first_words[] = {"shift", "round", "align"};
    if (is_difference) {
        for (size_t i = 0; syntax->kind == SYNTAX_NAME && i < 3; i++)
            if (!strcmp(first_words[i], syntax->name->text))
                return true;
        return false;
    }
    MemoryKind memory;
    for (int t = 0; t < TAILS_COUNT; t++)
        if (!strcmp(tail_text((Tail)t), syntax->name->text))
            return true;
    return !strchr(letters, 'e') || memory_from_text(syntax->name->text, &memory);
}

static void read_argument(Line *line, const char *letters, const Syntax *syntax, bool is_last) {
    bool is_name = syntax->kind == SYNTAX_NAME;
    if (is_word(letters, syntax))
        return;
    if (is_name && strchr(letters, 'n') && (is_last || !strpbrk(letters, "fil"))) {
        read_new_name(line, syntax, is_last);
        return;
    }
    bool is_loop = syntax->kind == SYNTAX_LOOP || syntax->kind == SYNTAX_MEMBER ||
                   syntax->kind == SYNTAX_SUBSCRIPT || syntax->kind == SYNTAX_SUFFIX || is_name;
    if (is_loop && strpbrk(letters, "flis")) {
        const Definition *func = use_loop(line->names, line->scope, syntax);
        line->func = func ? func : line->func;
        return;
    }
    names_expression(line->names, *line->scope, syntax);
}

/* A directive of the user's: what its arguments are is known by their looks only. */
static void read_own(TextNames *names, const NamesScope *scope, const DirectiveSyntax *directive) {
    const Definition *own = NULL;
    if (directive->package.name) {
        const NamesTable *package = names_package(scope, directive->package.name);
        own = package ? map_get(&package->by_name, directive->name.name) : NULL;
        if (own)
            names_mention(names, own, directive->name.place, false);
    } else {
        own = names_use(names, scope, directive->name);
    }
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const Syntax *argument = directive->arguments.data[i];
        if (own && own->template)
            names_argument(names, &own->template->formals, directive->argument_names.data[i]);
        if (argument->kind == SYNTAX_MEMBER || argument->kind == SYNTAX_LOOP ||
            argument->kind == SYNTAX_NAME)
            use_loop(names, scope, argument);
        else
            names_expression(names, *scope, argument);
    }
}

static void read_directive(TextNames *names, const NamesScope *scope,
                           const DirectiveSyntax *directive) {
    const DirectiveInfo *info =
        directive->package.name ? NULL : directive_named(directive->name.name->text);
    if (!info) {
        read_own(names, scope, directive);
        return;
    }
    static const char *const makers[] = {"wrap", "clone", "rfactor"};
    Line line = {.names = names, .scope = scope};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        line.makes_func |= !strcmp(info->text, makers[i]);
    for (size_t i = 0; i < directive->arguments.length; i++) {
        char letters[MOST_LETTERS];
        directive_letters(info->arguments, i, letters);
        read_argument(&line, letters, directive->arguments.data[i],
                      i + 1 == directive->arguments.length);
    }
}

void names_lines(TextNames *names, NamesScope scope, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        if (item->kind == ITEM_DIRECTIVE)
            read_directive(names, &scope, item->directive);
        if (item->kind == ITEM_LET) {
            names_let(names, scope, item->let);
            names_local(names, &scope, DEFINES_CONSTANT, item->let->name)->let = item->let;
        }
        if (item->kind == ITEM_BLOCK) {
            NamesScope inner = scope;
            if (item->block->is_loop)
                names_range(names, &inner, &item->block->range);
            names_expression(names, inner, item->block->condition);
            names_lines(names, inner, &item->block->items);
            names_lines(names, inner, &item->block->otherwise);
        }
    }
}
