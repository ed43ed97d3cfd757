"""Windows of a larger whole from Python: any partition gives the bytes of the whole; queries, checks, refusals."""

import os
import random
import unittest
import warnings

import numpy as np

import hlc
from hlc import Window

IS_SHARE = int(os.environ.get("HLC_SHARE", "1")) > 1  # the tier `test` runs a share

BOUNDARIES = ("repeat_edge(a)", "repeat_image(a)", "mirror_image(a)", "mirror_interior(a)",
              "constant_exterior(a, i32(7))", "repeat_edge(a, (1, 6), (2, 4))")

STENCIL = """
pipeline p(a: image<i32, 2>, k: i32 = 3) -> out(a.width, a.height) {{
    let f = {boundary};
    fun g(x, y) = f(x - 2, y) + f(x + 2, y) * k + f(x, y - 1) * 5 + x;
    fun out(x, y) = g(x, y) + g(x - 1, y + 2) * 7 + y;
}}
schedule fast for p {{ compute-at(g, out.y_p); parallel(out.y, 4); vectorize(out.x, 8); vectorize(g.x, 8); }}
schedule tiles for p {{ tile(out.x, out.y, xo, yo, xi, yi, 8, 4); compute-at(g, out.xo); }}
"""

FLOAT = """
pipeline p(a: image<f32, 2>) -> out(a.width, a.height) with reassociation {
    let f = mirror_interior(a);
    fun out(x, y) = { 0.0;  rdom(r = (-3, 7); s = (-3, 7)) in (x, y) <- out(x, y) + f(x + r, y + s) / 49.0; }
}
schedule fast for p { vectorize(out.s1.r, 4); parallel(out.s1.y); }
"""

SCAN = """
pipeline p(a: image<i32, 2>) -> (rows(a.width, a.height), total(a.height)) {
    fun rows(x, y) = a(x, y) * x;
    fun total(y) = { 0; rdom(r = (a.min(0), a.extent(0))) in (y) <- total(y) * 3 + a(r, y); }
}
schedule fast for p { parallel(rows.y, 2); vectorize(rows.x, 8); parallel(total.s1.y); }
"""


def pieces(generator, extent):
    """The ends of a random partition of [0, extent)."""
    cuts = sorted(generator.sample(range(1, extent), min(generator.randrange(4), extent - 1))) if extent > 1 else []
    return list(zip([0, *cuts], [*cuts, extent]))


def boxes(generator, shape):
    """The windows of a random partition, in random order: (origin, shape)."""
    found = [((), ())]
    for extent in shape:
        found = [(origin + (low,), lengths + (high - low,)) for origin, lengths in found
                 for low, high in pieces(generator, extent)]
    generator.shuffle(found)
    return found


