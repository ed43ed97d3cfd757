"""hlc.dask.apply: the bytes of the whole whatever the chunks; what a graph holds; what is refused before anything runs."""

import os
import pickle
import random
import threading
import tracemalloc
import unittest
import warnings
from unittest import mock

import dask
import dask.array as da
import numpy as np

import hlc
import hlc.dask
from hlc import Window
from hlc.dask import strips
from hlc.dask.calling import CALLERS, Caller
from hlc.dask.grids import Grid
from hlc.dask.memory import Peak, parse_bytes
from hlc.dask.recipe import KEPT, Recipe
from hlc.dask.task import Job, compute

IS_SHARE = int(os.environ.get("HLC_SHARE", "1")) > 1  # processes of their own take seconds
STENCIL = """
pipeline p(a: image<i32, 2>, k: i32 = 3) -> out(a.width, a.height) {{
    let f = {boundary};
    fun g(x, y) = f(x - 2, y) + f(x + 2, y) * k + f(x, y - 1) * 5 + x;
    fun out(x, y) = g(x, y) + g(x - 1, y + 2) * 7 + y;
}}
schedule fast(v = 8) for p {{ compute-at(g, out.y_p); parallel(out.y, 4); vectorize(out.x, v); vectorize(g.x, v); }}
"""
BOUNDARIES = ("repeat_edge(a)", "repeat_image(a)", "mirror_image(a)", "mirror_interior(a)", "constant_exterior(a, i32(7))")
HISTOGRAM = """
pipeline equalize(a: image<u8, 2>) -> (counts(256), out(a.width, a.height)) {
    fun counts(i) = { u32(0); rdom(r = (0, a.width); s = (0, a.height)) in (a(r, s)) <- counts(a(r, s)) + 1; }
    fun out(x, y) = counts(a(x, y));
}
"""


def data(shape, dtype=np.int32, seed=20261127):
    return np.random.default_rng(seed).integers(0, 250, shape, dtype)


def drawn_chunks(generator, shape):
    """Ones, primes, larger than the array, uneven with empty ones."""
    found = []
    for extent in shape:
        kind = generator.randrange(4)
        if kind < 3:
            n = (1 if extent < 12 else 5, generator.choice((2, 3, 5, 7, 11)), extent + 3)[kind]
            found.append(tuple(min(n, extent - at) for at in range(0, extent, n)))
        else:
            cuts = sorted(generator.choices(range(extent + 1), k=3))
            found.append(tuple(b - a for a, b in zip([0, *cuts], [*cuts, extent])))
    return tuple(found)


