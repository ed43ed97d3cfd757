/* smt.c -- writes terms bottom-up, one string per node.
 *
 * A `let` around the whole term names a node's string `$n` if the node is used twice or repeated
 * by its user, or if the string is long. So the text stays linear in the graph. smt_names.c names
 * the operators that SMT-LIB has. The terms of other operators compute exactly in wider
 * bit-vectors, and then cut or clamp the result.
 */
#include "ir/smt.h"

#include "ir/print.h"
#include "ir/smt_names.h"

#include <string.h>

enum { LONG = 100 };

typedef struct SmtText {
    const char *text;
    uint32_t uses;
    bool is_atom;
} SmtText;

typedef struct SmtWriter {
    Arena *arena;
    Map terms;     /* Expr -> SmtText */
    Vec(char) out; /* `(let (($1 ..)) (let (($2 ..)) ..` */
    int bound;
    bool failed;
} SmtWriter;

/* ---- sorts, constants, names ---- */

const char *smt_sort(Arena *arena, Type type) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return "Bool";
    case TYPE_INDEX:
        return "Int";
    case TYPE_INT:
    case TYPE_UINT:
        return arena_format(arena, "(_ BitVec %d)", type.bits);
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        return NULL;
    }
    return NULL;
}

static const char *bit_vector(Arena *arena, uint64_t value, int bits) {
    if (bits < 64)
        value &= ((uint64_t)1 << bits) - 1;
    return arena_format(arena, "(_ bv%llu %d)", (unsigned long long)value, bits);
}

const char *smt_constant(Arena *arena, Type type, Bits bits) {
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return bits ? "true" : "false";
    case TYPE_INDEX:
        return bits < 0 ? arena_format(arena, "(- %llu)", (unsigned long long)(0 - (uint64_t)bits))
                        : arena_number(arena, bits);
    case TYPE_INT:
    case TYPE_UINT:
        return bit_vector(arena, (uint64_t)bits, type.bits);
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        return NULL;
    }
    return NULL;
}

/* Returns the symbol of a variable, hole or func. */
static const char *leaf_name(Arena *arena, Expr expr) {
    if (expr->op == OP_HOLE)
        return arena_format(arena, "|%s|", expr_text(arena, expr));
    if (expr->op == OP_ACCESS)
        return arena_format(arena, "|%s[%d].%d|", expr->name->text, expr->arity, expr->component);
    return arena_format(arena, "|%s|", expr->name->text);
}

/* ---- operators that SMT-LIB has ---- */

/* Returns null for floats, which have no term. */
static const char *standard_name(Op op, Type type) {
    return type_is_float(type) ? NULL : smt_operator(smt_theory(type), op);
}

/* ---- bit-vectors of other widths ---- */

static const char *extended(Arena *arena, const char *text, Type type, int bits) {
    return arena_format(arena, "((_ %s %d) %s)",
                        type.kind == TYPE_INT ? "sign_extend" : "zero_extend", bits - type.bits,
                        text);
}

static const char *low_bits(Arena *arena, const char *text, int bits) {
    return arena_format(arena, "((_ extract %d 0) %s)", bits - 1, text);
}

/* Clamps a signed bit-vector of `wide` bits to `type`. `wide` must hold both ends of the type. */
static const char *clamped(Arena *arena, const char *text, int wide, Type type) {
    const char *least = bit_vector(arena, (uint64_t)type_minimum(type), type.bits);
    const char *most = bit_vector(arena, (uint64_t)type_maximum(type), type.bits);
    return arena_format(arena,
                        "(let (($w %s)) (ite (bvslt $w %s) %s (ite (bvsgt $w %s) %s "
                        "((_ extract %d 0) $w))))",
                        text, extended(arena, least, type, wide), least,
                        extended(arena, most, type, wide), most, type.bits - 1);
}

/* ---- other operators: the operand texts a, b, c are atoms ---- */

/* Writes the term of a node. The rows of ops.def name these functions. */
typedef const char *OperatorTerm(Arena *arena, Expr node, const char *const *operands);

static Type operand_type(Expr node) {
    return node->arguments[0]->type;
}

