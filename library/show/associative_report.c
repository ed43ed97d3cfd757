/* associative_report.c -- prints the analysis of an operator. */
#include "library/show/associative_report.h"

#include "ir/print.h"
#include "library/text.h"

static const char *tuple_text(Arena *arena, const Associativity *found, const Bits *values) {
    const char *text = text_value(arena, found->types[0], values[0]);
    for (int i = 1; i < found->arity; i++)
        text = arena_format(arena, "%s, %s", text, text_value(arena, found->types[i], values[i]));
    return found->arity == 1 ? text : arena_format(arena, "{%s}", text);
}

static const char *identity_text(Arena *arena, const Associativity *found) {
    const char *text = "";
    for (int i = 0; i < found->arity; i++) {
        Expr identity = found->identity[i];
        const char *element = expr_is_constant(identity)
                                  ? text_value(arena, identity->type, identity->bits)
                                  : expr_text_plain(arena, identity);
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "", element);
    }
    return found->arity == 1 ? text : arena_format(arena, "{%s}", text);
}

/* `minimum, argmin of 0, 1`: names the components if there are several parts. */
static const char *parts_text(Arena *arena, const Associativity *found) {
    const char *text = "";
    for (size_t i = 0; i < found->parts.length; i++) {
        const AssociativePart *part = &found->parts.data[i];
        text = arena_format(arena, "%s%s%s", text, i ? " and " : "",
                            part->entry ? part->entry : "a proof of its own");
        const char *separator = "(";
        for (int j = 0; j < found->arity && found->parts.length > 1; j++)
            if (part->elements >> j & 1) {
                text = arena_format(arena, "%s%s%d", text, separator, j);
                separator = ", ";
            }
        text = found->parts.length > 1 ? arena_format(arena, "%s)", text) : text;
    }
    return text;
}

static void print_counterexample(FILE *out, Arena *arena, const Associativity *found) {
    const Counterexample *c = &found->counterexample;
    fprintf(out, "not associative: x = %s, y = %s, z = %s", tuple_text(arena, found, c->x),
            tuple_text(arena, found, c->y), tuple_text(arena, found, c->z));
    if (c->has_constant)
        fprintf(out, ", k = %s", text_value(arena, found->types[0], c->constant));
    fprintf(out, ": f(f(x, y), z) = %s, f(x, f(y, z)) = %s", tuple_text(arena, found, c->left),
            tuple_text(arena, found, c->right));
}

/* ` where 0 <= x.0`; empty if it holds for all tuples. */
static const char *where_text(Arena *arena, const Associativity *found) {
    const char *text = "";
    for (int i = 0; i < found->arity; i++) {
        bool is_positive = found->positive >> i & 1;
        if (is_positive || found->not_negative >> i & 1)
            text = arena_format(arena, "%s %s 0 %s x.%d", text, *text ? "and" : "where",
                                is_positive ? "<" : "<=", i);
    }
    return text;
}

void associative_line(FILE *out, Arena *arena, const Associativity *found) {
    switch (found->verdict) {
    case ASSOCIATIVE_YES:
        fprintf(out, "associative%s%s, %s%s, %s, made of %s",
                found->is_exact ? "" : " over the reals", where_text(arena, found),
                found->has_identity     ? "identity "
                : found->lacks_identity ? "no identity"
                                        : "no identity found",
                found->has_identity ? identity_text(arena, found) : "",
                found->is_commutative ? "commutative" : "not commutative",
                parts_text(arena, found));
        break;
    case ASSOCIATIVE_NO:
        print_counterexample(out, arena, found);
        break;
    case ASSOCIATIVE_UNKNOWN:
        fprintf(out, "unknown: %s", found->reason);
        break;
    }
}

void associative_elements(FILE *out, Arena *arena, const Associativity *found) {
    for (int i = 0; i < found->arity && found->verdict == ASSOCIATIVE_YES; i++)
        fprintf(out, "  x.%d becomes %s, y.%d is %s\n", i,
                expr_text_plain(arena, found->operator[i]), i,
                expr_formula(arena, found->injected[i]));
    const char *remedy = associative_remedy(arena, found);
    if (remedy)
        fprintf(out, "  %s\n", remedy);
}
