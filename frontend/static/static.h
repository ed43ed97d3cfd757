/* static.h -- the compile-time layer: makes a tree of plain funcs, lets and directives of a tree
 * with const parameters, families, blocks and lists.  Declares what the files of this step share.
 *
 *   node.c         nodes, the budget, the recursion
 *   value.c        static values, and their evaluation
 *   path.c         families and paths
 *   names.c        what names mean, and whether a copied text would mean the same
 *   macro.c        choices, helpers that are expanded at each call
 *   list.c         lists: comprehensions, elements, len, sum
 *   expression.c   the cases of expressions: static names become literals, paths become names of funcs
 *   item.c         lets, funcs, recurrences, requirements
 *   library.c      finds the texts of packages of the library
 *   package.c      packages: what an import makes visible
 *   template.c     templates and their instances, arguments
 *   block.c        for and if
 *   schedule.c     directives
 *   module.c       files, const parameters
 *   print.c        the expanded text (`hlc expand`)
 *
 * A node in which nothing changes is shared, so a program without these constructs passes through
 * as it is.  A family's member is an ordinary func whose name is the text `g[3]`.
 *
 * Hygiene: an expanded helper or list element is a text that moves.  `static_move` compares what
 * each of its names means here and where it was made, and refuses a text whose meaning changed.
 */
#ifndef HLC_FRONTEND_STATIC_STATIC_H
#define HLC_FRONTEND_STATIC_STATIC_H

#include "base/map.h"
#include "base/nearest.h"
#include "base/trie.h"
#include "frontend/ast.h"
#include "frontend/constants.h"
#include "frontend/parse.h"
#include "frontend/warnings/watch.h"

typedef enum StaticKind { STATIC_INTEGER, STATIC_FLOAT, STATIC_BOOL, STATIC_TYPE } StaticKind;

typedef struct StaticValue {
    StaticKind kind;
    int64_t integer; /* BOOL: 0 or 1 */
    double real;
    Type type;
    bool is_typed; /* of a const with a declared `type`: its literal is converted to it */
} StaticValue;

typedef enum MeaningKind {
    MEANING_INPUT, /* a parameter */
    MEANING_IMAGE,
    MEANING_FUNC,
    MEANING_FAMILY,   /* stands before an index only */
    MEANING_BUNDLE,   /* stands before a dot only: an instance that is no func itself */
    MEANING_VARIABLE, /* a pure or reduction variable, a helper's parameter */
    MEANING_TEXT,     /* a let that stays a let */
    MEANING_STATIC,   /* has `value` */
    MEANING_LIST,     /* a let whose elements are known: `syntax` */
    MEANING_MACRO,    /* a helper that is expanded at each call: it needs its arguments */
    MEANING_ARGUMENT, /* of a macro: `written` in `scope`, expanded as `syntax` */
    MEANING_REST,     /* of a template's formal `f(_, ..c)`: `syntax` lists the dimensions */
    MEANING_TEMPLATE, /* `template` in `scope` */
    MEANING_SEVERAL   /* several packages that are imported define it */
} MeaningKind;

typedef struct Meaning Meaning;

typedef struct StaticPackage StaticPackage;

/* The names that a text sees: local ones, and global ones numbered below `visible`. */
typedef struct StaticScope {
    const Trie *locals; /* Symbol -> Meaning */
    uint32_t visible;
    const StaticPackage *package; /* in which it is written; null: a file of the user's */
} StaticScope;

/* A local name of the tree that is made.  Its address is its identity. */
typedef struct OutName {
    Symbol name;
    const Trie *outer; /* the names around: Symbol -> OutName */
} OutName;

/* Where a text was made: the local names there, and how many global ones there were. */
typedef struct StaticOrigin {
    const Trie *names; /* Symbol -> OutName */
    uint32_t defined;
} StaticOrigin;

struct Meaning {
    MeaningKind kind;
    Symbol name, out; /* as written, and as it is called in the tree that is made */
    Place place;
    uint32_t number;     /* of a global name: order of definition */
    const Meaning *next; /* of the same name: around a local one, before a global one */
    StaticValue value;
    int dimensions; /* of a func or an image */
    const LetSyntax *let;
    const TemplateSyntax *template;
    const Syntax *written;
    Syntax *syntax;
    StaticScope scope;   /* in which the let or argument was written */
    const OutName *own;  /* of a local name that stays a name */
    StaticOrigin origin; /* of `syntax` */
};

/* The members of a family or an instance, in order of definition. */
typedef struct Family {
    Vec(Symbol) members;
} Family;

typedef struct StaticNames {
    Map by_name;  /* Symbol -> Meaning, the newest */
    Map families; /* Symbol -> Family */
    Map empty;    /* the names of families in loops without rounds */
} StaticNames;

