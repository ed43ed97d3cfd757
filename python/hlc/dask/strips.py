"""A task in strips: its windows and intermediates are those of a few rows, whatever the chunk.

A window reaches over the edges of its chunk, so it is copied. A copy of a whole window is memory as large as the chunk, and
fresh pages cost as much time as the copy itself. So a chunk of 2048 x 2048 points is computed in strips of some 256 rows,
each by a call of its own. The memory of one strip's window, and of its intermediates, serves all strips.

What two strips both read, or each allocate, is work done twice. So a task is only cut where that is little of what it
holds. A pipeline that reads a whole table for each window, or far around it, is computed by one call.
"""

import math

from .grids import overlap, with_interval
from .memory import Peak

STRIP = 2 * 2**20  # bytes of the windows and outputs of a strip, about
FEWEST = 4  # strips: a task that holds less saves too little
MORE = 32  # what strips hold in sum, beyond what one call holds: at most this part of it
WHOLE = None


class Strips:
    """How to cut the boxes of a caller's job."""

    def __init__(self, caller):
        self.caller, self.questions, self.chosen = caller, caller.questions, {}
        self.images = list(caller.images.values())
        self.item = sum(slot.itemsize for slot in caller.outputs)
        self.peak = None

    def held(self, box, needs):
        """Bytes of the windows and outputs."""
        return sum(math.prod(need[1]) * slot.itemsize for slot, need in zip(self.images, needs)) + math.prod(box[1]) * self.item

    def allocated(self, box, needs):
        """Bytes that the call allocates, or None."""
        if self.peak is None:
            self.peak = Peak(self.caller.pipeline)
        return self.peak.bytes(self.caller.pipeline, self.caller.job, box, needs)

    def of(self, box, needs, copied=()):
        """[(box, needs)] of the strips, in order. `copied`: of each image, whether its window is copied for the task."""
        if self.caller.job.block or self.held(box, needs) < FEWEST * STRIP:
            return [(box, needs)]
        copied = sum(math.prod(need[1]) * slot.itemsize for slot, need, is_copied in zip(self.images, needs, copied) if is_copied)
        key = box[1], copied > 0
        if key not in self.chosen:
            self.chosen[key] = self.choose(box, needs, copied)
        if self.chosen[key] is WHOLE:
            return [(box, needs)]
        return self.cut(box, needs, *self.chosen[key]) or [(box, needs)]

    def most(self, box, needs):
        """Bytes that a call allocates at most, if windows are in memory already; None if it is not known."""
        found = [self.allocated(*strip) for strip in self.of(box, needs)]
        return None if None in found else max(found)

    def choose(self, box, needs, copied):
        """(axis, rows), or WHOLE: the outermost axis that serves."""
        once = self.allocated(box, needs)
        if once is None or copied + once < STRIP:
            return WHOLE
        held, slot = self.held(box, needs), self.caller.outputs[0]
        strides, _ = slot.dense(box[1])
        for d in sorted(range(slot.dimensions), key=lambda d: -strides[d])[:2]:
            axis = slot.axis_of[d]
            rows = 1 << max(round(math.log2(box[1][axis] * STRIP / held)), 0)
            while 2 * rows <= box[1][axis]:
                found = self.cut(box, needs, axis, rows)
                if found and self.sum_of(found) <= (held + once) * (MORE + 1) // MORE:
                    return axis, rows
                rows *= 2
        return WHOLE

    def sum_of(self, strips):
        return sum(self.held(*strip) + self.allocated(*strip) for strip in strips)

    def cut(self, box, needs, axis, rows):
        """None if a strip needs what the box does not."""
        low, found = box[0][axis], []
        end = low + box[1][axis]
        for at in range(low, end, rows):
            strip = with_interval(box, axis, at, min(at + rows, end))
            parts = self.questions.needs(strip)
            if not all(0 in part[1] or overlap(part, need) == part for part, need in zip(parts, needs)):
                return None
            found.append((strip, parts))
        return found
