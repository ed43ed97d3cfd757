/* lifetime.h -- the last use of memory in a block: see lifetime.c. */
#ifndef HLC_CODEGEN_EMIT_LIFETIME_H
#define HLC_CODEGEN_EMIT_LIFETIME_H

#include "codegen/emit.h"

/* Gives for each func that the block mentions the last statement that does. False for a
 * block in which no memory can be used twice. */
bool lifetime_find(Emitter *emitter, const Block *block, Map *last);

#endif
