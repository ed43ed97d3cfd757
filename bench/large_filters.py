"""Filters on u16 pictures, ours and scipy's under map_overlap: what bench/large.py calls `filters`, `peaks` and `files`."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array as da
import numpy as np

import hlc
import hlc.dask

CHUNK = 2048
GAUSSIAN = """
pipeline gaussian(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun line(x, y) = f32(i32(f(x, y - 2)) + i32(f(x, y + 2))) * W2 + f32(i32(f(x, y - 1)) + i32(f(x, y + 1))) * W1 + f32(f(x, y)) * W0;
    fun out(x, y) = u16((line(x - 2, y) + line(x + 2, y)) * W2 + (line(x - 1, y) + line(x + 1, y)) * W1 + line(x, y) * W0);
}
schedule fast for gaussian { compute-at(line, out.y);  vectorize(line.x, 16);  vectorize(out.x, 16); }
""".replace("W0", "0.40261996").replace("W1", "0.24420134").replace("W2", "0.05448868")

SOBEL = """
pipeline sobel(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun down(x, y) = i32(f(x, y - 1)) + i32(f(x, y)) * 2 + i32(f(x, y + 1));
    fun out(x, y) = f32(down(x + 1, y) - down(x - 1, y));
}
schedule fast for sobel { compute-at(down, out.y);  vectorize(down.x, 16);  vectorize(out.x, 16);  stream(out); }
"""

UNSHARP = """
pipeline unsharp(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun line(x, y) = f32(f(x, y - 2)) * W2 + f32(f(x, y - 1)) * W1 + f32(f(x, y)) * W0 + f32(f(x, y + 1)) * W1 + f32(f(x, y + 2)) * W2;
    fun blurred(x, y) = line(x - 2, y) * W2 + line(x - 1, y) * W1 + line(x, y) * W0 + line(x + 1, y) * W1 + line(x + 2, y) * W2;
    fun out(x, y) = u16(clamp(f32(f(x, y)) * 2.5 - blurred(x, y) * 1.5, 0.0, 65535.0));
}
schedule fast for unsharp { compute-at(line, out.y);  vectorize(line.x, 16);  inline(blurred);  vectorize(out.x, 16); }
""".replace("W0", "0.40261996").replace("W1", "0.24420134").replace("W2", "0.05448868")


MEDIAN = """
import sort;
pipeline median(input: image<u16, 2>) -> out(input.width, input.height) { fun out = sort.median(mirror_image(input), 2); }
schedule fast for median { sort.fast(out); }
"""

# What lies above the mean of 101 x 101 points. Sums of 2, 4, .. 64 neighbours make one of 101 in nine additions.
BACKGROUND = """
pipeline background(input: image<u16, 2>) -> out(input.width, input.height) {
    let f = mirror_image(input);
    fun d2(x, y) = u32(f(x, y)) + u32(f(x, y + 1));
    fun d4(x, y) = d2(x, y) + d2(x, y + 2);
    fun d8(x, y) = d4(x, y) + d4(x, y + 4);
    fun d16(x, y) = d8(x, y) + d8(x, y + 8);
    fun d32(x, y) = d16(x, y) + d16(x, y + 16);
    fun d64(x, y) = d32(x, y) + d32(x, y + 32);
    fun down(x, y) = d64(x, y - 50) + d32(x, y + 14) + d4(x, y + 46) + u32(f(x, y + 50));
    fun a2(x, y) = down(x, y) + down(x + 1, y);
    fun a4(x, y) = a2(x, y) + a2(x + 2, y);
    fun a8(x, y) = a4(x, y) + a4(x + 4, y);
    fun a16(x, y) = a8(x, y) + a8(x + 8, y);
    fun a32(x, y) = a16(x, y) + a16(x + 16, y);
    fun a64(x, y) = a32(x, y) + a32(x + 32, y);
    fun mean(x, y) = u16((a64(x - 50, y) + a32(x + 14, y) + a4(x + 46, y) + down(x + 50, y)) / 10201);
    fun out(x, y) = max(f(x, y), mean(x, y)) - mean(x, y);
}
schedule fast for background {
    inline(d8);  inline(d32);  inline(d64);  inline(a2);  inline(a8);  inline(a32);  inline(a64);  inline(mean);
    store-root(d2);  compute-at(d2, out.y);  vectorize(d2.x, 16);
    store-root(d4);  compute-at(d4, out.y);  vectorize(d4.x, 16);
    store-root(d16);  compute-at(d16, out.y);  vectorize(d16.x, 16);
    compute-at(down, out.y);  vectorize(down.x, 16);
    compute-at(a4, out.y);  vectorize(a4.x, 16);
    compute-at(a16, out.y);  vectorize(a16.x, 16);
    vectorize(out.x, 16);
}
"""


def gauss(chunk):
    from scipy import ndimage
    return ndimage.gaussian_filter(chunk, 1, mode="reflect", truncate=2)


def sobel(chunk):
    from scipy import ndimage
    return ndimage.sobel(chunk.astype(np.float32), axis=1, mode="reflect")


def unsharp(chunk):
    from scipy import ndimage
    a = chunk.astype(np.float32)
    return np.clip(a * 2.5 - ndimage.gaussian_filter(a, 1, mode="reflect", truncate=2) * 1.5, 0, 65535).astype(np.uint16)


def median(chunk):
    from scipy import ndimage
    return ndimage.median_filter(chunk, 5, mode="reflect")


def background(chunk):
    from scipy import ndimage
    mean = ndimage.uniform_filter(chunk, 101, mode="reflect")
    return np.maximum(chunk, mean) - mean


FILTERS = (("Gaussian 5x5", GAUSSIAN, gauss, 2, np.uint16), ("Sobel", SOBEL, sobel, 1, np.float32),
           ("unsharp mask", UNSHARP, unsharp, 2, np.uint16), ("less the mean of 101x101", BACKGROUND, background, 50, np.uint16),
           ("median 5x5", MEDIAN, median, 2, np.uint16))


def drop(chunk):
    """A sink: what is stored of a chunk is nothing."""
    return np.zeros((1,) * chunk.ndim, chunk.dtype)


def dropped(array):
    return array.map_blocks(drop, chunks=tuple((1,) * len(axis) for axis in array.chunks), dtype=array.dtype)


def measured(array, threads):
    """Seconds on the clock, and of the processor. The threads are new ones, so a forked process may ask, too."""
    begin, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool, dask.config.set(scheduler="threads", pool=pool):
        dropped(array).compute()
    return np.array((time.perf_counter() - begin, time.process_time() - cpu))


def both(source, text, function, depth, dtype):
    """Lazily: ours and theirs."""
    return (hlc.dask.apply(hlc.compile(text, schedule="fast"), input=source),
            source.map_overlap(function, depth=depth, boundary="reflect", dtype=dtype))


def picture(size):
    return np.random.default_rng(1).integers(0, 60000, (size, size), np.uint16)


def chosen(which):
    return FILTERS if which is None else FILTERS[which:which + 1]


def difference(ours, theirs):
    """The greatest, relative to the greatest value, about a corner of four chunks and at the corner of the picture."""
    worst = 0.0
    for corner in ((slice(CHUNK - 8, CHUNK + 8),) * 2, (slice(0, 8),) * 2):
        a, b = ours[corner].compute().astype(np.float64), theirs[corner].compute().astype(np.float64)
        worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1))
    return worst


def filters(size=20000, rounds=5, which=None):
    source = da.from_array(picture(size), chunks=CHUNK, name="source")
    print(f"u16 {size}x{size}, chunks of {CHUNK}, one thread, source in memory, sink dropped; {rounds} pairs in turn: medians")
    for name, *given in chosen(which):
        ours, theirs = both(source, *given)
        worst = difference(ours, theirs)
        runs = np.array([(measured(ours, 1), measured(theirs, 1)) for _ in range(rounds)])  # pair, side, (clock, processor)
        ratios = runs[:, 1] / runs[:, 0]
        wall, cpu = np.median(runs[:, 0], axis=0), np.median(runs[:, 1], axis=0)
        low, high = np.quantile(ratios[:, 1], (0.25, 0.75))
        print(f"{name:24} processor: hlc {wall[1]:6.2f} s, scipy {cpu[1]:6.2f} s, {np.median(ratios[:, 1]):5.1f} times as fast "
              f"(quartiles {low:.1f} to {high:.1f}); clock: {wall[0]:6.2f} s and {cpu[0]:6.2f} s, {np.median(ratios[:, 0]):5.1f} times; "
              f"greatest relative difference {worst:.1e}", flush=True)


def in_child(function):
    """What the function returns in a forked process, a float, and what the process used."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, repr(float(function())).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit("a measured process failed")
    return float(text), used