static const char *divide(Arena *arena, bool modulo, Type type, const char *a, const char *b) {
    const char *zero = smt_constant(arena, type, 0);
    if (type_is_index(type))
        return arena_format(arena, "(ite (= %s 0) 0 (%s %s %s))", b, modulo ? "mod" : "div", a, b);
    if (type.kind == TYPE_UINT)
        return arena_format(arena, "(ite (= %s %s) %s (%s %s %s))", b, zero, zero,
                            modulo ? "bvurem" : "bvudiv", a, b);
    const char *one = smt_constant(arena, type, 1);
    const char *corrected =
        modulo
            ? arena_format(arena, "(bvadd (bvsrem %s %s) (ite (bvslt %s %s) (bvneg %s) %s))", a, b,
                           b, zero, b, b)
            : arena_format(
                  arena, "(ite (bvslt %s %s) (bvadd (bvsdiv %s %s) %s) (bvsub (bvsdiv %s %s) %s))",
                  b, zero, a, b, one, a, b, one);
    return arena_format(arena, "(ite (= %s %s) %s (ite (bvslt (bvsrem %s %s) %s) %s (%s %s %s)))",
                        b, zero, zero, a, b, zero, corrected, modulo ? "bvsrem" : "bvsdiv", a, b);
}

static const char *div_term(Arena *arena, Expr node, const char *const *operands) {
    return divide(arena, false, operand_type(node), operands[0], operands[1]);
}

static const char *mod_term(Arena *arena, Expr node, const char *const *operands) {
    return divide(arena, true, operand_type(node), operands[0], operands[1]);
}

static const char *smaller(Type type) {
    return standard_name(OP_LT, type);
}

static const char *min_term(Arena *arena, Expr node, const char *const *operands) {
    const char *a = operands[0], *b = operands[1];
    return arena_format(arena, "(ite (%s %s %s) %s %s)", smaller(node->type), b, a, b, a);
}

static const char *max_term(Arena *arena, Expr node, const char *const *operands) {
    const char *a = operands[0], *b = operands[1];
    return arena_format(arena, "(ite (%s %s %s) %s %s)", smaller(node->type), a, b, b, a);
}

static const char *abs_term(Arena *arena, Expr node, const char *const *operands) {
    Type type = node->type;
    const char *a = operands[0];
    return arena_format(arena, "(ite (%s %s %s) (%s %s) %s)", smaller(type), a,
                        smt_constant(arena, type, 0), standard_name(OP_NEG, type), a, a);
}

static const char *absd_term(Arena *arena, Expr node, const char *const *operands) {
    const char *a = operands[0], *b = operands[1];
    return arena_format(arena, "(ite (%s %s %s) (bvsub %s %s) (bvsub %s %s))",
                        smaller(operand_type(node)), a, b, b, a, a, b);
}

/* Writes (a*(M - w) + b*w + M/2) / M. Signed operands are biased by the least value. */
static const char *lerp_term(Arena *arena, Expr node, const char *const *operands) {
    Type type = node->type;
    const char *a = operands[0], *b = operands[1], *w = operands[2];
    int bits = type.bits, wide = 2 * bits + 1;
    Type whole = {TYPE_UINT, (uint8_t)bits, 1};
    const char *bias = bit_vector(arena, (uint64_t)type_minimum(type), bits);
    const char *most = extended(arena, bit_vector(arena, UINT64_MAX, bits), whole, wide);
    const char *half =
        extended(arena, bit_vector(arena, UINT64_MAX >> (65 - bits), bits), whole, wide);
    const char *left = extended(arena, arena_format(arena, "(bvxor %s %s)", a, bias), whole, wide);
    const char *right = extended(arena, arena_format(arena, "(bvxor %s %s)", b, bias), whole, wide);
    const char *weight = extended(arena, w, whole, wide);
    const char *sum = arena_format(arena, "(bvadd (bvmul %s (bvsub %s %s)) (bvmul %s %s) %s)", left,
                                   most, weight, right, weight, half);
    return arena_format(arena, "(bvxor %s %s)",
                        low_bits(arena, arena_format(arena, "(bvudiv %s %s)", sum, most), bits),
                        bias);
}

/* Writes a sum or difference with two extra bits, then halves or clamps it. */
static const char *sum_term(Arena *arena, Expr node, const char *const *operands) {
    Op op = (Op)node->op;
    Type type = node->type;
    int wide = type.bits + 2;
    bool subtract = op == OP_SATURATING_SUB || op == OP_HALVING_SUB;
    Type one_bit = {TYPE_UINT, 1, 1};
    const char *one = extended(arena, bit_vector(arena, 1, 1), one_bit, wide);
    const char *exact = arena_format(arena, "(%s %s %s)", subtract ? "bvsub" : "bvadd",
                                     extended(arena, operands[0], type, wide),
                                     extended(arena, operands[1], type, wide));
    if (op == OP_SATURATING_ADD || op == OP_SATURATING_SUB)
        return clamped(arena, exact, wide, type);
    if (op == OP_ROUNDING_HALVING_ADD)
        exact = arena_format(arena, "(bvadd %s %s)", exact, one);
    return low_bits(arena, arena_format(arena, "(bvashr %s %s)", exact, one), type.bits);
}

