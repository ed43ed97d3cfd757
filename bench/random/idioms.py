"""Pipelines as real ones are, drawn at random, each with a schedule that both compilers take.

`draw(seed, number)` gives a program of `both.py` with more members: `idiom`, `lines` (the schedule), `size` (of the
output), `sizes` (of images: the interval of each dimension), `tolerance`.
"""
import math, random

import both
from both import V, consumers_of

X, Y, C, R, S = V('x'), V('y'), V('c'), V('r'), V('s')
REGISTER = {'u8': 64, 'u16': 32, 'i16': 32, 'i32': 16, 'u32': 16, 'f32': 16}
MARGIN = 448  # of an image without a boundary condition
BOUNDARY = ['edge', 'edge', 'mirror', 'zero', 'none']


def call(f, *at): return ('call', f, *at)
def cast(type, e): return ('cast', type, e)
def part(f, i, *at): return ('part', call(f, *at), i)
def fold(op, terms):
    total = terms[0]
    for term in terms[1:]:
        total = (op, total, term)
    return total


def add(*terms): return fold('+', terms)
def mul(a, b): return ('*', a, b)
def sub(a, b): return ('-', a, b)
def at(v, k): return ('+', v, k) if k > 0 else ('-', v, -k) if k else v
def clamp(e, low, high): return ('max', ('min', e, high), low)
def absd(a, b): return ('-', ('max', a, b), ('min', a, b))


class Program(both.Program):
    def __init__(self, r, width=None, height=None):
        super().__init__()
        self.lines, self.tolerance, self.sizes = [], 0, {}
        self.width, self.height = width or r.choice([640, 1000, 1280, 1531]), height or r.choice([480, 720, 853, 1080])
        self.size = [self.width, self.height]

    def picture(self, r, type, name='input', scale=1.0, **named):
        """An image as large as the output times a scale, with a boundary condition or a margin."""
        boundary = r.choice(BOUNDARY)
        self.image(name, type, named.get('dimensions', 2), boundary, named.get('interleaved', False))
        margin = MARGIN if boundary == 'none' else 0
        self.sizes[name] = [(-margin, int(n * scale) + 2 * margin) for n in (self.width, self.height)] + ([(0, 3)] if named.get('dimensions') == 3 else [])
        return lambda *index: call(name, *index)

    def say(self, *line):
        self.lines.append(line)

    def type(self, name):
        f = self.named(name)
        return both.type_of(self, f, both.pure_part(f, 0)) or 'i32'

    def vectorize(self, f, v, stage=0, k=None, tail='round-up'):
        k = k or REGISTER[self.type(f)]
        self.say('split', f, stage, v, v + 'o', v + 'v', k, tail)
        self.say('vectorize', f, stage, v + 'v')

    def floats(self, tolerance):
        self.contraction, self.tolerance = True, tolerance


# ---- schedules of pictures ----

def widths(p, r, f):
    """A vector's lanes for a func: those of a register, or half or twice as many."""
    return max(8, min(64, int(REGISTER[p.type(f)] * r.choice([0.5, 1, 1, 1, 2]))))


def schedule_out(p, r, colours=''):
    """The loops of the output; the loops in which producers can be computed: outer and inner."""
    k = widths(p, r, 'out')
    kind = r.choice(['rows', 'strips', 'strips', 'tiles', 'tiles', 'columns'])
    if colours:
        p.say('bound', 'out', 'c', 3)
    outer, inner = None, 'yi'
    if kind in ('tiles', 'columns'):
        tall = r.choice([8, 16, 32, 64]) if kind == 'tiles' else r.choice([96, 128, 240])
        wide = k * r.choice([2, 4, 8]) if kind == 'tiles' else max(128, k * r.choice([2, 4, 8]))
        p.say('split', 'out', 0, 'x', 'xt', 'xi', wide, 'shift-inwards')
        p.say('split', 'out', 0, 'y', 'yt', 'yi', tall, 'shift-inwards')
        p.say('split', 'out', 0, 'xi', 'xo', 'xv', k, 'shift-inwards')
        outer = 'xt'
        order = ['xv', 'xo', *colours, 'yi', 'xt', 'yt']
    else:
        if kind == 'strips':
            p.say('split', 'out', 0, 'y', 'yt', 'yi', r.choice([8, 16, 32, 64]), 'shift-inwards')
            outer = 'yt'
        else:
            inner = 'y'
        p.say('split', 'out', 0, 'x', 'xo', 'xv', k, 'shift-inwards')
        order = ['xv', 'xo', *colours, inner] + (['yt'] if outer else [])
    if colours and r.random() < 0.6:
        order.remove('c')
        order.insert(1, 'c')
        p.say('unroll', 'out', 0, 'c')
    p.say('vectorize', 'out', 0, 'xv')
    if r.random() < 0.3 and kind in ('tiles', 'columns'):
        p.say('split', 'out', 0, 'xo', 'xoo', 'xu', 2, 'guard')
        p.say('unroll', 'out', 0, 'xu')
        order[order.index('xo'):order.index('xo') + 1] = ['xu', 'xoo']
    p.say('reorder', 'out', 0, *order)
    if outer and r.random() < 0.5:
        p.say('parallel', 'out', 0, order[-1])
    return outer, inner


def weight(expr):
    return 1 + sum(weight(e) for e in expr) if isinstance(expr, (tuple, list)) else 0


