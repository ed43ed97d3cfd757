"""What a task does: fill the windows of the images, and call the pipeline, strip by strip (strips.py).

A Job is what all tasks of an output share: the recipe, the output, the domains, the chunks of the images, the parameters.
It is one key of the graph, so a worker gets it once. A task is (compute, job, box, needs, chunks of each image): the window
of the output and those of the images are numbers that the graph's maker has asked the pipeline for.
"""

import itertools
import math

import numpy as np

from ..arrays import Window
from ..errors import ProgramError
from .calling import CALLERS
from .grids import hull, overlap, slices
from .strips import Strips


class Job:
    """Computes the outputs `funcs` of a pipeline, at one box. `images`: {name: Grid of its chunks}; `outputs`: {func:
    domain}, of all; `parameters`: {name: number}; `block`: names of parameters that each task has values of; `loose`: names of
    images whose windows may lie beyond the array: no value depends on what is there, nor on their domain
    (docs/large-split.md)."""

    def __init__(self, recipe, funcs, images, outputs, parameters, block=(), loose=()):
        self.recipe, self.funcs, self.images, self.outputs = recipe, tuple(funcs), dict(images), dict(outputs)
        self.parameters, self.block, self.loose = dict(parameters), tuple(block), frozenset(loose)

    def __dask_tokenize__(self):
        return (self.recipe.token, self.funcs, [(name, grid.chunks, grid.origin) for name, grid in self.images.items()],
                list(self.outputs.items()), sorted((k, repr(v)) for k, v in self.parameters.items()))

    def __repr__(self):
        return f"<{', '.join(self.funcs)} of {self.recipe!r}>"

    def windows(self, box):
        """Of all outputs where a task computes this box. The others are empty, and need nothing; 0 dimensions cannot be
        empty."""
        found = {func: Window((0,) * len(shape), origin, (origin, shape))
                 for func, (origin, shape) in self.outputs.items()}
        return found | {func: Window(box[1], box[0], self.outputs[func]) for func in self.funcs}

    def domain_of(self, image, need):
        """Of a window of an image."""
        domain = self.images[image].domain
        return hull(domain, need) if image in self.loose and 0 not in need[1] else domain

    def slots(self, pipeline):
        """Of the components of the outputs."""
        return [slot for func, slot in zip(pipeline._funcs, pipeline.outputs) if func in self.funcs]

    def numbers(self, block):
        """The parameters of a task."""
        return self.parameters | dict(zip(self.block, block))

    def accepts(self):
        """As Pipeline.accepts, of the whole."""
        wholes = {name: Window(grid.shape, grid.origin, grid.domain) for name, grid in self.images.items()}
        wholes |= {func: Window(shape, origin, (origin, shape)) for func, (origin, shape) in self.outputs.items()}
        return self.recipe.pipeline().accepts(**wholes, **self.parameters)


class Pieces:
    """The chunks of an image that a task has: windows are views of them, or copies. `need` is the box of all windows,
    `pieces` the chunks that it touches."""

    def __init__(self, slot, grid, need, pieces):
        self.slot, self.grid, self.memory, self.parts = slot, grid, None, []
        for block, piece in zip(itertools.product(*grid.touched(need)), pieces):
            low, shape = grid.box(block)
            piece = np.asarray(piece)
            if piece.shape != shape or (piece.dtype != slot.dtype and piece.dtype.newbyteorder("=") != slot.dtype):
                raise ProgramError(f"{slot.name}: its chunk {block} has the shape {piece.shape} and elements {piece.dtype}, "
                                   f"not {shape} and {slot.dtype} as its array states")
            self.parts.append((low, tuple(o + n for o, n in zip(low, shape)), piece))

    def is_copied(self):
        return len(self.parts) > 1

    def window(self, box):
        """A view if one chunk has all and its memory serves, else a copy, the only one. The copy of the next window has the
        same memory. What lies beyond all chunks is 0."""
        slot, (low, shape), found = self.slot, box, []
        high = tuple(o + n for o, n in zip(low, shape))
        for begin, end, piece in self.parts:
            there, here = [], []
            for a, b, c, d in zip(low, high, begin, end):
                c, e, d = max(a, c), c, min(b, d)
                if c >= d:
                    break
                there.append(slice(c - a, d - a))
                here.append(slice(c - e, d - e))
            else:
                found.append((tuple(there), piece[(*here, ...)]))
        is_within = overlap(box, self.grid.domain)[1] == shape
        if len(found) == 1 and is_within:
            view = found[0][1]
            if view.dtype == slot.dtype and slot.place(view) is not None and \
                    view.__array_interface__["data"][0] % slot.alignment == 0:
                return view
        memory = self.dense(shape) if is_within else slot.zeros(shape)
        for there, view in found:
            memory[there] = view
        return memory

    def dense(self, shape):
        """Memory for a window. That of the first strip serves the others, unless they are larger."""
        count = math.prod(shape)
        if self.memory is None or len(self.memory) < count:
            self.memory = np.empty(max(count, 1), self.slot.dtype)
        return self.slot.within(self.memory, shape)


class Held:
    """The window of an image that a task has in memory: windows are parts of it."""

    def __init__(self, window):
        self.array, self.origin = window.array, window.origin

    def is_copied(self):
        return False

    def window(self, box):
        return self.array[(*slices(box, self.origin), ...)]


def compute_from(job, box, needs, sources, block=(), results=None):
    """The components at a box, in strips. `sources`: of each image Pieces or Held. `results`: arrays to compute into."""
    caller = CALLERS.of(job)
    strips = caller.strips = caller.strips or Strips(caller)
    results = results or [slot.empty(box[1]) for slot in caller.outputs]
    for strip, parts in strips.of(box, needs, [source.is_copied() for source in sources]):
        windows = [source.window(need) for source, need in zip(sources, parts)]
        caller.run(windows, parts, strip[0], [result[(*slices(strip, box[0]), ...)] for result in results], block)
    return tuple(results)


def run(job, box, windows, block=(), results=None):
    """The same from the windows of the images: {name: Window}. Several components are a tuple."""
    caller = CALLERS.of(job)
    needs = [(windows[name].origin, windows[name].shape) for name in caller.images]
    found = compute_from(job, box, needs, [Held(windows[name]) for name in caller.images], block, results)
    return found if len(found) > 1 else found[0]


def compute(job, box, needs, *pieces):
    """A task of a graph. `pieces`: of each image the chunks that its window touches."""
    return compute_block(job, (), box, needs, *pieces)


def compute_block(job, block, box, needs, *pieces):
    """Likewise, of a job with a block of a reduction."""
    images = (slot for slot in job.recipe.pipeline().inputs if slot.is_image)
    sources = [Pieces(slot, job.images[slot.name], need, given) for slot, need, given in zip(images, needs, pieces)]
    found = compute_from(job, box, needs, sources, block)
    return found if len(found) > 1 else found[0]


def nothing(job, shape):
    """A chunk without a point: the pipeline is not called."""
    found = tuple(slot.empty(shape) for slot in job.slots(job.recipe.pipeline()))
    return found if len(found) > 1 else found[0]
