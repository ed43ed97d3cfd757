"""`hlc.dask.apply`: a pipeline on Dask arrays, lazily."""

import collections
import re

import dask.array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from ..errors import RunError
from .arrays import dask_array, output_chunks
from .asked import domains, parameter
from .grids import Grid
from .layer import ChunkLayer, ComponentLayer
from .memory import parse_bytes
from .recipe import Recipe
from .refusal import Limits
from .task import Job

LIMIT = "1GiB"  # bytes of a task


class Inputs:
    """The arguments of `apply`, checked: Dask arrays, their grids, parameters, and what was given for outputs."""

    def __init__(self, pipeline, given):
        self.arrays, self.grids, self.parameters = {}, {}, {}
        self.outputs = pipeline._outputs_of({name: None if name in pipeline._inputs else value
                                             for name, value in given.items()})
        for slot in pipeline.inputs:
            value = given.get(slot.name)
            if slot.is_image:
                if value is None:
                    raise TypeError(f"apply() misses the array {slot.name} of {pipeline.name}")
                array, origin = dask_array(slot, value)
                self.arrays[slot.name], self.grids[slot.name] = array, Grid(array.chunks, origin)
            else:
                self.parameters[slot.name] = parameter(pipeline, slot, value)


def graph_of(job, key, name, grid, arrays, limits):
    """The graph of an output's chunks."""
    layer = ChunkLayer(name, job, key, grid, [array.name for array in arrays], limits)
    made = HighLevelGraph.from_collections(name, layer, dependencies=arrays)
    made.layers[key] = MaterializedLayer({key: job})
    made.dependencies[name] = {*made.dependencies[name], key}
    made.dependencies[key] = set()
    return HighLevelGraph(made.layers, made.dependencies)


def components(pipeline, func, name, grid, graph):
    """The Dask arrays of an output, one a component."""
    slots = [slot for f, slot in zip(pipeline._funcs, pipeline.outputs) if f == func]
    if len(slots) == 1:
        return [dask.array.Array(graph, name, grid.chunks, dtype=slots[0].dtype)]
    found = []
    for i, slot in enumerate(slots):
        part = f"{name}.{i}"
        layers = {**graph.layers, part: ComponentLayer(part, name, grid, i)}
        found.append(dask.array.Array(HighLevelGraph(layers, {**graph.dependencies, part: {name}}), part, grid.chunks,
                                      dtype=slot.dtype))
    return found


def apply(pipeline, *, chunks=None, limit=LIMIT, split=None, **given):
    """The outputs of a pipeline on Dask arrays, as Dask arrays: nothing runs yet.

        blurred = hlc.dask.apply(blur, input=dask.array.from_zarr("in.zarr"), w=3)

    `pipeline` is an hlc.Pipeline. Images are Dask, Zarr or numpy arrays, or an `hlc.Window(array, origin)` that begins
    elsewhere. Parameters are numbers. An output has the size that the pipeline declares, or `out=SHAPE`. The result is an
    array, or a named tuple of them, as for a call.

    `chunks` are the outputs' chunks, as Dask writes them; {output: chunks} differ by output. Without them an output has
    the chunks of an input of its shape, or Dask's automatic ones. The bytes never depend on them.

    Each chunk is one task: it asks for the chunks of the images that its window touches, copies the window once, and calls
    the pipeline with one thread. `limit` is the most bytes that a task may hold, if that is much more than its chunks.

    `split` cuts a pipeline that needs everything: "auto", names of funcs ("counts,total"), or a plan of `hlc split` as a
    dictionary.

    Raises ProgramError for what cannot be
    computed in windows (docs/large.md), and RunError if the pipeline refuses the whole; no task has run then.
    """
    recipe = Recipe.of(pipeline)
    made = recipe.pipeline()
    inputs, most = Inputs(made, given), parse_bytes(limit)
    outputs = domains(made, inputs)
    if split:
        return apply_split(recipe, inputs, outputs, chunks, split)
    arrays, found = list(inputs.arrays.values()), []
    for func in outputs:
        job = Job(recipe, (func,), inputs.grids, outputs, inputs.parameters)
        if not found:
            check_whole(job)
        slot = job.slots(made)[0]
        grid = output_chunks(func, slot, outputs[func], chunks, arrays)
        token = tokenize(job, [array.name for array in arrays], grid.chunks)
        name, key = f"{made.name}-{func}-{token}", f"hlc-{made.name}-{token}"
        limits = Limits(job, grid, most)
        graph = graph_of(job, key, name, grid, arrays, limits)
        check_samples(graph.layers[name], grid, limits)
        found += components(made, func, name, grid, graph)
    return results(made, found)


def results(pipeline, found):
    """The array, or a named tuple of them."""
    if len(found) == 1:
        return found[0]
    fields = [re.sub(r"\W", "_", slot.name) for slot in pipeline.outputs]
    return collections.namedtuple("Outputs", fields, rename=True)(*found)


def apply_split(recipe, inputs, outputs, chunks, split):
    """The steps of a plan as one graph."""
    from .graphs import build
    from .grids import slices
    from .plans import Plan, asked_of
    pipeline = recipe.pipeline()
    check_whole(Job(recipe, tuple(outputs), inputs.grids, outputs, inputs.parameters))
    plan = Plan(split if isinstance(split, dict) else asked_of(recipe, split), inputs.grids, outputs, inputs.parameters,
                recipe.optimize)
    plan.check_outputs(slot.name for slot in pipeline.outputs)
    plan.check_axes(pipeline)
    for func, domain in outputs.items():  # refuses what does not fit
        output_chunks(func, pipeline.outputs[pipeline._funcs.index(func)], domain, chunks, inputs.arrays.values())
    token = tokenize(recipe, plan.given, [a.name for a in inputs.arrays.values()], list(outputs.items()),
                     sorted((k, repr(v)) for k, v in inputs.parameters.items()), chunks)
    made = build(plan, inputs, chunks, token)
    found = []
    for output in plan.outputs:
        array, domain = made[output["array"]], outputs[output["name"].split(".")[0]]
        found.append(array.array()[slices(domain, array.grid.origin)] if domain[1] else array.array()[0])
    return results(pipeline, found)


def check_whole(job):
    """The whole is refused now or never: then all windows are accepted."""
    answer = job.accepts()
    if not answer:
        raise RunError(str(answer))


def check_samples(layer, grid, limits):
    """A few chunks say early what all are asked when the graph is made."""
    for block in grid.samples():
        box = grid.box(block)
        if 0 not in box[1]:
            limits.check_peak(box, layer.needs(block))
