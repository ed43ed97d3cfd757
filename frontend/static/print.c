/* print.c -- prints an expanded module as a .hl file (`hlc expand`): its lets, its pipelines, its
 * schedules.  The text is legal, and reading it gives the same trees. */
#include "frontend/frontend.h"
#include "frontend/ast.h"
#include "ir/signature.h"

#include <inttypes.h>
#include <string.h>

typedef struct TreePrinter {
    FILE *out;
    Arena *arena;
} TreePrinter;

static void print(TreePrinter *p, const Syntax *syntax, int precedence);

static void print_separated(TreePrinter *p, const Syntaxes *list, size_t from) {
    for (size_t i = from; i < list->length; i++) {
        fputs(i > from ? ", " : "", p->out);
        print(p, list->data[i], 0);
    }
}

/* ---- expressions ---- */

enum { UNARY = 100, POSTFIX = 101 };

/* How tightly it binds, to be put in parentheses or not. */
static int precedence_of(const Syntax *syntax) {
    if (syntax->kind == SYNTAX_REDUCE)
        return 0;
    if (syntax->kind != SYNTAX_OPERATOR)
        return POSTFIX + 1;
    if (syntax->op == OP_SELECT)
        return 0;
    return syntax->children.length == 1 ? UNARY : op_info(syntax->op)->precedence;
}

static bool is_infix(const Syntax *syntax) {
    return syntax->kind == SYNTAX_OPERATOR && syntax->children.length == 2;
}

/* A hyphenated word of a directive, `round-up`, reads as a difference of names. */
static bool is_word(const Syntax *syntax) {
    for (; is_infix(syntax); syntax = syntax->children.data[0])
        if (syntax->op != OP_SUB || syntax->children.data[1]->kind != SYNTAX_NAME)
            return false;
    return syntax->kind == SYNTAX_NAME;
}

/* The left spine, in a loop: first the parentheses that begin before its first operand. */
static void print_infix(TreePrinter *p, const Syntax *syntax) {
    Vec(const Syntax *) spine = {0};
    bool is_tight = is_word(syntax);
    for (; is_infix(syntax); syntax = syntax->children.data[0])
        vec_push(p->arena, &spine, syntax);
    for (size_t i = 1; i < spine.length; i++)
        if (precedence_of(spine.data[i]) < precedence_of(spine.data[i - 1]))
            fputc('(', p->out);
    print(p, syntax, precedence_of(spine.data[spine.length - 1]));
    for (size_t i = spine.length; i-- > 0;) {
        const Syntax *node = spine.data[i];
        int own = precedence_of(node);
        fprintf(p->out, is_tight ? "%s" : " %s ", op_info(node->op)->text);
        print(p, node->children.data[1], own + 1);
        if (i > 0 && own < precedence_of(spine.data[i - 1]))
            fputc(')', p->out);
    }
}

static void print_operator(TreePrinter *p, const Syntax *syntax) {
    const Syntaxes *children = &syntax->children;
    if (syntax->op == OP_SELECT) {
        print(p, children->data[0], 1);
        fputs(" ? ", p->out);
        print(p, children->data[1], 0);
        fputs(" : ", p->out);
        print(p, children->data[2], 0);
    } else if (children->length == 1) {
        fputs(op_info(syntax->op)->text, p->out);
        print(p, children->data[0], POSTFIX);
    } else {
        print_infix(p, syntax);
    }
}

static void print_conversion(TreePrinter *p, const Syntax *syntax) {
    const char *type = type_name(syntax->type);
    if (syntax->op == OP_CAST)
        fputs(type, p->out);
    else
        fprintf(p->out, "%s<%s>", op_info(syntax->op)->text, type);
    fputc('(', p->out);
    print_separated(p, &syntax->children, 0);
    fputc(')', p->out);
}

static void print_reductions(TreePrinter *p, const ReductionSyntaxes *variables, const char *is,
                             const char *separator) {
    for (size_t i = 0; i < variables->length; i++) {
        const ReductionSyntax *variable = &variables->data[i];
        fprintf(p->out, "%s%s %s (", i ? separator : "", variable->variable.name->text, is);
        print(p, variable->minimum, 0);
        fputs(", ", p->out);
        print(p, variable->length, 0);
        fputc(')', p->out);
    }
}

