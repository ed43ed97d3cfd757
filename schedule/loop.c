/* loop.c -- resolves a written loop (Lemma 6.1).  The message for a wrong one lists the loops that
 * could have been named.
 *
 *     h.x         the loop x of the only stage of h that has one, in z0
 *     h.s1.x      the loop x of update 1
 *     h.z2.s1.x   the same in specialization z2
 *
 * A name must mean exactly one loop.  The file also checks new names, limits on loops, and the
 * arguments that many directives have (factors, startup expressions).  It reads nests through the
 * resolver only, so it serves symbolic nests and the program alike.
 */
#include "schedule/loop.h"

#include "base/nearest.h"
#include "ir/walk.h"

#include <string.h>

Resolver resolver_create(Arena *arena, const Pipeline *pipeline) {
    Map *orders = arena_new(arena, Map), *disjoint = arena_new(arena, Map);
    *orders = map_create(arena);
    *disjoint = map_create(arena);
    return (Resolver){.context = pipeline->pool->context,
                      .arena = arena,
                      .pipeline = pipeline,
                      .inlined = map_create(arena),
                      .orders = orders,
                      .disjoint = disjoint,
                      .atomic = map_create(arena)};
}

bool refuse_(const Resolver *resolver, DiagCode code, Place place, const char *const *arguments) {
    if (!resolver->silent)
        diag_report_(resolver->context, code, place, arguments);
    return false;
}

bool refuse_tail(const Resolver *resolver, const Directive *split, const char *loop) {
    const DirectiveArgument *tail = directive_find(split, ARGUMENT_TAIL);
    return refuse(resolver, tail_blends(tail->tail) ? DIAG_BLEND_LOOP : DIAG_TAIL_STAGE,
                  tail->place, tail_text(tail->tail), loop);
}

Directive directive_copy(Arena *arena, const Directive *directive) {
    Directive copy = {.kind = directive->kind, .place = directive->place};
    for (size_t i = 0; i < directive->arguments.length; i++)
        vec_push(arena, &copy.arguments, directive->arguments.data[i]);
    return copy;
}

const DirectiveArgument *directive_argument(const Directive *directive, size_t n) {
    return n < directive->arguments.length ? &directive->arguments.data[n] : NULL;
}

const DirectiveArgument *directive_find(const Directive *directive, DirectiveArgumentKind kind) {
    for (size_t i = 0; i < directive->arguments.length; i++)
        if (directive->arguments.data[i].kind == kind)
            return &directive->arguments.data[i];
    return NULL;
}

DirectiveArgument directive_subject(const Directive *directive) {
    DirectiveArgument first = *directive_argument(directive, 0);
    if (first.kind == ARGUMENT_LOOP || first.kind == ARGUMENT_STAGE)
        first = (DirectiveArgument){
            .kind = ARGUMENT_FUNC, .place = first.place, .name = first.loop.func};
    return first;
}

void stage_accesses(Arena *arena, const Func *func, const Stage *stage, Exprs *accesses) {
    for (int k = 0; k < func->shape->dimensions; k++)
        expr_accesses(arena, stage->indices[k], accesses);
    for (int c = 0; c < func->shape->components; c++)
        expr_accesses(arena, stage->values[c], accesses);
    if (stage->predicate)
        expr_accesses(arena, stage->predicate, accesses);
}

/* "a, b, c", built piece by piece. */
typedef struct Listing {
    Arena *arena;
    Vec(char) text;
} Listing;

static void list(Listing *listing, const char *item) {
    const char *separator = listing->text.length ? ", " : "";
    for (const char *c = separator; *c; c++)
        vec_push(listing->arena, &listing->text, *c);
    for (const char *c = item; *c; c++)
        vec_push(listing->arena, &listing->text, *c);
}

static char *listed(Listing *listing) {
    if (!listing->text.length)
        list(listing, "none");
    vec_push(listing->arena, &listing->text, '\0');
    return listing->text.data;
}

LoopName nest_loop_name(const LoopNest *nest, Symbol variable) {
    return (LoopName){nest->func->shape->name, nest->specialization, nest->stage, variable};
}

const char *loop_text(const Resolver *resolver, const LoopName *name) {
    return loop_symbol(resolver->context, name)->text;
}

const char *nest_loop_text(const Resolver *resolver, const LoopNest *nest, Symbol variable) {
    LoopName name = nest_loop_name(nest, variable);
    return loop_text(resolver, &name);
}

