"""Arrays on disk that tasks read and write by themselves: Zarr, and .npy by memory maps.

A store is small and can be pickled: it has a path, and is opened in the task.
"""

import contextlib
import itertools
import os

import numpy as np

from ..errors import Error, ProgramError, WorldError
from .grids import Grid, overlap, slices

CHUNK = 1024  # of an axis, where nothing says another


@contextlib.contextmanager
def said_of(path):
    """Errors of files, of Zarr and of its codecs, as those of the outside world, with the path."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as error:  # Zarr has many
        said = str(error) if str(error) and not isinstance(error, KeyError) else repr(error.__context__ or error)
        raise WorldError(f"{path}: {said}") from None


def open_zarr(path, mode="r"):
    try:
        import zarr
    except ImportError:
        raise WorldError(f"{path}: reading and writing Zarr needs the Python package zarr") from None
    if not os.path.isdir(path) and not str(path).endswith(".zip"):
        raise WorldError(f"{path} is a file, and a Zarr array is a folder; only paths that end in .npy are numpy's files")
    with said_of(path):
        try:
            return zarr.open(str(path), mode=mode)
        except zarr.errors.PathNotFoundError:
            raise WorldError(f"{path}: there is no Zarr array") from None


def open_npy(path, mode="r"):
    try:
        return np.lib.format.open_memmap(path, mode)
    except (ValueError, OSError, EOFError) as error:
        raise WorldError(f"{path} is not read as a .npy file: {error}") from None


def check_filled(array, path):
    """Elements of chunks that are missing are those of `fill_value`. Without one they would be whatever memory holds."""
    if array.fill_value is None and array.nchunks_initialized < array.nchunks:
        raise ProgramError(f"{path} has {array.nchunks - array.nchunks_initialized} chunks that were never written, and no "
                           "fill_value: their elements are unspecified. Write them, or give the array a fill_value")


class Store:
    """An array of a file. Its domain begins at `origin`."""

    def __init__(self, path, shape, dtype, chunks, origin=None):
        self.path, self.shape, self.dtype = str(path), tuple(shape), np.dtype(dtype)
        self.chunks, self.origin = tuple(chunks), tuple(origin or (0,) * len(shape))
        self.is_zarr = not self.path.removesuffix(".partial").endswith(".npy")
        self.opened = None

    def __reduce__(self):
        return Store, (self.path, self.shape, self.dtype, self.chunks, self.origin)

    def __repr__(self):
        return f"{self.path}: {self.dtype} {self.shape} in chunks of {self.chunks}"

    @classmethod
    def existing(cls, path):
        if not path:
            raise ProgramError("an image has an empty path")
        if "\0" in str(path) or not os.path.lexists(path):
            raise WorldError(f"{path}: there is no such file")
        if str(path).endswith(".npy"):
            array = open_npy(path)
            return cls(path, array.shape, array.dtype, array.shape)
        array = open_zarr(path)
        if not hasattr(array, "chunks"):
            raise ProgramError(f"{path} is a group of Zarr arrays, {', '.join(sorted(array.array_keys())) or 'without any'}: "
                               "name one, with its path in the group")
        check_filled(array, path)
        return cls(path, array.shape, array.dtype, array.chunks)

    def create(self):
        """Makes the file, whose elements are unspecified. A .npy file has its space on the disk: a memory map of a file
        without it ends the process when the disk is full."""
        with said_of(self.path):
            if self.is_zarr:
                import zarr
                zarr.open(self.path, mode="w", shape=self.shape, chunks=self.chunks, dtype=self.dtype, fill_value=0)
                return
            np.lib.format.open_memmap(self.path, "w+", self.dtype, self.shape)
            with open(self.path, "r+b") as file:
                os.posix_fallocate(file.fileno(), 0, max(os.fstat(file.fileno()).st_size, 1))

    def array(self, mode):
        """Opened. A memory map is opened for each window: what is mapped counts as memory of the process."""
        if not self.is_zarr:
            return open_npy(self.path, mode)
        if self.opened is None:
            self.opened = open_zarr(self.path, mode)
        return self.opened

    def read(self, slot, box, cache=None, space=None):
        """The window of an image, in memory: that of `space`, if it is given. What lies beyond the file is 0. `cache` keeps
        chunks."""
        inside = overlap(box, (self.origin, self.shape))
        if inside[1] != tuple(box[1]):
            memory = slot.zeros(box[1])
            if 0 not in inside[1]:
                memory[slices(inside, box[0])] = self.array("r")[slices(inside, self.origin)]
            return memory
        memory = space.array(slot, box[1]) if space else slot.empty(box[1])
        if memory.size:
            part, array = slices(box, self.origin), self.array("r")
            with said_of(self.path):
                if self.is_zarr and cache and cache.limit:
                    self.read_chunks(memory, box, array, cache)
                elif self.is_zarr and memory.flags.c_contiguous and array.dtype == memory.dtype:
                    array.get_basic_selection(part, out=memory)
                else:
                    memory[...] = array[part]
        return memory

    def read_chunks(self, memory, box, array, cache):
        """The window, chunk by chunk."""
        grid = self.grid()
        for block in itertools.product(*grid.touched(box)):
            chunk = grid.box(block)
            part = overlap(box, chunk)
            values = cache.chunk((self.path, block), lambda chunk=chunk: array[slices(chunk, self.origin)])
            memory[slices(part, box[0])] = values[slices(part, chunk[0])]

    def write(self, box, values):
        if values.size:
            array = self.array("r+")
            with said_of(self.path):
                if array.ndim:
                    array[slices(box, self.origin)] = values
                else:
                    array[...] = values

    def grid(self):
        """Of its chunks."""
        return Grid.regular((self.origin, self.shape), [max(c, 1) for c in self.chunks])

    def task_bytes(self):
        """What reading or writing takes beside the window: a chunk, and the same compressed."""
        count = 1
        for c in self.chunks:
            count *= c
        return 2 * count * self.dtype.itemsize if self.is_zarr else 0


def default_chunks(shape, inputs):
    """Of an output: an input's of the same shape, else 1024 along the last two axes."""
    for store in inputs:
        if store.shape == tuple(shape) and store.is_zarr:
            return store.chunks
    most = [1] * max(len(shape) - 2, 0) + [CHUNK] * min(len(shape), 2)
    if shape and shape[-1] <= 4:  # channels, interleaved
        most = ([1] * max(len(shape) - 3, 0) + [CHUNK] * min(len(shape) - 1, 2)) + [4]
    return tuple(max(min(m, n), 1) for m, n in zip(most, shape))
