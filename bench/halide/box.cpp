// The box blur of bench/box.hl.
#include "peer.h"

static AddPeer box("box", [] {
    const int V = lanes(Int(32));
    ImageParam in(Int(32), 2, "in");
    Param<int> w("w", 3, 0, 64);
    w.set_estimate(3);
    Var x("x"), y("y"), xi("xi"), yi("yi"), u("u");
    RDom r(-w, 2 * w + 1);
    Func across("across"), down("down"), out("out");
    across(x, y) += in(x + r, y);
    down(x, y) += across(x, y + r);
    out(x, y) = down(x, y);
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    out.tile(x, y, xi, yi, 512, 48).split(xi, u, xi, 4 * V).vectorize(xi, V).unroll(xi).parallel(y);
    across.compute_at(out, x).vectorize(x, V);
    across.update().split(x, x, xi, 4 * V).reorder(xi, r, x, y).vectorize(xi, V).unroll(xi);
    down.compute_at(out, u).vectorize(x, V).unroll(x);
    down.update().reorder(x, r, y).vectorize(x, V).unroll(x);
    return Peer{Pipeline(out), {in}};
});