def schedule_producers(p, r, levels, cheap=12):
    """Places each func of pure stages before the output: inline, at root, in a tile, or sliding along its rows."""
    outer, inner = levels
    placed = {'out': 'inner'}  # what consumers of a func are computed in
    for f in reversed(p.funcs[:-1]):
        if f.name in {line[1] for line in p.lines if line[0] in ('compute-root', 'compute-at', 'inline')}:
            placed[f.name] = 'root'
            continue
        consumers = consumers_of(p, f.name)
        seen = {placed[g.name] for g in consumers}
        plain = not isinstance(f.pure, list) and not f.lets
        reads = sum(c[1] == f.name for g in p.funcs for c in both.calls_in(g))
        if plain and weight(f.pure) <= cheap and reads <= 4 and r.random() < 0.6:
            p.say('inline', f.name)
            placed[f.name] = min(seen, key=['root', 'outer', 'inner'].index)
            continue
        ways = ['root']
        if 'root' not in seen:
            ways += ['outer'] * 2 if outer else []
            if 'outer' not in seen:
                ways += ['inner'] * 2 + ['slide'] * 3
        way = r.choice(ways)
        if way == 'root':
            p.say('compute-root', f.name)
        else:
            p.say('compute-at', f.name, 'out', 0, outer if way == 'outer' else inner)
            if way == 'slide':
                p.say('store-at', f.name, 'out', 0, outer) if outer else p.say('store-root', f.name)
        placed[f.name] = {'slide': 'inner'}.get(way, way)
        p.vectorize(f.name, 'x', k=widths(p, r, f.name))


def schedule(p, r, colours=''):
    schedule_producers(p, r, schedule_out(p, r, colours))


# ---- idioms on pictures ----

def taps(r, n):
    return [r.choice([1, 2, 3, 4, 5, 6]) for _ in range(n)]


def stencil(p, r):
    t = r.choice(['u8', 'u16', 'f32'])
    source = p.picture(r, t)
    k, w = r.choice([1, 1, 2]), {'u8': 'u16', 'u16': 'i32', 'f32': 'f32'}[t]
    last = lambda x, y: cast(w, source(x, y)) if w != t else source(x, y)
    stages = r.choice([1, 1, 2, 3])
    for i in range(stages):
        cells = [(a, b) for a in range(-k, k + 1) for b in range(-k, k + 1) if r.random() < 0.6] or [(0, 0)]
        ws = taps(r, len(cells))
        total = add(*(mul(last(at(X, a), at(Y, b)), float(n) if w == 'f32' else n) for (a, b), n in zip(cells, ws)))
        e = mul(total, 1.0 / sum(ws)) if w == 'f32' else ('/', total, r.choice([sum(ws), 1 << sum(ws).bit_length()]))
        name = 'out' if i == stages - 1 else f's{i}'
        p.func(name, 'xy', e if name != 'out' or w == t else cast(t, e))
        last = lambda x, y, name=name: call(name, x, y)
    if w == 'f32':
        p.floats(1e-4)
    schedule(p, r)


def separable(p, r):
    t = r.choice(['u8', 'u16', 'f32'])
    source = p.picture(r, t)
    k = r.choice([1, 2, 3, 4])
    ws = taps(r, k + 1)
    tap = [ws[abs(i)] for i in range(-k, k + 1)]
    if t == 'f32':
        p.floats(1e-4)
        tap = [n / sum(tap) for n in tap]
    wide = lambda *index: source(*index) if t == 'f32' else cast('u16' if t == 'u8' else 'i32', source(*index))
    along = lambda f, v: add(*(mul(f(i), n) for i, n in zip(range(-k, k + 1), tap)))
    scale = lambda e: e if t == 'f32' else ('/', e, sum(tap))
    first, second = r.choice([('x', 'y'), ('y', 'x')])
    move = lambda f, v: lambda i: f(at(X, i), Y) if v == 'x' else f(X, at(Y, i))
    p.func('first', 'xy', scale(along(move(wide, first), first)))
    e = scale(along(move(lambda *i: call('first', *i), second), second))
    if r.random() < 0.4:  # unsharp mask
        p.func('blurred', 'xy', e)
        a, b = wide(X, Y), call('blurred', X, Y)
        e = sub(mul(a, 2.0), b) if t == 'f32' else sub(cast('i32', mul(a, 2)), cast('i32', b))
        e = e if t == 'f32' else ('sat', t, e)
    elif t != 'f32':
        e = cast(t, e)
    p.func('out', 'xy', e)
    schedule(p, r)


