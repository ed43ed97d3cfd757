"""Arrays on disk that tasks read and write by themselves: Zarr, and .npy by memory maps.

A store is small and can be pickled: it has a path, and is opened in the task. What is written is written beside the name
that it gets, and renamed when all of it is there. So a run that fails leaves nothing under the name.
"""

import os
import shutil

import numpy as np

from ..errors import ProgramError, WorldError
from .grids import Grid, overlap, slices

CHUNK = 1024  # of an axis, where nothing says another


def open_zarr(path, mode="r"):
    try:
        import zarr
    except ImportError:
        raise WorldError(f"{path}: reading and writing Zarr needs the Python package zarr") from None
    try:
        return zarr.open(str(path), mode=mode)
    except Exception as error:  # zarr has many
        raise WorldError(f"{path}: {error}") from None


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
        if not os.path.lexists(path):
            raise WorldError(f"{path}: there is no such file")
        if str(path).endswith(".npy"):
            try:
                array = np.load(path, mmap_mode="r", allow_pickle=False)
            except (ValueError, OSError) as error:
                raise WorldError(f"{path}: {error}") from None
            return cls(path, array.shape, array.dtype, array.shape)
        array = open_zarr(path)
        if not hasattr(array, "chunks"):
            raise ProgramError(f"{path} is a group of Zarr arrays, {', '.join(sorted(array.array_keys())) or 'without any'}: "
                               "name one, with its path in the group")
        return cls(path, array.shape, array.dtype, array.chunks)

    def create(self):
        """Makes the file, whose elements are unspecified."""
        try:
            if not self.is_zarr:
                np.lib.format.open_memmap(self.path, "w+", self.dtype, self.shape)
                return
            import zarr
            zarr.open(self.path, mode="w", shape=self.shape, chunks=self.chunks, dtype=self.dtype, fill_value=0)
        except OSError as error:
            raise WorldError(f"{self.path}: {error}") from None

    def array(self, mode):
        """Opened. A memory map is opened for each window: what is mapped counts as memory of the process."""
        if not self.is_zarr:
            return np.lib.format.open_memmap(self.path, mode)
        if self.opened is None:
            self.opened = open_zarr(self.path, mode)
        return self.opened

    def read(self, slot, box):
        """The window of an image, in memory. What lies beyond the file is 0."""
        inside = overlap(box, (self.origin, self.shape))
        if inside[1] != tuple(box[1]):
            memory = slot.zeros(box[1])
            if 0 not in inside[1]:
                memory[slices(inside, box[0])] = self.array("r")[slices(inside, self.origin)]
            return memory
        memory = slot.empty(box[1])
        if memory.size:
            part, array = slices(box, self.origin), self.array("r")
            if self.is_zarr and memory.flags.c_contiguous and array.dtype == memory.dtype:
                array.get_basic_selection(part, out=memory)
            else:
                memory[...] = array[part]
        return memory

    def write(self, box, values):
        if values.size:
            array = self.array("r+")
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


def is_within(path, other):
    return os.path.commonpath([path, other]) == other


class Outputs:
    """The files that a run makes: all of them, or none. `stores` are where tasks write."""

    def __init__(self, paths, inputs, overwrite):
        self.paths, self.made = dict(paths), {}
        reals, others = [os.path.realpath(store.path) for store in inputs], []
        for name, path in self.paths.items():
            real = os.path.realpath(path)
            for read in reals:
                if is_within(real, read) or is_within(read, real):  # through links, too
                    raise ProgramError(f"{name}={path} is an input of the run, {read}: it would be overwritten while it is "
                                       "read; give the output another path")
            if any(is_within(real, other) or is_within(other, real) for other in others):
                raise ProgramError(f"{name}={path} is the file of another output")
            if os.path.lexists(path) and not overwrite:
                raise ProgramError(f"{name}={path} exists: give another path, or --overwrite")
            if not os.path.isdir(os.path.dirname(real) or "."):
                raise WorldError(f"{path}: there is no folder {os.path.dirname(real)}")
            others.append(real)

    def create(self, name, shape, dtype, chunks, origin):
        path = os.path.realpath(self.paths[name])
        store = Store(f"{path}.{os.getpid()}.partial" if not path.endswith(".npy") else f"{path[:-4]}.{os.getpid()}.partial.npy",
                      shape, dtype, chunks, origin)
        store.is_zarr = not path.endswith(".npy")
        self.made[name] = store
        store.create()
        return store

    def finish(self):
        """All is there: the files get their names."""
        for name, store in self.made.items():
            path = os.path.realpath(self.paths[name])
            old = f"{path}.{os.getpid()}.old"
            if os.path.lexists(path):
                os.rename(path, old)
            os.rename(store.path, path)
            remove(old)

    def discard(self):
        for store in self.made.values():
            remove(store.path)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.remove(path)


def default_chunks(shape, inputs):
    """Of an output: an input's of the same shape, else 1024 along the last two axes."""
    for store in inputs:
        if store.shape == tuple(shape) and store.is_zarr:
            return store.chunks
    most = [1] * max(len(shape) - 2, 0) + [CHUNK] * min(len(shape), 2)
    if shape and shape[-1] <= 4:  # channels, interleaved
        most = ([1] * max(len(shape) - 3, 0) + [CHUNK] * min(len(shape) - 1, 2)) + [4]
    return tuple(max(min(m, n), 1) for m, n in zip(most, shape))
