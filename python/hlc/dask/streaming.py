"""`hlc-dask run`: from files to files, within a limit of memory."""

import time

from .. import arrays
from ..errors import ProgramError, RunError
from . import memory
from .asked import domains, parameter
from .cache import Cache
from .engine import Cluster, Local, Step, drive, perform
from .grids import Grid, in_axes
from .outputs import Outputs
from .recipe import Recipe
from .sizing import Sizing, choose, spare
from .stores import Store, default_chunks
from .task import Job


class Request:
    """What a run is asked for. `images`: {name: path}; `paths`: {output or component: path}; `sizes`: {output: shape}.
    `chunks` and `stored` count points along each dimension, dimension 0 first; all else is in the order of an array's axes."""

    def __init__(self, pipeline, limit):
        self.pipeline, self.limit = pipeline, limit
        self.images, self.parameters, self.paths, self.sizes = {}, {}, {}, {}
        self.chunks = self.stored = self.scheduler = self.split = None
        self.overwrite, self.threads = False, 1


class Files:
    """The inputs of a run, opened and checked, as `Inputs` of a graph: grids and parameters."""

    def __init__(self, request):
        pipeline = request.pipeline
        self.stores, self.grids, self.parameters, self.outputs = {}, {}, {}, {}
        for slot in pipeline.inputs:
            if not slot.is_image:
                self.parameters[slot.name] = parameter(pipeline, slot, request.parameters.get(slot.name))
                continue
            if slot.name not in request.images:
                raise ProgramError(f"{pipeline.name} misses the image {slot.name}: {slot.name}=PATH")
            store = Store.existing(request.images[slot.name])
            if len(store.shape) != slot.dimensions:
                raise ProgramError(f"{slot.name}: {store.path} has {len(store.shape)} axes; {slot!r} has {slot.dimensions}")
            if store.dtype.newbyteorder("=") != slot.dtype:
                raise ProgramError(f"{slot.name}: the elements of {store.path} are {store.dtype}, not {slot.dtype}")
            if slot.may_turn:
                slot.check_axes(store)
            self.stores[slot.name], self.grids[slot.name] = store, store.grid()
        self.outputs = pipeline._outputs_of(dict(request.sizes))


def wanted(request):
    """The funcs that are computed, with the slots of their components, all of which have a path."""
    pipeline, found = request.pipeline, {}
    for func, slot in zip(pipeline._funcs, pipeline.outputs):
        found.setdefault(func, []).append(slot)
    known = {slot.name for slot in pipeline.outputs}
    for name in request.paths:
        if name == "out" and name not in known and len(known) == 1:
            request.paths[next(iter(known))] = request.paths.pop("out")
        elif name not in known:
            raise ProgramError(f"{pipeline.name} has no input or output {name}, but "
                               f"{', '.join([*pipeline._inputs, *sorted(known)])}")
    asked = {func: slots for func, slots in found.items() if any(slot.name in request.paths for slot in slots)}
    if not asked:
        raise ProgramError(f"no output has a path: {next(iter(sorted(known)))}=out.zarr, or -o out.zarr")
    for func, slots in asked.items():
        for slot in slots:
            if slot.name not in request.paths:
                raise ProgramError(f"{slot.name} has no path, and is computed with the other components of {func}")
    return asked


def check_axes(request, outputs):
    """--chunks and --stored-chunks are of an output that is computed."""
    for option, chunks in (("--chunks", request.chunks), ("--stored-chunks", request.stored)):
        if chunks and all(len(chunks) != len(shape) for _, shape in outputs):
            raise ProgramError(f"{option}={'x'.join(map(str, chunks))} has {len(chunks)} numbers, and no output has so many "
                               "dimensions")


def engine_of(request):
    return Cluster(request.scheduler) if request.scheduler else Local(request.threads)