/* A package of the library, or the files of the user together.  A package sees its own names and those
 * of the packages that it imports, never the user's. */
struct StaticPackage {
    Symbol name; /* null: the user's files */
    StaticNames *names;
    Map commands; /* Symbol -> TemplateSyntax: directives of one's own */
    Vec(const StaticPackage *) imports;
    Vec(Symbol) defined; /* its names and directives */
};

typedef struct StaticExpander StaticExpander;

/* The instance of a template whose items are expanded. */
typedef struct StaticInstance {
    Symbol template,
        prefix; /* the func called like the template is `prefix`, others `prefix.name` */
} StaticInstance;

/* What the user named and is expanded now, in what around. */
typedef struct StaticMaker {
    const char *what;    /* "template" */
    NameSyntax name;     /* at its use */
    const void *written; /* its syntax */
    const struct StaticMaker *outer;
} StaticMaker;

/* The cases of syntax (expression.c), so that the files below can call them. */
typedef struct StaticCases {
    Syntax *(*expand)(StaticExpander *x, StaticScope scope, Syntax *syntax);
    Syntax *(*list)(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed);
    Syntax *(*reduce)(StaticExpander *x, StaticScope scope, const Syntax *syntax, bool *failed);
} StaticCases;

struct StaticExpander {
    const StaticCases *cases;
    Context *context;
    Arena *arena;
    const GivenConstants *constants;
    Watch *watch;          /* null: nobody asks for warnings */
    StaticPackage *user;   /* the user's files */
    StaticPackage *module; /* whose file is expanded now */
    StaticNames *pipeline; /* null outside */
    uint32_t next_number, module_numbers;
    const Trie *names; /* local names where text is made now: Symbol -> OutName */
    const StaticInstance *instance;
    const StaticMaker *maker;
    Map packages;                     /* Symbol -> StaticPackage */
    Map schedules;                    /* Symbol -> a list of ScheduleSyntax of that name */
    Map fresh;                        /* stem -> the last number behind it */
    const ReductionSyntaxes *domain;  /* of the recurrence at work */
    size_t depth, steps, used_before; /* `used_before`: of the arena, in bytes */
    bool is_spent;                    /* the budget, or a constant is wrong; reported */
    int loops;                        /* blocks around that are loops */
    NameSyntax loop;                  /* the innermost */
    bool in_block;                    /* of any kind */
    bool defers;                      /* a helper is tried: what is not static is no fault yet */
    bool is_deferred;                 /* and something was not */
    bool all_static;                  /* a const is evaluated, whatever it mentions: in schedules */
    const Syntax *open;               /* what was not static at the last evaluation that said NO */
};

/* ---- value.c ---- */

typedef enum StaticAnswer {
    STATIC_NO,   /* not known at compile time: see `open` */
    STATIC_YES,  /* `*value` */
    STATIC_FAULT /* reported */
} StaticAnswer;

StaticAnswer static_evaluate(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                             StaticValue *value);
/* The type that a static name is; false after reporting. */
bool static_type(StaticExpander *x, StaticScope scope, NameSyntax name, Type *type);
/* The value of a text that must be static; `what` says what it is.  False after reporting, or after
 * noting that the helper at work is deferred. */
bool static_need(StaticExpander *x, StaticScope scope, const Syntax *syntax, const char *what,
                 StaticValue *value);
bool static_need_integer(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                         const char *what, int64_t *value);
bool static_need_bool(StaticExpander *x, StaticScope scope, const Syntax *syntax, const char *what,
                      bool *value);
/* The literal of a value that is no type. */
Syntax *static_literal(StaticExpander *x, const StaticValue *value, Place place);
const char *static_text(StaticExpander *x, const StaticValue *value);
/* Converts to a declared type.  False after reporting that it does not fit. */
bool static_convert(StaticExpander *x, Type type, Place place, StaticValue *value);
/* Reads `4`, `2.5`, `true`, `f32`.  False if it is none of them. */
bool static_read(const char *text, StaticValue *value);
bool static_fault(StaticExpander *x, Place place, const char *why);

/* Lets the scope see all names that are defined so far. Not in an instance: its text sees what stands
 * above the template, and its own names are local. */
void static_see_all(const StaticExpander *expander, StaticScope *scope);
/* ---- names.c ---- */

StaticNames *static_names_create(Arena *arena);
const Meaning *static_find(const StaticExpander *x, StaticScope scope, Symbol name);
/* In which a text of this scope is written. */
const StaticPackage *static_package_of(const StaticExpander *x, StaticScope scope);
/* What a name means, perhaps behind the name of a package: `blur.kernel`.  Null for another text. */
const Meaning *static_named(const StaticExpander *x, StaticScope scope, const Syntax *syntax);
/* The package before the dot of `blur.kernel`; null for another text. */
const StaticPackage *static_qualifier(const StaticExpander *x, StaticScope scope,
                                      const Syntax *syntax);
