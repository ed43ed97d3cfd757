/* machine.c -- hlc_set_machine and hlc_print_machine. */
#include "library/schedule/machine.h"

const Machine *machine_of(hlc *h) {
    if (h->machine)
        return h->machine;
    Machine *machine = arena_new(h->scratch, Machine);
    *machine = machine_of_targets(h->targets);
    return machine;
}

typedef struct MachineText {
    const char *name, *text;
} MachineText;

static hlc_status set_machine(hlc *h, void *data) {
    const MachineText *request = data;
    h->machine = NULL;
    if (!request->text)
        return HLC_YES;
    Machine *machine = arena_new(h->arena, Machine);
    *machine = machine_of_targets(h->targets);
    int line;
    const char *fault = machine_from_text(request->text, machine, &line, h->scratch);
    if (fault) {
        diag(h->context, DIAG_MACHINE_TEXT, NOWHERE, request->name ? request->name : "the text",
             arena_format(h->scratch, "%d", line), fault);
        return HLC_USER;
    }
    h->machine = machine;
    return HLC_YES;
}

hlc_status hlc_set_machine(hlc *h, const char *name, const char *text) {
    MachineText request = {name, text};
    return compiler_enter(h, set_machine, &request);
}

typedef struct MachinePrint {
    bool json;
    FILE *out;
} MachinePrint;

static hlc_status print_machine(hlc *h, void *data) {
    const MachinePrint *request = data;
    (request->json ? machine_print_json : machine_print)(machine_of(h), request->out);
    return HLC_YES;
}

hlc_status hlc_print_machine(hlc *h, bool json, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    MachinePrint request = {json, out};
    return compiler_enter(h, print_machine, &request);
}
