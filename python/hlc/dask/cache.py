"""Chunks of files that a run has read last, since the windows of neighbouring tasks share them.

A window reaches a few points into the chunks around its own, and each chunk is decompressed as a whole: without a cache a
task of one chunk reads nine. A cache is of one step of a run, whose sources nobody writes, and of one process: it is not
sent to workers.
"""

import collections
import threading


class Cache:
    """Up to so many bytes, the last ones."""

    def __init__(self, limit):
        self.limit, self.bytes = limit, 0
        self.lock, self.kept = threading.Lock(), collections.OrderedDict()

    def chunk(self, key, read):
        """The array of this key: kept, or what `read()` returns. Two threads may read the same."""
        with self.lock:
            found = self.kept.get(key)
            if found is not None:
                self.kept.move_to_end(key)
                return found
        found = read()
        with self.lock:
            if key not in self.kept and found.nbytes <= self.limit:
                self.kept[key] = found
                self.bytes += found.nbytes
                while self.bytes > self.limit:
                    self.bytes -= self.kept.popitem(last=False)[1].nbytes
        return found

    def __reduce__(self):
        return Cache, (0,)
