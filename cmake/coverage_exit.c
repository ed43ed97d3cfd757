/* coverage_exit.c -- in a build that counts lines, what leaves by _exit writes its counts first (--wrap=_exit). */
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
void __gcov_dump(void);

_Noreturn void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}
