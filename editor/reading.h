/* reading.h -- what the files of editor/ share: one version of a text, its tokens and its names. */
#ifndef HLC_EDITOR_READING_H
#define HLC_EDITOR_READING_H

#include "editor/editor.h"

#include "base/lex.h"
#include "base/map.h"
#include "frontend/ast.h"
#include "library/compiler.h"

/* ---- names.c ---- */

typedef enum DefinitionKind {
    DEFINES_PIPELINE,
    DEFINES_SCHEDULE,
    DEFINES_PARAMETER,
    DEFINES_IMAGE,
    DEFINES_CONSTANT, /* a const parameter, a const, the variable of a block */
    DEFINES_LET,
    DEFINES_HELPER,
    DEFINES_FUNC,
    DEFINES_VARIABLE,  /* pure or of a reduction, a helper's parameter */
    DEFINES_LOOP,      /* a new loop of a schedule */
    DEFINES_MADE_FUNC, /* a new func of a schedule */
    DEFINES_FORMAL,    /* of a template, a schedule or a directive */
    DEFINES_TEMPLATE,
    DEFINES_DIRECTIVE, /* of the user's */
    DEFINES_PACKAGE
} DefinitionKind;

/* What a name means. */
typedef struct Definition {
    DefinitionKind kind;
    Symbol name;
    Place place;                    /* of the name; of a family, of its first member's */
    const PipelineSyntax *pipeline; /* in which it is; null outside */
    const ScheduleSyntax *schedule; /* likewise */
    const struct Definition *owner; /* of a variable or a loop: its func; may be null */
    const FunSyntax *fun;           /* of a func */
    const LetSyntax *let;
    const ParameterSyntax *parameter;
    const TemplateSyntax *template;
} Definition;

typedef Vec(Definition *) Definitions;

/* A name in the text. The place is that of the definition's name: of `x_o`, a loop that a split of
 * `x` has made, it is the `x`. */
typedef struct Mention {
    Place place;
    uint32_t whole; /* the length of the whole name */
    const Definition *definition;
    bool is_definition;
} Mention;

typedef Vec(Mention) Mentions;

/* The local names around a place. */
typedef struct LocalName {
    const Definition *definition;
    const struct LocalName *outer;
} LocalName;

/* The names of a pipeline, a template or a package, beside those of what is around. */
typedef struct NamesTable {
    Map by_name; /* Symbol -> Definition */
    Definitions definitions;
    const struct NamesTable *outer;
    Vec(const struct NamesTable *) imports;
    const PipelineSyntax *pipeline; /* in which they are; null outside */
    Symbol package;                 /* whose names they are; null: the user's */
} NamesTable;

typedef struct NamesScope {
    const LocalName *locals;
    NamesTable *table;
    const ScheduleSyntax *schedule; /* in which the text stands */
    const Definition *func;         /* likewise */
} NamesScope;

typedef struct TextNames {
    Context *context;
    Arena *arena;
    Definitions definitions; /* of all files */
    Mentions mentions;       /* of all files; by place (names_sort) */
    Map tables;              /* Symbol -> NamesTable of that pipeline */
    Map packages;            /* Symbol -> NamesTable */
    Map pipelines;           /* Symbol -> Definition */
    Map schedules;           /* Symbol `p.fast` -> Definition */
    Map formals;             /* const FormalSyntax -> Definition */
    Map variables;           /* Symbol `p.f.x` -> Definition of a variable of f */
    Map made;                /* Symbol `f.x`, `f` -> Definition, in the schedule at work */
    Symbol cursor;           /* a name whose scope is wanted; null: none */
    NamesScope caught;       /* that scope; table null: not found */
} TextNames;

/* Finds what the names of the files mean. */
TextNames *names_read(Context *context, Arena *arena, FileSyntax *const *files, size_t count,
                      Symbol cursor);
const Definition *names_find(const NamesScope *scope, Symbol name);
/* The mention that covers a point of a file; null if there is none. */
const Mention *names_at(const TextNames *names, uint32_t file, EditorPoint at);

/* For names_file.c and names_schedule.c: */
void names_bind(TextNames *names, NamesScope *scope, const Definition *definition);
/* Reads the intervals of reduction variables, and binds these. */
void names_reductions(TextNames *names, NamesScope *scope, const ReductionSyntaxes *variables);
/* A local name, with its mention. */
Definition *names_local(TextNames *names, NamesScope *scope, DefinitionKind kind, NameSyntax name);
/* A definition that no scope has. */
Definition *names_new(TextNames *names, const NamesScope *scope, DefinitionKind kind,
                      NameSyntax name);
