"""Memory: of a process, of a call, and as people write it."""

import ctypes
import json
import re

from .. import _native
from .._native import lib
from ..errors import ProgramError

UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12,
         "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def parse_bytes(text):
    """The number of bytes of "2GB" or "512 MiB"; a number is itself."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-zA-Z]*)\s*", str(text))
    if not found or found.group(2).lower() not in UNITS:
        raise ProgramError(f"{text!r} is no amount of memory: write 2GB or 512MiB")
    return int(float(found.group(1)) * UNITS[found.group(2).lower()])


def bytes_text(count):
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def of_process(field="VmRSS"):
    """Bytes of this process; "VmHWM" is the most that it ever had."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise ProgramError(f"this system does not tell {field}")


def contract_rows(pipeline):
    """The lines of `hlc contract --json`, which the pipeline keeps."""
    rows = getattr(pipeline, "_contract_rows", None)
    if rows is not None:
        return rows
    options = _native.ContractOptions(json=True)
    _, text = pipeline._ask(lambda h, p, s, file: lib.hlc_contract(h, p, s, ctypes.byref(options), file))
    pipeline._contract_rows = [json.loads(line) for line in text.splitlines()]
    return pipeline._contract_rows


TOKENS = re.compile(r"\s*(?:(\d+)(?::\w+)?|([A-Za-z_][\w]*(?:\.[\w]+)*)|(&&|\|\||[<>=!]=|[-+*/%()<>,!]))")


def python_text(formula):
    """The formula of a contract in Python's words, over v[name]. ValueError if it has others."""
    parts, at = [], 0
    while at < len(formula.rstrip()):
        found = TOKENS.match(formula, at)
        if not found:
            raise ValueError(formula[at:])
        number, name, mark = found.groups()
        if number:
            parts.append(number)
        elif name in ("min", "max", "select", "i32", "i64", "index", "u32"):
            parts.append(name)
        elif name in ("true", "false"):
            parts.append(name.capitalize())
        elif name:
            parts.append(f"v[{name!r}]")
        else:
            parts.append({"&&": " and ", "||": " or ", "/": "//", "!": " not "}.get(mark, mark))
        at = found.end()
    return "".join(parts)


WORDS = {"__builtins__": {}, "min": min, "max": max, "select": lambda c, a, b: a if c else b, "i32": int, "i64": int,
         "u32": int, "index": int}


class Peak:
    """The most memory that a call has allocated at one time, by the contract's formula."""

    def __init__(self, pipeline):
        rows = [row for row in contract_rows(pipeline) if row["kind"] == "peak"]
        formula = rows[0]["bytes"] if rows else None
        self.stack = rows[0]["stack"] if rows else 0
        self.code = None
        if formula is not None:
            try:
                self.code = eval(f"lambda v: {python_text(formula)}", dict(WORDS))
            except (ValueError, SyntaxError):
                pass

    def bytes(self, pipeline, job, box, needs):
        """For a window of the output with these windows of the images; None if it is not known."""
        if self.code is None:
            return None
        values = {"threads": 1, **{k: int(v) if isinstance(v, bool) else v for k, v in job.parameters.items()}}
        for slot in pipeline.inputs:
            if not slot.is_image:
                values.setdefault(slot.name, slot.default)
        images = [slot for slot in pipeline.inputs if slot.is_image]
        for slot, need in zip(images, needs):
            name_box(values, slot, slot.name, need, job.images[slot.name].domain)
        for func, slot in zip(pipeline._funcs, pipeline.outputs):
            origin, shape = job.outputs[func]
            name_box(values, slot, func, box if func in job.funcs else (origin, (0,) * len(shape)), (origin, shape))
        try:
            return max(int(self.code(values)), 0) + self.stack
        except (KeyError, TypeError, ZeroDivisionError, ValueError):
            return None


def name_box(values, slot, name, box, domain):
    for d, k in enumerate(slot.axis_of):
        values[f"{name}.min.{d}"], values[f"{name}.extent.{d}"] = box[0][k], box[1][k]
        values[f"{name}.domain_min.{d}"], values[f"{name}.domain_extent.{d}"] = domain[0][k], domain[1][k]