/* The table that a definition goes to: the pipeline's, or the file's. */
StaticNames *static_names_here(const StaticExpander *x);
/* The nearest template or argument of this name: what else it names is no template. */
const Meaning *static_find_template(const StaticExpander *x, StaticScope scope, Symbol name);
/* A new global name of the pipeline, or of the module outside; `out` is `name` unless that is taken
 * and the definition stands in a block. */
Meaning *static_define(StaticExpander *x, MeaningKind kind, NameSyntax name);
Meaning *static_bind(StaticExpander *x, StaticScope *scope, MeaningKind kind, NameSyntax name);
/* Binds a local name that stays a name; the caller restores x->names. */
Meaning *static_bind_variable(StaticExpander *x, StaticScope *scope, MeaningKind kind,
                              NameSyntax name);
/* A local name of the tree that is made, which no text has written; likewise. */
const OutName *static_bind_out(StaticExpander *x, Symbol name);
/* `stem`, or `stem_2`, ..: no name of the program. */
Symbol static_fresh(StaticExpander *x, const char *stem);
/* Here and now. */
StaticOrigin static_origin(const StaticExpander *x);
/* Returns the text, which was made at `origin`, or null after reporting that one of its names means
 * something else here. */
Syntax *static_move(StaticExpander *x, Syntax *syntax, StaticOrigin origin, Place place);
/* May a global name be written here, or does something hide it?  False after reporting. */
bool static_visible(StaticExpander *x, const Meaning *meaning, Place place);
/* May `g[3].dx` be written here, or does something hide `g`?  False after reporting. */
bool static_visible_path(StaticExpander *x, Symbol name, Place place);

/* ---- path.c ---- */

/* Is the whole text the name of a func or family? */
typedef enum PathAnswer { PATH_NONE, PATH_FUNC, PATH_FAULT } PathAnswer;
PathAnswer static_path(StaticExpander *x, StaticScope scope, const Syntax *syntax, Symbol *name);
/* The name that a definition gives by a path. */
bool static_path_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name);
/* The same where the path may begin with a func: `f.w` for a parameter `f` of a directive. */
bool static_new_name(StaticExpander *x, StaticScope scope, const Syntax *path, Symbol *name);
/* Remembers the families that the items of a loop without rounds would define. */
void static_add_empty(StaticExpander *x, const ItemSyntaxes *items);
/* Enters a name in its families and bundles. */
void static_add_member(StaticExpander *x, Symbol name, Place place);
/* The name in the pipeline of what an item calls `written`, whose first name is `head`; binds the
 * head, if an instance is expanded. */
Symbol static_global_name(StaticExpander *x, Symbol head, Symbol written);
void static_bind_head(StaticExpander *x, StaticScope *scope, NameSyntax head);
/* How many dimensions has the func or image, perhaps with a boundary condition? -1: unknown. */
int static_dimensions(StaticExpander *x, StaticScope scope, const Syntax *syntax);

/* ---- package.c ---- */

/* The package of no name. */
StaticPackage *static_user_files(StaticExpander *x);
/* Begins a file: what it defines goes to its package, which sees what the file imports. */
void static_begin_file(StaticExpander *x, const FileSyntax *file);
/* The package that text of this scope imports; null after reporting that it imports none. */
const StaticPackage *static_package(StaticExpander *x, StaticScope scope, NameSyntax name);
/* A bare name that several packages define; false. */
bool static_refuse_several(StaticExpander *x, StaticScope scope, NameSyntax name);
/* `name` is no `what` ("template") of the package; false. */
bool static_refuse_member(StaticExpander *x, const StaticPackage *package, const char *what,
                          NameSyntax name);
void static_define_command(StaticExpander *x, const TemplateSyntax *command);
/* The directive of one's own that is named, and its package; null: it is none.  `*failed` after
 * reporting. */
const TemplateSyntax *static_find_command(StaticExpander *x, StaticScope scope,
                                          const DirectiveSyntax *directive,
                                          const StaticPackage **package, bool *failed);

/* ---- node.c ---- */

