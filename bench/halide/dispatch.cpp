// The parallel loops of bench/dispatch.hl.
#include "peer.h"

static AddPeer dispatch("dispatch", [] {
    Var x("x"), y("y");
    Func out("out");
    out(x, y) = x + y;
    out.parallel(x);
    return Peer{Pipeline(out), {}};
});
