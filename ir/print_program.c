/* print_program.c -- prints signatures, statements and programs in the text form; print.c prints
 * the expressions.
 */
#include "ir/printer.h"

#include <string.h>

/* From DEEP spaces on, a let that ends its block does not indent its body: `let x = e below`.  So the
 * text of many nested lets is linear. */
enum { INDENT = 2, DEEP = 48 };

/* ---- parts of the program that the text omits because others imply them ---- */

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

static void put_quoted(TextPrinter *printer, const char *text) {
    printer_put(printer, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printer_put(printer, "\\");
        char letter[2] = {*text, '\0'};
        printer_put(printer, *text == '\n' ? "\\n" : *text == '\t' ? "\\t" : letter);
    }
    printer_put(printer, "\"");
}

static void put_types(TextPrinter *printer, const FuncShape *func) {
    printer_put(printer, func->components == 1 ? "" : "{");
    for (int c = 0; c < func->components; c++) {
        printer_put(printer, c ? ", " : "", type_name(func->types[c]));
    }
    printer_put(printer, func->components == 1 ? "" : "}");
}

static void put_exprs(TextPrinter *printer, const Expr *exprs, int count) {
    for (int i = 0; i < count; i++) {
        printer_put(printer, i ? ", " : "");
        printer_put_expr(printer, exprs[i]);
    }
}

static void put_interval(TextPrinter *printer, Extent interval) {
    printer_put(printer, "(");
    printer_put_expr(printer, interval.minimum);
    printer_put(printer, ", ");
    printer_put_expr(printer, interval.length);
    printer_put(printer, ")");
}

static void put_intervals(TextPrinter *printer, const Extent *intervals, int count) {
    printer_put(printer, "[");
    for (int i = 0; i < count; i++) {
        printer_put(printer, i ? ", " : "");
        put_interval(printer, intervals[i]);
    }
    printer_put(printer, "]");
}

/* ---- statements: the line without its bodies ---- */

static void put_assert(TextPrinter *printer, const Stmt *stmt) {
    printer_put(printer, "assert ");
    printer_put_expr(printer, stmt->assertion.condition);
    printer_put(printer, " else ");
    const char *error = hlc_error_name(stmt->assertion.error);
    printer_put(printer, error ? error : "(no error)"); /* the verifier refuses it */
    printer_put(printer, "(");
    put_quoted(printer, stmt->assertion.subject ? stmt->assertion.subject : "");
    printer_put(printer, stmt->assertion.operand_count ? ", " : "");
    put_exprs(printer, stmt->assertion.operands, stmt->assertion.operand_count);
    printer_put(printer, ")");
}

/* Prints what differs from plain storage, e.g. ` in stack order (y, x)`. */
static void put_storage(TextPrinter *printer, const Storage *storage, const FuncShape *func) {
    if (storage->memory != MEMORY_AUTOMATIC)
        printer_put_format(printer, " in %s", memory_text(storage->memory));
    if (storage->streams)
        printer_put(printer, " streaming");
    if (storage->traced)
        printer_put(printer, " traced");
    if (storage->table) {
        printer_put(printer, " table \"");
        for (size_t i = 0; i < storage->table_bytes; i++)
            printer_put_format(printer, "%02x", storage->table[i]);
        printer_put(printer, "\"");
    }
    if (storage_is_in_order(storage, func->dimensions))
        return;
    printer_put(printer, " order (");
    for (int n = 0; n < func->dimensions; n++) {
        printer_put(printer, n ? ", " : "", func->variables[storage->order[n]]->text);
    }
    printer_put(printer, ")");
}

