/* values.c -- hlc_show_values: computes the values of all funcs of a pipeline.
 *
 * A pipeline is made whose outputs are all funcs that the outputs reach. Under the empty schedule it
 * computes the same points as the written one, so the window of each func is the region that the
 * written pipeline needs of it. It is compiled and run once, so the windows are constants of its code:
 * a `bound` fixes each. If they turn out to be too small, it is compiled without them. A func of more than four dimensions, and
 * the equations of a recurrence, cannot be outputs: they are left out.
 */
#include "library/show/values.h"

#include "ir/interpret/evaluate.h"
#include "schedule/directive_build.h"

#include <inttypes.h>
#include <string.h>

/* ---- the pipeline whose funcs are all outputs ---- */

static Func *copy_as_output(Arena *arena, const Func *func) {
    Func *copy = arena_new(arena, Func);
    *copy = *func;
    copy->shape = arena_new(arena, FuncShape);
    *copy->shape = *func->shape;
    copy->shape->is_output = true;
    return copy;
}

static const Pipeline *with_all_outputs(const Pipeline *pipeline, Arena *arena) {
    Map reached = map_create(arena);
    pipeline_reach_outputs(pipeline, &reached, arena);
    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    result->signature.outputs = (Outputs){0};
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++)
        vec_push(arena, &result->signature.outputs, pipeline->signature.outputs.data[i]);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        Func *func = pipeline->funcs.data[i];
        Symbol name = func->shape->name;
        bool can_be =
            func->shape->dimensions <= MAX_IMAGE_DIMENSIONS && !values_is_of_recurrence(func);
        bool is_output = values_is_output(pipeline, name);
        if (!map_get(&reached, name))
            continue;
        pipeline_add_func(result, arena, can_be && !is_output ? copy_as_output(arena, func) : func);
        if (can_be && !is_output)
            vec_push(arena, &result->signature.outputs,
                     ((Output){.func = name, .place = func->place}));
    }
    return result;
}

/* ---- windows ---- */

/* The values of the lets around allocations at root. */
typedef struct LetValues {
    hlc *h;
    hlc_arguments *a;
    Map known; /* Symbol -> Bits */
} LetValues;

static bool let_value(void *data, Symbol name, Bits *bits) {
    const LetValues *lets = data;
    const Bits *known = map_get(&lets->known, name);
    if (known)
        *bits = *known;
    return known || arguments_known(lets->a, name, bits);
}

static bool evaluate(LetValues *lets, Expr expr, Bits *bits) {
    return expr_evaluate(lets->h->scratch, expr, let_value, lets, bits);
}

/* Evaluates the lets around a statement, from the outside in. Those around one that is known are known,
 * too. */
static void learn_lets(LetValues *lets, const Stmt *stmt) {
    Vec(const Stmt *) around = {0};
    for (stmt = stmt_parent(stmt); stmt; stmt = stmt_parent(stmt)) {
        if (stmt->kind == STMT_LET && map_get(&lets->known, stmt->let.binder))
            break;
        if (stmt->kind == STMT_LET)
            vec_push(lets->h->scratch, &around, stmt);
    }
    for (size_t i = around.length; i-- > 0;) {
        Bits *bits = arena_new(lets->h->scratch, Bits);
        if (evaluate(lets, around.data[i]->let.value, bits))
            map_put(&lets->known, around.data[i]->let.binder, bits);
    }
}

/* Sets the window of a func to the region that is allocated for it. Where that is not known, the
 * window is empty. */
static void find_window(LetValues *lets, const Program *program, Symbol name, Image *window) {
    const FuncSites *sites = program_func(program, name);
    const Stmt *allocate = sites->allocates.length ? sites->allocates.data[0] : NULL;
    window->dimensions = sites->func->dimensions;
    if (allocate)
        learn_lets(lets, allocate);
    for (int d = 0; allocate && d < window->dimensions; d++) {
        Bits minimum = 0, length = 0;
        const Extent *interval = &allocate->allocate.intervals[d];
        if (!evaluate(lets, interval->minimum, &minimum) ||
            !evaluate(lets, interval->length, &length))
            minimum = length = 0;
        window->minimum[d] = minimum;
        window->extent[d] = length > 0 ? length : 0;
    }
}

/* Gives `b`, of the pipeline with all outputs, the inputs of `a`, whose memory it borrows. */
static void lend_inputs(const hlc_arguments *a, hlc_arguments *b) {
    for (size_t i = 0; i < a->signature->parameters.length; i++) {
        b->values.parameters[i] = a->values.parameters[i];
        b->parameter_set[i] = true;
    }
    for (size_t i = 0; i < a->signature->images.length; i++) {
        b->values.images[i] = a->values.images[i];
        b->image_set[i] = b->image_lent[i] = true;
    }
}

static void set_windows(hlc *h, const Program *program, hlc_arguments *a, hlc_arguments *b) {
    LetValues lets = {h, a, map_create(h->scratch)};
    for (size_t i = 0; i < b->signature->outputs.length; i++) {
        Symbol name = b->signature->outputs.data[i].func;
        if (i < a->signature->outputs.length)
            b->windows[i] = a->windows[i];
        else
            find_window(&lets, program, name, &b->windows[i]);
        b->window_set[i] = b->minimum_set[i] = true;
    }
}

/* ---- the run ---- */

