// The convolution layer of bench/conv.hl.
#include "peer.h"

static AddPeer conv("conv", [] {
    const int V = lanes(Float(32)), CI = 64, CO = 64, S = 56, N = 4;
    ImageParam in(Float(32), 4, "in"), w(Float(32), 4, "w"), b(Float(32), 1, "b");
    Var c("c"), x("x"), y("y"), n("n"), co("co"), ci("ci"), xo("xo"), xi("xi"), yn("yn");
    RDom r(0, CI, 0, 3, 0, 3);
    Func sum("sum"), out("out");
    sum(c, x, y, n) = b(c);
    sum(c, x, y, n) += w(c, r.y, r.z, r.x) * in(r.x, x + r.y, y + r.z, n);
    out(c, x, y, n) = max(sum(c, x, y, n), 0.0f);
    if (peer_is_bare())
        return Peer{Pipeline(out), {in, w, b}};
    out.bound(c, 0, CO).bound(x, 0, S).bound(y, 0, S).bound(n, 0, N);
    out.split(c, co, ci, 2 * V).split(x, xo, xi, 8).reorder(ci, xi, xo, y, n, co);
    out.vectorize(ci, V).unroll(ci).unroll(xi).fuse(y, n, yn).parallel(yn);
    sum.compute_at(out, xo).vectorize(c, V).unroll(c).unroll(x);
    sum.update().reorder(c, x, r.x, r.y, r.z, y, n).vectorize(c, V).unroll(c).unroll(x).unroll(r.x, 2);
    in.dim(0).set_bounds(0, CI).dim(1).set_bounds(0, S + 2).set_stride(CI);
    in.dim(2).set_bounds(0, S + 2).set_stride(CI * (S + 2));
    in.dim(3).set_bounds(0, N).set_stride(CI * (S + 2) * (S + 2));
    w.dim(0).set_bounds(0, CO).dim(1).set_bounds(0, 3).set_stride(CO).dim(2).set_bounds(0, 3).set_stride(3 * CO);
    w.dim(3).set_bounds(0, CI).set_stride(9 * CO);
    b.dim(0).set_bounds(0, CO);
    return Peer{Pipeline(out), {in, w, b}};
});
