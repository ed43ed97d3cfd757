/* machine.h -- the machine that schedules are chosen for. */
#ifndef HLC_LIBRARY_SCHEDULE_MACHINE_H
#define HLC_LIBRARY_SCHEDULE_MACHINE_H

#include "library/compiler.h"

#include "autoschedule/machine.h"

#include <string.h>

/* The figures that were set, or measured; else the defaults of the targets. In the scratch arena. */
const Machine *machine_of(hlc *h);

#endif
