/* read.h -- reads the text form back (print.h). */
#ifndef HLC_IR_READ_H
#define HLC_IR_READ_H

#include "ir/stmt.h"

/* Finds the type of a free name. Returns false for an unknown name. */
typedef bool NameType(void *data, Symbol name, Type *type);

/* Reads one expression. `name_type` gives the types of free names (null: all are of sort index). `x
 * > y` is read as `y < x`; `clamp(x, a, b)` as `max(min(x, b), a)`. Unlike in programs, a literal
 * without a type takes that of the other operands: `x + 1` with x a u8. A fault is reported at
 * `place`'s file and line; the result is then null. */
Expr expr_read(Pool *pool, const char *text, size_t length, NameType *name_type, void *data,
               Place place);

/* Converts the literal `expr` (or a select of literals) of sort index to `type`. Null for another
 * expression, or if the type has no such value. */
Expr expr_adapt(Pool *pool, Expr expr, Type type);

/* Reads a whole program, with the signature in its header. Null after reporting. */
Program *program_read(Pool *pool, Arena *arena, uint32_t file);

#endif
