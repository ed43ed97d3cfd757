"""hlc-dask run: the bytes of the whole, within the limit; refused before anything is written; no half-written output."""

import contextlib
import json
import os
import pathlib
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import numpy as np

import hlc
from hlc.dask import cache, command, engine, streaming

IS_SHARE = int(os.environ.get("HLC_SHARE", "1")) > 1  # the tier `test` runs a share

try:
    import zarr
except ImportError:
    zarr = None

TEXT = """
pipeline smooth(input: image<u16, 2>, k: i32 = 2 in 0..9) -> (out(input.width, input.height), pair(input.height)) {
    let f = mirror_interior(input);
    fun wide(x, y) = u32(f(x - 3, y)) + u32(f(x + 3, y)) * u32(k);
    fun out(x, y) = u16((wide(x, y - 2) + wide(x, y + 2)) / 4);
    fun pair(y) = {input(0, y), u8(y)};
}
schedule fast for smooth { compute-at(wide, out.y_p);  parallel(out.y, 16);  vectorize(out.x, 8); }
"""


@unittest.skipIf(zarr is None, "no python3-zarr")
class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        pathlib.Path("smooth.hl").write_text(TEXT)
        self.a = np.random.default_rng(20261127).integers(0, 60000, (301, 203), np.uint16)
        self.whole = hlc.compile(TEXT)(input=self.a, k=3)
        zarr.save_array("in.zarr", self.a, chunks=(64, 50))
        np.save("in.npy", self.a)

    @unittest.skipIf(IS_SHARE, "processes of their own take seconds")
    def test_scheduler(self):
        """The workers of a Dask scheduler, in processes of their own."""
        try:
            from distributed import LocalCluster
        except ImportError:
            self.skipTest("no python3-distributed")
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster:
            self.run_command("input=in.zarr", "out=out.zarr", "pair.0=p0.zarr", "pair.1=p1.zarr", "k=3", "--memory=1GB",
                             f"--scheduler={cluster.scheduler_address}")
        self.assertEqual(zarr.load("out.zarr").tobytes(), self.whole.out.tobytes())

    def run_command(self, *arguments, status=0):
        """What it prints, on both."""
        done = subprocess.run([sys.executable, "-m", "hlc.dask.command", "run", "smooth.hl", *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def call(self, *arguments):
        """Likewise in this process: the status, and what it prints as JSON."""
        with tempfile.TemporaryFile("w+") as out, contextlib.redirect_stdout(out), open(os.devnull, "w") as nothing, \
                contextlib.redirect_stderr(nothing):
            status = command.main(["run", "smooth.hl", *arguments, "--json"])
            out.seek(0)
            return status, [json.loads(line) for line in out]

    def test_files(self):
        out, _ = self.run_command("input=in.zarr", "k=3", "out=out.zarr", "--schedule=fast", "--memory=1GB",
                                  "pair.0=first.npy", "pair.1=second.zarr", "--threads=2")
        self.assertIn("out: u16 203x301, out.zarr", out)
        self.assertEqual(zarr.open("out.zarr")[:].tobytes(), self.whole.out.tobytes())
        self.assertEqual(zarr.open("out.zarr").chunks, (64, 50))
        self.assertEqual(np.load("first.npy").tobytes(), self.whole.pair_0.tobytes())
        self.assertEqual(zarr.open("second.zarr")[:].tobytes(), self.whole.pair_1.tobytes())
        for given in (("input=in.npy", "out=other.npy", "--chunks=17x31"), ("input=in.npy", "out=other.zarr"),
                      ("input=in.zarr", "out=other.zarr", "--stored-chunks=7x300", "--chunks=21x300", "--overwrite"),
                      ("input=in.zarr", "out=other.zarr", "--chunks=1x301", "--overwrite")):
            status, told = self.call(*given, "k=3")
            self.assertEqual(status, 0, told)
            path = given[1][4:]
            found = np.load(path) if path.endswith(".npy") else zarr.open(path)[:]
            self.assertEqual(found.tobytes(), self.whole.out.tobytes())
            self.assertEqual(told[0]["outputs"][0]["path"], path)
        self.assertEqual({p.name for p in pathlib.Path().iterdir()},
                         {"smooth.hl", "in.zarr", "in.npy", "out.zarr", "first.npy", "second.zarr", "other.npy", "other.zarr"})

    def test_chunks_read(self):
        """Each chunk is decompressed once where memory is there, and the windows of a task use those of the one before."""
        spaces, reads = [], []

        class Space(engine.Space):
            def __init__(self):
                super().__init__()
                spaces.append(self)

        class Cache(cache.Cache):
            def chunk(self, key, read):
                return super().chunk(key, lambda: reads.append(key) or read())
        arguments = ["run", "smooth.hl", "input=in.zarr", "out=out.zarr", "pair.0=p0.npy", "pair.1=p1.npy", "k=3", "--threads=1",
                     "--chunks=50x64"]
        with unittest.mock.patch.object(streaming, "Cache", Cache), \
                unittest.mock.patch.object(engine, "Space", Space), contextlib.redirect_stdout(None):
            self.assertEqual(command.main(arguments), 0)
        self.assertEqual(zarr.load("out.zarr").tobytes(), self.whole.out.tobytes())
        self.assertEqual((len(reads), len(spaces)), (25 + 5, 2))

    def test_cache(self):
        kept, reads = cache.Cache(100), []

        def chunk(key):
            return kept.chunk(key, lambda: reads.append(key) or np.full(5, key))
        for key, times in ((1, 1), (1, 1), (2, 2), (1, 2), (3, 3), (1, 3), (2, 4)):  # two are kept, the last ones
            self.assertEqual((chunk(key)[0], len(reads)), (key, times))
        self.assertEqual((pickle.loads(pickle.dumps(kept)).limit, kept.bytes), (0, 80))

    def test_refused(self):
        os.symlink("in.zarr", "link.zarr")
        os.mkdir("group.zarr")
        zarr.open_group("group.zarr")
        os.mkdir("kept")
        pathlib.Path("kept", "notes").write_text("mine")
        zarr.open("holes.zarr", mode="w", shape=(301, 203), chunks=(64, 50), dtype=np.uint16, fill_value=None)[:64, :50] = 1
        shutil.copytree("in.zarr", "broken.zarr")
        pathlib.Path("broken.zarr", "1.1").write_bytes(b"no chunk")
        pathlib.Path("short.npy").write_bytes(pathlib.Path("in.npy").read_bytes()[:5000])
        pathlib.Path("list.json").write_text("[1]")
        pathlib.Path("empty.json").write_text('{"format": 2, "outputs": [], "steps": []}')
        pathlib.Path("half.json").write_text('{"format": 2, "outputs": [], "steps": [{"kind": "map"}]}')
        before = {p.name for p in pathlib.Path().iterdir()}
        for arguments, status, text in (
                (("input=in.zarr", "out=in.zarr", "--overwrite"), 2, "is an input"),
                (("input=in.zarr", "out=link.zarr", "--overwrite"), 2, "is an input"),
                (("input=link.zarr", "out=in.zarr", "--overwrite"), 2, "is an input"),
                (("input=in.zarr", "out=in.zarr/out.zarr"), 2, "is an input"),
                (("input=in.zarr", "out=x.zarr", "pair.0=y.npy", "pair.1=x.zarr"), 2, "the file of another output"),
                (("input=in.zarr", "out=in.npy"), 2, "exists"),
                (("input=in.zarr", "out=smooth.hl", "--overwrite"), 2, "is no Zarr array, so --overwrite does not"),
                (("input=in.zarr", "out=kept", "--overwrite"), 2, "is no Zarr array, so --overwrite does not"),
                (("input=in.zarr", "out=group.zarr", "--overwrite"), 2, "is no Zarr array, so --overwrite does not"),
                (("input=in.zarr", "out=o.zip"), 2, "another kind of store"),
                (("input=in.zarr", "out="), 2, "out= has no path"),
                (("input=in.zarr", "out=o\0.zarr"), 2, "is no path"),
                (("input=in.zarr", f"out={'o' * 250}.zarr"), 3, "o.zarr"),
                (("input=", "out=o.zarr"), 2, "empty path"),
                (("input=kept", "out=o.zarr"), 3, "kept: there is no Zarr array"),
                (("input=holes.zarr", "out=o.zarr"), 2, "24 chunks that were never written, and no fill_value"),
                (("input=broken.zarr", "out=o.zarr"), 3, "broken.zarr: .*decompression"),
                (("input=short.npy", "out=o.zarr"), 3, "short.npy is not read as a .npy file"),
                (("input=in.zarr", "out=o.zarr", "--split=list.json"), 2, "one JSON object"),
                (("input=in.zarr", "out=o.zarr", "--split=empty.json"), 2, "the plan has no output out"),
                (("input=in.zarr", "out=o.zarr", "--split=half.json"), 2, "not as hlc split writes it: KeyError: 'part'"),
                (("input=in.zarr", "out=o.zarr", "--chunks=64"), 2, "--chunks=64 has 1 numbers, and no output"),
                (("input=in.zarr", "out=no/out.zarr"), 3, "no folder"),
                (("input=none.zarr", "out=o.zarr"), 3, "no such file"),
                (("input=smooth.hl", "out=o.zarr"), 3, "smooth.hl"),
                (("input=group.zarr", "out=o.zarr"), 2, "is a group"),
                (("out=o.zarr",), 2, "misses the image input"),
                (("input=in.zarr",), 2, "no output has a path"),
                (("input=in.zarr", "pair.0=o.zarr"), 2, "pair.1 has no path"),
                (("input=in.zarr", "out=o.zarr", "q=1"), 2, "no input or output q"),
                (("input=in.zarr", "-o", "o.zarr"), 2, "-o names the only output"),
                (("input=in.zarr", "out=o.zarr", "k=ten"), 2, "k: i32 = 2 cannot be"),
                (("input=in.zarr", "out=o.zarr", "k=10"), 2, "above its range"),
                (("input=in.zarr", "out=o.zarr", "k=1", "k=2"), 2, "twice"),
                (("input=in.zarr", "out=o.zarr", "--memory=lots"), 2, "no amount of memory"),
                (("input=in.zarr", "out=o.zarr", "--memory=1MB"), 2, "give --memory=\\d+MB"),
                (("input=in.zarr", "out=o.zarr", "--threads=0"), 2, "--threads"),
                (("input=in.zarr", "out=o.zarr", "--chunks=0x5"), 2, "no size"),
                (("input=in.zarr", "out=o.zarr", "--stored-chunks=20x20", "--chunks=30x20"), 2, "no multiples"),
                (("input=in.zarr", "out=o.zarr", "--schedule=slow"), 2, "no schedule slow")):
            with self.subTest(arguments=arguments):
                found, told = self.call(*arguments)
                self.assertEqual(found, status, told)
                self.assertRegex(told[0]["message"], text)
                self.assertEqual({p.name for p in pathlib.Path().iterdir()}, before)
        self.assertEqual(zarr.open("in.zarr")[:].tobytes(), self.a.tobytes())

    def test_failures(self):
        """A run that fails in its middle leaves nothing, and what was there stays."""
        self.call("input=in.zarr", "out=out.zarr")
        before, count = zarr.open("out.zarr")[:].tobytes(), [0]
        perform = engine.perform

        for error in (OSError("the disk is full"), MemoryError(), KeyboardInterrupt()):
            count[0] = 0

            def failing(*arguments, error=error):
                count[0] += 1
                if count[0] == 3:
                    raise error
                perform(*arguments)
            with unittest.mock.patch("hlc.dask.streaming.perform", failing):
                status, _ = self.call("input=in.zarr", "out=out.zarr", "--chunks=50x64", "--overwrite", "k=4", "--threads=1")
            self.assertEqual(status, 130 if isinstance(error, KeyboardInterrupt) else 3)
            self.assertEqual(zarr.open("out.zarr")[:].tobytes(), before)
            self.assertEqual(len(list(pathlib.Path().iterdir())), 4)

    def test_interleaved(self):
        """Sizes are written dimension 0 first, whatever the order of the axes."""
        text = ("pipeline turned(input: image<u8, 3, interleaved>) -> out: interleaved "
                "{ fun out(x, y, c) = input(x, y, c) + u8(c); }")
        pathlib.Path("smooth.hl").write_text(text)
        a = np.random.default_rng(5).integers(0, 255, (50, 70, 3), np.uint8)
        zarr.save_array("colour.zarr", a, chunks=(20, 30, 3))
        status, told = self.call("input=colour.zarr", "out=o.zarr", "--size=out=60x40x3", "--stored-chunks=32x16x3",
                                 "--chunks=64x16x3")
        self.assertEqual(status, 0, told)
        self.assertEqual((told[0]["outputs"][0]["size"], told[0]["outputs"][0]["shape"]), ([60, 40, 3], [40, 60, 3]))
        self.assertEqual((zarr.open("o.zarr").chunks, told[0]["tasks"]), ((16, 32, 3), 3))
        self.assertEqual(zarr.load("o.zarr").tobytes(), hlc.compile(text)(input=a, out=(40, 60, 3)).tobytes())

    def test_scheduler_gone(self):
        """A scheduler that does not answer any more, or has no workers for long, ends the run."""
        try:
            import distributed
            from distributed.comm import CommClosedError
        except ImportError:
            self.skipTest("no python3-distributed")
        for error, workers, text in ((OSError("closed"), {"a": {}}, "is gone: closed"), (TimeoutError(), {}, "no workers any more")):
            cluster = engine.Cluster.__new__(engine.Cluster)
            cluster.client, cluster.address = unittest.mock.MagicMock(), "tcp://x:1"
            cluster.client.scheduler_info.return_value = {"workers": workers}
            cluster.distributed, cluster.lost = unittest.mock.MagicMock(), (CommClosedError, )
            cluster.distributed.wait.side_effect, cluster.distributed.TimeoutError = error, distributed.TimeoutError
            with self.assertRaisesRegex(hlc.WorldError, f"tcp://x:1: .* {text}"):
                cluster.first([1])
            future = unittest.mock.MagicMock()
            future.result.side_effect = CommClosedError("reset")
            with self.assertRaisesRegex(hlc.WorldError, "is gone: reset"):
                cluster.result(future)

    def test_full(self):
        """No file may become larger, as on a full disk."""
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limit)
        before = {p.name for p in pathlib.Path().iterdir()}
        for path in ("out.zarr", "out.npy"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, limit[1]))
            status, told = self.call("input=in.zarr", f"out={path}")
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            self.assertEqual(status, 3, told)
            self.assertRegex(told[0]["message"], "partial.*File too large")
            self.assertEqual({p.name for p in pathlib.Path().iterdir()}, before)

    def test_taken(self):
        """What others make under the name during the run stays, and none of two outputs appears."""
        perform = engine.perform
        before = {p.name for p in pathlib.Path().iterdir()}
        for path in ("second.zarr", "second.npy"):
            def taking(*arguments, path=path):
                if not os.path.exists(path):
                    shutil.copytree("in.zarr", path) if path.endswith("zarr") else shutil.copy("in.npy", path)
                perform(*arguments)
            with unittest.mock.patch("hlc.dask.streaming.perform", taking):
                status, told = self.call("input=in.zarr", "pair.0=first.zarr", f"pair.1={path}")
            self.assertEqual(status, 3, told)
            self.assertRegex(told[0]["message"], f"{path} was made by others during the run")
            self.assertEqual({p.name for p in pathlib.Path().iterdir()}, before | {path})
            found = zarr.load(path) if path.endswith("zarr") else np.load(path)
            self.assertEqual(found.tobytes(), self.a.tobytes())
            shutil.rmtree(path) if path.endswith("zarr") else os.remove(path)

    def test_signals(self):
        """Each ends the run once: a second one does not keep it from removing what it wrote."""
        zarr.open("large.zarr", mode="w", shape=(4096, 4096), chunks=(64, 64), dtype=np.uint16, fill_value=3)
        before = {p.name for p in pathlib.Path().iterdir()}
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([sys.executable, "-m", "hlc.dask.command", "run", "smooth.hl", "input=large.zarr", "out=o.zarr",
                                   "--chunks=64x64"], stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as run:
                while not list(pathlib.Path().glob("o.zarr.*.partial/0.*")) and run.poll() is None:
                    time.sleep(0.01)
                run.send_signal(number)
                run.send_signal(number)
                said = run.stderr.read()
            self.assertEqual(run.returncode, 128 + number, said)
            self.assertIn("no output was written", said)
            self.assertEqual({p.name for p in pathlib.Path().iterdir()}, before)

    def test_interrupted(self):
        """A signal between a task's start and its record: the task ends before what it wrote is removed."""
        before, submit = {p.name for p in pathlib.Path().iterdir()}, engine.Local.submit

        def interrupted(self, *call):
            submit(self, *call)
            time.sleep(0.3)
            raise KeyboardInterrupt

        def late(*arguments):
            engine.perform(*arguments)  # opens the files
            time.sleep(0.5)
            engine.perform(*arguments)
        with unittest.mock.patch("hlc.dask.streaming.perform", late), \
                unittest.mock.patch.object(engine.Local, "submit", interrupted):
            status, _ = self.call("input=in.zarr", "out=o.zarr", "--chunks=64x64")
        time.sleep(1)
        self.assertEqual((status, {p.name for p in pathlib.Path().iterdir()}), (130, before))

    def test_usage(self):
        for arguments in ([], ["walk"], ["run"], ["run", "smooth.hl", "--no-such"]):
            with open(os.devnull, "w") as nothing, contextlib.redirect_stderr(nothing), self.subTest(arguments=arguments):
                try:
                    status = command.main(arguments)
                except SystemExit as ended:
                    status = ended.code
                self.assertEqual(status, 2)


if __name__ == "__main__":
    unittest.main()
