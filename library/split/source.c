/* source.c -- a pipeline as text: inputs, outputs, funcs, stages. See source.h. */
#include "library/split/source.h"

#include <string.h>

/* Lets are nested when they are expanded, which the front end limits, too. */
enum { SHARED_NODES = 8, DEEPEST = 48, DEEPEST_OF_ALL = 4000 };

/* Names that are identifiers stay; the others avoid them. */
static void take_name(SourceText *source, Symbol name) {
    if (source_is_identifier(name->text))
        map_put(&source->taken, name, name);
}

static void take_names(SourceText *source) {
    const Pipeline *pipeline = source->pipeline;
    const Signature *signature = &pipeline->signature;
    for (size_t i = 0; i < signature->parameters.length; i++)
        take_name(source, signature->parameters.data[i].name);
    for (size_t i = 0; i < signature->images.length; i++)
        take_name(source, signature->images.data[i].name);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        take_name(source, func->shape->name);
        for (int k = 0; k < func->shape->dimensions; k++)
            take_name(source, func->shape->variables[k]);
        for (size_t s = 0; s < func->stages.length; s++)
            for (size_t r = 0; r < func->stages.data[s]->reduction.length; r++)
                take_name(source, func->stages.data[s]->reduction.data[r].variable);
    }
}

/* ---- what occurs often, or is deep, gets a name ---- */

typedef struct SourceUses {
    SourceText *source;
    const Func *func;
    const Stage *stage;
    Map counts; /* Expr -> the number of its users */
    Map depths; /* Expr -> its depth without what has a name */
    Vec(Expr) nodes;
} SourceUses;

static size_t number_of(const Map *map, Expr expr) {
    return (size_t)(uintptr_t)map_get(map, expr);
}

static void count_uses(void *data, Expr node) {
    SourceUses *uses = data;
    if (node->depth > DEEPEST_OF_ALL)
        uses->source->fault = "an expression is too deep";
    vec_push(uses->source->arena, &uses->nodes, node);
    for (int i = 0; i < node->arity; i++)
        map_put(&uses->counts, node->arguments[i],
                (void *)(uintptr_t)(number_of(&uses->counts, node->arguments[i]) + 1));
}

static bool is_known(void *data, Expr node) {
    const SourceUses *uses = data;
    return map_get(&uses->depths, node) != NULL;
}

static void visit(void *data, Expr node) {
    SourceUses *uses = data;
    map_put(&uses->depths, node, (void *)1);
    count_uses(data, node);
}

static bool is_variable_of(const SourceUses *uses, Symbol name) {
    for (int k = 0; k < uses->func->shape->dimensions; k++)
        if (uses->func->shape->variables[k] == name)
            return true;
    for (size_t r = 0; r < uses->stage->reduction.length; r++)
        if (uses->stage->reduction.data[r].variable == name)
            return true;
    return false;
}

static bool is_leaf(Expr node) {
    return node->op == OP_VARIABLE || node->op == OP_CONSTANT;
}

/* `let3(x, r)`: the let takes the variables that it mentions. */
static void name_node(SourceUses *uses, Expr node) {
    SourceText *source = uses->source;
    Exprs variables = expr_variables_of(source->arena, node);
    const char *list = "";
    for (size_t i = 0; i < variables.length; i++)
        if (is_variable_of(uses, variables.data[i]->name))
            list = arena_format(source->arena, "%s%s%s", list, *list ? ", " : "",
                                source_name(source, variables.data[i]->name));
    const char *stem = arena_format(source->arena, "part%d", ++source->let_count);
    const char *call = arena_format(source->arena, "%s%s%s%s", source_free_name(source, stem),
                                    *list ? "(" : "", list, *list ? ")" : "");
    source_put(source, "        let %s = ", call);
    source_expression(source, node);
    source_put(source, ";\n");
    map_put(&source->lets, node, call);
}

/* The nodes come arguments first. */
static void name_nodes(SourceUses *uses) {
    for (size_t i = 0; i < uses->nodes.length && !uses->source->fault; i++) {
        Expr node = uses->nodes.data[i];
        size_t depth = 1;
        for (int k = 0; k < node->arity; k++) {
            size_t inner = number_of(&uses->depths, node->arguments[k]) + 1;
            depth = depth > inner ? depth : inner;
        }
        bool is_often = number_of(&uses->counts, node) > 1 && node->tree_size > SHARED_NODES;
        bool is_named = !is_leaf(node) && (is_often || depth > DEEPEST);
        if (is_named)
            name_node(uses, node);
        map_put(&uses->depths, node, (void *)(uintptr_t)(is_named ? 1 : depth));
    }
}

typedef struct WrittenStage {
    int writes;
    Expr *indices, *values; /* of all writes, one after the other */
} WrittenStage;

