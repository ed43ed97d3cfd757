"""Pipelines on arrays larger than memory, or than a machine: the same bytes, whatever the chunks.

    >>> import hlc, hlc.dask, dask.array, numpy as np
    >>> blur = hlc.compile('''
    ... pipeline blur(input: image<u16, 2>) -> out(input.width, input.height) {
    ...     let f = mirror_interior(input);
    ...     fun out(x, y) = u16((u32(f(x - 1, y)) + u32(f(x, y)) * 2 + u32(f(x, y + 1))) / 4);
    ... }
    ... ''')
    >>> picture = dask.array.from_array(np.arange(60, dtype=np.uint16).reshape(6, 10), chunks=(2, 3))
    >>> lazily = hlc.dask.apply(blur, input=picture)
    >>> lazily.chunks
    ((2, 2, 2), (3, 3, 3, 1))
    >>> bool((lazily.compute() == blur(input=picture.compute())).all())
    True

docs/large.md is the guide. Needs Dask; Zarr arrays need zarr.
"""

__all__ = ["apply"]


def __getattr__(name):
    """`apply` needs Dask, whose import takes longer than a small run of hlc-dask, which needs none."""
    if name == "apply":
        from .applying import apply
        return apply
    raise AttributeError(f"module {__name__} has no attribute {name}")
