/* certify_report.h -- the output of `hlc certify`. */
#ifndef HLC_LIBRARY_SHOW_CERTIFY_REPORT_H
#define HLC_LIBRARY_SHOW_CERTIFY_REPORT_H

#include "library/compiler.h"

#include "checkers/certify/certificate.h"

/* Prints one line for each obligation, with its counterexample below if it is refuted; and the
 * counts. */
void certify_report(hlc *h, const Certification *certification, const Program *program, bool json,
                    FILE *out);

/* Prints a summary of a written certificate. */
void certify_report_certificate(const Certification *certification,
                                const CertificateResult *written, bool json, FILE *out);

#endif