static void list_nest(Listing *listing, const Resolver *resolver, const LoopNest *nest) {
    for (size_t i = 0; i < nest->loops.length; i++)
        list(listing, nest_loop_text(resolver, nest, nest->loops.data[i].variable));
}

char *nest_text(const Resolver *resolver, const LoopNest *nest) {
    Listing listing = {.arena = resolver->arena};
    list_nest(&listing, resolver, nest);
    return listed(&listing);
}

/* Returns the names of all funcs, for the message to a user who wrote `name`. */
static const char *func_names(const Resolver *resolver, Symbol name) {
    Listing listing = {.arena = resolver->arena};
    Nearest nearest = {.name = name->text};
    for (size_t i = 0; i < resolver->pipeline->funcs.length; i++) {
        const char *func = resolver->pipeline->funcs.data[i]->shape->name->text;
        list(&listing, func);
        nearest_offer(&nearest, func);
    }
    return nearest_behind(resolver->arena, &nearest, listed(&listing));
}

static const Func *find_func(const Resolver *resolver, Symbol name, Place place) {
    if (map_get(&resolver->inlined, name)) {
        refuse(resolver, DIAG_FUNC_INLINED, place, name->text);
        return NULL;
    }
    const Func *func = pipeline_func(resolver->pipeline, name);
    if (!func)
        refuse(resolver, DIAG_SCHEDULE_FUNC, place, name->text,
               resolver->pipeline->signature.name->text, func_names(resolver, name));
    return func;
}

const Func *nest_copied(const Pipeline *pipeline, Symbol func) {
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *nest = pipeline->funcs.data[i];
        for (size_t e = 0; e < nest->equations.length; e++)
            if (nest->equations.data[e] == func && nest->shape->name != func)
                return nest;
    }
    return NULL;
}

const Func *resolve_func(const Resolver *resolver, const DirectiveArgument *argument) {
    return find_func(resolver, argument->name, argument->place);
}

/* Returns the names of all dimensions, for the message to a user who wrote `name`. */
static const char *dimensions_text(const Resolver *resolver, const Func *func, Symbol name) {
    Listing listing = {.arena = resolver->arena};
    Nearest nearest = {.name = name->text};
    for (int k = 0; k < func->shape->dimensions; k++) {
        list(&listing, func->shape->variables[k]->text);
        nearest_offer(&nearest, func->shape->variables[k]->text);
    }
    return nearest_behind(resolver->arena, &nearest, listed(&listing));
}

int resolve_dimension(const Resolver *resolver, const Func *func,
                      const DirectiveArgument *argument) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (func->shape->variables[k] == argument->name)
            return k;
    refuse(resolver, DIAG_DIMENSION_UNKNOWN, argument->place, func->shape->name->text,
           argument->name->text, dimensions_text(resolver, func, argument->name));
    return -1;
}

static bool find_loop(const LoopNest *nest, Symbol variable, size_t *position) {
    for (size_t i = 0; i < nest->loops.length; i++)
        if (nest->loops.data[i].variable == variable) {
            *position = i;
            return true;
        }
    return false;
}

/* Offers the loop of the nest whose variable is nearest to the written one, with its full name. */
static void offer_nest(Nearest *nearest, const char **text, const Resolver *resolver,
                       const LoopNest *nest) {
    for (size_t i = 0; i < nest->loops.length; i++) {
        Symbol variable = nest->loops.data[i].variable;
        nearest_offer(nearest, variable->text);
        if (nearest->best == variable->text)
            *text = nest_loop_text(resolver, nest, variable);
    }
}

/* Refuses a loop of an output that only copies a nest of equations.  Most often the user means the
 * loop of the nest. */
static bool refuse_of_copy(const Resolver *resolver, const DirectiveArgument *argument,
                           const Func *nest, const char *lacks) {
    LoopReference meant = argument->loop;
    meant.func = nest->shape->name;
    return refuse(resolver, DIAG_COPY_OF_NEST, argument->place, argument->loop.func->text,
                  meant.func->text, lacks, loop_reference_text(resolver->arena, &meant));
}

/* Returns the nest that the func copies, if the nest has such a loop; else null. */
static const Func *nest_with_loop(const Resolver *resolver, const LoopReference *reference) {
    const Func *nest = nest_copied(resolver->pipeline, reference->func);
    if (!nest || reference->specialization)
        return NULL;
    for (int stage = 0; stage < (int)nest->stages.length; stage++) {
        size_t position;
        if ((reference->stage < 0 || reference->stage == stage) &&
            find_loop(resolver->nest(resolver->data, nest, 0, stage), reference->variable,
                      &position))
            return nest;
    }
    return NULL;
}

