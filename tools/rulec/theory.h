/* theory.h -- the theories in which Z3 proves rules; see theory.c. */
#ifndef HLC_RULEC_THEORY_H
#define HLC_RULEC_THEORY_H

#include "tools/rulec/rule_set.h"

/* What the theory of a rule's class, at `type`, calls the operator of `term`; null where it has
 * none. */
const char *theory_operator(const Rule *rule, Type type, bool in_guard, const RuleTerm *term);
/* Are its numbers, or its vectors' lanes, integers? */
bool theory_is_integers(const Rule *rule);
/* Sorts and functions that terms of the rule are made of. */
void theory_prelude(FILE *out, const Rule *rule, Type type, int encoding);

#endif