static void put_allocate(TextPrinter *printer, const Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    const char *separator = " folding ";
    printer_put(printer, "allocate ", func->name->text, ": ");
    put_types(printer, func);
    printer_put(printer, " ");
    put_intervals(printer, stmt->allocate.intervals, func->dimensions);
    put_storage(printer, stmt->allocate.storage, stmt->allocate.func);
    for (int k = 0; stmt->allocate.folds && k < func->dimensions; k++) {
        if (!stmt->allocate.folds[k])
            continue;
        printer_put(printer, separator, func->variables[k]->text, " by ");
        printer_put_expr(printer, stmt->allocate.folds[k]);
        separator = ", ";
    }
    separator = " folded ";
    for (int k = 0; stmt->allocate.places && k < func->dimensions; k++) {
        if (!stmt->allocate.places[k])
            continue;
        printer_put(printer, separator, func->variables[k]->text);
        separator = ", ";
    }
    if (stmt->allocate.hoisted)
        printer_put_format(printer, " hoisted %d", stmt->allocate.hoisted);
    if (stmt->allocate.reserve) {
        printer_put(printer, " reserving [");
        put_exprs(printer, stmt->allocate.reserve, func->dimensions);
        printer_put(printer, "]");
    }
}

static void put_compute(TextPrinter *printer, const Stmt *stmt) {
    printer_put(printer, "compute ", stmt->compute.func->name->text);
    if (stmt->compute.specialization || stmt->compute.copy)
        printer_put_format(printer, " z%d", stmt->compute.specialization);
    if (stmt->compute.copy)
        printer_put_format(printer, "'%d", stmt->compute.copy);
    printer_put(printer, " on ");
    put_intervals(printer, stmt->compute.intervals, stmt->compute.func->dimensions);
    if (stmt->compute.held) {
        printer_put(printer, " holding ");
        put_intervals(printer, stmt->compute.held, stmt->compute.func->dimensions);
    }
    for (int i = 0; i < stmt->compute.slide_count; i++) {
        const Slide *slide = &stmt->compute.slides[i];
        printer_put(printer, i ? ", " : " sliding ",
                    stmt->compute.func->variables[slide->dimension]->text,
                    slide->downward ? " down along " : " along ");
        printer_put_expr(printer, slide->loop);
    }
}

static void put_store(TextPrinter *printer, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    printer_put(printer, stmt->store.is_atomic ? "atomic " : "", func->name->text, "[");
    put_exprs(printer, stmt->store.indices, func->dimensions);
    if (stmt->store.lasts) {
        printer_put(printer, "] .. ", func->name->text, "[");
        put_exprs(printer, stmt->store.lasts, func->dimensions);
    }
    printer_put(printer, "] <- ", func->components == 1 ? "" : "{");
    put_exprs(printer, stmt->store.values, func->components);
    printer_put(printer, func->components == 1 ? "" : "}");
    if (stmt->store.stage != store_default_stage(stmt_parent(stmt)))
        printer_put_format(printer, " stage %d", stmt->store.stage);
}

static void put_if(TextPrinter *printer, const Stmt *stmt) {
    static const char *const roles[] = {[IF_PLAIN] = "",
                                        [IF_GUARD] = " guard",
                                        [IF_PREDICATE] = " predicate",
                                        [IF_SPECIALIZE] = " specialize"};
    printer_put(printer, "if ");
    printer_put_expr(printer, stmt->branch.condition);
    printer_put(printer, " then", roles[stmt->branch.role]);
}

static void put_for(TextPrinter *printer, Context *context, const Stmt *stmt) {
    static const char *const traversals[] = {[TRAVERSE_SERIAL] = "",
                                             [TRAVERSE_PARALLEL] = " parallel",
                                             [TRAVERSE_VECTORIZED] = " vectorized",
                                             [TRAVERSE_UNROLLED] = " unrolled"};
    const LoopName *name = &stmt->loop.name;
    printer_put(printer, "for ", stmt->loop.binder->text, " in ");
    put_interval(printer, stmt->loop.interval);
    if (stmt->loop.predicate.minimum) {
        printer_put(printer, " predicate ");
        put_interval(printer, stmt->loop.predicate);
    }
    LoopName usual;
    if (!loop_name_parse(context, stmt->loop.binder, &usual) || usual.func != name->func ||
        usual.specialization != name->specialization || usual.stage != name->stage ||
        usual.variable != name->variable) {
        printer_put(printer, " named <", name->func->text);
        printer_put_format(printer, ", z%d, s%d, ", name->specialization, name->stage);
        printer_put(printer, name->variable->text, ">");
    }
    printer_put(printer, stmt->loop.pure ? "" : " reduction",
                stmt->loop.independent ? " independent" : "", traversals[stmt->loop.traversal]);
    for (const Prefetch *p = stmt->loop.prefetches; p; p = p->next)
        printer_put_format(printer, "%s %s by %d",
                           p == stmt->loop.prefetches ? " prefetching" : ",", p->name->text,
                           p->distance);
    printer_put(printer, stmt->loop.rare ? " rare do" : " do");
}

