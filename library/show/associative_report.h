/* associative_report.h -- prints the analysis of an operator. */
#ifndef HLC_LIBRARY_SHOW_ASSOCIATIVE_REPORT_H
#define HLC_LIBRARY_SHOW_ASSOCIATIVE_REPORT_H

#include "associative/associative.h"

#include <stdio.h>

/* Prints the verdict on one line, without the line break. It continues with identity, commutativity
 * and table entries; or with three values that refute associativity; or with the reason why it is
 * unknown. */
void associative_line(FILE *out, Arena *arena, const Associativity *found);
/* Prints a line for each component of an associative operator: the new x.i, and y.i in one
 * iteration. */
void associative_elements(FILE *out, Arena *arena, const Associativity *found);

#endif
