#!/usr/bin/env python3
"""coverage.py -- what share of lines and branches the tests run, by folder and by file, from gcov's counts.

usage: coverage.py SOURCE BUILD [--lines]

BUILD was configured with HLC_COVERAGE and its tests have run (`make coverage` does both).  Assertions of our own
invariants are left out, since they cannot fail, and so is the branch of a `switch` over all values of an enum that
none of them takes.  With --lines, each line that did not run is printed after the figures.
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys

FOLDERS = ["frontend", "schedule", "bounds", "lower", "reference"]
ASSERTION = re.compile(r"hlc_assert\(|diag_broken_invariant\(")


def asserted(text):
    """The numbers of the lines of all assertions, which may be long."""
    lines, open_parentheses = set(), 0
    for number, line in enumerate(text, 1):
        if open_parentheses == 0 and not ASSERTION.search(line):
            continue
        lines.add(number)
        open_parentheses = max(0, open_parentheses + line.count("(") - line.count(")"))
    return lines


def read(source, counts_file):
    """Yields (path, line, count, branches that ran, branches) of one object's counts."""
    out = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", counts_file],
                         capture_output=True, check=True, cwd=source)
    for file in json.loads(out.stdout)["files"]:
        path = os.path.relpath(os.path.join(source, file["file"]), source)
        if path.split("/")[0] in FOLDERS:
            for line in file["lines"]:
                ran = [branch["count"] > 0 for branch in line["branches"] if not branch["throw"]]
                yield path, line["line_number"], line["count"], ran


def gather(source, build):
    """{path: {line: [ran?, branches]}}; the counts of one line in several objects and functions are joined."""
    files = collections.defaultdict(dict)
    for counts_file in sorted(glob.glob(f"{build}/CMakeFiles/*/**/*.gcda", recursive=True)):
        for path, number, count, ran in read(source, os.path.abspath(counts_file)):
            line = files[path].setdefault(number, [False, []])
            line[0] |= count > 0
            if len(line[1]) == len(ran):
                line[1] = [a or b for a, b in zip(line[1], ran)]
            else:
                line[1] = line[1] + ran
    return files


def main():
    source, build = sys.argv[1:3]
    total = collections.defaultdict(lambda: [0, 0, 0, 0])
    missing = []
    for path, lines in sorted(gather(source, build).items()):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read().splitlines()
        left_out = asserted(text)
        for number, (ran, branches) in sorted(lines.items()):
            if number in left_out:
                continue
            if re.match(r"\s*switch \(", text[number - 1]) and branches.count(False) > 0:
                branches.remove(False)
            for key in (path.split("/")[0], path):
                figures = total[key]
                figures[0] += ran
                figures[1] += 1
                figures[2] += sum(branches)
                figures[3] += len(branches)
            if not ran:
                missing.append(f"{path}:{number}: {text[number - 1].strip()}")
            elif not all(branches):
                missing.append(f"{path}:{number}: ({sum(branches)} of {len(branches)} branches) {text[number - 1].strip()}")
    for key in sorted(total, key=lambda key: ("/" in key, key)):
        lines_run, lines, branches_run, branches = total[key]
        print(f"{key:32} lines {lines_run:5} of {lines:5} {100 * lines_run / lines:6.1f} %   "
              f"branches {branches_run:5} of {branches:5} {100 * branches_run / max(branches, 1):6.1f} %")
    if "--lines" in sys.argv:
        print("\n".join(missing))


main()
