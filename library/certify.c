/* certify.c -- hlc_certify: B(S) of a lowered program, asked for all inputs at once. */
#include "library/certify_report.h"

#include "certify/certificate.h"

typedef struct Request {
    const char *pipeline, *schedule;
    const hlc_certify_options *options;
    const hlc_arguments *fixed;
    FILE *out;
} Request;

static bool known_value(void *data, Symbol name, Bits *bits) {
    return data && arguments_known(data, name, bits);
}

/* The program whose holes are filled and whose assertions stand, before it is simplified; the
 * loaded one, where that is a target program. */
static Certification *certify(hlc *h, const Request *request, const CertifyOptions *options) {
    if (h->program) {
        bool found = compiler_program_is(h, request->pipeline) &&
                     compiler_program(h, NULL, request->schedule);
        return found ? certify_program(h->program, NULL, NULL, h->scratch, options) : NULL;
    }
    const Pipeline *pipeline = compiler_pipeline(h, request->pipeline);
    Lowered *lowered =
        pipeline ? compiler_lower(h, pipeline, request->schedule, PASS_CHECKS, SIZE_MAX) : NULL;
    return lowered ? certify_program(lowered->program, lowered->pipeline, &lowered->primitives,
                                     h->scratch, options)
                   : NULL;
}

static hlc_status certify_entry(hlc *h, void *data) {
    const Request *request = data;
    const char *solver = request->options->solver ? request->options->solver : "z3";
    CertifyOptions options = {
        .solver = solver, .value = known_value, .data = (void *)request->fixed};
    Certification *certification = certify(h, request, &options);
    if (!certification)
        return HLC_USER;
    certify_report(h, certification, request->options->json, request->out);
    if (certification->count[FINDING_REFUTED])
        return HLC_NO;
    bool missing = certification->solver_missing;
    if (request->options->certificate && !missing) {
        CertificateResult written =
            certificate_write(request->options->certificate, certification, h->scratch, &options);
        missing = written.solver_gone;
        if (!missing)
            certify_report_certificate(certification, &written, request->options->json,
                                       request->out);
    }
    if (missing) {
        diag(h->context, DIAG_SOLVER_MISSING, NOWHERE, solver);
        h->failure = HLC_WORLD;
        return HLC_USER;
    }
    return certification->count[FINDING_OPEN] ? HLC_NO : HLC_YES;
}

hlc_status hlc_certify(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_certify_options *options, const hlc_arguments *fixed, FILE *out) {
    Request request = {pipeline, schedule, options, fixed, out};
    return compiler_enter(h, certify_entry, &request);
}
