"""Workers that are killed at random while they compute: what bench/large.py calls `killed`."""

import collections
import os
import random
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

from large_filters import GAUSSIAN

WORKERS = 3


class Watch:
    """Of a run: how often each task was computed, how long tasks took, and how long workers were away."""

    def __init__(self, scheduler):
        from distributed.diagnostics.plugin import SchedulerPlugin
        outer = self

        class Plugin(SchedulerPlugin):
            def transition(self, key, start, finish, *arguments, **more):
                if start == "processing" and finish == "memory":
                    outer.computed[key] += 1
                    outer.times += [stop["stop"] - stop["start"] for stop in more.get("startstops") or ()
                                    if stop["action"] == "compute"]

            def remove_worker(self, scheduler, worker):
                outer.left.append(time.monotonic())

            def add_worker(self, scheduler, worker):
                if outer.left:
                    outer.away += time.monotonic() - outer.left.pop(0)
        self.computed, self.times, self.left, self.away = collections.Counter(), [], [], 0.0
        self.plugin, self.scheduler = Plugin(), scheduler
        scheduler.add_plugin(self.plugin, name="watch")

    def end(self):
        self.scheduler.remove_plugin("watch")
        now = time.monotonic()
        return sum(n - 1 for n in self.computed.values()), self.away + sum(now - left for left in self.left)


class Workers:
    """Processes that are started again when they have ended. A nanny of Dask gives up if a start takes long."""

    def __init__(self, scheduler, folder):
        self.scheduler, self.folder, self.count = scheduler, folder, 0
        self.running = {}  # name: process
        for _ in range(WORKERS):
            self.start()

    def start(self):
        name, self.count = f"w{self.count}", self.count + 1
        self.running[name] = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "distributed.cli.dask_worker", self.scheduler.address, "--no-nanny", "--nthreads=1",
             f"--name={name}", "--no-dashboard", f"--local-directory={self.folder}", "--death-timeout=600"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def known(self):
        """Those that the scheduler knows: all others are starting."""
        names = {worker.name for worker in self.scheduler.workers.values()}
        return [process for name, process in self.running.items() if name in names and process.poll() is None]

    def again(self):
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                del self.running[name]
                self.start()

    def end(self):
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()


class Killer:
    """Kills a worker at random, again and again, a few times in so many seconds; one always goes on."""

    def __init__(self, workers, seed, seconds):
        self.workers, self.generator, self.seconds, self.count = workers, random.Random(seed), seconds, 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.stop.wait(self.generator.uniform(0.1, 0.4) * self.seconds):
            self.workers.again()
            known = self.workers.known()
            if len(known) > 1:
                victim = self.generator.choice(known)
                victim.kill()
                victim.wait()
                self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def killed(runs=20, size=2048):
    """Of the runs each second one goes from file to file, by `hlc-dask run --scheduler`; the others are graphs."""
    import distributed
    import zarr
    dask.config.set({"distributed.scheduler.allowed-failures": 100, "distributed.worker.memory.terminate": False})
    p = hlc.compile(GAUSSIAN, schedule="fast")
    source = da.random.RandomState(1).randint(0, 60000, (size, size), chunks=256, dtype=np.uint16)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        program, path, out = (os.path.join(folder, n) for n in ("gaussian.hl", "in.zarr", "out.zarr"))
        with open(program, "w", encoding="utf-8") as file:
            file.write(GAUSSIAN)
        picture = source.compute(scheduler="threads")
        whole = p(input=picture).tobytes()
        zarr.save_array(path, picture, chunks=(256, 256))

        same, usual = 0, {}  # seconds of a run of each way without a kill
        for run in range(-2, runs):  # first without a kill
            with distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster, \
                    distributed.Client(cluster) as client:
                workers = Workers(cluster.scheduler, folder)
                client.wait_for_workers(WORKERS)

                def graph():
                    return hlc.dask.apply(p, input=source).compute().tobytes()

                def files(cluster=cluster):
                    subprocess.run([sys.executable, "-m", "hlc.dask.command", "run", program, "--schedule=fast", f"input={path}",
                                    f"out={out}", "--memory=1GB", "--overwrite", "--chunks=256x256",
                                    f"--scheduler={cluster.scheduler_address}"], check=True, stdout=subprocess.DEVNULL)
                    return zarr.load(out).tobytes()
                try:
                    way = (graph, files)[run % 2]
                    is_same, seconds = one_run(run, way, workers, whole, usual.get(way.__name__))
                    usual.setdefault(way.__name__, seconds)
                    same += is_same and run >= 0
                finally:
                    workers.end()
        print(f"{same} of {runs} results have the same bytes")


def one_run(run, way, workers, whole, usual):
    """Tells of a run; returns whether its result has the bytes of the whole, and its seconds. `usual` are those of a run
    without a kill."""
    watch, begin, count = Watch(workers.scheduler), time.monotonic(), 0
    if usual is None:
        found = way()
    else:
        with Killer(workers, run, usual) as killer:
            found = way()
        count = killer.count
    seconds = time.monotonic() - begin
    again, away = watch.end()
    print(f"run {run}, {way.__name__}: {seconds:.1f} s, {count} workers killed; {again} of {len(watch.computed)} tasks computed again, "
          f"{again * np.mean(watch.times or [0]):.2f} s of a worker; workers away for {away:.1f} s together; the same bytes: "
          f"{found == whole}", flush=True)
    return found == whole, seconds
