#!/usr/bin/env python3
"""coverage.py -- the share of lines and branches that the tests run, by folder and by file, from gcov's counts.

usage: coverage.py SOURCE BUILD [--lines]

BUILD was configured with HLC_COVERAGE and its tests have run (`make coverage` does both).  Assertions of our own
invariants cannot fail, so they are left out.  So is the default branch of a `switch` over all values of an enum.
With --lines, the script prints each line whose branches did not all run after the figures.

A line that does not run has its reason in tests/uncovered.txt.  The script prints lines without a reason, and reasons
whose line runs or is gone.  It names corrupt counts and leaves them out.  The exit code is 1 if a share is below GOALS,
a line has no reason, or counts are corrupt.
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys

FOLDERS = ["frontend", "schedule", "bounds", "lower", "checkers/reference", "checkers/interpreter", "checkers/query"]
GOALS = (95, 90)  # percent of lines, of branches
ASSERTION = re.compile(r"hlc_assert\(|diag_broken_invariant\(")


def folder_of(path):
    """The folder of FOLDERS that holds the file, or None."""
    return next((folder for folder in FOLDERS if path.startswith(folder + "/")), None)


def asserted(text):
    """The numbers of the lines of all assertions, which may be long.  An assertion that is never reached also counts for
    three other kinds of lines: the labels directly above it, the `break` at the end of a `switch`, and code after it."""
    lines, open_parentheses, is_dead = set(), 0, False
    for number, line in enumerate(text, 1):
        if open_parentheses == 0 and not ASSERTION.search(line):
            if is_dead and re.match(r"\s*(return|break)\b.*;", line):
                lines.add(number)
            is_dead = False
            continue
        if open_parentheses == 0:
            is_dead = "hlc_assert(false" in line or "diag_broken_invariant(" in line
            above = number - 1
            if is_dead and text[above - 1].strip() == "}" and text[above - 2].strip() == "break;":
                above -= 2
                lines.add(above + 1)
            while is_dead and re.match(r"\s*(default|case \w+):", text[above - 1]):
                lines.add(above)
                above -= 1
        lines.add(number)
        open_parentheses = max(0, open_parentheses + line.count("(") - line.count(")"))
    return lines


def function_count(file):
    return subprocess.run(["gcov-dump", file], capture_output=True, text=True, check=True).stdout.count(":FUNCTION ident")


def fault_of(counts_file, files):
    """Finds counts that a killed process left incomplete, and counts that make no sense."""
    if files is None:
        return "gcov cannot read it"
    if function_count(counts_file) != function_count(re.sub("gcda$", "gcno", counts_file)):
        return "functions are missing"
    if any(count < 0 for file in files for line in file["lines"]
           for count in [line["count"], *(branch["count"] for branch in line["branches"])]):
        return "some counts are negative"
    return None


def read(source, counts_file):
    """The files of one object's counts; None after reporting that they are corrupt."""
    out = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", counts_file],
                         capture_output=True, text=True, cwd=source)
    files = json.loads(out.stdout)["files"] if out.returncode == 0 else None
    fault = fault_of(counts_file, files)
    if not fault:
        return files
    print(f"{counts_file} is corrupt and left out, as {fault}: delete it and run the tests again")
    return None


class Line:
    """Did the line run, and which of its branches?  `functions` are those that contain it."""

    def __init__(self):
        self.ran, self.branches, self.functions = False, [], set()

    def add(self, ran, branches, function):
        self.ran |= ran
        self.functions.add(function)
        if len(self.branches) == len(branches):
            self.branches = [a or b for a, b in zip(self.branches, branches)]
        else:
            self.branches = self.branches + branches


def gather(source, build):
    """{path: {number: Line}}, and are all counts sound?  Counts of one line in several objects and functions are joined."""
    sound, lines = True, collections.defaultdict(lambda: collections.defaultdict(Line))
    for counts_file in sorted(glob.glob(f"{build}/CMakeFiles/*/**/*.gcda", recursive=True)):
        files = read(source, os.path.abspath(counts_file))
        sound &= files is not None
        for file in files or []:
            path = os.path.relpath(os.path.join(source, file["file"]), source)
            if not folder_of(path):
                continue
            for line in file["lines"]:
                branches = [branch["count"] > 0 for branch in line["branches"] if not branch["throw"]]
                lines[path][line["line_number"]].add(line["count"] > 0, branches, line.get("function_name", ""))
    return lines, sound


def read_reasons(source):
    """{(path, function, text)}: the indented lines of tests/uncovered.txt; each group stands under its reason."""
    reasons, reason = set(), None
    with open(os.path.join(source, "tests/uncovered.txt"), encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            match = re.fullmatch(r"    (\S+) (\w+): (.+)", line)
            if match and reason:
                reasons.add(match.groups())
            elif line.startswith(" "):
                sys.exit(f"tests/uncovered.txt:{number}: a reason, then lines `    path function: text of the line`")
            elif line and not line.startswith("#"):
                reason = line
    return reasons


def percent(part, whole):
    return 100 * part / max(whole, 1)


def main():
    source, build = sys.argv[1:3]
    reasons, used = read_reasons(source), set()
    total = collections.defaultdict(lambda: [0, 0, 0, 0])
    partly, unexplained = [], []
    covered, good = gather(source, build)
    for path, lines in sorted(covered.items()):
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read().splitlines()
        left_out = asserted(text)
        for number, line in sorted(lines.items()):
            if number in left_out:
                continue
            words, branches = text[number - 1].strip(), line.branches
            if words.startswith("switch (") and False in branches:
                branches.remove(False)
            for key in (folder_of(path), path):
                for i, figure in enumerate((line.ran, 1, sum(branches), len(branches))):
                    total[key][i] += figure
            if line.ran and not all(branches):
                partly.append(f"{path}:{number}: ({sum(branches)} of {len(branches)} branches) {words}")
            if not line.ran:
                known = {(path, function, words) for function in line.functions} & reasons
                used |= known
                if not known:
                    unexplained.append(f"{path}:{number}: {' '.join(sorted(line.functions))}: {words}")
    for key in sorted(total, key=lambda key: ("/" in key, key)):
        lines_run, lines, branches_run, branches = total[key]
        shares = percent(lines_run, lines), percent(branches_run, branches)
        good &= "/" in key or all(share >= goal for share, goal in zip(shares, GOALS))
        print(f"{key:32} lines {lines_run:5} of {lines:5} {shares[0]:6.1f} %   "
              f"branches {branches_run:5} of {branches:5} {shares[1]:6.1f} %")
    if "--lines" in sys.argv:
        print("\n".join(partly))
    for path, function, words in sorted(reasons - used):
        print(f"tests/uncovered.txt has a reason for a line that runs or is gone: {path} {function}: {words}")
    print("\n".join([f"{len(unexplained)} lines that did not run have no reason in tests/uncovered.txt", *unexplained]))
    return 0 if good and not unexplained else 1


sys.exit(main())