/* Counts a step of work.  False, reported once, when the budget is spent. */
bool static_step(StaticExpander *x, Place place);
/* A step, and a level of recursion, which the caller leaves by `depth--`. */
bool static_enter(StaticExpander *x, Place place);
/* The same for what the user named; the caller restores x->maker, too. */
bool static_enter_maker(StaticExpander *x, StaticMaker *maker);
Syntax *static_node(StaticExpander *x, SyntaxKind kind, Place place);
Syntax *static_name(StaticExpander *x, Symbol name, Place place);
/* Without its children. */
Syntax *static_copy(StaticExpander *x, const Syntax *syntax);
void static_adopt(StaticExpander *x, Syntax *parent, Syntax *child);
/* Null after reporting. */
Syntax *static_expand(StaticExpander *x, StaticScope scope, Syntax *syntax);
/* The elements, as a SYNTAX_LIST, of a text that is a list whose length is known; null without a
 * report if it is none, `*failed` after one. */
Syntax *static_list(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed);
/* Has a written list a comprehension or a spread? */
bool static_is_made(const Syntax *list);

/* ---- macro.c ---- */

/* Expands a sequence, with what it spreads.  False after reporting. */
bool static_expand_all(StaticExpander *x, StaticScope scope, const Syntaxes *list, Syntaxes *out,
                       bool *changed);
/* Does the text name something static, or an argument? */
bool static_mentions(StaticExpander *x, StaticScope scope, const Syntax *syntax);
/* The arm of `c ? a : b` that a static condition chooses. */
StaticAnswer static_choose(StaticExpander *x, StaticScope scope, const Syntax *syntax,
                           Syntax **chosen);
/* The macro that is called, perhaps through an argument; null: none. */
const Meaning *static_macro(StaticExpander *x, StaticScope scope, const Syntax *callee);
/* Null after reporting. */
Syntax *static_call_macro(StaticExpander *x, StaticScope scope, const Meaning *macro,
                          const Syntax *call);
/* A let that was written as a table stays one, and `t[i]` a look-up in it. */
bool static_is_table(StaticExpander *x, StaticScope scope, const Syntax *syntax);

/* ---- list.c ---- */

Syntax *static_list_kind(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed);
/* Expands `[..]`. */
Syntax *static_expand_list(StaticExpander *x, StaticScope scope, Syntax *syntax);
/* `list[k]`; null without a report if it is none. */
Syntax *static_element(StaticExpander *x, StaticScope scope, const Syntax *syntax, bool *failed);
/* `len(v)`, `sum(v)`, `min(v)`: likewise. */
Syntax *static_fold(StaticExpander *x, StaticScope scope, const Syntax *call, bool *failed);
/* The values that a range counts through. */
typedef struct StaticRange {
    int64_t first, last, step;
    Syntax *list; /* null: numbers */
    StaticOrigin origin;
    size_t count;
} StaticRange;
bool static_range(StaticExpander *x, StaticScope scope, const RangeSyntax *range,
                  StaticRange *result);
/* Binds the range's variable to value `i`. */
void static_bind_round(StaticExpander *x, StaticScope *scope, const RangeSyntax *range,
                       const StaticRange *values, size_t i);

/* ---- expression.c ---- */

extern const StaticCases static_cases;

typedef void ExpandItem(StaticExpander *x, StaticScope *scope, const ItemSyntax *item,
                        ItemSyntaxes *out);

/* ---- item.c ---- */

void static_define_let(StaticExpander *x, StaticScope *scope, const LetSyntax *let, bool is_local,
                       ItemSyntaxes *out);
void static_item(StaticExpander *x, StaticScope *scope, const ItemSyntax *item, ItemSyntaxes *out);

/* ---- template.c ---- */

/* Binds the arguments of what is called `name`.  False after reporting. */
bool static_bind_formals(StaticExpander *x, StaticScope caller, NameSyntax name,
                         const FormalSyntaxes *formals, const ArgumentSyntaxes *arguments,
                         StaticScope *inner);
/* Expands an instance: each item by `expand`. */
void static_instance(StaticExpander *x, StaticScope *scope, const InstanceSyntax *instance,
                     ExpandItem *expand, ItemSyntaxes *out);
void static_define_template(StaticExpander *x, StaticScope *scope, const TemplateSyntax *template);
/* Enters what made the text at work; the caller restores context->use. */
void static_enter_use(StaticExpander *x, Place place, const char *text);

/* ---- block.c ---- */

/* Expands the chosen items, or those of each round, by `expand`. */
void static_block(StaticExpander *x, StaticScope *scope, const BlockSyntax *block,
                  ExpandItem *expand, ItemSyntaxes *out);

/* ---- schedule.c ---- */

/* Null where a parameter has no default: such a schedule can be extended only. */
ScheduleSyntax *static_schedule(StaticExpander *x, const ScheduleSyntax *written);
/* Remembers a schedule for those that extend it. */
void static_add_schedule(StaticExpander *x, const ScheduleSyntax *written);

#endif
