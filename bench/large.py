"""What Dask costs beside a pipeline's own time; arrays larger than memory; workers that die; a graph of 10^12 pixels.

    HLC_LIBRARY=build/shared/libhlc.so.0.2 PYTHONPATH=python python3 bench/large.py PART [argument]

    cost [size [rounds]]                a task of 1024x1024, beside the same graph with tasks that do nothing
    filters [size [rounds [which]]]     Gaussian, Sobel, unsharp mask, background, median beside scipy under map_overlap: u16,
                                        chunks of 2048; `which` of them, from 0
    peaks [size [threads [which]]]      the same, and the peak of memory; without `which` not the median
    files [size [rounds [which]]]       one of them, the Gaussian, from Zarr to Zarr
    memory [bytes]                      a stencil, an equalisation, a scan through hlc-dask run under 1 GiB, square and 64 to 1
    killed [runs [size]]                a cluster of three processes, of which one is killed again and again: the same bytes
    simulate                            10^12 pixels: tasks, bytes over the network, the time to make the graph and to schedule it

Sources are in memory, and sinks are dropped, unless files are the point. Both sides have the same scheduler and threads. Times
of the processor are user and system, of the process; files of `memory` and `files` are in TMPDIR.
"""

import math
import sys
import time

import dask.array as da
import numpy as np

import hlc
import hlc.dask
from hlc.dask.layer import ChunkLayer
from hlc.dask.strips import STRIP
from hlc.dask.task import Pieces, compute

from large_filters import GAUSSIAN, files, filters, measured, peaks, picture
from large_killed import killed
from large_memory import memory


def nothing(job, box, needs, *pieces):
    return np.empty(box[1], np.uint16)


def windows_only(job, box, needs, *pieces):
    for slot, need, given in zip((slot for slot in job.recipe.pipeline().inputs if slot.is_image), needs, pieces):
        Pieces(slot, job.images[slot.name], need, given).window(need)
    return np.empty(box[1], np.uint16)


def with_tasks(lazily, function):
    """The same graph, whose tasks call another function."""
    graph = {key: (function, *task[1:]) if isinstance(task, tuple) and task and task[0] is compute else task
             for key, task in dict(lazily.__dask_graph__()).items()}
    return da.Array(graph, lazily.name, lazily.chunks, dtype=lazily.dtype)


def cost(size=16384, rounds=7):
    """In turn, with one thread: the calls alone; the graph; the same graph with tasks that do nothing, and that only copy.
    The calls are on windows of the source, which come from memory as those of the graph do, and on one window that stays in
    the caches."""
    p = hlc.compile(GAUSSIAN, schedule="fast")
    memory = picture(size)
    source = da.from_array(memory, chunks=1024, name="source")
    lazily = hlc.dask.apply(p, input=source)
    graphs = with_tasks(lazily, nothing), with_tasks(lazily, windows_only), with_tasks(lazily, compute)
    whole, count, layer = (size, size), lazily.npartitions, lazily.dask.layers[lazily.name]
    window = hlc.compile(GAUSSIAN, schedule="fast", windows=True, interruptible=False).using(threads=1)
    views = [(box, hlc.Window.of(memory, *need)) for box, (need,) in
             ((layer.grid.box(block), layer.needs(block)) for block in layer.grid.blocks())]
    warm = [(box, hlc.Window(memory[:given.shape[0], :given.shape[1]], given.origin, whole)) for box, given in views]

    def alone(windows):
        begin = time.process_time()
        for (origin, shape), given in windows:
            window(input=given, out=hlc.Window(np.empty(shape, np.uint16), origin, whole))
        return time.process_time() - begin
    alone(views), measured(lazily, 1)
    runs = np.array([(*(measured(graph, 1)[1] for graph in graphs), alone(views), alone(warm)) for _ in range(rounds)])
    runs *= 1e3 / count
    noop, copies, full, calls, cached = np.median(runs, axis=0)
    apply_time = time.process_time()
    again = hlc.dask.apply(p, input=source)
    apply_time, graph_time = time.process_time() - apply_time, time.process_time()
    keys = len(dict(again.__dask_graph__()))
    graph_time = time.process_time() - graph_time
    print(f"{count} chunks of 1024x1024, one thread; medians of {rounds} rounds in turn; ms of the processor a chunk")
    print(f"the graph with tasks that do nothing {noop:.3f}; that only copy the windows {copies:.3f}; with the pipeline {full:.3f}; the "
          f"calls alone {calls:.3f}, of a window in the caches {cached:.3f}")
    for what, k in (("the calls", 3), ("the calls in the caches", 4)):
        share = np.quantile(runs[:, 2] / (runs[:, 0] + runs[:, k]), (0.25, 0.5, 0.75)) - 1
        print(f"the graph over the sum of nothing and {what}: {share[1]:+.0%} (quartiles {share[0]:+.0%} to {share[2]:+.0%})")
    print(f"apply: {apply_time * 1e3:.0f} ms; making the graph: {graph_time / count * 1e3:.3f} ms a chunk, {keys} keys")


def simulate():
    """A Gaussian of 10^6 x 10^6 u16. What the graph costs is measured on a part and counted for all."""
    p = hlc.compile(GAUSSIAN, schedule="fast")
    for chunk in (2048, 4096, 8192, 16384):
        source = da.zeros((10**6, 10**6), chunks=chunk, dtype=np.uint16)
        begin = time.perf_counter()
        lazily = hlc.dask.apply(p, input=source)
        made = time.perf_counter() - begin
        layer: ChunkLayer = lazily.dask.layers[lazily.name]
        blocks = list(layer.grid.blocks())[::max(lazily.npartitions // 1000, 1)]
        begin, halo = time.process_time(), 0
        for block in blocks:
            task = layer.task(block)
            halo += sum(math.prod(need[1]) for need in task[3]) - math.prod(task[2][1])
        ask = (time.process_time() - begin) / len(blocks)
        count, pieces = lazily.npartitions, 8 * lazily.npartitions  # neighbours whose chunks a task needs
        read = ((-(-(chunk + 4) // 1024) + 1) * 1024 / chunk)**2 - 1
        print(f"chunks of {chunk}: {count} tasks and as many sources; apply {made:.2f} s; all questions {ask * count:.1f} s "
              f"({ask * 1e6:.0f} us each); Dask's scheduler at 0.2 to 1 ms a task {0.4 * count / 1e3:.0f} to {2 * count / 1e3:.0f} s; "
              f"a task holds {(2 * chunk**2 + STRIP) / 2**20:.0f} MiB and its source; its halo is {halo / len(blocks) * 2 / 2**10:.0f} KiB; over the "
              f"network with apply, if each neighbour lies elsewhere, {pieces * chunk**2 * 2 / 1e12:.0f} TB of 2; with hlc-dask "
              f"run, none; files in chunks of 1024 are read {read:.0%} more than once", flush=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        raise SystemExit(__doc__)
    PARTS[sys.argv[1]](*[int(a) for a in sys.argv[2:]])


PARTS = {"cost": cost, "filters": filters, "peaks": peaks, "files": files, "memory": memory, "killed": killed,
         "simulate": simulate}
if __name__ == "__main__":
    main()
