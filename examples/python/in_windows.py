"""Filters a file that need not fit in memory: window by window, the same bytes as at once.

    python3 in_windows.py [big.npy [rows]]     an array [y, x, channel] of u8 on disk; without one, a made one
"""
import pathlib
import sys
import tempfile

import numpy as np

import hlc

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent

folder = tempfile.TemporaryDirectory()
if len(sys.argv) > 1:
    path = pathlib.Path(sys.argv[1])
else:
    path = pathlib.Path(folder.name, "big.npy")
    np.save(path, np.random.default_rng(1).integers(0, 255, (700, 500, 3), np.uint8))
rows = int(sys.argv[2]) if len(sys.argv) > 2 else 256

big = np.load(path, mmap_mode="r")
result = np.lib.format.open_memmap(pathlib.Path(folder.name, "result.npy"), "w+", np.uint8, big.shape)
sharpen = hlc.load(EXAMPLES / "unsharp.hl", schedule="rows", windows=True)
print("the whole is accepted:", bool(sharpen.accepts(input=big.shape, out=big.shape)))

held = 0
for row in range(0, big.shape[0], rows):
    out = hlc.Window.of(result, (row, 0, 0), (min(rows, big.shape[0] - row), *big.shape[1:]))
    origin, shape = sharpen.needs(input=hlc.Window(domain=big.shape), out=out)["input"]
    held = max(held, shape[0])
    sharpen(input=hlc.Window.of(big, origin, shape), out=out)
print("rows that a window of", rows, "needs at most:", held)

at_once = hlc.load(EXAMPLES / "unsharp.hl", schedule="rows")(input=np.array(big))
print("the same bytes as at once:", at_once.tobytes() == result.tobytes())