class Run:
    """The steps of a run, and what is told of them."""

    def __init__(self, request, engine, progress):
        self.request, self.engine, self.progress = request, engine, progress
        self.tasks = self.task_bytes = self.at_a_time = 0

    def map(self, job, sources, sinks, domain, unit, chunks=None):
        """Computes the outputs of a job, window by window, into their files."""
        sizing = Sizing(job, [*sources.values(), *sinks], domain, unit)
        chunk, held, most = choose(sizing, self.request.limit, self.engine.each, chunks)
        self.task_bytes, self.at_a_time = max(held, self.task_bytes), max(most, self.at_a_time)
        grid = Grid.regular(domain, [max(c, 1) for c in chunk])
        cache = Cache(spare(self.request.limit, held, most))
        step = self.engine.share(Step(job, sources, sinks, (job.recipe.token, most), cache))
        boxes = (grid.box(block) for block in grid.blocks())
        tasks = ((perform, step, box) for box in boxes if 0 not in box[1])
        count, what = len(grid), ", ".join(job.funcs)
        self.tasks += drive(self.engine, self.engine.wanted or most, tasks,
                            lambda done: self.progress(what, done, count))


def stream(request, progress):
    """Runs the request; returns what is told of it. Nothing is written unless the whole is accepted."""
    begin = time.monotonic()
    files, asked = Files(request), wanted(request)
    recipe = Recipe.of(request.pipeline)
    recipe.pipeline()
    outputs = domains(request.pipeline, files)
    answer = Job(recipe, (), files.grids, outputs, files.parameters).accepts()
    if not answer:
        raise RunError(str(answer))
    check_axes(request, [outputs[func] for func in asked])
    made = Outputs(request.paths, files.stores.values(), request.overwrite)
    engine = engine_of(request)
    run = Run(request, engine, progress)
    try:
        if request.split:
            from .streaming_plan import stream_plan
            stream_plan(run, files, asked, outputs, made)
        else:
            stream_funcs(run, recipe, files, asked, outputs, made)
        made.finish()
    finally:
        try:
            engine.close()  # first: a task that still runs would write again what is removed
        finally:
            made.discard()
    slots = {slot.name: slot for slot in request.pipeline.outputs}
    told = [told_of(slots[name], request.paths[name], store) for name, store in made.made.items()]
    return {"outputs": told, "tasks": run.tasks, "task_bytes": run.task_bytes, "at_a_time": run.at_a_time,
            "seconds": round(time.monotonic() - begin, 3), "most_memory": memory.of_process("VmHWM")}


def told_of(slot, path, store):
    """`shape` and `chunks` are of the array's axes; `size` is dimension 0 first."""
    return {"name": slot.name, "path": path, "type": arrays.type_name(slot.kind, slot.bits), "shape": list(store.shape),
            "size": [store.shape[k] for k in slot.axis_of], "chunks": list(store.chunks)}


def sinks_of(request, made, slots, domain, inputs):
    """The files of an output's components, all in the same chunks."""
    fitting = [in_axes(c, slots[0]) for c in (request.stored, request.chunks) if c and len(c) == len(domain[1])]
    chunks = fitting[0] if fitting else default_chunks(domain[1], inputs)
    chunks = tuple(max(min(c, n), 1) for c, n in zip(chunks, domain[1]))
    return [made.create(slot.name, domain[1], slot.dtype, chunks, domain[0]) for slot in slots], chunks


def stream_funcs(run, recipe, files, asked, outputs, made):
    """Each output in windows."""
    request, planned = run.request, []
    for func, slots in asked.items():
        job = Job(recipe, (func,), files.grids, outputs, files.parameters)
        sinks, unit = sinks_of(request, made, slots, outputs[func], files.stores.values())
        planned.append((job, sinks, unit, outputs[func], slots[0]))
    for job, sinks, unit, domain, slot in planned:
        chunks = in_axes(request.chunks, slot) if request.chunks and len(request.chunks) == len(unit) else None
        if chunks:
            chunks = tuple(c if c < n else u * -(-n // u) for c, u, n in zip(chunks, unit, domain[1]))
        run.map(job, files.stores, sinks, domain, unit, chunks)
