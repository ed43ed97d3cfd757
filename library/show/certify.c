/* certify.c -- hlc_certify: proves B(S) of a lowered program for all inputs. */
#include "library/show/certify_report.h"

#include "checkers/certify/certificate.h"
#include "ir/print.h"

#include <string.h>

static bool known_value(void *data, Symbol name, Bits *bits) {
    return data && arguments_known(data, name, bits);
}

/* Certifies the program with its holes filled and its assertions, before it is simplified; or the
 * loaded program, if it is a target program. */
static Certification *certify(hlc *h, const ShowRequest *request, const CertifyOptions *options,
                              const Program **program) {
    *program = h->program;
    if (h->program) {
        bool found = compiler_program_is(h, request->pipeline) &&
                     compiler_loaded_program(h, request->schedule);
        return found ? certify_program(h->program, NULL, NULL, h->scratch, options) : NULL;
    }
    const Pipeline *pipeline = compiler_pipeline(h, request->pipeline);
    const Schedule *schedule;
    if (!pipeline || !compiler_schedule(h, pipeline, request->schedule, &schedule))
        return NULL;
    LowerOptions plain = {.last = PASS_CHECKS, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, schedule, h->scratch, &plain);
    if (!lowered || !compiler_accepts(h, pipeline, request->schedule))
        return NULL;
    *program = lowered->program;
    return certify_program(lowered->program, lowered->pipeline, &lowered->primitives, h->scratch,
                           options);
}

static hlc_status certify_entry(hlc *h, void *data) {
    const ShowRequest *request = data;
    static const hlc_certify_options standard;
    const hlc_certify_options *wanted = request->certify ? request->certify : &standard;
    const char *solver = wanted->solver ? wanted->solver : "z3";
    CertifyOptions options = {.solver = solver,
                              .running = &h->solver,
                              .value = known_value,
                              .data = (void *)request->fixed};
    const Program *program;
    Certification *certification = certify(h, request, &options, &program);
    if (!certification)
        return HLC_USER;
    certify_report(h, certification, program, wanted->json, request->out);
    if (certification->count[FINDING_REFUTED])
        return HLC_NO;
    bool missing = certification->solver_missing;
    if (wanted->certificate && !missing) {
        CertificateResult written =
            certificate_write(wanted->certificate, certification, h->scratch, &options);
        missing = written.solver_gone;
        if (!missing)
            certify_report_certificate(certification, &written, wanted->json, request->out);
    }
    if (missing)
        return compiler_solver_missing(h, solver);
    return certification->count[FINDING_OPEN] ? HLC_NO : HLC_YES;
}

hlc_status hlc_certify(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_certify_options *options, const hlc_arguments *fixed, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest request = {
        .pipeline = pipeline, .schedule = schedule, .certify = options, .fixed = fixed, .out = out};
    return compiler_enter(h, certify_entry, &request);
}

typedef struct CertifySetting {
    bool is_on;
    const char *solver;
} CertifySetting;

static hlc_status set_certify(hlc *h, void *data) {
    const CertifySetting *setting = data;
    const char *solver = setting->solver ? setting->solver : "z3";
    h->certifier = setting->is_on ? arena_text(h->arena, solver, strlen(solver)) : NULL;
    return HLC_YES;
}

hlc_status hlc_set_certify(hlc *h, bool is_on, const char *solver) {
    CertifySetting setting = {is_on, solver};
    return compiler_enter(h, set_certify, &setting);
}
