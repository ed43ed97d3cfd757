/* part.c -- one part of a split pipeline: the funcs that some goals need, where a cut func is an
 * image.
 *
 * A part is an algorithm first. Its text is printed and read back, and what was read is compared with
 * it (source.h). From then on only what was read counts: it is what an executor of the plan runs.
 */
#include "library/split/source.h"
#include "library/split/splitting.h"

#include "frontend/frontend.h"
#include "lower/lower.h"
#include "schedule/redefine.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---- */

static bool has_name(const Splitting *splitting, Symbol name) {
    const Signature *signature = &splitting->pipeline->signature;
    if (signature_parameter(signature, name) || signature_image(signature, name) ||
        signature_func(signature, name))
        return true;
    for (size_t i = 0; i < splitting->pipeline->funcs.length; i++) {
        const Func *func = splitting->pipeline->funcs.data[i];
        for (int k = 0; k < func->shape->dimensions; k++)
            if (func->shape->variables[k] == name)
                return true;
        for (size_t s = 0; s < func->stages.length; s++)
            for (size_t r = 0; r < func->stages.data[s]->reduction.length; r++)
                if (func->stages.data[s]->reduction.data[r].variable == name)
                    return true;
    }
    return false;
}

const char *split_identifier(Splitting *splitting, Symbol name) {
    char *text = arena_text(splitting->arena, name->text, name->length);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
    return text;
}

Symbol split_name(Splitting *splitting, const char *stem) {
    Symbol name = context_symbol(splitting->context, stem);
    for (int n = 2; has_name(splitting, name); n++)
        name = symbol_format(&splitting->context->symbols, "%s_%d", stem, n);
    return name;
}

/* ---- funcs without dimensions ---- */

typedef struct SplitWidening {
    Splitting *splitting;
    Symbol func;
    Expr variable;
    ExprMemo memo;
} SplitWidening;

static Expr widen_node(void *data, Pool *pool, Expr node) {
    const SplitWidening *widening = data;
    if (node->op != OP_ACCESS || node->name != widening->func)
        return node;
    return expr_access(pool, node->name, node->component, node->type, &widening->variable, 1);
}

static Expr widen(void *data, Expr expr) {
    SplitWidening *widening = data;
    return expr_rewrite(widening->splitting->pool, &widening->memo, expr, widen_node, widening);
}

const Func *func_widened(Splitting *splitting, const Func *func) {
    if (func->shape->dimensions > 0)
        return func;
    Arena *arena = splitting->arena;
    Symbol variable = split_name(splitting, "only");
    SplitWidening widening = {splitting, func->shape->name,
                              expr_variable(splitting->pool, variable, INDEX), expr_memo(arena)};
    Func *wide = func_map(arena, func, widen, &widening);
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = *func->shape;
    shape->dimensions = 1;
    shape->variables[0] = variable;
    wide->shape = shape;
    wide->variables[0] = widening.variable;
    for (size_t s = 0; s < wide->stages.length; s++) {
        Stage *stage = wide->stages.data[s];
        stage->indices = arena_array(arena, Expr, 1);
        stage->indices[0] = widening.variable;
        stage->pure[0] = true;
    }
    return wide;
}

/* ---- the algorithm ---- */

typedef struct PartMaking {
    Splitting *splitting;
    const PartPlan *plan;
    Pipeline *made;
    Map goals;   /* Symbol -> Func */
    Map reached; /* Symbol -> itself */
    Map used;    /* Symbol of an image or a parameter -> itself */
    Map fields;  /* Symbol of an image whose fields are read -> itself */
    ExprMemo memo;
} PartMaking;

static const CutFunc *cut_of(const PartMaking *making, Symbol name) {
    if (making->plan->is_whole || map_get(&making->goals, name))
        return NULL;
    return map_get(&making->splitting->cut, name);
}

/* Replaces the reads of cut funcs, and those of goals that got a dimension. */
static Expr read_image(void *data, Pool *pool, Expr node) {
    const PartMaking *making = data;
    const CutFunc *cut = node->op == OP_ACCESS ? cut_of(making, node->name) : NULL;
    const Func *goal = node->op == OP_ACCESS ? map_get(&making->goals, node->name) : NULL;
    Expr zero = expr_index(pool, 0);
    if (goal && node->arity == 0 && goal->shape->dimensions == 1)
        return expr_access(pool, node->name, node->component, node->type, &zero, 1);
    if (!cut)
        return node;
    return expr_access(pool, cut->images[node->component], 0, node->type,
                       node->arity ? node->arguments : &zero, node->arity ? node->arity : 1);
}

