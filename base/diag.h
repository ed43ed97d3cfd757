/* diag.h -- messages to the user.  Every message has a place, a reason, a remedy and a stable code.
 *
 * The table is diag.def.  The text of a message has the holes %1 .. %9, filled with strings.  The
 * context collects the reports, and the owner of the output prints them; the library never prints.
 * The user's mistake is a report.  Our own mistake is `hlc_assert`, which names the invariant and
 * ends the library entry in progress.
 */
#ifndef HLC_BASE_DIAG_H
#define HLC_BASE_DIAG_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdio.h>

/* A stretch of source text.  `line` and `column` count from 1, `column` in bytes; line 0 is
 * nowhere. `file` indexes the context's files. */
typedef struct Place {
    uint32_t file, line, column, length;
} Place;

/* What made a text at compile time: a round of a loop, an instance of a template, a call of a
 * helper; innermost first. */
typedef struct Use {
    Place place;
    const char *text; /* `k = 3`, `g[3] = down(..)` */
    const struct Use *outer;
} Use;

#define NOWHERE ((Place){0, 0, 0, 0})

typedef enum DiagCode {
#define DIAG(NAME, CODE, SEVERITY, MESSAGE, REMEDY) DIAG_##NAME,
#include "base/diag.def"
#undef DIAG
    DIAG_COUNT
} DiagCode;

typedef enum Severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE } Severity;

typedef struct DiagInfo {
    const char *name, *code;
    Severity severity;
    const char *message, *remedy;
} DiagInfo;

/* What the user wants of a warning or note: as it is, an error, or not at all. */
typedef enum Attitude { ATTITUDE_REPORT, ATTITUDE_DENY, ATTITUDE_ALLOW } Attitude;

typedef struct Report {
    DiagCode code;
    Severity severity; /* of the code, unless it is denied */
    Place place;
    const char *message, *remedy; /* with the holes filled; the remedy may be empty */
    const Use *use;               /* null: the text stands where it was written */
} Report;

typedef Vec(Report) Reports;

struct Context;

const DiagInfo *diag_info(DiagCode code);

/* Records a report; the arguments are strings for the holes %1, %2, ...  Identical reports at one
 * place are recorded once.  After 100 errors the rest are counted, not kept; likewise warnings. A
 * warning or note that is allowed (Context.attitudes, base/allow.h) is dropped.  Returns false, so
 * that a check that fails ends with `return diag(..)`. */
#define diag(context, code, place, ...)                                                            \
    diag_report_((context), (code), (place), (const char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

void diag_record_(struct Context *context, DiagCode code, Place place,
                  const char *const *arguments);
static inline bool diag_report_(struct Context *context, DiagCode code, Place place,
                                const char *const *arguments) {
    diag_record_(context, code, place, arguments);
    return false;
}

/* Records a report whose texts are filled in, and copied. */
void diag_add(struct Context *context, DiagCode code, Place place, const char *message,
              const char *remedy);

/* Errors so far. */
size_t diag_error_count(const struct Context *context);

/* What has been reported so far. An attempt that may fail in silence drops what it reported since. */
typedef struct DiagMark {
    size_t reports, errors, warnings;
} DiagMark;
DiagMark diag_mark(const struct Context *context);
void diag_drop(struct Context *context, DiagMark since);

/* Prints one report: `FILE:LINE:COLUMN: error[E0101]: message`, the source line, a caret under the
 * stretch, and `help: remedy`, and
 * the chain of uses. */
void diag_print(const struct Context *context, const Report *report, FILE *out);
void diag_print_all(const struct Context *context, FILE *out);

/* An invariant of ours; the text names it.  Kept in release builds: a wrong pixel is worse.
 *
 * Where a library entry is in progress on this thread, control leaves through its
 * Memory.on_failure, and Context.broken says what does not hold.  Elsewhere (a tool, a test, the
 * worker) the invariant is printed and the process aborts.  No frame of LLVM or isl and no lock
 * may lie between an entry and an assertion: callbacks of theirs assert nothing. */
#define hlc_assert(condition, invariant)                                                           \
    ((condition) ? (void)0 : diag_broken_invariant(__FILE__, __LINE__, (invariant)))
_Noreturn void diag_broken_invariant(const char *file, int line, const char *invariant);

typedef struct BrokenInvariant {
    const char *file, *invariant; /* null: all hold */
    int line;
} BrokenInvariant;

/* From now on this thread's broken invariants leave through `context` (null: they abort).  Returns
 * the context of before, which the caller puts back. */
struct Context *diag_enter(struct Context *context);

#endif
