"""Calls of a job, one after the other, by one thread: what stays equal is packed once.

A call of the package packs each argument anew, some 100 microseconds. A task has many calls of its job, whose domains and
parameters are the same, so a Caller writes only the windows.
"""

import collections
import ctypes
import threading

from .. import _native, calls
from ..arrays import Window

MOST_KEPT = 8  # callers of a thread


class Questions:
    """Asks a pipeline what windows need. One thread at a time."""

    def __init__(self, job):
        self.job, self.pipeline = job, job.recipe.pipeline()
        self.frame = calls.Frame(self.pipeline._slots)
        self.given = {name: Window(domain=grid.domain) for name, grid in job.images.items()}
        self.outputs, self.block = job.slots(self.pipeline), [self.pipeline._inputs[name] for name in job.block]
        self.asked = self.packed = None

    def needs(self, box, block=()):
        """The box of each image, in the pipeline's order, that a window of the outputs needs."""
        pipeline, frame = self.pipeline, self.frame
        if self.packed is None:
            given = self.given | self.job.numbers(block) | self.job.windows(box)
            _, self.asked = pipeline._pack_question(frame, given, "needs")
            self.packed = bytes(frame.memory)
        else:
            ctypes.memmove(frame.base, self.packed, len(self.packed))
            for slot, number in zip(self.block, block):
                slot.pack(frame, number)
            for slot in self.outputs:
                slot.pack_query(frame, box[1], box[0])
        error = frame.ask(pipeline._compiled(), _native.QUERY, True)
        if error:
            raise pipeline._failure(frame, error)
        return tuple(slot.box(frame) for slot in self.asked)


class Caller:
    """Calls the pipeline of a job, with one thread. `outputs`: the slots of the components that it computes."""

    def __init__(self, job):
        self.job, self.pipeline, self.questions = job, job.recipe.pipeline(), Questions(job)
        self.outputs, self.block = job.slots(self.pipeline), [self.pipeline._inputs[name] for name in job.block]
        self.images = {slot.name: slot for slot in self.pipeline.inputs if slot.is_image}
        self.frame, self.is_running, self.keep = calls.Frame(self.pipeline._slots), False, []
        self.strips = None  # strips.py
        self.pack()

    def pack(self):
        """What all calls have: parameters, domains, and the outputs that are not computed, whose windows are empty."""
        job, pipeline, frame = self.job, self.pipeline, self.frame
        for slot in pipeline.inputs:
            if slot.is_image:
                slot.pack_domain(frame, Window(domain=job.images[slot.name].domain), None)
            elif slot.name not in job.block:
                pipeline._pack_scalar(frame, slot, job.parameters)
        for func, slot in zip(pipeline._funcs, pipeline.outputs):
            domain = job.outputs[func]
            slot.pack_domain(frame, Window(domain=domain), None)
            if func not in job.funcs:
                self.keep.append(slot.pack(frame, Window(slot.empty((0,) * slot.dimensions), domain[0])))
        frame.call.domains, frame.call.threads = ctypes.addressof(frame.domains), 1
        self.call = frame.python_call(pipeline._compiled())
        self.address = ctypes.addressof(self.call)

    def place(self, slot, array, origin):
        """Writes the buffer of an array; returns the array that must live until the call has ended."""
        if array.dtype != slot.dtype:
            array, _ = slot.convert(array)
        dims, address = slot.place(array), array.__array_interface__["data"][0]
        if dims is None or address % slot.alignment:
            array = slot.copy(array)
            dims, address = slot.place(array), array.__array_interface__["data"][0]
        dims = list(dims)
        dims[0::4] = [origin[k] for k in slot.axis_of]
        slot.write(self.frame, address, dims)
        return array

    def run(self, windows, needs, origin, results, block=()):
        """Computes `results`, arrays of the components that begin at `origin`, from arrays of the images, whose boxes are
        `needs`."""
        frame, pipeline, job = self.frame, self.pipeline, self.job
        self.is_running, keep = True, []
        try:
            for slot, array, need in zip(self.images.values(), windows, needs):
                keep.append(self.place(slot, array, need[0]))
                if slot.name in job.loose:
                    slot.pack_domain(frame, Window(domain=job.domain_of(slot.name, need)), None)
            for slot, number in zip(self.block, block):
                slot.pack(frame, number)
            for slot, array in zip(self.outputs, results):
                keep.append(self.place(slot, array, origin))
            error = _native.python_run(self.address, ())
            if error:
                raise pipeline._failure(frame, error)
        finally:
            self.is_running = False


class Callers(threading.local):
    """Of a thread, the last few."""

    def __init__(self):
        super().__init__()
        self.kept = collections.OrderedDict()

    def of(self, job):
        found = self.kept.get(id(job))
        if found is None or found.is_running:  # a handler of a signal may call what is being called
            found = self.kept[id(job)] = Caller(job)
            if len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
        else:
            self.kept.move_to_end(id(job))
        return found


CALLERS = Callers()
