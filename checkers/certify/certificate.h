/* certificate.h -- writes a certification as a file that anyone can check again with an SMT
 * solver. */
#ifndef HLC_CHECKERS_CERTIFY_CERTIFICATE_H
#define HLC_CHECKERS_CERTIFY_CERTIFICATE_H

#include "checkers/certify/certify.h"

#include <stdio.h>

typedef struct CertificateResult {
    size_t formulas;    /* each with the answer unsat */
    size_t chains;      /* parts of goals that were written as chains of rules */
    size_t uncertified; /* obligations with a proof that Z3 cannot check */
    bool solver_gone;   /* Z3 did not start, or ended: the output is of no use */
} CertificateResult;

/* Writes the proofs as SMT-LIB 2 (docs/certify.md).  The times in it differ from run to run. */
CertificateResult certificate_write(FILE *out, const Certification *certification, Arena *arena,
                                    const CertifyOptions *options);

#endif
