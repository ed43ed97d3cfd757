/* watch.h -- inside codegen/: what code for AddressSanitizer calls in a process that does not run
 * under it (codegen_watch). */
#ifndef HLC_CODEGEN_WATCH_H
#define HLC_CODEGEN_WATCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct KnownFunction {
    const char *name;
    void (*address)(void);
} KnownFunction;

/* Has codegen_watch been called? */
bool watch_is_on(void);
/* Once.  False where there is no memory. */
bool watch_begin(void);
/* The callbacks that the code names. */
const KnownFunction *watch_callbacks(size_t *count);
/* What watched code calls where it names this function of the run-time library; the function itself
 * where it is the same. */
KnownFunction watch_instead(KnownFunction known);

#endif
