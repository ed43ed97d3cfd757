"""Calls from Python: the quick way and the others agree; threads and cancel of one call; tuning; a stranger's mistakes."""

import multiprocessing
import os
import pathlib
import pickle
import signal
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np

import hlc
from hlc import calls, tuning

EXAMPLES = pathlib.Path(os.environ["HLC_SOURCE"]) / "examples"
IS_SHARE = int(os.environ.get("HLC_SHARE", "1")) > 1  # the tier `test` runs a share

ADD = """
pipeline add(a: image<{t}, 2>, b: image<{t}, 2>, k: i32 = 1) -> out(a.width, a.height) {{
    fun out(x, y) = a(x, y) + b(x, y) * {t}(k);
}}
schedule fast for add {{ parallel(out.y, 4); vectorize(out.x, 8); }}
"""

SLOW = """
pipeline slow(n: i32) -> out(64, 64) {
    fun out(x, y) = { 0;  rdom(r = (0, n)) in (x, y) <- (out(x, y) * 7 + r) ^ (out(x, y) >> 3); }
}
schedule par for slow { parallel(out.s1.y); }
"""


def quick_calls(pipeline):
    """Counts what the quick way answers: [plain, others]."""
    counts, run = [0, 0], calls._native.python_run

    def counting(address, values):
        error = run(address, values)
        if values:
            counts[error == calls.NOT_PLAIN] += 1
        return error
    return counts, unittest.mock.patch.object(calls._native, "python_run", counting)


