/* printer.h -- inside the text form: the parts of print.c that print_program.c uses. */
#ifndef HLC_IR_PRINTER_H
#define HLC_IR_PRINTER_H

#include "ir/print.h"
#include "ir/walk.h"

/* Data of a node in the current statement, by node number. */
typedef struct PrinterMark {
    uint32_t epoch; /* the statement that the data belongs to; stale data has another epoch */
    uint32_t uses, depth;
    uint32_t label; /* n of `%n`; 0 if the node is printed in place */
    uint16_t next_argument;
} PrinterMark;

/* A part is text, or an expression in a context that binds as tightly as `precedence`. */
typedef struct PrinterPart {
    const char *text;
    Expr expr;
    int precedence;
    bool after_prefix; /* after a prefix operator, `-3` is not a literal */
} PrinterPart;

typedef Vec(PrinterPart) PrinterParts;

typedef struct TextPrinter {
    Arena *arena;
    Vec(char) text;
    PrinterParts parts; /* scratch for one node */
    PrinterMark *marks; /* null: print everything in place */
    uint32_t epoch;
    bool plain;    /* omit the types of constants */
    bool flat;     /* omit parentheses in chains of && and ||: nested ones are unreadable */
    Symbol toward; /* swap the operands of sums and comparisons if only the right one has this
                      variable */
} TextPrinter;

/* Appends the texts, one after the other. */
#define printer_put(printer, ...)                                                                  \
    printer_put_texts_((printer), (const char *const[]){__VA_ARGS__, NULL})
void printer_put_texts_(TextPrinter *printer, const char *const *texts);
/* Prints at most 127 bytes. Print names with `printer_put`. */
void printer_put_format(TextPrinter *printer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void printer_put_spaces(TextPrinter *printer, int count);
void printer_put_expr(TextPrinter *printer, Expr expr);
/* Prints a line `%n = ..` for each shared subexpression of one statement. */
void printer_put_shared(TextPrinter *printer, const Exprs *roots, int indentation);
/* The text omits parts of a program that others imply. The binder of a loop implies its name:
 * `h.s1.x'2` is <h, z0, s1, x>. loop_name_parse returns false if a binder implies none. The label
 * around a store implies its stage; `parent` is the statement around the store. */
bool loop_name_parse(Context *context, Symbol binder, LoopName *name);
int store_default_stage(const Stmt *parent);
/* Returns the whole text, zero-terminated. */
char *printer_text(TextPrinter *printer);

#endif
