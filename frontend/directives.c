/* directives.c -- elaborates schedules. A directive's row in directives.def tells how to read its
 * arguments. Loops stay names, because earlier directives create them. */
#include "frontend/elaborate.h"
#include "frontend/parse.h"
#include "ir/recurrence.h"

#include <stdlib.h>
#include <string.h>

static bool find_directive(Elaborator *e, const DirectiveSyntax *syntax, DirectiveKind *kind) {
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        if (!strcmp(directive_info((DirectiveKind)i)->text, syntax->name.name->text)) {
            *kind = (DirectiveKind)i;
            return true;
        }
    Nearest nearest = {.name = syntax->name.name->text};
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        nearest_offer(&nearest, directive_info((DirectiveKind)i)->text);
    const char *all = "the directives are ";
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        all = arena_format(e->arena, "%s%s%s", all, i ? ", " : "",
                           directive_info((DirectiveKind)i)->text);
    return diag(e->context, DIAG_UNKNOWN_DIRECTIVE, syntax->name.place, syntax->name.name->text,
                nearest_hint(e->arena, &nearest, all));
}

/* ---- arguments ---- */

/* Splits `h.z0.s1.x` or `<h, z0, s1, x>` into its parts, in order. Returns their number, or -1 for
 * other syntax. */
static int loop_parts(const Syntax *syntax, const Syntax **parts, int most) {
    int count = 0;
    if (syntax->kind == SYNTAX_LOOP) {
        if (syntax->children.length > (size_t)most)
            return -1;
        for (size_t i = 0; i < syntax->children.length; i++)
            parts[count++] = syntax->children.data[i];
        return count;
    }
    for (const Syntax *at = syntax; at;
         at = at->kind == SYNTAX_MEMBER ? at->children.data[0] : NULL) {
        if ((at->kind != SYNTAX_MEMBER && at->kind != SYNTAX_NAME) || count == most)
            return -1;
        parts[count++] = at;
    }
    for (int i = 0; i < count / 2; i++) {
        const Syntax *swap = parts[i];
        parts[i] = parts[count - 1 - i];
        parts[count - 1 - i] = swap;
    }
    return count;
}

/* A directive that makes a func. Either its last argument names the func, or the func is named
 * after a reduction loop: f.r and f.s1.r give f_r, or f_r2 if f_r exists. */
typedef struct FuncMaker {
    DirectiveKind kind;
    int stages; /* number of stages of that func; of a clone, whose stages are not known here, the most */
    bool is_called_after_loop;
} FuncMaker;

static const FuncMaker func_makers[] = {
    {DIRECTIVE_WRAP, 1, false},     {DIRECTIVE_CLONE, 256, false}, {DIRECTIVE_RFACTOR, 2, false},
    {DIRECTIVE_VECTORIZE, 2, true}, {DIRECTIVE_PARALLEL, 2, true}, {DIRECTIVE_TRAVERSE, 2, true}};

static const FuncMaker *func_maker(const char *directive) {
    for (size_t i = 0; i < sizeof func_makers / sizeof *func_makers; i++)
        if (!strcmp(directive, directive_info(func_makers[i].kind)->text))
            return &func_makers[i];
    return NULL;
}

/* Returns the name of the func that the directive may make; null if it makes none. */
static Symbol made_name(Elaborator *e, const FuncMaker *maker, const DirectiveSyntax *written) {
    size_t count = written->arguments.length;
    const Syntax *last = count ? written->arguments.data[count - 1] : NULL, *parts[4];
    if (!last)
        return NULL;
    if (!maker->is_called_after_loop)
        return last->kind == SYNTAX_NAME ? last->name : NULL;
    int last_part = loop_parts(written->arguments.data[0], parts, 4) - 1;
    if (last_part < 1 || !parts[0]->name || !parts[last_part]->name)
        return NULL;
    return symbol_format(&e->context->symbols, "%s_%s", parts[0]->name->text,
                         parts[last_part]->name->text);
}

