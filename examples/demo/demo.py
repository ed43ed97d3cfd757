#!/usr/bin/env python3
"""The demonstration: pipelines on a photograph, timed under several schedules and compared with the reference.

    examples/demo/demo.py SOURCE BUILD [PIPELINE ..]     what `make demo` runs; all work is done by the command `hlc`

For each pipeline: `hlc bench` times its schedules with one and with two threads; `hlc run` makes the whole picture under each, and the
reference interpreter a window of it, which are compared element by element; the result is shown beside the photograph.  Everything
is written to BUILD/demo: results.json, a list with an object for each pipeline and schedule, a PNG for each pipeline, of some also a
piece at full size (NAME.crop.png), and for three a page (NAME.html, `hlc view`). The blur is timed beside plain C loops (plain.c).
"""
import ast
import json
import os
import shutil
import struct
import subprocess
import sys
import time

WIDTH, HEIGHT = 4272, 2848  # of the photograph
WHOLE = (WIDTH, HEIGHT, 0, 0)
PART = (1200, 900, 1700, 1300)  # width, height, x, y: over a million points, where there is detail

FACTOR = 6  # of the pictures that are shown: 1424 pixels wide
SMALL = (WIDTH // FACTOR, HEIGHT // FACTOR, 0, 0)
CROP = ("out=640x640x3", "left=3060", "top=1830")  # what is shown at full size
CROPS = ("unsharp", "local_laplacian", "bilateral_grid")
PAGES = ("blur", "harris", "local_laplacian")  # on the small photograph
PATCH = ("out=64x28x3", "left=508", "top=310")  # of the small photograph: what `find` looks for


class Demonstration:
    """One pipeline: how it reads the photograph, the channels of its output (0: two dimensions), its arguments and schedules, the
    window that the reference makes, and by which pipeline of show.hl, with which arguments, its result becomes a picture of bytes.
    `small`: the photograph is made smaller by FACTOR first."""

    def __init__(self, name, photo, channels, arguments, schedules, window, shown_by=None, output="out", small=False):
        self.name, self.photo, self.channels, self.arguments = name, photo, channels, arguments
        self.schedules, self.window, self.shown_by, self.output = [""] + schedules, window, shown_by, output
        self.small = small


DEMONSTRATIONS = [
    Demonstration("blur", "gray:", 0, ["w=9"], ["fast"], PART),
    Demonstration("unsharp", "", 3, ["strength=6"], ["rows", "pixels"], PART, output="sharp"),
    Demonstration("harris", "gray:", 0, [], ["tiled"], PART,
                  ("corners", ["input={photograph}", "response={result}"]), output="response"),
    Demonstration("equalize", "gray:", 0, [], ["fast"], WHOLE),
    Demonstration("bilateral_grid", "gray:", 0, [], ["fast"], PART, ("grey", ["input={result}"])),
    Demonstration("local_laplacian", "", 3, ["amount=3"], ["fast"], PART, ("bytes", ["input={result}"])),
    Demonstration("histogram", "", 0, [], ["fast"], (256, 3, 0, 0),
                  ("chart", ["share={result}"]), output="share"),
    Demonstration("statistics", "", 3, [], ["fast"], PART, output="balanced"),
    Demonstration("find", "gray:", 0, ["patch={patch}"], ["fast"], SMALL, output="marked", small=True),
]


class Array:
    """What a .npy file holds: bytes, the size of an element; rows of pixels of channels."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack("<H", data[8:10])[0]
        about = ast.literal_eval(data[10:10 + length].decode())
        self.bytes, self.size = memoryview(data)[10 + length:], int(about["descr"][2:])
        self.width, self.channels = about["shape"][1], about["shape"][2] if len(about["shape"]) > 2 else 1

    def row(self, x, y, width):
        start = (y * self.width + x) * self.channels
        return self.bytes[start * self.size:(start + width * self.channels) * self.size]


def differences(whole, part, window):
    """How many elements of `part` are not those of `whole` at the window."""
    width, height, left, top = window
    count = 0
    for y in range(height):
        ours, theirs = whole.row(left, top + y, width), part.row(0, y, width)
        if ours != theirs:
            count += sum(ours[i:i + part.size] != theirs[i:i + part.size] for i in range(0, len(theirs), part.size))
    return count


class Runner:
    def __init__(self, source, build):
        self.source, self.hlc, self.folder = source, os.path.join(build, "hlc"), os.path.join(build, "demo")
        self.photograph = os.path.join(source, "examples", "demo", "sunset.jpg")
        self.show_file = os.path.join(source, "examples", "demo", "show.hl")
        self.small, self.patch = self.path("small.png"), self.path("patch.jpg")
        self.begin = time.monotonic()
        self.least = {}  # of each pipeline: the least milliseconds of its best schedule with one thread
        os.makedirs(self.folder, exist_ok=True)

    def say(self, what):
        """A line of progress, where someone is looking."""
        if sys.stderr.isatty():
            print(f"\r\033[K{time.monotonic() - self.begin:4.0f} s  {what}", end="", file=sys.stderr, flush=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments):
        """The standard output of `hlc`; where it fails, its exit code is ours, after its diagnostics."""
        done = subprocess.run([self.hlc, *arguments], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return done.stdout

    @staticmethod
    def pixels(path):
        """A file of pixels, as hlc is told: the channels of an array are its last axis."""
        return "yxc:" + path if path.endswith(".npy") else path

    def array_of(self, demonstration, path):
        return self.pixels(path) if demonstration.channels else path

    def photograph_of(self, demonstration):
        return self.small if demonstration.small else self.photograph

    def operands(self, demonstration):
        file = os.path.join(self.source, "examples", demonstration.name + ".hl")
        return [file, f"input={demonstration.photo}{self.photograph_of(demonstration)}"] + [
            argument.format(patch="gray:" + self.patch) for argument in demonstration.arguments]

    def make_small(self):
        """The photograph, smaller; and a patch of it that has lost a little, being a JPEG file."""
        self.call("run", self.show_file, "--pipeline=smaller", f"input={self.photograph}", f"factor={FACTOR}",
                  "-o", self.small)
        self.call("run", self.show_file, "--pipeline=cut", f"input={self.small}", *PATCH, "-o", self.patch)

    def times(self, demonstration):
        """{(schedule, threads): milliseconds}: the least ones, since other work on the machine only adds to them."""
        self.say(f"{demonstration.name}: measuring")
        chosen = [f"--schedule={schedule}" for schedule in demonstration.schedules]
        told = self.call("bench", *self.operands(demonstration), *chosen, "--threads=1,2", "--seconds=6", "--json")
        results = json.loads(told)["results"]
        self.least[demonstration.name] = min(result["least_ms"] for result in results if result["threads"] == 1)
        return {(result["schedule"], result["threads"]): result["least_ms"] for result in results}

    def run(self, demonstration, output, *options):
        self.call("run", *self.operands(demonstration), *options, "-o",
                  f"{demonstration.output}={self.array_of(demonstration, output)}")

    def compare(self, demonstration):
        """Runs each schedule on the whole picture, and compares with the reference on the window: {schedule: (points, differences)}.
        The last picture stays."""
        width, height, left, top = demonstration.window
        depth = [str(demonstration.channels)] if demonstration.channels else []
        window = "x".join([str(width), str(height)] + depth) + "+" + "+".join([str(left), str(top)] + ["0" for _ in depth])
        self.say(f"{demonstration.name}: the reference, {width} x {height}")
        reference, whole = self.path(demonstration.name + ".reference.npy"), self.path(demonstration.name + ".npy")
        self.run(demonstration, reference, f"{demonstration.output}={window}", "--interpret=reference")
        part, found = Array(reference), {}
        os.remove(reference)
        for schedule in demonstration.schedules:
            self.say(f"{demonstration.name}: the whole picture, {schedule or 'the empty schedule'}")
            self.run(demonstration, whole,
                     f"--schedule={schedule}" if schedule else "--pipeline=" + demonstration.name)
            found[schedule] = len(part.bytes) // part.size, differences(Array(whole), part, demonstration.window)
        return found

    def show(self, demonstration):
        """The photograph and the result, side by side, as a PNG."""
        self.say(f"{demonstration.name}: a picture")
        photograph, result = self.photograph_of(demonstration), self.path(demonstration.name + ".npy")
        picture = self.path(demonstration.name + ".shown.npy")
        if demonstration.shown_by:
            pipeline, operands = demonstration.shown_by
            operands = [operand.format(photograph=photograph, result=self.array_of(demonstration, result))
                        for operand in operands]
            self.call("run", self.show_file, f"--pipeline={pipeline}", *operands, "-o", self.pixels(picture))
            os.remove(result)
            result = picture
        if demonstration.name in CROPS:
            self.show_crop(demonstration, photograph, result)
        pipeline = "beside_grey" if demonstration.channels == 0 and not demonstration.shown_by else "beside"
        shown = result if pipeline == "beside_grey" else self.pixels(result)
        self.call("run", self.show_file, f"--pipeline={pipeline}", f"left={photograph}", f"right={shown}",
                  f"factor={1 if demonstration.small else FACTOR}", "-o", self.path(demonstration.name + ".png"))
        os.remove(result)


    def show_crop(self, demonstration, photograph, result):
        """A piece of the photograph and of the result at full size, side by side."""
        pieces = []
        for name, picture in (("before", photograph), ("after", result)):
            pieces.append(self.path(f"{demonstration.name}.{name}.npy"))
            self.call("run", self.show_file, "--pipeline=cut", f"input={self.pixels(picture)}", *CROP, "-o",
                      self.pixels(pieces[-1]))
        self.call("run", self.show_file, "--pipeline=beside", f"left={self.pixels(pieces[0])}",
                  f"right={self.pixels(pieces[1])}", "factor=1",
                  "-o", self.path(demonstration.name + ".crop.png"))
        for piece in pieces:
            os.remove(piece)

    def page(self, demonstration):
        """A page that shows the pipeline on the small photograph."""
        self.say(f"{demonstration.name}: a page")
        file, _, *arguments = self.operands(demonstration)
        self.call("view", file, f"input={demonstration.photo}{self.small}", *arguments, "--threads=2",
                  "-o", self.path(demonstration.name + ".html"))

    def plain_blur(self):
        """Milliseconds of the blur in plain C loops with one thread, and whether the result is the same; None without a compiler."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            return None
        self.say("blur: plain C loops")
        program, grey, plain, ours = (self.path(name) for name in ("plain", "grey.pgm", "plain.pgm", "ours.pgm"))
        source = os.path.join(self.source, "examples", "demo", "plain.c")
        if subprocess.run([compiler, "-O3", "-march=native", "-o", program, source]).returncode != 0:
            return None
        self.call("run", self.show_file, "--pipeline=grey_copy", f"input=gray:{self.photograph}", "-o", grey)
        self.call("run", os.path.join(self.source, "examples", "blur.hl"), "--schedule=fast",
                  f"input=gray:{self.photograph}", "w=9", "-o", ours)
        told = subprocess.run([program, "9", grey, plain], stdout=subprocess.PIPE, text=True)
        with open(plain, "rb") as left, open(ours, "rb") as right:
            same = left.read() == right.read()
        for file in (program, grey, plain, ours):
            os.remove(file)
        return float(told.stdout), same


def pixels(demonstration):
    return WIDTH * HEIGHT // (FACTOR * FACTOR if demonstration.small else 1)


def table(results):
    line = "{:<16} {:<10} {:>12} {:>12} {:>8} {:>9} {:>10} {:>12}"
    print(line.format("pipeline", "schedule", "1 thread", "2 threads", "MP/s", "speedup", "points", "differences"))
    for result in results:
        print(line.format(result["pipeline"], result["schedule"] or "(empty)", f"{result['ms_1t']:.2f} ms",
                          f"{result['ms_2t']:.2f} ms", f"{result['megapixels_per_second']:.1f}", f"{result['speedup']:.1f}",
                          result["points"], result["differences"]))


def slower(results):
    """The schedules that are slower than the empty one with as many threads."""
    empty = {result["pipeline"]: result for result in results if not result["schedule"]}
    return [result["pipeline"] + " " + result["schedule"] for result in results
            if any(result[key] > 1.1 * empty[result["pipeline"]][key] for key in ("ms_1t", "ms_2t"))]


def main():
    source, build = sys.argv[1], sys.argv[2]
    runner, results = Runner(source, build), []
    chosen = [one for one in DEMONSTRATIONS if len(sys.argv) <= 3 or one.name in sys.argv[3:]]
    if any(one.small or one.name in PAGES for one in chosen):
        runner.make_small()
    for demonstration in chosen:
        times, found = runner.times(demonstration), runner.compare(demonstration)
        runner.show(demonstration)
        slowest = times["", 1]
        for schedule in demonstration.schedules:
            points, different = found[schedule]
            best = min(times[schedule, 1], times[schedule, 2])
            results.append({"pipeline": demonstration.name, "schedule": schedule, "ms_1t": times[schedule, 1],
                            "ms_2t": times[schedule, 2], "speedup": slowest / best, "points": points,
                            "differences": different,
                            "megapixels_per_second": pixels(demonstration) / best / 1000})
        if demonstration.name in PAGES:
            runner.page(demonstration)
    plain = runner.plain_blur() if any(one.name == "blur" for one in chosen) else None
    runner.say("")
    table(results)
    with open(runner.path("results.json"), "w") as file:
        json.dump(results, file, indent=2)
        file.write("\n")
    if plain:
        ours = runner.least["blur"]
        print(f"\nblur with one thread, the least times: plain C loops (examples/demo/plain.c, cc -O3 -march=native) {plain[0]:.2f} ms, "
              f"hlc {ours:.2f} ms; {'the same bytes' if plain[1] else 'OTHER BYTES'}")
    for name in slower(results):
        print(f"slower than the empty schedule: {name}")
    print(f"\nspeedup: over the empty schedule with one thread.  Pictures, pages and results.json are in {runner.folder}.")
    return 1 if any(result["differences"] for result in results) or (plain and not plain[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
