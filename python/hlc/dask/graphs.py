"""Plans as Dask graphs: `hlc.dask.apply(.., split="auto")`.

Each step makes the arrays of later ones, with tasks as task.py has them. The windows of a scan, and the blocks of a chain,
hang on one another; all else runs when Dask wants it to.

    map      out[w] <- windows of the images
    chain    start -> block 0 -> block 1 -> .. ;  with merges: identity -> block i, pairs of neighbours merged
    scan     window 0 -> window 1 -> ..  ;  along several dimensions, tiles from the faces of their neighbours
"""

import itertools
import operator

import dask.array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from ..arrays import Window
from .arrays import output_chunks
from .calling import Questions
from .grids import Grid, overlap, slices
from .plans import block_ends, bytes_of
from .task import Pieces, compute_block, run

BLOCK = 64 * 2**20  # bytes of a task of a chain


class Made:
    """An array of a plan: chunk keys, and the grid. `layers` is all of the graph that it hangs on."""

    def __init__(self, name, grid, dtype, graph):
        self.name, self.grid, self.dtype, self.graph = name, grid, dtype, graph

    def key(self, block):
        return (self.name, *block)

    def array(self):
        return dask.array.Array(self.graph, self.name, self.grid.chunks, dtype=self.dtype)


class Builder:
    """Makes the tasks of a step. `arrays`: {array: Made} of the inputs and of earlier steps."""

    def __init__(self, plan, step, arrays, grid, token):
        self.plan, self.step, self.arrays, self.grid = plan, step, arrays, grid
        self.slots = list(step.part.outputs.values())
        self.name = f"{step.part.pipeline.name}-{token}"
        self.tasks, self.jobs = {}, {}
        self.read = []  # arrays that it needs beside those of its parts

    def job(self, part, extra=None, block=()):
        """The key of a job of a part, and its questions."""
        grids = {image: self.arrays[array].grid for image, array in part.images.items()} | (extra or {})
        job = part.job(self.grid.domain, grids, self.plan.parameters, block)
        key = f"{self.name}-job-{len(self.jobs)}"
        self.tasks[key] = self.jobs[key] = job
        return key, job, Questions(job)

    def task(self, maker, part, box, block, own):
        """`own`: {image: (grid, keys of a chunk)}."""
        key, job, questions = maker
        needs = questions.needs(box, block)
        pieces = []
        for image, need in zip(job.images, needs):
            grid, key_of = own.get(image) or (self.arrays[part.images[image]].grid, self.arrays[part.images[image]].key)
            pieces.append([key_of(b) for b in itertools.product(*grid.touched(need))])
        return compute_block, key, block, box, needs, *pieces

    def component(self, name, i):
        """Of the results of the tasks of this name, the component i."""
        if len(self.slots) == 1:
            return lambda block: (name, *block)
        return lambda block: (operator.getitem, (name, *block), i)

    def components(self, name, images):
        return {image: (self.grid, self.component(name, i)) for i, image in enumerate(images)}

    def map(self):
        maker = self.job(self.step.part)
        for block in self.grid.blocks():
            self.tasks[(self.name, *block)] = self.task(maker, self.step.part, self.grid.box(block), (), {})
        return self.name

    def chain(self, interval):
        step, before = self.step, list(self.step.before)
        maker = self.job(step.part, {image: self.grid for image in before}, step.block)
        _, job, questions = maker
        box = self.grid.box(next(iter(self.grid.samples(1))))
        blocks = block_ends(interval, lambda b: bytes_of(job, questions.needs(box, b), box), BLOCK)
        start = {image: (self.grid, self.rechunked(array).key) for image, array in step.before.items()}
        if step.merge and len(blocks) > 1:
            return self.merged(maker, blocks, start, before)
        given, name = start, None
        for i, ends in enumerate(blocks):
            name = f"{self.name}-{i}"
            for w in self.grid.blocks():
                self.tasks[(name, *w)] = self.task(maker, step.part, self.grid.box(w), ends, given)
            given = self.components(name, before)
        return name or self.started(start, before)

    def rechunked(self, array):
        """The array in the chunks of this step."""
        found = self.arrays[array].array().rechunk(self.grid.chunks)
        self.read.append(Made(found.name, self.grid, found.dtype, found.dask))
        return self.read[-1]

    def started(self, start, before):
        """An empty range: the result is the start."""
        for w in self.grid.blocks():
            keys = [start[image][1](w) for image in before]
            self.tasks[(self.name, *w)] = keys[0] if len(keys) == 1 else (tuple, keys)
        return self.name

    def merged(self, maker, blocks, start, before):
        """Blocks from the identity, then neighbours in pairs, and the start at the left."""
        step = self.step
        identity, merge = self.job(step.identity), self.job(step.merge, {image: self.grid for image in step.left + step.right})
        name = f"{self.name}-identity"
        for w in self.grid.blocks():
            self.tasks[(name, *w)] = self.task(identity, step.identity, self.grid.box(w), (), {})
        given, level = self.components(name, before), []
        for i, ends in enumerate(blocks):
            level.append(f"{self.name}-{i}")
            for w in self.grid.blocks():
                self.tasks[(level[-1], *w)] = self.task(maker, step.part, self.grid.box(w), ends, given)
        count = 0
        while len(level) > 1:
            pairs, level = level, []
            for i in range(0, len(pairs) - 1, 2):
                level.append(self.pair(merge, f"{self.name}-merge-{count}", self.components(pairs[i], step.left),
                                       self.components(pairs[i + 1], step.right)))
                count += 1
            level += pairs[len(pairs) - len(pairs) % 2:]
        left = {image: start[b] for image, b in zip(step.left, before)}
        return self.pair(merge, f"{self.name}-merge-{count}", left, self.components(level[0], step.right))

    def pair(self, merge, name, left, right):
        for w in self.grid.blocks():
            self.tasks[(name, *w)] = self.task(merge, self.step.merge, self.grid.box(w), (), {**left, **right})
        return name

    def scan(self):
        step = self.step
        origin, shape = step.beyond(self.grid.domain)
        beyond = Grid([(n,) for n in shape], origin)
        maker = self.job(step.part, {image: beyond for image in step.before}, step.block)
        for w in self.grid.blocks():
            box = self.grid.box(w)
            self.tasks[(self.name, *w)] = self.scan_task(maker, box, step.block_of(box))
        return self.name

    def scan_task(self, maker, box, ends):
        key, job, questions = maker
        needs = questions.needs(box, ends)
        pieces, parts, arrays = [], [], self.step.arrays
        for image, need in zip(job.images, needs):
            if image in self.step.before:
                inside = overlap(need, self.grid.domain)
                blocks = list(itertools.product(*self.grid.touched(inside)))
                key_of = self.component(self.name, arrays.index(self.step.before[image]))
                pieces.append([key_of(b) for b in blocks])
                parts.append([self.grid.box(b) for b in blocks])
            else:
                array = self.arrays[self.step.part.images[image]]
                pieces.append([array.key(b) for b in itertools.product(*array.grid.touched(need))])
                parts.append(None)
        return scan_block, key, ends, box, needs, parts, *pieces