static Expr read_images(void *data, Expr expr) {
    PartMaking *making = data;
    return expr_rewrite(making->splitting->pool, &making->memo, expr, read_image, making);
}

static void reach(PartMaking *making, Symbol name);

static void reach_expr(PartMaking *making, Expr expr) {
    if (!expr)
        return;
    Exprs accesses = expr_accesses_of(making->splitting->arena, expr);
    for (size_t i = 0; i < accesses.length; i++)
        if (!cut_of(making, accesses.data[i]->name))
            reach(making, accesses.data[i]->name);
}

static void reach_func(PartMaking *making, const Func *func) {
    for (size_t s = 0; s < func->stages.length; s++) {
        const Stage *stage = func->stages.data[s];
        for (int k = 0; k < func->shape->dimensions; k++)
            reach_expr(making, stage->indices[k]);
        for (int c = 0; c < func->shape->components; c++)
            reach_expr(making, stage->values[c]);
        reach_expr(making, stage->predicate);
    }
}

/* The depth of the recursion is that of the funcs; they are reached in definition order, backwards,
 * so that it is small (reach_all). */
static void reach(PartMaking *making, Symbol name) {
    const Func *func = pipeline_func(making->splitting->pipeline, name);
    if (!func || map_get(&making->reached, name))
        return;
    map_put(&making->reached, name, name);
    /* A block of equations is read as a whole. */
    for (size_t i = 0; func->recurrence && i < func->recurrence->funcs.length; i++)
        reach(making, func->recurrence->funcs.data[i]->shape->name);
}

static void reach_all(PartMaking *making) {
    const Pipeline *whole = making->splitting->pipeline;
    for (size_t g = 0; g < making->plan->goals.length; g++) {
        reach_func(making, making->plan->goals.data[g]);
        if (making->plan->goals.data[g]->recurrence)
            reach(making, making->plan->goals.data[g]->shape->name);
    }
    for (size_t i = whole->funcs.length; i-- > 0;) {
        const Func *func = whole->funcs.data[i];
        if (map_get(&making->reached, func->shape->name) &&
            !map_get(&making->goals, func->shape->name))
            reach_func(making, func);
    }
}

static Recurrence *recurrence_map(PartMaking *making, Map *made, const Recurrence *recurrence) {
    Recurrence *copy = map_get(made, recurrence);
    if (!recurrence || copy)
        return copy;
    copy = arena_new(making->splitting->arena, Recurrence);
    *copy = *recurrence;
    copy->funcs = (typeof(copy->funcs)){0};
    map_put(made, recurrence, copy);
    return copy;
}

static void add_func(PartMaking *making, Map *recurrences, const Func *func) {
    Arena *arena = making->splitting->arena;
    Func *mapped = func_map(arena, func, read_images, making);
    Recurrence *block = recurrence_map(making, recurrences, func->recurrence);
    mapped->recurrence = block;
    if (block)
        vec_push(arena, &block->funcs, mapped);
    pipeline_add_func(making->made, arena, mapped);
}

/* In the order of the whole; a goal is in its func's place, others come last. */
static void add_funcs(PartMaking *making) {
    const Pipeline *whole = making->splitting->pipeline;
    Map recurrences = map_create(making->splitting->arena);
    for (size_t i = 0; i < whole->funcs.length; i++) {
        Symbol name = whole->funcs.data[i]->shape->name;
        const Func *goal = map_get(&making->goals, name);
        if (goal || map_get(&making->reached, name))
            add_func(making, &recurrences, goal ? goal : whole->funcs.data[i]);
    }
    for (size_t g = 0; g < making->plan->goals.length; g++)
        if (!pipeline_func(whole, making->plan->goals.data[g]->shape->name))
            add_func(making, &recurrences, making->plan->goals.data[g]);
}

/* ---- what it mentions ---- */

