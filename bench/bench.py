#!/usr/bin/env python3
"""Times the kernels of bench/kernels.c beside Halide's and beside the machine's limits.

    bench.py SOURCE BUILD [KERNEL ..]      all kernels, or those whose names begin so
    BENCH_ROUNDS=3 BENCH_COMPILES=2 bench.py ..     in a hurry

Each side of a kernel is a process of its own for one thread and for two, which compiles, and then
waits: the rounds visit all of them in turn, so that what else the machine does meets all alike.
Outputs are compared.  Prints a table, and writes bench/results.json, one object a kernel.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("BENCH_ROUNDS", 9))  # visits of each child
BRIEF_ROUNDS = 2   # of a row that only stands beside another
VISIT_MS = 60      # of runs in a visit
COMPILES = int(os.environ.get("BENCH_COMPILES", 5))  # fresh ones, after one that warms the process
MULTIPLY_ADDS = ("sgemm", "conv", "equations_product")  # kernels of float multiply-adds, which are told as shares of the machine's peak
STARTS = 7         # of `hlc run`
# Where children make images, once for all: in memory, if there is such a folder.
IMAGES = tempfile.TemporaryDirectory(prefix="hlc-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


class Child:
    """One side of a kernel with so many threads."""

    def __init__(self, build, side, kernel, threads, more=(), **named):
        environment = dict(os.environ, **dict(more), BENCH_IMAGES=IMAGES.name, HLC_NUM_THREADS=str(threads), HL_NUM_THREADS=str(threads),
                           OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
                           OMP_WAIT_POLICY="passive", OPENBLAS_THREAD_TIMEOUT="20",
                           OPENBLAS_CORETYPE=os.environ.get("OPENBLAS_CORETYPE", "SkylakeX"))
        self.name = f"{side} {kernel} with {threads} threads"
        self.process = subprocess.Popen([f"{build}/bench/bench_{side}", kernel], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **named)

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            raise SystemExit(f"bench: {self.name} failed at `{command}`")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def spread(samples):
    """Half of the distance from the 10th to the 90th percentile, over the median."""
    if len(samples) < 3:
        return 0.0
    tenths = statistics.quantiles(samples, n=10)
    return (tenths[8] - tenths[0]) / 2 / statistics.median(samples)


def compile_sides(children, result):
    """The first compilation of a process is not counted; the rounds are interleaved."""
    times = {side: [] for side in children}
    for child in children.values():
        child[1].ask("compile")
    for _ in range(COMPILES if len(children) > 1 else 1):
        for side, child in children.items():
            times[side].append(child[1].ask("compile"))
    for side in children:
        result[f"{side}_lower_ms"] = statistics.median(t["lower_ms"] for t in times[side])
        result[f"{side}_compile_ms"] = statistics.median(t["all_ms"] for t in times[side])


def compare_outputs(children, other, row, result):
    for threads in (1, 2):
        with tempfile.NamedTemporaryFile() as file:
            for side in ("ours", other):
                children[side][threads].ask("run 0")
            children[other][threads].ask(f"write {file.name}")
            difference = children["ours"][threads].ask(f"compare {file.name}")
        result["worst_difference"] = max(difference["worst"], result.get("worst_difference", 0))
    result["agrees"] = result["worst_difference"] <= row["tolerance"]


def start_others(build, row, children):
    """What stands beside ours and Halide's: another row of ours, a limit."""
    kernels = {"beside": ("ours", row["beside"]), "limits": ("limits", row["limit"] and row["kernel"])}
    for other, (side, kernel) in kernels.items():
        if kernel:
            children[other] = {t: Child(build, side, kernel, t) for t in (1, 2)}
            for child in children[other].values():
                child.ask("compile")


def run_rounds(children, rounds, result):
    samples = {(side, threads): [] for side in children for threads in (1, 2)}
    for index in range(rounds):
        order = list(samples)
        for side, threads in order if index % 2 == 0 else reversed(order):
            samples[side, threads] += children[side][threads].ask(f"run {VISIT_MS}")["run_ms"]
    for (side, threads), times in samples.items():
        result[f"{side}_ms_{threads}t"] = statistics.median(times)
        result[f"{side}_spread_{threads}t"] = round(spread(times), 4)


def memory(build, side, kernel):
    """The most memory of a process that compiles once."""
    child = Child(build, side, kernel, 1)
    child.ask("compile")
    most = child.ask("memory")["memory_mb"]
    child.close()
    return most


