/* equation.c -- the head of an equation in a recurrence, and the check of who may read it. */
#include "frontend/elaborate.h"

static bool has_variable(const FunSyntax *fun, Symbol name) {
    for (size_t i = 0; i < fun->variables.length; i++)
        if (fun->variables.data[i].name == name)
            return true;
    return false;
}

static bool same_variables(const FunSyntax *a, const FunSyntax *b) {
    bool same = a->variables.length == b->variables.length;
    for (size_t i = 0; same && i < a->variables.length; i++)
        same = a->variables.data[i].name == b->variables.data[i].name;
    return same;
}

/* Are the variables of `part` among those of `whole`, in the same order? */
static bool is_part(const FunSyntax *part, const FunSyntax *whole) {
    size_t at = 0;
    for (size_t i = 0; i < whole->variables.length && at < part->variables.length; i++)
        at += part->variables.data[at].name == whole->variables.data[i].name;
    return at == part->variables.length;
}

bool equation_admit(Elaborator *e, const FunSyntax *syntax, FuncEntry *entry) {
    EquationBlock *block = e->block;
    const char *name = syntax->name.name->text;
    entry->block = block;
    entry->is_extended = false;
    for (size_t d = 0; d < block->syntax->domain.length; d++)
        entry->is_extended |= !has_variable(syntax, block->syntax->domain.data[d].variable.name);
    block->in_extended = entry->is_extended;
    if (!block->first && !entry->is_extended)
        block->first = syntax;
    if (syntax->stages.length > 1)
        return diag(e->context, DIAG_EQUATION_UPDATE, syntax->stages.data[1]->place, name);
    if (!block->first)
        return true; /* the end of the block reports it */
    if (entry->is_extended ? !is_part(syntax, block->first) : !same_variables(syntax, block->first))
        return diag(e->context, DIAG_EQUATION_VARIABLES, syntax->name.place, name,
                    block->first->name.name->text);
    if (!syntax->has_body)
        return true;
    if (!entry->is_extended && block->extended) {
        const Func *extended = block->extended->func;
        return diag(e->context, DIAG_EQUATION_EXTENDED, extended->place,
                    extended->shape->name->text, name);
    }
    if (entry->is_extended && !block->extended)
        block->extended = entry;
    return true;
}

static const char *variables_text(Elaborator *e, const FunSyntax *syntax) {
    const char *text = "";
    for (size_t i = 0; i < syntax->variables.length; i++)
        text = arena_format(e->arena, "%s%s%s", text, i ? ", " : "",
                            syntax->variables.data[i].name->text);
    return text;
}

bool equation_readable(Elaborator *e, const FuncEntry *entry, Place place) {
    const FuncShape *shape = entry->func->shape;
    const char *name = shape->name->text;
    if (entry->is_extended)
        return diag(e->context, DIAG_EQUATION_READS_EXTENDED, place, name);
    bool in_equation = e->entry && e->entry->block == e->block;
    if (e->stage && !in_equation && !e->block->in_extended)
        return diag(e->context, DIAG_EQUATION_REDUCTION, place, name);
    if (shape->components == 0)
        return diag(e->context, DIAG_EQUATION_TYPE, place, name,
                    variables_text(e, e->block->first));
    return true;
}
