// The chain of stencils of bench/stencil.hl.
#include "peer.h"

static const int STAGES = 16;

static int weight(int u, int v) {
    return (3 - std::abs(u)) * (u + 4) + (v + 5) * (3 - std::abs(v));
}

static Peer stencil(bool slide, int tx, int ty, int group) {
    const int V = lanes(UInt(16));
    ImageParam in(UInt(16), 2, "in");
    Var x("x"), y("y"), xi("xi"), yi("yi");
    std::vector<Func> f(1, Func("s0"));
    f[0](x, y) = BoundaryConditions::repeat_edge(in)(x, y);
    for (int s = 1; s <= STAGES; s++) {
        Func g("s" + std::to_string(s));
        Expr e = u16(0);
        for (int v = -2; v <= 2; v++)
            for (int u = -2; u <= 2; u++)
                e += u16(weight(u, v)) * f.back()(x + u, y + v);
        g(x, y) = e;
        f.push_back(g);
    }
    if (peer_is_bare())
        return {Pipeline(f.back()), {in}};
    for (int s = STAGES; s > 0; s -= group) {
        Func g = f[s];
        if (s != STAGES)
            g.compute_root();
        g.tile(x, y, xi, yi, tx, ty).vectorize(xi, V).parallel(y);
        for (int k = s - 1; k > s - group && k > 0; k--) {
            if (slide)
                f[k].store_at(g, x).compute_at(g, yi).vectorize(x, V);
            else
                f[k].compute_at(g, x).vectorize(x, V);
        }
        if (s - group <= 0)
            f[0].compute_at(g, x).vectorize(x, V);
    }
    return {Pipeline(f.back()), {in}};
}

static AddPeer tiles("stencil_tiles", [] { return stencil(false, 512, 96, 8); });
static AddPeer columns("stencil_columns", [] { return stencil(true, 640, 384, 16); });
