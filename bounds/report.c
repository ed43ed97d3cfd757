/* report.c -- prints `hlc bounds`: each region as a formula, and the origin of each end.
 *
 *     f, computed at h.s0.xo
 *       x: [h.s0.xo*256 - 1, min(h.s0.xo*256 + 256, h.extent.0)]
 *          lower: read f(x - 1, y) in h, blur.hl:4:21
 *                 x over one iteration of h.s0.xo, clipped to the whole loop (blur.hl:9:5)
 *          upper: read f(x + 1, y) in h, blur.hl:4:31
 *                 x over one iteration of h.s0.xo, clipped to the whole loop (blur.hl:9:5)
 *
 * The end of the report lists the formulas that were given names, if they are mentioned.
 */
#include "bounds/oracle.h"

#include "ir/print.h"

/* Larger formulas are printed as their size. */
#define READABLE_NODES 400

typedef struct Printing {
    FILE *out;
    Context *context;
    Arena *scratch;
    const BoundsResult *result;
    Map mentioned; /* Symbol -> itself */
} Printing;

static void mention(Printing *printing, Expr expr) {
    Exprs variables = expr_variables_of(printing->scratch, expr);
    for (size_t i = 0; i < variables.length; i++)
        map_put(&printing->mentioned, variables.data[i]->name, variables.data[i]->name);
}

static void print_end(Printing *printing, Expr expr) {
    mention(printing, expr);
    if (expr->tree_size > READABLE_NODES)
        fprintf(printing->out, "(a formula of more than %d terms)", READABLE_NODES);
    else
        fputs(expr_formula(printing->scratch, expr), printing->out);
}

static void print_provenance(Printing *printing, const char *which, const Provenance *provenance) {
    fprintf(printing->out, "     %s: %s", which, provenance->reason);
    if (provenance->place.line)
        fprintf(printing->out, ", %s:%u:%u",
                printing->context->files.data[provenance->place.file].path, provenance->place.line,
                provenance->place.column);
    fputc('\n', printing->out);
    if (provenance->rule)
        fprintf(printing->out, "            %s\n", provenance->rule);
}

static void print_dimension(Printing *printing, const char *name, const RegionEnd *lower,
                            const RegionEnd *upper) {
    fprintf(printing->out, "  %s: [", name);
    print_end(printing, lower->expr);
    fputs(", ", printing->out);
    print_end(printing, upper->expr);
    fputs("]\n", printing->out);
    print_provenance(printing, "lower", &lower->provenance);
    print_provenance(printing, "upper", &upper->provenance);
}

/* Memory is printed only if it differs from the compute region. */
static void print_memory(Printing *printing, const BoundsRegion *region, int k) {
    if (region->memory[k].minimum == region->compute[k].minimum &&
        region->memory[k].length == region->compute[k].length)
        return;
    fputs("     memory: from ", printing->out);
    print_end(printing, region->memory[k].minimum);
    fputs(", length ", printing->out);
    print_end(printing, region->memory[k].length);
    fputc('\n', printing->out);
}

static const char *level_of(const BoundsRegion *region) {
    for (const Stmt *stmt = region->computing; stmt; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_FOR)
            return stmt->loop.binder->text;
    return "root";
}

static void print_condition(Printing *printing, const BoundsRegion *region) {
    if (!region->condition)
        return;
    fputs("  only where ", printing->out);
    print_end(printing, region->condition);
    fputc('\n', printing->out);
}

static void print_func(Printing *printing, const Pipeline *pipeline, const BoundsRegion *region) {
    const FuncShape *shape = signature_func(&pipeline->signature, region->func);
    fprintf(printing->out, "%s, computed at %s\n", region->func->text, level_of(region));
    for (int k = 0; k < region->dimensions; k++) {
        print_dimension(printing, shape->variables[k]->text, &region->lower[k], &region->upper[k]);
        print_memory(printing, region, k);
    }
    print_condition(printing, region);
}

static void print_image(Printing *printing, const BoundsRegion *region) {
    fprintf(printing->out, "image %s\n", region->func->text);
    for (int k = 0; k < region->dimensions; k++)
        print_dimension(printing, arena_format(printing->scratch, "%d", k), &region->lower[k],
                        &region->upper[k]);
    print_condition(printing, region);
}

static void print_lets(Printing *printing) {
    const BoundsResult *result = printing->result;
    bool some = false;
    for (size_t i = result->lets.length; i-- > 0;)
        if (map_get(&printing->mentioned, result->lets.data[i].name))
            mention(printing, result->lets.data[i].value);
    for (size_t i = 0; i < result->lets.length; i++) {
        const BoundLet *let = &result->lets.data[i];
        if (!map_get(&printing->mentioned, let->name))
            continue;
        fprintf(printing->out, "%s  %s = ", some ? "" : "where\n", let->name->text);
        print_end(printing, let->value);
        fputc('\n', printing->out);
        some = true;
    }
}

void bounds_print(FILE *out, Context *context, const Pipeline *pipeline,
                  const BoundsResult *result) {
    Arena *scratch = arena_create(&context->memory);
    Printing printing = {out, context, scratch, result, map_create(scratch)};
    for (size_t i = result->funcs.length; i-- > 0;)
        print_func(&printing, pipeline, result->funcs.data[i]);
    for (size_t i = 0; i < result->images.length; i++)
        print_image(&printing, result->images.data[i]);
    print_lets(&printing);
    arena_destroy(scratch);
}