/* Collects the names of nests of equations whose first equation is an output. */
static void collect_nests(Elaborator *e) {
    static const FuncMaker nest = {DIRECTIVE_COUNT, 2, false};
    for (size_t i = 0; i < e->pipeline->recurrences.length; i++) {
        const Recurrence *recurrence = e->pipeline->recurrences.data[i];
        for (size_t f = 0; f < recurrence->funcs.length; f++) {
            const FuncShape *shape = recurrence->funcs.data[f]->shape;
            if (shape->is_output)
                map_put(&e->made, recurrence_nest_name(e->context, shape->name), &nest);
        }
    }
}

/* Collects the names that the schedule gives to new funcs.  Of those that may make one of this name,
 * the one with the most stages counts: `vectorize(f.c, 8)` makes an f_c only of a reduction loop. */
static void collect_made(Elaborator *e, const ScheduleSyntax *syntax) {
    e->made = map_create(e->arena);
    collect_nests(e);
    for (size_t i = 0; i < syntax->directives.length; i++) {
        const DirectiveSyntax *written = &syntax->directives.data[i];
        const FuncMaker *maker = func_maker(written->name.name->text);
        Symbol name = maker ? made_name(e, maker, written) : NULL;
        const FuncMaker *other = name ? map_get(&e->made, name) : NULL;
        if (name && (!other || other->stages < maker->stages))
            map_put(&e->made, name, maker);
    }
}

static bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

static const FuncMaker *find_made(Elaborator *e, Symbol name) {
    const FuncMaker *maker = map_get(&e->made, name);
    for (size_t n = name->length; !maker && n > 1 && is_digit(name->text[n - 1]); n--)
        maker = map_get(&e->made, symbol_intern(&e->context->symbols, name->text, n - 1));
    return maker;
}

static bool find_func(Elaborator *e, Symbol name, Place place, bool or_image) {
    if (signature_func(&e->pipeline->signature, name) || find_made(e, name))
        return true;
    NameBinding *binding = map_get(&e->pipeline_names->by_name, name);
    if (binding && binding->kind == BINDING_FUNC) /* another check reports this fault */
        return false;
    const char *names = "";
    Nearest nearest = {.name = name->text};
    bool many = diag_error_count(e->context) > 100; /* so many errors need no suggestions */
    for (size_t i = 0; i < e->pipeline->funcs.length; i++) {
        const char *func = e->pipeline->funcs.data[i]->shape->name->text;
        if (!many)
            nearest_offer(&nearest, func);
        if (i < 32)
            names = arena_format(e->arena, "%s%s%s", names, i ? ", " : "", func);
    }
    const Signature *signature = &e->pipeline->signature;
    for (size_t i = 0; or_image && i < signature->images.length; i++) {
        const char *image = signature->images.data[i].name->text;
        if (!many)
            nearest_offer(&nearest, image);
        names = arena_format(e->arena, "%s%s%s", names, i ? ", " : "; its images: ", image);
    }
    return diag(e->context, DIAG_SCHEDULE_FUNC, place, name->text,
                e->pipeline->signature.name->text, nearest_behind(e->arena, &nearest, names));
}

/* Parses a letter and a number, such as `s1` or `z0`. */
static bool numbered(Symbol name, char letter, int *number) {
    if (name->text[0] != letter || name->length < 2 || name->length > 6)
        return false;
    for (size_t i = 1; i < name->length; i++)
        if (!is_digit(name->text[i]))
            return false;
    *number = atoi(name->text + 1);
    return true;
}

/* Does the func lack stages because of reported faults? The named stage may be one of them. */
static bool lacks_stages(const Elaborator *e, Symbol func) {
    const NameBinding *binding = map_get(&e->pipeline_names->by_name, func);
    return binding && binding->kind == BINDING_FUNC && binding->func && binding->func->lacks_stages;
}

/* Does the func have the named stage? A directive may have made the func. */
static bool check_stage(Elaborator *e, const LoopReference *loop, Place place) {
    const Func *func = pipeline_func(e->pipeline, loop->func);
    const FuncMaker *maker = find_made(e, loop->func);
    int stages = func ? (int)func->stages.length : maker ? maker->stages : 1;
    if (func && func->recurrence)
        stages = 2; /* schedules make it an update (schedule/recurrence/recurrence.c) */
    if (loop->stage < stages)
        return true;
    if (lacks_stages(e, loop->func))
        return false;
    return diag(e->context, DIAG_STAGE_UNKNOWN, place, loop->func->text,
                arena_format(e->arena, "s%d", loop->stage),
                arena_format(e->arena, stages > 1 ? "s0..s%d" : "s%d", stages - 1));
}

