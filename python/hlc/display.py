"""What a notebook shows: texts as they are, pipelines as their loop nest, arrays as pictures."""

import html
import struct
import zlib

import numpy as np


class Text(str):
    """A text that prints itself."""

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return f"<pre>{html.escape(self)}</pre>"


class Answer(Text):
    """Yes or no, with what was printed."""

    def __new__(cls, answer, text):
        made = super().__new__(cls, text)
        made.answer = bool(answer)
        return made

    def __getnewargs__(self):
        return self.answer, str(self)

    def __bool__(self):
        return self.answer


def pipeline_html(pipeline):
    title = html.escape(repr(pipeline)[1:-1])
    return f"<b>{title}</b><pre>{html.escape(pipeline.explain())}</pre>"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


class Picture:
    """An array as a picture: `hlc.show(out)`. u8 as it is; other types from their least value to their greatest."""

    def __init__(self, array):
        array = np.asarray(array)
        if array.ndim == 3 and array.shape[0] in (3, 4) and array.shape[2] not in (3, 4):
            array = np.moveaxis(array, 0, -1)  # planar
        if array.ndim not in (2, 3) or array.ndim == 3 and array.shape[2] not in (1, 3, 4):
            raise ValueError(f"an array of shape {array.shape} is no picture: give [y, x], [y, x, c] or [c, y, x]")
        if array.dtype != np.uint8:
            array = array.astype(np.float64)
            finite = array[np.isfinite(array)]
            low, high = (finite.min(), finite.max()) if finite.size else (0, 1)
            scaled = (np.nan_to_num(array, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1)
            array = np.rint(scaled * 255).astype(np.uint8)
        self.array = array

    def _repr_png_(self):
        array = self.array
        channels = 1 if array.ndim == 2 else array.shape[2]
        height, width = array.shape[:2]
        rows = np.zeros((height, 1 + width * channels), np.uint8)
        rows[:, 1:] = array.reshape(height, width * channels)
        colour = {1: 0, 3: 2, 4: 6}[channels]
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows.tobytes(), 4)) + chunk(b"IEND", b""))


def show(array):
    """A picture for a notebook."""
    return Picture(array)
