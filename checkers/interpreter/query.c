/* query.c -- bounds queries in the target interpreter: the rounds of the run-time library
 * (runtime/query.c) over the program's needs, which are evaluated here.
 */
#include "checkers/interpreter/run.h"

#include "ir/interpret/evaluate.h"
#include "runtime/query.h"

#include <string.h>

typedef struct QueryRun {
    const Program *program;
    Arena *arena;
    Arguments boxes; /* the boxes of the current round */
    const size_t
        *first;        /* of each image of the boxes, inputs before outputs: its place in arrays */
    size_t dimensions; /* of all images */
} QueryRun;

static bool startup_value(void *data, Symbol name, Bits *bits) {
    const QueryRun *query = data;
    const Program *program = query->program;
    return argument_variable(program->signature, &query->boxes, program->pool->context, name, bits);
}

static int64_t evaluate(QueryRun *query, Expr expr) {
    Bits bits;
    expr_evaluate(query->arena, expr, startup_value, query, &bits);
    return bits;
}

static void take_boxes(Image *image, const int64_t *boxes, const int64_t *domains) {
    image->has_domain = domains != NULL;
    for (int d = 0; d < image->dimensions && domains; d++) {
        image->domain_minimum[d] = domains[2 * d];
        image->domain_extent[d] = domains[2 * d + 1];
    }
    for (int d = 0; d < image->dimensions; d++) {
        image->minimum[d] = boxes[3 * d];
        image->extent[d] = boxes[3 * d + 1];
        image->stride[d] = boxes[3 * d + 2];
    }
}

static void find_needs(const void *closure, const int64_t *boxes, int64_t *needed) {
    QueryRun *query = (QueryRun *)closure;
    const Signature *signature = query->program->signature;
    const int64_t *domains = signature->windows ? boxes + 3 * query->dimensions : NULL;
    size_t at = 0;
    for (size_t i = 0; i < signature->images.length; i++, at++)
        take_boxes(&query->boxes.images[i], boxes + 3 * query->first[at],
                   domains ? domains + 2 * query->first[at] : NULL);
    for (size_t i = 0, output = 0; i < signature->outputs.length; i++)
        for (int c = signature_func(signature, signature->outputs.data[i].func)->components; c;
             c--, at++)
            take_boxes(&query->boxes.outputs[output++], boxes + 3 * query->first[at],
                       domains ? domains + 2 * query->first[at] : NULL);
    for (size_t i = 0; i < query->program->needs.length; i++) {
        const Need *need = &query->program->needs.data[i];
        size_t image = (size_t)(need->image - signature->images.data);
        for (int d = 0; d < need->image->dimensions; d++) {
            int64_t *dimension = needed + 3 * (query->first[image] + (size_t)d);
            dimension[0] = evaluate(query, need->box[d].minimum);
            dimension[1] = evaluate(query, need->box[d].length);
        }
    }
}

/* All buffers: inputs, then outputs. */
typedef struct Buffers {
    Vec(hlc_buffer_rule) rules;
    Vec(Image *) images;
    Vec(halide_buffer_t *) buffers;
    Vec(size_t) first;
    size_t dimensions;
} Buffers;

static void add_buffer(Buffers *all, Arena *arena, Image *image, hlc_buffer_rule rule) {
    rule.dimensions = image->dimensions;
    vec_push(arena, &all->rules, rule);
    vec_push(arena, &all->images, image);
    vec_push(arena, &all->buffers, arena_new(arena, halide_buffer_t));
    vec_push(arena, &all->first, all->dimensions);
    all->dimensions += (size_t)image->dimensions;
}

static void list_buffers(Buffers *all, Arena *arena, const Signature *signature,
                         Arguments *arguments) {
    static const uint8_t layouts[] = {[LAYOUT_PLANAR] = HLC_LAYOUT_PLANAR,
                                      [LAYOUT_INTERLEAVED] = HLC_LAYOUT_INTERLEAVED,
                                      [LAYOUT_STRIDED] = HLC_LAYOUT_STRIDED};
    for (size_t i = 0; i < signature->images.length; i++)
        add_buffer(all, arena, &arguments->images[i],
                   (hlc_buffer_rule){.name = signature->images.data[i].name->text,
                                     .window_of = (int32_t)i,
                                     .layout = layouts[signature->images.data[i].layout]});
    for (size_t i = 0, output = 0; i < signature->outputs.length; i++) {
        const FuncShape *func = signature_func(signature, signature->outputs.data[i].func);
        int32_t first = (int32_t)all->rules.length;
        for (int c = 0; c < func->components; c++)
            add_buffer(all, arena, &arguments->outputs[output++],
                       (hlc_buffer_rule){.name = func->name->text,
                                         .window_of = first,
                                         .layout = layouts[signature->outputs.data[i].layout],
                                         .is_output = 1});
    }
}

static Arguments copy_boxes(Arena *arena, const Signature *signature, const Arguments *from,
                            size_t count) {
    size_t images = signature->images.length;
    Arguments copy = {.parameters = from->parameters,
                      .images = arena_array(arena, Image, images),
                      .outputs = arena_array(arena, Image, count - images)};
    for (size_t i = 0; i < images; i++)
        copy.images[i] = from->images[i];
    for (size_t i = 0; i < count - images; i++)
        copy.outputs[i] = from->outputs[i];
    return copy;
}

/* Of the window form: a query with the domains of the images, if they have any. */
static int answer(Buffers *all, Arena *arena, QueryRun *query, hlc_report *report) {
    int count = (int)all->rules.length;
    bool is_given = false;
    if (!query->program->signature->windows)
        return hlc_answer_query(report, all->rules.data, all->buffers.data, count, find_needs,
                                query);
    int64_t *domains = arena_array(arena, int64_t, 2 * all->dimensions + 1), *at = domains;
    for (size_t i = 0; i < all->images.length; i++) {
        const Image *image = all->images.data[i];
        is_given |= image->has_domain;
        for (int d = 0; d < image->dimensions; d++) {
            *at++ = image_domain_minimum(image, d);
            *at++ = image_domain_extent(image, d);
        }
    }
    return hlc_query_answer(report, all->rules.data, all->buffers.data, count, find_needs, query,
                            is_given ? QUERY_IS_GIVEN : QUERY_IS_OWN, domains);
}

Outcome run_query(const Program *program, Arena *arena, Arguments *arguments) {
    const Signature *signature = program->signature;
    Buffers all = {0};
    hlc_report report = {0};
    Outcome outcome = {0};
    list_buffers(&all, arena, signature, arguments);
    for (size_t i = 0; i < all.images.length && !outcome.error; i++)
        outcome.error =
            image_to_buffer(all.images.data[i], all.rules.data[i].name, all.buffers.data[i],
                            arena_array(arena, halide_dimension_t, MAX_IMAGE_DIMENSIONS), &report);
    QueryRun query = {.program = program,
                      .arena = arena,
                      .boxes = copy_boxes(arena, signature, arguments, all.images.length),
                      .first = all.first.data,
                      .dimensions = all.dimensions};
    if (!outcome.error)
        outcome.error = answer(&all, arena, &query, &report);
    if (outcome.error < 0) {
        memcpy(outcome.message, report.message, sizeof outcome.message);
        return outcome;
    }
    outcome.error = 0;
    for (size_t i = 0; i < all.images.length; i++)
        if (!all.images.data[i]->data)
            image_take_box(all.images.data[i], all.buffers.data[i]);
    return outcome;
}
