/* watch.h -- inside codegen/: the callbacks of code for AddressSanitizer, in a process that does
 * not run under it (codegen_watch). */
#ifndef HLC_CODEGEN_MACHINE_WATCH_H
#define HLC_CODEGEN_MACHINE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KnownFunction {
    const char *name;
    void (*address)(void);
} KnownFunction;

/* Has codegen_watch been called? */
bool watch_is_on(void);
/* Starts watching. Call it once. False if memory runs out. */
bool watch_begin(void);
/* Returns the callbacks that watched code calls by name. */
const KnownFunction *watch_callbacks(size_t *count);
/* Returns the replacement of a run-time library function in watched code, or the function itself if
 * there is none. */
KnownFunction watch_instead(KnownFunction known);

#endif