/* Writes floor(x / 2^amount + 1/2). Both operands have `wide` bits, and x has one to spare. */
static const char *rounded_shift(Arena *arena, const char *x, const char *amount, int wide) {
    const char *one = bit_vector(arena, 1, 64);
    one = wide > 64 ? extended(arena, one, U64, wide) : bit_vector(arena, 1, wide);
    return arena_format(arena, "(bvashr (bvadd (bvashr (bvshl %s %s) %s) %s) %s)", x, one, amount,
                        one, one);
}

static const char *rounding_shift_right_term(Arena *arena, Expr node, const char *const *operands) {
    Type type = node->type;
    const char *a = operands[0], *amount = operands[1];
    int wide = type.bits + 2;
    Type whole = {TYPE_UINT, type.bits, 1};
    const char *shifted = rounded_shift(arena, extended(arena, a, type, wide),
                                        extended(arena, amount, whole, wide), wide);
    return arena_format(arena, "(ite (bvult %s %s) %s %s)", amount,
                        bit_vector(arena, type.bits, type.bits),
                        low_bits(arena, shifted, type.bits), bit_vector(arena, 0, type.bits));
}

static const char *mul_shift_term(Arena *arena, Expr node, const char *const *operands) {
    Type type = node->type;
    const char *a = operands[0], *b = operands[1], *amount = operands[2];
    int wide = 2 * type.bits + 2;
    Type whole = {TYPE_UINT, type.bits, 1};
    const char *product = arena_format(arena, "(bvmul %s %s)", extended(arena, a, type, wide),
                                       extended(arena, b, type, wide));
    amount = extended(arena, amount, whole, wide);
    const char *shifted = node->op == OP_MUL_SHIFT_RIGHT
                              ? arena_format(arena, "(bvashr %s %s)", product, amount)
                              : rounded_shift(arena, product, amount, wide);
    return clamped(arena, shifted, wide, type);
}

static const char *widening_term(Arena *arena, Expr node, const char *const *operands) {
    Op op = (Op)node->op;
    Type type = operand_type(node);
    const char *name = op == OP_WIDENING_ADD ? "bvadd" : op == OP_WIDENING_SUB ? "bvsub" : "bvmul";
    return arena_format(arena, "(%s %s %s)", name,
                        extended(arena, operands[0], type, 2 * type.bits),
                        extended(arena, operands[1], type, 2 * type.bits));
}

/* Writes a sum over the bits, or the first set bit from the bottom (`ctz`) or the top (`clz`). */
static const char *bit_count_term(Arena *arena, Expr node, const char *const *operands) {
    Op op = (Op)node->op;
    Type type = node->type;
    const char *a = operands[0];
    const char *text = op == OP_POPCOUNT ? bit_vector(arena, 0, type.bits)
                                         : bit_vector(arena, type.bits, type.bits);
    for (int i = 0; i < type.bits; i++) {
        int bit = op == OP_CTZ ? type.bits - 1 - i : i;
        const char *is_set = arena_format(arena, "(= ((_ extract %d %d) %s) #b1)", bit, bit, a);
        int zeros = op == OP_CTZ ? bit : type.bits - 1 - bit;
        text = op == OP_POPCOUNT
                   ? arena_format(arena, "(bvadd (ite %s %s %s) %s)", is_set,
                                  bit_vector(arena, 1, type.bits), bit_vector(arena, 0, type.bits),
                                  text)
                   : arena_format(arena, "(ite %s %s %s)", is_set,
                                  bit_vector(arena, (uint64_t)zeros, type.bits), text);
    }
    return text;
}

/* ---- conversions ---- */

