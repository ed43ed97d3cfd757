/* print.c -- prints expressions and statements in the text form; docs/text-form.md has the grammar.
 *
 * A stack of parts replaces recursion. Before it prints a statement, the printer walks the graph of
 * its expressions once. A node that is used twice and larger than 8 nodes gets a line `%n = ..`
 * before the statement; so does a node above 48 nested levels. So the text is linear in the graph,
 * and never nested deeper than the reader accepts. print_program.c prints headers and signatures.
 */
#include "ir/printer.h"

#include <stdarg.h>
#include <string.h>

enum { LARGE = 8, DEEPEST = 48 };

void printer_put_texts_(TextPrinter *printer, const char *const *texts) {
    for (; *texts; texts++) {
        size_t length = strlen(*texts);
        vec_reserve(printer->arena, &printer->text, printer->text.length + length);
        if (length)
            memcpy(printer->text.data + printer->text.length, *texts, length);
        printer->text.length += length;
    }
}

void printer_put_format(TextPrinter *printer, const char *format, ...) {
    char buffer[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    printer_put(printer, buffer);
}

void printer_put_spaces(TextPrinter *printer, int count) {
    for (; count > 0; count--)
        vec_push(printer->arena, &printer->text, ' ');
}

char *printer_text(TextPrinter *printer) {
    vec_push(printer->arena, &printer->text, '\0');
    return printer->text.data;
}

/* ---- expressions ---- */

static PrinterMark *mark_of(const TextPrinter *printer, Expr expr) {
    static PrinterMark none;
    if (!printer->marks)
        return &none;
    PrinterMark *mark = &printer->marks[expr->number];
    return mark->epoch == printer->epoch ? mark : &none;
}

static void put_constant(TextPrinter *printer, Expr expr, bool after_prefix) {
    char text[64];
    value_print(expr->type, expr->bits, text, sizeof text);
    bool parenthesised = after_prefix && text[0] == '-';
    printer_put(printer, parenthesised ? "(" : "", text);
    if (!printer->plain && !type_is_index(expr->type) && !type_is_bool(expr->type))
        printer_put_format(printer, ":%s", type_name(expr->type));
    printer_put(printer, parenthesised ? ")" : "");
}

static void put_hole(TextPrinter *printer, const Hole *hole) {
    static const char *const kinds[] = {[HOLE_MEM] = "mem", [HOLE_CPU] = "cpu", [HOLE_FOR] = "for"};
    printer_put_format(printer, "?%s.", kinds[hole->kind]);
    printer_put(printer, hole->func->text);
    if (hole->specialization)
        printer_put_format(printer, ".z%d", hole->specialization);
    if (hole->kind == HOLE_FOR)
        printer_put_format(printer, ".s%d", hole->stage);
    printer_put(printer, ".", hole->variable->text, hole->end == HOLE_MINIMUM ? ".min" : ".len");
    if (hole->copy)
        printer_put_format(printer, "'%d", hole->copy);
}

/* Returns the operator with spaces, as in ` + `; `*` and `/` have none. */
static const char *infix_text(const OpInfo *info) {
    bool close = strcmp(info->text, "*") == 0 || strcmp(info->text, "/") == 0;
    return close ? info->text : info->spaced;
}

/* An infix operator, or a call with two arguments, and its operands in printing order. */
typedef struct Turned {
    const OpInfo *info;
    Expr first, second;
} Turned;

/* Swaps the operands if the meaning stays the same and the variable moves to the left. */
static Turned turn(const TextPrinter *printer, Expr expr) {
    Turned result = {op_info((Op)expr->op), expr->arguments[0], expr->arguments[1]};
    bool less = expr->op == OP_LT || expr->op == OP_LE;
    if (!printer->toward || !(less || op_commutes((Op)expr->op, result.first->type)) ||
        !expr_mentions(printer->arena, result.second, printer->toward) ||
        expr_mentions(printer->arena, result.first, printer->toward))
        return result;
    if (less)
        result.info = op_info(expr->op == OP_LT ? OP_GT : OP_GE);
    return (Turned){result.info, result.second, result.first};
}

/* Does the right operand continue the chain, as in `a && (b && (c && ..`? */
static bool is_chained(const TextPrinter *printer, Expr expr) {
    return printer->flat && (expr->op == OP_AND || expr->op == OP_OR) &&
           expr->arguments[1]->op == expr->op;
}

static void split_infix(TextPrinter *printer, Expr expr, PrinterParts *parts) {
    Arena *arena = printer->arena;
    Turned turned = turn(printer, expr);
    int precedence = turned.info->precedence;
    int inner = is_chained(printer, expr) ? precedence : precedence + 1;
    vec_push(arena, parts, (PrinterPart){.expr = turned.first, .precedence = precedence});
    vec_push(arena, parts, (PrinterPart){.text = infix_text(turned.info)});
    vec_push(arena, parts, (PrinterPart){.expr = turned.second, .precedence = inner});
}

static void split_arguments(TextPrinter *printer, Expr expr, PrinterParts *parts) {
    Arena *arena = printer->arena;
    for (int i = 0; i < expr->arity; i++) {
        Expr argument = expr->arguments[i];
        if (expr->arity == 2) {
            Turned turned = turn(printer, expr);
            argument = i ? turned.second : turned.first;
        }
        if (i)
            vec_push(arena, parts, (PrinterPart){.text = ", "});
        vec_push(arena, parts, (PrinterPart){.expr = argument});
    }
}

/* `extern "name"(first .. last, scalar)`: extern.h. */
static void split_extern(TextPrinter *printer, Expr expr, PrinterParts *parts) {
    Arena *arena = printer->arena;
    vec_push(arena, parts,
             (PrinterPart){.text = arena_format(arena, "extern \"%s\"(", expr->name->text)});
    bool is_last = false; /* of a box */
    for (int i = 0; i < expr->arity; i++) {
        if (i)
            vec_push(arena, parts, (PrinterPart){.text = is_last ? " .. " : ", "});
        vec_push(arena, parts, (PrinterPart){.expr = expr->arguments[i]});
        is_last = expr->arguments[i]->op == OP_ACCESS && !is_last;
    }
    vec_push(arena, parts, (PrinterPart){.text = ")"});
}

/* Lists the parts of a node with arguments, in printing order. */
static void split_node(TextPrinter *printer, Expr expr, int precedence, PrinterParts *parts) {
    Arena *arena = printer->arena;
    if (expr->op == OP_ACCESS) {
        vec_push(arena, parts, (PrinterPart){.text = expr->name->text});
        vec_push(arena, parts, (PrinterPart){.text = "["});
        for (int i = 0; i < expr->arity; i++) {
            if (i)
                vec_push(arena, parts, (PrinterPart){.text = ", "});
            vec_push(arena, parts, (PrinterPart){.expr = expr->arguments[i]});
        }
        vec_push(arena, parts, (PrinterPart){.text = "]"});
        if (expr->component)
            vec_push(arena, parts,
                     (PrinterPart){.text = arena_format(arena, ".%d", expr->component)});
        return;
    }
    if (expr->op == OP_EXTERN) {
        split_extern(printer, expr, parts);
        return;
    }
    if (expr->op >= OP_COUNT) { /* a vector */
        vec_push(arena, parts, (PrinterPart){.text = expr->op == OP_RAMP ? "ramp(" : "broadcast("});
        for (int i = 0; i < expr->arity; i++) {
            vec_push(arena, parts, (PrinterPart){.expr = expr->arguments[i]});
            vec_push(arena, parts, (PrinterPart){.text = ", "});
        }
        vec_push(arena, parts, (PrinterPart){.text = arena_format(arena, "%d)", expr->type.lanes)});
        return;
    }
    const OpInfo *info = op_info((Op)expr->op);
    bool open = info->precedence != 0 && info->precedence < precedence;
    if (open)
        vec_push(arena, parts, (PrinterPart){.text = "("});
    switch (info->form) {
    case FORM_INFIX:
        split_infix(printer, expr, parts);
        break;
    case FORM_PREFIX:
        vec_push(arena, parts, (PrinterPart){.text = info->text});
        vec_push(arena, parts,
                 (PrinterPart){.expr = expr->arguments[0],
                               .precedence = info->precedence,
                               .after_prefix = true});
        break;
    case FORM_CALL:
    case FORM_CAST:
        vec_push(
            arena, parts,
            (PrinterPart){.text = info->form == FORM_CAST ? type_name(expr->type) : info->text});
        if (info->types == TYPES_CONVERT && info->form == FORM_CALL)
            vec_push(arena, parts,
                     (PrinterPart){.text = arena_format(arena, "<%s>", type_name(expr->type))});
        vec_push(arena, parts, (PrinterPart){.text = "("});
        split_arguments(printer, expr, parts);
        vec_push(arena, parts, (PrinterPart){.text = ")"});
        break;
    }
    if (open)
        vec_push(arena, parts, (PrinterPart){.text = ")"});
}

static void put_part(TextPrinter *printer, const PrinterPart *part, bool is_definition,
                     PrinterParts *stack) {
    Expr expr = part->expr;
    if (part->text) {
        printer_put(printer, part->text);
    } else if (!is_definition && mark_of(printer, expr)->label) {
        printer_put_format(printer, "%%%u", mark_of(printer, expr)->label);
    } else if (expr->op == OP_CONSTANT) {
        put_constant(printer, expr, part->after_prefix);
    } else if (expr->op == OP_VARIABLE) {
        printer_put(printer, expr->name->text);
    } else if (expr->op == OP_HOLE) {
        put_hole(printer, expr->hole);
    } else {
        printer->parts.length = 0;
        split_node(printer, expr, part->precedence, &printer->parts);
        for (size_t i = printer->parts.length; i-- > 0;)
            vec_push(printer->arena, stack, printer->parts.data[i]);
    }
}

static void put_root(TextPrinter *printer, Expr expr, bool is_definition) {
    enum { DEEP = 100 };
    printer->flat = !printer->marks && expr->depth > DEEP;
    PrinterParts stack = {0};
    vec_push(printer->arena, &stack, (PrinterPart){.expr = expr});
    for (bool first = true; stack.length; first = false) {
        PrinterPart part = stack.data[--stack.length];
        put_part(printer, &part, is_definition && first, &stack);
    }
}

void printer_put_expr(TextPrinter *printer, Expr expr) {
    put_root(printer, expr, false);
}

/* ---- sharing ---- */

static PrinterMark *fresh_mark(TextPrinter *printer, Expr expr) {
    PrinterMark *mark = &printer->marks[expr->number];
    if (mark->epoch != printer->epoch)
        *mark = (PrinterMark){.epoch = printer->epoch};
    return mark;
}

/* Lists the nodes under `root` that are new in this statement, arguments first, and counts uses. */
static void collect(TextPrinter *printer, Expr root, Exprs *order) {
    Exprs stack = {0};
    if (fresh_mark(printer, root)->uses++)
        return;
    vec_push(printer->arena, &stack, root);
    while (stack.length) {
        Expr node = stack.data[stack.length - 1];
        PrinterMark *mark = &printer->marks[node->number];
        if (mark->next_argument == node->arity) {
            vec_push(printer->arena, order, node);
            stack.length--;
            continue;
        }
        Expr argument = node->arguments[mark->next_argument++];
        if (fresh_mark(printer, argument)->uses++ == 0)
            vec_push(printer->arena, &stack, argument);
    }
}

/* Returns the nesting depth of the node in the text. A shared node counts as a leaf. */
static uint32_t printed_depth(const TextPrinter *printer, Expr expr) {
    uint32_t depth = 0;
    for (int i = 0; i < expr->arity; i++) {
        const PrinterMark *mark = &printer->marks[expr->arguments[i]->number];
        if (!mark->label && mark->depth > depth)
            depth = mark->depth;
    }
    return depth + 1;
}

void printer_put_shared(TextPrinter *printer, const Exprs *roots, int indentation) {
    printer->epoch++;
    bool large = false;
    for (size_t i = 0; i < roots->length; i++)
        large |= roots->data[i]->tree_size > LARGE;
    if (!large)
        return;
    Exprs order = {0};
    for (size_t i = 0; i < roots->length; i++)
        collect(printer, roots->data[i], &order);
    uint32_t labels = 0;
    for (size_t i = 0; i < order.length; i++) {
        Expr expr = order.data[i];
        PrinterMark *mark = &printer->marks[expr->number];
        mark->depth = printed_depth(printer, expr);
        bool shared = mark->uses > 1 && expr->tree_size > LARGE;
        if ((!shared && mark->depth < DEEPEST) || expr->op == OP_EXTERN)
            continue;
        printer_put_spaces(printer, indentation);
        printer_put_format(printer, "%%%u = ", ++labels);
        put_root(printer, expr, true);
        printer_put(printer, "\n");
        mark->label = labels;
    }
}

/* ---- entries ---- */

char *expr_text(Arena *arena, Expr expr) {
    TextPrinter printer = {.arena = arena};
    printer_put_expr(&printer, expr);
    return printer_text(&printer);
}

char *expr_text_plain(Arena *arena, Expr expr) {
    TextPrinter printer = {.arena = arena, .plain = true};
    printer_put_expr(&printer, expr);
    return printer_text(&printer);
}

char *expr_text_toward(Arena *arena, Expr expr, Symbol variable, bool plain) {
    TextPrinter printer = {.arena = arena, .plain = plain, .toward = variable};
    printer_put_expr(&printer, expr);
    return printer_text(&printer);
}

/* Returns the length of the name in `index(name)`, or 0. Readers need no cast there. */
static size_t name_in_index(const char *text) {
    static const char cast[] = "index(";
    size_t length = sizeof cast - 1;
    if (strncmp(text, cast, length) != 0)
        return 0;
    size_t name =
        strspn(text + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return text[length + name] == ')' ? name : 0;
}

/* Returns the length of the name in `name*-1` if that is the first term of a sum, or 0. People
 * write `-name`. */
static size_t name_negated(const char *text, const char *in) {
    bool is_first = in == text || in[-1] == '(' ||
                    (in - text >= 2 && in[-1] == ' ' && strchr("<>=,&|", in[-2]));
    if (!is_first)
        return 0;
    size_t name = strspn(in, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
    bool is_name = name && !(in[0] >= '0' && in[0] <= '9') && strncmp(in + name, "*-1", 3) == 0;
    return is_name && strchr(" ),", in[name + 3]) ? name : 0; /* or the text's end */
}

static char *formula_of(Arena *arena, const char *in) {
    const char *text = in;
    char *formula = arena_allocate(arena, strlen(in) + 1), *out = formula;
    while (*in) {
        size_t name = name_in_index(in), negated = name_negated(text, in);
        if (negated) {
            *out++ = '-';
            memcpy(out, in, negated);
            out += negated;
            in += negated + strlen("*-1");
        } else if (name) {
            memcpy(out, in + strlen("index("), name);
            out += name;
            in += strlen("index()") + name;
        } else if (strncmp(in, "+ -", 3) == 0 && in[3] >= '0' && in[3] <= '9') {
            *out++ = '-';
            *out++ = ' ';
            in += 3;
        } else {
            *out++ = *in++;
        }
    }
    return formula;
}

char *expr_formula(Arena *arena, Expr expr) {
    return formula_of(arena, expr_text_plain(arena, expr));
}

/* Returns the length of a field's name such as ".extent." before its dimension; 0 for other text.
 */
static size_t field_of_buffer(const char *text) {
    static const char *const fields[] = {".min.", ".extent.", ".stride.", ".domain_min.",
                                         ".domain_extent."};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t length = strlen(fields[i]);
        if (strncmp(text, fields[i], length) == 0 && text[length] >= '0' && text[length] <= '9')
            return length;
    }
    return 0;
}

char *expr_words(Arena *arena, Expr expr, Symbol variable) {
    const char *in = formula_of(arena, expr_text_toward(arena, expr, variable, true));
    char *words = arena_allocate(arena, 2 * strlen(in) + 1), *out = words;
    while (*in) {
        size_t field = field_of_buffer(in);
        if (field) { /* a dimension has one digit (MAX_IMAGE_DIMENSIONS) */
            out += snprintf(out, field + 4, "%.*s(%c)", (int)field - 1, in, in[field]);
            in += field + 1;
        } else {
            *out++ = *in++;
        }
    }
    return words;
}

void expr_print(FILE *out, Expr expr) {
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    fputs(expr_text(arena, expr), out);
    arena_destroy(arena);
}
