"""What cannot be computed in windows, and why, before anything runs.

A window may need all of an image: a histogram does, and a scan from its beginning. Then a task would hold the image, or
each of many tasks would read it. `hlc split` cuts such a pipeline; this file names the func to cut at.
"""

import math
import re

from ..errors import ProgramError
from .memory import Peak, bytes_text

MANY = 4  # times the chunks themselves
SHARE = 16  # a window of this share of the limit, which is all of an image, may be read again for each chunk


def culprit(pipeline, image):
    """The func that reads all of the image, as `hlc bounds` says it: the one that reads it over a reduction's domain, or
    the first that reads it; None if it is not said."""
    lines = pipeline.bounds().splitlines()
    if f"image {image}" not in lines:
        return None
    first, over = None, None
    reader = None
    for line in lines[lines.index(f"image {image}") + 1:]:
        if line and not line.startswith(" "):
            break
        found = re.search(r"read .*? in (\w+)", line)
        reader = found.group(1) if found else reader
        first = first or reader
        if "over its domain" in line and reader:
            over = over or reader
    return over or first


class Limits:
    """The most bytes that a task may hold if that is much more than its chunks, and what to say beyond."""

    def __init__(self, job, grid, limit):
        self.job, self.grid, self.limit = job, grid, limit
        self.pipeline = job.recipe.pipeline()
        self.images = [slot for slot in self.pipeline.inputs if slot.is_image]
        self.peak = None

    def held(self, box, needs):
        """Bytes of a task: the windows and the output."""
        return sum(math.prod(need[1]) * slot.itemsize for slot, need in zip(self.images, needs)) + \
            math.prod(box[1]) * sum(slot.itemsize for slot in self.job.slots(self.pipeline))

    def usual(self, box):
        """Bytes that the chunks themselves ask for: a user who wants large ones gets them."""
        images = sum(math.prod(map(max, self.job.images[slot.name].chunks)) * slot.itemsize for slot in self.images)
        return MANY * (images + self.held(box, ()))

    def check(self, box, needs, more=0):
        held = self.held(box, needs)
        if held > self.limit / SHARE:
            self.check_repeated(box, needs)
        if held + more > self.limit and held + more > self.usual(box):
            self.refuse(box, needs, held + more)

    def check_peak(self, box, needs):
        """Likewise, with what the call allocates."""
        if self.peak is None:
            self.peak = Peak(self.pipeline)
        self.check(box, needs, self.peak.bytes(self.pipeline, self.job, box, needs) or 0)

    def wholes(self, needs):
        """The images of which a window is more than half, though they have several chunks: (slot, "all" or "most")."""
        found = []
        for slot, need in zip(self.images, needs):
            grid = self.job.images[slot.name]
            if len(grid) > 1 and 2 * math.prod(need[1]) > math.prod(grid.shape):
                found.append((slot, "all" if need == grid.domain else "most"))
        return found

    def check_repeated(self, box, needs):
        if len(self.grid) < 2:
            return
        for slot, share in self.wholes(needs):
            size = math.prod(self.job.images[slot.name].shape) * slot.itemsize
            if size > self.limit / SHARE:
                self.refuse_whole(slot, share, box, f"{bytes_text(size)} for each of {len(self.grid)} chunks")

    def refuse_whole(self, slot, share, box, what):
        func = culprit(self.pipeline, slot.name)
        because = f", because `{func}` reads it over all of its domain" if func else ""
        at = f" --at={func}" if func else ""
        raise ProgramError(
            f"{self.job.recipe.name}: a chunk of shape {box[1]} of `{', '.join(self.job.funcs)}` needs {share} of `{slot.name}`"
            f"{because}: {what}. It cannot be computed in windows. `hlc split FILE{at}` cuts it into parts that can, which "
            "are run in order (hlc.dask.apply(.., split=..)); limit=BYTES allows a task more")

    def refuse(self, box, needs, held):
        wholes = self.wholes(needs)
        if wholes:
            self.refuse_whole(*wholes[0], box, bytes_text(held))
        raise ProgramError(
            f"{self.job.recipe.name}: a task for a chunk of shape {box[1]} of `{', '.join(self.job.funcs)}` holds {bytes_text(held)}, "
            f"more than the limit of {bytes_text(self.limit)}: its windows are " +
            ", ".join(f"{slot.name} {need[1]}" for slot, need in zip(self.images, needs)) +
            ". Give smaller chunks=, or a larger limit=")
