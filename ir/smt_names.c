/* smt_names.c -- the table. */
#include "ir/smt_names.h"

SmtTheory smt_theory(Type type) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return SMT_BOOLS;
    case TYPE_INDEX:
        return SMT_NUMBERS;
    case TYPE_INT:
        return SMT_SIGNED;
    case TYPE_UINT:
        return SMT_UNSIGNED;
    case TYPE_FLOAT:
        return SMT_FLOATS;
    }
    return SMT_ANY;
}

const char *smt_operator(SmtTheory theory, Op op) {
    /* any, bools, numbers, signed, unsigned, floats */
    static const char *const names[OP_COUNT][SMT_THEORY_COUNT] = {
        [OP_ADD] = {0, 0, "+", "bvadd", "bvadd", "fp.add RNE"},
        [OP_SUB] = {0, 0, "-", "bvsub", "bvsub", "fp.sub RNE"},
        [OP_MUL] = {0, 0, "*", "bvmul", "bvmul", "fp.mul RNE"},
        [OP_DIV] = {0, 0, 0, 0, 0, "fp.div RNE"},
        [OP_NEG] = {0, 0, "-", "bvneg", "bvneg", "fp.neg"},
        [OP_LT] = {0, 0, "<", "bvslt", "bvult", "fp.lt"},
        [OP_LE] = {0, 0, "<=", "bvsle", "bvule", "fp.leq"},
        [OP_EQ] = {"=", "=", "=", "=", "=", "fp.eq"},
        [OP_NE] = {"distinct", "distinct", "distinct", "distinct", "distinct", 0},
        [OP_AND] = {0, "and", 0, 0, 0, 0},
        [OP_OR] = {0, "or", 0, 0, 0, 0},
        [OP_NOT] = {0, "not", 0, 0, 0, 0},
        [OP_BIT_AND] = {0, 0, 0, "bvand", "bvand", 0},
        [OP_BIT_OR] = {0, 0, 0, "bvor", "bvor", 0},
        [OP_BIT_XOR] = {0, 0, 0, "bvxor", "bvxor", 0},
        [OP_BIT_NOT] = {0, 0, 0, "bvnot", "bvnot", 0},
        /* Amounts are read without sign, and those from the width on shift everything out. */
        [OP_SHIFT_LEFT] = {0, 0, 0, "bvshl", "bvshl", 0},
        [OP_SHIFT_RIGHT] = {0, 0, 0, "bvashr", "bvlshr", 0},
        [OP_ROUNDING_SHIFT_LEFT] = {0, 0, 0, "bvshl", "bvshl", 0},
        [OP_SELECT] = {"ite", "ite", "ite", "ite", "ite", "ite"},
        [OP_SQRT] = {0, 0, 0, 0, 0, "fp.sqrt RNE"},
        [OP_FMA] = {0, 0, 0, 0, 0, "fp.fma RNE"},
        [OP_ABS] = {0, 0, "abs", 0, 0, "fp.abs"},
        [OP_FLOOR] = {0, 0, 0, 0, 0, "fp.roundToIntegral RTN"},
        [OP_CEIL] = {0, 0, 0, 0, 0, "fp.roundToIntegral RTP"},
        [OP_TRUNC] = {0, 0, 0, 0, 0, "fp.roundToIntegral RTZ"},
        [OP_ROUND] = {0, 0, 0, 0, 0, "fp.roundToIntegral RNE"},
        [OP_IS_NAN] = {0, 0, 0, 0, 0, "fp.isNaN"},
        [OP_IS_INF] = {0, 0, 0, 0, 0, "fp.isInfinite"},
    };
    return names[op][theory];
}
