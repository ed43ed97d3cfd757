"""Smooths a volume of any element type, and certifies the schedule: a pipeline with const parameters.

    python3 volume.py [volume.npy]         an array [z, y, x]; without one, noise
"""
import sys

import numpy as np

import hlc

SMOOTH = """
pipeline smooth(const T: type = u8 in {u8, u16}, const radius = 1 in 1..8, volume: image<T, 3>)
    -> out(volume.width, volume.height, volume.extent(2)) {
    let v = repeat_edge(volume);
    fun along_x(x, y, z) = { u32(0);  rdom(r = (-radius, 2*radius + 1)) in (x, y, z) <- along_x(x, y, z) + u32(v(x + r, y, z)); }
    fun along_y(x, y, z) = { u32(0);  rdom(r = (-radius, 2*radius + 1)) in (x, y, z) <- along_y(x, y, z) + along_x(x, y + r, z); }
    fun sum(x, y, z) = { u32(0);  rdom(r = (-radius, 2*radius + 1)) in (x, y, z) <- sum(x, y, z) + along_y(x, y, z + r); }
    fun out(x, y, z) = T(sum(x, y, z) / u32((2*radius + 1) * (2*radius + 1) * (2*radius + 1)));
}
schedule fast for smooth {
    parallel(out.z); vectorize(out.x, 8);
    compute-at(sum, out.y); vectorize(sum.s0.x, 8); vectorize(sum.s1.x, 8);
    compute-at(along_y, out.z); vectorize(along_y.s0.x, 8); vectorize(along_y.s1.x, 8);
    compute-at(along_x, out.z); vectorize(along_x.s0.x, 8); vectorize(along_x.s1.x, 8);
}
"""

volume = np.load(sys.argv[1]) if len(sys.argv) > 1 else \
    np.random.default_rng(1).integers(0, 4096, (32, 64, 80)).astype(np.uint16)
smooth = hlc.compile(SMOOTH, name="smooth.hl", schedule="fast", T=volume.dtype, radius=2)
out = smooth(volume=volume)
print("volume", volume.shape, "spread before", f"{volume.std():.0f}", "and after", f"{out.std():.0f}")

padded = np.pad(volume.astype(np.uint64), 2, mode="edge")
for axis in range(3):
    count = padded.shape[axis] - 4
    padded = sum(np.take(padded, range(k, k + count), axis) for k in range(5))
print("equal to numpy:", np.array_equal(out, padded // 125))
print("one slice needs", smooth.needs(out=hlc.Window(out[:1], (10, 0, 0)), volume=None))
print("all schedules agree:", bool(smooth.check(rounds=1)))
print("certified:", bool(smooth.certify()))
