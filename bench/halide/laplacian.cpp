// The local Laplacian filter of bench/laplacian.hl.
#include "peer.h"

static const int J = 8, K = 8;
static Var x("x"), y("y"), k("k"), c("c"), yi("yi");

static Func down(Func f, const std::string &name, bool tones) {
    Func half(name);
    auto line = [&](Expr row) {
        auto p = [&](int d) { return tones ? f(2 * x + d, row, k) : f(2 * x + d, row); };
        return p(-1) + 3.0f * (p(0) + p(1)) + p(2);
    };
    Expr e = (line(2 * y - 1) + 3.0f * (line(2 * y) + line(2 * y + 1)) + line(2 * y + 2)) * (1 / 64.0f);
    if (tones)
        half(x, y, k) = e;
    else
        half(x, y) = e;
    return half;
}

static Expr up(Func f, Expr tone) {
    Expr xf = x / 2, yf = y / 2, xs = x / 2 - 1 + 2 * (x % 2), ys = y / 2 - 1 + 2 * (y % 2);
    auto p = [&](Expr a, Expr b) { return tone.defined() ? f(a, b, tone) : f(a, b); };
    return 0.5625f * p(xf, yf) + 0.1875f * (p(xs, yf) + p(xf, ys)) + 0.0625f * p(xs, ys);
}

static AddPeer laplacian("laplacian", [] {
    const int V = lanes(Float(32));
    ImageParam in(Float(32), 3, "in");
    Func src("src"), grey("grey"), detail("detail"), out("out");
    Expr i = cast<float>(k) / 256.0f;
    detail(k) = (1 / 7.0f) * i * exp(-i * i / 2.0f);
    src(x, y, c) = BoundaryConditions::repeat_edge(in)(x, y, c);
    grey(x, y) = 0.299f * src(x, y, 0) + 0.587f * src(x, y, 1) + 0.114f * src(x, y, 2);
    std::vector<Func> p(J), l(J), g(J), chosen(J), v(J);
    for (int j = 0; j < J; j++) {
        std::string level = std::to_string(j);
        g[j] = j ? down(g[j - 1], "g" + level, false) : grey;
        if (j) {
            p[j] = down(p[j - 1], "p" + level, true);
        } else {
            Expr tone = k * (1.0f / (K - 1)), place = clamp(cast<int>(grey(x, y) * (K - 1) * 256.0f), 0, (K - 1) * 256);
            p[0](x, y, k) = (grey(x, y) - tone) + tone + detail(place - 256 * k);
        }
    }
    for (int j = J - 1; j >= 0; j--) {
        l[j](x, y, k) = j == J - 1 ? Expr(p[j](x, y, k)) : p[j](x, y, k) - up(p[j + 1], k);
        Expr height = clamp(g[j](x, y), 0.0f, 1.0f) * (K - 1), lower = clamp(cast<int>(height), 0, K - 2);
        Expr share = height - lower;
        chosen[j](x, y) = (1.0f - share) * l[j](x, y, lower) + share * l[j](x, y, lower + 1);
        v[j](x, y) = j == J - 1 ? Expr(chosen[j](x, y)) : up(v[j + 1], Expr()) + chosen[j](x, y);
    }
    out(x, y, c) = clamp(v[0](x, y) * (src(x, y, c) + 0.01f) / (grey(x, y) + 0.01f), 0.0f, 1.0f);
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    out.bound(c, 0, 3).split(y, y, yi, 32).reorder(x, c, yi, y).parallel(y).vectorize(x, V).unroll(c);
    v[0].compute_at(out, yi).vectorize(x, V);
    grey.compute_root().split(y, y, yi, 32).parallel(y).vectorize(x, V);
    detail.compute_root().vectorize(k, V);
    for (int j = 1; j < J; j++) {
        bool large = j < 5;
        g[j].compute_root().vectorize(x, large ? V : 4);
        p[j].compute_root().reorder(x, y, k).vectorize(x, large ? V : 4);
        v[j].compute_root().vectorize(x, large ? V : 4);
        if (!large)
            continue;
        for (Func f : {g[j], v[j]})
            f.split(y, y, yi, 16).parallel(y);
        p[j].reorder(x, k, y).split(y, y, yi, 8).reorder(x, yi, k, y).parallel(y);
    }
    p[0].in(p[1]).store_at(p[1], k).compute_at(p[1], yi).vectorize(x, V); // and again where it is looked up
    return Peer{Pipeline(out), {in}};
});