/* Does the directive make a loop of that name? */
static bool makes_loop(const Directive *directive, const LoopReference *loop) {
    const DirectiveArgument *of = directive_find(directive, ARGUMENT_LOOP);
    if (directive_info(directive->kind)->phase <= PHASE_ALGORITHM || !of ||
        of->loop.func != loop->func)
        return false;
    for (size_t i = 0; i < directive->arguments.length; i++)
        if (directive->arguments.data[i].kind == ARGUMENT_NAME &&
            directive->arguments.data[i].name == loop->variable)
            return true;
    return false;
}

/* For phase 0: says that a later phase makes the loop, and what to write instead.  Null if no phase
 * does. */
static const char *made_later(const Resolver *resolver, const LoopReference *loop) {
    const Schedule *schedule = resolver->rewriting;
    for (size_t i = 0; schedule && i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (!makes_loop(directive, loop))
            continue;
        bool is_fuse = directive->kind == DIRECTIVE_FUSE;
        return arena_format(
            resolver->arena, "`%s` makes %s of %s, after all rfactors: %s",
            directive_info(directive->kind)->text, loop_reference_text(resolver->arena, loop),
            directive->kind == DIRECTIVE_SPLIT ? "a loop" : "loops",
            is_fuse ? "name variables of the rdom, and fuse the dimensions that they become"
                    : "`split-reduction` makes variables of one of the rdom, which rfactor names");
    }
    return NULL;
}

/* The loops that a split with a factor alone made of the named one, as a hint; null if it has none. */
static const char *split_into(const Resolver *resolver, const LoopNest *nest, Symbol variable) {
    static const char *const INNER[] = {"v", "u", "p", "i"};
    Context *context = resolver->pipeline->pool->context;
    size_t position;
    if (!find_loop(nest, symbol_format(&context->symbols, "%s_o", variable->text), &position))
        return NULL;
    for (size_t i = 0; i < sizeof INNER / sizeof *INNER; i++) {
        const char *inner = arena_format(resolver->arena, "%s_%s", variable->text, INNER[i]);
        if (find_loop(nest, symbol_from(&context->symbols, inner), &position))
            return arena_format(resolver->arena, "it has been split: it is `%s_o` and `%s` now",
                                variable->text, inner);
    }
    return NULL;
}

static bool refuse_loop(const Resolver *resolver, const Func *func,
                        const DirectiveArgument *argument) {
    const LoopReference *reference = &argument->loop;
    const Func *copied = nest_with_loop(resolver, reference);
    if (copied)
        return refuse_of_copy(resolver, argument, copied, "it has no such loop");
    Listing listing = {.arena = resolver->arena};
    int first = reference->stage >= 0 ? reference->stage : 0;
    int end = reference->stage >= 0 ? first + 1 : (int)func->stages.length;
    Nearest nearest = {.name = reference->variable->text};
    const char *text = NULL, *split = NULL;
    for (int stage = first; stage < end; stage++) {
        const LoopNest *nest =
            resolver->nest(resolver->data, func, reference->specialization, stage);
        list_nest(&listing, resolver, nest);
        offer_nest(&nearest, &text, resolver, nest);
        split = split ? split : split_into(resolver, nest, reference->variable);
    }
    nearest.best = text;
    const char *later = split ? split : made_later(resolver, reference);
    const char *could = later ? arena_format(resolver->arena, "%s; %s", listed(&listing), later)
                              : nearest_behind(resolver->arena, &nearest, listed(&listing));
    return refuse(resolver, DIAG_LOOP_UNKNOWN, argument->place,
                  loop_reference_text(resolver->arena, reference), could);
}

static bool refuse_stage(const Resolver *resolver, const DirectiveArgument *argument, int last) {
    const LoopReference *reference = &argument->loop;
    const Func *nest = nest_copied(resolver->pipeline, reference->func);
    if (nest && reference->stage < (int)nest->stages.length)
        return refuse_of_copy(
            resolver, argument, nest,
            arena_format(resolver->arena, "it has no stage s%d", reference->stage));
    return refuse(resolver, DIAG_STAGE_UNKNOWN, argument->place, reference->func->text,
                  arena_format(resolver->arena, "s%d", reference->stage),
                  arena_format(resolver->arena, last ? "s0 to s%d" : "s%d", last));
}

