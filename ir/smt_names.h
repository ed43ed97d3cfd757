/* smt_names.h -- SMT-LIB's names of the operators, in each theory that Z3 is asked about.  One
 * table serves formulas (ir/smt.h), rules (tools/rulec/theory.h) and operators (tools/operators/operator_proofs.h).
 * Each of them defines the operators that a theory lacks. */
#ifndef HLC_IR_SMT_NAMES_H
#define HLC_IR_SMT_NAMES_H

#include "ir/ops.h"
#include "ir/type.h"

typedef enum SmtTheory {
    SMT_ANY,      /* a sort of which nothing is known */
    SMT_BOOLS,    /* Bool */
    SMT_NUMBERS,  /* Int or Real */
    SMT_SIGNED,   /* bit vectors, with a sign */
    SMT_UNSIGNED, /* and without */
    SMT_FLOATS,   /* FloatingPoint, rounding to nearest even; `=` is `==` */
    SMT_THEORY_COUNT
} SmtTheory;

/* The theory of a type's values: index is Int, floats are FloatingPoint. */
SmtTheory smt_theory(Type type);
/* The name, with the rounding mode where there is one; null where the theory has none.  Of
 * comparisons and of select: by the theory of what is compared or chosen. */
const char *smt_operator(SmtTheory theory, Op op);

#endif
