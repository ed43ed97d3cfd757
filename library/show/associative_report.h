/* associative_report.h -- what was found out about an operator, in words. */
#ifndef HLC_LIBRARY_ASSOCIATIVE_REPORT_H
#define HLC_LIBRARY_ASSOCIATIVE_REPORT_H

#include "associative/associative.h"

#include <stdio.h>

/* On one line, without its end: the verdict, then identity, commutative or not, and the entries
 * that it is made of; or three values that show that it is not associative; or why it is not known.
 */
void associative_line(FILE *out, Arena *arena, const Associativity *found);
/* A line for each element, where it is associative: what becomes of x.i, and what y.i is in one
 * iteration. */
void associative_elements(FILE *out, Arena *arena, const Associativity *found);

#endif