/* The remedy for a name alone: the loops of this func, or those over this variable. */
static bool not_a_loop(Elaborator *e, const Syntax *syntax) {
    enum { MOST_LOOPS = 8 };
    const char *loops = "";
    size_t count = 0;
    for (size_t i = 0; syntax->kind == SYNTAX_NAME && i < e->pipeline->funcs.length; i++) {
        const FuncShape *shape = e->pipeline->funcs.data[i]->shape;
        for (int d = 0; d < shape->dimensions && count < MOST_LOOPS; d++)
            if (shape->name == syntax->name || shape->variables[d] == syntax->name)
                loops = arena_format(e->arena, "%s%s%s.%s", loops, count++ ? " or " : "",
                                     shape->name->text, shape->variables[d]->text);
    }
    return diag(e->context, DIAG_NOT_A_LOOP, syntax->place,
                count > 0 ? arena_format(e->arena, "write %s", loops)
                          : "write f.x, f.s1.x, f.z0.s1.x or <f, z0, s1, x>");
}

/* `g[2].dy`: a word behind a func, which has other members or none. */
static bool no_member(Elaborator *e, Symbol func, const Syntax *member) {
    const char *text = "";
    size_t count = 0;
    for (size_t i = 0; i < e->pipeline->funcs.length && count < 32; i++) {
        Symbol name = e->pipeline->funcs.data[i]->shape->name;
        const char *rest = name->text + func->length + 1;
        bool is_member = name->length > func->length && name->text[func->length] == '.' &&
                         !strncmp(name->text, func->text, func->length) && !strchr(rest, '.');
        if (is_member)
            text = arena_format(e->arena, "%s%s`%s`", text, count++ ? ", " : "", rest);
    }
    return diag(e->context, DIAG_NO_MEMBER, member->place, func->text, member->name->text,
                count ? arena_format(e->arena, "it has %s", text) : "the func has none");
}

/* Is it a word behind a func of the pipeline?  Then gives the func. */
static bool is_of_func(Elaborator *e, const Syntax *syntax, Symbol *func) {
    const Syntax *base = syntax->kind == SYNTAX_MEMBER ? syntax->children.data[0] : NULL;
    if (!base || base->kind != SYNTAX_NAME || !signature_func(&e->pipeline->signature, base->name))
        return false;
    *func = base->name;
    return true;
}

static bool read_loop(Elaborator *e, const Syntax *syntax, LoopReference *loop) {
    const Syntax *parts[4];
    int count = loop_parts(syntax, parts, 4), at = 1;
    if (count < 2)
        return not_a_loop(e, syntax);
    *loop = (LoopReference){.func = parts[0]->name, .stage = -1};
    if (at < count - 1 && numbered(parts[at]->name, 'z', &loop->specialization))
        at++;
    if (at < count - 1 && numbered(parts[at]->name, 's', &loop->stage))
        at++;
    Symbol func;
    if (at != count - 1)
        return is_of_func(e, parts[at], &func) ? no_member(e, func, parts[at])
                                               : not_a_loop(e, syntax);
    loop->variable = parts[at]->name;
    return find_func(e, loop->func, parts[0]->place, false) && check_stage(e, loop, syntax->place);
}

/* Reads `f.s1`. */
static bool read_stage(Elaborator *e, const Syntax *syntax, LoopReference *stage) {
    const Syntax *parts[2];
    *stage = (LoopReference){.stage = -1};
    if (loop_parts(syntax, parts, 2) != 2 || !numbered(parts[1]->name, 's', &stage->stage))
        return diag(e->context, DIAG_NOT_A_STAGE, syntax->place);
    stage->func = parts[0]->name;
    return find_func(e, stage->func, parts[0]->place, false) &&
           check_stage(e, stage, syntax->place);
}

