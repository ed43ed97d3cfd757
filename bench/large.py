"""What Dask costs beside a pipeline's own time; arrays larger than memory; workers that die; a graph of 10^12 pixels.

    HLC_LIBRARY=build/shared/libhlc.so.0.2 PYTHONPATH=python python3 bench/large.py PART [argument]

    cost [size]       a task of 1024x1024, beside the same graph with a function that does nothing
    filters [size]    Gaussian, Sobel, unsharp mask, median beside scipy under map_overlap: u16, chunks of 2048
    memory [bytes]    a stencil through hlc-dask run under 1 GiB, square and 64 to 1; VmHWM of the process
    killed [runs]     a cluster of processes, of which one is killed every few seconds: the same bytes
    simulate          10^12 pixels: tasks, bytes over the network, the time to make the graph and to schedule it

Sources are in memory, and sinks are dropped, unless files are the point. Both sides have the same scheduler and threads.
"""

import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import dask
import dask.array as da
import numpy as np

import hlc
import hlc.dask
from hlc.dask.layer import ChunkLayer

from large_filters import GAUSSIAN, MEDIAN
from large_memory import memory

THREADS = len(os.sched_getaffinity(0))
def drop(chunk):
    """A sink: what is stored of a chunk is nothing."""
    return np.zeros((1,) * chunk.ndim, chunk.dtype)


def dropped(array):
    return array.map_blocks(drop, chunks=tuple((1,) * len(axis) for axis in array.chunks), dtype=array.dtype)


def seconds(array):
    begin = time.perf_counter()
    with dask.config.set(scheduler="threads", num_workers=THREADS):
        dropped(array).compute()
    return time.perf_counter() - begin


def nothing(job, box, needs, *pieces):
    return np.empty(box[1], np.uint16)


def measured(array):
    """Seconds on the clock, and of the processor."""
    begin, cpu = time.perf_counter(), time.process_time()
    seconds(array)
    return np.array((time.perf_counter() - begin, time.process_time() - cpu))


def cost(size=16384):
    """In turn: the graph, the same graph with tasks that do nothing, and the calls alone in one thread."""
    p = hlc.compile(GAUSSIAN, schedule="fast")
    source = da.from_array(np.random.default_rng(1).integers(0, 60000, (size, size), np.uint16), chunks=1024, name="source")
    lazily = hlc.dask.apply(p, input=source)
    graph = {key: (nothing, *task[1:]) if isinstance(task, tuple) and task and task[0] is hlc.dask.task.compute else task
             for key, task in dict(lazily.__dask_graph__()).items()}
    empty = da.Array(graph, lazily.name, lazily.chunks, dtype=lazily.dtype)
    chunk = np.random.default_rng(1).integers(0, 60000, (1028, 1028), np.uint16)
    window = hlc.compile(GAUSSIAN, schedule="fast", windows=True).using(threads=1)
    whole, count = (size, size), lazily.npartitions

    def alone():
        begin = time.process_time()
        for _ in range(count):
            out = np.empty((1024, 1024), np.uint16)
            window(input=hlc.Window(chunk, (1022, 1022), whole), out=hlc.Window(out, (1024, 1024), whole))
        return time.process_time() - begin
    alone(), seconds(lazily)
    runs = [(measured(empty), measured(lazily), alone()) for _ in range(5)]
    noop, full = (np.min([run[k] for run in runs], axis=0) / count * 1e3 for k in (0, 1))
    calls = min(run[2] for run in runs) / count * 1e3
    apply_time, graph_time = (time.perf_counter() for _ in range(2))
    again = hlc.dask.apply(p, input=source)
    apply_time = time.perf_counter() - apply_time
    graph_time = time.perf_counter()
    keys = len(dict(again.__dask_graph__()))
    graph_time = time.perf_counter() - graph_time
    print(f"{count} chunks of 1024x1024, {THREADS} threads; the best of {len(runs)} in turn; ms a chunk")
    print(f"tasks that do nothing: {noop[0]:.3f} on the clock, {noop[1]:.3f} of the processor")
    print(f"with the pipeline:     {full[0]:.3f} on the clock, {full[1]:.3f} of the processor; the calls alone: {calls:.3f} of the "
          f"processor, so {full[1] - calls:.3f} ({(full[1] - calls) / calls:.0%}) are Dask's, the copies' and ours")
    print(f"apply: {apply_time * 1e3:.0f} ms; making the graph: {graph_time / count * 1e3:.3f} ms a chunk, {keys} keys")


