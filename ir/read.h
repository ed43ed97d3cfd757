/* read.h -- reads the text form back (print.h). */
#ifndef HLC_IR_READ_H
#define HLC_IR_READ_H

#include "ir/stmt.h"

/* Finds the type of a free name. Returns false for an unknown name. */
typedef bool NameType(void *data, Symbol name, Type *type);

/* Reads one expression. `name_type` gives the types of free names (null: all have sort index). It
 * reads `x > y` as `y < x`, and `clamp(x, a, b)` as `max(min(x, b), a)`. Unlike in programs, a
 * literal without a type takes that of the other operands: `x + 1` with x a u8. It reports a fault
 * at `place`'s file and line, and returns null. */
Expr expr_read(Pool *pool, const char *text, size_t length, NameType *name_type, void *data,
               Place place);

/* Converts the literal `expr` (or a select of literals) from sort index to `type`. Returns null for
 * another expression, or if the type lacks the value. */
Expr expr_adapt(Pool *pool, Expr expr, Type type);

/* Reads a whole program, with the signature in its header. Returns null after reporting. */
Program *program_read(Pool *pool, Arena *arena, uint32_t file);

#endif
