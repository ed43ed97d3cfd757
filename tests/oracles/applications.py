"""What the programs of examples/applications/ compute, by plain loops. tests/support/oracle.py says how cases are written."""
import math

D4 = [0.482962913, 0.836516304, 0.224143868, -0.129409523]
HIGH = [D4[3], -D4[2], D4[1], -D4[0]]


def byte(v):
    """Rounds to the nearest whole number, halves to the even one, and saturates as u8."""
    return min(255, max(0, round(v)))


def within(v):
    return min(255, max(0, v))


def daubechies_back(f):
    """Each sample is the sum of the filters' taps that were laid on it."""
    w, h, _ = f.size
    result = {}
    for y in range(h):
        for k in range(-1, w + 1):
            for i in range(4):
                at = (2*k - 1 + i, y)
                result[at] = result.get(at, 0) + D4[i] * f.zero(k, y, 0) + HIGH[i] * f.zero(k, y, 1)
    return lambda x, y: result[x, y]


def nl_means(f, patch, search, sigma):
    def point(x, y, c):
        total = norm = 0
        for j in range(-search, search + 1):
            for i in range(-search, search + 1):
                d = sum((f.edge(x + u, y + v, k) - f.edge(x + i + u, y + j + v, k))**2
                        for v in range(-patch, patch + 1) for u in range(-patch, patch + 1) for k in range(3))
                weight = math.exp(-d / (sigma * sigma * 3 * (2*patch + 1)**2))
                total, norm = total + weight * f.edge(x + i, y + j, c), norm + weight
        return total / norm
    return point


