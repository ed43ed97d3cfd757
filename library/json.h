/* json.h -- what is printed as JSON: one object a line, the first member its kind. */
#ifndef HLC_LIBRARY_JSON_H
#define HLC_LIBRARY_JSON_H

#include <stdio.h>

/* The text in quotes. */
void json_text(const char *text, FILE *out);
/* {"kind":"KIND" */
void json_begin(const char *kind, FILE *out);
/* ,"NAME":"TEXT"; `text` null is null. */
void json_member(const char *name, const char *text, FILE *out);
/* } and the end of the line. */
void json_end(FILE *out);

#endif
