/* poison.c -- what unwritten memory may decide, before compiled code runs.
 *
 * A program in the text form may be arbitrary, so the target interpreter runs it before compiled
 * code does. Its fresh memory has other contents than that of compiled code. A value that depends
 * on them (its register is shadowed) may flow through data. It must not decide which memory is
 * accessed:
 *
 *   a condition, a bound, a write index   refused in each run (machine_settled, machine_written)
 *   a read index                          refused unless all its values lie inside the memory
 *
 * A divisor is data: division in compiled code is total, too (emit_divide). A quotient that depends
 * on unwritten memory is refused where it is stored inside the compute bounds.
 *
 * The possible values of a register form an interval. The search computes it on demand from the
 * instructions that set the register. Registers without a shadow have their values of this run. If
 * f[x] was never written, `g[min(f[x], 7)]` is refused, and `g[clamp(f[x], 0, 7)]` is not.
 * Over-computed points of programs that `hlc lower` prints are of the second kind: bounds cover
 * their indices for all values.
 */
#include "ir/interpret/machine.h"

#include <inttypes.h>

/* The interval of values that a shadowed register may hold; both ends are inclusive. */
typedef struct PossibleValues {
    int64_t low, high;
} PossibleValues;

/* Limits of the search. Beyond them, a register may hold all values of its type. */
enum { MOST_VISITS = 512, MOST_DEPTH = 64 };

typedef struct PoisonSearch {
    const RunMachine *machine;
    int visits, depth;
} PoisonSearch;

const size_t *poison_producers(const RunProgram *code, Arena *arena) {
    size_t *producers = arena_array(arena, size_t, code->registers.length);
    for (size_t pc = 0; pc < code->instructions.length; pc++)
        if (code->instructions.data[pc].target >= 0)
            producers[code->instructions.data[pc].target] = pc;
    return producers;
}

/* ---- intervals ---- */

/* Does the order of the type's values differ from that of their bits? */
static bool is_opaque(Type type) {
    return type_is_float(type) || (type.kind == TYPE_UINT && type.bits == 64);
}

