// The recursive blur of bench/recursive.hl.
#include "peer.h"

static const float A = 0.3f;

static Func scanned(Func f, Expr height) {
    const int V = lanes(Float(32)), BAND = 4;
    Var x("x"), y("y"), c("c"), yo("yo"), yi("yi"), xo("xo"), xi("xi");
    Func scan("scan"), turned("turned");
    RDom r(1, height - 1);
    scan(x, y, c) = undef<float>();
    scan(x, 0, c) = f(x, 0, c);
    scan(x, r, c) = (1 - A) * scan(x, r - 1, c) + A * f(x, r, c);
    Expr up = height - 1 - r;
    scan(x, up, c) = (1 - A) * scan(x, up + 1, c) + A * scan(x, up, c);
    turned(x, y, c) = scan(y, x, c);
    if (peer_is_bare())
        return turned;
    turned.compute_root().split(y, yo, yi, BAND * V).split(x, xo, xi, V).reorder(xi, yi, xo, yo, c);
    turned.vectorize(xi).unroll(yi, 4).parallel(yo).parallel(c);
    scan.compute_at(turned, yo).bound_extent(x, BAND * V);
    scan.update(0).vectorize(x, V);
    for (int i = 1; i < 3; i++)
        scan.update(i).reorder(x, r).vectorize(x, V).unroll(x);
    return turned;
}

static AddPeer recursive("recursive", [] {
    ImageParam in(Float(32), 3, "in");
    Func f("f");
    Var x("x"), y("y"), c("c");
    f(x, y, c) = in(x, y, c);
    Func out = scanned(scanned(f, in.height()), in.width());
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    out.output_buffer().dim(0).set_stride(1);
    in.dim(0).set_min(0).dim(1).set_min(0);
    return Peer{Pipeline(out), {in}};
});
