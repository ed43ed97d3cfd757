#!/usr/bin/env python3
"""Compares the results of two builds on every example: the lowered text, and the object code for every target.

    tests/hashes.py compare BUILD OTHER      two build folders, or files that `save` wrote
    tests/hashes.py save BUILD FILE          one line for each text and object: its name, and its hash

A commit that moves, renames or deletes code changes no hash. The programs are those of this checkout: examples, kernels
of bench/, programs of tests/semantics and tests/golden, each under the empty schedule and under all of its own.
All programs for all targets take about ten minutes of processor time. These options take a part:

    --targets=NAME,..   object code for these targets only (all; `none`: lowered text only)
    --only=REGEX        programs whose path matches
    --jobs=N            at a time (as many as there are processors)
"""
import concurrent.futures, hashlib, os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ['examples', 'examples/recurrences', 'bench', 'bench/reductions', 'tests/semantics', 'tests/golden']
PASSES = ['bounds', 'checks', '']  # '': the last one
SHOWN = 40


def stop(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def programs(only):
    """(file, pipeline, schedule) of all programs; no schedule is ''."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob('*.hl')):
            text, name = path.read_text(), str(path.relative_to(ROOT))
            if re.search(only, name):
                yield from ((name, pipeline, '') for pipeline in re.findall(r'^pipeline (\w+)', text, re.M))
                yield from ((name, pipeline, schedule)
                            for schedule, pipeline in re.findall(r'^schedule (\w+) for (\w+)', text, re.M))


def all_targets(hlc):
    """The targets in the help of `compile`."""
    text = subprocess.run([hlc, 'compile', '--help'], capture_output=True, text=True).stdout
    line = re.search(r'^ *--target=.*', text, re.M)
    return re.findall(r'(?:x86-64|aarch64)[\w-]*', line.group()) if line else stop(f'{hlc} names no targets')


def hashes(build, options):
    """The lines of one build."""
    hlc = os.path.join(os.path.abspath(build), 'hlc')
    targets = options['targets'].split(',') if options['targets'] else all_targets(hlc)
    if targets == ['none']:
        targets = []
    environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=0')

    def lines_of(program):
        file, pipeline, schedule = program
        arguments = [file, '--pipeline=' + pipeline] + (['--schedule=' + schedule] if schedule else [])
        asked = [('lowered ' + (name or 'last'), ['lower'] + arguments + (['--after=' + name] if name else []))
                 for name in PASSES]
        asked += [(target, ['compile'] + arguments + ['--target=' + target, '--emit=object', '-o', '/dev/stdout'])
                  for target in targets]
        lines = []
        for what, command in asked:
            done = subprocess.run([hlc] + command, cwd=ROOT, capture_output=True, env=environment)
            if done.returncode not in (0, 2):  # 2: a schedule or a target that is refused
                lines.append(f'{file} {pipeline} {schedule or "-"} {what}: exit code {done.returncode}')
                continue
            digest = hashlib.sha256(b'%d\n' % done.returncode + done.stdout + b'\n' + done.stderr).hexdigest()[:16]
            lines.append(f'{file} {pipeline} {schedule or "-"} {what}: {digest}')
        return lines

    with concurrent.futures.ThreadPoolExecutor(int(options['jobs'] or os.cpu_count())) as pool:
        found = [line for lines in pool.map(lines_of, programs(options['only'])) for line in lines]
    return found or stop('there are no such programs')


def read(place, options):
    if os.path.isdir(place):
        return hashes(place, options)
    lines = pathlib.Path(place).read_text().splitlines()
    return [line for line in lines if re.search(options['only'], line.split()[0])]


def main():
    options = {'targets': '', 'only': '', 'jobs': ''}
    operands = []
    for argument in sys.argv[1:]:
        option = re.fullmatch(r'--(\w+)=(.*)', argument)
        if option and option.group(1) in options:
            options[option.group(1)] = option.group(2)
        else:
            operands.append(argument)
    if len(operands) != 3 or operands[0] not in ('save', 'compare'):
        stop(__doc__.strip())
    command, first, second = operands
    if command == 'save':
        lines = hashes(first, options)
        pathlib.Path(second).write_text('\n'.join(lines) + '\n')
        print(f'{len(lines)} hashes')
        return 0
    one, other = (dict(line.rsplit(': ', 1) for line in read(place, options)) for place in (first, second))
    differ = [what for what in sorted(one.keys() | other.keys())
              if one.get(what) != other.get(what) or 'exit code' in one[what]]
    for what in differ[:SHOWN]:
        print(f'{what}: {one.get(what, "nothing")}, {other.get(what, "nothing")}')
    if len(differ) > SHOWN:
        print(f'and {len(differ) - SHOWN} more')
    print(f'{len(one.keys() | other.keys())} hashes, {len(differ)} differ')
    return 1 if differ or not one else 0


sys.exit(main())
