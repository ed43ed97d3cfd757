/* print.h -- the one text form of expressions and target programs; read.h reads it back.
 *
 * docs/text-form.md has the grammar: Figure 7's words, one statement a line, bodies indented by two
 * spaces.  Types stand on leaves and casts.  An integer literal without a type is of sort index;
 * others are written `3:u8`, `1.5:f32`, `true`.  An expression that a statement uses twice, and
 * that is larger than 8 nodes, is printed once as `%n = ..` on a line before it.
 */
#ifndef HLC_IR_PRINT_H
#define HLC_IR_PRINT_H

#include "ir/stmt.h"

#include <stdio.h>

/* The expression on one line, as a tree (the caller knows that it is small), e.g. `min(x, 3) + 1`.
 */
char *expr_text(Arena *arena, Expr expr);
/* The same without the types of constants: `x + 1`, which expr_read takes for `x + 1:u8` where x is
 * a u8, but not everywhere. */
char *expr_text_plain(Arena *arena, Expr expr);
/* The first or, where `plain`, the second, with `variable` to the left: `x + (y - z)`, `x >= y` for
 * what is the node `y <= x`.  It is read back as the same expression. */
char *expr_text_toward(Arena *arena, Expr expr, Symbol variable, bool plain);
/* The plain text for people, who write `x - 1` for `x + -1`, `-x` for `x*-1`, `w` for `index(w)`,
 * `1` for `1:i32`; not to be read back.
 */
char *expr_formula(Arena *arena, Expr expr);
/* The same with `variable` to the left, as in expr_text_toward, and the fields of buffers as the
 * source has them: `out.extent(0) >= 8`. */
char *expr_words(Arena *arena, Expr expr, Symbol variable);
void expr_print(FILE *out, Expr expr);
void program_print(FILE *out, const Program *program);
char *program_text(Arena *arena, const Program *program);
/* The statement's own line, without its bodies: for messages. */
char *stmt_text(Arena *arena, const Program *program, const Stmt *stmt);

#endif