class Chunks(unittest.TestCase):
    def test_partitions(self):
        generator = random.Random(1)
        for boundary in BOUNDARIES:
            p = hlc.compile(STENCIL.format(boundary=boundary), schedule="fast")
            for shape in ((11, 23), (30, 9), (1, 7))[:1 if IS_SHARE else 3]:
                a = data(shape)
                whole = p(a=a, k=2)
                for _ in range(2 if IS_SHARE else 4):
                    chunks = drawn_chunks(generator, shape), drawn_chunks(generator, shape)
                    with self.subTest(boundary=boundary, shape=shape, chunks=chunks):
                        lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=chunks[0]), k=2, chunks=chunks[1])
                        self.assertEqual(lazily.chunks, chunks[1])
                        self.assertEqual(lazily.compute(scheduler="sync").tobytes(), whole.tobytes())

    def test_schedulers(self):
        p, a = hlc.compile(STENCIL.format(boundary="mirror_image(a)")), data((40, 60))
        lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=(7, 11)))
        whole = p(a=a)
        for scheduler in ("sync", "threads") if IS_SHARE else ("sync", "threads", "processes"):
            found = lazily.compute(scheduler=scheduler, num_workers=2)
            self.assertEqual(found.tobytes(), whole.tobytes(), scheduler)

    def test_part(self):
        """A part of the result is a part of the graph, and composes with Dask's own operations."""
        p, a = hlc.compile(STENCIL.format(boundary="repeat_edge(a)")), data((400, 600))
        lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=(20, 40)))
        part, = dask.optimize(lazily[35:36, 300:301])
        self.assertLess(len(part.__dask_graph__()), 25)
        self.assertEqual(part.compute()[0, 0], p(a=a)[35, 300])
        again = hlc.dask.apply(p, a=lazily + 1)
        np.testing.assert_array_equal(again.compute(), p(a=p(a=a) + 1))
        self.assertEqual(int(lazily.sum()), int(p(a=a).sum(dtype=np.int64)))

    def test_outputs(self):
        """Several outputs and components of tuples; 0 dimensions; each has its own chunks."""
        p = hlc.compile("pipeline t(a: image<i32, 2>) -> (pair(a.width, a.height), rows(a.height), total) {"
                        " fun pair(x, y) = {a(x, y), u8(a(x, y)) + u8(x)};"
                        " fun rows(y) = { 0; rdom(r = (a.min(0), a.extent(0))) in (y) <- rows(y) * 3 + a(r, y); }"
                        " fun total() = { 0; rdom(r = (0, a.extent(1))) in () <- total() + rows(r); } }")
        a = data((13, 8))
        whole = p(a=a)
        lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=(5, 3)), chunks={"pair": (4, 8), "rows": 3})
        self.assertEqual(lazily._fields, ("pair_0", "pair_1", "rows", "total"))
        self.assertEqual((lazily.pair_1.chunks, lazily.rows.chunks), (((4, 4, 4, 1), (8,)), ((3, 3, 3, 3, 1),)))
        for found, wanted in zip(dask.compute(*lazily), whole):
            self.assertEqual((np.asarray(found).tobytes(), found.dtype), (wanted.tobytes(), wanted.dtype))
        self.assertEqual(lazily.pair_1[2:3].compute().tobytes(), whole.pair_1[2:3].tobytes())

    def test_inputs(self):
        """NumPy arrays, big endian ones, transposed ones, memory maps, windows that begin elsewhere; Zarr."""
        p, a = hlc.compile(STENCIL.format(boundary="mirror_interior(a)")), data((20, 31))
        whole = p(a=a)
        for given in (a, da.from_array(a.astype(">i4"), chunks=(7, 31)), da.from_array(a, chunks=20).T.rechunk(6).T,
                      da.from_array(np.asfortranarray(a), chunks=(20, 31))):
            self.assertEqual(hlc.dask.apply(p, a=given, chunks=9).compute().tobytes(), whole.tobytes())
        shifted = hlc.compile(STENCIL.format(boundary="mirror_interior(a)"), windows=True)
        moved = shifted(a=Window(a, (5, -3), ((5, -3), a.shape)), out=Window(a.shape, (5, -3), ((5, -3), a.shape)))
        lazily = hlc.dask.apply(p, a=Window(da.from_array(a, chunks=6), (5, -3)), out=Window(domain=((5, -3), a.shape)))
        self.assertEqual(lazily.compute().tobytes(), moved.tobytes())
        try:
            import zarr
        except ImportError:
            self.skipTest("no zarr")
        self.assertEqual(hlc.dask.apply(p, a=zarr.array(a, chunks=(6, 7))).compute().tobytes(), whole.tobytes())
        holes = zarr.empty(a.shape, chunks=(6, 7), dtype=a.dtype)
        with self.assertRaisesRegex(hlc.ProgramError, "a has .* never written, and no fill_value"):
            hlc.dask.apply(p, a=holes)

    def test_turned(self):
        """The whole is looked at for few columns, not each window."""
        p = hlc.compile("pipeline p(a: image<u8, 3>) -> out(a.width, a.height, a.extent(2)) { fun out(x, y, c) = a(x, y, c); }")
        with self.assertWarnsRegex(hlc.Warning, "few columns or rows"):
            hlc.dask.apply(p, a=da.zeros((20, 30, 3), dtype=np.uint8))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hlc.dask.apply(p, a=da.zeros((12, 20, 30), chunks=(12, 20, 3), dtype=np.uint8)).compute()

    def test_layouts(self):
        """Interleaved pictures, cut in channels, too; an output that may lie in an image has memory of its own."""
        p = hlc.compile("pipeline p(a: image<u8, 3, interleaved>) -> out(a.width, a.height, 3): interleaved {"
                        " let f = repeat_edge(a); fun out(x, y, c) = f(x - 1, y, c) + f(x, y + 2, 2 - c); }")
        a = data((13, 17, 3), np.uint8)
        whole = p(a=a)
        for chunks, out in (((5, 6, 3), (4, 4, 3)), ((5, 6, 1), (13, 4, 1)), ((13, 17, 2), (1, 17, 3))):
            found = hlc.dask.apply(p, a=da.from_array(a, chunks=chunks), chunks=out).compute()
            self.assertEqual(found.tobytes(), np.ascontiguousarray(whole).tobytes())
        inside = hlc.compile("pipeline p(a: image<i32, 1>) -> out in a { fun out(x) = { a(x);"
                             " rdom(r = (0, a.width)) in (r) <- out(r) + 1; } }")
        a = data((12,))
        kept, lazily = a.copy(), hlc.dask.apply(inside, a=da.from_array(a, chunks=6, name=False), out=(12,), chunks=6)
        np.testing.assert_array_equal(lazily.compute(), kept + 1)
        np.testing.assert_array_equal(a, kept)

    def test_sizes(self):
        p = hlc.compile("pipeline p(a: image<i32, 1>) -> out { fun out(x) = a(x) + a(x + 1); }")
        a = data((10,))
        with self.assertRaisesRegex(hlc.ProgramError, "give out=SHAPE"):
            hlc.dask.apply(p, a=a)
        np.testing.assert_array_equal(hlc.dask.apply(p, a=a, out=(9,), chunks=2), a[1:] + a[:-1])
        volume = hlc.compile("pipeline v(a: image<u8, 3>) -> out(a.extent(0), a.extent(1), a.extent(2)) {"
                             " let f = mirror_image(a); fun out(x, y, z) = f(x, y + 2, z) * 3 + f(x, y, z - 3) * 5; }")
        huge = hlc.dask.apply(volume, a=da.zeros((10**5,) * 3, chunks=10**4, dtype=np.uint8))  # strides beyond 2^31
        self.assertEqual((huge.shape, huge.npartitions), ((10**5,) * 3, 1000))

    def test_copies(self):
        """A window in one chunk is the chunk's memory; another is copied once."""
        p = hlc.compile("pipeline p(a: image<i32, 1>) -> out(a.width) { fun out(x) = a(x); }")
        a = da.from_array(data((8,)), chunks=4)
        lazily = hlc.dask.apply(p, a=a)
        graph = dict(lazily.__dask_graph__())
        task = graph[(lazily.name, 1)]
        self.assertIs(task[0], compute)
        self.assertEqual(task[2:], (((4,), (4,)), (((4,), (4,)),), [(a.name, 1)]))


