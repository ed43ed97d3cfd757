/* read.h -- reads the text form back (print.h). */
#ifndef HLC_IR_READ_H
#define HLC_IR_READ_H

#include "ir/stmt.h"

/* How free names get their type.  Returns false for an unknown name. */
typedef bool NameType(void *data, Symbol name, Type *type);

/* One expression.  Free names ask `name_type` (null: all are of sort index).  `x > y` is read as
 * `y < x`; `clamp(x, a, b)` as `max(min(x, b), a)`.  Unlike in programs, a literal without a type
 * takes that of the other operands: `x + 1` where x is a u8.  A fault is reported at `place`'s file
 * and line; the result is then null. */
Expr expr_read(Pool *pool, const char *text, size_t length, NameType *name_type, void *data,
               Place place);

/* The literal `expr` (or a select of such) of sort index as a value of `type`; null where it is
 * another expression, or the type has no such value. */
Expr expr_adapt(Pool *pool, Expr expr, Type type);

/* A whole program, with the signature that its header states.  Null after reporting. */
Program *program_read(Pool *pool, Arena *arena, uint32_t file);

#endif
