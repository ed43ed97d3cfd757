/* code.h -- the flat code of the target interpreter: one instruction for each node or statement.
 *
 * compile.c translates a program once; machine.c executes it. Every distinct node of a statement's
 * expressions has a register. Every variable has one register for the whole program. Statements are
 * jumps. So the machine needs no recursion, whatever the depth of expressions and statements.
 *
 * Registers that a loop's body sets have greater numbers than the loop's variable. The exceptions
 * are constants and startup variables, which are set only at the start. So the registers that an
 * iteration takes over when it runs in its own thread are a short list, found once (RunLoop).
 */
#ifndef HLC_IR_INTERPRET_CODE_H
#define HLC_IR_INTERPRET_CODE_H

#include "ir/stmt.h"
#include "ir/value.h"

/* The effect of an instruction; `a[i]` is the register of its i-th argument. */
typedef enum RunCode {
    RUN_APPLY,    /* target <- op(a[0], ..); a[0] fills the arguments up to a[2] that op does not
                     have */
    RUN_READ,     /* target <- func[a[0], ..] */
    RUN_IMAGE,    /* target <- image[a[0], ..] */
    RUN_COPY,     /* target <- a[0]: a let */
    RUN_STORE,    /* func[a[0], ..] <- the remaining arguments, one a component */
    RUN_ALLOCATE, /* func is allocated on the intervals */
    RUN_RELEASE,  /* func's scope ends; an output's window is copied out */
    RUN_COMPUTE,  /* func's compute bounds are (a[0], a[1]), .. from here on */
    RUN_UNLESS,   /* jump unless a[0]: an if */
    RUN_JUMP,     /* jump */
    RUN_LOOP,     /* loop over (a[0], a[1]), target the variable; jump if it is empty */
    RUN_NEXT,     /* next iteration: jump to the body; fall through after the last */
    RUN_ASSERT,   /* jump if a[0]; else compute the operands of the message, then */
    RUN_REFUSE,   /* fail with the assertion's error and the numbers a[0], .. */
    RUN_END
} RunCode;

typedef struct RunInstruction {
    RunCode code;
    uint16_t op, component;
    Type type;           /* of the target */
    Operation operation; /* of RUN_APPLY */
    int target;          /* a register */
    int first, count;    /* its arguments: arguments.data[first .. first + count) */
    int object;          /* a func, an image or a loop, by number */
    size_t jump;
    const Stmt *stmt; /* the statement it belongs to */
} RunInstruction;

/* A register's value at the start: a constant, or a startup variable by name. */
typedef struct RegisterStart {
    int target;
    Symbol variable; /* null for a constant */
    Bits bits;
} RegisterStart;

/* A loop, by number. If its iterations may run side by side: the state that they take over from the
 * thread that starts them. */
typedef struct RunLoop {
    bool unordered;
    Vec(int) registers; /* set outside of the body and read in it; no start registers */
    Vec(int) funcs;     /* whose memory the body touches */
} RunLoop;

typedef struct RunProgram {
    Vec(RunInstruction) instructions;
    Vec(int) arguments;
    Vec(Type) registers; /* the type of each */
    Vec(RegisterStart) starts;
    Vec(RunLoop) loops;
    bool unordered; /* does it contain such a loop? */
    bool updates;   /* does it contain an atomic store? */
} RunProgram;

/* `program` has no holes.  Funcs and images are numbered as in the signature. */
RunProgram *run_compile(const Program *program, Arena *arena);

#endif