class Strips(unittest.TestCase):
    test_outputs, test_layouts = Chunks.test_outputs, Chunks.test_layouts

    def setUp(self):
        """Strips of a few bytes, at any cost."""
        self.cut = 0

        def counted(strips, *arguments):
            found = of(strips, *arguments)
            self.cut += len(found) > 1
            return found
        of = strips.Strips.of
        for patch in mock.patch.multiple(strips, STRIP=64, MORE=0.1), mock.patch.object(strips.Strips, "of", counted):
            patch.start()
            self.addCleanup(patch.stop)

    def test_partitions(self):
        for boundary in BOUNDARIES:
            p, a = hlc.compile(STENCIL.format(boundary=boundary), schedule="fast"), data((23, 19))
            lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=(9, 7)), k=2, chunks=(11, 8))
            self.assertEqual(lazily.compute(scheduler="sync").tobytes(), p(a=a, k=2).tobytes())
        self.assertGreater(self.cut, 20)

    def test_volume(self):
        """The outermost axis that serves: channels are read together, so rows are cut."""
        p = hlc.compile("pipeline p(a: image<u8, 3>) -> out(a.width, a.height, 3) { let f = repeat_edge(a);"
                        " fun out(x, y, c) = f(x - 1, y, 0) + f(x, y + 1, 1) * 3 + f(x, y, 2) + c; }")
        a = data((3, 16, 40), np.uint8)
        lazily = hlc.dask.apply(p, a=da.from_array(a, chunks=(3, 8, 20)), chunks=(3, 16, 20))
        with mock.patch.multiple(strips, MORE=8, STRIP=900):
            self.assertEqual(lazily.compute(scheduler="sync").tobytes(), p(a=a).tobytes())
        chosen = CALLERS.of(lazily.dask.layers[lazily.name].job).strips.chosen
        self.assertEqual([cut[0] for cut in chosen.values()], [1])


