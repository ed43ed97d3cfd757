"""Plans of `hlc split`: what needs the whole, as parts that can be computed in windows (docs/large-split.md).

A Plan has steps: a `map` in any windows; a `chain`, which carries an accumulator through blocks of a reduction; a `scan`,
whose windows have an order along one dimension or several, and read the last coordinates before them. This file reads a
plan, and finds the boxes of its arrays, from the last step to the first, by questions. `graphs.py` runs it as a Dask graph,
`streaming_plan.py` from files to files.
"""

import json
import math

from .. import pipeline as pipelines
from ..errors import ProgramError
from .asked import proposed
from .calling import Questions
from .grids import Grid, hull, with_interval
from .recipe import Recipe
from .task import Job

FORMAT = 2
KINDS = ("map", "chain", "scan")
ANYWHERE = Grid([(2**31 - 1,)], (-2**30,))  # the domain of an image of which nothing depends on the domain


class Part:
    """A pipeline of a plan. `images`: {image of the pipeline: array}; `outputs`: {array: slot}, in the pipeline's order."""

    def __init__(self, given, optimize=2):
        self.recipe = Recipe(given["text"], given["pipeline"], given["schedule"], None, optimize)
        self.pipeline = self.recipe.pipeline()
        self.images = {port["name"]: port["array"] for port in given["images"]}
        self.parameters = list(given["parameters"])
        names = {port["name"]: port["array"] for port in given["outputs"]}
        self.outputs = {names.get(slot.name, slot.name): slot for slot in self.pipeline.outputs}
        self.funcs = tuple(dict.fromkeys(self.pipeline._funcs))
        self.is_within = set(given["domains"])  # images whose windows lie in the domain, which the part reads

    def job(self, box, grids, parameters, block=()):
        """Computes all outputs at windows of the box. `grids`: {image: Grid}, of all images."""
        images = {slot.name: grids[slot.name] for slot in self.pipeline.inputs if slot.is_image}
        return Job(self.recipe, self.funcs, images, {func: box for func in self.funcs},
                   {name: parameters[name] for name in self.parameters if name in self.pipeline._inputs}, block,
                   [name for name in images if name not in self.is_within])


class Along:
    """An axis along which a scan's windows have an order. `before`: {image: array}, of `reach` coordinates."""

    def __init__(self, given, axes):
        if given["toward"] not in ("higher", "lower"):
            raise ProgramError(f"the plan has a scan toward {given['toward']} coordinates: this version knows higher and lower")
        self.axis, self.is_lower, self.reach = axes.index(given["dimension"]), given["toward"] == "lower", given["reach"]
        self.before = {port["name"]: port["array"] for port in given["before"]}
        self.block = given["first"], given["end"]

    def extended(self, box, low, end):
        """The box, longer on the side before its windows, to hold `low` or `end`."""
        origin, ending = box[0][self.axis], box[0][self.axis] + box[1][self.axis]
        return with_interval(box, self.axis, *((origin, max(ending, end)) if self.is_lower else (min(origin, low), ending)))


