// The matrix products of bench/sgemm.hl.
#include "peer.h"

static Peer sgemm(bool packed) {
    const int V = lanes(Float(32)), N = 1024, TX = 2 * V, TY = 8;
    ImageParam A(Float(32), 2, "A"), B(Float(32), 2, "B");
    Var x("x"), y("y"), k("k"), xi("xi"), yi("yi"), p("p"), tx("tx"), ty("ty");
    RDom r(0, N);
    Func product("product"), out("out"), panel("panel");
    panel(xi, k, p) = B(p * TX + xi, k);
    if (packed)
        product(x, y) += A(r, y) * panel(x % TX, r, x / TX);
    else
        product(x, y) += A(r, y) * B(x, r);
    out(x, y) = product(x, y);
    if (peer_is_bare())
        return {Pipeline(out), {A, B}};
    out.bound(x, 0, N).bound(y, 0, N);
    out.tile(x, y, tx, ty, x, y, 128, 128).tile(x, y, xi, yi, TX, TY).vectorize(xi, V).unroll(xi).unroll(yi);
    out.reorder(xi, yi, y, x, tx, ty).parallel(ty);
    product.compute_at(out, y).store_in(MemoryType::Stack).bound_extent(x, TX).bound_extent(y, TY);
    product.vectorize(x, V).unroll(x).unroll(y);
    product.update().reorder(x, y, r).vectorize(x, V).unroll(x).unroll(y);
    if (packed)
        panel.compute_root().bound_extent(xi, TX).vectorize(xi, V).unroll(xi).parallel(p);
    A.dim(0).set_bounds(0, N).dim(1).set_bounds(0, N).set_stride(N);
    B.dim(0).set_bounds(0, N).dim(1).set_bounds(0, N).set_stride(N);
    out.output_buffer().dim(0).set_bounds(0, N).dim(1).set_bounds(0, N).set_stride(N);
    return {Pipeline(out), {A, B}};
}

static AddPeer plain("sgemm", [] { return sgemm(false); });
static AddPeer packed("sgemm_packed", [] { return sgemm(true); });
