// The reductions of bench/reductions/ that Halide can factor: it knows no operator of three or more elements that these need.
#include "peer.h"

// Stretches of 65536, side by side, each in so many lanes. Without fetching ahead: with it Halide 14 takes longer.
static void in_lanes(Func &f, const RVar &r, int lanes) {
    if (peer_is_bare())
        return;
    RVar ro("ro"), ri("ri"), rio("rio"), lane("lane");
    Var u("u"), v("v");
    f.update().split(r, ro, ri, 65536).split(ri, rio, lane, lanes);
    Func part = f.update().rfactor({{lane, v}, {ro, u}});
    part.compute_root().vectorize(v, lanes).update().reorder(v, rio, u).vectorize(v).parallel(u);
    part.bound(v, 0, lanes);
    f.compute_root();
}

static AddPeer sum("sum_lanes", [] {
    ImageParam a(Float(32), 1, "a");
    Var i("i");
    Func total("total"), out("out");
    RDom r(0, a.width());
    total() = 0.0f;
    total() += a(r);
    out(i) = total();
    in_lanes(total, r, 128);
    return Peer{Pipeline(out), {a}};
});

static AddPeer dot("dot_lanes", [] {
    ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
    Var i("i");
    Func total("total"), out("out");
    RDom r(0, a.width());
    total() = 0.0f;
    total() += a(r) * b(r);
    out(i) = total();
    in_lanes(total, r, 128);
    return Peer{Pipeline(out), {a, b}};
});

static AddPeer argmin("argmin_lanes", [] {
    ImageParam a(Int(32), 1, "a");
    Var i("i");
    Func least("least"), out("out");
    RDom r(0, a.width());
    least() = Tuple(Int(32).max(), Int(32).max());
    Expr value = a(r), best = least()[0];
    least() = Tuple(min(best, value), select(best < value, least()[1], r));
    out(i) = select(i == 0, least()[0], least()[1]);
    in_lanes(least, r, 64);
    return Peer{Pipeline(out), {a}};
});

static AddPeer histogram("histogram", [] {
    ImageParam a(UInt(8), 2, "a");
    Var v("v"), u("u"), lane("lane");
    RVar yo("yo"), yi("yi"), xo("xo"), xi("xi");
    Func count("count"), out("out");
    RDom r(0, a.width(), 0, a.height());
    count(v) = 0;
    count(clamp(cast<int>(a(r.x, r.y)), 0, 255)) += 1;
    out(v) = count(clamp(v, 0, 255));
    if (peer_is_bare())
        return Peer{Pipeline(out), {a}};
    count.compute_root().bound(v, 0, 256).vectorize(v, 16);
    count.update().split(r.y, yo, yi, 256);
    Func part = count.update().rfactor(yo, u);
    part.compute_root().vectorize(v, 16).update().parallel(u);
    part.update().split(r.x, xo, xi, 4);
    Func each = part.update().rfactor(xi, lane);
    each.compute_at(part, u).bound(lane, 0, 4).vectorize(v, 16).update().reorder(lane, xo, yi, u).unroll(lane);
    part.update().reorder(v, xi, u).vectorize(v, 16);
    count.update().reorder(v, yo).vectorize(v, 16);
    return Peer{Pipeline(out), {a}};
});

static AddPeer moments("moments_lanes", [] {
    ImageParam a(Float(32), 1, "a");
    Var i("i");
    Func sums("sums"), out("out");
    RDom r(0, a.width());
    sums() = Tuple(cast<double>(0), cast<double>(0));
    Expr value = cast<double>(a(r));
    sums() = Tuple(sums()[0] + value, sums()[1] + value * value);
    Expr count = cast<double>(a.width()), mean = sums()[0] / count;
    out(i) = cast<float>(select(i == 0, mean, sums()[1] / count - mean * mean));
    in_lanes(sums, r, 32);
    return Peer{Pipeline(out), {a}};
});
