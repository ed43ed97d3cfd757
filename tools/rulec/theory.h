/* theory.h -- the theories in which Z3 proves rules; see theory.c. */
#ifndef HLC_TOOLS_RULEC_THEORY_H
#define HLC_TOOLS_RULEC_THEORY_H

#include "tools/rulec/rule_set.h"

/* Returns the name of `term`'s operator in the theory of the rule's class, at `type`; null if it
 * has none. */
const char *theory_operator(const Rule *rule, Type type, bool in_guard, const RuleTerm *term);
/* Are its numbers, or its vectors' lanes, integers? */
bool theory_is_integers(const Rule *rule);
/* Writes the sorts and functions that terms of the rule use. */
void theory_prelude(FILE *out, const Rule *rule, Type type, int encoding);

#endif
