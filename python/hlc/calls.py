"""Calls: their memory, how Ctrl-C and `cancel` end them, their threads, and the quick way.

A thread has a frame for each pipeline: the buffers, scalars and domains of its calls, the hlc_call, and the report. The
library reads arrays by the buffer protocol itself (include/hlc_python.h) if they are plain: of the right type, used
where they are, and no windows. `Plan` is what it needs for that. All other calls are packed by arrays.py, with a plan without arrays.

During a call in the main thread, the library has Python handle signals, so Ctrl-C ends it. A call of the compiler runs in
another thread (`aside`): the main thread waits for it, and Ctrl-C cancels it.
"""

import ctypes
import struct
import threading

import numpy as np

from . import _native
from ._native import lib
from .errors import ProgramError

NOT_PLAIN = 1  # what hlc_python_run answers for other calls
MOST_THREADS = 2**31 - 1


def is_main():
    return threading.current_thread() is threading.main_thread()


class Aside:
    """A call in another thread. The main thread waits for it, so Ctrl-C reaches it.

    Ctrl-C may come while the thread is started, and then nobody knows whether it was. So the first of the thread and
    `is_over` decides whether the call runs."""

    def __init__(self, call):
        self.call, self.answer, self.decided, self.done = call, None, {}, threading.Event()

    def run(self):
        if not self.decided.setdefault("it runs", True):
            return
        try:
            self.answer = self.call(), None
        except BaseException as error:
            self.answer = None, error
        self.done.set()

    def start(self):
        threading.Thread(target=self.run, daemon=True).start()

    def result(self):
        self.done.wait()
        value, error = self.answer
        if error:
            raise error
        return value

    def is_over(self):
        """Has it ended? If it has not begun, it never will."""
        return not self.decided.setdefault("it runs", False) or self.done.is_set()

    def finish(self, end):
        """Returns when it has ended, whatever Ctrl-C says: it uses the caller's arrays."""
        while True:
            try:
                if self.is_over():
                    return
                end()
                self.done.wait()
            except BaseException:
                pass


def aside(call, end):
    """The result of `call()`, which another thread runs. Ctrl-C in the main thread asks `end()` to end it. The exception
    is raised when it has ended, and uses no array any more."""
    if not is_main():
        return call()
    running = Aside(call)
    try:
        running.start()
        return running.result()
    except BaseException:
        running.finish(end)
        raise


def wait(call, end):
    """The result of `call()`, which another thread runs. Each Ctrl-C in the main thread asks `end()`; the call decides."""
    if not is_main():
        return call()
    running = Aside(call)
    try:
        try:
            running.start()
        except KeyboardInterrupt:
            if running.is_over():
                raise
            end()
        while True:
            try:
                return running.result()
            except KeyboardInterrupt:
                end()
    except BaseException:
        running.finish(end)
        raise


class Cancel:
    """Ends the calls that were given it: `edges.using(cancel=stop)(input=photo)`; another thread calls `stop.set()`.
    A call that begins later ends at once, until `clear()`."""

    def __init__(self):
        # A handler of a signal may call `set` while its thread is in `enter`.
        self._lock, self._is_set, self._frames = threading.RLock(), False, set()

    def set(self):
        with self._lock:
            self._is_set = True
            for frame in self._frames:
                frame.cancel.value = 1

    def clear(self):
        with self._lock:
            self._is_set = False

    def is_set(self):
        return self._is_set

    def __reduce__(self):
        raise TypeError("an hlc.Cancel cannot be pickled: it is of one process")

    def enter(self, frame):
        with self._lock:
            self._frames.add(frame)
            if self._is_set:
                frame.cancel.value = 1

    def leave(self, frame):
        with self._lock:
            self._frames.discard(frame)


class Using:
    """A pipeline whose calls use so many threads, and can be cancelled."""

    def __init__(self, pipeline, threads, cancel):
        if threads is not None and not (hasattr(threads, "__index__") and 1 <= int(threads) <= MOST_THREADS):
            raise ProgramError(f"threads is a number from 1 on, not {threads!r}")
        if cancel is not None and not isinstance(cancel, Cancel):
            raise ProgramError(f"cancel is an hlc.Cancel, not {cancel!r}")
        self.pipeline, self.threads, self.cancel = pipeline, int(threads or 0), cancel

    def __call__(self, /, **given):
        return self.pipeline._call(given, self)

    def __repr__(self):
        return f"<{self.pipeline!r} using threads={self.threads or None}>"


