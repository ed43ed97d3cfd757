"""Runs pipelines on arrays, and compares them with plain definitions in Python.

    tests/support/oracle.py HLC PROGRAM.hl CASES.py [all]
    tests/support/oracle.py HLC FOLDER CASES.py [all]

CASES.py has the list CASES. A picture is a dictionary from coordinates to values, with the extents in `size`. A case
names the pipeline, its arguments, the extents of its inputs, a window, and a function of the inputs and arguments that
returns the function of a point; then perhaps a tolerance. Several outputs have a dictionary of windows, and a function
of a point for each. A tolerance is relative to values beyond 1, or `rounded`: the result is the value rounded to a
whole number, of which a tie may go either way. A window is (width, height, ..), or that and where it begins: ((width, ..), (x, ..)).

Each case runs under the schedule `fast`; with `all` under each schedule of its pipeline, and under none. With a folder
a case names the program, too: `name:pipeline`."""
import ast, itertools, os, random, re, struct, subprocess, sys, tempfile

CODES = {'u8': '|u1 B', 'i8': '|i1 b', 'u16': '<u2 H', 'i16': '<i2 h', 'i32': '<i4 i', 'u32': '<u4 I', 'f16': '<f2 e', 'f32': '<f4 f',
         'f64': '<f8 d', 'bool': '|b1 ?'}
RANGES = {'u8': (0, 255), 'i8': (-128, 127), 'u16': (0, 65535), 'i32': (-1000000, 1000000)}


class Picture(dict):
    size = ()

    def edge(self, *at):
        return self[tuple(min(max(i, 0), n - 1) for i, n in zip(at, self.size))]

    def zero(self, *at):
        return self.get(tuple(at), 0)


def coordinates(size):
    """Of all points, dimension 0 fastest."""
    return (i[::-1] for i in itertools.product(*(range(n) for n in reversed(size))))


def axes(size):
    """Extents in the order of a file's axes: (y, x), (y, x, c), (n, y, x, c)."""
    return tuple(size[i] for i in {0: (), 1: (0,), 2: (1, 0), 3: (1, 0, 2), 4: (3, 1, 0, 2)}[len(size)])


WORDS = ('', 'x:', 'yx:', 'yxc:', 'nyxc:')  # the axes of files, as hlc is told


def to_file(index):
    return tuple(index[i] for i in {0: (), 1: (0,), 2: (1, 0), 3: (1, 0, 2), 4: (2, 1, 3, 0)}[len(index)])


def draw(kind, size, generator):
    """`kind` is a type; `bits`; or (type, least, greatest)."""
    picture = Picture()
    picture.size = size
    for at in coordinates(size):
        if kind == 'bits':  # row y has the bits of y
            value = at[1] >> at[0] & 1
        elif kind == 'f32':
            value = struct.unpack('<f', struct.pack('<f', generator.random()))[0]
        else:
            value = generator.randint(*(kind[1:] if isinstance(kind, tuple) else RANGES[kind]))
        picture[at] = value
    return picture


def save(path, kind, picture):
    kind = kind[0] if isinstance(kind, tuple) else kind
    number, code = CODES['i32' if kind == 'bits' else kind].split()
    shape = axes(picture.size)
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (number, ', '.join(map(str, shape)))
    head += ' ' * (-(len(head) + 11) % 64) + '\n'
    values = [picture[to_file(i)] for i in itertools.product(*(range(n) for n in shape))]
    with open(path, 'wb') as out:
        out.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<%d%s' % (len(values), code), *values))


def load(path):
    data = open(path, 'rb').read()
    length = struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = next(c for c in (pair.split() for pair in CODES.values()) if c[0] == header['descr'])[1]
    values = struct.unpack('<%d%s' % (len(data[10 + length:]) // struct.calcsize(code), code), data[10 + length:])
    assert not header['fortran_order']
    picture = Picture()
    for i, value in zip(itertools.product(*(range(n) for n in header['shape'])), values):
        picture[to_file(i)] = value
    return picture


def window_of(window):
    """Extents and minima."""
    return window if window and isinstance(window[0], tuple) else (window, (0,) * len(window))


def limit_of(tolerance, expected):
    return 0.501 if tolerance == 'rounded' else tolerance * max(1, abs(expected))


def run(hlc, source, schedule, case, number):
    pipeline, arguments, inputs, windows, wanted = case[:5]
    tolerance = case[5] if len(case) > 5 else 0
    several = isinstance(windows, dict)
    windows = windows if several else {'out': windows}
    generator = random.Random(number + 1)
    with tempfile.TemporaryDirectory() as work:
        words, pictures = [], []
        for name, (kind, size) in inputs.items():
            picture = draw(kind, size, generator)
            save(os.path.join(work, name + '.npy'), kind, picture)
            words.append('%s=%s%s' % (name, WORDS[len(size)], os.path.join(work, name + '.npy')))
            pictures.append(picture)
        command = [hlc, 'run', source, '--pipeline=' + pipeline, '--schedule=' + schedule, '--threads=2'] + words
        command += ['%s=%s' % (k, str(v).lower() if isinstance(v, bool) else v) for k, v in arguments.items()]
        for name, window in windows.items():
            extents, minima = window_of(window)
            function = name.split('.')[0]  # elements of a tuple share the window
            if extents:
                word = '%s=%s%s' % (function, 'x'.join(map(str, extents)), ''.join('+%d' % m for m in minima))
                command += [] if word in command else [word]
            command += ['-o', '%s=%s' % (name, WORDS[len(extents)] + os.path.join(work, name + '.npy'))]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return '%s\n%s' % (' '.join(command), done.stderr), 0
        results = {name: load(os.path.join(work, name + '.npy')) for name in windows}
    compute = wanted(*pictures, **arguments)
    points = 0
    for name, window in windows.items():
        extents, minima = window_of(window)
        for at in coordinates(extents):
            place = tuple(i + m for i, m in zip(at, minima))
            expected, got = (compute[name] if several else compute)(*place), results[name][at]
            if got != expected and not abs(got - expected) <= limit_of(tolerance, expected):
                return '%s: %s%s is %r, not %r' % (' '.join(command), name, place, got, expected), 0
            points += 1
    return '', points


def schedules_of(source, pipeline):
    """Those without parameters that lack a default, and none."""
    found = re.findall(r'^schedule (\w+)(?:\([^()]*\))? for %s\b' % pipeline, open(source).read(), re.M)
    return [''] + found


def main(hlc, program, cases_file, which=''):
    sys.path.insert(0, os.path.dirname(cases_file))
    name = os.path.splitext(os.path.basename(cases_file))[0]
    cases = __import__(name).CASES
    share = int(os.environ.get('HLC_SHARE', '1'))
    failures = points = runs = 0
    for number, case in enumerate(cases):
        if which and number % share:
            continue
        source = program
        if os.path.isdir(program):
            file, pipeline = case[0].split(':')
            source, case = os.path.join(program, file + '.hl'), (pipeline,) + case[1:]
        for schedule in schedules_of(source, case[0]) if which else ['fast']:
            fault, compared = run(hlc, source, schedule, case, number)
            if fault:
                print('FAILED: %s' % fault)
                failures += 1
            points += compared
            runs += 1
    print('%s: %d cases, %d runs, %d points, %d failures' % (name, len(cases), runs, points, failures))
    return failures == 0 and points > 0


if __name__ == '__main__':
    sys.exit(0 if main(*sys.argv[1:]) else 1)
