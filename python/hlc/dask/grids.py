"""Boxes and chunks: integers alone.

A box is (origin, shape), a number an axis. A Grid cuts a domain into chunks, axis by axis, as Dask and Zarr do. Chunks may
be uneven, and empty.
"""

import bisect
import itertools
import math


class Grid:
    """The chunks of a domain that begins at `origin`: `chunks` has the extents along each axis."""

    def __init__(self, chunks, origin=None):
        self.chunks = tuple(tuple(int(n) for n in axis) for axis in chunks)
        self.origin = tuple(origin) if origin else (0,) * len(self.chunks)
        self.ends = [list(itertools.accumulate(axis, initial=o)) for axis, o in zip(self.chunks, self.origin)]
        self.shape = tuple(ends[-1] - o for ends, o in zip(self.ends, self.origin))
        self.counts = tuple(len(axis) for axis in self.chunks)

    @classmethod
    def regular(cls, domain, chunk):
        """Chunks of one shape; those at the ends may be smaller."""
        origin, shape = domain
        return cls([tuple(min(c, n - at) for at in range(0, n, c)) or (0,) for c, n in zip(chunk, shape)], origin)

    def __reduce__(self):
        return Grid, (self.chunks, self.origin)

    @property
    def domain(self):
        return self.origin, self.shape

    def __len__(self):
        return math.prod(self.counts)

    def blocks(self):
        """The numbers of all chunks, in order."""
        return itertools.product(*map(range, self.counts))

    def box(self, block):
        return (tuple(ends[b] for ends, b in zip(self.ends, block)),
                tuple(axis[b] for axis, b in zip(self.chunks, block)))

    def touched(self, box):
        """Along each axis the chunks that have a point of the box, as a range."""
        origin, shape = box
        if 0 in shape:
            return (range(0),) * len(shape)
        ranges = []
        for ends, low, n in zip(self.ends, origin, shape):
            first = bisect.bisect_right(ends, low) - 1
            end = bisect.bisect_left(ends, low + n)
            ranges.append(range(max(first, 0), min(end, len(ends) - 1)))
        return tuple(ranges)

    def samples(self, most=3):
        """The numbers of a few chunks: at both ends and in the middle of each axis."""
        axes = [sorted({0, (n - 1) // 2, n - 1} if most >= 3 else {(n - 1) // 2}) if n else [] for n in self.counts]
        return itertools.product(*axes)


def overlap(a, b):
    """The box of the points of both."""
    low = tuple(max(p, q) for p, q in zip(a[0], b[0]))
    return low, tuple(max(min(p + n, q + m) - o, 0) for p, n, q, m, o in zip(a[0], a[1], b[0], b[1], low))


def hull(a, b):
    """The least box with the points of both; None is no box, and an empty box has no points."""
    if a is None or (b is not None and 0 in a[1]):
        return b
    if b is None or 0 in b[1]:
        return a
    low = tuple(map(min, a[0], b[0]))
    return low, tuple(max(p + n, q + m) - o for p, n, q, m, o in zip(a[0], a[1], b[0], b[1], low))


def with_interval(box, axis, low, end):
    """The box with another interval along an axis."""
    origin, shape = list(box[0]), list(box[1])
    origin[axis], shape[axis] = low, end - low
    return tuple(origin), tuple(shape)


def slices(box, origin):
    """Of the box in an array that begins at `origin`."""
    return tuple(slice(low - o, low - o + n) for low, n, o in zip(*box, origin))


def in_axes(numbers, slot):
    """Numbers of dimensions, dimension 0 first, in the order of an array's axes."""
    return tuple(numbers[d] for d in slot.axes)
