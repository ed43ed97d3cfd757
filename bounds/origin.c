/* origin.c -- finds the place and the text of an access as its author wrote it.
 *
 *     statement   f[g.s1.x'2 + 1, g.s1.y]     in stage 1 of g
 *     author      f(x + 1, y)                 blur.hl:4:31, "read f(x + 1, y) in g, update 1"
 *
 * The variables of the program are replaced by the author's.  The result is looked up among the
 * access sites of the stage, which hold the places.  An access without a site has the place of its
 * stage. */
#include "bounds/inference.h"

#include "ir/print.h"

#include <stdlib.h>
#include <string.h>

/* ---- the stage that a statement belongs to ---- */

typedef struct AccessOwner {
    const Func *func;
    const Stage *stage;
} AccessOwner;

static AccessOwner owner_of(const BoundsInference *bounds, const Stmt *stmt) {
    const Stmt *label = stmt_stage(stmt);
    hlc_assert(label, "what reads or writes stands in a stage");
    const Func *func = pipeline_func(bounds->pipeline, stmt_parent(label)->label.name);
    hlc_assert(func, "a stage stands in a compute statement of a func of the pipeline");
    const Stage *stage = func_stage(func, atoi(label->label.name->text + 1));
    hlc_assert(stage, "a label names a stage of its func");
    return (AccessOwner){func, stage};
}

/* ---- the author's names ---- */

static Expr as_written(BoundsInference *bounds, Expr expr) {
    Exprs variables = expr_variables_of(bounds->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        if (map_get(&bounds->binders, variable->name))
            map_put(&bounds->written, variable,
                    expr_variable(bounds->pool, binder_variable(bounds->context, variable->name),
                                  variable->type));
    }
    return inference_replace(bounds, &bounds->written, expr);
}

const char *origin_text(BoundsInference *bounds, const Stmt *stmt, Expr expr) {
    (void)stmt;
    Expr written = as_written(bounds, expr);
    if (written->tree_size > 40)
        return written->op == OP_ACCESS ? arena_format(bounds->arena, "%s(..)", written->name->text)
                                        : "it";
    char *text = expr_formula(bounds->arena, written);
    for (char *c = text; *c;
         c++) /* the target language writes reads with brackets, authors use parentheses */
        *c = *c == '[' ? '(' : *c == ']' ? ')' : *c;
    return text;
}

/* Returns the source text at a place; null if it is unknown or spans lines. */
static const char *source_text(BoundsInference *bounds, Place place) {
    const SourceFile *file = &bounds->context->files.data[place.file];
    const char *at = file->text, *end = file->text + file->length;
    if (!place.line || !place.length)
        return NULL;
    for (uint32_t line = 1; line < place.line && at < end; at++)
        line += *at == '\n';
    if (place.column > 0)
        at += place.column - 1;
    bool is_one_line = end - at >= (ptrdiff_t)place.length && !memchr(at, '\n', place.length);
    return is_one_line ? arena_text(bounds->arena, at, place.length) : NULL;
}

/* ---- places ---- */

static Place place_of(BoundsInference *bounds, const AccessUse *use, const Stage *stage) {
    const AccessSite *site = stage_site(stage, as_written(bounds, use->access));
    return site ? site->place : stage->place;
}

/* Returns the access as its author wrote it.  If a let or a boundary condition stands for the func,
 * returns that. */
static const char *access_text(BoundsInference *bounds, const AccessUse *use, Place place) {
    const char *text = source_text(bounds, place), *name = use->access->name->text;
    if (!text || !strchr(text, '('))
        return origin_text(bounds, use->stmt, use->access);
    bool named = strncmp(text, name, strlen(name)) == 0;
    return named ? text : arena_format(bounds->arena, "%s, which is %s,", text, name);
}

Place origin_of_use(BoundsInference *bounds, const AccessUse *use) {
    return place_of(bounds, use, owner_of(bounds, use->stmt).stage);
}

Provenance origin_of(BoundsInference *bounds, const AccessUse *use, int dimension,
                     const View *view) {
    AccessOwner owner = owner_of(bounds, use->stmt);
    Provenance provenance = {.place = place_of(bounds, use, owner.stage)};
    const char *text = access_text(bounds, use, provenance.place);
    if (owner.stage->number == 0)
        provenance.reason =
            arena_format(bounds->arena, "read %s in %s", text, owner.func->shape->name->text);
    else
        provenance.reason = arena_format(bounds->arena, "read %s in %s, update %d", text,
                                         owner.func->shape->name->text, owner.stage->number);
    provenance.rule = view_explain(view, use->access->arguments[dimension]);
    return provenance;
}

/* ---- indices without bounds ---- */

/* Turns an index back into a value: authors do not write the conversion. */
static const char *value_text(BoundsInference *bounds, const Stmt *stmt, Expr index) {
    return origin_text(bounds, stmt, index->op == OP_CAST ? index->arguments[0] : index);
}

static const char *why_unbounded(BoundsInference *bounds, const AccessUse *use, Expr culprit) {
    if (!culprit)
        return "nothing bounds it";
    const char *text = origin_text(bounds, use->stmt, culprit);
    if (culprit->op == OP_ACCESS)
        return arena_format(bounds->arena, "%s is read from memory and may be any %s", text,
                            type_name(culprit->type));
    if (type_is_index(culprit->type))
        return arena_format(bounds->arena, "nothing bounds %s", text);
    return arena_format(bounds->arena, "%s may be any %s", text, type_name(culprit->type));
}

void origin_report_unbounded(BoundsInference *bounds, const AccessUse *use, int dimension,
                             Expr culprit) {
    AccessOwner owner = owner_of(bounds, use->stmt);
    const char *why = why_unbounded(bounds, use, culprit);
    const char *number = arena_format(bounds->arena, "%d", dimension);
    bounds->failed = true;
    if (use->access) {
        Expr index = use->access->arguments[dimension];
        Place place = place_of(bounds, use, owner.stage);
        diag(bounds->context, DIAG_UNBOUNDED_READ, place, access_text(bounds, use, place), number,
             why, value_text(bounds, use->stmt, index));
        return;
    }
    const FuncShape *shape = use->stmt->store.func;
    Expr index = use->stmt->store.indices[dimension];
    diag(bounds->context, DIAG_UNBOUNDED_WRITE, use->stmt->place, shape->name->text,
         shape->variables[dimension]->text, why, value_text(bounds, use->stmt, index));
}
