"""The Python package against numpy: values, axes, strides, sizes, errors, threads, cancelling. `tests/python.sh` runs it."""

import os
import pathlib
import pickle
import signal
import threading
import time
import unittest
import warnings

import numpy as np

import hlc

ROOT = pathlib.Path(os.environ["HLC_SOURCE"])

SUM = """
pipeline add(a: image<{t}, 2>, b: image<{t}, 2>, k: {t} = {one}) -> out(a.width, a.height) {{
    fun out(x, y) = a(x, y) + b(x, y) * k;
}}
schedule fast for add {{ parallel(out.y, 4); vectorize(out.x, 8); }}
"""

TWO = """
pipeline two(a: image<i32, 1>) -> (out(a.width), pair(a.width)) {
    fun out(x) = a(x) * 2;
    fun pair(x) = {u8(a(x)), f32(a(x)) / 2.0};
}
"""

SLOW = """
pipeline slow(n: i32) -> out(64, 64) {
    fun out(x, y) = {
        0;
        rdom(r = (0, n)) in (x, y) <- (out(x, y) * 7 + r) ^ (out(x, y) >> 3);
    }
}
schedule par for slow { parallel(out.s1.y); }
"""


def added(t, one="1", **options):
    return hlc.compile(SUM.format(t=t, one=one), **options)


