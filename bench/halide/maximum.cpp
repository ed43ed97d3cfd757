// The maxima of bench/maximum.hl.
#include "peer.h"

static const int R = 26;

static int half(int u) {
    return (int)std::sqrt((R + 0.25) * (R + 0.25) - u * u);
}

static int log2_of(int n) {
    int k = 0;
    while ((2 << k) <= n)
        k++;
    return k;
}

// f[k](x, y) is the maximum of 2^k places.
static std::vector<Func> doubled(Func first, int dx, int dy, const char *name) {
    Var x("x"), y("y");
    std::vector<Func> f(1, first);
    for (int k = 1; k <= 5; k++) {
        f.push_back(Func(name + std::to_string(k)));
        int far = 1 << (k - 1);
        f[k](x, y) = max(f[k - 1](x, y), f[k - 1](x + far * dx, y + far * dy));
    }
    return f;
}

static Peer maximum(Type type, bool disc) {
    const int V = lanes(type);
    ImageParam in(type, 2, "in");
    Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
    Func m0("m0"), h0("h0"), out("out");
    m0(x, y) = BoundaryConditions::repeat_edge(in)(x, y);
    std::vector<Func> m = doubled(m0, 0, 1, "m"), h;
    if (disc) {
        Expr e;
        for (int u = -R; u <= R; u++) {
            int n = half(u), k = log2_of(2 * n + 1);
            Expr column = max(m[k](x + u, y - n), m[k](x + u, y + n + 1 - (1 << k)));
            e = e.defined() ? max(e, column) : column;
        }
        out(x, y) = e;
    } else {
        h0(x, y) = max(m[5](x, y - R), m[5](x, y + R - 31));
        h = doubled(h0, 1, 0, "h");
        out(x, y) = max(h[5](x - R, y), h[5](x + R - 31, y));
    }
    if (peer_is_bare())
        return {Pipeline(out), {in}};
    if (disc) {
        out.tile(x, y, xo, yo, xi, yi, 8 * V, 64).vectorize(xi, V).parallel(yo);
        for (Func f : m)
            f.compute_at(out, xo).vectorize(x, V);
    } else {
        out.split(y, yo, yi, 64).vectorize(x, V).parallel(yo);
        for (Func f : m)
            f.store_at(out, yo).compute_at(out, yi).vectorize(x, V);
        for (Func f : h)
            f.compute_at(out, yi).vectorize(x, V);
    }
    return {Pipeline(out), {in}};
}

static AddPeer disc_u8("max_disc_u8", [] { return maximum(UInt(8), true); });
static AddPeer disc_f32("max_disc_f32", [] { return maximum(Float(32), true); });
static AddPeer square_u8("max_square_u8", [] { return maximum(UInt(8), false); });
static AddPeer square_f32("max_square_f32", [] { return maximum(Float(32), false); });