static void list_values(AllValues *all) {
    const Signature *signature = all->arguments->signature;
    Arena *arena = all->h->scratch;
    for (size_t i = 0; i < signature->images.length; i++)
        vec_push(arena, &all->values,
                 ((ShownValues){.name = signature->images.data[i].name,
                                .component = -1,
                                .image = &all->arguments->values.images[i]}));
    for (size_t i = 0; i < all->pipeline->funcs.length; i++) {
        const Func *func = all->pipeline->funcs.data[i];
        size_t output = arguments_output(all->arguments, func->shape->name->text);
        if (output == signature->outputs.length)
            continue;
        size_t flat = arguments_first_component(all->arguments, output);
        for (int c = 0; c < func->shape->components; c++)
            vec_push(arena, &all->values,
                     ((ShownValues){.func = func,
                                    .name = func->shape->name,
                                    .component = func->shape->components > 1 ? c : -1,
                                    .image = &all->arguments->values.outputs[flat + (size_t)c]}));
    }
}

static DirectiveArgument constant(const AllValues *all, int64_t value) {
    return (DirectiveArgument){.kind = ARGUMENT_EXPR,
                               .expr = expr_index(all->pipeline->pool, value),
                               .text = arena_format(all->h->scratch, "%" PRId64, value)};
}

/* Returns a schedule that fixes each window that is known. */
static const Schedule *fix_windows(const AllValues *all) {
    Arena *arena = all->h->scratch;
    const Signature *signature = &all->pipeline->signature;
    Schedule *schedule = arena_new(arena, Schedule);
    schedule->name = context_symbol(all->h->context, "values");
    schedule->pipeline = signature->name;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        const Image *window = &all->arguments->windows[i];
        for (int d = 0; d < window->dimensions && image_count(window) > 0; d++) {
            Directive bound = {.kind = DIRECTIVE_BOUND};
            vec_push(arena, &bound.arguments, argument_func_named(shape->name));
            vec_push(arena, &bound.arguments, argument_name(shape->variables[d]));
            vec_push(arena, &bound.arguments, constant(all, window->minimum[d]));
            vec_push(arena, &bound.arguments, constant(all, window->extent[d]));
            vec_push(arena, &schedule->directives, bound);
        }
    }
    return schedule;
}

static hlc_status run_under(AllValues *all, const Schedule *schedule) {
    hlc *h = all->h;
    const Lowered *lowered = compiler_lower_schedule(
        h, all->pipeline, schedule, (PassId)(PASS_COUNT - 1), SIZE_MAX, h->scratch);
    Runner runner = {.machine = HLC_COMPILED,
                     .jit = lowered ? compiler_jit_once(h, lowered->program) : NULL};
    if (!runner.jit)
        return HLC_USER;
    Outcome outcome = runner_run(h, &runner, all->arguments, h->scratch);
    return runner_report(h, &outcome, NULL);
}

static hlc_status run_all(AllValues *all, hlc_arguments *a) {
    hlc *h = all->h;
    const Lowered *empty =
        compiler_lower_schedule(h, all->written, NULL, PASS_BOUNDS, SIZE_MAX, h->scratch);
    if (!empty)
        return HLC_USER;
    lend_inputs(a, all->arguments);
    set_windows(h, empty->program, a, all->arguments);
    hlc_status status = arguments_ready(all->arguments, true);
    if (status != HLC_YES)
        return status;
    DiagMark before = diag_mark(h->context);
    if (run_under(all, fix_windows(all)) == HLC_YES)
        return HLC_YES;
    diag_drop(h->context, before);
    return run_under(all, NULL);
}

/* Images of automatic size get the one that the empty schedule needs. */
static hlc_status fit_images(hlc *h, const Pipeline *pipeline, hlc_arguments *a) {
    bool is_automatic = false;
    for (size_t i = 0; i < a->signature->images.length; i++)
        is_automatic |= a->pseudo[i].is_automatic;
    if (!is_automatic)
        return HLC_YES;
    Runner runner = {.machine = HLC_COMPILED, .program = compiler_program(h, pipeline, NULL)};
    return runner.program ? pseudo_fit(h, &runner, a) : HLC_USER;
}

static hlc_status compute(hlc *h, hlc_arguments *a, AllValues *all) {
    if (!a->pipeline) {
        diag(h->context, DIAG_NO_ALGORITHM, NOWHERE, "the values of funcs");
        return HLC_USER;
    }
    h->context->at = a->signature->place;
    hlc_status status = arguments_ready(a, true);
    if (status == HLC_YES)
        status = fit_images(h, a->pipeline, a);
    if (status != HLC_YES)
        return status;
    if (!externs_ready(h, a->pipeline, NULL))
        return HLC_USER;
    *all = (AllValues){
        .h = h, .written = a->pipeline, .pipeline = with_all_outputs(a->pipeline, h->arena)};
    all->arguments = arguments_of(h, all->pipeline);
    status = run_all(all, a);
    if (status == HLC_YES)
        list_values(all);
    return status;
}

/* ---- the entry ---- */

typedef struct ValuesRequest {
    hlc_arguments *a;
    FILE *out;
} ValuesRequest;

static hlc_status show_values(hlc *h, void *data) {
    const ValuesRequest *request = data;
    AllValues all = {0};
    hlc_status status = compute(h, request->a, &all);
    if (status == HLC_YES)
        values_print(&all, request->out);
    if (all.arguments)
        arguments_free(all.arguments);
    return status;
}

hlc_status hlc_show_values(hlc_arguments *a, FILE *out) {
    if (!a)
        return HLC_USER;
    if (!out)
        return compiler_null(a->h, "out");
    ValuesRequest request = {a, out};
    return compiler_enter(a->h, show_values, &request);
}
