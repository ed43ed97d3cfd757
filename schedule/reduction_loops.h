/* reduction_loops.h -- `vectorize`, `parallel` and `traverse` of reduction loops: written for an
 * rfactor and what makes its partial results run so. */
#ifndef HLC_SCHEDULE_REDUCTION_LOOPS_H
#define HLC_SCHEDULE_REDUCTION_LOOPS_H

#include "schedule/loop.h"

typedef struct PartialResults {
    Symbol func, merged;
    int stage;     /* of `merged`, in which the partial results are read */
    bool is_inner; /* computed for each point of `merged` that is at work, not for all before */
} PartialResults;

/* What stands for directives about reduction loops, in the order of definition. */
struct ReductionLoops {
    Arena *arena;
    Map moved; /* Symbol `f.r` -> MovedLoop: loops that are now of a func of partial results */
    Vec(PartialResults) partials;
};

ReductionLoops reduction_loops_create(Arena *arena);

/* Is it one of these directives, whatever its loop? */
bool reduction_loop_asks(const Directive *directive);
/* Is it, and the loop a reduction variable of the algorithm as it is now?
 */
bool reduction_loop_is_meant(const Resolver *resolver, const Directive *directive);
/* Does the loop run side by side as it stands, without partial results?  So it is where iterations
 * touch different elements (disjoint.h), whatever loops are outside of it; and where they do under
 * one iteration of all other loops, and partial results are refused. */
bool reduction_loop_stands(const Resolver *resolver, const DirectiveArgument *loop);
/* May it be so?  False after refusing. */
bool reduction_loop_check(const Resolver *resolver, const Directive *directive);
/* Appends the directives of phase 0 that it means to `factorings`, those of later phases to
 * `later`.  The new func is named after the loop as it was written.  False after refusing. */
bool reduction_loop_expand(ReductionLoops *loops, const Resolver *resolver,
                           const Directive *directive, const LoopReference *written,
                           Directives *factorings, Directives *later);
/* A copy in which loops that have become those of partial results are named so. */
Directive reduction_loops_follow(const ReductionLoops *loops, const Resolver *resolver,
                                 const Directive *directive);
/* After phase 3: appends where the partial results are computed to `schedule`, but for those of
 * which it says that itself. */
void reduction_loops_place(const ReductionLoops *loops, const Resolver *resolver,
                           const Directives *primitives, Schedule *schedule);

#endif
