/* contract_gate.h -- does a schedule accept all that the empty schedule accepts? */
#ifndef HLC_AUTOSCHEDULE_CONTRACT_GATE_H
#define HLC_AUTOSCHEDULE_CONTRACT_GATE_H

#include "lower/lower.h"

/* Is each assertion of `program` implied by those of `empty`, by proof?  Both have been through
 * PASS_CHECKS, and are programs of one pool. Otherwise sets `*clause` to one that is not. */
bool contract_is_kept(const Program *empty, const Program *program, Arena *arena,
                      const char **clause);

#endif