static bool is_name(const Syntax *syntax, const char *text, size_t length) {
    return syntax->kind == SYNTAX_NAME && syntax->name->length == length &&
           !strncmp(syntax->name->text, text, length);
}

/* Do the first `length` letters of `word` equal the syntax? The parser reads a hyphenated word as a
 * difference. */
static bool is_hyphenated(const Syntax *syntax, const char *word, size_t length) {
    for (;;) {
        size_t last = length; /* start of the last part */
        while (last > 0 && word[last - 1] != '-')
            last--;
        if (last == 0)
            return is_name(syntax, word, length);
        if (syntax->kind != SYNTAX_OPERATOR || syntax->op != OP_SUB ||
            syntax->children.length != 2 ||
            !is_name(syntax->children.data[1], word + last, length - last))
            return false;
        syntax = syntax->children.data[0];
        length = last - 1;
    }
}

static bool is_word(const Syntax *syntax, const char *word) {
    return is_hyphenated(syntax, word, strlen(word));
}

static bool read_tail(const Syntax *syntax, Tail *tail) {
    for (int t = 0; t < TAILS_COUNT; t++)
        if (is_word(syntax, tail_text((Tail)t))) {
            *tail = (Tail)t;
            return true;
        }
    return false;
}

static bool not_a_tail(Elaborator *e, const Syntax *syntax, Place place) {
    Nearest nearest = {.name = syntax->kind == SYNTAX_NAME ? syntax->name->text : ""};
    for (int t = 0; t < TAILS_COUNT; t++)
        nearest_offer(&nearest, tail_text((Tail)t));
    return diag(e->context, DIAG_NOT_A_TAIL, place, nearest_behind(e->arena, &nearest, ""));
}

static bool read_alignment(Elaborator *e, const Syntax *syntax, DirectiveArgument *argument) {
    for (int a = ALIGN_START; a < ALIGNMENT_COUNT; a++)
        if (is_word(syntax, alignment_text((Alignment)a))) {
            argument->alignment = (Alignment)a;
            return true;
        }
    return diag(e->context, DIAG_NOT_AN_ALIGNMENT, argument->place);
}

static bool read_traversal(Elaborator *e, const Syntax *syntax, Traversal *traversal) {
    static const char *const names[] = {[TRAVERSE_SERIAL] = "serial",
                                        [TRAVERSE_PARALLEL] = "parallel",
                                        [TRAVERSE_VECTORIZED] = "vectorized",
                                        [TRAVERSE_UNROLLED] = "unrolled"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(syntax, names[i])) {
            *traversal = (Traversal)i;
            return true;
        }
    return diag(e->context, DIAG_NOT_A_TRAVERSAL, syntax->place);
}

/* Returns the place of the whole argument. An operator's own place is that of its sign. */
static Place whole_place(const Syntax *syntax) {
    const Syntax *first = syntax, *last = syntax;
    while (first->kind == SYNTAX_OPERATOR && first->children.length > 1)
        first = first->children.data[0];
    while (last->kind == SYNTAX_OPERATOR && last->children.length > 1)
        last = last->children.data[last->children.length - 1];
    return place_join(first->place, last->place);
}

/* Reads a func, an image, or a name that may be new. */
static bool read_named(Elaborator *e, char letter, const Syntax *syntax, bool is_new_func,
                       DirectiveArgument *argument) {
    argument->kind = letter == 'n' ? ARGUMENT_NAME : ARGUMENT_FUNC;
    const Syntax *first = syntax;
    Symbol func;
    while (first->kind == SYNTAX_MEMBER && first->children.data[0]->kind == SYNTAX_MEMBER)
        first = first->children.data[0];
    if (letter != 'n' && is_of_func(e, first, &func))
        return no_member(e, func, first);
    if (syntax->kind != SYNTAX_NAME)
        return diag(e->context, DIAG_NOT_A_NAME, syntax->place,
                    letter == 'f'   ? "a func"
                    : letter == 'i' ? "a func or an image"
                    : is_new_func   ? "a new func"
                                    : "a variable");
    argument->name = syntax->name;
    /* No variable or func may have a reserved name. */
    if (letter == 'n' && scope_is_builtin(syntax->name))
        return diag(e->context, DIAG_RESERVED, syntax->place, syntax->name->text);
    return letter == 'n' ||
           (letter == 'i' && signature_image(&e->pipeline->signature, syntax->name)) ||
           find_func(e, syntax->name, syntax->place, letter == 'i');
}