def pyramid(p, r):
    t = r.choice(['f32', 'f32', 'i32'])
    source = p.picture(r, t if t == 'f32' else 'u8')
    levels = r.choice([1, 2, 3, 4])
    p.func('g0', 'xy', source(X, Y) if t == 'f32' else cast('i32', source(X, Y)))
    mean = lambda e, n: mul(e, 1.0 / n) if t == 'f32' else ('/', e, n)
    for i in range(levels):
        f = lambda x, y: call(f'g{i}', x, y)
        two = lambda v, k: at(mul(v, 2), k)
        if r.random() < 0.5:
            p.func(f'g{i + 1}', 'xy', mean(add(*(f(two(X, a), two(Y, b)) for a in (0, 1) for b in (0, 1))), 4))
        else:
            p.func(f'h{i}', 'xy', mean(add(f(two(X, -1), Y), mul(f(two(X, 0), Y), 2.0 if t == 'f32' else 2), f(two(X, 1), Y)), 4))
            h = lambda y: call(f'h{i}', X, y)
            p.func(f'g{i + 1}', 'xy', mean(add(h(two(Y, -1)), mul(h(two(Y, 0)), 2.0 if t == 'f32' else 2), h(two(Y, 1))), 4))
    last = f'g{levels}'
    for i in reversed(range(levels)):
        half = lambda v, k: ('/', at(v, k), 2)
        up = mean(add(call(last, half(X, 0), half(Y, 0)), call(last, half(X, 1), half(Y, 0)),
                      call(last, half(X, 0), half(Y, 1)), call(last, half(X, 1), half(Y, 1))), 4)
        last = f'u{i}' if i else 'out'
        detail = call(f'g{i}', X, Y)
        p.func(last, 'xy', add(up, mean(sub(detail, up), 2) if r.random() < 0.5 else mul(detail, 0.25 if t == 'f32' else 3)))
    if t == 'f32':
        p.floats(1e-4)
    schedule_out(p, r)
    for f in p.funcs[:-1]:
        if f.name == 'g0' or (f.name[0] == 'h' and r.random() < 0.3):
            p.say('inline', f.name)
            continue
        if f.name[0] == 'h':
            g = f'g{int(f.name[1:]) + 1}'
            p.say('compute-at', f.name, g, 0, 'y')
            if r.random() < 0.5:
                p.say('store-root', f.name)
        else:
            p.say('compute-root', f.name)
        p.vectorize(f.name, 'x', k=16, tail=r.choice(['round-up', 'guard']) if f.name[0] == 'h' else 'guard')


def resampled(p, r):
    a, b = r.choice([(3, 2), (2, 3), (5, 4), (1, 2), (2, 1), (3, 1), (7, 5)])
    t = r.choice(['u8', 'f32', 'u16'])
    source = p.picture(r, t, scale=a / b + 0.01)
    w = {'u8': 'i32', 'u16': 'i32', 'f32': 'f32'}[t]
    wide = lambda *i: source(*i) if w == t else cast(w, source(*i))
    base, rest = lambda v: ('/', mul(v, a), b), lambda v: ('%', mul(v, a), b)

    def mix(f, v):
        here, there = f(base(v)), f(('+', base(v), 1))
        if b == 1:
            return mul(add(here, there), 0.5) if w == 'f32' else ('/', add(here, there), 2)
        if w == 'f32':
            share = mul(cast('f32', rest(v)), 1.0 / b)
            return add(here, mul(sub(there, here), share))
        return ('/', add(mul(here, sub(b, rest(v))), mul(there, rest(v))), b)
    p.func('across', 'xy', mix(lambda x: wide(x, Y), X))
    e = mix(lambda y: call('across', X, y), Y)
    p.func('out', 'xy', e if w == t else cast(t, e))
    if w == 'f32':
        p.floats(1e-3)
    schedule(p, r)


def gathered(p, r):
    """A turn or a lens: positions are computed, reads are gathers."""
    p.floats(1e-2)
    source = p.picture(r, 'f32')
    p.images[-1].boundary = 'edge'
    p.sizes['input'] = [(0, p.width), (0, p.height)]
    fx, fy = cast('f32', X), cast('f32', Y)
    c, s = r.choice([(0.9921875, 0.125), (0.5, -0.5), (1.0, 0.0625)])  # exact, so both compilers read the same points
    p.func('px', 'xy', clamp(add(mul(fx, c), mul(fy, s), -3.5), 0.0, float(p.width - 2)))
    p.func('py', 'xy', clamp(add(mul(fy, c), mul(fx, -s), 2.25), 0.0, float(p.height - 2)))
    ix, iy = cast('i32', call('px', X, Y)), cast('i32', call('py', X, Y))
    if r.random() < 0.5:
        p.func('out', 'xy', source(ix, iy))
    else:
        dx, dy = sub(call('px', X, Y), cast('f32', ix)), sub(call('py', X, Y), cast('f32', iy))
        top = add(source(ix, iy), mul(dx, sub(source(at(ix, 1), iy), source(ix, iy))))
        low = add(source(ix, at(iy, 1)), mul(dx, sub(source(at(ix, 1), at(iy, 1)), source(ix, at(iy, 1)))))
        p.func('out', 'xy', add(top, mul(dy, sub(low, top))))
    schedule(p, r)


def transposed(p, r):
    t = r.choice(['u8', 'u16', 'f32', 'i32'])
    p.width, p.height = p.height, p.width
    source = p.picture(r, t)
    p.width, p.height = p.height, p.width
    k = r.choice([4, 8, 16, 32])
    if r.random() < 0.5:
        p.func('out', 'xy', source(Y, X))
    else:
        p.func('f', 'xy', add(source(X, Y), source(at(X, 1), Y)) if t in ('f32', 'i32') else ('max', source(X, Y), source(at(X, 1), Y)))
        p.func('out', 'xy', call('f', Y, X))
    p.say('tile', 'out', 0, 'x', 'y', 'xo', 'yo', 'xi', 'yi', k, r.choice([4, 8, 16]), 'shift-inwards')
    p.say('vectorize', 'out', 0, 'xi')
    if r.random() < 0.7:
        p.say('unroll', 'out', 0, 'yi')
    if len(p.funcs) == 2:
        p.say('compute-root', 'f') if r.random() < 0.5 else p.say('compute-at', 'f', 'out', 0, 'xo')
        p.vectorize('f', 'x', k=k)