static Symbol named_by(const PartMaking *making, Expr node, bool *is_output) {
    Symbol buffer;
    BufferField field;
    int d;
    const Signature *whole = &making->splitting->pipeline->signature;
    *is_output = false;
    if (node->op == OP_ACCESS)
        return node->name;
    if (node->op != OP_VARIABLE)
        return NULL;
    if (!signature_parameter(whole, node->name) &&
        buffer_field_parse(making->splitting->context, node->name, &buffer, &field, &d)) {
        *is_output = !signature_image(whole, buffer);
        return buffer;
    }
    return node->name;
}

static void use_node(void *data, Expr node) {
    PartMaking *making = data;
    bool is_output;
    Symbol name = named_by(making, node, &is_output);
    if (name)
        map_put(&making->used, name, name);
    if (name && node->op == OP_VARIABLE && name != node->name)
        map_put(&making->fields, name, name);
}

static void use(PartMaking *making, Expr expr) {
    if (expr)
        expr_visit(making->splitting->arena, expr, use_node, making);
}

static void use_interval(PartMaking *making, Extent interval) {
    use(making, interval.minimum);
    use(making, interval.length);
}

static void use_funcs(PartMaking *making) {
    for (size_t i = 0; i < making->made->funcs.length; i++) {
        const Func *func = making->made->funcs.data[i];
        for (size_t r = 0; func->recurrence && r < func->recurrence->domain.length; r++)
            use_interval(making, func->recurrence->domain.data[r].interval);
        for (size_t s = 0; s < func->stages.length; s++) {
            const Stage *stage = func->stages.data[s];
            for (size_t r = 0; r < stage->reduction.length; r++)
                use_interval(making, stage->reduction.data[r].interval);
            for (int k = 0; k < func->shape->dimensions; k++)
                use(making, stage->indices[k]);
            for (int c = 0; c < func->shape->components; c++)
                use(making, stage->values[c]);
            use(making, stage->predicate);
        }
    }
}

typedef struct InputMention {
    PartMaking *making;
    bool is_beyond;
} InputMention;

static void mention(void *data, Expr node) {
    InputMention *mention = data;
    bool is_output;
    Symbol name = named_by(mention->making, node, &is_output);
    bool is_known = is_output ? name && signature_output(&mention->making->made->signature, name)
                              : !name || map_get(&mention->making->used, name);
    mention->is_beyond |= !is_known;
}

/* Does the condition mention what the part has not? */
static bool mentions_beyond(PartMaking *making, Expr condition) {
    InputMention found = {making, false};
    expr_visit(making->splitting->arena, condition, mention, &found);
    return found.is_beyond;
}

/* ---- its inputs, outputs and requirements ---- */

static void add_outputs(PartMaking *making) {
    Arena *arena = making->splitting->arena;
    Pool *pool = making->splitting->pool;
    const Signature *whole = &making->splitting->pipeline->signature;
    for (size_t g = 0; g < making->plan->goals.length; g++) {
        FuncShape *shape =
            signature_func(&making->made->signature, making->plan->goals.data[g]->shape->name);
        const Output *output = signature_output(whole, shape->name);
        Output made = {.func = shape->name, .size = making->plan->size};
        if (output && !making->plan->size) {
            made.layout = output->layout;
            made.size = output->size;
            const FuncShape *before = signature_func(whole, shape->name);
            if (before->dimensions == 0 && shape->dimensions == 1) {
                Extent *size = arena_array(arena, Extent, 1);
                size[0] = (Extent){expr_index(pool, 0), expr_index(pool, 1)};
                made.size = size;
            }
        }
        for (int d = 0; made.size && d < shape->dimensions; d++)
            use_interval(making, made.size[d]);
        vec_push(arena, &making->made->signature.outputs, made);
    }
}

static void add_image(PartMaking *making, const ImageParameter *image) {
    Signature *signature = &making->made->signature;
    InputRef input = {true, signature->images.length};
    vec_push(making->splitting->arena, &signature->images, *image);
    vec_push(making->splitting->arena, &signature->inputs, input);
}

static void add_parameter(PartMaking *making, const Parameter *parameter) {
    Signature *signature = &making->made->signature;
    InputRef input = {false, signature->parameters.length};
    vec_push(making->splitting->arena, &signature->parameters, *parameter);
    vec_push(making->splitting->arena, &signature->inputs, input);
}

