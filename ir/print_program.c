/* print_program.c -- the text form of signatures, statements and programs; docs/text-form.md has
 * the grammar, print.c the expressions.
 */
#include "ir/printer.h"

#include <string.h>

enum { INDENT = 2 };

/* ---- what the text leaves out because it follows from something else ---- */

static bool ends_with_number(const char *text, const char *end, char letter, const char **start,
                             int *number) {
    const char *digits = end;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9' && end - digits < 9)
        digits--;
    if (digits == end || digits == text || digits[-1] != letter || digits - 1 == text ||
        digits[-2] != '.')
        return false;
    *number = 0;
    for (const char *digit = digits; digit < end; digit++)
        *number = *number * 10 + (*digit - '0');
    *start = digits - 2; /* the dot */
    return true;
}

bool loop_name_parse(Context *context, Symbol binder, LoopName *name) {
    const char *text = binder->text, *end = text + strcspn(text, "'"), *dot = end;
    while (dot > text && *dot != '.')
        dot--;
    *name = (LoopName){0};
    const char *rest;
    if (dot == text || !ends_with_number(text, dot, 's', &rest, &name->stage))
        return false;
    name->variable = symbol_intern(&context->symbols, dot + 1, (size_t)(end - dot - 1));
    ends_with_number(text, rest, 'z', &rest, &name->specialization);
    name->func = symbol_intern(&context->symbols, text, (size_t)(rest - text));
    return true;
}

int store_default_stage(const Stmt *parent) {
    for (; parent; parent = stmt_parent(parent)) {
        if (parent->kind != STMT_LABEL || parent->label.name->text[0] != 's')
            continue;
        const char *digits = parent->label.name->text + 1;
        size_t length = strlen(digits);
        if (length == 0 || length > 6 || strspn(digits, "0123456789") != length)
            continue;
        int stage = 0;
        for (; *digits; digits++)
            stage = stage * 10 + (*digits - '0');
        return stage;
    }
    return 0;
}

/* ---- pieces ---- */

static void put_quoted(Printer *printer, const char *text) {
    put(printer, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put(printer, "\\");
        char letter[2] = {*text, '\0'};
        put(printer, *text == '\n' ? "\\n" : *text == '\t' ? "\\t" : letter);
    }
    put(printer, "\"");
}

static void put_types(Printer *printer, const FuncShape *func) {
    put(printer, func->components == 1 ? "" : "{");
    for (int c = 0; c < func->components; c++) {
        put(printer, c ? ", " : "");
        put(printer, type_name(func->types[c]));
    }
    put(printer, func->components == 1 ? "" : "}");
}

static void put_exprs(Printer *printer, const Expr *exprs, int count) {
    for (int i = 0; i < count; i++) {
        put(printer, i ? ", " : "");
        put_expr(printer, exprs[i]);
    }
}

static void put_interval(Printer *printer, Interval interval) {
    put(printer, "(");
    put_expr(printer, interval.minimum);
    put(printer, ", ");
    put_expr(printer, interval.length);
    put(printer, ")");
}

static void put_intervals(Printer *printer, const Interval *intervals, int count) {
    put(printer, "[");
    for (int i = 0; i < count; i++) {
        put(printer, i ? ", " : "");
        put_interval(printer, intervals[i]);
    }
    put(printer, "]");
}

/* ---- statements: the line without its bodies ---- */

static void put_assert(Printer *printer, const Stmt *stmt) {
    put(printer, "assert ");
    put_expr(printer, stmt->assertion.condition);
    put(printer, " else ");
    put(printer, hlc_error_name(stmt->assertion.error));
    put(printer, "(");
    put_quoted(printer, stmt->assertion.subject ? stmt->assertion.subject : "");
    put(printer, stmt->assertion.operand_count ? ", " : "");
    put_exprs(printer, stmt->assertion.operands, stmt->assertion.operand_count);
    put(printer, ")");
}

