/* profile.h -- inside runtime/: the lock of the counters of all profiles. */
#ifndef HLC_RUNTIME_PROFILE_H
#define HLC_RUNTIME_PROFILE_H

#include "runtime/hlc_runtime.h"

void profile_lock(void);
void profile_unlock(void);

#endif
