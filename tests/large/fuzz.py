"""Random pipelines on random partitions against the whole's bytes.

    python3 fuzz.py [count [seed]]     prints what was compared and what was refused, by reason; exit code 1: other bytes

A pipeline is a chain of idioms: stencils under all boundary conditions, resampling, pyramids, reductions over a
neighbourhood and over the whole, histograms, gathers, recurrences, tuples. The partitions of the image and of the output
are drawn apart: ones, primes, larger than the array, uneven with empty chunks. Tasks are cut in strips of a few bytes, or not.
The whole is run in the usual form, which knows nothing of windows.
"""

import collections
import pathlib
import random
import re
import sys
import time

import dask.array as da
import numpy as np

import hlc
import hlc.dask
from hlc.dask import graphs, strips

BOUNDARIES = ("repeat_edge({})", "repeat_image({})", "mirror_image({})", "mirror_interior({})",
              "constant_exterior({}, {}(3))", "repeat_edge({}, (1, 5), (0, 4))")
DTYPES = {"u8": np.uint8, "i16": np.int16, "i32": np.int32, "f32": np.float32}


class Drawn:
    """A pipeline: `funcs` are lines of text; each stage is a func of x, y over all coordinates."""

    def __init__(self, generator):
        self.generator = generator
        self.lines, self.schedule, self.count = [], [], 0
        self.type = generator.choice(list(DTYPES))
        self.work = "f32" if self.type == "f32" else "i32"
        boundary = generator.choice(BOUNDARIES).format("a", self.type)
        self.lines.append(f"let padded = {boundary};")
        self.idioms = []
        self.last = self.add(f"{self.work}(padded(x, y))")
        for _ in range(generator.randrange(1, 5)):
            idiom = generator.choice(IDIOMS)
            self.idioms.append(idiom.__name__)
            self.last = idiom(self, self.last)
        self.finish()

    def add(self, definition, updates="", arguments="x, y"):
        self.count += 1
        name = f"f{self.count}"
        self.lines.append(f"fun {name}({arguments}) = " + (f"{{ {definition}; {updates} }}" if updates else definition) + ";")
        return name

    def number(self, low=-3, high=3):
        return self.generator.randint(low, high)

    def finish(self):
        width, height = self.generator.choice((("a.width", "a.height"), ("a.width", "a.height"),
                                               ("(a.width + 1) / 2", "a.height"), ("a.width + 2", "a.height * 2")))
        k = f" + {self.work}(k)" if self.generator.random() < 0.5 else ""
        value = f"{self.last}(x, y){k}"
        if self.generator.random() < 0.2:
            self.lines.append(f"fun out(x, y) = {{{value}, u8(x + y)}};")
        else:
            self.lines.append(f"fun out(x, y) = {value};")
        self.outputs = f"out({width}, {height})"
        for i in range(1, self.count + 1):
            draw = self.generator.random()
            if draw < 0.2:
                self.schedule.append(f"compute-at(f{i}, out.y);")
        self.schedule.append(self.generator.choice(("vectorize(out.x, 4);", "unroll(out.x, 3);", "parallel(out.y);", "")))

    def text(self):
        body = "\n    ".join(self.lines)
        return f"pipeline p(a: image<{self.type}, 2>, k: i32 = 2) -> {self.outputs} {{\n    {body}\n}}\n" \
               f"schedule s for p {{ {' '.join(self.schedule)} }}\n"


def point(p, f):
    return p.add(f"{f}(x, y) * {p.work}({p.number()}) + {p.work}(x - 2 * y)")


def stencil(p, f):
    return p.add(" + ".join(f"{f}(x + {p.number()}, y + {p.number()}) * {p.work}({p.number()})" for _ in range(3)))


def down(p, f):
    return p.add(f"{f}(2 * x, y) + {f}(2 * x + 1, y + 1)")


def up(p, f):
    return p.add(f"{f}(x / 2, y / 3)")


def pyramid(p, f):
    small = p.add(f"{f}(2 * x, 2 * y) + {f}(2 * x + 1, 2 * y - 1)")
    smaller = p.add(f"{small}(2 * x, 2 * y) + {small}(2 * x, 2 * y + 1)")
    return p.add(f"{f}(x, y) - {small}(x / 2, y / 2) + {smaller}(x / 4 + 1, y / 4)")


def mirrored(p, f):
    return p.add(f"{f}(a.width - 1 - x, y) + {f}(y, x)")


def neighbourhood(p, f):
    n = p.number(1, 3)
    return p.add(f"{p.work}(0)", f"rdom(r = (-{n}, {2 * n + 1}); s = (0, 2)) in (x, y) <- "
                 f"@(x, y) + {f}(x + r, y - s) * {p.work}(r + 2);".replace("@", f"f{p.count + 1}"))


def rows(p, f):
    name = f"f{p.count + 1}"
    total = p.add(f"{p.work}(1)", f"rdom(r = (0, a.width)) in (y) <- {name}(y) * {p.work}(3) + {f}(r, y);", "y")
    return p.add(f"{f}(x, y) + {total}(y)")


