"""Sharpens a photograph, and shows that the schedule changes the time, and nothing else.

    python3 photograph.py [photo.npy]      an array [y, x, channel] of u8; without one, a made picture
"""
import pathlib
import sys
import time

import numpy as np

import hlc

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent


def made_picture(height=1200, width=1600):
    y, x = np.indices((height, width))
    rings = np.sin((x - width / 2) ** 2 / 4000 + (y - height / 2) ** 2 / 4000)
    planes = [128 + 100 * rings, x * 255 / width, y * 255 / height]
    return np.stack(planes, axis=-1).astype(np.uint8)


photo = np.load(sys.argv[1]) if len(sys.argv) > 1 else made_picture()
plain = hlc.load(EXAMPLES / "unsharp.hl")
fast = plain.with_schedule(plain.schedules[0])
results = {}
for name, pipeline in {"the empty schedule": plain, plain.schedules[0]: fast}.items():
    pipeline(input=photo, strength=1.5)  # the first call compiles
    begin = time.perf_counter()
    results[name] = pipeline(input=photo, strength=1.5)
    print(f"{name}: {(time.perf_counter() - begin) * 1000:.1f} ms")
first, second = results.values()
print("the same bytes:", first.tobytes() == second.tobytes())
print("changed pixels:", int((first != photo).any(axis=-1).sum()), "of", photo.shape[0] * photo.shape[1])