static PossibleValues all_of(Type type) {
    if (type_is_bool(type))
        return (PossibleValues){0, 1};
    if (is_opaque(type) || type.bits == 64)
        return (PossibleValues){INT64_MIN, INT64_MAX};
    if (type.kind == TYPE_UINT)
        return (PossibleValues){0, ((int64_t)1 << type.bits) - 1};
    return (PossibleValues){-((int64_t)1 << (type.bits - 1)), ((int64_t)1 << (type.bits - 1)) - 1};
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Returns the interval, or all values of the type if it does not fit. */
static PossibleValues wrapped(Type type, __int128 low, __int128 high) {
    PossibleValues all = all_of(type);
    return low < all.low || high > all.high ? all : (PossibleValues){(int64_t)low, (int64_t)high};
}

static PossibleValues product(Type type, PossibleValues a, PossibleValues b) {
    __int128 corners[] = {(__int128)a.low * b.low, (__int128)a.low * b.high,
                          (__int128)a.high * b.low, (__int128)a.high * b.high};
    __int128 low = corners[0], high = corners[0];
    for (int i = 1; i < 4; i++) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    return wrapped(type, low, high);
}

/* Divides by a positive constant, rounding down. */
static PossibleValues quotient(Type type, PossibleValues a, PossibleValues b) {
    if (b.low != b.high || b.low <= 0)
        return all_of(type);
    int64_t by = b.low;
    return (PossibleValues){a.low / by - (a.low % by < 0), a.high / by - (a.high % by < 0)};
}

static PossibleValues shifted_right(Type type, PossibleValues a, PossibleValues b) {
    if (b.low != b.high || b.low < 0 || b.low >= type.bits)
        return all_of(type);
    return (PossibleValues){a.low >> b.low, a.high >> b.low};
}

/* Bounds a bitwise and. Both operands have the result's type. */
static PossibleValues masked(Type type, PossibleValues a, PossibleValues b) {
    if (a.low < 0 && b.low < 0)
        return all_of(type);
    return (PossibleValues){0, a.low < 0 ? b.high : b.low < 0 ? a.high : lesser(a.high, b.high)};
}

static PossibleValues applied(const RunInstruction *instruction, const PossibleValues *a) {
    Type type = instruction->type;
    switch ((int)instruction->op) { /* nothing is known about other operators */
    case OP_ADD:
        return wrapped(type, (__int128)a[0].low + a[1].low, (__int128)a[0].high + a[1].high);
    case OP_SUB:
        return wrapped(type, (__int128)a[0].low - a[1].high, (__int128)a[0].high - a[1].low);
    case OP_MUL:
        return product(type, a[0], a[1]);
    case OP_DIV:
        return quotient(type, a[0], a[1]);
    case OP_MOD:
        return a[1].low > 0 ? (PossibleValues){0, a[1].high - 1} : all_of(type);
    case OP_SHIFT_RIGHT:
        return shifted_right(type, a[0], a[1]);
    case OP_BIT_AND:
        return masked(type, a[0], a[1]);
    case OP_MIN:
        return (PossibleValues){lesser(a[0].low, a[1].low), lesser(a[0].high, a[1].high)};
    case OP_MAX:
        return (PossibleValues){greater(a[0].low, a[1].low), greater(a[0].high, a[1].high)};
    case OP_SELECT:
        return a[0].low == a[0].high
                   ? a[a[0].low ? 1 : 2]
                   : (PossibleValues){lesser(a[1].low, a[2].low), greater(a[1].high, a[2].high)};
    case OP_CAST:
        return wrapped(type, a[0].low, a[0].high);
    case OP_SATURATING_CAST: {
        PossibleValues all = all_of(type);
        return (PossibleValues){greater(all.low, lesser(a[0].low, all.high)),
                                lesser(all.high, greater(a[0].high, all.low))};
    }
    }
    return all_of(type);
}

/* ---- registers ---- */

static PossibleValues values_of(PoisonSearch *search, int reg);

static PossibleValues result_of(PoisonSearch *search, const RunInstruction *instruction) {
    const RunMachine *machine = search->machine;
    PossibleValues operands[OP_MAX_ARITY] = {0};
    if (is_opaque(instruction->type))
        return all_of(instruction->type);
    for (int i = 0; i < instruction->count; i++) {
        int reg = argument_register(machine, instruction, i);
        if (is_opaque(machine->code->registers.data[reg]))
            return all_of(instruction->type);
        operands[i] = values_of(search, reg);
    }
    return applied(instruction, operands);
}

static PossibleValues values_of(PoisonSearch *search, int reg) {
    const RunMachine *machine = search->machine;
    Type type = machine->code->registers.data[reg];
    if (!machine->thread->shadows[reg])
        return (PossibleValues){machine->thread->bits[reg], machine->thread->bits[reg]};
    if (++search->visits > MOST_VISITS || search->depth >= MOST_DEPTH)
        return all_of(type);
    const RunInstruction *producer = &machine->code->instructions.data[machine->producers[reg]];
    PossibleValues values = all_of(type);
    search->depth++;
    if (producer->code == RUN_APPLY)
        values = result_of(search, producer);
    else if (producer->code == RUN_COPY)
        values = values_of(search, argument_register(machine, producer, 0));
    search->depth--;
    return values;
}

bool poison_index(RunMachine *machine, const RunInstruction *access, const char *name, int k,
                  int64_t minimum, int64_t length) {
    PoisonSearch search = {.machine = machine};
    PossibleValues values = values_of(&search, argument_register(machine, access, k));
    __int128 end = (__int128)minimum + length;
    if (values.low >= minimum && values.high < end)
        return true;
    int64_t outside = values.low < minimum ? values.low : values.high;
    return machine_broken(machine, access->stmt,
                          "an index of %.80s depends on memory never written, and may be %" PRId64
                          " in dimension %d, outside (%" PRId64 ", %" PRId64 ")",
                          name, outside, k, minimum, length);
}
