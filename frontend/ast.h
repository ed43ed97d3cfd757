/* ast.h -- the syntax tree of .hl files: the source and its places, with no name resolved.
 *
 * The parser makes it.  It may hold compile-time constructs: blocks, families, comprehensions,
 * const parameters.  static/ expands them.  The fields marked "expanded" are filled then, and the
 * elaborator reads only these and those that are marked by nothing.  Fields marked "written" are
 * for the expansion alone.
 *
 * All nodes live in one arena. Every node that a message may point at has a place. A node's `depth`
 * bounds the recursion that walks it: the parser refuses a tree deeper than Context.limits.nesting.
 * A left-nested chain of infix operators (a + b + c + ..) counts once, because every walk follows
 * the left spine in a loop.
 */
#ifndef HLC_FRONTEND_AST_H
#define HLC_FRONTEND_AST_H

#include "base/context.h"
#include "ir/ops.h"

typedef enum SyntaxKind {
    SYNTAX_INTEGER,   /* `integer` */
    SYNTAX_FLOAT,     /* `text`, a decimal number with a point or an exponent */
    SYNTAX_BOOL,      /* `integer` is 0 or 1 */
    SYNTAX_NAME,      /* `name` */
    SYNTAX_OPERATOR,  /* `op` applied to the children; infix and prefix operators only */
    SYNTAX_CALL,      /* calls children[0] with the others as arguments */
    SYNTAX_CONVERT,   /* converts children[0] to `type` by `op` */
    SYNTAX_MEMBER,    /* children[0] . `name` */
    SYNTAX_COMPONENT, /* children[0] . `integer` */
    SYNTAX_SUBSCRIPT, /* children[0] [ children[1] ] */
    SYNTAX_TUPLE,     /* { children } */
    SYNTAX_LIST,      /* [ children ] */
    SYNTAX_INTERVAL,  /* ( children[0], children[1] ) */
    SYNTAX_LOOP,      /* < children >, in schedules */
    SYNTAX_REDUCE,    /* `name`(variables) children[0] */
    SYNTAX_EXTERN,    /* extern "name"(children) */
    SYNTAX_RANGE,     /* children[0] .. children[1], in a call */
    /* Written: the expansion leaves none of these. */
    SYNTAX_SUFFIX,       /* children[0] with `name` (`_sum`) behind it: a func of the compiler's */
    SYNTAX_SPREAD,       /* ..children[0], among the elements of a list, a tuple or a call */
    SYNTAX_COMPREHENSION /* an element of a list: see ComprehensionSyntax */
} SyntaxKind;

typedef struct Syntax Syntax;
typedef Vec(Syntax *) Syntaxes;

/* A name with its place. */
typedef struct NameSyntax {
    Symbol name;
    Place place;
} NameSyntax;
typedef Vec(NameSyntax) NameSyntaxes;

/* `name in first..last by step`, or `name in first`, a list, with `last` null. */
typedef struct RangeSyntax {
    NameSyntax variable;
    Syntax *first, *last, *step; /* step may be null */
} RangeSyntax;

/* `element for a in .. for b in .. if condition`: the last range is the innermost loop. */
typedef struct ComprehensionSyntax {
    Vec(RangeSyntax) ranges; /* may be empty */
    Syntax *condition;       /* may be null */
} ComprehensionSyntax;

/* `variable = (minimum, length)` in an rdom; `variable in (minimum, length)` in an inline
 * reduction. */
typedef struct ReductionSyntax {
    NameSyntax variable;
    Syntax *minimum, *length;
} ReductionSyntax;
typedef Vec(ReductionSyntax) ReductionSyntaxes;

struct Syntax {
    SyntaxKind kind;
    Place place;
    uint32_t depth;
    Op op;
    Type type;
    uint64_t integer;
    const char *text;
    Symbol name; /* written, of a CONVERT: the static name of the type; null: `type` */
    Syntaxes children;
    ReductionSyntaxes variables;
    ComprehensionSyntax *comprehension;
};

/* `let name(parameters) = value;` or `const name = value;`. A let without parameters names its
 * value; with parameters it is a helper function. Each use expands them. */
