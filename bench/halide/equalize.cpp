// The histogram equalisation of bench/equalize.hl.
#include "peer.h"

static AddPeer equalize("equalize", [] {
    ImageParam in(UInt(8), 2, "in");
    Var i("i"), x("x"), y("y"), yi("yi");
    Func counts("counts"), below("below"), table("table"), out("out");
    RDom r(0, in.width(), 0, in.height()), k(1, 255);
    counts(i) = u32(0);
    counts(clamp(cast<int>(in(r.x, r.y)), 0, 255)) += u32(1);
    below(i) = u32(0);
    below(0) = counts(0);
    below(k) = below(k - 1) + counts(k);
    Expr scale = 255.0f / cast<float>(in.width() * in.height());
    table(i) = cast<uint8_t>(clamp(below(i) * scale + 0.5f, 0.0f, 255.0f));
    out(x, y) = table(clamp(cast<int>(in(x, y)), 0, 255));
    if (peer_is_bare())
        return Peer{Pipeline(out), {in}};
    counts.compute_root().bound(i, 0, 256).vectorize(i, lanes(UInt(32)));
    counts.update().unscheduled();
    below.compute_root().bound(i, 0, 256);
    table.compute_root().bound(i, 0, 256).vectorize(i, 16);
    out.split(y, y, yi, 64).parallel(y).vectorize(x, 64);
    return Peer{Pipeline(out), {in}};
});
