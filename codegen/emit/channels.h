/* channels.h -- code for the usual numbers of channels: see channels.c. */
#ifndef HLC_CODEGEN_EMIT_CHANNELS_H
#define HLC_CODEGEN_EMIT_CHANNELS_H

#include "codegen/emit.h"

/* Emits a compute statement by `emit`, once for each usual number of channels of the interleaved
 * images that it uses, and once for others. False if it must stay in place. */
bool emit_by_channels(Emitter *emitter, const Stmt *compute,
                      bool (*emit)(Emitter *emitter, const Stmt *compute));

#endif
