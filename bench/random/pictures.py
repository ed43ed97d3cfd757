"""Idioms of pictures: each adds funcs and a schedule to a program."""
from program import *


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
