/* in_place.h -- may outputs share the memory of their images under this schedule? */
#ifndef HLC_LOWER_PASSES_IN_PLACE_H
#define HLC_LOWER_PASSES_IN_PLACE_H

#include "ir/stmt.h"

/* Checks the outputs that the signature lets share an image's memory. Returns false
 * after a report. */
bool lower_in_place(Program *program, Arena *arena);

#endif
