#!/usr/bin/env python3
"""Measures how compiling grows with the size of a program, for the families of tests/growth.py.

    bench/growth.py BUILD [FAMILY ..]

Compiles each family at four sizes, each twice the previous one, up to the largest that is taken without a warning. (From
a warning, E0955, on the compiler optimises less, so times on both sides of it do not compare.) Prints the seconds of
processor time, the least of RUNS, less those of an empty pipeline; the most memory; and the exponent: the logarithm to
the base 2 of the last quotient of times. An exponent of 1 is linear.

Then, for the last doubling: the exponents of the text after the passes, the greatest of all; and of the time of the
slowest passes. The sizes that are refused or warned of are tests/growth.sh's.
"""
import json, math, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tests'))
import growth

RUNS = 3
LEAST_MS = 4  # a pass that takes less has no exponent
PASSES = ('initial', 'schedule', 'bounds', 'checks', 'simplify', 'partition', 'licm')


def measure(hlc, family, size, folder):
    best = None
    for _ in range(RUNS):
        exit_code, _, usage = growth.compile_program(hlc, family, size, folder, 100, 8192)
        seconds = usage.ru_utime + usage.ru_stime
        if best is None or seconds < best[1]:
            best = exit_code, seconds, usage.ru_maxrss / 1024
        if seconds > 3:
            break
    return best


def passes(hlc, path):
    """The milliseconds of processor time of each row of --time."""
    best = {}
    for _ in range(RUNS):
        done = subprocess.run([hlc, 'compile', path, '--schedule=s', '-o', path + '.o', '--time', '--json'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        rows = {}
        for line in done.stderr.splitlines():
            row = json.loads(line) if line.startswith('{') else {}
            if row.get('depth'):
                rows[row['part']] = rows.get(row['part'], 0) + row['cpu_ms']
        for where, ms in rows.items():
            best[where] = min(ms, best.get(where, ms))
    return best


def texts(hlc, path):
    """The length of the text after each pass."""
    return {name: len(subprocess.run([hlc, 'lower', path, '--schedule=s', '--after=' + name],
                                     capture_output=True).stdout) for name in PASSES}


def exponent(before, after):
    return math.log2(after / before)


def detail(hlc, family, size, folder):
    """The exponents of the texts and of the passes, from half the size."""
    found = []
    for n in (size // 2, size):
        path = os.path.join(folder, f'{family}.hl')
        pathlib.Path(path).write_text(growth.FAMILIES[family](max(n, 1)))
        found.append((texts(hlc, path), passes(hlc, path)))
    (text0, time0), (text1, time1) = found
    longest = max((name for name in PASSES if text0[name] and text1[name]),
                  key=lambda name: exponent(text0[name], text1[name]), default=None)
    slow = sorted((name for name in time1 if time1[name] >= LEAST_MS and time0.get(name, 0) > 0),
                  key=lambda name: -exponent(time0[name], time1[name]))
    print(' ' * 8, f'text {longest} {exponent(text0[longest], text1[longest]):.2f};' if longest else '',
          ', '.join(f'{name} {exponent(time0[name], time1[name]):.2f} ({time1[name]:.0f} ms)' for name in slow[:6]),
          flush=True)


def main(build, families):
    hlc = os.path.join(build, 'hlc')
    print(f'{"family":20} {"size":>7} {"seconds":>8} {"MB":>6} {"exponent":>9}')
    with tempfile.TemporaryDirectory() as folder:
        nothing = measure(hlc, 'chain', 1, folder)[1]
        for family in families or growth.SIZES:
            largest = max(size for size, code in growth.SIZES[family].items() if code == '')
            before = None
            for size in (largest // 8, largest // 4, largest // 2, largest):
                exit_code, seconds, megabytes = measure(hlc, family, max(size, 1), folder)
                seconds = max(seconds - nothing, 0.001)
                rises = f'{exponent(before, seconds):9.2f}' if before else ''
                before = seconds
                print(f'{family:20} {size:7} {seconds:8.2f} {megabytes:6.0f} {rises}'
                      + (f'  exit code {exit_code}' if exit_code else ''), flush=True)
            detail(hlc, family, largest, folder)


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
