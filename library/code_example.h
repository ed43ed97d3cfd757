/* code_example.h -- the table of examples of diagnostics, made at build time of tests/error/ by
 * tests/error/examplec.c.
 */
#ifndef HLC_LIBRARY_CODE_EXAMPLE_H
#define HLC_LIBRARY_CODE_EXAMPLE_H

/* A program, or a command line behind "$ ", that provokes the code, what hlc says, and the same
 * mended ("\n" where there is none).  All end with a line break. */
typedef struct CodeExample {
    const char *code, *wrong, *said, *mended;
} CodeExample;

/* Ends with a row whose code is null. */
extern const CodeExample CODE_EXAMPLES[];

#endif
