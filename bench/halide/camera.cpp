// The camera pipe of bench/camera.hl.
#include "peer.h"

static Var x("x"), y("y"), c("c"), yo("yo"), yi("yi"), i("i");

static Expr avg(Expr a, Expr b) {
    return cast<uint16_t>((cast<uint32_t>(a) + b + 1) / 2);
}

static Expr dist(Expr a, Expr b) {
    return cast<uint16_t>(absd(a, b));
}

static Expr fix(Expr v, Expr g, Expr g0, Expr g1) {
    return cast<uint16_t>(clamp(cast<int32_t>(v) + cast<int32_t>(g) - cast<int32_t>(avg(g0, g1)), 0, 1023));
}

static Expr weave(Func p, Func q, Func s, Func t) {
    Expr X = x / 2, Y = y / 2;
    return select(y % 2 == 0, select(x % 2 == 0, p(X, Y), q(X, Y)), select(x % 2 == 0, s(X, Y), t(X, Y)));
}

static AddPeer camera("camera", [] {
    const int V = lanes(UInt(16));
    ImageParam in(UInt(16), 2, "in"), cm(Float(32), 2, "cm");
    Func raw("raw"), hot("hot"), d("d"), matrix("matrix"), corr("corr"), curve("curve"), out("out"), dem("dem");
    raw(x, y) = in(x + 16, y + 16);
    hot(x, y) = min(max(max(raw(x - 2, y), raw(x + 2, y)), max(raw(x, y - 2), raw(x, y + 2))), raw(x, y));
    d(x, y, c) = mux(c, {hot(2 * x, 2 * y), hot(2 * x + 1, 2 * y), hot(2 * x, 2 * y + 1), hot(2 * x + 1, 2 * y + 1)});
    auto gr = [&](int a, int b) { return d(x + a, y + b, 0); };
    auto r = [&](int a, int b) { return d(x + a, y + b, 1); };
    auto bl = [&](int a, int b) { return d(x + a, y + b, 2); };
    auto gb = [&](int a, int b) { return d(x + a, y + b, 3); };
    Func g_r("g_r"), g_b("g_b"), r_gr("r_gr"), b_gr("b_gr"), r_gb("r_gb"), b_gb("b_gb"), r_b("r_b"), b_r("b_r");
    g_r(x, y) = select(dist(gr(0, 0), gr(1, 0)) < dist(gb(0, 0), gb(0, -1)), avg(gr(0, 0), gr(1, 0)), avg(gb(0, 0), gb(0, -1)));
    g_b(x, y) = select(dist(gb(0, 0), gb(-1, 0)) < dist(gr(0, 0), gr(0, 1)), avg(gb(0, 0), gb(-1, 0)), avg(gr(0, 0), gr(0, 1)));
    r_gr(x, y) = fix(avg(r(-1, 0), r(0, 0)), gr(0, 0), g_r(x - 1, y), g_r(x, y));
    b_gr(x, y) = fix(avg(bl(0, 0), bl(0, -1)), gr(0, 0), g_b(x, y), g_b(x, y - 1));
    r_gb(x, y) = fix(avg(r(0, 0), r(0, 1)), gb(0, 0), g_r(x, y), g_r(x, y + 1));
    b_gb(x, y) = fix(avg(bl(0, 0), bl(1, 0)), gb(0, 0), g_b(x, y), g_b(x + 1, y));
    auto diagonal = [&](Func f, int channel, Expr g, int sx, int sy) {
        auto p = [&](int a, int b) { return d(x + a, y + b, channel); };
        Expr v1 = fix(avg(p(0, 0), p(sx, sy)), g, f(x, y), f(x + sx, y + sy));
        Expr v2 = fix(avg(p(sx, 0), p(0, sy)), g, f(x + sx, y), f(x, y + sy));
        return select(dist(p(0, 0), p(sx, sy)) < dist(p(sx, 0), p(0, sy)), v1, v2);
    };
    r_b(x, y) = diagonal(g_r, 1, g_b(x, y), -1, 1);
    b_r(x, y) = diagonal(g_b, 2, g_r(x, y), 1, -1);
    Func GR("GR"), RR("RR"), BB("BB"), GB("GB");
    GR(x, y) = d(x, y, 0), RR(x, y) = d(x, y, 1), BB(x, y) = d(x, y, 2), GB(x, y) = d(x, y, 3);
    dem(x, y, c) = mux(c, {weave(r_gr, RR, r_b, r_gb), weave(GR, g_r, g_b, GB), weave(b_gr, b_r, BB, b_gb)});
    matrix(x, c) = cast<int16_t>(cm(x, c) * 256.0f);
    auto mm = [&](int k) { return cast<int32_t>(matrix(k, c)); };
    corr(x, y, c) = cast<int16_t>((mm(3) + mm(0) * dem(x, y, 0) + mm(1) * dem(x, y, 1) + mm(2) * dem(x, y, 2)) / 256);
    Expr g = pow(clamp((i - 25) / 950.0f, 0.0f, 1.0f), 1 / 1.8f);
    curve(i) = cast<uint8_t>(clamp(255.0f * (0.3f * g + 0.7f * g * g * (3.0f - 2.0f * g)) + 0.5f, 0.0f, 255.0f));
    out(x, y, c) = curve(clamp(cast<int>(corr(x, y, c)), 0, 1023));

    if (peer_is_bare())
        return Peer{Pipeline(out), {in, cm}};
    matrix.compute_root(), curve.compute_root().bound(i, 0, 1024);
    out.bound(c, 0, 3);
    out.split(y, yo, yi, 32).split(yi, yi, y, 2).reorder(x, c, y, yi, yo).unroll(c).unroll(y).vectorize(x, V).parallel(yo);
    corr.compute_at(out, x).vectorize(x).reorder(c, x, y).unroll(c);
    dem.compute_at(out, yi).vectorize(x, V).reorder(c, x, y).unroll(c).bound(c, 0, 3);
    dem.align_bounds(x, 2).align_bounds(y, 2).unroll(y, 2);
    hot.store_at(out, yo).compute_at(out, yi).vectorize(x, V).align_bounds(y, 2).align_bounds(x, 2);
    d.store_at(out, yo).compute_at(out, yi).reorder(c, x, y).vectorize(x, V).unroll(c).bound(c, 0, 4);
    g_r.store_at(out, yo).compute_at(out, yi).vectorize(x, V);
    g_b.store_at(out, yo).compute_at(out, yi).vectorize(x, V);
    return Peer{Pipeline(out), {in, cm}};
});