static bool read_argument(Elaborator *e, char letter, const Syntax *syntax,
                          const DirectiveInfo *info, bool is_last, DirectiveArgument *argument) {
    Environment all = {NULL, UINT32_MAX};
    *argument = (DirectiveArgument){.place = whole_place(syntax)};
    switch (letter) {
    case 'f':
    case 'i':
    case 'n':
        return read_named(e, letter, syntax, is_last && func_maker(info->text), argument);
    case 'l':
        argument->kind = ARGUMENT_LOOP;
        return read_loop(e, syntax, &argument->loop);
    case 's':
        argument->kind = ARGUMENT_STAGE;
        return read_stage(e, syntax, &argument->loop);
    case 't':
        argument->kind = ARGUMENT_TRAVERSAL;
        return read_traversal(e, syntax, &argument->traversal);
    case 'T':
        argument->kind = ARGUMENT_TAIL;
        if (read_tail(syntax, &argument->tail))
            return true;
        return not_a_tail(e, syntax, argument->place);
    case 'm':
        argument->kind = ARGUMENT_MEMORY;
        if (syntax->kind == SYNTAX_NAME && memory_from_text(syntax->name->text, &argument->memory))
            return true;
        return diag(e->context, DIAG_NOT_A_MEMORY, argument->place);
    case 'a':
        argument->kind = ARGUMENT_ALIGNMENT;
        return read_alignment(e, syntax, argument);
    case 'e':
        argument->kind = ARGUMENT_EXPR;
        e->steps = 0;
        e->too_large = false;
        argument->expr = elaborate_startup(
            e, all, syntax, !strcmp(info->text, "specialize") ? SORT_VALUE : SORT_INDEX,
            arena_format(e->arena, "an argument of %s", info->text));
        return argument->expr != NULL;
    default:
        hlc_assert(false, "directives.def uses only the letters that its head lists");
        return false;
    }
}

/* ---- the pattern of a row ---- */

/* One letter, or several in brackets, and the mark after it (0 if there is none). */
typedef struct DirectivePiece {
    const char *letters;
    size_t count;
    char mark;
} DirectivePiece;

/* Reads the next piece; returns false at the end. */
static bool next_piece(const char **at, DirectivePiece *piece) {
    if (!**at)
        return false;
    bool is_group = **at == '(';
    piece->letters = *at + is_group;
    piece->count = is_group ? strcspn(piece->letters, ")") : 1;
    *at = piece->letters + piece->count + is_group;
    bool is_marked = **at && strchr("?*+", **at);
    piece->mark = is_marked ? *(*at)++ : '\0';
    return true;
}

/* Counts the arguments that the pieces from `at` on may take. */
static size_t count_possible(const char *at) {
    size_t count = 0;
    for (DirectivePiece piece; next_piece(&at, &piece);)
        count = piece.mark == '*' || piece.mark == '+' || count == SIZE_MAX ? SIZE_MAX
                                                                            : count + piece.count;
    return count;
}

/* Counts the arguments that the pieces from `at` on require. */
static size_t count_needed(const char *at) {
    size_t count = 0;
    for (DirectivePiece piece; next_piece(&at, &piece);)
        count += piece.mark == '?' || piece.mark == '*' ? 0 : piece.count;
    return count;
}

static const char *word_of(char letter) {
    return letter == 'f'   ? "func"
           : letter == 'i' ? "func or image"
           : letter == 'l' ? "loop"
           : letter == 'n' ? "variable"
           : letter == 'e' ? "expression"
           : letter == 't' ? "traversal"
           : letter == 'm' ? "memory"
           : letter == 'a' ? "alignment"
           : letter == 's' ? "stage"
                           : "tail";
}