def measure(build, row):
    kernel = row["kernel"]
    result = {"kernel": kernel, "size": row["size"], "schedule": row["schedule"], "task": row["task"],
              "same_schedule": row["same_schedule"]}
    sides = () if not row["file"] else ("ours", "halide") if row["peer"] else ("ours",)
    children = {side: {t: Child(build, side, kernel, t) for t in (1, 2)} for side in sides}
    if sides:
        compile_sides(children, result)
        for side in sides:
            children[side][2].ask("compile")
        for side in sides if row["peer"] else ():
            result[f"{side}_memory_mb"] = memory(build, side, kernel)
    start_others(build, row, children)
    compared = [("halide", row["peer"] and sides), ("beside", row["beside"]), ("limits", row["limit_computes"])]
    for other in (other for other, is_compared in compared if is_compared):
        compare_outputs(children, other, row, result)
    run_rounds(children, BRIEF_ROUNDS if row["brief"] else ROUNDS, result)
    for child in (child for pair in children.values() for child in pair.values()):
        child.close()
    for side in children:
        for threads in (1, 2):
            for key, count in (("gb_s", "bytes"), ("gflop_s", "operations")):
                if row[count]:
                    result[f"{side}_{key}_{threads}t"] = row[count] / result[f"{side}_ms_{threads}t"] / 1e6
    return result


def start_to_end(source, build):
    """A whole process that compiles the blur and runs it on 256x256."""
    ours = [f"{build}/hlc", "run", f"{source}/bench/blur.hl", "--schedule=tiles",
            "input=random:1:258x258", "out=256x256"]
    halide = [f"{build}/bench/bench_halide", "blur_start"]
    times = {"ours": [], "halide": []}
    for _ in range(STARTS):
        for side, command, text in (("ours", ours, ""), ("halide", halide, "compile\nrun 0\n")):
            before = time.monotonic()
            subprocess.run(command, input=text, text=True, stdout=subprocess.DEVNULL, check=True)
            times[side].append((time.monotonic() - before) * 1e3)
    return {f"{side}_ms": statistics.median(values) for side, values in times.items()}


def ratio(result, key, threads=""):
    return result[f"ours_{key}{threads}"] / result[f"halide_{key}{threads}"]


def others_of(r):
    """What stands beside, and how many times as long ours takes."""
    said = ""
    for other, name in (("limits", "limit"), ("beside", "beside it")):
        if f"{other}_ms_1t" in r:
            times = [f" {r[f'ours_ms_{t}t'] / r[f'{other}_ms_{t}t']:.2f}" for t in (1, 2)]
            said += f"  {name} {r[f'{other}_ms_1t']:.3f} {r[f'{other}_ms_2t']:.3f}: ours{times[0]}{times[1]} times"
    return said + ("" if r.get("agrees", True) else f"  DIFFERS by {r['worst_difference']:g}")


def print_alone(r):
    """A row without Halide."""
    runs = "".join(f" {r[f'ours_ms_{t}t']:8.3f} {'':>8} {'':>5} ±{100 * r[f'ours_spread_{t}t']:3.0f}%" for t in (1, 2))
    compiles = "".join(f" {r[f'ours_{key}']:7.1f} {'':>7} {'':>5}" for key in ("lower_ms", "compile_ms"))
    print(f"{r['kernel']:<18}{runs}{compiles} {'':>7} {'':>7} {'':>5}{others_of(r)}", flush=True)


def print_kernel(r):
    if "ours_ms_1t" in r and "halide_ms_1t" not in r:
        print_alone(r)
        return
    if "halide_ms_1t" not in r:
        rates = " and ".join(f"{r[f'limits_{key}_{t}t']:.1f}" for key in ("gb_s", "gflop_s")
                             for t in (1, 2) if f"limits_{key}_{t}t" in r)
        unit = "GB/s" if "limits_gb_s_1t" in r else "GFLOP/s"
        print(f"{r['kernel']:<18} {rates} {unit} with 1 and 2 threads", flush=True)
        return
    runs = "".join(f" {r[f'ours_ms_{t}t']:8.3f} {r[f'halide_ms_{t}t']:8.3f} {ratio(r, f'ms_{t}t'):5.2f}"
                   f" ±{100 * max(r[f'ours_spread_{t}t'], r[f'halide_spread_{t}t']):3.0f}%" for t in (1, 2))
    compiles = "".join(f" {r[f'ours_{key}']:7.1f} {r[f'halide_{key}']:7.1f} {ratio(r, key):5.2f}"
                       for key in ("lower_ms", "compile_ms", "memory_mb"))
    print(f"{r['kernel']:<18}{runs}{compiles}{others_of(r)}", flush=True)


