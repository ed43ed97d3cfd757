/* eager.c -- PASS_EAGER: fills the memory of funcs that `eager` names with constants.
 *
 *     allocate lut: u8 [(0, 256)]          allocate lut: u8 [(0, 256)] table "00010204.."
 *     compute lut on [(0, 256)]      becomes   compute lut on [(0, 256)]
 *       label lut ..                             nop
 *
 * The values are those of the definition as written (schedule/directives/eager.c).  The pass lowers
 * a pipeline without a schedule whose only output is the func.  The target interpreter runs it on
 * the least box of constants around the allocation's box.  That is Theorem 3.5 for the empty
 * schedule.  Compiled code is tested against the interpreter's evaluator.  So the values are, bit
 * for bit, those that would be computed at run time.
 *
 * A table holds its elements as they lie in memory: little-endian, dimension 0 closest, the
 * components one after another.
 */
#include "lower/passes/eager.h"

#include "ir/interpret/interpret.h"
#include "lower/lower.h"
#include "lower/passes/clamp_indices.h"
#include "lower/passes/reach.h"
#include "simplify/simplify.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_POINTS = 65536 };
#define MOST_STATEMENTS ((uint64_t)1 << 27)

typedef struct Eager {
    Program *program;
    const Func *func;
    Arena *arena, *scratch;
    uint64_t *instructions; /* the number that ran */
} Eager;

static bool refuse_eager(const Eager *eager, const char *why) {
    diag(eager->program->pool->context, DIAG_EAGER, eager->func->place,
         eager->func->shape->name->text, why);
    return false;
}

/* Returns the least constants around the interval.  If only one of two outputs is asked for, less
 * may be needed.  False if there are no constants. */
static bool enclose(const Eager *eager, const Extent *interval, int64_t *minimum, int64_t *extent) {
    Simplifier *simplifier = simplifier_create(eager->program->pool, eager->scratch);
    ConstantInterval first = simplify_interval(simplifier, interval->minimum);
    ConstantInterval end = simplify_interval(
        simplifier, expr_add(eager->program->pool, interval->minimum, interval->length));
    if (!first.has_minimum || !end.has_maximum ||
        __builtin_sub_overflow(end.maximum, first.minimum, extent))
        return false;
    *minimum = first.minimum;
    *extent = *extent > 0 ? *extent : 0;
    return true;
}

/* Computes the box, and gives it to the allocation; false after refusing. */
static bool find_box(const Eager *eager, Stmt *allocate, Image *box) {
    Pool *pool = eager->program->pool;
    int64_t points = 1;
    *box = (Image){.dimensions = eager->func->shape->dimensions};
    for (int d = 0; d < box->dimensions; d++) {
        Extent *interval = &allocate->allocate.intervals[d];
        if (!enclose(eager, interval, &box->minimum[d], &box->extent[d]))
            return refuse_eager(
                eager, arena_format(eager->arena,
                                    "in dimension %s it is needed on a region that is not constant",
                                    eager->func->shape->variables[d]->text));
        interval->minimum = expr_index(pool, box->minimum[d]);
        interval->length = expr_index(pool, box->extent[d]);
        box->stride[d] = points;
        if (box->extent[d] < 0 || __builtin_mul_overflow(points, box->extent[d], &points) ||
            points > MOST_POINTS)
            return refuse_eager(eager, "it is needed at more than 65536 points");
    }
    return true;
}

/* Makes a pipeline with the func alone, as an output. */
static Pipeline *pipeline_of(const Eager *eager) {
    Arena *arena = eager->scratch;
    const Pipeline *definition = eager->func->definition;
    Pipeline *result = pipeline_without_funcs(definition, arena);
    Signature *signature = &result->signature;
    signature->parameters = (Parameters){0};
    signature->images = (ImageParameters){0};
    signature->inputs = (InputRefs){0};
    signature->outputs = (Outputs){0};
    result->requirements = (typeof(result->requirements)){0};
    result->boundaries = (typeof(result->boundaries)){0};
    Symbol name = eager->func->shape->name;
    for (size_t i = 0; i < definition->funcs.length; i++) {
        Func *func = arena_new(arena, Func);
        FuncShape *shape = arena_new(arena, FuncShape);
        *func = *definition->funcs.data[i];
        *shape = *func->shape;
        shape->is_output = shape->name == name;
        func->shape = shape;
        pipeline_add_func(result, arena, func);
    }
    vec_push(arena, &signature->outputs, (Output){.func = name, .place = eager->func->place});
    return result;
}

