/* code.h -- the flat code of the target interpreter: one instruction for each node or statement.
 *
 * compile.c translates a program once; machine.c executes it. Every distinct node of a statement's
 * expressions has a register. Every variable has one register for the whole program. Statements
 * become jumps. So the machine needs no recursion, whatever the depth of expressions and
 * statements.
 *
 * Registers that a loop's body sets have greater numbers than the loop's variable. The exceptions
 * are constants and startup variables, which are set only at the start. An iteration that runs in
 * its own thread copies the registers that its body reads from outside. That list is short, and is
 * found once (RunLoop).
 */
#ifndef HLC_IR_INTERPRET_CODE_H
#define HLC_IR_INTERPRET_CODE_H

#include "ir/extern.h"
#include "ir/value.h"

/* The effect of an instruction; `a[i]` is the register of its i-th argument. */
typedef enum RunCode {
    RUN_APPLY, /* target <- op(a[0], ..); a[0] also fills the arguments that op lacks, up to a[2] */
    RUN_READ,  /* target <- func[a[0], ..] */
    RUN_IMAGE, /* target <- image[a[0], ..] */
    RUN_COPY,  /* target <- a[0], for a let */
    RUN_STORE, /* func[a[0], ..] <- the remaining arguments, one per component */
    RUN_EXTERN,   /* calls the C function of an extern stage; a[..]: by part its value, or the first
                   and the last point of its box; then those of the written box */
    RUN_ALLOCATE, /* allocates func on the intervals */
    RUN_RELEASE,  /* ends func's scope; copies the window of an output to the caller */
    RUN_COMPUTE,  /* from here on, func's compute bounds are (a[0], a[1]), .. */
    RUN_UNLESS,   /* an if: jumps unless a[0] */
    RUN_JUMP,
    RUN_LOOP,   /* loops over (a[0], a[1]) with variable target; jumps if the interval is empty */
    RUN_NEXT,   /* jumps to the body for the next iteration; falls through after the last */
    RUN_ASSERT, /* jumps if a[0]; else the operands of the message follow, then RUN_REFUSE */
    RUN_REFUSE, /* fails with the assertion's error and the numbers a[0], .. */
    RUN_END
} RunCode;

typedef struct RunInstruction {
    RunCode code;
    uint16_t op, component;
    Type type;           /* type of the target */
    Operation operation; /* for RUN_APPLY */
    int target;          /* a register */
    int first, count;    /* its arguments: arguments.data[first .. first + count) */
    int object;          /* number of a func, an image, a loop or an extern store */
    size_t jump;
    const Stmt *stmt; /* the statement that the instruction belongs to */
} RunInstruction;

/* The value of a register at the start: a constant, or a startup variable. */
typedef struct RegisterStart {
    int target;
    Symbol variable; /* null for a constant */
    Bits bits;
} RegisterStart;

/* A loop, by number. If its iterations may run side by side, the lists say what they copy from the
 * thread that starts them. */
typedef struct RunLoop {
    bool unordered;
    Vec(int) registers; /* set outside the body and read in it; without start registers */
    Vec(int) funcs;     /* funcs whose memory the body accesses */
} RunLoop;

/* The store of an extern stage: how one element is read or written. These instructions are in no
 * list; before each, its registers are set. */
typedef struct RunExtern {
    const Stmt *stmt;
    ExternParts parts;
    hlc_extern_rule *rules;
    RunInstruction *reads; /* by part; unset for a scalar */
    RunInstruction store;
} RunExtern;

typedef struct RunProgram {
    Vec(RunInstruction) instructions;
    Vec(int) arguments;
    Vec(Type) registers; /* the type of each */
    Vec(RegisterStart) starts;
    Vec(RunLoop) loops;
    Vec(RunExtern) externs;
    bool unordered; /* does the program contain such a loop? */
    bool updates;   /* does the program contain an atomic store? */
} RunProgram;

/* Compiles a program without holes. Funcs and images are numbered as in the signature. */
RunProgram *run_compile(const Program *program, Arena *arena);

#endif