class Memory(unittest.TestCase):
    def held(self, p, **images):
        """Bytes that the task of the middle chunk takes at most, beside what it was given."""
        given = {name: da.from_array(a, chunks=512) for name, a in images.items()}
        lazily = hlc.dask.apply(p, **given)
        graph = dict(lazily.__dask_graph__())
        _, key, box, needs, *keys = graph[(lazily.name, 1, 1)]
        pieces = [[images[name][block[1] * 512:block[1] * 512 + 512, block[2] * 512:block[2] * 512 + 512] for block in blocks]
                  for name, blocks in zip(images, keys)]
        self.assertEqual(compute(graph[key], box, needs, *pieces).tobytes(), p(**images)[512:1024, 512:1024].tobytes())
        tracemalloc.start()
        try:
            compute(graph[key], box, needs, *pieces)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_window(self):
        """A task has its output, and the window of a strip."""
        p, a = hlc.compile(STENCIL.format(boundary="mirror_image(a)"), schedule="fast"), data((1536, 1536))
        with mock.patch.object(strips, "STRIP", 2**18):
            self.assertLess(self.held(p, a=a), 2**20 + 2**19)

    def test_intermediates(self):
        """A call allocates what a strip takes, and files are sized by that."""
        p = hlc.compile("pipeline p(a: image<i32, 2>) -> out(a.width, a.height) { let f = repeat_edge(a);"
                        " fun g(x, y) = f(x - 1, y) * f(x + 1, y); fun out(x, y) = g(x, y - 1) + g(x, y + 1); }"
                        " schedule root for p { compute-root(g); }", schedule="root", windows=True)
        box = (0, 0), (1024, 1024)
        job = Job(Recipe.of(p), ("out",), {"a": Grid([(1024,), (1024,)])}, {"out": box}, {})
        cut = strips.Strips(Caller(job))
        self.assertGreater(cut.allocated(box, (box,)), 4 * 2**20)
        with mock.patch.object(strips, "STRIP", 2**19):
            self.assertLess(cut.most(box, (box,)), 2**19)

    def test_table(self):
        """A second image of which each window needs all is read once: the task is not cut."""
        p = hlc.compile("pipeline p(a: image<i32, 2>, b: image<i32, 2>) -> out(a.width, a.height) { let f = repeat_edge(a);"
                        " fun out(x, y) = f(x + 1, y + 1) + b(clamp(f(x, y), 0, b.width - 1), clamp(f(x, y) * 2, 0, b.height - 1)); }")
        with mock.patch.object(strips, "STRIP", 2**18):
            self.assertGreater(self.held(p, a=data((1536, 1536)), b=data((500, 500))), 2 * 2**20)


class Graphs(unittest.TestCase):
    def setUp(self):
        self.p = hlc.compile(STENCIL.format(boundary="mirror_interior(a)"), schedule="fast(v = 4)")
        self.a = data((20, 30))

    def test_keys(self):
        """The same call has the same keys, in all processes; another schedule, parameter, array or chunk has others."""
        def name(p=self.p, a=self.a, chunks=(6, 7), **given):
            return hlc.dask.apply(p, a=da.from_array(a, chunks=chunks), **given).name
        again = hlc.compile(STENCIL.format(boundary="mirror_interior(a)"), schedule="fast(v = 4)")
        self.assertEqual(name(), name(again))
        others = {name(), name(k=4), name(a=self.a + 1), name(chunks=5), name(self.p.with_schedule("fast")),
                  name(self.p.with_schedule(None))}
        self.assertEqual(len(others), 6)

    def test_recipe(self):
        """A graph has one recipe. It is small, and a process compiles it once, also when many threads ask at once."""
        lazily = hlc.dask.apply(self.p, a=da.from_array(self.a, chunks=2))
        graph = dict(lazily.__dask_graph__())
        self.assertEqual(sum(isinstance(value, Job) for value in graph.values()), 1)
        tasks = [task for task in graph.values() if isinstance(task, tuple) and task[0] is compute]
        self.assertEqual(len(tasks), 150)
        self.assertLess(max(len(pickle.dumps(task)) for task in tasks), 1000)
        recipe = pickle.loads(pickle.dumps(Recipe.of(self.p)))
        self.assertEqual(recipe.token, Recipe.of(self.p).token)
        KEPT.made.clear()
        made = []
        threads = [threading.Thread(target=lambda: made.append(recipe.pipeline())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(map(id, made))), 1)
        self.assertEqual(made[0](a=self.a).tobytes(), self.p(a=self.a).tobytes())

    def test_versions(self):
        recipe = Recipe.of(self.p)
        recipe.version, recipe.token = "9.9.9 (9.9)", "another"
        with self.assertRaisesRegex(hlc.ProgramError, "install one version on all workers"):
            recipe.pipeline()

    def test_errors(self):
        """Errors of tasks come through processes."""
        wrong = da.from_delayed(dask.delayed(np.zeros)((3, 3)), (4, 4), np.int32)
        with self.assertRaisesRegex(hlc.ProgramError, "a: its chunk .* has the shape") as caught:
            hlc.dask.apply(self.p, a=wrong).compute(scheduler="sync" if IS_SHARE else "processes", num_workers=1)
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))

    def test_limits(self):
        peak = Peak(hlc.dask.recipe.Recipe.of(self.p).pipeline())
        self.assertIsNotNone(peak.code)
        self.assertEqual([parse_bytes(t) for t in ("2GB", "1.5 MiB", "7", 8)], [2 * 10**9, 3 * 2**19, 7, 8])
        for text in ("", "2 cows", "-1", "GB"):
            with self.assertRaises(hlc.ProgramError):
                parse_bytes(text)


