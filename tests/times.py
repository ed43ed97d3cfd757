#!/usr/bin/env python3
"""Prints what the tests of a tier took, and fails if the tier takes more than it may.

    tests/times.py BUILD TIER [LIMIT]

The times are those of build/times, which tests/support/limited.c writes: seconds of the processor. Prints their sum and
the ten tests that took most. The tier `test` is to take 720 s: six minutes of two processors. LIMIT is 1080 s for it,
because other work on the machine makes the same work take up to half as long again. Without optimisation and with
sanitizers or counters there is none.
"""
import json
import pathlib
import subprocess
import sys

LIMITS = {'test': 1080}
SHOWN = 10


def tests_of(build, tier):
    listed = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)['tests']:
        labels = next((p['value'] for p in test['properties'] if p['name'] == 'LABELS'), [])
        if tier in labels:
            yield test['name']


def is_slow(build):
    cache = (pathlib.Path(build) / 'CMakeCache.txt').read_text()
    return any(f'{option}:BOOL=ON' in cache for option in ('HLC_SANITIZE', 'HLC_COVERAGE')) or 'CMAKE_BUILD_TYPE:STRING=Debug' in cache


def main(build, tier, limit=None):
    limit = float(limit) if limit else 0 if is_slow(build) else LIMITS.get(tier, 0)
    seconds, missing = {}, 0
    for name in tests_of(build, tier):
        record = pathlib.Path(build) / 'times' / name
        if record.exists():
            seconds[name] = float(record.read_text().split()[0])
        else:
            missing += 1
    total = sum(seconds.values())
    print(f'{len(seconds)} tests took {total:.0f} s of the processor' + (f' of {limit:g}' if limit else '') +
          (f'; {missing} have no record' if missing else ''))
    for name in sorted(seconds, key=seconds.get, reverse=True)[:SHOWN]:
        print(f'{seconds[name]:8.1f}  {name}')
    if limit and total > limit:
        sys.exit(f'The tier {tier} takes too long: give the costliest tests less to do, or a share (docs/contributing.md)')


if __name__ == '__main__':
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
