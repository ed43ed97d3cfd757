/* allow.h -- comments that allow a warning at its place.
 *
 *     fun sum(x, y) = a(x, y) + b(x, y); // allow E0430: it wraps on purpose
 *     // allow E0433, E0430
 *     let spare = 3;
 *
 * Such a comment allows what is said of its line. If it stands alone on its line, it allows what is
 * said of the next line, too. Words after the codes are for the reader.
 */
#ifndef HLC_BASE_ALLOW_H
#define HLC_BASE_ALLOW_H

#include "base/context.h"

/* Does a comment allow this code at the place, or where the text was made (`use`)? Reads the
 * comments of a file once. */
bool allow_at(Context *context, Place place, const Use *use, const char *code);

#endif