static void put_let(TextPrinter *printer, const Stmt *stmt, bool is_below) {
    printer_put(printer, "let ", stmt->let.binder->text);
    if (stmt->let.tail != TAIL_NONE) {
        printer_put(printer, stmt->let.tail == TAIL_INSIDE ? " in " : " beyond ");
        put_interval(printer, stmt->let.domain);
    }
    printer_put(printer, " = ");
    printer_put_expr(printer, stmt->let.value);
    printer_put(printer, is_below ? " below" : " in");
}

/* `is_below`: the body of a let is not indented. */
static void put_line(TextPrinter *printer, Context *context, const Stmt *stmt, bool is_below) {
    switch (stmt->kind) {
    case STMT_NOP:
        printer_put(printer, "nop");
        break;
    case STMT_ASSERT:
        put_assert(printer, stmt);
        break;
    case STMT_ALLOCATE:
        put_allocate(printer, stmt);
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
        put_let(printer, stmt, is_below);
        break;
    case STMT_COMPUTE:
        put_compute(printer, stmt);
        break;
    case STMT_PREFETCH:
        printer_put(printer, "prefetch ", stmt->prefetch.name->text, " ");
        put_intervals(printer, stmt->prefetch.intervals, stmt->prefetch.dimensions);
        break;
    case STMT_LABEL:
        printer_put(printer, "label ", stmt->label.name->text);
        break;
    }
}

char *stmt_text(Arena *arena, const Program *program, const Stmt *stmt) {
    TextPrinter printer = {.arena = arena};
    put_line(&printer, program->pool->context, stmt, false);
    return printer_text(&printer);
}

/* ---- signatures ---- */

static void put_value(TextPrinter *printer, Type type, Bits bits) {
    char text[64];
    value_print(type, bits, text, sizeof text);
    printer_put(printer, text);
}

static void put_parameter(TextPrinter *printer, const Parameter *parameter) {
    printer_put(printer, parameter->name->text);
    printer_put_format(printer, ": %s", type_name(parameter->type));
    if (parameter->has_default) {
        printer_put(printer, " = ");
        put_value(printer, parameter->type, parameter->default_value);
    }
    if (parameter->has_range) {
        printer_put(printer, " in ");
        put_value(printer, parameter->type, parameter->lower);
        printer_put(printer, "..");
        put_value(printer, parameter->type, parameter->upper);
    }
}

/* Prints nothing for a planar layout. */
static void put_layout(TextPrinter *printer, const char *before, Layout layout) {
    static const char *const words[] = {
        [LAYOUT_INTERLEAVED] = "interleaved", [LAYOUT_STRIDED] = "strided"};
    if (layout != LAYOUT_PLANAR)
        printer_put_format(printer, "%s%s", before, words[layout]);
}

static void put_image(TextPrinter *printer, const ImageParameter *image) {
    printer_put(printer, image->name->text);
    printer_put_format(printer, ": image<%s, %d", type_name(image->type), image->dimensions);
    put_layout(printer, ", ", image->layout);
    printer_put(printer, ">");
}