static void add_inputs_of_whole(PartMaking *making, PlanPart *part) {
    Arena *arena = making->splitting->arena;
    const Signature *whole = &making->splitting->pipeline->signature;
    for (size_t i = 0; i < whole->inputs.length; i++) {
        InputRef input = whole->inputs.data[i];
        if (input.is_image) {
            const ImageParameter *image = &whole->images.data[input.index];
            if (!making->plan->is_whole && !map_get(&making->used, image->name))
                continue;
            add_image(making, image);
            vec_push(arena, &part->images, ((PlanPort){image->name->text, image->name->text}));
        } else {
            const Parameter *parameter = &whole->parameters.data[input.index];
            if (!making->plan->is_whole && !map_get(&making->used, parameter->name))
                continue;
            add_parameter(making, parameter);
            vec_push(arena, &part->parameters, parameter->name->text);
        }
    }
}

static void add_cut_images(PartMaking *making, PlanPart *part) {
    const Splitting *splitting = making->splitting;
    for (size_t i = 0; i < splitting->pipeline->funcs.length; i++) {
        const CutFunc *cut = cut_of(making, splitting->pipeline->funcs.data[i]->shape->name);
        for (int c = 0; cut && c < cut->func->shape->components; c++) {
            if (!map_get(&making->used, cut->images[c]))
                continue;
            ImageParameter image = {.name = cut->images[c],
                                    .type = cut->func->shape->types[c],
                                    .dimensions = cut->func->shape->dimensions,
                                    .layout = LAYOUT_PLANAR};
            add_image(making, &image);
            vec_push(splitting->arena, &part->images,
                     ((PlanPort){image.name->text, image.name->text}));
        }
    }
}

static void add_requirement(PartMaking *making, Expr condition, const char *message) {
    vec_push(making->splitting->arena, &making->made->requirements,
             ((Requirement){condition, message, NOWHERE}));
}

/* Is it about the window of an output that is cut? That of the part may be larger: it holds what later
 * parts read, too. */
static bool is_about_cut(const PartMaking *making, Expr condition) {
    Splitting *splitting = making->splitting;
    Exprs variables = {0};
    expr_variables(splitting->arena, condition, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol buffer;
        BufferField field;
        int d;
        if (buffer_field_parse(splitting->context, variables.data[i]->name, &buffer, &field, &d) &&
            map_get(&splitting->cut, buffer))
            return true;
    }
    return false;
}

/* What needs other inputs, or the window of a cut output, is the whole's to check. */
static void add_requirements(PartMaking *making) {
    Splitting *splitting = making->splitting;
    Pool *pool = splitting->pool;
    const Pipeline *whole = splitting->pipeline;
    for (size_t i = 0; i < whole->requirements.length; i++)
        if (making->plan->is_whole ||
            (!mentions_beyond(making, whole->requirements.data[i].condition) &&
             !is_about_cut(making, whole->requirements.data[i].condition)))
            add_requirement(making, whole->requirements.data[i].condition,
                            whole->requirements.data[i].message);
    for (size_t i = 0; i < whole->boundaries.length; i++) {
        const BoundaryUse *use = &whole->boundaries.data[i];
        Expr length =
            expr_cast(pool, I32, expr_buffer_field(pool, use->image, FIELD_EXTENT, use->dimension));
        if (making->plan->is_whole || map_get(&making->used, use->image))
            add_requirement(making, expr_lt(pool, expr_constant(pool, I32, 0), length),
                            arena_format(splitting->arena,
                                         "the image %s must not be empty in dimension %d",
                                         use->image->text, use->dimension));
    }
}

/* Also what requirements read: all of them are there. */
static void mark_domains(PartMaking *making, PlanPart *part) {
    for (size_t i = 0; i < making->made->requirements.length; i++)
        use(making, making->made->requirements.data[i].condition);
    for (size_t i = 0; i < part->images.length; i++) {
        const char *name = part->images.data[i].name;
        if (map_get(&making->fields, context_symbol(making->splitting->context, name)))
            vec_push(making->splitting->arena, &part->domains, name);
    }
}