class Frame:
    """The memory of the arguments of one thread's calls: pointers, then buffers and scalars; domains; the call; the
    report."""

    def __init__(self, slots):
        size = 8 * len(slots) + sum(slot.size for slot in slots)
        self.memory = ctypes.create_string_buffer(size)
        self.base = ctypes.addressof(self.memory)
        self.domains = (_native.Interval * max(sum(slot.dimensions for slot in slots), 1))()
        self.report = _native.Report()
        self.report_address = ctypes.addressof(self.report)
        self.cancel = ctypes.c_int32(0)
        self.call = _native.Call(ctypes.sizeof(_native.Call), _native.RUN, None, 0, ctypes.addressof(self.cancel))
        self.call_address = ctypes.addressof(self.call)
        self.is_running = False
        self.plans = {}  # names of the arguments, in order: Plan
        struct.pack_into(f"@{len(slots)}Q", self.memory, 0, *(self.base + slot.offset for slot in slots))

    def python_call(self, function, arrays=None, count=0):
        return _native.PythonCall(ctypes.addressof(_native.python), function, self.call_address, self.report_address,
                                  self.base, arrays and ctypes.addressof(arrays), count, is_main())

    def run(self, function):
        """Runs the call that is packed; returns the error."""
        call = self.python_call(function)
        return _native.python_run(ctypes.addressof(call), ())

    def ask(self, function, what, has_domains):
        """Asks a question of the window form; the next calls run."""
        self.call.what = what
        self.call.domains = ctypes.addressof(self.domains) if has_domains else None
        try:
            return self.run(function)
        finally:
            self.call.what, self.call.domains = _native.RUN, None


def place_slots(slots):
    """Gives each slot its place in a frame."""
    offset, dimension = 8 * len(slots), 0
    for slot in slots:
        slot.offset, slot.first = offset, dimension
        offset += slot.size
        dimension += slot.dimensions


class Plan:
    """How the calls with arguments of these names, in this order, are run by the library. `find` returns None if some
    output is not given, or cannot be read so."""

    def __init__(self, pipeline, function, frame, names, outputs):
        images = [(slot, names.index(slot.name)) for slot in pipeline.inputs if slot.is_image]
        arrays = images + [(slot, names.index(name)) for slot, name in outputs]
        self.objects = [i for _, i in arrays]
        self.scalars = [(slot, names.index(slot.name) if slot.name in names else -1)
                        for slot in pipeline.inputs if not slot.is_image]
        self.results = self.objects[len(images):]
        self.arrays = (_native.PythonArray * max(len(arrays), 1))()
        for record, (slot, i) in zip(self.arrays, arrays):
            slot.pack_query(frame)
            record.buffer = frame.base + slot.offset
            record.formats, record.object = slot.formats, i
            record.layout, record.is_output, record.bytes = slot.layout, slot.is_output, slot.itemsize
            record.axes[:slot.dimensions] = slot.axis_of
        self.call = frame.python_call(function, self.arrays, len(arrays))
        self.address = ctypes.addressof(self.call)

    @classmethod
    def find(cls, pipeline, function, frame, given):
        names, funcs = list(given), pipeline._funcs
        outputs = []
        for func, slot in zip(funcs, pipeline.outputs):
            name = func if func in given else "out" if len(funcs) == 1 and "out" in given else None
            if name is None or funcs.count(func) > 1:
                return None
            outputs.append((slot, name))
        if not all(slot.formats for slot in pipeline._slots if slot.is_image):
            return None
        return cls(pipeline, function, frame, names, outputs)

    def run(self, values, frame):
        """What the library answers, or NOT_PLAIN."""
        for i in self.objects:
            if type(values[i]) is not np.ndarray:
                return NOT_PLAIN
        for slot, i in self.scalars:
            slot.pack(frame, slot.default if i < 0 or values[i] is None else values[i])
        return _native.python_run(self.address, values)