static void put_signature(TextPrinter *printer, const Signature *signature) {
    printer_put(printer, "pipeline ", signature->name->text, "(");
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        printer_put(printer, i ? ", " : "");
        if (input.is_image)
            put_image(printer, &signature->images.data[input.index]);
        else
            put_parameter(printer, &signature->parameters.data[input.index]);
    }
    printer_put(printer, ") -> (");
    for (size_t i = 0; i < signature->outputs.length; i++) {
        printer_put(printer, i ? ", " : "");
        const Output *output = &signature->outputs.data[i];
        printer_put(printer, output->func->text);
        put_layout(printer, ": ", output->layout);
        if (output->image)
            printer_put(printer, " in ", output->image->text);
    }
    printer_put(printer, signature->windows ? ") in windows\n" : ")\n");
    for (size_t i = 0; i < signature->funcs.length; i++) {
        const FuncShape *func = signature->funcs.data[i];
        printer_put(printer, "  func ", func->name->text, "(");
        for (int k = 0; k < func->dimensions; k++) {
            printer_put(printer, k ? ", " : "", func->variables[k]->text);
        }
        printer_put(printer, "): ");
        put_types(printer, func);
        printer_put(printer, "\n");
    }
}

/* ---- programs ---- */

typedef struct ProgramPrinter {
    TextPrinter *printer;
    Context *context;
    Exprs roots;
    int indentation;
    Vec(int) outer; /* the indentation of each statement around the next */
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
        printer_put_spaces(program->printer, program->indentation - INDENT);
        printer_put(program->printer, "else\n");
    }
    program->roots.length = 0;
    stmt_each_expr(stmt, add_root, program);
    printer_put_shared(program->printer, &program->roots, program->indentation);
    printer_put_spaces(program->printer, program->indentation);
    bool is_below = stmt->kind == STMT_LET && !stmt->next && program->indentation >= DEEP;
    put_line(program->printer, program->context, stmt, is_below);
    printer_put(program->printer, "\n");
    vec_push(program->printer->arena, &program->outer, program->indentation);
    program->indentation += stmt_body(stmt) && !is_below ? INDENT : 0;
    return true;
}

static void put_leave(void *data, Stmt *stmt) {
    ProgramPrinter *program = data;
    (void)stmt;
    program->indentation = program->outer.data[--program->outer.length];
}

static void put_need(ProgramPrinter *program, const Need *need) {
    program->roots.length = 0;
    for (int k = 0; k < need->image->dimensions; k++) {
        add_root(program, need->box[k].minimum);
        add_root(program, need->box[k].length);
    }
    printer_put_shared(program->printer, &program->roots, program->indentation);
    printer_put_spaces(program->printer, program->indentation);
    printer_put(program->printer, "needs ", need->image->name->text, " ");
    put_intervals(program->printer, need->box, need->image->dimensions);
    printer_put(program->printer, "\n");
}

static void put_proposal(ProgramPrinter *program, const ProposedWindow *proposal) {
    program->roots.length = 0;
    for (int k = 0; k < proposal->func->dimensions; k++) {
        add_root(program, proposal->box[k].minimum);
        add_root(program, proposal->box[k].length);
    }
    for (size_t i = 0; i < proposal->fits.length; i++)
        add_root(program, proposal->fits.data[i]);
    printer_put_shared(program->printer, &program->roots, program->indentation);
    printer_put_spaces(program->printer, program->indentation);
    printer_put(program->printer, "proposes ", proposal->func->name->text, " ");
    put_intervals(program->printer, proposal->box, proposal->func->dimensions);
    for (size_t i = 0; i < proposal->fits.length; i++) {
        printer_put(program->printer, i ? ", " : " if ");
        printer_put_expr(program->printer, proposal->fits.data[i]);
    }
    printer_put(program->printer, "\n");
}

char *program_text(Arena *arena, const Program *program) {
    TextPrinter printer = {.arena = arena};
    printer.marks = arena_array(arena, PrinterMark, program->pool->next_number);
    ProgramPrinter printing = {
        .printer = &printer, .context = program->pool->context, .indentation = INDENT};
    put_signature(&printer, program->signature);
    for (size_t i = 0; i < program->needs.length; i++)
        put_need(&printing, &program->needs.data[i]);
    for (size_t i = 0; i < program->proposals.length; i++)
        put_proposal(&printing, &program->proposals.data[i]);
    block_visit((Block *)&program->body, &(StmtVisitor){&printing, put_enter, put_leave});
    return printer_text(&printer);
}

void program_print(FILE *out, const Program *program) {
    fputs(program_text(program->arena, program), out);
}
