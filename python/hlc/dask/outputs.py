"""The files that a run makes: all of them, or none.

What is written is written beside the name that it gets, and renamed when all of it is there. So a run that fails leaves
nothing under the name.
"""

import os
import shutil

from ..errors import ProgramError, WorldError
from .stores import Store

READ_OTHERWISE = (".zip", ".n5")  # Zarr reads paths with these ends as other stores, which tasks cannot write together


def is_within(path, other):
    return os.path.commonpath([path, other]) == other


def is_array(path, is_npy):
    """Whether what exists there is what --overwrite replaces: an array of this kind, or an empty folder."""
    if is_npy:
        return os.path.isfile(path)
    return os.path.isdir(path) and (os.path.isfile(os.path.join(path, ".zarray")) or not os.listdir(path))


class Outputs:
    """`paths`: {name: path}; `inputs`: stores. `made`: {name: store}, where tasks write."""

    def __init__(self, paths, inputs, overwrite):
        self.paths, self.overwrite, self.made = dict(paths), overwrite, {}
        reads, others = [os.path.realpath(store.path) for store in inputs], []
        for name, path in self.paths.items():
            others.append(self.check(name, path, reads, others))

    def check(self, name, path, reads, others):
        """The real path, if the output may be there."""
        if not path:
            raise ProgramError(f"{name}= has no path: write {name}=out.zarr")
        if "\0" in path:
            raise ProgramError(f"{name}={path!r} is no path")
        real = os.path.realpath(path)
        for read in reads:
            if is_within(real, read) or is_within(read, real):  # through links, too
                raise ProgramError(f"{name}={path} is an input of the run, {read}: it would be overwritten while it is "
                                   "read; give the output another path")
        if any(is_within(real, other) or is_within(other, real) for other in others):
            raise ProgramError(f"{name}={path} is the file of another output")
        if real.endswith(READ_OTHERWISE):
            raise ProgramError(f"{name}={path} would be read as another kind of store: give a path that ends in .zarr or .npy")
        if os.path.lexists(path):
            if not self.overwrite:
                raise ProgramError(f"{name}={path} exists: give another path, or --overwrite")
            if os.path.exists(real) and not is_array(real, real.endswith(".npy")):
                raise ProgramError(f"{name}={path} exists and is no {'.npy file' if real.endswith('.npy') else 'Zarr array'}, so "
                                   "--overwrite does not replace it: remove it, or give another path")
        if not os.path.isdir(os.path.dirname(real)):
            raise WorldError(f"{path}: there is no folder {os.path.dirname(real)}")
        return real

    def create(self, name, shape, dtype, chunks, origin):
        path = os.path.realpath(self.paths[name])
        store = Store(f"{path}.{os.getpid()}.partial" if not path.endswith(".npy") else f"{path[:-4]}.{os.getpid()}.partial.npy",
                      shape, dtype, chunks, origin)
        store.is_zarr = not path.endswith(".npy")
        self.made[name] = store
        store.create()
        return store

    def finish(self):
        """All is there: the files get their names, or, if one cannot, none does."""
        moves = []
        try:
            for name, store in self.made.items():
                path = os.path.realpath(self.paths[name])
                move = Move(store.path, path, f"{path}.{os.getpid()}.old")
                moves.append(move)
                move.do(self.overwrite)
        except FileExistsError as error:
            undo(moves)
            raise WorldError(f"{error.filename2 or error.filename} was made by others during the run: nothing is replaced; give "
                             "another path, or --overwrite") from None
        except BaseException:
            undo(moves)
            raise
        for move in moves:
            remove(move.old)

    def discard(self):
        for store in self.made.values():
            remove(store.path)


class Move:
    """A file gets its name. `old` is where the one before is kept until all have theirs."""

    def __init__(self, source, path, old):
        self.source, self.path, self.old = source, path, old

    def do(self, overwrite):
        """Raises FileExistsError if something is there and `overwrite` is not true."""
        if overwrite and os.path.lexists(self.path):
            os.rename(self.path, self.old)
        if os.path.isdir(self.source):
            if os.path.lexists(self.path):
                raise FileExistsError(17, "exists", self.path)
            os.rename(self.source, self.path)  # fails if a folder with files appears meanwhile
        else:
            self.link()

    def link(self):
        """A link, unlike a rename, never replaces a file that others have made. Some file systems have none."""
        try:
            os.link(self.source, self.path)
        except FileExistsError:
            raise
        except OSError:
            if os.path.lexists(self.path):
                raise FileExistsError(17, "exists", self.path) from None
            os.rename(self.source, self.path)
            return
        os.remove(self.source)

    def undo(self):
        """Whatever part of it is done."""
        if os.path.lexists(self.path):
            if not os.path.lexists(self.source):
                os.rename(self.path, self.source)
            elif os.path.samefile(self.source, self.path):
                os.remove(self.path)
        if os.path.lexists(self.old) and not os.path.lexists(self.path):
            os.rename(self.old, self.path)


def undo(moves):
    for move in reversed(moves):
        move.undo()


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.remove(path)
