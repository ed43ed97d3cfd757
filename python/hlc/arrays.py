"""Arrays as the buffers of a call.

Axes. The last axis of an array is dimension 0 of its image: `a[y, x]` is `image(x, y)`, `a[z, y, x]` is
`image(x, y, z)`. An interleaved image is `a[y, x, c]`. `axes=` of `hlc.load` states another order, one letter an axis:

    axes     image<T, 2>   image<T, 3>   image<T, 3, interleaved>   image<T, 4>
    "yx"     the default
    "zyx"                  the default
    "yxc"                  possible      the default
    "tzyx"                                                          the default

x, y, z (or c), t (or n) are dimensions 0, 1, 2, 3.

Memory. No element is copied where the array's strides are multiples of its elements and the image's layout allows
them. Otherwise an input is copied, with a CopyWarning, and an output is refused. Types must be equal; nothing is
converted in silence.
"""

import math
import operator
import struct

import numpy as np

from . import _native
from .errors import CopyWarning, ProgramError, Warning, warn

LETTERS = {"x": 0, "y": 1, "z": 2, "c": 2, "t": 3, "n": 3, "w": 3}
TYPE_CODES = {_native.BOOL: 1, _native.INT: 0, _native.UINT: 1, _native.FLOAT: 2, _native.BFLOAT: 4}
LETTERS_OF_KINDS = {_native.BOOL: "bool", _native.INT: "i", _native.UINT: "u", _native.FLOAT: "f",
                    _native.BFLOAT: "bf"}
HEAD = "QQQQBBHiQQ"  # halide_buffer_t, native alignment
HEAD_SIZE = struct.calcsize(HEAD)
LONGEST = 2**31 - 1
# How the buffer protocol names the elements; bf16 has no name.
FORMATS = {(_native.BOOL, 1): b"?", (_native.FLOAT, 16): b"e", (_native.FLOAT, 32): b"f", (_native.FLOAT, 64): b"d",
           (_native.INT, 8): b"b", (_native.INT, 16): b"h", (_native.INT, 32): b"i", (_native.INT, 64): b"lq",
           (_native.UINT, 8): b"B", (_native.UINT, 16): b"H", (_native.UINT, 32): b"I", (_native.UINT, 64): b"LQ"}
FEW = 4  # channels, at most
BF16_DIGITS, LEAST_EXPONENT = 8, -125  # of a bf16: binary digits, frexp's exponent of the least normal number
MOST_PLACES = 64  # that a slot keeps


def type_name(kind, bits):
    """As the language writes it: `u8`, `bool`, `bf16`."""
    return "bool" if kind == _native.BOOL else f"{LETTERS_OF_KINDS[kind]}{bits}"


def dtype_of(kind, bits):
    """The element type of an array. NumPy has no bf16: two bytes, as the package ml_dtypes has it, or V2."""
    if kind == _native.BOOL:
        return np.dtype(np.bool_)
    if kind == _native.BFLOAT:
        return np.dtype("V2")
    return np.dtype(f"{'?iuf'[kind]}{bits // 8}")


def bits_of_bf16(value):
    """The bits of the bf16 that is nearest to a float, ties to even. A float too large for it is an OverflowError."""
    if math.isfinite(value):
        step = math.ldexp(1.0, max(math.frexp(value)[1], LEAST_EXPONENT) - BF16_DIGITS)
        value = math.copysign(round(abs(value) / step) * step, value)
    return struct.unpack("=I", struct.pack("=f", value))[0] >> 16


def default_axes(dimensions, layout):
    """The dimension of each axis."""
    order = list(range(dimensions))[::-1]
    if layout == _native.INTERLEAVED and dimensions >= 3:
        order.remove(2)
        order.append(2)
    return tuple(order)


def axes_of(axes, dimensions, name):
    """The dimension of each axis, from a text or a sequence of numbers."""
    found = tuple(LETTERS.get(a, a) if isinstance(a, str) else int(a) for a in axes)
    if sorted(map(str, found)) != sorted(map(str, range(dimensions))):
        raise ProgramError(f"axes of {name}: {axes!r} does not name each of {dimensions} dimensions once")
    return found


