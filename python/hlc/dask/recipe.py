"""A pipeline that can be sent: what it takes to make the same pipeline in another process.

A Pipeline owns machine code and cannot be pickled. A Recipe has its text, with imports and const arguments expanded, the
names of the pipeline and of its schedule, the axes, and the options. A graph holds one Recipe, so it is sent once. A
process compiles it once, when its first task asks, and keeps it. Machine code is of the processor that runs it; bytes of
results are not. So processors may differ, and versions of hlc may not.
"""

import collections
import hashlib
import re
import threading

from .. import _native, pipeline as pipelines
from .._native import lib
from ..errors import ProgramError

MOST_KEPT = 64  # pipelines of a process
GIVEN = "given_in_python"  # the name of a schedule that was given with arguments


def version():
    """What must be equal where a graph is made and where it runs."""
    return f"{lib.hlc_version().decode()} ({_native.ABI})"


def expanded(pipeline):
    """The text of the pipeline's file without compile-time constructs, and the name of the schedule in it."""
    _, text = pipeline._handle.text(lambda file: lib.hlc_expand(pipeline._handle.pointer, file))
    schedule = pipeline.schedule
    if "(" in schedule:  # it is printed as `schedule fast(v = 4) for ..`, beside the one with the defaults
        name = re.escape(schedule.split("(")[0].strip())
        text, count = re.subn(rf"^schedule {name}\([^\n]*\) for (\w+) \{{", rf"schedule {GIVEN} for \1 {{", text,
                              flags=re.M)
        if count != 1:
            raise ProgramError(f"the schedule {schedule} of {pipeline.name} cannot be sent: write it into the file")
        schedule = GIVEN
    return text, schedule


class Recipe:
    """How to make a pipeline in the window form."""

    def __init__(self, text, name, schedule="", axes=None, optimize=2):
        self.text, self.name, self.schedule = text, name, schedule
        self.axes, self.optimize = dict(axes or {}), optimize
        self.version = version()
        said = (self.text, self.name, self.schedule, sorted((k, str(v)) for k, v in self.axes.items()), self.optimize,
                self.version)
        #: The same for the same pipeline, in all processes.
        self.token = hashlib.sha256(repr(said).encode()).hexdigest()[:32]

    @classmethod
    def of(cls, pipeline):
        """Of a Pipeline, whose loops need not be interruptible: a task is short."""
        text, schedule = expanded(pipeline)
        return cls(text, pipeline.name, schedule, pipeline._axes, pipeline._options.optimize)

    def __dask_tokenize__(self):
        return self.token

    def __repr__(self):
        return f"<recipe of the hlc pipeline {self.name}, schedule {self.schedule or 'empty'}>"

    def pipeline(self):
        """The pipeline of this process."""
        return KEPT.pipeline(self)

    def make(self):
        if self.version != version():
            raise ProgramError(f"{self.name}: the graph was made by hlc {self.version}, and this process has hlc "
                               f"{version()}: install one version on all workers")
        made = pipelines.compile(self.text, pipeline=self.name, schedule=self.schedule or None, axes=self.axes,
                                 windows=True, interruptible=False, optimize=self.optimize)
        made._compiled()
        return made


class Kept:
    """The pipelines that this process has made, each once, whatever the number of threads that ask."""

    def __init__(self):
        self.lock, self.made, self.making = threading.Lock(), collections.OrderedDict(), {}

    def pipeline(self, recipe):
        with self.lock:
            found = self.made.get(recipe.token)
            if found is not None:
                self.made.move_to_end(recipe.token)
                return found
            making = self.making.setdefault(recipe.token, threading.Lock())
        with making:
            with self.lock:
                found = self.made.get(recipe.token)
            if found is None:
                found = recipe.make()
                with self.lock:
                    self.made[recipe.token] = found
                    self.making.pop(recipe.token, None)
                    while len(self.made) > MOST_KEPT:
                        self.made.popitem(last=False)
        return found


KEPT = Kept()