static void print_bracketed(TreePrinter *p, const Syntax *syntax, const char *brackets) {
    fputc(brackets[0], p->out);
    print_separated(p, &syntax->children, 0);
    fputc(brackets[1], p->out);
}

/* Prints parentheses around a tuple whose component is taken: at the start of a body its brace would
 * begin the body. */
static void print_base(TreePrinter *p, const Syntax *syntax, bool takes_component) {
    bool is_tuple = takes_component && syntax->kind == SYNTAX_TUPLE;
    fputs(is_tuple ? "(" : "", p->out);
    print(p, syntax, POSTFIX);
    fputs(is_tuple ? ")" : "", p->out);
}

/* What follows its base: a call, a member, a component, a subscript. */
static void print_postfix(TreePrinter *p, const Syntax *syntax) {
    const Syntax *base = syntax->children.data[0];
    bool is_component = syntax->kind == SYNTAX_COMPONENT;
    print_base(p, base, is_component);
    if (syntax->kind == SYNTAX_CALL) {
        fputc('(', p->out);
        print_separated(p, &syntax->children, 1);
        fputc(')', p->out);
    } else if (syntax->kind == SYNTAX_MEMBER) {
        fprintf(p->out, ".%s", syntax->name->text);
    } else if (is_component) { /* `t.1 .0`: together they would be the number 1.0 */
        fprintf(p->out, "%s.%" PRIu64, base->kind == SYNTAX_COMPONENT ? " " : "", syntax->integer);
    } else {
        fputc('[', p->out);
        print(p, syntax->children.data[1], 0);
        fputc(']', p->out);
    }
}

static void print_kind(TreePrinter *p, const Syntax *syntax) {
    switch (syntax->kind) {
    case SYNTAX_INTEGER:
        fprintf(p->out, "%" PRIu64, syntax->integer);
        break;
    case SYNTAX_FLOAT: /* `1.` before `..` would be read as another word */
        fprintf(p->out, "%s%s", syntax->text,
                syntax->text[strlen(syntax->text) - 1] == '.' ? "0" : "");
        break;
    case SYNTAX_BOOL:
        fputs(syntax->integer ? "true" : "false", p->out);
        break;
    case SYNTAX_NAME:
        fputs(syntax->name->text, p->out);
        break;
    case SYNTAX_OPERATOR:
        print_operator(p, syntax);
        break;
    case SYNTAX_CALL:
    case SYNTAX_MEMBER:
    case SYNTAX_COMPONENT:
    case SYNTAX_SUBSCRIPT:
        print_postfix(p, syntax);
        break;
    case SYNTAX_CONVERT:
        print_conversion(p, syntax);
        break;
    case SYNTAX_TUPLE:
        print_bracketed(p, syntax, "{}");
        break;
    case SYNTAX_LIST:
        print_bracketed(p, syntax, "[]");
        break;
    case SYNTAX_INTERVAL:
        print_bracketed(p, syntax, "()");
        break;
    case SYNTAX_EXTERN:
        fprintf(p->out, "extern \"%s\"", syntax->name->text);
        print_bracketed(p, syntax, "()");
        break;
    case SYNTAX_RANGE:
        print(p, syntax->children.data[0], 0);
        fputs(" .. ", p->out);
        print(p, syntax->children.data[1], 0);
        break;
    case SYNTAX_LOOP:
        print_bracketed(p, syntax, "<>");
        break;
    case SYNTAX_REDUCE:
        fprintf(p->out, "%s(", syntax->name->text);
        print_reductions(p, &syntax->variables, "in", ", ");
        fputs(") ", p->out);
        print(p, syntax->children.data[0], 0);
        break;
    case SYNTAX_SUFFIX:
    case SYNTAX_SPREAD:
    case SYNTAX_COMPREHENSION:
        hlc_assert(false, "an expanded tree has none of these");
        break;
    }
}

/* In parentheses where something that binds as `precedence` says would take it apart. */
static void print(TreePrinter *p, const Syntax *syntax, int precedence) {
    int own = precedence_of(syntax);
    bool parentheses = own < precedence;
    fputs(parentheses ? "(" : "", p->out);
    print_kind(p, syntax);
    fputs(parentheses ? ")" : "", p->out);
}

