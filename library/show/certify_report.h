/* certify_report.h -- what `hlc certify` prints. */
#ifndef HLC_LIBRARY_CERTIFY_REPORT_H
#define HLC_LIBRARY_CERTIFY_REPORT_H

#include "library/compiler.h"

#include "checkers/certify/certificate.h"

/* Each obligation, a line, with its counterexample below where it is refuted; and the counts. */
void certify_report(hlc *h, const Certification *certification, bool json, FILE *out);

/* What has been written into a certificate. */
void certify_report_certificate(const Certification *certification,
                                const CertificateResult *written, bool json, FILE *out);

#endif
