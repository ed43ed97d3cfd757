/* values_reads.c -- the pipeline in which a point of one func can be explained.
 *
 * It has that func, and images in place of the funcs that it reads. The reference evaluates the point
 * and records what it reads. So a point costs what its own definition costs, however deep the pipeline
 * is. Outputs, tuples and funcs of more than four dimensions stay funcs.
 */
#include "library/show/values.h"

#include "ir/interpret/evaluate.h"

bool values_is_of_recurrence(const Func *func) {
    return func->recurrence || func->extends;
}

bool values_is_output(const Pipeline *pipeline, Symbol name) {
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++)
        if (pipeline->signature.outputs.data[i].func == name)
            return true;
    return false;
}

static bool known_value(void *data, Symbol name, Bits *bits) {
    return arguments_known(data, name, bits);
}

/* May an image stand for the func, where another one reads it? */
static const Image *stand_in(const AllValues *all, const Func *func) {
    if (func->shape->components > 1 || values_is_of_recurrence(func) ||
        values_is_output(all->written, func->shape->name))
        return NULL;
    for (size_t i = 0; i < all->values.length; i++)
        if (all->values.data[i].func == func)
            return all->values.data[i].image;
    return NULL;
}

/* How many iterations the reductions of a func have, for all its updates; 1 without any. */
static double iterations_of(const AllValues *all, const Func *func) {
    double sum = 1;
    for (size_t s = 0; s < func->stages.length; s++) {
        const Stage *stage = func->stages.data[s];
        double product = stage->reduction.length ? 1 : 0,
               writes = stage->writes ? stage->writes : 1;
        for (size_t i = 0; i < stage->reduction.length; i++) {
            Bits length = 0;
            Expr formula = stage->reduction.data[i].interval.length;
            bool is_known =
                expr_evaluate(all->h->scratch, formula, known_value, all->arguments, &length);
            product *= is_known ? (double)length : 1e12;
        }
        sum += product * writes;
    }
    return sum;
}

bool values_reading(const AllValues *all, const Func *func, ValueReading *reading,
                    const char **why_not) {
    Arena *arena = all->h->scratch;
    const Pipeline *pipeline = all->pipeline;
    Map reached = map_create(arena);
    if (pipeline->recurrences.length || func_is_extern(func)) {
        *why_not =
            func_is_extern(func) ? "a C function computes it" : "the pipeline has a recurrence";
        return false;
    }
    pipeline_reach(pipeline, func->shape->name, &reached, arena);
    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    Signature *signature = &result->signature;
    signature->images = (ImageParameters){0};
    result->requirements.length = result->boundaries.length = 0; /* the run has kept them */
    Vec(Image) images = {0};
    for (size_t i = 0; i < pipeline->signature.images.length; i++) {
        vec_push(arena, &signature->images, pipeline->signature.images.data[i]);
        vec_push(arena, &images, all->arguments->values.images[i]);
    }
    reading->iterations = 0;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Func *other = pipeline->funcs.data[i];
        const Image *image = other == func ? NULL : stand_in(all, other);
        if (image) {
            vec_push(arena, &signature->images,
                     ((ImageParameter){.name = other->shape->name,
                                       .type = image->type,
                                       .dimensions = image->dimensions,
                                       .place = other->place}));
            vec_push(arena, &images, *image);
            continue;
        }
        pipeline_add_func(result, arena, other);
        if (map_get(&reached, other->shape->name))
            reading->iterations += iterations_of(all, other);
    }
    signature->outputs.length = all->written->signature.outputs.length;
    reading->pipeline = result;
    reading->arguments = all->arguments->values;
    reading->arguments.images = images.data;
    return true;
}
