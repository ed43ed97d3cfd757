/* run.c -- the target interpreter as a checker: threads take turns on one machine. */
#include "checkers/interpreter/checks.h"

static const RunChecks checks = {.start_loop = thread_start_loop,
                                 .next_iteration = thread_next_iteration,
                                 .allocate = race_allocate,
                                 .is_open = race_is_open,
                                 .read = race_read,
                                 .write = race_write};

Outcome run_program(const Program *program, Arena *arena, const Arguments *arguments,
                    const RunOptions *options) {
    CheckedRun run = {.choices = options->seed};
    machine_create(&run.machine, program, arena, arguments, options);
    if (run.machine.code->unordered)
        run.machine.checks = &checks;
    vec_push(arena, &run.tasks, (IterationTask){.parent = 0});
    thread_create(&run);
    for (bool runs = true; runs;) {
        uint64_t turn = thread_choose(&run);
        do
            runs = machine_run(&run.machine, turn);
        while (runs && !run.machine.yields && (turn = thread_is_held(&run)));
    }
    if (options->instructions)
        *options->instructions = run.machine.instructions;
    return run.machine.outcome;
}