def network(r, n):
    """The exchanges of a sorting network, those of odd and even merges."""
    exchanges, p = [], 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (p * 2) == (i + j + k) // (p * 2):
                        exchanges.append((i + j, i + j + k))
            k //= 2
        p *= 2
    return exchanges


def sorting(p, r):
    t = r.choice(['u8', 'u8', 'u16', 'f32'])
    source = p.picture(r, t)
    way = r.choice(['square', 'square', 'columns', 'cross', 'line'])

    def sort(values, name):
        lets, names = [], [f'{name}{i}' for i in range(len(values))]
        lets += list(zip(names, values))
        for step, (i, j) in enumerate(network(r, len(values))):
            low, high = f'{name}l{step}', f'{name}h{step}'
            lets += [(low, ('min', ('let', names[i]), ('let', names[j]))), (high, ('max', ('let', names[i]), ('let', names[j])))]
            names[i], names[j] = low, high
        return lets, [('let', n) for n in names]
    if way == 'columns':
        lets, sorted3 = sort([source(X, at(Y, i)) for i in (-1, 0, 1)], 'c')
        p.func('column', 'xy', sorted3, lets)
        col = lambda i, k: part('column', k, at(X, i), Y)
        low = ('max', ('max', col(-1, 0), col(0, 0)), col(1, 0))
        high = ('min', ('min', col(-1, 2), col(0, 2)), col(1, 2))
        mid = ('max', ('min', ('max', col(-1, 1), col(0, 1)), col(1, 1)), ('min', col(-1, 1), col(0, 1)))
        lets, e = sort([low, mid, high], 'm')
        p.func('out', 'xy', e[1], lets)
    else:
        cells = {'square': [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)],
                 'cross': [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)],
                 'line': [(i, 0) for i in range(-3, 4)]}[way]
        lets, e = sort([source(at(X, i), at(Y, j)) for i, j in cells], 'v')
        p.func('out', 'xy', e[r.choice([len(e) // 2, len(e) // 2, 1])], lets)
    schedule(p, r)


def morphology(p, r):
    t = r.choice(['u8', 'u16', 'f32'])
    source = p.picture(r, t)
    op, last, reach = r.choice(['min', 'max']), source, 1
    count = r.choice([1, 2, 3])
    for v in 'xy':
        for i in range(count):
            step = (lambda x, y, k: (at(x, k), y)) if v == 'x' else (lambda x, y, k: (x, at(y, k)))
            e = (op, last(X, Y), last(*step(X, Y, 1 << i)))
            name = f'm{v}{i}'
            p.func(name, 'xy', e)
            last = lambda x, y, name=name: call(name, x, y)
    e = last(X, Y) if r.random() < 0.5 else absd(last(X, Y), source(X, Y))
    p.func('out', 'xy', e)
    schedule(p, r)


def corners(p, r):
    p.floats(1e-3)
    source = p.picture(r, 'f32')
    gx = lambda y: sub(source(at(X, 1), y), source(at(X, -1), y))
    p.func('ix', 'xy', mul(add(gx(at(Y, -1)), mul(gx(Y), 2.0), gx(at(Y, 1))), 0.125))
    gy = lambda x: sub(source(x, at(Y, 1)), source(x, at(Y, -1)))
    p.func('iy', 'xy', mul(add(gy(at(X, -1)), mul(gy(X), 2.0), gy(at(X, 1))), 0.125))
    box = lambda a, b: add(*(mul(call(a, at(X, i), at(Y, j)), call(b, at(X, i), at(Y, j))) for i in (-1, 0, 1) for j in (-1, 0, 1)))
    p.func('xx', 'xy', box('ix', 'ix'))
    p.func('yy', 'xy', box('iy', 'iy'))
    p.func('xy', 'xy', box('ix', 'iy'))
    f = lambda n: call(n, X, Y)
    if r.random() < 0.5:
        trace = add(f('xx'), f('yy'))
        p.func('out', 'xy', sub(sub(mul(f('xx'), f('yy')), mul(f('xy'), f('xy'))), mul(mul(trace, trace), 0.04)))
    else:
        d = sub(f('xx'), f('yy'))
        p.func('out', 'xy', sub(add(f('xx'), f('yy')), ('sqrt', add(mul(d, d), mul(mul(f('xy'), f('xy')), 4.0)))))
    schedule(p, r)


def demosaic(p, r):
    source = p.picture(r, 'u16')
    raw = lambda x, y: cast('i32', source(x, y))
    even = lambda v: ('==', ('%', v, 2), 0)
    p.func('g', 'xy', ('select', even(('+', X, Y)), raw(X, Y),
                       ('/', add(raw(at(X, -1), Y), raw(at(X, 1), Y), raw(X, at(Y, -1)), raw(X, at(Y, 1))), 4)))
    p.func('d', 'xy', sub(raw(X, Y), call('g', X, Y)))
    p.func('red', 'xy', ('select', even(Y), ('select', even(X), call('d', X, Y), ('/', add(call('d', at(X, -1), Y), call('d', at(X, 1), Y)), 2)),
                         ('/', add(call('d', X, at(Y, -1)), call('d', X, at(Y, 1))), 2)))
    p.func('out', 'xy', ('sat', 'u16', add(call('g', X, Y), call('red', X, Y))))
    schedule(p, r)


def colour(p, r):
    interleaved = r.random() < 0.4
    t = r.choice(['u8', 'f32']) if not interleaved else 'u8'
    p.floats(1.01 if t == 'u8' else 1e-3)
    p.image('input', t, 3, 'none', interleaved)
    p.sizes['input'] = [(0, p.width), (0, p.height), (0, 3)]
    p.size = [p.width, p.height, 3]
    value = lambda c: mul(cast('f32', call('input', X, Y, c)), 1 / 255.0) if t == 'u8' else call('input', X, Y, c)
    p.interleaved = interleaved
    way = r.choice(['matrix', 'gamma', 'tone', 'yuv', 'saturation'])
    m = [[r.randint(-4, 12) / 8 for _ in range(3)] for _ in range(3)]
    if way == 'matrix':
        e = lambda n: add(*(mul(value(i), m[n][i]) for i in range(3)))
        p.func('mixed', 'xyc', ('select', ('==', C, 0), e(0), ('select', ('==', C, 1), e(1), e(2))))
    elif way == 'gamma':
        p.func('mixed', 'xyc', ('pow', ('max', value(C), 1e-4), 1 / 2.2))
    elif way == 'tone':
        p.func('grey', 'xy', add(mul(value(0), 0.299), mul(value(1), 0.587), mul(value(2), 0.114)))
        p.func('mixed', 'xyc', mul(value(C), sub(1.0, ('exp', mul(call('grey', X, Y), -2.5)))))
    elif way == 'yuv':
        p.func('grey', 'xy', add(mul(value(0), 0.299), mul(value(1), 0.587), mul(value(2), 0.114)))
        g = call('grey', X, Y)
        p.func('mixed', 'xyc', ('select', ('==', C, 0), g, ('select', ('==', C, 1), mul(sub(value(2), g), 0.564), mul(sub(value(0), g), 0.713))))
    else:
        p.func('low', 'xy', ('min', ('min', value(0), value(1)), value(2)))
        p.func('high', 'xy', ('max', ('max', value(0), value(1)), value(2)))
        p.func('mixed', 'xyc', ('/', sub(value(C), call('low', X, Y)), add(sub(call('high', X, Y), call('low', X, Y)), 0.01)))
    last = call('mixed', X, Y, C)
    p.func('out', 'xyc', cast('u8', add(mul(clamp(last, 0.0, 1.0), 255.0), 0.5)) if t == 'u8' else last)
    if interleaved:
        # as one writes it: the three channels of a vector of pixels at a time
        k = r.choice([8, 16, 16, 32])
        p.say('bound', 'out', 'c', 3)
        p.say('split', 'out', 0, 'x', 'xo', 'xv', k, 'shift-inwards')
        p.say('reorder', 'out', 0, 'c', 'xv', 'xo', 'y')
        p.say('unroll', 'out', 0, 'c')
        p.say('vectorize', 'out', 0, 'xv')
        for f in p.funcs[:-1]:
            p.say('inline', f.name)
        return
    p.say('inline', 'mixed')
    schedule(p, r, 'c')


def table(p, r):
    p.floats(1.01)
    source = p.picture(r, 'u8')
    n = cast('f32', X)
    p.func('lut', 'x', cast('u8', clamp(add(mul(('pow', mul(n, 1 / 255.0), r.choice([0.45, 2.2])), 255.0), 0.5), 0.0, 255.0)))
    p.say('compute-root', 'lut')
    p.vectorize('lut', 'x', k=16)
    k = cast('i32', source(X, Y))
    if r.random() < 0.5:
        p.func('out', 'xy', call('lut', k))
    else:
        p.func('mean', 'xy', cast('u8', ('/', add(cast('u16', source(X, Y)), cast('u16', source(at(X, 1), Y))), 2)))
        p.func('out', 'xy', ('max', call('lut', cast('i32', call('mean', X, Y))), source(X, Y)))
    schedule(p, r)


# ---- reductions ----

def histogram(p, r):
    p.image('input', 'u8', 2)
    p.sizes['input'] = [(0, p.width), (0, p.height)]
    bins = r.choice([256, 64])
    bin_of = lambda x, y: cast('i32', call('input', x, y)) if bins == 256 else ('/', cast('i32', call('input', x, y)), 4)
    p.func('hist', 'x', cast('i32', 0)).update([bin_of(R, S)], ('+', call('hist', bin_of(R, S)), 1), [('r', 0, p.width), ('s', 0, p.height)])
    p.func('cdf', 'x', call('hist', X)).update([R], add(call('cdf', sub(R, 1)), call('cdf', R)), [('r', 1, bins - 1)])
    p.func('lut', 'x', cast('u8', ('/', mul(call('cdf', X), 255 // 4 * 4 // 8), p.width * p.height // 8)))
    p.func('out', 'xy', call('lut', bin_of(X, Y)))
    for f in ('hist', 'cdf'):
        p.say('compute-root', f)
    p.vectorize('hist', 'x', tail='guard')
    p.say('compute-root', 'lut') if r.random() < 0.6 else p.say('inline', 'lut')
    if p.lines[-1][0] != 'inline':
        p.vectorize('lut', 'x', tail='guard')
    schedule_out(p, r)


def box_table(p, r):
    """A summed-area table, or sums along one dimension, and what a box of it sums."""
    p.image('input', 'u8', 2, 'edge')
    p.sizes['input'] = [(0, p.width), (0, p.height)]
    f = lambda *i: cast('i32', call('input', *i))
    radius = r.choice([1, 3, 8])
    both_ways = r.random() < 0.5
    v = lambda a, b: call('sums', a, b)
    p.func('sums', 'xy', f(X, Y))
    down = ([X, R], add(v(X, sub(R, 1)), v(X, R)), [('r', 1, p.height - 1)])
    p.named('sums').update(*down)
    p.say('compute-root', 'sums')
    p.vectorize('sums', 'x')
    p.vectorize('sums', 'x', stage=1, tail='guard')
    if r.random() < 0.5:
        p.say('reorder', 'sums', 1, 'xv', 'xo', 'r')
    inside = lambda e, n: clamp(e, 0, n - 1)
    high, low = inside(at(Y, radius), p.height), inside(at(Y, -radius), p.height)
    if both_ways:
        p.named('sums').update([S, Y], add(v(sub(S, 1), Y), v(S, Y)), [('s', 1, p.width - 1)])
        right, left = inside(at(X, radius), p.width), inside(at(X, -radius), p.width)
        total = add(sub(v(right, high), v(left, high)), sub(v(left, low), v(right, low)))
        p.func('out', 'xy', ('/', total, 4 * radius * radius))
    else:
        p.func('out', 'xy', ('/', sub(v(X, high), v(X, low)), 2 * radius))
    schedule_out(p, r)


def recursive(p, r):
    p.floats(1e-3)
    p.width, p.height = r.choice([640, 1000]), r.choice([480, 720])
    p.size = [p.width, p.height]
    p.image('input', 'f32', 2)
    p.sizes['input'] = [(0, p.width), (0, p.height)]
    a = r.choice([0.5, 0.7, 0.9])
    b = round(1 - a, 3)
    n, f = p.height, lambda x, y: call('scan', x, y)
    p.func('scan', 'xy', call('input', X, Y))
    order = r.choice([1, 1, 2])
    past = [mul(f(X, sub(R, 1)), a)] if order == 1 else [mul(f(X, sub(R, 1)), a), mul(f(X, sub(R, 2)), -0.2)]
    p.named('scan').update([X, R], add(*past, mul(f(X, R), b)), [('r', order, n - order)])
    if r.random() < 0.6:
        back = lambda k: sub(n - 1 + k, R)
        p.named('scan').update([X, back(0)], add(mul(f(X, back(1)), a), mul(f(X, back(0)), b)), [('r', 1, n - 1)])
    turn = r.random() < 0.4
    if turn:
        p.size = [p.height, p.width]
    p.func('out', 'xy', f(Y, X) if turn else f(X, Y))
    k = r.choice([16, 32, 64])
    if turn:
        p.say('tile', 'out', 0, 'x', 'y', 'xo', 'yo', 'xi', 'yi', 16, k, 'shift-inwards')
        p.say('reorder', 'out', 0, 'xi', 'yi', 'xo', 'yo')
        p.say('vectorize', 'out', 0, 'xi')
        level = 'yo'
    else:
        p.say('split', 'out', 0, 'x', 'xo', 'xi', k, 'shift-inwards')
        p.say('reorder', 'out', 0, 'xi', 'y', 'xo')
        p.say('split', 'out', 0, 'xi', 'xu', 'xv', 16, 'guard')
        p.say('vectorize', 'out', 0, 'xv')
        level = 'xo'
    if r.random() < 0.7:
        p.say('compute-at', 'scan', 'out', 0, level)
        p.say('bound-extent', 'scan', 'x', k)
    else:
        p.say('compute-root', 'scan')
    p.vectorize('scan', 'x', tail='guard')
    for s in range(1, len(p.named('scan').updates) + 1):
        p.vectorize('scan', 'x', stage=s, tail='guard')
        if r.random() < 0.7 and ('bound-extent', 'scan', 'x', k) in p.lines:
            p.say('reorder', 'scan', s, 'xv', 'xo', 'r')
            p.say('unroll', 'scan', s, 'xo')


def product(p, r):
    t = r.choice(['f32', 'f32', 'i32'])
    m, n, k = (r.choice([97, 128, 150, 200, 255, 300, 417]) for _ in range(3))
    source = 'f32' if t == 'f32' else r.choice(['u8', 'i16'])
    p.size = [m, n]
    turned = r.random() < 0.3
    p.image('a', source, 2)
    p.image('b', source, 2)
    p.sizes = {'a': [(0, n), (0, k)] if turned else [(0, k), (0, n)], 'b': [(0, m), (0, k)]}
    read = lambda *i: call(*i) if t == source else cast('i32', call(*i))
    p.func('acc', 'xy', 0.0 if t == 'f32' else cast('i32', 0))
    p.named('acc').update([X, Y], add(call('acc', X, Y), mul(read('a', Y, R) if turned else read('a', R, Y), read('b', X, R))), [('r', 0, k)])
    e = call('acc', X, Y)
    p.func('out', 'xy', r.choice([e, ('max', e, 0.0 if t == 'f32' else 0)]))
    if t == 'f32':
        p.floats(1e-3)
    xi, yi = r.choice([16, 32, 32]), r.choice([2, 4, 4, 6, 8])
    if r.random() < 0.75:
        p.say('tile', 'out', 0, 'x', 'y', 'xo', 'yo', 'xi', 'yi', xi, yi, 'shift-inwards')
        p.say('split', 'out', 0, 'xi', 'xu', 'xv', 16, 'guard')
        p.say('vectorize', 'out', 0, 'xv')
        p.say('unroll', 'out', 0, 'xu')
        p.say('unroll', 'out', 0, 'yi')
        p.say('compute-at', 'acc', 'out', 0, 'xo')
        p.say('bound-extent', 'acc', 'x', xi)
        p.say('bound-extent', 'acc', 'y', yi)
        for s in (0, 1):
            p.say('split', 'acc', s, 'x', 'xo', 'xv', 16, 'guard')
            p.say('vectorize', 'acc', s, 'xv')
            p.say('unroll', 'acc', s, 'xo')
            p.say('unroll', 'acc', s, 'y')
        p.say('reorder', 'acc', 1, 'xv', 'xo', 'y', 'r')
    else:
        p.vectorize('out', 'x', tail='shift-inwards')
        p.say('compute-at', 'acc', 'out', 0, 'y')
        p.vectorize('acc', 'x')
        p.vectorize('acc', 'x', stage=1, tail='guard')
        p.say('reorder', 'acc', 1, 'xv', 'xo', 'r', 'y')


def convolution(p, r):
    p.floats(1e-3)
    stride, taps_, channels, outs = r.choice([1, 2, 2, 3]), r.choice([1, 3, 3, 5]), r.choice([3, 8, 16]), r.choice([16, 24, 32])
    w, h = r.choice([56, 61, 112]), r.choice([56, 80])
    inner = r.random() < 0.5  # channels are dense
    p.image('input', 'f32', 3)
    p.image('weights', 'f32', 4)
    iw, ih = w * stride + taps_, h * stride + taps_
    K, A, B = V('k'), V('a'), V('b')
    domain = [('k', 0, channels), ('a', 0, taps_), ('b', 0, taps_)]
    at_x, at_y = add(mul(X, stride), A), add(mul(Y, stride), B)
    if inner:
        p.size, vs = [outs, w, h], 'cxy'
        p.sizes = {'input': [(0, channels), (0, iw), (0, ih)], 'weights': [(0, outs), (0, taps_), (0, taps_), (0, channels)]}
        term = mul(call('weights', C, A, B, K), call('input', K, at_x, at_y))
        here = [C, X, Y]
    else:
        p.size, vs = [w, h, outs], 'xyc'
        p.sizes = {'input': [(0, iw), (0, ih), (0, channels)], 'weights': [(0, taps_), (0, taps_), (0, channels), (0, outs)]}
        term = mul(call('weights', A, B, K, C), call('input', at_x, at_y, K))
        here = [X, Y, C]
    p.func('acc', vs, 0.0).update(here, add(call('acc', *here), term), domain)
    p.func('out', vs, ('max', call('acc', *here), 0.0))
    dense, next_ = vs[0], vs[1] if inner else 'c'
    n = r.choice([2, 4, 4, 7]) if inner else r.choice([2, 4, 8])
    k = 16 if dense == 'x' else r.choice([8, 16])
    p.say('tile', 'out', 0, dense, next_, 'do', 'no', 'di', 'ni', k, n, 'shift-inwards')
    p.say('vectorize', 'out', 0, 'di')
    p.say('unroll', 'out', 0, 'ni')
    p.say('compute-at', 'acc', 'out', 0, 'do')
    p.say('bound-extent', 'acc', dense, k)
    p.say('bound-extent', 'acc', next_, n)
    for s in (0, 1):
        p.say('vectorize', 'acc', s, dense)
        p.say('unroll', 'acc', s, next_)
    rest = [v for v in vs if v not in (dense, next_)]
    p.say('reorder', 'acc', 1, dense, next_, 'k', 'a', 'b', *rest)
    if taps_ <= 3 and r.random() < 0.4:
        p.say('unroll', 'acc', 1, 'a')


def pooling(p, r):
    t = r.choice(['u8', 'f32', 'u16'])
    s, k = r.choice([(2, 2), (2, 3), (3, 3)])
    source = p.picture(r, t, scale=s)
    if r.random() < 0.5:
        cells = [source(at(mul(X, s), i), at(mul(Y, s), j)) for i in range(k) for j in range(k)]
        p.func('out', 'xy', fold('max', cells))
    else:
        p.func('across', 'xy', fold('max', [source(at(mul(X, s), i), Y) for i in range(k)]))
        p.func('out', 'xy', fold('max', [call('across', X, at(mul(Y, s), j)) for j in range(k)]))
    schedule(p, r)


def butterflies(p, r):
    """A Fourier or a Hadamard transform of columns: each stage of exchanges is a func."""
    n, batch = 1 << r.choice([5, 6, 8]), r.choice([512, 1024, 2048])
    fourier = r.random() < 0.6
    B, I = V('b'), V('i')
    p.size, p.height, p.width = [batch, n], n, batch
    if fourier:
        p.floats(1e-3)
        p.func('wr', 'x', ('cos', mul(cast('f32', X), -2 * math.pi / n)))
        p.func('wi', 'x', ('sin', mul(cast('f32', X), -2 * math.pi / n)))
        for name in ('wr', 'wi'):
            p.say('compute-root', name)
    for name in ('re', 'im') if fourier else ('re',):
        p.image(name, 'f32' if fourier else 'i32', 2)
        p.sizes[name] = [(0, batch), (0, n)]
    read = lambda k, b, i: call(('re', 'im')[k], b, i)
    half = n // 2
    count, radix = int(math.log2(n)), 0
    names = []
    for s in range(count):
        # a decimation in frequency that sorts itself: i = block*2q + odd*q + rest
        q = 1 << s
        low = add(mul(('/', I, 2 * q), q), ('%', I, q))
        odd = ('==', ('%', ('/', I, q), 2), 0)
        name = f't{s}' if s < count - 1 else 'out'
        names.append(name)
        a, b = [read(k, B, low) for k in (0, 1)], [read(k, B, add(low, half)) for k in (0, 1)]
        if not fourier:
            p.func(name, 'bi', ('select', odd, add(a[0], b[0]), sub(a[0], b[0])))
            read = lambda k, b, i, name=name: call(name, b, i)
            continue
        w = mul(('/', I, 2 * q), q)
        wr, wi = call('wr', w), call('wi', w)
        dr, di = sub(a[0], b[0]), sub(a[1], b[1])
        parts = [('select', odd, add(a[0], b[0]), sub(mul(dr, wr), mul(di, wi))), ('select', odd, add(a[1], b[1]), add(mul(dr, wi), mul(di, wr)))]
        p.func(name, 'bi', parts if name != 'out' else add(mul(parts[0], parts[0]), mul(parts[1], parts[1])))
        read = lambda k, b, i, name=name: part(name, k, b, i)
    way = r.choice(['root', 'block'])
    p.say('split', 'out', 0, 'b', 'bo', 'bi', 16, 'shift-inwards')
    p.say('vectorize', 'out', 0, 'bi')
    p.say('reorder', 'out', 0, 'bi', 'i', 'bo')
    for name in names[:-1]:
        p.say('compute-at', name, 'out', 0, 'bo') if way == 'block' else p.say('compute-root', name)
        p.vectorize(name, 'b')
        if r.random() < 0.3:
            p.say('split', name, 0, 'i', 'io', 'iu', 4, 'guard')
            p.say('unroll', name, 0, 'iu')
    if r.random() < 0.5:
        p.say('split', 'out', 0, 'i', 'io', 'iu', r.choice([2, 4]), 'guard')
        p.say('unroll', 'out', 0, 'iu')
    p.say('bound', 'out', 'i', n)


def normalized(p, r):
    """A softmax, or mean and deviation, of columns: reductions over the outer dimension."""
    p.floats(1e-3)
    n, p.width = r.choice([10, 64, 100]), r.choice([5000, 10000, 20480])
    p.size = [p.width, n]
    p.image('input', 'f32', 2)
    p.sizes['input'] = [(0, p.width), (0, n)]
    f = lambda y: call('input', X, y)
    if r.random() < 0.5:
        p.func('most', 'x', -1e30).update([X], ('max', call('most', X), f(R)), [('r', 0, n)])
        e = lambda y: ('exp', sub(f(y), call('most', X)))
        p.func('e', 'xy', e(Y))
        p.func('total', 'x', 0.0).update([X], add(call('total', X), call('e', X, R)), [('r', 0, n)])
        p.func('out', 'xy', ('/', call('e', X, Y), call('total', X)))
        reductions, pure = ['most', 'total'], ['e']
    else:
        p.func('total', 'x', 0.0).update([X], add(call('total', X), f(R)), [('r', 0, n)])
        mean = mul(call('total', X), 1.0 / n)
        p.func('spread', 'x', 0.0).update([X], add(call('spread', X), mul(sub(f(R), mean), sub(f(R), mean))), [('r', 0, n)])
        p.func('out', 'xy', ('/', sub(f(Y), mean), ('sqrt', add(mul(call('spread', X), 1.0 / n), 1e-3))))
        reductions, pure = ['total', 'spread'], []
    k = r.choice([16, 32, 64])
    p.say('split', 'out', 0, 'x', 'xo', 'xi', k, 'shift-inwards')
    p.say('split', 'out', 0, 'xi', 'xu', 'xv', 16, 'guard')
    p.say('reorder', 'out', 0, 'xv', 'xu', 'y', 'xo')
    p.say('vectorize', 'out', 0, 'xv')
    way = r.random() < 0.7
    for name in reductions + pure:
        p.say('compute-at', name, 'out', 0, 'xo') if way else p.say('compute-root', name)
        p.vectorize(name, 'x')
    for name in reductions:
        p.vectorize(name, 'x', stage=1, tail='guard')
        if r.random() < 0.6:
            p.say('reorder', name, 1, 'xv', 'xo', 'r')


IDIOMS = [stencil, separable, pyramid, resampled, gathered, transposed, sorting, morphology, corners, demosaic, colour, table,
          histogram, box_table, recursive, product, convolution, pooling, butterflies, normalized]


def draw(seed, number):
    r = random.Random(f'{seed}/{number}')
    p = Program(r)
    idiom = r.choice(IDIOMS)
    idiom(p, r)
    p.idiom = idiom.__name__
    return p
