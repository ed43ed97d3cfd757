/* smt.c -- the claims of an entry in SMT-LIB. Prefix code prints as it is. Each component is a
 * function of x, y and k, so the solver does the composition. Machine integers are bit vectors, a
 * structural class is an uninterpreted sort, floats are reals. */
#include "tools/operators/operator_proofs.h"

#include "ir/smt_names.h"

#include <stdlib.h>
#include <string.h>

typedef struct Printer {
    FILE *out;
    const OperatorEntry *entry;
    const Type *types; /* by class */
    int bits;
    const RuleTerm *at;
} Printer;

/* The terms of the operator and of its identity. */
static const RuleTerm *code_end(const RuleTerm *code, int arity) {
    while (arity-- > 0)
        code = rule_term_end(code);
    return code;
}

bool entry_has(const OperatorEntry *entry, Op op) {
    const RuleTerm *codes[] = {entry->code, entry->has_identity ? entry->identity : NULL};
    for (int i = 0; i < 2 && codes[i]; i++)
        for (const RuleTerm *term = codes[i]; term < code_end(codes[i], entry->arity); term++)
            if (term->op == op)
                return true;
    return false;
}

bool entry_is_linear(const OperatorEntry *entry) {
    return entry_is_ring(entry) && !entry_has(entry, OP_MUL);
}

bool entry_is_ring(const OperatorEntry *entry) {
    static const Op others[] = {OP_DIV,     OP_BIT_AND, OP_BIT_OR,
                                OP_BIT_XOR, OP_BIT_NOT, OP_SATURATING_ADD};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (entry_has(entry, others[i]))
            return false;
    return true;
}

static bool is_structure(const OperatorEntry *entry, int class) {
    return entry->types[class] == OPERATOR_ANY;
}

static bool is_real(const Printer *p, int class) {
    return type_is_float(p->types[class]) && !is_structure(p->entry, class);
}

/* Integers of every width? */
static bool is_wrapped(const Printer *p, int class) {
    return p->bits == EVERY_WIDTH && type_is_machine_integer(p->types[class]) &&
           !is_structure(p->entry, class);
}

static int bits_of(const Printer *p, int class) {
    return p->bits ? p->bits : p->types[class].bits;
}

static void print_sort(const Printer *p, int class) {
    Type type = p->types[class];
    if (is_structure(p->entry, class))
        fprintf(p->out, "U");
    else if (type_is_bool(type))
        fprintf(p->out, "Bool");
    else if (type_is_float(type))
        fprintf(p->out, "Real");
    else if (is_wrapped(p, class))
        fprintf(p->out, "Int");
    else
        fprintf(p->out, "(_ BitVec %d)", bits_of(p, class));
}

static void print_number(const Printer *p, int class, int64_t value) {
    Type type = p->types[class];
    if (is_structure(p->entry, class)) {
        fprintf(p->out, "any");
    } else if (type_is_bool(type)) {
        fputs(value ? "true" : "false", p->out);
    } else if (type_is_float(type)) {
        fprintf(p->out, value < 0 ? "(- %lld.0)" : "%lld.0", llabs((long long)value));
    } else if (is_wrapped(p, class)) {
        fprintf(p->out, value < 0 ? "(wrap%d (- %lld))" : "(wrap%d %lld)", class,
                llabs((long long)value));
    } else {
        int bits = bits_of(p, class);
        uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
        fprintf(p->out, "(_ bv%llu %d)", (unsigned long long)((uint64_t)value & mask), bits);
    }
}

static void print_extreme(const Printer *p, int class, bool highest) {
    Type type = p->types[class];
    if (is_structure(p->entry, class)) {
        fprintf(p->out, "any");
    } else if (type_is_float(type)) {
        fputs(highest ? "highest" : "lowest", p->out);
    } else if (type_is_bool(type)) {
        fputs(highest ? "true" : "false", p->out);
    } else if (is_wrapped(p, class)) {
        fprintf(p->out, highest ? "highest%d" : "lowest%d", class);
    } else {
        int64_t half = (int64_t)(UINT64_C(1) << (bits_of(p, class) - 1));
        if (type_is_signed(type))
            print_number(p, class, highest ? half - 1 : half);
        else
            print_number(p, class, highest ? -1 : 0);
    }
}