static const char *cast_to_index(Arena *arena, Type from, const char *a) {
    if (type_is_bool(from))
        return arena_format(arena, "(ite %s 1 0)", a);
    if (from.kind == TYPE_UINT)
        return arena_format(arena, "(bv2nat %s)", a);
    return arena_format(arena, "(ite (bvslt %s %s) (- (bv2nat %s) %s) (bv2nat %s))", a,
                        smt_constant(arena, from, 0), a,
                        from.bits == 64 ? "18446744073709551616"
                                        : arena_format(arena, "%llu", 1ull << from.bits),
                        a);
}

static const char *cast(Arena *arena, Type from, Type to, const char *a) {
    if (type_is_bool(to))
        return arena_format(arena, "(distinct %s %s)", a, smt_constant(arena, from, 0));
    if (type_is_index(to))
        return cast_to_index(arena, from, a);
    if (type_is_index(from))
        return arena_format(arena, "((_ int2bv %d) %s)", to.bits, a);
    if (type_is_bool(from))
        return arena_format(arena, "(ite %s %s %s)", a, bit_vector(arena, 1, to.bits),
                            bit_vector(arena, 0, to.bits));
    return from.bits < to.bits ? extended(arena, a, from, to.bits) : low_bits(arena, a, to.bits);
}

static const char *cast_term(Arena *arena, Expr node, const char *const *operands) {
    return cast(arena, operand_type(node), node->type, operands[0]);
}

static const char *saturating_cast_term(Arena *arena, Expr node, const char *const *operands) {
    Type from = operand_type(node), to = node->type;
    const char *a = operands[0];
    if (type_is_bool(from))
        return cast(arena, from, to, a);
    if (!type_is_index(from)) {
        int wide = (from.bits > to.bits ? from.bits : to.bits) + 2;
        return clamped(arena, extended(arena, a, from, wide), wide, to);
    }
    const char *least = smt_constant(arena, INDEX, type_minimum(to));
    const char *most = to.kind == TYPE_UINT && to.bits == 64
                           ? "18446744073709551615"
                           : smt_constant(arena, INDEX, type_maximum(to));
    return arena_format(arena, "((_ int2bv %d) (ite (< %s %s) %s (ite (> %s %s) %s %s)))", to.bits,
                        a, least, least, a, most, most, a);
}

static const char *reinterpret_term(Arena *arena, Expr node, const char *const *operands) {
    (void)arena;
    (void)node;
    return operands[0];
}

/* Returns null if the operator has no term. */
static const char *other_operator(Arena *arena, Expr node, const char *const *operands) {
#define NONE_term NULL
    static OperatorTerm *const terms[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, ...)                     \
    [OP_##NAME] = TERM##_term,
#include "ir/ops.def"
#undef OP
    };
    return terms[node->op] ? terms[node->op](arena, node, operands) : NULL;
}

/* ---- building ---- */

static void put(SmtWriter *builder, const char *text) {
    for (; *text; text++)
        vec_push(builder->arena, &builder->out, *text);
}

static SmtText *term_of(SmtWriter *builder, Expr expr) {
    return map_get(&builder->terms, expr);
}

/* Returns the text of an operand. Binds it to a name first if it is repeated, shared or long. */
static const char *operand_text(SmtWriter *builder, Expr expr, bool repeated) {
    SmtText *term = term_of(builder, expr);
    if (term->is_atom || !(repeated || term->uses > 1 || strlen(term->text) > LONG))
        return term->text;
    const char *name = arena_format(builder->arena, "$%d", ++builder->bound);
    put(builder, arena_format(builder->arena, "(let ((%s ", name));
    put(builder, term->text);
    put(builder, "))\n");
    term->text = name;
    term->is_atom = true;
    return name;
}

static const char *application(SmtWriter *builder, Expr expr, const char *name) {
    const char *text = arena_format(builder->arena, "(%s", name);
    for (int i = 0; i < expr->arity; i++)
        text = arena_format(builder->arena, "%s %s", text,
                            operand_text(builder, expr->arguments[i], false));
    return arena_format(builder->arena, "%s)", text);
}

static const char *node_text(SmtWriter *builder, Expr expr, bool *is_atom) {
    Arena *arena = builder->arena;
    *is_atom = expr->arity == 0;
    if (!smt_sort(arena, expr->type))
        return NULL;
    if (expr->op == OP_CONSTANT)
        return smt_constant(arena, expr->type, expr->bits);
    if (*is_atom)
        return leaf_name(arena, expr);
    if (expr->op == OP_ACCESS)
        return application(builder, expr, leaf_name(arena, expr));
    const char *standard =
        standard_name((Op)expr->op, expr->arguments[expr->op == OP_SELECT ? 1 : 0]->type);
    if (standard)
        return application(builder, expr, standard);
    const char *operands[OP_MAX_ARITY] = {"", "", ""};
    for (int i = 0; i < expr->arity; i++)
        operands[i] = operand_text(builder, expr->arguments[i], true);
    return other_operator(arena, expr, operands);
}