/* Runs the passes up to PASS_SIMPLIFY on a pipeline without a schedule.  Null after reporting. */
static Program *lower_plainly(const Pipeline *written, Arena *arena) {
    Directives none = {0};
    BoundRequests requests = {0};
    const Pipeline *pipeline = schedule_expand(written, NULL, SIZE_MAX, arena, &none);
    if (pipeline)
        pipeline = clamp_indices(reach_outputs(pipeline, &none, arena), arena);
    if (!pipeline)
        return NULL;
    Program *program = lower_initial(pipeline, arena);
    if (!schedule_apply(program, pipeline, &none, SIZE_MAX, &requests))
        return NULL;
    GrowingFunc growing;
    const BoundsResult *bounds =
        bounds_fill(program, pipeline, &requests, true, false, arena, &growing);
    if (growing.func)
        growing_report(pipeline, &growing);
    if (!bounds || !lower_checks(program, pipeline, bounds, &requests, arena))
        return NULL;
    lower_simplify(program, arena);
    return program;
}

/* Fills the images, one a component, which lie one after another in the table. */
static bool evaluate(const Eager *eager, Image *images) {
    const Program *program = lower_plainly(pipeline_of(eager), eager->scratch);
    if (!program)
        return false;
    Arguments arguments = {.outputs = images};
    uint64_t instructions;
    RunOptions options = {.budget = MOST_STATEMENTS, .instructions = &instructions};
    Outcome outcome = interpret_program(program, eager->scratch, &arguments, &options);
    *eager->instructions += instructions;
    return !outcome.error ||
           refuse_eager(eager, arena_text(eager->arena, outcome.message, strlen(outcome.message)));
}

static bool fill_table(const Eager *eager, Stmt *allocate) {
    const FuncShape *shape = eager->func->shape;
    Image box, *images = arena_array(eager->scratch, Image, shape->components);
    if (!find_box(eager, allocate, &box))
        return false;
    size_t points = (size_t)image_count(&box), bytes = points * (size_t)shape_bytes(shape);
    uint8_t *table = arena_array(eager->arena, uint8_t, bytes + 1);
    memset(table, 0, bytes);
    size_t at = 0;
    for (int c = 0; c < shape->components; c++) {
        images[c] = box;
        images[c].type = shape->types[c];
        images[c].data = table + at;
        at += points * (size_t)type_bytes(shape->types[c]);
    }
    if (points && !evaluate(eager, images))
        return false;
    Storage *storage = arena_new(eager->arena, Storage);
    *storage = *storage_plain();
    storage->table = table;
    storage->table_bytes = bytes;
    allocate->allocate.storage = storage;
    allocate->allocate.folds = allocate->allocate.reserve = NULL; /* the table is complete */
    allocate->allocate.hoisted = 0;
    return true;
}

static void empty(Program *program, Stmt *compute) {
    compute->compute.held = NULL;
    compute->compute.slide_count = 0;
    compute->compute.body.first = compute->compute.body.last = NULL;
    block_append(&compute->compute.body, stmt_create(program, STMT_NOP, compute->place));
}

static bool make_eager(Program *program, const Func *func, Arena *arena, uint64_t *instructions) {
    const FuncSites *sites = program_func(program, func->shape->name);
    Eager eager = {program, func, arena, arena_create(&program->pool->context->memory),
                   instructions};
    bool sound = true;
    for (size_t i = 0; sound && i < sites->allocates.length; i++)
        sound = fill_table(&eager, sites->allocates.data[i]);
    for (size_t i = 0; i < sites->computes.length; i++)
        empty(program, sites->computes.data[i]);
    arena_destroy(eager.scratch);
    return sound;
}

bool lower_eager(Program *program, const Pipeline *pipeline, Arena *arena, uint64_t *instructions) {
    uint64_t count = 0;
    bool sound = true;
    for (size_t i = 0; sound && i < pipeline->funcs.length; i++)
        if (pipeline->funcs.data[i]->definition)
            sound = make_eager(program, pipeline->funcs.data[i], arena, &count);
    if (instructions)
        *instructions = count;
    return sound;
}
