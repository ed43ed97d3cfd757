// The bilateral grid of bench/bilateral.hl.
#include "peer.h"

static AddPeer bilateral("bilateral", [] {
    const int V = lanes(Float(32)), S = 8;
    ImageParam in(Float(32), 2, "in");
    Var x("x"), y("y"), z("z"), c("c"), yi("yi");
    Func src("src"), grid("grid"), blur_z("blur_z"), blur_x("blur_x"), blurred("blurred"), row("row"), out("out");
    src(x, y) = BoundaryConditions::repeat_edge(in)(x, y);
    RDom r(0, S, 0, S);
    Expr value = clamp(src(x * S + r.x - S / 2, y * S + r.y - S / 2), 0.0f, 1.0f);
    grid(x, y, z, c) = 0.0f;
    grid(x, y, cast<int>(value * 10.0f + 0.5f), c) += mux(c, {value, 1.0f});
    auto five = [&](Func f, int a, int b, int d) {
        auto at = [&](int k) { return f(x + k * a, y + k * b, z + k * d, c); };
        return at(-2) + at(2) + 4.0f * (at(-1) + at(1)) + 6.0f * at(0);
    };
    blur_z(x, y, z, c) = five(grid, 0, 0, 1);
    blur_x(x, y, z, c) = five(blur_z, 1, 0, 0);
    blurred(x, y, z, c) = five(blur_x, 0, 1, 0);
    Expr height = clamp(in(x, y), 0.0f, 1.0f) * 10.0f, level = cast<int>(height), t = height - level;
    row(x, y, z, c) = lerp(blurred(x, y / S, z, c), blurred(x, y / S + 1, z, c), cast<float>(y % S) / S);
    auto between = [&](Expr k, int of) {
        return lerp(row(x / S, y, k, of), row(x / S + 1, y, k, of), cast<float>(x % S) / S);
    };
    out(x, y) = lerp(between(level, 0), between(level + 1, 0), t) / lerp(between(level, 1), between(level + 1, 1), t);
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    blur_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, V).unroll(c).bound(c, 0, 2);
    grid.compute_at(blur_z, y).reorder(c, z, x, y).vectorize(x, V).unroll(c);
    grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
    blur_x.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, V).unroll(c).bound(c, 0, 2);
    blurred.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, V).unroll(c).bound(c, 0, 2);
    out.split(y, y, yi, 8).parallel(y).vectorize(x, V);
    row.compute_at(out, yi).reorder(c, x, z).vectorize(x, V).unroll(c).bound(c, 0, 2);
    return Peer{Pipeline(out), {in}};
});
