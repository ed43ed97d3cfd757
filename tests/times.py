#!/usr/bin/env python3
"""Prints what the tests of a tier took, and fails if the tier takes more than it may.

    tests/times.py BUILD TIER [LIMIT]

The times are those of build/times, which tests/support/limited.c writes: seconds of the processor. Prints their sum and
the ten tests that took most. The tier `test` is to take 720 s: six minutes of two processors. LIMIT is 1080 s for it,
because other work on the machine makes the same work take up to half as long again. On a slower machine LIMIT is as
much longer as a fixed piece of work takes there: commands that start, and one that compiles. Without optimisation and
with sanitizers or counters there is none.
"""
import json
import pathlib
import resource
import subprocess
import sys

LIMITS = {'test': 1080}
PIECE = 0.5  # seconds of the processor for `piece` where the tier takes 720 s
SHOWN = 10
SOURCE = pathlib.Path(__file__).resolve().parent.parent


def tests_of(build, tier):
    listed = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)['tests']:
        labels = next((p['value'] for p in test['properties'] if p['name'] == 'LABELS'), [])
        if tier in labels:
            yield test['name']


def is_slow(build):
    cache = (pathlib.Path(build) / 'CMakeCache.txt').read_text()
    return any(f'{option}:BOOL=ON' in cache for option in ('HLC_SANITIZE', 'HLC_COVERAGE')) or 'CMAKE_BUILD_TYPE:STRING=Debug' in cache


def piece(build):
    """The seconds of the processor of a fixed piece of work."""
    commands = 30 * [['--version']] + 2 * [['compile', str(SOURCE / 'examples/harris.hl'), '--schedule=tiled', '-o', '/dev/null']]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run([f'{build}/hlc', *command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def limit_of(build, tier):
    if is_slow(build) or tier not in LIMITS:
        return 0
    return LIMITS[tier] * max(1, min(piece(build) for _ in range(3)) / PIECE)


def main(build, tier, limit=None):
    limit = float(limit) if limit else limit_of(build, tier)
    seconds, missing = {}, 0
    for name in tests_of(build, tier):
        record = pathlib.Path(build) / 'times' / name
        if record.exists():
            seconds[name] = float(record.read_text().split()[0])
        else:
            missing += 1
    total = sum(seconds.values())
    print(f'{len(seconds)} tests took {total:.0f} s of the processor' + (f' of {limit:.0f}' if limit else '') +
          (f'; {missing} have no record' if missing else ''))
    for name in sorted(seconds, key=seconds.get, reverse=True)[:SHOWN]:
        print(f'{seconds[name]:8.1f}  {name}')
    if limit and total > limit:
        sys.exit(f'The tier {tier} takes too long: give the costliest tests less to do, or a share (docs/contributing.md)')


if __name__ == '__main__':
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