def scan_block(job, block, box, needs, parts, *pieces):
    """A window of a scan. `parts`: of an image that is the step's own array, the boxes of its chunks."""
    windows = {}
    images = (slot for slot in job.recipe.pipeline().inputs if slot.is_image)
    for slot, need, boxes, given in zip(images, needs, parts, pieces):
        grid = job.images[slot.name]
        if boxes is None:
            memory = Pieces(slot, grid, need, given).window(need)
        else:
            memory = slot.zeros(need[1])
            for chunk, piece in zip(boxes, given):
                part = overlap(need, chunk)
                memory[slices(part, need[0])] = piece[slices(part, chunk[0])]
        windows[slot.name] = Window(memory, need[0], job.domain_of(slot.name, need))
    return run(job, box, windows, block)


def grid_of(step, box, arrays, chunks):
    """The chunks of a step's arrays: those that are asked for, in one piece where the step cannot be cut."""
    slot = next(iter(step.part.outputs.values()))
    found = output_chunks(step.arrays[0], slot, box, chunks, [a for a in arrays if hasattr(a, "chunks")])
    return Grid([axis if is_cut else (sum(axis),) for axis, is_cut in zip(found.chunks, step.is_cut)], box[0])


def chunks_of(chunks, asked, box):
    """Of a step's arrays, which are those of the output `asked`, or of none. Extents that are asked for are those of outputs:
    other arrays, and an output of another box, have their own."""
    if isinstance(chunks, dict):
        return chunks.get(asked)
    if isinstance(chunks, tuple) and len(chunks) == len(box[1]) and \
            any(isinstance(axis, tuple) and sum(axis) != n for axis, n in zip(chunks, box[1])):
        return None
    return chunks


def build(plan, inputs, chunks, token):
    """{array: Made} of a plan on Dask arrays (`Inputs` of applying.py)."""
    arrays = {name: Made(array.name, inputs.grids[name], array.dtype, array.dask) for name, array in inputs.arrays.items()}
    wanted = {output["array"]: output["name"].split(".")[0] for output in plan.outputs}
    for number, (step, interval) in enumerate(zip(plan.steps, plan.ranges)):
        if not plan.is_needed(step):
            continue
        asked, box = next((wanted[a] for a in step.arrays if a in wanted), None), plan.boxes[step.arrays[0]]
        grid = grid_of(step, box, inputs.arrays.values(), chunks_of(chunks, asked, box))
        builder = Builder(plan, step, arrays, grid, tokenize(token, number, grid.chunks))
        name = {"map": builder.map, "chain": lambda: builder.chain(interval), "scan": builder.scan}[step.kind]()
        settle(builder, name, arrays)
    return arrays


def settle(builder, name, arrays):
    """The step's arrays, from the results of the tasks of this name."""
    step, grid = builder.step, builder.grid
    parts = [step.part, *((step.merge, step.identity) if step.merge else ())]
    read = builder.read + [arrays[a] for part in parts for a in part.images.values() if a in arrays]
    layer = f"{builder.name}-tasks"
    layers, dependencies = {layer: MaterializedLayer(builder.tasks)}, {layer: {array.name for array in read}}
    for array in read:
        layers.update(array.graph.layers)
        dependencies.update(array.graph.dependencies)
    for i, array in enumerate(step.arrays):
        own = f"{builder.name}-{array}"
        key = builder.component(name, i)
        layers[own] = MaterializedLayer({(own, *b): key(b) for b in grid.blocks()})
        dependencies[own] = {layer}
    graph = HighLevelGraph(layers, dependencies)
    for i, array in enumerate(step.arrays):
        arrays[array] = Made(f"{builder.name}-{array}", grid, builder.slots[i].dtype, graph)
