// The unsharp mask of bench/unsharp.hl.
#include "peer.h"

static Expr seven(Func f, Expr x, Expr y, int dx, int dy) {
    auto at = [&](int k) { return f(x + k * dx, y + k * dy); };
    return 0.26596152f * at(0) + 0.21296534f * (at(-1) + at(1)) + 0.10934005f * (at(-2) + at(2)) +
           0.03599398f * (at(-3) + at(3));
}

static AddPeer unsharp("unsharp", [] {
    const int V = lanes(Float(32));
    ImageParam in(Float(32), 3, "in");
    Var x("x"), y("y"), c("c"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
    Func src = BoundaryConditions::repeat_edge(in);
    Func grey("grey"), down("down"), across("across"), ratio("ratio"), out("out");
    grey(x, y) = 0.299f * src(x, y, 0) + 0.587f * src(x, y, 1) + 0.114f * src(x, y, 2);
    down(x, y) = seven(grey, x, y, 0, 1);
    across(x, y) = seven(down, x, y, 1, 0);
    ratio(x, y) = (2.0f * grey(x, y) - across(x, y)) / grey(x, y);
    out(x, y, c) = ratio(x, y) * src(x, y, c);
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    out.bound(c, 0, 3).split(y, yo, yi, 32).split(x, xo, xi, V).reorder(xi, c, xo, yi, yo);
    out.parallel(yo).vectorize(xi).unroll(c);
    grey.store_at(out, yo).compute_at(out, yi).fold_storage(y, 8).vectorize(x, V);
    down.compute_at(out, yi).vectorize(x, V);
    ratio.compute_at(out, yi).vectorize(x, V);
    in.dim(0).set_min(0).set_stride(1).dim(1).set_min(0).dim(2).set_bounds(0, 3);
    return Peer{Pipeline(out), {in}};
});