typedef struct LetSyntax {
    NameSyntax name;
    bool is_constant;
    bool has_type; /* false for helpers */
    Type type;
    NameSyntax type_name; /* written: the static name of the type; null: `type` */
    NameSyntaxes parameters;
    Syntax *value;
} LetSyntax;
typedef Vec(LetSyntax *) LetSyntaxes;

/* Stage 0 has only a value. If `has_indices` is false, the indices are the pure variables. */
/* `(indices) <- value`, behind the first write of an update. */
typedef struct WriteSyntax {
    Place place;
    Syntaxes indices;
    Syntax *value;
} WriteSyntax;

typedef struct StageSyntax {
    Place place;
    LetSyntaxes lets; /* the lets between the previous stage and this one */
    ReductionSyntaxes reduction;
    bool has_indices;
    Syntaxes indices;
    Syntax *value, *predicate;
    Vec(WriteSyntax) more; /* the other writes of each iteration */
} StageSyntax;

typedef struct ItemSyntax ItemSyntax;
typedef Vec(ItemSyntax) ItemSyntaxes;

typedef struct FunSyntax {
    NameSyntax name; /* written: the first name of `path`, if there is one */
    Syntax *path;    /* written: `g[k]`, `g[k].dx`; null: a plain name */
    NameSyntaxes variables;
    bool spreads_last; /* written: the last variable is `..c`, of a template's formal */
    bool has_types, has_body;
    bool is_broken;            /* it has a reported fault: stages may be missing */
    Vec(Type) types;           /* declared; one a component */
    NameSyntaxes type_names;   /* written: the static names of types; null: as in `types` */
    ItemSyntaxes body;         /* written: stages, lets and blocks */
    Vec(StageSyntax *) stages; /* expanded */
    const Use *use;            /* expanded */
} FunSyntax;

/* `recurrence (i = (minimum, length); ..) { fun .. }` */
typedef struct RecurrenceSyntax {
    Place place;
    ReductionSyntaxes domain;
    ItemSyntaxes items;    /* written: funs and blocks */
    Vec(FunSyntax *) funs; /* expanded */
} RecurrenceSyntax;

/* `for variable in first..last { items }`, or `if condition { items } else { otherwise }`. */
typedef struct BlockSyntax {
    Place place;
    bool is_loop;
    RangeSyntax range;
    Syntax *condition;
    ItemSyntaxes items, otherwise;
} BlockSyntax;

typedef struct RequireSyntax {
    Place place;
    Syntax *condition;
    const char *message;
} RequireSyntax;

/* `name: type = default in lower..upper`, or `name: image<type, dimensions, layout>`. */
typedef struct ParameterSyntax {
    NameSyntax name;
    Type type;
    NameSyntax type_name; /* written: the static name of the type; null: `type` */
    bool is_image;
    uint64_t dimensions;
    Syntax *static_dimensions; /* written: null: `dimensions` */
    Place dimensions_place;
    int layout; /* Layout */
    Syntax *default_value, *lower, *upper;
    /* Written: `const name: type = default in {choices}`. */
    bool is_constant, has_type, is_type;
    NameSyntaxes choices;
} ParameterSyntax;

typedef struct DirectiveSyntax {
    NameSyntax package; /* written: in which the directive is; null: it is named bare */
    NameSyntax name;    /* `compute-at` is one name */
    Syntaxes arguments;
    NameSyntaxes argument_names; /* written: of `v = 8`; null: by position */
    const Use *use;              /* expanded */
} DirectiveSyntax;

/* A parameter of a template, a schedule or a directive of the user's: `n = 8`, `f(_, _, ..c)`. */
typedef struct FormalSyntax {
    NameSyntax name;
    Syntax *default_value; /* may be null */
    bool has_pattern;
    int blanks;      /* the dimensions that are not named */
    NameSyntax rest; /* names the others; null: there are none */
} FormalSyntax;
typedef Vec(FormalSyntax) FormalSyntaxes;

/* `name = value` or `value`, with a null name */
typedef struct ArgumentSyntax {
    NameSyntax name;
    Syntax *value;
} ArgumentSyntax;
typedef Vec(ArgumentSyntax) ArgumentSyntaxes;

