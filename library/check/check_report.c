/* check_report.c -- prints one kind of line in each function; docs/commands.md lists the objects.
 */
#include "library/check/check_report.h"

#include "library/json.h"

#include <inttypes.h>

static const char *schedule_text(const CheckReport *report) {
    return report->schedule ? report->schedule : "the empty schedule";
}

/* {"kind":K,"pipeline":P,"schedule":S -- null for the empty one */
static void begin_object(const CheckReport *report, const char *kind) {
    json_begin(kind, report->out);
    json_member("pipeline", report->pipeline, report->out);
    json_member("schedule", report->schedule, report->out);
}

void check_report_counts(const CheckReport *report, const CheckCounts *counts, const char *refusal,
                         bool alone) {
    const char *by = alone ? "but not by the reference" : "by the reference too";
    if (!report->json) {
        fprintf(report->out, "%s: %s: %" PRId64 " runs, %" PRId64 " points, %" PRId64 " refused\n",
                report->pipeline, schedule_text(report), counts->runs, counts->points,
                counts->refused);
        if (refusal)
            fprintf(report->out, "  refused, %s, for example: %s\n", by, refusal);
        return;
    }
    begin_object(report, "counts");
    fprintf(report->out,
            ",\"runs\":%" PRId64 ",\"compared\":%" PRId64 ",\"points\":%" PRId64
            ",\"refused\":%" PRId64,
            counts->runs, counts->compared, counts->points, counts->refused);
    if (refusal) {
        json_member("refusal", refusal, report->out);
        fprintf(report->out, ",\"reference_refuses\":%s", alone ? "false" : "true");
    }
    json_end(report->out);
}

void check_report_order(const CheckReport *report, bool by_reference) {
    const char *with = by_reference ? "the reference of the algorithm with its rfactors"
                                    : "the target program of an earlier pass";
    if (!report->json) {
        fprintf(report->out, "  floats are added in another order: equal, bit for bit, to %s\n",
                with);
        return;
    }
    begin_object(report, "order");
    fprintf(report->out, ",\"by_reference\":%s}\n", by_reference ? "true" : "false");
}

void check_report_reassociated(const CheckReport *report, const char *func, const char *obstacle,
                               int64_t points, double difference, double allowed) {
    if (report->json) {
        begin_object(report, "reassociated");
        json_member("func", func, report->out);
        fprintf(report->out, ",\"elements\":%" PRId64 ",\"difference\":%.3g,\"allowed\":%.3g",
                points, difference, allowed);
        if (obstacle)
            json_member("obstacle", obstacle, report->out);
        json_end(report->out);
    } else if (obstacle) {
        fprintf(report->out, "  %s: not compared with the order of the algorithm: %s\n", func,
                obstacle);
    } else if (points == 0) {
        fprintf(report->out, "  %s: no element was compared with the order of the algorithm\n",
                func);
    } else if (difference > 0) {
        fprintf(report->out,
                "  %s: %" PRId64 " elements compared with the order of the algorithm; the closest "
                "to its bound differs by %.3g, and %.3g is allowed\n",
                func, points, difference, allowed);
    } else {
        fprintf(report->out,
                "  %s: %" PRId64 " elements compared with the order of the algorithm: the same\n",
                func, points);
    }
}

void check_report_not_compiled(const CheckReport *report) {
    if (!report->json) {
        fprintf(report->out, "%s: %s: refused by the compiler\n", report->pipeline,
                schedule_text(report));
        return;
    }
    begin_object(report, "not compiled");
    json_end(report->out);
}

void check_report_difference(const CheckReport *report, const char *machine, const char *what,
                             const char *arguments) {
    if (!report->json) {
        fprintf(report->out, "DIFFERENT: pipeline %s, schedule %s, %s: %s\n  arguments: %s\n",
                report->pipeline, schedule_text(report), machine, what, arguments);
        return;
    }
    begin_object(report, "difference");
    json_member("machine", machine, report->out);
    json_member("what", what, report->out);
    json_member("arguments", arguments, report->out);
    json_end(report->out);
}

void check_report_note(const CheckReport *report, const char *what, const char *arguments) {
    if (!report->json) {
        fprintf(report->out, "note: %s; arguments: %s\n", what, arguments);
        return;
    }
    begin_object(report, "note");
    json_member("what", what, report->out);
    json_member("arguments", arguments, report->out);
    json_end(report->out);
}

static const char *verdict_text(int64_t points, hlc_status status) {
    if (status == HLC_NO || status == HLC_FAULT)
        return ", not all equal";
    if (points == 0)
        return "";
    return status == HLC_YES ? ", all equal" : ", none different, but not under every schedule";
}

void check_report_verdict(const CheckReport *report, int64_t points, hlc_status status) {
    if (report->json)
        fprintf(report->out, "{\"kind\":\"verdict\",\"points\":%" PRId64 ",\"equal\":%s}\n", points,
                status == HLC_YES ? "true" : "false");
    else
        fprintf(report->out, "%" PRId64 " points compared%s\n", points,
                verdict_text(points, status));
}
