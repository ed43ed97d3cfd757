"""A slide that need not fit in memory: even light, no dots, a histogram of all, and a pyramid of pictures, as Zarr.

    python3 microscope.py [slide.zarr flat.zarr out.zarr]     arrays [y, x] of u16; without them, made ones

Needs python3-dask and python3-zarr. Each line is lazy until an array is stored.
"""
import pathlib
import sys
import tempfile

import dask
import dask.array as da
import numpy as np

import hlc
import hlc.dask

EXAMPLES = pathlib.Path(__file__).resolve().parent


def made(folder):
    """A slide in chunks of 256 whose middle is brighter, with dots; and the light alone."""
    generator = np.random.default_rng(1)
    y, x = np.mgrid[0:1000, 0:1400].astype(np.float32)
    light = 40000 - ((x - 700)**2 + (y - 500)**2) / 40
    slide = light * (0.4 + 0.3 * np.sin(x / 50) * np.cos(y / 70))
    slide[generator.integers(0, 1000, 500), generator.integers(0, 1400, 500)] = 65535
    for name, picture in (("slide", slide), ("flat", light)):
        da.from_array(picture.astype(np.uint16), chunks=256).to_zarr(f"{folder}/{name}.zarr")
    return f"{folder}/slide.zarr", f"{folder}/flat.zarr", f"{folder}/out.zarr"


def loaded(name):
    return hlc.load(EXAMPLES / "microscope.hl", pipeline=name, schedule="fast")


folder = tempfile.TemporaryDirectory()
slide_path, flat_path, out_path = sys.argv[1:4] if len(sys.argv) > 3 else made(folder.name)
slide, flat = da.from_zarr(slide_path), da.from_zarr(flat_path)

levels = [hlc.dask.apply(loaded("correct"), input=slide, flat=flat)]
for _ in range(3):
    levels.append(hlc.dask.apply(loaded("half"), input=levels[-1], chunks=256))
counts = hlc.dask.apply(loaded("count"), input=levels[0], chunks=(4, 256)).sum(axis=0)

stored = [level.to_zarr(out_path, component=str(k), compute=False) for k, level in enumerate(levels)]
counts, *_ = dask.compute(counts, *stored)
print("levels:", ", ".join("x".join(map(str, level.shape[::-1])) for level in levels))
print("the brightest of 256 bins that has points:", np.flatnonzero(counts)[-1])

# What all of it gives at once, on pictures that fit in memory.
whole = loaded("correct")(input=slide.compute(), flat=flat.compute())
strips = loaded("count")(input=whole)
print("the same histogram as at once:", bool((counts == strips.sum(axis=0)).all()))
for k in range(4):
    print(f"the same bytes in level {k}:", da.from_zarr(out_path, component=str(k)).compute().tobytes() == whole.tobytes())
    whole = loaded("half")(input=whole)
