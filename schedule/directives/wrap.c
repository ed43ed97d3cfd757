/* wrap.c -- wrap(f, consumer, .., name): the consumers read a new func `name` with the values of f.
 *
 *     fun out(x) = f(x - 1) + f(x + 1);        fun name(x) = f(x);
 *                                     becomes
 *                                              fun out(x) = name(x - 1) + name(x + 1);
 *
 * `f` is a func or an image; without consumers, all its readers are meant.  The new func has its
 * own loops and storage.  So the part of f that a tile needs can be kept close together, in its own
 * order (reorder-storage), while f itself does not change.
 *
 * It changes no value: Func-Eval of name(a) is that of f(a) (Figure 6), component by component.  f
 * is defined before its consumers, so there is room for `name` in between.  Def 4.2 is about
 * accesses of a func to itself.  These stay: f's own updates go on reading f.
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

typedef struct FuncNames {
    Vec(Symbol) names;
} FuncNames;

struct Wrapping {
    Arena *arena;
    Redefinition *redefinition;
    Map readers; /* Symbol of a func or image -> FuncNames: the other funcs that read it */
};

/* ---- readers ---- */

static FuncNames *readers_of(Wrapping *wrapping, Symbol name) {
    FuncNames *names = map_get(&wrapping->readers, name);
    if (!names) {
        names = arena_new(wrapping->arena, FuncNames);
        map_put(&wrapping->readers, name, names);
    }
    return names;
}

static void add_reader(Wrapping *wrapping, Symbol read, Symbol reader) {
    FuncNames *readers = readers_of(wrapping, read);
    size_t count = readers->names.length;
    if (read != reader && (!count || readers->names.data[count - 1] != reader))
        vec_push(wrapping->arena, &readers->names, reader);
}

/* Notes the func as a reader of what it reads. */
static void add_reads(Wrapping *wrapping, const Func *func) {
    for (size_t j = 0; j < func->stages.length; j++)
        for (size_t s = 0; s < func->stages.data[j]->sites.length; s++)
            add_reader(wrapping, func->stages.data[j]->sites.data[s].access->name,
                       func->shape->name);
}

static bool is_among(const FuncNames *names, Symbol name) {
    for (size_t i = 0; i < names->names.length; i++)
        if (names->names.data[i] == name)
            return true;
    return false;
}

static const char *list_names(Arena *arena, const FuncNames *names) {
    const char *text = names->names.length ? "" : "none";
    for (size_t i = 0; i < names->names.length && i < 32; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "", names->names.data[i]->text);
    return text;
}

static Wrapping *wrapping_begin(const Resolver *resolver, Redefinition *redefinition) {
    Wrapping *wrapping = arena_new(resolver->arena, Wrapping);
    const Pipeline *before = resolver->pipeline;
    *wrapping = (Wrapping){resolver->arena, redefinition, map_create(resolver->arena)};
    for (size_t i = 0; i < before->funcs.length; i++)
        add_reads(wrapping, before->funcs.data[i]);
    return wrapping;
}

/* ---- conditions of a wrap ---- */

/* Returns the nest that the func of this name copies, or the name itself. */
static Symbol nest_of_name(const Resolver *resolver, Symbol name) {
    const Func *nest = nest_copied(resolver->pipeline, name);
    return nest ? nest->shape->name : name;
}

/* Refuses: `copy` is an output that only copies a nest, and the directive is about nests. */
static bool refuse_copy(const Resolver *resolver, const Directive *directive,
                        const DirectiveArgument *copy, const char *reason) {
    const char *text = "", *separator = "wrap(";
    for (size_t i = 0; i < directive->arguments.length; i++, separator = ", ")
        text = arena_format(resolver->arena, "%s%s%s", text, separator,
                            nest_of_name(resolver, directive_argument(directive, i)->name)->text);
    return refuse(resolver, DIAG_COPY_OF_NEST, copy->place, copy->name->text,
                  nest_of_name(resolver, copy->name)->text, reason,
                  arena_format(resolver->arena, "%s)", text));
}

/* Does the consumer read the wrapped func or image?  An output made of an equation is only a copy.
 * Nothing reads the copy, and it does not read what the equation reads; its nest does.  False after
 * refusing. */