class Values(unittest.TestCase):
    def test_types(self):
        random = np.random.default_rng(1)
        for t in "u8 u16 u32 u64 i8 i16 i32 i64 f32 f64".split():
            dtype = np.dtype(("i" if t[0] == "i" else t[0]) + str(int(t[1:]) // 8))
            one = "1.0" if t[0] == "f" else "1"
            for schedule in (None, "fast"):
                add = added(t, one, schedule=schedule)
                a, b = (random.integers(0, 100, (13, 37)).astype(dtype) for _ in range(2))
                with self.subTest(t=t, schedule=schedule):
                    out = add(a=a, b=b, k=3)
                    self.assertEqual(out.dtype, dtype)
                    np.testing.assert_array_equal(out, a + b * dtype.type(3))
                    np.testing.assert_array_equal(add(a=a, b=b), a + b)

    def test_half_and_bool(self):
        half = hlc.compile("pipeline h(a: image<f16, 1>) -> out(a.width) { fun out(x) = a(x) * 2.0; }")
        a = np.array([0.1, 1.5, 65504], np.float16)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(half(a=a), a * np.float16(2))
        flip = hlc.compile("pipeline h(a: image<bool, 1>) -> out(a.width) { fun out(x) = !a(x); }")
        np.testing.assert_array_equal(flip(a=np.array([True, False, True])), [False, True, False])
        brain = hlc.compile("pipeline h(a: image<bf16, 1>) -> out(a.width) { fun out(x) = a(x); }")
        bits = np.array([0x3f80, 0xc000], np.uint16)
        np.testing.assert_array_equal(brain(a=bits.view("V2")).view(np.uint16), bits)

    def test_bf16_parameter(self):
        """It is a number, rounded once, to the nearest; it was taken for bits, so 2 was 1.8e-40."""
        scaled = hlc.compile("pipeline h(a: image<bf16, 1>, w: bf16 = 1.5) -> out(a.width) { fun out(x) = a(x) * w; }")
        one = np.array([0x3f80], np.uint16)
        tie = 1 + 2**-8
        for given, bits in (({}, 0x3fc0), ({"w": 2}, 0x4000), ({"w": -0.0}, 0x8000), ({"w": np.inf}, 0x7f80), ({"w": tie}, 0x3f80),
                            ({"w": tie + 2**-40}, 0x3f81), ({"w": tie + 2**-7}, 0x3f82), ({"w": 2.0**-133}, 0x0001), ({"w": 1e-45}, 0)):
            for _ in range(2):
                with self.subTest(given=given):
                    self.assertEqual(scaled(a=one, out=np.zeros(1, "V2"), **given).view(np.uint16)[0], bits)
        self.assertEqual(scaled.func("out", a=one, w=0.75)[0], 0.75)
        with self.assertRaisesRegex(hlc.ProgramError, "1e[+]39 does not fit bf16"):
            scaled(a=one, w=1e39)

    def test_names(self):
        """Inputs may have the names of Python's words, and of this package's arguments."""
        for name in "self", "name", "lambda", "out", "given", "path":
            with self.subTest(name=name):
                plus = hlc.compile("pipeline p(%s: image<i32, 1>) -> res(%s.width) { fun res(x) = %s(x) + 1; }" % ((name,) * 3))
                a = {name: np.array([1, 2], np.int32)}
                self.assertEqual((list(plus(**a)), plus.func("res", **a)[1]), ([2, 3], 3))
                self.assertEqual(list(plus.using(threads=1)(**a)), [2, 3])
                self.assertIn("p", repr(plus))

    def test_several_outputs(self):
        two = hlc.compile(TWO)
        a = np.array([1, 2, 300], np.int32)
        out = two(a=a)
        self.assertEqual(out._fields, ("out", "pair_0", "pair_1"))
        np.testing.assert_array_equal(out.out, a * 2)
        np.testing.assert_array_equal(out.pair_0, [1, 2, 44])
        np.testing.assert_array_equal(out.pair_1, np.float32([0.5, 1, 150]))
        pair = (np.zeros(3, np.uint8), np.zeros(3, np.float32))
        self.assertIs(two(a=a, pair=pair).pair_1, pair[1])
        np.testing.assert_array_equal(pair[0], [1, 2, 44])

    def test_constants(self):
        text = "pipeline c(const T: type = u8, const n = 1, a: image<T, 1>) -> out(a.width) { fun out(x) = a(x) + T(n); }"
        wide = hlc.compile(text, T=np.uint16, n=5)
        np.testing.assert_array_equal(wide(a=np.array([1, 300], np.uint16)), [6, 305])
        with self.assertRaisesRegex(hlc.ProgramError, "no pipeline has a const parameter m"):
            hlc.compile(text, m=5)

    def test_schedules(self):
        add = added("i32")
        self.assertEqual(add.schedules, ["fast"])
        fast = add.with_schedule("fast")
        a = np.arange(12, dtype=np.int32).reshape(3, 4)
        np.testing.assert_array_equal(add(a=a, b=a), fast(a=a, b=a))
        with self.assertRaisesRegex(hlc.ProgramError, "no schedule quick, but fast"):
            add.with_schedule("quick")

    def test_schedule_with_arguments(self):
        text = "pipeline p(a: image<i32, 1>) -> out(a.width) { fun out(x) = a(x); }\n" \
               "schedule wide(v) for p { vectorize(out.x, v); }"
        wide = hlc.compile(text, schedule="wide(v = 4)")
        self.assertIn("4", wide.explain())
        np.testing.assert_array_equal(wide(a=np.arange(9, dtype=np.int32)), range(9))


class Axes(unittest.TestCase):
    VOLUME = "pipeline v(a: image<i32, 3>) -> out(a.extent(0), a.extent(1), a.extent(2)) " \
             "{ fun out(x, y, z) = a(x, y, z)*1000 + x + 10*y + 100*z; }"

    def test_volume(self):
        volume = hlc.compile(self.VOLUME)
        a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        z, y, x = np.indices(a.shape)
        np.testing.assert_array_equal(volume(a=a), a * 1000 + x + 10 * y + 100 * z)

    def test_other_order(self):
        volume = hlc.compile(self.VOLUME, axes={"a": "yxc", "out": "yxc"})
        a = np.arange(24, dtype=np.int32).reshape(3, 4, 2)
        y, x, z = np.indices(a.shape)
        with self.assertWarns(hlc.CopyWarning):
            out = volume(a=a)
        np.testing.assert_array_equal(out, a * 1000 + x + 10 * y + 100 * z)

    def test_interleaved(self):
        text = "pipeline i(a: image<u8, 3, interleaved>) -> out(a.width, a.height, 3): interleaved " \
               "{ fun out(x, y, c) = a(x, y, 2 - c); }"
        swap = hlc.compile(text)
        for shape in ((5, 7, 3), (1, 1, 3), (5, 1, 3), (0, 4, 3)):
            a = np.random.default_rng(2).integers(0, 255, shape).astype(np.uint8)
            with warnings.catch_warnings():
                warnings.simplefilter("error", hlc.CopyWarning)
                np.testing.assert_array_equal(swap(a=a), a[:, :, ::-1])

    def test_turned(self):
        """A picture's array for a planar image, and planes for an interleaved one, are warned of; `axes` settles it."""
        planar = "pipeline p(a: image<u8, 3>) -> out(a.width, a.height, a.extent(2)) { fun out(x, y, z) = a(x, y, z); }"
        interleaved = planar.replace("3>", "3, interleaved>")
        picture, planes, volume = (np.zeros(shape, np.uint8) for shape in ((9, 8, 3), (3, 9, 8), (7, 9, 8)))
        for text, array, is_turned in ((planar, picture, True), (planar, planes, False), (planar, volume, False),
                                       (interleaved, picture, False), (interleaved, planes, True)):
            with self.subTest(text=text, shape=array.shape), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                hlc.compile(text)(a=array)
                self.assertEqual(any("few columns or rows" in str(w.message) for w in seen), is_turned)
            with self.subTest(text=text, shape=array.shape, axes=True), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                hlc.compile(text, axes={"a": "zyx"})(a=array)
                self.assertFalse(any("few columns or rows" in str(w.message) for w in seen))

    def test_bad_axes(self):
        with self.assertRaisesRegex(hlc.ProgramError, "does not name each of 3 dimensions"):
            hlc.compile(self.VOLUME, axes={"a": "yx"})
        with self.assertRaisesRegex(hlc.ProgramError, "no such image"):
            hlc.compile(self.VOLUME, axes={"b": "zyx"})


class Memory(unittest.TestCase):
    def setUp(self):
        self.add = added("i32")
        self.a = np.arange(60, dtype=np.int32).reshape(6, 10)

    def test_no_copy(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for a in (self.a, self.a[::2], self.a[::-1], self.a[1:, 3:], self.a[:, :1], self.a[:0]):
                np.testing.assert_array_equal(self.add(a=a, b=a), a + a)

    def test_copy(self):
        swapped = self.a.astype(">i4")
        unaligned = np.frombuffer(b"x" + self.a.tobytes(), np.uint8)[1:].view(np.int32).reshape(6, 10)
        for a in (self.a.T, self.a[:, ::2], self.a[:, ::-1], swapped, unaligned):
            with self.assertWarns(hlc.CopyWarning):
                np.testing.assert_array_equal(self.add(a=a, b=a), np.asarray(a, np.int32) * 2)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.add(a=self.a.T, b=np.ascontiguousarray(self.a.T))
        self.assertEqual(len(said), 1)  # once, also where the shape of the output is asked for

    def test_mask(self):
        for given in ({"a": np.ma.masked_array(self.a)}, {"a": self.a, "out": np.ma.masked_array(self.a * 0)}):
            with self.assertRaisesRegex(hlc.ProgramError, "no masks: give .filled"):
                self.add(b=self.a, **given)

    def test_output(self):
        out = np.zeros((6, 20), np.int32)
        self.assertIs(self.add(a=self.a, b=self.a, out=out[:, ::2]).base, out)
        np.testing.assert_array_equal(out[:, ::2], self.a * 2)
        np.testing.assert_array_equal(out[:, 1::2], 0)
        out = np.zeros((10, 6), np.int32)
        self.add(a=self.a, b=self.a, out=out.T)
        np.testing.assert_array_equal(out.T, self.a * 2)
        out.flags.writeable = False
        with self.assertRaisesRegex(hlc.ProgramError, "read-only"):
            self.add(a=self.a, b=self.a, out=out.T)
        with self.assertRaises(hlc.RunError) as caught:
            self.add(a=self.a, b=self.a, out=self.a)
        self.assertEqual(caught.exception.code, "overlap")

    def test_other_objects(self):
        import array
        line = hlc.compile("pipeline l(a: image<i32, 1>) -> out(a.width) { fun out(x) = a(x) + 1; }")
        np.testing.assert_array_equal(line(a=array.array("i", [1, 2, 3])), [2, 3, 4])
        np.testing.assert_array_equal(line(a=memoryview(np.array([5], np.int32))), [6])
        line_of_bytes = hlc.compile("pipeline l(a: image<u8, 1>) -> out(a.width) { fun out(x) = a(x) + 1; }")
        np.testing.assert_array_equal(line_of_bytes(a=b"abc"), [98, 99, 100])

        class Tensor:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, stream=None):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        np.testing.assert_array_equal(line(a=Tensor(np.array([7, 8], np.int32))), [8, 9])

    def test_shapes_and_windows(self):
        np.testing.assert_array_equal(self.add(a=self.a, b=self.a, out=(3, 4)), self.a[:3, :4] * 2)
        tile = np.zeros((2, 3), np.int32)
        self.add(a=self.a, b=self.a, out=hlc.Window(tile, (4, 5)))
        np.testing.assert_array_equal(tile, self.a[4:6, 5:8] * 2)
        moved = self.add(a=hlc.Window(self.a, (100, 100)), b=hlc.Window(self.a, (100, 100)),
                         out=hlc.Window(tile, (100, 101)))
        np.testing.assert_array_equal(moved, self.a[:2, 1:4] * 2)

    def test_needs(self):
        blur = hlc.compile("pipeline b(a: image<u8, 2>) -> out { fun out(x, y) = a(x - 1, y) + a(x + 1, y + 2); }")
        self.assertEqual(blur.needs(out=(10, 20)), {"a": ((0, -1), (12, 22))})
        self.assertEqual(blur.needs(out=hlc.Window(np.zeros((1, 1)), (5, 6))), {"a": ((5, 5), (3, 3))})


class Errors(unittest.TestCase):
    def test_program(self):
        with self.assertRaises(hlc.ProgramError) as caught:
            hlc.compile("pipeline p(a: image<u8, 1>) -> out {\n    fun out(x) = b(x);\n}", name="mine.hl")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("mine.hl", 2, 18))
        self.assertRegex(error.code, r"^E\d{4}$")
        self.assertIn("b", error.message)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.code, again.line, str(again)),
                         (type(error), error.code, error.line, str(error)))
        self.assertIn("Mended", hlc.explain_code(error.code))

    def test_file(self):
        with self.assertRaises(hlc.WorldError) as caught:
            hlc.load("/does/not/exist.hl")
        pickle.loads(pickle.dumps(caught.exception))

    def test_run(self):
        p = hlc.compile("pipeline p(a: image<u8, 1>, n: i32 = 1 in 0..5) -> out(a.width) { fun out(x) = a(x) + u8(n); }")
        a = np.zeros(4, np.uint8)
        with self.assertRaises(hlc.RunError) as caught:
            p(a=a, n=6)
        self.assertEqual(caught.exception.code, "parameter_too_large")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.code, str(again)), (caught.exception.code, str(caught.exception)))
        with self.assertRaises(hlc.RunError) as caught:
            p(a=a, out=(5,))
        self.assertEqual(caught.exception.code, "access_out_of_bounds")

    def test_arguments(self):
        add = added("u8")
        a = np.zeros((2, 2), np.uint8)
        for wrong, error, text in (
                ({"a": a}, TypeError, "misses the argument b"), ({"a": a, "b": a, "c": a}, TypeError, "no argument c"),
                ({"a": a.astype("i4"), "b": a}, hlc.ProgramError, "are int32, not u8"),
                ({"a": a[0], "b": a}, hlc.ProgramError, "has 1 axes"),
                ({"a": a, "b": a, "k": 256}, hlc.ProgramError, "does not fit u8"),
                ({"a": a, "b": a, "k": -1}, hlc.ProgramError, "does not fit u8"),
                ({"a": a, "b": a, "k": 1.5}, hlc.ProgramError, "is an integer"),
                ({"a": a, "b": a, "out": (1, 2, 3)}, hlc.ProgramError, "is no shape"),
                ({"a": a, "b": a, "out": (2**63, 1)}, hlc.ProgramError, "an extent beyond 2147483647"),
                ({"a": a, "b": a, "out": [[1]]}, hlc.ProgramError, "out")):
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                add(**wrong)

    def test_outputs(self):
        two = hlc.compile(TWO)
        a = np.zeros(3, np.int32)
        for wrong, text in (({"out": 4}, "4 is no shape"), ({"out": (4.0,)}, "extents are integers"), ({"out": np.int64(4)}, "is no shape"),
                            ({"pair": (a.astype("u1"),)}, "1 given for 2 components")):
            with self.subTest(text=text), self.assertRaisesRegex(hlc.ProgramError, text):
                two(a=a, **wrong)
        with self.assertRaisesRegex(TypeError, "by name: a"):
            two(a)
        with self.assertRaisesRegex(hlc.ProgramError, "no pipeline"):
            hlc.compile("")
        with self.assertRaisesRegex(hlc.ProgramError, "2 axes"):
            hlc.Window(np.zeros((2, 2)), (1,))
        with self.assertRaisesRegex(hlc.ProgramError, "the origin of a window is a sequence of integers"):
            hlc.Window(np.zeros(2), (1.5,))
        with self.assertRaisesRegex(TypeError, "hlc.load takes a path"):
            hlc.compile(5)
        with self.assertRaisesRegex(hlc.ProgramError, "optimize is 0, 1, 2 or 3"):
            hlc.compile(TWO, optimize=9)
        with self.assertRaisesRegex(hlc.ProgramError, "no schedule fast: the file has none"):
            hlc.compile(TWO, schedule="fast")
        scale = hlc.compile("pipeline s(a: image<f32, 1>, w: f32) -> out(a.width) { fun out(x) = a(x) * w; }")
        for w, text in ((1e40, "1e[+]40 does not fit f32"), ("2", "w is a number, not '2'"), (1j, "w is a number"), (10**400, "does not fit f32")):
            with self.subTest(w=w), self.assertRaisesRegex(hlc.ProgramError, text):
                scale(a=np.ones(1, np.float32), w=w)
        with self.assertRaisesRegex(IndexError, "an integer or a slice"):
            two.func("out", a=a)[...]
        with self.assertRaisesRegex(IndexError, "an integer or a slice"):
            two.func("out", a=a)[1.5]

    def test_warning(self):
        blur = hlc.compile("pipeline b(a: image<u8, 2>) -> out { fun out(x, y) = a(x, y); }")
        with self.assertWarnsRegex(hlc.Warning, r"E0866.*out=\(2, 3\) says it"):
            blur(a=np.zeros((2, 3), np.uint8))


