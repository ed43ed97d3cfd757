/* printer.h -- inside the text form: the parts of print.c that print_program.c uses. */
#ifndef HLC_IR_PRINTER_H
#define HLC_IR_PRINTER_H

#include "ir/print.h"
#include "ir/walk.h"

/* The data of a node in the statement being printed, by node number. */
typedef struct PrinterMark {
    uint32_t epoch; /* another statement's number: no data */
    uint32_t uses, depth;
    uint32_t label; /* n of `%n`; 0: it is printed in place */
    uint16_t next_argument;
} PrinterMark;

/* A piece of text, or an expression in a context that binds as tightly as `precedence`. */
typedef struct PrinterPart {
    const char *text;
    Expr expr;
    int precedence;
    bool after_prefix; /* here `-3` is not a literal */
} PrinterPart;

typedef Vec(PrinterPart) PrinterParts;

typedef struct TextPrinter {
    Arena *arena;
    Vec(char) text;
    PrinterParts parts; /* scratch: one node's */
    PrinterMark *marks; /* null: everything is printed in place */
    uint32_t epoch;
    bool plain;    /* constants without their types */
    bool flat;     /* chains of && and || without parentheses: nested ones would be unreadable */
    Symbol toward; /* swap sums and comparisons with this variable only on the right */
} TextPrinter;

/* Appends the texts, one after the other. */
#define printer_put(printer, ...)                                                                  \
    printer_put_texts_((printer), (const char *const[]){__VA_ARGS__, NULL})
void printer_put_texts_(TextPrinter *printer, const char *const *texts);
/* At most 127 bytes: names go through `printer_put`. */
void printer_put_format(TextPrinter *printer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void printer_put_spaces(TextPrinter *printer, int count);
void printer_put_expr(TextPrinter *printer, Expr expr);
/* Prints lines `%n = ..` for the shared subexpressions of one statement. */
void printer_put_shared(TextPrinter *printer, const Exprs *roots, int indentation);
/* Parts of a program that the text leaves out because others imply them.  The binder of a loop
 * implies its name: `h.s1.x'2` is <h, z0, s1, x>; false if it implies none.  The label around a
 * store implies its stage; `parent` is the statement around it. */
bool loop_name_parse(Context *context, Symbol binder, LoopName *name);
int store_default_stage(const Stmt *parent);
/* The whole text, with its terminating zero. */
char *printer_text(TextPrinter *printer);

#endif
