"""Arrays of 4 GiB through `hlc-dask run` under 1 GiB: a stencil, an equalisation, a scan; what bench/large.py calls `memory`."""

import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import hlc

from large_filters import GAUSSIAN

CHUNK = 1024  # of an axis, in the files
EQUALIZE = """
pipeline equalize(input: image<u8, 2>) -> out(input.width, input.height) {
    fun hist(i): u32 = {
        0;
        rdom(x = (input.min(0), input.width); y = (input.min(1), input.height)) in (i32(input(x, y))) <-
            hist(i32(input(x, y))) + 1;
    }
    fun cdf(i): u32 = { hist(i);  rdom(r = (1, 255)) in (r) <- cdf(r - 1) + cdf(r); }
    fun out(x, y) = u8((u64(cdf(i32(input(x, y)))) * 255) / u64(max(cdf(255), 1)));
}
schedule fast for equalize { vectorize(out.x, 16); }
"""
SMOOTH = """
pipeline smooth(input: image<u16, 2>) -> out(input.width, input.height) {
    fun out(x, y) = {
        input(x, y);
        rdom(j = (input.min(1) + 1, input.height - 1)) in (x, j) <- u16((u32(out(x, j - 1)) * 3 + u32(input(x, j))) / 4);
    }
}
schedule fast for smooth { vectorize(out.s1.x, 16); }
"""


def write_zarr(path, shape, dtype):
    """One chunk of noise, under the names of all chunks: the file system holds it once. Returns the chunk."""
    import zarr
    array = zarr.open(path, mode="w", shape=shape, chunks=(CHUNK, CHUNK), dtype=dtype)
    tile = np.random.default_rng(1).integers(0, min(60000, np.iinfo(dtype).max), (CHUNK, CHUNK), dtype)
    array[:CHUNK, :CHUNK] = tile
    for y in range(shape[0] // CHUNK):
        for x in range(shape[1] // CHUNK):
            if y or x:
                os.link(os.path.join(path, "0.0"), os.path.join(path, f"{y}.{x}"))
    return tile


def samples(shape, side=40):
    """Corners of a few windows: at the ends, and across chunks."""
    middle = tuple(max(n // 2 // CHUNK * CHUNK - 3, 0) for n in shape)
    return [(0, 0), middle, (shape[0] - side, shape[1] - side)]


def check_gaussian(tile, source, out):
    """A few windows, against the pipeline on them."""
    p, shape = hlc.compile(GAUSSIAN, windows=True), source.shape
    for y, x in samples(shape):
        box = hlc.Window((40, 40), (y, x), shape)
        origin, extent = p.needs(input=hlc.Window(domain=shape), out=box)["input"]
        part = source[origin[0]:origin[0] + extent[0], origin[1]:origin[1] + extent[1]]
        yield p(input=hlc.Window(part, origin, shape), out=box), out[y:y + 40, x:x + 40]


def check_equalize(tile, source, out):
    """All chunks of the image are one, so numpy counts it."""
    counts = np.bincount(tile.ravel(), minlength=256).astype(np.uint64) * (math.prod(source.shape) // CHUNK**2)
    sums = counts.astype(np.uint32).cumsum(dtype=np.uint32).astype(np.uint64)
    table = (sums * np.uint64(255) // max(sums[255], np.uint64(1))).astype(np.uint8)
    for y, x in samples(source.shape):
        yield table[source[y:y + 40, x:x + 40]], out[y:y + 40, x:x + 40]


def check_smooth(tile, source, out):
    """A column from end to end, by a loop."""
    for x in (0, source.shape[1] - 1):
        value, found = 0, np.empty(source.shape[0], np.uint16)
        for y, given in enumerate(map(int, source[:, x])):
            found[y] = value = (value * 3 + given) // 4 if y else given
        yield found, out[:, x]


RUNS = (("Gaussian", GAUSSIAN, np.uint16, (), check_gaussian), ("equalisation", EQUALIZE, np.uint8, ("--split=auto",), check_equalize),
        ("scan along columns", SMOOTH, np.uint16, ("--split=auto",), check_smooth))


def shapes(size, item):
    """Of at least so many bytes, in whole chunks: square, and 64 to 1."""
    def up(n):
        return -(-math.isqrt(n - 1) // CHUNK) * CHUNK
    side, narrow = up(size // item), up(size // item // 64)
    return (("square", (side, side)), ("64 to 1", (narrow * 64, narrow)))


def memory(size=4 * 2**30, limit="1GiB"):
    """The peak is that of a process of its own, which is all that runs, as the system tells it."""
    import zarr
    for name, text, dtype, more, check in RUNS:
        for form, shape in shapes(size, np.dtype(dtype).itemsize):
            with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
                program, source, out = (os.path.join(folder, n) for n in ("program.hl", "in.zarr", "out.zarr"))
                pathlib.Path(program).write_text(text)
                tile = write_zarr(source, shape, dtype)
                with open(os.path.join(folder, "said"), "w+", encoding="utf-8") as said:
                    run = subprocess.Popen([sys.executable, "-m", "hlc.dask.command", "run", program, "--schedule=fast", *more,
                                            f"input={source}", f"out={out}", f"--memory={limit}"], stdout=said, stderr=said)
                    _, status, used = os.wait4(run.pid, 0)
                    said.seek(0)
                    text_said = said.read().strip()
                if status:
                    raise SystemExit(f"{name}, {form}: {text_said}")
                wholes = [zarr.open(path, "r") for path in (source, out)]
                for expected, found in check(tile, *wholes):
                    if expected.tobytes() != found.tobytes():
                        raise SystemExit(f"{name}, {form}: the bytes differ")
                print(f"{name}, {shape[1]}x{shape[0]} {np.dtype(dtype)}, {math.prod(shape) * np.dtype(dtype).itemsize / 2**30:.2f} "
                      f"GiB, {form}: at most {used.ru_maxrss / 2**10:.0f} MiB; {used.ru_utime:.0f} + {used.ru_stime:.0f} s of the "
                      f"processor; {text_said.splitlines()[-1]}", flush=True)