def print_head():
    print(f"{'':<18}{' run, 1 thread (ms)':<31}{' run, 2 threads (ms)':<31}{' lowering (ms)':<22}"
          f"{' all of compiling (ms)':<22}{' peak memory (MB)':<22}")
    print(f"{'kernel':<18}" + f" {'ours':>8} {'halide':>8} {'ratio':>5} {'':>5}" * 2
          + f" {'ours':>7} {'halide':>7} {'ratio':>5}" * 3)


def print_means(results):
    """Of rows with the same schedule on both sides."""
    both = [r for r in results if r.get("same_schedule") and "halide_ms_1t" in r and not r["kernel"].startswith("dispatch")]
    if not both:
        return
    mean = lambda key: statistics.geometric_mean(ratio(r, key) for r in both)
    print(f"geometric means of the ratios: run {mean('ms_1t'):.3f} with 1 thread, {mean('ms_2t'):.3f} with 2; "
          f"lowering {mean('lower_ms'):.3f}, compiling {mean('compile_ms'):.3f}, memory {mean('memory_mb'):.3f}")


def print_best(results):
    """Of each task the best of our schedules over the best of Halide's."""
    tasks = {}
    for r in results:
        if "halide_ms_1t" in r and not r["kernel"].startswith("dispatch"):
            tasks.setdefault(r["task"], []).append(r)
    if not tasks:
        return
    means = []
    for key in ("ms_1t", "ms_2t"):
        least = lambda side, rows: min(r[f"{side}_{key}"] for r in rows)
        means.append(statistics.geometric_mean(least("ours", rows) / least("halide", rows) for rows in tasks.values()))
    for task, rows in tasks.items():
        ours, theirs = (min(rows, key=lambda r: r[f"{side}_ms_1t"]) for side in ("ours", "halide"))
        share = ""
        if "limits_ms_1t" in ours:
            share = f", {ours['ours_ms_1t'] / ours['limits_ms_1t']:.2f} times the limit"
        print(f"{task:<18} best with 1 thread: ours {ours['ours_ms_1t']:.3f} ms ({ours['kernel']}), "
              f"Halide's {theirs['halide_ms_1t']:.3f} ms ({theirs['kernel']}), ratio "
              f"{ours['ours_ms_1t'] / theirs['halide_ms_1t']:.2f}{share}")
    print(f"geometric means of our best over Halide's best: {means[0]:.3f} with 1 thread, {means[1]:.3f} with 2")


def is_of_multiply_adds(kernel):
    return kernel.startswith(MULTIPLY_ADDS)


def print_shares(results):
    """Of the kernels of multiply-adds: what they do of those that registers alone can, in this run."""
    peak = next((r for r in results if r["kernel"] == "multiply_add"), None)
    for r in results if peak else ():
        if not is_of_multiply_adds(r["kernel"]) or "ours_gflop_s_1t" not in r:
            continue
        for t in (1, 2):
            r[f"peak_share_{t}t"] = r[f"ours_gflop_s_{t}t"] / peak[f"limits_gflop_s_{t}t"]
        rates = " and ".join(f"{r[f'ours_gflop_s_{t}t']:.0f}" for t in (1, 2))
        shares = " and ".join(f"{100 * r[f'peak_share_{t}t']:.0f} %" for t in (1, 2))
        print(f"{r['kernel']:<18} {rates} GFLOP/s, {shares} of the peak of multiply-adds, with 1 and 2 threads")


def main():
    source, build, wanted = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    rows = [json.loads(line) for line in
            subprocess.run([f"{build}/bench/bench_ours"], capture_output=True, text=True, check=True).stdout.splitlines()]
    chosen = [row for row in rows if row["kernel"] != "blur_start"
              and (not wanted or any(row["kernel"].startswith(prefix) for prefix in wanted))]
    if wanted and any(is_of_multiply_adds(row["kernel"]) for row in chosen):
        chosen += [row for row in rows if row["kernel"] == "multiply_add" and row not in chosen]
    if not chosen:
        raise SystemExit("bench: no such kernel; there are: " + " ".join(row["kernel"] for row in rows))
    results = []
    print_head()
    for row in chosen:
        results.append(measure(build, row))
        print_kernel(results[-1])
    print_means(results)
    print_best(results)
    print_shares(results)
    start = start_to_end(source, build)
    print(f"blur of 256x256, process start to end: ours {start['ours_ms']:.0f} ms, Halide's {start['halide_ms']:.0f} ms")
    with open(f"{source}/bench/results.json", "w") as file:
        json.dump(results + [{"kernel": "start", "size": "256x256", **start}], file, indent=1)
        file.write("\n")
    sys.exit(0 if all(r.get("agrees", True) for r in results) else 1)


if __name__ == "__main__":
    main()