/* Returns the class of a term's numbers, or of the numbers it compares; -1 if it has only literals.
 */
static int class_of_term(const Printer *p, const RuleTerm *term) {
    const RuleTerm *end = rule_term_end(term);
    if (term->op == OP_SELECT)
        term = rule_term_end(term + 1); /* its condition may compare others */
    for (; term < end; term++) {
        if (term->op != TERM_WILDCARD || term->value > OPERATOR_K)
            continue;
        return term->value == OPERATOR_K ? p->entry->constant_class
                                         : p->entry->class_of[term->value % OPERATOR_ELEMENTS];
    }
    return -1;
}

static void print_term(Printer *p, int class);

static const char *operator_name(const Printer *p, Op op, int class) {
    Type type = p->types[class];
    bool are_numbers = type_is_float(type) || is_wrapped(p, class);
    SmtTheory theory = is_structure(p->entry, class) ? SMT_ANY
                       : are_numbers                 ? SMT_NUMBERS
                                                     : smt_theory(type);
    if (op == OP_DIV && type_is_float(type))
        return "/";
    /* An operator with bool operands does not belong to their class. */
    const char *name = smt_operator(theory, op);
    return name ? name : smt_operator(SMT_BOOLS, op);
}

/* min, max and saturating_add of unsigned integers, of operands that are terms. */
static void print_choice(Printer *p, Op op, int class) {
    const RuleTerm *a = p->at, *b = rule_term_end(a), *end = rule_term_end(b);
    const char *less = operator_name(p, OP_LT, class);
    bool adds = op == OP_SATURATING_ADD;
    fprintf(p->out, "(ite (%s ", less);
    const RuleTerm *parts[6] = {b, a, b, a};
    if (op == OP_MAX)
        parts[0] = a, parts[1] = b;
    if (adds) { /* a + b < a: it wrapped */
        fprintf(p->out, "(bvadd ");
        parts[0] = a, parts[1] = b;
    }
    for (int i = 0; i < 2; i++) {
        p->at = parts[i];
        print_term(p, class);
        fputc(' ', p->out);
    }
    if (adds) {
        fprintf(p->out, ") ");
        p->at = a;
        print_term(p, class);
        fprintf(p->out, ") ");
        print_number(p, class, -1);
        fprintf(p->out, " (bvadd ");
        parts[2] = a, parts[3] = b;
    } else {
        fprintf(p->out, ") ");
    }
    for (int i = 2; i < 4; i++) {
        p->at = parts[i];
        print_term(p, class);
        fputc(' ', p->out);
    }
    fputs(adds ? "))" : ")", p->out);
    p->at = end;
}

static void print_term(Printer *p, int class) {
    RuleTerm term = *p->at;
    int own = class_of_term(p, p->at);
    p->at++;
    if (term.op == TERM_WILDCARD) {
        if (term.value == OPERATOR_K)
            fputc('k', p->out);
        else if (term.value > OPERATOR_K)
            print_extreme(p, class, term.value == OPERATOR_HIGHEST);
        else
            fprintf(p->out, "%c%d", term.value < OPERATOR_Y ? 'x' : 'y',
                    term.value % OPERATOR_ELEMENTS);
        return;
    }
    if (term.op == TERM_LITERAL || term.op == TERM_TRUTH) {
        print_number(p, class, term.value);
        return;
    }
    own = own < 0 ? class : own;
    Op op = (Op)term.op;
    if (op == OP_MIN || op == OP_MAX || op == OP_SATURATING_ADD) {
        print_choice(p, op, own);
        return;
    }
    const char *name = operator_name(p, op, own);
    hlc_assert(name, "an operator of the table has a term for Z3");
    bool wraps = is_wrapped(p, own) && (op == OP_ADD || op == OP_SUB || op == OP_NEG);
    if (wraps)
        fprintf(p->out, "(wrap%d ", own);
    if (op == OP_MUL && p->bits == EVERY_WIDTH)
        fprintf(p->out, is_real(p, own) ? "(real_product" : "(product%d", own);
    else
        fprintf(p->out, "(%s", name);
    for (int i = 0; i < rule_term_arity(&term); i++) {
        fputc(' ', p->out);
        print_term(p, own);
    }
    fputs(wraps ? "))" : ")", p->out);
}

