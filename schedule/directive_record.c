/* directive_record.c -- the records, expanded from the rows of directives.def.
 *
 * This file names the functions of the directives, and none of them calls it.  So it stands above
 * their files.
 */
#include "schedule/directive_record.h"

#define RECORD_RECURRENCE(DOES) .realise = DOES##_realise
#define RECORD_ALGORITHM(DOES)  .rewrite = DOES##_rewrite
#define RECORD_SUGAR(DOES)      .expand = DOES##_expand
#define RECORD_BOUNDS(DOES)     .check = DOES##_check, .apply = DOES##_apply
#define RECORD_COMPUTE(DOES)    RECORD_BOUNDS(DOES)
#define RECORD_STORAGE(DOES)    RECORD_BOUNDS(DOES)
#define RECORD_LOOPS(DOES)      RECORD_BOUNDS(DOES), .follow = DOES##_follow
#define RECORD_SPECIALIZE(DOES) RECORD_LOOPS(DOES)

#define LISTED_RECURRENCE(NAME) .candidates_of_func = NAME##_candidates
#define LISTED_ALGORITHM(NAME)  LISTED_RECURRENCE(NAME)
#define LISTED_SPECIALIZE(NAME) LISTED_RECURRENCE(NAME)
#define LISTED_BOUNDS(NAME)     LISTED_RECURRENCE(NAME)
#define LISTED_COMPUTE(NAME)    LISTED_RECURRENCE(NAME)
#define LISTED_STORAGE(NAME)    LISTED_RECURRENCE(NAME)
#define LISTED_LOOPS(NAME)      .candidates_of_loop = NAME##_candidates
#define LISTED_SUGAR(NAME)      LISTED_LOOPS(NAME)

static const DirectiveRecord records[] = {
#define DIRECTIVE(NAME, TEXT, PHASE, ARGUMENTS, SENTENCE, DOES, CANDIDATES)                        \
    [DIRECTIVE_##NAME] = {RECORD_##PHASE(DOES), LISTED_##PHASE(CANDIDATES)},
#include "schedule/directives.def"
#undef DIRECTIVE
};

const DirectiveRecord *directive_record(DirectiveKind kind) {
    hlc_assert(kind < DIRECTIVE_COUNT, "a directive is a row of directives.def");
    return &records[kind];
}