class Step:
    """A step of a plan. `before`: {image: array}; `block`: names of the parameters first and end, of a scan along each axis
    of `along`."""

    def __init__(self, given, optimize):
        self.kind = given["kind"]
        if self.kind not in KINDS:
            raise ProgramError(f"the plan has a step of the kind {self.kind}, which this version does not know")
        self.part = Part(given["part"], optimize)
        self.before, self.block, self.range, self.merge, self.along = {}, (), None, None, []
        self.dimensions = next(iter(self.part.outputs.values())).dimensions
        self.is_cut = (True,) * self.dimensions  # along each axis
        if self.kind != "map":
            self.read_order(given, optimize)

    def read_order(self, given, optimize):
        slot = next(iter(self.part.outputs.values()))
        self.range = Part(given["range"], optimize)
        self.is_cut = tuple(bool(given["windows"][d]) for d in slot.axes)
        if self.kind == "scan":
            self.along = [Along(order, slot.axes) for order in given["along"]]
            self.before = {image: array for order in self.along for image, array in order.before.items()}
            self.block = tuple(name for order in self.along for name in order.block)
            return
        self.before = {port["name"]: port["array"] for port in given["before"]}
        self.block = given["first"], given["end"]
        merge = given.get("merge")
        if merge:
            self.merge, self.identity = Part(merge["part"], optimize), Part(merge["identity"], optimize)
            self.left, self.right = list(merge["left"]), list(merge["right"])

    @property
    def arrays(self):
        return list(self.part.outputs)

    def block_of(self, box):
        """What the parameters `block` of a scan are for a window."""
        return tuple(n for order in self.along
                     for n in (box[0][order.axis], box[0][order.axis] + box[1][order.axis]))

    def beyond(self, box):
        """The domain of what a scan reads of itself: some coordinates more before its array."""
        for order in self.along:
            box = order.extended(box, box[0][order.axis] - order.reach, box[0][order.axis] + box[1][order.axis] + order.reach)
        return box

    def front(self, grid, block):
        """How many windows of the longest row come before this one: those of one front need none of each other."""
        return sum(grid.counts[order.axis] - 1 - block[order.axis] if order.is_lower else block[order.axis]
                   for order in self.along if order.reach)


class Plan:
    """A plan for whole images. `domains`: {input image: Grid}; `outputs`: {func: domain}; `parameters`: {name: number}."""

    def __init__(self, given, domains, outputs, parameters, optimize=2):
        if not isinstance(given, dict):
            raise ProgramError("a plan of hlc split is one JSON object")
        if given.get("format") != FORMAT:
            raise ProgramError(f"the plan has the format {given.get('format')}, and this version reads {FORMAT}")
        self.domains, self.parameters, self.given, self.boxes = dict(domains), dict(parameters), given, {}
        try:
            self.read(given, outputs, optimize)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ProgramError(f"the plan is not as hlc split writes it: {type(error).__name__}: {error}") from error
        self.ranges = [step.range and self.range_of(step) for step in self.steps]
        for step, interval in zip(reversed(self.steps), reversed(self.ranges)):
            self.find_boxes(step, interval)

    def read(self, given, outputs, optimize):
        self.outputs = given["outputs"]
        self.steps = [Step(step, optimize) for step in given["steps"]]
        for output in self.outputs:
            domain = outputs[output["name"].split(".")[0]]
            self.grow(output["array"], domain if domain[1] or output["dimensions"] else ((0,), (1,)))

    def check_outputs(self, names):
        """The plan has these outputs."""
        missing = sorted({*names} - {output["name"] for output in self.outputs})
        if missing:
            raise ProgramError(f"the plan has no output {', '.join(missing)}: it is of another pipeline")

    def check_axes(self, whole):
        """All parts have an array's axes in one order: that of the whole's images and outputs."""
        known = {slot.name: slot.axes for slot in whole.inputs if slot.is_image}
        for step in self.steps:
            for slot in step.part.pipeline.inputs:
                array = step.part.images.get(slot.name) if slot.is_image else None
                if array and known.get(array, slot.axes) != slot.axes:
                    raise ProgramError(f"{whole.name}: `{array}` has its axes in another order in a part of the plan: leave out "
                                       "axes=, and transpose the array")
            known.update((array, slot.axes) for array, slot in step.part.outputs.items())
        for output in self.outputs:
            slot = next(slot for slot in whole.outputs if slot.name == output["name"])
            if slot.dimensions and known.get(output["array"]) != slot.axes:
                raise ProgramError(f"{whole.name}: `{slot.name}` has its axes in another order in the plan: leave out axes=")

    def grow(self, array, box):
        if array not in self.domains:
            self.boxes[array] = hull(self.boxes.get(array), box)

    def range_of(self, step):
        """(first, end) of a chain's reduction variable; of a scan, along each axis, the coordinates that it writes."""
        part = step.range
        grids = {name: self.domains[array] for name, array in part.images.items()}
        parameters = {name: self.parameters[name] for name in part.parameters}
        first, count = proposed(part.pipeline, part.funcs[0], grids, parameters)
        axes = next(iter(part.outputs.values())).axes
        found = [(first[axes.index(k)], first[axes.index(k)] + count[axes.index(k)]) for k in range(len(axes))]
        return found if step.kind == "scan" else found[0]

    def find_boxes(self, step, interval):
        """The box of the step's arrays, and what they need."""
        box = None
        for array in step.arrays:
            box = hull(box, self.boxes.get(array))
        if box is None or 0 in box[1]:
            for array in step.arrays:
                self.boxes[array] = None
            return
        box = self.grown(step, box, interval)
        needs = self.needs(step, box, interval)
        for image in step.before:
            need = needs[image]
            if step.kind == "chain":
                box = hull(box, need)
                continue
            for k, is_cut in enumerate(step.is_cut):
                if not is_cut and 0 not in need[1]:
                    box = hull(box, with_interval(box, k, need[0][k], need[0][k] + need[1][k]))
        if step.before:
            needs = self.needs(step, box, interval)
        for array in step.arrays:
            self.boxes[array] = box
        for image, need in needs.items():
            array = step.before.get(image) if image in step.before else step.part.images[image]
            if image in step.before and step.kind == "scan":
                continue
            self.grow(array, box if image in step.before else need)

    @staticmethod
    def grown(step, box, interval):
        """A scan begins where its iterations begin to write, less what these read."""
        if step.kind == "scan" and all(first < end for first, end in interval):
            for order, (first, end) in zip(step.along, interval):
                if order.reach:
                    box = order.extended(box, first - order.reach, end + order.reach)
        return box

    def needs(self, step, box, interval):
        """{image: box} of all of the step."""
        grids = {}
        for slot in step.part.pipeline.inputs:
            if slot.is_image:
                array = step.part.images.get(slot.name)
                grids[slot.name] = self.domains.get(array) or Grid(ANYWHERE.chunks * slot.dimensions,
                                                                   ANYWHERE.origin * slot.dimensions)
        job = step.part.job(box, grids, self.parameters, step.block)
        block = step.block_of(box) if step.kind == "scan" else interval or ()
        return dict(zip(grids, Questions(job).needs(box, block)))

    def is_needed(self, step):
        return self.boxes[step.arrays[0]] is not None


