"""What a call from Python costs over one from C, and how soon a call that is ended ends.

    HLC_LIBRARY=build/shared/libhlc.so.0.2 PYTHONPATH=python python3 bench/python.py [repetitions]

The costs are processor time, of pairs in one process, in turn. The C call is the one
through ctypes, with the arguments packed before.
"""
import ctypes
import os
import signal
import statistics
import sys
import threading
import time

import numpy as np

import hlc
from hlc import _native

ADD = """
pipeline add(a: image<f32, 2>, b: image<f32, 2>) -> out(a.width, a.height) { fun out(x, y) = a(x, y) + b(x, y); }
"""
SLOW = """
pipeline slow(n: i32) -> out(64, 64) {
    fun out(x, y) = { 0;  rdom(r = (0, n)) in (x, y) <- (out(x, y) * 7 + r) ^ (out(x, y) >> 3); }
}
schedule parallel_loop for slow { parallel(out.s1.y); }
schedule outer_serial_loop for slow { reorder(out.s1.x, out.s1.y, out.s1.r); }
"""


def microseconds(call, count):
    begin = time.thread_time()  # of the processor: other processes do not count
    for _ in range(count):
        call()
    return (time.thread_time() - begin) / count * 1e6


def cost(repetitions, count=1000):
    add = hlc.compile(ADD)
    a, b, out = (np.zeros((4, 4), np.float32) for _ in range(3))
    add(a=a, b=b, out=out)
    add(a=a, b=b, out=out)
    frame, function = add._frames.frame, add._function
    call, address, report, base = _native.lib.hlc_function_call_with, frame.call_address, frame.report_address, frame.base
    pairs = []
    for _ in range(repetitions):
        from_c = microseconds(lambda: call(function, address, report, base), count)
        from_python = microseconds(lambda: add(a=a, b=b, out=out), count)
        pairs.append((from_c, from_python))
    least_c, least = min(c for c, _ in pairs), min(p for _, p in pairs)
    print(f"a call with three arrays and out=: {least:.2f} us, by ctypes with packed arguments {least_c:.2f} us; "
          f"over it {least - least_c:.2f} us, the median of pairs {statistics.median(p - c for c, p in pairs):.2f} us")


def latency(slow, end, repetitions, expected):
    """How long after `end` the call is over, in milliseconds: the median and the greatest."""
    found = []
    out = np.zeros((64, 64), np.int32)
    for _ in range(repetitions):
        at = []

        def work():
            time.sleep(0.1)
            at.append(time.perf_counter())
            end(slow)
        ender = threading.Thread(target=work)
        ender.start()
        try:
            slow(n=2_000_000_000, out=out)
            raise SystemExit("the call was not ended")
        except expected:
            found.append((time.perf_counter() - at[0]) * 1e3)
        ender.join()
    return f"median {statistics.median(found):.1f} ms, at most {max(found):.1f} ms"


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    cost(repetitions)
    for schedule in ("parallel_loop", "outer_serial_loop", None):
        slow = hlc.compile(SLOW, schedule=schedule)
        slow(n=1)
        for name, end, expected in (("cancel", lambda p: p.cancel(), hlc.Cancelled),
                                    ("Ctrl-C", lambda p: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt)):
            print(f"{name} ends {(schedule or 'the empty schedule').replace('_', ' ')}: "
                  f"{latency(slow, end, repetitions, expected)}")


main()