def everything(p, f):
    name = f"f{p.count + 1}"
    total = p.add(f"{p.work}(1)", f"rdom(r = (0, a.width); s = (0, a.height)) in () <- {name}() + {f}(r, s);", "")
    return p.add(f"{f}(x, y) - {total}()")


def histogram(p, f):
    name = f"f{p.count + 1}"
    table = p.add("0", f"rdom(r = (0, a.width); s = (0, a.height)) in (i32(padded(r, s)) & 15) <- "
                  f"{name}(i32(padded(r, s)) & 15) + 1;", "i")
    return p.add(f"{f}(x, y) + {p.work}({table}(i32(padded(x, y)) & 15))")


def gather(p, f):
    return p.add(f"{f}(clamp(x + (i32(padded(x, y)) & 7) - 3, 0, a.width - 1), y)")


def falling(p, f):
    name = f"f{p.count + 1}"
    return p.add(f"{f}(x, y)", f"rdom(j = (1, a.height - 1)) in (x, j) <- {name}(x, j - 1) * {p.work}(2) + {f}(x, j);")


def between(p, f):
    return p.add(f"select((x + y) % 3 == 0, {f}(x, y), {f}(x - 1, y + 2))")


def least(p, f):
    return p.add(f"min({f}(x, y), max({f}(x + 1, y), {f}(x, y - 1)))")


IDIOMS = (point, stencil, stencil, down, up, pyramid, mirrored, neighbourhood, rows, everything, histogram, gather, falling,
          between, least)


def chunks(generator, shape):
    found = []
    for n in shape:
        kind = generator.randrange(4)
        if kind == 3:
            cuts = sorted(generator.choices(range(n + 1), k=3))
            found.append(tuple(b - a for a, b in zip([0, *cuts], [*cuts, n])))
        else:
            c = (1 if n < 8 else 4, generator.choice((2, 3, 5, 7, 11, 13)), n + 5)[kind]
            found.append(tuple(min(c, n - at) for at in range(0, n, c)))
    return tuple(found)


def arrays_of(result):
    return tuple(result) if isinstance(result, tuple) else (result,)


def compare(generator, seed):
    """(what, reason): the same bytes, or where and why the case was refused. SystemExit if bytes differ."""
    drawn = Drawn(generator)
    text = drawn.text()
    shape = generator.randrange(4, 24), generator.randrange(4, 30)
    data = np.random.default_rng(seed).integers(0, 100, shape).astype(DTYPES[drawn.type])
    schedule = "s" if generator.random() < 0.7 else None
    try:
        try:
            whole = arrays_of(hlc.compile(text, schedule=schedule)(a=data, k=5))
        except hlc.RunError:
            raise
        except hlc.ProgramError:  # the schedule does not fit the pipeline
            schedule = None
            whole = arrays_of(hlc.compile(text)(a=data, k=5))
    except hlc.ProgramError as error:
        return "the whole is refused", error.code
    cut = chunks(generator, shape), chunks(generator, whole[0].shape)
    asked = {"chunks": cut[1]}
    strips.STRIP, strips.MORE = generator.choice(((8, 0.5), (64, 1), (256, 32), (2**21, 32)))
    if hasattr(hlc.Pipeline, "split") and generator.random() < 0.4:
        asked["split"] = "auto"
        graphs.BLOCK = generator.choice((1, 500, 5000, 2**26))
    try:
        lazily = arrays_of(hlc.dask.apply(hlc.compile(text, schedule=schedule), a=da.from_array(data, chunks=cut[0]), k=5,
                                          **asked))
    except hlc.ProgramError as error:
        return ("the split is refused" if "split" in asked else "the windows are refused",
                error.code or re.sub(r"\d+", "n", str(error))[:100])
    for found, wanted in zip(da.compute(*lazily, scheduler="sync"), whole):
        if found.tobytes() != wanted.tobytes():
            path = pathlib.Path(f"failed-{seed}.hl")
            path.write_text(text)
            raise SystemExit(f"other bytes: seed {seed}, schedule {schedule}, shape {shape}, chunks {cut}, {asked}, "
                             f"{drawn.idioms}; the pipeline is in {path}\n{text}")
    return "the same, split" if "split" in asked else "the same", ""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 20261127
    begin, found = time.process_time(), collections.Counter()
    try:
        for seed in range(first, first + count):
            found[compare(random.Random(seed), seed)] += 1
    except KeyboardInterrupt:
        count = sum(found.values())
    for (what, reason), n in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{n:6}  {what}{': ' if reason else ''}{reason}")
    refused = sum(n for (what, _), n in found.items() if what in ("the windows are refused", "the split is refused"))
    ran = count - sum(n for (what, _), n in found.items() if what == "the whole is refused")
    same = sum(n for (what, _), n in found.items() if what.startswith("the same"))
    print(f"{count} pipelines from seed {first}: {same} the same bytes, {refused} of {ran} that run are refused "
          f"{time.process_time() - begin:.0f} s of the processor")
    return 1 if refused * 10 > ran else 0


if __name__ == "__main__":
    sys.exit(main())