static const char *describe(Elaborator *e, const DirectiveInfo *info) {
    char *text = arena_format(e->arena, "%s(", info->text);
    const char *at = info->arguments, *comma = "";
    for (DirectivePiece piece; next_piece(&at, &piece); comma = ", ") {
        bool optional = piece.mark == '?' || piece.mark == '*';
        text = arena_format(e->arena, "%s%s", text, optional ? "[" : "");
        for (size_t i = 0; i < piece.count; i++)
            text = arena_format(e->arena, "%s%s%s", text, i ? ", " : comma,
                                !*at && func_maker(info->text) ? "new func"
                                                               : word_of(piece.letters[i]));
        text =
            arena_format(e->arena, "%s%s%s", text,
                         piece.mark == '*' || piece.mark == '+' ? ", .." : "", optional ? "]" : "");
    }
    return arena_format(e->arena, "%s)", text);
}

static bool wrong_count(Elaborator *e, const DirectiveSyntax *syntax, const DirectiveInfo *info) {
    return diag(e->context, DIAG_DIRECTIVE_ARGUMENTS, syntax->name.place, info->text,
                describe(e, info));
}

static bool read_arguments(Elaborator *e, const DirectiveSyntax *syntax, const DirectiveInfo *info,
                           Directive *directive) {
    size_t next = 0, given = syntax->arguments.length;
    const char *at = info->arguments;
    if (given < count_needed(at) || given > count_possible(at))
        return wrong_count(e, syntax, info);
    for (DirectivePiece piece; next_piece(&at, &piece);) {
        bool repeats = piece.mark == '*' || piece.mark == '+';
        Tail tail;
        size_t behind = repeats ? count_needed(at) : 0;
        if (piece.mark == '*' && next + behind >= given)
            continue;
        if (piece.mark == '?' &&
            (next == given ||
             (*piece.letters == 'e' && read_tail(syntax->arguments.data[next], &tail))))
            continue;
        do {
            for (size_t i = 0; i < piece.count; i++) {
                DirectiveArgument argument;
                if (next == given)
                    return wrong_count(e, syntax, info);
                const Syntax *written = syntax->arguments.data[next++];
                if (!read_argument(e, piece.letters[i], written, info, next == given, &argument))
                    return false; /* one fault often makes others */
                vec_push(e->arena, &directive->arguments, argument);
            }
        } while (repeats && next + behind < given);
    }
    return next == given || wrong_count(e, syntax, info);
}

/* Counts the conditions of the schedule so far. False after reporting the first one too many. */
static bool count_conditions(Elaborator *e, const DirectiveSyntax *written, size_t *count) {
    size_t limit = e->context->limits.conditions, given = written->arguments.length,
           before = *count;
    *count += given > 0 ? given - 1 : 0;
    if (*count <= limit || before > limit)
        return *count <= limit;
    return diag(e->context, DIAG_CONDITIONS_TOO_MANY,
                written->arguments.data[1 + limit - before]->place, arena_number(e->arena, limit));
}

Schedule *elaborate_schedule(Context *context, Arena *arena, const ScheduleSyntax *syntax,
                             Pipeline *pipeline, NameTable *module_names, NameTable *names) {
    Elaborator e = elaborate_in_schedule(context, arena, pipeline, module_names, names);
    Schedule *schedule = arena_new(arena, Schedule);
    schedule->name = syntax->name.name;
    schedule->pipeline = syntax->pipeline.name;
    schedule->place = syntax->name.place;
    size_t limit = context->limits.directives, conditions = 0;
    collect_made(&e, syntax);
    for (size_t i = 0; i < syntax->directives.length; i++) {
        const DirectiveSyntax *written = &syntax->directives.data[i];
        Directive directive = {.place = written->name.place};
        context->at = directive.place;
        if (i >= limit) {
            diag(context, DIAG_TOO_MANY_DIRECTIVES, written->name.place,
                 arena_number(arena, limit));
            break;
        }
        context->use = written->use;
        if (find_directive(&e, written, &directive.kind) &&
            (directive.kind != DIRECTIVE_SPECIALIZE ||
             count_conditions(&e, written, &conditions)) &&
            read_arguments(&e, written, directive_info(directive.kind), &directive))
            vec_push(arena, &schedule->directives, directive);
    }
    context->use = NULL;
    return schedule;
}
