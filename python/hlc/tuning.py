"""Schedules that are chosen for given arguments: `Pipeline.tune`."""

import ctypes
import sys

from . import _native, calls, errors
from ._native import lib
from .errors import ProgramError


def printed(what, share):
    sys.stderr.write(f"\r{what}: {share:.0%} ")
    sys.stderr.flush()


class Finish:
    """What the library asks while it measures. The first Ctrl-C ends the measuring, the next one the call. Before
    anything is measured the first one ends the call."""

    def __init__(self, handle):
        self.handle, self.is_measuring, self.is_finished, self.is_cancelled = handle, False, False, False
        self.function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self.ask)

    def ask(self, data):
        self.is_measuring = True
        return int(self.is_finished)

    def end(self):
        if self.is_finished or not self.is_measuring:
            self.is_cancelled = True
            lib.hlc_cancel(self.handle.pointer)
        self.is_finished = True


def tell_of(progress):
    """The C function of `progress`, and a list for the exception that it raises."""
    raised = []

    def tell(data, what, share):
        try:
            progress(what.decode(errors="replace"), share)
        except BaseException as error:
            raised.append(error)

    return _native.Progress(tell if progress else 0), raised


def choose(made, seconds, name, extend, threads, progress, given):
    """Adds the schedule to the handle of the pipeline `made`; returns its text."""
    handle, finish = made._handle, Finish(made._handle)
    tell, raised = tell_of(printed if progress is True else progress)
    outputs = made._outputs_of(given)
    options = _native.ScheduleOptions(made.name.encode(), name.encode(), extend.encode() if extend else None,
                                      int(threads), float(seconds), ctypes.cast(finish.function, ctypes.c_void_p))
    with handle.lock:
        bound, keep = made._bound(given, outputs)
        try:
            lib.hlc_on_progress(handle.pointer, tell if progress else None, None)
            status, text = handle.guarded(calls.wait, lambda: _native.text_of(
                lambda file: lib.hlc_schedule(handle.pointer, ctypes.byref(options), bound, file)), finish.end)
        finally:
            lib.hlc_on_progress(handle.pointer, None, None)
            lib.hlc_arguments_destroy(bound)
            if progress is True:
                sys.stderr.write("\n")
        del keep
        if finish.is_cancelled:
            errors.take(handle.pointer)
            lib.hlc_resume(handle.pointer)
            raise KeyboardInterrupt
        handle.settle(status)
    if raised:
        raise raised[0]
    if finish.is_finished:
        errors.warn(f"{made.name}: the measuring was interrupted; the schedule is the best so far", errors.Warning)
    return text.decode()


def tune(pipeline, seconds, name, extend, threads, progress, given):
    if not seconds >= 0:
        raise ProgramError(f"seconds is 0 or more, not {seconds!r}")
    made = pipeline.with_schedule(extend)
    if name in made.schedules:
        raise ProgramError(f"{made.name} has a schedule {name} in its file: name=.. names another")
    made.schedule_text = choose(made, seconds, name, extend, threads, progress, given)
    made.schedule = name
    made.schedules = [*made.schedules, name]
    return made
