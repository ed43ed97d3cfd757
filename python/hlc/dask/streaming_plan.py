"""Plans from files to files: `hlc-dask run --split`.

Arrays between steps are Zarr files in a folder beside the output, which is removed at the end. A chain keeps its
accumulator in memory: a task carries a window of it through many blocks. Where the operator has a merge, each thread carries
an accumulator of its own through a stretch of blocks, from the identity, and the stretches are merged in order.
"""

import math
import os
import shutil
import tempfile

import numpy as np

from .. import arrays
from ..arrays import Window
from ..errors import ProgramError
from .calling import CALLERS
from .engine import Step as FileStep
from .engine import compute_box, drive
from .grids import Grid, in_axes, slices
from .plans import Plan, asked_of, block_ends
from .recipe import Recipe
from .sizing import Sizing, budget_of, choose
from .stores import Store, default_chunks
from .task import run as run_job

BLOCK = 64 * 2**20  # bytes of a block of a chain
STRETCHES = 4  # of a thread


class Folder:
    """Files of arrays between steps."""

    def __init__(self, beside):
        self.path = tempfile.mkdtemp(prefix=".hlc-", dir=os.path.dirname(os.path.realpath(beside)))

    def store(self, number, slot, box, chunks):
        made = Store(os.path.join(self.path, f"{number}.zarr"), box[1], slot.dtype, chunks, box[0])
        made.create()
        return made

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class PlanRun:
    """A plan that runs. `stores`: {array: its file}."""

    def __init__(self, run, plan, files, folder):
        self.run, self.plan, self.folder = run, plan, folder
        self.stores = dict(files.stores)
        self.engine, self.request = run.engine, run.request
        self.threads = self.engine.each
        self.wanted = self.engine.wanted or self.threads

    def output_of(self, array, box, asked, outputs):
        """The name of the only output that is this array, as it is; None if there is none."""
        names = [output["name"] for output in self.plan.outputs if output["array"] == array]
        func = names[0].split(".")[0] if len(names) == 1 else None
        return names[0] if func in asked and outputs[func] == box else None

    def job(self, part, box, extra=None, block=()):
        grids = {image: self.stores[array].grid() for image, array in part.images.items()} | (extra or {})
        return part.job(box, grids, self.plan.parameters, block)

    def sources(self, part):
        return {image: self.stores[array] for image, array in part.images.items()}

    def file_step(self, job, part, sinks, most):
        return self.engine.share(FileStep(job, self.sources(part), sinks, (job.recipe.token, most)))

    def step(self, number, step, interval, sinks):
        box = self.plan.boxes[step.arrays[0]]
        if step.kind == "map":
            self.run.map(self.job(step.part, box), self.sources(step.part), sinks, box, sinks[0].chunks)
        elif step.kind == "chain":
            self.chain(step, interval, box, sinks)
        else:
            self.scan(step, box, sinks)

    # ---- chains ----

    def chain(self, step, interval, box, sinks):
        grid = cut(step, box, sinks[0].chunks)
        before = {image: grid for image in step.before}
        job = self.job(step.part, box, before, step.block)
        sizing = Sizing(job, [*self.sources(step.part).values(), *sinks], box, sinks[0].chunks)
        budget = budget_of(self.request.limit) // self.threads
        sample = max((grid.box(w) for w in grid.samples()), key=lambda b: math.prod(b[1]))
        blocks = block_ends(interval, lambda b: sizing.of_box(sample, b), min(BLOCK, max(budget, 1)))
        if blocks and sizing.of_box(sample, blocks[0]) > budget:
            raise ProgramError(f"{step.part.pipeline.name}: an iteration of the outermost reduction variable holds "
                               f"{sizing.of_box(sample, blocks[0])} bytes, and a task may have {budget}: give a larger --memory")
        stretches = self.stretches(step, blocks)
        shared = self.file_step(job, step.part, sinks, self.threads)
        starts = {w: [self.stores[step.before[image]].array("r")[slices(grid.box(w), self.stores[step.before[image]].origin)]
                      for image in step.before] for w in grid.blocks()}
        identity = None
        if len(stretches) > 1:
            found = self.job(step.identity, box)
            identity = {w: as_tuple(run_job(found, grid.box(w), {})) for w in grid.blocks()}
        calls = ((carry, shared, list(step.before), grid.box(w), stretch, (identity or starts)[w])
                 for w in grid.blocks() for stretch in stretches)
        results, count = {}, len(grid) * len(stretches)
        self.run.tasks += drive(self.engine, self.wanted, calls,
                                lambda done: self.run.progress(step.part.pipeline.name, done, count), results)
        for i, w in enumerate(grid.blocks()):
            found = [results[i * len(stretches) + k] for k in range(len(stretches))]
            for sink, values in zip(sinks, self.merged(step, grid, w, starts[w], found) if identity else found[0]):
                sink.write(grid.box(w), values)

    def stretches(self, step, blocks):
        """Lists of neighbouring blocks: one, or one a thread and more where they can be merged."""
        count = min(len(blocks), STRETCHES * self.wanted) if step.merge else 1
        if count < 2:
            return [blocks]
        return [blocks[i * len(blocks) // count:(i + 1) * len(blocks) // count] for i in range(count)]

    def merged(self, step, grid, w, start, found):
        """The start, then the stretches, in their order."""
        box, values = grid.box(w), tuple(start)
        job = self.job(step.merge, grid.domain, {image: grid for image in step.left + step.right})
        for right in found:
            given = {image: Window(np.ascontiguousarray(v), box[0], grid.domain)
                     for image, v in zip(step.left + step.right, (*values, *right))}
            values = as_tuple(run_job(job, box, given))
        return values

    # ---- scans ----

    def scan(self, step, box, sinks):
        origin, shape = step.beyond(box)
        beyond = Grid([(n,) for n in shape], origin)
        job = self.job(step.part, box, {image: beyond for image in step.before}, step.block)
        unit = tuple(c if is_cut else max(n, 1) for c, is_cut, n in zip(sinks[0].chunks, step.is_cut, box[1]))
        sizing = Sizing(job, [*self.sources(step.part).values(), *sinks], box, unit)
        sizing.block_of = step.block_of
        chunk, held, most = choose(sizing, self.request.limit, self.threads)
        self.run.task_bytes, self.run.at_a_time = max(held, self.run.task_bytes), max(most, self.run.at_a_time)
        grid = Grid.regular(box, chunk)
        shared = self.file_step(job, step.part, sinks, most)
        fronts, places = {}, {image: step.arrays.index(array) for image, array in step.before.items()}
        for w in grid.blocks():
            fronts.setdefault(step.front(grid, w), []).append(grid.box(w))
        for at in sorted(fronts):  # a window reads what earlier fronts have written
            calls = ((scan_window, shared, places, w, step.block_of(w)) for w in fronts[at])
            self.run.tasks += drive(self.engine, self.engine.wanted or most, calls)
            self.run.progress(step.part.pipeline.name, at + 1, len(fronts))


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def cut(step, box, chunks):
    """The windows of an accumulator: the chunks of its file, in one piece where it cannot be cut."""
    return Grid.regular(box, [max(c, 1) if is_cut else max(n, 1) for c, n, is_cut in zip(chunks, box[1], step.is_cut)])


def carry(step, before, box, blocks, values):
    """A task of a chain: the accumulator at a box, through some blocks in order."""
    for block in blocks:
        given = {image: Window(np.ascontiguousarray(v), box[0], step.job.images[image].domain)
                 for image, v in zip(before, values)}
        values = compute_box(step, box, block, given)
    return tuple(values)


def scan_window(step, places, box, ends):
    """A task of a scan. `places`: {image: number of the step's array that it is a window of}."""
    job = step.job
    needs = dict(zip(job.images, CALLERS.of(job).questions.needs(box, ends)))
    slots = {slot.name: slot for slot in job.recipe.pipeline().inputs}
    given = {}
    for image, place in places.items():
        need = needs[image]
        given[image] = Window(step.sinks[place].read(slots[image], need), need[0], job.domain_of(image, need))
    for sink, values in zip(step.sinks, compute_box(step, box, ends, given)):
        sink.write(box, values)


def copy(source, slot, sink, box):
    """A task: a part of an array between steps becomes a part of an output."""
    values = source.read(slot, box if sink.shape else ((0,), (1,)))
    sink.write(box, values if sink.shape else values.reshape(()))


def stream_plan(run, files, asked, outputs, made):
    """Runs the plan that `hlc split` makes of the request's pipeline, into the files of the outputs."""
    pipeline, request = run.request.pipeline, run.request
    given = request.split if isinstance(request.split, dict) else asked_of(Recipe.of(pipeline), request.split)
    plan = Plan(given, files.grids, outputs, files.parameters, pipeline._options.optimize)
    plan.check_outputs(slot.name for slots in asked.values() for slot in slots)
    plan.check_axes(pipeline)
    folder = Folder(next(iter(request.paths.values())))
    try:
        found = PlanRun(run, plan, files, folder)
        number = 0
        for step, interval in zip(plan.steps, plan.ranges):
            if not plan.is_needed(step):
                continue
            box, sinks = plan.boxes[step.arrays[0]], []
            for array, slot in step.part.outputs.items():
                output = found.output_of(array, box, asked, outputs)
                chunks = chunks_of(request, slot, box, files)
                sinks.append(made.create(output, box[1], slot.dtype, chunks, box[0]) if output else
                             folder.store(number, slot, box, chunks))
                number += 1
            found.step(number, step, interval, sinks)
            found.stores.update(zip(step.arrays, sinks))
        finish(found, plan, asked, outputs, made)
    finally:
        folder.remove()


def chunks_of(request, slot, box, files):
    given = request.stored or request.chunks
    chunks = in_axes(given, slot) if given and len(given) == len(box[1]) else default_chunks(box[1], files.stores.values())
    return tuple(max(min(c, n), 1) for c, n in zip(chunks, box[1]))


def finish(found, plan, asked, outputs, made):
    """The outputs that are asked for, from the arrays."""
    paths = {output["name"]: output["array"] for output in plan.outputs}
    for func, slots in asked.items():
        for slot in slots:
            if slot.name in made.made:
                continue
            source, domain = found.stores[paths[slot.name]], outputs[func]
            sink = made.create(slot.name, domain[1], slot.dtype, source.chunks if domain[1] else (), domain[0])
            inner = arrays.ImageSlot(slot.name, slot.kind, slot.bits, len(source.shape), 0, True)
            grid = sink.grid()
            calls = ((copy, source, inner, sink, grid.box(b)) for b in grid.blocks() if 0 not in grid.box(b)[1])
            found.run.tasks += drive(found.engine, found.wanted, calls)