/* ---- items ---- */

static void print_names(TreePrinter *p, const NameSyntaxes *names) {
    for (size_t i = 0; i < names->length; i++)
        fprintf(p->out, "%s%s", i ? ", " : "", names->data[i].name->text);
}

static void print_let(TreePrinter *p, const LetSyntax *let) {
    fprintf(p->out, "%s %s", let->is_constant ? "const" : "let", let->name.name->text);
    if (let->parameters.length > 0) {
        fputc('(', p->out);
        print_names(p, &let->parameters);
        fputc(')', p->out);
    }
    if (let->has_type)
        fprintf(p->out, ": %s", type_name(let->type));
    fputs(" = ", p->out);
    print(p, let->value, 0);
    fputs(";\n", p->out);
}

static void print_stage(TreePrinter *p, const StageSyntax *stage, bool is_update) {
    if (stage->reduction.length > 0) {
        fputs("rdom(", p->out);
        print_reductions(p, &stage->reduction, "=", "; ");
        fputs(") in ", p->out);
    }
    if (stage->has_indices) {
        fputc('(', p->out);
        print_separated(p, &stage->indices, 0);
        fputs(") ", p->out);
    }
    if (is_update)
        fputs("<- ", p->out);
    print(p, stage->value, 0);
    for (size_t i = 0; i < stage->more.length; i++) {
        fputs(", (", p->out);
        print_separated(p, &stage->more.data[i].indices, 0);
        fputs(") <- ", p->out);
        print(p, stage->more.data[i].value, 0);
    }
    if (stage->predicate) {
        fputs(" if ", p->out);
        print(p, stage->predicate, 0);
    }
}

static void print_types(TreePrinter *p, const FunSyntax *fun) {
    fputs(fun->types.length > 1 ? ": {" : ": ", p->out);
    for (size_t i = 0; i < fun->types.length; i++)
        fprintf(p->out, "%s%s", i ? ", " : "", type_name(fun->types.data[i]));
    fputs(fun->types.length > 1 ? "}" : "", p->out);
}

static void print_fun(TreePrinter *p, const FunSyntax *fun) {
    fprintf(p->out, "fun %s(", fun->name.name->text);
    print_names(p, &fun->variables);
    fputc(')', p->out);
    if (fun->has_types)
        print_types(p, fun);
    if (!fun->has_body) {
        fputs(";\n", p->out);
        return;
    }
    if (fun->stages.length == 1 && fun->stages.data[0]->lets.length == 0) {
        fputs(" = ", p->out);
        print_stage(p, fun->stages.data[0], false);
        fputs(";\n", p->out);
        return;
    }
    fputs(" = {\n", p->out);
    for (size_t i = 0; i < fun->stages.length; i++) {
        const StageSyntax *stage = fun->stages.data[i];
        for (size_t l = 0; l < stage->lets.length; l++)
            print_let(p, stage->lets.data[l]);
        print_stage(p, stage, i > 0);
        fputs(";\n", p->out);
    }
    fputs("}\n", p->out);
}

static void print_string(TreePrinter *p, const char *text) {
    fputc('"', p->out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', p->out);
        if (*text == '\n' || *text == '\t')
            fputs(*text == '\n' ? "\\n" : "\\t", p->out);
        else
            fputc(*text, p->out);
    }
    fputc('"', p->out);
}

static void print_item(TreePrinter *p, const ItemSyntax *item) {
    switch (item->kind) {
    case ITEM_LET:
        print_let(p, item->let);
        break;
    case ITEM_FUN:
        print_fun(p, item->fun);
        break;
    case ITEM_RECURRENCE:
        fputs("recurrence (", p->out);
        print_reductions(p, &item->recurrence->domain, "=", "; ");
        fputs(") {\n", p->out);
        for (size_t i = 0; i < item->recurrence->funs.length; i++)
            print_fun(p, item->recurrence->funs.data[i]);
        fputs("}\n", p->out);
        break;
    case ITEM_REQUIRE:
        fputs("require(", p->out);
        print(p, item->require->condition, 0);
        fputs(", ", p->out);
        print_string(p, item->require->message);
        fputs(");\n", p->out);
        break;
    case ITEM_STAGE:
    case ITEM_DIRECTIVE:
    case ITEM_INSTANCE:
    case ITEM_TEMPLATE:
    case ITEM_BLOCK:
        hlc_assert(false, "an expanded pipeline has none of these");
        break;
    }
}

