"""Any func of a pipeline as values, by the reference."""

import operator
import re

import numpy as np

from ._native import lib


class FuncValues:
    """The points of a func. An index is evaluated point by point; it is meant for looking, not for computing. Ctrl-C is
    seen between two points. Values are int64, float64 or bool, whatever the type of the func."""

    def __init__(self, pipeline, name, given):
        self.pipeline, self.name, self.given = pipeline, name, given

    def __repr__(self):
        return f"<func {self.name} of {self.pipeline.name}>"

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        ranges = []
        for i in index:
            if not isinstance(i, slice) and not hasattr(i, "__index__"):
                raise IndexError(f"{self.name} takes an integer or a slice for each axis")
            if isinstance(i, slice):
                if i.start is None or i.stop is None:
                    raise IndexError(f"{self.name} has no ends: give both, [0:10]")
                ranges.append(range(i.start, i.stop, i.step or 1))
            else:
                at = operator.index(i)
                ranges.append(range(at, at + 1))
        shape = [len(r) for r in ranges]
        points = [self.value([ranges[k][n] for k, n in enumerate(at)]) for at in np.ndindex(*shape)]
        values = self.assemble(points, shape)
        kept = tuple(0 if not isinstance(i, slice) else slice(None) for i in index)
        if isinstance(values, tuple):
            return tuple(v[kept] for v in values)
        return values[kept]

    def value(self, coordinates):
        pipeline = self.pipeline
        point = f"{self.name}({', '.join(map(str, reversed(coordinates)))})"
        with pipeline._handle.lock:
            bound, keep = pipeline._bound(self.given)
            try:
                _, text = pipeline._handle.text(lambda file: lib.hlc_eval(bound, point.encode(), None, file))
            finally:
                lib.hlc_arguments_destroy(bound)
            del keep
        return text.strip()

    @staticmethod
    def number(text):
        if text in ("true", "false"):
            return text == "true"
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)

    def assemble(self, points, shape):
        if points and points[0].startswith("{"):
            columns = zip(*([self.number(t.strip()) for t in p.strip("{}").split(",")] for p in points))
            return tuple(np.array(column).reshape(shape) for column in columns)
        return np.array([self.number(p) for p in points]).reshape(shape)
