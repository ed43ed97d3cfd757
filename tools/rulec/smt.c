/* smt.c -- writes a rule as an SMT-LIB query: unsat means that the rule holds for all values.
 *
 * Prefix code is SMT-LIB's order, so a term is printed by one scan with a count of open
 * parentheses.  theory.c names the operators.
 *
 * Encodings over the integers:
 *   0  as written;
 *   1  quotients as unknowns with their definition, a = q b + r and 0 <= r < |b|; products as
 *      written;
 *   2  as 1, with products as unknowns too (Z3's non-linear part is off, so it decides), and lemmas
 *      in their place: of two candidates u and v for a quotient by b, u = v or |u - v| >= 1, and
 *      then b u and b v differ by at least |b| (`lemmas`). If the guard has c0 % c1 == 0, c0 is
 *      written c1 * k. For ramps: the lanes lie between the ends. In this encoding only `unsat` is
 *      meaningful.
 */
#include "tools/rulec/theory.h"

typedef struct Smt {
    FILE *out;
    const Rule *rule;
    Type type;
    bool in_guard;
    /* Encoding 2: slot i is the constant slot multiple_of[i] - 1, times k<i>; 0: no such multiple.
     */
    int multiple_of[RULE_SLOTS];
} Smt;

static void slot(const Smt *smt, int number) {
    bool is_bool = smt->rule->bool_slots >> number & 1;
    bool widened = smt->in_guard && smt->rule->rule_class == RULES_MACHINE && !is_bool;
    if (smt->multiple_of[number])
        fprintf(smt->out, "(* s%d k%d)", smt->multiple_of[number] - 1, number);
    else if (widened)
        fprintf(smt->out, "((_ %s %d) s%d)",
                type_is_signed(smt->type) ? "sign_extend" : "zero_extend", 2 * smt->type.bits,
                number);
    else
        fprintf(smt->out, "s%d", number);
}

static void literal(const Smt *smt, int value) {
    bool negative = value < 0;
    int magnitude = negative ? -value : value;
    switch ((RuleClass)smt->rule->rule_class) {
    case RULES_MACHINE:
        fprintf(smt->out, negative ? "(bvneg (_ bv%d %d))" : "(_ bv%d %d)", magnitude,
                smt->in_guard ? 3 * smt->type.bits : smt->type.bits);
        break;
    case RULES_FLOAT:
        fprintf(smt->out, negative ? "(number (- %d.0))" : "(number %d.0)", magnitude);
        break;
    case RULES_INTEGERS:
    case RULES_SOLVE:
    case RULES_BOOL:
    case RULES_ANY:
    case RULES_VECTORS:
    case RULE_CLASS_COUNT:
        fprintf(smt->out, negative ? "(- %d)" : "%d", magnitude);
        break;
    }
}

static void leaf(const Smt *smt, const RuleTerm *t) {
    if (t->op == TERM_LITERAL)
        literal(smt, t->value);
    else if (t->op == TERM_LANES)
        fputs("lanes", smt->out);
    else if (t->op == TERM_TRUTH)
        fputs(t->value ? "true" : "false", smt->out);
    else
        slot(smt, t->value);
}

/* c0 / c1, with c0 written c1 * k, is k. */
static bool is_known_factor(const Smt *smt, const RuleTerm *t) {
    return t->op == OP_DIV && t[1].op == TERM_CONSTANT && t[2].op == TERM_CONSTANT &&
           smt->multiple_of[t[1].value] == t[2].value + 1;
}

/* Prints the term; false if it has an operator without SMT text. */
static bool term(const Smt *smt, const RuleTerm *code, int length) {
    int open[RULE_TERMS + 1], depth = 0; /* operands that each open parenthesis still needs */
    for (int i = 0; i < length; i++) {
        const RuleTerm *t = &code[i];
        int arity = rule_term_arity(t);
        fputc(' ', smt->out);
        if (is_known_factor(smt, t)) {
            fprintf(smt->out, "k%d", t[1].value);
            i += 2;
        } else if (t->op < OP_COUNT) {
            const char *name = theory_operator(smt->rule, smt->type, smt->in_guard, t);
            if (!name)
                return false;
            fprintf(smt->out, "(%s", name);
            open[depth++] = arity;
            continue;
        } else if (t->op == TERM_POWER) {
            fputs("(power", smt->out);
            open[depth++] = arity;
            continue;
        } else if (t->op == OP_RAMP) {
            fputs("(ramp", smt->out);
            open[depth++] = arity;
            continue;
        } else if (t->op == TERM_FOLD || t->op == OP_BROADCAST) { /* what is in it */
            continue;
        } else {
            leaf(smt, t);
        }
        while (depth && --open[depth - 1] == 0) {
            fputc(')', smt->out);
            depth--;
        }
    }
    return true;
}

