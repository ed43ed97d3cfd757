/* valid.c -- checks Defs 4.2 to 4.5 of the report. */
#include "frontend/valid.h"
#include "base/nearest.h"
#include "ir/walk.h"

static bool separated(Context *context, const Func *func, const Expr *indices, int dimension,
                      Place place, bool written) {
    if (indices[dimension] == func->variables[dimension])
        return true;
    char *number = arena_number(context->arena, dimension);
    return diag(context, DIAG_SEPARATION, place, func->shape->variables[dimension]->text,
                func->shape->name->text, written ? "written" : "read", number);
}

bool valid_separation(Context *context, const Func *func, const Stage *stage,
                      const Place *index_places) {
    bool valid = true;
    for (int k = 0; k < func->shape->dimensions; k++) {
        if (!stage->pure[k])
            continue;
        valid &= separated(context, func, stage->indices, k, index_places[k], true);
        for (size_t i = 0; i < stage->sites.length; i++) {
            const AccessSite *site = &stage->sites.data[i];
            if (site->access->name == func->shape->name)
                valid &= separated(context, func, site->access->arguments, k, site->place, false);
        }
    }
    return valid;
}

static bool is_copy(const Func *func, const ImageParameter *image) {
    const FuncShape *shape = func->shape;
    Expr value = func->stages.data[0]->values[0];
    bool is_same = !func->recurrence && shape->components == 1 && value && value->op == OP_ACCESS &&
                   value->name == image->name && shape->dimensions == image->dimensions;
    for (int k = 0; is_same && k < shape->dimensions; k++)
        is_same = value->arguments[k] == func->variables[k];
    return is_same;
}

/* `copy`: the stage that may read the image. */
static bool reads_besides(Context *context, const Func *func, const Stage *copy, Symbol image) {
    for (size_t j = 0; j < func->stages.length; j++) {
        const Stage *stage = func->stages.data[j];
        for (size_t i = 0; i < stage->sites.length && stage != copy; i++)
            if (stage->sites.data[i].access->name == image) {
                diag(context, DIAG_SHARED_READ, stage->sites.data[i].place, image->text,
                     func->shape->name->text);
                return true;
            }
    }
    return false;
}

static const char *nearest_image(Arena *arena, const Signature *signature, Symbol name) {
    Nearest nearest = {.name = name->text};
    for (size_t i = 0; i < signature->images.length; i++)
        nearest_offer(&nearest, signature->images.data[i].name->text);
    return nearest_hint(arena, &nearest,
                        "an output may lie in the memory of an image among the inputs");
}

bool valid_shared_image(Context *context, const Pipeline *pipeline, const Func *func,
                        const NameSyntax *name, const Map *reached) {
    const ImageParameter *image = signature_image(&pipeline->signature, name->name);
    const Stage *copy = func->stages.data[0];
    if (!image)
        return diag(context, DIAG_SHARED_IMAGE, name->place, name->name->text,
                    nearest_image(context->arena, &pipeline->signature, name->name));
    if (!is_copy(func, image))
        return diag(context, DIAG_SHARED_COPY, copy->place, func->shape->name->text,
                    name->name->text);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *reader = pipeline->funcs.data[i];
        if (map_get(reached, reader->shape->name) &&
            reads_besides(context, reader, copy, name->name))
            return false;
    }
    return true;
}

void valid_pure_dimensions(Arena *scratch, const Func *func, Stage *stage) {
    Exprs variables = {0};
    for (int k = 0; k < func->shape->dimensions; k++)
        expr_variables(scratch, stage->indices[k], &variables);
    for (int i = 0; i < func->shape->components; i++)
        expr_variables(scratch, stage->values[i], &variables);
    if (stage->predicate)
        expr_variables(scratch, stage->predicate, &variables);
    for (int k = 0; k < func->shape->dimensions; k++) {
        stage->pure[k] = false;
        for (size_t i = 0; i < variables.length; i++)
            stage->pure[k] |= variables.data[i] == func->variables[k];
    }
}

bool valid_startup(Context *context, Arena *scratch, const Signature *signature, Expr expr,
                   StartupUse use, const char *what, Place place) {
    Exprs variables = {0};
    Exprs accesses = {0};
    expr_accesses(scratch, expr, &accesses);
    if (accesses.length > 0) {
        const char *name = accesses.data[0]->name->text;
        if (use == STARTUP_SCHEDULE)
            return diag(context, DIAG_NOT_STARTUP, place, name);
        return diag(context, DIAG_STARTUP_ACCESS, place, what, name);
    }
    expr_variables(scratch, expr, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name, buffer;
        BufferField field;
        int dimension;
        if (signature_parameter(signature, name))
            continue;
        if (buffer_field_parse(context, name, &buffer, &field, &dimension) &&
            (use != STARTUP_ALGORITHM || signature_image(signature, buffer)))
            continue;
        return diag(context, DIAG_STARTUP_VARIABLE, place, what, name->text);
    }
    return true;
}

static bool is_among(const NameSyntax *const *names, size_t count, Symbol name) {
    for (size_t i = 0; i < count; i++)
        if (names[i]->name == name)
            return true;
    return false;
}

static bool hides_parameter(Context *context, const Signature *signature, const NameSyntax *name,
                            const char *what) {
    if (!signature_parameter(signature, name->name))
        return false;
    diag(context, DIAG_VARIABLE_HIDES_PARAMETER, name->place, what, name->name->text);
    return true;
}

/* Checks the reduction variables of one stage. `names` holds the pure variables. */
static bool valid_reduction(Context *context, const Signature *signature,
                            const NameSyntax *const *names, size_t count,
                            const ReductionSyntaxes *reduction) {
    bool valid = true;
    for (size_t i = 0; i < reduction->length && i < context->limits.loops; i++) {
        const NameSyntax *name = &reduction->data[i].variable;
        bool again = is_among(names, count, name->name);
        for (size_t j = 0; j < i && !again; j++)
            again = reduction->data[j].variable.name == name->name;
        if (again)
            diag(context, DIAG_DUPLICATE_REDUCTION_VARIABLE, name->place, name->name->text);
        valid &= !again && !hides_parameter(context, signature, name, "reduction");
    }
    return valid;
}

bool valid_variables(Context *context, const Signature *signature, const FunSyntax *fun) {
    bool valid = true;
    const NameSyntax *names[MAX_DIMENSIONS];
    size_t count = 0;
    for (size_t i = 0; i < fun->variables.length && i < MAX_DIMENSIONS; i++) {
        const NameSyntax *name = &fun->variables.data[i];
        bool again = is_among(names, count, name->name);
        if (again)
            diag(context, DIAG_DUPLICATE_PURE_VARIABLE, name->place, name->name->text);
        valid &= !again && !hides_parameter(context, signature, name, "pure");
        names[count++] = name;
    }
    for (size_t i = 0; i < fun->stages.length; i++)
        valid &= valid_reduction(context, signature, names, count, &fun->stages.data[i]->reduction);
    return valid;
}
