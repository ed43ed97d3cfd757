/* dot.c -- sums of products of narrow numbers, in the lanes of a vectorized loop.
 *
 *     acc(x) + i32(a(..))*i32(b(..)) + i32(c(..))*i32(d(..)) + ..
 *
 * is a sum of 32 bits. It wraps, so any order of its summands gives the same value. A product of
 * numbers of 8 or 16 bits fits 32 bits. Machines have instructions for several such products:
 *
 *     of bytes, four                    VNNI vpdpbusd (unsigned by signed), ARM udot, sdot
 *     of bytes by constants, two        pmaddubsw, whose sums of 16 bits saturate
 *     of 16 bits, two                   pmaddwd, with VNNI and a sum vpdpwssd (which LLVM makes)
 *
 * The instructions take the numbers of one lane side by side. Some operands already lie so in
 * memory (`b(j, x)` with j = 0..3, loaded by interleave.c in one stretch), or are uniform: they
 * need no shuffle. Others are interleaved first.
 *
 * Which sums. Each sum is emitted at its root. It is split into its summands, and only the narrow
 * operands of products are emitted as expressions. Sums that share parts are left as written. The
 * order of the forms is:
 *
 *   1. four products of bytes at once, if the machine can, and at least one side needs no shuffle;
 *   2. bytes by constants, if the constants show that the sum fits 16 bits: in 16 bits, so no sum
 *      of pmaddubsw saturates, and widened once (ARM: uaddl, umlal, uabal);
 *   3. four products at once of operands that must be interleaved, for whole registers of bytes;
 *   4. two products of 16 bits;
 *   5. the remaining summands, one by one.
 *
 * Signs. If no instruction has the required pair of signs, one operand is shifted by 128 into the
 * other sign. The excess, 128 times the sum of the other operand, is subtracted:
 *
 *     a*b = (a + 128)*b - 128*b        a, b signed;  u8(a + 128) is a with its highest bit flipped
 *     a*b = (a - 128)*b + 128*b        a unsigned, a - 128 signed
 */
#include "codegen/idioms/dot.h"

/* ---- taking a sum apart ---- */

static bool is_factor(Expr expr, DotFactor *factor) {
    Expr inner = convert_unwidened(expr);
    int64_t number;
    if (expr_constant_integer(inner, &number)) {
        *factor = (DotFactor){.number = number};
        return number >= INT16_MIN && number <= INT16_MAX;
    }
    *factor = (DotFactor){.inner = inner, .type = inner->type};
    return type_is_machine_integer(inner->type) && inner->type.bits <= 16;
}

/* A product of two narrow numbers, or (a product with 1) a widened byte. */
static bool is_product(Expr expr, DotFactor *a, DotFactor *b) {
    Expr inner = convert_unwidened(expr);
    if (inner->op == OP_MUL || inner->op == OP_WIDENING_MUL)
        if (is_factor(inner->arguments[0], a) && is_factor(inner->arguments[1], b) &&
            (a->inner || b->inner) && (inner->type.bits == 32 || dot_is_exact(a, b, inner->type)))
            return true;
    *b = (DotFactor){.number = 1};
    return inner != expr && is_factor(inner, a) && a->inner && a->type.bits == 8;
}

static DotTerm make_term(Expr expr, bool is_negative) {
    DotTerm term = {.is_negative = is_negative, .whole = expr};
    DotFactor a, b;
    if (!is_product(expr, &a, &b))
        return term;
    if (!a.inner) { /* a constant is the second factor */
        DotFactor first = a;
        a = b, b = first;
    }
    if (is_negative && (b.inner || b.number == INT16_MIN))
        return term;
    b.number = is_negative ? -b.number : b.number;
    return (DotTerm){.is_product = true, .a = a, .b = b};
}

static bool is_widened(const DotTerm *term) {
    return !term->b.inner && (term->b.number == 1 || term->b.number == -1);
}

typedef struct Summand {
    Expr expr;
    bool is_negative;
} Summand;

/* Returns false if the root is no such sum, or is left as written. */
static bool take_apart(Emitter *e, Expr root, DotSum *sum) {
    Summand pending[2 * MOST_TERMS];
    int length = 0;
    *sum = (DotSum){.count = 0};
    pending[length++] = (Summand){root, false};
    e->search++;
    while (length) {
        Summand at = pending[--length];
        bool is_sum = at.expr->op == OP_ADD || at.expr->op == OP_SUB;
        if (is_sum && !(e->values[at.expr->number] && at.expr != root)) {
            if (e->met[at.expr->number] == e->search || length + 2 > MOST_TERMS)
                return false;
            e->met[at.expr->number] = e->search;
            pending[length++] =
                (Summand){at.expr->arguments[1], at.is_negative ^ (at.expr->op == OP_SUB)};
            pending[length++] = (Summand){at.expr->arguments[0], at.is_negative};
            continue;
        }
        if (sum->count == MOST_TERMS)
            return false;
        DotTerm term = make_term(at.expr, at.is_negative);
        sum->products += term.is_product;
        sum->widened += term.is_product && is_widened(&term);
        sum->terms[sum->count++] = term;
    }
    /* LLVM matches half the sum of two widened numbers to an average. */
    return sum->products >= 3 || sum->products - sum->widened >= 2;
}

