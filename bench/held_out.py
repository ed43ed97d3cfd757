#!/usr/bin/env python3
"""How good are the schedules of `hlc schedule` on programs that were never looked at while it was made?

    python3 bench/held_out.py [--hlc=build/hlc] [--seconds=2] [--threads=2] [--step=TEXT] [CASE ..]
    python3 bench/held_out.py --open ..

The programs are those of examples/applications. By a rule that was written down before, those are held out whose path has a sha256 that
ends in an even digit. They are run at the end of a step only, and each such run adds a line to bench/held_out.log: the time,
the commit, the step, each ratio, the summary. `--open` runs the others, which may be looked at, and logs nothing. The times
are measured as bench/auto.py does."""
import argparse
import datetime
import hashlib
import os
import subprocess

import auto

COLOUR, PLANE = "random:1:1536x1024x3", "random:1:1536x1024"
# (application, pipeline): arguments.
CASES = {
    ("bgu", "bgu"): "small=random:1:192x128x3 wanted=random:2:192x128x3 input=random:3:768x512x3",
    ("blas", "gemv"): "a=random:1:2048x2048 x=random:2:2048 y=random:3:2048",
    ("blas", "gemv_transposed"): "a=random:1:2048x2048 x=random:2:2048 y=random:3:2048",
    ("blas", "ger"): "a=random:1:2048x2048 x=random:2:2048 y=random:3:2048",
    ("blas", "dot"): "x=random:1:4000000 y=random:2:4000000",
    ("blas", "gemm"): "a=random:1:512x512 b=random:2:512x512 c=random:3:512x512",
    ("compositing", "compositing"): "layers=random:1:1024x768x4x5",
    ("depthwise_separable_conv", "depthwise_separable_conv"):
        "input=random:1:32x112x112 depthwise=random:2:32x3x3 pointwise=random:3:16x32 bias=random:4:16",
    ("hist", "hist"): f"input={COLOUR}",
    ("iir_blur", "iir_blur"): f"input={COLOUR}",
    ("interpolate", "interpolate"): "input=random:1:1536x1024x4",
    ("lens_blur", "lens_blur"): "left=random:1:384x256x3 right=random:2:384x256x3",
    ("linear_blur", "linear_blur"): f"input={COLOUR}",
    ("max_filter", "max_filter"): f"input={PLANE}",
    ("nl_means", "nl_means"): "input=random:1:384x256x3",
    ("quantized", "add"): "a=random:1:64x256x256 b=random:2:64x256x256",
    ("quantized", "pools"): "input=random:1:64x256x256",
    ("quantized", "conv"): "input=random:1:32x58x58 filter=random:2:64x32x3x3 bias=random:3:64",
    ("reaction_diffusion", "reaction_diffusion"): "input=random:1:1024x1024x2",
    ("reaction_diffusion", "life"): "input=constant:1:1024x1024",
    ("stencil_chain", "stencil_chain"): f"input={PLANE}",
    ("wavelet", "haar"): f"input={PLANE}",
    ("wavelet", "haar_back"): "input=random:1:768x1024x2",
    ("wavelet", "daubechies"): f"input={PLANE}",
    ("wavelet", "daubechies_back"): "input=random:1:768x1024x2",
}
LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "held_out.log")


def path_of(application):
    return f"examples/applications/{application}.hl"


def is_held_out(application):
    return int(hashlib.sha256(path_of(application).encode()).hexdigest()[-1], 16) % 2 == 0


def log(options, rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
    each = ", ".join(f"{row['case']} {row['ratio']:.2f}" for row in rows)
    with open(LOG, "a", encoding="utf-8") as out:
        out.write(f"{now} after {commit}, {options.step}, {options.threads} threads: {each}; {auto.summary(rows)}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--step", default="no step")
    options = auto.parse(parser)
    rows = []
    for (application, pipeline), arguments in CASES.items():
        name = f"{application}:{pipeline}"
        if is_held_out(application) == options.open or (options.cases and name not in options.cases):
            continue
        row = auto.measure(options, name, (path_of(application), pipeline, arguments))
        if row:
            rows.append(row)
            auto.print_row(row)
    print(auto.summary(rows))
    if not options.open and not options.cases:
        log(options, rows)


if __name__ == "__main__":
    main()