class Partitions(unittest.TestCase):
    def compare(self, pipeline, whole, generator, parameters={}, func="out", **images):
        """Computes the output in windows, from what a query says that they need."""
        joined = np.zeros_like(whole)
        for origin, shape in boxes(generator, whole.shape):
            out = Window.of(joined, origin, shape)
            needs = pipeline.needs(**{func: out}, **{name: Window(domain=a.shape) for name, a in images.items()},
                                   **parameters)
            self.assertEqual(set(needs), set(images))
            parts = {}
            for name, box in needs.items():
                part = Window.of(images[name], *box)
                parts[name] = Window(part.array.copy(), part.origin, part.domain)  # no more than the window
            self.assertIs(pipeline(**{func: out}, **parts, **parameters), out.array)
        self.assertEqual(joined.tobytes(), whole.tobytes())

    def test_boundaries(self):
        generator, data = random.Random(1), np.random.default_rng(1)
        for number, boundary in enumerate(BOUNDARIES):
            schedules = None, "fast", "tiles"
            for schedule in schedules[number % 3:][:1] if IS_SHARE else schedules:
                with self.subTest(boundary=boundary, schedule=schedule):
                    text = STENCIL.format(boundary=boundary)
                    usual = hlc.compile(text, schedule=schedule)
                    windows = hlc.compile(text, schedule=schedule, windows=True)
                    for shape in ((11, 23), (7, 12), (30, 9)):
                        a = data.integers(-1000, 1000, shape, np.int32)
                        whole = usual(a=a, k=2)
                        self.assertEqual(windows(a=a, k=2).tobytes(), whole.tobytes())
                        for _ in range(3):
                            self.compare(windows, whole, generator, {"k": 2}, a=a)

    def test_axes(self):
        """Volumes, interleaved pictures, and another order of axes."""
        generator, data = random.Random(2), np.random.default_rng(2)
        volume = "pipeline v(a: image<u8, 3>) -> out(a.extent(0), a.extent(1), a.extent(2)) { let f = mirror_image(a);" \
                 " fun out(x, y, z) = f(x - 1, y, z) + f(x, y + 2, z) * 3 + f(x, y, z - 3) * 5; }\n" \
                 "schedule fast for v { parallel(out.z); vectorize(out.x, 8); }"
        picture = "pipeline v(a: image<u8, 3, interleaved>) -> out(a.width, a.height, 3): interleaved " \
                  "{ let f = repeat_edge(a); fun out(x, y, c) = f(x - 1, y, c) + f(x, y + 2, 2 - c); }"
        for text, schedule, shape, axes in ((volume, "fast", (5, 9, 17), None), (picture, None, (8, 9, 3), None),
                                            (volume, None, (6, 5, 7), {"a": "xyz", "out": "yxc"})):
            with self.subTest(text=text, axes=axes), warnings.catch_warnings():
                warnings.simplefilter("ignore" if axes else "error", hlc.CopyWarning)
                a = data.integers(0, 255, shape, np.uint8)
                whole = hlc.compile(text, schedule=schedule, axes=axes)(a=a)
                windows = hlc.compile(text, schedule=schedule, axes=axes, windows=True)
                for _ in range(3):
                    self.compare(windows, np.ascontiguousarray(whole), generator, a=a)

    def test_float(self):
        """Floats are added in the order of the whole, and NaN is one value."""
        generator, data = random.Random(3), np.random.default_rng(3)
        a = data.standard_normal((20, 31)).astype(np.float32)
        a[3, 4], a[9, 9], a[10, 9] = np.nan, np.inf, -np.inf
        windows = hlc.compile(FLOAT, schedule="fast", windows=True)
        whole = windows(a=a)
        self.assertEqual(set(whole[np.isnan(whole)].view(np.uint32)), {0x7fc00000})
        self.compare(windows, whole, generator, a=a)
        np.testing.assert_allclose(whole, hlc.compile(FLOAT)(a=a), rtol=1e-4)

    def test_outputs_alone(self):
        """Another output is a task of its own: the others are empty then."""
        a = np.random.default_rng(4).integers(-9, 9, (6, 10), np.int32)
        whole = hlc.compile(SCAN)(a=a)
        windows = hlc.compile(SCAN, schedule="fast", windows=True)
        rows, total = np.zeros((6, 10), np.int32), np.zeros(6, np.int32)
        for y in (4, 0, 2):
            nothing = Window((0,), (0,), (6,)), Window((0, 0), (0, 0), (6, 10))
            out = Window.of(rows, (y, 3), (2, 4))
            needs = windows.needs(a=Window(domain=a.shape), rows=out, total=nothing[0])
            self.assertEqual(needs, {"a": ((y, 3), (2, 4))})
            windows(a=Window.of(a, *needs["a"]), rows=out, total=nothing[0])
            out = Window.of(total, (y,), (2,))
            needs = windows.needs(a=Window(domain=a.shape), rows=nothing[1], total=out)
            self.assertEqual(needs, {"a": ((y, 0), (2, 10))})
            windows(a=Window.of(a, *needs["a"]), rows=nothing[1], total=out)
        np.testing.assert_array_equal(rows[:, 3:7], whole.rows[:, 3:7])
        np.testing.assert_array_equal(total, whole.total)

    def test_tuple(self):
        """The components of a tuple are windows of one domain."""
        text = "pipeline t(a: image<i32, 1>) -> pair(a.width) { fun pair(x) = {a(x), u8(a(x)) + u8(x)}; }"
        t, a = hlc.compile(text, windows=True), np.arange(8, dtype=np.int32)
        both = np.zeros(8, np.int32), np.zeros(8, np.uint8)
        for low in (5, 0):
            given = tuple(Window.of(b, (low,), (3,)) for b in both)
            self.assertEqual(t.needs(a=Window(domain=(8,)), pair=given), {"a": ((low,), (3,))})
            t(a=Window.of(a, (low,), (3,)), pair=given)
        np.testing.assert_array_equal(both[1], [0, 2, 4, 0, 0, 10, 12, 14])
        with self.assertRaises(hlc.RunError):
            t(a=Window.of(a, (0,), (3,)), pair=(Window.of(both[0], (0,), (3,)), Window.of(both[1], (1,), (3,))))


