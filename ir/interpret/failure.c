/* failure.c -- ends a run of the target interpreter early. Stops control flow from depending on
 * values that were never written, or on error values. */
#include "ir/interpret/machine.h"

#include <stdarg.h>

bool machine_fail(RunMachine *machine, int error, const char *subject, const int64_t *numbers,
                  int count) {
    machine->outcome.error = error;
    hlc_error_message(machine->outcome.message, (int)sizeof machine->outcome.message, error,
                      subject, numbers, count);
    return false;
}

const char *machine_describe(RunMachine *machine, const Stmt *stmt) {
    Arena *arena = machine->arena;
    const char *text = "a statement";
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    case STMT_ASSERT:
        text = "an assertion";
        break;
    case STMT_ALLOCATE:
        text = arena_format(arena, "allocate %s", stmt->allocate.func->name->text);
        break;
    case STMT_COMPUTE:
        text = arena_format(arena, "compute %s", stmt->compute.func->name->text);
        break;
    case STMT_STORE:
        text = arena_format(arena, "the store to %s in stage %d", stmt->store.func->name->text,
                            stmt->store.stage);
        break;
    case STMT_IF:
        text = "an if";
        break;
    case STMT_FOR:
        text = arena_format(arena, "loop %s", stmt->loop.binder->text);
        break;
    case STMT_LET:
        text = arena_format(arena, "let %s", stmt->let.binder->text);
        break;
    }
    return stmt->place.line ? arena_format(arena, "%s (line %u)", text, stmt->place.line) : text;
}

/* Reports an internal error: an event that must never happen, and its statement. */
bool machine_broken(RunMachine *machine, const Stmt *stmt, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *subject =
        stmt ? arena_format(machine->arena, "%s, in %s", text, machine_describe(machine, stmt))
             : text;
    return machine_fail(machine, HLC_ERROR_INTERNAL, subject, NULL, 0);
}

bool machine_written(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what) {
    for (int i = 0; i < count; i++)
        if (machine->thread->shadows[argument_register(machine, instruction, i)])
            return machine_broken(machine, instruction->stmt, "%s depends on memory never written",
                                  what);
    return true;
}

uint8_t machine_error(const RunMachine *machine, const RunInstruction *instruction, int count) {
    uint8_t error = ERROR_NONE;
    for (int i = 0; i < count; i++) {
        uint8_t other = machine->thread->errors[argument_register(machine, instruction, i)];
        error = other > error ? other : error;
    }
    return error;
}

bool machine_settled(RunMachine *machine, const RunInstruction *instruction, int count,
                     const char *what) {
    uint8_t error = machine_error(machine, instruction, count);
    if (error) {
        const char *subject =
            arena_format(machine->arena, "%s is %s, in %s", what, error_text((ErrorValue)error),
                         machine_describe(machine, instruction->stmt));
        return machine_fail(machine, HLC_ERROR_ERROR_VALUE, subject, NULL, 0);
    }
    return machine_written(machine, instruction, count, what);
}
