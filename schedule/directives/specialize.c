/* specialize.c -- specialize(f, e1, .., en): a func gets one copy of its code for each condition.
 *
 *     compute f on b: s
 *
 * becomes
 *
 *     if e1 then (compute f on b: s1)                    -- specialization z1
 *     else if e2 then (compute f on b: s2)               -- z2
 *     else (compute f on b: s)                           -- z0, the rest
 *
 * The conditions are startup expressions, so a run always takes the same branch (Lemma 8.1).  Loops
 * are renamed by specialization, so later directives can treat each branch in its own way.  Each
 * branch has its own holes of earlier stages; the cpu holes are shared (Def 6.3).  A func has at
 * most one such directive.
 *
 * A branch inherits nothing of z0, though users of other compilers may expect it.  So there is a
 * warning if loops of z0 are vectorized and no directive is about the loops of another branch.
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"

static bool check_names(const Resolver *resolver, const Directive *directive, const Func **func) {
    *func = resolve_func(resolver, directive_argument(directive, 0));
    if (!*func)
        return false;
    if (resolver->specializations(resolver->data, *func) > 0)
        return refuse(resolver, DIAG_SPECIALIZED_TWICE, directive->place,
                      (*func)->shape->name->text);
    for (size_t i = 1; i < directive->arguments.length; i++)
        if (!check_startup(resolver, &directive->arguments.data[i]))
            return false;
    return true;
}

bool specialize_follow(const Resolver *resolver, const Directive *directive) {
    const Func *func;
    if (!check_names(resolver, directive, &func))
        return false;
    nests_specialize(resolver, func, (int)directive->arguments.length - 1);
    return true;
}

bool specialize_check(Scheduler *scheduler, const Directive *directive) {
    const Func *func;
    return check_names(&scheduler->resolver, directive, &func);
}

/* Is the directive about a loop of the func in that specialization?  With `lanes`: does it make the
 * loop vectorized? */
static bool is_about(const Directive *directive, Symbol func, int specialization, bool lanes) {
    const DirectiveArgument *first = directive_argument(directive, 0);
    bool is_meant = !lanes || (directive->kind == DIRECTIVE_TRAVERSE &&
                               directive_argument(directive, 1)->traversal == TRAVERSE_VECTORIZED);
    return is_meant && first->kind == ARGUMENT_LOOP && first->loop.func == func &&
           first->loop.specialization == specialization;
}

static bool is_any_about(const Directives *primitives, Symbol func, int specialization,
                         bool lanes) {
    for (size_t i = 0; i < primitives->length; i++)
        if (is_about(&primitives->data[i], func, specialization, lanes))
            return true;
    return false;
}

static bool is_told(const Context *context, Place place) {
    for (size_t i = 0; i < context->reports.length; i++) {
        const Report *report = &context->reports.data[i];
        if (report->code == DIAG_FAST_PATH_BARE && report->place.file == place.file &&
            report->place.line == place.line && report->place.column == place.column)
            return true;
    }
    return false;
}

static void warn_of_bare(Context *context, const Directives *primitives,
                         const Directive *specialize) {
    Symbol func = directive_argument(specialize, 0)->name;
    for (int z = 1; z < (int)specialize->arguments.length; z++) {
        Place place = specialize->arguments.data[z].place;
        char name[16];
        snprintf(name, sizeof name, "z%d", z);
        if (is_any_about(primitives, func, 0, true) && !is_any_about(primitives, func, z, false) &&
            !is_told(context, place))
            diag(context, DIAG_FAST_PATH_BARE, place, name, func->text);
    }
}

void specialize_warn(Context *context, const Directives *primitives) {
    for (size_t i = 0; i < primitives->length; i++)
        if (primitives->data[i].kind == DIRECTIVE_SPECIALIZE)
            warn_of_bare(context, primitives, &primitives->data[i]);
}

/* Gives a copied compute statement its specialization: in loop names, binders and for holes. */
typedef struct Respecializing {
    Scheduler *scheduler;
    int specialization;
    Substitution binders;
    ExprMemo holes;
} Respecializing;

static bool rename_loop(void *data, Stmt *stmt) {
    Respecializing *r = data;
    Pool *pool = r->scheduler->pool;
    if (stmt->kind != STMT_FOR)
        return true;
    Symbol old = stmt->loop.binder;
    stmt->loop.name.specialization = r->specialization;
    stmt->loop.binder = loop_symbol(pool->context, &stmt->loop.name);
    substitution_add(&r->binders, old, expr_variable(pool, stmt->loop.binder, INDEX));
    return true;
}

static Expr respecialize_hole(void *data, Pool *pool, Expr node) {
    const Respecializing *r = data;
    if (node->op != OP_HOLE || node->hole->kind != HOLE_FOR)
        return node;
    Hole hole = *node->hole;
    hole.specialization = r->specialization;
    return expr_hole(pool, hole);
}

static Expr respecialize_expr(void *data, Expr expr) {
    Respecializing *r = data;
    Pool *pool = r->scheduler->pool;
    expr = substitution_apply(pool, &r->binders, expr);
    return expr_rewrite(pool, &r->holes, expr, respecialize_hole, r);
}

static Stmt *specialized_copy(Scheduler *scheduler, const Stmt *compute, int specialization) {
    Stmt *copy = stmt_copy(scheduler->program, compute);
    copy->compute.specialization = specialization;
    Arena *scratch = arena_create(&scheduler->resolver.context->memory);
    Respecializing r = {scheduler, specialization, substitution_create(scratch),
                        expr_memo(scratch)};
    block_visit(&copy->compute.body, &(StmtVisitor){&r, rename_loop, NULL});
    stmt_map_exprs(copy, respecialize_expr, &r);
    arena_destroy(scratch);
    return copy;
}

void specialize_apply(Scheduler *scheduler, const Directive *directive) {
    FuncPlan *plan = plan_of_directive(scheduler, directive);
    plan->specialize = directive;
    Stmt *rest = compute_of(scheduler, plan->func, 0), *place = rest;
    Block *block = rest->block;
    /* The next branch goes before the compute statement at first, then into each `else`. */
    for (size_t i = 1; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = &directive->arguments.data[i];
        Stmt *branch = stmt_create(scheduler->program, STMT_IF, argument->place);
        branch->branch.role = IF_SPECIALIZE;
        branch->branch.condition = argument->expr;
        block_append(&branch->branch.body, specialized_copy(scheduler, rest, (int)i));
        if (place) {
            stmt_insert_before(place, branch);
            stmt_unlink(rest);
            place = NULL;
        } else {
            block_append(block, branch);
        }
        block = &branch->branch.otherwise;
    }
    block_append(block, rest);
}

void specialize_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (size_t i = 0; i < search->choices->conditions.length; i++)
        candidate_offer(search, candidate(search, argument_func_named(plan->func->shape->name),
                                          argument_number(&search->choices->conditions.data[i])));
}
