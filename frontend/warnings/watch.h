/* watch.h -- what the front end notes while it reads a program, for warnings about it.
 *
 *   watch.c    definitions and uses of names; places of sums in narrow types
 *   unused.c   names that nothing uses
 *   values.c   sums in narrow types that wrap before they are divided or widened, divisions by zero
 *
 * A watch exists only if somebody asks for warnings (Context.asks_warnings). Names are told apart by
 * the place of their definition: a let of a template has one place, however many instances there
 * are, and is used if one of them uses it. Only names of the file that was loaded are watched: what
 * an imported file defines may be for others.
 */
#ifndef HLC_FRONTEND_WARNINGS_WATCH_H
#define HLC_FRONTEND_WARNINGS_WATCH_H

#include "frontend/ast.h"
#include "ir/algorithm.h"
#include "simplify/simplify.h"

typedef struct Watched {
    const char *kind; /* "let", "func", .. */
    NameSyntax name;
    const Map *uses; /* of the kind: places */
} Watched;

/* The author's place of a sum, difference or product in a narrow type, or of a division by zero. */
typedef struct WatchedOperation {
    Place place;
    const Use *use;
} WatchedOperation;

typedef struct Watch {
    Context *context;
    Arena *arena;
    uint32_t file;     /* the one that was loaded */
    Map defined, used; /* places of definitions; of those that a text names */
    Map needed;        /* places of the funcs that outputs need */
    Vec(Watched) names;
    bool chooses;   /* the values of constants left something out: what is unused there may be used
                     with other values */
    Map operations; /* Expr -> const WatchedOperation */
} Watch;

Watch *watch_create(Context *context, Arena *arena, uint32_t file);
/* In all functions below the watch may be null. */
void watch_define(Watch *watch, const char *kind, NameSyntax name);
void watch_use(Watch *watch, Place definition);
/* A func that the user wrote: it is used only if an output needs it. */
void watch_func(Watch *watch, Symbol name, Place definition, bool is_needed);
/* The values of constants leave a text out. */
void watch_choice(Watch *watch);
/* Notes the place of an operation, if it may wrap in a narrow type or divides by zero. */
void watch_operation(Watch *watch, Expr expr, Place place);
/* Is it an integer divided by the constant 0? */
bool watch_is_by_zero(Expr expr);

bool watch_is_used(const Watched *watched);

/* ---- unused.c ---- */

/* Names of the file that nothing uses. */
void warn_of_unused(const Watch *watch);

/* ---- values.c ---- */

/* Sums of wider types seldom leave them: nobody is warned of these. */
enum { WATCHED_BITS = 16 };
void warn_of_values(Watch *watch, const Pipeline *pipeline);
/* The interval of each component of a func's values, from the types of images, the ranges of parameters
 * and the operators on integers. Floats are not known. */
const ConstantInterval *ranges_of_values(const Pipeline *pipeline, const Func *func, Arena *arena);

#endif
