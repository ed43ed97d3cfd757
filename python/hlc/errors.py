"""What goes wrong, as exceptions and warnings. Each has the code, the place, the message and the remedy."""

import os
import sys
import warnings
from dataclasses import dataclass

from . import _native


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler. `line` 0: it has no place."""

    code: str
    severity: str  # "error", "warning", "note"
    file: str
    line: int
    column: int
    length: int
    message: str
    help: str

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        remedy = f"\n  help: {self.help}" if self.help else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}{remedy}"


class Error(Exception):
    """The base of all errors of this package. `diagnostics` has all messages; the other members are the first error's.

    `code` is what `hlc.explain_code` explains, or the name of a run-time error, as in docs/runtime.md.
    """

    def __init__(self, message="", code="", diagnostics=()):
        super().__init__(message)
        self.code = code
        self.diagnostics = tuple(diagnostics)
        first = next((d for d in self.diagnostics if d.severity == "error"), None)
        self.message = first.message if first else message
        self.help = first.help if first else ""
        self.file, self.line, self.column = (first.file, first.line, first.column) if first else ("", 0, 0)

    def __reduce__(self):
        return type(self), (self.args[0], self.code, self.diagnostics)


class ProgramError(Error, ValueError):
    """The program, the schedule, an argument or a size is not acceptable."""


class RunError(ProgramError):
    """A compiled pipeline refused its arguments, or failed. `code` is a name such as `parameter_too_small`."""


class WorldError(Error, OSError):
    """A file cannot be read, or memory ran out."""

    __init__ = Error.__init__
    __reduce__ = Error.__reduce__


class Fault(Error, AssertionError):
    """The compiler is at fault. Please report it."""


class Warning(UserWarning):
    """What the compiler thinks is probably a mistake, and notes on what it assumed."""


class CopyWarning(Warning):
    """An array was copied, because the pipeline cannot read it where it is."""


PACKAGE = os.path.dirname(__file__)


def warn(text, kind):
    """Warns of the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)


STATUS = {_native.USER: ProgramError, _native.WORLD: WorldError, _native.FAULT: Fault}
SEVERITIES = ("error", "warning", "note")


def take(handle):
    """The diagnostics of the handle, which keeps none."""
    lib, found = _native.lib, []
    for i in range(lib.hlc_diagnostic_count(handle)):
        d = lib.hlc_diagnostic_at(handle, i)
        found.append(Diagnostic(d.code.decode(), SEVERITIES[d.severity], d.file.decode(errors="replace"), d.line,
                                d.column, d.length, d.message.decode(errors="replace"),
                                d.help.decode(errors="replace")))
    lib.hlc_clear_diagnostics(handle)
    return found


def of_status(status, diagnostics):
    """The exception for a status, with what was said."""
    kind = STATUS.get(status, ProgramError)
    if not diagnostics:
        return MemoryError()
    first = next((d for d in diagnostics if d.severity == "error"), diagnostics[0])
    said = "\n".join(str(d) for d in diagnostics if d.severity == "error") or str(first)
    return kind(said, first.code, diagnostics)


def of_report(error, message, pipeline):
    """The exception for a failed run."""
    name = _native.lib.hlc_error_name(error)
    name = name.decode() if name else str(error)
    if name == "out_of_memory":
        return MemoryError(f"{pipeline}: {message}")
    return RunError(f"{pipeline}: {message} [{name}]", name)


