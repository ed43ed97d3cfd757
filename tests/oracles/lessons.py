"""What the programs of examples/lessons/ compute, by plain loops. tests/support/oracle.py says how cases are written."""
import math, struct


def f32(v):
    return struct.unpack('<f', struct.pack('<f', v))[0]


def wrap(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def i32(v):
    return wrap(v, 32, True)


def brighten(f, gain=1.5):
    return lambda x, y, c: min(255, int(f32(f[x, y, c] * f32(gain))))


def blurred(read):
    def row(x, y, c):
        return (read(x - 1, y, c) + 2*read(x, y, c) + read(x + 1, y, c)) // 4
    return lambda x, y, c: (row(x, y - 1, c) + 2*row(x, y, c) + row(x, y + 1, c)) // 4


def wave(x, y):
    return math.sin(x * y * 0.01)


def updates():
    f = {(x, y): x * y for x in range(20) for y in range(20)}
    f[3, 7] = 42
    for x in range(20):
        f[x, 1] = f[x, 7]
    for y in range(20):
        f[0, y] = f[0, y] // (f[3, y] + 1)
    for r in range(1, 20):
        for x in range(20):
            f[x, r] = i32(f[x, r - 1] + x)
    return lambda x, y: f[x, y]


def counts(f):
    count = [0] * 256
    for v in f.values():
        count[v] += 1
    return lambda v: count[v]


def reductions(f):
    w, h = f.size
    rows = [[f[x, y] for x in range(w)] for y in range(h)]
    return {'longhand': lambda y: sum(rows[y]), 'total': lambda y: sum(rows[y]), 'brightest': lambda y: rows[y].index(max(rows[y]))}


def largest(f):
    values = [f[x,] for x in range(f.size[0])]
    place = values.index(max(values))
    return {'best.0': lambda: place, 'best.1': lambda: values[place], 'place': lambda: place}


def mandelbrot(steps=24):
    def escape(x, y):
        a, b = f32(f32(f32(x) / f32(12)) - 2), f32(f32(f32(y) / f32(10)) - f32(1.2))
        u = v = 0.0
        for t in range(steps):
            if f32(f32(u * u) + f32(v * v)) >= 4:
                return t
            u, v = f32(f32(f32(u * u) - f32(v * v)) + a), f32(f32(f32(2 * u) * v) + b)
        return 0
    return escape


def generators(f, T='i32', taps=3, turned=False):
    def at(x, y):
        return f.edge(y, x) if turned else f.edge(x, y)
    return lambda x, y: sum(at(x + r, y) * min(r + 1, taps - r) for r in range(taps))


def disc(radius=6):
    return lambda x, y: int((x - 16)**2 + (y - 16)**2 <= radius * radius)


def triangle():
    return lambda x, y: (x + y) * (2 if 0 <= x < 8 and 0 <= y < 10 and x + y <= 7 and x <= y else 1)


def chosen(f):
    def depth(x, y):
        return (x - 5) * (y - 6)
    return lambda x, y: 100 + f[x, y] if depth(x, y) < 4 and depth(y, x) > -4 else depth(x, y)


def dot(a, b):
    total = i32(sum(a[k,] * b[k,] for k in range(a.size[0])))
    return lambda: total


def wrappers(f):
    def grey(x, y):
        return 3 * f.edge(x, y)
    return {'sharp': lambda x, y: 4*grey(x, y) - grey(x - 1, y) - grey(x + 1, y) - grey(x, y - 1),
            'turned': lambda x, y: grey(y, x) + 1}


def clones(f):
    def grey(x, y):
        return 3 * f.edge(x, y) + 1
    return {'near': lambda x, y: grey(x, y) + grey(x + 1, y), 'far': lambda x, y: grey(x + 40, y + 40) - grey(x + 41, y)}


def corners(f, k=0.04):
    def dx(x, y):
        return f.edge(x + 1, y) - f.edge(x - 1, y)

    def dy(x, y):
        return f.edge(x, y + 1) - f.edge(x, y - 1)

    def point(x, y):
        near = [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        a, b, c = (sum(g(*p) * h(*p) for p in near) for g, h in ((dx, dx), (dx, dy), (dy, dy)))
        return a * c - b * b - k * (a + c) * (a + c)
    return point


# The greatest half below 300.7 + 1/16, and the like: by struct, and by truncation to the upper half of an f32.
def brain(v):
    word = struct.unpack('<I', struct.pack('<f', v))[0]
    return (word + 0x7fff + (word >> 16 & 1)) >> 16


def types(a=200, b=-100, c=70000, d=300.7):
    d = f32(d)
    values = {'joined': a + b, 'wrapped': (a + 100) % 256, 'exact': c + d, 'widened': a * a, 'saturated.0': min(c, 255),
              'saturated.1': min(c, 127), 'saturated.2': min(int(d), 255), 'saturated.3': int(-d), 'truncated.0': c % 256,
              'truncated.1': wrap(c, 16, True), 'truncated.2': b, 'truncated.3': b % 2**32,
              'bits': struct.unpack('<I', struct.pack('<f', d))[0], 'half': struct.unpack('<e', struct.pack('<e', d))[0],
              'limits.0': int(b / 7), 'limits.1': b // 7, 'limits.2': b % 7, 'limits.3': 0}
    return {name: lambda v=value: v for name, value in values.items()}


GREY, COLOUR = {'input': ('u8', (21, 19))}, {'input': ('u8', (21, 10, 3))}
CASES = [
    ('01_gradient:gradient', {}, {}, {'slope': (23, 17)}, lambda: {'slope': lambda x, y: x + y}),
    ('02_brighten:brighten', {'gain': 2.25}, COLOUR, {'bright': (21, 10, 3)}, lambda f, gain: {'bright': brighten(f, gain)}),
    ('03_looking:looking', {}, {}, {'product': (19, 13)}, lambda: {'product': lambda x, y: x * y + 1}),
    ('04_tracing:tracing', {}, {}, {'waves': (9, 7)},
     lambda: {'waves': lambda x, y: math.sin(x * 0.25) + math.sin((y + 2) * 0.25)}, 1e-6),
    ('05_loops:loops', {}, {}, {'slope': (16, 12)}, lambda: {'slope': lambda x, y: x + 2*y}),
    ('05_loops:loops', {}, {}, {'slope': (17, 7)}, lambda: {'slope': lambda x, y: x + 2*y}),
    ('06_shifted:shifted', {}, {}, {'slope': ((5, 7), (100, 50))}, lambda: {'slope': lambda x, y: x + y}),
    ('06_shifted:shifted', {}, {}, {'slope': ((9, 2), (-3, -70))}, lambda: {'slope': lambda x, y: x + y}),
    ('07_stages:inside', {}, COLOUR, {'blur_y': ((19, 8, 3), (1, 1, 0))}, lambda f: {'blur_y': blurred(lambda *at: f[at])}),
    ('07_stages:anywhere', {}, COLOUR, {'blur_y': ((27, 14, 3), (-3, -2, 0))}, lambda f: {'blur_y': blurred(f.edge)}),
    ('08_where:where', {}, {}, {'mean': (16, 16)},
     lambda: {'mean': lambda x, y: (wave(x, y) + wave(x, y + 1) + wave(x + 1, y) + wave(x + 1, y + 1)) / 4}, 1e-6),
    ('09_updates:updates', {}, {}, {'f': (20, 20)}, lambda: {'f': updates()}),
    ('09_updates:counts', {}, GREY, {'count': (256,)}, lambda f: {'count': counts(f)}),
    ('09_updates:producer', {}, GREY, {'edges': (21, 19)},
     lambda f: {'edges': lambda x, y: 2*x - f.edge(x, y) - f.edge(x + 1, y)}),
    ('09_updates:reductions', {}, GREY, {'longhand': (19,), 'total': (19,), 'brightest': (19,)}, reductions),
    ('10_ahead:ahead', {'offset': 77}, GREY, {'sum': (21, 19)}, lambda f, offset: {'sum': lambda x, y: (f[x, y] + offset) % 256}),
    ('11_targets:targets', {'offset': 77}, GREY, {'sum': (21, 19)},
     lambda f, offset: {'sum': lambda x, y: min(f[x, y] + offset, 255)}),
    ('13_tuples:pairs', {}, {}, {'one': (12, 3), 'both.0': (13, 8), 'both.1': (13, 8)},
     lambda: {'one': lambda x, c: (x + 1, x * x, 100 - x)[c], 'both.0': lambda x, y: x + y, 'both.1': lambda x, y: x * 0.5 - y}),
    ('13_tuples:largest', {}, {'input': ('i32', (1000,))}, {'best.0': (), 'best.1': (), 'place': ()}, largest),
    ('13_tuples:largest', {}, {'input': (('i32', 0, 3), (137,))}, {'best.0': (), 'best.1': (), 'place': ()}, largest),
    ('13_tuples:mandelbrot', {'steps': 12}, {}, {'escape': (32, 24)}, lambda steps: {'escape': mandelbrot(steps)}),
    ('14_types:types', {}, {}, {name: () for name in types()}, types),
    ('14_types:types', {'a': 3, 'b': 127, 'c': -129, 'd': -0.75}, {}, {name: () for name in types() if name != 'saturated.2'},
     lambda **k: dict(types(**k), **{'saturated.0': lambda: 0, 'saturated.1': lambda: -128})),
    *(('15_generators:generators', {'T': T, 'taps': taps, 'turned': turned}, GREY, {'out': (13, 17)},
       lambda f, **k: {'out': generators(f, **k)})
      for T, taps, turned in (('i32', 3, False), ('u32', 5, True), ('f32', 9, False), ('f32', 1, True))),
    *(('16_layouts:' + p, {'gain': 0.75}, COLOUR, {'bright': (21, 10, 3)}, lambda f, gain: {'bright': brighten(f, gain)})
      for p in ('planar', 'interleaved', 'any')),
    ('17_predicates:disc', {'radius': 9}, {}, {'inside': (32, 32)}, lambda radius: {'inside': disc(radius)}),
    ('17_predicates:triangle', {}, {}, {'f': (10, 10)}, lambda: {'f': triangle()}),
    ('17_predicates:chosen', {}, {'input': ('i32', (16, 16))}, {'f': (16, 16)}, lambda f: {'f': chosen(f)}),
    ('18_rfactor:histogram', {}, {'input': ('u8', (37, 35))}, {'count': (256,)}, lambda f: {'count': counts(f)}),
    ('18_rfactor:product', {}, {'a': ('i32', (1001,)), 'b': ('i32', (1001,))}, {'dot': ()}, lambda a, b: {'dot': dot(a, b)}),
    ('19_wrappers:wrappers', {}, GREY, {'sharp': (21, 19), 'turned': (18, 22)}, wrappers),
    ('20_clones:clones', {}, GREY, {'near': (21, 19), 'far': (20, 16)}, clones),
    ('21_automatic:automatic', {}, {'input': ('f32', (21, 19))}, {'corners': (21, 19)}, lambda f: {'corners': corners(f)}, 1e-5),
]
