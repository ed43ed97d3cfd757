/* theory.c -- the theories in which Z3 proves rules: their names of the operators, and the
 * definitions of their preludes.
 *
 *   integers: Int; SMT's div and mod are Euclidean; functions of the prelude give 0 for a zero
 *     divisor.
 *
 *   machine: bit vectors of the type's width; quotients by definition from bvudiv and bvurem; a
 *     guard speaks of the numbers, not the vectors, in vectors three times as wide.
 *
 *   float: FloatingPoint of the type's widths, rounding to nearest even; its `=` is equality bit
 *     for bit with one NaN, as results are compared, and fp.eq is the operator `==`; min and max
 *     keep the first operand where the second is not less, or not greater.
 *
 *   vectors: the rule's equation in one lane i, 0 <= i < lanes.  A vector is the Int or Bool in
 *     that lane: `ramp(b, s)` is b + s*i, `broadcast(x)` is x.
 *
 *   bool: Bool.  any: an uninterpreted sort.
 */
#include "tools/rulec/theory.h"

#include "ir/smt_names.h"

/* The operators that the preludes define; those of `wide` vectors have other names. */
static const char *defined_operator(int op, bool wide) {
    switch (op) {
    case OP_DIV:
        return wide ? "wide_quotient" : "quotient";
    case OP_MOD:
        return wide ? "wide_remainder" : "remainder";
    case OP_MIN:
        return wide ? "wide_least" : "least";
    case OP_MAX:
        return wide ? "wide_most" : "most";
    case OP_ABS:
        return "absolute";
    case OP_NE:
        return "differ";
    case OP_IS_FINITE:
        return "finite";
    default:
        return NULL;
    }
}

static SmtTheory theory_of(const Rule *rule, Type type, bool in_guard, const RuleTerm *term) {
    if (rule_term_is_bool(rule, rule_term_operand(term)))
        return SMT_BOOLS;
    switch ((RuleClass)rule->rule_class) {
    case RULES_FLOAT:
        return SMT_FLOATS;
    case RULES_MACHINE: /* guards speak of wide signed vectors */
        return in_guard || type_is_signed(type) ? SMT_SIGNED : SMT_UNSIGNED;
    case RULES_ANY:
        return SMT_ANY;
    case RULES_BOOL:
    case RULES_INTEGERS:
    case RULES_SOLVE:
    case RULES_VECTORS:
    case RULE_CLASS_COUNT:
        break;
    }
    return SMT_NUMBERS;
}

const char *theory_operator(const Rule *rule, Type type, bool in_guard, const RuleTerm *term) {
    SmtTheory theory = theory_of(rule, type, in_guard, term);
    const char *name = smt_operator(theory, (Op)term->op);
    return name ? name : defined_operator(term->op, in_guard && rule->rule_class == RULES_MACHINE);
}

static void vector_prelude(FILE *out, const char *prefix, int bits, bool is_signed) {
    const char *less = is_signed ? "bvslt" : "bvult";
    fprintf(out, "(define-sort %sV () (_ BitVec %d))\n", prefix, bits);
    fprintf(out, "(define-fun %sleast ((a %sV) (b %sV)) %sV (ite (%s b a) b a))\n", prefix, prefix,
            prefix, prefix, less);
    fprintf(out, "(define-fun %smost ((a %sV) (b %sV)) %sV (ite (%s a b) b a))\n", prefix, prefix,
            prefix, prefix, less);
    fprintf(out, "(define-fun %sabsolute ((a %sV)) %sV (ite (%s a (_ bv0 %d)) (bvneg a) a))\n",
            prefix, prefix, prefix, less, bits);
    /* Euclidean: the remainder of magnitudes, reflected if the dividend is negative. */
    if (is_signed) {
        fprintf(
            out,
            "(define-fun %sremainder ((a %sV) (b %sV)) %sV (ite (= b (_ bv0 %d)) (_ bv0 %d) "
            "(let ((r (bvsrem a b))) (ite (bvslt r (_ bv0 %d)) (bvadd r (%sabsolute b)) r))))\n",
            prefix, prefix, prefix, prefix, bits, bits, bits, prefix);
        fprintf(out,
                "(define-fun %squotient ((a %sV) (b %sV)) %sV (ite (= b (_ bv0 %d)) (_ bv0 %d) "
                "(let ((q (bvsdiv a b)) (r (bvsrem a b))) (ite (bvslt r (_ bv0 %d)) "
                "(ite (bvslt b (_ bv0 %d)) (bvadd q (_ bv1 %d)) (bvsub q (_ bv1 %d))) q))))\n",
                prefix, prefix, prefix, prefix, bits, bits, bits, bits, bits, bits);
    } else {
        fprintf(
            out,
            "(define-fun %sremainder ((a %sV) (b %sV)) %sV (ite (= b (_ bv0 %d)) (_ bv0 %d) "
            "(bvurem a b)))\n(define-fun %squotient ((a %sV) (b %sV)) %sV (ite (= b (_ bv0 %d)) "
            "(_ bv0 %d) (bvudiv a b)))\n",
            prefix, prefix, prefix, prefix, bits, bits, prefix, prefix, prefix, prefix, bits, bits);
    }
}

