"""Array pipelines from Python: numpy in, numpy out.

    >>> import hlc, numpy as np
    >>> blur = hlc.compile('''
    ... pipeline blur(input: image<u8, 2>) -> out(input.width - 2, input.height) {
    ...     fun out(x, y) = u8((u16(input(x, y)) + u16(input(x + 1, y)) + u16(input(x + 2, y))) / 3);
    ... }
    ... schedule fast for blur { parallel(out.y, 8); vectorize(out.x, 16); }
    ... ''', schedule="fast")
    >>> photo = np.arange(40, dtype=np.uint8).reshape(4, 10)
    >>> blur(input=photo)[0]
    array([1, 2, 3, 4, 5, 6, 7, 8], dtype=uint8)
    >>> blur.needs(out=(480, 640))
    {'input': ((0, 0), (480, 642))}

docs/python.md is the guide.
"""

from ._native import lib as _lib
from ._native import text_of as _text_of
from .arrays import Window
from .calls import Cancel
from .display import show
from .errors import CopyWarning, Diagnostic, Error, Fault, ProgramError, RunError, Warning, WorldError
from .pipeline import Cancelled, Pipeline, compile, load

__version__ = _lib.hlc_version().decode()
__all__ = ["Cancel", "Cancelled", "CopyWarning", "Diagnostic", "Error", "Fault", "Pipeline", "ProgramError", "RunError",
           "Warning", "Window", "WorldError", "compile", "explain_code", "load", "set_threads", "show", "threads"]


def set_threads(count):
    """Sets how many threads a parallel loop uses, in all of the process; 0: as many as there are processors. Returns
    the previous number. Results never depend on it."""
    return _lib.hlc_set_thread_count(int(count))


def threads():
    """The number of threads of a parallel loop."""
    return _lib.hlc_thread_count()


def explain_code(code):
    """What a diagnostic is about, with a program that provokes it, and the same mended."""
    handle = _lib.hlc_create()
    try:
        status, text = _text_of(lambda file: _lib.hlc_explain_code(handle, code.encode(), file))
    finally:
        _lib.hlc_destroy(handle)
    if status:
        raise ProgramError(f"there is no diagnostic {code}")
    return text.decode()