def numbers(given, what):
    """A tuple of integers."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise ProgramError(f"{what} is a sequence of integers, not {given!r}")
    given = tuple(given)
    if not all(hasattr(i, "__index__") for i in given):
        raise ProgramError(f"{what} is a sequence of integers, not {given!r}")
    return tuple(operator.index(i) for i in given)


def domain_of(given):
    """(origin, shape) of a domain: a shape from 0 on, or (origin, shape)."""
    given = tuple(given)
    if len(given) == 2 and all(hasattr(part, "__iter__") for part in given):
        return numbers(given[0], "the origin of a domain"), numbers(given[1], "the shape of a domain")
    shape = numbers(given, "a domain")
    return (0,) * len(shape), shape


class Window:
    """A part of a larger whole: `hlc.Window(tile, origin=(512, 0), domain=photo.shape)`.

    `array` begins at `origin`, one number an axis (None: at 0). A shape instead of an array is a window of an output
    that the call allocates, or that a question is about. Pipelines that are made with `windows=True` take `domain`: the
    shape of the whole, or its (origin, shape). docs/windows.md says what follows from it.
    """

    __slots__ = ("array", "origin", "domain")

    def __init__(self, array=None, origin=None, domain=None):
        if isinstance(array, (tuple, list)):
            array = numbers(array, "the shape of a window")
        self.array = array
        self.origin = None if origin is None else numbers(origin, "the origin of a window")
        self.domain = None if domain is None else domain_of(domain)
        axes = {what: len(of) for what, of in (("origin", self.origin), ("domain", self.domain and self.domain[1]),
                                               ("domain's origin", self.domain and self.domain[0]),
                                               ("array", self.shape)) if of is not None}
        if len(set(axes.values())) > 1:
            raise ProgramError("a window whose " + ", whose ".join(f"{k} has {n} axes" for k, n in axes.items()))

    @classmethod
    def of(cls, whole, origin, shape):
        """The window of the array `whole` that begins at `origin`: a view, whose domain is the whole."""
        origin, shape = numbers(origin, "the origin of a window"), numbers(shape, "the shape of a window")
        if len(origin) != len(whole.shape) or len(shape) != len(whole.shape):
            raise ProgramError(f"the window {origin}, {shape} is none of an array with {len(whole.shape)} axes")
        for o, n, all_of in zip(origin, shape, whole.shape):
            if n < 0 or (0 not in shape and not 0 <= o <= all_of - n):
                raise ProgramError(f"the window {origin}, {shape} does not lie in an array of shape {whole.shape}")
        part = whole[tuple(slice(max(o, 0), max(o, 0) + n) for o, n in zip(origin, shape))]
        return cls(part if 0 not in shape else whole[(slice(0, 0),) * len(shape)].reshape(shape),
                   origin, whole.shape)

    @property
    def shape(self):
        """Of the window; None if it is asked for."""
        return self.array if self.array is None or isinstance(self.array, tuple) else tuple(np.shape(self.array))

    def __repr__(self):
        return f"hlc.Window({self.array!r}, origin={self.origin}, domain={self.domain})"


class ImageSlot:
    """An image, or a component of an output, in a call."""

    is_image = True

    def __init__(self, name, kind, bits, dimensions, layout, is_output, axes=None):
        self.name, self.kind, self.bits = name, kind, bits
        self.dimensions, self.layout, self.is_output = dimensions, layout, is_output
        self.dtype = dtype_of(kind, bits)
        self.itemsize = self.dtype.itemsize
        self.alignment = self.itemsize  # V2 states none
        self.places = {}  # (shape, strides): dim
        self.axes = axes_of(axes, dimensions, name) if axes else default_axes(dimensions, layout)
        self.may_turn = dimensions == 3 and not axes
        self.axis_of = tuple(self.axes.index(d) for d in range(dimensions))
        self.code = struct.Struct("@" + HEAD + "iiiI" * dimensions)
        self.size = -(-self.code.size // 8) * 8
        self.formats = FORMATS.get((kind, bits))
        self.offset = self.first = 0  # in a frame, and in its domains

    def __repr__(self):
        layout = ("", ", interleaved", ", strided")[self.layout]
        return f"{self.name}: image<{type_name(self.kind, self.bits)}, {self.dimensions}{layout}> as [{self.letters()}]"

    def convert(self, given):
        """What was given as an array of the right type and number of axes, and where it begins (None: at 0)."""
        origin = None
        if isinstance(given, Window):
            given, origin = given.array, given.origin
            if given is None or isinstance(given, tuple):
                raise ProgramError(f"{self.name}: the window has no array")
        array = given
        if not isinstance(array, np.ndarray):
            if self.is_output:
                raise ProgramError(f"{self.name}: an output is a numpy array, or a shape, not a {type(given).__name__}")
            if hasattr(given, "__dlpack__"):
                array = np.from_dlpack(given)
            else:
                array = np.asarray(memoryview(given) if isinstance(given, bytes) else given)
        elif isinstance(array, np.ma.MaskedArray):
            raise ProgramError(f"{self.name}: a masked array, but a pipeline knows no masks: give .filled(VALUE), or .data")
        if array.dtype != self.dtype:
            array = self.retype(array)
        if array.ndim != self.dimensions:
            raise ProgramError(f"{self.name}: the array has {array.ndim} axes; {self!r} has {self.dimensions}")
        if self.may_turn and not self.is_output:
            self.check_axes(array)
        if origin and len(origin) != self.dimensions:
            raise ProgramError(f"{self.name}: the origin has {len(origin)} numbers, not {self.dimensions}")
        return array, origin

    def check_axes(self, array):
        """A picture's array that is read as a volume, or the other way round, as `hlc run` warns of it (E0875)."""
        x, y, z = (array.shape[k] for k in self.axis_of)
        is_narrow = 0 < x <= FEW < y or (self.layout == _native.INTERLEAVED and 0 < y <= FEW)
        if z > FEW and is_narrow:
            other = "cyx" if self.layout == _native.INTERLEAVED else "yxc"
            warn(f"{self.name}: the array of shape {array.shape} is read as [{self.letters()}]: that makes few columns or "
                 f"rows, and many channels; axes={{{self.name!r}: {other!r}}} says otherwise, and any axes= are not warned of",
                 Warning)

    def letters(self):
        return "".join(("xyct" if self.layout == _native.INTERLEAVED else "xyzt")[d] for d in self.axes)

    def retype(self, array):
        if self.kind == _native.BFLOAT and array.dtype.itemsize == 2 and array.dtype.kind in "Vu":
            return array.view("V2")
        if array.dtype == self.dtype.newbyteorder():
            if self.is_output:
                raise ProgramError(f"{self.name}: an output has the machine's byte order")
            self.warn("its byte order is not the machine's")
            return array.astype(self.dtype)
        raise ProgramError(f"{self.name}: the array's elements are {array.dtype}, not "
                           f"{type_name(self.kind, self.bits)} ({self.dtype}); convert it, such as "
                           f"by .astype({str(self.dtype)!r})")

    def place(self, array):
        """The `dim` of the buffer of an array where it is, from 0 on; None if the pipeline cannot use it there."""
        key = array.shape, array.strides
        dims = self.places.get(key)
        if dims is None:
            dims = self.find_place(array)
            if dims is None:
                return None
            if len(self.places) == MOST_PLACES:
                self.places.clear()
            self.places[key] = dims
        return dims

    def find_place(self, array):
        item, dims = self.itemsize, []
        for k in self.axis_of:
            stride, rest = divmod(array.strides[k], item)
            if array.size and (rest or abs(stride) > LONGEST):
                return None
            dims += (0, array.shape[k], stride, 0)
        if not self.is_output and self.layout != _native.STRIDED:
            self.settle(dims)
            if self.layout == _native.PLANAR and dims and dims[2] != 1:
                return None
            if self.layout == _native.INTERLEAVED and (dims[10] != 1 or dims[2] != dims[9]):
                return None
        return tuple(dims)

    def settle(self, dims):
        """The strides that the layout promises. NumPy gives axes of one element, and empty arrays, any strides."""
        empty = 0 in dims[1::4]
        if self.layout == _native.PLANAR:
            if dims and (empty or dims[1] == 1):
                dims[2] = 1
        else:
            if empty or dims[9] == 1:
                dims[10] = 1
            if empty or dims[1] == 1:
                dims[2] = dims[9]

    def copy(self, array):
        if self.is_output:
            raise ProgramError(f"{self.name}: the strides {array.strides} of the array are no multiples of its "
                               f"elements, or it is not aligned to them")
        self.warn(f"its strides {array.strides} do not fit {('planar', 'interleaved', 'strided')[self.layout]} memory")
        memory = self.empty(array.shape)
        memory[...] = array
        return memory

    def empty(self, shape):
        """An array in the layout of the image."""
        return self.within(np.empty(math.prod(max(n, 1) for n in shape), self.dtype), shape)

    def within(self, memory, shape):
        """Likewise, at the beginning of this memory."""
        strides, _ = self.dense(shape)
        return np.ndarray(tuple(shape), self.dtype, memory, strides=[strides[d] * self.itemsize for d in self.axes])

    def zeros(self, shape):
        """The same, of zeros."""
        memory = self.empty(shape)
        memory[...] = np.zeros((), self.dtype)
        return memory

    def warn(self, reason):
        warn(f"{self.name} is copied for each call: {reason}", CopyWarning)

    def pack(self, frame, given):
        """Writes the buffer of what was given; returns the array that must live until the call has ended."""
        origin = None
        if type(given) is not np.ndarray or given.dtype is not self.dtype or given.ndim != self.dimensions or \
                self.may_turn:
            given, origin = self.convert(given)
        address, read_only = given.__array_interface__["data"]
        dims = self.place(given)
        if dims is None or address % self.alignment:
            given = self.copy(given)
            address, dims = given.ctypes.data, self.place(given)
        if self.is_output and read_only:
            raise ProgramError(f"{self.name}: the array is read-only")
        if origin:
            dims = list(dims)
            dims[0::4] = (origin[k] for k in self.axis_of)
        self.write(frame, address, dims)
        return given

    def dense(self, shape):
        """The strides of dense memory, of each dimension."""
        order = (2, 0, 1, *range(3, self.dimensions)) if self.layout == _native.INTERLEAVED else range(self.dimensions)
        strides, step = [0] * self.dimensions, 1
        for d in order:
            strides[d], step = step, step * max(shape[self.axis_of[d]], 1)
        return strides, step

    def shape_of(self, given):
        """A shape of the image."""
        if len(given) != self.dimensions or min(given, default=0) < 0:
            raise ProgramError(f"{self.name}: {given} is no shape of {self!r}")
        if max(given, default=0) > LONGEST:
            raise ProgramError(f"{self.name}: {given} has an extent beyond {LONGEST}")
        return tuple(int(n) for n in given)

    def pack_query(self, frame, shape=None, origin=None):
        """Writes the buffer of a question, which has no memory. Without a shape its window is asked for. The whole of a
        domain may have strides that no buffer has."""
        dims, strides = [], self.dense(shape)[0] if shape else [0] * self.dimensions
        for d, k in enumerate(self.axis_of):
            dims += (origin[k] if origin else 0, shape[k] if shape else 0, min(strides[d], LONGEST), 0)
        self.write(frame, 0, dims)

    def pack_window(self, frame, given):
        """Likewise, of an array, a shape or a Window; returns the (origin, shape) of the window, or None."""
        window = given if isinstance(given, Window) else Window(given if isinstance(given, (tuple, list))
                                                                else tuple(np.shape(given)))
        shape, origin = window.shape, window.origin
        for part in (shape, origin):
            if part is not None and len(part) != self.dimensions:
                raise ProgramError(f"{self.name}: {part} has {len(part)} axes; {self!r} has {self.dimensions}")
        if shape and min(shape) < 0:
            raise ProgramError(f"{self.name}: {shape} is no shape of {self!r}")
        self.pack_query(frame, shape, origin)
        return None if shape is None else (origin or (0,) * self.dimensions, shape)

    def pack_domain(self, frame, given, window):
        """Writes the domain: of a Window its own; anything else, which has this window, is a whole."""
        domain = given.domain if isinstance(given, Window) else window
        if domain is None:
            raise ProgramError(f"{self.name}: a window needs its domain: hlc.Window(.., domain=SHAPE)")
        if len(domain[1]) != self.dimensions:
            raise ProgramError(f"{self.name}: the domain {domain[1]} has {len(domain[1])} axes, not {self.dimensions}")
        for d, k in enumerate(self.axis_of):
            low, extent = domain[0][k], domain[1][k]
            if not (-LONGEST - 1 <= low <= LONGEST and 0 <= extent <= LONGEST and low + extent <= LONGEST + 1):
                raise ProgramError(f"{self.name}: the domain {domain} has coordinates beyond 32 bits")
            frame.domains[self.first + d] = _native.Interval(low, extent)

    def write(self, frame, address, dims):
        try:
            self.code.pack_into(frame.memory, self.offset, 0, 0, address, 0, TYPE_CODES[self.kind], self.bits, 1,
                                self.dimensions, frame.base + self.offset + HEAD_SIZE, 0, *dims)
        except struct.error:
            raise ProgramError(f"{self.name}: an extent, a stride or an origin does not fit in 32 bits") from None

    def box(self, frame):
        """(origin, shape) that a query has written."""
        dims = self.code.unpack_from(frame.memory, self.offset)[10:]
        return (tuple(dims[4 * d] for d in self.axes), tuple(dims[4 * d + 1] for d in self.axes))


