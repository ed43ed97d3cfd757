/* print.h -- the one text form of expressions and target programs; read.h reads it back.
 *
 * docs/text-form.md has the grammar: Figure 7's words, one statement per line, bodies indented by
 * two spaces. Leaves and casts carry types. An integer literal without a type has sort index;
 * others are written `3:u8`, `1.5:f32`, `true`. An expression that a statement uses twice, and that
 * is larger than 8 nodes, is printed once, as `%n = ..` on a line before it.
 */
#ifndef HLC_IR_PRINT_H
#define HLC_IR_PRINT_H

#include "ir/stmt.h"

#include <stdio.h>

/* Prints a small expression on one line, as a tree, e.g. `min(x, 3) + 1`. The caller ensures that
 * it is small. */
char *expr_text(Arena *arena, Expr expr);
/* Prints like expr_text, but omits the types of constants: `x + 1`. expr_read reads this as `x +
 * 1:u8` if x is a u8; other contexts need the type. */
char *expr_text_plain(Arena *arena, Expr expr);
/* Prints like expr_text (or expr_text_plain, with `plain`), with `variable` on the left: `x + (y -
 * z)`, or `x >= y` for the node `y <= x`. It reads back as the same expression. */
char *expr_text_toward(Arena *arena, Expr expr, Symbol variable, bool plain);
/* Prints for people: `x - 1` for `x + -1`, `-x` for `x*-1`, `w` for `index(w)`, `1` for `1:i32`.
 * The text does not read back. */
char *expr_formula(Arena *arena, Expr expr);
/* Prints like expr_formula, with `variable` on the left and buffer fields in source syntax:
 * `out.extent(0) >= 8`. */
char *expr_words(Arena *arena, Expr expr, Symbol variable);
void expr_print(FILE *out, Expr expr);
void program_print(FILE *out, const Program *program);
char *program_text(Arena *arena, const Program *program);
/* Prints the statement's own line, without its bodies, for messages. */
char *stmt_text(Arena *arena, const Program *program, const Stmt *stmt);

#endif
