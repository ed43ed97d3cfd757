"""Tasks that read, compute and write by themselves, so many at a time.

Dask's threaded scheduler starts what can start, and keeps results until they are used: it has no bound on memory. Here a
task returns nothing, and a bounded number is in flight. `Local` runs them in threads of this process, `Cluster` on the
workers of a Dask scheduler. Writing a chunk twice writes the same bytes, so tasks may be repeated when workers fail.
"""

import concurrent.futures
import logging
import math
import threading

import numpy as np

from ..arrays import Window
from ..errors import WorldError
from .calling import CALLERS
from .task import run


WAIT = 30  # seconds for the first worker


class Gates:
    """Of this process: how many tasks of a run may be in it at one time. A cluster's workers may have more threads."""

    def __init__(self):
        self.lock, self.gates = threading.Lock(), {}

    def gate(self, token, count):
        with self.lock:
            return self.gates.setdefault((token, count), threading.BoundedSemaphore(count))


GATES = Gates()


class Step:
    """A job with where its images are and where its results go. `sources`: {image: store}; `sinks`: stores of the
    components; `gate`: a token, and how many tasks of one process; `cache` has chunks of the sources, or is None."""

    def __init__(self, job, sources, sinks, gate, cache=None):
        self.job, self.sources, self.sinks, self.gate, self.cache = job, dict(sources), list(sinks), gate, cache
        self.spaces = []  # of tasks that have ended

    def __reduce__(self):
        return Step, (self.job, self.sources, self.sinks, self.gate)


class Space:
    """Memory of a task, which the next one uses again: fresh pages for each would cost as much time as the work."""

    def __init__(self):
        self.kept = {}

    def array(self, slot, shape):
        """An array in the layout of the image or component."""
        count, kept = math.prod(max(n, 1) for n in shape), self.kept.get(slot.name)
        if kept is None or len(kept) < count:
            self.kept[slot.name] = None  # before the larger one
            kept = self.kept[slot.name] = np.empty(count, slot.dtype)
        return slot.within(kept, shape)


def perform(step, box, block=()):
    """A task: reads windows, computes, writes."""
    with GATES.gate(*step.gate):
        try:
            space = step.spaces.pop()
        except IndexError:
            space = Space()
        results = [space.array(slot, box[1]) for slot in step.job.slots(step.job.recipe.pipeline())]
        for sink, result in zip(step.sinks, compute_box(step, box, block, (), space, results)):
            sink.write(box, result)
        step.spaces.append(space)


def compute_box(step, box, block=(), given=(), space=None, results=None):
    """The components at a box, from windows that are read; `given` are windows that need no reading. `results` are arrays to
    compute into; windows are read into the space."""
    job, pipeline = step.job, step.job.recipe.pipeline()
    needs = CALLERS.of(job).questions.needs(box, block)
    windows = dict(given)
    for slot, need in zip((slot for slot in pipeline.inputs if slot.is_image), needs):
        if slot.name not in windows:
            store = step.sources[slot.name]
            windows[slot.name] = Window(store.read(slot, need, step.cache, space), need[0], job.domain_of(slot.name, need))
    results = run(job, box, windows, block, results)
    return results if isinstance(results, tuple) else (results,)


class Local:
    """Threads of this process."""

    def __init__(self, threads):
        self.each = threads  # of a process
        self.wanted = None  # in flight: as many as may run
        self.pool = concurrent.futures.ThreadPoolExecutor(threads, "hlc-dask")

    def share(self, value):
        return value

    def submit(self, function, *arguments):
        return self.pool.submit(function, *arguments)

    def first(self, running):
        return concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done

    def result(self, future):
        return future.result()

    def drop(self, running):
        for future in running:
            future.cancel()
        concurrent.futures.wait(running)

    def close(self):
        self.pool.shutdown(cancel_futures=True)


class Cluster:
    """The workers of a scheduler at an address."""

    def __init__(self, address, retries=10):
        import distributed
        from distributed.comm import CommClosedError
        self.distributed, self.retries, self.address = distributed, retries, address
        self.lost = TimeoutError, distributed.TimeoutError, CommClosedError, concurrent.futures.CancelledError
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it logs, we say
        try:
            self.client = distributed.Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise WorldError(f"{address}: no Dask scheduler answers there: {error}") from None
        try:
            self.client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            self.client.close()
            raise WorldError(f"{address}: the Dask scheduler has no workers") from None
        workers = list(self.client.scheduler_info()["workers"].values())
        self.each = max(worker["nthreads"] for worker in workers)
        self.wanted = 2 * sum(worker["nthreads"] for worker in workers)  # each worker has its next task

    def share(self, value):
        """One key, which a worker gets once, and which is sent again if workers fail."""
        return self.client.submit(itself, value, pure=False)

    def submit(self, function, *arguments):
        return self.client.submit(function, *arguments, pure=False, retries=self.retries)

    def first(self, running):
        """Those that are done. A scheduler that goes away, or one without workers for twice WAIT seconds, ends the run."""
        idle = 0
        while True:
            try:
                with self.client.as_current():  # `wait` asks the current client, and this one is no default
                    done = self.distributed.wait(list(running), timeout=WAIT, return_when="FIRST_COMPLETED").done
            except (TimeoutError, self.distributed.TimeoutError):
                idle = 0 if self.client.scheduler_info()["workers"] else idle + 1
                if idle == 2:
                    raise WorldError(f"{self.address}: the Dask scheduler has no workers any more") from None
                continue
            except (OSError, concurrent.futures.CancelledError) as error:
                raise self.gone(error) from None
            if any(future.status in ("cancelled", "lost") for future in done):
                raise self.gone("its tasks are cancelled")
            return done

    def result(self, future):
        """Of a task, or the task's error."""
        try:
            return future.result()
        except self.lost as error:
            raise self.gone(error) from None

    def gone(self, error):
        return WorldError(f"{self.address}: the Dask scheduler is gone: {error or type(error).__name__}")

    def drop(self, running):
        try:
            self.client.cancel(list(running), force=True)
        except (OSError, concurrent.futures.CancelledError):
            pass  # no scheduler, no tasks

    def close(self):
        self.client.close()


def itself(value):
    return value


def drive(engine, most, tasks, tell=None, results=None):
    """Runs the calls of `tasks` (function, argument, ..), at most so many at a time, until one fails. Returns how many.
    `results` is a dictionary that gets the result of each, by its number."""
    running, done, tasks, more = {}, 0, enumerate(tasks), True
    try:
        while running or more:
            while more and len(running) < most:
                number, call = next(tasks, (0, None))
                more = call is not None
                if more:
                    running[engine.submit(*call)] = number
            for future in engine.first(running) if running else ():
                number, result = running.pop(future), engine.result(future)
                if results is not None:
                    results[number] = result
                done += 1
                if tell:
                    tell(done)
    finally:
        if running:
            engine.drop(running)
    return done
