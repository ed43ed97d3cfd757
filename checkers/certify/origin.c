/* origin.c -- the origin of an obligation: the access as its author wrote it, its place, and the
 * directive that gave the obligation its form.
 *
 * Statements name `g.s1.x'2`, authors write `x`.  The file puts the authors' names into the
 * program's accesses, and so finds the algorithm's accesses with their places.  Directives are
 * found by their places, which the statements that they made carry.  Levels are found by the func
 * that they name.
 */
#include "checkers/certify/internal.h"

#include "ir/print.h"

#include <stdio.h>

enum { LARGEST_TEXT = 40 }; /* nodes of an access that is printed whole */

const char *origin_dimension(const FuncShape *shape, int dimension) {
    return shape->variables[dimension]->text;
}

/* ---- stages ---- */

typedef struct Owner {
    const FuncShape *shape;
    int stage;
    const Stage *algorithm; /* null without a pipeline */
} Owner;

static Owner owner_of(const CertifyWalk *walk, const Stmt *stmt) {
    Owner owner = {.stage = -1};
    const Stmt *label = stmt_stage(stmt);
    const FuncKnowledge *state = label ? walk_state(walk, stmt_parent(label)->label.name) : NULL;
    if (state && sscanf(label->label.name->text, "s%d", &owner.stage) == 1)
        owner.shape = state->shape;
    const Func *func =
        owner.shape && walk->pipeline ? pipeline_func(walk->pipeline, owner.shape->name) : NULL;
    owner.algorithm = func ? func_stage(func, owner.stage) : NULL;
    return owner;
}

static const char *in_stage(const CertifyWalk *walk, const Owner *owner) {
    if (!owner->shape)
        return "";
    if (owner->stage <= 0)
        return arena_format(walk->arena, " in %s", owner->shape->name->text);
    return arena_format(walk->arena, " in %s, update %d", owner->shape->name->text, owner->stage);
}

/* ---- accesses ---- */

static Expr as_written(CertifyWalk *walk, Expr expr) {
    Exprs variables = expr_variables_of(walk->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        if (map_get(&walk->binders, variable->name) && !map_get(&walk->written, variable))
            map_put(&walk->written, variable,
                    expr_variable(walk->pool, binder_variable(walk->pool->context, variable->name),
                                  variable->type));
    }
    return lift_replace(walk->pool, walk->arena, &walk->written, expr);
}

/* Finds the access; if there is none, another access to the same func. */
static const AccessSite *site_of(const Stage *stage, Expr written) {
    const AccessSite *site = stage_site(stage, written);
    for (size_t i = 0; !site && i < stage->sites.length; i++)
        if (stage->sites.data[i].access->name == written->name)
            site = &stage->sites.data[i];
    return site;
}

static const char *access_text(CertifyWalk *walk, Expr written) {
    if (written->tree_size > LARGEST_TEXT)
        return arena_format(walk->arena, "%s(..)", written->name->text);
    char *text = expr_formula(walk->arena, written);
    for (char *c = text; *c; c++)
        *c = *c == '[' ? '(' : *c == ']' ? ')' : *c;
    return text;
}

/* Returns ": x"; nothing if the access has no dimensions. */
static const char *dimension_text(const CertifyWalk *walk, Expr access, int dimension) {
    const FuncShape *shape = signature_func(walk->program->signature, access->name);
    return dimension >= access->arity ? ""
           : shape ? arena_format(walk->arena, ": %s", origin_dimension(shape, dimension))
                   : arena_format(walk->arena, ": dimension %d", dimension);
}

void origin_of_access(CertifyWalk *walk, Obligation *obligation, Expr access, int dimension) {
    Owner owner = owner_of(walk, obligation->stmt);
    Expr written = as_written(walk, access);
    const AccessSite *site = owner.algorithm ? site_of(owner.algorithm, written) : NULL;
    if (site)
        obligation->place = site->place;
    obligation->text =
        arena_format(walk->arena, "%s%s%s", access_text(walk, written), in_stage(walk, &owner),
                     dimension_text(walk, access, dimension));
    origin_of_level(walk, obligation, access->name);
}

void origin_of_write(CertifyWalk *walk, Obligation *obligation, int dimension) {
    Owner owner = owner_of(walk, obligation->stmt);
    const FuncShape *shape = obligation->stmt->store.func;
    if (owner.algorithm)
        obligation->place = owner.algorithm->place;
    obligation->text = arena_format(walk->arena, "the write%s: %s", in_stage(walk, &owner),
                                    origin_dimension(shape, dimension));
    origin_of_level(walk, obligation, shape->name);
}

/* ---- directives ---- */

static bool same_place(Place a, Place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

static void credit(CertifyWalk *walk, Obligation *obligation, const Directive *directive) {
    obligation->directive = directive_text(walk->arena, directive);
    obligation->directive_place = directive->place;
}

void origin_of_directive(CertifyWalk *walk, Obligation *obligation, Place place) {
    for (size_t i = 0; walk->primitives && i < walk->primitives->length; i++)
        if (same_place(walk->primitives->data[i].place, place)) {
            credit(walk, obligation, &walk->primitives->data[i]);
            return;
        }
}

/* Finds the directive that fixes where the func is computed and how much of it. */
void origin_of_level(CertifyWalk *walk, Obligation *obligation, Symbol func) {
    for (size_t i = 0; walk->primitives && i < walk->primitives->length; i++) {
        const Directive *directive = &walk->primitives->data[i];
        Phase phase = directive_info(directive->kind)->phase;
        if (phase != PHASE_BOUNDS && phase != PHASE_COMPUTE && phase != PHASE_STORAGE)
            continue;
        if (directive->arguments.data[0].kind == ARGUMENT_FUNC &&
            directive->arguments.data[0].name == func) {
            credit(walk, obligation, directive);
            return;
        }
    }
}
