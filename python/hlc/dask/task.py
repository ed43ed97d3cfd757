"""What a task does: fill one window of each image, and call the pipeline once.

A Job is what all tasks of an output share: the recipe, the output, the domains, the chunks of the images, the parameters.
It is one key of the graph, so a worker gets it once. A task is (compute, job, box, needs, chunks of each image): the window
of the output and those of the images are numbers that the graph's maker has asked the pipeline for.
"""

import itertools

import numpy as np

from .. import _native, calls
from ..arrays import Window
from ..errors import ProgramError
from .grids import hull, overlap, slices


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


class Questions:
    """Asks a pipeline what windows need. One thread at a time."""

    def __init__(self, job):
        self.job, self.pipeline = job, job.recipe.pipeline()
        self.frame = calls.Frame(self.pipeline._slots)
        self.given = {name: Window(domain=grid.domain) for name, grid in job.images.items()}

    def needs(self, box, block=()):
        """The box of each image, in the pipeline's order, that a window of the outputs needs."""
        pipeline, given = self.pipeline, self.given | self.job.numbers(block) | self.job.windows(box)
        _, asked = pipeline._pack_question(self.frame, given, "needs")
        error = self.frame.ask(pipeline._compiled(), _native.QUERY, True)
        if error:
            raise pipeline._failure(self.frame, error)
        return tuple(slot.box(self.frame) for slot in asked)


def fill(slot, box, grid, pieces):
    """The window of an image, from the chunks that have points of it: a view if one chunk has all and its memory serves,
    else a copy, the only one. What lies beyond all chunks is 0."""
    blocks = list(itertools.product(*grid.touched(box)))
    memory = None if overlap(box, grid.domain)[1] == tuple(box[1]) else slot.zeros(box[1])
    for block, piece in zip(blocks, pieces):
        chunk = grid.box(block)
        piece = np.asarray(piece)
        if piece.shape != chunk[1] or piece.dtype.newbyteorder("=") != slot.dtype:
            raise ProgramError(f"{slot.name}: its chunk {block} has the shape {piece.shape} and elements {piece.dtype}, "
                               f"not {chunk[1]} and {slot.dtype} as its array states")
        part = overlap(box, chunk)
        view = piece[slices(part, chunk[0])]
        if len(blocks) == 1 and memory is None and piece.dtype == slot.dtype and slot.place(view) is not None and \
                view.ctypes.data % slot.alignment == 0:
            return view
        if memory is None:
            memory = slot.empty(box[1])
        memory[slices(part, box[0])] = view
    return slot.empty(box[1]) if memory is None else memory


def run(job, box, windows, block=()):
    """Computes a box of the outputs from the windows of the images: {name: Window}. Several components are a tuple."""
    pipeline = job.recipe.pipeline()
    results = pipeline.using(threads=1)(**windows, **job.numbers(block), **job.windows(box))
    if pipeline._result is None:
        return results
    found = tuple(result for func, result in zip(pipeline._funcs, results) if func in job.funcs)
    return found if len(found) > 1 else found[0]


def compute(job, box, needs, *pieces):
    """A task of a graph. `pieces`: of each image the chunks that its window touches."""
    return compute_block(job, (), box, needs, *pieces)


def compute_block(job, block, box, needs, *pieces):
    """Likewise, of a job with a block of a reduction."""
    images = (slot for slot in job.recipe.pipeline().inputs if slot.is_image)
    windows = {}
    for slot, need, given in zip(images, needs, pieces):
        grid = job.images[slot.name]
        windows[slot.name] = Window(fill(slot, need, grid, given), need[0], job.domain_of(slot.name, need))
    return run(job, box, windows, block)


def nothing(job, shape):
    """A chunk without a point: the pipeline is not called."""
    found = tuple(slot.empty(shape) for slot in job.slots(job.recipe.pipeline()))
    return found if len(found) > 1 else found[0]
