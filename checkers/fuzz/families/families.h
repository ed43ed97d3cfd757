/* families.h -- random programs of the compile-time layer, each written twice: with families, loops,
 * templates and lists, and flat, as a program of plain funcs that means the same.
 *
 * Both texts are drawn in one walk.  The walk runs the static part while it draws it: a loop's body
 * is drawn once for each round, from the same random numbers, and printed once.  So the flat text
 * never passes through the expansion that it checks.  No draw may depend on a value, only on the
 * names in scope. */
#ifndef HLC_CHECKERS_FUZZ_FAMILIES_FAMILIES_H
#define HLC_CHECKERS_FUZZ_FAMILIES_FAMILIES_H

#include "base/vec.h"
#include "checkers/fuzz/oracle.h"
#include "checkers/fuzz/random.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FAMILY_CONSTANTS = 3, FAMILY_DIMENSIONS = 3, FAMILY_FORMALS = 5 };

/* A text in both forms. */
typedef struct Pair {
    const char *written, *flat;
} Pair;
typedef Vec(Pair) Pairs;
typedef Vec(const char *) Names;

typedef enum EntityKind {
    ENTITY_NUMBER,   /* known at compile time */
    ENTITY_VALUE,    /* a let, an argument */
    ENTITY_VARIABLE, /* pure or of a reduction: a coordinate */
    ENTITY_LIST,
    ENTITY_FUNC, /* or an image with its boundary condition */
    ENTITY_FAMILY,
    ENTITY_HELPER,
    ENTITY_OPERATOR, /* min or max, by a formal's name */
    ENTITY_TEMPLATE,
    ENTITY_OTHER /* a name that is nothing to read */
} EntityKind;

typedef struct Entity Entity;
typedef struct Scope Scope;
typedef Vec(Entity *) Entities;

/* What a name means.  Where the walk is dead, the values are none. */
struct Entity {
    EntityKind kind;
    const char *name;
    const Entity *needs[2]; /* a func behind a path: these must be visible */
    Pair path;              /* of such a func, or of a family */
    const char *suffix;     /* of a family: `.d` behind the index */
    const char *flat;       /* of a value, variable, func, operator; of a number that is text */
    int64_t number;
    bool is_static;      /* a number that is no text */
    bool is_size;        /* .. and is 0 .. 3: of families */
    int dimensions;      /* of a func; before the rest */
    const Entity *limit; /* of a family: its last index */
    const Entity *inner; /* .. and of its second index, or null */
    Pairs elements;      /* of a list */
    uint64_t seed;       /* of a helper's or template's text */
    const Scope *scope;
    EntityKind formals[FAMILY_FORMALS];
    int formal_count;
    bool has_rest;       /* of a func, and of a template whose first formal is `f(_, _, ..c)` */
    const char *rest;    /* .. `c` */
    Entities parameters; /* of a helper or template */
    Entities members;    /* of a template: what an instance defines */
    bool is_recursive;   /* it counts its second formal down */
};

struct Scope {
    const char *name;
    Entity *entity; /* null: the name means what the walk does not know */
    const Scope *outer;
};

/* A func, or the members 1 .. limit of a family, that a schedule may name. */
typedef struct FamilyTarget {
    const char *written; /* its name, or the family's */
    const char *suffix;  /* behind the index */
    const char *limit;   /* of a family's loop; null for a func */
    int64_t last;
    const char *variables[2], *flat_variables[2];
    bool is_pure;
} FamilyTarget;

typedef struct Writer {
    Arena *arena;
    RandomSource random;
    FILE *written, *flat;
    bool live;   /* the text at work is executed */
    bool prints; /* .. and is printed in the written form */
    bool in_fun, in_body;
    int in_helper;
    bool renames; /* flat variables have names of their own: nothing can capture a name */
    int loops;
    int indent;
    int pool; /* how many names there are: fewer are nastier */
    const Scope *scope;
    Names used;         /* names of the level at work */
    Names fixed;        /* of parameters: no variable has them */
    Names bound;        /* flat names of variables around */
    const char *prefix; /* the flat name of the instance at work */
    Vec(FamilyTarget) targets;
    int renamed;      /* what may make another lowered text: the values are still the same */
    size_t flat_size; /* of what is printed; too much ends the program */
    const char *rest_written, *rest_flat; /* `, ..c` in a template of any number of dimensions */
    int rest_count;
} Writer;

