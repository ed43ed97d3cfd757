/* inline_moves.c -- moves that inline funcs which have a schedule.
 *
 *     vectorize(d.x, 8);  ..        no directive `inline(d)` may follow: d has loops
 *     inline(d);                    instead of the directives about d
 *
 * Of a chain of funcs that are each read at one point, one alone brings little: the next one still goes
 * through memory. So all of them are a move, too.
 */
#include "library/show/moves.h"

#include "autoschedule/decision.h"
#include "schedule/directive_build.h"

static bool is_inlinable(const Pipeline *pipeline, const Func *func) {
    return !func->shape->is_output && func->stages.length == 1 && !func->recurrence &&
           !func->extends && !func->realised && !func->definition && !func_is_extern(func) &&
           pipeline_func(pipeline, func->shape->name) == func;
}

static bool has_directives(const Schedule *schedule, Symbol func) {
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        if (argument_func(&schedule->directives.data[i].arguments.data[0]) == func)
            return true;
    return false;
}

/* At how many points is each func read? Symbol -> size_t. */
static Map count_reads(const Pipeline *pipeline, Arena *arena) {
    Map reads = map_create(arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        for (size_t s = 0; s < func->stages.length && !func_is_extern(func); s++) {
            Exprs accesses = decisions_accesses(arena, func->stages.data[s], func);
            for (size_t k = 0; k < accesses.length; k++) {
                Symbol name = accesses.data[k]->name;
                size_t *count = map_get(&reads, name);
                if (!count)
                    map_put(&reads, name, count = arena_new(arena, size_t));
                ++*count;
            }
        }
    }
    return reads;
}

static double cycles_of(const Estimate *now, Symbol func) {
    const FuncEstimate *of = estimate_of(now, func);
    return of ? of->cycles : 0;
}

static void add_inline(Arena *arena, RankedMove *move, const Estimate *now, Symbol func) {
    Directive directive = {.kind = DIRECTIVE_INLINE};
    vec_push(arena, &directive.arguments, argument_func_named(func));
    vec_push(arena, &move->directives, directive);
    move->weight += cycles_of(now, func);
}

void moves_add_inlines(const Pipeline *pipeline, const Schedule *schedule, const Estimate *now,
                       Arena *arena, RankedMoves *moves) {
    const RankedMove none = {.cycles = -1, .time = -1, .replaces = true};
    Map reads = count_reads(pipeline, arena);
    RankedMove all = none;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        Symbol name = func->shape->name;
        const size_t *count = map_get(&reads, name);
        RankedMove one = none;
        if (!is_inlinable(pipeline, func))
            continue;
        if (count && *count == 1)
            add_inline(arena, &all, now, name);
        if (!has_directives(schedule, name))
            continue;
        add_inline(arena, &one, now, name);
        one.number = moves->length;
        vec_push(arena, moves, one);
    }
    all.number = moves->length;
    if (all.directives.length > 1)
        vec_push(arena, moves, all);
}

bool moves_drops(const RankedMove *move, const Directive *directive) {
    Symbol func = argument_func(&directive->arguments.data[0]);
    for (size_t i = 0; i < move->directives.length && move->replaces; i++)
        if (argument_func(&move->directives.data[i].arguments.data[0]) == func)
            return true;
    return false;
}