static void integer_prelude(FILE *out, int encoding) {
    fputs("(define-fun least ((a Int) (b Int)) Int (ite (< b a) b a))\n"
          "(define-fun most ((a Int) (b Int)) Int (ite (< a b) b a))\n",
          out);
    if (encoding == 0)
        fputs("(define-fun quotient ((a Int) (b Int)) Int (ite (= b 0) 0 (div a b)))\n"
              "(define-fun remainder ((a Int) (b Int)) Int (ite (= b 0) 0 (mod a b)))\n",
              out);
    else
        fputs("(declare-fun quotient (Int Int) Int)\n"
              "(define-fun remainder ((a Int) (b Int)) Int (ite (= b 0) 0 "
              "(- a (* b (quotient a b)))))\n",
              out);
}

/* `number` is the float nearest to a real; `power` is TERM_POWER. */
static void float_prelude(FILE *out, Type type) {
    int exponent = type.bits == 32 ? 8 : 11, fraction = type.bits - 1 - exponent;
    fprintf(out,
            "(define-sort V () (_ FloatingPoint %d %d))\n"
            "(define-fun number ((r Real)) V ((_ to_fp %d %d) RNE r))\n",
            exponent, fraction + 1, exponent, fraction + 1);
    fputs("(define-fun least ((a V) (b V)) V (ite (fp.lt b a) b a))\n"
          "(define-fun most ((a V) (b V)) V (ite (fp.lt a b) b a))\n"
          "(define-fun differ ((a V) (b V)) Bool (not (fp.eq a b)))\n"
          "(define-fun finite ((a V)) Bool (not (or (fp.isNaN a) (fp.isInfinite a))))\n",
          out);
    fprintf(out,
            "(define-fun power ((a V)) Bool (let ((b (fp.to_ieee_bv a))) (and "
            "(= ((_ extract %d 0) b) (_ bv0 %d)) (bvult (_ bv0 %d) ((_ extract %d %d) b)) "
            "(bvult ((_ extract %d %d) b) (_ bv%d %d)))))\n",
            fraction - 1, fraction, exponent, type.bits - 2, fraction, type.bits - 2, fraction,
            (1 << exponent) - 2, exponent);
}

/* A vector stands for its lane i.  `within` holds of all numbers (rule_smt_write_lane_lemma). */
static void lane_prelude(FILE *out) {
    fputs("(declare-const i Int)\n(declare-const lanes Int)\n"
          "(assert (and (<= 0 i) (< i lanes) (<= 2 lanes)))\n"
          "(define-fun ramp ((base Int) (stride Int)) Int (+ base (* stride i)))\n"
          "(define-fun within ((s Int)) Bool (let ((last (* s (- lanes 1))) (here (* s i)))"
          " (or (and (<= 0 s) (<= 0 here) (<= here last))"
          " (and (<= s 0) (<= last here) (<= here 0)))))\n",
          out);
}

bool theory_is_integers(const Rule *rule) {
    return rule_is_over_integers(rule) || rule->rule_class == RULES_VECTORS;
}

void theory_prelude(FILE *out, const Rule *rule, Type type, int encoding) {
    switch ((RuleClass)rule->rule_class) {
    case RULES_INTEGERS:
    case RULES_SOLVE:
        integer_prelude(out, encoding);
        break;
    case RULES_MACHINE:
        vector_prelude(out, "", type.bits, type_is_signed(type));
        vector_prelude(out, "wide_", 3 * type.bits, true);
        break;
    case RULES_FLOAT:
        float_prelude(out, type);
        break;
    case RULES_ANY:
        fputs("(declare-sort V 0)\n", out);
        break;
    case RULES_VECTORS:
        integer_prelude(out, encoding);
        lane_prelude(out);
        break;
    case RULES_BOOL:
    case RULE_CLASS_COUNT:
        break;
    }
}