/* The quotients and remainders of a rule, by their codes. */
typedef struct Quotient {
    const RuleTerm *dividend, *divisor;
} Quotient;

#define MAX_QUOTIENTS 24

typedef struct SmtQuotients {
    Quotient data[MAX_QUOTIENTS];
    int count;
} SmtQuotients;

static void find_quotients(SmtQuotients *found, const RuleTerm *code, int length) {
    for (int i = 0; i < length; i++) {
        if ((code[i].op != OP_DIV && code[i].op != OP_MOD) || found->count == MAX_QUOTIENTS)
            continue;
        const RuleTerm *dividend = &code[i + 1], *divisor = rule_term_end(dividend);
        divisor += divisor->op == OP_BROADCAST; /* what is in it */
        bool known = false;
        for (int k = 0; k < found->count; k++)
            known |= rule_term_equal(found->data[k].dividend, dividend) &&
                     rule_term_equal(found->data[k].divisor, divisor);
        if (!known)
            found->data[found->count++] = (Quotient){dividend, divisor};
    }
}

static bool one_term(const Smt *smt, const RuleTerm *code) {
    return term(smt, code, (int)(rule_term_end(code) - code));
}

/* `(quotient a b)`. */
static void quotient(const Smt *smt, Quotient q) {
    fputs(" (quotient", smt->out);
    one_term(smt, q.dividend);
    one_term(smt, q.divisor);
    fputc(')', smt->out);
}

static bool define_quotients(const Smt *smt, const SmtQuotients *quotients) {
    for (int i = 0; i < quotients->count; i++) {
        Quotient q = quotients->data[i];
        fputs("(assert (let ((a", smt->out);
        if (!one_term(smt, q.dividend))
            return false;
        fputs(") (b", smt->out);
        if (!one_term(smt, q.divisor))
            return false;
        fputs(")) (let ((q (quotient a b))) (ite (= b 0) (= q 0) (and (<= 0 (- a (* b q))) "
              "(< (- a (* b q)) (abs b)))))))\n",
              smt->out);
    }
    return true;
}

/* One lemma: quotient q against quotient p (null: 0) plus a cofactor, printed by its caller. */
static void lemma_begin(const Smt *smt, Quotient q) {
    fputs("(assert (trichotomy", smt->out);
    one_term(smt, q.divisor);
    quotient(smt, q);
}

/* Is the divisor of `q` the slot that is a multiple of `b`'s, by a factor? */
static bool is_multiple(const Smt *smt, const RuleTerm *divisor, const RuleTerm *b) {
    return divisor->op == TERM_CONSTANT && b->op == TERM_CONSTANT &&
           smt->multiple_of[divisor->value] == b->value + 1;
}

static void cofactor_lemmas(const Smt *smt, Quotient q, const Quotient *p, const RuleTerm *code,
                            int length) {
    for (int i = 0; i < length; i++) {
        if (code[i].op != OP_MUL)
            continue;
        const RuleTerm *first = &code[i + 1], *second = rule_term_end(first);
        const RuleTerm *cofactor = rule_term_equal(q.divisor, first)    ? second
                                   : rule_term_equal(q.divisor, second) ? first
                                                                        : NULL;
        if (!cofactor)
            continue;
        lemma_begin(smt, q);
        fputs(" (+", smt->out);
        one_term(smt, cofactor);
        if (p)
            quotient(smt, *p);
        else
            fputs(" 0", smt->out);
        fputs(")))\n", smt->out);
    }
}

/* A quotient of a ramp whose stride is a multiple of the divisor, against one of its base. */
static void ramp_lemma(const Smt *smt, Quotient q, const Quotient *p) {
    if (q.dividend->op != OP_RAMP || !p)
        return;
    const RuleTerm *stride = rule_term_end(q.dividend + 1);
    bool is_product = stride->op == OP_MUL && rule_term_equal(rule_term_end(stride + 1), q.divisor);
    if (!is_product && !is_multiple(smt, stride, q.divisor))
        return;
    lemma_begin(smt, q);
    fputs(" (+ (* i", smt->out);
    if (is_product)
        one_term(smt, stride + 1);
    else
        fprintf(smt->out, " k%d", stride->value);
    fputc(')', smt->out);
    quotient(smt, *p);
    fputs(")))\n", smt->out);
}