def field(name):
    """Bytes, as the system tells them of this process."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name + ":"))


def peak(array, threads):
    """Bytes above those of the process before, of which the peak so far is forgotten."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")
    before = field("VmRSS")
    measured(array, threads)
    return field("VmHWM") - before


def peaks(size=20000, threads=2, which=None):
    source = da.from_array(picture(size), chunks=CHUNK, name="source")
    print(f"u16 {size}x{size}, chunks of {CHUNK}, {threads} threads, source in memory, sink dropped; a process each, peak above it idle")
    for name, *given in chosen(which):
        if given[1] is median and which is None:
            continue  # minutes
        mine, other = (in_child(lambda array=array: peak(array, threads))[0] for array in both(source, *given))
        print(f"{name:24} hlc {mine / 2**20:6.0f} MiB, scipy {other / 2**20:6.0f} MiB: a share of {mine / other:.2f}", flush=True)


def files(size=20000, rounds=3, which=0, limit="2GB"):
    """Zarr to Zarr, end to end, a process each: hlc-dask run; apply and to_zarr; map_overlap and to_zarr."""
    import zarr
    name, text, *given = FILTERS[which]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        program, path, out = (os.path.join(folder, n) for n in ("program.hl", "in.zarr", "out.zarr"))
        with open(program, "w", encoding="utf-8") as file:
            file.write(text)
        zarr.save_array(path, picture(size), chunks=(CHUNK, CHUNK))

        def command():
            return subprocess.run([sys.executable, "-m", "hlc.dask.command", "run", program, "--schedule=fast", f"input={path}",
                                   f"out={out}", f"--memory={limit}", "--overwrite"], check=True, stdout=subprocess.DEVNULL).returncode

        def graph(side):
            array = both(da.from_zarr(path), text, *given)[side]
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool, dask.config.set(scheduler="threads", pool=pool):
                array.to_zarr(out, overwrite=True)
            return 0
        ways = (("hlc-dask run", command), ("apply", lambda: graph(0)), ("map_overlap", lambda: graph(1)))
        found = {way: [] for way, _ in ways}
        for _ in range(rounds):
            for way, function in ways:
                begin = time.perf_counter()
                _, used = in_child(lambda function=function: function() or most_memory())
                found[way].append((used.ru_utime + used.ru_stime, time.perf_counter() - begin, _))
        print(f"{name}, u16 {size}x{size}, Zarr to Zarr in chunks of {CHUNK}; {rounds} runs in turn, medians")
        for way, runs in found.items():
            cpu, clock, most = np.median(runs, axis=0)
            print(f"{way:14} {cpu:6.1f} s of the processor, {clock:6.1f} s on the clock, at most {most / 2**20:.0f} MiB", flush=True)


def most_memory():
    """Bytes: the peak of this process, or of the one that it ran, whichever is more."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * 1024