void names_mention(TextNames *names, const Definition *definition, Place place, bool is_definition);
/* The same of a name that begins with that of the definition. */
void names_mention_stem(TextNames *names, const Definition *definition, Place place);
/* Mentions what the name means in the scope, if it means something. */
const Definition *names_use(TextNames *names, const NamesScope *scope, NameSyntax name);
void names_expression(TextNames *names, NamesScope scope, const Syntax *syntax);
void names_range(TextNames *names, NamesScope *scope, const RangeSyntax *range);
void names_let(TextNames *names, NamesScope scope, const LetSyntax *let);
/* Mentions a formal that an argument names. */
void names_argument(TextNames *names, const FormalSyntaxes *formals, NameSyntax name);
/* The package of this name that the scope's text imports; null for another name. */
const NamesTable *names_package(const NamesScope *scope, Symbol name);
Symbol names_key(const TextNames *names, const PipelineSyntax *pipeline, Symbol func,
                 Symbol variable);
/* The place of the name behind the last dot; line 0 if it is not known. */
Place names_member_place(const Syntax *member);

/* ---- names_schedule.c ---- */

/* Reads directives, of a schedule or of a directive of the user's. */
void names_lines(TextNames *names, NamesScope scope, const ItemSyntaxes *items);
/* Which letters of directives.def may argument `index` have? Writes them into `letters`, which ends
 * with a zero. */
enum { MOST_LETTERS = 16 };
void directive_letters(const char *pattern, size_t index, char letters[MOST_LETTERS]);
/* The directive of this name; null if the compiler has none. */
const DirectiveInfo *directive_named(const char *name);

/* ---- tokens.c ---- */

typedef struct Tokens {
    Token *data; /* the last is TOKEN_END */
    size_t length, capacity;
} Tokens;

Tokens tokens_read(Context *context, Arena *arena, uint32_t file);
/* The token that covers the point, or ends there; SIZE_MAX if there is none. */
size_t tokens_at(const Tokens *tokens, EditorPoint at);
/* The end of the statement or block that begins at the place of a name: behind its semicolon or
 * its closing brace. */
EditorPoint tokens_end(const Tokens *tokens, Place name);

/* ---- reading.c ---- */

typedef Vec(FileSyntax *) FileSyntaxes;

/* One version of the text. */
typedef struct Reading {
    hlc *h;        /* whose arena has the rest, */
    Arena *answer; /* but for this one, of answers; null: none */
    Tokens tokens;
    TextNames *names;       /* null: the reading was ended early, or it is a text-form program */
    const FileSyntax *text; /* as written; likewise */
    Vec(const struct ScheduleNest *) nests; /* of regions.c, by schedule */
} Reading;

struct Editor {
    char *path;
    Reading *now, *good; /* `good`: the last that could be elaborated, perhaps `now` */
};

/* Asks something of the newest version. The answer goes into an arena that editor_forget frees. False
 * if the question was ended early. What it reports is dropped. */
typedef void Question(Editor *editor, Arena *arena, void *data);
bool editor_ask(Editor *editor, Question *question, void *data);
/* The same on another handle, whose arena has the answer. */
bool editor_ask_of(Editor *editor, hlc *h, Question *question, void *data);
/* Parses what the handle has loaded, as written; the text itself comes first. */
void reading_parse(hlc *h, Arena *arena, FileSyntaxes *files);
/* The module for types and loops; null if no version could be elaborated. */
const Module *editor_module(const Editor *editor);
EditorRange editor_range(const Context *context, Place place);
static inline EditorPoint editor_point(Place place) {
    return (EditorPoint){place.line, place.column};
}
static inline bool point_is_before(EditorPoint a, EditorPoint b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}
/* The func of a definition in the module; null if it has none. */
const Func *editor_func(const Editor *editor, const Definition *definition);
/* `i32`, or `{i32, u8}`; null if the func's types are not known. */
const char *editor_types(Arena *arena, const Func *func);

/* ---- regions.c ---- */

/* A loop under a schedule. */
typedef struct NestedLoop {
    const char *func, *variable;
    int specialization, stage;
    bool is_ambiguous;  /* other stages have a loop of this variable, too */
    const char *length; /* `32`, `(out.extent.1 + 31)/32`; null: not known, or long */
} NestedLoop;

/* Where a func is stored, and how much of it. */
typedef struct NestedFunc {
    const char *func, *text; /* `x: out.extent.0, y: 34` */
} NestedFunc;

typedef struct ScheduleNest {
    const char *pipeline, *schedule;
    Vec(NestedLoop) loops; /* outermost first */
    Vec(NestedFunc) funcs;
    const char *explained; /* what `hlc explain` prints of the nest; null: not asked for */
} ScheduleNest;

/* Lists the loops of a program. */
void nest_list(ScheduleNest *nest, Arena *arena, Lowered *lowered);
/* The nest of a schedule of the newest good version; null if it is refused. */
const ScheduleNest *nest_of_schedule(Editor *editor, const char *pipeline, const char *schedule);

/* ---- pages.c ---- */

typedef struct EditorPage {
    const char *name, *text;
    size_t length;
} EditorPage;
/* scheduling.md and language.md; the build makes the table. The last has no name. */
extern const EditorPage editor_pages[];
/* The section of docs/scheduling.md about a directive; null if there is none. */
const char *page_of_directive(Arena *arena, const char *directive);
/* The line of docs/language.md about a function; null if there is none. */
const char *page_of_function(Arena *arena, const char *function);

#endif