class ScalarSlot:
    """A parameter in a call."""

    is_image = False
    dimensions = 0

    def __init__(self, name, kind, bits, default):
        self.name, self.kind, self.bits, self.default = name, kind, bits, default
        self.is_float = kind in (_native.FLOAT, _native.BFLOAT)
        if kind == _native.FLOAT:
            letter = {16: "e", 32: "f", 64: "d"}[bits]
        elif kind == _native.BFLOAT:
            letter = "H"
        else:
            letter = "?" if kind == _native.BOOL else ("bhiq" if kind == _native.INT else "BHIQ")[bits.bit_length() - 4]
        self.code = struct.Struct("=" + letter)  # unlike "@", it refuses a float that is too large
        self.size = 8
        self.offset = self.first = 0

    def __repr__(self):
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {type_name(self.kind, self.bits)}{default}"

    def pack(self, frame, value):
        given = value
        if self.is_float:
            value = self.real(value)
        elif self.kind == _native.BOOL:
            if not isinstance(value, (bool, np.bool_)):
                raise ProgramError(f"{self.name} is a bool, not {value!r}")
        elif isinstance(value, (float, bool, np.bool_)) or not hasattr(value, "__index__"):
            raise ProgramError(f"{self.name} is an integer, not {value!r}")
        try:
            self.code.pack_into(frame.memory, self.offset, bits_of_bf16(value) if self.kind == _native.BFLOAT else value)
        except (struct.error, OverflowError):
            raise ProgramError(f"{self.name}: {given} does not fit {type_name(self.kind, self.bits)}") from None

    def real(self, value):
        try:
            if not isinstance(value, (str, bytes, bytearray)):
                return float(value)
        except OverflowError:
            raise ProgramError(f"{self.name}: {value} does not fit {type_name(self.kind, self.bits)}") from None
        except (TypeError, ValueError):
            pass
        raise ProgramError(f"{self.name} is a number, not {value!r}")

    def text(self, value):
        return str(bool(value)).lower() if self.kind == _native.BOOL else repr(float(value)) \
            if self.is_float else str(int(value))