static void pair_lemmas(const Smt *smt, const SmtQuotients *all, Quotient q, const Quotient *p) {
    const Rule *rule = smt->rule;
    for (int more = 0; p && more <= 1; more++) {
        lemma_begin(smt, q);
        fprintf(smt->out, " (+ %d", more);
        quotient(smt, *p);
        fputs(")))\n", smt->out);
    }
    ramp_lemma(smt, q, p);
    cofactor_lemmas(smt, q, p, rule->left, rule->left_length);
    cofactor_lemmas(smt, q, p, rule->right, rule->right_length);
    for (int i = 0; i < all->count; i++) {
        if (!is_multiple(smt, all->data[i].divisor, q.divisor))
            continue;
        lemma_begin(smt, q);
        fprintf(smt->out, " (+ (* k%d", all->data[i].divisor->value);
        quotient(smt, all->data[i]);
        fputc(')', smt->out);
        if (p)
            quotient(smt, *p);
        else
            fputs(" 0", smt->out);
        fputs(")))\n", smt->out);
    }
}

/* A quotient by k against the quotients by c0 = c1 * k. */
static void factor_lemmas(const Smt *smt, const SmtQuotients *all, Quotient q) {
    const RuleTerm *k = q.divisor->op == TERM_FOLD ? q.divisor + 1 : q.divisor;
    for (int i = 0; i < all->count && is_known_factor(smt, k); i++) {
        const RuleTerm *divisor = all->data[i].divisor;
        if (divisor->op != TERM_CONSTANT || divisor->value != k[1].value)
            continue;
        lemma_begin(smt, q);
        quotient(smt, all->data[i]);
        fputs("))\n", smt->out);
    }
}

static void lemmas(const Smt *smt, const SmtQuotients *all) {
    fputs("(define-fun trichotomy ((b Int) (u Int) (v Int)) Bool (or (= u v)\n"
          " (and (>= u (+ v 1)) (=> (> b 0) (>= (* b u) (+ (* b v) b)))"
          " (=> (< b 0) (<= (* b u) (+ (* b v) b))))\n"
          " (and (<= u (- v 1)) (=> (> b 0) (<= (* b u) (- (* b v) b)))"
          " (=> (< b 0) (>= (* b u) (- (* b v) b))))))\n",
          smt->out);
    for (int i = 0; i < all->count; i++) {
        pair_lemmas(smt, all, all->data[i], NULL);
        factor_lemmas(smt, all, all->data[i]);
        for (int k = 0; k < all->count; k++)
            if (k != i && rule_term_equal(all->data[i].divisor, all->data[k].divisor))
                pair_lemmas(smt, all, all->data[i], &all->data[k]);
    }
}

/* Does the guard imply that the constant slot is not 0, by `c != 0` or `0 < c`? */
static bool says_nonzero(const RuleTerm *guard, int number) {
    if (guard->op == OP_AND)
        return says_nonzero(guard + 1, number) || says_nonzero(rule_term_end(guard + 1), number);
    const RuleTerm *zero = guard->op == OP_NE ? &guard[2] : &guard[1];
    const RuleTerm *constant = guard->op == OP_NE ? &guard[1] : &guard[2];
    return (guard->op == OP_NE || guard->op == OP_LT) && zero->op == TERM_LITERAL && !zero->value &&
           constant->op == TERM_CONSTANT && constant->value == number;
}

