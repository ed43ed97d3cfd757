#!/usr/bin/env python3
"""How long diagnostics take after a key: milliseconds on the clock, the median of 40 keys in each program.

    tests/lsp/speed.py BUILD FILE ..
"""
import os, statistics, sys, time
from client import Client, Text

client = Client(os.path.join(sys.argv[1], "hlc"))
for path in sys.argv[2:]:
    text = Text(client, path, open(path).read())
    text.reported()
    program, times = text.text, []
    for key in range(40):
        text.change(program + "/" * (key % 2 + 2))
        began = time.perf_counter()
        while client.versions.get(text.uri) != text.version:
            client.take()
        times.append(1000 * (time.perf_counter() - began))
    print(f"{os.path.basename(path):24} {len(program.splitlines()):4} lines  median {statistics.median(times):6.1f} ms  most {max(times):6.1f} ms")
    client.tell("textDocument/didClose", textDocument={"uri": text.uri})
client.end()
