/* startup.c -- facts at startup, which the entry checks ensure (startup.h). */
#include "bounds/startup.h"

typedef struct EntryFacts {
    Simplifier *simplifier;
    Pool *pool;
    const Pipeline *pipeline;
} EntryFacts;

static void learn_at_least(const EntryFacts *entry, int64_t least, Expr expr) {
    simplifier_learn(entry->simplifier, expr_le(entry->pool, expr_index(entry->pool, least), expr));
}

/* In the window form, a domain is at least as long as its window. */
static void learn_extent(const EntryFacts *entry, Symbol buffer, int k, int64_t least) {
    const Signature *signature = &entry->pipeline->signature;
    learn_at_least(entry, least, expr_buffer_field(entry->pool, buffer, FIELD_EXTENT, k));
    if (signature->windows)
        learn_at_least(entry, least,
                       signature_domain_field(signature, entry->pool, buffer, FIELD_EXTENT, k));
}

/* If all windows are empty, nothing runs.  So a window that is alone has points. */
static void learn_window(const EntryFacts *entry, const FuncShape *shape, bool only) {
    for (int k = 0; k < shape->dimensions; k++)
        learn_extent(entry, shape->name, k, only ? 1 : 0);
}

static void learn_parameters(const EntryFacts *entry) {
    const Signature *signature = &entry->pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        if (parameter->has_range && type_is_machine_integer(parameter->type))
            simplifier_learn_range(
                entry->simplifier, parameter->name,
                (ConstantInterval){true, true, parameter->lower, parameter->upper});
        if (parameter->has_range && type_is_float(parameter->type))
            simplifier_learn_float_range(entry->simplifier, parameter->name,
                                         bits_to_double(parameter->type, parameter->lower),
                                         bits_to_double(parameter->type, parameter->upper));
    }
    for (size_t i = 0; i < signature->images.length; i++)
        for (int k = 0; k < signature->images.data[i].dimensions; k++)
            learn_extent(entry, signature->images.data[i].name, k, 0);
    for (size_t i = 0; i < signature->outputs.length; i++)
        learn_window(entry, signature_func(signature, signature->outputs.data[i].func),
                     signature->outputs.length == 1);
}

static void learn_reductions(const EntryFacts *entry) {
    for (size_t i = 0; i < entry->pipeline->funcs.length; i++) {
        const Func *func = entry->pipeline->funcs.data[i];
        for (size_t j = 0; j < func->stages.length; j++) {
            const Stage *stage = func->stages.data[j];
            for (size_t r = 0; r < stage->reduction.length; r++)
                learn_at_least(entry, 0, stage->reduction.data[r].interval.length);
            for (size_t s = 0; s < stage->splits.length; s++) {
                learn_at_least(entry, 0, stage->splits.data[s].domain.length);
                if (stage->splits.data[s].factor)
                    learn_at_least(entry, 1, stage->splits.data[s].factor);
            }
        }
    }
}

/* A boundary condition refuses an image without points, so each has one. */
static void learn_boundaries(const EntryFacts *entry) {
    for (size_t i = 0; i < entry->pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &entry->pipeline->boundaries.data[i];
        learn_at_least(entry, 1,
                       signature_domain_field(&entry->pipeline->signature, entry->pool, use->image,
                                              FIELD_EXTENT, use->dimension));
    }
}

void startup_learn(Simplifier *simplifier, Pool *pool, const Pipeline *pipeline) {
    const EntryFacts entry = {simplifier, pool, pipeline};
    learn_parameters(&entry);
    learn_reductions(&entry);
    learn_boundaries(&entry);
    for (size_t i = 0; i < pipeline->requirements.length; i++)
        simplifier_learn(simplifier, pipeline->requirements.data[i].condition);
}