def filters(size=20000):
    from scipy import ndimage
    picture = np.random.default_rng(1).integers(0, 60000, (size, size), np.uint16)
    source = da.from_array(picture, chunks=2048, name="source")

    def gauss(chunk):
        return ndimage.gaussian_filter(chunk, 1, mode="reflect", truncate=2)

    def sobel(chunk):
        return ndimage.sobel(chunk.astype(np.float32), axis=1, mode="reflect")

    def unsharp(chunk):
        a = chunk.astype(np.float32)
        return np.clip(a * 2.5 - ndimage.gaussian_filter(a, 1, mode="reflect", truncate=2) * 1.5, 0, 65535).astype(np.uint16)

    def median(chunk):
        return ndimage.median_filter(chunk, 5, mode="reflect")
    print(f"u16 {size}x{size}, chunks of 2048, {THREADS} threads, source in memory, sink dropped; the best of 2 in turn")
    for name, text, function, depth, dtype in (("Gaussian 5x5", GAUSSIAN, gauss, 2, np.uint16), ("Sobel", SOBEL, sobel, 1, np.float32),
                                               ("unsharp mask", UNSHARP, unsharp, 2, np.uint16),
                                               ("median 5x5", MEDIAN, median, 2, np.uint16)):
        p = hlc.compile(text, schedule="fast")
        ours = hlc.dask.apply(p, input=source)
        theirs = source.map_overlap(function, depth=depth, boundary="reflect", dtype=dtype)
        corner = (slice(2040, 2056), slice(2040, 2056))
        a, b = ours[corner].compute().astype(np.float64), theirs[corner].compute().astype(np.float64)
        worst = np.abs(a - b).max() / max(np.abs(b).max(), 1)
        runs = [(seconds(ours), seconds(theirs)) for _ in range(2)]
        mine, other = min(r[0] for r in runs), min(r[1] for r in runs)
        print(f"{name:14} hlc {mine:7.2f} s, scipy {other:7.2f} s: {other / mine:5.1f} times as fast; greatest relative "
              f"difference {worst:.1e}", flush=True)


def killed(runs=3, size=8192):
    """Workers of a local cluster, of which one is killed at random again and again."""
    import distributed
    dask.config.set({"distributed.scheduler.allowed-failures": 100, "distributed.worker.memory.terminate": False})
    p = hlc.compile(MEDIAN, schedule="fast")
    a = np.random.default_rng(1).integers(0, 60000, (size, size), np.uint16)
    whole = p(input=a)
    for run in range(runs):
        with distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
                                      silence_logs=50) as cluster, distributed.Client(cluster) as client:
            stop, count = threading.Event(), [0]

            def kill(generator=random.Random(run)):
                while not stop.wait(generator.uniform(0.5, 3)):
                    alive = [worker["id"] for worker in client.scheduler_info()["workers"].values()]
                    pids = [w.pid for name, w in cluster.workers.items() if w.pid and name in alive]
                    if len(pids) > 1:  # one goes on
                        try:
                            os.kill(generator.choice(pids), signal.SIGKILL)
                            count[0] += 1
                        except ProcessLookupError:
                            pass
            killer = threading.Thread(target=kill, daemon=True)
            killer.start()
            begin = time.perf_counter()
            try:
                found = hlc.dask.apply(p, input=da.from_array(a, chunks=512)).compute()
            finally:
                stop.set()
                killer.join()
            print(f"run {run}: {count[0]} workers killed, {time.perf_counter() - begin:.1f} s, the same bytes: "
                  f"{found.tobytes() == whole.tobytes()}", flush=True)


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
              f"a task holds {4 * chunk**2 / 2**20:.0f} MiB, of which the halo is {halo / len(blocks) * 2 / 2**10:.0f} KiB; over the "
              f"network with apply, if each neighbour lies elsewhere, {pieces * chunk**2 * 2 / 1e12:.0f} TB of 2; with hlc-dask "
              f"run, none; files in chunks of 1024 are read {read:.0%} more than once", flush=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        raise SystemExit(__doc__)
    PARTS[sys.argv[1]](*[int(a) for a in sys.argv[2:]])


PARTS = {"cost": cost, "filters": filters, "memory": memory, "killed": killed, "simulate": simulate}
if __name__ == "__main__":
    main()