static void put_compute(Printer *printer, const Stmt *stmt) {
    put(printer, "compute ");
    put(printer, stmt->compute.func->name->text);
    if (stmt->compute.specialization || stmt->compute.copy)
        put_format(printer, " z%d", stmt->compute.specialization);
    if (stmt->compute.copy)
        put_format(printer, "'%d", stmt->compute.copy);
    put(printer, " on ");
    put_intervals(printer, stmt->compute.intervals, stmt->compute.func->dimensions);
}

static void put_store(Printer *printer, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    put(printer, func->name->text);
    put(printer, "[");
    put_exprs(printer, stmt->store.indices, func->dimensions);
    put(printer, "] <- ");
    put(printer, func->components == 1 ? "" : "{");
    put_exprs(printer, stmt->store.values, func->components);
    put(printer, func->components == 1 ? "" : "}");
    if (stmt->store.stage != store_default_stage(stmt_parent(stmt)))
        put_format(printer, " stage %d", stmt->store.stage);
}

static void put_if(Printer *printer, const Stmt *stmt) {
    static const char *const roles[] = {[IF_PLAIN] = "",
                                        [IF_GUARD] = " guard",
                                        [IF_PREDICATE] = " predicate",
                                        [IF_SPECIALIZE] = " specialize"};
    put(printer, "if ");
    put_expr(printer, stmt->branch.condition);
    put(printer, " then");
    put(printer, roles[stmt->branch.role]);
}

static void put_for(Printer *printer, Context *context, const Stmt *stmt) {
    static const char *const traversals[] = {[TRAVERSE_SERIAL] = "",
                                             [TRAVERSE_PARALLEL] = " parallel",
                                             [TRAVERSE_VECTORIZED] = " vectorized",
                                             [TRAVERSE_UNROLLED] = " unrolled"};
    const LoopName *name = &stmt->loop.name;
    put(printer, "for ");
    put(printer, stmt->loop.binder->text);
    put(printer, " in ");
    put_interval(printer, stmt->loop.interval);
    LoopName usual;
    if (!loop_name_parse(context, stmt->loop.binder, &usual) || usual.func != name->func ||
        usual.specialization != name->specialization || usual.stage != name->stage ||
        usual.variable != name->variable) {
        put(printer, " named <");
        put(printer, name->func->text);
        put_format(printer, ", z%d, s%d, ", name->specialization, name->stage);
        put(printer, name->variable->text);
        put(printer, ">");
    }
    put(printer, stmt->loop.pure ? "" : " reduction");
    put(printer, traversals[stmt->loop.traversal]);
    put(printer, " do");
}

static void put_let(Printer *printer, const Stmt *stmt) {
    put(printer, "let ");
    put(printer, stmt->let.binder->text);
    if (stmt->let.tail != TAIL_NONE) {
        put(printer, stmt->let.tail == TAIL_INSIDE ? " in " : " beyond ");
        put_interval(printer, stmt->let.domain);
    }
    put(printer, " = ");
    put_expr(printer, stmt->let.value);
    put(printer, " in");
}

static void put_line(Printer *printer, Context *context, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_NOP:
        put(printer, "nop");
        break;
    case STMT_ASSERT:
        put_assert(printer, stmt);
        break;
    case STMT_ALLOCATE:
        put(printer, "allocate ");
        put(printer, stmt->allocate.func->name->text);
        put(printer, ": ");
        put_types(printer, stmt->allocate.func);
        put(printer, " ");
        put_intervals(printer, stmt->allocate.intervals, stmt->allocate.func->dimensions);
        break;
    case STMT_STORE:
        put_store(printer, stmt);
        break;
    case STMT_IF:
        put_if(printer, stmt);
        break;
    case STMT_FOR:
        put_for(printer, context, stmt);
        break;
    case STMT_LET:
        put_let(printer, stmt);
        break;
    case STMT_COMPUTE:
        put_compute(printer, stmt);
        break;
    case STMT_LABEL:
        put(printer, "label ");
        put(printer, stmt->label.name->text);
        break;
    }
}

char *stmt_text(Arena *arena, const Program *program, const Stmt *stmt) {
    Printer printer = {.arena = arena};
    put_line(&printer, program->pool->context, stmt);
    return printed(&printer);
}

