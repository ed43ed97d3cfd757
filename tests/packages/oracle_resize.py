from fractions import Fraction
from math import ceil, floor, pi, sin


def linear(d):
    return max(1 - abs(d), 0)


def cubic(d):
    """Keys 1981, a = -1/2."""
    d = abs(d)
    return 1.5*d**3 - 2.5*d**2 + 1 if d < 1 else -0.5*d**3 + 2.5*d**2 - 4*d + 2 if d < 2 else 0


def lanczos(d):
    if d == 0:
        return 1
    return sin(pi*d) / (pi*d) * sin(pi*d/3) / (pi*d/3) if abs(d) < 3 else 0


def weights(x, p, q, kernel, reach):
    """The points of f that point x sees, and their weights."""
    centre = (x + Fraction(1, 2)) * p / q - Fraction(1, 2)
    wide = max(Fraction(p, q), 1)
    points = range(floor(centre - reach * wide) - 1, ceil(centre + reach * wide) + 2)
    bells = {i: kernel(float((i - centre) / wide)) for i in points}
    total = sum(bells.values())
    return [(i, w / total) for i, w in bells.items() if w]


def resized(kernel, reach, finish=lambda v: v):
    def definition(f, p, q):
        def at(x, y, *c):
            return finish(sum(f.edge(i, j, *c) * v * w for i, v in weights(x, p, q, kernel, reach)
                              for j, w in weights(y, p, q, kernel, reach)))
        return at
    return definition


def nearest(f, p, q):
    return lambda x, y: f.edge(floor((x + Fraction(1, 2)) * p / q), floor((y + Fraction(1, 2)) * p / q))


RATIOS = [(1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (7, 3), (5, 8)]
CASES = [('nearest', {'p': p, 'q': q}, {'input': ('u8', (23, 17))}, (23 * q // p, 17 * q // p), nearest) for p, q in RATIOS]
CASES += [('linear', {'p': p, 'q': q}, {'input': ('f32', (23, 17))}, (23 * q // p, 17 * q // p), resized(linear, 1), 1e-5)
          for p, q in RATIOS]
CASES += [('cubic', {'p': p, 'q': q}, {'input': ('f32', (13, 11, 2))}, (13 * q // p, 11 * q // p, 2), resized(cubic, 2), 1e-5)
          for p, q in RATIOS]
CASES += [('cubic', {'p': 3, 'q': 2}, {'input': ('f32', (1, 1, 1))}, (1, 1, 1), resized(cubic, 2), 1e-5)]
# A byte may be rounded either way where the sum lies close to a half.
CASES += [('lanczos', {'p': p, 'q': q}, {'input': ('u8', (23, 17))}, (23 * q // p, 17 * q // p),
           resized(lanczos, 3, lambda v: min(max(v, 0), 255)), 0.51) for p, q in RATIOS]
