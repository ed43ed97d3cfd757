/* drawing.h -- a random schedule in the making: draws one directive from those that are legal next.
 */
#ifndef HLC_CHECKERS_FUZZ_DRAWING_H
#define HLC_CHECKERS_FUZZ_DRAWING_H

#include "checkers/fuzz/generate.h"
#include "frontend/frontend.h"
#include "lower/moves.h"

typedef struct Drawing {
    Arena *arena; /* of the case */
    RandomSource *random;
    Case *c;
    Context *context;
    const Pipeline *pipeline;
    Schedule schedule;
    bool specialized;
    bool blends;       /* only blending tails are drawn */
    bool open_lengths; /* loops are drawn whose length only the oracle may find */
} Drawing;

#define KIND(name)  ((uint64_t)1 << DIRECTIVE_##name)
#define SIZE_KINDS  (KIND(ALIGN_STORAGE) | KIND(BOUND_STORAGE))
#define BOUND_KINDS (KIND(BOUND) | KIND(BOUND_EXTENT) | KIND(ALIGN_BOUNDS))

/* A number as text and value. */
NumberChoice drawing_constant(const Drawing *d, int64_t value);
/* The func that the directive is about. */
Symbol drawing_func_of(const Directive *move);
/* Appends the directive if the scheduler takes it. */
bool drawing_say(Drawing *d, const Directive *move);
void drawing_set_number(Directive *move, size_t argument, NumberChoice number);
/* The interval, length or modulus of a bound. */
void drawing_choose_bound(const Drawing *d, Directive *move);
/* The legal directives of these kinds. */
Directives drawing_propose(Drawing *d, uint64_t kinds);
/* Picks one of the moves; all funcs are equally likely. */
Directive *drawing_pick(Drawing *d, const Directives *moves);
/* Appends a directive of one of the kinds; false if there seems to be none. */
bool drawing_draw(Drawing *d, uint64_t kinds);

#endif
