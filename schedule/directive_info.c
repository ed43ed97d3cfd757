/* directive_info.c -- the rows of directives.def as records. */
#include "schedule/schedule.h"

static const DirectiveInfo directives[] = {
#define DIRECTIVE(NAME, TEXT, PHASE, ARGUMENTS, SENTENCE, ...)                                     \
    [DIRECTIVE_##NAME] = {#NAME, TEXT, PHASE_##PHASE, ARGUMENTS, SENTENCE},
#include "schedule/directives.def"
#undef DIRECTIVE
};

const DirectiveInfo *directive_info(DirectiveKind kind) {
    hlc_assert(kind < DIRECTIVE_COUNT, "a directive is a row of directives.def");
    return &directives[kind];
}
