#!/usr/bin/env python3
"""Draws loop nests as nested boxes: reads what `hlc explain FILE --schedule=S` prints, writes SVG.

    hlc explain examples/tutorial.hl --schedule=fast | docs/pictures/draw.py > docs/pictures/tutorial.fast.svg

A box is a loop, coloured by the manner in which it runs; a bar across it says what is allocated or computed there, and what is
written.  tests/pictures.sh holds the pictures of the tutorial against what the compiler prints now.
"""
import html
import re
import sys

LINE, INSET, WIDTH, CHARACTER = 24, 14, 760, 6.6
LOOP = re.compile(r"for (\S+) from (.+) iterations?, (\w+)")
COLORS = {"serial": "#eef1f5", "parallel": "#d8ecd9", "vectorized": "#fbe3c0", "unrolled": "#e7def3"}
BARS = {"allocate": "#b9c7dd", "output": "#b9c7dd", "compute": "#5b7aa8", "write": "#ffffff"}


class Box:
    """A line of the loop nest and the lines inside it."""

    def __init__(self, text):
        self.text, self.inside = text, []

    def height(self):
        return LINE + 4 + (sum(box.height() for box in self.inside) + 6 if self.inside else 0)


def read(lines):
    """The outermost boxes; the primitives before the first empty line are passed over."""
    lines = [line.rstrip("\n") for line in lines]
    if "" in lines:
        lines = lines[lines.index("") + 1:]
    root = Box("")
    around = [(-1, root)]
    for line in lines:
        depth = len(line) - len(line.lstrip())
        while around[-1][0] >= depth:
            around.pop()
        box = Box(line.strip())
        around[-1][1].inside.append(box)
        around.append((depth, box))
    return root.inside


def split_range(text):
    """`first, count` at the comma that stands in no parentheses."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            return text[:i], text[i + 2:]
    return text, text


def describe(text):
    """What is written on a box, its colour, and that of the letters."""
    loop = LOOP.match(text)
    if loop:
        name, span, manner = loop.groups()
        _, count = split_range(span)
        count = re.sub(r"^.*\((at most \d+)\)$", r"\1", count)
        return f"{name}: {count}, {manner}", COLORS[manner], "#222222"
    word = text.split()[0].rstrip(":")
    return text, BARS.get(word, "#ffffff"), "#ffffff" if word == "compute" else "#222222"


def draw(box, x, y, width, out):
    text, color, letters = describe(box.text)
    most = int((width - 16) / CHARACTER)
    if len(text) > most:
        text = text[:most - 2] + " .."
    out.append(f'<rect x="{x}" y="{y}" width="{width}" height="{box.height() - 4}" rx="5" fill="{color}" stroke="#8a94a3"/>')
    out.append(f'<text x="{x + 8}" y="{y + 16}" fill="{letters}">{html.escape(text)}</text>')
    at = y + LINE + 2
    for inner in box.inside:
        draw(inner, x + INSET, at, width - 2 * INSET, out)
        at += inner.height()


def main():
    boxes = read(sys.stdin)
    height = sum(box.height() for box in boxes) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="DejaVu Sans Mono, monospace" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    at = 8
    for box in boxes:
        draw(box, 8, at, WIDTH - 16, out)
        at += box.height()
    out.append("</svg>")
    print("\n".join(out))


main()
