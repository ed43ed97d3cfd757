"""The command `hlc-dask`: pipelines on files that are larger than memory.

    hlc-dask run FILE input=in.zarr [-o out.zarr | out=out.zarr] [name=value ..] --memory=2GB
"""

import argparse
import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback

from .. import _native, pipeline as pipelines
from .._native import lib
from ..errors import Error, Fault, ProgramError
from ..handle import Handle
from . import memory
from .grids import in_axes
from .streaming import Request, stream

YES, NO, USER, WORLD, FAULT = range(5)
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # of mallopt

HELP = """Runs a pipeline on arrays that may be larger than memory, window by window, with the bytes of the whole.

Images are paths of Zarr arrays or .npy files. Other names are parameters, and const parameters."""


def parser():
    run = argparse.ArgumentParser("hlc-dask run", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    run.add_argument("file", metavar="FILE", help="a .hl file")
    run.add_argument("arguments", nargs="*", metavar="name=value", help="images, parameters, and outputs as out=PATH")
    run.add_argument("-o", dest="output", metavar="PATH", help="the file of the only output")
    run.add_argument("--memory", metavar="BYTES", default="2GB", help="of a process, Python included (2GB)")
    run.add_argument("--pipeline", metavar="NAME", help="which pipeline of the file")
    run.add_argument("--schedule", metavar="NAME", help="which schedule of the file; without it the empty one")
    run.add_argument("--size", metavar="NAME=WxH", action="append", default=[], help="the size of an output")
    run.add_argument("--chunks", metavar="WxH", help="points of a task: a multiple of the output's chunks in its file")
    run.add_argument("--stored-chunks", metavar="WxH", help="chunks of the output's file")
    run.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler; without it threads of this process")
    run.add_argument("--threads", metavar="N", type=int, help="of this process (as many as processors)")
    run.add_argument("--split", metavar="FUNC,..", help="cut at these funcs; auto: where it is needed; or plan.json of `hlc split`")
    run.add_argument("--overwrite", action="store_true", help="replace outputs that exist")
    run.add_argument("--json", action="store_true", help="print what was done as JSON")
    return run


def sizes(text, what):
    """(640, 480), dimension 0 first, of `640x480`."""
    try:
        found = tuple(int(n) for n in text.split("x"))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise ProgramError(f"{what}={text} is no size: write 640x480, dimension 0 first")
    return found


def named(arguments):
    found = {}
    for argument in arguments:
        name, mark, value = argument.partition("=")
        if not mark or not name:
            raise ProgramError(f"{argument} is no argument: write name=value")
        if name in found:
            raise ProgramError(f"{name} is given twice")
        found[name] = value
    return found


def constants_of(path, given):
    """Those of the names that are const parameters of the file."""
    handle = Handle()
    for name, value in given.items():
        if lib.hlc_set_constant(handle.pointer, name.encode(), value.encode()):
            lib.hlc_clear_diagnostics(handle.pointer)
    lib.hlc_load(handle.pointer, os.fsencode(path))
    found = {name: value for name, value in given.items() if lib.hlc_has_constant(handle.pointer, name.encode())}
    lib.hlc_clear_diagnostics(handle.pointer)
    return found


def number(slot, text):
    """The value of a parameter."""
    try:
        if slot.kind == _native.BOOL:
            return {"true": True, "false": False}[text]
        return float(text) if slot.kind in (_native.FLOAT, _native.BFLOAT) else int(text, 0)
    except (ValueError, KeyError):
        raise ProgramError(f"{slot!r} cannot be {text!r}") from None


def requested(options):
    """The Request of a command line."""
    given = named(options.arguments)
    constants = constants_of(options.file, given) if given else {}
    pipeline = pipelines.load(options.file, pipeline=options.pipeline, schedule=options.schedule, windows=True,
                              **constants)
    request = Request(pipeline, memory.parse_bytes(options.memory))
    slots = {slot.name: slot for slot in pipeline.inputs}
    for name, value in given.items():
        if name in constants:
            continue
        if name in slots and slots[name].is_image:
            request.images[name] = value
        elif name in slots:
            request.parameters[name] = number(slots[name], value)
        else:
            request.paths[name] = value
    if options.output:
        if len(pipeline.outputs) != 1 or request.paths:
            raise ProgramError(f"-o names the only output; {pipeline.name} has " +
                               ", ".join(slot.name for slot in pipeline.outputs) + ": write name=PATH")
        request.paths[pipeline.outputs[0].name] = options.output
    if options.threads is not None and options.threads < 1:
        raise ProgramError(f"--threads={options.threads}: a number from 1 on")
    for name, value in named(options.size).items():
        slot = next((slot for func, slot in zip(pipeline._funcs, pipeline.outputs) if name in (func, slot.name)), None)
        dims = sizes(value, "--size")
        request.sizes[name] = in_axes(dims, slot) if slot and len(dims) == slot.dimensions else dims[::-1]
    request.chunks = options.chunks and sizes(options.chunks, "--chunks")
    request.stored = options.stored_chunks and sizes(options.stored_chunks, "--stored-chunks")
    request.scheduler, request.overwrite, request.split = options.scheduler, options.overwrite, options.split
    request.threads = options.threads or len(os.sched_getaffinity(0))
    return request


class Progress:
    """On a terminal, a few times a second."""

    def __init__(self):
        self.is_shown, self.last = sys.stderr.isatty(), 0.0

    def __call__(self, what, done, count):
        now = time.monotonic()
        if self.is_shown and (now - self.last > 0.2 or done == count):
            self.last = now
            sys.stderr.write(f"\r{what}: {done} of {count} tasks, {100 * done // max(count, 1)} % ")
            sys.stderr.flush()

    def end(self):
        if self.is_shown and self.last:
            sys.stderr.write("\n")


class Ended(KeyboardInterrupt):
    """A signal, its number, ends the run: Ctrl-C, or whoever stops the process."""


@contextlib.contextmanager
def ended_once():
    """The first signal raises Ended. Those after it are ignored, so what was written is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number, frame):
        for one in ENDS:
            signal.signal(one, signal.SIG_IGN)
        raise Ended(number)
    before = {one: signal.signal(one, end) for one in ENDS if signal.getsignal(one) != signal.SIG_IGN}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def settle_memory():
    """The buffers of a chunk are used again: fresh pages for each would cost as much time as the run. Windows, which are
    larger, go back to the system at once. Threads share the small blocks."""
    libc = ctypes.CDLL(None)
    for option, value in ((M_MMAP_THRESHOLD, 4 * 2**20), (M_TRIM_THRESHOLD, 8 * 2**20), (M_ARENA_MAX, 2)):
        libc.mallopt(option, value)


def status_of(error):
    if isinstance(error, (ProgramError, TypeError, ValueError)):
        return USER
    return WORLD if isinstance(error, (Error, OSError, MemoryError)) and not isinstance(error, Fault) else FAULT


def tell_error(error, status, options):
    text = str(error) or type(error).__name__
    if status == FAULT and not isinstance(error, Fault):  # no error of ours: its place is all there is to go by
        text = f"{type(error).__name__}: {text}"
        traceback.print_exception(error)
    if options.json:
        print(json.dumps({"kind": "error", "status": status, "code": getattr(error, "code", ""), "message": text}))
    sys.stderr.write(f"hlc-dask: {text}\n")
    return status


def tell(report, options):
    if options.json:
        print(json.dumps({"kind": "done", **report}))
        return
    for output in report["outputs"]:
        print(f"{output['name']}: {output['type']} {'x'.join(map(str, output['size']))}, {output['path']}")
    print(f"{report['tasks']} tasks of {memory.bytes_text(report['task_bytes'])}, {report['at_a_time']} at a time, "
          f"{report['seconds']:.1f} s, at most {memory.bytes_text(report['most_memory'])}")


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip() + "\n\nhlc-dask run --help lists the options.")
        return YES
    if arguments[:1] == ["--version"]:
        print(f"hlc-dask {lib.hlc_version().decode()}")
        return YES
    if arguments[:1] != ["run"]:
        sys.stderr.write("hlc-dask: the command is run: hlc-dask run FILE input=in.zarr -o out.zarr; --help\n")
        return USER
    options = parser().parse_intermixed_args(arguments[1:])
    settle_memory()
    progress = Progress()
    try:
        with ended_once():
            report = stream(requested(options), progress)
    except KeyboardInterrupt as ended:
        progress.end()
        sys.stderr.write("hlc-dask: ended; no output was written\n")
        return 128 + (ended.args[0] if isinstance(ended, Ended) else signal.SIGINT)
    except Exception as error:
        progress.end()
        return tell_error(error, status_of(error), options)
    progress.end()
    tell(report, options)
    return YES


if __name__ == "__main__":
    sys.exit(main())
