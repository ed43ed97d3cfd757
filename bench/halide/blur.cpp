// The 3x3 blur of bench/blur.hl.
#include "peer.h"

static Peer blur(bool slide) {
    const int V = lanes(UInt(16)), U = 4;
    ImageParam in(UInt(16), 2, "in");
    Var x("x"), y("y"), xi("xi"), yi("yi");
    Func across("across"), out("out");
    across(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / u16(3);
    out(x, y) = (across(x, y) + across(x, y + 1) + across(x, y + 2)) / u16(3);
    if (peer_is_bare())
        return {Pipeline(out), {in}};
    out.tile(x, y, xi, yi, slide ? 512 : 256, slide ? 240 : 32).vectorize(xi, V).parallel(y).unroll(xi, U);
    if (slide)
        across.store_at(out, x).compute_at(out, yi).vectorize(x, V).unroll(x, U);
    else
        across.compute_at(out, x).vectorize(x, V).unroll(x, U);
    return {Pipeline(out), {in}};
}

static AddPeer tiles("blur_tiles", [] { return blur(false); });
static AddPeer columns("blur_columns", [] { return blur(true); });
static AddPeer start("blur_start", [] { return blur(false); });
