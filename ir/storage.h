/* storage.h -- where the memory of a func lies, for the code and for who tells of it.
 *
 * An allocation lies on the stack where its form says that it is small: its lengths are constants,
 * or at most constants, as min(n - x, 32) is.  A thread that runs a
 * parallel loop may have little of it: a pool of the host's, or GLib's threads under a C library
 * that gives 128 KiB.  On it stand the functions of at most a few loops, nested, so each takes a
 * little. */
#ifndef HLC_IR_STORAGE_H
#define HLC_IR_STORAGE_H

#include "ir/expr.h"

/* Bytes: of one component of a func, and of all that one function keeps there (the pipeline's, or
 * that of a parallel loop's body). */
enum { LARGEST_ON_STACK = 8192, STACK_OF_FUNCTION = 16384 };

/* The length of a dimension on the stack, which is no less than the expression whatever its
 * variables are; -1 where there is none, or none so small. */
int64_t storage_longest(Expr length);

#endif