static bool check_consumer(Wrapping *wrapping, const Resolver *resolver, const Directive *directive,
                           const DirectiveArgument *consumer) {
    const DirectiveArgument *wrapped = directive_argument(directive, 0);
    if (is_among(readers_of(wrapping, wrapped->name), consumer->name))
        return true;
    Symbol nest = nest_of_name(resolver, wrapped->name),
           reader = nest_of_name(resolver, consumer->name);
    const FuncNames *readers = readers_of(wrapping, nest);
    const char *names = list_names(resolver->arena, readers);
    if (nest == reader)
        return refuse(resolver, DIAG_WRAP_OWN, consumer->place, nest->text, names);
    if (!is_among(readers, reader))
        return refuse(resolver, DIAG_WRAP_CONSUMER, consumer->place, consumer->name->text,
                      wrapped->name->text, names);
    return refuse_copy(resolver, directive, nest == wrapped->name ? consumer : wrapped,
                       arena_format(resolver->arena, "%s reads %s", reader->text, nest->text));
}

/* Finds the funcs that are to read the new one.  False after refusing. */
static bool find_consumers(Wrapping *wrapping, const Resolver *resolver, const Directive *directive,
                           FuncNames *consumers) {
    const DirectiveArgument *wrapped = directive_argument(directive, 0);
    const FuncNames *readers = readers_of(wrapping, wrapped->name);
    size_t last = directive->arguments.length - 1;
    for (size_t i = 1; i < last; i++) {
        const DirectiveArgument *consumer = directive_argument(directive, i);
        if (!resolve_func(resolver, consumer) ||
            !check_consumer(wrapping, resolver, directive, consumer))
            return false;
        if (!is_among(consumers, consumer->name))
            vec_push(wrapping->arena, &consumers->names, consumer->name);
    }
    for (size_t i = 0; last == 1 && i < readers->names.length; i++)
        vec_push(wrapping->arena, &consumers->names, readers->names.data[i]);
    if (consumers->names.length)
        return true;
    return nest_copied(resolver->pipeline, wrapped->name)
               ? refuse_copy(resolver, directive, wrapped, "no func reads the copy")
               : refuse(resolver, DIAG_WRAP_UNREAD, wrapped->place, wrapped->name->text);
}

/* ---- the new func ---- */

/* Returns x, y, z or w; with an underscore if a parameter has the name. */
static Symbol image_variable(const Resolver *resolver, int dimension) {
    const char *text = (const char *const[]){"x", "y", "z", "w"}[dimension];
    Symbol name = context_symbol(resolver->context, text);
    while (signature_parameter(&resolver->pipeline->signature, name))
        name = symbol_format(&resolver->context->symbols, "%s_", name->text);
    return name;
}

static FuncShape *shape_of_image(const Resolver *resolver, const ImageParameter *image) {
    FuncShape *shape = arena_new(resolver->arena, FuncShape);
    *shape = (FuncShape){.dimensions = image->dimensions, .components = 1};
    shape->types = arena_array(resolver->arena, Type, 1);
    shape->types[0] = image->type;
    for (int d = 0; d < image->dimensions; d++)
        shape->variables[d] = image_variable(resolver, d);
    return shape;
}

static FuncShape *shape_of_func(const Resolver *resolver, const Func *func) {
    FuncShape *shape = arena_new(resolver->arena, FuncShape);
    *shape = *func->shape;
    shape->is_output = false;
    return shape;
}

/* Makes name(x, ..) = f(x, ..), or {f(x, ..).0, ..} for a tuple. */
static Func *create_wrapper(const Resolver *resolver, FuncShape *shape, Symbol wrapped,
                            Place place) {
    Pool *pool = resolver->pipeline->pool;
    Func *func = arena_new(resolver->arena, Func);
    *func = (Func){.shape = shape, .place = place};
    for (int d = 0; d < shape->dimensions; d++)
        func->variables[d] = expr_variable(pool, shape->variables[d], INDEX);
    Stage *stage = stage_of_all_points(resolver->arena, func, place);
    for (int c = 0; c < shape->components; c++) {
        stage->values[c] =
            expr_access(pool, wrapped, c, shape->types[c], stage->indices, shape->dimensions);
        vec_push(resolver->arena, &stage->sites, (AccessSite){stage->values[c], place});
    }
    vec_push(resolver->arena, &func->stages, stage);
    return func;
}

/* ---- its consumers ---- */

/* Turns reads of `from` into reads of `to`. */
typedef struct AccessRenaming {
    Pool *pool;
    Symbol from, to;
    ExprMemo memo;
} AccessRenaming;

