// The corner response of bench/harris.hl.
#include "peer.h"

static AddPeer harris("harris", [] {
    const int V = lanes(Float(32));
    ImageParam in(Float(32), 3, "in");
    Var x("x"), y("y"), yo("yo"), yi("yi");
    Func grey("grey"), ix("ix"), iy("iy"), out("out");
    grey(x, y) = 0.299f * in(x, y, 0) + 0.587f * in(x, y, 1) + 0.114f * in(x, y, 2);
    auto g = [&](int a, int b) { return grey(x + a, y + b); };
    ix(x, y) = (g(1, -1) - g(-1, -1) + 2.0f * (g(1, 0) - g(-1, 0)) + g(1, 1) - g(-1, 1)) * (1 / 12.0f);
    iy(x, y) = (g(-1, 1) - g(-1, -1) + 2.0f * (g(0, 1) - g(0, -1)) + g(1, 1) - g(1, -1)) * (1 / 12.0f);
    auto nine = [&](Func a, Func b) {
        Expr e = 0.0f;
        for (int v = -1; v <= 1; v++)
            for (int u = -1; u <= 1; u++)
                e = e + a(x + u, y + v) * b(x + u, y + v);
        return e;
    };
    Func sxx("sxx"), syy("syy"), sxy("sxy");
    sxx(x, y) = nine(ix, ix), syy(x, y) = nine(iy, iy), sxy(x, y) = nine(ix, iy);
    Expr trace = sxx(x, y) + syy(x, y);
    out(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y) - 0.04f * trace * trace;
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    out.split(y, yo, yi, 32).parallel(yo).vectorize(x, V);
    grey.store_at(out, yo).compute_at(out, yi).vectorize(x, V);
    ix.store_at(out, yo).compute_at(out, yi).vectorize(x, V);
    iy.store_at(out, yo).compute_at(out, yi).vectorize(x, V).compute_with(ix, x);
    return Peer{Pipeline(out), {in}};
});