/* `fun path = template(arguments);` */
typedef struct InstanceSyntax {
    NameSyntax name;    /* the first of the path */
    Syntax *path;       /* null: a plain name */
    NameSyntax package; /* in which the template is; null: it is named bare */
    NameSyntax template;
    ArgumentSyntaxes arguments;
} InstanceSyntax;

typedef enum ItemKind {
    ITEM_LET,
    ITEM_FUN,
    ITEM_RECURRENCE,
    ITEM_REQUIRE,
    /* Written: the expansion leaves none of these. */
    ITEM_STAGE,
    ITEM_DIRECTIVE,
    ITEM_BLOCK,
    ITEM_INSTANCE,
    ITEM_TEMPLATE
} ItemKind;
struct ItemSyntax {
    ItemKind kind;
    union {
        LetSyntax *let;
        FunSyntax *fun;
        RecurrenceSyntax *recurrence;
        RequireSyntax *require;
        StageSyntax *stage;
        DirectiveSyntax *directive;
        BlockSyntax *block;
        InstanceSyntax *instance;
        struct TemplateSyntax *template;
    };
    const Use *use; /* expanded: the rounds and instances that made it */
};

/* `template name(formals) { items }`, or `directive name(formals) { lines }` */
typedef struct TemplateSyntax {
    NameSyntax name;
    FormalSyntaxes formals;
    ItemSyntaxes items;
} TemplateSyntax;

/* `name(extents): layout in image` */
typedef struct OutputSyntax {
    NameSyntax name;
    Syntax *path; /* written: null: a plain name */
    bool has_size;
    Place size_place;
    Syntaxes size; /* intervals, or the length of one that begins at 0 */
    int layout;    /* Layout; planar by default */
    Place layout_place;
    NameSyntax image; /* whose memory the output may share; the name is null without one */
} OutputSyntax;

/* A const parameter and its value, as `hlc` takes it: `3`, `true`, `f32`. */
typedef struct ConstantSyntax {
    NameSyntax name;
    const char *value;
} ConstantSyntax;

typedef struct PipelineSyntax {
    NameSyntax name;
    Vec(ParameterSyntax) parameters;
    Vec(ConstantSyntax) constants; /* expanded: the const parameters that there were */
    Vec(OutputSyntax) outputs;
    bool contraction, reassociation;
    ItemSyntaxes items;
    bool lacks_items; /* of which faults are reported */
} PipelineSyntax;

typedef struct ScheduleSyntax {
    NameSyntax name, pipeline;
    FormalSyntaxes formals;          /* written */
    NameSyntax base;                 /* written: the schedule that it extends; null: none */
    ArgumentSyntaxes base_arguments; /* written */
    ItemSyntaxes items;              /* written: directives, consts and blocks */
    Vec(DirectiveSyntax) directives; /* expanded */
} ScheduleSyntax;

/* `import "path";` or `import name;`, a package of the library. */
typedef struct ImportSyntax {
    const char *path; /* null: `package` */
    Symbol package;
    Place place;
} ImportSyntax;

typedef struct FileSyntax {
    Symbol package; /* null: a file of the user's */
    Vec(ImportSyntax) imports;
    LetSyntaxes lets;
    Vec(PipelineSyntax *) pipelines;
    Vec(ScheduleSyntax *) schedules;
    Vec(const ScheduleSyntax *) bases;         /* expanded: schedules that can only be extended */
    Vec(TemplateSyntax *) templates, commands; /* written; commands: directives of the user's */
} FileSyntax;

/* Is it `sum`, `product`, `minimum`, `maximum`, `argmin` or `argmax`? */
bool syntax_is_reduction(const char *name);
/* Returns the word of this language for a word of others (`float`, `clamp_edge`), or null. */
const char *syntax_own_word(const char *word);

/* Parses a registered file. Reports faults, and returns the readable part; never null. */
FileSyntax *parse_file(Context *context, Arena *arena, uint32_t file);

/* Parses a registered file that is `schedule(arguments)`: a schedule without a pipeline, which
 * extends that one. Null after reporting. */
ScheduleSyntax *parse_schedule_use(Context *context, Arena *arena, uint32_t file);

/* Parses a registered file that is one expression; null after reporting. */
Syntax *parse_single_expression(Context *context, Arena *arena, uint32_t file);

#endif