static Expr rename_access(void *data, Pool *pool, Expr node) {
    const AccessRenaming *renaming = data;
    if (node->op != OP_ACCESS || node->name != renaming->from)
        return node;
    return expr_access(pool, renaming->to, node->component, node->type, node->arguments,
                       node->arity);
}

static Expr rename_in(void *data, Expr expr) {
    AccessRenaming *renaming = data;
    return expr_rewrite(renaming->pool, &renaming->memo, expr, rename_access, renaming);
}

static void redirect(Wrapping *wrapping, const FuncNames *consumers, Symbol from, Symbol to) {
    Pipeline *pipeline = redefine_pipeline(wrapping->redefinition);
    Arena *arena = wrapping->arena, *scratch = arena_create(&pipeline->pool->context->memory);
    AccessRenaming renaming = {pipeline->pool, from, to, expr_memo(scratch)};
    for (size_t i = 0; i < consumers->names.length; i++) {
        const Func *func = pipeline_func(pipeline, consumers->names.data[i]);
        redefine_replace(wrapping->redefinition, func_map(arena, func, rename_in, &renaming));
    }
    arena_destroy(scratch);
}

/* Records that the consumers now read `created` in place of `from`, and what that one reads. */
static void note_readers(Wrapping *wrapping, const FuncNames *consumers, Symbol from,
                         const Func *created) {
    FuncNames *old = readers_of(wrapping, from);
    Symbol to = created->shape->name;
    Map moved = map_create(wrapping->arena);
    for (size_t i = 0; i < consumers->names.length; i++) {
        map_put(&moved, consumers->names.data[i], to);
        add_reader(wrapping, to, consumers->names.data[i]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < old->names.length; i++)
        if (!map_get(&moved, old->names.data[i]))
            old->names.data[kept++] = old->names.data[i];
    old->names.length = kept;
    add_reads(wrapping, created);
}

bool wrap_consumers(AlgorithmRun *run, const Directive *directive, Symbol wrapped, Func *created) {
    const Resolver *resolver = run->resolver;
    const DirectiveArgument *name = directive_argument(directive, directive->arguments.length - 1);
    Redefinition *redefinition = run_redefinition(run);
    FuncNames consumers = {0};
    run->wrapping = run->wrapping ? run->wrapping : wrapping_begin(resolver, redefinition);
    if (!find_consumers(run->wrapping, resolver, directive, &consumers) ||
        !redefine_accepts_name(redefinition, resolver, name))
        return false;
    redefine_add_behind(redefinition, wrapped, created);
    redirect(run->wrapping, &consumers, wrapped, created->shape->name);
    note_readers(run->wrapping, &consumers, wrapped, created);
    return true;
}

bool wrap_rewrite(AlgorithmRun *run, const Directive *directive) {
    const Resolver *resolver = run->resolver;
    const DirectiveArgument *wrapped = directive_argument(directive, 0);
    const ImageParameter *image = signature_image(&resolver->pipeline->signature, wrapped->name);
    const Func *func = image ? NULL : resolve_func(resolver, wrapped);
    if (!image && !func)
        return false;
    FuncShape *shape = image ? shape_of_image(resolver, image) : shape_of_func(resolver, func);
    shape->name = directive_argument(directive, directive->arguments.length - 1)->name;
    return wrap_consumers(run, directive, wrapped->name,
                          create_wrapper(resolver, shape, wrapped->name, directive->place));
}

/* ---- candidates ---- */

static void offer(const LegalSearch *search, Symbol wrapped, const FuncPlan *consumer) {
    Directive *directive = candidate(search, argument_func_named(wrapped));
    if (consumer)
        candidate_put(search, directive, argument_func_named(consumer->func->shape->name));
    candidate_put(search, directive, argument_name(candidate_func_name(search, wrapped, "w")));
    candidate_offer(search, directive);
}

/* Offers the func for all its readers, and each of its producers for the func alone. */
void wrap_candidates(const LegalSearch *search, const FuncPlan *plan) {
    Symbol own = plan->func->shape->name;
    Map seen = map_create(search->arena);
    map_put(&seen, own, own);
    if (plan->consumers.length)
        offer(search, own, NULL);
    for (size_t j = 0; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        for (size_t i = 0; i < stage->sites.length; i++) {
            Symbol read = stage->sites.data[i].access->name;
            if (!map_get(&seen, read))
                offer(search, read, plan);
            map_put(&seen, read, read);
        }
    }
}
