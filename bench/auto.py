#!/usr/bin/env python3
"""How far are the schedules of `hlc schedule` from the best ones written by hand?

    python3 bench/auto.py [--hlc=build/hlc] [--seconds=5] [--threads=2] [--tune=0] [--machine=FILE] [--by=least] [--json=OUT] [CASE ..]

For each case: all schedules of the file and the chosen one, by `hlc bench`, which visits them in turn, so that other load
meets all alike, and compares their results. Times are the least ones of a run, or with `--by=processor` the processor's of a
run in the mean, which other load changes less; so it is only for one thread. The last line has the geometric mean and the worst of
the chosen one's time over the best other one's; the last column is the processor time of choosing. With `--tune=N` the schedule is tuned for so many seconds, instead of the model's choice."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

# Name: file, pipeline (None: the only one), arguments.
CASES = {
    "blur": ("bench/blur.hl", None, "input=random:1:2562x1602"),
    "unsharp": ("bench/unsharp.hl", None, "input=random:1:1536x1024x3"),
    "harris": ("bench/harris.hl", None, "input=random:1:1536x1024x3"),
    "sgemm": ("bench/sgemm.hl", "sgemm", "a=random:1:1024x1024 b=random:2:1024x1024"),
    "conv": ("bench/conv.hl", None, "input=random:1:64x58x58x2 weights=random:2:64x3x3x64 bias=random:3:64"),
    "maximum": ("bench/maximum.hl", "disc_u8", "input=random:1:1536x1024"),
    "camera": ("bench/camera.hl", None, "input=random:1:2592x1968 matrix=random:2:4x3"),
    "equalize": ("bench/equalize.hl", None, "input=random:1:2560x1600"),
    "box": ("bench/box.hl", None, "input=random:1:1920x1080 w=6"),
    "bilateral": ("bench/bilateral.hl", None, "input=random:1:1536x1024"),
    "recursive": ("bench/recursive.hl", None, "input=random:1:1536x1024x3"),
    "stencil": ("bench/stencil.hl", None, "input=random:1:1536x1024"),
    "laplacian": ("bench/laplacian.hl", None, "input=random:1:768x512x3"),
    "x_blur": ("examples/blur.hl", None, "input=random:1:1536x1024"),
    "x_edges": ("examples/edges.hl", None, "input=random:1:2560x1600"),
    "x_unsharp": ("examples/unsharp.hl", None, "input=random:1:1536x1024x3"),
    "x_harris": ("examples/harris.hl", None, "input=random:1:1536x1024"),
    "x_histogram": ("examples/histogram.hl", None, "input=random:1:1536x1024x3"),
    "x_find": ("examples/find.hl", None, "input=random:1:320x240 patch=random:2:16x12"),
    "x_statistics": ("examples/statistics.hl", None, "input=random:1:1536x1024x3"),
    "x_laplacian": ("examples/local_laplacian.hl", None, "input=random:1:768x512x3"),
    "x_median": ("examples/median.hl", None, "input=random:1:1536x1024"),
    "x_tone": ("examples/tone.hl", None, "input=random:1:1536x1024"),
    "x_turn": ("examples/turn.hl", None, "input=random:1:1536x1024"),
    "x_resample": ("examples/resample.hl", None, "input=random:1:1536x1024"),
    "x_bilateral": ("examples/bilateral_grid.hl", None, "input=random:1:1536x1024"),
    "x_convnet": ("examples/convnet.hl", None, "input=random:1:256x256x3 weights=random:2:8x8x9x3 bias=random:3:8x3 out=32x32x8"),
    "x_equalize": ("examples/equalize.hl", None, "input=random:1:1536x1024"),
    "x_integral": ("examples/integral.hl", None, "input=random:1:1536x1024"),
    "x_gradients": ("examples/gradients.hl", None, "input=random:1:1536x1024 gx=1536x1024 gy=1536x1024"),
}


def measure(options, name, case):
    path, pipeline, arguments = case
    chosen = [f"--pipeline={pipeline}"] if pipeline else []
    listed = subprocess.run([options.hlc, "expand", path], capture_output=True, text=True, check=True)
    begin = os.times().children_user
    made = subprocess.run([options.hlc, "schedule", path, f"--threads={options.threads}", f"--seconds={options.tune}",
                           f"--machine={options.machine}"] + chosen
                          + arguments.split(), check=True, capture_output=True, text=True).stdout
    seconds = os.times().children_user - begin
    with tempfile.NamedTemporaryFile("w", suffix=".hl") as both:
        both.write(f'import "{os.path.abspath(path)}";\n{made}')
        both.flush()
        return compare(options, name, both.name, chosen + arguments.split(), schedules(listed.stdout, pipeline), seconds)


def compare(options, name, path, arguments, names, seconds):
    run = subprocess.run([options.hlc, "bench", path, "--json", f"--threads={options.threads}", f"--seconds={options.seconds}"]
                         + [f"--schedule={n}" for n in names] + ["--schedule=auto"] + arguments,
                         capture_output=True, text=True)
    if run.returncode:
        print(f"{name}: {run.stdout[-2000:]}{run.stderr[-2000:]}")
        return None
    results = json.loads(run.stdout)["results"]
    times = {r["schedule"]: r[f"{options.by}_ms"] for r in results}
    mine = times.pop("auto")
    best = min(times, key=times.get)
    return {"case": name, "auto_ms": mine, "best_ms": times[best], "best": best,
            "ratio": mine / times[best], "choose_s": seconds}


def schedules(text, pipeline):
    """The names of the schedules in an expanded file, of one pipeline."""
    names = []
    for line in text.splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "schedule" and words[2] == "for" and pipeline in (None, words[3]):
            names.append(words[1])
    return names


def print_row(row):
    print(f"{row['case']:28}{row['auto_ms']:11.2f}{row['best_ms']:10.2f}  {row['best']:14}{row['ratio']:7.2f}"
          f"{row['choose_s']:12.2f}", flush=True)


def summary(rows):
    ratios = [row["ratio"] for row in rows]
    return (f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, worst {max(ratios):.2f}, "
            f"within 1.05: {sum(r <= 1.05 for r in ratios)}, within 1.25: {sum(r <= 1.25 for r in ratios)}, of {len(ratios)}")


def parse(parser):
    parser.add_argument("--hlc", default="build/hlc")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tune", type=float, default=0)
    parser.add_argument("--machine", default="typical")
    parser.add_argument("--by", default="least", choices=["least", "processor"])
    parser.add_argument("--json")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    print(f"{'case':28}{'chosen ms':>11}{'best ms':>10}  {'best':14}{'ratio':>7}{'choosing s':>12}")
    return options


def main():
    options = parse(argparse.ArgumentParser())
    rows = []
    for name in options.cases or CASES:
        row = measure(options, name, CASES[name])
        if row:
            rows.append(row)
            print_row(row)
    print(summary(rows))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