/* (fi x.. y.. k) with these argument texts. */
static void print_call(const Printer *p, int element, const char *x, const char *y) {
    int arity = p->entry->arity;
    fprintf(p->out, "(f%d", element);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arity; i++)
            fprintf(p->out, " %s%d", side ? y : x, i);
    fputs(p->entry->has_constant ? " k)" : ")", p->out);
}

static void print_functions(Printer *p) {
    const OperatorEntry *entry = p->entry;
    p->at = entry->code;
    for (int i = 0; i < entry->arity; i++) {
        fprintf(p->out, "(define-fun f%d (", i);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < entry->arity; j++) {
                fprintf(p->out, "(%c%d ", "xy"[side], j);
                print_sort(p, entry->class_of[j]);
                fputc(')', p->out);
            }
        if (entry->has_constant) {
            fprintf(p->out, "(k ");
            print_sort(p, entry->constant_class);
            fputc(')', p->out);
        }
        fputs(") ", p->out);
        print_sort(p, entry->class_of[i]);
        fputc(' ', p->out);
        print_term(p, entry->class_of[i]);
        fputs(")\n", p->out);
    }
}

static void declare(const Printer *p, const char *stem, int element, int class) {
    fprintf(p->out, "(declare-const %s", stem);
    if (element >= 0)
        fprintf(p->out, "%d", element);
    fputc(' ', p->out);
    print_sort(p, class);
    fputs(")\n", p->out);
    if (is_wrapped(p, class))
        fprintf(p->out,
                element < 0 ? "(assert (<= lowest%d %s highest%d))\n"
                            : "(assert (<= lowest%d %s%d highest%d))\n",
                class, stem, element < 0 ? class : element, class);
}

/* Products that are only known to commute, and to be in the type's range. */
static void define_wrapped_product(const Printer *p, int class) {
    fprintf(p->out,
            "(declare-fun times%d (Int Int) Int)\n"
            "(define-fun product%d ((a Int) (b Int)) Int (let ((v (ite (<= a b) (times%d a b) "
            "(times%d b a)))) (ite (and (<= lowest%d v) (<= v highest%d)) v 0)))\n",
            class, class, class, class, class, class);
}

static void define_real_product(const Printer *p) {
    fputs("(declare-fun times (Real Real) Real)\n(define-fun real_product ((a Real) (b Real)) Real "
          "(ite (<= a b) (times a b) (times b a)))\n",
          p->out);
}

/* The range of each class of integers of every width, and its sums. */
static void define_ranges(const Printer *p) {
    bool defined[OPERATOR_ELEMENTS] = {0};
    for (int i = 0; i < p->entry->arity; i++) {
        int class = p->entry->class_of[i];
        if (!is_wrapped(p, class) || defined[class])
            continue;
        defined[class] = true;
        bool is_signed = type_is_signed(p->types[class]);
        fprintf(p->out, "(declare-const H%d Int)\n(assert (<= 128 H%d))\n", class, class);
        fprintf(p->out,
                is_signed ? "(define-fun lowest%d () Int (- H%d))\n"
                          : "(define-fun lowest%d () Int 0)\n",
                class, class);
        fprintf(p->out, "(define-fun highest%d () Int (- (+ lowest%d H%d H%d) 1))\n", class, class,
                class, class);
        fprintf(p->out,
                "(define-fun wrap%d ((v Int)) Int (ite (< v lowest%d) (+ v H%d H%d) "
                "(ite (< highest%d v) (- v H%d H%d) v)))\n",
                class, class, class, class, class, class, class);
        define_wrapped_product(p, class);
    }
    if (p->bits == EVERY_WIDTH)
        define_real_product(p);
}