/* Finds the stage of a reference without one: the only stage with such a loop. */
static bool find_stage(const Resolver *resolver, const Func *func,
                       const DirectiveArgument *argument, int *stage) {
    const LoopReference *reference = &argument->loop;
    Listing candidates = {.arena = resolver->arena};
    int found = 0;
    for (int j = 0; j < (int)func->stages.length; j++) {
        size_t position;
        const LoopNest *nest = resolver->nest(resolver->data, func, reference->specialization, j);
        if (!find_loop(nest, reference->variable, &position))
            continue;
        list(&candidates, nest_loop_text(resolver, nest, reference->variable));
        *stage = j;
        found++;
    }
    if (found > 1)
        return refuse(resolver, DIAG_LOOP_AMBIGUOUS, argument->place,
                      loop_reference_text(resolver->arena, reference), listed(&candidates));
    return found == 1 || refuse_loop(resolver, func, argument);
}

bool resolve_loop(const Resolver *resolver, const DirectiveArgument *argument, LoopName *name) {
    const LoopReference *reference = &argument->loop;
    const Func *func = find_func(resolver, reference->func, argument->place);
    if (!func)
        return false;
    if (func_is_extern(func))
        return refuse(resolver, DIAG_EXTERN_LOOP, argument->place, reference->func->text);
    int most = resolver->specializations(resolver->data, func);
    if (reference->specialization < 0 || reference->specialization > most)
        return refuse(resolver, DIAG_SPECIALIZATION_UNKNOWN, argument->place, reference->func->text,
                      arena_format(resolver->arena, "z%d", reference->specialization),
                      arena_format(resolver->arena, most ? "z0 to z%d" : "z%d", most));
    int stage = reference->stage, last = (int)func->stages.length - 1;
    if (stage > last)
        return refuse_stage(resolver, argument, last);
    size_t position;
    if (stage < 0) {
        if (!find_stage(resolver, func, argument, &stage))
            return false;
    } else if (!find_loop(resolver->nest(resolver->data, func, reference->specialization, stage),
                          reference->variable, &position)) {
        return refuse_loop(resolver, func, argument);
    }
    *name = (LoopName){reference->func, reference->specialization, stage, reference->variable};
    return true;
}

LoopNest *nest_of(const Resolver *resolver, const LoopName *name, size_t *position) {
    const Func *func = pipeline_func(resolver->pipeline, name->func);
    LoopNest *nest = resolver->nest(resolver->data, func, name->specialization, name->stage);
    hlc_assert(find_loop(nest, name->variable, position), "a resolved loop stands in its nest");
    return nest;
}

bool resolve_nest(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *position) {
    LoopName name;
    if (!resolve_loop(resolver, argument, &name))
        return false;
    *nest = nest_of(resolver, &name, position);
    return true;
}

bool resolve_pair(const Resolver *resolver, const DirectiveArgument *argument, LoopNest **nest,
                  size_t *outer) {
    if (!resolve_nest(resolver, argument, nest, outer))
        return false;
    const NestLoop *loop = &(*nest)->loops.data[*outer];
    return *outer + 1 < (*nest)->loops.length ||
           refuse(resolver, DIAG_LOOP_INNERMOST, argument->place,
                  nest_loop_text(resolver, *nest, loop->variable), nest_text(resolver, *nest));
}

bool nest_accepts_name(const Resolver *resolver, const LoopNest *nest,
                       const DirectiveArgument *argument, const DirectiveArgument *other) {
    LoopName name = nest_loop_name(nest, argument->name);
    Symbol symbol = loop_symbol(resolver->context, &name);
    bool taken = other && other->name == argument->name;
    for (size_t i = 0; i < nest->taken.length; i++)
        taken |= nest->taken.data[i] == symbol;
    /* Nor the variable of a dimension without a loop here: a reader would mistake it for a loop. */
    for (int k = 0; k < nest->func->shape->dimensions; k++)
        taken |= nest->func->shape->variables[k] == argument->name;
    return !taken ||
           refuse(resolver, DIAG_LOOP_NAME_TAKEN, argument->place, argument->name->text,
                  nest->func->shape->name->text, arena_format(resolver->arena, "s%d", nest->stage));
}

bool nest_has_room(const Resolver *resolver, const LoopNest *nest, Place place) {
    /* Each split and fuse leaves a let, one inside the other. */
    enum { NAMES_PER_LOOP = 8 };
    size_t loops = resolver->context->limits.loops, names = loops * NAMES_PER_LOOP;
    bool has_room = nest->loops.length < loops && nest->taken.length < names;
    return has_room ||
           refuse(resolver, DIAG_LOOPS_TOO_MANY, place, nest->func->shape->name->text,
                  arena_format(resolver->arena, "%zu", nest->loops.length < loops ? names : loops));
}