/* ---- pipelines and schedules ---- */

static const char *layout_text(int layout) {
    return layout == LAYOUT_INTERLEAVED ? "interleaved" : "strided";
}

static void print_parameter(TreePrinter *p, const ParameterSyntax *parameter) {
    fprintf(p->out, "%s: ", parameter->name.name->text);
    if (parameter->is_image) {
        fprintf(p->out, "image<%s, %" PRIu64, type_name(parameter->type), parameter->dimensions);
        if (parameter->layout != LAYOUT_PLANAR)
            fprintf(p->out, ", %s", layout_text(parameter->layout));
        fputc('>', p->out);
        return;
    }
    fputs(type_name(parameter->type), p->out);
    if (parameter->default_value) {
        fputs(" = ", p->out);
        print(p, parameter->default_value, 0);
    }
    if (parameter->lower) {
        fputs(" in ", p->out);
        print(p, parameter->lower, 0);
        fputs("..", p->out);
        print(p, parameter->upper, 0);
    }
}

static void print_size(TreePrinter *p, const OutputSyntax *output) {
    fputc('(', p->out);
    print_separated(p, &output->size, 0);
    fputc(')', p->out);
}

static void print_pipeline(TreePrinter *p, const PipelineSyntax *pipeline) {
    fprintf(p->out, "\npipeline %s(", pipeline->name.name->text);
    for (size_t i = 0; i < pipeline->parameters.length; i++) {
        fputs(i ? ", " : "", p->out);
        print_parameter(p, &pipeline->parameters.data[i]);
    }
    fputs(") -> (", p->out);
    for (size_t i = 0; i < pipeline->outputs.length; i++) {
        const OutputSyntax *output = &pipeline->outputs.data[i];
        fprintf(p->out, "%s%s", i ? ", " : "", output->name.name->text);
        if (output->has_size)
            print_size(p, output);
        if (output->layout != LAYOUT_PLANAR)
            fprintf(p->out, ": %s", layout_text(output->layout));
        if (output->image.name)
            fprintf(p->out, " in %s", output->image.name->text);
    }
    fputc(')', p->out);
    if (pipeline->contraction || pipeline->reassociation)
        fprintf(p->out, " with %s%s%s", pipeline->contraction ? "contraction" : "",
                pipeline->contraction && pipeline->reassociation ? ", " : "",
                pipeline->reassociation ? "reassociation" : "");
    fputs(" {\n", p->out);
    for (size_t i = 0; i < pipeline->items.length; i++)
        print_item(p, &pipeline->items.data[i]);
    fputs("}\n", p->out);
}

static void print_schedule(TreePrinter *p, const ScheduleSyntax *schedule) {
    fprintf(p->out, "\nschedule %s for %s {\n", schedule->name.name->text,
            schedule->pipeline.name->text);
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const DirectiveSyntax *directive = &schedule->directives.data[i];
        fprintf(p->out, "%s(", directive->name.name->text);
        print_separated(p, &directive->arguments, 0);
        fputs(");\n", p->out);
    }
    fputs("}\n", p->out);
}

void module_print(const Module *module, Arena *arena, FILE *out) {
    TreePrinter printer = {out, arena}, *p = &printer;
    for (size_t f = 0; f < module->files.length; f++)
        for (size_t i = 0; i < module->files.data[f]->lets.length; i++)
            print_let(p, module->files.data[f]->lets.data[i]);
    for (size_t f = 0; f < module->files.length; f++)
        for (size_t i = 0; i < module->files.data[f]->pipelines.length; i++)
            print_pipeline(p, module->files.data[f]->pipelines.data[i]);
    for (size_t f = 0; f < module->files.length; f++)
        for (size_t i = 0; i < module->files.data[f]->schedules.length; i++)
            print_schedule(p, module->files.data[f]->schedules.data[i]);
}