static WrittenStage writes_of(SourceText *source, const Func *func, const Stage *stage) {
    const FuncShape *shape = func->shape;
    WrittenStage written = {.writes = stage->writes ? stage->writes : 1};
    written.indices = arena_array(source->arena, Expr, written.writes * shape->dimensions + 1);
    written.values = arena_array(source->arena, Expr, written.writes * shape->components);
    Pool *pool = source->pipeline->pool;
    for (int w = 0; w < written.writes; w++) {
        for (int k = 0; k < shape->dimensions; k++)
            written.indices[w * shape->dimensions + k] =
                stage_of_write(pool, source->arena, stage, stage->indices[k], w);
        for (int c = 0; c < shape->components; c++)
            written.values[w * shape->components + c] =
                stage_of_write(pool, source->arena, stage, stage->values[c], w);
    }
    return written;
}

static void put_lets(SourceText *source, const Func *func, const Stage *stage,
                     const WrittenStage *written) {
    SourceUses uses = {.source = source,
                       .func = func,
                       .stage = stage,
                       .counts = map_create(source->arena),
                       .depths = map_create(source->arena)};
    source->lets = map_create(source->arena);
    for (int i = 0; i < written->writes * func->shape->dimensions; i++)
        expr_visit_rest(source->arena, written->indices[i], is_known, visit, &uses);
    for (int i = 0; i < written->writes * func->shape->components; i++)
        expr_visit_rest(source->arena, written->values[i], is_known, visit, &uses);
    if (stage->predicate)
        expr_visit_rest(source->arena, stage->predicate, is_known, visit, &uses);
    name_nodes(&uses);
}

/* ---- stages ---- */

static void put_interval(SourceText *source, Extent interval) {
    source_put(source, "(");
    source_plain(source, interval.minimum);
    source_put(source, ", ");
    source_plain(source, interval.length);
    source_put(source, ")");
}

static void put_variables(SourceText *source, const ReductionVariable *variables, size_t count) {
    source_put(source, "(");
    for (size_t r = 0; r < count; r++) {
        source_put(source, "%s%s = ", r ? "; " : "", source_name(source, variables[r].variable));
        put_interval(source, variables[r].interval);
    }
    source_put(source, ")");
}

static void put_values(SourceText *source, const Expr *values, int count) {
    source_put(source, "%s", count > 1 ? "{" : "");
    for (int c = 0; c < count; c++) {
        source_put(source, "%s", c ? ", " : "");
        source_plain(source, values[c]);
    }
    source_put(source, "%s", count > 1 ? "}" : "");
}

static void put_update(SourceText *source, const Func *func, const Stage *stage) {
    const FuncShape *shape = func->shape;
    WrittenStage written = writes_of(source, func, stage);
    put_lets(source, func, stage, &written);
    if (source->fault)
        return;
    source_put(source, "        ");
    if (stage->reduction.length) {
        Map lets = source->lets;
        source->lets = map_create(source->arena); /* bounds stand outside of the lets' scope */
        source_put(source, "rdom");
        put_variables(source, stage->reduction.data, stage->reduction.length);
        source_put(source, " in ");
        source->lets = lets;
    }
    for (int w = 0; w < written.writes; w++) {
        source_put(source, "%s", w ? ", (" : "(");
        for (int k = 0; k < shape->dimensions; k++) {
            source_put(source, "%s", k ? ", " : "");
            source_expression(source, written.indices[w * shape->dimensions + k]);
        }
        source_put(source, ") <- ");
        put_values(source, &written.values[w * shape->components], shape->components);
    }
    if (stage->predicate) {
        source_put(source, " if ");
        source_expression(source, stage->predicate);
    }
    source_put(source, ";\n");
    if (stage->splits.length)
        source->fault = "a reduction variable is split";
}

/* ---- funcs ---- */

static void put_types(SourceText *source, const FuncShape *shape) {
    source_put(source, ": %s", shape->components > 1 ? "{" : "");
    for (int c = 0; c < shape->components; c++)
        source_put(source, "%s%s", c ? ", " : "", type_name(shape->types[c]));
    source_put(source, "%s", shape->components > 1 ? "}" : "");
}

static void put_head(SourceText *source, const Func *func, const char *indent) {
    source_put(source, "%sfun %s(", indent, source_name(source, func->shape->name));
    for (int k = 0; k < func->shape->dimensions; k++)
        source_put(source, "%s%s", k ? ", " : "", source_name(source, func->shape->variables[k]));
    source_put(source, ")");
    put_types(source, func->shape);
}