typedef struct FamilyProgram {
    const char *written, *flat;
    const char *constants[FAMILY_CONSTANTS], *values[FAMILY_CONSTANTS];
    int constant_count;
    int renamed;
    bool is_large;
} FamilyProgram;

/* ---- names.c ---- */

Entity *family_entity(Writer *w, EntityKind kind, const char *name);
void family_push(Writer *w, const char *name, Entity *entity);
bool family_is_known(const Writer *w, const char *name);
bool family_is_visible(const Writer *w, const Entity *entity);
/* A visible entity of this kind and, if not 0, of so many dimensions; null if there is none. */
Entity *family_pick(Writer *w, EntityKind kind, int dimensions);
/* A name that the level at work does not have. */
const char *family_new_name(Writer *w);
/* Any name but those of parameters, and but these. */
const char *family_any_name(Writer *w);
const char *family_other_name(Writer *w, const char *const *names, size_t count);
/* Ends a block that began at `outer`: what it defined is no more known. */
void family_leave_block(Writer *w, const Scope *outer);
/* The same format for both forms: each `@` is a Pair. */
Pair family_pair(Writer *w, const char *format, ...);
void family_print(Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void family_print_flat(Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- expression.c ---- */

typedef struct StaticPair {
    Pair text;
    int64_t value;
    bool is_static; /* it mentions a static name */
} StaticPair;

StaticPair family_number(Writer *w, int depth);
/* A condition that mentions a static name; false if there is none. */
bool family_condition(Writer *w, StaticPair *condition);
Pair family_value(Writer *w, int depth);
/* The text of `[..]`, and its elements. */
const char *family_list(Writer *w, int depth, Pairs *elements);
/* A func of so many dimensions by its path; false if there is none. */
bool family_func(Writer *w, int dimensions, Pair *path);
Pair family_call(Writer *w, Pair func, int dimensions);
/* The text of a helper with these arguments. */
Pair family_helper_text(Writer *w, const Entity *helper, Entity **arguments);

/* ---- item.c ---- */

/* What may stand in a template, too. */
void family_plain_item(Writer *w);
/* A family. */
void family_several(Writer *w);
void family_file_item(Writer *w);
void family_fun(Writer *w, const char *path, const char *flat, int dimensions, bool may_update,
                Pair *variables, bool *is_pure);

/* The text at work, drawn once for each round and printed once. */
typedef struct Replay {
    uint64_t state;
    size_t used;
    bool live, prints;
    const Scope *outer;
    int64_t count;
    bool is_loop;
} Replay;

/* Of an arm or a loop: in a loop, names of the round before are seen. */
Replay family_begin(Writer *w, int64_t count, bool is_loop);
/* Begins round i; false after the last. */
bool family_round(Writer *w, const Replay *replay, int64_t i);
void family_end(Writer *w, const Replay *replay);
/* A static name that is 0 .. 3; null if none is visible. */
const Entity *family_size(Writer *w);
void family_target(Writer *w, const char *written, const char *suffix, const Entity *limit,
                   const Pair *variables, bool is_pure);
/* Enters the funcs that have a family's name. */
Entity *family_push_family(Writer *w, const char *name, const char *flat, const Entity *limit,
                           int dimensions);

/* ---- template.c ---- */

void family_template(Writer *w);
/* An instance; false if no template or argument is visible. */
bool family_instance(Writer *w);

/* ---- schedule.c ---- */

void family_commands(Writer *w);
void family_schedules(Writer *w);

/* ---- draw.c, trial.c ---- */

/* The values of its constants: ` n=3 k=2`. */
const char *family_arguments(Arena *arena, const FamilyProgram *program);
/* `renames`: the flat form has other names of variables, so that none of its names is captured. */
void family_draw(Arena *arena, uint64_t seed, bool renames, FamilyProgram *program);
/* Draws the program of the seed and compares all its forms and runs. */
void family_run(Arena *arena, uint64_t seed, OracleExtent extent, ProgramResult *result);

#endif
