/* printable.h -- which characters of a foreign text may go to a terminal.  Names of files, source
 * lines and messages of programs come from anywhere. */
#ifndef HLC_BASE_PRINTABLE_H
#define HLC_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Stands for a byte that is not UTF-8. */
#define NO_CHARACTER 0xFFFDu

/* Reads the UTF-8 character at `text`, which has `length` > 0 bytes, and returns how many it takes.
 * A byte that begins none counts alone, as NO_CHARACTER. */
size_t printable_read(const char *text, size_t length, uint32_t *character);
/* Does it control no terminal?  C0, DEL and C1 do (U+009B begins an escape sequence), and what
 * turns the direction of a line. */
bool printable_is(uint32_t character);
/* Print the text, or a line of `length` bytes, with `?` in place of each character that is not
 * printable.  Tabs stay, and of a text the ends of lines. */
void printable_print(const char *text, FILE *out);
void printable_line(const char *text, size_t length, FILE *out);

#endif
