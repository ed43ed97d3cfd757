#!/usr/bin/env python3
"""Draws bench/results.json: for each kernel our time over Halide's, run with 1 and 2 threads and compiling.

    bench/draw.py [RESULTS.json [PICTURE.svg]]
"""
import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
SERIES = (("run, 1 thread", "ms_1t", "#2b6cb0"), ("run, 2 threads", "ms_2t", "#90cdf4"),
          ("compiling", "compile_ms", "#dd6b20"))
LEFT, WIDTH, BAR, GAP, TOP = 130, 620, 9, 10, 46
MOST = 1.5  # ratios beyond are cut, and say so


def text(x, y, words, anchor="start", size=12, color="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}">{words}</text>')


def scale(ratio):
    return LEFT + WIDTH * min(ratio, MOST) / MOST


def bar(y, ratio, color):
    label = f"{ratio:.2f}" + ("…" if ratio > MOST else "")
    inside = ratio > MOST * 0.93
    return [f'<rect x="{LEFT}" y="{y}" width="{scale(ratio) - LEFT:.1f}" height="{BAR}" fill="{color}"/>',
            text(scale(ratio) + (-4 if inside else 4), y + BAR - 1, label, "end" if inside else "start", 9,
                 "#fff" if inside else "#222")]


def picture(results):
    rows = [r for r in results if "halide_ms_1t" in r]
    step = len(SERIES) * BAR + GAP
    height = TOP + len(rows) * step + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}">',
             f'<rect width="100%" height="100%" fill="#fff"/>',
             text(10, 18, "Our time over Halide 14's (left of the line: faster)", size=14)]
    for i, (name, _, color) in enumerate(SERIES):
        parts += [f'<rect x="{LEFT + 130 * i}" y="27" width="10" height="10" fill="{color}"/>',
                  text(LEFT + 130 * i + 15, 36, name, size=11)]
    for i, row in enumerate(rows):
        y = TOP + i * step
        parts.append(text(LEFT - 6, y + step / 2, row["kernel"], "end"))
        for k, (_, key, color) in enumerate(SERIES):
            parts += bar(y + k * BAR, row[f"ours_{key}"] / row[f"halide_{key}"], color)
    parts += [f'<line x1="{scale(1)}" x2="{scale(1)}" y1="{TOP - 4}" y2="{height - 8}" stroke="#222"/>', "</svg>"]
    return "\n".join(parts) + "\n"


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else f"{FOLDER}/results.json"
    target = sys.argv[2] if len(sys.argv) > 2 else f"{FOLDER}/results.svg"
    with open(source) as file:
        results = json.load(file)
    with open(target, "w") as file:
        file.write(picture(results))
    print(f"drawn: {target}")


if __name__ == "__main__":
    main()
