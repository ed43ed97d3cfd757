"""Idioms that reduce: sums, products of matrices, scans, transforms. Each adds funcs and a schedule to a program."""
import math

from program import *


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
