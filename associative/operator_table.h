/* operator_table.h -- the elementary associative operators, as data: operators/ (.rules files),
 * compiled at build time by rulec.
 *
 * An entry is flat prefix code like a rule's (simplify/rule.h): one term for each component, one
 * after the other. The `value` of a TERM_WILDCARD selects its variable: x.i is i, y.i is OPERATOR_Y
 * + i, and k is OPERATOR_K. Components have classes of types. Components of one class have the same
 * type, which is one of the class's types. A component that is only moved by select, never computed
 * with, has any type. The identity may also contain OPERATOR_LOWEST and OPERATOR_HIGHEST, the ends
 * of the component's type (infinity for floats).
 */
#ifndef HLC_ASSOCIATIVE_OPERATOR_TABLE_H
#define HLC_ASSOCIATIVE_OPERATOR_TABLE_H

#include "simplify/rule.h"

#define OPERATOR_ELEMENTS 16
enum {
    OPERATOR_Y = OPERATOR_ELEMENTS,
    OPERATOR_K = 2 * OPERATOR_ELEMENTS,
    OPERATOR_LOWEST,
    OPERATOR_HIGHEST
};

/* Bits of type_number. */
#define OPERATOR_BOOL    1u
#define OPERATOR_MACHINE ((unsigned)ALL_MACHINE_TYPES)
#define OPERATOR_FLOAT   0x1e00u /* f16, bf16, f32, f64 */
#define OPERATOR_ANY     (OPERATOR_BOOL | OPERATOR_MACHINE | OPERATOR_FLOAT)

typedef struct OperatorEntry {
    const char *name, *file, *text;
    uint16_t line;
    uint8_t arity;
    bool commutes;
    bool has_identity; /* otherwise it is proved that there is none (with a k: for some k) */
    bool has_constant;
    /* Bit i: the entry holds for tuples whose component i is not negative, which it stays. */
    uint16_t not_negative;
    uint8_t constant_class;              /* of k, if has_constant */
    uint8_t class_of[OPERATOR_ELEMENTS]; /* element -> class, in order of first occurrence */
    uint16_t types[OPERATOR_ELEMENTS];   /* by class */
    const RuleTerm *code, *identity;     /* `arity` terms each, one after the other */
} OperatorEntry;

/* The generated table, in file order. */
extern const OperatorEntry operator_table[];
extern const int operator_table_count;

#endif