class Questions(unittest.TestCase):
    def setUp(self):
        self.text = STENCIL.format(boundary="mirror_interior(a)")
        self.p = hlc.compile(self.text, windows=True)

    def test_needs(self):
        """Exact boxes inside a period and at an edge."""
        domain = Window(domain=(40, 100))
        self.assertEqual(self.p.needs(a=domain, out=Window((3, 5), (20, 50), (40, 100))), {"a": ((19, 47), (6, 10))})
        self.assertEqual(self.p.needs(a=domain, out=Window((3, 5), (0, 0), (40, 100))), {"a": ((0, 0), (5, 7))})
        repeated = hlc.compile(STENCIL.format(boundary="repeat_image(a)"), windows=True)
        self.assertEqual(repeated.needs(a=domain, out=Window((3, 5), (20, 50), (40, 100))), {"a": ((19, 47), (6, 10))})

    def test_needs_of_inlined(self):
        """A func that is inlined needs what it needs where it is computed: all of a mirrored image was asked for."""
        for boundary in "mirror_image", "mirror_interior":
            text = "pipeline p(a: image<i32, 2>) -> out(a.width, a.height) { let f = %s(a); fun g(x, y) = f(x - 2, y) + f(x + 2, y); " \
                   "fun out(x, y) = g(x, y) + g(x - 1, y + 2) * 7; } schedule i for p { inline(g); }" % boundary
            for schedule in None, "i":
                blur = hlc.compile(text, schedule=schedule, windows=True)
                for at, box in ((0, ((0, 0), (10, 10))), (50, ((50, 47), (10, 13))), (92, ((92, 89), (8, 11)))):
                    with self.subTest(boundary=boundary, schedule=schedule, at=at):
                        self.assertEqual(blur.needs(a=Window(domain=(100, 100)), out=Window((8, 8), (at, at), (100, 100))), {"a": box})

    def test_accepts(self):
        whole = (40, 100)
        self.assertTrue(self.p.accepts(a=whole, out=whole))
        self.assertTrue(self.p.accepts(a=Window((6, 10), (19, 47), whole), out=Window((3, 5), (20, 50), whole)))
        answer = self.p.accepts(a=Window((5, 10), (19, 47), whole), out=Window((3, 5), (20, 50), whole))
        self.assertFalse(answer)
        self.assertIn("access_out_of_bounds", answer)
        answer = self.p.accepts(a=whole, out=Window((3, 5), (38, 50), whole))
        self.assertIn("window_outside", answer)
        guarded = hlc.compile("pipeline p(a: image<u8, 1>) -> out(a.width) { require(a.width % 2 == 0, \"even\");"
                              " fun out(x) = a(x); }", windows=True)
        self.assertTrue(guarded.accepts(a=(8,), out=(8,)))
        self.assertIn("even", guarded.accepts(a=(9,), out=(9,)))
        a = np.arange(8, dtype=np.uint8)  # a requirement is about the whole
        np.testing.assert_array_equal(guarded(a=Window.of(a, (3,), (1,)), out=Window((1,), (3,), (8,))), [3])

    def test_sizes(self):
        """What is not given is the whole; a shape is allocated."""
        a = np.random.default_rng(5).integers(0, 9, (6, 8), np.int32)
        whole = hlc.compile(self.text)(a=a)
        np.testing.assert_array_equal(self.p(a=a), whole)
        np.testing.assert_array_equal(self.p(a=a, out=Window((2, 3), (4, 5), (6, 8))), whole[4:, 5:])
        self.assertEqual(self.p(a=a, out=Window((0, 3), (99, 99), (6, 8))).shape, (0, 3))
        self.assertEqual(self.p.func("g", a=a)[0:2, 0:2].shape, (2, 2))

    def test_refused(self):
        a, out = np.zeros((6, 8), np.int32), np.zeros((2, 2), np.int32)
        usual = hlc.compile(self.text)
        for call, error, text in (
                (lambda: self.p(a=Window(a, (0, 0)), out=out), hlc.ProgramError, "a: a window needs its domain"),
                (lambda: self.p(a=a, out=Window(out, (1, 1))), hlc.ProgramError, "out: a window needs its domain"),
                (lambda: self.p(a=a, out=Window(out, (5, 7), (6, 8))), hlc.RunError, "window_outside"),
                (lambda: self.p(a=a, out=Window(out, (-1, 0), (6, 8))), hlc.RunError, "window_outside"),
                (lambda: self.p(a=a, out=Window(out, (1, 1), ((0, 0), (6, 2**31)))), hlc.ProgramError, "32 bits"),
                (lambda: self.p(a=a, out=Window(out, (1, 1), ((2**31 - 4, 0), (6, 8)))), hlc.ProgramError, "32 bits"),
                (lambda: self.p(a=a, out=Window(out, (1, 1), (6, -8))), hlc.ProgramError, "32 bits"),
                (lambda: self.p(a=Window(domain=(6, 8)), out=out), hlc.ProgramError, "has no array"),
                (lambda: self.p(a=Window((6, 8), None, (6, 8)), out=out), hlc.ProgramError, "has no array"),
                (lambda: self.p(a=a, out=Window(domain=(6, 8))), hlc.ProgramError, "has no array"),
                (lambda: self.p.needs(out=(2, 2)), TypeError, "misses the domain of a"),
                (lambda: self.p.needs(a=Window(domain=(6, 8))), TypeError, "misses the shape of out"),
                (lambda: self.p.needs(a=Window(domain=(6,)), out=(2, 2)), hlc.ProgramError, "1 axes"),
                (lambda: self.p.accepts(a=Window(domain=(6, 8)), out=(2, 2)), TypeError, "misses the window of a"),
                (lambda: usual.accepts(a=(6, 8), out=(2, 2)), TypeError, "windows=True"),
                (lambda: usual(a=Window(a, (0, 0), (6, 8))), hlc.ProgramError, "takes no domains"),
                (lambda: usual.needs(out=Window((2, 2), (0, 0), (6, 8))), hlc.ProgramError, "takes no domains"),
                (lambda: Window(a, (0, 0, 0)), hlc.ProgramError, "2 axes"),
                (lambda: Window(a, (0, 0), (6, 8, 3)), hlc.ProgramError, "3 axes"),
                (lambda: Window((2, 2), 5), hlc.ProgramError, "a sequence of integers, not 5"),
                (lambda: Window.of(a, (5, 0), (2, 2)), hlc.ProgramError, "does not lie in"),
                (lambda: Window.of(a, (-1, 0), (2, 2)), hlc.ProgramError, "does not lie in"),
                (lambda: Window.of(a, (0,), (2,)), hlc.ProgramError, "2 axes")):
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                call()

    def test_compiler(self):
        """Texts, check and certify are about the window form."""
        self.assertIn("in windows", self.p.lower())
        self.assertIn("in windows", repr(self.p))
        self.assertTrue(self.p.with_schedule("fast").windows)
        self.assertTrue(self.p.with_schedule("fast").check(rounds=1))
        refused = hlc.compile("pipeline p(a: image<u8, 1>) -> out { fun out(x) = a(x); }\n"
                              "schedule s for p { align-bounds(out, x, 8, 0); }", schedule="s", windows=True)
        with self.assertRaises(hlc.ProgramError) as caught:
            refused.lower()
        self.assertEqual(caught.exception.code, "E0873")


if __name__ == "__main__":
    unittest.main()
