#!/usr/bin/env python3
"""Measures how compiling grows with the size of a program, for the families of tests/growth.py.

    bench/growth.py BUILD [FAMILY ..]

Compiles each family at four sizes, each twice the previous one, up to the largest that is taken. Prints the seconds of
processor time, the most memory, and the exponent: the logarithm to the base 2 of the times' last quotient. An exponent
of 1 is linear.
"""
import math, os, pathlib, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tests'))
import growth


def measure(hlc, family, size, folder):
    exit_code, _, usage = growth.compile_program(hlc, family, size, folder, 100, 8192)
    return exit_code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(build, families):
    hlc = os.path.join(build, 'hlc')
    print(f'{"family":20} {"size":>7} {"seconds":>8} {"MB":>6} {"exponent":>9}')
    with tempfile.TemporaryDirectory() as folder:
        for family in families or growth.SIZES:
            largest = max(size for size, code in growth.SIZES[family].items() if code in ('', 'E0955'))
            before = None
            for size in (largest // 8, largest // 4, largest // 2, largest):
                exit_code, seconds, megabytes = measure(hlc, family, max(size, 1), folder)
                exponent = f'{math.log2(seconds / before):9.2f}' if before else ''
                before = seconds
                print(f'{family:20} {size:7} {seconds:8.2f} {megabytes:6.0f} {exponent}'
                      + (f'  exit code {exit_code}' if exit_code else ''), flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
