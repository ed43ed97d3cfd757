"""How large a task is, and how many run at a time, so that a process stays within its memory.

What a task holds: the windows of the images, the outputs, what a call allocates (the contract's peak, of a strip), and a
chunk or two of each file while it is read or written. So many tasks run at a time as fit into the limit, less what the
process has before.
"""

import math

from ..errors import ProgramError
from .calling import Caller
from .grids import Grid
from .memory import bytes_text, of_process
from .strips import Strips

WANTED = 32 * 2**20  # bytes of output of a task: more brings no speed
TASKS = 4  # of a thread, at least
RESERVE = 24 * 2**20  # what Python itself takes more, once it runs


class Sizing:
    """Of a job with its files. `unit` is the shape that all tasks are multiples of: the output's chunks in its file."""

    def __init__(self, job, stores, domain, unit):
        self.job, self.domain, self.unit = job, domain, tuple(max(u, 1) for u in unit)
        caller = Caller(job)
        self.pipeline, self.questions, self.strips = job.recipe.pipeline(), caller.questions, Strips(caller)
        self.images = [slot for slot in self.pipeline.inputs if slot.is_image]
        self.beside = sum(store.task_bytes() for store in stores)
        self.block_of = lambda box: ()

    def of_box(self, box, block=None):
        """Bytes of a task."""
        needs = self.questions.needs(box, self.block_of(box) if block is None else block)
        held = sum(math.prod(need[1]) * slot.itemsize for slot, need in zip(self.images, needs))
        out = math.prod(box[1]) * sum(slot.itemsize for slot in self.job.slots(self.pipeline))
        peak = self.strips.most(box, needs)
        return held + out + (held + out if peak is None else peak) + self.beside

    def of_chunk(self, chunk):
        """The most bytes of a task for chunks of this shape, of those at the ends and in the middle."""
        grid = Grid.regular(self.domain, chunk)
        return max((self.of_box(grid.box(block)) for block in grid.samples()), default=0)

    def fits(self, chunk, budget):
        return self.of_chunk(chunk) <= budget

    def grow(self, budget, threads):
        """The shape of a task: multiples of the unit, grown where it is shortest, as long as it fits, and as long as there
        are tasks for all threads."""
        chunk, shape = list(self.unit), self.domain[1]
        item = sum(slot.itemsize for slot in self.job.slots(self.pipeline))
        wanted = min(WANTED, math.prod(shape) * item // (TASKS * threads))
        open_axes = [k for k in range(len(shape)) if chunk[k] < shape[k]]
        while open_axes and 2 * math.prod(chunk) * item <= wanted:
            k = min(open_axes, key=lambda k: (chunk[k], -k))
            wider = list(chunk)
            wider[k] = chunk[k] * 2
            if self.fits(wider, budget):
                chunk = wider
            else:
                open_axes.remove(k)
                continue
            if chunk[k] >= shape[k]:
                open_axes.remove(k)
        return tuple(chunk)


def budget_of(limit):
    """What tasks may hold together."""
    return limit - of_process() - RESERVE


def would_do(limit, budget, held):
    """The least limit, in whole MB, under which a task fits."""
    return f"{-(-(limit - budget + held) // 10**6)}MB"


def spare(limit, held, most):
    """What chunks of the sources may take beside so many tasks."""
    return max(min(budget_of(limit) - held * most, limit // 4), 0)


def choose(sizing, limit, threads, given=None):
    """The shape of a task, its bytes, and how many run at a time."""
    budget = budget_of(limit)
    if given is None:
        chunk = sizing.grow(budget // threads, threads) if sizing.fits(sizing.unit, budget // threads) else sizing.unit
    else:
        chunk = given
        for c, u, n in zip(chunk, sizing.unit, sizing.domain[1]):
            if c % u and c < n:
                raise ProgramError(f"tasks of shape {tuple(chunk)} are no multiples of the chunks {sizing.unit} of the output's "
                                   "file: two tasks would write one chunk")
    held = sizing.of_chunk(chunk)
    most = min(threads, budget // held if held else threads)
    if most < 1:
        files = f", {bytes_text(sizing.beside)} of them for chunks of the files," if 2 * sizing.beside > held else ""
        raise ProgramError(f"a task for {tuple(chunk)} points of {', '.join(sizing.job.funcs)} holds {bytes_text(held)}{files} and of "
                           f"the limit of {bytes_text(limit)} there are {bytes_text(max(budget, 0))} beside what Python and the "
                           f"libraries take: give --memory={would_do(limit, budget, held)}, or smaller chunks")
    return tuple(chunk), held, int(most)