static void put_func(SourceText *source, const Func *func) {
    WrittenStage first = writes_of(source, func, func->stages.data[0]);
    if (source->fault)
        return;
    put_head(source, func, "    ");
    source_put(source, " = {\n");
    put_lets(source, func, func->stages.data[0], &first);
    if (source->fault)
        return;
    source_put(source, "        ");
    put_values(source, first.values, func->shape->components);
    source_put(source, ";\n");
    for (size_t s = 1; s < func->stages.length; s++)
        put_update(source, func, func->stages.data[s]);
    source_put(source, "    }\n");
}

/* An equation is one expression without lets. */
static void put_recurrence(SourceText *source, const Recurrence *recurrence) {
    source->lets = map_create(source->arena);
    source_put(source, "    recurrence ");
    put_variables(source, recurrence->domain.data, recurrence->domain.length);
    source_put(source, " {\n");
    for (size_t i = 0; i < recurrence->funcs.length && recurrence->funcs.length > 1; i++) {
        put_head(source, recurrence->funcs.data[i], "        ");
        source_put(source, ";\n");
    }
    for (size_t i = 0; i < recurrence->funcs.length; i++) {
        const Func *func = recurrence->funcs.data[i];
        const Stage *stage = func->stages.data[0];
        put_head(source, func, "        ");
        source_put(source, " = ");
        for (int c = 0; c < func->shape->components; c++)
            if (stage->values[c]->tree_size > 4096 || stage->values[c]->depth > 4 * DEEPEST)
                source->fault = "an equation of a recurrence is too large";
        if (!source->fault)
            put_values(source, stage->values, func->shape->components);
        source_put(source, ";\n");
    }
    source_put(source, "    }\n");
}

/* ---- the pipeline ---- */

static const char *layout_text(Layout layout) {
    return layout == LAYOUT_INTERLEAVED ? "interleaved"
           : layout == LAYOUT_STRIDED   ? "strided"
                                        : "planar";
}

static void put_number(SourceText *source, Type type, Bits bits) {
    source_plain(source, expr_constant(source->pipeline->pool, type, bits));
}

static void put_parameter(SourceText *source, const Parameter *parameter) {
    source_put(source, "%s: %s", source_name(source, parameter->name), type_name(parameter->type));
    if (parameter->has_default) {
        source_put(source, " = ");
        put_number(source, parameter->type, parameter->default_value);
    }
    if (parameter->has_range) {
        source_put(source, " in ");
        put_number(source, parameter->type, parameter->lower);
        source_put(source, "..");
        put_number(source, parameter->type, parameter->upper);
    }
}

static void put_inputs(SourceText *source, const Signature *signature) {
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        source_put(source, "%s", i ? ", " : "");
        if (!input.is_image) {
            put_parameter(source, &signature->parameters.data[input.index]);
            continue;
        }
        const ImageParameter *image = &signature->images.data[input.index];
        source_put(source, "%s: image<%s, %d%s%s>", source_name(source, image->name),
                   type_name(image->type), image->dimensions,
                   image->layout == LAYOUT_PLANAR ? "" : ", ",
                   image->layout == LAYOUT_PLANAR ? "" : layout_text(image->layout));
    }
}

static void put_outputs(SourceText *source, const Signature *signature) {
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const Output *output = &signature->outputs.data[i];
        const FuncShape *shape = signature_func(signature, output->func);
        source_put(source, "%s%s", i ? ", " : "", source_name(source, output->func));
        for (int d = 0; output->size && d < shape->dimensions; d++) {
            source_put(source, "%s", d ? ", " : "(");
            put_interval(source, output->size[d]);
        }
        source_put(source, "%s", !output->size ? "" : shape->dimensions ? ")" : "()");
        if (output->layout != LAYOUT_PLANAR)
            source_put(source, ": %s", layout_text(output->layout));
    }
}

const char *source_pipeline(SourceText *source) {
    const Pipeline *pipeline = source->pipeline;
    const Signature *signature = &pipeline->signature;
    source->names = map_create(source->arena);
    source->taken = map_create(source->arena);
    source->lets = map_create(source->arena);
    take_names(source);
    source_put(source, "pipeline %s(", source_name(source, signature->name));
    put_inputs(source, signature);
    source_put(source, ") -> (");
    put_outputs(source, signature);
    source_put(source, ") {\n");
    Map written = map_create(source->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        if (!func->recurrence)
            put_func(source, func);
        else if (!map_get(&written, func->recurrence))
            put_recurrence(source, func->recurrence);
        map_put(&written, func->recurrence ? (void *)func->recurrence : (void *)func, func);
    }
    source->lets = map_create(source->arena);
    for (size_t i = 0; i < pipeline->requirements.length; i++) {
        source_put(source, "    require(");
        source_expression(source, pipeline->requirements.data[i].condition);
        source_put(source, ", \"%s\");\n", pipeline->requirements.data[i].message);
    }
    source_put(source, "}\n");
    vec_push(source->arena, &source->text, 0);
    return source->fault ? NULL : source->text.data;
}
