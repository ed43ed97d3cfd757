/* oracle.h -- runs one case in every way and compares. */
#ifndef HLC_FUZZ_ORACLE_H
#define HLC_FUZZ_ORACLE_H

#include "fuzz/case.h"

typedef enum Verdict {
    VERDICT_EQUAL,   /* every way gave the reference's answer */
    VERDICT_REFUSED, /* the compiler, or an entry check, refused with a reason */
    VERDICT_DIFFERS, /* a wrong value, an invariant of ours, or accepted what the reference refuses
                      */
    VERDICT_INVALID, /* the front end rejected the algorithm: the generator is wrong */
    VERDICT_CRASHED  /* the process died or hung (fuzz.c) */
} Verdict;

typedef struct CaseResult {
    Verdict verdict;
    char message[1000]; /* what differs where, or why it was refused */
} CaseResult;

CaseResult oracle_run(const Case *fuzz_case);

#endif