def block_ends(interval, held, most):
    """Cuts [first, end) into blocks of which `held(block)` bytes are at most `most`: a list of (first, end)."""
    first, end = interval
    count = max(end - first, 0)
    length = count
    while length > 1 and held((first, first + length)) > most:
        length = -(-length // 2)
    return [(at, min(at + length, end)) for at in range(first, end, max(length, 1))]


def bytes_of(job, needs, box):
    """Of a task's windows and outputs."""
    pipeline = job.recipe.pipeline()
    images = [slot for slot in pipeline.inputs if slot.is_image]
    return sum(math.prod(need[1]) * slot.itemsize for slot, need in zip(images, needs)) + \
        math.prod(box[1]) * sum(slot.itemsize for slot in job.slots(pipeline))


def asked_of(recipe, at):
    """The plan that `hlc split --at=AT` makes, as a dictionary; or of its file, `plan.json`."""
    if at.endswith(".json"):
        try:
            with open(at, encoding="utf-8") as file:
                return json.load(file)
        except ValueError as error:
            raise ProgramError(f"{at} is no plan of hlc split: {error}") from None
    usual = pipelines.compile(recipe.text, pipeline=recipe.name, schedule=recipe.schedule or None)
    if not hasattr(usual, "split"):
        raise ProgramError("this version of hlc has no `split`: give the plan that `hlc split FILE --at=.. --json` prints, "
                           "as a dictionary")
    return usual.split(at=at)
