"""Inputs and outputs as Dask arrays: their chunks, their axes."""

import math

import dask.array
import numpy as np
from dask.array.core import normalize_chunks

from ..arrays import Window
from ..errors import ProgramError
from .grids import Grid
from .stores import check_filled


def dask_array(slot, given):
    """The array of an image, as (dask array, origin)."""
    origin = None
    if isinstance(given, Window):
        given, origin = given.array, given.origin
        if given is None or isinstance(given, tuple):
            raise ProgramError(f"{slot.name}: the window has no array")
    if not isinstance(given, dask.array.Array):
        if not hasattr(given, "shape") or not hasattr(given, "dtype"):
            given = np.asarray(given)
        if type(given).__module__.split(".")[0] == "zarr":
            check_filled(given, slot.name)
            given = dask.array.from_zarr(given)
        else:
            chunks = getattr(given, "chunks", None) or "auto"
            given = dask.array.from_array(given, chunks=chunks)
    if given.ndim != slot.dimensions:
        raise ProgramError(f"{slot.name}: the array has {given.ndim} axes; {slot!r} has {slot.dimensions}")
    if any(math.isnan(n) for axis in given.chunks for n in axis):
        raise ProgramError(f"{slot.name}: the sizes of the array's chunks are not known: call compute_chunk_sizes()")
    if given.dtype.newbyteorder("=") != slot.dtype:
        raise ProgramError(f"{slot.name}: the array's elements are {given.dtype}, not {slot.dtype}; convert it, such as "
                           f"by .astype({str(slot.dtype)!r})")
    if slot.may_turn:
        slot.check_axes(given)
    return given, origin


def output_chunks(func, slot, domain, chunks, inputs):
    """The chunks of an output: as asked for, or those of an input of the same shape, or Dask's."""
    shape = domain[1]
    if isinstance(chunks, dict) and (func in chunks or not all(isinstance(k, int) for k in chunks)):
        chunks = chunks.get(func)
    elif isinstance(chunks, tuple) and len(chunks) != len(shape):
        chunks = None  # they are of other outputs
    if chunks is None:
        like = next((a for a in inputs if a.shape == shape), None)
        if like is not None:
            return Grid(like.chunks, domain[0])
        chunks = "auto"
    if not shape:
        return Grid((), ())
    try:
        return Grid(normalize_chunks(chunks, shape, dtype=slot.dtype), domain[0])
    except (ValueError, TypeError) as error:
        raise ProgramError(f"{func}: chunks={chunks!r} do not fit the shape {shape}: {error}") from None