static bool may_be_dot(const Emitter *e, Expr node) {
    return (node->op == OP_ADD || node->op == OP_SUB) && type_is_machine_integer(node->type) &&
           node->type.bits == 32 && e->lanes.count >= 8;
}

int dot_operands(Emitter *e, Expr node, Expr *operands) {
    DotSum sum;
    int count = 0;
    if (!may_be_dot(e, node) || !take_apart(e, node, &sum))
        return 0;
    for (int i = 0; i < sum.count; i++) {
        const DotTerm *term = &sum.terms[i];
        if (!term->is_product)
            operands[count++] = term->whole;
        if (term->a.inner)
            operands[count++] = term->a.inner;
        if (term->b.inner)
            operands[count++] = term->b.inner;
    }
    return count;
}

/* ---- the sum ---- */

static bool is_uniform(const Emitter *e, const DotTerm *term) {
    return (!term->a.inner || emit_is_uniform(e, term->a.inner)) &&
           (!term->b.inner || emit_is_uniform(e, term->b.inner));
}

/* Marks terms as done: they are no products any more. */
static void finish(DotTerm *const *terms, int count) {
    for (int k = 0; k < count; k++)
        *terms[k] = (DotTerm){0};
}

static void apply_dots(Emitter *e, DotSum *parts, DotApply *apply, LLVMValueRef *sum) {
    for (int wanted = 0; wanted < NOT_BYTES && e->target->dot_lanes; wanted++) {
        DotTerm *terms[BYTES];
        int count = 0;
        for (int i = 0; i < parts->count; i++) {
            DotTerm *term = &parts->terms[i];
            if (!term->is_product || is_uniform(e, term) ||
                dot_find_signs(e, term) != (DotSigns)wanted)
                continue;
            terms[count++] = term;
            if (count < BYTES)
                continue;
            if (apply(e, (DotSigns)wanted, terms, sum))
                finish(terms, BYTES);
            count = 0;
        }
    }
}

static void apply_small(Emitter *e, DotSum *parts, LLVMValueRef *sum) {
    DotTerm *terms[MOST_TERMS];
    int count = 0;
    int64_t least = 0, most = 0;
    for (int i = 0; i <= parts->count; i++) {
        DotTerm *term = i < parts->count ? &parts->terms[i] : NULL;
        if (term && (!dot_is_small(term) || is_uniform(e, term)))
            continue;
        int64_t a = term ? dot_factor_least(&term->a) * term->b.number : 0;
        int64_t b = term ? dot_factor_most(&term->a) * term->b.number : 0;
        least += a < b ? a : b, most += a < b ? b : a;
        if (!term || least < INT16_MIN || most > INT16_MAX) {
            if (count >= 2) {
                dot_add(e, sum, emit_convert(e, I16, I32, dot_small_sum(e, terms, count)));
                finish(terms, count);
            }
            count = 0;
            least = a < b ? a : b, most = a < b ? b : a;
        }
        if (term)
            terms[count++] = term;
    }
}

static void apply_words(Emitter *e, DotSum *parts, LLVMValueRef *sum) {
    DotTerm *terms[WORDS];
    int count = 0;
    for (int i = 0; i < parts->count && !e->target->is_aarch64; i++) {
        DotTerm *term = &parts->terms[i];
        if (!dot_is_word_product(term) || is_uniform(e, term))
            continue;
        terms[count++] = term;
        if (count < WORDS)
            continue;
        if (dot_word_pairs(e, terms, sum))
            finish(terms, WORDS);
        count = 0;
    }
}

/* A product by itself. */
static LLVMValueRef product(Emitter *e, Type type, const DotTerm *term) {
    LLVMValueRef a = dot_factor_value(e, &term->a, type), b = dot_factor_value(e, &term->b, type);
    unsigned lanes = emit_lane_count(a) > 1 ? emit_lane_count(a) : emit_lane_count(b);
    return LLVMBuildMul(e->builder, emit_splat(e, a, lanes), emit_splat(e, b, lanes), "");
}

static void apply_rest(Emitter *e, Type type, DotSum *parts, LLVMValueRef *sum) {
    for (int i = 0; i < parts->count; i++)
        if (parts->terms[i].is_product)
            dot_add(e, sum, product(e, type, &parts->terms[i]));
}

/* Emits the summands that are not products. */
static LLVMValueRef other_summands(Emitter *e, const DotSum *parts) {
    LLVMValueRef sum = NULL;
    for (int i = 0; i < parts->count; i++) {
        const DotTerm *term = &parts->terms[i];
        if (term->is_product)
            continue;
        LLVMValueRef value = emit_known(e, term->whole);
        dot_add(e, &sum, term->is_negative ? LLVMBuildNeg(e->builder, value, "") : value);
    }
    return sum;
}

LLVMValueRef dot_apply(Emitter *e, Expr node) {
    DotSum parts;
    if (!may_be_dot(e, node) || !take_apart(e, node, &parts))
        return NULL;
    LLVMValueRef sum = other_summands(e, &parts);
    apply_dots(e, &parts, dot_in_place, &sum);
    apply_small(e, &parts, &sum);
    apply_dots(e, &parts, dot_interleaved, &sum);
    apply_words(e, &parts, &sum);
    apply_rest(e, node->type, &parts, &sum);
    return sum;
}