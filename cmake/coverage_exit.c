/* coverage_exit.c -- in a build that counts lines, how a process writes its counts when it ends.
 *
 * What leaves by _exit would lose them (--wrap=_exit).  And processes that end may be killed while they write, as a
 * worker is whose answer is there, which leaves files of counts that nobody can read.  So a process of its own writes
 * them, which nobody knows. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
void __gcov_dump(void);

static void write_counts(void) {
    pid_t writer = fork();
    if (writer == 0) {
        setsid(); /* out of the group that may be killed */
        __gcov_dump();
        __real__exit(0);
    }
    if (writer > 0)
        waitpid(writer, NULL, 0);
    else
        __gcov_dump();
}

_Noreturn void __wrap__exit(int status) {
    write_counts();
    __real__exit(status);
}

/* Known to the process first, and so called last. */
static void leave(int status, void *data) {
    (void)data;
    fflush(NULL);
    __wrap__exit(status);
}

__attribute__((constructor)) static void begin(void) {
    on_exit(leave, NULL);
}
