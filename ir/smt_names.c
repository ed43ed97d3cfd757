/* smt_names.c -- the table of SMT-LIB's operators, one row for each name in ops.def. */
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
    case TYPE_BFLOAT:
        return SMT_FLOATS;
    }
    return SMT_ANY;
}

/* Columns: any, bools, numbers, signed, unsigned, floats. A row of ops.def with NAME uses
 * `NAME_names`. */
typedef const char *const SmtNames[SMT_THEORY_COUNT];

/* clang-format off */
static SmtNames NONE_names = {0};
static SmtNames add_names = {0, 0, "+", "bvadd", "bvadd", "fp.add RNE"};
static SmtNames sub_names = {0, 0, "-", "bvsub", "bvsub", "fp.sub RNE"};
static SmtNames mul_names = {0, 0, "*", "bvmul", "bvmul", "fp.mul RNE"};
static SmtNames div_names = {0, 0, 0, 0, 0, "fp.div RNE"};
static SmtNames neg_names = {0, 0, "-", "bvneg", "bvneg", "fp.neg"};
static SmtNames lt_names = {0, 0, "<", "bvslt", "bvult", "fp.lt"};
static SmtNames le_names = {0, 0, "<=", "bvsle", "bvule", "fp.leq"};
static SmtNames eq_names = {"=", "=", "=", "=", "=", "fp.eq"};
static SmtNames ne_names = {"distinct", "distinct", "distinct", "distinct", "distinct", 0};
static SmtNames and_names = {0, "and", 0, 0, 0, 0};
static SmtNames or_names = {0, "or", 0, 0, 0, 0};
static SmtNames not_names = {0, "not", 0, 0, 0, 0};
static SmtNames bit_and_names = {0, 0, 0, "bvand", "bvand", 0};
static SmtNames bit_or_names = {0, 0, 0, "bvor", "bvor", 0};
static SmtNames bit_xor_names = {0, 0, 0, "bvxor", "bvxor", 0};
static SmtNames bit_not_names = {0, 0, 0, "bvnot", "bvnot", 0};
/* SMT-LIB reads the amount as unsigned. An amount of at least the width shifts everything out. */
static SmtNames shift_left_names = {0, 0, 0, "bvshl", "bvshl", 0};
static SmtNames shift_right_names = {0, 0, 0, "bvashr", "bvlshr", 0};
static SmtNames select_names = {"ite", "ite", "ite", "ite", "ite", "ite"};
static SmtNames sqrt_names = {0, 0, 0, 0, 0, "fp.sqrt RNE"};
static SmtNames fma_names = {0, 0, 0, 0, 0, "fp.fma RNE"};
static SmtNames abs_names = {0, 0, "abs", 0, 0, "fp.abs"};
static SmtNames floor_names = {0, 0, 0, 0, 0, "fp.roundToIntegral RTN"};
static SmtNames ceil_names = {0, 0, 0, 0, 0, "fp.roundToIntegral RTP"};
static SmtNames trunc_names = {0, 0, 0, 0, 0, "fp.roundToIntegral RTZ"};
static SmtNames round_names = {0, 0, 0, 0, 0, "fp.roundToIntegral RNE"};
static SmtNames is_nan_names = {0, 0, 0, 0, 0, "fp.isNaN"};
static SmtNames is_inf_names = {0, 0, 0, 0, 0, "fp.isInfinite"};
/* clang-format on */

const char *smt_operator(SmtTheory theory, Op op) {
    static const char *const *const names[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, ...) [OP_##NAME] = SMT##_names,
#include "ir/ops.def"
#undef OP
    };
    return names[op][theory];
}
