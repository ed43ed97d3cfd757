/* report.c -- `hlc bounds`: each region as a formula, and where each end comes from.
 *
 *     f, computed at h.s0.xo
 *       x: [h.s0.xo*256 - 1, min(h.s0.xo*256 + 256, h.extent.0)]
 *          lower: read f(x - 1, y) in h, blur.hl:4:21
 *                 x over one iteration of h.s0.xo, clipped to the whole loop (blur.hl:9:5)
 *          upper: read f(x + 1, y) in h, blur.hl:4:31
 *                 x over one iteration of h.s0.xo, clipped to the whole loop (blur.hl:9:5)
 */
#include "bounds/oracle.h"

#include "ir/print.h"

/* Larger formulas are told by their size. */
#define READABLE_NODES 400

static void print_end(FILE *out, Arena *scratch, Expr expr) {
    if (expr->tree_size > READABLE_NODES)
        fprintf(out, "(a formula of more than %d terms)", READABLE_NODES);
    else
        fputs(expr_text(scratch, expr), out);
}

static void print_provenance(FILE *out, const Context *context, const char *which,
                             const Provenance *provenance) {
    fprintf(out, "     %s: %s", which, provenance->reason);
    if (provenance->place.line)
        fprintf(out, ", %s:%u:%u", context->files.data[provenance->place.file].path,
                provenance->place.line, provenance->place.column);
    fputc('\n', out);
    if (provenance->rule)
        fprintf(out, "            %s\n", provenance->rule);
}

static void print_dimension(FILE *out, const Context *context, Arena *scratch, const char *name,
                            const RegionEnd *lower, const RegionEnd *upper) {
    fprintf(out, "  %s: [", name);
    print_end(out, scratch, lower->expr);
    fputs(", ", out);
    print_end(out, scratch, upper->expr);
    fputs("]\n", out);
    print_provenance(out, context, "lower", &lower->provenance);
    print_provenance(out, context, "upper", &upper->provenance);
}

/* Memory is told only where it is not the compute region. */
static void print_memory(FILE *out, Arena *scratch, const Region *region, int k) {
    if (region->memory[k].minimum == region->compute[k].minimum &&
        region->memory[k].length == region->compute[k].length)
        return;
    fputs("     memory: from ", out);
    print_end(out, scratch, region->memory[k].minimum);
    fputs(", length ", out);
    print_end(out, scratch, region->memory[k].length);
    fputc('\n', out);
}

static const char *level_of(const Region *region) {
    for (const Stmt *stmt = region->site; stmt; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_FOR)
            return stmt->loop.binder->text;
    return "root";
}

static void print_func(FILE *out, const Context *context, Arena *scratch, const Pipeline *pipeline,
                       const Region *region) {
    const FuncShape *shape = signature_func(&pipeline->signature, region->func);
    fprintf(out, "%s, computed at %s\n", region->func->text, level_of(region));
    for (int k = 0; k < region->dimensions; k++) {
        print_dimension(out, context, scratch, shape->variables[k]->text, &region->lower[k],
                        &region->upper[k]);
        print_memory(out, scratch, region, k);
    }
}

void bounds_print(FILE *out, Context *context, const Pipeline *pipeline,
                  const BoundsResult *result) {
    Arena *scratch = arena_create(&context->memory);
    for (size_t i = result->funcs.length; i-- > 0;)
        print_func(out, context, scratch, pipeline, result->funcs.data[i]);
    for (size_t i = 0; i < result->images.length; i++) {
        const Region *region = result->images.data[i];
        fprintf(out, "image %s\n", region->func->text);
        for (int k = 0; k < region->dimensions; k++) {
            char name[16];
            snprintf(name, sizeof name, "%d", k);
            print_dimension(out, context, scratch, name, &region->lower[k], &region->upper[k]);
        }
    }
    arena_destroy(scratch);
}