class Quick(unittest.TestCase):
    def test_types(self):
        """All element types; each call but the first is quick."""
        random = np.random.default_rng(1)
        for t in "u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64".split():
            dtype = np.dtype(t[0] + str(int(t[1:]) // 8))
            add = hlc.compile(ADD.format(t=t), schedule="fast")
            counts, patch = quick_calls(add)
            with self.subTest(t=t), patch:
                for n in range(4):
                    a, b = (random.integers(0, 50, (7, 19 + n)).astype(dtype) for _ in range(2))
                    out = np.zeros(a.shape, dtype)
                    self.assertIs(add(a=a, b=b, out=out, k=n), out)
                    np.testing.assert_array_equal(out, a + b * dtype.type(n))
                self.assertEqual(counts, [3, 0])

    def test_default(self):
        """A parameter that is left out has its default again."""
        add, a, out = hlc.compile(ADD.format(t="i32")), np.ones((2, 3), np.int32), np.zeros((2, 3), np.int32)
        for _ in range(3):
            self.assertEqual(add(a=a, b=a, out=out, k=5)[0, 0], 6)
            self.assertEqual(add(a=a, b=a, out=out)[0, 0], 2)
            self.assertEqual(add(out=out, k=None, b=a, a=a)[0, 0], 2)

    def test_memory(self):
        """Every kind of array gives the same after a quick call as before it."""
        base = np.arange(240, dtype=np.int32).reshape(12, 20)
        unaligned = np.frombuffer(b"x" + base.tobytes(), np.uint8)[1:].view(np.int32).reshape(12, 20)
        frozen = base.copy()
        frozen.flags.writeable = False
        subclass = base.view(type("Sub", (np.ndarray,), {}))
        add, counts = hlc.compile(ADD.format(t="i32")), None
        zeros = np.zeros((12, 20), np.int32)
        add(a=base, b=base, out=zeros)
        counts, patch = quick_calls(add)
        kinds = {"plain": (base, 1), "rows backward": (base[::-1], 1), "every second row": (base[::2], 1),
                 "read-only": (frozen, 1), "part": (base[2:7, 3:9], 1), "one column": (base[:, 3:4], 1),
                 "one row": (base[3:4], 1), "transposed": (base.T, 0), "every second column": (base[:, ::2], 0),
                 "columns backward": (base[:, ::-1], 0), "byte order": (base.astype(">i4"), 0),
                 "unaligned": (unaligned, 0), "subclass": (subclass, 0), "empty": (base[:0], 0),
                 "repeated": (np.broadcast_to(base[:, :1], (12, 20)), 0),
                 "one row repeated": (np.broadcast_to(base[:1], (12, 20)), 1)}
        for kind, (array, is_quick) in kinds.items():
            with self.subTest(kind=kind), patch, warnings.catch_warnings():
                warnings.simplefilter("ignore", hlc.CopyWarning)
                counts[:] = [0, 0]
                out = np.zeros(array.shape, np.int32)
                add(a=array, b=array, out=out)
                np.testing.assert_array_equal(out, np.asarray(array, np.int32) * 2)
                self.assertEqual(counts[0], is_quick)
        for kind, out in (("columns", np.zeros((12, 40), np.int32)[:, ::2]), ("order", np.zeros((20, 12), np.int32).T),
                          ("rows backward", zeros[::-1])):
            with self.subTest(output=kind):
                np.testing.assert_array_equal(add(a=base, b=base, out=out), base * 2)

    def test_layouts(self):
        text = "pipeline i(a: image<u8, 3, interleaved>, b: image<u8, 3, strided>) -> out(a.width, a.height, 3): " \
               "interleaved { fun out(x, y, c) = a(x, y, 2 - c) + b(x, y, c); }"
        swap = hlc.compile(text, axes={"b": "yxc"})
        for shape in ((5, 7, 3), (1, 1, 3), (5, 1, 3), (4, 4, 3)):
            a = np.random.default_rng(2).integers(0, 99, shape).astype(np.uint8)
            backward = np.ascontiguousarray(a[:, ::-1])[:, ::-1]
            out = np.zeros(shape, np.uint8)
            for _ in range(2):
                out[:] = 0
                np.testing.assert_array_equal(swap(a=a, b=backward, out=out), a[:, :, ::-1] + a)

    def test_results(self):
        text = "pipeline two(a: image<i32, 1>) -> (out(a.width), more(a.width)) { fun out(x) = a(x) * 2; " \
               "fun more(x) = a(x) + 1; }"
        two, a = hlc.compile(text), np.arange(4, dtype=np.int32)
        out, more = np.zeros(4, np.int32), np.zeros(4, np.int32)
        for _ in range(3):
            result = two(more=more, a=a, out=out)
            self.assertIs(result.out, out)
            self.assertIs(result.more, more)
            np.testing.assert_array_equal(out, a * 2)
        single = hlc.compile("pipeline s(a: image<i32, 1>) -> total { fun total() = { 0; rdom(r = (0, 4)) in () <- "
                             "total() + a(r); } }")
        total = np.zeros((), np.int32)
        for _ in range(3):
            total[()] = 0
            self.assertEqual(single(a=a, out=total)[()], 6)

    def test_mistakes(self):
        """After a quick call, each mistake is told as before it, and the next call is right."""
        add = hlc.compile(ADD.format(t="i32"))
        a, out = np.ones((4, 6), np.int32), np.zeros((4, 6), np.int32)
        frozen = np.zeros((4, 6), np.int32)
        frozen.flags.writeable = False
        for wrong, error, text in (
                ({"a": a.astype("f4")}, hlc.ProgramError, "are float32, not i32"),
                ({"a": a.astype("M8[s]")}, hlc.ProgramError, "datetime64"),
                ({"a": a.astype(object)}, hlc.ProgramError, "object"),
                ({"a": a[0]}, hlc.ProgramError, "has 1 axes"),
                ({"a": "text"}, hlc.ProgramError, "are <U4"),
                ({"a": None}, TypeError, "misses the argument a"),
                ({"k": 2**31}, hlc.ProgramError, "does not fit i32"),
                ({"k": "3"}, hlc.ProgramError, "is an integer"),
                ({"out": frozen}, hlc.ProgramError, "read-only"),
                ({"out": a}, hlc.RunError, "overlaps"),
                ({"out": a[::-1]}, hlc.RunError, "overlaps"),
                ({"out": np.broadcast_to(out[:1], (4, 6))}, hlc.Error, "read-only|overlap"),
                ({"out": np.zeros((5, 6), np.int32)}, hlc.RunError, "access_out_of_bounds"),
                ({"out": out.tolist()}, hlc.ProgramError, "out"),
                ({"out": memoryview(out)}, hlc.ProgramError, "a numpy array"),
                ({"c": a}, TypeError, "no argument c")):
            with self.subTest(text=text):
                add(a=a, b=a, out=out)
                with self.assertRaisesRegex(error, text):
                    add(**{"a": a, "b": a, "k": 1, "out": out, **wrong})
                out[:] = 0
                np.testing.assert_array_equal(add(a=a, b=a, k=1, out=out), 2)

    def test_self_overlapping(self):
        """An output whose elements share memory is refused, also quickly."""
        add, a = hlc.compile(ADD.format(t="i32")), np.ones((4, 6), np.int32)
        add(a=a, b=a, out=np.zeros((4, 6), np.int32))
        shared = np.lib.stride_tricks.as_strided(np.zeros(6, np.int32), (4, 6), (0, 4))
        with self.assertRaises(hlc.RunError) as caught:
            add(a=a, b=a, out=shared)
        self.assertEqual(caught.exception.code, "output_aliases")

    def test_handlers(self):
        """A signal's handler runs during a call, and may call the same pipeline; what it raises ends the call."""
        slow, seen = hlc.compile(SLOW), []
        out = slow(n=20)
        np.testing.assert_array_equal(slow(n=20, out=np.zeros((64, 64), np.int32)), out)

        def handle(number, frame):
            seen.append(np.array_equal(slow(n=20, out=np.zeros((64, 64), np.int32)), out))
            if len(seen) == 3:
                raise TimeoutError
        before = signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        try:
            with self.assertRaises(TimeoutError):
                slow(n=2_000_000_000, out=np.zeros((64, 64), np.int32))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(seen, [True] * 3)


class OneCall(unittest.TestCase):
    def test_threads(self):
        """Threads change no result; wrong numbers are refused."""
        add, a = hlc.compile(ADD.format(t="i32"), schedule="fast"), np.arange(600, dtype=np.int32).reshape(20, 30)
        for threads in (1, 2, 7, 10**6):
            np.testing.assert_array_equal(add.using(threads=threads)(a=a, b=a), a * 2)
        for threads in (0, -1, 1.5, "2", 2**31):
            with self.subTest(threads=threads), self.assertRaisesRegex(hlc.ProgramError, "threads is a number from 1"):
                add.using(threads=threads)
        with self.assertRaisesRegex(hlc.ProgramError, "an hlc.Cancel, not 3"):
            add.using(cancel=3)

    def test_cancel(self):
        """It ends its own calls only, at once or while they run."""
        for schedule in (None, "par"):
            for windows in (False, True):
                slow, stop, seen = hlc.compile(SLOW, schedule=schedule, windows=windows), hlc.Cancel(), []
                slow(n=1)

                def work():
                    try:
                        slow.using(cancel=stop)(n=2_000_000_000)
                    except hlc.Cancelled as error:
                        seen.append(error.code)
                thread = threading.Thread(target=work)
                thread.start()
                time.sleep(0.05)
                slow(n=2)  # another thread's call
                stop.set()
                thread.join()
                self.assertEqual(seen, ["stopped"])
                self.assertTrue(stop.is_set())
                with self.assertRaises(hlc.Cancelled):
                    slow.using(cancel=stop)(n=2_000_000_000)
                stop.clear()
                np.testing.assert_array_equal(slow.using(cancel=stop)(n=0), np.zeros((64, 64)))
        with self.assertRaisesRegex(TypeError, "pickled"):
            pickle.dumps(stop)

    def test_interrupts(self):
        """Ctrl-C ends a call whose like was short before, and what the compiler does."""
        for options in ({"windows": True},) if IS_SHARE else ({}, {"schedule": "par"}, {"windows": True}):
            slow = hlc.compile(SLOW, **options)
            out = np.zeros((64, 64), np.int32)
            slow(n=1, out=out)
            for call in (lambda: slow(n=2_000_000_000, out=out), lambda: slow(n=2_000_000_000),
                         lambda: slow.check(rounds=1_000_000), lambda: slow.func("out", n=10**6)[0:64, 0:64]):
                timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    call()
                timer.join()
                np.testing.assert_array_equal(slow(n=0), np.zeros((64, 64)))
            self.assertTrue(slow.explain())

    def test_handlers_that_ask(self):
        """A handler of a signal that asks about the pipeline that is asked about is refused; it may ask about another, and set a
        Cancel whose lock its thread holds."""
        slow, other, stop, said = hlc.compile(SLOW), hlc.compile(SLOW), hlc.Cancel(), []

        def handle(number, frame):
            said.append(bool(other.explain()))
            slow.explain()
        before = signal.signal(signal.SIGALRM, handle)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaisesRegex(RuntimeError, "a handler of a signal asks"):
                slow.check(rounds=1_000_000)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(said, [True])
        self.assertTrue(slow.explain())

        def set_inside():
            with stop._lock:
                stop.set()
        thread = threading.Thread(target=set_inside, daemon=True)
        thread.start()
        thread.join(20)
        self.assertFalse(thread.is_alive())

    def test_interrupts_twice(self):
        """A second Ctrl-C, while a call ends, leaves no call running that uses arrays which may be freed."""
        ending, finished = threading.Event(), threading.Event()

        def call():
            ending.wait()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            finished.set()
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            calls.aside(call, ending.set)
        self.assertTrue(finished.is_set())
        timer.join()

    def test_interrupts_of_starts(self):
        """Ctrl-C while the other thread is started: the call has ended, or never begins, when the exception is raised."""
        for way in (calls.aside, calls.wait):
            for is_started in (False, True):
                begun, ending, running = threading.Event(), threading.Event(), []

                def call():
                    running.append(True)
                    begun.set()
                    ending.wait(20)
                    running.pop()

                class Interrupted(threading.Thread):
                    def start(self):
                        if is_started:
                            super().start()
                            begun.wait()
                        raise KeyboardInterrupt

                with self.subTest(way=way, is_started=is_started), \
                        unittest.mock.patch.object(calls.threading, "Thread", Interrupted):
                    if way is calls.wait and is_started:
                        way(call, ending.set)  # it decides itself
                    else:
                        with self.assertRaises(KeyboardInterrupt):
                            way(call, ending.set)
                    self.assertEqual((running, begun.is_set()), ([], is_started))

    def test_race(self):
        """Threads that compile and call one pipeline for the first time at once, with and without a Cancel."""
        for _ in range(5):
            add, wrong, stop = hlc.compile(ADD.format(t="i32"), schedule="fast"), [], hlc.Cancel()

            def work(seed):
                a = np.full((9, 11 + seed), seed, np.int32)
                out = np.zeros_like(a)
                for n in range(20):
                    call = add if n % 2 else add.using(cancel=stop, threads=1 + n % 3)
                    if not np.array_equal(call(a=a, b=a, k=n, out=out), a * (1 + n)):
                        wrong.append(seed)
            workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            [w.start() for w in workers]
            [w.join() for w in workers]
            self.assertEqual(wrong, [])

    def test_fork(self):
        """A child may call what its parent has compiled, also with threads."""
        add, a = hlc.compile(ADD.format(t="i32"), schedule="fast"), np.arange(600, dtype=np.int32).reshape(20, 30)
        out = np.zeros_like(a)
        add(a=a, b=a, out=out)
        add(a=a, b=a, out=out)
        child = os.fork()
        if child == 0:
            good = np.array_equal(add(a=a, b=a, k=2, out=out), a * 3) and \
                np.array_equal(add.with_schedule(None)(a=a, b=a), a * 2)
            os._exit(0 if good else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_fork_during_compiling(self):
        """A child that was forked while another thread was in the compiler says so, where it used to wait for ever."""
        add, other = (hlc.compile(ADD.format(t="i32")) for _ in range(2))
        begun, forked = threading.Event(), threading.Event()

        def compiling():
            with add._handle.lock:
                begun.set()
                forked.wait()
        thread = threading.Thread(target=compiling, daemon=True)
        thread.start()
        begun.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            a, texts = np.ones((2, 3), np.int32), []
            for call in (lambda: add(a=a, b=a), lambda: add.explain(), lambda: add.func("out", a=a, b=a)[0, 0]):
                try:
                    call()
                except RuntimeError as error:
                    texts.append(str(error))
            good = len(texts) == 3 and all("load it again" in t for t in texts) and \
                np.array_equal(other(a=a, b=a), a * 2) and np.array_equal(add.with_schedule(None)(a=a, b=a), a * 2)
            os._exit(0 if good else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        forked.set()
        thread.join()

    def test_cancel_race(self):
        """`cancel` while threads make their first calls."""
        slow, wrong, is_over = hlc.compile(SLOW, schedule="par"), [], threading.Event()
        slow(n=1)

        def cancelling():
            try:
                while not is_over.is_set():
                    slow.cancel()
            except RuntimeError as error:
                wrong.append(error)

        def work():
            try:
                slow(n=3)
            except hlc.Cancelled:
                pass
        canceller = threading.Thread(target=cancelling)
        canceller.start()
        for _ in range(20):
            workers = [threading.Thread(target=work) for _ in range(20)]
            [w.start() for w in workers]
            [w.join() for w in workers]
        is_over.set()
        canceller.join()
        self.assertEqual(wrong, [])

    def test_processes(self):
        """Errors travel between processes; pipelines do not, and say so."""
        with multiprocessing.get_context("fork").Pool(1) as pool:
            with self.assertRaises(hlc.ProgramError) as caught:
                pool.apply(hlc.compile, ("pipeline p() -> out { fun out(x) = b(x); }",))
        self.assertEqual(caught.exception.code, "E0201")
        with self.assertRaisesRegex(TypeError, "load it in each process"):
            pickle.dumps(hlc.compile(SLOW))


class Tuning(unittest.TestCase):
    BLUR = "pipeline blur(a: image<u8, 2>) -> out(a.width, a.height) { let f = repeat_edge(a); " \
           "fun g(x, y) = u16(f(x - 1, y)) + u16(f(x + 1, y)); fun out(x, y) = u8((g(x, y - 1) + g(x, y + 1)) / 4); }\n" \
           "schedule half for blur { vectorize(out.x, 8); }"

    def setUp(self):
        self.blur = hlc.compile(self.BLUR)
        self.a = np.random.default_rng(1).integers(0, 255, (120, 160), np.uint8)

    def test_measured(self):
        seen = []
        fast = self.blur.tune(a=self.a, seconds=0.3 if IS_SHARE else 1.5, progress=lambda what, share: seen.append(share))
        self.assertEqual(fast.schedule, "tuned")
        self.assertIn("schedule tuned for blur", fast.schedule_text)
        np.testing.assert_array_equal(fast(a=self.a), self.blur(a=self.a))
        again = hlc.compile(self.BLUR + fast.schedule_text, schedule="tuned")
        np.testing.assert_array_equal(again(a=self.a), self.blur(a=self.a))
        self.assertTrue(seen and all(0 <= s <= 1 for s in seen))
        self.assertTrue(fast.explain())
        self.assertTrue(fast.check(rounds=1))
        self.assertTrue(fast.certify())

    def test_model(self):
        """Without seconds nothing is run, and nothing need be given."""
        first, second = self.blur.tune(seconds=0), self.blur.tune(seconds=0)
        self.assertEqual(first.schedule_text, second.schedule_text)
        np.testing.assert_array_equal(first(a=self.a), self.blur(a=self.a))
        extended = self.blur.tune(seconds=0, extend="half", name="better")
        self.assertIn("schedule better for blur extends half", extended.schedule_text)
        self.assertIn("split(out.s0.x, x_o, x_v, 8)", extended.explain())
        self.assertEqual(extended.schedules, ["half", "better"])

    def test_refused(self):
        for given, error, text in (({"seconds": -1}, hlc.ProgramError, "0 or more"),
                                   ({"seconds": float("nan")}, hlc.ProgramError, "0 or more"),
                                   ({"name": "half"}, hlc.ProgramError, "has a schedule half"),
                                   ({"name": "a b", "seconds": 0}, hlc.ProgramError, "a b"),
                                   ({"extend": "none"}, hlc.ProgramError, "no schedule none"),
                                   ({"b": self.a}, TypeError, "no argument b"),
                                   ({"seconds": 1}, hlc.ProgramError, "a")):
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                self.blur.tune(**given)

        def broken(what, share):
            raise LookupError("mine")
        with self.assertRaisesRegex(LookupError, "mine"):
            self.blur.tune(a=self.a, seconds=0.5, progress=broken)

    def test_interrupt(self):
        """Ctrl-C ends the measuring, with the best so far. Before that, and where nothing is measured, it ends the call."""
        ask, begin = tuning.Finish.ask, tuning.Finish.__init__

        def asked(finish, data):
            if not finish.is_measuring:
                os.kill(os.getpid(), signal.SIGINT)
            return ask(finish, data)

        def begun(finish, handle):
            begin(finish, handle)
            threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with unittest.mock.patch.object(tuning.Finish, "ask", asked), self.assertWarnsRegex(hlc.Warning, "interrupted"):
            fast = self.blur.tune(a=self.a, seconds=3600)
        np.testing.assert_array_equal(fast(a=self.a), self.blur(a=self.a))
        slow = hlc.load(EXAMPLES / "local_laplacian.hl")
        with unittest.mock.patch.object(tuning.Finish, "__init__", begun), self.assertRaises(KeyboardInterrupt):
            slow.tune(seconds=0)


if __name__ == "__main__":
    unittest.main()
