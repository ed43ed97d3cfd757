/* reduction_loops.h -- expands `vectorize`, `parallel` and `traverse` of reduction loops.
 *
 * Such a directive stands for an rfactor, and for the directives that make the partial results run
 * in that manner. */
#ifndef HLC_SCHEDULE_REDUCTION_LOOPS_H
#define HLC_SCHEDULE_REDUCTION_LOOPS_H

#include "schedule/loop.h"

typedef struct PartialResults {
    Symbol func, merged;
    int stage;     /* the stage of `merged` that reads the partial results */
    bool is_inner; /* computed for each point of `merged` in turn, not for all points before */
} PartialResults;

/* The expanded directives about reduction loops, in the order of definition. */
struct ReductionLoops {
    Arena *arena;
    Map moved; /* Symbol `f.r` -> MovedLoop: loops that now belong to a func of partial results */
    Vec(PartialResults) partials;
};

ReductionLoops reduction_loops_create(Arena *arena);

/* Is it a directive of these kinds, whatever its loop? */
bool reduction_loop_asks(const Directive *directive);
/* Is it, and is the loop a reduction variable of the current algorithm? */
bool reduction_loop_is_meant(const Resolver *resolver, const Directive *directive);
/* Does the loop run side by side as it stands, without partial results?  So it is where iterations
 * touch different elements (disjoint.h), whatever loops are outside of it; and where they do under
 * one iteration of all other loops, and partial results are refused. */
bool reduction_loop_stands(const Resolver *resolver, const DirectiveArgument *loop);
/* May it be so?  False after refusing. */
bool reduction_loop_check(const Resolver *resolver, const Directive *directive);
/* Appends the directives that it means: those of phase 0 to `factorings`, those of later phases to
 * `later`.  The new func is named after the loop as written.  False after refusing. */
bool reduction_loop_expand(ReductionLoops *loops, const Resolver *resolver,
                           const Directive *directive, const LoopReference *written,
                           Directives *factorings, Directives *later);
/* Copies the directive and renames loops that moved to a func of partial results. */
Directive reduction_loops_follow(const ReductionLoops *loops, const Resolver *resolver,
                                 const Directive *directive);
/* After phase 3: appends the compute levels of the partial results to `schedule`, except those that
 * the schedule sets itself. */
void reduction_loops_place(const ReductionLoops *loops, const Resolver *resolver,
                           const Directives *primitives, Schedule *schedule);

#endif
