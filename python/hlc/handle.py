"""Handles of the library: one thread uses one at a time; Ctrl-C undoes what it does; a fork leaves it whole.

A lock guards a handle (include/hlc.h). It lets in the handlers of signals of the thread that holds it, which are refused. A
fork may copy a handle while another thread is in it: then the child refuses it, instead of waiting for a thread that is gone.
"""

import os
import threading
import weakref

import numpy as np

from . import _native, calls, errors
from ._native import lib
from .errors import ProgramError


class Handle:
    """An hlc handle, with its lock."""

    def __init__(self):
        self.pointer = lib.hlc_create()
        if not self.pointer:
            raise MemoryError
        self.lock = threading.RLock()
        self.is_torn = False  # a fork copied it while another thread was in it
        self.is_busy = False
        self.owner = weakref.finalize(self, lib.hlc_destroy, self.pointer)
        HANDLES.add(self)

    def settle_in_child(self):
        """After a fork, in the child: the thread that holds the lock may be gone, and what it did is half done."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
            return
        self.lock, self.is_torn = threading.RLock(), True
        self.owner.detach()

    def check(self):
        """Refuses a call of the handle that would meet another one."""
        if self.is_torn:
            raise RuntimeError("the process was forked while another thread compiled this pipeline: load it again")
        if self.is_busy:
            raise RuntimeError("a handler of a signal asks the compiler about a pipeline while it is compiled or asked "
                               "about: load another one for the handler, or call it once before")

    def guarded(self, way, call, end):
        """The result of `way(call, end)`, of calls.aside or calls.wait. The lock lets in the handlers of signals of the thread
        that holds it."""
        self.check()
        self.is_busy = True
        try:
            return way(call, end)
        finally:
            self.is_busy = False

    def settle(self, status, unsaid=()):
        """Raises what went wrong in a call with this status; otherwise warns of what was said, but for the codes `unsaid`.
        Returns whether the answer is yes, or with `unsaid` whether such a code was said."""
        said = errors.take(self.pointer)
        if status not in (_native.YES, _native.NO):
            raise errors.of_status(status, said)
        for diagnostic in said:
            if diagnostic.severity == "error":
                raise errors.of_status(_native.USER, said)
            if diagnostic.code not in unsaid:
                errors.warn(str(diagnostic), errors.Warning)
        return any(d.code in unsaid for d in said) if unsaid else status == _native.YES

    def run(self, call):
        """The result of a call of the handle, under its lock. Ctrl-C in the main thread undoes it."""
        self.check()
        try:
            return self.guarded(calls.aside, call, lambda: lib.hlc_cancel(self.pointer))
        except BaseException:
            errors.take(self.pointer)
            lib.hlc_resume(self.pointer)
            raise

    def text(self, call):
        """(answer, what the call printed to its FILE)."""
        with self.lock:
            status, text = self.run(lambda: _native.text_of(call))
            return self.settle(status), text.decode()


HANDLES = weakref.WeakSet()


def settle_in_child():
    for handle in list(HANDLES):
        handle.settle_in_child()


os.register_at_fork(after_in_child=settle_in_child)


def constant_text(value):
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, type) or isinstance(value, np.dtype):
        dtype = np.dtype(value)
        return "bool" if dtype == np.bool_ else f"{dtype.kind}{dtype.itemsize * 8}"
    return str(value)


def open_file(load, constants, schedule, windows):
    """A handle with a loaded file. `load(handle)` loads it."""
    handle = Handle()
    pointer = handle.pointer
    if windows:
        handle.settle(lib.hlc_use_windows(pointer))
    for name, value in constants.items():
        handle.settle(lib.hlc_set_constant(pointer, name.encode(), constant_text(value).encode()))
    if schedule and "(" in schedule:
        handle.settle(lib.hlc_add_schedule(pointer, schedule.encode()))
    handle.settle(handle.run(lambda: load(pointer)))
    for name in constants:
        if not lib.hlc_has_constant(pointer, name.encode()):
            raise ProgramError(f"no pipeline has a const parameter {name}")
    return handle
