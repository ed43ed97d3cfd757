"""The graph of an output: a layer whose tasks are made when they are asked for.

A task needs the chunks that its windows touch, and no others; it is found by one question to the pipeline, which costs
some 30 microseconds. So a graph of 100,000 chunks exists as soon as it is asked for, and a part of it (`array[:100]`)
costs what the part costs.
"""

import itertools
import operator
import threading

from dask.highlevelgraph import Layer, MaterializedLayer

from .calling import Questions
from .task import compute, nothing


class ChunkLayer(Layer):
    """The chunks of an output. `key` names the Job in the graph; `images` are the names of the arrays, in the pipeline's
    order; `limits` refuses tasks that hold too much."""

    def __init__(self, name, job, key, grid, images, limits=None, annotations=None):
        super().__init__(annotations=annotations)
        self.limits = limits
        self.name, self.job, self.key, self.grid, self.images = name, job, key, grid, tuple(images)
        self.found, self.questions, self.lock = {}, None, threading.Lock()

    def __reduce__(self):
        return ChunkLayer, (self.name, self.job, self.key, self.grid, self.images, None, self.annotations)

    def needs(self, block):
        """The box of each image that the chunk needs."""
        with self.lock:
            found = self.found.get(block)
            if found is None:
                if self.questions is None:
                    self.questions = Questions(self.job)
                box = self.grid.box(block)
                found = self.questions.needs(box)
                if self.limits:
                    self.limits.check(box, found)
                self.found[block] = found
            return found

    def pieces(self, needs):
        """The keys of the chunks that the boxes touch, a list for each image."""
        return [[(name, *block) for block in itertools.product(*grid.touched(need))]
                for name, grid, need in zip(self.images, self.job.images.values(), needs)]

    def task(self, block):
        box = self.grid.box(block)
        if 0 in box[1]:
            return nothing, self.key, box[1]
        needs = self.needs(block)
        return compute, self.key, box, needs, *self.pieces(needs)

    def is_block(self, key):
        return isinstance(key, tuple) and len(key) == len(self.grid.counts) + 1 and key[0] == self.name and \
            all(isinstance(b, int) and 0 <= b < n for b, n in zip(key[1:], self.grid.counts))

    def __getitem__(self, key):
        if not self.is_block(key):
            raise KeyError(key)
        return self.task(key[1:])

    def __contains__(self, key):
        return self.is_block(key)

    def __iter__(self):
        return ((self.name, *block) for block in self.grid.blocks())

    def __len__(self):
        return len(self.grid)

    def __repr__(self):
        return f"<chunks of {self.name}>"

    def is_materialized(self):
        return False

    def get_output_keys(self):
        return set(self)

    def get_dependencies(self, key, all_hlg_keys):
        block = key[1:]
        if 0 in self.grid.box(block)[1]:
            return {self.key}
        return {self.key, *itertools.chain.from_iterable(self.pieces(self.needs(block)))}

    def cull(self, keys, all_hlg_keys):
        wanted = [key for key in keys if self.is_block(key)]
        dependencies = {key: self.get_dependencies(key, all_hlg_keys) for key in wanted}
        if len(wanted) == len(self):
            return self, dependencies
        return MaterializedLayer({key: self[key] for key in wanted}, annotations=self.annotations), dependencies


class ComponentLayer(Layer):
    """A component of a tuple, from the chunks of the layer `source`."""

    def __init__(self, name, source, grid, component, annotations=None):
        super().__init__(annotations=annotations)
        self.name, self.source, self.grid, self.component = name, source, grid, component

    def __reduce__(self):
        return ComponentLayer, (self.name, self.source, self.grid, self.component, self.annotations)

    def __getitem__(self, key):
        if not (isinstance(key, tuple) and key and key[0] == self.name):
            raise KeyError(key)
        return operator.getitem, (self.source, *key[1:]), self.component

    def __iter__(self):
        return ((self.name, *block) for block in self.grid.blocks())

    def __len__(self):
        return len(self.grid)

    def __repr__(self):
        return f"<component {self.component} of {self.source}>"

    def is_materialized(self):
        return False

    def get_output_keys(self):
        return set(self)

    def get_dependencies(self, key, all_hlg_keys):
        return {(self.source, *key[1:])}