class Asking(unittest.TestCase):
    def test_texts(self):
        edges = added("i32", schedule="fast")
        self.assertIn("parallel", edges.explain())
        self.assertIn("out", edges.bounds())
        self.assertIn("a.extent(0) is at least", edges.contract())
        self.assertIn("no extent is negative", edges.contract(all=True))
        self.assertIn("for", edges.lower())
        self.assertIn("pipeline", edges.lower(after="bounds"))
        self.assertTrue(edges.assembly())
        self.assertTrue(any(m.startswith("unroll") for m in edges.moves()))
        self.assertTrue(edges.check(rounds=2))
        self.assertIn("add", edges._repr_html_())

    def test_certify(self):
        self.assertTrue(added("i32", schedule="fast").certify())

    def test_func(self):
        p = hlc.compile("pipeline p(a: image<i32, 2>) -> out { fun g(x, y) = a(x, y)*2; fun h(x) = {x, f32(x)/2.0};\n"
                        "fun out(x, y) = g(x, y) + h(x).0; }")
        a = np.arange(12, dtype=np.int32).reshape(3, 4)
        np.testing.assert_array_equal(p.func("g", a=a)[0:3, 1:3], a[:, 1:3] * 2)
        self.assertEqual(p.func("g", a=a)[2, 3], 22)
        first, second = p.func("h", a=a)[-1:3]
        np.testing.assert_array_equal(first, [-1, 0, 1, 2])
        np.testing.assert_array_equal(second, [-0.5, 0, 0.5, 1])

    def test_picture(self):
        png = hlc.show(np.arange(12).reshape(3, 4))._repr_png_()
        self.assertTrue(png.startswith(b"\x89PNG"))
        with self.assertRaises(ValueError):
            hlc.show(np.zeros(3))


