/* solver_process.h -- a process that reads SMT-LIB and answers line by line: Z3, or a stand-in.
 *
 * The text that is sent sets the solver's own limits.  The only clock is for a solver that falls
 * silent: it counts as ended after 20 seconds if it is new, else after ten minutes.
 */
#ifndef HLC_BASE_SOLVER_PROCESS_H
#define HLC_BASE_SOLVER_PROCESS_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SolverProcess SolverProcess;

/* `command -in -smt2`, looked up in PATH; null where it cannot be run.  Lives in `arena` until
 * process_stop, which waits for its end. */
SolverProcess *process_start(Arena *arena, const char *command);
void process_stop(SolverProcess *process);
/* Does it echo, within 20 seconds? */
bool process_is_ready(SolverProcess *process, Arena *arena);
/* Nothing where the process has ended. */
void process_send(SolverProcess *process, const char *text);
/* The next answer, in `arena`: a line that is not empty, or as many as close its parentheses, with
 * blanks for the ends of lines.  Null where the process has ended or says more than 1 MiB. */
const char *process_receive(SolverProcess *process, Arena *arena);

#endif
