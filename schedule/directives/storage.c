/* storage.c -- the layout of a func's memory: store-in, reorder-storage, stream, trace,
 * align-storage, bound-storage.
 *
 * None of them changes what is computed or when.  An allocation is a set of cells by coordinates
 * (semantics.md, section 3); code generation decides where a cell lies.
 *
 *   - reorder-storage(f, a, b, ..): the named dimensions, the closest in memory first, take the
 *     places that they have now; without it dimension 0 is the closest (Storage.order)
 *   - store-in(f, kind): stack, heap or register (Storage.memory)
 *   - stream(f): an output is stored past the cache (Storage.streams)
 *   - trace(f): traced code reports each load and store of it (Storage.traced); other code is the
 *     same as without
 *   - align-storage(f, a, n): the memory's length in dimension a grows to a multiple of n
 *   - bound-storage(f, a, n): it is n, a constant, which must be enough
 *
 * The first four stand in the allocate statements from here on, copies included.  The last two are
 * recorded: the lengths are still holes.  lower/passes/storage.c enlarges them after they are
 * filled.
 */
#include "schedule/directive_record.h"

enum { LARGEST_ALIGNMENT = 4096 };

/* Gives all allocate statements of the func a storage of its own. */
static void set_storage(const Scheduler *scheduler, const FuncPlan *plan, Storage storage) {
    Storage *own = arena_new(scheduler->program->arena, Storage);
    *own = storage;
    for (size_t i = 0; i < plan->sites->allocates.length; i++)
        plan->sites->allocates.data[i]->allocate.storage = own;
}

static Storage storage_of(const FuncPlan *plan) {
    return *plan->sites->allocates.data[0]->allocate.storage;
}

/* ---- reorder-storage ---- */

bool reorder_storage_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    unsigned seen = 0;
    for (size_t i = 1; plan && i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = directive_argument(directive, i);
        int dimension = resolve_dimension(resolver, plan->func, argument);
        if (dimension < 0)
            return false;
        if (seen >> dimension & 1)
            return refuse(resolver, DIAG_REORDER_TWICE, argument->place, argument->name->text);
        seen |= 1u << dimension;
    }
    return plan;
}

void reorder_storage_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    Storage storage = storage_of(plan);
    unsigned named = 0;
    for (size_t i = 1; i < directive->arguments.length; i++)
        named |= 1u << resolve_dimension(&scheduler->resolver, plan->func,
                                         directive_argument(directive, i));
    size_t next = 1;
    for (int n = 0; n < plan->func->shape->dimensions; n++)
        if (named >> storage.order[n] & 1)
            storage.order[n] = (uint8_t)resolve_dimension(&scheduler->resolver, plan->func,
                                                          directive_argument(directive, next++));
    set_storage(scheduler, plan, storage);
}

/* Offers each dimension as the closest, before the current closest one. */
void reorder_storage_candidates(const LegalSearch *search, const FuncPlan *plan) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 1; d < shape->dimensions; d++)
        candidate_offer(search, candidate(search, argument_func_named(shape->name),
                                          argument_name(shape->variables[d]),
                                          argument_name(shape->variables[d - 1])));
}

/* ---- store-in ---- */

bool store_in_check(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    if (plan && plan->func->shape->is_shared &&
        directive_argument(directive, 1)->memory == MEMORY_REGISTER)
        return refuse(&scheduler->resolver, DIAG_EXTERN_MEMORY, directive->place,
                      "store-in(.., register)", plan->func->shape->name->text, "reads or writes",
                      "store it on the stack or on the heap");
    return plan && (storage_of(plan).memory == MEMORY_AUTOMATIC ||
                    refuse(&scheduler->resolver, DIAG_STORE_TWICE, directive->place,
                           plan->func->shape->name->text));
}

void store_in_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    Storage storage = storage_of(plan);
    storage.memory = directive_argument(directive, 1)->memory;
    storage.place = directive->place;
    set_storage(scheduler, plan, storage);
}

void store_in_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (int m = MEMORY_STACK; m <= MEMORY_REGISTER; m++) {
        DirectiveArgument memory = {.kind = ARGUMENT_MEMORY, .memory = (MemoryKind)m};
        candidate_offer(search,
                        candidate(search, argument_func_named(plan->func->shape->name), memory));
    }
}

/* ---- stream ---- */

/* Returns who reads the func or writes it again: "g", "its own updates"; null: nobody. */
static const char *find_reader(const FuncPlan *plan) {
    if (plan->consumers.length)
        return plan->consumers.data[0].plan->func->shape->name->text;
    return plan->func->stages.length > 1 ? "its own updates" : NULL;
}

bool stream_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 0);
    const Func *func = resolve_func(resolver, argument);
    if (!func)
        return false;
    const FuncPlan *plan = scheduler_plan(scheduler, func->shape->name);
    if (func_is_extern(func))
        return refuse(resolver, DIAG_EXTERN_MEMORY, argument->place, "stream",
                      func->shape->name->text, "writes", "leave it away");
    const char *reader = find_reader(plan);
    if (reader)
        return refuse(resolver, DIAG_STREAM_READ, argument->place, func->shape->name->text, reader);
    hlc_assert(func->shape->is_output, "what is lowered is read, or is an output");
    return !storage_of(plan).streams ||
           refuse(resolver, DIAG_STORE_TWICE, directive->place, func->shape->name->text);
}

void stream_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_directive(scheduler, directive);
    Storage storage = storage_of(plan);
    storage.streams = true;
    set_storage(scheduler, plan, storage);
}

/* ---- trace ---- */

bool trace_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    return func && (!storage_of(scheduler_plan(scheduler, func->shape->name)).traced ||
                    refuse(resolver, DIAG_TRACE_TWICE, directive->place, func->shape->name->text));
}

void trace_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_directive(scheduler, directive);
    Storage storage = storage_of(plan);
    storage.traced = true;
    set_storage(scheduler, plan, storage);
}

/* ---- align-storage, bound-storage ---- */

static bool is_alignment(const Directive *directive) {
    return directive->kind == DIRECTIVE_ALIGN_STORAGE;
}

bool size_storage_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    if (!plan)
        return false;
    int dimension = resolve_dimension(resolver, plan->func, directive_argument(directive, 1));
    if (dimension < 0)
        return false;
    for (size_t i = 0; i < scheduler->bounds->storage.length; i++) {
        const StorageRequest *other = &scheduler->bounds->storage.data[i];
        if (other->func == plan->func->shape->name && other->dimension == dimension &&
            other->is_alignment == is_alignment(directive))
            return refuse(resolver, DIAG_BOUND_TWICE, directive->place,
                          directive_argument(directive, 1)->name->text, other->func->text);
    }
    return check_constant(resolver, directive_argument(directive, 2),
                          is_alignment(directive) ? "the alignment" : "the length",
                          is_alignment(directive) ? LARGEST_ALIGNMENT : INT32_MAX);
}

void size_storage_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    StorageRequest request = {.func = plan->func->shape->name,
                              .dimension = resolve_dimension(&scheduler->resolver, plan->func,
                                                             directive_argument(directive, 1)),
                              .is_alignment = is_alignment(directive),
                              .place = directive->place};
    expr_constant_integer(directive_argument(directive, 2)->expr, &request.number);
    vec_push(scheduler->program->arena, &scheduler->bounds->storage, request);
}

void size_storage_candidates(const LegalSearch *search, const FuncPlan *plan) {
    candidates_of_dimensions(search, plan,
                             search->kind == DIRECTIVE_ALIGN_STORAGE ? &search->choices->moduli
                                                                     : &search->choices->lengths,
                             NULL, false);
}
