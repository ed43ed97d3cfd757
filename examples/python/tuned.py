"""Tunes a pipeline for the pictures that one has, certifies the result, and prints the schedule for the file.

    python3 tuned.py [seconds]
"""
import pathlib
import sys
import time

import numpy as np

import hlc

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent


def time_of(pipeline, **arguments):
    pipeline(**arguments)
    begin = time.perf_counter()
    pipeline(**arguments)
    return time.perf_counter() - begin


photo = np.random.default_rng(1).integers(0, 255, (600, 800), np.uint8)
edges = hlc.load(EXAMPLES / "edges.hl")
tuned = edges.tune(input=photo, seconds=float(sys.argv[1]) if len(sys.argv) > 1 else 5, progress=sys.stderr.isatty())
print(tuned.schedule_text)
print(f"{time_of(edges, input=photo) / time_of(tuned, input=photo):.1f} times as fast as the empty schedule")
print("the same bytes:", edges(input=photo).tobytes() == tuned(input=photo).tobytes())
print("equal to the reference:", bool(tuned.check(rounds=1)))
print("certified:", bool(tuned.certify()))