static Pipeline *make_algorithm(PartMaking *making, PlanPart *part) {
    Splitting *splitting = making->splitting;
    Pipeline *made = arena_new(splitting->arena, Pipeline);
    *made = (Pipeline){.pool = splitting->pool};
    made->signature.name = split_name(
        splitting, arena_format(splitting->arena, "%s_%zu",
                                split_identifier(splitting, splitting->pipeline->signature.name),
                                splitting->parts));
    if (making->plan->is_whole)
        made->signature.name = splitting->pipeline->signature.name;
    else
        splitting->parts++;
    making->made = made;
    for (size_t g = 0; g < making->plan->goals.length; g++)
        map_put(&making->goals, making->plan->goals.data[g]->shape->name,
                making->plan->goals.data[g]);
    reach_all(making);
    add_funcs(making);
    use_funcs(making);
    add_outputs(making);
    add_inputs_of_whole(making, part);
    add_cut_images(making, part);
    for (size_t i = 0; i < making->plan->images.length; i++)
        add_image(making, &making->plan->images.data[i]);
    for (size_t i = 0; i < making->plan->parameters.length; i++)
        add_parameter(making, &making->plan->parameters.data[i]);
    add_requirements(making);
    mark_domains(making, part);
    return made;
}

/* ---- its text ---- */

static bool refuse_text(const Splitting *splitting, const char *reason) {
    return diag(splitting->context, DIAG_SPLIT_TEXT, splitting->pipeline->signature.place,
                splitting->pipeline->signature.name->text, reason);
}

static bool no_text(const Splitting *splitting, const char *reason) {
    return refuse_text(
        splitting,
        arena_format(splitting->arena, "a part of it has no text in the language: %s", reason));
}

/* Reads a text in the window form, and reports nothing. Null with the first error. */
static Module *read_text(Splitting *splitting, const char *text, const char **error) {
    Context *context = splitting->context;
    bool windows = context->makes_windows, warnings = context->asks_warnings;
    DiagMark before = diag_mark(context);
    context->makes_windows = true;
    context->asks_warnings = false;
    uint32_t file = context_add_file(context, "part.hl", text, strlen(text));
    Module *module = frontend_load(context, splitting->arena, file, NULL, NULL);
    context->makes_windows = windows;
    context->asks_warnings = warnings;
    *error = "it cannot be read";
    for (size_t i = before.reports; !module && i < context->reports.length; i++)
        if (context->reports.data[i].severity == SEVERITY_ERROR)
            *error = arena_format(
                splitting->arena, "%s at %u:%u of the text", context->reports.data[i].message,
                context->reports.data[i].place.line, context->reports.data[i].place.column);
    diag_drop(context, before);
    return module;
}

/* Can code be made of the part? A coordinate that the whole could bound may be read from memory here. */
static bool is_compilable(Splitting *splitting, const PlanPart *part) {
    Context *context = splitting->context;
    Arena *arena = arena_create(&context->memory);
    DiagMark before = diag_mark(context);
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    bool good = lower(part->pipeline, NULL, arena, &options) != NULL;
    const char *error = "";
    for (size_t i = before.reports; !good && i < context->reports.length; i++)
        if (context->reports.data[i].severity == SEVERITY_ERROR)
            error = context->reports.data[i].message;
    diag_drop(context, before);
    arena_destroy(arena);
    return good || refuse_text(splitting, arena_format(splitting->arena,
                                                       "the part `%s` cannot be compiled: %s",
                                                       part->name, error));
}

bool part_create(Splitting *splitting, const PartPlan *plan, PlanPart *part) {
    Arena *arena = splitting->arena;
    PartMaking making = {.splitting = splitting,
                         .plan = plan,
                         .goals = map_create(arena),
                         .reached = map_create(arena),
                         .used = map_create(arena),
                         .fields = map_create(arena),
                         .memo = expr_memo(arena)};
    *part = (PlanPart){.schedule = ""};
    Pipeline *made = make_algorithm(&making, part);
    SourceText source = {.arena = arena, .pipeline = made};
    const char *text = source_pipeline(&source), *error;
    if (!text)
        return no_text(splitting, source.fault);
    Module *module = read_text(splitting, text, &error);
    if (!module)
        return no_text(splitting, error);
    part->pipeline = module->pipelines.data[0];
    if (!source_is_same(&source, part->pipeline))
        return no_text(splitting, "what was written is read as something else");
    part->name = part->pipeline->signature.name->text;
    if (plan->keeps_schedule && !is_compilable(splitting, part))
        return false;
    const char *schedule =
        plan->keeps_schedule ? part_schedule(splitting, text, part->name, splitting->kept) : NULL;
    part->text = schedule ? arena_format(arena, "%s\n%s", text, schedule) : text;
    part->schedule = schedule ? "s" : "";
    return true;
}
