/* code_example.h -- the table of examples of diagnostics, made at build time of tests/error/ by
 * tests/error/examplec.c.
 */
#ifndef HLC_LIBRARY_CODE_EXAMPLE_H
#define HLC_LIBRARY_CODE_EXAMPLE_H

/* A program, or a command line after "$ ", that provokes the code; hlc's output; and the mended
 * program ("\n" if there is none). All texts end with a line break. */
typedef struct CodeExample {
    const char *code, *wrong, *said, *mended;
} CodeExample;

/* Ends with a row whose code is null. */
extern const CodeExample CODE_EXAMPLES[];

#endif