/* ---- signatures ---- */

static void put_value(Printer *printer, Type type, Bits bits) {
    char text[64];
    value_print(type, bits, text, sizeof text);
    put(printer, text);
}

static void put_parameter(Printer *printer, const Parameter *parameter) {
    put(printer, parameter->name->text);
    put_format(printer, ": %s", type_name(parameter->type));
    if (parameter->has_default) {
        put(printer, " = ");
        put_value(printer, parameter->type, parameter->default_value);
    }
    if (parameter->has_range) {
        put(printer, " in ");
        put_value(printer, parameter->type, parameter->lower);
        put(printer, "..");
        put_value(printer, parameter->type, parameter->upper);
    }
}

static void put_image(Printer *printer, const ImageParameter *image) {
    static const char *const layouts[] = {[LAYOUT_PLANAR] = "",
                                          [LAYOUT_INTERLEAVED] = ", interleaved",
                                          [LAYOUT_STRIDED] = ", strided"};
    put(printer, image->name->text);
    put_format(printer, ": image<%s, %d%s>", type_name(image->type), image->dimensions,
               layouts[image->layout]);
}

static void put_signature(Printer *printer, const Signature *signature) {
    put(printer, "pipeline ");
    put(printer, signature->name->text);
    put(printer, "(");
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        put(printer, i ? ", " : "");
        if (input.is_image)
            put_image(printer, &signature->images.data[input.index]);
        else
            put_parameter(printer, &signature->parameters.data[input.index]);
    }
    put(printer, ") -> (");
    for (size_t i = 0; i < signature->outputs.length; i++) {
        put(printer, i ? ", " : "");
        put(printer, signature->outputs.data[i].func->text);
    }
    put(printer, ")\n");
    for (size_t i = 0; i < signature->funcs.length; i++) {
        const FuncShape *func = signature->funcs.data[i];
        put(printer, "  func ");
        put(printer, func->name->text);
        put(printer, "(");
        for (int k = 0; k < func->dimensions; k++) {
            put(printer, k ? ", " : "");
            put(printer, func->variables[k]->text);
        }
        put(printer, "): ");
        put_types(printer, func);
        put(printer, "\n");
    }
}

/* ---- programs ---- */

typedef struct ProgramPrinter {
    Printer *printer;
    Context *context;
    Exprs roots;
    int indentation;
} ProgramPrinter;

static void add_root(void *data, Expr expr) {
    ProgramPrinter *program = data;
    vec_push(program->printer->arena, &program->roots, expr);
}

static bool put_enter(void *data, Stmt *stmt) {
    ProgramPrinter *program = data;
    Stmt *parent = stmt_parent(stmt);
    bool first_of_else = parent && parent->kind == STMT_IF && !stmt->previous &&
                         stmt->block == &parent->branch.otherwise;
    if (first_of_else) {
        put_spaces(program->printer, program->indentation - INDENT);
        put(program->printer, "else\n");
    }
    program->roots.length = 0;
    stmt_each_expr(stmt, add_root, program);
    put_shared(program->printer, &program->roots, program->indentation);
    put_spaces(program->printer, program->indentation);
    put_line(program->printer, program->context, stmt);
    put(program->printer, "\n");
    program->indentation += stmt_body(stmt) ? INDENT : 0;
    return true;
}

static void put_leave(void *data, Stmt *stmt) {
    ProgramPrinter *program = data;
    program->indentation -= stmt_body(stmt) ? INDENT : 0;
}

char *program_text(Arena *arena, const Program *program) {
    Printer printer = {.arena = arena};
    printer.marks = arena_array(arena, Mark, program->pool->next_number);
    ProgramPrinter printing = {
        .printer = &printer, .context = program->pool->context, .indentation = INDENT};
    put_signature(&printer, program->signature);
    block_visit((Block *)&program->body, &(StmtVisitor){&printing, put_enter, put_leave});
    return printed(&printer);
}

void program_print(FILE *out, const Program *program) {
    fputs(program_text(program->arena, program), out);
}