class Threads(unittest.TestCase):
    def test_at_once(self):
        add = added("i32", schedule="fast")
        wrong = []

        def work(seed):
            random = np.random.default_rng(seed)
            for _ in range(50):
                a = random.integers(0, 1000, (random.integers(1, 40), random.integers(1, 40)), np.int32)
                if not np.array_equal(add(a=a, b=a, k=seed), a * (1 + seed)):
                    wrong.append(seed)
        workers = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        [w.start() for w in workers]
        [w.join() for w in workers]
        self.assertEqual(wrong, [])

    def test_counts(self):
        before = hlc.set_threads(3)
        self.assertEqual(hlc.threads(), 3)
        hlc.set_threads(0)
        self.assertGreaterEqual(before, 0)

    def test_released_lock(self):
        """Python runs while a pipeline does."""
        slow = hlc.compile(SLOW)
        slow(n=1)
        thread = threading.Thread(target=lambda: slow(n=50_000))
        count = 0
        thread.start()
        while thread.is_alive():
            count += 1
        self.assertGreater(count, 10)

    def cancelled(self, schedule):
        slow = hlc.compile(SLOW, schedule=schedule)
        slow(n=1)
        seen = []

        def work():
            try:
                slow(n=2_000_000_000)
            except hlc.Cancelled as error:
                seen.append(error.code)
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            time.sleep(0.01)
            slow.cancel()
        self.assertEqual(seen, ["stopped"])
        np.testing.assert_array_equal(slow(n=0), np.zeros((64, 64)))  # it can be called again

    def test_cancel(self):
        self.cancelled(None)
        self.cancelled("par")

    def test_interrupt(self):
        slow = hlc.compile(SLOW)
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            slow(n=2_000_000_000)
        timer.join()


def load_tests(loader, tests, pattern):
    import doctest
    tests.addTests(doctest.DocTestSuite(hlc))
    tests.addTests(doctest.DocFileSuite(str(ROOT / "docs" / "python.md"), module_relative=False,
                                        globs={"hlc": hlc, "np": np}))
    return tests


if __name__ == "__main__":
    unittest.main()
