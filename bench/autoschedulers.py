#!/usr/bin/env python3
"""Times the schedules that `hlc schedule` and Halide's autoschedulers choose, beside those written by hand.

    autoschedulers.py SOURCE BUILD [--rounds=5] [--threads=1] [--limit=200] [--json=OUT] [TASK ..]

A task is an algorithm of bench/kernels.c that both sides have. Each schedule is a process of its own, which chooses, compiles, and
then waits: the rounds visit all of a task in turn, as bench.py does, so that other load meets all alike. With one thread, times are
the processor's. All outputs are compared with that of our schedule by hand. Prints each time over that of the best schedule by
hand, ours or Halide's, and the processor time of choosing. `--limit` bounds a process, in seconds of the processor; its memory is
bounded by 12 GiB. An autoscheduler that does not end, or whose schedule does not run, has its reason as a line. A plug-in that is
not installed is skipped by name.
`make bench BENCH=none` or `ninja bench_ours bench_halide` (cmake -DHLC_BENCH=ON) builds both sides.
"""
import argparse
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import bench

PLUGINS = ("Mullapudi2016", "Li2018", "Adams2019")
FOLDERS = ("/usr/lib/*/halide14", "/usr/lib/*", "/usr/lib", "/usr/local/lib")
MEMORY = 12 << 30


def plugin_path(name):
    return next((path for folder in FOLDERS for path in glob.glob(f"{folder}/libautoschedule_{name.lower()}.so")), None)


class Side:
    """A schedule of a task, in its process; `refusal` says why it has none."""

    def __init__(self, options, name, side, kernel, more=()):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.name, self.refusal, self.times = name, None, []
        self.errors = tempfile.TemporaryFile("w+")
        self.child = bench.Child(os.path.abspath(options.build), side, kernel, options.threads, more, stderr=self.errors, preexec_fn=limit)
        self.choose_s = self.ask("compile", "lower_ms", 0) / 1e3

    def ask(self, command, key, otherwise):
        if self.refusal:
            return otherwise
        try:
            return self.child.ask(command)[key]
        except SystemExit:
            self.refusal = self.reason()
            return otherwise

    def reason(self):
        code = self.child.process.wait()
        self.errors.seek(0)
        said = [line.strip() for line in self.errors if line.strip() and "a command failed" not in line]
        return f"{said[-1][:90] if said else 'no message'} (exit code {code})"


def start(options, rows, plugins):
    """All schedules of a task. Its first row has the plain algorithm."""
    first = rows[0]["kernel"]
    sides = [Side(options, f"ours, {row['schedule']}", "ours", row["kernel"]) for row in rows]
    sides += [Side(options, f"Halide's, {row['kernel']}", "halide", row["kernel"]) for row in rows]
    chosen = {"hlc": Side(options, "hlc", "ours", first, {"BENCH_CHOSEN": "1"})}
    for name, path in plugins.items():
        chosen[name] = Side(options, name, "halide", first, {"BENCH_AUTOSCHEDULER": name, "BENCH_PLUGIN": path})
    return sides, chosen


def compare(sides, tolerance):
    """Whose output differs from the first's by more than the tolerance has no schedule that counts."""
    with tempfile.NamedTemporaryFile() as file:
        sides[0].ask("run 0", "run_ms", None)
        sides[0].ask(f"write {file.name}", "written", None)
        for side in sides[1:]:
            side.ask("run 0", "run_ms", None)
            worst = side.ask(f"compare {file.name}", "worst", 0)
            if not side.refusal and worst > tolerance:
                side.refusal = f"its output differs by {worst:g}"


def measure(options, task, rows, plugins):
    by_hand, chosen = start(options, rows, plugins)
    sides = by_hand + list(chosen.values())
    compare(sides, rows[0]["tolerance"])
    for index in range(options.rounds):
        for side in sides if index % 2 == 0 else reversed(sides):
            side.times += side.ask(f"run {bench.VISIT_MS}", "run_ms", [])
    for side in sides:
        side.child.close()
    times = {side: statistics.median(side.times) for side in sides if not side.refusal and side.times}
    best = min((side for side in by_hand if side in times), key=times.get)
    row = {"task": task, "size": rows[0]["size"], "best": best.name, "best_ms": times[best]}
    for name, side in chosen.items():
        row[name] = {"ratio": times[side] / times[best] if side in times else None, "choose_s": side.choose_s, "refusal": side.refusal}
    for kind in ("ours", "Halide's"):
        row[kind] = min((times[side] for side in by_hand if side in times and side.name.startswith(kind)), default=None)
    return row


def print_row(row, names):
    cells = ""
    for name in names:
        ratio = row[name]["ratio"]
        cells += f"{ratio:9.2f}" if ratio else f"{'none':>9}"
        cells += f" {row[name]['choose_s']:7.1f}s"
    print(f"{row['task']:<16}{row['best_ms']:9.2f} ms  {row['best']:<24}{cells}")
    for name in names:
        if row[name]["refusal"]:
            print(f"    {name}: {row[name]['refusal']}")


def print_summary(rows, names):
    for name in names:
        ratios = [row[name]["ratio"] for row in rows if row[name]["ratio"]]
        if ratios:
            within = [sum(r <= bound for r in ratios) for bound in (1.05, 1.25)]
            print(f"{name:<14} {len(ratios)} of {len(rows)} run; geometric mean {statistics.geometric_mean(ratios):.2f}, "
                  f"worst {max(ratios):.2f}, within 1.05 / 1.25: {within[0]} / {within[1]}; "
                  f"choosing took {sum(row[name]['choose_s'] for row in rows):.1f} s")


def tasks_of(options):
    rows = [json.loads(line) for line in
            subprocess.run([f"{options.build}/bench/bench_ours"], capture_output=True, text=True, check=True).stdout.splitlines()]
    tasks = {}
    for row in rows:
        if row["file"] and row["peer"] and not row["kernel"].startswith(("dispatch", "blur_start")):
            tasks.setdefault(row["task"], []).append(row)
    return {task: rows for task, rows in tasks.items() if not options.tasks or task in options.tasks}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--json")
    parser.add_argument("tasks", nargs="*")
    options = parser.parse_intermixed_args()
    if not os.path.exists(f"{options.build}/bench/bench_halide"):
        print("SKIPPED: bench_halide is not built; it needs libhalide14-0-dev")
        sys.exit(77)
    plugins = {name: plugin_path(name) for name in PLUGINS}
    for name in [name for name, path in plugins.items() if not path]:
        print(f"SKIPPED: {name}: libautoschedule_{name.lower()}.so is not installed")
        del plugins[name]
    names, rows = ["hlc", *plugins], []
    print(f"{'task':<16}{'best by hand':>12}{'':<26}" + "".join(f"{name:>18}" for name in names))
    try:
        for task, kernels in tasks_of(options).items():
            rows.append(measure(options, task, kernels, plugins))
            print_row(rows[-1], names)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted")
    print_summary(rows, names)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