static void count_uses(void *data, Expr expr) {
    SmtWriter *builder = data;
    map_put(&builder->terms, expr, arena_new(builder->arena, SmtText));
    for (int i = 0; i < expr->arity; i++)
        term_of(builder, expr->arguments[i])->uses++;
}

static void build(void *data, Expr expr) {
    SmtWriter *builder = data;
    if (builder->failed)
        return;
    SmtText *term = term_of(builder, expr);
    term->text = node_text(builder, expr, &term->is_atom);
    builder->failed = !term->text;
}

const char *smt_term(Arena *arena, Expr expr) {
    SmtWriter builder = {.arena = arena, .terms = map_create(arena)};
    expr_visit(arena, expr, count_uses, &builder);
    expr_visit(arena, expr, build, &builder);
    if (builder.failed)
        return NULL;
    put(&builder, term_of(&builder, expr)->text);
    for (int i = 0; i < builder.bound; i++)
        put(&builder, ")");
    vec_push(arena, &builder.out, '\0');
    return builder.out.data;
}

/* ---- scripts ---- */

/* A declared func, by component and number of indices. */
typedef struct Declared {
    int component, arity;
    struct Declared *next;
} Declared;

typedef struct Declaring {
    SmtWriter builder; /* only `out` and `failed` are used */
    Map leaves;        /* variables and holes */
    Map funcs;         /* Symbol -> Declared */
} Declaring;

static bool is_new(Declaring *declaring, Expr expr) {
    if (expr->op != OP_ACCESS) {
        bool known = map_get(&declaring->leaves, expr);
        map_put(&declaring->leaves, expr, expr);
        return !known;
    }
    Declared *first = map_get(&declaring->funcs, expr->name);
    for (Declared *declared = first; declared; declared = declared->next)
        if (declared->component == expr->component && declared->arity == expr->arity)
            return false;
    Declared *declared = arena_new(declaring->builder.arena, Declared);
    *declared = (Declared){expr->component, expr->arity, first};
    map_put(&declaring->funcs, expr->name, declared);
    return true;
}

static void declare(void *data, Expr expr) {
    Declaring *declaring = data;
    Arena *arena = declaring->builder.arena;
    bool is_named = expr->op == OP_VARIABLE || expr->op == OP_HOLE || expr->op == OP_ACCESS;
    if (!is_named || !is_new(declaring, expr))
        return;
    const char *sort = smt_sort(arena, expr->type);
    declaring->builder.failed |= !sort;
    put(&declaring->builder, arena_format(arena, "(declare-fun %s (", leaf_name(arena, expr)));
    for (int i = 0; i < expr->arity; i++)
        put(&declaring->builder, i ? " Int" : "Int");
    put(&declaring->builder, arena_format(arena, ") %s)\n", sort ? sort : "?"));
}

const char *smt_declarations(Arena *arena, const Expr *exprs, size_t count) {
    Declaring declaring = {.builder = {.arena = arena}};
    declaring.leaves = map_create(arena);
    declaring.funcs = map_create(arena);
    for (size_t i = 0; i < count; i++)
        expr_visit(arena, exprs[i], declare, &declaring);
    vec_push(arena, &declaring.builder.out, '\0');
    return declaring.builder.failed ? NULL : declaring.builder.out.data;
}

const char *smt_validity(Arena *arena, const Expr *assumptions, size_t count, Expr claim) {
    SmtWriter script = {.arena = arena};
    Exprs all = {0};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &all, assumptions[i]);
    vec_push(arena, &all, claim);
    const char *declarations = smt_declarations(arena, all.data, all.length);
    if (!declarations)
        return NULL;
    put(&script, declarations);
    for (size_t i = 0; i < all.length; i++) {
        const char *term = smt_term(arena, all.data[i]);
        if (!term)
            return NULL;
        put(&script, i + 1 < all.length ? "(assert " : "(assert (not ");
        put(&script, term);
        put(&script, i + 1 < all.length ? ")\n" : "))\n");
    }
    put(&script, "(check-sat)\n");
    vec_push(arena, &script.out, '\0');
    return script.out.data;
}
