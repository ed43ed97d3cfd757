/* smt_names.h -- SMT-LIB's names of the operators, in each theory that we use with Z3. One table
 * serves formulas (ir/smt.h), rules (tools/rulec/theory.h) and operators
 * (tools/operators/operator_proofs.h). Each of them defines the operators that a theory lacks. */
#ifndef HLC_IR_SMT_NAMES_H
#define HLC_IR_SMT_NAMES_H

#include "ir/ops.h"
#include "ir/type.h"

typedef enum SmtTheory {
    SMT_ANY,      /* an uninterpreted sort */
    SMT_BOOLS,    /* Bool */
    SMT_NUMBERS,  /* Int or Real */
    SMT_SIGNED,   /* signed bit-vectors */
    SMT_UNSIGNED, /* unsigned bit-vectors */
    SMT_FLOATS,   /* FloatingPoint, rounding to nearest even; `=` means `==` */
    SMT_THEORY_COUNT
} SmtTheory;

/* Returns the theory of a type's values: Int for index, FloatingPoint for floats. */
SmtTheory smt_theory(Type type);
/* Returns the name, with the rounding mode if it needs one; null if the theory lacks the operator.
 * For comparisons and select, `theory` is that of the compared or selected values. */
const char *smt_operator(SmtTheory theory, Op op);

#endif