class Refused(unittest.TestCase):
    def test_whole(self):
        """What needs everything is refused with the func's name; small arrays are computed."""
        p, a = hlc.compile(HISTOGRAM), data((30, 40), np.uint8)
        whole = p(a=a)
        for found, wanted in zip(dask.compute(*hlc.dask.apply(p, a=da.from_array(a, chunks=7))), whole):
            self.assertEqual(found.tobytes(), wanted.tobytes())
        huge = da.zeros((60000, 60000), chunks=4000, dtype=np.uint8)
        with self.assertRaisesRegex(hlc.ProgramError, "needs all of `a`, because `counts` reads it .*`hlc split FILE --at=counts`"):
            hlc.dask.apply(p, a=huge)
        scan = hlc.compile("pipeline s(a: image<i32, 1>) -> out(a.width) {"
                           " fun out(x) = { 0; rdom(r = (1, a.width - 1)) in (r) <- out(r - 1) + a(r); } }")
        with self.assertRaisesRegex(hlc.ProgramError, "needs most of `a`, because `out` reads it"):
            hlc.dask.apply(scan, a=da.zeros(10**9, chunks=10**6, dtype=np.int32))
        large = hlc.compile(STENCIL.format(boundary="repeat_edge(a)"))
        hlc.dask.apply(large, a=da.zeros((60000, 60000), chunks=30000, dtype=np.int32))  # as the user wants it

    def test_calls(self):
        p, a = hlc.compile(STENCIL.format(boundary="repeat_edge(a)")), da.from_array(data((6, 8)), chunks=3)
        unknown = da.from_array(data((40,)), chunks=10)
        unknown = unknown[unknown > 100]
        line = hlc.compile("pipeline p(a: image<i32, 1>) -> out(a.width) { fun out(x) = a(x); }")
        even = hlc.compile("pipeline p(a: image<i32, 2>) -> out(a.width, a.height) { require(a.width % 3 == 0, \"threes\");"
                           " fun out(x, y) = a(x, y); }")
        for call, error, text in (
                (lambda: hlc.dask.apply(p), TypeError, "misses the array a"),
                (lambda: hlc.dask.apply(p, a=a, b=1), TypeError, "no argument b"),
                (lambda: hlc.dask.apply(p, a=a.astype(np.int64)), hlc.ProgramError, "elements are int64"),
                (lambda: hlc.dask.apply(p, a=a[0]), hlc.ProgramError, "1 axes"),
                (lambda: hlc.dask.apply(line, a=unknown), hlc.ProgramError, "compute_chunk_sizes"),
                (lambda: hlc.dask.apply(p, a=a, k=a.sum()), hlc.ProgramError, "compute it first"),
                (lambda: hlc.dask.apply(p, a=a, out=np.zeros((6, 8))), hlc.ProgramError, "is a shape"),
                (lambda: hlc.dask.apply(p, a=a, out=(6, 8, 1)), hlc.ProgramError, "is no shape of"),
                (lambda: hlc.dask.apply(p, a=a, chunks=((5, 2), (8,))), hlc.ProgramError, "do not fit the shape"),
                (lambda: hlc.dask.apply(even, a=a), hlc.RunError, "threes")):
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                call()


if __name__ == "__main__":
    unittest.main()
