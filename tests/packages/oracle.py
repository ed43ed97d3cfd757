"""Runs pipelines on arrays, and compares them with plain definitions in Python.

    tests/packages/oracle.py HLC FOLDER NAME

FOLDER/NAME.hl has the pipelines, FOLDER/oracle_NAME.py the cases. A picture is a dictionary from coordinates to values, with the extents in `size`. A case names the pipeline, its
arguments, the extents of its inputs and of its window, and a function that computes a point from the inputs."""
import ast, itertools, os, random, struct, subprocess, sys, tempfile

CODES = {'u8': '|u1 B', 'i8': '|i1 b', 'i32': '<i4 i', 'u32': '<u4 I', 'f32': '<f4 f', 'f64': '<f8 d'}


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
    return tuple(size[i] for i in {1: (0,), 2: (1, 0), 3: (1, 0, 2), 4: (3, 1, 0, 2)}[len(size)])


def to_file(index):
    return tuple(index[i] for i in {1: (0,), 2: (1, 0), 3: (1, 0, 2), 4: (2, 1, 3, 0)}[len(index)])


def draw(kind, size, generator):
    picture = Picture()
    picture.size = size
    for at in coordinates(size):
        if kind == 'bits':  # row y has the bits of y
            value = at[1] >> at[0] & 1
        elif kind == 'f32':
            value = struct.unpack('<f', struct.pack('<f', generator.random()))[0]
        else:
            value = generator.randint(*{'u8': (0, 255), 'i8': (-128, 127), 'i32': (-1000000, 1000000)}[kind])
        picture[at] = value
    return picture


def save(path, kind, picture):
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
    assert not header['fortran_order'] and header['descr'] != '<f8', 'a result of f64'
    picture = Picture()
    for i, value in zip(itertools.product(*(range(n) for n in header['shape'])), values):
        picture[to_file(i)] = value
    return picture


def run(hlc, source, case, number):
    pipeline, arguments, inputs, window, wanted = case[:5]
    tolerance = case[5] if len(case) > 5 else 0
    generator = random.Random(number + 1)
    with tempfile.TemporaryDirectory() as work:
        words, pictures = [], []
        for name, (kind, size) in inputs.items():
            picture = draw(kind, size, generator)
            save(os.path.join(work, name + '.npy'), kind, picture)
            words.append('%s=%s' % (name, os.path.join(work, name + '.npy')))
            pictures.append(picture)
        command = [hlc, 'run', source, '--pipeline=' + pipeline, '--schedule=fast', '--threads=2'] + words
        command += ['%s=%s' % (k, str(v).lower() if isinstance(v, bool) else v) for k, v in arguments.items()]
        command += ['out=' + 'x'.join(map(str, window)), '-o', os.path.join(work, 'out.npy')]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return '%s\n%s' % (' '.join(command), done.stderr), 0
        result = load(os.path.join(work, 'out.npy'))
    compute = wanted(*pictures, **arguments)
    for at in coordinates(window):
        expected = compute(*at)
        if abs(result[at] - expected) > tolerance * max(1, abs(expected)):
            return '%s: out%s is %r, not %r' % (' '.join(command), at, result[at], expected), 0
    return '', len(result)


def main(hlc, folder, name):
    sys.path.insert(0, folder)
    cases = __import__('oracle_' + name).CASES
    failures = points = 0
    for number, case in enumerate(cases):
        fault, compared = run(hlc, os.path.join(folder, name + '.hl'), case, number)
        if fault:
            print('FAILED: %s' % fault)
            failures += 1
        points += compared
    print('%s: %d cases, %d points, %d failures' % (name, len(cases), points, failures))
    return failures == 0 and points > 0


if __name__ == '__main__':
    sys.exit(0 if main(*sys.argv[1:]) else 1)
