/* share.h -- HLC_SHARE=N in the environment: a test of very many cases runs one in N of them.  The tier
 * `test` does so, the tier `all` runs them all (tests/CMakeLists.txt). */
#ifndef TESTS_UNIT_SHARE_H
#define TESTS_UNIT_SHARE_H

#include <stdlib.h>

static inline int share(void) {
    const char *text = getenv("HLC_SHARE");
    int wanted = text ? atoi(text) : 1;
    return wanted > 0 ? wanted : 1;
}

#endif