/* Records the conjuncts `c0 % c1 == 0` of a guard, and their consequences for the factor. */
static void find_multiples(Smt *smt, const RuleTerm *guard) {
    if (guard->op == OP_AND) {
        find_multiples(smt, guard + 1);
        find_multiples(smt, rule_term_end(guard + 1));
        return;
    }
    bool divides = guard->op == OP_EQ && guard[1].op == OP_MOD && guard[2].op == TERM_CONSTANT &&
                   guard[3].op == TERM_CONSTANT && guard[4].op == TERM_LITERAL && !guard[4].value;
    if (!divides || smt->multiple_of[guard[3].value] ||
        !says_nonzero(smt->rule->guard, guard[3].value))
        return;
    int multiple = guard[2].value, factor = guard[3].value;
    fprintf(smt->out, "(declare-const k%d Int)\n", multiple);
    /* Without the non-linear part, Z3 needs the signs of c0 = c1 * k. */
    fprintf(
        smt->out,
        "(assert (=> (and (> (* s%d k%d) 0) (> s%d 0)) (> k%d 0)))\n"
        "(assert (=> (and (> k%d 0) (> s%d 0)) (and (>= (* s%d k%d) s%d) (>= (* s%d k%d) k%d))))\n"
        "(assert (=> (= k%d 0) (= (* s%d k%d) 0)))\n",
        factor, multiple, factor, multiple, multiple, factor, factor, multiple, factor, factor,
        multiple, multiple, multiple, factor, multiple);
    smt->multiple_of[multiple] = factor + 1;
}

static void declare_slots(const Smt *smt) {
    bool of_integers = theory_is_integers(smt->rule);
    const char *sort = of_integers ? "Int" : "V";
    for (int i = 0; i < smt->rule->slot_count; i++)
        fprintf(smt->out, "(declare-const s%d %s)\n", i,
                smt->rule->bool_slots >> i & 1 ? "Bool" : sort);
}

static bool write_guard(Smt guard) {
    guard.in_guard = true;
    if (!guard.rule->guard_length)
        return true;
    fputs("(assert", guard.out);
    bool written = term(&guard, guard.rule->guard, guard.rule->guard_length);
    fputs(")\n", guard.out);
    return written;
}

/* For each ramp's stride and each difference of two strides: its product with i lies between its
 * products with the first and the last lane (`within`). */
static int end_lemmas(const Smt *smt) {
    const RuleTerm *strides[RULE_TERMS];
    int count = 0;
    for (int i = 0; i < smt->rule->left_length; i++)
        if (smt->rule->left[i].op == OP_RAMP)
            strides[count++] = rule_term_end(&smt->rule->left[i + 1]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= i; k++) {
            fputs("(assert (within (-", smt->out);
            one_term(smt, strides[i]);
            if (k < i)
                one_term(smt, strides[k]);
            fputs(")))\n", smt->out);
        }
    return count;
}

/* Writes the definitions and lemmas of encodings 1 and 2 about quotients and ramps. */
static bool write_quotients(Smt *smt, int encoding) {
    const Rule *rule = smt->rule;
    SmtQuotients quotients = {.count = 0};
    if (encoding == 2 && rule->guard_length)
        find_multiples(smt, rule->guard);
    find_quotients(&quotients, rule->left, rule->left_length);
    find_quotients(&quotients, rule->right, rule->right_length);
    if (encoding == 1)
        find_quotients(&quotients, rule->guard, rule->guard_length);
    if (!define_quotients(smt, &quotients))
        return false;
    if (encoding == 2)
        lemmas(smt, &quotients);
    bool has_ramps = encoding == 2 && rule->rule_class == RULES_VECTORS && end_lemmas(smt);
    return quotients.count > 0 || has_ramps;
}

void rule_smt_write_lane_lemma(FILE *out) {
    const Rule rule = {.rule_class = RULES_VECTORS, .slot_count = 1};
    Smt smt = {.out = out, .rule = &rule};
    fputs("(reset)\n", out);
    theory_prelude(out, &rule, INDEX, 0);
    declare_slots(&smt);
    fputs("(assert (not (within s0)))\n(check-sat)\n", out);
}

bool rule_smt_write(FILE *out, const Rule *rule, Type type, int encoding) {
    Smt smt = {.out = out, .rule = rule, .type = type};
    if (encoding > (theory_is_integers(rule) ? 2 : 0))
        return false;
    fputs("(reset)\n", out);
    theory_prelude(out, rule, type, encoding);
    declare_slots(&smt);
    if (encoding > 0 && !write_quotients(&smt, encoding))
        return false;
    if (!write_guard(smt))
        return false;
    fputs("(assert (not (=", out);
    if (!term(&smt, rule->left, rule->left_length) || !term(&smt, rule->right, rule->right_length))
        return false;
    fputs(encoding == 2 ? ")))\n(check-sat-using (using-params smt :arith.nl false))\n"
                        : ")))\n(check-sat)\n",
          out);
    return true;
}