/* Values of the sides: `p0 = f0(x, y)` and so on. */
static void define_tuple(const Printer *p, const char *stem, const char *x, const char *y) {
    for (int i = 0; i < p->entry->arity; i++) {
        fprintf(p->out, "(define-fun %s%d () ", stem, i);
        print_sort(p, p->entry->class_of[i]);
        fputc(' ', p->out);
        print_call(p, i, x, y);
        fputs(")\n", p->out);
    }
}

/* The ends of a float's range lie beyond every value made from x: `reach` is the sum of their
 * magnitudes. */
static void bound_reals(const Printer *p) {
    fputs("(define-fun reach () Real (+ 0.0 0.0", p->out);
    for (int i = 0; i < p->entry->arity; i++)
        if (is_real(p, p->entry->class_of[i]))
            fprintf(p->out, " (abs x%d)", i);
    fputs("))\n(assert (and (<= reach highest) (<= lowest (- reach))))\n", p->out);
    for (int i = 0; i < p->entry->arity; i++)
        if (is_real(p, p->entry->class_of[i]))
            fprintf(p->out, "(assert (and (<= (+ x%d reach) highest) (<= (+ lowest reach) x%d)))\n",
                    i, i);
}

static void define_identity(Printer *p) {
    bound_reals(p);
    p->at = p->entry->identity;
    for (int i = 0; i < p->entry->arity; i++) {
        int class = p->entry->class_of[i];
        fprintf(p->out, "(define-fun e%d () ", i);
        print_sort(p, class);
        fputc(' ', p->out);
        print_term(p, class);
        fputs(")\n", p->out);
    }
}

/* The values that a right-neutral element must not change: small ones, and the ends. */
enum { WITNESSES = NO_IDENTITY_CLAIMS };

/* Floats have ends, the infinities, if nothing is computed with them. */
static bool has_ends(const Printer *p, int class) {
    bool computes = !entry_is_linear(p->entry) || entry_has(p->entry, OP_ADD) ||
                    entry_has(p->entry, OP_SUB) || entry_has(p->entry, OP_NEG);
    return !is_structure(p->entry, class) && !(is_real(p, class) && computes);
}

static void print_witness(const Printer *p, int class, int number) {
    if (number >= 3 && has_ends(p, class))
        print_extreme(p, class, number == 4);
    else if (is_structure(p->entry, class) && number % 2)
        fputs("other", p->out);
    else
        print_number(p, class, type_is_bool(p->types[class]) ? number % 2 : number);
}

/* Asserts f(w, e) = w for all tuples w of witnesses. With more than two components, only tuples in
 * which all but two neighbours are the first witness. */
static void assert_neutral(Printer *p) {
    int arity = p->entry->arity;
    for (int first = 0; first < (arity > 1 ? arity - 1 : 1); first++)
        for (int pair = 0; pair < (arity > 1 ? WITNESSES * WITNESSES : WITNESSES); pair++)
            for (int element = 0; element < arity; element++) {
                fprintf(p->out, "(assert (= (f%d", element);
                for (int i = 0; i <= arity; i++) {
                    int at = i < arity ? i : element;
                    int number = at == first       ? pair % WITNESSES
                                 : at == first + 1 ? pair / WITNESSES
                                                   : 0;
                    if (i == arity) {
                        for (int j = 0; j < arity; j++)
                            fprintf(p->out, " e%d", j);
                        fputs(p->entry->has_constant ? " k)" : ")", p->out);
                    }
                    fputc(' ', p->out);
                    print_witness(p, p->entry->class_of[at], number);
                }
                fputs("))\n", p->out);
            }
}

static void claim_no_identity(Printer *p, int constant) {
    fputs("(assert (and (< lowest 0.0) (< 4.0 highest)))\n", p->out);
    for (int i = 0; i < p->entry->arity; i++) {
        int class = p->entry->class_of[i];
        declare(p, "e", i, class);
        if (is_real(p, class) && has_ends(p, class))
            fprintf(p->out, "(assert (<= lowest e%d highest))\n", i);
    }
    if (p->entry->has_constant) {
        fputs("(assert (= k ", p->out);
        print_witness(p, p->entry->constant_class, constant);
        fputs("))\n", p->out);
    }
    assert_neutral(p);
}