def interpolate(f, levels):
    memo = {}

    def down(k, x, y, c):
        if (k, x, y, c) not in memo:
            if k == 0:
                value = f.edge(x, y, c) * f.edge(x, y, 3) if c < 3 else f.edge(x, y, 3)
            else:
                value = sum((2 - abs(i)) * (2 - abs(j)) * down(k - 1, 2*x + i, 2*y + j, c) for j in (-1, 0, 1) for i in (-1, 0, 1)) / 16
            memo[k, x, y, c] = value
        return memo[k, x, y, c]

    def up(k, x, y, c):
        if k == levels:
            return down(k, x, y, c)
        above = sum(up(k + 1, u, v, c) for v in (y // 2, (y + 1) // 2) for u in (x // 2, (x + 1) // 2)) / 4
        return down(k, x, y, c) + (1 - down(k, x, y, 3)) * above
    return lambda x, y, c: up(0, x, y, c) / up(0, x, y, 3)


def separable(f, deep, mix, bias):
    def point(o, x, y):
        total = bias[o,]
        for c in range(f.size[0]):
            total += mix[o, c] * sum(deep[c, i, j] * f.zero(c, x + i - 1, y + j - 1) for i in range(3) for j in range(3))
        return max(total, 0)
    return point


def linear_blur(f):
    def light(v):
        v /= 255
        return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055)**2.4

    def point(x, y, c):
        v = sum(light(f.edge(x + i, y + j, c)) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9
        return within(255 * (v * 12.92 if v <= 0.0031308 else 1.055 * v**(1 / 2.4) - 0.055))
    return point


def compositing(f, count):
    def times(a, b):
        return (a * b + 127) // 255
    rules = [lambda a, b: a, lambda a, b: min(a + b, 255), times, min, lambda a, b: a]

    def point(x, y, c):
        under, alpha = 255, 0
        for k in range(count):
            w = f[x, y, 3, k]
            under, alpha = (under * (255 - w) + rules[k](f[x, y, c, k], under) * w + 127) // 255, max(alpha, w)
        return alpha if c == 3 else under
    return point


def hist(f):
    w, h, _ = f.size
    luma = {(x, y): 0.299 * f[x, y, 0] + 0.587 * f[x, y, 1] + 0.114 * f[x, y, 2] for x in range(w) for y in range(h)}
    ranks = sorted(byte(v) for v in luma.values())

    def point(x, y, c):
        below = sum(r <= byte(luma[x, y]) for r in ranks)
        return within(below * 255 / (w * h) + f[x, y, c] - luma[x, y])
    return point


def reaction_diffusion(f, feed=0.037, kill=0.06):
    w, h, _ = f.size

    def point(x, y, c):
        def at(i, j, k=c):
            return f[(x + i) % w, (y + j) % h, k]
        around = 0.2 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) + 0.05 * (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) - at(0, 0)
        a, b = at(0, 0, 0), at(0, 0, 1)
        return a + around - a * b * b + feed * (1 - a) if c == 0 else b + around / 2 + a * b * b - (feed + kill) * b
    return point


def life(f):
    w, h = f.size

    def point(x, y):
        around = sum(f[(x + i) % w, (y + j) % h] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return int(around == 3 or around == 2 and f[x, y] == 1)
    return point


def shifted(v, n):
    """v / 2^n, rounded to the nearest, halves up."""
    return (v + (1 << n >> 1)) >> n


def add(a, b, a_zero, b_zero, a_multiplier, b_multiplier, zero):
    def point(*at):
        u = shifted(((a[at] - a_zero) << 20) * a_multiplier, 31)
        v = shifted(((b[at] - b_zero) << 20) * b_multiplier, 31)
        return min(255, max(0, shifted(u + v, 20) + zero))
    return point


def pools(f, k):
    def window(c, x, y):
        return [f[c, k*x + i, k*y + j] for i in range(k) for j in range(k)]
    return {'average': lambda *at: sum(window(*at)) // (k * k), 'greatest': lambda *at: max(window(*at))}


def conv(f, weights, bias, input_zero=128, multiplier=2**30, shift=6, zero=128):
    def point(o, x, y):
        total = bias[o,] + sum(weights[o, c, i, j] * (f[c, x + i, y + j] - input_zero)
                               for c in range(f.size[0]) for i in range(3) for j in range(3))
        return min(255, max(0, shifted(shifted(total * multiplier, 31), shift) + zero))
    return point


def vector(f):
    return [f[i,] for i in range(f.size[0])]


def norms(f):
    v = [abs(e) for e in vector(f)]
    return {'asum': lambda: sum(v), 'nrm2': lambda: math.sqrt(sum(e * e for e in v)), 'iamax': lambda: v.index(max(v))}


def gemv(a, x, y, alpha, beta, transposed):
    n = range(x.size[0])
    return lambda j: alpha * sum(a[(j, i) if transposed else (i, j)] * x[i,] for i in n) + beta * y[j,]


def solved(rows):
    """Of four equations with three right sides, by elimination with the greatest pivot."""
    rows = [list(r) for r in rows]
    for p in range(4):
        best = max(range(p, 4), key=lambda i: abs(rows[i][p]))
        rows[p], rows[best] = rows[best], rows[p]
        for i in range(4):
            if i != p:
                scale = rows[i][p] / rows[p][p]
                rows[i] = [u - scale * v for u, v in zip(rows[i], rows[p])]
    return [[rows[i][4 + c] / rows[i][i] for c in range(3)] for i in range(4)]


def bgu(small, wanted, f, factor, cell, levels, prior=0.01):
    def luma(g, x, y):
        return g.edge(x, y, 0) / 4 + g.edge(x, y, 1) / 2 + g.edge(x, y, 2) / 4
    sums, maps = {}, {}

    def gathered(x, y):
        """Of a column of cells, by level: the sums of the four equations."""
        if (x, y) not in sums:
            column = {}
            for u in range(cell * x, cell * x + cell):
                for v in range(cell * y, cell * y + cell):
                    z = min(levels, max(0, round(luma(small, u, v) * levels)))
                    left, right = [small.edge(u, v, c) for c in range(3)] + [1], [wanted.edge(u, v, c) for c in range(3)]
                    rows = column.setdefault(z, [[0] * 7 for _ in range(4)])
                    for i in range(4):
                        for j in range(7):
                            rows[i][j] += left[i] * (left + right)[j]
            sums[x, y] = column
        return sums[x, y]

    def fitted(x, y, z):
        if (x, y, z) not in maps:
            rows = [[prior * (j == i or j == i + 4 and i < 3) for j in range(7)] for i in range(4)]
            for u, v, t in ((u, v, t) for u in (-1, 0, 1) for v in (-1, 0, 1) for t in (-1, 0, 1)):
                near = gathered(x + u, y + v).get(z + t)
                for i in range(4 if near else 0):
                    for j in range(7):
                        rows[i][j] += (2 - abs(u)) * (2 - abs(v)) * (2 - abs(t)) / 64 * near[i][j]
            maps[x, y, z] = solved(rows)
        return maps[x, y, z]

    def point(x, y, c):
        side = cell * factor
        u, v = (x + 0.5) / side - 0.5, (y + 0.5) / side - 0.5
        height = min(1, max(0, luma(f, x, y))) * levels
        x0, y0, z0 = math.floor(u), math.floor(v), min(levels - 1, math.floor(height))
        total = 0
        for i, j, k in ((i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)):
            weight = (1 - abs(u - x0 - i)) * (1 - abs(v - y0 - j)) * (1 - abs(height - z0 - k))
            matrix = fitted(x0 + i, y0 + j, z0 + k)
            total += weight * (sum(matrix[n][c] * f[x, y, n] for n in range(3)) + matrix[3][c])
        return total
    return point


def lens_blur(left, right, reach, most, focus, aperture):
    memo = {}

    def radius(x, y):
        if (x, y) not in memo:
            costs = [sum(abs(left.edge(x + i, y + j, c) - right.edge(x + i - d, y + j, c))
                         for j in range(-2, 3) for i in range(-2, 3) for c in range(3)) for d in range(most)]
            memo[x, y] = min(reach, max(0.5, abs(costs.index(min(costs)) - focus) * aperture))
        return memo[x, y]

    def point(x, y, c):
        total = norm = 0
        for j in range(-reach, reach + 1):
            for i in range(-reach, reach + 1):
                r = radius(x + i, y + j)
                if i * i + j * j <= r * r:
                    total, norm = total + left.edge(x + i, y + j, c) / (r * r), norm + 1 / (r * r)
        return within(total / norm)
    return point


def max_filter(f, radius):
    disc = [(i, j) for i in range(-radius, radius + 1) for j in range(-radius, radius + 1) if i * i + j * j <= radius * radius + 0.25]
    return lambda x, y: max(f.edge(x + i, y + j) for i, j in disc)


def stencil_chain(f, stages):
    memo = {}

    def stage(k, x, y):
        if k == 0:
            return f.edge(x, y)
        if (k, x, y) not in memo:
            near = [(i, j) for i in range(-2, 3) for j in range(-2, 3)]
            memo[k, x, y] = sum((i + 3) * (j + 3) * stage(k - 1, x + i, y + j) for i, j in near) % 65536
        return memo[k, x, y]
    return lambda x, y: stage(stages, x, y)


def iir_blur(f, alpha):
    w, h, n = f.size

    def both(line):
        line = list(line)
        for i in range(1, len(line)):
            line[i] = (1 - alpha) * line[i - 1] + alpha * line[i]
        for i in range(len(line) - 2, -1, -1):
            line[i] = (1 - alpha) * line[i + 1] + alpha * line[i]
        return line
    down = [[both(f[x, y, c] for y in range(h)) for x in range(w)] for c in range(n)]
    along = [[both(down[c][x][y] for x in range(w)) for y in range(h)] for c in range(n)]
    return lambda x, y, c: along[c][y][x]


def out(function):
    return lambda *inputs, **k: {'out': function(*inputs, **k)}


F, COLOUR = lambda *size: ('f32', size), ('u8', (21, 11, 3))
CASES = [
    *(('max_filter:max_filter', {'radius': r}, {'input': ('u8', (19, 17))}, {'out': (19, 17)}, out(max_filter)) for r in (1, 6, 11)),
    ('stencil_chain:stencil_chain', {'stages': 3}, {'input': ('u16', (19, 17))}, {'out': (19, 17)}, out(stencil_chain)),
    ('iir_blur:iir_blur', {'alpha': 0.3}, {'input': F(19, 17, 2)}, {'out': (19, 17, 2)}, out(iir_blur), 1e-6),
    ('bgu:bgu', {'factor': 2, 'cell': 4, 'levels': 4}, {'small': F(10, 9, 3), 'wanted': F(10, 9, 3), 'input': F(20, 18, 3)},
     {'out': (20, 18, 3)}, out(bgu), 2e-4),
    ('lens_blur:lens_blur', {'reach': 3, 'most': 6, 'focus': 2, 'aperture': 0.7}, {'left': ('u8', (17, 9, 3)), 'right': ('u8', (17, 9, 3))},
     {'out': (17, 9, 3)}, out(lens_blur), 'rounded'),
    ('wavelet:haar', {}, {'input': F(21, 5)}, {'out': (11, 5, 2)},
     out(lambda f: lambda x, y, c: (f.zero(2*x, y) + (-1)**c * f.zero(2*x + 1, y)) / 2), 1e-6),
    ('wavelet:haar_back', {}, {'input': F(11, 5, 2)}, {'out': (22, 5)},
     out(lambda f: lambda x, y: f[x // 2, y, 0] + (-1)**(x % 2) * f[x // 2, y, 1]), 1e-6),
    ('wavelet:daubechies', {}, {'input': F(21, 5)}, {'out': (11, 5, 2)},
     out(lambda f: lambda x, y, c: sum((D4, HIGH)[c][i] * f.zero(2*x - 1 + i, y) for i in range(4))), 1e-6),
    ('wavelet:daubechies_back', {}, {'input': F(11, 5, 2)}, {'out': (22, 5)}, out(daubechies_back), 1e-6),
    ('nl_means:nl_means', {'patch': 1, 'search': 2, 'sigma': 0.3}, {'input': F(13, 10, 3)}, {'out': (13, 10, 3)}, out(nl_means), 1e-5),
    ('interpolate:interpolate', {'levels': 3}, {'input': F(21, 13, 4)}, {'out': (21, 13, 3)}, out(interpolate), 1e-5),
    ('depthwise_separable_conv:depthwise_separable_conv', {},
     {'input': F(8, 9, 5), 'depthwise': F(8, 3, 3), 'pointwise': F(16, 8), 'bias': F(16)}, {'out': (16, 9, 5)}, out(separable), 1e-5),
    ('linear_blur:linear_blur', {}, {'input': COLOUR}, {'out': (21, 11, 3)}, out(linear_blur), 'rounded'),
    ('compositing:compositing', {'count': 5}, {'layers': ('u8', (21, 7, 4, 5))}, {'out': (21, 7, 4)}, out(compositing)),
    ('compositing:compositing', {'count': 2}, {'layers': ('u8', (21, 7, 4, 2))}, {'out': (21, 7, 4)}, out(compositing)),
    ('hist:hist', {}, {'input': COLOUR}, {'out': (21, 11, 3)}, out(hist), 'rounded'),
    ('reaction_diffusion:reaction_diffusion', {'feed': 0.03, 'kill': 0.06}, {'input': F(21, 13, 2)}, {'out': (21, 13, 2)},
     out(reaction_diffusion), 1e-6),
    ('reaction_diffusion:life', {}, {'input': (('u8', 0, 1), (21, 13))}, {'out': (21, 13)}, out(life)),
    ('quantized:add', {'a_zero': 120, 'b_zero': 3, 'a_multiplier': 1503238554, 'b_multiplier': 751619277, 'zero': 100},
     {'a': ('u8', (16, 5, 3)), 'b': ('u8', (16, 5, 3))}, {'out': (16, 5, 3)}, out(add)),
    ('quantized:pools', {'k': 3}, {'input': ('u8', (16, 12, 9))}, {'average': (16, 4, 3), 'greatest': (16, 4, 3)}, pools),
    ('quantized:conv', {'input_zero': 100, 'shift': 5}, {'input': ('u8', (6, 11, 7)), 'filter': ('i8', (16, 6, 3, 3)), 'bias': (('i32', -9999, 9999), (16,))},
     {'out': (16, 9, 5)}, out(conv)),
    ('blas:axpy', {'a': 1.5}, {'x': F(37), 'y': F(37)}, {'out': (37,)}, out(lambda x, y, a: lambda i: a * x[i,] + y[i,]), 1e-6),
    ('blas:dot', {}, {'x': F(137), 'y': F(137)}, {'out': ()}, out(lambda x, y: lambda: sum(a * b for a, b in zip(vector(x), vector(y)))), 1e-5),
    ('blas:norms', {}, {'x': F(137)}, {'asum': (), 'nrm2': (), 'iamax': ()}, norms, 1e-5),
    ('blas:gemv', {'alpha': 1.5, 'beta': 0.25}, {'a': F(37, 21), 'x': F(37), 'y': F(21)}, {'out': (21,)},
     out(lambda *i, **k: gemv(*i, **k, transposed=False)), 1e-5),
    ('blas:gemv_transposed', {'alpha': 1.5, 'beta': 0.25}, {'a': F(37, 21), 'x': F(21), 'y': F(37)}, {'out': (37,)},
     out(lambda *i, **k: gemv(*i, **k, transposed=True)), 1e-5),
    ('blas:ger', {'alpha': 1.5}, {'x': F(37), 'y': F(21), 'a': F(37, 21)}, {'out': (37, 21)},
     out(lambda x, y, a, alpha: lambda i, j: a[i, j] + alpha * x[i,] * y[j,]), 1e-6),
    ('blas:gemm', {'alpha': 1.5, 'beta': 0.25}, {'a': F(19, 33), 'b': F(41, 19), 'c': F(41, 33)}, {'out': (41, 33)},
     out(lambda a, b, c, alpha, beta: lambda x, y: alpha * sum(a[k, y] * b[x, k] for k in range(19)) + beta * c[x, y]), 1e-5),
]
