/* source.h -- an algorithm as a text of the language: the inverse of the front end.
 *
 * The front end has expanded lets, helpers, boundary conditions and inline reductions; the text has
 * what they became. Reading it gives the same algorithm, node by node: same.c compares it, so a
 * fault of this printer is a refusal and never another value.
 *
 *   source_names.c        what things are called
 *   source_expression.c   expressions
 *   source.c              stages, funcs, the pipeline
 *   same.c                compares an algorithm with what its text was read as
 */
#ifndef HLC_LIBRARY_SPLIT_SOURCE_H
#define HLC_LIBRARY_SPLIT_SOURCE_H

#include "ir/algorithm.h"

typedef struct SourceText {
    Arena *arena;
    const Pipeline *pipeline;
    Vec(char) text;
    Map names;         /* Symbol -> what it is called in the text */
    Map taken;         /* Symbol of a text -> itself */
    Map lets;          /* Expr of the stage at work -> `let3(x, r)` */
    int let_count;     /* of the text so far */
    const char *fault; /* what cannot be written, as a clause; null: nothing so far */
} SourceText;

/* Appends to the text. */
void source_put(SourceText *source, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool source_is_identifier(const char *text);
/* Returns a name that is not taken: `stem`, `stem_2`, ..; then it is. */
const char *source_free_name(SourceText *source, const char *stem);
/* Returns what a name of the algorithm is called in the text: an identifier. */
const char *source_name(SourceText *source, Symbol name);
/* Writes an expression of a value or index position. */
void source_expression(SourceText *source, Expr expr);
/* The same where a constant takes its type from around. */
void source_plain(SourceText *source, Expr expr);

/* Writes the pipeline without its schedules and options; `source` is empty but for the arena and the
 * pipeline. Null with a fault. All its funcs are written, and all its inputs. */
const char *source_pipeline(SourceText *source);

/* Is `read` the algorithm that was written? `source` is what wrote it. */
bool source_is_same(SourceText *source, const Pipeline *read);

#endif