static void assert_different(const Printer *p, const char *left, const char *right) {
    fputs("(assert (or", p->out);
    for (int i = 0; i < p->entry->arity; i++)
        fprintf(p->out, " (distinct %s%d %s%d)", left, i, right, i);
    fputs("))\n", p->out);
}

static void assert_comparison(Printer *p, const char *comparison, const char *stem) {
    for (int i = 0; i < p->entry->arity; i++)
        if (p->entry->not_negative >> i & 1)
            fprintf(p->out, "(assert (%s 0.0 %s%d))\n", comparison, stem, i);
}

static void claim_associative(Printer *p) {
    define_tuple(p, "p", "x", "y");
    define_tuple(p, "q", "y", "z");
    define_tuple(p, "l", "p", "z");
    define_tuple(p, "r", "x", "q");
    assert_different(p, "l", "r");
}

static void claim_at_zeros(Printer *p, int zeros) {
    static const char *const sides[] = {"x", "y", "z"};
    for (int side = 0; side < 3; side++)
        assert_comparison(p, zeros >> side & 1 ? "=" : "<", sides[side]);
    claim_associative(p);
}

/* Claims that some component that must not be negative is negative. */
static void claim_stays(Printer *p) {
    define_tuple(p, "l", "x", "y");
    if (p->entry->has_identity)
        define_identity(p);
    fputs("(assert (or false", p->out);
    for (int i = 0; i < p->entry->arity; i++)
        if (p->entry->not_negative >> i & 1)
            fprintf(p->out, p->entry->has_identity ? " (< l%d 0.0) (< e%d 0.0)" : " (< l%d 0.0)", i,
                    i);
    fputs("))\n", p->out);
}

char *claim_query(Arena *arena, const OperatorEntry *entry, Claim claim, const Type *types,
                  int bits, bool ring) {
    char *text = NULL;
    size_t size = 0;
    Printer p = {.out = open_memstream(&text, &size), .entry = entry, .types = types, .bits = bits};
    hlc_assert(p.out, "there is memory for a query");
    fputs("(reset)\n(set-option :rlimit 8000000)\n(declare-sort U 0)\n(declare-const any U)\n"
          "(declare-const other U)\n(assert (distinct any other))\n"
          "(declare-const highest Real)\n(declare-const lowest Real)\n",
          p.out);
    define_ranges(&p);
    print_functions(&p);
    for (int side = 0; side < 3; side++) {
        const char *stem = (const char *[]){"x", "y", "z"}[side];
        for (int i = 0; i < entry->arity; i++)
            declare(&p, stem, i, entry->class_of[i]);
        assert_comparison(&p, "<=", stem);
    }
    if (entry->has_constant)
        declare(&p, "k", -1, entry->constant_class);
    switch ((int)claim) {
    case CLAIM_ASSOCIATIVE:
        claim_associative(&p);
        break;
    case CLAIM_IDENTITY:
        define_identity(&p);
        define_tuple(&p, "l", "x", "e");
        assert_different(&p, "l", "x");
        break;
    case CLAIM_COMMUTES:
        define_tuple(&p, "l", "x", "y");
        define_tuple(&p, "r", "y", "x");
        assert_different(&p, "l", "r");
        break;
    case CLAIM_STAYS:
        claim_stays(&p);
        break;
    default: /* those that have a number */
        if (claim >= CLAIM_ASSOCIATIVE_AT_ZEROS)
            claim_at_zeros(&p, (int)claim - CLAIM_ASSOCIATIVE_AT_ZEROS);
        else
            claim_no_identity(&p, (int)claim - CLAIM_NO_IDENTITY);
        break;
    }
    fputs(ring ? "(check-sat-using (then (using-params simplify :som true :som_blowup 1000) smt))\n"
               : "(check-sat)\n",
          p.out);
    fclose(p.out);
    char *kept = arena_text(arena, text, size);
    free(text);
    return kept;
}