void nest_replace(const Resolver *resolver, LoopNest *nest, size_t position, size_t removed,
                  const NestLoop *loops, size_t count) {
    size_t tail = nest->loops.length - position - removed;
    vec_reserve(resolver->arena, &nest->loops, nest->loops.length + count);
    NestLoop *at = nest->loops.data + position;
    memmove(at + count, at + removed, tail * sizeof *at);
    memcpy(at, loops, count * sizeof *at);
    nest->loops.length = position + count + tail;
    for (size_t i = 0; i < count; i++) {
        LoopName name = nest_loop_name(nest, loops[i].variable);
        vec_push(resolver->arena, &nest->taken, loop_symbol(resolver->context, &name));
    }
}

static void add_loop(Context *context, Arena *arena, LoopNest *nest, Symbol variable,
                     const LoopOrigin *origin) {
    LoopName name = nest_loop_name(nest, variable);
    vec_push(arena, &nest->loops, ((NestLoop){variable, !origin, origin}));
    vec_push(arena, &nest->taken, loop_symbol(context, &name));
}

LoopNest *nest_initial(Context *context, Arena *arena, const Func *func, int specialization,
                       int stage) {
    LoopNest *nest = arena_new(arena, LoopNest);
    const Stage *of = func->stages.data[stage];
    *nest = (LoopNest){.func = func, .specialization = specialization, .stage = stage};
    StageLoops loops = stage_loops(arena, func, of);
    for (size_t i = 0; i < loops.length; i++) {
        const StageLoop *loop = &loops.data[i];
        add_loop(context, arena, nest, loop->variable,
                 loop->dimension < 0 ? origin_of_variable(arena, loop->reduction) : NULL);
    }
    for (size_t i = 0; i < of->splits.length; i++) {
        LoopName name = nest_loop_name(nest, of->splits.data[i].variable);
        vec_push(arena, &nest->taken, loop_symbol(context, &name));
    }
    return nest;
}

bool pipeline_name_is_taken(const Resolver *resolver, Symbol name) {
    const Signature *signature = &resolver->pipeline->signature;
    return pipeline_func(resolver->pipeline, name) || map_get(&resolver->inlined, name) ||
           signature_image(signature, name) || signature_parameter(signature, name);
}

/* ---- numbers ---- */

const char *number_text(const Resolver *resolver, int64_t number) {
    return arena_format(resolver->arena, "%lld", (long long)number);
}

bool check_constant(const Resolver *resolver, const DirectiveArgument *argument, const char *what,
                    int64_t most) {
    int64_t value;
    bool is_constant = expr_constant_integer(argument->expr, &value);
    return (is_constant && value >= 1 && value <= most) ||
           refuse(resolver, DIAG_BOUND_VALUE, argument->place, what,
                  is_constant ? number_text(resolver, value) : "not a constant",
                  arena_format(resolver->arena, "a constant in 1..%lld", (long long)most));
}

bool check_least(const Resolver *resolver, const DirectiveArgument *argument, int64_t least,
                 const char *what) {
    int64_t value;
    if (!expr_constant_integer(argument->expr, &value) || value >= least)
        return true;
    return refuse(resolver, DIAG_BOUND_VALUE, argument->place, what, number_text(resolver, value),
                  arena_format(resolver->arena, "at least %lld", (long long)least));
}

bool check_split_factor(const Resolver *resolver, const DirectiveArgument *factor) {
    int64_t k;
    if (expr_constant_integer(factor->expr, &k) && (k < 1 || k > LARGEST_SPLIT_FACTOR))
        return refuse(resolver, DIAG_SPLIT_FACTOR, factor->place, number_text(resolver, k));
    return check_startup(resolver, factor);
}

bool check_startup(const Resolver *resolver, const DirectiveArgument *argument) {
    const Signature *signature = &resolver->pipeline->signature;
    if (expr_has_access(argument->expr))
        return refuse(resolver, DIAG_NOT_STARTUP, argument->place, "a read of a func or an image");
    Exprs variables = {0};
    expr_variables(resolver->arena, argument->expr, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name, buffer;
        BufferField field;
        int dimension;
        if (!signature_parameter(signature, name) &&
            !buffer_field_parse(resolver->context, name, &buffer, &field, &dimension))
            return refuse(resolver, DIAG_NOT_STARTUP, argument->place,
                          arena_format(resolver->arena, "the variable %s", name->text));
    }
    return true;
}
