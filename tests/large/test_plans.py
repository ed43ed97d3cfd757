"""Plans of `hlc split`, as Dask graphs and from files to files: the bytes of the whole."""

import json
import os
import random
import tempfile
import unittest
import unittest.mock

import dask
import dask.array as da
import numpy as np
import plans

import hlc
import hlc.dask
from hlc.dask import graphs, streaming_plan
from hlc.dask.plans import block_ends
from hlc.dask.streaming import Request, stream

try:
    import zarr
except ImportError:
    zarr = None


def arguments(shape):
    a = np.random.default_rng(20261127).integers(0, 250, shape, np.uint8)
    return (("equalize", plans.EQUALIZE, plans.equalize(), a, {}), ("in order", plans.EQUALIZE, plans.equalize(False), a, {}),
            ("mean", plans.MEAN, plans.mean(), a.astype(np.float32) / 7, {"gain": 2.5}),
            ("scan", plans.SCAN, plans.scan(), a.astype(np.int32), {}),
            ("tiles", plans.TILES, hlc.compile(plans.TILES).split(at="auto"), a.astype(np.int32), {}),
            ("equations", plans.EQUATIONS, hlc.compile(plans.EQUATIONS).split(at="auto,turned"), a.astype(np.int32), {}))


def outputs_of(result):
    return dict(zip(result._fields, result)) if hasattr(result, "_fields") else {"out": result}


class Plans(unittest.TestCase):
    def test_graphs(self):
        """Any chunks and blocks: exact operators in pairs, floats in order, scans from window to window."""
        generator = random.Random(1)
        for name, text, plan, a, given in arguments((37, 53)):
            whole = outputs_of(hlc.compile(text)(a=a, **given))
            for _ in range(3):
                chunks = generator.choice((1, 4, 7, 60)), generator.choice((3, 11, 53))
                block = generator.choice((1, 300, 10**6))
                with self.subTest(name=name, chunks=chunks, block=block), unittest.mock.patch.object(graphs, "BLOCK", block):
                    found = outputs_of(hlc.dask.apply(hlc.compile(text), a=da.from_array(a, chunks=chunks), split=plan, **given))
                    for output, values in zip(found, dask.compute(*found.values())):
                        self.assertEqual(np.asarray(values).tobytes(), whole[output].tobytes())

    def test_names(self):
        name, text, plan, a, given = arguments((20, 30))[0]
        p = hlc.compile(text)
        names = {hlc.dask.apply(p, a=da.from_array(a, chunks=chunks), split=plan).name for chunks in (5, 5, 6)}
        self.assertEqual(len(names), 2)

    @unittest.skipIf(zarr is None, "no python3-zarr")
    def test_files(self):
        for name, text, plan, a, given in arguments((61, 43)):
            whole = outputs_of(hlc.compile(text)(a=a, **given))
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder, \
                    unittest.mock.patch.object(streaming_plan, "BLOCK", 3000), \
                    unittest.mock.patch.object(streaming_plan, "choose", lambda sizing, *_: (sizing.unit, 1, 2)):
                zarr.save_array(f"{folder}/in.zarr", a, chunks=(8, 9))
                request = Request(hlc.compile(text, windows=True), 10**9)
                request.images, request.parameters, request.threads = {"a": f"{folder}/in.zarr"}, given, 2
                request.paths = {output: f"{folder}/{output}.zarr" for output in whole}
                request.split = f"{folder}/plan.json"
                with open(request.split, "w") as file:
                    json.dump(plan, file)
                stream(request, lambda *told: None)
                for output, path in request.paths.items():
                    self.assertEqual(np.asarray(zarr.open(path)[...]).tobytes(), whole[output].tobytes())
                self.assertEqual({*os.listdir(folder)}, {"in.zarr", "plan.json", *(f"{o}.zarr" for o in whole)})

    def test_blocks(self):
        self.assertEqual(block_ends((3, 3), lambda b: 1, 9), [])
        self.assertEqual(block_ends((-2, 5), lambda b: b[1] - b[0], 3), [(-2, 0), (0, 2), (2, 4), (4, 5)])
        self.assertEqual(block_ends((0, 4), lambda b: 100, 3), [(0, 1), (1, 2), (2, 3), (3, 4)])

    def test_refused(self):
        name, text, plan, a, given = arguments((20, 30))[0]
        p = hlc.compile(text)
        for changed, message in (({"format": 1}, "the format 1"),
                                 ({"steps": [{**plan["steps"][0], "kind": "spiral"}]}, "of the kind spiral")):
            with self.assertRaisesRegex(hlc.ProgramError, message):
                hlc.dask.apply(p, a=a, split={**plan, **changed})
        with self.assertRaisesRegex(hlc.ProgramError, "axes in another order"):
            hlc.dask.apply(hlc.compile(text, axes={"a": "xy"}), a=a, split=plan)
        with self.assertRaisesRegex(hlc.ProgramError, "`out` has its axes in another order in the plan: leave out axes="):
            hlc.dask.apply(hlc.compile(text, axes={"out": "xy"}), a=a, split=plan)

    @unittest.skipUnless(hasattr(hlc.Pipeline, "split"), "this version has no split")
    def test_split(self):
        """Plans of the compiler."""
        for name, text, _, a, given in arguments((37, 53)):
            p = hlc.compile(text)
            whole = outputs_of(p(a=a, **given))
            with self.subTest(name=name), unittest.mock.patch.object(graphs, "BLOCK", 300):
                found = outputs_of(hlc.dask.apply(p, a=da.from_array(a, chunks=(7, 11)), split="auto", **given))
                for output, values in zip(found, dask.compute(*found.values())):
                    self.assertEqual(np.asarray(values).tobytes(), whole[output].tobytes())

    @unittest.skipUnless(hasattr(hlc.Pipeline, "split"), "this version has no split")
    def test_chunks(self):
        """Extents that are asked for are of the outputs, not of arrays between steps."""
        p = hlc.compile("""pipeline p(a: image<u8, 2>) -> out(a.width, a.height) {
            fun counts(i, j) = { u32(0); rdom(r = (0, a.width); s = (0, a.height)) in (a(r, s), j) <- counts(a(r, s), j) + 1; }
            fun out(x, y) = counts(a(x, y), 0) + counts(a(x, y), 1); }""")
        a = np.random.default_rng(1).integers(0, 250, (20, 30), np.uint8)
        array = da.from_array(a, chunks=(8, 30))
        found = hlc.dask.apply(p, a=array, split="auto", chunks=((3, 17), (20, 10)))
        self.assertEqual((found.chunks, found.compute().tobytes()), (((3, 17), (20, 10)), p(a=a).tobytes()))
        with self.assertRaisesRegex(hlc.ProgramError, "do not fit the shape"):
            hlc.dask.apply(p, a=array, split="auto", chunks=((3, 16), (20, 10)))


if __name__ == "__main__":
    unittest.main()
